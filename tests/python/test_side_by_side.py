"""`./kiln side-by-side`: the textbook loop as the other simulator agrees, a wrong one is found out, and mistakes get a
sentence."""

import contextlib
import csv
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

SOURCE = Path(os.environ["KILN_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE))

try:
    import matplotlib  # noqa: F401
    import scipy.stats
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

import kiln  # noqa: E402
from experiments import comparison, measures  # noqa: E402
from experiments.other_program import OtherProgram, read_state  # noqa: E402
from experiments.side_by_side import main  # noqa: E402

TEXTBOOK = shlex.quote(str(Path(os.environ["KILN_BUILD_DIR"]) / "bench" / "textbook"))


def sorting(**changes):
    """Small, and stiff enough that `tiles` settles sizes in several passes."""
    model = {
        "temperature": 20,
        "lattice": {"size": [60, 50]},
        "types": {"light": {"volume": {"target": 30, "lambda": 5}}, "dark": {"volume": {"target": 30, "lambda": 5}}},
        "adhesion": {"light": {"light": 14, "dark": 11, "medium": 16}, "dark": {"dark": 2, "medium": 16}},
        "initial": [{"kind": "boxes", "types": {"light": 1, "dark": 1}, "box": [5, 5]}],
    }
    return kiln.Model(model, changes)


def crawlers():
    """Closed and periodic walls, frozen cells, Act and persistence."""
    return kiln.Model({
        "temperature": 20,
        "lattice": {"size": [50, 40], "boundary": ["periodic", "closed"]},
        "types": {
            "wall": {"frozen": True},
            "act": {"volume": {"target": 80, "lambda": 5}, "perimeter": {"target": 120, "lambda": 0.2},
                    "act": {"lambda": 100, "max": 10}},
            "walker": {"volume": {"target": 60, "lambda": 5}, "persistence": {"lambda": 40, "dt": 5}},
        },
        "adhesion": {"default": 8},
        "initial": [{"kind": "boxes", "type": "wall", "box": [4, 4], "region": {"shape": "box", "low": [20, 20],
                                                                               "high": [24, 24]}},
                    {"kind": "seeds", "types": {"act": 1, "walker": 1}, "count": 10, "radius": 4}],
    })


class SideBySide(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"
        self.model = self.folder / "model.toml"
        sorting().save(self.model)

    def compare(self, other, *arguments, runs=6, expect=0):
        """What it prints; on standard error where it does not succeed or differ."""
        with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.redirect_stderr(io.StringIO()) as refused:
            code = main([str(self.model), "--other", other, "--mcs", "40", "--every", "20", "--runs", str(runs),
                         "--jobs", "2", "--out", str(self.out), *map(str, arguments)])
        self.assertEqual(code, expect, told.getvalue() + refused.getvalue())
        return told.getvalue() + refused.getvalue()

    def textbook(self, model="{model}"):
        return f"{TEXTBOOK} {model} {{start}} {{types}} {{out}} {{mcs}} {{every}} {{seed}}"

    def rows(self, name="comparison.csv"):
        with open(self.out / name, newline="") as file:
            return list(csv.DictReader(file))

    # Each of the next tests that expects agreement has a false-alarm rate of about 1%, with seeds that are fixed.
    def test_the_textbook_loop_agrees(self):
        told = self.compare(self.textbook())
        self.assertRegex(told, r"(?s)^Rule, .* 14 comparisons.* over 6 runs .* 1% / 14.*The two agree: 0 of 14")
        self.assertEqual({row["differs"] for row in self.rows()}, {"0"})
        self.assertEqual([row["mcs"] for row in self.rows() if row["measure"] == "displacement"], ["20", "40"])
        self.assertEqual(len(self.rows("runs.csv")), 2 * 6 * 2)
        start = np.load(self.out / "start.npy")
        np.testing.assert_array_equal(start, kiln.Simulation(self.model).lattice)
        self.assertEqual(set(np.load(self.out / "types.npy")[1:]), {1, 2})
        self.assertTrue((self.out / "comparison.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(sorted(file.name for file in self.out.iterdir()),
                         ["comparison.csv", "comparison.png", "runs.csv", "start.npy", "types.npy"])

    def test_it_agrees_where_cells_crawl_between_walls(self):
        crawlers().save(self.model)
        self.compare(self.textbook(), "--burn-in", 10, "--keep")
        start, types = np.load(self.out / "start.npy"), np.load(self.out / "types.npy")
        wall, states = types[start] == 1, list(self.out.glob("*-seed-?/*.npy"))
        self.assertEqual((start.shape, wall.sum(), len(states)), ((40, 50), 16, 2 * 6 * 2))
        for state in states:
            np.testing.assert_array_equal(np.load(state)[wall], start[wall])
        self.assertEqual({row["kiln_mean"] for row in self.rows() if row["measure"] == "cells"}, {"10"})

    def test_the_serial_engine_is_the_textbook_loop(self):
        self.compare(self.textbook(), "--engine", "serial", runs=4)
        rows = self.rows("runs.csv")
        for ours, theirs in zip(rows[:8], rows[8:]):
            self.assertEqual((ours.pop("program"), theirs.pop("program")), ("Kiln", "the other"))
            self.assertEqual(ours, theirs)

    def test_a_comparison_that_fails_leaves_no_older_result(self):
        self.out.mkdir()
        (self.out / "comparison.csv").write_text("of another first state")
        self.compare("false {start} {out}", expect=1)
        self.assertFalse((self.out / "comparison.csv").exists())

    def test_another_temperature_is_found_out(self):
        hot = self.folder / "hot.toml"
        sorting(temperature=40).save(hot)
        told = self.compare(self.textbook(hot), expect=1)
        self.assertRegex(told, r"perimeter_mean .* differs at 2 of 2 times, most at \d+ MCS: \+")
        self.assertIn("--engine serial is that chain", told)

    def test_the_program_of_the_documentation_agrees(self):
        page = (SOURCE / "docs" / "side-by-side.md").read_text()
        program = self.folder / "their_program.py"
        program.write_text(re.search(r"```python\n(.*?)```", page, re.S)[1])
        # It names a model of the repository.
        self.model = SOURCE / "models" / "sorting.toml"
        self.compare(f"{sys.executable} {program} {{start}} {{types}} {{out}} {{mcs}} {{every}} {{seed}}", runs=4)

    def test_mistakes_get_a_sentence(self):
        copy = "sh -c 'cp {start} {out}/20.npy; cp %s {out}/40.npy'"
        for other, code, words in [
            ("no-such-program {start} {out}", 2, "cannot be started: there is no program no-such-program."),
            ("cp {sart} {out}", 2, "has {sart}, but only {start}, {types}, {out}, {mcs}, {every}, {seed}, {model} are"),
            ("cp {out}", 2, "has no {start}, the first state: ids of cells by site"),
            ("cp '{start} {out}", 2, "cannot be split into words (no closing quotation)."),
            ("cp {start} {out}", 2, "other-seed-1/20.npy, but must write the state after 20 MCS."),
            ("sh -c 'echo out of luck >&2; exit 7' {start} {out}", 1, "ended with exit code 7: out of luck"),
            (copy % "{types}", 2, "40.npy has the shape (121,), but the first state has (50, 60), as (y, x)."),
            (copy % "{model}", 2, "40.npy is not a .npy array of integers: "),
            (copy % "{start}", 2, "repeat each other: it must use {seed}, or draw a seed itself."),
        ]:
            with self.subTest(other):
                told = self.compare(other, runs=4, expect=code)
                self.assertIn(words, told)
                self.assertIn("kiln side-by-side: ", told)
                self.assertFalse((self.out / "comparison.csv").exists())
        self.assertIn("must be a multiple of --every, 20.", self.compare(self.textbook(), "--mcs", 50, expect=2))
        self.assertIn('--engine is "fast"', self.compare(self.textbook(), "--engine", "fast", expect=2))
        self.model = self.folder / "missing.toml"
        self.assertIn("missing.toml: the model file cannot be read", self.compare(self.textbook(), expect=2))

    def test_it_is_a_command(self):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), os.environ["PYTHONPATH"]])}
        done = subprocess.run([sys.executable, "-m", "experiments.side_by_side", self.model, "--other", "x", "--runs",
                               "3"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("argument --runs: is '3', but must be an integer of 4 or more", done.stderr)


class States(unittest.TestCase):
    START = np.array([[0, 0, 1], [1, 3, 3]])

    def read(self, array):
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "40.npy", array)
            return read_state(Path(folder) / "40.npy", self.START)

    def test_are_read_in_any_type_that_holds_integers(self):
        for type_ in (np.uint8, np.int64, np.uint64, np.float32, ">i4"):
            np.testing.assert_array_equal(self.read(self.START.astype(type_)), self.START)

    def test_that_cannot_be_later_states_are_refused(self):
        for array, words in [
            (self.START.T, "has the shape (3, 2), but the first state has (2, 3), as (y, x)"),
            (self.START + 0.5, "holds 0.5 at [0, 0], but must hold ids of the first state: integers"),
            (np.where(self.START == 1, np.nan, 0), "holds nan at [0, 2]"),
            (np.where(self.START == 1, 2, 0), "holds 2 at [0, 2]"),
            (np.where(self.START == 1, -1, 0), "holds -1 at [0, 2]"),
            (np.where(self.START == 3, 4, 0), "holds 4 at [1, 1], but must hold ids of the first state: integers, 0 "
                                              "for the medium, cells up to 3."),
            (self.START > 0, "is an array of bool, but must be a .npy array of integers"),
            (self.START.astype(str), "is an array of <U"),
        ]:
            with self.assertRaises(kiln.UserError) as caught:
                self.read(array)
            self.assertIn(words, str(caught.exception))

    def test_names_may_have_zeros_before_them(self):
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "0040.npy", self.START)
            (state,) = OtherProgram("cp {start} {out}").states(Path(folder), [40], self.START)
            np.testing.assert_array_equal(state, self.START)


