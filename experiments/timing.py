"""How long an MCS takes."""

from __future__ import annotations

import time

import kiln

from experiments.machine import MODELS

ATTEMPTS = 4e7  # of a timing on a processor: seconds
REPEATS = 3  # the fastest counts: other work on the machine only slows down


def ms_per_mcs(model: str, size: list, engine: str, threads: int, mcs: int) -> dict:
    """After a burn-in of as many MCS. `model` is a file of models/, `threads` 0 for all."""
    sim = kiln.Simulation(kiln.Model(MODELS / model, {"lattice.size": size}), engine=engine, threads=threads, record=False)
    sim.run(mcs, progress=False)
    seconds = []
    for _ in range(REPEATS):
        start = time.monotonic()
        sim.run(mcs, progress=False)
        seconds.append(time.monotonic() - start)
    return {"ms": 1000 * min(seconds) / mcs, "sites": sim.lattice_sites, "gpu": sim.gpu}


def mcs_for(sites: int, engine: str) -> int:
    """100 MCS as in the paper, fewer where that would take long."""
    return 100 if engine == "cuda" else int(min(100, max(3, ATTEMPTS // sites)))
