"""Two runs of the command write the same log, byte for byte, with 1 and 2 threads too; and a log
can be run again."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get("LIMPET_COMMAND", str(ROOT / "build/release/limpet"))
SCENE = [
    "run",
    str(ROOT / "scenes/falling_boxes.xml"),
    "--controls",
    str(ROOT / "scenes/falling_boxes.csv"),
    "--quiet",
]


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


@unittest.skipUnless(os.access(COMMAND, os.X_OK), "no command in this build")
class EqualLogs(unittest.TestCase):
    def test_logs(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.h5"  # the same name each time: it stands in the log

            def record(*arguments):
                result = run(*SCENE, "--time", "1s", "--log", str(log), *arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                return log.read_bytes()

            first = record()
            self.assertGreater(len(first), 100000)
            self.assertTrue(record() == first, "two runs differ")
            self.assertTrue(record("--threads", "2") == first, "one thread and two differ")
            # the negative control: another step gives another log
            self.assertFalse(record("--dt", "1ms") == first)

    def test_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.h5"
            self.assertEqual(run(*SCENE, "--time", "0.5s", "--log", str(log)).returncode, 0)
            result = run("run", "--from", str(log), "--threads", "2")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn("is bit-identical", result.stdout)


if __name__ == "__main__":
    unittest.main()
