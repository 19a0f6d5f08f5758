"""The decision of a triage: which checkpoint to take, by which family, and where the families disagree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prviz.estimators import ESTIMATORS
from prviz.estimators.tightest import TIGHTEST
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.ranking import AreaSides, SharedReference, in_order, listed, ranking, sides, together, verdict
from prviz.triage.result_cache import ResultCache
from prviz.triage.stability import least
from prviz.triage.yardstick import CeilingShare, Yardstick, shares_of_ceiling
from prviz.uncertainty.family_bound import known_bound

if TYPE_CHECKING:
    import pandas as pd

# Area by the best classifier below which a checkpoint counts as told from real samples.
TOLD_APART = 0.1
# Difference of the scores of one checkpoint by two families above which these disagree in level.
LEVELS_APART = 0.1


class Basis(NamedTuple):
    """The family that a decision rests on.

    risks : by family the mean risk on held-out samples of all checkpoints, lowest first; empty without any. clause :
    why this family, in a clause. told_apart : the largest area by the best classifier, where it tells all checkpoints
    from real samples, so that another family ranks what remains; else None.
    """

    method: str
    risks: Mapping[str, float]
    clause: str
    told_apart: float | None = None


class Disagreement(NamedTuple):
    """What other families say of the best checkpoint.

    levels : the family of its lowest and that of its highest score, each with the score, where these are further apart
    than LEVELS_APART; else (). others : checkpoints that can't be best by the basis, each with the families by which it
    would be.
    """

    best: str
    levels: tuple[tuple[str, float], ...]
    others: Mapping[str, tuple[str, ...]]

    @property
    def sentence(self) -> str:
        """All of it in words; "" where the families agree."""
        parts = []
        if self.levels:
            (low, least), (high, most) = self.levels
            parts.append(
                f"The families disagree in level: {self.best} scores {most:.3f} by {family_title(high)}, "
                f"{least:.3f} by {family_title(low)}."
            )
        for name, families in self.others.items():
            parts.append(f"{name} would be the best by {listed([family_title(each) for each in families])}.")
        return " ".join(parts)


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

    table : the ranking of all checkpoints by the family of the basis (see `prviz.triage.ranking.ranking`). candidates :
    that of those that don't copy the reference. apart : families that see the best otherwise. scores : by family and
    checkpoint, at the goal. at_most : by checkpoint, the score that the true one does not exceed with a
    confidence of 95 % (see `prviz.upper_bound`); None without a bound. shares : by
    checkpoint its share of the ceiling, by the same family as the table.
    """

    decision: Decision
    table: pd.DataFrame
    candidates: pd.DataFrame
    apart: Disagreement
    scores: Mapping[str, Mapping[str, float]]
    at_most: Mapping[str, float | None]
    shares: Mapping[str, CeilingShare]


class KnownSides(NamedTuple):
    """What holds at every goal: the sides of the curves by family and checkpoint, and of their bounds by checkpoint.

    A bound is that measured with the best classifier, else that of all families together; None without any.
    """

    curves: Mapping[str, Mapping[str, AreaSides]]
    bounds: Mapping[str, AreaSides | None]


def basis_of(measured: Sequence[MeasuredCheckpoint], chosen: str | None = None) -> Basis:
    """The family that decides: the best classifier where it is measured, for no held-out classifier errs less.

    measured : all checkpoints by all families, at least one. chosen : the family that the user has chosen, if any.
    Where the best classifier tells every checkpoint apart, what remains is ranked by the family whose classifiers err
    least on unseen samples, which also decides where the best classifier is not measured. Families that choose their
    classifiers by the samples that judge them are no candidates, nor are any without a split: then it is the first.
    """
    by_method: dict[str, list[float]] = {}
    for each in measured:
        if each.held_out and not ESTIMATORS[each.method].chosen_by_evaluation:
            by_method.setdefault(each.method, []).append(each.risk)
    risks = dict(sorted(((name, float(np.mean(values))) for name, values in by_method.items()), key=lambda one: one[1]))
    methods = list(dict.fromkeys(each.method for each in measured))
    if len(methods) == 1:
        return Basis(methods[0], risks, "")
    if chosen is not None and chosen in methods:
        return Basis(chosen, risks, f"by {family_title(chosen)}, as chosen")
    believed = [each.curve.auc for each in measured if each.method == TIGHTEST.name]
    if believed and max(believed) >= TOLD_APART:
        return Basis(TIGHTEST.name, risks, "by the best classifier, to which every other is too mild")
    if not risks:
        return Basis(methods[0], risks, f"by {family_title(methods[0])}, the first family")
    best = next(iter(risks))
    if believed:
        return Basis(best, risks, f"by {family_title(best)}, at the scale of its neighbours", max(believed))
    return Basis(best, risks, f"by {family_title(best)}, whose classifiers err least on unseen samples")


def looked_into(measured: Sequence[MeasuredCheckpoint]) -> list[MeasuredCheckpoint]:
    """The checkpoints by the family in whose curves faults are looked for: of neighbours, if there is one.

    The rules of faults read curves with a bias of neighbours, and influence needs their balls.
    """
    others = [each for each in measured if each.method != TIGHTEST.name] or list(measured)
    method = basis_of(others).method
    return [each for each in others if each.method == method]


