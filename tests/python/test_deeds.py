"""What Python makes happen to living cells: they divide, die, become another type, get other numbers."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas as pd

import kiln
from support import crawlers


def colony(**more):
    model = {
        "seed": 4, "temperature": 10, "lattice": {"size": [48, 40]}, "measure": {"every": 5, "cells_every": 5},
        "types": {"cell": {"volume": {"target": 40, "lambda": 4}, "act": {"lambda": 20, "max": 8},
                           "growth": {"rate": 100, "up_to": 60},
                           "properties": {"dye": {"start": 8, "extensive": True}, "clock": "x"}},
                  "other": {"volume": {"target": 30, "lambda": 4}}, "wall": {"frozen": True}},
        "adhesion": {"default": 5}, "initial": [{"box": 8, "type": "cell"}],
    }
    return {**model, **more}


class Deeds(unittest.TestCase):
    def consistent(self, sim):
        counted = np.bincount(sim.lattice.ravel(), minlength=len(sim.cells) + 1)
        mobile = sim.cells.type != sim.model.types.index("wall")
        np.testing.assert_array_equal(counted[1:][mobile[1:]], sim.cells.volume[1:][mobile[1:]])

    def test_cells_divide(self):
        sim = kiln.Simulation(colony(), threads=2)
        sim.run(10, progress=False)
        mothers = np.array([7, 3, 12])
        volume, dye, act = sim.cells.volume[mothers], sim.cells["dye"][mothers], sim.act.copy()
        first, second = sim.divide(mothers)
        self.consistent(sim)
        np.testing.assert_array_equal(sim.cells["parent"][first], mothers)
        np.testing.assert_array_equal(sim.cells["parent"][second], mothers)
        np.testing.assert_array_equal(sim.cells.volume[first] + sim.cells.volume[second], volume)
        np.testing.assert_allclose(sim.cells["dye"][first] + sim.cells["dye"][second], dye, rtol=1e-15)
        np.testing.assert_allclose(sim.cells["dye"][first] / dye, sim.cells.volume[first] / volume)
        np.testing.assert_array_equal(sim.act, act)
        np.testing.assert_array_equal(sim.cells["ended"][mothers], 10)
        sim.run(10, progress=False)
        self.consistent(sim)
        self.assertEqual(set(sim.lineage["end"]), {"divided", "alive"})

    def test_a_normal_says_where_the_plane_is(self):
        sim = kiln.Simulation(colony(), threads=2)
        before = sim.lattice == 8
        (first,), (second,) = sim.divide(8, plane=[0, 2])
        rows = [np.nonzero(sim.lattice == daughter)[0] for daughter in (first, second)]
        self.assertTrue(rows[0].max() < rows[1].min() or rows[1].max() < rows[0].min())
        np.testing.assert_array_equal(before, (sim.lattice == first) | (sim.lattice == second))

    def test_cells_die_at_once_or_slowly(self):
        sim = kiln.Simulation(colony(), threads=2)
        sim.kill([1, 2])
        self.assertFalse(np.isin(sim.lattice, [1, 2]).any())
        sim.kill(5, how="shrink", over=6)
        self.assertGreater(sim.cells.volume[5], 0)
        sim.run(40, progress=False)
        self.assertEqual(sim.cells.volume[5], 0)
        ends = sim.lineage.set_index("id")["end"]
        self.assertEqual([ends[cell] for cell in (1, 2, 5)], ["died"] * 3)
        self.consistent(sim)

    def test_properties_start_with_finite_numbers(self):
        model = colony()
        model["types"]["cell"]["properties"]["clock"] = "1 / (volume - 5)"
        sim = kiln.Simulation(model, threads=2)
        before = sim.hash
        with self.assertRaisesRegex(kiln.UserError, r"properties\.clock\.start is inf for cell 31, where volume 5, but"):
            with sim.edit() as edit:
                edit.lattice[0, :5] = edit.add_cell("cell")
        self.assertEqual(sim.hash, before)

    def test_cells_become_another_type(self):
        sim = kiln.Simulation(colony(), threads=2)
        sim.become([1, 4], "other")
        sim.become(9, "wall")
        place = sim.lattice == 9
        sim.run(15, progress=False)
        np.testing.assert_array_equal(sim.lattice == 9, place)
        self.assertEqual([sim.model.types[t] for t in sim.cells.type[[1, 4, 9, 2]]], ["other", "other", "wall", "cell"])
        self.assertEqual(sim.cells["target"][4], 30)
        self.consistent(sim)

    def test_all_engines_play_on_alike_and_from_a_checkpoint(self):
        sims = [kiln.Simulation(colony(), threads=threads) for threads in (1, 2)]
        for sim in sims:
            sim.run(5, progress=False)
            sim.divide([2, 3], plane="random")
            sim.cells["clock"] = 3
            sim.kill(7)
            sim.add_cells("cell", sim.cells.position[8:9] * 0 + [3, 3], 2)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "checkpoint.h5"
            sims[0].save(file)
            sims.append(kiln.Simulation.load(file, threads=2))
        for sim in sims:
            sim.run(20, progress=False)
        self.assertEqual(len({sim.hash for sim in sims}), 1)
        serial = kiln.Simulation(colony(), engine="serial")
        serial.run(5, progress=False)
        serial.divide([2, 3], plane="random")
        serial.run(20, progress=False)
        self.consistent(serial)

    def test_a_property_is_set(self):
        sim = kiln.Simulation(colony(), threads=2)
        sim.cells["clock"] = np.arange(len(sim.cells) + 1) * 2
        self.assertEqual(sim.cells["clock"][6], 12)
        sim.cells["clock"] = 5
        self.assertEqual(set(sim.cells["clock"][1:]), {5})

    def test_lambdas_that_rules_set_can_be_read(self):
        rules = [{"types": "cell", "set": {"act.lambda": "if(x > 24, 90, 10)"}}]
        sim = kiln.Simulation(colony(rules=rules), threads=2)
        self.assertEqual(set(sim.cells["act.lambda"][1:]), {20})
        sim.run(1, progress=False)
        right = sim.cells.position[1:, 0] > 24.5
        self.assertEqual(set(sim.cells["act.lambda"][1:][right]), {90})

    def test_a_lambda_that_no_rule_has_set_yet_is_the_types(self):
        rules = [{"types": "cell", "when": "x > 24 and time < 3", "set": {"act.lambda": 90}}]
        sim = kiln.Simulation(colony(rules=rules), threads=2)
        sim.run(3, progress=False)
        sim.set({"types.cell.act.lambda": 33})
        self.assertEqual(set(sim.cells["act.lambda"][1:]), {90, 33})

    def test_mistakes_change_nothing(self):
        sim = kiln.Simulation(colony(), threads=2)
        sim.kill(1)
        before = sim.hash
        plain = kiln.Simulation(crawlers())
        for says, do in [
            (r"there is no cell 99", lambda: sim.divide([2, 99])),
            (r"ids holds 0", lambda: sim.divide([2, 0])),
            (r"cell 3 is named twice", lambda: sim.kill([3, 2, 3])),
            (r"cell 1 has ended in MCS 0", lambda: sim.become(1, "other")),
            (r'plane is "up"', lambda: sim.divide(2, plane="up")),
            (r"a normal has 2 numbers and a length", lambda: sim.divide(2, plane=[0, 0])),
            (r"a normal has 2 numbers and a length", lambda: sim.divide(2, plane=[0, 0, 1])),
            (r"how is 'now'", lambda: sim.kill(2, how="now")),
            (r"over is the time", lambda: sim.kill(2, how="shrink")),
            (r"unknown|no type", lambda: sim.become(2, "unknown")),
            (r"medium", lambda: sim.become(2, "medium")),
            (r'cells\["none"\] is no property; there are dye, clock', lambda: sim.cells.__setitem__("none", 1)),
            (r"is nan, but must be a number", lambda: sim.cells.__setitem__("dye", float("nan"))),
            (r'cells\["dye"\] needs a number, or 31', lambda: sim.cells.__setitem__("dye", [1, 2])),
            (r"must be an id or a list", lambda: sim.divide("all")),
            (r"must be an id or a list", lambda: sim.divide(2.5)),
            (r"radius is nan", lambda: sim.add_cells("cell", [[1, 2]], float("nan"))),
            (r"radius is -1", lambda: sim.add_cells("cell", [[1, 2]], -1)),
            (r"radius is 1e\+30", lambda: sim.add_cells("cell", [[1, 2]], 1e30)),
            (r"a place has inf", lambda: sim.add_cells("cell", [[1, float("inf")]], 2)),
            (r"a place has 2 numbers", lambda: sim.add_cells("cell", [[1, 2, 3]], 2)),
            (r"cells have no lives", lambda: plain.divide(1)),
            (r"cells have no properties", lambda: plain.cells.__setitem__("dye", 1)),
        ]:
            with self.subTest(says), self.assertRaisesRegex(kiln.UserError, says):
                do()
        self.assertEqual(sim.hash, before)
        fixed = kiln.Simulation(colony(types={"cell": {"volume": {"target": 40, "lambda": 4}}}, tick={"every": 1},
                                       initial=[{"box": 8}]))
        with self.assertRaisesRegex(kiln.UserError, "cell 2 of type cell cannot shrink"):
            fixed.kill(2, how="shrink", over=9)

    def test_within_a_run(self):
        def call(sim):
            if sim.mcs == 10:
                sim.divide([1, 2, 3])
        with tempfile.TemporaryDirectory() as folder:
            run = kiln.run(colony(), Path(folder) / "steered", mcs=20, every=10, call=call, progress=False)
            self.assertEqual((run.table("lineage")["end"] == "divided").sum(), 3)

    def test_a_run_keeps_its_columns_when_properties_change(self):
        def call(sim):
            if sim.mcs == 10:
                sim.set({"types.cell.properties.added": {"start": 1}})

        with tempfile.TemporaryDirectory() as folder:
            for form in ("csv", "hdf5"):
                model = colony()
                model["measure"]["cells_format"] = form
                tracks = kiln.run(model, Path(folder) / form, mcs=20, every=10, call=call, progress=False).tracks
                self.assertEqual(tracks.columns.tolist()[10:], ["parent", "generation", "age", "target", "dye", "clock"])
                self.assertFalse(tracks["dye"].isna().any())

    def test_tracks_tell_whose_daughter_a_cell_is(self):
        rules = [{"types": "cell", "when": "volume >= 50", "do": "divide"}]
        model = colony(rules=rules, units={"seconds_per_mcs": 30})
        sim = kiln.Simulation(model, threads=2)
        sim.run(40, progress=False)
        tracks, seen = sim.tracks, []

        def call(sim):  # rows that are not a table yet
            seen.append(sim.tracks)

        with tempfile.TemporaryDirectory() as folder:
            read = {}
            for form in ("csv", "hdf5"):
                model["measure"]["cells_format"] = form
                read[form] = kiln.run(model, Path(folder) / form, mcs=40, every=20, call=call, progress=False).tracks
        self.assertEqual(tracks.columns.tolist()[10:], ["parent", "generation", "age", "target", "dye", "clock"])
        for table in (read["csv"], read["hdf5"]):
            pd.testing.assert_frame_equal(table, tracks, check_dtype=False, rtol=1e-6, check_categorical=False)
        pd.testing.assert_frame_equal(seen[2], tracks[tracks["mcs"] < 20].reset_index(drop=True), check_dtype=False, rtol=1e-6,
                                      check_categorical=False)
        last = tracks[tracks["mcs"] == 40].set_index("id")
        self.assertGreater((last["generation"] > 0).sum(), 5)
        np.testing.assert_array_equal(last["dye"], sim.cells["dye"][last.index])
        born = last[last["generation"] > 0]
        np.testing.assert_array_equal(born["age"], (40 - sim.cells["born"][born.index]) * 30)
        np.testing.assert_array_equal(born["parent"], sim.cells["parent"][born.index])
        self.assertTrue(last["parent"][last["generation"] == 0].isna().all())


if __name__ == "__main__":
    unittest.main()
