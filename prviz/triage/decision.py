"""The decision of a triage: which checkpoint to take, by which family, and where the families disagree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prviz.estimators import ESTIMATORS
from prviz.estimators.tightest import TIGHTEST
from prviz.measure.risk import mean_risk
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.ranking import in_order, listed, ranking, score, together, verdict
from prviz.triage.stability import least
from prviz.triage.yardstick import CeilingShare, Yardstick, shares_of_ceiling
from prviz.uncertainty.upper_bound import known_bound

if TYPE_CHECKING:
    import pandas as pd

# Difference of the scores of one checkpoint by two families above which these disagree in level.
LEVELS_APART = 0.1


class Basis(NamedTuple):
    """The family that a decision rests on.

    risks : by family the mean risk on held-out samples of all checkpoints, lowest first; empty without any. clause :
    why this family, in a clause.
    """

    method: str
    risks: Mapping[str, float]
    clause: str


class Decision(NamedTuple):
    """What to take.

    best : name of the checkpoint. told_apart : True if no other may be best. also : those that may be best as well.
    memorised : checkpoints that copy the reference, which are not candidates unless all do. basis : the family that
    this rests on. disagreement : a sentence on families that disagree in level; "" where they agree. sentence : all of
    it in words.
    """

    best: str
    told_apart: bool
    also: tuple[str, ...]
    memorised: tuple[str, ...]
    basis: Basis
    disagreement: str
    sentence: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement:
    """A decision, and the numbers beside it.

    table : the ranking of all checkpoints by the family of the basis (see `prviz.triage.ranking.ranking`). scores : by
    family and checkpoint, at the goal. at_most : by checkpoint, the score that the true one does not exceed with a
    confidence of 95 %, from all families together (see `prviz.upper_bound`); None without a bound. shares : by
    checkpoint its share of the ceiling, by the same family as the table.
    """

    decision: Decision
    table: pd.DataFrame
    scores: Mapping[str, Mapping[str, float]]
    at_most: Mapping[str, float | None]
    shares: Mapping[str, CeilingShare]


def basis_of(measured: Sequence[MeasuredCheckpoint]) -> Basis:
    """The family whose classifiers err least on samples that they have not seen: it is closest to the truth.

    measured : all checkpoints by all families, at least one. Families that choose their classifiers by the samples that
    judge them are no candidates, nor are any without a split: then it is the first family.
    """
    by_method: dict[str, list[float]] = {}
    for each in measured:
        chosen = ESTIMATORS[each.method].chosen_by_evaluation and each.method != TIGHTEST.name
        if not chosen and each.estimate.supports.n_real < each.n_real:
            by_method.setdefault(each.method, []).append(mean_risk(each.curve))
    risks = dict(sorted(((name, float(np.mean(values))) for name, values in by_method.items()), key=lambda one: one[1]))
    if len({each.method for each in measured}) == 1:
        return Basis(measured[0].method, risks, "")
    if not risks:
        return Basis(measured[0].method, risks, f"by {_title(measured[0].method)}, the first family")
    best = next(iter(risks))
    return Basis(best, risks, f"by {_title(best)}, whose classifiers err least on samples that they have not seen")


def judge(
    measured: Sequence[MeasuredCheckpoint],
    goal: float = 0.5,
    seed: int = 0,
    *,
    memorised: Collection[str] = (),
    yardstick: Yardstick | None = None,
    replicates: int = REPLICATES,
) -> Judgement:
    """The decision on checkpoints that are measured by the same families at the same settings.

    Parameters
    ----------
    measured : all checkpoints by all families, at least one.
    goal, seed : as in `prviz.triage.ranking.rank`.
    memorised : names of checkpoints that copy the reference. yardstick : of these settings; None: not measured.
    replicates : of the bootstrap.
    """
    basis = basis_of(measured)
    ordered = in_order([each for each in measured if each.method == basis.method])
    names, steps = [each.checkpoint.name for each in ordered], [each.checkpoint.step for each in ordered]
    drawn = together(ordered, replicates, seed)
    table = ranking(drawn, names, goal, steps=steps)
    candidates = [place for place, name in enumerate(names) if name not in memorised] or list(range(len(names)))
    few = drawn._replace(values=drawn.values[candidates], replicates=drawn.replicates[:, candidates])
    of_candidates = ranking(few, [names[place] for place in candidates], goal)
    scores: dict[str, dict[str, float]] = {}
    for each in measured:
        scores.setdefault(each.method, {})[each.checkpoint.name] = score(each.curve, goal)
    best = str(of_candidates["checkpoint"].iloc[0])
    also = tuple(of_candidates["checkpoint"].iloc[1:][of_candidates["tied_with_best"].iloc[1:]])
    disagreement = _disagreement(best, also, scores, basis.method, candidates=[names[place] for place in candidates])
    copied = [name for name in names if name in memorised]
    sentence = " ".join(
        filter(
            None,
            (
                verdict(of_candidates, n=least(ordered)),
                f"Decided {basis.clause}." if basis.clause else "",
                disagreement,
                f"Left out, as copies of the reference: {listed(copied)}." if copied and best not in copied else "",
            ),
        )
    )
    shares = (
        {} if yardstick is None else shares_of_ceiling(ordered, yardstick.ceiling[basis.method], goal, seed, own=drawn)
    )
    return Judgement(
        decision=Decision(best, not also, also, tuple(copied), basis, disagreement, sentence),
        table=table,
        scores=scores,
        at_most=_at_most(measured, goal),
        shares=shares,
    )


def _disagreement(
    best: str, also: Sequence[str], scores: Mapping[str, Mapping[str, float]], method: str, *, candidates: Sequence[str]
) -> str:
    """What other families say of the best: another level, or that another checkpoint is best."""
    levels = {name: of_family[best] for name, of_family in scores.items() if best in of_family}
    low, high = min(levels, key=levels.__getitem__), max(levels, key=levels.__getitem__)
    parts = []
    if levels[high] - levels[low] > LEVELS_APART:
        parts.append(
            f"The families disagree in level: {best} scores {levels[high]:.3f} by {_title(high)}, {levels[low]:.3f} by "
            f"{_title(low)}."
        )
    others: dict[str, list[str]] = {}
    for name, of_family in scores.items():
        first = max((each for each in candidates if each in of_family), key=of_family.__getitem__)
        if name != method and first not in (best, *also):
            others.setdefault(first, []).append(_title(name))
    parts += [f"{first} would be the best by {listed(titles)}." for first, titles in others.items()]
    return " ".join(parts)


def _at_most(measured: Sequence[MeasuredCheckpoint], goal: float) -> dict[str, float | None]:
    by_name: dict[str, list[MeasuredCheckpoint]] = {}
    for each in measured:
        by_name.setdefault(each.checkpoint.name, []).append(each)
    found: dict[str, float | None] = {}
    for name, some in by_name.items():
        held_out = some[0].estimate.supports.n_real < some[0].n_real
        bound = known_bound([each.estimate for each in some], held_out=held_out)
        found[name] = None if bound is None else score(bound, goal)
    return found


def _title(method: str) -> str:
    return ESTIMATORS[method].title
