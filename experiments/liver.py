"""T cells in the sinusoids of the liver (Fig. 7): what they explore, and whether they move, over their density."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import kiln
import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.pieces import GPU_SHARES, Piece, Results

PAPER_VOLUME = 1024 * 1024 * 182
ALONE = ("A cell alone begins to crawl by itself here, in the serial chain as well (docs/tissues.md); what differs from "
         "the paper's simulation is not known. Scans are generated, too.")

CLAIMS = (
    Claim("explored", "7C", "More cells explore more of the sinusoids, and all explore more with time."),
    Claim("per_cell", "7D", "The volume explored per cell rises much from 1,000 to 10,000 cells, and is less with "
                            "100,000, which fill a third of the sinusoids."),
    Claim("arrest", "7E", "At low densities most cells are arrested; at high ones collisions set them moving."),
    Claim("speed", "7F", "The mean speed rises with density, to about 10.5 µm/min."),
)


@dataclass(frozen=True)
class Size:
    model: str
    lattice: tuple[int, int, int]
    scan: tuple[int, int, int]
    cells: tuple[int, ...]  # in the paper's volume
    minutes: int  # that arrest and speed are measured over
    explored_cells: tuple[int, ...]  # those of the cells that go on exploring
    explored_minutes: int
    engine: str = "threads"


SIZES = {
    "tiny": Size("liver.toml", (48, 48, 40), (48, 48, 40), (20000, 80000), 4, (20000, 80000), 4),
    "short": Size("liver.toml", (128, 128, 112), (128, 128, 112), (1000, 3000, 10000, 30000, 100000), 30,
                  (1000, 3000, 10000, 30000, 100000), 30),
    "full": Size("large/liver.toml", (1024, 1024, 182), (512, 512, 182),
                 (1000, 2000, 5000, 10000, 20000, 50000, 100000), 30, (1000, 10000, 100000), 24 * 60, "cuda"),
}


def patrol(model: str, lattice: list, scan: list, count: int, minutes: int, engine: str, folder: Path) -> dict:
    """The run's measures over time, and the motility of all of it."""
    run = tissue.run(model, {"lattice.size": lattice, "initial.0.phantom.size_um": scan, "initial.1.count": count,
                             "phases.1.mcs": 60 * minutes, "measure.every": 60, "measure.cells_every": 0}, 1, engine,
                     folder)
    motility, rows = run.motility(), run.table("measures")
    values = {name: motility[name] for name in ("speed_mean_um_per_min", "arrest_coefficient", "arrest_low",
                                                "arrest_high", "speed_skewness", "intervals")}
    return {**values, "minutes": rows["t_min"] - rows["t_min"][0], "cells": rows["cells"],
            "explored_um3": rows["explored_um3"], "visited_um3": rows["visited_um3_mean"]}


def vessels(model: str, lattice: list, scan: list) -> dict:
    """The sites that are no tissue."""
    sim = kiln.Simulation(kiln.Model(MODELS / model, {"lattice.size": lattice, "initial.0.phantom.size_um": scan,
                                                      "initial.1.count": 0}), engine="threads", threads=1, record=False)
    return {"um3": int(np.count_nonzero(sim.lattice == 0))}


def _count(size: Size, cells: int) -> int:
    """As dense in this lattice as so many in the paper's."""
    return max(1, round(cells * np.prod(size.lattice) / PAPER_VOLUME))


def plan(size: Size) -> list[Piece]:
    where = {"model": size.model, "lattice": list(size.lattice), "scan": list(size.scan)}

    def piece(what: str, cells: int, minutes: int) -> Piece:
        settings = {**where, "count": _count(size, cells), "minutes": minutes, "engine": size.engine}
        return Piece(f"{what}-{cells}", patrol, settings, resumes=True, **_cost(size, minutes))

    pieces = [Piece("vessels", vessels, where, cost=1 + np.prod(size.lattice) * 2e-7)]
    pieces += [piece("motility", cells, size.minutes) for cells in size.cells]
    if size.explored_minutes != size.minutes:
        pieces += [piece("explored", cells, size.explored_minutes) for cells in size.explored_cells]
    return pieces


