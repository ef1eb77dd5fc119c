package node

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/virtual-kubelet/virtual-kubelet/node/api"
	"k8s.io/client-go/util/cert"
)

// kubeletAPI is the HTTPS server that the API server fetches logs from. It asks nobody who they are: it listens on
// loopback only.
type kubeletAPI struct {
	listener net.Listener
	server   *http.Server
}

func serveKubeletAPI(w Workload) (*kubeletAPI, error) {
	certificate, key, err := cert.GenerateSelfSignedCertKey(address, []net.IP{net.ParseIP(address)}, nil)
	if err != nil {
		return nil, fmt.Errorf("making the kubelet's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("loading the kubelet's certificate: %w", err)
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(address, "0"),
		&tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	if err != nil {
		return nil, fmt.Errorf("listening for the kubelet API: %w", err)
	}
	handler := api.PodHandler(api.PodHandlerConfig{GetContainerLogs: w.GetContainerLogs, GetPods: w.GetPods}, false)
	k := &kubeletAPI{listener: listener, server: &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}}
	go k.server.Serve(listener) //nolint:errcheck // it ends with ErrServerClosed
	return k, nil
}

func (k *kubeletAPI) port() int32 {
	return int32(k.listener.Addr().(*net.TCPAddr).Port) //nolint:gosec // a port fits
}

func (k *kubeletAPI) close() {
	_ = k.server.Close()
}
