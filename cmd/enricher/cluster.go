package main

import (
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// clusterFlags select the cluster, by the same rules as kubectl.
type clusterFlags struct {
	kubeconfig, context string
}

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the pod's own account)")
	flags.StringVar(&f.context, "context", "", "context of the kubeconfig file")
}

func (f *clusterFlags) clientConfig() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: f.context})
}

// restConfig disables client-side throttling: the API server's priority and fairness does it.
func (f *clusterFlags) restConfig() (*rest.Config, error) {
	config, err := f.clientConfig().ClientConfig()
	if err != nil {
		return nil, badInput{fmt.Errorf("loading the kubeconfig: %w", err)}
	}
	config.QPS = -1
	return config, nil
}
