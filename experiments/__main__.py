"""`./kiln paper`: the paper's results, computed again."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from pathlib import Path
from typing import Sequence

import kiln

from experiments import machine, page
from experiments.claims import Experiment
from experiments.files import write_whole
from experiments.pieces import Piece, run_pieces

NAMES = ("scale", "updates", "sorting", "chemotaxis", "act", "collective", "speed", "liver", "lymph_node_fit",
         "lymph_node_mixing")


def experiments() -> list[Experiment]:
    """All of them, in the order of the paper's figures."""
    return [importlib.import_module(f"experiments.{name}").EXPERIMENT for name in NAMES]


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    form = "full" if options.full else options.size
    out = options.out or Path("runs/paper" if form != "full" else "runs/paper-full")
    every = experiments()
    if options.list:
        print("\n".join(f"{e.name:<18} {e.title}" for e in every))
        return 0
    chosen = [e for e in every if not options.only or e.name in options.only]
    # All at once: a source file that is edited meanwhile does not change what was asked for.
    plans = [(e, e.plan(e.sizes[form])) for e in chosen]
    start = time.monotonic()
    try:
        for number, (experiment, pieces) in enumerate(plans, 1):
            _tell(f"{experiment.title} ({number} of {len(chosen)})")
            _run(experiment, pieces, form, out, options)
            _write_page(every, out, form)
    except (kiln.UserError, kiln.Failure) as error:
        print(f"kiln paper: {error}", file=sys.stderr)
        return 1
    _tell(f"done in {(time.monotonic() - start) / 60:.1f} minutes: {out / 'paper.html'}")
    if options.doc:
        _write_doc(every, out, form, options.doc)
    return 0


def _run(experiment: Experiment, pieces: Sequence[Piece], form: str, out: Path, options: argparse.Namespace) -> None:
    folder, size = out / experiment.name, experiment.sizes[form]
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    results = run_pieces(pieces, folder / "pieces", options.jobs or machine.cores(), lambda text: _tell(f"  {text}"))
    outcome = experiment.evaluate(size, results)
    facts = {"form": form, "date": machine.today(), "machine": machine.describe()}
    page.write_outcome(experiment, folder, outcome, results, facts)
    for finding in outcome.findings:
        _tell(f"  {finding.verdict.value:<14} {finding.claim}: {finding.measured or finding.cause}")


def _found(every: list[Experiment], out: Path, form: str) -> tuple[list[page.Written], list[Experiment]]:
    written = page.read_outcomes(every, out, form)
    there = {w.experiment.name for w in written}
    return written, [e for e in every if e.name not in there]


def _write_page(every: list[Experiment], out: Path, form: str) -> None:
    write_whole(out / "paper.html", page.html(*_found(every, out, form), form))


def _write_doc(every: list[Experiment], out: Path, form: str, doc: Path) -> None:
    written, missing = _found(every, out, form)
    images = doc.parent / "images" / "paper"
    for file in (file for w in written for file in w.figures):
        write_whole(images / file.name, file.read_bytes())
    write_whole(doc, page.markdown(written, missing, form, "images/paper"))
    _tell(f"wrote {doc}")


def _tell(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kiln paper", description="Computes the paper's results again: data, figures and a verdict on each claim.",
        epilog="Every piece that is done is kept: the same command goes on where it was stopped.")
    parser.add_argument("--full", action="store_true", help="at the paper's sizes, for a GPU; without it, a short form")
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME",
                        help=f"one experiment, repeatable: {', '.join(NAMES)}")
    parser.add_argument("--list", action="store_true", help="says what there is")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results [runs/paper, runs/paper-full]")
    parser.add_argument("--doc", type=Path, metavar="FILE", help="also writes the page as Markdown, its figures "
                                                                 "beside it")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="pieces at a time [one per core]")
    parser.add_argument("--fresh", action="store_true", help="computes all anew")
    parser.add_argument("--size", choices=list(page.FORMS), default="short", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
