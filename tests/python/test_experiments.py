"""The experiments of the paper, at sizes at which nothing can be judged: all of them run, and the page tells all."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

SOURCE = Path(os.environ["KILN_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE))

try:
    import matplotlib  # noqa: F401
    import scipy  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

from experiments import (computing, liver, lymph_node_day, lymph_node_fit, lymph_node_mixing, machine,  # noqa: E402
                         measures, pieces, processes, tissue, updates)
from experiments.__main__ import FAILED, UNFINISHED, main  # noqa: E402
from experiments.claims import Verdict  # noqa: E402
from experiments.collection import RESULTS_OF_THE_PAPER  # noqa: E402
from experiments.computing import Task  # noqa: E402
from experiments.pieces import Piece  # noqa: E402

NAMES, experiments = RESULTS_OF_THE_PAPER.modules, RESULTS_OF_THE_PAPER.experiments
NUMPY_ALONE = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("h5py", "matplotlib", "pandas", "scipy"):
            raise ImportError(f"{name} is not there, on purpose")
sys.meta_path.insert(0, Missing())
"""


def run(*arguments, expect=0):
    """What `./kiln paper` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = main([str(argument) for argument in arguments])
    assert code == expect, f"exit code {code}\n{told.getvalue()}"
    return told.getvalue()


def numbers_in(text):
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def compute_with_numpy_alone(folder, *arguments):
    """`./kiln paper --compute`, where Python has none of the libraries that evaluating needs."""
    (folder / "sitecustomize.py").write_text(NUMPY_ALONE)
    paths = os.pathsep.join([str(folder), str(SOURCE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "experiments", "--compute", *map(str, arguments)],
                          env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Paper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        cls.doc = Path(cls.folder.name) / "docs" / "paper.md"
        compute_with_numpy_alone(Path(cls.folder.name), "--size", "tiny", "--out", cls.out)
        cls.told = run("--size", "tiny", "--out", cls.out, "--doc", cls.doc, "--evaluate")

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
                self.assertIn(f"{claim.text}<br>*{claim.rule}*", markdown)
                judged = [found[claim.key][who] for who in ("paper", "kiln") if found[claim.key][who]]
                self.assertTrue(judged, claim.key)
                for one in judged:
                    with self.subTest(experiment.name, claim=claim.key):
                        self.assertIn(one["measured"], markdown)
                        self.assertIn(one["verdict"], html)
                        if one["verdict"] == "not tested":
                            self.assertTrue(one["cause"])
                        else:
                            self.assertRegex(one["measured"], r"\d")
                            self.assertNotIn("nan", one["measured"])
            self.assertEqual(html.count(f'<h2 id="{experiment.name}">'), 1)

    def test_rules_are_told_without_numbers(self):
        told = run("--size", "tiny", "--rules")
        for experiment in experiments():
            for claim in experiment.claims:
                self.assertIn(claim.rule, told)

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

    def test_the_page_names_where_pieces_were_computed(self):
        with mock.patch.object(machine, "describe", lambda: "another machine"):
            run("--size", "tiny", "--out", self.out, "--evaluate")
        page = (self.out / "paper.html").read_text()
        self.assertIn(machine.describe(), page)
        self.assertNotIn("another machine", page)

    def test_what_is_not_all_there_is_not_evaluated(self):
        with tempfile.TemporaryDirectory() as folder:
            told = run("--size", "tiny", "--out", folder, "--only", "act", "--evaluate", expect=UNFINISHED)
            self.assertIn("not evaluated, 10 of 10 pieces are missing", told)

    def test_pieces_may_be_chosen_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            how = ("--size", "tiny", "--out", folder, "--only", "several_gpus")
            told = run(*how, "--compute", "--piece", "sorting-1", "--piece", "sorting-2")
            self.assertIn("2 pieces", told)
            self.assertEqual(sorted(path.name[:9] for path in Path(folder).glob("*/pieces/*.npz")),
                             ["sorting-1", "sorting-2"])
            for wrong in (("--piece", "sorting-1"), ("--compute", "--piece", "sorting-3")):
                with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
                    run(*how, *wrong)
                self.assertEqual(ended.exception.code, 2)
                self.assertRegex(said.getvalue(), "needs --compute|no piece is called sorting-3")

    def test_the_list_says_what_is_missing(self):
        lines = run("--size", "tiny", "--out", self.out, "--list").splitlines()
        self.assertEqual([line.split()[:2] for line in lines[1:-1]], [[name, "0"] for name in NAMES])

    def test_what_was_timed_on_a_gpu_is_judged_without_one(self):
        judged = {"speed": {"caching", "sorting", "morpheus", "collective"}, "chemotaxis": {"regions", "switching"}}
        timed = {"ms": 0.5, "sites": 4096, "gpu": "a GPU", "cores": 1}
        for experiment in (e for e in experiments() if e.name in judged):
            size = experiment.sizes["tiny"]
            with mock.patch.object(machine, "gpu", lambda: "a GPU"):
                plan = experiment.plan(size)
            results, missing = pieces.split(plan, self.out / experiment.name / "pieces")
            self.assertTrue(missing)
            self.assertTrue(all(piece.gpu and piece.alone and piece.prepare for piece in missing))
            found = {piece.name: (results[piece.name] if piece.name in results else timed, {}) for piece in plan}
            outcome = experiment.evaluate(size, pieces.Results(found))
            untested = {finding.claim for finding in outcome.findings for _, one in finding.judgements
                        if one.verdict is Verdict.UNTESTED}
            self.assertEqual(judged[experiment.name] & untested, set())

    def test_fewer_livers_may_be_explored_than_have_speeds(self):
        size = replace(liver.SIZES["tiny"], explored_cells=(80000,), explored_minutes=120)
        plan = liver.plan(liver.SIZES["tiny"])
        results, _ = pieces.split(plan, self.out / "liver" / "pieces")
        found = {piece.name: (results[piece.name], {}) for piece in plan}
        found["explored-80000"] = found["motility-80000"]
        outcome = liver.evaluate(size, pieces.Results(found))
        self.assertIn("2 hours for what is explored (with 80,000 cells)", outcome.setup)
        self.assertEqual(list(outcome.tables["explored_at_end"].cells_in_paper), [80000])
        self.assertEqual({piece.name for piece in liver.plan(size)}, set(found))

    def test_packed_pieces_are_evaluated_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            packed, again, out = (Path(folder) / name for name in ("packed", "again", "out"))
            for to in (packed, again):
                told = run("--size", "tiny", "--out", self.out, "--pack", to)
                self.assertIn("Update statistics: packed 18 of 18 pieces", told)
            for name in NAMES:
                self.assertEqual((packed / f"{name}.tar").read_bytes(), (again / f"{name}.tar").read_bytes())
            plan = updates.plan(updates.SIZES["tiny"])
            own = out / "updates" / "pieces" / plan[0].file_name
            own.parent.mkdir(parents=True)
            own.write_bytes((self.out / "updates" / "pieces" / plan[0].file_name).read_bytes())
            os.utime(own, (0, 0))
            run("--size", "tiny", "--out", Path(folder) / "empty", "--pack", packed)  # loses nothing
            run("--size", "tiny", "--out", out, "--unpack", packed, "--evaluate")
            self.assertEqual(own.stat().st_mtime, 0)  # what is there stays
            self.assertEqual((out / "updates" / "result.json").read_text(),
                             (self.out / "updates" / "result.json").read_text())


class CommittedResult(unittest.TestCase):
    def test_the_page_is_what_the_committed_pieces_say(self):
        page = (SOURCE / "docs" / "paper.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            main(["--full", "--out", folder, "--unpack", str(SOURCE / "experiments" / "data" / "full"), "--evaluate"])
            missing = []
            for experiment in experiments():
                result = Path(folder) / experiment.name / "result.json"
                if not result.exists():
                    missing.append(experiment.title)
                    continue
                record = json.loads(result.read_text())
                self.assertIn(record["setup"], page)
                for claim, finding in zip(experiment.claims, record["findings"]):
                    with self.subTest(experiment.name, claim=claim.key):
                        self.compare(page, claim, finding)
                for file in record["figures"]:
                    self.assertTrue((SOURCE / "docs" / "images" / "paper" / file).exists(), file)
            # What has not been computed as it is now is named.
            self.assertTrue(not missing or f"Not run: {', '.join(missing)}." in page, missing)
            self.assertLess(len(missing), len(NAMES))

    def compare(self, page, claim, finding):
        start = f"| {claim.figure} | {claim.text}<br>*{claim.rule}* | "
        row = next(line for line in page.splitlines() if line.startswith(start))
        cells = row.removeprefix(start).removesuffix(" |").split(" | ")
        for one, printed in zip((finding["paper"], finding["kiln"]), cells, strict=True):
            if one is None:
                self.assertEqual(printed, "")
                continue
            self.assertTrue(printed.startswith(f"**{one['verdict']}**<br>"), row)
            self.assertTrue(printed.endswith(one["cause"]), row)
            self.assertTrue(one["cause"] or one["verdict"] not in ("holds in part", "does not hold"), row)
            # Last digits may differ with the version of a library.
            np.testing.assert_allclose(numbers_in(printed), numbers_in(f"{one['measured']} {one['cause']}"), rtol=0.02,
                                       atol=0.002)


class Plans(unittest.TestCase):
    def test_the_full_form_is_the_same_whatever_the_machine(self):
        def keys(cores, gpu):
            with mock.patch.object(machine, "cores", lambda: cores), mock.patch.object(machine, "gpu", lambda: gpu):
                return [piece.key for e in experiments() for piece in e.plan(e.sizes["full"])]

        self.assertEqual(keys(2, ""), keys(16, "a GPU"))

    def test_names_of_pieces_are_unique(self):
        for form in ("tiny", "short", "full"):
            for experiment in experiments():
                names = [piece.name for piece in experiment.plan(experiment.sizes[form])]
                self.assertEqual(len(set(names)), len(names), experiment.name)

    def test_a_packed_tree_knows_its_commit(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "experiments").mkdir()
            (Path(folder) / "experiments" / "commit.txt").write_text("0123456789abcdef\n")
            with mock.patch.object(machine, "ROOT", Path(folder)):
                self.assertEqual(machine.commit.__wrapped__(), "0123456789")


class Pieces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.told = Path(folder.name), []

    def compute(self, *plan, gpu=False, seconds=None):
        deadline = None if seconds is None else time.monotonic() + seconds
        return computing.compute([Task(piece, self.folder) for piece in plan], 2, gpu, self.told.append, deadline)

    def results(self, *plan):
        return pieces.split(plan, self.folder)[0]

    def test_a_piece_that_fails_loses_no_other(self):
        plan = Piece("broken", broken), Piece("fine", fine, {"value": 3})
        report = self.compute(*plan)
        self.assertEqual((report.failed, report.left, report.complete), (1, 0, False))
        self.assertIn("broken failed: broken on purpose", self.told)
        self.assertEqual(self.results(*plan)["fine"]["value"], 3)

    def test_other_settings_are_another_piece(self):
        self.assertNotEqual(Piece("a", fine, {"value": 1}).key, Piece("a", fine, {"value": 2}).key)

    def test_a_piece_is_the_same_in_every_version_of_python(self):
        self.assertEqual(Piece("a", fine, {"value": 1}).key, "a-64e21b18b2")

    def test_a_piece_says_how_it_was_made(self):
        plan = Piece("fine", fine, {"value": 3})
        self.assertTrue(self.compute(plan).complete)
        results = self.results(plan)
        self.assertEqual((results.machines, results.commits), ([machine.describe()], [machine.commit()]))

    def test_what_needs_a_gpu_waits_for_one(self):
        plan = Piece("fine", fine, {"value": 3}), Piece("on a GPU", fine, {"value": 4}, gpu=1)
        self.assertEqual(self.compute(*plan).without_gpu, 1)
        self.assertNotIn("on a GPU", self.results(*plan))
        self.assertTrue(self.compute(plan[1], gpu=True).complete)
        self.assertEqual(self.results(*plan)["on a GPU"]["value"], 4)

    def test_what_would_take_too_long_is_not_started(self):
        report = self.compute(Piece("long", fine, {"value": 1}, cost=1000), Piece("short", fine, {"value": 2}),
                              seconds=100)
        self.assertEqual((report.left, report.abandoned), (1, 0))
        self.assertEqual(self.told, ["1/2  short  0.0 s"])

    def test_what_resumes_is_started_where_there_are_checkpoints(self):
        plan = Piece("long", resumable, {"value": 1}, cost=1000, resumes=True)
        with mock.patch.object(machine, "keeps_checkpoints", lambda: False):
            self.assertEqual(self.compute(plan, seconds=100).left, 1)
        with mock.patch.object(machine, "keeps_checkpoints", lambda: True):
            self.assertTrue(self.compute(plan, seconds=100).complete)

    def test_what_is_prepared_is_prepared_before_it_is_alone(self):
        prepared.clear()
        plan = [Piece(f"timed{i}", note_prepared, {"number": i}, alone=True, prepare=prepare) for i in range(3)]
        self.assertTrue(self.compute(*plan).complete)
        self.assertEqual([self.results(*plan)[f"timed{i}"]["prepared"] for i in range(3)], [3, 3, 3])

    def test_what_is_stopped_goes_on(self):
        plan = Piece("patient", until_it_was_stopped, cost=0.5, resumes=True)
        report = self.compute(plan, seconds=3)
        self.assertEqual((report.left, report.failed, report.abandoned), (1, 0, 0))
        self.assertIn("time is up", self.told)
        self.assertTrue(self.compute(plan).complete)
        self.assertEqual(self.results(plan)["patient"]["found"], "stopped")
        self.assertFalse(list(self.folder.glob("*.run")))


def fine(value):
    return {"value": value}


def resumable(value, folder):
    return {"value": value}


def broken():
    raise RuntimeError("broken on purpose")


prepared = []


def prepare(number):
    prepared.append(number)


def note_prepared(number):
    return {"prepared": len(prepared)}


def until_it_was_stopped(folder):
    """A program that ends only when it is stopped; then it leaves a file."""
    folder.mkdir(exist_ok=True)
    left = folder / "left"
    if not left.exists():
        processes.run_command([sys.executable, "-c", "import pathlib, signal, sys, time\n"
                       f"def stop(*_): pathlib.Path({str(left)!r}).write_text('stopped'); sys.exit(3)\n"
                       "signal.signal(signal.SIGTERM, stop)\nwhile True: time.sleep(0.1)"])
    return {"found": left.read_text()}


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

    def test_tracks_of_a_table(self):
        cells = {"t": [0, 0, 60, 60, 0], "id": [7, 3, 7, 3, 5], "x": [1, 2, 3, 4, 0], "y": [4, 5, 6, 7, 0],
                 "z": [7, 8, 9, 1, 0]}
        times, places = lymph_node_day.tracks({name: np.array(values, float) for name, values in cells.items()})
        np.testing.assert_array_equal(times, [0, 60])
        np.testing.assert_array_equal(places, [[[2, 5, 8], [1, 4, 7]], [[4, 7, 1], [3, 6, 9]]])  # 5 was lost

    def test_cells_that_have_crossed_the_middle(self):
        places = np.array([[[1, 0, 0], [2, 0, 0], [8, 0, 0]], [[6, 0, 0], [4, 0, 0], [3, 0, 0]]], float)
        np.testing.assert_array_equal(lymph_node_day.crossed(places, 5), [0, 0.5])

    def test_until_a_day_of_the_node_is_played_half_of_it_is_shown(self):
        times = np.array([0.0, 720, 1440])
        played = {"minutes": times, "mixed": times / 2000, "mixed_10": times / 1800, "mixed_12": times / 1700,
                  "mixed_15": times / 1600, "track_minutes": times, "tracks": np.full((3, 9, 3), 2000, np.int16),
                  "film": np.zeros(4, np.uint8), "mcs": 86400, "cells": 400000, "seconds": 360.0, "hash": "0"}
        full = lymph_node_day.SIZES["full"]
        self.assertEqual([(piece.name, piece.optional) for piece in lymph_node_day.plan(full)], [("day", True), ("half", False)])
        for name, verdict, edge in (("half", Verdict.UNTESTED, "507"), ("day", Verdict.HOLDS, "1019")):
            outcome = lymph_node_day.evaluate(full, pieces.Results({name: (played, {})}))
            (_, judgement), = outcome.findings[0].judgements
            self.assertEqual(judgement.verdict, verdict)
            self.assertIn(f"A ball of {edge} µm", outcome.setup)

    def test_diffusion_of_steps(self):
        places = np.zeros((4, 1, 3))
        places[:, 0, 0] = [0, 6, 0, 6]  # 36 µm² in 2 minutes, nothing in 4
        self.assertAlmostEqual(lymph_node_day.diffusion(np.array([0, 2, 4, 6.0]), places, 2), 36 / 12)
        self.assertAlmostEqual(lymph_node_day.diffusion(np.array([0, 2, 4, 6.0]), places, 4), 0)

    def test_half_times(self):
        minutes = np.array([0, 10, 20.0])
        self.assertAlmostEqual(lymph_node_mixing.half_time(minutes, np.array([0.1, 0.4, 0.6])), 15)
        self.assertEqual(lymph_node_mixing.half_time(minutes, np.array([0.5, 0.6, 0.7])), 0)
        self.assertIsNone(lymph_node_mixing.half_time(minutes, np.array([0.1, 0.2, 0.4])))

    def test_mixing_of_random_walks(self):
        found = lymph_node_mixing.expected_mixing(40, 20, 500, np.array([0, 5, 20, 1e9]))
        self.assertAlmostEqual(found[0], 0, places=2)
        self.assertAlmostEqual(found[-1], 1, places=5)  # all through, with 20 neighbours each
        # Well inside of the ball the share grows with the square root of time, and only the product of D and time counts.
        self.assertAlmostEqual(found[2] / found[1], 2, delta=0.1)
        self.assertAlmostEqual(lymph_node_mixing.expected_mixing(160, 20, 500, np.array([5.0]))[0], found[2])

    def test_directions_are_means_over_times(self):
        seen = {"low_um": [0, 5, 0, 5, 0], "high_um": [5, 9, 5, 9, 5], "interval_s": [30, 30, 30, 30, 60],
                "pairs": [1, 1, 3, 0, 9], "correlation": [0.5, 0.2, 0.1, np.nan, 1], "cells_within": [2, 4, 4, 8, 9],
                "order_index": [0.6, 0.4, 0.8, 0.5, 1], "order_null": [0.5, 0.3, 0.5, 0.3, 1]}
        found = lymph_node_mixing.mean_directions({k: np.array(v, float) for k, v in seen.items()}, 30)
        np.testing.assert_allclose((found["distance"], found["correlation"]), ([0, 5], [0.2, 0.2]))  # by pairs
        np.testing.assert_allclose((found["cells_within"], found["order_index"]), ([3, 4], [0.7, 0.4]))

    def test_tracks_of_median_length(self):
        tracks = np.zeros((2, 5, 3))
        tracks[1, :, 0] = [9, 1, 4, 30, 5]
        np.testing.assert_array_equal(lymph_node_fit.typical(tracks, 2)[1, :, 0], [4, 5])

    def test_nodes_are_as_dense_as_the_paper_s(self):
        self.assertEqual(tissue.cells_in(256), 50135)
        self.assertAlmostEqual(tissue.cells_in(1024) / 3359752, 1, delta=0.002)
        changes = tissue.node(64, 651, -400, "penalty")
        self.assertEqual((changes["initial.0.region.radius"], changes["initial.2.count"]), (29.5, 326))
        self.assertEqual(changes["types.green.connectivity.penalty"], tissue.PENALTY)

    def test_entropies(self):
        half, sure = np.array([[2, 2]]), np.array([[4, 0]])
        self.assertAlmostEqual(measures.entropy(half, 4), 1)
        self.assertAlmostEqual(measures.entropy(sure, 4), 0, places=9)
        self.assertAlmostEqual(measures.cross_entropy(sure, 4, sure, 4), 0)
        self.assertGreater(measures.cross_entropy(half, 4, sure, 4), 1)


if __name__ == "__main__":
    unittest.main()
