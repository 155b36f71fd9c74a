#!/usr/bin/env python3
"""A flat box slides on the ground and comes to rest: Coulomb's law brakes it with mu g, whatever
the direction.

v(t) = v0 - mu g t,  stops after v0^2/(2 mu g). Friction at the bottom, h below the centre of mass,
asks to shift load by d from each trailing corner to a leading one, a ahead of it: 4 d a = T h. The
bound |x_N| <= |w_s| of the published method forbids that, as |w_s + d|^2 = |w_s|^2 + 4 d^2; widened
to (1 + s) |w_s|^2 it allows d = sqrt(s) m g/4 and T = sqrt(s) m g a/h. The bound 1'x_N <= 1'w_s of
the repaired one (kappa) does not feel it.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

HALF, MASS, FRICTION, GRAVITY, SPEED = (
    (0.1, 0.1, 0.05),
    1.0,
    0.5,
    9.81,
    2.0,
)  # [m] [kg] 1 [m/s^2] [m/s]
STEP, DURATION = 1e-3, 0.6  # [s]
BRAKED = (
    0.05,
    0.25,
    # [s]  where the deceleration is measured: a contact that is soft has found its depth, and no
    # box
    # has stopped
)
GLIDING = (
    "similar",
    "sap",
    "anitescu",
    # hold a sliding contact off the ground, at mu dt |v_t|, and start there: from the ground they
    # would
    # jump
)
REACH = "5mm"  # speculative distance: that gap must not end the contact
DIRECTIONS = (0.0, 22.5, 45.0)  # [deg]
SLACKS = (
    1e-13,
    1e-10,
    1e-8,
    1e-6,
    1e-4,
    1e-2,
    1e-1,
)  # of the published bound; the first one is the default
COULOMB = SPEED**2 / (2 * FRICTION * GRAVITY)  # [m]  0.407747


def scene(directions):
    """MJCF text: boxes in a row, each turned and thrown into its direction [deg]."""
    bodies, q, v = [], [], []
    for k, degrees in enumerate(directions):
        angle = np.radians(degrees)
        bodies.append(
            f'    <body name="box{k}"><freejoint/><geom type="box" size="{HALF[0]} {HALF[1]} '
            f'{HALF[2]}" mass="{MASS}"/></body>'
        )
        q += [0, 3.0 * k, HALF[2], np.cos(0.5 * angle), 0, 0, np.sin(0.5 * angle)]
        v += [SPEED * np.cos(angle), SPEED * np.sin(angle), 0, 0, 0, 0]
    lines = "\n".join(bodies)
    raised = [value + (FRICTION * SPEED * STEP if k % 7 == 2 else 0.0) for k, value in enumerate(q)]
    return f"""<mujoco model="sliding">
  <default><geom friction="{FRICTION}" limpet:relaxation_time="0"/></default>
  <worldbody>
    <geom type="plane" size="20 20 0.1"/>
{lines}
  </worldbody>
  <keyframe>
    <key name="thrown" qpos="{numbers(q)}" qvel="{numbers(v)}"/>
    <key name="gliding" qpos="{numbers(raised)}" qvel="{numbers(v)}"/>
  </keyframe>
