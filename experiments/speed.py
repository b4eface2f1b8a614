"""Speed (Fig. 6A to D): serial, on all cores and on a GPU, over lattice sizes."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field

import numpy as np

from experiments import machine, processes
from experiments.claims import Claim, Experiment, Finding, Outcome, judge, untested
from experiments.lazy import pd, plots
from experiments.pieces import Piece, Results
from experiments.schedules import in_words
from experiments.timing import REPEATS, timing

CASES = {"sorting": ("large/sorting-2048.toml", 2, "cell sorting, 2-D"),
         "collective": ("large/collective-256.toml", 3, "collective, 3-D")}
WAYS = {"serial": ("serial", 1, "serial, one core", "#222222"), "one": ("threads", 1, "tiles, one core", "#8fb8b5"),
        "all": ("threads", 0, "tiles, all cores", "#1d7874"), "gpu": ("cuda", 0, "tiles, GPU", "#c1121f")}
# A board on which regions are kept in shared memory by default, and what is turned off of its kernels.
BOARD = {"region": 2, "per_thread": 4, "switch_every": 16}
KERNELS = {"neither": ["--no-cache", "--generic"], "caching": ["--generic"], "specialised": ["--no-cache"], "both": []}
# Site updates per second of the paper's own serial engine on a Neoverse-V1 core (docs/performance.md).
PAPER_SERIAL_2048 = 4.4e6

CLAIMS = (
    Claim("caching", "6A", "Shared-memory caching and specialised kernels together make the GPU 10 times faster, "
                           "more than either alone."),
    Claim("gpus", "6B", "Four GPUs are 2.3 times as fast as one."),
    Claim("sorting", "6C", "2-D sorting on 2048 x 2048 sites: a GPU is more than 3,500 times as fast as the "
                           "serial engine."),
    Claim("morpheus", "6C", "It is more than 25,000 times as fast as Morpheus."),
    Claim("collective", "6D", "The 3-D collective on 256^3 sites: a GPU is more than 600 times as fast as the "
                              "serial engine."),
    Claim("cores", "ours", "All cores together are faster than one in proportion."),
)


@dataclass(frozen=True)
class Size:
    edges: dict  # by case
    attempts: float  # of a timing on a processor
    kernels_edge: int  # for the gain of caching and specialising
    larger: dict = field(default_factory=dict)  # edges for a GPU alone
    gpu: bool = False  # or where there is one


SIZES = {
    "tiny": Size({"sorting": (64, 128), "collective": (16, 24)}, 5e4, 64),
    "short": Size({"sorting": (256, 512, 1024, 2048), "collective": (32, 64, 96, 128)}, 4e7, 1024),
    "full": Size({"sorting": (256, 512, 1024, 2048), "collective": (32, 64, 128, 256)}, 1e7, 2048,
                 {"sorting": (4096, 8192), "collective": (512,)}, gpu=True),
}


def time_kernels(edge: int, mcs: int, board: dict, without: list) -> dict:
    """ms per MCS of cell sorting on a checkerboard on a GPU, after as many MCS: the fastest of several times."""
    return {"ms": min(_bench(edge, mcs, board, without) for _ in range(REPEATS))}


def compile_kernels(edge: int, mcs: int, board: dict, without: list) -> None:
    """What `time_kernels` then finds in the cache."""
    _bench(edge, 1, board, without)


def _bench(edge: int, mcs: int, board: dict, without: list) -> float:
    dials = [f"--set=schedule.checkerboard.{dial}={value}" for dial, value in board.items()]
    told = processes.run("bench", "sorting2d", "--size", str(edge), "--mcs", str(mcs), "--engine", "cuda", "--schedule",
                         "checkerboard", "--json", *dials, *without)
    return json.loads(told)["ms_per_mcs"]


def _name(case: str, way: str, edge: int) -> str:
    return f"{case}-{way}-{edge}"


def _edges(size: Size, case: str, way: str) -> tuple[int, ...]:
    return size.edges[case] + (size.larger.get(case, ()) if way == "gpu" else ())


def plan(size: Size) -> list[Piece]:
    pieces = []
    for case, way in itertools.product(CASES, WAYS):
        model, axes, _ = CASES[case]
        engine, threads, *_ = WAYS[way]
        if way != "gpu" or size.gpu or machine.gpu():
            pieces += [timing(_name(case, way, edge), model, [edge] * axes, engine, threads, size.attempts, size.gpu)
                       for edge in _edges(size, case, way)]
    if size.gpu or machine.gpu():
        pieces += [Piece(f"kernels-{name}", time_kernels, {"edge": size.kernels_edge, "mcs": 100, "board": BOARD,
                                                           "without": without},
                         cost=10, alone=True, gpu=1, prepare=compile_kernels) for name, without in KERNELS.items()]
    return pieces


def _table(size: Size, results: Results) -> pd.DataFrame:
    rows = []
    for case, way in itertools.product(CASES, WAYS):
        for edge in _edges(size, case, way):
            if _name(case, way, edge) in results:
                found = results[_name(case, way, edge)]
                rows.append((case, edge, way, found["cores"], found["ms"], 1000 * found["sites"] / found["ms"],
                             found["gpu"]))
    return pd.DataFrame(rows, columns=["case", "edge", "how", "cores", "ms_per_mcs", "site_updates_per_second", "gpu"])


def evaluate(size: Size, results: Results) -> Outcome:
    table = _table(size, results)
    kernels = {name: results[f"kernels-{name}"]["ms"] for name in KERNELS if f"kernels-{name}" in results}
    return Outcome(
        setup="Lattices full of cells, periodic; up to 100 MCS after as many, fewer on a processor where they "
              "would take long. `serial` is the textbook chain, `tiles` our parallel schedule."
              + (f" Kernels: cell sorting, {size.kernels_edge} x {size.kernels_edge} sites, checkerboard with "
                 f"{in_words(BOARD)}." if kernels else ""),
        findings=_findings(size, table, kernels),
        tables={"speed": table, **({"kernels": pd.DataFrame(list(kernels.items()), columns=["kernels", "ms_per_mcs"])}
                                   if kernels else {})},
        figures={"speed": _figure(size, table, kernels)},
    )


def _rate(table: pd.DataFrame, case: str, way: str, edge: int) -> float | None:
    row = table[(table.case == case) & (table.how == way) & (table.edge == edge)]
    return float(row.site_updates_per_second.iloc[0]) if len(row) else None


def _cores(table: pd.DataFrame) -> int:
    return int(table[table.how == "all"].cores.iloc[0])


def _against_serial(size: Size, table: pd.DataFrame, case: str, edge: int, claimed: float) -> Finding:
    edge = edge if edge in size.edges[case] else max(size.edges[case])
    serial, everywhere = _rate(table, case, "serial", edge), _rate(table, case, "all", edge)
    text = (f"edge {edge}: serial {serial:.2g} site updates/s, all {_cores(table)} cores {everywhere:.2g} "
            f"({everywhere / serial:.1f} times)")
    gpu = _rate(table, case, "gpu", edge)
    if gpu is None:
        return untested(case, "No GPU on this machine.", text)
    text += f", GPU {gpu:.2g} ({gpu / serial:,.0f} times"
    if case == "sorting" and edge == 2048:
        text += f"; {gpu / PAPER_SERIAL_2048:,.0f} times the paper's own serial engine on a Neoverse-V1 core"
    return judge(case, gpu / serial > claimed, text + ")", in_part=gpu / serial > 0.1 * claimed,
                 cause="Kiln's serial engine is several times faster than the paper's, so the same GPU leads by less.")


def _kernels_finding(kernels: dict) -> Finding:
    if not kernels:
        return untested("caching", "It takes a GPU to tell, and there is none on this machine.")
    gain = {name: kernels["neither"] / ms for name, ms in kernels.items()}
    alone = max(gain["caching"], gain["specialised"])
    return judge("caching", gain["both"] > 5 and gain["both"] > 1.1 * alone,
                 f"{kernels['neither']:.3g} ms per MCS with neither; {gain['caching']:.2f} times as fast with caching "
                 f"alone, {gain['specialised']:.2f} times with specialised kernels alone, {gain['both']:.2f} times "
                 "with both",
                 in_part=gain["both"] > 1.5 and gain["both"] > alone,
                 cause="How much there is to gain depends on the card, whose caches are larger than those of the "
                       "paper's, and on how good the kernels are that know nothing of the model.")


def _findings(size: Size, table: pd.DataFrame, kernels: dict) -> list[Finding]:
    gains = {case: _rate(table, case, "all", max(edges)) / _rate(table, case, "one", max(edges))
             for case, edges in size.edges.items()}
    return [
        _kernels_finding(kernels),
        untested("gpus", "Several GPUs come later."),
        _against_serial(size, table, "sorting", 2048, 3500),
        untested("morpheus", "Other people's software is quoted, not run."),
        _against_serial(size, table, "collective", 256, 600),
        judge("cores", min(gains.values()) > 0.7 * _cores(table),
              ", ".join(f"{CASES[case][2]}: {gain:.2f} times one core with {_cores(table)}"
                        for case, gain in gains.items()),
              in_part=min(gains.values()) > 1.1,
              cause="The machine was busy with other work, or the lattice is too small for so many cores."),
    ]


def _figure(size: Size, table: pd.DataFrame, kernels: dict):
    from matplotlib.ticker import NullLocator

    figure, (row,) = plots.panels(3 if kernels else 2, width=3.6)
    for axes, case in zip(row, CASES):
        for way, (_, _, label, colour) in WAYS.items():
            chosen = table[(table.case == case) & (table.how == way)]
            if len(chosen):
                axes.loglog(chosen.edge, chosen.site_updates_per_second, "o-", color=colour, label=label)
        edges = sorted(set(table[table.case == case].edge))
        axes.set_xticks(edges, [str(edge) for edge in edges])
        axes.xaxis.set_minor_locator(NullLocator())
        rates = table[table.case == case].site_updates_per_second
        axes.set_ylim(10 ** np.floor(np.log10(rates.min())), 10 ** np.ceil(np.log10(rates.max())))
        axes.set(title=CASES[case][2], xlabel="edge (sites)", ylabel="site updates per second")
    row[1].legend(loc="upper left")
    if kernels:
        row[2].bar(list(kernels), [kernels["neither"] / ms for ms in kernels.values()], color="#5c7fa3")
        row[2].set(title="what kernels gain from", ylabel="times as fast as with neither")
    return figure


EXPERIMENT = Experiment("speed", "Speed", CLAIMS, SIZES, plan, evaluate)
