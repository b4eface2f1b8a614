"""What is connected, who touches whom, and how straight a curve is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.lazy import ndimage


def components(mask: np.ndarray, corners: bool) -> np.ndarray:
    """Numbers of connected components by site, from 1, on a periodic lattice; 0 where there is nothing. With `corners`
    sites that share one hang together, too."""
    labels, count = ndimage.label(mask, np.ones((3,) * mask.ndim) if corners else None)
    parent = np.arange(count + 1)
    for axis in range(mask.ndim):
        first, last = np.take(labels, 0, axis), np.take(labels, -1, axis)
        others = [a for a in range(mask.ndim) if a != axis]
        for shift in (-1, 0, 1) if corners else (0,):
            for along in range(len(others)):
                for a, b in zip(first.ravel(), np.roll(last, shift, along).ravel()):
                    if a and b:
                        parent[_root(parent, a)] = _root(parent, b)
    roots = np.array([_root(parent, i) for i in range(count + 1)])
    return np.unique(roots, return_inverse=True)[1][labels]


def _root(parent: np.ndarray, i: int) -> int:
    while parent[i] != i:
        i = parent[i]
    return i


def borders(lattice: np.ndarray, cells: int) -> np.ndarray:
    """Pairs of neighbouring sites (Moore, periodic) of every two cells, as a matrix by id; 0 is the medium."""
    counts = np.zeros((cells + 1, cells + 1), np.int64)
    for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        other = np.roll(lattice, step, (0, 1))
        np.add.at(counts, (lattice.ravel(), other.ravel()), 1)
    counts += counts.T
    np.fill_diagonal(counts, 0)
    return counts


@dataclass(frozen=True)
class Line:
    """A least-squares line, and those through the two halves of its points."""

    slope: float
    r_squared: float
    first: float  # slopes of the halves
    second: float

    @property
    def bend(self) -> float:
        """By how much the slope changes from one half to the other, as a share of it."""
        return abs(self.second - self.first) / abs(self.slope)


def line(x: np.ndarray, y: np.ndarray) -> Line:
    half = (len(x) + 1) // 2
    slope = float(np.polyfit(x, y, 1)[0])
    return Line(slope, float(np.corrcoef(x, y)[0, 1] ** 2), float(np.polyfit(x[:half], y[:half], 1)[0]),
                float(np.polyfit(x[-half:], y[-half:], 1)[0]))
