#!/usr/bin/env python3
"""Writes the C source of limpet._native, the extension module, from the public headers.

usage: declarations.py INCLUDE_FOLDER OUTPUT.c

What the headers declare is what Python can call: functions, structs, enumerations. Comments,
directives of the preprocessor and bodies of inline functions are taken away, since cffi wants
declarations alone. cffi (API mode) makes C code of them, and the compiler checks it against the
headers themselves.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"limpet/(\w+)\.h"', re.M)
INLINE_FUNCTION = re.compile(r"static\s+inline\s+([^{;]*)\{[^}]*\}")


def in_order(folder):
    """Public headers, each after those that it includes."""
    seen = []

    def visit(name):
        text = (folder / f"{name}.h").read_text()
        for other in INCLUDE.findall(text):
            visit(other)
        if name not in seen:
            seen.append(name)

    visit("limpet")
    return seen


def declarations(text):
    """Declarations of one header, as cffi reads them."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    # what only C++ sees, then every other directive
    text = re.sub(r"^\s*#\s*ifdef __cplusplus.*?^\s*#\s*endif", "", text, flags=re.S | re.M)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = INLINE_FUNCTION.sub(r"\1;", text)
    return text.replace("LIMPET_API", "")


def main():
    import cffi

    folder, output = Path(sys.argv[1]) / "limpet", sys.argv[2]
    builder = cffi.FFI()
    builder.cdef("void free(void *);")
    for name in in_order(folder):
        builder.cdef(declarations((folder / f"{name}.h").read_text()))
    builder.cdef(declarations((Path(__file__).parent / "ask.h").read_text()))
    source = '#include <stdlib.h>\n#include "ask.h"\n#include "limpet/limpet.h"'
    builder.set_source("limpet._native", source, py_limited_api=True)
    builder.emit_c_code(output)


if __name__ == "__main__":
    main()
