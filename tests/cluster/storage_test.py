"""Disks that fail under a run: read-only, vanished, full, without locks, held by a reader. What was
committed stays, the message says why, and the same command completes the run."""

import errno
import re
import shutil
import subprocess
import time
import unittest

import cluster
import harness
from harness import BUG, CONFIGS, DONE, INPUT, STOPPED, Case, command, selfcheck_draws

cluster.enclose("mount", "umount")


class Disk(Case):
    """A run on a disk of its own, mounted by the tests."""
    REPLICATES = 30000

    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()

    def mount(self, *options):
        done = subprocess.run(["mount", *options, str(self.disk)], capture_output=True, text=True)
        if done.returncode == 0:
            self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.disk)])
        return done

    def arguments(self, output="disk/deep/out.h5", replicates=None):
        return ["run", CONFIGS / "selfcheck.smoke.toml", "-o", output, "--threads", "1",
                "--set", "run.round_seconds=0.05", "--set", f"draws={selfcheck_draws()}",
                "--set", f"replicates={replicates or self.REPLICATES}"]

    def start(self, **keywords):
        """A run that has committed rows."""
        run = subprocess.Popen(command(self.arguments()), cwd=self.folder, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, **keywords)
        self.addCleanup(run.stderr.close)
        for line in run.stderr:
            if " replicates (" in line:
                return run
        self.fail("no rows are committed")

    def fails(self, run, *words):
        """The run ends with a message of ours; returns it."""
        said = run.stderr.read()
        self.assertEqual(run.wait(timeout=30), BUG, said)
        lines = [line for line in said.splitlines() if " replicates (" not in line]
        for word in words:
            self.assertTrue(any(word in line for line in lines), said)
        return lines

    def completes(self):
        rows = 3 * self.REPLICATES
        answer = self.call("status", "disk/deep/out.h5", expect=STOPPED)
        done = int(re.search(r"(\d+) of \d+ done", answer.out)[1])
        self.assertGreater(done, 0)
        self.assertLess(done, rows)
        answer = self.call(*self.arguments())
        self.assertIn(f"{rows - done} of {rows} to compute", answer.err)
        self.call(*self.arguments("calm.h5"), "--quiet")
        self.assertEqual(self.digest("disk/deep/out.h5"), self.digest("calm.h5"))

