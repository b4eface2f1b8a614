"""Speed (Fig. 6A, C and D): serial, on all cores and on a GPU, over lattice sizes."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field

import numpy as np

from experiments import machine, processes
from experiments.claims import Claim, Experiment, Finding, Outcome, beside, judge, untested
from experiments.lazy import pd, plots
from experiments.pieces import Piece, Results
from experiments.schedules import in_words
from experiments.timing import REPEATS, timing

CASES = {"sorting": ("large/sorting-2048.toml", 2, "cell sorting, 2-D"),
         "collective": ("large/collective-256.toml", 3, "collective, 3-D")}
WAYS = {"serial": ("serial", 1, "serial, one core", "#222222"), "one": ("threads", 1, "tiles, one core", "#8fb8b5"),
        "all": ("threads", 0, "tiles, all cores", "#1d7874"), "gpu": ("cuda", 0, "tiles, GPU", "#c1121f")}
# A board on which regions are kept in shared memory by default, and what is turned off of its kernels. The kernel that is
# neither evaluates all terms of the paper, whether the model uses them or not, as that of the paper's software does.
BOARD = {"region": 4, "per_thread": 8, "switch_every": 16}
KERNELS = {"neither": ["--no-cache", "--all-terms"], "caching": ["--all-terms"], "specialised": ["--no-cache"], "both": []}
GENERIC = {"skipping": ["--no-cache", "--generic"]}  # one that reads from memory what the model does not use, and skips it
# Site updates per second on a Neoverse-V1 core, measured apart: the paper's own serial engine (docs/performance.md), and
# Morpheus 2.2.4; cell sorting, 2048 x 2048 sites.
THEIR_SERIAL_2048, MORPHEUS_2048 = 4.4e6, 9.3e5
# By the counters of Nsight Compute, `play_region` on 16384 x 16384 sites on an H200, with neither and so on.
KERNELS_PROFILED = (
    "Profiled on an H200: its own caches leave little to gain. With neither, L1 answers 62% of the reads and L2 91% of "
    "the others, and memory is used to 14% of its peak. What kernels are bound by is instructions: 2.57 billion in a "
    "launch with neither, 2.73 with caching (filling the cache is work, too), 1.25 specialised, 1.55 with both; and a "
    "specialised kernel takes 40 registers instead of 80, so twice as many warps hide each other's waiting. Cards of "
    "the paper's time have smaller caches; none was at hand.")
TIMES = {"caching": 5, "sorting": 3500, "morpheus": 25_000, "collective": 600}  # as fast
MORE = 1.1  # times as fast as the better of two alone

CLAIMS = (
    Claim("caching", "6A", "Shared-memory caching and specialised kernels together make the GPU 10 times faster, "
                           "more than either alone.",
          f"Holds where both together are more than {TIMES['caching']} times as fast as a kernel of all terms without a "
          f"cache, and {MORE} times as fast as either alone; in part where one of these is so."),
    Claim("sorting", "6C", "2-D sorting on 2048 x 2048 sites: a GPU is more than 3,500 times as fast as the "
                           "serial engine.", "Holds where Kiln on a GPU of today is, against the paper's serial engine."),
    Claim("morpheus", "6C", "It is more than 25,000 times as fast as Morpheus.", "Likewise, against Morpheus 2.2.4."),
    Claim("collective", "6D", "The 3-D collective on 256^3 sites: a GPU is more than 600 times as fast as the "
                              "serial engine.", "Holds where Kiln on a GPU of today is, against its own serial engine."),
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
    "full": Size({"sorting": (256, 512, 1024, 2048), "collective": (32, 64, 128, 256)}, 1e7, 16384,
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
        pieces += [Piece(f"kernels-{name}", time_kernels, {"edge": size.kernels_edge, "mcs": 10, "board": BOARD,
                                                           "without": without},
                         cost=10, alone=True, gpu=1, prepare=compile_kernels)
                   for name, without in {**KERNELS, **GENERIC}.items()]
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
    kernels = {name: results[f"kernels-{name}"]["ms"] for name in (*KERNELS, *GENERIC) if f"kernels-{name}" in results}
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


def _rates(size: Size, table: pd.DataFrame, case: str, edge: int) -> tuple[str, float | None, float]:
    """In words; of the GPU, and of one core."""
    edge = edge if edge in size.edges[case] else max(size.edges[case])
    serial, everywhere = _rate(table, case, "serial", edge), _rate(table, case, "all", edge)
    text = (f"edge {edge}: serial {serial:.2g} site updates/s, all {_cores(table)} cores {everywhere:.2g} "
            f"({everywhere / serial:.1f} times)")
    gpu = _rate(table, case, "gpu", edge)
    return text if gpu is None else f"{text}, GPU {gpu:.2g} ({gpu / serial:,.0f} times)", gpu, serial


def _findings(size: Size, table: pd.DataFrame, kernels: dict) -> list[Finding]:
    without = "It takes a GPU to tell, and there is none on this machine."
    sorting, gpu, _ = _rates(size, table, "sorting", 2048)
    collective, gpu_3d, serial_3d = _rates(size, table, "collective", 256)

    def against(key: str, name: str, rate: float) -> Finding:
        if gpu is None:
            return Finding(key, untested(without), beside(sorting))
        return Finding(key, judge(gpu / rate > TIMES[key], f"{gpu / rate:,.0f} times {name} ({rate:.2g} site updates/s on a "
                                                           "Neoverse-V1 core)"), beside(sorting))

    return [
        Finding("caching", untested(without) if not kernels else _kernels_judged(kernels)),
        against("sorting", "the paper's own serial engine", THEIR_SERIAL_2048),
        against("morpheus", "Morpheus", MORPHEUS_2048),
        Finding("collective", None, untested(without, collective) if gpu_3d is None else
                judge(gpu_3d / serial_3d > TIMES["collective"], collective)),
    ]


def _kernels_judged(kernels: dict):
    gain = {name: kernels["neither"] / ms for name, ms in kernels.items()}
    alone = max(gain["caching"], gain["specialised"])
    fast, together = gain["both"] > TIMES["caching"], gain["both"] > MORE * alone
    return judge(fast and together,
                 f"{kernels['neither']:.3g} ms per MCS with neither; {gain['caching']:.2f} times as fast with caching "
                 f"alone, {gain['specialised']:.2f} times with specialised kernels alone, {gain['both']:.2f} times "
                 f"with both; {gain['skipping']:.2f} times where a kernel of all terms may skip what the model does not use",
                 in_part=fast or together,
                 cause=KERNELS_PROFILED)


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
        row[2].bar(list(KERNELS), [kernels["neither"] / kernels[name] for name in KERNELS], color="#5c7fa3")
        row[2].set(title="what kernels gain from", ylabel="times as fast as with neither")
    return figure


EXPERIMENT = Experiment("speed", "Speed", CLAIMS, SIZES, plan, evaluate)
