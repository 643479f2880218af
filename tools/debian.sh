# For the scripts beside it, which source it: what they need from this machine, and where Debian's packages come from.

# Ends the script with 75 and the reason as its last line.
cannot() { echo "$*" >&2; exit 75; }

# need PROGRAM...: ends the script unless this is root, with these programs and with namespaces.
need() {
  [ "$(id -u)" = 0 ] || cannot "it needs root"
  for program in apt-get dpkg-deb flock mount setpriv tar unshare "$@"; do
    command -v "$program" >/dev/null || cannot "there is no $program"
  done
  unshare --mount --pid --fork true 2>/dev/null || cannot "mount and process namespaces aren't allowed"
}

# Prints the address of the archive that this machine's own packages come from.
archive() {
  address=$(apt-get indextargets --format '$(REPO_URI)' | grep -E '/debian/?$' | head -n 1)
  [ -n "$address" ] || cannot "apt knows no archive of Debian here"
  echo "$address"
}

# Prints the names of the variables by which package managers reach their registries: certificates, proxies, addresses.
network_settings() {
  env | sed -nE 's/^([A-Za-z_]*(CERT|CA_|BUNDLE|PROXY|_proxy)[A-Za-z_]*|PIP_[A-Z_]+|npm_config_(registry|.*proxy|cafile))=.*/\1/p'
}
