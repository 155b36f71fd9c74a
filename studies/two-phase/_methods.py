"""The methods that stand side by side in these studies: scheme, contact model, options, look; and
`limpet compare` for their cost."""

import json
import subprocess

from support.command import StudyError, command
from support.study import Run

IMPULSE = ("two-phase", "two-phase-literal", "lcp", "pgs", "sequential-impulse", "penalty")
DISCRETE = ("lagged", "similar", "sap", "anitescu")
METHODS = (*IMPULSE, *DISCRETE)
COLOURS = {
    "two-phase": "#222222",
    "two-phase-literal": "#999999",
    "lcp": "#e39b2d",
    "pgs": "#8c564b",
    "sequential-impulse": "#9467bd",
    "penalty": "#17a2b8",
    "coulomb": "#0b2545",
    "lagged": "#1f5fa8",
    "similar": "#2e8b57",
    "sap": "#d1495b",
    "anitescu": "#b5bd00",
}


def scheme(method):
    """The stepping scheme of a method."""
    return "impulse" if method in IMPULSE else "discrete"


def run(name, method, scene, dt, time, *options):
    """A simulation with this method; arguments as those of Run."""
    return Run(name, scene, method, dt, time, ("--scheme", scheme(method), *options))


def compared(methods, scene, dt, time, *options):
    """What `limpet compare --json` says of each method, {method: its keys}; they take turns on one
    processor. One that stops is in it, too."""
    names = ",".join(f"{scheme(method)}/{method}" for method in methods)
    line = [
        str(command()),
        "compare",
        str(scene),
        "--contact",
        names,
        "--dt",
        repr(dt),
        "--time",
        repr(time),
        *options,
        "--quiet",
        "--json",
    ]
    done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        raise StudyError(
            f"{' '.join(line)}\n  ended with exit code {done.returncode}: {done.stderr.strip()}"
        )
    return dict(zip(methods, json.loads(done.stdout)["methods"], strict=True))
