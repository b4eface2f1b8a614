"""T cells in the sinusoids of the liver (Fig. 7): what they explore, and whether they move, over their density."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import kiln
import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.pieces import GPU_SHARES, Piece, Results
from experiments.schedules import checkerboard, in_words

PAPER_VOLUME = 1024 * 1024 * 182
BOARD = checkerboard(4, 8, 1)
# What plays the tissue: a board, a label and a colour.
WAYS = {"tiles": (None, "tiles", "#1d7874"), "board": (BOARD, "the paper's scheme", "#5c7fa3"),
        "replayed": ({**BOARD, "reseed": "launch"}, "with replayed random numbers", "#c1121f")}
RISES, MUCH = 1.1, 1.5  # times
ARRESTED, MOVING = 0.5, 0.2  # shares of the steps below 2 µm/min
PEAK = (8, 13)  # µm/min
FOLD = 5  # times as many arrested
UNEXPLORED = 0.1  # share: beyond it cells find what others have found

CLAIMS = (
    Claim("explored", "7C", "More cells explore more of the sinusoids, and all explore more with time.",
          "Holds where the explored share never falls in time and rises from each number of cells to the next."),
    Claim("per_cell", "7D", "The volume explored per cell rises much from 1,000 to 10,000 cells, and is less with "
                            "100,000, which fill a third of the sinusoids.",
          f"By what a cell saw itself. Holds where it is more than {MUCH} times as much with the middle number of cells as "
          f"with the least, and less with the most than in the middle; in part above {RISES} times."),
    Claim("arrest", "7E", "At low densities most cells are arrested; at high ones collisions set them moving.",
          f"Holds where more than {ARRESTED:.0%} are arrested at the lowest density and less than {MOVING:.0%} at the "
          f"highest; in part where at the lowest {FOLD} times as many are, and more than 10%."),
    Claim("speed", "7F", "The mean speed rises with density, to about 10.5 µm/min.",
          f"Holds where it is more than {MUCH} times as high at the highest density as at the lowest, and {PEAK[0]} to "
          f"{PEAK[1]} µm/min at its peak; in part where it is higher at the highest than at the lowest."),
    Claim("replayed", "7D to F", "Not a claim of the paper: its transition is reproduced by random numbers that repeat "
                                 "(docs/replayed-random-numbers.md).",
          f"Holds where with replayed random numbers at least {FOLD} times as many cells are arrested at the lowest density "
          f"as without, and at least {FOLD} times as many as at the highest.", ours=True),
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
    compared_lattice: tuple[int, int, int]  # of the ways that are compared
    compared_cells: tuple[int, ...]
    compared_minutes: int
    runs: int
    engine: str = "threads"


SIZES = {
    "tiny": Size("liver.toml", (48, 48, 40), (48, 48, 40), (20000, 80000), 4, (20000, 80000), 4, (48, 48, 40),
                 (20000, 80000), 4, 2),
    "short": Size("liver.toml", (128, 128, 112), (128, 128, 112), (1000, 3000, 10000, 30000, 100000), 15,
                  (1000, 3000, 10000, 30000, 100000), 15, (96, 96, 96), (2000, 10000, 100000), 8, 2),
    "full": Size("large/liver.toml", (1024, 1024, 182), (512, 512, 182),
                 (1000, 2000, 5000, 10000, 20000, 50000, 100000), 30, (1000, 10000, 100000), 24 * 60, (256, 256, 182),
                 (1000, 2000, 5000, 10000, 20000, 50000, 100000), 30, 5, "cuda"),
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


def compare(lattice: list, count: int, minutes: int, board: dict, seed: int, engine: str, folder: Path) -> dict:
    """The same in a part of the paper's volume, on a board where one is given."""
    run = tissue.run("liver.toml", {"lattice.size": lattice, "initial.0.phantom.size_um": lattice, "initial.1.count": count,
                                    "phases.1.mcs": 60 * minutes, "measure.every": 60, "measure.cells_every": 0}, seed,
                     engine, folder, board)
    motility, rows = run.motility(), run.table("measures")
    return {"speed": motility["speed_mean_um_per_min"], "arrest": motility["arrest_coefficient"],
            "minutes": rows["t_min"] - rows["t_min"][0], "cells": rows["cells"], "explored_um3": rows["explored_um3"],
            "visited_um3": rows["visited_um3_mean"]}


