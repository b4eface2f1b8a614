"""Pieces of experiments: each is computed once, kept on disk, and found again by what was asked for."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from experiments.files import write_whole
from experiments.machine import commit, describe, today

Values = Mapping[str, Any]  # numbers, texts and arrays
_MADE = "_made"


@dataclass(frozen=True)
class Piece:
    """`work(**settings)` on one core, or, where it is `alone`, on all of them, with nothing beside it."""

    name: str
    work: Callable[..., Values]
    settings: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 1  # seconds, roughly; on a GPU those that it is kept busy
    alone: bool = False
    gpu: int = 0  # what it takes of a GPU's GPU_SHARES; it cannot be computed without one
    prepare: Callable[..., None] | None = None  # with the same settings, beside others: what need not wait to be alone
    optional: bool = False  # the experiment is evaluated without it, too
    resumes: bool = False  # `work` has a further argument: a folder in which it finds what it left when it was stopped
    key: str = field(init=False)  # another one where the work or its settings are others

    def __post_init__(self) -> None:
        asked = json.dumps([_meaning(self.work), dict(self.settings)], sort_keys=True)
        object.__setattr__(self, "key", f"{self.name}-{hashlib.sha256(asked.encode()).hexdigest()[:10]}")

    @property
    def file_name(self) -> str:
        return f"{self.key}.npz"


def _meaning(work: Callable[..., Values]) -> str:
    """Its text without spaces and lines of comments: layout does not count, nor does the version of Python, by which
    syntax trees differ."""
    lines = (line.strip() for line in inspect.getsource(work).splitlines())
    return "".join("".join(line.split()) for line in lines if not line.startswith("#"))


GPU_SHARES = 12  # a run of a small tissue, most of whose time goes to compiling and measuring, takes one


class Results:
    """Values of pieces by their names, and how they were made."""

    def __init__(self, found: Mapping[str, tuple[Values, Mapping[str, Any]]]):
        self._values = {name: values for name, (values, _) in found.items()}
        self._made = [made for _, made in found.values()]

    def __getitem__(self, name: str) -> Values:
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @property
    def commits(self) -> list[str]:
        return self._all("commit")

    @property
    def dates(self) -> list[str]:
        return self._all("date")

    @property
    def machines(self) -> list[str]:
        return self._all("machine")

    @property
    def seconds(self) -> float:
        return sum(made["seconds"] for made in self._made)

    def _all(self, what: str) -> list[str]:
        return sorted({made[what] for made in self._made})


def split(pieces: Sequence[Piece], folder: Path) -> tuple[Results, list[Piece]]:
    """What is there, and what is not yet."""
    found = {piece.name: _load(folder / piece.file_name) for piece in pieces}
    return (Results({name: made for name, made in found.items() if made is not None}),
            [piece for piece in pieces if found[piece.name] is None])


def compute(piece: Piece, folder: Path) -> float:
    """Leaves the piece in the folder, whole; the seconds it took."""
    start = time.monotonic()
    under_way = folder / f"{piece.key}.run"
    values = piece.work(**piece.settings, **({"folder": under_way} if piece.resumes else {}))
    seconds = time.monotonic() - start
    made = {"commit": commit(), "date": today(), "seconds": seconds, "machine": describe()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{_MADE: json.dumps(made)}, **values)
    write_whole(folder / piece.file_name, buffer.getvalue())
    shutil.rmtree(under_way, ignore_errors=True)
    return seconds


def _load(path: Path) -> tuple[Values, Mapping[str, Any]] | None:
    if not path.exists():
        return None
    with np.load(path) as stored:
        values = {name: _plain(stored[name]) for name in stored.files}
    return values, json.loads(values.pop(_MADE))


def _plain(array: np.ndarray) -> Any:
    return array.item() if array.ndim == 0 else array
