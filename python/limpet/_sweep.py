"""A scene with numbers that vary: one row a run, by threads, shards or Ray. The table is that of
`limpet sweep` (docs/sweep.md), character for character."""

import fcntl
import io
import itertools
import math
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._builder import Builder
from limpet._errors import FileError, InputError, LimpetError, UnsupportedError
from limpet._model import Handle, Model
from limpet._native import lib
from limpet._native_words import OUTCOMES
from limpet._objects import find_index
from limpet._settings import Settings
from limpet._simulate import (
    Interrupted,
    _drive_of,
    _join,
    _Progress,
    read_controls,
    steps_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from limpet._data import Data

_RESULTS = ("outcome", "time", "steps", "iterations", "penetration", "contacts")
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)


class Table:
    """What limpet.sweep made, or limpet.read_sweep read: one row a run.

    columns: names. table["box.friction"]: the column as an array of numbers, NaN where a run failed
    before there was one; table["outcome"]: of texts. failed: which rows are of runs that failed.
    """

    columns: "tuple[str, ...]"

    def __init__(self, columns: "Sequence[str]", rows: "Sequence[Sequence[str]]"):
        self.columns = tuple(_errors.items(columns, "columns", "names"))
        self._rows = [
            tuple(_errors.items(row, "a row", "texts"))
            for row in _errors.items(rows, "rows", "rows of texts")
        ]

    def __getitem__(self, column: str) -> "NDArray[Any]":
        if column not in self.columns:
            raise InputError(f"there is no column {column!r}; there are: {', '.join(self.columns)}")
        cells = [row[self.columns.index(column)] for row in self._rows]
        if column == "outcome":
            return np.array(cells, dtype=str)
        return np.array([float(cell) if cell else math.nan for cell in cells])

    @property
    def failed(self) -> "NDArray[np.bool_]":
        """Which rows are of runs that failed (rows)."""
        bad = {outcome.text for outcome in OUTCOMES if outcome.failed}
        words = self["outcome"].tolist()
        return np.array([w in bad or w.startswith("error:") for w in words], dtype=bool)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the table by the ending of the path: .csv, or .parquet (needs pyarrow)."""
        if os.fspath(path).endswith(".parquet"):
            _write_parquet(self, path)
            return
        with _opened(path, "w") as file:
            file.write(self.text())

    def text(self) -> str:
        """The table as CSV."""
        out = io.StringIO()
        for row in (self.columns, *self._rows):
            out.write(",".join(row) + "\n")
        return out.getvalue()

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self):
        count = int(self.failed.sum())
        return f"<limpet.Table of {len(self)} runs, {count} failed: {', '.join(self.columns)}>"


def _write_parquet(table, path):
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UnsupportedError("Parquet needs pyarrow; pip install pyarrow, or save .csv") from None
    whole = ("run", "steps", "iterations", "contacts")
    columns = {}
    for name in table.columns:
        values = table[name]
        if name in whole:
            columns[name] = pyarrow.array(
                [None if math.isnan(v) else int(v) for v in values.tolist()], pyarrow.int64()
            )
        else:
            columns[name] = pyarrow.array(values.tolist())
    try:
        parquet.write_table(pyarrow.table(columns), os.fspath(path))
    except OSError as reason:
        raise FileError(f"{os.fspath(path)}: {reason}", os.fspath(path)) from None


def _opened(path, mode):
    try:
        return open(os.fspath(path), mode, encoding="utf-8", errors="surrogateescape", newline="\n")
    except OSError as reason:
        raise FileError(
            f"{os.fspath(path)}: {reason.strerror}; name another file", os.fspath(path)
        ) from None


def read_sweep(*paths: "str | os.PathLike[str]") -> "Table":
    """The table that `limpet sweep` or limpet.sweep wrote (CSV); of several files, such as those of
    shards, one table in the order of runs."""
    if not paths:
        raise InputError("give the file of a sweep")
    head, rows = None, {}
    for path in paths:
        with _opened(path, "r") as file:
            lines = file.read().splitlines()
        if not lines or not lines[0].startswith("run,") or head not in (None, lines[0]):
            raise InputError(
                f"{os.fspath(path)}: no table of the same sweep; the first line names columns, "
                "from `run` on",
                os.fspath(path),
            )
        head = lines[0]
        for number, line in enumerate(lines[1:], 2):
            cells = line.split(",")
            if len(cells) != head.count(",") + 1 or not cells[0].isdecimal():
                raise InputError(
                    f"{os.fspath(path)}:{number}: a row that is not whole; end the sweep by "
                    "starting it again",
                    os.fspath(path),
                    number,
                )
            rows[int(cells[0])] = cells
    return Table(head.split(","), [rows[run] for run in sorted(rows)])


# ------------------------------------------------------------------------------------- the plan


@dataclass(frozen=True)
class _Plan:
    """Everything that a run needs; pickled to other processes."""

    path: str
    parameters: "dict[str, Any]"
    controls_set: "dict[str, Any]"
    samples: "int | None"
    seconds: float
    controls: "Any"
    keyframe: "Any"
    track: "tuple[str, ...]"
    settings: "dict[str, Any]"
    load: "dict[str, Any]"

    def varying(self):
        """(name, whether it is a control, values) of what varies."""
        rows = [(n, False, v) for n, v in self.parameters.items()]
        rows += [(n, True, v) for n, v in self.controls_set.items()]
        return [row for row in rows if not isinstance(row[2], float)]

    def count(self):
        if self.samples is not None:
            return self.samples
        return math.prod(len(values) for _, _, values in self.varying())

    def values(self, run):
        """Values of what varies, in the order of varying(); the last one varies fastest."""
        result = []
        for d, (_, _, values) in reversed(list(enumerate(self.varying()))):
            if self.samples is None:
                result.append(values[run % len(values)])
                run //= len(values)
                continue
            u = _radical_inverse(run + 1, _PRIMES[d])
            if isinstance(values, tuple):
                result.append(values[0] + u * (values[1] - values[0]))
            else:
                result.append(values[int(u * len(values))])
        return result[::-1]

    def head(self):
        names = [name for name, _, _ in self.varying()]
        ends = [f"{t}.{part}" for t in self.track for part in ("x", "y", "z", "moved")]
        return ["run", *names, *_RESULTS, *ends]


def _radical_inverse(index, base):
    """Halton's sequence: the digits of index in that base, mirrored at the point."""
    result, digit = 0.0, 1.0 / base
    while index > 0:
        result += digit * (index % base)
        index //= base
        digit /= base
    return result


