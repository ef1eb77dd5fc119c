// Package sparksubmit is a stand-in for spark-submit in cluster mode on Kubernetes: it creates the driver pod, its
// configuration and its service as Spark 4.1 does, and prints what spark-submit prints when the API server refuses.
package sparksubmit

import (
	"fmt"
	"strings"
)

// Submission is what spark-submit was asked to run.
type Submission struct {
	Master     string
	DeployMode string
	Name       string
	MainClass  string
	Resource   string
	Args       []string
	// Conf are the properties of --conf and of the options that stand for one.
	Conf map[string]string
}

// propertyOf names the property that an option stands for.
var propertyOf = map[string]string{
	"--jars":             "spark.jars",
	"--packages":         "spark.jars.packages",
	"--exclude-packages": "spark.jars.excludes",
	"--repositories":     "spark.jars.repositories",
	"--py-files":         "spark.submit.pyFiles",
	"--files":            "spark.files",
	"--archives":         "spark.archives",
	"--driver-memory":    "spark.driver.memory",
	"--driver-cores":     "spark.driver.cores",
}

// Parse reads the command line of spark-submit.
func Parse(args []string) (Submission, error) {
	s := Submission{Conf: map[string]string{}}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option := args[0]
		if option == "--load-spark-defaults" || option == "--verbose" {
			args = args[1:]
			continue
		}
		if len(args) < 2 {
			return Submission{}, fmt.Errorf("missing argument for option '%s'", option)
		}
		if err := s.set(option, args[1]); err != nil {
			return Submission{}, err
		}
		args = args[2:]
	}
	if len(args) == 0 {
		return Submission{}, fmt.Errorf("missing application resource")
	}
	s.Resource, s.Args = args[0], args[1:]
	return s, s.check()
}

func (s *Submission) set(option, value string) error {
	switch option {
	case "--master":
		s.Master = value
	case "--deploy-mode":
		s.DeployMode = value
	case "--name":
		s.Name = value
	case "--class":
		s.MainClass = value
	case "--proxy-user":
		// The stand-in always submits as itself.
	case "--conf":
		key, value, ok := strings.Cut(value, "=")
		if !ok {
			return fmt.Errorf("spark config without '=': %s", key)
		}
		s.Conf[key] = value
	default:
		property, ok := propertyOf[option]
		if !ok {
			return fmt.Errorf("unrecognized option: %s", option)
		}
		s.Conf[property] = value
	}
	return nil
}

func (s *Submission) check() error {
	if !strings.HasPrefix(s.Master, "k8s://") {
		return fmt.Errorf("master must start with k8s://, got %q", s.Master)
	}
	if s.DeployMode != "cluster" {
		return fmt.Errorf("deploy mode %q is not supported, only cluster", s.DeployMode)
	}
	if s.Name == "" {
		s.Name = s.MainClass
	}
	return nil
}

func (s *Submission) conf(key, fallback string) string {
	if value, ok := s.Conf[key]; ok {
		return value
	}
	return fallback
}

// withPrefix gives the properties under a prefix, without it.
func (s *Submission) withPrefix(prefix string) map[string]string {
	found := map[string]string{}
	for key, value := range s.Conf {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			found[rest] = value
		}
	}
	return found
}

// python is true if the application is a Python script.
func (s *Submission) python() bool {
	return strings.HasSuffix(s.Resource, ".py")
}
