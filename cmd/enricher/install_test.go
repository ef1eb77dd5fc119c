package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInputOfCRDAndInstall(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("kind: ConfigMap\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		args []string
		want string
	}{
		"a CRD file that is not there":   {[]string{"crd", "-f", "absent.yaml"}, "open absent.yaml: no such file or directory"},
		"a file without the CRD":         {[]string{"crd", "-f", other}, "no CRD sparkapplications.sparkoperator.k8s.io in the input"},
		"a kubeconfig that is not there": {[]string{"crd", "--kubeconfig", "absent"}, "loading the kubeconfig"},
		"an unknown context":             {[]string{"install", "--kubeconfig", emptyKubeconfig(t), "--context", "c"}, `context "c" does not exist`},
		"an unknown feature":             {[]string{"install", "--with", "all"}, `unknown feature "all"`},
		"a malformed service account":    {[]string{"install", "--service-account", "enricher"}, "namespace/name"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := execute(t, "", tc.args...)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error is %v, want one line with %q", err, tc.want)
			}
			if got := exitCode(err); got != 2 {
				t.Errorf("exit code is %d, want 2", got)
			}
		})
	}
}

func TestCRDReadsStandardInput(t *testing.T) {
	const source = `
kind: CustomResourceDefinition
metadata: {name: sparkapplications.sparkoperator.k8s.io}
spec:
  versions:
  - name: v1beta2
    schema: {openAPIV3Schema: {properties: {status: {properties: {submissionID: {type: string}}}}}}
`
	out, err := execute(t, source, "crd", "-f", "-")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"submissionID:", "diagnostics:", "conditions:", "name: Reason"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%.500s", want, out)
		}
	}
}

func execute(t *testing.T, input string, args ...string) (string, error) {
	t.Helper()
	out := &bytes.Buffer{}
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(input))
	root.SetOut(out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func emptyKubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
