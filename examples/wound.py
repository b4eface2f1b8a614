"""A first state from NumPy: a sheet of cells around random points, with a wound that the cells close."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kiln

SIZE, WOUND = 220, 45
random = np.random.default_rng(1)
y, x = np.mgrid[:SIZE, :SIZE]

# Every site belongs to the nearest of 300 points, and to none inside the wound.
points = random.uniform(0, SIZE, (300, 2))
nearest = np.argmin((x[..., None] - points[:, 0]) ** 2 + (y[..., None] - points[:, 1]) ** 2, axis=-1)
wounded = (x - SIZE / 2) ** 2 + (y - SIZE / 2) ** 2 < WOUND**2
labels = np.where(wounded, 0, nearest + 1)
_, ids = np.unique(labels, return_inverse=True)  # 0 is the medium, then 1, 2, 3, ...

model = kiln.Model(
    {
        "temperature": 12,
        "lattice": {"size": [SIZE, SIZE], "boundary": "closed"},
        "types": {
            "skin": {
                "volume": {"target": 178, "lambda": 2},
                "perimeter": {"target": 190, "lambda": 0.2},
                "act": {"lambda": 60, "max": 20},
            }
        },
        "adhesion": {"skin": {"skin": 4, "medium": 14}},
    }
)
sim = kiln.Simulation(model, lattice=ids.reshape(labels.shape), types="skin")

mcs, open_sites, pictures = [0], [int(wounded.sum())], [sim.picture(colour="cell", width=400)]
for now in sim.steps(200, every=5):
    mcs.append(now)
    open_sites.append(int((sim.lattice == 0).sum()))
    if now in (40, 200):
        pictures.append(sim.picture(colour="cell", width=400))

figure = plt.figure(figsize=(12, 3.6), layout="constrained")
*stills, curve = figure.subplots(1, 4, width_ratios=[1, 1, 1, 1.2])
for axes, picture, time in zip(stills, pictures, (0, 40, 200)):
    axes.imshow(picture)
    axes.set(title=f"MCS {time}", xticks=[], yticks=[])
curve.plot(mcs, open_sites, color="#c1440e")
curve.set(xlabel="MCS", title="open wound (sites)", ylim=(0, None))
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "wound.png", dpi=100)
