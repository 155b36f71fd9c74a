"""Fixtures: scenes of the project, and small models in text."""

import os
from pathlib import Path

import pytest

import limpet

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared"))

ARM = """
<mujoco model="arm">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping=".1"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" density="800"/>
      <body name="lower" pos=".4 0 0">
        <joint name="elbow" axis="0 1 0" damping=".1"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" density="800"/>
      </body>
    </body>
    <body name="box" pos="1 0 .051">
      <freejoint/>
      <geom name="box" type="box" size=".05 .05 .05" density="500" friction=".6"/>
    </body>
  </worldbody>
  <actuator><motor name="lift" joint="shoulder" gear="2"/></actuator>
  <sensor><jointpos name="angle" joint="elbow"/>
    <framepos name="where" objtype="body" objname="box"/></sensor>
  <keyframe><key name="raised" qpos=".5 -.5  1 0 .2 1 0 0 0"/></keyframe>
</mujoco>
"""


@pytest.fixture
def model():
    return limpet.load_text(ARM)


@pytest.fixture
def data(model):
    return model.data()


@pytest.fixture
def scenes():
    return ROOT / "scenes"


@pytest.fixture
def golden():
    folder = SHARED / "golden"
    if not folder.is_dir():
        pytest.skip("no shared data")
    return folder
