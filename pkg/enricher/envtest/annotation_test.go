package envtest

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/annotation"
)

const trace = "java.lang.IllegalStateException: no luck\n\tat Main.main(Main.java:3)\n"

var _ = Describe("The annotation writer", func() {
	DescribeTable("annotates a pod that has none", func(ctx SpecContext, present map[string]string) {
		pod := create(ctx, present)
		got, err := annotation.Write(ctx, clientset, pod, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.AnnotatedByEnricher))
		want := map[string]string{
			spark.AnnotationExitException: trace, v1beta2.AnnotationExitExceptionSource: "DriverLog",
		}
		for key, value := range present {
			want[key] = value
		}
		Expect(read(ctx, pod).Annotations).To(Equal(want))
	},
		Entry("without an annotations map", nil),
		Entry("with other annotations", map[string]string{"team/owner": "data"}),
	)

	It("annotates a pod with one patch of whose annotations the cache keeps none", func(ctx SpecContext) {
		pod := create(ctx, map[string]string{"team/owner": "data"})
		cached := pod.DeepCopy()
		cached.Annotations = map[string]string{}
		requests := 0
		counted := rest.CopyConfig(environment.Config)
		counted.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(request *http.Request) (*http.Response, error) {
				requests++
				return next.RoundTrip(request)
			})
		})
		got, err := annotation.Write(ctx, kubernetes.NewForConfigOrDie(counted), cached, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.AnnotatedByEnricher))
		Expect(read(ctx, pod).Annotations).To(HaveLen(3))
		Expect(requests).To(Equal(1))
	})

	It("says what annotations that the cache does not keep leave no room for", func(ctx SpecContext) {
		pod := create(ctx, map[string]string{"team/owner": strings.Repeat("x", 256<<10-len("team/owner"))})
		cached := pod.DeepCopy()
		cached.Annotations = map[string]string{}
		got, err := annotation.Write(ctx, clientset, cached, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.NotAnnotatedWriteRefused))
		Expect(got.Message).To(ContainSubstring("more than 262144"))
	})

	It("leaves the driver's own annotation alone, usable or not", func(ctx SpecContext) {
		pod := create(ctx, map[string]string{spark.AnnotationExitException: ""})
		got, err := annotation.Write(ctx, clientset, pod, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.AnnotatedByDriver))
		Expect(read(ctx, pod).ResourceVersion).To(Equal(pod.ResourceVersion))
	})

	DescribeTable("lets a late driver win", func(ctx SpecContext, present map[string]string) {
		seen := create(ctx, present)
		late := seen.DeepCopy()
		metav1.SetMetaDataAnnotation(&late.ObjectMeta, spark.AnnotationExitException, "the driver's")
		_, err := clientset.CoreV1().Pods(namespace).Update(ctx, late, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())

		got, err := annotation.Write(ctx, clientset, seen, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.AnnotatedByDriver))
		Expect(read(ctx, seen).Annotations).To(HaveKeyWithValue(spark.AnnotationExitException, "the driver's"))
		Expect(read(ctx, seen).Annotations).NotTo(HaveKey(v1beta2.AnnotationExitExceptionSource))
	},
		Entry("without an annotations map", nil),
		Entry("with other annotations", map[string]string{"team/owner": "data"}),
	)

	It("writes after the map came into being meanwhile", func(ctx SpecContext) {
		seen := create(ctx, nil)
		other := seen.DeepCopy()
		metav1.SetMetaDataAnnotation(&other.ObjectMeta, "team/owner", "data")
		_, err := clientset.CoreV1().Pods(namespace).Update(ctx, other, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())

		got, err := annotation.Write(ctx, clientset, seen, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.AnnotatedByEnricher))
		Expect(read(ctx, seen).Annotations).To(HaveKeyWithValue("team/owner", "data"))
	})

	It("does not touch the next attempt's pod of the same name", func(ctx SpecContext) {
		old := create(ctx, nil)
		now := metav1.NewDeleteOptions(0)
		Expect(clientset.CoreV1().Pods(namespace).Delete(ctx, old.Name, *now)).To(Succeed())
		next := old.DeepCopy()
		next.ObjectMeta = metav1.ObjectMeta{Name: old.Name, Namespace: namespace}
		_, err := clientset.CoreV1().Pods(namespace).Create(ctx, next, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())

		got, err := annotation.Write(ctx, clientset, old, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.NotAnnotatedWriteRefused))
		Expect(read(ctx, old).Annotations).To(BeEmpty())
	})

	It("says so when the pod is gone", func(ctx SpecContext) {
		pod := create(ctx, nil)
		now := metav1.NewDeleteOptions(0)
		Expect(clientset.CoreV1().Pods(namespace).Delete(ctx, pod.Name, *now)).To(Succeed())
		got, err := annotation.Write(ctx, clientset, pod, trace, failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Message).To(Equal("The driver pod is gone"))
	})

	It("keeps within the API server's limit of annotations", func(ctx SpecContext) {
		pod := create(ctx, map[string]string{"big": strings.Repeat("x", 200<<10)})
		got, err := annotation.Write(ctx, clientset, pod, strings.Repeat("y", 60<<10), failure.SourceDriverLog)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.Reason).To(Equal(v1beta2.NotAnnotatedWriteRefused))
		Expect(read(ctx, pod).ResourceVersion).To(Equal(pod.ResourceVersion))
	})
})

func create(ctx SpecContext, annotations map[string]string) *corev1.Pod {
	GinkgoHelper()
	pod, err := clientset.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "driver-", Annotations: annotations},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: spark.DriverContainer, Image: "spark"}}},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	return pod
}

func read(ctx SpecContext, pod *corev1.Pod) *corev1.Pod {
	GinkgoHelper()
	now, err := clientset.CoreV1().Pods(namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	return now
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
