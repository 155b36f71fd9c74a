"""Derivatives of a step and of a rollout."""

from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import numbers, same_model
from limpet._errors import InputError, StateError
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._native_words import OUTCOMES
from limpet._settings import settings_for

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from limpet._builder import Builder
    from limpet._data import Data
    from limpet._native_words import Outcome
    from limpet._settings import Settings

_WIDTHS = {
    "q": lambda m, k: m.nv,
    "v": lambda m, k: m.nv,
    "force": lambda m, k: m.nv,
    "control": lambda m, k: m.nu,
    "stiffness": lambda m, k: m.nu,
    "friction": lambda m, k: k,
    "torsion": lambda m, k: k,
    "distance": lambda m, k: k,
    "point": lambda m, k: 3 * k,
    "turn": lambda m, k: 3 * k,
}


_END = ("q", "v", "vertex_position", "vertex_velocity")
_MATERIAL = ("youngs_modulus", "poissons_ratio", "density", "mass_damping", "stiffness_damping")
_START = (*_END, "force", "control", *_MATERIAL)


def _shape(model, name):
    """Shape of an array of a limpet_gradient_vector."""
    if name.startswith("vertex_"):
        return model.vertex_count, 3
    if name in _MATERIAL:
        return (model.deformable_count,)
    return (model.nu if name == "control" else model.nv,)


# what spreads of random smoothing were called before
_SPREADS = {"spread_q": "spread_position", "spread_v": "spread_velocity"}


def _set_smoothing(smoothing, values):
    """Fills a struct limpet_gradient_smoothing from a dict."""
    known = [name for name, _ in ffi.typeof(smoothing).fields]
    if not isinstance(values, dict):
        raise TypeError(f"smoothing is a dict with: {', '.join(known)}")
    for given, value in values.items():
        name = _SPREADS.get(given, given)
        if name not in known:
            raise InputError(f"smoothing has no {name!r}; it has: {', '.join(known)}")
        if name == "kind":
            kind = ffi.new("limpet_smoothing_kind *")
            if not lib.limpet_smoothing_find(str(value).encode(), kind):
                raise InputError(
                    f"{value!r} is no smoothing; there are: 'none', 'barrier', 'random'"
                )
            smoothing.kind = kind[0]
            continue
        try:
            setattr(smoothing, name, value)
        except (TypeError, OverflowError) as reason:
            raise InputError(f"smoothing: {name}: {reason}") from None
    error = _errors.new_error()
    _errors.check(lib.limpet_gradient_smoothing_check(ffi.addressof(smoothing), error), error)


