"""Update statistics (Fig. 3C): how often, and how evenly, does a schedule try the sites?"""

from __future__ import annotations

from dataclasses import dataclass

import kiln
import numpy as np
from kiln import _kiln

from experiments.claims import Claim, Experiment, Outcome, judge
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.measures import histogram_distance
from experiments.pieces import Piece, Results
from experiments.schedules import LARGE_2D, RARE, SERIAL, SMALL, TILES, board_schedule, checkerboard, in_words

COUNT_BINS = 10  # attempts on a site in an MCS, the last one: and more
WAIT_BINS, WAIT_MAX = 64, 8.0  # MCS between two attempts on a site, the last one: and more
CLOSE, FAR = 0.1, 0.25  # total variation: a tenth of the attempts would have to move; a quarter

CLAIMS = (
    Claim("small", "3C", "Small regions make attempts more even than in the serial chain, and the time between "
                         "two of them predictable."),
    Claim("rare", "3C", "Rare switching changes the waiting times substantially."),
    Claim("large", "3C", "Large regions that switch often come close to the serial statistics."),
    Claim("trend", "3C", "The larger the regions and the more frequent the switches, the closer to the serial chain."),
    Claim("tiles", "3C", "Our own schedule, `tiles`, has statistics close to the serial ones (128 x 128 sites)."),
)


@dataclass(frozen=True)
class Size:
    mcs: int  # of a repeat, as in the paper
    repeats: int
    regions: tuple[int, ...] = (1, 2, 4, 8)
    switches: tuple[int, ...] = (1, 4, 16, 64)


SIZES = {"tiny": Size(20, 1, (1, 8), (1, 64)), "short": Size(100, 10), "full": Size(100, 100)}


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


def _board(region: int, switch: int):
    return board_schedule(f"{region}-{switch}", "", "", checkerboard(region, max(4, 2 * region), switch))


def plan(size: Size) -> list[Piece]:
    schedules = [SERIAL, SMALL, RARE, LARGE_2D] + [_board(r, s) for r in size.regions for s in size.switches]
    pieces = [Piece(schedule.key, count, {"lattice": 16, "mcs": size.mcs, "schedule": schedule.settings,
                                          "seeds": list(range(1, size.repeats + 1))}, cost=0.02 * size.repeats)
              for schedule in schedules]
    # A lattice of 128 x 128 sites has as many sites as 64 of 16 x 16.
    return pieces + [Piece(f"{schedule.key}128", count, {"lattice": 128, "mcs": size.mcs, "schedule": schedule.settings,
                                                         "seeds": [1]}) for schedule in (SERIAL, TILES)]


def evaluate(size: Size, results: Results) -> Outcome:
    grids = {what: np.array([[histogram_distance(results["serial"][what], results[_board(r, s).key][what])
                              for s in size.switches] for r in size.regions]) for what in ("attempts", "waits")}
    return Outcome(
        setup=f"16 x 16 sites, {size.mcs} MCS of 256 attempts, {size.repeats} repeats; `tiles` on 128 x 128 sites. "
              f"Small: {in_words(SMALL.board)}; rare: {in_words(RARE.board)}; large: {in_words(LARGE_2D.board)}. "
              "Distances are total variations from the serial distribution: 0 where both are equal, 1 where they "
              "have nothing in common.",
        findings=_findings(size, results, grids),
        tables={"histograms": _histogram_table(results), "distances": _distance_table(size, grids)},
        figures={"updates": _figure(size, results, grids)},
    )


def _distances(results: Results, tested: str, reference: str) -> tuple[float, float]:
    return tuple(histogram_distance(results[reference][what], results[tested][what]) for what in ("attempts", "waits"))


def _findings(size: Size, results: Results, grids: dict) -> list:
    def told(attempts: float, waits: float) -> str:
        return f"distance {attempts:.3f} in attempts per site and MCS, {waits:.3f} in waiting times"

    found = {key: _distances(results, key, "serial") for key in ("small", "rare", "large")}
    tiles = _distances(results, "tiles128", "serial128")
    spread = _variance(results["small"]["attempts"]) / _variance(results["serial"]["attempts"])
    best, worst = grids["waits"][-1, 0], grids["waits"].max()
    rising = bool((np.diff(grids["waits"], axis=1) > -0.02).all())
    return [
        judge("small", found["small"][1] > FAR and spread < 0.5,
              f"{told(*found['small'])}; variance of attempts {spread:.2f} of the serial one"),
        judge("rare", found["rare"][1] > FAR, told(*found["rare"]), in_part=found["rare"][1] > CLOSE),
        judge("large", max(found["large"]) < CLOSE, told(*found["large"]), in_part=max(found["large"]) < FAR),
        judge("trend", best <= grids["waits"].min() + 0.02 and rising,
              f"distance in waiting times {best:.3f} with regions of {size.regions[-1]} switched every "
              f"{size.switches[0]}, up to {worst:.3f}; it {'grows' if rising else 'does not always grow'} as "
              "switches become rarer",
              in_part=best <= grids["waits"].min() + 0.02,
              cause="Small regions are far off however often they switch: bursts within a region and pauses "
                    "between them are different errors, of about the same size."),
        judge("tiles", max(tiles) < CLOSE, told(*tiles), in_part=max(tiles) < FAR,
              cause="A round tries sites a little more evenly than chance would."),
    ]


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
    return pd.DataFrame([(region, switch, grids["attempts"][a, b], grids["waits"][a, b])
                         for a, region in enumerate(size.regions) for b, switch in enumerate(size.switches)],
                        columns=["region", "switch_every", "distance_attempts", "distance_waiting"])


def _figure(size: Size, results: Results, grids: dict):
    figure, (top, bottom) = plots.panels(6, 2, width=2.3, height=2.2)
    shown = [*((schedule, schedule.key, "serial") for schedule in (SERIAL, SMALL, RARE, LARGE_2D)),
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
        plots.heat_map(axes, grids[what], list(size.regions), list(size.switches))
        axes.set(title=title, xlabel="switched every", ylabel="region")
    return figure


EXPERIMENT = Experiment("updates", "Update statistics", CLAIMS, SIZES, plan, evaluate)
