#!/usr/bin/env python3
"""Table I of "Irrotational Contact Fields" (section VII), measured for every contact model.

A particle on a belt, in the plane: its height while it slips in a steady state gives the gliding
gap and the stiffness while slipping, its rebound the dissipation, its creep under part of the
friction the slip speed at which sticking ends, its landing the order and the coupling.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.measure import position_error, slopes  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.series import CONTACT, options  # noqa: E402
from support.study import Run, main  # noqa: E402

MODELS = ("sap", "lagged", "regularized", "similar")
FRICTION, SIGMA, CREEP = 0.5, 1e-3, 1e-4  # [-] [-] [m/s]
GLIDE = {"k": 1e7, "d": 2.0, "tau": 1e-3}  # [N/m] [s/m] [s]  of the steady slip
BELT = 1.0  # [m/s]
GLIDE_STEPS = (1e-2, 2e-3, 4e-4)  # [s]
BOUNCE = {"k": 1e5, "d": 0.5, "tau": 1e-3}
BOUNCE_BELT, BOUNCE_SPEED = 2.0, 1.0  # [m/s]
LAND = {"k": 1e4, "d": 2.0, "tau": 2e-3}
LAND_STEPS, LAND_REFERENCE, LAND_TIME = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5), 5e-6, 0.2  # [s]
CREEP_STEPS, SHARE = (1e-2, 5e-2), 0.6  # [s] [-]  SHARE: force over the friction's bound

SCENE = """<mujoco model="particle on a belt" xmlns:limpet="limpet">
  <option gravity="0 0 -{gravity!r}"/>
  <worldbody>
    <geom name="belt" type="plane" size="1 1 0.1" friction="{friction}" limpet:stiffness="{k:g}"
          limpet:dissipation="{d:g}"
      limpet:relaxation_time="{tau:g}" limpet:surface_velocity="{belt:g} 0 0"/>
    <body name="particle" pos="0 0 0.01">
      {slide}<joint name="z" type="slide" axis="0 0 1"/>
      <geom name="particle" type="sphere" size="0.01" mass="1" friction="{friction}"
            limpet:relaxation_time="0"/>
    </body>
  </worldbody>
  {actuator}<keyframe>
    <key name="start" qpos="{qpos}" qvel="{qvel}"/>
  </keyframe>
