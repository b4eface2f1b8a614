"""Runs of the command line: a folder with tables, pictures, snapshots, checkpoints and a report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kiln import _kiln
from kiln._kiln import Failure, UserError
from kiln.model import Model, Source, as_model

if TYPE_CHECKING:
    import pandas as pd


class RunFolder:
    """The folder of a run of the command line: its tables as DataFrames.

    >>> run = RunFolder("runs/demo")          # doctest: +SKIP
    >>> run.measures.plot("t_min", "speed_um_per_min")   # doctest: +SKIP
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    @property
    def record(self) -> dict[str, Any]:
        """What the run was and how it went: run.json."""
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
    def tracks(self) -> pd.DataFrame:
        """A row per cell and sample (cells.csv); from cells.h5 where they were too long for a CSV."""
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

    def _tracks(self) -> pd.DataFrame:
        import h5py

        from kiln.tables import cell_table

        with h5py.File(self.path / "cells.h5") as file:
            order = [name for name, *_ in _kiln.columns("cells.csv")]  # HDF5 sorts by name
            columns = {name: file["cells"][name][:] for name in order}
            names = [n.decode() if isinstance(n, bytes) else n for n in file.attrs["type_names"]]
        return cell_table({**columns, "type": (columns["type"], names)})

    def __repr__(self) -> str:
        return f"<kiln.RunFolder {str(self.path)!r}>"


def run(
    model: Model | Source,
    out: str | os.PathLike,
    *options: str,
    mcs: int | None = None,
    seed: int | None = None,
    engine: str = "auto",
    resume: bool = False,
) -> RunFolder:
    """What `kiln run MODEL --out FOLDER` does, in a process of its own; `options` are further ones, as on the command
    line. With `resume`, a run that was stopped goes on, and one that is finished is left as it is.

    >>> model = {"lattice": {"size": [40, 40]}, "pictures": [], "measure": {"every": 5}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run(model, folder, mcs=10).measures["mcs"].tolist()
    [0, 5, 10]
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.toml"
        as_model(model).save(file)
        command = [sys.executable, "-m", "kiln", "run", file, "--out", out, "--json", "--engine", engine, *options]
        for name, value in (("--mcs", mcs), ("--seed", seed)):
            if value is not None:
                command += [name, str(value)]
        if resume:
            command.append("--resume")
        # The other process must find this package, wherever it lies.
        packages = os.pathsep.join([str(Path(__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": packages}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True,
        )
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix("kiln: ") or f"the run ended with exit code {done.returncode}"
        raise (UserError if done.returncode == 2 else Failure)(said)
    return RunFolder(out)