def _cost(size: Size, minutes: int) -> dict:
    """For a piece. On a GPU an hour or less is mostly the start of a run, and several start at once."""
    attempts = 60 * minutes * float(np.prod(size.lattice))
    if size.engine == "cuda":
        return {"cost": 40 + attempts * 2.2e-11, "gpu": GPU_SHARES // 4 if minutes <= 60 else GPU_SHARES}
    return {"cost": attempts * 3e-8}


def _explored(size: Size, results: Results, cells: int):
    return results[f"{'motility' if size.explored_minutes == size.minutes else 'explored'}-{cells}"]


def evaluate(size: Size, results: Results) -> Outcome:
    volume = results["vessels"]["um3"]
    moving = pd.DataFrame([{"cells_in_paper": cells, "cells": _count(size, cells),
                            "speed": found["speed_mean_um_per_min"], "arrest": found["arrest_coefficient"],
                            "arrest_low": found["arrest_low"], "arrest_high": found["arrest_high"]}
                           for cells in size.cells for found in [results[f"motility-{cells}"]]])
    explored = pd.DataFrame([{"cells_in_paper": cells, "cells": _count(size, cells),
                              "explored_share": found["explored_um3"][-1] / volume,
                              "explored_um3_per_cell": found["explored_um3"][-1] / found["cells"][-1],
                              "visited_um3": found["visited_um3"][-1]}
                             for cells in size.explored_cells for found in [_explored(size, results, cells)]])
    return Outcome(
        setup=f"{' x '.join(map(str, size.lattice))} sites, a generated scan with sinusoids of {volume:,} µm³ "
              f"({100 * volume / np.prod(size.lattice):.0f}%), {moving.cells.iloc[0]} to {moving.cells.iloc[-1]:,} "
              f"cells: as dense as {size.cells[0]:,} to {size.cells[-1]:,} in the paper's 1024 x 1024 x 182. "
              f"{size.minutes} minutes for speeds over 2 minutes, {_duration(size)} for what is explored"
              + (f" (with {_in_words(size.explored_cells)} cells)" if size.explored_cells != size.cells else "")
              + ", seen every minute; one run each.",
        findings=_findings(size, moving, explored, results),
        tables={"densities": moving, "explored_at_end": explored, "explored": _curves(size, results, volume)},
        figures={"liver": _figure(size, moving, explored, results, volume)},
    )


def _duration(size: Size) -> str:
    hours, minutes = divmod(size.explored_minutes, 60)
    return f"{hours} hours" if hours and not minutes else f"{size.explored_minutes} minutes"


def _in_words(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{count:,}" for count in counts)


def _curves(size: Size, results: Results, volume: int) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"cells_in_paper": cells, "minutes": found["minutes"],
                                    "explored_share": found["explored_um3"] / volume})
                      for cells in size.explored_cells for found in [_explored(size, results, cells)]])


def _findings(size: Size, moving: pd.DataFrame, explored: pd.DataFrame, results: Results) -> list:
    growing = all((np.diff(_explored(size, results, cells)["explored_um3"]) >= 0).all()
                  for cells in size.explored_cells)
    first, middle, last = explored.iloc[0], explored.iloc[len(explored) // 2], explored.iloc[-1]
    gain = middle.explored_um3_per_cell / first.explored_um3_per_cell
    filled = last.cells * 150 / results["vessels"]["um3"]
    sparse, dense = moving.iloc[0], moving.iloc[-1]
    return [
        judge("explored", growing and explored.explored_share.is_monotonic_increasing,
              f"after {_duration(size)} " + ", ".join(f"{100 * share:.1f}%" for share in explored.explored_share)
              + f" of the sinusoids with {_in_words(size.explored_cells)} cells in the paper's volume"),
        judge("per_cell", gain > 1.5,
              f"per cell {first.explored_um3_per_cell:,.0f} µm³ with {first.cells_in_paper:,.0f} cells, "
              f"{middle.explored_um3_per_cell:,.0f} with {middle.cells_in_paper:,.0f}, "
              f"{last.explored_um3_per_cell:,.0f} with {last.cells_in_paper:,.0f} (which fill {100 * filled:.0f}%)",
              in_part=gain > 1.1, cause=f"Only the fall towards the highest density is there. {ALONE}"),
        judge("arrest", sparse.arrest > 0.5 and dense.arrest < 0.2,
              ", ".join(f"{100 * row.arrest:.1f}% ({100 * row.arrest_low:.1f} to {100 * row.arrest_high:.1f}) at "
                        f"{row.cells_in_paper:,}" for row in moving.itertuples()),
              in_part=sparse.arrest > 3 * dense.arrest and sparse.arrest > 0.1, cause=ALONE),
        judge("speed", dense.speed > 1.5 * sparse.speed and 8 < moving.speed.max() < 13,
              ", ".join(f"{row.speed:.1f} µm/min at {row.cells_in_paper:,}" for row in moving.itertuples()),
              in_part=dense.speed > sparse.speed,
              cause=f"Speeds are near the paper's highest at all densities. {ALONE}"),
    ]


def _figure(size: Size, moving: pd.DataFrame, explored: pd.DataFrame, results: Results, volume: int):
    figure, (row,) = plots.panels(4, width=2.8)
    hours = size.explored_minutes > 120
    for cells, colour in zip(size.explored_cells, plots.shades(len(size.explored_cells))):
        found = _explored(size, results, cells)
        row[0].plot(found["minutes"] / (60 if hours else 1), 100 * found["explored_um3"] / volume, color=colour,
                    label=f"{cells:,}")
    row[0].set(title="explored", xlabel="hours" if hours else "minutes", ylabel="% of the sinusoids", ylim=(0, None))
    row[0].legend(title="cells", fontsize=6, title_fontsize=7)
    row[1].plot(explored.cells_in_paper, explored.explored_um3_per_cell, "o-", color="#1d7874")
    row[1].set(title="explored per cell", ylabel="µm³", ylim=(0, None))
    row[2].plot(moving.cells_in_paper, moving.arrest, "o-", color="#c1121f")
    row[2].fill_between(moving.cells_in_paper, moving.arrest_low, moving.arrest_high, color="#c1121f", alpha=0.15,
                        linewidth=0)
    row[2].set(title="arrest coefficient", ylabel="share below 2 µm/min", ylim=(0, 1))
    row[3].plot(moving.cells_in_paper, moving.speed, "o-", color="#222222")
    row[3].axhline(10.5, color="#888888", linewidth=0.8, linestyle=":")
    row[3].set(title="mean speed", ylabel="µm/min", ylim=(0, None))
    for axes in row[1:]:
        axes.set_xscale("log")
        axes.set_xlabel("cells in the paper's volume")
    return figure


EXPERIMENT = Experiment("liver", "T cells in the liver", CLAIMS, SIZES, plan, evaluate)
