"""The result file, read by h5py without our code."""

import sys

import harness
from harness import CONFIGS, STOPPED, Case, banzuke

try:
    import h5py
    import numpy
except ImportError:
    print("SKIPPED: h5py is missing, nobody else reads the result file", file=sys.stderr)
    sys.exit(77)


def text(dataset):
    return dataset[()].decode()


class ResultFile(Case):
    def setUp(self):
        super().setUp()
        # Two sessions: one stopped at once, one on 2 × 1 to the end.
        arguments = ("run", CONFIGS / "bt_uncertainty.smoke.toml", "-o", "out.h5")
        self.call(*arguments, "--time-limit", 0, expect=STOPPED)
        self.call(*arguments, "--threads", 1, ranks=2)
        self.file = h5py.File(self.folder / "out.h5", "r")
        self.addCleanup(self.file.close)

    def test_every_dataset_is_described(self):
        datasets = []
        self.file.visititems(lambda _, node: datasets.append(node)
                             if isinstance(node, h5py.Dataset) else None)
        self.assertGreater(len(datasets), 30)
        for dataset in datasets:
            self.assertIn("units", dataset.attrs, dataset.name)
            self.assertTrue(dataset.attrs["long_name"], dataset.name)

    def test_records_have_named_dimensions(self):
        shapes = {"rating": (1, 203, 107), "log_likelihood": (1, 203), "iterations": (1, 203),
                  "players_rated": (1, 203), "last_step": (1, 203), "status": (1, 203)}
        self.assertEqual({n: d.shape for n, d in self.file["records"].items()}, shapes)
        for name, dataset in self.file["records"].items():
            scales = [axis[0].name for axis in dataset.dims]
            wanted = ["/point", "/replicate", "/player"][:dataset.ndim]
            self.assertEqual(scales, wanted, name)
            self.assertIsNone(dataset.chunks)
            self.assertIsNone(dataset.compression)
        names = [name.decode() for name in self.file["player"]]
        self.assertEqual(len(set(names)), 107)
        self.assertIn("gpsfish_normal_1c", names)
        status = self.file["records/status"]
        self.assertEqual(status.attrs["flag_meanings"],
                         b"missing ok unsolvable not_converged not_needed")
        self.assertEqual(list(status.attrs["flag_values"]), [0, 1, 2, 3, 4])

    def test_records_hold_what_the_table_says(self):
        ratings = self.file["records/rating"][0]
        valid = ~numpy.isnan(ratings)
        self.assertTrue((self.file["records/status"][:] == 1).all())
        self.assertTrue((self.file["records/players_rated"][0] == valid.sum(axis=1)).all())
        self.assertTrue(numpy.isfinite(self.file["records/log_likelihood"][:]).all())
        # Each replicate is relative to its own mean.
        self.assertLess(abs(numpy.nanmean(ratings, axis=1) - 2300).max(), 1e-9)
        names = [name.decode() for name in self.file["player"]]
        truth = self.file["setup/rated_rating"][:]
        for row in self.ratings("out.h5").values():
            i = names.index(row["name"])
            column = ratings[valid[:, i], i]
            self.assertEqual(int(row["replicates_valid"]), len(column))
            for key, value in {
                    "rating": truth[i], "mean": column.mean(), "bias": column.mean() - truth[i],
                    "standard_uncertainty": column.std(ddof=1),
                    "quantile_2.5": numpy.quantile(column, 0.025),
                    "quantile_50": numpy.quantile(column, 0.5),
                    "quantile_97.5": numpy.quantile(column, 0.975),
                    "standard_uncertainty_error": self.sd_error(column)}.items():
                self.assertAlmostEqual(float(row[key]), value, delta=1e-8 * max(1, abs(value)),
                                       msg=f"{row['name']}: {key}")

    def test_rows_never_declared_done_do_not_count(self):
        # As after a kill between a commit's rows and their statuses: values without a status.
        self.file.close()
        whole = self.ratings("out.h5")
        with h5py.File(self.folder / "out.h5", "r+") as file:
            file["records/status"][0, 120:] = 0
            file["records/last_step"][0, 120:] = 7.0
            names = [name.decode() for name in file["player"]]
            ratings = file["records/rating"][0, :120]
        for row in self.ratings("out.h5").values():
            column = ratings[:, names.index(row["name"])]
            column = column[~numpy.isnan(column)]
            self.assertEqual((row["replicates_done"], int(row["replicates_valid"])),
                             ("120", len(column)))
            self.assertAlmostEqual(float(row["standard_uncertainty"]), column.std(ddof=1),
                                   delta=1e-8)
        text = self.call("table", "out.h5").out
        self.assertIn("UNFINISHED: 120 of 203 replicates", text)
        self.assertNotIn("close to separable", text)
        self.call("run", CONFIGS / "bt_uncertainty.smoke.toml", "-o", "out.h5")
        again = self.ratings("out.h5")
        self.assertEqual(again, whole)

    @staticmethod
    def sd_error(column):
        """sd·√((κ−(B−3)/(B−1))/(4B))"""
        b = len(column)
        deviations = column - column.mean()
        kurtosis = (deviations**4).mean() / (deviations**2).mean()**2
        return column.std(ddof=1) * numpy.sqrt((kurtosis - (b - 3) / (b - 1)) / (4 * b))

    def test_provenance(self):
        provenance = {name: text(item) for name, item in self.file["provenance"].items()}
        for key in ("version", "git_commit", "git_dirty", "compiler", "compiler_flags",
                    "library_hdf5", "library_eigen", "library_boost", "library_fmt",
                    "library_tomlplusplus", "library_openssl", "library_libarchive",
                    "library_zlib", "library_mpi", "created_on_host", "created_at",
                    "created_with_ranks", "created_with_threads", "seed", "stream_algorithm",
                    "stream_version", "config_path", "config_verbatim", "config_effective"):
            self.assertTrue(provenance.get(key), f"provenance lacks {key}")
        self.assertEqual(provenance["seed"], "3")
        self.assertIn(provenance["version"], banzuke("--version").out)
        self.assertIn("-ffp-contract=off", provenance["compiler_flags"])
        for library in ("libarchive", "zlib"):
            self.assertRegex(provenance[f"library_{library}"], r"^(\d+\.\d+\.\d+.*|not built in)$")
        self.assertEqual(provenance["stream_algorithm"], "Philox4x32-10")
        verbatim = (CONFIGS / "bt_uncertainty.smoke.toml").read_text()
        self.assertEqual(provenance["config_verbatim"], verbatim)
        effective = provenance["config_effective"].splitlines()
        self.assertIn("replicates = 203", effective)
        self.assertIn('games.draws = "half"  # default', effective)
        self.assertIn("scale.mean = 2300", effective)

    def test_identity(self):
        identity = self.file["identity"]
        self.assertEqual(identity.attrs["job"], b"bt_uncertainty")
        self.assertEqual([key.decode() for key in identity["input_key"]],
                         ["games.files[0]", "truth.ratings"])
        import hashlib
        schedule = CONFIGS / "data/floodgate/schedule_2016H1.csv"
        self.assertEqual(identity["input_sha256"][0].decode(),
                         hashlib.sha256(schedule.read_bytes()).hexdigest())
        keys = [key.decode() for key in identity["key"]]
        self.assertIn("truth.missing", keys)
        for operational in ("output", "run.threads", "replicates", "games.files"):
            self.assertNotIn(operational, keys)

    def test_sessions(self):
        sessions = {name: column[:2] for name, column in self.file["sessions"].items()
                    if column.shape}
        self.assertEqual(list(self.file["sessions/ranks"][:3]), [1, 2, 0])
        self.assertEqual(list(sessions["rows_committed"]), [0, 203])
        self.assertEqual(list(sessions["why_it_stopped"]), [b"time limit", b"done"])
        self.assertTrue((sessions["start"] <= sessions["end"]).all())
        self.assertTrue((sessions["start"] > 1_700_000_000).all())
        self.assertGreater(sessions["rows_per_second"][1], 0)
        self.assertGreaterEqual(sessions["imbalance"][1], 1)
        for name in ("hosts", "version"):
            self.assertTrue(all(sessions[name]), name)


if __name__ == "__main__":
    harness.main()
