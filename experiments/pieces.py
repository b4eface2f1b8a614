"""Pieces of experiments: each is computed once, kept on disk, and found again by what was asked for."""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import json
import os
import shutil
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from experiments.files import write_whole
from experiments.machine import commit, today

Values = Mapping[str, Any]  # numbers, texts and arrays
_MADE = "_made"


@dataclass(frozen=True)
class Piece:
    """`work(**settings)` on one core, or, where it is `alone`, on all of them or a GPU, with nothing beside it."""

    name: str
    work: Callable[..., Values]
    settings: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False
    resumes: bool = False  # `work` has a further argument: a folder in which it finds what it left when it was stopped
    key: str = field(init=False)  # another one where the work or its settings are others

    def __post_init__(self) -> None:
        # By its syntax tree: layout and comments do not count.
        work = ast.dump(ast.parse(textwrap.dedent(inspect.getsource(self.work))))
        asked = json.dumps([work, dict(self.settings)], sort_keys=True)
        object.__setattr__(self, "key", f"{self.name}-{hashlib.sha256(asked.encode()).hexdigest()[:10]}")

    @property
    def file_name(self) -> str:
        return f"{self.key}.npz"


class Results:
    """Values of pieces by their names."""

    def __init__(self, values: Mapping[str, Values], made: Sequence[Mapping[str, Any]]):
        self._values = values
        self._made = made

    def __getitem__(self, name: str) -> Values:
        return self._values[name]

    @property
    def commits(self) -> list[str]:
        return sorted({made["commit"] for made in self._made})

    @property
    def seconds(self) -> float:
        return sum(made["seconds"] for made in self._made)


def run_pieces(pieces: Sequence[Piece], folder: Path, jobs: int, tell: Callable[[str], None]) -> Results:
    """Computes what is not there yet, several at a time. What is stopped loses the pieces under way, no more."""
    done: dict[str, tuple[Values, Mapping[str, Any]]] = {}
    waiting = []
    for piece in pieces:
        found = _load(folder / piece.file_name)
        if found is None:
            waiting.append(piece)
        else:
            done[piece.name] = found
    if done and waiting:
        tell(f"{len(done)} of {len(pieces)} pieces are there from before")

    def note(piece: Piece, made: tuple[Values, Mapping[str, Any]]) -> None:
        done[piece.name] = made
        tell(f"{len(done)}/{len(pieces)}  {piece.name}  {made[1]['seconds']:.1f} s")

    beside = [piece for piece in waiting if not piece.alone]
    executor = ThreadPoolExecutor(max_workers=jobs)
    try:
        futures = {executor.submit(_compute, piece, folder): piece for piece in beside}
        for future in as_completed(futures):
            note(futures[future], future.result())
        for piece in waiting:
            if piece.alone:
                note(piece, _compute(piece, folder))
    except KeyboardInterrupt:
        # Threads that compute cannot be interrupted; nothing of theirs is on disk before it is whole.
        print("\nkiln paper: stopped; what is done is kept, and the same command goes on.", file=sys.stderr)
        os._exit(130)
    except BaseException:
        executor.shutdown(wait=True, cancel_futures=True)
        raise
    executor.shutdown()
    return Results({name: values for name, (values, _) in done.items()}, [made for _, made in done.values()])


def _compute(piece: Piece, folder: Path) -> tuple[Values, Mapping[str, Any]]:
    start = time.monotonic()
    under_way = folder / f"{piece.key}.run"
    values = piece.work(**piece.settings, **({"folder": under_way} if piece.resumes else {}))
    made = {"commit": commit(), "date": today(), "seconds": time.monotonic() - start}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{_MADE: json.dumps(made)}, **values)
    path = folder / piece.file_name
    write_whole(path, buffer.getvalue())
    shutil.rmtree(under_way, ignore_errors=True)
    return _load(path)


def _load(path: Path) -> tuple[Values, Mapping[str, Any]] | None:
    if not path.exists():
        return None
    with np.load(path) as stored:
        values = {name: _plain(stored[name]) for name in stored.files}
    return values, json.loads(values.pop(_MADE))


def _plain(array: np.ndarray) -> Any:
    return array.item() if array.ndim == 0 else array
