"""A neutrophil after a bacterium: it comes close and stays there, if it follows what the bacterium gives off."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Outcome, judge
from experiments.lazy import pd, plots
from experiments.measures import shortest_way
from experiments.pieces import Piece, Results

BOX = 100  # µm, periodic
NEAR = 15  # µm between centroids; touching are about 7
KEPT = 1 / 4  # of the run, at its end
KINDS = {"follows": {}, "blind": {"types.neutrophil.chemotaxis.lambda": 0}}

CLAIMS = (
    Claim("caught", "Swat 2012", "Chemotaxis takes a cell to the moving source of a substance, and keeps it there.",
          f"Holds where in nine of ten runs the distance is {NEAR} µm or less on average over the last quarter of the "
          "run; in part: "
          "half of them."),
    Claim("blind", "control", "Without chemotaxis it does not get there.",
          f"Holds where in nine of ten runs that distance is more than {NEAR} µm; in part: half of them."),
)


@dataclass(frozen=True)
class Size:
    mcs: int
    runs: int


SIZES = {"tiny": Size(240, 2), "short": Size(1500, 10), "full": Size(1800, 30)}


def chase(mcs: int, kind: str, seed: int, folder: Path) -> dict:
    """Places of the two (µm) over time."""
    run = tissue.run("living/chase.toml", {"mcs": mcs, "measure.every": 0, "measure.cells_every": 10, **KINDS[kind]},
                     seed, "serial", folder)
    cells = run.table("cells")
    places = {who: np.stack([cells[axis][cells["type"] == who] for axis in "xy"], axis=-1)
              for who in ("neutrophil", "bacterium")}
    return {"seconds": np.unique(cells["t"]), **places}


def plan(size: Size) -> list[Piece]:
    return [Piece(f"{kind}-{seed}", chase, {"mcs": size.mcs, "kind": kind, "seed": seed}, resumes=True,
                  cost=size.mcs * 4e-3) for kind in KINDS for seed in range(1, size.runs + 1)]


def distance(found) -> np.ndarray:
    return np.linalg.norm(shortest_way(found["neutrophil"] - found["bacterium"], BOX), axis=-1)


def evaluate(size: Size, results: Results) -> Outcome:
    distances = {kind: np.stack([distance(results[f"{kind}-{seed}"]) for seed in range(1, size.runs + 1)])
                 for kind in KINDS}
    seconds = results["follows-1"]["seconds"]
    at_end = {kind: runs[:, seconds >= (1 - KEPT) * seconds[-1]].mean(axis=1) for kind, runs in distances.items()}
    near = {kind: float((ends <= NEAR).mean()) for kind, ends in at_end.items()}

    def told(kind: str) -> str:
        return (f"{at_end[kind].mean():.1f} ± {at_end[kind].std(ddof=1):.1f} µm over the last quarter, within {NEAR} "
                "µm in "
                f"{100 * near[kind]:.0f}% of {size.runs} runs; at the start {distances[kind][:, 0].mean():.1f} µm")

    return Outcome(
        setup=f"{BOX} x {BOX} µm, 40 erythrocytes, {size.mcs / 60:.0f} minutes, {size.runs} runs each, serial chain "
              "(models/living/chase.toml).",
        findings=[Finding("caught", kiln=judge(near["follows"] >= 0.9, told("follows"), in_part=near["follows"] >= 0.5,
                                               cause="Some are still on their way.")),
                  Finding("blind", kiln=judge(near["blind"] <= 0.1, told("blind"), in_part=near["blind"] <= 0.5,
                                              cause="The bacterium comes by on its own way."))],
        tables={"distances": pd.DataFrame([(kind, run + 1, t, d) for kind, runs in distances.items()
                                           for (run, i), d in np.ndenumerate(runs) for t in [seconds[i]]],
                                          columns=["kind", "run", "seconds", "distance_um"])},
        figures={"chase": _figure(seconds, distances, results["follows-1"])},
        notes=["Swat 2012: Swat, Thomas, Belmonte, Shirinifard, Hmeljak and Glazier, Methods Cell Biol. 110, "
               "325."],
    )


def _figure(seconds: np.ndarray, distances: dict, first):
    figure, (row,) = plots.panels(2)
    looks = ("#6d6fb5", "follows"), ("#9a8c98", "without chemotaxis")
    for runs, (colour, label) in zip(distances.values(), looks):
        row[0].plot(seconds / 60, runs.T, color=colour, linewidth=0.5, alpha=0.6)
        row[0].plot(seconds / 60, runs.mean(axis=0), color=colour, linewidth=2.2, label=label)
    row[0].axhline(NEAR, color="#888888", linewidth=0.8, linestyle=":")
    row[0].set(title="distance to the bacterium", xlabel="minutes", ylabel="µm", ylim=(0, None))
    row[0].legend()
    for who, colour in (("neutrophil", "#6d6fb5"), ("bacterium", "#3a7d44")):
        row[1].plot(*first[who].T, color=colour, label=who)
        row[1].plot(*first[who][0], "o", color=colour, markersize=4)
    row[1].set(title="one chase, from the dots", xlabel="x (µm)", ylabel="y (µm)", aspect="equal")
    row[1].legend()
    return figure


EXPERIMENT = Experiment("chase", "A neutrophil chases a bacterium", CLAIMS, SIZES, plan, evaluate)