</mujoco>
"""


def numbers(values):
    """Words of an MJCF attribute, to all digits."""
    return " ".join(repr(float(value)) for value in values)


class Slide:
    """A run; arrays over records and directions."""

    def __init__(self, result, count):
        log = Recording(result.log)
        place, v = log.q.reshape(-1, count, 7), log.v.reshape(-1, count, 6)
        self.time = log.time
        self.speed = np.hypot(v[..., 0], v[..., 1])
        self.distance = np.hypot(place[..., 0], place[..., 1] - 3.0 * np.arange(count))
        self.friction = friction(log, count)
        self.height = place[..., 2]
        self.outcome = log.read("info/outcome")

    def deceleration(self):
        """[m/s^2]  slope of the speed, by direction"""
        known = (self.time >= BRAKED[0]) & (self.time <= BRAKED[1])
        return -np.polyfit(self.time[known], self.speed[known], 1)[0]

    def stopped(self):
        """[m]  way to rest, by direction; infinite where it still moves"""
        return np.where(self.speed[-1] < 0.01 * SPEED, self.distance[-1], np.inf)


def friction(log, count):
    """(T, count) [N]  size of the tangential force on each box, summed over its contacts"""
    total = np.zeros((len(log.time), count, 2))
    force, geom = log.read("contact/force"), log.read("contact/geom")
    np.add.at(total, (log.contact_record, geom[:, 1] - 1), force[:, :2])
    return np.hypot(total[..., 0], total[..., 1])


def check(study, slides):
    """Sheet C3."""
    brake = FRICTION * GRAVITY
    literal = slides["two-phase-literal"]
    study.within(
        "two-phase-literal: deceleration over g",
        np.abs(literal.deceleration()).max() / GRAVITY,
        high=1e-6,
    )
    study.within(
        "two-phase-literal: friction over weight",
        literal.friction.max() / (MASS * GRAVITY),
        high=1e-6,
    )
    for name in ("two-phase", "pgs", "lagged"):
        ratio = slides[name].deceleration() / brake
        study.within(
            f"{name}: deceleration over mu g, farthest from 1", np.abs(ratio - 1.0).max(), high=0.01
        )
        study.near(
            f"{name}: way to rest, along x", slides[name].stopped()[0], COULOMB, "m", relative=0.01
        )
    ratio = slides["lcp"].deceleration() / brake
    study.near("lcp: deceleration over mu g, along a tangent", ratio[0], 1.0, absolute=0.01)
    study.near(
        "lcp: deceleration over mu g, at 45° to the tangents (box: the root of 2)",
        ratio[DIRECTIONS.index(45.0)],
        np.sqrt(2),
        absolute=0.01,
    )


def slack_law(slack):
    """Deceleration over g that the published bound allows where it is wider by this share."""
    return min(np.sqrt(slack) * HALF[0] / HALF[2], FRICTION)


def check_slacks(study, slides):
    """The published method is solved where its bound has room; what it brakes then is what the
    bound allows."""
    rows = []
    for slack, slide in slides.items():
        ratio = float(slide.deceleration()[0]) / GRAVITY
        rows.append(
            [
                f"{slack:g}",
                f"{ratio:.3g}",
                f"{slack_law(slack):.3g}",
                f"{100 * np.mean(slide.outcome == 0):.4g}",
            ]
        )
        study.near(
            f"two-phase-literal, bound wider by {slack:g}: deceleration over g",
            ratio,
            slack_law(slack),
            relative=0.02,
        )
    study.table(
        "slack", ["bound wider by", "deceleration over g", "closed form", "steps solved [%]"], rows
    )


def text(distance):
    return f"{distance:.4f}" if np.isfinite(distance) else "does not stop"


def table(study, slides):
    rows = [["Coulomb", *["1.0000"] * len(DIRECTIONS), f"{COULOMB:.4f}", "0.00"]]
    for name in methods.METHODS:
        slide = slides[name]
        ratio = slide.deceleration() / (FRICTION * GRAVITY)
        lifted = 1e3 * max(0.0, slide.height[:, 0].max() - HALF[2])
        rows.append(
            [
                name,
                *(f"{value:.4f}" if abs(value) > 1e-9 else "0" for value in ratio),
                text(slide.stopped()[0]),
                f"{lifted:.2f}",
            ]
        )
    study.table(
        "sliding",
        ["method", *(f"{angle:g}°" for angle in DIRECTIONS), "way to rest [m]", "lifted by [mm]"],
        rows,
    )


def draw(study, slides):
    """Speed over time: literal, repaired, Coulomb, the others in thin lines; and speed along 45
    degrees."""
    from support import figures

    figure, axes = figures.grid(1, 2, width=7.4, height=3.4, sharey=True)
    for axis, direction in zip(axes, (0.0, 45.0), strict=True):
        column = DIRECTIONS.index(direction)
        time = slides["two-phase"].time
        axis.plot(
            time,
            np.maximum(SPEED - FRICTION * GRAVITY * time, 0.0),
            color="#bbbbbb",
            lw=5,
            alpha=0.6,
            label="Coulomb",
        )
        for name in methods.METHODS:
            thick = name in ("two-phase", "two-phase-literal")
            look = dict(lw=1.8 if thick else 0.8, ls="-" if name in methods.IMPULSE else "--")
            label = {"two-phase": "two-phase (κ)"}.get(name, name)
            axis.plot(
                time,
                slides[name].speed[:, column],
                color=methods.COLOURS[name],
                label=label,
                **look,
            )
        axis.set(xlabel="time [s]", title=f"{direction:g}° to the tangents", ylim=(-0.05, None))
    axes[0].set(ylabel="speed [m/s]")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=4, fontsize=7
    )
    study.figure("sliding-speed", figure)


def study(study):
    """The whole study."""
    names = (
        methods.METHODS
        if study.full
        else ("two-phase", "two-phase-literal", "lcp", "pgs", "lagged")
    )
    path = study.write_scene("sliding.xml", scene(DIRECTIONS))
    words = ("--speculative-distance", REACH)
    runs = [
        methods.run(
            name,
            name,
            path,
            STEP,
            DURATION,
            "--keyframe",
            "gliding" if name in GLIDING else "thrown",
            *words,
        )
        for name in names
    ]
    slacks = {slack: f"literal-{slack:g}" for slack in (SLACKS if study.full else SLACKS[::4])}
    runs += [
        methods.run(
            name,
            "two-phase-literal",
            path,
            STEP,
            0.35,
            "--keyframe",
            "thrown",
            *words,
            "--bound-slack",
            repr(slack),
        )
        for slack, name in slacks.items()
    ]
    slides = {name: Slide(result, len(DIRECTIONS)) for name, result in study.simulate(runs).items()}
    check(study, slides)
    check_slacks(study, {slack: slides[name] for slack, name in slacks.items()})
    if study.full:
        table(study, slides)
        draw(study, slides)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
