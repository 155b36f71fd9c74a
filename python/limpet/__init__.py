"""Limpet simulates robots that touch things.

    import limpet
    model = limpet.load("scene.xml")
    data = model.data()
    limpet.step(model, data, 100)

Contact is solved as a convex problem, so each step has an answer. All quantities are SI; W is the
world frame; quaternions are (w, x, y, z). The names are those of the C library, which `limpet.lib`
and `limpet.ffi` give whole.
"""

from limpet import _dynamics  # noqa: F401  methods of Data
from limpet._builder import Builder
from limpet._control import Controller, Reach, inverse_kinematics
from limpet._data import Data, Info, step
from limpet._errors import (
    FileError,
    InputError,
    LimpetError,
    LimpetWarning,
    StateError,
    UnsupportedError,
)
from limpet._gradient import Gradient
from limpet._model import Model, Note, load, load_text
from limpet._native import ffi, lib
from limpet._native_words import (
    Descriptor,
    Outcome,
    Parameter,
    constraint_kinds,
    contact_models,
    controller_kinds,
    normal_laws,
    schemes,
    sensor_kinds,
)
from limpet._settings import Settings, presets
from limpet._simulate import Batch, Log, Traces, read_controls, rollout, simulate
from limpet._view import View, render, view

__version__ = ffi.string(lib.limpet_version()).decode()

__all__ = [
    "Batch",
    "Controller",
    "Gradient",
    "Log",
    "Reach",
    "Traces",
    "View",
    "inverse_kinematics",
    "rollout",
    "simulate",
    "Builder",
    "Data",
    "Descriptor",
    "FileError",
    "Info",
    "InputError",
    "LimpetError",
    "LimpetWarning",
    "Model",
    "Note",
    "Outcome",
    "Parameter",
    "Settings",
    "StateError",
    "UnsupportedError",
    "constraint_kinds",
    "contact_models",
    "controller_kinds",
    "ffi",
    "lib",
    "load",
    "load_text",
    "normal_laws",
    "presets",
    "read_controls",
    "render",
    "schemes",
    "sensor_kinds",
    "step",
    "view",
]
