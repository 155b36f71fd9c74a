"""Derivatives of a step."""

import numpy as np

from limpet import _errors
from limpet._data import numbers, same_model
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._native_words import OUTCOMES
from limpet._settings import settings_for

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


class Gradient:
    """Derivatives of one step of a world by its state, inputs and contacts (limpet/gradient.h).

    gradient = limpet.Gradient(model)
    outcome = gradient.step(data)          # moves the world on, as limpet.step does
    gradient.dv["control"]                 # (nv x nu); dq, dv, kink: dicts of arrays, by
                                           # q, v, force, control, stiffness, friction, ...
    """

    def __init__(self, model, **settings):
        if not isinstance(model, Model):
            raise TypeError(f"model is a limpet.Model, not {type(model).__name__}")
        pointer = _errors.out_of_memory(lib.limpet_gradient_create(model._model_handle.pointer))
        self._handle = Handle(pointer, lib.limpet_gradient_destroy, holds=model._model_handle)
        self._settings = ffi.new(
            "limpet_gradient_settings *", lib.limpet_gradient_settings_default()
        )
        for name, value in settings.items():
            setattr(self._settings, name, value)
        self.model = model

    def step(self, data, settings=None, **values):
        """One step of the world, and its derivatives. Returns the outcome of the step."""
        same_model(self.model, data)
        settings = settings_for(self.model, data.settings if settings is None else settings, values)
        outcome = lib.limpet_gradient_step(
            self.model._record,
            data._record,
            settings._record,
            self._settings,
            self._handle.pointer,
        )
        return OUTCOMES[outcome]

    @property
    def reason(self):
        """Why there are no derivatives; None: there are."""
        return _errors.text(self._handle.pointer.reason)

    @property
    def dq(self):
        """Of the pose after the step, arrays (nv x ...)."""
        return self._arrays("dq", self.model.nv)

    @property
    def dv(self):
        """Of the velocity after the step, arrays (nv x ...)."""
        return self._arrays("dv", self.model.nv)

    @property
    def kink(self):
        """Rates [m/s, rad/s per unit] at which two sides of a kink differ; 0: smooth."""
        return self._arrays("kink", 1)

    def adjoint(self, weight_q=None, weight_v=None):
        """Gradient of a function of the step's results from its gradients by pose and velocity
        after the step (nv each; None: 0): a dict of arrays. None where there are no derivatives."""
        rows = [
            ffi.NULL
            if w is None
            else ffi.from_buffer("double[]", numbers(w, (self.model.nv,), "weight"))
            for w in (weight_q, weight_v)
        ]
        if not lib.limpet_gradient_adjoint(self._handle.pointer, *rows):
            return None
        return {name: a[0] for name, a in self._arrays("adjoint", 1).items()}

    def _arrays(self, group, rows):
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
