"""`kiln.run` and `kiln.RunFolder`: runs with a folder, steered from Python."""

import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import kiln
from support import command, crawlers


def divide_largest(sim):
    """Depends on nothing but the simulation, so that a run that was stopped goes on as if it had not been."""
    sim.set(temperature=10 + sim.mcs / 10)
    largest = int(np.argmax(sim.cells.volume))
    with sim.edit() as edit:
        y, x = np.nonzero(edit.lattice == largest)
        half = y > np.median(y)
        edit.lattice[y[half], x[half]] = edit.add_cell("cell")


class WholeRuns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = Path(self.folder.name) / "run"

    def tearDown(self):
        self.folder.cleanup()

    def test_say_what_is_wrong(self):
        (Path(self.folder.name) / "something").write_text("")
        with self.assertRaisesRegex(kiln.UserError, "exists and is not empty"):
            kiln.run(crawlers(), self.folder.name)
        with self.assertRaisesRegex(kiln.UserError, "call needs every"):
            kiln.run(crawlers(), self.out, call=print)
        with self.assertRaisesRegex(kiln.UserError, "time_limit is 'soon'"):
            kiln.run(crawlers(), self.out, time_limit="soon")
        self.assertFalse(self.out.exists())

    def test_are_those_of_the_command_line(self):
        file, theirs = Path(self.folder.name) / "m.toml", Path(self.folder.name) / "theirs"
        crawlers().save(file)
        seen = []
        ours = kiln.run(file, self.out, every=7, call=lambda sim: seen.append((sim.mcs, len(sim.measures))))
        self.assertEqual(seen, [(7, 1), (14, 2), (21, 3), (28, 3), (35, 4), (42, 5), (49, 5), (56, 6)])
        self.assertEqual(command("run", file, "--out", theirs).returncode, 0)
        names = {path.name for path in theirs.iterdir()}
        self.assertEqual({path.name for path in self.out.iterdir()}, names)
        for name in ("measures.csv", "cells.csv", "lags.csv", "model.toml", "source.toml"):
            self.assertEqual((self.out / name).read_bytes(), (theirs / name).read_bytes(), name)
        self.assertEqual(ours.record["hash"], kiln.RunFolder(theirs).record["hash"])
        self.assertIsNone(ours.record["steered_by"])  # nothing was changed
        self.assertEqual(ours.snapshots, [60])
        self.assertEqual(ours.snapshot().shape, (70, 90))

    def test_go_on(self):
        kiln.run(crawlers(), self.out, mcs=20)
        longer = kiln.run(crawlers(), self.out, mcs=40, resume=True)
        sim = kiln.Simulation(crawlers())
        sim.run(40)
        self.assertEqual(longer.record["hash"], sim.hash)

    def test_calls_change_the_tissue_and_a_stopped_run_goes_on(self):
        whole = kiln.run(crawlers(), Path(self.folder.name) / "whole", every=10, call=divide_largest)
        self.assertEqual(whole.record["steered_by"], "Python")
        self.assertTrue(any("steered by Python" in note for note in whole.record["notes"]))
        self.assertEqual(whole.measures["cells"].tolist(), [12, 13, 14, 15, 16, 17, 18])

        def until_30(sim):
            divide_largest(sim)
            return sim.mcs < 30

        part = kiln.run(crawlers(), self.out, every=10, call=until_30)
        self.assertEqual((part.record["mcs"], part.record["stopped_by"]), (30, "the call in Python"))
        self.assertTrue((self.out / "report.html").exists())
        with self.assertRaisesRegex(kiln.UserError, "was steered by Python"):
            kiln.run(crawlers(), self.out, resume=True)
        self.assertEqual(command("run", self.out / "model.toml", "--out", self.out, "--resume").returncode, 2)
        rest = kiln.run(crawlers(), self.out, every=10, call=divide_largest, resume=True)
        self.assertEqual(rest.record["hash"], whole.record["hash"])
        for name in ("measures.csv", "cells.csv", "lags.csv"):
            self.assertEqual((rest.path / name).read_bytes(), (whole.path / name).read_bytes(), name)

    def test_an_error_in_a_call_ends_the_run_with_a_checkpoint(self):
        kept = []

        def fails(sim):
            kept.append(sim)
            divide_largest(sim) if sim.mcs < 40 else 1 / 0

        with self.assertRaises(ZeroDivisionError):
            kiln.run(crawlers(), self.out, every=10, call=fails)
        self.assertEqual(kiln.RunFolder(self.out).record["mcs"], 40)
        rest = kiln.run(crawlers(), self.out, every=10, call=divide_largest, resume=True)
        whole = kiln.run(crawlers(), Path(self.folder.name) / "whole", every=10, call=divide_largest)
        self.assertEqual(rest.record["hash"], whole.record["hash"])
        # A simulation that outlives its run can be looked at and not changed.
        self.assertEqual(kept[0].mcs, 40)
        with self.assertRaisesRegex(kiln.UserError, "has ended"):
            kept[0].set(temperature=1)
        loaded = kiln.Simulation.load(self.out / "checkpoint-before.h5")
        self.assertEqual(loaded.model["temperature"], 10 + 3)  # as it had become by MCS 30

    def test_what_a_call_must_not_do(self):
        said = []

        def call(sim):
            for wrong in (lambda: sim.run(5), lambda: sim.set({"measure.every": 3})):
                try:
                    wrong()
                except kiln.UserError as error:
                    said.append(str(error))
            return False

        kiln.run(crawlers(), self.out, every=10, call=call)
        self.assertEqual(said, [
            "the simulation belongs to a run, which goes on by itself when the call returns.",
            "[measure] cannot change in a run that writes a folder.",
        ])

    def test_ctrl_c_ends_with_a_checkpoint(self):
        model = crawlers(**{"lattice.size": [200, 200], "mcs": 10**6})
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            kiln.run(model, self.out)
        record = kiln.RunFolder(self.out).record
        self.assertEqual((record["interrupted"], record["stopped_by"]), (True, "Ctrl-C"))
        rest = kiln.run(model, self.out, mcs=record["mcs"] + 5, resume=True)
        same = kiln.Simulation(model)
        same.run(record["mcs"] + 5)
        self.assertEqual(rest.record["hash"], same.hash)

    def test_go_into_folders_of_their_own(self):
        before = os.getcwd()
        os.chdir(self.folder.name)
        try:
            names = [str(kiln.run(crawlers(mcs=2)).path) for _ in range(2)]
        finally:
            os.chdir(before)
        self.assertEqual(names, ["runs/model", "runs/model-2"])

    def test_can_be_read_while_they_go_on(self):
        model = crawlers(**{"output.lattice_every": 10, "measure.cells_format": "hdf5"})
        seen = []

        def look(sim):
            if sim.mcs == 50:
                run = kiln.RunFolder(sim.folder)
                seen.extend([run.measures["mcs"].tolist(), sorted(set(run.cells["mcs"])), run.snapshots])

        done = kiln.run(model, self.out, every=25, call=look)
        self.assertEqual(seen[:2], [[0, 10, 20, 30, 40], [0, 20, 40]])
        self.assertLessEqual({0, 10, 20, 30}, set(seen[2]))  # the last may be on its way
        self.assertEqual(done.snapshots, [0, 10, 20, 30, 40, 50, 60])
        self.assertEqual(sorted(set(done.cells["mcs"])), [0, 20, 40, 60])


if __name__ == "__main__":
    unittest.main()
