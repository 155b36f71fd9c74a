"""Describing a robot in code, and editing one that was read, before it is compiled."""

import os

from limpet import _errors
from limpet._errors import InputError
from limpet._model import Handle, _adopt, _options
from limpet._native import ffi, lib
from limpet._native_words import OBJECTS, find, sensor_kinds

# kinds that can be added; those whose description can be reached again
_KINDS = (
    *("body", "joint", "geom", "site", "mesh", "cloud", "tendon", "actuator"),
    *("coupler", "loop", "pair", "keyframe", "sensor"),
)
_EDITABLE = ("body", "joint", "geom", "site", "tendon", "actuator")


def _prefix(ctype):
    """What the constants of an enumeration begin with: LIMPET_JOINT_ of limpet_joint_kind."""
    names = list(ctype.relements)
    return os.path.commonprefix(names).rpartition("_")[0] + "_"


def _words(ctype):
    """{word: value} of an enumeration: {"free": 0, "ball": 1, ...}."""
    prefix = _prefix(ctype)
    return {name.removeprefix(prefix).lower(): v for name, v in ctype.relements.items()}


class Description:
    """A C struct as an object with the same attributes: numbers, sequences, words of enumerations.

    Nested structs are Descriptions, too: geom.material.friction = 0.3.
    """

    __slots__ = ("_pointer", "_keep", "_owner")

    def __init__(self, pointer, keep, owner=None):
        object.__setattr__(self, "_pointer", pointer)
        object.__setattr__(self, "_keep", keep)
        object.__setattr__(self, "_owner", owner)

    def _field(self, name):
        fields = dict(ffi.typeof(self._pointer).item.fields)
        if name not in fields:
            kind = ffi.typeof(self._pointer).item.cname.replace("limpet_", "")
            raise AttributeError(f"{kind} has no {name!r}; it has {', '.join(fields)}")
        return fields[name].type

    def __getattr__(self, name):
        ctype = self._field(name)
        if ctype.kind == "struct":
            return Description(ffi.addressof(self._pointer[0], name), self._keep, self)
        value = getattr(self._pointer, name)
        if ctype.kind == "enum":
            return ffi.string(ffi.cast(ctype, value)).removeprefix(_prefix(ctype)).lower()
        if ctype.kind == "array":
            return tuple(value)
        return _errors.text(value) if ctype.cname in ("char *", "char const *") else value

    def __setattr__(self, name, value):
        ctype = self._field(name)
        if ctype.kind == "struct":
            for key, inner in dict(value).items():
                setattr(getattr(self, name), key, inner)
            return
        try:
            setattr(self._pointer, name, self._convert(ctype, name, value))
        except (TypeError, OverflowError, IndexError, ValueError) as reason:
            raise InputError(f"{name}: {reason}") from None

    def _convert(self, ctype, name, value):
        if ctype.kind == "enum" and isinstance(value, str):
            words = _words(ctype)
            if value not in words:
                raise ValueError(f"there is no {value!r}; there are: {', '.join(words)}")
            return words[value]
        if ctype.kind == "array":
            values = [float(v) if ctype.item.cname == "double" else v for v in value]
            if len(values) != ctype.length:
                raise ValueError(f"expected {ctype.length} numbers, got {len(values)}")
            return values
        if ctype.kind == "pointer":
            return self._pointer_to(ctype, value)
        if ctype.cname in ("double", "float"):
            return float(value)
        return value

    def _pointer_to(self, ctype, value):
        if self._owner is not None or self._keep is None:
            raise ValueError("texts and arrays are given when the object is added")
        if value is None:
            return ffi.NULL
        if ctype.item.cname == "limpet_sensor_kind":
            return find(sensor_kinds, value, "sensor kind").pointer
        if ctype.item.kind == "primitive" and ctype.item.cname == "char":
            memory = ffi.new("char[]", os.fsencode(value))
        else:
            import numpy as np

            flat = np.asarray(value).ravel().tolist()
            memory = ffi.new(f"{ctype.item.cname}[]", flat)
        self._keep.append(memory)
        return memory

    def __dir__(self):
        return [name for name, _ in ffi.typeof(self._pointer).item.fields]

    def __repr__(self):
        values = ", ".join(f"{n}={getattr(self, n)!r}" for n in dir(self) if n != "place")
        return f"<{ffi.typeof(self._pointer).item.cname} {values}>"


