"""Tables of fields (`limpet list structs --json`) and headers say the same of every public struct,
and a table covers its struct."""

import json
import math
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def struct_body(name):
    """Lines between the braces of a struct of the public headers."""
    for header in sorted((ROOT / "include/limpet").glob("*.h")):
        match = re.search(
            rf"^(?:typedef )?struct {name} {{(.*?)^}}", header.read_text(), re.M | re.S
        )
        if match:
            return match.group(1).splitlines()
    raise LookupError(f"no header declares {name}")


def members(name):
    """(name, code, comment) of each member; deeper indented lines go on with a comment."""
    found, code, comment = [], "", ""
    for line in re.sub(r"/\*.*?\*/", "", "\n".join(struct_body(name)), flags=re.S).splitlines():
        before, slashes, after = line.partition("//")
        if before.strip():
            if code.rstrip().endswith(";"):
                found.append((code, comment))
                code = comment = ""
            code += " " + before.strip()
            comment += " " + after.strip()
        elif slashes and code and len(before) > 2:
            comment += " " + after.strip()
    found.append((code, comment))
    for code, comment in found:
        code = " ".join(code.rstrip().rstrip(";").split())
        for part in code.split(","):
            yield re.sub(r"\[.*", "", part).split()[-1].lstrip("*"), code, " ".join(comment.split())


def comment_parts(comment):
    """(shape, unit, text) of "(nv x 6)  [m/s]  text"; empty where not said."""
    match = re.match(
        r"(?:\(((?:[\w.]+(?: \+ \d+)?)(?: x [\w.]+)*)\)\s*)?(?:\[([^\]]*)\]\s*)?(.*)$", comment
    )
    return tuple((part or "").strip() for part in match.groups())


def header_fields(name, groups):
    """name -> (shape, unit, text) of all members; of an inner struct in `groups`: "member.name"."""
    fields = {}
    for member, code, comment in members(name):
        if member in groups:
            inner = re.match(r"(?:const )?(?:struct )?(\w+) ", code).group(1)
            for key, value in header_fields(inner, set()).items():
                fields[f"{member}.{key}"] = value
        else:
            fields[member] = comment_parts(comment)
    return fields


def same(said, default):
    """Whether a comment says a default, as a number or word; any named constant will do."""
    try:
        return float(said) == float(default)
    except ValueError:
        return said == default or re.fullmatch(r"LIMPET_\w+", said) is not None


def in_words(comment):
    """A comment of a header as its table says it: headers call the world frame W."""
    if re.match(r"W(:|$)", comment):
        return f"in the world frame{comment[1:]}"
    if re.match(r"W,? ", comment):
        return re.sub(r"^W,? +(.*)", r"\1, in the world frame", comment)
    return re.sub(r"\bW\b", "the world frame", comment)


class Structs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = os.environ.get("LIMPET_COMMAND", str(ROOT / "build/release/limpet"))
        output = subprocess.run(
            [command, "list", "--json"], check=True, capture_output=True, text=True
        ).stdout
        cls.lists = json.loads(output)
        cls.structs = cls.lists["structs"]

    def test_tables_cover_their_structs(self):
        """Fields follow each other without overlap, and without a gap but for alignment."""
        self.assertGreaterEqual(len(self.structs), 7)
        for struct in self.structs:
            end = 0
            for field in struct["fields"]:
                alignment, shape = field["alignment"], re.findall(r"\d+", field["shape"])
                self.assertEqual(
                    field["offset"],
                    -(-end // alignment) * alignment,
                    f"{struct['name']}.{field['name']}",
                )
                if not field["pointer"]:
                    self.assertEqual(
                        field["size"], field["element"] * math.prod(map(int, shape)), field["name"]
                    )
                end = field["offset"] + field["size"]
            self.assertEqual(
                struct["size"], -(-end // struct["alignment"]) * struct["alignment"], struct["name"]
            )

    def test_headers_say_what_tables_say(self):
        for struct in self.structs:
            groups = {
                field["name"].split(".")[0] for field in struct["fields"] if "." in field["name"]
            }
            header = header_fields(struct["name"], groups)
            self.assertEqual(
                list(header), [field["name"] for field in struct["fields"]], struct["name"]
            )
            for field in struct["fields"]:
                shape, unit, text = header[field["name"]]
                place = f"{struct['name']}.{field['name']}"
                if field["pointer"]:
                    self.assertEqual(shape, field["shape"], place)
                self.assertEqual({"-": "1"}.get(unit, unit), field["unit"] or "", place)
                if field["default"] is not None:
                    text, _, said = ("; " + text).rpartition("; ")
                    self.assertTrue(
                        same(said, field["default"]), f"{place}: {said}, not {field['default']}"
                    )
                    text = text.removeprefix("; ")
                # the comment may name the function that fills a field at its end
                self.assertIn(
                    in_words(text), (field["text"], f"{field['text']}: {field['stage']}"), place
                )

    def test_pages_show_settings_and_options(self):
        """The tables in the docs are made from the fields: none is left out, none is left empty."""
        sys.path.insert(0, str(ROOT / "tools"))
        from make_docs_tables import filled  # noqa: PLC0415

        fields = next(
            struct for struct in self.structs if struct["name"] == "limpet_step_settings"
        )["fields"]
        defaults = filled((ROOT / "docs/defaults.md").read_text(), self.lists)
        commands = filled((ROOT / "docs/cli.md").read_text(), self.lists)
        self.assertNotIn("<!-- table", defaults + commands)
        self.assertIn("| `friction_torsional` | m | 0.005 |", defaults)
        for field in fields:
            self.assertIn(
                f"| `{field['name']}` | {field['unit'] or ''} | {field['default']} |", defaults
            )
            option = field["name"].split(".")[-1].replace("_", "-")
            if "option" in field["uses"]:
                self.assertRegex(
                    commands,
                    rf"\| `--(no-)?{option}` \| `{field['name']}`",
                )

    def test_stages_are_functions(self):
        declared = "".join(path.read_text() for path in (ROOT / "include/limpet").glob("*.h"))
        for struct in self.structs:
            for field in struct["fields"]:
                if field["stage"]:
                    self.assertRegex(
                        declared, rf"\b{field['stage']}\(", f"{struct['name']}.{field['name']}"
                    )


if __name__ == "__main__":
    unittest.main()
