#!/usr/bin/env python3
"""What of model files is not simulated, by the number of files that ask for it.

usage: count_unsupported.py LIMPET_COMMAND FOLDER ...

Runs `limpet check --json` on every MJCF, URDF and SDFormat file below the folders and prints a
table: each feature that is read but not simulated, each reason for which a file is rejected, how
many files have it and one of them. Numbers and names in a message do not count, so that one feature
is one row.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ENDINGS = {".xml", ".mjcf", ".urdf", ".sdf", ".world"}
TIMEOUT = 120  # [s]  of one file


def feature(text):
    """A message without what differs from file to file."""
    text = re.sub(r"^\S+?:\d+(:\d+)?: ", "", text)
    text = re.sub(r"'[^']*[/.\d][^']*'", "'...'", text)
    text = re.sub(r"(actuator|tendon|geom|body|joint|sensor) ('[^']*'|\d+)", r"\1", text)
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "N", text)


def check(command, path):
    try:
        result = subprocess.run(
            [command, "check", str(path), "--json"], capture_output=True, text=True, timeout=TIMEOUT
        )
        return json.loads(result.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        return {"verdict": "failed", "error": str(error), "notes": []}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    command, folders = sys.argv[1], [Path(name) for name in sys.argv[2:]]
    paths = sorted(p for f in folders for p in f.rglob("*") if p.suffix in ENDINGS)
    verdicts, files = defaultdict(int), defaultdict(list)
    for path in paths:
        result = check(command, path)
        verdicts[result["verdict"]] += 1
        reasons = {feature(note["text"]) for note in result["notes"] if note["unsupported"]}
        if result["error"]:
            reasons.add(f"{result['verdict']}: {feature(result['error'])}")
        for reason in reasons:
            files[reason].append(path)
    print(f"{len(paths)} files: " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
    print("\n| files | what is not simulated | one of them |\n|---|---|---|")
    for reason, where in sorted(files.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"| {len(where)} | {reason} | `{where[0].name}` |")


if __name__ == "__main__":
    main()
