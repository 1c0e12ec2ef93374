"""reflection_sweep through the program: references, the study's claims, Monte Carlo, mistakes."""

import csv
import os
import re
import subprocess
import sys
from collections import defaultdict

import harness
from harness import CONFIGS, DATA, INPUT, SOURCE, Case, banzuke

RULES = {"hn3": (191.6, "[1, 0, -1]", 0.5), "ht4": (262.1, "[2, 1, 0, -3]", 0.5),
         "hn4": (194.5, "[2, 1, 0, -3]", 1.0)}


def reference(name):
    with open(DATA / "reflection" / name, newline="") as file:
        return list(csv.DictReader(file))


def rule(name, alpha, payoff, extra=""):
    return f'\n[[rule]]\nname = "{name}"\nalpha = {alpha}\npayoff = {payoff}\n{extra}\n'


def study_rules():
    return "".join(rule(name, alpha, payoff, f"relative_length = {length}")
                   for name, (alpha, payoff, length) in RULES.items())


class ReflectionCase(Case):
    def config(self, methods, games, rules, top="", name="config.toml"):
        methods = ", ".join(f'"{method}"' for method in methods)
        return self.write(name, f'job = "reflection_sweep"\nmethods = [{methods}]\nN = {games}\n'
                                f'output = "out.h5"\n{top}\n{rules}')

    def sweep(self, *arguments, **keywords):
        """Runs a config; its rows by (rule, N, method)."""
        self.config(*arguments, **keywords)
        self.call("run", "config.toml", "--quiet")
        return self.rows()

    def rows(self):
        return {(row["rule"], int(row["N"]), row["method"]): row for row in self.table("out.h5")}


