#!/usr/bin/env bash
# Installs the Python package from this checkout, as users do (`pip install .`), into
# build/python-venv, and runs its tests, the README's Python and mypy. Without a network the tools
# cannot be fetched: exit status 77.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/python-venv requirements=build/python-requirements.txt

fetch_log=build/python-fetch.log fetch_what="the Python package"
. tools/fetch.sh
# pip compiles nothing; what is imported compiles itself, once and outside of the sources
export PIP_NO_COMPILE=1 PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$PWD/build/python-bytecode
mkdir -p build
# what tests need, and what pyproject.toml says that a build needs: this environment is that of the
# build too, which saves the making of one that pip would throw away
{
  cat python/requirements-test.txt
  python3 -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")'
} >"$requirements"
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  fetch "$venv/bin/pip" install --disable-pip-version-check --retries 1 -r "$requirements"
  cp "$requirements" "$venv/requirements.txt"
fi
# warnings as in the optimised build, whose objects a compiler cache then has
fetch "$venv/bin/pip" install --disable-pip-version-check --retries 1 --force-reinstall --no-deps \
  --no-build-isolation --check-build-dependencies \
  --config-settings=cmake.define.LIMPET_WARNINGS_AS_ERRORS=ON .

python=$PWD/$venv/bin/python
"$python" -m pytest -q -p no:cacheprovider python/tests
"$python" -m mypy --strict --cache-dir build/mypy python/tests/typed_program.py
