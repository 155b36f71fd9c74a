"""Describing a robot in code, and editing one that was read, before it is compiled."""

import math
import operator
import os
import textwrap
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from limpet import _errors
from limpet._descriptions import FIELDS
from limpet._errors import InputError
from limpet._model import Handle, _adopt, _options
from limpet._native import ffi, lib
from limpet._native_words import OBJECTS, Descriptor, find, sensor_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from limpet._model import Model

# kinds that can be added; those whose description can be reached again
_KINDS = (
    *("body", "joint", "geom", "site", "camera", "mesh", "cloud", "tendon", "actuator"),
    *("coupler", "loop", "pair", "keyframe", "sensor", "deformable"),
    *("texture", "appearance"),
)
# kinds whose struct is named without "description"
_SHORT = ("texture", "appearance")
_EDITABLE = (
    *("body", "joint", "geom", "site", "camera", "tendon", "actuator", "loop", "deformable"),
)


# arrays of descriptions: the counts that say how long they are, and numbers in a row, as the shapes
# in limpet/description.h and limpet/deformable.h
_ARRAYS = {
    "vertices": (("vertex_count",), 3),
    "faces": (("face_count",), 3),
    "tetrahedra": (("tetrahedron_count",), 4),
    "segments": (("segment_count",), 2),
    "field": (("vertex_count",), 1),
    "texture_coordinates": (("face_count",), 6),
    "tangents": (("vertex_count",), 6),
    "heights": (("rows", "columns"), 1),
    "points": (("point_count",), 3),
    "terms": (("term_count",), 1),
    "ties": (("tie_count",), 1),
    "q": (("q_count",), 1),
    "v": (("v_count",), 1),
    "control": (("control_count",), 1),
    "activation": (("activation_count",), 1),
    "mocap_position": (("mocap_count",), 3),
    "mocap_quaternion": (("mocap_count",), 4),
}
_COUNTS = {count for counts, _ in _ARRAYS.values() for count in counts}
# may be missing, whatever their counts say
_OPTIONAL = ("field", "texture_coordinates", "tangents", "mocap_position", "mocap_quaternion")


# fields that are handles, and of what; those of _CHOSEN are of what another field says
_HANDLES = {
    **{name: "body" for name in ("body", "parent", "body_a", "body_b")},
    **{name: "geom" for name in ("geom_a", "geom_b")},
    **{name: name for name in ("joint", "mesh", "cloud")},
    "reference_site": "site",
}
_CHOSEN = {"target": "transmission", "object": "object_type", "reference": "reference_type"}
_TRANSMISSIONS = {"joint_in_parent": "joint", "surface": "geom", "slider_crank": "site"}


def _kind_of_handle(name, fields):
    """Kind of object that a field is a handle of; None: it is none."""
    if name not in _CHOSEN:
        return _HANDLES.get(name)
    kind = fields.get(_CHOSEN[name], "joint" if name == "target" else None)
    return _TRANSMISSIONS.get(kind, kind)


def _row_width(pointer, name):
    """Numbers in a row of an array; of an array of structs, and of indices, each is a row."""
    struct = ffi.typeof(pointer).item
    array = dict(struct.fields)[name].type
    alone = array.item.kind == "struct" or struct.cname.endswith("limpet_tie")
    return 1 if alone else _ARRAYS[name][1]


