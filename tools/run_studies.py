#!/usr/bin/env python3
"""Runs the studies: each simulates examples of a paper, checks their numbers and draws the figures.
`make studies` calls it.

usage: run_studies.py [--fetch] [--quick] [--no-docs] [--budget SECONDS] [--jobs N] [NAME ...]

A study is a file studies/PAPER/NAME.py. As many run at once as there are cores, those that take
longest first, each with one process; what a study prints comes when it has ended, and a table of
what each took comes last. What they need (NumPy, h5py, Matplotlib, pinned in
studies/requirements.txt) is fetched from the package index into a virtual environment under cache/;
`--fetch` does nothing else. With --budget a study of many rows ends after that time and goes on in
the next call. Tables and figures go to docs/studies. Exit status: 0 all checks passed, 1 one failed
or a study did not end, 77 no network.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("LIMPET_CACHE", ROOT / "cache"))
VENV = CACHE / "studies-venv"
PIN = ROOT / "studies/requirements.txt"
OUT = ROOT / "build/studies"
MISSING = 77
# the longest first, by any machine: the last to end is not one that runs alone on one core
LONG = (
    "irrotational-contact-fields-clutter",
    "two-phase-blocks",
    "two-phase-grasp",
    "irrotational-contact-fields-grasp",
    "deformable-finray",
    "pressure-fields-grasps",
    "two-phase-stacks",
    "two-phase-properties",
    "irrotational-contact-fields-gears",
    "irrotational-contact-fields-rod",
    "deformable-cost",
    "deformable-grasps",
    "gradients-loss",
    "deformable-flex",
    "quasi-dynamic-bunny",
    "irrotational-contact-fields-artifacts",
    "irrotational-contact-fields-conveyor",
)
ALONE = {"sweeps-panda"}  # times its threads by the clock
# of NumPy's linear algebra: threads that wait for small matrices take a processor each
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def interpreter():
    """Python of the virtual environment, made where it is not there yet or the pins have changed;
    None: no network."""
    python, mark = VENV / "bin/python3", VENV / "requirements.txt"
    if mark.exists() and mark.read_text() == PIN.read_text():
        return python
    print(f"fetching NumPy, h5py and Matplotlib into {VENV}", flush=True)
    pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "1",
        "--timeout",
        "20",
        "--only-binary=:all:",
        "--no-compile",  # what is imported compiles itself
    ]
    try:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(python), *pip, "-r", str(PIN)], check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    mark.write_text(PIN.read_text())
    return python


def studies(names):
    """Scripts of the studies: all, or those whose PAPER, NAME or PAPER/NAME is among `names`."""
    scripts = [
        path
        for path in sorted((ROOT / "studies").glob("*/*.py"))
        if path.parent.name != "support" and path.stem[0] != "_"
    ]
    if not names:
        return scripts
    called = {
        path: {path.parent.name, path.stem, f"{path.parent.name}/{path.stem}"} for path in scripts
    }
    unknown = [name for name in names if not any(name in words for words in called.values())]
    if unknown:
        sys.exit(
            f"run_studies: there is no study {unknown[0]}; there are "
            f"{', '.join(f'{p.parent.name}/{p.stem}' for p in scripts)}"
        )
    return [path for path in scripts if called[path] & set(names)]


def name_of(script):
    return f"{script.parent.name}-{script.stem}"


def by_length(scripts):
    """The scripts, those that take longest first."""
    place = {name: k for k, name in enumerate(LONG)}
    return sorted(scripts, key=lambda script: place.get(name_of(script), len(LONG)))


def run_study(command, name, processes):
    """Runs one study with that many processes of its own; returns its exit code, what it printed,
    and the seconds that it took, by the clock and of processors."""
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "checks.json").unlink(missing_ok=True)
    print(f"begins: {name}", flush=True)
    start = time.monotonic()
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **ONE_THREAD, "LIMPET_PROCESSES": str(processes)},
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start, usage.ru_utime + usage.ru_stime
    text = (folder / "output.txt").read_text(errors="replace")
    return process.returncode, text, seconds


def ended(scripts, interpreter, extra, jobs, processes):
    """Runs studies, so many at once; yields name, exit code, text and seconds of each that ends."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {
            pool.submit(run_study, [*interpreter, script, *extra], name_of(script), processes):
                name_of(script)
            for script in scripts
        }  # fmt: skip
        for run in concurrent.futures.as_completed(runs):
            yield (runs[run], *run.result())


def summary_line(name, code, seconds):
    """One line about a study that ended with this exit code, the checks that failed below it, and
    whether it passed."""
    took = f"{seconds[0]:7.1f} s {seconds[1]:7.1f} s of processors"
    report = OUT / name / "checks.json"
    if not report.exists():
        return f"{name:44} {f'did not end: exit code {code}':36} {took}", False
    checks = json.loads(report.read_text())["checks"]
    failed = [check for check in checks if not check["passed"]]
    missed = sum(check["missed"] and check["passed"] for check in checks)
    passed = len(checks) - len(failed) - missed
    counts = f"{passed:4} passed {missed:4} missed {len(failed):4} failed"
    lines = [f"{name:44} {counts} {took}"]
    for check in failed:
        expected = f"expected {check['expected']} {check['unit']}"
        lines.append(f"    FAIL {check['text']}: {check['value']}, {expected}")
    return "\n".join(lines), code == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fetch", action="store_true", help="only fetch what studies need")
    parser.add_argument(
        "--quick", action="store_true", help="the checks that run in seconds, no figures"
    )
    parser.add_argument("--no-docs", action="store_true", help="leave docs/studies as it is")
    parser.add_argument(
        "--budget", metavar="SECONDS", help="time that a study of many rows gets; all that it needs"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="studies at once; cores"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="PAPER, NAME or PAPER/NAME; all")
    options = parser.parse_args()
    scripts = studies(options.names)
    python = interpreter()
    if not python:
        print("skipped: what studies need could not be fetched from the package index; no network?")
        return MISSING
    if options.fetch:
        return 0

    extra = ["--quick"] if options.quick else [] if options.no_docs else ["--docs"]
    extra += ["--budget", options.budget] if options.budget else []
    alone = [script for script in scripts if name_of(script) in ALONE]
    others = by_length(script for script in scripts if script not in alone)
    start, lines, fine, total = time.monotonic(), {}, True, 0.0
    for some, jobs in ((alone, 1), (others, max(1, min(options.jobs, len(others))))):
        processes = max(1, options.jobs // jobs)
        for name, code, text, seconds in ended(some, [python], extra, jobs, processes):
            print(f"\n== {name}\n{text}", end="", flush=True)
            lines[name], passed = summary_line(name, code, seconds)
            total += seconds[1]
            fine &= passed
    clock = time.monotonic() - start
    print("\n" + "\n".join(lines[name] for name in sorted(lines)))
    print(f"{'all':81} {clock:7.1f} s {total:7.1f} s of processors")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
