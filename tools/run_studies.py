#!/usr/bin/env python3
"""Runs the studies: each simulates examples of a paper, checks their numbers and draws the figures.
`make studies` calls it.

usage: run_studies.py [--fetch] [--quick] [--no-docs] [--budget SECONDS] [NAME ...]

A study is a file studies/PAPER/NAME.py. What they need (NumPy, h5py, Matplotlib, pinned in
studies/requirements.txt) is fetched from the package index into a virtual environment under cache/;
`--fetch` does nothing else. With --budget a study of many rows ends after that time and goes on in
the next call. Tables and figures go to docs/studies. Exit status: 0 all checks
passed, 1 one failed or a study did not end, 77 no network.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("LIMPET_CACHE", ROOT / "cache"))
VENV = CACHE / "studies-venv"
PIN = ROOT / "studies/requirements.txt"
OUT = ROOT / "build/studies"
MISSING = 77


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


def summary_line(name, code):
    """One line about a study that ended with this exit code, whether it passed, and the seconds
    that it took, by the clock and of processors."""
    report = OUT / name / "checks.json"
    if not report.exists():
        return f"{name:44} did not end (exit code {code})", False, (0.0, 0.0)
    result = json.loads(report.read_text())
    failed = [check for check in result["checks"] if not check["passed"]]
    text = (
        f"{name:44} {len(result['checks']) - len(failed):4} passed {len(failed):3} failed "
        f"{result['seconds']:7.1f} s {result['processor_seconds']:7.1f} s of processors"
    )
    seconds = result["seconds"], result["processor_seconds"]
    return "\n".join(
        [text]
        + [
            f"    FAIL {check['text']}: {check['value']}, expected {check['expected']} "
            f"{check['unit']}"
            for check in failed
        ]
    ), code == 0, seconds


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
    parser.add_argument("names", nargs="*", metavar="NAME", help="PAPER, NAME or PAPER/NAME; all")
    options = parser.parse_args()
    scripts = studies(options.names)
    python = interpreter()
    if not python:
        print("skipped: what studies need could not be fetched from the package index; no network?")
        return MISSING
    if options.fetch:
        return 0

    lines, fine, total = [], True, [0.0, 0.0]
    extra = ["--quick"] if options.quick else [] if options.no_docs else ["--docs"]
    extra += ["--budget", options.budget] if options.budget else []
    for script in scripts:
        name = f"{script.parent.name}-{script.stem}"
        print(f"\n== {script.relative_to(ROOT)}", flush=True)
        (OUT / name / "checks.json").unlink(missing_ok=True)
        code = subprocess.run([str(python), str(script), *extra]).returncode
        line, passed, seconds = summary_line(name, code)
        lines.append(line)
        total = [sum(pair) for pair in zip(total, seconds, strict=True)]
        fine &= passed
    lines.append(f"{'all':64} {total[0]:7.1f} s {total[1]:7.1f} s of processors")
    print("\n" + "\n".join(lines))
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
