"""Sweeps: the same table by threads, shards, Ray and the command; what was there stays; runs that
fail are rows."""

import fcntl
import math
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import limpet

SCENE = """<mujoco><option gravity="7 0 -7"/><worldbody>
<geom name="floor" type="plane" size="3 3 1" friction="0"/>
<body name="box" pos="0 0 .1"><freejoint/>
<geom name="box" type="box" size=".1 .1 .1" friction="0"/></body>
<body name="cart" pos="0 2 1"><joint name="rail" type="slide" axis="1 0 0"/>
<geom size=".1"/></body>
<body name="stand" zaxis="2 -2.6 0.4"/><body name="post" pos="2 -2.6 0.4"/></worldbody>
<actuator><motor name="push" joint="rail"/></actuator></mujoco>"""
VARIED = {"box.friction": [0.5, 1.5]}
OPTIONS = {"set": {"push": [1, 2, 3]}, "seconds": 0.1, "track": ["box", "box@cart"]}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "scene.xml").write_text(SCENE)
    return tmp_path / "scene.xml"


@pytest.fixture
def whole(path):
    return limpet.sweep(path, VARIED, **OPTIONS)


def test_every_combination_is_a_row(whole):
    assert len(whole) == 6 and not whole.failed.any()
    np.testing.assert_array_equal(whole["box.friction"], [0.5] * 3 + [1.5] * 3)
    np.testing.assert_array_equal(whole["push"], [1, 2, 3, 1, 2, 3])
    assert (whole["box.moved"][:3] > 0.01).all() and (whole["box.moved"][3:] < 1e-5).all()
    assert list(whole["outcome"]) == ["solved"] * 6
    with pytest.raises(limpet.InputError, match="there are"):
        whole["nonsense"]


def test_threads_and_shards_give_the_same_table(path, whole, tmp_path):
    assert limpet.sweep(path, VARIED, threads=3, **OPTIONS).text() == whole.text()
    parts = []
    for shard in range(2):
        parts.append(tmp_path / f"{shard}.csv")
        limpet.sweep(path, VARIED, shard=(shard, 2), out=parts[-1], **OPTIONS)
    assert limpet.read_sweep(*parts).text() == whole.text()


def test_the_command_gives_the_same_table(path, whole, tmp_path):
    command = os.environ.get("LIMPET_COMMAND") or shutil.which("limpet")
    if not command:
        pytest.skip("no command limpet; LIMPET_COMMAND names one")
    words = ["--param", "box.friction=0.5,1.5", "--set", "push=1,2,3", "--time", "0.1s"]
    words += ["--track", "box", "--track", "box@cart", "--out", tmp_path / "c.csv"]
    subprocess.run([command, "sweep", path, *words], check=True, capture_output=True)
    assert (tmp_path / "c.csv").read_text() == whole.text()

    # controls over time, too, which both interpolate
    controls = tmp_path / "controls.csv"
    controls.write_text("time,push\n0.013,0.1\n0.07,0.7\n0.0801,-1.3\n")
    words = ["--param", "box.friction=0.5,1.5", "--controls", controls, "--time", "0.1s"]
    words += ["--track", "cart", "--track", "post@stand", "--out", tmp_path / "d.csv"]
    subprocess.run([command, "sweep", path, *words], check=True, capture_output=True)
    track = ["cart", "post@stand"]  # the post is on the z axis of the stand: x and y are round-off
    table = limpet.sweep(path, VARIED, controls=controls, seconds=0.1, track=track)
    assert (tmp_path / "d.csv").read_text() == table.text()

    # evenly spaced, to the last bit: the fourth push carries the cart but for 3 nN
    low, high = 10.3, -280.2578972
    words = ["--set", f"push={low}:{high}:23", "--time", "0.1s", "--track", "cart"]
    subprocess.run([command, "sweep", path, *words, "--out", tmp_path / "e.csv"], check=True)
    pushes = {"push": np.linspace(low, high, 23)}
    table = limpet.sweep(path, {}, set=pushes, seconds=0.1, track=["cart"])
    assert (tmp_path / "e.csv").read_text() == table.text()


def test_ray_gives_the_same_table(path, whole):
    ray = pytest.importorskip("ray", reason="skipped: not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert limpet.sweep(path, VARIED, engine="ray", **OPTIONS).text() == whole.text()
    finally:
        ray.shutdown()


def test_what_is_there_is_not_done_again(path, whole, tmp_path):
    rows = whole.text().splitlines(keepends=True)
    out = tmp_path / "cut.csv"
    # a mark in a row that is there tells that it was kept
    out.write_text(rows[0] + rows[4].replace(",solved,", ",kept,") + rows[2][:9])
    table = limpet.sweep(path, VARIED, out=out, **OPTIONS)
    assert list(table["outcome"]).count("kept") == 1
    assert out.read_text().replace(",kept,", ",solved,") == whole.text()
    with pytest.raises(limpet.InputError, match="another sweep"):
        limpet.sweep(path, {"box.friction": [0.5, 1.4]}, out=out, **OPTIONS)


def test_ctrl_c_keeps_the_rows(path, whole, tmp_path):
    out, runs = tmp_path / "out.csv", []

    def push(data):  # Ctrl-C in the middle of the third run
        runs.append(data) if data.step_count == 0 else None
        if len(runs) == 3 and data.step_count == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="4 runs are missing") as caught:
        limpet.sweep(path, VARIED, controls=push, out=out, **OPTIONS)
    assert isinstance(caught.value, limpet.Interrupted) and len(caught.value.done) == 2
    assert len(limpet.read_sweep(out)) == 2
    assert limpet.sweep(path, VARIED, out=out, **OPTIONS).text() == whole.text()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_ctrl_c_ends_runs_that_would_last_for_days(path, whole, tmp_path, threads):
    out, begun = tmp_path / "out.csv", []

    def press(data):
        begun.append(data.step_count)
        if len(begun) == 100:
            os.kill(os.getpid(), signal.SIGINT)

    days = OPTIONS | {"seconds": 1e8}
    with pytest.raises(limpet.Interrupted, match="6 runs are missing") as caught:
        limpet.sweep(path, VARIED, controls=press, out=out, threads=threads, **days)
    assert len(caught.value.done) == 0 and len(limpet.read_sweep(out)) == 0
    assert limpet.sweep(path, VARIED, out=out, **OPTIONS).text() == whole.text()