class Gradient:
    """Derivatives of one step of a world by its state, inputs and contacts (limpet/gradient.h).

    gradient = limpet.Gradient(model)
    outcome = gradient.step(data)          # moves the world on, as limpet.step does
    gradient.dv["control"]                 # (nv x nu); dq, dv, kink: dicts of arrays, by
                                           # q, v, force, control, stiffness, friction, ...

    settings: fields of limpet_gradient_settings; smoothing: a dict, {"kind": "barrier",
    "energy": 0.01, "range": 0.3} or {"kind": "random", "samples": 16, "spread_position": 1e-3}
    (limpet/gradient_smoothing.h), of the derivatives and not of the step
    """

    model: "Model"

    def __init__(self, model: "Model", **settings: "Any"):
        _errors.expect(model, Model, "model")
        pointer = _errors.out_of_memory(lib.limpet_gradient_create(model._model_handle.pointer))
        self._handle = Handle(pointer, lib.limpet_gradient_destroy, holds=model._model_handle)
        self._settings = ffi.new(
            "limpet_gradient_settings *", lib.limpet_gradient_settings_default()
        )
        known = [name for name, _ in ffi.typeof(self._settings).item.fields]
        for name, value in settings.items():
            if name not in known:
                raise InputError(f"there is no setting {name!r}; {_errors.near_words(name, known)}")
            if name == "smoothing":
                _set_smoothing(self._settings.smoothing, value)
                continue
            try:
                setattr(self._settings, name, value)
            except (TypeError, OverflowError) as reason:
                raise InputError(f"{name}: {reason}") from None
        self.model, self._stepped = model, False

    def step(self, data: "Data", settings: "Settings | None" = None, **values: "Any") -> "Outcome":
        """One step of the world, and its derivatives. Returns the outcome of the step."""
        same_model(self.model, data)
        settings = settings_for(self.model, data.settings if settings is None else settings, values)
        self._stepped = True
        self._data = data  # whose record of the step the derivatives read
        outcome = lib.limpet_gradient_step(
            self.model._record,
            data._record,
            settings._record,
            self._settings,
            self._handle.pointer,
        )
        return OUTCOMES[outcome]

    @property
    def reason(self) -> "str | None":
        """Why there are no derivatives; None: there are."""
        return _errors.text(self._handle.pointer.reason)

    @property
    def dq(self) -> "dict[str, NDArray[np.float64]]":
        """Of the pose after the step, arrays (nv x ...)."""
        return self._arrays("dq", self.model.nv)

    @property
    def dv(self) -> "dict[str, NDArray[np.float64]]":
        """Of the velocity after the step, arrays (nv x ...)."""
        return self._arrays("dv", self.model.nv)

    @property
    def kink(self) -> "dict[str, NDArray[np.float64]]":
        """Rates [m/s, rad/s per unit] at which two sides of a kink differ; 0: smooth."""
        return self._arrays("kink", 1)

    @property
    def jump(self) -> "dict[str, Any] | None":
        """The nearest jump of the step itself, where the setting jump_width looks for one: cause
        ("contacts", "rows", "rules", "looks", "solution", "end"), distance [m, rad, m/s, rad/s],
        size [m/s, rad/s], dof, contact (None: none of the step's). None: none was found."""
        self._need_step()
        jump = self._handle.pointer.jump
        if jump.cause == lib.LIMPET_JUMP_NONE:
            return None
        return {
            "cause": _errors.text(lib.limpet_jump_word(jump.cause)),
            "distance": jump.distance,
            "size": jump.size,
            "dof": None if jump.dof < 0 else jump.dof,
            "contact": None if jump.contact < 0 else jump.contact,
        }

    def adjoint(
        self, weight_q: "ArrayLike | None" = None, weight_v: "ArrayLike | None" = None
    ) -> "dict[str, NDArray[np.float64]] | None":
        """Gradient of a function of the step's results from its gradients by pose and velocity
        after the step (nv each; None: 0): a dict of arrays. None where there are no derivatives."""
        rows = [_weight(w, (self.model.nv,)) for w in (weight_q, weight_v)]
        self._need_step()
        if not lib.limpet_gradient_adjoint(self._handle.pointer, *rows):
            return None
        return {name: a[0] for name, a in self._arrays("adjoint", 1).items()}

    def forward(
        self, change: "dict[str, ArrayLike]"
    ) -> "dict[str, NDArray[np.float64]] | None":
        """J x of a step with deformable bodies: how its end moves with a change of its start.

        change: arrays by name, what is not there does not change: q, v, force (nv), control (nu),
        vertex_position, vertex_velocity (vertices x 3), youngs_modulus, poissons_ratio, density,
        mass_damping, stiffness_damping (bodies). Returns q, v, vertex_position, vertex_velocity;
        None where there are no derivatives (limpet/gradient_deformable.h)."""
        return self._product(lib.limpet_gradient_forward, change, _START, _END)

    def backward(
        self, weight: "dict[str, ArrayLike]"
    ) -> "dict[str, NDArray[np.float64]] | None":
        """J' y: the gradient by the start of a step with deformable bodies, from that by its end
        (names as in forward). None where there are no derivatives."""
        return self._product(lib.limpet_gradient_backward, weight, _END, _START)

    def _product(self, function, given, names, results):
        self._need_step()
        unknown = [name for name in given if name not in names]
        if unknown:
            raise InputError(f"there is no {unknown[0]!r}; there are: {', '.join(names)}")
        source, target = ffi.new("limpet_gradient_vector *"), ffi.new("limpet_gradient_vector *")
        keep, result = [], {}
        for name, values in given.items():
            keep.append(numbers(values, _shape(self.model, name), name))
            setattr(source, name, ffi.from_buffer("double[]", keep[-1]))
        for name in results:
            result[name] = np.zeros(_shape(self.model, name))
            keep.append(ffi.from_buffer("double[]", result[name], require_writable=True))
            setattr(target, name, keep[-1])
        return result if function(self._handle.pointer, source, target) else None

    def _need_step(self):
        if not self._stepped:
            raise StateError("there are no derivatives yet; call step first")

    def _arrays(self, group, rows):
        self._need_step()
        arrays = getattr(self._handle.pointer, group)
        count = self._handle.pointer.contact_count
        result = {}
        for name, width in _WIDTHS.items():
            pointer, columns = getattr(arrays, name), width(self.model, count)
            if pointer == ffi.NULL:
                continue
            buffer = ffi.buffer(pointer, rows * columns * 8)
            values = np.frombuffer(buffer, np.float64) if columns else np.empty(0)
            result[name] = values.reshape(rows, columns).copy()
        return result


