"""What computing takes, roughly: in minutes of a core, and of a machine with one GPU."""

from __future__ import annotations

from typing import Sequence

from experiments.claims import Experiment
from experiments.pieces import GPU_SHARES, Piece, Results


def table(plans: Sequence[tuple[Experiment, Results, Sequence[Piece]]]) -> str:
    """Of experiments: what is there of each, and what is missing."""
    rows, sums = [], [0, 0.0, 0.0, 0.0]
    for experiment, _, missing in plans:
        row = [len(missing), *(_minutes(missing, which) for which in (_on_a_core, _on_a_gpu, _alone))]
        sums = [a + b for a, b in zip(sums, row)]
        rows.append(_line(experiment.name, row, experiment.title))
    head = (f"{'':<18} {'missing':>8} {'on a core':>10} {'on a GPU':>9} {'alone':>6}   minutes, roughly; alone: with "
            "nothing else on the machine")
    return "\n".join([head, *rows, _line("all", sums, "")]).rstrip()


def _line(name: str, row: Sequence[float], title: str) -> str:
    missing, core, gpu, alone = row
    return f"{name:<18} {missing:>8} {core:>10.1f} {gpu:>9.1f} {alone:>6.1f}   {title}"


def _minutes(pieces: Sequence[Piece], which) -> float:
    return sum(which(piece) for piece in pieces) / 60


def _on_a_core(piece: Piece) -> float:
    return 0 if piece.alone or piece.gpu else piece.cost


def _on_a_gpu(piece: Piece) -> float:
    return 0 if piece.alone else piece.cost * piece.gpu / GPU_SHARES


def _alone(piece: Piece) -> float:
    return piece.cost if piece.alone else 0
