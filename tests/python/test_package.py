"""The Python package: the same simulations, tables and messages as the command line's."""

import contextlib
import copy
import doctest
import importlib
import io
import multiprocessing
import os
import pickle
import pkgutil
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import pandas as pd

import kiln
from kiln import _kiln

KILN = os.environ["KILN_BINARY"]
MODELS = Path(os.environ["KILN_SOURCE_DIR"]) / "models"


def crawlers(**changes):
    model = {
        "seed": 4,
        "mcs": 60,
        "temperature": 10,
        "lattice": {"size": [90, 70]},
        "types": {
            "cell": {
                "volume": {"target": 150, "lambda": 5},
                "perimeter": {"target": 180, "lambda": 0.5},
                "act": {"lambda": 120, "max": 20},
            },
            "other": {"volume": {"target": 100, "lambda": 5}, "persistence": {"lambda": 50, "dt": 5}},
        },
        "initial": [{"kind": "seeds", "types": {"cell": 1, "other": 1}, "count": 12, "radius": 5}],
        "measure": {"every": 10, "cells_every": 20},
    }
    if "phases" in changes:
        del model["mcs"]
    return kiln.Model(model, changes)


def hash_after_10(model):
    sim = kiln.Simulation(model, threads=1)
    sim.run(10, progress=False)
    return sim.hash


def command(*arguments):
    return subprocess.run([KILN, *map(str, arguments)], capture_output=True, text=True)


class Messages(unittest.TestCase):
    def test_of_numbers_that_do_not_fit(self):
        with self.assertRaisesRegex(kiln.UserError, r'model\["seed"\] = 1180591620717411303424: an integer must lie'):
            kiln.Simulation(crawlers(), seed=2**70)
        sim = kiln.Simulation(crawlers())
        for mcs in (1.5, "5", -1, 2**70, float("nan")):
            with self.assertRaisesRegex(kiln.UserError, "mcs is .*, but must be an integer between 0 and"):
                sim.run(mcs)
        with self.assertRaisesRegex(kiln.UserError, "every is 0, but must be an integer between 1 and"):
            sim.run(5, every=0, call=lambda s: None)
        sim.run(1e1, progress=False)
        sim.run(np.int64(5), progress=False)
        self.assertEqual(sim.mcs, 15)

    def test_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "bad.toml"
            file.write_text("lattice.size = [20, 20]\n[types.cell]\nvolume = {targte = 3}\n")
            said = command("validate", file)
            with self.assertRaises(kiln.UserError) as caught:
                kiln.Model(file)
            self.assertEqual(said.stderr, f"kiln: {caught.exception}\n")

    def test_name_the_key_and_the_value(self):
        for change, words in [
            ({"types.cell.act.lambda": "much"}, ["types.cell.act.lambda", "much"]),
            ({"types.sell.act.lambda": 3}, ["sell", "cell"]),
            ({"lattice.size": [0, 5]}, ["lattice.size", "0"]),
            ({"nonsense": 1}, ["nonsense"]),
        ]:
            model = crawlers()
            before = model.toml
            with self.assertRaises(kiln.UserError) as caught:
                model.changed(change)
            for word in words:
                self.assertIn(word, str(caught.exception))
            with self.assertRaises(kiln.UserError):
                key, value = next(iter(change.items()))
                model[key] = value
            self.assertEqual(model.toml, before)

    def test_what_no_model_holds_is_a_type_error(self):
        with self.assertRaises(TypeError):
            kiln.Model({"lattice": {"size": object()}})

    def test_engines(self):
        with self.assertRaisesRegex(kiln.UserError, "abacus"):
            kiln.Simulation(crawlers(), engine="abacus")


