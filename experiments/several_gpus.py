"""One tissue on several GPUs (Fig. 2E and 6B): the same bits, and what cutting it costs. Where there are not as many
cards, several bricks are played on one, and a cost model says what cards of their own would make of it."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass

import kiln

from experiments import machine, processes
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, beside, judge, untested
from experiments.lazy import pd, plots
from experiments.machine import MODELS
from experiments.pieces import Piece, Results

CASES = {"sorting": ("sorting2d", "large/sorting-2048.toml", 2, "cell sorting, 2-D"),
         "act": ("act3d", "large/act-512.toml", 3, "crawling cells, 3-D")}
BRICKS = (1, 2, 4, 8)
PAPER_CARDS, PAPER_TIMES = 4, 2.3  # as fast as one

CLAIMS = (
    Claim("same", "2E", "One simulation is split over several GPUs.",
          f"Holds where a tissue that is cut into {', '.join(map(str, BRICKS[1:]))} bricks has, after the timed MCS, "
          "the state hash of one that is not; of the paper's scheme nothing is measured."),
    Claim("gpus", "6B", "Four GPUs are 2.3 times as fast as one.",
          f"Holds where four cards were timed, and are more than {PAPER_TIMES} times as fast as one of them. With "
          "fewer cards it is not tested; what bricks on one card take, and what the cost model of `kiln plan` says of "
          "four, is told beside it."),
)


@dataclass(frozen=True)
class Size:
    edges: dict  # by case
    mcs: int
    repeats: int = 3  # the fastest counts: other work on the machine only slows down
    gpu: bool = False  # on a GPU only


SIZES = {
    "tiny": Size({"sorting": 96, "act": 40}, 2),
    "short": Size({"sorting": 1024, "act": 96}, 8),
    "full": Size({"sorting": 16384, "act": 1024}, 16, repeats=1, gpu=True),  # where nothing else computes
}


def bench(case: str, edge: int, mcs: int, bricks: int, engine: str, repeats: int) -> dict:
    """ms per MCS after as many, the fastest of several times; the hash then, and bytes that bricks told each other in
    an MCS. Bricks are dealt to all cards, or share the cores."""
    cards = max(1, min(bricks, machine.gpus())) if engine == "cuda" else 0
    how = {"cuda": ["--devices", ",".join(str(i % max(1, cards)) for i in range(bricks))],
           "threads": ["--bricks", cut(bricks, 2 if case.endswith("2d") else 3)]}[engine]
    told = [json.loads(processes.run("bench", case, "--size", str(edge), "--mcs", str(mcs), "--engine", engine, *how,
                                     "--json")) for _ in range(repeats)]
    return {"ms": min(one["ms_per_mcs"] for one in told), "hash": told[0]["hash"], "cards": cards,
            "bytes": told[0].get("copy_bytes_per_mcs", 0) + told[0].get("sharing_bytes_per_mcs", 0),
            "device_bytes": told[0].get("device_bytes", 0)}


def cut(bricks: int, axes: int) -> str:
    """Along the last axes first."""
    counts = [1] * axes
    for i in range(bricks.bit_length() - 1):
        counts[axes - 1 - i % min(2, axes)] *= 2
    return "x".join(map(str, counts))


def _name(case: str, bricks: int) -> str:
    return f"{case}-{bricks}"


def plan(size: Size) -> list[Piece]:
    engine = "cuda" if size.gpu or machine.gpu() else "threads"
    pieces = []
    for case, bricks in itertools.product(CASES, BRICKS):
        edge = size.edges[case]
        sites = edge ** CASES[case][2]
        settings = {"case": CASES[case][0], "edge": edge, "mcs": size.mcs, "bricks": bricks, "engine": engine,
                    "repeats": size.repeats}
        rate = 2e-10 if engine == "cuda" else 6e-8
        pieces.append(Piece(_name(case, bricks), bench, settings,
                            cost=size.repeats * (2 + sites * (4e-8 + 2 * size.mcs * rate)), alone=True,
                            gpu=int(engine == "cuda")))
    return pieces


def expected(case: str, cards: int) -> float:
    """Seconds of an MCS of the full size, by the cost model for H200s in one machine."""
    _, model, axes, _ = CASES[case]
    size = [SIZES["full"].edges[case]] * axes
    need = kiln.plan(kiln.Model(MODELS / model, {"lattice.size": size}), ranks=cards, on="h200")
    return need["computing_seconds_per_mcs"] + need["talking_seconds_per_mcs"]


def _table(size: Size, results: Results) -> pd.DataFrame:
    rows = []
    for case, bricks in itertools.product(CASES, BRICKS):
        found, whole = results[_name(case, bricks)], results[_name(case, 1)]
        model = expected(case, 1) / expected(case, bricks)
        rows.append((case, size.edges[case], bricks, found["cards"], found["ms"], found["ms"] / whole["ms"],
                     found["bytes"], found["device_bytes"], found["hash"] == whole["hash"], model))
    return pd.DataFrame(rows, columns=["case", "edge", "bricks", "cards", "ms_per_mcs", "times_one_brick",
                                       "bytes_per_mcs", "device_bytes", "same_hash", "model_speed_up"])


def evaluate(size: Size, results: Results) -> Outcome:
    table = _table(size, results)
    on_cards = table.cards.max() > 0
    where = (f"on {table.cards.max()} card{'s' if table.cards.max() > 1 else ''}" if on_cards
             else "on the cores of a processor, which they share")
    return Outcome(
        setup=f"Lattices full of cells, periodic ({', '.join(f'{CASES[c][3]}, edge {size.edges[c]}' for c in CASES)}), "
              f"in {', '.join(map(str, BRICKS))} bricks {where}; {size.mcs} MCS after as many.",
        findings=[Finding("same", None, _same(table)), Finding("gpus", None, _gpus(table, on_cards))],
        tables={"bricks": table},
        figures={"several_gpus": _figure(table, on_cards)},
    )


def _same(table: pd.DataFrame) -> Judgement:
    cut_ones = table[table.bricks > 1]
    return judge(bool(cut_ones.same_hash.all()),
                 f"{int(cut_ones.same_hash.sum())} of {len(cut_ones)} cut tissues end with the hash of the whole one",
                 cause="A mistake in Kiln.")


def _gpus(table: pd.DataFrame, on_cards: bool) -> Judgement:
    measured = table[(table.bricks == PAPER_CARDS) & (table.cards >= PAPER_CARDS)]
    if len(measured):
        times = {row.case: 1 / row.times_one_brick for row in measured.itertuples()}
        told = ", ".join(f"{times[case]:.2f} times ({CASES[case][3]})" for case in times)
        return judge(min(times.values()) > PAPER_TIMES, told, cause="Too small for so many cards.")
    four = table[table.bricks == PAPER_CARDS]
    shared = ", ".join(f"{row.times_one_brick:.2f} times as long ({CASES[row.case][3]})" for row in four.itertuples())
    model = ", ".join(f"{row.model_speed_up:.1f} times ({CASES[row.case][3]})" for row in four.itertuples())
    one = "one card" if on_cards else "the same cores"
    told = (f"four bricks on {one} take {shared} as one piece does, which is what cutting costs; four H200s in one "
            f"machine would be {model} as fast as one, by the cost model of `kiln plan`, for {_full_sizes()}")
    return beside(told) if on_cards else untested("It takes GPUs to tell.", told)


def _full_sizes() -> str:
    return " and ".join(f"{SIZES['full'].edges[case]}^{axes} sites" for case, (_, _, axes, _) in CASES.items())


def _figure(table: pd.DataFrame, on_cards: bool):
    figure, (row,) = plots.panels(2, width=3.6)
    for case, colour in zip(CASES, ("#1d7874", "#c1121f")):
        chosen = table[table.case == case]
        row[0].plot(chosen.bricks, chosen.times_one_brick, "o-", color=colour, label=CASES[case][3])
        row[1].plot(chosen.bricks, chosen.model_speed_up, "o--", color=colour, label=CASES[case][3])
    row[0].axhline(1, color="#888888", linewidth=0.8, linestyle=":")
    where = "on one card" if table.cards.max() == 1 else "on cards" if on_cards else "on the same cores"
    row[0].set(title=f"bricks {where}, measured",
               xlabel="bricks", ylabel="times as long as one piece", xticks=BRICKS)
    row[0].set_ylim(0, 1.1 * table.times_one_brick.max())
    row[1].plot(BRICKS, BRICKS, color="#888888", linewidth=0.8, linestyle=":")
    row[1].plot([PAPER_CARDS], [PAPER_TIMES], "*", color="#222222", markersize=9, label="the paper's")
    row[1].set(title="H200s in one machine, cost model", xlabel="cards", ylabel="times as fast as one", xticks=BRICKS)
    row[1].legend(loc="upper left")
    return figure


EXPERIMENT = Experiment("several_gpus", "Several GPUs", CLAIMS, SIZES, plan, evaluate)