def _choices(name, values, samples):
    """One number: a float. A range: a tuple. Else a list of numbers."""
    if isinstance(values, tuple) and len(values) == 2 and samples is not None:
        values = tuple(_numbers(name, values))
    elif np.ndim(values) == 0:
        return _numbers(name, [values])[0]
    else:
        values = _numbers(name, values)
        if not values:
            raise InputError(f"{name}: no values")
    return values


def _numbers(name, values):
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected numbers, got {values!r}") from None
    if numbers.ndim != 1 or np.isnan(numbers).any():
        raise InputError(f"{name}: expected a row of numbers, got {values!r}")
    return numbers.tolist()


# --------------------------------------------------------------------------------------- one run


def _builder_of(plan, values):
    builder = Builder(plan.path, **plan.load)
    for name, value in plan.parameters.items():
        if isinstance(value, float):
            builder.set_parameter(name, value)
    for (name, control, _), value in zip(plan.varying(), values, strict=True):
        if not control:
            builder.set_parameter(name, value)
    return builder


def _tracks(model, texts):
    """(body, frame or None) of each BODY or BODY@FRAME."""
    bodies = model.names("body")
    rows = []
    for text in texts:
        body, at, frame = text.rpartition("@")
        if text in bodies or not at:
            rows.append((find_index(model._model_handle, "body", text), None))
        else:
            pair = (find_index(model._model_handle, "body", name) for name in (body, frame))
            rows.append(tuple(pair))
    return rows


def _places(data, tracks):
    places = []
    for body, frame in tracks:
        place = data.body_position[body].copy()
        if frame is not None:
            # summed as the command does, not by @: BLAS may fuse multiplication and addition
            x, y, z = (place - data.body_position[frame]).tolist()
            rotation = data.body_rotation[frame].reshape(3, 3)
            place = 0.0 + x * rotation[0] + y * rotation[1] + z * rotation[2]
        places.append(place)
    return places


