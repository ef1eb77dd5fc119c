// Package envtest runs the command line against a real API server.
package envtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
)

const namespace = "default"

// patience is long because the machine may be busy with other work.
const patience = 3 * time.Minute

var (
	environment        *envtest.Environment
	cluster            client.Client
	binary, kubeconfig string
)

func TestCommands(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "The command line on a real API server")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	dir := GinkgoT().TempDir()
	binary, kubeconfig = filepath.Join(dir, "enricher"), filepath.Join(dir, "kubeconfig")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "..").CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))

	environment = &envtest.Environment{
		CRDDirectoryPaths: []string{operatorCRDs(ctx)}, ErrorIfCRDPathMissing: true,
		CRDInstallOptions: envtest.CRDInstallOptions{MaxTime: patience},
	}
	config, err := environment.Start()
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(kubeconfig, environment.KubeConfig, 0o600)).To(Succeed())
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(operatorv1beta2.AddToScheme(scheme)).To(Succeed())
	cluster, err = client.New(config, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
})

var _ = AfterSuite(func() {
	if environment != nil {
		Expect(environment.Stop()).To(Succeed())
	}
})

func operatorCRDs(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubeflow/spark-operator/v2").Output()
	Expect(err).NotTo(HaveOccurred())
	return filepath.Join(strings.TrimSpace(string(out)), "charts", "spark-operator-chart", "crds")
}

// enricher runs the binary and returns what it printed and its exit code.
func enricher(ctx context.Context, args ...string) (stdout, stderr string, code int) {
	command := exec.CommandContext(ctx, binary, append(args, "--kubeconfig", kubeconfig)...)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), complaints.String(), exit.ExitCode()
	}
	Expect(err).NotTo(HaveOccurred())
	return out.String(), complaints.String(), 0
}

// submit creates an application in the state in which the operator leaves it, and its driver pod.
func submit(ctx context.Context, name string, ended corev1.ContainerStateTerminated, annotation string) {
	app := &operatorv1beta2.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: operatorv1beta2.SparkApplicationSpec{
			Type: operatorv1beta2.SparkApplicationTypeScala, SparkVersion: "4.1.4", MainApplicationFile: ptr.To("local:///app.jar"),
			Driver: operatorv1beta2.DriverSpec{SparkPodSpec: operatorv1beta2.SparkPodSpec{Memory: ptr.To("2g")}},
		},
	}
	Expect(cluster.Create(ctx, app)).To(Succeed())
	app.Status = operatorv1beta2.SparkApplicationStatus{
		SubmissionID: "s-1", ExecutionAttempts: 1, DriverInfo: operatorv1beta2.DriverInfo{PodName: name + "-driver"},
		AppState: operatorv1beta2.ApplicationState{State: operatorv1beta2.ApplicationStateFailed},
	}
	Expect(cluster.Status().Update(ctx, app)).To(Succeed())

	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-driver", Namespace: namespace, Labels: map[string]string{
			spark.LabelRole: spark.RoleDriver, v1beta2.LabelLaunchedBy: "true", v1beta2.LabelAppName: name, v1beta2.LabelSubmissionID: "s-1",
		}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: spark.DriverContainer, Image: "spark"}}},
	}
	if annotation != "" {
		pod.Annotations = map[string]string{spark.AnnotationExitException: annotation}
	}
	Expect(cluster.Create(ctx, pod)).To(Succeed())
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: spark.DriverContainer, State: corev1.ContainerState{Terminated: &ended}}}
	Expect(cluster.Status().Update(ctx, pod)).To(Succeed())
}

var _ = Describe("enricher diagnose NAME", func() {
	It("explains a failed application and writes nothing", func(ctx SpecContext) {
		submit(ctx, "told", corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}, "java.lang.IllegalStateException: no input\n\tat a.B.main(B.java:1)")
		app := &operatorv1beta2.SparkApplication{}
		key := client.ObjectKey{Namespace: namespace, Name: "told"}
		Expect(cluster.Get(ctx, key, app)).To(Succeed())
		before := app.ResourceVersion

		out, complaints, code := enricher(ctx, "diagnose", "told", "-n", namespace, "-o", "json")
		Expect(code).To(BeZero(), complaints)
		var found failure.Diagnostics
		Expect(json.Unmarshal([]byte(out), &found)).To(Succeed())
		Expect(found.Reason).To(Equal(failure.ReasonUserCodeError))
		Expect(found.Source).To(Equal(failure.SourceAnnotation))
		Expect(found.SubmissionID).To(Equal("s-1"))
		Expect(found.Driver.PodName).To(Equal("told-driver"))

		Expect(cluster.Get(ctx, key, app)).To(Succeed())
		Expect(app.ResourceVersion).To(Equal(before))
	}, SpecTimeout(patience))

	It("tells the sizes in force after an OOM kill", func(ctx SpecContext) {
		submit(ctx, "big", corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}, "")
		out, complaints, code := enricher(ctx, "diagnose", "big", "-n", namespace)
		Expect(code).To(BeZero(), complaints)
		Expect(out).To(ContainSubstring("DriverOOMKilled"))
		Expect(strings.Join(strings.Fields(out), " ")).To(ContainSubstring("spark.driver.memory 2g"))
	}, SpecTimeout(patience))

	It("ends with 2 and one line where there is no such application", func(ctx SpecContext) {
		out, complaints, code := enricher(ctx, "diagnose", "nobody", "-n", namespace)
		Expect(code).To(Equal(2))
		Expect(out).To(BeEmpty())
		Expect(complaints).To(Equal("enricher: no SparkApplication nobody in namespace default\n"))
	}, SpecTimeout(patience))
})
