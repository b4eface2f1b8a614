"""The Python package as a whole: messages, models, sweeps, the command line and the documentation."""

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
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas as pd

import kiln
from kiln import _kiln
from support import MODELS, command, crawlers


def hash_after_10(model):
    sim = kiln.Simulation(model, threads=1)
    sim.run(10, progress=False)
    return sim.hash


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

    def test_of_arguments_of_another_kind(self):
        """A sentence with the argument's name, not the signatures of a C++ function."""
        model = crawlers()
        sim = kiln.Simulation(model)
        one = np.ones((70, 90), int)

        def edit(change):
            with sim.edit() as painted:
                change(painted)

        for act, sentence in [
            (lambda: kiln.Simulation(model, threads="x"), "threads is 'x', but must be an integer between 0 and"),
            (lambda: kiln.Simulation(model, device=1.5), "device is 1.5, but must be an integer between 0 and"),
            (lambda: kiln.Simulation(model, engine=3), "engine is 3, but must be a text."),
            (lambda: kiln.Simulation(model, lattice=one, types={"a": "cell"}), "types names cell 'a', but the lattice"),
            (lambda: kiln.Simulation(model, lattice=one, types={2: "cell"}), "types names cell 2, but the lattice"),
            (lambda: kiln.Simulation(model, lattice=one, types=[1]), "types holds 1, but must hold names of cell types"),
            (lambda: kiln.Simulation(model, lattice=one, types=5), "types is 5, but must be a name, a list of names or"),
            (lambda: model.lasting(1.5), "mcs is 1.5, but must be an integer between 0 and"),
            (lambda: kiln.run(model, mcs="a"), "mcs is 'a', but must be an integer between 0 and"),
            (lambda: kiln.run(model, every="a", call=print), "every is 'a', but must be an integer between 1 and"),
            (lambda: kiln.run(model, threads=-1), "threads is -1, but must be an integer between 0 and"),
            (lambda: kiln.sweep(model, {}, replicas=1.5), "replicas is 1.5, but must be an integer between 1 and"),
            (lambda: kiln.sweep(model, {}, shard=3), "shard is 3, but must be a text."),
            (lambda: kiln.sweep(model, {}, shard="5/4"), '--shard is "5/4", but the shards are numbered from 1 to 4.'),
            (lambda: kiln.sweep(model, {}, devices="some"), '--devices is "some", but must be all, or numbers of GPUs'),
            (lambda: kiln.sweep(model, {}, devices=[0, -1]), "devices is -1, but must be an integer between 0 and"),
            (lambda: kiln.sweep(model, {}, devices=[0, 1], engine="threads"), '--devices is "0,1", but the threads engine'),
            (lambda: edit(lambda e: e.add_cell(5)), "type is 5, but must be a text."),
            (lambda: edit(lambda e: e.set_type("a", "cell")), "cell is 'a', but must be an integer between 0 and"),
            (lambda: edit(lambda e: e.set_type(0, "cell")), "there is no cell 0; there are the cells 1 to 12."),
            (lambda: kiln.RunFolder(".").snapshot("a"), "mcs is 'a', but must be an integer between 0 and"),
            (lambda: kiln.columns(5), "file is 5, but must be a text."),
        ]:
            with self.subTest(sentence), self.assertRaises(kiln.UserError) as caught:
                act()
            self.assertTrue(str(caught.exception).startswith(sentence), caught.exception)

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


    def test_shards_are_put_together(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            whole = kiln.sweep(crawlers(mcs=5), self.vary, replicas=2, progress=False)
            for number in (1, 3):  # the second is missing
                part = kiln.sweep(crawlers(mcs=5), self.vary, replicas=2, shard=f"{number}/3", out=out, progress=False)
                expected = whole.runs.iloc[number - 1::3].reset_index(drop=True)
                pd.testing.assert_frame_equal(part.runs, expected)
            with self.assertRaisesRegex(kiln.UserError, "exists"):
                kiln.sweep(crawlers(mcs=5), self.vary, replicas=2, out=out, progress=False)
            together = kiln.sweep(crawlers(mcs=5), self.vary, replicas=2, out=out, resume=True, progress=False)
            pd.testing.assert_frame_equal(together.runs, whole.runs)
            pd.testing.assert_frame_equal(together.measures, whole.measures)


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
