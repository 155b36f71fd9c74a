"""The code of docs/guide/python.md and the example run as they stand."""

import re
import shutil
import subprocess
import sys

import numpy as np
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


def test_the_guide_to_contact_parameters_runs(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="skipped: not installed").use("Agg")
    page = ROOT / "docs/guide/contact-parameters.md"
    (block,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(block, str(page), "exec"), names)
    assert (tmp_path / "depth.png").exists()
    law = 9.81 / (4 * names["stiffness"])
    assert max(abs(np.array(names["depth"]) / law - 1.0)) < 0.05


def test_the_page_of_sweeps_runs(tmp_path, monkeypatch):
    page = ROOT / "docs/sweep.md"
    (block,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    (tmp_path / "grasp.xml").write_text(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='hand'><joint/>"
        "<geom name='pad' size='.05'/></body><body name='cube' pos='.3 0 .05'><freejoint/>"
        "<geom size='.05'/></body></worldbody></mujoco>"
    )
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(block, str(page), "exec"), names)
    assert len(names["table"]) == 6 and not names["table"].failed.any()


def test_the_readme_runs(tmp_path, monkeypatch):
    page = ROOT / "README.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    shutil.copy(ROOT / "scenes/falling_boxes.xml", tmp_path / "scene.xml")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert len(names["log"]) == 1500 and names["log"].worst is limpet.Outcome.SOLVED


def test_the_shaken_grasp_holds(tmp_path):
    """The demo of the guide: Limpet's cube stays; MuJoCo's, where it is installed, does not."""
    program = [sys.executable, ROOT / "python/examples/grasp_slip.py", tmp_path]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    slips = dict(re.findall(r"^(.*): the cube slips by (\S+) mm", done.stdout, re.M))
    assert abs(float(slips["Limpet"])) < 1e-6
    if "MuJoCo" in slips:
        assert float(slips["MuJoCo"]) > 1.0
    if limpet.lib.limpet_replay_available():
        assert "slip [mm]" in (tmp_path / "grasp.html").read_text()


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
