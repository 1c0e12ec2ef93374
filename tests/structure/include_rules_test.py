"""The include rules of DESIGN.md: who may use what, and the arrows between the layers."""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("BANZUKE_SOURCE", Path(__file__).resolve().parents[2]))

# Layer -> the layers it may include, besides itself.
ARROWS = {
    "engine/base": set(),
    "engine/random": {"engine/base"},
    "engine/config": {"engine/base"},
    "engine/store": {"engine/base"},
    "engine/records": {"engine/base"},
    "engine/models": {"engine/random", "engine/base"},
    "engine/batch": {"engine/store", "engine/config", "engine/random", "engine/base"},
    "jobs": {"engine/batch", "engine/models", "engine/records", "engine/store", "engine/config",
             "engine/random", "engine/base"},
}

# A header (or a pragma) -> the paths that may use it.
RESERVED = {
    r'#\s*include\s*[<"]mpi\.h[>"]': r"engine/batch/comm_mpi\.cpp",
    r'#\s*include\s*[<"]hdf5\w*\.h[>"]': r"engine/store/.*",
    r'#\s*include\s*[<"]omp\.h[>"]|#\s*pragma\s+omp': r"engine/batch/round\.cpp|engine/models/.*",
    r'#\s*include\s*<toml\+\+/': r"engine/config/config\.cpp|engine/batch/build_info\.cpp",
    r'#\s*include\s*<CLI/': r"jobs/main\.cpp",
    r'#\s*include\s*<archive(_entry)?\.h>': r"engine/records/libarchive_reader\.cpp",
    r'#\s*include\s*<zlib\.h>': r"engine/records/gzip_reader\.cpp",
}


def layer_of(path):
    parts = path.split("/")
    return "jobs" if parts[0] == "jobs" else "/".join(parts[:2])


def violations(root):
    """One line each: `path:line: what is wrong`."""
    found = []
    files = [p for top in ("engine", "jobs") for p in sorted((root / top).rglob("*"))
             if p.suffix in (".cpp", ".hpp", ".h")]
    for file in files:
        path = file.relative_to(root).as_posix()
        layer = layer_of(path)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            for pattern, allowed in RESERVED.items():
                if re.search(pattern, line) and not re.fullmatch(allowed, path):
                    found.append(f"{path}:{number}: only {allowed} may use: {line.strip()}")
            include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not include or not include[1].startswith(("engine/", "jobs/")):
                continue
            target = layer_of(include[1])
            if layer not in ARROWS:
                found.append(f"{path}:{number}: the layer {layer} has no place in the design")
            elif target != layer and target not in ARROWS[layer]:
                found.append(f"{path}:{number}: {layer} must not know {target}")
            elif not (root / include[1]).exists() and include[1] != "git_revision.hpp":
                found.append(f"{path}:{number}: no such file: {include[1]}")
            # A model is not built on another model.
            models = [re.match(r"engine/models/(\w+)/", p) for p in (path, include[1])]
            if all(models) and models[0][1] != models[1][1]:
                found.append(f"{path}:{number}: one model must not know another")
    return found, len(files)


class IncludeRules(unittest.TestCase):
    def test_the_project_keeps_them(self):
        found, files = violations(SOURCE)
        self.assertGreater(files, 50)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_violation_is_found(self):
        bad = {
            "engine/batch/driver.cpp": "#include <mpi.h>",
            "engine/batch/desk.cpp": "# include <hdf5_hl.h>",
            "engine/batch/order.cpp": "#include <omp.h>",
            "engine/records/pgn.cpp": "#include <zlib.h>",
            "jobs/a.cpp": "  #pragma omp parallel for",
            "engine/base/text.cpp": '#include "engine/random/stream.hpp"',
            "engine/models/bt/fit.cpp": '#include "engine/batch/plan.hpp"',
            "engine/store/rows.cpp": '#include "engine/config/config.hpp"',
            "engine/records/csv.cpp": '#include "jobs/table.hpp"',
            "engine/other/new.cpp": '#include "engine/base/text.hpp"',
            "engine/models/bt/b.cpp": '#include "engine/models/dm/a.hpp"',
        }
        for path, line in bad.items():
            with self.subTest(path), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / path
                file.parent.mkdir(parents=True)
                file.write_text(line + "\n", encoding="utf-8")
                self.assertTrue(violations(Path(folder))[0])


if __name__ == "__main__":
    sys.exit(unittest.main())
