#!/usr/bin/env python3
"""The BarrettHand's finger, section XII-C of "Irrotational Contact Fields" (Figs. 23 and 24):
gears, worms, a thread and a clutch that touch by pressure fields.

The motor winds a gear down its thread onto a clutch until it stalls (loading), turns back and
drives worm, wheel and link through the clutch (driving), until the link meets an obstacle: then the
clutch breaks away at the torque that it was loaded with, the gear winds up, and the worm holds the
link. CAD is not public; shapes and all else that the paper leaves open are chosen in
_gear_scene.py.
"""

import math
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _gear_scene as scenes  # noqa: E402
from _gear_scene import Finger  # noqa: E402
from support.command import words  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, main  # noqa: E402

STEP = 0.5e-3  # [s]
REVERSE = 0.05  # [s]  end of loading
END = 0.40  # [s]
LOADS = (0.6, 0.45, 0.3)  # [N cm]
PLATEAU = (0.04, 0.0495)  # [s]  the motor stalls
DRIVING = (0.06, 0.24)  # [s]
CAUGHT = 0.30  # [s]  the link has met the obstacle
HELD = 0.1  # [s]  at the end
STICTION = 1e-6  # [m/s]  the stiction speed of Lagged
FAR = 2000.0  # [rad/s]  a speed at which an actuator that pushes one way gives nothing
WHEEL_LOAD = 0.02  # [N m]  on the wheel of a worm that may be driven back
# backlash of the worm that is driven [m] and step [s]
TIGHT = (-10e-6, STEP)
FITS = ((40e-6, STEP), (0.0, STEP), (-5e-6, STEP), TIGHT, (-10e-6, STEP / 2), (-10e-6, STEP / 5))
CM = 100.0  # N m to N cm


def controls(path):
    """The motor's speeds over time."""
    turn = REVERSE + 1e-4
    path.write_text(
        "time,load,drive\n"
        f"0,200,{FAR}\n{REVERSE},200,{FAR}\n{turn},{-FAR},-200\n{END},{-FAR},-200\n"
    )
    return path


class Log:
    """Torques on the proximal worm [N cm] and angles over time."""

    def __init__(self, result):
        self.log = Recording(result.log)
        self.summary = result.summary
        self.time = self.log.time
        names = self.log.names("geom")
        self.pair = {name: k for k, name in enumerate(names)}
        geoms = self.log.read("contact/geom").reshape(-1, 2)
        x, force = self.log.read("contact/position"), self.log.read("contact/force")
        turn = x[:, 0] * force[:, 1] - x[:, 1] * force[:, 0]
        self.clutch = self._sum(geoms, turn, ("face", "clutch"), ("nut", "shaft"))
        self.wheel = -self._sum(geoms, turn, ("proximal_worm", "proximal_wheel"))
        self.joint = {name: k for k, name in enumerate(self.log.names("joint"))}

    def _sum(self, geoms, turn, *pairs):
        total = np.zeros(len(self.time))
        for a, b in pairs:
            kept = (geoms[:, 0] == self.pair[a]) & (geoms[:, 1] == self.pair[b])
            np.add.at(total, self.log.contact_record[kept], turn[kept])
        return CM * total

    def between(self, span):
        """Records within a span of time [s]."""
        return (self.time >= span[0]) & (self.time <= span[1])

    def angle(self, joint):
        """[rad] or [m]"""
        return self.log.q[:, self.joint[joint]]

    @property
    def plateau(self):
        """[N cm]  magnitude at the end of loading"""
        return float(np.abs(self.clutch[self.between(PLATEAU)]).mean())

    @property
    def breakaway(self):
        """[N cm]  the largest torque of the clutch after the link has met the obstacle"""
        return float(self.clutch[self.between((DRIVING[1], END))].max())


def spectrum(log):
    """Frequencies [Hz] and amplitudes [N cm] of the clutch's torque while it drives."""
    kept = log.between(DRIVING)
    signal = log.clutch[kept] - log.clutch[kept].mean()
    signal = signal * np.hanning(len(signal))
    step = log.time[1] - log.time[0]
    return np.fft.rfftfreq(len(signal), step), 4 * np.abs(np.fft.rfft(signal)) / len(signal)


