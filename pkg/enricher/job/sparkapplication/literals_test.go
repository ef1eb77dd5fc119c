package sparkapplication

import (
	"testing"

	"sigs.k8s.io/yaml"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/job"
)

func TestLiteralsComeFromTheWholeSpecification(t *testing.T) {
	const manifest = `
spec:
  sparkConf: {a: v1}
  hadoopConf: {b: v2}
  arguments: [--c, v3, --d=v4]
  driver:
    env: [{name: e, value: v5}, {name: elsewhere, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
    envVars: {f: v6}
    javaOptions: -Dg=v7
    initContainers: [{name: x, env: [{name: h, value: v8}]}]
    sidecars: [{name: x, args: [--i, v9]}]
  executor:
    env: [{name: j, value: v10}]
    template: {spec: {containers: [{name: x, command: [sh, --k, v11]}], initContainers: [{name: x, env: [{name: l, value: v12}]}]}}
`
	app := &v1beta2.SparkApplication{}
	if err := yaml.Unmarshal([]byte(manifest), app); err != nil {
		t.Fatal(err)
	}
	got := map[job.Literal]bool{}
	for _, l := range Job(app).Literals {
		got[l] = true
	}
	for name, v := range map[string]string{
		"a": "v1", "b": "v2", "--c": "v3", "--d": "v4", "e": "v5", "f": "v6", "": "-Dg=v7", "h": "v8", "--i": "v9", "j": "v10",
		"--k": "v11", "l": "v12",
	} {
		if !got[job.Literal{Name: name, Value: v}] {
			t.Errorf("no %s=%s", name, v)
		}
	}
	if len(got) != 15 { // the three command lines besides
		t.Errorf("%d literals: %v", len(got), got)
	}
}
