"""Runs that leave a folder: tables, pictures, snapshots, checkpoints and a report."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from kiln import _kiln
from kiln.arguments import engine_choice, whole
from kiln.model import Model, Source, as_model
from kiln.progress import Bar
from kiln.simulation import Simulation
from kiln.tables import cell_table
from kiln.view import HEIGHT, LOOPBACK, View, opened, view_options

if TYPE_CHECKING:
    import pandas as pd

# cells.rows, of which cells.h5 is made when a run ends.
_ROW = np.dtype(
    [("mcs", "<i8"), ("id", "<u4"), ("volume", "<i4"), ("perimeter", "<i4"), ("neighbours", "<i4"),
     ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("type", "<u4")]
)


class RunFolder:
    """The folder of a run: its tables as DataFrames, its snapshots as arrays. The run may still go on, or have died.

    >>> run = RunFolder("runs/demo")          # doctest: +SKIP
    >>> run.measures.plot("t_min", "speed_um_per_min")   # doctest: +SKIP
    """

    _view: View | None = None

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    @property
    def record(self) -> dict[str, Any]:
        """What the run was and how it went: run.json, which is the last file that a run writes."""
        return json.loads((self.path / "run.json").read_text(encoding="utf-8"))

    def table(self, name: str) -> pd.DataFrame:
        """measures, cells, lags, motility, speeds or direction_correlation; those that the model asked for."""
        import pandas as pd

        return pd.read_csv(self.path / f"{name}.csv")

    @property
    def measures(self) -> pd.DataFrame:
        """The tissue over time."""
        return self.table("measures")

    @property
    def model(self) -> Model:
        """With every default, as the run began."""
        return Model(self.path / "model.toml")

    @property
    def tracks(self) -> pd.DataFrame:
        """A row per cell and sample (cells.csv); from cells.h5 where they were too long for a CSV, or from cells.rows
        before it is made."""
        if (self.path / "cells.rows").exists():
            return self._rows()
        if (self.path / "cells.h5").exists():
            return self._tracks()
        return self.table("cells")

    @property
    def cells(self) -> pd.DataFrame:
        """Another name of `tracks`."""
        return self.tracks

    @property
    def lags(self) -> pd.DataFrame:
        return self.table("lags")

    @property
    def motility(self) -> pd.DataFrame:
        return self.table("motility")

    @property
    def speeds(self) -> pd.DataFrame:
        return self.table("speeds")

    @property
    def direction_correlation(self) -> pd.DataFrame:
        return self.table("direction_correlation")

    @property
    def _track_columns(self) -> list[str]:
        return self.model._model.track_columns

    def _tracks(self) -> pd.DataFrame:
        import h5py

        with h5py.File(self.path / "cells.h5") as file:
            columns = {name: file["cells"][name][:] for name in self._track_columns}
            names = [n.decode() if isinstance(n, bytes) else n for n in file.attrs["type_names"]]
        return cell_table({**columns, "type": (columns["type"], names)})

    def _rows(self) -> pd.DataFrame:
        model = self.model
        with open(self.path / "cells.rows", "rb") as file:
            data = file.read()
        lives = [name for name in self._track_columns if name not in _ROW.names and name != "t"]
        row = np.dtype(_ROW.descr + [(name, "<f8") for name in lives])
        rows = np.frombuffer(data[: len(data) - len(data) % row.itemsize], row)
        values = {name: rows[name] for name in row.names}
        values["t"] = rows["mcs"] * model.seconds_per_mcs
        values["type"] = (rows["type"].astype(np.uint8), model.types)
        return cell_table({name: values[name] for name in self._track_columns})

    @property
    def snapshots(self) -> list[int]:
        """MCS of the saved states so far."""
        return _kiln.snapshot_times(os.fspath(self.path))

    def snapshot(self, mcs: int | None = None) -> np.ndarray:
        """Ids by site of a saved state, the last one unless `mcs` is given."""
        return _kiln.snapshot(os.fspath(self.path), None if mcs is None else whole("mcs", mcs))

    def view(self, port: int | None = None, *, listen: str = LOOPBACK, height: int = HEIGHT) -> View:
        """Shows the saved states, as `kiln view` does and as `Simulation.view` where. It ends with this RunFolder."""
        path = os.fspath(self.path)
        self._view = opened(self._view, lambda options: _kiln.view_folder(path, options), port, listen, height)
        return self._view

    def __repr__(self) -> str:
        return f"<kiln.RunFolder {str(self.path)!r}>"


def run(
    model: Model | Source,
    out: str | os.PathLike | None = None,
    *,
    every: int | None = None,
    call: Callable[[Simulation], Any] | None = None,
    mcs: int | None = None,
    seed: int | None = None,
    engine: str = "auto",
    schedule: str = "",
    threads: int = 0,
    device: int = 0,
    devices: str | Sequence[int] | None = None,
    bricks: str = "",
    start_from: str | os.PathLike | None = None,
    resume: bool = False,
    force: bool = False,
    time_limit: float | str | None = None,
    checkpoint_every: float | str | None = None,
    progress: bool = True,
    view: bool = False,
) -> RunFolder:
    """A run with a folder, as `kiln run` makes it: tables, pictures, checkpoints, a report. Without `out` it goes into
    runs/NAME, or the first of runs/NAME-2, ... that is free.

    With `call`, it is called with the simulation at every MCS that is a multiple of `every`, before anything is written
    of that MCS. It may read, and change the tissue with `set` and `edit`; run.json then says that the run was steered
    by Python. Where it returns False, or raises, the run ends with a checkpoint.

    With `view`, it can be watched in the browser as by `kiln run --view`; then its saved states, for as long as what
    this returns is kept.

    With `resume`, a run that was stopped goes on, and one that is finished is left as it is. Ctrl-C ends the run with a
    checkpoint and raises KeyboardInterrupt.

    >>> model = {"lattice": {"size": [40, 40]}, "pictures": [], "measure": {"every": 5}}
    >>> def cool_down(sim):
    ...     sim.set(temperature=sim.model["temperature"] / 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = run(model, folder, mcs=10, every=5, call=cool_down)
    ...     done.measures["mcs"].tolist(), done.record["steered_by"]
    ([0, 5, 10], 'Python')
    """
    model = as_model(model)
    if seed is not None:
        model = model.changed(seed=seed)
    if mcs is not None:
        model = model.lasting(mcs)
    if call is not None and every is None:
        raise _kiln.UserError("call needs every: the number of MCS between two calls.")
    sims: dict[str, Simulation] = {}
    views: list[View] = []

    def called(sim: _kiln.Simulation) -> Any:
        if not sims:
            sims["sim"] = Simulation._in_run(sim)
            sims["sim"]._view = views[0] if views else None
        return call(sims["sim"])

    tick = _Tick(model) if progress else None
    try:
        folder = _kiln.run(
            model._model, "" if out is None else os.fspath(out), Path(model._model.source).stem,
            engine_choice(engine, schedule, threads, device, devices, bricks),
            "" if start_from is None else os.fspath(start_from), force, resume, time_limit, checkpoint_every, 0 if every is None else whole("every", every, 1), None if call is None else called, tick,
            threading.current_thread() is threading.main_thread(), view_options() if view else None,
            lambda handle: views.append(View(handle, HEIGHT, shows=True)),
        )
    finally:
        if tick is not None:
            tick.finish()
    done = RunFolder(folder)
    done._view = views[0] if views else None
    return done


class _Tick:
    """A bar over the MCS of this part of a run."""

    def __init__(self, model: Model):
        self._sites = model._model.sites
        self._bar: Bar | None = None

    def __call__(self, mcs: int, first: int, last: int, phase: str) -> None:
        if self._bar is None:
            self._bar = Bar(first, last, self._sites)
        self._bar(mcs, phase)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.finish()