def vessels(model: str, lattice: list, scan: list) -> dict:
    """The sites that are no tissue."""
    sim = kiln.Simulation(kiln.Model(MODELS / model, {"lattice.size": lattice, "initial.0.phantom.size_um": scan,
                                                      "initial.1.count": 0}), engine="threads", threads=1, record=False)
    return {"um3": int(np.count_nonzero(sim.lattice == 0))}


def _count(lattice: tuple[int, ...], cells: int) -> int:
    """As dense in this lattice as so many in the paper's."""
    return max(1, round(cells * np.prod(lattice) / PAPER_VOLUME))


def _compared_name(way: str, cells: int, run: int) -> str:
    return f"{way}-{cells}-run{run}"


def plan(size: Size) -> list[Piece]:
    where = {"model": size.model, "lattice": list(size.lattice), "scan": list(size.scan)}

    def piece(what: str, cells: int, minutes: int) -> Piece:
        settings = {**where, "count": _count(size.lattice, cells), "minutes": minutes, "engine": size.engine}
        return Piece(f"{what}-{cells}", patrol, settings, resumes=True, **_cost(size.lattice, minutes, size.engine))

    def compared(way: str, cells: int, run: int) -> Piece:
        settings = {"lattice": list(size.compared_lattice), "count": _count(size.compared_lattice, cells),
                    "minutes": size.compared_minutes, "board": WAYS[way][0], "seed": run, "engine": size.engine}
        return Piece(_compared_name(way, cells, run), compare, settings, resumes=True,
                     **_cost(size.compared_lattice, size.compared_minutes, size.engine, on_board=way != "tiles"))

    pieces = [Piece("vessels", vessels, where, cost=1 + np.prod(size.lattice) * 2e-7)]
    pieces += [piece("motility", cells, size.minutes) for cells in size.cells]
    if size.explored_minutes != size.minutes:
        pieces += [piece("explored", cells, size.explored_minutes) for cells in size.explored_cells]
    return pieces + [compared(way, cells, run) for way in WAYS for cells in size.compared_cells
                     for run in range(1, size.runs + 1)]


def _cost(lattice: tuple[int, ...], minutes: int, engine: str, on_board: bool = False) -> dict:
    """For a piece. On a GPU an hour or less is mostly the start of a run, and several start at once."""
    attempts = 60 * minutes * float(np.prod(lattice))
    if engine != "cuda":
        return {"cost": attempts * (6e-8 if on_board else 3e-8)}
    small = np.prod(lattice) < 1e8
    return {"cost": (10 if small else 40) + attempts * (2e-10 if on_board else 2.2e-11),
            "gpu": GPU_SHARES // (6 if small else 4) if minutes <= 60 else GPU_SHARES}


def _explored(size: Size, results: Results, cells: int):
    return results[f"{'motility' if size.explored_minutes == size.minutes else 'explored'}-{cells}"]


def evaluate(size: Size, results: Results) -> Outcome:
    volume = results["vessels"]["um3"]
    moving = pd.DataFrame([{"cells_in_paper": cells, "cells": _count(size.lattice, cells),
                            "speed": found["speed_mean_um_per_min"], "arrest": found["arrest_coefficient"],
                            "arrest_low": found["arrest_low"], "arrest_high": found["arrest_high"],
                            "visited_um3": found["visited_um3"][-1]}
                           for cells in size.cells for found in [results[f"motility-{cells}"]]])
    explored = pd.DataFrame([{"cells_in_paper": cells, "cells": _count(size.lattice, cells),
                              "explored_share": found["explored_um3"][-1] / volume}
                             for cells in size.explored_cells for found in [_explored(size, results, cells)]])
    compared = _compared(size, results)
    return Outcome(
        setup=f"{' x '.join(map(str, size.lattice))} sites, a generated scan with sinusoids of {volume:,} µm³ "
              f"({100 * volume / np.prod(size.lattice):.0f}%), {moving.cells.iloc[0]} to {moving.cells.iloc[-1]:,} "
              f"cells: as dense as {size.cells[0]:,} to {size.cells[-1]:,} in the paper's 1024 x 1024 x 182. "
              f"{size.minutes} minutes for speeds over 2 minutes, {_duration(size)} for what is explored"
              + (f" (with {_in_words(size.explored_cells)} cells)" if size.explored_cells != size.cells else "")
              + f", seen every minute; one run each. The paper's scheme ({in_words(BOARD)}, sources drawn), with random "
              f"numbers of its own for every MCS and with those of 60 MCS replayed, beside `tiles`: "
              f"{' x '.join(map(str, size.compared_lattice))} sites, {size.compared_minutes} minutes, {size.runs} runs each.",
        findings=_findings(size, explored, compared, results),
        tables={"densities": moving, "explored_at_end": explored, "explored": _curves(size, results, volume),
                "compared": compared},
        figures={"liver": _figure(size, moving, compared, results, volume)},
    )


def _compared(size: Size, results: Results) -> pd.DataFrame:
    """A row per run."""
    rows = []
    for way in WAYS:
        for cells in size.compared_cells:
            for run in range(1, size.runs + 1):
                found = results[_compared_name(way, cells, run)]
                rows.append({"way": way, "cells_in_paper": cells, "run": run, "cells": found["cells"][-1],
                             "speed": found["speed"], "arrest": found["arrest"], "visited_um3": found["visited_um3"][-1],
                             "explored_um3_per_cell": found["explored_um3"][-1] / found["cells"][-1]})
    return pd.DataFrame(rows)


def _duration(size: Size) -> str:
    hours, minutes = divmod(size.explored_minutes, 60)
    return f"{hours} hours" if hours and not minutes else f"{size.explored_minutes} minutes"


def _in_words(counts: tuple[int, ...]) -> str:
    return ", ".join(f"{count:,}" for count in counts)


def _curves(size: Size, results: Results, volume: int) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"cells_in_paper": cells, "minutes": found["minutes"],
                                    "explored_share": found["explored_um3"] / volume})
                      for cells in size.explored_cells for found in [_explored(size, results, cells)]])