_READERS = {".urdf": lib.limpet_urdf_read, ".sdf": lib.limpet_sdformat_read}


class Builder:
    """A mutable description of a robot and its scene.

    builder = Builder("scene.xml"); builder.geom("box").material.friction = 0.3;
    model = builder.compile()

    add_body, add_joint, add_geom, ... take the fields of the C description as keywords, in SI, and
    return a handle, which other descriptions name: add_joint(body=handle, kind="revolute").
    """

    def __init__(self, path=None, **options):
        pointer = _errors.out_of_memory(lib.limpet_builder_create())
        self._handle = Handle(pointer, lib.limpet_builder_destroy)
        self._pointer = self._handle.pointer
        if path is not None:
            self.read(path, **options)

    def read(self, path, **options):
        """Adds the content of a file, by its ending: .urdf, .sdf, or MJCF; options as of
        limpet.load."""
        error = _errors.new_error()
        chosen, keep = _options(options)
        read = _READERS.get(os.path.splitext(os.fspath(path))[1], lib.limpet_mjcf_read)
        status = read(self._pointer, os.fsencode(path), chosen, error)
        del keep
        _errors.check(status, error)

    def read_text(self, text, *, path=None, **options):
        """Adds the content of an MJCF text; `path` names it, and files beside it are found."""
        error = _errors.new_error()
        chosen, keep = _options(options)
        raw = text.encode() if isinstance(text, str) else text
        name = ffi.NULL if path is None else os.fsencode(path)
        status = lib.limpet_mjcf_read_text(self._pointer, raw, len(raw), name, chosen, error)
        del keep
        _errors.check(status, error)

    @property
    def options(self):
        """Options of the model: gravity, time_step, ..."""
        return Description(lib.limpet_builder_options(self._pointer), None)

    def find(self, kind, name):
        """Handle of the object with that name."""
        if kind not in OBJECTS:
            raise InputError(
                f"there is no kind of object {kind!r}; there are: {', '.join(OBJECTS)}"
            )
        handle = lib.limpet_builder_find(self._pointer, OBJECTS[kind], str(name).encode())
        if handle == lib.LIMPET_NONE:
            raise InputError(f"there is no {kind} {name!r}")
        return handle

    def count(self, kind):
        """How many were added; the world counts as a body."""
        return lib.limpet_builder_count(self._pointer, OBJECTS[kind])

    def add_exclude(self, body_a, body_b):
        """These two bodies never touch."""
        lib.limpet_builder_add_exclude(self._pointer, body_a, body_b)

    def compile(self):
        """The model. Raises InputError for the first thing that is wrong, with its place."""
        return _adopt(self._compile(), None, stacklevel=2)

    def _compile(self):
        error = _errors.new_error()
        return _errors.check_pointer(lib.limpet_builder_compile(self._pointer, error), error)

    def _add(self, kind, fields):
        keep = []
        pointer = ffi.new(
            f"limpet_{kind}_description *", getattr(lib, f"limpet_{kind}_description_default")()
        )
        description = Description(pointer, keep)
        for name, value in fields.items():
            setattr(description, name, value)
        handle = getattr(lib, f"limpet_builder_add_{kind}")(self._pointer, pointer)
        if handle == lib.LIMPET_NONE:
            raise MemoryError("the system gave no memory")
        return handle

    def _edit(self, kind, name):
        handle = self.find(kind, name) if isinstance(name, str) else int(name)
        if not 0 <= handle < self.count(kind):
            raise IndexError(f"{kind} {handle}: {self.count(kind)} were added")
        pointer = getattr(lib, f"limpet_builder_{kind}")(self._pointer, handle)
        return Description(pointer, None, self)


def _add_methods():
    for kind in _KINDS:

        def add(self, *, _kind=kind, **fields):
            return self._add(_kind, fields)

        add.__name__ = f"add_{kind}"
        add.__doc__ = f"Adds a {kind}; keywords are the fields of limpet_{kind}_description."
        setattr(Builder, add.__name__, add)
    for kind in _EDITABLE:

        def edit(self, name, _kind=kind):
            return self._edit(_kind, name)

        edit.__name__ = kind
        edit.__doc__ = f"The description of the {kind} of that name or handle, for editing."
        setattr(Builder, kind, edit)


_add_methods()
