"""Ranking of checkpoints for a goal between precision and recall, with intervals and ties."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve, hull
from prviz.estimators import Supports
from prviz.studies.tasks import check_whole
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.result_cache import ResultCache
from prviz.uncertainty.bootstrap import evaluated_together, interval, replicated
from prviz.uncertainty.upper_bound import NO_LOWER_BOUND

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

AT_MOST = (
    "With 95 % confidence the true score of this checkpoint is at most that, whatever the bias of the family, if the "
    f"samples are independent: its classifiers are judged on samples that they have not seen. {NO_LOWER_BOUND}"
)

ROUNDING = 1e-12  # largest difference of scores that counts as rounding


GOALS = {"precision": 0.0, "balanced": 0.5, "recall": 1.0}
"""Goals by name."""

_MOST_NAMES = 4
# Samples above which their number is not said.
_MOST_SAMPLES = 1e7


class AreaSides(NamedTuple):
    """The two halves of the area under a curve, each doubled, in [0, 1]; their mean is AuC.

    precision : area of the rays lam >= 1, on which precision is at least recall: the integral of alpha(1 / u)^2 over u
        in [0, 1], a mean square of precision.
    recall : area of the rays lam <= 1: the integral of beta(lam)^2 over lam in [0, 1], a mean square of recall.
    """

    precision: float
    recall: float

    def score(self, goal: float) -> float:
        """(1 - goal) precision + goal recall."""
        return (1.0 - goal) * self.precision + goal * self.recall


class SharedReference(NamedTuple):
    """Several checkpoints on the same real samples.

    values : (c, 2) precision and recall side of each. replicates : (bootstrap, c, 2) the same of resampled samples.
    """

    values: Floats
    replicates: Floats


def sides(curve: PRCurve) -> AreaSides:
    """Both sides of a curve, in closed form."""
    f, n = curve.vertices.T
    lo, hi = np.concatenate([curve.breakpoints, [0.0]]), np.concatenate([[np.inf], curve.breakpoints])
    lows, highs = (np.stack([np.maximum(ends, 1.0), np.minimum(ends, 1.0)]) for ends in (lo, hi))
    steep, flat = hull.sector_areas(f, n, lows, highs)
    return AreaSides(min(2.0 * float(steep.sum()), 1.0), min(2.0 * float(flat.sum()), 1.0))


def score(curve: PRCurve, goal: float = 0.5) -> float:
    """Score of a curve for a goal, in [0, 1]: (1 - goal) P + goal R, P and R the `AreaSides` of the area under it.

    goal : 0 counts only the rays with precision >= recall, 1 only those with recall >= precision, 0.5 both: AuC
        exactly.

    Areas rather than F-scores, because a curve that lies above another everywhere then scores at least as much at every
    goal, because no score depends on a single point of the curve, and because the score is linear in the goal: a
    checkpoint that is best at some goal is never beaten on both sides, see `undominated`. Raises ValueError for a goal
    outside [0, 1].
    """
    _check_goal(goal)
    return sides(curve).score(goal)


def undominated(values: Floats) -> Flags:
    """(c,) True for rows that no other row beats, which is at least as good in both columns and better in one.

    values : (c, 2), larger is better. Equal rows don't beat each other.
    """
    as_good = np.all(values[None, :, :] >= values[:, None, :], axis=2)
    better = np.any(values[None, :, :] > values[:, None, :], axis=2)
    flags: Flags = ~np.any(as_good & better, axis=1)
    return flags


def in_order(measured: Sequence[MeasuredCheckpoint]) -> list[MeasuredCheckpoint]:
    """The checkpoints by name: the order in which they are resampled, whatever the order of the input."""
    steps = ((each, each.checkpoint.step) for each in measured)
    keyed = [(each, (each.checkpoint.name, float("nan") if step is None else float(step))) for each, step in steps]
    return [each for each, _ in sorted(keyed, key=lambda pair: pair[1])]


def together(
    measured: Sequence[MeasuredCheckpoint],
    bootstrap: int = 200,
    seed: int = 0,
    progress: Callable[[float], None] = lambda _: None,
    store: ResultCache | None = None,
) -> SharedReference:
    """Both sides of every checkpoint, and their replicates from evaluation samples drawn again with replacement.

    In each replicate the real samples are drawn once for all checkpoints, the generated ones of each checkpoint
    separately; supports stay as they are. See `prviz.bootstrap`. This is the slow part of a ranking; `ranking` gives
    the table for any goal from it. ``progress`` is called with the fraction done. store : keeps the replicates.
    """
    replicates = []
    for place, each in enumerate(measured):
        progress(place / len(measured))
        replicates.append(side_replicates(each, bootstrap, seed, store))
    return shared_reference(measured, replicates)


def side_replicates(
    measured: MeasuredCheckpoint, bootstrap: int, seed: int, store: ResultCache | None = None
) -> Floats:
    """(bootstrap, 2) both sides of one checkpoint in every replicate, whatever other checkpoints there are.

    The draws of the real samples follow from the seed alone, those of the generated ones from it and the supports.
    """
    check_whole("bootstrap", bootstrap, 2)
    check_whole("seed", seed, 0)
    runs = measured.estimate.runs
    digest = digest_of_supports(runs)
    key = {"replicates": bootstrap, "seed": seed, "supports": digest}
    if store is not None and (kept := _from_facts(store.facts(key), bootstrap)) is not None:
        return kept
    curves = replicated([runs], bootstrap, seed, streams=(0, int(digest[:16], 16) + 1))
    found = np.array([sides(curve) for (curve,) in curves])
    if store is not None:
        store.put_facts(key, found.tolist())
    return found


def digest_of_supports(runs: Sequence[Supports]) -> str:
    """SHA-256 of the supports of all runs, and of the samples that they are of."""
    digest = hashlib.sha256()
    for run in runs:
        digest.update(f"{run.n_real} {len(run.c_real)} {run.rows is None};".encode())
        for part in (run.c_real, run.c_generated, *(each for each in (run.rows, run.groups) if each is not None)):
            digest.update(np.asarray(part, dtype=np.float64).tobytes())
    return digest.hexdigest()


def _from_facts(facts: Any, bootstrap: int) -> Floats | None:
    """The replicates in facts; None for anything else."""
    try:
        found = np.array(facts, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return found if found.shape == (bootstrap, 2) and bool(np.all((found >= 0) & (found <= 1))) else None


def shared_reference(measured: Sequence[MeasuredCheckpoint], replicates: Sequence[Floats]) -> SharedReference:
    """Checkpoints of one family on the same real samples, with the `side_replicates` of each."""
    evaluated_together([each.estimate.runs for each in measured])
    if len({each.digests.real for each in measured}) > 1:
        raise ValueError("measured has checkpoints of several references; a paired comparison needs the same real ones")
    families = sorted({each.method for each in measured})
    if len(families) > 1:
        raise ValueError(f"measured has the families {', '.join(families)}; only one can be ranked at a time")
    return SharedReference(np.array([sides(each.curve) for each in measured]), np.stack(replicates, axis=1))


def rank(
    measured: Sequence[MeasuredCheckpoint],
    goal: float = 0.5,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
    *,
    store: ResultCache | None = None,
) -> pd.DataFrame:
    """Checkpoints ranked for a goal, best first, whatever their order in the input.

    measured : one measurement per checkpoint, all by one family, at one setting and on the same real samples.
    bootstrap, seed : number of times that the evaluation samples are drawn again, at least 2, and the seed of the
        draws.
    goal, confidence : as in `ranking`, which describes the table; a last column, at_most, is that of `largest_scores`.
    store : as in `together`.

    Raises ValueError: nothing to rank, an argument out of bounds, or as `together`.
    """
    _check_goal(goal)
    check_confidence(confidence)
    ordered = in_order(measured)
    names, steps = [each.checkpoint.name for each in ordered], [each.checkpoint.step for each in ordered]
    table = ranking(together(ordered, bootstrap, seed, store=store), names, goal, confidence, steps=steps)
    most = largest_scores(ordered, goal)
    return table.assign(at_most=np.array([most[name] for name in table["checkpoint"]], dtype=object))


def largest_scores(measured: Sequence[MeasuredCheckpoint], goal: float = 0.5) -> dict[str, float | None]:
    """The score of the upper bound by the checkpoint's name: of each alone the true score is at most that, at 95 %.

    None where there is no bound, as without split.
    """
    return {each.checkpoint.name: None if each.bound is None else score(each.bound, goal) for each in measured}


def ranking(
    found: SharedReference,
    names: Sequence[str],
    goal: float = 0.5,
    confidence: float = 0.95,
    *,
    steps: Sequence[float | None] | None = None,
) -> pd.DataFrame:
    """The ranking for a goal, best first, from replicates that serve all goals.

    found : the result of `together`. names : a name per checkpoint, in its order; ties of the score stay in this order.
    goal : 0 precision first, 0.5 balanced (AuC), 1 recall first; see `score`.
    confidence : in (0, 1), of the intervals, and of keeping the truly best checkpoint among those that may be best.
    steps : a step per checkpoint, None where it is not known.

    Returns a line per checkpoint: checkpoint (its name), step, score, low, high (interval of the score), best (share of
    the replicates in which it is best; several best ones divide a replicate), behind (score of the first line less its
    own), loses (share of the replicates in which it scores less than the first line), tied_with_best (True if it may be
    best as well; for the first line: if any other may), margin (how far behind the first line a checkpoint can't be
    best; 0 for the first line), front (True if no other beats it both in precision and in recall), precision, recall
    (its `AreaSides`).

    A checkpoint may be best unless another that may be best scores more by over c times the standard error of their
    difference over the replicates; c is the value that no such difference exceeds by chance in ``confidence`` of the
    replicates. Those that can't be best are left out one round after another until none falls, so that files far behind
    change nothing. As every bootstrap here, the ranking accounts for the choice of evaluation samples alone, not for
    other fit samples, nor for bias, which cancels as far as both checkpoints have the same.

    Source: Hsu 1996, Multiple Comparisons, chapter 4 (comparisons with the best); Hansen, Lunde, Nason 2011, The Model
    Confidence Set (leaving out in rounds); Efron, Tibshirani 1993.
    """
    import pandas as pd

    _check_goal(goal)
    check_confidence(confidence)
    steps = [None] * len(names) if steps is None else steps
    if not len(names) == len(steps) == len(found.values):
        raise ValueError(f"{len(names)} names and {len(steps)} steps for {len(found.values)} checkpoints")
    weights = np.array([1.0 - goal, goal])
    scores, replicates = found.values @ weights, found.replicates @ weights
    best = np.lexsort((np.arange(len(scores)), -scores))
    first = int(best[0])
    may_be_best, margins = _comparison_with_best(scores, replicates, confidence, first)
    low, high = np.transpose([interval(column, confidence) for column in replicates.T])
    winners = replicates >= replicates.max(axis=1, keepdims=True) - ROUNDING
    table = pd.DataFrame(
        {
            "checkpoint": pd.Series(names, dtype=object),
            "step": np.array([np.nan if step is None else step for step in steps], dtype=np.float64),
            "score": scores,
            "low": low,
            "high": high,
            "best": (winners / winners.sum(axis=1, keepdims=True)).mean(axis=0),
            "behind": scores[first] - scores,
            "loses": (replicates < replicates[:, [first]] - ROUNDING).mean(axis=0),
            "tied_with_best": may_be_best,
            "margin": margins,
            "front": undominated(found.values),
            "precision": found.values[:, 0],
            "recall": found.values[:, 1],
        }
    )
    table.loc[first, "tied_with_best"] = bool(may_be_best.sum() > 1)
    return table.iloc[best].reset_index(drop=True)


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence}; a share between 0 and 1 (both excluded) is needed")


def _comparison_with_best(scores: Floats, replicates: Floats, confidence: float, first: int) -> tuple[Flags, Floats]:
    """(c,) True for checkpoints that may be best, and how far behind the first each would not be one of them."""
    moved = np.ascontiguousarray((replicates - replicates.mean(axis=0)).T)
    buffer = np.empty_like(moved)

    def margin(one: int, rivals: Floats) -> Floats:
        """(r,) how much more each rival, a row of replicates, must score than this checkpoint to beat it."""
        apart = np.subtract(rivals, moved[one], out=buffer[: len(rivals)])
        error = np.sqrt(np.einsum("rb,rb->r", apart, apart) / (apart.shape[1] - 1))
        apart *= np.divide(1.0, error, out=np.zeros_like(error), where=error > ROUNDING)[:, None]
        beaten_by: Floats = np.quantile(apart.max(axis=0), confidence) * error
        return beaten_by

    inside = np.arange(len(scores))
    while True:
        rivals = moved[inside]
        place = int(np.searchsorted(inside, first))
        of_first, kept = {}, []
        for one in inside.tolist():
            needed = margin(one, rivals)
            of_first[one] = needed[place]
            if np.all(scores[inside] - scores[one] <= needed + ROUNDING):
                kept.append(one)
        if len(kept) == len(inside):
            break
        inside = np.array(kept)
    margins = [of_first[one] if one in of_first else margin(one, rivals)[place] for one in range(len(scores))]
    return np.isin(np.arange(len(scores)), inside), np.array(margins)


def _check_goal(goal: float) -> None:
    if not 0 <= goal <= 1:
        raise ValueError(f"goal = {goal}; a number from 0 (precision first) to 1 (recall first) is needed")


# ---- in words ----


def verdict(table: pd.DataFrame, escape: Callable[[str], str] = str, n: int | None = None, *, left_out: int = 0) -> str:
    """The decision: which checkpoint to take, which others may be best, and how many samples would settle it.

    table : result of `prviz.triage.ranking.ranking`. escape : escapes names for markup. n : size of the smaller set;
    None: samples are said as a multiple. left_out : number of checkpoints that are measured but not to be taken.
    """
    best, rest = table.iloc[0], table.iloc[1:]
    name = escape(best["checkpoint"])
    score = f"score {best['score']:.3f} ({best['low']:.3f} to {best['high']:.3f})"
    if not len(rest) and left_out:
        return f"Take {name}: {score}. No other one is left."
    if not len(rest):
        return f"{name} is the only one measured: {score}. A ranking needs two."
    also = rest[rest["tied_with_best"]]
    if not len(also):
        second = rest.iloc[0]
        return (
            f"Take {name}: {score}, best in {share_text(best['best'])} of the draws. Next is "
            f"{escape(second['checkpoint'])}, {second['behind']:.3f} lower."
        )
    near = [f"{escape(line['checkpoint'])} (within {_up(line['behind'])})" for _, line in also.iterrows()]
    return f"Take {name}: {score}. Also possible: {listed(near)}. {_settling(also, n)}"


def _up(behind: float) -> str:
    """A difference rounded up, so that "within" is true."""
    return f"{np.ceil(round(behind * 1000, 6)) / 1000:.3f}"


def _settling(also: pd.DataFrame, n: int | None) -> str:
    """How many samples would tell the best from these, if the scores stayed as they are: errors fall with the root."""
    if (also["behind"] <= ROUNDING).any():
        return "No number of samples tells equal scores apart."
    times = max(1.0, float(((also["margin"] / also["behind"]) ** 2).max()))
    if n is not None and times * n > _MOST_SAMPLES:
        return f"More than {_MOST_SAMPLES:,.0f} samples a set would be needed to settle it."
    if n is None:
        return f"About {float(f'{times:.2g}'):,g} times as many samples would settle it."
    return f"About {float(f'{times * n:.2g}'):,.0f} samples a set would settle it."


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names as "A, B and C"; of many the first ones and the number of the rest."""
    few = len(names) <= _MOST_NAMES + 1
    shown = list(names) if few else [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def marks(place: int, line: Mapping[Any, Any]) -> str:
    """Remarks on a line of a ranking: that it may be best too, and being beaten by none; place counts from 1."""
    remarks = (
        (f"may be best too, loses {share_text(line['loses'])} of the draws", line["tied_with_best"] and place > 1),
        ("beaten in both directions by none", line["front"]),
    )
    return ", ".join(remark for remark, holds in remarks if holds)


def share_text(share: float) -> str:
    """A share of draws in words, never 0 % or 100 %: draws are few."""
    return "> 99 %" if share > 0.99 else "< 1 %" if share < 0.01 else f"{100 * share:.0f} %"
