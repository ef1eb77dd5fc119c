package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
)

func TestSampleConfigurationShowsTheDefaults(t *testing.T) {
	want, err := configv1alpha1.Load("")
	if err != nil {
		t.Fatal(err)
	}
	got, err := configv1alpha1.Load("samples/configuration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Rules) != 1 {
		t.Errorf("the sample has %d rules, want one that shows how", len(got.Rules))
	}
	got.Rules = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configuration (-defaults +sample):\n%s", diff)
	}
}

func TestDeployedConfigurationIsTheDefault(t *testing.T) {
	want, err := configv1alpha1.Load("")
	if err != nil {
		t.Fatal(err)
	}
	got, err := configv1alpha1.Load("manager/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configuration (-defaults +deployed):\n%s", diff)
	}
}
