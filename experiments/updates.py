"""Update statistics (Fig. 3C): how often, and how evenly, does a schedule try the sites?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import kiln
import numpy as np
from kiln import _kiln

from experiments.claims import Claim, Experiment, Finding, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import histogram_distance
from experiments.pieces import Piece, Results
from experiments.schedules import (LARGE, RARE_2D, SERIAL, SMALL, TILES, board_schedule, checkerboard, different,
                                   grid_of_boards, in_words)

COUNT_BINS = 10  # attempts on a site in an MCS, the last one: and more
WAIT_BINS, WAIT_MAX = 64, 8.0  # MCS between two attempts on a site, the last one: and more
CLOSE, FAR = 0.1, 0.25  # total variation: a tenth of the attempts would have to move; a quarter
EVEN = 0.5  # of the serial variance of attempts
AHEAD = 10  # attempts
EQUAL = 0.02  # distances that differ by less are the same
BARRIERS = {"attempt": "after every attempt", "region": "when regions switch", "none": "at the end of an MCS"}

CLAIMS = (
    Claim("barriers", "3A", "Without barriers parts of a tissue would have lived for different times; a barrier after "
                            "every attempt lets blocks differ by one attempt at most.",
          f"Holds where no block is ever ahead of another by more than one attempt with a barrier after each, and some "
          f"are by {AHEAD} or more without barriers."),
    Claim("small", "3C", "Small regions make attempts more even than in the serial chain, and the time between "
                         "two of them predictable.",
          f"Holds where waiting times are more than {FAR} from serial and the variance of attempts is below {EVEN} of "
          "the serial one; in part where one is."),
    Claim("rare", "3C", "Rare switching changes the waiting times substantially.",
          f"Holds where waiting times are more than {FAR} from serial; in part with more than {CLOSE}."),
    Claim("large", "3C", "Large regions that switch often come close to the serial statistics.",
          f"Holds where both distances are below {CLOSE}; in part below {FAR}."),
    Claim("trend", "3C", "The larger the regions and the more frequent the switches, the closer to the serial chain.",
          "Holds where no step towards larger regions or more frequent switches takes waiting times farther from serial "
          f"by more than {EQUAL}; in part where nine of ten steps do not."),
)


@dataclass(frozen=True)
class Size:
    mcs: int  # of a repeat, as in the paper
    repeats: int
    regions: tuple[int, ...] = (1, 2, 4, 8)
    rarities: int = 4  # of switching; see grid_of_boards


SIZES = {"tiny": Size(20, 1, (1, 8), 2), "short": Size(100, 10), "full": Size(100, 100)}


def count(lattice: int, mcs: int, schedule: dict, seeds: list) -> dict:
    """Histograms of attempts per site and MCS, and of the MCS between two attempts on a site."""
    model = kiln.Model(MODELS / "sorting.toml",
                       {"lattice.size": [lattice, lattice], "initial.0.region.radius": lattice / 3})
    attempts, waits = np.zeros(COUNT_BINS, np.int64), np.zeros(WAIT_BINS, np.int64)
    for seed in seeds:
        seeded = model.changed({"seed": seed, **({"schedule.checkerboard": schedule["board"]} if schedule["board"]
                                                 else {})})._model
        sites, times = [], []
        for step in range(mcs):
            tried, when = _kiln.targets(seeded, schedule["schedule"], step)
            per_site = np.bincount(tried, minlength=lattice * lattice)
            attempts += np.bincount(np.minimum(per_site, COUNT_BINS - 1), minlength=COUNT_BINS)
            sites.append(tried)
            times.append(step + when)
        sites, times = np.concatenate(sites), np.concatenate(times)
        by_site = np.lexsort((times, sites))
        same = np.diff(sites[by_site]) == 0
        gaps = np.diff(times[by_site])[same]
        bins = np.minimum((gaps * WAIT_BINS / WAIT_MAX).astype(int), WAIT_BINS - 1)
        waits += np.bincount(bins, minlength=WAIT_BINS)
    return {"attempts": attempts, "waits": waits}


def race(lattice: int, mcs: int, board: dict) -> dict:
    """By how many attempts a block is ever ahead of another. Blocks play in raster order between two barriers."""
    side = board["per_thread"]
    model = kiln.Model(MODELS / "sorting.toml", {"lattice.size": [lattice, lattice], "schedule.checkerboard": board,
                                                 "initial.0.region.radius": lattice / 3})._model
    done, ahead = np.zeros((lattice // side) ** 2, np.int64), 0
    for step in range(mcs):
        tried, _ = _kiln.targets(model, "checkerboard", step)
        for block in tried // lattice // side * (lattice // side) + tried % lattice // side:
            done[block] += 1
            ahead = max(ahead, int(done.max() - done.min()))
    return {"ahead": ahead}


def _grid(size: Size) -> dict:
    return {where: _counting(board) for where, board in grid_of_boards(size.regions, 2, size.rarities).items()}


def _drawn(size: Size) -> dict:
    """The same, but regions do not take turns: which one comes next is drawn."""
    return {where: replace(board, key=f"{board.key}-drawn", board={**board.board, "order": "random"})
            for where, board in _grid(size).items()}


def _counting(schedule):
    """What is counted are the sites that are drawn in active regions, whatever they are then used for; `targets` tells
    of targets."""
    return replace(schedule, board={**schedule.board, "draws": "target"}) if schedule.board else schedule


def _barriers(which: str):
    return board_schedule(f"barriers-{which}", BARRIERS[which], "", checkerboard(4, 8, 16, barriers=which))


def plan(size: Size) -> list[Piece]:
    schedules = [SERIAL, *map(_counting, (SMALL, RARE_2D, LARGE, *different(_grid(size)), *different(_drawn(size)),
                                        *map(_barriers, BARRIERS)))]
    pieces = [Piece(schedule.key, count, {"lattice": 16, "mcs": size.mcs, "schedule": schedule.settings,
                                          "seeds": list(range(1, size.repeats + 1))}, cost=0.02 * size.repeats)
              for schedule in schedules]
    pieces += [Piece(f"race-{which}", race, {"lattice": 32, "mcs": 4, "board": _counting(_barriers(which)).board})
               for which in BARRIERS]
    # A lattice of 128 x 128 sites has as many sites as 64 of 16 x 16.
    return pieces + [Piece(f"{schedule.key}128", count, {"lattice": 128, "mcs": size.mcs, "schedule": schedule.settings,
                                                         "seeds": [1]}) for schedule in (SERIAL, TILES)]


def evaluate(size: Size, results: Results) -> Outcome:
    grids = {what: _from_serial(size, results, _grid(size), what) for what in ("attempts", "waits")}
    return Outcome(
        setup=f"16 x 16 sites, {size.mcs} MCS of 256 attempts, {size.repeats} repeats; `tiles` on 128 x 128 sites. What "
              "counts is the site that is drawn: in the paper's scheme the source, in the serial chain the target. "
              f"Small: {in_words(SMALL.board)}; rare: {in_words(RARE_2D.board)}; large: {in_words(LARGE.board)}. "
              f"Settings: regions of {', '.join(map(str, size.regions))}, switched after every attempt up to after as "
              f"many as they have sites. Barriers: {in_words(_barriers('none').board)}. Distances are total variations "
              "from the serial distribution: 0 where both are equal, 1 where they have nothing in common.",
        findings=_findings(size, results, grids),
        tables={"histograms": _histogram_table(results), "distances": _distance_table(size, grids)},
        figures={"updates": _figure(size, results, grids)},
    )


def _from_serial(size: Size, results: Results, boards: dict, what: str) -> np.ndarray:
    return np.array([[histogram_distance(results["serial"][what], results[boards[r, s].key][what])
                      for s in range(size.rarities)] for r in size.regions])


def _distances(results: Results, tested: str, reference: str) -> tuple[float, float]:
    return tuple(histogram_distance(results[reference][what], results[tested][what]) for what in ("attempts", "waits"))


def _findings(size: Size, results: Results, grids: dict) -> list:
    def told(attempts: float, waits: float) -> str:
        return f"distance {attempts:.3f} in attempts per site and MCS, {waits:.3f} in waiting times"

    found = {key: _distances(results, key, "serial")
             for key in ("small", "rare", "large", *(f"barriers-{which}" for which in BARRIERS))}
    tiles = _distances(results, "tiles128", "serial128")
    spread = _variance(results["small"]["attempts"]) / _variance(results["serial"]["attempts"])
    even, predictable = spread < EVEN, found["small"][1] > FAR
    # From one setting to the next: larger regions, and switches that are more frequent.
    good = _as_claimed(np.diff(grids["waits"], axis=0), -np.diff(grids["waits"], axis=1))
    ahead = {which: results[f"race-{which}"]["ahead"] for which in BARRIERS}
    return [
        Finding("barriers", judge(
            ahead["attempt"] <= 1 and ahead["none"] >= AHEAD,
            "barriers " + ", ".join(f"{text}: at most {ahead[which]} ahead, waiting times "
                                    f"{found[f'barriers-{which}'][1]:.3f} from serial" for which, text in BARRIERS.items())
            + ". Blocks take turns here between barriers: the order that differs most from all at once")),
        Finding("small", judge(even and predictable,
                               f"{told(*found['small'])}; variance of attempts {spread:.2f} of the serial one",
                               in_part=even or predictable)),
        Finding("rare", judge(found["rare"][1] > FAR, told(*found["rare"]), in_part=found["rare"][1] > CLOSE)),
        Finding("large", judge(max(found["large"]) < CLOSE, told(*found["large"]), in_part=max(found["large"]) < FAR),
                judge(max(tiles) < CLOSE, told(*tiles) + " (128 x 128 sites)", in_part=max(tiles) < FAR,
                      cause="A round tries sites a little more evenly than chance would.")),
        Finding("trend", judge(
            good == 1, f"distance in waiting times {grids['waits'][-1, 0]:.3f} with regions of {size.regions[-1]} switched "
            f"after every attempt, up to {grids['waits'].max():.3f}; {100 * good:.0f}% of the steps from one setting to "
            "the next are as claimed", in_part=good >= 0.9, cause=_against(size, grids["waits"],
                                                                     _from_serial(size, results, _drawn(size), "waits")))),
    ]


def _as_claimed(*farther: np.ndarray) -> float:
    """The share of steps that take waiting times no farther from serial."""
    return float(np.mean(np.concatenate([steps.ravel() for steps in farther]) <= EQUAL))


def _against(size: Size, waits: np.ndarray, drawn: np.ndarray) -> str:
    """The steps that go the other way; and whether that comes from the regions' taking turns."""
    boards = _grid(size)
    told = [f"from regions of {size.regions[a]} to {size.regions[a + 1]} at switching {b + 1} of {size.rarities} by "
            f"{by:.3f}" for (a, b), by in np.ndenumerate(np.diff(waits, axis=0)) if by > EQUAL]
    told += [f"regions of {size.regions[a]} from every {boards[size.regions[a], b + 1].board['switch_every']} to every "
             f"{boards[size.regions[a], b].board['switch_every']} by {-by:.3f}"
             for (a, b), by in np.ndenumerate(np.diff(waits, axis=1)) if by < -EQUAL]
    often, larger = _as_claimed(-np.diff(drawn, axis=1)), _as_claimed(np.diff(drawn, axis=0)[:, 0])
    return (f"Steps that take them farther: {'; '.join(told)}. Tested: where regions do not take turns, but the next is "
            f"drawn, {100 * often:.0f}% of the steps to more frequent switches are as claimed, and {100 * larger:.0f}% of "
            f"those to larger regions that switch after every attempt (distances of {drawn.min():.3f} to "
            f"{drawn.max():.3f}); where regions stay active for as long as they have sites, the larger ones are farther "
            f"from serial ({', '.join(f'{d:.3f}' for d in drawn[:, -1])}).")


