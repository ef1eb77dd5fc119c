// Package catalogue holds what is known about failures as tables: which exception, error condition, text or exit
// code means which reason.
//
// A failure is looked up in this order, and the first hit decides:
//
//  1. the error condition or SQLSTATE of Spark, where it names a cause rather than a place (conditions.go);
//  2. the rules for whole chains, where an outer link changes the meaning of an inner one (chains.go);
//  3. the rules for single links, from the root cause outward (platform.go, configuration.go, data.go,
//     services.go, values.go, user.go, in this order and within each from top to bottom);
//  4. the condition or SQLSTATE once more, where it names only a place.
//
// To teach it a failure, add a row; more specific rows stand above more general ones.
package catalogue

import (
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis/internal/catalogue/published"
)

// Rule is a row: all parts that are given must hold for one link (or, in a chain rule, for the chain).
type Rule struct {
	// ID names the rule for good: it goes into the status.
	ID string
	// Classes: the class is one of these, with or without its package.
	Classes []string
	// Texts: at least one of these occurs in the message. Lower case.
	Texts []string
	// Starts: the message begins with one of these. Lower case.
	Starts []string
	// All of these occur in the message, too. Lower case.
	All []string
	// Not: none of these occurs. Lower case.
	Not []string

	Reason failure.Reason
	// Retryable differs from the reason's default where it is set.
	Retryable failure.Retryable
	// Hint takes the place of the reason's own where it is set.
	Hint string
}

// Verdict is what a failure means.
type Verdict struct {
	Reason    failure.Reason
	Category  failure.Category
	Retryable failure.Retryable
	// Hint is empty where the reason's own applies.
	Hint string
	// Rule is the ID of the rule that decided, at most 63 bytes.
	Rule string
	// Link is the number of the link that decided, 0 where the chain as a whole or the outermost did.
	Link int
}

// Link is one exception of a chain.
type Link struct {
	Class string
	// Wrapped is a class that Class names in parentheses.
	Wrapped string
	Message string
}

// Failure is what is looked up.
type Failure struct {
	// Links from the outermost to the root cause.
	Links []Link
	// Implicit is true where the inner links are only what was being handled when the outermost was raised.
	Implicit  bool
	Condition string
	SQLState  string
}

// verdict fills in the defaults of the reason.
func (r Rule) verdict() Verdict {
	v := Of(r.ID, r.Reason)
	if r.Retryable != "" {
		v.Retryable = r.Retryable
	}
	v.Hint = r.Hint
	return v
}

// Of is the plain verdict of a rule that means reason.
func Of(rule string, reason failure.Reason) Verdict {
	d := defaults[reason]
	return Verdict{Reason: reason, Category: d.category, Retryable: d.retryable, Rule: rule}
}

// Hint is the reason's general advice.
func Hint(reason failure.Reason) string { return defaults[reason].hint }

// Lookup finds the verdict of a failure; ok is false where no row applies.
func Lookup(f Failure) (v Verdict, ok bool) {
	v, ok = lookup(f)
	return v.where(f.Links), ok
}

// OnExecutor is the verdict where a text tells that a task failed: then it was an executor that ran out of memory.
func (v Verdict) OnExecutor(text string) Verdict { return v.where([]Link{{Message: text}}) }

// where tells an executor that ran out of memory from the driver: a task's failure is quoted in that of its stage.
func (v Verdict) where(links []Link) Verdict {
	if v.Reason != failure.ReasonDriverOutOfMemory {
		return v
	}
	for _, l := range links {
		if strings.Contains(l.Message, "Lost task") && !strings.Contains(l.Message, "executor driver") {
			return Of(v.Rule, failure.ReasonExecutorOutOfMemory)
		}
	}
	return v
}

func lookup(f Failure) (v Verdict, ok bool) {
	place, isPlace := Verdict{}, false
	if c, rule, ok := conditionVerdict(f.Condition, f.SQLState); ok && !c.defers {
		if !c.place {
			return c.verdict(rule), true
		}
		place, isPlace = c.verdict(rule), true
	}
	links := lowered(f.Links)
	for i := range chainRules {
		if chainRules[i].matchesChain(links) {
			return chainRules[i].verdict(), true
		}
	}
	for _, i := range order(len(links), f.Implicit) {
		for _, table := range linkTables {
			for j := range table {
				if table[j].matches(links[i]) {
					v := table[j].verdict()
					v.Link = i
					return v, true
				}
			}
		}
		if v, ok := byList(f.Links, len(links), i); ok {
			return v, true
		}
	}
	return place, isPlace
}

