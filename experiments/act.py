"""Crawling cells (Fig. 5B): does a cell of the Act model find and keep a direction as in the serial chain?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np

from experiments.claims import Claim, Experiment, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import direction_autocorrelation
from experiments.pieces import Piece, Results
from experiments.schedules import LARGE_2D, RARE, SERIAL, SMALL, TILES, in_words, simulation

COMPARED = (SERIAL, SMALL, RARE, LARGE_2D, TILES)
STEP = 50  # MCS between positions
FAR_OFF = 0.2  # of an autocorrelation: a difference that a reader of the figure would see

CLAIMS = (
    Claim("serial", "5B", "Stronger polarisation makes cells more persistent: from Brownian to directed motion."),
    Claim("small", "5B", "With changed update statistics this range of behaviour does not appear (here: regions "
                         "of one site)."),
    Claim("rare", "5B", "The same with regions that are switched rarely."),
    Claim("large", "5B", "It appears again where update statistics are preserved (large regions, frequent switching)."),
    Claim("tiles", "5B", "The same of our own schedule, `tiles`."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    lambdas: tuple[int, ...]
    runs: int
    mcs: int


SIZES = {
    "tiny": Size(128, (100, 800), 2, 200),
    "short": Size(192, (50, 100, 200, 400, 800), 32, 750),
    "full": Size(256, tuple(range(50, 801, 50)), 50, 750),
}


def crawl(lattice: int, act: int, mcs: int, schedule: dict, runs: int) -> dict:
    """Positions of a single cell, of shape (runs, samples, 2)."""
    low = (lattice - 50) // 2
    model = kiln.Model(MODELS / "act-cell.toml",
                       {"lattice.size": [lattice, lattice], "types.cell.act.lambda": act,
                        "initial.0.region.low": [low, low], "initial.0.region.high": [low + 50, low + 50]})
    tracks = []
    for seed in range(1, runs + 1):
        sim = simulation(model, schedule, seed)
        track = [sim.cells.position[1]]
        for _ in sim.steps(mcs, every=STEP, progress=False):
            track.append(sim.cells.position[1])
        tracks.append(track)
    return {"positions": np.array(tracks)}


def _name(schedule, act: int) -> str:
    return f"{schedule.key}-act{act}"


def plan(size: Size) -> list[Piece]:
    return [Piece(_name(schedule, act), crawl, {"lattice": size.lattice, "act": act, "mcs": size.mcs,
                                                "schedule": schedule.settings, "runs": size.runs},
                  cost=size.runs * size.mcs * size.lattice**2 * (2e-9 if schedule is SERIAL else 1.2e-8))
            for schedule in COMPARED for act in size.lambdas]


def _autocorrelation(size: Size, results: Results) -> dict[str, np.ndarray]:
    """By schedule, of shape (lambdas, runs, lags)."""
    return {schedule.key: np.array([[direction_autocorrelation(track)
                                     for track in results[_name(schedule, act)]["positions"]] for act in size.lambdas])
            for schedule in COMPARED}


def evaluate(size: Size, results: Results) -> Outcome:
    found = _autocorrelation(size, results)
    return Outcome(
        setup=f"One cell (V 2500, perimeter 600, T 10, Max 50) on {size.lattice} x {size.lattice} sites, "
              f"{size.mcs} MCS, its place every {STEP}; lambda_act {size.lambdas[0]} to {size.lambdas[-1]}, "
              f"{size.runs} runs each. Regions of one site: {in_words(SMALL.board)}; rare switching: "
              f"{in_words(RARE.board)}; large regions: {in_words(LARGE_2D.board)}.",
        findings=_findings(size, found),
        tables={"autocorrelation": _table(size, found)},
        figures={"act": _figure(size, found)},
    )


def _long_lags(size: Size) -> slice:
    """From a quarter to two thirds of a run: steps so far apart that Brownian cells have forgotten their direction."""
    return slice(size.mcs // (4 * STEP) + 1, 2 * size.mcs // (3 * STEP) + 1)


def _persistence(size: Size, found: np.ndarray) -> np.ndarray:
    """Of each run: the mean autocorrelation over long lags; of shape (lambdas, runs)."""
    return np.nanmean(found[:, :, _long_lags(size)], axis=2)


def _findings(size: Size, found: dict[str, np.ndarray]) -> list:
    runs = {key: _persistence(size, values) for key, values in found.items()}
    mean = {key: values.mean(axis=1) for key, values in runs.items()}
    error = {key: values.std(axis=1, ddof=1) / np.sqrt(size.runs) for key, values in runs.items()}
    span = {key: values[-1] - values[0] for key, values in mean.items()}
    lags = STEP * np.arange(found["serial"].shape[2])[_long_lags(size)]
    measure = f"autocorrelation at lags of {lags[0]} to {lags[-1]} MCS"

    shown = np.unique(np.linspace(0, len(size.lambdas) - 1, 5).round().astype(int))  # the figure has the others

    def values(key: str) -> str:
        return ", ".join(f"{mean[key][i]:.2f} ± {error[key][i]:.2f}" for i in shown)

    def told(key: str) -> str:
        return f"{measure} {values(key)} (serial {', '.join(f'{m:.2f}' for m in mean['serial'][shown])})"

    def follows(key: str) -> bool:
        limit = np.maximum(FAR_OFF, 3 * np.hypot(error[key], error["serial"]))
        return bool((np.abs(mean[key] - mean["serial"]) < limit).all()) and span[key] > 0.5 * span["serial"]

    strengths = ", ".join(str(size.lambdas[i]) for i in shown)
    kept = ("The range is there: what this setting changes in the statistics matters less here than in the paper, "
            "whose settings are not printed.")
    other = "Persistence changes with strength, but not as in the serial chain."
    return [
        judge("serial", span["serial"] > FAR_OFF and mean["serial"][-1] > 0.3,
              f"{measure} {values('serial')} at lambda_act {strengths}", in_part=span["serial"] > 0.1,
              cause="The cell keeps its direction for hundreds of MCS at any strength."),
        *(judge(key, span[key] < 0.5 * span["serial"], told(key), in_part=not follows(key),
                cause=kept if follows(key) else other)
          for key in ("small", "rare")),
        *(judge(key, follows(key), told(key), in_part=span[key] > 0.5 * span["serial"]) for key in ("large", "tiles")),
    ]


def _table(size: Size, found: dict[str, np.ndarray]) -> pd.DataFrame:
    rows = [(key, act, lag * STEP, np.nanmean(values[i, :, lag]), np.nanstd(values[i, :, lag]))
            for key, values in found.items() for i, act in enumerate(size.lambdas) for lag in range(values.shape[2])]
    return pd.DataFrame(rows, columns=["schedule", "lambda_act", "lag_mcs", "autocorrelation", "sd"])


def _figure(size: Size, found: dict[str, np.ndarray]):
    figure, grid = plots.panels(3, 2)
    *own, last = grid.ravel()
    colours = plots.shades(len(size.lambdas))
    lags = STEP * np.arange(found["serial"].shape[2])
    for axes, schedule in zip(own, COMPARED):
        for i in range(len(size.lambdas)):
            axes.plot(lags, np.nanmean(found[schedule.key][i], axis=0), color=colours[i])
        axes.set(title=schedule.label, xlabel="lag (MCS)", ylim=(-0.5, 1.02))
    for axes in grid[:, 0]:
        axes.set_ylabel("direction autocorrelation")
    for schedule in COMPARED:
        runs = _persistence(size, found[schedule.key])
        last.errorbar(size.lambdas, runs.mean(axis=1), runs.std(axis=1) / np.sqrt(size.runs), color=schedule.colour,
                      label=schedule.label, capsize=2)
    last.set(title="at long lags", xlabel="lambda_act", ylim=(-0.5, 1.02))
    last.legend(fontsize=6, loc="lower right")
    plots.key_to_shades(figure, grid, list(size.lambdas), "lambda_act")
    return figure


EXPERIMENT = Experiment("act", "Crawling cells", CLAIMS, SIZES, plan, evaluate)
