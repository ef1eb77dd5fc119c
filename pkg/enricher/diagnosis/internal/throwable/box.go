package throwable

import "strings"

// isBox reports whether a line opens the box that the rich library draws around a traceback.
func isBox(s string) bool {
	t := strings.TrimLeft(s, " ")
	return strings.HasPrefix(t, "╭") || strings.HasPrefix(t, "┌")
}

func isBoxEnd(s string) bool {
	t := strings.TrimLeft(s, " ")
	return strings.HasPrefix(t, "╰") || strings.HasPrefix(t, "└")
}

func isBoxSide(s string) bool {
	t := strings.TrimLeft(s, " ")
	return strings.HasPrefix(t, "│") || strings.HasPrefix(t, "|")
}

// parseRich parses a traceback in a box: frames within, the exception below, wrapped at the terminal's width.
func parseRich(lines []string) *Exception {
	var frames []string
	for i, l := range lines {
		switch {
		case isBox(l), isBoxEnd(l), strings.TrimSpace(l) == "":
		case isBoxSide(l):
			if f := strings.Trim(l, " │|"); strings.Contains(f, " in ") && strings.Contains(f, ":") {
				frames = append(frames, f)
			}
		default:
			e := exceptionAt(lines[i:], 0)
			if e != nil {
				e.Message = strings.Join(strings.Fields(e.Message), " ")
				e.Frames = frames
			}
			return e
		}
	}
	return nil
}

// ungroup removes the margin that Python draws beside an ExceptionGroup.
func ungroup(lines []string) (plain []string, grouped bool) {
	if len(lines) == 0 || !strings.Contains(lines[0], groupTop) {
		return lines, false
	}
	for _, l := range lines {
		t := strings.TrimLeft(l, " ")
		switch {
		case strings.HasPrefix(t, "| "):
			plain = append(plain, t[2:])
		case strings.HasPrefix(t, "+-"), strings.HasPrefix(t, "|"):
			plain = append(plain, "")
		default:
			plain = append(plain, strings.TrimPrefix(t, "+ "))
		}
	}
	return plain, true
}

const groupTop = "Exception Group Traceback"

// firstOfGroup parses the first exception of a group, which may be a group itself.
func firstOfGroup(lines []string) *Exception {
	for i, l := range lines {
		if !isTracebackTop(l) {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
			end++
		}
		if !strings.Contains(l, groupTop) {
			return ParsePython(lines[i:end])
		}
		e := parseSection(append([]string{"Traceback (most recent call last):"}, lines[i+1:end]...))
		if e != nil {
			e.Cause = firstOfGroup(lines[end:])
		}
		return e
	}
	return nil
}
