#!/usr/bin/env python3
"""Checks that every public header compiles by itself, as C17 and as C++17, without a warning.

usage: check_headers.py [INCLUDE_FOLDER]     (compilers: CC, CXX; default cc, c++)
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def compile_alone(command, include, header):
    source = f'#include "{header.relative_to(include)}"\n'
    return subprocess.run(
        command + WARNINGS + ["-fsyntax-only", f"-I{include}", "-"],
        input=source,
        capture_output=True,
        text=True,
    )


def main():
    include = (
        Path(sys.argv[1])
        if len(sys.argv) > 1
        else Path(__file__).resolve().parent.parent / "include"
    )
    languages = {
        "C17": [os.environ.get("CC", "cc"), "-std=c17", "-Wstrict-prototypes", "-xc"],
        "C++17": [os.environ.get("CXX", "c++"), "-std=c++17", "-xc++"],
    }
    headers = sorted(include.glob("limpet/*.h"))
    failed = 0
    for language, command in languages.items():
        if not shutil.which(command[0]):
            print(f"skipped: no compiler {command[0]} for {language}")
            return 77
        for header in headers:
            result = compile_alone(command, include, header)
            if result.returncode:
                failed += 1
                print(f"{header.name} does not compile alone as {language}:\n{result.stderr}")
    print(f"headers: {len(headers)}, each as C17 and C++17, {failed} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