def _count_rows(pointer, given):
    """Sets the counts of a description that the lengths of its arrays say. The library reads as far
    as counts say, so one that says otherwise, or counts what is missing, is an error."""
    fields = dict(ffi.typeof(pointer).item.fields)
    arrays = [n for n in _ARRAYS if n in fields and fields[n].type.kind == "pointer"]
    lengths = {n: _length(given[n]) for n in arrays if given.get(n) is not None}
    for name, length in lengths.items():
        counts, width = _ARRAYS[name][0], _row_width(pointer, name)
        if length % width:
            raise InputError(f"{name}: expected rows of {width} numbers, got {length} numbers")
        if len(counts) == 1 and getattr(pointer, counts[0]) == 0:
            setattr(pointer, counts[0], length // width)
    for name in arrays:
        told = [getattr(pointer, count) for count in _ARRAYS[name][0]]
        words = f"{' x '.join(_ARRAYS[name][0])} is {' x '.join(map(str, told))}"
        rows = lengths.get(name, 0) // _row_width(pointer, name)
        missing = name not in lengths and (name in _OPTIONAL or min(told) == 0)
        if min(told) < 0 or (math.prod(told) != rows and not missing):
            raise InputError(f"{name}: {words}, but {rows} are given")


def _length(value):
    """Numbers, or structs, in an array."""
    import numpy as np

    return len(value) if _are_structs(value) else int(np.size(value))


def _are_structs(value):
    return isinstance(value, list | tuple) and any(isinstance(v, dict) for v in value)


def _prefix(ctype):
    """What the constants of an enumeration begin with: LIMPET_JOINT_ of limpet_joint_kind."""
    names = list(ctype.relements)
    return os.path.commonprefix(names).rpartition("_")[0] + "_"


def _words(ctype):
    """{word: value} of an enumeration by value, without how many there are: {"free": 0, ...}."""
    prefix = _prefix(ctype)
    rows = sorted(ctype.relements.items(), key=lambda row: row[1])
    return {name.removeprefix(prefix).lower(): v for name, v in rows if name[-6:] != "_COUNT"}


def _object(kind):
    if not isinstance(kind, str) or kind not in OBJECTS:
        raise InputError(f"there is no kind of object {kind!r}; there are: {', '.join(OBJECTS)}")
    return OBJECTS[kind]


class Description:
    """A C struct as an object with the same attributes: numbers, sequences, words of enumerations.

    Nested structs are Descriptions, too: geom.material.friction = 0.3.
    """

    __slots__ = ("_pointer", "_keep", "_owner", "_tell")

    def __init__(self, pointer, keep, owner=None, tell=None):
        object.__setattr__(self, "_pointer", pointer)
        object.__setattr__(self, "_keep", keep)
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_tell", tell)  # called with the (path, value) of an edit

    def _field(self, name):
        fields = dict(ffi.typeof(self._pointer).item.fields)
        if name not in fields:
            kind = ffi.typeof(self._pointer).item.cname.replace("limpet_", "")
            words = _errors.near_words(name, fields, "it has")
            raise AttributeError(f"{kind.removeprefix('struct ')} has no {name!r}; {words}")
        return fields[name].type

    def __getattr__(self, name):
        ctype = self._field(name)
        if ctype.kind == "struct":
            return Description(
                ffi.addressof(self._pointer[0], name), self._keep, self, self._tell_of(name)
            )
        value = getattr(self._pointer, name)
        if ctype.kind == "enum":
            return ffi.string(ffi.cast(ctype, value)).removeprefix(_prefix(ctype)).lower()
        if ctype.kind == "array" and ctype.item.cname == "char":
            return _errors.text(value)
        if ctype.kind == "array":
            return tuple(value)
        return _errors.text(value) if ctype.cname in ("char *", "char const *") else value

    def __setattr__(self, name, value):
        ctype = self._field(name)
        if name == "image_size" or (self._keep is None and name in _COUNTS):
            raise InputError(f"{name}: it is that of what was given, and cannot be set")
        if ctype.kind == "struct":
            if not isinstance(value, dict):
                raise InputError(f"{name}: expected a dict, got {value!r:.60}")
            for key, inner in value.items():
                setattr(getattr(self, name), key, inner)
            return
        try:
            setattr(self._pointer, name, self._convert(ctype, name, value))
        except (TypeError, OverflowError, IndexError, ValueError) as reason:
            raise InputError(f"{name}: {reason}") from None
        if self._tell is not None:
            self._tell((name,), value)

    def _tell_of(self, name):
        """What hears of edits of a struct inside, by the path from the outermost one."""
        tell = self._tell
        return tell and (lambda path, value: tell((name, *path), value))

    def _convert(self, ctype, name, value):
        if ctype.kind == "enum" and isinstance(value, str):
            words = _words(ctype)
            if value not in words:
                raise ValueError(f"there is no {value!r}; {_errors.near_words(value, words)}")
            return words[value]
        if ctype.kind == "array" and ctype.item.kind == "pointer":
            return self._files(ctype, value)
        if ctype.kind == "array" and ctype.item.cname == "char":
            if len(os.fsencode(value)) >= ctype.length:
                raise ValueError(f"expected at most {ctype.length - 1} letters")
            return os.fsencode(value)
        if ctype.kind == "array":
            values = [float(v) if ctype.item.cname == "double" else v for v in value]
            if len(values) != ctype.length:
                raise ValueError(f"expected {ctype.length} numbers, got {len(values)}")
            return values
        if ctype.kind in ("pointer", "function"):
            return self._pointer_to(ctype, value)
        if ctype.cname in ("double", "float"):
            return float(value)
        return value

    def _pointer_to(self, ctype, value):
        if self._owner is not None or self._keep is None:
            raise ValueError("texts and arrays are given when the object is added")
        if value is None:
            return ffi.NULL
        if ctype.kind == "function":
            self._keep.append(_errors.function_of_place(ctype, value))
            return self._keep[-1][0]
        table = _row_of_table(ctype.item.cname, value)
        if table is not None:
            return table
        if ctype.item.kind == "primitive" and ctype.item.cname == "char":
            memory = ffi.new("char[]", _errors.c_path(value))
        elif ctype.item.kind == "struct":
            memory = self._structs(ctype.item, value)
        else:
            import numpy as np

            flat = np.asarray(value).ravel().tolist()
            memory = ffi.new(f"{ctype.item.cname}[]", flat)
        self._keep.append(memory)
        return memory

    def _structs(self, ctype, values):
        """An array of structs, of which each is a dict of what differs from its default."""
        if not _are_structs(values) or not all(isinstance(v, dict) for v in values):
            raise TypeError("expected a list of dicts")
        memory = ffi.new(f"{ctype.cname}[]", len(values))
        default = getattr(lib, f"{ctype.cname.removeprefix('struct ')}_default", None)
        for i, value in enumerate(values):
            if default is not None:
                memory[i] = default()
            _fill(memory + i, value, self._keep)
        return memory

    def _files(self, ctype, value):
        """Bytes of files, one or one for each place; their sizes stand in image_size."""
        files = [value] if isinstance(value, bytes) else list(value)
        if len(files) > ctype.length or not all(f is None or isinstance(f, bytes) for f in files):
            raise TypeError(f"expected the bytes of a file, or of up to {ctype.length}")
        memory = [ffi.NULL if f is None else ffi.from_buffer("unsigned char[]", f) for f in files]
        self._keep.extend(memory)
        self._pointer.image_size = [len(f or b"") for f in files]
        return memory

    def __reduce__(self):
        raise TypeError("a description belongs to its builder; copy or pickle the builder")

    def __dir__(self):
        return [name for name, _ in ffi.typeof(self._pointer).item.fields]

    def __repr__(self):
        values = ", ".join(f"{n}={getattr(self, n)!r}" for n in dir(self) if n != "place")
        return f"<{ffi.typeof(self._pointer).item.cname} {values}>"


def _fill(pointer, fields, keep):
    """Sets fields of a C struct; `keep` gets what its pointers lead to."""
    description = Description(pointer, keep)
    for name, value in fields.items():
        setattr(description, name, value)
    _count_rows(pointer, fields)


def _row_of_table(struct, value):
    """The row of a table of the library that a pointer to such a struct means; None: of no table"""
    if struct.endswith("limpet_sensor_kind"):
        return find(sensor_kinds, value, "sensor kind").pointer
    if struct.endswith("limpet_elastic_law"):
        from limpet._fem import elastic_laws

        return find(elastic_laws, value, "elastic law").pointer
    return None


_TEXT_READERS = {
    "mjcf": lib.limpet_mjcf_read_text,
    "urdf": lib.limpet_urdf_read_text,
    "sdformat": lib.limpet_sdformat_read_text,
}


class _Target:
    """What a name such as "pad*.friction" means in a builder."""

    def __init__(self, builder, name):
        self._pointer = ffi.new("limpet_parameter_target *")
        self._free = ffi.gc(self._pointer, lib.limpet_parameter_free)
        self._builder = builder
        error = _errors.new_error()
        if not isinstance(name, str):
            raise TypeError(f"a parameter is named as 'pad.friction', not by {name!r}")
        wanted = _errors.c_text(name)
        status = lib.limpet_parameter_find(builder._pointer, wanted, self._pointer, error)
        _errors.check(status, error)

    def value(self):
        value, error = ffi.new("double *"), _errors.new_error()
        status = lib.limpet_parameter_value(self._builder._pointer, self._pointer, value, error)
        _errors.check(status, error)
        return value[0]

    def assign(self, value):
        error = _errors.new_error()
        status = lib.limpet_parameter_assign(self._builder._pointer, self._pointer, value, error)
        _errors.check(status, error)

    def unit(self):
        return _errors.text(lib.limpet_parameter_unit(self._builder._pointer, self._pointer))


class Builder:
    """A mutable description of a robot and its scene.

    builder = Builder("scene.xml"); builder.geom("box").material.friction = 0.3;
    model = builder.compile()

    add_body, add_joint, add_geom, ... take the fields of the C description as keywords, in SI, and
    return a handle, which other descriptions name: add_joint(body=handle, kind="revolute"). Names
    do as well: add_joint(body="upper", ...), add_body(parent="world", ...).
    """

    def __init__(self, path: "str | os.PathLike[str] | None" = None, **options: "Any"):
        pointer = _errors.out_of_memory(lib.limpet_builder_create())
        self._handle = Handle(pointer, lib.limpet_builder_destroy)
        self._pointer = self._handle.pointer
        self._functions = []  # [(callback, what it raised)]  called until the last compilation
        self._steps = []  # [(function of a builder, its arguments)]  how to make it again
        if path is not None:
            self.read(path, **options)

    def read(self, path: "str | os.PathLike[str]", **options: "Any") -> None:
        """Adds the content of a file, MJCF, URDF or SDFormat by its first element; options as of
        limpet.load. Raises InputError, FileError or UnsupportedError, and KeyboardInterrupt at
        Ctrl-C; a builder that has part of a file is of no use any more."""
        error = _errors.new_error()
        chosen, keep = _options(options)
        status = self._watched(None, lib.limpet_builder_read, _errors.c_path(path), chosen, error)
        del keep
        _errors.check(status, error)
        self._did(Builder.read, os.path.abspath(os.fsdecode(path)), **options)

    def read_text(
        self,
        text: "str | bytes",
        *,
        path: "str | None" = None,
        format: str = "mjcf",
        **options: "Any",
    ) -> None:
        """Adds the content of a text; `path` names it, and files beside it are found.

        format: "mjcf", "urdf" or "sdformat"; options as of limpet.load. Raises as read does.
        """
        error = _errors.new_error()
        if not isinstance(text, str | bytes):
            raise TypeError(f"the text of a model is str or bytes, not {type(text).__name__}")
        if format not in _TEXT_READERS:
            raise InputError(
                f"there is no format {format!r}; there are: {', '.join(_TEXT_READERS)}"
            )
        chosen, keep = _options(options)
        raw = text.encode() if isinstance(text, str) else text
        name = ffi.NULL if path is None else _errors.c_path(path)
        status = self._watched(None, _TEXT_READERS[format], raw, len(raw), name, chosen, error)
        del keep
        _errors.check(status, error)
        place = None if path is None else os.path.abspath(os.fsdecode(path))
        self._did(Builder.read_text, raw, path=place, format=format, **options)

    def parameter(self, name: str) -> float:
        """A number of the model by name, SI: "pad*.friction", "body:cube.mass", "box.size[2]".

        [KIND:]NAME.FIELD[k]: the name of a geom, body, joint, actuator, tendon, site, mesh,
        coupler, loop, pair or deformable, in which * and ? stand for any characters, and a field
        of it. Raises InputError where there is none, or where the objects differ.
        """
        return _Target(self, name).value()

    def set_parameter(self, name: str, value: float) -> None:
        """Sets such a number, of all objects that the name means. The mass of a body changes its
        inertia in proportion; the gain of a servo keeps it a servo. Raises InputError for a name
        that means nothing, and for a value out of its range."""
        target = _Target(self, name)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"{name}: expected a number, got {value!r}") from None
        target.assign(number)
        self._did(Builder.set_parameter, name, number)

    def parameter_unit(self, name: str) -> "str | None":
        """Unit of such a number; None: it has none."""
        return _Target(self, name).unit()

    def name(self, name: str) -> None:
        """Names the model."""
        if not isinstance(name, str):
            raise TypeError(f"a name is a str, not {type(name).__name__}")
        lib.limpet_builder_name(self._pointer, _errors.c_text(name))
        self._did(Builder.name, name)

    @property
    def options(self) -> "Description":
        """Options of the model: gravity, time_step, ..."""
        pointer = lib.limpet_builder_options(self._pointer)
        return Description(pointer, None, None, partial(self._did, _edit_again, "options", None))

    def find(self, kind: str, name: str) -> int:
        """Handle of the object of a kind ("body", "joint", "geom", ...) with that name. Raises
        InputError where there is none."""
        handle = lib.limpet_builder_find(self._pointer, _object(kind), _errors.c_text(name))
        if handle == lib.LIMPET_NONE:
            raise InputError(f"there is no {kind} {name!r}{self._near(kind, name)}")
        return handle

    def _near(self, kind, name):
        described = getattr(self, kind, None)
        rows = [described(i) for i in range(self.count(kind))] if described else []
        names = [row.name for row in rows if getattr(row, "name", None)]
        return "; " + _errors.near_words(name, names, "names") if names else ""

    def count(self, kind: str) -> int:
        """How many objects of a kind were added; the world counts as a body."""
        return lib.limpet_builder_count(self._pointer, _object(kind))

    def add_exclude(self, body_a: "str | int", body_b: "str | int") -> None:
        """These two bodies (names or handles) never touch."""
        pair = self._handle_of("body", body_a), self._handle_of("body", body_b)
        lib.limpet_builder_add_exclude(self._pointer, *pair)
        self._did(Builder.add_exclude, *pair)

    def exclude_overlaps(self) -> int:
        """Links of one robot that overlap by more than 0.01 mm in the reference pose, with joints
        moved into their limits, do not touch each other from here on. Returns how many pairs of
        bodies; notes of the model name them. Raises InputError for what is wrong so far."""
        error, excluded = _errors.new_error(), ffi.new("int *")
        status = lib.limpet_builder_exclude_overlaps(self._pointer, excluded, error)
        _errors.check(status, error)
        self._did(Builder.exclude_overlaps)
        return excluded[0]

    def add_tie(
        self,
        deformable: "str | int",
        body: "str | int",
        *,
        vertices: "Sequence[int] | None" = None,
        low: "Sequence[float] | None" = None,
        high: "Sequence[float] | None" = None,
    ) -> None:
        """Vertices of a deformable body move with a body (names or handles; 0: they are clamped):
        those of these numbers, or those in a box from low (3) to high (3) [m] in the frame of the
        mesh, after scale. Raises InputError."""
        deformable = self._handle_of("deformable", deformable)
        body = self._handle_of("body", body)
        if (vertices is None) == (low is None) or (low is None) != (high is None):
            raise InputError("give vertices, or low and high")
        given = {"body": body, "vertices": vertices, "low": low, "high": high}
        keep, pointer = [], ffi.new("limpet_tie *")
        _fill(pointer, {name: value for name, value in given.items() if value is not None}, keep)
        lib.limpet_builder_add_tie(self._pointer, deformable, pointer)
        given = {"vertices": vertices, "low": low, "high": high}
        self._did(Builder.add_tie, deformable, body, **given)

    def remove_keyframes(self) -> None:
        """Forgets all keyframes: those of a model that gets more joints no longer fit."""
        lib.limpet_builder_remove_keyframes(self._pointer)
        self._did(Builder.remove_keyframes)

    def compile(self, progress: "Callable[[float, int], object] | None" = None) -> "Model":
        """The model. Raises InputError for the first thing that is wrong, with its place.

        progress: called with how many pressure fields are made, with the share of the one at hand,
        and the number of all; what it raises ends the compilation, as Ctrl-C does
        """
        return _adopt(self._compile(progress), BuilderSource(tuple(self._steps)), stacklevel=2)

    def __reduce__(self):
        return BuilderSource.builder, (BuilderSource(tuple(self._steps)),)

    def _did(self, function, *values, **options):
        """Notes what changed the builder, for pickle, with copies of what may change later."""
        self._steps.append((function, _copied(values), _copied(options)))

    def _compile(self, progress=None):
        error = _errors.new_error()
        model = self._watched(progress, lib.limpet_builder_compile, error)
        for _, raised in self._functions:
            if raised:
                lib.limpet_model_destroy(model)
                raise raised.pop()
        return _errors.check_pointer(model, error)

    def _watched(self, progress, function, *values):
        """What a function of C gives for the builder, unless the watcher ends it, which raises."""
        watcher = _errors.fields_watcher(progress)
        lib.limpet_builder_watch(self._pointer, watcher.function, watcher.context)
        try:
            result = function(self._pointer, *values)
        finally:
            lib.limpet_builder_watch(self._pointer, ffi.NULL, ffi.NULL)
        watcher.check()
        return result

    def _add(self, kind, fields):
        keep, struct = [], _struct_of(kind)
        pointer = ffi.new(f"{struct} *", getattr(lib, f"{struct}_default")())
        _fill(pointer, self._with_handles(fields), keep)
        handle = getattr(lib, f"limpet_builder_add_{kind}")(self._pointer, pointer)
        if handle == lib.LIMPET_NONE:
            raise MemoryError("the system gave no memory")
        self._functions += [kept for kept in keep if isinstance(kept, tuple)]
        self._did(Builder._add, kind, fields)
        return handle

    def _with_handles(self, fields):
        """Fields of a description, with handles in place of names of objects."""
        found = {}
        for name, value in fields.items():
            kind = _kind_of_handle(name, fields) if isinstance(value, str) else None
            found[name] = value if kind is None else self.find(kind, value)
        return found

    def _handle_of(self, kind, name):
        """The handle of an object that is chosen by name or handle."""
        if isinstance(name, str):
            return self.find(kind, name)
        try:
            handle = operator.index(name)
        except TypeError:
            raise TypeError(f"a {kind} is chosen by name or handle, not by {name!r}") from None
        if not 0 <= handle < self.count(kind):
            raise IndexError(f"{kind} {handle}: {self.count(kind)} were added")
        return handle

    def _edit(self, kind, name):
        handle = self._handle_of(kind, name)
        pointer = getattr(lib, f"limpet_builder_{kind}")(self._pointer, handle)
        return Description(pointer, None, self, partial(self._did, _edit_again, kind, handle))


