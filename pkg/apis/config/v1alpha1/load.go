package v1alpha1

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// Load reads a configuration file, refuses unknown keys and impossible values, and fills in the defaults. An empty
// path means all defaults.
func Load(path string) (*EnricherConfiguration, error) {
	if path == "" {
		return Parse(nil)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	cfg, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	return cfg, nil
}

// Parse does the same with the content of a file.
func Parse(data []byte) (*EnricherConfiguration, error) {
	cfg := &EnricherConfiguration{}
	if len(data) > 0 {
		if err := decode(data, cfg); err != nil {
			return nil, fmt.Errorf("decoding: %w", err)
		}
		if cfg.APIVersion != APIVersion || cfg.Kind != Kind {
			return nil, fmt.Errorf("apiVersion %q, kind %q: want %q, %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
		}
	}
	SetDefaults(cfg)
	if err := validate(cfg); err != nil {
		return nil, err
	}
	return cfg, nil
}

// decode is strict: an unknown or repeated key is an error that names its path.
func decode(data []byte, cfg *EnricherConfiguration) error {
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return err
	}
	unknown, err := kjson.UnmarshalStrict(asJSON, cfg)
	if err != nil {
		return err
	}
	return oneLine(unknown...)
}

// oneLine joins errors without line breaks.
func oneLine(errs ...error) error {
	var texts []string
	for _, err := range errs {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}

func validate(c *EnricherConfiguration) error {
	errs := []error{
		within("workers", c.Workers, 1, 1000),
		within("log.maxBytes", c.Log.MaxBytes, 1<<10, 64<<20),
		within("log.tailLines", int(c.Log.TailLines), 1, 10_000_000),
		within("stackTrace.maxLines", c.StackTrace.MaxLines, 1, 2000),
		within("stackTrace.maxBytes", c.StackTrace.MaxBytes, 256, failure.MaxStackTraceBytes),
		positive("log.timeout", c.Log.Timeout.Duration),
		positive("captureTimeout", c.CaptureTimeout.Duration),
		notNegative("pendingGracePeriod", c.PendingGracePeriod.Duration),
		notNegative("backfill", c.Backfill.Duration),
		oneOf("statusText", c.StatusText, StatusTextFull, StatusTextFacts),
	}
	for i, rule := range c.Rules {
		errs = append(errs, validateRule(fmt.Sprintf("rules[%d]", i), rule))
	}
	return oneLine(errs...)
}

var reasonShape = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,127}$`)
var idShape = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,49}$`)

func validateRule(at string, r Rule) error {
	errs := []error{
		oneOf(at+".category", r.Category, failure.CategoryUser, failure.CategoryConfiguration, failure.CategoryData,
			failure.CategoryPlatform, failure.CategoryUnknown),
		compiles(at+".class", r.Class),
		compiles(at+".message", r.Message),
	}
	if r.Class == "" && r.Message == "" {
		errs = append(errs, fmt.Errorf("%s: one of class and message is required", at))
	}
	if r.ID != "" && !idShape.MatchString(r.ID) {
		errs = append(errs, fmt.Errorf("%s.id %q: want small letters, digits, dots and hyphens, at most 50", at, r.ID))
	}
	if !reasonShape.MatchString(string(r.Reason)) {
		errs = append(errs, fmt.Errorf("%s.reason %q: want a CamelCase word", at, r.Reason))
	}
	if r.Retryable != "" {
		errs = append(errs, oneOf(at+".retryable", r.Retryable, failure.RetryableTrue, failure.RetryableFalse, failure.RetryableUnknown))
	}
	return oneLine(errs...)
}

func compiles(at, expression string) error {
	if _, err := regexp.Compile(expression); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

func within(at string, value, least, most int) error {
	if value < least || value > most {
		return fmt.Errorf("%s %d: want %d to %d", at, value, least, most)
	}
	return nil
}

func positive[T ~int64](at string, value T) error {
	if value <= 0 {
		return fmt.Errorf("%s: must be more than 0", at)
	}
	return nil
}

func notNegative[T ~int64](at string, value T) error {
	if value < 0 {
		return fmt.Errorf("%s: must not be negative", at)
	}
	return nil
}

func oneOf[T ~string](at string, value T, allowed ...T) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("%s %q: want one of %q", at, value, allowed)
}
