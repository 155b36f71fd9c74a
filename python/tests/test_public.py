"""What is public: every name has a docstring, every function of the C headers is reached, and wrong
arguments are exceptions, whatever they are."""

import copy
import inspect
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ARM, ROOT

import limpet

# functions of the headers that no method calls, with the reason; limpet.lib has them all the same
WITHOUT = {
    "parameters and words stand in limpet.contact_models and its like": (
        *("parameter_default", "contact_model_find"),
        *("contact_family_name", "contact_model_has", "normal_law_find"),
        *("scheme_find", "scheme_takes", "elastic_law_find"),
        *("elastic_law_is_linear", "sensor_kind_find", "sensor_kind_unit", "sensor_kind_stage"),
        *("sensor_stage_word", "sensor_kind_size", "sensor_kind_objects", "stage_word"),
        *("sensor_kind_references", "joint_kind_word", "shape_pairs", "plan_term_kinds"),
    ),
    "field tables are what attributes and docstrings are made of": (
        *("data_field_count", "field_find", "field_last_name", "field_type_word", "field_count"),
        *("field_elements_of", "field_is_number", "field_allows", "fields_reset"),
        *("impedance_fields", "contact_sensor_fields", "parameter_fields"),
    ),
    "defaults are in what the descriptions of a Builder begin with": (
        *("impedance_default", "material_default", "options_default", "tendon_point_default"),
        *("muscle_default", "muscle_fields", "motor_default", "motor_fields"),
        *("plan_settings_default",),
    ),
    "stages that data.forward_dynamics and limpet.step run in their order": (
        *("bias", "passive_forces", "actuation", "step_prepare", "step_attempt", "step_look_again"),
        *("step_commit",),
    ),
    "stages of the step of a deformable body, which limpet.step runs": (
        *("fem_step_begin", "fem_step_info", "fem_step_free_velocity", "fem_step_relinearise"),
        *("fem_step_residual", "fem_step_multiply", "fem_step_solve", "fem_step_condense"),
        *("fem_step_follow", "fem_step_follow_impulse", "fem_step_keep_spin", "fem_body_faces"),
        *("fem_step_positions", "fem_step_derivative"),
        *("fem_body_face_tetrahedra", "fem_body_segments", "fem_body_thin_hash"),
    ),
    "limpet.load makes a Builder, which Ctrl-C ends": ("load",),
    "Builder.read chooses among them": ("mjcf_read", "urdf_read", "sdformat_read"),
    "Builder.parameter and its like take the whole name": (
        *("parameter_read", "parameter_matches", "parameter_compile"),
        *("parameter_parts", "parameter_field"),
    ),
    "limpet.read_log reads logs without the library's HDF5, too": (
        *("log_read", "log_info_destroy", "log_settings"),
    ),
    "model.actuator_act_count has it": ("actuator_activation_count",),
    "says what model.actuator_target is an index of": ("transmission_object",),
    "clouds and grids of distances are geoms of a model": (
        *("distance_grid_create", "distance_grid_error", "distance_grid_destroy"),
        *("cloud_create", "cloud_destroy", "cloud_nearest"),
    ),
    "ParameterGradient.adjoint takes weights of vertices, too": ("gradient_parameters_adjoint",),
    "Plan.solve and Gradient take smoothing by its word": (
        *("plan_solve", "gradient_smoothing_step", "smoothing_word"),
    ),
    "for programs that write controllers, readers or viewers of their own in C": (
        *("controller_drives", "controller_pushes", "builder_add_note", "builder_add_doubt"),
        *("live_available", "log_is_due", "builder_go_on"),
    ),
}


def public_functions():
    functions = set()
    for header in (ROOT / "include/limpet").glob("*.h"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read_text(), flags=re.S)
        functions |= set(re.findall(r"(?:LIMPET_API|inline)\s[^;{(]*?limpet_(\w+)\s*\(", text))
    return functions


