"""Pictures of a tissue."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

import numpy as np

from kiln import _kiln


class Picture:
    """An image that notebooks show by themselves; `rgb` has its pixels, of shape (height, width, 3)."""

    def __init__(self, rgb: np.ndarray):
        self.rgb = rgb

    @property
    def png(self) -> bytes:
        return _kiln.png(self.rgb)

    def save(self, file: str | os.PathLike) -> None:
        _kiln.write_file(os.fspath(file), self.png)

    def __array__(self, dtype: Any = None) -> np.ndarray:
        return self.rgb if dtype is None else self.rgb.astype(dtype)

    def __repr__(self) -> str:
        return f"<kiln.Picture {self.rgb.shape[1]} x {self.rgb.shape[0]}>"

    def _repr_png_(self) -> bytes:
        return self.png

    def show(self) -> None:
        """Shows the picture: in a notebook below the cell, on a desktop in a window, else as a file that it names."""
        if _in_notebook():
            from IPython.display import display

            display(self)
        elif not _show_in_window(self.rgb):
            with tempfile.NamedTemporaryFile(prefix="kiln-", suffix=".png", delete=False) as file:
                file.write(self.png)
            print(file.name)


def _in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and shell.has_trait("kernel")


def _show_in_window(rgb: np.ndarray) -> bool:
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return False
    figure = plt.figure(figsize=(rgb.shape[1] / 100, rgb.shape[0] / 100), dpi=100)
    figure.add_axes((0, 0, 1, 1)).imshow(rgb)
    plt.axis("off")
    plt.show()
    return True
