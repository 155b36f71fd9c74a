"""tools/check_calls.py finds cycles of calls: through a third file, through an address."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GOOD = {
    "high.c": "int low(void); int middle(void); int high(void) { return low() + middle(); }",
    "middle.c": "int low(void); int middle(void) { return low(); }",
    "low.c": "static int own(void) { return 1; } int low(void) { return own(); }",
}


def check(changes):
    """Exit status and output of the check for a few small files."""
    compiler = os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as folder:
        objects = Path(folder) / "library.dir" / "src"
        objects.mkdir(parents=True)
        names = []
        for name, text in {**GOOD, **changes}.items():
            (Path(folder) / name).write_text(text)
            names.append(str(objects / (name + ".o")))
            subprocess.run([compiler, "-c", name, "-o", names[-1]], cwd=folder, check=True)
        listed = Path(folder) / "objects.txt"
        listed.write_text("\n".join(names))
        result = subprocess.run(
            [sys.executable, str(ROOT / "tools/check_calls.py"), str(listed)],
            capture_output=True,
            text=True,
        )
    return result.returncode, result.stdout


class CheckCalls(unittest.TestCase):
    def test_calls_that_go_down_pass(self):
        code, output = check({})
        self.assertEqual(code, 0, output)
        self.assertIn("3 files, 3 pairs, 0 cycles", output)

    def test_call_through_a_third_file(self):
        code, output = check({"low.c": "int high(void); int low(void) { return high(); }"})
        self.assertEqual(code, 1, output)
        self.assertIn("between 3 files", output)
        self.assertIn("src/low.c calls src/high.c: high", output)

    def test_address_of_a_function(self):
        code, output = check(
            {"low.c": "int middle(void); int low(void) { return 1; } int (*p)(void) = middle;"}
        )
        self.assertEqual(code, 1, output)
        self.assertIn("between 2 files", output)

    def test_table_that_another_file_defines(self):
        code, output = check(
            {
                "kinds.c": "extern const int kind; const int *kinds = &kind;"
                " int of(void) { return 1; }",
                "kind.c": "int of(void); const int kind = 1; int use(void) { return of(); }",
            }
        )
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
