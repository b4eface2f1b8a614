"""Runs of tissues: the command line does them, because a run that was stopped goes on there with all its measures."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Mapping

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
        """Of the last phase."""
        return {column: values[-1] for column, values in self.table("motility").items()}


def _column(texts: tuple[str, ...]) -> np.ndarray:
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts)


def run(model: str, changes: Mapping[str, Any], seed: int, engine: str, folder: Path,
        board: Mapping[str, Any] | None = None) -> Run:
    """A run of a file of models/, to its end, on one thread or with `engine` "cuda"; with `board` on that checkerboard."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    settings = {**changes, "pictures": [], **({"schedule.checkerboard": dict(board)} if board else {})}
    changed = [f"--set={key}={_toml(value)}" for key, value in settings.items()]
    processes.run("run", str(MODELS / model), "--resume", "--out", str(folder), "--seed", str(seed),
                  "--checkpoint-every", CHECKPOINT, "--json", "--engine", engine, "--threads", "1",
                  *(("--schedule", "checkerboard") if board else ()), *changed)
    return Run(folder)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_toml(v)}' for key, v in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(v) for v in value)}]"
    return f'"{value}"' if isinstance(value, (str, Path)) else str(value)


def node(diameter: int, cells: int, stroma_j: float) -> dict[str, Any]:
    """Changes to lymph-node.toml: a ball of another size, as densely filled, with another adhesion to stroma."""
    half = diameter // 2
    scan = [min(diameter, 130), min(diameter, 130), min(diameter, 110)]
    return {
        "lattice.size": [diameter] * 3,
        "initial.1.phantom.size_um": scan,
        "initial.2.count": cells - cells // 2,
        "initial.3.count": cells // 2,
        "initial.2.region.high": [half, diameter, diameter],
        "initial.3.region.low": [half, 0, 0],
        "adhesion.red.stroma": stroma_j,
        "adhesion.green.stroma": stroma_j,
    }


PAPER_DIAMETER, PAPER_CELLS = 256, 50135


def cells_in(diameter: int) -> int:
    """As many as fill a ball as densely as the paper's."""
    return round(PAPER_CELLS * (diameter / PAPER_DIAMETER) ** 3)
