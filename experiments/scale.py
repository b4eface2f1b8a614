"""The cost of scale (Fig. 1): what tissues and parameter grids take."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import kiln
import numpy as np

from experiments import machine
from experiments.claims import Claim, Experiment, Finding, Outcome, beside, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.pieces import Piece, Results
from experiments.timing import timing

HOUR, DAY, YEAR = 3600.0, 86400.0, 365.25 * 86400
# An MCS is a second, a site a cubic micrometre.
TARGETS = {"256": (256**3, 600), "mm": (1000**3, 86400)}
PAPER_SECONDS = {"256": 1.2 * HOUR, "mm": 1.4 * YEAR}
PAPER_GRID_SECONDS, PAPER_GRID_MCS = 1.6, 10_000  # of a simulation
# The paper's own serial engine on a Neoverse-V1 core, measured apart: site updates per second in a box full of static
# cells, 256^3, and seconds for a grid's simulation.
THEIR_RATE, THEIR_GRID_SECONDS = 2.2e6, 1.9
LIKE = 2  # a factor: another processor than the paper's

WAYS = {"serial": ("serial", 1, "serial, one core", "#222222"), "all": ("threads", 0, "tiles, all cores", "#1d7874"),
        "gpu": ("cuda", 0, "tiles, GPU", "#c1121f")}

CLAIMS = (
    Claim("256", "1A", "An optimised serial engine needs 1.2 hours for 256^3 cubic micrometres and 10 minutes.",
          f"Holds where the paper's serial engine takes as long on a core of today, to within a factor of {LIKE}."),
    Claim("mm", "1A", "For a cubic millimetre and a day it would need 1.4 years: out of reach.", "As before."),
    Claim("grid", "1B", "The cost of a grid of parameters grows exponentially: 16 s for one parameter with 10 "
                        "values, over a year for five with 30.",
          f"Holds where one simulation of {PAPER_GRID_MCS:,} MCS takes the paper's serial engine 1.6 s, to within a factor "
          f"of {LIKE}, and five parameters with 30 values a year or more."),
)


@dataclass(frozen=True)
class Size:
    edges: tuple[int, ...]
    fitted_from: int  # edge: smaller lattices lie in caches
    grid_runs: int
    grid_mcs: int
    attempts: float  # of a timing on a processor
    gpu: bool = False  # or where there is one


SIZES = {
    "tiny": Size((16, 24), 16, 2, 20, 3e4),
    "short": Size((16, 32, 64, 96, 128), 64, 4, PAPER_GRID_MCS, 4e7),
    "full": Size((16, 32, 64, 128, 256, 512), 64, 32, PAPER_GRID_MCS, 4e7, gpu=True),
}


def grid_seconds(mcs: int, runs: int, engine: str, at_once: int) -> dict:
    """Seconds per simulation of a single Act cell, so many at a time (0: one per core); one at a time by what it
    computes, more by the clock."""
    at_once = at_once or machine.cores()
    model = kiln.Model(MODELS / "act-cell.toml")

    def one(number: int) -> None:
        changed = model.changed({"types.cell.act.lambda": 200 + 50 * (number % 5)})
        kiln.Simulation(changed, engine=engine, threads=1, seed=number + 1, record=False).run(mcs, progress=False)

    clock = time.process_time if at_once == 1 else time.monotonic
    start = clock()
    with ThreadPoolExecutor(max_workers=at_once) as executor:
        list(executor.map(one, range(runs)))
    return {"seconds": (clock() - start) / runs, "cores": at_once}


def _ways(results: Results) -> list[str]:
    return [way for way in WAYS if way != "gpu" or "gpu-16" in results]


def _edges(size: Size, way: str) -> list[int]:
    """Beyond 128, a serial or threaded MCS is known from smaller lattices."""
    return [edge for edge in size.edges if way == "gpu" or edge <= 128]


def plan(size: Size) -> list[Piece]:
    pieces = []
    for way, (engine, threads, *_) in WAYS.items():
        if way != "gpu" or size.gpu or machine.gpu():
            pieces += [timing(f"{way}-{edge}", "dense.toml", [edge] * 3, engine, threads, size.attempts, size.gpu)
                       for edge in _edges(size, way)]
    for name, runs, at_once in (("grid-one", size.grid_runs, 1), ("grid-all", 2 * size.grid_runs, 0)):
        pieces.append(Piece(name, grid_seconds, {"mcs": size.grid_mcs, "runs": runs, "engine": "serial",
                                                 "at_once": at_once}, cost=1e-4 * runs * size.grid_mcs, alone=True,
                            gpu=int(size.gpu)))
    return pieces


def _fit(size: Size, results: Results, way: str) -> tuple[float, float]:
    """Slope and offset of log(seconds per MCS) over log(sites), as in the paper; a site is never taken to cost less in
    a larger lattice."""
    edges = [edge for edge in _edges(size, way) if edge >= size.fitted_from]
    if way == "gpu":
        edges = edges[-2:]  # smaller lattices do not fill it
    x = np.log([edge**3 for edge in edges])
    y = np.log([results[f"{way}-{edge}"]["ms"] / 1000 for edge in edges])
    slope = max(1.0, float(np.polyfit(x, y, 1)[0]))
    return slope, float(np.mean(y - slope * x))


def _seconds(fit: tuple[float, float], target: str) -> float:
    sites, mcs = TARGETS[target]
    return float(np.exp(fit[1] + fit[0] * np.log(sites)) * mcs)


def in_words(seconds: float) -> str:
    for limit, unit, name in ((120, 1, "s"), (2 * HOUR, 60, "minutes"), (2 * DAY, HOUR, "hours"), (YEAR, DAY, "days"),
                              (1e4 * YEAR, YEAR, "years")):
        if seconds < limit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / YEAR:.2g} years"


def evaluate(size: Size, results: Results) -> Outcome:
    fits = {way: _fit(size, results, way) for way in _ways(results)}
    cost = {target: {way: _seconds(fit, target) for way, fit in fits.items()} for target in TARGETS}
    grid = {key: results[f"grid-{key}"]["seconds"] for key in ("one", "all")}
    return Outcome(
        setup="A box full of static cells (V 150, perimeter 1500, J 10, T 20), edges of "
              f"{', '.join(map(str, size.edges))} sites (to 128 on a processor); lines fitted in log-log space "
              f"from {size.fitted_from} on, for a GPU through the two largest. Grid: one Act cell on 256 x 256 "
              f"sites, {size.grid_mcs} MCS, serial chain.",
        findings=_findings(cost, grid, results["grid-all"]["cores"]),
        tables={"cost": pd.DataFrame([(way, edge, results[f"{way}-{edge}"]["ms"]) for way in fits
                                      for edge in _edges(size, way)], columns=["how", "edge", "ms_per_mcs"]),
                "grid": pd.DataFrame([(p, v, v**p * grid["one"], v**p * grid["all"]) for p in range(1, 6)
                                      for v in (10, 20, 30)],
                                     columns=["parameters", "values", "seconds_one_core", "seconds_all_cores"])},
        figures={"scale": _figure(size, results, fits, grid)},
    )


def _findings(cost: dict, grid: dict, cores: int) -> list[Finding]:
    def told(target: str) -> str:
        return ", ".join(f"{WAYS[way][2]} {in_words(seconds)}" for way, seconds in cost[target].items())

    found = []
    for target, (sites, mcs) in TARGETS.items():
        theirs = sites * mcs / THEIR_RATE
        found.append(Finding(target, judge(_alike(theirs, PAPER_SECONDS[target]),
                                           f"{THEIR_RATE:.2g} site updates/s (a Neoverse-V1 core): {in_words(theirs)}"),
                             beside(told(target))))
    theirs, most = THEIR_GRID_SECONDS, 30**5 * THEIR_GRID_SECONDS
    found.append(Finding(
        "grid", judge(_alike(theirs, PAPER_GRID_SECONDS) and most > YEAR,
                      f"{theirs} s per simulation (a Neoverse-V1 core): {in_words(10 * theirs)} for one parameter with 10 "
                      f"values, {in_words(most)} for five with 30"),
        beside(f"{grid['one']:.2f} s per simulation on one core: {in_words(10 * grid['one'])} for one parameter with 10 "
               f"values, {in_words(30**5 * grid['one'])} for five with 30; with all {cores} cores "
               f"{in_words(30**5 * grid['all'])}")))
    return found


def _alike(seconds: float, claimed: float) -> bool:
    return claimed / LIKE < seconds < claimed * LIKE


def _figure(size: Size, results: Results, fits: dict, grid: dict):
    figure, ((left, right),) = plots.panels(2, width=4)
    x = np.array([16**3, 1000**3], float)
    for way, fit in fits.items():
        _, _, label, colour = WAYS[way]
        edges = _edges(size, way)
        seconds = [0.6 * results[f"{way}-{edge}"]["ms"] for edge in edges]
        left.loglog([edge**3 for edge in edges], seconds, "o", color=colour, label=label)
        left.loglog(x, 600 * np.exp(fit[1] + fit[0] * np.log(x)), color=colour, alpha=0.5, linewidth=1)
    left.plot([256**3], [PAPER_SECONDS["256"]], "x", color="#888888", label="paper, serial")
    left.set(title="10 minutes of a dense tissue", xlabel="cubic micrometres", ylabel="wall-clock seconds")
    left.legend(loc="lower right", fontsize=7)
    parameters = np.arange(1, 6)
    for values, shade in zip((10, 20, 30), plots.shades(3)):
        right.semilogy(parameters, values**parameters * grid["one"], "o-", color=shade, label=f"{values} values")
    for seconds, name in ((HOUR, "hour"), (DAY, "day"), (30 * DAY, "month"), (YEAR, "year")):
        for axes in (left, right):
            axes.axhline(seconds, color="#dddddd", linewidth=0.8, zorder=0)
            axes.annotate(name, (0.01, seconds), xycoords=("axes fraction", "data"), fontsize=6, color="#888888",
                          va="bottom")
    right.set(title="grids of parameters, one core", xlabel="parameters", ylabel="seconds", xticks=parameters)
    right.legend()
    return figure


EXPERIMENT = Experiment("scale", "The cost of scale", CLAIMS, SIZES, plan, evaluate)
