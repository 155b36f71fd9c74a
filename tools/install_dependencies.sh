#!/usr/bin/env bash
# Installs the Debian packages that building, testing and running need, those that are missing only.
# As root it installs them; anyone else is told the command. `--check` only says whether something
# is missing; `--fuzz` adds what `make fuzz` needs.
set -euo pipefail

packages=(build-essential cmake ninja-build pkg-config libexpat1-dev libqhull-dev libhdf5-dev
  libjansson-dev libassimp-dev libcivetweb-dev libcmocka-dev
  libsuitesparse-dev clang libclang-rt-dev clang-format ccache chromium python3 python3-venv)
# coverage of what libFuzzer reached
if [ "${1:-}" = --fuzz ]; then packages+=(llvm); fi

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# tools that are there by other means than a Debian package serve as well
present() {
  case $1 in
    cmake | chromium | python3 | clang | clang-format)
      installed "$1" || command -v "$1" >/dev/null
      ;;
    ninja-build) installed "$1" || command -v ninja >/dev/null ;;
    pkg-config) installed "$1" || command -v pkg-config >/dev/null ;;
    python3-venv) installed "$1" || python3 -c 'import venv, ensurepip' 2>/dev/null ;;
    *) installed "$1" ;;
  esac
}

if ! command -v dpkg-query >/dev/null; then
  echo "install-dependencies: no Debian packages on this machine; needed are:" \
    "${packages[*]} nodejs npm" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do present "$package" || missing+=("$package"); done
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
if [ "${1:-}" = --check ]; then
  echo "missing: ${missing[*]}"
  exit 1
fi

if [ "$(id -u)" -ne 0 ]; then
  echo "Some packages are missing. Install them, then run the same command again:" >&2
  echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q </dev/null
apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
