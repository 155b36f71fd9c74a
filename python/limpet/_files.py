"""Replays frame by frame, logs, meshes and point clouds as files have them."""

import os
import time
import warnings
import weakref
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import same_model
from limpet._errors import FileError, InputError, LimpetWarning, StateError, UnsupportedError
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._settings import settings_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from limpet._data import Data
    from limpet._settings import Settings


class Replay:
    """Frames of a run, of which a page for any browser is made.

    replay = limpet.Replay(model, name="mine"); replay.append(data) after each step;
    replay.write("out.html"), or limpet.write_replays([replay, other], "both.html")

    name: of the run among others; None: that of its contact model. signals: {"slip [mm]": function
    of data}, numbers that the page plots. settings, or keywords: for the page's summary.
    """

    model: "Model"

    def __init__(
        self,
        model: "Model",
        *,
        name: "str | None" = None,
        title: "str | None" = None,
        signals: "Mapping[str, Callable[[Data], float]] | None" = None,
        settings: "Settings | None" = None,
        **values: "Any",
    ):
        _errors.expect(model, Model, "model")
        if signals is not None and not hasattr(signals, "items"):
            raise TypeError(f"signals: expected a dict of functions of data, got {signals!r:.60}")
        chosen = settings_for(model, settings, values)
        options = ffi.new("limpet_replay_options *", lib.limpet_replay_options_default())
        options.settings = chosen._record
        keep = [ffi.new("char[]", str(t).encode()) for t in (name, title) if t is not None]
        for i, member in enumerate(m for m, t in (("name", name), ("title", title)) if t):
            setattr(options, member, keep[i])
        self.model, self._problem, self._data = model, None, None
        self._call = self._custom(options.custom, dict(signals or {}), keep)
        pointer = lib.limpet_replay_create(model._record, options)
        self._handle = Handle(_errors.out_of_memory(pointer), lib.limpet_replay_destroy)
        self._handle.holds = model._model_handle

    def _custom(self, custom, signals, keep):
        """Hands the functions of the signals to the library."""
        if not signals:
            return None
        names = [ffi.new("char[]", str(name).encode()) for name in signals]
        rows = ffi.new("const char *[]", names)
        keep += [*names, rows]

        def fill(_, __, values):
            for i, function in enumerate(signals.values()):
                try:
                    values[i] = float(function(self._data))
                except BaseException as reason:
                    self._problem, values[i] = reason, float("nan")

        call = ffi.callback("void(void *, const limpet_data *, double *)", fill)
        custom.count, custom.name, custom.values = len(signals), rows, call
        return call

    def append(self, data: "Data") -> None:
        """Takes a frame where one is due: before the first step, and after each."""
        same_model(self.model, data)
        self._data = data
        status = lib.limpet_replay_append(self._handle.pointer, self.model._record, data._record)
        problem, self._problem, self._data = self._problem, None, None
        if problem is not None:
            raise problem
        if status != lib.LIMPET_OK:
            raise MemoryError("the system gave no memory")

    def write(self, path: "str | os.PathLike[str]") -> None:
        """Writes the page. Raises FileError, or UnsupportedError without the viewer."""
        write_replays([self], path)


def write_replays(replays: "Sequence[Replay]", path: "str | os.PathLike[str]") -> None:
    """One page with several runs of one model over each other, under one time cursor: the first in
    the colours of the model, the others tinted. Raises FileError, or UnsupportedError without the
    viewer."""
    replays = _errors.items(replays, "replays", "limpet.Replay")
    if not replays or not all(isinstance(replay, Replay) for replay in replays):
        raise TypeError(f"replays: expected a list of limpet.Replay, got {replays!r}")
    model = replays[0].model
    if any(replay.model._model_handle is not model._model_handle for replay in replays):
        raise StateError("the replays are of different models")
    error = _errors.new_error()
    rows = ffi.new("const limpet_replay *[]", [r._handle.pointer for r in replays])
    place = _errors.c_path(path)
    status = lib.limpet_replays_write(rows, len(replays), model._record, place, error)
    _errors.check(status, error)


class LogWriter:
    """A log as `limpet run --log` writes it (HDF5, docs/log.md). The wheel carries HDF5; a library
    that was built without it (`pip install .`) raises UnsupportedError. A context manager.

    with limpet.LogWriter("out.h5", data) as log: limpet.step(model, data); log.append()
    """

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        data: "Data",
        *,
        interval: float = 0.0,
        settings: "Settings | None" = None,
        **values: "Any",
    ):
        same_model(getattr(data, "model", None), data)
        settings = settings_for(data.model, data.settings if settings is None else settings, values)
        options = ffi.new("limpet_log_options *", lib.limpet_log_options_default())
        interval = _errors.number(interval, "interval")
        if not 0.0 <= interval < float("inf"):
            raise InputError(f"interval is {interval:g}; give seconds, 0 for every step")
        options.interval, self._data, error = interval, data, _errors.new_error()
        pointer = lib.limpet_log_create(
            _errors.c_path(path), data.model._record, data._record, settings._record, options, error
        )
        self._pointer = _errors.check_pointer(pointer, error)
        self._end = weakref.finalize(self, _close_quietly, pointer, data)  # where it is forgotten

    def append(self) -> None:
        """After every step: records its control, and state and results where they are due."""
        if self._pointer is None:
            raise StateError("the log is closed")
        error, data = _errors.new_error(), self._data
        _errors.check(
            lib.limpet_log_append(self._pointer, data.model._record, data._record, error), error
        )

    def close(self) -> None:
        """Writes what is left."""
        pointer, self._pointer, error = self._pointer, None, _errors.new_error()
        if pointer is not None:
            self._end.detach()
            _errors.check(lib.limpet_log_close(pointer, error), error)

    def __enter__(self) -> "LogWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _close_quietly(pointer, _data):
    lib.limpet_log_close(pointer, ffi.NULL)


