"""Pages of the documentation as tests follow them, step by step in their order.

A page is Markdown. Indented lines are commands, to be typed in the project's folder. A fenced block
is a file where the paragraph before it ends with the file's name and a colon (`games.csv`:), output
of the page's commands where its language is text, a script where it is python. Other blocks are
examples.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import harness
from harness import CONFIGS, MPIRUN, PROGRAM, SOURCE, Case

DOCS = SOURCE / "docs"
README = SOURCE / "README.md"
BUILD = next(folder for folder in Path(PROGRAM).parents if (folder / "CMakeCache.txt").exists())

# Commands that a test does not run as they stand: what it runs in their place, and why.
INSTEAD = {
    "scripts/run": (
        "banzuke run configs/bt_floodgate_2016h1.toml"
        " && banzuke table results/bt_floodgate_2016h1.h5",
        "installs packages and builds; it ends with these two"),
    "scripts/test": (None, "installs packages, builds and runs all tests, this one too"),
    "scripts/submit CONFIG --nodes 2 --ranks 4 --threads 8 --time 12:00:00": (
        "scripts/submit configs/selfcheck.toml --nodes 2 --ranks 4 --threads 8 --time 12:00:00"
        " --dry-run",
        "needs a cluster; the cluster tests submit"),
    "scripts/submit CONFIG --container banzuke.sif --nodes 2": (
        "scripts/submit configs/selfcheck.toml --container banzuke.sif --nodes 2 --dry-run",
        "needs a cluster and a container; bin/apptainer below pretends to have one"),
    "scripts/submit configs/bt_floodgate_2016h1.toml --array 4 --threads 8": (
        "for part in 1 2 3 4; do banzuke run configs/bt_floodgate_2016h1.toml --shard $part/4; done"
        " && banzuke merge results/bt_floodgate_2016h1.h5 results/bt_floodgate_2016h1.shard-*.h5",
        "needs a cluster; this is what its jobs do"),
    "squeue --me": (None, "needs a cluster"),
    "module load gcc cmake openmpi hdf5": (None, "needs a cluster's modules"),
    "cmake -S . -B build -DCMAKE_INSTALL_PREFIX=$HOME/prefix -DBUILD_TESTING=OFF -DFMT_TEST=OFF"
    " -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF -DJSON_BuildTests=OFF"
    " -DBUILD_SHARED_LIBS=ON": (None, "builds another project"),
    "cmake --build build --parallel 8 && cmake --install build": (None, "builds another project"),
    "cmake --preset cluster": ("cmake --list-presets=configure | grep cluster", "takes minutes"),
    "cmake --build --preset cluster --parallel 8": (
        "cmake --list-presets=build | grep cluster", "takes minutes"),
    "cmake --install build/cluster": (
        f"cmake --install {BUILD} --prefix .local", "needs that build; installs this one"),
    "apptainer build banzuke.sif containers/banzuke.def": (
        "test -f containers/banzuke.def -a -f containers/Dockerfile",
        "needs apptainer and a network"),
    "cmake --build build/release --target bench_bradley_terry": (None, "takes minutes"),
    "build/release/tests/bench/bench_bradley_terry --benchmark_repetitions=3": (
        None, "takes minutes"),
}

# Configs that take long, and what the test sets in their runs.
SHORTER = {
    "configs/alpha_recovery_tenhou.toml": "--set replicates=20",
    "configs/bt_recovery.toml": "--set replicates=8 --set inner_replicates=10",
}


def steps(text):
    """(kind, content) in order: command, file (with its name), output, script."""
    found = []
    before = ""
    for part in re.split(r"^(```\w*\n.*?^```)$", text, flags=re.MULTILINE | re.DOTALL):
        block = re.fullmatch(r"```(\w*)\n(.*?)```", part, re.DOTALL)
        if not block:
            before = part
            lines = re.findall(r"^    ((?:.*\\\n)*.*)$", part, re.MULTILINE)
            found += [("command", re.sub(r"\s*\\\n\s*", " ", line)) for line in lines]
            continue
        language, content = block.groups()
        named = re.search(r"`([\w.]+\.\w+)`:\s*\Z", before)
        if named:
            found.append(("file", (named[1], content)))
        elif language == "text":
            found.append(("output", content))
        elif language == "python":
            found.append(("script", content))
    return found


def commands(text):
    """Without the comments behind them."""
    return [re.split(r"\s+#", content)[0].strip() for kind, content in steps(text)
            if kind == "command"]


class PageCase(Case):
    def follow(self, page):
        text = page.read_text()
        self.prepare()
        printed = []
        for kind, content in steps(text):
            if kind == "file":
                self.write(*content)
            elif kind == "script":
                printed += self.shell(page, [sys.executable, "-c", content])
            elif kind == "command":
                command = re.split(r"\s+#", content)[0].strip()
                command = INSTEAD.get(command, (command,))[0]
                for config, options in SHORTER.items():
                    command = re.sub(rf"(run \S*{config})", rf"\1 {options}", command or "")
                if command:
                    printed += self.shell(page, ["bash", "-c", "set -o pipefail; " + command])
        for shown in [content for kind, content in steps(text) if kind == "output"]:
            for line in shown.splitlines():
                if line.strip() != "…":
                    self.assertIn(line.rstrip(), printed, f"{page.name} shows what is not printed")

    def prepare(self):
        """A folder like the project's after scripts/run, with the program in the PATH."""
        for name in ("scripts", "containers", "CMakePresets.json"):
            (self.folder / name).symlink_to(SOURCE / name)
        shutil.copytree(CONFIGS, self.folder / "configs")
        for place in ("bin", "build/run"):
            (self.folder / place).mkdir(parents=True)
            (self.folder / place / "banzuke").symlink_to(PROGRAM)
        exported = os.environ.get("BANZUKE_RANKS_ENVIRONMENT")
        more = f"-x '{exported}'" if exported else ""
        for name, script in [("mpirun", f'exec {MPIRUN} {more} "$@"'),
                             ("apptainer", 'shift 2; exec "$@"')]:
            self.write(f"bin/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def shell(self, page, arguments):
        environment = {**os.environ, "HOME": str(self.folder), "MPLBACKEND": "Agg",
                       "PATH": f"{self.folder}/.local/bin:{self.folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run(arguments, cwd=self.folder, capture_output=True, text=True,
                              timeout=300, stdin=subprocess.DEVNULL, env=environment)
        if done.returncode == 77:  # a plot without matplotlib
            print(f"SKIPPED: {arguments[-1]}: {done.stderr.strip()}", file=sys.stderr)
            return []
        self.assertEqual(done.returncode, 0, f"{page.name}: {arguments[-1]}\n{done.stderr}")
        return [line.rstrip() for line in done.stdout.splitlines()]


def follow_each(case, pages):
    """A test for each page."""
    for page in pages:
        name = f"test_{page.relative_to(SOURCE).with_suffix('')}".replace("/", "_").lower()
        setattr(case, name, lambda self, page=page: self.follow(page))
