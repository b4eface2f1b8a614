"""A collective of persistent cells (Fig. 5C): do dense cells come to move together?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np

from experiments.claims import Claim, Experiment, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import order_index
from experiments.pieces import Piece, Results
from experiments.schedules import LARGE_3D, RARE, SERIAL, SMALL, TILES, in_words, simulation

COMPARED = (SERIAL, SMALL, RARE, LARGE_3D, TILES)
INTERVAL = 15  # MCS over which a direction is taken: the model's own dt
SAMPLES = 4  # of the order index, the last ones

CLAIMS = (
    Claim("transition", "5C", "In the serial chain sparse cells move at random and dense ones together, with a "
                              "sharp rise of the order index near a density of 0.5."),
    Claim("small", "5C", "With changed update statistics the transition disappears (here: regions of one site)."),
    Claim("rare", "5C", "The same with regions that are switched rarely."),
    Claim("large", "5C", "It appears again where update statistics are preserved (large regions, frequent switching)."),
    Claim("tiles", "5C", "The same of our own schedule, `tiles`."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    densities: tuple[float, ...]
    runs: int
    mcs: int


SIZES = {
    "tiny": Size(16, (0.3, 0.8), 2, 60),
    "short": Size(32, (0.2, 0.35, 0.45, 0.55, 0.65, 0.8), 2, 2000),
    "full": Size(64, (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9), 5, 2000),
}


def move(lattice: int, density: float, mcs: int, schedule: dict, seed: int) -> dict:
    """The order index over the last intervals of a run."""
    model = kiln.Model(MODELS / "collective.toml",
                       {"lattice.size": [lattice] * 3, "initial.0.density": density})
    sim = simulation(model, schedule, seed)
    sim.run(mcs - SAMPLES * INTERVAL, progress=False)
    places = [sim.cells.position[1:]]
    for _ in sim.steps(SAMPLES * INTERVAL, every=INTERVAL, progress=False):
        places.append(sim.cells.position[1:])
    return {"order": np.array([order_index(a, b) for a, b in zip(places, places[1:])]), "cells": len(sim.cells)}


def _name(schedule, density: float, run: int) -> str:
    return f"{schedule.key}-density{density}-run{run}"


def plan(size: Size) -> list[Piece]:
    return [Piece(_name(schedule, density, run), move, {"lattice": size.lattice, "density": density, "mcs": size.mcs,
                                                        "schedule": schedule.settings, "seed": run},
                  cost=size.lattice**3 * size.mcs * (2.5e-8 + 4e-8 * density))
            for schedule in COMPARED for density in size.densities for run in range(1, size.runs + 1)]


def _order(size: Size, results: Results) -> dict[str, np.ndarray]:
    """By schedule, of shape (runs, densities)."""
    return {schedule.key: np.array([[results[_name(schedule, density, run)]["order"].mean()
                                     for density in size.densities] for run in range(1, size.runs + 1)])
            for schedule in COMPARED}


def evaluate(size: Size, results: Results) -> Outcome:
    order = _order(size, results)
    return Outcome(
        setup=f"A periodic box of {size.lattice}^3 sites, seeds at a density of {size.densities[0]} to "
              f"{size.densities[-1]}; V 150, perimeter 1500, persistence 40, mu 0.95, dt 15, T 20; {size.runs} "
              f"runs of {size.mcs} MCS each; order index of the directions over {INTERVAL} MCS, mean of the last "
              f"{SAMPLES}. Regions of one site: {in_words(SMALL.board)}; rare switching: {in_words(RARE.board)}; "
              f"large regions: {in_words(LARGE_3D.board)}.",
        findings=_findings(size, order),
        tables={"order": pd.DataFrame([(key, density, run + 1, values[run, i]) for key, values in order.items()
                                       for i, density in enumerate(size.densities) for run in range(size.runs)],
                                      columns=["schedule", "density", "run", "order_index"])},
        figures={"collective": _figure(size, order)},
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


def _findings(size: Size, order: dict[str, np.ndarray]) -> list:
    first, last = size.densities[0], size.densities[-1]
    rise = {key: values.mean(axis=0)[-1] - values.mean(axis=0)[0] for key, values in order.items()}
    crossing = {key: _crossing(size.densities, values) for key, values in order.items()}

    def told(key: str) -> str:
        mean, sd = order[key].mean(axis=0), order[key].std(axis=0, ddof=1)
        text = (f"order index {mean[0]:.2f} ± {sd[0]:.2f} at a density of {first}, {mean[-1]:.2f} ± {sd[-1]:.2f} "
                f"at {last}")
        if crossing[key] is not None and rise[key] > 0.3:
            text += f", half-way at {crossing[key]:.2f}"
        return text if key == "serial" else f"{text} (serial {_ends(order['serial'])})"

    near = crossing["serial"] is not None and 0.4 <= crossing["serial"] <= 0.6
    kept = ("The collective still orders itself: what this setting changes in the statistics matters less here than "
            "in the paper, whose settings are not printed.")
    return [
        judge("transition", rise["serial"] > 0.5 and near, told("serial"), in_part=rise["serial"] > 0.3,
              cause="The order rises with density, but not as sharply, or not there, in a box this small."),
        *(judge(key, rise[key] < 0.5 * rise["serial"], told(key), in_part=rise[key] < 0.8 * rise["serial"], cause=kept)
          for key in ("small", "rare")),
        *(judge(key, abs(rise[key] - rise["serial"]) < 0.2, told(key), in_part=rise[key] > 0.5 * rise["serial"])
          for key in ("large", "tiles")),
    ]


def _ends(order: np.ndarray) -> str:
    mean = order.mean(axis=0)
    return f"{mean[0]:.2f} and {mean[-1]:.2f}"


def _figure(size: Size, order: dict[str, np.ndarray]):
    figure, (row,) = plots.panels(len(COMPARED), width=2.6)
    for axes, schedule in zip(row, COMPARED):
        if schedule is not SERIAL:
            axes.plot(size.densities, order["serial"].mean(axis=0), color=SERIAL.colour, linewidth=0.8, linestyle="--")
        plots.band(axes, np.array(size.densities), order[schedule.key], color=schedule.colour, marker="o", markersize=3)
        axes.set(title=schedule.label.replace(", ", ",\n"), xlabel="density", ylim=(0, 1.02))
    row[0].set_ylabel("order index")
    return figure


EXPERIMENT = Experiment("collective", "A collective of persistent cells", CLAIMS, SIZES, plan, evaluate)
