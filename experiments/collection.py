"""What belongs together on a page: experiments, and what is said of all of them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Mapping, Sequence

from experiments.claims import KILN, PAPER, Experiment


@dataclass(frozen=True)
class Collection:
    name: str  # of the command and the files
    package: str
    modules: Sequence[str]  # one for each experiment, in the order of the page
    title: str
    about: str  # in --help
    introduction: str
    forms: Mapping[str, str]  # "tiny", "short" and "full", in words
    heads: tuple[str, str]  # of the columns that name a claim's source and the claim
    judged: Sequence[str]  # whose judgements are told, a column each
    full_help: str

    def experiments(self) -> list[Experiment]:
        return [importlib.import_module(f"{self.package}.{name}").EXPERIMENT for name in self.modules]


RESULTS_OF_THE_PAPER = Collection(
    name="paper",
    package="experiments",
    modules=("scale", "updates", "sorting", "chemotaxis", "act", "collective", "speed", "several_gpus", "liver",
             "lymph_node_fit", "lymph_node_mixing", "lymph_node_day"),
    title="The paper's results, computed again",
    about="Computes the paper's results again: data, figures and a verdict on each claim.",
    introduction=(
        "Claims of Sultan, Devi, Mueller and Textor, \"A parallelized cellular Potts model that enables simulations "
        "at tissue scale\" (2023), in our words, each with the rule by which it is judged. `./kiln paper --rules` "
        "prints the rules. They were written before the numbers that they judge were computed, but for 1A, 1B and 6C, where "
        "rule and answer came together, and for pieces that were computed before and judged anew; no rule was changed after "
        "its answer, and nothing was tuned until it agreed. A rule is held against two "
        "things: the paper's engine, that is its `checkerboard` scheme as Kiln plays it, or a figure of its software that "
        "was measured; and Kiln's own schedule, `tiles`, beside it."
    ),
    forms={"tiny": "for tests: sizes at which no claim can be judged", "short": "short: reduced sizes, for two cores",
           "full": "full: the paper's sizes, in pieces computed on a GPU and on processors"},
    heads=("Fig.", "the paper"),
    judged=(PAPER, KILN),
    full_help="at the paper's sizes, for a GPU; without it, a short form",
)

LIVING_TISSUE = Collection(
    name="living",
    package="experiments.living",
    modules=("vasculogenesis", "tumour_spheroid", "lateral_inhibition", "chase", "epithelium", "t_cell_priming"),
    title="Living tissue: what was published, and what the models show",
    about="Checks the published findings of the models in models/living: data, figures and a verdict on each.",
    introduction=(
        "Findings of publications, in our words, each with the rule by which it is judged (`./kiln living --rules` prints "
        "them), and what the models of `models/living` show. Those models take mechanisms from the publications and not all "
        "of their numbers: each says which."
    ),
    forms={"tiny": "for tests: sizes at which no finding can be judged", "short": "short: reduced sizes, for two cores",
           "full": "full: the models as they are, several runs of each"},
    heads=("source", "finding"),
    judged=(KILN,),
    full_help="the models as they are, several runs of each; without it, a short form",
)
