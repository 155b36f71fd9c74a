#!/usr/bin/env python3
"""Coverage-guided fuzzing of the readers under address and undefined-behaviour sanitizers.

usage: fuzz.py [--seconds N] [--keep] [READER...]

Builds limpet_fuzz (preset `fuzz`: clang with libFuzzer), runs it on each reader for N seconds (60)
from the corpus in tests/fuzz/corpus and what earlier runs left in build/fuzz/corpus, and prints
how many inputs were tried and which share of the reader's lines all inputs reach. An input that
crashes, leaks or takes longer than 20 s is left in build/fuzz and ends the run with status 1.
--keep puts the smallest set of inputs that reaches the same into tests/fuzz/corpus.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/fuzz"
CORPUS = ROOT / "tests/fuzz/corpus"
LEAST = 80  # [%]  of the lines of a reader
# reader: its sources; the reading of XML and numbers counts for MJCF
READERS = {
    "mjcf": ["src/format/mjcf", "src/format/read"],
    "urdf": ["src/format/urdf", "src/format/robot"],
    "sdformat": ["src/format/sdformat", "src/format/robot"],
    "stl": ["src/format/mesh/stl.c"],
    "obj": ["src/format/mesh/obj.c", "src/format/mesh/growth.c"],
    "msh": ["src/format/mesh/msh.c"],
    "gmsh": ["src/format/mesh/gmsh"],
    "vtk": ["src/format/mesh/vtk.c"],
    "ply": ["src/format/cloud/ply.c"],
    "pcd": ["src/format/cloud/pcd.c", "src/format/cloud/lzf.c"],
    "xyz": ["src/format/cloud/xyz.c"],
    "npy": ["src/format/cloud/npy.c"],
    "csv": ["cli/controls.c", "cli/table.c"],
    "json": ["src/control/controller", "src/control/trajectory_read.c", "src/control/plan_read"],
    "fit": ["src/control/identify_read.c"],
    "log": ["src/record/log_read.c", "src/record/log_text.c", "src/record/log_settings.c"],
    "live": ["src/record/live_command.c"],
}
OPTIONS = ["-timeout=20", "-rss_limit_mb=2500", "-print_final_stats=1", "-max_len=6000"]


def tool(name):
    """A program of LLVM, with or without the version in its name."""
    for candidate in (f"{name}-14", name):
        if shutil.which(candidate):
            return candidate
    sys.exit(f"fuzz: {name} is not installed: apt-get install llvm-14")


def build():
    subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "fuzz"], cwd=ROOT, check=True)


def dictionary():
    """Names of elements and attributes, from the readers' own tables, for libFuzzer."""
    words = set()
    for schema in (ROOT / "src/format").glob("*/schema*.[ch]"):
        for text in re.findall(r'"([^"\\]*)"', schema.read_text()):
            words.update(word for word in text.split() if re.fullmatch(r"[\w:]{2,30}", word))
    path = BUILD / "words.dict"
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)))
    return path


def run(reader, options, folders, **more):
    environment = {**os.environ, "LIMPET_FUZZ_READER": reader, **more}
    command = [BUILD / "limpet_fuzz", *options, *folders]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", check=False
    )


def fuzz(reader, seconds, words):
    """Executions, and the report of a failure or None."""
    work = BUILD / "corpus" / reader
    work.mkdir(parents=True, exist_ok=True)
    (CORPUS / reader).mkdir(parents=True, exist_ok=True)
    options = [*OPTIONS, f"-max_total_time={seconds}", f"-artifact_prefix={BUILD}/{reader}-"]
    if reader in ("mjcf", "urdf", "sdformat"):
        options.append(f"-dict={words}")
    done = run(reader, options, [work, CORPUS / reader], LLVM_PROFILE_FILE="/dev/null")
    count = re.search(r"number_of_executed_units: *(\d+)", done.stderr)
    return int(count.group(1)) if count else 0, done.stderr[-6000:] if done.returncode else None


def lines(reader):
    """(lines reached, lines) of the reader's sources, over all inputs."""
    raw, data = BUILD / f"{reader}.profraw", BUILD / f"{reader}.profdata"
    raw.unlink(missing_ok=True)
    folders = [BUILD / "corpus" / reader, CORPUS / reader]
    run(reader, ["-runs=0"], folders, LLVM_PROFILE_FILE=str(raw))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", raw, "-o", data], check=True)
    command = [tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={data}"]
    done = subprocess.run([*command, BUILD / "limpet_fuzz"], check=True, capture_output=True)
    reached, count = 0, 0
    for file in json.loads(done.stdout)["data"][0]["files"]:
        name = os.path.relpath(file["filename"], ROOT)
        if any(name.startswith(source) for source in READERS[reader]):
            reached += file["summary"]["lines"]["covered"]
            count += file["summary"]["lines"]["count"]
    return reached, count


def keep(reader):
    """Puts the fewest inputs that reach as much into the corpus."""
    fewest = BUILD / "fewest" / reader
    shutil.rmtree(fewest, ignore_errors=True)
    fewest.mkdir(parents=True)
    folders = [fewest, CORPUS / reader, BUILD / "corpus" / reader]
    control = BUILD / f"{reader}-merge.txt"
    options = ["-set_cover_merge=1", f"-merge_control_file={control}", *OPTIONS]
    control.unlink(missing_ok=True)
    run(reader, options, folders, LLVM_PROFILE_FILE="/dev/null")
    if not any(fewest.iterdir()):
        return
    shutil.rmtree(CORPUS / reader)
    shutil.copytree(fewest, CORPUS / reader)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    arguments = parser.parse_args()
    for reader in arguments.readers:
        if reader not in READERS:
            sys.exit(f"fuzz: there is no reader '{reader}'; there are {', '.join(READERS)}")
    build()
    words, failed = dictionary(), False
    head = ("seconds", "executions", "lines", "reached")
    print(f"{'reader':10} " + " ".join(f"{word:>12}" for word in head), flush=True)
    for reader in arguments.readers or READERS:
        executions, failure = fuzz(reader, arguments.seconds, words)
        if arguments.keep:
            keep(reader)
        reached, count = lines(reader)
        share = 100.0 * reached / max(count, 1)
        remark = "" if share >= LEAST else f"  below {LEAST} %"
        print(
            f"{reader:10} {arguments.seconds:12} {executions:12} {f'{reached}/{count}':>12} "
            f"{share:10.1f} %{remark}",
            flush=True,
        )
        if failure:
            print(failure)
        failed = failed or failure is not None or share < LEAST
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
