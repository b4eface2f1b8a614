"""Sweeps: a model with many values of its parameters, several times each."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from kiln import _kiln
from kiln.arguments import count, devices_text, engine_choice, text
from kiln.model import Model, Source, as_model
from kiln.progress import Bar

if TYPE_CHECKING:
    import pandas as pd

Values = Union[str, Sequence[Any]]


class Sweep:
    """What a sweep has left.

    `runs` has a row per run: the varied keys, replica, seed, hash, the last measures. `measures` has a row per run and
    time. `failed` names the runs that failed, their seeds, and why.
    """

    def __init__(self, runs: pd.DataFrame, measures: pd.DataFrame, failed: pd.DataFrame):
        self.runs, self.measures, self.failed = runs, measures, failed

    def __repr__(self) -> str:
        return f"<kiln.Sweep: {len(self.runs)} runs, {len(self.failed)} failed>"

    def _repr_html_(self) -> str:
        return self.runs._repr_html_()


def sweep(
    model: Model | Source,
    vary: Mapping[str, Values],
    replicas: int = 1,
    *,
    mcs: int | None = None,
    seed: int | None = None,
    engine: str = "auto",
    schedule: str = "",
    threads: int = 0,
    device: int = 0,
    devices: str | Sequence[int] | None = None,
    shard: str | None = None,
    out: str | os.PathLike | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Sweep:
    """Runs every combination of values, `replicas` times each, as `kiln sweep` does.

    Values are lists, or the texts that `--vary` takes ("200:3000:200"); "KEY,KEY" take each value together. One
    simulation per core, or all replicas of a combination at once on a GPU; each has the result that it would have
    alone. Runs that fail do not stop the others. With `out`, a folder keeps what is finished, and `resume` goes on
    after a stop.

    `devices` deals the combinations to several GPUs: "all", or their numbers. `shard` "3/16" plays every 16th run from
    the third on, in a folder of its own within `out`, and has the tables of those; `resume` without `shard` puts all
    shards together.

    >>> table = sweep({"lattice": {"size": [40, 40]}}, {"temperature": [5, 20]}, replicas=2, mcs=10).runs
    >>> table[["temperature", "replica", "mcs"]].to_string(index=False)
    ' temperature  replica  mcs\\n           5        1   10\\n           5        2   10\\n          20        1   10\\n          20        2   10'
    """
    import pandas as pd

    model = as_model(model)
    if seed is not None:
        model = model.changed(seed=seed)
    if mcs is not None:
        model = model.lasting(mcs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "sweep" if out is None else Path(out)
        tick = _Tick(model) if progress else None
        try:
            tables, failed = _kiln.sweep(
                model._model, dict(vary), count("replicas", replicas, 1),
                engine_choice(engine, schedule, threads, device), devices_text(devices),
                "" if shard is None else text("shard", shard), os.fspath(folder), resume, tick,
            )
        finally:
            if tick is not None:
                tick.finish()
        return Sweep(
            pd.read_csv(Path(tables) / "sweep.csv"),
            pd.read_csv(Path(tables) / "measures.csv"),
            pd.DataFrame(failed, columns=["run", "seed", "why"]),
        )


class _Tick:
    """A bar over the MCS of all runs."""

    def __init__(self, model: Model):
        self._sites = model._model.sites
        self._bar: Bar | None = None

    def __call__(self, done: int, mcs: int, finished: int, runs: int) -> None:
        if self._bar is None:
            self._bar = Bar(0, mcs, self._sites)
        self._bar(done, f"{finished}/{runs} runs")

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.finish()
