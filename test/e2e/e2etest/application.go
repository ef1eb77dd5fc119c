package e2etest

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// App is an application in the cluster.
type App struct {
	bed *Bed
	types.NamespacedName
}

// Submit creates an application that plays a script.
func (b *Bed) Submit(ctx context.Context, application *build.Application, s script.Script) App {
	GinkgoHelper()
	object := application.Object()
	name := object.Namespace + "/" + object.Name
	b.Library.Add(name, s)
	object.Spec.Driver.Annotations[script.Annotation] = name
	Expect(b.Client.Create(ctx, object)).To(Succeed())
	return App{bed: b, NamespacedName: types.NamespacedName{Namespace: object.Namespace, Name: object.Name}}
}

// Get reads the application.
func (a App) Get(ctx context.Context) *v1beta2.SparkApplication {
	GinkgoHelper()
	app := &v1beta2.SparkApplication{}
	Expect(a.bed.Enriched.Get(ctx, a.NamespacedName, app)).To(Succeed())
	return app
}

// State is applicationState.state.
func (a App) State(ctx context.Context) v1beta2.State {
	return a.Get(ctx).Status.ApplicationState.State
}

// Reaches waits until the application is in a state.
func (a App) Reaches(ctx context.Context, state v1beta2.State) *v1beta2.SparkApplication {
	GinkgoHelper()
	Eventually(a.State).WithContext(ctx).Should(Equal(state))
	return a.Get(ctx)
}

// Driver reads the driver pod.
func (a App) Driver(ctx context.Context) *corev1.Pod {
	GinkgoHelper()
	pod := &corev1.Pod{}
	Expect(a.bed.Client.Get(ctx, types.NamespacedName{Namespace: a.Namespace, Name: a.Name + "-driver"}, pod)).To(Succeed())
	return pod
}

// Open opens a gate that the application's script holds at.
func (a App) Open(gate string) { a.bed.Player.Open(a.Namespace, a.Name, gate) }