def called_functions():
    """Functions that the package calls, those whose names it puts together included."""
    folder = Path(limpet.__file__).parent
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    called = set(re.findall(r"lib\.limpet_(\w+)", text))
    builder = sys.modules[limpet.Builder.__module__]
    for kind in builder._KINDS:
        struct = builder._struct_of(kind).removeprefix("limpet_")
        called |= {f"{struct}_default", f"builder_add_{kind}"}
    called |= {f"builder_{kind}" for kind in builder._EDITABLE}
    return called | {f"step_settings_{name}" for name in sys.modules["limpet._settings"]._TABLES}


def test_every_function_of_the_headers_is_reached():
    functions, called = public_functions(), called_functions()
    assert len(functions) > 300
    assert not sorted(called - functions), "functions that are no more"
    excused = [name for names in WITHOUT.values() for name in names]
    assert len(set(excused)) == len(excused)
    missing = functions - called
    assert not sorted(missing - set(excused)), "wrap them, or say in WITHOUT why not"
    assert not sorted(set(excused) - missing - {"fem_body_faces"}), "WITHOUT has them for nothing"
    assert all(hasattr(limpet.lib, f"limpet_{name}") for name in functions)


def public_members():
    """(dotted name, object) of all that is public."""
    for name in limpet.__all__:
        member = getattr(limpet, name)
        yield name, member
        if not inspect.isclass(member):
            continue
        for inner, value in vars(member).items():
            if not inner.startswith("_") and (
                isinstance(value, property | classmethod) or inspect.isfunction(value)
            ):
                yield f"{name}.{inner}", value


def test_every_public_name_has_a_docstring():
    names = dict(public_members())
    tables = {"ffi", "lib", *(n for n in limpet.__all__ if n.endswith(("_kinds", "_laws")))}
    tables |= {"contact_models", "schemes"}
    without = [
        name
        for name, member in names.items()
        if name not in tables and not (inspect.getdoc(member) or "").strip()
    ]
    assert len(names) > 400 and not without, without


def test_arguments_are_typed():
    """Functions, methods and constructors say the types of what they take."""
    bare = []
    for name, member in public_members():
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isclass(member) and "__init__" in vars(member):
            function = member.__init__
        if not inspect.isfunction(function) or name.startswith(("Description", "Named")):
            continue
        for p in list(inspect.signature(function).parameters.values()):
            if p.name not in ("self", "cls") and not p.name.startswith("_"):
                if p.annotation is p.empty:
                    bare.append(f"{name}({p.name})")
    internal = {"Info", "Log", "Traces", "Descriptor", "Model", "Table", "Trajectory", "Path"}
    assert not [b for b in bare if b.split("(")[0] not in internal], bare


# ------------------------------------------------------------------------------- wrong arguments

FINE = (TypeError, ValueError, LookupError, AttributeError, OverflowError, limpet.LimpetError)
# what would open a browser, take a long time, or hand out C itself
NO_MAKERS = {"Named", "Description", "LimpetWarning", "LimpetError", "Outcome"}
LEFT_OUT = {"view", "render", "render_video", "ffi", "lib", "View.run"}


def values(generator, model, folder):
    """Arguments of all kinds: right ones, nearly right ones and wrong ones."""
    other = limpet.load_text("<mujoco/>")
    data, foreign = model.data(), other.data()
    builder = limpet.Builder()
    builder.read_text(ARM)
    size = len(data.get_state())
    return [
        *(None, True, 0, 1, -1, 2, 3, 10**12, 0.01, -0.5, float("nan"), float("inf"), 1j),
        *("", "box", "elbow", "nonsense", "coulomb", "body", "\x00", "mass\n", b"\xff", "a" * 3000),
        *([], [1], [0, 1, 2], [[0, 0, 0]], [float("nan")] * 3, ["a"], (0, 1), {}, {"box": 1}, {1}),
        *({"kind": "x"}, {"position": None}, [{"body": "box"}], [{"body": "box", "position": [1]}]),
        *({"box.friction": [0.1]}, object(), type, len, folder / "none", str(folder)),
        *(np.zeros(0), np.zeros(model.nv), np.zeros(model.nq), np.zeros(size), np.zeros((3, 3))),
        *(np.full(model.nv, np.nan), np.full(size, np.nan), np.zeros((2, 3, model.nu))),
        *(np.array(["x"]), np.array([None]), np.zeros(3, dtype=complex), np.zeros((0, 3))),
        *(np.eye(3), np.array([[0, 1, 2, 3]]), np.arange(12.0).reshape(4, 3), np.float32(2)),
        *(model, data, other, foreign, builder, limpet.Settings(model), limpet.Settings(other)),
        *(limpet.Gradient(model), limpet.Batch(model, 2), limpet.PressureField("sphere", size=1)),
        *(limpet.Replay(model), lambda *_: 1 / 0, lambda *_: None, limpet.Outcome.SOLVED),
    ]


