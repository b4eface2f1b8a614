"""How long an MCS takes."""

from __future__ import annotations

import time

import kiln

from experiments.machine import MODELS

REPEATS = 3  # the fastest counts: other work on the machine only slows down


def ms_per_mcs(model: str, size: list, engine: str, threads: int, mcs: int) -> dict:
    """After a burn-in of as many MCS. `model` is a file of models/, `threads` 0 for all. One thread is timed by what it
    computes, whatever else the machine does; all of them, and a GPU, by the clock."""
    sim = kiln.Simulation(kiln.Model(MODELS / model, {"lattice.size": size}), engine=engine, threads=threads,
                          record=False)
    clock = time.process_time if threads == 1 else time.monotonic
    sim.run(mcs, progress=False)
    seconds = []
    for _ in range(REPEATS):
        start = clock()
        sim.run(mcs, progress=False)
        seconds.append(clock() - start)
    return {"ms": 1000 * min(seconds) / mcs, "sites": sim.lattice_sites, "gpu": sim.gpu}


def mcs_for(sites: int, engine: str, attempts: float) -> int:
    """100 MCS as in the paper; on a processor fewer where that would be more than so many attempts."""
    return 100 if engine == "cuda" else int(min(100, max(3, attempts // sites)))
