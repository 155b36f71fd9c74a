"""tools/check_symbols.py finds names without the prefix, exports that no header declares,
declarations that nothing exports, and functions that no other file calls."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER = """
#define LIMPET_API __attribute__((visibility("default")))
// LIMPET_API int limpet_in_a_comment(void);
LIMPET_API const int *limpet_noun(int (*callback)(int), double a[3]);
LIMPET_API int limpet_verb(void);
"""
GOOD = """
#include "limpet.h"
const int *limpet_noun(int (*callback)(int), double a[3]) { (void)callback, (void)a; return 0; }
int limpet_verb(void) { return 1; }
__attribute__((visibility("hidden"))) int limpet_hidden(void) { return 2; }
static int helper(void) { return 3; }
int (*limpet_pointer)(void) __attribute__((visibility("hidden"))) = helper;
"""
CALLER = "int limpet_hidden(void); int caller(void) { return limpet_hidden(); }"


def check(source, header=HEADER, beside=""):
    """Exit status and output of the check for a library made of one file, src/a.c; `beside` stands
    in src/b.c, of which the names alone are looked at."""
    compiler = os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "include/limpet").mkdir(parents=True)
        Path(folder, "src").mkdir()
        Path(folder, "include/limpet/limpet.h").write_text(header)
        Path(folder, "src/a.c").write_text(source)
        Path(folder, "src/b.c").write_text(beside)
        flags = ["-Iinclude/limpet", "-fPIC", "-c", "src/a.c", "-o", "a.o"]
        subprocess.run([compiler, *flags], cwd=folder, check=True)
        subprocess.run([compiler, "-shared", "a.o", "-o", "a.so"], cwd=folder, check=True)
        result = subprocess.run(
            [
                *(sys.executable, str(ROOT / "tools/check_symbols.py"), "a.so", "a.o"),
                "include/limpet",
            ],
            cwd=folder,
            capture_output=True,
            text=True,
        )
    return result.returncode, result.stdout


class CheckSymbols(unittest.TestCase):
    def expect(self, complaint, *arguments):
        code, output = check(*arguments)
        self.assertEqual(code, 1, output)
        self.assertIn(complaint, output)

    def test_good_library_passes(self):
        code, output = check(GOOD, HEADER, CALLER)
        self.assertEqual(code, 0, output)

    def test_function_that_no_other_file_calls(self):
        self.expect("limpet_hidden: no other file calls it", GOOD)

    def test_name_without_prefix(self):
        self.expect(
            "helper_of_all: does not begin",
            GOOD + '__attribute__((visibility("hidden"))) int helper_of_all(void) { return 4; }',
        )

    def test_export_that_no_header_declares(self):
        self.expect(
            "limpet_secret: exported, but in no", GOOD + "int limpet_secret(void) { return 5; }"
        )

    def test_declaration_that_nothing_exports(self):
        self.expect(
            "limpet_promise: declared", GOOD, HEADER + "LIMPET_API int limpet_promise(void);"
        )


if __name__ == "__main__":
    unittest.main()
