"""What the documentation shows is true: its C compiles, its links lead somewhere and reach
every page, its stages are those of the header."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# what a fragment that is no whole program may take as given
GIVEN = """limpet_model *model = NULL;
limpet_data *data = NULL;
limpet_step_settings settings = {0};
double limit = 0.0;
(void)model, (void)data, (void)settings, (void)limit;"""
FRAME = (
    "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <limpet/limpet.h>\n"
    "int main(void) {\n" + GIVEN + "\n{\n%s\n}\nreturn 0;\n}\n"
)


class Documentation(unittest.TestCase):
    def test_c_blocks_compile(self):
        count = 0
        for page in PAGES:
            for block in re.findall(r"^```c\n(.*?)^```", page.read_text(), re.M | re.S):
                source = block if "int main(" in block else FRAME % block
                command = [
                    os.environ.get("CC", "cc"),
                    "-std=c17",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    f"-I{ROOT}/include",
                    "-fsyntax-only",
                    "-xc",
                    "-",
                ]
                result = subprocess.run(command, input=source, capture_output=True, text=True)
                self.assertEqual(
                    result.returncode, 0, f"{page.relative_to(ROOT)}:\n{source}\n{result.stderr}"
                )
                count += 1
        self.assertGreaterEqual(count, 2)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\[[^]]*\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue(
                    (page.parent / target).exists(),
                    f"{page.relative_to(ROOT)} links to {target}, which is not there",
                )

    def test_stages_are_those_of_the_header(self):
        header = (ROOT / "include/limpet/data.h").read_text()
        in_header = [
            (number, name.lower().replace("_", " "))
            for name, number in re.findall(r"LIMPET_STAGE_(\w+), +// (\d+)", header)
        ]
        in_page = re.findall(
            r"^\| (\d) \| ([a-z ]+) \|", (ROOT / "docs/pipeline.md").read_text(), re.M
        )
        self.assertEqual(in_page, in_header)
        self.assertEqual(len(in_page), 7)

    @unittest.skipUnless("LIMPET_COMMAND" in os.environ, "no command")
    def test_python_page_shows_every_public_name(self):
        page = subprocess.run(
            [
                sys.executable,
                str(ROOT / "tools/make_python_docs.py"),
                os.environ["LIMPET_COMMAND"],
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        source = (ROOT / "python/limpet/__init__.py").read_text()
        names = re.findall(r'^    "(\w+)",$', source.split("__all__ = [")[1].split("]")[0], re.M)
        self.assertGreater(len(names), 60)
        text = page.replace("\\", "")
        for name in names:
            self.assertIn(name, text)
        # fields with shape and unit, methods with types, modules that are imported by themselves
        self.assertIn("| `body_position` | body_count x 3 | m |", text)
        self.assertIn("jacobian(body: str | int, point: ArrayLike | None = None)", text)
        self.assertIn("## limpet.torch", text)

    def test_the_index_leads_to_every_page(self):
        index = (ROOT / "docs/index.md").read_text()
        pages = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")]
        self.assertGreater(len(pages), 60)
        for page in pages:
            if str(page) != "index.md":
                self.assertIn(f"({page})", index)

    def test_api_page_shows_every_function(self):
        page = subprocess.run(
            [sys.executable, str(ROOT / "tools/make_api_docs.py")],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for header in (ROOT / "include/limpet").glob("*.h"):
            for name in re.findall(r"^LIMPET_API .*?\b(limpet_\w+)\(", header.read_text(), re.M):
                self.assertRegex(page, rf"\b{name}\(", header.name)


if __name__ == "__main__":
    unittest.main()
