"""Result files of earlier versions are read for ever: schema 1, as written by version 0.1.0."""

import csv
import io
import shutil
from pathlib import Path

import harness
from harness import Case

HERE = Path(__file__).parent
DIGESTS = {
    "bt_uncertainty_v1.h5": "c163e960482cd0786a63db15f134b00be9924941b519e1cbda0582a04bbd380b",
    "selfcheck_v1.h5": "d6891aa992316726c53aa984ca0205665980b1db5bc61d354704fb487aff47f1",
}


class Schema1(Case):
    def test_files_are_read(self):
        for name, digest in DIGESTS.items():
            with self.subTest(name):
                shutil.copy(HERE / name, self.folder / name)
                before = self.snapshot()
                self.assertEqual(self.digest(name), digest)
                self.call("status", name)
                rows = list(csv.DictReader(io.StringIO(
                    self.call("table", name, "--format", "csv").out, newline="")))
                self.assertGreater(len(rows), 0)
                self.assertEqual(self.snapshot(), before)

    def test_ratings_are_those_of_the_day(self):
        shutil.copy(HERE / "bt_uncertainty_v1.h5", self.folder / "old.h5")
        ratings = self.ratings("old.h5")
        # R's fit of the same games (tests/data/paired).
        self.assertAlmostEqual(float(ratings["Boston"]["rating"]), 192.4268004251376, places=7)
        self.assertEqual(ratings["Baltimore"]["standing"], "reference")
        self.assertEqual({row["point"] for row in ratings.values()}, {"all games"})
        self.assertIn("Boston", self.call("table", "old.h5", "players").out)


if __name__ == "__main__":
    harness.main()