def judge(
    measured: Sequence[MeasuredCheckpoint],
    goal: float = 0.5,
    seed: int = 0,
    *,
    memorised: Collection[str] = (),
    yardstick: Yardstick | None = None,
    replicates: int = REPLICATES,
    basis: Basis | None = None,
    known: KnownSides | None = None,
    drawn: SharedReference | None = None,
    top: SharedReference | None = None,
    store: ResultCache | None = None,
) -> Judgement:
    """The decision on checkpoints that are measured by the same families at the same settings.

    Parameters
    ----------
    measured : all checkpoints by all families, at least one.
    goal, seed : as in `prviz.triage.ranking.rank`.
    memorised : names of checkpoints that copy the reference. yardstick : of these settings; None: not measured.
    replicates : of the bootstrap.
    basis : the family to decide by; None: `basis_of` these.
    known : what holds at every goal, where it is known.
    drawn, top : replicates of the checkpoints by that family, and of its ceiling, where they are known; see
        `prviz.triage.yardstick.shares_of_ceiling`. store : keeps them.
    """
    basis = basis or basis_of(measured)
    ordered = in_order([each for each in measured if each.method == basis.method])
    names, steps = [each.checkpoint.name for each in ordered], [each.checkpoint.step for each in ordered]
    drawn = drawn or together(ordered, replicates, seed, store=store)
    table = ranking(drawn, names, goal, steps=steps)
    known = known or known_sides(measured)
    candidates = [place for place, name in enumerate(names) if name not in memorised] or list(range(len(names)))
    of_candidates = table
    if len(candidates) < len(names):
        few = drawn._replace(values=drawn.values[candidates], replicates=drawn.replicates[:, candidates])
        of_candidates = ranking(few, [names[place] for place in candidates], goal)
    scores = {
        method: {name: each.score(goal) for name, each in of_family.items()}
        for method, of_family in known.curves.items()
    }
    best = str(of_candidates["checkpoint"].iloc[0])
    also = tuple(of_candidates["checkpoint"].iloc[1:][of_candidates["tied_with_best"].iloc[1:]])
    apart = _disagreement(best, also, scores, basis.method, candidates=[names[place] for place in candidates])
    copied = [name for name in names if name in memorised]
    sentence = " ".join(
        filter(
            None,
            (
                _told_apart(basis, yardstick),
                verdict(of_candidates, n=least(ordered), left_out=len(names) - len(candidates)),
                f"Decided {basis.clause}." if basis.clause else "",
                apart.sentence,
                f"Left out, as copies of the reference: {listed(copied)}." if copied and best not in copied else "",
            ),
        )
    )
    shares: dict[str, CeilingShare] = {}
    if yardstick is not None:
        floor, dominant = yardstick.floor[basis.method], yardstick.dominant
        ceiling = yardstick.ceiling[basis.method]
        shares = shares_of_ceiling(
            ordered, ceiling, goal, seed, own=drawn, top=top, floor=floor, dominant=dominant, store=store
        )
    return Judgement(
        decision=Decision(best, not also, also, tuple(copied), basis, apart.sentence, sentence),
        table=table,
        candidates=of_candidates,
        apart=apart,
        scores=scores,
        at_most={name: None if bound is None else bound.score(goal) for name, bound in known.bounds.items()},
        shares=shares,
    )


def _told_apart(basis: Basis, yardstick: Yardstick | None) -> str:
    """That no checkpoint comes near real data, with the scale; "" where one does."""
    if basis.told_apart is None:
        return ""
    ceiling = None if yardstick is None else yardstick.ceiling.get(TIGHTEST.name)
    possible = "" if ceiling is None else f", {ceiling.curve.auc:.2f} is possible"
    return (
        f"None comes near real data: the area by the best classifier is {basis.told_apart:.2f} at best{possible}. "
        "What the neighbours of a sample still show is ranked."
    )


def _disagreement(
    best: str, also: Sequence[str], scores: Mapping[str, Mapping[str, float]], method: str, *, candidates: Sequence[str]
) -> Disagreement:
    # the best classifier, where it is measured, judges them all, or nothing any more
    families = {name: each for name, each in scores.items() if name != TIGHTEST.name}
    levels = sorted(((name, each[best]) for name, each in families.items() if best in each), key=lambda one: one[1])
    far = method in families and levels[-1][1] - levels[0][1] > LEVELS_APART
    others: dict[str, tuple[str, ...]] = {}
    for name, of_family in families.items():
        first = max((each for each in candidates if each in of_family), key=of_family.__getitem__)
        if name != method and first not in (best, *also):
            others[first] = *others.get(first, ()), name
    return Disagreement(best, (levels[0], levels[-1]) if far else (), others)


def known_sides(measured: Iterable[MeasuredCheckpoint]) -> KnownSides:
    """The sides of all checkpoints by all families."""
    curves: dict[str, dict[str, AreaSides]] = {}
    by_name: dict[str, list[MeasuredCheckpoint]] = {}
    for each in measured:
        curves.setdefault(each.method, {})[each.checkpoint.name] = sides(each.curve)
        by_name.setdefault(each.checkpoint.name, []).append(each)
    return KnownSides(curves, {name: bound_sides(some) for name, some in by_name.items()})


def bound_sides(measured: Sequence[MeasuredCheckpoint]) -> AreaSides | None:
    """The sides of the bound of one checkpoint, from all its families together; None without a bound."""
    own = [each.own_bound for each in measured if each.own_bound is not None]
    bound = own[0] if own else known_bound([each.estimate for each in measured], held_out=measured[0].held_out)
    return None if bound is None else sides(bound)


def family_title(method: str) -> str:
    """The family's name for readers."""
    return ESTIMATORS[method].title
