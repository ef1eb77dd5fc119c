package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/apis/failure"
	v1beta2 "github.com/spark-status-enricher/enricher/pkg/apis/sparkoperator/v1beta2"
	"github.com/spark-status-enricher/enricher/pkg/enricher/annotation"
	"github.com/spark-status-enricher/enricher/pkg/enricher/diagnosis"
)

// diagnoseFlags are the flags of the command.
type diagnoseFlags struct {
	pod, log, status string
	conf             []string
	output           string
	configFile       string
	namespace        string
	cluster          clusterFlags
}

func newDiagnoseCommand() *cobra.Command {
	f := &diagnoseFlags{}
	command := &cobra.Command{
		Use:   "diagnose [NAME | --pod FILE --log FILE --status FILE]",
		Short: "Tell why an application failed, from files or from the cluster",
		Long: `Tell why a Spark application failed and who has to act.

With files it works offline; any one of them is enough, and - stands for standard input. Files may be gzip or
UTF-16. A log may be a JSON export of Google Cloud Logging, CloudWatch or Loki. A file with several objects, or a list,
must hold exactly one Pod or SparkApplication.

With the NAME of a SparkApplication it reads application, driver pod and log from the cluster, and writes nothing.`,
		Example: `  enricher diagnose daily-orders -n analytics
  enricher diagnose --log driver.log
  kubectl logs daily-orders-driver | enricher diagnose --log -
  enricher diagnose --pod pod.yaml --log driver.log --status app.yaml -o json`,
		Args: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(command *cobra.Command, args []string) error { return f.run(command, args) },
	}
	flags := command.Flags()
	flags.StringVar(&f.pod, "pod", "", "driver pod in YAML or JSON")
	flags.StringVar(&f.log, "log", "", "driver log; only its end is read")
	flags.StringVar(&f.status, "status", "", "status block of the SparkApplication, or the whole object, in YAML or JSON")
	flags.StringArrayVar(&f.conf, "conf", nil, "KEY=VALUE of the application's sparkConf; may be repeated")
	flags.StringVarP(&f.output, "output", "o", "text", "text, json or yaml; json and yaml print status.diagnostics")
	flags.StringVar(&f.configFile, "config", "", "configuration file of the enricher, for its rules and limits")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of the application")
	f.cluster.add(flags)
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return badInput{err} })
	return command
}

// check refuses invalid combinations of arguments and flags.
func (f *diagnoseFlags) check(args []string) error {
	files, stdin := 0, 0
	for _, file := range []string{f.pod, f.log, f.status} {
		if file != "" {
			files++
		}
		if file == "-" {
			stdin++
		}
	}
	switch {
	case len(args) > 1:
		return badInput{fmt.Errorf("only one application at a time, got %d names", len(args))}
	case len(args) == 1 && files > 0:
		return badInput{errors.New("give either the NAME of an application or files, not both")}
	case len(args) == 0 && files == 0:
		return badInput{errors.New("give the NAME of an application, or at least one of --pod, --log and --status")}
	case stdin > 1:
		return badInput{errors.New("only one input can be standard input")}
	case f.output != "text" && f.output != "json" && f.output != "yaml":
		return badInput{fmt.Errorf("-o %s: must be text, json or yaml", f.output)}
	}
	return nil
}

func (f *diagnoseFlags) run(command *cobra.Command, args []string) error {
	cfg, err := configv1alpha1.Load(f.configFile)
	if err != nil {
		return badInput{err}
	}
	engine, err := diagnosis.New(diagnosis.Options{Rules: cfg.Rules, StackTrace: cfg.StackTrace})
	if err != nil {
		return badInput{err}
	}
	var in inputs
	if len(args) == 1 {
		in, err = f.fromCluster(command.Context(), args[0], cfg, engine)
	} else {
		in, err = f.fromFiles(command.InOrStdin(), cfg.Log.MaxBytes)
	}
	if err != nil {
		return err
	}
	r := reportOn(engine, in, cfg)
	if r.untold && f.output != "text" {
		fmt.Fprintln(command.ErrOrStderr(), "enricher:", emptyText)
	}
	return printReport(command.OutOrStdout(), f.output, r)
}

// inputs are the evidence that was given or read, and the application if there is one.
type inputs struct {
	app      *v1beta2.SparkApplication
	evidence diagnosis.Evidence
}

// report is a diagnosis as the status would show it. It is untold if the evidence is empty.
type report struct {
	failed      bool
	untold      bool
	withheld    bool
	state       v1beta2.State
	diagnostics failure.Diagnostics
}

// reportOn diagnoses, and hides what the application's configuration hides in the status.
func reportOn(engine *diagnosis.Engine, in inputs, cfg *configv1alpha1.EnricherConfiguration) report {
	found := engine.Diagnose(in.evidence)
	r := report{failed: found.Failed, diagnostics: found.Diagnostics}
	if in.app != nil {
		r.state = in.app.Status.ApplicationState.State
	}
	r.untold = !found.Failed && in.evidence.Pod == nil && r.state == "" && len(bytes.TrimSpace(in.evidence.Log)) == 0
	if in.app == nil {
		return r
	}
	if found.Failed && annotation.ConsentOf(in.app, cfg).FactsOnly {
		r.diagnostics, r.withheld = found.FactsOnly(), true
	}
	if found.Failed {
		r.diagnostics.SubmissionID = in.app.Status.SubmissionID
		r.diagnostics.Attempt = in.app.Status.ExecutionAttempts
	}
	return r
}
