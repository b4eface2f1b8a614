"""A model to try things with, and the program."""

import os
import subprocess
from pathlib import Path

import kiln

KILN = os.environ["KILN_BINARY"]
MODELS = Path(os.environ["KILN_SOURCE_DIR"]) / "models"


def crawlers(**changes):
    model = {
        "seed": 4,
        "mcs": 60,
        "temperature": 10,
        "lattice": {"size": [90, 70]},
        "types": {
            "cell": {
                "volume": {"target": 150, "lambda": 5},
                "perimeter": {"target": 180, "lambda": 0.5},
                "act": {"lambda": 120, "max": 20},
            },
            "other": {"volume": {"target": 100, "lambda": 5}, "persistence": {"lambda": 50, "dt": 5}},
        },
        "initial": [{"kind": "seeds", "types": {"cell": 1, "other": 1}, "count": 12, "radius": 5}],
        "measure": {"every": 10, "cells_every": 20},
    }
    if "phases" in changes:
        del model["mcs"]
    return kiln.Model(model, changes)


def command(*arguments):
    return subprocess.run([KILN, *map(str, arguments)], capture_output=True, text=True)
