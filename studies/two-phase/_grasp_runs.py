"""The runs of the study of the grasp: their names, scenes and options."""

import _methods as methods
from _grasp_scene import ACCELERATION, SCENE, START, Variant

STEP, DURATION, LONG = 1e-3, 25.0, 100.0  # [s]  as in the paper
EXPLICIT = "--explicit-euler"  # the integrator of the paper
LONG_METHODS = ("two-phase", "two-phase-literal", "lagged")
FINER, FINER_METHODS = 5e-4, ("two-phase", "sap")  # [s]
SOFTENINGS = (1e-4, 1e-3, 1e-2, 1e-1)  # of lcp; its default is 1e-6
MASSES = (0.1, 0.5, 1.0, 2.0, 5.0)  # [kg]  of a jaw
# of the bound of two-phase-literal; its default is 1e-13
SLACKS = (1e-13, 1e-11, 1e-9, 1e-6)
REDUCTIONS = (0.0, 0.2, 0.4, 0.8)  # of overlaps in a step; the default is 0.2
REDUCTION = 0.8  # the one whose touches are counted, and those of lcp
COARSE = ("--log-period", "10ms")
# options that say what holds without them
DEFAULTS = (("--bound-slack", "1e-13"), ("--error-reduction", "0.2"))
TOUCH = ("--speculative-distance", "0")  # contacts take part from touch on
STIFFNESSES = (1e3, 3e3, 1e4, 2e4, 3e4, 5e4, 1e5, 1e6)  # [N/m]  of penalty
GAIN_MASSES, GAIN_TIME = (0.1, 0.5, 2.0), 0.5  # [kg], [s]
SETTLED = 60.0  # [s]
BELOW, ABOVE = "centres of mass 20 mm below", "centres of mass 20 mm above"


def jaws(mass):
    """How jaws of this mass are called."""
    return f"jaws of {mass:g} kg, {ACCELERATION * mass:g} N"


# name -> (variant, further options)
VARIANTS = {
    "as the scene": (Variant(), ()),
    **{jaws(mass): (Variant(jaw_mass=mass), ()) for mass in MASSES[1:]},
    "μ = 0.3": (Variant(friction=0.3), ()),
    "μ = 1": (Variant(friction=1.0), ()),
    "coupled jaws": (Variant(coupled=True), ()),
    BELOW: (Variant(height=0.02), ()),
    ABOVE: (Variant(height=-0.02), ()),
    "ball with facets": (Variant(facets=True), ()),
    "0.1 mm overlap at the start": (Variant(overlap=1e-4), ()),
    "contact from touch on": (Variant(), TOUCH),
    "contact from touch on, overlaps stay": (Variant(), (*TOUCH, "--error-reduction", "0.0")),
}
# with error reduction, from touch on: name -> (method, options)
REDUCED = {
    "lcp": ("lcp", (EXPLICIT, *TOUCH)),
    "lcp, semi-implicit": ("lcp", TOUCH),
    "two-phase": ("two-phase", (EXPLICIT, *TOUCH)),
    "pgs": ("pgs", (EXPLICIT, *TOUCH)),
    "lcp, contact before touch": ("lcp", (EXPLICIT,)),
}
# jaws of 2 kg, from touch on: name -> (method, stiffness, options)
LOSSES = {
    "penalty, stiff springs": ("penalty", 5e4, ()),
    "lcp, error reduction 0.8": ("lcp", float("inf"), ("--error-reduction", "0.8")),
    "sequential-impulse": ("sequential-impulse", float("inf"), ()),
    "two-phase, error reduction 0.8": ("two-phase", float("inf"), ("--error-reduction", "0.8")),
    "two-phase, overlaps stay": ("two-phase", float("inf"), ("--error-reduction", "0")),
    "two-phase-literal": ("two-phase-literal", float("inf"), ()),
    "pgs, error reduction 0.8": ("pgs", float("inf"), ("--error-reduction", "0.8")),
}
FRICTIONS = (0.1, 0.3, 1.0)  # with which `lcp` loses the ball all the same
LOST_FIRST = tuple(LOSSES)[:4]
LITERAL_VARIANTS = ("as the scene", "coupled jaws", BELOW, ABOVE, "ball with facets")