def tooth_frequency(log, finger):
    """[Hz]  at which teeth of the pinion pass while it drives"""
    kept = log.between(DRIVING)
    angle, time = log.angle("motor")[kept], log.time[kept]
    speed = abs(angle[-1] - angle[0]) / (time[-1] - time[0])
    return finger.pinion_teeth * speed / (2 * math.pi)


def check_phases(study, log, finger):
    study.sheet("loading: torque on the worm", log.plateau, 0.588, 0.612, "N cm", (0.5, 0.7))
    driving = float(np.abs(log.clutch[log.between(DRIVING)]).max())
    study.within("driving: largest torque", driving, high=log.plateau, unit="N cm")
    end = log.between((END - HELD, END))
    study.within(
        "unwound: torque of the clutch on the worm",
        float(np.abs(log.clutch[log.between((END - HELD / 2, END))]).mean()),
        high=0.006,
        unit="N cm",
    )
    link = log.angle("proximal_link")[end]
    study.within(
        "unwound: turn of the link in 0.1 s",
        float(abs(link[-1] - link[0])),
        high=1e-3,
        unit="rad",
    )
    lift = float(log.angle("nut_slide")[-1] - log.angle("nut_slide")[log.between(DRIVING)][0])
    study.within("unwound: way of the gear up its thread", 1e3 * lift, low=0.3, unit="mm")


def check_steps(study, runs, logs, finger):
    """Hammering has its peaks by the step; its mean is the load. At a quarter of the step:
    harmonics of the teeth, and torques at breakaway, those of a gear that runs onto the clutch."""
    parts = (2, 4)
    finer = [
        replace(run, name=f"{run.name}-{part}", dt=STEP / part, time=CAUGHT)
        for part in parts
        for run in runs
    ]
    results = study.simulate(finer)
    whole = {1: logs}
    for part in parts:
        whole[part] = {load: Log(results[f"load-{load:g}-{part}"]) for load in logs}
    rows, means = [], []
    for part, loaded in whole.items():
        torque = loaded[LOADS[0]].clutch[loaded[LOADS[0]].between(DRIVING)]
        means.append(float(torque.mean()))
        rows.append([f"{1e3 * STEP / part:g}", f"{means[-1]:.4f}", f"{np.abs(torque).max():.3f}",
                     *(f"{log.breakaway / log.plateau:.3f}" for log in loaded.values())])
    loads = [f"breakaway over loading, {load:g} N cm" for load in logs]
    study.table("steps", ["step [ms]", "mean torque [N cm]", "largest [N cm]", *loads], rows)
    study.near("driving: mean torque at a quarter of the step", means[2], means[0], "N cm",
               relative=0.02)
    quarter = whole[parts[-1]]
    check_harmonics(study, quarter[LOADS[0]], finger, "at a quarter of the step: ", 6.0)
    for load, log in quarter.items():
        share = log.breakaway / log.plateau
        text = f"at a quarter of the step, loaded with {load:g} N cm: breakaway over loading torque"
        study.sheet(text, share, 0.9, 1.1, accepted=(0.9, 1.3))


def check_harmonics(study, log, finger, when, accepted):
    """Rows of a table: of each harmonic of the teeth, where the spectrum has its peak."""
    frequency, amplitude = spectrum(log)
    expected, width = tooth_frequency(log, finger), frequency[1]
    rows = []
    for order in (1, 2, 3):
        near = np.abs(frequency - order * expected) <= 6 * width
        at = int(np.argmax(np.where(near, amplitude, 0.0)))
        off = abs(frequency[at] - order * expected) / width
        text = f"{when}peak of harmonic {order}, off by bins of {width:.1f} Hz"
        study.sheet(text, float(off), high=1.0, accepted=(0.0, accepted))
        rows.append(
            [order, f"{order * expected:.1f}", f"{frequency[at]:.1f}", f"{amplitude[at]:.3g}"]
        )
    return rows


def check_spectrum(study, log, finger):
    study.near("teeth pass at", tooth_frequency(log, finger), 255.0, "Hz", relative=0.02)
    rows = check_harmonics(study, log, finger, "", 6.0)
    study.table("spectrum", ["harmonic", "expected [Hz]", "peak [Hz]", "amplitude [N cm]"], rows)


