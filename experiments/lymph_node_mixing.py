"""A lymph node of 1 mm (Fig. 9): how two halves mix, and over what distance cells go the same way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Outcome, judge, untested
from experiments.lazy import pd, plots, special
from experiments.pieces import GPU_SHARES, Piece, Results
from experiments.tissue import DISTANCES, LARGE_CELLS, LARGE_LATTICE

ADHESIONS = {-800: ("high adhesion", "#c1121f"), 0: ("low adhesion", "#222222")}
INTERVALS = (30, 60, 120)  # s, over which directions are taken
GAP, WIDE_GAP = 0.15, 0.3  # of two curves of the mixed share
HALF_SOONEST, HALF_LATEST = 30, 90  # minutes
LEAST_NEAR, MOST_NEAR = 0.02, 0.5  # correlation of neighbours
MOST_FAR, FAR_IN_PART = 0.05, 0.15

CLAIMS = (
    Claim("similar", "9C", "High and low adhesion to stroma mix about as fast, high a little more slowly.",
          f"The shares of cells that touch the other half, means over runs, are never more than {100 * GAP:.0f} points "
          f"apart; in part: never more than {100 * WIDE_GAP:.0f}."),
    Claim("hour", "9C", "In a node of 1 mm half of the cells touch one of the other half after about an hour.",
          f"Half are mixed after {HALF_SOONEST} to {HALF_LATEST} minutes in every run, by contact; in part: by "
          f"centroids within one of {', '.join(map(str, DISTANCES))} µm. Judged at 1 mm only."),
    Claim("near", "9D", "Neighbouring cells go a little the same way.",
          f"The correlation of directions of cells one to two widths apart lies between {LEAST_NEAR} and {MOST_NEAR} "
          f"at both adhesions, over each of {', '.join(map(str, INTERVALS))} s; in part: over one of them."),
    Claim("far", "9D", "Over longer distances directions are not correlated, whatever the adhesion.",
          f"Beyond half of the largest distance, the correlation is below {MOST_FAR} at both adhesions, over each of "
          f"{', '.join(map(str, INTERVALS))} s; in part: below {FAR_IN_PART}."),
)


@dataclass(frozen=True)
class Size:
    model: str
    lattice: int
    cells: int
    minutes: int
    runs: int
    whole_lattice: int  # of the runs with connectivity, and of one beside each without
    engine: str = "threads"


SIZES = {
    "tiny": Size("lymph-node.toml", 40, tissue.cells_in(40), 4, 2, 32),
    "short": Size("lymph-node.toml", 72, tissue.cells_in(72), 30, 2, 56),
    "full": Size("large/lymph-node-1mm.toml", LARGE_LATTICE, LARGE_CELLS, 150, 3, 384, "cuda"),
}


def mix(model: str, lattice: int, cells: int, stroma_j: int, kind: str, minutes: int, seed: int, engine: str,
        folder: Path) -> dict:
    """Mixed shares over time, by contact and by centroids; directions by distance, over each interval."""
    run = tissue.run(model, {**tissue.node(lattice, cells, stroma_j, kind), "phases.1.mcs": 60 * minutes,
                             "measure.every": 120, "measure.cells_every": min(600, 30 * minutes),
                             "measure.one_cell_in": max(1, cells // 1000), "measure.mixed_within_um": list(DISTANCES),
                             "measure.speed_interval_s": list(INTERVALS), "output.checkpoint_every": 0},
                     seed, engine, folder)
    rows, lags, followed = (run.table(name) for name in ("measures", "lags", "cells"))
    late = np.argmin(np.abs(lags["lag_s"] - 20 * minutes))  # a third of the time
    directions = {f"{name}_{interval}": values for interval in INTERVALS
                  for name, values in mean_directions(run.table("direction_correlation"), interval).items()}
    return {"minutes": rows["t_min"] - rows["t_min"][0], "mixed": rows["mixed_fraction"],
            **{f"mixed_{um}": rows[f"mixed_within_{um}_um"] for um in DISTANCES}, **directions,
            "speed": run.motility()["speed_mean_um_per_min"],
            "diffusion": (lags["msd_um2"] / (6 * lags["lag_s"] / 60))[late],  # µm²/min
            "contacts": followed["neighbours"].mean(), "seconds": run.record()["seconds"]}


def mean_directions(seen: Mapping[str, np.ndarray], interval: float) -> dict[str, np.ndarray]:
    """By distance, means over all times: correlations weighted by pairs of cells, the rest not."""
    seen = {name: values[seen["interval_s"] == interval] for name, values in seen.items()}
    there = ~np.isnan(seen["correlation"])
    distance, which = np.unique(seen["low_um"][there], return_inverse=True)

    def mean(name: str, weight: np.ndarray) -> np.ndarray:
        return np.bincount(which, weight * seen[name][there]) / np.bincount(which, weight)

    same = np.ones(there.sum())
    return {"distance": distance, "correlation": mean("correlation", seen["pairs"][there]),
            **{name: mean(name, same) for name in ("high_um", "cells_within", "order_index", "order_null")}}


def _name(lattice: int, kind: str, stroma_j: int, seed: int) -> str:
    return f"{kind}{lattice}-stroma{stroma_j}-run{seed}"


def _beside(size: Size) -> list[tuple[int, str, int]]:
    """Lattices, connectivity and seeds."""
    runs = [(size.lattice, "free", seed) for seed in range(1, size.runs + 1)]
    return runs + [(size.whole_lattice, kind, 1) for kind in tissue.CONNECTIVITY]


def plan(size: Size) -> list[Piece]:
    def piece(lattice: int, kind: str, stroma_j: int, seed: int) -> Piece:
        large = lattice == size.lattice
        settings = {"model": size.model if large else "lymph-node.toml", "lattice": lattice,
                    "cells": size.cells if large else tissue.cells_in(lattice), "stroma_j": stroma_j, "kind": kind,
                    "minutes": size.minutes, "seed": seed, "engine": size.engine}
        return Piece(_name(lattice, kind, stroma_j, seed), mix, settings, resumes=True, **_cost(settings))

    return [piece(lattice, kind, j, seed) for lattice, kind, seed in _beside(size) for j in ADHESIONS]


def _cost(settings: Mapping) -> dict:
    """For a piece. An H200 takes 36 ms per MCS of 1 mm, and two runs share it, so that one plays while another starts
    or writes its files; together they are as fast as one after the other."""
    attempts = 60 * settings["minutes"] * settings["lattice"] ** 3
    if settings["engine"] == "cuda":
        return {"cost": 2 * (5 + attempts * 3.3e-11), "gpu": GPU_SHARES // 2}
    return {"cost": attempts * 1e-7}


def half_time(minutes: np.ndarray, share: np.ndarray) -> float | None:
    """When the share first is a half."""
    above = np.flatnonzero(share >= 0.5)
    if not len(above):
        return None
    last = above[0]
    if last == 0:
        return float(minutes[0])
    return float(np.interp(0.5, share[last - 1: last + 1], minutes[last - 1: last + 1]))


def expected_mixing(diffusion: float, contacts: float, radius: float, minutes: np.ndarray) -> np.ndarray:
    """Of cells that walk at random (µm²/min) from two halves of a ball (µm), each with so many others around it, drawn
    from those that are at its distance from the middle plane by then."""
    at = np.linspace(-radius, radius, 2001)
    area = radius**2 - at**2
    shares = []
    for t in np.maximum(minutes, 1e-9):
        other = 0.5 * special.erfc(-at / (2 * np.sqrt(diffusion * t)))  # share of the upper half's cells there
        own = area * (1 - other)
        shares.append(np.sum(own * (1 - (1 - other) ** contacts)) / np.sum(own))
    return np.array(shares)


class _Found:
    """Runs by adhesion."""

    def __init__(self, size: Size, results: Results):
        self.size, self._results = size, results

    def runs(self, stroma_j: int) -> Sequence[Mapping]:
        return [self._results[_name(self.size.lattice, "free", stroma_j, seed)]
                for seed in range(1, self.size.runs + 1)]

    def small(self, stroma_j: int, kind: str) -> Mapping:
        return self._results[_name(self.size.whole_lattice, kind, stroma_j, 1)]

    def mean(self, stroma_j: int, what: str) -> np.ndarray:
        return np.mean([run[what] for run in self.runs(stroma_j)], axis=0)

    def half_times(self, stroma_j: int, what: str) -> list[float | None]:
        return [half_time(run["minutes"], run[what]) for run in self.runs(stroma_j)]


def evaluate(size: Size, results: Results) -> Outcome:
    found = _Found(size, results)
    return Outcome(
        setup=f"A ball of {size.lattice - tissue.SHELL} µm with {size.cells:,} cells and generated stroma, "
              f"{size.minutes} minutes, J with stroma {' and '.join(map(str, ADHESIONS))}, {size.runs} runs each; "
              "lambda_act 2600, Max 10. Mixed: the share of one half's cells that touch one of the other, or have the "
              f"centroid of one within {', '.join(map(str, DISTANCES))} µm. Directions over "
              f"{', '.join(map(str, INTERVALS))} s. Beside it balls of {size.whole_lattice - tissue.SHELL} µm, one run "
              f"each without connectivity, with a penalty of {tissue.PENALTY} on copies that split a cell, and with "
              "the hard rule.",
        findings=_findings(found),
        tables={"mixing": _mixing_table(found), "directions": _directions_table(found)},
        figures={"lymph_node_mixing": _figure(found)},
        notes=[_order_note(found)],
    )


def _all_kinds(found: _Found):
    """(J, name of the kind, its runs)"""
    for j in ADHESIONS:
        yield j, "", found.runs(j)
        for kind in tissue.CONNECTIVITY:
            yield j, f"small, {kind}", [found.small(j, kind)]


def _mixing_table(found: _Found) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"j_stroma": j, "kind": kind, "run": number, "minutes": run["minutes"],
                                    "contact": run["mixed"],
                                    **{f"within_{um}_um": run[f"mixed_{um}"] for um in DISTANCES}})
                      for j, kind, runs in _all_kinds(found) for number, run in enumerate(runs, 1)])


def _directions_table(found: _Found) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"j_stroma": j, "kind": kind, "run": number, "interval_s": interval,
                                    "low_um": run[f"distance_{interval}"],
                                    **{name: run[f"{name}_{interval}"] for name in
                                       ("high_um", "correlation", "cells_within", "order_index", "order_null")}})
                      for j, kind, runs in _all_kinds(found) for number, run in enumerate(runs, 1)
                      for interval in INTERVALS])


def _span(times: Sequence[float | None], minutes: int) -> str:
    """In words: after 112 to 116 min."""
    if any(time is None for time in times):
        return f"not within {minutes} min"
    low, high = (f"{end:.0f}" for end in (min(times), max(times)))
    return f"after {low}{f' to {high}' if high != low else ''} min"


def _findings(found: _Found) -> list[Finding]:
    return [_similar(found), _hour(found), _near(found), _far(found)]


def _similar(found: _Found) -> Finding:
    high, low = (found.mean(j, "mixed") for j in ADHESIONS)
    gap = np.abs(high - low).max()
    small = [" against ".join(f"{100 * found.small(j, kind)['mixed'][-1]:.0f}%" for j in ADHESIONS) + f" {how}"
             for kind, how in (("free", "without connectivity"), ("penalty", "with a penalty on splitting"),
                               ("hard", "with the hard rule"))]
    speeds = " and ".join(f"{found.mean(j, 'speed'):.1f} µm/min at J {j}" for j in ADHESIONS)
    return Finding("similar", kiln=judge(
        gap < GAP,
        f"{100 * high[-1]:.0f}% at J {list(ADHESIONS)[0]} against {100 * low[-1]:.0f}% at {list(ADHESIONS)[1]} after "
        f"{found.size.minutes} minutes, at most {100 * gap:.1f} points apart; in the smaller ball {', '.join(small)}",
        in_part=gap < WIDE_GAP, cause=f"Adhesion slows cells: {speeds} over {INTERVALS[-1]} s."))


def _hour(found: _Found) -> Finding:
    times = {what: [t for j in ADHESIONS for t in found.half_times(j, what)]
             for what in ("mixed", *(f"mixed_{um}" for um in DISTANCES))}
    told = (f"half mixed by contact {_span(times['mixed'], found.size.minutes)}, "
            + ", ".join(f"by centroids within {um} µm {_span(times[f'mixed_{um}'], found.size.minutes)}"
                        for um in DISTANCES))
    if found.size.lattice != LARGE_LATTICE:
        return Finding("hour", kiln=untested(f"A ball of {found.size.lattice - tissue.SHELL} µm mixes sooner than one "
                                             "of 1 mm.", told))

    def about_an_hour(what: str) -> bool:
        return all(t is not None and HALF_SOONEST <= t <= HALF_LATEST for t in times[what])

    return Finding("hour", kiln=judge(about_an_hour("mixed"), told,
                                      in_part=any(about_an_hour(f"mixed_{um}") for um in DISTANCES),
                                      cause=_spreading(found)))


def _spreading(found: _Found) -> str:
    """What a random walk with the measured coefficient would do."""
    low = list(ADHESIONS)[-1]
    diffusion, contacts = (float(found.mean(low, what)) for what in ("diffusion", "contacts"))
    minutes = found.runs(low)[0]["minutes"]
    expected = expected_mixing(diffusion, contacts, (found.size.lattice - tissue.SHELL) / 2, minutes)
    gap = np.abs(expected - found.mean(low, "mixed")).max()
    times = found.half_times(low, "mixed")
    text = (f"Cells spread with {diffusion:.0f} µm²/min, and have {contacts:.1f} others around them (measured at J "
            f"{low}): a random walk with these numbers mixes as fast, to {100 * gap:.0f} points. ")
    if all(t is not None for t in times):
        text += (f"To be half mixed by contact after an hour they would have to spread {np.mean(times) / 60:.1f} "
                 "times as fast. ")
    return text + "The paper's scheme spreads them no faster (emulated). It prints no definition of a neighbour."


def _near_values(found: _Found) -> dict[tuple[int, int], float]:
    """By J and interval. Bins are as wide as a cell, so that the second holds the neighbours."""
    values = {}
    for j in ADHESIONS:
        for interval in INTERVALS:
            distance = found.runs(j)[0][f"distance_{interval}"]
            values[j, interval] = float(found.mean(j, f"correlation_{interval}")[distance > 0][0])
    return values


def _by_interval(values: Mapping[tuple[int, int], float]) -> str:
    return "; ".join(f"{', '.join(f'{values[j, interval]:.3f}' for interval in INTERVALS)} ({name})"
                     for j, (name, _) in ADHESIONS.items())


def _near(found: _Found) -> Finding:
    values = _near_values(found)

    def is_weak(interval: int) -> bool:
        return all(LEAST_NEAR < values[j, interval] < MOST_NEAR for j in ADHESIONS)

    return Finding("near", kiln=judge(
        all(is_weak(interval) for interval in INTERVALS),
        f"{_by_interval(values)} between neighbours over {', '.join(map(str, INTERVALS))} s",
        in_part=any(is_weak(interval) for interval in INTERVALS),
        cause="In the bulk there is none: not in the serial chain, nor in the paper's scheme (emulated). A closed "
              "ball of 96 µm has 0.03, 0.05 and 0.12 over 60, 120 and 240 s, from its wall. An order index of a few "
              "cells is far above 0 without any correlation (below)."))


def _far(found: _Found) -> Finding:
    values = {}
    for j in ADHESIONS:
        for interval in INTERVALS:
            distance = found.runs(j)[0][f"distance_{interval}"]
            correlation = found.mean(j, f"correlation_{interval}")
            values[j, interval] = float(np.abs(correlation[distance >= 0.5 * distance.max()]).max())
    most = max(values.values())
    return Finding("far", kiln=judge(
        most < MOST_FAR, f"at most {_by_interval(values)} beyond {0.5 * distance.max():.0f} µm over "
        f"{', '.join(map(str, INTERVALS))} s", in_part=most < FAR_IN_PART,
        cause="In a ball this small most cells are near its wall, and a wall orders them: a closed ball of 96 µm has "
              "0.03, 0.05 and 0.12 between neighbours over 60, 120 and 240 s, the bulk none."))


def _order_note(found: _Found) -> str:
    """Beside what independent cells would have."""
    low, interval = list(ADHESIONS)[-1], INTERVALS[-1]
    radius, cells, order, null = (found.mean(low, f"{name}_{interval}")
                                  for name in ("high_um", "cells_within", "order_index", "order_null"))
    told = ", ".join(f"{order[i]:.3f} ({null[i]:.3f}) within {radius[i]:.0f} µm, {cells[i]:.0f} cells"
                     for i in sorted({min(1, len(radius) - 1), len(radius) // 2, len(radius) - 1}))
    return (f"Order index of the cells around a cell, over {interval} s at J {low}, and in brackets that of as many "
            f"cells with independent directions: {told}.")


def _figure(found: _Found):
    figure, (row,) = plots.panels(4, width=3.1)
    low = list(ADHESIONS)[-1]
    for j, (label, colour) in ADHESIONS.items():
        minutes = found.runs(j)[0]["minutes"]
        plots.band(row[0], minutes, 100 * np.array([run["mixed"] for run in found.runs(j)]), color=colour, label=label)
        for interval, style in zip(INTERVALS, (":", "--", "-")):
            row[2].plot(found.runs(j)[0][f"distance_{interval}"], found.mean(j, f"correlation_{interval}"), style,
                        color=colour, label=f"{interval} s" if j == low else None)
    expected = expected_mixing(float(found.mean(low, "diffusion")), float(found.mean(low, "contacts")),
                               (found.size.lattice - tissue.SHELL) / 2, minutes)
    row[0].plot(minutes, 100 * expected, color="#4f7cac", linestyle="--", linewidth=1, label="random walk")
    row[0].set(title="mixing by contact", xlabel="minutes", ylabel="% that touch the other half", ylim=(0, 100))
    for um, colour in zip(DISTANCES, plots.shades(len(DISTANCES))):
        row[1].plot(minutes, 100 * found.mean(low, f"mixed_{um}"), color=colour, label=f"within {um} µm")
    row[1].plot(minutes, 100 * found.mean(low, "mixed"), color="#222222", label="contact")
    row[1].set(title="by centroids, low adhesion", xlabel="minutes", ylabel="% mixed", ylim=(0, 100))
    for axes in row[:2]:
        axes.axhline(50, color="#888888", linewidth=0.8, linestyle=":")
        axes.legend(fontsize=6)
    row[2].axhline(0, color="#888888", linewidth=0.8)
    row[2].set(title="correlation of directions", xlabel="distance (µm)", ylim=(-0.1, 0.5))
    row[2].legend(fontsize=6)
    interval = INTERVALS[-1]
    radius = found.mean(low, f"high_um_{interval}")
    row[3].plot(radius, found.mean(low, f"order_index_{interval}"), "o-", color="#222222", markersize=3, label="cells")
    row[3].plot(radius, found.mean(low, f"order_null_{interval}"), "--", color="#c1121f", label="independent")
    row[3].set(title=f"order index, {interval} s", xlabel="radius (µm)", ylim=(0, 1))
    row[3].legend(fontsize=6)
    return figure


EXPERIMENT = Experiment("lymph_node_mixing", "T cells in a lymph node: mixing", CLAIMS, SIZES, plan, evaluate)
