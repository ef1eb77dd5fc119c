package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// apiReasons reads the reasons that the API declares from its source, so that a new one cannot be forgotten here.
func apiReasons(t *testing.T) []failure.Reason {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../../apis/failure/reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []failure.Reason
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			name, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			reasons = append(reasons, failure.Reason(name))
		}
		return true
	})
	return reasons
}

func TestEveryReasonHasItsDefaults(t *testing.T) {
	reasons := apiReasons(t)
	if len(reasons) != 35 || len(defaults) != len(reasons) {
		t.Errorf("%d reasons in the API, %d in the catalogue, want 35", len(reasons), len(defaults))
	}
	for _, r := range reasons {
		d, ok := defaults[r]
		if !ok || d.category == "" || d.retryable == "" || d.hint == "" || len(d.hint) > failure.MaxHintBytes {
			t.Errorf("%s: %+v", r, d)
		}
	}
}

func tables() map[string][]Rule {
	return map[string][]Rule{
		"chains": chainRules, "platform": platformRules, "configuration": configurationRules, "data": dataRules,
		"services": serviceRules, "values": valueRules, "user": userRules,
	}
}

// TestRowsCanMatch guards against rows that never apply: text in capitals, or no condition at all.
func TestRowsCanMatch(t *testing.T) {
	for name, table := range tables() {
		for i, r := range table {
			if len(r.Classes)+len(r.Texts)+len(r.All) == 0 {
				t.Errorf("%s[%d] matches everything", name, i)
			}
			if _, ok := defaults[r.Reason]; !ok {
				t.Errorf("%s[%d] has the unknown reason %q", name, i, r.Reason)
			}
			for _, list := range [][]string{r.Texts, r.All, r.Not} {
				for _, text := range list {
					if text != strings.ToLower(text) || text == "" {
						t.Errorf("%s[%d]: %q is not in lower case", name, i, text)
					}
				}
			}
		}
	}
}

// TestRowsOfOneCategory keeps each table to its category.
func TestRowsOfOneCategory(t *testing.T) {
	for name, want := range map[string]failure.Category{
		"platform": failure.CategoryPlatform, "configuration": failure.CategoryConfiguration, "data": failure.CategoryData,
		"services": failure.CategoryData, "values": failure.CategoryData, "user": failure.CategoryUser,
	} {
		for i, r := range tables()[name] {
			if got := defaults[r.Reason].category; got != want {
				t.Errorf("%s[%d] means %s, which is of category %s", name, i, r.Reason, got)
			}
		}
	}
}

func TestConditionsAreKnownReasons(t *testing.T) {
	check := func(name string, c condition) {
		if c.defers {
			return
		}
		if _, ok := defaults[c.reason]; !ok {
			t.Errorf("%s: unknown reason %q", name, c.reason)
		}
	}
	for name, c := range conditions {
		check(name, c)
	}
	for _, p := range conditionPrefixes {
		check(p.prefix, p.condition)
	}
	for state, c := range states {
		check(state, c)
		if len(state) != 5 {
			t.Errorf("SQLSTATE %q", state)
		}
	}
	for class, c := range stateClasses {
		check(class, c)
		if len(class) != 2 {
			t.Errorf("SQLSTATE class %q", class)
		}
	}
}