def _variance(histogram: np.ndarray) -> float:
    values = np.arange(len(histogram))
    mean = np.average(values, weights=histogram)
    return float(np.average((values - mean) ** 2, weights=histogram))


def _histogram_table(results: Results) -> pd.DataFrame:
    rows = []
    for key in ("serial", "small", "rare", "large", "serial128", "tiles128"):
        rows += [(key, "attempts per site and MCS", value, n) for value, n in enumerate(results[key]["attempts"])]
        rows += [(key, "MCS between attempts", i * WAIT_MAX / WAIT_BINS, n)
                 for i, n in enumerate(results[key]["waits"])]
    return pd.DataFrame(rows, columns=["schedule", "what", "from", "count"])


def _distance_table(size: Size, grids: dict) -> pd.DataFrame:
    return pd.DataFrame([(region, _grid(size)[region, b].board["switch_every"], grids["attempts"][a, b],
                          grids["waits"][a, b]) for a, region in enumerate(size.regions) for b in range(size.rarities)],
                        columns=["region", "switch_every", "distance_attempts", "distance_waiting"])


def _figure(size: Size, results: Results, grids: dict):
    figure, (top, bottom) = plots.panels(6, 2, width=2.3, height=2.2)
    shown = [*((schedule, schedule.key, "serial") for schedule in (SERIAL, SMALL, RARE_2D, LARGE)),
             (TILES, "tiles128", "serial128")]
    counts = np.arange(COUNT_BINS)
    waits = np.arange(WAIT_BINS) * WAIT_MAX / WAIT_BINS
    for column, (schedule, key, reference) in enumerate(shown):
        for axes, x, what, width in ((top[column], counts, "attempts", 0.9), (bottom[column], waits, "waits", 0.12)):
            own, serial = results[key][what], results[reference][what]
            axes.bar(x, own / own.sum(), width=width, color=schedule.colour)
            axes.step(x, serial / serial.sum(), where="mid", color="black", linewidth=0.8)
        top[column].set(title=schedule.label.replace(", ", ",\n"), xlabel="attempts per MCS", xlim=(-0.6, 7))
        bottom[column].set(xlabel="MCS between attempts", xlim=(-0.1, 4))
    top[0].set_ylabel("share of sites")
    bottom[0].set_ylabel("share of waits")
    for axes, what, title in ((top[5], "attempts", "distance, attempts"), (bottom[5], "waits", "distance, waits")):
        plots.heat_map(axes, grids[what], list(size.regions), plots.rarities(size.rarities))
        axes.set(title=title, xlabel="switched every", ylabel="region")
    return figure


EXPERIMENT = Experiment("updates", "Update statistics", CLAIMS, SIZES, plan, evaluate)
