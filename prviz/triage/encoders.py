"""Rankings of the same checkpoints in the features of several encoders, and whether the best one
depends on the encoder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from prviz.measure.estimates import Estimate
from prviz.triage.ranking import SharedReference, listed, ranking, sides
from prviz.uncertainty.bootstrap import replicated

if TYPE_CHECKING:
    import pandas as pd

# Most checkpoints that the verdict names.
_MOST = 4


@dataclass(frozen=True, eq=False)
class EncoderRanking:
    """The ranking in the features of one encoder.

    encoder : the encoder's name. d : number of its features. table : a table as
        `prviz.triage.ranking.ranking` returns it.
    """

    encoder: str
    d: int
    table: pd.DataFrame

    @property
    def possible(self) -> tuple[str, ...]:
        """Names of the first checkpoint and of all others that may be best."""
        first = self.table["checkpoint"].iloc[0]
        others = self.table.iloc[1:]
        return (str(first), *map(str, others["checkpoint"][others["tied_with_best"]]))

    def score(self, name: str) -> float:
        """Score of a checkpoint in the features of this encoder."""
        return float(self.table["score"].iloc[self.rank(name) - 1])

    def rank(self, name: str) -> int:
        """Place of a checkpoint in this ranking, from 1."""
        return 1 + [str(each) for each in self.table["checkpoint"]].index(name)


def rank_estimates(
    names: Sequence[str],
    estimates: Sequence[Estimate],
    *,
    bootstrap: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """Table of `prviz.triage.ranking.ranking` for estimates by one family on the same real samples.

    names : names of the checkpoints, in the order of the estimates. bootstrap : number of
    replicates.
    """
    curves = replicated([each.runs for each in estimates], bootstrap, seed)
    replicates = np.array([[sides(curve) for curve in drawn] for drawn in curves])
    values = np.array([sides(each.curve) for each in estimates])
    return ranking(SharedReference(values, replicates), names)


def encoder_verdict(rankings: Sequence[EncoderRanking]) -> str:
    """A sentence on whether some checkpoint may be best in the features of every encoder."""
    total = len(rankings)
    counts = Counter(name for each in rankings for name in each.possible)
    always = [name for name, count in counts.items() if count == total]
    alone = [name for name in always if all(each.possible == (name,) for each in rankings)]
    if alone:
        return (
            f"The winner does not depend on the encoder: {alone[0]} is best in all {total}"
            " readings."
        )
    if always:
        return (
            f"No encoder rules out {listed(always)}: first, or tied with the first, in all {total}"
            " readings."
        )
    most = [f"{name} in {count}" for name, count in counts.most_common(_MOST)]
    return f"The winner depends on the encoder: of {total} readings, {listed(most)} may be best."
