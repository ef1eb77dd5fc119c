// Package config holds the manifests that the binary carries along.
package config

import "embed"

// Files are the CRD extension, the admission policies and the webhooks, by their paths below config/.
//
//go:embed crd/sparkapplication-status.yaml admission/keep-status.yaml admission/fence.yaml
//go:embed admission/driver-finalizer.yaml admission/driver-termination-message.yaml
//go:embed webhook/common/keep-status.yaml webhook/driver-pods/driver-pods.yaml
var Files embed.FS