class Measures(unittest.TestCase):
    def test_of_arrays_are_those_of_kilns_tables(self):
        for size, boundary in (([40, 30], ["periodic", "closed"]), ([18, 20, 16], ["periodic", "closed", "periodic"])):
            for neighbourhood in ("moore", "von-neumann", 5):
                sim = kiln.Simulation({"lattice": {"size": size, "boundary": boundary},
                                       "neighbourhood": {"perimeter": neighbourhood}}, record=False)
                sim.run(20, progress=False)
                periodic, count = [wall == "periodic" for wall in boundary], len(sim.cells)
                space = comparison.Space(size, periodic, neighbourhood)
                found = comparison.Tissue.of_lattice(sim.lattice, np.arange(count + 1), count, space)
                np.testing.assert_array_equal(found.volume, sim.cells.volume)
                np.testing.assert_array_equal(found.perimeter, sim.cells.perimeter)
                apart = space.steps(sim.cells.position, found.position)
                np.testing.assert_allclose(apart[1:], 0, atol=1e-9)
                self.assertTrue(np.isnan(found.position[0]).all())

    def test_perimeter_of_a_square_by_hand(self):
        lattice = np.zeros((6, 6), int)
        lattice[0:2, 0:2] = 1
        # Each site has 5 of its 8 neighbours outside of the cell; between closed walls the corner has none left.
        self.assertEqual(measures.perimeters(lattice, 1, (True, True)).tolist(), [0, 20])
        self.assertEqual(measures.perimeters(lattice, 1, (False, False)).tolist(), [0, 0 + 2 + 2 + 5])
        self.assertEqual(measures.perimeters(lattice, 1, (True, True), "von-neumann").tolist(), [0, 8])

    def test_cells_across_a_wall(self):
        lattice = np.array([[1, 2, 0, 0, 0, 0, 0, 0, 1, 1]] * 2)
        np.testing.assert_allclose(measures.centroids(lattice, 2, (False, True))[1:] % 10, [[9, 0.5], [1, 0.5]])
        np.testing.assert_allclose(measures.centroids(lattice, 2, (False, False))[1:], [[17 / 3, 0.5], [1, 0.5]])
        np.testing.assert_allclose(measures.shortest_way(np.array([9, -9, 4, -4]), 10), [-1, 1, 4, -4])

    def test_welch_of_an_example_by_hand(self):
        # Means 2 and 5, squared errors 1/3 and 4/3: t = 3 / sqrt(5/3), with (5/3)^2 / (1/9 + 16/9) * 2 = 2.94 degrees.
        first, second = np.array([1.0, 2, 3]), np.array([3.0, 5, 7])
        difference, half_width, p = comparison.welch(first, second, 0.05)
        expected = scipy.stats.ttest_ind(second, first, equal_var=False)
        self.assertAlmostEqual(difference, 3)
        self.assertAlmostEqual(p, expected.pvalue)
        self.assertAlmostEqual(half_width, scipy.stats.t.isf(0.025, 50 / 17) * np.sqrt(5 / 3))
        third = np.full(3, 0.1)
        self.assertEqual(comparison.welch(third, third, 0.05), (0, 0, 1))
        self.assertEqual(comparison.welch(third, third + 1, 0.05)[2], 0)
        self.assertEqual(comparison.welch(np.ones(3), np.full(3, np.nextafter(1, 0)), 0.05)[1:], (0, 1))

    def test_cells_that_are_gone_are_not_counted(self):
        space = comparison.Space((10, 10), (True, True), "moore")
        before = comparison.Tissue(np.array([4, 4, 4]), np.array([20, 20, 20]), np.array([[1.0, 1], [5, 5], [9.5, 1]]))
        after = comparison.Tissue(np.array([6, 0, 2]), np.array([24, 0, 14]),
                                  np.array([[3.0, 1], [np.nan] * 2, [0.5, 1]]))
        np.testing.assert_allclose(comparison.measured(before, after, space),
                                   [2, 4, np.sqrt(8), 19, np.sqrt(50), 1.5, 1])


if __name__ == "__main__":
    unittest.main()
