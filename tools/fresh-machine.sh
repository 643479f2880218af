#!/bin/sh
# A fresh machine as a newcomer has it: Debian 13 in a folder, with git and curl, Python and pip, one Node and npm, and
# a copy of this project without what was installed or built. Runs a command in it and ends with its exit code.
#
#   fresh-machine.sh <folder> <node> <npm> <command>     (for people: node --import tsx specs/runner/fresh.mjs 22 'npm test')
#
# The folder keeps the Debian for the next time, <node> is the program, <npm> the folder of its package. Needs root. Mounts
# and processes live in namespaces of their own, so that they are gone with this script, however it ends.
# 75: no such machine can be made here; the last line on stderr says why.
set -eu

project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/tools/debian.sh"

# ---- outside: checks what is needed and goes into the namespaces ----------------------------------------------------
if [ "${1:-}" != --inside ]; then
  need chroot
  # Also when who started it is killed.
  exec setpriv --pdeathsig KILL unshare --mount --propagation=private --pid --fork --kill-child=KILL -- "$0" --inside "$@"
fi

# ---- inside ----------------------------------------------------------------------------------------------------------
shift
home=$1 node=$2 npm=$3 command=$4
root=$home/debian13
mkdir -p -m 0700 "$home"
exec 9> "$home/lock"
flock -n 9 || cannot "another run uses it"

# debootstrap from this machine, or unpacked beside the Debian: nothing is installed into the system.
bootstrap() {
  if command -v debootstrap >/dev/null; then debootstrap "$@"; return; fi
  mkdir -p "$home/apt/lists/partial" "$home/apt/cache/archives/partial"
  own="-qq -o Dir::State::lists=$home/apt/lists -o Dir::Cache=$home/apt/cache -o APT::Sandbox::User=root"
  # shellcheck disable=SC2086
  (cd "$home/apt" && apt-get $own update && apt-get $own download debootstrap) || return 1
  dpkg-deb -x "$home"/apt/debootstrap_*.deb "$home/apt/unpacked"
  DEBOOTSTRAP_DIR=$home/apt/unpacked/usr/share/debootstrap "$home/apt/unpacked/usr/sbin/debootstrap" "$@"
}

if [ ! -e "$root" ]; then
  mirror=$(archive)
  echo "Making a Debian 13 (about a minute, once) ..."
  # Drafts of runs that were killed; nothing is mounted in them any more.
  rm -rf "$home"/draft.*
  draft=$home/draft.$$
  bootstrap --force-check-gpg --variant=minbase --include=ca-certificates,curl,git,python3,python3-pip trixie "$draft" "$mirror" \
    > "$home/debootstrap.log" 2>&1 || cannot "debootstrap failed: $(tail -n 1 "$home/debootstrap.log")"
  rm -rf "$home/apt" "$draft"/var/cache/apt/archives/*.deb
  mv "$draft" "$root"
fi

# As new: all that a run writes is its home and temporary files. Outside nothing is mounted below either folder.
rm -rf "$home/run" "$root/tmp"
mkdir -m 0700 "$home/run"
mkdir -m 1777 "$root/tmp"
mount --bind "$home/run" "$root/root" && mount -t proc proc "$root/proc" || cannot "nothing may be mounted"

# Shown inside, at the same place or another, read-only; it goes with the namespace.
shown=
show() {
  [ -f "$1" ] || return 0
  case " $shown " in *" $1 "*) return 0 ;; esac
  shown="$shown $1"
  mkdir -p "$(dirname "$root${2:-$1}")"
  [ -e "$root${2:-$1}" ] || : > "$root${2:-$1}"
  mount --bind "$(readlink -f "$1")" "$root${2:-$1}" && mount -o remount,bind,ro "$root${2:-$1}"
}
# How this machine reaches its network, and the settings of its package managers.
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/npmrc /usr/etc/npmrc; do
  show "$file"
done
show "${HOME:-/root}/.npmrc" /root/.npmrc
show "${HOME:-/root}/.config/pip/pip.conf" /root/.config/pip/pip.conf
set --
for name in $(network_settings) PORT REALTIME_PORT METRICS_PORT; do
  value=$(printenv "$name") || continue
  show "$value"
  set -- "$@" "$name=$value"
done

mkdir -p "$root/opt/node/bin" "$root/opt/npm" "$root/root/project"
show "$node" /opt/node/bin/node
mount --bind "$npm" "$root/opt/npm" && mount -o remount,bind,ro "$root/opt/npm"
for cli in npm npx; do
  printf '#!/bin/sh\nexec node /opt/npm/bin/%s-cli.js "$@"\n' "$cli" > "$root/usr/local/bin/$cli"
  chmod 0755 "$root/usr/local/bin/$cli"
done
tar -C "$project" --exclude=node_modules --exclude=./.git --exclude=./.livecore --exclude='./dist*' --exclude=./coverage \
  -cf - . | tar -C "$root/root/project" -xf -

cd /
env -i "$@" HOME=/root PATH=/opt/node/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
  chroot "$root" /bin/sh -c "cd /root/project
$command"
