#!/usr/bin/env python3
"""One contact, one impact: a sphere on a plane, and the tip of a rod.

Sphere of mass m, radius r:  x_N = m (1 + e) |v_n|,  x_T = min(m |v_t|/3.5, mu x_N) against the
  slip, whatever its direction.
Rod, m and I about its centre, touching at p = (p_x, p_z) from there:  u+ = u + A x,  A_N = 1/m +
  p_x^2/I,  A_T = 1/m + p_z^2/I,  B = -p_x p_z/I.
Newton's and Coulomb's laws have one solution:  s = sign(u_T + B w),  w = -(1 + e) u_N/A_N:  the
  slip that the frictionless impulse leaves; x_T stops it if the cone allows, or else  x_T = -s mu
  x_N,  x_N = w/(1 - s mu B/A_N).  Friction raises the normal impulse where s B > 0.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.study import main  # noqa: E402

NORMAL_SPEED = 1.0  # [m/s]  of all impacts
STEP, SPRINGS = 1e-5, 200  # [s]  steps of an impact on springs; all other methods need one
# sphere: 1 kg, 0.1 m. Sheet: e, mu, v_t [m/s] -> v [m/s], omega [rad/s]
RADIUS = 0.1  # [m]
CASES = {
    "sticks": (0.0, 0.5, 1.0, 0.714286, 7.142857),
    "slides": (0.0, 0.5, 3.0, 2.5, 12.5),
    "bounces": (0.5, 0.5, 3.0, 2.25, 18.75),
}
# rod of the sheet B3
MASS, HALF, TIP, FRICTION = 0.3, 0.25, 1e-6, 0.3  # [kg] [m] [m] 1
SPEED, ANGLE = 2.0, 45.0  # [m/s] [deg]
TWO_PHASE = ("two-phase", "two-phase-literal")
SOLVED = (*TWO_PHASE, "lcp", "pgs", "sequential-impulse")  # rigid and with restitution
RIGID = (*SOLVED, "anitescu")
DEFAULT = "coulomb"  # Limpet's own model, near-rigid
RESTITUTIONS, SHARES = (
    (0.0, 0.5),
    np.linspace(0.0, 0.95, 20),
)  # gaps of falling spheres, of the way of one step


def sphere_exact(case):
    """v [m/s] and omega [rad/s] after the impact, to all digits."""
    e, mu, speed, _, _ = CASES[case]
    push = min(speed / 3.5, mu * (1 + e) * NORMAL_SPEED)
    return speed - push, push * RADIUS / (0.4 * RADIUS**2)


def spheres(directions):
    """MJCF text: for each case a row of spheres that touch the plane, one for each direction of
    slip [rad]."""
    bodies, q, v = [], [], []
    for row, (e, mu, speed, _, _) in enumerate(CASES.values()):
        for column, angle in enumerate(directions):
            bodies.append(
                f'<body pos="{column} {row} {RADIUS}"><freejoint/>'
                f'<geom size="{RADIUS}" mass="1" friction="{mu}" limpet:restitution="{e}"/></body>'
            )
            q += [column, row, RADIUS, 1, 0, 0, 0]
            v += [speed * np.cos(angle), speed * np.sin(angle), -NORMAL_SPEED, 0, 0, 0]
    return world(bodies, q, v)


def falling():
    """MJCF text: for each restitution a row of spheres above the plane, at gaps that close within
    the first step."""
    bodies, q, v = [], [], []
    for row, e in enumerate(RESTITUTIONS):
        for column, share in enumerate(SHARES):
            bodies.append(
                f'<body><freejoint/><geom size="{RADIUS}" mass="1" '
                f'limpet:restitution="{e}"/></body>'
            )
            q += [column, row, RADIUS + share * NORMAL_SPEED * STEP, 1, 0, 0, 0]
            v += [0, 0, -NORMAL_SPEED, 0, 0, 0]
    return world(bodies, q, v)


def rods(cases):
    """MJCF text: rods that touch with one end; cases: (angle [deg], speed of slip [m/s])."""
    bodies, q, v = [], [], []
    inertia = MASS * HALF**2 / 3
    for row, (degrees, speed) in enumerate(cases):
        angle = np.radians(degrees)
        height = HALF * np.sin(angle) + TIP
        bodies.append(
            f'<body><freejoint/><inertial pos="0 0 0" mass="{MASS}" diaginertia="1e-6 '
            f'{inertia!r} {inertia!r}"/>'
            f'<geom size="{TIP}" pos="{-HALF} 0 0" friction="{FRICTION}"/></body>'
        )
        q += [0, row, height, np.cos(0.5 * angle), 0, -np.sin(0.5 * angle), 0]
        v += [speed, 0, -NORMAL_SPEED, 0, 0, 0]
    return world(bodies, q, v)


def world(bodies, q, v):
    """MJCF text without gravity; what touches decides friction and restitution."""
    lines = "\n".join(f"    {body}" for body in bodies)
    return f"""<mujoco model="impacts">
  <option gravity="0 0 0"/>
  <worldbody>
    <geom type="plane" size="50 50 0.1" friction="0"/>
{lines}
  </worldbody>
  <keyframe><key name="start" qpos="{" ".join(map(repr, map(float, q)))}"
        qvel="{" ".join(map(repr, map(float, v)))}"/></keyframe>
