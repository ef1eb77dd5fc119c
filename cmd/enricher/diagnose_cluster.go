package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
	"github.com/spark-status-enricher/enricher/pkg/enricher/evidence"
)

// fromCluster reads the application, its driver pod, the log and the executors. It writes nothing.
func (f *diagnoseFlags) fromCluster(
	ctx context.Context, name string, cfg *configv1alpha1.EnricherConfiguration, engine *diagnosis.Engine,
) (inputs, error) {
	var none inputs
	conf, err := parseConf(f.conf)
	if err != nil {
		return none, badInput{err}
	}
	config, err := f.cluster.restConfig()
	if err != nil {
		return none, err
	}
	namespace, err := f.namespaceInUse()
	if err != nil {
		return none, err
	}
	app, err := getApplication(ctx, config, namespace, name)
	if err != nil {
		return none, err
	}
	app = withConf(app, conf)
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return none, fmt.Errorf("making a client: %w", err)
	}
	ev, err := gather(ctx, &evidence.Gatherer{Client: clientset, Limits: cfg.Log}, app, engine)
	return inputs{app: app, evidence: ev}, err
}

func (f *diagnoseFlags) namespaceInUse() (string, error) {
	if f.namespace != "" {
		return f.namespace, nil
	}
	namespace, _, err := f.cluster.clientConfig().Namespace()
	if err != nil {
		return "", badInput{fmt.Errorf("loading the kubeconfig: %w", err)}
	}
	return namespace, nil
}

func getApplication(ctx context.Context, config *rest.Config, namespace, name string) (*v1beta2.SparkApplication, error) {
	scheme := runtime.NewScheme()
	if err := v1beta2.AddToScheme(scheme); err != nil {
		return nil, err
	}
	reader, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	app := &v1beta2.SparkApplication{}
	err = reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, app)
	if apierrors.IsNotFound(err) {
		return nil, badInput{fmt.Errorf("no SparkApplication %s in namespace %s", name, namespace)}
	}
	if err != nil {
		return nil, fmt.Errorf("reading SparkApplication %s/%s: %w", namespace, name, err)
	}
	return app, nil
}

// gather reads what the controller would read, in the same order.
func gather(
	ctx context.Context, g *evidence.Gatherer, app *v1beta2.SparkApplication, engine *diagnosis.Engine,
) (diagnosis.Evidence, error) {
	pod, err := g.FindPod(ctx, app, app.Status.SubmissionID, app.Status.DriverInfo.PodName)
	if err != nil {
		return diagnosis.Evidence{}, err
	}
	ev, err := g.Gather(ctx, app, pod, engine.NeedsLog)
	if err != nil {
		return ev, err
	}
	switch engine.Diagnose(ev).Diagnostics.Reason {
	case failure.ReasonExecutorLost, failure.ReasonExecutorOutOfMemory:
		if ev.Executors, err = g.Executors(ctx, app, app.Status.SubmissionID); err != nil {
			return ev, err
		}
	}
	return ev, nil
}
