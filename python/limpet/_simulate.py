"""Running a world for a while, and what was recorded of it."""

import bisect
import csv
import math
import os
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors, _fields
from limpet._control import Controller
from limpet._data import ContactRows, Data, doubles, same_model
from limpet._errors import InputError, UnsupportedError
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._native_words import OUTCOMES
from limpet._objects import find_index, no_attribute
from limpet._settings import settings_for

# numbers of limpet_step_info that a log keeps for each record
_INFO = (
    *("iterations", "residual", "contact_count", "deepest_penetration"),
    *("friction_departure", "overlap_made", "kinetic_energy", "potential_energy", "energy_rise"),
    *("return_work", "surface_error", "surface_missing"),
)
_THREADS = 1024  # most of a batch, as of a step
_MOMENT = 1000  # steps that are over before anyone presses Ctrl-C
_INFO_DTYPE = _fields.INFO.dtype()

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from limpet._native_words import Outcome
    from limpet._settings import Settings


class Log:
    """What simulate recorded, one row a record.

    time (n) [s], q (n x nq), v (n x nv), control (n x nu), sensor (n x nsensor), outcome (n): state
    and results at the end of a step. contacts: a list of n record arrays, as data.contacts.
    info: a dict of arrays (n) by the names of limpet_step_info. outcome_count: steps by outcome.
    """

    model: "Model"
    settings: "Settings"
    time: "NDArray[np.float64]"
    q: "NDArray[np.float64]"
    v: "NDArray[np.float64]"
    control: "NDArray[np.float64]"
    sensor: "NDArray[np.float64]"
    outcome: "NDArray[np.int32]"
    contacts: "list[np.recarray[Any, Any]]"
    info: "dict[str, NDArray[Any]]"
    outcome_count: "dict[Outcome, int]"

    def __init__(self, model, settings, rows, counts, replay):
        self.model = model
        self.settings = settings
        self.time = rows.column("time", ())
        for name, size in rows.sizes.items():
            setattr(self, name, rows.column(name, (size,)))
        info = rows.info()
        self.outcome = info["outcome"].copy()
        self.contacts = rows.contacts.split()
        self.info = {name: info[name].copy() for name in _INFO}
        self.outcome_count = counts
        self._replay = replay

    if not TYPE_CHECKING:  # what has no name here is an error of types, too

        def __getattr__(self, name):
            raise no_attribute(self, name, [own for own in vars(self) if own[0] != "_"])

    @property
    def worst(self) -> "Outcome":
        """The worst outcome of all steps."""
        return max((o for o, count in self.outcome_count.items() if count), default=OUTCOMES[0])

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the arrays, without contacts, as NumPy's .npz, which the path may leave out.

        Raises InputError for another ending, FileError where the file cannot be written: what was
        there stays.
        """
        names = ("time", "q", "v", "control", "sensor", "outcome")
        arrays = {name: getattr(self, name) for name in names}
        place = os.fspath(path)
        if os.path.splitext(place)[1] not in ("", ".npz"):
            raise InputError(
                f"{place}: arrays are saved as .npz; limpet.LogWriter writes logs (.h5), "
                "log.replay pages (.html)"
            )
        arrays.update({f"info_{name}": array for name, array in self.info.items()})
        try:
            _save_arrays(place if place.endswith(".npz") else place + ".npz", arrays)
        except OSError as reason:
            raise _errors.FileError(f"{place}: {reason.strerror}", str(place)) from None

    def replay(self, path: "str | os.PathLike[str]") -> None:
        """Writes a self-contained page that shows the run in any browser."""
        if self._replay is None:
            raise InputError(
                "nothing was kept for a replay; simulate with replay=True (a pickled log has none)"
            )
        error = _errors.new_error()
        pointer = self._replay.pointer
        model = self.model._model_handle.pointer
        status = lib.limpet_replay_write(pointer, model, _errors.c_path(path), error)
        _errors.check(status, error)

    def plot(self, *signals: str, axes: "Any" = None) -> "Any":
        """Draws signals over time by Matplotlib: "q", "v", "control", "sensor", or names of info.

        Without names: coordinates, and how deep contacts are. Returns the axes.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise UnsupportedError("plots need Matplotlib; pip install matplotlib") from None
        signals = signals or ("q", "deepest_penetration")
        if axes is None:
            _, axes = plt.subplots(len(signals), sharex=True, squeeze=False)
            axes = axes[:, 0]
        for signal, ax in zip(signals, np.atleast_1d(axes), strict=True):
            ax.plot(self.time, self._signal(signal))
            ax.set_ylabel(_label(signal))
        np.atleast_1d(axes)[-1].set_xlabel("time [s]")
        return axes

    def _signal(self, name):
        if name in self.info:
            return self.info[name]
        if name in ("q", "v", "control", "sensor", "outcome"):
            return getattr(self, name)
        known = ("q", "v", "control", "sensor", "outcome", *self.info)
        raise InputError(f"there is no signal {name!r}; there are: {', '.join(known)}")

    def _repr_html_(self):
        """The replay inline, as Jupyter shows it."""
        return inline(self, None if self._replay is None else self.replay)

    def __getstate__(self):
        # the frames of a replay stay with the process that made them
        return self.__dict__ | {"_replay": None}

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self):
        end = f"{self.time[-1]:g} s" if len(self) else "no records"
        return f"<limpet.Log of {self.model.name!r}: {len(self)} records, {end}, {self.worst}>"


