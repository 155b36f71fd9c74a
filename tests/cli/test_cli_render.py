"""`limpet render`: pictures and videos of a replay, a log and a model; what is missing is said.
`limpet compare --motion`: another simulator's motion beside runs.

Without Chromium or the viewer the pictures are skipped; what is refused is refused without them.
"""

import base64
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

SOURCE = Path(os.environ.get("LIMPET_SOURCE_DIR", "."))
COMMAND = os.environ.get("LIMPET_COMMAND", str(SOURCE / "build/release/limpet"))
SCENE = """<mujoco><worldbody><geom type='plane' size='2 2 .1'/>
  <body name='cube' pos='0 0 .5'><freejoint/>
  <geom type='box' size='.1 .1 .1' rgba='1 0 0 1'/></body></worldbody></mujoco>"""
CHROMIUM = shutil.which(os.environ.get("LIMPET_CHROMIUM", "chromium"))


def limpet(*words, **environment):
    return subprocess.run(
        [COMMAND, *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def pixels(path):
    """Width, height, and the number of bytes of the picture when it is unpacked."""
    raw = Path(path).read_bytes()
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(raw):
        (length,), kind = struct.unpack(">I", raw[at : at + 4]), raw[at + 4 : at + 8]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", raw[at + 8 : at + 16])
        if kind == b"IDAT":
            body += raw[at + 8 : at + 8 + length]
        at += length + 12
    return width, height, zlib.decompress(body)


class Render(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        cls.scene = cls.folder / "scene.xml"
        cls.scene.write_text(SCENE)
        cls.page, cls.log = cls.folder / "out.html", cls.folder / "out.h5"
        cls.made = limpet(
            *("run", cls.scene, "--time", "0.5s", "--quiet"),
            *("--html", cls.page, "--log", cls.log),
        )

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def refused(self, code, words, *arguments, **environment):
        done = limpet("render", *arguments, **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, words)
        return done

    def setUp(self):
        if self.made.returncode != 0:
            self.skipTest("built without the viewer: " + self.made.stderr)

    def test_what_makes_no_sense_is_refused(self):
        out = self.folder / "refused.png"
        self.refused(2, "no file", "--png", out)
        self.refused(2, "say what to write", self.page)
        self.refused(2, "six numbers", self.page, "--png", out, "--camera", "1,2,x,0,0,0")
        self.refused(2, "--width", self.page, "--png", out, "--width", "9000")
        self.refused(2, r"ends in \.png", self.page, "--png", self.folder / "out.jpeg")
        self.refused(2, r"ends in \.mp4", self.page, "--mp4", self.folder / "out.avi")
        self.refused(2, "--fps: only videos use it", self.page, "--png", out, "--fps", "10")
        self.refused(2, "--time: only pictures use it", self.page, "--mp4", "a.mp4", "--time", "1s")
        self.refused(1, "no folder", self.page, "--png", "/no/such/folder/out.png")
        self.refused(1, "cannot be opened: No such file", self.folder / "none.html", "--png", out)
        self.assertFalse(out.exists())

    def test_a_motion_from_elsewhere_is_a_run_of_the_page(self):
        page, motion = self.folder / "both.html", self.folder / "motion.csv"
        rows = [f"{0.01 * k},{0.02 * k},0,0.5,1,0,0,0" for k in range(50)]
        motion.write_text("time,x,y,z,a,b,c,d\n" + "\n".join(rows))
        words = ["compare", self.scene, "--contact", "coulomb", "--time", "0.5s", "--quiet"]
        done = limpet(*words, "--motion", f"theirs={motion}", "--html", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        begin = text.index('id="limpet-runs">') + len('id="limpet-runs">')
        runs = json.loads(text[begin : text.index("</script>", begin)])
        self.assertEqual([run["name"] for run in runs], ["", "theirs"])
        place = runs[1]["frames"]["position"]
        stream = text.index('id="limpet-stream">') + len('id="limpet-stream">')
        data = base64.b64decode(text[stream : text.index("</script>", stream)])
        last = place["offset"] + 4 * (place["count"] - 3)
        x, y, z = struct.unpack("<3f", data[last : last + 12])
        self.assertAlmostEqual(x, 0.02 * 49 if runs[1]["frames"]["count"] == 50 else x, 5)
        self.assertEqual((y, z), (0.0, 0.5))
        self.assertGreater(x, 0.9)
        for text, complaint in [
            ("0,1,2\n", "csv:1: there should be 8 numbers"),
            ("time\n0,0,0,0,1,0,0,x\n", "csv:2: not all of it is numbers"),
            ("1,0,0,0,1,0,0,0\n0,0,0,0,1,0,0,0\n", "csv:2: time goes back"),
            ("time\n", "no line of numbers"),
        ]:
            motion.write_text(text)
            done = limpet(*words, "--motion", motion, "--html", page)
            self.assertEqual(done.returncode, 1)
            self.assertIn(complaint, done.stderr)

    def test_what_is_not_installed_is_said(self):
        out = self.folder / "missing.mp4"
        nowhere = {"PATH": "/nonexistent", "LIMPET_CHROMIUM": "", "LIMPET_FFMPEG": ""}
        self.refused(1, "install chromium", self.page, "--mp4", out, **nowhere)
        if CHROMIUM:
            # before anything is run or drawn: no picture either
            both = ("--png", self.folder / "missing.png", "--mp4", out)
            self.refused(1, "install ffmpeg", self.scene, *both, LIMPET_FFMPEG="no-ffmpeg")
        self.assertEqual([], list(self.folder.glob("missing*")))

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_pictures_of_replay_log_and_model(self):
        shots = {}
        for what, more in [
            (self.page, ("--time", "0.2s", "--dark")),
            (self.log, ()),
            (self.scene, ("--", "--time", "0.5s")),
        ]:
            out = self.folder / f"{what.name}.png"
            done = limpet("render", what, "--png", out, "--width", 320, "--height", 200, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            shots[what.name] = pixels(out)
        for width, height, _ in shots.values():
            self.assertEqual((width, height), (320, 200))
        # the same moment of the same run, whichever way it came here
        self.assertEqual(shots["out.h5"], shots["scene.xml"])
        self.assertNotEqual(shots["out.h5"], shots["out.html"])
        self.assertEqual([], list(self.folder.glob("*.part")))

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_page_that_is_no_replay_is_an_error(self):
        bad = self.folder / "bad.html"
        bad.write_text("<!doctype html><p>no replay</p>")
        self.refused(1, "is no replay", bad, "--png", self.folder / "bad.png")

    @unittest.skipUnless(CHROMIUM and shutil.which("ffmpeg"), "needs chromium and ffmpeg")
    def test_a_video_has_the_frames_that_were_asked_for(self):
        out = self.folder / "out.mp4"
        words = ("--fps", 10, "--speed", 0.5, "--start", "0.4s", "--width", 161, "--height", 100)
        done = limpet("render", self.page, "--mp4", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,nb_frames", "-of"]
            + ["csv=p=0", str(out)],
            capture_output=True,
            text=True,
            check=True,
        )
        # 0.1 s at half speed is 0.2 s: pictures at 0, 0.1 and 0.2 s
        self.assertEqual(told.stdout.strip(), "162,100,3")


if __name__ == "__main__":
    unittest.main()
