#!/usr/bin/env python3
"""Clutter, section XII-A of "Irrotational Contact Fields" (Figs. 14-19): 40 spheres and boxes fall
into a box.

Four series: SAP, Similar, Lagged, and Lagged with regularised friction (equation 26). Three seconds
are simulated at time steps from 10 ms down to 16 us, and at stiffnesses from 1e5 to 1e13 N/m. The
heap is chaotic, so means are taken over several runs whose starts differ by less than a micrometre.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _clutter_scene as clutter  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.series import CONTACT, SIGMA  # noqa: E402
from support.study import Run, main  # noqa: E402

SERIES = ("sap", "similar", "lagged", "regularized")
STEPS = (1e-2, 2e-3, 4e-4, 8e-5, 1.6e-5)  # [s]  of Fig. 17
STEEL = 1e7  # [N/m]
STIFFNESSES = tuple(10.0**i for i in range(5, 14))  # [N/m]  of Figs. 18 and 19
STIFFNESS_STEP = 5e-3  # [s]  of those
DETAIL_STEP = 2e-3  # [s]  of Figs. 15 and 16
COLD_STEPS = (
    2e-3,
    8e-5,
)  # [s]  at which steps start from the free motion, too, not from the last change of velocity
SEEDS = (None, 1, 2, 3)  # starts at DETAIL_STEP; elsewhere the first two, below 0.4 ms one
DURATION, TRANSIENT, SETTLED, LAST = (
    3.0,
    1.0,
    2.0,
    1.75,
)  # [s]  end; end of the impacts; from when on it is calm; from when on depths count
CALM = 2.5  # [s]  from when on boxes move in few runs
STEADY = 1e-3  # [m/s]  change of a speed in a step without impacts
# Newton's method as the paper has it: exact Hessian and line search, from the last velocity
PUBLISHED = (
    "--plain-hessian",
    "--line-search-tolerance",
    "0",
    "--no-warm-start",
)
PUBLISHED_STEPS = (1e-2, 2e-3, 4e-4)  # [s]
STILL = 3e-5  # [m/s]  speed below which a body rests: its way in a step bends by less than 1e-12 m
TOLERANCE = 1e-5


def options(series, dt):
    """As the authors ran it: no near-rigid limit, a speculative distance of 2.5 mm, to
    convergence."""
    words = (*newton_options(series), "--condition-number")
    return words if dt >= DETAIL_STEP else (*words, "--log-period", DETAIL_STEP)


def newton_options(series):
    """The same without the condition number."""
    return (
        "--stiction-speed",
        "1e-4",
        "--friction-regularization",
        SIGMA[series],
        "--near-rigid-ratio",
        "0",
        "--tolerance",
        TOLERANCE,
        "--speculative-distance",
        "2.5e-3",
        "--iteration-limit",
        "500",
        "--no-curved-paths",
        "--plain-flight",
    )


def name_of(series, dt, stiffness, seed):
    return f"{series}-{dt:g}-{stiffness:g}-{seed or 0}"


def published_name(series, dt, stiffness):
    return f"published-{series}-{dt:g}-{stiffness:g}"


def published_runs(scenes):
    """Newton's method as published, of Figs. 15, 17 and 19: one run each."""
    cases = [(series, dt, STEEL) for dt in PUBLISHED_STEPS for series in SERIES]
    cases += [(series, STIFFNESS_STEP, k) for k in STIFFNESSES for series in SERIES]
    return [
        Run(
            published_name(series, dt, k),
            scenes[k, None],
            CONTACT[series],
            dt,
            DURATION,
            (*newton_options(series), *PUBLISHED),
        )
        for series, dt, k in cases
    ]


def seeds(dt):
    return SEEDS if dt == DETAIL_STEP else SEEDS[:2] if dt >= 4e-4 else SEEDS[:1]


