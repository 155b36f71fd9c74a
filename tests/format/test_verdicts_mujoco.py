"""Verdicts on MuJoCo's example files: what MuJoCo loads, Limpet loads, or names why not; what
MuJoCo refuses, Limpet refuses too, unless this file says why not.

A file that Limpet loads is fully supported, or in part with features that docs/mjcf.md names.
Prints the table of verdicts and each difference with its reason; fails where a difference has none,
and where a reason is needed no longer. Needs MuJoCo, in this Python or in the one that
LIMPET_PYTHON names, and the shared models: without them it is skipped.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from with_mujoco import mujoco  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get("LIMPET_COMMAND", str(ROOT / "build/limpet"))
MODELS = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")) / "models/mjcf"

# What Limpet reads in part, as the notes of `limpet check` begin; docs/mjcf.md explains each.
NAMED = [
    r"attribute '(solref|solimp)' of <edge>",
    r"a surface that moves with a cage",
    r"a flexcomp without <elasticity>",
    r"this <flex(comp)?> does not meet itself",
    r"geoms of type sdf",
    r"meshes made by a plugin",
    r"<plugin>: plugins are code of MuJoCo",
]
# What MuJoCo refuses and Limpet loads: why. Keys are parts of MuJoCo's message.
ACCEPTED = {
    "Lengthrange computation did not converge": "lengths of muscles follow from the geometry here",
    "has joints but no flex vertices": "nodes of a rope need no bodies of their own here",
    "unrecognized attribute": "an attribute of another version of MuJoCo",
    "invalid keyword: 'vert'": "a word of another version of MuJoCo",
    "flex elasticity is no longer integrated": "the integrator of a file is not followed here",
    "passive flex contact requires an integrator": "the integrator of a file is not followed here",
}
# What MuJoCo loads and Limpet refuses: why. Keys are names of files.
REFUSED = {}


def theirs(path):
    try:
        mujoco.MjModel.from_xml_path(str(path))
        return None
    except (ValueError, mujoco.FatalError) as error:
        return str(error)


def ours(path):
    result = subprocess.run(
        [COMMAND, "check", str(path), "--json"], capture_output=True, text=True, timeout=300
    )
    return json.loads(result.stdout)


def explained_notes(result):
    """The features that no list names."""
    texts = [note["text"] for note in result["notes"] if note["unsupported"]]
    return [text for text in texts if not any(re.match(name, text) for name in NAMED)]


def judge(path, counts, used):
    """The difference that nothing explains, or None."""
    refusal, result = theirs(path), ours(path)
    loads = result["verdict"] != "rejected"
    counts["refused" if refusal else "loads", result["verdict"]] += 1
    name = path.relative_to(MODELS)
    if refusal is None and not loads:
        used.add(path.name)
        reason = REFUSED.get(path.name)
        print(f"{name}: only MuJoCo loads it: {result['error']}: {reason or 'UNEXPLAINED'}")
        return None if reason else name
    if refusal is not None and loads:
        part = next((part for part in ACCEPTED if part in refusal), None)
        used.add(part)
        reason = ACCEPTED.get(part)
        print(f"{name}: only Limpet loads it; MuJoCo: {refusal[:90]!r}: {reason or 'UNEXPLAINED'}")
        return None if reason else name
    for text in explained_notes(result):
        print(f"{name}: UNNAMED: {text}")
        return name
    return None


def main():
    if not MODELS.exists():
        print("skipped: no shared data")
        sys.exit(77)
    counts, used = Counter(), set()
    paths = sorted(MODELS.rglob("*.xml"))
    wrong = [name for name in (judge(path, counts, used) for path in paths) if name]
    print("\n| MuJoCo | Limpet | files |\n|---|---|---|")
    for (mine, verdict), count in sorted(counts.items()):
        print(f"| {mine} | {verdict} | {count} |")
    idle = (set(REFUSED) | set(ACCEPTED)) - used
    if idle:
        print(f"reasons that nothing needs: {sorted(idle)}")
    print(f"{len(paths)} files, {len(wrong)} differences without a reason")
    sys.exit(1 if wrong or idle else 0)


if __name__ == "__main__":
    main()
