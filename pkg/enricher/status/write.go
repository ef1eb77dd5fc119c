package status

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/patch"
)

// Write patches the status of app into what is wanted, and fails if the application has moved on meanwhile: another
// object of the name, another specification, another attempt or another state. It is the only place that writes
// status. It returns the resource version it made.
func Write(ctx context.Context, c client.Client, app *v1beta2.SparkApplication, wanted *v1beta2.Status) (string, error) {
	data, err := patch.Marshal(operations(app, wanted))
	if err != nil {
		return "", err
	}
	target := &v1beta2.SparkApplication{}
	target.Name, target.Namespace = app.Name, app.Namespace
	err = c.Status().Patch(ctx, target, client.RawPatch(types.JSONPatchType, data),
		client.FieldOwner("spark-status-enricher"), client.FieldValidation("Strict"))
	if err != nil {
		return "", fmt.Errorf("writing status of %s/%s: %w", app.Namespace, app.Name, err)
	}
	return target.ResourceVersion, nil
}

func operations(app *v1beta2.SparkApplication, wanted *v1beta2.Status) []patch.Operation {
	is := &app.Status
	ops := []patch.Operation{
		patch.Test("/metadata/uid", app.UID),
		patch.Test("/metadata/generation", app.Generation),
		patch.Test("/status/submissionID", is.SubmissionID),
		patch.Test("/status/applicationState/state", is.ApplicationState.State),
	}
	if is.ApplicationState.State == v1beta2.StatePendingRerun {
		// Another replica may have written and let the pod go meanwhile, and the operator be at its submission.
		ops = append(ops, patch.Test("/metadata/resourceVersion", app.ResourceVersion))
	}
	if !equality.Semantic.DeepEqual(is.Diagnostics, wanted.Diagnostics) {
		ops = append(ops, patch.Add("/status/diagnostics", wanted.Diagnostics))
	}
	if !equality.Semantic.DeepEqual(is.Conditions, wanted.Conditions) {
		ops = append(ops, patch.Test("/status/conditions", nilable(is.Conditions)), patch.Add("/status/conditions", wanted.Conditions))
	}
	if text := wanted.ApplicationState.ErrorMessage; text != is.ApplicationState.ErrorMessage {
		ops = append(ops, patch.Add("/status/applicationState/errorMessage", text))
	}
	return ops
}

// nilable makes an absent list null, which is what a JSON patch calls absent.
func nilable[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}
