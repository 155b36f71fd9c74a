"""tools/measure_tables.py: blocks between comments of a page, counts that are compared and times
that are not, what is skipped, and rows from what programs print."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import measure_tables  # noqa: E402
import measured_pages  # noqa: E402

PAGE = """# Page

Before.

<!-- measured: one -->
old
<!-- end -->

Between, with <!-- a comment --> of its own.

<!-- measured: two -->
<!-- end -->
After.
"""


def scene(name, seconds=1e-5, iterations=2.5, state="ab12", peer=True):
    """One of `limpet bench --json`."""
    entry = {
        "name": name,
        "seconds_per_step": seconds,
        "contacts": 3.25,
        "pairs": 4.0,
        "iterations": iterations,
        "worst_iterations": 7,
        "unsolved_steps": 0,
        "depth": 1.3e-3,
        "steps": 500,
        "state_hash": state,
    }
    if peer:
        times = {"seconds_per_step": 2e-5, "depth": 4e-3}
        entry["mujoco"] = {"version": "4.0.1", "default": times, **times}
    return entry


def report(names, **changes):
    return json.dumps({"scenes": [scene(name, **changes) for name in names]})


class Printed:
    """In the place of a runner: commands are answered from a table."""

    def __init__(self, answers, peers=True):
        self.answers, self.peers, self.build = answers, peers, Path("build")
        self.python = "python3"

    def __call__(self, command):
        for part, text in self.answers.items():
            if part in command:
                return text
        raise AssertionError(f"nothing was to run '{command}'")


class Pages(unittest.TestCase):
    def test_a_block_takes_the_place_of_the_old_one_alone(self):
        block = measured_pages.block_text(["a", "b"], [["x", 1]], "source", {})
        text = measured_pages.put(PAGE, "one", block)
        self.assertNotIn("old", text)
        self.assertIn("| a | b |\n|---|---:|\n| x | 1 |\n\n*source*\n<!-- end -->", text)
        before, after = PAGE.split("old\n")
        self.assertTrue(text.startswith(before) and text.endswith(after))
        self.assertEqual(measured_pages.put(text, "one", block), text)  # once more: the same

    def test_counts_come_back_from_the_page(self):
        counts = {"panda": {"iterations": 1.45, "hash": "12e4"}, "a heap": {"steps": 20}}
        block = measured_pages.block_text(["a"], [["x"]], "source", counts)
        text = measured_pages.put(PAGE, "two", block)
        found = measured_pages.counts_of(measured_pages.places(text)["two"])
        self.assertEqual(found["panda"], {"iterations": "1.45", "hash": "12e4"})
        self.assertEqual(found["a_heap"], {"steps": "20"})
        self.assertEqual(measured_pages.differences(block, counts), [])

    def test_a_place_that_is_not_one_is_an_error(self):
        for wrong in (
            PAGE.replace("<!-- end -->\nAfter", "After"),  # never ends
            PAGE.replace("<!-- end -->\n\nBetween", "\n\nBetween"),  # ends with the next one
            PAGE.replace("measured: two", "measured: one"),  # twice
        ):
            with self.assertRaises(measured_pages.PageError):
                measured_pages.places(wrong)
        with self.assertRaises(measured_pages.PageError):
            measured_pages.put(PAGE, "three", "")
        with self.assertRaises(measured_pages.PageError):
            measured_pages.table_text(["a", "b"], [["x"]])

    def test_counts_that_differ_are_told_and_round_off_is_not(self):
        counts = {"g1": {"iterations": 3.86, "hash": "0001", "instructions": 602000}}
        block = measured_pages.block_text(["a"], [["x"]], "source", counts)

        def told(**changes):
            return measured_pages.differences(block, {"g1": {**counts["g1"], **changes}})

        self.assertEqual(told(iterations=3.86 * (1 + 1e-9), instructions=603000), [])
        self.assertEqual(told(iterations=3.861), ["g1: iterations 3.86 in the page, 3.861 now"])
        self.assertEqual(len(told(instructions=610000)), 1)
        self.assertEqual(len(told(hash="1")), 1)  # hashes are no numbers
        self.assertTrue(measured_pages.equal("share_product", "0.52", "0.51"))
        self.assertFalse(measured_pages.equal("share_product", "0.52", "0.50"))
        self.assertEqual(len(told(contacts=2)), 1)
        self.assertEqual(
            measured_pages.differences(block, {"h1": {}}),
            ["g1: no longer measured", "h1: not in the table"],
        )


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.page = self.root / "page.md"
        self.page.write_text(PAGE.replace("two", "settled"))

    def table(self):
        return measure_tables.Table("settled", "page.md", ("limpet bench",), 1,
                                    measure_tables.settled)  # fmt: skip

    def test_a_table_is_filled_and_then_agrees_whatever_the_times_are(self):
        names = measure_tables.SETTLED
        run = Printed({"limpet bench": report(names)})
        measure_tables.fill(self.table(), run, "0.1.0", self.root)
        text = self.page.read_text()
        self.assertIn("| Limpet | 10 | 10 | 10 | 10 | 10 | 10 |", text)
        self.assertIn("| MuJoCo 4.0.1, its defaults, same run | 20 |", text)
        self.assertRegex(text, r"\*Limpet 0\.1\.0, \d+ \w+ \d{4}, .+: `limpet bench`\.\*")
        # counts are made without the peer, on a slower machine
        run = Printed({"limpet bench": report(names, seconds=1.0, peer=False)}, peers=False)
        self.assertEqual(measure_tables.check(self.table(), run, self.root), [])
        run = Printed({"limpet bench": report(names, iterations=2.6, peer=False)}, peers=False)
        self.assertEqual(len(measure_tables.check(self.table(), run, self.root)), len(names))

    def test_without_the_peer_the_table_stays(self):
        run = Printed({"limpet bench": report(measure_tables.SETTLED, peer=False)})
        before = self.page.read_text()
        with self.assertRaisesRegex(measure_tables.Skipped, "not installed"):
            measure_tables.fill(self.table(), run, "0.1.0", self.root)
        self.assertEqual(self.page.read_text(), before)

    def test_without_the_peer_no_minutes_are_spent(self):
        table = self.table()
        table.needs = ("MuJoCo",)
        run = Printed({})  # runs nothing
        run.python = None
        with self.assertRaisesRegex(measure_tables.Skipped, "MuJoCo: not installed"):
            measure_tables.fill(table, run, "0.1.0", self.root)

    def test_a_table_that_was_never_measured_differs(self):
        self.assertEqual(
            measure_tables.check(self.table(), Printed({}), self.root), ["never measured"]
        )

    def test_rows_of_programs(self):
        run = Printed({
            "--one plain": "==1== Collected : 4000000\n",
            "--one flight": "==1== Collected : 5200000\n",
        })  # fmt: skip
        rows = measure_tables.flight(run, []).rows
        self.assertEqual(rows[0], ["ANYmal", "20 k", "26 k", "1.30"])
        heaps = (
            "270000 steps, 3 unsolved; 9 looked again, 0 of these unsolved\n"
            "4.46 iterations a step, 297 at most; friction outside its cone by 0; 80 s\n"
        )
        stirred = (
            "  100  0  0  3.16  15  0.059  8  284800  5984  2  0  0.0  0\n"
            "  200  1  0  6.34  29  0.511  87  860000  6748  2  0  0.2  9\n"
            "no step failed; 0 bodies outside; memory did not grow after the first tenth\n"
        )
        made = measure_tables.heaps(run, [heaps, stirred])
        self.assertEqual(made.rows[0][1:5], ["270,000", "3", "4.46", "297"])
        self.assertEqual(made.rows[1][1:5], ["200", "1", "6.34", "29"])
        self.assertIn("0.86 MB, did not grow", made.rows[1][5])
        with self.assertRaises(measure_tables.Skipped):
            measure_tables.heaps(run, ["nothing of the kind", stirred])

    def test_a_scene_without_data_is_skipped(self):
        with self.assertRaisesRegex(measure_tables.Skipped, "no shared data for .*pile216"):
            measure_tables.settled(Printed({}), [report(["panda"])])

    def test_a_program_that_is_not_there_is_skipped(self):
        run = measure_tables.Runner(self.root / "none", announce=lambda text: None)
        with self.assertRaises(measure_tables.Skipped):
            run("bench_fem --locking")

    def test_commands_run_once_and_without_their_peer_where_only_counts_are_wanted(self):
        told = []
        run = measure_tables.Runner(self.root, peers=False, announce=told.append)
        command = f"printf x{measure_tables.PEER}"
        self.assertEqual((run(command), run(command)), ("x", "x"))
        self.assertEqual(len([line for line in told if "printf" in line]), 1)
        self.assertNotIn("--against", told[0])

    def test_times_are_the_least_of_several_runs(self):
        first = {"scenes": [{"seconds_per_step": 2.0, "contacts": 3, "mujoco": [1, 2]}]}
        second = {"scenes": [{"seconds_per_step": 1.0, "contacts": 4, "mujoco": [5]}]}
        least = measure_tables.least_times(first, second)
        wanted = {"seconds_per_step": 1.0, "contacts": 3, "mujoco": [1, 2]}
        self.assertEqual(least, {"scenes": [wanted]})

    def test_every_table_has_its_place_and_every_place_its_table(self):
        places = {}
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
            for name in measured_pages.places(page.read_text(), page.name):
                places[name] = str(page.relative_to(ROOT))
        self.assertEqual(places, {table.name: table.page for table in measure_tables.TABLES})

    def test_the_list_names_all(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            measure_tables.list_tables(measure_tables.TABLES)
        for table in measure_tables.TABLES:
            self.assertIn(table.name, printed.getvalue())


if __name__ == "__main__":
    unittest.main()
