#!/usr/bin/env bash
# Brings Spark distributions into DIR (default: .cache/spark/<version>), once, from the pyspark source packages of PyPI:
# they hold the jars, the launch scripts and the Python library, the Kubernetes scheduler included.
#   SPARK_VERSIONS  which ones, separated by spaces
# Exits 1 with one line where something is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../.cache/spark}
# The newest, the line that first wrote exit-exception annotations, and the last that never did.
versions=${SPARK_VERSIONS:-4.3.0 4.1.4 3.5.9}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

fail() { echo "spark: $*" >&2; exit 1; }

# Spark 4 runs on Java 17 and later, Spark 3.5 on 8 to 17.
check_java() {
  local java=${JAVA_HOME:+$JAVA_HOME/bin/}java version
  command -v "$java" >/dev/null || fail "no Java: install a JDK 17 (Debian: openjdk-17-jdk-headless)"
  command -v "${java}c" >/dev/null || fail "Java has no compiler: install a JDK 17 (Debian: openjdk-17-jdk-headless)"
  version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
  [[ $version == 17 ]] || fail "Java $version: all of $versions run only on Java 17, set JAVA_HOME"
}

check_python() {
  command -v python3 >/dev/null || fail "no python3: install Python 3.10 or later"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$(python3 --version): Spark 4 wants 3.10 or later"
  python3 -m pip --version >/dev/null 2>&1 || fail "python3 has no pip: the Spark packages cannot be fetched"
}

# Drivers run as processes with a file system of their own.
check_namespaces() {
  local user=()
  ((EUID == 0)) || user=(--map-root-user)
  unshare "${user[@]}" --mount --uts --pid --fork --mount-proc true 2>/dev/null ||
    fail "no namespaces can be made here (unshare --mount): run as root, or allow user namespaces"
}

# unpack ARCHIVE TARGET lays a pyspark source package out as a Spark home.
unpack() {
  local archive=$1 target=$2 root
  root=$(basename "$archive" .tar.gz)
  tar --no-same-owner -xzf "$archive" -C "$target" --strip-components=2 \
    "$root/deps/bin" "$root/deps/sbin" "$root/deps/jars" "$root/deps/licenses"
  mkdir -p "$target/python" "$target/conf"
  tar --no-same-owner -xzf "$archive" -C "$target/python" --strip-components=1 "$root/lib" "$root/pyspark"
}

fetch() {
  local version=$1 target=$dir/$1 work
  if [[ -f $target/VERSION ]]; then
    return
  fi
  echo "Fetching Spark $version ..."
  work=$(mktemp -d "$dir/.fetch.XXXXXX")
  # shellcheck disable=SC2064 # the folder of this version, not of the last one
  trap "rm -rf '$work'" EXIT
  python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$work" "pyspark==$version" >"$work/log" 2>&1 ||
    fail "pyspark $version cannot be had from the package index: $(tail -n 1 "$work/log")"
  mkdir "$work/home"
  unpack "$work/pyspark-$version.tar.gz" "$work/home"
  compgen -G "$work/home/jars/spark-kubernetes_*.jar" >/dev/null ||
    fail "pyspark $version comes without the Kubernetes scheduler (spark-kubernetes)"
  echo "$version" >"$work/home/VERSION"
  mv "$work/home" "$target"
  rm -rf "$work"
  echo "  $(du -sh "$target" | cut -f1) in $target"
}

check_java
check_python
check_namespaces
for version in $versions; do
  fetch "$version"
done
