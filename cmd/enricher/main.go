// Command enricher explains why Spark applications failed: as a controller that runs next to the spark-operator, and as a
// command-line tool.
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

// exitCode returns 2 for invalid input, and 1 for all other errors.
func exitCode(err error) int {
	if isBadInput(err) {
		return 2
	}
	return 1
}
