"""The metrics of the battery: ways to compute fidelity and diversity from a pair of samples.

They are published pairs of scores, and points of a precision-recall curve. The published pairs have
the hyperparameters of the sanity battery:

    i-prec/i-rec      precision and recall, k = 3
    density/coverage  k as the smallest number up to 20 with an expected coverage above 0.95
                      for P = Q: 5 for 1000 samples
    c-prec/c-rec      C = 3, k growing with ln n: 5 for 1000 samples; see `_score` for their order
    symprec/symrec    minimum of precision and its mirrored coverage, and of recall and coverage;
                      k = 5, open balls
    p-prec/p-rec      k = 4, a = 1.2

Balls are closed unless stated otherwise. Formulas are those of `prviz.scalars`. The battery's pair
of one-class networks is not measured.

Other reported numbers, scaled to be 1 where both sets are equal. A number about diversity alone has
no fidelity, and a distance counts for both:

    clipped           Clipped Density and Coverage, k = 5
    fd                2 Phi(-sqrt(FD) / 2): the overlap of two standard Gaussians with this FD
    kid               1 - KID / (mean of k(x, x') + mean of k(y, y'))
    vendi, rke        value of the generated set over that of the real set; bandwidth of RKE as in
                      `prviz.scalars`

Source: Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), public code.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.estimators.eas import EAS
from prviz.estimators.ipr import IPR
from prviz.estimators.ppr import chances, tent_radius
from prviz.estimators.prc import COVER, cover_balls
from prviz.measure.balls import open_radii, own_radii
from prviz.measure.clipped import clipped
from prviz.measure.frechet import frechet
from prviz.measure.kernel_scores import half_spread, kernel_share, rke, vendi
from prviz.measure.scalars import contained, share
from prviz.neighbors import BallCounts, Balls, Distances
from prviz.neighbors.point_sets import RowView
from prviz.samples import SamplePair

Pair: TypeAlias = tuple[float, float]

_I_K = 3
_SYM_K = 5
_P_K = 4
_P_WIDTH = 1.2
_MOST_K = 20


class Score(NamedTuple):
    """A published pair of scores: its label, the labels of its two numbers, and its source."""

    label: str
    pair: tuple[str, str]
    source: str


SCORES: dict[str, Score] = {
    "i-prec/i-rec": Score(
        "improved precision and recall", ("I-Prec", "I-Rec"), "Kynkäänniemi et al. 2019"
    ),
    "density/coverage": Score("density and coverage", ("Density", "Coverage"), "Naeem et al. 2020"),
    "c-prec/c-rec": Score("precision and recall cover", ("C-Prec", "C-Rec"), "Cheema, Urner 2023"),
    "symprec/symrec": Score(
        "symmetric precision and recall", ("symPrec", "symRec"), "Khayatkhoei, AbdAlmageed 2023"
    ),
    "p-prec/p-rec": Score(
        "probabilistic precision and recall", ("P-Prec", "P-Rec"), "Park, Kim 2023"
    ),
}

REPORTED: dict[str, Score] = {
    "clipped": Score(
        "Clipped Density and Coverage", ("Clipped D.", "Clipped C."), "Salvy, Talbot, Thirion 2025"
    ),
    "fd": Score("Fréchet distance", ("FD, fidelity", "FD, diversity"), "Heusel et al. 2017"),
    "kid": Score("Kernel distance", ("KID, fidelity", "KID, diversity"), "Binkowski et al. 2018"),
    "vendi": Score("Vendi ratio", ("", "Vendi"), "Friedman, Dieng 2023"),
    "rke": Score("RKE ratio", ("", "RKE"), "Jalali, Li, Farnia 2023"),
}

# All metrics that are not points of a curve.
SCALARS = SCORES | REPORTED


def coverage_k(n: int) -> int:
    """The smallest k <= 20 with 1 - prod over i = 1 .. k of (n - i) / (2 n - i) > 0.95.

    At most n - 1.
    """
    missed = 1.0
    for k in range(1, min(_MOST_K, n - 1) + 1):
        missed *= (n - k) / (2 * n - k)
        if 1.0 - missed > 0.95:
            return k
    return min(_MOST_K, n - 1)


def c_pair_k(n: int) -> int:
    """int(int(ln n + 7) / 3 + 1): 4 for 100 samples, 5 for 1000, 6 for 10,000."""
    return int(int(math.log(n) + 7.0) / COVER + 1.0)


def measure_scores(pair: SamplePair, names: Collection[str]) -> dict[str, Pair]:
    """(fidelity, diversity) of each of ``names``.

    All scores with closed balls share one pass over the distances.
    """
    sizes = pair.real.n, pair.generated.n
    k = coverage_k(sizes[0])
    closed: dict[str, tuple[Balls, ...]] = {
        "i-prec/i-rec": IPR.balls(k=_I_K, bandwidth=None, sizes=sizes),
        # first the balls of iPR, for density; then those of coverage
        "density/coverage": EAS.balls(k=k, bandwidth=None, sizes=sizes),
        "c-prec/c-rec": (cover_balls(c_pair_k(sizes[0]), COVER, *sizes),),
    }
    asked = {name: closed.get(name, ()) for name in names}
    requests = list(dict.fromkeys(itertools.chain(*asked.values())))
    counts = dict[Balls, BallCounts]()
    if requests:
        counted = Distances(pair.split(None)).count(requests)
        counts = dict(zip(requests, counted, strict=True))
    return {
        name: _score(name, pair, [counts[each] for each in balls]) for name, balls in asked.items()
    }


def _score(name: str, pair: SamplePair, counts: Sequence[BallCounts]) -> Pair:
    own = {"symprec/symrec": _symmetric, "p-prec/p-rec": _probabilistic}
    if name in REPORTED:
        return _reported(name, pair)
    if name in own:
        return own[name](pair)
    n = pair.real.n
    if name == "i-prec/i-rec":
        return share(counts[0].real[n:]), share(counts[0].generated[:n])
    if name == "density/coverage":
        density = int(counts[0].real[n:].sum()) / (coverage_k(n) * pair.generated.n)
        return density, share(counts[1].generated[:n])
    # As published, fidelity and diversity are swapped in this pair: fidelity is the share of real
    # samples whose ball, which reaches to the C k-th nearest real sample, holds k generated
    # samples; diversity is the share of generated samples.
    return share(counts[0].generated[:n], c_pair_k(n)), share(counts[0].real[n:], c_pair_k(n))


def _reported(name: str, pair: SamplePair) -> Pair:
    if name == "clipped":
        return clipped(*pair, k=5)
    if name in ("fd", "kid"):
        value = math.erfc(math.sqrt(frechet(*pair) / 8)) if name == "fd" else kernel_share(pair)
        return value, value
    if name == "vendi":
        return math.nan, vendi(pair.generated) / vendi(pair.real)
    bandwidth = half_spread(pair.real)
    return math.nan, rke(pair.generated, bandwidth=bandwidth) / rke(pair.real, bandwidth=bandwidth)


def _symmetric(pair: SamplePair) -> Pair:
    radii = (open_radii(own_radii(each.values, min(_SYM_K, each.n - 1))) for each in pair)
    held = contained(pair, *radii)
    fidelity = min(share(held.real_balls), share(held.in_generated_balls))
    return fidelity, min(share(held.generated_balls), share(held.in_real_balls))


def _probabilistic(pair: SamplePair) -> Pair:
    real, generated = (RowView(each.values) for each in pair)
    sides = ((real, generated), (generated, real))
    found = [chances(asked, fit, tent_radius(fit, _P_K, _P_WIDTH)) for fit, asked in sides]
    fidelity, diversity = (math.fsum(each.tolist()) / len(each) for each in found)
    return fidelity, diversity


# ---- readings of a curve ----

LAMS = (1, 3, 10, 100, 1000)
_SCORE = "score"


class _At(NamedTuple):
    """A place on a curve where two numbers are read off, with its labels."""

    label: str
    pair: tuple[str, str]
    of: Callable[[PRCurve], Pair]


def _ray(lam: float) -> _At:
    """The place at lam: alpha(lam), and its mirror image beta(1 / lam)."""
    share = "1" if lam == 1 else f"1/{lam:g}"
    pair = (f"α({lam:g})", f"β({share})")
    return _At(
        " and ".join(pair), pair, lambda curve: (curve.alpha(float(lam)), curve.beta(1.0 / lam))
    )


def _f8(curve: PRCurve) -> Pair:
    return curve.f_score(8.0, leaning="precision"), curve.f_score(8.0, leaning="recall")


_ATS: dict[str, _At] = {
    **{f"{lam:g}": _ray(lam) for lam in LAMS},
    "ends": _At(
        "extremes", ("α∞", "β0"), lambda curve: (curve.extreme_precision, curve.extreme_recall)
    ),
    "f8": _At("F8 both ways", ("F8 to precision", "F8 to recall"), _f8),
    "auc": _At("AuC", ("AuC", "AuC"), lambda curve: (curve.auc, curve.auc)),
}

# Columns with numbers: two for a score, and two for each place on a curve.
NUMBERS = tuple(f"{at}_{side}" for at in (_SCORE, *_ATS) for side in ("fidelity", "diversity"))


@dataclass(frozen=True)
class Reading:
    """One way to get fidelity and diversity from a pair of samples.

    label : name shown to the user.
    pair : labels of fidelity and diversity; "" if the metric has no such number.
    method : the metric to measure, a name in ESTIMATORS or in SCALARS.
    at : place on the family's curve where the two numbers are read off; "score" for metrics without
    a curve.
    """

    name: str
    label: str
    pair: tuple[str, str]
    method: str
    at: str

    @property
    def columns(self) -> tuple[str, str]:
        """Columns of the row of its method in which the two numbers are."""
        return f"{self.at}_fidelity", f"{self.at}_diversity"

    @property
    def of_curve(self) -> bool:
        """True if the numbers are read off a curve."""
        return self.at != _SCORE


def curve_numbers(curve: PRCurve) -> dict[str, float]:
    """All readings of one curve, such as its area and its two ends, by column."""
    found = {}
    for name, at in _ATS.items():
        found[f"{name}_fidelity"], found[f"{name}_diversity"] = map(float, at.of(curve))
    return found


def family_readings(methods: Iterable[str] | None = None) -> list[str]:
    """Names of all readings of the given families; None: of the default families."""
    names = DEFAULT_METHODS if methods is None else methods
    return [f"{method}@{at}" for method in names for at in _ATS]


class _Readings(Mapping[str, Reading]):
    """All readings by name: published pairs, other reported scores, and "family@point" of any
    family.

    Readings of families are created when they are accessed.
    """

    def __getitem__(self, name: str) -> Reading:
        if name in SCALARS:
            return Reading(name, SCALARS[name].label, SCALARS[name].pair, name, _SCORE)
        method, _, at = name.partition("@")
        if method not in ESTIMATORS or at not in _ATS:
            raise KeyError(name)
        label = f"{ESTIMATORS[method].title}, {_ATS[at].label}"
        return Reading(name, label, _ATS[at].pair, method, at)

    def __iter__(self) -> Iterator[str]:
        return iter([*SCALARS, *family_readings(ESTIMATORS)])

    def __len__(self) -> int:
        return len(SCALARS) + len(ESTIMATORS) * len(_ATS)


READINGS: Mapping[str, Reading] = _Readings()

# The published pairs, and each default family at lam = 10, where the true curve passes most checks.
DEFAULT_READINGS = (*SCORES, *(f"{method}@10" for method in DEFAULT_METHODS))
