#!/usr/bin/env python3
"""Times what MuJoCo takes to load the models of bench_load.

usage: load_mujoco.py [FILE...]   default: those of bench_load

Cold: the first load of a fresh process. Again: the same file once more in that process, from
MuJoCo's cache of assets. Least and median of several processes. Where MuJoCo is not installed it
prints "skipped: not installed".
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path

PROCESSES = 7
SHARED = Path(os.environ.get("LIMPET_SHARED", "../shared")) / "models"
ROBOTS = (
    "menagerie/franka_emika_panda/panda.xml",
    "menagerie/unitree_g1/g1.xml",
    "menagerie/aloha/aloha.xml",
    "menagerie/shadow_hand/right_hand.xml",
    "menagerie/agility_cassie/cassie.xml",
    "mjcf/model/humanoid/100_humanoids.xml",
)
CHILD = """
import sys, time, mujoco
for _ in range(2):
    start = time.perf_counter()
    mujoco.MjModel.from_xml_path(sys.argv[1])
    print(time.perf_counter() - start)
"""


def times_of(path):
    """Seconds of the first and the second load of a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, path], capture_output=True, check=True, text=True
    )
    return [float(line) for line in done.stdout.split()]


def main(paths):
    try:
        import mujoco
    except ImportError:
        print("skipped: not installed")
        return
    print(f"MuJoCo {mujoco.__version__}: time to load [ms], {PROCESSES} processes")
    print(f"{'':24} {'cold':>9} {'median':>9} {'again':>9} {'median':>9}")
    for path in paths or [SHARED / robot for robot in ROBOTS]:
        cold, again = zip(*(times_of(path) for _ in range(PROCESSES)), strict=True)
        row = (min(cold), statistics.median(cold), min(again), statistics.median(again))
        print(f"{Path(path).name:24} " + " ".join(f"{1e3 * x:9.1f}" for x in row))


if __name__ == "__main__":
    main(sys.argv[1:])
