// Package spark_test runs programs on real Spark: the real operator's real spark-submit creates the driver pod, which
// runs as a process, and the enricher tells how it ended.
package spark_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/process"
)

const (
	// submitter is the Spark whose spark-submit the operator runs.
	submitter     = "4.1.4"
	driverAccount = "spark"
	// quickStart halves the processor time of a JVM that lives for seconds.
	quickStart = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
)

func TestSpark(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Real Spark")
}

// bed is the cluster with a namespace for Spark.
type bed struct {
	*e2etest.Bed
	namespace string
}

// start brings up the cluster, with images for the given versions of Spark.
func start(ctx context.Context, versions []string, submissions int) *bed {
	GinkgoHelper()
	root, err := cluster.Root()
	Expect(err).NotTo(HaveOccurred())
	cache := filepath.Join(root, ".cache", "spark")
	GinkgoT().Setenv("SPARK_LAUNCHER_OPTS", quickStart)
	GinkgoT().Setenv("SPARK_SUBMIT_OPTS", quickStart)
	b := &bed{Bed: e2etest.Start(ctx, e2etest.Options{
		Enricher: &cluster.EnricherOptions{},
		Operator: cluster.OperatorOptions{
			SparkHome: filepath.Join(cache, submitter),
			Args:      []string{fmt.Sprintf("--controller-threads=%d", submissions)},
		},
	})}
	b.namespace = b.Namespace(ctx)
	b.permit(ctx)
	b.Library.Add(scriptName, b.runner(ctx, cache, versions).Script())
	return b
}

func (b *bed) runner(ctx context.Context, cache string, versions []string) *process.Runner {
	GinkgoHelper()
	images := map[string]process.Image{}
	for _, version := range versions {
		home := filepath.Join(cache, version)
		Expect(filepath.Join(home, "VERSION")).To(BeARegularFile(), "Spark %s is not there; run make spark", version)
		images[image(version)] = process.Image{Home: home, Jobs: home + "-jobs", Env: []string{"SPARK_LAUNCHER_OPTS=" + quickStart}}
	}
	server, err := url.Parse(b.Config.Host)
	Expect(err).NotTo(HaveOccurred())
	folder := GinkgoT().TempDir()
	runner, err := process.New(ctx, b.Kube, process.Options{
		Images: images, APIServer: server.Host, CA: b.Config.CAData, Folder: folder,
	})
	Expect(err).NotTo(HaveOccurred())
	return runner
}

func image(version string) string { return "spark:" + version }

// permit gives drivers the rights that Spark's documentation asks for, and a bystander none.
func (b *bed) permit(ctx context.Context) {
	GinkgoHelper()
	at := metav1.ObjectMeta{Namespace: b.namespace, Name: driverAccount}
	for _, object := range []client.Object{
		&corev1.ServiceAccount{ObjectMeta: at},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: b.namespace, Name: bystander}},
		&rbacv1.Role{ObjectMeta: at, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Verbs: []string{"*"},
			Resources: []string{"pods", "services", "configmaps", "persistentvolumeclaims"},
		}}},
		&rbacv1.RoleBinding{
			ObjectMeta: at,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: driverAccount},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: b.namespace, Name: driverAccount}},
		},
	} {
		Expect(b.Client.Create(ctx, object)).To(Succeed())
	}
}

// setting is an environment variable of the suite: CELLS to run, how many in PARALLEL, the folder to keep OUTPUTS in.
func setting(name string) string { return os.Getenv("SPARK_TEST_" + name) }
