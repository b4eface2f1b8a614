"""`./kiln side-by-side`: Kiln and another simulator play the same model from the same first state."""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import shutil
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Callable, Sequence

import kiln
import numpy as np

from experiments import comparison, machine, processes
from experiments.comparison import FEWEST_RUNS, MEASURES, Space, Tissue, measured
from experiments.files import write_whole
from experiments.other_program import PLACES, OtherProgram

DIFFERENT, FAILED, MISTAKE, STOPPED = 1, 1, 2, 130  # exit codes; `kiln fidelity` has the first, too
RESULTS = TABLE, RUNS, FIGURE = "comparison.csv", "runs.csv", "comparison.png"

_stopping = threading.Event()


@dataclass(frozen=True)
class Plan:
    """All that both programs are given."""

    model: kiln.Model
    model_file: Path
    start: np.ndarray  # ids by site
    types: np.ndarray  # numbers of types by id
    times: list[int]
    seeds: list[int]
    out: Path
    keep: bool

    @cached_property
    def space(self) -> Space:
        periodic = [wall == "periodic" for wall in self.model["lattice.boundary"]]
        return Space(self.model.size, periodic, self.model["neighbourhood.perimeter"])

    @cached_property
    def cells(self) -> np.ndarray:
        """Ids of the cells that are compared."""
        frozen = [False] + [self.model[f"types.{name}.frozen"] for name in self.model.types[1:]]
        ids = np.unique(self.start)
        return ids[(ids > 0) & ~np.array(frozen)[self.types[ids]]]

    def tissue(self, lattice: np.ndarray) -> Tissue:
        return Tissue.of_lattice(lattice, self.cells, len(self.types) - 1, self.space)


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _compare(options)
    except kiln.UserError as error:
        print(f"kiln side-by-side: {error}", file=sys.stderr)
        return MISTAKE
    except (kiln.Failure, OSError) as error:
        print(f"kiln side-by-side: {error}", file=sys.stderr)
        return FAILED


def _compare(options: argparse.Namespace) -> int:
    if options.mcs % options.every:
        raise kiln.UserError(f"--mcs is {options.mcs}, but must be a multiple of --every, {options.every}.")
    if importlib.util.find_spec("scipy") is None:
        raise kiln.UserError("comparing needs SciPy; install python3-scipy.")
    other = OtherProgram(options.other)
    plan = _plan(options)
    one_at_a_time = bool(_simulation(plan, options, plan.seeds[0]).gpu)  # and the engine is one that there is
    print(comparison.rule(len(plan.times), options.runs), flush=True)
    # The other one first: what is wrong with its command shows at once.
    others = _all_runs(plan, "the other", lambda seed: _play_other(plan, other, seed), options.jobs)
    kilns = _all_runs(plan, "Kiln", lambda seed: _play_kiln(plan, options, seed), 1 if one_at_a_time else options.jobs)
    if _different(others) < _different(kilns) == options.runs:
        raise kiln.UserError(f"runs of the command --other {options.other!r} repeat each other: it must use {{seed}}, "
                             "or draw a seed itself.")
    rows = comparison.compare(kilns, others, plan.times)
    _write(plan, rows, {"Kiln": kilns, "the other": others})
    return _tell(plan, rows, options)


def _different(runs: np.ndarray) -> int:
    return len({run.tobytes() for run in runs})


def _plan(options: argparse.Namespace) -> Plan:
    """The first state is the model's own; only its lattice is handed on, so that neither program knows more."""
    model = kiln.Model(options.model)
    first = kiln.Simulation(model, record=False)
    first.run(options.burn_in, progress=False)
    start = first.lattice.astype(np.int32)
    if not start.any():
        raise kiln.UserError(f"{options.model} has no cell in its first state: there is nothing to compare.")
    types = first.cells.type[: start.max() + 1].astype(np.int32)
    out = options.out or Path("runs") / f"{options.model.stem}-side-by-side"
    times = list(range(options.every, options.mcs + 1, options.every))
    seeds = list(range(options.seed, options.seed + options.runs))
    plan = Plan(model, options.model.resolve(), start, types, times, seeds, out.resolve(), options.keep)
    if not len(plan.cells):
        raise kiln.UserError(f"all cells of {options.model} are frozen: there is nothing to compare.")
    for name in RESULTS:  # of an earlier comparison, which had another first state
        (plan.out / name).unlink(missing_ok=True)
    _save(plan.out / "start.npy", start)
    _save(plan.out / "types.npy", types)
    return plan


def _save(file: Path, array: np.ndarray) -> None:
    buffer = io.BytesIO()
    np.save(buffer, array)
    write_whole(file, buffer.getvalue())


def _all_runs(plan: Plan, program: str, play: Callable[[int], np.ndarray], jobs: int) -> np.ndarray:
    """Of shape (runs, times, measures). The first run that fails ends all."""
    found = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for values in pool.map(play, plan.seeds):
                found.append(values)
                print(f"{program}: {len(found)} of {len(plan.seeds)} runs", flush=True)
        except BaseException:
            _stopping.set()
            processes.stop_all()
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            _stopping.clear()
            processes.allow()
    return np.array(found)


