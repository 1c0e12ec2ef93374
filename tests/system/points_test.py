"""Several data sets, or the periods of one, as points of bt_uncertainty."""

import collections
import csv
import io

import harness
from harness import CONFIGS, INPUT, STOPPED, Case

HEAD = "player1,player2,wins1,wins2\n"
SPRING = HEAD + "Anna,Bo,3,2\nBo,Cy,4,1\nCy,Anna,2,3\n"
# Other players in another order: what is Dee's place here is nobody's in spring.
SUMMER = HEAD + "Dee,Cy,3,3\nBo,Dee,5,2\nCy,Anna,4,4\nAnna,Dee,1,2\nEve,Bo,0,2\n"
AUTUMN = HEAD + "Fay,Anna,3,3\nBo,Anna,5,2\nFay,Bo,4,4\n"


class Points(Case):
    def data_config(self, sets, scale='reference = "Anna"', replicates=203, name="config.toml",
                    games="", extra=""):
        """A config of data sets: (label, CSV text, further keys)."""
        text = f"""job = "bt_uncertainty"
seed = 5
replicates = {replicates}
output = "out.h5"
{games}
[scale]
{scale}
{extra}
"""
        for label, content, *keys in sets:
            self.write(f"{label}.csv", content)
            text += "\n".join(["", "[[data]]", f'label = "{label}"', f'files = ["{label}.csv"]',
                               *keys, ""])
        return self.write(name, text)

    def by_point(self, file="out.h5"):
        rows = collections.defaultdict(list)
        for row in self.table(file):
            rows[row.pop("point")].append(row)
        return rows

    def players(self, file="out.h5"):
        text = self.call("table", file, "players", "--format", "csv").out
        return {row["name"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}

    def test_the_same_bytes_on_ranks_and_threads(self):
        self.data_config([("spring", SPRING), ("summer", SUMMER), ("autumn", AUTUMN)])
        digests = set()
        for ranks, threads in [(None, 1), (1, 2), (2, 1), (2, 2)]:
            output = f"{ranks}_{threads}.h5"
            self.call("run", "config.toml", "-o", output, "--threads", threads,
                      "--set", "run.round_seconds=0.001", ranks=ranks)
            digests.add(self.digest(output))
        self.assertEqual(len(digests), 1)

    def test_a_data_set_appended(self):
        first = [("spring", SPRING), ("summer", SUMMER)]
        self.data_config(first)
        self.call("run", "config.toml")
        before = self.by_point()
        self.data_config([*first, ("autumn", AUTUMN)])
        self.call("run", "config.toml", "--time-limit", 0, expect=STOPPED)
        extended = self.by_point()
        self.assertEqual({row["replicates_done"] for row in extended["autumn"]}, {"0"})
        del extended["autumn"]
        self.assertEqual(extended, before)
        self.call("run", "config.toml")
        self.assertEqual({label: self.by_point()[label] for label in before}, before)
        self.call("run", "config.toml", "-o", "fresh.h5")
        self.assertEqual(self.digest("out.h5"), self.digest("fresh.h5"))
        # Anywhere but at the end it is another run.
        self.data_config([("autumn", AUTUMN), *first])
        said = self.call("run", "config.toml", expect=INPUT).err
        self.assertIn("holds another run", said)
        self.assertIn('data[0].label: "spring" → "autumn"', said)

    def test_a_data_set_appended_to_shards(self):
        first = [("spring", SPRING), ("summer", SUMMER)]
        self.data_config(first)
        for shard in ("1/2", "2/2"):
            self.call("run", "config.toml", "--shard", shard)
        self.data_config([*first, ("autumn", AUTUMN)])
        said = self.call("run", "config.toml", "--shard", "1/2", expect=INPUT).err
        self.assertIn("cannot take more points (it is shard 1 of 2", said)
        self.call("merge", "out.h5", "out.shard-1-of-2.h5", "out.shard-2-of-2.h5")
        self.call("run", "config.toml")
        self.call("run", "config.toml", "-o", "fresh.h5")
        self.assertEqual(self.digest("out.h5"), self.digest("fresh.h5"))

    def test_replicates_raised(self):
        self.data_config([("spring", SPRING), ("summer", SUMMER)])
        self.call("run", "config.toml")
        of_203 = self.digest("out.h5")
        self.call("run", "config.toml", "--set", "replicates=500")
        self.assertEqual(self.digest("out.h5", "--replicates", 203), of_203)
        self.call("run", "config.toml", "--set", "replicates=500", "-o", "fresh.h5")
        self.assertEqual(self.digest("out.h5"), self.digest("fresh.h5"))

    def test_the_first_point_is_the_run_of_its_data_set(self):
        self.data_config([("summer", SUMMER), ("spring", SPRING)])
        self.call("run", "config.toml")
        points = self.by_point()
        self.assertEqual(list(points), ["summer", "spring"])
        self.pairs_config(SUMMER, replicates=203, name="one.toml")
        self.call("run", "one.toml", "-o", "one.h5")
        self.assertEqual(points["summer"], self.by_point("one.h5")["all games"])
        # Spring is another point: the same ratings, other replicates.
        self.pairs_config(SPRING, replicates=203, name="one.toml")
        self.call("run", "one.toml", "-o", "two.h5")
        for ours, other in zip(points["spring"], self.by_point("two.h5")["all games"]):
            for key in ("name", "rating", "standard_error", "games", "wins", "standing"):
                self.assertEqual(ours[key], other[key])
            if ours["standing"] == "rated":
                self.assertNotEqual(ours["standard_uncertainty"], other["standard_uncertainty"])

    def test_periods_are_data_sets_cut_by_date(self):
        config = CONFIGS / "bt_icehockey_halves.toml"
        for period, months, left_out in [
                ("half_year", {"2009-H2": (7, 12), "2010-H1": (1, 6)}, None),
                # Michigan Tech has the most games in December and lost all.
                ("month", {f"{year}-{month:02}": (month, month)
                           for year, month in [(2009, 10), (2009, 11), (2009, 12),
                                               (2010, 1), (2010, 2), (2010, 3)]}, "2009-12")]:
            with self.subTest(period):
                said = self.call("run", config, "-o", "periods.h5", "--set", "replicates=100",
                                 "--set", f"games.period={period}").err
                sets = collections.defaultdict(list)
                with open(CONFIGS / "data" / "icehockey_2009.csv", encoding="utf-8") as file:
                    for date, *game in list(csv.reader(file))[1:]:
                        label = next(label for label, (first, last) in months.items()
                                     if label[:4] == date[:4] and first <= int(date[5:7]) <= last)
                        sets[label].append(",".join(game))
                for label, games in sets.items():
                    self.assertIn(f"{label} {len(games)}", said)
                if left_out:
                    self.assertIn(f"note: {left_out}: left out: nobody can be rated", said)
                    del sets[left_out]
                header = "player1,player2,wins1,wins2,draws"
                self.data_config([(label, "\n".join([header, *games, ""]))
                                  for label, games in sorted(sets.items())],
                                 scale="mean = 1500", replicates=100)
                self.call("run", "config.toml", "--set", "seed=2010")
                self.assertEqual(self.table("periods.h5"), self.table("out.h5"))
                self.assertEqual(list(self.by_point()), sorted(sets))
                (self.folder / "out.h5").unlink()
                (self.folder / "periods.h5").unlink()

    def test_periods_of_data_sets(self):
        dated = "date," + HEAD + "2016-01-05,Anna,Bo,3,2\n2016-07-05,Anna,Bo,3,2\n"
        self.data_config([("east", dated), ("west", dated)], games='[games]\nperiod = "half_year"')
        self.call("run", "config.toml")
        self.assertEqual(list(self.by_point()), ["east 2016-H1", "east 2016-H2", "west 2016-H1",
                                                 "west 2016-H2"])

    def test_a_period_too_thin(self):
        dated = "date," + HEAD + "2016-01-05,Anna,Bo,3,2\n2016-02-05,Anna,Cy,1,0\n"
        for scale in ('reference = "Anna"', "mean = 0"):
            with self.subTest(scale):
                self.pairs_config(dated, scale=scale, games_keys='period = "month"')
                said = self.call("run", "config.toml").err
                self.assertIn("2016-02: left out: nobody can be rated", said)
                self.assertEqual(list(self.by_point()), ["2016-01"])
                self.assertIn("2016-02: left out", self.call("table", "out.h5").out)
                (self.folder / "out.h5").unlink()
        # Others can be rated, the reference cannot.
        self.pairs_config(dated + "2016-02-06,Bo,Cy,2,3\n", games_keys='period = "month"')
        self.refuses('2016-02: the reference "Anna" cannot be rated')
        self.pairs_config("date," + HEAD + "2016-01-05,Anna,Bo,3,0\n", games_keys='period = "month"')
        self.refuses("no period in which anybody can be rated")

    def test_sheets(self):
        self.data_config([("spring", SPRING), ("summer", SUMMER)])
        self.call("run", "config.toml")
        text = self.call("table", "out.h5").out
        spring, summer = text.index("=== spring ==="), text.index("=== summer ===")
        self.assertLess(spring, summer)
        self.assertIn("of 3 players, 15 games", text[spring:summer])
        self.assertIn("of 4 players, 24 games", text[summer:])
        self.assertNotIn("Dee", text[:summer])
        self.assertIn("\nNot rated: 1 of 5 players.\n"
                      "  Eve: never won a game (2 games, 0 wins)\n", text[summer:])
        self.assertEqual(text.count("uncertainty: standard deviation of the refitted"), 1)

    def test_one_point_of_several(self):
        self.data_config([("spring", SPRING), ("summer", SUMMER)])
        self.call("run", "config.toml")
        for point in ("summer", "1"):
            text = self.call("table", "out.h5", "--point", point).out
            self.assertIn("=== summer ===", text)
            self.assertIn("Eve: never won", text)
            self.assertNotIn("spring", text)
            rows = list(csv.DictReader(io.StringIO(self.call(
                "table", "out.h5", "--point", point, "--format", "csv").out)))
            self.assertEqual(rows, [row for row in self.table("out.h5")
                                    if row["point"] == "summer"])
            text = self.call("table", "out.h5", "players", "--point", point).out
            self.assertRegex(text, r"(?m)^name +summer$")
            self.assertIn("equal", self.call("replay", "out.h5", point, 202).out)
        self.refuses('did you mean "summer"?',
                     arguments=("table", "out.h5", "--point", "sumer"))

    def test_players(self):
        self.data_config([("spring", SPRING), ("summer", SUMMER), ("autumn", AUTUMN)])
        self.call("run", "config.toml")
        rows, points = self.players(), self.by_point()
        self.assertEqual(set(rows), {"Anna", "Bo", "Cy", "Dee", "Fay"})
        for label, sheet in points.items():
            rated = {row["name"]: row for row in sheet if row["rank"]}
            for name, row in rows.items():
                for key in ("rating", "standard_uncertainty", "replicates_valid"):
                    wanted = rated[name][key] if name in rated else ""
                    self.assertEqual(row[f"{label} {key}"], wanted)
        # By rating at the last point; who is not rated there comes after.
        last = [row["name"] for row in points["autumn"] if row["rank"]]
        self.assertEqual(list(rows)[:3], last)
        text = self.call("table", "out.h5", "players").out
        self.assertIn("ratings (Elo) at 3 points", text)
        self.assertRegex(text, r"(?m)^name +spring +summer +autumn$")
        self.assertRegex(text, r"(?m)^Fay +- +- +-?\d+\.\d ± \d+\.\d\*?$")
        self.assertRegex(text, r"(?m)^Anna +0\.0 +0\.0 +0\.0$")

    def test_ratings_and_published_of_each(self):
        games = "player1,player2,games\nAnna,Bo,50\n"
        self.write("a.csv", "name,rating,standard_uncertainty\nAnna,10,40\nBo,30,50\n")
        self.write("b.csv", "name,rating,standard_uncertainty\nAnna,20,40\nBo,90,60\n")
        own = 'ratings = "{0}.csv"', 'published = "{0}.csv"'
        self.data_config([("one", games, own[0].format("a"), own[1].format("a")),
                          ("two", games, own[0].format("b")),
                          ("three", games, own[1].format("b"))],
                         extra='[truth]\nratings = "b.csv"')
        self.call("run", "config.toml")
        points = self.by_point()
        bo = {label: next(row for row in rows if row["name"] == "Bo")
              for label, rows in points.items()}
        self.assertEqual([round(float(bo[label]["rating"]), 9) for label in ("one", "two", "three")],
                         [20, 70, 70])
        self.assertEqual([bo[label]["published_standard_uncertainty"]
                          for label in ("one", "two", "three")], ["50", "", "60"])
        text = self.call("table", "out.h5").out
        self.assertEqual(text.count("Ours / published uncertainty over 1 players"), 2)

    def test_stops_by_point(self):
        skewed = HEAD + "Anna,Bo,45,5\nBo,Cy,45,5\n"
        many = HEAD + "Anna,Bo,300,200\nBo,Cy,400,100\nCy,Anna,200,300\n"
        self.data_config([("skewed", skewed), ("many", many)], replicates=9000,
                         extra="[stop]\nrelative_error = 0.0245")
        self.call("run", "config.toml")
        done = {}
        for label, rows in self.by_point().items():
            done[label] = int(rows[0]["replicates_done"])
            error = max(float(row["standard_uncertainty_error"]) /
                        float(row["standard_uncertainty"])
                        for row in rows if row["standing"] == "rated")
            self.assertLessEqual(error, 0.0245)
        # Normal ratings need 1 / (2 · 0.0245²) = 833 replicates.
        self.assertEqual(done["many"], 1000)
        self.assertEqual(done["skewed"], 2000)
        self.call("run", "config.toml", "-o", "two.h5", "--threads", 2, ranks=2)
        self.assertEqual(self.digest("out.h5"), self.digest("two.h5"))

    def test_errors_name_the_point(self):
        self.data_config([("spring", SPRING), ("winter", HEAD + "Bo,Cy,3,2\n")])
        self.refuses('winter: the reference "Anna" is not in the games')
        self.data_config([("spring", SPRING), ("winter", HEAD + "Bo,Cy,3,0\nAnna,Cy,2,0\n")])
        self.refuses('winter: the reference "Anna" cannot be rated against anybody')
        self.data_config([("spring", SPRING), ("winter", HEAD + "Bo,Cy,3,0\n")], scale="mean = 0")
        self.refuses('winter: the player with the most games "Bo" cannot be rated')
        self.data_config([("spring", SPRING), ("winter", "player1,player2,games\nAnna,Bo,3\n")])
        self.refuses("winter: these games have no results to fit")
        self.write("a.csv", "name,rating\nAnna,10\nBo,30\nCy,20\n")
        self.data_config([("spring", SPRING, 'ratings = "a.csv"'),
                          ("summer", SUMMER, 'ratings = "a.csv"')])
        self.refuses('summer: the player "Dee" has no rating in "a.csv"')

    def test_configs_that_contradict_themselves(self):
        self.data_config([("spring", SPRING), ("spring", SUMMER)])
        self.refuses('two data sets are called "spring"')
        for label, problem in [(" ", "is blank"), ("x\\u0000", "holds a NUL character")]:
            self.write("config.toml", f'job = "bt_uncertainty"\nseed = 5\nreplicates = 9\n'
                       f'[[data]]\nlabel = "{label}"\nfiles = ["spring.csv"]\n'
                       '[scale]\nmean = 0\n')
            self.refuses(f'config.toml:5: "data[0].label" {problem}')
        self.data_config([("spring", SPRING)], games='[games]\nfiles = ["spring.csv"]')
        self.refuses("under [games] and under [[data]]")
        self.write("a.csv", "name,rating\nAnna,10\nBo,30\nCy,20\n")
        self.data_config([("spring", SPRING, 'ratings = "a.csv"'), ("summer", SUMMER)])
        self.refuses('the data set "summer" has no ratings')
        self.data_config([("spring", SPRING, "lable = 3")])
        self.refuses('unknown key "data[0].lable"')
        self.pairs_config(SPRING, games_keys='period = "halfyear"')
        self.refuses('did you mean "half_year"?')
        self.pairs_config(SPRING, games_keys='period = "month"')
        self.refuses("date")

    def test_shipped_seasons(self):
        self.call("run", CONFIGS / "bt_football_seasons.toml", "-o", "out.h5", "--quiet",
                  "--set", "replicates=200")
        points = self.by_point()
        self.assertEqual(len(points), 5)
        for rows in points.values():  # 20 teams, each pair met twice
            self.assertEqual(sum(float(row["games"]) for row in rows), 2 * 380)
        self.assertGreater(len(self.players()), 20)


if __name__ == "__main__":
    harness.main()
