"""Real input that must work: names, encodings, shapes of data, keys; closed forms where there are
some, and what the tables say of it."""

import math
import re

import harness
from harness import STOPPED, Case

HEAD = "player1,player2,wins1,wins2\n"
ELO = 400 / math.log(10)


def three(a="Anna", b="Bo", c="Cy"):
    return HEAD + f"{a},{b},3,2\n{b},{c},4,1\n{c},{a},2,3\n"


class Inputs(Case):
    def run_games(self, games, **keywords):
        self.pairs_config(games, **keywords)
        (self.folder / "out.h5").unlink(missing_ok=True)
        return self.call("run", "config.toml")

    def test_shapes_of_the_file_do_not_matter(self):
        self.run_games(three())
        wanted = self.ratings("out.h5")
        base = three()
        for name, content in {
                "CRLF": base.replace("\n", "\r\n"), "CR": base.replace("\n", "\r"),
                "BOM": "\ufeff" + base, "no last newline": base[:-1],
                "blank lines": base.replace("\n", "\n\n"), "whole numbers": base.replace("3", "3.0"),
                "other columns": base.replace("wins2", "wins2,day").replace("2\n", "2,x\n")
                                     .replace("1\n", "1,y\n").replace(",3\n", ",3,z\n")
                                     .replace("player1,player2,wins1,wins2,x",
                                              "player1,player2,wins1,wins2,day"),
                "split rows": HEAD + "Anna,Bo,1,0\nBo,Cy,4,1\nBo,Anna,2,2\nCy,Anna,2,3\n",
                "tabs": base.replace(",", "\t")}.items():
            with self.subTest(name):
                self.run_games(content,
                               games_keys='separator = "tab"' if name == "tabs" else "")
                self.assertEqual(self.ratings("out.h5"), wanted)

    def test_names(self):
        long_name = "name" * 500
        for name in ("山田太郎", "Łukasz Ω", 'Bo "the Bear", Jr.', long_name, " Bo ", "Bo;Bo|Bo",
                     "two\nlines", "-_-", "'=1+1", "%s%n{}"):
            with self.subTest(name[:20]):
                quoted = '"' + name.replace('"', '""') + '"'
                self.run_games(three(b=quoted))
                self.assertEqual(set(self.ratings("out.h5")), {"Anna", name, "Cy"})
                shown = name.replace("\n", "\\x0a")  # a row of the table is one line
                self.assertIn(shown, self.call("table", "out.h5").out)
                # And as a reference, in the config's TOML.
                escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                self.run_games(three(b=quoted), scale=f'reference = "{escaped}"\nrating = 7')
                self.assertEqual(self.ratings("out.h5")[name]["rating"], "7")
                self.assertIn(f"relative to {shown} = 7", self.call("table", "out.h5").out)

    def test_aligned_columns_with_wide_names(self):
        self.run_games(three(b="山田太郎", c="Cyrus Q"))
        rows = [line for line in self.call("table", "out.h5").out.splitlines()
                if re.match(r" +\d  ", line)]
        self.assertEqual(len(rows), 3)
        # A wide character takes two columns.
        widths = {len(row) + sum(ord(c) > 0x2E80 for c in row) for row in rows}
        self.assertEqual(len(widths), 1, rows)

    def test_two_players_in_closed_form(self):
        self.run_games(HEAD + "Anna,Bo,37,12\n", replicates=4000)
        row = self.ratings("out.h5")["Bo"]
        self.assertAlmostEqual(float(row["rating"]), ELO * math.log(12 / 37), delta=1e-8)
        self.assertAlmostEqual(float(row["standard_error"]), ELO * math.sqrt(1 / 12 + 1 / 37),
                               delta=1e-6)
        # The law of the refits, exactly: X ~ binomial(49, 12/49), rated where 0 < X < 49.
        law = [(math.comb(49, x) * (12 / 49)**x * (37 / 49)**(49 - x),
                ELO * math.log(x / (49 - x))) for x in range(1, 49)]
        total = sum(p for p, _ in law)
        mean = sum(p * v for p, v in law) / total
        sd = math.sqrt(sum(p * (v - mean)**2 for p, v in law) / total)
        error = float(row["standard_uncertainty_error"])
        self.assertLess(abs(float(row["standard_uncertainty"]) - sd), 4 * error)
        self.assertLess(abs(float(row["mean"]) - mean), 4 * sd / math.sqrt(4000))
        self.assertGreater(abs(float(row["standard_error"]) - sd), 4 * error)  # can tell

    def test_half_wins(self):
        self.run_games(HEAD + "Anna,Bo,6.5,3.5\n")
        row = self.ratings("out.h5")["Bo"]
        self.assertAlmostEqual(float(row["rating"]), ELO * math.log(3.5 / 6.5), delta=1e-8)
        self.assertIn("overstates the uncertainty where draws were common",
                      self.call("table", "out.h5").out)

    def test_draws_dropped(self):
        games = "p,q,x,t,y\nAnna,Bo,6,100,3\n"
        self.run_games(games, games_keys='draws = "drop"')
        rating = float(self.ratings("out.h5")["Bo"]["rating"])
        self.assertAlmostEqual(rating, ELO * math.log(3 / 6), delta=1e-8)
        text = self.call("table", "out.h5").out
        self.assertIn("100 of 109 games were drawn and are left out", text)
        self.assertNotIn("overstates", text)
        self.run_games(games)
        rating = float(self.ratings("out.h5")["Bo"]["rating"])
        self.assertAlmostEqual(rating, ELO * math.log(53 / 56), delta=1e-8)

    def test_column_map(self):
        self.run_games("a;b;x;y\nAnna;Bo;6;3\n", games_keys='separator = ";"\n[games.columns]\n'
                       'player1 = "a"\nplayer2 = "b"\nwins1 = "x"\nwins2 = "y"')
        rating = float(self.ratings("out.h5")["Bo"]["rating"])
        self.assertAlmostEqual(rating, ELO * math.log(3 / 6), delta=1e-8)

    def test_6000_elo(self):
        # A chain's likelihood falls into pairs: each difference and its variance in closed form.
        steps = 10
        games = HEAD + "".join(f"p{i:02},p{i + 1:02},1000,25\n" for i in range(steps))
        self.run_games(games, scale='reference = "p00"\nrating = 6500', replicates=40)
        rows = self.ratings("out.h5")
        step = ELO * math.log(1000 / 25)
        self.assertGreater(steps * step, 6000)
        for i in range(steps + 1):
            row = rows[f"p{i:02}"]
            self.assertAlmostEqual(float(row["rating"]), 6500 - i * step, delta=1e-7)
            self.assertAlmostEqual(float(row["standard_error"]),
                                   ELO * math.sqrt(i * (1 / 1000 + 1 / 25)), delta=1e-6)
            self.assertEqual(row["replicates_valid"], "40")

    def test_two_groups(self):
        games = three() + "Dee,Eve,3,2\nEve,Fay,2,2\n"
        self.run_games(games)
        self.assertEqual(set(self.ratings("out.h5")), {"Anna", "Bo", "Cy"})
        outside = {r["name"]: r for r in self.table("out.h5") if not r["rank"]}
        self.assertEqual(set(outside), {"Dee", "Eve", "Fay"})
        for row in outside.values():
            self.assertIn("not connected", row["standing"])
            self.assertEqual(row["rating"], "")
        text = self.call("table", "out.h5").out
        self.assertIn("Not rated: 3 of 6 players.", text)
        self.assertRegex(text, r"  Eve: .*not connected.*\(9 games, 4 wins\)")
        self.run_games(games, scale='reference = "Eve"')
        self.assertEqual(set(self.ratings("out.h5")), {"Dee", "Eve", "Fay"})

    def test_reasons_for_not_being_rated(self):
        games = three() + ("Top,Anna,4,0\nZero,Bo,0,2\n"
                           "Hi1,Hi2,1,1\nHi1,Anna,2,0\nHi2,Bo,1,0\nLo1,Lo2,1,1\nCy,Lo1,3,0\n")
        self.run_games(games)
        standing = {r["name"]: r["standing"] for r in self.table("out.h5")}
        self.assertEqual(standing["Anna"], "reference")
        self.assertEqual(standing["Bo"], "rated")
        self.assertIn("never lost", standing["Top"])
        self.assertIn("never won", standing["Zero"])
        for name in ("Hi1", "Hi2"):
            self.assertRegex(standing[name], "group.*only won")
        for name in ("Lo1", "Lo2"):
            self.assertRegex(standing[name], "group.*only lost")

    def test_mean_anchor(self):
        self.run_games(three() + "Dee,Eve,1,0\n", scale="mean = 1500", replicates=200)
        rows = self.ratings("out.h5")
        ratings = [float(row["rating"]) for row in rows.values()]
        self.assertAlmostEqual(sum(ratings) / 3, 1500, delta=1e-8)
        self.assertTrue(all(float(row["standard_uncertainty"]) > 0 for row in rows.values()))
        self.assertIn("relative to the mean of the rated players = 1500",
                      self.call("table", "out.h5").out)

    def test_natural_unit(self):
        self.run_games(three(), scale='reference = "Anna"\nrating = 0', replicates=100)
        elo = self.ratings("out.h5")
        self.run_games(three(), scale='reference = "Anna"\nunit = "natural"', replicates=100)
        natural = self.ratings("out.h5")
        for name in ("Bo", "Cy"):
            for key in ("rating", "standard_error", "standard_uncertainty", "bias"):
                wanted = float(elo[name][key]) / ELO
                self.assertAlmostEqual(float(natural[name][key]), wanted, delta=1e-10)
        self.assertEqual(natural["Bo"]["unit"], "natural-log units")
        self.assertIn("ratings (natural-log units)", self.call("table", "out.h5").out)

    def test_published_uncertainties_in_either_unit(self):
        self.write("published.csv", "name,sd\nBo,100\n")
        compare = '[compare]\nfile = "published.csv"\nstandard_uncertainty = "sd"'
        ratios = {}
        for unit in ("elo", "natural"):
            self.run_games(three(), scale=f'reference = "Anna"\nunit = "{unit}"', extra=compare)
            text = self.call("table", "out.h5").out
            ratios[unit] = re.search(r"median ([0-9.]+)", text)[1]
            row = self.ratings("out.h5")["Bo"]
            self.assertAlmostEqual(
                float(row["standard_uncertainty"]) / float(row["published_standard_uncertainty"]),
                float(ratios[unit]), delta=1e-3)
        self.assertEqual(ratios["elo"], ratios["natural"])

    def test_given_ratings(self):
        games = "player1,player2,games\nAnna,Bo,50\nBo,Cy,40\nCy,Dee,30\nEve,Fay,9\n"
        self.write("truth.csv", "who,elo\nAnna,2000\nBo,1900\nCy,1950\nEve,1\nFay,2\nGus,3\n")
        truth = '[truth]\nratings = "truth.csv"\nname = "who"\nrating = "elo"\nmissing = "drop"'
        said = self.run_games(games, extra=truth, scale='reference = "Bo"\nrating = 100').err
        self.assertIn("1 of the 6 players with a rating is not in the games", said)
        self.assertIn("1 player without a rating", said)
        rows = self.ratings("out.h5")
        self.assertEqual({n: round(float(r["rating"]), 9) for n, r in rows.items()},
                         {"Anna": 200, "Bo": 100, "Cy": 150})
        apart = "not connected by any chain of games"
        self.assertEqual({r["name"]: r["standing"] for r in self.table("out.h5") if not r["rank"]},
                         {"Dee": "no given rating", "Eve": apart, "Fay": apart})
        text = self.call("table", "out.h5").out
        self.assertIn("Not rated: 3 of 6 players.\n  1 of them: no given rating", text)
        self.assertIn(f"\n  Eve: {apart} (9 games)\n", text)
        # A schedule's pair is simulated at the given difference.
        p = 1 / (1 + 10**(-100 / 400))
        error = ELO / math.sqrt(50 * p * (1 - p))
        self.assertAlmostEqual(float(rows["Anna"]["standard_error"]), error, delta=1e-6)

    def test_a_single_replicate(self):
        self.run_games(three(), replicates=1)
        row = self.ratings("out.h5")["Bo"]
        self.assertEqual((row["standard_uncertainty"], row["standard_uncertainty_error"]), ("", ""))
        self.assertIn("\n1 replicate\n", self.call("table", "out.h5").out)

    def test_few_valid_replicates_stand_in_brackets(self):
        self.run_games(HEAD + "Anna,Bo,9,9\nBo,Cy,9,1\nCy,Dee,1,1\n", replicates=400)
        rows = self.ratings("out.h5")
        valid = {name: int(row["replicates_valid"]) for name, row in rows.items()}
        self.assertEqual(valid["Anna"], 400)
        # Cy is rated where Bo and Cy both won: 1 - 0.9^10 - 0.1^10 = 0.651.
        self.assertLess(abs(valid["Cy"] / 400 - 0.651), 4 * math.sqrt(0.651 * 0.349 / 400))
        self.assertLess(valid["Dee"], valid["Cy"])
        text = self.call("table", "out.h5").out
        self.assertRegex(text, rf"(?m)^ *\d  Cy .* \d+\.\d \({valid['Cy']}\) ")
        self.assertRegex(text, r"(?m)^ *\d  Anna +0\.0 +reference")
        self.assertIn("so the uncertainty is understated", text)
        self.assertIn("relative to Anna = 0", text)
        self.assertIn("400 replicates\n", text)

    def test_an_unfinished_table_says_so(self):
        self.pairs_config(three())
        self.call("run", "config.toml", "--time-limit", 0, expect=STOPPED)
        self.assertIn("UNFINISHED: 0 of 40 replicates", self.call("table", "out.h5").out)
        row = self.ratings("out.h5")["Bo"]
        self.assertEqual((row["replicates_done"], row["replicates_total"]), ("0", "40"))
        self.assertEqual((row["standard_uncertainty"], row["bias"]), ("", ""))
        self.assertNotEqual(row["standard_error"], "")
        self.call("run", "config.toml")
        self.assertNotIn("UNFINISHED", self.call("table", "out.h5").out)

    def test_csv_columns_and_precision(self):
        self.run_games(three())
        rows = self.table("out.h5")
        for column in ("rank", "name", "rating", "standard_error", "standard_uncertainty",
                       "replicates_valid", "bias"):
            self.assertIn(column, rows[0])
        self.assertEqual([row["rank"] for row in rows], ["1", "2", "3"])
        ratings = [float(row["rating"]) for row in rows]
        self.assertEqual(ratings, sorted(ratings, reverse=True))
        # Full precision: a number's text is the shortest that reads back as the same double.
        for row in rows:
            for key in ("rating", "standard_uncertainty", "bias"):
                self.assertEqual(float(row[key]), float(repr(float(row[key]))))
                self.assertTrue(row["standing"] == "reference" or len(row[key]) >= 14, row)

    def test_the_help_and_the_version(self):
        self.assertIn("Exit codes: 0 done", self.call("--help").out)
        self.assertRegex(self.call("--version").out, r"^banzuke \d+\.\d+\.\d+ \([0-9a-f]{10}")


if __name__ == "__main__":
    harness.main()
