"""Two kinds of cells, mixed at random, sort themselves: those that cling to each other most end up inside."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"

sim = kiln.Simulation(kiln.Model(MODELS / "sorting.toml", {"measure.every": 50}))
pictures = {0: sim.picture(width=400)}
for mcs in sim.steps(8000, every=1000):
    pictures[mcs] = sim.picture(width=400)

figure = plt.figure(figsize=(12, 3.6), layout="constrained")
left, middle, right, curve = figure.subplots(1, 4, width_ratios=[1, 1, 1, 1.2])
for axes, mcs in zip((left, middle, right), (0, 1000, 8000)):
    axes.imshow(pictures[mcs])
    axes.set(title=f"MCS {mcs}", xticks=[], yticks=[])
curve.plot(sim.measures["mcs"], sim.measures["heterotypic"], color="#3d405b")
curve.set(xlabel="MCS", title="contacts between unlike cells", ylim=(0, None))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "sorting.png", dpi=100)
