#!/usr/bin/env python3
"""The reference of the Python package as one Markdown page, made from its docstrings and from the
library's field tables.

usage: make_python_docs.py COMMAND > python-api.md

The sources are read, not imported, so that the page needs no build of the extension module.
COMMAND is `limpet`, whose `list --json` has the tables that attributes of Model, Data, Info and
Settings are made of.
"""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python/limpet"
# classes whose attributes come from the field table of a struct
TABLES = {
    "Model": "limpet_model",
    "Data": "limpet_data",
    "Info": "limpet_step_info",
    "Settings": "limpet_step_settings",
}
GROUPS = (
    ("Models", "load load_text Model Note Builder Description read_mesh read_cloud"),
    ("Worlds and steps", "Data step Info Outcome Settings presets Descriptor Parameter"),
    ("Runs", "simulate Log read_controls rollout Batch Traces LogWriter read_log"),
    ("Sweeps", "sweep read_sweep Table"),
    ("Pictures", "view View render render_video Replay write_replays"),
    (
        "Control",
        "Controller inverse_kinematics Reach Trajectory Path joint_forces joint_actuator "
        "actuator_command",
    ),
    ("Gradients, plans, fits", "Gradient ParameterGradient RolloutGradient Plan Fit Fitted"),
    (
        "Shapes and elastic bodies",
        "signed_distance Surface PressureField contact_surface ContactSurface ElasticBody "
        "elastic_energy",
    ),
    (
        "Errors",
        "LimpetError InputError FileError UnsupportedError StateError Interrupted LimpetWarning",
    ),
)
MODULES = ("gymnasium", "torch", "jax")


def code(text):
    """Text of a docstring as Markdown: prose, with examples as code."""
    out = []
    example = re.compile(r"^(with|\w+ =) limpet\.")
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = part.splitlines()
        indented = all(line.startswith("    ") for line in lines if line)
        if indented or example.match(lines[0]):
            out += ["```python", *(line[4 if indented else 0 :] for line in lines), "```", ""]
            continue
        # "name: meaning" at the head of a line begins an entry; what is indented goes on with it
        entry = re.compile(r"^[a-z_][\w, ]{0,40}: ")
        if any(entry.match(line) for line in lines[1:]) or entry.match(lines[0]):
            lines = [f"\n- {escape(s)}" if entry.match(s) else escape(s.strip()) for s in lines]
        else:
            lines = [escape(line) for line in lines]
        out += [*"\n".join(lines).strip("\n").splitlines(), ""]
    return out


def escape(text):
    return re.sub(r"([*_<>\[\]$|#~\\])", r"\\\1", text)


def bare(annotation):
    """A type without the quotes that it may have in the source."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.unparse(annotation)


def parameter(argument, default, stars=""):
    kind = f": {bare(argument.annotation)}" if argument.annotation else ""
    value = f" = {ast.unparse(default)}" if default is not None else ""
    return f"{stars}{argument.arg}{kind}{value}"


def signature(function, drop_self):
    """`(a: int, *, b: str = "x") -> type` of a function's source; a line each where it is long."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    parts = [parameter(a, d) for a, d in zip(plain, defaults, strict=True)][drop_self:]
    if given.vararg:
        parts.append(parameter(given.vararg, None, "*"))
    elif given.kwonlyargs:
        parts.append("*")
    parts += [
        parameter(a, d)
        for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if a.arg[0] != "_"
    ]
    if given.kwarg:
        parts.append(parameter(given.kwarg, None, "**"))
    result = f" -> {bare(function.returns)}" if function.returns else ""
    line = f"({', '.join(parts)}){result}"
    if len(line) < 88:
        return line
    return "(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def decorators(function):
    return {ast.unparse(d) for d in function.decorator_list}


def function_part(name, function, method=False):
    doc = ast.get_docstring(function) or ""
    head = "####" if method else "###"
    return [
        f"{head} {escape(name)}",
        "",
        "```python",
        f"{name}{signature(function, method)}",
        "```",
        "",
        *code(doc),
    ]


def fields_part(structs, struct, skip):
    """A table of the attributes that come from the field table of a struct."""
    rows = ["| attribute | shape | unit | meaning |", "|---|---|---|---|"]
    for field in structs[struct]["fields"]:
        name = field["name"].rsplit(".", 1)[-1]
        if field["name"] in skip or field["type"] == "text":
            continue
        shape, unit = field["shape"] or "", field["unit"] or ""
        text = field["text"] or "number of them"
        rows.append(f"| `{name}` | {escape(shape)} | {escape(unit)} | {escape(text)} |")
    return [*rows, ""]