def _weight(values, shape):
    """Numbers of a weight for C, or NULL; the buffer holds its array."""
    return (
        ffi.NULL
        if values is None
        else ffi.from_buffer("double[]", numbers(values, shape, "weight"))
    )


class ParameterGradient:
    """Derivatives of a step by numbers of the model: "pad.friction", "body:cube.mass",
    "gravity[2]", "time_step", "biceps.activation[0]", "cube.wrench[2]"
    (limpet/gradient_parameters.h).

    builder: of which the stepped model was compiled; names: as limpet.Builder.parameter has them.
    Raises InputError, which says which name is wrong.
    """

    names: "tuple[str, ...]"

    def __init__(self, builder: "Builder", names: "list[str] | tuple[str, ...]"):
        from limpet._builder import Builder

        if not isinstance(builder, Builder):
            raise TypeError(f"builder is a limpet.Builder, not {type(builder).__name__}")
        names = _errors.items(names, "names", "texts")
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"names: expected a list of texts, got {names!r}")
        self.names, error = tuple(names), _errors.new_error()
        keep = [ffi.new("char[]", _errors.c_text(name)) for name in self.names]
        pointer = lib.limpet_gradient_parameters_create(builder._pointer, keep, len(keep), error)
        _errors.check_pointer(pointer, error)
        self._handle = Handle(pointer, lib.limpet_gradient_parameters_destroy)

    @property
    def value(self) -> "NDArray[np.float64]":
        """Values (names) that the builder had, SI."""
        return self._read("value", (len(self.names),))

    def of(self, gradient: "Gradient") -> "dict[str, NDArray[np.float64]]":
        """Derivatives by the names of the last gradient.step: dq, dv (nv x names), kink (names),
        and of deformable bodies vertex_position, vertex_velocity (vertices x 3 x names).
        Raises StateError, which says why there are none."""
        self._check(gradient)
        reason = lib.limpet_gradient_by_parameters(gradient._handle.pointer, self._handle.pointer)
        self._fail(reason)
        shape = gradient.model.nv, len(self.names)
        kink = self._read("kink", (len(self.names),))
        found = {"dq": self._read("dq", shape), "dv": self._read("dv", shape), "kink": kink}
        vertices = gradient.model.vertex_count
        for name in ("vertex_position", "vertex_velocity") if vertices else ():
            found[name] = self._read(name, (vertices, 3, len(self.names)))
        return found

    def adjoint(
        self,
        gradient: "Gradient",
        weight_q: "ArrayLike | None" = None,
        weight_v: "ArrayLike | None" = None,
        weight_vertex_position: "ArrayLike | None" = None,
        weight_vertex_velocity: "ArrayLike | None" = None,
    ) -> "NDArray[np.float64]":
        """Gradient (names) of a function of the step's results, from its gradients by pose and
        velocity after the step (nv each) and by the vertices of deformable bodies (vertices x 3
        each); None: 0. Raises StateError, which says why not."""
        self._check(gradient)
        model = gradient.model
        vector = ffi.new("limpet_gradient_vector *")
        keep = {
            "q": _weight(weight_q, (model.nv,)),
            "v": _weight(weight_v, (model.nv,)),
            "vertex_position": _weight(weight_vertex_position, (model.vertex_count, 3)),
            "vertex_velocity": _weight(weight_vertex_velocity, (model.vertex_count, 3)),
        }
        for name, values in keep.items():
            setattr(vector, name, values)
        reason = lib.limpet_gradient_parameters_backward(
            gradient._handle.pointer, self._handle.pointer, vector
        )
        self._fail(reason)
        return self._read("adjoint", (len(self.names),))

    def _check(self, gradient):
        if not isinstance(gradient, Gradient):
            raise TypeError(f"gradient is a limpet.Gradient, not {type(gradient).__name__}")
        gradient._need_step()

    def _fail(self, reason):
        if reason != ffi.NULL:
            raise StateError(_errors.text(reason))

    def _read(self, name, shape):
        pointer, count = getattr(self._handle.pointer, name), int(np.prod(shape))
        if count == 0:
            return np.empty(shape)
        return np.frombuffer(ffi.buffer(pointer, 8 * count), np.float64).reshape(shape).copy()


