"""The promise: the same bytes on any ranks and threads, for every job of the catalogue."""

import harness
from harness import CONFIGS, Case, job_names


def has_replicates(job):
    """Jobs without randomness have one replicate and no such key."""
    text = (CONFIGS / f"{job}.smoke.toml").read_text(encoding="utf-8")
    return any(line.startswith("replicates") for line in text.splitlines())


class EqualBytes(Case):
    def test_every_job_has_a_smoke_config(self):
        jobs = job_names()
        self.assertIn("selfcheck", jobs)
        self.assertIn("bt_uncertainty", jobs)
        for job in jobs:
            self.assertTrue((CONFIGS / f"{job}.smoke.toml").is_file(),
                            f"configs/{job}.smoke.toml is missing: every job needs one")

    def test_the_same_on_ranks_and_threads(self):
        for job in job_names():
            config = CONFIGS / f"{job}.smoke.toml"
            digests = {}
            for ranks, threads in [(None, 1), (1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]:
                output = f"{job}_{ranks}_{threads}.h5"
                answer = self.call("run", config, "-o", output, "--threads", threads,
                                   "--set", "run.round_seconds=0.001", ranks=ranks)
                rounds = [line for line in answer.err.splitlines() if " replicates (" in line]
                if has_replicates(job):
                    self.assertGreater(len(rounds), 2, f"one round proves little: {answer}")
                digests[f"{job} {ranks} × {threads}"] = self.digest(output)
                status = self.call("status", output).out
                self.assertIn(f" on {ranks or 1} × {threads} (ranks × threads)", status)
            self.assertEqual(len(set(digests.values())), 1, digests)

    def test_another_seed_gives_other_bytes(self):
        for job in job_names():
            config = CONFIGS / f"{job}.smoke.toml"
            self.call("run", config, "-o", f"{job}_a.h5", "--quiet")
            self.call("run", config, "-o", f"{job}_b.h5", "--quiet", "--set", "seed=99")
            self.assertNotEqual(self.digest(f"{job}_a.h5"), self.digest(f"{job}_b.h5"))

    def test_300_replicates_raised_to_1000(self):
        for job in filter(has_replicates, job_names()):
            config = CONFIGS / f"{job}.smoke.toml"
            self.call("run", config, "-o", "out.h5", "--set", "replicates=300")
            of_300 = self.digest("out.h5")
            self.call("run", config, "-o", "out.h5", "--set", "replicates=1000", ranks=2)
            self.assertEqual(self.digest("out.h5", "--replicates", 300), of_300)
            self.call("run", config, "-o", "fresh.h5", "--set", "replicates=1000")
            self.assertEqual(self.digest("out.h5"), self.digest("fresh.h5"))
            self.assertNotEqual(self.digest("out.h5"), of_300)
            (self.folder / "out.h5").unlink()
            (self.folder / "fresh.h5").unlink()


if __name__ == "__main__":
    harness.main()
