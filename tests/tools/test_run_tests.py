"""tools/run_tests.py counts what test programs report, and nothing that went wrong counts as
passed."""

import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import run_tests  # noqa: E402

CMOCKA = """[==========] Running 3 test(s).
[ RUN      ] a
[       OK ] a
[ RUN      ] b
[  FAILED  ] b
[ RUN      ] c
[  SKIPPED ] c
[==========] 3 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] c
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] b
"""


def count(status, output, skipped=None):
    case = xml.etree.ElementTree.Element("testcase", name="t", status=status)
    if skipped:
        xml.etree.ElementTree.SubElement(case, "skipped", message=skipped)
    xml.etree.ElementTree.SubElement(case, "system-out").text = output
    return str(run_tests.count_case(case)[1])


class Counting(unittest.TestCase):
    def test_cmocka(self):
        self.assertEqual(count("fail", CMOCKA), "1 passed, 1 failed, 1 skipped")

    def test_two_groups_in_one_program(self):
        self.assertEqual(count("fail", CMOCKA + CMOCKA), "2 passed, 2 failed, 2 skipped")

    def test_crash_in_the_middle(self):
        self.assertEqual(
            count("fail", CMOCKA[: CMOCKA.index("[ RUN      ] b")]), "1 passed, 1 failed"
        )

    def test_sanitizer_report_after_the_summary(self):
        passed = (
            "[==========] Running 1 test(s).\n[       OK ] a\n[  PASSED  ] 1 "
            "test(s).\nERROR: LeakSanitizer\n"
        )
        self.assertEqual(count("fail", passed), "1 passed, 1 failed")

    def test_unittest(self):
        self.assertEqual(
            count("run", "Ran 9 tests in 0.013s\n\nOK (skipped=2)\n"),
            "7 passed, 0 failed, 2 skipped",
        )
        self.assertEqual(
            count("fail", "Ran 9 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n"),
            "6 passed, 3 failed",
        )

    def test_node(self):
        self.assertEqual(
            count("run", "# tests 3\n# pass 2\n# fail 0\n# skipped 1\n"),
            "2 passed, 0 failed, 1 skipped",
        )

    def test_script(self):
        self.assertEqual(count("run", "fine\n"), "1 passed, 0 failed")
        self.assertEqual(count("fail", ""), "0 passed, 1 failed")

    def test_skipped_program_and_missing_program(self):
        self.assertEqual(
            count("notrun", "skipped: no shared data\n", "SKIP_RETURN_CODE=77"),
            "0 passed, 0 failed, 1 skipped",
        )
        self.assertEqual(count("notrun", "", "Unable to find executable"), "0 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
