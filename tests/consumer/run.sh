#!/usr/bin/env bash
# usage: run.sh find_package|pkg_config INSTALL_TREE BUILD_FOLDER
#        run.sh add_subdirectory CHECKOUT BUILD_FOLDER
# Builds in BUILD_FOLDER with the way behind its name: as far from the checkout as other build
# folders are, which makes paths alike to a compiler cache.
#
# Builds the consumer against an install tree, in one of two ways, or with the checkout as a part of
# its own project, and runs it.
set -euo pipefail
way=$1 tree=$2 checkout=$2 build=$3_$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
mkdir -p "$build"

case $way in
  find_package)
    cmake -S "$here" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$tree" >"$build/log" ||
      { cat "$build/log"; exit 1; }
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
  add_subdirectory)
    # the library alone: no tests, which need cmocka, and no programs; what compiles fast, or what
    # a compiler cache has from the optimised build
    options=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0)
    if [ -n "${CMAKE_C_COMPILER_LAUNCHER:-}" ]; then
      options=(-DCMAKE_BUILD_TYPE=Release -DLIMPET_WARNINGS_AS_ERRORS=ON)
    fi
    cmake -S "$here" -B "$build" -G Ninja "${options[@]}" -DLIMPET_CHECKOUT="$checkout" \
      -DLIMPET_BUILD_VIEWER=OFF >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
    if grep -i cmocka "$build/log" "$build/CMakeCache.txt"; then
      echo "a part of another project asks for cmocka"; exit 1
    fi
    programs=$(cmake --build "$build" --target help |
      grep -E '^(test|bench)_|limpet_command' || true)
    if [ -n "$programs" ]; then
      echo "a part of another project builds programs: $programs"; exit 1
    fi
    cmake --build "$build" --target consumer
    ;;
esac
[ "$way" = add_subdirectory ] || "$tree/bin/limpet" --version
"$build/consumer" "$here/../../scenes/falling_boxes.xml"
