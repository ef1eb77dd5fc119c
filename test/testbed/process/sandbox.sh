#!/usr/bin/env bash
# Runs the command of a container on this machine: in namespaces of its own, with the pod's files laid over the
# machine's, and with an init process that hands SIGTERM on and ends everything when the command ends.
#   sandbox.sh POD CGROUP COMMAND [ARGUMENT...]
# POD is a folder with the files hostname, workdir and mounts (lines of source, target and mode, separated by tabs; the
# mode is ro, rw, or copy for a folder that the container may change and nobody else sees). CGROUP is the file to join a
# cgroup by, or empty.
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

copy() {
  local source=$1 target=$2 over=$pod/over/${2//\//_}
  mkdir -p "$over/upper" "$over/work"
  mount -t overlay -o "lowerdir=$source,upperdir=$over/upper,workdir=$over/work" overlay "$target"
}

# Folders that the machine doesn't have are made in a private copy of the top-level one.
declare -A private
make_private() {
  [[ -z ${private[$1]:-} ]] || return 0
  copy "$1" "$1"
  private[$1]=1
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
  case $mode in
  copy) copy "$source" "$target" ;;
  rw) mount --bind "$source" "$target" ;;
  ro)
    mount --bind "$source" "$target"
    mount -o remount,bind,ro "$target"
    ;;
  esac
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
  private[/dev]=1
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