def owners(model, folder):
    """An object of each class, made anew, since a call may change it."""
    data = model.data()
    limpet.step(model, data, 5)
    builder = limpet.Builder()
    builder.read_text(ARM)
    builder.find("body", "box")
    gradient = limpet.Gradient(model)
    gradient.step(data)
    return {
        "Model": model,
        "Data": data,
        "Builder": builder,
        "Batch": limpet.Batch(model, 2),
        "Gradient": gradient,
        "RolloutGradient": limpet.RolloutGradient(model, 4),
        "ParameterGradient": limpet.ParameterGradient(builder, ["box.friction"]),
        "Settings": limpet.Settings(model),
        "Log": limpet.simulate(model, 0.01),
        "Replay": limpet.Replay(model),
        "Trajectory": limpet.Trajectory.cubic([0, 1], [[0], [1]]),
        "PressureField": limpet.PressureField("box", size=(1, 1, 1)),
        "ElasticBody": limpet.ElasticBody(
            [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]]
        ),
    }


def call_wrongly(generator, function, pool):
    """One call with arguments drawn from the pool; what it raises must be of the kinds above."""
    keywords, positional = {}, []
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            continue
        if p.kind is p.VAR_KEYWORD:
            if generator.random() < 0.3:
                keywords[generator.choice(["contact", "dt", "nonsense", "kind"])] = (
                    generator.choice(pool)
                )
        elif p.default is p.empty or generator.random() < 0.5:
            if p.name in (
                "threads",
                "steps",
                "worlds",
                "count",
                "samples",
                "width",
                "height",
                "seconds",
            ):
                small = [v for v in pool if not isinstance(v, int | float) or abs(v) < 4 or v != v]
                keywords[p.name] = generator.choice(small)
            elif p.kind is p.POSITIONAL_ONLY:
                positional.append(generator.choice(pool))
            else:
                keywords[p.name] = generator.choice(pool)
    keywords.pop("_kind", None)
    try:
        function(*positional, **keywords)
    except FINE:
        return "refused"
    except (ZeroDivisionError, MemoryError):  # of the lambda in the pool; of sizes beyond measure
        return "refused"
    return "taken"


def fuzz(seed, rounds, folder):
    """Calls everything public with wrong arguments; returns how many were refused and taken."""
    import warnings

    warnings.simplefilter("ignore")
    generator = random.Random(seed)
    model = limpet.load_text(ARM)
    counts = {"refused": 0, "taken": 0}
    pool = values(generator, model, Path(folder))
    for _ in range(rounds):
        objects = owners(model, folder)
        for name, member in public_members():
            head, _, inner = name.partition(".")
            if name in LEFT_OUT or isinstance(member, property):
                continue
            if inner and isinstance(member, classmethod):
                target = getattr(getattr(limpet, head), inner)
            elif inner:
                if head not in objects:
                    continue
                target = getattr(objects[head], inner)
            elif callable(member) and name not in NO_MAKERS:
                target = member
            else:
                continue
            try:
                counts[call_wrongly(generator, target, pool)] += 1
            except BaseException as reason:
                raise AssertionError(f"{name}: {type(reason).__name__}: {reason}") from reason
    # what was thrown at the model did not change it
    data = model.data()
    assert limpet.step(model, data, 10) is limpet.Outcome.SOLVED
    return counts


