package spark_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/audit"
	"github.com/spark-status-enricher/enricher/test/testbed/build"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

const (
	cellTimeout  = 10 * time.Minute
	cellInterval = 250 * time.Millisecond
	scriptName   = "process"
	bystander    = "bystander"
)

// outcome is what a cell came to.
type outcome struct {
	app *v1beta2.SparkApplication
	// pod is the driver's, nil where the submission failed.
	pod *corev1.Pod
	// spark is what Spark wrote into the annotation, as first seen.
	spark string
	log   string
	took  time.Duration
	// podWrites and statusWrites are how often the enricher wrote to the pod and to the application.
	podWrites, statusWrites int
}

// run submits the program, waits until the enricher has told the outcome, and removes the application.
func (b *bed) run(ctx context.Context, c cell) (*outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, cellTimeout)
	defer cancel()
	begin := time.Now()
	object := b.application(c)
	if err := b.Client.Create(ctx, object); err != nil {
		return nil, fmt.Errorf("submitting %s: %w", c, err)
	}
	key := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	o := &outcome{}
	var failed error // of the last look: on a busy machine one may fail, the next will do
	err := wait.PollUntilContextCancel(ctx, cellInterval, true, func(ctx context.Context) (done bool, _ error) {
		done, failed = o.look(ctx, b, key)
		return done, nil
	})
	o.took = time.Since(begin)
	if err != nil {
		return o, fmt.Errorf("waiting for the outcome of %s: %w", c, errors.Join(err, failed))
	}
	if o.pod != nil {
		o.log = b.logOf(ctx, o.pod)
	}
	if err := o.count(b, key); err != nil {
		return o, err
	}
	return o, b.Client.Delete(ctx, object)
}

func (o *outcome) count(b *bed, key types.NamespacedName) error {
	log, err := b.Audit()
	if err != nil {
		return err
	}
	ours := log.Where(audit.By(cluster.EnricherUser), audit.In(key.Namespace), audit.Writes, audit.Succeeded)
	named := func(name string) func(audit.Request) bool {
		return func(r audit.Request) bool { return r.Name == name }
	}
	o.podWrites = len(ours.Where(audit.On("pods"), named(key.Name+"-driver")))
	o.statusWrites = len(ours.Where(audit.On("sparkapplications/status"), named(key.Name)))
	return nil
}

// look reads the application and its pod, and tells whether all has been said.
func (o *outcome) look(ctx context.Context, b *bed, key types.NamespacedName) (bool, error) {
	app := &v1beta2.SparkApplication{}
	if err := b.Enriched.Get(ctx, key, app); err != nil {
		return false, err
	}
	o.app = app
	pod := &corev1.Pod{}
	err := b.Client.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name + "-driver"}, pod)
	switch {
	case err == nil:
		o.pod = pod
	case !apierrors.IsNotFound(err):
		return false, err
	}
	if text := annotation(o.pod); o.spark == "" && text != "" && !byEnricher(o.pod) {
		o.spark = text
	}
	return settled(app), nil
}

// settled is true when nothing more is to come.
func settled(app *v1beta2.SparkApplication) bool {
	switch app.Status.ApplicationState.State {
	case v1beta2.StateCompleted:
		return true
	case v1beta2.StateFailed:
		told := app.Status.Diagnostics != nil && app.Status.Diagnostics.Reason != ""
		annotated := meta.FindStatusCondition(app.Status.Conditions, v1beta2.ConditionExitExceptionAnnotated)
		return told && annotated != nil && annotated.Status != metav1.ConditionUnknown
	default:
		return false
	}
}

func (b *bed) application(c cell) *operatorv1beta2.SparkApplication {
	name := strings.NewReplacer("/", "-", ".", "").Replace(c.String())
	made := build.App(b.namespace, name).Plays(scriptName).
		Conf("spark.kubernetes.driver.master", b.Config.Host). // the cluster has no name service
		Conf("spark.ui.enabled", "false").
		Conf("spark.driver.defaultJavaOptions", quickStart).
		Conf("spark.executor.defaultJavaOptions", quickStart).
		Conf("spark.dynamicAllocation.enabled", "true"). // an executor only where there is work for it
		Conf("spark.dynamicAllocation.shuffleTracking.enabled", "true").
		Conf("spark.dynamicAllocation.maxExecutors", "1").
		Conf("spark.kubernetes.executor.annotation."+script.Annotation, scriptName)
	if c.conf != confUnset {
		made.Annotating(c.conf)
	}
	for key, value := range c.program.SparkConf {
		made.Conf(key, value)
	}
	app := made.Object()
	app.Spec.Image, app.Spec.SparkVersion = new(image(c.version)), c.version
	app.Spec.Executor.Instances = nil
	if c.program.ServiceAccount != "" {
		app.Spec.Driver.ServiceAccount = new(c.program.ServiceAccount)
	}
	if c.program.File != "" {
		app.Spec.Type, app.Spec.MainClass = operatorv1beta2.SparkApplicationTypePython, nil
		app.Spec.MainApplicationFile = new("local:///opt/jobs/" + c.program.File)
		return app
	}
	app.Spec.Type, app.Spec.MainClass = operatorv1beta2.SparkApplicationTypeJava, new("com.example.jobs."+c.program.Class)
	app.Spec.MainApplicationFile = new("local:///opt/jobs/jobs.jar")
	return app
}

func (b *bed) logOf(ctx context.Context, pod *corev1.Pod) string {
	text, err := b.Kube.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func annotation(pod *corev1.Pod) string {
	if pod == nil {
		return ""
	}
	return pod.Annotations[spark.AnnotationExitException]
}

func byEnricher(pod *corev1.Pod) bool {
	return pod != nil && pod.Annotations[v1beta2.AnnotationExitExceptionSource] != ""
}
