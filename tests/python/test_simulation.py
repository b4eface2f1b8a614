"""`kiln.Simulation`: the same simulations and tables as the command line's, views, changes, edits, threads."""

import contextlib
import copy
import io
import os
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import pandas as pd

import kiln
from support import command, crawlers


class Substances(unittest.TestCase):
    MODEL = {"lattice": {"size": [48, 32]}, "measure": {"every": 10},
             "substances": {"o2": {"diffusion": 2, "start": "x + 1", "coarsen": 2}, "waste": {"diffusion": 1}},
             "types": {"cell": {"volume": {"target": 40, "lambda": 2}, "secretes": {"waste": 0.1},
                                "takes_up": {"o2": 0.01},
                                "chemotaxis": {"lambda": 20, "substance": "o2"}}}}

    def test_other_concentrations(self):
        sim = kiln.Simulation(self.MODEL, threads=2)
        sim.run(5, progress=False)
        before = sim.hash
        for says, name, values in [(r"has the shape \(16, 24\), but \(3\) was", "o2", np.zeros(3)),
                                   (r'"o3"\] is not known; there are o2, waste', "o3", 1),
                                   (r"was given nan", "o2", float("nan"))]:
            with self.subTest(says), self.assertRaisesRegex(kiln.UserError, says):
                sim.substances[name] = values
        self.assertEqual(sim.hash, before)
        sim.substances["o2"] = sim.substances["o2"] * 3
        sim.substances["waste"] = 7
        self.assertEqual(set(sim.substances["waste"].ravel()), {7})
        np.testing.assert_array_equal(sim.substances.at_sites("waste"), np.full((32, 48), 7, np.float32))
        first = sim.substances["o2"].sum() * 4
        sim.run(15, progress=False)
        last = {name: column[-1] for name, column in sim.columns("measures").items()}
        self.assertAlmostEqual((first - last["o2_taken_up"]) / last["o2_total"], 1, places=10)
        self.assertLess(abs(last["o2_unbalanced"]), 1e-9 * last["o2_total"])

    def test_books_of_a_steady_state_are_empty(self):
        model = {**self.MODEL, "substances": {name: {**like, "mode": "steady", "decay": 0.01} if name == "waste" else like
                                              for name, like in self.MODEL["substances"].items()}}
        sim = kiln.Simulation(model, threads=2)
        sim.run(5, progress=False)
        measures = sim.columns("measures")
        self.assertTrue(np.isnan(measures["waste_unbalanced"]).all())
        self.assertTrue(np.isfinite(measures["o2_unbalanced"]).all())

    def test_are_there_where_cells_come_from_numpy(self):
        whole = kiln.Simulation(self.MODEL, threads=2)
        types = {cell: whole.model.types[kind] for cell, kind in enumerate(whole.cells.type) if cell > 0}
        sim = kiln.Simulation(self.MODEL, threads=2, lattice=whole.lattice.copy(), types=types)
        for one in (whole, sim):
            one.run(10, progress=False)
        self.assertEqual(sim.hash, whole.hash)

    def test_means_in_cells_are_those_that_formulas_read(self):
        for size in ([48, 32], [20, 16, 12]):
            model = {"lattice": {"size": size}, "substances": {"o2": {"diffusion": 0, "start": "x + y * y", "coarsen": 4}},
                     "types": {"cell": {"volume": {"target": 40, "lambda": 2}, "properties": {"seen": 0}}},
                     "rules": [{"types": "cell", "set": {"seen": "mean(o2)"}}]}
            sim = kiln.Simulation(model, threads=2)
            sim.run(5, progress=False)
            mean, there = sim.cells.mean("o2"), sim.cells.volume > 0
            np.testing.assert_allclose(sim.cells["seen"][there], mean[there], rtol=1e-8)
            self.assertGreater(np.ptp(mean[there]), 10)

    def test_arrays_by_name(self):
        sim = kiln.Simulation(self.MODEL, threads=2)
        first = sim.substances["o2"]
        self.assertEqual(list(sim.substances), ["o2", "waste"])
        self.assertEqual(first.shape, (16, 24))
        np.testing.assert_array_equal(first[3], 2 * np.arange(24) + 1.5)
        sim.run(20, progress=False)
        o2 = sim.substances["o2"]
        self.assertLess(o2.sum(), first.sum())
        last = {name: column[-1] for name, column in sim.columns("measures").items()}
        self.assertAlmostEqual(last["o2_total"] / (o2.sum() * 4), 1, places=12)
        self.assertAlmostEqual((first.sum() * 4 - last["o2_taken_up"]) / last["o2_total"], 1, places=10)
        self.assertGreater(sim.substances["waste"].min(), 0)
        with self.assertRaisesRegex(ValueError, 'substances\\["co2"\\] is not known; there are o2, waste'):
            sim.substances["co2"]

    def test_goes_on_from_a_file(self):
        sim = kiln.Simulation(self.MODEL, threads=1)
        sim.run(7, progress=False)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "state.h5")
            sim.save(file)
            again = kiln.Simulation.load(file, threads=2)
        sim.run(5, progress=False)
        again.run(5, progress=False)
        self.assertEqual(sim.hash, again.hash)
        np.testing.assert_array_equal(sim.substances["waste"], again.substances["waste"])


