"""From PGN files to the table, beside programs of other people: pair totals, ratings, simulated
uncertainties and valid replicates."""

import csv
import math

import harness
from harness import DATA, INPUT, SOURCE, Case

SHARED = SOURCE.parent / "shared"
SMALL = DATA / "pgn" / "small"


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Pgn(Case):
    def shared(self, path):
        if not (SHARED / path).exists():
            self.skipTest(f"{SHARED / path} is not there")
        return SHARED / path

    def rate(self, path, replicates, scale="mean = 2300", games_keys=""):
        self.pairs_config([path], scale=scale, replicates=replicates, games_keys=games_keys)
        self.call("run", "config.toml", "--quiet", "--threads", "1")
        return self.ratings("out.h5")

    def deviations(self, ours, reference, replicates, factor=1.0):
        """Of each player's uncertainty and valid count, in combined standard errors.

        The error of a standard deviation is the one the table gives (it takes the kurtosis from
        the replicates), scaled to the reference's number of replicates."""
        by_sd, by_count = {}, {}
        for row in reference:
            mine = ours[row["name"]]
            valid, theirs = int(mine["replicates_valid"]), int(row["reps"])
            share = (valid + theirs) / (replicates[0] + replicates[1])
            error = math.sqrt(share * (1 - share) * (1 / replicates[0] + 1 / replicates[1]))
            difference = valid / replicates[0] - theirs / replicates[1]
            by_count[row["name"]] = abs(difference) / error if error > 0 else 0.0
            error = float(mine["standard_uncertainty_error"]) * math.sqrt(1 + valid / theirs)
            difference = float(mine["standard_uncertainty"]) - factor * float(row["sd"])
            by_sd[row["name"]] = abs(difference) / error
        return by_sd, by_count

    def compare(self, path, name, replicates):
        """The reference has its own number of replicates."""
        reference = rows(DATA / "bt" / f"{name}.csv")
        ours = self.rate(path, replicates[0])
        self.assertEqual(set(ours), {row["name"] for row in reference})
        for row in reference:
            self.assertLess(abs(float(ours[row["name"]]["rating"]) - float(row["elo"])), 1e-6)
        by_sd, by_count = self.deviations(ours, reference, replicates)
        self.assertLess(max(by_sd.values()), 4)
        self.assertLess(max(by_count.values()), 4)
        # Uncertainties off by 5 % would be seen.
        wrong, _ = self.deviations(ours, reference, replicates, factor=1.05)
        self.assertGreater(max(wrong.values()), 4)

    def test_a_year_of_simulated_results(self):
        path = self.shared("data/pgn/floodgate2016_schedule_simulated.pgn")
        self.compare(path, "floodgate2016_schedule_simulated", (10000, 10000))

    def test_few_games(self):
        # Two players have the most games, 15; the first in the file is the reference's, too.
        self.compare(SMALL / "sparse.pgn", "sparse", (10000, 1000))

    def test_championship_stages(self):
        for pgn, name in (("Season_6_-_Stage_2", "S6_Stage_2"),
                          ("Season_9_-_Stage_1a", "S9_Stage_1a")):
            with self.subTest(name):
                path = self.shared(f"data/pgn/TCEC_{pgn}.pgn")
                reference = rows(self.shared(f"reference/paired/{name}_ability.csv"))
                anchor = next(row["name"] for row in reference if float(row["ability"]) == 0)
                ours = self.rate(path, 8, scale=f"reference = {harness.toml_text(anchor)}")
                (self.folder / "out.h5").unlink()
                self.assertEqual(set(ours), {row["name"] for row in reference})
                for row in reference:
                    mine = float(ours[row["name"]]["rating"])
                    self.assertLess(abs(mine - float(row["elo"])), 1e-6, row["name"])

    def standing(self, name, **keywords):
        self.rate(SMALL / f"{name}.pgn", 8, **keywords)
        return {row["name"]: row["standing"] for row in self.table("out.h5")}

    def test_who_is_rated(self):
        rated = {"A": "rated", "B": "rated", "C": "rated"}
        for name, others in (("base", {}), ("allwin", {"X"}), ("chain_allwin", {"X", "Z"}),
                             ("two_groups", {"P", "Q"}), ("longname", set())):
            with self.subTest(name):
                standing = self.standing(name)
                (self.folder / "out.h5").unlink()
                listed = {p: s for p, s in standing.items() if s == "rated"}
                if name != "longname":
                    self.assertEqual(listed, rated)
                    self.assertEqual(set(standing) - set(rated), set(others))
                else:
                    self.assertEqual(set(listed), {*rated, "L" * 2000})

    def test_names_keep_their_bytes(self):
        self.assertEqual(set(self.standing("unicode")), {"技巧", "Ponanza☗", 'Gikou "2" x'})

    def test_bad_records_are_an_error_or_skipped_and_listed(self):
        self.pairs_config([SMALL / "badres.pgn"], scale="mean = 0")
        answer = self.call("run", "config.toml", expect=INPUT)
        self.assertIn('badres.pgn:183: the result "1 - 0" is not understood', answer.err)
        self.assertFalse((self.folder / "out.h5").exists())
        self.pairs_config([SMALL / "badres.pgn"], scale="mean = 0",
                          games_keys='bad_records = "skip"')
        self.assertIn("badres.pgn:183: the result", self.call("check", "config.toml").out)

    def test_one_game_and_no_game_are_refused(self):
        for name in ("one_game", "empty"):
            self.pairs_config([SMALL / f"{name}.pgn"], scale="mean = 0")
            self.call("run", "config.toml", expect=INPUT)

    def test_the_digest_covers_what_was_read(self):
        games = self.write("games.pgn", (SMALL / "base.pgn").read_bytes())
        self.pairs_config(["games.pgn"], scale="mean = 0")
        self.call("run", "config.toml", "--quiet")
        games.write_bytes((SMALL / "dup.pgn").read_bytes())
        self.assertIn("holds another run", self.call("run", "config.toml", expect=INPUT).err)


if __name__ == "__main__":
    harness.main()