def plan(study):
    """(series, dt, stiffness, seed) of all runs."""
    if not study.full:
        return [(series, 1e-2, stiffness, None) for series in SERIES for stiffness in (STEEL, 1e12)]
    sweep = [
        (series, dt, STEEL, seed)
        for dt in STEPS
        for series in SERIES
        for seed in seeds(dt)
    ]
    return sweep + [
        (series, STIFFNESS_STEP, k, seed)
        for k in STIFFNESSES
        for series in SERIES
        for seed in SEEDS[:2]
    ]


def runs(study, cases):
    """The runs; one scene for each stiffness and seed."""
    scenes = {}
    for _, _, k, seed in cases:
        if (k, seed) not in scenes:
            scenes[k, seed] = study.write_scene(
                f"clutter-{k:g}-{seed or 0}.xml", clutter.scene(k, seed)
            )
    duration = DURATION if study.full else 1.0
    cold = [
        Run(
            f"cold-{series}-{dt:g}",
            scenes[STEEL, None],
            CONTACT[series],
            dt,
            DURATION,
            (*options(series, dt), "--no-warm-start"),
        )
        for series in SERIES
        for dt in COLD_STEPS
        if study.full
    ]
    published = published_runs(scenes) if study.full else []
    own = [
        Run(
            name_of(*case),
            scenes[case[2:]],
            CONTACT[case[0]],
            case[1],
            duration,
            options(*case[:2]),
        )
        for case in cases
    ]
    return cold + published + own


class Heap(Recording):
    """A log with what the clutter asks of it."""

    def mean(self, name, start, end=DURATION):
        """Mean of a quantity of `info` over the steps that end within start to end."""
        chosen = (self.time > start) & (self.time <= end + 1e-9)
        return float(np.mean(self.read(f"info/{name}")[chosen]))

    def speeds(self):
        """(T, objects)  [m/s]  the larger one of the centre's speed and that of the surface about
        it"""
        parts = np.linalg.norm(self.v.reshape(len(self.time), -1, 2, 3), axis=3)
        return np.maximum(parts[..., 0], clutter.RADIUS * parts[..., 1])

    def contact_bodies(self):
        """(C, 2)  index of the object of each contact's geoms, -1 for the sink"""
        place = {name: i for i, name in enumerate(self.names("body")[1:])}
        body = np.array([place.get(name.split("/")[0], -1) for name in self.names("geom")])
        return body[self.read("contact/geom")]

    def resting_depth(self):
        """[m]  mean depth of the contacts of resting bodies that carry force, over the last part of
        the run"""
        speed = np.c_[self.speeds(), np.zeros(len(self.time))]  # the last one: the sink
        rests = (speed[self.contact_record[:, None], self.contact_bodies()] < STILL).all(axis=1)
        loaded = np.linalg.norm(self.read("contact/force"), axis=1) > 0.0
        depth = -self.read("contact/distance")
        chosen = rests & loaded & (depth > 0.0) & (self.time[self.contact_record] > LAST)
        return float(depth[chosen].mean())

    def slip_speed(self):
        """(T)  [m/s]  mean of the effective stiction speed over contacts with a force; NaN without
        any"""
        loaded = (np.linalg.norm(self.read("contact/force"), axis=1) > 0.0).astype(float)
        count = np.bincount(self.contact_record, loaded, len(self.time))
        total = np.bincount(
            self.contact_record, loaded * self.read("contact/slip_speed"), len(self.time)
        )
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def energy(self):
        """(T)  [J]"""
        return sum(self.read(f"info/{kind}_energy") for kind in ("kinetic", "potential", "contact"))

    def largest_rise(self, slow=True):
        """[J]  of the energy in a step after SETTLED: in all, or in those in which boxes are slow.
        What moves with v bends a contact's depth by (v dt)^2/2R, from which 0.15 m/s under a load
        of 5 N make 5e-6 J, of either sign."""
        box = np.array([name.startswith("box") for name in self.names("body")[1:]])
        settled = self.time > SETTLED
        if slow:
            settled &= self.speeds()[:, box].max(axis=1) < 0.05
        return float(np.diff(self.energy())[settled[1:]].max())

    def creep_work(self, start):
        """Energy that steps after `start` lose, over the work of the contact forces in them: median
        over the steps in which no body changes its speed by more than STEADY; where bodies still
        collide, energy is not lost at the velocities of the end of a step alone."""
        power = np.sum(self.read("contact/force") * self.read("contact/velocity"), axis=1)
        work = np.bincount(self.contact_record, power, len(self.time)) * self.setting("time_step")
        change = np.abs(np.diff(self.speeds(), axis=0)).max(axis=1)
        calm = 1 + np.nonzero((self.time[1:] > start) & (change < STEADY))[0]
        return float(np.median(np.diff(self.energy())[calm - 1] / work[calm]))

    def contact_speed(self, start):
        """[m/s]  speed of one body on the other that one in twenty of the loaded contacts after
        `start` exceeds"""
        loaded = np.linalg.norm(self.read("contact/force"), axis=1) > 0.0
        late = loaded & (self.time[self.contact_record] > start)
        return float(np.quantile(np.linalg.norm(self.read("contact/velocity")[late], axis=1), 0.95))


