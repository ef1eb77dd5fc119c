// Command spark-submit stands in for Apache Spark's in the test bed. It takes the options that the spark-operator
// passes and creates the driver pod with the cluster access of KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/spark-status-enricher/enricher/test/testbed/sparksubmit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "Exception in thread \"main\" %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	submission, err := sparksubmit.Parse(args)
	if err != nil {
		return fmt.Errorf("org.apache.spark.SparkException: %w", err)
	}
	if err := startJVM(ctx); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv(clientcmd.RecommendedConfigPathEnvVar))
	if err != nil {
		return fmt.Errorf("org.apache.spark.SparkException: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("org.apache.spark.SparkException: %w", err)
	}
	return submission.Submit(ctx, client)
}

// startJVM takes as long as SPARK_SUBMIT_DELAY says: a real spark-submit needs seconds before it creates the pod.
func startJVM(ctx context.Context) error {
	text := os.Getenv(sparksubmit.EnvDelay)
	if text == "" {
		return nil
	}
	delay, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%s: %w", sparksubmit.EnvDelay, err)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(delay):
		return nil
	}
}
