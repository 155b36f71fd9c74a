"""Controllers from JSON, and inverse kinematics."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import Data, numbers, same_model
from limpet._errors import InputError, text
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._objects import find_index

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray


class Controller:
    """A controller as docs/control.md describes it: Controller(model, {"kind": ...}), or JSON.

    source: a dict, or a text of JSON; file: names it in messages. Raises InputError with the place.
    """

    model: "Model"

    def __init__(self, model: "Model", source: "dict[str, Any] | str", file: "str | None" = None):
        _errors.expect(model, Model, "model")
        error = _errors.new_error()
        name = ffi.NULL if file is None else str(file).encode()
        pointer = lib.limpet_controller_create(
            model._model_handle.pointer, _errors.json_bytes(source), name, error
        )
        _errors.check_pointer(pointer, error)
        self._handle = Handle(pointer, lib.limpet_controller_destroy, holds=model._model_handle)
        self.model = model

    @classmethod
    def load(cls, model: "Model", path: "str | os.PathLike[str]") -> "Controller":
        """Reads the JSON from a file. Raises FileError and InputError."""
        try:
            with open(os.fspath(path), encoding="utf-8") as file:
                source = file.read()
        except OSError as reason:
            raise _errors.FileError(f"{path}: {reason.strerror}", str(path)) from None
        return cls(model, source, path)

    def update(self, data: "Data", time_step: "float | None" = None) -> None:
        """Before each step: writes controls and applied forces of what it drives. time_step [s];
        None: that of data.settings."""
        same_model(self.model, data)
        if time_step is None:
            time_step = data.settings.time_step
        length = _errors.number(time_step, "time_step")
        lib.limpet_controller_update(self._handle.pointer, self.model._record, data._record, length)

    def reset(self) -> None:
        """Forgets what it kept from update to update."""
        lib.limpet_controller_reset(self._handle.pointer)

    @property
    def report(self) -> "dict[str, float]":
        """Counts and tracking errors since the start, a dict."""
        report = lib.limpet_controller_report(self._handle.pointer)
        names = [name for name, _ in ffi.typeof(report).fields]
        return {name: getattr(report, name) for name in names}


@dataclass(frozen=True)
class Reach:
    """What inverse kinematics found: q in the order of the joints, errors [m, rad], and whether
    all tasks are met."""

    q: "NDArray[np.float64]"
    outcome: str
    solved: bool
    position_error: float
    rotation_error: float
    iterations: int


def _task(data, task):
    """One row of tasks as a limpet_ik_task."""
    known = {"body", "site", "point", "position", "quaternion"}
    if not isinstance(task, Mapping):
        raise TypeError(f"a task is a dict with {', '.join(sorted(known))}, not {task!r:.60}")
    if not set(task) <= known or ("body" in task) == ("site" in task):
        raise InputError(
            f"a task has a body or a site, and position, quaternion, point; got {sorted(task)}"
        )
    kind = "body" if "body" in task else "site"
    index = find_index(data._model_handle, kind, task[kind])
    object_kind = lib.LIMPET_OBJECT_BODY if kind == "body" else lib.LIMPET_OBJECT_SITE
    row = lib.limpet_ik_task_default(object_kind, index)
    row.point = list(numbers(task.get("point", (0, 0, 0)), (3,), "point"))
    if "position" in task:
        row.target.position = list(numbers(task["position"], (3,), "position"))
    else:
        row.position_weight = 0.0
    if "quaternion" in task:
        row.target.quaternion = list(numbers(task["quaternion"], (4,), "quaternion"))
    else:
        row.rotation_weight = 0.0
    return row


def inverse_kinematics(
    data: "Data",
    joints: "Sequence[str | int]",
    tasks: "Sequence[Mapping[str, Any]]",
    *,
    q: "ArrayLike | None" = None,
    restarts: int = 0,
) -> "Reach":
    """Coordinates of the chosen joints that bring frames to poses.

    joints: names or numbers of joints with one coordinate
    tasks: dicts such as {"body": "hand", "position": (x, y, z), "quaternion": (w, x, y, z),
        "point": (0, 0, 0.1)}, in W; what is left out is free
    q: where to start; None: the coordinates of `data`, which is not changed
    """
    _errors.expect(data, Data, "data")
    joints = _errors.items(joints, "joints", "names or numbers")
    index = [find_index(data._model_handle, "joint", joint) for joint in joints]
    error = _errors.new_error()
    rows = [_task(data, task) for task in _errors.items(tasks, "tasks", "dicts")]
    pointer = lib.limpet_ik_create(
        data._model_handle.pointer, len(index), index, max(1, len(rows)), error
    )
    _errors.check_pointer(pointer, error)
    handle = Handle(pointer, lib.limpet_ik_destroy, holds=data._model_handle)
    start = [data.q[data.model.joint_q[j]] for j in index] if q is None else q
    found = np.array(numbers(start, (len(index),), "q"))
    settings = ffi.new("limpet_ik_settings *", lib.limpet_ik_settings_default())
    settings.restart_limit = _errors.whole(restarts, "restarts")
    info = ffi.new("limpet_ik_info *")
    outcome = lib.limpet_ik_solve(
        handle.pointer,
        data._record,
        len(rows),
        ffi.new("limpet_ik_task[]", rows),
        settings,
        ffi.from_buffer("double[]", found, require_writable=True),
        info,
    )
    return Reach(
        found,
        text(lib.limpet_ik_outcome_word(outcome)),
        outcome == lib.LIMPET_IK_SOLVED,
        info.position_error,
        info.rotation_error,
        info.iterations,
    )