def _findings(size: Size, explored: pd.DataFrame, compared: pd.DataFrame, results: Results) -> list[Finding]:
    growing = all((np.diff(_explored(size, results, cells)["explored_um3"]) >= 0).all()
                  for cells in size.explored_cells)
    return [
        Finding("explored", None, judge(
            growing and explored.explored_share.is_monotonic_increasing,
            f"after {_duration(size)} " + ", ".join(f"{100 * share:.1f}%" for share in explored.explored_share)
            + f" of the sinusoids with {_in_words(size.explored_cells)} cells in the paper's volume")),
        Finding("per_cell", _per_cell(size, compared, "board", results), _per_cell(size, compared, "tiles", results)),
        Finding("arrest", _arrest(compared, "board"), _arrest(compared, "tiles")),
        Finding("speed", _speed(compared, "board"), _speed(compared, "tiles")),
        Finding("replayed", _replayed(compared)),
    ]


def _means(compared: pd.DataFrame, way: str, what: str) -> pd.Series:
    """Over runs, by the number of cells."""
    return compared[compared.way == way].groupby("cells_in_paper")[what].mean()


def _told(compared: pd.DataFrame, way: str, what: str, show) -> str:
    """Means and the range of the runs, by the number of cells."""
    by_cells = compared[compared.way == way].groupby("cells_in_paper")[what]
    return ", ".join(f"{show(values.mean())} ({show(values.min())} to {show(values.max())}) at {cells:,}"
                     for cells, values in by_cells)


CAUSE = ("A cell alone crawls by itself in this model, in the serial chain as well (docs/tissues.md). The transition is "
         "reproduced by replaying random numbers: see below.")


