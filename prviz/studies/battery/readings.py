"""Two numbers for a pair of samples, fidelity and diversity: published scores, and points of a curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.studies.battery.scores import SCORES

__all__ = ["DEFAULT_READINGS", "LAMS", "NUMBERS", "READINGS", "Reading", "curve_numbers", "family_readings"]

Numbers: TypeAlias = tuple[float, float]

LAMS = (1, 3, 10, 100, 1000)
_SCORE = "score"


@dataclass(frozen=True)
class _At:
    """A number read off a curve."""

    label: str
    pair: tuple[str, str]
    of: Callable[[PRCurve], Numbers]


def _ray(lam: float) -> _At:
    """alpha(lam), and beta(1 / lam) as its mirror."""
    share = "1" if lam == 1 else f"1/{lam:g}"
    pair = (f"α({lam:g})", f"β({share})")
    return _At(" and ".join(pair), pair, lambda curve: (curve.alpha(float(lam)), curve.beta(1.0 / lam)))


def _f8(curve: PRCurve) -> Numbers:
    return curve.f_score(8.0, leaning="precision"), curve.f_score(8.0, leaning="recall")


_ATS: dict[str, _At] = {
    **{f"{lam:g}": _ray(lam) for lam in LAMS},
    "ends": _At("extremes", ("α∞", "β0"), lambda curve: (curve.extreme_precision, curve.extreme_recall)),
    "f8": _At("F8 both ways", ("F8 to precision", "F8 to recall"), _f8),
    "auc": _At("AuC", ("AuC", "AuC"), lambda curve: (curve.auc, curve.auc)),
}

# The columns of a row that hold numbers: of a score, and of each reading of a curve.
NUMBERS = tuple(f"{at}_{side}" for at in (_SCORE, *_ATS) for side in ("fidelity", "diversity"))


@dataclass(frozen=True)
class Reading:
    """One way to read fidelity and diversity off a pair of samples.

    label : on screen. pair : labels of the two numbers. method : what is measured, a name in ESTIMATORS or in SCORES.
    at : the point of its curve; "score": the published pair itself.
    """

    name: str
    label: str
    pair: tuple[str, str]
    method: str
    at: str

    @property
    def columns(self) -> tuple[str, str]:
        """Columns of its two numbers in a row of its method."""
        return f"{self.at}_fidelity", f"{self.at}_diversity"

    @property
    def of_curve(self) -> bool:
        """Whether it reads a curve."""
        return self.at != _SCORE


def curve_numbers(curve: PRCurve) -> dict[str, float]:
    """Every reading of one curve, by column."""
    found = {}
    for name, at in _ATS.items():
        found[f"{name}_fidelity"], found[f"{name}_diversity"] = map(float, at.of(curve))
    return found


def family_readings(methods: Iterable[str] | None = None) -> list[str]:
    """Names of all readings of these families; None: of the default ones."""
    names = DEFAULT_METHODS if methods is None else methods
    return [f"{method}@{at}" for method in names for at in _ATS]


class _Readings(Mapping[str, Reading]):
    """All readings by name: the published pairs, then "family@point" for every family there is when asked."""

    def __getitem__(self, name: str) -> Reading:
        if name in SCORES:
            return Reading(name, SCORES[name].label, SCORES[name].pair, name, _SCORE)
        method, _, at = name.partition("@")
        if method not in ESTIMATORS or at not in _ATS:
            raise KeyError(name)
        return Reading(name, f"{ESTIMATORS[method].title}, {_ATS[at].label}", _ATS[at].pair, method, at)

    def __iter__(self) -> Iterator[str]:
        return iter([*SCORES, *family_readings(ESTIMATORS)])

    def __len__(self) -> int:
        return len(SCORES) + len(ESTIMATORS) * len(_ATS)


READINGS: Mapping[str, Reading] = _Readings()

# Each published pair, and each default family where its curve does best on the truth.
DEFAULT_READINGS = (*SCORES, *(f"{method}@10" for method in DEFAULT_METHODS))
