"""Tables as DataFrames. pandas is asked for when the first one is wanted: a simulation does without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kiln import _kiln
from kiln.arguments import text

if TYPE_CHECKING:
    import pandas as pd


def columns(file: str) -> pd.DataFrame:
    """What the columns of a table are: their names, units and definitions, as in docs/tables.md.

    >>> columns("cells.csv").set_index("column")["unit"].head(3).to_dict()
    {'id': '', 't': 's', 'x': 'µm'}
    """
    import pandas as pd

    return pd.DataFrame(_kiln.columns(text("file", file)), columns=["column", "unit", "meaning"])


def table(columns: dict[str, Any]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns)


def cell_table(columns: dict[str, Any]) -> pd.DataFrame:
    """Of columns in which types are numbers and what they stand for."""
    import pandas as pd

    codes, names = columns["type"]
    return pd.DataFrame({**columns, "type": pd.Categorical.from_codes(codes, names)})


def is_physical(units: str) -> bool:
    if units not in ("physical", "lattice"):
        raise ValueError(f'units is "{units}", but can be "physical" or "lattice".')
    return units == "physical"
