#!/usr/bin/env python3
"""Limpet's quadratic programmes beside DAQP, quadprog, ProxQP and Clarabel, in one run.

usage: bench_qp_peers.py [--build DIR] [--turns N] [--daqp-source DIR] [FILE...]

Needs numpy and whichever of the PyPI packages daqp, quadprog, proxsuite and clarabel are installed;
the others are reported as "skipped: not installed". FILEs are golden sequences (default: those in
$LIMPET_SHARED/golden/qp). DAQP is also timed through C: its sources are fetched by pip at the
installed version (or taken from --daqp-source, a folder with csrc/), compiled with daqp_shim.c at
-O3 for this machine into a temporary library, and called by bench_qp, problem by problem in turn
with Limpet. Every solver runs with the settings of its package. In each of N turns all of them go
through all problems. A solver's time is the mean over the problems of medians; residuals are the
largest over the problems, all computed the same way: max |Qx + c - G'lambda|, the greatest
violation of a row or cone, |s'lambda|.
"""

import argparse
import glob
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPEAT = 20  # rounds of bench_qp in a turn


def imported(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: {name}: not installed")
        return None


def daqp_library(folder, source):
    """Compiles DAQP's C sources with the shim; None, with a line that says why, where that cannot
    be."""
    import importlib.metadata

    try:
        if not source:
            version = importlib.metadata.version("daqp")
            subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "download",
                    "-q",
                    "--no-deps",
                    "--no-binary",
                    ":all:",
                    "-d",
                    folder,
                    f"daqp=={version}",
                ],
                check=True,
                capture_output=True,
            )
            subprocess.run(
                ["tar", "xf", glob.glob(f"{folder}/daqp-*.tar.gz")[0], "-C", folder], check=True
            )
            source = glob.glob(f"{folder}/daqp-*/")[0]
        library = f"{folder}/libdaqp_shim.so"
        subprocess.run(
            [
                os.environ.get("CC", "cc"),
                "-O3",
                "-march=native",
                "-fPIC",
                "-shared",
                f"-I{source}/csrc/include",
                str(ROOT / "benchmarks/daqp_shim.c"),
                *glob.glob(f"{source}/csrc/src/*.c"),
                "-o",
                library,
                "-lm",
            ],
            check=True,
            capture_output=True,
        )
        return library
    except (
        subprocess.CalledProcessError,
        importlib.metadata.PackageNotFoundError,
        IndexError,
        OSError,
    ) as error:
        text = getattr(error, "stderr", b"") or str(error).encode()
        print(f"skipped: DAQP through C: {text.decode(errors='replace').strip().splitlines()[-1]}")
        return None


def problems_of(path):
    """Q, c, G, h as arrays, and the dimension of the cones that the rows form; 1: linear rows."""
    import numpy

    problems = []
    for item in json.load(open(path)):
        dimension = item.get("dimension", 1)
        if "cones" in item:
            names = ("normal", "tangent1", "tangent2", "torsion")[:dimension]
            item["G"] = [cone[name] for cone in item["cones"] for name in names]
            item["h"] = [
                cone["phi"] if name == "normal" else 0.0 for cone in item["cones"] for name in names
            ]
        if not item.get("infeasible"):
            problems.append(
                {k: numpy.array(item[k], dtype=float) for k in "QcGh"} | {"dimension": dimension}
            )
    return problems


