"""T cells in a lymph node (Fig. 8, Supplementary Fig. 2): which motility fits, and what adhesion to stroma does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import kiln
import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Outcome, judge, untested
from experiments.lazy import pd, plots, stats
from experiments.machine import MODELS, ROOT
from experiments.pieces import GPU_SHARES, Piece, Results

REFERENCE = "experiments/data/stand_in_speeds.csv"
HIGH, LOW = -3000, 10  # J with stroma of the two grids: high adhesion and low
INTERVALS = (30, 60, 120)  # s, over which speeds are taken
LONG = INTERVALS.index(120)  # which the paper's are
PAUSE, FAST = 2, 15  # µm/min
SHOWN_BINS = 31  # of speeds, 1 µm/min wide
FOLLOWED, DRAWN = 5000, 20  # cells, at most, whose minutes are counted; and whose tracks are kept
PAPER_ACT, PAPER_MAX = 2600, 10
THICK = 44  # threshold of the scan: the strands take about twice the volume that they do at the model's 60

LEAST_SKEW, SPREADS = 0.1, 2  # more right-skewed: by that much, and so many standard deviations of runs
MORE_PAUSES, FAST_LEFT = 1.2, 0.5
LEAST_RANK, RANK_IN_PART, MOST_APART = 0.7, 0.4, 0.5
SHARE_SKEWED = 0.25

CLAIMS = (
    Claim("skewness", "8C", "The stronger the adhesion to stroma (J from 0 to -400), the more right-skewed the speeds.",
          f"The skewness at J -400 exceeds that at J 0 by {LEAST_SKEW} and by {SPREADS} standard deviations among "
          f"runs, over each of {', '.join(map(str, INTERVALS))} s; in part: by {SPREADS} standard deviations over one "
          "of them."),
    Claim("closer", "8C", "With it the speeds come closer to the measured ones.",
          "The divergence from the measured speeds is less at J -400 than at J 0. Not judged without these speeds."),
    Claim("tracks", "8D", "Adhesion makes pauses longer or more frequent, but does not stop fast motion.",
          f"Minutes below {PAUSE} µm/min are at least {MORE_PAUSES} times as frequent at J -400 as at J {LOW}, "
          f"minutes above {FAST} at least {FAST_LEFT} times; in part: pauses are more frequent."),
    Claim("landscapes", "8E", "Low and high adhesion have similar landscapes of fit, and the best fits are nearly as "
                              "good.",
          f"The divergences of the two grids (J {HIGH} and {LOW}) have a rank correlation above {LEAST_RANK}, and "
          f"their least ones differ by less than {MOST_APART} of the larger; in part: a rank correlation above "
          f"{RANK_IN_PART}."),
    Claim("best", "8E", f"The measured speeds are fitted best at high adhesion, with lambda_act {PAPER_ACT} and Max "
                        f"{PAPER_MAX}.",
          "The least divergence from the measured speeds is there. Not judged without these speeds."),
    Claim("shapes", "S2", "For some motility parameters speeds are more right-skewed at high adhesion than at low.",
          f"The skewness over {INTERVALS[LONG]} s is higher at J {HIGH} than at J {LOW} by more than {LEAST_SKEW} in "
          f"at least {100 * SHARE_SKEWED:.0f}% of the grid; in part: anywhere in it."),
)


@dataclass(frozen=True)
class Size:
    lattice: int  # sites; the ball is a little smaller
    minutes: int
    lambdas: tuple[int, ...]
    maxima: tuple[int, ...]
    grid_runs: int
    stroma: tuple[int, ...]  # J
    stroma_lattice: int
    stroma_minutes: int
    stroma_runs: int
    engine: str = "threads"

    def runs(self, kind: str) -> int:
        """Of the grid. Where cells hardly move, one shows it."""
        return 1 if kind == "hard" else self.grid_runs


SIZES = {
    "tiny": Size(32, 4, (1000, 2600), (10,), 1, (-400, 0), 40, 4, 2),
    "short": Size(48, 6, (600, 1400, 2600, 4200), (10, 20), 1, (-400, -200, 0), 48, 10, 2),
    "full": Size(256, 10, (200, 600, 1000, 1400, 1800, 2200, 2600, 3000, 3400, 3800, 4200, 4600, 5200, 6000),
                 (5, 10, 15, 20, 30, 50), 3, (-400, -300, -200, -100, 0), 256, 20, 3, "cuda"),
}


def crawl(lattice: int, act: int, maximum: int, stroma_j: int, kind: str, minutes: int, seed: int, engine: str) -> dict:
    """Speeds over each interval: moments, and over the long one divergence from the reference and bins; minutes of
    pause and of haste, a few tracks by minutes, the share of cells in several pieces, and the stroma's of the ball."""
    thick = kind == "thick"
    cells = round(tissue.cells_in(lattice) * (0.92 if thick else 1))  # as dense in what is left to them
    changes = {**tissue.node(lattice, cells, stroma_j, "free" if thick else kind), "phases.1.mcs": 60 * minutes,
               "measure.every": 60 * minutes, "measure.cells_every": 0, "measure.halves": "none",
               "measure.direction_correlation": False, "measure.speed_interval_s": list(INTERVALS),
               "measure.reference_speeds": str(ROOT / REFERENCE)}
    for cell in ("red", "green"):
        changes |= {f"types.{cell}.act.lambda": act, f"types.{cell}.act.max": maximum}
    if thick:
        changes |= {"initial.1.threshold": THICK}
    sim = kiln.Simulation(kiln.Model(MODELS / "lymph-node.toml", changes), engine=engine, seed=seed, threads=1)
    stroma = np.count_nonzero(sim.lattice == 2) / np.count_nonzero(sim.lattice != 1)  # cell 1 is the capsule
    sim.run(sim.model.mcs - 60 * minutes, progress=False)
    every = max(1, cells // FOLLOWED)
    places = [sim.cells.position[3::every]]
    sim.run(60 * minutes, every=60, progress=False, call=lambda s: places.append(s.cells.position[3::every]))
    tracks = np.array(places)
    motility, speeds, rows = (sim.columns(name) for name in ("motility", "speeds", "measures"))
    bins = speeds["count"][speeds["interval_s"] == INTERVALS[LONG]]
    return {"mean": motility["speed_mean_um_per_min"], "skewness": motility["speed_skewness"],
            "arrest": motility["arrest_coefficient"][LONG], "divergence": motility["divergence_bits"][LONG],
            "bins": bins[:SHOWN_BINS].astype(np.int32), "paused": np.nanmean(speeds_of(tracks) < PAUSE),
            "fast": np.nanmean(speeds_of(tracks) > FAST), "split": rows["fragmented"][-1] / rows["cells"][-1],
            "stroma": stroma, "tracks": typical(tracks, DRAWN).astype(np.float32)}


def speeds_of(tracks: np.ndarray) -> np.ndarray:
    """µm/min by minute and cell, of places by minutes."""
    return np.linalg.norm(np.diff(tracks, axis=0), axis=-1)


def typical(tracks: np.ndarray, count: int) -> np.ndarray:
    """Those whose lengths are nearest to the median."""
    lengths = np.nansum(speeds_of(tracks), axis=0)
    return tracks[:, np.sort(np.argsort(np.abs(lengths - np.median(lengths)))[:count])]


def crawl_over(lambdas: list, **settings) -> dict:
    """`crawl` at each lambda_act, in one piece: their kernels are the same, and are compiled once."""
    found = [crawl(act=act, **settings) for act in lambdas]
    return {name: np.array([one[name] for one in found]) for name in found[0] if name != "tracks"}


def _grid_name(kind: str, stroma_j: int, maximum: int, seed: int) -> str:
    return f"grid-{kind}{stroma_j}-max{maximum}-run{seed}"


def _stroma_name(kind: str, stroma_j: int, seed: int) -> str:
    return f"{kind}{stroma_j}-run{seed}"


GRIDS = tuple(tissue.CONNECTIVITY)
KINDS = (*GRIDS, "thick")  # of the runs over adhesion: the last has more stroma


def _stroma_of(size: Size, kind: str) -> Sequence[int]:
    """J with stroma."""
    return (size.stroma[0], size.stroma[-1]) if kind == "thick" else (*size.stroma, LOW)


def plan(size: Size) -> list[Piece]:
    at_once = 4  # on a GPU: while one plays, others make their first states

    def cost(lattice: int, minutes: int, runs: int) -> dict:
        attempts = runs * 60 * minutes * lattice**3
        if size.engine != "cuda":
            return {"cost": attempts * 1e-7}
        # An H200 takes 0.8 ms per MCS of 256^3, and is shared.
        return {"cost": at_once * (1 + attempts * 4.8e-11), "gpu": GPU_SHARES // at_once}

    pieces = [Piece(_stroma_name(kind, j, seed), crawl,
                    {"lattice": size.stroma_lattice, "act": PAPER_ACT, "maximum": PAPER_MAX, "stroma_j": j,
                     "kind": kind, "minutes": size.stroma_minutes, "seed": seed, "engine": size.engine},
                    **cost(size.stroma_lattice, size.stroma_minutes, 1))
              for kind in KINDS for j in _stroma_of(size, kind) for seed in range(1, size.stroma_runs + 1)]
    return pieces + [Piece(_grid_name(kind, j, maximum, seed), crawl_over,
                           {"lambdas": list(size.lambdas), "lattice": size.lattice, "maximum": maximum, "stroma_j": j,
                            "kind": kind, "minutes": size.minutes, "seed": seed, "engine": size.engine},
                           **cost(size.lattice, size.minutes, len(size.lambdas)))
                     for kind in GRIDS for j in (HIGH, LOW) for maximum in size.maxima
                     for seed in range(1, size.runs(kind) + 1)]


class _Found:
    def __init__(self, size: Size, results: Results):
        self.size, self._results = size, results

    def grid(self, kind: str, stroma_j: int, what: str) -> np.ndarray:
        """Means over runs, of shape (lambdas, maxima, ...)."""
        return np.stack([np.mean([self._results[_grid_name(kind, stroma_j, maximum, seed)][what]
                                  for seed in range(1, self.size.runs(kind) + 1)], axis=0)
                         for maximum in self.size.maxima], axis=1)

    def by_stroma(self, kind: str, what: str, stroma: Sequence[int]) -> np.ndarray:
        """Of shape (J, runs, ...)."""
        return np.array([[self._results[_stroma_name(kind, j, seed)][what]
                          for seed in range(1, self.size.stroma_runs + 1)] for j in stroma])


def evaluate(size: Size, results: Results) -> Outcome:
    found = _Found(size, results)
    return Outcome(
        setup=f"Balls of {size.lattice - tissue.SHELL} µm with {tissue.cells_in(size.lattice):,} cells (grid, J with "
              f"stroma {HIGH} and {LOW}, lambda_act {size.lambdas[0]} to {size.lambdas[-1]}, Max {size.maxima[0]} to "
              f"{size.maxima[-1]}; {size.minutes} minutes, {size.grid_runs} "
              f"{'run' if size.grid_runs == 1 else 'runs'} each) and of {size.stroma_lattice - tissue.SHELL} µm with "
              f"{tissue.cells_in(size.stroma_lattice):,} (J from {size.stroma[0]} to {size.stroma[-1]}, lambda_act "
              f"{PAPER_ACT}, Max {PAPER_MAX}; {size.stroma_minutes} minutes, {size.stroma_runs} runs each), generated "
              f"stroma, closed; speeds over {', '.join(map(str, INTERVALS))} s. Judged without connectivity, as in the "
              f"paper; beside it a penalty of {tissue.PENALTY} on copies that split a cell, and the hard rule (one run "
              "of the grid). The reference speeds are a stand-in, generated by a formula (experiments/data): the "
              "measured ones are not ours to ship.",
        findings=[_skewness(found), _closer(found), _tracks(found), _landscapes(found), _best(found), _shapes(found)],
        tables={"grid": _grid_table(found), "stroma": _stroma_table(found)},
        figures={"lymph_node_fit": _figure(found), "lymph_node_speeds": _distributions(found)},
        notes=[_connectivity_note(found)],
    )


def _grid_table(found: _Found) -> pd.DataFrame:
    size, rows = found.size, []
    for kind in GRIDS:
        for j in (HIGH, LOW):
            mean, skewness, *rest = (found.grid(kind, j, what)
                                     for what in ("mean", "skewness", "arrest", "divergence", "split"))
            rows += [(kind, j, act, maximum, *mean[a, m], *skewness[a, m], *(one[a, m] for one in rest))
                     for a, act in enumerate(size.lambdas) for m, maximum in enumerate(size.maxima)]
    return pd.DataFrame(rows, columns=["connectivity", "j_stroma", "lambda_act", "max_act",
                                       *(f"speed_{s}_s" for s in INTERVALS), *(f"skewness_{s}_s" for s in INTERVALS),
                                       "arrest", "divergence_bits", "split"])


def _stroma_table(found: _Found) -> pd.DataFrame:
    rows = []
    for kind in KINDS:
        stroma = _stroma_of(found.size, kind)
        mean, skewness, *rest = (found.by_stroma(kind, what, stroma) for what in
                                 ("mean", "skewness", "arrest", "divergence", "paused", "fast", "split", "stroma"))
        rows += [(kind, j, run + 1, *mean[i, run], *skewness[i, run], *(one[i, run] for one in rest))
                 for i, j in enumerate(stroma) for run in range(found.size.stroma_runs)]
    return pd.DataFrame(rows, columns=["kind", "j_stroma", "run", *(f"speed_{s}_s" for s in INTERVALS),
                                       *(f"skewness_{s}_s" for s in INTERVALS), "arrest", "divergence_bits",
                                       "paused", "fast", "split", "stroma_share"])


def _connectivity_note(found: _Found) -> str:
    j = found.size.stroma[-1:]
    speed = {kind: found.by_stroma(kind, "mean", j)[..., LONG].mean() for kind in GRIDS}
    told = [f"{100 * found.by_stroma(kind, 'split', j).mean():.0f}% of the cells are in several pieces, and "
            f"{speed[kind]:.1f} µm/min fast, {how}"
            for kind, how in (("free", "without connectivity"), ("penalty", f"with a penalty of {tissue.PENALTY}"),
                              ("hard", "where copies never split a cell"))]
    why = " So they crawl by breaking up and closing again." if speed["hard"] < 0.5 * speed["free"] else ""
    return f"At J {j[0]} {'; '.join(told)}.{why}"


def _ends(found: _Found, kind: str) -> np.ndarray:
    """Skewness at the strongest adhesion and at none, of shape (2, intervals)."""
    return found.by_stroma(kind, "skewness", (found.size.stroma[0], found.size.stroma[-1])).mean(axis=1)


def _to(ends: np.ndarray) -> str:
    return ", ".join(f"{free:.2f} to {sticky:.2f} over {s} s" for s, sticky, free in zip(INTERVALS, *ends))


def _rise(found: _Found, kind: str) -> tuple[bool, bool]:
    """Whether the rule for skewness holds of a kind of runs, and whether it does in part."""
    sticky, free = _ends(found, kind)
    limit = SPREADS * _spread(found, kind)
    return bool((sticky - free > np.maximum(LEAST_SKEW, limit)).all()), bool((sticky - free > limit).any())


def _spread(found: _Found, kind: str) -> np.ndarray:
    """By interval: the standard deviation among runs, a mean over J."""
    return found.by_stroma(kind, "skewness", _stroma_of(found.size, kind)).std(axis=1, ddof=1).mean(axis=0)


def _skewness(found: _Found) -> Finding:
    size = found.size
    stroma = [100 * found.by_stroma(kind, "stroma", _stroma_of(size, kind)).mean() for kind in ("free", "thick")]
    holds, in_part = _rise(found, "free")
    beside = []
    for kind, how in (("penalty", f"a penalty of {tissue.PENALTY} on splitting"),
                      ("thick", f"{stroma[1]:.0f}% of stroma instead of {stroma[0]:.0f}%")):
        whole, part = _rise(found, kind)
        beside.append(f"with {how} the rule {'holds' if whole else 'holds in part' if part else 'does not hold'} "
                      f"({_to(_ends(found, kind))})")
    return Finding("skewness", kiln=judge(
        holds, f"skewness from J {size.stroma[-1]} to {size.stroma[0]}: {_to(_ends(found, 'free'))} (runs differ by "
        f"{', '.join(f'{value:.3f}' for value in _spread(found, 'free'))})", in_part=in_part,
        cause=f"Tested: {'; '.join(beside)}. It is not the schedule: an emulation of the paper's scheme has 0.30 to "
              "0.14 over 20 s, -0.04 to 0.01 over 60 s, 0.22 to 0.25 over 120 s, 0.37 to 0.41 over 240 s."))


def _closer(found: _Found) -> Finding:
    size = found.size
    divergence = found.by_stroma("free", "divergence", size.stroma).mean(axis=1)
    return Finding("closer", kiln=untested(
        "Measured speeds are not ours to ship.", f"divergence from the stand-in {divergence[0]:.2f} bits at J "
        f"{size.stroma[0]}, {divergence[-1]:.2f} at {size.stroma[-1]}"))


def _tracks(found: _Found) -> Finding:
    high = found.size.stroma[0]

    def shares(kind: str) -> list[float]:
        return [float(found.by_stroma(kind, what, (j,)).mean()) for what in ("paused", "fast") for j in (high, LOW)]

    def told(kind: str) -> str:
        paused, paused_free, fast, fast_free = (f"{100 * share:.1f}%" for share in shares(kind))
        return (f"minutes below {PAUSE} µm/min: {paused} at J {high}, {paused_free} at {LOW}; above {FAST}: {fast} and "
                f"{fast_free}")

    paused, paused_free, fast, fast_free = shares("free")
    thick = 100 * found.by_stroma("thick", "paused", (high,)).mean()
    return Finding("tracks", kiln=judge(
        paused > MORE_PAUSES * paused_free and fast > FAST_LEFT * fast_free,
        f"{told('free')}. With a penalty on splitting, {told('penalty')}", in_part=paused > paused_free,
        cause=f"Tested with twice the stroma at J {high}: {thick:.1f}% of minutes are pauses."))


def _least(found: _Found, kind: str, stroma_j: int) -> tuple[float, str]:
    """The best fit, and where it is."""
    grid = found.grid(kind, stroma_j, "divergence")
    a, m = np.unravel_index(np.argmin(grid), grid.shape)
    edges = [name for name, at, values in (("lambda_act", a, found.size.lambdas), ("Max", m, found.size.maxima))
             if at in (0, len(values) - 1)]
    where = f"lambda_act {found.size.lambdas[a]}, Max {found.size.maxima[m]}"
    return float(grid.min()), where + (f" (at the grid's edge in {' and '.join(edges)})" if edges else "")


def _rank(found: _Found, kind: str) -> float:
    return float(stats.spearmanr(*(found.grid(kind, j, "divergence").ravel() for j in (HIGH, LOW))).statistic)


def _landscapes(found: _Found) -> Finding:
    rank = _rank(found, "free")
    high, low = (_least(found, "free", j)[0] for j in (HIGH, LOW))
    beside = [f"{how} {_rank(found, kind):.2f}, {_least(found, kind, HIGH)[0]:.2f} and "
              f"{_least(found, kind, LOW)[0]:.2f}"
              for kind, how in (("penalty", "with a penalty on splitting"), ("hard", "with the hard rule"))]
    size = found.size
    paper = np.abs(np.array(size.lambdas) - PAPER_ACT).argmin(), np.abs(np.array(size.maxima) - PAPER_MAX).argmin()
    speeds = [found.grid("free", j, "mean")[paper][LONG] for j in (HIGH, LOW)]
    return Finding("landscapes", kiln=judge(
        rank > LEAST_RANK and abs(high - low) < MOST_APART * max(high, low),
        f"rank correlation of the two grids {rank:.2f}, least divergences {high:.2f} bits at high adhesion and "
        f"{low:.2f} at low; {', '.join(beside)}", in_part=rank > RANK_IN_PART,
        cause=f"Speeds differ with adhesion: {speeds[0]:.1f} and {speeds[1]:.1f} µm/min at lambda_act "
              f"{size.lambdas[paper[0]]}, Max {size.maxima[paper[1]]}."))


def _best(found: _Found) -> Finding:
    def both(kind: str) -> str:
        return f"{_least(found, kind, HIGH)[1]} at high adhesion, {_least(found, kind, LOW)[1]} at low"

    return Finding("best", kiln=untested(
        "Measured speeds are not ours to ship.",
        f"the stand-in is fitted best with {both('free')}; with a penalty on splitting {both('penalty')}"))


def _more_skewed(found: _Found, kind: str) -> np.ndarray:
    high, low = (found.grid(kind, j, "skewness") for j in (HIGH, LOW))
    return high - low


def _shapes(found: _Found) -> Finding:
    more, penalised = (_more_skewed(found, kind) for kind in ("free", "penalty"))

    def count(grid: np.ndarray, interval: int) -> str:
        return f"{int((grid[..., interval] > LEAST_SKEW).sum())} of {grid[..., interval].size}"

    at_long = more[..., LONG]
    return Finding("shapes", kiln=judge(
        bool(np.mean(at_long > LEAST_SKEW) >= SHARE_SKEWED),
        f"skewness over {INTERVALS[LONG]} s at high adhesion is higher by more than {LEAST_SKEW} in "
        f"{count(more, LONG)} cases, lower by as much in {int((at_long < -LEAST_SKEW).sum())}; differences "
        f"{at_long.min():.2f} to {at_long.max():.2f}", in_part=bool((at_long > LEAST_SKEW).any()),
        cause="Tested: " + ", ".join(f"over {s} s in {count(more, i)}" for i, s in enumerate(INTERVALS) if i != LONG)
              + f"; with a penalty on splitting over {INTERVALS[LONG]} s in {count(penalised, LONG)}."))


def _shares(bins: np.ndarray) -> np.ndarray:
    return bins / bins.sum()


def _reference() -> np.ndarray:
    counts = pd.read_csv(ROOT / REFERENCE)["count"].to_numpy()
    return _shares(counts)[:SHOWN_BINS]


def _figure(found: _Found):
    size = found.size
    figure, (top, bottom) = plots.panels(4, 2, width=3.3)
    looks = (("free", "no connectivity", "#1d7874", "o-"), ("penalty", "penalty on splitting", "#c77d0a", "s:"))
    x = np.arange(SHOWN_BINS) + 0.5
    reference = _reference()
    top[0].plot(x[: len(reference)], reference, color="black", linestyle="--", label="stand-in, not measured")
    for kind, label, colour, style in looks:
        bins = found.by_stroma(kind, "bins", size.stroma[-1:]).sum(axis=(0, 1))
        top[0].plot(x, _shares(bins), color=colour, label=label)
        skewness = found.by_stroma(kind, "skewness", size.stroma).mean(axis=1)
        for i, shade in enumerate(plots.shades(len(INTERVALS))):
            top[1].plot(size.stroma, skewness[:, i], style, color=shade, markersize=3,
                        label=f"{INTERVALS[i]} s" if kind == "free" else None)
        divergence = found.by_stroma(kind, "divergence", size.stroma)
        top[2].plot(size.stroma, divergence, "o", color=colour, markersize=2, alpha=0.5)
        top[2].plot(size.stroma, divergence.mean(axis=1), "-", color=colour, label=label)
    top[0].set(title=f"speeds over 120 s, J {size.stroma[-1]}", xlabel="µm/min", ylabel="share")
    top[0].legend(loc="upper right", fontsize=6)
    top[1].axhline(0, color="#888888", linewidth=0.8)
    top[1].set(title="skewness (dotted: penalty)", xlabel="J with stroma")
    top[1].legend(fontsize=6)
    top[2].set(title="divergence from the stand-in", xlabel="J with stroma", ylabel="bits", ylim=(0, None))
    top[2].legend(fontsize=6)
    _draw_tracks(top[3], found)
    grids = (("free", HIGH, "high adhesion"), ("free", LOW, "low adhesion"), ("penalty", LOW, "low, penalty"),
             ("hard", LOW, "low, hard rule"))
    for axes, (kind, j, name) in zip(bottom, grids):
        plots.heat_map(axes, found.grid(kind, j, "divergence"), list(size.lambdas), list(size.maxima), colours="magma",
                       log=True)
        axes.set(title=f"divergence, {name}", xlabel="Max", ylabel="lambda_act")
    return figure


def _draw_tracks(axes, found: _Found) -> None:
    """At each adhesion a track of median length, with pauses in red."""
    for j, colour, name in ((found.size.stroma[0], "#555555", "high"), (LOW, "#1d7874", "low")):
        tracks = found.by_stroma("free", "tracks", (j,))[0, 0]
        track = typical(tracks, 1)[:, 0]
        track = track - track[0]
        axes.plot(track[:, 0], track[:, 1], color=colour, label=f"{name} adhesion")
        for a, b in zip(track, track[1:]):
            if np.linalg.norm(b - a) < PAUSE:
                axes.plot([a[0], b[0]], [a[1], b[1]], color="#c1121f", linewidth=3)
    axes.set(title="median tracks, pauses in red", xlabel="x (µm)", ylabel="y (µm)", aspect="equal")
    axes.legend(fontsize=6, loc="best")


def _distributions(found: _Found):
    size = found.size
    bins = {j: found.grid("free", j, "bins") for j in (HIGH, LOW)}
    figure, grid = plots.panels(len(size.maxima), len(size.lambdas), width=1.6, height=1.0)
    x = np.arange(SHOWN_BINS) + 0.5
    for (a, b), axes in np.ndenumerate(grid):
        row = len(size.lambdas) - 1 - a
        for j, colour, name in ((HIGH, "#c1121f", "high adhesion"), (LOW, "#222222", "low adhesion")):
            axes.plot(x, _shares(bins[j][row, b]), color=colour, linewidth=1, label=name)
        axes.set_yticks([])
        if a == 0:
            axes.set_title(f"Max {size.maxima[b]}")
        if b == 0:
            axes.set_ylabel(f"lambda {size.lambdas[row]}", fontsize=7)
        if a < len(grid) - 1:
            axes.set_xticklabels([])
        else:
            axes.set_xlabel("µm/min", fontsize=7)
    grid[0, -1].legend(fontsize=5)
    return figure


EXPERIMENT = Experiment("lymph_node_fit", "T cells in a lymph node: speeds", CLAIMS, SIZES, plan, evaluate)
