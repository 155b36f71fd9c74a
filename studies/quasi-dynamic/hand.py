#!/usr/bin/env python3
"""The menagerie's Allegro hand turns a point cloud that lies on its fingers; and the menagerie's
hands and arms run in the quasi-dynamic scheme."""

import math
import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _bunny import make_cloud, rotation  # noqa: E402
from _cloud import COUNT  # noqa: E402
from _scheme import controls, quasi_dynamic  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

MENAGERIE = (
    Path(os.environ.get("LIMPET_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    / "models/menagerie"
)
HAND = MENAGERIE / "wonik_allegro/right_hand.xml"
SCALE, STEP = 0.6, 0.01  # [-, s]  SCALE: of the cloud, then 9 cm tall
OBJECT = """
  <worldbody>
    <body name="object" pos="0.075 0 0.055">
      <freejoint/>
      <geom name="object" limpet:cloud="bunny.npy" limpet:cloud_scale="{scale}"
            limpet:contact_points="8" mass="0.06" friction="0.9 0.003" condim="4"/>
    </body>
  </worldbody>
</mujoco>"""
FINGERS = ("ff", "mf", "rf", "th")
# commands [rad] of the four joints of each finger: the cradle in which the object lies, and two
# poses between
CRADLE = [0.0, 0.35, 0.5, 0.5] * 3 + [0.9, 0.3, 0.3, 0.3]
POSES = (
    [
        0.35,
        -0.196,
        0.44,
        0.57,
        -0.08,
        0.69,
        -0.17,
        0.41,
        -0.33,
        1.02,
        0.38,
        0.8,
        0.88,
        -0.1,
        -0.17,
        -0.16,
    ],
    [0.22, -0.04, 1.28, 0.86, 0.19, -0.05, 0.6, 0.78, 0.0, 0.97, 0.35, 0.4, 0.65, 0.96, 0.05, 0.45],
)
SETTLED, PHASE, ROUNDS = 1.5, 0.7, 3  # [s]
# keyframes: at their own zero pose the arms of ALOHA stand 33 mm in each other
SCENES = {
    "shadow_hand/scene_right.xml": (),
    "shadow_hand/scene_left.xml": (),
    "wonik_allegro/scene_right.xml": (),
    "wonik_allegro/scene_left.xml": (),
    "aloha/scene.xml": ("--keyframe", "neutral_pose"),
    "franka_emika_panda/scene.xml": ("--keyframe", "home"),
    "robotiq_2f85/scene.xml": (),
}


def round_ends():
    """[s]  when the object has settled, and when each round is over."""
    return [SETTLED + 3 * PHASE * k for k in range(ROUNDS + 1)]


def run(study):
    """The hand repeats its three poses; each round ends in the cradle."""
    make_cloud(study.out / "scenes/bunny.npy")
    text = HAND.read_text().replace('meshdir="assets"', f'meshdir="{HAND.parent / "assets"}"')
    text = text.replace("<mujoco ", '<mujoco xmlns:limpet="limpet" ', 1)
    scene = study.write_scene("hand.xml", text.replace("</mujoco>", OBJECT.format(scale=SCALE)))
    poses = [CRADLE, CRADLE] + [*POSES, CRADLE] * ROUNDS
    times = [0.0] + [SETTLED + PHASE * k for k in range(3 * ROUNDS + 1)]
    columns = {
        f"{finger}a{k}": [pose[4 * i + k] for pose in poses]
        for i, finger in enumerate(FINGERS)
        for k in range(4)
    }
    return quasi_dynamic(
        "hand", scene, STEP, times[-1], "--controls", controls(study, "hand", times, **columns)
    )


def turned(log, body):
    """[deg]  (T)  from the pose in which the object settled"""
    quaternion = log.read("body_quaternion")[:, body]
    first = quaternion[round(SETTLED / STEP) - 1]
    return np.degrees(2.0 * np.arccos(np.minimum(1.0, np.abs(quaternion @ first))))


def check_hand(study):
    """The angle by which the object turns in three rounds, and that it stays in the hand. Returns
    the log."""
    result = study.simulate([run(study)])["hand"]
    log = Recording(result.log)
    body = log.names("body").index("object")
    angle, height = turned(log, body), log.read("body_position")[:, body, 2]
    ends = [float(angle[round(time / STEP) - 1]) for time in round_ends()[1:]]
    study.holds(
        "hand: all steps solved",
        result.summary["warnings"]["outcomes"]["solved"] == result.summary["steps"],
    )
    study.near("hand: object turned after three rounds", ends[-1], 115.0, "deg", absolute=20.0)
    study.within(
        "hand: least that one more round adds", min(np.diff([0.0, *ends])), low=15.0, unit="deg"
    )
    study.within(
        "hand: lowest point of the object's origin over the palm's middle",
        1e3 * height.min(),
        low=10.0,
        unit="mm",
    )
    study.within(
        "hand: deepest penetration",
        1e3 * result.summary["penetration"]["value"],
        high=2.0,
        unit="mm",
    )
    study.table(
        "rounds",
        ["round", "object turned [deg]"],
        [[str(k + 1), end] for k, end in enumerate(ends)],
    )
    return log


def check_menagerie(study):
    """Hands, arms and the pair of arms: no step without a solution."""
    scenes = dict(list(SCENES.items()) if study.full else list(SCENES.items())[2:3])
    runs = [
        quasi_dynamic(name.replace("/", "-"), MENAGERIE / name, STEP, 2.0, *options, log=False)
        for name, options in scenes.items()
    ]
    rows = []
    for name, result in zip(scenes, study.simulate(runs).values(), strict=True):
        outcomes, steps = result.summary["warnings"]["outcomes"], result.summary["steps"]
        study.holds(f"{name}: all {steps} steps solved", outcomes["solved"] == steps)
        most, time = (
            result.summary["contacts"]["most"]["value"],
            1e6 * result.summary["wall_time"] / steps,
        )
        rows.append([name, str(steps), str(outcomes["solved"]), most, time])
    study.table(
        "menagerie", ["scene", "steps", "solved", "most contacts", "time of a step [µs]"], rows
    )


def draw_frame(axis, log, record, names, points):
    """Fingers as thick lines along their bodies, the palm's upper face, and the cloud."""
    position, quaternion = log.read("body_position")[record], log.read("body_quaternion")[record]
    where = {name: k for k, name in enumerate(names)}
    for finger in FINGERS:
        chain = [
            position[where[f"{finger}_{part}"]] for part in ("base", "proximal", "medial", "distal")
        ]
        tip = where[f"{finger}_distal"]
        chain.append(
            position[tip]
            + rotation(quaternion[tip]) @ [0.0, 0.0, 0.0267 if finger != "th" else 0.0423]
        )
        axis.plot(
            *np.array(chain).T, color="#55606e", lw=6, solid_capstyle="round", alpha=0.8, zorder=2
        )
    axis.computed_zorder = False
    x, y = np.meshgrid([-0.095, 0.0], [-0.0565, 0.0565])
    axis.plot_surface(x, y, np.full_like(x, 0.0), color="#9aa4b0", alpha=0.6, zorder=1)
    k = where["object"]
    world = position[k] + SCALE * points @ rotation(quaternion[k]).T
    axis.scatter(
        *world.T,
        s=1.5,
        c=np.round(points[:, 2] + points[:, 0], 2),
        cmap="copper_r",
        linewidths=0,
        rasterized=True,
        depthshade=False,
        antialiaseds=False,
        zorder=3,
    )
    axis.set(
        xlim=(-0.11, 0.14), ylim=(-0.15, 0.1), zlim=(-0.06, 0.12), xticks=[], yticks=[], zticks=[]
    )
    axis.set_box_aspect((0.25, 0.25, 0.18), zoom=1.4)
    axis.view_init(35, -60)
    axis.axis("off")


def draw(study, log):
    """Four frames and the angle over time."""
    from support import figures

    names, points = log.names("body"), np.load(study.out / "scenes/bunny.npy")
    figure = figures.plt.figure(figsize=(7.0, 4.6))
    for k, time in enumerate(round_ends()):
        axis = figure.add_subplot(2, 4, k + 1, projection="3d")
        draw_frame(axis, log, round(time / STEP) - 1, names, points)
        axis.set_title(f"{time:g} s")
    axis = figure.add_subplot(2, 1, 2)
    angle = turned(log, names.index("object"))
    axis.plot(log.time[149:], angle[149:], color="#1f5fa8")
    for time in round_ends():
        axis.axvline(time, color="#888888", ls=":", lw=0.8)
    axis.set(
        xlabel="time [s]; dotted: the fingers are in the cradle pose", ylabel="object turned [deg]"
    )
    study.figure("hand", figure)


def hand(study):
    """The whole study."""
    points = make_cloud(study.out / "scenes/bunny.npy")
    study.holds(f"the cloud has {COUNT} different points", len(np.unique(points, axis=0)) == COUNT)
    if not HAND.exists():
        print(f"skipped: no {HAND}, so no hand")
        return
    log = check_hand(study)
    check_menagerie(study)
    if study.full:
        draw(study, log)


if __name__ == "__main__":
    sys.exit(main(hand, __file__))
