"""examples/cluster/kiln.sbatch under a real Slurm: whatever ends a job, the run becomes that of one never stopped."""

import atexit
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import cluster

KILN = Path(os.environ["KILN_BINARY"])
SOURCE = Path(os.environ["KILN_SOURCE_DIR"])
SCRIPT = SOURCE / "examples" / "cluster" / "kiln.sbatch"
MPIRUN = "mpirun --bind-to none"
ENDS = ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY"]
ENVIRONMENT = {
    "PATH": f"{KILN.parent}:{cluster.SEARCHED}",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",  # the cores may be those of other tests, too
}

# Cell sorting, as in models/, with more tables and fewer pictures.
MODEL = """
temperature = 10
[lattice]
size = [200, 200]
[types.light]
volume = { target = 40, lambda = 1 }
[types.dark]
volume = { target = 40, lambda = 1 }
[adhesion]
dark.dark = 2
light.light = 14
light.dark = 11
light.medium = 16
dark.medium = 16
[[initial]]
kind = "boxes"
types = { light = 1, dark = 1 }
region = { shape = "ball", radius = 75 }
box = [6, 6]
[measure]
every = 100
cells_every = 1000
"""


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := cluster.missing():
            cls.cannot(f"not installed: {', '.join(missing)} (Debian: slurm-wlm, munge, openmpi-bin)")
        folder = tempfile.TemporaryDirectory(prefix="kiln-slurm-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "model.toml").write_text(MODEL)
        (cls.folder / "cluster").mkdir()
        cls.cluster = cluster.Cluster(cls.folder / "cluster")
        cls.cluster.environment.update(ENVIRONMENT)
        cls.addClassCleanup(cls.cluster.stop)
        # unittest leaves cleanups out where it is interrupted.
        atexit.register(cls.cluster.stop)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            cls.cluster.start()
        except AssertionError as why:
            print(cls.cluster.logs(), file=sys.stderr)
            cls.cannot(f"no Slurm can be started here: {why}")
        cls.wholes = {}

    @staticmethod
    def cannot(why):
        """What a machine has and allows decides whether there is a Slurm; unless KILN_REQUIRE_SLURM=1."""
        if os.environ.get("KILN_REQUIRE_SLURM"):
            raise AssertionError(why)
        raise unittest.SkipTest(why)

    def setUp(self):
        # The end of the logs, where a test fails.
        self.addCleanup(self.tell_logs)
        self.is_done = False

    def tell_logs(self):
        if not self.is_done:
            texts = [f"--- {log.name}\n{log.read_text()[-4000:]}" for log in self.folder.glob(f"{self.name}*.log")]
            print("\n".join([*texts, self.cluster.logs()]), file=sys.stderr)

    @property
    def name(self):
        return self.id().rsplit(".", 1)[-1]

    @classmethod
    def alone(cls, out, mcs):
        """One process outside of Slurm, never stopped; the seconds it took."""
        start = time.monotonic()
        command = [KILN, "run", "model.toml", "--out", out, "--mcs", str(mcs), "--json"]
        subprocess.run(command, cwd=cls.folder, check=True, capture_output=True)
        return time.monotonic() - start

    def mcs_of(self, seconds):
        """So many MCS that a run takes about that long; whole-MCS is that run."""
        if seconds not in self.wholes:
            trial = 5000
            self.wholes[seconds] = trial * max(1, round(seconds / self.alone(f"trial-{seconds}", trial)))
            self.alone(f"whole-{self.wholes[seconds]}", self.wholes[seconds])
        return self.wholes[seconds]

    def submit(self, mcs, *kiln_options, nodes=1, options=(), launcher=None):
        environment = {"KILN_LAUNCHER": launcher} if launcher else {}
        return self.cluster.tell(
            "sbatch",
            "--parsable",
            f"--nodes={nodes}",
            f"--ntasks-per-node={2 // nodes}",
            "--cpus-per-task=1",
            f"--output={self.name}-%j.log",
            *options,
            SCRIPT,
            "model.toml",
            self.name,
            "--mcs",
            mcs,
            *kiln_options,
            environment=environment,
            cwd=self.folder,
        )

    def submit_urgent(self):
        nodes = len(self.cluster.nodes)
        what = ["--partition=urgent", f"--nodes={nodes}", "--exclusive", "--output=/dev/null", "--wrap", "sleep 1"]
        return self.cluster.tell("sbatch", "--parsable", *what, cwd=self.folder)

    def lives(self, job):
        return 1 + int(self.cluster.job(job)["Restarts"])

    def state(self, job):
        return self.cluster.job(job)["JobState"]

    def log(self, job):
        file = self.folder / f"{self.name}-{job}.log"
        return file.read_text() if file.exists() else ""

    def record(self):
        """run.json, or nothing where it is not there."""
        try:
            return json.loads((self.folder / self.name / "run.json").read_text())
        except (OSError, ValueError):
            return {}

    def wait_until_it_plays(self, job, life=1):
        def plays():
            self.assertNotIn(self.state(job), ENDS)
            rows = self.folder / self.name / "measures.csv"
            begun = self.log(job).count("engine threads")
            return begun >= life and rows.exists() and rows.read_text().count("\n") > 3

        self.cluster.wait_for(plays, f"life {life} of job {job} to play")

    def wait_until_stopped(self, job, by, life=1):
        def is_queued_again():
            self.assertNotIn(self.state(job), ENDS)
            return self.lives(job) > life

        self.cluster.wait_for(is_queued_again, f"job {job} to be queued again after life {life}")
        self.cluster.wait_for(lambda: self.record().get("stopped_by") == by, f"the checkpoint of life {life} ({by})")
        self.assertTrue((self.folder / self.name / "checkpoint.h5").exists())

    def wait_until_complete(self, job):
        self.cluster.wait_for(lambda: self.state(job) in ENDS, f"the end of job {job}", 600)
        self.assertEqual(self.state(job), "COMPLETED", self.cluster.job(job))

    def expect_as_never_stopped(self, job, mcs, lives):
        self.wait_until_complete(job)
        whole = self.folder / f"whole-{mcs}"
        record = self.record()
        self.assertEqual(record["hash"], json.loads((whole / "run.json").read_text())["hash"])
        self.assertIs(record["interrupted"], False)
        for table in ["measures.csv", "cells.csv"]:
            self.assertEqual((self.folder / self.name / table).read_bytes(), (whole / table).read_bytes(), table)
        # Every life has two processes, and every one but the first goes on from a checkpoint.
        self.assertGreaterEqual(self.lives(job), lives)
        self.assertEqual(self.log(job).count("in 2 processes; schedule"), self.lives(job))
        self.assertEqual(len(re.findall(r"goes on at MCS [1-9]", self.log(job))), self.lives(job) - 1)
        self.is_done = True

    def preempted_then_requeued(self, **how):
        mcs = self.mcs_of(20)
        job = self.submit(mcs, **how)
        self.wait_until_it_plays(job)
        urgent = self.submit_urgent()
        self.wait_until_stopped(job, "SIGTERM")
        self.wait_until_complete(urgent)
        self.wait_until_it_plays(job, life=2)
        self.cluster.tell("scontrol", "requeue", job)
        self.expect_as_never_stopped(job, mcs, lives=3)

    def test_preempted_then_requeued(self):
        self.preempted_then_requeued()

    def tasks(self):
        """The processes that play this test's run."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words, program = (folder / "cmdline").read_bytes().split(b"\0"), os.readlink(folder / "exe")
            except OSError:
                continue  # it has just ended, or is not ours to see
            if program == os.path.realpath(KILN) and self.name.encode() in words:
                found.append(int(folder.name))
        return sorted(found)

    def test_a_task_that_dies_ends_the_job_and_another_goes_on(self):
        mcs = self.mcs_of(20)
        job = self.submit(mcs, "--checkpoint-every", "1s")
        self.wait_until_it_plays(job)
        self.cluster.wait_for((self.folder / self.name / "checkpoint.h5").exists, "a checkpoint")
        tasks = self.tasks()
        self.assertEqual(len(tasks), 2)
        os.kill(tasks[-1], signal.SIGKILL)
        self.cluster.wait_for(lambda: self.state(job) in ENDS, f"the end of job {job}")
        self.assertEqual(self.state(job), "FAILED")
        self.assertEqual((self.lives(job), self.tasks()), (1, []))
        again = self.submit(mcs)
        self.wait_until_complete(again)
        self.assertEqual(self.record()["hash"], json.loads((self.folder / f"whole-{mcs}/run.json").read_text())["hash"])
        self.assertIn("goes on at MCS", self.log(again))
        self.is_done = True

    def two_nodes(self):
        if len(self.cluster.nodes) < 2:
            self.is_done = True
            self.skipTest("two nodes on one machine take mount namespaces, that is, root")
        return {"nodes": 2}

    def test_preempted_then_requeued_on_two_nodes_under_mpirun(self):
        self.preempted_then_requeued(launcher=MPIRUN, **self.two_nodes())

    # Slurm looks at time limits twice a minute, so the run takes longer than that.
    def test_time_limit_of_slurm(self):
        mcs = self.mcs_of(45)
        job = self.submit(mcs, options=["--time=1", "--signal=B:USR1@55"])
        self.wait_until_stopped(job, "SIGUSR1")
        self.expect_as_never_stopped(job, mcs, lives=2)

    def test_time_limit_of_kiln(self):
        mcs = self.mcs_of(20)
        job = self.submit(mcs, "--time-limit", "8")
        self.wait_until_stopped(job, "the time limit")
        self.expect_as_never_stopped(job, mcs, lives=2)

    def test_a_cancelled_job_stays_so_and_another_goes_on(self):
        mcs = self.mcs_of(20)
        job = self.submit(mcs)
        self.wait_until_it_plays(job)
        self.cluster.tell("scancel", job)
        self.cluster.wait_for(lambda: self.state(job) == "CANCELLED", f"job {job} to be cancelled")
        self.assertEqual(self.record()["stopped_by"], "SIGTERM")
        self.assertEqual(self.lives(job), 1)
        again = self.submit(mcs)
        self.wait_until_complete(again)
        self.assertEqual(self.record()["hash"], json.loads((self.folder / f"whole-{mcs}/run.json").read_text())["hash"])
        self.assertIn("goes on at MCS", self.log(again))
        self.is_done = True


class Shipped(unittest.TestCase):
    def test_the_page_shows_the_script(self):
        self.assertIn(f"```bash\n{SCRIPT.read_text()}```\n", (SOURCE / "docs" / "clusters.md").read_text())

    def test_the_image_has_what_the_launcher_installs(self):
        recipe = (SCRIPT.parent / "Dockerfile").read_text()
        tables = re.findall(r"^(?:essential|optional)=\((.*?)^\)", (SOURCE / "kiln").read_text(), re.S | re.M)
        packages = re.findall(r'^  "([^:]+):', "".join(tables), re.M)
        self.assertGreater(len(packages), 8)
        for package in [*packages, "libopenmpi-dev", "openmpi-bin"]:
            self.assertIn(package, recipe.replace("\\\n", " ").split())


if __name__ == "__main__":
    unittest.main()
