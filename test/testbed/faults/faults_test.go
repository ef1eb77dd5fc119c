package faults

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server is an API server that counts requests and answers with a long body.
func server(t *testing.T) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var seen atomic.Int32
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
	}))
	t.Cleanup(upstream.Close)
	return upstream, &seen
}

func proxy(t *testing.T, upstream *httptest.Server) (*Proxy, *http.Client) {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: upstream.Certificate().Raw})
	p, err := Start(Options{
		Target: upstream.URL, CA: ca, Certificate: upstream.TLS.Certificates[0], Seed: 1, Delay: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return p, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
}

var errNoAnswer = errors.New("no answer")

// get gives the code, the length of the body and the error of one request.
func get(client *http.Client, url string) (int, int, error) {
	response, err := client.Get(url)
	if err != nil {
		return 0, 0, errNoAnswer
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, len(body), err
}

func TestFaults(t *testing.T) {
	all := func(*http.Request) bool { return true }
	tests := map[string]struct {
		kind       Kind
		wantCode   int
		wantLength int
		wantSeen   int32
		wantErr    bool
	}{
		"without a fault the answer is the server's":         {"", 200, 1000, 1, false},
		"a conflict does not reach the server":               {Conflict, 409, -1, 0, false},
		"a throttled request does not reach the server":      {Throttle, 429, -1, 0, false},
		"an internal error does not reach the server":        {InternalError, 500, -1, 0, false},
		"an unavailable server is not reached":               {Unavailable, 503, -1, 0, false},
		"a refused request has no answer and is not seen":    {Refused, 0, 0, 0, true},
		"a slow request is answered in the end":              {Slow, 200, 1000, 1, false},
		"a lost answer is seen by the server, not by client": {AnswerLost, 0, 0, 1, true},
		"a cut answer ends in the middle with an error":      {AnswerCut, 200, firstPart, 1, true},
		"a stale watch delivers everything in the end":       {WatchStale, 200, 1000, 1, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			upstream, seen := server(t)
			p, client := proxy(t, upstream)
			if test.kind != "" {
				p.Set(Rule{Kind: test.kind, When: all, Chance: 1})
			}
			code, length, err := get(client, p.URL+"/api/v1/pods")
			if code != test.wantCode || (err != nil) != test.wantErr {
				t.Errorf("got code %d and error %v, want %d and an error: %t", code, err, test.wantCode, test.wantErr)
			}
			if test.wantLength >= 0 && length != test.wantLength {
				t.Errorf("got %d bytes, want %d", length, test.wantLength)
			}
			if seen.Load() != test.wantSeen {
				t.Errorf("the server saw %d requests, want %d", seen.Load(), test.wantSeen)
			}
		})
	}
}

func TestRulesPickRequests(t *testing.T) {
	request := func(method, target string) *http.Request { return httptest.NewRequest(method, target, nil) }
	status := request("PATCH", "/apis/sparkoperator.k8s.io/v1beta2/namespaces/a/sparkapplications/b/status")
	tests := map[string]struct {
		when func(*http.Request) bool
		is   *http.Request
		want bool
	}{
		"a patch of a status is a status write": {StatusWrites, status, true},
		"a patch of a status is no pod write":   {PodWrites, status, false},
		"a patch of a pod is a pod write":       {PodWrites, request("PATCH", "/api/v1/namespaces/a/pods/b"), true},
		"a created event is an event write":     {EventWrites, request("POST", "/apis/events.k8s.io/v1/namespaces/a/events"), true},
		"a renewed lease is no write of a rule": {Writes, request("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"), false},
		"a log is a log":                        {Logs, request("GET", "/api/v1/namespaces/a/pods/b/log?tailLines=1"), true},
		"a log is no read":                      {Reads, request("GET", "/api/v1/namespaces/a/pods/b/log"), false},
		"a watch is a watch":                    {Watches, request("GET", "/api/v1/pods?watch=true"), true},
		"a watch is no read":                    {Reads, request("GET", "/api/v1/pods?watch=true"), false},
		"a get is a read":                       {Reads, request("GET", "/api/v1/namespaces/a/pods/b"), true},
		"a probe is no read of the API":         {Reads, request("GET", "/healthz"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.when(test.is); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestTheSameSeedThrowsTheSame(t *testing.T) {
	throws := func() (kinds []Kind) {
		d := newDice(7)
		d.set([]Rule{{Kind: Slow, When: Reads, Chance: 0.5}})
		for range 100 {
			kinds = append(kinds, d.throw(httptest.NewRequest(http.MethodGet, "/api/v1/pods", nil)))
		}
		return kinds
	}
	first, second := throws(), throws()
	hits := 0
	for i := range first {
		if first[i] != second[i] {
			t.Fatalf("throw %d: got %q and %q", i, first[i], second[i])
		}
		if first[i] == Slow {
			hits++
		}
	}
	if hits < 30 || hits > 70 {
		t.Errorf("a chance of a half hit %d times of 100", hits)
	}
}
