#!/usr/bin/env python3
"""Files made to hurt: each ends with a clear error or a result, without a crash, in bounded
processor time and memory."""

import os
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ.get("LIMPET_COMMAND", "build/release/limpet")
MEMORY = 1 << 30  # [bytes] of address space beyond what the command maps at its start
SECONDS = 10  # of processor time, at which the system ends it; all take below 2 on a quiet core
DEEP = 100000
SANITIZED = "asan" in COMMAND or "tsan" in COMMAND  # these reserve terabytes
NUMBERS = 4000000 if SANITIZED else 67000000  # 134 MB in one attribute


def bounded():
    """Limits of the child."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def nested(before, tag, after):
    """A document with one element inside another, DEEP times."""
    return before + f"<{tag}>" * DEEP + f"</{tag}>" * DEEP + after


def stl(triangles, triangle):
    """A binary STL file of equal triangles."""
    record = struct.pack("<12fH", 0, 0, 1, *triangle, 0)
    return b"\0" * 80 + struct.pack("<I", triangles) + record * triangles


def mesh_model(name):
    """A model around a mesh file."""
    return (
        f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )


ENTITIES = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
REPLICATED = '<replicate count="1000">' * 5 + '<geom size="1"/>' + "</replicate>" * 5
CHAIN = "".join(f'<link name="l{i}"/>' for i in range(3)) + "".join(
    f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{(i + 1) % 3}"/></joint>'
    for i in range(3)
)
LINKS = "".join(f'<link name="l{i}"/>' for i in range(3)) + "".join(
    f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{(i + 1) % 3}"/></joint>'
    for i in range(3)
)
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ATTACH = (
    '<mujoco><asset><model name="m" file="attach.xml"/></asset><worldbody>'
    '<attach model="m" prefix="x"/></worldbody></mujoco>'
)
# name of the file: what is in it, and what the error says of it
CASES = {
    "entities.xml": (
        (
            f'<!DOCTYPE m [<!ENTITY a0 "lol">{ENTITIES}]><mujoco><worldbody><geom name="&a11;" '
            'size="1"/></worldbody></mujoco>'
        ),
        "document type declarations are not read",
    ),
    "bodies.xml": (
        nested("<mujoco><worldbody>", "body", "</worldbody></mujoco>"),
        "too deeply",
    ),
    "classes.xml": (nested("<mujoco>", "default", "</mujoco>"), "too deeply"),
    "links.urdf": (nested('<robot name="a">', "link", "</robot>"), "too deeply"),
    "models.sdf": (
        nested('<sdf version="1.7"><model name="a">', "model", "</model></sdf>"),
        "too deeply",
    ),
    "loop.urdf": (f'<robot name="a">{CHAIN}</robot>', "hangs on itself"),
    "include.xml": ('<mujoco><include file="include.xml"/></mujoco>', "include"),
    "attach.xml": (ATTACH, "does one attach itself?"),
    "model.sdf": (
        (
            '<sdf version="1.7"><model name="w"><link name="l"/><include><uri>model.sdf</uri>'
            "</include></model></sdf>"
        ),
        "does a model include itself?",
    ),
    "copies.xml": (
        f"<mujoco><worldbody>{REPLICATED}</worldbody></mujoco>",
        "two million elements",
    ),
    "point.stl": (stl(1000000, [1.0] * 9), None),
    "point.xml": (mesh_model("point.stl"), "has 1 vertices"),
    "needle.stl": (stl(1000000, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]), None),
    "needle.xml": (mesh_model("needle.stl"), "a mesh needs at least 4"),
    "count.stl": (b"\0" * 80 + struct.pack("<I", 0xFFFFFFFF), None),
    "count.xml": (mesh_model("count.stl"), "count.stl"),
    "outside.xml": (mesh_model("../../../../../none/none.stl"), "cannot be found"),
    "numbers.xml": (
        f'<mujoco><worldbody><geom size="{"1 " * 4000000}"/></worldbody></mujoco>',
        "too many numbers",
    ),
    "name.xml": (
        f'<mujoco><worldbody><geom name="{"x" * 8000000}" size="-1"/></worldbody></mujoco>',
        "must be positive",
    ),
    "field.bin": (struct.pack("<ii", 2**31 - 1, 2**31 - 1), None),
    "field.xml": (
        (
            '<mujoco><asset><hfield name="h" file="field.bin" size="1 1 1 1"/></asset><worldbody>'
            '<geom type="hfield" hfield="h"/></worldbody></mujoco>'
        ),
        "is no height field",
    ),
    "attribute.xml": (
        f'<mujoco><worldbody><geom size="{"1 " * NUMBERS}"/></worldbody></mujoco>',
        "too many numbers",
    ),
    "joints.urdf": (f'<robot name="m">{LINKS}</robot>', "hangs on itself"),
    "deep.sdf": (nested('<sdf version="1.9">', "world", "</sdf>"), "too deeply"),
    "filters.urdf": (
        (
            '<robot name="r"><link name="a"/><drake:collision_filter_group name="g">'
            '<drake:member_group name="g"/></drake:collision_filter_group></robot>'
        ),
        "is a member of itself",
    ),
}
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
CASES["pointer.xml"] = (POINTER, "is only a pointer to the file that Git LFS keeps")
CASES["pointer.stl"] = (POINTER, None)
CASES["pointed.xml"] = (mesh_model("pointer.stl"), "pointer.stl: is only a pointer")
CASES["noise.xml"] = (bytes(range(127, 255)), "this is not XML")
CASES["device.xml"] = (mesh_model("zero.stl"), "zero.stl")  # a link to /dev/zero
SPHERE = '<mujoco>\n<worldbody><geom size="-1"/></worldbody></mujoco>\n'
GIGABYTE = 1 << 30
GIANTS = ("string.xml", "string.urdf", "string.sdf")


def check(folder, name):
    """`limpet check` within bounds of time and memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [COMMAND, "check", name],
        cwd=folder,
        capture_output=True,
        preexec_fn=bounded,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    TIMES[name] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done


