"""One page of all experiments, claim beside measurement: as HTML and as Markdown."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Sequence

from experiments.claims import Claim, Experiment, Finding, Judgement, Outcome, Verdict
from experiments.collection import Collection
from experiments.files import write_whole
from experiments.lazy import plots
from experiments.pieces import Results

_FORMAT = 2  # of result.json
_COLOURS = {Verdict.HOLDS: "#2e7d32", Verdict.IN_PART: "#b26a00", Verdict.FAILS: "#b3261e", Verdict.UNTESTED: "#6b6b6b",
            Verdict.BESIDE: "#6b6b6b"}


@dataclass(frozen=True)
class Written:
    """What is known of an experiment that was run."""

    experiment: Experiment
    folder: Path
    record: dict[str, Any]

    @property
    def findings(self) -> dict[str, Finding]:
        return {f["claim"]: Finding(f["claim"], _judgement(f["paper"]), _judgement(f["kiln"]))
                for f in self.record["findings"]}

    @property
    def figures(self) -> list[Path]:
        return [self.folder / name for name in self.record["figures"]]


def _record(judgement: Judgement | None) -> dict[str, str] | None:
    return None if judgement is None else {"verdict": judgement.verdict.value, "measured": judgement.measured,
                                           "cause": judgement.cause}


def _judgement(record: dict[str, str] | None) -> Judgement | None:
    return None if record is None else Judgement(Verdict(record["verdict"]), record["measured"], record["cause"])


def write_outcome(experiment: Experiment, folder: Path, outcome: Outcome, results: Results, form: str) -> None:
    """Tables, figures, and last the record that says that all is there."""
    for name, table in outcome.tables.items():
        write_whole(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
    for name, figure in outcome.figures.items():
        write_whole(folder / f"{name}.png", figure if isinstance(figure, bytes) else plots.png(figure))
    record = {
        "format": _FORMAT,
        "form": form,
        "date": results.dates,
        "machine": results.machines,
        "commits": results.commits,
        "seconds": results.seconds,
        "setup": outcome.setup,
        "notes": list(outcome.notes),
        "tables": [f"{name}.csv" for name in outcome.tables],
        "figures": [f"{name}.png" for name in outcome.figures],
        "findings": [{"claim": f.claim, "paper": _record(f.paper), "kiln": _record(f.kiln)} for f in outcome.findings],
    }
    write_whole(folder / "result.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def read_outcomes(experiments: Sequence[Experiment], out: Path, form: str) -> list[Written]:
    """Those of this form that are there, and judge the claims that there are now."""
    found = []
    for experiment in experiments:
        file = out / experiment.name / "result.json"
        if file.exists():
            record = json.loads(file.read_text(encoding="utf-8"))
            if record.get("format") == _FORMAT and record["form"] == form:
                written = Written(experiment, file.parent, record)
                if set(written.findings) == {claim.key for claim in experiment.claims}:
                    found.append(written)
    return found


def _commits(written: Written) -> str:
    """As short as they can be, each once."""
    return ", ".join(sorted({re.sub(r"^([0-9a-f]{7})[0-9a-f]*", r"\1", commit) for commit in written.record["commits"]}))


def _setup(written: Written) -> str:
    return f"{written.record['setup']} Computed with Kiln at {_commits(written)}."


def _facts(collection: Collection, written: Sequence[Written], form: str) -> list[tuple[str, str]]:
    def all_of(key: str) -> str:
        values = [w.record[key] for w in written]
        return ", ".join(sorted({text for value in values for text in (value if isinstance(value, list) else [value])}))

    minutes = sum(w.record["seconds"] for w in written) / 60
    return [("form", collection.forms[form]), ("date", all_of("date")), ("machine", all_of("machine")),
            ("computing", f"{minutes:.1f} minutes, summed over cores")]


def _counts(collection: Collection, written: Sequence[Written]) -> str:
    counts = {who: Counter() for who in collection.judged}
    for w in written:
        for claim in w.experiment.claims:
            for who, judgement in () if claim.ours else w.findings[claim.key].judgements:
                counts[who][judgement.verdict] += 1
    return "; ".join(f"of {who}, " * (len(counts) > 1) + ", ".join(f"{of[v]} {_PLURAL[v]}" for v in Verdict if of[v])
                     for who, of in counts.items() if of)


_PLURAL = {Verdict.HOLDS: "hold", Verdict.IN_PART: "hold in part", Verdict.FAILS: "do not hold",
           Verdict.UNTESTED: "were not tested", Verdict.BESIDE: "have a figure beside them"}


def html(collection: Collection, written: Sequence[Written], missing: Sequence[Experiment], form: str) -> str:
    facts = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
                    for name, value in _facts(collection, written, form))
    left_out = f"<p>Not run yet: {escape(', '.join(e.title for e in missing))}.</p>" if missing else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{collection.title}</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; margin: 1rem 0; }}
th, td {{ text-align: left; vertical-align: top; padding: .4rem .7rem; border-bottom: 1px solid #ddd; }}
.claims th:nth-child(n + 2) {{ width: 32%; }}
.verdict {{ font-weight: 600; }}
.cause, .rule {{ color: #555; }}
img {{ max-width: 100%; }}
</style></head><body>
<h1>{collection.title}</h1>
<p>{_text(collection.introduction)}</p>
<table>{facts}</table>
<p><b>Of the claims below, {escape(_counts(collection, written))}.</b></p>
{left_out}
{"".join(_section(collection, w) for w in written)}
</body></html>
"""


