"""Trajectory optimisation and fits of models to recordings, from JSON."""

import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._builder import Builder
from limpet._data import numbers, same_model
from limpet._errors import InputError, LimpetWarning, StateError, text
from limpet._model import Handle, Model
from limpet._native import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from limpet._data import Data


def _name_of(file):
    return ffi.NULL if file is None else _errors.c_path(file)


def _view(pointer, shape, owner):
    """NumPy view of doubles that belong to a C object, which it keeps alive."""
    count = int(np.prod(shape))
    if count == 0 or pointer == ffi.NULL:
        return np.empty(shape if count == 0 else (0,))
    held = ffi.gc(ffi.cast("char *", pointer), lambda _, keep=owner: None)
    return np.frombuffer(ffi.buffer(held, 8 * count), np.float64).reshape(shape)


def _told(kind, progress, names):
    """The C callback of `kind` that calls `progress`, unless it is None, with these members of what
    it is told; and a list that takes the exception which ended it. Ctrl-C is seen in it, too."""

    def tell(_, told):
        return not progress or progress(*(getattr(told, name) for name in names)) is not False

    return _errors.callback(kind, tell)


# whole numbers of limpet_plan_settings: least and greatest
_WHOLE = {"iteration_limit": (1, 10**9), "line_search_limit": (1, 1000), "threads": (1, 1024)}


def _check_settings(settings):
    for name, field in ffi.typeof(settings).item.fields:
        value = getattr(settings, name)
        least, most = _WHOLE.get(name, (0, float("inf")))
        number = field.type.cname in ("int", "double")
        if number and not least <= value <= most:
            raise InputError(f"settings.{name} is {value}; give {least} to {most:g}")