def check_memory(study, logs):
    rows = []
    for load, log in logs.items():
        share = log.breakaway / log.plateau
        study.sheet(
            f"loaded with {load:g} N cm: breakaway over loading torque",
            share,
            0.9,
            1.1,
            accepted=(0.7, 1.3),
        )
        rows.append([f"{load:g}", f"{log.plateau:.3f}", f"{log.breakaway:.3f}", f"{share:.3f}"])
    study.table(
        "memory", ["limit [N cm]", "plateau [N cm]", "breakaway [N cm]", "ratio"], rows
    )


def creep_of(share, finger):
    """[rad/s]  of a locked worm by Lagged: friction of the share 1/`share` of its bound takes a
    slip v with v/sqrt(v^2 + eps^2) = 1/share, eps the stiction speed."""
    return 0.0 if share <= 1 else STICTION / math.sqrt(share**2 - 1) / finger.worm_radius


def balanced_creep(log, finger, share):
    """[rad/s]  of a locked worm at the end of a run, from the balance of its torques alone: at each
    contact with normal force f and slip v Lagged has the friction mu f v/sqrt(v^2 + eps^2). Places,
    normals and normal forces are those of the run, as is the speed of the wheel; one unknown."""
    last = log.contact_record == len(log.time) - 1
    x, force, normal = (
        log.read(f"contact/{name}")[last] for name in ("position", "force", "normal")
    )
    wheel = list(log.names("geom")).index("wheel")
    on_worm = np.where(log.read("contact/geom").reshape(-1, 2)[last, 1] == wheel, -1.0, 1.0)
    pressed = np.sum(force * normal, axis=1)
    friction = share * finger.lead * math.cos(finger.worm_angle) * np.abs(pressed)
    axis = np.array([finger.worm_radius + finger.wheel_teeth * finger.worm_module / 2, 0.0, 0.0])
    turned = np.cross([0.0, -log.v[-1, 1], 0.0], x - axis)

    def torque(speed):
        slip = turned - np.cross([0.0, 0.0, speed], x)  # of the wheel on the worm
        slip -= np.sum(slip * normal, axis=1)[:, None] * normal
        share_of_bound = slip / np.sqrt(np.sum(slip**2, axis=1) + STICTION**2)[:, None]
        total = (on_worm * pressed)[:, None] * normal + friction[:, None] * share_of_bound
        return float(np.cross(x, total)[:, 2].sum())

    low, high = -1.0, 1.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if torque(middle) * torque(low) > 0 else (low, middle)
    return abs(low)


def check_creep(study, finger, run, speed):
    """The creep of Lagged is its law's: it follows from the balance of torques, does not change
    with the step, and goes with the stiction speed."""
    finer = replace(run, name="creep-half-step", dt=STEP / 2)
    tenth = ("--stiction-speed", repr(0.1 * STICTION))
    slower = replace(run, name="creep-tenth", options=(*run.options, *tenth))
    results = study.simulate([replace(run, name="creep"), finer, slower])
    logs = {name: Recording(result.log) for name, result in results.items()}
    found = {name: abs(float(log.v[-1, 0])) for name, log in logs.items()}
    balance = balanced_creep(logs["creep"], finger, 1.02)
    study.near("creep at 1.02: by the balance of torques", balance, speed, "rad/s", relative=1e-3)
    study.near(
        "creep at 1.02, half the step", found["creep-half-step"], speed, "rad/s", relative=0.01
    )
    study.near(
        "creep at 1.02, a tenth of the stiction speed",
        found["creep-tenth"],
        0.1 * speed,
        "rad/s",
        relative=0.1,
    )
    study.within(
        "the same, at the pitch",
        found["creep-tenth"] * finger.worm_radius,
        high=STICTION,
        unit="m/s",
    )


