"""tools/check_floors.py finds what it must find: small trees with one wrong include each."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_floors  # noqa: E402

GOOD = {
    "include/limpet/base.h": "",
    "include/limpet/model.h": '#include "limpet/base.h"\n',
    "include/limpet/data.h": '#include "limpet/model.h"\n',
    "include/limpet/step.h": '#include "limpet/data.h"\n',
    "include/limpet/limpet.h": '#include "limpet/step.h"\n',
    "src/model/builder.h": '#include "limpet/model.h"\n#include "base/arena.h"\n',
    "src/model/builder.c": '#include "builder.h"\n#include <stdio.h>\n',
    "src/base/arena.h": '#include "limpet/base.h"\n',
    "src/dynamics/crba.h": '#include "limpet/data.h"\n',
    "src/collide/pairs.h": '#include "limpet/data.h"\n',
    "cli/run.c": '#include "limpet/limpet.h"\n#include "run.h"\n',
    "cli/run.h": "",
    "tests/model/test_builder.c": '#include "model/builder.h"\n#include "limpet/limpet.h"\n',
    "benchmarks/bench_step.c": '#include <limpet/limpet.h>\n#include "base/arena.h"\n',
}


def complaints_of(changes):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {**GOOD, **changes}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_floors.check(root)[1]


class CheckFloors(unittest.TestCase):
    def expect(self, path, text, fragment):
        found = complaints_of({path: text})
        self.assertEqual(len(found), 1, found)
        self.assertIn(fragment, found[0])
        self.assertIn(path, found[0])

    def test_good_tree_passes(self):
        self.assertEqual(complaints_of({}), [])

    def test_include_that_goes_up(self):
        self.expect(
            "src/base/arena.c",
            '\n#include "model/builder.h"\n',
            "from base (floor 0) up to model (floor 3)",
        )

    def test_public_header_that_goes_up(self):
        self.expect("include/limpet/contact.h", "#include <limpet/step.h>\n", "up to step")

    def test_include_across_a_floor(self):
        self.expect("src/dynamics/aba.c", '#include "collide/pairs.h"\n', "across, on collide")

    def test_command_sees_public_headers_only(self):
        self.expect("cli/check.c", '#include "model/builder.h"\n', "public headers only")

    def test_library_does_not_include_everything(self):
        self.expect("src/batch/rollout.c", '#include "limpet/limpet.h"\n', "for programs")

    def test_folder_without_floor(self):
        self.expect("src/utils/misc.c", '#include "base/arena.h"\n', "has no floor")

    def test_header_that_is_not_there(self):
        self.expect("src/model/joint.c", '#include "../base/arena.h"\n', "no such header")

    def test_cycle(self):
        found = complaints_of(
            {"src/model/a.h": '#include "model/b.h"\n', "src/model/b.h": '#include "model/a.h"\n'}
        )
        self.assertEqual(len(found), 1, found)
        self.assertIn("cycle: src/model/a.h -> src/model/b.h -> src/model/a.h", found[0])


if __name__ == "__main__":
    unittest.main()
