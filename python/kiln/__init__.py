"""Kiln simulates living tissue with the Cellular Potts Model.

>>> import kiln
>>> sim = kiln.Simulation(kiln.Model({"lattice": {"size": [60, 60]}, "seed": 3}))
>>> sim.run(20)
>>> sim.mcs, sim.lattice.shape
(20, (60, 60))
>>> sim.cells.table().columns.tolist()[:4]
['id', 't', 'x', 'y']

A `Model` comes from a TOML file, a text or a dict; a `Simulation` runs it; tables are pandas DataFrames. What is
wrong is said as on the command line, by `UserError` (a ValueError) or `Failure` (a RuntimeError).
"""

from kiln._kiln import Failure, UserError, __version__
from kiln.model import Model
from kiln.picture import Picture
from kiln.plan import plan
from kiln.run_folder import RunFolder, run
from kiln.simulation import Edit, Simulation
from kiln.sweep import Sweep, sweep
from kiln.tables import columns
from kiln.view import View
from kiln.views import Cells, Substances

__all__ = [
    "Cells",
    "Edit",
    "Failure",
    "Model",
    "Picture",
    "RunFolder",
    "Simulation",
    "Substances",
    "Sweep",
    "UserError",
    "View",
    "__version__",
    "columns",
    "plan",
    "run",
    "sweep",
]