def _settings(plan, model):
    return Settings(model, **plan.settings)


def _start(plan, model, values):
    """World and controls of a run."""
    data = model.data(plan.keyframe)
    for name, value in plan.controls_set.items():
        if isinstance(value, float):
            data.actuator(name).control = value
    for (name, control, _), value in zip(plan.varying(), values, strict=True):
        if control:
            data.actuator(name).control = value
    return data


class _EndedError(Exception):
    """A run was ended since the sweep is."""


def _simulated(plan, values, ended=()):
    """Cells of the results of a run. Raises _EndedError once there is something in `ended`."""
    # warnings were told once, before the first run
    pointer = _builder_of(plan, values)._compile()
    model = Model(Handle(pointer, lib.limpet_model_destroy))
    settings, data = _settings(plan, model), _start(plan, model, values)
    count = steps_of(plan.seconds, settings.time_step)
    controls = plan.controls
    if isinstance(controls, str):
        controls = read_controls(model, controls)
    drive = _drive_of(model, controls, count)
    tracks = _tracks(model, plan.track)
    call = model._record, data._record, settings._record
    lib.limpet_kinematics(*call[:2])
    start, info = _places(data, tracks), data._record.info
    worst = steps = iterations = contacts = 0
    penetration = 0.0
    while steps < count and not OUTCOMES[worst].failed:
        if ended:
            raise _EndedError
        if controls is not None:
            drive(data, steps)
        worst = max(worst, lib.limpet_step(*call))
        steps += 1
        iterations += info.iterations
        contacts = max(contacts, info.contact_count)
        penetration = max(penetration, info.deepest_penetration)
    lib.limpet_kinematics(*call[:2])
    cells = [OUTCOMES[worst].text, f"{data.time:.9g}", str(steps), str(iterations)]
    cells += [f"{penetration:.6g}", f"{contacts:g}"]
    for first, last in zip(start, _places(data, tracks), strict=True):
        x, y, z = (last - first).tolist()
        cells += [f"{c:.9g}" for c in (*last.tolist(), math.sqrt(x * x + y * y + z * z))]
    return cells


def _begin(plan, run):
    """What the row of a run begins with."""
    return [str(run), *(f"{value:.9g}" for value in plan.values(run))]


def _row(plan, run, ended=()):
    """The row of a run, whatever becomes of it."""
    try:
        cells = _simulated(plan, plan.values(run), ended)
    except (LimpetError, MemoryError, TypeError, IndexError) as reason:
        message = str(getattr(reason, "message", reason))
        text = "".join(" " if c in ',"\n\r' else c for c in message)
        cells = [f"error: {text}"] + [""] * (len(_RESULTS) - 1 + 4 * len(plan.track))
    return [*_begin(plan, run), *cells]


# --------------------------------------------------------------------------------------- the file


