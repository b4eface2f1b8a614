"""The schedules that experiments compare, under the names and colours they have in every figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

import kiln


@dataclass(frozen=True)
class Schedule:
    key: str  # in names of pieces and columns
    label: str
    colour: str
    engine: str
    schedule: str
    board: Mapping[str, Any] = field(default_factory=dict)  # dials of the checkerboard

    @property
    def settings(self) -> dict[str, Any]:
        """All that shapes a run, for the settings of a piece."""
        return {"engine": self.engine, "schedule": self.schedule, "board": dict(self.board)}


def checkerboard(region: int, per_thread: int, switch_every: int, **dials: str) -> dict[str, Any]:
    """As in the paper: the source is drawn in the active region. `dials` as in a model's [schedule]."""
    return {"region": region, "per_thread": per_thread, "switch_every": switch_every, "draws": "source", **dials}


def board_schedule(key: str, label: str, colour: str, board: Mapping[str, Any]) -> Schedule:
    return Schedule(key, label, colour, "threads", "checkerboard", board)


SERIAL = Schedule("serial", "serial", "#222222", "serial", "serial")
TILES = Schedule("tiles", "tiles (ours)", "#1d7874", "threads", "tiles")
# The paper does not print the settings behind "changed" and "preserved" update statistics. It names two things that
# change them, small areas and rare switching: one setting each, and one that avoids both. Rare is as rare as can be:
# its software makes no attempts at all where a region is to stay active for longer than it has sites.
SMALL = board_schedule("small", "regions of 1 site", "#c1121f", checkerboard(1, 4, 1))
RARE_2D = board_schedule("rare", "rare switching", "#e09f3e", checkerboard(8, 16, 64))
RARE_3D = board_schedule("rare", "rare switching", "#e09f3e", checkerboard(8, 16, 512))
LARGE = board_schedule("large", "large regions, frequent switching", "#5c7fa3", checkerboard(8, 16, 1))


def grid_of_boards(regions: Sequence[int], dimension: int, steps: int) -> dict[tuple[int, int], Schedule]:
    """By (region, column): the smallest column switches after every attempt, the largest as rarely as can be, after as
    many attempts as a region has sites, and those between at equal ratios. Blocks are twice as wide as regions, at
    least 4 sites. Regions of one site can only switch after every attempt: their boards are all the same."""
    boards = {}
    for region in regions:
        for column in range(steps):
            switch = round((region**dimension) ** (column / (steps - 1)))
            boards[region, column] = board_schedule(f"{region}-{switch}", "", "",
                                                    checkerboard(region, max(4, 2 * region), switch))
    return boards


def different(boards: Mapping[tuple[int, int], Schedule]) -> list[Schedule]:
    """Those of a grid, each once."""
    return list({board.key: board for board in boards.values()}.values())


def in_words(board: Mapping[str, Any]) -> str:
    return f"regions of {board['region']} in blocks of {board['per_thread']}, switched every {board['switch_every']}"


def simulation(model: kiln.Model, schedule: Mapping[str, Any], seed: int) -> kiln.Simulation:
    """On one thread; `schedule` as `Schedule.settings`."""
    changes = {"seed": seed, **({"schedule.checkerboard": schedule["board"]} if schedule["board"] else {})}
    return kiln.Simulation(model.changed(changes), engine=schedule["engine"], schedule=schedule["schedule"], threads=1,
                           record=False)
