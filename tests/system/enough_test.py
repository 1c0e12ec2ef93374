"""[stop]: as many replicates as the uncertainties need, decided at 1000 · 2^k of them."""

import harness
from harness import CONFIGS, Case


class Enough(Case):
    def arguments(self, output, error, *more):
        # 107 players: the sd of B replicates is known to about 1 / sqrt(2 B).
        return ("run", CONFIGS / "bt_uncertainty.smoke.toml", "-o", output, "--quiet",
                "--set", "replicates=9000", "--set", f"stop.relative_error={error}", *more)

    def test_stops_at_the_first_checkpoint_that_is_enough(self):
        self.call(*self.arguments("loose.h5", 0.5))
        self.assertIn("1000 of at most 9000 replicates: every uncertainty is known to 50%",
                      self.call("table", "loose.h5").out)
        self.call(*self.arguments("never.h5", 0.0001))
        self.assertIn("\n9000 replicates\n", self.call("table", "never.h5").out)
        # The sheet is that of a run of as many replicates.
        self.call("run", CONFIGS / "bt_uncertainty.smoke.toml", "-o", "plain.h5", "--quiet",
                  "--set", "replicates=1000")
        self.assertEqual(self.table("loose.h5"), self.table("plain.h5"))

    def test_the_errors_meet_the_request(self):
        self.call(*self.arguments("out.h5", 0.05))
        text = self.call("table", "out.h5").out
        self.assertIn(" of at most 9000 replicates: every uncertainty is known to 5%", text)
        rows = [row for row in self.table("out.h5") if row["rank"]]
        worst = max(float(row["standard_uncertainty_error"]) / float(row["standard_uncertainty"])
                    for row in rows if row["standing"] == "rated")
        self.assertLessEqual(worst, 0.05)
        # Half as many were not enough.
        done = int(rows[0]["replicates_done"])
        self.assertIn(done, (1000, 2000, 4000, 8000))
        if done > 1000:
            self.call("run", CONFIGS / "bt_uncertainty.smoke.toml", "-o", "half.h5", "--quiet",
                      "--set", f"replicates={done // 2}")
            worst = max(float(row["standard_uncertainty_error"]) /
                        float(row["standard_uncertainty"])
                        for row in self.table("half.h5") if row["standing"] == "rated")
            self.assertGreater(worst, 0.05)

    def test_the_same_bytes_on_ranks_and_threads(self):
        digests = set()
        for ranks, threads in [(None, 1), (1, 2), (2, 1), (2, 2)]:
            output = f"{ranks}_{threads}.h5"
            self.call(*self.arguments(output, 0.05, "--threads", threads,
                                      "--set", "run.round_seconds=0.01"), ranks=ranks)
            digests.add(self.digest(output))
        self.assertEqual(len(digests), 1)

    def test_a_request_out_of_range(self):
        answer = self.call(*self.arguments("out.h5", -1), expect=harness.INPUT)
        self.assertIn("stop.relative_error", answer.err)


if __name__ == "__main__":
    harness.main()
