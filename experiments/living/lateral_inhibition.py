"""Delta and Notch: cells with much Delta stand alone among cells with little."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Outcome, judge
from experiments.lazy import pd, plots
from experiments.living.shapes import borders
from experiments.pieces import Piece, Results

HIGH, UNDECIDED = 0.5, (0.1, 0.9)  # Delta
TOUCHING = 0.1  # of a cell's border: less is a corner
LEAST, MOST = 1 / 7, 1 / 3

CLAIMS = (
    Claim("decided", "Collier 1996", "From almost equal levels cells come to have much Delta or little.",
          f"Holds where some have more than {UNDECIDED[1]}, and at most 2% of the cells between {UNDECIDED[0]} and "
          "that; in part: 10%."),
    Claim("alone", "Collier 1996", "No two cells with much Delta are neighbours.",
          f"Holds where no cell above {HIGH} has {TOUCHING:.0%} of its border or more with others above {HIGH}; in "
          "part where "
          "at most 5% of them have."),
    Claim("chequered", "Collier 1996", "The pattern is as dense as can be: cells with little Delta touch one with "
                                       "much.",
          "Holds where 98% of them do, and the share of cells with much Delta is between 1/7 and 1/3, the sparsest "
          "and the densest "
          "such pattern of hexagons; in part: 90%, and from 1/8 to 0.4."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    mcs: int
    runs: int


SIZES = {"tiny": Size(48, 600, 1), "short": Size(120, 1500, 3), "full": Size(240, 1500, 10)}


def signal(lattice: int, mcs: int, seed: int, folder: Path) -> dict:
    """The last state, and Delta by id."""
    run = tissue.run("living/lateral-inhibition.toml", {"lattice.size": [lattice] * 2, "mcs": mcs, "measure.every": mcs,
                                                        "measure.cells_every": 0}, seed, "threads", folder)
    return {"lattice": run.snapshot().astype(np.int32),
            "delta": np.concatenate([[np.nan], run.table("lineage")["delta"]])}


def plan(size: Size) -> list[Piece]:
    return [Piece(f"run-{seed}", signal, {"lattice": size.lattice, "mcs": size.mcs, "seed": seed}, resumes=True,
                  cost=size.lattice**2 * size.mcs * 1e-6) for seed in range(1, size.runs + 1)]


def pattern(lattice: np.ndarray, delta: np.ndarray) -> dict[str, float]:
    """Shares of the cells."""
    shares = borders(lattice, len(delta) - 1)[1:, 1:].astype(float)
    shares /= shares.sum(axis=1, keepdims=True)
    delta = delta[1:]
    high = delta > HIGH
    beside_high = shares @ high >= TOUCHING
    return {"high": float(high.mean()), "undecided": float(((delta > UNDECIDED[0]) & (delta < UNDECIDED[1])).mean()),
            "most": float(delta.max()),
            "high_beside_high": float(beside_high[high].mean()) if high.any() else 0.0,
            "low_beside_high": float(beside_high[~high].mean()) if (~high).any() else 0.0}


def evaluate(size: Size, results: Results) -> Outcome:
    runs = [results[f"run-{seed}"] for seed in range(1, size.runs + 1)]
    table = pd.DataFrame([{"run": seed, **pattern(run["lattice"], run["delta"])} for seed, run in enumerate(runs, 1)])
    mean, decided = table.mean(), bool(table.most.min() > UNDECIDED[1])
    cells = sum(len(run["delta"]) - 1 for run in runs)
    return Outcome(
        setup=f"{size.lattice} x {size.lattice} sites, {size.mcs:,} MCS, {size.runs} runs with {cells:,} cells in all "
              "(models/living/lateral-inhibition.toml).",
        findings=[
            Finding("decided", kiln=judge(
                mean.undecided <= 0.02 and decided, f"{100 * mean.undecided:.1f}% of the cells are undecided, the "
                                                    "most Delta is "
                f"{table.most.min():.2f}", in_part=mean.undecided <= 0.1 and decided,
                cause="Cells move, and change their neighbours.")),
            Finding("alone", kiln=judge(mean.high_beside_high == 0 and decided, f"{100 * mean.high_beside_high:.1f}% "
                                                                                "of the cells with much Delta "
                                        "touch another", in_part=mean.high_beside_high <= 0.05 and decided,
                                        cause="Cells move: some have just come together.")),
            Finding("chequered", kiln=judge(
                mean.low_beside_high >= 0.98 and LEAST <= mean.high <= MOST,
                f"{100 * mean.low_beside_high:.1f}% of the cells with little Delta touch one with much; "
                f"{100 * mean.high:.1f}% have "
                "much", in_part=mean.low_beside_high >= 0.9 and 1 / 8 <= mean.high <= 0.4,
                cause="Shapes are irregular, not all hexagons.")),
        ],
        tables={"pattern": table},
        figures={"lateral_inhibition": _figure(runs)},
        notes=["Collier 1996: Collier, Monk, Maini and Lewis, J. Theor. Biol. 183, 429."],
    )


def _figure(runs: list):
    figure, (row,) = plots.panels(2)
    first = runs[0]
    image = row[0].imshow(first["delta"][first["lattice"]], cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    row[0].contour(_outlines(first["lattice"]), [0.5], colors="white", linewidths=0.3)
    row[0].set(title="Delta of each cell", xticks=[], yticks=[])
    figure.colorbar(image, ax=row[0], shrink=0.8)
    row[1].hist(np.concatenate([run["delta"][1:] for run in runs]), bins=np.linspace(0, 1, 26), color="#5c7fa3")
    row[1].set(title="all runs", xlabel="Delta", ylabel="cells")
    return figure


def _outlines(lattice: np.ndarray) -> np.ndarray:
    return ((lattice != np.roll(lattice, 1, 0)) | (lattice != np.roll(lattice, 1, 1))).astype(float)


EXPERIMENT = Experiment("lateral_inhibition", "Lateral inhibition", CLAIMS, SIZES, plan, evaluate)
