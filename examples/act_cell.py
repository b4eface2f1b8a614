"""A single crawling cell: where it advanced a moment ago it goes on to advance (Act)."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"

figure, rows = plt.subplots(2, 2, figsize=(8, 8), layout="constrained")
for strength, (cell, path) in zip((50, 300), rows):
    sim = kiln.Simulation(kiln.Model(MODELS / "act-cell.toml", {"types.cell.act.lambda": strength}))
    sim.run(3000)
    cell.imshow(sim.picture(colour="act", width=400))
    cell.set(title=f"Act {strength}", xticks=[], yticks=[])
    path.plot(sim.tracks["x"], sim.tracks["y"], color="#c1440e")
    path.set(title="its track", aspect="equal", xlabel="µm", xlim=(0, 350), ylim=(280, -70))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "act_cell.png", dpi=100)
