#!/usr/bin/env bash
# Builds the failing programs of test/spark/programs for each Spark distribution in DIR (default: .cache/spark):
# DIR/<version>-jobs/{jobs.jar,*.py}. Built again only when a source has changed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$here/../../test/spark/programs
dir=$(cd "${1:-$here/../../.cache/spark}" && pwd)
java_bin=${JAVA_HOME:+$JAVA_HOME/bin/}

for home in "$dir"/[0-9]*/; do
  version=$(basename "$home")
  [[ $version == *-jobs ]] && continue
  target=$dir/$version-jobs
  if [[ -f $target/jobs.jar && -z $(find "$sources" -newer "$target/jobs.jar" -type f) ]]; then
    continue
  fi
  rm -rf "$target"
  mkdir -p "$target"
  classes=$(mktemp -d "$dir/.classes.XXXXXX")
  "${java_bin}javac" -nowarn -encoding UTF-8 -d "$classes" -cp "$home/jars/*" "$sources"/java/com/example/jobs/*.java
  "${java_bin}jar" --create --file "$target/jobs.jar" -C "$classes" .
  rm -r "$classes"
  cp "$sources"/python/*.py "$target"
  touch "$target/jobs.jar"
done