def _choices(study):
    """Every method with every variant."""
    made = []
    for place, (name, (variant, options)) in enumerate(VARIANTS.items()):
        scene = variant.scene(study, f"variant-{place}")
        made += [
            methods.run(
                f"{method}, {name}",
                method,
                scene,
                STEP,
                DURATION,
                *START,
                EXPLICIT,
                *options,
                *COARSE,
            )
            for method in methods.IMPULSE
        ]
        if name in LITERAL_VARIANTS:
            made += [
                methods.run(
                    f"{name}, slack {slack:g}",
                    "two-phase-literal",
                    scene,
                    STEP,
                    DURATION,
                    *START,
                    EXPLICIT,
                    *COARSE,
                    "--bound-slack",
                    repr(slack),
                )
                for slack in SLACKS
            ]
        if name == BELOW:
            made.append(
                methods.run(
                    f"{name}, settled",
                    "two-phase-literal",
                    scene,
                    STEP,
                    SETTLED,
                    *START,
                    EXPLICIT,
                    *COARSE,
                )
            )
    made.append(
        methods.run(
            f"sequential-impulse, {jaws(MASSES[0])}",
            "sequential-impulse",
            SCENE,
            STEP,
            1.0,
            *START,
            EXPLICIT,
            *COARSE,
        )
    )
    for mass in GAIN_MASSES:
        for stiffness in STIFFNESSES:
            scene = Variant(jaw_mass=mass, stiffness=stiffness).scene(
                study, f"gain-{mass:g}-{stiffness:g}"
            )
            made.append(
                methods.run(
                    f"penalty {stiffness:g}, {jaws(mass)}",
                    "penalty",
                    scene,
                    STEP,
                    GAIN_TIME,
                    *START,
                    EXPLICIT,
                )
            )
    return made


def _losses(study):
    """Error reduction, and how the ball is lost between heavy jaws."""
    made = [
        methods.run(
            f"{name}, reduction {value:g}",
            method,
            SCENE,
            STEP,
            DURATION,
            *START,
            *options,
            "--error-reduction",
            repr(value),
            # of the others only the drift at the end is told
            *(() if method == "lcp" or value == REDUCTION else COARSE),
        )
        for name, (method, options) in REDUCED.items()
        for value in REDUCTIONS
    ]
    for friction in FRICTIONS:
        scene = Variant(friction=friction).scene(study, f"friction-{friction:g}")
        made.append(
            methods.run(
                f"loss: lcp, friction {friction:g}",
                "lcp",
                scene,
                STEP,
                5.0,
                *START,
                EXPLICIT,
                *TOUCH,
                "--error-reduction",
                "0.8",
            )
        )
    for place, (name, (method, stiffness, options)) in enumerate(LOSSES.items()):
        scene = Variant(jaw_mass=2.0, stiffness=stiffness).scene(study, f"loss-{place}")
        time = (
            LONG
            if method.startswith("two-phase")
            else GAIN_TIME
            if method == "penalty"
            else DURATION
        )
        made.append(
            methods.run(
                f"loss: {name}",
                method,
                scene,
                STEP,
                time,
                *START,
                EXPLICIT,
                *TOUCH,
                *options,
                "--log-period",
                "2ms",
            )
        )
    return made


def same(run):
    """What two runs have in common that differ in their records alone."""
    given = list(map(str, run.options))
    for words in (COARSE, *DEFAULTS):
        for at in range(len(given) - 1):
            if tuple(given[at : at + 2]) == words:
                given[at : at + 2] = ()
                break
    return run.scene, run.contact, run.dt, run.time, tuple(given)


def once(runs):
    """The runs without repetitions, of which those with the most records stay, and the name of the
    one that stands for each: {name: name}."""
    kept = {}
    for run in runs:
        first = kept.setdefault(same(run), run)
        if COARSE[0] in first.options and COARSE[0] not in run.options:
            kept[same(run)] = run
    return list(kept.values()), {run.name: kept[same(run)].name for run in runs}


def plan(study):
    """All runs of the study."""
    names = (
        methods.METHODS
        if study.full
        else ("two-phase", "two-phase-literal", "lcp", "sequential-impulse", "penalty", "lagged")
    )
    options = {name: (*START, EXPLICIT) if name in methods.IMPULSE else START for name in names}
    made = [
        methods.run(name, name, SCENE, STEP, DURATION if study.full else 1.0, *options[name])
        for name in names
    ]
    if not study.full:
        return made
    made += [
        methods.run(f"{name}-implicit", name, SCENE, STEP, DURATION, *START)
        for name in methods.IMPULSE
    ]
    made += [
        methods.run(
            f"{name}-finer", name, SCENE, FINER, DURATION, *options[name], "--log-period", "1ms"
        )
        for name in FINER_METHODS
    ]
    made += [
        methods.run(f"{name}-long", name, SCENE, STEP, LONG, *options[name], "--log-period", "20ms")
        for name in LONG_METHODS
    ]
    made += [
        methods.run(
            f"lcp-{value:g}",
            "lcp",
            SCENE,
            STEP,
            DURATION,
            *options["lcp"],
            "--softening",
            repr(value),
        )
        for value in SOFTENINGS
    ]
    made += [
        methods.run(f"{name}-straight", name, SCENE, STEP, DURATION, *START, "--no-curved-paths")
        for name in ("similar", "anitescu")
    ]
    return made + _choices(study) + _losses(study)