def _per_cell(size: Size, compared: pd.DataFrame, way: str, results: Results) -> Judgement:
    seen = _means(compared, way, "visited_um3")
    least, middle, most = seen.iloc[0], seen.iloc[len(seen) // 2], seen.iloc[-1]
    return judge(middle > MUCH * least and most < middle,
                 f"a cell saw, in {size.compared_minutes} minutes, "
                 + _told(compared, way, "visited_um3", lambda value: f"{value:,.0f}") + f" µm³. {_early(size, way, results)}",
                 in_part=middle > RISES * least, cause=CAUSE)


def _early(size: Size, way: str, results: Results) -> str:
    """All cells together, per cell, as long as most is unexplored with the middle number of cells: later they find what
    others have found."""
    volume = results["vessels"]["um3"] / np.prod(size.lattice) * np.prod(size.compared_lattice)
    cells = size.compared_cells
    middle = results[_compared_name(way, cells[len(cells) // 2], 1)]
    late = np.flatnonzero(middle["explored_um3"] > UNEXPLORED * volume)
    at = max(0, int(late[0]) - 1) if len(late) else len(middle["minutes"]) - 1

    def of(count: int) -> float:
        return float(np.mean([found["explored_um3"][at] / found["cells"][at] for run in range(1, size.runs + 1)
                              for found in [results[_compared_name(way, count, run)]]]))

    minutes = f"{middle['minutes'][at]:.0f} minute{'' if round(middle['minutes'][at]) == 1 else 's'}"
    return (f"Explored per cell after {minutes}, before {UNEXPLORED:.0%} are explored with "
            f"{cells[len(cells) // 2]:,}: " + ", ".join(f"{of(count):,.0f}" for count in cells) + " µm³")


def _arrest(compared: pd.DataFrame, way: str) -> Judgement:
    arrest = _means(compared, way, "arrest")
    sparse, dense = arrest.iloc[0], arrest.iloc[-1]
    return judge(sparse > ARRESTED and dense < MOVING, _told(compared, way, "arrest", lambda value: f"{100 * value:.1f}%"),
                 in_part=sparse > max(0.1, FOLD * dense), cause=CAUSE)


def _speed(compared: pd.DataFrame, way: str) -> Judgement:
    speed = _means(compared, way, "speed")
    sparse, dense = speed.iloc[0], speed.iloc[-1]
    return judge(dense > MUCH * sparse and PEAK[0] < speed.max() < PEAK[1],
                 _told(compared, way, "speed", lambda value: f"{value:.1f}") + " µm/min", in_part=dense > sparse, cause=CAUSE)


def _replayed(compared: pd.DataFrame) -> Judgement:
    replayed, without = (_means(compared, way, "arrest") for way in ("replayed", "board"))
    sparse, dense = replayed.iloc[0], replayed.iloc[-1]
    return judge(sparse >= FOLD * without.iloc[0] and sparse >= FOLD * dense,
                 "arrested " + _told(compared, "replayed", "arrest", lambda value: f"{100 * value:.1f}%")
                 + f" (without: {100 * without.iloc[0]:.1f}% at {without.index[0]:,}); "
                 + _told(compared, "replayed", "speed", lambda value: f"{value:.1f}") + " µm/min; a cell saw "
                 + _told(compared, "replayed", "visited_um3", lambda value: f"{value:,.0f}") + " µm³",
                 in_part=sparse >= FOLD * without.iloc[0],
                 cause=f"Arrest falls with density, {sparse / dense:.1f} times from the lowest to the highest; it is "
                       f"{sparse / without.iloc[0]:.0f} times that without at the lowest.")


def _figure(size: Size, moving: pd.DataFrame, compared: pd.DataFrame, results: Results, volume: int):
    figure, (row,) = plots.panels(4, width=2.8)
    hours = size.explored_minutes > 120
    for cells, colour in zip(size.explored_cells, plots.shades(len(size.explored_cells))):
        found = _explored(size, results, cells)
        row[0].plot(found["minutes"] / (60 if hours else 1), 100 * found["explored_um3"] / volume, color=colour,
                    label=f"{cells:,}")
    row[0].set(title="explored (tiles)", xlabel="hours" if hours else "minutes", ylabel="% of the sinusoids",
               ylim=(0, None))
    row[0].legend(title="cells", fontsize=6, title_fontsize=7)
    for way, (_, label, colour) in WAYS.items():
        mine = compared[compared.way == way]
        for axes, what in ((row[1], "visited_um3"), (row[2], "arrest"), (row[3], "speed")):
            axes.plot(mine.cells_in_paper, mine[what], ".", color=colour, markersize=3)
            mean = _means(compared, way, what)
            axes.plot(mean.index, mean, color=colour, label=label)
    for axes, what in ((row[1], "visited_um3"), (row[2], "arrest"), (row[3], "speed")):
        axes.plot(moving.cells_in_paper, moving[what], "x", color="#222222", markersize=4,
                  label="tiles, all of the volume" if size.lattice != size.compared_lattice else None)
        axes.set_xscale("log")
        axes.set_xlabel("cells in the paper's volume")
    row[1].set(title=f"seen by a cell in {size.compared_minutes} min", ylabel="µm³", ylim=(0, None))
    row[2].set(title="arrest coefficient", ylabel="share below 2 µm/min", ylim=(0, 1.02))
    row[3].axhline(10.5, color="#888888", linewidth=0.8, linestyle=":")
    row[3].set(title="mean speed", ylabel="µm/min", ylim=(0, None))
    row[2].legend(fontsize=6)
    return figure


EXPERIMENT = Experiment("liver", "T cells in the liver", CLAIMS, SIZES, plan, evaluate)
