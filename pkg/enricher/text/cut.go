// Package text holds what several rooms do to texts.
package text

import "unicode/utf8"

const ellipsis = "..."

// Cut shortens s to at most limit bytes, at a rune boundary, with "..." at its end where it was cut. A limit below 3
// gives the empty string for a longer s.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len(ellipsis)
	if end < 0 {
		return ""
	}
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}
