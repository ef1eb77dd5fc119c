#!/usr/bin/env bash
# Fails where a go.mod or go.sum is not what go mod tidy makes of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for folder in . hack/tools hack/tools/lint; do
  (cd "$folder" && go mod tidy -diff) || {
    echo "$folder/go.mod is not tidy: run go mod tidy there" >&2
    exit 1
  }
done