def inline(what, write):
    """HTML that shows a page inline, as Jupyter does; `write` writes it to a path, None: there is
    no page, and words are shown."""
    if write is None or not lib.limpet_replay_available():
        import html

        return f"<pre>{html.escape(repr(what))}</pre>"
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "replay.html")
        write(page)
        with open(page, encoding="utf-8") as file:
            source = file.read()
    quoted = source.replace("&", "&amp;").replace('"', "&quot;")
    return f'<iframe srcdoc="{quoted}" width="100%" height="600" style="border:0"></iframe>'


def _save_arrays(path, arrays):
    """Writes beside the file and then replaces it: a disk that fills leaves no half of it."""
    part = path + ".part"
    try:
        with open(part, "wb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise


def write_pose(data, path):
    """A page that shows a world as it is now."""
    frames, error = _replay_create(data.model, data.settings), _errors.new_error()
    model = data.model._record
    lib.limpet_replay_append(frames.pointer, model, data._record)
    _errors.check(
        lib.limpet_replay_write(frames.pointer, model, _errors.c_path(path), error), error
    )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a long call: a KeyboardInterrupt that keeps what was done until then.

    done: the Log of simulate, the Table of sweep
    """

    done: "Any"

    def __init__(self, message: str, done: "Any"):
        super().__init__(message)
        self.done = done


def _label(signal):
    from limpet._fields import DATA, INFO

    table = DATA if signal in DATA else INFO
    unit = table[signal].unit if signal in table else None
    return f"{signal} [{unit}]" if unit and unit != "1" else signal


def _drive_of(model, controls, step_count):
    """A function that sets the inputs of a step, from what a caller may give as controls."""
    if controls is None:
        return lambda data, k: None
    if isinstance(controls, Controller):
        return lambda data, k: controls.update(data)
    if callable(controls):

        def call(data, k):
            wanted = controls(data)
            if wanted is not None:
                data.control = wanted

        return call
    if isinstance(controls, str | os.PathLike):
        raise InputError(
            "controls: expected numbers or a function, got a path; of a file of controls give "
            f"limpet.read_controls(model, {os.fspath(controls)!r})"
        )
    table = np.asarray(controls, dtype=np.float64)
    if table.shape == (model.nu,):
        table = np.broadcast_to(table, (step_count, model.nu))
    if table.shape != (step_count, model.nu):
        raise InputError(
            f"controls: expected ({step_count}, {model.nu}), a row for each step, or ({model.nu},);"
            f" got {table.shape}"
        )

    def follow(data, k):
        data.control[:] = table[k]

    return follow


def read_controls(model: "Model", path: "str | os.PathLike[str]") -> "Callable[[Data], None]":
    """Controls from a CSV file, as `limpet run --controls` reads it: a column `time` [s] and one
    for each actuator that it drives, linear in between. Returns what simulate takes."""
    _errors.expect(model, Model, "model")
    try:
        with open(os.fspath(path), encoding="utf-8") as file:
            names = [name.strip() for name in next(csv.reader([file.readline()]), [])]
            rows = file.read().splitlines()
            table = np.loadtxt(rows, delimiter=",", ndmin=2) if any(rows) else np.empty((0, 0))
    except OSError as reason:
        raise _errors.FileError(f"{path}: {reason.strerror}", str(path)) from None
    except (csv.Error, ValueError) as reason:
        raise InputError(f"{path}: {reason}", str(path)) from None
    if "time" not in names or table.shape[1:] != (len(names),):
        raise InputError(
            f"{path}: expected a head `time,ACTUATOR,...` and rows of as many numbers; commas "
            "separate columns",
            str(path),
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path}:1: column {twice!r} stands there twice", str(path), 1)
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise InputError(f"{path}: row {row + 1} has a number that is not finite", str(path))
    time = table[:, names.index("time")]
    if (np.diff(time) <= 0).any():
        raise InputError(f"{path}: times must grow from row to row", str(path))
    places = [i for i, name in enumerate(names) if name != "time"]
    chosen = [find_index(model._model_handle, "actuator", names[i]) for i in places]
    values, times = table[:, places], time.tolist()

    def drive(data):
        # the arithmetic of `limpet run`, so that runs have the same bits
        row = max(bisect.bisect_right(times, data.time) - 1, 0)
        here = values[row]
        if row + 1 < len(times) and data.time > times[row]:
            share = (data.time - times[row]) / (times[row + 1] - times[row])
            here = here + share * (values[row + 1] - here)
        data.control[chosen] = here

    return drive


def _replay_create(model, settings):
    options = ffi.new("limpet_replay_options *", lib.limpet_replay_options_default())
    options.settings = settings._record
    pointer = lib.limpet_replay_create(model._model_handle.pointer, options)
    handle = Handle(_errors.out_of_memory(pointer), lib.limpet_replay_destroy)
    handle.holds = model._model_handle
    return handle


class _Rows:
    """Rows of a log while they are taken: memory of the world is appended as it stands, and becomes
    arrays in the end."""

    def __init__(self, model, data):
        self.sizes = {"q": model.nq, "v": model.nv, "control": model.nu, "sensor": model.nsensor}
        self.contacts = ContactRows()
        record = self._record = data._record
        places = {
            "time": ffi.buffer(ffi.addressof(record, "time")),
            "info": ffi.buffer(ffi.addressof(record, "info")),
        }
        for name in self.sizes:
            places[name] = memoryview(getattr(data, name)).cast("B")
        self._memory = {name: bytearray() for name in places}
        self._pairs = [(self._memory[name], place) for name, place in places.items()]

    def take(self):
        """Appends the row of the last step."""
        for memory, place in self._pairs:
            memory += place
        self.contacts.take(self._record)

    def column(self, name, shape):
        return np.frombuffer(self._memory[name]).reshape(self.count, *shape)

    def info(self):
        return np.frombuffer(self._memory["info"], _INFO_DTYPE)

    @property
    def count(self):
        return len(self._memory["time"]) // 8


class _Progress:
    """A line on a terminal that says how far a long run is; silent elsewhere."""

    def __init__(self, wanted, whole, unit="s"):
        self.shown = sys.stderr.isatty() if wanted is None else wanted
        self.whole, self.unit = whole, unit
        self.percent = -1

    def say(self, done):
        percent = int(100 * min(1.0, done / self.whole))
        if self.shown and percent != self.percent:
            self.percent = percent
            text = f"{done:.2f} s" if self.unit == "s" else f"{done} of {self.whole} {self.unit}"
            print(f"\r{percent:3d} %  {text}", end="", file=sys.stderr, flush=True)

    def end(self):
        if self.shown:
            print(file=sys.stderr)


def simulate(
    model: "Model",
    seconds: float,
    *,
    data: "Data | None" = None,
    controls: "ArrayLike | Controller | Callable[[Data], ArrayLike | None] | None" = None,
    interval: float = 0.0,
    keyframe: "str | int | None" = None,
    replay: bool = True,
    progress: "bool | None" = None,
    settings: "Settings | None" = None,
    **values: "Any",
) -> "Log":
    """Runs a world for `seconds`, in whole steps that last at least so long, and returns its Log.

    data: the world to move on; None: a new one, in `keyframe` if that is given
    controls: an array (steps x nu) or (nu), a function of data that sets or returns controls, or a
        Controller; None: as they are
    interval: seconds between records; 0: every step. The last step always has a record
    replay: keep frames, so that log.replay(path) can show the run
    progress: whether to say how far it is; None: on a terminal
    settings, or keywords such as contact="sap", dt=1e-3: how steps are made

    A step that fails ends the run; log.worst says how. Ctrl-C raises Interrupted, a
    KeyboardInterrupt whose `done` is the Log until then.
    """
    _errors.expect(model, Model, "model")
    if data is None:
        data = Data(model)
        if keyframe is not None:
            data.reset(keyframe)
    elif keyframe is not None:
        raise InputError("give data, or the keyframe in which a new world begins, not both")
    same_model(model, data)
    settings = settings_for(model, settings, values)
    seconds = _errors.number(seconds, "seconds")
    step_count = steps_of(seconds, settings.time_step)
    interval = _errors.number(interval, "interval")
    if not 0.0 <= interval < float("inf"):
        raise InputError(f"interval is {interval}; give seconds, 0 for every step")
    stride = max(1, round(interval / settings.time_step))
    drive = _drive_of(model, controls, step_count)
    frames = _replay_create(model, settings) if replay else None
    bar = _Progress(progress, seconds)
    rows, counts = _Rows(model, data), [0] * len(OUTCOMES)

    def log():
        return Log(model, settings.copy(), rows, dict(zip(OUTCOMES, counts, strict=True)), frames)

    begin = data.time
    records = model._record, data._record
    before = data._claim()
    try:
        if frames is not None:
            lib.limpet_replay_append(frames.pointer, *records)
        for k in range(step_count):
            drive(data, k)
            outcome = lib.limpet_step(*records, settings._record)
            counts[outcome] += 1
            failed = OUTCOMES[outcome].failed
            if (k + 1) % stride == 0 or k + 1 == step_count or failed:
                rows.take()
            if frames is not None:
                lib.limpet_replay_append(frames.pointer, *records)
            if bar.shown:
                bar.say(data.time - begin)
            if failed:
                break
    except KeyboardInterrupt:
        raise Interrupted(f"simulated {data.time - begin:.6g} s of {seconds:g} s", log()) from None
    finally:
        data._stepper = before
        bar.end()
    return log()


LONGEST = 1e9  # [s]


def steps_of(seconds, time_step):
    """Steps that last at least so long, as the command counts them."""
    seconds = float(seconds)
    if not 0.0 < seconds < float("inf"):
        raise InputError(f"seconds is {seconds:g}; give a positive, finite time")
    if seconds > LONGEST:
        raise InputError(f"seconds is {seconds:g}; give {LONGEST:g} at most, as to the command")
    return max(1, math.ceil(seconds / time_step - 1e-6))


class Traces:
    """What rollout gives: q (worlds x rows x nq), v, sensor, end_state, outcome (worlds)."""

    q: "NDArray[np.float64]"
    v: "NDArray[np.float64]"
    sensor: "NDArray[np.float64]"
    end_state: "NDArray[np.float64]"
    outcome: "NDArray[np.int32]"

    def __init__(self, q, v, sensor, end_state, outcome):
        self.q, self.v, self.sensor = q, v, sensor
        self.end_state, self.outcome = end_state, outcome

    @property
    def worst(self) -> "Outcome":
        """The worst outcome of all steps of all worlds."""
        return OUTCOMES[int(self.outcome.max(initial=0))]


class Batch:
    """A pool of threads with a world for each, to be used for many rollouts of one model.

    model: a Model, or a list of models of one size with other masses, friction and the like: world
    i of a rollout is of the i-th one

    Threads that share a batch wait for each other; a fork goes on with threads of its own.
    """

    model: "Model"
    models: "tuple[Model, ...]"
    threads: int

    def __init__(self, model: "Model | Sequence[Model]", threads: "int | None" = None):
        one = isinstance(model, Model)
        models = (model,) if one else tuple(_errors.items(model, "model", "limpet.Model"))
        if not models:
            raise InputError("model: a list of no models")
        for each in models:
            _errors.expect(each, Model, "model")
        if threads is None:
            count = len(os.sched_getaffinity(0))
        else:
            count = _errors.whole(threads, "threads")
        if not 1 <= count <= _THREADS:
            raise InputError(f"threads is {count}; give 1 to {_THREADS}")
        _same_sizes(models)
        self.model, self.models, self.threads = models[0], models, count
        self._each = not one
        self._busy, self._process = threading.Lock(), os.getpid()
        pointers = ffi.new("const limpet_model *[]", [m._record for m in models])
        pointer = (
            lib.limpet_batch_create_each(pointers, len(models), count)
            if self._each
            else lib.limpet_batch_create(model._record, count)
        )
        self._handle = Handle(_errors.out_of_memory(pointer), lib.limpet_batch_destroy)
        self._handle.holds = [m._model_handle for m in models]

    def __reduce__(self):
        return Batch, (list(self.models) if self._each else self.model, self.threads)

    def rollout(
        self,
        states: "ArrayLike | None" = None,
        controls: "ArrayLike | None" = None,
        *,
        steps: "int | None" = None,
        worlds: "int | None" = None,
        interval: int = 1,
        out: "Traces | None" = None,
        settings: "Settings | None" = None,
        **values: "Any",
    ) -> "Traces":
        """Steps many worlds side by side.

        states: (worlds x state_size) by data.get_state(), or one (state_size) for all; None: reset
        controls: (worlds x steps x nu); or None, and `steps` says how many, `worlds` of how many
        interval: steps between two rows of the results
        out: Traces of an earlier call with the same shapes, to be written over

        The same bits at any number of threads. Ctrl-C ends it by a KeyboardInterrupt.
        """
        m = self.model
        settings = settings_for(m, settings, values)
        size = lib.limpet_data_state_size(m._record)
        if self._each and worlds is None and states is None and controls is None:
            worlds = len(self.models)
        states, controls, worlds, steps = _shapes(m, size, states, controls, worlds, steps)
        if self._each and worlds > len(self.models):
            raise InputError(f"{worlds} worlds, but the batch has {len(self.models)} models")
        interval = _errors.whole(interval, "interval")
        if interval < 1:
            raise InputError(f"interval is {interval}; give at least 1 step")
        if out is not None and not isinstance(out, Traces):
            raise TypeError(f"out is limpet.Traces, not {type(out).__name__}")
        rows = steps // interval
        traces = out if out is not None else _traces(m, worlds, rows, size)
        request = ffi.new("limpet_rollout *")
        request.settings = settings._record
        request.world_count, request.step_count, request.interval = worlds, steps, interval
        wanted = {
            "q": (worlds, rows, m.nq),
            "v": (worlds, rows, m.nv),
            "sensor": (worlds, rows, m.nsensor),
            "end_state": (worlds, size),
        }
        keep = [_input(request, "start_state", states), _input(request, "control", controls)]
        for name, shape in wanted.items():
            keep.append(_output(request, name, getattr(traces, name), shape, np.float64, "double"))
        keep.append(_output(request, "outcome", traces.outcome, (worlds,), np.int32, "int"))
        if self._process != os.getpid():  # a fork: whoever held the lock is not here
            self._busy, self._process = threading.Lock(), os.getpid()
        self._run(request, keep)
        return traces

    def _run(self, request, keep):
        """Rolls out, such that Ctrl-C ends it: Python hears of signals in the main thread only,
        which therefore waits for another one where that takes a while."""
        ended = []

        def work():  # has all that the library uses, whoever waits
            with self._busy:
                if not ended:
                    lib.limpet_batch_rollout(self._handle.pointer, request)
                keep.clear()

        main = threading.current_thread() is threading.main_thread()
        if not main or request.world_count * request.step_count < _MOMENT:
            return work()
        request.go_on = call = ffi.callback("bool(void *)", lambda _: not ended)
        keep.append(call)
        thread = threading.Thread(target=work)
        try:
            thread.start()
            thread.join()
        except BaseException:
            ended.append(True)
            _join([thread])
            raise


def _join(threads):
    """Waits for threads that were told to end, though Ctrl-C be pressed again."""
    for thread in threads:
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                continue


def _same_sizes(models):
    """Raises unless all models have states, controls and sensors of one size."""
    if not models:
        raise InputError("there is no model")
    sizes = [
        (m.nq, m.nv, m.nu, m.nsensor, lib.limpet_data_state_size(m._record)) for m in models
    ]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            raise InputError(
                f"model {i} has {size} coordinates, velocities, controls, numbers of sensors and "
                f"of the state, but model 0 has {sizes[0]}"
            )


def _shapes(model, size, states, controls, worlds, steps):
    """States and controls as contiguous arrays, and how many worlds and steps they mean."""
    if controls is not None:
        controls = doubles(controls, "controls")
        if controls.ndim != 3 or controls.shape[2] != model.nu:
            raise InputError(
                f"controls: expected (worlds, steps, {model.nu}), got {controls.shape}"
            )
        if worlds not in (None, controls.shape[0]) or steps not in (None, controls.shape[1]):
            raise InputError(f"controls are {controls.shape}; worlds and steps say otherwise")
        worlds, steps = controls.shape[:2]
    if states is not None:
        states = doubles(states, "states")
        if worlds is None:
            worlds = states.shape[0] if states.ndim == 2 else 1
        if states.shape not in ((size,), (worlds, size)):
            raise InputError(
                f"states: expected ({worlds}, {size}) or ({size},), got {states.shape}; a state is "
                "what data.get_state() gives, more than q and v"
            )
        states = np.ascontiguousarray(np.broadcast_to(states, (worlds, size)))
    if steps is None:
        raise InputError("give controls, or how many steps")
    worlds = 1 if worlds is None else _errors.whole(worlds, "worlds")
    steps = _errors.whole(steps, "steps")
    if worlds < 0 or steps < 0:
        raise InputError(f"{worlds} worlds, {steps} steps: give numbers that are not negative")
    return states, controls, worlds, steps


def _traces(model, worlds, rows, size):
    return Traces(
        np.empty((worlds, rows, model.nq)),
        np.empty((worlds, rows, model.nv)),
        np.empty((worlds, rows, model.nsensor)),
        np.empty((worlds, size)),
        np.empty(worlds, dtype=np.int32),
    )


def _input(request, name, array):
    if array is None or array.size == 0:
        return None
    buffer = ffi.from_buffer("double[]", array)
    setattr(request, name, buffer)
    return array, buffer


def _output(request, name, array, shape, dtype, ctype):
    if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous:
        raise InputError(f"out.{name}: expected {shape} of {np.dtype(dtype)}, got {array.shape}")
    if array.size == 0:
        return None
    buffer = ffi.from_buffer(f"{ctype}[]", array, require_writable=True)
    pointer = ffi.cast("limpet_outcome *", buffer) if name == "outcome" else buffer
    setattr(request, name, pointer)
    return array, buffer


def rollout(
    model: "Model | Sequence[Model]",
    states: "ArrayLike | None" = None,
    controls: "ArrayLike | None" = None,
    *,
    threads: "int | None" = None,
    **options: "Any",
) -> "Traces":
    """Steps many worlds of a model side by side, on threads.

    states: (worlds x state_size) by data.get_state(), or one (state_size) for all; None: reset
    controls: (worlds x steps x nu); or None, and `steps` says how many, `worlds` of how many
    threads: None: as many as the machine has for this process
    options: steps, worlds, interval, out, settings as of Batch.rollout, which keeps its threads and
        worlds for many calls; further keywords are settings, such as contact="sap"

    Returns Traces: q (worlds x rows x nq), v, sensor, outcome. The same bits at any number of
    threads.
    """
    return Batch(model, threads).rollout(states, controls, **options)
