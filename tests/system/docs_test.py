"""README and the pages of verbs and tasks: their commands work and print what is shown."""

import re
import subprocess

import harness
from pages import BUILD, DOCS, INSTEAD, README, SOURCE, PageCase, commands, follow_each, steps

TASKS = [DOCS / "verbs.md", *sorted((DOCS / "tasks").glob("*.md"))]
PAGES = [README, *sorted(path for path in DOCS.rglob("*.md") if path.parent.name != "methods")]


def in_sentences(text):
    """Commands between backticks, where no block is."""
    prose = re.sub(r"(?s:^```.*?^```$)|^    .*$", "", text, flags=re.MULTILINE)
    return [re.sub(r"\s+", " ", code) for code in re.findall(r"`([^`]+)`", prose)]


class Docs(PageCase):
    def test_every_verb_has_a_command(self):
        used = {line.split()[1] for line in commands((DOCS / "verbs.md").read_text())}
        self.assertGreaterEqual(len(used), 8)
        self.assertEqual(set(self.verbs()), used)

    def verbs(self):
        listed = self.call("--help").out.split("Subcommands:")[1].split("Jobs (key")[0]
        return re.findall(r"^  (\w+) ", listed, re.MULTILINE)

    def test_tasks_have_commands_and_links(self):
        for page in TASKS:
            self.assertTrue(commands(page.read_text()), page)
            self.assertIn(page.relative_to(SOURCE).as_posix(), README.read_text())

    def test_links_lead_somewhere(self):
        for page in [README, *DOCS.rglob("*.md")]:
            for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_commands_in_sentences_exist(self):
        verbs = {verb: self.call(verb, "--help").out for verb in self.verbs()}
        found = 0
        for page in PAGES:
            for code in in_sentences(page.read_text()):
                words = code.split()
                if words[0] == "banzuke" and words[1:] and words[1] != "VERB":
                    self.assertIn(words[1], verbs, f"{page.name}: {code}")
                    for option in re.findall(r"--[\w-]+", code):
                        self.assertIn(option, verbs[words[1]], f"{page.name}: {code}")
                elif words[0].startswith("scripts/"):
                    self.assertTrue((SOURCE / words[0]).exists(), f"{page.name}: {code}")
                elif words[0] == "ctest":
                    self.assertGreater(self.selected_by(code), 0, f"{page.name}: {code}")
                else:
                    continue
                found += 1
        self.assertGreater(found, 15)

    def selected_by(self, code):
        """How many a ctest command selects."""
        options = code.replace("ctest", "", 1).replace("--test-dir build/release", "").split()
        done = subprocess.run(["ctest", "--test-dir", BUILD, "-N", *options],
                              capture_output=True, text=True)
        return int(re.search(r"Total Tests: (\d+)", done.stdout)[1])

    def test_exceptions_are_needed(self):
        shown = [line for page in PAGES for line in commands(page.read_text())]
        for command, (_, reason) in INSTEAD.items():
            self.assertIn(command, shown)
            self.assertTrue(reason)

    def test_no_command_hides_in_a_block(self):
        for page in PAGES:
            for block in re.findall(r"^```\w*\n(.*?)^```$", page.read_text(), re.M | re.S):
                self.assertNotRegex(block, r"(?m)^(\$ )?(build/\S*/)?(banzuke|mpirun|scripts/\w+) ")

    def test_steps(self):
        page = """text

    banzuke a b  # why
    export A=1 \\
           B=2

```
an example
```

Save it as `x.toml`:

```toml
k = 1
```

```text
shown
```

```python
pass
```
"""
        self.assertEqual(steps(page), [
            ("command", "banzuke a b  # why"), ("command", "export A=1 B=2"),
            ("file", ("x.toml", "k = 1\n")), ("output", "shown\n"), ("script", "pass\n")])
        self.assertEqual(commands(page), ["banzuke a b", "export A=1 B=2"])


follow_each(Docs, [README, *TASKS])


if __name__ == "__main__":
    harness.main()
