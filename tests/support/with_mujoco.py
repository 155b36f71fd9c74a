"""`from with_mujoco import mujoco`: MuJoCo of this Python, or the script again in the Python that
LIMPET_PYTHON names; where neither has MuJoCo and NumPy the test is skipped."""

import os
import shutil
import sys

try:
    import mujoco
    import numpy  # noqa: F401
except ImportError:
    other = os.environ.pop("LIMPET_PYTHON", None)  # tried once
    if other and shutil.which(other):
        os.execvp(other, [other, *sys.argv])
    print("skipped: not installed: mujoco")
    sys.exit(77)

__all__ = ["mujoco"]
