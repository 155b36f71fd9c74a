#!/usr/bin/env bash
# Builds the documentation as HTML in build/docs; warnings are errors. The first time it fetches
# Sphinx into build/docs-venv, and MathJax (one file, copied into the pages, so that they show
# equations without a network); where that fails the exit status is 77.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/docs-venv source=build/docs-source mathjax=build/docs-mathjax
script=node_modules/mathjax/es5/tex-svg.js

fetch_log=build/docs-fetch.log fetch_what="the documentation"
. tools/fetch.sh
if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv "$venv"
  fetch "$venv/bin/pip" install --disable-pip-version-check --retries 1 -r docs/requirements.txt
  cp docs/requirements.txt "$venv/requirements.txt"
fi
if [ ! -f "$mathjax/$script" ]; then
  fetch npm install --no-audit --no-fund --ignore-scripts --fetch-retries 1 \
    --prefix "$mathjax" mathjax@3.2.2
fi

# the pages as written, and those that are generated
rm -rf "$source"
cp -r docs "$source"
mkdir -p "$source/_static"
cp "$mathjax/$script" "$source/_static/"
python3 tools/make_api_docs.py >"$source/api.md"
command=${LIMPET_COMMAND:-build/release/limpet}
python3 tools/make_python_docs.py "$command" >"$source/python-api.md"
python3 tools/make_docs_tables.py "$command" >"$source/tables.md"
python3 tools/make_docs_tables.py "$command" "$source/defaults.md" "$source/cli.md"

"$venv/bin/sphinx-build" -q -W --keep-going -b html "$source" build/docs
echo "documentation: build/docs/index.html"
