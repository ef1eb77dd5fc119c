package redact

import (
	"regexp"
	"strings"
)

// pattern is a secret with a recognisable shape. Its group named "secret" is masked, the whole match without one.
type pattern struct {
	// guards are plain texts in lower case, one of which must occur before the expression is tried.
	guards []string
	expr   *regexp.Regexp
	// keep says of a match that it is no secret after all.
	keep func(groups map[string]string) bool
}

const (
	secretWord = `(?:password|passwd|passphrase|pwd|secret|token|access[._-]?key|api[._-]?key|private[._-]?key` +
		`|account[._-]?key|shared[._-]?key|encryption[._-]?key|credentials?)`
	value = `(?:"(?P<a>(?:[^"\\\n]|\\.)*)"|'(?P<b>[^'\n]*)'|(?P<c>[^\s"'&;,)}\]<>]+)|"(?P<d>[^"\\\n]+))`
)

// patterns in the order they are applied.
var patterns = []pattern{
	{
		guards: []string{"-----begin"},
		expr: regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?` +
			`(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
	},
	{ // the end of a key whose beginning was lost
		guards: []string{"-----end"},
		expr:   regexp.MustCompile(`(?:[A-Za-z0-9+/=]{16,}\s+)+-----END [A-Z ]*PRIVATE KEY`),
	},
	{ // scheme://user:password@host; the password may hold slashes and colons
		guards: []string{"://"},
		expr:   regexp.MustCompile(`://(?P<user>[^\s/@:'"]*):(?P<secret>[^\s'"]+)@`),
		keep:   func(g map[string]string) bool { return portOnly.MatchString(g["secret"]) },
	},
	{ // https://token@host
		guards: []string{"http"},
		expr:   regexp.MustCompile(`https?://(?P<secret>[^\s/@:'"]{12,})@`),
		keep:   func(g map[string]string) bool { return !strings.ContainsAny(g["secret"], "0123456789") },
	},
	{
		guards: []string{"jdbc:oracle"},
		expr:   regexp.MustCompile(`(?i)jdbc:oracle:[a-z0-9]+:[^/\s@]*/(?P<secret>[^\s@]+)@`),
	},
	{ // Authorization headers of any scheme
		guards: []string{"authorization"},
		expr:   regexp.MustCompile(`(?i)authorization["']?\s*[:=]\s*["']?(?P<secret>[^\n"']+)`),
		keep:   func(g map[string]string) bool { return !strings.ContainsAny(g["secret"], " =") },
	},
	{
		guards: []string{"bearer"},
		expr:   regexp.MustCompile(`(?i)\bbearer[\s:=]+["']?(?P<secret>[A-Za-z0-9._~+/=-]{8,})`),
		keep:   func(g map[string]string) bool { return plainWord.MatchString(g["secret"]) },
	},
	{
		guards: []string{"cookie"},
		expr:   regexp.MustCompile(`(?i)\bcookie["']?\s*[:=]\s*["']?(?P<secret>[^\s"']+=[^\n"']+)`),
	},
	{ // JSON within a JSON or Java string
		guards: words,
		expr:   regexp.MustCompile(`(?i)\\["'](?P<key>[\w.-]*` + secretWord + `[\w.-]*)\\["']\s*:\s*\\["'](?P<secret>[^"'\\\n]+)`),
		keep:   keepSetting,
	},
	{ // key=value, key: value in quotes, and --key value
		guards: words,
		expr:   regexp.MustCompile(`(?i)(?P<key>[\w.-]*` + secretWord + `[\w.-]*)["']?\s{0,24}(?:=>?|->)\s{0,2}\\*` + value),
		keep:   keepSetting,
	},
	{
		guards: words,
		expr:   regexp.MustCompile(`(?i)["'](?P<key>[\w.-]*` + secretWord + `[\w.-]*)\\?["']\s*:\s*\\?` + value),
		keep:   keepSetting,
	},
	{
		guards: []string{"pass", "secret", "key", "token"},
		expr: regexp.MustCompile(`(?i)\b(?P<key>password|passwd|passphrase|secret|secret[ _-]?key|api[ _-]?key|x-api-key` +
			`|x-amz-security-token)\s?:\s{0,2}` + value),
		keep: keepSetting,
	},
	{ // YAML, headers and listings: a name that holds more than the one word
		guards: words,
		expr: regexp.MustCompile(`\b(?P<key>(?i:[\w.-]*[\w][_.-]` + secretWord + `)|[a-z][A-Za-z]*(?:Password|Secret|Token` +
			`|ApiKey|AccessKey|PrivateKey|AccountKey))\s?:\s{1,2}` + value),
		keep: func(g map[string]string) bool { return keepSetting(g) || saysWord(g) },
	},
	{
		guards: []string{"pass"},
		expr:   regexp.MustCompile(`(?i)(?:["'](?P<key>pass)["']\s*:\s*|\bpass=)` + value),
	},
	{ // SQL's WITH PASSWORD 'x'
		guards: []string{"password '"},
		expr:   regexp.MustCompile(`(?i)\bpassword '(?P<secret>[^'\n]+)'`),
	},
	{ // a list of arguments
		guards: words,
		expr:   regexp.MustCompile(`(?i)["']--?(?P<key>[\w.-]*` + secretWord + `)["'],\s*["'](?P<secret>[^"'\n]+)`),
		keep:   func(g map[string]string) bool { return keepSetting(g) || strings.HasPrefix(g["secret"], "-") },
	},
	{ // -u user:password
		guards: []string{"-u ", "--user "},
		expr:   regexp.MustCompile(`\s(?:-u|--user) ["']?[\w.@-]+:(?P<secret>[^\s"']+)`),
		keep:   func(g map[string]string) bool { return portOnly.MatchString(g["secret"]) },
	},
	{
		guards: []string{"mysql", "sshpass"},
		expr:   regexp.MustCompile(`\b(?:mysql\w*(?: [^\n]*?)? -p|sshpass -p ?)(?P<secret>[^\s"']{3,})`),
	},
	{
		guards: words,
		expr:   regexp.MustCompile(`(?i)--?(?P<key>[\w.-]*` + secretWord + `)\s+` + value),
		keep:   func(g map[string]string) bool { return keepSetting(g) || strings.HasPrefix(g["c"], "-") },
	},
	{ // (key,value), as Spark prints its configuration
		guards: words,
		expr:   regexp.MustCompile(`(?i)\((?P<key>[\w.-]*` + secretWord + `[\w.-]*),\s?(?P<secret>[^()\n]+)\)`),
		keep:   keepSetting,
	},
	{
		guards: words,
		expr:   regexp.MustCompile(`(?i)<(?P<key>[\w.-]*` + secretWord + `[\w.-]*)>(?P<secret>[^<\n]+)<`),
		keep:   keepSetting,
	},
	{
		guards: []string{"<name>"},
		expr:   regexp.MustCompile(`(?i)<name>(?P<key>[\w.-]*` + secretWord + `[\w.-]*)</name>\s*<value>(?P<secret>[^<\n]+)<`),
		keep:   keepSetting,
	},
	{
		guards: []string{"identified by"},
		expr:   regexp.MustCompile(`(?i)identified by\s+['"](?P<secret>[^'"\n]+)`),
	},
	{ // shared access signatures and presigned URLs
		guards: []string{"sig=", "signature=", "x-amz-credential="},
		expr: regexp.MustCompile(`(?i)\b(?:sig|signature|x-amz-signature|x-amz-credential|x-goog-signature)=` +
			`(?P<secret>[A-Za-z0-9%/+=._~-]{6,})`),
	},
	{
		guards: []string{"akia", "asia"},
		expr:   regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b`),
	},
	{
		guards: []string{"eyj"},
		expr:   regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?`),
	},
	{
		guards: []string{"ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "aiza", "ya29.", "dapi", "hvs."},
		expr: regexp.MustCompile(`\b(?:gh[pos]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}` +
			`|AIza[\w-]{30,}|ya29\.[\w-]{16,}|dapi[0-9a-f]{32}|hvs\.[\w-]{16,})`),
	},
	{
		guards: []string{"sk-", "k_live_", "sg.", "npm_", "pypi-"},
		expr: regexp.MustCompile(`\b(?:sk-[\w-]{20,}|[rs]k_live_\w{10,}|SG\.[\w-]{10,}\.[\w-]{10,}|npm_[A-Za-z0-9]{30,}` +
			`|pypi-[\w-]{16,})`),
	},
	{
		guards: []string{"hooks.slack.com/", "/api/webhooks/"},
		expr:   regexp.MustCompile(`(?:hooks\.slack\.com/\w+|/api/webhooks)/(?P<secret>[\w/-]+)`),
	},
}

var (
	words     = []string{"pass", "pwd", "secret", "token", "key", "credential"}
	portOnly  = regexp.MustCompile(`^[0-9]{1,5}([/?]|$)`)
	plainWord = regexp.MustCompile(`^[a-z]{1,20}$`)
	noSecret  = regexp.MustCompile(`(?i)^(true|false|null|none|nil|undefined|[0-9]{1,5})$`)
	// notSecretKey are names of settings about secrets, not secrets themselves.
	notSecretKey = regexp.MustCompile(`(?i)(name|file|path|dir|provider|class|type|url|uri|enabled|renewer|ref|size` +
		`|count|length|limit|interval|lifetime|ttl|expiry|expiration)$`)
)

// keepSetting spares settings that are about a secret, and values that cannot be one.
func keepSetting(g map[string]string) bool {
	key := strings.ToLower(g["key"])
	secret := g["secret"] + g["a"] + g["b"] + g["c"] + g["d"]
	if strings.Trim(secret, "{[(") == "" || notSecretKey.MatchString(key) {
		return true // an object opens here: its parts are looked at by themselves
	}
	if strings.HasSuffix(key, "pwd") && strings.HasPrefix(secret, "/") {
		return true
	}
	if secret == "YES" || secret == "NO" {
		return true // MySQL's "using password: YES"
	}
	certain := strings.Contains(key, "pass") || strings.Contains(key, "secret")
	return !certain && noSecret.MatchString(secret)
}

// complaint are words that begin what is said of a setting, such as "fs.s3a.secret.key: not set".
var complaint = regexp.MustCompile(`(?i)^(not|no|is|must|missing|required|invalid|cannot|should|expected|the|value|empty|unset|unknown)$`)

// saysWord spares a complaint about a setting, and a plain word unless the name is that of a password.
func saysWord(g map[string]string) bool {
	if complaint.MatchString(g["c"]) {
		return true
	}
	key := strings.ToLower(g["key"])
	certain := strings.Contains(key, "pass") || strings.Contains(key, "secret")
	return !certain && plainWord.MatchString(strings.ToLower(g["c"]))
}

// builtIn masks every secret of a recognisable shape.
func builtIn(s string) string {
	lower := strings.ToLower(s)
	for i := range patterns {
		if patterns[i].guarded(lower) {
			s = patterns[i].mask(s)
		}
	}
	return s
}

func (p *pattern) guarded(lower string) bool {
	for _, g := range p.guards {
		if strings.Contains(lower, g) {
			return true
		}
	}
	return false
}

// mask replaces the secret of each match.
func (p *pattern) mask(s string) string {
	matches := p.expr.FindAllStringSubmatchIndex(s, -1)
	if matches == nil {
		return s
	}
	var b strings.Builder
	done := 0
	for _, m := range matches {
		start, end, ok := p.span(s, m)
		if !ok {
			continue
		}
		b.WriteString(s[done:start])
		b.WriteString(Mask)
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// secretAt is the secret of one match, "" where it is none.
func (p *pattern) secretAt(s string, match []int) string {
	start, end, ok := p.span(s, match)
	if !ok {
		return ""
	}
	return s[start:end]
}

// span finds the secret within a match: the group "secret", one of the value's groups, or all of it.
func (p *pattern) span(s string, match []int) (start, end int, ok bool) {
	start, end = match[0], match[1]
	groups := map[string]string{}
	for i, name := range p.expr.SubexpNames() {
		if name == "" || match[2*i] < 0 {
			continue
		}
		groups[name] = s[match[2*i]:match[2*i+1]]
		if name != "key" && name != "user" {
			start, end = match[2*i], match[2*i+1]
		}
	}
	if start == end || strings.Contains(s[start:end], Mask[:9]) {
		return 0, 0, false
	}
	if p.keep != nil && p.keep(groups) {
		return 0, 0, false
	}
	return start, end, true
}
