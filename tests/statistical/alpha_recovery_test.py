"""The recovery of alpha at full size: eight published rules, 1,000 replicates, 209 million careers
(15 seconds of processor time), beside an independent run of 400 replicates."""

import resource

import alpha_reference
import harness
from harness import CONFIGS, Case


class FullRecovery(Case):
    def test_eight_rules(self):
        self.call("run", CONFIGS / "alpha_recovery_tenhou.toml", "-o", "out.h5", "--quiet",
                  timeout=280)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(usage.ru_maxrss / 1024, 200, "MiB")
        references = {row["rule"]: row for row in alpha_reference.rows("alpha_recovery")}
        rows = self.table("out.h5")
        self.assertEqual([row["rule"] for row in rows], list(references))
        for row in rows:
            with self.subTest(row["rule"]):
                reference = references[row["rule"]]
                self.assertEqual((row["replicates_done"], row["infinite_count"]), ("1000", "0"))
                self.assertLess(abs(alpha_reference.bias_off(row, reference)), 3)
                self.assertLess(abs(alpha_reference.error_off(row)), 3)
                self.assertLess(abs(alpha_reference.mean_error_ratio(row, reference) - 1),
                                alpha_reference.mean_error_tolerance(row["rule"]))
                for kind in ("wald", "profile"):
                    self.assertLess(abs(alpha_reference.coverage_off(row, kind)), 1)
                # The same comparisons find errors: a standard error a seventh too large, and (in
                # the large sets) an alpha that is off by 1 %.
                self.assertGreater(abs(alpha_reference.error_off(row, 1.15)), 3)
                if float(row["players"]) > 40000:
                    wrong = 1.01 * float(row["alpha"])
                    self.assertGreater(abs(alpha_reference.bias_off(row, reference, wrong)), 3)


if __name__ == "__main__":
    harness.main()
