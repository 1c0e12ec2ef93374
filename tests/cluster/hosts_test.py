"""MPI over several hosts, with TCP between them: equal bytes, and an end when one is lost."""

import re
import subprocess
import time
from pathlib import Path

import cluster
import harness
from harness import CONFIGS, DONE, INPUT, STOPPED, Case, selfcheck_draws

cluster.enclose("mpirun")
HOSTS = cluster.Hosts(3)


class HostsCase(Case):
    """Work of about eight seconds on one core, in rounds of 50 ms."""

    ROWS = 3 * 60000

    def arguments(self, output):
        return ["run", CONFIGS / "selfcheck.smoke.toml", "-o", output, "--threads", "1",
                "--set", "run.round_seconds=0.05", "--set", f"draws={selfcheck_draws()}",
                "--set", f"replicates={self.ROWS // 3}"]

    def start(self, ranks, output):
        """A run on the first hosts; its messages go to a file."""
        words = HOSTS.mpirun(ranks) + [harness.PROGRAM, *map(str, self.arguments(output))]
        with open(self.folder / "err.txt", "wb") as err:
            return subprocess.Popen(words, cwd=self.folder, env=cluster.mpi_environment(),
                                    stdin=subprocess.DEVNULL, stdout=err, stderr=err)

    def said(self):
        return (self.folder / "err.txt").read_text()

    def wait_for_rows(self, run):
        while not re.search(r"^\d+ of \d+ replicates", self.said(), re.MULTILINE):
            self.assertIsNone(run.poll(), self.said())
            time.sleep(0.02)

    def rows_done(self, output):
        answer = harness.banzuke("status", output, cwd=self.folder)
        self.assertIn(answer.code, (DONE, STOPPED), answer)
        return int(re.search(r"(\d+) of \d+ done", answer.out)[1])

    def undisturbed(self):
        self.call(*self.arguments("calm.h5"), "--quiet")
        return self.digest("calm.h5")


class SeveralHosts(HostsCase):
    ROWS = 3 * 4000

    def test_two_and_three_hosts_give_the_same_bytes(self):
        calm = self.undisturbed()
        for ranks in (2, 3):
            run = self.start(ranks, f"{ranks}.h5")
            self.assertEqual(run.wait(timeout=60), DONE, self.said())
            self.assertEqual(self.digest(f"{ranks}.h5"), calm)
            names = HOSTS.names[:ranks]
            status = self.call("status", f"{ranks}.h5").out
            self.assertIn(f"on {ranks} × 1 (ranks × threads) at {', '.join(names)},", status)
            for name in names:
                self.assertIn(f"\n  {name}: 1 rank × 1 thread, CPUs ", self.said())


class LostHosts(HostsCase):
    def complete(self, output):
        """The same command again, on the same hosts, finishes with the same bytes."""
        before = self.rows_done(output)
        self.assertLess(before, self.ROWS)
        self.assertGreater(before, 0)
        run = self.start(2, output)
        self.assertEqual(run.wait(timeout=60), DONE, self.said())
        self.assertIn(f"{self.ROWS - before} of {self.ROWS} to compute", self.said())
        self.assertEqual(self.digest(output), self.undisturbed())

    def test_a_killed_rank_ends_the_run(self):
        run = self.start(2, "killed.h5")
        self.wait_for_rows(run)
        # Of rank 1, which has no child but the host's own daemon as parent.
        found = [path.parent for path in Path("/proc").glob("[0-9]*/environ")
                 if b"OMPI_COMM_WORLD_RANK=1\0" in self.content(path)]
        self.assertEqual(len(found), 1)
        begin = time.monotonic()
        subprocess.run(["kill", "-9", found[0].name], check=True)
        self.assertNotEqual(run.wait(timeout=30), 0)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertIn("exited on signal 9", self.said())
        self.complete("killed.h5")

    def content(self, path):
        try:
            return path.read_bytes()
        except OSError:
            return b""

    def test_a_host_that_is_cut_off_ends_the_run(self):
        run = self.start(2, "cut.h5")
        self.wait_for_rows(run)
        # A quiet machine has rows before mpirun has seen its daemons through their start: what it
        # says of a host lost then is another message.
        time.sleep(1)
        begin = time.monotonic()
        HOSTS.cut_off("n2")
        try:
            self.assertNotEqual(run.wait(timeout=60), 0)
        finally:
            HOSTS.reconnect("n2")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertIn("lost communication", re.sub(r"\s+", " ", self.said()))
        self.complete("cut.h5")

    def test_the_lock_of_another_host_is_explained(self):
        self.call(*self.arguments("out.h5"), "--time-limit", 0, expect=STOPPED)
        (self.folder / "out.h5.lock").write_text(
            "host: n7\npid: 77\nprocess start: 1\nuser: anna\ntime: 2026-01-01 00:00:00 UTC\n"
            "job: 4711\n")
        answer = self.call(*self.arguments("out.h5"), expect=INPUT)
        self.assertIn("process 77 of anna on host n7 since 2026-01-01 00:00:00 UTC, job 4711",
                      answer.err)
        self.assertIn("if that host has lost it, delete the lock file", answer.err)


if __name__ == "__main__":
    harness.main()