def test_a_table_that_another_sweep_writes_is_left_alone(path, tmp_path):
    out = tmp_path / "out.csv"
    limpet.sweep(path, VARIED, out=out, **OPTIONS)
    before = out.read_text()
    with open(out) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(limpet.FileError, match="another sweep writes"):
            limpet.sweep(path, VARIED, out=out, **OPTIONS)
    assert out.read_text() == before


def test_a_head_that_was_cut_is_made_again(path, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text(whole.text()[:7])
    limpet.sweep(path, VARIED, out=out, **OPTIONS)
    assert out.read_text() == whole.text()


def test_a_full_disk_is_told_with_the_file(path, whole, tmp_path):
    program = f"""
import resource, signal, limpet
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
try:
    limpet.sweep({str(path)!r}, {VARIED!r}, out="full.csv", **{OPTIONS!r})
except limpet.FileError as reason:
    print(reason)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert "full.csv: File too large; whole rows are kept" in done.stdout, done.stderr
    limpet.sweep(path, VARIED, out=tmp_path / "full.csv", **OPTIONS)
    assert (tmp_path / "full.csv").read_text() == whole.text()


def test_warnings_are_as_before_after_threads(path):
    import warnings

    before = list(warnings.filters)
    limpet.sweep(path, {"box.friction": [0.5] * 24}, seconds=0.01, threads=8)
    assert warnings.filters == before


def test_a_killed_sweep_goes_on(path, tmp_path):
    out = tmp_path / "killed.csv"
    options = {"samples": 40, "seconds": 0.3}
    program = (
        "import sys, limpet; limpet.sweep(sys.argv[1], {'box.friction': (0.1, 2.0)}, "
        f"out=sys.argv[2], **{options!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", program, path, out])
    while process.poll() is None and not (out.exists() and out.read_bytes().count(b"\n") > 5):
        pass
    process.kill()
    process.wait()
    kept = out.read_bytes().count(b"\n") - 1
    varied = {"box.friction": (0.1, 2.0)}
    table = limpet.sweep(path, varied, out=out, **options)
    assert kept >= 5 and len(table) == 40
    assert table.text() == limpet.sweep(path, varied, **options).text() == out.read_text()
    assert ((0.1 <= table["box.friction"]) & (table["box.friction"] < 2.0)).all()


def test_a_run_that_fails_is_a_row(path):
    table = limpet.sweep(path, {"body:box.mass": [1.0, 0.0]}, seconds=0.01)
    assert list(table.failed) == [False, True]
    assert table["outcome"][1].startswith("error: ") and math.isnan(table["time"][1])


def test_tables_are_written_as_parquet(path, whole, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="skipped: not installed")
    limpet.sweep(path, VARIED, out=tmp_path / "a.parquet", **OPTIONS)
    table = parquet.read_table(tmp_path / "a.parquet")
    assert tuple(table.column_names) == whole.columns
    np.testing.assert_array_equal(table["box.moved"].to_numpy(), whole["box.moved"])
    assert table["steps"].to_pylist() == [50] * 6


def test_mistakes_are_told_before_any_run(path, tmp_path):
    for varied, options, text in (
        ({"box.frict": [1]}, {}, "friction"),
        ({"box.friction": "x"}, {}, "numbers"),
        ({"box.friction": [1, float("nan")]}, {}, "numbers"),
        ({"box.friction": []}, {}, "no values"),
        (VARIED, {"track": ["bx"]}, "there is no body"),
        (VARIED, {"set": {"pull": [1]}}, "there is no actuator"),
        (VARIED, {"shard": (2, 2)}, "shard"),
        (VARIED, {"engine": "magic"}, "there are"),
        (VARIED, {"seconds": -1}, "seconds"),
        (VARIED, {"samples": 0}, "samples"),
        (VARIED, {"out": tmp_path / "none" / "a.csv"}, "name another"),
        (VARIED, {"contact": "soft"}, "coulomb"),
    ):
        with pytest.raises(limpet.LimpetError, match=text):
            limpet.sweep(path, varied, **options)
    with pytest.raises(limpet.FileError):
        limpet.read_sweep(tmp_path / "none.csv")
    (tmp_path / "odd.csv").write_text("run,a\n1\n")
    with pytest.raises(limpet.InputError, match="odd.csv:2"):
        limpet.read_sweep(tmp_path / "odd.csv")


def test_numbers_of_a_model_go_by_name(path):
    builder = limpet.Builder(path)
    builder.set_parameter("box.friction", 0.25)
    assert builder.parameter("box.friction") == 0.25
    assert builder.parameter_unit("body:box.mass") == "kg"
    assert 0.25 in builder.compile().geom_material["friction"]
    with pytest.raises(limpet.InputError):
        builder.set_parameter("box.friction", -1.0)
    with pytest.raises(TypeError):
        builder.parameter(None)
