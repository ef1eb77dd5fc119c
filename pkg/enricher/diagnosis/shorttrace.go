package diagnosis

import (
	"fmt"
	"strings"
)

// maxTraceLine is the longest line of the short trace, in bytes.
const maxTraceLine = 1024

// shortTrace picks the lines of a trace that matter most: its head, the exception's own lines, every cause and what
// stands around them, in their order, with a mark where lines are left out.
func shortTrace(trace string, maxLines, maxBytes int) (lines []string, cutShort bool) {
	if trace == "" {
		return nil, false
	}
	all := strings.Split(trace, "\n")
	for i, l := range all {
		all[i] = cut(strings.TrimLeft(strings.ReplaceAll(l, "\t", " "), " "), maxTraceLine)
		if l != "" && l[0] == ' ' {
			all[i] = cut(strings.ReplaceAll(l, "\t", " "), maxTraceLine)
		}
	}
	keep, fits := pick(all, maxLines, maxBytes)
	if fits {
		return all, false
	}
	return withMarks(all, keep), true
}

// markBytes is set aside for one mark.
const markBytes = 32

// pick marks the lines to keep, by importance, until a limit is reached.
func pick(all []string, maxLines, maxBytes int) (keep []bool, fits bool) {
	keep = make([]bool, len(all))
	total := 0
	for _, l := range all {
		total += len(l) + 1
	}
	if len(all) <= maxLines && total <= maxBytes {
		return keep, true
	}
	lines, bytes, gaps := 0, 0, 3
	take := func(i int) bool {
		if i < 0 || i >= len(all) || keep[i] {
			return true
		}
		if lines+1 > maxLines-gaps || bytes+len(all[i])+1 > maxBytes-gaps*markBytes {
			return false
		}
		keep[i] = true
		lines++
		bytes += len(all[i]) + 1
		return true
	}
	for _, window := range windows(all) {
		for i := window.from; i < window.to; i++ {
			if !take(i) {
				break
			}
		}
	}
	closeGaps(keep, gaps)
	return keep, false
}

// closeGaps drops kept lines from the end of the middle until no more gaps remain than marks were set aside for.
func closeGaps(keep []bool, allowed int) {
	for gaps(keep) > allowed {
		at := lastIsland(keep)
		if at < 0 {
			return
		}
		for i := at; i < len(keep) && keep[i]; i++ {
			keep[i] = false
		}
	}
}

func gaps(keep []bool) int {
	n := 0
	for i := range keep {
		if !keep[i] && (i == 0 || keep[i-1]) {
			n++
		}
	}
	return n
}

// lastIsland is the start of the second last run of kept lines.
func lastIsland(keep []bool) int {
	var starts []int
	for i := range keep {
		if keep[i] && (i == 0 || !keep[i-1]) {
			starts = append(starts, i)
		}
	}
	if len(starts) < 3 {
		return -1
	}
	return starts[len(starts)-2]
}

type window struct{ from, to int }

// windows are the parts of a trace in the order of their importance.
func windows(all []string) []window {
	lastCause, thrown := -1, -1
	for i, l := range all {
		if strings.HasPrefix(l, "Caused by: ") {
			lastCause = i
		}
		if thrown < 0 && i > 0 && l != "" && l[0] != ' ' && strings.HasPrefix(all[0], "Traceback ") {
			thrown = i
		}
	}
	list := []window{{0, 1}}
	if thrown >= 0 {
		list = append(list, window{thrown, thrown + 3}, window{max(1, thrown-8), thrown})
	}
	if lastCause >= 0 {
		list = append(list, window{lastCause, lastCause + 6})
	}
	return append(list, window{1, len(all)})
}

func withMarks(all []string, keep []bool) []string {
	var out []string
	skipped := 0
	flush := func() {
		if skipped > 0 {
			out = append(out, fmt.Sprintf("... %d lines left out", skipped))
			skipped = 0
		}
	}
	for i, l := range all {
		if !keep[i] {
			skipped++
			continue
		}
		flush()
		out = append(out, l)
	}
	flush()
	return out
}