def python_solvers():
    """name -> function(problem) -> (x, multipliers); each call sets the problem up and solves
    it."""
    import numpy

    solvers = {}
    daqp, quadprog, proxsuite, clarabel = (
        imported(n) for n in ("daqp", "quadprog", "proxsuite", "clarabel")
    )
    if daqp:

        def with_daqp(p, free={}):
            upper = free.setdefault(len(p["h"]), numpy.full(len(p["h"]), 1e30))
            x, _, _, info = daqp.solve(p["Q"], p["c"], p["G"], upper, -p["h"])
            return x, numpy.abs(info["lam"])

        solvers["daqp (Python)"] = with_daqp
    if quadprog:

        def with_quadprog(p):
            result = quadprog.solve_qp(p["Q"], -p["c"], p["G"].T, -p["h"])
            return result[0], result[4]

        solvers["quadprog (Python)"] = with_quadprog
    if proxsuite:

        def with_proxqp(p, kept={}):
            m, n = p["G"].shape
            if (n, m) not in kept:
                kept[n, m] = proxsuite.proxqp.dense.QP(n, 0, m), numpy.full(m, 1e20)
            qp, upper = kept[n, m]
            qp.init(p["Q"], p["c"], None, None, p["G"], -p["h"], upper)
            qp.solve()
            return numpy.array(qp.results.x), -numpy.array(qp.results.z)

        solvers["proxqp (Python)"] = with_proxqp
    if clarabel:
        from scipy import sparse

        settings = clarabel.DefaultSettings()
        settings.verbose = False

        def with_clarabel(p):
            m, d = len(p["h"]), p["dimension"]
            cones = (
                [clarabel.NonnegativeConeT(m)]
                if d == 1
                else [clarabel.SecondOrderConeT(d)] * (m // d)
            )
            upper, rows = sparse.csc_matrix(numpy.triu(p["Q"])), sparse.csc_matrix(-p["G"])
            solver = clarabel.DefaultSolver(upper, p["c"], rows, p["h"], cones, settings)
            solution = solver.solve()
            return numpy.array(solution.x), numpy.array(solution.z)

        solvers["clarabel (Python)"] = with_clarabel
    return solvers


def residuals(p, x, multipliers):
    s = p["G"] @ x + p["h"]
    cones = s.reshape(-1, p["dimension"])
    outside = ((cones[:, 1:] ** 2).sum(axis=1) ** 0.5 - cones[:, 0]).max()
    return (
        abs(p["Q"] @ x + p["c"] - p["G"].T @ multipliers).max(),
        max(outside, 0.0),
        abs(s @ multipliers),
    )


def python_turn(solve, problems, times, worst):
    for i, p in enumerate(problems):
        start = time.perf_counter()
        x, multipliers = solve(p)
        times.setdefault(i, []).append(time.perf_counter() - start)
        worst[:] = [max(a, float(b)) for a, b in zip(worst, residuals(p, x, multipliers))]


def c_turn(build, library, path):
    command = [str(Path(build) / "bench_qp"), "--lines", "--rounds", str(REPEAT)]
    command += ["--peer", library] if library else []
    output = subprocess.run(command + [path], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def run(path, arguments, library, solvers):
    from statistics import mean, median

    problems = problems_of(path)
    if problems[0]["dimension"] > 1:
        solvers = {name: solve for name, solve in solvers.items() if "clarabel" in name}
    in_c, in_python = {}, {name: ({}, [0.0, 0.0, 0.0]) for name in solvers}
    for _ in range(arguments.turns):
        for line in c_turn(arguments.build, library, path):
            in_c.setdefault((line["method"], "warm" if line["warm"] else "cold"), []).append(line)
        for name, solve in solvers.items():
            python_turn(solve, problems, *in_python[name])

    print(f"\n{Path(path).name}: {len(problems)} problems, {arguments.turns} turns")
    print(f"  {'solver':24} {'':5} {'median':>10}    stationarity, violation, complementarity")
    for (name, start), lines in in_c.items():
        worst = [
            max(line[key] for line in lines)
            for key in ("stationarity", "violation", "complementarity")
        ]
        failed = sum(line["unsolved"] for line in lines)
        print(
            f"  {name:24} {start:5} {1e6 * median(line['median'] for line in lines):7.2f} us    "
            + ", ".join(f"{w:.1e}" for w in worst)
            + (f"   {failed} not solved" if failed else "")
        )
    for name, (times, worst) in in_python.items():
        print(
            f"  {name:24} {'cold':5} {1e6 * mean(median(t) for t in times.values()):7.2f} us    "
            + ", ".join(f"{w:.1e}" for w in worst)
        )


def main():
    parser = argparse.ArgumentParser(
        description="Limpet's quadratic programmes beside those of other solvers."
    )
    parser.add_argument("--build", default=str(ROOT / "build"), help="folder with bench_qp")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--daqp-source", help="folder of DAQP's source distribution")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if not imported("numpy"):
        return 1
    shared = os.environ.get("LIMPET_SHARED", str(ROOT.parent / "shared"))
    files = arguments.files or [
        f"{shared}/golden/qp/{name}.json"
        for name in ("sequence_13x80", "sequence_13x120_torsion", "random", "round_cone")
    ]
    missing = [f for f in files if not os.path.exists(f)]
    if missing:
        print(f"skipped: no shared data ({missing[0]})")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        library, solvers = daqp_library(folder, arguments.daqp_source), python_solvers()
        for path in files:
            run(path, arguments, library, solvers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
