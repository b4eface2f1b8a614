"""The experiments of the paper, at sizes at which nothing can be judged: all of them run, and the page tells all."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

SOURCE = Path(os.environ["KILN_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE))

try:
    import matplotlib  # noqa: F401
    import scipy  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

from experiments import measures, pieces  # noqa: E402
from experiments.__main__ import NAMES, experiments, main  # noqa: E402


def run(*arguments):
    """What `./kiln paper` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = main([str(argument) for argument in arguments])
    assert code == 0, told.getvalue()
    return told.getvalue()


class Paper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        cls.doc = Path(cls.folder.name) / "docs" / "paper.md"
        cls.told = run("--size", "tiny", "--out", cls.out, "--doc", cls.doc)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_pages_have_all_claims_with_numbers_and_verdicts(self):
        html, markdown = (self.out / "paper.html").read_text(), self.doc.read_text()
        for experiment in experiments():
            record = json.loads((self.out / experiment.name / "result.json").read_text())
            found = {finding["claim"]: finding for finding in record["findings"]}
            self.assertEqual(list(found), [claim.key for claim in experiment.claims])
            for claim in experiment.claims:
                finding = found[claim.key]
                with self.subTest(experiment.name, claim=claim.key):
                    self.assertIn(claim.text, markdown)
                    self.assertIn(finding["measured"], markdown)
                    self.assertIn(finding["verdict"], html)
                    if finding["verdict"] == "not tested":
                        self.assertTrue(finding["cause"])
                    else:
                        self.assertRegex(finding["measured"], r"\d")
                        self.assertNotIn("nan", finding["measured"])
            self.assertEqual(html.count(f'<h2 id="{experiment.name}">'), 1)

    def test_every_experiment_has_data_and_figures(self):
        for name in NAMES:
            folder = self.out / name
            record = json.loads((folder / "result.json").read_text())
            for file in record["figures"]:
                self.assertTrue((folder / file).read_bytes().startswith(b"\x89PNG"), file)
                self.assertTrue((self.doc.parent / "images" / "paper" / file).exists(), file)
            for file in record["tables"]:
                self.assertGreater(len((folder / file).read_text().splitlines()), 1, file)
            self.assertFalse(list(folder.rglob("*.partial")) + list(folder.rglob("*.run")), name)

    def test_what_is_done_is_not_computed_again(self):
        before = {file: file.stat().st_mtime_ns for file in self.out.rglob("*.npz")}
        again = run("--size", "tiny", "--out", self.out)
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.out.rglob("*.npz")}, before)
        self.assertNotRegex(again, r"\d+/\d+  ")

    def test_the_committed_result_has_every_claim(self):
        page = (SOURCE / "docs" / "paper.md").read_text()
        for experiment in experiments():
            for claim in experiment.claims:
                self.assertIn(claim.text, page)


class Pieces(unittest.TestCase):
    def test_a_piece_that_fails_loses_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = [pieces.Piece("fine", fine, {"value": 3}), pieces.Piece("broken", broken)]
            with self.assertRaisesRegex(RuntimeError, "broken on purpose"):
                pieces.run_pieces(plan, Path(folder), 1, lambda text: None)
            told = []
            results = pieces.run_pieces(plan[:1], Path(folder), 1, told.append)
            self.assertEqual((results["fine"]["value"], told), (3, []))

    def test_other_settings_are_another_piece(self):
        self.assertNotEqual(pieces.Piece("a", fine, {"value": 1}).key, pieces.Piece("a", fine, {"value": 2}).key)


def fine(value):
    return {"value": value}


def broken():
    raise RuntimeError("broken on purpose")


class Measures(unittest.TestCase):
    def test_interfaces_of_two_bands(self):
        # Two bands on a torus of 4 x 4 touch along two edges, with 3 x 4 pairs of Moore neighbours each.
        lattice = np.array([[1, 1, 2, 2]] * 4)
        self.assertEqual(measures.interfaces(lattice, np.array([0, 1, 1])), (24, 0))
        self.assertEqual(measures.interfaces(lattice, np.array([0, 1, 2])), (0, 24))
        self.assertEqual(measures.interfaces(np.array([[1, 1, 0, 0]] * 4), np.array([0, 1])), (0, 0))

    def test_autocorrelation_of_a_square(self):
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
        np.testing.assert_allclose(measures.direction_autocorrelation(square), [1, 0, -1, 0])

    def test_order_of_cells_that_go_two_ways(self):
        before = np.zeros((4, 3))
        after = np.array([[1, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 0]])  # the last one stays
        self.assertAlmostEqual(measures.order_index(before, after), np.hypot(2, 1) / 3)

    def test_anova_of_an_example_by_hand(self):
        # Rows differ by 10, columns by nothing, values of a cell by 2: F of the rows is 200 / 2, with 1 and 4 degrees.
        values = np.array([[[0, 2], [0, 2]], [[10, 12], [10, 12]]], float)
        p = measures.two_way_anova(values)
        self.assertAlmostEqual(p["first"], 0.00056, places=5)
        self.assertAlmostEqual(p["second"], 1)
        self.assertAlmostEqual(p["interaction"], 1)

    def test_entropies(self):
        half, sure = np.array([[2, 2]]), np.array([[4, 0]])
        self.assertAlmostEqual(measures.entropy(half, 4), 1)
        self.assertAlmostEqual(measures.entropy(sure, 4), 0, places=9)
        self.assertAlmostEqual(measures.cross_entropy(sure, 4, sure, 4), 0)
        self.assertGreater(measures.cross_entropy(half, 4, sure, 4), 1)


if __name__ == "__main__":
    unittest.main()
