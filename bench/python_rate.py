"""Whether `sim.run` goes as fast as `kiln run`: both in turn, on the same model, several times.

    ./kiln python bench/python_rate.py [MODEL.toml] [MCS]

Prints the seconds of computing that each took, and the median of the ratios.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kiln

ROOT = Path(__file__).resolve().parent.parent
file = sys.argv[1] if len(sys.argv) > 1 else ROOT / "models" / "sorting.toml"
mcs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
program = Path(os.environ.get("KILN_BUILD", ROOT / "build")) / "kiln"
# Neither pictures nor files: what is compared is running and measuring.
model = kiln.Model(file, {"pictures": [], "measure.cells_every": 0})


def on_the_command_line(folder: str) -> float:
    out = Path(folder) / "run"
    command = [program, "run", Path(folder) / "model.toml", "--mcs", str(mcs), "--out", out, "--force", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    record = json.loads((out / "run.json").read_text())
    assert record["hash"] == json.loads(done.stdout)["hash"]
    return record["seconds"], record["hash"]


def in_python() -> float:
    sim = kiln.Simulation(model)
    start = time.perf_counter()
    sim.run(mcs)
    return time.perf_counter() - start, sim.seconds, sim.hash


with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "model.toml")
    ratios = []
    print(f"{'kiln run (s)':>14} {'sim.run (s)':>14} {'of it engine':>14} {'ratio':>8}")
    for _ in range(7):
        theirs, their_hash = on_the_command_line(folder)
        wall, ours, our_hash = in_python()
        assert our_hash == their_hash
        ratios.append(ours / theirs)
        print(f"{theirs:14.3f} {wall:14.3f} {ours:14.3f} {ratios[-1]:8.3f}")
print(f"median ratio of computing, Python to command line: {statistics.median(ratios):.3f}")
