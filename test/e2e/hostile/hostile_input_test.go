package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const (
	frames = "\tat com.example.jobs.Daily$.main(Daily.scala:23)\n"
	crash  = "Exception in thread \"main\" java.lang.IllegalStateException: order 4711 has no customer\n" + frames
	// patience is what the diagnosis of the worst input may take from the driver's end to the status.
	patience = 30 * time.Second
)

var _ = Describe("The enricher", Label("hostile"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) { namespace = bed.Namespace(ctx) })
	AfterEach(func(ctx context.Context) {
		Expect(bed.Enricher.Done()).NotTo(BeClosed())
		Expect(residentMiB(ctx)).To(BeNumerically("<", maxResident))
	})

	DescribeTable("explains a driver within limits", func(ctx context.Context, wanted failure.Reason, steps ...script.Step) {
		steps = append([]script.Step{script.Running()}, append(steps, script.Exit(1))...)
		app := bed.Submit(ctx, build.App(namespace, "large").Annotating("true"), script.Once(steps...))
		app.Reaches(ctx, v1beta2.StateFailed)
		began := time.Now()
		d := diagnosed(ctx, app)
		Expect(time.Since(began)).To(BeNumerically("<", patience))
		Expect(d.Reason).To(Equal(wanted))
		expectWithinLimits(d)
	},
		// Their frames are cut off with the rest, and so nothing proves who threw.
		Entry("with an annotation of 200 KiB", failure.ReasonUnclassifiedError, script.Annotate(
			"java.lang.IllegalStateException: "+strings.Repeat("order ", 20_000)+"\n"+strings.Repeat(frames, 1500))),
		Entry("with an annotation of one line of 200 KiB", failure.ReasonUnclassifiedError, script.Annotate(
			"java.lang.IllegalStateException: "+strings.Repeat("x", 200<<10))),
		Entry("with a log of one line of 10 MB before the exception", failure.ReasonUserCodeError,
			script.Log(strings.Repeat("INFO ", 2_000_000)+"\n"+crash)),
		Entry("with a log of one line of 10 MB that is the exception's message", failure.ReasonUserCodeError,
			script.Log("Exception in thread \"main\" java.lang.IllegalStateException: "+strings.Repeat("row ", 2_500_000)+"\n"+frames)),
		Entry("with a log of 200,000 exceptions", failure.ReasonUserCodeError, script.Log(strings.Repeat(crash, 200_000))),
		Entry("with a chain of 5,000 causes", failure.ReasonUserCodeError,
			script.Log(crash+strings.Repeat("Caused by: java.lang.IllegalStateException: deeper\n"+frames, 5000))),
		Entry("with a log of ten thousand bytes that are no text", failure.ReasonUserCodeError,
			script.Log(strings.Repeat("\xff\xfe\x00\x1b", 2500)+"\n"+crash)),
	)

	DescribeTable("fails closed on a redaction pattern", func(ctx context.Context, pattern string) {
		evil := strings.Repeat("a", 60_000) + "!"
		app := bed.Submit(ctx, build.App(namespace, "pattern").Conf("spark.redaction.string.regex", pattern), script.Once(script.Running(),
			script.Log("Exception in thread \"main\" java.lang.IllegalStateException: "+evil+"\n"+frames), script.Exit(1)))
		app.Reaches(ctx, v1beta2.StateFailed)
		began := time.Now()
		d := diagnosed(ctx, app)
		Expect(time.Since(began)).To(BeNumerically("<", patience))
		Expect(d.Reason).To(Equal(failure.ReasonUserCodeError))
		text, err := json.Marshal(d)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).NotTo(ContainSubstring("aaaaaaaa"))
	},
		Entry("built to explode", `(a+)+$`),
		Entry("built to explode with alternatives", `(a|aa)+$`),
		Entry("built to explode with a back reference", `(a+)+\1{30}$`),
		Entry("that does not compile", `(a`),
	)

	It("writes nothing that breaks a terminal", func(ctx context.Context) {
		evil := "\x1b[2J\x1b]0;owned\x07 \u202egnol\u202c \u2066iso\u2069 a\u0000b \u200bzero\ufeff \u2028line\r\x08\x7f\u009b31m end"
		app := bed.Submit(ctx, build.App(namespace, "terminal").Annotating("true"), script.Once(script.Running(),
			script.Log("Exception in thread \"main\" java.lang.IllegalStateException: "+evil+"\n"+frames), script.Exit(1)))
		app.Reaches(ctx, v1beta2.StateFailed)
		diagnosed(ctx, app)
		Eventually(func() (string, error) { return bed.Kubectl(ctx, "get", "events", "-n", namespace) }).Should(ContainSubstring("UserCodeError"))
		for _, args := range [][]string{
			{"get", "sparkapp", "-n", namespace, "terminal", "-o", "json"},
			{"get", "events.v1.events.k8s.io", "-n", namespace, "-o", "json"},
		} {
			out, err := bed.Kubectl(ctx, args...)
			Expect(err).NotTo(HaveOccurred())
			var object any
			Expect(json.Unmarshal([]byte(out), &object)).To(Succeed())
			expectPlain(args[1], object)
		}
	})

	It("stays at rest while an application is changed as fast as the API server allows, and serves the others", func(ctx context.Context) {
		app := bed.Submit(ctx, build.App(namespace, "hammered"), script.Once(script.Running(), script.Log(crash), script.Exit(1)))
		app.Reaches(ctx, v1beta2.StateFailed)
		diagnosed(ctx, app)
		before := writesTo(namespace, "hammered")
		cpu := metric(ctx, "process_cpu_seconds_total")
		changes, stop := hammer(ctx, namespace, "hammered")
		other := bed.Submit(ctx, build.App(namespace, "meanwhile"), script.Once(script.Running(), script.Exit(3)))
		other.Reaches(ctx, v1beta2.StateFailed)
		began := time.Now()
		diagnosed(ctx, other)
		Expect(time.Since(began)).To(BeNumerically("<", patience))
		stop()
		AddReportEntry("changes made", changes())
		AddReportEntry("CPU seconds of the enricher", metric(ctx, "process_cpu_seconds_total")-cpu)
		Expect(changes()).To(BeNumerically(">", 500))
		Expect(writesTo(namespace, "hammered")).To(Equal(before))
	})
})