@pytest.mark.parametrize("seed", range(3))
def test_wrong_arguments_are_exceptions(seed, tmp_path):
    """In a process of its own: a crash is a failure of this test, and not the end of all tests."""
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_public; "
        f"print(test_public.fuzz({seed}, 4, {str(tmp_path)!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "refused" in done.stdout


def test_attributes_take_no_nonsense():
    model = limpet.load_text(ARM)
    data = model.data()
    for name in ("q", "v", "control", "applied_force", "applied_wrench"):
        before = getattr(data, name).copy()
        for wrong in (None, "x", object(), {}, np.zeros((7, 7)), [1j]):
            with pytest.raises((TypeError, ValueError)):
                setattr(data, name, wrong)
        np.testing.assert_array_equal(getattr(data, name), before)
    data.control[:] = np.nan
    assert limpet.step(model, data) is limpet.Outcome.BAD_INPUT
    assert "nan" in data.bad_input


def test_names_of_mujoco_are_told_when_they_are_set(model, data):
    elbow = model.joint("elbow")
    for owner, name in ((data, "qpos"), (data, "ctrl"), (model, "opt"), (elbow, "id")):
        with pytest.raises(AttributeError, match="here it is"):
            getattr(owner, name)
        with pytest.raises(AttributeError, match="here it is"):
            setattr(owner, name, 0)
        assert not hasattr(owner, name) and name not in dir(owner)
    with pytest.raises(AttributeError, match="does not change"):
        model.time_step = 1e-3
    with pytest.raises(AttributeError, match="an actuator has no 'gear_ratio'; it has control"):
        data.actuator("lift").gear_ratio  # noqa: B018


def test_settings_say_what_number_is_wrong(model):
    for name, value in (("iteration_limit", 2.7), ("threads", 1.5), ("iteration_limit", 1e300)):
        with pytest.raises(limpet.InputError, match="whole number"):
            limpet.Settings(model, **{name: value})
    with pytest.raises(limpet.InputError, match="'time_step' is '1ms'"):
        limpet.Settings(model, time_step="1ms")
    with pytest.raises(limpet.InputError, match="no contact model"):
        limpet.Settings(model, contact=limpet.schemes["discrete"])
    with pytest.raises(TypeError, match=r"limpet\.Model"):
        limpet.Settings(None)


def test_texts_with_a_nul_mean_nothing_else(model, tmp_path):
    (tmp_path / "a").write_text("<mujoco/>")
    with pytest.raises(limpet.InputError, match="NUL"):
        limpet.load(f"{tmp_path}/a\0.xml")
    with pytest.raises(limpet.InputError, match="NUL"):
        model.body("box\0")
    with pytest.raises(limpet.InputError, match="NUL"):
        limpet.Builder().name("a\0b")


def test_what_is_no_number_is_refused(data):
    with pytest.raises(limpet.InputError, match="expected numbers"):
        data.set_state(None)
    for time in (float("nan"), float("inf")):
        with pytest.raises(limpet.InputError, match="finite"):
            data.time = time
        with pytest.raises(limpet.InputError, match="finite"):
            data.set_pose(data.q, time=time)
    with pytest.raises(TypeError):
        limpet.step(data.model, data, 1.5)


def test_small_objects_are_pickled(model, data):
    """As multiprocessing and copies of environments need them."""
    elbow = copy.deepcopy(model.joint("elbow"))
    assert elbow.index == model.joint("elbow").index and elbow.name == "elbow"
    sap = limpet.contact_models["sap"]
    assert pickle.loads(pickle.dumps(sap)) is sap
    batch = pickle.loads(pickle.dumps(limpet.Batch([model, model], 2)))
    assert batch.threads == 2 and len(batch.models) == 2
    first, again = (b.rollout(steps=5) for b in (limpet.Batch([model, model], 1), batch))
    np.testing.assert_array_equal(first.end_state, again.end_state)
    builder = limpet.Builder()
    builder.add_body(name="one", parent=0)
    twin = copy.deepcopy(builder)
    twin.add_body(name="two", parent=0)
    assert (builder.count("body"), twin.count("body")) == (2, 3)
    with pytest.raises(TypeError, match="builder"):
        copy.copy(builder.body("one"))
