package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"golang.org/x/term"
	"sigs.k8s.io/yaml"

	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	"github.com/spark-status-enricher/enricher/pkg/apis/spark"
)

func printReport(out io.Writer, format string, r report) error {
	switch format {
	case "json":
		data, err := json.MarshalIndent(r.diagnostics, "", "  ")
		if err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
		_, err = fmt.Fprintln(out, string(data))
		return err
	case "yaml":
		data, err := yaml.Marshal(r.diagnostics)
		if err != nil {
			return fmt.Errorf("writing YAML: %w", err)
		}
		_, err = out.Write(data)
		return err
	}
	_, err := io.WriteString(out, r.text(isTerminal(out)))
	return err
}

// isTerminal says whether to use colours: only on a terminal, and only if the user did not disable them.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(file.Fd()))
}

// page prints the report as labels and values.
type page struct {
	strings.Builder
	colour bool
}

const (
	labelWidth = 12
	textWidth  = 100
)

func (p *page) row(label, value string) {
	if value == "" {
		return
	}
	lines := wrap(value, textWidth-labelWidth)
	fmt.Fprintf(p, "%s%s\n", p.paint("1", fmt.Sprintf("%-*s", labelWidth, label+":")), lines[0])
	for _, l := range lines[1:] {
		fmt.Fprintf(p, "%*s%s\n", labelWidth, "", l)
	}
}

func (p *page) paint(code, s string) string {
	if !p.colour {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// acts explains each category by who has to act.
var acts = map[failure.Category]string{
	failure.CategoryUser:          "User: the author of the program or query",
	failure.CategoryConfiguration: "Configuration: whoever writes the application's specification, image or access rules",
	failure.CategoryData:          "Data: the owner of the data or of the outside service",
	failure.CategoryPlatform:      "Platform: the operators of the cluster, or whoever sizes the job",
	failure.CategoryUnknown:       "Unknown: the evidence does not say",
}

var retries = map[failure.Retryable]string{
	failure.RetryableTrue:    "yes, the same submission has a fair chance",
	failure.RetryableFalse:   "no, the same submission would fail again",
	failure.RetryableUnknown: "unknown",
}

const emptyText = "the evidence is empty: nothing can be told from it"

func (r report) text(colour bool) string {
	p := &page{colour: colour}
	if r.untold {
		return p.paint("33", "Unknown:") + " " + emptyText + "\n"
	}
	if !r.failed {
		well := p.paint("32", "Well:") + " nothing in the evidence says that the driver failed or cannot start"
		if r.state != "" {
			well += fmt.Sprintf(" (%s)", r.state)
		}
		return well + "\n"
	}
	d := &r.diagnostics
	p.row("Reason", p.paint("31", string(d.Reason)))
	p.row("Who acts", acts[d.Category])
	p.row("Message", d.Message)
	p.cause(d)
	p.row("Retry", retries[d.Retryable])
	p.row("Hint", d.Hint)
	p.row("Evidence", string(d.Source))
	p.row("Rule", d.Rule)
	p.row("Exit code", exitText(d))
	p.row("Driver", driverText(d.Driver))
	p.row("Executors", executorsText(d.Executors))
	if r.withheld {
		p.row("Withheld", "the text of log and exception: "+spark.ConfAnnotateExitException+" or the configuration forbids it")
	}
	p.trace(d)
	return p.String()
}

func (p *page) cause(d *failure.Diagnostics) {
	x := d.Exception
	if x == nil {
		return
	}
	p.row("Exception", x.Class)
	if c := x.RootCause; c != nil {
		p.row("Root cause", strings.Trim(c.Class+": "+c.Message, ": "))
	}
	if x.Condition != "" {
		p.row("Condition", strings.TrimSpace(x.Condition+" "+x.SQLState))
	}
}

// shownLines is how many lines of the trace the terminal shows. The json and yaml outputs contain all that the status does.
const shownLines = 20

func (p *page) trace(d *failure.Diagnostics) {
	if d.Exception == nil || len(d.Exception.StackTrace) == 0 {
		return
	}
	lines := d.Exception.StackTrace
	fmt.Fprintf(p, "%s\n", p.paint("1", "Trace:"))
	for _, l := range lines[:min(len(lines), shownLines)] {
		fmt.Fprintf(p, "  %s\n", p.paint("2", l))
	}
	if more := len(lines) - shownLines; more > 0 {
		fmt.Fprintf(p, "  %s\n", p.paint("2", fmt.Sprintf("(%d more lines in -o yaml)", more)))
	}
}

func exitText(d *failure.Diagnostics) string {
	if d.ExitCode == nil {
		return ""
	}
	if d.Signal != "" {
		return fmt.Sprintf("%d (%s)", *d.ExitCode, d.Signal)
	}
	return fmt.Sprint(*d.ExitCode)
}

func driverText(d *failure.Driver) string {
	if d == nil {
		return ""
	}
	parts := []string{"pod " + d.PodName, "container " + d.Container}
	if d.NodeName != "" {
		parts = append(parts, "node "+d.NodeName)
	}
	if d.StartedAt != nil && d.FinishedAt != nil {
		parts = append(parts, "ran "+d.FinishedAt.Sub(d.StartedAt.Time).String())
	}
	return strings.Join(parts, ", ")
}

func executorsText(e *failure.Executors) string {
	if e == nil {
		return ""
	}
	var parts []string
	for _, c := range []struct {
		count *int32
		what  string
	}{{e.Failed, "failed"}, {e.OOMKilled, "OOM-killed"}, {e.Evicted, "evicted"}, {e.Lost, "lost"}} {
		if c.count != nil {
			parts = append(parts, fmt.Sprintf("%d %s", *c.count, c.what))
		}
	}
	codes := make([]string, 0, len(e.ExitCodes))
	for code, n := range e.ExitCodes {
		codes = append(codes, fmt.Sprintf("exit code %s: %d", code, n))
	}
	sort.Strings(codes)
	return strings.Join(append(parts, codes...), ", ")
}

// wrap breaks a text at spaces into lines of at most width bytes. A longer word gets its own line.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
