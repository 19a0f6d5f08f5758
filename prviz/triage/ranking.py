"""Ranking of checkpoints for a goal between precision and recall, with intervals and ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arguments import checked_number
from prviz.arrays import Flags, Floats, Ints
from prviz.curves import PRCurve, hull
from prviz.curves.summaries import SUMMARIES
from prviz.estimators.tightest import FEWEST
from prviz.triage.measured import MeasuredCheckpoint, ResultCache, kept
from prviz.uncertainty.bootstrap import (
    LEVEL,
    Interval,
    bootstrap as spread_of,
    evaluated,
    evaluated_together,
    interval,
    replicated,
)
from prviz.uncertainty.upper_bound import NO_LOWER_BOUND

if TYPE_CHECKING:
    import pandas as pd


# Score by the best classifier below which a checkpoint is clearly told from real samples; another
# family orders such checkpoints.
TOLD_APART = 0.1

AT_MOST = (
    "With 95 % confidence the true score of this checkpoint is at most that, whatever the bias of"
    " the family, if the samples are independent: its classifiers are judged on samples that they"
    f" have not seen. {NO_LOWER_BOUND}"
)

# Largest difference of scores that counts as rounding.
ROUNDING = 1e-12


GOALS = {"precision": 0.0, "balanced": 0.5, "recall": 1.0}
"""Goals by name."""

_MOST_NAMES = 4


class AreaSides(NamedTuple):
    """The two halves of the area under a curve, each doubled, in [0, 1]; their mean is AuC.

    precision : area of the rays lam >= 1, on which precision is at least recall: the integral of
        alpha(1 / u)^2 over u in [0, 1], a mean square of precision.
    recall : area of the rays lam <= 1: the integral of beta(lam)^2 over lam in [0, 1], a mean
        square of recall.
    """

    precision: float
    recall: float

    def score(self, goal: float) -> float:
        """(1 - goal) precision + goal recall."""
        return (1.0 - goal) * self.precision + goal * self.recall


class SharedReference(NamedTuple):
    """Sides of the areas under the curves of several checkpoints, see `AreaSides`. All checkpoints
    are measured on the same real samples.

    values : (c, 2) precision side and recall side of each checkpoint.
    replicates : (bootstrap, c, 2) these sides for resampled samples.
    """

    values: Floats
    replicates: Floats

    def of(self, places: Sequence[int]) -> SharedReference:
        """The sides of the checkpoints at these indices."""
        return SharedReference(self.values[places], self.replicates[:, places])


def capped(found: SharedReference, most: Sequence[AreaSides | None]) -> SharedReference:
    """The sides, none above that of the upper bound of its checkpoint. The true side does not
    exceed this bound.
    """
    limits = np.array([(np.inf, np.inf) if each is None else each for each in most])
    return SharedReference(np.minimum(found.values, limits), np.minimum(found.replicates, limits))


# Curve -> its sides, as every view and every goal needs them again.
_SIDES: WeakKeyDictionary[PRCurve, AreaSides] = WeakKeyDictionary()


def sides(curve: PRCurve) -> AreaSides:
    """Both sides of a curve, in closed form."""
    found = _SIDES.get(curve)
    if found is None:
        found = _SIDES[curve] = _sides(curve)
    return found


def _sides(curve: PRCurve) -> AreaSides:
    f, n = curve.vertices.T
    lo = np.concatenate([curve.breakpoints, [0.0]])
    hi = np.concatenate([[np.inf], curve.breakpoints])
    lows, highs = (np.stack([np.maximum(ends, 1.0), np.minimum(ends, 1.0)]) for ends in (lo, hi))
    steep, flat = hull.sector_areas(f, n, lows, highs)
    return AreaSides(min(2.0 * float(steep.sum()), 1.0), min(2.0 * float(flat.sum()), 1.0))


def score(curve: PRCurve, goal: float = 0.5) -> float:
    """Score of a curve for a goal, in [0, 1]: (1 - goal) P + goal R, P and R the `AreaSides` of the
    area under it.

    goal : 0 counts only the rays with precision >= recall, 1 only those with recall >= precision,
        0.5 both: AuC exactly.

    Areas rather than F-scores, because a curve that lies above another everywhere then scores at
    least as much at every goal, because no score depends on a single point of the curve, and
    because the score is linear in the goal: a checkpoint that is best at some goal is never beaten
    on both sides, see `undominated`. Raises ValueError for a goal outside [0, 1].
    """
    check_goal(goal)
    return sides(curve).score(goal)


def undominated(values: Floats) -> Flags:
    """(c,) True for rows that no other row beats, by being at least as good in both columns and
    better in one.

    values : (c, 2), larger is better. Equal rows don't beat each other.
    """
    as_good = np.all(values[None, :, :] >= values[:, None, :], axis=2)
    better = np.any(values[None, :, :] > values[:, None, :], axis=2)
    flags: Flags = ~np.any(as_good & better, axis=1)
    return flags


def in_order(measured: Sequence[MeasuredCheckpoint]) -> list[MeasuredCheckpoint]:
    """The checkpoints by name: the order in which they are resampled, whatever the order of the
    input.
    """

    def place(each: MeasuredCheckpoint) -> tuple[str, float]:
        step = each.checkpoint.step
        return each.checkpoint.name, float("nan") if step is None else float(step)

    return sorted(measured, key=place)


def together(
    measured: Sequence[MeasuredCheckpoint],
    bootstrap: int = 200,
    seed: int = 0,
    store: ResultCache | None = None,
) -> SharedReference:
    """Both sides of every checkpoint's area, and their replicates from evaluation samples drawn
    again with replacement.

    In each replicate the real samples are drawn once for all checkpoints, the generated ones of
    each checkpoint separately; supports stay as they are. See `prviz.bootstrap`. This is the slow
    part of a ranking; `ranking` gives the table for any goal from it. store : keeps the replicates.
    """
    replicates = [side_replicates(each, bootstrap, seed, store) for each in measured]
    evaluated_together([each.estimate.runs for each in measured])
    if len({each.digests.real for each in measured}) > 1:
        raise ValueError(
            "measured has checkpoints of several references; a paired comparison needs the same"
            " real ones"
        )
    families = sorted({each.method for each in measured})
    if len(families) > 1:
        raise ValueError(
            f"measured has the families {', '.join(families)}; only one can be ranked at a time"
        )
    return SharedReference(
        np.array([sides(each.curve) for each in measured]), np.stack(replicates, axis=1)
    )


def side_replicates(
    measured: MeasuredCheckpoint, bootstrap: int, seed: int, store: ResultCache | None = None
) -> Floats:
    """(bootstrap, 2) both sides of one checkpoint in every replicate, whatever other checkpoints
    there are.

    The draws of the real samples follow from the seed alone, those of the generated ones from it
    and the supports.
    """
    digest = measured.supports_digest
    key = replicates_key(measured, bootstrap, seed)

    def draw() -> Floats:
        runs = measured.estimate.runs
        curves = replicated([runs], bootstrap, seed, streams=(0, int(digest[:16], 16) + 1))
        return np.array([sides(curve) for (curve,) in curves])

    def taken(facts: Any) -> Floats | None:
        try:
            found = np.array(facts, dtype=float)
        except (TypeError, ValueError):
            return None
        if found.shape == (bootstrap, 2) and bool(np.all((found >= 0) & (found <= 1))):
            return found
        return None

    return kept(store, key, taken, draw, lambda drawn: drawn.tolist())


def replicates_key(measured: MeasuredCheckpoint, bootstrap: int, seed: int) -> dict[str, Any]:
    """The cache key of `side_replicates`: all that they depend on."""
    return {"replicates": bootstrap, "seed": seed, "supports": measured.supports_digest}


def summary_intervals(
    measured: MeasuredCheckpoint, bootstrap: int, seed: int, store: ResultCache | None = None
) -> Mapping[str, Interval]:
    """The interval of every summary, from draws that follow from the seed and the supports alone.

    {} for runs that evaluate different samples, which can't be resampled together.
    """
    try:
        evaluated(measured.estimate.runs)
    except ValueError:
        return {}

    def draw() -> Mapping[str, Interval]:
        return spread_of(measured.estimate, bootstrap, seed=seed, level=LEVEL).intervals

    def taken(facts: Any) -> Mapping[str, Interval] | None:
        try:
            found = {name: Interval(float(low), float(high)) for name, (low, high) in facts.items()}
        except (AttributeError, TypeError, ValueError):
            return None
        if found.keys() == {each.key for each in SUMMARIES}:
            return found
        return None

    return kept(store, intervals_key(measured, bootstrap, seed), taken, draw)


def intervals_key(measured: MeasuredCheckpoint, bootstrap: int, seed: int) -> dict[str, Any]:
    """The cache key of `summary_intervals`: all that they depend on."""
    supports = measured.supports_digest
    return {"intervals": bootstrap, "level": LEVEL, "seed": seed, "supports": supports}


def ranking(
    found: SharedReference,
    names: Sequence[str],
    goal: float = 0.5,
    confidence: float = 0.95,
    *,
    steps: Sequence[float | None] | None = None,
    second: SharedReference | None = None,
    widen: float = 1.0,
) -> pd.DataFrame:
    """The ranking of checkpoints for a goal, best first.

    found : the result of `together`, which serves all goals.
    names : a name per checkpoint, in the order of ``found``; checkpoints of equal score stay in
        this order.
    goal : 0 for precision first, 0.5 for balanced (AuC), 1 for recall first; see `score`.
    confidence : in (0, 1): that of the intervals, and the probability that the truly best
        checkpoint is among those that may be best.
    steps : a step per checkpoint, None where it is not known.
    second : the same checkpoints by a second family. It orders those whose score by the first
        family is below TOLD_APART, all behind the others. So the order of two checkpoints follows
        from these two alone, and is never circular.
    widen : factor of the margins by the first family, for the effect of other fit samples.

    Returns a table with a line per checkpoint and these columns:

    checkpoint, step : its name and its step.
    score : its score for the goal. low, high : interval of the score over the replicates.
    best : share of the replicates in which it is best; several best ones divide a replicate.
    behind : score of the first line less its own.
    loses : share of the replicates in which it is behind the first line.
    tied_with_best : True if it may be best as well; in the first line, True if any other may.
    margin : how far behind the first line a checkpoint can't be best; 0 for the first line.
    front : True if no other checkpoint beats it both in precision and in recall.
    precision, recall : its `AreaSides`.
    second, second_low, second_high : score and interval by the second family, nan without one.

    If the second family orders both a checkpoint and the first line, behind and margin are
    differences of its scores. Otherwise scores below TOLD_APART count as TOLD_APART in both
    columns, since their differences order nothing.

    A checkpoint may be best unless another one that may be best scores more by over c standard
    errors of their difference over the replicates; c is the value that no such difference exceeds
    by chance in ``confidence`` of the replicates. Checkpoints that can't be best are left out in
    rounds until all others may be best, so that files far behind change nothing.

    The ranking accounts for the choice of evaluation samples alone, as every bootstrap here does:
    not for other fit samples, nor for bias. Bias cancels as far as two checkpoints have the same.
    So the interval of a score is no interval of the true score.

    Source: Hsu 1996, Multiple Comparisons, chapter 4 (comparisons with the best); Hansen, Lunde,
    Nason 2011, The Model Confidence Set (leaving out in rounds); Efron, Tibshirani 1993.
    """
    import pandas as pd

    check_goal(goal)
    if steps is None:
        steps = [None] * len(names)
    weights = np.array([1.0 - goal, goal])
    scores = found.values @ weights
    replicates = found.replicates @ weights
    places = np.arange(len(scores))
    best = np.lexsort((places, -scores))
    drawn = replicates
    scales = [_Scale.of(scores, replicates, widen=widen)]
    columns = dict.fromkeys(("second", "second_low", "second_high"), float("nan"))
    if second is not None:
        others = second.values @ weights
        others_drawn = second.replicates @ weights
        # Checkpoints below TOLD_APART come last, ordered by their scores of the second family.
        told = scores < TOLD_APART
        best = np.lexsort((places, -np.where(told, others, scores), told))
        drawn = np.where(replicates < TOLD_APART, others_drawn - 1.0, replicates)
        clipped = np.maximum(scores, TOLD_APART), np.maximum(replicates, TOLD_APART)
        scales = [_Scale.of(*clipped, widen=widen), _Scale.of(others, others_drawn, told)]
        ends = np.transpose([interval(column, confidence) for column in others_drawn.T])
        columns = dict(zip(columns, (others, *ends), strict=True))
    first = int(best[0])
    may_be_best, margins = _comparison_with_best(scales, confidence, first)
    low, high = np.transpose([interval(column, confidence) for column in replicates.T])
    best_in, loses = _won(drawn, first)
    table = pd.DataFrame(
        {
            "checkpoint": pd.Series(names, dtype=object),
            "step": np.array([np.nan if step is None else step for step in steps], dtype=float),
            "score": scores,
            "low": low,
            "high": high,
            "best": best_in,
            "behind": 0.0 - _ahead(scales, first),  # 0.0 instead of -0.0
            "loses": loses,
            "tied_with_best": may_be_best,
            "margin": margins,
            "front": undominated(found.values),
            "precision": found.values[:, 0],
            "recall": found.values[:, 1],
            **columns,
        }
    )
    table.loc[first, "tied_with_best"] = bool(may_be_best.sum() > 1)
    return table.iloc[best].reset_index(drop=True)


def _won(drawn: Floats, first: int) -> tuple[Floats, Floats]:
    """Share of the replicates in which each checkpoint is best, and share in which it is behind the
    first line.
    """
    winners = drawn >= drawn.max(axis=1, keepdims=True) - ROUNDING
    best: Floats = (winners / winners.sum(axis=1, keepdims=True)).mean(axis=0)
    return best, (drawn < drawn[:, [first]] - ROUNDING).mean(axis=0)


def without_order(table: pd.DataFrame) -> pd.DataFrame:
    """The ranking with nan for all statements on replicates, where samples are too few: any
    checkpoint may be best.
    """
    said = ("low", "high", "best", "behind", "loses", "margin", "second_low", "second_high")
    return table.assign(**dict.fromkeys(said, float("nan")), tied_with_best=len(table) > 1)


class _Scale(NamedTuple):
    """One scale of scores by which checkpoints are compared.

    scores : (c,) score of each checkpoint. moved : (c, b) replicates less their mean.
    compares : (c,) True for checkpoints that are compared with each other by this scale, not by the
        one before it.
    widen : factor of the margins.
    """

    scores: Floats
    moved: Floats
    compares: Flags
    widen: float

    @classmethod
    def of(
        cls, scores: Floats, replicates: Floats, compares: Flags | None = None, widen: float = 1.0
    ) -> _Scale:
        """The scale of these scores. compares : None for all checkpoints."""
        if compares is None:
            compares = np.ones(len(scores), dtype=bool)
        return cls(
            scores, np.ascontiguousarray((replicates - replicates.mean(axis=0)).T), compares, widen
        )


def _comparison_with_best(
    scales: Sequence[_Scale], confidence: float, first: int
) -> tuple[Flags, Floats]:
    """(c,) True for checkpoints that may be best; and (c,) the lead of checkpoint ``first`` over
    each one above which this one can't be best.
    """
    number = len(scales[0].scores)
    inside = np.arange(number)
    while True:
        place = int(np.searchsorted(inside, first))
        of_first = {}
        kept = []
        for one in inside.tolist():
            needed = _margin(scales, one, inside, confidence)
            of_first[one] = needed[place]
            if np.all(_ahead(scales, one)[inside] <= needed + ROUNDING):
                kept.append(one)
        if len(kept) == len(inside):
            break
        inside = np.array(kept)
    left = [one for one in range(number) if one not in of_first]
    margins = of_first | {one: _margin(scales, one, inside, confidence)[place] for one in left}
    return np.isin(np.arange(number), inside), np.array([margins[one] for one in range(number)])


def _ahead(scales: Sequence[_Scale], one: int) -> Floats:
    """(c,) how much more each checkpoint scores than checkpoint ``one``, by the last scale that
    compares both.
    """
    apart: Floats = scales[0].scores - scales[0].scores[one]
    for scale in scales[1:]:
        if scale.compares[one]:
            apart = np.where(scale.compares, scale.scores - scale.scores[one], apart)
    return apart


def _margin(scales: Sequence[_Scale], one: int, rivals: Ints, confidence: float) -> Floats:
    """(r,) how much more each rival must score than checkpoint ``one`` to beat it."""
    apart = scales[0].moved[rivals] - scales[0].moved[one]
    widen = np.full(len(rivals), scales[0].widen)
    for scale in scales[1:]:
        if scale.compares[one]:
            both = scale.compares[rivals]
            apart[both] = scale.moved[rivals[both]] - scale.moved[one]
            widen[both] = scale.widen
    error = np.sqrt(np.einsum("rb,rb->r", apart, apart) / (apart.shape[1] - 1))
    apart *= np.divide(1.0, error, out=np.zeros_like(error), where=error > ROUNDING)[:, None]
    beaten_by: Floats = np.quantile(apart.max(axis=0), confidence) * error * widen
    return beaten_by


def check_goal(goal: object) -> None:
    """Raise TypeError for a goal that is no number, ValueError for one outside [0, 1]."""
    needed = "a number from 0 (precision first) to 1 (recall first)"
    checked_number("goal", goal, needed, lambda found: 0 <= found <= 1)


# ---- the ranking in words ----


class Headline(NamedTuple):
    """A decision in words: the head, read at a glance, and the rest."""

    head: str
    rest: str

    @property
    def text(self) -> str:
        """Head and rest, as sentences."""
        return f"{self.head}. {self.rest}"


def headline(table: pd.DataFrame, second: str = "", *, left_out: int = 0) -> Headline:
    """The best checkpoint, or which ones may be best.

    table : result of `prviz.triage.ranking.ranking`.
    second : name of the family of its second scores.
    left_out : number of checkpoints that are measured but not to be taken.
    """
    best, *rest = table.to_dict("records")
    if not _is_known(best["best"]):
        return Headline(
            "Too few samples to rank",
            f"With under {FEWEST} samples of a set scores are unsure. Upper bounds of true scores"
            " hold, and so do the faults that are found.",
        )
    name = best["checkpoint"]
    said = _score_text(best, second)
    if not rest and left_out:
        return Headline(f"Best: {name}", f"{said}. No other one is left.")
    if not rest:
        return Headline(f"Only {name} is measured", f"{said}. A ranking needs two.")
    inside = [line for line in (best, *rest) if line["tied_with_best"]]
    if inside:
        shares = [f"{line['checkpoint']} in {share_text(line['best'])}" for line in inside]
        head = f"May be best: {len(inside)} of {len(table)}"
        return Headline(head, f"Best of the paired draws: {listed(shares)}. {said} for {name}.")
    following = rest[0]
    if _by_second(following) and not _by_second(best):
        lower = ""
    else:
        lower = f", {following['behind']:.3f} lower"
    often = f"best in {share_text(best['best'])} of the paired draws"
    return Headline(f"Best: {name}", f"{said}, {often}. Next is {following['checkpoint']}{lower}.")


def _by_second(line: Mapping[Any, Any]) -> bool:
    """True if the scores of the second family order this line's checkpoint."""
    return bool(line["score"] < TOLD_APART and line["second"] >= 0)


