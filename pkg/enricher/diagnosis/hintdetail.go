package diagnosis

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
)

// detail finds what a text names, and words it. Format takes the groups of the expression.
type detail struct {
	reasons []failure.Reason
	// guard must occur before the expression is tried.
	guard  string
	expr   *regexp.Regexp
	format string
}

// details are tried in order; the first that matches a link of the chain, from the root outward, speaks.
var details = []detail{
	{
		of(failure.ReasonMissingDependency), "No module named",
		regexp.MustCompile(`No module named ['"]?([\w.]+)`),
		"Python module %s is missing.",
	},
	{
		of(failure.ReasonMissingDependency), "data source",
		regexp.MustCompile(`(?i)data source:? [` + "`" + `'"]?([\w.\-]*\w)`),
		"Data source %s is missing.",
	},
	{
		of(failure.ReasonMissingDependency), "scheme",
		regexp.MustCompile(`No FileSystem for scheme:? ["']?([\w.\-]+)`),
		"The file system for scheme %s is missing.",
	},
	{
		of(failure.ReasonMissingDependency), "class",
		regexp.MustCompile(`(?:load class|find or load main class|find class) ([\w.$/]+[\w$])`),
		"Class %s is missing.",
	},
	{
		of(failure.ReasonMissingDependency), "open file",
		regexp.MustCompile(`can't open file '([^']+)'`),
		"File %s is missing.",
	},
	{
		of(failure.ReasonMissingDependency), "shared object",
		regexp.MustCompile(`(\S+\.so[\w.]*): cannot open shared object`),
		"Library %s is missing.",
	},

	{
		of(failure.ReasonKubernetesForbidden), "cannot",
		regexp.MustCompile(`User "([^"]+)" cannot (\w+) resource "([^"]+)"` +
			`(?: in API group "[^"]*")?(?: in the namespace "([^"]+)")?`),
		"%s may not %s %s in namespace %s.",
	},
	{
		of(failure.ReasonKubernetesForbidden), "ervice",
		regexp.MustCompile(`serviceaccount "([^"]+)" not found`),
		"Service account %s does not exist.",
	},

	{of(failure.ReasonAdmissionDenied), "webhook", regexp.MustCompile(`webhook "([^"]+)"`), "Refused by webhook %s."},
	{
		of(failure.ReasonAdmissionDenied), "PodSecurity",
		regexp.MustCompile(`violates PodSecurity "([^"]+)"`),
		"Refused by Pod Security level %s.",
	},
	{
		of(failure.ReasonAdmissionDenied), "olicy",
		regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)'`),
		"Refused by policy %s.",
	},

	{of(failure.ReasonQuotaExceeded), "quota: ", regexp.MustCompile(`quota: ([\w.\-]+)`), "Quota %s."},

	{of(failure.ReasonImagePullFailed), "image", regexp.MustCompile(`image (?:name |tag )?"([^"]+)"`), "Image %s."},

	{
		of(failure.ReasonEvicted), "exceeds the limit",
		regexp.MustCompile(`EmptyDir volume "([^"]+)" exceeds the limit "([^"]+)"`),
		"Volume %s is limited to %s.",
	},
	{
		of(failure.ReasonEvicted), "storage",
		regexp.MustCompile(`(?:storage limit|total limit of containers) "?(\w+)`),
		"Its ephemeral storage is limited to %s.",
	},
	{
		of(failure.ReasonEvicted), "low on resource",
		regexp.MustCompile(`low on resource: ([\w.\-/]*\w)`),
		"The node ran short of %s.",
	},

	{
		of(failure.ReasonContainerConfigError), "not found",
		regexp.MustCompile(`(secret|configmap) "([^"]+)" not found`),
		"Missing %s %s.",
	},
	{
		of(failure.ReasonContainerConfigError), "find key",
		regexp.MustCompile(`find key (\S+) in (Secret|ConfigMap) (\S+)`),
		"Missing key %s in %s %s.",
	},

	{
		of(failure.ReasonUnschedulable), "persistentvolumeclaim",
		regexp.MustCompile(`persistentvolumeclaim "([^"]+)" not found`),
		"Missing volume claim %s.",
	},

	{
		of(failure.ReasonSqlAnalysisError), "cannot be",
		regexp.MustCompile("(?i)(table or view|function|routine|schema|database|column|" +
			"column, variable, or function parameter with name) (`[^ ]+`) cannot be"),
		"Unknown %s %s.",
	},

	{
		of(failure.ReasonDataNotFound), "ath does not exist",
		regexp.MustCompile(`(?i)path does not exist: (\S+[^\s.,;])`),
		"Path %s does not exist.",
	},
	{
		of(failure.ReasonDataNotFound), "such file",
		regexp.MustCompile(`No such file or directory: ['"]?([^\s'"]+)`),
		"Path %s does not exist.",
	},

	{
		of(failure.ReasonDataNotFound, failure.ReasonAccessDenied), "://",
		regexp.MustCompile(`\b((?:s3a?|s3n|gs|abfss?|wasbs?|hdfs|oss|cosn|file)://[^\s'",;)]+[^\s'",;).:])`),
		"Location: %s.",
	},

	{of(failure.ReasonDataNotFound), "topic", regexp.MustCompile(`(?i)topic:? '?([\w.\-]+)'? `), "Topic %s."},
	{of(failure.ReasonDataNotFound), "/", regexp.MustCompile(`(?:^|[\s'"(])(/[\w.\-/=]+[\w\-=])`), "Path: %s."},

	{
		of(failure.ReasonAccessDenied), "ser",
		regexp.MustCompile(`(?i)\buser[ =:]+["']?([\w.\-@/:]*[\w/])`),
		"Refused: user %s.",
	},

	{
		of(failure.ReasonInvalidConfiguration), "spark.",
		regexp.MustCompile(`(?:^|[^.\w])(spark\.[a-z][\w.\-]*[\w])`),
		"Setting: %s.",
	},
	{of(failure.ReasonInvalidConfiguration), "-X", regexp.MustCompile(`(-XX?:?[+\-]?\w[\w=.]*)`), "JVM option: %s."},

	{
		of(failure.ReasonExternalServiceUnavailable, failure.ReasonKubernetesApiUnavailable), "UnknownHost",
		regexp.MustCompile(`UnknownHostException:? ([\w.\-]+)`),
		"Host %s cannot be resolved.",
	},
	{
		of(failure.ReasonExternalServiceUnavailable, failure.ReasonKubernetesApiUnavailable), ":",
		regexp.MustCompile(`([a-zA-Z][\w\-]*(?:\.[\w\-]+)*(?:/[\d.]+)?:\d{2,5})\b`),
		"Endpoint: %s.",
	},
}

