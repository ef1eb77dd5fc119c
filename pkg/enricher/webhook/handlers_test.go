package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gomodules.xyz/jsonpatch/v2"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

func TestNoAnswerRefusesAWrite(t *testing.T) {
	running := storedApplication(`"applicationState":{"state":"RUNNING"},"submissionID":"s-1"`)
	driver := string(encode(t, newPod(nil, nil, "spark-kubernetes-driver")))
	cases := map[string]struct {
		path, object, oldObject string
		want                    []string
	}{
		"a new state gets its conditions":         {PathKeepStatus, running, storedApplication(``), []string{"/status/conditions"}},
		"a status that is no status is let pass":  {PathKeepStatus, `{"status":7}`, running, nil},
		"a write without an old object":           {PathKeepStatus, running, ``, nil},
		"a driver pod gets what is switched on":   {PathDriverPods, driver, ``, []string{"/metadata/finalizers"}},
		"a pod that cannot be read is let pass":   {PathDriverPods, `{"spec":{"containers":7}}`, ``, nil},
		"a pod that is no driver's is let pass":   {PathDriverPods, `{"metadata":{"name":"web"}}`, ``, nil},
		"an executor with odd labels is let pass": {PathDriverPods, `{"metadata":{"labels":{"spark-role":7}}}`, ``, nil},
	}
	served := handlers(configuration())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			response := call(t, served[tc.path], tc.object, tc.oldObject)
			if !response.Allowed {
				t.Errorf("the write is refused: %v", response.Result)
			}
			if diff := cmp.Diff(tc.want, paths(t, response)); diff != "" {
				t.Errorf("patched paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPanicIsNoAnswer(t *testing.T) {
	hook := mutating(func(admission.Request) ([]jsonpatch.Operation, error) { panic("a defect") })
	server := httptest.NewUnstartedServer(hook)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, bytes.NewReader(review(t, `{}`, ``)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := server.Client().Do(request)
	if err == nil {
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		t.Errorf("a panic is answered with %s %s, which refuses the write", response.Status, body)
	}
}

func BenchmarkKeepStatus(b *testing.B) {
	conditions := `"conditions":[` + strings.TrimSuffix(strings.Repeat(`{"type":"Other","status":"True","reason":"X","message":"y","lastTransitionTime":"2026-11-30T08:00:00Z"},`, 6), ",") + `]`
	sizes := map[string]int{"a usual application": 8 << 10, "the largest diagnostics": 64 << 10}
	for name, size := range sizes {
		diagnostics := fmt.Sprintf(`,"diagnostics":{"submissionID":"s-1","reason":"X","exception":{"stackTrace":[%q]}}`, strings.Repeat("x", size))
		status := `"submissionID":"s-1","applicationState":{"state":"FAILED"},"executorState":{"spec":"` + strings.Repeat("x", 4<<10) + `"}`
		object, old := []byte(storedApplication(status)), []byte(storedApplication(status+diagnostics+","+conditions))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(object) + len(old)))
			for b.Loop() {
				if operations, err := keepStatus(object, old); err != nil || len(operations) != 2 {
					b.Fatal(operations, err)
				}
			}
		})
	}
}

func configuration() *configv1alpha1.EnricherConfiguration {
	cfg := &configv1alpha1.EnricherConfiguration{CaptureFinalizer: ptr.To(true)}
	configv1alpha1.SetDefaults(cfg)
	return cfg
}

// call asks a webhook as the API server does.
func call(t *testing.T, hook http.Handler, object, oldObject string) *admissionv1.AdmissionResponse {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(review(t, object, oldObject)))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	hook.ServeHTTP(recorder, request)
	answer := &admissionv1.AdmissionReview{}
	if err := json.Unmarshal(recorder.Body.Bytes(), answer); err != nil || answer.Response == nil {
		t.Fatalf("answer %s: %v", recorder.Body, err)
	}
	return answer.Response
}

func review(t *testing.T, object, oldObject string) []byte {
	t.Helper()
	asked := &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "1", Namespace: "jobs", Name: "app", Object: runtime.RawExtension{Raw: []byte(object)},
	}}
	asked.APIVersion, asked.Kind = "admission.k8s.io/v1", "AdmissionReview"
	if oldObject != "" {
		asked.Request.OldObject.Raw = []byte(oldObject)
	}
	return encode(t, asked)
}

func paths(t *testing.T, response *admissionv1.AdmissionResponse) []string {
	t.Helper()
	if response.Patch == nil {
		return nil
	}
	var operations []jsonpatch.Operation
	if err := json.Unmarshal(response.Patch, &operations); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, operation := range operations {
		got = append(got, operation.Path)
	}
	return got
}
