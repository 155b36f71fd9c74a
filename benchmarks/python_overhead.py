#!/usr/bin/env python3
"""What Python adds to a step, and what threads gain in rollouts.

usage: python_overhead.py [MODEL.xml]     (with the package limpet installed)

- nanoseconds of limpet.step(model, data) beyond the C call limpet_step, on a model whose step is as
  short as one can be (goal: below 1000)
- bytes that reading data.q allocates (goal: 0)
- milliseconds of `import limpet` beyond NumPy's
- steps a second of rollouts on 1 and 2 threads, the same bits (goal: 1.8 times)

Medians of several rounds, interleaved, so that a busy machine disturbs both alike.
"""

import statistics
import subprocess
import sys
import time
import tracemalloc

import numpy as np

import limpet

TINY = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
ROUNDS, CALLS = 21, 20000


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

    limpet.step(model, data)
    pairs = [(nanoseconds(through_python), nanoseconds(bare)) for _ in range(ROUNDS)]
    whole, inner = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"limpet.step {whole:.0f} ns, by cffi alone {inner:.0f} ns: {whole - inner:.0f} ns more")


def allocation():
    data = limpet.load_text(TINY).data()
    data.q  # noqa: B018  the view is made once
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        data.q  # noqa: B018
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    print(f"1000 readings of data.q: {grown} bytes more in use")


def imports():
    def once(code):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return 1000 * (time.perf_counter() - begin)

    pairs = [(once("import numpy, limpet"), once("import numpy")) for _ in range(11)]
    more = statistics.median(a - b for a, b in pairs)
    print(f"import limpet: {more:.0f} ms beyond NumPy")


def rollouts(path):
    model = limpet.load(path) if path else limpet.load_text(TINY)
    steps, worlds = (200, 16) if path else (20000, 16)
    batches = {threads: limpet.Batch(model, threads) for threads in (1, 2)}
    seconds, ends = {1: [], 2: []}, {}
    for _ in range(5):
        for threads, batch in batches.items():
            begin = time.perf_counter()
            ends[threads] = batch.rollout(steps=steps, worlds=worlds, interval=steps).end_state
            seconds[threads].append(time.perf_counter() - begin)
    assert np.array_equal(ends[1], ends[2])
    rate = {t: steps * worlds / statistics.median(s) for t, s in seconds.items()}
    gain = statistics.median(a / b for a, b in zip(seconds[1], seconds[2], strict=True))
    print(f"rollouts: {rate[1]:.0f} steps/s on 1 thread, {rate[2]:.0f} on 2: {gain:.2f} times")


if __name__ == "__main__":
    overhead()
    allocation()
    imports()
    rollouts(sys.argv[1] if len(sys.argv) > 1 else None)
