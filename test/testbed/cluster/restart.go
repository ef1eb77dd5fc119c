package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// serverStop is how long the kube-apiserver has to end by itself.
const serverStop = 2 * time.Second

// RestartAPIServer stops the kube-apiserver and starts it again on the same port, certificates and data, after it was
// down for the given time. Nobody else is restarted.
func (c *Cluster) RestartAPIServer(ctx context.Context, down time.Duration) error {
	server := c.environment.ControlPlane.GetAPIServer()
	if err := unlessKilled(server.Stop()); err != nil {
		return fmt.Errorf("stopping the API server: %w", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(down):
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("starting the API server again: %w", err)
	}
	return ctx.Err()
}

// unlessKilled drops the error of a control plane that had to be killed: open watches keep a kube-apiserver from ending
// for a minute.
func unlessKilled(err error) error {
	if err != nil && strings.Contains(err.Error(), "timeout waiting for process kube-apiserver to stop") {
		return nil
	}
	return err
}

// ServerCertificate is what the kube-apiserver shows on 127.0.0.1. A proxy before it can show the same.
func (c *Cluster) ServerCertificate() (tls.Certificate, error) {
	directory := c.certificates()
	certificate, err := tls.LoadX509KeyPair(filepath.Join(directory, "apiserver.crt"), filepath.Join(directory, "apiserver.key"))
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("reading the API server's certificate: %w", err)
	}
	return certificate, nil
}

// certificates is the folder of the kube-apiserver's certificates, which outlive a restart.
func (c *Cluster) certificates() string { return c.file("kube-apiserver") }

// OperatorCRD is the file that an upgrade of the operator applies again.
func (c *Cluster) OperatorCRD(ctx context.Context) (string, error) {
	folder, err := operatorCRDs(ctx, c.Root)
	return filepath.Join(folder, "sparkoperator.k8s.io_sparkapplications.yaml"), err
}

// Signal sends a signal to the program. One that has ended already is left alone.
func (p *Process) Signal(signal os.Signal) error {
	if err := p.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signalling %s: %w", p.Name, err)
	}
	return nil
}
