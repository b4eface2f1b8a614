"""Modules that only evaluating needs, imported when they are first used: computing does without them."""

from __future__ import annotations

import importlib
from typing import Any


class _Module:
    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


pd = _Module("pandas")
plots = _Module("experiments.plots")
ndimage = _Module("scipy.ndimage")
special = _Module("scipy.special")
stats = _Module("scipy.stats")
