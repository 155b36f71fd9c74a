"""Fields of the C structs, by the library's own tables: attributes and NumPy views are made of
them, so that nothing stands in a second list."""

import numpy as np

from limpet._errors import text
from limpet._native import ffi, lib

_DTYPES = {
    lib.LIMPET_FIELD_DOUBLE: np.float64,
    lib.LIMPET_FIELD_FLOAT: np.float32,
    lib.LIMPET_FIELD_INT: np.int32,
    lib.LIMPET_FIELD_UNSIGNED: np.uint32,
    lib.LIMPET_FIELD_INT64: np.int64,
    lib.LIMPET_FIELD_UINT64: np.uint64,
    lib.LIMPET_FIELD_BOOL: np.bool_,
    lib.LIMPET_FIELD_ENUM: np.int32,
}


class Field:
    """One field of a struct: name, shape, unit, default, range and meaning."""

    def __init__(self, pointer):
        self._pointer = pointer
        self.name = text(pointer.name)
        self.last_name = self.name.rsplit(".", 1)[-1]
        self.shape = text(pointer.shape)
        self.unit = text(pointer.unit)
        self.text = text(pointer.text)
        self.stage = text(pointer.stage)
        self.default = pointer.value
        self.word = text(pointer.word)
        self.minimum, self.maximum = pointer.minimum, pointer.maximum
        self.type = pointer.type
        self.uses = pointer.uses

    @property
    def is_array(self):
        return bool(self.shape)

    @property
    def is_number(self):
        return self.type in _DTYPES

    @property
    def moves(self):
        """Whether each step points it to another place, so that only copies can be given away."""
        return bool(self.uses & lib.LIMPET_FIELD_STEP)

    @property
    def is_result(self):
        """Whether a function of the library fills it anew, so that what is set is lost."""
        return bool(self.stage) and not self.uses & lib.LIMPET_FIELD_STATE

    @property
    def doc(self):
        """Meaning with shape and unit, as docstrings show it."""
        shape = f" ({self.shape})" if self.shape else ""
        unit = f" [{self.unit}]" if self.unit and self.unit != "1" else ""
        return f"{self.text or self._counted()}{shape}{unit}"

    def _counted(self):
        """What a count without a text of its own counts: joint_count, "How many joints"."""
        thing = self.name.removesuffix("_count").replace("_", " ")
        thing = "bodie" if thing == "body" else thing
        return f"How many {thing}s there are" if self.name.endswith("_count") else ""

    def dtype(self):
        """NumPy's type of one element; None where it has none (texts, descriptors)."""
        if self.type == lib.LIMPET_FIELD_STRUCT:
            return struct_dtype(self._pointer.fields())
        return np.dtype(_DTYPES[self.type]) if self.is_number else None

    def dimensions(self, scopes):
        shape = ffi.new("int[]", lib.LIMPET_FIELD_RANK)
        scope = ffi.new("limpet_field_scope[]", scopes)
        rank = lib.limpet_field_shape(self._pointer, scope, len(scopes), shape)
        return tuple(shape[i] for i in range(rank))

    def elements(self, record):
        return lib.limpet_field_elements(self._pointer, record)

    def view(self, record, shape, owner, writable):
        """NumPy view of the elements, which keeps `owner` alive; numbers and structs only."""
        dtype = self.dtype()
        count = int(np.prod(shape, dtype=np.int64))
        if count == 0:
            array = np.empty(shape, dtype)
        else:
            # the pointer, and so the buffer and the view, hold the owner of the memory
            pointer = ffi.gc(ffi.cast("char *", self.elements(record)), _Holder(owner))
            buffer = ffi.buffer(pointer, count * dtype.itemsize)
            array = np.frombuffer(buffer, dtype).reshape(shape)
        array.flags.writeable = writable
        return array

    def number(self, record, index=0):
        """A single number as Python has it."""
        value = lib.limpet_field_number(self._pointer, record, index)
        if self.type in (lib.LIMPET_FIELD_DOUBLE, lib.LIMPET_FIELD_FLOAT):
            return value
        if self.type == lib.LIMPET_FIELD_BOOL:
            return bool(value)
        if self.type in (lib.LIMPET_FIELD_INT64, lib.LIMPET_FIELD_UINT64):
            ctype = "int64_t *" if self.type == lib.LIMPET_FIELD_INT64 else "uint64_t *"
            return ffi.cast(ctype, self.elements(record))[index]  # a double holds 53 bits only
        return int(value)

    def assign(self, record, value, index=0):
        lib.limpet_field_assign(self._pointer, record, index, float(value))


class _Holder:
    """Called when a view dies; until then it holds what the view's memory belongs to."""

    __slots__ = ("owner",)

    def __init__(self, owner):
        self.owner = owner

    def __call__(self, pointer):
        self.owner = None


class Table:
    """The fields of one struct by name, in the order of the struct."""

    def __init__(self, pointer):
        self._pointer = pointer
        self.struct = text(pointer.name)
        self.fields = {}
        for i in range(pointer.count):
            field = Field(pointer.fields + i)
            self.fields[field.name] = field

    def __iter__(self):
        return iter(self.fields.values())

    def __getitem__(self, name):
        return self.fields[name]

    def __contains__(self, name):
        return name in self.fields

    def dtype(self):
        """NumPy's record type of the struct."""
        return struct_dtype(self._pointer)

    def scope(self, record):
        """A row of the scopes that give names of dimensions their numbers."""
        return {"table": self._pointer, "record": ffi.cast("const void *", record)}


def struct_dtype(table):
    """NumPy's record type of a C struct, with its offsets: fields are attributes, too."""
    names, formats, offsets = [], [], []
    for i in range(table.count):
        field = Field(table.fields + i)
        dtype = field.dtype()
        if dtype is None or field._pointer.pointer:
            continue  # texts and pointers are not for reading by NumPy
        shape = field.dimensions([]) if field.is_array else ()
        names.append(field.name)
        formats.append((dtype, shape) if shape else dtype)
        offsets.append(field._pointer.offset)
    fields = {"names": names, "formats": formats, "offsets": offsets, "itemsize": table.size}
    return np.dtype((np.record, fields))


MODEL = Table(lib.limpet_model_fields())
DATA = Table(lib.limpet_data_fields())
INFO = Table(lib.limpet_step_info_fields())
SETTINGS = Table(lib.limpet_step_settings_fields())
OPTIONS = Table(lib.limpet_options_fields())
MATERIAL = Table(lib.limpet_material_fields())
LOAD_OPTIONS = Table(lib.limpet_load_options_fields())
