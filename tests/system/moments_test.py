"""Moments-only storage and the control variate of bt_uncertainty."""

import random
import subprocess

import harness
from harness import CONFIGS, SOURCE, Case

SMOKE = CONFIGS / "bt_uncertainty.smoke.toml"      # floodgate's schedule and published ratings
FIT = CONFIGS / "bt_baseball.toml"
MOMENTS = ("--set", "storage.keep=moments")
CONTROL = ("--set", "variance_reduction=control_variate")


def replicates(count):
    return ("--set", f"replicates={count}")


class Moments(Case):
    def run_to(self, output, config, *more, **options):
        self.call("run", config, "-o", output, "--quiet", *more, **options)
        return self.table(output)

    def assert_same_numbers(self, one, other, columns, tolerance):
        self.assertEqual(len(one), len(other))
        for a, b in zip(one, other):
            self.assertEqual(a["name"], b["name"])
            for column in columns:
                self.assertEqual(a[column] == "", b[column] == "", (a["name"], column))
                if a[column]:
                    self.assertAlmostEqual(float(a[column]), float(b[column]), delta=tolerance,
                                           msg=(a["name"], column))

    def test_say_what_the_replicates_say(self):
        columns = ["rating", "standard_uncertainty", "standard_uncertainty_error", "bias", "mean",
                   "replicates_valid", "replicates_done", "replicates_total",
                   "replicates_unsolvable", "replicates_not_converged"]
        # 1003 replicates: the last segment is short.
        for config, more in [(SMOKE, []), (FIT, ["deviance_p_value"])]:
            whole = self.run_to("whole.h5", config, *replicates(1003))
            for segment in (8, 256):
                moments = self.run_to(f"{segment}.h5", config, *replicates(1003), *MOMENTS,
                                      "--set", f"storage.segment={segment}")
                self.assert_same_numbers(whole, moments, columns + more, 1e-8)
                self.assertTrue(all(row["quantile_50"] == "" for row in moments))
                self.assertIn("there are no quantiles", self.call("table", f"{segment}.h5").out)
            for name in ("whole.h5", "8.h5", "256.h5"):
                (self.folder / name).unlink()

    def test_the_same_bytes_on_ranks_and_threads_and_after_an_extension(self):
        more = (*MOMENTS, *CONTROL, "--set", "storage.segment=64", "--set",
                "run.round_seconds=0.01")
        digests = set()
        for ranks, threads in [(None, 1), (None, 2), (2, 1), (2, 2)]:
            output = f"{ranks}_{threads}.h5"
            self.run_to(output, SMOKE, *more, *replicates(500), "--threads", threads, ranks=ranks)
            digests.add(self.digest(output))
        self.assertEqual(len(digests), 1)
        # h5py alone finds the same.
        script = subprocess.run(["/usr/bin/python3", SOURCE / "scripts" / "digest.py",
                                 self.folder / "2_2.h5"], capture_output=True, text=True, check=True)
        self.assertEqual(digests, {script.stdout.strip()})
        # 500 = 7 × 64 + 52: the last segment is computed again.
        self.run_to("2_2.h5", SMOKE, *more, *replicates(900))
        self.run_to("fresh.h5", SMOKE, *more, *replicates(900))
        self.assertEqual(self.digest("2_2.h5"), self.digest("fresh.h5"))

    def test_shards_hold_whole_segments(self):
        more = (*MOMENTS, "--set", "storage.segment=64", *replicates(500))
        self.run_to("whole.h5", SMOKE, *more)
        for i in (1, 2, 3):
            self.call("run", SMOKE, "-o", "out.h5", "--quiet", *more, "--shard", f"{i}/3")
        self.call("merge", "out.h5", *[f"out.shard-{i}-of-3.h5" for i in (2, 3, 1)])
        self.assertEqual(self.digest("whole.h5"), self.digest("out.h5"))

    def test_a_segment_is_replayed(self):
        self.run_to("out.h5", SMOKE, *MOMENTS, *CONTROL, *replicates(700))
        answer = self.call("replay", "out.h5", "0", "699")
        self.assertIn("equal to the stored row", answer.out)
        self.assertIn("segment of replicates 512 to 699", answer.out)

    def test_stops_between_segments_once_the_uncertainties_are_known(self):
        rows = self.run_to("out.h5", SMOKE, *MOMENTS, *replicates(9000), "--set",
                           "stop.relative_error=0.5")
        self.assertEqual({row["replicates_done"] for row in rows}, {"1024"})
        plain = self.run_to("plain.h5", SMOKE, *MOMENTS, *replicates(1024))
        self.assert_same_numbers(rows, plain, ["standard_uncertainty", "replicates_total"], 0)

    def test_a_smaller_file(self):
        self.run_to("whole.h5", SMOKE, *replicates(10000))
        self.run_to("moments.h5", SMOKE, *replicates(10000), *MOMENTS)
        sizes = [(self.folder / f"{name}.h5").stat().st_size for name in ("moments", "whole")]
        self.assertLess(10 * sizes[0], sizes[1])

    def test_keys_that_make_no_sense(self):
        for keys, words in [({"storage.keep": "moments", "storage.segment": "100"}, "multiple of 8"),
                            ({"storage.segment": "64"}, "no effect"),
                            ({"storage.keep": "all"}, "storage.keep"),
                            ({"variance_reduction": "yes"}, "variance_reduction")]:
            sets = [part for key, value in keys.items() for part in ("--set", f"{key}={value}")]
            answer = self.call("run", SMOKE, "-o", "out.h5", *sets, expect=harness.INPUT)
            self.assertIn(words, answer.err)
        self.assertFalse((self.folder / "out.h5").exists())


