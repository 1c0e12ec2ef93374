"""`describe` against the shipped configs and the pages: no key that it does not know."""

import json
import re
import tomllib

import harness
from harness import CONFIGS, INPUT, SOURCE, Case, job_names

ROLES = {"decides the numbers", "may be raised later, old rows stay",
         "without effect on the numbers"}


def keys_of(table, prefix=""):
    """Dotted names of the keys of a config, arrays of tables with []."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        yield path, value
        if isinstance(value, dict):
            yield from keys_of(value, path + ".")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                yield from keys_of(item, path + "[].")


class Describe(Case):
    def described(self, job):
        report = json.loads(self.call("describe", job, "--format", "json").out)
        return {row["key"]: row for row in report["rows"]}

    def test_lists_the_jobs(self):
        report = json.loads(self.call("describe", "--format", "json").out)
        self.assertEqual([row["job"] for row in report["rows"]], job_names())
        text = self.call("describe").out
        for name in job_names():
            self.assertIn(name, text)

    def test_every_key_of_every_shipped_config_is_described(self):
        found = 0
        for path in sorted(CONFIGS.glob("*.toml")):
            config = tomllib.loads(path.read_text())
            known = self.described(config["job"])
            for key, value in keys_of(config):
                parent, _, last = key.rpartition(".")
                is_range = last in ("from", "to", "step", "per_decade")
                if is_range and "range" in known.get(parent, {}).get("type", ""):
                    continue  # the form of a range belongs to the type
                self.assertIn(key, known, f"{path.name}: {key}")
                found += 1
                row = known[key]
                if isinstance(value, bool):
                    self.assertEqual(row["type"], "true or false", key)
                elif isinstance(value, int):
                    self.assertIn("number", row["type"], key)
                elif isinstance(value, str) and row["allowed"]:
                    words = re.findall(r'"([^"]+)"', row["allowed"])
                    self.assertTrue(value in words or "number" in row["type"], f"{path.name}: {key}")
        self.assertGreater(found, 150)

    def test_every_key_of_the_pages_is_described(self):
        found = 0
        for job in job_names():
            page = SOURCE / "docs" / f"{job}.md"
            if not page.exists():
                continue
            jobs = [job, "discrete_posterior"] if job == "rank_posterior" else [job]  # one page
            known = {key.replace("[]", "") for one in jobs for key in self.described(one)}
            rows = re.findall(r"^\| (`[a-z_]+\.[^|]*) \|", page.read_text(), re.MULTILINE)
            named = [key for row in rows for key in re.findall(r"`([a-z_]+\.[a-zA-Z_0-9.]+)`", row)
                     if not key.endswith(".toml")]
            for key in named:
                self.assertTrue(key in known or any(k.endswith("." + key) for k in known),
                                f"{page.name}: {key}")
            found += len(named)
        self.assertGreater(found, 60)

    def test_what_a_key_says(self):
        known = self.described("bt_recovery")
        self.assertEqual(known["replicates"]["role"], "may be raised later, old rows stay")
        self.assertEqual(known["replicates"]["default"], "required")
        self.assertEqual(known["run.threads"]["default"], "0")
        self.assertEqual(known["run.threads"]["role"], "without effect on the numbers")
        schedule = known["population[].schedule"]
        self.assertEqual((schedule["default"], schedule["allowed"]),
                         ('"random"', '"round_robin", "random", "near"'))
        self.assertEqual(known["population[].reach"]["when"], 'population[].schedule = "near"')
        self.assertEqual(known["population[].games_per_player"]["allowed"], "0.01 to 1000000")
        self.assertEqual(known["population[].games_per_player"]["default"],
                         "required where it is read")
        self.assertEqual(known["scale.mean"]["default"], "optional")
        known = self.described("reflection_sweep")
        self.assertEqual(known["rule[].alpha"]["when"], "")
        self.assertIn("monte_carlo", known["monte_carlo.draws"]["when"])
        for job in job_names():
            known = self.described(job)
            for common in ("job", "seed", "output", "run.threads", "run.round_seconds", "run.locking"):
                self.assertIn(common, known, job)
            for key, row in known.items():
                self.assertTrue(row["meaning"], key)
                self.assertTrue(row["default"], key)
                if row["type"] not in ("table", "tables"):
                    self.assertIn(row["role"], ROLES, key)

    def test_formats(self):
        text = self.call("describe", "alpha_fit").out
        self.assertIn("[[data]]: ", text)
        self.assertIn("confidence: coverage the intervals aim at\n    number; default 0.95; "
                      "0.01 to 0.9999; decides the numbers\n", text)
        markdown = self.call("describe", "alpha_fit", "--format", "markdown").out
        self.assertIn("| confidence | number | 0.95 |", markdown)

    def test_unknown_job(self):
        self.refuses("there is no job \"alpha_fti\"", "did you mean \"alpha_fit\"?",
                     arguments=("describe", "alpha_fti"))

    def test_misspelt_verbs_and_options(self):
        self.refuses("there is no verb \"tabel\"", "did you mean table?", arguments=("tabel", "x"))
        self.refuses("there is no verb \"descrieb\"", "did you mean describe?",
                     arguments=("descrieb",))
        self.refuses("there is no option \"--colums\" of table", "did you mean --columns?",
                     arguments=("table", "x.h5", "--colums=a"))
        answer = self.call("run", "x.toml", "--outptu", "y", expect=INPUT)
        self.assertIn("there is no option \"--outptu\" of run", answer.err)
        self.assertIn("did you mean --output?", answer.err)
        self.assertEqual(self.call("frobnicate", expect=INPUT).out, "")


if __name__ == "__main__":
    harness.main()
