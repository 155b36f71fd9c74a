#!/usr/bin/env python3
"""What Python adds to a step, and what threads gain in rollouts.

usage: python_overhead.py [MODEL.xml]     (with the package limpet installed)

- nanoseconds of a loop of limpet.step(model, data) beyond limpet.step(model, data, count), which is
  the C step and the lock of the interpreter, and of the same loop by cffi, on a model whose step is
  as short as one can be (goal: below 1000)
- bytes that reading data.q allocates (goal: 0)
- milliseconds of `import limpet` beyond NumPy's (goal: below 50)
- rollouts on 1 and 2 threads, the same bits: seconds by the clock (goal: 1.8 times as fast), and
  processor seconds, which say what two threads cost beyond one when other work shares the machine
- rollouts of MODEL, and of MuJoCo's mujoco.rollout where it is installed, on one thread: processor
  microseconds a step

The least of many rounds, interleaved, so that a busy machine disturbs both alike.
"""

import re
import subprocess
import sys
import time
import tracemalloc

import numpy as np

import limpet

TINY = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
ROUNDS, CALLS, IMPORTS = 800, 500, 20
WORLDS = 16


def nanoseconds(work):
    begin = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - begin) / CALLS


def overhead():
    model = limpet.load_text(TINY)
    data = model.data()
    call = limpet.lib.limpet_step
    records = model._record, data._record, data.settings._record

    def through_python():
        for _ in range(CALLS):
            limpet.step(model, data)

    def bare():
        for _ in range(CALLS):
            call(*records)

    def in_one_call():
        limpet.step(model, data, CALLS)

    limpet.step(model, data)
    works = through_python, bare, in_one_call
    times = [[nanoseconds(work) for work in works] for _ in range(ROUNDS)]
    whole, by_cffi, inner = (min(column) for column in zip(*times, strict=True))
    print(
        f"limpet.step {whole:.0f} ns, in one call of many steps {inner:.0f} ns: "
        f"{whole - inner:.0f} ns more; by cffi {by_cffi:.0f} ns: {by_cffi - inner:.0f} ns more"
    )


def grown(data, count):
    """Bytes more in use after so many readings."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        data.q  # noqa: B018
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


def allocation():
    data = limpet.load_text(TINY).data()
    data.q  # noqa: B018  the view is made once
    # what the measurement itself takes is the same for any number of readings
    more = grown(data, 101000) - grown(data, 1000)
    print(f"100,000 readings of data.q: {more} bytes more in use")


def import_time():
    """Cumulative microseconds of the two modules, by Python's own -X importtime."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import numpy, limpet"],
        capture_output=True,
        text=True,
        check=True,
    )
    line = re.search(r"\| +(\d+) \| limpet$", done.stderr, re.M)
    return int(line[1]) / 1000


def imports():
    times = [import_time() for _ in range(IMPORTS)]
    print(f"import limpet: {min(times):.1f} ms beyond NumPy, the least of {IMPORTS}")


def timed(work):
    """Seconds by the clock, and of the processor, all threads together."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def rollouts(model, steps):
    batches = {threads: limpet.Batch(model, threads) for threads in (1, 2)}
    times, ends = {1: [], 2: []}, {}

    def run(threads):
        result = batches[threads].rollout(steps=steps, worlds=WORLDS, interval=steps)
        ends[threads] = result.end_state

    for _ in range(7):
        for threads in batches:
            times[threads].append(timed(lambda t=threads: run(t)))
    assert np.array_equal(ends[1], ends[2])
    clock = {t: min(row[0] for row in rows) for t, rows in times.items()}
    processor = {t: min(row[1] for row in rows) for t, rows in times.items()}
    print(
        f"rollouts on 2 threads: {clock[1] / clock[2]:.2f} times as fast by the clock; processor "
        f"time {processor[2] / processor[1]:.3f} times that of 1 thread, so "
        f"{2 * processor[1] / processor[2]:.2f} times as fast on two free processors"
    )
    return 1e6 * processor[1] / (WORLDS * steps)


def against_mujoco(path, model, steps):
    """The same worlds by both, on one thread, in turns."""
    batch = limpet.Batch(model, 1)
    ours = lambda: batch.rollout(steps=steps, worlds=WORLDS, interval=1)  # noqa: E731
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        print("skipped: MuJoCo is not installed")
        return
    m = mujoco.MjModel.from_xml_path(path)
    d = mujoco.MjData(m)
    state = np.zeros(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(m, d, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.tile(state, (WORLDS, 1))
    theirs = lambda: rollout.rollout(m, d, start, nstep=steps)  # noqa: E731
    pairs = [(timed(ours)[1], timed(theirs)[1]) for _ in range(7)]
    us, them = (1e6 * min(column) / (WORLDS * steps) for column in zip(*pairs, strict=True))
    print(
        f"rollout of {model.name or path}, {steps} steps of {WORLDS} worlds, one thread: "
        f"{us:.1f} us a step, MuJoCo {mujoco.__version__} {them:.1f}: {them / us:.2f} times"
    )


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else None
    overhead()
    allocation()
    imports()
    model = limpet.load(path) if path else limpet.load_text(TINY)
    rollouts(model, 200 if path else 20000)
    if path:
        against_mujoco(path, model, 200)


if __name__ == "__main__":
    main()
