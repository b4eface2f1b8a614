"""T cells that find dendritic cells in a lymph node, sum up what they feel there, and found clones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge, untested
from experiments.lazy import pd, plots, stats
from experiments.pieces import Piece, Results

CRAWL = 60  # s: when T cells begin to crawl
FIRST = 360  # s, from activation to when a cell is ready to divide
DENSITY = 43260 / 251**3  # T and dendritic cells per µm³ of the ball's box
EVERY = 10  # MCS between samples

CLAIMS = (
    Claim("search", "Celli 2012", "T cells are primed by chance encounters: with more dendritic cells in proportion "
                                  "faster.",
          "Holds where the rate at which naive cells are activated, over the number of dendritic cells, differs by "
          "less than a "
          "factor of 1.5 between the fewest and the most of them; in part: 2."),
    Claim("summed", "Gunzer 2000", "Encounters are short and follow each other, and T cells sum up what they gather.",
          "Holds where at least half of the activated cells have had several contacts with dendritic cells; in part: "
          "a quarter."),
    Claim("clones", "Mempel 2004", "Activated cells stop, and later divide: the earlier primed, the larger the clone.",
          "Holds where activated cells are less than a fifth as fast as naive ones, and the rank correlation of a "
          "clone's size with the "
          "time of activation is below -0.7; in part: half as fast, and below -0.4."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    dendritic: tuple[int, ...]
    naive: int
    seconds: int  # of the search
    founders: int  # naive cells where clones are followed
    clone_seconds: int
    runs: int


SIZES = {"tiny": Size(40, (1, 2), 20, 160, 10, 560, 1), "short": Size(64, (1, 2, 4), 40, 420, 12, 1260, 2),
         "full": Size(256, (30, 60, 120), 1000, 420, 200, 1260, 1)}


def prime(lattice: int, dendritic: int, naive: int, seconds: int, seed: int, folder: Path) -> dict:
    """Of the last state: each cell that ever knew the antigen, and, over time, how many there are and how fast they
    are."""
    cells = round(DENSITY * (lattice - tissue.SHELL) ** 3)
    scan = [min(lattice, 130), min(lattice, 130), min(lattice, 110)]
    run = tissue.run("living/t-cell-priming.toml",
                     {"lattice.size": [lattice] * 3, "initial.0.region.radius": (lattice - tissue.SHELL) / 2,
                      "initial.1.phantom.size_um": scan, "initial.2.count": dendritic, "initial.3.count": naive,
                      "initial.4.count": cells - naive - 8 * dendritic, "phases.1.mcs": seconds - CRAWL,
                      "measure.every": EVERY, "measure.cells_every": 0}, seed, "threads", folder)
    tree, rows = run.table("lineage"), run.table("measures")
    knows = np.isin(tree["type"], ("naive", "activated"))
    return {**{name: tree[name][knows] for name in ("id", "root", "generation", "type", "signal", "contacts", "ready")},
            "alive": tree["end"][knows] == "alive", "seconds": rows["mcs"], "naive": rows["cells_naive"],
            "activated": rows["cells_activated"], "speed_naive": rows["speed_um_per_min_naive"],
            "speed_activated": rows["speed_um_per_min_activated"]}


def plan(size: Size) -> list[Piece]:
    def piece(name: str, dendritic: int, naive: int, seconds: int, seed: int) -> Piece:
        settings = {"lattice": size.lattice, "dendritic": dendritic, "naive": naive, "seconds": seconds, "seed": seed}
        return Piece(name, prime, settings, resumes=True, cost=size.lattice**3 * seconds * 3e-7)

    return [*(piece(f"search-{count}-{seed}", count, size.naive, size.seconds, seed) for count in size.dendritic
              for seed in range(1, size.runs + 1)),
            piece("clones", size.dendritic[len(size.dendritic) // 2], size.founders, size.clone_seconds, 1)]


def activation_times(found) -> np.ndarray:
    """s, of the cells of the first state; NaN where they are naive still."""
    first = found["generation"] == 0
    return np.where(found["type"][first] == "activated", found["ready"][first] - FIRST, np.nan)


def rate(times: np.ndarray, end: float) -> float:
    """Activations per naive cell and minute since cells crawl: the most likely constant one."""
    return 60 * float(np.isfinite(times).sum() / (np.where(np.isfinite(times), times, end) - CRAWL).sum())


def clones(found) -> tuple[np.ndarray, np.ndarray]:
    """Of the first cells that were activated: when, and how many cells there are of each."""
    times, first = activation_times(found), found["generation"] == 0
    sizes = np.array([np.sum(found["alive"] & (found["root"] == root)) for root in found["id"][first]])
    return times[np.isfinite(times)], sizes[np.isfinite(times)]


def evaluate(size: Size, results: Results) -> Outcome:
    searches = {count: [results[f"search-{count}-{seed}"] for seed in range(1, size.runs + 1)]
                for count in size.dendritic}
    table = pd.DataFrame([(count, len(times), int(np.isfinite(times).sum()), rate(times, size.seconds))
                          for count, runs in searches.items()
                          for times in [np.concatenate([activation_times(run) for run in runs])]],
                         columns=["dendritic", "naive", "activated", "per_minute"])
    return Outcome(
        setup=f"A ball of {size.lattice - tissue.SHELL} µm, {size.naive} naive T cells among "
              f"{round(DENSITY * (size.lattice - tissue.SHELL) ** 3):,}, {size.seconds / 60:.0f} minutes, {size.runs} "
              "runs each with "
              f"{', '.join(map(str, size.dendritic))} dendritic cells; clones of {size.founders} for "
              f"{size.clone_seconds / 60:.0f} minutes, in "
              "which an hour of activation and division is 15 s (models/living/t-cell-priming.toml).",
        findings=[Finding("search", kiln=_search(table)), Finding("summed", kiln=_summed(searches)),
                  Finding("clones", kiln=_clones(results["clones"]))],
        tables={"search": table, 
                "clones": pd.DataFrame(dict(zip(("activated_s", "cells"), clones(results["clones"]))))},
        figures={"t_cell_priming": _figure(size, searches, table, results["clones"])},
        notes=["Celli 2012: Celli and others, Blood 120, 3945. Gunzer 2000: Gunzer and others, Immunity 13, 323."
               " Mempel 2004: Mempel, Henrickson and von Andrian, Nature 427, 154."],
    )


def _search(table) -> Judgement:
    each = table.per_minute / table.dendritic
    told = ", ".join(f"{row.per_minute:.3f} a minute with {row.dendritic} ({row.activated} of {row.naive} cells)"
                     for row in table.itertuples())
    if table.activated.min() < 10:
        return untested("Too few were activated.", told)
    off = max(each.iloc[0] / each.iloc[-1], each.iloc[-1] / each.iloc[0])
    return judge(off < 1.5, f"{told}; per dendritic cell a factor of {off:.2f}", in_part=off < 2,
                 cause="With most of them the rate is not constant: many find one at once, and the rest late.")


def _summed(searches: dict) -> Judgement:
    contacts, signal = (np.concatenate([run[name] for runs in searches.values() for run in runs])
                        for name in ("contacts", "signal"))
    activated = np.concatenate([run["type"] == "activated" for runs in searches.values() for run in runs])
    if activated.sum() < 10:
        return untested("Too few were activated.", f"{activated.sum()} cells")
    several = float((contacts[activated] > 1).mean())
    return judge(several >= 0.5, f"{100 * several:.0f}% of {activated.sum()} activated cells, after "
                                 f"{contacts[activated].mean():.1f} contacts on "
                 f"average; a contact lasts {signal.sum() / contacts.sum():.0f} s, until activation at most",
                 in_part=several >= 0.25, cause="Most contacts are long enough.")


def _clones(found) -> Judgement:
    times, sizes = clones(found)
    slow = float(np.nanmean(found["speed_activated"]) / np.nanmean(found["speed_naive"]))
    told = (f"{len(times)} clones of up to {sizes.max(initial=0)} cells; activated cells are {slow:.2f} times as fast "
            "as naive ones")
    if len(times) < 8 or sizes.max() < 4:
        return untested("Too few, or too small.", told)
    ranks = float(stats.spearmanr(times, sizes).statistic)
    return judge(slow < 0.2 and ranks < -0.7, f"{told}; rank correlation {ranks:.2f}",
                 in_part=slow < 0.5 and ranks < -0.4, cause="Where there is no room, cells do not divide.")


def _figure(size: Size, searches: dict, table, found):
    figure, (row,) = plots.panels(3)
    seconds = np.arange(CRAWL, size.seconds + 1)
    for (count, runs), colour in zip(searches.items(), plots.shades(len(searches))):
        times = np.sort(np.concatenate([activation_times(run) for run in runs]))
        share = np.searchsorted(times[np.isfinite(times)], seconds, side="right") / len(times)
        row[0].plot(seconds / 60, 100 * share, color=colour, label=f"{count} dendritic cells")
        k = table.per_minute[table.dendritic == count].iloc[0]
        row[0].plot(seconds / 60, 100 * (1 - np.exp(-k * (seconds - CRAWL) / 60)), ":", color=colour, linewidth=0.8)
    row[0].set(title="activated", xlabel="minutes", ylabel="% of the naive cells")
    row[0].legend()
    row[1].plot(found["seconds"] / 60, found["naive"], color="#4fa88a", label="naive")
    row[1].plot(found["seconds"] / 60, found["activated"], color="#d1495b", label="activated")
    row[1].set(title="cells that know the antigen", xlabel="minutes", yscale="symlog")
    row[1].legend()
    times, sizes = clones(found)
    row[2].semilogy(times / 60, np.maximum(sizes, 1), "o", color="#d1495b")
    row[2].set(title="clones", xlabel="activated after (minutes)", ylabel="cells in the end", ylim=(0.8, None))
    return figure


EXPERIMENT = Experiment("t_cell_priming", "T cells are primed", CLAIMS, SIZES, plan, evaluate)