class _File:
    """The table while it grows: rows are appended and flushed as runs end."""

    def __init__(self, plan, path):
        self.plan, self.path, self.rows, self._hold = plan, path, {}, None
        if path is None:
            return
        self.path = os.fspath(path)
        if self.path.endswith(".parquet"):
            self.path = self.path.removesuffix(".parquet") + ".csv"
        head = ",".join(plan.head()) + "\n"
        self._hold = self._lock()
        try:
            if os.path.getsize(self.path):
                self._resume(head)
            else:
                self._append(head)
        except BaseException:
            self.close()
            raise

    def _lock(self):
        """The open table, locked for other sweeps as long as this one holds it."""
        file = _opened(self.path, "a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise FileError(
                f"{self.path}: another sweep writes this table; let it end, or name another file",
                self.path,
            ) from None
        except OSError:  # a file system without locks
            pass
        return file

    def _resume(self, head):
        with _opened(self.path, "r") as file:
            lines = file.read().splitlines(keepends=True)
        if len(lines) == 1 and not lines[0].endswith("\n") and head.startswith(lines[0]):
            lines = [head]  # its first line was cut
            self._write_all()
        whole = [line for line in lines if line.endswith("\n")]
        rows = [line.rstrip("\n").split(",") for line in whole[1:]]
        if whole[:1] != [head] or not all(self._is_mine(row) for row in rows):
            raise InputError(
                f"{self.path}: it is the table of another sweep; name another file", self.path
            )
        self.rows = {int(row[0]): row for row in rows}
        if len(whole) < len(lines):
            self._write_all()

    def _is_mine(self, row):
        run = int(row[0]) if row[0].isdecimal() else -1
        if not 0 <= run < self.plan.count() or len(row) != len(self.plan.head()):
            return False
        begin = _begin(self.plan, run)
        return row[: len(begin)] == begin

    def add(self, row):
        self.rows[int(row[0])] = row
        if self.path is not None:
            self._append(",".join(row) + "\n")

    def _append(self, text):
        try:
            with _opened(self.path, "a") as file:
                file.write(text)
        except FileError:
            raise
        except OSError as reason:
            raise FileError(
                f"{self.path}: {reason.strerror}; whole rows are kept", self.path
            ) from None

    def table(self):
        return Table(self.plan.head(), [self.rows[run] for run in sorted(self.rows)])

    def _write_all(self):
        beside = f"{self.path}.new"
        self.table().save(beside)
        os.replace(beside, self.path)

    def close(self):
        """Gives the table free for other sweeps."""
        if self._hold is not None:
            self._hold.close()

    def finish(self):
        if self.path is not None:
            self._write_all()
        return self.table()


# ---------------------------------------------------------------------------------------- engines


def _by_threads(plan, runs, threads, add):
    """Runs on threads of this process: a step lets other Python threads go on."""
    left, lock, problem = iter(runs), threading.Lock(), []

    def work():
        try:
            while not problem:
                with lock:
                    run = next(left, None)
                if run is None:
                    return
                row = _row(plan, run, problem)
                with lock:
                    add(row)
        except BaseException as reason:
            problem.append(reason)

    others = [threading.Thread(target=work) for _ in range(threads - 1)]
    try:
        for other in others:
            other.start()
        work()
        for other in others:
            other.join()
    except BaseException as reason:  # Ctrl-C outside of work
        problem.append(reason)
    _join(others)
    if problem:
        raise problem[0]


def _by_ray(plan, runs, add):
    """Runs as tasks of Ray, wherever it has processors."""
    try:
        import ray
    except ImportError:
        raise UnsupportedError("engine='ray' needs Ray; pip install ray") from None
    task = ray.remote(_row)
    shared = ray.put(plan)
    room = 4 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    left: Iterator[int] = iter(runs)
    waiting = [task.remote(shared, run) for run in itertools.islice(left, room)]
    while waiting:
        done, waiting = ray.wait(waiting)
        waiting += [task.remote(shared, run) for run in itertools.islice(left, len(done))]
        for row in ray.get(done):
            add(row)


def _shard_of(shard):
    if shard is None:
        return 0, 1
    try:
        index, count = (int(part) for part in shard)
    except (TypeError, ValueError):
        index, count = -1, 0
    if not 0 <= index < count:
        raise InputError(f"shard is {shard!r}; give (i, n) with i from 0 to n - 1")
    return index, count


