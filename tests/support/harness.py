"""What the system tests share: a folder a test, configs, runs of the built program.

ctest sets the environment (tests/support/environment.cmake): BANZUKE_PROGRAM, BANZUKE_SOURCE,
BANZUKE_MPIRUN and all that MPI needs.
"""

import csv
import functools
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["BANZUKE_PROGRAM"]
SOURCE = Path(os.environ["BANZUKE_SOURCE"])
MPIRUN = os.environ["BANZUKE_MPIRUN"]
CONFIGS = SOURCE / "configs"
DATA = SOURCE / "tests" / "data"

DONE, BUG, INPUT, STOPPED = 0, 1, 2, 3


class Answer:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\n--- out\n{self.out}--- err\n{self.err}"


def command(arguments, ranks=None):
    exported = os.environ.get("BANZUKE_RANKS_ENVIRONMENT")
    launch = [MPIRUN, *(["-x", exported] if exported else []), "-n", str(ranks)] if ranks else []
    return launch + [PROGRAM, *map(str, arguments)]


def banzuke(*arguments, ranks=None, cwd=None, timeout=120):
    """Runs the program, under mpirun where `ranks` is given."""
    done = subprocess.run(command(arguments, ranks), cwd=cwd, timeout=timeout,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def children_of(pid):
    """Process ids, for example of the ranks under mpirun."""
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def job_names():
    """The jobs of the catalogue, from the help text."""
    text = banzuke("--help").out
    listed = text[text.index("Jobs (key"):text.index("Exit codes")]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


@functools.cache
def selfcheck_draws():
    """Draws a replicate with which one thread computes some 24,000 rows of selfcheck a second
    here, on a fast machine and on a slow build alike."""
    with tempfile.TemporaryDirectory(prefix="banzuke_") as folder:
        answer = banzuke("run", CONFIGS / "selfcheck.smoke.toml", "-o", "out.h5", "--threads", "1",
                         "--set", "draws=1000", "--set", "replicates=2000", cwd=folder)
    rate = float(re.findall(r"replicates \(100\.0 %\), ([0-9.e+]+)/s", answer.err)[-1])
    return max(10, int(1000 * rate / 24000))


def toml_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Case(unittest.TestCase):
    """A test in a folder of its own, which is the working directory of its runs."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="banzuke_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def call(self, *arguments, expect=DONE, **keywords):
        answer = banzuke(*arguments, cwd=self.folder, **keywords)
        self.assertEqual(answer.code, expect, f"banzuke {' '.join(map(str, arguments))}: {answer}")
        return answer

    def digest(self, file, *arguments):
        digest = self.call("digest", file, *arguments).out.strip()
        self.assertRegex(digest, "^[0-9a-f]{64}$")
        return digest

    def table(self, file):
        """Rows of the CSV table, as dictionaries."""
        return list(csv.DictReader(io.StringIO(self.call("table", file, "--format", "csv").out,
                                               newline="")))

    def ratings(self, file):
        return {row["name"]: row for row in self.table(file) if row["rank"]}

    def snapshot(self):
        """Name and content hash of all there is in the test's folder."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
            found[path.relative_to(self.folder).as_posix()] = content
        return found

    def refuses(self, *words, arguments=("run", "config.toml"), line=None):
        """One message with all of `words`; `line` is the place it names."""
        before = self.snapshot()
        answer = banzuke(*arguments, cwd=self.folder)
        self.assertEqual(answer.code, INPUT, answer)
        self.assertEqual(answer.out, "")
        self.assertTrue(answer.err.startswith("banzuke: "), answer)
        self.assertEqual(len(answer.err.splitlines()), 1, f"one message, please: {answer}")
        for word in words:
            self.assertIn(word, answer.err)
        if line:
            self.assertIn(f"{line}: ", answer.err)
        self.assertEqual(self.snapshot(), before, "something was made or changed")
        if arguments[0] == "run":  # `check` says the same
            checked = banzuke("check", *arguments[1:], cwd=self.folder)
            self.assertEqual((checked.code, checked.err), (INPUT, answer.err))

    def line_of(self, text, file="config.toml"):
        lines = (self.folder / file).read_text().splitlines()
        return 1 + next(i for i, line in enumerate(lines) if text in line)

    def pairs_config(self, games, scale='reference = "Anna"', extra="", replicates=40,
                     name="config.toml", top="", games_keys=""):
        """A bt_uncertainty config over CSV text (or paths) in the test's folder."""
        if not isinstance(games, (list, tuple)):
            self.write("games.csv", games)
            games = ["games.csv"]
        files = ", ".join(toml_text(str(path)) for path in games)
        return self.write(name, f"""job = "bt_uncertainty"
seed = 5
replicates = {replicates}
output = "out.h5"
{top}
[games]
files = [{files}]
{games_keys}
[scale]
{scale}
{extra}
""")


def main():
    """unittest's main, with a visible line for what was skipped."""
    program = unittest.main(exit=False)
    for _, reason in program.result.skipped:
        print(f"SKIPPED: {reason}", file=sys.stderr)
    sys.exit(0 if program.result.wasSuccessful() else 1)
