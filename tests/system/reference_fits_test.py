"""The table beside fits of R's glm and BTm at 17 digits, and Monte Carlo beside R's."""

import csv
import math

import harness
from harness import DATA, Case

PAIRED = DATA / "paired"


def reference(name):
    with open(PAIRED / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class ReferenceFits(Case):
    def stored(self, file, *names):
        """Numbers of the set-up, read from the file; nothing where there is no h5py."""
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is missing: log-likelihoods are not compared")
        with h5py.File(self.folder / file, "r") as results:
            return [results[f"setup/{name}"][()].item() for name in names]

    def fit(self, pairs, anchor, games_keys=""):
        self.pairs_config([PAIRED / pairs], scale=f'reference = "{anchor}"', replicates=8,
                          games_keys=games_keys)
        self.call("run", "config.toml", "--quiet")
        return self.ratings("out.h5")

    def compare(self, ours, rows, rating_tolerance, error_tolerance=1e-6):
        self.assertEqual(set(ours), {row["name"] for row in rows})
        for row in rows:
            name = row["name"]
            self.assertLess(abs(float(ours[name]["rating"]) - float(row["elo"])),
                            rating_tolerance, name)
            error = float(row["elo_se"])
            self.assertLessEqual(abs(float(ours[name]["standard_error"]) - error),
                                 error_tolerance * error, name)

    def compare_summary(self, fit, with_deviance=False):
        summary = next(row for row in reference("SUMMARY") if row["fit"] == fit)
        log_likelihood, deviance = self.stored("out.h5", "log_likelihood", "deviance")
        self.assertLess(abs(log_likelihood - float(summary["loglik_no_binom_coef"])), 1e-8)
        if with_deviance:  # where R's rows are pair totals, too
            self.assertLess(abs(deviance - float(summary["deviance"])), 1e-7)

    def test_baseball(self):
        columns = ('[games.columns]\nplayer1 = "home.team"\nplayer2 = "away.team"\n'
                   'wins1 = "home.wins"\nwins2 = "away.wins"')
        ours = self.fit("baseball.csv", "Baltimore", games_keys=columns)
        self.compare(ours, reference("baseball_ability"), 1e-7)
        self.compare_summary("baseball")

    def test_citations(self):
        ours = self.fit("citations_pairs.csv", "Biometrika")
        self.compare(ours, reference("citations_refBiometrika_ability"), 1e-7)
        self.compare_summary("citations_refBiometrika", with_deviance=True)

    def test_ice_hockey_ties_half(self):
        ours = self.fit("icehockey_pairs_tiehalf.csv", "Alaska")
        self.compare(ours, reference("icehockey_tiehalf_ability"), 1e-7)
        self.compare_summary("icehockey_tiehalf")

    def test_football_ties_half(self):
        for pairs in ("football_all_pairs_win_tie_loss.csv", "football_all_pairs_tiehalf.csv"):
            with self.subTest(pairs):
                ours = self.fit(pairs, "Ars")
                self.compare(ours, reference("football_all_tiehalf_ability"), 1e-7)
                self.compare_summary("football_all_tiehalf")
                (self.folder / "out.h5").unlink()

    def test_parties_ties_dropped(self):
        ours = self.fit("GermanParties2009_pairs.csv", "none", games_keys='draws = "drop"')
        self.compare(ours, reference("GermanParties2009_tiedropped_ability"), 1e-7)
        self.compare_summary("GermanParties2009_tiedropped", with_deviance=True)

    def test_engine_championship(self):
        for stage, anchor in (("S6_Stage_2", "Chiron 2"), ("S9_Stage_1a", "Bobcat 7.6")):
            with self.subTest(stage):
                ours = self.fit(f"{stage}_pairs.csv", anchor)
                self.compare(ours, reference(f"{stage}_ability"), 1e-6)
                fit = reference(f"{stage}_fit")[0]
                self.assertLess(abs(self.stored("out.h5", "log_likelihood")[0] -
                                    float(fit["loglik"])), 1e-9)
                unrated = {row["name"] for row in self.table("out.h5") if not row["rank"]}
                self.assertEqual(unrated, {row["dropped"] for row in reference(f"{stage}_dropped")
                                           if row["dropped"]})
                (self.folder / "out.h5").unlink()


class MonteCarlo(Case):
    """200,000 replicates: every sd and bias within 4 combined standard errors of R's."""

    def scores(self, pairs, anchor, mc, games_keys=""):
        self.pairs_config([PAIRED / pairs], scale=f'reference = "{anchor}"', replicates=200000,
                          games_keys=games_keys)
        self.call("run", "config.toml", "--quiet")
        ours = self.ratings("out.h5")
        scores = {}
        for row in reference(mc):
            mine = ours[row["name"]]
            sd, their_sd = float(mine["standard_uncertainty"]), float(row["mc_elo_sd"])
            their_error = float(row["rel_err_of_sd"]) * their_sd
            error = math.hypot(float(mine["standard_uncertainty_error"]), their_error)
            bias_error = math.hypot(sd / math.sqrt(float(mine["replicates_valid"])),
                                    their_sd / math.sqrt(float(row["replicates_connected"])))
            scores[row["name"]] = {
                "sd": (sd - their_sd) / error,
                "bias": (float(mine["bias"]) - float(row["mc_elo_bias"])) / bias_error,
                # Wrong answers: an sd off by 1 %, Fisher's error in its place, no bias.
                "off": (1.01 * sd - their_sd) / error,
                "fisher": (float(mine["standard_error"]) - their_sd) / error,
                "no bias": float(row["mc_elo_bias"]) / bias_error}
        return scores

    def check(self, scores, *wrong_answers):
        for name, score in scores.items():
            self.assertLess(abs(score["sd"]), 4, f"{name}: {score}")
            self.assertLess(abs(score["bias"]), 4, f"{name}: {score}")
        for wrong in wrong_answers:
            self.assertGreater(max(abs(score[wrong]) for score in scores.values()), 4,
                               "the comparison could not tell a wrong answer")

    def test_baseball(self):
        columns = ('[games.columns]\nplayer1 = "home.team"\nplayer2 = "away.team"\n'
                   'wins1 = "home.wins"\nwins2 = "away.wins"')
        self.check(self.scores("baseball.csv", "Baltimore", "baseball_mc", columns),
                   "off", "fisher", "no bias")

    def test_citations(self):
        self.check(self.scores("citations_pairs.csv", "Biometrika",
                               "citations_refBiometrika_mc"), "off")


if __name__ == "__main__":
    harness.main()
