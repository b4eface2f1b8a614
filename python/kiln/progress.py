"""How far a run has come: a line in a terminal, a bar in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
import time

from kiln.picture import _in_notebook

_SILENT_S = 0.5  # short runs show nothing
_PAUSE_S = 0.1


class Bar:
    def __init__(self, first: int, last: int, sites: int):
        self._first, self._last, self._sites = first, last, sites
        self._start = self._shown = time.monotonic()
        self._notebook = _in_notebook()
        self._terminal = not self._notebook and sys.stderr is not None and sys.stderr.isatty()
        self._handle = None
        self._open = False

    def __call__(self, mcs: int, what: str = "") -> None:
        now = time.monotonic()
        if now - self._start < _SILENT_S or (now - self._shown < _PAUSE_S and mcs < self._last):
            return
        self._shown = now
        share = (mcs - self._first) / max(1, self._last - self._first)
        rate = (mcs - self._first) / (now - self._start)
        left = f"{(self._last - mcs) / rate:.0f} s left" if mcs < self._last and rate > 0 else "done"
        text = f"{what + '  ' if what else ''}MCS {mcs:,}/{self._last:,}  {rate * self._sites:.2g} site updates/s  {left}"
        if self._notebook:
            self._show_in_notebook(share, text)
        elif self._terminal:
            filled = int(30 * share)
            print(f"\r\033[K[{'#' * filled}{'.' * (30 - filled)}] {100 * share:3.0f}%  {text}", end="",
                  file=sys.stderr, flush=True)
            self._open = True

    def _show_in_notebook(self, share: float, text: str) -> None:
        from IPython.display import HTML, display

        bar = HTML(f'<progress value="{share:.4f}" style="width: 20em"></progress> {text}')
        if self._handle is None:
            self._handle = display(bar, display_id=True)
        else:
            self._handle.update(bar)

    def finish(self) -> None:
        if self._open:
            print(file=sys.stderr)
        self._open = False
