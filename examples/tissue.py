"""T cells in a tissue that comes from a scan. Here the scan is generated; `file = "scan.tif"` takes a real one."""

import sys
from pathlib import Path

import kiln

MODELS = Path(__file__).resolve().parent.parent / "models"

model = kiln.Model(
    MODELS / "liver.toml",
    {
        "lattice.size": [96, 96, 64],
        "initial.0.phantom.size_um": [96, 96, 64],
        "initial.1.count": 120,
        "types.tissue.hidden": False,
    },
)
sim = kiln.Simulation(model)
sim.run(150)
print(sim.cells.table().describe().loc[["mean", "std"], ["volume", "perimeter", "neighbours"]])
picture = sim.picture(view="solid", colour="type", cut_away=True, width=700)
picture.save(sys.argv[1] if len(sys.argv) > 1 else "tissue.png")