</mujoco>
"""


def scene(
    study, name, material, gravity=9.81, belt=0.0, slides=False, pull=False, qpos="0", qvel="0"
):
    """A particle of 1 kg that moves along z, and along x where it `slides`; `pull`: a motor along
    x."""
    text = SCENE.format(
        gravity=gravity,
        friction=FRICTION,
        belt=belt,
        qpos=qpos,
        qvel=qvel,
        **material,
        slide='<joint name="x" type="slide" axis="1 0 0"/>' if slides else "",
        actuator='<actuator><motor name="pull" joint="x"/></actuator>' if pull else "",
    )
    return study.write_scene(f"{name}.xml", text)


def run(name, path, model, dt, time, *words):
    """A run that starts at the keyframe and is solved to round-off."""
    return Run(
        f"{name}-{model}-{dt:g}",
        path,
        CONTACT[model],
        dt,
        time,
        ("--keyframe", "start", *words, *options(model, "1e-12")),
    )


def plan(study):
    """All runs of the study."""
    light = scene(study, "glide-1g", GLIDE, belt=BELT)
    heavy = scene(study, "glide-2g", GLIDE, gravity=2 * 9.81, belt=BELT)
    still = scene(study, "bounce-still", BOUNCE, gravity=0.0, qpos="0.002", qvel=f"-{BOUNCE_SPEED}")
    moving = scene(
        study,
        "bounce-moving",
        BOUNCE,
        gravity=0.0,
        belt=BOUNCE_BELT,
        qpos="0.002",
        qvel=f"-{BOUNCE_SPEED}",
    )
    creep = scene(study, "creep", GLIDE, slides=True, pull=True, qpos="0 0", qvel="0 0")
    landing = scene(study, "land", LAND, slides=True, qpos="0 0.005", qvel="2 0")
    force = f"pull={SHARE * FRICTION * 9.81}"
    runs = [
        run(name, path, model, dt, 1.0)
        for model in MODELS
        for dt in GLIDE_STEPS
        for name, path in (("1g", light), ("2g", heavy))
    ]
    runs += [
        run("creep", creep, model, dt, 3.0, "--set", force)
        for model in MODELS
        for dt in CREEP_STEPS
    ]
    if study.full:
        runs += [run(name, path, model, 1e-6, 0.025, "--log-period", "1e-4") for model in MODELS
                 for name, path in (("still", still), ("moving", moving))]  # fmt: skip
        runs += [
            run("land", landing, model, dt, LAND_TIME)
            for model in MODELS
            for dt in (*LAND_STEPS, LAND_REFERENCE)
        ]
    return runs


def gliding(study, logs):
    """Gap and stiffness from the heights under two loads. Returns {(model, dt): (gap [m], stiffness
    [N/m])}."""
    found = {}
    for model in MODELS:
        for dt in GLIDE_STEPS:
            one, two = (logs[f"{load}-{model}-{dt:g}"].q[-1, 0] for load in ("1g", "2g"))
            gap, stiffness = 2 * one - two, 9.81 / (one - two)
            law_gap = {
                "sap": FRICTION * (dt + GLIDE["tau"]) * BELT,
                "similar": FRICTION * dt * (np.hypot(BELT, CREEP) - CREEP),
            }.get(model, 0.0)
            weight = (
                1 / 3
            )  # [1/kg]  Delassus estimate of a particle that moves along one of three axes
            coupling = FRICTION**2 * SIGMA * weight * dt * GLIDE["k"] * (dt + GLIDE["tau"])  # mu~^2
            modulation = {
                "sap": 1 / (1 + coupling),
                "similar": 1 + FRICTION * GLIDE["d"] * (np.hypot(BELT, CREEP) - CREEP),
            }.get(model, 1.0)
            study.near(
                f"{model}, dt {dt:g} s: gliding gap",
                1e3 * gap,
                1e3 * law_gap,
                "mm",
                absolute=1e-7,
                relative=1e-5,
            )
            study.near(
                f"{model}, dt {dt:g} s: stiffness while slipping over k",
                stiffness / GLIDE["k"],
                modulation,
                relative=1e-4,
            )
            found[model, dt] = gap, stiffness
    return found


def hunt_crossley_restitution(dv):
    """e of continuous Hunt-Crossley contact: dv (1 + e) = ln((1 + dv)/(1 - e dv)), by bisection."""
    low, high = 0.0, 1.0
    for _ in range(100):
        e = 0.5 * (low + high)
        low, high = (e, high) if dv * (1 + e) - np.log((1 + dv) / (1 - e * dv)) > 0 else (low, e)
    return e


def sap_restitution(k, tau):
    """e of a mass of 1 kg under the force k (-phi - tau v)+: it begins at phi = tau |v|, before the
    surfaces touch, and ends half a period later."""
    ratio = 0.5 * tau * np.sqrt(k)
    return np.exp(-np.pi * ratio / np.sqrt(1 - ratio**2))


def dissipation(study, logs):
    """Restitution without and with slip. Returns {model: (still, moving)}."""
    found = {}
    for model in MODELS:
        still, moving = (
            logs[f"{name}-{model}-1e-06"].v[-1, 0] / BOUNCE_SPEED for name in ("still", "moving")
        )
        slowed = (
            BOUNCE["d"] / (1 + FRICTION * BOUNCE["d"] * BOUNCE_BELT)
            if model == "similar"
            else BOUNCE["d"]
        )
        laws = [hunt_crossley_restitution(d * BOUNCE_SPEED) for d in (BOUNCE["d"], slowed)]
        if model == "sap":
            laws = [sap_restitution(BOUNCE["k"], BOUNCE["tau"])] * 2
        study.near(f"{model}: restitution without slip", still, laws[0], relative=2e-3)
        study.near(
            f"{model}: restitution while slipping at {BOUNCE_BELT:g} m/s",
            moving,
            laws[1],
            relative=2e-3,
        )
        found[model] = still, moving
    return found


def transition(study, logs):
    """Slip speed at which sticking ends, from the creep under a share of the friction. Returns
    {(model, dt): speed [m/s]}."""
    found = {}
    for model in MODELS:
        for dt in CREEP_STEPS:
            speed = logs[f"creep-{model}-{dt:g}"].v[-1, 0]
            found[model, dt] = (
                speed / SHARE if model == "sap" else speed * np.sqrt(1 / SHARE**2 - 1)
            )
            weight = (
                np.sqrt(2) / 3
            )  # [1/kg]  Delassus estimate of a particle that moves along two of three axes
            grown = SIGMA * weight * FRICTION * 9.81 * dt  # sigma w mu gamma_n
            law = {"sap": grown, "regularized": max(CREEP, grown)}.get(model, CREEP)
            study.near(
                f"{model}, dt {dt:g} s: slip speed at stick-slip",
                1e6 * found[model, dt],
                1e6 * law,
                "um/s",
                relative=1e-3,
            )
    return found


def landing(study, logs):
    """Order and coupling of a particle that lands at 2 m/s along the ground. Returns {model:
    (errors, coupling)}."""
    reference, found = logs[f"land-lagged-{LAND_REFERENCE:g}"], {}
    for model in MODELS:
        error = [
            position_error(logs[f"land-{model}-{dt:g}"], reference, LAND_TIME) for dt in LAND_STEPS
        ]
        rest = position_error(logs[f"land-{model}-{LAND_REFERENCE:g}"], reference, LAND_TIME)
        order = slopes(LAND_STEPS[-2:], error[-2:])[0]
        log = logs[f"land-{model}-{LAND_STEPS[0]:g}"]
        sliding = (log.force[:, 2] > 0.5) & (log.v[:, 0] > 0.1)
        ratio = np.abs(log.force[sliding, 0]) / (FRICTION * log.force[sliding, 2])
        apart = float(np.abs(ratio - 1).max())
        if model in ("lagged", "regularized"):
            study.near(f"{model}: order of e_q at the smallest steps", order, 1.0, absolute=0.1)
            study.within(
                f"{model}: friction differs from mu times the normal force of the same step, by "
                "up to",
                apart,
                low=0.1,
            )
        else:
            study.within(
                f"{model}: order of e_q at the smallest steps (not consistent)", order, high=0.5
            )
            study.within(
                f"{model}: friction differs from mu times the normal force of the same step, by "
                "up to",
                apart,
                high=1e-5,
            )
        found[model] = error, rest, order, apart
    return found


def artifacts(study):
    """The whole study."""
    logs = {name: Recording(result.log) for name, result in study.simulate(plan(study)).items()}
    gaps, creeps = gliding(study, logs), transition(study, logs)
    if not study.full:
        return
    bounce, landed = dissipation(study, logs), landing(study, logs)
    coarse, words = GLIDE_STEPS[0], {True: "yes", False: "no"}
    header = [
        "model",
        "consistent",
        "strongly coupled",
        "gap at 10 ms [mm]",
        "stiffness over k",
        "restitution still, slipping",
        "stick-slip [um/s]",
    ]
    rows = []
    for model in MODELS:
        gap, stiffness = gaps[model, coarse]
        rows.append(
            [
                model,
                f"{words[landed[model][2] > 0.9]} (order {landed[model][2]:.2f})",
                words[landed[model][3] < 1e-3],
                f"{1e3 * gap:.3f}",
                f"{stiffness / GLIDE['k']:.4f}",
                f"{bounce[model][0]:.3f}, {bounce[model][1]:.3f}",
                ", ".join(f"{1e6 * creeps[model, dt]:.1f}" for dt in CREEP_STEPS),
            ]
        )
    study.table("measured", header, rows)
    study.table(
        "landing",
        ["e_q [mm] at dt", *(f"{dt:g} s" for dt in (*LAND_STEPS, LAND_REFERENCE))],
        [
            [model, *(1e3 * value for value in landed[model][0]), 1e3 * landed[model][1]]
            for model in MODELS
        ],
    )
    draw(study, gaps, landed)


def draw(study, gaps, landed):
    """Gap over the step, and the error of the landing over the step."""
    from support import figures

    figure, axes = figures.grid(1, 2, width=7.0, height=3.0)
    for model in ("sap", "similar"):
        axes[0].loglog(
            GLIDE_STEPS,
            [1e3 * gaps[model, dt][0] for dt in GLIDE_STEPS],
            marker=figures.MARKERS[model],
            **figures.style(model),
        )
    axes[0].axhline(1e3 * FRICTION * GLIDE["tau"] * BELT, color="#888888", lw=0.8, ls=":")
    axes[0].annotate(r"$\mu\,\tau_d\,|v_t|$", (GLIDE_STEPS[0], 0.52), ha="right", fontsize=8)
    axes[0].set(xlabel="time step [s]", ylabel="gliding gap at 1 m/s [mm]")
    axes[0].set_yticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
    axes[0].minorticks_off()
    for model in ("sap", "similar", "lagged"):
        axes[1].loglog(
            LAND_STEPS, landed[model][0], marker=figures.MARKERS[model], **figures.style(model)
        )
    figures.slope_line(axes[1], LAND_STEPS, 0.5 * landed["lagged"][0][0])
    axes[1].set(xlabel="time step [s]", ylabel="$e_q$ of the landing [m]")
    axes[1].legend()
    study.figure("artifacts", figure)


if __name__ == "__main__":
    sys.exit(main(artifacts, __file__))
