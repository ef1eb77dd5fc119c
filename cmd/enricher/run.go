package main

import (
	"fmt"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/spark-status-enricher/enricher/pkg/apis/config/v1alpha1"
	"github.com/spark-status-enricher/enricher/pkg/enricher"
)

func newRunCommand() *cobra.Command {
	var configFile, logLevel string
	var cluster clusterFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the controller",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configv1alpha1.Load(configFile)
			if err != nil {
				return badInput{err}
			}
			logger, err := newLogger(logLevel)
			if err != nil {
				return badInput{err}
			}
			restConfig, err := cluster.restConfig()
			if err != nil {
				return err
			}
			if err := logEffective(logger, cfg); err != nil {
				return err
			}
			return enricher.Run(cmd.Context(), restConfig, cfg, logger)
		},
	}
	cmd.Flags().StringVar(&configFile, "config", "", "configuration file; all defaults without one")
	cmd.Flags().StringVar(&logLevel, "log-level", "info", "debug, info or error")
	cluster.add(cmd.Flags())
	return cmd
}

// newLogger creates the JSON logger that the controller and its libraries share.
func newLogger(level string) (logr.Logger, error) {
	parsed, err := zapcore.ParseLevel(level)
	if err != nil {
		return logr.Logger{}, fmt.Errorf("--log-level: %w", err)
	}
	logger := zap.New(zap.Level(parsed), zap.StacktraceLevel(zapcore.PanicLevel))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	return logger, nil
}

func logEffective(logger logr.Logger, cfg *configv1alpha1.EnricherConfiguration) error {
	effective, err := yaml.Marshal(cfg)
	if err != nil {
		return fmt.Errorf("encoding the effective configuration: %w", err)
	}
	logger.Info("Starting with this configuration", "configuration", string(effective))
	return nil
}