def check_locking(study, finger, folder):
    """A worm locks above tan(lead) cos(pressure angle) and is driven back below it."""
    limit = finger.lead * math.cos(finger.worm_angle)
    shares = (0.8, 0.85, 0.9, 0.94, 0.98, 1.02, 1.1, 1.2)
    runs = [
        Run(
            f"worm-{share:g}",
            scenes.worm_scene(finger, folder, folder / f"worm-{share:g}.xml", share * limit),
            "lagged",
            STEP,
            0.1,
            ("--set", f"turn={WHEEL_LOAD}"),
        )
        for share in shares
    ]
    runs += [replace(run, name=f"{run.name}-coulomb", contact="coulomb") for run in runs]
    found = [abs(Recording(result.log).v[-1, 0]) for result in study.simulate(runs).values()]
    speeds = dict(zip(shares, map(float, found), strict=False))
    held = dict(zip(shares, map(float, found[len(shares) :]), strict=True))
    rows = [
        [f"{s:g}", f"{speed:.3g}", f"{creep_of(s, finger):.3g}" if s > 1 else "", f"{held[s]:.3g}"]
        for s, speed in speeds.items()
    ]
    heads = ["μ over tan α cos ψ", "speed of the worm after 0.1 s [rad/s]", "creep by formula"]
    study.table("locking", [*heads, "speed with coulomb"], rows)
    creep = 2 * STICTION / finger.worm_radius  # [rad/s]  the sheet: tips turn faster
    known = (0.0, math.inf)
    study.sheet(
        "worm at 1.02 of the limit", speeds[1.02], high=creep, unit="rad/s", accepted=known
    )
    for share in shares:
        if share > 1:
            most = 1.05 * creep_of(share, finger)
            name = f"creep at {share:g}, Lagged's law"
            study.within(name, speeds[share], high=most, unit="rad/s")
    check_creep(study, finger, runs[shares.index(1.02)], speeds[1.02])
    study.within("worm at 1.02, coulomb", held[1.02], high=creep, unit="rad/s")
    study.sheet("worm at 0.98 of the limit", speeds[0.98], low=1.0, unit="rad/s", accepted=known)
    study.within("worm at 1.2 of the limit", speeds[1.2], high=creep, unit="rad/s")
    study.within("worm at 0.8 of the limit", speeds[0.8], low=1.0, unit="rad/s")


def check_models(study, lagged, similar):
    """The finger with Similar, whose gap of gliding its backlash takes up."""
    speed = {}
    for name, log in {"lagged": lagged, "similar": similar}.items():
        kept = log.between((0.1, 0.2))
        angle = log.angle("proximal_link")[kept]
        speed[name] = float(angle[-1] - angle[0]) / 0.1
    study.table(
        "models",
        ["model", "speed of the link [rad/s]"],
        [[name, f"{value:.4f}"] for name, value in speed.items()],
    )


def fit_runs(finger, folder):
    """Runs of a worm that its motor drives, by model, backlash and step."""
    runs = {}
    for backlash, step in FITS:
        fit = replace(finger, worm_backlash=backlash)
        parts = folder / f"fit{1e6 * backlash:g}"
        scenes.make_parts(fit, parts)
        friction = fit.worm_friction * fit.lead
        path = scenes.worm_scene(fit, parts, parts / "driven.xml", friction, driven=True)
        for model in ("lagged", "similar", "sap"):
            name = f"fit-{model}-{1e6 * backlash:g}-{1e6 * step:g}"
            drive = ("--set", f"drive={-finger.speed / finger.ratio!r}")
            runs[model, backlash, step] = Run(name, path, model, step, 0.15, drive)
    return runs


def check_fits(study, finger, folder):
    """Similar opens a gap of mu h v under flanks that glide. Where it closes the play, teeth lock
    that have room; the gap, and the lock, go with the step."""
    runs = fit_runs(finger, folder)
    results = study.simulate(list(runs.values()))
    speed = {}
    for key, run in runs.items():
        log = Recording(results[run.name].log)
        kept = log.time >= 0.05
        angle, time = log.q[kept, 0], log.time[kept]
        speed[key] = float(abs(angle[-1] - angle[0]) / (time[-1] - time[0]))
    models = ("lagged", "similar", "sap")
    rows = [
        [f"{1e6 * fit[0]:g}", f"{1e3 * fit[1]:g}", *(f"{speed[m, *fit]:.2f}" for m in models)]
        for fit in FITS
    ]
    study.table("fits", ["backlash [um]", "step [ms]", *models], rows)
    free = speed["lagged", *FITS[0]]
    study.within(
        "tight worm, lagged: speed over that of a loose one",
        speed["lagged", *TIGHT] / free,
        low=0.98,
    )
    study.sheet(
        "tight worm, similar: speed over that of lagged",
        speed["similar", *TIGHT] / speed["lagged", *TIGHT],
        high=0.98,
        accepted=(0.0, 1.1),
    )
    study.within(
        "tight worm, similar at a fifth of the step: the same",
        speed["similar", *FITS[-1]] / speed["lagged", *FITS[-1]],
        low=0.98,
    )


