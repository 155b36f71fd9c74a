#!/usr/bin/env python3
"""Instructions of a step, its Jacobians and products: the table of docs/gradients.md.

    gradient_counts.py [--bench PATH] [--keep FOLDER] [--adjoint STEPS] [SETTLE:MODEL.xml ...]

Each model makes SETTLE steps of its first keyframe, then callgrind counts. Columns are in steps of
the same model and without the step, but for the step itself [thousands of instructions] and the
step with Jacobians. Models are below LIMPET_SHARED (default: ../shared) unless they are named.
--keep leaves callgrind's files in a folder. --adjoint counts instead what the adjoint of so many
steps of a Panda that holds a cube costs, in runs forwards.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
G1, HAND = "unitree_g1/scene.xml", "shadow_hand/scene_right.xml"
MODELS = (
    "300:models/menagerie/franka_emika_panda/scene.xml",
    "300:models/mjcf/model/humanoid/humanoid.xml",
    *(f"{settle}:models/menagerie/{G1}" for settle in (200, 250, 300, 350)),
    f"300:models/menagerie/{HAND}",
    "300:models/menagerie/anybotics_anymal_c/scene.xml",
    "300:models/menagerie/agility_cassie/scene.xml",
)
PARTS = ("step", "jacobian", "prepare", "product")
CALLS = 3  # of bench_gradient --one; the last of them counts
# clearing memory counts as one instruction, not as one for each byte
TUNABLES = ("glibc.cpu.x86_rep_movsb_threshold=100000000:"
            "glibc.cpu.x86_rep_stosb_threshold=100000000")


def settled(bench, folder, settle, model):
    """A file with the state after SETTLE steps."""
    file = Path(folder) / f"{Path(model).parent.name}-{settle}"
    subprocess.run([bench, "--settle", settle, str(file), model], check=True)
    return file


def counted(base, part, calls, *command):
    """Instructions of the last call of a part."""
    name = f"counted_{part}"
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--toggle-collect={name}", f"--dump-after={name}",
         f"--callgrind-out-file={base}", *command],
        check=True, capture_output=True, env={**os.environ, "GLIBC_TUNABLES": TUNABLES},
    )
    text = Path(f"{base}.{calls}").read_text()
    return int(re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)[1])


def count(bench, state, model, part):
    """Instructions of one part."""
    return counted(f"{state}-{part}", part, CALLS, bench, "--one", part, str(state), model)


def count_adjoint(bench, folder, steps, model):
    """Prints what the adjoint of a grasp costs."""
    with ThreadPoolExecutor(2) as pool:
        forward, adjoint = pool.map(
            lambda part: counted(f"{folder}/{part}", part, 2, bench, "--grasp", str(steps), part,
                                 str(model)),
            ("forward", "adjoint"))
    print(f"{steps} steps: forwards {forward / 1e6:.1f} M, with the adjoint {adjoint / 1e6:.1f} M: "
          f"{adjoint / forward:.2f} forward runs")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", default=str(ROOT / "build/release/bench_gradient"))
    parser.add_argument("--keep")
    parser.add_argument("--adjoint", type=int, metavar="STEPS")
    parser.add_argument("model", nargs="*")
    words = parser.parse_args()
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared"))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        folder = words.keep or scratch
        Path(folder).mkdir(parents=True, exist_ok=True)
        if words.adjoint:
            count_adjoint(words.bench, folder, words.adjoint,
                          shared / "models/menagerie/franka_emika_panda/panda.xml")
            return
        print("model | steps before | step | step with Jacobians | before a product | "
              "one product | the first product")
        rows = []
        for word in words.model or MODELS:
            settle, _, model = word.partition(":")
            if not model:
                sys.exit(f"gradient_counts.py: '{word}' is no SETTLE:MODEL.xml")
            path = model if words.model else str(shared / model)
            state = settled(words.bench, folder, settle, path)
            rows.append((settle, path, [pool.submit(count, words.bench, state, path, part)
                                        for part in PARTS]))
        for settle, path, parts in rows:
            step, jacobian, prepare, product = (part.result() for part in parts)
            print(f"{Path(path).parent.name} | {settle} | {step / 1e3:.1f} k | "
                  f"{jacobian / step:.2f} | {prepare / step - 1:.2f} | {product / step:.2f} | "
                  f"{(prepare + product) / step - 1:.2f}", flush=True)


if __name__ == "__main__":
    main()
