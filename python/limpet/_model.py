"""The compiled model: immutable, shared by any number of worlds and threads."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from limpet import _errors, _fields
from limpet._errors import FileError, InputError, text
from limpet._native import ffi, lib
from limpet._native_words import OBJECTS
from limpet._objects import (
    Named,
    add_elsewhere,
    find_index,
    names_of,
    no_attribute,
    public_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from limpet._data import Data


class Handle:
    """What owns a C object: views and worlds hold it, so that it outlives them."""

    __slots__ = ("pointer", "holds", "__weakref__")

    def __init__(self, pointer, destroy, holds=None):
        self.pointer = ffi.gc(pointer, destroy)
        self.holds = holds


@dataclass(frozen=True)
class Note:
    """A remark on a model: what a file asks and is not simulated (unsupported), input that is most
    likely a mistake (doubtful), or what deserves a note."""

    unsupported: bool
    doubtful: bool
    file: str | None
    line: int | None
    column: int | None
    text: str

    def __str__(self):
        place = [str(p) for p in (self.file, self.line, self.column) if p]
        return ": ".join([":".join(place), self.text]) if place else self.text


# what MuJoCo's arrays and numbers are called here
_MUJOCO = {
    "opt": "model.time_step, model.gravity and limpet.Settings",
    **{f"n{short}": f"{name}_count" for short, name in (("body", "body"), ("jnt", "joint"))},
    **{f"n{name}": f"{name}_count" for name in ("geom", "site", "mesh", "tendon")},
    "nkey": "keyframe_count",
    **{f"jnt_{name}": f"joint_{name}" for name in ("range", "axis", "limited", "stiffness")},
    **{"jnt_qposadr": "joint_q", "jnt_dofadr": "joint_v", "jnt_type": "joint_kind"},
    **{"jnt_bodyid": "joint_body", "geom_bodyid": "geom_body", "body_parentid": "body_parent"},
    **{"body_pos": "body_position", "body_quat": "body_quaternion", "body_ipos": "body_com"},
    **{"geom_pos": "geom_position", "geom_quat": "geom_quaternion", "geom_type": "geom_kind"},
    **{"geom_friction": "geom_material", "dof_frictionloss": "dof_dry_friction"},
    **{"actuator_ctrlrange": "actuator_control_range", "key_qpos": "keyframe_q"},
    **{"actuator_gainprm": "actuator_gain", "actuator_biasprm": "actuator_bias"},
    **{"actuator_forcerange": "actuator_force_range", "qpos0": "q_reference"},
    **{"nsensordata": "nsensor", "sensor_adr": "sensor_address", "sensor_dim": "sensor_size"},
    **{"geom_rbound": "geom_radius", "nmocap": "mocap_count"},
    "joint_names": 'names, as names("joint")',
}


def array_property(field):
    """An attribute that is a NumPy view of a field, made once."""

    def get(self):
        view = self._views.get(field.name)
        return view if view is not None else self._view(field)

    get.__doc__ = field.doc
    return property(get)


def number_property(field):
    def get(self):
        return field.number(self._record)

    get.__doc__ = field.doc
    return property(get)


class Model:
    """A robot and its scene, compiled. Made by load, load_text or Builder.compile.

    Arrays are views that cannot be written: edit a Builder and compile it again.
    """

    _arrays = {}
    __slots__ = ("_model_handle", "_record", "_views", "_source", "__weakref__")

    def __init__(self, handle, source=None):
        if not isinstance(handle, Handle):
            raise TypeError("models are made by limpet.load, load_text or Builder.compile")
        self._model_handle = handle
        self._record = handle.pointer
        self._views = {}
        self._source = source  # how to make it again, for pickle

    def _view(self, field):
        shape = field.dimensions([_fields.MODEL.scope(self._record)])
        view = field.view(self._record, shape, self._model_handle, writable=False)
        self._views[field.name] = view
        return view

    @property
    def name(self) -> str:
        """Name of the model in its file; "" where it has none."""
        return text(self._record.name) or ""

    @property
    def gravity(self) -> "tuple[float, ...]":
        """Acceleration of gravity (3) [m/s^2], world frame."""
        return tuple(self._record.options.gravity)

    @property
    def time_step(self) -> float:
        """Length of a step as the file says [s]."""
        return self._record.options.time_step

    @property
    def notes(self) -> "tuple[Note, ...]":
        """Remarks of the reader, a tuple of Note."""
        notes = (self._record.note[i] for i in range(self._record.note_count))
        return tuple(
            Note(
                bool(n.unsupported),
                bool(n.doubtful),
                text(n.place.file),
                n.place.line or None,
                n.place.column or None,
                text(n.text),
            )
            for n in notes
        )

    def names(self, kind: str) -> "tuple[str | None, ...]":
        """Names of all objects of a kind ("body", "joint", "geom", ...); None: unnamed."""
        if kind not in OBJECTS:
            raise InputError(
                f"there is no kind of object {kind!r}; there are: {', '.join(OBJECTS)}"
            )
        return names_of(self._model_handle, kind)

    def _named(self, kind, name):
        return Named(self, kind, find_index(self._model_handle, kind, name), {})

    def data(self, keyframe: "str | int | None" = None) -> "Data":
        """A new world in the reference pose, or in a keyframe (name or number)."""
        from limpet._data import Data

        data = Data(self)
        if keyframe is not None:
            data.reset(keyframe)
        return data

    def control_unit(self, actuator: "str | int") -> str:
        """Unit of an actuator's control: "rad", "m", "rad/s", "m/s", "N m", "N", "V"; "1": a number
        whose meaning only the file knows."""
        index = find_index(self._model_handle, "actuator", actuator)
        return text(lib.limpet_control_unit(self._record, index))

    def length_range(self, actuator: "str | int") -> "tuple[float, float]":
        """Least and greatest length [m, rad] of an actuator's transmission that the limits of its
        joints allow. Raises InputError where it has no end."""
        index, error = find_index(self._model_handle, "actuator", actuator), _errors.new_error()
        ends = ffi.new("double[2]")
        status = lib.limpet_actuator_length_range(self._record, index, ends, error)
        _errors.check(status, error)
        return ends[0], ends[1]

    def write_mjcf(
        self, path: "str | os.PathLike[str]", rigid_only: bool = False
    ) -> "tuple[str, ...]":
        """Writes the model as MJCF that MuJoCo reads. Deformable bodies are elements of Limpet's
        own, which MuJoCo refuses; rigid_only leaves them out. Returns what MJCF cannot hold, in
        words. Raises FileError."""
        function = lib.limpet_mjcf_write_rigid if rigid_only else lib.limpet_mjcf_write
        return self._write(function, _errors.c_path(path))

    def write_urdf(
        self, path: "str | os.PathLike[str]", meshes: str = "meshes"
    ) -> "tuple[str, ...]":
        """Writes the model as URDF with Drake's tags; meshes go into a folder of that name beside
        it. Returns what URDF cannot hold, in words. Raises FileError."""
        return self._write(lib.limpet_urdf_write, _errors.c_path(path), _errors.c_path(meshes))

    def _write(self, function, *names):
        left_out, error = [], _errors.new_error()
        tell = ffi.callback("limpet_left_out", lambda _, words: left_out.append(text(words)))
        _errors.check(function(self._record, *names, tell, ffi.NULL, error), error)
        return tuple(left_out)

    def __reduce__(self):
        return _load_again, (self._source, self.hash)

    def __copy__(self):
        return self  # nothing of it can change

    def __deepcopy__(self, _):
        return self

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise no_attribute(self, name)

        def __setattr__(self, name, value):
            if name[0] != "_":
                getattr(self, name)  # what is not there is told as such
                raise AttributeError(
                    f"a model does not change, {name} neither; edit a limpet.Builder and compile "
                    "it, or set data.settings"
                )
            object.__setattr__(self, name, value)

    def __dir__(self):
        return public_names(type(self))

    def _repr_html_(self):
        """The model in its reference pose, inline, as Jupyter shows it."""
        return self.data()._repr_html_()

    def __repr__(self):
        bodies = self.body_count - 1
        return (
            f"<limpet.Model {self.name!r}: {bodies} {'body' if bodies == 1 else 'bodies'}, "
            f"{self.joint_count} joint{'s'[self.joint_count == 1 :]}, {self.geom_count} "
            f"geom{'s'[self.geom_count == 1 :]}, nq {self.nq}, nv {self.nv}, nu {self.nu}>"
        )


def _named_method(kind):
    def method(self, name: "str | int") -> "Named":
        return self._named(kind, name)

    method.__name__ = kind
    method.__doc__ = f"The {kind} of that name or number."
    return method


def add_named(owner, kinds):
    """Methods body, joint, ... of a class; an array of that name (data.sensor) goes first."""
    for kind in kinds:
        if not hasattr(owner, kind):
            setattr(owner, kind, _named_method(kind))


def _add_fields():
    for field in _fields.MODEL:
        if field.is_array and field.dtype() is not None:
            Model._arrays[field.name] = field
            setattr(Model, field.name, array_property(field))
        elif field.is_number:
            setattr(Model, field.name, number_property(field))
    add_named(Model, OBJECTS)
    add_elsewhere(Model, _MUJOCO)


_add_fields()


@dataclass(frozen=True)
class Source:
    """What a model was read from."""

    path: str | None
    text: bytes | None
    options: tuple  # of (name, value): limpet_load_options

    def load(self):
        """The model, read again."""
        options = dict(self.options)
        if self.text is None:
            return load(self.path, **options)
        return load_text(self.text, path=self.path, **options)


def _folders(name, value):
    """The text of a load option; of a dict {package: folder}, "package=folder:..."."""
    if isinstance(value, dict):
        value = ":".join(f"{package}={os.fspath(folder)}" for package, folder in value.items())
    try:
        return _errors.c_path(value)
    except TypeError:
        raise TypeError(f"{name}: expected a str or a dict, got {type(value).__name__}") from None


def _options(values):
    """limpet_load_options with some of its fields set, and what keeps their texts alive."""
    options = ffi.new("limpet_load_options *", lib.limpet_load_options_default())
    keep = []
    for name, value in values.items():
        field = _fields.LOAD_OPTIONS.fields.get(name)
        if field is None:
            known = ", ".join(_fields.LOAD_OPTIONS.fields)
            raise TypeError(f"there is no load option {name!r}; there are: {known}")
        if field.is_number:
            setattr(options, name, bool(value))
        elif value is not None:
            keep.append(ffi.new("char[]", _folders(name, value)))
            setattr(options, name, keep[-1])
    return options, keep


def _adopt(pointer, source, stacklevel):
    model = Model(Handle(pointer, lib.limpet_model_destroy), source)
    _errors.warn_of_notes(model.notes, stacklevel + 1)
    return model


def load(
    path: "str | os.PathLike[str]",
    *,
    progress: "Callable[[float, int], object] | None" = None,
    **options: "Any",
) -> "Model":
    """Reads a model file: MJCF, URDF, SDFormat, by its first element.

    progress: called while pressure fields are made, as of Builder.compile

    Options, by name:
    strict: what changes physics and is not simulated is an error, not a warning
    discard_visual: leave out geoms that cannot collide
    fix_base: URDF, SDFormat: links that no joint holds are welded to the world
    exclude_overlaps: links that overlap in the reference pose do not touch, as of
        Builder.exclude_overlaps
    packages: where `package://` is looked for: {"NAME": folder}, or a text: "NAME=folder" or a
        folder of packages, ':' between

    What the file asks and is not simulated is told by LimpetWarning with file and line, and stands
    in model.notes. Raises InputError, FileError or UnsupportedError. Ctrl-C ends it.
    """
    path = os.fspath(path)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    from limpet._builder import Builder

    if path.lstrip().startswith("<") and not os.path.exists(path):
        raise FileError("this is the text of a model, not a path; limpet.load_text reads it")
    pointer = Builder(path, **options)._compile(progress)
    return _adopt(
        pointer, Source(os.path.abspath(path), None, tuple(options.items())), stacklevel=2
    )


def load_text(
    source_text: "str | bytes",
    *,
    path: "str | None" = None,
    progress: "Callable[[float, int], object] | None" = None,
    **options: "Any",
) -> "Model":
    """Reads a model from MJCF text; `path` names it in messages, and files beside it are found.
    Options and progress as of load."""
    from limpet._builder import Builder

    if not isinstance(source_text, str | bytes):
        raise TypeError(f"the text of a model is str or bytes, not {type(source_text).__name__}")
    builder = Builder()
    builder.read_text(source_text, path=path, **options)
    raw = source_text.encode() if isinstance(source_text, str) else source_text
    place = None if path is None else os.path.abspath(path)
    source = Source(place, raw, tuple(options.items()))
    return _adopt(builder._compile(progress), source, stacklevel=2)


def _load_again(source, expected):
    import warnings

    with warnings.catch_warnings():  # they were told when the model was first read
        warnings.simplefilter("ignore", _errors.LimpetWarning)
        model = source.load()
    if model.hash != expected:
        raise InputError(
            f"{model.name or 'the model'}: what is read now is another model than the one that was "
            "pickled; a file of it has changed since"
        )
    return model
