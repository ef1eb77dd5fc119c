package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// certainty is how sure a setting's name makes that its value is secret.
type certainty int

const (
	harmless certainty = iota
	likely             // tokens and keys, of which texts also speak without giving them away
	certain            // passwords and secrets
)

var (
	passwords = []string{"passw", "passphrase", "passcode", "pwd", "secret", "kennwort"}
	keys      = []string{
		"token", "credential", "accesskey", "apikey", "privatekey", "accountkey", "sharedkey", "encryptionkey",
		"customerkey", "clientkey", "signingkey", "masterkey", "authkey", "sessionkey", "storagekey", "saskey",
		"licensekey", "servicekey", "subscriptionkey", "decryptionkey",
	}
	// qualifiers make a key of two words, as in "API key".
	qualifiers = regexp.MustCompile(`(?i)\b(?:access|api|secret|private|account|shared|encryption|signing|master|storage|auth)\s$`)
	// notSecretKey are names of settings about secrets, not secrets themselves, and of exceptions.
	notSecretKey = regexp.MustCompile(`(?i)(name|file|path|dir|provider|class|type|url|uri|enabled|renewer|ref|size` +
		`|count|length|limit|interval|lifetime|ttl|expiry|expiration|exception|error)$`)
	notPass = regexp.MustCompile(`(?i)(by|com|sur|tres)pass$`)
)

// certaintyOf judges a setting by its name.
func certaintyOf(name string) certainty {
	name = strings.Trim(name, "-._ ")
	lower := strings.ToLower(name)
	if name == "" || notSecretKey.MatchString(lower) {
		return harmless
	}
	flat := strings.NewReplacer(".", "", "_", "", "-", "", " ", "").Replace(lower)
	last := lastWord(name)
	switch {
	case containsAny(flat, passwords), last == "pw", last == "pass" && last != lower:
		return certain
	case containsAny(flat, keys), strings.HasSuffix(flat, "pass") && !notPass.MatchString(flat),
		last == "cred", last == "creds", lower == "auth", strings.HasSuffix(lower, "_auth"):
		return likely
	}
	return harmless
}

// namesValue reports whether a name ends with what is secret, rather than with something about it.
func namesValue(name string) bool {
	end := lastWord(name)
	if end == "data" || end == "value" {
		return true
	}
	lower := strings.TrimRight(strings.ToLower(name), "0123456789._-s")
	for _, suffix := range []string{"pass", "password", "passwd", "passphrase", "pwd", "pw", "secret", "token", "key", "credential", "cred", "auth", "kennwort"} {
		if strings.HasSuffix(lower, strings.TrimRight(suffix, "s")) {
			return true
		}
	}
	return false
}

// lastWord is the last word of a name in snake, kebab, dotted or camel case, in lower case and without digits.
func lastWord(name string) string {
	name = strings.TrimRight(name, "0123456789._-")
	if i := strings.LastIndexAny(name, "._- "); i >= 0 {
		name = name[i+1:]
	}
	for i := len(name) - 1; i > 0; i-- {
		if unicode.IsUpper(rune(name[i])) && unicode.IsLower(rune(name[i-1])) {
			return strings.ToLower(name[i:])
		}
	}
	return strings.ToLower(name)
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// classLike reports whether a dotted name is that of a class.
func classLike(name string) bool {
	i := strings.LastIndexByte(name, '.')
	return i >= 0 && i+1 < len(name) && unicode.IsUpper(rune(name[i+1])) && name != strings.ToUpper(name)
}
