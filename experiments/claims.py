"""What the paper claims, what we measured, and what follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Callable, Mapping, Sequence

from experiments.pieces import Piece, Results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Verdict(str, Enum):
    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNTESTED = "not tested"
    BESIDE = "beside it"  # a figure for comparison: a claim about one engine's speed is none about another's


@dataclass(frozen=True)
class Claim:
    key: str
    figure: str  # of the paper
    text: str  # in our words
    rule: str  # what has to be true of the numbers; stated here, before there are any
    ours: bool = False  # not of the publication: judged, but not counted among its claims


@dataclass(frozen=True)
class Judgement:
    verdict: Verdict
    measured: str  # with the numbers
    cause: str = ""  # of what does not hold, or was not tested


@dataclass(frozen=True)
class Finding:
    """One rule, two judgements: of the paper's engine or scheme, and of Kiln's own. None where nothing was measured of
    one of them."""

    claim: str  # key
    paper: Judgement | None = None
    kiln: Judgement | None = None

    @property
    def judgements(self) -> list[tuple[str, Judgement]]:
        """With who is judged, in words."""
        return [(who, one) for who, one in ((PAPER, self.paper), (KILN, self.kiln)) if one is not None]


PAPER, KILN = "the paper's engine", "Kiln"


@dataclass
class Outcome:
    setup: str  # sizes, numbers of runs, settings
    findings: Sequence[Finding]
    tables: Mapping[str, pd.DataFrame]  # by file name, without .csv
    figures: Mapping[str, Figure | bytes]  # by file name, without .png; bytes are a PNG file, which may be animated
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True)
class Experiment:
    """`sizes` has the parameters of the forms "tiny" (for tests), "short" and "full" (the paper's)."""

    name: str
    title: str
    claims: Sequence[Claim]
    sizes: Mapping[str, object]
    plan: Callable[[object], Sequence[Piece]]
    evaluate: Callable[[object, Results], Outcome]


def judge(holds: bool, measured: str, *, in_part: bool = False, cause: str = "") -> Judgement:
    """Holds, or else holds in part, or else does not; the cause is told only where it does not hold."""
    verdict = Verdict.HOLDS if holds else Verdict.IN_PART if in_part else Verdict.FAILS
    return Judgement(verdict, measured, "" if holds else cause)


def beside(measured: str) -> Judgement:
    return Judgement(Verdict.BESIDE, measured)


def untested(cause: str, measured: str = "") -> Judgement:
    return Judgement(Verdict.UNTESTED, measured, cause)
