"""Arguments that Python lets be anything: each is what it must be, or refused in a sentence."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from kiln import _kiln

_MOST_MCS = 10**12
_MOST_INT = 2**31 - 1


def whole(name: str, value: Any, least: int = 0, most: int = _MOST_MCS) -> int:
    """An integer, or a float that is one, as 1e3.

    >>> whole("mcs", 1e3)
    1000
    """
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise _kiln.UserError(f"{name} is {value!r}, but must be an integer between {least} and {most}.")
    return number


def count(name: str, value: Any, least: int = 0) -> int:
    return whole(name, value, least, _MOST_INT)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _kiln.UserError(f"{name} is {value!r}, but must be a text.")
    return value


def ids_of_cells(ids: Any) -> np.ndarray:
    """One id, or an array of them.

    >>> ids_of_cells(3), ids_of_cells([2.0, 5])
    (array([3]), array([2, 5]))
    """
    given = np.atleast_1d(np.asarray(ids))
    whole_numbers = given.astype(np.int64) if given.dtype.kind in "iuf" and np.isfinite(given).all() else None
    if whole_numbers is None or given.ndim != 1 or (whole_numbers != given).any():
        raise _kiln.UserError(f"ids is {ids!r}, but must be an id or a list of them.")
    return whole_numbers


def devices_text(devices: Any) -> str:
    """As the command line has them.

    >>> devices_text([0, 1])
    '0,1'
    """
    if devices is None or isinstance(devices, str):
        return devices or ""
    return ",".join(str(count("devices", device)) for device in devices)


def engine_choice(
    engine: Any, schedule: Any, threads: Any, device: Any, devices: Any = None, bricks: Any = ""
) -> _kiln.EngineOptions:
    return _kiln.EngineOptions(
        text("engine", engine), text("schedule", schedule), count("threads", threads), count("device", device),
        devices_text(devices), text("bricks", bricks),
    )
