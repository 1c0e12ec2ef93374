"""Mistakes of the user: exit code 2, one message with file, line and remedy, nothing made or
changed."""

import os
import subprocess

import harness
from harness import CONFIGS, INPUT, Case, banzuke

GOOD = "player1,player2,wins1,wins2\nAnna,Bo,3,2\nBo,Cy,4,1\nCy,Anna,2,3\n"


class Refusals(Case):
    def test_the_good_config_is_good(self):
        self.pairs_config(GOOD)
        self.call("check", "config.toml")
        self.assertFalse((self.folder / "out.h5").exists())
        self.call("run", "config.toml")

    def test_unknown_and_misspelt_keys(self):
        for kind, text, near in [
                ("top", "replicate = 4", '"replicates"'), ("top", "sede = 4", '"seed"'),
                ("games_keys", 'draw = "half"', '"draws"'), ("scale", "refrence", '"reference"'),
                ("extra", "[truht]", '"truth"'), ("extra", "[games.column]", '"columns"'),
                ("extra", "[run]\nround_second = 3", '"round_seconds"')]:
            with self.subTest(text):
                keys = {kind: 'refrence = "Anna"' if kind == "scale" else text}
                self.pairs_config(GOOD, **keys)
                key = text.split("\n")[-1]
                self.refuses("unknown key", f"did you mean {near}?",
                             line=f"config.toml:{self.line_of(key)}")
        self.pairs_config(GOOD, top="colour = 3")
        self.refuses('unknown key "colour"', "remove it; the keys at the top are job, seed,",
                     line=f"config.toml:{self.line_of('colour')}")

    def test_keys_without_end(self):
        for parts in (2000, 60000):
            key = ".".join("k" * parts)
            for text in (f"{key} = 1", f"[{key}]", f"a = {{{key} = 1}}"):
                self.pairs_config(GOOD, extra=text)
                self.refuses("a key has more than 1000 parts",
                             line=f"config.toml:{self.line_of(text[:20])}")

    def test_misspelt_jobs_and_words(self):
        self.pairs_config(GOOD, games_keys='draws = "halve"')
        self.refuses('did you mean "half"?', line=f"config.toml:{self.line_of('halve')}")
        path = self.pairs_config(GOOD)
        path.write_text(path.read_text().replace("bt_uncertainty", "bt_uncertanty"))
        self.refuses('did you mean "bt_uncertainty"?', line="config.toml:1")

    def test_types_and_ranges(self):
        for override, words in [
                ('replicates="many"', "whole number"), ("replicates=1.5", "whole number"),
                ("replicates=0", "out of range"), ("replicates=-3", "out of range"),
                ("replicates=5000000000", "out of range"), ("seed=-1", "out of range"),
                ("seed=true", "whole number"), ("output=3", "a text"), ('output=""', "is empty"),
                ("games.files=3", "a list of texts"), ("games.files=[]", "a list of texts"),
                ("games.files=[1]", "a list of texts"), ("games=3", "a table [games]"),
                ('scale.rating="x"', "a number"), ("scale.rating=nan", "finite"),
                ("scale.rating=inf", "finite"), ("scale.rating=1e7", "out of range"),
                ("seed=-1", "from 0 to 9223372036854775807"),
                ("scale.mean=5", "both a reference and a mean"),
                ("run.threads=-1", "out of range"), ("run.round_seconds=0", "out of range"),
                ('run.locking="no"', "true or false"), ("run=5", "a table [run]")]:
            with self.subTest(override):
                self.pairs_config(GOOD)
                self.refuses(words, f"--set {override}",
                             arguments=("run", "config.toml", "--set", override))
        path = self.pairs_config(GOOD)
        text = path.read_text()
        for old, new, words in [("seed = 5", 'seed = "five"', "a whole number"),
                                ("replicates = 40", "replicates = 0", "from 1 to"),
                                ('[scale]\nreference = "Anna"', "", '"scale"'),
                                ('reference = "Anna"', "", '"scale.reference"'),
                                ('files = ["games.csv"]', "", '"games.files"')]:
            with self.subTest(new or old):
                path.write_text(text.replace(old, new))
                self.assertNotEqual(path.read_text(), text)
                line = f":{self.line_of(new)}" if new else ""
                self.refuses(words, f"config.toml{line}")

    def test_bad_tables_of_games(self):
        head = "player1,player2,wins1,wins2\n"
        for content, line, words in [
                ("", "", "empty"),
                (head, "", ""),
                (head + "Anna,Bo,3,2\nBo,Anna,-1,2\n", ":3", "-1"),
                (head + "Anna,Bo,3,2\nBo,Cy,1.25,2\n", ":3", "1.25"),
                (head + "Anna,Bo,3,two\n", ":2", "two"),
                (head + "Anna,Bo,3,\n", ":2", ""),
                (head + "Anna,Anna,3,2\n", ":2", "Anna"),
                (head + "Anna,Bo,3\n", ":2", ""),
                (head + "Anna,,3,2\n", ":2", ""),
                (head + "Anna,Bo,0,0\n", "", ""),
                ("who,whom,how\nAnna,Bo,3\n", ":1", "columns"),
                ("player1;player2;wins1;wins2\nAnna;Bo;3;2\n", ":1", "separator"),
                (head + "Anna,B\xff\n".replace("\xff", "\udcff"), "", "UTF-8"),
                (head.replace(",", "\t"), ":1", 'set separator = "tab"'),
                (head + '"Anna,Bo,3,2\n', "", "quote")]:
            with self.subTest(content):
                self.pairs_config(content.encode("utf-8", "surrogateescape"))
                self.refuses(words, line=f"games.csv{line}" if line else None)

    def test_no_decisive_game_under_drop(self):
        self.pairs_config("p,q,x,t,y\nAnna,Bo,0,7,0\n", games_keys='draws = "drop"')
        self.refuses("draw")

    def test_a_reference_that_cannot_serve(self):
        games = GOOD + "Dee,Anna,0,4\nEve,Fay,1,1\n"
        for name, words in [("Ana", 'did you mean "Anna"?'), ("Zacharias", "not in the games"),
                            ("Dee", "cannot be rated against anybody")]:
            with self.subTest(name):
                self.pairs_config(games, scale=f'reference = "{name}"')
                self.refuses(words, line=f"config.toml:{self.line_of('reference')}")

    def test_nobody_can_be_rated(self):
        self.pairs_config("player1,player2,wins1,wins2\nAnna,Bo,3,0\nBo,Cy,1,0\n", scale="mean = 0")
        self.refuses("cannot be rated")

    def test_a_schedule_without_ratings(self):
        self.pairs_config("player1,player2,games\nAnna,Bo,3\nBo,Anna,2\n")
        self.refuses("no results to fit", "[truth]")

    def test_truth_that_lacks_players(self):
        truth = '[truth]\nratings = "truth.csv"'
        self.pairs_config(GOOD, extra=truth)
        self.refuses("truth.csv", line=f"config.toml:{self.line_of('truth.csv')}")
        self.write("truth.csv", "name,rating\nAnna,100\nBo,50\n")
        self.refuses('the player "Cy" has no rating', 'missing = "drop"')
        self.write("truth.csv", "name,rating\nBo,100\nCy,50\n")
        self.pairs_config(GOOD, extra=truth + '\nmissing = "drop"')
        self.refuses('the reference "Anna" has no rating')
        self.write("truth.csv", "name,rating\nAnna,100\nAnna,50\nBo,3\nCy,4\n")
        self.refuses("truth.csv:3")
        self.write("truth.csv", "name,rating\nAnna,1e5\nBo,-1\nCy,4\n")
        self.refuses("too far apart (from -1 to 100000)", "at most 100000",
                     line=f"config.toml:{self.line_of('truth.csv')}")
        self.write("truth.csv", "name,strength\nAnna,100\n")
        self.refuses("truth.csv:1", "rating")
        self.write("truth.csv", "name,rating\nAnna,strong\nBo,1\nCy,2\n")
        self.refuses("truth.csv:2", "strong")

    def test_files_that_are_none(self):
        (self.folder / "folder").mkdir()
        self.pairs_config(["nowhere.csv"])
        self.refuses("nowhere.csv", "No such file", line=f"config.toml:{self.line_of('files')}")
        self.pairs_config(["folder"])
        self.refuses("is a folder", line=f"config.toml:{self.line_of('files')}")
        self.pairs_config(["/dev/null"])
        self.refuses("is a device", line=f"config.toml:{self.line_of('files')}")
        self.refuses("nowhere.toml", "No such file", arguments=("run", "nowhere.toml"))
        self.refuses("is a folder", arguments=("run", "folder"))
        self.write("config.toml", "job = \n")
        self.refuses("not TOML", line="config.toml:1")
        self.write("config.toml", "a = 1\nb = = 2\n")
        self.refuses("not TOML", line="config.toml:2")
        self.write("config.toml", "")
        self.refuses('"job" is missing')
        self.write("config.toml", b"\x89HDF\r\n\x1a\n\x00\xff")
        self.refuses("not TOML")

    def test_overrides_that_are_none(self):
        self.pairs_config(GOOD)
        for override in ("replicates", "=3", "a.=3", "replicates=[1"):
            with self.subTest(override):
                self.refuses(arguments=("run", "config.toml", "--set", override))

    def refuses_output(self, output, *words):
        before = self.snapshot()
        answer = banzuke("run", "config.toml", "-o", output, cwd=self.folder)
        self.assertEqual(answer.code, INPUT, answer)
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        for word in words:
            self.assertIn(word, answer.err)
        self.assertEqual(self.snapshot(), before)

    def test_outputs_that_cannot_be_written(self):
        self.pairs_config(GOOD)
        (self.folder / "folder").mkdir()
        self.refuses_output("folder", "folder")
        self.refuses_output("games.csv/out.h5", "games.csv")
        self.refuses_output("games.csv", "games.csv", "not a result file")
        self.refuses_output("/proc/banzuke/out.h5", "/proc/banzuke")
        self.refuses_output("x" * 300, "long")
        self.refuses_output("new/", "folder")
        if os.geteuid() != 0:
            (self.folder / "folder").chmod(0o500)
            self.refuses_output("folder/out.h5", "folder")

    def test_the_output_of_another_run(self):
        self.pairs_config(GOOD)
        self.call("run", "config.toml")
        before = self.snapshot()

        def refuses(words, *arguments):
            answer = self.call("run", "config.toml", *arguments, expect=INPUT)
            self.assertIn(words, answer.err)
            self.assertIn("name another output", answer.err)
            after = self.snapshot()
            self.assertEqual(after["out.h5"], before["out.h5"])
            self.assertEqual(after.keys(), before.keys())

        refuses("seed: 5 → 6", "--set", "seed=6")
        refuses("scale.rating: 0 → 1", "--set", "scale.rating=1")
        refuses("already has 40 replicates", "--set", "replicates=39")
        self.write("games.csv", GOOD.replace("Anna,Bo,3,2", "Anna,Bo,2,3"))
        refuses("games.files[0]")
        self.write("games.csv", GOOD)
        answer = self.call("run", CONFIGS / "selfcheck.smoke.toml", "-o", "out.h5", expect=INPUT)
        self.assertIn("job: bt_uncertainty → selfcheck", answer.err)
        self.assertEqual(self.snapshot(), before)

    def test_verbs_and_options(self):
        self.pairs_config(GOOD)
        for arguments in [(), ("rum", "config.toml"), ("run",), ("run", "config.toml", "--fast"),
                          ("run", "config.toml", "--threads", "0"), ("table", "out.h5", "--format"),
                          ("run", "config.toml", "--threads", "two"),
                          ("run", "config.toml", "--time-limit", "-1"),
                          ("run", "config.toml", "--time-limit", "nan"),
                          ("run", "config.toml", "other.toml"),
                          ("digest", "out.h5", "--replicates", "0")]:
            with self.subTest(arguments):
                before = self.snapshot()
                answer = banzuke(*arguments, cwd=self.folder)
                self.assertEqual(answer.code, INPUT, answer)
                self.assertEqual(answer.out, "")
                self.assertRegex(answer.err, "^banzuke: .*: (see banzuke --help|.+)\n$")
                self.assertEqual(self.snapshot(), before)

    def test_readers_of_files_that_are_none(self):
        self.write("empty.h5", "")
        self.write("text.h5", "dear diary")
        self.pairs_config(GOOD)
        self.call("run", "config.toml")
        self.write("short.h5", (self.folder / "out.h5").read_bytes()[:5000])
        for verb in ("status", "table", "digest"):
            for file in ("nowhere.h5", "empty.h5", "text.h5", "short.h5", "."):
                with self.subTest(f"{verb} {file}"):
                    self.refuses(file, arguments=(verb, file))
        self.refuses("40", arguments=("digest", "out.h5", "--replicates", "41"))

    def test_output_that_nobody_can_read(self):
        self.pairs_config(GOOD)
        self.call("run", "config.toml")
        for arguments in (("check", "config.toml"), ("status", "out.h5"), ("table", "out.h5"),
                          ("digest", "out.h5")):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                done = subprocess.run(harness.command(arguments), cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, harness.BUG)
                self.assertIn(b"standard output cannot be written", done.stderr)

    def test_a_log_that_cannot_be_written_ends_no_run(self):
        self.pairs_config(GOOD)
        for ranks in (None, 2):
            with self.subTest(ranks):
                words = harness.command(("run", "config.toml", "-o", f"{ranks}.h5"), ranks)
                program = words.index(harness.PROGRAM)
                # The program's own standard error, not mpirun's.
                words[program:] = ["sh", "-c", 'exec "$@" 2>/dev/full', "sh", *words[program:]]
                done = subprocess.run(words, cwd=self.folder, timeout=60)
                self.assertEqual(done.returncode, harness.DONE)
                self.assertIn("40 of 40 done", self.call("status", f"{ranks}.h5").out)

    def test_a_log_whose_reader_leaves_ends_no_run(self):
        self.pairs_config(GOOD)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(harness.command(("run", "config.toml")), cwd=self.folder,
                              stderr=writer, timeout=60)
        os.close(writer)
        self.assertEqual(done.returncode, harness.DONE)
        self.assertIn("40 of 40 done", self.call("status", "out.h5").out)

    def test_values_are_told_on_one_line(self):
        self.pairs_config(GOOD)
        for override, words in [("output=2024-01-01", "it is 2024-01-01, a TOML date"),
                                ("seed={a=1,b=[2]}", "it is {a = 1, b = [2]}, a TOML table"),
                                ("scale.reference = Bob", 'reference "Bob" is not in the games')]:
            with self.subTest(override):
                self.refuses(words, arguments=("run", "config.toml", "--set", override))

    def test_refused_on_all_ranks_at_once(self):
        self.pairs_config(GOOD, top="sede = 4")
        before = self.snapshot()
        answer = banzuke("run", "config.toml", ranks=2, cwd=self.folder)
        self.assertEqual(answer.code, INPUT, answer)
        self.assertEqual(answer.err.count("did you mean"), 1, answer)
        self.assertEqual(self.snapshot(), before)
        for arguments, words in [(("--shard", "3/2"), "is no shard"), (("--fast",), "--fast")]:
            answer = banzuke("run", "config.toml", *arguments, ranks=2, cwd=self.folder)
            self.assertEqual(answer.code, INPUT, answer)
            self.assertEqual(answer.err.count(words), 1, answer)


if __name__ == "__main__":
    harness.main()