def check_solved(study, results, cases):
    """Every step up to 1e12 N/m is solved to the tolerance, and all but one in a thousand at 1e13,
    but for a few that end at the limit of doubles; objects stay inside."""
    for series in SERIES:
        mine = [(case, results[name_of(*case)]) for case in cases if case[0] == series]
        low = [result for case, result in mine if case[2] <= 1e12]
        stiff = [result for case, result in mine if case[2] > 1e12]
        for text, high, chosen, ends in (
            ("up to 1e12 N/m that are not solved", 0.0, low, ["solved"]),
            ("at 1e13 N/m that are not solved", 1e-2, stiff, ["solved"]),
            (
                "at 1e13 N/m that are neither solved nor at the limit of doubles",
                1e-3,
                stiff,
                ["solved", "precision limit"],
            ),
        ):
            steps = sum(result.summary["steps"] for result in chosen)
            ended = sum(
                result.summary["warnings"]["outcomes"][end] for result in chosen for end in ends
            )
            if chosen:
                study.within(
                    f"{series}: share of the {steps} steps {text}", 1.0 - ended / steps, high=high
                )
        worst = max(result.summary["residual"]["value"] for case, result in mine if case[2] <= 1e12)
        study.within(f"{series}: worst residual up to 1e12 N/m", worst, high=TOLERANCE)
        places = np.concatenate(
            [np.reshape(result.summary["q"], (-1, 7))[:, :3] for _, result in mine]
        )
        farthest = float(np.abs(places[:, :2]).max())
        study.within(
            f"{series}: farthest object from the middle of the sink",
            farthest,
            high=0.5 * clutter.SINK,
            unit="m",
        )
        study.within(
            f"{series}: highest object at the end",
            float(places[:, 2].max()),
            high=clutter.SINK if study.full else 1.5,
            unit="m",
        )


def seeded(logs, series, dt, stiffness, measure):
    """Mean over the seeds of a measure of logs."""
    values = [
        measure(logs[name_of(series, dt, stiffness, seed)])
        for seed in SEEDS
        if name_of(series, dt, stiffness, seed) in logs
    ]
    return float(np.mean(values))


