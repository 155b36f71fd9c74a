#!/usr/bin/env bash
# Builds a minimal static HDF5 (the C library and zlib, no more) in build/hdf5 for the wheel:
# Debian's own brings curl, Kerberos and many more. The source is that of Debian's package, fetched
# from where this machine's packages come from. It takes two minutes of CPU time, once.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/build/hdf5
if [ -f "$place/lib/libhdf5.a" ]; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "build-hdf5: no apt-get here, so no source of HDF5: put lib/libhdf5.a and include/ of a" \
    "static HDF5 1.10 or newer with zlib, built with -fPIC, into $place" >&2
  exit 1
fi
source=$place/source
mkdir -p "$source/lists/partial" "$source/sources" "$source/tree" "$source/objects"

# the machine's own lists of packages, asked for sources
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  if [ -f "$list" ]; then
    sed -n 's/^deb \(.*main\)/deb-src \1/p' "$list" >"$source/sources/$(basename "$list")"
  fi
done
for list in /etc/apt/sources.list.d/*.sources; do
  if [ -f "$list" ]; then
    sed 's/^Types:.*/Types: deb-src/' "$list" >"$source/sources/$(basename "$list")"
  fi
done
apt=(apt-get -q -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$source/sources"
  -o "Dir::State::lists=$source/lists" -o "APT::Sandbox::User=")
echo "fetching the source of HDF5"
"${apt[@]}" update >"$source/apt.log"
(cd "$source" && "${apt[@]}" source --download-only hdf5 >>apt.log)
tar -xf "$source"/hdf5_*.orig.tar.* --strip-components=1 -C "$source/tree"

echo "building HDF5"
cd "$source/objects"  # its checks write where they are called
cmake "$source/tree" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
  -DCMAKE_INSTALL_PREFIX="$place" -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
  -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_UTILS=OFF -DHDF5_BUILD_HL_LIB=OFF -DHDF5_BUILD_EXAMPLES=OFF \
  -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_BUILD_FORTRAN=OFF -DHDF5_ENABLE_SZIP_SUPPORT=OFF \
  -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_EMBEDDED_LIBINFO=OFF >"$source/cmake.log" 2>&1
ninja hdf5-static >"$source/build.log"
cmake --install . --component libraries >>"$source/build.log"
cmake --install . --component headers >>"$source/build.log"
test -f "$place/lib/libhdf5.a"
