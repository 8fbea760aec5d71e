# Sourced by test-on-debian13 and test-install-routes: root folders with Debian, this machine's Swift
# toolchain mounted. The scripts run with `set -euo pipefail`, in the package's folder.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "error: $*"; exit 1; }

[ "$(id -u)" = 0 ] || fail "mounting needs root"
command -v apt-get >/dev/null || fail "this needs a Debian, for its package sources"
swift=$(command -v swift) || fail "Swift was not found on the PATH"
toolchain=$(dirname "$(dirname "$(readlink -f "$swift")")")

# Fills a root folder with a suite, the requirements of a Swift toolchain, and make, if it is not complete yet.
# The arguments: the folder, the suite, the suite's version of gcc, and further packages.
fill_debian() {
  local root=$1 suite=$2 version=$3 further=$4 keyring=/usr/share/keyrings/debian-archive-keyring.gpg uri
  [ ! -e "$root/complete" ] || return 0
  command -v debootstrap >/dev/null || {
    say "installing debootstrap"
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null || fail "apt-get failed"
  }
  # Use the machine's own mirror.
  # shellcheck disable=SC2016  # the fields are for apt to fill in
  uri=$(apt-get indextargets --format '$(REPO_URI)|$(SUITE)|$(ORIGIN)' 'Created-By: Packages' |
    awk -F'|' '$3 == "Debian" && $2 !~ /security|updates|backports/ && !found { print $1; found = 1 }')
  if [ -z "$uri" ] || [ ! -e "$keyring" ]; then
    fail "this machine has no package source of Debian's: run 'apt-get update' first"
  fi
  say "filling $root with Debian $suite"
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase --keyring="$keyring" \
    --include="ca-certificates,git,make,binutils,libc6-dev,libgcc-$version-dev,libstdc++-$version-dev,libedit2,libncurses6,libsqlite3-0,libxml2,tzdata,zlib1g-dev,$further" \
    "$suite" "$root" "$uri" >"$root.log" 2>&1 || { tail -n 40 "$root.log" >&2; fail "debootstrap failed"; }
  rm "$root.log"
  touch "$root/complete"
}

# Copies the package without this machine's build, and keeps the build of the copy's last run.
copy_package() {
  local copy=$1
  mkdir -p "$copy"
  find "$copy" -mindepth 1 -maxdepth 1 ! -name .build ! -name Package.resolved -exec rm -rf {} +
  git ls-files -z --cached --others --exclude-standard -- . | xargs -0 tar -cf - |
    tar -xf - --no-same-owner -C "$copy"
}

# Fetches a copy's packages with this machine's settings of git.
resolve_packages() {
  swift package --package-path "$1" resolve >&2 || fail "the packages could not be fetched"
}

# Runs a command line of bash in a root folder, in a folder that has the same path inside and outside. The mounts
# end with the command. The arguments: the root, the folder, the user, the user's home, and the command.
run_in_debian() {
  local root=$1 folder=$2 user=$3 home=$4 line=$5
  # This machine may have its own certificates and name servers.
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] ||
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  # shellcheck disable=SC2016  # for the inner shell
  root=$root folder=$folder user=$user home=$home line=$line toolchain=$toolchain archives=${archives:-} \
    unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mkdir -p "$root/toolchain" "$root$folder"
    mount --bind -o ro "$toolchain" "$root/toolchain"
    mount --bind "$folder" "$root$folder"
    if [ -n "$archives" ]; then
      mkdir -p "$root/archives"
      mount --bind -o ro "$archives" "$root/archives"
    fi
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    cd "$root"
    exec chroot --userspec="$user:$user" "$root" env -i HOME="$home" PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
      PATH=/toolchain/bin:/usr/sbin:/usr/bin:/sbin:/bin /bin/bash -c "cd \"\$0\" && $line" "$folder"
  ' </dev/null
}
