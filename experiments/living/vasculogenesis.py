"""Endothelial cells that attract each other: a network where contact inhibits chemotaxis, islands where it does not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge
from experiments.lazy import pd, plots
from experiments.living.shapes import components
from experiments.pieces import Piece, Results

SPACING = 12  # sites between the first cells: a bit sparser than in the model, or islands have no room to be apart
LACUNA = 50  # sites, a cell's: smaller gaps do not count
MESHES, ISLANDS = 5, 5  # at least
KINDS = {"medium": "inhibited by contact", "all": "not inhibited"}

CLAIMS = (
    Claim("network", "Merks 2008", "Where contact inhibits chemotaxis, scattered cells form a network.",
          f"Holds where in every run one connected piece has more than half of all cells, and the medium is cut into "
          f"{MESHES} "
          f"or more lacunae of {LACUNA} sites or more; in part where it is in half of the runs."),
    Claim("islands", "Merks 2008", "Where it does not, they form islands.",
          f"Holds where in every run there are {ISLANDS} or more pieces, none with half of the cells, and no more "
          "than one "
          "lacuna, around them all; in part where it is in half of the runs."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    mcs: int
    runs: int


SIZES = {"tiny": Size(100, 800, 1), "short": Size(300, 2000, 3), "full": Size(400, 4000, 10)}


def grow(lattice: int, mcs: int, at: str, seed: int, folder: Path) -> dict:
    """The last state."""
    run = tissue.run("living/vasculogenesis.toml",
                     {"lattice.size": [lattice] * 2, "initial.0.region.high": [lattice] * 2,
                      "initial.0.spacing": SPACING, "mcs": mcs,
                      "measure.every": mcs, "measure.cells_every": 0, "types.endothelium.chemotaxis.at": at},
                     seed, "threads", folder)
    return {"lattice": run.snapshot().astype(np.int32)}


def plan(size: Size) -> list[Piece]:
    return [Piece(f"{at}-{seed}", grow, {"lattice": size.lattice, "mcs": size.mcs, "at": at, "seed": seed},
                  resumes=True, cost=size.lattice**2 * size.mcs * 1e-7)
            for at in KINDS for seed in range(1, size.runs + 1)]


def shape(lattice: np.ndarray) -> dict[str, float]:
    """Pieces of more than one cell's size, the largest one's share of the sites of cells, and lacunae."""
    pieces = np.bincount(components(lattice > 0, corners=True).ravel())[1:]
    gaps = np.bincount(components(lattice == 0, corners=False).ravel())[1:]
    return {"pieces": int((pieces >= LACUNA).sum()), "largest": float(pieces.max() / pieces.sum()),
            "lacunae": int((gaps >= LACUNA).sum())}


def evaluate(size: Size, results: Results) -> Outcome:
    table = pd.DataFrame([{"chemotaxis_at": at, "run": seed, **shape(results[f"{at}-{seed}"]["lattice"])}
                          for at in KINDS for seed in range(1, size.runs + 1)])
    network, islands = (table[table.chemotaxis_at == at] for at in KINDS)
    return Outcome(
        setup=f"{size.lattice} x {size.lattice} sites, a cell every {SPACING} sites, {size.mcs:,} MCS, "
              f"{size.runs} runs each "
              "(models/living/vasculogenesis.toml).",
        findings=[Finding("network", kiln=_judge(network, (network.largest > 0.5) & (network.lacunae >= MESHES))),
                  Finding("islands", kiln=_judge(islands, (islands.pieces >= ISLANDS) & (islands.largest < 0.5)
                                                 & (islands.lacunae <= 1)))],
        tables={"shapes": table},
        figures={"vasculogenesis": _figure(results)},
        notes=["Merks 2008: Merks, Perryn, Shirinifard and Glazier, PLoS Comput. Biol. 4, e1000163."],
    )


def _judge(runs, so) -> Judgement:
    return judge(bool(so.all()), f"{runs.pieces.mean():.1f} pieces, the largest with {100 * runs.largest.mean():.0f}% "
                                 "of what is "
                 f"covered, {runs.lacunae.mean():.1f} lacunae on average", in_part=so.mean() >= 0.5,
                 cause=f"It is so in {so.sum()} of {len(so)} runs.")


def _figure(results: Results):
    figure, (row,) = plots.panels(2)
    for axes, (at, how) in zip(row, KINDS.items()):
        axes.imshow(results[f"{at}-1"]["lattice"] > 0, cmap="OrRd", vmax=1.4, interpolation="nearest")
        axes.set(title=f"chemotaxis {how}", xticks=[], yticks=[])
    return figure


EXPERIMENT = Experiment("vasculogenesis", "Vasculogenesis", CLAIMS, SIZES, plan, evaluate)
