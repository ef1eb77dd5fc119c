package enricher

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// outages notes when the API server last failed to serve applications. The operator's watch of them breaks with ours and
// is resumed with growing pauses; until then it does not see our writes.
type outages struct {
	clock clock.PassiveClock
	last  atomic.Pointer[time.Time]
}

// newOutages counts the start as one: what happened just before it, nobody here knows.
func newOutages(c clock.PassiveClock) *outages {
	o := &outages{clock: c}
	o.note()
	return o
}

func (o *outages) note() {
	now := o.clock.Now()
	o.last.Store(&now)
}

// Start counts taking the lead as one, too: a replica that waits for it does not watch applications. The manager starts
// it then.
func (o *outages) Start(context.Context) error {
	o.note()
	return nil
}

// latest is when the last outage was noted.
func (o *outages) latest() time.Time { return *o.last.Load() }

// observe wraps a client's transport.
func (o *outages) observe(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		failed := err != nil || response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusNotFound
		if failed && request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/sparkapplications") {
			o.note()
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
