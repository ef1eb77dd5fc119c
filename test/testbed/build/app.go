// Package build makes SparkApplications for tests: each test states only what matters to it.
package build

import (
	"maps"

	operatorv1beta2 "github.com/kubeflow/spark-operator/v2/api/v1beta2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spark-status-enricher/enricher/test/testbed/script"
)

// ConfAnnotate is the conf that asks for the annotation spark.exit-exception.
const ConfAnnotate = "spark.kubernetes.driver.annotateExitException"

// Application builds a SparkApplication.
type Application struct {
	app operatorv1beta2.SparkApplication
}

// App begins an application that never retries, with a Scala program and one executor.
func App(namespace, name string) *Application {
	return &Application{app: operatorv1beta2.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: operatorv1beta2.SparkApplicationSpec{
			Type:                operatorv1beta2.SparkApplicationTypeScala,
			Mode:                operatorv1beta2.DeployModeCluster,
			SparkVersion:        "4.1.0",
			Image:               new("registry.example.internal/spark/jobs:1.4.2"),
			MainClass:           new("com.example.jobs.Daily"),
			MainApplicationFile: new("local:///opt/spark/jars/jobs.jar"),
			RestartPolicy:       operatorv1beta2.RestartPolicy{Type: operatorv1beta2.RestartPolicyNever},
			SparkConf:           map[string]string{},
			Driver: operatorv1beta2.DriverSpec{
				SparkPodSpec: operatorv1beta2.SparkPodSpec{
					Cores: new(int32(1)), Memory: new("512m"), ServiceAccount: new("spark"), Annotations: map[string]string{},
				},
			},
			Executor: operatorv1beta2.ExecutorSpec{
				SparkPodSpec: operatorv1beta2.SparkPodSpec{Cores: new(int32(1)), Memory: new("512m")},
				Instances:    new(int32(1)),
			},
		},
	}}
}

// Python makes the program a PySpark script.
func (b *Application) Python() *Application {
	b.app.Spec.Type = operatorv1beta2.SparkApplicationTypePython
	b.app.Spec.MainClass = nil
	b.app.Spec.MainApplicationFile = new("local:///opt/spark/jobs/daily.py")
	return b
}

// Conf sets a Spark property.
func (b *Application) Conf(key, value string) *Application {
	b.app.Spec.SparkConf[key] = value
	return b
}

// Annotating asks for the annotation spark.exit-exception, with the conf's value as given.
func (b *Application) Annotating(value string) *Application { return b.Conf(ConfAnnotate, value) }

// Plays names the script that the driver pods play.
func (b *Application) Plays(name string) *Application {
	b.app.Spec.Driver.Annotations[script.Annotation] = name
	return b
}

// Retries lets the operator retry failures this many times, at an interval of the given number of seconds times the
// number of attempts made.
func (b *Application) Retries(times int32, intervalSeconds int64) *Application {
	b.app.Spec.RestartPolicy = operatorv1beta2.RestartPolicy{
		Type:                             operatorv1beta2.RestartPolicyOnFailure,
		OnFailureRetries:                 new(times),
		OnFailureRetryInterval:           new(intervalSeconds),
		OnSubmissionFailureRetries:       new(times),
		OnSubmissionFailureRetryInterval: new(intervalSeconds),
	}
	return b
}

// DriverPod names the driver pod.
func (b *Application) DriverPod(name string) *Application {
	b.app.Spec.Driver.PodName = new(name)
	return b
}

// Template gives the driver a pod template.
func (b *Application) Template(template corev1.PodTemplateSpec) *Application {
	b.app.Spec.Driver.Template = &template
	return b
}

// Labels adds labels to the application.
func (b *Application) Labels(labels map[string]string) *Application {
	if b.app.Labels == nil {
		b.app.Labels = map[string]string{}
	}
	maps.Copy(b.app.Labels, labels)
	return b
}

// Suspended creates the application suspended.
func (b *Application) Suspended() *Application {
	b.app.Spec.Suspend = new(true)
	return b
}

// Object is the application.
func (b *Application) Object() *operatorv1beta2.SparkApplication { return b.app.DeepCopy() }
