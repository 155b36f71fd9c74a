"""What comparisons of one file in Limpet and in another program have in common."""

import tempfile
import warnings
from pathlib import Path

import numpy as np

import limpet


class FieldTwin:
    """One file in both programs, and what differs: (field, text). `PEER` is the other's name."""

    PEER = ""

    def __init__(self, seed):
        self.seed, self.differences = seed, []

    def compare(self, field, ours, theirs, tolerance=0.0):
        """Notes numbers that differ by more than this share of the largest, of 1 at least."""
        a, b = (np.asarray(x, dtype=float).ravel() for x in (ours, theirs))
        if a.size != b.size:
            self.differences.append((field, f"{a.size} numbers, {self.PEER} has {b.size}"))
        elif a.size:
            with np.errstate(invalid="ignore"):
                error = np.where(a == b, 0, np.abs(a - b) / max(1.0, np.abs(b).max()))
            worst = int(np.argmax(error))  # of a NaN, if there is one
            if not error[worst] <= tolerance:
                self.differences.append((field, f"{a[worst]!r}, {self.PEER}'s {b[worst]!r}"))

    def compare_all(self):
        """The model, and where that is the same two random states."""
        self.compare_model()
        r = np.random.default_rng(self.seed)
        for _ in range(2):
            if not self.differences:
                self.compare_state(r)
        return self.differences


def print_differences(make, count, first=0):
    """All differences of the files of these seeds; make(seed, folder) returns a twin."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(count)):
            try:
                twin = make(seed, Path(folder))
            except (RuntimeError, ValueError, limpet.LimpetError) as error:
                print(f"seed {seed}: {error}")
                continue
            for field, text in twin.compare_all():
                print(f"seed {seed}: {field}: {text}")
