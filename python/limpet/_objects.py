"""Access by name: model.body("hand").mass, data.joint("elbow").q."""

from typing import TYPE_CHECKING

from limpet._errors import InputError, text
from limpet._native import lib
from limpet._native_words import OBJECTS

if TYPE_CHECKING:
    from typing import Any


def find_index(handle, kind, name):
    """Index of an object from its name, or from its index."""
    count = lib.limpet_model_count(handle.pointer, OBJECTS[kind])
    if isinstance(name, str):
        index = lib.limpet_model_find(handle.pointer, OBJECTS[kind], name.encode())
        if index < 0:
            raise InputError(f"there is no {kind} {name!r}; {_near(handle, kind, count, name)}")
        return index
    try:
        index = name.__index__()
    except AttributeError:
        raise TypeError(f"a {kind} is chosen by name or number, not by {name!r}") from None
    if not -count <= index < count:
        raise IndexError(f"{kind} {index}: the model has {count}")
    return index % count


def names_of(handle, kind):
    """Names of all objects of a kind by index; None: unnamed."""
    count = lib.limpet_model_count(handle.pointer, OBJECTS[kind])
    return tuple(
        text(lib.limpet_model_name(handle.pointer, OBJECTS[kind], i)) for i in range(count)
    )


def _near(handle, kind, count, name):
    known = [n for n in names_of(handle, kind) if n]
    if not known:
        return f"its {count} are unnamed: choose by number"
    import difflib  # only a mistake needs it

    near = difflib.get_close_matches(name, known, 3)
    return "did you mean " + " or ".join(map(repr, near)) if near else "names: " + ", ".join(known)


def no_attribute(owner, name, elsewhere):
    """The AttributeError of an object without that attribute: what MuJoCo's name for it is called
    here (`elsewhere`), else the names that are near."""
    kind = type(owner).__name__
    if name in elsewhere:
        return AttributeError(f"{kind} has no {name!r}; here it is {elsewhere[name]}")
    import difflib  # only a mistake needs it

    near = difflib.get_close_matches(name, [n for n in dir(type(owner)) if n[0] != "_"], 3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return AttributeError(f"{kind} has no {name!r}{hint}", name=name, obj=owner)


class Named:
    """One object of a model or of a world: what the arrays `kind_...` hold of it.

    Arrays are views: what is written into them is written into the world.
    """

    __slots__ = ("_owner", "_kind", "_index", "_slices")

    def __init__(self, owner, kind, index, slices):
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "_slices", slices)

    @property
    def index(self) -> int:
        return self._index

    @property
    def name(self) -> "str | None":
        """None: unnamed."""
        handle = self._owner._model_handle
        return text(lib.limpet_model_name(handle.pointer, OBJECTS[self._kind], self._index))

    def _place(self, attribute):
        """The array that holds an attribute, and where in it."""
        if attribute in self._slices:
            array, begin, size = self._slices[attribute]
            return getattr(self._owner, array), slice(begin, begin + size)
        array = getattr(self._owner, f"{self._kind}_{attribute}", None)
        if array is None or attribute == "count":
            raise AttributeError(f"a {self._kind} has no {attribute!r}; it has {self._known()}")
        return array, self._index

    def _known(self):
        prefix = f"{self._kind}_"
        names = [n[len(prefix) :] for n in type(self._owner)._arrays if n.startswith(prefix)]
        return ", ".join(sorted({*names, *self._slices}))

    def __getattr__(self, attribute: str) -> "Any":
        array, place = self._place(attribute)
        return array[place]

    def __setattr__(self, attribute: str, value: "Any") -> None:
        array, place = self._place(attribute)
        array[place] = value

    def __dir__(self):
        return ["index", "name", *self._known().split(", ")]

    def __repr__(self):
        name = f" {self.name!r}" if self.name else ""
        return f"<{self._kind} {self._index}{name}>"
