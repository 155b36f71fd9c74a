"""Worlds in a browser: live views, and pictures as arrays."""

import os
import struct
import tempfile
import webbrowser
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import Data, numbers, same_model
from limpet._errors import FileError, InputError, StateError
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._native_words import OUTCOMES
from limpet._settings import settings_for
from limpet._simulate import Log, write_pose

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from limpet._native_words import Outcome
    from limpet._settings import Settings

_TURN = 0.05  # [s]  of run, between two looks for Ctrl-C


class View:
    """A world that a browser of this machine shows while it is stepped; made by limpet.view.

    address: where it is shown; it holds a secret token, and only this machine is listened to
    """

    model: "Model"
    data: "Data"
    settings: "Settings"
    address: str

    def __init__(
        self,
        model: "Model",
        data: "Data | None" = None,
        *,
        port: int = 0,
        paused: bool = False,
        speed: float = 1.0,
        settings: "Settings | None" = None,
        **values: "Any",
    ):
        _errors.expect(model, Model, "model")
        self.model = model
        self.data = Data(model) if data is None else data
        same_model(model, self.data)
        if self.data._live is not None:
            raise StateError("this world is shown already; close that view first")
        self.settings = settings_for(model, settings, values).copy()
        self.settings.energy = True
        options = ffi.new("limpet_live_options *", lib.limpet_live_options_default())
        options.port, options.paused = _errors.whole(port, "port"), bool(paused)
        options.speed = _errors.number(speed, "speed")
        if not 0 <= options.port < 65536:
            raise InputError(f"port is {port}; give 0 (any that is free) to 65535")
        if not 0.0 < options.speed < float("inf"):
            raise InputError(f"speed is {speed}; give a positive number, 1 for real time")
        error = _errors.new_error()
        pointer = lib.limpet_live_create(
            model._record, self.data._record, self.settings._record, options, error
        )
        handle = Handle(_errors.check_pointer(pointer, error), lib.limpet_live_destroy)
        handle.holds = self.data._handle
        self.address = _errors.text(lib.limpet_live_address(handle.pointer))
        self.data._live = handle

    @property
    def closed(self) -> bool:
        """Whether the server has ended."""
        return self.data._live is None

    @property
    def watchers(self) -> int:
        """How many pages watch now."""
        return 0 if self.closed else lib.limpet_live_watchers(self.data._live.pointer)

    def show(self) -> None:
        """Shows the world as it is now; limpet.step does it by itself. Never waits."""
        if not self.closed:
            lib.limpet_live_show(self.data._live.pointer)

    def run(self, seconds: "float | None" = None) -> "Outcome":
        """Simulates in real time as the page asks (play, pause, step, speed, reset, sliders), for
        `seconds` of wall time or until Ctrl-C. Returns the worst outcome."""
        if self.closed:
            raise StateError("the view is closed")
        worst, left = 0, float("inf") if seconds is None else _errors.number(seconds, "seconds")
        if not left >= 0.0:
            raise InputError(f"seconds is {seconds}; give a time, or None for no end")
        try:
            while left > 0.0:
                turn = min(_TURN, left)
                pointer = self.data._live.pointer
                worst = max(worst, lib.limpet_live_run(pointer, self.settings._record, turn))
                left -= turn
        except KeyboardInterrupt:
            pass
        return OUTCOMES[worst]

    def close(self) -> None:
        """Ends the server; pages keep what they have."""
        handle, self.data._live = self.data._live, None
        if handle is not None:
            ffi.release(handle.pointer)

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self):
        state = "closed" if self.closed else self.address
        return f"<limpet.View of {self.model.name!r}: {state}>"


def view(
    model: "Model",
    data: "Data | None" = None,
    *,
    browser: bool = True,
    port: int = 0,
    paused: bool = False,
    speed: float = 1.0,
    settings: "Settings | None" = None,
    **values: "Any",
) -> "View":
    """Shows a world in a browser of this machine, live.

    with limpet.view(model, data) as view: every limpet.step of this data is shown; view.run()
    simulates in real time as the page asks. Bodies can be pulled with Ctrl and the mouse.

    browser: whether to open it; view.address is where it is shown
    """
    made = View(model, data, port=port, paused=paused, speed=speed, settings=settings, **values)
    if browser:
        webbrowser.open(made.address)
    return made


def _png_pixels(raw):
    """Pixels (height x width x 3) of a PNG file of 8 bits, RGB or RGBA, not interlaced."""
    at, body, width, height, channels = 8, b"", 0, 0, 3
    while at < len(raw):
        (length,), kind = struct.unpack(">I", raw[at : at + 4]), raw[at + 4 : at + 8]
        chunk = raw[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", chunk[:10])
            channels = 4 if colour == 6 else 3
        elif kind == b"IDAT":
            body += chunk
        at += length + 12
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + width * channels)
    above = np.zeros((width, channels), np.uint8)
    pixels = np.empty((height, width, channels), np.uint8)
    for y in range(height):
        above = pixels[y] = _unfiltered(rows[y, 0], rows[y, 1:].reshape(width, channels), above)
    return pixels[:, :, :3].copy()


