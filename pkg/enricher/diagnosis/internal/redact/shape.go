package redact

import (
	"regexp"
	"strings"
)

// shape is a secret that is recognised by its own look or by a sign that is no setting's name. Its group named
// "secret" is masked, the whole match without one.
type shape struct {
	// guards are plain texts in lower case, one of which must occur before the expression is tried.
	guards []string
	expr   *regexp.Regexp
	// keep says of a match that it is no secret after all.
	keep func(groups map[string]string) bool
}

// host is what tells "user:password@host" from other texts with a colon and an at sign.
const host = `(?:[\w-]+(?:\.[\w-]+)+|localhost|[\w-]+:[0-9]{2,5}\b)`

var shapes = []shape{
	{
		guards: []string{"-----begin"},
		expr: regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?` +
			`(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
	},
	{ // the end of a key whose beginning was lost
		guards: []string{"-----end"},
		expr:   regexp.MustCompile(`(?:(?:[A-Za-z0-9+/=]{4,}\n)?(?:[A-Za-z0-9+/=]{16,}\s+)+(?:[A-Za-z0-9+/=]{1,15}\s+)?|[A-Za-z0-9+/=]+\s+)-----END [A-Z0-9 ]*PRIVATE KEY`),
	},
	{ // a key in PEM that was encoded once more, as in a kubeconfig; certificates are public
		guards: []string{"ls0tls1crudjti"},
		expr:   regexp.MustCompile(`LS0tLS1CRUdJTi(?P<secret>[A-Za-z0-9+/]+=*)`),
		keep: func(g map[string]string) bool {
			return strings.HasPrefix(g["secret"], "BDRVJU") || strings.HasPrefix(g["secret"], "BQVUJM")
		},
	},
	{ // scheme://user:password@host; the password may hold slashes and colons
		guards: []string{"://"},
		expr:   regexp.MustCompile(`://(?P<user>[^\s/@:'"]*):(?P<secret>[^\s'"]+)@(?P<host>[^\s'"/]*)`),
		keep:   isPort,
	},
	{ // user:password@host
		guards: []string{"@"},
		expr:   regexp.MustCompile(`(?:^|[\s'"(=,<\[])(?P<user>[\w.+-]+):(?P<secret>[^\s'"@/:]{3,}[^\s'"@]*)@` + host),
		keep: func(g map[string]string) bool {
			return strings.EqualFold(g["user"], "mailto") || !strings.ContainsAny(g["secret"], "0123456789!#$%^&*+=") ||
				strings.HasPrefix(g["secret"], "//")
		},
	},
	{ // https://token@host
		guards: []string{"http"},
		expr:   regexp.MustCompile(`https?://(?P<secret>[^\s/@:'"]{12,})@`),
		keep:   func(g map[string]string) bool { return !strings.ContainsAny(g["secret"], "0123456789") },
	},
	{
		guards: []string{"jdbc:oracle"},
		expr:   regexp.MustCompile(`(?i)jdbc:oracle:[a-z0-9]+:[^/\s@]*/(?P<secret>"[^"\n]+"|[^\s@]+)@`),
	},
	{
		guards: []string{"sqlplus"},
		expr:   regexp.MustCompile(`(?i)\bsqlplus\b[^\n]{0,80}?[\s'"][\w$#]+/(?P<secret>[^\s@'"]+)`),
	},
	{ // Authorization headers with a scheme; their credentials may have parts
		guards: []string{"authorization"},
		expr: regexp.MustCompile(`(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?` +
			`(?P<secret>(?:basic|bearer|digest|negotiate|ntlm|token|api-?key|aws4-[\w-]+|sharedkey\w*|[\w-]+)[ =][^\n"'\\]+)`),
		keep: func(g map[string]string) bool { return prose.MatchString(g["secret"]) },
	},
	{ // and without one
		guards: []string{"authorization"},
		expr:   regexp.MustCompile(`(?i)authorization\\*["']?\s*[:=,]\s*\\*["']?(?P<secret>[^\s"'\\,;})\]]{6,})`),
		keep:   func(g map[string]string) bool { return !strings.ContainsAny(g["secret"], "0123456789+/=") },
	},
	{
		guards: []string{"bearer"},
		expr:   regexp.MustCompile(`(?i)\bbearer[\s:=]+["']?(?P<secret>[A-Za-z0-9._~+/=-]{8,})`),
		keep:   func(g map[string]string) bool { return plainWord.MatchString(g["secret"]) },
	},
	{
		guards: []string{"basic "},
		expr:   regexp.MustCompile(`(?i)\bbasic\s+(?P<secret>[A-Za-z0-9+/]{8,}={0,2})`),
		keep:   func(g map[string]string) bool { return !random(strings.TrimRight(g["secret"], "=")) },
	},
	{
		guards: []string{"cookie"},
		expr:   regexp.MustCompile(`(?i)\bcookie\\*["']?\s*[:=]\s*\\*["']?(?P<secret>[^\s"']+=[^\n"']+)`),
	},
	{ // options of commands whose names say nothing
		guards: []string{"curl", "-u ", "--user"},
		expr:   regexp.MustCompile(`[\s'"](?:-u|--user)(?:['"]?,?\s+['"]?|=)[\w.@-]+:(?P<secret>[^\s"']+)`),
		keep:   func(g map[string]string) bool { return portOnly.MatchString(g["secret"]) },
	},
	{
		guards: []string{"mysql", "sshpass", "mongo", "beeline", "mariadb", "sqlcmd", "bcp", "redis-cli", "ldap", "keytool"},
		expr: regexp.MustCompile(`\b(?:mysql\w*|mariadb\w*|sshpass|mongo\w*|beeline|sqlcmd|bcp|redis-cli|ldap[a-z]+|keytool)\b[^\n|;]{0,200}?` +
			`[\s'"](?:-p|-P|-a|-w|-storepass|-keypass)(?:['"]?,?\s*['"]?)(?P<secret>[^\s"',]{3,})`),
		keep: func(g map[string]string) bool { return noSecret.MatchString(g["secret"]) || g["secret"][0] == '-' },
	},
	{
		guards: []string{"identified by", "identified with"},
		expr:   regexp.MustCompile(`(?i)identified (?:by|with [\w'"` + "`" + `]+ (?:by|as))\s+(?:password\s+|values\s+)?(?P<secret>'(?:[^'\n]|'')+'|"[^"\n]+"|[^\s;'"]+)`),
		keep: func(g map[string]string) bool {
			return complaint.MatchString(g["secret"]) || plainWord.MatchString(g["secret"])
		},
	},
	{ // keys given to the functions of SQL that encrypt
		guards: []string{"crypt", "hmac", "password("},
		expr: regexp.MustCompile(`(?i)\b(?:\w*(?:en|de)crypt\w*|hmac\w*|password)\s*\((?:[^()'"\n]|\([^()\n]*\))*` +
			`(?P<secret>'(?:[^'\n]|'')+'(?:\s*,\s*'[^'\n]*')*|"[^"\n]+")`),
	},
	{ // .pgpass: host:port:database:user:password
		guards: []string{":54", "pgpass"},
		expr:   regexp.MustCompile(`(?:^|[\s'"=])[A-Za-z*][\w.*-]*:(?:[0-9]{4,5}|\*):[\w.*-]+:[\w.*-]+:(?P<secret>[^\s'"]+)`),
	},
	{ // shared access signatures and presigned URLs
		guards: []string{"sig=", "signature=", "x-amz-credential="},
		expr: regexp.MustCompile(`(?i)\b(?:sig|signature|x-amz-signature|x-amz-credential|x-goog-signature)=` +
			`(?P<secret>[A-Za-z0-9%/+=._~-]{6,})`),
	},
	{
		guards: []string{"akia", "asia", "abia", "acca"},
		expr:   regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}\b`),
	},
	{ // a secret key of AWS that stands beside its id
		guards: []string{"akia", "asia"},
		expr:   regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b.{0,80}?(?:^|[^\w+/=])(?P<secret>[A-Za-z0-9+/]{40})(?:[^\w+/]|$)`),
		keep:   func(g map[string]string) bool { return !looksRandom(g["secret"]) && !random(g["secret"]) },
	},
	{
		guards: []string{"eyj"},
		expr:   regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)*`),
	},
	{ // webhooks, whose last part is the secret
		guards: []string{"/services/t", "/workflows/t", "/triggers/", "/api/webhooks/", "/webhookb2/", "/incomingwebhook/"},
		expr: regexp.MustCompile(`(?i)(?:/(?:services|workflows|triggers)/[TE]\w+/[A-Z]?\w+/|/api/webhooks/\w+/|/webhookb2/|/IncomingWebhook/)` +
			`(?P<secret>[\w@/-]+)`),
	},
	{
		guards: []string{"/bot", "bot "},
		expr:   regexp.MustCompile(`(?i)\bbot\s?[0-9]{6,12}:(?P<secret>[\w-]{20,})`),
	},
}

var (
	portOnly = regexp.MustCompile(`^[0-9]{1,5}([/?]|$)`)
	// hostPort ends userinfo, after which a path with an at sign does not go on.
	hostPort = regexp.MustCompile(`^[\w.-]+:[0-9]{2,5}\b`)
	// prose is what is said of a header, such as "authorization: access denied".
	prose = regexp.MustCompile(`^[a-z]+( [a-z]+)*[.]?$`)
)

// isPort tells a port and a path with an at sign from a password that begins with digits.
func isPort(g map[string]string) bool {
	secret := g["secret"]
	if !portOnly.MatchString(secret) || hostPort.MatchString(g["host"]) {
		return false
	}
	return !random(secret[strings.LastIndexByte(secret, '/')+1:])
}

// spans are where the shape's secrets lie in s.
func (p *shape) spans(s string) []span {
	var found []span
	for _, m := range p.expr.FindAllStringSubmatchIndex(s, -1) {
		if sp, ok := p.span(s, m); ok {
			found = append(found, sp)
		}
	}
	return found
}

func (p *shape) span(s string, match []int) (span, bool) {
	out := span{match[0], match[1]}
	groups := map[string]string{}
	for i, name := range p.expr.SubexpNames() {
		if name == "" || match[2*i] < 0 {
			continue
		}
		groups[name] = s[match[2*i]:match[2*i+1]]
		if name == "secret" {
			out = span{match[2*i], match[2*i+1]}
		}
	}
	if out.start == out.end || strings.Contains(s[out.start:out.end], Mask[:9]) || p.keep != nil && p.keep(groups) {
		return span{}, false
	}
	return out, true
}