func of(reasons ...failure.Reason) []failure.Reason { return reasons }

// detailFor words what the finding's text names.
func detailFor(s *podView, f *finding) string {
	if f.verdict.Reason == failure.ReasonUserCodeError && f.exception != nil {
		return ownFrame(s, f.exception)
	}
	if f.verdict.Reason == failure.ReasonUnclassifiedError && f.origin.software != "" {
		return "Thrown by " + f.origin.software + "."
	}
	for _, text := range textsOf(f) {
		for i := range details {
			if d := &details[i]; d.speaksOf(f.verdict.Reason) && strings.Contains(text, d.guard) {
				if words := d.words(s, text); words != "" {
					return words
				}
			}
		}
	}
	return missingClass(f)
}

func (d *detail) speaksOf(r failure.Reason) bool {
	for _, x := range d.reasons {
		if x == r {
			return true
		}
	}
	return false
}

func (d *detail) words(s *podView, text string) string {
	m := d.expr.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	args := make([]any, len(m)-1)
	for i, g := range m[1:] {
		if g == "" && s.Pod != nil {
			g = s.Pod.Namespace
		}
		args[i] = g
	}
	return fmt.Sprintf(d.format, args...)
}

// textsOf are the texts that may name something, from the root cause outward.
func textsOf(f *finding) []string {
	if f.exception == nil {
		return []string{f.words}
	}
	links := f.exception.Chain()
	texts := make([]string, 0, len(links))
	for i := len(links) - 1; i >= 0 && len(texts) < 32; i-- {
		texts = append(texts, headWords(links[i].Class+": "+links[i].Message, 8*1024))
	}
	return texts
}

// missingClass names the class of a ClassNotFoundException, whose whole text it is.
func missingClass(f *finding) string {
	if f.verdict.Reason != failure.ReasonMissingDependency || f.exception == nil {
		return ""
	}
	root := f.exception.Root()
	if isOneOf(root.Class, []string{"ClassNotFoundException", "NoClassDefFoundError"}) {
		name := strings.TrimSpace(root.Message)
		if name != "" && !strings.ContainsAny(name, " \n") {
			return "Class " + strings.ReplaceAll(name, "/", ".") + " is missing."
		}
	}
	return ""
}

// headWords cuts at a blank, so that nothing that must be redacted is cut in half.
func headWords(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:max(0, strings.LastIndexAny(s[:n], " \n\t"))]
}
