"""Models: read, built, looked at and changed."""

from __future__ import annotations

import os
from html import escape
from typing import Any, Mapping, Union

from kiln import _kiln
from kiln.arguments import whole

Source = Union[str, os.PathLike, Mapping[str, Any]]


class Model:
    """A model, checked: whatever it holds can be run.

    `source` is the name of a TOML file, or a dict with the same sections and keys (docs/model-file.md lists them).
    Files that a dict names are looked for in `folder`. Further arguments are values of keys before the first
    section; `changes` holds values by their dotted keys.

    >>> model = Model({"lattice": {"size": [50, 50]}, "types": {"cell": {"volume": {"target": 200, "lambda": 5}}}})
    >>> model.size, model.types
    ((50, 50), ['medium', 'cell'])

    Values are read and changed by dotted keys. A value that does not fit is refused, and the model stays as it was:

    >>> model["types.cell.volume.lambda"]
    5
    >>> model["types.cell.volume.lambda"] = 8
    >>> model["temperature"] = -1
    Traceback (most recent call last):
      ...
    kiln.UserError: model["temperature"] = -1: temperature is -1, but must lie between 0 and 1e+09 (energy).
    >>> model["types.cell.volume.lambda"], model["temperature"]
    (8, 20)
    """

    def __init__(self, source: Source, changes: Mapping[str, Any] | None = None, *, folder: str = ".", **top: Any):
        changes = {**(changes or {}), **top}
        if isinstance(source, Mapping):
            self._model = _kiln.Model.from_dict(_plain(source), "model", folder)
            if changes:
                self._model.change(changes)
        else:
            self._model = _kiln.Model.read(os.fspath(source), changes)

    @classmethod
    def from_text(cls, text: str, *, folder: str = ".") -> Model:
        """A model from TOML.

        >>> Model.from_text("lattice.size = [20, 30]").size
        (20, 30)
        """
        return cls._of(_kiln.Model.from_text(text, "model", folder))

    @classmethod
    def _of(cls, model: _kiln.Model) -> Model:
        self = cls.__new__(cls)
        self._model = model
        return self

    def __copy__(self) -> Model:
        return Model._of(self._model.copy())

    def __deepcopy__(self, memo: dict) -> Model:
        return Model._of(self._model.copy())

    def __getitem__(self, key: str) -> Any:
        return self._model.value(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._model.change({key: value})

    def changed(self, changes: Mapping[str, Any] | None = None, **top: Any) -> Model:
        """A copy with other values.

        >>> model = Model({"lattice": {"size": [50, 50]}})
        >>> model.changed({"types.cell.volume.target": 80}, seed=7).seed, model.seed
        (7, 1)
        """
        copy = self._model.copy()
        copy.change({**(changes or {}), **top})
        return Model._of(copy)

    def lasting(self, mcs: int) -> Model:
        """A copy whose runs have so many MCS in all: of several phases, later ones are cut or the last goes on longer.

        >>> Model({"lattice": {"size": [50, 50]}, "phases": [{"mcs": 10}, {"mcs": 20}]}).lasting(15).phases
        [('phase-1', 10), ('phase-2', 5)]
        """
        copy = self._model.copy()
        copy.set_length(whole("mcs", mcs))
        return Model._of(copy)

    @property
    def toml(self) -> str:
        """The whole model, with every default written out."""
        return self._model.toml

    @property
    def title(self) -> str:
        return self._model.title

    @property
    def seed(self) -> int:
        return self._model.seed

    @property
    def size(self) -> tuple[int, ...]:
        """Sites along x, y and, in 3-D, z. Arrays have the shape (z, y, x)."""
        return self._model.size

    @property
    def types(self) -> list[str]:
        """Names; the first is the medium's. `Cells.type` holds indices into this list."""
        return self._model.types

    @property
    def mcs(self) -> int:
        """Length of a whole run: all phases together."""
        return self._model.mcs

    @property
    def phases(self) -> list[tuple[str, int]]:
        """Names and lengths in MCS."""
        return self._model.phases

    @property
    def voxel_um(self) -> float:
        """Edge of a site, in micrometres."""
        return self._model.voxel_um

    @property
    def seconds_per_mcs(self) -> float:
        return self._model.seconds_per_mcs

    @property
    def notes(self) -> list[str]:
        """What is allowed but odd, a sentence each."""
        return self._model.notes()

    def explain(self) -> str:
        """The model in words and units, as `kiln validate` prints it."""
        return self._model.explain()

    def save(self, file: str | os.PathLike) -> None:
        """Writes a model file, with every default."""
        _kiln.write_file(os.fspath(file), self.toml.encode())

    def __repr__(self) -> str:
        size = " x ".join(str(length) for length in self.size)
        return f"<kiln.Model {self.title!r}: {size}, types {', '.join(self.types[1:])}, {self.mcs} MCS>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.explain())}</pre>"


def _plain(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain(value) if isinstance(value, Mapping) else value for key, value in mapping.items()}


def as_model(source: Model | Source) -> Model:
    return source if isinstance(source, Model) else Model(source)
