"""The viewer: a page in the browser, or below a cell of a notebook."""

from __future__ import annotations

import atexit
import html
import itertools
import re
import sys
import weakref
from typing import Any, Callable

from kiln import _kiln
from kiln.arguments import text, whole
from kiln.picture import _in_notebook

LOOPBACK = "127.0.0.1"
HEIGHT = 600

_open: weakref.WeakSet[View] = weakref.WeakSet()
_frames = itertools.count(1)

# The page of a notebook at http://localhost is nearer to a frame of that name than to one of 127.0.0.1. Another frame
# takes the place of the first: a browser may not see a new address while it is busy with the one before.
_FRAME = """<iframe id="{id}" src="{url}" width="100%" height="{height}" title="Kiln" allowfullscreen
 style="border: 1px solid #8884; border-radius: 6px"></iframe>
<script>(() => {{
  const frame = document.getElementById("{id}");
  if (location.hostname !== "localhost") return;
  const near = frame.cloneNode();
  near.src = frame.src.replace("//127.0.0.1:", "//localhost:");
  frame.replaceWith(near);
}})()</script>
"""


class View:
    """A viewer that is open: `sim.view()`, `kiln.run(..., view=True)` or `RunFolder.view()` made it.

    It ends with `close()` or a `with` block, with the simulation that it shows, or with the program. In a notebook it is
    the page itself.

    >>> sim.view()                            # doctest: +SKIP
    <kiln.View http://127.0.0.1:8642/?token=...>
    """

    def __init__(self, view: _kiln.View, height: int, shows: bool = False):
        """Says where it is. In a notebook its value does that, or with `shows` this."""
        self._view, self._height, self._in_frames = view, height, _in_notebook()
        _open.add(self)
        if not self._in_frames or not self._is_local:
            print(view.announcement, end="", file=sys.stderr)
        if not self._in_frames:
            view.open_browser()
        elif shows:
            from IPython.display import display

            display(self)

    @property
    def url(self) -> str:
        """Its address, with the token that lets a browser in."""
        return self._view.url

    @property
    def is_open(self) -> bool:
        return self._view.is_open

    @property
    def _is_local(self) -> bool:
        return f"//{LOOPBACK}:" in self.url

    def close(self) -> None:
        """Ends it; the simulation goes on."""
        self._view.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<kiln.View {self.url}{'' if self.is_open else ', closed'}>"

    def _repr_html_(self) -> str:
        if not self.is_open:
            return "<p>This viewer is closed.</p>"
        url = html.escape(self.url)
        port = re.search(r":(\d+)/", self.url).group(1)
        frame = _FRAME.format(id=f"kiln-{port}-{next(_frames)}", url=url, height=self._height)
        hint = (f"; where the notebook's server is another machine, <code>ssh -L {port}:127.0.0.1:{port} SERVER</code> first"
                if self._is_local else "")
        return (f'{frame if self._in_frames else ""}<div style="font-size: smaller">In a tab of its own: '
                f'<a href="{url}" target="_blank" rel="noopener">{url}</a>{hint}.</div>')


def view_options(port: int | None = None, listen: str = LOOPBACK) -> _kiln.ViewOptions:
    port = None if port is None else whole("port", port, 1, 65535)
    if text("listen", listen) == "":
        raise _kiln.UserError("listen is '', but must be an address of this machine.")
    return _kiln.ViewOptions(port, listen, _in_notebook())


def opened(known: View | None, open_one: Callable[[_kiln.ViewOptions], _kiln.View], port: int | None, listen: str,
           height: int) -> View:
    """The viewer that is known, where that is open, or a new one."""
    options, height = view_options(port, listen), whole("height", height, 100, 10000)
    if known is None or not known.is_open:
        return View(open_one(options), height)
    if port is not None and f":{port}/" not in known.url:
        raise _kiln.UserError(f"port is {port}, but the viewer is open at {known.url}; close it first.")
    known._height = height
    return known


@atexit.register
def _close_all() -> None:
    for view in list(_open):
        view.close()
