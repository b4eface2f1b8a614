"""Whole runs of living tissue on emulated GPUs: the files of a run on threads, to the byte."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

KILN = os.environ["KILN_BINARY"]
PACKAGE = pathlib.Path(KILN).parent / "python"
MODEL = """
seed = 4
temperature = 5
mcs = 24
pictures = []

[lattice]
size = [36, 28]

[substances.food]
diffusion = 0.5
decay = 0.01
start = 1

[substances.scent]
diffusion = 2
decay = 0.05
coarsen = 4

[types.cell]
volume = { target = 25, lambda = 3 }
growth = { rate = "3600 * mean(food)", up_to = 60 }
takes_up.food = { rate = 0.02, at_most = 1 }
secretes.scent = 0.07
chemotaxis = { substance = "food", lambda = 20 }
properties.n = "x + y"

[types.old]
volume = { target = 25, lambda = 3 }

[adhesion]
default = 2

[[initial]]
kind = "boxes"
type = "cell"
box = 5
spacing = 7

[[rules]]
types = "cell"
when = "volume > 30"
do = "divide"

[[rules]]
types = "cell"
when = "generation > 0 and n > 20"
do = "become"
type = "old"
set.n = "neighbours(cell)"

[measure]
every = 4
"""


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "tissue.toml").write_text(MODEL)
        cls.threads = cls.run_of("threads", "--engine", "threads")

    @classmethod
    def run_of(cls, name, *options, before=()):
        command = [*before, KILN, "run", cls.folder / "tissue.toml", "--out", cls.folder / name, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return cls.results_of(name)

    @classmethod
    def results_of(cls, name):
        """The hash of the last state, and the tables'."""
        tables = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
                  for file in sorted((cls.folder / name).glob("*.csv"))}
        return json.loads((cls.folder / name / "run.json").read_text())["hash"], tables

    def test_the_run_has_something_to_show(self):
        rows = (self.folder / "threads" / "lineage.csv").read_text().splitlines()
        self.assertGreater(len(rows), 30)
        self.assertIn("cells.csv", self.threads[1])
        self.assertIn("measures.csv", self.threads[1])

    def test_one_gpu(self):
        self.assertEqual(self.run_of("one", "--engine", "cuda"), self.threads)

    def test_a_brick_on_each_of_two_gpus(self):
        self.assertEqual(self.run_of("two", "--devices", "0,1"), self.threads)

    def test_a_run_that_goes_on_in_bricks(self):
        self.run_of("on", "--engine", "cuda", "--mcs", "10")
        on = self.run_of("on", "--resume", "--mcs", "24", "--engine", "cuda", "--bricks", "2x1")
        self.assertEqual(on, self.threads)

    @unittest.skipUnless((PACKAGE / "kiln" / "__init__.py").exists(), "the Python package was not built")
    def test_two_gpus_from_python(self):
        text = (
            "import sys, kiln\n"
            "model, out = sys.argv[1:]\n"
            "kiln.run(model, out, devices=[0, 1], progress=False)\n"
            "sim = kiln.Simulation(model, devices='all')\n"
            "sim.run(24)\n"
            "print(sim.hash)\n"
        )
        command = ["/usr/bin/python3", "-c", text, self.folder / "tissue.toml", self.folder / "python"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results_of("python"), self.threads)
        self.assertEqual(done.stdout.strip(), self.threads[0])

    @unittest.skipIf(shutil.which("mpirun") is None, "there is no MPI")
    def test_two_processes_with_a_gpu_each(self):
        for name in ("host", "direct"):
            with self.subTest(name):
                before = ("mpirun", "-x", f"KILN_MPI_GPU={name}", "-n", "2")
                self.assertEqual(self.run_of(name, "--engine", "cuda", before=before), self.threads)


if __name__ == "__main__":
    unittest.main()
