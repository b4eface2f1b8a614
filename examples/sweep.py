"""How fast cells crawl, over two parameters: a heat map of many short simulations, one per core."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"
STRENGTHS, MEMORIES = [50, 100, 200, 400], [10, 30, 60]
base = kiln.Model(
    MODELS / "act-cell.toml",
    {
        "lattice.size": [120, 120],
        "types.cell.volume.target": 500,
        "types.cell.perimeter.target": 260,
        "initial.0.box": [22, 22],
        "initial.0.region": {"shape": "box", "low": [50, 50], "high": [72, 72]},
    },
)


def speed(strength, memory):
    sim = kiln.Simulation(base.changed({"types.cell.act.lambda": strength, "types.cell.act.max": memory}), threads=1)
    sim.run(400, progress=False)
    return {"lambda": strength, "max": memory, "speed": sim.measures["speed_um_per_min"].iloc[10:].mean()}


with ThreadPoolExecutor(os.cpu_count()) as pool:  # a running simulation does not hold Python up
    rows = pd.DataFrame(pool.map(lambda point: speed(*point), product(STRENGTHS, MEMORIES)))

grid = rows.pivot(index="max", columns="lambda", values="speed")
figure, axes = plt.subplots(figsize=(6, 4.2), layout="constrained")
image = axes.imshow(grid, origin="lower", cmap="viridis", aspect="auto")
axes.set_xticks(range(len(grid.columns)), grid.columns)
axes.set_yticks(range(len(grid.index)), grid.index)
axes.set(xlabel="Act: lambda", ylabel="Act: max")
figure.colorbar(image, label="speed (µm/min)")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "sweep.png", dpi=100)
