"""How fast cells crawl, over two parameters: a heat map of many short simulations, one per core."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"
model = kiln.Model(
    MODELS / "act-cell.toml",
    {
        "lattice.size": [120, 120],
        "types.cell.volume.target": 500,
        "types.cell.perimeter.target": 260,
        "initial.0.box": [22, 22],
        "initial.0.region": {"shape": "box", "low": [50, 50], "high": [72, 72]},
    },
)
vary = {"types.cell.act.lambda": [50, 100, 200, 400], "types.cell.act.max": [10, 30, 60]}
runs = kiln.sweep(model, vary, replicas=4, mcs=400).runs

grid = runs.pivot_table(index="types.cell.act.max", columns="types.cell.act.lambda", values="speed_mean_um_per_min")
figure, axes = plt.subplots(figsize=(6, 4.2), layout="constrained")
image = axes.imshow(grid, origin="lower", cmap="viridis", aspect="auto")
axes.set_xticks(range(len(grid.columns)), grid.columns)
axes.set_yticks(range(len(grid.index)), grid.index)
axes.set(xlabel="Act: lambda", ylabel="Act: max")
figure.colorbar(image, label="speed (µm/min)")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "sweep.png", dpi=100)