class Plan:
    """Controls that make a robot do what a cost asks (docs/trajectory-optimisation.md).

    plan = limpet.Plan(model, {"duration": 1, "cost": [...]}); plan.solve(); plan.control

    source: a dict, or a text of JSON, as a plan.json without "model"; file: names it in messages.
    Raises InputError with file, line and place.
    """

    model: "Model"

    def __init__(self, model: "Model", source: "dict[str, Any] | str", file: "str | None" = None):
        _errors.expect(model, Model, "model")
        error = _errors.new_error()
        raw, name = _errors.json_bytes(source), _name_of(file)
        task = lib.limpet_plan_task_create(model._record, raw, name, error)
        _errors.check_pointer(task, error)
        held = model._model_handle
        self._task = Handle(task, lib.limpet_plan_task_destroy, holds=held)
        knots = task.problem.knot_count
        pointer = lib.limpet_plan_create(model._record, knots, error)
        _errors.check_pointer(pointer, error)
        self._handle = Handle(pointer, lib.limpet_plan_destroy, holds=held)
        lib.limpet_plan_task_guess(task, pointer)
        self.model, self._knots, self._solved = model, knots, False

    @property
    def settings(self) -> "Any":
        """Settings of the solver, the struct limpet_plan_settings: iteration_limit, threads, ..."""
        settings = ffi.addressof(self._task.pointer[0], "settings")
        return ffi.gc(settings, lambda _, keep=self._task: None)  # the plan lives as long

    def solve(self, progress: "Callable[[int, float], bool | None] | None" = None) -> str:
        """Improves the controls from what they are, by the stages of "smoothing" and then without.
        Returns the outcome in words: "converged", ...

        progress: called with the number of the iteration and the cost; False ends it

        Ctrl-C ends it after the iteration that is made, by a KeyboardInterrupt.
        """
        settings = ffi.new("limpet_plan_settings *", self._task.pointer.settings)
        _check_settings(settings)
        call, problem = _told("limpet_plan_progress", progress, ("number", "cost"))
        settings.progress = call
        outcome = lib.limpet_plan_task_solve(self._task.pointer, self._handle.pointer, settings)
        if outcome == lib.LIMPET_PLAN_OUT_OF_MEMORY:
            raise MemoryError("the system gave no memory")
        self._solved = True
        if problem:
            raise problem[0]
        return text(lib.limpet_plan_outcome_word(outcome))

    @property
    def control(self) -> "NDArray[np.float64]":
        """Controls (knots x nu), a view that can be written: the guess, then the plan."""
        return _view(self._handle.pointer.control, (self._knots, self.model.nu), self._handle)

    @property
    def state(self) -> "NDArray[np.float64]":
        """Full states (knots + 1 x state size) of the plan, as data.set_state takes them."""
        size = lib.limpet_data_state_size(self.model._record)
        return _view(self._handle.pointer.state, (self._knots + 1, size), self._handle)

    @property
    def gain(self) -> "NDArray[np.float64]":
        """Feedback (knots x nu x 2 nv): u = control + gain (x - state)."""
        shape = (self._knots, self.model.nu, 2 * self.model.nv)
        return _view(self._handle.pointer.gain, shape, self._handle)

    @property
    def cost(self) -> float:
        """Cost of the controls after the last solve."""
        return self._handle.pointer.cost

    @property
    def iterations(self) -> int:
        """Iterations of the last solve."""
        return self._handle.pointer.iterations

    @property
    def reason(self) -> "str | None":
        """Why a step has no derivative; None: they have."""
        return text(self._handle.pointer.reason)

    @property
    def terms(self) -> "dict[str, tuple[float, float]]":
        """What each term costs: {name: (running cost, cost of the last state)}. After solve."""
        self._need_solution()
        running, last, rows = ffi.new("double *"), ffi.new("double *"), {}
        for i in range(self._task.pointer.term_count):
            name = lib.limpet_plan_task_term(
                self._task.pointer, self._handle.pointer, i, running, last
            )
            rows[text(name)] = running[0], last[0]
        return rows

    def feedback(self, knot: int, data: "Data") -> "NDArray[np.float64]":
        """Control (nu) of a knot with feedback from the world that is really there. After solve."""
        same_model(self.model, data)
        self._need_solution()
        if not 0 <= knot < self._knots:
            raise IndexError(f"knot {knot}: the plan has {self._knots}")
        control = np.empty(self.model.nu)
        buffer = ffi.from_buffer("double[]", control, require_writable=True)
        lib.limpet_plan_feedback(self._handle.pointer, knot, data._record, buffer)
        return control

    def advance(self, knots: int = 1) -> None:
        """A receding horizon: forgets the first knots and repeats the last control. After solve."""
        self._need_solution()
        if not 0 <= knots <= self._knots:
            raise IndexError(f"{knots} knots: the plan has {self._knots}")
        lib.limpet_plan_advance(self._handle.pointer, knots)

    def _need_solution(self):
        if not self._solved:
            raise StateError("the plan has no solution yet; call solve first")

    def __repr__(self):
        return f"<limpet.Plan of {self.model.name!r}: {self._knots} knots, cost {self.cost:g}>"


@dataclass(frozen=True)
class Fitted:
    """A fitted number of a model: start, limits, value, and its standard errors: of independent
    noise, where the rows of a trajectory err together (NaN with a single one), and the one of
    these to report."""

    name: str
    start: float
    minimum: float
    maximum: float
    value: float
    error: float
    error_grouped: float
    standard_error: float


