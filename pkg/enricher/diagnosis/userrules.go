package diagnosis

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/throwable"
)

// userRule is a rule of the configuration, compiled.
type userRule struct {
	class, message *regexp.Regexp
	verdict        catalogue.Verdict
}

func compileRules(rules []configv1alpha1.Rule) ([]userRule, error) {
	compiled := make([]userRule, 0, len(rules))
	for i, r := range rules {
		u, err := compileRule(i, r)
		if err != nil {
			return nil, fmt.Errorf("rules[%d] (%s): %w", i, r.Reason, err)
		}
		compiled = append(compiled, u)
	}
	return compiled, nil
}

func compileRule(number int, r configv1alpha1.Rule) (userRule, error) {
	u := userRule{verdict: catalogue.Verdict{
		Reason: r.Reason, Category: r.Category, Retryable: r.Retryable, Hint: r.Hint, Rule: "configured." + cmp.Or(r.ID, strconv.Itoa(number)),
	}}
	if u.verdict.Retryable == "" {
		u.verdict.Retryable = failure.RetryableUnknown
	}
	if r.Class == "" && r.Message == "" {
		return u, fmt.Errorf("neither class nor message is given")
	}
	for _, p := range []struct {
		name, text string
		into       **regexp.Regexp
	}{{"class", r.Class, &u.class}, {"message", r.Message, &u.message}} {
		if p.text == "" {
			continue
		}
		re, err := regexp.Compile(p.text)
		if err != nil {
			return u, fmt.Errorf("%s: %w", p.name, err)
		}
		*p.into = re
	}
	return u, nil
}

// userVerdict tries the user's rules on the exception and its root cause.
func (e *Engine) userVerdict(chain []*throwable.Exception) (catalogue.Verdict, bool) {
	for _, r := range e.rules {
		if r.matches(chain[0]) || r.matches(chain[len(chain)-1]) {
			return r.verdict, true
		}
	}
	return catalogue.Verdict{}, false
}

func (r *userRule) matches(x *throwable.Exception) bool {
	return (r.class == nil || r.class.MatchString(x.Class)) && (r.message == nil || r.message.MatchString(x.Message))
}

// overrule lets rules that name only a message decide about a failure that has no exception.
func (e *Engine) overrule(f *finding) {
	if f.exception != nil {
		return
	}
	for _, r := range e.rules {
		if r.class == nil && r.message.MatchString(f.words) {
			f.verdict = r.verdict
			return
		}
	}
}
