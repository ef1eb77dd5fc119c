#!/usr/bin/env bash
# Runs the command of a container on this machine: in namespaces of its own, with the pod's files laid over the
# machine's, and with an init process that hands SIGTERM on and ends everything when the command ends.
#   sandbox.sh POD CGROUP COMMAND [ARGUMENT...]
# POD is a folder with the files hostname, workdir and mounts (lines of source, target, ro|rw, separated by tabs).
# CGROUP is the file to join a cgroup by, or empty.
set -euo pipefail

if [[ $1 != --inside ]]; then
  pod=$1 cgroup=$2
  shift 2
  [[ -z $cgroup ]] || echo $$ >"$cgroup"
  user=()
  ((EUID == 0)) || user=(--map-root-user)
  exec unshare "${user[@]}" --mount --uts --pid --fork --kill-child --mount-proc \
    "$BASH" "${BASH_SOURCE[0]}" --inside "$pod" "$@"
fi

pod=$2
shift 2
hostname "$(<"$pod/hostname")"
workdir=$(<"$pod/workdir")

# Folders that the machine doesn't have are made in a private copy of the top-level one.
declare -A private
make_private() {
  local top=$1 over=$pod/over$1
  [[ -z ${private[$top]:-} ]] || return 0
  mkdir -p "$top" "$over/upper" "$over/work"
  mount -t overlay -o "lowerdir=$top,upperdir=$over/upper,workdir=$over/work" overlay "$top"
  private[$top]=1
}

lay() {
  local source=$1 target=$2 mode=$3 top
  target=$(realpath -m "$target")
  top=/$(cut -d/ -f2 <<<"$target")
  if [[ -d $source && ! -d $target ]]; then
    make_private "$top"
    mkdir -p "$target"
  elif [[ ! -d $source && ! -e $target ]]; then
    make_private "$top"
    mkdir -p "$(dirname "$target")"
    touch "$target"
  fi
  mount --bind "$source" "$target"
  [[ $mode == rw ]] || mount -o remount,bind,ro "$target"
}

lay_devices() {
  local dev=$pod/dev name
  mkdir -p "$dev"
  mount -t tmpfs tmpfs "$dev"
  mkdir "$dev/shm"
  ln -s /proc/self/fd "$dev/fd"
  for name in null zero full random urandom; do
    touch "$dev/$name"
    mount --bind "/dev/$name" "$dev/$name"
  done
  mount --rbind "$dev" /dev
}

lay_devices
while IFS=$'\t' read -r source target mode; do
  lay "$source" "$target" "$mode"
done <"$pod/mounts"
cd "$workdir"

child=
trap '[[ -z $child ]] || kill -TERM "$child"' TERM
"$@" &
child=$!
while true; do
  code=0
  wait "$child" || code=$?
  kill -0 "$child" 2>/dev/null || exit "$code"
done
