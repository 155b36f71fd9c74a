#!/usr/bin/env python3
"""Makes the gallery: a dozen replays with a picture each, and the page that shows them.

usage: make_gallery.py COMMAND SOURCE FOLDER [--pictures]
COMMAND: limpet; SOURCE: docs/gallery.md, whose entries are read; FOLDER: where replays and pictures
go. Each entry is a heading, a fenced block of shell whose `limpet run` or `limpet compare` writes
NAME.html, and a line ![...](images/gallery/NAME.png) with the address words in its title.
With --pictures the pictures are drawn again, too (needs Chromium); without it only the replays.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ENTRY = re.compile(r"```sh\n(?P<shell>.*?)```\s*\n!\[[^\]]*\]\(images/gallery/(?P<name>[\w-]+)\.png"
                   r'(?: "(?P<words>[^"]*)")?\)', re.S)  # fmt: skip


def entries(text):
    """(name, commands, words of the address) of each entry of the page."""
    for match in ENTRY.finditer(text):
        lines = match["shell"].replace("\\\n", " ").strip().splitlines()
        yield match["name"], lines, match["words"] or ""


def make(command, name, lines, folder, root):
    """Runs the commands of an entry; its page goes to the folder."""
    for line in lines:
        words = [str(command) if word == "limpet" else word for word in shlex.split(line)]
        words = [str(folder / word) if word == f"{name}.html" else word for word in words]
        done = subprocess.run([*words, "--quiet"], cwd=root, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"make_gallery.py: {line}\n{done.stderr}")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--pictures"]
    if len(arguments) != 3:
        sys.exit(__doc__)
    command, page, folder = (Path(word).resolve() for word in arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines, words in entries(page.read_text()):
        make(command, name, lines, folder, page.parent.parent)
        replay = folder / f"{name}.html"
        print(f"{replay}  {replay.stat().st_size / 1e6:.1f} MB", flush=True)
        if "--pictures" not in sys.argv:
            continue
        picture = page.parent / "images" / "gallery" / f"{name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        time = re.search(r"(?:^|&)t=([\d.]+)", words)
        drawn = [command, "render", replay, "--png", picture, "--width", "640", "--height", "400"]
        drawn += ["--time", time[1]] if time else []
        subprocess.run([*map(str, drawn), "--words", words, "--quiet"], check=True)


if __name__ == "__main__":
    main()