func TestOrderOfLookup(t *testing.T) {
	link := func(class, message string) Link { return Link{Class: class, Message: message} }
	for name, tc := range map[string]struct {
		in    Failure
		want  failure.Reason
		retry failure.Retryable
	}{
		"a condition decides over a class": {
			in:   Failure{Links: []Link{link("a.ClassNotFoundException", "x")}, Condition: "PATH_NOT_FOUND", SQLState: "42K03"},
			want: failure.ReasonDataNotFound, retry: failure.RetryableFalse,
		},
		"a SQLSTATE decides where the condition is unknown": {
			in: Failure{Links: []Link{link("a.B", "x")}, Condition: "SOME_NEW_CONDITION", SQLState: "42999"}, want: failure.ReasonSqlAnalysisError, retry: failure.RetryableFalse,
		},
		"a condition that names a place gives way to the cause": {
			in:   Failure{Links: []Link{link("a.B", "x"), link("java.net.ConnectException", "Connection refused")}, Condition: "TASK_WRITE_FAILED"},
			want: failure.ReasonExternalServiceUnavailable, retry: failure.RetryableTrue,
		},
		"and decides where nothing else does": {
			in: Failure{Links: []Link{link("a.B", "x")}, Condition: "FAILED_EXECUTE_UDF", SQLState: "39000"}, want: failure.ReasonUserCodeError, retry: failure.RetryableFalse,
		},
		"the chain decides over a link": {
			in:   Failure{Links: []Link{link("org.apache.spark.SparkException", "External scheduler cannot be instantiated"), link("java.net.UnknownHostException", "kubernetes.default.svc")}},
			want: failure.ReasonKubernetesApiUnavailable, retry: failure.RetryableTrue,
		},
		"the root cause decides over what wraps it": {
			in:   Failure{Links: []Link{link("java.io.FileNotFoundException", "x"), link("java.lang.OutOfMemoryError", "Java heap space")}},
			want: failure.ReasonDriverOutOfMemory, retry: failure.RetryableFalse,
		},
		"what was merely being handled comes last": {
			in:   Failure{Links: []Link{link("ModuleNotFoundError", "No module named 'x'"), link("PermissionError", "x")}, Implicit: true},
			want: failure.ReasonMissingDependency, retry: failure.RetryableFalse,
		},
		"the class within Hadoop's remote exception": {
			in:   Failure{Links: []Link{{Class: "org.apache.hadoop.ipc.RemoteException", Wrapped: "org.apache.hadoop.hdfs.server.namenode.SafeModeException", Message: "x"}}},
			want: failure.ReasonExternalServiceUnavailable, retry: failure.RetryableTrue,
		},
		"a row may differ from its reason's default": {
			in:   Failure{Links: []Link{link("io.fabric8.kubernetes.client.KubernetesClientException", "failed calling webhook x")}},
			want: failure.ReasonAdmissionDenied, retry: failure.RetryableTrue,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Lookup(tc.in)
			if !ok || got.Reason != tc.want || got.Retryable != tc.retry || got.Category != defaults[tc.want].category {
				t.Errorf("%+v, %v; want %s, %s", got, ok, tc.want, tc.retry)
			}
		})
	}
	if v, ok := Lookup(Failure{Links: []Link{{Class: "com.example.Unheard", Message: "x"}}}); ok {
		t.Errorf("%+v for a failure that no row knows", v)
	}
}

func TestClassIs(t *testing.T) {
	for name, tc := range map[string]struct {
		class, want string
		is          bool
	}{
		"with its package":        {"java.net.ConnectException", "ConnectException", true},
		"whole":                   {"KeyError", "KeyError", true},
		"an inner class":          {"a.Config$Missing", "Missing", true},
		"the end of another name": {"a.HttpHostConnectException", "ConnectException", false},
		"longer":                  {"Error", "KeyError", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := classIs(tc.class, tc.want); got != tc.is {
				t.Errorf("%v", got)
			}
		})
	}
}

// inOrder are all rules in the order in which they are asked.
func inOrder() []Rule {
	all := slices.Clone(chainRules)
	for _, table := range linkTables {
		all = append(all, table...)
	}
	return all
}

// TestRuleIDs: an ID is the only one of its kind, fits the status, and holds no blank.
func TestRuleIDs(t *testing.T) {
	seen := map[string]bool{}
	check := func(id string) {
		if id == "" || len(id) > maxRuleID || strings.ContainsAny(id, " \t\n") || seen[id] {
			t.Errorf("ID %q is empty, too long, with blanks or taken", id)
		}
		seen[id] = true
	}
	for _, r := range inOrder() {
		check(r.ID)
	}
	for _, r := range wordRules {
		check(r.id)
	}
}

// TestNoDeadWords finds words that never decide, because every text that holds them holds those of an earlier rule.
func TestNoDeadWords(t *testing.T) {
	type word struct{ text, id string }
	var earlier []word
	for _, r := range inOrder() {
		for _, text := range r.Texts {
			for _, e := range earlier {
				if strings.Contains(text, e.text) {
					t.Errorf("%s: %q is dead, %s has %q before it", r.ID, text, e.id, e.text)
				}
			}
		}
		if len(r.Classes)+len(r.All)+len(r.Not)+len(r.Starts) == 0 {
			for _, text := range r.Texts {
				earlier = append(earlier, word{text, r.ID})
			}
		}
	}
}

// TestNoDeadClasses does the same for classes.
func TestNoDeadClasses(t *testing.T) {
	earlier := map[string]string{}
	for _, r := range inOrder() {
		for _, c := range r.Classes {
			if id := earlier[c]; id != "" {
				t.Errorf("%s: class %s is dead, %s has it before", r.ID, c, id)
			}
		}
		if len(r.Texts)+len(r.All)+len(r.Not)+len(r.Starts) == 0 {
			for _, c := range r.Classes {
				earlier[c] = r.ID
			}
		}
	}
}
