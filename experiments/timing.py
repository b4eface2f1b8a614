"""How long an MCS takes."""

from __future__ import annotations

import math
import time

import kiln

from experiments.machine import MODELS, cores
from experiments.pieces import Piece

REPEATS = 3  # the fastest counts: other work on the machine only slows down
ALL_CORES_MORE = 8  # times as many attempts of all cores, where there is a GPU and thus many of them


def ms_per_mcs(model: str, size: list, engine: str, threads: int, mcs: int) -> dict:
    """After a burn-in of as many MCS. `model` is a file of models/, `threads` 0 for all. One thread is timed by what it
    computes, whatever else the machine does; all of them, and a GPU, by the clock."""
    sim = _simulation(model, size, engine, threads)
    clock = time.process_time if threads == 1 else time.monotonic
    sim.run(mcs, progress=False)
    seconds = []
    for _ in range(REPEATS):
        start = clock()
        sim.run(mcs, progress=False)
        seconds.append(clock() - start)
    return {"ms": 1000 * min(seconds) / mcs, "sites": sim.lattice_sites, "gpu": sim.gpu, "cores": threads or cores()}


def compile_kernels(model: str, size: list, engine: str, threads: int, mcs: int) -> None:
    """What `ms_per_mcs` then finds in the cache."""
    _simulation(model, size, engine, threads)


def _simulation(model: str, size: list, engine: str, threads: int) -> kiln.Simulation:
    return kiln.Simulation(kiln.Model(MODELS / model, {"lattice.size": size}), engine=engine, threads=threads,
                           record=False)


def timing(name: str, model: str, size: list, engine: str, threads: int, attempts: float, gpu: bool) -> Piece:
    """A piece that times; `attempts` as of `mcs_for`. With `gpu` only on a machine that has one, so that what is
    compared was timed on the same machine."""
    sites = math.prod(size)
    more = ALL_CORES_MORE if gpu and threads != 1 else 1
    mcs = mcs_for(sites, engine, attempts * more)
    settings = {"model": model, "size": size, "engine": engine, "threads": threads, "mcs": mcs}
    if engine == "cuda":
        return Piece(name, ms_per_mcs, settings, cost=3 + (REPEATS + 1) * mcs * sites * 2e-10, alone=True, gpu=1,
                     prepare=compile_kernels)
    return Piece(name, ms_per_mcs, settings, cost=0.2 + (REPEATS + 1) * mcs * sites * 6e-8 / more, alone=True,
                 gpu=int(gpu))


def mcs_for(sites: int, engine: str, attempts: float) -> int:
    """100 MCS as in the paper; on a processor fewer where that would be more than so many attempts."""
    return 100 if engine == "cuda" else int(min(100, max(3, attempts // sites)))