def _copied(value):
    """A copy of what describes something, which later changes of arrays and lists leave alone."""
    if isinstance(value, dict):
        return {name: _copied(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_copied(inner) for inner in value)
    if isinstance(value, Descriptor):
        return value.name
    return value.copy() if hasattr(value, "copy") else value


def _edit_again(builder, kind, handle, path, value):
    """Sets a field of a description, or of a struct inside it."""
    description = builder.options if kind == "options" else builder._edit(kind, handle)
    for name in path[:-1]:
        description = getattr(description, name)
    setattr(description, path[-1], value)


@dataclass(frozen=True)
class BuilderSource:
    """How a builder was filled: functions with their arguments, one after the other."""

    steps: tuple

    def builder(self):
        """The builder, filled again."""
        builder = Builder()
        for function, values, options in self.steps:
            function(builder, *values, **options)
        return builder

    def load(self):
        """The model, made again."""
        return self.builder().compile()


def _struct_of(kind):
    return f"limpet_{kind}" if kind in _SHORT else f"limpet_{kind}_description"


def _add_doc(kind):
    return (
        f"Adds a {kind}, in SI, and returns its handle.\n\n"
        f"Keywords, as of {_struct_of(kind)}, with their lengths and units:\n\n"
        + "\n".join(_field_docs(ffi.typeof(_struct_of(kind)), ""))
        + "\n\nArrays say how long they are; their counts may be left out. Raises InputError."
    )


def _field_docs(ctype, indent):
    """A line or more for each field of a struct: length, unit and meaning as its header says."""
    told, lines = FIELDS.get(ctype.cname.removeprefix("struct "), {}), []
    for name, field in ctype.fields:
        if name == "place":
            continue
        inner = field.type
        words = [told.get(name, "")]
        if inner.kind == "array" and inner.item.cname != "char":
            words.insert(0, f"({inner.length})")
        if inner.kind == "enum":
            words.append(f"one of {', '.join(_words(inner))}")
        if inner.kind == "struct":
            words.append("a dict of")
        text = "  ".join(word for word in words if word)
        head = f"{indent}{name}: {text}" if text else f"{indent}{name}"
        lines += textwrap.wrap(head, 96, subsequent_indent=indent + "    ")
        if inner.kind == "struct":
            lines += _field_docs(inner, indent + "    ")
    return lines


def _adding(kind):
    def add(self, **fields: "Any") -> int:
        return self._add(kind, fields)

    add.__name__ = f"add_{kind}"
    add.__doc__ = _add_doc(kind)
    return add


def _editing(kind):
    def edit(self, name: "str | int") -> "Description":
        return self._edit(kind, name)

    edit.__name__ = kind
    edit.__doc__ = (
        f"The description of the {kind} of that name or handle, for editing; add_{kind} says "
        "what it has."
    )
    return edit


def _add_methods():
    for kind in _KINDS:
        setattr(Builder, f"add_{kind}", _adding(kind))
    for kind in _EDITABLE:
        setattr(Builder, kind, _editing(kind))


_add_methods()
