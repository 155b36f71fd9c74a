"""Access by name: model.body("hand").mass, data.joint("elbow").q."""

from typing import TYPE_CHECKING

from limpet._errors import InputError, c_text, near_words, text
from limpet._native import lib
from limpet._native_words import OBJECTS

if TYPE_CHECKING:
    from typing import Any


def find_index(handle, kind, name):
    """Index of an object from its name, or from its index."""
    count = lib.limpet_model_count(handle.pointer, OBJECTS[kind])
    if isinstance(name, str):
        index = lib.limpet_model_find(handle.pointer, OBJECTS[kind], c_text(name))
        if index < 0:
            raise InputError(f"there is no {kind} {name!r}; {_near(handle, kind, count, name)}")
        return index
    try:
        index = name.__index__()
    except (AttributeError, TypeError):
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
    if not count:
        return "the model has none"
    if not known:
        return f"its {count} are unnamed: choose by number"
    return near_words(name, known, "names")


class Elsewhere:
    """A name of MuJoCo that a class has not: reading and setting it say what it is called here."""

    __slots__ = ("_text",)

    def __init__(self, kind, name, here):
        self._text = f"{kind} has no {name!r}; here it is {here}"

    def __get__(self, owner, cls=None):
        raise AttributeError(self._text)

    def __set__(self, owner, value):
        raise AttributeError(self._text)


def add_elsewhere(cls, names):
    for name, here in names.items():
        setattr(cls, name, Elsewhere(cls.__name__, name, here))


def public_names(cls):
    """Names of the attributes that a class has."""
    return [n for n in dir(cls) if n[0] != "_" and not isinstance(vars(cls).get(n), Elsewhere)]


def no_attribute(owner, name, own=()):
    """The AttributeError of an object without that attribute, with the names that are near: of its
    class, and its `own`."""
    kind = type(owner).__name__
    for cls in type(owner).__mro__:
        if isinstance(vars(cls).get(name), Elsewhere):
            return AttributeError(vars(cls)[name]._text)
    import difflib  # only a mistake needs it

    near = difflib.get_close_matches(name, [*public_names(type(owner)), *own], 3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    return AttributeError(f"{kind} has no {name!r}{hint}", name=name, obj=owner)


# what MuJoCo's attributes of a named object are called here
_MUJOCO = {
    **{"id": "index", "qpos": "q", "qvel": "v", "ctrl": "control", "friction": "material.friction"},
    **{"pos": "position", "xpos": "position", "quat": "quaternion", "xquat": "quaternion"},
    **{"xmat": "rotation", "qposadr": "model.joint_q[index]", "dofadr": "model.joint_v[index]"},
    **{"data": "data.sensor_values(name)", "ctrlrange": "control_range"},
    "xfrc_applied": "applied_wrench, in the order [moment; force]",
}


def _named_again(owner, kind, index):
    return owner._named(kind, index)


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
        """The array that holds an attribute, and where in it: a range, or (size 0) a row."""
        if attribute in self._slices:
            array, begin, size = self._slices[attribute]
            return getattr(self._owner, array), slice(begin, begin + size) if size else begin
        array = getattr(self._owner, f"{self._kind}_{attribute}", None)
        if array is None or attribute == "count":
            article = "an" if self._kind[0] in "aeiou" else "a"
            here = _MUJOCO.get(attribute)
            hint = f"here it is {here}" if here else f"it has {', '.join(dir(self))}"
            raise AttributeError(f"{article} {self._kind} has no {attribute!r}; {hint}")
        return array, self._index

    def _known(self):
        prefix = f"{self._kind}_"
        names = [n[len(prefix) :] for n in type(self._owner)._arrays if n.startswith(prefix)]
        computed = getattr(type(self._owner), "_computed", {}).get(self._kind, ())
        return ", ".join(sorted({*names, *self._slices, *computed}))

    def __getattr__(self, attribute: str) -> "Any":
        array, place = self._place(attribute)
        return array[place]

    def __setattr__(self, attribute: str, value: "Any") -> None:
        array, place = self._place(attribute)
        field = type(self._owner)._arrays.get(f"{self._kind}_{attribute}")
        if field is not None and field.is_result:
            raise AttributeError(
                f"{attribute} of a {self._kind} is a result of {field.stage} and cannot be set"
            )
        if type(self._owner).__name__ == "Model":
            raise AttributeError(
                f"a model does not change, {attribute} of a {self._kind} neither; edit a "
                "limpet.Builder and compile it"
            )
        try:
            array[place] = value
        except (TypeError, ValueError) as reason:
            raise InputError(f"{attribute}: {reason}") from None

    def __dir__(self):
        return ["index", "name", *filter(None, self._known().split(", "))]

    def __reduce__(self):
        return _named_again, (self._owner, self._kind, self._index)

    def __repr__(self):
        name = f" {self.name!r}" if self.name else ""
        return f"<{self._kind} {self._index}{name}>"
