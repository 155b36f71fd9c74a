#!/usr/bin/env bash
# Installs the Python package from this checkout into build/python-venv and runs the example:
# `make run-python` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/python-venv
if [ ! -x "$venv/bin/pip" ]; then python3 -m venv "$venv"; fi
echo "building the package in $venv: some minutes the first time"
"$venv/bin/pip" install --quiet --disable-pip-version-check .
python3 tools/run_aloha.py --fetch
"$venv/bin/python" python/examples/aloha.py