class Storage(Disk):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.mount("-t", "tmpfs", "-o", "size=4m", "tmpfs").returncode, 0)

    def remount(self, how):
        """The disk is busy while a commit has the file open."""
        for _ in range(200):
            done = subprocess.run(["mount", "-o", f"remount,{how}", str(self.disk)],
                                  stderr=subprocess.DEVNULL)
            if done.returncode == 0:
                return
            time.sleep(0.005)
        self.fail("the disk stays busy")

    def test_a_disk_that_becomes_read_only(self):
        run = self.start()
        self.remount("ro")
        self.fails(run, "Read-only file system", "the same command goes on")
        self.remount("rw")
        self.completes()

    def test_a_folder_that_vanishes(self):
        run = self.start()
        (self.disk / "deep").rename(self.disk / "elsewhere")
        self.fails(run, "disk/deep/out.h5: the result file cannot be written (No such file or "
                   "directory): bring it back and run again")
        (self.disk / "elsewhere").rename(self.disk / "deep")
        self.completes()

    def test_a_disk_that_is_full_needs_no_space(self):
        run = self.start()
        with self.assertRaises(OSError):
            (self.disk / "junk").write_bytes(bytes(8 << 20))
        said = run.stderr.read()
        self.assertEqual(run.wait(timeout=60), DONE, said)

    def test_a_disk_too_small_is_found_at_the_start(self):
        answer = self.call(*self.arguments(replicates=1000000), expect=INPUT)
        self.assertIn("the disk is too small for the output (it needs ", answer.err)
        self.assertEqual(list(self.disk.iterdir()), [])

    def test_a_merge_on_a_full_disk(self):
        for shard in ("1/2", "2/2"):
            self.call(*self.arguments("out.h5"), "--shard", shard, "--quiet")
        shards = ["out.shard-1-of-2.h5", "out.shard-2-of-2.h5"]
        with self.assertRaises(OSError):
            (self.disk / "junk").write_bytes(bytes(8 << 20))
        answer = self.call("merge", "disk/out.h5", *shards, expect=INPUT)
        self.assertIn("(No space left on device): free space or choose another", answer.err)
        with open(self.disk / "junk", "r+b") as junk:  # room for a lock, not for the file
            junk.truncate((self.disk / "junk").stat().st_size - 65536)
        answer = self.call("merge", "disk/out.h5", *shards, expect=INPUT)
        self.assertIn("the disk is too small for the output", answer.err)
        self.assertEqual([path.name for path in self.disk.iterdir()], ["junk"])
        (self.disk / "junk").unlink()
        self.call("merge", "disk/out.h5", *shards)
        self.call(*self.arguments("calm.h5"), "--quiet")
        self.assertEqual(self.digest("disk/out.h5"), self.digest("calm.h5"))

    @unittest.skipUnless(shutil.which("cc"), "no C compiler to take the locks away with")
    def test_a_file_system_without_locks(self):
        self.write("no_locks.c", "#include <errno.h>\n"
                   "int flock(int file, int how) { errno = ENOLCK; return -1; }\n")
        cluster.call("cc", "-shared", "-fPIC", "-o", self.folder / "no_locks.so",
                     self.folder / "no_locks.c")
        without = dict(harness.os.environ, LD_PRELOAD=str(self.folder / "no_locks.so"))
        arguments = self.arguments("out.h5", replicates=300)

        def run(*more):
            return subprocess.run(command(arguments + list(more)), cwd=self.folder, env=without,
                                  capture_output=True, text=True)
        done = run()
        self.assertEqual(done.returncode, BUG, done.stderr)
        self.assertIn("out.h5: the result file cannot be locked (No locks available; its file "
                      "system has no file locks): set run.locking to false", done.stderr)
        done = run("--set", "run.locking=false")
        self.assertEqual(done.returncode, DONE, done.stderr)
        merge = command(["merge", "whole.h5", "out.h5"])
        done = subprocess.run(merge, cwd=self.folder, env=without, capture_output=True, text=True)
        self.assertEqual(done.returncode, BUG, done.stderr)
        without["HDF5_USE_FILE_LOCKING"] = "FALSE"
        done = subprocess.run(merge, cwd=self.folder, env=without, capture_output=True, text=True)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(self.digest("whole.h5"), self.digest("out.h5"))

    def test_a_reader_that_holds_the_file(self):
        run = self.start()
        hold = ["/usr/bin/python3", "-c", "import h5py, time; f = h5py.File('disk/deep/out.h5'); "
                "print(f['records/status'].shape, flush=True); time.sleep(1.5)"]
        held = subprocess.run(hold, cwd=self.folder, capture_output=True, text=True)
        if "No module named" in held.stderr:
            run.kill()
            run.wait()
            self.skipTest("h5py is missing")
        self.assertEqual(held.stdout, f"(3, {self.REPLICATES})\n", held.stderr)
        said = run.stderr.read()
        self.assertEqual(run.wait(timeout=60), DONE, said)
        self.assertIn("another program holds the result file open; waiting", said)


class Quota(Disk):
    """btrfs: a quota of its own for each folder, and no block is ever written twice, so that also
    what is there already needs space when it is written again."""

    def setUp(self):
        super().setUp()
        if not shutil.which("mkfs.btrfs"):
            self.skipTest("mkfs.btrfs is missing: scripts/install-packages cluster")
        image = self.folder / "image"
        with open(image, "wb") as file:
            file.truncate(256 << 20)
        cluster.call("mkfs.btrfs", "--quiet", image, stdout=subprocess.DEVNULL)
        done = self.mount("-o", "loop", str(image))
        if done.returncode != 0:
            self.skipTest(f"no image can be mounted here: {done.stderr.strip()}")
        self.home = self.disk / "deep"
        self.btrfs("quota", "enable", self.disk)
        self.btrfs("subvolume", "create", self.home)

    def btrfs(self, *words):
        cluster.call("btrfs", *words, stdout=subprocess.DEVNULL)

    def limit(self, size):
        self.btrfs("filesystem", "sync", self.disk)
        self.btrfs("qgroup", "limit", size, self.home)

    def fill(self):
        with self.assertRaises(OSError) as raised:
            (self.home / "junk").write_bytes(bytes(16 << 20))
        self.assertEqual(raised.exception.errno, errno.EDQUOT)

    def test_a_quota_that_is_reached(self):
        self.limit("8M")
        run = self.start()
        self.fill()
        self.fails(run, "failed: Disk quota exceeded): check the disk and its free space, then run "
                   "again: the rows committed before are kept")
        self.limit("none")
        self.completes()

    def test_a_quota_too_small_is_found_at_the_start(self):
        self.limit("1M")
        answer = self.call(*self.arguments(), expect=INPUT)
        self.assertIn("Disk quota exceeded", answer.err)
        self.assertEqual(list(self.home.iterdir()), [])


if __name__ == "__main__":
    harness.main()
