package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const operatorModule = "github.com/kubeflow/spark-operator/v2"

// Root is the repository's root: the nearest folder above the working directory with a bin-building hack folder.
func Root() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "hack", "controlplane", "build.sh")); err == nil {
			return directory, nil
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			return "", errors.New("finding the repository: no folder above has hack/controlplane")
		}
		directory = parent
	}
}

// Bin is the folder of the built binaries.
func Bin(root string) string { return filepath.Join(root, "bin") }

// controlPlaneBin is where kube-apiserver, etcd and kubectl are: KUBEBUILDER_ASSETS or bin/.
func controlPlaneBin(root string) string {
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		return assets
	}
	return Bin(root)
}

// missing names the binaries that are not built.
func missing(root string) error {
	var absent []string
	for _, file := range []string{
		filepath.Join(controlPlaneBin(root), "kube-apiserver"), filepath.Join(controlPlaneBin(root), "etcd"),
		filepath.Join(controlPlaneBin(root), "kubectl"), filepath.Join(Bin(root), "spark-operator"),
	} {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, file)
		}
	}
	if len(absent) > 0 {
		return fmt.Errorf("not built: %s; run hack/controlplane/build.sh", strings.Join(absent, ", "))
	}
	return nil
}

// Programs that Build compiles, by their names in bin/.
const (
	ProgramEnricher    = "enricher"
	ProgramSparkSubmit = "spark-submit"
)

var sources = map[string]string{
	ProgramEnricher:    "./cmd/enricher",
	ProgramSparkSubmit: "./test/testbed/sparksubmit/spark-submit",
}

// Build compiles programs of this repository into bin/.
func Build(ctx context.Context, root string, programs ...string) error {
	for _, name := range programs {
		command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(Bin(root), name), sources[name])
		command.Dir = root
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// operatorCRDs is the folder of the operator's CRDs in the module cache.
func operatorCRDs(ctx context.Context, root string) (string, error) {
	command := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", operatorModule)
	command.Dir = filepath.Join(root, "hack", "controlplane", "operator")
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("finding module %s: %w", operatorModule, err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "config", "crd", "bases"), nil
}
