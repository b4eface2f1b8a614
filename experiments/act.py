"""Crawling cells (Fig. 5B): does a cell of the Act model find and keep a direction as in the serial chain?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np

from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import direction_autocorrelation
from experiments.pieces import Piece, Results
from experiments.schedules import LARGE, RARE_2D, SERIAL, SMALL, TILES, in_words, simulation

COMPARED = (SERIAL, SMALL, RARE_2D, LARGE, TILES)
STEP = 50  # MCS between positions
FAR_OFF = 0.2  # of an autocorrelation: a difference that a reader of the figure would see

BURN_IN = 1000  # MCS: before, cells of middling strength are still looking for a direction, in the serial chain, too

CLAIMS = (
    Claim("serial", "5B", "Stronger polarisation makes cells more persistent: from Brownian to directed motion.",
          f"Holds where the autocorrelation at long lags rises by more than {FAR_OFF} from the weakest to the strongest, to "
          f"more than 0.3; in part where it rises by more than {FAR_OFF / 2}."),
    Claim("small", "5B", "With changed update statistics this range of behaviour does not appear (here: regions "
                         "of one site).",
          "Holds where it rises by less than half as much as in the serial chain; in part where it differs from the serial "
          f"one by more than {FAR_OFF} and three standard errors at some strength."),
    Claim("rare", "5B", "The same with regions that are switched rarely.", "As before."),
    Claim("preserved", "5B", "It appears again where update statistics are preserved (large regions, frequent switching).",
          f"Holds where it differs from the serial one by less than {FAR_OFF}, or three standard errors, at all strengths, "
          "and rises by more than half as much; in part where only the latter is so."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    lambdas: tuple[int, ...]
    runs: int
    mcs: int
    burn_in: int = BURN_IN


SIZES = {
    "tiny": Size(128, (100, 800), 2, 200, 100),
    "short": Size(192, (50, 100, 200, 400, 800), 20, 750),
    "full": Size(256, (50, 100, 150, 200, 250, 300, 400, 500, 600, 800), 50, 750),
}


def crawl(lattice: int, act: int, burn_in: int, mcs: int, schedule: dict, runs: int) -> dict:
    """Positions of a single cell after the burn-in, of shape (runs, samples, 2)."""
    low = (lattice - 50) // 2
    model = kiln.Model(MODELS / "act-cell.toml",
                       {"lattice.size": [lattice, lattice], "types.cell.act.lambda": act,
                        "initial.0.region.low": [low, low], "initial.0.region.high": [low + 50, low + 50]})
    tracks = []
    for seed in range(1, runs + 1):
        sim = simulation(model, schedule, seed)
        sim.run(burn_in, progress=False)
        track = [sim.cells.position[1]]
        for _ in sim.steps(mcs, every=STEP, progress=False):
            track.append(sim.cells.position[1])
        tracks.append(track)
    return {"positions": np.array(tracks)}


def _name(schedule, act: int) -> str:
    return f"{schedule.key}-act{act}"


def plan(size: Size) -> list[Piece]:
    return [Piece(_name(schedule, act), crawl, {"lattice": size.lattice, "act": act, "burn_in": size.burn_in,
                                                "mcs": size.mcs, "schedule": schedule.settings, "runs": size.runs},
                  cost=size.runs * (size.burn_in + size.mcs) * size.lattice**2 * (2e-9 if schedule is SERIAL else 1.2e-8))
            for schedule in COMPARED for act in size.lambdas]


def _autocorrelation(size: Size, results: Results) -> dict[str, np.ndarray]:
    """By schedule, of shape (lambdas, runs, lags)."""
    return {schedule.key: np.array([[direction_autocorrelation(track)
                                     for track in results[_name(schedule, act)]["positions"]] for act in size.lambdas])
            for schedule in COMPARED}


def evaluate(size: Size, results: Results) -> Outcome:
    found, drift = _autocorrelation(size, results), _drift(size, results)
    return Outcome(
        setup=f"One cell (V 2500, perimeter 600, T 10, Max 50) on {size.lattice} x {size.lattice} sites, "
              f"{size.mcs} MCS after {size.burn_in:,}, its place every {STEP}; lambda_act {size.lambdas[0]} to "
              f"{size.lambdas[-1]}, {size.runs} runs each. Drift is the mean displacement of all runs: a scheme that drags "
              f"cells along has one. Regions of one site: {in_words(SMALL.board)}; rare switching: "
              f"{in_words(RARE_2D.board)}; large regions: {in_words(LARGE.board)}.",
        findings=_findings(size, found, drift),
        tables={"autocorrelation": _table(size, found), "drift": _drift_table(size, drift)},
        figures={"act": _figure(size, found)},
    )


def _drift(size: Size, results: Results) -> dict[str, np.ndarray]:
    """By schedule, the displacement of each run, of shape (lambdas, runs, 2)."""
    return {schedule.key: np.array([results[_name(schedule, act)]["positions"][:, -1]
                                    - results[_name(schedule, act)]["positions"][:, 0] for act in size.lambdas])
            for schedule in COMPARED}


def _drift_table(size: Size, drift: dict[str, np.ndarray]) -> pd.DataFrame:
    rows = [(key, act, *moved[i].mean(axis=0), *(moved[i].std(axis=0, ddof=1) / np.sqrt(size.runs)))
            for key, moved in drift.items() for i, act in enumerate(size.lambdas)]
    return pd.DataFrame(rows, columns=["schedule", "lambda_act", "x", "y", "x_error", "y_error"])


def _long_lags(size: Size) -> slice:
    """From a quarter to two thirds of a run: steps so far apart that Brownian cells have forgotten their direction."""
    return slice(size.mcs // (4 * STEP) + 1, 2 * size.mcs // (3 * STEP) + 1)


def _persistence(size: Size, found: np.ndarray) -> np.ndarray:
    """Of each run: the mean autocorrelation over long lags; of shape (lambdas, runs)."""
    return np.nanmean(found[:, :, _long_lags(size)], axis=2)


def _findings(size: Size, found: dict[str, np.ndarray], drift: dict[str, np.ndarray]) -> list[Finding]:
    runs = {key: _persistence(size, values) for key, values in found.items()}
    mean = {key: values.mean(axis=1) for key, values in runs.items()}
    error = {key: values.std(axis=1, ddof=1) / np.sqrt(size.runs) for key, values in runs.items()}
    span = {key: values[-1] - values[0] for key, values in mean.items()}
    lags = STEP * np.arange(found["serial"].shape[2])[_long_lags(size)]
    measure = f"autocorrelation at lags of {lags[0]} to {lags[-1]} MCS"

    shown = np.unique(np.linspace(0, len(size.lambdas) - 1, 5).round().astype(int))  # the figure has the others
    strengths = ", ".join(str(size.lambdas[i]) for i in shown)

    def told(key: str) -> str:
        values = ", ".join(f"{mean[key][i]:.2f} ± {error[key][i]:.2f}" for i in shown)
        beside = "" if key == "serial" else f" (serial {', '.join(f'{m:.2f}' for m in mean['serial'][shown])})"
        return f"{measure} {values}{beside} at lambda_act {strengths}; {_drift_in_words(size, drift[key])}"

    def follows(key: str) -> bool:
        limit = np.maximum(FAR_OFF, 3 * np.hypot(error[key], error["serial"]))
        return bool((np.abs(mean[key] - mean["serial"]) < limit).all())

    def changed(key: str) -> Judgement:
        return judge(span[key] < 0.5 * span["serial"], told(key), in_part=not follows(key), cause=(
            f"It rises by {span[key]:.2f} (serial {span['serial']:.2f})"
            + (", as in the serial chain: this setting does not change it." if follows(key) else
               ", but not as in the serial chain.")))

    def preserved(key: str) -> Judgement:
        rises = span[key] > 0.5 * span["serial"]
        return judge(follows(key) and rises, told(key), in_part=rises)

    return [
        Finding("serial", judge(span["serial"] > FAR_OFF and mean["serial"][-1] > 0.3, told("serial"),
                                in_part=span["serial"] > FAR_OFF / 2)),
        Finding("small", changed("small")),
        Finding("rare", changed("rare")),
        Finding("preserved", preserved("large"), preserved("tiles")),
    ]


def _drift_in_words(size: Size, moved: np.ndarray) -> str:
    """At the strongest polarisation, along the axis of the largest."""
    mean, error = moved[-1].mean(axis=0), moved[-1].std(axis=0, ddof=1) / np.sqrt(size.runs)
    axis = int(np.argmax(np.abs(mean)))
    return f"drift {mean[axis]:+.0f} ± {error[axis]:.0f} sites along {'xy'[axis]} at {size.lambdas[-1]}"


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
