"""Batch scripts as scripts/submit prints them; bash reads each without complaint."""

import os
import subprocess

import harness
from harness import DONE, INPUT, Case

SUBMIT = harness.SOURCE / "scripts" / "submit"


class Submit(Case):
    def setUp(self):
        super().setUp()
        self.pairs_config("player1,player2,wins1,wins2\nAnna,Bo,3,2\nBo,Cy,2,2\nCy,Anna,1,3\n")

    def submit(self, *arguments, expect=DONE):
        done = subprocess.run([SUBMIT, "config.toml", "--program", harness.PROGRAM, "--dry-run",
                               *arguments], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stdout if expect == DONE else done.stderr

    def script(self, *arguments):
        text = self.submit(*arguments)
        read = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        self.assertEqual((read.returncode, read.stderr), (0, ""), text)
        self.assertEqual([path.name for path in self.folder.glob("out*")], [], "nothing is written")
        return text

    def test_slurm(self):
        text = self.script("--nodes", "2", "--ranks", "4", "--threads", "8", "--time", "12:00:00",
                           "--mail", "anna@example.org", "--partition", "long",
                           "--directive=--constraint=avx512", "--module", "openmpi/4.1")
        for line in ("#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=4", "#SBATCH --requeue",
                     "#SBATCH --cpus-per-task=8", "#SBATCH --time=12:00:00",
                     "#SBATCH --signal=B:USR1@60", "#SBATCH --mail-user=anna@example.org",
                     "#SBATCH --partition=long", "#SBATCH --constraint=avx512",
                     "module load openmpi/4.1"):
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r"#SBATCH --mem=\d+M\n")
        self.assertIn("srun --mpi=pmix --ntasks=8 --cpus-per-task=8 --kill-on-bad-exit=1 ", text)
        self.assertIn("scontrol requeue", text)
        self.assertNotIn("scontrol requeue", self.script("--go-on", "no"))

    def test_memory_grows_with_ranks_and_threads(self):
        def memory(*arguments):
            text = self.script(*arguments)
            return int(text.split("--mem=")[1].split("M")[0])
        self.assertLess(memory(), memory("--ranks", "4"))
        self.assertLess(memory(), memory("--threads", "8"))
        self.assertEqual(memory("--memory", "1234"), 1234)

    def test_an_array_and_its_merge(self):
        text = self.script("--array", "3", "--threads", "2")
        self.assertIn("#SBATCH --array=1-3\n", text)
        self.assertIn('--shard "$shard/3"', text)
        self.assertIn("shard=$SLURM_ARRAY_TASK_ID\n", text)
        self.assertIn("merge out.h5 out.shard-1-of-3.h5 out.shard-2-of-3.h5 out.shard-3-of-3.h5",
                      text)

    def test_pbs(self):
        text = self.script("--scheduler", "pbs", "--nodes", "2", "--ranks", "4", "--threads", "8",
                           "--time", "90")
        self.assertIn("#PBS -l select=2:ncpus=32:mpiprocs=4:ompthreads=8:mem=", text)
        self.assertIn("#PBS -l walltime=1:30:00\n", text)
        self.assertIn("export BANZUKE_END_TIME=$(( $(date +%s) + 5400 ))\n", text)
        for line in ("-S /bin/bash", "-l place=scatter", "-o ./"):
            self.assertIn(f"#PBS {line}\n", text)
        self.assertIn('mpirun -n 8 --hostfile "$PBS_NODEFILE" --bind-to none ', text)
        self.assertNotIn("SLURM", text.replace("SLURM_JOB_END_TIME", ""))

    def test_pbs_scripts_run(self):
        # What PBS would do: the script under bash, with its variables.
        self.write("nodes", "localhost\nlocalhost\n")
        self.write("job.sh", self.script("--scheduler", "pbs", "--ranks", "2"))
        self.write("array.sh", self.script("--scheduler", "pbs", "--array", "2")
                   .split("# ---- after")[0])
        for script, index in (("job.sh", ""), ("array.sh", "1"), ("array.sh", "2")):
            done = subprocess.run(["bash", script], cwd=self.folder, capture_output=True,
                                  text=True, env=dict(os.environ, PBS_ARRAY_INDEX=index,
                                                      PBS_NODEFILE=str(self.folder / "nodes")))
            self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("40 rows on 2 × 1", self.call("status", "out.h5").out)
        self.call("merge", "whole.h5", "out.shard-1-of-2.h5", "out.shard-2-of-2.h5")
        self.assertEqual(self.digest("whole.h5"), self.digest("out.h5"))

    def test_plain_mpirun_runs(self):
        text = self.script("--scheduler", "mpirun", "--ranks", "2")
        self.assertIn("mpirun -n 2 --bind-to none ", text)
        done = subprocess.run([SUBMIT, "config.toml", "--program", harness.PROGRAM, "--scheduler",
                               "mpirun", "--ranks", "2"], cwd=self.folder, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.call("status", "out.h5")

    def test_what_is_refused(self):
        self.assertIn("a shard stays on one node", self.submit("--array", "3", "--nodes", "2",
                                                               expect=INPUT))
        self.assertIn("no array of one job", self.submit("--scheduler", "pbs", "--array", "1",
                                                          expect=INPUT))
        self.assertIn("srun belongs to Slurm", self.submit("--scheduler", "pbs", "--launcher",
                                                           "srun", expect=INPUT))
        self.assertIn("replicates", self.submit("--set", "replicates=0", expect=INPUT))
        self.assertIn("a time is", self.submit("--time", "soon", expect=INPUT))
        self.assertIn("at least a minute", self.submit("--time", "0", expect=INPUT))
        self.assertIn("--warn is less", self.submit("--time", "1", "--warn", "60", expect=INPUT))
        self.assertIn("@30\n", self.submit("--time", "1"))
        for leave in ("-1", "50"):
            self.assertIn("--leave is from 0 to", self.submit("--time", "1", "--leave", leave,
                                                              expect=INPUT))

    def test_a_folder_for_the_log_is_asked_for(self):
        done = subprocess.run([SUBMIT, "config.toml", "--program", harness.PROGRAM, "--dry-run",
                               "-o", "new/out.h5"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("make the folder new before", done.stderr)
        self.assertFalse((self.folder / "new").exists())

    def test_names_with_blanks_and_quotes(self):
        odd = "it's a \"run\" $HOME.h5"
        text = self.script("-o", odd)
        self.assertIn("""output='it'"'"'s a "run" $HOME.h5'\n""", text)
        # sbatch reads quotes as a shell does, and replaces what begins with %.
        self.assertIn("""#SBATCH --output='it'"'"'s a "run" $HOME.h5.job-%j.log'\n""", text)
        self.assertIn("#SBATCH --job-name='a b'\n", self.script("--name", "a b"))
        self.assertIn("#SBATCH --output=50%%.h5.job-%j.log\n", self.script("-o", "50%.h5"))
        text = self.script("--scheduler", "pbs", "--name", "a b", "-o", "a b/out.h5")
        self.assertIn("#PBS -N a_b\n", text)
        self.assertNotIn("#PBS -o", text)

    def test_shards_have_the_names_that_the_program_gives(self):
        for output in ("plain", "run.v2", "deep.er/x.hdf5"):
            text = self.script("--array", "2", "-o", output)
            job, merge = text.split("# ---- after the array ----\n")
            self.write("job.sh", job)
            for task in "12":
                done = subprocess.run(["bash", "job.sh"], cwd=self.folder, capture_output=True,
                                      text=True, env=dict(os.environ, SLURM_ARRAY_TASK_ID=task,
                                                          PATH=self.fake_srun()))
                self.assertEqual(done.returncode, DONE, done.stderr)
            self.write("merge.sh", merge)
            done = subprocess.run(["bash", "merge.sh"], cwd=self.folder, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.call("status", output)

    def fake_srun(self):
        """A PATH with an srun that starts its command, and a squeue that gets no answer."""
        self.write("bin/squeue", "#!/bin/sh\nexit 1\n").chmod(0o755)
        path = self.write("bin/srun", '#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\n'
                                      'exec "$@"\n')
        path.chmod(0o755)
        return f"{path.parent}:{os.environ['PATH']}"

    def test_a_finished_run_is_extended_and_another_is_refused(self):
        words = [SUBMIT, "config.toml", "--program", harness.PROGRAM, "--scheduler", "mpirun"]

        def run(*more):
            return subprocess.run(words + list(more), cwd=self.folder, capture_output=True,
                                  text=True)
        self.assertEqual(run().returncode, DONE)
        again = run()
        self.assertEqual(again.returncode, DONE, again.stderr)
        self.assertIn("0 of 40 to compute", again.stderr)
        more = run("--set", "replicates=60")
        self.assertEqual(more.returncode, DONE, more.stderr)
        self.assertIn("60 of 60 done", self.call("status", "out.h5").out)
        other = run("--set", "replicates=60", "--set", "seed=6")
        self.assertEqual(other.returncode, INPUT, other.stderr)
        self.assertIn("out.h5\" holds another run", other.stderr)

    def test_the_program(self):
        def message(program):
            done = subprocess.run([SUBMIT, "config.toml", "--program", program, "--dry-run"],
                                  cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, INPUT, done.stderr)
            return done.stderr
        for program in ("no_such_program", "./config.toml"):
            self.assertIn(f"--program {program}: there is no such program", message(program))
        self.assertIn("is the program as old", message("true"))  # found in PATH


if __name__ == "__main__":
    harness.main()
