package spark_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"sigs.k8s.io/yaml"
)

const shownMessage = 60

// report prints the matrix. Conditions are the statuses of Ready, Reconciling, Stalled, Complete and Failed.
func report(w io.Writer, results []*result, took time.Duration) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROGRAM\tSPARK\tCONF\tANNOTATION\tREASON\tSOURCE\tEXIT\tCLASS\tMESSAGE\tCONDITIONS\tSECONDS\t")
	right := 0
	for _, r := range results {
		if r.outcome == nil || r.outcome.app == nil {
			fmt.Fprintf(table, "%s\t%s\t%s\t%v\t\n", r.cell.program.Name, r.cell.version, r.cell.conf, r.err)
			continue
		}
		d, mark := r.outcome.diagnostics(), "  "
		if len(r.wrong) > 0 || r.err != nil {
			mark = "! "
		} else {
			right++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.0f\t\n", mark+r.cell.program.Name, r.cell.version, r.cell.conf,
			r.outcome.author(), d.Reason, d.Source, r.outcome.exitCode(), short(d.Exception.Class), cut(d.Message, shownMessage),
			r.outcome.conditions(), r.outcome.took.Seconds())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d of %d cells as expected in %s\n", right, len(results), took.Round(time.Second))
	return err
}

// short leaves the package of a class out.
func short(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "..."
	}
	return text
}

// keep writes what a cell left behind into a folder of its own.
func keep(folder string, r *result) error {
	if folder == "" || r.outcome == nil {
		return nil
	}
	target := filepath.Join(folder, strings.ReplaceAll(r.cell.String(), "/", "_"))
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("keeping %s: %w", r.cell, err)
	}
	files := map[string]any{"application.yaml": r.outcome.app, "pod.yaml": r.outcome.pod, "driver.log": r.outcome.log}
	for name, content := range files {
		text, ok := content.(string)
		if !ok {
			data, err := yaml.Marshal(content)
			if err != nil {
				return fmt.Errorf("keeping %s: %w", r.cell, err)
			}
			text = string(data)
		}
		if err := os.WriteFile(filepath.Join(target, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("keeping %s: %w", r.cell, err)
		}
	}
	return nil
}