def sweep(
    path: "str | os.PathLike[str]",
    parameters: "Mapping[str, ArrayLike]",
    *,
    set: "Mapping[str, ArrayLike] | None" = None,
    samples: "int | None" = None,
    seconds: float = 3.0,
    controls: "str | ArrayLike | Callable[[Data], ArrayLike | None] | None" = None,
    keyframe: "str | int | None" = None,
    track: "Sequence[str]" = (),
    threads: int = 1,
    shard: "tuple[int, int] | None" = None,
    engine: str = "threads",
    out: "str | os.PathLike[str] | None" = None,
    load: "Mapping[str, Any] | None" = None,
    progress: "bool | None" = None,
    **settings: "Any",
) -> "Table":
    """Simulates a model file once for each choice of numbers that vary: one row a run.

    parameters: {"pad*.friction": values}, numbers of the model as limpet.Builder.parameter names
        them, in SI: a number, a list or array of values, or with `samples` a tuple (low, high)
    set: the same for controls by the names of actuators, held through the run
    samples: so many points of a Halton sequence, which fill the ranges evenly; None: every
        combination, the last number fastest
    seconds: simulated time of each run [s]
    controls: CSV file, array (steps x nu) or (nu), or function of data, as of simulate
    track: bodies of which the table says where they end and how far they moved [m]; "cube@hand":
        as seen from the hand
    threads: runs at a time; engine="ray": tasks of Ray instead (needs Ray)
    shard: (i, n): only the runs whose number leaves i by n, for many machines
    out: CSV file that keeps each row once its run is done: a sweep that was stopped and is started
        again does what is missing. NAME.parquet: NAME.csv, and in the end Parquet beside it
    load: options of limpet.load; further keywords: settings, such as contact="sap", dt=1e-3

    A run that fails is a row whose outcome says so. Ctrl-C raises Interrupted, a KeyboardInterrupt
    whose `done` is the table of the runs that were made. The table is the same by any engine,
    number of threads or shards. Raises InputError for what is wrong before any run: names, ranges,
    shapes.
    """
    start = (_errors.number(seconds, "seconds"), controls, keyframe, track)
    plan = _plan_of(path, (parameters, set), samples, start, settings, load)
    if engine not in ("threads", "ray"):
        raise InputError(f"engine is {engine!r}; there are: threads, ray")
    threads = _errors.whole(threads, "threads")
    if threads < 1:
        raise InputError(f"threads is {threads}; give at least 1")
    index, count = _shard_of(shard)
    _check(plan)
    file = _File(plan, out)
    runs = [r for r in range(index, plan.count(), count) if r not in file.rows]
    bar, kept = _Progress(progress, max(1, len(runs)), "runs"), len(file.rows)

    def add(row):
        file.add(row)
        bar.say(len(file.rows) - kept)

    try:
        if engine == "ray":
            _by_ray(plan, runs, add)
        else:
            _by_threads(plan, runs, threads, add)
        table = file.finish()
    except KeyboardInterrupt:
        done = file.finish()
        missing = len(runs) - (len(done) - kept)
        again = "; the same call does those and keeps the rows" if out is not None else ""
        raise Interrupted(f"{missing} runs are missing{again}", done) from None
    finally:
        bar.end()
        file.close()
    if out is not None and os.fspath(out).endswith(".parquet"):
        table.save(out)
    return table


def _plan_of(path, varied, samples, start, settings, load):
    seconds, controls, keyframe, track = start
    for names in varied:
        if names is not None and not hasattr(names, "items"):
            raise TypeError(f"expected a dict of names and values, got {names!r}")
    if samples is not None:
        samples = _errors.whole(samples, "samples")
        if samples < 1:
            raise InputError(f"samples is {samples}; give at least 1")
    if not 0.0 < seconds < math.inf:
        raise InputError(f"seconds is {seconds:g}; give a positive, finite time")
    if isinstance(track, str):
        track = (track,)
    if isinstance(controls, os.PathLike):
        controls = os.fspath(controls)
    chosen = [
        {str(n): _choices(n, v, samples) for n, v in (names or {}).items()} for names in varied
    ]
    if sum(not isinstance(v, float) for group in chosen for v in group.values()) > len(_PRIMES):
        raise InputError(f"at most {len(_PRIMES)} numbers vary at a time")
    return _Plan(
        os.fspath(path),
        *chosen,
        samples,
        *(seconds, controls, keyframe, tuple(track)),
        dict(settings),
        dict(load or {}),
    )


def _check(plan):
    """Says what is wrong with names, options and settings before any run."""
    builder = Builder(plan.path, **plan.load)
    for name in plan.parameters:
        builder.parameter_unit(name)
    model = builder.compile()
    for name in plan.controls_set:
        find_index(model._model_handle, "actuator", name)
    if plan.keyframe is not None:
        find_index(model._model_handle, "keyframe", plan.keyframe)
    if isinstance(plan.controls, str):
        read_controls(model, plan.controls)
    _settings(plan, model)
    _tracks(model, plan.track)
