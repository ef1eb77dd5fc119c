package published

import (
	"regexp"
	"strings"
)

// form is a way in which software prints its codes.
type form struct {
	// list holds the codes.
	list string
	// anchor is in every text of this form, in lower case: it is sought before the expression is tried.
	anchor string
	// class: the class of the exception contains one of these. Empty: any class.
	class []string
	// before and after are how far before and after the anchor the expression looks, in bytes. An after of 0 is nearby.
	before, after int
	// shape must hold at the anchor, where it is given: for anchors that are too common.
	shape *shape
	// code's first group is the code. It is tried on the text around the anchor.
	code *regexp.Regexp
	// prefix goes before what the group holds.
	prefix string
	// id is the number of its anchor.
	id int
}

const (
	// lookedAt is how much of a message is looked at, in bytes.
	lookedAt = 16 * 1024
	// nearby is how far after the anchor an expression looks, in bytes, where its form does not say.
	nearby = 80
	// most is how many places of one anchor are tried.
	most = 8
)

// Code finds a vendor's code in the message of an exception of this class, and tells what it means. A code that says
// something comes before one that defers, and a vendor's own before the general ones. The message is wanted as a whole:
// the head of a message of Spark's tells that its SQLSTATE is no database's.
func Code(class, message string) (Decision, string, bool) {
	if len(message) > lookedAt {
		message = message[:lookedAt]
	}
	t := text{class: strings.ToLower(class), message: message}
	if strings.Contains(t.class, "kubernetes") {
		return Decision{}, "", false // What the Kubernetes API answers has rules of its own.
	}
	t.found = anchors().places(message)
	deferred, deferredCode := Decision{}, ""
	for i := range forms {
		d, code, ok := t.find(&forms[i])
		if ok && !d.Defer {
			return d, code, true
		}
		if ok && deferredCode == "" {
			deferred, deferredCode = d, code
		}
	}
	return deferred, deferredCode, deferredCode != ""
}

type text struct {
	class, message string
	// found are the places of the anchors, by their numbers.
	found [][]int
}

// find looks for the codes of one form, the first that decides before one that defers.
func (t text) find(f *form) (found Decision, code string, ok bool) {
	if !f.meant(t.class) {
		return Decision{}, "", false
	}
	table := lists().codes[f.list]
	for _, at := range t.places(f) {
		c := f.at(t.message, at)
		d, known := table[c]
		if !known || f.list == "sqlstate" && t.sparks(at) {
			continue
		}
		if !d.Defer {
			return d, c, true
		}
		if !ok {
			found, code, ok = d, c, true
		}
	}
	return found, code, ok
}

func (f *form) meant(class string) bool {
	if len(f.class) == 0 {
		return true
	}
	for _, c := range f.class {
		if strings.Contains(class, c) {
			return true
		}
	}
	return false
}

// start is the only place of an empty anchor.
var start = []int{0}

func (t text) places(f *form) []int {
	if f.anchor == "" {
		return start
	}
	return t.found[f.id]
}

// at applies the form to the text around the anchor, and returns the code or nothing.
func (f *form) at(message string, anchor int) string {
	begin := max(0, anchor-f.before)
	reach := f.after
	if reach == 0 {
		reach = nearby
	}
	end := min(len(message), anchor+len(f.anchor)+reach)
	groups := f.code.FindStringSubmatch(message[begin:end])
	for _, g := range groups[min(1, len(groups)):] {
		if g != "" {
			return f.prefix + g
		}
	}
	return ""
}

// condition is how Spark and its kin head a message: [TABLE_OR_VIEW_NOT_FOUND].
var condition = regexp.MustCompile(`\[[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:\.[A-Z0-9_]+)?\] `)

// sparks tells whether the SQLSTATE at this place belongs to a condition of Spark's: that is looked up as such.
func (t text) sparks(at int) bool {
	if strings.HasPrefix(t.class, "org.apache.spark.") || strings.HasPrefix(t.class, "pyspark.") {
		return true
	}
	return condition.MatchString(t.message[:at])
}
