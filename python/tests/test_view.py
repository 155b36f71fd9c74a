"""Live views and pictures."""

import http.client
import os
import shutil
from urllib.parse import urlsplit

import numpy as np
import pytest

import limpet
from limpet._view import _png_pixels


@pytest.fixture
def live(model):
    if not limpet.lib.limpet_live_available():
        pytest.skip("built without the viewer or civetweb")
    return model


def answer(address, path=None):
    url = urlsplit(address)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    connection.request("GET", url.path if path is None else path)
    response = connection.getresponse()
    return response.status, response.read()


def test_a_view_serves_its_page_until_it_is_closed(live):
    data = live.data()
    with limpet.view(live, data, browser=False) as view:
        status, page = answer(view.address)
        assert status == 200 and b"limpet-live" in page
        assert answer(view.address, "/")[0] == 404
        assert view.watchers == 0 and not view.closed
        assert limpet.step(live, data, 10) is limpet.Outcome.SOLVED
        with pytest.raises(limpet.StateError):
            limpet.view(live, data, browser=False)
    assert view.closed
    view.close()
    with pytest.raises(OSError):
        answer(view.address)
    with pytest.raises(limpet.StateError):
        view.run(0.1)


def test_a_view_changes_no_bit_of_the_run(live):
    shown, alone = live.data(), live.data()
    with limpet.view(live, shown, browser=False):
        limpet.step(live, shown, 50)
    limpet.step(live, alone, 50)
    np.testing.assert_array_equal(shown.get_state(), alone.get_state())


def test_run_steps_by_the_clock_unless_paused(live):
    with limpet.view(live, browser=False, paused=True) as view:
        view.run(0.05)
        assert view.data.time == 0.0
    with limpet.view(live, browser=False, speed=100.0) as view:
        while view.data.time == 0.0:
            view.run(0.05)


def test_png_files_are_read_with_every_filter():
    # rows of filters 0 to 4 that all mean the same 3 x 2 pixels are worked out by the definition
    import struct
    import zlib

    rng = np.random.default_rng(3)
    pixels = rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)
    rows = b""
    for y, kind in enumerate((0, 1, 2, 3, 4)):
        rows += bytes([kind])
        for x in range(7):
            for c in range(3):
                left = int(pixels[y, x - 1, c]) if x else 0
                up = int(pixels[y - 1, x, c]) if y else 0
                corner = int(pixels[y - 1, x - 1, c]) if x and y else 0
                p = left + up - corner
                nearest = min((left, up, corner), key=lambda v: abs(p - v))
                guess = (0, left, up, (left + up) // 2, nearest)[kind]
                rows += bytes([(int(pixels[y, x, c]) - guess) % 256])

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + bytes(4)

    raw = bytes(8) + chunk(b"IHDR", struct.pack(">IIBBBBB", 7, 5, 8, 2, 0, 0, 0))
    raw += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    np.testing.assert_array_equal(_png_pixels(raw), pixels)


def test_a_picture_that_cannot_be_written_is_told_before_it_is_drawn(model, tmp_path):
    with pytest.raises(limpet.FileError, match="there is no folder"):
        limpet.render(model, path=tmp_path / "none" / "at.png")


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs Chromium")
def test_a_picture_shows_the_model(model, tmp_path):
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    picture = limpet.render(model, width=320, height=240, path=tmp_path / "model.png")
    assert picture.shape[2] == 3 and picture.std() > 5
    assert (tmp_path / "model.png").read_bytes()[1:4] == b"PNG"
    with pytest.raises(TypeError):
        limpet.render(3)
    with pytest.raises(limpet.FileError, match="cannot be read"):
        limpet.render(tmp_path / "none.html")
    with pytest.raises(limpet.InputError):
        limpet.render(model, width=3)


def test_ctrl_c_ends_a_picture(model, tmp_path, monkeypatch):
    """A browser that never answers, which presses Ctrl-C once it has begun."""
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\nkill -INT {os.getpid()}\nread answer <&3\n")
    browser.chmod(0o755)
    monkeypatch.setenv("LIMPET_CHROMIUM", str(browser))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        limpet.render(model, path=tmp_path / "model.png")
    assert [path.name for path in tmp_path.iterdir()] == ["browser"]


@pytest.mark.skipif(
    not (shutil.which("chromium") and shutil.which("ffmpeg")), reason="needs Chromium and ffmpeg"
)
def test_a_video_shows_a_run(model, tmp_path):
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    log = limpet.simulate(model, seconds=0.2)
    limpet.render_video(log, tmp_path / "run.mp4", fps=10, width=160, height=120)
    assert (tmp_path / "run.mp4").read_bytes()[4:8] == b"ftyp"
