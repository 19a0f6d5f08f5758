"""What every measure says of drawn pairs, kept as a code for each: a slip moves a few numbers and
breaks nothing.

Other tests say why a number is right; these only see that it has changed, at sizes, ties and scales
of many kinds. Numbers count to five digits, as the last bits differ between processors. Where
another number is meant: `python -m tests.kept_numbers` writes the codes anew; `python -m
tests.kept_numbers curves 3` prints what one stands for, to be compared with an earlier commit.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import prviz
from prviz.curves import hull, rays
from prviz.curves.band import band
from prviz.curves.ground_truth import (
    finite_masses,
    likelihood_ratio_rates,
    line_mixtures,
    sampled_truth,
    scaled_gaussians,
    shifted_gaussians,
)
from prviz.curves.limits import LIMITS, limit_curve, limit_seconds
from prviz.curves.pr_curve import PRCurve
from prviz.curves.summaries import first_differences, numbers
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Supports
from prviz.estimators.tightest import FEWEST
from prviz.measure import curve_conventions, risk, scalars, workload
from prviz.measure.estimates import Estimate
from prviz.measure.kernel_scores import _Cubic, half_spread, kernel_share
from prviz.measure.profiles import bandwidth_unit
from prviz.samples import SamplePair, Samples
from prviz.triage import evidence, reported
from prviz.triage.classes import apart_text, by_class, class_sentence
from prviz.triage.comparison import compare_curves, difference_of
from prviz.triage.decision import Aside, basis_of, believed_areas, judge, summaries_of_one
from prviz.triage.encoders import EncoderRanking, encoder_verdict
from prviz.triage.inputs import (
    Checkpoint,
    checkpoints_of,
    common_prefix,
    details_of,
    natural,
    step_of,
)
from prviz.triage.measure import set_sizes, unequal, uneven
from prviz.triage.measured import MeasuredCheckpoint, PairDigests, TriageSettings
from prviz.triage.memorisation import copies_text, held_out_distances, memorisation
from prviz.triage.ranking import draws_text, headline, listed, marks, share_text
from prviz.triage.robustness import draw_map, kendall_between_families, rank_stability, winner_map
from prviz.triage.stability import (
    RobustnessGrid,
    known_rows,
    ks_of,
    least,
    scored,
    stability_tasks,
    usual_ks,
    usual_shares,
)
from prviz.triage.triage import Triage
from prviz.triage.yardstick import Yardstick, shares_of_ceiling
from prviz.uncertainty.upper_bound import bound_of
from tests.ranked import rank
from tests.triage_files import measure_all

FILE = Path(__file__).with_suffix(".json")
# Families whose supports are the same on every machine and with every version of other libraries.
FAMILIES = ("knn", "kde", "ipr", "coverage", "eas", "prc", "ppr")
LAMS = (0.0, 0.01, 0.4, 1.0, 2.5, 70.0, math.inf)
Call = tuple[str, Callable[[], Any]]


# ---- what a result says ----


def plain(value: Any) -> str:
    """Everything that a result holds, in words."""
    if isinstance(value, PRCurve):
        return plain(value.vertices)
    if isinstance(value, Samples):
        return f"{value} {value.notes}"
    if isinstance(value, pd.DataFrame):
        return plain(value.to_dict("list"))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({each.name: getattr(value, each.name) for each in dataclasses.fields(value)})
    if hasattr(value, "_asdict"):  # with what a named tuple has beside its entries
        return plain(value._asdict() | getattr(value, "__dict__", {}))
    return plain_parts(value.tolist() if isinstance(value, np.ndarray) else value)


def plain_parts(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(
                f"{name}: {plain(each)}" for name, each in value.items() if name != "seconds"
            )
            + "}"
        )
    if isinstance(value, str | bool | Path) or value is None:
        return str(value)
    if isinstance(value, float | np.floating):
        return "0" if abs(float(value)) < 1e-12 else f"{value:.5g}"
    if isinstance(value, Sequence | set | frozenset | Iterator):
        return "[" + ", ".join(map(plain, value)) + "]"
    return str(value)


def said(call: Callable[[], Any]) -> str:
    """What a call gives, or why it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said once per pair, whoever asks first
        try:
            return plain(call())
        except (ValueError, TypeError) as error:
            return f"{type(error).__name__}: {error}"


