"""What `kiln run` left in a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
        return self.table("measures")

    @property
    def cells(self) -> pd.DataFrame:
        """The tracks; from cells.h5 where they were too long for a CSV."""
        if (self.path / "cells.h5").exists():
            return self._tracks()
        return self.table("cells")

    def _tracks(self) -> pd.DataFrame:
        import h5py

        from kiln.tables import cell_table

        with h5py.File(self.path / "cells.h5") as file:
            columns = {name: values[:] for name, values in file["cells"].items()}
            names = [n.decode() if isinstance(n, bytes) else n for n in file.attrs["type_names"]]
        return cell_table({**columns, "type": (columns["type"], names)})

    def __repr__(self) -> str:
        return f"<kiln.RunFolder {str(self.path)!r}>"