def _unfiltered(kind, row, above):
    """A row of a PNG file from its differences: filters 0 to 4 of the format."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row, axis=0, dtype=np.uint8)
    if kind == 2:
        return row + above
    out = np.zeros((len(row) + 1, row.shape[1]), np.int64)
    up = np.vstack([np.zeros((1, row.shape[1]), np.int64), above])
    for x in range(1, len(row) + 1):
        left, top, corner = out[x - 1], up[x], up[x - 1]
        if kind == 3:
            guess = (left + top) // 2
        else:
            p = left + top - corner
            a, b, c = abs(p - left), abs(p - top), abs(p - corner)
            guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, top, corner))
        out[x] = (row[x - 1] + guess) & 255
    return out[1:].astype(np.uint8)


def _page_of(what, folder):
    if isinstance(what, (str, os.PathLike)):
        return Path(what)
    page = Path(folder) / "replay.html"
    if isinstance(what, Log):
        what.replay(page)
        return page
    if isinstance(what, Model):
        what = Data(what)
    if not isinstance(what, Data):
        name = type(what).__name__
        raise TypeError(f"a picture is of a Log, Data, Model or replay file, not {name}")
    write_pose(what, page)
    return page


def _picture_write(what, path, width, height, camera, theme, forces, words, **values):
    """Draws into a file by limpet_picture_write; values: other fields of its options."""
    if theme not in ("light", "dark"):
        raise InputError(f"theme is 'light' or 'dark', not {theme!r}")
    options = ffi.new("limpet_picture_options *", lib.limpet_picture_options_default())
    shown = f"forces={int(forces)}&points={int(forces)}" + (f"&{words}" if words else "")
    kept = ffi.new("char[]", _errors.c_text(shown, "words"))
    options.words = kept
    options.width, options.height = (
        min(max(_errors.whole(size, name), -1), 1 << 30)  # what is out of range is told by C
        for name, size in (("width", width), ("height", height))
    )
    options.dark = theme == "dark"
    if camera is not None:
        place = ffi.new("double[6]", numbers(camera, (6,), "camera").tolist())
        options.camera = place
    for name, value in values.items():
        if value is not None:
            word = "fps" if name == "frames_per_second" else name
            setattr(options, name, _errors.number(value, word))
    # Ctrl-C is seen while the browser works
    go_on, problem = _errors.callback("bool(void *, int, int)", lambda *_: True)
    options.progress = go_on
    error = _errors.new_error()
    _errors.check(lib.limpet_picture_possible(_errors.c_path(path), error), error)
    with tempfile.TemporaryDirectory() as folder:
        page = _page_of(what, folder)
        status = lib.limpet_picture_write(
            _errors.c_path(page), _errors.c_path(path), options, error
        )
        if problem:
            raise problem[0]
        _errors.check(status, error)


def render(
    what: "Log | Data | Model | str | os.PathLike[str]",
    *,
    time: "float | None" = None,
    width: int = 960,
    height: int = 600,
    camera: "tuple[float, ...] | None" = None,
    theme: str = "light",
    forces: bool = True,
    words: str = "",
    path: "str | os.PathLike[str] | None" = None,
) -> "NDArray[np.uint8]":
    """A picture (height x width x 3, uint8) without a screen, by Chromium in the background.

    what: a Log (at `time`; None: its end), a world, a model in its first pose, or a replay file
    camera: x, y, z of the camera and of what it looks at [m]; None: everything in the picture
    words: of the page's address, joined by &: "through=1&geometry=collision"
    path: a PNG file to write, too. Raises FileError where it cannot be written
    """
    if path is not None and Path(path).suffix != ".png":
        raise InputError(f"{path}: a picture is written as PNG; give a name that ends in .png")
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise FileError(f"{path}: there is no folder {Path(path).parent}; make it first", str(path))
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        _picture_write(what, picture, width, height, camera, theme, forces, words, time=time)
        raw = picture.read_bytes()
    if path is not None:
        try:
            Path(path).write_bytes(raw)
        except OSError as reason:
            raise FileError(f"{path}: {reason.strerror}", str(path)) from None
    return _png_pixels(raw)


def render_video(
    what: "Log | str | os.PathLike[str]",
    path: "str | os.PathLike[str]",
    *,
    start: "float | None" = None,
    end: "float | None" = None,
    fps: float = 30.0,
    speed: float = 1.0,
    width: int = 960,
    height: int = 600,
    camera: "tuple[float, ...] | None" = None,
    theme: str = "light",
    forces: bool = True,
    words: str = "",
) -> None:
    """Writes a video (.mp4, .webm or .gif) of a Log or a replay file; needs Chromium and ffmpeg.

    start, end: of the run [s]; None: all of it
    speed: simulated time over time of the video
    """
    _picture_write(
        what,
        path,
        width,
        height,
        camera,
        theme,
        forces,
        words,
        start=start,
        end=end,
        frames_per_second=fps,
        speed=speed,
    )
