"""Writes that fail: every tenth one of a run, an extension and a merge, every second of a creation.
The exit code and the message are right, what was committed stays, nothing is left beside the file,
and the same command then completes the run. Short and interrupted writes do no harm."""

import errno
import os
import re
import resource
import subprocess

import harness
from harness import BUG, CONFIGS, DONE, INPUT, STOPPED, Answer, Case, command

GRAMMAR = re.compile(r"banzuke: \S+: [^()]+ \(.+\): .+")


class Faults(Case):
    def arguments(self, output, replicates=400):
        return ["run", CONFIGS / "selfcheck.smoke.toml", "-o", output, "--threads", "1",
                "--set", "run.round_seconds=0.001", "--set", "draws=30",
                "--set", f"replicates={replicates}"]

    def faulty(self, arguments, at, error, every=0, calls=None):
        """The answer, and whether a call was hit."""
        count = self.folder / "count"
        count.unlink(missing_ok=True)
        environment = dict(os.environ, LD_PRELOAD=os.environ["BANZUKE_FAULTS"],
                           ASAN_OPTIONS="verify_asan_link_order=0", FAULT_FILES="/out.h5",
                           FAULT_AT=str(at), FAULT_EVERY=str(every), FAULT_ERROR=str(error),
                           FAULT_COUNT=str(count))
        if calls:
            environment["FAULT_CALLS"] = calls
        done = subprocess.run(command(arguments), cwd=self.folder, env=environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        return Answer(done.returncode, done.stdout, done.stderr), int(count.read_text()) >= at

    def calm(self, replicates=400):
        self.call(*self.arguments("calm.h5", replicates), "--quiet")
        return self.digest("calm.h5")

    def left(self):
        return sorted(path.name for path in self.folder.glob("out.h5*"))

    def rows_done(self):
        answer = harness.banzuke("status", "out.h5", cwd=self.folder)
        self.assertIn(answer.code, (DONE, STOPPED), answer)
        return int(re.search(r"(\d+) of \d+ done", answer.out)[1])

    def check_words(self, answer, error):
        said = [line for line in answer.err.splitlines() if line.startswith("banzuke: ")]
        self.assertTrue(said, answer)
        self.assertRegex(said[0], GRAMMAR)
        self.assertIn(os.strerror(error), said[0])

    def disturb(self, arguments, before, step, resume=None):
        """Lets call 1, 1 + step, 1 + 2 step, … fail, each time from `before()`; the number of
        failures. Every other time all calls from there on fail, and the errors take turns."""
        failures = 0
        wanted = self.calm(arguments_replicates(arguments))
        for i in range(100000):
            at = 1 + i * step
            error = (errno.ENOSPC, errno.EIO, errno.EDQUOT)[i % 3]
            had = before()
            answer, hit = self.faulty(arguments, at, error, every=i % 2)
            what = f"call {at}, {os.strerror(error)}, every={i % 2}: {answer}"
            if not hit:
                self.assertEqual(answer.code, DONE, what)
                return failures
            failures += 1
            if answer.code == DONE:
                # All is done but the last word on the session, or a link that a rename stands for.
                self.assertEqual(self.rows_done(), arguments_replicates(arguments) * 3, what)
            else:
                self.assertIn(answer.code, (BUG, INPUT), what)
                self.check_words(answer, error)
            self.assertIn(self.left(), ([], ["out.h5"]), what)
            if had or self.left():
                reported = re.findall(r"^(\d+) of \d+ replicates", answer.err, re.MULTILINE)
                self.assertGreaterEqual(self.rows_done(), max([had, *map(int, reported)]), what)
            if answer.code == BUG:
                self.assertTrue(self.left(), what)
            self.call(*(resume or arguments))
            self.assertEqual(self.digest("out.h5"), wanted, what)
        return failures

    def nothing(self):
        (self.folder / "out.h5").unlink(missing_ok=True)
        return 0

    def test_every_tenth_call_of_a_run(self):
        self.assertGreater(self.disturb(self.arguments("out.h5"), self.nothing, 10), 10)

    def test_every_tenth_call_of_an_extension(self):
        self.call(*self.arguments("part.h5", 200), "--quiet")
        content = (self.folder / "part.h5").read_bytes()

        def before():
            self.write("out.h5", content)
            return 600
        self.assertGreater(self.disturb(self.arguments("out.h5"), before, 10), 10)

    def test_every_tenth_call_of_a_merge(self):
        for shard in ("1/2", "2/2"):
            self.call(*self.arguments("all.h5"), "--shard", shard, "--quiet")
        merge = ["merge", "out.h5", "all.shard-1-of-2.h5", "all.shard-2-of-2.h5"]
        self.assertGreater(self.disturb(merge, self.nothing, 10), 5)

    def test_a_merge_commits_many_points_at_once(self):
        many = ["--set", "points=300", "--set", "replicates=1", "--quiet"]
        for shard in ("1/2", "2/2"):
            self.call(*self.arguments("all.h5"), *many, "--shard", shard)
        merge = ["merge", "out.h5", "all.shard-1-of-2.h5", "all.shard-2-of-2.h5"]
        answer, _ = self.faulty(merge, 0, 0)
        self.assertEqual(answer.code, DONE, answer)
        self.assertLess(int((self.folder / "count").read_text()), 300)

    def test_every_second_call_of_a_creation(self):
        create = [*self.arguments("out.h5"), "--time-limit", "0"]
        failures = 0
        for at in range(1, 1000, 2):
            error = (errno.ENOSPC, errno.EIO, errno.EDQUOT)[at % 3]
            self.nothing()
            answer, hit = self.faulty(create, at, error, every=at // 2 % 2)
            what = f"call {at}, {os.strerror(error)}: {answer}"
            if not hit:
                self.assertEqual(answer.code, STOPPED, what)
                break
            failures += 1
            self.assertIn(self.left(), ([], ["out.h5"]), what)
            if answer.code == STOPPED:
                self.assertEqual(self.rows_done(), 0, what)
                continue
            self.assertIn(answer.code, (BUG, INPUT), what)
            self.check_words(answer, error)
            if self.left():
                self.assertEqual(self.rows_done(), 0, what)
        self.assertGreater(failures, 20)

    def test_a_limit_on_the_size_of_files(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        done = subprocess.run(command(self.arguments("out.h5", 100_000)), cwd=self.folder,
                              text=True, capture_output=True, preexec_fn=limit)
        self.assertEqual(done.returncode, INPUT, done.stderr)
        self.assertIn("File too large): raise the limit on the size of files", done.stderr)
        self.assertEqual(self.left(), [])

    def test_short_and_interrupted_writes_do_no_harm(self):
        wanted = self.calm()
        for error, every, calls in ((0, 1, "write"), (0, 3, "write"), (errno.EINTR, 2, "write"),
                                    (errno.EINTR, 2, "write,fsync")):
            for at in (1, 2, 12):
                self.nothing()
                answer, hit = self.faulty(self.arguments("out.h5"), at, error, every, calls)
                self.assertTrue(hit)
                self.assertEqual(answer.code, DONE, f"{error} {every} {calls} {at}: {answer}")
                self.assertEqual(self.digest("out.h5"), wanted)


def arguments_replicates(arguments):
    found = [re.fullmatch(r"replicates=(\d+)", str(word)) for word in arguments]
    return next((int(match[1]) for match in found if match), 400)


if __name__ == "__main__":
    harness.main()
