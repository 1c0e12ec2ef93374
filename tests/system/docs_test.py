"""The pages of the tasks and of the verbs: every command in them works as written."""

import os
import re
import shutil
import subprocess

import harness
from harness import CONFIGS, PROGRAM, SOURCE, Case

DOCS = SOURCE / "docs"
PAGES = [DOCS / "verbs.md", *sorted((DOCS / "tasks").glob("*.md"))]


def blocks(text):
    """Contents of the fenced blocks."""
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text):
    outside = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^    (.+)$", outside, re.MULTILINE)
    for block in blocks(text):
        lines += [line for line in block.splitlines() if line.startswith("banzuke ")]
    return [line for line in lines if line.startswith("banzuke ")]


class Docs(Case):
    def follow(self, page):
        text = page.read_text()
        shutil.copytree(CONFIGS, self.folder / "configs")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "banzuke").symlink_to(PROGRAM)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        for block in blocks(text):  # a block that begins with a file's name is that file
            named = re.match(r"[#%] ([\w.]+\.\w+)\n", block)
            if named:
                self.write(named[1], block)
        for line in commands(text):
            done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True,
                                  text=True, timeout=120, env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 0, f"{page.name}: {line}\n{done.stderr}")

    def test_every_verb_has_a_command(self):
        listed = re.findall(r"^  (\w+) ", self.call("--help").out.split("Subcommands:")[1]
                            .split("Jobs (key")[0], re.MULTILINE)
        self.assertGreaterEqual(len(listed), 8)
        used = {line.split()[1] for line in commands((DOCS / "verbs.md").read_text())}
        self.assertEqual(set(listed), used)

    def test_pages_are_linked(self):
        readme = (SOURCE / "README.md").read_text()
        for page in PAGES:
            self.assertIn(page.relative_to(SOURCE).as_posix(), readme)

    def test_links_lead_somewhere(self):
        for page in [SOURCE / "README.md", *DOCS.rglob("*.md")]:
            for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_commands_are_found(self):
        page = "text\n\n    banzuke a b\n\n```\nbanzuke c\n```\n\n```toml\n# x.toml\nk = 1\n```\n"
        self.assertEqual(commands(page), ["banzuke a b", "banzuke c"])


def followed(page):
    return lambda self: self.follow(page)


for one in PAGES:
    assert commands(one.read_text()), one
    setattr(Docs, f"test_{one.stem}", followed(one))


if __name__ == "__main__":
    harness.main()