def class_part(cls, functions, structs):
    """A class: what it is, how it is made, attributes, methods."""
    out = [f"### {escape(cls.name)}", ""]
    members = [m for m in cls.body if isinstance(m, ast.FunctionDef)]
    made = next((m for m in members if m.name == "__init__"), None)
    if made and all(a.annotation for a in made.args.args[1:]):
        out += ["```python", f"{cls.name}{signature(made, True)}", "```", ""]
    out += code(ast.get_docstring(cls) or "")
    properties = [m for m in members if "property" in decorators(m) and m.name[0] != "_"]
    if properties:
        out += ["| attribute | meaning |", "|---|---|"]
        for member in properties:
            doc = " ".join((ast.get_docstring(member) or "").split())
            out.append(f"| `{member.name}` | {escape(doc)} |")
        out.append("")
    if cls.name in TABLES:
        named = {m.name for m in properties}
        out += ["Fields of the library:", "", *fields_part(structs, TABLES[cls.name], named)]
    methods = [m for m in members if m not in properties and m.name[0] != "_"]
    for member in [*methods, *functions.get(cls.name, ())]:
        prefix = f"{cls.name}." if "classmethod" in decorators(member) else ""
        out += function_part(prefix + member.name, member, method=True)
    return out


def sources():
    """{name: node} of all top-level classes and functions of the package."""
    nodes = {}
    for path in sorted(PACKAGE.glob("_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                nodes.setdefault(node.name, node)
    return nodes


def public_names():
    """limpet.__all__, as the source has it."""
    for node in ast.parse((PACKAGE / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    raise SystemExit("make_python_docs: limpet has no __all__")


def methods_of_data():
    """Functions of _dynamics.py that become methods of Data."""
    tree = ast.parse((PACKAGE / "_dynamics.py").read_text())
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    (table,) = (
        n.value
        for n in tree.body
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "METHODS"
    )
    names = [n.id for n in ast.walk(table) if isinstance(n, ast.Name)]
    return [functions[name] for name in names]


def module_part(name):
    """A module that is imported by itself."""
    tree = ast.parse((PACKAGE / f"{name}.py").read_text())
    out = [f"## limpet.{name}", "", *code(ast.get_docstring(tree) or "")]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
            out += function_part(node.name, node)
        elif isinstance(node, ast.ClassDef) and node.name[0] != "_":
            out += class_part(node, {}, {})
    return out


def main():
    command = sys.argv[1]
    listed = subprocess.run([command, "list", "--json"], check=True, capture_output=True, text=True)
    structs = {struct["name"]: struct for struct in json.loads(listed.stdout)["structs"]}
    nodes, functions = sources(), {"Data": methods_of_data()}
    out = [
        "# Python API",
        "",
        "Made from the docstrings of the package and from the field tables of the library. "
        "[Python](guide/python.md) introduces it. All quantities are SI. Objects also go by name: "
        '`model.body("hand").mass`, `data.joint("elbow").q`; `data.joint(...)`, `body`, `geom`, '
        "`site`, `actuator`, `tendon` and their like have what the arrays `joint_...`, `body_...` "
        "hold of the object. `limpet.lib` and `limpet.ffi` are [the C interface](api.md) whole.",
        "",
    ]
    shown = set()
    for title, names in GROUPS:
        out += [f"## {title}", ""]
        for name in names.split():
            shown.add(name)
            node = nodes[name]
            if isinstance(node, ast.ClassDef):
                out += class_part(node, functions, structs)
            else:
                out += function_part(name, node)
    tables = [n for n in public_names() if n not in shown and n not in ("ffi", "lib")]
    if not_tables := [name for name in tables if name in nodes]:
        sys.exit(f"make_python_docs: no place for {', '.join(not_tables)}; add it to GROUPS")
    out += ["## Tables", "", "Dicts of `Descriptor` by name; [tables](tables.md) prints them.", ""]
    out += [f"- `limpet.{name}`" for name in tables] + [""]
    for name in MODULES:
        out += module_part(name)
    print("\n".join(out))


if __name__ == "__main__":
    main()