class RolloutGradient:
    """The gradient of a loss over a whole trajectory, by one pass forwards and one backwards.

    step_limit: steps that it has room for; interval: steps between stored states, 0: the least
    memory. After compute: by_control (steps x nu; NaN: of actuators with an activation), by_force
    (steps x nv), by_q, by_v (nv), kinks.
    """

    model: "Model"
    step_limit: int

    def __init__(self, model: "Model", step_limit: int, interval: int = 0):
        _errors.expect(model, Model, "model")
        step_limit = _errors.whole(step_limit, "step_limit")
        interval = _errors.whole(interval, "interval")
        if not (step_limit >= 1 and interval >= 0):
            raise InputError(f"{step_limit} steps, interval {interval}; give at least 1 and 0")
        pointer = lib.limpet_rollout_gradient_create(model._record, step_limit, interval)
        _errors.out_of_memory(pointer)
        self._handle = Handle(
            pointer, lib.limpet_rollout_gradient_destroy, holds=model._model_handle
        )
        self.model, self.step_limit, self._interval = model, step_limit, interval
        self._steps = None

    def compute(
        self,
        data: "Data",
        steps: int,
        *,
        controls: "ArrayLike | None" = None,
        weight_q: "ArrayLike | None" = None,
        weight_v: "ArrayLike | None" = None,
        weight_control: "ArrayLike | None" = None,
        smoothing: "dict[str, Any] | None" = None,
        settings: "Settings | None" = None,
        **values: "Any",
    ) -> bool:
        """Steps the world, which stays where it ends, and computes the gradient of the sum of
        weight_q . q_k + weight_v . v_k (steps + 1 x nv) + weight_control . u_k (steps x nu).

        controls (steps x nu); None: as data has them. smoothing: as Gradient has it, of the
        derivative of each step. False: `reason` says why there is none. Ctrl-C ends it by a
        KeyboardInterrupt, where the world is then.
        """
        same_model(self.model, data)
        m, steps = self.model, _errors.whole(steps, "steps")
        if not 1 <= steps <= self.step_limit:
            raise InputError(f"{steps} steps; give 1 to step_limit, {self.step_limit}")
        settings = settings_for(m, data.settings if settings is None else settings, values)
        request = ffi.new("limpet_rollout_gradient_request *")
        request.settings, request.step_count = settings._record, steps
        rows = (
            ("control", controls, (steps, m.nu)),
            ("weight_q", weight_q, (steps + 1, m.nv)),
            ("weight_v", weight_v, (steps + 1, m.nv)),
            ("weight_control", weight_control, (steps, m.nu)),
        )
        keep = []
        for name, values_of, shape in rows:
            keep.append(_weight(values_of, shape))
            setattr(request, name, keep[-1])
        if smoothing is not None:
            keep.append(ffi.new("limpet_gradient_smoothing *"))
            keep[-1][0] = lib.limpet_gradient_smoothing_default()
            _set_smoothing(keep[-1][0], smoothing)
            request.smoothing = keep[-1]
        watcher = _errors.signals_watcher("ask")
        request.go_on, request.context = watcher.function, watcher.context
        self._steps = None
        done = lib.limpet_rollout_gradient_compute(
            self._handle.pointer, m._record, data._record, request
        )
        watcher.check()
        self._steps = steps if done else None
        return bool(done)

    @property
    def reason(self) -> "str | None":
        """Why there is no gradient, and None where there is one."""
        return _errors.text(self._handle.pointer.reason)

    @property
    def kinks(self) -> int:
        """Steps that touch a kink, where the derivative is one-sided."""
        return self._handle.pointer.kinks

    @property
    def carried_steps(self) -> int:
        """Steps that depend on what the one before left, and the gradient takes as a constant."""
        return self._handle.pointer.carried_steps

    @property
    def by_control(self) -> "NDArray[np.float64]":
        """Of the loss by the controls of each step (steps x nu)."""
        return self._read("by_control", self.model.nu)

    @property
    def by_force(self) -> "NDArray[np.float64]":
        """Of the loss by data.applied_force in each step (steps x nv)."""
        return self._read("by_force", self.model.nv)

    @property
    def by_q(self) -> "NDArray[np.float64]":
        """Of the loss by the pose at the start (nv)."""
        return self._read("by_q", self.model.nv, 1)[0]

    @property
    def by_v(self) -> "NDArray[np.float64]":
        """Of the loss by the velocity at the start (nv)."""
        return self._read("by_v", self.model.nv, 1)[0]

    @property
    def memory(self) -> int:
        """States that it keeps [bytes]."""
        return int(
            lib.limpet_rollout_gradient_memory(self.model._record, self.step_limit, self._interval)
        )

    def _read(self, name, columns, rows=None):
        if self._steps is None:
            raise StateError("there is no gradient; call compute, and see reason")
        shape = (self._steps if rows is None else rows, columns)
        count = shape[0] * shape[1]
        if count == 0:
            return np.empty(shape)
        buffer = ffi.buffer(getattr(self._handle.pointer, name), 8 * count)
        return np.frombuffer(buffer, np.float64).reshape(shape).copy()
