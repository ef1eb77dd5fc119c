package sparksubmit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var cluster = []string{"--master", "k8s://https://127.0.0.1:6443", "--deploy-mode", "cluster", "--name", "daily"}

func with(args ...string) []string { return append(append([]string(nil), cluster...), args...) }

func TestParse(t *testing.T) {
	cases := map[string]struct {
		args    []string
		want    Submission
		wantErr string
	}{
		"class, resource and arguments": {
			args: with("--class", "a.Main", "local:///a.jar", "--in", "x"),
			want: Submission{
				Master: "k8s://https://127.0.0.1:6443", DeployMode: "cluster", Name: "daily", MainClass: "a.Main",
				Resource: "local:///a.jar", Args: []string{"--in", "x"}, Conf: map[string]string{},
			},
		},
		"a conf's value may hold equals signs": {
			args: with("--conf", "spark.driver.extraJavaOptions=-Da=b", "--jars", "x.jar", "a.py"),
			want: Submission{
				Master: "k8s://https://127.0.0.1:6443", DeployMode: "cluster", Name: "daily", Resource: "a.py", Args: []string{},
				Conf: map[string]string{"spark.driver.extraJavaOptions": "-Da=b", "spark.jars": "x.jar"},
			},
		},
		"no resource":             {args: with("--class", "a.Main"), wantErr: "missing application resource"},
		"an option without value": {args: []string{"--master"}, wantErr: "missing argument for option '--master'"},
		"an unknown option":       {args: with("--colour", "red", "a.jar"), wantErr: "unrecognized option: --colour"},
		"a conf without a value":  {args: with("--conf", "spark.x", "a.jar"), wantErr: "spark config without '=': spark.x"},
		"another master":          {args: []string{"--master", "yarn", "a.jar"}, wantErr: "master must start with k8s://"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tc.args)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("Parse() error = %v, want %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatalf("Parse() error = %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Parse() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDriverMemory(t *testing.T) {
	cases := map[string]struct {
		resource string
		conf     map[string]string
		want     string
	}{
		"Spark's defaults":                          {"a.jar", nil, "1408Mi"},
		"a bare number is MiB":                      {"a.jar", map[string]string{"spark.driver.memory": "512"}, "896Mi"},
		"a tenth above the least overhead":          {"a.jar", map[string]string{"spark.driver.memory": "8g"}, "9011Mi"},
		"two fifths for PySpark":                    {"a.py", map[string]string{"spark.driver.memory": "2g"}, "2867Mi"},
		"an overhead of one's own":                  {"a.jar", map[string]string{"spark.driver.memory": "1g", "spark.driver.memoryOverhead": "100m"}, "1124Mi"},
		"the driver's factor before the common one": {"a.jar", map[string]string{"spark.driver.memory": "10g", "spark.driver.memoryOverheadFactor": "0.2", "spark.kubernetes.memoryOverheadFactor": "0.5"}, "12Gi"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := Submission{Resource: tc.resource, Conf: tc.conf}
			got, err := s.driverMemory()
			if err != nil {
				t.Fatalf("driverMemory() error = %v", err)
			}
			if got.String() != tc.want {
				t.Errorf("driverMemory() = %s, want %s", got.String(), tc.want)
			}
		})
	}
}

func TestBuildLaysSparkOverTheTemplate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "template.yaml")
	template := `
metadata:
  labels: {team: data}
  ownerReferences: [{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, name: daily, uid: "42", controller: true}]
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - name: proxy
    image: proxy:1
  - name: spark-kubernetes-driver
    terminationMessagePolicy: FallbackToLogsOnError
`
	if err := os.WriteFile(file, []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Parse(with("--class", "a.Main",
		"--conf", "spark.kubernetes.namespace=jobs", "--conf", "spark.kubernetes.driver.pod.name=daily-driver",
		"--conf", "spark.kubernetes.driver.podTemplateFile="+file,
		"--conf", "spark.kubernetes.driver.podTemplateContainerName=spark-kubernetes-driver",
		"--conf", "spark.kubernetes.driver.label.sparkoperator.k8s.io/submission-id=s1",
		"--conf", "spark.kubernetes.driver.annotation.note=hello",
		"--conf", "spark.kubernetes.container.image=spark:1", "local:///a.jar", "x"))
	if err != nil {
		t.Fatal(err)
	}
	driver, err := s.build(identity{application: "spark-1", unique: "0123456789abcdef"})
	if err != nil {
		t.Fatal(err)
	}
	type summary struct {
		Name, Namespace, Owner string
		Labels, Annotations    map[string]string
		Grace                  int64
		Images                 []string
		Policy                 corev1.TerminationMessagePolicy
		Args                   []string
		ConfigMap, Service     string
	}
	pod := driver.Pod
	main := pod.Spec.Containers[1]
	got := summary{
		pod.Name, pod.Namespace, string(pod.OwnerReferences[0].UID), pod.Labels, pod.Annotations,
		*pod.Spec.TerminationGracePeriodSeconds, []string{pod.Spec.Containers[0].Image, main.Image},
		main.TerminationMessagePolicy, main.Args, driver.ConfigMap.Name, driver.Service.Name,
	}
	want := summary{
		"daily-driver", "jobs", "42",
		map[string]string{
			"team": "data", "sparkoperator.k8s.io/submission-id": "s1", "spark-role": "driver", "spark-app-selector": "spark-1",
			"spark-app-name": "daily", "spark-version": SparkVersion,
		},
		map[string]string{"note": "hello"}, 5, []string{"proxy:1", "spark:1"}, corev1.TerminationMessageFallbackToLogsOnError,
		[]string{"driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "a.Main", "local:///a.jar", "x"},
		"spark-drv-0123456789abcdef-conf-map", "daily-0123456789abcdef-driver-svc",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("build() (-want +got):\n%s", diff)
	}
}

func TestResourcePrefix(t *testing.T) {
	cases := map[string]struct{ name, want string }{
		"the name as it may stand in names":      {"Daily Report_v2", "daily-report-v2-0123456789abcdef"},
		"a name too long for a service's is out": {"a-report-with-a-name-that-is-too-long", "spark-0123456789abcdef"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := resourcePrefix(tc.name, "0123456789abcdef"); got != tc.want {
				t.Errorf("resourcePrefix() = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPropertiesAreEscapedAsJavaReadsThem(t *testing.T) {
	got := format("m", map[string]string{"spark.a b": " x\ny", "spark.url": "s3a://b?k=v#f", "spark.path": `C:\x`})
	want := `#Java properties built from Kubernetes config map with name: m
spark.a\ b=\ x\ny
spark.path=C\:\\x
spark.url=s3a\://b?k\=v\#f
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("format() (-want +got):\n%s", diff)
	}
}

func TestARefusalIsWordedAsTheOperatorReadsIt(t *testing.T) {
	s := &Submission{Master: "k8s://https://127.0.0.1:6443", Conf: map[string]string{"spark.kubernetes.namespace": "jobs"}}
	exists := apierrors.NewAlreadyExists(schema.GroupResource{Resource: "pods"}, "daily-driver")
	got := clientError("pods", "daily-driver", s, exists).Error()
	for _, part := range []string{
		"Failure executing: POST at: https://127.0.0.1:6443/api/v1/namespaces/jobs/pods.",
		`Message: pods "daily-driver" already exists.`, "code=409", "reason=AlreadyExists",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
}
