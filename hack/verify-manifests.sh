#!/usr/bin/env bash
# Builds the kustomizations with KUBECTL and checks the syntax of the scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for folder in default admission rbac manager webhook; do
  "$KUBECTL" kustomize "config/$folder" >/dev/null
done
find hack .ci test -name '*.sh' -print0 | xargs -0 -n 1 bash -n
bash -n .ci/run