def _opened(h5py, place):
    """The file of a log. One that is written may be locked for a moment, in which names are
    exchanged: it is tried again."""
    for _ in range(24):
        try:
            return h5py.File(place, "r")
        except BlockingIOError:
            time.sleep(0.02)
    return h5py.File(place, "r")


def read_log(path: "str | os.PathLike[str]") -> "dict[str, Any]":
    """A log of `limpet run --log` as a dict of arrays by the names of docs/log.md: "time", "q",
    "contact/force", ...; "attributes": what it says of its run, "settings": those of its steps.
    Needs h5py. Raises FileError for what is no log. LimpetWarning tells of one that is still being
    written, of which this is what there is so far, and of one whose run was killed."""
    try:
        import h5py
    except ImportError:
        raise UnsupportedError("logs are read by h5py; pip install h5py") from None
    place = os.fspath(path)
    written = lib.limpet_log_is_being_written(_errors.c_path(place))
    try:
        with _opened(h5py, place) as file:
            if "model_hash" not in file.attrs or "time" not in file:
                raise FileError(f"{place}: no log of Limpet", place)
            arrays = {}
            file.visititems(lambda n, i: arrays.update({n: i[()]}) if hasattr(i, "shape") else None)
            arrays["attributes"] = dict(file.attrs)
            arrays["settings"] = dict(file["settings"].attrs)
        if not arrays["attributes"].get("complete", True):
            growing = written or lib.limpet_log_is_being_written(_errors.c_path(place))
            told = "is still being written" if growing else "ends early, since its run was killed"
            told += " or the disk was full" if not growing else ""
            warnings.warn(f"{place}: {told}", LimpetWarning, stacklevel=2)
        return arrays
    except FileError:
        raise
    except OSError as reason:
        words = {
            2: "there is no such file",
            11: "a process is writing it, on a file system on which nobody can read it meanwhile; "
            "wait for its end, or copy it and read the copy",
        }
        told = words.get(reason.errno, str(reason).splitlines()[0])
        if "signature" in told:
            told = "this is not an HDF5 file; give a log that limpet wrote"
        raise FileError(f"{place}: {told}", place) from None
    except (RuntimeError, KeyError, ValueError, TypeError, MemoryError) as reason:  # of h5py
        told = str(reason.args[0] if reason.args else reason).splitlines() or ["no memory"]
        raise FileError(f"{place}: is a damaged log: {told[0]}", place) from None


def _copied(pointer, shape, kind="double"):
    count = int(np.prod(shape))
    dtype = np.float64 if kind == "double" else np.int32
    if count == 0 or pointer == ffi.NULL:
        return np.empty(shape, dtype)
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer(ffi.buffer(pointer, size), dtype).reshape(shape).copy()


def _texture_coordinates(mesh):
    if mesh.texture_coordinates == ffi.NULL:
        return np.empty((0, 3, 2), np.float32)
    corners = ffi.buffer(mesh.texture_coordinates, 6 * 4 * mesh.face_count)
    return np.frombuffer(corners, np.float32).reshape((-1, 3, 2)).copy()


def read_mesh(path: "str | os.PathLike[str]") -> "dict[str, NDArray[Any]]":
    """A mesh file: STL, OBJ, MSH, VTK; DAE, PLY, glTF and GLB where assimp is there. A dict:
    vertices (n x 3) [units of the file], faces (n x 3), tetrahedra (n x 4), field (n) or empty,
    texture_coordinates (faces x 3 x 2) or empty, image (the bytes of a PNG or JPEG file).
    Raises FileError and InputError with the line."""
    mesh, error = ffi.new("limpet_mesh_file *"), _errors.new_error()
    _errors.check(lib.limpet_mesh_file_read(mesh, _errors.c_path(path), error), error)
    try:
        return {
            "vertices": _copied(mesh.vertices, (mesh.vertex_count, 3)),
            "faces": _copied(mesh.faces, (mesh.face_count, 3), "int"),
            "tetrahedra": _copied(mesh.tetrahedra, (mesh.tetrahedron_count, 4), "int"),
            "field": _copied(mesh.field, (mesh.vertex_count if mesh.field != ffi.NULL else 0,)),
            "texture_coordinates": _texture_coordinates(mesh),
            "image": bytes(ffi.buffer(mesh.image, mesh.image_size)) if mesh.image_size else b"",
        }
    finally:
        lib.limpet_mesh_file_free(mesh)


def read_cloud(path: "str | os.PathLike[str]") -> "NDArray[np.float64]":
    """Points (n x 3) [units of the file] of PLY, PCD, XYZ or NPY. Raises FileError and InputError,
    which names the point."""
    cloud, error = ffi.new("limpet_cloud_file *"), _errors.new_error()
    _errors.check(lib.limpet_cloud_file_read(cloud, _errors.c_path(path), error), error)
    try:
        return _copied(cloud.points, (cloud.point_count, 3))
    finally:
        lib.limpet_cloud_file_free(cloud)
