"""Twenty random `kill -9` and a resume after each: nothing committed is lost, the bytes are those
of the undisturbed run."""

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import harness
from harness import CONFIGS, Case, children_of, command, selfcheck_draws


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Kills(Case):
    # Rounds of some 20 ms: every kill comes after a few of them.
    ARGUMENTS = ["run", CONFIGS / "selfcheck.smoke.toml", "-o", "out.h5", "--threads", "1",
                 "--set", "run.round_seconds=0.02", "--set", f"draws={selfcheck_draws()}"]

    def rows_done(self):
        """What `status` says; None while there is no file. Any other trouble is a failure."""
        if not (self.folder / "out.h5").exists():
            return None
        answer = harness.banzuke("status", "out.h5", cwd=self.folder)
        self.assertIn(answer.code, (harness.DONE, harness.STOPPED), answer)
        found = re.search(r"(\d+) of (\d+) done", answer.out)
        committed = [int(n) for n in re.findall(r": (\d+) rows on ", answer.out)]
        # A kill between a round's rows and its session's count leaves that count behind.
        self.assertLessEqual(sum(committed), int(found[1]))
        return int(found[1])

    def start(self, arguments, ranks):
        """Starts a run; its messages go to a file."""
        with open(self.folder / "err.txt", "wb") as err:
            return subprocess.Popen(command(arguments, ranks), cwd=self.folder, stderr=err,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    start_new_session=True)

    def rows_reported(self):
        """Rows in the file by the last complete line of progress."""
        lines = (self.folder / "err.txt").read_text().split("\n")[:-1]
        counts = [int(m[1]) for line in lines if (m := re.match(r"(\d+) of \d+ replicates", line))]
        return counts[-1] if counts else 0

    def disturb(self, seed, kills, ranks, victim_of, replicates):
        arguments = self.ARGUMENTS + ["--set", f"replicates={replicates}"]
        calm = self.undisturbed(replicates)
        chance = random.Random(seed)
        before, kills_in_work, attempt = 0, 0, 0
        while attempt < kills or kills_in_work < kills // 2:
            self.assertLess(attempt, 5 * kills, "too few kills came while rows were computed")
            attempt += 1
            run = self.start(arguments, ranks)
            if attempt % 2 == 0 or ranks:  # else: from the very start of the process
                while run.poll() is None and not self.rows_reported():
                    time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.25))
            ended_before = run.poll() is not None
            ranks_alive = children_of(run.pid)
            kill(victim_of(chance, run.pid))
            # The other processes of an MPI run are gone before the next one begins.
            deadline = time.monotonic() + 20
            while run.poll() is None and time.monotonic() < deadline:
                time.sleep(0.002)
            while any(map(is_running, ranks_alive)) and time.monotonic() < deadline:
                time.sleep(0.002)
            self.assertIsNotNone(run.poll(), "the run hangs after a kill")
            self.assertFalse(any(map(is_running, ranks_alive)), "a rank hangs after a kill")
            if ended_before:
                self.assertEqual(run.returncode, 0, (self.folder / "err.txt").read_text())
            done = self.rows_done()
            if done is None:
                self.assertEqual(before, 0, "the file is gone")
                continue
            # At most the round in work is lost: all that was reported as committed is there.
            self.assertGreaterEqual(done, max(before, self.rows_reported()))
            kills_in_work += 0 < done < 3 * replicates
            before = done
            if done == 3 * replicates:  # this machine was faster than the kills: once more
                self.assertEqual(self.digest("out.h5"), calm)
                (self.folder / "out.h5").unlink()
                before = 0
        answer = self.call(*arguments, ranks=ranks)
        self.assertIn(f"done: all {3 * replicates} replicates", answer.err)
        self.assertEqual(self.digest("out.h5"), calm)
        self.assertEqual([p.name for p in self.folder.glob("out*")], ["out.h5"])

    def undisturbed(self, replicates):
        self.call("run", CONFIGS / "selfcheck.smoke.toml", "-o", "calm.h5", "--quiet",
                  "--set", f"draws={selfcheck_draws()}", "--set", f"replicates={replicates}")
        return self.digest("calm.h5")

    def test_one_process(self):
        replicates = 35000
        self.disturb(20160701, 20, None, lambda chance, pid: pid, replicates)

    def test_two_ranks(self):
        def victim(chance, mpirun):
            ranks = children_of(mpirun)
            return chance.choice([mpirun] + ranks * 2) if ranks else mpirun

        replicates = 20000
        self.disturb(20160702, 8, 2, victim, replicates)

    def test_at_the_beginning(self):
        arguments = self.ARGUMENTS + ["--set", "replicates=400"]
        chance = random.Random(3)
        for _ in range(20):
            run = self.start(arguments, None)
            time.sleep(chance.uniform(0.0, 0.03))
            kill(run.pid)
            run.wait()
            self.rows_done()
        self.call(*arguments)
        self.assertEqual(self.digest("out.h5"), self.undisturbed(400))

    def test_while_the_file_is_made_larger(self):
        chance = random.Random(4)
        self.call(*self.ARGUMENTS, "--set", "replicates=400")
        of_400 = self.digest("out.h5")
        asked, before = 400, 1200
        for _ in range(10):
            asked += 50
            run = self.start(self.ARGUMENTS + ["--set", f"replicates={asked}"], None)
            time.sleep(chance.uniform(0.0, 0.05))
            kill(run.pid)
            run.wait()
            done = self.rows_done()
            self.assertGreaterEqual(done, before)
            self.assertEqual(self.digest("out.h5", "--replicates", 400), of_400)
            before = done
        self.call(*self.ARGUMENTS, "--set", f"replicates={asked}")
        self.assertEqual(self.digest("out.h5"), self.undisturbed(asked))

    def test_a_second_run_is_refused_while_the_first_is_at_work(self):
        arguments = self.ARGUMENTS + ["--set", "replicates=15000"]
        run = self.start(arguments, None)
        while run.poll() is None and not self.rows_reported():
            time.sleep(0.002)
        answer = self.call(*arguments, expect=harness.INPUT)
        self.assertIn(f"another run is writing to this output (process {run.pid} of", answer.err)
        self.assertEqual(run.wait(), 0, "the first run is not disturbed")
        self.assertEqual(self.digest("out.h5"), self.undisturbed(15000))


if __name__ == "__main__":
    harness.main()
