"""`./kiln paper` and `./kiln living`: results of publications, computed again."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Sequence, Tuple

from experiments import archive, computing, costs, machine, page
from experiments.claims import Experiment
from experiments.collection import RESULTS_OF_THE_PAPER, Collection
from experiments.computing import Task
from experiments.files import write_whole
from experiments.pieces import Piece, split

FAILED, UNFINISHED = 1, 75  # exit codes; the latter as of a run that has reached its time limit

Plan = Tuple[Experiment, Sequence[Piece]]


def main(arguments: list[str] | None = None, collection: Collection = RESULTS_OF_THE_PAPER) -> int:
    parser = _parser(collection)
    options = parser.parse_args(arguments)
    if options.piece and not options.compute:
        parser.error("--piece needs --compute: a page is made of all pieces of an experiment")
    form = "full" if options.full else options.size
    out = options.out or Path(f"runs/{collection.name}" + "-full" * (form == "full"))
    every = collection.experiments()
    chosen = [e for e in every if not options.only or e.name in options.only]
    if options.rules:
        _tell(page.rules(chosen))
        return 0
    # All at once: a source file that is edited meanwhile does not change what was asked for.
    plans = [(e, _named(e.plan(e.sizes[form]), options.piece)) for e in chosen]
    if missing := set(options.piece or ()) - {piece.name for _, pieces in plans for piece in pieces}:
        parser.error(f"no piece is called {', '.join(sorted(missing))}")
    if options.unpack:
        for experiment, pieces in plans:
            archive.unpack(pieces, _archive_of(options.unpack, experiment), _pieces_of(out, experiment))
    if options.list:
        _tell(costs.table([(experiment, *split(pieces, _pieces_of(out, experiment))) for experiment, pieces in plans]))
        return 0
    if options.pack:
        for experiment, pieces in plans:
            packed = archive.pack(pieces, _pieces_of(out, experiment), _archive_of(options.pack, experiment))
            _tell(f"{experiment.title}: packed {packed} of {len(pieces)} pieces")
        return 0
    start = time.monotonic()
    deadline = None if options.minutes is None else start + 60 * options.minutes
    ends = []
    # In the full form all at once, so that what needs a GPU is beside what does not.
    for batch in [plans] if options.compute or form == "full" else [[plan] for plan in plans]:
        ends.append(_compute(batch, collection, out, options, deadline))
        if not options.compute:
            _evaluate(batch, collection, form, out)
    _tell(f"{'stopped' if any(ends) else 'done'} after {(time.monotonic() - start) / 60:.1f} minutes"
          + ("" if options.compute else f": {_page(out, collection)}"))
    if options.doc:
        _write_doc(collection, out, form, options.doc)
    return FAILED if FAILED in ends else max(ends)


def _named(pieces: Sequence[Piece], names: Sequence[str] | None) -> Sequence[Piece]:
    return [piece for piece in pieces if not names or piece.name in names]


def _pieces_of(out: Path, experiment: Experiment) -> Path:
    return out / experiment.name / "pieces"


def _archive_of(folder: Path, experiment: Experiment) -> Path:
    return folder / f"{experiment.name}.tar"


def _compute(plans: Sequence[Plan], collection: Collection, out: Path, options: argparse.Namespace,
             deadline: float | None) -> int:
    """An exit code: 0 where all pieces are there now."""
    tasks, planned = [], 0
    for experiment, pieces in plans:
        _tell(f"{experiment.title}: {len(pieces)} pieces")
        if options.fresh:
            shutil.rmtree(out / experiment.name, ignore_errors=True)
        folder = _pieces_of(out, experiment)
        tasks += [Task(piece, folder) for piece in split(pieces, folder)[1]]
        planned += len(pieces)
    if options.evaluate or not tasks:
        return UNFINISHED if tasks else 0
    if planned > len(tasks):
        _tell(f"  {planned - len(tasks)} pieces are there from before")
    gpu = any(task.piece.gpu for task in tasks) and bool(machine.gpu())
    report = computing.compute(tasks, options.jobs or machine.cores(), gpu, lambda text: _tell(f"  {text}"), deadline)
    for count, why in ((report.without_gpu, "need a GPU, and Kiln can use none here"), (report.failed, "failed"),
                       (report.left, "are left: the same command goes on")):
        if count:
            _tell(f"  {count} pieces {why}")
    if report.interrupted:
        print(f"\nkiln {collection.name}: stopped; what is done is kept, and the same command goes on.", file=sys.stderr)
    if report.interrupted or report.abandoned:
        # Threads that compute would keep the interpreter from ending.
        sys.stdout.flush()
        os._exit(130 if report.interrupted else UNFINISHED)
    return FAILED if report.failed else 0 if report.complete else UNFINISHED


def _evaluate(plans: Sequence[Plan], collection: Collection, form: str, out: Path) -> None:
    for experiment, pieces in plans:
        results, missing = split(pieces, _pieces_of(out, experiment))
        if missing := [piece for piece in missing if not piece.optional]:
            _tell(f"{experiment.title}: not evaluated, {len(missing)} of {len(pieces)} pieces are missing")
            continue
        outcome = experiment.evaluate(experiment.sizes[form], results)
        page.write_outcome(experiment, out / experiment.name, outcome, results, form)
        _tell(experiment.title)
        for finding in outcome.findings:
            for who, judgement in finding.judgements:
                _tell(f"  {judgement.verdict.value:<14} {finding.claim}, {who}: {judgement.measured or judgement.cause}")
    write_whole(_page(out, collection), page.html(collection, *_found(collection, out, form), form))


def _page(out: Path, collection: Collection) -> Path:
    return out / f"{collection.name}.html"


def _found(collection: Collection, out: Path, form: str) -> tuple[list[page.Written], list[Experiment]]:
    every = collection.experiments()
    written = page.read_outcomes(every, out, form)
    there = {w.experiment.name for w in written}
    return written, [e for e in every if e.name not in there]


def _write_doc(collection: Collection, out: Path, form: str, doc: Path) -> None:
    written, missing = _found(collection, out, form)
    images = doc.parent / "images" / collection.name
    for file in (file for w in written for file in w.figures):
        write_whole(images / file.name, file.read_bytes())
    write_whole(doc, page.markdown(collection, written, missing, form, doc.name, f"images/{collection.name}"))
    _tell(f"wrote {doc}")


def _tell(text: str) -> None:
    print(text, flush=True)


def _parser(collection: Collection) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"kiln {collection.name}", description=collection.about,
        epilog="Every piece that is done is kept: the same command goes on where it was stopped. Pieces can be "
               "computed on one machine (--compute) and evaluated on another (--evaluate), when the folder is copied. Exit "
               f"code 0: all is done; {UNFINISHED}: some pieces are missing; {FAILED}: some have failed.")
    parser.add_argument("--full", action="store_true", help=collection.full_help)
    parser.add_argument("--only", action="append", choices=collection.modules, metavar="NAME",
                        help=f"one experiment, repeatable: {', '.join(collection.modules)}")
    parser.add_argument("--piece", action="append", metavar="NAME",
                        help="with --compute: this piece and no other, repeatable")
    parser.add_argument("--list", action="store_true", help="says what there is, and what it costs")
    parser.add_argument("--rules", action="store_true", help="says by which rule each claim is judged")
    parser.add_argument("--out", type=Path, metavar="DIR", 
                        help=f"folder for the results [runs/{collection.name}, runs/{collection.name}-full]")
    parser.add_argument("--doc", type=Path, metavar="FILE", help="also writes the page as Markdown, its figures "
                                                                 "beside it")
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--compute", action="store_true",
                      help="computes pieces and writes no page; NumPy is all it needs of Python's libraries")
    half.add_argument("--evaluate", action="store_true", help="computes nothing: evaluates what is there")
    half.add_argument("--pack", type=Path, metavar="DIR", help="packs the pieces that are there, a file per experiment")
    parser.add_argument("--unpack", type=Path, metavar="DIR",
                        help="first takes what is missing from there; experiments/data/full has the full form")
    parser.add_argument("--minutes", type=float, metavar="M",
                        help="a budget: starts nothing that would take longer, stops what is under way")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="pieces at a time [one per core]")
    parser.add_argument("--fresh", action="store_true", help="computes all anew")
    parser.add_argument("--size", choices=list(collection.forms), default="short", help=argparse.SUPPRESS)
    return parser


def command(collection: Collection) -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    sys.exit(main(collection=collection))


if __name__ == "__main__":
    command(RESULTS_OF_THE_PAPER)
