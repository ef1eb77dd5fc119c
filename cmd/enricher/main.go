// Command enricher explains failed Spark applications: as a controller beside the spark-operator, and offline.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if err := newRootCommand().ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "enricher:", err)
		os.Exit(exitCode(err))
	}
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "enricher",
		Short:         "Tells why Spark applications on Kubernetes failed, and who has to act",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newRunCommand(), newDiagnoseCommand(), newCRDCommand(), newInstallCommand())
	return root
}

// exitCode is 2 for input that cannot be read, 1 for everything else.
func exitCode(err error) int {
	if isBadInput(err) {
		return 2
	}
	return 1
}
