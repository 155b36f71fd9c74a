#!/usr/bin/env python3
"""MuJoCo's side of `limpet bench --against mujoco`, which starts it; needs the PyPI package
mujoco-core 4.0.1 (or mujoco).

Talks in lines of JSON. It reads a request {"file", "time_step", "settle_steps", "batch_steps", "q",
"v", "control", "activation"}: the scene, the state in which Limpet is timed (MuJoCo settles from
there with its own contact), and how many steps a batch has. It answers with a description,
{"error": ...} where it cannot; then for each line "batch" it runs at least 2 ms of batches, each
from the same state with the same warm start, and answers {"seconds_per_step"}. Settings are
MuJoCo's defaults or those of the file.
"""

import json
import os
import sys
import tempfile
import time

try:
    import mujoco
    import numpy
except ImportError:
    mujoco = None

# [s]  a batch is repeated until it took that long: the clock's grain and interrupts vanish
BATCH_TIME = 2e-3


def answer(**content):
    print(json.dumps(content), flush=True)


class World:
    def __init__(self, request):
        self.model = model = mujoco.MjModel.from_xml_path(request["file"])
        self.data = data = mujoco.MjData(model)
        if (
            len(request["q"]) != model.nq
            or len(request["v"]) != model.nv
            or len(request["control"]) != model.nu
        ):
            raise ValueError(
                "MuJoCo reads another number of coordinates or controls from this file"
            )
        model.opt.timestep = request["time_step"]
        data.qpos[:], data.qvel[:] = request["q"], request["v"]
        data.ctrl[:], data.act[:] = request["control"], request["activation"]
        if request["settle_steps"]:
            mujoco.mj_step(model, data, request["settle_steps"])
        self.steps = request["batch_steps"]
        self.kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
        self.state = numpy.empty(mujoco.mj_stateSize(model, self.kind))
        mujoco.mj_getState(model, data, self.state, self.kind)

    def restore(self):
        mujoco.mj_setState(self.model, self.data, self.state, self.kind)

    def seconds_per_step(self):
        total, steps = 0.0, 0
        while total < BATCH_TIME:
            self.restore()
            start = time.perf_counter()
            mujoco.mj_step(self.model, self.data, self.steps)
            total += time.perf_counter() - start
            steps += self.steps
        return total / steps

    def solver(self):
        """Iterations of the last step, and the gradient that MuJoCo's solver reports at the end,
        both the largest over islands."""
        data = self.data
        room = len(data.solver) // len(data.solver_niter)
        ends = [
            (int(n), island * room + min(int(n), room) - 1)
            for island, n in enumerate(data.solver_niter)
            if n > 0
        ]
        iterations = max((n for n, _ in ends), default=0)
        return iterations, max((float(data.solver[last].gradient) for _, last in ends), default=0.0)

    def description(self):
        self.restore()
        contacts, rows, iterations, residual = 0, 0, 0, 0.0
        for _ in range(self.steps):
            mujoco.mj_step(self.model, self.data)
            made, gradient = self.solver()
            contacts, rows, iterations = (
                contacts + self.data.ncon,
                rows + self.data.nefc,
                iterations + made,
            )
            residual = max(residual, gradient)
        return {
            "version": mujoco.__version__,
            "contacts": contacts / self.steps,
            "rows": rows / self.steps,
            "iterations": iterations / self.steps,
            "residual": residual,
        }


def main():
    line = sys.stdin.readline()
    if mujoco is None:
        answer(error="not installed")
        return
    os.chdir(tempfile.gettempdir())  # where MuJoCo leaves its log file
    try:
        world = World(json.loads(line))
    except ValueError as error:
        answer(error=str(error))
        return
    answer(**world.description())
    for _ in sys.stdin:
        answer(seconds_per_step=world.seconds_per_step())


if __name__ == "__main__":
    main()
