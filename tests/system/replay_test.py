"""`replay`: one replicate computed again, equal to the stored row or not."""

import json
import shutil

import h5py
import numpy

import harness
from harness import BUG, CONFIGS, DONE, INPUT, STOPPED, Case, job_names


class Replay(Case):
    def replay(self, *arguments, expect=DONE):
        return json.loads(self.call("replay", *arguments, "--format", "json", expect=expect).out)

    def run_smoke(self, job, *arguments):
        self.call("run", CONFIGS / f"{job}.smoke.toml", "-o", "out.h5", "--threads", 1, "--quiet",
                  *arguments)

    def test_of_every_job(self):
        for job in job_names():
            self.run_smoke(job)
            with h5py.File(self.folder / "out.h5") as file:
                points, rows = file["records/status"].shape
                fields = [name for name in file["records"] if name != "status"]
                labels = [label.decode() for label in file["point"][:]]
                status = file["records/status"][:]
                done = numpy.argwhere(status == 1)
            for point, row in {tuple(done[0]), tuple(done[-1]), tuple(done[len(done) // 2])}:
                report = self.replay("out.h5", labels[point], row)
                self.assertEqual(report["verdict"], "equal to the stored row")
                self.assertEqual({r["field"] for r in report["rows"]}, {"status", *fields})
                with h5py.File(self.folder / "out.h5") as file:
                    for field in fields:
                        stored = numpy.atleast_1d(file["records"][field][point, row])
                        shown = [r["computed"] for r in report["rows"] if r["field"] == field]
                        shown = [numpy.nan if v is None else float(v) for v in shown]
                        numpy.testing.assert_array_equal(shown, stored.astype(float), field)
            text = self.call("replay", "out.h5", points - 1, int(done[-1][1])).out
            self.assertIn("equal to the stored row", text)
            (self.folder / "out.h5").unlink()

    def test_shows_names_and_units(self):
        self.run_smoke("bt_uncertainty")
        report = self.replay("out.h5", 0, 3)
        with h5py.File(self.folder / "out.h5") as file:
            names = [name.decode() for name in file["player"][:]]
        rows = [row for row in report["rows"] if row["field"] == "rating"]
        self.assertEqual([row["element"] for row in rows], names)
        self.assertEqual({row["dimension"] for row in rows}, {"player"})
        self.assertEqual({row["units"] for row in rows}, {"Elo"})

    def test_finds_a_damaged_row(self):
        self.run_smoke("bt_uncertainty")
        shutil.copy(self.folder / "out.h5", self.folder / "good.h5")
        with h5py.File(self.folder / "out.h5", "r+") as file:
            name = file["player"][2].decode()
            value = file["records/rating"][0, 7, 2]
            file["records/rating"][0, 7, 2] = numpy.nextafter(value, numpy.inf)
        report = self.replay("out.h5", 0, 7, expect=BUG)
        self.assertEqual([(row["field"], row["element"]) for row in report["rows"]
                          if row["verdict"] == "DIFFERS"], [("rating", name)])
        text = self.call("replay", "out.h5", 0, 7, expect=BUG).out
        self.assertIn("DIFFERS from the stored row in 1 of ", text)
        self.replay("out.h5", 0, 8)
        self.replay("good.h5", 0, 7)
        with h5py.File(self.folder / "good.h5", "r+") as file:
            file["records/status"][0, 9] = 2
        self.replay("good.h5", 0, 9, expect=BUG)

    def test_missing_row(self):
        self.run_smoke("selfcheck")
        with h5py.File(self.folder / "out.h5", "r+") as file:
            file["records/status"][0, 5] = 0
        report = self.replay("out.h5", 0, 5, expect=STOPPED)
        self.assertEqual(report["verdict"], "the stored row is missing")
        self.replay("out.h5", 0, 4)

    def test_shards_count_as_the_whole_run(self):
        smoke = CONFIGS / "bt_uncertainty.smoke.toml"
        self.call("run", smoke, "-o", "out.h5", "--quiet", "--set", "replicates=64")
        for index in (1, 2):
            self.call("run", smoke, "-o", "part.h5", "--quiet", "--set", "replicates=64", "--shard",
                      f"{index}/2")
        whole = self.replay("out.h5", 0, 40)
        shard = self.replay("part.shard-2-of-2.h5", 0, 40)
        self.assertEqual(whole["rows"], shard["rows"])
        said = self.call("replay", "part.shard-1-of-2.h5", 0, 40, expect=INPUT).err
        self.assertIn("this shard does not hold the row", said)

    def test_wrong_names(self):
        self.call("run", CONFIGS / "reflection_tenhou.toml", "-o", "out.h5", "--quiet", "--set",
                  "N=1")
        self.assertIn("did you mean", self.call("replay", "out.h5", "hn3 N=1 exat", 0,
                                                expect=INPUT).err)
        self.assertIn("there is no point", self.call("replay", "out.h5", 999999, 0,
                                                     expect=INPUT).err)
        for replicate in ("-1", "x", 10 ** 9):
            self.assertIn("there is no replicate",
                          self.call("replay", "out.h5", 0, replicate, expect=INPUT).err)


if __name__ == "__main__":
    harness.main()
