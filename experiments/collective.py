"""A collective of persistent cells (Fig. 5C): do dense cells come to move together?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np

from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import directions
from experiments.pieces import Piece, Results
from experiments.schedules import LARGE, RARE_3D, SERIAL, SMALL, TILES, Schedule, in_words, simulation

# The paper's software lets persistence act on retraction, too, in 3-D on a GPU; the paper's equation does not.
RETRACTING = Schedule("retracting", "regions of 1 site, on retraction, too", "#7b2d26", SMALL.engine, SMALL.schedule,
                      SMALL.board)
COMPARED = (SERIAL, SMALL, RETRACTING, RARE_3D, LARGE, TILES)
INTERVAL = 15  # MCS over which a direction is taken: the model's own dt
SAMPLES = 4  # of the order index, the last ones
SHARP, NEAR = 0.5, (0.4, 0.6)
GONE, KEPT = 0.5, 0.2

CLAIMS = (
    Claim("transition", "5C", "In the serial chain sparse cells move at random and dense ones together, with a "
                              "sharp rise of the order index near a density of 0.5.",
          f"Holds where the order index rises by more than {SHARP} from the lowest to the highest density, half-way between "
          f"{NEAR[0]} and {NEAR[1]}; in part where it rises by more than 0.3."),
    Claim("small", "5C", "With changed update statistics the transition disappears (here: regions of one site).",
          f"Holds where the order index rises by less than {GONE} of the serial rise; in part below 0.8."),
    Claim("rare", "5C", "The same with regions that are switched rarely.", "As before."),
    Claim("preserved", "5C", "It appears again where update statistics are preserved (large regions, frequent switching).",
          f"Holds where its rise differs from the serial one by less than {KEPT}; in part where it is more than half."),
    Claim("boxes", "5C", "The transition is one of the tissue, not of the box.",
          f"Ours. Holds where the order index rises by more than {SHARP} in boxes of all sizes; in part where it does in the "
          "largest.", ours=True),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    densities: tuple[float, ...]
    runs: int
    mcs: int
    other_boxes: tuple[int, ...]  # edges: with fewer densities and runs
    few_densities: tuple[float, ...]
    few_runs: int
    longer: int = 0  # times as many MCS in the largest box, at the highest density: does it take longer to order?


SIZES = {
    "tiny": Size(16, (0.3, 0.8), 2, 60, (32,), (0.3, 0.8), 2, 2),
    "short": Size(32, (0.2, 0.35, 0.45, 0.55, 0.65, 0.8), 2, 2000, (48,), (0.2, 0.8), 2),
    "full": Size(64, (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9), 5, 2000, (48, 96), (0.1, 0.4, 0.5, 0.9), 3, 4),
}


def move(lattice: int, density: float, retraction: bool, mcs: int, schedule: dict, seed: int) -> dict:
    """Over the last intervals of a run: the mean of all cells' directions, and their mean displacement, of shape
    (intervals, 3)."""
    model = kiln.Model(MODELS / "collective.toml",
                       {"lattice.size": [lattice] * 3, "initial.0.density": density,
                        "types.cell.persistence.retraction": retraction})
    sim = simulation(model, schedule, seed)
    sim.run(mcs - SAMPLES * INTERVAL, progress=False)
    places = [sim.cells.position[1:]]
    for _ in sim.steps(SAMPLES * INTERVAL, every=INTERVAL, progress=False):
        places.append(sim.cells.position[1:])
    return {"directions": np.nanmean(directions(np.array(places)), axis=1),
            "displacements": np.nanmean(np.diff(places, axis=0), axis=1), "cells": len(sim.cells)}


def _name(schedule, lattice: int, density: float, run: int) -> str:
    return f"{schedule.key}-box{lattice}-density{density}-run{run}"


def _cases(size: Size) -> list[tuple[int, tuple[float, ...], int]]:
    """Edge, densities, runs."""
    return [(size.lattice, size.densities, size.runs),
            *((edge, size.few_densities, size.few_runs) for edge in size.other_boxes)]


def _piece(name: str, schedule: Schedule, edge: int, density: float, run: int, mcs: int) -> Piece:
    return Piece(name, move, {"lattice": edge, "density": density, "retraction": schedule is RETRACTING, "mcs": mcs,
                              "schedule": schedule.settings, "seed": run},
                 cost=edge**3 * mcs * (2.5e-8 + 4e-8 * density))


def _longer_name(size: Size, schedule: Schedule, run: int) -> str:
    return _name(schedule, max(size.other_boxes), size.few_densities[-1], run) + "-longer"


def plan(size: Size) -> list[Piece]:
    pieces = [_piece(_name(schedule, edge, density, run), schedule, edge, density, run, size.mcs)
              for edge, densities, runs in _cases(size)
              for schedule in (COMPARED if edge == size.lattice else (SERIAL, TILES))
              for density in densities for run in range(1, runs + 1)]
    if size.longer:
        pieces += [_piece(_longer_name(size, schedule, run), schedule, max(size.other_boxes), size.few_densities[-1], run,
                          size.longer * size.mcs)
                   for schedule in (SERIAL, TILES) for run in range(1, size.few_runs + 1)]
    return pieces


def _order_of(result: dict) -> float:
    """The mean length of the mean direction."""
    return float(np.linalg.norm(result["directions"], axis=1).mean())


def _order_after_longer(size: Size, results: Results, schedule: Schedule) -> float | None:
    if not size.longer:
        return None
    return float(np.mean([_order_of(results[_longer_name(size, schedule, run)]) for run in range(1, size.few_runs + 1)]))


def _order(size: Size, results: Results, case: tuple = ()) -> dict[str, np.ndarray]:
    """By schedule: the mean length of the mean direction, of shape (runs, densities)."""
    edge, densities, runs = case or _cases(size)[0]
    return {schedule.key: np.array([[_order_of(results[_name(schedule, edge, density, run)]) for density in densities]
                                    for run in range(1, runs + 1)])
            for schedule in COMPARED if _name(schedule, edge, densities[0], 1) in results}


def _drift(size: Size, results: Results) -> dict[str, np.ndarray]:
    """By schedule and density: the length of the mean direction of all runs. Runs that choose their directions on their own
    cancel: what is left is what a scheme drags all of them along by."""
    return {schedule.key: np.array([np.linalg.norm(np.mean([results[_name(schedule, size.lattice, density, run)]
                                                            ["directions"].mean(axis=0)
                                                            for run in range(1, size.runs + 1)], axis=0))
                                    for density in size.densities]) for schedule in COMPARED}


def evaluate(size: Size, results: Results) -> Outcome:
    order, drift = _order(size, results), _drift(size, results)
    others = {case: _order(size, results, case) for case in _cases(size)[1:]}
    return Outcome(
        setup=f"A periodic box of {size.lattice}^3 sites, seeds at a density of {size.densities[0]} to "
              f"{size.densities[-1]}; V 150, perimeter 1500, persistence 40, mu 0.95, dt 15, T 20; {size.runs} "
              f"runs of {size.mcs} MCS each; order index of the directions over {INTERVAL} MCS, mean of the last "
              f"{SAMPLES}. Drift: the same of all runs together. Other boxes: {', '.join(map(str, size.other_boxes))}^3, "
              f"{size.few_runs} runs. Regions of one site: {in_words(SMALL.board)}; rare switching: "
              f"{in_words(RARE_3D.board)}; large regions: {in_words(LARGE.board)}.",
        findings=_findings(size, order, drift, others,
                           {schedule.key: _order_after_longer(size, results, schedule) for schedule in (SERIAL, TILES)}),
        tables={"order": pd.DataFrame([(key, size.lattice, density, run + 1, values[run, i])
                                       for key, values in order.items() for i, density in enumerate(size.densities)
                                       for run in range(size.runs)]
                                      + [(key, edge, density, run + 1, values[run, i])
                                         for (edge, densities, runs), found in others.items()
                                         for key, values in found.items() for i, density in enumerate(densities)
                                         for run in range(runs)],
                                      columns=["schedule", "box", "density", "run", "order_index"]),
                "drift": pd.DataFrame([(key, density, values[i]) for key, values in drift.items()
                                       for i, density in enumerate(size.densities)],
                                      columns=["schedule", "density", "drift"])},
        figures={"collective": _figure(size, order, drift)},
    )


def _crossing(densities: tuple[float, ...], order: np.ndarray) -> float | None:
    """The density at which the mean order passes the middle between its first and its last value."""
    mean = order.mean(axis=0)
    middle = (mean[0] + mean[-1]) / 2
    above = np.flatnonzero(mean >= middle)
    if not len(above) or above[0] == 0:
        return None
    i = above[0]
    return float(np.interp(middle, mean[i - 1:i + 1], densities[i - 1:i + 1]))


def _rise(order: np.ndarray) -> float:
    return float(order.mean(axis=0)[-1] - order.mean(axis=0)[0])


def _findings(size: Size, order: dict, drift: dict, others: dict, longer: dict) -> list[Finding]:
    first, last = size.densities[0], size.densities[-1]
    rise = {key: _rise(values) for key, values in order.items()}
    crossing = {key: _crossing(size.densities, values) for key, values in order.items()}

    def told(key: str) -> str:
        mean, sd = order[key].mean(axis=0), order[key].std(axis=0, ddof=1)
        text = (f"order index {mean[0]:.2f} ± {sd[0]:.2f} at a density of {first}, {mean[-1]:.2f} ± {sd[-1]:.2f} "
                f"at {last}")
        if crossing[key] is not None and rise[key] > 0.3:
            text += f", half-way at {crossing[key]:.2f}"
        text += f"; drift {drift[key][0]:.2f} and {drift[key][-1]:.2f}"
        return text if key == "serial" else f"{text} (serial {_ends(order['serial'])})"

    def changed(key: str, more: str = "") -> Judgement:
        return judge(rise[key] < GONE * rise["serial"], told(key) + more, in_part=rise[key] < 0.8 * rise["serial"],
                     cause=f"The order index rises by {rise[key]:.2f} (serial {rise['serial']:.2f}).")

    def preserved(key: str) -> Judgement:
        return judge(abs(rise[key] - rise["serial"]) < KEPT, told(key), in_part=rise[key] > 0.5 * rise["serial"])

    near = crossing["serial"] is not None and NEAR[0] <= crossing["serial"] <= NEAR[1]
    return [
        Finding("transition", judge(rise["serial"] > SHARP and near, told("serial"), in_part=rise["serial"] > 0.3)),
        Finding("small", changed("small", f". With persistence on retraction, too, as in the paper's software: "
                                          f"{_ends(order['retracting'])}")),
        Finding("rare", changed("rare")),
        Finding("preserved", preserved("large"), preserved("tiles")),
        Finding("boxes", *(_boxes(size, order[key], {case: found[key] for case, found in others.items()}, longer[key])
                           for key in ("serial", "tiles"))),
    ]


def _boxes(size: Size, order: np.ndarray, others: dict, longer: float | None) -> Judgement:
    rises = {size.lattice: _rise(order), **{case[0]: _rise(found) for case, found in others.items()}}
    return judge(min(rises.values()) > SHARP,
                 ", ".join(f"{rises[edge]:.2f} in a box of {edge}^3" for edge in sorted(rises)),
                 in_part=rises[max(rises)] > SHARP, cause=_by_time(size, others, longer))


def _by_time(size: Size, others: dict, longer: float | None) -> str:
    if longer is None:
        return ""
    case = max(others)
    first, last = others[case].mean(axis=0)[[0, -1]]
    told = (f"Tested with {size.longer} times as many MCS in the box of {case[0]}^3: {longer:.2f} at a density of "
            f"{size.few_densities[-1]}, {last:.2f} before")
    if longer - first > SHARP:
        return f"{told}. A larger box takes longer to order."
    return f"{told}. Time alone does not mend it."


def _ends(order: np.ndarray) -> str:
    mean = order.mean(axis=0)
    return f"{mean[0]:.2f} and {mean[-1]:.2f}"


def _figure(size: Size, order: dict[str, np.ndarray], drift: dict[str, np.ndarray]):
    figure, (row,) = plots.panels(len(COMPARED), width=2.6)
    for axes, schedule in zip(row, COMPARED):
        if schedule is not SERIAL:
            axes.plot(size.densities, order["serial"].mean(axis=0), color=SERIAL.colour, linewidth=0.8, linestyle="--")
        plots.band(axes, np.array(size.densities), order[schedule.key], color=schedule.colour, marker="o", markersize=3)
        axes.plot(size.densities, drift[schedule.key], color="#888888", linewidth=1, linestyle=":", label="drift")
        axes.set(title=schedule.label.replace(", ", ",\n"), xlabel="density", ylim=(0, 1.02))
    row[0].set_ylabel("order index")
    row[0].legend()
    return figure


EXPERIMENT = Experiment("collective", "A collective of persistent cells", CLAIMS, SIZES, plan, evaluate)