def _score_text(line: Mapping[Any, Any], second: str) -> str:
    """The score that orders a checkpoint, with its spread."""
    if _by_second(line):
        family = second
        value = line["second"]
        low = line["second_low"]
        high = line["second_high"]
    else:
        family = "Score"
        value = line["score"]
        low = line["low"]
        high = line["high"]
    return f"{family} {value:.3f} ({low:.3f} to {high:.3f} in 95 % of the draws)"


def listed(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Names as "A, B and C"; of many the first ones and the number of the rest."""
    few = len(names) <= most + 1
    *others, last = names if few else [*names[:most], f"{len(names) - most} more"]
    if others:
        return f"{', '.join(others)} and {last}"
    return last


def marks(best: str, line: Mapping[Any, Any]) -> str:
    """The remark on a line of a ranking that its checkpoint may be best too, or "". best : name of
    the checkpoint to take.
    """
    if line["tied_with_best"] and line["checkpoint"] != best and _is_known(line["best"]):
        return "may be best too"
    return ""


def draws_text(line: Mapping[Any, Any]) -> str:
    """The spread of the scores of a line over the draws; "-" if it is unknown."""
    if not _is_known(line["low"]):
        return "-"
    return f"{line['low']:.4f} to {line['high']:.4f}"


def _is_known(value: float | None) -> bool:
    """True for a number; a report has None in the place of nan."""
    return value is not None and value == value


def share_text(share: float) -> str:
    """A share of draws as a percentage, never 0 % or 100 %, as draws are few; "-" if it is
    unknown.
    """
    if not _is_known(share):
        return "-"
    if share > 0.99:
        return "> 99 %"
    if share < 0.01:
        return "< 1 %"
    return f"{100 * share:.0f} %"
