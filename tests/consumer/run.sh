#!/usr/bin/env bash
# usage: run.sh find_package|pkg_config INSTALL_TREE BUILD_FOLDER
# Builds the consumer against an install tree, in one of the two ways, and runs it.
set -euo pipefail
way=$1 tree=$2 build=$3/$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
mkdir -p "$build"

case $way in
  find_package)
    cmake -S "$here" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$tree" >"$build/log" || { cat "$build/log"; exit 1; }
    cmake --build "$build"
    ;;
  pkg_config)
    pc=$(find "$tree" -name limpet.pc)
    flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs limpet)
    # shellcheck disable=SC2086  # flags are words
    ${CC:-cc} -std=c17 "$here/consumer.c" $flags -o "$build/consumer"
    export LD_LIBRARY_PATH
    LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=libdir limpet)
    ;;
esac
"$tree/bin/limpet" --version
"$build/consumer" "$here/../../scenes/falling_boxes.xml"
