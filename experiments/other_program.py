"""Another simulator, by its command: it gets a first state, and leaves the states after every so many MCS."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Mapping

import kiln
import numpy as np

from experiments import processes

PLACES = {
    "start": "the first state: ids of cells by site, a .npy array of shape (y, x) or (z, y, x), 0 the medium",
    "types": "types of cells by id, a .npy array: 0 the medium, then as the model file lists them from 1",
    "out": "a folder for the states, a .npy array each, named by its MCS: 50.npy, 100.npy, ...",
    "mcs": "length of the run",
    "every": "MCS from one state to the next",
    "seed": "another for every run",
    "model": "Kiln's model file",
}
NEEDED = ("start", "out")


class OtherProgram:
    """`template` is its command, with names of PLACES in braces. It is started without a shell."""

    def __init__(self, template: str):
        self.template = template
        try:
            self._words = shlex.split(template)
        except ValueError as error:
            raise self._mistake(f"cannot be split into words ({str(error).lower()})") from error
        names = set(re.findall(r"\{(\w*)\}", template))
        for name in sorted(names - PLACES.keys()):
            raise self._mistake(f"has {{{name}}}, but only {_listed(PLACES)} are filled in")
        for name in NEEDED:
            if name not in names:
                raise self._mistake(f"has no {{{name}}}, {PLACES[name]}")
        if shutil.which(self._words[0]) is None:
            raise self._mistake(f"cannot be started: there is no program {self._words[0]}")

    def run(self, values: Mapping[str, object]) -> None:
        """Failure where it ends with another exit code than 0."""
        filled = [re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), word) for word in self._words]
        try:
            processes.run_command(filled)
        except OSError as error:
            raise self._mistake(f"cannot be started: {error.strerror}") from error

    def states(self, folder: Path, times: list[int], start: np.ndarray) -> list[np.ndarray]:
        """Those that it has left in the folder; UserError where one is missing, or cannot be a later state."""
        there = {int(file.stem): file for file in folder.glob("*.npy") if re.fullmatch("[0-9]+", file.stem)}
        for mcs in times:
            if mcs not in there:
                raise self._mistake(f"has left no {folder / f'{mcs}.npy'}, but must write the state after {mcs} MCS")
        return [read_state(there[mcs], start) for mcs in times]

    def _mistake(self, what: str) -> kiln.UserError:
        return kiln.UserError(f"the command --other {self.template!r} {what}.")


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def read_state(file: Path, start: np.ndarray) -> np.ndarray:
    """Ids by site, of the shape and the cells that the first state has."""
    try:
        read = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise kiln.UserError(f"{file} is not a .npy array of integers: {error}.") from error
    if not isinstance(read, np.ndarray) or read.dtype.kind not in "iuf":
        kind = f"an array of {read.dtype}" if isinstance(read, np.ndarray) else "an archive of arrays"
        raise kiln.UserError(f"{file} is {kind}, but must be a .npy array of integers: ids of cells, 0 the medium.")
    if read.shape != start.shape:
        axes = "(y, x)" if start.ndim == 2 else "(z, y, x)"
        raise kiln.UserError(f"{file} has the shape {read.shape}, but the first state has {start.shape}, as {axes}.")
    known = np.zeros(int(start.max()) + 1, bool)
    known[start] = True
    inside = (read >= 0) & (read < len(known))  # false for NaN, too
    ids = np.where(inside, read, 0).astype(np.int64)
    wrong = ~inside | (ids != read) | ~known[ids]
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise kiln.UserError(f"{file} holds {read[place]} at {list(place)}, but must hold ids of the first state: "
                             f"integers, 0 for the medium, cells up to {len(known) - 1}.")
    return ids
