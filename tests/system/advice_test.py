"""What `check` says of the reference: who would be a good one, and whether the chosen one is bad."""

import harness
from harness import CONFIGS, Case

#: Six players who meet often; Guest plays three games against one of them.
FIELD = "player1,player2,wins1,wins2\n" + "".join(
    f"P{i},P{j},{12 + j - i},{12 - j + i}\n" for i in range(6) for j in range(i + 1, 6))
GUEST = "Guest,P2,2,1\n"


def advice(answer):
    return [line for line in answer.out.splitlines() if line.startswith("advice: ")]


class Advice(Case):
    def test_good_references_are_named(self):
        self.pairs_config(FIELD, scale='reference = "P2"')
        (line,) = advice(self.call("check", "config.toml"))
        self.assertTrue(line.startswith("advice: good references, with the others' median"), line)
        self.assertIn('"P2" (120 games, 5 opponents; ', line)
        self.assertNotIn('"P0"', line)
        self.pairs_config(FIELD, scale="mean = 0")
        self.assertEqual(advice(self.call("check", "config.toml")), [line])

    def test_a_bad_reference_is_told(self):
        self.pairs_config(FIELD + GUEST, scale='reference = "Guest"')
        (line,) = advice(self.call("check", "config.toml"))
        self.assertRegex(line, r'"Guest" is a bad reference with 3 games against 1 player \(the '
                               r"others' median standard error is \d+\.\d Elo, \d+\.\d\d times that of "
                               r"the best; in \d+ % of the replicates it wins or loses every game")
        self.assertIn('choose "P', line)
        self.assertNotIn('choose "Guest"', line)
        # The run agrees: about as many replicates cannot be rated.
        self.pairs_config(FIELD + GUEST, scale='reference = "Guest"', replicates=2000)
        self.call("run", "config.toml", "--quiet")
        share = float(line.split("in ")[-1].split(" %")[0]) / 100
        lost = int(self.table("out.h5")[0]["replicates_unsolvable"]) / 2000
        self.assertAlmostEqual(lost, share, delta=4 * (share / 2000) ** 0.5 + 0.005)

    def test_floodgate(self):
        (line,) = advice(self.call("check", CONFIGS / "bt_floodgate_2016h1.toml"))
        self.assertIn("opponents; ", line)

    def test_only_bad_ones_of_several_points(self):
        self.write("a.csv", FIELD)
        self.write("b.csv", FIELD + "P2,Guest,2,1\n")
        self.write("config.toml", """job = "bt_uncertainty"
seed = 1
replicates = 10
output = "out.h5"
[scale]
reference = "P2"
[[data]]
label = "first"
files = ["a.csv"]
[[data]]
label = "second"
files = ["b.csv"]
""")
        self.assertEqual(advice(self.call("check", "config.toml")), [])


if __name__ == "__main__":
    harness.main()