class Fit:
    """Numbers of a model fitted to recorded trajectories (docs/identification.md).

    fit = limpet.Fit(builder, {
        "parameters": [{"of": "hinge.dry_friction", "start": 0.1, "minimum": 0}],
        "trajectories": ["swing"], "noise": 0.002})
    fit.record(0, time, q, v=v[0], control=u); fit.solve(); fit.parameters

    source: a dict, or a text of JSON, as a fit.json without "model". Trajectories are only named
    here: no file is read, record gives the arrays. The builder gets the values that are tried.
    Raises InputError with file, line and place.
    """

    def __init__(
        self, builder: "Builder", source: "dict[str, Any] | str", file: "str | None" = None
    ):
        if not isinstance(builder, Builder):
            raise TypeError(f"builder is a limpet.Builder, not {type(builder).__name__}")
        error = _errors.new_error()
        raw, name = _errors.json_bytes(source), _name_of(file)
        pointer = lib.limpet_identify_create(builder._pointer, raw, name, error)
        _errors.check_pointer(pointer, error)
        self._handle = Handle(pointer, lib.limpet_identify_destroy, holds=builder._handle)
        self._recorded = set()

    @property
    def trajectories(self) -> "tuple[str, ...]":
        """Names of the trajectories that are wanted."""
        fit = self._handle.pointer
        return tuple(text(fit.trajectory[i]) for i in range(fit.trajectory_count))

    def record(
        self,
        trajectory: int,
        time: "ArrayLike",
        q: "ArrayLike",
        *,
        v: "ArrayLike | None" = None,
        control: "ArrayLike | None" = None,
    ) -> None:
        """Gives a trajectory its record: time (rows) [s] growing by whole steps, q (rows x nq), v
        (nv) at the first row (None: at rest), control (rows x nu) from each row to the next (None:
        as after reset). Raises InputError."""
        fit, error = self._handle.pointer, _errors.new_error()
        if not 0 <= trajectory < fit.trajectory_count:
            raise IndexError(f"trajectory {trajectory}: the fit has {fit.trajectory_count}")
        model = lib.limpet_identify_model(fit)
        times = numbers(np.ravel(time), (np.size(time),), "time")
        rows = len(times)
        arrays = [times, numbers(q, (rows, model.nq), "q")]
        for name, values, shape in (("v", v, (model.nv,)), ("control", control, (rows, model.nu))):
            arrays.append(None if values is None else numbers(values, shape, name))
        pointers = [ffi.NULL if a is None else ffi.from_buffer("double[]", a) for a in arrays]
        status = lib.limpet_identify_record(fit, trajectory, rows, *pointers, error)
        _errors.check(status, error)
        self._recorded.add(trajectory)

    def solve(self, progress: "Callable[[int, float], bool | None] | None" = None) -> str:
        """Fits from the start values. Returns the outcome in words: "converged", ... What is left
        far above the noise is told by a LimpetWarning: another minimum, or a model that is wrong.

        progress: called with the number of the iteration and the residual; False ends it

        Ctrl-C ends it after the iteration that is made, by a KeyboardInterrupt.
        """
        missing = set(range(self._handle.pointer.trajectory_count)) - self._recorded
        if missing:
            raise StateError(f"trajectory {min(missing)} has no record; call record first")
        call, problem = _told("limpet_identify_progress", progress, ("iterations", "residual"))
        outcome = lib.limpet_identify_solve(self._handle.pointer, call, ffi.NULL)
        if problem:
            raise problem[0]
        doubt = text(lib.limpet_identify_doubt(self._handle.pointer))
        if doubt:
            warnings.warn(f"{self.residual:.3g} times the noise: {doubt}", LimpetWarning, 2)
        return text(lib.limpet_identify_outcome_word(outcome))

    @property
    def parameters(self) -> "tuple[Fitted, ...]":
        """What is fitted, with values and standard errors of the last solve."""
        fit = self._handle.pointer
        rows = (fit.parameter[i] for i in range(fit.parameter_count))
        names = ("start", "minimum", "maximum", "value", "error", "error_grouped")
        return tuple(
            Fitted(
                text(p.name),
                *(getattr(p, name) for name in names),
                lib.limpet_identify_error(ffi.addressof(p)),
            )
            for p in rows
        )

    @property
    def jacobians(self) -> "tuple[int, int]":
        """Jacobians of the last solve: by derivatives of steps, and by differences."""
        return self._handle.pointer.jacobians, self._handle.pointer.differences

    @property
    def residual(self) -> float:
        """Root mean square of what is left over the noise [-]; 1: as large as the noise."""
        return self._handle.pointer.residual