def check_transient(study, logs):
    """Trends (i), (ii) and (iv) at 2 ms."""
    rows, condition = [], {}
    for series in SERIES:

        def over(quantity, start, end, series=series):
            return seeded(
                logs, series, DETAIL_STEP, STEEL, lambda log: log.mean(quantity, start, end)
            )

        early, late = over("iterations", 0.2, TRANSIENT), over("iterations", SETTLED, DURATION)
        condition[series] = (
            over("condition_number", 0.2, TRANSIENT),
            over("condition_number", SETTLED, DURATION),
        )
        rows.append([series, early, late, *condition[series]])
        study.within(
            f"(i) {series}: iterations in the transient over those at rest", early / late, low=1.5
        )
    study.table(
        "transient",
        [
            "dt = 2 ms",
            "iterations, 0.2 to 1 s",
            "2 to 3 s",
            "condition number, 0.2 to 1 s",
            "2 to 3 s",
        ],
        rows,
    )
    for series in ("similar", "lagged"):
        study.within(
            f"(ii) {series}: condition number in the transient over that of sap",
            condition[series][0] / condition["sap"][0],
            low=1.2,
        )
        study.within(
            f"(ii) {series}: condition number at rest over that of sap",
            condition[series][1] / condition["sap"][1],
            high=0.5,
        )
    check_order(study, "", {row[0]: row[1:3] for row in rows})
    relief = condition["regularized"][0] / condition["lagged"][0]
    study.within(
        "(ii) regularized: condition number in the transient over that of lagged", relief, high=0.2
    )
    for series in ("lagged", "similar"):
        speed = logs[name_of(series, DETAIL_STEP, STEEL, None)].slip_speed()
        study.near(
            f"(iv) {series}: effective stiction speed, largest",
            float(np.nanmax(speed)),
            1e-4,
            "m/s",
            relative=1e-9,
        )
    for series, bound in (("sap", 3e-4), ("regularized", 3e-4)):
        log = logs[name_of(series, DETAIL_STEP, STEEL, None)]
        speed = log.slip_speed()
        study.within(
            f"(iv) {series}: effective stiction speed, largest",
            float(np.nanmax(speed)),
            low=bound,
            unit="m/s",
        )
        rest = float(np.nanmean(speed[log.time > SETTLED]))
        if series == "sap":
            study.within("(iv) sap: effective stiction speed at rest", rest, high=5e-5, unit="m/s")
        else:
            study.near(
                "(iv) regularized: effective stiction speed at rest",
                rest,
                1e-4,
                "m/s",
                relative=0.05,
            )


def check_order(study, words, iterations):
    """Trend (ii) by the sheet; iterations {series: (in the transient, at rest)}. Limpet's own
    method is known to take fewer for Lagged, and Similar is known to take more at rest."""
    for series in ("similar", "lagged"):
        ratio = np.divide(iterations[series], iterations["sap"])
        study.sheet(
            f"(ii) {series}{words}: iterations in the transient over those of sap, by the sheet",
            float(ratio[0]),
            low=1.0,
            accepted=(0.5 if series == "lagged" and not words else 1.0, np.inf),
        )
        study.sheet(
            f"(ii) {series}{words}: iterations at rest over those of sap, by the sheet",
            float(ratio[1]),
            high=1.0,
            accepted=(0.0, 3.0 if series == "similar" else 1.0),
        )
    study.sheet(
        f"(ii) regularized{words}: iterations in the transient over those of lagged, by the sheet",
        iterations["regularized"][0] / iterations["lagged"][0],
        high=1.0,
    )


def check_published(study, logs):
    """Figs. 15, 17 and 19 with Newton's method as published. Returns {series: (iterations at
    PUBLISHED_STEPS, iterations at STIFFNESSES)}."""

    def mean(series, dt, k, start=0.0, end=DURATION):
        return logs[published_name(series, dt, k)].mean("iterations", start, end)

    means, order, words = {}, {}, ", as published"
    for series in SERIES:
        order[series] = (
            mean(series, DETAIL_STEP, STEEL, 0.2, TRANSIENT),
            mean(series, DETAIL_STEP, STEEL, SETTLED),
        )
        means[series] = (
            [mean(series, dt, STEEL) for dt in PUBLISHED_STEPS],
            [mean(series, STIFFNESS_STEP, k) for k in STIFFNESSES],
        )
    check_order(study, words, order)
    for series in SERIES:
        check_growth(study, series + words, means[series][1])
    check_constant(study, "sap" + words, means["sap"][0])
    head = [*(f"{dt:g} s" for dt in PUBLISHED_STEPS), "2 ms: 0.2 to 1 s", "2 ms: 2 to 3 s"]
    study.table(
        "published-steps",
        ["iterations as published, dt", *head],
        [[series, *means[series][0], *order[series]] for series in SERIES],
    )
    study.table(
        "published-stiffness",
        ["iterations as published, k [N/m]", *(f"1e{round(np.log10(k))}" for k in STIFFNESSES)],
        [[series, *means[series][1]] for series in SERIES],
    )
    return means


