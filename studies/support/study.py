"""A study: a script that runs Limpet, checks numbers, and draws figures.

    def study(study):
        results = study.simulate([Run("lagged", study.scene("sphere.xml"), "lagged", 2e-3, 0.2)])
        study.near("speed at the end", speed, 1.428571, "m/s", relative=1e-6)
        if study.full:
            study.table("speeds", ["model", "speed [m/s]"], rows)
            study.figure("speed", figure)

    if __name__ == "__main__":
        sys.exit(main(study, __file__))

Options of every study: --quick (a subset of the checks in seconds, without figures: for the tests),
--docs (figures and tables go into docs/studies, too), --out FOLDER, --budget SECONDS (a study of
many rows begins none after this time; what it has is kept, checked and told, its page stays as it
is, and the next call goes on). The exit code is 0 when every check passed, 1 when one failed, 2
when something is missing. The page of a study is
docs/studies/PAPER-NAME.md, PAPER the folder of the script and NAME its file.
"""

import argparse
import json
import math
import resource
import shutil
import sys
import time
from pathlib import Path

from . import checks, page
# Run is what scripts import from here
from .command import ROOT, Run, StudyError, simulate  # noqa: F401

DOCS = ROOT / "docs/studies"


class Study:
    """What a script gets: where to write, and what it checked so far."""

    def __init__(self, script, out, full, budget=math.inf):
        self.folder = Path(script).resolve().parent
        self.name = f"{self.folder.name}-{Path(script).stem}"
        self.out = out or ROOT / "build/studies" / self.name
        self.full = full
        self.deadline = time.monotonic() + budget  # [s]
        self.left = 0  # rows that the time was not enough for
        self.checks, self.tables, self.figures = [], {}, []

    def scene(self, name):
        """Path of a scene that lies beside the script."""
        return self.folder / "scenes" / name

    def write_scene(self, name, text):
        """Writes a scene that the script made; returns its path."""
        path = self.out / "scenes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def simulate(self, runs):
        """{name: Result}; logs are in out/logs."""
        return simulate(runs, self.out / "logs")

    def in_time(self, left):
        """Whether another row may begin, of the `left` ones that are missing."""
        self.left = left if time.monotonic() > self.deadline else 0
        return self.left == 0

    def _keep(self, check):
        self.checks.append(check)
        print(check.line(), flush=True)
        return check.passed

    def near(self, *arguments, **keywords):
        """checks.near; returns whether it passed, as those below do."""
        return self._keep(checks.near(*arguments, **keywords))

    def within(self, *arguments, **keywords):
        """checks.within"""
        return self._keep(checks.within(*arguments, **keywords))

    def sheet(self, *arguments, **keywords):
        """checks.sheet"""
        return self._keep(checks.sheet(*arguments, **keywords))

    def holds(self, *arguments):
        """checks.holds"""
        return self._keep(checks.holds(*arguments))

    def table(self, name, header, rows):
        """A table for the page of the study: it stands there between '<!-- table: NAME -->' and
        '<!-- end -->'."""
        self.tables[name] = page.table_text(header, rows)

    def figure(self, name, figure):
        """Writes PAPER-NAME.svg and .png into out/figures."""
        from . import figures  # a quick study needs no matplotlib

        figures.save(figure, self.out / "figures", f"{self.folder.name}-{name}")
        self.figures.append(f"{self.folder.name}-{name}")

    def write_docs(self):
        """Tables and figures (SVG) to docs/studies."""
        (DOCS / "figures").mkdir(parents=True, exist_ok=True)
        for name in self.figures:
            shutil.copy(self.out / "figures" / f"{name}.svg", DOCS / "figures")
        page.refresh(
            DOCS / f"{self.name}.md", {**self.tables, "checks": page.checks_text(self.checks)}
        )

    def write_result(self, seconds, processor_seconds):
        """out/checks.json: what tools/run_studies.py tells."""
        rows = [
            {
                "text": check.text,
                "value": check.value,
                "expected": check.expected,
                "unit": check.unit,
                "passed": check.passed,
                "missed": check.missed,
            }
            for check in self.checks
        ]
        result = {
            "study": self.name,
            "seconds": round(seconds, 1),
            "processor_seconds": round(processor_seconds, 1),
            "figures": self.figures,
            "checks": rows,
        }
        (self.out / "checks.json").write_text(json.dumps(result, indent=1, default=float) + "\n")


def processor_seconds():
    """[s]  of this process and those that it has waited for"""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(function, script, arguments=None):
    """Runs a study as a script; returns its exit code."""
    parser = argparse.ArgumentParser(
        description=sys.modules["__main__"].__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--quick", action="store_true", help="a subset of the checks, without figures"
    )
    parser.add_argument(
        "--docs", action="store_true", help="write tables and figures into docs/studies"
    )
    parser.add_argument(
        "--budget", type=float, default=math.inf, metavar="SECONDS", help="no row begins after it"
    )
    parser.add_argument("--out", type=Path, help="folder for logs and figures; build/studies/NAME")
    options = parser.parse_args(arguments)
    if options.quick and options.docs:
        parser.error("--docs needs the whole study, not --quick")
    study = Study(script, options.out, not options.quick, options.budget)
    study.out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    try:
        function(study)
        study.write_result(time.monotonic() - start, processor_seconds())
        if study.left:
            print(
                f"{study.name}: {study.left} rows are missing after {options.budget:g} s; its page "
                f"stays as it is. `python3 tools/run_studies.py {study.folder.name}/"
                f"{Path(script).stem}` goes on"
            )
        elif options.docs:
            study.write_docs()
    except StudyError as error:
        print(f"{study.name}: {error}", file=sys.stderr)
        return 2
    failed = sum(not check.passed for check in study.checks)
    missed = sum(check.missed and check.passed for check in study.checks)
    print(
        f"{study.name}: {len(study.checks)} checks, {failed} failed, {missed} known misses, "
        f"{time.monotonic() - start:.1f} s, {processor_seconds():.1f} s of processors"
    )
    return 1 if failed or not study.checks else 0
