"""The code of docs/guide/python.md and the example run as they stand."""

import re
import shutil

import pytest
from conftest import ROOT

import limpet


def test_the_guide_runs(tmp_path, monkeypatch, capsys):
    page = ROOT / "docs/guide/python.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    assert len(blocks) >= 7
    shutil.copy(ROOT / "scenes/falling_boxes.xml", tmp_path / "scene.xml")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert "solved" in capsys.readouterr().out
    assert names["slippery"].geom("floor").material["friction"] == 0.3


def test_the_guide_for_users_of_mujoco_runs(tmp_path, monkeypatch):
    page = ROOT / "docs/guide/from-mujoco.md"
    (block,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    shutil.copy(ROOT / "scenes/falling_boxes.xml", tmp_path / "scene.xml")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, str(page), "exec"), {})


def test_controls_are_read_as_by_the_command(tmp_path):
    model = limpet.load(ROOT / "scenes/falling_boxes.xml")
    controls = limpet.read_controls(model, ROOT / "scenes/falling_boxes.csv")
    log = limpet.simulate(model, 2.0, controls=controls, replay=False)
    assert log.control.any()
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("time;lift\n0;1\n")
    with pytest.raises(limpet.InputError):
        limpet.read_controls(model, wrong)
    wrong.write_text("time,nonsense\n0,1\n")
    with pytest.raises(limpet.InputError, match="actuator"):
        limpet.read_controls(model, wrong)
