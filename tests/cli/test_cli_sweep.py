"""`limpet sweep`: the same table by threads, by shards and after a kill; a run that fails is a row.
Completion and man pages have every option that --help has."""

import csv
import fcntl
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from pathlib import Path

LIMPET = str(Path(os.environ.get("LIMPET_COMMAND", "build/release/limpet")).resolve())
SCENE = """<mujoco><worldbody><geom name="floor" type="plane" size="3 3 1" friction="0"/>
<body name="box" pos="0 0 .1"><freejoint/>
<geom name="box" type="box" size=".1 .1 .1" friction="0"/></body>
<body name="cart" pos="0 2 1"><joint name="rail" type="slide" axis="1 0 0"/>
<geom size=".1"/></body></worldbody>
<actuator><motor name="push" joint="rail"/></actuator></mujoco>"""


def limpet(*words, code=0, folder=None):
    done = subprocess.run([LIMPET, *words], capture_output=True, text=True, cwd=folder)
    if done.returncode != code:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Sweep(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        (self.folder / "scene.xml").write_text(SCENE)
        # a box on a slope of 45 degrees: mu below 1 slides, a cart that is pushed
        self.words = ["scene.xml", "--gravity=7,0,-7", "--time=0.2s", "--param"]
        self.words += ["box.friction=0.5,1.5", "--set", "push=1:3:3", "--track", "box"]

    def tearDown(self):
        self.temporary.cleanup()

    def table(self, name):
        return (self.folder / name).read_text()

    def sweep(self, out, *more, code=0):
        return limpet("sweep", *self.words, "--out", out, *more, code=code, folder=self.folder)

    def test_every_combination_has_a_row_that_is_right(self):
        self.sweep("all.csv")
        rows = list(csv.DictReader(self.table("all.csv").splitlines()))
        self.assertEqual([int(row["run"]) for row in rows], list(range(6)))
        pairs = [(float(row["box.friction"]), float(row["push"])) for row in rows]
        self.assertEqual(pairs, [(mu, f) for mu in (0.5, 1.5) for f in (1, 2, 3)])
        for row in rows:
            moved = float(row["box.moved"])
            # x = (7 - 0.5 7) t^2 / 2, but for the first steps and the order of the scheme: 5 %
            expected = 0.07 if float(row["box.friction"]) < 1 else 0.0
            self.assertAlmostEqual(moved, expected, delta=0.05 * 0.07)

    def test_controls_have_units_as_for_run(self):
        words = ["scene.xml", "--time=10ms", "--set"]
        for out, values in (("bare.csv", "0.2,3"), ("units.csv", "200mN,3N")):
            limpet("sweep", *words, f"push={values}", "--out", out, folder=self.folder)
        self.assertEqual(self.table("units.csv"), self.table("bare.csv"))
        told = limpet("sweep", *words, "push=1mm:3mm:2", code=2, folder=self.folder)
        self.assertIn("is a length; expected a force", told)

    def test_tables_are_files_that_are_no_input(self):
        self.assertIn("give it a name", self.sweep("-", code=1))
        self.assertIn("overwrite an input", self.sweep("scene.xml", code=1))
        self.assertIn("there is no folder", self.sweep("none/a.csv", code=1))
        self.assertIn("reads its table back", self.sweep("/dev/full", code=1))
        self.assertFalse((self.folder / "-").exists())
        self.assertIn("writes CSV", self.sweep("table.parquet", code=2))

    def test_a_quiet_sweep_says_nothing(self):
        words = [LIMPET, "sweep", *self.words, "--out", "a.csv", "--quiet"]
        done = subprocess.run(words, capture_output=True, cwd=self.folder, check=True)
        self.assertEqual(done.stdout + done.stderr, b"")
        self.assertEqual(len(self.table("a.csv").splitlines()), 7)

    def test_a_number_may_have_many_values(self):
        words = ["sweep", "scene.xml", "--time=2ms", "--param", "box.friction=0:1:200"]
        limpet(*words, folder=self.folder)
        rows = list(csv.DictReader(self.table("sweep.csv").splitlines()))
        values = [float(row["box.friction"]) for row in rows]
        self.assertEqual((len(values), values[-1]), (200, 1.0))
        self.assertAlmostEqual(values[100], 100 / 199, delta=1e-9)
        for wrong, why in (
            ("0.1,,1", "an empty value"),
            ("0:1:2:3", "more than two colons"),
            ("0:1:2.5", "COUNT is a whole number"),
            ("0.1,2kg", "is a mass"),
        ):
            words = ["sweep", "scene.xml", "--out=none.csv", "--param", f"box.friction={wrong}"]
            self.assertIn(why, limpet(*words, code=2, folder=self.folder))

    def test_threads_shards_and_a_kill_give_the_same_table(self):
        self.sweep("all.csv")
        self.sweep("threads.csv", "--threads", "3")
        self.assertEqual(self.table("threads.csv"), self.table("all.csv"))
        rows = []
        for shard in range(2):
            self.sweep(f"{shard}.csv", "--shard", f"{shard}/2")
            head, *own = self.table(f"{shard}.csv").splitlines(keepends=True)
            rows += own
        rows.sort(key=lambda row: int(row.split(",")[0]))
        self.assertEqual(head + "".join(rows), self.table("all.csv"))

        # what a kill leaves: some rows, in any order, the last one cut
        lines = self.table("all.csv").splitlines(keepends=True)
        (self.folder / "cut.csv").write_text(lines[0] + lines[3] + lines[1] + lines[2][:7])
        self.assertIn("4 runs done, 0 of them failed, 2 were there", self.sweep("cut.csv"))
        self.assertEqual(self.table("cut.csv"), self.table("all.csv"))
        self.assertIn("0 runs done", self.sweep("cut.csv"))

    def test_a_row_that_was_cut_leaves_nothing_behind(self):
        self.sweep("all.csv")
        lines = self.table("all.csv").splitlines(keepends=True)
        # longer than any row that can take its place
        (self.folder / "cut.csv").write_text(lines[0] + lines[2][:-1] + "9" * 200)
        self.sweep("cut.csv")
        self.assertEqual(self.table("cut.csv"), self.table("all.csv"))
        # a head that was cut, as a full disk leaves it
        (self.folder / "head.csv").write_text(lines[0][:9])
        self.sweep("head.csv")
        self.assertEqual(self.table("head.csv"), self.table("all.csv"))

    def test_a_table_that_another_process_writes_is_left_alone(self):
        self.sweep("all.csv")
        before = self.table("all.csv")
        with open(self.folder / "all.csv") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assertIn("another sweep writes", self.sweep("all.csv", code=1))
        self.assertEqual(self.table("all.csv"), before)
        self.sweep("all.csv")

    def test_a_disk_that_is_full_ends_it_with_whole_rows(self):
        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        words = [LIMPET, "sweep", *self.words, "--out", "full.csv"]
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=self.folder, preexec_fn=small
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("full.csv: cannot be written", done.stderr)
        self.assertRegex(done.stderr, r"ended with \d runs missing")
        self.sweep("full.csv")
        self.sweep("all.csv")
        self.assertEqual(self.table("full.csv"), self.table("all.csv"))

    def test_an_interruption_says_what_is_missing(self):
        words = [LIMPET, "sweep", "scene.xml", "--time=1000s", "--param", "box.friction=0.1:1:9"]
        going = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )
        while not (self.folder / "sweep.csv").exists():
            time.sleep(0.01)
        time.sleep(0.2)
        going.send_signal(signal.SIGHUP)  # as a terminal that is closed
        said = going.communicate(timeout=60)[1]
        self.assertEqual(going.returncode, 128 + signal.SIGHUP)
        self.assertIn("interrupted with 9 runs missing", said)

    def test_the_bar_fits_the_terminal(self):
        for columns in (20, 80):
            main, side = pty.openpty()
            fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            words = [LIMPET, "run", "scene.xml", "--time=1e5s"]
            going = subprocess.Popen(
                words, stderr=side, stdout=subprocess.DEVNULL, cwd=self.folder
            )
            os.close(side)
            told = os.read(main, 4096) + os.read(main, 4096)
            going.kill()
            going.wait()
            os.close(main)
            lines = told.decode().replace("\x1b[K", "").split("\r")
            self.assertIn("%", told.decode())
            self.assertLess(max(map(len, lines)), columns)

    def test_a_table_of_another_sweep_is_left_alone(self):
        (self.folder / "other.csv").write_text("run,mass\n")
        self.assertIn("another sweep", self.sweep("other.csv", code=1))
        self.assertEqual(self.table("other.csv"), "run,mass\n")

    def test_a_table_of_the_same_columns_and_other_values_is_another(self):
        self.sweep("all.csv")
        self.words[self.words.index("box.friction=0.5,1.5")] = "box.friction=0.5,1.4"
        before = self.table("all.csv")
        self.assertIn("another sweep", self.sweep("all.csv", code=1))
        self.assertEqual(self.table("all.csv"), before)

    def test_a_body_is_seen_from_another(self):
        # the box is turned and moved with the carriage; seen from the carriage it slides along x
        scene = """<mujoco><option gravity="0 0 0"/><worldbody>
            <body name="carriage" euler="0 0 90"><joint type="slide" axis="1 0 0"/>
            <geom size=".1" mass="1"/><body name="box" pos="0.3 0 0">
            <joint name="slide" type="slide" axis="1 0 0"/><geom size=".05" mass=".1"/></body>
            </body></worldbody><keyframe><key name="go" qvel="1 0.5"/></keyframe></mujoco>"""
        (self.folder / "relative.xml").write_text(scene)
        words = ["relative.xml", "--keyframe=go", "--time=0.2s", "--param", "body:box.mass=0.1,0.2"]
        words += ["--track", "box@carriage", "--track", "box"]
        limpet("sweep", *words, folder=self.folder)
        for row in csv.DictReader(self.table("sweep.csv").splitlines()):
            self.assertAlmostEqual(float(row["box@carriage.x"]), 0.3 + 0.2 * 0.5, delta=1e-9)
            self.assertAlmostEqual(float(row["box@carriage.moved"]), 0.1, delta=1e-9)
            self.assertAlmostEqual(float(row["box.y"]), 0.3 + 0.3, delta=1e-9)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_processes_of_mpi_give_the_same_table(self):
        words = ["mpirun", "--oversubscribe", "-n", "3", LIMPET, "sweep", *self.words]
        words += ["--mpi", "--out", "mpi.csv"]
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=self.folder, env={**os.environ, **root}
        )
        if "built without MPI" in done.stderr:
            self.skipTest("built without MPI")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("6 runs done, 0 of them failed", done.stdout)
        self.sweep("all.csv")
        self.assertEqual(self.table("mpi.csv"), self.table("all.csv"))
        # started again it does what is missing
        lines = self.table("all.csv").splitlines(keepends=True)
        (self.folder / "mpi.csv").write_text(lines[0] + lines[5] + lines[2])
        again = subprocess.run(
            words, capture_output=True, text=True, cwd=self.folder, env={**os.environ, **root}
        )
        self.assertIn("4 runs done, 0 of them failed, 2 were there", again.stdout)
        self.assertEqual(self.table("mpi.csv"), self.table("all.csv"))

    def test_a_run_that_fails_is_a_row(self):
        words = ["scene.xml", "--param", "body:box.mass=1,0", "--time=0.01s"]
        self.assertIn("1 of them failed", limpet("sweep", *words, folder=self.folder))
        rows = list(csv.DictReader(self.table("sweep.csv").splitlines()))
        self.assertEqual(rows[0]["outcome"], "solved")
        self.assertTrue(rows[1]["outcome"].startswith("error: "), rows[1]["outcome"])

    def test_samples_fill_ranges_evenly(self):
        words = ["scene.xml", "--param", "box.friction=0.2:1", "--param", "box.size[2]=5cm:10cm"]
        limpet("sweep", *words, "--samples=64", "--time=2ms", folder=self.folder)
        rows = list(csv.DictReader(self.table("sweep.csv").splitlines()))
        self.assertEqual(len(rows), 64)
        for name, low, high in (("box.friction", 0.2, 1.0), ("box.size[2]", 0.05, 0.1)):
            shares = sorted((float(row[name]) - low) / (high - low) for row in rows)
            # 64 points of a Halton sequence are nowhere further from even than 4 of 64
            self.assertTrue(all(abs(s - i / 64) < 4 / 64 for i, s in enumerate(shares)), shares)

    def test_mistakes_are_told(self):
        for words, text in (
            (["--param", "box.friction=0.2:1"], "--samples"),
            (["--param", "box.frict=1,2"], "friction_torsional"),
            (["--param", "box.friction=1,,2"], "empty"),
            (["--param", "box.friction=1:2:0"], "COUNT"),
            (["--param", "box.friction=1kg,2"], "is a mass"),
            (["--param", "box.friction=1,2", "--shard", "2/2"], "I/N"),
            (["--param", "box.friction=1,2", "--track", "bx"], "did you mean 'box'"),
            (["--param", "box.friction=1,2", "--track", "box@floor"], "BODY@FRAME"),
            (["--param", "box.friction=1,2", "--mpi", "--threads", "2"], "--mpi"),
            ([], "nothing varies"),
            (["--param", "box.friction"], "NAME.FIELD=VALUE"),
            (["--param", "bx.friction=1"], "there is no"),
            (["--param", "box.friction=-1"], "--param box.friction=-1: friction: -1 is out"),
            (["--param", "box.friction=1,2", "--param", "box.friction=3,4"], "varies already"),
            (["--set", "push"], "ACTUATOR=VALUE"),
            (["--set", "psh=1,2"], "there is no actuator 'psh'"),
        ):
            done = subprocess.run(
                [LIMPET, "sweep", "scene.xml", *words],
                capture_output=True,
                text=True,
                cwd=self.folder,
            )
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(text, done.stderr)
            self.assertFalse((self.folder / "sweep.csv").exists())


