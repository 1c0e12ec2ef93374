"""The machine's own check: laws in closed form, for people and for scripts."""

import csv
import math
import os
import subprocess
import sys
from unittest import mock

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

    def test_finds_replicates_that_are_secretly_equal(self):
        self.call("run", CONFIGS / "selfcheck.toml", "-o", "out.h5", "--threads", 2, "--quiet")
        script = ("import h5py, sys; f = h5py.File('out.h5', 'r+'); "
                  "[f['records'][x].__setitem__((0, 7), f['records'][x][0, 4]) "
                  "for x in sys.argv[1:]]")

        def copy(*fields, expect=harness.DONE):
            done = subprocess.run([sys.executable, "-c", script, *fields], cwd=self.folder,
                                  capture_output=True, text=True)
            if "No module named" in done.stderr:
                self.skipTest("h5py is missing")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = self.call("table", "out.h5", "--format", "csv", expect=expect).out
            return {row["quantity"]: row for row in csv.DictReader(text.splitlines())}[
                "equal replicates"]
        one_value = copy("mean")
        self.assertEqual((one_value["found"], one_value["verdict"]), ("0", "ok"))
        both = copy("mean", "inside", expect=harness.BUG)
        self.assertEqual((both["found"], both["verdict"]), ("1", "WRONG"))
        # Pairs, times P(equal means), times P(equal counts given the means).
        expected = 20000 * 19999 / 2 * 2**-53 / (2 * math.sqrt(math.pi / 12000))
        expected /= 2 * math.sqrt(math.pi * 1000 * 0.12625638)
        self.assertAlmostEqual(float(both["expected"]) / expected, 1, 4)

    def test_check_warns_of_a_disk_too_small(self):
        arguments = ("check", CONFIGS / "selfcheck.toml", "-o", "not/yet/there.h5")
        self.assertNotIn("WARNING", self.call(*arguments).out)
        said = self.call(*arguments, "--set", "points=1000000", "--set", "replicates=4294967295")
        self.assertRegex(said.out, r"WARNING: the disk of the output has [0-9.]+ .?i?B free")
        self.assertEqual(self.snapshot(), {})

    def test_threads_that_openmp_does_not_give_are_not_counted(self):
        config = CONFIGS / "selfcheck.smoke.toml"
        with mock.patch.dict(os.environ, OMP_THREAD_LIMIT="1"):
            answer = self.call("run", config, "-o", "limited.h5", "--threads", 2)
        self.assertIn("on 1 rank × 1 thread,", answer.err)
        self.assertIn("warning: 1 thread a rank instead of 2 (OMP_THREAD_LIMIT)", answer.err)
        self.assertIn("on 1 × 1 (ranks × threads)", self.call("status", "limited.h5").out)
        # More than anybody may ask for.
        with mock.patch.dict(os.environ, OMP_NUM_THREADS="99999"):
            answer = self.call("check", config)
        self.assertIn("with 4096 threads", answer.out)

    def test_of_nothing_is_not_good(self):
        self.call("run", CONFIGS / "selfcheck.toml", "-o", "out.h5", "--time-limit", 0,
                  expect=STOPPED)
        self.assertNotIn("All within", self.call("table", "out.h5").out)
        for row in self.table("out.h5"):
            self.assertEqual((row["replicates_done"], row["replicates_total"]), ("0", "20000"))


if __name__ == "__main__":
    harness.main()
