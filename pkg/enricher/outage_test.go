package enricher

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestOutages(t *testing.T) {
	const applications = "/apis/sparkoperator.k8s.io/v1beta2/sparkapplications"
	cases := map[string]struct {
		method, path string
		code         int
		err          error
		want         bool
	}{
		"the API server is away":            {method: http.MethodGet, path: applications, err: errors.New("connection refused"), want: true},
		"it starts":                         {method: http.MethodGet, path: applications, code: http.StatusServiceUnavailable, want: true},
		"it does not know the CRD yet":      {method: http.MethodGet, path: applications, code: http.StatusNotFound, want: true},
		"all is well":                       {method: http.MethodGet, path: applications, code: http.StatusOK},
		"one application is not there":      {method: http.MethodGet, path: applications + "/etl", code: http.StatusNotFound},
		"another kind cannot be read":       {method: http.MethodGet, path: "/api/v1/pods", code: http.StatusServiceUnavailable},
		"it refuses the watch for a moment": {method: http.MethodGet, path: applications, code: http.StatusTooManyRequests},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(start)
			o := newOutages(clock)
			clock.SetTime(start.Add(time.Hour))
			transport := o.observe(roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: tc.code, Body: http.NoBody}, tc.err
			}))
			response, err := transport.RoundTrip(httptest.NewRequest(tc.method, tc.path+"?watch=true", http.NoBody))
			if !errors.Is(err, tc.err) {
				t.Errorf("error %v, want the transport's", err)
			}
			if code := response.StatusCode; code != tc.code {
				t.Errorf("code %d, want the transport's", code)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			if noted := o.latest().After(start); noted != tc.want {
				t.Errorf("noted: %t, want %t", noted, tc.want)
			}
		})
	}
}

func TestTakingTheLeadCountsAsAnOutage(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	o := newOutages(clock)
	elected := start.Add(time.Hour)
	clock.SetTime(elected)
	if err := o.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := o.latest(); !got.Equal(elected) {
		t.Errorf("latest outage %s, want %s", got, elected)
	}
}
