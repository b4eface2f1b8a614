"""What a run will need."""

from __future__ import annotations

import json
from typing import Any

from kiln import _kiln
from kiln.arguments import count, text
from kiln.model import Model, Source, as_model


def plan(model: Model | Source, ranks: int = 1, on: str = "h200", *, bricks: str = "", mcs: int | None = None) -> dict[str, Any]:
    """What `kiln plan --json` says, before anything is played: memory and messages of a rank, seconds, bytes on disk. A
    rank is an "h200" or a "core".

    >>> need = plan({"lattice": {"size": [4000, 4000]}}, ranks=4, on="core", mcs=1000)
    >>> need["bricks"], need["mcs"], need["seconds"] > 0
    ('1x4', 1000, True)
    """
    model = as_model(model)
    if mcs is not None:
        model = model.lasting(mcs)
    return json.loads(_kiln.plan(model._model, count("ranks", ranks, 1), text("bricks", bricks), text("on", on)))
