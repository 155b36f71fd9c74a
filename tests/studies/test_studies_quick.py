"""The studies' checks that run in seconds: every study with --quick, by the command of this
build."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("LIMPET_CACHE", ROOT / "cache"))
sys.path.insert(0, str(ROOT / "tools"))

import run_studies  # noqa: E402


def interpreter():
    """The first Python here that has NumPy and h5py, or None."""
    for python in (sys.executable, CACHE / "studies-venv/bin/python3", "/usr/bin/python3"):
        try:
            if (
                subprocess.run(
                    [str(python), "-c", "import h5py, numpy"], capture_output=True
                ).returncode
                == 0
            ):
                return str(python)
        except OSError:
            pass
    return None


class Quick(unittest.TestCase):
    def run_study(self, script, *options, **environment):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [PYTHON, str(script), "--quick", "--out", folder, *options],
                capture_output=True,
                text=True,
                # NumPy's bytecode is kept from one study to the next
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},
            )

    def test_there_are_studies(self):
        self.assertGreater(len(run_studies.studies([])), 2)

    def test_a_failed_check_fails_the_study(self):
        # negative control: another duration of free fall, so that nothing lands when it should
        source = (ROOT / "studies/irrotational-contact-fields/sphere.py").read_text()
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "studies/irrotational-contact-fields/sphere.py"
            script.parent.mkdir(parents=True)
            script.write_text(source)
            scenes = script.parent / "scenes"
            scenes.mkdir()
            text = (ROOT / "studies/irrotational-contact-fields/scenes/sphere.xml").read_text()
            (scenes / "sphere.xml").write_text(text.replace('pos="0 0 0.05"', 'pos="0 0 0.06"'))
            (Path(folder) / "studies/support").symlink_to(ROOT / "studies/support")
            done = self.run_study(script)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FAIL  sap: first contact", done.stdout)

    def test_a_missing_command_is_said(self):
        done = self.run_study(run_studies.studies(["sphere"])[0], LIMPET_COMMAND="/no/such/limpet")
        self.assertEqual(done.returncode, 2)
        self.assertIn("LIMPET_COMMAND", done.stderr)


def study_test(script):
    """A test that runs one study."""

    def test(self):
        done = self.run_study(script)
        if "skipped: no shared data" in done.stdout:
            self.skipTest("no shared data")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    return test


for path in run_studies.studies([]):
    setattr(Quick, f"test_{path.parent.name}_{path.stem}".replace("-", "_"), study_test(path))

if __name__ == "__main__":
    PYTHON = interpreter()
    if not PYTHON:
        print(
            "skipped: studies need NumPy and h5py; 'python3 tools/run_studies.py --fetch' "
            "fetches them"
        )
        sys.exit(77)
    if not os.access(os.environ.get("LIMPET_COMMAND", ROOT / "build/release/limpet"), os.X_OK):
        print("skipped: no command in this build")
        sys.exit(77)
    unittest.main()