def _section(collection: Collection, w: Written) -> str:
    findings = w.findings
    rows = "".join(_row(claim, findings[claim.key], collection.judged) for claim in w.experiment.claims)
    pictures = "\n".join(f'<img alt="{escape(w.experiment.title)}" src="data:image/png;base64,'
                         f'{base64.b64encode(file.read_bytes()).decode()}">' for file in w.figures)
    notes = "".join(f"<p>{_text(note)}</p>" for note in w.record["notes"])
    heads = "".join(f"<th>{head}</th>" for head in (*collection.heads, *collection.judged))
    files = ", ".join(f'<a href="{escape(w.experiment.name)}/{escape(t)}">{escape(t)}</a>' for t in w.record["tables"])
    return f"""<h2 id="{w.experiment.name}">{escape(w.experiment.title)}</h2>
<p>{_text(_setup(w))}</p>
<table class="claims"><tr>{heads}</tr>{rows}</table>
{pictures}
{notes}<p>Data: {files}</p>
"""


def _text(markdown_text: str) -> str:
    """As HTML; of Markdown only `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(markdown_text))


def _row(claim: Claim, finding: Finding, judged: Sequence[str]) -> str:
    judgements = dict(finding.judgements)
    cells = "".join(f"<td>{_cell(judgements.get(who))}</td>" for who in judged)
    return (f'<tr><td>{escape(claim.figure)}</td><td>{_text(claim.text)}<div class="rule">{_text(claim.rule)}</div></td>'
            f"{cells}</tr>")


def _cell(judgement: Judgement | None) -> str:
    if judgement is None:
        return ""
    cause = f'<div class="cause">{_text(judgement.cause)}</div>' if judgement.cause else ""
    return (f'<span class="verdict" style="color: {_COLOURS[judgement.verdict]}">{judgement.verdict.value}</span> '
            f"{_text(judgement.measured)}{cause}")


def markdown(collection: Collection, written: Sequence[Written], missing: Sequence[Experiment], form: str, doc: str,
             images: str) -> str:
    """`doc`: the page's own name; `images`: the folder of its figures, as it names it."""
    facts = "\n".join(f"| {name} | {value} |" for name, value in _facts(collection, written, form))
    left_out = f"\nNot run: {', '.join(e.title for e in missing)}.\n" if missing else ""
    command = f"./kiln {collection.name}" + {"short": "", "full": " --full", "tiny": " --size tiny"}[form]
    sections = "\n".join(_markdown_section(collection, w, images) for w in written)
    return f"""# {collection.title}

<!-- Written by `{command} --doc docs/{doc}`. -->

{collection.introduction}

    {command}

| | |
|---|---|
{facts}

**Of the claims below, {_counts(collection, written)}.**
{left_out}
{sections}"""


def _markdown_section(collection: Collection, w: Written, images: str) -> str:
    findings = w.findings
    rows = "\n".join(_markdown_row(claim, findings[claim.key], collection.judged) for claim in w.experiment.claims)
    notes = "".join(f"\n{note}\n" for note in w.record["notes"])
    pictures = "\n\n".join(f"![{w.experiment.title}]({images}/{file.name})" for file in w.figures)
    heads = (*collection.heads, *collection.judged)
    return f"""## {w.experiment.title}
{_setup(w)}

{_line(heads)}
|{"---|" * len(heads)}
{rows}

{pictures}
{notes}"""


def _markdown_row(claim: Claim, finding: Finding, judged: Sequence[str]) -> str:
    judgements = dict(finding.judgements)
    return _line([claim.figure, f"{claim.text}<br>*{claim.rule}*", *(_markdown_cell(judgements.get(who)) for who in judged)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("\n", " ")


def _markdown_cell(judgement: Judgement | None) -> str:
    if judgement is None:
        return ""
    told = ". ".join(part for part in (judgement.measured, judgement.cause) if part)
    return f"**{judgement.verdict.value}**<br>{told}"


def rules(experiments: Sequence[Experiment]) -> str:
    """All claims, and what has to be true of the numbers."""
    return "\n".join(line for e in experiments for line in
                     (e.title, *(f"  {claim.figure:<4} {claim.text}\n       {claim.rule}" for claim in e.claims)))
