package e2etest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/status"
)

// Resource is that of SparkApplications.
var Resource = schema.GroupVersionResource{Group: "sparkoperator.k8s.io", Version: "v1beta2", Resource: "sparkapplications"}

// Statuses gives the status of each of the conditions, by type.
func Statuses(conditions []metav1.Condition) map[string]metav1.ConditionStatus {
	statuses := map[string]metav1.ConditionStatus{}
	for _, condition := range conditions {
		statuses[condition.Type] = condition.Status
	}
	return statuses
}

// StatusesOf gives what the table of states wants of the five state conditions.
func StatusesOf(state v1beta2.State) map[string]metav1.ConditionStatus {
	GinkgoHelper()
	for _, row := range status.States {
		if row.State == state {
			wanted := map[string]metav1.ConditionStatus{}
			for i, conditionType := range status.StateTypes {
				wanted[conditionType] = row.Statuses[i]
			}
			return wanted
		}
	}
	Fail(fmt.Sprintf("no row for state %q", state))
	return nil
}

// Condition finds a condition by its type; its zero value where there is none.
func Condition(app *v1beta2.SparkApplication, conditionType string) metav1.Condition {
	for _, condition := range app.Status.Conditions {
		if condition.Type == conditionType {
			return condition
		}
	}
	return metav1.Condition{}
}

// History records every version of an application that a watch shows.
type History struct {
	mu       sync.Mutex
	versions []v1beta2.SparkApplication
}

// Record watches an application until the spec ends. Call it before the application is created.
func (b *Bed) Record(ctx context.Context, namespace, name string) *History {
	GinkgoHelper()
	client, err := dynamic.NewForConfig(b.Config)
	Expect(err).NotTo(HaveOccurred())
	watch, err := client.Resource(Resource).Namespace(namespace).Watch(ctx,
		metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(watch.Stop)
	history := &History{}
	go func() {
		for event := range watch.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok {
				history.add(object)
			}
		}
	}()
	return history
}

func (h *History) add(object *unstructured.Unstructured) {
	data, err := json.Marshal(object)
	if err != nil {
		return
	}
	var app v1beta2.SparkApplication
	if json.Unmarshal(data, &app) == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.versions = append(h.versions, app)
	}
}

// Versions are all versions so far.
func (h *History) Versions() []v1beta2.SparkApplication {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]v1beta2.SparkApplication(nil), h.versions...)
}

// ExpectTable checks that every version had the five conditions of its state. A version that names a new submission or
// notes a changed specification may have none: the policy has no part in it.
func (h *History) ExpectTable() {
	GinkgoHelper()
	var before v1beta2.Status
	for _, version := range h.Versions() {
		now := version.Status
		state, got := now.ApplicationState.State, Statuses(now.Conditions)
		delete(got, v1beta2.ConditionExitExceptionAnnotated)
		once := now.SubmissionID != before.SubmissionID || state == v1beta2.StateInvalidating
		if state != v1beta2.StateNew && !(once && len(got) == 0) {
			Expect(got).To(Equal(StatusesOf(state)), "state %s", state)
		}
		before = now
	}
}

// States are the states that the application passed, each once in a row.
func (h *History) States() []v1beta2.State {
	var states []v1beta2.State
	for _, version := range h.Versions() {
		state := version.Status.ApplicationState.State
		if len(states) == 0 || states[len(states)-1] != state {
			states = append(states, state)
		}
	}
	return states
}
