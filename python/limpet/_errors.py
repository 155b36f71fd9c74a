"""What can go wrong, as exceptions with fields, and remarks on a model, as warnings."""

import operator
import os
import threading
import warnings

from limpet._native import ffi, lib


class LimpetError(Exception):
    """Base of all errors of Limpet.

    message: the whole text, "file:line:column: what; what to do"
    file, line, column: place in a file as the user gave it, 1-based; None: not known
    hint: what to do about it; "" where the message does not say
    """

    message: str
    file: "str | None"
    line: "int | None"
    column: "int | None"
    hint: str

    def __init__(
        self,
        message: str,
        file: "str | None" = None,
        line: "int | None" = None,
        column: "int | None" = None,
    ):
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = message.split("; ", 1)[1] if "; " in message else ""

    def __reduce__(self):
        return type(self), (self.message, self.file, self.line, self.column)


class InputError(LimpetError, ValueError):
    """A file, a description or a value that is malformed, contradictory or non-physical."""


class FileError(LimpetError, OSError):
    """A file that cannot be found, read or written."""


class UnsupportedError(LimpetError, NotImplementedError):
    """Understood but not implemented, where the caller is strict."""


class StateError(LimpetError, RuntimeError):
    """Calls in the wrong order, or data that belongs to another model."""


class LimpetWarning(UserWarning):
    """Something in a file that is not simulated as the file asks, or a log that is not whole."""


_KINDS = {
    lib.LIMPET_ERROR_INPUT: InputError,
    lib.LIMPET_ERROR_FILE: FileError,
    lib.LIMPET_ERROR_UNSUPPORTED: UnsupportedError,
    lib.LIMPET_ERROR_STATE: StateError,
}


def text(pointer):
    """A C string, or None."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def c_text(words, what="a name"):
    """A text as C has it. One with a NUL would end there, and mean something else."""
    raw = words if isinstance(words, bytes) else str(words).encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise InputError(f"{what} cannot hold a NUL character: {words!r}")
    return raw


def c_path(path):
    """A path as C has it."""
    try:
        return c_text(os.fsencode(path), "a path")
    except TypeError:
        kind = type(path).__name__
        raise TypeError(f"a path is a str, bytes or os.PathLike, not {kind}") from None


def json_bytes(source):
    """JSON from a dict, or from a text of JSON."""
    import json

    if isinstance(source, str):
        if source.lstrip()[:1] not in ("{", "["):
            raise InputError(f"{source[:60]!r} is not a text of JSON; of a file give what it holds")
        return source.encode()
    try:
        return json.dumps(source).encode()
    except TypeError as reason:
        raise TypeError(f"expected a dict, or a text of JSON: {reason}") from None


def expect(value, kind, what):
    """Raises unless an argument is an object of that class of limpet."""
    if not isinstance(value, kind):
        words = [word for word in kind.__module__.split(".") if word[0] != "_"]  # limpet._model
        name = ".".join([*words, kind.__name__])
        raise TypeError(f"{what} is a {name}, not {type(value).__name__}")


def number(value, what):
    """A number as a float, or an error that says which argument is none."""
    try:
        if isinstance(value, str | bytes | bytearray):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: expected a number, got {_short(value)}") from None


def whole(value, what):
    """A whole number as an int, or an error that says which argument is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: expected a whole number, got {_short(value)}") from None


def items(values, what, of_what):
    """A list of the items of an argument, or an error that says which argument has none."""
    try:
        if not isinstance(values, str | bytes):
            return list(values)
    except TypeError:
        pass
    raise TypeError(f"{what}: expected a list of {of_what}, got {_short(values)}")


def _short(value):
    words = repr(value)
    return words if len(words) <= 80 else words[:77] + "..."


def near_words(name, known, all_of_them="there are"):
    """What was most likely meant by a name that is not known, or which names there are."""
    import difflib  # only a mistake needs it

    near = difflib.get_close_matches(name, known, 3) if isinstance(name, str) else []
    if near:
        return "did you mean " + " or ".join(map(repr, near)) + "?"
    return f"{all_of_them}: {', '.join(known)}"


def new_error():
    return ffi.new("limpet_error *")


def exception(error):
    """The exception that belongs to a filled limpet_error."""
    message = text(error.message) or text(lib.limpet_status_name(error.status))
    if error.status == lib.LIMPET_ERROR_MEMORY:
        return MemoryError(message)
    return _KINDS.get(error.status, LimpetError)(
        message, text(error.file) or None, error.line or None, error.column or None
    )


def check(status, error):
    if status != lib.LIMPET_OK:
        raise exception(error)


def check_pointer(pointer, error):
    if pointer == ffi.NULL:
        raise exception(error)
    return pointer


def out_of_memory(pointer):
    if pointer == ffi.NULL:
        raise MemoryError("the system gave no memory")
    return pointer


def warn_of_notes(notes, stacklevel):
    """A warning for each note on what is not simulated as the file asks, or is doubtful."""
    for note in notes:
        if note.unsupported or note.doubtful:
            warnings.warn(str(note), LimpetWarning, stacklevel=stacklevel)


def function_of_place(ctype, function):
    """A C callback of `function`, which takes a place (3) [m] and gives a number, and a list that
    gets what it raises; the C code then sees NAN, and no further call."""
    if not callable(function):
        raise TypeError(f"give a function of a place (3), not {type(function).__name__}")
    raised = []

    def call(_, x):
        if raised:
            return float("nan")
        try:
            return float(function(tuple(x[0:3])))
        except BaseException as reason:
            raised.append(reason)
            return float("nan")

    return ffi.callback(ctype, call), raised


class Watcher:
    """A `function` of C with its `context`, which says whether to go on. check() raises what ended
    it."""

    def __init__(self, function, context=ffi.NULL, raised=(), keep=None):
        self.function, self.context = function, context
        self._raised, self._keep = raised, keep

    def check(self):
        if self._raised:
            raise self._raised.pop()


_INTERVAL = 0.05  # [s]  between two looks for signals


def signals_watcher(function):
    """A Watcher by which Ctrl-C ends what asks it, with a function of ask.h; in threads that hear
    of no signals its function is NULL."""
    if threading.current_thread() is not threading.main_thread():
        return Watcher(ffi.NULL)
    call, raised = callback("bool(void *)", _go_on)
    context = ffi.new("asked *", (call, _INTERVAL, 0.0))
    return Watcher(ffi.addressof(lib, function), context, raised, keep=call)


def fields_watcher(progress):
    """A Watcher of a builder that tells `progress`, unless it is None, of pressure fields; what it
    raises ends the compilation, as Ctrl-C does."""
    if progress is None:
        return signals_watcher("ask_of_fields")
    if not callable(progress):
        raise TypeError(f"give a function of (done, count), not {type(progress).__name__}")

    def call(_, done, count):
        if count:
            progress(done, count)
        return True

    call, raised = callback("limpet_builder_progress", call)
    return Watcher(call, raised=raised)


def _go_on(*_):
    return True


def callback(ctype, call):
    """A C callback of `ctype` that says false once `call` raised, and a list that gets that."""
    raised = []

    def keep(_, reason, __):
        raised.append(reason)

    return ffi.callback(ctype, call, error=False, onerror=keep), raised
