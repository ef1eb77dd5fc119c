#!/usr/bin/env bash
# Builds what the tests and the demo run against, once, into DIR (default: bin/):
# kube-apiserver, kubectl and etcd from the Go modules beside this script, and the spark-operator.
# A binary that is already there in the pinned version is left alone.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-$here/../../bin}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
export GOFLAGS="${GOFLAGS:-} -mod=readonly" CGO_ENABLED=0

pinned() { (cd "$here/$1" && go list -m -f '{{.Version}}' "$2"); }

# build NAME MODULE-FOLDER MODULE PACKAGE [go build flags]: skipped when DIR/.NAME names the pinned version.
build() {
  local name=$1 folder=$2 module=$3 package=$4 version
  shift 4
  version=$(pinned "$folder" "$module")
  if [[ -x $dir/$name && $(cat "$dir/.$name" 2>/dev/null) == "$version" ]]; then
    return
  fi
  echo "Building $name $version ..."
  local start=$SECONDS
  (cd "$here/$folder" && go build -trimpath -ldflags "-s -w ${ldflags:-}" -o "$dir/$name" "$package")
  echo "$version" >"$dir/.$name"
  echo "  done in $((SECONDS - start)) s"
}

# Clients read the server's version and switch features by it, so the real one is stamped in.
kube_version=$(pinned kubernetes k8s.io/kubernetes)
IFS=. read -r major minor _ <<<"${kube_version#v}"
stamp=k8s.io/component-base/version
kube_ldflags="-X $stamp.gitVersion=$kube_version -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor -X $stamp.gitTreeState=clean"

if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
  echo "Using the control plane in KUBEBUILDER_ASSETS"
else
  build etcd etcd go.etcd.io/etcd/server/v3 go.etcd.io/etcd/server/v3
  ldflags=$kube_ldflags build kube-apiserver kubernetes k8s.io/kubernetes k8s.io/kubernetes/cmd/kube-apiserver
  ldflags=$kube_ldflags build kubectl kubernetes k8s.io/kubernetes k8s.io/kubernetes/cmd/kubectl
fi
build spark-operator operator github.com/kubeflow/spark-operator/v2 github.com/kubeflow/spark-operator/v2/cmd/operator
