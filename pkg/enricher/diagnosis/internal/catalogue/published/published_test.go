package published

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// places are reasons that no published name may mean.
var places = []failure.Reason{failure.ReasonUnknown, failure.ReasonUnclassifiedError}

func TestEveryRowIsDecided(t *testing.T) {
	all, err := readAll()
	if err != nil {
		t.Fatal(err)
	}
	reasons := declared(t)
	for _, l := range all {
		if l.software == "" || l.artefact == "" || l.version == "" || len(l.rows) == 0 {
			t.Errorf("%s does not tell where it comes from, or is empty: %+v", l.name, Row{Software: l.software})
		}
		if !slices.Contains([]string{kindCondition, kindClass, kindCode}, l.kind) {
			t.Errorf("%s is of no kind: %q", l.name, l.kind)
		}
		seen := map[string]bool{}
		for _, r := range l.rows {
			if seen[r.name] {
				t.Errorf("%s has %s twice", l.name, r.name)
			}
			seen[r.name] = true
			if err := check(r, reasons); err != nil {
				t.Errorf("%s: %v", l.name, err)
			}
		}
	}
}

func check(r row, reasons map[failure.Reason]bool) error {
	d := r.decision
	if r.name == "" || d.Defer != (d.Reason == "") {
		return fmt.Errorf("%q lacks a decision", r.name)
	}
	if !d.Defer && (!reasons[d.Reason] || slices.Contains(places, d.Reason)) {
		return fmt.Errorf("%s means %q, which no row may", r.name, d.Reason)
	}
	answers := []failure.Retryable{"", failure.RetryableTrue, failure.RetryableFalse, failure.RetryableUnknown}
	if !slices.Contains(answers, d.Retryable) {
		return fmt.Errorf("%s: retryable %q", r.name, d.Retryable)
	}
	return nil
}

