"""`table` in its formats: the same numbers, labels in words, order and columns as asked."""

import csv
import io
import json
import math
import re

import h5py

import harness
from harness import BUG, CONFIGS, DONE, INPUT, Case, job_names

FORMATS = ("text", "csv", "markdown", "json", "latex")


class Tables(Case):
    def run_smoke(self, job, *arguments):
        self.call("run", CONFIGS / f"{job}.smoke.toml", "-o", "out.h5", "--threads", 1, "--quiet",
                  *arguments)

    def run_small(self, job):
        """The smoke run; of the reflection sweep with rules whose answers are quick."""
        if job == "reflection_sweep":
            self.call("run", CONFIGS / "reflection_tenhou.toml", "-o", "out.h5", "--quiet", "--set",
                      "N=[1,10,100]")
        else:
            self.run_smoke(job)

    def tabulate(self, format, *arguments, **keywords):
        return self.call("table", "out.h5", *arguments, "--format", format, **keywords).out

    def json(self, *arguments):
        return json.loads(self.tabulate("json", *arguments))

    def csv(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.tabulate("csv", *arguments), newline="")))

    def check_markdown(self, text):
        lines = [line for line in text.splitlines() if line.startswith("|")]
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        self.assertTrue(lines)
        self.assertLessEqual(len(widths), 4, widths)  # tables below one another
        self.assertTrue(any(set(line) <= set("|:-") for line in lines))

    def check_latex(self, text):
        for name in ("table", "tabular"):
            self.assertEqual(text.count(f"\\begin{{{name}}}"), text.count(f"\\end{{{name}}}"))
        self.assertGreater(text.count("\\toprule"), 0)
        for part in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text,
                               re.DOTALL):
            for line in part[1].splitlines():
                if line.endswith("\\\\"):
                    self.assertEqual(len(re.findall(r"(?<!\\)&", line)) + 1, len(part[0]), line)
        body = re.sub(r"\\[&%$#_{}]", "", text.split("\n", 1)[1])
        self.assertNotRegex(body, r"[%#]|(?<!\\)_")
        self.assertEqual(body.count("{"), body.count("}"))
        self.assertEqual(body.count("$") % 2, 0)

    def test_formats_of_every_job_agree(self):
        for job in job_names():
            self.run_small(job)
            report, rows = self.json(), self.csv()
            self.assertEqual([c["name"] for c in report["columns"]], list(rows[0]), job)
            self.assertEqual(len(report["rows"]), len(rows))
            for ours, theirs in zip(report["rows"], rows):
                for name, value in ours.items():
                    if value is None:
                        self.assertEqual(theirs[name], "", f"{job}: {name}")
                    elif isinstance(value, str):
                        self.assertEqual(theirs[name], value)
                    else:
                        self.assertEqual(float(theirs[name]), value)
            self.assertTrue(report["finished"], job)
            for column in report["columns"]:
                self.assertTrue(column["meaning"], f"{job}: {column}")
                what = column["meaning"]
                if re.match("(Monte Carlo |binomial |mean |posterior )?standard (error|uncertainty|"
                            "deviation)", what):
                    self.assertIn("sigma", what, f"{job}: {column}")
                if "interval" in what:
                    self.assertRegex(what, r"\d+(\.\d)? %|68.3 %", f"{job}: {column}")
            text = self.tabulate("text")
            notes = " ".join(report["notes"] + [n for s in report["sections"] for n in s["notes"]])
            if job != "selfcheck" and job != "discrete_posterior":
                self.assertTrue(notes, job)
            said = re.sub(r"[\s;.]+", " ", text)
            for note in report["notes"][:3]:
                self.assertIn(re.sub(r"[\s;.]+", " ", note).strip(), said)
            self.check_markdown(self.tabulate("markdown"))
            self.check_latex(self.tabulate("latex"))
            (self.folder / "out.h5").unlink()

    def test_unfinished_files_say_so(self):
        for job in job_names():
            self.run_small(job)
            with h5py.File(self.folder / "out.h5", "r+") as file:
                status = file["records/status"]
                points, rows = status.shape
                status[points - 1, rows // 2:] = 0
            left = rows - rows // 2
            report = self.json()
            self.assertFalse(report["finished"], job)
            self.assertLess(report["done"], report["total"])
            if report["counted"] == "replicates":
                self.assertEqual(report["total"] - report["done"], left)
            for format in ("text", "markdown", "latex"):
                text = self.tabulate(format)
                self.assertRegex(text, r"UNFINISHED|\d+ of \d+ (replicates|rows|fits)", job)
            rows = self.csv()
            if "replicates_done" in rows[0]:
                self.assertTrue(any(row["replicates_done"] != row["replicates_total"]
                                    for row in rows), job)
            else:
                self.assertTrue(any("missing" in row.values() for row in rows), job)
            (self.folder / "out.h5").unlink()

    def test_order_choice_and_decimals(self):
        self.call("run", CONFIGS / "bt_baseball.toml", "-o", "out.h5", "--quiet", "--set",
                  "replicates=200")
        rows = self.csv("--sort", "-standard_uncertainty", "--columns", "name,standard_uncertainty",
                        "--top", 4)
        self.assertEqual(list(rows[0]), ["name", "standard_uncertainty"])
        found = [float(row["standard_uncertainty"]) for row in rows]
        self.assertEqual((len(found), found), (4, sorted(found, reverse=True)))
        every = sorted((row["standard_uncertainty"] for row in self.csv()), key=float)
        self.assertEqual([row["standard_uncertainty"] for row in rows], every[::-1][:4])
        self.assertEqual([row["name"] for row in self.csv("--sort", "name")],
                         sorted(row["name"] for row in self.csv()))
        text = self.tabulate("text", "--columns", "rank,name,rating", "--decimals", 3, "--sort",
                             "rating", "--top", 2)
        lines = text.split("\n\n")[1].splitlines()
        self.assertEqual(lines[0].split(), ["rank", "name", "rating"])
        self.assertEqual(lines[1].split(), ["7", "Baltimore", "0.000"])
        self.assertRegex(lines[2], r"^   6  Cleveland  118\.\d{3}$")
        one = self.csv("--decimals", 1)[0]
        self.assertRegex(one["standard_error"], r"^\d+\.\d$")
        self.assertEqual(one["games"], "78")
        # Headings are names as well, and what is not usually shown is explained.
        text = self.tabulate("markdown", "--columns", "name, uncertainty, quantile_97.5")
        self.assertIn("| name | uncertainty | 97.5 % |", text)
        self.assertIn("97.5 % of the replicates", text)

    def test_missing_values_come_last(self):
        self.call("run", CONFIGS / "bt_floodgate_2016h1.toml", "-o", "out.h5", "--quiet", "--set",
                  "replicates=50")
        for sort in ("ratio", "-ratio"):
            values = [row["ratio"] for row in self.csv("--sort", sort, "--columns", "name,ratio")]
            known = [float(value) for value in values if value]
            self.assertTrue(known and "" in values)
            self.assertEqual(values[len(known):], [""] * (len(values) - len(known)))
            self.assertEqual(known, sorted(known, reverse=sort[0] == "-"))

    def test_sections_are_sorted_and_cut_each(self):
        self.run_smoke("rank_posterior")
        rows = self.csv("--sort", "-games", "--top", 2)
        payoffs = [row["payoff"] for row in rows]
        self.assertEqual(len(rows), 2 * len(set(payoffs)))
        for payoff in set(payoffs):
            games = [int(row["games"]) for row in rows if row["payoff"] == payoff]
            self.assertEqual(games, sorted(games, reverse=True))
        point = self.csv("--point", 1)
        self.assertEqual({row["payoff"] for row in point}, {payoffs[2]})
        self.assertEqual(point, self.csv("--point", payoffs[2]))

    def test_unknown_names(self):
        self.run_smoke("selfcheck")
        self.assertIn('did you mean "quantity"?',
                      self.tabulate_error("--columns", "quantiyt"))
        self.assertIn('there is no column "nothing"', self.tabulate_error("--sort", "nothing"))
        self.assertIn("the columns are quantity, ", self.tabulate_error("--sort", "-nothing"))
        self.assertIn("there is no point", self.tabulate_error("--point", "nowhere"))
        self.assertIn("not by point", self.tabulate_error("--point", 0))

    def tabulate_error(self, *arguments):
        return self.call("table", "out.h5", *arguments, expect=INPUT).err

    def test_names_with_marks_of_the_languages(self):
        names = ["A|b_c*", "50% & $2 #1", "[x] {y} \\z", "ö~^<>\"q\"", "&lt; ?`A--B---C"]
        rows = "".join(f'"{a}","{b}",5,4\n'.replace('q"', 'q""').replace('"q""', '""q""')
                       for i, a in enumerate(names) for b in names[i + 1:])
        games = "player1,player2,wins1,wins2\n" + rows
        self.pairs_config(games, scale="mean = 0")
        self.call("run", "config.toml", "--quiet")
        latex = self.tabulate("latex")
        self.check_latex(latex)
        self.assertIn("\\char34{}q\\char34{}", latex)  # also in the default encoding, OT1
        self.assertIn("\\&lt; ?{`}A-{}-B-{}-{}-C", latex)
        markdown = self.tabulate("markdown")
        self.check_markdown(markdown)
        self.assertIn("A\\|b\\_c\\*", markdown)
        self.assertIn("\\&lt;", markdown)
        self.assertEqual({row["name"] for row in self.json()["rows"]}, set(names))

    def test_no_negative_zero(self):
        # Wherever no two chains lead to a player, the fit is exact and the deviance rounding alone.
        rows = "".join(f"hub,P{i},{2 + i * i % 7},{1 + i % 5}\n" for i in range(300))
        self.pairs_config("player1,player2,wins1,wins2\n" + rows, scale="mean = 0")
        self.call("run", "config.toml", "--quiet")
        self.assertRegex(self.tabulate("text"), r"deviance 0\.0000 over .*(?s:.*)\(mean 0\.0, ")

    def test_infinity_is_no_null(self):
        self.run_smoke("alpha_fit")
        self.assertIn("inf", [row["upper"] for row in self.json()["rows"]])
        self.assertTrue(any(math.isinf(float(row["upper"])) for row in self.csv()))

    def test_selfcheck_that_is_wrong(self):
        self.run_smoke("selfcheck")
        with h5py.File(self.folder / "out.h5", "r+") as file:
            file["records/mean"][0, :] = 0.75
        for format in FORMATS:
            answer = self.call("table", "out.h5", "--format", format, expect=BUG)
            self.assertIn("WRONG", answer.out)
            self.assertIn("came out WRONG", answer.err)


if __name__ == "__main__":
    harness.main()