# ---- pairs ----


@cache
def pairs() -> dict[str, SamplePair]:
    rng = np.random.default_rng(11)

    def normal(n: int, d: int, spread: float = 1.0, shift: float = 0.0) -> np.ndarray:
        return spread * rng.normal(size=(n, d)) + shift

    plain_pair = SamplePair.of(normal(40, 3), normal(30, 3, 0.8, 0.5))
    found = {
        "plain": plain_pair,
        "ties": SamplePair.of(rng.integers(0, 3, (36, 2)), rng.integers(0, 3, (31, 2))),
        "wide": SamplePair.of(normal(20, 30), normal(24, 30, 1.3)),
        "few": SamplePair.of(normal(5, 2), normal(4, 2, 1.0, 0.5)),
        "equal": SamplePair.of(plain_pair.real, plain_pair.real.values[::-1]),
        "far": SamplePair.of(normal(30, 4, 1e-3, 1e4), normal(33, 4, 2e-3, 1e4)),
        "apart": SamplePair.of(normal(25, 3), normal(25, 3, 1.0, 9.0)),
        "line": SamplePair.of(normal(60, 1), normal(21, 1, 2.0)),
        "huge": SamplePair.of(normal(24, 3, 1e60), normal(24, 3, 2e60)),
        "repeated": SamplePair.of(
            np.repeat(normal(12, 3), 3, axis=0), np.repeat(normal(10, 3), 3, axis=0)
        ),
        "one": SamplePair.of(np.ones((30, 3)), normal(30, 3)),
    }
    grouped = [
        replace(each, groups=np.arange(each.n) // 4)
        for each in SamplePair.of(normal(48, 3), normal(40, 3, 1.2))
    ]
    return found | {"groups": SamplePair(*grouped)}


def labels(samples: Samples) -> np.ndarray:
    """The class of each sample: its octant."""
    return np.array([f"c{int(row[0] > 0)}{int(row[-1] > 0.5)}" for row in samples.values])


# ---- what is asked ----


def curves() -> Iterator[Call]:
    rng = np.random.default_rng(3)
    some = {
        "two": PRCurve.from_error_rates([0.1, 0.4], [0.5, 0.2]),
        "nothing": PRCurve.from_error_rates([1.0], [1.0]),
        "all": PRCurve.from_error_rates([0.0], [0.0]),
        "many": PRCurve.from_error_rates(rng.uniform(0.1, 1.0, 60), rng.uniform(0.0, 1.0, 60)),
        "ends": PRCurve.from_error_rates([0.0, 0.3], [0.6, 0.0]),
        "shifted": shifted_gaussians(1.5),
        "scaled": scaled_gaussians(1.7, 5, distance=0.4),
        "narrow": scaled_gaussians(0.3, 2),
        "discrete": prviz.discrete_curve([0.5, 0.3, 0, 0.2], [0.1, 0.4, 0.4, 0.1]),
        "masses": finite_masses([0.2, 0.8, 0.0], [0.5, 0.1, 0.4]),
        "mixtures": line_mixtures([0.0, 2.0, 5.0], [0.5, 0.5, 0.0], [0.3, 0.3, 0.4]),
    }
    truth = some["shifted"]
    for name, curve in some.items():
        yield f"{name}: summaries", partial(numbers, curve)
        yield f"{name}: compared", partial(numbers, curve, truth, 4.0, 0.1)
        yield (
            f"{name}: values",
            partial(lambda curve: [curve.alpha(np.array(LAMS)), curve.beta(np.array(LAMS))], curve),
        )
        yield (
            f"{name}: F",
            partial(
                lambda curve: [curve.f_score(b, leaning="recall") for b in (0.5, 1.0, 8.0)], curve
            ),
        )
        yield (
            f"{name}: variation",
            partial(lambda curve: [*map(curve.weighted_variation, LAMS[1:-1])], curve),
        )
        yield f"{name}: differences", partial(first_differences, curve, truth)
        yield (
            f"{name}: mean",
            partial(lambda curve: PRCurve.mean([curve, truth, curve]).alpha(np.array(LAMS)), curve),
        )
        yield (
            f"{name}: pairs",
            partial(lambda curve: [curve.compare(other) for other in some.values()], curve),
        )
        yield (
            f"{name}: rays",
            partial(
                lambda curve: [rays.iou_on_rays(curve, truth, each) for each in (9, 51)], curve
            ),
        )
        yield (
            f"{name}: risk",
            partial(lambda curve: [risk.risk(curve, 0.3), risk.risk(curve, 2)], curve),
        )
        yield (
            f"{name}: end",
            partial(
                lambda curve: [
                    evidence.lam_at_end(curve, side) for side in ("recall", "precision")
                ],
                curve,
            ),
        )
        if len(curve.vertices) < 100:  # of more, which ones there are depends on the last bits
            yield (
                f"{name}: points",
                partial(lambda curve: [curve.sample(7), curve.mirrored()], curve),
            )
            yield (
                f"{name}: places",
                partial(lambda curve: [curve.vertex_at(each) for each in LAMS], curve),
            )
            yield (
                f"{name}: ends",
                partial(
                    lambda curve: [
                        curve.precision_at(0.3),
                        curve.recall_at(0.3),
                        curve.edge_masses,
                    ],
                    curve,
                ),
            )
            yield (
                f"{name}: hull",
                partial(
                    lambda curve: [
                        hull.edge_lams(curve.vertices),
                        hull.is_lower_hull(curve.vertices),
                    ],
                    curve,
                ),
            )
        for method in LIMITS:
            yield f"{name}: limit of {method}", partial(limit_curve, curve, method, 3, steps=24)
            yield f"{name}: seconds of {method}", partial(limit_seconds, curve, method, 5)
    yield "band", partial(band, list(some.values())[:6], 9)
    yield (
        "not a hull",
        lambda: [
            hull.is_lower_hull(np.array(each)) for each in ([[0, 1], [0.6, 0.6], [1, 0]], [[0, 1]])
        ],
    )
    yield "minkowski", lambda: hull.minkowski_mean([some["two"].vertices, some["ends"].vertices])
    ratios = [rng.normal(size=40) for _ in range(2)]
    yield (
        "rates of ratios",
        lambda: likelihood_ratio_rates(ratios[0], ratios[1], np.array([-0.5, 0.0, 1.0])),
    )
    yield "sampled", partial(sampled_truth, drawn_ratios, n=200, batches=4)
    for number in (-1, 0, 8, 9, 1001, 1002):
        yield f"{number} rays", partial(rays.check_rays, number)


def estimators() -> Iterator[Call]:
    for name, pair in pairs().items():
        for split, k in ((0.5, 1), (0.5, 4), (0.3, 2), (None, 3), (None, "sqrt")):
            methods = [
                each for each in FAMILIES if split is not None or not ESTIMATORS[each].needs_split
            ]
            yield (
                f"{name}: {k}, {split}",
                partial(estimates_of, pair, methods, k=k, split=split, seed=2),
            )
        yield (
            f"{name}: bandwidth 0.7",
            partial(estimates_of, pair, ["kde", "knn"], k=1, bandwidth=0.7),
        )


def estimates_of(pair: SamplePair, methods: Sequence[str], **given: Any) -> Any:
    found = prviz.estimate(pair.real, pair.generated, methods, **given)
    runs = {name: each.runs[0] for name, each in found.items()}
    parts = {
        name: [run.n_real, run.c_real, run.c_generated, run.real_rows] for name, run in runs.items()
    }
    return [parts, [[each.curve, each.k] for each in found.values()]]


def drawn_ratios(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(-0.5, 1.0, n), rng.normal(0.5, 1.0, n)


def one_estimate(pair: SamplePair, method: str, **given: Any) -> Any:
    (found,) = prviz.estimate(pair.real, pair.generated, [method], **given).values()
    return found


def measures() -> Iterator[Call]:
    for name, pair in pairs().items():
        real, generated = pair
        half = SamplePair(real, Samples(0.5 * generated.values, "half"))
        yield f"{name}: scalars", partial(prviz.scalars, real, generated)
        yield (
            f"{name}: open scalars",
            partial(prviz.scalars, real, generated, k=2, ball="open", prc_c=2, ppr_a=0.9),
        )
        yield f"{name}: with reasons", partial(scalars.numbers_of_sets, pair, 3)
        yield f"{name}: KID", partial(prviz.kid, real, generated)
        yield (
            f"{name}: KID of subsets",
            partial(prviz.kid, real, generated, subsets=5, subset_size=7),
        )
        yield f"{name}: Fréchet", partial(prviz.frechet_distance, real, generated, level=0.8)
        yield (
            f"{name}: Fréchet compared",
            partial(prviz.compare_frechet, real, generated, half.generated),
        )
        yield (
            f"{name}: Vendi",
            partial(lambda real: [prviz.vendi(real, order=each) for each in (0.5, 1, 2)], real),
        )
        yield (
            f"{name}: RKE",
            partial(lambda real: [prviz.rke(real, bandwidth=0.7), half_spread(real)], real),
        )
        yield f"{name}: kernel share", partial(kernel_share, pair)
        yield (
            f"{name}: clipped",
            partial(lambda pair: [prviz.clipped(*pair, k=each) for each in (1, 3)], pair),
        )
        yield (
            f"{name}: single samples",
            partial(lambda pair: [prviz.rarity(*pair), prviz.realism(*pair)], pair),
        )
        yield (
            f"{name}: class entropy",
            partial(prviz.class_entropy, real, generated, labels(real), k=4),
        )
        yield (
            f"{name}: unit",
            partial(lambda pair: [bandwidth_unit(pair, split=each) for each in (0.5, None)], pair),
        )
        yield f"{name}: all numbers", partial(reported.all_numbers, pair, k=3)
        yield (
            f"{name}: bound",
            partial(prviz.upper_bound, real, generated, DEFAULT_METHODS, confidence=0.8, ks=[2, 5]),
        )
        yield f"{name}: profile", partial(profiled, pair)
        yield f"{name}: best of all", partial(lambda pair: risk.choices(by_setting(pair)), pair)
        yield f"{name}: least risk", partial(least_risks, pair)
        for counting in (
            curve_conventions.SELF_COUNTING if name in ("plain", "ties", "groups") else ()
        ):
            yield f"{name}: {counting}", partial(counted, pair, counting)
        yield (
            f"{name}: seconds",
            partial(
                lambda pair: workload.default_rows(1000 * pair.real.n, 1000 * pair.generated.n, 64),
                pair,
            ),
        )
        yield f"{name}: part", partial(lambda pair: list(workload.subsample(pair, 6, 1)), pair)
    for seconds in (0.2, 30.4, 89.9, 90, 5399, 5400, 9e4):
        yield f"{seconds} s", partial(workload.duration, seconds)
    for name, pair in pairs().items():
        yield f"{name}: rounding of KID", partial(roundings, pair)


def roundings(pair: SamplePair) -> Any:
    centres = (None, pair.real.values[0].astype(float))
    return [_Cubic(centre).rounding(pair) for centre in centres]


def least_risks(pair: SamplePair) -> Any:
    return [
        risk.lowest_risk(by_setting(pair), lam, pair.real.n, pair.generated.n) for lam in (0.2, 1.0)
    ]


@cache
def by_setting(pair: SamplePair) -> dict[tuple[str, int], PRCurve]:
    ks = (1, 2, 4) if min(pair.real.n, pair.generated.n) > 9 else (1,)
    return {
        (name, k): prviz.pr_curve(pair.real, pair.generated, name, k=k)
        for name in ("knn", "coverage")
        for k in ks
    }


def profiled(pair: SamplePair) -> Any:
    found = prviz.profile(
        pair.real, pair.generated, ["knn", "kde"], ks=[1, 2, 3], bandwidths=[0.5, 2.0]
    )
    return [
        found.by_k,
        found.by_bandwidth,
        found.best_k("knn", shifted_gaussians(1.0)),
        found.estimate("knn", 2).curve,
    ]


def counted(pair: SamplePair, counting: Any) -> Any:
    convention = curve_conventions.CurveConvention(counting, rays=9, gammas=counting == "both")
    found = []
    for split in (0.5, None):
        for method in ("knn", "coverage", "ipr"):
            at = [one_estimate(pair, method, k=k, split=split) for k in (3, 2)]
            curve = convention.curve(*at, held_out=split is not None)
            found.append([convention.key, curve, convention.iou(curve, shifted_gaussians(1.0))])
    return found


def uncertainty() -> Iterator[Call]:
    for name, pair in pairs().items():
        other = Samples(pair.generated.values * 1.1, "other")
        for method in ("knn", "coverage"):
            yield f"{name}: bootstrap of {method}", partial(resampled, pair, method)
            yield f"{name}: two by {method}", partial(compared, pair, other, method)
        yield (
            f"{name}: several",
            partial(
                lambda pair, other: prviz.compare(
                    pair.real, pair.generated, other, pair.real, k=2, replicates=12
                ).ranking(),
                pair,
                other,
            ),
        )
        yield (
            f"{name}: bound",
            partial(lambda pair: bound_of(prviz.estimate(*pair, k=2).values(), 0.7), pair),
        )

    rng = np.random.default_rng(5)
    many = rng.normal(size=(300, 2)), rng.normal([2.5, 0.0], size=(260, 2))
    for confidence, split in ((0.8, 0.5), (0.95, 0.5), (0.95, 0.3)):
        given = {"ks": [5, 15], "confidence": confidence, "split": split}
        yield f"bound of many, {given}", partial(prviz.upper_bound, *many, ["knn", "ipr"], **given)


def resampled(pair: SamplePair, method: str) -> Any:
    found = prviz.bootstrap(
        one_estimate(pair, method, k=2), 12, seed=3, level=0.7, truth=shifted_gaussians(1.0)
    )
    return [
        found,
        found.band(5),
        found.interval_of("auc"),
        prviz.spread(found.curves, level=0.8).interval_of("auc"),
    ]


def compared(pair: SamplePair, other: Samples, method: str) -> Any:
    found = prviz.compare(
        pair.real, pair.generated, other, method=method, k=2, replicates=12, level=0.7
    )
    return [found, found.differences]


# ---- triage ----


@cache
def checkpoints() -> tuple[Samples, Samples, dict[str, Samples]]:
    """A reference, a holdout and models of it, each with a fault of its own."""
    rng = np.random.default_rng(23)
    centres = 4.0 * rng.normal(size=(3, 4))

    def drawn(n: int, spread: float = 1.0, modes: int = 3) -> np.ndarray:
        return centres[rng.integers(0, modes, n)] + spread * rng.normal(size=(n, 4))

    real = drawn(130)
    held = drawn(120)
    own = drawn(130)
    models = {
        "step-100": drawn(130),
        "step-200-narrow": drawn(120, 0.5),
        "step-300-dropped": drawn(130, modes=2),
        "step-400-shifted": own + 2.0,
        "step-500-copies": np.concatenate([real[:60], drawn(70)]),
        "step-600-repeats": np.repeat(drawn(26), 5, axis=0),
        "step-700-permuted": own[:, [1, 0, 2, 3]],
        "step-800-scaled": 3.0 * own,
        "few": drawn(25),
        "none": drawn(12),
    }
    return (
        Samples(real, "real"),
        Samples(held, "held"),
        {name: Samples(each, name) for name, each in models.items()},
    )


@cache
def triaged() -> dict[str, Any]:
    """The results of one triage with a holdout and of one without, and what they were measured
    from.
    """
    real, held, models = checkpoints()
    settings = TriageSettings(("knn", "coverage"), k=5, seed=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, samples in models.items():
            np.save(folder / f"{file}.npy", samples.values)
        found = checkpoints_of(folder)
        outcomes = list(measure_all(real, found, settings))
        of = partial(Triage, reference=real)
        results = {
            "with a holdout": of(settings=settings, holdout=held).results(outcomes),
            "without one": of(settings=replace(settings, seed=2)).results(outcomes[:2], 0.2),
        }
        few = replace(settings, methods=("knn",))
        firsts = [outcome.measured[0] for outcome in outcomes[:3]]
        grid = RobustnessGrid(few.methods, usual_ks(least(firsts), few), [0.5], 2)
        tasks = stability_tasks(real, firsts, partial(loaded, models), few, grid)
        rows = pd.DataFrame([row for task in tasks for row in task.run()])
        return {
            "found": found,
            "settings": settings,
            "outcomes": outcomes,
            "results": results,
            "sizes": set_sizes(real, found, settings),
            "tasks": tasks,
            "firsts": firsts,
            "rows": rows,
        }


def loaded(models: Mapping[str, Samples], checkpoint: Any) -> Samples:
    return models[checkpoint.name]


def triage() -> Iterator[Call]:
    real, held, models = checkpoints()
    for name, model in models.items():
        pair = SamplePair(real, model)
        yield f"{name}: memorised", partial(lambda pair: memorised(pair, None), pair)
        yield f"{name}: memorised of a holdout", partial(lambda pair: memorised(pair, held), pair)
        yield f"{name}: repeated", partial(evidence.most_repeated, pair, 3)
        yield (
            f"{name}: spectrum",
            partial(lambda model: np.round(evidence.spectrum(model).shares, 3), model),
        )
        yield (
            f"{name}: scales",
            partial(lambda model: evidence.scales(model, model.values.std(axis=0)), model),
        )
        yield f"{name}: classes", partial(classes_of, pair)
    known = triaged()
    yield "checkpoints", lambda: [[each.name, each.step, each.extra] for each in known["found"]]
    for outcome in known["outcomes"]:
        measured = [
            (each.estimate, each.bound, each.flags, each.n_generated) for each in outcome.measured
        ]
        yield f"outcome {outcome.checkpoint.name}", partial(list, [outcome.reason, measured])
    for name, result in known["results"].items():
        for part in ("memorisation", "findings", "yardstick", "no_ceiling", "judgement"):
            yield f"{name}: {part}", partial(getattr, result, part)
        yield f"{name}: shares", partial(shares_of, result)
    for goal in (0.0, 0.5, 1.0):
        yield f"ranks for {goal}", partial(ranked, known, goal)
    yield "sizes", lambda: [known["sizes"], known["sizes"].uneven]
    yield "unequal", lambda: [unequal(known["firsts"]), uneven(known["firsts"])]
    first, second, _ = known["firsts"]
    curves = partial(compare_curves, first, second, bootstrap=20, confidence=0.8)
    yield "two checkpoints", lambda: difference_of(first, second, curves(), points=9)
    rows = scored(known["rows"].drop(columns="key"), 0.3)
    yield "rows", lambda: rows
    whole = rows[rows["n"] == rows["n"].max()]
    drawn = rows[rows["in_use"]]
    yield (
        "winners",
        lambda: [winner_map(whole), winner_map(whole, noise=0.02), winner_map(whole).share],
    )
    yield "families", partial(kendall_between_families, rows)
    yield "fewer samples", lambda: [rank_stability(drawn), draw_map(drawn)]
    yield "tasks", lambda: [[each.asked, each.keys] for each in known["tasks"]]
    yield "known rows", lambda: known_rows(known["tasks"], known["firsts"])
    yield (
        "ks",
        lambda: [least(known["firsts"]), ks_of(known["firsts"], known["settings"], [2, "sqrt"])],
    )
    yield "usual shares", lambda: [usual_shares(n, known["settings"]) for n in (30, 60, 130, 500)]
    yield from details()
    yield from words()
    for number in range(40):
        yield f"judged {number}", partial(judged, number)


def shares_of(result: Any) -> Any:
    measured = [
        each for outcome in result.outcomes for each in outcome.measured if each.method == "knn"
    ]
    return shares_of_ceiling(measured, result.yardstick, 0.3)


def ranked(known: Mapping[str, Any], goal: float) -> Any:
    measured = [
        each for outcome in known["outcomes"] for each in outcome.measured if each.method == "knn"
    ]
    table = rank(measured, goal=goal, bootstrap=30, seed=1)
    rankings = [EncoderRanking("one", 4, table), EncoderRanking("other", 8, table.iloc[::-1])]
    return [
        table,
        headline(table),
        headline(table, left_out=2),
        encoder_verdict(rankings),
        rankings[0].possible,
    ]


def judged(number: int) -> Any:
    """The decision on checkpoints of drawn supports, many of them near or above what is
    possible.
    """
    rng = np.random.default_rng(number)
    methods = (("tightest", "knn"), ("tightest",), ("ipr", "kde"), ("knn", "tightest", "kde"))[
        number % 4
    ]
    n = int(rng.choice((FEWEST - 1, FEWEST, FEWEST, 220)))
    bounded = rng.random() < 0.5

    def supports(looks: float, n_generated: int) -> Supports:
        size = n + n_generated
        far = np.where(np.arange(size) < n, *rng.uniform(0.5, 1.5, 2)) * looks
        odds = np.exp(rng.normal(np.where(np.arange(size) < n, far, -far)))
        return Supports(rng.poisson(odds, size), rng.poisson(1.0, size), n)

    def checkpoint(name: str, looks: float) -> list[MeasuredCheckpoint]:
        n_generated = int(rng.choice((n, n + 20)))
        return [
            MeasuredCheckpoint(
                checkpoint=Checkpoint(Path(name), name, None if name == "a" else len(name)),
                estimate=Estimate(each, 3, None, (supports(looks, n_generated),)),
                n_real=2 * n,
                n_generated=2 * n_generated,
                seconds=1.0,
                digests=PairDigests("real", name),
                own_bound=(
                    PRCurve.from_error_rates([0.0], [rng.uniform(0.0, 0.6)])
                    if each == "tightest" and bounded
                    else None
                ),
            )
            for each in methods
        ]

    low, high = ((0.0, 0.4), (2.0, 3.0), (0.0, 3.0))[number // 4 % 3]
    found = {
        name: checkpoint(name, rng.uniform(low, high))
        for name in ("a", "bb", "c", "dd", "e", "ff", "g")[: int(rng.choice((1, 2, 3, 6, 7)))]
    }
    measured = [each for some in found.values() for each in some]
    if rng.random() < 0.2 and len(found) > 1:
        del measured[0]
    copied = [name for name in found if rng.random() < 0.2]
    real, shuffled = (
        {each.method: each for each in checkpoint(name, looks)}
        for name, looks in (("real", low), ("shuffled", rng.choice((low, 3.0))))
    )
    known = Yardstick(real, shuffled, "halves", str(rng.choice(("", "x"))))
    apart = {name: bool(rng.random() < 0.5) for name in found if rng.random() < 0.8}
    basis = basis_of(measured, methods[-1] if rng.random() < 0.2 else None)
    result = judge(
        measured,
        float(rng.choice((0.0, 0.3, 0.5, 1.0))),
        aside=Aside(copied, apart, known if rng.random() < 0.7 else None),
        replicates=9,
        basis=basis,
    )
    lines = result.table.to_dict("records")
    texts = [(marks(result.decision.best, line), draws_text(line)) for line in lines]
    summed = [summaries_of_one(some) for some in found.values()]
    return [result, result.apart.sentence, texts, believed_areas(measured), summed]


def details() -> Iterator[Call]:
    """What tables say of checkpoints, many of them wrongly."""
    rng = np.random.default_rng(17)
    cells = ("a", "b", "run/a", "a.npy", "c", "1", "2.5", "", "nan", "x", " 3 ", "1e3")
    names = ("file", "step", "run", "scale", "loss", "", "file")
    checkpoint = {Path("run/a.npy"): "a", Path("run/b.npy"): "b", Path("other/c.npy"): "c"}
    for number in range(60):
        head = [
            "file",
            *(names[int(each)] for each in rng.integers(1, len(names), int(rng.integers(0, 3)))),
        ]
        rows = [
            [
                cells[number % 2 + place] if not place else cells[int(rng.integers(5, 12))]
                for place in range(len(head))
            ]
        ]
        rows += [
            [cells[int(each)] for each in rng.integers(0, len(cells), len(head))]
            for _ in range(int(rng.integers(3)))
        ]
        text = "\n".join(",".join(row) for row in [head, *rows[: 1 + number % 3]])
        yield f"details {number}", partial(details_in, text, checkpoint)


def details_in(text: str, checkpoint: Mapping[Path, str]) -> Any:
    with tempfile.TemporaryDirectory() as name:
        Path(name, "about.csv").write_text(text)
        return details_of(Path(name, "about.csv"), checkpoint)


def words() -> Iterator[Call]:
    """What is read from names, and lists and shares in words."""
    names = (
        "step-100",
        "epoch=3-step=1_200",
        "model_50k",
        "run2",
        "ckpt-0005",
        "10kimg",
        "a1.5",
        "epoch 2 step 7",
        "x",
    )
    yield "steps", lambda: [step_of(each) for each in names]
    yield "natural", lambda: sorted(names, key=natural)
    yield (
        "prefix",
        lambda: [
            common_prefix(each)
            for each in (["a-1", "a-12"], ["ab", "abc"], ["x"], ["step-10", "step-1"])
        ],
    )
    yield "lists", lambda: [listed(list("abcdefg")[:n]) for n in (1, 2, 3, 7)]
    yield (
        "shares",
        lambda: [share_text(each) for each in (0.0, 0.004, 0.01, 0.5, 0.994, 0.999, 1.0)],
    )
    yield (
        "opposite",
        partial(
            reported.opposite_pairs, list("abcd"), [1.0, 1.04, 1.06, 1.0], [0.3, -0.2, -0.5, -0.1]
        ),
    )
    yield (
        "agreement",
        partial(
            reported.rank_agreement,
            {"a": [1, 2, 3, 4], "b": [2, 1, math.nan, 4], "c": [1, 1, 1, 1]},
        ),
    )


def memorised(pair: SamplePair, held: Samples | None) -> Any:
    found = memorisation(pair.real, pair.generated, held_out_distances(pair.real, held))
    return [found, copies_text(found), found.memorised]


def classes_of(pair: SamplePair) -> Any:
    mine = labels(pair.real)
    theirs = labels(pair.generated)
    found = [by_class(pair.real, pair.generated, mine, each, k=3) for each in (None, theirs)]
    texts = [class_sentence(each) for shares in found for each in shares]
    return [found, texts, apart_text(mine, [f"x{each}" for each in theirs], "a", "b")]


GROUPS: dict[str, Callable[[], Iterator[Call]]] = {
    "curves": curves,
    "estimators": estimators,
    "measures": measures,
    "uncertainty": uncertainty,
    "triage": triage,
}


def code(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:5]


def codes(group: str) -> list[str]:
    """The code of each call, sixteen a line."""
    found = [code(said(call)) for _, call in GROUPS[group]()]
    return [" ".join(found[start : start + 16]) for start in range(0, len(found), 16)]


def of_number(group: str, number: int) -> str:
    name, call = list(GROUPS[group]())[number]
    return f"{name}\n{said(call)}"


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(of_number(sys.argv[1], int(sys.argv[2])) + "\n")
    else:
        FILE.write_text(json.dumps({group: codes(group) for group in GROUPS}, indent=0) + "\n")