class References(ReflectionCase):
    def test_main_and_reverse(self):
        rows = reference("reflect_main.csv")
        games = sorted({int(row["N"]) for row in rows})
        found = self.sweep(["exact"], games, study_rules())
        self.assertEqual(len(rows), 42)
        for row in rows:
            own = found[row["rule"], int(row["N"]), "exact"]
            for column, wanted in [("p_positive", "P_pos_given_skillpos"),
                                   ("p_zero", "P_zero_given_skillpos"),
                                   ("p_half", "P_half_given_skillpos"),
                                   ("p_skill_positive", "P_skillpos")]:
                self.assertLess(abs(float(own[column]) - float(row[wanted])), 1e-12, row)
            self.assertEqual(own["status"], "ok")
            self.assertLess(float(own["error"]), 1e-12)
        for row in reference("reverse_prob.csv"):
            own = found[row["rule"], int(row["N"]), "exact"]
            self.assertLess(abs(float(own["p_reverse"]) - float(row["P_xpos_given_ypos"])), 1e-12)
            self.assertLess(abs(float(own["p_score_positive"]) - float(row["P_y_pos"])), 1e-12)

    def test_closed_form(self):
        rows = reference("reflect_k3_closed.csv")
        alphas = {row["rule"]: row["alpha"] for row in rows}
        games = sorted({int(row["N"]) for row in rows})
        found = self.sweep(["exact"], games, "".join(
            rule(name, alpha, "[1, 0, -1]") for name, alpha in alphas.items()))
        self.assertEqual(len(rows), 71)
        for row in rows:
            own = found[row["rule"], int(row["N"]), "exact"]
            self.assertLess(abs(float(own["p_half"]) - float(row["P_half_given_skillpos"])), 1e-12)
            self.assertLess(abs(float(own["p_zero"]) - float(row["P_zero_given_skillpos"])), 1e-12)

    def test_head_to_head(self):
        rows = reference("h2h.csv")
        games = sorted({int(row["N"]) for row in rows})
        found = self.sweep(["head_to_head"], games, study_rules())
        for row in rows:
            own = found[row["rule"], int(row["N"]), "head_to_head"]
            for column, wanted in [("p_positive", "P_strict"), ("p_zero", "P_tie"),
                                   ("p_half", "P_half")]:
                self.assertLess(abs(float(own[column]) - float(row[wanted])), 1e-12, row)

    def test_thresholds(self):
        self.sweep(["exact"], 1, study_rules())
        found = defaultdict(dict)
        text = self.call("table", "out.h5", "thresholds", "--format", "csv").out
        for row in csv.DictReader(text.splitlines()):
            found[row["rule"], row["target"]][row["convention"]] = row
        compared = 0
        for row in reference("N_thresholds.csv"):
            own = found.get((row["rule"], str(float(row["target"]))))
            if not own:
                continue
            compared += 1
            for convention, suffix, p in [("half_tie", "half", "P_half"),
                                          ("strict", "strict", "P_strict")]:
                self.assertEqual(own[convention]["N"], row[f"N_min_{suffix}"], row)
                self.assertLess(abs(float(own[convention]["p_at_N"]) - float(row[f"{p}_at_N"])),
                                1e-12)
                self.assertLess(abs(float(own[convention]["p_at_N_minus_1"])
                                    - float(row[f"{p}_at_N_minus_1"])), 1e-12)
        self.assertEqual(compared, 12)
        self.assertEqual(found["ht4", "0.99"]["half_tie"]["N"], "1049207")
        # One game of hn4 already shows more than 62 % with a tie as half, but games 2 to 112 less.
        self.assertEqual(found["hn4", "0.62"]["half_tie"]["N_first"], "1")
        self.assertEqual(found["hn4", "0.62"]["half_tie"]["N"], "113")

    def test_exchange_and_time(self):
        self.sweep(["exact"], 1, study_rules())
        text = self.call("table", "out.h5", "exchange", "--format", "csv").out
        rows = {(row["rule"], row["N"], row["convention"], row["other_rule"]): row
                for row in csv.DictReader(text.splitlines())}
        self.assertEqual(len(rows), 2 * 3 * 3 * 2)
        row = rows["hn3", "100", "half_tie", "ht4"]
        other = int(row["other_N"])
        found = self.sweep_again([other - 1, other])
        self.assertLess(found["ht4", other - 1], float(row["p"]))
        self.assertGreaterEqual(found["ht4", other], float(row["p"]))
        self.assertAlmostEqual(float(row["games_ratio"]), other / 100)
        self.assertAlmostEqual(float(rows["hn4", "100", "half_tie", "hn3"]["time_ratio"]),
                               0.5 * int(rows["hn4", "100", "half_tie", "hn3"]["other_N"]) / 100)
        text = self.call("table", "out.h5", "time", "--format", "csv").out
        times = {(row["rule"], row["playing_time"]): row for row in csv.DictReader(text.splitlines())}
        self.assertEqual(times["hn3", "100"]["N"], "200")
        self.assertEqual(times["hn4", "100"]["N"], "100")
        wrong = banzuke("table", "out.h5", "threshold", cwd=self.folder)
        self.assertEqual(wrong.code, INPUT)
        self.assertIn("thresholds", wrong.err)

    def sweep_again(self, games):
        (self.folder / "out.h5").unlink()
        found = self.sweep(["exact"], games, study_rules())
        return {key[:2]: float(row["p_half"]) for key, row in found.items()}


class Claims(ReflectionCase):
    """The study's, each with the convention under which it holds."""

    def test_claims(self):
        self.config(["exact", "normal"], "{ from = 1, to = 320, step = 1 }", study_rules())
        self.call("run", "config.toml", "--quiet")
        found = self.rows()

        def p(name, games, column="p_half", method="exact"):
            return float(found[name, games, method][column])

        # "About 62 % after 100 games": the normal approximation, conditional on positive skill.
        for name, value in [("hn3", 0.626), ("ht4", 0.596), ("hn4", 0.610)]:
            self.assertAlmostEqual(p(name, 100, method="normal"), value, delta=5e-4)
        # The conventions differ by 0.045 at N = 100 with payoffs (1, 0, -1).
        self.assertAlmostEqual(p("hn3", 100, "p_not_negative") - p("hn3", 100, "p_positive"),
                               0.045, delta=5e-4)

        def by_games(games, column):
            return p("hn3", games, column) > p("hn4", games, column) > p("ht4", games, column)

        def by_time(games, column):
            return p("hn3", 2 * games, column) > p("ht4", 2 * games, column) > p(
                "hn4", games, column)

        for order, column, first, last in [(by_games, "p_half", 27, 320),
                                           (by_games, "p_positive", 108, 320),
                                           (by_time, "p_half", 7, 160)]:
            self.assertFalse(order(first - 1, column), (order, column))
            for games in range(first, last + 1):
                self.assertTrue(order(games, column), (order, column, games))

    def test_nothing_over_95_percent_after_5000_games(self):
        found = self.sweep(["exact", "normal", "arctan"], [5000], study_rules())
        for row in found.values():
            self.assertLess(float(row["p_not_negative"]), 0.95, row)
        self.assertGreater(float(found["hn3", 5000, "exact"]["p_half"]), 0.89)


