#!/usr/bin/env python3
"""Builds and runs all tests: the optimised build with every check, the sanitizers, of which clang
builds one. `make test` calls it.

usage: run_tests.py [--only release|asan|tsan|clang] [--filter REGEX]

The next build runs beside the tests of the last one, for tests wait for browsers and for the
longest of them. Prints how many test functions ran, how long each preset took by the clock from the
end of the one before, and in seconds of processor, and closes with a line of its own, "N passed, N
failed" (", N skipped" may follow). The exit status is 0 only if nothing failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# two tests more than there are cores, for those that wait for a browser or a network
JOBS = str((os.cpu_count() or 1) + 2)

# By clang: threads that share a model, and all that has golden values, as what another compiler may
# change is numbers.
BY_CLANG = [
    "test_base",
    "test_containment",
    "test_determinism",
    "test_fem_golden",
    "test_golden_dynamics",
    "test_golden_gradients",
    "test_golden_pairs",
    "test_golden_pressure",
    "test_golden_problems",
    "test_golden_scenes",
    "test_idle",
    "test_rollout",
    "test_soft_golden",
]
# preset, build targets (none: all), tests (none: all that the preset does not exclude)
PLAN = [
    ("release", [], None),
    ("asan", [], None),
    ("tsan", ["limpet_command", *BY_CLANG], f"^({'|'.join(BY_CLANG)})$"),
]
OTHERS = [("clang", [], None)]  # by --only: optimised, with most tests of C


class Count:
    """How many test functions passed, failed and were skipped."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        return self

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed" + (
            f", {self.skipped} skipped" if self.skipped else ""
        )


def total(pattern, text):
    return sum(int(number) for number in re.findall(pattern, text, re.M))


def count_functions(output):
    """Test functions in the output of one test program, and what wrote it: cmocka, unittest or
    node's runner; None: no such thing."""
    if "[==========] Running" in output or re.search(
        r"^\[==========\] .*Running \d+ test", output, re.M
    ):
        skipped = total(r"^\[  SKIPPED \] (\d+) test\(s\)", output)
        passed = total(r"^\[  PASSED  \] (\d+) test\(s\)", output)
        failed = total(r"^\[  FAILED  \] (\d+) test\(s\)", output)
        if not passed and not failed:  # it ended before the summary
            passed = len(re.findall(r"^\[       OK \]", output, re.M))
        return "cmocka", Count(passed, failed, skipped)
    ran = re.search(r"^Ran (\d+) tests? in", output, re.M)
    if ran:
        skipped = total(r"^(?:OK|FAILED) \(.*skipped=(\d+)", output)
        failed = total(r"failures=(\d+)", output) + total(r"errors=(\d+)", output)
        return "unittest", Count(int(ran.group(1)) - failed - skipped, failed, skipped)
    if re.search(r"^[#ℹ] pass \d+", output, re.M):
        return "node", Count(
            *(total(rf"^[#ℹ] {word} (\d+)", output) for word in ("pass", "fail", "skipped"))
        )
    pytest = re.search(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s", output, re.M)
    if pytest:
        words = ("passed", "failed", "skipped")
        return "pytest", Count(*(total(rf"(\d+) {word}", pytest.group(1)) for word in words))
    return None, None


def count_case(case):
    """Kind and count of one ctest entry. A script that reports no functions counts as one test."""
    output = case.findtext("system-out") or ""
    status = case.get("status")
    if status in ("notrun", "disabled"):
        missing = case.find("skipped") is None or "SKIP_RETURN_CODE" not in (
            case.find("skipped").get("message") or ""
        )
        return None, Count(failed=1) if missing else Count(skipped=1)
    kind, count = count_functions(output)
    if not count:
        count = Count(passed=1) if status == "run" else Count(failed=1)
    elif status == "fail" and not count.failed:
        count.failed = 1
    return kind, count


def start(*command):
    print("+ " + " ".join(command), flush=True)
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL)


