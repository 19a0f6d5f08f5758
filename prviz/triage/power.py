"""Power of the findings: how often faults that are planted in a half of the reference are named.

"Nothing found" means little where little could be found. So each fault is put into a random half of
the reference, of at most MOST samples, that half is compared with the other one, and the share of
tries that name the fault is its power. A half is smaller than the reference, so the power at full
size is rather higher.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from prviz.arrays import Flags, Floats, Rng
from prviz.diagnostics.preflight import preflight
from prviz.measure.estimates import Progress
from prviz.samples import SamplePair, Samples
from prviz.triage.finding import Plant, percent
from prviz.triage.findings import LEAST, sample_faults
from prviz.triage.pair_statistics import cluster_of, clusters

# Fewest tries per fault for a share.
FEWEST = 5
# Most samples per set: more would take minutes.
MOST = 2000


class Power(NamedTuple):
    """How often a planted fault was found.

    fault : the fault in words, with the share of the samples that it changed (the mean over the
        tries).
    key : key of the finding that names the fault. named, tries : number of tries with that finding,
        borderline or not, and of all tries.
    size : number of samples per set.
    """

    fault: str
    key: str
    named: int
    tries: int
    size: int

    @property
    def share(self) -> float:
        """Share of the tries that named the fault."""
        return self.named / self.tries


def power(
    real: Samples,
    *,
    tries: int = 20,
    seconds: float = 10.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Power, ...]:
    """How often faults of known size would be found with this reference; () where it has too few
    samples.

    Parameters
    ----------
    real : Samples
        The reference.
    tries : int
        Random halves, the same for all faults.
    seconds : float
        Time after which no further half is tried, once there are 5.
    seed : int
        Seed of the random halves and of the planted faults.
    progress : callable, optional
        Called with the share of the tries that are done.

    Returns
    -------
    tuple of Power
        One per fault of `PLANTED`, and real against real, whose ``named`` counts false alarms.
    """
    real = real.one_of_each_group(seed)
    size = min(real.n // 2, MOST)
    if size < LEAST:
        return ()
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    named = dict.fromkeys(PLANTED, 0)
    changed = dict.fromkeys(PLANTED, 0.0)
    done = 0
    for done in range(1, tries + 1):
        if progress is not None:
            progress((done - 1) / tries)
        order = rng.permutation(real.n)
        reference, fresh = (
            real.values[rows].astype(float) for rows in (order[:size], order[size : 2 * size])
        )
        for fault, (key, plant) in PLANTED.items():
            values = plant(fresh, reference, rng)
            changed[fault] += _changed(fresh, values)
            pair = SamplePair(Samples(reference), Samples(values))
            keys = [finding.key for finding in sample_faults(pair, preflight(pair).facts)]
            if key:
                named[fault] += key in keys
            else:
                named[fault] += bool(keys)
        if time.monotonic() > end and done >= FEWEST:
            break
    return tuple(
        Power(fault.format(percent(changed[fault] / done)), PLANTED[fault][0], number, done, size)
        for fault, number in named.items()
    )


def _changed(fresh: Floats, values: Floats) -> float:
    """Share of the samples that a fault removed or changed."""
    if len(values) < len(fresh):
        return 1 - len(values) / len(fresh)
    return float(np.mean((values != fresh).any(axis=1)))


def _mode(values: Floats, share: float, rng: Rng) -> Flags:
    """True for the rows of the cluster whose size is closest to this share of the samples."""
    cluster = cluster_of(
        values, clusters(values, max(2, round(1 / share)), int(rng.integers(2**31)))
    )
    shares = np.bincount(cluster) / len(values)
    return np.asarray(cluster == np.argmin(np.abs(shares - share)))


def _dropped(share: float) -> Plant:
    return lambda fresh, _, rng: fresh[~_mode(fresh, share, rng)]


def _invented(share: float) -> Plant:
    def plant(fresh: Floats, _: Floats, rng: Rng) -> Floats:
        chosen = _mode(fresh, share, rng)
        aside = rng.normal(size=fresh.shape[1]) * fresh.std(axis=0)
        aside *= 2 * np.sqrt(fresh.var(axis=0).sum()) / np.linalg.norm(aside)
        return np.where(chosen[:, None], fresh + aside, fresh)

    return plant


def _copied(share: float) -> Plant:
    """A fault: some rows are replaced by rows of the reference, moved by a thousandth of each
    feature's spread.
    """

    def plant(fresh: Floats, reference: Floats, rng: Rng) -> Floats:
        chosen = np.flatnonzero(rng.random(len(fresh)) < share)
        found = fresh.copy()
        found[chosen] = reference[rng.choice(len(reference), len(chosen))]
        found[chosen] += (
            1e-3 * reference.std(axis=0) * rng.normal(size=(len(chosen), reference.shape[1]))
        )
        return found

    return plant


PLANTED: Mapping[str, tuple[str, Plant]] = {
    "nothing": ("", lambda fresh, *_: fresh),
    "a dropped mode, {} of the samples": ("dropping", _dropped(0.05)),
    "a larger dropped mode, {} of the samples": ("dropping", _dropped(0.1)),
    "an invented mode, {} of the samples": ("invention", _invented(0.05)),
    "a spread of 0.9 times the real one": (
        "narrow",
        lambda fresh, *_: 0.9 * fresh + 0.1 * fresh.mean(axis=0),
    ),
    "near copies, {} of the samples": ("near_copies", _copied(0.1)),
}
"""Faults that are planted: in words, {} for their share; the key of the finding that names them, ""
if none may.
"""