TIMES = {}  # [s]  of processor time


class Hostile(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        slowest = sorted(TIMES, key=TIMES.get)[-3:]
        print("slowest:", ", ".join(f"{name} {TIMES[name]:.2f} s" for name in slowest))

    def test_each_file_ends_with_a_clear_error(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, (content, _) in CASES.items():
                data = content if isinstance(content, bytes) else content.encode()
                (Path(folder) / name).write_bytes(data)
            (Path(folder) / "zero.stl").symlink_to("/dev/zero")
            for name, (_, says) in CASES.items():
                if says is None:
                    continue
                with self.subTest(name):
                    self.refuses(folder, name, says)

    def refuses(self, folder, name, says):
        """The command ends with a short error that says so."""
        done = check(folder, name)
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, 1, error[:400])
        self.assertIn(says, error)
        self.assertLess(len(error), 4000)

    def test_text_of_two_bytes_a_letter_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
                for text, code in ((SPHERE, 1), (SPHERE.replace("-1", "1"), 0)):
                    (Path(folder) / "wide.xml").write_bytes(text.encode(encoding))
                    done = check(folder, "wide.xml")
                    self.assertEqual(done.returncode, code, (encoding, done.stderr))
                    self.assertEqual(b"wide.xml:2:12: number 1 of the size" in done.stderr, code)

    def test_a_device_is_named_by_its_path(self):
        done = subprocess.run([COMMAND, "run", "/dev/null"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"/dev/null: there is nothing in it", done.stderr)

    def test_models_come_through_pipes(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mesh.obj").write_text(TETRAHEDRON)
            for name in ("-", "/dev/stdin"):
                for model, code, says in (
                    (mesh_model("mesh.obj"), 0, b"fully supported"),
                    (SPHERE, 1, b"stdin:2:18: number 1 of the size"),
                    ("", 1, b"stdin: there is nothing in it"),
                ):
                    done = subprocess.run(
                        [COMMAND, "check", name],
                        cwd=folder,
                        input=model.encode(),
                        capture_output=True,
                        check=False,
                    )
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertIn(says, done.stdout + done.stderr)

    def test_a_string_of_a_gigabyte_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in GIANTS:
                root = {"xml": "mujoco", "urdf": "robot", "sdf": "sdf"}[name[7:]]
                with (Path(folder) / name).open("wb") as file:
                    file.write(f'<{root} model="'.encode())
                    file.truncate(GIGABYTE)  # the rest is a hole of zeros
                with self.subTest(name):
                    self.refuses(folder, name, "is larger than 192 MB")

    def test_files_outside_of_the_folder_are_read_and_told(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mesh.obj").write_text(TETRAHEDRON)
            inner = Path(folder) / "model"
            inner.mkdir()
            (inner / "model.xml").write_text(mesh_model("../mesh.obj"))
            done = check(inner, "model.xml")
            said = (done.stdout + done.stderr).decode()
            self.assertEqual(done.returncode, 0, said)
            self.assertIn("outside of the folder", said)


if __name__ == "__main__":
    if not sys.platform.startswith("linux"):
        sys.exit(77)
    unittest.main()
