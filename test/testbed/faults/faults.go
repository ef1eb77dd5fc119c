// Package faults is a reverse proxy before an API server that goes wrong on purpose: it refuses, throttles, delays and
// cuts what rules tell it to. It listens on loopback only.
package faults

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
)

// Kind is what goes wrong with a request.
type Kind string

// The faults. All but AnswerLost, AnswerCut and those of watches and logs keep the request from the API server.
const (
	// Conflict answers 409.
	Conflict Kind = "Conflict"
	// Throttle answers 429 with Retry-After: 1.
	Throttle Kind = "Throttle"
	// InternalError answers 500.
	InternalError Kind = "InternalError"
	// Unavailable answers 503.
	Unavailable Kind = "Unavailable"
	// Refused closes the connection without an answer.
	Refused Kind = "Refused"
	// Slow passes the request on after a delay.
	Slow Kind = "Slow"
	// AnswerLost passes the request on and closes the connection instead of answering: the write has happened.
	AnswerLost Kind = "AnswerLost"
	// AnswerCut closes the connection in the middle of the answer's body.
	AnswerCut Kind = "AnswerCut"
	// WatchDropped closes a watch after a while.
	WatchDropped Kind = "WatchDropped"
	// WatchStale hands every event of a watch on late.
	WatchStale Kind = "WatchStale"
	// Hang sends the first part of the body, then nothing, until the client gives up.
	Hang Kind = "Hang"
)

// Rule makes a share of the requests that it is about go wrong.
type Rule struct {
	Kind Kind
	// When says which requests the rule is about.
	When func(*http.Request) bool
	// Chance is the share that goes wrong, from 0 to 1.
	Chance float64
}

// dice throws for each request in turn. The same seed and order of requests give the same faults.
type dice struct {
	mu     sync.Mutex
	random *rand.Rand
	rules  []Rule
}

func newDice(seed uint64) *dice { return &dice{random: rand.New(rand.NewPCG(seed, seed))} }

func (d *dice) set(rules []Rule) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules = rules
}

// throw picks what goes wrong with a request, "" for nothing: the first rule that hits.
func (d *dice) throw(r *http.Request) Kind {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, rule := range d.rules {
		if rule.When(r) && d.random.Float64() < rule.Chance {
			return rule.Kind
		}
	}
	return ""
}

// between gives a number from low to below high.
func (d *dice) between(low, high int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return low + d.random.Int64N(high-low)
}

// StatusWrites are writes to the status of SparkApplications.
func StatusWrites(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/sparkapplications/") && strings.HasSuffix(r.URL.Path, "/status")
}

// PodWrites are patches of pods.
func PodWrites(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/pods/")
}

// EventWrites create events.
func EventWrites(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/events")
}

// Writes are writes of any kind but to leases, which decide who leads.
func Writes(r *http.Request) bool {
	return StatusWrites(r) || PodWrites(r) || EventWrites(r)
}

// Logs are readings of container logs.
func Logs(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/log") }

// Watches are watches and streaming lists.
func Watches(r *http.Request) bool {
	return r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1"
}

// Reads are gets and lists, without watches and logs.
func Reads(r *http.Request) bool {
	return r.Method == http.MethodGet && !Watches(r) && !Logs(r) && strings.HasPrefix(r.URL.Path, "/api")
}
