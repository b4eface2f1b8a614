"""A tissue closes a wound. Cells of a disc are killed from Python; a rule lets those at the edge push forward."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kiln

sim = kiln.Simulation(
    {
        "temperature": 15,
        "lattice": {"size": [160, 160]},
        "types": {
            "cell": {
                "volume": {"target": 115, "lambda": 1},  # more than they have: they would like to spread
                "perimeter": {"target": 130, "lambda": 0.1},
                "act": {"lambda": 0, "max": 20},
                "properties": {"push": 0},
            }
        },
        "adhesion": {"cell": {"cell": 8, "medium": 20}},
        "initial": [{"box": 10, "type": "cell"}],
        "rules": [{"types": "cell", "set": {"push": "contact(medium)", "act.lambda": "300 * step(contact(medium) - 0.02)"}}],
    },
    seed=3,
)
sim.run(50)
away = np.linalg.norm(sim.cells.position - 80, axis=1)  # not a number for the medium, which is no cell
sim.kill(np.flatnonzero(away < 42))

figure, panels = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
for panel, mcs in zip(panels, (1, 30, 80)):
    sim.run(50 + mcs - sim.mcs)
    open_sites = int((sim.lattice == 0).sum())
    panel.imshow(sim.picture(colour="push", range=[0, 0.3], width=400, decoration="none"))
    panel.set(title=f"{mcs} MCS after: {open_sites:,} sites open", xticks=[], yticks=[])
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "ablation.png", dpi=100)
