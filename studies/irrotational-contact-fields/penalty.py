#!/usr/bin/env python3
"""Fig. 1 of "Irrotational Contact Fields": where the Similar model penalises the relative velocity
g.

g = v_c - (0, 0, v^) with the breaking velocity v^. The model's cost is a function of z = v_n - mu
|v_t|_s alone, and constant where g_n is at least mu |g_t|_s: a smooth approximation of the dual of
the friction cone. Several hundred heavy bodies, each with its own g, make one step; which of them
feel a force, and how much, is what the figure shows.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.recording import Recording  # noqa: E402
from support.series import options  # noqa: E402
from support.study import Run, main  # noqa: E402

FRICTION, STIFFNESS, DISSIPATION, SOFT = (
    0.5,
    1e4,
    2.0,
    0.05,
)  # [-] [N/m] [s/m] [m/s]  SOFT: v_s, large enough to be seen
STEP, DEPTH, RADIUS, MASS = (
    1e-2,
    1e-3,
    1e-3,
    1e4,
)  # [s] [m] [m] [kg]  MASS: so that a step changes velocities little
BREAK = min(DEPTH / STEP, 1 / DISSIPATION)  # [m/s]  v^
SPAN_T, SPAN_N = (-0.3, 0.3), (-0.1, 0.2)  # [m/s]


def soft_norm(v):
    """|v|_s"""
    return np.hypot(v, SOFT) - SOFT


def impulse(z):
    """n(z) of Hunt and Crossley  [N s]"""
    return STEP * STIFFNESS * np.maximum(DEPTH - STEP * z, 0) * np.maximum(1 - DISSIPATION * z, 0)


def cost(z):
    """-N(z), zero at the breaking velocity  [J]"""

    def primitive(v):
        return (
            STEP
            * STIFFNESS
            * (v * (DEPTH - STEP * v / 2) - DISSIPATION * v**2 / 2 * (DEPTH - 2 * STEP * v / 3))
        )

    return primitive(BREAK) - primitive(np.minimum(z, BREAK))


def scene(study, across, along):
    """Bodies on slides x and z, one for each pair (g_t, g_n), 0.1 m apart."""
    bodies = "".join(
        f'<body pos="{0.1 * i:.1f} 0 {RADIUS - DEPTH!r}"><joint type="slide" axis="1 0 '
        '0"/><joint type="slide" axis="0 0 1"/>'
        f'<geom type="sphere" size="{RADIUS}" mass="{MASS}" friction="{FRICTION}" '
        'contype="0"/></body>\n'
        for i in range(len(across))
    )
    speeds = " ".join(
        f"{t!r} {n + BREAK!r}" for t, n in zip(across.tolist(), along.tolist(), strict=True)
    )
    return study.write_scene(
        "penalty.xml",
        f"""<mujoco model="one velocity each" xmlns:limpet="limpet">
  <option gravity="0 0 0"/>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 0.1" friction="{FRICTION}"
          limpet:stiffness="{STIFFNESS}" limpet:dissipation="{DISSIPATION}"/>
    {bodies}</worldbody>
  <keyframe><key name="start" qvel="{speeds}"/></keyframe>
</mujoco>
""",
    )


def draw(study, across, along, pushed):
    """Contour lines of the cost, the border of the penalised region, the dual cone, and the
    bodies."""
    from support import figures

    figure, axis = figures.grid(width=4.6, height=3.2)
    t, n = np.meshgrid(np.linspace(*SPAN_T, 301), np.linspace(*SPAN_N, 301))
    value = 1e3 * cost(n + BREAK - FRICTION * soft_norm(t))
    lines = axis.contour(
        t,
        n,
        value,
        levels=[0.01, 0.5, 2, 5, 10, 17, 25],
        colors=figures.COLOURS["similar"],
        linewidths=0.7,
    )
    axis.clabel(lines, fmt="%g", fontsize=6)
    line = np.linspace(*SPAN_T, 301)
    axis.plot(
        line, FRICTION * soft_norm(line), color="black", lw=1.6, label=r"$g_n=\mu\,\|g_t\|_s$"
    )
    axis.plot(
        line, FRICTION * np.abs(line), "--", color="#888888", lw=1.0, label=r"$g_n=\mu\,|g_t|$"
    )
    axis.plot(
        across[pushed],
        along[pushed],
        ".",
        ms=3,
        color=figures.COLOURS["similar"],
        label="pushed by Limpet",
    )
    axis.plot(
        across[~pushed],
        along[~pushed],
        "o",
        ms=2.2,
        mfc="none",
        mew=0.5,
        color="#999999",
        label="free",
    )
    axis.set(
        xlim=SPAN_T,
        ylim=SPAN_N,
        xlabel="$g_t$ [m/s]",
        ylabel="$g_n$ [m/s]",
        title="contour lines: cost [mJ]",
    )
    axis.legend(loc="upper center", ncols=2, fontsize=7, frameon=True, framealpha=0.95)
    axis.grid(False)
    study.figure("penalty", figure)


def penalty(study):
    """The whole study."""
    count = 21
    t, n = np.meshgrid(np.linspace(*SPAN_T, count), np.linspace(*SPAN_N, count))
    across, along = t.ravel(), n.ravel()
    words = [*options("similar", "1e-13"), "--keyframe", "start"]
    words[words.index("--stiction-speed") + 1] = str(SOFT)
    run = Run("step", scene(study, across, along), "similar", STEP, STEP, tuple(words))
    log = Recording(study.simulate([run])["step"].log)

    # impulses of the bodies, by the number of their geom
    found = np.zeros((len(across), 3))
    found[log.read("contact/geom").max(axis=1) - 1] = STEP * log.read("contact/force")
    speed, up = log.v[0, 0::2], log.v[0, 1::2]
    z = up - FRICTION * soft_norm(speed)
    expected = impulse(z)
    scale = expected.max()
    study.near("bodies with a contact", len(log.read("contact/force")), len(across))
    study.near(
        "largest change of a velocity in the step",
        float(np.abs(up - along - BREAK).max()),
        0.0,
        "m/s",
        absolute=1e-3,
    )
    study.near(
        "normal impulses: largest difference from n(z), relative",
        float(np.abs(found[:, 2] - expected).max() / scale),
        0.0,
        absolute=1e-9,
    )
    tangent = -FRICTION * expected * speed / np.hypot(speed, SOFT)
    study.near(
        "friction impulses: largest difference from -mu n(z) v_t/sqrt(v_t² + v_s²), relative",
        float(np.abs(found[:, 0] - tangent).max() / scale),
        0.0,
        absolute=1e-9,
    )
    outside = up - BREAK >= FRICTION * soft_norm(speed)
    study.holds(
        "exactly the bodies with g_n below mu |g_t|_s are pushed",
        np.array_equal(found[:, 2] > 0, ~outside),
    )
    between = outside & (up - BREAK < FRICTION * np.abs(speed))
    study.within(
        "bodies between that border and the dual cone, which are free", int(between.sum()), low=1
    )
    slope = np.gradient(cost(np.linspace(-0.3, BREAK, 2001)), np.linspace(-0.3, BREAK, 2001))
    study.near(
        "the cost's slope is -n: largest difference, relative",
        float(np.abs(slope[1:-1] + impulse(np.linspace(-0.3, BREAK, 2001))[1:-1]).max() / scale),
        0.0,
        absolute=1e-5,
    )
    if study.full:
        draw(study, across, along, found[:, 2] > 0)


if __name__ == "__main__":
    sys.exit(main(penalty, __file__))
