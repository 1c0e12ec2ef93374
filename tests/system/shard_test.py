"""Shards of a run without MPI between them, and their merge."""

import shutil
import subprocess
import sys

import harness
from harness import CONFIGS, INPUT, STOPPED, Case

CONFIG = CONFIGS / "bt_uncertainty.smoke.toml"


class Shards(Case):
    def shard(self, i, n, *extra, **keywords):
        return self.call("run", CONFIG, "-o", "out.h5", "--shard", f"{i}/{n}", "--quiet", *extra,
                         **keywords)

    def test_merged_shards_equal_the_whole_run(self):
        self.call("run", CONFIG, "-o", "whole.h5", "--quiet")
        parts = [f"out.shard-{i}-of-3.h5" for i in (1, 2, 3)]
        self.shard(1, 3)
        self.shard(3, 3, ranks=2)
        answer = self.call("merge", "all.h5", parts[0], parts[2], expect=STOPPED)
        self.assertIn("unfinished", answer.out)
        self.shard(2, 3, "--time-limit", "0", expect=STOPPED)
        self.call("status", parts[1], expect=STOPPED)
        self.shard(2, 3)
        self.call("merge", "all.h5", parts[1], parts[0])
        self.assertEqual(self.digest("all.h5"), self.digest("whole.h5"))
        self.assertEqual(self.call("table", "all.h5").out, self.call("table", "whole.h5").out)
        # The merged file is a run like any other.
        self.call("run", CONFIG, "-o", "all.h5", "--quiet")

    def test_a_run_completes_what_shards_left_out(self):
        self.call("run", CONFIG, "-o", "whole.h5", "--quiet")
        self.shard(2, 2)
        self.call("merge", "all.h5", "out.shard-2-of-2.h5", expect=STOPPED)
        self.call("run", CONFIG, "-o", "all.h5", "--quiet")
        self.assertEqual(self.digest("all.h5"), self.digest("whole.h5"))

    def test_what_does_not_belong_is_refused_and_changes_nothing(self):
        self.shard(1, 2)
        self.call("run", CONFIG, "-o", "other.h5", "--set", "seed=99", "--quiet")
        before = self.snapshot()
        answer = self.call("merge", "all.h5", "out.shard-1-of-2.h5", "other.h5", expect=INPUT)
        self.assertIn("other.h5: this file is of another run", answer.err)
        self.assertIn("seed", answer.err)
        for bad in ("0/2", "3/2", "1", "x/y", "1/0"):
            answer = self.call("run", CONFIG, "-o", "out.h5", "--shard", bad, expect=INPUT)
            self.assertIn("shards count from 1", answer.err)
        self.call("run", CONFIG, "-o", "out.h5", "--shard", "1/100000", expect=INPUT)
        self.assertIn("merge", self.call("table", "out.shard-1-of-2.h5", expect=INPUT).err)
        answer = self.shard(1, 2, "--set", "replicates=100000", expect=INPUT)
        self.assertIn("another part", answer.err)
        self.assertEqual(self.snapshot(), before)

    def test_files_that_contradict_each_other_are_refused_before_a_row_is_taken(self):
        for i in (1, 2, 3):
            self.shard(i, 3)
        good = [f"out.shard-{i}-of-3.h5" for i in (1, 2, 3)]
        shutil.copy(self.folder / good[1], self.folder / "bad.h5")
        script = ("import h5py; values = h5py.File('bad.h5', 'r+')['records/log_likelihood']; "
                  "values[0, 1] += 1")
        subprocess.run([sys.executable, "-c", script], cwd=self.folder, check=True)
        row = "point 0, replicate 65 differs"  # the shard begins at 64
        self.call("merge", "old.h5", good[1], expect=STOPPED)
        before = self.snapshot()
        answer = self.call("merge", "new/all.h5", good[0], good[1], "bad.h5", expect=INPUT)
        self.assertIn(f"bad.h5: {row} from that in {good[1]}", answer.err)
        self.assertEqual(answer.out, "")
        answer = self.call("merge", "old.h5", good[0], good[2], "bad.h5", expect=INPUT)
        self.assertIn(f"bad.h5: {row} from that in old.h5", answer.err)
        self.assertEqual(answer.out, "")
        self.assertEqual(self.snapshot(), before)

    def test_forecast(self):
        out = self.call("check", CONFIG, "--ranks", "10000").out
        for word in ("forecast for 10000 ranks", "predicted", "balance", "saturates"):
            self.assertIn(word, out)


if __name__ == "__main__":
    harness.main()
