"""Every shell line of the guides runs as it stands there, in a folder with a scene and a grasp."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("LIMPET_COMMAND")
# a hand with two pads around a cube: what the guides' lines name
GRASP = """<mujoco model="grasp"><option timestep="0.005"/>
<worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body name="hand" pos="0 0 .3"><joint name="lift" type="slide" axis="0 0 1" damping="200"
  stiffness="5000"/>
<geom type="box" size=".06 .02 .01" pos="0 0 .06" mass=".5" contype="0" conaffinity="0"/>
<body pos="-.025 0 0"><joint name="left" type="slide" axis="1 0 0"/>
<geom name="pad" type="box" size=".005 .015 .02" mass=".05"/>
<geom name="pad_left" type="box" size=".005 .015 .02" mass=".05"/></body>
<body pos=".025 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
<geom name="pad_right" type="box" size=".005 .015 .02" mass=".05"/></body></body>
<body name="cube" pos="0 0 .3"><freejoint/><geom name="cube" type="box" size=".02 .02 .02"
  mass=".1" friction=".1"/></body></worldbody>
<tendon><fixed name="both"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed>
</tendon><actuator><motor name="grip" tendon="both" gear="2"/></actuator></mujoco>"""
# lines that are not run, with the reason
LEFT_OUT = (
    (r"^make ", "builds the project, as the tests of CMake do"),
    (r"^pip ", "needs the network; tools/make_wheel.sh and test_python.sh install the package"),
    (r"^(export PKG_CONFIG|cc )", "test_consumer compiles against an installed library"),
    (r"^limpet view ", "waits for a browser; the tests of the viewer run it"),
    (r"^python ", "python/tests/test_docs.py runs the examples"),
    (r"^limpet render ", "needs what the example wrote; test_cli_render runs the command"),
)


def shell_lines():
    """(page, line) of every command in a block of shell; continued lines are joined."""
    for page in sorted((ROOT / "docs/guide").glob("*.md")):
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.S | re.M):
            for line in block.replace("\\\n", " ").splitlines():
                if line.strip() and not line.lstrip().startswith("#"):
                    yield page.name, line.strip()


@unittest.skipUnless(COMMAND, "no command")
class Guides(unittest.TestCase):
    def test_shell_lines_run(self):
        ran = 0
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "grasp.xml").write_text(GRASP)
            (folder / "scene.xml").write_text(GRASP)
            # python/examples/grasp_slip.py writes a scene and its controls there
            (folder / "out").mkdir()
            (folder / "out/grasp.xml").write_text(GRASP)
            (folder / "out/grasp.csv").write_text("time,grip\n0,5\n5,5\n")
            (folder / "build/release").mkdir(parents=True)
            (folder / "build/release/limpet").symlink_to(Path(COMMAND).resolve())
            (folder / "robot.urdf").write_text(
                "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' "
                "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
            )
            shutil.copytree(ROOT / "scenes", folder / "scenes")
            path = f"{folder / 'build/release'}:{os.environ['PATH']}"
            for page, line in shell_lines():
                if any(re.search(pattern, line) for pattern, _ in LEFT_OUT):
                    continue
                done = subprocess.run(
                    ["bash", "-c", line],
                    cwd=folder,
                    env={**os.environ, "PATH": path},
                    capture_output=True,
                    text=True,
                    timeout=300,
                )
                self.assertEqual(done.returncode, 0, f"{page}: {line}\n{done.stderr}")
                ran += 1
        self.assertGreaterEqual(ran, 7)

    def test_pictures_are_there(self):
        for page in (ROOT / "docs/guide").glob("*.md"):
            for target in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


if __name__ == "__main__":
    unittest.main()
