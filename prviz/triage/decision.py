"""The decision of a triage: which checkpoint to take, by which family, and where the families
disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from prviz.curves.summaries import with_area_at_most
from prviz.estimators import ESTIMATORS
from prviz.estimators.tightest import FEWEST, TIGHTEST
from prviz.triage.finding import NO_FAULTS, TriageFinding
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint, ResultCache, bound_by, by_name
from prviz.triage.ranking import (
    TOLD_APART,
    AreaSides,
    Headline,
    SharedReference,
    capped,
    headline,
    in_order,
    listed,
    ranking,
    sides,
    together,
    without_order,
)
from prviz.triage.yardstick import CeilingShare, Yardstick, shares_of_ceiling

if TYPE_CHECKING:
    import pandas as pd

# A `prviz.Witness` as JSON types, see `Witness.entry`.
WitnessEntry: TypeAlias = Mapping[str, Any]
# Version of the rules that find a witness: raise it when they change, so that older cached
# witnesses are not used.
VERSION = 12
# Number of best checkpoints for which the area that remains without what gives them away is
# measured. Each area takes as long as a curve by the best classifier.
_BEST = 5


def entry_of_facts(facts: Any) -> WitnessEntry | None:
    """The witness among cached facts; None if these hold no witness."""
    if isinstance(facts, dict) and "statements" in facts:
        return facts
    return None


def believed_areas(measured: Sequence[MeasuredCheckpoint]) -> dict[str, float]:
    """The _BEST largest areas under the curve by the best classifier, by the name of the
    checkpoint.
    """
    found = dict[str, float]()
    for each in (one for one in measured if one.method == TIGHTEST.name):
        most = None
        if each.own_bound is not None:
            most = each.own_bound.auc
        found[each.checkpoint.name] = with_area_at_most(each.summaries, most)["auc"]
    return dict(sorted(found.items(), key=lambda item: -item[1])[:_BEST])


def told_apart(
    witnesses: Mapping[str, WitnessEntry], findings: Mapping[str, Sequence[TriageFinding]]
) -> dict[str, bool]:
    """Name -> True for checkpoints that differ from real samples by more than chance.

    A finding that is not borderline shows a difference too: the trees of a witness see no copies,
    and may miss a mode.
    """
    apart = {name: bool(each["told_apart"]) for name, each in witnesses.items()}
    for name, faults in findings.items():
        if any(each.key not in NO_FAULTS and not each.borderline for each in faults):
            apart[name] = True
    return apart


# Difference of one checkpoint's scores by two families above which the families disagree in level.
LEVELS_APART = 0.1
# Factor by which the margins of the best classifier are widened: its bootstrap does not draw the
# samples again that it was fitted on. Of 50 pairs of equal generators (two distributions, n = 300),
# 11 were told apart without the factor and 3 with it; 5 % should be.
WIDEN = 1.6
# The nearest-neighbour family that ranks checkpoints where the best classifier is not measured: the
# simplest one.
NEIGHBOURS = "knn"


class Basis(NamedTuple):
    """The families that a decision rests on. They follow from which families are measured, never
    from the results.

    method : the family whose scores decide.
    clause : the reason for this family, as a clause of a sentence.
    second : the family that orders checkpoints whose score is below
        `prviz.triage.ranking.TOLD_APART`, behind all others; None if no family does.
    """

    method: str
    clause: str
    second: str | None = None


class Disagreement(NamedTuple):
    """How other families contradict the decision's family.

    best : the best checkpoint by the decision's family.
    levels : the families that score this checkpoint lowest and highest, each with the score; () if
        the scores differ by at most LEVELS_APART.
    others : checkpoints that can't be best by the decision's family, each with the families by
        which it would be.
    """

    best: str
    levels: tuple[tuple[str, float], ...]
    others: Mapping[str, tuple[str, ...]]

    @property
    def sentence(self) -> str:
        """The disagreement in words; "" where the families agree."""
        parts = []
        if self.levels:
            (low, least), (high, most) = self.levels
            parts.append(
                f"The families disagree in level: {self.best} scores {most:.3f} by"
                f" {family_title(high)}, {least:.3f} by {family_title(low)}."
            )
        for name, families in self.others.items():
            parts.append(
                f"{name} would be the best by {listed([family_title(each) for each in families])}."
            )
        return " ".join(parts)


class Decision(NamedTuple):
    """Which checkpoint to take.

    best : the name of that checkpoint.
    told_apart : True if no other one may be best.
    also : the names of those that may be best as well.
    memorised : checkpoints that copy the reference. They are no candidates unless all checkpoints
        copy it.
    basis : the families that the decision rests on.
    disagreement : a sentence on families that disagree in level; "" where they agree.
    headline : the decision in short.
    sentence : the whole decision in words.
    """

    best: str
    told_apart: bool
    also: tuple[str, ...]
    memorised: tuple[str, ...]
    basis: Basis
    disagreement: str
    headline: Headline
    sentence: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement:
    """A decision, and the numbers beside it.

    table : the ranking of all checkpoints by the families of the basis (see
        `prviz.triage.ranking.ranking`); only candidates are compared, others have nan.
    candidates : the ranking of those that don't copy the reference.
    apart : what other families say of the best.
    scores : by family and checkpoint, at the goal.
    at_most : by checkpoint, the bound that neither its score nor, with a confidence of 95 %, the
        true score exceeds (see `prviz.upper_bound`); None without a bound.
    shares : by checkpoint its share of the ceiling, by the same family as the scores.
    """

    decision: Decision
    table: pd.DataFrame
    candidates: pd.DataFrame
    apart: Disagreement
    scores: Mapping[str, Mapping[str, float]]
    at_most: Mapping[str, float | None]
    shares: Mapping[str, CeilingShare]


class Aside(NamedTuple):
    """Results on checkpoints beside their curves.

    memorised : names of the checkpoints that copy the reference.
    apart : by the checkpoint's name, True if it differs from real samples by more than chance, see
        `prviz.witness`.
    yardstick : the scores of real samples at the same settings; None if not measured.
    """

    memorised: Collection[str] = ()
    apart: Mapping[str, bool] = MappingProxyType({})
    yardstick: Yardstick | None = None


NOTHING_ASIDE = Aside()


# Family -> name of a checkpoint -> the sides of its curve and of its bound, see `sides_of_one`.
KnownSides: TypeAlias = dict[str, dict[str, tuple[AreaSides, AreaSides | None]]]


def basis_of(measured: Sequence[MeasuredCheckpoint], chosen: str | None = None) -> Basis:
    """The basis of a decision: the best classifier if it has judged all checkpoints, since it errs
    least of all held-out classifiers; else nearest neighbours.

    measured : all checkpoints by all families, at least one.
    chosen : the family that the user has chosen, if any.
    """
    number = len({each.checkpoint.name for each in measured})
    times = Counter(each.method for each in measured)
    everywhere = [name for name in times if times[name] == number]
    methods = everywhere or list(times)
    others = [name for name in methods if name != TIGHTEST.name]
    neighbours = NEIGHBOURS if NEIGHBOURS in methods else next(iter(others), None)
    if chosen in methods and chosen != TIGHTEST.name:
        return Basis(chosen, f"by {family_title(chosen)}, as chosen" if len(methods) > 1 else "")
    if TIGHTEST.name in methods:
        if len(methods) > 1:
            clause = "by the best classifier, to which every other is too mild"
        else:
            clause = ""
        return Basis(TIGHTEST.name, clause, neighbours if everywhere else None)
    method = neighbours or methods[0]
    return Basis(method, f"by {family_title(method)}" if len(methods) > 1 else "")


def looked_into(measured: Sequence[MeasuredCheckpoint]) -> list[MeasuredCheckpoint]:
    """The measurements whose curves are searched for faults: those by a nearest-neighbour family,
    if one is measured.

    The rules for faults expect the bias of nearest neighbours, and influence needs their balls.
    """
    others = [each for each in measured if each.method != TIGHTEST.name] or list(measured)
    method = basis_of(others).method
    return [each for each in others if each.method == method]


def judge(
    measured: Sequence[MeasuredCheckpoint],
    goal: float = 0.5,
    seed: int = 0,
    *,
    aside: Aside = NOTHING_ASIDE,
    replicates: int = REPLICATES,
    basis: Basis | None = None,
    store: ResultCache | None = None,
) -> Judgement:
    """The decision on checkpoints that are measured by the same families at the same settings.

    A checkpoint's score and spread depend on that checkpoint alone, and the order of two
    checkpoints on these two alone, whichever others are measured.

    Parameters
    ----------
    measured : all checkpoints by all families, at least one.
    goal : as in `prviz.triage.ranking.ranking`. seed : seed of the bootstrap.
    replicates : number of replicates of the bootstrap.
    basis : the families to decide by; None: `basis_of` the checkpoints.
    store : caches the replicates.
    """
    basis = basis or basis_of(measured)
    known = known_sides(measured)
    drawn: list[SharedReference] = []
    for name in filter(None, (basis.second, basis.method)):
        ordered = in_order([each for each in measured if each.method == name])
        bounds = [known[name][each.checkpoint.name][1] for each in ordered]
        drawn.insert(0, capped(together(ordered, replicates, seed, store), bounds))
    names = [each.checkpoint.name for each in ordered]
    unsure = _few(measured)
    table = _table(ordered, drawn, goal, range(len(names)), unsure=unsure)
    left = [place for place, name in enumerate(names) if name not in aside.memorised]
    candidates = table
    if 0 < len(left) < len(names):
        candidates = _table(ordered, drawn, goal, left, unsure=unsure)
        table = _compared_among(table, candidates)
    shares: dict[str, CeilingShare] = {}
    if aside.yardstick is not None and not unsure:
        shares = shares_of_ceiling(
            ordered, aside.yardstick, goal, seed, own=drawn[0], apart=aside.apart, store=store
        )
    scores = _scores(known, goal)
    decision, apart = _decision(candidates, basis, scores, aside, goal, names, unsure)
    return Judgement(
        decision=decision,
        table=table,
        candidates=candidates,
        apart=apart,
        scores=scores,
        at_most=dict(zip(names, (most and most.score(goal) for most in bounds), strict=True)),
        shares=shares,
    )


def _table(
    measured: Sequence[MeasuredCheckpoint],
    drawn: Sequence[SharedReference],
    goal: float,
    places: Sequence[int],
    *,
    unsure: bool,
) -> pd.DataFrame:
    """The ranking of some of the checkpoints.

    places : indices of these checkpoints.
    drawn : replicates of all checkpoints by the first family, and by the family that orders low
        scores.
    """
    first, *second = (each.of(places) for each in drawn)
    some = [measured[place].checkpoint for place in places]
    table = ranking(
        first,
        [each.name for each in some],
        goal,
        steps=[each.step for each in some],
        second=second[0] if second else None,
        widen=WIDEN if ESTIMATORS[measured[0].method].judges_all else 1.0,
    )
    if unsure:
        return without_order(table)
    return table


def _compared_among(table: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """The ranking of all checkpoints, where only candidates are compared with each other."""
    own = candidates.set_index("checkpoint").reindex(table["checkpoint"])
    ties = own["tied_with_best"].eq(True).to_numpy()
    compared = {name: own[name].to_numpy() for name in ("best", "behind", "loses", "margin")}
    return table.assign(**compared, tied_with_best=ties)


def _scores(known: KnownSides, goal: float) -> dict[str, dict[str, float]]:
    """Family -> name -> the score of a checkpoint at a goal."""
    return {
        method: {name: own.score(goal) for name, (own, _) in sides.items()}
        for method, sides in known.items()
    }


def _decision(
    candidates: pd.DataFrame,
    basis: Basis,
    scores: Mapping[str, Mapping[str, float]],
    aside: Aside,
    goal: float,
    names: Sequence[str],
    unsure: bool,
) -> tuple[Decision, Disagreement]:
    """The decision on the candidates among these checkpoints, and what other families say of the
    best.
    """
    best = str(candidates["checkpoint"].iloc[0])
    also = tuple(candidates["checkpoint"].iloc[1:][candidates["tied_with_best"].iloc[1:]])
    left = list(candidates["checkpoint"])
    copied = tuple(name for name in names if name in aside.memorised)
    apart = _disagreement(
        best, also, scores, basis.method, [name for name in names if name in left]
    )
    left_out = len(names) - len(left)
    said = _headline(candidates, basis, aside.yardstick, goal, left_out=left_out)
    believed = scores.get(TIGHTEST.name, {}).get(best)
    if basis.method != TIGHTEST.name and believed is not None and not unsure:
        rest = f"{said.rest} By the best classifier {best} has {believed:.2f}."
        said = said._replace(rest=rest)
    sentences = [said.text, f"Scored {basis.clause}." if basis.clause else "", apart.sentence]
    if copied and best not in copied:
        sentences.append(f"Left out, as copies of the reference: {listed(copied)}.")
    sentence = " ".join(filter(None, sentences))
    decision = Decision(best, not also, also, copied, basis, apart.sentence, said, sentence)
    return decision, apart


def _few(measured: Sequence[MeasuredCheckpoint]) -> bool:
    """True if the best classifier has judged too few independent samples for sure scores."""
    judged = [each.estimate.supports for each in measured if each.method == TIGHTEST.name]
    return any(min(each.n_independent) < FEWEST for each in judged)


def _headline(
    table: pd.DataFrame, basis: Basis, yardstick: Yardstick | None, goal: float, *, left_out: int
) -> Headline:
    """The headline of the decision. If no checkpoint comes near real data, it says so first, with
    the score that real data reach.
    """
    second = ""
    if basis.second is not None:
        second = family_title(basis.second)
    said = headline(table, second, left_out=left_out)
    told = table["score"] < TOLD_APART
    if table["best"].isna().all():
        return said
    if basis.method != TIGHTEST.name or not told.any() or not (second or told.all()):
        return said
    if not told.all():
        behind = (
            f"Below {TOLD_APART:g} all are told from real data; {second} orders these, behind the"
            " others."
        )
        return said._replace(rest=f"{said.rest} {behind}")
    ceiling = None
    if yardstick is not None:
        ceiling = yardstick.ceiling.get(basis.method)
    what = "area" if goal == 0.5 else "score"
    head = f"None comes near real data: {what} {table['score'].max():.2f} at best"
    if ceiling is not None:
        top = sides(ceiling.curve).score(goal)
        if top < TOLD_APART:
            head = f"No score says how near they come: {what} {top:.2f} for real against real too"
        else:
            head += f", {top:.2f} is possible"
    order = ""
    if second:
        order = f"By {second} alone, at the scale of a sample's neighbours: "
    return Headline(head, order + said.text)


def _disagreement(
    best: str,
    also: Sequence[str],
    scores: Mapping[str, Mapping[str, float]],
    method: str,
    candidates: Sequence[str],
) -> Disagreement:
    # The best classifier overrules all other families.
    families = {} if TIGHTEST.name in scores else scores
    levels = sorted(
        ((name, each[best]) for name, each in families.items() if best in each),
        key=lambda one: one[1],
    )
    far = method in families and levels[-1][1] - levels[0][1] > LEVELS_APART
    others: dict[str, tuple[str, ...]] = {}
    for name, of_family in families.items():
        known = (each for each in candidates if each in of_family)
        first = max(known, key=of_family.__getitem__, default=best)
        if name != method and first not in (best, *also):
            others[first] = *others.get(first, ()), name
    return Disagreement(best, (levels[0], levels[-1]) if far else (), others)


def known_sides(measured: Iterable[MeasuredCheckpoint]) -> KnownSides:
    """Family -> name -> the sides of each checkpoint, see `sides_of_one`."""
    found: KnownSides = {}
    for name, some in by_name(measured).items():
        for method, both in sides_of_one(some).items():
            found.setdefault(method, {})[name] = both
    return found


def sides_of_one(
    measured: Sequence[MeasuredCheckpoint],
) -> dict[str, tuple[AreaSides, AreaSides | None]]:
    """By family: the sides of a checkpoint's curve, limited to those of its upper bound; and the
    bound's sides, None without a bound.
    """
    found: dict[str, tuple[AreaSides, AreaSides | None]] = {}
    for each in measured:
        own = sides(each.curve)
        most = None
        if (bound := bound_by(measured, each.method)) is not None:
            most = sides(bound)
            own = AreaSides(min(own.precision, most.precision), min(own.recall, most.recall))
        found[each.method] = own, most
    return found


def summaries_of_one(measured: Sequence[MeasuredCheckpoint]) -> dict[str, dict[str, float]]:
    """Family -> the summaries of one checkpoint; no area exceeds that of its bound."""
    known = sides_of_one(measured)
    return {each.method: capped_summaries(each, known[each.method][0]) for each in measured}


def capped_summaries(measured: MeasuredCheckpoint, own: AreaSides) -> dict[str, float]:
    """The summaries of a measurement, with the area by the capped sides ``own``, see
    `sides_of_one`.
    """
    return with_area_at_most(
        measured.summaries, None if own == sides(measured.curve) else own.score(0.5)
    )


def family_title(method: str) -> str:
    """The family's name for readers."""
    return ESTIMATORS[method].title
