"""Pieces in a tar file per experiment: to keep them, and to evaluate them where they were not computed."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Sequence

from experiments.files import write_whole
from experiments.pieces import Piece


def pack(pieces: Sequence[Piece], folder: Path, archive: Path) -> int:
    """Those that are in the folder, and those that the archive has already; how many. The same pieces make the same
    file."""
    packed = _read(archive)
    for file in (folder / piece.file_name for piece in pieces):
        if file.exists():
            packed[file.name] = file.read_bytes()
    names = sorted(packed.keys() & {piece.file_name for piece in pieces})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(packed[name])
            tar.addfile(entry, io.BytesIO(packed[name]))
    write_whole(archive, buffer.getvalue())
    return len(names)


def unpack(pieces: Sequence[Piece], archive: Path, folder: Path) -> None:
    """Those of the pieces that the folder does not have, as far as the archive does."""
    packed = _read(archive)
    for file in (folder / piece.file_name for piece in pieces):
        if file.name in packed and not file.exists():
            write_whole(file, packed[file.name])


def _read(archive: Path) -> dict[str, bytes]:
    if not archive.exists():
        return {}
    with tarfile.open(archive) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}
