"""A tumour spheroid: it grows exponentially and then by a constant speed, in layers that oxygen makes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import tissue
from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, judge, untested
from experiments.lazy import pd, plots
from experiments.living.shapes import line
from experiments.pieces import Piece, Results

SITE = 4  # µm
DIFFUSION, UPTAKE = 2000, 22  # µm²/s, mmHg/s
RESTS, DIES = 5, 0.8  # mmHg
CYCLE = 18  # hours
TYPES = {"growing": "#e07a5f", "resting": "#81a4cd", "necrotic": "#3d405b"}  # from outside
CURVES = ("hours", "cells", "tissue", *TYPES)
EVERY = 12  # MCS between samples

CLAIMS = (
    Claim("exponential", "Conger 1983", "A small spheroid grows exponentially, as fast as its cells divide.",
          f"Holds where, as long as no cell rests, a line through the logarithm of its volume has R² > 0.99 and "
          f"doubles it in {CYCLE} "
          "hours to within 15%; in part: within 30%."),
    Claim("linear", "Conger 1983", "A large one has a radius that grows by a constant speed.",
          "Holds where, from the first necrotic cell on, a line through the radius has R² > 0.99, and the speeds of "
          "the first and "
          "second half of that time differ by less than 20%; in part: R² > 0.97 and 40%."),
    Claim("layers", "Sutherland 1988", "Dividing cells are outside, resting ones below them, and a necrotic core is "
                                       "in the middle.",
          "Holds where 90% of the cells of each type are where a core, a shell and a rim with as many cells of each "
          "would have them; "
          "in part: 75%."),
    Claim("radii", "Grimes 2014", "How deep oxygen reaches follows from its diffusion and its uptake.",
          f"Holds where at the end the radii below which cells are necrotic, and rest or are necrotic, are those at "
          "which the steady "
          f"state of that theory for a ball of this size is at {DIES} and {RESTS} mmHg, to within 10%; in part: 20%."),
)


@dataclass(frozen=True)
class Size:
    lattice: int
    start: float  # sites: radius
    oxygen: float  # mmHg, outside
    mcs: int
    runs: int


SIZES = {"tiny": Size(56, 20, 8, 72, 1), "short": Size(104, 8, 25, 900, 1), "full": Size(160, 8, 25, 1700, 4)}


def grow(lattice: int, start: float, oxygen: float, mcs: int, seed: int, folder: Path) -> dict:
    """Sites of each type over time, and every cell's place (sites) and type in the end."""
    run = tissue.run("living/tumour-spheroid.toml",
                     {"lattice.size": [lattice] * 3, "initial.0.region.radius": start, "mcs": mcs,
                      "measure.every": EVERY, "measure.cells_every": mcs, "substances.o2.start": oxygen,
                      "types.medium.holds.o2": oxygen,
                      "substances.o2.boundary": {"x": oxygen, "y": oxygen, "z": oxygen}}, seed, "threads", folder)
    rows, cells = run.table("measures"), run.table("cells")
    at_end = cells["mcs"] == mcs
    return {"hours": rows["t_min"] / 60, "tissue": lattice**3 - rows["medium_sites"],
            **{kind: rows[f"cells_{kind}"] * np.nan_to_num(rows[f"volume_mean_{kind}"]) for kind in TYPES},
            "cells": rows["cells"], "places": np.stack([cells[axis][at_end] / SITE for axis in "xyz"], axis=-1),
            "types": cells["type"][at_end], "volumes": cells["volume"][at_end]}


def plan(size: Size) -> list[Piece]:
    return [Piece(f"run-{seed}", grow, {"lattice": size.lattice, "start": size.start, "oxygen": size.oxygen,
                                        "mcs": size.mcs, "seed": seed}, resumes=True,
                  cost=size.lattice**3 * size.mcs * 8e-8) for seed in range(1, size.runs + 1)]


def radius(sites: np.ndarray) -> np.ndarray:
    """Of a ball, in µm."""
    return SITE * np.cbrt(3 * sites / (4 * np.pi))


def pressure(r: np.ndarray, outer: float, dead: float, outside: float) -> np.ndarray:
    """mmHg at a distance of r from the middle (µm), where there is uptake from `dead` to `outer`: the steady state."""
    k = UPTAKE / (6 * DIFFUSION)
    return outside + k * (r**2 - outer**2) + 2 * k * dead**3 * (1 / r - 1 / outer)


def reach(outer: float, outside: float, least: float) -> float:
    """Radius (µm) below which the theory has less than `least` mmHg; 0 where oxygen reaches the middle."""
    r = np.linspace(1, outer, 4000)
    # Without oxygen is the largest ball at whose surface none is left.
    dead = next((d for d in r if pressure(np.array(d), outer, d, outside) > 0), outer)
    below = (r > dead) & (pressure(r, outer, dead, outside) >= least)
    return float(r[below][0]) if below.any() and dead > r[0] else 0.0


def layered(places: np.ndarray, types: np.ndarray, volumes: np.ndarray) -> dict[str, float]:
    """By type: the share of its cells that are where a core, a shell and a rim of as many cells would have them."""
    centre = np.average(places, axis=0, weights=volumes)
    order = np.argsort(np.linalg.norm(places - centre, axis=1))
    ideal = np.concatenate([[kind] * int((types == kind).sum()) for kind in reversed(TYPES)])
    return {kind: float((types[order][ideal == kind] == kind).mean()) for kind in TYPES if (ideal == kind).any()}


