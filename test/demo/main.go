// Command demo shows the enricher on a real control plane with the real spark-operator, and drivers that are played.
// It runs until Ctrl-C; with ONCE=1 in the environment it ends by itself, with exit code 1 unless every outcome is the
// expected one.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/test/testbed/cluster"
)

const (
	patience = 3 * time.Minute
	look     = 250 * time.Millisecond
	// pendingGrace is shorter than the default, so that nobody has to wait for the image that cannot be pulled.
	pendingGrace = 5 * time.Second
)

func main() {
	logf.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := demo(ctx, os.Getenv("ONCE") != ""); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func demo(ctx context.Context, once bool) (err error) {
	bed, err := start(ctx)
	if bed != nil {
		defer func() { err = errors.Join(err, bed.Stop()) }()
	}
	if err != nil {
		return err
	}
	namespace, err := bed.Namespace(ctx, "demo")
	if err != nil {
		return err
	}
	unexpected, err := play(ctx, bed, outcomes(namespace))
	if err != nil {
		return err
	}
	if err := show(ctx, bed, namespace); err != nil {
		return err
	}
	if !once {
		fmt.Println("\nThe cluster runs until Ctrl-C.")
		<-ctx.Done()
	}
	return verdict(unexpected)
}

// start brings everything up and tells how long each part took.
func start(ctx context.Context) (*cluster.Cluster, error) {
	var bed *cluster.Cluster
	steps := []struct {
		title string
		do    func() error
	}{
		{"Building what the demo runs", func() error {
			root, err := cluster.Root()
			if err != nil {
				return err
			}
			return cluster.Build(ctx, root, cluster.ProgramSparkSubmit, cluster.ProgramEnricher)
		}},
		{"Starting etcd, kube-apiserver and a node", func() (err error) {
			bed, err = cluster.Start(ctx, cluster.Options{})
			return err
		}},
		{"Starting the spark-operator", func() error {
			_, err := bed.StartOperator(ctx, cluster.OperatorOptions{})
			return err
		}},
		{"Installing the CRD extension, the policies and the rules", func() error { return bed.Install(ctx) }},
		{"Starting the enricher", func() error {
			_, err := bed.StartEnricher(ctx, cluster.EnricherOptions{Configure: func(c *configv1alpha1.EnricherConfiguration) {
				c.PendingGracePeriod = &metav1.Duration{Duration: pendingGrace}
			}})
			return err
		}},
	}
	for _, step := range steps {
		fmt.Printf("%-60s", step.title+" ...")
		begun := time.Now()
		if err := step.do(); err != nil {
			fmt.Println(" failed")
			return bed, err
		}
		fmt.Printf(" %5.1f s\n", time.Since(begun).Seconds())
	}
	return bed, nil
}

// play submits all applications and waits for their outcomes. It returns the titles of those that came out otherwise.
func play(ctx context.Context, bed *cluster.Cluster, all []outcome) ([]string, error) {
	fmt.Printf("\nSubmitting %d applications through the operator\n", len(all))
	for _, o := range all {
		object := o.app.Object()
		bed.Library.Add(object.Name, o.script)
		if err := bed.Client.Create(ctx, object); err != nil {
			return nil, fmt.Errorf("submitting %s: %w", object.Name, err)
		}
	}
	deadline := time.Now().Add(patience)
	done := map[string]bool{}
	for len(done) < len(all) && time.Now().Before(deadline) {
		for _, o := range all {
			seen, err := see(ctx, bed, o)
			if err != nil {
				return nil, err
			}
			if name := o.app.Object().Name; !done[name] && seen == o.wanted {
				done[name] = true
				fmt.Printf("  ok  %-20s %-42s %s\n", name, o.title, seen)
			}
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("interrupted")
		case <-time.After(look):
		}
	}
	return judge(ctx, bed, all)
}

// judge looks once more at every application: an outcome must also last.
func judge(ctx context.Context, bed *cluster.Cluster, all []outcome) ([]string, error) {
	var unexpected []string
	for _, o := range all {
		seen, err := see(ctx, bed, o)
		if err != nil {
			return nil, err
		}
		if seen != o.wanted {
			unexpected = append(unexpected, o.app.Object().Name)
			fmt.Printf("  NOT AS EXPECTED  %s\n    wanted: %s\n    got:    %s\n", o.title, o.wanted, seen)
		}
	}
	return unexpected, nil
}

func see(ctx context.Context, bed *cluster.Cluster, o outcome) (result, error) {
	app := &v1beta2.SparkApplication{}
	if err := bed.Enriched.Get(ctx, client.ObjectKeyFromObject(o.app.Object()), app); err != nil {
		return result{}, fmt.Errorf("reading %s: %w", o.app.Object().Name, err)
	}
	return observe(app), nil
}

func verdict(unexpected []string) error {
	if len(unexpected) > 0 {
		return fmt.Errorf("not as expected: %v", unexpected)
	}
	fmt.Println("\nEvery outcome is the expected one.")
	return nil
}

func show(ctx context.Context, bed *cluster.Cluster, namespace string) error {
	for _, args := range [][]string{
		{"get", "sparkapp", "-n", namespace},
		{"describe", "sparkapp", described, "-n", namespace},
	} {
		out, err := bed.Kubectl(ctx, args...)
		if err != nil {
			return err
		}
		fmt.Printf("\n$ kubectl")
		for _, arg := range args {
			fmt.Print(" ", arg)
		}
		fmt.Printf("\n%s", out)
	}
	kubeconfig, err := bed.AdminKubeconfig()
	if err != nil {
		return err
	}
	fmt.Printf("\nThe cluster is at %s. To look around:\n  export KUBECONFIG=%s\n  %s get sparkapp -n %s -o wide\n",
		bed.Config.Host, kubeconfig, bed.KubectlPath(), namespace)
	return nil
}
