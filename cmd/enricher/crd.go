package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/install"
)

func newCRDCommand() *cobra.Command {
	var file string
	cluster := clusterFlags{}
	command := &cobra.Command{
		Use:   "crd",
		Short: "Print the SparkApplication CRD with the enricher's status fields merged in",
		Example: `  enricher crd -f crds/sparkoperator.k8s.io_sparkapplications.yaml
  enricher crd | kubectl apply --server-side --force-conflicts -f -`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			source, err := readCRD(command, file, &cluster)
			if err != nil {
				return err
			}
			merged, err := install.MergeCRD(source)
			if err != nil {
				return badInput{err}
			}
			_, err = command.OutOrStdout().Write(merged)
			return err
		},
	}
	command.Flags().StringVarP(&file, "filename", "f", "", "file of the CRD in YAML or JSON, - for standard input (default: that of the cluster)")
	cluster.add(command.Flags())
	return command
}

func readCRD(command *cobra.Command, file string, cluster *clusterFlags) ([]byte, error) {
	switch file {
	case "":
		return liveCRD(command.Context(), cluster)
	case "-":
		data, err := io.ReadAll(command.InOrStdin())
		if err != nil {
			return nil, badInput{fmt.Errorf("reading the CRD from standard input: %w", err)}
		}
		return data, nil
	default:
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, badInput{fmt.Errorf("reading the CRD: %w", err)}
		}
		return data, nil
	}
}

func liveCRD(ctx context.Context, cluster *clusterFlags) ([]byte, error) {
	kube, err := newInstallClient(cluster)
	if err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := kube.Get(ctx, client.ObjectKey{Name: v1beta2.CRDName}, crd); err != nil {
		return nil, fmt.Errorf("reading the CRD %s: %w", v1beta2.CRDName, err)
	}
	return install.Manifest(crd)
}
