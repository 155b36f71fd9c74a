"""Why does my grasp slip? A cube of 0.2 kg between two pads, shaken for five seconds by Limpet, and
by MuJoCo where that is installed: both lie over each other in one page, with the slip in
millimetres under one time cursor.

usage: grasp_slip.py [FOLDER]

Writes grasp.html, and slip.png where Matplotlib is installed, into FOLDER, out/ by default; and the
scene with its controls, grasp.xml and grasp.csv, for the command.
"""

import sys
from pathlib import Path

import numpy as np

import limpet

SCENE = """<mujoco model="shaken grasp">
  <option timestep="0.002" integrator="implicitfast"/>
  <default><geom friction="0.8" condim="4"/></default>
  <worldbody>
    <body name="hand" pos="0 0 .3">
      <joint name="shake" type="slide" axis="0 0 1"/>
      <geom name="palm" type="box" size=".06 .02 .01" pos="0 0 .06" mass=".5" contype="0"
        conaffinity="0" rgba=".5 .55 .6 1"/>
      <body name="left" pos="-.025 0 0">
        <joint name="left" type="slide" axis="1 0 0"/>
        <geom name="pad_left" type="box" size=".005 .015 .02" mass=".05" rgba=".2 .2 .25 1"/>
      </body>
      <body name="right" pos=".025 0 0">
        <joint name="right" type="slide" axis="-1 0 0"/>
        <geom name="pad_right" type="box" size=".005 .015 .02" mass=".05" rgba=".2 .2 .25 1"/>
      </body>
    </body>
    <body name="cube" pos="0 0 .3"><freejoint/>
      <geom name="cube" type="box" size=".02 .02 .02" mass=".2" rgba=".8 .3 .2 1"/></body>
  </worldbody>
  <actuator>
    <position name="shake" joint="shake" kp="100000" kv="2000"/>
    <motor name="grip_left" joint="left"/>
    <motor name="grip_right" joint="right"/>
  </actuator>
</mujoco>"""
GRIP, SECONDS = 10.0, 5.0  # [N] of each pad, [s]
AMPLITUDE, RATE = 0.02, 2.0  # [m], [Hz]


def controls(time):
    """Height of the hand and grip forces: at rest in the first half second and in the last one."""
    swell = min(max(min(time, SECONDS - time) - 0.5, 0.0), 1.0)
    return AMPLITUDE * swell * np.sin(2.0 * np.pi * RATE * time), GRIP, GRIP


def slip(data):
    """How far the cube has moved down in the hand [mm]."""
    return 1e3 * (data.q[0] - (data.q[5] - 0.3))


def run_limpet(model):
    """A replay of the run, and the slip after each step (steps) [mm]."""
    data = model.data()
    replay = limpet.Replay(model, name="Limpet", signals={"slip [mm]": slip})
    replay.append(data)
    slips = []
    while data.time < SECONDS:
        data.control[:] = controls(data.time)
        limpet.step(model, data)
        replay.append(data)
        slips.append(slip(data))
    return replay, np.array(slips)


# options of MuJoCo that its documentation names against slip, besides its defaults
MUJOCO = {"MuJoCo": "", "MuJoCo, elliptic cone, impratio 10": 'cone="elliptic" impratio="10"'}


def run_mujoco(model, name):
    """The same by MuJoCo: its poses are shown by Limpet's replay. None: not installed."""
    try:
        import mujoco
    except ImportError:
        print(f"skipped {name}: not installed (pip install mujoco)")
        return None
    m = mujoco.MjModel.from_xml_string(SCENE.replace("<option", f"<option {MUJOCO[name]}"))
    d, data = mujoco.MjData(m), model.data()
    replay = limpet.Replay(model, name=name, signals={"slip [mm]": slip})
    replay.append(data)
    slips = []
    while d.time < SECONDS:
        d.ctrl[:] = controls(d.time)
        mujoco.mj_step(m, d)
        data.set_pose(d.qpos, d.qvel, time=d.time)  # q and v are slot for slot qpos and qvel
        replay.append(data)
        slips.append(slip(data))
    return replay, np.array(slips)


def plot(slips, path):
    """Slip over time, where Matplotlib is installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    figure, axes = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
    for name, values in slips.items():
        axes.plot(np.linspace(0.0, SECONDS, len(values)), values, label=name)
    axes.set(xlabel="time [s]", ylabel="slip [mm]", title=f"{GRIP:g} N a pad, mu = 0.8")
    axes.legend(loc="upper left", fontsize="small", framealpha=1.0)
    axes.set_ylim(top=45.0)
    figure.savefig(path)
    print(f"slip over time: {path}")


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    model = limpet.load_text(SCENE)
    (folder / "grasp.xml").write_text(SCENE)
    rows = [(time, *controls(time)) for time in np.arange(0.0, SECONDS + 0.005, 0.01)]
    head = "time,shake,grip_left,grip_right"
    np.savetxt(folder / "grasp.csv", rows, fmt="%.9g", delimiter=",", header=head, comments="")
    runs = {"Limpet": run_limpet(model)} | {name: run_mujoco(model, name) for name in MUJOCO}
    runs = {name: run for name, run in runs.items() if run is not None}
    for name, (_, slips) in runs.items():
        print(f"{name}: the cube slips by {slips[-1]:.6f} mm in {SECONDS:g} s")
    plot({name: slips for name, (_, slips) in runs.items()}, folder / "slip.png")
    page = folder / "grasp.html"
    try:
        limpet.write_replays([replay for replay, _ in runs.values()], page)
    except limpet.UnsupportedError as reason:
        print(f"no page: {reason}")
    else:
        print(f"all under one time cursor: {page}")


if __name__ == "__main__":
    main()
