#!/usr/bin/env bash
# Generates everything in a copy of the repository and fails where the copy differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -cf - go.mod go.sum Makefile cmd config docs hack pkg | tar -xf - -C "$copy"
ln -s "$PWD/bin" "$copy/bin"
(cd "$copy" && make generate >/dev/null)

for folder in config docs pkg/apis; do
  if ! diff -ru "$folder" "$copy/$folder"; then
    echo "Generated files are out of date: run make generate" >&2
    exit 1
  fi
done
