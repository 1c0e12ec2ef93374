"""bt_recovery through the program: coverage on a good design, a wrong model, a sparse design."""

import harness
from harness import CONFIGS, INPUT, Case

WELL_CONNECTED = """label = "well connected"
players = 8
spread = 150
schedule = "round_robin"
games_per_pair = 200
"""


class BtRecovery(Case):
    def config(self, *populations, scale="mean = 1500", top="", replicates=1500):
        tables = "\n".join(f"[[population]]\n{population}" for population in populations)
        return self.write("config.toml", f"""job = "bt_recovery"
seed = 21
replicates = {replicates}
output = "out.h5"
{top}
[scale]
{scale}

{tables}
""")

    def groups(self, by="all"):
        return {(row["population"], row["group"]): row for row in self.table("out.h5")
                if row["by"] == by}

    def score(self, row, kind="fisher", width="1.96", nominal=0.9500042):
        """Distance from the nominal coverage in standard errors."""
        return ((float(row[f"{kind}_within_{width}"]) - nominal) /
                float(row[f"{kind}_within_{width}_error"]))

    def test_a_good_design_covers_and_a_wrong_model_is_seen(self):
        # 1400 games a player: departures from the normal law are far below the Monte Carlo error.
        wrong = WELL_CONNECTED.replace("well connected", "wrong") + "stretch = 1.2\n"
        self.config(WELL_CONNECTED, wrong)
        self.call("run", "config.toml", "--quiet")
        rows = self.groups()
        good, wrong = rows["well connected", "all"], rows["wrong", "all"]
        self.assertEqual(good["rated"], str(8 * 1500))
        self.assertLess(abs(self.score(good)), 4)
        self.assertLess(abs(self.score(good, width="1", nominal=0.6826895)), 4)
        self.assertLess(self.score(wrong), -20)
        self.assertLess(abs(float(good["fisher_mean"]) / float(good["sd"]) - 1), 0.03)
        # The Monte Carlo error is about that of independent intervals.
        binomial = (0.95 * 0.05 / (8 * 1500)) ** 0.5
        self.assertLess(abs(float(good["fisher_within_1.96_error"]) / binomial - 1), 0.5)
        # The groups by distance split all players, and the far ones carry the wrong model's bias.
        parts = [row for (name, _), row in self.groups("distance").items() if name == "wrong"]
        self.assertEqual(sum(int(row["players"]) for row in parts), 8)
        self.assertGreater(float(parts[-1]["outward_bias"]), 20)
        text = self.call("table", "out.h5").out
        self.assertIn("MADE WRONG: games are simulated from rating differences times 1.2", text)

    def test_a_sparse_design_undercovers(self):
        # Nested seasons leave out whoever cannot be rated: with 5 games each u is too small.
        self.config('label = "sparse"\nplayers = 60\nspread = 200\nschedule = "random"\n'
                    "games_per_player = 5", top="inner_replicates = 100", replicates=150)
        self.call("run", "config.toml", "--quiet")
        row = self.groups()["sparse", "all"]
        self.assertLess(int(row["rated"]), 0.9 * int(row["cases"]))
        self.assertLess(float(row["inner_rated"]), 0.8)
        self.assertLess(float(row["monte_carlo_mean"]), 0.95 * float(row["sd"]))
        self.assertLess(self.score(row, "monte_carlo"), -4)

    def test_a_reference_belongs_to_no_group(self):
        self.config(WELL_CONNECTED, scale='reference = "player 4"\nrating = 2000', replicates=40)
        self.call("run", "config.toml", "--quiet")
        self.assertEqual(self.groups()["well connected", "all"]["players"], "7")
        self.assertIn("relative to player 4", self.call("table", "out.h5").out)

    def test_populations_are_appended(self):
        few = 'label = "few"\nplayers = 5\nspread = 100\ngames_per_player = 20\n'
        self.config(WELL_CONNECTED, replicates=24)
        self.call("run", "config.toml", "--quiet")
        before = self.table("out.h5")
        self.config(WELL_CONNECTED, few, replicates=24)
        self.call("run", "config.toml", "--quiet")
        after = self.table("out.h5")
        self.assertEqual(after[:len(before)], before)
        extended = self.digest("out.h5")
        (self.folder / "out.h5").unlink()
        self.call("run", "config.toml", "--quiet")
        self.assertEqual(self.digest("out.h5"), extended)
        # A larger one finds no room, unless room was left for it.
        large = few.replace("few", "large").replace("players = 5", "players = 9")
        self.config(WELL_CONNECTED, few, large, replicates=24)
        self.call("run", "config.toml", "--quiet", expect=INPUT)
        (self.folder / "out.h5").unlink()
        for populations in [(WELL_CONNECTED, few), (WELL_CONNECTED, few, large)]:
            self.config(*populations, top="most_players = 9", replicates=24)
            self.call("run", "config.toml", "--quiet")
        self.assertEqual(len(self.groups()), 3)

    def test_a_real_schedule_with_given_ratings(self):
        floodgate = CONFIGS / "data" / "floodgate"
        self.config(f"""label = "floodgate"
games = {{ files = ["{floodgate / 'schedule_2016H1.csv'}"] }}
truth = {{ ratings = "{floodgate / 'published_2016H1.csv'}", rating = "mle", missing = "drop" }}
""", scale='reference = "gpsfish_normal_1c"\nrating = 2800', replicates=200)
        self.call("run", "config.toml", "--quiet")
        # The same season, the same seed: bt_uncertainty's replicates are these data sets.
        self.write("season.toml", f"""job = "bt_uncertainty"
seed = 21
replicates = 200
output = "season.h5"
[games]
files = ["{floodgate / 'schedule_2016H1.csv'}"]
[truth]
ratings = "{floodgate / 'published_2016H1.csv'}"
rating = "mle"
missing = "drop"
[scale]
reference = "gpsfish_normal_1c"
rating = 2800
""")
        self.call("run", "season.toml", "--quiet")
        season = [row for row in self.ratings("season.h5").values()
                  if row["standing"] == "rated"]
        group = self.groups()["floodgate", "all"]
        valid = [int(row["replicates_valid"]) for row in season]
        self.assertEqual(int(group["rated"]), sum(valid))
        bias = sum(n * float(row["bias"]) for n, row in zip(valid, season)) / sum(valid)
        self.assertAlmostEqual(float(group["bias"]), bias, places=6)
        sd = sum(n * float(row["standard_uncertainty"]) for n, row in zip(valid, season))
        self.assertAlmostEqual(float(group["sd"]), sd / sum(valid), places=6)

    def test_refusals(self):
        def refuses(*words):
            answer = self.call("check", "config.toml", expect=INPUT)
            for word in words:
                self.assertIn(word, answer.err)
        self.config()
        refuses("population")
        self.config(WELL_CONNECTED, WELL_CONNECTED)
        refuses('two populations are called "well connected"', "config.toml:")
        self.config(WELL_CONNECTED, scale='reference = "player 9"')
        refuses('the reference "player 9" is not in the population "well connected"',
                'did you mean "player')
        self.config(WELL_CONNECTED + 'games = { files = ["a.csv"] }')
        refuses("both a schedule and games")
        self.config(WELL_CONNECTED + 'truth = { ratings = "a.csv" }')
        refuses("both a truth and players to draw")
        self.config(WELL_CONNECTED, top="most_players = 7")
        refuses("a population has 8 players", "most_players is 7")
        self.config(WELL_CONNECTED, top="inner_replicates = 1000000", replicates=5000)
        refuses("too many", "set replicates to at most 4294")
        self.config(WELL_CONNECTED.replace("200", "1000000").replace("= 8", "= 10000"))
        refuses("games", "at most 5e+07")

    def test_the_shipped_config_is_good(self):
        self.call("check", CONFIGS / "bt_recovery.toml")
        self.assertFalse((self.folder / "results").exists())

    def test_the_csv_is_the_text(self):
        self.call("run", CONFIGS / "bt_recovery.smoke.toml", "-o", "out.h5", "--quiet")
        rows = self.table("out.h5")
        self.assertEqual({row["population"] for row in rows},
                         {"few games", "round robin", "close in rank", "a league"})
        text = self.call("table", "out.h5").out
        for row in rows:
            if row["by"] == "all":
                self.assertIn(f"{float(row['sd']):.1f}", text)


if __name__ == "__main__":
    harness.main()
