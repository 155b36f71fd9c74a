#!/usr/bin/env python3
"""Steps every model of the shared data and lists what surprises.

    python3 tools/audit_models.py [--time 0.5] [--limit 20] [--command COMMAND] [FOLDER ...]

Each MJCF, URDF and SDFormat file is run by `limpet run FILE --json` from its own start for --time
seconds of simulation, in at most --limit seconds of processor. Listed are files whose run
  - ends by a signal, or with numbers that are not finite
  - has steps that were not solved, or failed
  - gains energy without work (`energy_risen`) above 1e-6 of its energy scale: the largest kinetic
    energy and how far the total changed
  - makes an overlap above 1 cm in a step
  - ends a step with momentum from nowhere (`momentum_gained`) above 1 mN s
with the worst first in each list, and what was put in to lead back what began apart, inside or
beyond limits (`returned_work`). Files that do not load are counted; they are most often parts or
tests of errors. The exit status is 1 where a run crashed or had no numbers.

Not part of `make test`: it takes some minutes of two processors. Compare the lists of two builds.
"""

import argparse
import concurrent.futures
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
SUFFIXES = (".xml", ".urdf", ".sdf")
RISE = 1e-6  # [-]  of the energy scale
OVERLAP = 0.01  # [m]
MOMENTUM = 1e-3  # [N s]
SOLVED = "solved"


def arguments():
    shared = Path(os.environ.get("LIMPET_SHARED", SOURCE.parent / "shared"))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--command", default=SOURCE / "build/release/limpet", type=Path)
    parser.add_argument("--time", default=0.5, type=float, help="of simulation [s]; 0.5")
    parser.add_argument("--limit", default=20, type=int, help="of processor for each file [s]; 20")
    parser.add_argument("--jobs", default=2, type=int, help="runs at once; 2")
    parser.add_argument("--json", type=Path, help="write what was found of each file")
    parser.add_argument("folder", nargs="*", default=[shared / "models", shared / "scenes-peers"])
    return parser.parse_args()


def files_in(folders):
    found = {f for folder in folders for s in SUFFIXES for f in Path(folder).rglob(f"*{s}")}
    return sorted(found)


def has_numbers(value):
    if isinstance(value, dict):
        return all(has_numbers(v) for v in value.values())
    if isinstance(value, list):
        return all(has_numbers(v) for v in value)
    return not isinstance(value, float) or math.isfinite(value)


def run(args, file):
    """What one run said: {"file", "end"} and, where it ended well, its numbers."""

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (args.limit, args.limit + 1))
        os.nice(5)

    with tempfile.TemporaryDirectory() as folder:
        # a log makes the command look at the energy in every step
        log = ["--log", f"{folder}/run.h5"]
        command = [args.command, "run", file, "--time", str(args.time), "--json", *log]
        one = subprocess.run(command, capture_output=True, text=True, preexec_fn=bound)
    if one.returncode in (-24, -9):
        return {"file": str(file), "end": "out of time"}
    if one.returncode < 0 or one.returncode > 1 and not one.stdout:
        return {"file": str(file), "end": "crash" if one.returncode < 0 else "not loaded"}
    try:
        summary = json.loads(one.stdout)
    except ValueError:
        return {"file": str(file), "end": "not loaded"}
    return {"file": str(file), "end": "run", **numbers_of(summary)}


def numbers_of(summary):
    outcomes = summary["warnings"]["outcomes"]
    truth, energy = summary["truth"], summary["energy"]
    change = abs(energy["end"]["total"] - energy["start"]["total"])
    kinetic = max(energy["start"]["kinetic"], energy["end"]["kinetic"])
    return {
        "steps": sum(outcomes.values()),
        "unsolved": {k: n for k, n in outcomes.items() if n and k != SOLVED},
        "finite": has_numbers(summary),
        "risen": truth["energy_risen"],
        "rise": truth["energy_rise"],
        "returned": truth["returned_work"],
        "scale": max(change, kinetic, truth["returned_work"]),
        "overlap": truth["overlap_made"],
        "momentum": truth["momentum_gained"],
        "restrained": truth["restrained_returns"]["value"],
    }


def table(title, rows, key, text):
    rows = sorted(rows, key=key, reverse=True)
    print(f"\n{title}: {len(rows)}")
    for row in rows:
        print(f"  {row['file']}: {text(row)}")


def unsolved_text(row):
    count = ", ".join(f"{n} {name}" for name, n in row["unsolved"].items())
    weak = f"; up to {row['restrained']:.0f} weak returns" if row["restrained"] else ""
    return f"{count} of {row['steps']} steps{weak}"


def rise_text(row):
    peak = row["rise"]
    return (
        f"{row['risen']:.3g} J of {row['scale']:.3g} J, {peak['value']:.3g} J in one step "
        f"(at {peak['time']:.6g} s); led back by {row['returned']:.3g} J"
    )


def main():
    args = arguments()
    files = files_in(args.folder)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda file: run(args, file), files):
            rows.append(row)
            print(f"\r{len(rows)} of {len(files)} files", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    ends = {end: [r for r in rows if r["end"] == end] for end in {r["end"] for r in rows}}
    print(", ".join(f"{len(rows)} {end}" for end, rows in sorted(ends.items())))
    good = ends.get("run", [])
    print(f"{sum(r['steps'] for r in good)} steps")
    for end in ("crash", "out of time"):
        table(end, ends.get(end, []), str, lambda r: end)
    lost = [r for r in good if not r["finite"]]
    table("not finite", lost, str, unsolved_text)
    table(
        "steps not solved",
        [r for r in good if r["unsolved"]],
        lambda r: sum(r["unsolved"].values()),
        unsolved_text,
    )
    table(
        f"energy risen above {RISE:g}",
        [r for r in good if r["risen"] > RISE * r["scale"]],
        lambda r: r["risen"] / max(r["scale"], 1e-300),
        rise_text,
    )
    table(
        f"overlap made above {OVERLAP:g} m",
        [r for r in good if r["overlap"]["value"] > OVERLAP],
        lambda r: r["overlap"]["value"],
        lambda r: f"{r['overlap']['value']:.3g} m at {r['overlap']['time']:.6g} s",
    )
    table(
        f"momentum gained above {MOMENTUM:g} N s",
        [r for r in good if r["momentum"]["value"] > MOMENTUM],
        lambda r: r["momentum"]["value"],
        lambda r: f"{r['momentum']['value']:.3g} N s at {r['momentum']['time']:.6g} s",
    )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 1 if lost or ends.get("crash") else 0


if __name__ == "__main__":
    sys.exit(main())
