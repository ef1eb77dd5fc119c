// Package config holds the manifests that the binary carries along.
package config

import "embed"

// Files are the CRD extension and the admission policies, by their paths below config/.
//
//go:embed crd/sparkapplication-status.yaml admission/keep-status.yaml admission/fence.yaml
//go:embed admission/driver-finalizer.yaml admission/driver-termination-message.yaml
var Files embed.FS
