"""The first table: the floodgate server, January to June 2016, beside its published numbers."""

import statistics

import harness
from harness import CONFIGS, SOURCE, Case


class Floodgate(Case):
    def test_beside_the_published_table(self):
        self.call("run", CONFIGS / "bt_floodgate_2016h1.toml", "-o", "out.h5", "--quiet")
        rows = list(self.ratings("out.h5").values())
        self.assertEqual(len(rows), 107)
        self.assertEqual(sum(float(row["games"]) for row in rows), 2 * 11171)
        reference = [row for row in rows if row["standing"] == "reference"]
        self.assertEqual([row["name"] for row in reference], ["gpsfish_normal_1c"])
        self.assertEqual(float(reference[0]["rating"]), 2800)
        self.assertEqual({row["replicates_total"] for row in rows}, {"1000"})

        pairs = [(float(row["standard_uncertainty"]), float(row["published_standard_uncertainty"]))
                 for row in rows if float(row["games"]) >= 40 and float(row["rating"]) >= 2700
                 and row["standing"] == "rated"]
        self.assertGreater(len(pairs), 40)
        median = statistics.median(ours / published for ours, published in pairs)
        self.assertTrue(1.00 <= median <= 1.12, median)
        self.assertGreaterEqual(statistics.correlation(*zip(*pairs)), 0.95)

        text = self.call("table", "out.h5").out
        self.assertIn("of 107 players, 11171 games; truth: given ratings", text)
        self.assertIn("relative to gpsfish_normal_1c = 2800", text)
        self.assertRegex(text, r"Ours / published uncertainty over \d+ players: median 1\.\d+, "
                               r"quartiles [01]\.\d+ and 1\.\d+")
        self.assertIn("4 of the 111 players with a rating are not in the games", text)
        # Players who could not be rated in some replicates: the count stands in brackets.
        few = [row for row in rows if int(row["replicates_valid"]) < 1000]
        self.assertGreater(len(few), 0)
        for row in few:
            self.assertRegex(text, rf"(?m)^.* {row['name']} .*\({row['replicates_valid']}\)")
        self.assertIn("so the uncertainty is understated", text)
        # The README shows this table.
        shown = (SOURCE / "README.md").read_text().split("```text\n")[1].split("```")[0].splitlines()
        shown = [line for line in shown if line not in ("", " …")]
        self.assertGreater(len(shown), 6)
        for line in shown:
            self.assertIn(line + "\n", text)


if __name__ == "__main__":
    harness.main()