// hammerFor is how long one application is changed at full speed.
const hammerFor = 60 * time.Second

// hammer changes a label of an application from several clients for a minute; stop waits for the end of that minute.
func hammer(ctx context.Context, namespace, name string) (changes func() int, stop func()) {
	GinkgoHelper()
	const clients = 4
	counts, done := make(chan int, clients), make(chan struct{})
	total := 0
	for c := range clients {
		go func() {
			defer GinkgoRecover()
			n := 0
			for began := time.Now(); time.Since(began) < hammerFor; n++ {
				patch := fmt.Appendf(nil, `{"metadata":{"labels":{"touched":"%d-%d"}}}`, c, n)
				Expect(bed.Client.Patch(ctx, build.App(namespace, name).Object(), client.RawPatch(types.MergePatchType, patch))).To(Succeed())
			}
			counts <- n
		}()
	}
	go func() {
		for range clients {
			total += <-counts
		}
		close(done)
	}()
	return func() int { return total }, func() { Eventually(done, "90s").Should(BeClosed()) }
}

// writesTo counts what the enricher wrote to one application.
func writesTo(namespace, name string) int {
	GinkgoHelper()
	requests, err := bed.Audit()
	Expect(err).NotTo(HaveOccurred())
	named := func(r audit.Request) bool { return r.Name == name }
	return len(requests.Where(audit.By(cluster.EnricherUser), audit.In(namespace), audit.Writes, named))
}

// expectWithinLimits checks the limits that the API documents.
func expectWithinLimits(d *failure.Diagnostics) {
	GinkgoHelper()
	Expect(len(d.Message)).To(BeNumerically("<=", 1024))
	Expect(len(d.Hint)).To(BeNumerically("<=", 512))
	if d.Exception == nil {
		return
	}
	Expect(len(d.Exception.StackTrace)).To(BeNumerically("<=", 40))
	total := 0
	for _, line := range d.Exception.StackTrace {
		total += len(line) + 1
	}
	Expect(total).To(BeNumerically("<=", 8<<10+len(d.Exception.StackTrace)))
}

// expectPlain goes through every string of a status or an event of the enricher's.
func expectPlain(where string, value any) {
	GinkgoHelper()
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			expectPlain(where+"."+key, inner)
		}
	case []any:
		for i, inner := range v {
			expectPlain(fmt.Sprintf("%s[%d]", where, i), inner)
		}
	case string:
		for _, r := range v {
			breaks := unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
			Expect(breaks).To(BeFalse(), "%s holds %U: %q", where, r, v)
		}
	}
}
