"""The pages of the jobs, of the result file and of clusters: their commands work."""

import harness
from pages import DOCS, PageCase, commands, follow_each


class Pages(PageCase):
    pass


# methods.md and what it lists show formulas in the place of commands, scaling.md its model.
OTHERS = [page for page in sorted(DOCS.glob("*.md"))
          if page.name not in ("verbs.md", "scaling.md") and commands(page.read_text())]
assert len(OTHERS) >= 8
follow_each(Pages, OTHERS)


if __name__ == "__main__":
    harness.main()
