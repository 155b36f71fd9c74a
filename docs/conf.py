"""Sphinx configuration. tools/build_docs.sh copies docs/ and the generated pages into
build/docs-source and builds from there."""

project = "Limpet"
author = "The Limpet developers"
project_copyright = "2026, The Limpet developers"

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
mathjax_path = "tex-svg.js"  # put into _static by tools/build_docs.sh
exclude_patterns = ["requirements.txt"]

html_theme = "furo"
html_title = "Limpet"
html_static_path = ["_static"]
