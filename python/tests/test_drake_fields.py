"""Random URDF and SDFormat files, beside Drake: every field that both have, and three states.

    LIMPET_ROBOT_FILES=1000 pytest python/tests/test_drake_fields.py
    python python/tests/test_drake_fields.py urdf|sdf COUNT [FIRST SEED]    all differences
    python python/tests/random_urdf.py SEED drake                           the file of a seed
    python python/tests/random_sdformat.py SEED                             the files of a seed

Compared are links, joints, actuators, shapes with their surfaces; then poses, Jacobians, mass
matrix, bias force and accelerations, and which shapes touch.

Needs Drake (PyPI: drake 1.51.1): without it the test is skipped.
"""

import os
import sys

import pytest
import random_sdformat
import random_urdf
from field_twin import print_differences

try:
    import pydrake.all  # noqa: F401
except ImportError:
    if __name__ == "__main__":
        print("skipped: not installed: drake")
        sys.exit(77)
    pytest.skip("not installed: drake", allow_module_level=True)
from drake_fields import Twin  # noqa: E402

PACKAGE = "<package format='2'><name>parts</name></package>"
FILES = int(os.environ.get("LIMPET_ROBOT_FILES", "20"))


def urdf(seed, folder):
    (folder / "wedge.obj").write_text(random_urdf.WEDGE)
    path = folder / "robot.urdf"
    path.write_text(random_urdf.draw(seed, random_urdf.DRAKE))
    return Twin(seed, path, False)


def sdf(seed, folder):
    text, parts = random_sdformat.draw(seed)
    for name, inside in {"world.sdf": text, "package.xml": PACKAGE, **parts}.items():
        (folder / name).write_text(inside)
    return Twin(seed, folder / "world.sdf", True)


FORMATS = {"urdf": urdf, "sdf": sdf}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FORMATS)
def test_random_files_are_drakes(name, tmp_path):
    for seed in range(FILES):
        differences = FORMATS[name](seed, tmp_path).compare_all()
        assert not differences, f"seed {seed}: {differences}"


if __name__ == "__main__":
    print_differences(FORMATS[sys.argv[1]], *sys.argv[2:])
