"""A growing epithelium: contact stops cells in the middle, and the front goes on by a constant speed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge, untested
from experiments.lazy import pd, plots
from experiments.living.shapes import line
from experiments.pieces import Piece, Results

SITE = 1.5  # µm
CROWDED = 400  # cells, from which on the middle has no room
NEAR_WALLS = 0.9  # of half the box: a colony as wide is not free any more
EVERY = 100  # MCS between samples

CLAIMS = (
    Claim("front", "Drasdo 2005", "A colony that is inhibited by contact grows exponentially, and then its front has "
                                  "a constant speed.",
          f"Holds where, from {CROWDED} cells on and as long as it is free of the walls, a line through the radius "
          "has R² > 0.99, and the speeds of the first and second half of "
          "that time differ by less than 20%; in part: R² > 0.97 and 40%."),
    Claim("rim", "Drasdo 2005", "Cells divide near the rim, and those in the middle do not.",
          "Holds where, in the second half of that time, cells per area divide less than a third as often in the "
          "inner half of the radius as "
          "outside of it; in part: two thirds."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    mcs: int
    runs: int


SIZES = {"tiny": Size(100, 1500, 1), "short": Size(480, 7800, 2), "full": Size(720, 10800, 6)}


def grow(lattice: int, mcs: int, seed: int, folder: Path) -> dict:
    """Area and cells over time; by sample and cell: its distance from the middle of the colony, the colony's radius
    (µm), and whether it divides before the next sample."""
    run = tissue.run("living/epithelium.toml",
                     {"lattice.size": [lattice] * 2, "initial.0.region.centre": [lattice / 2] * 2, "mcs": mcs,
                      "measure.every": EVERY, "measure.cells_every": EVERY}, seed, "threads", folder)
    rows, cells, tree = run.table("measures"), run.table("cells"), run.table("lineage")
    divided = tree["end"] == "divided"
    ended = dict(zip(tree["id"][divided].astype(int), tree["ended_mcs"][divided]))
    seen = []
    for mcs_then in rows["mcs"]:
        now = cells["mcs"] == mcs_then
        place, area = np.stack([cells["x"][now], cells["y"][now]], axis=-1), cells["volume"][now]
        away = np.linalg.norm(place - np.average(place, axis=0, weights=area), axis=1)
        seen += [(mcs_then, d, SITE * np.sqrt(area.sum() / np.pi), 0 < ended.get(int(cell), 0) - mcs_then <= EVERY)
                 for cell, d in zip(cells["id"][now], away)]
    return {"hours": rows["t_min"] / 60, "cells": rows["cells"], "area": SITE**2 * (lattice**2 - rows["medium_sites"]),
            "mcs": rows["mcs"], "box": SITE * lattice, "seen": np.array(seen, np.float32)}


def plan(size: Size) -> list[Piece]:
    return [Piece(f"run-{seed}", grow, {"lattice": size.lattice, "mcs": size.mcs, "seed": seed}, resumes=True,
                  cost=size.lattice**2 * size.mcs * 8e-8) for seed in range(1, size.runs + 1)]


def radius(run) -> np.ndarray:
    return np.sqrt(run["area"] / np.pi)


def counts(run) -> np.ndarray:
    """Samples in which the colony is crowded and away from the walls."""
    return (run["cells"] >= CROWDED) & (radius(run) <= NEAR_WALLS * run["box"] / 2)


def divisions(run) -> tuple[np.ndarray, np.ndarray]:
    """Of the second half of the time that counts: a cell's distance from the middle over the colony's radius, and
    whether it divides until the next sample."""
    crowded = run["mcs"][counts(run)]
    if not len(crowded):
        return np.zeros(0), np.zeros(0, bool)
    when = run["seen"][:, 0]
    since = run["seen"][(when >= (crowded[0] + crowded[-1]) / 2) & (when <= crowded[-1])]
    return since[:, 1] / since[:, 2], since[:, 3] > 0


def evaluate(size: Size, results: Results) -> Outcome:
    runs = [results[f"run-{seed}"] for seed in range(1, size.runs + 1)]
    cells = ", ".join(f"{run['cells'][-1]:,.0f}" for run in runs)
    return Outcome(
        setup=f"From 4 cells, {runs[0]['hours'][-1]:.0f} hours, {size.runs} runs, with {cells} cells in the end "
              "(models/living/epithelium.toml).",
        findings=[Finding("front", kiln=_front(runs)), Finding("rim", kiln=_rim(runs))],
        tables={"growth": pd.concat([pd.DataFrame({"run": i, "hours": run["hours"], "cells": run["cells"],
                                                    "radius_um": radius(run)})
                                     for i, run in enumerate(runs, 1)])},
        figures={"epithelium": _figure(runs)},
        notes=["Drasdo 2005: Drasdo and Höhme, Phys. Biol. 2, 133."],
    )


def _front(runs: list) -> Judgement:
    fits = []
    for run in runs:
        late = counts(run)
        if late.sum() >= 10:
            fits.append(line(run["hours"][late], radius(run)[late]))
    if not fits:
        return untested(f"The colony has fewer than {CROWDED} cells.")
    straight, bend = min(fit.r_squared for fit in fits), max(fit.bend for fit in fits)
    speed = np.mean([fit.slope for fit in fits])
    return judge(straight > 0.99 and bend < 0.2, f"{24 * speed:.1f} µm a day, R² {straight:.4f}, halves differ by "
                                                 f"{100 * bend:.0f}%",
                 in_part=straight > 0.97 and bend < 0.4, cause="The speed still changes.")


def _rim(runs: list) -> Judgement:
    away, divides = (np.concatenate(values) for values in zip(*map(divisions, runs)))
    if not divides.any():
        return untested(f"The colony has fewer than {CROWDED} cells.")
    inner = away < 0.5
    rates = [divides[where].mean() * 60 / EVERY for where in (inner, ~inner)]  # 60 MCS are an hour
    ratio = rates[0] / rates[1]
    return judge(ratio < 1 / 3, f"{rates[0]:.4f} divisions per cell and hour inside, {rates[1]:.4f} outside, "
                                f"{ratio:.2f} of it",
                 in_part=ratio < 2 / 3, cause="Cells in the middle still have some room.")


def _figure(runs: list):
    figure, (row,) = plots.panels(3)
    for run in runs:
        row[0].plot(run["hours"], radius(run), color="#3a7d44")
        row[1].semilogy(run["hours"], run["cells"], color="#3a7d44")
    row[0].set(title="radius of the colony", xlabel="hours", ylabel="µm")
    row[1].set(title="cells", xlabel="hours")
    away, divides = (np.concatenate(values) for values in zip(*map(divisions, runs)))
    bins = np.linspace(0, 1.1, 12)
    with np.errstate(invalid="ignore"):
        rates = np.histogram(away[divides], bins)[0] / np.histogram(away, bins)[0] * 60 / EVERY
    row[2].bar(bins[:-1], rates, np.diff(bins), align="edge", color="#a5c8a8", edgecolor="white")
    row[2].set(title="divisions per cell and hour", xlabel="distance from the middle / radius")
    return figure


EXPERIMENT = Experiment("epithelium", "A growing epithelium", CLAIMS, SIZES, plan, evaluate)