class MonteCarlo(ReflectionCase):
    def deviations(self, sampling, alpha=1.0, draws=4096):
        """(estimate - exact) / standard error; the exact values with alphas times `alpha`."""
        (self.folder / "out.h5").unlink(missing_ok=True)
        exact = self.sweep(["exact"], 100, "".join(
            rule(name, a * alpha, payoff) for name, (a, payoff, _) in RULES.items()))
        (self.folder / "out.h5").unlink()
        found = self.sweep(["monte_carlo"], 100, study_rules(),
                           top=f'seed = 21\nreplicates = 64\n[monte_carlo]\n'
                               f'sampling = "{sampling}"\ndraws = {draws}')
        deviations = []
        for name in RULES:
            row, wanted = found[name, 100, "monte_carlo"], exact[name, 100, "exact"]
            self.assertEqual((row["replicates"], row["route"]), ("64", sampling))
            deviations.append((float(row["p_half"]) - float(wanted["p_half"]))
                              / float(row["error_half"]))
            deviations.append((float(row["p_positive"]) - float(wanted["p_positive"]))
                              / float(row["error"]))
        return deviations

    def test_agrees_within_4_standard_errors_and_rejects_a_wrong_alpha(self):
        for sampling, draws in [("plain", 4096), ("rao_blackwell", 256), ("sobol", 256)]:
            with self.subTest(sampling):
                for deviation in self.deviations(sampling, draws=draws):
                    self.assertLess(abs(deviation), 4)
                self.assertTrue(all(abs(deviation) > 4 for deviation in
                                    self.deviations(sampling, alpha=1.3, draws=draws)))

    def test_adaptive_stop(self):
        def stopped_at(standard_error, replicates):
            (self.folder / "out.h5").unlink(missing_ok=True)
            found = self.sweep(["exact", "monte_carlo"], [10, 100], study_rules(),
                               top=f"seed = 3\nreplicates = {replicates}\n[monte_carlo]\n"
                                   f"draws = 256\nstandard_error = {standard_error}")
            self.assertNotIn("missing", self.call("status", "out.h5").out)
            rows = [row for key, row in found.items() if key[2] == "monte_carlo"]
            for row in rows:
                done = int(row["replicates"])
                self.assertIn(done, [32, 64, 128, 256, 512, replicates])
                if done < replicates:
                    self.assertLessEqual(max(float(row["error"]), float(row["error_half"])),
                                         standard_error)
            return [int(row["replicates"]) for row in rows]
        coarse = stopped_at(0.008, 1000)
        fine = stopped_at(0.004, 1000)
        self.assertLess(max(coarse), 1000)
        self.assertTrue(all(a < b for a, b in zip(coarse, fine)), (coarse, fine))
        self.assertEqual(stopped_at(1e-6, 50), [50] * 6)

    def test_replicates_only_with_monte_carlo(self):
        self.config(["exact"], 10, study_rules(), top="replicates = 500")
        self.assertIn("replicates is for the method monte_carlo", self.call(
            "check", "config.toml").out)
        self.call("run", "config.toml", "--quiet")
        self.assertIn("1 replicates, 3 of 3", self.call("status", "out.h5").out)