class Models(unittest.TestCase):
    def test_values_come_back(self):
        model = crawlers()
        self.assertEqual(model["types.cell.act.max"], 20)
        self.assertEqual(model["initial.0.count"], 12)
        self.assertEqual(model["lattice.size"], [90, 70])
        for key in ("types.cell.nothing", "initial.7.count", "lattice.size.x"):
            with self.assertRaises(KeyError):
                model[key]

    def test_numpy_numbers_are_numbers(self):
        model = crawlers()
        model["temperature"] = np.float32(4.5)
        model["initial.0.count"] = np.int64(3)
        model["lattice.size"] = np.array([50, 40])
        self.assertEqual((model["temperature"], model["initial.0.count"], model.size), (4.5, 3, (50, 40)))

    def test_packings_and_regions_in_a_dict(self):
        ring = {"shape": "difference", "of": [{"shape": "ball", "radius": 30}, {"shape": "ball", "radius": 15}]}
        model = kiln.Model({"lattice": {"size": [80, 80]}, "types": {"cell": {"volume": {"target": 40}}},
                            "initial": [{"kind": "voronoi", "count": 50, "region": ring}]})
        y, x = np.mgrid[:80, :80] - 39.5
        inside = (x * x + y * y <= 900) & (x * x + y * y > 225)
        lattice = np.array(kiln.Simulation(model, threads=1).lattice)
        np.testing.assert_array_equal(lattice != 0, inside)
        self.assertEqual(sorted(set(lattice[inside])), list(range(1, 51)))
        inner = model.changed({"initial.0.region.of.0.radius": 20})
        smaller = np.array(kiln.Simulation(inner, threads=1).lattice) != 0
        np.testing.assert_array_equal(smaller, inside & (x * x + y * y <= 400))
        with self.assertRaisesRegex(kiln.UserError, "region.of.1.radius is -1"):
            model.changed({"initial.0.region.of.1.radius": -1})

    def test_a_dict_and_its_toml_are_the_same_model(self):
        model = crawlers()
        self.assertEqual(kiln.Model.from_text(model.toml).toml, model.toml)

    def test_copies_are_their_own(self):
        model = crawlers(temperature=7)
        for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            self.assertEqual(twin.toml, model.toml)
            twin["temperature"] = 33
            self.assertEqual(model["temperature"], 7)
            # What was given, not only what came of it: a default that follows from the lattice still does.
            self.assertEqual(twin.changed({"lattice.size": [40, 50]}).toml,
                             model.changed({"lattice.size": [40, 50]}, temperature=33).toml)

    def test_reach_other_processes(self):
        models = [crawlers(seed=seed) for seed in (1, 2)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            hashes = pool.map(hash_after_10, models)
        self.assertEqual(hashes, [hash_after_10(model) for model in models])
        self.assertNotEqual(*hashes)

    def test_many_changes_keep_the_latest_of_each_key(self):
        model = crawlers()
        for number in range(1, 301):
            model["temperature"] = number
        model["types.cell.act.lambda"] = 9
        model["types.cell.act"] = {"lambda": 5, "max": 4}
        model["types.cell.act.max"] = 6
        model["adhesion.cell"] = {"cell": 3}
        model["adhesion.cell"] = {"other": 4}
        self.assertEqual((model["temperature"], model["types.cell.act.lambda"], model["types.cell.act.max"]),
                         (300, 5, 6))
        self.assertEqual((model["adhesion.cell.cell"], model["adhesion.cell.other"]), (3, 4))
        self.assertEqual(len(model._model.__getstate__()[3]), 5)  # temperature, act, act.max, two pairs


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
            pd.testing.assert_frame_equal(sim.measures, run.measures)
            # Names, their order and units are the same; with voxel_um = 0.5, µm² would be a quarter of the sites.
            self.assertEqual(sim.model.voxel_um, 0.5)
            pd.testing.assert_frame_equal(sim.tracks.astype({"type": object}), run.tracks, check_dtype=False)
            pd.testing.assert_frame_equal(run.cells, run.tracks)
            for name in ("lags", "speeds", "motility"):
                pd.testing.assert_frame_equal(getattr(sim, name), getattr(run, name), check_dtype=False)

    def test_tables_of_cells_have_the_columns_of_the_csv(self):
        sim = kiln.Simulation(crawlers(units={"voxel_um": 0.5}))
        now = sim.cells.table()
        self.assertEqual(now.columns.tolist(), kiln.columns("cells.csv")["column"].tolist())
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


class Sweeps(unittest.TestCase):
    vary = {"types.cell.act.lambda": [50, 120], "temperature": "5:15:10"}

    def test_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "m.toml", Path(folder) / "sweep"
            crawlers(mcs=20).save(file)
            done = command("sweep", file, "--vary", "types.cell.act.lambda=50,120", "--vary", "temperature=5:15:10",
                           "--replicas", 2, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            swept = kiln.sweep(file, self.vary, replicas=2, progress=False)
            pd.testing.assert_frame_equal(swept.runs, pd.read_csv(out / "sweep.csv"))
            pd.testing.assert_frame_equal(swept.measures, pd.read_csv(out / "measures.csv"))
            one = swept.runs.iloc[5]
            alone = kiln.Simulation(
                kiln.Model(file, {key: one[key].item() for key in self.vary}), seed=int(one["seed"]))
            alone.run(progress=False)
            self.assertEqual(alone.hash, one["hash"])

    def test_failures_are_listed_and_a_stopped_one_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            vary = {"initial.0.count": [4, 5000]}  # so many do not fit
            swept = kiln.sweep(crawlers(mcs=5), vary, out=out, progress=False)
            self.assertEqual((len(swept.runs), len(swept.failed)), (1, 1))
            self.assertIn("5000", swept.failed["run"][0])
            with self.assertRaisesRegex(kiln.UserError, "exists"):
                kiln.sweep(crawlers(mcs=5), vary, out=out, progress=False)
            more = kiln.sweep(crawlers(mcs=5), {"initial.0.count": [4, 6]}, out=out, resume=True, progress=False)
            self.assertEqual(len(more.runs), 2)
            self.assertEqual(more.runs["hash"][0], swept.runs["hash"][0])


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


class CommandLine(unittest.TestCase):
    def test_is_part_of_the_package(self):
        for arguments in (["--version"], ["validate", str(MODELS / "sorting.toml")], ["run", "nowhere.toml"]):
            ours = subprocess.run([sys.executable, "-m", "kiln", *arguments], capture_output=True, text=True)
            theirs = command(*arguments)
            self.assertEqual((ours.returncode, ours.stdout, ours.stderr),
                             (theirs.returncode, theirs.stdout, theirs.stderr))


class Documentation(unittest.TestCase):
    def test_programs_of_the_page_run(self):
        source = Path(os.environ["KILN_SOURCE_DIR"])
        blocks = re.findall(r"```python\n(.*?)```", (source / "docs" / "python.md").read_text(), re.S)
        self.assertGreaterEqual(len(blocks), 4)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            os.symlink(source / "models", Path(folder) / "models")
            os.chdir(folder)
            try:
                exec("\n".join(blocks), {})
            finally:
                os.chdir(before)
        for line in said.getvalue().splitlines():
            if line.endswith(".png"):
                Path(line).unlink()  # what show() left


class Stubs(unittest.TestCase):
    def test_name_all_that_the_module_has(self):
        import ast

        stub = ast.parse((Path(kiln.__file__).parent / "_kiln.pyi").read_text())
        for node in stub.body:
            if isinstance(node, ast.ClassDef) and not node.bases:
                members = {m.name for m in node.body if isinstance(m, ast.FunctionDef) and m.name[0] != "_"}
                actual = {m for m in vars(getattr(_kiln, node.name)) if not m.startswith("_")}
                self.assertEqual(members, actual, node.name)


def load_tests(loader, tests, pattern):
    for info in pkgutil.iter_modules(kiln.__path__):
        if info.name not in ("_kiln", "__main__"):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(f"kiln.{info.name}")))
    tests.addTests(doctest.DocTestSuite(kiln))
    return tests


if __name__ == "__main__":
    unittest.main()
