"""What is known of a simulation's cells and substances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping

import numpy as np

from kiln import _kiln
from kiln.arguments import text
from kiln.tables import cell_table, is_physical

if TYPE_CHECKING:
    import pandas as pd


class Cells:
    """What is known of each cell, by its id; index 0 is the medium, for which nothing is counted."""

    def __init__(self, sim: _kiln.Simulation):
        self._sim = sim

    def __len__(self) -> int:
        return len(self._sim.type) - 1

    @property
    def type(self) -> np.ndarray:
        """Numbers of types, a view (a copy where cells are born); `Model.types` has the names."""
        return self._sim.type

    @property
    def volume(self) -> np.ndarray:
        """Sites, a view; 0 for cells that died and for frozen ones."""
        return self._sim.volume

    @property
    def perimeter(self) -> np.ndarray:
        """Pairs of neighbouring sites of which one is the cell's, a view."""
        return self._sim.perimeter

    @property
    def position(self) -> np.ndarray:
        """Centroids in sites, unwrapped, of shape (cells + 1, 2 or 3): x, y, z; NaN for cells that are not there."""
        return self._sim.positions()

    def __getitem__(self, name: str) -> np.ndarray:
        """A property by its name, or `parent`, `born`, `ended` (MCS), `generation`, `target`, or a lambda that rules
        set (`act.lambda`); a copy. A property can be set: one value for all cells, or one for each by its id.

        >>> from kiln import Simulation
        >>> sim = Simulation({"lattice": {"size": [32, 32]}, "types": {"cell": {"properties": {"dye": "x + 1"}}}})
        >>> bool((sim.cells["dye"][1:] == sim.cells.position[1:, 0] + 1).all())
        True
        """
        return _kiln.living_column(self._sim, text("name", name))

    def __setitem__(self, name: str, values: Any) -> None:
        """
        >>> from kiln import Simulation
        >>> sim = Simulation({"lattice": {"size": [32, 32]}, "types": {"cell": {"properties": {"dye": 0}}}})
        >>> sim.cells["dye"] = sim.cells.volume / 10
        >>> float(sim.cells["dye"][1])
        10.0
        """
        _kiln.set_property(self._sim, text("name", name), np.asarray(values, float))

    def mean(self, substance: str) -> np.ndarray:
        """Mean concentration in the voxels of a cell's sites, as formulas read it with `mean(SUBSTANCE)`; NaN for cells
        without sites.

        >>> from kiln import Simulation
        >>> o2 = {"diffusion": 5, "start": "x", "coarsen": 2}
        >>> halves = np.repeat([[1, 2]], 8, 0).repeat(4, 1)
        >>> Simulation({"lattice": {"size": [8, 8]}, "substances": {"o2": o2}}, lattice=halves).cells.mean("o2").tolist()
        [nan, 1.5, 5.5]
        """
        values = _kiln.substance(self._sim, text("substance", substance))
        lattice = self._sim.lattice
        by_site = values.ravel()[np.ravel_multi_index([at * size // length for at, size, length in zip(
            np.indices(lattice.shape, sparse=True), values.shape, lattice.shape)], values.shape)]
        sums, sites = (np.bincount(lattice.ravel(), weights, len(self) + 1) for weights in (by_site.ravel(), None))
        with np.errstate(invalid="ignore"):
            return np.where(sites > 0, sums / sites, np.nan)

    def table(self, units: str = "physical") -> pd.DataFrame:
        """A row per living cell, with the columns of `Simulation.tracks`; units="lattice": positions in sites."""
        return cell_table(self._sim.cells(is_physical(units)))

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class Substances(Mapping):
    """Concentrations by the names of substances: copies, of shape (z, y, x) or (y, x), a number per voxel.

    >>> from kiln import Simulation
    >>> sim = Simulation({"lattice": {"size": [32, 32]}, "substances": {"o2": {"diffusion": 5, "start": 2, "coarsen": 2}}})
    >>> sim.substances["o2"].shape, float(sim.substances["o2"].mean())
    ((16, 16), 2.0)

    They can be set, with one value or one per voxel; the substance's books begin anew then.

    >>> sim.substances["o2"] = np.arange(16)[:, None] + np.zeros(16)
    >>> sim.substances.at_sites("o2")[9:13, 0].tolist()
    [4.25, 4.75, 5.25, 5.75]
    """

    def __init__(self, sim: _kiln.Simulation):
        self._sim = sim

    def __getitem__(self, name: str) -> np.ndarray:
        return _kiln.substance(self._sim, text("name", name))

    def __setitem__(self, name: str, values: Any) -> None:
        _kiln.set_substance(self._sim, text("name", name), np.asarray(values, float))

    def at_sites(self, name: str) -> np.ndarray:
        """By site, as cells feel it: interpolated between the centres of voxels."""
        return _kiln.substance_at_sites(self._sim, text("name", name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._sim.substance_names())

    def __len__(self) -> int:
        return len(self._sim.substance_names())
