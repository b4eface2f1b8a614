"""Persistent cells in 3-D: crowded, they begin to go the same way."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"

figure, (curve, tissue) = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
for density, colour in ((0.3, "#81b29a"), (0.85, "#3d405b")):
    changes = {"lattice.size": [36, 36, 36], "initial.0.density": density}
    sim = kiln.Simulation(kiln.Model(MODELS / "collective.toml", changes))
    sim.run(1500)
    curve.plot(sim.measures["mcs"], sim.measures["order_index"], color=colour, label=f"density {density}")
curve.set(xlabel="MCS", ylabel="order index", ylim=(0, 1))
curve.legend()
tissue.imshow(sim.picture(view="solid", colour="cell", cut_away=True, width=450))
tissue.set(title="density 0.85", xticks=[], yticks=[])
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "collective.png", dpi=100)
