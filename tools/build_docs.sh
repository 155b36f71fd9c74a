#!/usr/bin/env bash
# Builds the documentation as HTML in build/docs; warnings are errors. The first time it installs Sphinx into build/docs-venv, and MathJax
# (one file, copied into the pages, so that they show equations without a network).
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/docs-venv source=build/docs-source mathjax=build/docs-mathjax

if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$venv/requirements.txt"
fi

script=node_modules/mathjax/es5/tex-svg.js
if [ ! -f "$mathjax/$script" ]; then
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$mathjax" mathjax@3.2.2
fi

# the pages as written, and those that are generated
rm -rf "$source"
cp -r docs "$source"
mkdir -p "$source/_static"
cp "$mathjax/$script" "$source/_static/"
python3 tools/make_api_docs.py >"$source/api.md"
python3 tools/make_docs_tables.py build/release/limpet >"$source/tables.md"

"$venv/bin/sphinx-build" -q -W --keep-going -b html "$source" build/docs
echo "documentation: build/docs/index.html"