class Fallbacks(ReflectionCase):
    def test_mean_payoff_off_the_centre_is_told(self):
        self.config(["exact", "arctan"], [10, 11], rule("off", 30, "[3, 1, -2]"))
        told = self.call("check", "config.toml").out
        self.assertIn('note: the mean payoff of "off" lies 0.666667 above the centre', told)
        self.call("run", "config.toml", "--quiet")
        text = self.call("table", "out.h5").out
        self.assertIn("p_skill_positive", text)
        self.assertIn("arctan, not_centred: this law holds for payoffs whose mean", text)
        rows = self.rows()
        self.assertGreater(float(rows["off", 10, "exact"]["p_skill_positive"]), 0.99)
        self.assertEqual(rows["off", 10, "arctan"]["status"], "not_centred")
        self.assertEqual(rows["off", 10, "arctan"]["p_positive"], "")
        self.assertIn('set centre = "mean"', rows["off", 10, "arctan"]["remark"])

    def test_payoffs_without_a_lattice_are_estimated(self):
        """1/3 has no nine decimals; the rule next to it, with 3 decimals, is nearly the same."""
        found = self.sweep(["exact", "head_to_head"], [5, 200],
                           rule("odd", 100, "[1, 0.33333333333333331, -1.3333333333333333]")
                           + rule("even", 100, "[1, 0.333, -1.333]"), top="seed = 8")
        few, many = (found["odd", n, "exact"] for n in (5, 200))
        self.assertEqual((few["status"], few["route"]), ("ok", "direct_sum"))
        self.assertEqual((many["status"], many["route"]), ("estimated", "plain"))
        self.assertIn("standard error", many["remark"])
        error = float(many["error"])
        self.assertGreater(error, 1e-5)
        even = found["even", 200, "exact"]
        self.assertEqual(even["status"], "ok")
        # The lattices differ in their ties: compare what a tie does not move.
        self.assertLess(abs(float(many["p_half"]) - float(even["p_half"])), 4 * error + 2e-3)
        self.assertEqual(found["odd", 200, "head_to_head"]["status"], "not_lattice")
        self.assertIn("estimated", self.call("table", "out.h5").out)

    def test_small_alphas_are_estimated(self):
        """Six outcomes, alpha 2: too many nodes for the exact sums, and skill is symmetric."""
        found = self.sweep(["exact"], [1000, 100000],
                           rule("six", 2, "[5, 3, 1, -1, -3, -5]"), top="seed = 4")
        self.assertEqual(found["six", 1000, "exact"]["status"], "ok")
        row = found["six", 100000, "exact"]
        self.assertEqual((row["status"], row["route"]), ("estimated", "sobol"))
        # P grows with N, and 1 - P falls as 1 / sqrt(N) (the arctan law): a tenth of that at 1,000.
        wanted = 1 - (1 - float(found["six", 1000, "exact"]["p_half"])) / 10
        self.assertLess(abs(float(row["p_half"]) - wanted), 4 * float(row["error"]) + 1e-4)
        self.assertLess(float(row["error"]), 3e-4)

    def test_sampling_falls_back_to_plain(self):
        self.config(["monte_carlo"], 20, rule("odd", 100, "[1, 0.3333333333333333, -1.5]"),
                    top='seed = 1\nreplicates = 40\n[monte_carlo]\nsampling = "sobol"\ndraws = 64')
        self.assertIn('drawn with sampling = "plain"', self.call("check", "config.toml").out)
        self.call("run", "config.toml", "--quiet")
        self.assertEqual(self.rows()["odd", 20, "monte_carlo"]["route"], "plain")

    def test_another_rule_adds_points(self):
        first = rule("hn3", 191.6, "[1, 0, -1]")
        rows = self.sweep(["exact", "arctan"], [1, 10], first)
        more = self.sweep(["exact", "arctan"], [1, 10], first + rule("hn4", 194.5, "[2, 1, 0, -3]"))
        self.assertEqual({key: more[key] for key in rows}, rows)
        self.assertEqual(len(more), 2 * len(rows))
        digest = self.digest("out.h5")
        (self.folder / "out.h5").unlink()
        self.call("run", "config.toml", "--quiet", ranks=2)
        self.assertEqual(self.digest("out.h5"), digest)


