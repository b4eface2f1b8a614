"""A lymph node of 1 mm (Fig. 9): how two halves mix, and over what distance cells go the same way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Outcome, judge, untested
from experiments.lazy import pd, plots
from experiments.pieces import GPU_SHARES, Piece, Results

ADHESIONS = {-800: ("high adhesion", "#c1121f"), 0: ("low adhesion", "#222222")}
PAPER_DIAMETER_UM = 1024

CLAIMS = (
    Claim("similar", "9C", "High and low adhesion to stroma mix about as fast, high a little more slowly."),
    Claim("hour", "9C", "In a node of 1 mm half of the cells touch one of the other half after about an hour."),
    Claim("near", "9D", "Neighbouring cells go a little the same way."),
    Claim("far", "9D", "Over longer distances directions are not correlated, whatever the adhesion."),
)


@dataclass(frozen=True)
class Size:
    model: str
    diameter: int
    cells: int
    minutes: int
    engine: str = "threads"


SIZES = {
    "tiny": Size("lymph-node.toml", 40, tissue.cells_in(40), 4),
    "short": Size("lymph-node.toml", 80, tissue.cells_in(80), 30),
    "full": Size("large/lymph-node-1mm.toml", 1024, 3359752, 90, "cuda"),
}


def mix(model: str, diameter: int, cells: int, stroma_j: int, minutes: int, engine: str, folder: Path) -> dict:
    """The mixed fraction over time, and the mean correlation of directions by distance."""
    run = tissue.run(model, {**tissue.node(diameter, cells, stroma_j), "phases.1.mcs": 60 * minutes,
                             "measure.every": 60, "measure.cells_every": min(600, 30 * minutes),
                             "measure.one_cell_in": max(1, cells // 1000)}, 1, engine, folder)
    rows = run.table("measures")
    distance, correlation = mean_correlation(run.table("direction_correlation"))
    return {"minutes": rows["t_min"] - rows["t_min"][0], "mixed": rows["mixed_fraction"], "distance": distance,
            "correlation": correlation, "speed": run.motility()["speed_mean_um_per_min"]}


def mean_correlation(seen: dict) -> tuple[np.ndarray, np.ndarray]:
    """Distances, and at each the mean over all times, weighted by the pairs of cells."""
    there = ~np.isnan(seen["correlation"])
    distance, which = np.unique(seen["low_um"][there], return_inverse=True)
    pairs = seen["pairs"][there]
    return distance, np.bincount(which, pairs * seen["correlation"][there]) / np.bincount(which, pairs)


def plan(size: Size) -> list[Piece]:
    fixed = {"model": size.model, "diameter": size.diameter, "cells": size.cells, "minutes": size.minutes,
             "engine": size.engine}
    # On an H200, 38 ms per MCS.
    gpu = {"cost": 90 + 60 * size.minutes * 0.038, "gpu": GPU_SHARES}
    core = {"cost": 60 * size.minutes * size.diameter**3 * 1e-7}
    return [Piece(f"stroma{j}", mix, {**fixed, "stroma_j": j}, resumes=True,
                  **(gpu if size.engine == "cuda" else core)) for j in ADHESIONS]


def _half_time(found) -> float | None:
    """Minutes until half of the cells touch one of the other half."""
    above = np.flatnonzero(found["mixed"] >= 0.5)
    return float(found["minutes"][above[0]]) if len(above) else None


def evaluate(size: Size, results: Results) -> Outcome:
    found = {j: results[f"stroma{j}"] for j in ADHESIONS}
    return Outcome(
        setup=f"A ball of {size.diameter} µm with {size.cells:,} cells and generated stroma, {size.minutes} "
              f"minutes, J with stroma {' and '.join(map(str, ADHESIONS))}; lambda_act 2600, Max 10. Mixed: the "
              "share of one half's cells that touch one of the other. Directions over 2 minutes.",
        findings=_findings(size, found),
        tables={"mixing": pd.concat([pd.DataFrame({"j_stroma": j, "minutes": f["minutes"], "mixed": f["mixed"]})
                                     for j, f in found.items()]),
                "correlation": pd.concat([pd.DataFrame({"j_stroma": j, "distance_um": f["distance"],
                                                        "correlation": f["correlation"]}) for j, f in found.items()])},
        figures={"lymph_node_mixing": _figure(found)},
    )


def _findings(size: Size, found: dict) -> list[Finding]:
    high, low = found[-800], found[0]
    times = {j: _half_time(f) for j, f in found.items()}
    told = ", ".join(f"{ADHESIONS[j][0]} half mixed "
                     + (f"within {time:.0f} min" if time is not None else f"not within {size.minutes} minutes")
                     for j, time in times.items())
    ends = f"{100 * high['mixed'][-1]:.0f}% against {100 * low['mixed'][-1]:.0f}% at the end"
    gap = np.abs(high["mixed"] - low["mixed"]).max()
    if size.diameter == PAPER_DIAMETER_UM:
        an_hour = ", ".join(f"{100 * np.interp(60, f['minutes'], f['mixed']):.0f}%" for f in found.values())
        hour = judge("hour", all(t is not None and 30 <= t <= 90 for t in times.values()),
                     f"{told}; after an hour {an_hour}", in_part=all(t is not None for t in times.values()),
                     cause="The share grows with the square root of time, as random walks spread: cells that spread "
                           "twice as fast would be half mixed after an hour. The paper prints neither their motility "
                           "coefficient nor who counts as a neighbour (here: whoever touches, at corners too).")
    else:
        hour = untested("hour", f"A ball of {size.diameter} µm mixes much sooner than one of 1 mm.", told)
    # Bins are as wide as a cell, so that the second holds the neighbours.
    near = {j: float(f["correlation"][f["distance"] > 0][0]) for j, f in found.items()}
    far = {j: float(np.abs(f["correlation"][f["distance"] >= 0.5 * f["distance"].max()]).max())
           for j, f in found.items()}
    return [
        judge("similar", gap < 0.15, f"{told}; {ends}; at most {100 * gap:.0f} points apart", in_part=gap < 0.3,
              cause="The stroma is generated: where there is more of it, adhesion to it slows more cells."),
        hour,
        judge("near", all(0.02 < value < 0.5 for value in near.values()),
              ", ".join(f"{value:.3f} ({ADHESIONS[j][0]})" for j, value in near.items()) + " between neighbours",
              in_part=any(value > 0.02 for value in near.values()),
              cause="A trace of it falls steadily with distance. Directions are taken over 2 minutes, in which a cell "
                    "passes several others; the paper does not print its time."),
        judge("far", max(far.values()) < 0.05,
              ", ".join(f"at most {value:.3f} ({ADHESIONS[j][0]})" for j, value in far.items())
              + f" beyond {0.5 * high['distance'].max():.0f} µm", in_part=max(far.values()) < 0.15,
              cause="In a ball this small cells share its wall."),
    ]


def _figure(found: dict):
    figure, ((left, right),) = plots.panels(2, width=3.6)
    for j, (label, colour) in ADHESIONS.items():
        left.plot(found[j]["minutes"], 100 * found[j]["mixed"], color=colour, label=label)
        right.plot(found[j]["distance"], found[j]["correlation"], "o-", color=colour, markersize=3)
    left.axhline(50, color="#888888", linewidth=0.8, linestyle=":")
    left.set(title="mixing", xlabel="minutes", ylabel="% that touch the other half", ylim=(0, 100))
    left.legend()
    right.axhline(0, color="#888888", linewidth=0.8)
    right.set(title="correlation of directions", xlabel="distance (µm)", ylim=(-0.2, 1))
    return figure


EXPERIMENT = Experiment("lymph_node_mixing", "T cells in a lymph node: mixing", CLAIMS, SIZES, plan, evaluate)
