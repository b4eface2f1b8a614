"""Runs of tissues: the command line does them, because a run that was stopped goes on there with all its measures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Mapping, Sequence

import kiln
import numpy as np

from experiments import processes
from experiments.machine import MODELS

CHECKPOINT = "3min"  # what a kill can lose


class Run:
    """The tables of a run's folder, by their columns. (`kiln.RunFolder` gives DataFrames, and needs pandas.)"""

    def __init__(self, folder: Path):
        self._folder = folder

    def table(self, name: str) -> dict[str, np.ndarray]:
        """Numbers, NaN where there is none, or texts."""
        with open(self._folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        return {column: _column(values) for column, values in zip(head, zip(*rows))}

    def motility(self) -> dict[str, float]:
        """Of the last phase, over the last of its intervals."""
        return {column: values[-1] for column, values in self.table("motility").items()}

    def record(self) -> dict[str, Any]:
        """run.json."""
        return json.loads((self._folder / "run.json").read_text(encoding="utf-8"))

    def snapshot(self) -> np.ndarray:
        """Ids by site of the last state."""
        return kiln.RunFolder(self._folder).snapshot()

    def picture(self, name: str) -> bytes:
        return (self._folder / "pictures" / name).read_bytes()


def _column(texts: tuple[str, ...]) -> np.ndarray:
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts)


def run(model: str, changes: Mapping[str, Any], seed: int, engine: str, folder: Path,
        board: Mapping[str, Any] | None = None, pictures: Sequence[Mapping[str, Any]] = ()) -> Run:
    """A run of a file of models/, to its end, on one thread or with `engine` "cuda"; with `board` on that checkerboard."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    settings = {**changes, "pictures": list(pictures), **({"schedule.checkerboard": dict(board)} if board else {})}
    changed = [f"--set={key}={_toml(value)}" for key, value in settings.items()]
    processes.run("run", str(MODELS / model), "--resume", "--out", str(folder), "--seed", str(seed),
                  "--checkpoint-every", CHECKPOINT, "--json", "--engine", engine, "--threads", "1",
                  *(("--schedule", "checkerboard") if board else ()), *changed)
    return Run(folder)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(v) for v in value)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(v)}' for key, v in value.items())} }}"
    return f'"{value}"' if isinstance(value, (str, Path)) else str(value)


SHELL = 5  # sites that a node's lattice is wider than its ball: the paper's balls of 251 and 1019 lie in 256 and 1024


PENALTY = 3000  # of a copy that splits a cell: as much as Act gives at most

# Whether copies may split a cell: they may, at a cost, or not at all.
CONNECTIVITY = {"free": {}, "penalty": {"penalty": PENALTY}, "hard": {"hard": True}}


def node(lattice: int, cells: int, stroma_j: float, connectivity: str = "free") -> dict[str, Any]:
    """Changes to lymph-node.toml: a ball of another size, another adhesion to stroma, another connectivity."""
    half = lattice // 2
    scan = [min(lattice, 130), min(lattice, 130), min(lattice, 110)]
    whole = {f"types.{kind}.connectivity.{key}": value for kind in ("red", "green")
             for key, value in CONNECTIVITY[connectivity].items()}
    return {
        "lattice.size": [lattice] * 3,
        "initial.0.region.radius": (lattice - SHELL) / 2,
        "initial.1.phantom.size_um": scan,
        "initial.2.count": cells - cells // 2,
        "initial.3.count": cells // 2,
        "initial.2.region.high": [half, lattice, lattice],
        "initial.3.region.low": [half, 0, 0],
        "adhesion.red.stroma": stroma_j,
        "adhesion.green.stroma": stroma_j,
        **whole,
    }


PAPER_LATTICE, PAPER_CELLS = 256, 50135
LARGE_LATTICE, LARGE_CELLS = 1024, 3359752  # of the paper's node of 1 mm
DISTANCES = (10, 12, 15)  # µm: centroids closer than these count as mixed


def cells_in(lattice: int) -> int:
    """As many as fill the ball in it as densely as the paper's."""
    return round(PAPER_CELLS * ((lattice - SHELL) / (PAPER_LATTICE - SHELL)) ** 3)
