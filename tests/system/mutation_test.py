"""Damaged configs and tables, three hundred of them: either they work, or exit code 2 with one message.
Never a crash, never a bug's exit code, never a file made by `check`."""

import random

import harness
from harness import DONE, INPUT, Case, banzuke

CONFIG = b"""job = "bt_uncertainty"
seed = 5
replicates = 40
output = "out.h5"

[games]
files = ["games.csv"]
draws = "half"

[truth]
ratings = "truth.csv"
name = "name"
rating = "elo"
missing = "drop"

[scale]
reference = "Anna"
rating = 1500.0

[run]
threads = 1
"""
GAMES = ('player1,player2,wins1,wins2,tie\nAnna,Bo,3,2,1\n"Bo",Cy,4,1,0\nCy,Anna,2,3,5\n'
         'Dee,"An ""x"", y",1,1,0\n').encode()
TRUTH = "name,elo\nAnna,2000\nBo,1900.5\nCy,-1e2\n山,3\n".encode()
TOKENS = [b"", b"\n", b'"', b",", b"=", b"[", b"]", b"-1", b"0", b"1e999", b"nan", b"\xff", b"\0",
          b"99999999999999999999", b"0.5", b"Anna", b"\r", b"#", b"true", b"'''", b"\xef\xbb\xbf"]


def mutant(chance, content):
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        begin = chance.randrange(len(content) + 1)
        end = min(len(content), begin + chance.choice((0, 0, 1, 1, 2, 8, 30)))
        content = content[:begin] + chance.choice(TOKENS) + content[end:]
    return content


class Mutations(Case):
    def test_either_works_or_is_refused(self):
        chance = random.Random(42)
        counts = {DONE: 0, INPUT: 0}
        good = {"config.toml": CONFIG, "games.csv": GAMES, "truth.csv": TRUTH}
        for i in range(COUNT):
            damaged = chance.choice(list(good))
            for name, content in good.items():
                self.write(name, mutant(chance, content) if name == damaged else content)
            # Every other time without given ratings, so that the games are fitted.
            if i % 2:
                text = (self.folder / "config.toml").read_bytes()
                self.write("config.toml", text.replace(TRUTH_TABLE, b""))
            answer = banzuke("check", "config.toml", cwd=self.folder)
            what = f"mutant {i} of {damaged}: {(self.folder / damaged).read_bytes()!r}: {answer}"
            self.assertIn(answer.code, counts, what)
            counts[answer.code] += 1
            if answer.code == INPUT:
                self.assertEqual(len(answer.err.splitlines()), 1, what)
                self.assertTrue(answer.err.startswith("banzuke: "), what)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), sorted(good), what)
        # The mutations are neither harmless nor hopeless.
        self.assertGreater(min(counts.values()), COUNT // 20, counts)


COUNT = 300
TRUTH_TABLE = CONFIG[CONFIG.index(b"[truth]"):CONFIG.index(b"[scale]")]

if __name__ == "__main__":
    harness.main()
