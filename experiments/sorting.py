"""Cell sorting (Fig. 4, Supplementary Fig. 1): does a parallel schedule sort as the serial chain does?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np

from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import interfaces, two_way_anova
from experiments.pieces import Piece, Results
from experiments.schedules import (SERIAL, TILES, board_schedule, checkerboard, different, grid_of_boards, in_words,
                                   simulation)

MUTEX = board_schedule("mutex", "checkerboard, mutex", "#c1121f", checkerboard(2, 4, 1, conflict="mutex"))
ATOMIC = board_schedule("atomic", "checkerboard, atomic", "#5c7fa3", checkerboard(2, 4, 1))
# What the paper's software was seen to do (docs/replayed-random-numbers.md): no barriers, and a fault.
FREE = board_schedule("free", "atomic, no barriers", "#9a8c98", checkerboard(2, 4, 1, barriers="none"))
REPLAYED = board_schedule("replayed", "atomic, replayed numbers", "#e09f3e", checkerboard(2, 4, 1, reseed="launch"))
COMPARED = (SERIAL, MUTEX, ATOMIC, TILES)
BESIDE = (FREE, REPLAYED)  # to find causes
STARVED, AS_FAST = 0.5, 0.1  # of the serial drop: what is reached, and what it may differ by
SIGNIFICANT = 0.05
# Heterotypic shares after 0 and 100,000 MCS on 256 x 256 sites: the paper's software on an H200, one run each.
THEIR_MUTEX, THEIR_ATOMIC = (0.348, 0.063), (0.345, 0.077)
THEIR_FREE_MUTEX = (0.341, 0.254)

CLAIMS = (
    Claim("mutex", "4", "One accepted copy per cell at a time (mutex) starves the simulation: it hardly sorts.",
          f"Holds where the share of heterotypic interfaces falls by less than {STARVED:.0%} of what it falls by in the "
          f"serial chain; in part below {1 - AS_FAST:.0%}."),
    Claim("atomic", "4", "With atomic updates a parallel run sorts as fast as the serial chain.",
          f"Holds where that share falls by the same as in the serial chain, to within {AS_FAST:.0%}; in part to within "
          f"{3 * AS_FAST:.0%}."),
    Claim("settings", "S1", "The error is low whatever the size of regions and the switching frequency, with no "
                            "significant difference between settings (two-way ANOVA, p = 0.43).",
          f"Holds where all three p are above {SIGNIFICANT}; in part where the mean error of no setting is twice that of "
          "another."),
)


@dataclass(frozen=True)
class Size:
    lattice: int  # sites a side; a multiple of all blocks
    radius: int  # of the aggregate
    times: tuple[int, ...]
    runs: int
    regions: tuple[int, ...]  # of the settings that are compared; blocks are twice as wide, at least 4 sites
    rarities: int  # of switching; see grid_of_boards
    settings_times: tuple[int, ...]


SIZES = {
    "tiny": Size(64, 24, (0, 1, 10, 100), 2, (2, 4), 3, (0, 1, 10)),
    "short": Size(192, 75, (0, 1, 10, 100, 1000, 10000), 5, (2, 4, 8), 3, (0, 1, 10, 100, 1000)),
    "full": Size(192, 75, (0, 1, 10, 100, 1000, 10000, 100000), 5, (2, 4, 8), 3,
                 (0, 1, 10, 100, 1000, 10000, 100000)),
}


def sort(lattice: int, radius: int, times: list, schedule: dict, seed: int) -> dict:
    """Interfaces at each time, and the share of attempts accepted. The mixture is the same for all."""
    model = kiln.Model(MODELS / "sorting.toml", {"lattice.size": [lattice, lattice], "initial.0.region.radius": radius})
    start = kiln.Simulation(model, record=False)
    sim = simulation(model, schedule, seed)
    with sim.edit() as edit:
        edit.lattice = start.lattice
        for cell, kind in enumerate(start.cells.type[1:], 1):
            edit.set_type(cell, model.types[kind])
    seen = []
    for time in times:
        sim.run(time - sim.mcs, progress=False)
        seen.append(interfaces(sim.lattice, sim.cells.type))
    return {"interfaces": np.array(seen), "accepted": sim.counts["accepted"] / max(1, sim.counts["attempts"])}


def _settings(size: Size) -> dict:
    return grid_of_boards(size.regions, 2, size.rarities)


def plan(size: Size) -> list[Piece]:
    def pieces(schedules, times):
        return [Piece(f"{schedule.key}-{times[-1]}-run{run}", sort,
                      {"lattice": size.lattice, "radius": size.radius, "times": list(times),
                       "schedule": schedule.settings, "seed": run}, cost=size.lattice**2 * times[-1] * 2.5e-8)
                for schedule in schedules for run in range(1, size.runs + 1)]

    return pieces(COMPARED + BESIDE, size.times) + pieces(different(_settings(size)), size.settings_times)


def _curves(results: Results, schedule, times, runs: int) -> np.ndarray:
    """Heterotypic share of all interfaces between cells, of shape (runs, times)."""
    counts = np.stack([results[f"{schedule.key}-{times[-1]}-run{run}"]["interfaces"] for run in range(1, runs + 1)])
    return counts[:, :, 1] / counts.sum(axis=2)


def _errors(size: Size, results: Results, points: int) -> np.ndarray:
    """Root mean square differences to the mean serial curve, over so many times, of shape (regions, switches, runs)."""
    serial = _curves(results, SERIAL, size.times, size.runs)[:, :points].mean(axis=0)
    boards = _settings(size)
    return np.array([[np.sqrt(np.mean((_curves(results, boards[region, rarity], size.settings_times, size.runs)[:, :points]
                                       - serial) ** 2, axis=1))
                      for rarity in range(size.rarities)] for region in size.regions])


def _why_settings_differ(size: Size, results: Results) -> str:
    """When they begin to, and how sorted each size of regions is at the end."""
    points, boards = len(size.settings_times), _settings(size)
    before = two_way_anova(_errors(size, results, points - 1))
    ends = {region: np.mean([_curves(results, boards[region, rarity], size.settings_times, size.runs)[:, -1]
                             for rarity in range(size.rarities)]) for region in size.regions}
    serial = _curves(results, SERIAL, size.times, size.runs)[:, points - 1].mean()
    return (f"Tested: up to {size.settings_times[-2]:,} MCS p = {before['first']:.2g}, {before['second']:.2g} and "
            f"{before['interaction']:.2g}; at {size.settings_times[-1]:,} MCS the share of heterotypic interfaces is "
            + ", ".join(f"{end:.3f} with regions of {region}" for region, end in ends.items()) + f" (serial {serial:.3f})")


def evaluate(size: Size, results: Results) -> Outcome:
    curves = {s.key: _curves(results, s, size.times, size.runs) for s in COMPARED + BESIDE}
    errors = _errors(size, results, len(size.settings_times))
    return Outcome(
        setup=f"{size.lattice} x {size.lattice} sites, an aggregate of radius {size.radius}, J 2, 14, 11 and 16, T "
              f"10; {size.runs} runs each to {size.times[-1]:,} MCS. Checkerboards: {in_words(ATOMIC.board)}. "
              f"Settings: regions of {', '.join(map(str, size.regions))} in blocks twice as wide, switched after every "
              f"attempt up to after as many as they have sites, to {size.settings_times[-1]:,} MCS.",
        findings=_findings(size, curves, errors, results),
        tables={"interfaces": _curve_table(size, results), "errors": _error_table(size, errors)},
        figures={"sorting": _figure(size, results, errors)},
    )


def _findings(size: Size, curves: dict, errors: np.ndarray, results: Results) -> list[Finding]:
    ends = {key: runs[:, -1] for key, runs in curves.items()}
    drop = curves["serial"].mean(axis=0)[0] - ends["serial"].mean()
    progress = {key: (runs.mean(axis=0)[0] - ends[key].mean()) / drop for key, runs in curves.items()}
    accepted = {key: np.mean([results[f"{key}-{size.times[-1]}-run{run}"]["accepted"]
                              for run in range(1, size.runs + 1)]) for key in curves}

    def told(key: str) -> str:
        return (f"share of heterotypic interfaces after {size.times[-1]:,} MCS {ends[key].mean():.3f} ± "
                f"{ends[key].std(ddof=1):.3f} (serial {ends['serial'].mean():.3f} ± "
                f"{ends['serial'].std(ddof=1):.3f}), {100 * progress[key]:.0f}% of the serial drop; "
                f"{100 * accepted[key]:.1f}% of attempts accepted (serial {100 * accepted['serial']:.1f}%)")

    def as_fast(key: str) -> Judgement:
        off = abs(progress[key] - 1)
        return judge(off < AS_FAST, told(key), in_part=off < 3 * AS_FAST)

    p, by_setting = two_way_anova(errors), errors.mean(axis=2)
    beside = (f"Without barriers it gets to {100 * progress['free']:.0f}% of the serial drop, with random numbers that "
              f"replay every MCS to {100 * progress['replayed']:.0f}%")
    return [
        Finding("mutex", judge(progress["mutex"] < STARVED, told("mutex"), in_part=progress["mutex"] < 1 - AS_FAST, cause=(
            "A lock that works does not starve the simulation. The paper's own software on an H200 (one run each) sorts "
            f"with mutex, too, from {THEIR_MUTEX[0]} to {THEIR_MUTEX[1]} (atomic: {THEIR_ATOMIC[0]} to "
            f"{THEIR_ATOMIC[1]}); without a barrier of the grid its locks fall out of step with their cells (459 of 634), "
            f"and it stays at {THEIR_FREE_MUTEX[1]}. {beside}"))),
        Finding("atomic", as_fast("atomic"), as_fast("tiles")),
        Finding("settings", judge(
            min(p.values()) > SIGNIFICANT,
            f"RMSE {errors.mean():.4f} on average, {by_setting.min():.4f} to {by_setting.max():.4f} over settings; ANOVA p "
            f"= {p['first']:.2g} for the size of regions, {p['second']:.2g} for switching, {p['interaction']:.2g} for both "
            "together", in_part=by_setting.max() < 2 * by_setting.min(), cause=_why_settings_differ(size, results))),
    ]


def _curve_table(size: Size, results: Results) -> pd.DataFrame:
    rows = []
    for schedule in COMPARED + BESIDE:
        for run in range(1, size.runs + 1):
            counts = results[f"{schedule.key}-{size.times[-1]}-run{run}"]["interfaces"]
            rows += [(schedule.key, run, time, same, different) for time, (same, different) in zip(size.times, counts)]
    return pd.DataFrame(rows, columns=["schedule", "run", "mcs", "homotypic", "heterotypic"])


def _error_table(size: Size, errors: np.ndarray) -> pd.DataFrame:
    boards = _settings(size)
    return pd.DataFrame([(size.regions[a], boards[size.regions[a], b].board["switch_every"], run + 1, value)
                         for (a, b, run), value in np.ndenumerate(errors)],
                        columns=["region", "switch_every", "run", "rmse"])


def _figure(size: Size, results: Results, errors: np.ndarray):
    figure, ((left, middle, right),) = plots.panels(3)
    x = np.array(size.times)
    for schedule in COMPARED + BESIDE:
        counts = np.stack([results[f"{schedule.key}-{size.times[-1]}-run{run}"]["interfaces"]
                           for run in range(1, size.runs + 1)]) / 1000
        plots.band(left, x, counts[:, :, 1], color=schedule.colour, label=schedule.label)
        plots.band(middle, x, counts[:, :, 0], color=schedule.colour)
    for axes, title in ((left, "heterotypic"), (middle, "homotypic")):
        axes.set_xscale("symlog", linthresh=1)
        axes.set(title=f"{title} interfaces", xlabel="time (MCS)", ylabel="thousand pairs of sites")
    left.legend(loc="lower left")
    labels = []
    for (a, b), _ in np.ndenumerate(errors[:, :, 0]):
        values, at = errors[a, b], len(labels)
        right.plot([at] * len(values), values, "o", color="#5c7fa3", markersize=3)
        right.plot([at - 0.3, at + 0.3], [np.median(values)] * 2, color="black")
        labels.append(f"{size.regions[a]}, {_settings(size)[size.regions[a], b].board['switch_every']}")
    right.set_xticks(range(len(labels)), labels, rotation=90)
    right.set(title="error over settings", xlabel="region, switched every", ylabel="RMSE to serial", ylim=(0, None))
    return figure


EXPERIMENT = Experiment("sorting", "Cell sorting", CLAIMS, SIZES, plan, evaluate)