// declared are the reasons that the vocabulary declares.
func declared(t *testing.T) map[failure.Reason]bool {
	t.Helper()
	source, err := os.ReadFile("../../../../../apis/failure/reasons.go")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[failure.Reason]bool{}
	for _, m := range regexp.MustCompile(`\bReason\w+ +Reason = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		reasons[failure.Reason(m[1])] = true
	}
	return reasons
}

func TestParseRefusesRowsWithoutDecision(t *testing.T) {
	if _, err := parse("x", "# kind: code\nA\tInvalidData\nB\n"); err == nil {
		t.Error("a row without a decision was taken")
	}
}

func TestEveryFormHasItsList(t *testing.T) {
	used := map[string]bool{}
	for _, f := range forms {
		used[f.list] = true
		if len(lists().codes[f.list]) == 0 {
			t.Errorf("the form %q has no list %q", f.code, f.list)
		}
	}
	for name := range lists().codes {
		if !used[name] {
			t.Errorf("no form finds the codes of %s", name)
		}
	}
}

// outcome is a decision in a shape to compare: the reason, "-" where it defers, "" where nothing was found.
func outcome(d Decision, ok bool) string {
	switch {
	case !ok:
		return ""
	case d.Defer:
		return "-"
	case d.Retryable != "":
		return string(d.Reason) + "/" + string(d.Retryable)
	}
	return string(d.Reason)
}

func TestCondition(t *testing.T) {
	for name, want := range map[string]string{
		"DELTA_MAX_COMMIT_RETRIES_EXCEEDED":           "CommitConflict",
		"DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT": "CommitConflict",
		"DELTA_CONCURRENT_APPEND.NOT_YET_KNOWN":       "CommitConflict",
		"DELTA_TXN_LOG_FAILED_INTEGRITY":              "InvalidData",
		"DELTA_CHECKPOINT_SNAPSHOT_MISMATCH":          "InvalidData",
		"DELTA_CAST_OVERFLOW_IN_TABLE_WRITE":          "InvalidData",
		"DELTA_SCHEMA_NOT_CONSISTENT_WITH_TARGET":     "SchemaMismatch",
		"DELTA_UNSUPPORTED_FEATURES_FOR_WRITE":        "DependencyConflict",
		"DELTA_UNKNOWN_CONFIGURATION":                 "InvalidConfiguration",
		"DELTA_VERSION_NOT_FOUND":                     "DataNotFound",
		"DELTA_COLUMN_NOT_FOUND":                      "SqlAnalysisError",
		"DELTA_POST_COMMIT_HOOK_FAILED":               "-",
		"DELTA_SOURCE_IGNORE_DELETE":                  "StreamingStateError",
		"TABLE_OR_VIEW_NOT_FOUND":                     "SqlAnalysisError",
		"CAST_INVALID_INPUT":                          "InvalidData",
		"FAILED_READ_FILE.FILE_NOT_EXIST":             "DataNotFound",
		"FAILED_READ_FILE.NO_HINT":                    "-",
		"TASK_WRITE_FAILED":                           "-",
		"INTERNAL_ERROR":                              "-",
		"STREAM_FAILED":                               "-",
		"FAILED_EXECUTE_UDF":                          "-",
		"_LEGACY_ERROR_TEMP_1140":                     "MissingDependency",
		"_LEGACY_ERROR_TEMP_2063":                     "SchemaMismatch",
		"_LEGACY_ERROR_TEMP_2250":                     "DriverOutOfMemory",
		"_LEGACY_ERROR_TEMP_2273":                     "-",
		"_LEGACY_ERROR_TEMP_0012":                     "SqlAnalysisError",
		"_LEGACY_ERROR_TEMP_3007":                     "ExecutorLost",
		"CANNOT_LOAD_CATALOG.PLUGIN_CLASS_NOT_FOUND":  "MissingDependency",
		"STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE":       "StreamingStateError",
		"NOT_COLUMN_OR_STR":                           "UserCodeError",
		"PYTHON_VERSION_MISMATCH":                     "DependencyConflict",
		"JAVA_GATEWAY_EXITED":                         "InvalidConfiguration",
		"RESPONSE_ALREADY_RECEIVED":                   "-",
		"NOT_PUBLISHED":                               "",
		"NOT_PUBLISHED.AT_ALL":                        "",
	} {
		if diff := cmp.Diff(want, outcome(Condition(name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestClass(t *testing.T) {
	for class, want := range map[string]string{
		"org.apache.iceberg.exceptions.CommitFailedException":                                 "CommitConflict",
		"org.apache.iceberg.exceptions.CommitStateUnknownException":                           "CommitConflict/Unknown",
		"org.apache.iceberg.exceptions.ForbiddenException":                                    "AccessDenied",
		"org.apache.iceberg.exceptions.ValidationException":                                   "-",
		"org.apache.hudi.exception.HoodieWriteConflictException":                              "CommitConflict",
		"org.apache.hudi.exception.HoodieUpsertException":                                     "-",
		"org.apache.paimon.catalog.Catalog$TableNotExistException":                            "DataNotFound",
		"org.apache.kafka.common.errors.TimeoutException":                                     "ExternalServiceUnavailable",
		"org.apache.hudi.org.apache.kafka.common.errors.TimeoutException":                     "ExternalServiceUnavailable",
		"org.apache.kafka.common.errors.RecordTooLargeException":                              "InvalidConfiguration",
		"org.apache.hadoop.security.token.SecretManager$InvalidToken":                         "AccessDenied",
		"shaded.com.example.org.apache.hadoop.ipc.StandbyException":                           "ExternalServiceUnavailable",
		"org.apache.hadoop.fs.s3a.UnknownStoreException":                                      "DataNotFound",
		"com.google.cloud.spark.bigquery.repackaged.com.google.api.gax.rpc.NotFoundException": "DataNotFound",
		"software.amazon.awssdk.core.exception.ApiCallTimeoutException":                       "ExternalServiceUnavailable",
		"com.mongodb.MongoSecurityException":                                                  "AccessDenied",
		"com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException":                  "ExternalServiceUnavailable",
		"org.postgresql.util.PSQLException":                                                   "-",
		"com.mysql.cj.jdbc.exceptions.CommunicationsException":                                "ExternalServiceUnavailable",
		"org.apache.uniffle.common.exception.NoBufferException":                               "ExternalServiceUnavailable",
		"org.apache.celeborn.common.exception.FileCorruptedException":                         "InvalidData",
		"com.nvidia.spark.rapids.jni.GpuRetryOOM":                                             "DriverOutOfMemory",
		"org.apache.orc.FileFormatException":                                                  "InvalidData",
		"botocore.exceptions.NoCredentialsError":                                              "AccessDenied",
		"botocore.exceptions.ParamValidationError":                                            "UserCodeError",
		"botocore.exceptions.ClientError":                                                     "-",
		"google.api_core.exceptions.TooManyRequests":                                          "ExternalServiceUnavailable",
		"openai.RateLimitError":                                                               "ExternalServiceUnavailable",
		"psycopg2.errors.InvalidPassword":                                                     "AccessDenied",
		"psycopg2.errors.UndefinedTable":                                                      "DataNotFound",
		"psycopg2.errors.UniqueViolation":                                                     "InvalidData",
		"psycopg2.OperationalError":                                                           "-",
		"redis.exceptions.ReadOnlyError":                                                      "InvalidConfiguration",
		"com.example.openai.RateLimitError":                                                   "",
		"com.example.NoBufferException":                                                       "",
		"NotFoundException":                                                                   "",
		"":                                                                                    "",
	} {
		if diff := cmp.Diff(want, outcome(Class(class))); diff != "" {
			t.Errorf("%s: %s", class, diff)
		}
	}
}

type said struct{ class, message string }

func TestCode(t *testing.T) {
	for _, c := range codeCases {
		d, code, ok := Code(c.class, c.message)
		if diff := cmp.Diff(c.want, strings.TrimSpace(outcome(d, ok)+" "+code)); diff != "" {
			t.Errorf("%s: %s: %s", c.class, c.message, diff)
		}
	}
}

func TestCodeIsNoProse(t *testing.T) {
	for _, text := range []string{
		"read 401 rows, 403 were bad", "in state 28000 of 42601", "the year 1045 (AD)", "took 404 (ms): slow",
		"job_1045 (28000) ended", "OOM in stage 3", "LOADING data from s3", "MOVED 3 files", "error: unknown",
		"reason: timeout", "Reason: stopped by the user", "code=abc", "an ORA-123 aircraft", "FLORA-01017",
		"NOT_FOUND in lookup", "UNAVAILABLE", "no exception_type", "ACCESS_DENIED", "SQLSTATE unknown",
		"[TABLE_OR_VIEW_NOT_FOUND] The table cannot be found.\nVerify it. SQLSTATE: 42P01; line 1",
		"Msg from 18456", "(1045, 'apples')", "version (2.1.0)", "error 13 (of 20)", "codeName of the release",
	} {
		if d, code, ok := Code("java.lang.RuntimeException", text); ok {
			t.Errorf("%q: found %s of %s", text, code, d.List)
		}
	}
}

// TestCasesAgree: where a list knows what a case shows, it says what the case expects.
func TestCasesAgree(t *testing.T) {
	paths, _ := filepath.Glob("../../../testdata/cases/*.txtar")
	found := 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found += agree(t, filepath.Base(path), archive)
	}
	if found < 60 {
		t.Errorf("the lists know only %d of what the %d cases show", found, len(paths))
	}
}

func agree(t *testing.T, name string, archive *txtar.Archive) (found int) {
	t.Helper()
	var want struct{ Reason, ExceptionClass, Message, RootCauseClass, RootCauseMessage, ErrorCondition string }
	for _, f := range archive.Files {
		if f.Name == "expected.yaml" {
			if err := yaml.Unmarshal(f.Data, &want); err != nil {
				t.Fatal(err)
			}
		}
	}
	decided := func(what string, d Decision, ok bool) {
		if !ok || d.Defer {
			return
		}
		found++
		if string(d.Reason) != want.Reason {
			t.Errorf("%s: %s means %s in %s, want %s", name, what, d.Reason, d.List, want.Reason)
		}
	}
	d, ok := Condition(want.ErrorCondition)
	decided(want.ErrorCondition, d, ok)
	for _, s := range []said{{want.ExceptionClass, want.Message}, {want.RootCauseClass, want.RootCauseMessage}} {
		d, code, ok := Code(s.class, s.message)
		decided(code, d, ok)
		d, ok = Class(s.class)
		decided(s.class, d, ok)
	}
	return found
}

func TestCoverage(t *testing.T) {
	rows := map[string]Row{}
	for _, r := range Coverage() {
		sum := 0
		for _, n := range r.Reasons {
			sum += n
		}
		if r.Decided != sum || r.Decided+r.Deferred != r.Rows {
			t.Errorf("%s: %d rows, %d decided, %d deferred, %d by reason", r.List, r.Rows, r.Decided, r.Deferred, sum)
		}
		rows[r.List] = r
	}
	// What an extractor that breaks would lose.
	for name, least := range map[string]int{"delta": 476, "spark": 1141, "pyspark": 290, "sqlstate": 1200, "kafka": 150} {
		if rows[name].Rows < least {
			t.Errorf("%s has %d rows, want %d at least", name, rows[name].Rows, least)
		}
	}
}

func BenchmarkCode(b *testing.B) {
	for name, text := range map[string]string{
		"log":         strings.Repeat("java.lang.RuntimeException: could not write file to hdfs://nn/path/part-00001 in 3 ms\n", 8192/90),
		"prose":       strings.Repeat("The quick brown fox (7) jumps over the error code of 404 lazy dogs. ", 8192/68),
		"parentheses": strings.Repeat("f(x) ", 8192/5),
		"anchors":     strings.Repeat("error code: _exception status code sqlstate ", 8192/44),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Code("java.sql.SQLException", text)
			}
		})
	}
}
