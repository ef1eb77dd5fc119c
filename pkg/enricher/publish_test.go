package enricher

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// reader answers with one application. No real cache can be made to stay behind the API server for a test.
type reader struct {
	client.Reader
	app *v1beta2.SparkApplication
}

func (r reader) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	r.app.DeepCopyInto(into.(*v1beta2.SparkApplication))
	return nil
}

// writes counts the writes and refuses none.
type writes struct {
	client.Client
	n int
}

func (w *writes) Status() client.SubResourceWriter { return subresource{w: w} }

type subresource struct {
	client.SubResourceWriter
	w *writes
}

func (s subresource) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	s.w.n++
	return nil
}

func TestASpecificationReadPastTheCacheIsLeftAlone(t *testing.T) {
	cases := map[string]struct {
		generation int64
		wantWrites int
		wantWait   time.Duration
	}{
		"the same specification": {generation: 1, wantWrites: 1},
		"a new specification":    {generation: 2, wantWait: quietAfterSpecChange},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cached := in(v1beta2.StateFailed)
			cached.Generation = 1
			live := cached.DeepCopy()
			live.Generation = tc.generation

			clock := clocktesting.NewFakePassiveClock(start)
			written := &writes{}
			r := &Reconciler{
				Client: written, Live: reader{app: live}, Clock: clock, Metrics: NewMetrics(prometheus.NewRegistry()),
				Config: &configv1alpha1.EnricherConfiguration{}, Extension: &Extension{}, memory: newMemory(clock), outages: newOutages(clock),
			}
			configv1alpha1.SetDefaults(r.Config)
			r.Extension.checked.Store(true)
			r.memory.observeApp(cached)
			r.memory.update(cached, "s-1", func(t *attempt) {
				t.settled = true
				t.record = &status.Record{SubmissionID: "s-1", Failed: true, Diagnostics: failure.Diagnostics{Reason: failure.ReasonUserExit}}
				t.evented = true
			})
			r.memory.change(cached, func(a *application) { a.refusals, a.stateSince = 1, start.Add(-restTime) })

			wait, err := r.publish(t.Context(), cached, nil)
			if err != nil {
				t.Fatal(err)
			}
			if written.n != tc.wantWrites || wait != tc.wantWait {
				t.Errorf("%d writes and a wait of %s, want %d and %s", written.n, wait, tc.wantWrites, tc.wantWait)
			}
		})
	}
}