def evaluate(size: Size, results: Results) -> Outcome:
    runs = [results[f"run-{seed}"] for seed in range(1, size.runs + 1)]
    cells = ", ".join(f"{run['cells'][-1]:,.0f}" for run in runs)
    return Outcome(
        setup=f"From a ball of {SITE * size.start:g} µm radius, {size.oxygen:g} mmHg of oxygen outside, "
              f"{runs[0]['hours'][-1] / 24:.1f} "
              f"days, {size.runs} run{'s' * (size.runs > 1)}, with {cells} cells in the end (models/living/tumour-spheroid.toml).",
        findings=[Finding("exponential", kiln=_exponential(runs)), Finding("linear", kiln=_linear(runs)),
                  Finding("layers", kiln=_layers(runs)), Finding("radii", kiln=_radii(size, runs))],
        tables={"growth": pd.concat([pd.DataFrame({"run": i, **{name: run[name] for name in CURVES}})
                                     for i, run in enumerate(runs, 1)])},
        figures={"tumour_spheroid": _figure(size, runs[0])},
        notes=["Conger 1983: Conger and Ziskin, Cancer Res. 43, 556. Sutherland 1988: Science 240, 177. Grimes "
               "2014: Grimes, Kelly, Bloch and Partridge, J. R. Soc. Interface 11, 20131124."],
    )


def _exponential(runs: list) -> Judgement:
    fits = []
    for run in runs:
        # The first cells begin small, and all at once: a cycle is left out.
        early = (run["resting"] + run["necrotic"] == 0) & (run["hours"] >= CYCLE)
        if early.sum() >= 5:
            fits.append(line(run["hours"][early], np.log(run["tissue"][early])))
    if not fits:
        return untested("Cells rest from the beginning.")
    doubling = np.array([np.log(2) / fit.slope for fit in fits])
    straight, off = min(fit.r_squared for fit in fits), float(np.abs(doubling / CYCLE - 1).max())
    return judge(straight > 0.99 and off < 0.15, f"doubles in {doubling.mean():.1f} hours, R² {straight:.4f}",
                 in_part=off < 0.3, cause=f"It is not {CYCLE} hours.")


def _linear(runs: list) -> Judgement:
    fits = []
    for run in runs:
        late = run["necrotic"] > 0
        if late.sum() >= 10:
            fits.append(line(run["hours"][late], radius(run["tissue"][late])))
    if not fits:
        return untested("Too short.")
    straight, bend = min(fit.r_squared for fit in fits), max(fit.bend for fit in fits)
    speed = np.mean([fit.slope for fit in fits])
    return judge(straight > 0.99 and bend < 0.2, f"{24 * speed:.1f} µm a day, R² {straight:.4f}, halves differ by "
                                                 f"{100 * bend:.0f}%",
                 in_part=straight > 0.97 and bend < 0.4, cause="The speed still changes.")


def _layers(runs: list) -> Judgement:
    shares = pd.DataFrame([layered(run["places"], run["types"], run["volumes"]) for run in runs]).min()
    if len(shares) < len(TYPES):
        return untested("Not all types are there.", f"{', '.join(shares.index)} only, of {len(TYPES)} types")
    told = ", ".join(f"{100 * share:.0f}% of the {kind}" for kind, share in shares.items())
    return judge(bool(shares.min() >= 0.9), f"{told} cells are in place", in_part=bool(shares.min() >= 0.75),
                 cause="The shell is thin, and its borders are rough.")


def _radii(size: Size, runs: list) -> Judgement:
    told, off = [], []
    for run in runs:
        outer = radius(run["tissue"][-1])
        for what, sites, least in (("necrotic", run["necrotic"][-1], DIES),
                                   ("resting or necrotic", run["necrotic"][-1] + run["resting"][-1], RESTS)):
            seen, expected = radius(sites), reach(outer, size.oxygen, least)
            if not expected:
                return untested("Too small for a necrotic core.", f"a radius of {outer:.0f} µm")
            off.append(abs(seen / expected - 1))
            told.append(f"{what} below {seen:.0f} µm (theory {expected:.0f})")
        told[-1] += f" of {outer:.0f} µm"
    return judge(max(off) < 0.1, "; ".join(told), in_part=max(off) < 0.2, cause=f"Up to {100 * max(off):.0f}% off.")


def _figure(size: Size, run):
    figure, (row,) = plots.panels(3)
    days = run["hours"] / 24
    inner = radius(run["necrotic"]), radius(run["necrotic"] + run["resting"]), radius(run["tissue"])
    for (kind, colour), low, high in zip(reversed(TYPES.items()), (0 * inner[0], *inner), inner):
        row[0].fill_between(days, low, high, color=colour, label=kind, linewidth=0)
    row[0].set(title="radius, by layers", xlabel="days", ylabel="µm")
    row[0].legend(loc="upper left")
    row[1].semilogy(days, run["cells"], color="#222222")
    row[1].set(title="cells", xlabel="days")
    distance = SITE * np.linalg.norm(run["places"] - np.average(run["places"], axis=0, weights=run["volumes"]), axis=1)
    bins = np.linspace(0, distance.max(), 25)
    row[2].hist([distance[run["types"] == kind] for kind in TYPES], bins, stacked=True, color=list(TYPES.values()))
    row[2].set(title="cells by distance in the end", xlabel="µm from the middle")
    for least in (DIES, RESTS):
        if at := reach(radius(run["tissue"][-1]), size.oxygen, least):
            row[2].axvline(at, color="black", linewidth=0.9, linestyle=":")
    return figure


EXPERIMENT = Experiment("tumour_spheroid", "A tumour spheroid", CLAIMS, SIZES, plan, evaluate)