class ControlVariate(Case):
    def run_to(self, output, config, *more):
        self.call("run", config, "-o", output, "--quiet", *more)
        return [row for row in self.table(output) if row["rank"]]

    def test_both_storages_agree(self):
        whole = self.run_to("whole.h5", FIT, *CONTROL, *replicates(2000))
        moments = self.run_to("moments.h5", FIT, *CONTROL, *MOMENTS, *replicates(2000))
        for a, b in zip(whole, moments):
            for column in ("standard_uncertainty", "standard_uncertainty_error", "bias",
                           "variance_reduction"):
                self.assertEqual(a[column] == "", b[column] == "")
                if a[column]:
                    self.assertAlmostEqual(float(a[column]) / (float(b[column]) or 1.0), 1.0 if
                                           float(b[column]) else 0.0, delta=1e-8)
        # The linearised estimate takes nothing from the replicates.
        plain = self.run_to("plain.h5", FIT, *replicates(2000))
        for a, b in zip(whole, plain):
            self.assertEqual(a["quantile_50"], b["quantile_50"])

    def test_reaches_with_few_replicates_what_the_plain_estimate_needs_many_for(self):
        few = self.run_to("few.h5", SMOKE, *CONTROL, *replicates(1000))
        many = self.run_to("many.h5", SMOKE, *MOMENTS, *replicates(60000))
        zs, reductions = [], []
        for a, b in zip(few, many):
            if a["variance_reduction"] == "" or a["standing"] == "reference":
                continue
            errors = [float(row["standard_uncertainty_error"]) for row in (a, b)]
            difference = float(a["standard_uncertainty"]) - float(b["standard_uncertainty"])
            zs.append(difference / (errors[0] ** 2 + errors[1] ** 2) ** 0.5)
            reductions.append(float(a["variance_reduction"]))
        self.assertGreater(len(zs), 60)
        self.assertLess(max(map(abs, zs)), 5)
        # A standard normal's mean square over k players has a standard error of about
        # sqrt(2 / k), more for players who move together.
        self.assertLess(sum(z * z for z in zs) / len(zs), 1 + 6 * (2 / len(zs)) ** 0.5)
        reductions.sort()
        self.assertGreater(reductions[len(reductions) // 2], 10)

    def test_is_refused_where_there_is_no_complete_factor(self):
        random.seed(5)
        rows = ["player1,player2,wins1,wins2"]
        for i in range(2000):  # ten opponents each, so far apart that elimination fills in
            rows += [f"p{i},p{j},{random.randint(1, 3)},{random.randint(1, 3)}"
                     for j in random.sample(range(2000), 10) if j != i]
        (self.folder / "wide.csv").write_text("\n".join(rows) + "\n")
        (self.folder / "wide.toml").write_text(
            'job = "bt_uncertainty"\nseed = 1\nreplicates = 16\n'
            'variance_reduction = "control_variate"\n'
            '[games]\nfiles = ["wide.csv"]\n[scale]\nmean = 0\n')
        answer = self.call("run", "wide.toml", "-o", "out.h5", expect=harness.INPUT)
        self.assertIn("wide.toml:4: there is no control variate", answer.err)
        self.call("run", "wide.toml", "-o", "out.h5", "--set", "variance_reduction=none")
        # Few players, but more games of one than a sum of wins holds.
        (self.folder / "wide.csv").write_text(f"{rows[0]}\nA,B,1e9,1e9\nB,C,1e9,1e9\nA,C,5,5\n")
        answer = self.call("run", "wide.toml", "-o", "many.h5", expect=harness.INPUT)
        self.assertIn("less than 2^31 games a player", answer.err)


if __name__ == "__main__":
    harness.main()