def _simulation(plan: Plan, options: argparse.Namespace, seed: int) -> kiln.Simulation:
    names = [plan.model.types[type_] for type_ in plan.types[1:]]
    return kiln.Simulation(plan.model, options.engine, seed, schedule=options.schedule, threads=1, record=False,
                           lattice=plan.start, types=names)


def _play_kiln(plan: Plan, options: argparse.Namespace, seed: int) -> np.ndarray:
    sim = _simulation(plan, options, seed)
    cells, found = plan.cells, []

    def look() -> Tissue:
        return Tissue(sim.cells.volume[cells], sim.cells.perimeter[cells], sim.cells.position[cells])

    before = look()
    for mcs in sim.steps(plan.times[-1], every=plan.times[0], progress=False):
        if _stopping.is_set():
            raise processes.Stopped
        now = look()
        found.append(measured(before, now, plan.space))
        before = now
        if plan.keep:
            _save(plan.out / f"kiln-seed-{seed}" / f"{mcs}.npy", sim.lattice)
    return np.array(found)


def _play_other(plan: Plan, other: OtherProgram, seed: int) -> np.ndarray:
    folder = plan.out / f"other-seed-{seed}"
    shutil.rmtree(folder, ignore_errors=True)  # files of an earlier comparison must not be taken for its states
    folder.mkdir(parents=True)
    other.run({"start": plan.out / "start.npy", "types": plan.out / "types.npy", "out": folder, "mcs": plan.times[-1],
               "every": plan.times[0], "seed": seed, "model": plan.model_file})
    tissues = [plan.tissue(lattice) for lattice in (plan.start, *other.states(folder, plan.times, plan.start))]
    if not plan.keep:
        shutil.rmtree(folder)
    return np.array([measured(before, now, plan.space) for before, now in zip(tissues, tissues[1:])])


def _write(plan: Plan, rows: Sequence[comparison.Row], values: dict[str, np.ndarray]) -> None:
    write_whole(plan.out / TABLE, comparison.comparison_csv(rows))
    write_whole(plan.out / RUNS, comparison.runs_csv(values, plan.seeds, plan.times))
    if importlib.util.find_spec("matplotlib") is None:
        print("No figure: python3-matplotlib is not installed.")
    else:
        write_whole(plan.out / FIGURE, comparison.figure(values, plan.times))


def _tell(plan: Plan, rows: Sequence[comparison.Row], options: argparse.Namespace) -> int:
    print(f"\nAfter {plan.times[-1]} MCS, means over runs ± their sd; differences with intervals at the rule's level:")
    print(comparison.table(rows))
    differing = sum(row.differs for row in rows)
    print(f"\nThe two {'differ' if differing else 'agree'}: {differing} of {len(rows)} comparisons find a difference. "
          f"All are in {plan.out / TABLE}.")
    if differing and options.engine != "serial" and options.schedule != "serial":
        print("Kiln played a parallel schedule, which differs a little from the serial chain itself "
              "(docs/parallel.md); --engine serial is that chain.")
    return DIFFERENT if differing else 0


def _count(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"is {text!r}, but must be an integer of {least} or more")
        return int(text)

    return parse


def _parser() -> argparse.ArgumentParser:
    places = "; ".join(f"{{{name}}}: {meaning}" for name, meaning in PLACES.items())
    parser = argparse.ArgumentParser(
        prog="kiln side-by-side",
        description="Plays a model with Kiln and with another simulator, from the same first state, and says whether "
                    f"they differ in {', '.join(MEASURES)}.",
        epilog=f"In the command of --other these are filled in: {places}. Exit code 0: the two agree; {DIFFERENT}: "
               f"they differ, or a program failed; {MISTAKE}: something that was given cannot be used.")
    parser.add_argument("model", type=Path, metavar="MODEL.toml")
    parser.add_argument("--other", required=True, metavar="COMMAND",
                        help="such as 'their-program {start} {types} {out} {mcs} {every} {seed}'")
    parser.add_argument("--mcs", type=_count(1), default=500, metavar="N", help="length of every run [500]")
    parser.add_argument("--every", type=_count(1), default=50, metavar="N", help="MCS between two looks at it [50]")
    parser.add_argument("--runs", type=_count(FEWEST_RUNS), default=8, metavar="N", help="of each program [8]")
    parser.add_argument("--seed", type=_count(0), default=1, metavar="S", help="of the first run; others count on [1]")
    parser.add_argument("--burn-in", type=_count(0), default=0, metavar="N",
                        help="MCS that Kiln plays before the first state is taken [0]")
    parser.add_argument("--engine", default="auto", metavar="E", help="auto, serial, threads or cuda [auto]")
    parser.add_argument("--schedule", default="", metavar="S", help="tiles, checkerboard or serial [tiles]")
    parser.add_argument("--jobs", type=_count(1), default=machine.cores(), metavar="N",
                        help="runs at a time [one per core]")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results [runs/MODEL-side-by-side]")
    parser.add_argument("--keep", action="store_true", help="keeps all states of both programs")
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nkiln side-by-side: stopped.", file=sys.stderr)
        sys.stderr.flush()
        os._exit(STOPPED)
