"""Runs of `limpet run`, each with a log and a summary, two at a time (LIMPET_PROCESSES: another
number).

The command is the one that the environment variable LIMPET_COMMAND names, or that of a build folder
of this checkout.
"""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = int(os.environ.get("LIMPET_PROCESSES", "2"))


class StudyError(Exception):
    """Something that the user of a study must mend; its text says what."""


@dataclass(frozen=True)
class Run:
    """One simulation: `limpet run SCENE --contact ... --dt ... --time ...` and further words."""

    name: str  # of its log; unique in a study
    scene: Path
    contact: str
    dt: float  # [s]
    time: float  # [s]
    options: tuple = ()  # further words of the command line
    log: bool = True


@dataclass(frozen=True)
class Result:
    """What came out of a run."""

    run: Run
    log: Path  # None: it was not asked for
    summary: dict  # keys of `limpet run --json`, docs/cli.md


def command():
    """Path of the command `limpet`."""
    named = os.environ.get("LIMPET_COMMAND")
    folders = [ROOT / "build/release/limpet", ROOT / "build/limpet"]
    for path in [Path(named)] if named else folders:
        if os.access(path, os.X_OK) and path.is_file():
            return path
    raise StudyError(
        f"there is no {named}, which LIMPET_COMMAND names"
        if named
        else "limpet is not built; 'make build' builds it"
    )


def build():
    """The files that what the command does depends on: itself and the library beside it."""
    path = command()
    return [path, *sorted(path.parent.glob("liblimpet.so*"))]


def words(run, log):
    """Command line of a run as a list."""
    line = [
        str(command()),
        "run",
        str(run.scene),
        "--contact",
        run.contact,
        "--dt",
        repr(run.dt),
        "--time",
        repr(run.time),
    ]
    return line + [
        *map(str, run.options),
        *(["--log", str(log)] if log else []),
        "--quiet",
        "--json",
    ]


def simulate(runs, folder, processes=PROCESSES):
    """Runs all, at most `processes` at a time; logs go to `folder`. Returns {name: Result}."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [run.name for run in runs]
    assert len(set(names)) == len(names), "names of runs must differ"

    def one(run):
        log = folder / f"{run.name}.h5" if run.log else None
        line = words(run, log)
        done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise StudyError(
                f"{' '.join(line)}\n  ended with exit code {done.returncode}: {done.stderr.strip()}"
            )
        return Result(run, log, json.loads(done.stdout))

    with ThreadPoolExecutor(processes) as pool:
        return {result.run.name: result for result in pool.map(one, runs)}
