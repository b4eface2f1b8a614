"""Pieces in a tar file per experiment: what a page was made of, to be evaluated again without computing anything."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Sequence

from experiments.files import write_whole
from experiments.pieces import Piece


def pack(pieces: Sequence[Piece], folder: Path, archive: Path) -> int:
    """Those that are in the folder; how many. The same pieces make the same file."""
    names = sorted(piece.file_name for piece in pieces if (folder / piece.file_name).exists())
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in names:
            content = (folder / name).read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    write_whole(archive, buffer.getvalue())
    return len(names)


def unpack(pieces: Sequence[Piece], archive: Path, folder: Path) -> None:
    """Those of the pieces that the folder does not have, as far as the archive does."""
    if not archive.exists():
        return
    wanted = {piece.file_name for piece in pieces if not (folder / piece.file_name).exists()}
    with tarfile.open(archive) as tar:
        for entry in tar:
            if entry.name in wanted:
                write_whole(folder / entry.name, tar.extractfile(entry).read())
