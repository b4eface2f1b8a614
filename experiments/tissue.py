"""Runs of tissues: the command line does them, because a run that was stopped goes on there with all its measures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping

import kiln

from experiments import machine
from experiments.machine import MODELS

CHECKPOINT = "3min"  # what a kill can lose


def run(model: str, changes: Mapping[str, Any], seed: int, alone: bool, folder: Path) -> kiln.RunFolder:
    """A run of a file of models/, to its end; on a GPU where there is one, else on one thread, or on all where it is
    alone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    engine = ["--engine", "auto" if machine.gpu() else "threads", *([] if alone else ["--threads", "1"])]
    settings = {**changes, "pictures": []}
    command = [sys.executable, "-m", "kiln", "run", str(MODELS / model), "--resume", "--out", str(folder), "--seed",
               str(seed), "--checkpoint-every", CHECKPOINT, "--json", *engine]
    for key, value in settings.items():
        command += ["--set", f"{key}={_toml(value)}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise kiln.Failure(f"{' '.join(command)} ended with exit code {done.returncode}: {done.stderr.strip()[-2000:]}")
    return kiln.RunFolder(folder)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
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
