"""Cell sorting (Fig. 4, Supplementary Fig. 1): does a parallel schedule sort as the serial chain does?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np

from experiments.claims import Claim, Experiment, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import interfaces, two_way_anova
from experiments.pieces import Piece, Results
from experiments.schedules import SERIAL, TILES, board_schedule, checkerboard, in_words, simulation

MUTEX = board_schedule("mutex", "checkerboard, mutex", "#c1121f", checkerboard(2, 4, 1, "mutex"))
ATOMIC = board_schedule("atomic", "checkerboard, atomic", "#5c7fa3", checkerboard(2, 4, 1))
COMPARED = (SERIAL, MUTEX, ATOMIC, TILES)

CLAIMS = (
    Claim("mutex", "4", "One accepted copy per cell at a time (mutex) starves the simulation: it hardly sorts."),
    Claim("atomic", "4", "With atomic updates a parallel run sorts as fast as the serial chain."),
    Claim("tiles", "4", "The same of our own schedule, `tiles`."),
    Claim("settings", "S1", "The error is low whatever the size of regions and the switching frequency, with no "
                            "significant difference between settings (two-way ANOVA, p = 0.43)."),
)


@dataclass(frozen=True)
class Size:
    lattice: int  # sites a side; a multiple of all blocks
    radius: int  # of the aggregate
    times: tuple[int, ...]
    runs: int
    regions: tuple[int, ...]  # of the settings that are compared; blocks are twice as wide, at least 4 sites
    switches: tuple[int, ...]
    settings_times: tuple[int, ...]


SIZES = {
    "tiny": Size(64, 24, (0, 1, 10, 100), 2, (2, 4), (1, 4, 16), (0, 1, 10)),
    "short": Size(192, 75, (0, 1, 10, 100, 1000, 10000), 5, (2, 4, 8), (1, 16, 256), (0, 1, 10, 100, 1000)),
    "full": Size(192, 75, (0, 1, 10, 100, 1000, 10000, 100000), 5, (2, 4, 8), (1, 16, 256),
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


def _setting(region: int, switch: int):
    return board_schedule(f"{region}-{switch}", "", "", checkerboard(region, max(4, 2 * region), switch))


def _settings(size: Size) -> list:
    return [_setting(region, switch) for region in size.regions for switch in size.switches]


def plan(size: Size) -> list[Piece]:
    def pieces(schedules, times):
        return [Piece(f"{schedule.key}-{times[-1]}-run{run}", sort,
                      {"lattice": size.lattice, "radius": size.radius, "times": list(times),
                       "schedule": schedule.settings, "seed": run}, cost=size.lattice**2 * times[-1] * 2.5e-8)
                for schedule in schedules for run in range(1, size.runs + 1)]

    return pieces(COMPARED, size.times) + pieces(_settings(size), size.settings_times)


def _curves(results: Results, schedule, times, runs: int) -> np.ndarray:
    """Heterotypic share of all interfaces between cells, of shape (runs, times)."""
    counts = np.stack([results[f"{schedule.key}-{times[-1]}-run{run}"]["interfaces"] for run in range(1, runs + 1)])
    return counts[:, :, 1] / counts.sum(axis=2)


def _errors(size: Size, results: Results) -> np.ndarray:
    """Root mean square differences to the mean serial curve, of shape (regions, switches, runs)."""
    points = len(size.settings_times)
    serial = _curves(results, SERIAL, size.times, size.runs)[:, :points].mean(axis=0)
    return np.array([[np.sqrt(np.mean((_curves(results, _setting(region, switch), size.settings_times, size.runs)
                                       - serial) ** 2, axis=1))
                      for switch in size.switches] for region in size.regions])


def evaluate(size: Size, results: Results) -> Outcome:
    curves = {s.key: _curves(results, s, size.times, size.runs) for s in COMPARED}
    errors = _errors(size, results)
    return Outcome(
        setup=f"{size.lattice} x {size.lattice} sites, an aggregate of radius {size.radius}, J 2, 14, 11 and 16, T "
              f"10; {size.runs} runs each to {size.times[-1]:,} MCS. Checkerboards: {in_words(ATOMIC.board)}. "
              f"Settings: regions of {', '.join(map(str, size.regions))} in blocks twice as wide, switched every "
              f"{', '.join(map(str, size.switches))} attempts, to {size.settings_times[-1]:,} MCS.",
        findings=_findings(size, curves, errors, results),
        tables={"interfaces": _curve_table(size, results), "errors": _error_table(size, errors)},
        figures={"sorting": _figure(size, results, errors)},
    )


def _findings(size: Size, curves: dict, errors: np.ndarray, results: Results) -> list:
    ends = {key: runs[:, -1] for key, runs in curves.items()}
    drop = curves["serial"].mean(axis=0)[0] - ends["serial"].mean()
    progress = {key: (runs.mean(axis=0)[0] - ends[key].mean()) / drop for key, runs in curves.items()}
    accepted = {s.key: np.mean([results[f"{s.key}-{size.times[-1]}-run{run}"]["accepted"]
                                for run in range(1, size.runs + 1)]) for s in COMPARED}

    def told(key: str) -> str:
        return (f"share of heterotypic interfaces after {size.times[-1]:,} MCS {ends[key].mean():.3f} ± "
                f"{ends[key].std(ddof=1):.3f} (serial {ends['serial'].mean():.3f} ± "
                f"{ends['serial'].std(ddof=1):.3f}), {100 * progress[key]:.0f}% of the serial drop; "
                f"{100 * accepted[key]:.1f}% of attempts accepted (serial {100 * accepted['serial']:.1f}%)")

    p, often = two_way_anova(errors), two_way_anova(errors[:, :-1])
    delay = _delay(size, curves["serial"].mean(axis=0), curves["mutex"].mean(axis=0))
    return [
        judge("mutex", progress["mutex"] < 0.5,
              told("mutex") + f"; it needs {delay:.1f} times as many MCS to get where the serial chain is at the end",
              in_part=progress["mutex"] < 0.9,
              cause="Copies are lost and sorting is slower, but it goes on. Between two barriers only a few "
                    "attempts meet a cell of 40 sites, and only accepted ones lock it here; the paper's software "
                    "may lock for every attempt, or lock the medium, too."),
        judge("atomic", abs(progress["atomic"] - 1) < 0.1, told("atomic"), in_part=abs(progress["atomic"] - 1) < 0.3),
        judge("tiles", abs(progress["tiles"] - 1) < 0.1, told("tiles"), in_part=abs(progress["tiles"] - 1) < 0.3),
        judge("settings", min(p.values()) > 0.05,
              f"RMSE {errors.mean():.4f} on average, {errors.mean(axis=2).min():.4f} to "
              f"{errors.mean(axis=2).max():.4f} over settings; ANOVA p = {p['first']:.2g} for the size of regions, "
              f"{p['second']:.2g} for switching, {p['interaction']:.2g} for both together. Without the rarest "
              f"switching: {often['first']:.2g}, {often['second']:.2g}, {often['interaction']:.2g}",
              in_part=min(often.values()) > 0.05,
              cause=f"Where a small region stays active for {size.switches[-1]} attempts, the others wait for many "
                    "MCS, and sorting begins late. How rarely the paper switched is not printed."),
    ]


def _delay(size: Size, serial: np.ndarray, other: np.ndarray) -> float:
    """How many times the MCS that `other` needs until it is where `serial` is at the end, by the slope of its curve
    over the logarithm of time."""
    slope = (other[-1] - other[-2]) / np.log(size.times[-1] / size.times[-2])
    return float(np.exp((serial[-1] - other[-1]) / slope))


def _curve_table(size: Size, results: Results) -> pd.DataFrame:
    rows = []
    for schedule in COMPARED:
        for run in range(1, size.runs + 1):
            counts = results[f"{schedule.key}-{size.times[-1]}-run{run}"]["interfaces"]
            rows += [(schedule.key, run, time, same, different) for time, (same, different) in zip(size.times, counts)]
    return pd.DataFrame(rows, columns=["schedule", "run", "mcs", "homotypic", "heterotypic"])


def _error_table(size: Size, errors: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame([(size.regions[a], size.switches[b], run + 1, value)
                         for (a, b, run), value in np.ndenumerate(errors)],
                        columns=["region", "switch_every", "run", "rmse"])


def _figure(size: Size, results: Results, errors: np.ndarray):
    figure, ((left, middle, right),) = plots.panels(3)
    x = np.array(size.times)
    for schedule in COMPARED:
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
        labels.append(f"{size.regions[a]}, {size.switches[b]}")
    right.set_xticks(range(len(labels)), labels, rotation=90)
    right.set(title="error over settings", xlabel="region, switched every", ylabel="RMSE to serial", ylim=(0, None))
    return figure


EXPERIMENT = Experiment("sorting", "Cell sorting", CLAIMS, SIZES, plan, evaluate)
