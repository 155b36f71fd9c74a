"""Limpet simulates robots that touch things.

    import limpet
    model = limpet.load("scene.xml")
    data = model.data()
    limpet.step(model, data, 100)

Contact is solved as a convex problem, so each step has an answer. All quantities are SI; W is the
world frame; quaternions are (w, x, y, z). The names are those of the C library, which `limpet.lib`
and `limpet.ffi` give whole.
"""

from importlib import import_module as _import_module

from limpet import _dynamics  # noqa: F401  methods of Data
from limpet._data import Data, Info, step
from limpet._errors import (
    FileError,
    InputError,
    LimpetError,
    LimpetWarning,
    StateError,
    UnsupportedError,
    near_words as _near_words,
)
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

__version__ = ffi.string(lib.limpet_version()).decode()

# what is imported when it is first asked for, so that `import limpet` is quick: {module: names}
_LATER = {
    "_builder": ("Builder", "Description"),
    "_control": ("Controller", "Reach", "inverse_kinematics"),
    "_fem": ("ElasticBody", "elastic_energy", "elastic_laws"),
    "_files": ("LogWriter", "Replay", "read_cloud", "read_log", "read_mesh", "write_replays"),
    "_gradient": ("Gradient", "ParameterGradient", "RolloutGradient"),
    "_motion": ("Path", "Trajectory", "actuator_command", "joint_actuator", "joint_forces"),
    "_plan": ("Fit", "Fitted", "Plan"),
    "_shapes": (
        "ContactSurface",
        "PressureField",
        "Surface",
        "contact_surface",
        "signed_distance",
    ),
    "_simulate": (
        *("Batch", "Interrupted", "Log", "Traces"),
        *("read_controls", "rollout", "simulate"),
    ),
    "_sweep": ("Table", "read_sweep", "sweep"),
    "_view": ("View", "render", "render_video", "view"),
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names}

__all__ = [
    "actuator_command",
    "Batch",
    "Builder",
    "constraint_kinds",
    "contact_models",
    "contact_surface",
    "ContactSurface",
    "Controller",
    "controller_kinds",
    "Data",
    "Description",
    "Descriptor",
    "elastic_energy",
    "elastic_laws",
    "ElasticBody",
    "ffi",
    "FileError",
    "Fit",
    "Fitted",
    "Gradient",
    "Info",
    "InputError",
    "Interrupted",
    "inverse_kinematics",
    "joint_actuator",
    "joint_forces",
    "lib",
    "LimpetError",
    "LimpetWarning",
    "load",
    "load_text",
    "Log",
    "LogWriter",
    "Model",
    "normal_laws",
    "Note",
    "Outcome",
    "Parameter",
    "ParameterGradient",
    "Path",
    "Plan",
    "presets",
    "PressureField",
    "Reach",
    "read_cloud",
    "read_controls",
    "read_log",
    "read_mesh",
    "read_sweep",
    "render",
    "render_video",
    "Replay",
    "rollout",
    "RolloutGradient",
    "schemes",
    "sensor_kinds",
    "Settings",
    "signed_distance",
    "simulate",
    "StateError",
    "step",
    "Surface",
    "sweep",
    "Table",
    "Traces",
    "Trajectory",
    "UnsupportedError",
    "view",
    "View",
    "write_replays",
]


# what MuJoCo's module has
_MUJOCO = {
    **{"MjModel": "limpet.load(path)", "MjData": "model.data()", "MjSpec": "limpet.Builder"},
    **{"mj_step": "limpet.step", "mj_resetData": "data.reset()", "viewer": "limpet.view"},
    **{"mj_forward": "data.forward_dynamics()", "mj_kinematics": "data.kinematics()"},
    **{"mj_inverse": "data.inverse_dynamics", "mj_fullM": "data.full_mass_matrix()"},
    **{"mj_name2id": "model.body(name).index", "mj_jacBody": "data.jacobian(name)"},
    **{"mj_resetDataKeyframe": "data.reset(keyframe)", "Renderer": "limpet.render"},
    **{"mj_contactForce": "data.contacts", "mjd_transitionFD": "limpet.Gradient"},
}


def _instead_of(name):
    if name in _MUJOCO:
        return f"here it is {_MUJOCO[name]}"
    return _near_words(name, __all__, "it has")


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'limpet' has no attribute {name!r}; {_instead_of(name)}")
    value = getattr(_import_module(f"limpet.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return [*globals(), *_MODULE_OF]