class Mistakes(ReflectionCase):
    def refuses(self, *expected):
        for verb in ("check", "run"):
            answer = banzuke(verb, "config.toml", cwd=self.folder)
            self.assertEqual(answer.code, INPUT, answer)
            self.assertEqual(len(answer.err.splitlines()), 1, answer)
            for text in expected:
                self.assertIn(text, answer.err)
        self.assertFalse((self.folder / "out.h5").exists())

    def test_rules(self):
        for text, *expected in [
                (rule("a", 5, "[1, 1, 1]"), "all payoffs of rule 'a' are 1", "config.toml:10:"),
                (rule("a", 0, "[1, 0, -1]"), "alpha = 0", "positive", "config.toml:9:"),
                (rule("a", "[3, -2, 3]", "[1, 0, -1]"), "alpha = -2", "config.toml:9:"),
                (rule("a", "[3, 2]", "[1, 0, -1]"), "2 values of alpha for 3 payoffs"),
                (rule("a", 5, "[3, 1, 0]"), 'set centre = "mean"', "one side of the centre"),
                (rule("a", 5, "[1]"), "2 to 18 outcomes"),
                (rule("a", 5, "[1, 0, -1]", 'centre = "meen"'), 'did you mean "mean"?'),
                (rule("a", 5, "[1, 0, -1]", "centre = 1"), "centre"),
                (rule("a", 5, "[1, 0, -1]", "relative_length = 0"), "a game takes some time"),
                (rule("a", 5, "[1, 0, -1]", "length = 2"), 'unknown key "rule[0].length"'),
                (rule("a", 5, "[1, 0, -1]") * 2, 'two rules are called "a"'),
                ("", "there is no rule", "[[rule]]")]:
            with self.subTest(text):
                self.config(["exact"], 10, text)
                self.refuses(*expected)

    def test_games_and_methods(self):
        good = rule("a", 5, "[1, 0, -1]")
        for methods, games, expected in [
                (["exact"], 0, '"N" is out of range'), (["exact"], "1e12", '"N" is out of range'),
                (["exact"], 2.5, '"N" must be whole numbers'),
                (["exact"], [5, 6, 5], "N = 5 is listed twice"),
                (["exact"], -3, "give from 1 to 1000000000"),
                (["exakt"], 5, 'did you mean "exact"?'),
                (["exact", "exact"], 5, "listed twice"),
                (["monte_carlo"], 5, 'the key "seed" is missing')]:
            with self.subTest(expected):
                self.config(methods, games, good)
                self.refuses(expected)

    def test_monte_carlo_keys(self):
        good = rule("a", 5, "[1, 0, -1]")
        for top, methods, expected in [
                ("seed = 1", ["monte_carlo"], 'the key "replicates" is missing'),
                ("seed = 1\nreplicates = 5\n[monte_carlo]\ndraws = 100", ["monte_carlo"],
                 "a multiple of 64 draws"),
                ('seed = 1\nreplicates = 5\n[monte_carlo]\nsampling = "sobol"\ndraws = 192',
                 ["monte_carlo"], "a power of two"),
                ('seed = 1\nreplicates = 5\n[monte_carlo]\nsampling = "sobel"', ["monte_carlo"],
                 'did you mean "sobol"?'),
                ("[monte_carlo]\ndraws = 64", ["exact"], "without the method monte_carlo")]:
            with self.subTest(top):
                self.config(methods, 5, good, top=top)
                self.refuses(expected)


class Shipped(ReflectionCase):
    def test_configs_are_good(self):
        for path in sorted(CONFIGS.glob("reflection_*.toml")):
            self.call("check", path)

    def test_published_alphas(self):
        with open(DATA / "alpha" / "alpha_published.csv", newline="") as file:
            published = {row["rule"]: row["alpha"] for row in csv.DictReader(file)}
        text = (CONFIGS / "reflection_tenhou8.toml").read_text()
        ours = dict(re.findall(r"# (\S+)\nalpha = (\S+)", text))
        self.assertEqual(ours, published)

    def test_plots(self):
        self.call("run", CONFIGS / "reflection_sweep.smoke.toml", "-o", "smoke.h5", "--quiet")
        done = subprocess.run([sys.executable, SOURCE / "scripts" / "plot_reflection", "smoke.h5",
                               "plots"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "MPLCONFIGDIR": str(self.folder)})
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("games", "time", "few_games"):
            picture = (self.folder / "plots" / f"smoke_{name}.png").read_bytes()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(len(picture), 20000)


if __name__ == "__main__":
    harness.main()