</mujoco>
"""


def rod_exact(degrees, speed):
    """(x_N, x_T, w) [N s] by Newton's and Coulomb's laws; w: x_N without friction."""
    angle, inertia = np.radians(degrees), MASS * HALF**2 / 3
    p_x, p_z = -HALF * np.cos(angle), -HALF * np.sin(angle) - TIP
    a_n, a_t, b = 1 / MASS + p_x**2 / inertia, 1 / MASS + p_z**2 / inertia, -p_x * p_z / inertia
    w = NORMAL_SPEED / a_n
    slip = speed + b * w
    sign = np.sign(slip)
    stick = -slip / (a_t - b * b / a_n)
    normal = w - stick * b / a_n
    if abs(stick) <= FRICTION * normal:
        return normal, stick, w
    normal = w / (1 - sign * FRICTION * b / a_n)
    return normal, -sign * FRICTION * normal, w


def simulated(study, names, directions, rod_cases):
    """Velocities of spheres {method: (cases, directions, 6)}, impulses x_N, x_T of rods {method:
    (rods, 2)}, normal speeds of spheres that fall {method: (restitutions, gaps)}.
    """
    texts = {"spheres": spheres(directions), "rods": rods(rod_cases), "falling": falling()}
    scenes = {scene: study.write_scene(f"{scene}.xml", text) for scene, text in texts.items()}
    words = ("--keyframe", "start", "--tolerance", "1e-12")
    runs = [
        replace(
            methods.run(
                f"{scene}-{name}",
                name,
                path,
                STEP,
                STEP * (1 if name in RIGID and scene != "falling" else SPRINGS),
                *words,
            ),
            log=False,
        )
        for name in names
        for scene, path in scenes.items()
    ]
    results = study.simulate(runs)
    after = {key: np.array(result.summary["v"]).reshape(-1, 6) for key, result in results.items()}
    speed = np.array([speed for _, speed in rod_cases])
    impulse = {
        name: MASS
        * np.column_stack(
            [after[f"rods-{name}"][:, 2] + NORMAL_SPEED, after[f"rods-{name}"][:, 0] - speed]
        )
        for name in names
    }
    falls = {name: after[f"falling-{name}"][:, 2].reshape(len(RESTITUTIONS), -1) for name in names}
    return (
        {name: after[f"spheres-{name}"].reshape(len(CASES), -1, 6) for name in names},
        impulse,
        falls,
    )


class Spheres:
    """Velocities after the impact, arrays (cases, directions)."""

    def __init__(self, after, directions):
        self.speed = np.hypot(after[..., 0], after[..., 1])
        self.turning = np.hypot(after[..., 3], after[..., 4])
        self.normal = after[..., 2]
        along = np.column_stack([np.cos(directions), np.sin(directions)])
        self.deflection = np.degrees(
            np.arcsin((after[..., 1] * along[:, 0] - after[..., 0] * along[:, 1]) / self.speed)
        )

    def spread(self, case):
        """[m/s]  how far the speed depends on the direction"""
        return float(np.ptp(self.speed[case]))


def check_spheres(study, balls):
    """Sheet C1."""
    for name in (name for name in SOLVED if name in balls):
        tolerance = 1e-6 if name in TWO_PHASE else 1e-5  # softening: 1e-6 of the diagonal
        for number, case in enumerate(CASES):
            speed, turning = sphere_exact(case)
            study.near(
                f"{name}: sphere {case}, speed",
                balls[name].speed[number, 0],
                speed,
                "m/s",
                relative=tolerance,
            )
            study.near(
                f"{name}: sphere {case}, turning rate",
                balls[name].turning[number, 0],
                turning,
                "rad/s",
                relative=tolerance,
            )
    for name in TWO_PHASE:
        most = max(balls[name].spread(number) for number in range(len(CASES)))
        study.within(f"{name}: speed over all directions differs by", most, high=1e-9, unit="m/s")
        study.within(
            f"{name}: deflection in all directions",
            np.abs(balls[name].deflection).max(),
            high=1e-6,
            unit="°",
        )


def check_rods(study, cases, impulse):
    """Sheet C4: the methods against the closed form, where friction lowers the normal impulse and
    where it raises it."""
    exact = np.array([rod_exact(*case) for case in cases])  # x_N, x_T, w
    raises = exact[:, 0] > exact[:, 2] * (1 + 1e-9)
    study.holds(
        "closed form: some rods have friction that raises the normal impulse, some the other",
        raises.any() and not raises.all(),
    )
    for name in TWO_PHASE:
        wrong = np.abs(impulse[name] - exact[:, :2]).max(axis=1) / exact[:, 2]
        study.within(
            f"{name}: impulses where friction lowers the normal one, relative error",
            wrong[~raises].max(),
            high=1e-6,
        )
        more = impulse[name][raises, 0] / exact[raises, 2] - 1.0
        study.within(
            f"{name}: normal impulse where friction would raise it, relative to that without "
            "friction",
            more.max(),
            high=2e-6,
        )
        normal, friction = impulse[name][cases.index((ANGLE, -SPEED))]
        study.within(
            f"{name}: friction over that normal impulse, rod at {ANGLE:g}°",
            abs(friction) / normal,
            high=1e-5,
        )
    study.within(
        "pgs: impulses of all rods, relative error",
        (np.abs(impulse["pgs"] - exact[:, :2]).max(axis=1) / exact[:, 2]).max(),
        high=1e-5,
    )
    # what is left is the compliance of near-rigid contacts, 2.5e-4, and the lever of the friction
    study.within(
        f"{DEFAULT}: impulses of all rods, relative error",
        (np.abs(impulse[DEFAULT] - exact[:, :2]).max(axis=1) / exact[:, 2]).max(),
        high=2e-3,
    )


def check_falls(study, falls):
    """What comes out does not depend on where in a step the impact falls."""
    for name in (name for name in SOLVED if name in falls):
        wrong = np.abs(falls[name] - NORMAL_SPEED * np.array(RESTITUTIONS)[:, None]).max()
        study.within(
            f"{name}: speed of bouncing, deviation from e over {len(SHARES)} gaps",
            wrong,
            high=1e-5,
            unit="m/s",
        )


def tables(study, balls, cases, impulse, falls):
    rows = []
    for number, (case, (e, mu, speed, v, omega)) in enumerate(CASES.items()):
        exact = sphere_exact(case)
        for name, ball in balls.items():
            if e > 0.0 and name in methods.DISCRETE:
                continue  # no restitution there
            rows.append(
                [
                    f"{case} (e = {e:g}, μ = {mu:g}, v_t = {speed:g})",
                    name,
                    f"{ball.speed[number, 0]:.6f}",
                    f"{v:.6f}",
                    f"{ball.speed[number, 0] - exact[0]:.1e}",
                    f"{ball.turning[number, 0]:.6f}",
                    f"{omega:.6f}",
                    f"{round(ball.normal[number, 0], 4) + 0.0:.4f}",
                    f"{ball.spread(number):.1e}",
                ]
            )
    study.table(
        "spheres",
        [
            "sphere",
            "method",
            "v [m/s]",
            "sheet",
            "difference",
            "ω [rad/s]",
            "sheet",
            "v_n [m/s]",
            "over directions",
        ],
        rows,
    )
    both = [cases.index((ANGLE, sign * SPEED)) for sign in (1, -1)]
    exact = [rod_exact(*cases[k]) for k in both]
    rows = [
        [
            "Newton, Coulomb",
            *(cell for x in exact for cell in (f"{x[0] / x[2]:.4f}", f"{abs(x[1]) / x[0]:.4f}")),
        ]
    ]
    for name, x in impulse.items():
        rows.append(
            [
                name,
                *(
                    cell
                    for k, ideal in zip(both, exact, strict=True)
                    for cell in (f"{x[k, 0] / ideal[2]:.4f}", f"{abs(x[k, 1]) / x[k, 0]:.4f}")
                ),
            ]
        )
    study.table(
        "rods", ["rod at 45°", "lowers: x_N/w", "x_T/x_N", "raises: x_N/w", "x_T/x_N"], rows
    )

    rows = [
        [
            name,
            *(
                f"{round(value, 4) + 0.0:.4f}"
                for speeds in fall
                for value in (speeds.min(), speeds.max())
            ),
        ]
        for name, fall in falls.items()
    ]
    study.table(
        "falls",
        ["method", *(f"e = {e:g}: {what} v_n" for e in RESTITUTIONS for what in ("least", "most"))],
        rows,
    )


def draw_directions(study, directions, balls):
    """Speed and deflection over the direction of slip."""
    from support import figures

    case, degrees = list(CASES).index("slides"), np.degrees(directions)
    figure, (left, right) = figures.grid(1, 2, width=7.4, height=3.2)
    for name, ball in balls.items():
        look = dict(
            color=methods.COLOURS[name], label=name, ls="-" if name in methods.IMPULSE else "--"
        )
        left.plot(degrees, ball.speed[case], **look)
        right.plot(degrees, ball.deflection[case], **look)
    left.axhline(sphere_exact("slides")[0], color="#888888", lw=3, alpha=0.3)
    left.set(
        xlabel="direction of slip [°]",
        ylabel="speed after the impact [m/s]",
        xlim=(0, 180),
        xticks=range(0, 181, 45),
    )
    right.set(
        xlabel="direction of slip [°]",
        ylabel="deflection [°]",
        xlim=(0, 180),
        xticks=range(0, 181, 45),
    )
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncol=5, fontsize=7)
    study.figure("impacts-direction", figure)


def draw_rods(study, cases, impulse):
    """Friction over normal impulse: over the angle for slip both ways, over the speed of slip at 45
    degrees."""
    from support import figures

    figure, axes = figures.grid(1, 2, width=7.4, height=3.6)
    panels = [
        (0, [k for k, case in enumerate(cases) if case[1] == sign * SPEED]) for sign in (1, -1)
    ]
    panels.append((1, [k for k, case in enumerate(cases) if case[0] == ANGLE]))
    for axis, rows in panels:
        x = [cases[k][axis] for k in rows]
        exact = np.array([rod_exact(*cases[k]) for k in rows])
        axes[axis].plot(
            x, exact[:, 1] / exact[:, 0], color="#bbbbbb", lw=5, alpha=0.6, label="Newton, Coulomb"
        )
        for name in impulse:
            look = dict(
                lw=1.8 if name in TWO_PHASE else 0.8,
                ls=":" if name == "two-phase-literal" else "-" if name in methods.IMPULSE else "--",
            )
            axes[axis].plot(
                x,
                impulse[name][rows, 1] / impulse[name][rows, 0],
                color=methods.COLOURS[name],
                label=name,
                **look,
            )
    axes[0].set(
        xlabel="angle of the rod [°]",
        ylabel="$x_T/x_N$",
        xticks=range(0, 91, 15),
        ylim=(-0.46, 0.37),
    )
    axes[0].annotate("slips to −x: friction raises $x_N$", (22, 0.33), fontsize=7)
    axes[0].annotate("slips to +x: friction lowers $x_N$", (22, -0.43), fontsize=7)
    axes[1].set(xlabel="slip before the impact [m/s]", ylabel="$x_T/x_N$")
    figure.legend(
        *axes[1].get_legend_handles_labels(), loc="outside lower center", ncol=4, fontsize=7
    )
    study.figure("impacts-rod", figure)


def study(study):
    """The whole study."""
    names = (*methods.METHODS, DEFAULT) if study.full else (*SOLVED, DEFAULT)
    directions = np.radians(np.arange(0, 361 if study.full else 360, 5 if study.full else 30))
    cases = [
        (angle, sign * SPEED)
        for sign in (1, -1)
        for angle in (np.arange(2.5 if study.full else 22.5, 91.0, 2.5 if study.full else 22.5))
    ]
    cases += [
        (ANGLE, speed)
        for speed in np.linspace(-3.0, 3.0, 61 if study.full else 7)
        if abs(speed) != SPEED
    ]
    cases = sorted((float(angle), float(round(speed, 3))) for angle, speed in cases)
    after, impulse, falls = simulated(study, names, directions, cases)
    balls = {name: Spheres(after[name], directions) for name in names}
    check_spheres(study, balls)
    check_rods(study, cases, impulse)
    check_falls(study, falls)
    if study.full:
        tables(study, balls, cases, impulse, falls)
        draw_directions(study, directions, balls)
        draw_rods(study, cases, impulse)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