def check_growth(study, text, iterations):
    """Trend (vi) by the sheet; iterations at STIFFNESSES. Similar is known to grow by more."""
    study.sheet(
        f"(vi) {text}: growth of iterations from 1e5 to 1e7 N/m",
        float(iterations[2] / iterations[0] - 1.0),
        high=0.2,
        accepted=(-1.0, 0.9 if text.startswith("similar") else 0.3),
    )


def check_constant(study, text, iterations):
    """Trend (iii) of SAP: iterations hardly depend on the time step. The sheet has no number; 2 is
    ours. They are known to fall, as steps start the nearer to their solutions the smaller they
    are."""
    study.sheet(
        f"(iii) {text}: largest over smallest mean of iterations",
        max(iterations) / min(iterations),
        high=2.0,
        accepted=(1.0, 20.0),
    )


def check_rest(study, logs):
    """Energy, and what still moves at the end: spheres that roll, and boxes that rest on them."""
    rows = []
    for series in SERIES:
        every = [logs[name_of(series, DETAIL_STEP, STEEL, seed)] for seed in SEEDS]
        study.sheet(
            f"{series}: largest rise of energy in a step after {SETTLED:g} s, by the sheet",
            max(log.largest_rise(slow=False) for log in every),
            high=1e-6,
            unit="J",
            accepted=(-np.inf, 1e-4),
        )
        study.within(
            f"{series}: the same while boxes are slower than 50 mm/s (departure from the sheet)",
            max(log.largest_rise() for log in every),
            high=1e-6,
            unit="J",
        )
        share = float(np.median([log.creep_work(CALM) for log in every]))
        study.near(
            f"{series}: energy lost in a step after {CALM:g} s over the work of the contact forces",
            share,
            1.0,
            absolute=0.06,
        )
        for dt in (DETAIL_STEP, 4e-4):
            still = [logs[name_of(series, dt, STEEL, seed)] for seed in seeds(dt)]
            speed = np.array([log.speeds()[-1] for log in still])
            box = np.array([name.startswith("box") for name in still[0].names("body")[1:]])
            study.sheet(
                f"{series}: fastest object at {DURATION:g} s, dt {dt:g} s, by the sheet",
                float(speed.max()),
                high=1e-3,
                unit="m/s",
                accepted=(0.0, 1.0),
            )
            median = float(np.median(speed[:, box]))
            study.within(
                f"{series}: median speed of the boxes at {DURATION:g} s, dt {dt:g} s "
                "(departure from the sheet)",
                median,
                high=1e-3,
                unit="m/s",
            )
            creep = float(np.median([log.contact_speed(DURATION - 0.2) for log in still]))
            study.within(
                f"{series}: speed at contacts at the end (19 of 20 are slower), dt {dt:g} s "
                "(departure from the sheet)",
                creep,
                high=1e-3,
                unit="m/s",
            )
            moving = [float((speed[:, kind] > 1e-3).sum(axis=1).mean()) for kind in (~box, box)]
            rows.append([series, dt, *moving, float(speed.max()), 1e3 * creep])
    study.table(
        "rest",
        [
            "at 3 s",
            "dt [s]",
            "faster than 1 mm/s: of 24 spheres",
            "of 16 boxes",
            "fastest [m/s]",
            "speed at 95 % of the contacts below [mm/s]",
        ],
        rows,
    )


