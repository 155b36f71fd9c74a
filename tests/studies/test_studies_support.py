"""What the studies share: checks that can fail, tables in pages, discovery of studies, times
between records."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "studies"), str(ROOT / "tools")]

import run_studies  # noqa: E402
from support import checks, command, page  # noqa: E402
from support.rows import Rows, key_of  # noqa: E402


class Checks(unittest.TestCase):
    def test_near_passes_inside_its_tolerance_only(self):
        self.assertTrue(checks.near("x", 1.019, 1.0, "m", relative=0.02).passed)
        self.assertFalse(checks.near("x", 1.021, 1.0, "m", relative=0.02).passed)
        self.assertTrue(checks.near("x", -1.5, -1.0, absolute=0.5).passed)
        self.assertFalse(checks.near("x", float("nan"), 1.0, absolute=10.0).passed)

    def test_within_takes_one_bound_or_two(self):
        self.assertTrue(checks.within("x", 3.0, 1.0, 5.0).passed)
        self.assertFalse(checks.within("x", 0.5, low=1.0).passed)
        self.assertFalse(checks.within("x", 6.0, high=5.0).passed)
        self.assertFalse(checks.within("x", float("nan"), high=5.0).passed)

    def test_a_known_miss_of_a_sheet_shows_and_fails_nothing(self):
        good = checks.sheet("x", 1.0, high=2.0, accepted=(0.0, 4.0))
        known = checks.sheet("x", 3.0, high=2.0, accepted=(0.0, 4.0))
        worse = checks.sheet("x", 5.0, high=2.0, accepted=(0.0, 4.0))
        self.assertEqual([c.passed for c in (good, known, worse)], [True, True, False])
        self.assertEqual([c.verdict() for c in (good, known, worse)], ["pass", "miss", "fail"])
        self.assertEqual(known.line(), "miss  x: 3, expected at most 2")
        self.assertIn("**miss**", page.checks_text([known]))

    def test_a_line_shows_value_expectation_and_unit(self):
        self.assertEqual(
            checks.near("speed", 1.0, 2.0, "m/s", absolute=0.5).line(),
            "FAIL  speed: 1 m/s, expected 2 ± 0.5 m/s",
        )
        self.assertEqual(
            checks.holds("it stays up", 1).line(), "pass  it stays up: true, expected true"
        )


class KeptRows(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "rows.jsonl"

    def test_a_study_that_was_killed_finds_its_rows(self):
        Rows(self.path).add("0", "key", {"lifted": 0.5})
        with self.path.open("a") as file:
            file.write('{"name": "1", "key": "key", "ro')  # killed while it wrote
        again = Rows(self.path)
        self.assertTrue(again.has("0", "key"))
        self.assertEqual(again.row("0"), {"lifted": 0.5})
        self.assertFalse(again.has("1", "key"))
        again.add("1", "key", {"lifted": 1.0})
        self.assertEqual(Rows(self.path).row("1"), {"lifted": 1.0})

    def test_a_row_of_another_key_counts_for_nothing(self):
        rows = Rows(self.path)
        rows.add("0", key_of("scene", "build"), {})
        self.assertFalse(rows.has("0", key_of("scene", "other build")))
        self.assertFalse(rows.has("0", key_of("scenebuild", "")))  # parts do not run together
        rows.add("0", key_of("scene", "other build"), {"lifted": 1.0})
        self.assertEqual(Rows(self.path).row("0"), {"lifted": 1.0})


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "page.md"
        self.path.write_text(
            "words\n<!-- table: a -->\nold\n<!-- end -->\nmore\n<!-- table: b -->\n<!-- end -->\n"
        )

    def tearDown(self):
        self.folder.cleanup()

    def test_tables_are_replaced_and_words_stay(self):
        tables = {
            "a": page.table_text(["model", "x [m]"], [["SAP", 1.25], ["Lagged", 3]]),
            "b": "two",
        }
        for _ in range(2):  # a second time changes nothing
            page.refresh(self.path, tables)
        text = self.path.read_text()
        self.assertEqual(
            text,
            "words\n<!-- table: a -->\n\n| model | x [m] |\n|---|---:|\n| SAP | 1.25 |\n| "
            "Lagged | 3 |\n\n<!-- end -->\n"
            "more\n<!-- table: b -->\n\ntwo\n\n<!-- end -->\n",
        )

    def test_tables_and_places_must_agree(self):
        with self.assertRaises(command.StudyError):
            page.refresh(self.path, {"a": "x"})


class Discovery(unittest.TestCase):
    def test_studies_are_scripts_of_folders_without_the_support(self):
        found = run_studies.studies([])
        self.assertNotIn("support", {path.parent.name for path in found})
        for path in found:
            both = set(run_studies.studies([path.stem])) | set(
                run_studies.studies([path.parent.name])
            )
            self.assertEqual(set(run_studies.studies([path.stem, path.parent.name])), both)

    def test_an_unknown_name_is_refused(self):
        with self.assertRaises(SystemExit):
            run_studies.studies(["no-such-study"])

    def test_long_ones_exist_and_begin_first(self):
        found = run_studies.studies([])
        names = {run_studies.name_of(path) for path in found}
        self.assertLessEqual({*run_studies.LONG, *run_studies.ALONE}, names)
        first = run_studies.by_length(found)[: len(run_studies.LONG)]
        self.assertEqual(tuple(run_studies.name_of(path) for path in first), run_studies.LONG)


class Run(unittest.TestCase):
    """Scripts that stand for studies, by run_studies.ended."""

    PASSES = """import json, os, pathlib, sys
out = pathlib.Path(sys.argv[1])
print("processes", os.environ["LIMPET_PROCESSES"])
check = {"text": "x", "value": 1, "expected": "2", "unit": "m", "passed": True, "missed": False}
checks = [check, {**check, "missed": True}, {**check, "passed": False, "text": "y"}]
out.write_text(json.dumps({"checks": checks}))
sys.exit(1)
"""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out, run_studies.OUT = run_studies.OUT, Path(self.folder.name) / "out"

    def tearDown(self):
        run_studies.OUT = self.out
        self.folder.cleanup()

    def scripts(self, **texts):
        for name, text in texts.items():
            path = Path(self.folder.name) / "paper" / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            yield path

    def test_what_a_study_took_and_missed_is_told(self):
        scripts = [*self.scripts(good=self.PASSES, broken="print('no'); raise SystemExit(2)")]
        report = str(run_studies.OUT / "paper-good/checks.json")
        ends = run_studies.ended(scripts, [sys.executable], [report], 2, 3)
        told = {name: (code, text, seconds) for name, code, text, seconds in ends}
        self.assertEqual(told["paper-good"][:2], (1, "processes 3\n"))
        self.assertEqual(told["paper-broken"][:2], (2, "no\n"))
        code, _, seconds = told["paper-good"]
        self.assertGreater(min(seconds), 0.0)
        line, passed = run_studies.summary_line("paper-good", code, (1.0, 2.0))
        self.assertFalse(passed)
        self.assertRegex(line, r"1 passed +1 missed +1 failed +1\.0 s +2\.0 s of processors")
        self.assertIn("FAIL y: 1, expected 2 m", line)
        line, passed = run_studies.summary_line("paper-broken", 2, (1.0, 2.0))
        self.assertFalse(passed)
        self.assertIn("did not end: exit code 2", line)


if __name__ == "__main__":
    unittest.main()