class Tables(unittest.TestCase):
    def test_completions_and_man_pages_have_every_option(self):
        bash, fish, zsh = (limpet("completion", shell) for shell in ("bash", "fish", "zsh"))
        self.assertEqual(subprocess.run(["bash", "-n"], input=bash, text=True).returncode, 0)
        commands = re.findall(r"^  (\w+) ", limpet("--help").split("Commands")[1], re.M)
        self.assertGreater(len(commands), 12)
        for command in commands:
            if command in ("completion", "man", "help"):
                continue
            options = re.findall(r"^  (--[\w-]+)", limpet(command, "--help"), re.M)
            self.assertGreater(len(options), 1)
            page = limpet("man", command).replace("\\-", "-")
            words = re.search(rf'{command}\) .*words="([^"]*)"', bash)[1].split()
            for option in options:
                self.assertIn(option, words)
                if option != "--help":
                    self.assertIn(f"\\fB{option}\\fR", page)
                    self.assertRegex(fish, rf"from {command}' -l {option[2:]} ")
                    self.assertIn(option, zsh)

    def test_bash_completes(self):
        script = limpet("completion", "bash") + (
            'COMP_WORDS=(limpet sweep --sha); COMP_CWORD=2; _limpet; echo "${COMPREPLY[@]}"\n'
            'COMP_WORDS=(limpet swe); COMP_CWORD=1; _limpet; echo "${COMPREPLY[@]}"\n'
        )
        out = subprocess.run(["bash"], input=script, capture_output=True, text=True).stdout
        self.assertEqual(out.split(), ["--shard", "sweep"])

    def test_bash_completes_names_that_the_library_knows(self):
        for words, expected in [
            (["run", "--contact", "la"], ["lagged"]),
            (["run", "--contact", "=", "la"], ["lagged"]),
            (["run", "--preset", "="], ["limpet", "drake"]),
            (["compare", "--contact", "sap,la"], ["sap,lagged"]),
            (["list", "sch"], ["schemes"]),
            (["completion", ""], ["bash", "zsh", "fish"]),
            (["man", "swe"], ["sweep"]),
            (["help", "swe"], ["sweep"]),
            (["run", "scene"], []),
        ]:
            script = limpet("completion", "bash") + (
                f"COMP_WORDS=(limpet {' '.join(repr(word) for word in words)})\n"
                f'COMP_CWORD={len(words)}; _limpet; echo "${{COMPREPLY[@]}}"\n'
            )
            run = subprocess.run(["bash"], input=script, capture_output=True, text=True)
            self.assertEqual((run.stdout.split(), run.stderr), (expected, ""), words)


if __name__ == "__main__":
    unittest.main()
