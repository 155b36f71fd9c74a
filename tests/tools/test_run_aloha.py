"""tools/run_aloha.py runs a scene of our own, and says so, where PyPI cannot be reached."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run_aloha(folder, *options, **environment):
    """Runs the script with `echo` in place of the command; pip sees no index, as without a
    network."""
    environment = {
        **os.environ,
        "LIMPET_COMMAND": "echo",
        "LIMPET_CACHE": f"{folder}/cache",
        "LIMPET_OUT": f"{folder}/out",
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_FIND_LINKS": "",
        **environment,
    }
    return subprocess.run(
        [sys.executable, str(ROOT / "tools/run_aloha.py"), *options],
        env=environment,
        capture_output=True,
        text=True,
    )


class WithoutNetwork(unittest.TestCase):
    def test_package_cannot_be_fetched(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run_aloha(folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("could not be fetched from PyPI (gym-aloha==", result.stdout)
        self.assertRegex(
            result.stdout, r"\nrun \S+/scenes/falling_boxes.xml .*--html \S+/out/falling_boxes.html"
        )

    def test_package_is_in_the_cache(self):
        version = (ROOT / "tools/gym_aloha.txt").read_text().split()[0].replace("==", "-")
        with tempfile.TemporaryDirectory() as folder:
            model = (
                Path(folder)
                / "cache"
                / version
                / "gym_aloha/assets/bimanual_viperx_transfer_cube.xml"
            )
            model.parent.mkdir(parents=True)
            model.write_text("<mujoco/>")
            result = run_aloha(folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("fetch", result.stdout)
        self.assertIn(f"\nrun {model} --keyframe", result.stdout)

    def test_failure_of_the_command_is_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run_aloha(folder, "--offline", LIMPET_COMMAND="false")
        self.assertNotEqual(result.returncode, 0)


class OwnScene(unittest.TestCase):
    def test_it_runs(self):
        command = os.environ.get("LIMPET_COMMAND", "")
        if not os.access(command, os.X_OK):
            self.skipTest("no command in this build")
        with tempfile.TemporaryDirectory() as folder:
            result = run_aloha(folder, "--offline", LIMPET_COMMAND=command)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertGreater((Path(folder) / "out/falling_boxes.h5").stat().st_size, 10000)
            self.assertIn("</html>", (Path(folder) / "out/falling_boxes.html").read_text())


if __name__ == "__main__":
    unittest.main()
