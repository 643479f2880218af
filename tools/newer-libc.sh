#!/bin/sh
# This machine with Debian 13's C library instead of its own: where a Node of today can load what it can't load on an older system.
# Runs a command in a copy of this project, with what was installed and fetched before, and ends with its exit code.
#
#   newer-libc.sh <folder> <node> <cache> <command>
#
# <folder> keeps the library for the next time, <node> is the program, <cache> where the stores' programs are. Needs root. Mounts and
# processes live in namespaces of their own, so that they are gone with this script, however it ends; outside only files below <folder>,
# <cache> and the temporary folder change.
# 75: that can't be had here; the last line on stderr says why.
set -eu

project=$(cd "$(dirname "$0")/.." && pwd)
. "$project/tools/debian.sh"
libraries=/usr/lib/x86_64-linux-gnu

if [ "${1:-}" != --inside ]; then
  need
  # Debian 13 has 2.41.
  own=$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
  [ "$(printf '%s\n' 2.41 "$own" | sort -V | tail -n 1)" = 2.41 ] || cannot "this system's C library, $own, is newer than Debian 13's"
  [ -e "$libraries/libc.so.6" ] || cannot "the C library isn't where Debian has it"
  # Also when who started it is killed.
  exec setpriv --pdeathsig KILL unshare --mount --propagation=private --pid --fork --mount-proc --kill-child=KILL -- "$0" --inside "$@"
fi

shift
home=$1 node=$2 cache=$3 command=$4
mkdir -p -m 0700 "$home"
exec 9> "$home/lock"
flock -n 9 || cannot "another run uses it"

if [ ! -e "$home/libc" ]; then
  mirror=$(archive)
  # Drafts of runs that were killed.
  rm -rf "$home/apt" "$home/draft"
  mkdir -p "$home/apt/lists/partial" "$home/apt/cache/archives/partial" "$home/draft"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > "$home/apt/sources.list"
  set -- -qq -o "Dir::Etc::sourcelist=$home/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::Etc::preferences=- \
    -o Dir::Etc::preferencesparts=- -o APT::Default-Release= -o Acquire::Languages=none \
    -o "Dir::State::lists=$home/apt/lists" -o "Dir::Cache=$home/apt/cache" -o APT::Sandbox::User=root
  (cd "$home/apt" && apt-get "$@" update && apt-get "$@" download libc6 libstdc++6 libgcc-s1) > "$home/apt.log" 2>&1 ||
    cannot "apt can't fetch Debian 13's C library: $(tail -n 1 "$home/apt.log")"
  for package in "$home"/apt/*.deb; do dpkg-deb -x "$package" "$home/draft"; done
  rm -rf "$home/apt"
  mv "$home/draft" "$home/libc"
fi

case $home in *[:,]*) cannot "no overlay takes a folder with : or , in its path" ;; esac
rm -rf "$home/run"
mkdir -p "$home/run/bin" "$home/run/project/.livecore"
ln -s "$node" "$home/run/bin/node"
ln -s "$cache" "$home/run/project/.livecore/cache"
# Not the home either, wherever it is: it holds secrets and data, and this copy. 1: a file changed or went meanwhile, as those do that
# specs make beside the client's sources.
tar -C "$project" --exclude=node_modules --exclude=./.git --exclude=./.livecore --exclude='./dist*' --exclude=./coverage \
  --exclude='./clients/typescript/.*' --exclude="./$(realpath -m --relative-to "$project" "${cache%/cache}")" \
  -cf "$home/run/project.tar" . 2> "$home/tar.log" || [ $? = 1 ] || { cat "$home/tar.log" >&2; exit 1; }
tar -C "$home/run/project" -xf "$home/run/project.tar"
rm "$home/run/project.tar"
# Files are shared where that is possible; nothing that runs here writes into them.
for folder in . web tools; do
  [ -d "$project/$folder/node_modules" ] || continue
  copy=$home/run/project/$folder/node_modules
  mkdir "$copy"
  cp -al "$project/$folder/node_modules/." "$copy/" 2>/dev/null || { rm -rf "$copy" && cp -a "$project/$folder/node_modules" "$copy"; }
done

# All files of the C library change at once, or programs that start meanwhile would get parts of two.
mount -t overlay overlay -o "lowerdir=$home/libc$libraries:$libraries" "$libraries" 2> "$home/mount.log" ||
  cannot "no overlay may be mounted: $(tail -n 1 "$home/mount.log")"
cd "$home/run/project"
# Stores, secrets and settings of who runs this stay outside; what the network needs goes with it, since stores may have to be fetched.
set --
for name in $(network_settings); do
  set -- "$@" "$name=$(printenv "$name")"
done
exec env -i "$@" HOME="$home/run" PATH="$home/run/bin:$PATH" PORT="$PORT" REALTIME_PORT="$REALTIME_PORT" METRICS_PORT="$METRICS_PORT" \
  API_WORKERS=1 REALTIME_WORKERS=1 sh -c "$command"
