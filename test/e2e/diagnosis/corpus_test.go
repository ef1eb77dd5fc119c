package diagnosis

import (
	"context"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
)

// The engine's own tests judge every case offline; here the same cases pass through the operator, the API server and
// the kubelet API.
var _ = Describe("The cases of the corpus", Label("corpus"), func() {
	It("are diagnosed in the cluster as they are offline", func(ctx context.Context) {
		namespace := bed.Namespace(ctx)
		wanted := map[string]string{}
		for _, name := range playable() {
			wanted[name] = expectedOf(name)
			Expect(bed.Client.Create(ctx, build.App(namespace, "case-"+name).Plays("case/"+name).Object())).To(Succeed())
		}
		Expect(len(wanted)).To(BeNumerically(">", 50))
		Eventually(func() map[string]string {
			got := map[string]string{}
			for name := range wanted {
				got[name] = saidOf(ctx, namespace, "case-"+name)
			}
			return got
		}).WithTimeout(4 * time.Minute).WithPolling(2 * time.Second).Should(Equal(wanted))
	})
})

// playable names the cases that a pod can play: those of failed submissions have no pod.
func playable() []string {
	GinkgoHelper()
	pods, err := filepath.Glob(filepath.Join(corpus, "*", "pod.yaml"))
	Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, pod := range pods {
		names = append(names, filepath.Base(filepath.Dir(pod)))
	}
	return names
}

func expectedOf(name string) string {
	GinkgoHelper()
	data, err := os.ReadFile(filepath.Join(corpus, name, "expected.yaml"))
	Expect(err).NotTo(HaveOccurred())
	var expected struct{ Reason, Source string }
	Expect(yaml.Unmarshal(data, &expected)).To(Succeed())
	return expected.Reason + " from " + expected.Source
}

func saidOf(ctx context.Context, namespace, name string) string {
	GinkgoHelper()
	app := &v1beta2.SparkApplication{}
	Expect(bed.Enriched.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, app)).To(Succeed())
	if app.Status.Diagnostics == nil {
		return ""
	}
	return string(app.Status.Diagnostics.Reason) + " from " + string(app.Status.Diagnostics.Source)
}
