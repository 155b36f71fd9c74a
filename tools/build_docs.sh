#!/usr/bin/env bash
# Builds the documentation as HTML in build/docs; warnings are errors. The first time it installs Sphinx into build/docs-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/docs-venv source=build/docs-source

if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$venv/requirements.txt"
fi

# the pages as written, and those that are generated
rm -rf "$source"
cp -r docs "$source"
python3 tools/make_api_docs.py >"$source/api.md"
python3 tools/make_docs_tables.py build/release/limpet >"$source/tables.md"

"$venv/bin/sphinx-build" -q -W --keep-going -b html "$source" build/docs
echo "documentation: build/docs/index.html"
