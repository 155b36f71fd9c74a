"""The sweep of panda.py by tasks of Ray: a table like those of the command.

panda.py runs this with the Python that LIMPET_PYTHON names, which needs Ray and the package limpet.
Ends with 3 where one of them is not there.
"""

import sys

import numpy as np

MISSING = 3  # exit code


def main(scene, controls, seconds, step, friction, grip, out):
    try:
        import ray

        import limpet
    except ImportError as reason:
        print(f"skipped: not installed ({reason.name})")
        return MISSING
    low, high, count = friction.split(":")
    weakest, strongest, forces = grip.split(":")
    ray.init(include_dashboard=False, log_to_driver=False)
    limpet.sweep(
        scene,
        {"pad_*.friction": np.linspace(float(low), float(high), int(count))},
        set={"grip": np.linspace(float(weakest), float(strongest), int(forces))},
        seconds=float(seconds),
        time_step=float(step),
        controls=controls,
        keyframe="grasp",
        track=["cube@hand"],
        engine="ray",
        out=out,
    )
    ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
