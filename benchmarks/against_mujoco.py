#!/usr/bin/env python3
"""MuJoCo's side of `limpet bench --against mujoco`, which starts it; needs the PyPI package
mujoco-core 4.0.1 (or mujoco).

Talks in lines of JSON. It reads a request {"file", "time_step", "settle_steps", "batch_steps", "q",
"v", "control", "activation"}: the scene, the state in which Limpet is timed (MuJoCo settles from
there with its own contact), and how many steps a batch has. It answers with a description,
{"error": ...} where it cannot; then for each line "batch" it runs at least 2 ms of batches, each
from the same state with the same warm start, and answers {"seconds_per_step"}. Settings are
MuJoCo's defaults or those of the file.

With "moving_steps" in the request a run of that many steps takes the place of a batch, with
"controls" (a row for every "hold_steps" steps; empty: they stay). The lines are then "default" and
"fastest": the file's settings, and those of the solvers and cones below that took the least time.
Time is that of the CPU.
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


class Motion(World):
    """Whole runs from the state of the request."""

    SOLVERS = {"Newton": 2, "CG": 1, "PGS": 0}
    CONES = {"pyramidal": 0, "elliptic": 1}

    def __init__(self, request):
        super().__init__({**request, "settle_steps": 0})
        self.steps, self.hold = request["moving_steps"], request["hold_steps"]
        self.controls = request["controls"]
        own = (int(self.model.opt.solver), int(self.model.opt.cone))
        self.kinds = {"default": own, "fastest": own}
        best = self.run("default")
        for solver in self.SOLVERS.values():
            for cone in self.CONES.values():
                self.kinds["try"] = (solver, cone)
                time_needed = self.run("try") if (solver, cone) != own else best
                if time_needed < best:
                    best, self.kinds["fastest"] = time_needed, (solver, cone)

    def run(self, kind):
        """CPU time of a run [s per step]."""
        self.restore()
        self.model.opt.solver, self.model.opt.cone = self.kinds[kind]
        model, data, step = self.model, self.data, mujoco.mj_step
        rows = self.controls or [None]
        count = self.hold if self.controls else self.steps
        start = time.process_time()
        for row in rows:
            if row is not None:
                data.ctrl[:] = row
            step(model, data, count)
        return (time.process_time() - start) / (count * len(rows))

    def story(self, kind):
        self.restore()
        self.model.opt.solver, self.model.opt.cone = self.kinds[kind]
        contacts, iterations, worst, depth = 0, 0, 0, 0.0
        for i in range(self.steps):
            if self.controls and i % self.hold == 0:
                self.data.ctrl[:] = self.controls[i // self.hold]
            mujoco.mj_step(self.model, self.data)
            made, _ = self.solver()
            contacts, iterations = contacts + self.data.ncon, iterations + made
            worst = max(worst, made)
            depth = max(depth, -float(self.data.contact.dist.min(initial=0.0)))
        solver, cone = self.kinds[kind]
        names = {v: k for k, v in self.SOLVERS.items()}, {v: k for k, v in self.CONES.items()}
        return {
            "solver": f"{names[0][solver]} {names[1][cone]}",
            "contacts": contacts / self.steps,
            "iterations": iterations / self.steps,
            "worst_iterations": worst,
            "depth": depth,
        }

    def description(self):
        kinds = {kind: self.story(kind) for kind in ("default", "fastest")}
        return {"version": mujoco.__version__, **kinds}


def main():
    line = sys.stdin.readline()
    if mujoco is None:
        answer(error="not installed")
        return
    os.chdir(tempfile.gettempdir())  # where MuJoCo leaves its log file
    try:
        request = json.loads(line)
        world = Motion(request) if "moving_steps" in request else World(request)
    except ValueError as error:
        answer(error=str(error))
        return
    answer(**world.description())
    for asked in sys.stdin:
        if asked.strip() == "batch":
            answer(seconds_per_step=world.seconds_per_step())
        else:
            answer(seconds_per_step=world.run(asked.strip()))


if __name__ == "__main__":
    main()
