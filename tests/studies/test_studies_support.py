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


if __name__ == "__main__":
    unittest.main()
