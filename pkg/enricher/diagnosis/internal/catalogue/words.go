package catalogue

import (
	"regexp"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// wordRule knows the everyday words of clients and servers, in the names of their classes and in what they say. They
// prove nothing about a program's own exceptions, so that these rules are asked only where software threw.
type wordRule struct {
	id string
	// class are parts of the class's simple name, in lower case; text are parts of the message, in lower case.
	class, text []string
	// all of these stand in the message, too.
	all []string
	// not are parts of the message that say otherwise.
	not    []string
	reason failure.Reason
	// retryable differs from the reason's default where it is set.
	retryable failure.Retryable
}

// wordRules stand in the order in which they are asked: who is refused is not absent, and what is too busy is no
// failure of the network.
var wordRules = []wordRule{
	// Two classes of one name, from different loaders or one of them relocated.
	{
		id: "words.class-cast", class: []string{"classcast"}, all: []string{"cannot be cast to"},
		not:    []string{"to java.lang.", "to class java.lang.", "to java.util.", "to class java.util.", "to scala.", "to class scala.", "catalyst"},
		reason: failure.ReasonDependencyConflict,
	},
	{
		id: "words.function-arguments", text: []string{"calling z:org.apache.spark.sql.functions"}, all: []string{"]) does not exist"},
		reason: failure.ReasonUserCodeError,
	},
	{
		id: "words.versions", class: []string{"incompatibleversion", "versionmismatch", "unsupportedversion"},
		text: []string{
			"incompatible jackson version", "incompatible version", "version mismatch", "invalid method name", "shim loader",
			"no such method", "]) does not exist", "versions do not match", "requires version", "is not compatible with",
			"expected http 101 response", "is not supported by this version", "unsupported protocol version",
			"incompatible ", "newer version", "requires java", "requires spark", "protocol versions supported",
		},
		reason: failure.ReasonDependencyConflict,
	},
	// A package of Python that asks another one for what it does not have.
	{
		id: "words.attribute", text: []string{"type object '", "module '", "' object"}, all: []string{"has no attribute '"},
		not: []string{"'nonetype' object"}, reason: failure.ReasonDependencyConflict,
	},
	{
		id: "words.undefined-name", class: []string{"nameerror"}, reason: failure.ReasonDependencyConflict,
	},
	{
		id: "words.keyword-argument", text: []string{"got an unexpected keyword argument"}, reason: failure.ReasonDependencyConflict,
	},
	{
		id: "words.memory", class: []string{"outofmemory", "oomexception", "retryoom", "splitandretryoom"},
		text: []string{"not enough spark off-heap execution memory", "not enough memory", "unable to allocate", "out of memory", "outofmemory"},
		not:  []string{"memory limit (total)", "server"}, reason: failure.ReasonDriverOutOfMemory,
	},
	{
		id: "words.throttled",
		class: []string{
			"throttl", "ratelimit", "toomanyrequests", "quotaexceeded", "overload", "resourceexhausted",
			"limitexceeded", "busyexception",
		},
		text: []string{
			"rate limit", "exceeded rate limits", "too many requests", "throttl", "overloaded", "too many parts", "quota exceeded",
			"exceeded quota", "resource exhausted", "resource_exhausted", "try again later", "retry later", "temporarily unavailable",
			"server is busy", "memory limit (total) exceeded", "memory limit (for query) exceeded", "reserve_slots_failed",
			"exceeds the throughput", "exceeded the configured", "circuit_breaking_exception",
		},
		reason: failure.ReasonExternalServiceUnavailable,
	},
	{
		id: "words.refused",
		class: []string{
			"accessdenied", "unauthorized", "unauthenticated", "authentication", "authorization", "permissiondenied", "forbidden",
			"notauthorized", "loginfault", "credential", "invalidlogin", "securityexception", "badcredentials",
		},
		text: []string{
			"invalid_login", "login failed", "requested by the login", "invalid username", "invalid user",
			"no api key", "api key not", "invalid api key", "unauthorized",
			"not authorized", "access denied", "permission denied", "failed to authenticate",
			"does not have permission", "no permission", "access is denied", "not allowed to",
			"signature does not match", "invalid credentials", "expired credentials", "unauthorised", "authentication",
			"unauthenticated", "wrong password",
			"invalid token", "token expired", "insufficient permission", "insufficient privileges", "missing authentication",
			"web identity token file", "kerberos", "access token",
		},
		reason: failure.ReasonAccessDenied,
	},
	{
		id:    "words.settings",
		class: []string{"configurationexception", "configexception", "invalidconfig", "missingproperty", "invalidoption", "urisyntax"},
		text: []string{
			"is not set", "config parameter", "config file", "configuration file", "invalid config", "configuration error", "misconfigured",
			"is not enabled", "not enabled", "must be enabled", "cannot be empty", "must not be empty",
			"missing required", "required parameter", "environment variable", "not been set", "must be set",
			"please set", "please unset", "please provide", "please specify", "does not support local",
			"is not configured", "not configured",
			"configuration not found", "no active warehouse", "missing property", "required property", "required option",
			"unknown option", "invalid option", "invalid uri", "invalid url", "illegal character in", "malformed url",
			"no url specified", "is required but", "must be specified", "must specify", "should be set", "config option",
			"invalid pattern given", "unsupported scheme", "in a read-only transaction", "read-only mode", "enable it by setting",
			"set the config", "by setting the", "invalid value for", "is not a valid value",
		},
		not: []string{"schema"}, reason: failure.ReasonInvalidConfiguration,
	},
	{
		id: "words.sql",
		text: []string{
			"sql compilation error", "syntax error", "sql syntax", "invalid identifier", "invalid character in sql", "invalid input '",
			"invalid operation: ", "must be of type", "not supported on ", "unknown column", "unknown function",
		},
		class: []string{
			"sqlsyntaxerror", "sqlparse", "sqlgrammar",
		},
		reason: failure.ReasonSqlAnalysisError,
	},
	{
		id: "words.column", text: []string{"field \"", "column \"", "column '", "field '", "column `"},
		all: []string{"does not exist"}, reason: failure.ReasonSqlAnalysisError,
	},
	{
		id: "words.shuffle", text: []string{"shuffle data lost", "shuffle fetch failed", "failed to fetch shuffle", "commit files failed"},
		class: []string{"fetchfailed"}, reason: failure.ReasonExecutorLost,
	},
	{
		id: "words.position",
		text: []string{
			"snapshot was expired", "snapshot expired", "offset out of range", "offsets are out of range", "with higher epoch",
			"checkpoint is corrupt", "offset is no longer available", "cannot load current offset",
		},
		class: []string{"offsetoutofrange", "receiverdisconnected"}, reason: failure.ReasonStreamingStateError, retryable: failure.RetryableUnknown,
	},
	{
		id: "words.conflict", class: []string{"conflict", "lockexception", "concurrentmodification", "concurrentupdate", "optimisticlock"},
		text:   []string{"unable to acquire lock", "failed to acquire lock", "could not acquire lock", "write conflict", "concurrent update"},
		reason: failure.ReasonCommitConflict,
	},
	{
		id: "words.absent", class: []string{
			"notfound", "doesnotexist", "notexist", "nosuchkey", "nosuchbucket", "nosuchtable", "nosuchentity",
			"nosuchobject", "nosuchfile",
		},
		text: []string{
			"could not find collection", "couldn't find ", "could not find ", "does not exist", "doesn't exist", "no such ", "no file found",
			"no files found", "not found at", "collection not found", "bucket not found", "object not found",
			"table not found",
			"index_not_found", "no such index", "database not found", "topic not found", "file not found", "resource not found",
			"unknown collection", "no such collection", "resource_not_found",
		},
		not: []string{"class ", "method", "module", "column", "field", "function", "schema", "block", "option"}, reason: failure.ReasonDataNotFound,
	},
	{
		id: "words.schema", class: []string{"schemamismatch", "incompatibleschema", "schemaexception"},
		text: []string{
			"schema mismatch", "schema compatibility", "incompatible types", "incompatible schema", "schema does not match", "does not match the schema", "type mismatch",
			"differing column", "column nullable", "column count",
		},
		reason: failure.ReasonSchemaMismatch,
	},
	{
		id: "words.unreachable",
		class: []string{
			"timeout", "timedout", "unavailable", "unreachable", "connectionexception", "connectexception", "communication",
			"disconnected", "connectionerror", "connecterror", "connectionclosed", "nohttpresponse", "nonode", "failedtoconnect",
		},
		text: []string{
			"timed out", "timeout", "communication error", "network connection", "connection error", "network error",
			"not reachable", "could not reach", "unable to reach", "all nodes failed", "lost connection",
			"reset by peer", "service is not available", "couldn't connect", "failed to connect",
			"could not connect", "connection refused", "connection reset", "connection closed", "connection failed", "unreachable",
			"premature end of chunk", "premature eof", "peer shut down", "terminated the handshake", "closed by remote",
			"at consistency ", "broken pipe", "connection aborted", "register shuffle failed", "no nodes left", "host not found",
			"could not write all entries", "connection is not available",
		},
		reason: failure.ReasonExternalServiceUnavailable,
	},
	{
		id: "words.values", class: []string{"corrupt", "malformed", "datetimeparse", "numberformat", "jsonparse", "decodingexception", "invaliddata", "badrecord", "deserialization"},
		text: []string{
			"corrupt", "malformed", "could not be parsed", "invalid format", "cannot convert", "could not convert",
			"out of range", "overflow", "too long", "not-null", "duplicate key", "checksum", "cannot parse",
			"unparseable", "invalid utf-8", "truncated file", "for input string",
			"unrecognized token", "unexpected character", "not a valid json",
		},
		reason: failure.ReasonInvalidData,
	},
}

// httpStatus finds the status of an HTTP answer where a client says that it is one.
var httpStatus = regexp.MustCompile(
	`(?i)(?:\bhttp(?:/\d(?:\.\d)?)?|status(?:[ _-]?code)?|response[ _-]?code|error[ _-]?code|failed with)["']?(?: error)?\s*[:=]?\s*["'(]?(40[0-9]|41[0-9]|42[0-9]|50[0-9])\b`)

// httpReasons are what the statuses mean.
var httpReasons = map[string]failure.Reason{
	"401": failure.ReasonAccessDenied, "403": failure.ReasonAccessDenied, "404": failure.ReasonDataNotFound,
	"408": failure.ReasonExternalServiceUnavailable, "409": failure.ReasonCommitConflict, "412": failure.ReasonCommitConflict,
	"429": failure.ReasonExternalServiceUnavailable, "500": failure.ReasonExternalServiceUnavailable,
	"502": failure.ReasonExternalServiceUnavailable, "503": failure.ReasonExternalServiceUnavailable,
	"504": failure.ReasonExternalServiceUnavailable,
}

// ByWords is the verdict of everyday words on what software threw, asked from the root cause outward.
func ByWords(links []Link) (Verdict, bool) {
	low := lowered(links)
	for i := len(low) - 1; i >= 0; i-- {
		name := strings.ToLower(simpleName(low[i].class))
		for j := range wordRules {
			if r := &wordRules[j]; r.matches(name, low[i].text) {
				v := Of(r.id, r.reason)
				if r.retryable != "" {
					v.Retryable = r.retryable
				}
				return v.where(links), true
			}
		}
		if m := httpStatus.FindStringSubmatch(low[i].text); m != nil && httpReasons[m[1]] != "" {
			return Of("http."+m[1], httpReasons[m[1]]), true
		}
	}
	return Verdict{}, false
}

func (r *wordRule) matches(class, text string) bool {
	return (containsAny(class, r.class) || containsAny(text, r.text)) && containsAll(text, r.all) && !containsAny(text, r.not)
}

func simpleName(class string) string { return class[strings.LastIndexAny(class, ".$")+1:] }
