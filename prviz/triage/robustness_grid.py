"""Rows that measure the robustness of a verdict: families, k, shares of the samples and draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import K
from prviz.measure.workload import fit_size
from prviz.triage.checkpoint_evaluator import LEAST_ROWS
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings

__all__ = ["RobustnessRow", "check_shares", "groups", "ks_of", "least", "part", "rows_of", "usual_ks", "usual_shares"]

# Default number of k, and default shares of the samples.
_KS = 7
_SHARES = (1 / 8, 1 / 4, 1 / 2)


class RobustnessRow(NamedTuple):
    """One row: a family at a k on a share of the samples; repeat numbers the draws of that share from 0."""

    method: str
    k: int | None
    share: float = 1.0
    repeat: int = 0


def usual_ks(n: int, settings: TriageSettings) -> tuple[int, ...]:
    """Seven k from 1 to 2 sqrt(n), or as far as the split allows, even on a log scale, the one in use among them.

    n : size of the smallest set.
    """
    most = fit_size(n, settings.split) - 1
    top = max(min(2 * math.isqrt(n), most), 1)
    found = sorted({round(k) for k in np.geomspace(1, top, _KS).tolist()})
    used = math.isqrt(n) if settings.k == "sqrt" else int(settings.k)
    if not 1 <= used <= most:
        return tuple(found)
    inner = [k for k in found if k not in (1, top)]  # the ends stay, the nearest of the others makes room
    if 1 < used < top and inner:
        found.remove(min(inner, key=lambda k: abs(math.log(k / used))))
    return tuple(sorted({*found, used}))


def usual_shares(n: int, settings: TriageSettings, offered: Sequence[float] = _SHARES) -> tuple[float, ...]:
    """The offered shares that leave enough of a set of n samples."""
    return tuple(share for share in offered if not _too_small(round(share * n), settings))


def groups(methods: Sequence[str]) -> list[list[str]]:
    """Families grouped into those that share a pass, and each of the others by itself."""
    together = [each for each in methods if ESTIMATORS[each].shares_pass]
    return [*([together] if together else []), *([each] for each in methods if each not in together)]


def part(sizes: tuple[int, int], share: float) -> tuple[int, int]:
    """Numbers of real and generated samples in a share."""
    return round(share * sizes[0]), round(share * sizes[1])


def rows_of(
    group: Sequence[str],
    settings: TriageSettings,
    sizes: tuple[int, int],
    wanted: Sequence[int] | Sequence[tuple[float, int]],
) -> Iterator[RobustnessRow]:
    """The rows of a group: every k on whole sets, or the k in use for draws (share, repeat)."""
    for each in wanted:
        for method in group:
            tuned = _tunes_k(method, settings)
            if isinstance(each, tuple):
                share, repeat = each
                k = math.isqrt(min(part(sizes, share))) if settings.k == "sqrt" else int(settings.k)
                yield RobustnessRow(method, k if tuned else None, share, repeat)
            elif tuned or each == wanted[0]:
                yield RobustnessRow(method, each if tuned else None)


def least(measured: Sequence[MeasuredCheckpoint]) -> int:
    """Size of the smallest set."""
    return min(min(each.n_real, each.n_generated) for each in measured)


def ks_of(measured: Sequence[MeasuredCheckpoint], settings: TriageSettings, ks: Sequence[K]) -> list[int]:
    """Every k as a number, and those in use."""
    sizes = {(each.n_real, each.n_generated) for each in measured}
    most = fit_size(least(measured), settings.split) - 1
    found = set()
    for k in (*ks, settings.k):
        numbers = {math.isqrt(min(size)) for size in sizes} if k == "sqrt" else {k}
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
                raise ValueError(f'ks has {number!r}; whole numbers from 1 to {most} or "sqrt" are needed')
        found |= numbers
    return sorted(int(k) for k in found)


def check_shares(measured: Sequence[MeasuredCheckpoint], settings: TriageSettings, shares: Sequence[float]) -> None:
    """Raise ValueError for shares that leave too few samples of a set, or too few for the k in use."""
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
            raise ValueError(f"shares has {share!r}; numbers between 0 and 1 (both excluded) are needed")
        left = min(min(part((each.n_real, each.n_generated), share)) for each in measured)
        if reason := _too_small(left, settings):
            raise ValueError(f"shares has {share:g}, {reason}")


def _too_small(left: int, settings: TriageSettings) -> str:
    """The reason why `left` samples of a set are not enough; empty if they are."""
    if left < LEAST_ROWS:
        return f"which leaves {left} samples of a set; {LEAST_ROWS} are needed"
    most = fit_size(left, settings.split) - 1
    if settings.k != "sqrt" and settings.k > most and any(_tunes_k(each, settings) for each in settings.methods):
        return f"where k is at most {most}; {settings.k} is in use"
    return ""


def _tunes_k(method: str, settings: TriageSettings) -> bool:
    tunes = ESTIMATORS[method].tunes
    return tunes == "k" or (tunes == "bandwidth" and settings.bandwidth is None)
