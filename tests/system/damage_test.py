"""A hundred malformed configs and more, of every job, and thirty damaged result files and more:
exit code 2 with one message each, never a crash, a hang or a bug's exit code."""

import random
import re

import harness
from harness import BUG, CONFIGS, DONE, INPUT, STOPPED, Case, banzuke, job_names

# What makes any config wrong: a function of its text each.
MALFORMED = {
    "unknown key": lambda text: "lucky_number = 7\n" + text,
    "unknown table": lambda text: text + "\n[luck]\nnumber = 7\n",
    "key written twice": lambda text: 'output = "a.h5"\n' + text,
    "no job": lambda text: re.sub(r'(?m)^job = .*$', "", text),
    "another job's name": lambda text: re.sub(r'(?m)^job = ".', 'job = "x', text),
    "job of another type": lambda text: re.sub(r'(?m)^job = .*$', "job = 5", text),
    "output of another type": lambda text: re.sub(r'(?m)^output = .*$', "output = [1]", text),
    "no end of a text": lambda text: text + '\n"',
    "a bracket left open": lambda text: text + "\n[",
    "a table where a value is": lambda text: text + "\n[seed]\nx = 1\n",
    "negative replicates": lambda text: "replicates = -1\n" + without("replicates", text),
    "replicates without end": lambda text: "replicates = inf\n" + without("replicates", text),
    "a NUL": lambda text: text + "\0",
    "no UTF-8": lambda text: text.encode() + b"\n# \xff\xfe\n",
    "threads that are none": lambda text: text + "\n[run]\nthreads = -1\n",
    "a key of run misspelt": lambda text: text + "\n[run]\nround_second = 1\n",
    "cut in the middle of a key": lambda text: text + "\n[run]\nround_sec",
}


def without(key, text):
    return re.sub(rf"(?m)^{key} = .*$", "", text)


class Malformed(Case):
    def test_configs_of_every_job(self):
        tried = 0
        for job in job_names():
            text = (CONFIGS / f"{job}.smoke.toml").read_text()
            text = text.replace('"data/', f'"{CONFIGS}/data/')
            self.assertEqual(self.check(text).code, DONE)
            for what, spoil in MALFORMED.items():
                answer = self.check(spoil(text))
                self.assertEqual(answer.code, INPUT, f"{job}, {what}: {answer}")
                self.assertEqual(len(answer.err.splitlines()), 1, f"{job}, {what}: {answer}")
                self.assertRegex(answer.err, r"^banzuke: .*config\.toml", f"{job}, {what}")
                tried += 1
        self.assertGreaterEqual(tried, 100)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["config.toml"])

    def check(self, content):
        self.write("config.toml", content)
        return banzuke("check", "config.toml", cwd=self.folder)


class Damaged(Case):
    RUN = ("run", CONFIGS / "bt_uncertainty.smoke.toml", "-o", "bad.h5", "--threads", "1", "--set",
           "replicates=20")

    def damaged(self):
        """Name, bytes, and whether everybody must notice."""
        self.call(*self.RUN, "--quiet")
        good = (self.folder / "bad.h5").read_bytes()
        chance = random.Random(30)
        yield "empty", b"", True
        yield "text", b"dear diary\n", True
        yield "signature alone", good[:8], True
        for share in range(1, 11):
            yield f"cut at {share}/11", good[:len(good) * share // 11], True
        schema = good.index(b"banzuke_schema")
        value = good.index((1).to_bytes(8, "little"), schema)
        yield "schema 2, without its checksum", good[:value] + b"\2" + good[value + 1:], True
        for at in range(0, 48, 4):
            flipped = bytes([good[at] ^ 1 << chance.randrange(8)])
            yield f"bit of the superblock, byte {at}", good[:at] + flipped + good[at + 1:], True
        for _ in range(20):
            at = chance.randrange(len(good))
            flipped = bytes([good[at] ^ 1 << chance.randrange(8)])
            yield f"bit of byte {at}", good[:at] + flipped + good[at + 1:], False
            end = at + chance.randrange(1, 600)
            yield f"zeros from {at} to {end}", good[:at] + bytes(len(good[at:end])) + good[end:], \
                False

    def test_result_files(self):
        tried = 0
        for what, content, must_notice in self.damaged():
            for arguments in (("status", "bad.h5"), ("table", "bad.h5"), ("digest", "bad.h5"),
                              ("merge", "whole.h5", "bad.h5"), self.RUN):
                self.write("bad.h5", content)
                answer = banzuke(*arguments, cwd=self.folder)
                said = f"{what}, {arguments[0]}: {answer}"
                (self.folder / "whole.h5").unlink(missing_ok=True)
                if must_notice or answer.code == INPUT:
                    self.assertEqual(answer.code, INPUT, said)
                    self.assertRegex(answer.err, r"banzuke: (\S*bad\.h5|\"bad\.h5\")", said)
                elif answer.code == BUG:
                    # The file system may do as much: reading fails, and says where.
                    self.assertRegex(answer.err, r"banzuke: \S*bad\.h5: ", said)
                else:
                    self.assertIn(answer.code, (DONE, STOPPED), said)
            tried += 1
        self.assertGreaterEqual(tried, 30)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["bad.h5"])


if __name__ == "__main__":
    harness.main()
