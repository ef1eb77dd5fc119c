package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

// policySettle is how long API servers can take to notice that a policy was deleted.
const policySettle = 2 * time.Second

type installFlags struct {
	cluster        clusterFlags
	dryRun         bool
	check          bool
	remove         bool
	webhook        bool
	with           []string
	namespaces     []string
	serviceAccount string
}

func newInstallCommand() *cobra.Command {
	flags := installFlags{}
	command := &cobra.Command{
		Use:   "install",
		Short: "Extend the SparkApplication CRD of a cluster and apply the admission policies",
		Long: `Adds the enricher's status fields and columns to the SparkApplication CRD and applies the admission policies that keep
them. It may be repeated, and is to be repeated after an upgrade of the spark-operator, which takes the fields away.`,
		Example: `  enricher install --dry-run
  enricher install --with finalizer --namespaces spark-jobs
  enricher install --webhook                   # Kubernetes before 1.36
  enricher install --check
  enricher install --remove --with finalizer   # frees every driver pod that the finalizer holds
  enricher install --remove`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return flags.run(command) },
	}
	flags.cluster.add(command.Flags())
	command.Flags().BoolVar(&flags.dryRun, "dry-run", false, "have the API server check every change and make none")
	command.Flags().BoolVar(&flags.check, "check", false, "only tell what is missing; exit 1 if anything is")
	command.Flags().BoolVar(&flags.remove, "remove", false, "take away what install added, or with --with only that")
	command.Flags().BoolVar(&flags.webhook, "webhook", false,
		"have the enricher's webhook stand in for mutating policies (Kubernetes < 1.36); config/webhook serves it")
	command.Flags().StringSliceVar(&flags.with, "with", nil, "policies that are off by default: finalizer, termination-message")
	command.Flags().StringSliceVar(&flags.namespaces, "namespaces", nil, "namespaces that the policies of --with apply to (default all)")
	command.Flags().StringVar(&flags.serviceAccount, "service-account", "",
		"the enricher's service account as namespace/name, which the fence surrounds (default the one that the enricher's\n"+
			"ClusterRole is bound to, or "+install.DefaultServiceAccount.String()+")")
	command.MarkFlagsMutuallyExclusive("check", "remove")
	command.MarkFlagsMutuallyExclusive("check", "dry-run")
	return command
}

func (f *installFlags) run(command *cobra.Command) error {
	options, err := f.options()
	if err != nil {
		return badInput{err}
	}
	kube, err := newInstallClient(&f.cluster)
	if err != nil {
		return err
	}
	installer := install.Installer{Client: kube, Out: command.OutOrStdout(), Options: options}
	switch {
	case f.check:
		return installer.Check(command.Context())
	case f.remove:
		return installer.Remove(command.Context())
	default:
		return installer.Install(command.Context())
	}
}

func (f *installFlags) options() (install.Options, error) {
	options := install.Options{DryRun: f.dryRun, Webhook: f.webhook, Namespaces: f.namespaces, Settle: policySettle}
	for _, name := range f.with {
		feature, err := install.ParseFeature(name)
		if err != nil {
			return options, err
		}
		options.Features = append(options.Features, feature)
	}
	if f.serviceAccount == "" {
		return options, nil
	}
	namespace, name, found := strings.Cut(f.serviceAccount, "/")
	if !found || namespace == "" || name == "" || strings.Contains(name, "/") {
		return options, errors.New("--service-account wants namespace/name")
	}
	options.ServiceAccount = types.NamespacedName{Namespace: namespace, Name: name}
	return options, nil
}

func newInstallClient(cluster *clusterFlags) (client.Client, error) {
	config, err := cluster.restConfig()
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := install.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("preparing the client: %w", err)
	}
	kube, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return kube, nil
}
