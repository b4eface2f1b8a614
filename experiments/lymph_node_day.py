"""A day of a lymph node of 1 mm (Fig. 9), played from its first minute to its last: how long that takes, and how far
two halves mix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge, untested
from experiments.lazy import pd, plots
from experiments.pieces import GPU_SHARES, Piece, Results
from experiments.tissue import DISTANCES, LARGE_CELLS, LARGE_LATTICE

DAY = 24 * 60  # minutes
PAPER_DAYS, DAYS_IN_PART = 1.9, 7
FOLLOWED = 1000  # cells
TENTHS = 10  # of a µm: what is kept of a place
SPREAD = 60  # minutes, after which cells have forgotten their direction

CLAIMS = (
    Claim("day", "9", "The parallel engine plays a day of a tissue of 1 mm in days (1.9 on the paper's GPU).",
          f"{60 * DAY:,} MCS of {LARGE_CELLS:,} cells were played to the end, on one GPU, within {PAPER_DAYS} days; in "
          f"part: within {DAYS_IN_PART}. The time is that of the run from its start to its last file, over all the "
          "parts it was played in."),
)


@dataclass(frozen=True)
class Size:
    model: str
    lattice: int
    cells: int
    minutes: int
    every: int  # MCS between samples
    frame_every: int  # MCS between pictures
    engine: str = "threads"


SIZES = {
    "tiny": Size("lymph-node.toml", 32, tissue.cells_in(32), 6, 60, 120),
    "short": Size("lymph-node.toml", 56, tissue.cells_in(56), 120, 300, 600),
    "full": Size("large/lymph-node-1mm.toml", LARGE_LATTICE, LARGE_CELLS, DAY, 600, 3600, "cuda"),
}
# What is shown until the full one has been played.
HALF = Size("large/lymph-node-1mm.toml", 512, tissue.cells_in(512), DAY, 600, 3600, "cuda")


def play(model: str, lattice: int, cells: int, minutes: int, every: int, frame_every: int, engine: str,
         folder: Path) -> dict:
    """Mixed shares over time, places of some cells, a film, and what it took. The first minute is for growing."""
    film = {"view": "slice", "name": "day", "width": 384, "every": frame_every, "animation": True, "mp4": False,
            "borders": False, "decoration": "scale"}
    run = tissue.run(model, {**tissue.node(lattice, cells, 0), "phases.0.mcs": 60, "phases.1.mcs": 60 * minutes - 60,
                             "measure.every": every, "measure.cells_every": every,
                             "measure.one_cell_in": max(1, cells // FOLLOWED),
                             "measure.mixed_within_um": list(DISTANCES), "measure.speed_interval_s": 0,
                             "measure.direction_correlation": False, "output.checkpoint_every": 0},
                     1, engine, folder, pictures=[film])
    rows, record = run.table("measures"), run.record()
    times, places = tracks(run.table("cells"))
    return {"minutes": rows["t_min"], "mixed": rows["mixed_fraction"],
            **{f"mixed_{um}": rows[f"mixed_within_{um}_um"] for um in DISTANCES},
            "track_minutes": times / 60, "tracks": np.round(TENTHS * places).astype(np.int16),
            "film": np.frombuffer(run.picture("day.png"), np.uint8), "mcs": record["mcs"], "cells": record["cells"],
            "seconds": record["seconds_in_all"], "hash": record["hash"]}


def tracks(cells: dict) -> tuple[np.ndarray, np.ndarray]:
    """Times (s), and places (µm) of shape (samples, cells, 3) of those cells that are in every sample."""
    (times, at), (ids, whose) = (np.unique(cells[column], return_inverse=True) for column in ("t", "id"))
    places = np.full((len(times), len(ids), 3), np.nan)
    places[at, whose] = np.stack([cells[axis] for axis in "xyz"], axis=-1)
    return times, places[:, ~np.isnan(places).any(axis=(0, 2))]


def plan(size: Size) -> list[Piece]:
    if size is SIZES["full"]:
        return [_piece("day", size, optional=True), _piece("half", HALF)]
    return [_piece("day", size)]


def _piece(name: str, size: Size, optional: bool = False) -> Piece:
    settings = {"model": size.model, "lattice": size.lattice, "cells": size.cells, "minutes": size.minutes,
                "every": size.every, "frame_every": size.frame_every, "engine": size.engine}
    attempts = 60 * size.minutes * size.lattice**3
    # An H200 takes 34 ms per MCS of 1 mm.
    cost = {"cost": 120 + attempts * 3.3e-11, "gpu": GPU_SHARES} if size.engine == "cuda" else {"cost": attempts * 1e-7}
    return Piece(name, play, settings, optional=optional, resumes=True, **cost)


def crossed(places: np.ndarray, middle: float) -> np.ndarray:
    """By sample: the share of the cells that were on the lower side of x = middle and are on the other now."""
    lower = places[0, :, 0] < middle
    return np.mean(places[:, lower, 0] >= middle, axis=1) if lower.any() else np.full(len(places), np.nan)


def diffusion(minutes: np.ndarray, places: np.ndarray, lag: float) -> float:
    """Mean squared displacement over 6 lags (minutes), in µm²/min, over all times of an even rhythm."""
    step = max(1, round(lag / np.median(np.diff(minutes))))
    step = min(step, len(places) - 1)
    ways = places[step:] - places[:-step]
    return float(np.mean(np.sum(ways**2, axis=-1)) / (6 * step * np.median(np.diff(minutes))))


def evaluate(size: Size, results: Results) -> Outcome:
    if "day" not in results:
        size = HALF
    found = results["day" if "day" in results else "half"]
    places = found["tracks"] / TENTHS
    other_side = crossed(places, (size.lattice - 1) / 2)
    mixing = pd.DataFrame({"minutes": found["minutes"], "contact": found["mixed"],
                           **{f"within_{um}_um": found[f"mixed_{um}"] for um in DISTANCES}})
    return Outcome(
        setup=f"A ball of {size.lattice - tissue.SHELL} µm with {found['cells']:,} cells and generated stroma, J with "
              f"stroma 0, lambda_act 2600, Max 10: {found['mcs']:,} MCS, that is {_duration(size.minutes)}, in one "
              f"run. Mixing every {size.every / 60:.0f} min, {places.shape[1]:,} cells followed, a picture of the "
              f"middle plane every {size.frame_every / 60:.0f} min.",
        findings=[Finding("day", kiln=_day(size, found))],
        tables={"mixing": mixing, "crossed": pd.DataFrame({"minutes": found["track_minutes"], "crossed": other_side})},
        figures={"lymph_node_day": _figure(found, places, other_side), "lymph_node_day_film": found["film"].tobytes()},
        notes=[_mixed_note(size, found, places, other_side)],
    )


def _mixed_note(size: Size, found, places: np.ndarray, other_side: np.ndarray) -> str:
    within = ", ".join(f"{100 * found[f'mixed_{um}'][-1]:.1f}% have one within {um} µm" for um in DISTANCES)
    spread = diffusion(found["track_minutes"], places, SPREAD)
    touching = f"{100 * found['mixed'][-1]:.1f}%"
    return (f"After {_duration(size.minutes)} {touching} of one half's cells touch one of the other, "
            f"{within}, and {100 * other_side[-1]:.0f}% of the followed ones are on the other side of the middle: half "
            f"would be, were all mixed through. They spread with {spread:.0f} µm²/min.")


def _duration(minutes: int) -> str:
    return f"{minutes // 60} hours" if minutes % 60 == 0 else f"{minutes} minutes"


def _day(size: Size, found) -> Judgement:
    took = found["seconds"]
    days = took / 86400
    told = (f"{found['mcs']:,} MCS of {found['cells']:,} cells took {took / 60:.1f} minutes, "
            f"{1000 * took / found['mcs']:.3g} ms per MCS with measures, pictures and files")
    if (size.lattice, size.minutes) != (LARGE_LATTICE, DAY):
        return untested(f"A ball of {size.lattice} µm and {_duration(size.minutes)} were played.", told)
    return judge(found["mcs"] == 60 * DAY and days <= PAPER_DAYS, told, in_part=days <= DAYS_IN_PART,
                 cause=f"It took {days:.1f} days.")


def _figure(found, places: np.ndarray, other_side: np.ndarray):
    figure, (row,) = plots.panels(3, width=3.4)
    hours = found["minutes"] / 60
    row[0].plot(hours, 100 * found["mixed"], color="#222222", label="contact")
    for um, colour in zip(DISTANCES, plots.shades(len(DISTANCES))):
        row[0].plot(hours, 100 * found[f"mixed_{um}"], color=colour, label=f"within {um} µm")
    row[0].set(title="mixing", xlabel="hours", ylabel="% of one half's cells", ylim=(0, 100))
    row[0].legend(fontsize=6)
    track_hours = found["track_minutes"] / 60
    row[1].plot(track_hours, 100 * other_side, color="#c1121f")
    row[1].axhline(50, color="#888888", linewidth=0.8, linestyle=":")
    row[1].set(title="on the other side of the middle", xlabel="hours", ylabel="% of the followed cells", ylim=(0, 60))
    for cell in range(0, places.shape[1], max(1, places.shape[1] // 40)):
        red = places[0, cell, 0] < places[..., 0].mean()
        row[2].plot(places[:, cell, 0], places[:, cell, 1], color="#d1495b" if red else "#4fa88a", linewidth=0.6)
    row[2].set(title="tracks", xlabel="x (µm)", ylabel="y (µm)", aspect="equal")
    return figure


EXPERIMENT = Experiment("lymph_node_day", "A day of a lymph node", CLAIMS, SIZES, plan, evaluate)
