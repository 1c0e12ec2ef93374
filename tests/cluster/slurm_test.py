"""Runs under a real Slurm, submitted by scripts/submit: MPI over two nodes, job arrays, time
limits, requeues and chains, cancelled jobs. The bytes are those of one process on its own."""

import os
import re
import subprocess
import time
from pathlib import Path

import cluster
import harness
from harness import CONFIGS, DONE, STOPPED, Case, selfcheck_draws

cluster.enclose("slurmctld", "slurmd", "munged", "sbatch", "mpirun")

SUBMIT = harness.SOURCE / "scripts" / "submit"


class Slurm(Case):
    @classmethod
    def setUpClass(cls):
        cls.hosts = cluster.Hosts(2)
        cls.slurm = cluster.Slurm(cls.hosts)
        # A user's environment: the bindings of the other tests are not wanted here.
        for name in ("OMPI_MCA_hwloc_base_binding_policy", "OMP_NUM_THREADS"):
            cls.slurm.environment.pop(name, None)

    def config(self, seconds):
        """A config of so many seconds of work on one core, in rounds of 0.1 s."""
        self.write("run.toml", f"""job = "selfcheck"
seed = 7
points = 3
draws = {selfcheck_draws()}
replicates = {int(8000 * seconds)}
output = "out.h5"
[run]
round_seconds = 0.1
""")

    def submit(self, *arguments):
        words = [str(SUBMIT), "run.toml", "--program", harness.PROGRAM, "--time", "5"]
        done = subprocess.run(words + list(map(str, arguments)), cwd=self.folder,
                              env=self.slurm.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def logs(self):
        return "\n".join(f"--- {log.name}\n{log.read_text()}"
                         for log in sorted(self.folder.glob("*.log")))

    def ends_well(self, job, seconds=90):
        self.assertEqual(self.slurm.wait_for_end(job, seconds), "COMPLETED", self.logs())

    def is_the_one_process_run(self, output="out.h5"):
        self.call("run", "run.toml", "-o", "calm.h5", "--quiet", "--threads", 1)
        self.assertEqual(self.digest(output), self.digest("calm.h5"), self.logs())

    def wait_for_rows(self, output="out.h5", least=1):
        """Until the file of a running job holds rows; returns how many."""
        def rows():
            if not (self.folder / output).exists():
                return 0
            answer = harness.banzuke("status", output, cwd=self.folder)
            return int(re.search(r"(\d+) of \d+ done", answer.out)[1])
        self.slurm.wait_until(lambda: rows() >= least, 60, f"no rows appear\n{self.logs()}")
        return rows()

    def test_mpi_and_threads_over_two_nodes(self):
        self.config(0.5)
        for launcher in ("srun", "mpirun"):
            with self.subTest(launcher):
                jobs = self.submit("--nodes", 2, "--threads", 2, "--launcher", launcher)
                self.assertEqual(len(jobs), 1)
                self.ends_well(jobs[0])
                self.is_the_one_process_run()
                self.assertIn("2 × 2 (ranks × threads) at n1, n2", self.call("status", "out.h5").out)
                self.assertNotIn("warning", self.logs())
                for path in self.folder.glob("out.h5*"):
                    path.unlink()

    def test_an_array_of_shards_and_their_merge(self):
        self.config(2)
        array, merge = self.submit("--array", 4)
        self.slurm.wait_until(lambda: (self.folder / "out.h5").exists(), 60, "no merge")
        self.ends_well(merge)
        self.assertEqual(len(list(self.folder.glob("out.shard-?-of-4.h5"))), 4)
        self.is_the_one_process_run()
        # Again, with a shard lost: only that one is computed.
        (self.folder / "out.shard-3-of-4.h5").unlink()
        (self.folder / "out.h5.lock").write_text(  # of a merge that was killed with its host
            "host: n7\npid: 77\nprocess start: 1\nuser: anna\ntime: 2026-01-01 00:00:00 UTC\n"
            "job: 4711\n")
        array, merge = self.submit("--array", 4)
        self.ends_well(merge)
        self.assertEqual(len(re.findall(r", 0 of \d+ to compute", self.logs())), 3)
        self.is_the_one_process_run()

    def test_names_with_blanks_and_patterns(self):
        self.config(0.1)
        output = "all results/it's 50%j.hdf5"
        array, merge = self.submit("--array", 2, "-o", output, "--name", "a run")
        self.ends_well(merge)
        self.assertEqual(sorted(path.suffix for path in (self.folder / "all results").iterdir()),
                         [".hdf5"] * 3 + [".log"] * 3 + [".sh"] * 2)
        self.is_the_one_process_run(output)

    def test_a_time_limit_and_a_requeue(self):
        self.config(9)
        # One minute is the shortest; all but a few seconds of it are left unused.
        job, = self.submit("--time", 1, "--leave", 45, "--warn", 2)
        self.ends_well(job, 150)
        log = self.logs()
        self.assertIn("stopped (scheduler's time limit)", log)
        self.assertIn("to be continued", log)
        self.assertGreaterEqual(self.slurm.state(job)[2], 1)
        self.is_the_one_process_run()

    def test_a_warning_signal_and_a_chain(self):
        self.config(4)
        first, second, third = self.submit("--go-on", "chain", "--jobs", 3)
        self.wait_for_rows()
        self.slurm.ask("scancel", "--batch", "--signal=USR1", first)
        self.assertEqual(self.slurm.wait_for_end(first), "FAILED")
        self.assertEqual(self.slurm.state(first)[1], f"{STOPPED}:0", self.logs())
        self.ends_well(second)
        self.ends_well(third)
        self.assertIn("stopped (signal)", self.logs())
        self.assertRegex((self.folder / f"out.h5.job-{third}.log").read_text(),
                         r", 0 of \d+ to compute")
        self.is_the_one_process_run()

    def test_scancel_and_a_second_submission(self):
        self.config(6)
        job, = self.submit("--nodes", 2)
        rows = self.wait_for_rows()
        self.slurm.ask("scancel", job)
        self.assertEqual(self.slurm.wait_for_end(job), "CANCELLED", self.logs())
        self.assertEqual(self.slurm.state(job)[2], 0, "a cancelled job went on by itself")
        self.call("status", "out.h5", expect=STOPPED)
        again, = self.submit("--nodes", 2)
        self.ends_well(again)
        self.assertIn("to compute, on 2 ranks", self.logs())
        self.assertGreaterEqual(self.wait_for_rows(), rows)
        self.is_the_one_process_run()

    def test_a_killed_job_is_requeued_on_another_node(self):
        self.config(4)
        job, = self.submit("--directive=--exclude=n2")
        self.wait_for_rows()
        self.slurm.ask("scontrol", "update", f"JobId={job}", "ExcNodeList=n1")
        victims = [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline")
                   if path.read_bytes().startswith(harness.PROGRAM.encode() + b"\0run")]
        self.assertGreaterEqual(len(victims), 1)
        subprocess.run(["kill", "-9"] + victims)
        self.slurm.wait_until(lambda: self.slurm.state(job)[2] == 1, 20, "no requeue")
        self.slurm.ask("scontrol", "update", f"JobId={job}", "ExcNodeList=n1")
        self.ends_well(job)
        status = self.call("status", "out.h5").out
        self.assertRegex(status, r"(?s)at n1,.*at n2,")
        self.is_the_one_process_run()

    def test_a_stop_file_ends_a_job_for_good(self):
        self.config(4)
        job, = self.submit()
        self.wait_for_rows()
        self.write("out.h5.stop", "")
        self.assertEqual(self.slurm.wait_for_end(job), "FAILED")
        self.assertIn("a stop file was found: not continued", self.logs())
        self.assertFalse((self.folder / "out.h5.stop").exists())
        self.ends_well(self.submit()[0])
        self.is_the_one_process_run()

    def test_a_run_that_computes_nothing_is_not_continued(self):
        self.config(1)
        broken = self.write("broken", f'#!/bin/sh\n[ "$1" != run ] || exit 1\nexec {harness.PROGRAM}'
                                      ' "$@"\n')
        broken.chmod(0o755)
        job, = self.submit("--program", str(broken))
        self.assertEqual(self.slurm.wait_for_end(job), "FAILED", self.logs())
        self.assertEqual(self.slurm.state(job)[1:], ("1:0", 0), self.logs())
        self.assertIn("nothing was computed, and again it would be so: not continued", self.logs())

    def test_a_wrong_config_is_not_submitted(self):
        self.config(1)
        self.write("run.toml", (self.folder / "run.toml").read_text() + "threds = 2\n")
        done = subprocess.run([SUBMIT, "run.toml", "--program", harness.PROGRAM], cwd=self.folder,
                              env=self.slurm.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, harness.INPUT, done.stderr)
        self.assertIn('did you mean "threads"?', done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run.toml"])


if __name__ == "__main__":
    harness.main()