class Living(unittest.TestCase):
    MODEL = {"lattice": {"size": [64, 64]}, "temperature": 5, "measure": {"every": 0},
             "types": {"cell": {"volume": {"target": 64, "lambda": 2}, "growth": {"rate": 7200, "up_to": 140},
                                "properties": {"dye": {"start": 8, "extensive": True}}}},
             "initial": [{"kind": "seeds", "type": "cell", "count": 5, "radius": 4}],
             "rules": [{"types": "cell", "when": "volume >= 120", "do": "divide"}]}

    def test_cells_divide_and_share(self):
        sim = kiln.Simulation(self.MODEL, threads=2)
        volume, first = sim.cells.volume, sim.cells["dye"]
        kept = volume.copy()
        sim.run(60, progress=False)
        np.testing.assert_array_equal(volume, kept)  # a copy: tables have moved since
        self.assertEqual(first.tolist(), [0] + 5 * [8])
        self.assertGreater(len(sim.cells), 5)
        alive = sim.cells["ended"] < 0
        self.assertAlmostEqual(sim.cells["dye"][alive].sum(), 40)
        lineage = sim.lineage
        self.assertEqual(lineage["id"].tolist(), list(range(1, len(sim.cells) + 1)))
        mothers = lineage.loc[lineage["end"] == "divided", "id"]
        self.assertEqual(sorted(lineage["parent"].dropna().unique()), sorted(mothers))
        np.testing.assert_array_equal(sim.cells["generation"][1:], lineage["generation"])

    def test_other_rules_on_the_way_leave_lives_as_they_are(self):
        sim = kiln.Simulation(self.MODEL)
        sim.run(40, progress=False)
        before, dye = sim.lineage, sim.cells["dye"]
        sim.set({"rules.0.when": "volume >= 1000"})
        pd.testing.assert_frame_equal(sim.lineage, before)
        np.testing.assert_array_equal(sim.cells["dye"], dye)
        sim.run(40, progress=False)
        self.assertEqual(len(sim.cells), len(before))

    def test_what_is_not_known_is_said(self):
        with self.assertRaisesRegex(ValueError, "there are dye, parent, born, ended, generation, target"):
            kiln.Simulation(self.MODEL).cells["dyes"]
        with self.assertRaisesRegex(ValueError, "the model's cells have no properties"):
            kiln.Simulation({"lattice": {"size": [32, 32]}}).cells["dye"]


