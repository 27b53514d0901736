#!/usr/bin/env bash
# Installs Jazzer.js, a coverage-guided fuzzer for JavaScript, in its own folder, since only
# `npm run test:reliability -- fuzz-guided` needs its 105 packages. Jazzer.js needs glibc 2.38. If the system's is
# older, Debian 13's is unpacked into the same folder, and only Jazzer.js uses it. Running this again does nothing.
#   scripts/install-jazzer.sh            -> .cache/jazzer
set -euo pipefail

jazzer=4.0.0
suite=trixie
dir=${1:-$(dirname "$0")/../.cache/jazzer}
stamp=.installed-$jazzer

fail() { echo "install-jazzer: $*" >&2; exit 1; }

glibc_is_recent() {
  local version
  version=$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)
  [ "$(printf '2.38\n%s\n' "$version" | sort -V | head -1)" = 2.38 ]
}

# Gives apt its own folders, so that the system's lists and packages do not change.
unpack_glibc() {
  command -v apt-get >/dev/null || fail "this system's glibc is older than 2.38, and it has no apt-get."
  local mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
  mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
    awk '!found && ($1 == "URIs:" || $1 == "deb") { print $2; found = 1 }')
  mkdir -p apt/lists/partial apt/cache/archives/partial
  echo "deb [signed-by=$key] $mirror $suite main" >apt/sources.list
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update && "${apt[@]}" download "libc6/$suite" "libstdc++6/$suite" "libgcc-s1/$suite" || fail "apt-get could not download glibc of Debian $suite."
  for package in ./*.deb; do dpkg -x "$package" glibc; done
  rm -rf apt ./*.deb
}

[ "$(uname -sm)" = "Linux x86_64" ] || fail "only Linux on x86-64 is supported, this is $(uname -sm)."
mkdir -p "$dir" && cd "$dir"
[ -e "$stamp" ] && exit 0
rm -rf node_modules glibc .installed-*
echo '{ "private": true }' >package.json
npm install --ignore-scripts=false --no-audit --no-fund --loglevel=error --no-package-lock "@jazzer.js/core@$jazzer" || fail "npm could not install Jazzer.js."
glibc_is_recent || unpack_glibc
touch "$stamp"