def processor_time(run):
    """[s]  of a run without a log"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words(run, None), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check_speed(study, log, run):
    """Processor time of steps while the finger drives: of two runs that differ in length."""
    count = float(log.log.contact_count[log.between(DRIVING)].mean())
    study.within("contacts a step while it drives", count, low=800.0)
    times = [processor_time(replace(run, time=time)) for time in DRIVING]
    step = 1e3 * (times[1] - times[0]) * STEP / (DRIVING[1] - DRIVING[0])
    study.sheet("processor time of a step", step, high=3.0, unit="ms", accepted=(0.0, 20.0))


def draw_torques(study, log):
    from support import figures

    figure, axes = figures.plt.subplots(3, 1, figsize=(7.5, 7.0))
    axes[0].plot(log.time, log.clutch, label="clutch and thread", lw=0.8)
    axes[0].plot(log.time, log.wheel, label="wheel", lw=0.8)
    for time, text in ((0.0, " loading"), (REVERSE, " driving"), (0.253, " breakaway")):
        axes[0].axvline(time, color="0.6", lw=0.7)
        axes[0].text(time, 0.72, text, fontsize=8)
    axes[0].set(ylim=(-0.8, 0.8), ylabel="torque on the worm [N cm]", xlabel="time [s]")
    axes[0].legend(loc="lower right", fontsize=8)
    axes[1].plot(log.time, log.angle("proximal_link"), label="proximal link [rad]")
    axes[1].plot(log.time, 1e3 * log.angle("nut_slide"), label="gear along its thread [mm]")
    axes[1].legend(fontsize=8)
    axes[1].set(xlabel="time [s]")
    frequency, amplitude = spectrum(log)
    axes[2].semilogy(frequency, np.maximum(amplitude, 1e-6), lw=0.8)
    for order in (1, 2, 3):
        axes[2].axvline(order * tooth_frequency(log, Finger()), color="0.6", lw=0.7, ls=":")
    axes[2].set(xlabel="frequency [Hz]", ylabel="torque [N cm]")
    study.figure("gears-torques", figure)


def draw_finger(study, finger, folder, log):
    """The finger from the side, clutch engaged and disengaged, as Fig. 23."""
    from _gear_picture import side_view
    from support import figures

    figure, axes = figures.plt.subplots(1, 2, figsize=(9.0, 3.0))
    for panel, (time, text) in zip(
        axes, ((0.2, "clutch engaged, 0.2 s"), (END, f"disengaged, {END:g} s")), strict=True
    ):
        record = int(np.argmin(np.abs(log.time - time)))
        state = {name: float(log.log.q[record, k]) for name, k in log.joint.items()}
        side_view(panel, finger, folder, state)
        panel.set_title(text, fontsize=9)
    study.figure("gears-finger", figure)


def study(study):
    finger = Finger()
    folder = study.out / "shapes"
    scenes.make_parts(finger, folder)
    csv = controls(folder / "controls.csv")
    runs = []
    for load in LOADS if study.full else LOADS[:1]:
        loaded = replace(finger, load=load / CM)
        path = scenes.scene(loaded, folder, folder / f"finger-{load:g}.xml")
        runs.append(Run(f"load-{load:g}", path, "lagged", STEP, END, ("--controls", csv)))
    if study.full:
        path = folder / "finger-0.6.xml"
        runs.append(Run("similar", path, "similar", STEP, 0.22, ("--controls", csv)))
    results = study.simulate(runs)
    logs = {load: Log(results[f"load-{load:g}"]) for load in LOADS if f"load-{load:g}" in results}
    log = logs[LOADS[0]]
    check_phases(study, log, finger)
    check_spectrum(study, log, finger)
    check_memory(study, logs)
    check_speed(study, log, runs[0])
    if not study.full:
        return
    check_steps(study, runs[: len(LOADS)], logs, finger)
    check_locking(study, finger, folder)
    check_models(study, log, Log(results["similar"]))
    check_fits(study, finger, folder)
    draw_torques(study, log)
    draw_finger(study, finger, folder, log)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
