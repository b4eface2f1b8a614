"""Circular chemotaxis (Fig. 5A, 6E): do ensembles of a parallel schedule put cells where the serial chain puts them?"""

from __future__ import annotations

import time
from dataclasses import dataclass

import kiln
import numpy as np

from experiments import machine
from experiments.claims import Claim, Experiment, Finding, Outcome, judge, untested
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import cross_entropy, entropy
from experiments.pieces import Piece, Results
from experiments.schedules import (LARGE, RARE_2D, SERIAL, SMALL, TILES, different, grid_of_boards, in_words,
                                   simulation)

COMPARED = (SMALL, RARE_2D, LARGE, TILES)
LOW = 0.25  # bits per pixel, of 1 that chance would give
SLOWLY = 0.2  # of what two serial ensembles differ by
CONSIDERABLY, A_LITTLE = 1.5, 1.05  # times as long

CLAIMS = (
    Claim("serial", "5A", "Cells in a circular field move so regularly that serial runs agree pixel by pixel: a "
                          "low entropy.", f"Holds where it is below {LOW} bits per pixel at the end."),
    Claim("changed", "5A", "With changed update statistics the cross-entropy relative to serial runs rises quickly.",
          f"Holds where small regions and rare switching both exceed a second serial ensemble by more than {SLOWLY} of its "
          "cross-entropy at the end; in part where one does."),
    Claim("preserved", "5A", "Where the statistics are preserved it rises much more slowly.",
          f"Holds where the excess at the end is below {SLOWLY} of a second serial ensemble's cross-entropy; in part where "
          "it is below that of either changed one."),
    Claim("regions", "6E", "Larger regions are more accurate and considerably slower.",
          "Holds where over all switchings the largest regions have the lower cross-entropy than the smallest and take more "
          f"than {CONSIDERABLY} times as long; in part where one of the two is so."),
    Claim("switching", "6E", "Frequent switching is more accurate and a little slower.",
          "Holds where over all regions with more than one way to switch the most frequent switching has the lower "
          f"cross-entropy than the rarest and takes more than {A_LITTLE} times as long; in part where one of the two is so."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    times: tuple[int, ...]
    runs: int  # of an ensemble
    grid_runs: int
    chunk: int  # runs of a piece; the others are multiples of it
    regions: tuple[int, ...]
    rarities: int  # of switching; see grid_of_boards
    grid_time: int  # one of the times
    speed_lattice: int  # for timing on a GPU
    speed_mcs: int
    gpu: bool = False  # or where there is one


SIZES = {
    "tiny": Size(128, (0, 10, 20), 8, 8, 8, (2, 8), 2, 20, 128, 5),
    "short": Size(320, (0, 50, 100, 200, 300, 400, 500), 24, 16, 8, (1, 2, 4, 8, 16), 3, 500, 512, 20),
    "full": Size(384, (0, 50, *range(100, 1001, 100)), 248, 248, 124, (1, 2, 4, 8, 16), 3, 500, 4096, 100, gpu=True),
}


def occupy(lattice: int, times: list, schedule: dict, seeds: list) -> dict:
    """How many of the runs have a cell at each pixel, of shape (times, y, x)."""
    model = kiln.Model(MODELS / "chemotaxis.toml", {"lattice.size": [lattice, lattice]})
    counts = np.zeros((len(times), lattice, lattice), np.uint16)
    for seed in seeds:
        sim = simulation(model, schedule, seed)
        for i, time_ in enumerate(times):
            sim.run(time_ - sim.mcs, progress=False)
            counts[i] += sim.lattice > 0
    return {"counts": counts}


def time_one(lattice: int, mcs: int, schedule: dict) -> dict:
    """ms per MCS of a checkerboard on a GPU, after as many MCS."""
    sim = _on_gpu(lattice, schedule)
    sim.run(mcs, progress=False)
    start = time.monotonic()
    sim.run(mcs, progress=False)
    return {"ms": 1000 * (time.monotonic() - start) / mcs}


def compile_kernels(lattice: int, mcs: int, schedule: dict) -> None:
    """What `time_one` then finds in the cache."""
    _on_gpu(lattice, schedule)


def _on_gpu(lattice: int, schedule: dict) -> kiln.Simulation:
    model = kiln.Model(MODELS / "chemotaxis.toml", {"lattice.size": [lattice, lattice],
                                                    "schedule.checkerboard": schedule["board"]})
    return kiln.Simulation(model, engine="cuda", schedule="checkerboard", record=False)


def _boards(size: Size) -> dict:
    return grid_of_boards(size.regions, 2, size.rarities)


def _ensemble(key: str, schedule, size: Size, times, runs: int, first_seed: int) -> list[Piece]:
    fixed = {"lattice": size.lattice, "times": list(times), "schedule": schedule.settings}
    cost = size.chunk * size.lattice**2 * times[-1] * (1e-8 if schedule in (SERIAL, TILES) else 1.6e-8)
    return [Piece(f"{key}-from{seed}", occupy, {**fixed, "seeds": list(range(seed, seed + size.chunk))}, cost=cost)
            for seed in range(first_seed, first_seed + runs, size.chunk)]


def plan(size: Size) -> list[Piece]:
    # Two serial ensembles: what they differ by is what an ensemble of this size can tell.
    pieces = _ensemble("serial", SERIAL, size, size.times, size.runs, 1)
    pieces += _ensemble("again", SERIAL, size, size.times, size.runs, 10001)
    for schedule in COMPARED:
        pieces += _ensemble(schedule.key, schedule, size, size.times, size.runs, 1)
    for board in different(_boards(size)):
        pieces += _ensemble(board.key, board, size, (size.grid_time,), size.grid_runs, 1)
        if size.gpu or machine.gpu():
            pieces.append(Piece(f"{board.key}-ms", time_one, {"lattice": size.speed_lattice, "mcs": size.speed_mcs,
                                                              "schedule": board.settings},
                                cost=3, alone=True, gpu=1, prepare=compile_kernels))
    return pieces


def _counts(results: Results, key: str, runs: int, chunk: int, first_seed: int = 1) -> np.ndarray:
    return sum(results[f"{key}-from{seed}"]["counts"].astype(np.int64)
               for seed in range(first_seed, first_seed + runs, chunk))


def evaluate(size: Size, results: Results) -> Outcome:
    def all_runs(key: str, first_seed: int = 1) -> np.ndarray:
        return _counts(results, key, size.runs, size.chunk, first_seed)

    serial = all_runs("serial")
    curves = {"again": _cross(all_runs("again", 10001), size.runs, serial, size.runs)}
    for schedule in COMPARED:
        curves[schedule.key] = _cross(all_runs(schedule.key), size.runs, serial, size.runs)
    curves["entropy"] = np.array([entropy(c, size.runs) for c in serial])
    reference = serial[size.times.index(size.grid_time)]
    counts = {where: _counts(results, board.key, size.grid_runs, size.chunk)[0]
              for where, board in _boards(size).items()}
    grid = np.array([[cross_entropy(counts[r, s], size.grid_runs, reference, size.runs) for s in range(size.rarities)]
                     for r in size.regions])
    ms = _times(size, results)
    return Outcome(
        setup=f"{size.lattice} x {size.lattice} sites, cells of 50 x 50 every 100 (V 2500, perimeter 600, lambda "
              f"10, T 10); {size.runs} runs per ensemble to {size.times[-1]} MCS, {size.grid_runs} for each of "
              f"{grid.size} settings of the checkerboard to {size.grid_time} MCS (the paper prints neither the lattice "
              f"nor the time). Small: {in_words(SMALL.board)}; rare: "
              f"{in_words(RARE_2D.board)}; large: {in_words(LARGE.board)}."
              + (f" Times: {size.speed_lattice} x {size.speed_lattice} sites." if ms is not None else ""),
        findings=_findings(size, curves, grid, ms),
        tables={"cross_entropy": pd.DataFrame({"mcs": size.times, **curves}), "settings": _table(size, grid, ms)},
        figures={"chemotaxis": _figure(size, serial, curves, grid, ms)},
        notes=("Cross-entropies are in bits per pixel, less what a pixel costs on which all serial runs agree.",),
    )


def _times(size: Size, results: Results) -> np.ndarray | None:
    """ms per MCS, of shape (regions, switches); None where there was no GPU."""
    boards = _boards(size)
    names = [[f"{boards[r, s].key}-ms" for s in range(size.rarities)] for r in size.regions]
    return np.array([[results[name]["ms"] for name in row] for row in names]) if names[0][0] in results else None


def _cross(tested: np.ndarray, tested_runs: int, reference: np.ndarray, reference_runs: int) -> np.ndarray:
    return np.array([cross_entropy(t, tested_runs, r, reference_runs) for t, r in zip(tested, reference)])


def _findings(size: Size, curves: dict, grid: np.ndarray, ms: np.ndarray | None) -> list[Finding]:
    end = {key: values[-1] for key, values in curves.items()}
    excess = {key: value - end["again"] for key, value in end.items()}
    slow = SLOWLY * end["again"]

    def told(key: str) -> str:
        return (f"{end[key]:.4f} bits per pixel after {size.times[-1]} MCS (a second serial ensemble: "
                f"{end['again']:.4f})")

    def preserved(key: str):
        return judge(excess[key] < slow, told(key), in_part=excess[key] < min(excess["small"], excess["rare"]))

    quick = [excess[key] > slow for key in ("small", "rare")]
    return [
        Finding("serial", judge(end["entropy"] < LOW, f"entropy {end['entropy']:.4f} bits per pixel after "
                                                      f"{size.times[-1]} MCS (1 would be chance)")),
        Finding("changed", judge(all(quick), f"regions of one site: {told('small')}; rare switching: {told('rare')}",
                                 in_part=any(quick))),
        Finding("preserved", preserved("large"), preserved("tiles")),
        *_trade(size, grid, ms),
    ]


def _trade(size: Size, grid: np.ndarray, ms: np.ndarray | None) -> list[Finding]:
    """What of 6E is true of the means over the other dial. A region of one site can switch in one way only."""
    switchable = np.array([region > 1 for region in size.regions])
    entropies = {"regions": (grid[0].mean(), grid[-1].mean()),
                 "switching": (grid[switchable, -1].mean(), grid[switchable, 0].mean())}
    names = {"regions": (f"regions of {size.regions[0]}", f"those of {size.regions[-1]}"),
             "switching": ("rarest switching", "most frequent")}
    found = []
    for key, limit in (("regions", CONSIDERABLY), ("switching", A_LITTLE)):
        worse, better = entropies[key]
        text = f"cross-entropy {worse:.4f} with {names[key][0]}, {better:.4f} with {names[key][1]}"
        if ms is None:
            found.append(Finding(key, untested("It takes a GPU to time it, and there is none on this machine.", text)))
            continue
        quick, slow = ((ms[0].mean(), ms[-1].mean()) if key == "regions" else
                       (ms[switchable, -1].mean(), ms[switchable, 0].mean()))
        accurate, slower = better < worse, slow > limit * quick
        found.append(Finding(key, judge(accurate and slower, f"{text}; {quick:.3g} and {slow:.3g} ms per MCS, "
                                        f"{slow / quick:.2f} times as long", in_part=accurate or slower,
                                        cause=_by_switching(size, grid))))
    return found


def _by_switching(size: Size, grid: np.ndarray) -> str:
    """What the means hide."""
    return (f"Switched after every attempt, regions of {', '.join(map(str, size.regions))} have "
            f"{', '.join(f'{value:.4f}' for value in grid[:, 0])}; as rarely as can be, "
            f"{', '.join(f'{value:.4f}' for value in grid[:, -1])}.")


def _table(size: Size, grid: np.ndarray, ms: np.ndarray | None) -> pd.DataFrame:
    boards = _boards(size)
    return pd.DataFrame([(region, boards[region, b].board["switch_every"], grid[a, b], 1 - grid[a, b], np.nan if ms is None else ms[a, b])
                         for a, region in enumerate(size.regions) for b in range(size.rarities)],
                        columns=["region", "switch_every", "cross_entropy", "accuracy", "ms_per_mcs"])


def _figure(size: Size, serial: np.ndarray, curves: dict, grid: np.ndarray, ms: np.ndarray | None):
    figure, (row,) = plots.panels(3 if ms is None else 4)
    map_axes, left, middle = row[:3]
    map_axes.imshow(serial[-1] / size.runs, cmap="Greys", origin="lower")
    map_axes.set(title=f"serial runs at {size.times[-1]} MCS", xticks=[], yticks=[])
    left.plot(size.times, curves["entropy"], color="black", linestyle=":", label="serial, entropy")
    left.plot(size.times, curves["again"], color="black", label="serial again")
    for schedule in COMPARED:
        left.plot(size.times, curves[schedule.key], color=schedule.colour, label=schedule.label)
    left.set(title="cross-entropy to serial", xlabel="time (MCS)", ylabel="bits per pixel", ylim=(0, None))
    left.legend(fontsize=6)
    plots.heat_map(middle, grid, list(size.regions), plots.rarities(size.rarities))
    middle.set(title=f"cross-entropy over settings, {size.grid_time} MCS", xlabel="switched every", ylabel="region")
    if ms is not None:
        _draw_trade(row[3], size, grid, ms)
    return figure


def _draw_trade(axes, size: Size, grid: np.ndarray, ms: np.ndarray) -> None:
    for b, rarity in enumerate(plots.rarities(size.rarities)):
        colour = plots.shades(size.rarities)[b]
        axes.plot(ms[:, b], 1 - grid[:, b], "o-", label=f"switched every {rarity}", color=colour)
        for a, region in enumerate(size.regions):
            axes.annotate(str(region), (ms[a, b], 1 - grid[a, b]), fontsize=6, xytext=(3, 3),
                          textcoords="offset points")
    axes.set(title="accuracy and time", xlabel="ms per MCS", ylabel="1 - cross-entropy")
    axes.legend(fontsize=6)


EXPERIMENT = Experiment("chemotaxis", "Circular chemotaxis", CLAIMS, SIZES, plan, evaluate)
