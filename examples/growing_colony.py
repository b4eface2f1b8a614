"""Cells that grow and divide: a Python function looks at them every few MCS and splits the large ones."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kiln

SIZE, BORN, DIVIDES = 200, 60, 110

ids = np.zeros((SIZE, SIZE), int)
ids[96:104, 96:104] = 1
model = kiln.Model(
    {
        "temperature": 10,
        "lattice": {"size": [SIZE, SIZE], "boundary": "closed"},
        # Every cell wants to be a little larger than the size at which it divides.
        "types": {"cell": {"volume": {"target": DIVIDES + 10, "lambda": 0.3}}},
        "adhesion": {"cell": {"cell": 6, "medium": 10}},
    }
)
sim = kiln.Simulation(model, lattice=ids, types="cell")
cells, mcs, ancestor = [1], [0], {1: 1}


def divide(sim):
    large = np.flatnonzero(sim.cells.volume >= DIVIDES)
    if large.size:
        with sim.edit() as edit:
            for parent in large:
                y, x = np.nonzero(edit.lattice == parent)
                # Across the longer axis of the cell.
                sites = np.stack([x - x.mean(), y - y.mean()])
                axis = np.linalg.eigh(sites @ sites.T)[1][:, -1]
                half = axis @ sites > 0
                edit.lattice[y[half], x[half]] = edit.add_cell("cell")
    cells.append(len(sim.cells))
    mcs.append(sim.mcs)


sim.run(500, every=10, call=divide)
figure, (colony, curve) = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
colony.imshow(sim.picture(colour="cell", width=450))
colony.set(title=f"{len(sim.cells)} cells from one", xticks=[], yticks=[])
curve.semilogy(mcs, cells, color="#3d405b")
curve.set(xlabel="MCS", ylabel="cells")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "growing_colony.png", dpi=100)
