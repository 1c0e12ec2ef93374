"""Stopping early: by signals and by a time limit, with exit code 3 and a way to go on."""

import os
import re
import signal
import subprocess
import time

import harness
from harness import CONFIGS, DONE, STOPPED, Case, children_of, command, selfcheck_draws


class Stop(Case):
    ARGUMENTS = ["run", CONFIGS / "selfcheck.smoke.toml", "-o", "out.h5", "--threads", "1",
                 "--set", "run.round_seconds=0.05", "--set", f"draws={selfcheck_draws()}",
                 "--set", "replicates=24000"]

    def calm_digest(self):
        self.call("run", CONFIGS / "selfcheck.smoke.toml", "-o", "calm.h5", "--quiet",
                  "--set", f"draws={selfcheck_draws()}", "--set", "replicates=24000")
        return self.digest("calm.h5")

    def interrupted(self, number, ranks=None, victim=lambda pid: pid):
        """Sends the signal once rows are in the file; returns (exit code, messages)."""
        run = subprocess.Popen(command(self.ARGUMENTS, ranks), cwd=self.folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
        said = ""
        for line in run.stderr:
            said += line
            if " replicates (" in line:
                break
        os.kill(victim(run.pid), number)
        said += run.stderr.read()
        run.stderr.close()
        return run.wait(timeout=60), said

    def check_stopped(self, code, said, reason="signal"):
        self.assertEqual(code, STOPPED, said)
        found = re.search(r"banzuke: stopped \((.*)\) with (\d+) of 72000 replicates in out\.h5: "
                          "the same command goes on", said)
        self.assertTrue(found, said)
        self.assertEqual(found[1], reason)
        self.assertLess(int(found[2]), 72000)
        status = self.call("status", "out.h5", expect=STOPPED).out
        self.assertIn(f"{found[2]} of 72000 done", status)
        self.assertIn("unfinished: run the same config again to go on", status)
        self.assertFalse((self.folder / "out.h5.lock").exists())
        return int(found[2])

    def test_signals(self):
        calm = self.calm_digest()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(number.name):
                begin = time.monotonic()
                code, said = self.interrupted(number)
                self.assertLess(time.monotonic() - begin, 10)
                self.assertGreater(self.check_stopped(code, said), 0)
                self.call(*self.ARGUMENTS)
                self.assertEqual(self.digest("out.h5"), calm)
                (self.folder / "out.h5").unlink()

    def test_signal_to_all_ranks_and_to_one(self):
        calm = self.calm_digest()
        code, said = self.interrupted(signal.SIGUSR1, ranks=2)  # mpirun passes it on
        self.check_stopped(code, said)
        code, said = self.interrupted(signal.SIGTERM, ranks=2,
                                      victim=lambda mpirun: max(children_of(mpirun)))
        self.check_stopped(code, said)
        self.call(*self.ARGUMENTS)
        self.assertEqual(self.digest("out.h5"), calm)

    def test_interrupt_of_a_whole_mpi_run(self):
        # What Ctrl-C does: everybody in the foreground gets it, mpirun too, which then ends the
        # ranks in its own way. How it is reported is mpirun's affair; the file must be fit.
        code, said = self.interrupted(signal.SIGINT, ranks=2, victim=lambda mpirun: -mpirun)
        self.assertNotEqual(code, 0, said)
        # On a busy machine the signal may come when all rows are there.
        self.assertIn(harness.banzuke("status", "out.h5", cwd=self.folder).code, (DONE, STOPPED))
        self.call(*self.ARGUMENTS)
        self.assertEqual(self.digest("out.h5"), self.calm_digest())

    def test_time_limit(self):
        answer = self.call(*self.ARGUMENTS, "--time-limit", 0, expect=STOPPED)
        self.assertEqual(self.check_stopped(answer.code, answer.err, "time limit"), 0)
        begin = time.monotonic()
        answer = self.call(*self.ARGUMENTS, "--time-limit", 0.4, expect=STOPPED)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertGreater(self.check_stopped(answer.code, answer.err, "time limit"), 0)
        answer = self.call(*self.ARGUMENTS, "--time-limit", 0.2, ranks=2, expect=STOPPED)
        self.check_stopped(answer.code, answer.err, "time limit")
        self.call(*self.ARGUMENTS, "--time-limit", 3600)
        self.assertEqual(self.digest("out.h5"), self.calm_digest())


if __name__ == "__main__":
    harness.main()
