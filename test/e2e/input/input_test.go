// Package input proves what the enricher says to what it cannot work with: one clear line, no crash without a reason,
// no half-done work.
package input

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

func TestInput(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Bad input")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{})
})

const header = "apiVersion: config.spark-status-enricher.io/v1alpha1\nkind: EnricherConfiguration\n"

var _ = Describe("enricher run", Label("input"), func() {
	DescribeTable("refuses a configuration", func(ctx context.Context, text, wanted string) {
		file := filepath.Join(GinkgoT().TempDir(), "config.yaml")
		Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
		code, lines := run(ctx, nil, "run", "--config", file)
		Expect(code).To(Equal(2))
		Expect(lines).To(ConsistOf(And(HavePrefix("enricher: "), ContainSubstring(file), ContainSubstring(wanted))))
	},
		Entry("with an unknown key", header+"annotateByDefualt: true\n", "annotateByDefualt"),
		Entry("that is malformed", header+"workers: [\n", "yaml"),
		Entry("of another kind", "apiVersion: v1\nkind: ConfigMap\n", "ConfigMap"),
		Entry("with a value out of its range", header+"workers: -1\n", "workers"),
	)

	It("refuses a configuration file that is not there", func(ctx context.Context) {
		code, lines := run(ctx, nil, "run", "--config", "/nowhere/config.yaml")
		Expect(code).To(Equal(2))
		Expect(lines).To(ConsistOf(ContainSubstring("/nowhere/config.yaml: no such file or directory")))
	})

	It("says which API server it cannot reach, and exits 1", func(ctx context.Context) {
		kubeconfig := filepath.Join(GinkgoT().TempDir(), "kubeconfig")
		Expect(os.WriteFile(kubeconfig, []byte(`apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
`), 0o600)).To(Succeed())
		code, lines := run(ctx, []string{"KUBECONFIG=" + kubeconfig}, "run")
		Expect(code).To(Equal(1))
		var errs []string
		for _, line := range lines {
			if strings.HasPrefix(line, "enricher: ") {
				errs = append(errs, line)
			}
		}
		Expect(errs).To(ConsistOf(And(ContainSubstring("127.0.0.1:1"), ContainSubstring("connection refused"))))
	})
})

var _ = Describe("An enricher without the right to read logs", Label("input"), func() {
	It("says so in one line, goes on, and makes the most of what it sees", func(ctx context.Context) {
		bed.Without(ctx, "pods/log")
		enricher, err := bed.StartEnricher(ctx, cluster.EnricherOptions{Name: "no-logs"})
		Expect(err).NotTo(HaveOccurred())
		namespace := bed.Namespace(ctx)
		for _, name := range []string{"one", "two"} {
			app := bed.Submit(ctx, build.App(namespace, name).Annotating("true"), script.Once(
				script.Running(), script.Log("Exception in thread \"main\" java.lang.Error: x\n\tat A.main(A.java:1)\n"), script.Exit(3)))
			Eventually(func(g Gomega) {
				status := app.Get(ctx).Status
				g.Expect(status.ApplicationState.State).To(Equal(v1beta2.StateFailed))
				g.Expect(status.Diagnostics).NotTo(BeNil())
				g.Expect(status.Diagnostics.ExitCode).To(HaveValue(BeEquivalentTo(3)))
				g.Expect(status.Diagnostics.Source).To(Equal(failure.SourceContainerStatus))
			}).Should(Succeed())
		}
		told := 0
		for line := range strings.Lines(enricher.Log()) {
			if strings.Contains(line, "pods/log") {
				told++
			}
		}
		Expect(told).To(BeNumerically(">=", 1))
		Expect(enricher.Done()).NotTo(BeClosed())

		Eventually(func(g Gomega) {
			requests, err := bed.Audit()
			g.Expect(err).NotTo(HaveOccurred())
			writes := requests.Where(audit.By(cluster.EnricherUser), audit.In(namespace), audit.Writes, audit.Succeeded)
			g.Expect(writes.Where(audit.On("sparkapplications/status"))).To(HaveLen(2), writes.String())
			g.Expect(writes.Where(audit.On("events"))).To(HaveLen(2), writes.String())
		}).Should(Succeed())
	})
})

// run runs the enricher and gives its exit code and the lines of its standard error.
func run(ctx context.Context, env []string, args ...string) (int, []string) {
	GinkgoHelper()
	command := exec.CommandContext(ctx, filepath.Join(cluster.Bin(bed.Root), "enricher"), args...)
	command.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	command.Stderr = &errs
	err := command.Run()
	var exit *exec.ExitError
	Expect(errors.As(err, &exit)).To(BeTrue(), "the command must fail, got: %v", err)
	return exit.ExitCode(), strings.Split(strings.TrimSpace(errs.String()), "\n")
}
