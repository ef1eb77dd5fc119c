// Package bed proves the test bed with the operator alone: what the other suites stand on.
package bed

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spark-status-enricher/enricher/test/e2e/e2etest"
)

func TestBed(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Test bed")
}

var bed *e2etest.Bed

var _ = BeforeSuite(func(ctx context.Context) {
	bed = e2etest.Start(ctx, e2etest.Options{Bare: true})
})

func e2eKey(namespace, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

func inNamespace(name string) client.ListOption { return client.InNamespace(name) }
