#!/usr/bin/env python3
"""Writes limpet/__init__.pyi, the types of the package, from the package itself.

usage: stubs.py FOLDER_OF_LIMPET OUTPUT.pyi

Attributes that are made from the field tables of the library get their types and docstrings from
them; functions and methods keep the annotations of their source.
"""

import inspect
import sys

sys.dont_write_bytecode = True

HEAD = '''"""Types of limpet, made by python/stubs.py."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
ffi: Any
lib: Any
__version__: str
contact_models: Mapping[str, Descriptor]
schemes: Mapping[str, Descriptor]
normal_laws: Mapping[str, Descriptor]
constraint_kinds: Mapping[str, Descriptor]
sensor_kinds: Mapping[str, Descriptor]
controller_kinds: Mapping[str, Descriptor]
elastic_laws: Mapping[str, Descriptor]
'''

# methods that a stub has although their names begin with "_"
SPECIAL = ("__init__", "__len__", "__call__", "__getitem__", "__enter__", "__exit__")


def array_type(field):
    dtype = field.dtype()
    return "NDArray[Any]" if dtype.names else f"NDArray[np.{dtype.type.__name__}]"


def field_type(field, lib):
    if field.is_array:
        return array_type(field)
    for name in ("BOOL", "DOUBLE", "FLOAT"):
        if field.type == getattr(lib, f"LIMPET_FIELD_{name}"):
            return "bool" if name == "BOOL" else "float"
    return "int"


def quoted(text, indent):
    text = (text or "").replace("\\", "\\\\").replace('"""', "'''")
    return f'{indent}"""{text}"""'


def annotation(value):
    if value is inspect.Signature.empty:
        return "Any"
    if isinstance(value, str):
        return value
    if isinstance(value, type):
        return f"np.{value.__name__}" if value.__module__ == "numpy" else value.__name__
    return str(value)


def signature(name, function, method):
    """The line `def name(...) -> type:` of a function."""
    parts, star = [], False
    for i, p in enumerate(inspect.signature(function).parameters.values()):
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if method and i == 0:
            parts.append(p.name)
        elif p.kind is p.VAR_KEYWORD:
            parts.append(f"**{p.name}: {annotation(p.annotation)}")
        elif p.kind is p.VAR_POSITIONAL:
            parts.append(f"*{p.name}: {annotation(p.annotation)}")
            star = True
        else:
            default = "" if p.default is p.empty else " = ..."
            parts.append(f"{p.name}: {annotation(p.annotation)}{default}")
    result = annotation(inspect.signature(function).return_annotation)
    if name == "__init__":
        result = "None"
    return f"def {name}({', '.join(parts)}) -> {result}:"


def function_stub(name, function, indent="", method=False):
    doc = inspect.getdoc(function)
    body = quoted(doc, indent + "    ") if doc else f"{indent}    ..."
    return f"{indent}{signature(name, function, method)}\n{body}\n"


def property_stub(name, member, kind, writable):
    doc = quoted(member.__doc__, "        ")
    text = f"    @property\n    def {name}(self) -> {kind}:\n{doc}\n"
    if writable:
        text += f"    @{name}.setter\n    def {name}(self, value: ArrayLike) -> None: ...\n"
    return text


def class_stub(cls, fields, lib):
    """A class: annotated attributes, properties with the types of their fields, methods."""
    bases = [b.__name__ for b in cls.__bases__ if b.__name__ not in ("object", "World")]
    head = f"class {cls.__name__}({', '.join(bases)}):" if bases else f"class {cls.__name__}:"
    # attributes that are no field of a table
    dynamic = ("__getattr__", "__setattr__") if cls.__name__ in ("Named", "Description") else ()
    parts = [head, quoted(inspect.getdoc(cls), "    ")]
    for name, kind in getattr(cls, "__annotations__", {}).items():
        parts.append(f"    {name}: {annotation(kind)}")
    if "IntEnum" in bases:
        parts += [f"    {member.name} = {member.value}" for member in cls]
    for name, member in vars(cls).items():
        if name.startswith("_") and name not in (*SPECIAL, *dynamic):
            continue
        if isinstance(member, property):
            field = fields.get(name)
            kind = field_type(field, lib) if field else "Any"
            if member.fget.__annotations__.get("return"):
                kind = annotation(member.fget.__annotations__["return"])
            parts.append(property_stub(name, member, kind, member.fset is not None))
        elif isinstance(member, classmethod):
            parts.append("    @classmethod\n" + function_stub(name, member.__func__, "    ", True))
        elif inspect.isfunction(member):
            parts.append(function_stub(name, member, "    ", True))
    if cls.__name__ == "Settings":
        parts += [f"    {n}: {setting_type(f, lib)}" for n, f in fields.items()]
    return "\n".join(parts) + "\n"


def setting_type(field, lib):
    return "Any" if field.type == lib.LIMPET_FIELD_DESCRIPTOR else field_type(field, lib)


def main():
    folder, output = sys.argv[1:]
    sys.path.insert(0, folder)
    import limpet
    from limpet import _data, _fields
    from limpet._native import lib

    tables = {
        "Model": {f.name: f for f in _fields.MODEL},
        "Data": {f.name: f for f in _fields.DATA},
        "Info": {f.name: f for f in _fields.INFO},
        "Settings": {f.last_name: f for f in _fields.SETTINGS},
    }
    parts = [HEAD]
    for name in limpet.__all__:
        member = getattr(limpet, name)
        member = _data.GENERAL.get(member, member) if callable(member) else member
        if inspect.isclass(member):
            parts.append(class_stub(member, tables.get(name, {}), lib))
        elif inspect.isfunction(member):
            parts.append(function_stub(name, member))
    parts.append(class_stub(sys.modules["limpet._objects"].Named, {}, lib))
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main()