def use_compiler_cache():
    """Lets ccache, if it is there, remember objects: the tests of the Python package and of a
    project around the checkout compile the library of the optimised build once more, and a later
    clone compiles what it has in common with this one."""
    if "CMAKE_C_COMPILER_LAUNCHER" in os.environ or not shutil.which("ccache"):
        return
    os.environ["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
    os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
    os.environ.setdefault("CCACHE_NOHASHDIR", "true")
    # what an object was made of is read from its list of headers: without that each file that is
    # new goes through the preprocessor twice, a sixth of the time of a build
    os.environ.setdefault("CCACHE_DEPEND", "true")


def wait(process):
    """Waits for a process; its exit status and the seconds of processor that it took, by itself and
    by the processes that it waited for."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


class Build:
    """The build of a preset as a process. Where tests run beside it, it takes what they leave of
    the processor, and what it prints goes to a file and is shown if it fails."""

    def __init__(self, preset, targets, aside):
        only = f" --target {' '.join(targets)}" if targets else ""
        text = f"cmake --preset {preset} && cmake --build --preset {preset}{only}"
        print(f"+ {text}" + (" &" if aside else ""), flush=True)
        self.log = None
        if aside:
            (ROOT / "build").mkdir(exist_ok=True)
            self.log = open(ROOT / "build" / f"{preset}.log", "w+")
        self.process = subprocess.Popen(
            ["nice", "-n", "19" if aside else "0", "sh", "-c", text],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT if aside else None,
        )

    def finish(self):
        """Exit status, and seconds of processor."""
        status, processor = wait(self.process)
        if self.log:
            self.log.seek(0)
            if status:
                print(self.log.read())
            self.log.close()
        return status, processor


def slowest(cases, count=5):
    """The tests that took longest, as text."""
    times = sorted(
        ((float(case.get("time") or 0), case.get("name")) for case in cases), reverse=True
    )
    return ", ".join(f"{name} {seconds:.0f} s" for seconds, name in times[:count])


def run_preset(preset, tests, extra, build, meanwhile):
    """Waits for the build of a preset and tests it; `meanwhile` () is called as soon as it is
    built.

    Returns its count, the count of cmocka functions alone, and the seconds of processor of build
    and tests.
    """
    results = ROOT / "build" / preset / "results.xml"
    results.unlink(missing_ok=True)
    failed, built = build.finish()
    meanwhile()
    if failed:
        print(f"{preset}: the build failed")
        return Count(failed=1), Count(), (built, 0.0)
    limit = ["-R", tests] if tests else []
    _, tested = wait(
        start(
            "ctest",
            "--preset",
            preset,
            "-j",
            JOBS,
            "--output-junit",
            str(results),
            "--test-output-size-passed",
            "1000000",
            "--test-output-size-failed",
            "1000000",
            *limit,
            *extra,
        )
    )
    if not results.exists():
        print(f"{preset}: ctest wrote no results")
        return Count(failed=1), Count(), (built, tested)
    everything, functions = Count(), Count()
    cases = list(xml.etree.ElementTree.parse(results).getroot().iter("testcase"))
    for case in cases:
        kind, count = count_case(case)
        everything += count
        if kind == "cmocka":
            functions += count
        if count.failed:
            print(f"{preset}: {case.get('name')}: {count}")
        elif count.skipped:
            reason = re.search(r"^.*skipped: .*$", case.findtext("system-out") or "", re.M)
            print(
                f"{preset}: {case.get('name')}: {count}"
                + (f" ({reason.group(0).strip()})" if reason else "")
            )
    print(f"{preset}: slowest: {slowest(cases)}")
    return everything, functions, (built, tested)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    presets = [preset for preset, _, _ in PLAN + OTHERS]
    parser.add_argument("--only", action="append", choices=presets)
    parser.add_argument("--filter", help="only tests whose name matches")
    options = parser.parse_args()
    extra = ["-R", options.filter] if options.filter else []

    use_compiler_cache()
    # Tests that need the robot of `make run` are skipped where it cannot be had, and so are studies
    # without NumPy and h5py. The network takes longer than the processor.
    fetches = [
        start(sys.executable, "tools/run_aloha.py", "--fetch"),
        start(sys.executable, "tools/run_studies.py", "--fetch"),
    ]
    plan = [
        entry
        for entry in (PLAN + OTHERS if options.only else PLAN)
        if not options.only or entry[0] in options.only
    ]
    summary, sum_of_all, functions_of_all = [], Count(), Count()
    builds = [Build(*plan[0][:2], aside=False)]

    def go_on():
        """What may run beside the tests of a preset: the build of the next one."""
        for process in fetches:
            process.wait()
        if len(builds) < len(plan):
            builds.append(Build(*plan[len(builds)][:2], aside=True))

    for k, (preset, _, tests) in enumerate(plan):
        begin = time.monotonic()
        everything, functions, (built, tested) = run_preset(
            preset, tests, extra, builds[k], go_on
        )
        summary.append(
            f"{preset:8} {everything} ({functions.passed + functions.failed} cmocka test functions)"
            f" in {time.monotonic() - begin:.0f} s; {built:.0f} s of processor to build, "
            f"{tested:.0f} to test"
        )
        sum_of_all += everything
        functions_of_all += functions
    print()
    print("\n".join(summary))
    print(f"cmocka test functions that ran: {functions_of_all.passed + functions_of_all.failed}")
    print(sum_of_all)
    return 1 if sum_of_all.failed or not sum_of_all.passed else 0


if __name__ == "__main__":
    sys.exit(main())