def check_steps(study, logs):
    """Trend (iii), Fig. 17. Returns {series: (iterations, condition numbers)} at STEPS."""
    means = {}
    for series in SERIES:
        measures = (
            lambda log: log.mean("iterations", 0.0),
            lambda log: log.mean("condition_number", 0.0),
        )
        means[series] = [
            np.array([seeded(logs, series, dt, STEEL, measure) for dt in STEPS])
            for measure in measures
        ]
        iterations, condition = means[series]
        if series == "sap":
            study.within(
                "(iii) sap: largest over smallest mean condition number",
                float(condition.max() / condition.min()),
                high=3.0,
            )
            check_constant(study, "sap", iterations)
        else:
            study.within(
                f"(iii) {series}: condition number at 10 ms over that at 16 us",
                float(condition[0] / condition[-1]),
                low=30.0,
            )
            study.holds(
                f"(iii) {series}: condition number falls with every step",
                bool((np.diff(condition) < 0).all()),
            )
            study.holds(
                f"(iii) {series}: iterations fall with every step",
                bool((np.diff(iterations) < 0).all()),
            )
    for series in SERIES:
        fall = [logs[f"cold-{series}-{dt:g}"].mean("iterations", 0.0) for dt in COLD_STEPS]
        bounds = {"high": 2.0} if series == "sap" else {"low": 1.3}
        study.within(
            f"(iii) {series}, without warm start: iterations at 2 ms over those at 80 us",
            fall[0] / fall[1],
            **bounds,
        )
        means[series].append(fall)
    study.table(
        "steps-cold",
        ["iterations without warm start at dt", *(f"{dt:g} s" for dt in COLD_STEPS)],
        [[series, *means[series].pop()] for series in SERIES],
    )
    for number, name in ((0, "steps-iterations"), (1, "steps-condition")):
        study.table(
            name,
            [("iterations", "condition number")[number] + " at dt", *(f"{dt:g} s" for dt in STEPS)],
            [[series, *means[series][number]] for series in SERIES],
        )
    return means


def check_stiffness(study, logs):
    """Trends (v) and (vi), Figs. 18 and 19. Returns {series: (depths [m], iterations, condition
    numbers)} at STIFFNESSES."""
    means = {}
    measures = (
        lambda log: log.resting_depth(),
        lambda log: log.mean("iterations", 0.0),
        lambda log: log.mean("condition_number", 0.0),
    )
    for series in SERIES:
        means[series] = [
            np.array([seeded(logs, series, STIFFNESS_STEP, k, measure) for k in STIFFNESSES])
            for measure in measures
        ]
        depth, iterations, _ = means[series]
        within = np.array(STIFFNESSES) <= 1e12
        slope = np.polyfit(np.log(np.array(STIFFNESSES)[within]), np.log(depth[within]), 1)[0]
        study.near(
            f"(v) {series}: slope of the depth over the stiffness, 1e5 to 1e12 N/m, contacts of "
            "resting bodies (departure from the sheet)",
            float(slope),
            -1.0,
            absolute=0.05,
        )
        check_growth(study, series, iterations)
    heads = {"depth": "depth [m]", "iterations": "iterations", "condition": "condition number"}
    for number, (name, head) in enumerate(heads.items()):
        words = [f"{head} at k [N/m]", *(f"1e{round(np.log10(k))}" for k in STIFFNESSES)]
        study.table(
            f"stiffness-{name}", words, [[series, *means[series][number]] for series in SERIES]
        )
    return means


def draw_published(axis, x, curves):
    """Dashed: Newton's method as published; curves {series: values at x}."""
    from support import figures

    for series in SERIES:
        axis.plot(x, curves[series], ls="--", lw=0.8, color=figures.COLOURS[series])
    axis.plot([], [], ls="--", lw=0.8, color="black", label="as published")


