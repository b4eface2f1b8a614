"""Published findings of living tissue, at sizes at which most cannot be judged: all experiments run, and what such sizes do
show is true."""

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

from experiments import pieces  # noqa: E402
from experiments.__main__ import main  # noqa: E402
from experiments.collection import LIVING_TISSUE  # noqa: E402
from experiments.living import (chase, epithelium, lateral_inhibition, shapes, t_cell_priming, tumour_spheroid,  # noqa: E402
                                vasculogenesis)


class Tiny(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        cls.doc = Path(cls.folder.name) / "docs" / "living-findings.md"
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = main(["--size", "tiny", "--out", str(cls.out), "--doc", str(cls.doc)], LIVING_TISSUE)
        assert code == 0, told.getvalue()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def results(self, module):
        plan = module.plan(module.SIZES["tiny"])
        results, missing = pieces.split(plan, self.out / module.EXPERIMENT.name / "pieces")
        self.assertFalse(missing)
        return results

    def test_the_page_has_all_findings_with_numbers_and_verdicts(self):
        html, markdown = (self.out / "living.html").read_text(), self.doc.read_text()
        for experiment in LIVING_TISSUE.experiments():
            record = json.loads((self.out / experiment.name / "result.json").read_text())
            found = {finding["claim"]: finding["kiln"] for finding in record["findings"]}
            self.assertEqual(list(found), [claim.key for claim in experiment.claims])
            for claim in experiment.claims:
                with self.subTest(experiment.name, claim=claim.key):
                    one = found[claim.key]
                    self.assertIn(f"| {claim.figure} | {claim.text}<br>*{claim.rule}* | **{one['verdict']}**<br>", markdown)
                    self.assertIn(one["measured"], html)
                    self.assertRegex(one["measured"] or one["cause"], r"\w")
                    self.assertNotIn("nan", one["measured"])
            for file in record["figures"]:
                self.assertTrue((self.doc.parent / "images" / "living" / file).read_bytes().startswith(b"\x89PNG"), file)
            for file in record["tables"]:
                self.assertGreater(len((self.out / experiment.name / file).read_text().splitlines()), 1, file)

    def test_contact_inhibition_keeps_more_of_the_border_open(self):
        def open_border(at):
            lattice = self.results(vasculogenesis)[f"{at}-1"]["lattice"]
            return shapes.borders(lattice, lattice.max())[0].sum()

        self.assertGreater(open_border("medium"), 1.1 * open_border("all"))

    def test_a_spheroid_has_its_layers_in_order(self):
        found = self.results(tumour_spheroid)["run-1"]
        away = np.linalg.norm(found["places"] - np.average(found["places"], axis=0, weights=found["volumes"]), axis=1)
        growing, resting, necrotic = (np.median(away[found["types"] == kind]) for kind in tumour_spheroid.TYPES)
        self.assertGreater(growing, 1.2 * resting)
        self.assertGreater(resting, 1.2 * necrotic)

    def test_no_two_cells_with_much_delta_are_neighbours(self):
        found = self.results(lateral_inhibition)["run-1"]
        seen = lateral_inhibition.pattern(found["lattice"], found["delta"])
        self.assertEqual(seen["high_beside_high"], 0)
        self.assertEqual(seen["undecided"], 0)
        self.assertGreater(seen["low_beside_high"], 0.9)
        self.assertTrue(1 / 8 <= seen["high"] <= 0.4, seen)

    def test_a_neutrophil_comes_nearer_if_it_follows(self):
        found = self.results(chase)
        for seed in range(1, chase.SIZES["tiny"].runs + 1):
            follows, blind = (chase.distance(found[f"{kind}-{seed}"])[-1] for kind in chase.KINDS)
            self.assertLess(follows, blind - 2)

    def test_cells_of_an_epithelium_divide_as_long_as_there_is_room(self):
        found = self.results(epithelium)["run-1"]
        self.assertEqual(found["cells"][0], 4)
        # 25 hours, by 5 sites an hour from 50 to 100.
        self.assertTrue(12 <= found["cells"][-1] <= 32, found["cells"][-1])
        self.assertTrue((np.diff(found["cells"]) >= 0).all())

    def test_what_is_activated_has_touched_a_dendritic_cell_for_long_and_founds_a_clone(self):
        found = self.results(t_cell_priming)["clones"]
        activated = found["type"] == "activated"
        self.assertTrue(activated.any())
        self.assertTrue((found["signal"][activated] >= 15).all())
        self.assertTrue((found["signal"][~activated] < 15).all())
        times, sizes = t_cell_priming.clones(found)
        self.assertEqual(sizes.sum(), (found["alive"] & activated).sum())
        late = t_cell_priming.SIZES["tiny"].clone_seconds - t_cell_priming.FIRST
        self.assertTrue((sizes[times > late] == 1).all())
        self.assertTrue((sizes[times < late - 30] > 1).all())


class Page(unittest.TestCase):
    def test_the_committed_page_has_all_findings(self):
        page = (SOURCE / "docs" / "living-findings.md").read_text()
        for experiment in LIVING_TISSUE.experiments():
            self.assertTrue((SOURCE / "docs" / "images" / "living" / f"{experiment.name}.png").exists(), experiment.name)
            for claim in experiment.claims:
                self.assertIn(f"| {claim.figure} | {claim.text}<br>*{claim.rule}* | ", page)


class Plans(unittest.TestCase):
    def test_names_of_pieces_are_unique(self):
        for form in LIVING_TISSUE.forms:
            for experiment in LIVING_TISSUE.experiments():
                names = [piece.name for piece in experiment.plan(experiment.sizes[form])]
                self.assertEqual(len(set(names)), len(names), experiment.name)


class Shapes(unittest.TestCase):
    def test_components_across_the_borders(self):
        mask = np.zeros((6, 6), bool)
        mask[0, 1] = mask[5, 1] = mask[3, 0] = mask[3, 5] = mask[2, 3] = True
        self.assertEqual(shapes.components(mask, corners=False).max(), 3)
        corner = np.zeros((5, 5), bool)
        corner[0, 2] = corner[4, 3] = True
        self.assertEqual(shapes.components(corner, corners=False).max(), 2)
        self.assertEqual(shapes.components(corner, corners=True).max(), 1)
        self.assertEqual(shapes.components(~mask, corners=False)[mask].max(), 0)

    def test_borders_of_two_bands(self):
        # Two bands on a torus of 4 x 4 touch along two edges, with 3 x 4 pairs of Moore neighbours each.
        np.testing.assert_array_equal(shapes.borders(np.array([[1, 1, 2, 2]] * 4), 2), [[0, 0, 0], [0, 0, 24], [0, 24, 0]])

    def test_a_line_and_a_bend(self):
        x = np.arange(9.0)
        straight, bent = shapes.line(x, 2 * x + 1), shapes.line(x, np.where(x < 4, x, 4 + 3 * (x - 4)))
        self.assertAlmostEqual(straight.slope, 2)
        self.assertAlmostEqual(straight.bend, 0)
        self.assertEqual((round(bent.first, 6), round(bent.second, 6)), (1, 3))

    def test_oxygen_of_a_spheroid(self):
        least = np.sqrt(6 * tumour_spheroid.DIFFUSION * 25 / tumour_spheroid.UPTAKE)
        self.assertEqual(tumour_spheroid.reach(0.99 * least, 25, 0), 0)
        # Grimes' equation: r_l^2 = r_o^2 - 3 r_n^2 + 2 r_n^3 / r_o, where nothing is left.
        outer = 1.6 * least
        dead = tumour_spheroid.reach(outer, 25, 1e-9)
        self.assertAlmostEqual((outer**2 - 3 * dead**2 + 2 * dead**3 / outer) / least**2, 1, places=2)
        self.assertLess(dead, tumour_spheroid.reach(outer, 25, 5))
        self.assertAlmostEqual(float(tumour_spheroid.pressure(np.array(outer), outer, dead, 25)), 25)

    def test_layers_of_a_row_of_cells(self):
        places = np.array([[x, 0, 0] for x in (-3.1, -2, -1, 0, 1.1, 2.1, 3)])
        types = np.array(["growing", "resting", "necrotic", "necrotic", "necrotic", "resting", "growing"])
        self.assertEqual(tumour_spheroid.layered(places, types, np.ones(7)), {"growing": 1, "resting": 1, "necrotic": 1})
        mixed = types[[3, 1, 2, 0, 4, 5, 6]]
        self.assertEqual(tumour_spheroid.layered(places, mixed, np.ones(7))["growing"], 0.5)

    def test_a_constant_rate(self):
        times = np.array([60 + 30, 60 + 90, np.nan])
        self.assertAlmostEqual(t_cell_priming.rate(times, 60 + 120), 60 * 2 / (30 + 90 + 120))


if __name__ == "__main__":
    unittest.main()
