"""Simulations: run, looked at, changed on the way."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from kiln import _kiln
from kiln.arguments import engine_choice, ids_of_cells, text, whole
from kiln.model import Model, Source, as_model
from kiln.picture import Picture
from kiln.progress import Bar
from kiln.tables import cell_table, is_physical, table
from kiln.view import HEIGHT, LOOPBACK, View, opened
from kiln.views import Cells, Substances

if TYPE_CHECKING:
    import pandas as pd


class Simulation:
    """A model on its way through time.

    `engine` is "auto", "serial", "threads" or "cuda"; `seed` replaces the model's. A simulation and a run of the
    command line with the same model and seed are the same to the last bit.

    >>> sim = Simulation({"lattice": {"size": [64, 64]}, "measure": {"every": 5, "cells_every": 10}}, seed=2)
    >>> sim.run(20)
    >>> sim
    <kiln.Simulation 'model' at MCS 20: 64 x 64, 100 cells, threads>

    `lattice` holds the id of the cell at each site, without a copy; index 0 of a table of cells is the medium:

    >>> bool((np.bincount(sim.lattice.ravel())[1:] == sim.cells.volume[1:]).all())
    True

    What the model's [measure] asks for is kept on the way:

    >>> sim.measures["mcs"].tolist()
    [0, 5, 10, 15, 20]
    >>> sim.tracks.groupby("id").size().unique().tolist()
    [3]

    A first state can come from NumPy: ids of cells, and what they are (a name, one per cell, or a dict by id).

    >>> ids = np.zeros((64, 64), int)
    >>> ids[20:30, 20:30], ids[30:40, 20:30] = 1, 2
    >>> Simulation({"lattice": {"size": [64, 64]}}, lattice=ids, types="cell").cells.volume.tolist()
    [0, 100, 100]

    `devices` names GPUs of this machine that play one tissue together ("all", or [0, 1]), a brick each; `bricks` cuts it
    for threads or GPUs as it says. The bits are the same.

    >>> model = {"lattice": {"size": [64, 64]}}
    >>> cut, whole = Simulation(model, threads=2, bricks="2x1"), Simulation(model)
    >>> cut.run(5, progress=False)
    >>> whole.run(5, progress=False)
    >>> cut.hash == whole.hash
    True
    """

    _view: View | None = None

    def __init__(
        self,
        model: Model | Source,
        engine: str = "auto",
        seed: int | None = None,
        *,
        schedule: str = "",
        threads: int = 0,
        device: int = 0,
        devices: str | Sequence[int] | None = None,
        bricks: str = "",
        record: bool = True,
        lattice: np.ndarray | None = None,
        types: str | Sequence[str] | Mapping[int, str] | None = None,
    ):
        model = as_model(model)
        if seed is not None:
            model = model.changed(seed=seed)
        self._sim = _kiln.Simulation(
            model._model, engine_choice(engine, schedule, threads, device, devices, bricks), record, lattice, types
        )

    @classmethod
    def load(
        cls, file: str | os.PathLike, engine: str = "auto", *, threads: int = 0, device: int = 0,
        devices: str | Sequence[int] | None = None, bricks: str = "", record: bool = True
    ) -> Simulation:
        """Goes on from a checkpoint, of `save` or of `kiln run`, to the same bits."""
        self = cls.__new__(cls)
        self._sim = _kiln.Simulation.load(
            os.fspath(file), engine_choice(engine, "", threads, device, devices, bricks), record
        )
        return self

    @classmethod
    def _in_run(cls, simulation: _kiln.Simulation) -> Simulation:
        self = cls.__new__(cls)
        self._sim = simulation
        return self

    def save(self, file: str | os.PathLike) -> None:
        """Writes a checkpoint; `kiln run --from FILE` takes it, too."""
        self._sim.save(os.fspath(file))

    def run(
        self,
        mcs: int | None = None,
        *,
        every: int | None = None,
        call: Callable[[Simulation], Any] | None = None,
        progress: bool = True,
    ) -> None:
        """Goes on for so many MCS; without `mcs`, to the end of the model's phases.

        With `call`, stops every so many MCS to call it with this simulation, which it may change; where it returns
        False, the run ends. `progress` shows a bar in a terminal or notebook. Ctrl-C ends it between two MCS, and it can go on from there.

        >>> sim = Simulation({"lattice": {"size": [64, 64]}})
        >>> volumes = []
        >>> sim.run(30, every=10, call=lambda s: volumes.append(s.cells.volume[1:].mean()))
        >>> len(volumes), sim.mcs
        (3, 30)
        """
        mcs = max(0, self.model.mcs - self.mcs) if mcs is None else whole("mcs", mcs, 0)
        for _ in self.steps(mcs, every=max(1, mcs) if call is None or every is None else every, progress=progress):
            if call is not None and call(self) is False:
                break

    def steps(self, mcs: int, *, every: int = 1, progress: bool = True) -> Iterator[int]:
        """Runs in steps of so many MCS: `for mcs in sim.steps(1000, every=10)`; leaving the loop ends the run.

        >>> sim = Simulation({"lattice": {"size": [64, 64]}})
        >>> [mcs for mcs in sim.steps(25, every=10)]
        [10, 20, 25]
        """
        mcs, every = whole("mcs", mcs, 0), whole("every", every, 1)
        end = self.mcs + mcs
        bar = Bar(self.mcs, end, self.lattice_sites) if progress else None
        try:
            while True:
                self._sim.run(min(every, end - self.mcs), bar)
                yield self.mcs
                if self.mcs >= end:
                    break
        finally:
            if bar is not None:
                bar.finish()

    def set(self, changes: Mapping[str, Any] | None = None, **top: Any) -> None:
        """Goes on with other parameters, by their dotted keys; all but the lattice and the types can change.

        >>> sim = Simulation({"lattice": {"size": [64, 64]}})
        >>> sim.set({"types.cell.volume.target": 40}, temperature=5)
        >>> sim.run(50)
        >>> bool(sim.cells.volume[1:].mean() > 30)
        True
        """
        self._sim.change({**(changes or {}), **top})

    @contextmanager
    def edit(self) -> Iterator[Edit]:
        """Paint on the lattice, add cells, change their types. All bookkeeping follows when the block ends; where an
        id has no cell, or the block raises, nothing changes.

        >>> sim = Simulation({"lattice": {"size": [64, 64]}}, lattice=np.zeros((64, 64), int))
        >>> with sim.edit() as edit:
        ...     edit.lattice[10:20, 10:20] = edit.add_cell("cell")
        >>> sim.cells.volume.tolist()
        [0, 100]
        """
        edit = Edit(self)
        yield edit
        edit._edit.apply()

    def divide(self, ids: Any, plane: str | Sequence[float] = "across") -> tuple[np.ndarray, np.ndarray]:
        """Divides cells as rules do, where the model's cells have lives (`[tick]`, growth, properties or rules). Returns
        the ids of both daughters for each; 0 for cells of fewer than four sites, which stay as they are. `plane` is
        "across" the longest axis, "along" it, "random", or a normal.

        >>> sim = Simulation({"lattice": {"size": [32, 32]}, "types": {"cell": {"properties": {"dye": 1}}}})
        >>> first, second = sim.divide([3, 1])
        >>> first.tolist(), second.tolist()
        ([19, 17], [20, 18])
        >>> bool((sim.cells["parent"][first] == [3, 1]).all()), sim.lineage["end"][0]
        (True, 'divided')
        """
        named = isinstance(plane, str)
        normal = [] if named else [float(length) for length in plane]
        return _kiln.divide(self._sim, ids_of_cells(ids), plane if named else "", normal)

    def kill(self, ids: Any, how: str = "remove", over: float = 0, at: int = 2) -> None:
        """Ends cells: how="remove" at once; "shrink" within `over` seconds, till `at` sites are left.

        >>> sim = Simulation({"lattice": {"size": [32, 32]}, "tick": {"every": 1}})
        >>> sim.kill(sim.lattice[0, 0])
        >>> int(sim.lattice[0, 0]), int((sim.cells["ended"] >= 0).sum())
        (0, 1)
        """
        if how not in ("remove", "shrink"):
            raise _kiln.UserError(f'how is {how!r}, but must be "remove" or "shrink".')
        if (how == "shrink") != (over > 0):
            raise _kiln.UserError('over is the time that how="shrink" takes, in seconds.')
        _kiln.kill(self._sim, ids_of_cells(ids), over, whole("at", at, 0, 2**31 - 1))

    def become(self, ids: Any, type: str) -> None:
        """Gives cells another type, with that type's target volume and lambdas.

        >>> types = {"stem": {}, "body": {"frozen": True}}
        >>> sim = Simulation({"lattice": {"size": [32, 32]}, "types": types, "tick": {"every": 1}})
        >>> sim.become([1, 2], "body")
        >>> sim.cells.type[:4].tolist()
        [0, 2, 2, 1]
        """
        _kiln.become(self._sim, ids_of_cells(ids), text("type", type))

    def add_cells(self, type: str, places: Any, radius: float) -> np.ndarray:
        """New cells, balls around places (x, y[, z], in sites), of what is medium there. Returns their ids; 0 where
        there was no medium.

        >>> sim = Simulation({"lattice": {"size": [32, 32]}}, lattice=np.zeros((32, 32), int))
        >>> sim.add_cells("cell", [[5, 5], [20, 9]], 2).tolist(), sim.cells.volume.tolist()
        ([1, 2], [0, 13, 13])
        """
        with self.edit() as edit:
            ids = [edit.add_ball(type, place, radius) for place in np.atleast_2d(np.asarray(places, float))]
        return np.array(ids)

    @property
    def model(self) -> Model:
        """A copy of the model as it is now; `set` changes the simulation's."""
        return Model._of(self._sim.model())

    @property
    def mcs(self) -> int:
        return self._sim.mcs

    @property
    def phase(self) -> str:
        return self._sim.phase

    @property
    def minutes(self) -> float:
        """Simulated."""
        return self.mcs * self.model.seconds_per_mcs / 60

    @property
    def lattice(self) -> np.ndarray:
        """Ids by site, of shape (y, x) or (z, y, x): a read-only view of the engine's memory, which changes as it
        runs. On a GPU it is copied from there each time it is asked for."""
        return self._sim.lattice

    @property
    def device_lattice(self) -> _kiln.DeviceArray | None:
        """On a GPU: ids by site in its memory, for CuPy, PyTorch and others (`torch.from_dlpack(sim.device_lattice)`),
        as they are now. They never pass through the host. None on a processor."""
        return _kiln.device_lattice(self._sim)

    @property
    def folder(self) -> str:
        """Of the run that it belongs to, in a call of `kiln.run`; otherwise ""."""
        return self._sim.folder

    @property
    def lattice_sites(self) -> int:
        return self._sim.lattice_sites

    @property
    def act(self) -> np.ndarray | None:
        """Act by site, like `lattice`; None where no type has it."""
        return self._sim.act

    @property
    def cells(self) -> Cells:
        return Cells(self._sim)

    @property
    def measures(self) -> pd.DataFrame:
        """The rows of measures.csv so far; in a call of `kiln.run`, those before this MCS."""
        return self._written("measures") if self._sim.folder else table(self._sim.table("measures"))

    def _written(self, name: str) -> pd.DataFrame:
        """A table of the run that this simulation belongs to, as it lies in its folder."""
        from kiln.run_folder import RunFolder

        run = RunFolder(self._sim.folder)
        try:
            return run.cells if name == "cells" else run.table(name)
        except FileNotFoundError:  # which the model does not ask for
            return table({})

    @property
    def lags(self) -> pd.DataFrame:
        """Mean squared displacement and autocorrelation of directions by lag (lags.csv)."""
        return table(self._sim.table("lags"))

    @property
    def motility(self) -> pd.DataFrame:
        """Speeds and arrest, a row per phase (motility.csv)."""
        return table(self._sim.table("motility"))

    @property
    def speeds(self) -> pd.DataFrame:
        """Histogram of speeds, per phase (speeds.csv)."""
        return table(self._sim.table("speeds"))

    @property
    def substances(self) -> Substances:
        """Concentrations as they are now, by name."""
        return Substances(self._sim)

    @property
    def lineage(self) -> pd.DataFrame:
        """A row per cell that there ever was (lineage.csv), where cells have properties, growth or rules."""
        return table(self._sim.table("lineage"))

    def columns(self, name: str) -> dict[str, np.ndarray]:
        """A table by its columns, where pandas is not installed: measures, lags, motility, speeds, lineage or
        direction_correlation, of a simulation that does not belong to a run.

        >>> sim = Simulation({"lattice": {"size": [64, 64]}, "measure": {"every": 5}})
        >>> sim.run(10)
        >>> sim.columns("measures")["mcs"].tolist()
        [0, 5, 10]
        """
        return {column: np.array(values) for column, values in self._sim.table(text("name", name)).items()}

    @property
    def direction_correlation(self) -> pd.DataFrame:
        """By distance and time (direction_correlation.csv), where the model asks for it."""
        name = "direction_correlation"
        return self._written(name) if self._sim.folder else table(self._sim.table(name))

    @property
    def tracks(self) -> pd.DataFrame:
        """A row per cell and sample (cells.csv): `t` in seconds, `x`, `y`, `z` in micrometres, `volume` in sites."""
        return self._written("cells") if self._sim.folder else cell_table(self._sim.tracks(True))

    def tracks_in(self, units: str) -> pd.DataFrame:
        """The same in "physical" or in "lattice" units: positions in sites, and no `t`."""
        return cell_table(self._sim.tracks(is_physical(units)))

    @property
    def counts(self) -> dict[str, int]:
        """Copy attempts so far: all, those that could change something (live), and those accepted."""
        return self._sim.counts()

    @property
    def hash(self) -> str:
        """Of the whole state: two simulations with the same hash are the same."""
        return self._sim.hash()

    @property
    def engine(self) -> str:
        return self._sim.engine

    @property
    def schedule(self) -> str:
        return self._sim.schedule

    @property
    def gpu(self) -> str:
        """Its name; "" on a processor."""
        return self._sim.gpu

    @property
    def seconds(self) -> float:
        """Of computing so far."""
        return self._sim.seconds

    def picture(self, **settings: Any) -> Picture:
        """A picture of the tissue as it is now, with the keys of a model's [[pictures]]: view, colour, axis, ...

        >>> Simulation({"lattice": {"size": [64, 64]}}).picture(colour="cell", width=320)
        <kiln.Picture 320 x 347>
        """
        return Picture(self._sim.picture(settings))

    def show(self, **settings: Any) -> None:
        """Shows a picture; see `picture`."""
        self.picture(**settings).show()

    def view(self, port: int | None = None, *, listen: str = LOOPBACK, height: int = HEIGHT) -> View:
        """Shows the tissue in the browser, in a notebook below the cell (`height` in pixels), while Python goes on:
        what `run` and the others do is seen there as it happens. Called again, gives the viewer that is open. `port` and
        `listen` are those of `kiln run --view` (docs/viewer.md)."""
        is_of_run = self._view is not None and self._sim.folder
        if not is_of_run:
            self._view = opened(self._view, lambda options: _kiln.view(self._sim, options), port, listen, height)
        return self._view

    def __repr__(self) -> str:
        model = self.model
        size = " x ".join(str(length) for length in model.size)
        return (
            f"<kiln.Simulation {model.title!r} at MCS {self.mcs}: {size}, {len(self.cells)} cells, {self.engine}>"
        )

    def _repr_png_(self) -> bytes:
        return self.picture(width=480).png


class Edit:
    """What `Simulation.edit` paints on."""

    def __init__(self, simulation: Simulation):
        self._edit = _kiln.Edit(simulation._sim)

    @property
    def lattice(self) -> np.ndarray:
        """Ids by site, to be written to."""
        return self._edit.lattice

    @lattice.setter
    def lattice(self, values: np.ndarray) -> None:
        self._edit.lattice[...] = values

    def add_cell(self, type: str) -> int:
        """The id of a new cell, which has no site yet."""
        return self._edit.add_cell(text("type", type))

    def add_ball(self, type: str, centre: Sequence[float], radius: float) -> int:
        """The id of a new cell: of the sites of a ball that are medium; 0 where none is."""
        return self._edit.add_ball(text("type", type), [float(at) for at in centre], float(radius))

    def set_type(self, cell: int, type: str) -> None:
        self._edit.set_type(whole("cell", cell, 0, 2**32 - 1), text("type", type))
