"""Two programs that play one model: what is measured of their runs, and when they are said to differ."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from experiments.lazy import plots, stats
from experiments.measures import centroids, order_index, perimeters, shortest_way, volumes

MEASURES = {
    "cells": "cells that are there",
    "volume_mean": "sites, mean over cells",
    "volume_sd": "sites, sd over cells",
    "perimeter_mean": "pairs of sites, mean over cells",
    "perimeter_sd": "pairs of sites, sd over cells",
    "displacement": "sites in an interval, mean over cells",
    "order_index": "of the directions in an interval",
}
FALSE_ALARMS = 0.01  # of the whole comparison
ROUNDING = 1e-12  # relative, more than sums over cells have
FEWEST_RUNS = 4  # with fewer, numbers that are nearly always the same could differ by chance


@dataclass(frozen=True)
class Space:
    """`size` and `periodic` are of x, y and z; an array's axes are the other way around."""

    size: Sequence[int]
    periodic: Sequence[bool]
    neighbourhood: str | int  # of perimeters

    def steps(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """The shortest way of each cell: all that two states tell of it."""
        steps = after - before
        for axis, (length, wraps) in enumerate(zip(self.size, self.periodic)):
            if wraps:
                steps[:, axis] = shortest_way(steps[:, axis], length)
        return steps


@dataclass(frozen=True)
class Tissue:
    """Of the cells that are compared: frozen ones are not."""

    volume: np.ndarray
    perimeter: np.ndarray
    position: np.ndarray

    @classmethod
    def of_lattice(cls, lattice: np.ndarray, cells: np.ndarray, count: int, space: Space) -> Tissue:
        periodic = space.periodic[::-1]
        return cls(volumes(lattice, count)[cells], perimeters(lattice, count, periodic, space.neighbourhood)[cells],
                   centroids(lattice, count, periodic)[cells])


def measured(before: Tissue, now: Tissue, space: Space) -> list[float]:
    """The values of MEASURES, NaN where there are too few cells for one."""
    there = now.volume > 0
    volume, perimeter = now.volume[there], now.perimeter[there]
    steps = space.steps(before.position, now.position)[there & (before.volume > 0)]
    moved = np.any(steps != 0, axis=1)
    return [float(there.sum()), _mean(volume), _sd(volume), _mean(perimeter), _sd(perimeter),
            _mean(np.linalg.norm(steps, axis=1)),
            order_index(np.zeros_like(steps[moved]), steps[moved]) if moved.any() else np.nan]


def _mean(values: np.ndarray) -> float:
    return float(np.mean(values)) if len(values) else np.nan


def _sd(values: np.ndarray) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else np.nan


@dataclass(frozen=True)
class Row:
    """One measure at one time. `half_width` is that of an interval that misses the true difference as rarely as a test
    gives a false alarm."""

    mcs: int
    measure: str
    kiln_mean: float
    kiln_sd: float
    other_mean: float
    other_sd: float
    difference: float
    half_width: float
    p: float
    differs: bool

    @property
    def scale(self) -> float:
        """What makes percent of a difference; NaN where Kiln's mean is 0."""
        return 100 / abs(self.kiln_mean) if self.kiln_mean else np.nan


def rule(times: int, runs: int) -> str:
    tests = times * len(MEASURES)
    return (f"Rule, fixed before the first run: {len(MEASURES)} measures at {times} times are {tests} comparisons, "
            f"each a two-sided Welch t-test over {runs} runs a side at a level of {FALSE_ALARMS:.0%} / {tests}. If both "
            f"programs play the same model, the chance that any of them finds a difference is about {FALSE_ALARMS:.0%} "
            "or less.")


def compare(kilns: np.ndarray, others: np.ndarray, times: Sequence[int]) -> list[Row]:
    """Values of the shape (runs, times, measures). What is undefined in a run is not compared."""
    level = FALSE_ALARMS / (len(times) * len(MEASURES))
    return [_row(mcs, measure, kilns[:, i, j], others[:, i, j], level)
            for j, measure in enumerate(MEASURES) for i, mcs in enumerate(times)]


def _row(mcs: int, measure: str, kilns: np.ndarray, others: np.ndarray, level: float) -> Row:
    difference, half_width, p = welch(kilns, others, level)
    return Row(mcs, measure, float(kilns.mean()), float(kilns.std(ddof=1)), float(others.mean()),
               float(others.std(ddof=1)), difference, half_width, p, p < level)


def welch(first: np.ndarray, second: np.ndarray, level: float) -> tuple[float, float, float]:
    """The difference of means, the half width of its interval, and p. Variances need not be equal."""
    difference = float(second.mean() - first.mean())
    if np.isnan(difference):
        return np.nan, np.nan, np.nan
    # Values that are all the same but for rounding have no variance, and are no different: the order of one cell is 1.
    rounding = ROUNDING * float(np.abs(np.concatenate([first, second])).max())
    squared = [float(np.var(v, ddof=1)) / len(v) if np.ptp(v) > rounding else 0.0 for v in (first, second)]
    error = np.sqrt(sum(squared))
    if error == 0:
        return difference, 0.0, 1.0 if abs(difference) <= rounding else 0.0
    degrees = sum(squared) ** 2 / sum(s**2 / (len(v) - 1) for s, v in zip(squared, (first, second)))
    return (difference, float(stats.t.isf(level / 2, degrees) * error),
            float(2 * stats.t.sf(abs(difference) / error, degrees)))


def table(rows: Sequence[Row]) -> str:
    """A line per measure: the last time in numbers, all of them in the verdict."""
    lines = [f"{'measure':<15} {'Kiln':>19} {'the other':>19} {'difference':>20}   verdict"]
    for measure in MEASURES:
        mine = [row for row in rows if row.measure == measure]
        last, found = mine[-1], [row for row in mine if row.differs]
        if found:
            most = max(found, key=lambda row: abs(row.difference))
            verdict = f"differs at {len(found)} of {len(mine)} times, most at {most.mcs} MCS: {_told(most)}"
        else:
            verdict = "agrees" if any(row.p >= 0 for row in mine) else "undefined"
        lines.append(f"{measure:<15} {_with_sd(last.kiln_mean, last.kiln_sd):>19} "
                     f"{_with_sd(last.other_mean, last.other_sd):>19} {_told(last):>20}   {verdict}")
    return "\n".join(lines)


def _with_sd(mean: float, sd: float) -> str:
    return "-" if np.isnan(mean) else f"{mean:.5g} ± {sd:.2g}"


def _told(row: Row) -> str:
    if np.isnan(row.difference):
        return "-"
    if np.isnan(row.scale):
        return f"{row.difference:+.3g} ± {row.half_width:.2g}"
    return f"{row.difference * row.scale:+.2f} ± {row.half_width * row.scale:.2f}%"


def comparison_csv(rows: Sequence[Row]) -> str:
    head = ["mcs", "measure", "kiln_mean", "kiln_sd", "other_mean", "other_sd", "difference", "half_width",
            "difference_percent", "half_width_percent", "p", "differs"]
    return _csv(head, ([row.mcs, row.measure, row.kiln_mean, row.kiln_sd, row.other_mean, row.other_sd, row.difference,
                        row.half_width, row.difference * row.scale, row.half_width * row.scale, row.p,
                        int(row.differs)] for row in rows))


def runs_csv(values: dict[str, np.ndarray], seeds: Sequence[int], times: Sequence[int]) -> str:
    return _csv(["program", "seed", "mcs", *MEASURES],
                ([program, seed, mcs, *found[run, i]] for program, found in values.items()
                 for run, seed in enumerate(seeds) for i, mcs in enumerate(times)))


def _csv(head: Sequence[str], rows: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([f"{v:.8g}" if isinstance(v, float) and not np.isnan(v) else "" if v != v else v for v in row]
                     for row in rows)
    return text.getvalue()


def figure(values: dict[str, np.ndarray], times: Sequence[int]) -> bytes:
    """A panel per measure: means over runs and one standard deviation around them, as a PNG."""
    drawn, axes = plots.panels(4, 2)
    for j, (measure, unit) in enumerate(MEASURES.items()):
        panel = axes.flat[j]
        for (program, found), colour in zip(values.items(), ("#1d7874", "#c1121f")):
            plots.band(panel, np.array(times), found[:, :, j], color=colour, label=program, marker="o", markersize=3)
        panel.set(title=measure.replace("_", " "), xlabel="time (MCS)", ylabel=unit)
    for panel in axes.flat[len(MEASURES):]:
        panel.axis("off")
    axes.flat[-1].legend(*axes.flat[0].get_legend_handles_labels(), loc="center")
    return plots.png(drawn)
