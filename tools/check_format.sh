#!/usr/bin/env bash
# Checks that clang-format changes no C file of the project. `check_format.sh --fix` formats them
# instead. The layout differs between versions of clang-format: Debian 12's decides, and any other
# is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

version=14
program=$(command -v clang-format-$version || command -v clang-format || true)
if [ -z "$program" ] || ! "$program" --version | grep -q "version $version\."; then
  echo "skipped: no clang-format $version"
  exit 77
fi

folders=(include src cli benchmarks python scenes tests)
mapfile -t files < <(find "${folders[@]}" -name '*.[ch]' 2>/dev/null | sort)
if [ "${1:-}" = --fix ]; then
  "$program" -i "${files[@]}"
else
  "$program" --dry-run --Werror "${files[@]}"
fi
echo "format: ${#files[@]} files"
