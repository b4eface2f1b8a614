"""Cells that follow a circular field run around its centre; their tracks show it."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"

model = kiln.Model(MODELS / "chemotaxis.toml", {"lattice.size": [300, 300], "measure.cells_every": 25})
sim = kiln.Simulation(model)
sim.run(3000)

figure, (tissue, paths) = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
tissue.imshow(sim.picture(colour="cell", width=450))
tissue.set(title=f"MCS {sim.mcs}", xticks=[], yticks=[])
for _, track in sim.tracks.groupby("id"):
    paths.plot(track["x"], track["y"], linewidth=1)
    paths.plot(track["x"].iloc[-1], track["y"].iloc[-1], ".", color="black")
paths.set(title="tracks", aspect="equal", xlabel="µm", xlim=(0, 300), ylim=(300, 0))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "chemotaxis.png", dpi=100)
