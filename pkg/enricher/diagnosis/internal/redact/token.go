package redact

import "strings"

// tokenPrefixes begin the tokens of vendors, after the rules of gitleaks 8.30 where a rule has a prefix of its own.
// Lengths are not checked exactly as a scanner would: half a token is a secret too.
var tokenPrefixes = []string{
	"A3-", "AGE-SECRET-KEY-1", "AIza", "AKCp", "API-", "ATATT3x", "ATCTT3x", "CLOJARS_", "EAAA", "EZAK", "EZTK", "FLWSECK",
	"GOCSPX-", "GR1348941", "HRKU-", "LTAI", "NRAK-", "NRJS-", "PMAK-", "SG.", "SK", "abskey-", "apify_api_", "api_org_",
	"bedrock-api-key-", "cmVmd", "dapi", "dckr_pat_", "dkea", "dop_v1_", "doo_v1_", "dor_v1_", "dp.ct.", "dp.pt.", "dp.st.",
	"dt0c01.", "duffel_", "fio-u-", "fm1a_", "fm1r_", "fm2_", "fo1_", "gh-", "gho_", "ghp_", "ghr_", "ghs_", "ghu_",
	"github_pat_", "glagent-", "glc_", "glcbt-", "gldt-", "glffct-", "glft-", "glimt-", "gloas-", "glpat-", "glptt-", "glrt-",
	"glsa_", "glsoat-", "gsk_", "hf_", "hvb.", "hvr.", "hvs.", "ico-", "key-", "lin_api_", "lsv2_", "mg-api-", "nfp_", "npm_",
	"ntn_", "ops_eyJ", "p8e-", "pnu_", "pplx-", "pscale_oauth_", "pscale_pw_", "pscale_tkn_", "pul-", "pypi-", "rdme_",
	"rk_live_", "rk_prod_", "rk_test_", "rubygems_", "s-s4t2", "sgp_", "sha256~", "shippo_", "shpat_", "shpca_", "shppa_",
	"shpss_", "sk-", "sk_live_", "sk_prod_", "sk_test_", "sl.", "sntrys_", "sntryu_", "sq0atp-", "sq0csp-", "tfp_", "tk-us-",
	"whsec_", "xapp-", "xkeysib-", "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "ya29.",
}

// minToken is how long the rest of a token is at least.
const minToken = 12

// byHead are the prefixes by their first two bytes: a word is looked up, not each prefix searched for.
var byHead = func() map[[2]byte][]string {
	heads := map[[2]byte][]string{}
	for _, p := range tokenPrefixes {
		head := [2]byte{p[0], p[1]}
		heads[head] = append(heads[head], p)
	}
	return heads
}()

// heads tells quickly that no prefix begins with a byte.
var heads = func() (first [256]bool) {
	for _, p := range tokenPrefixes {
		first[p[0]] = true
	}
	return first
}()

// tokens finds the tokens of vendors: a prefix and a long word behind it that holds a digit or both cases.
func tokens(s string) []span {
	var found []span
	inWord := false
	for i := 0; i+minToken < len(s); i++ {
		word := tokenByte(s[i])
		if !word || inWord || !heads[s[i]] {
			inWord = word
			continue
		}
		inWord = true
		for _, p := range byHead[[2]byte{s[i], s[i+1]}] {
			if end, ok := tokenEnd(s, i, p); ok {
				found = append(found, span{i, end})
				break
			}
		}
	}
	return found
}

func tokenEnd(s string, i int, prefix string) (end int, ok bool) {
	if !strings.HasPrefix(s[i:], prefix) {
		return 0, false
	}
	rest := i + len(prefix)
	for end = rest; end < len(s) && (tokenByte(s[end]) || strings.IndexByte("-.=+/~", s[end]) >= 0); end++ {
	}
	body := strings.TrimRight(s[rest:end], "-./")
	return rest + len(body), len(body) >= minToken && tokenBody(body, prefix)
}

// tokenBody tells a token from a word that merely begins like one: without a sign in the prefix, it must be long.
func tokenBody(body, prefix string) bool {
	digits, upper := strings.ContainsAny(body, "0123456789"), body != strings.ToLower(body)
	if strings.IndexByte("-_.~", prefix[len(prefix)-1]) < 0 {
		return digits && len(body) >= 20
	}
	lower := body != strings.ToUpper(body)
	if strings.ContainsAny(body, "-.") && !(digits && upper && lower) && !strings.HasPrefix(prefix, "xox") {
		return digits && longest(body) >= 20 // a slug has short words
	}
	return digits || upper && lower && longest(body) >= 20
}

// longest is the length of the longest word between signs.
func longest(body string) int {
	n := 0
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '-' || r == '.' }) {
		n = max(n, len(part))
	}
	return n
}

func tokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
