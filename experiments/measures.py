"""What experiments measure of lattices, tracks and ensembles."""

from __future__ import annotations

import itertools
from typing import Sequence

import numpy as np

from experiments.lazy import stats


def interfaces(lattice: np.ndarray, types: np.ndarray) -> tuple[int, int]:
    """Pairs of neighbouring sites (Moore, periodic) of two cells: of one type, and of different types."""
    ids, kinds = np.asarray(lattice), types[lattice]
    same = different = 0
    # One of each pair of opposite directions.
    for shift in itertools.islice(itertools.product((1, 0, -1), repeat=ids.ndim), (3**ids.ndim) // 2):
        axes = tuple(range(ids.ndim))
        other_ids, other_kinds = np.roll(ids, shift, axes), np.roll(kinds, shift, axes)
        contact = (ids != other_ids) & (ids > 0) & (other_ids > 0)
        alike = contact & (kinds == other_kinds)
        same += int(alike.sum())
        different += int(contact.sum()) - int(alike.sum())
    return same, different


def directions(positions: np.ndarray) -> np.ndarray:
    """Unit vectors of the steps of a track, of shape (samples, axes); NaN where it did not move."""
    steps = np.diff(positions, axis=0)
    with np.errstate(invalid="ignore"):
        return steps / np.linalg.norm(steps, axis=-1, keepdims=True)


def direction_autocorrelation(positions: np.ndarray) -> np.ndarray:
    """The mean of cos(angle) between steps 0, 1, 2, ... steps apart."""
    units = directions(positions)
    return np.array([np.nanmean(np.sum(units[: len(units) - lag] * units[lag:], axis=-1)) for lag in range(len(units))])


def order_index(before: np.ndarray, after: np.ndarray) -> float:
    """The length of the mean direction of all cells that moved: 1 where all go the same way."""
    units = directions(np.stack([before, after]))[0]
    return float(np.linalg.norm(np.nanmean(units, axis=0)))


def volumes(lattice: np.ndarray, cells: int) -> np.ndarray:
    """Sites by id, for ids up to `cells`; 0 for the medium, as in Kiln's tables."""
    counts = np.bincount(lattice.ravel(), minlength=cells + 1)
    counts[0] = 0
    return counts


def perimeters(lattice: np.ndarray, cells: int, periodic: Sequence[bool], neighbourhood: str | int = "moore",
               ) -> np.ndarray:
    """(site of the cell, neighbour not of the cell) pairs by id. Places beyond a closed wall do not count; `periodic`
    is of the array's axes."""
    counts = np.zeros(cells + 1, np.int64)
    for offset in _half_of_offsets(lattice.ndim, neighbourhood):
        here, there = lattice, lattice
        for axis, (step, wraps) in enumerate(zip(offset, periodic)):
            if wraps:
                there = np.roll(there, -step, axis)
            elif step:
                length = lattice.shape[axis]
                here = here.take(range(max(0, -step), length - max(0, step)), axis)
                there = there.take(range(max(0, step), length - max(0, -step)), axis)
        apart = here != there
        counts += np.bincount(here[apart], minlength=cells + 1) + np.bincount(there[apart], minlength=cells + 1)
    counts[0] = 0
    return counts


def _half_of_offsets(dimension: int, neighbourhood: str | int) -> list[tuple[int, ...]]:
    """One of each two opposite neighbours. A number counts shells of equal distance, nearest first."""
    named = {"von-neumann": 1, "moore": dimension}
    shells = named[neighbourhood] if isinstance(neighbourhood, str) else neighbourhood
    reach = range(-3, 4)
    by_distance = sorted((sum(x * x for x in offset), offset) for offset in itertools.product(reach, repeat=dimension))
    distances = sorted({squared for squared, _ in by_distance})
    return [offset for squared, offset in by_distance if 0 < squared <= distances[shells] and offset > (0,) * dimension]


def centroids(lattice: np.ndarray, cells: int, periodic: Sequence[bool]) -> np.ndarray:
    """By id, in sites, of shape (cells + 1, axes): x first. NaN for the medium and for cells that are not there. On
    periodic axes sites are counted from the mean of their angles: where no cell is wider than half of the axis, it
    does not matter from where."""
    ids = lattice.ravel()
    sites = np.bincount(ids, minlength=cells + 1).astype(float)
    sites[0] = 0
    sites[sites == 0] = np.nan
    result = np.empty((cells + 1, lattice.ndim))
    for axis, (length, wraps) in enumerate(zip(lattice.shape, periodic)):
        along = np.arange(length, dtype=float).reshape([-1 if a == axis else 1 for a in range(lattice.ndim)])
        place = np.broadcast_to(along, lattice.shape).ravel()
        middle = np.zeros(cells + 1)
        if wraps:
            angle = 2 * np.pi * place / length
            sine, cosine = (np.bincount(ids, f(angle), cells + 1) for f in (np.sin, np.cos))
            middle = np.arctan2(sine, cosine) * length / (2 * np.pi)
            place = shortest_way(place - middle[ids], length)
        result[:, lattice.ndim - 1 - axis] = middle + np.bincount(ids, place, cells + 1) / sites
    return result


def shortest_way(steps: np.ndarray, length: float) -> np.ndarray:
    """Steps along a periodic axis, each the shorter way around: from -length / 2 to length / 2."""
    return (steps + length / 2) % length - length / 2


def two_way_anova(values: np.ndarray) -> dict[str, float]:
    """p of the first factor, the second, and their interaction; `values` has the shape (first, second, repeats)."""
    first, second, repeats = values.shape
    mean = values.mean()
    by_first, by_second, by_both = values.mean(axis=(1, 2)), values.mean(axis=(0, 2)), values.mean(axis=2)
    squares = {
        "first": second * repeats * np.sum((by_first - mean) ** 2),
        "second": first * repeats * np.sum((by_second - mean) ** 2),
        "interaction": repeats * np.sum((by_both - by_first[:, None] - by_second[None, :] + mean) ** 2),
    }
    freedom = {"first": first - 1, "second": second - 1, "interaction": (first - 1) * (second - 1)}
    left_freedom = first * second * (repeats - 1)
    left = np.sum((values - by_both[:, :, None]) ** 2) / left_freedom
    return {name: float(stats.f.sf(squares[name] / freedom[name] / left, freedom[name], left_freedom))
            for name in squares}


def histogram_distance(reference: np.ndarray, tested: np.ndarray) -> float:
    """Total variation of two histograms: 0 for equal shares, 1 for disjoint ones."""
    return float(0.5 * np.abs(reference / reference.sum() - tested / tested.sum()).sum())


def occupied_share(counts: np.ndarray, runs: int) -> np.ndarray:
    """The probability that a pixel is occupied, from counts over runs; never 0 or 1, so that logarithms are finite."""
    return (counts + 0.5) / (runs + 1)


def cross_entropy(tested: np.ndarray, tested_runs: int, reference: np.ndarray, reference_runs: int) -> float:
    """Bits per pixel of the tested ensemble's shares under the reference's probabilities, less what a pixel costs on
    which all runs agree."""
    share, probability = tested / tested_runs, occupied_share(reference, reference_runs)
    floor = -np.log2((reference_runs + 0.5) / (reference_runs + 1))
    return float(np.mean(-share * np.log2(probability) - (1 - share) * np.log2(1 - probability)) - floor)


def entropy(counts: np.ndarray, runs: int) -> float:
    """Bits per pixel of an ensemble's shares."""
    share = np.clip(counts / runs, 1e-12, 1 - 1e-12)
    return float(np.mean(-share * np.log2(share) - (1 - share) * np.log2(1 - share)))
