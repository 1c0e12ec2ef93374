"""The plots around alpha, drawn from small runs."""

import subprocess
import sys

import harness
from harness import CONFIGS, SOURCE, Case

try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is missing, nothing is drawn", file=sys.stderr)
    sys.exit(77)


class PlotAlpha(Case):
    def plot(self, *arguments, expect=0):
        done = subprocess.run([sys.executable, SOURCE / "scripts" / "plot_alpha",
                               *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def draws(self, *arguments):
        """A picture of some size with something in it."""
        done = self.plot(*arguments, "-o", "plot.png")
        self.assertEqual(done.stderr, "")
        pixels = matplotlib.image.imread(self.folder / "plot.png")
        self.assertGreater(min(pixels.shape[:2]), 400)
        colours = {tuple(pixel) for pixel in pixels[::7, ::7, :3].reshape(-1, 3).round(2).tolist()}
        self.assertGreater(len(colours), 10)

    def setUp(self):
        super().setUp()
        import matplotlib.image  # noqa: F401

    def run_smoke(self, job):
        self.call("run", CONFIGS / f"{job}.smoke.toml", "-o", f"{job}.h5", "--quiet")
        return f"{job}.h5"

    def test_fits(self):
        file = self.run_smoke("alpha_fit")
        self.draws("likelihood", file)
        self.draws("simplex", file)
        self.assertIn("three ranks", self.plot("simplex", file, "--rule", "outlier",
                                               expect=1).stderr)
        self.assertIn("made from alpha_recovery", self.plot("recovery", file, expect=1).stderr)

    def test_every_verdict_can_be_drawn(self):
        text = 'job = "alpha_fit"\noutput = "out.h5"\n'
        for rule, counts in [("infinite", "[10, 10], \"b\": [9, 10]"), ("zero", "[5, 0]"),
                             ("flat", "[1, 0]")]:
            self.write(f"{rule}.json", f'{{"a": {counts}}}')
            text += f'[[data]]\nrule = "{rule}"\nfile = "{rule}.json"\n'
        self.write("config.toml", text)
        self.call("run", "config.toml", "--quiet")
        self.assertEqual([row["verdict"] for row in self.table("out.h5")],
                         ["infinite", "zero", "flat"])
        self.draws("likelihood", "out.h5")

    def test_recovery(self):
        self.draws("recovery", self.run_smoke("alpha_recovery"))

    def test_posteriors(self):
        file = self.run_smoke("rank_posterior")
        self.draws("posterior", file, "--player", "ASAPIN", "--payoff", "mean rank")
        self.draws("posterior", file)
        self.assertIn("there is no player", self.plot("posterior", file, "--player", "Nobody",
                                                      expect=1).stderr)
        self.assertIn("three ranks", self.plot("simplex", file, expect=1).stderr)
        self.write("three.toml", f"""job = "rank_posterior"
output = "three.h5"
[data]
file = "{CONFIGS}/data/ranks/made_up_three.json"
[posterior]
alpha = 3
[[posterior.payoff]]
name = "places"
weights = [1, 0, -1]
""")
        self.call("run", "three.toml", "--quiet")
        self.draws("simplex", "three.h5", "--player", "Fay")
        self.draws("posterior", "three.h5", "--player", "Eve")  # no games


if __name__ == "__main__":
    harness.main()
