package diagnosis

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFactsOnlyHidesWhatIsNotNamed fills every text of the diagnostics and sees which are still there: a field that is
// added to the type is hidden until somebody decides that it holds no text of a program.
func TestFactsOnlyHidesWhatIsNotNamed(t *testing.T) {
	var d Diagnosis
	fillStrings(reflect.ValueOf(&d.Diagnostics).Elem())
	d.FactsMessage, d.factsHint = "facts", "hint"
	shown := filled("", reflect.ValueOf(d.FactsOnly()))
	slices.Sort(shown)
	want := []string{
		".Category", ".Driver.Container", ".Driver.NodeName", ".Driver.PodName", ".Driver.PodUID", ".Reason", ".Retryable",
		".Rule", ".Signal", ".Source",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
}

const filling = "a text"

// fillStrings puts a text into every string below v.
func fillStrings(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(filling)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillStrings(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillStrings(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillStrings(v.Field(i))
			}
		}
	}
}

// filled lists the paths of the strings below v that still hold it.
func filled(path string, v reflect.Value) []string {
	switch v.Kind() {
	case reflect.String:
		if v.String() == filling {
			return []string{path}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return filled(path, v.Elem())
		}
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, filled(path, v.Index(i))...)
		}
		return all
	case reflect.Struct:
		var all []string
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				all = append(all, filled(path+"."+f.Name, v.Field(i))...)
			}
		}
		return all
	}
	return nil
}
