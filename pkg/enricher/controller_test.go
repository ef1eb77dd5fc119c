package enricher

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestIsGone(t *testing.T) {
	resource := schema.GroupResource{Group: "sparkoperator.k8s.io", Resource: "sparkapplications"}
	cases := map[string]struct {
		err  error
		want bool
	}{
		"the application is not there": {err: apierrors.NewNotFound(resource, "etl"), want: true},
		"the API server does not know the CRD yet": {
			err: apierrors.NewGenericServerResponse(http.StatusNotFound, "get", resource, "etl", "404 page not found\n", 0, true),
		},
		"the API server is away": {err: apierrors.NewServiceUnavailable("starting")},
		"no error":               {},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isGone(tc.err); got != tc.want {
				t.Errorf("isGone(%v) = %t", tc.err, got)
			}
		})
	}
}