class Runs(unittest.TestCase):
    def test_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "m.toml", Path(folder) / "run"
            crawlers(units={"voxel_um": 0.5}).save(file)
            done = command("run", file, "--out", out, "--engine", "threads", "--threads", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            sim = kiln.Simulation(file, engine="threads", threads=2)
            sim.run(progress=False)
            run = kiln.RunFolder(out)
            self.assertEqual(sim.hash, run.record["hash"])
            # A column of whole numbers comes back from a CSV file as integers.
            pd.testing.assert_frame_equal(sim.measures, run.measures, check_dtype=False)
            # Names, their order and units are the same; with voxel_um = 0.5, µm² would be a quarter of the sites.
            self.assertEqual(sim.model.voxel_um, 0.5)
            pd.testing.assert_frame_equal(sim.tracks.astype({"type": object}), run.tracks, check_dtype=False)
            pd.testing.assert_frame_equal(run.cells, run.tracks)
            for name in ("lags", "speeds", "motility"):
                pd.testing.assert_frame_equal(getattr(sim, name), getattr(run, name), check_dtype=False)

    def test_tables_of_cells_have_the_columns_of_the_csv(self):
        sim = kiln.Simulation(crawlers(units={"voxel_um": 0.5}))
        now = sim.cells.table()
        self.assertEqual(now.columns.tolist(), kiln.columns("cells.csv")["column"].tolist()[:10])
        self.assertTrue((now["volume"].to_numpy() == sim.cells.volume[now["id"]]).all())
        self.assertTrue((now["z"] == 0).all())
        in_sites = sim.cells.table("lattice")
        self.assertEqual(in_sites.columns.tolist(), [name for name in now if name != "t"])
        np.testing.assert_allclose(in_sites["x"] * 0.5, now["x"])
        with self.assertRaisesRegex(kiln.UserError, 'file is "cell.csv", but must be one of "measures.csv", '):
            kiln.columns("cell.csv")

    def test_phases_change_on_the_way(self):
        phases = [{"name": "grow", "mcs": 15, "set": {"types.cell.act.lambda": 0}}, {"name": "go", "mcs": 20}]
        model = crawlers(phases=phases)
        sim = kiln.Simulation(model)
        self.assertEqual(sim.phase, "grow")
        sim.run(20)
        self.assertEqual(sim.phase, "go")
        pieces = kiln.Simulation(model)
        for _ in pieces.steps(20, every=7):
            pass
        self.assertEqual(pieces.hash, sim.hash)

    def test_callbacks_may_change_and_end_it(self):
        sim = kiln.Simulation(crawlers())

        def call(s):
            if s.mcs == 20:
                s.set(temperature=50)
            return s.mcs < 40

        sim.run(60, every=10, call=call)
        self.assertEqual((sim.mcs, sim.model["temperature"]), (40, 50))

    def test_steps_that_lead_nowhere_are_refused(self):
        sim = kiln.Simulation(crawlers())
        with self.assertRaisesRegex(kiln.UserError, "every is 0"):
            sim.run(10, every=0, call=lambda s: None)
        with self.assertRaisesRegex(kiln.UserError, "mcs is -1"):
            sim.run(-1)
        sim.run(0)
        self.assertEqual(sim.mcs, 0)

    def test_ctrl_c_leaves_a_state_to_go_on_from(self):
        model = crawlers(**{"lattice.size": [400, 400], "measure.every": 0, "measure.cells_every": 0})
        sim = kiln.Simulation(model)
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                sim.run(10**9, progress=False)
        reached = sim.mcs
        self.assertGreater(reached, 0)
        sim.run(5)
        undisturbed = kiln.Simulation(model)
        undisturbed.run(reached + 5)
        self.assertEqual(sim.hash, undisturbed.hash)

    def test_ctrl_c_ends_a_sweep_and_what_it_has_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            model = crawlers(**{"lattice.size": [200, 200], "mcs": 150})
            vary, out = {"temperature": [10]}, Path(folder) / "sweep"
            timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                kiln.sweep(model, vary, replicas=10_000, out=out, threads=1, progress=False)
            swept = kiln.sweep(model, vary, replicas=1, out=out, resume=True, progress=False)
            self.assertEqual(len(swept.runs), 1)

    def test_other_threads_go_on_meanwhile(self):
        sim = kiln.Simulation(crawlers(**{"lattice.size": [300, 300]}), threads=1)
        done = threading.Event()

        def run():
            sim.run(600, progress=False)
            done.set()

        worker = threading.Thread(target=run)
        worker.start()
        seen = set()
        while not done.is_set():
            seen.add(sim.mcs)
        worker.join()
        self.assertGreater(len(seen), 10)  # Python ran while the engine did

    def test_nothing_is_recorded_where_not_asked_for(self):
        sim = kiln.Simulation(crawlers(), record=False)
        sim.run(20)
        self.assertTrue(sim.measures.empty and sim.tracks.empty)
        self.assertGreater(len(sim.cells.table()), 0)


class Views(unittest.TestCase):
    def test_lie_in_the_engine(self):
        sim = kiln.Simulation(crawlers(), engine="threads")
        lattice = sim.lattice
        address = lattice.__array_interface__["data"][0]
        before = lattice.copy()
        sim.run(20)
        self.assertEqual(sim.lattice.__array_interface__["data"][0], address)
        self.assertFalse((lattice == before).all())  # the view sees what has changed
        self.assertEqual(lattice.shape, (70, 90))
        for view in (lattice, sim.act, sim.cells.type, sim.cells.volume, sim.cells.perimeter):
            self.assertFalse(view.flags.writeable)
            self.assertIsNotNone(view.base)

    def test_outlive_the_simulation(self):
        sim = kiln.Simulation(crawlers(), engine="serial")
        lattice, volume = sim.lattice, sim.cells.volume
        copy = lattice.copy()
        sim.set({"types.cell.act.max": 7})  # takes another engine
        sim.run(5)
        del sim
        np.testing.assert_array_equal(lattice, copy)
        np.testing.assert_array_equal(np.bincount(copy.ravel(), minlength=len(volume))[1:], volume[1:])

    def test_position_is_the_mean_of_sites(self):
        sim = kiln.Simulation(crawlers(**{"lattice.boundary": "closed"}))
        sim.run(10)
        y, x = np.nonzero(sim.lattice == 3)
        np.testing.assert_allclose(sim.cells.position[3], [x.mean(), y.mean()], atol=1e-9)


class Changes(unittest.TestCase):
    def test_of_parameters_equal_a_branch(self):
        changes = {"types.cell.act.lambda": 10, "types.other.volume.target": 130}
        for change in (changes, {**changes, "types.cell.act.max": 9}):
            with tempfile.TemporaryDirectory() as folder:
                file, other, out = (Path(folder) / name for name in ("c.h5", "m.toml", "run"))
                sim = kiln.Simulation(crawlers())
                sim.run(20)
                sim.save(file)
                crawlers().changed(change, mcs=40).save(other)
                done = command("run", other, "--from", file, "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                sim.set(change)
                sim.run(20)
                self.assertEqual(sim.hash, kiln.RunFolder(out).record["hash"])

    def test_refused_ones_change_nothing(self):
        sim, same = kiln.Simulation(crawlers()), kiln.Simulation(crawlers())
        for change in ({"lattice.size": [10, 10]}, {"temperature": -3}):
            with self.assertRaises(kiln.UserError):
                sim.set(change)
        sim.run(10), same.run(10)
        self.assertEqual(sim.hash, same.hash)

    def test_checkpoints_go_on_to_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            for engine in ("serial", "threads"):
                sim = kiln.Simulation(crawlers(), engine=engine)
                sim.run(15)
                sim.save(Path(folder) / "c.h5")
                loaded = kiln.Simulation.load(Path(folder) / "c.h5")
                self.assertEqual((loaded.mcs, loaded.schedule), (15, sim.schedule))
                sim.run(15), loaded.run(15)
                self.assertEqual(sim.hash, loaded.hash)


class Edits(unittest.TestCase):
    def consistent(self, sim):
        counted = np.bincount(sim.lattice.ravel(), minlength=len(sim.cells) + 1)
        np.testing.assert_array_equal(counted[1:], sim.cells.volume[1:])

    def test_bookkeeping_follows(self):
        sim = kiln.Simulation(crawlers())
        sim.run(10)
        with sim.edit() as edit:
            edit.lattice[:, :30] = 0
            daughter = edit.add_cell("other")
            edit.lattice[5:15, 5:15] = daughter
            edit.set_type(1, "other")
        self.consistent(sim)
        self.assertEqual(sim.cells.volume[daughter], 100)
        self.assertEqual(sim.model.types[sim.cells.type[1]], "other")
        self.assertTrue((sim.act[:, :30] == 0).all())
        sim.run(20)
        self.consistent(sim)
        self.assertGreater(sim.cells.volume[daughter], 0)
        # Of the attempts since the row before, not since the beginning.
        attempts = sim.lattice.size * 10
        counted = sim.measures["acceptance"].iloc[1:] * attempts
        self.assertAlmostEqual(counted.sum(), sim.counts["accepted"], delta=1)

    def test_division_of_a_cell(self):
        sim = kiln.Simulation(crawlers())
        sim.run(20)
        parent = 2
        volume = sim.cells.volume[parent]
        with sim.edit() as edit:
            y, x = np.nonzero(edit.lattice == parent)
            half = x > np.median(x)
            edit.lattice[y[half], x[half]] = edit.add_cell("cell")
        self.assertEqual(sim.cells.volume[parent] + sim.cells.volume[-1], volume)

    def test_mistakes_change_nothing(self):
        sim = kiln.Simulation(crawlers())
        before = sim.hash
        with self.assertRaisesRegex(kiln.UserError, r"lattice\[3, 4\] is 99"), sim.edit() as edit:
            edit.lattice[3, 4] = 99
        with self.assertRaises(ZeroDivisionError), sim.edit() as edit:
            edit.lattice[...] = 0
            1 / 0
        with self.assertRaises(kiln.UserError), sim.edit() as edit:
            edit.add_cell("unknown")
        with self.assertRaisesRegex(kiln.UserError, "gone on"), sim.edit() as edit:
            sim.run(1)
        self.assertNotEqual(sim.hash, before)  # by that one MCS
        same = kiln.Simulation(crawlers())
        same.run(1)
        self.assertEqual(sim.hash, same.hash)


class FirstStates(unittest.TestCase):
    def test_from_arrays(self):
        ids = np.zeros((70, 90), np.uint16)
        ids[10:20, 10:30], ids[40:50, 40:60] = 1, 2
        sim = kiln.Simulation(crawlers(), lattice=ids, types=["other", "cell"])
        np.testing.assert_array_equal(sim.lattice, ids)
        self.assertEqual([sim.model.types[t] for t in sim.cells.type], ["medium", "other", "cell"])
        self.assertEqual(sim.cells.perimeter[1], 2 * (3 * 30) + 4 - 8)
        by_id = kiln.Simulation(crawlers(), lattice=ids, types={1: "other"})
        self.assertEqual(by_id.hash, sim.hash)

    def test_that_do_not_fit(self):
        good = np.zeros((70, 90), int)
        for lattice, types, words in [
            (good.T, None, "(90, 70)"),
            (good.astype(float), None, "whole numbers"),
            (good - 1, None, "-1"),
            (good + 2, ["cell"], "1 entries"),
            (good + 1, "sell", "sell"),
            (good, {5: "cell"}, "cell 5"),
            (None, "cell", "lattice"),
        ]:
            with self.assertRaises(kiln.UserError) as caught:
                kiln.Simulation(crawlers(), lattice=lattice, types=types)
            self.assertIn(words, str(caught.exception))


class Pictures(unittest.TestCase):
    def test_are_images_of_the_lattice(self):
        sim = kiln.Simulation(crawlers())
        picture = sim.picture(colour="cell", width=450)
        self.assertEqual(np.asarray(picture).shape[1:], (450, 3))
        self.assertEqual(picture._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")
        with self.assertRaisesRegex(kiln.UserError, "colour"):
            sim.picture(colour="sound")

    def test_show_names_a_file_where_there_is_no_screen(self):
        os.environ.pop("DISPLAY", None)
        os.environ.pop("WAYLAND_DISPLAY", None)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            kiln.Simulation(crawlers()).show()
        file = Path(said.getvalue().strip())
        self.assertTrue(file.read_bytes().startswith(b"\x89PNG"))
        file.unlink()


class Threads(unittest.TestCase):
    def test_one_at_a_time_runs_or_changes_a_simulation(self):
        sim = kiln.Simulation(crawlers(**{"lattice.size": [300, 300]}), threads=1)
        stop, said = threading.Event(), []

        def go_on():
            while not stop.is_set():
                with contextlib.suppress(kiln.UserError):  # the other thread was faster
                    sim.run(100, progress=False)

        worker = threading.Thread(target=go_on)
        worker.start()
        while sim.mcs < 10:
            time.sleep(0.001)
        for change in (lambda: sim.run(5), lambda: sim.set(temperature=3), self.paint(sim)):
            # Between two runs the simulation is free for a moment.
            for _ in range(1000):
                try:
                    change()
                except kiln.UserError as error:
                    said.append(str(error))
                    break
        # Reading is possible, and rows and tables are whole.
        for _ in range(3):
            self.assertTrue((sim.measures["mcs"].diff().dropna() > 0).all())
            self.assertEqual(len(sim.cells.table()), 12)
            self.assertEqual(sim.picture(width=80).rgb.shape[2], 3)
        stop.set()
        worker.join()
        self.assertEqual(said[:2], ["the simulation is running in another thread; wait until it is done."] * 2)
        self.assertRegex(said[2], "running in another thread|gone on")

    @staticmethod
    def paint(sim):
        def change():
            with sim.edit() as edit:
                edit.lattice[0, 0] = 1

        return change

    def test_runs_side_by_side_make_every_step(self):
        sim = kiln.Simulation(crawlers(), threads=1)
        made, refused = [], []

        def run():
            try:
                sim.run(300, progress=False)
                made.append(300)
            except kiln.UserError:
                refused.append(1)

        workers = [threading.Thread(target=run) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(len(made) + len(refused), 3)
        self.assertEqual(sim.mcs, sum(made))
        same = kiln.Simulation(crawlers())
        same.run(sim.mcs)
        self.assertEqual(sim.hash, same.hash)


if __name__ == "__main__":
    unittest.main()
