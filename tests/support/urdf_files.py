"""Models that the tests of written URDF take: all that URDF can hold, of the shared data."""

import os
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
MODELS = Path(os.environ.get("LIMPET_SHARED", SOURCE / "../shared")) / "models"
FILES = (
    "drake/**/*.urdf",
    "drake/**/*.sdf",
    "dexurdf/**/*.urdf",
    "menagerie/*/*.xml",
    "mjcf/model/humanoid/humanoid.xml",
    "mjcf/model/car/car.xml",
    "mjcf/model/hammock/hammock.xml",
)


def paths():
    """All of them that are there, sorted."""
    return sorted(path for pattern in FILES for path in MODELS.glob(pattern))
