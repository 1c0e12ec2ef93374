"""The machine's own check: laws in closed form, for people and for scripts."""

import harness
from harness import CONFIGS, STOPPED, Case


class Selfcheck(Case):
    def test_finds_this_machine_good(self):
        self.call("run", CONFIGS / "selfcheck.toml", "-o", "out.h5", "--threads", 2, "--quiet")
        text = self.call("table", "out.h5").out
        self.assertIn("20000 of 20000 replicates. All within 5 standard errors.", text)
        rows = self.table("out.h5")
        self.assertEqual({row["verdict"] for row in rows}, {"ok"})
        by_name = {row["quantity"]: row for row in rows}
        # The share inside the circle, from another side.
        share = by_name["share inside the circle"]
        self.assertLess(abs(float(share["found"]) - 0.7853981633974483),
                        5 * float(share["standard_error"]))
        self.assertLess(float(share["standard_error"]), 1e-4)

    def test_check_warns_of_a_disk_too_small(self):
        arguments = ("check", CONFIGS / "selfcheck.toml", "-o", "not/yet/there.h5")
        self.assertNotIn("WARNING", self.call(*arguments).out)
        said = self.call(*arguments, "--set", "points=1000000", "--set", "replicates=4294967295")
        self.assertRegex(said.out, r"WARNING: the disk of the output has [0-9.]+ .?i?B free")
        self.assertEqual(self.snapshot(), {})

    def test_of_nothing_is_not_good(self):
        self.call("run", CONFIGS / "selfcheck.toml", "-o", "out.h5", "--time-limit", 0,
                  expect=STOPPED)
        self.assertNotIn("All within", self.call("table", "out.h5").out)
        for row in self.table("out.h5"):
            self.assertEqual((row["replicates_done"], row["replicates_total"]), ("0", "20000"))


if __name__ == "__main__":
    harness.main()