def draw_transient(study, logs):
    """Figs. 15 and 16."""
    from support import figures

    figure, axes = figures.grid(1, 2, height=2.6)
    width = 25  # steps of a running mean
    for series in SERIES:
        log = logs[name_of(series, DETAIL_STEP, STEEL, None)]
        for axis, name in zip(axes, ("iterations", "condition_number"), strict=True):
            values = np.convolve(log.read(f"info/{name}"), np.ones(width) / width, "valid")
            axis.plot(
                log.time[width // 2 :][: len(values)], values, lw=0.9, **figures.style(series)
            )
    log = {series: logs[published_name(series, DETAIL_STEP, STEEL)] for series in SERIES}
    smooth = {
        series: np.convolve(log[series].read("info/iterations"), np.ones(width) / width, "valid")
        for series in SERIES
    }
    time = log["sap"].time[width // 2 :][: len(smooth["sap"])]
    draw_published(axes[0], time, smooth)
    axes[0].legend(fontsize=7)
    axes[0].set(xlabel="t [s]", ylabel="iterations of a step")
    axes[1].set(xlabel="t [s]", ylabel="condition number", yscale="log", ylim=(1e5, None))
    axes[1].legend(fontsize=7)
    study.figure("clutter-transient", figure)

    figure, axis = figures.grid(width=5.0, height=2.6)
    for series in ("regularized", "sap"):
        log = logs[name_of(series, DETAIL_STEP, STEEL, None)]
        axis.semilogy(log.time, log.slip_speed(), lw=0.8, **figures.style(series))
    axis.axhline(1e-4, color="black", ls="--", lw=0.9, label="Lagged, Similar: $v_s$")
    axis.set(xlabel="t [s]", ylabel="effective stiction speed [m/s]")
    axis.legend(fontsize=7)
    study.figure("clutter-stiction", figure)


def draw_means(study, steps, stiffness, published):
    """Figs. 17 to 19."""
    from support import figures

    def curves(axes, x, values):
        for series in SERIES:
            for axis, curve in zip(axes, values[series], strict=True):
                axis.plot(x, curve, marker=figures.MARKERS[series], **figures.style(series))

    figure, axes = figures.grid(1, 2, height=2.6)
    curves(axes, STEPS, steps)
    draw_published(axes[0], PUBLISHED_STEPS, {series: published[series][0] for series in SERIES})
    axes[0].set(
        xscale="log", xlabel="time step [s]", ylabel="mean iterations of a step", ylim=(0, None)
    )
    axes[1].set(xscale="log", yscale="log", xlabel="time step [s]", ylabel="mean condition number")
    axes[0].legend(fontsize=7)
    study.figure("clutter-steps", figure)

    figure, axis = figures.grid(width=4.5, height=2.8)
    curves([axis], STIFFNESSES, {series: stiffness[series][:1] for series in SERIES})
    figures.slope_line(axis, STIFFNESSES, stiffness["lagged"][0][0], -1.0)
    axis.set(xlabel="stiffness [N/m]", ylabel="mean depth at rest [m]")
    axis.legend(fontsize=7)
    study.figure("clutter-depth", figure)

    figure, axes = figures.grid(1, 2, height=2.6)
    curves(axes, STIFFNESSES, {series: stiffness[series][1:] for series in SERIES})
    draw_published(axes[0], STIFFNESSES, {series: published[series][1] for series in SERIES})
    axes[0].set(
        xscale="log", xlabel="stiffness [N/m]", ylabel="mean iterations of a step", ylim=(0, None)
    )
    axes[1].set(
        xscale="log", yscale="log", xlabel="stiffness [N/m]", ylabel="mean condition number"
    )
    axes[0].legend(fontsize=7)
    study.figure("clutter-stiffness", figure)


def study(study):
    cases = plan(study)
    results = study.simulate(runs(study, cases))
    check_solved(study, results, cases)
    logs = {name: Heap(result.log) for name, result in results.items()}
    if not study.full:
        for series in SERIES:
            log = logs[name_of(series, 1e-2, STEEL, None)]
            study.within(
                f"{series}: energy lost in the first second",
                float(log.energy()[1] - log.energy()[-1]),
                low=150.0,
                unit="J",
            )
        return
    check_transient(study, logs)
    check_rest(study, logs)
    steps = check_steps(study, logs)
    stiffness = check_stiffness(study, logs)
    published = check_published(study, logs)
    draw_transient(study, logs)
    draw_means(study, steps, stiffness, published)


if __name__ == "__main__":
    sys.exit(main(study, __file__))
