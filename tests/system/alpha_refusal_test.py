"""Mistakes in configs and data of the jobs around alpha."""

import harness
from harness import Case

FIT = """job = "alpha_fit"
output = "out.h5"
[[data]]
rule = "mine"
file = "data.csv"
"""
RECOVERY = """job = "alpha_recovery"
seed = 1
replicates = 3
output = "out.h5"
[[rule]]
name = "mine"
k = 4
alpha = 50
players = 20
games = 300
"""
POSTERIOR = """job = "rank_posterior"
output = "out.h5"
[data]
file = "data.csv"
[posterior]
alpha = 194.5
[[posterior.payoff]]
name = "dan"
weights = [6, 3, 0, -2]
per = [0, 0, 0, 1]
"""
DISCRETE = """job = "discrete_posterior"
output = "out.h5"
[data]
file = "data.csv"
[[kind]]
name = "even"
weight = 1
ranks = [0.25, 0.25, 0.25, 0.25]
"""
DATA = "name,first,second,third,fourth\nAnna,3,2,1,4\nBo,0,5,2,9\n"


class AlphaRefusals(Case):
    def setUp(self):
        super().setUp()
        self.write("data.csv", DATA)

    def bad(self, config, old, new, *words, at=None, file="config.toml"):
        """The config with `old` replaced is refused, at the line of `at`."""
        self.assertIn(old, config)
        with self.subTest(new):
            self.write("config.toml", config.replace(old, new))
            line = f"{file}:{self.line_of(at, file)}" if at else None
            self.refuses(*words, line=line)

    def test_the_good_ones_are_good(self):
        for config in (FIT, RECOVERY, POSTERIOR, DISCRETE):
            self.write("config.toml", config)
            self.call("check", "config.toml")
            self.call("run", "config.toml", "--quiet")
            (self.folder / "out.h5").unlink()

    def test_fits(self):
        self.bad(FIT, 'file = "data.csv"', 'file = "nowhere.csv"', "No such file", at="nowhere")
        self.bad(FIT, 'file = "data.csv"', 'file = "data.csv"\nk = 3', "Anna", "4 counts",
                 at="Anna", file="data.csv")
        self.bad(FIT, 'file = "data.csv"', 'file = "data.csv"\nk = 1', "2 to 64", at="k = 1")
        self.bad(FIT, 'file = "data.csv"', 'file = "data.csv"\ncolumns = ["firsts"]', "firsts")
        self.bad(FIT, "[[data]]", "confidence = 95\n[[data]]", "confidence", at="confidence")
        self.bad(FIT, 'rule = "mine"', 'rul = "mine"', 'did you mean "rule"?', at="rul")
        self.bad(FIT, "[[data]]", "[[set]]", "data")
        self.bad(FIT, 'file = "data.csv"', 'file = "data.csv"\n[[data]]\nrule = "mine"\n'
                 'file = "data.csv"', "twice")

    def test_counts(self):
        for text, line, words in [
                (DATA.replace("5", "5.5"), 3, ("Bo", "5.5", "whole")),
                (DATA.replace("Bo,0", "Bo,-1"), 3, ("Bo", "negative")),
                (DATA.replace("Bo", "Anna"), 3, ("Anna", "twice")),
                (DATA.replace("9", "5000000"), 3, ("Bo", "games"))]:
            with self.subTest(words):
                self.write("data.csv", text)
                self.write("config.toml", FIT)
                self.refuses(*words, line=f"data.csv:{line}")
        self.write("data.json", '{"Anna": [1, 2, 3],\n "Bo": [1, 2.5, 3]}')
        self.write("config.toml", FIT.replace("data.csv", "data.json"))
        self.refuses("Bo", "2.5", line="data.json:2")

    def test_recovery(self):
        self.bad(RECOVERY, "alpha = 50", "alpha = -50", "alpha", "out of range", at="alpha =")
        self.bad(RECOVERY, "alpha = 50", "alpha = 0", "alpha", "out of range", at="alpha =")
        self.bad(RECOVERY, "k = 4", "k = 1", "out of range", at="k = 1")
        self.bad(RECOVERY, "players = 20", "players = 0", "out of range", at="players")
        self.bad(RECOVERY, "players = 20\n", "", '"rule[0].players" is missing')
        self.bad(RECOVERY, "games = 300", "games = 12.5", "whole", at="games")
        self.bad(RECOVERY, "games = 300", "games = [30, -1]", "out of range", at="games")
        self.bad(RECOVERY, "games = 300", "games = []", "games", at="games")
        self.bad(RECOVERY, "games = 300", 'games = "many"', "games", at="games")
        self.bad(RECOVERY, "games = 300",
                 'games = { distribution = "normal", median = 150, sigma = 1 }', "normal",
                 "lognormal", at="games")
        self.bad(RECOVERY, "games = 300", "games = { median = 150, sigma = 1 }", "lognormal",
                 at="games")
        self.bad(RECOVERY, "games = 300",
                 'games = { distribution = "lognormal", median = 150, sigma = -1 }', "sigma",
                 at="games")
        self.bad(RECOVERY, "games = 300",
                 'games = { distribution = "lognormal", median = 150, sigma = 1, mx = 3 }', "mx",
                 at="games")
        self.bad(RECOVERY, "games = 300", 'games = { file = "nowhere.csv" }', "No such file",
                 at="games")
        self.bad(RECOVERY, "games = 300", 'games = { file = "data.csv", draw = "lots" }', "lots",
                 at="games")
        self.bad(RECOVERY, "games = 300", 'games = 300\ngames_drawn = "twice"', "per_replicate",
                 at="games_drawn")
        self.bad(RECOVERY, "[[rule]]", "[grid]", "name")
        self.bad(RECOVERY, RECOVERY[RECOVERY.index("[[rule]]"):], "", '"rule" is missing')

    def test_posteriors(self):
        self.bad(POSTERIOR, "alpha = 194.5", "alpha = -1", "out of range", at="alpha")
        self.bad(POSTERIOR, "alpha = 194.5", 'alpha = "best"', "fit", at="alpha")
        self.bad(POSTERIOR, "alpha = 194.5\n", "", "alpha")
        self.bad(POSTERIOR, "alpha = 194.5", "alpha = 1\ncredible = 1.5", "credible",
                 at="credible")
        self.bad(POSTERIOR, "weights = [6, 3, 0, -2]\nper = [0, 0, 0, 1]", "weights = [1, 0, -1]",
                 "3 ranks", "4", at="weights")
        self.bad(POSTERIOR, "per = [0, 0, 0, 1]", "per = [0, 0, 0, 0]", "denominator", at="per")
        self.bad(POSTERIOR, "per = [0, 0, 0, 1]", "per = [0, 0, 0, -1]", "per", at="per")
        self.bad(POSTERIOR, "weights = [6, 3, 0, -2]\nper = [0, 0, 0, 1]",
                 "room = { points = [90, 45], step = 15 }", "3 ranks", at="room")
        self.bad(POSTERIOR, "weights = [6, 3, 0, -2]\nper = [0, 0, 0, 1]", "wights = [1]",
                 'did you mean "weights"?', at="wights")
        self.write("data.csv", DATA.replace("3,2,1,4", "5,5,5,5").replace("0,5,2,9", "4,4,4,4"))
        self.bad(POSTERIOR, "alpha = 194.5", 'alpha = "fit"', "cannot be fitted", at="alpha")

    def test_discrete_posteriors(self):
        self.bad(DISCRETE, "[0.25, 0.25, 0.25, 0.25]", "[0.25, 0.25, 0.25, 0.2]", "sum to 1",
                 at="ranks")
        self.bad(DISCRETE, "[0.25, 0.25, 0.25, 0.25]", "[0.5, 0.25, 0.25]", "3 ranks")
        self.bad(DISCRETE, "[0.25, 0.25, 0.25, 0.25]", "[0.5, 0.5, 0, 0]", "Anna")
        self.bad(DISCRETE, "weight = 1", "weight = -1", "weight", at="weight")
        self.bad(DISCRETE, '[data]\nfile = "data.csv"\n', "", "likelihood")


if __name__ == "__main__":
    harness.main()
