"""How all figures look."""

from __future__ import annotations

import io

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.cm import ScalarMappable  # noqa: E402
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

plt.rcParams.update({
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
})


def panels(columns: int, rows: int = 1, *, width: float = 3.2, height: float = 2.7) -> tuple[Figure, np.ndarray]:
    """A figure and its axes, of shape (rows, columns)."""
    return plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False, layout="constrained")


def band(axes: Axes, x: np.ndarray, runs: np.ndarray, **look: object) -> None:
    """The mean over runs (first axis) and one standard deviation around it."""
    mean, sd = np.nanmean(runs, axis=0), np.nanstd(runs, axis=0, ddof=1 if len(runs) > 1 else 0)
    (line,) = axes.plot(x, mean, **look)
    axes.fill_between(x, mean - sd, mean + sd, color=line.get_color(), alpha=0.15, linewidth=0)


def heat_map(axes: Axes, values: np.ndarray, rows: list, columns: list, *, colours: str = "viridis",
             log: bool = False) -> None:
    """Values in a grid with their numbers; with `log`, which needs positive ones, colours tell ratios."""
    image = axes.imshow(values, cmap=colours, norm=LogNorm() if log else None, aspect="auto", origin="lower")
    axes.set_xticks(range(len(columns)), [str(name) for name in columns])
    axes.set_yticks(range(len(rows)), [str(name) for name in rows])
    for (row, column), value in np.ndenumerate(values):
        axes.text(column, row, f"{value:.2g}", ha="center", va="center", fontsize=7,
                  color="white" if image.norm(value) < 0.5 else "black")
    axes.figure.colorbar(image, ax=axes, shrink=0.85)


def rarities(steps: int) -> list[str]:
    """Names for the columns of `grid_of_boards`: n is the number of sites of a region."""
    return ["1", *(f"n$^{{{i / (steps - 1):.1g}}}$" for i in range(1, steps - 1)), "n"]


def png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # No version of matplotlib in the file: the same data give the same bytes.
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def shades(count: int) -> list:
    """Colours for a parameter that rises."""
    return [plt.cm.viridis(0.9 * i / max(1, count - 1)) for i in range(count)]


def key_to_shades(figure: Figure, axes: np.ndarray, values: list, title: str) -> None:
    """A bar that tells which value has which of the shades, for the curves in all these axes."""
    scale = ScalarMappable(BoundaryNorm(np.arange(len(values) + 1) - 0.5, len(values)),
                           ListedColormap(shades(len(values))))
    bar = figure.colorbar(scale, ax=axes, ticks=range(len(values)), aspect=40, pad=0.01)
    bar.set_ticklabels([str(value) for value in values], fontsize=7)
    bar.set_label(title)
