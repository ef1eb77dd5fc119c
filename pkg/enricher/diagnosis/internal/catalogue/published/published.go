// Package published holds what software publishes of its own failures as data: error conditions, exception classes and
// codes, each with a decision which reason it means. The lists lie in data/, one file for each piece of software, with
// their origin at the head; hack/published tells how to renew them.
//
// Names and codes do not change with the language that a server answers in, and are looked at before words.
package published

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// Decision is what a row means.
type Decision struct {
	// Reason is empty where Defer is set.
	Reason failure.Reason
	// Retryable differs from the reason's default where it is set.
	Retryable failure.Retryable
	// List is the name of the list that the row stands in, for example delta.
	List string
	// Defer: the row names only a place or is too general; the cause beneath or the frames decide.
	Defer bool
}

// Condition looks an error condition of Spark, Delta or PySpark up: by its whole name, then by its main name.
func Condition(name string) (Decision, bool) {
	conditions := lists().conditions
	if d, ok := conditions[name]; ok {
		return d, true
	}
	main, _, found := strings.Cut(name, ".")
	if !found {
		return Decision{}, false
	}
	d, ok := conditions[main]
	return d, ok
}

// Class looks a fully qualified class of exception up, also where a shaded jar put a prefix before it.
func Class(class string) (Decision, bool) {
	classes := lists().classes
	if d, ok := classes[class]; ok {
		return d, true
	}
	for rest := class; ; {
		_, after, found := strings.Cut(rest, ".")
		// Fewer than three parts are no package: openai.RateLimitError may be anybody's.
		if !found || strings.Count(after, ".") < 2 {
			return Decision{}, false
		}
		if d, ok := classes[after]; ok {
			return d, true
		}
		rest = after
	}
}
