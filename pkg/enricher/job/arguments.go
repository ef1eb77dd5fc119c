package job

import "strings"

// Arguments are the literals of a command line. An option names the argument that follows it or its own "=value"; the
// whole line is one more, for what only shows in its context.
func Arguments(args []string) []Literal {
	var found []Literal
	for i, arg := range args {
		name, v, assigned := strings.Cut(arg, "=")
		switch {
		case assigned:
			found = append(found, Literal{Name: name, Value: v})
		case i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") && !strings.HasPrefix(arg, "-"):
			found = append(found, Literal{Name: args[i-1], Value: arg})
		}
	}
	if len(args) > 0 {
		found = append(found, Literal{Value: strings.Join(args, " ")})
	}
	return found
}