// byList looks a link's class, and the codes in its message, up in the published lists.
func byList(all []Link, shown, i int) (Verdict, bool) {
	if shown != len(all) && i >= shown/2 {
		i += len(all) - shown
	}
	l := all[i]
	if d, code, ok := published.Code(l.Class, head(l.Message, lookedAt)); ok && !d.Defer {
		return listed(ruleID("code."+d.List+".", code), d, i), true
	}
	for _, class := range []string{l.Class, l.Wrapped} {
		if d, ok := published.Class(class); ok && !d.Defer {
			return listed(ruleID("class."+d.List+".", simpleName(class)), d, i), true
		}
	}
	return Verdict{}, false
}

func listed(rule string, d published.Decision, link int) Verdict {
	v := Of(rule, d.Reason)
	if d.Retryable != "" {
		v.Retryable = d.Retryable
	}
	v.Link = link
	return v
}

func head(s string, n int) string { return s[:min(len(s), n)] }

// order goes from the root cause outward; where the inner links were merely being handled, the outermost comes first.
func order(n int, implicit bool) []int {
	list := make([]int, 0, n)
	if implicit && n > 0 {
		list = append(list, 0)
	}
	for i := n - 1; i >= 0; i-- {
		if !implicit || i > 0 {
			list = append(list, i)
		}
	}
	return list
}

var linkTables = [][]Rule{platformRules, configurationRules, dataRules, serviceRules, valueRules, userRules}

// lookedAt is how much of a message the rules see, in bytes: its beginning and its end.
const lookedAt = 8 * 1024

type lowLink struct{ class, wrapped, text string }

func lowered(links []Link) []lowLink {
	const deepest = 64
	if len(links) > deepest {
		links = append(append([]Link(nil), links[:deepest/2]...), links[len(links)-deepest/2:]...)
	}
	low := make([]lowLink, len(links))
	for i, l := range links {
		text := l.Message
		if len(text) > 2*lookedAt {
			text = text[:lookedAt] + " " + text[len(text)-lookedAt:]
		}
		low[i] = lowLink{class: l.Class, wrapped: l.Wrapped, text: strings.ToLower(text)}
	}
	return low
}

func (r *Rule) matches(l lowLink) bool {
	return r.matchesClass(l) && r.matchesText(l.text)
}

func (r *Rule) matchesClass(l lowLink) bool {
	if len(r.Classes) == 0 {
		return true
	}
	for _, c := range r.Classes {
		if classIs(l.class, c) || l.wrapped != "" && classIs(l.wrapped, c) {
			return true
		}
	}
	return false
}

// classIs compares with or without the package.
func classIs(class, want string) bool {
	if class == want {
		return true
	}
	if len(class) <= len(want) || !strings.HasSuffix(class, want) {
		return false
	}
	before := class[len(class)-len(want)-1]
	return before == '.' || before == '$'
}

func (r *Rule) matchesText(text string) bool {
	return (len(r.Texts) == 0 || containsAny(text, r.Texts)) && containsAll(text, r.All) &&
		!containsAny(text, r.Not) && (len(r.Starts) == 0 || startsWithAny(text, r.Starts))
}

// matchesChain: one link has the class, and the texts of the links together have the texts.
func (r *Rule) matchesChain(links []lowLink) bool {
	class := len(r.Classes) == 0
	texts := len(r.Texts) == 0
	all := make([]bool, len(r.All))
	for _, l := range links {
		class = class || r.matchesClass(l)
		whole := strings.ToLower(l.class) + ": " + l.text
		texts = texts || containsAny(whole, r.Texts)
		for i, t := range r.All {
			all[i] = all[i] || strings.Contains(whole, t)
		}
		if containsAny(whole, r.Not) {
			return false
		}
	}
	for _, ok := range all {
		if !ok {
			return false
		}
	}
	return class && texts
}

func containsAny(s string, list []string) bool {
	for _, t := range list {
		if strings.Contains(s, t) {
			return true
		}
	}
	return false
}

func startsWithAny(s string, list []string) bool {
	for _, t := range list {
		if strings.HasPrefix(s, t) {
			return true
		}
	}
	return false
}

func containsAll(s string, list []string) bool {
	for _, t := range list {
		if !strings.Contains(s, t) {
			return false
		}
	}
	return true
}
