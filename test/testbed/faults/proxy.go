package faults

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Options of a proxy.
type Options struct {
	// Target is the API server's URL, CA what its certificate is checked against.
	Target string
	CA     []byte
	// Certificate is what the proxy shows. That of the API server will do, where it is for 127.0.0.1.
	Certificate tls.Certificate
	Seed        uint64
	// Delay is how long Slow and WatchStale hold back at most, and WatchDropped lets a watch live at most.
	// Default 5 s.
	Delay time.Duration
}

// Proxy is a running proxy.
type Proxy struct {
	// URL is what clients connect to.
	URL string

	dice   *dice
	server *httptest.Server
	delay  time.Duration

	mu     sync.Mutex
	counts map[Kind]int
}

// Start runs a proxy without any rule.
func Start(opts Options) (*Proxy, error) {
	target, err := url.Parse(opts.Target)
	if err != nil {
		return nil, fmt.Errorf("reading the API server's address: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(opts.CA) {
		return nil, errors.New("the API server's CA holds no certificate")
	}
	if opts.Delay == 0 {
		opts.Delay = 5 * time.Second
	}
	p := &Proxy{dice: newDice(opts.Seed), delay: opts.Delay, counts: map[Kind]int{}}
	reverse := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true},
		FlushInterval:  -1,
		ModifyResponse: p.spoil,
		ErrorLog:       log.New(io.Discard, "", 0),
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.server = httptest.NewUnstartedServer(p.before(reverse))
	p.server.TLS = &tls.Config{Certificates: []tls.Certificate{opts.Certificate}}
	p.server.EnableHTTP2 = true
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	p.URL = p.server.URL
	return p, nil
}

// Set replaces the rules. Requests that are under way keep theirs.
func (p *Proxy) Set(rules ...Rule) { p.dice.set(rules) }

// CutAll closes every connection of every client.
func (p *Proxy) CutAll() { p.server.CloseClientConnections() }

// Stop ends the proxy and all its connections. Clients that still run must find no way back, or their next watch holds
// it up for minutes.
func (p *Proxy) Stop() {
	_ = p.server.Listener.Close()
	p.server.CloseClientConnections()
	p.server.Close()
}

// Counts tells how often each fault has happened.
func (p *Proxy) Counts() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

func (p *Proxy) count(kind Kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[kind]++
}

// before makes what goes wrong before the API server has seen the request.
func (p *Proxy) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := p.dice.throw(r)
		if kind != "" {
			p.count(kind)
		}
		switch kind {
		case Conflict:
			refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
		case Throttle:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests)
		case InternalError:
			refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError)
		case Unavailable:
			refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
		case Refused:
			panic(http.ErrAbortHandler)
		case Slow:
			if p.hold(r, time.Duration(p.dice.between(0, int64(p.delay)))) {
				next.ServeHTTP(w, r)
			}
		default:
			next.ServeHTTP(w, r.WithContext(withKind(r.Context(), kind)))
		}
	})
}

// hold waits, and reports whether the client still does.
func (p *Proxy) hold(r *http.Request, d time.Duration) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(d):
		return true
	}
}

// refuse answers as the API server does.
func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Reason: reason, Code: int32(code),
		Message: "made to fail by the proxy: " + http.StatusText(code),
	})
}
