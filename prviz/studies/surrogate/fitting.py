"""Gaussians and Gaussian mixtures fitted to a set: components by BIC, covariances shrunk where samples are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Floats
from prviz.estimators._fitting import one_thread
from prviz.measure.estimates import Progress
from prviz.neighbors.threads import part_of
from prviz.studies.surrogate.densities import Density, blocks
from prviz.studies.tasks import check_whole

Fit = Literal["gaussian", "mixture"]
Covariance = Literal["full", "tied", "diag"]

MOST_COMPONENTS = 50
# Samples per direction below which a covariance is shrunk.
FEW_PER_DIRECTION = 10
# Most samples that EM runs on, a seeded draw; weights, means and covariances come from all samples.
_MOST_LEARNT = 10_000
# Starts of EM if a step takes fewer products than the second number; otherwise one start.
_STARTS = 3
_QUICK = 20_000_000
_MOST_STEPS = 1000
# Numbers of components above the best one that are tried without improvement before the search
# ends.
_PATIENCE = 2


@dataclass(frozen=True)
class FitOptions:
    """The kind of density fitted to each set.

    fit : one Gaussian, or a mixture of 1 to ``most_components``.
    covariance : "full": one for each component; "tied": one for all components, and for a single
    Gaussian one for both
        sets; "diag": uncorrelated principal components.
    seed : seed of the mixture's starts.

    Raises ValueError for other values.
    """

    fit: Fit = "gaussian"
    covariance: Covariance = "full"
    most_components: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, legal in (
            ("fit", self.fit, get_args(Fit)),
            ("covariance", self.covariance, get_args(Covariance)),
        ):
            if value not in legal:
                raise ValueError(f"{name} = {value!r}; one of {', '.join(legal)} is needed")
        check_whole("most_components", self.most_components, 1)
        check_whole("seed", self.seed, 0)
        if self.most_components > MOST_COMPONENTS:
            raise ValueError(
                f"most_components = {self.most_components}; 1 to {MOST_COMPONENTS} is needed"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The options that the fit depends on."""
        both: dict[str, Any] = {"fit": self.fit, "covariance": self.covariance}
        if self.fit == "gaussian":
            return both
        return both | {"most_components": self.most_components, "seed": self.seed}


class _Sound(NamedTuple):
    """An invertible covariance, with its shrinkage and its number of raised directions: see `Density`."""

    covariance: Floats
    shrinkage: float
    raised: int


def oas(covariance: Floats, n: float) -> tuple[Floats, float]:
    """The covariance (d, d) of n samples, shrunk to a sphere of the same trace: (1 - s) S + s (trace S / d) I, and s.

    s is the oracle approximating shrinkage, without the terms in 1 / d, as in scikit-learn. Source:
    Chen, Wiesel, Eldar, Hero 2010, equation 23.
    """
    d = len(covariance)
    spread = float((covariance**2).mean())
    mean = float(np.trace(covariance)) / d
    gap = (n + 1.0) * (spread - mean**2 / d)
    share = 1.0 if gap <= 0 else min((spread + mean**2) / gap, 1.0)
    return (1 - share) * covariance + share * mean * np.eye(d), share


def fit_density(
    values: Floats,
    options: FitOptions,
    least: float,
    among: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Density:
    """A Gaussian or a mixture for values (n, d), by maximum likelihood.

    A mixture has the number of components with the lowest BIC: -2 log likelihood + parameters * log
    n. Of full covariances, only numbers are tried that leave each at least 2 (d + 1) samples; of
    others, 4.

    Parameters
    ----------
    least : the least variance of a direction; where the set varies less, it gets this one.
    among : numbers of components to choose from; None: 1 to ``options.most_components``.
    progress : called with the share of these that were tried; may raise to stop.
    """
    with one_thread():
        if options.fit == "gaussian":
            return _from_shares(values, np.ones((len(values), 1)), options.covariance, least)
        return _best(
            values, options, least, among or range(1, options.most_components + 1), progress
        )


def fit_tied_pair(real: Floats, generated: Floats, least: float) -> tuple[Density, Density]:
    """Two Gaussians of one covariance: that of both sets together around their own means."""
    sets = (real, generated)
    with one_thread():
        moments = [_moments(values, np.ones(len(values))) for values in sets]
        n = len(real) + len(generated)
        pooled = (
            sum(len(values) * scatter for values, (_, scatter) in zip(sets, moments, strict=True))
            / n
        )
        sound = _full(np.asarray(pooled), n, least)
    first, second = (
        Density(np.ones(1), mean[None], sound.covariance[None], None, sound.shrinkage, sound.raised)
        for mean, _ in moments
    )
    return first, second


# ---- the number of components ----


def _best(
    values: Floats,
    options: FitOptions,
    least: float,
    among: Sequence[int],
    progress: Progress | None,
) -> Density:
    found: dict[int, Density] = {}
    bic: dict[int, float] = {}
    different = len(np.unique(values[_learnt(values, options)], axis=0))
    for tried, count in enumerate(each for each in among if each <= different):
        part_of(progress, tried, len(among))(0.0)
        density = _candidate(values, count, options, least)
        if density is None:
            continue
        found[count], bic[count] = density, _bic(density, values, options.covariance)
        best = min(bic, key=lambda each: bic[each])
        if len([each for each in bic if each > best]) >= _PATIENCE:
            break
    if not found:  # too few values for the requested number of components
        return _candidate(values, 1, options, least) or _from_shares(
            values, np.ones((len(values), 1)), "full", least
        )
    best = min(bic, key=lambda each: bic[each])
    chosen = found[best]
    return Density(
        chosen.weights,
        chosen.means,
        chosen.covariances,
        chosen.uses,
        chosen.shrinkage,
        chosen.raised,
        bic,
    )


def _candidate(values: Floats, count: int, options: FitOptions, least: float) -> Density | None:
    """The mixture of so many components; None: a component would have too few samples."""
    n, d = values.shape
    if count == 1:
        return _from_shares(values, np.ones((n, 1)), options.covariance, least)
    needed = 2 * (d + 1) if options.covariance == "full" else 4
    if n < count * needed or float(values.var(axis=0).max()) <= least:
        return None
    shares = _shares(values, count, options)
    if shares.sum(axis=0).min() < needed:
        return None
    return _from_shares(values, shares, options.covariance, least)


def _shares(values: Floats, count: int, options: FitOptions) -> Floats:
    """(n, m) probability that each sample comes from each component, by EM."""
    from sklearn.mixture import GaussianMixture

    scale = float(np.sqrt(values.var(axis=0).mean()))
    rows = _learnt(values, options)
    products = (
        len(rows)
        * count
        * values.shape[1]
        * (1 if options.covariance == "diag" else values.shape[1])
    )
    model: Any = GaussianMixture(
        count,
        covariance_type=options.covariance,
        n_init=_STARTS if products < _QUICK else 1,
        max_iter=_MOST_STEPS,
        random_state=options.seed,
    )
    with one_thread():  # on a busy machine more take longer for products this small
        model.fit(values[rows] / scale)
    return np.concatenate(
        [model.predict_proba(values[some] / scale) for some in blocks(*values.shape)]
    )


def _learnt(values: Floats, options: FitOptions) -> NDArray[np.intp]:
    """The rows that EM sees."""
    return np.sort(np.random.default_rng(options.seed).permutation(len(values))[:_MOST_LEARNT])


def _bic(density: Density, values: Floats, covariance: Covariance) -> float:
    m, d = density.means.shape
    one = d if covariance == "diag" else d * (d + 1) // 2
    parameters = m - 1 + m * d + one * (1 if covariance == "tied" else m)
    return float(-2 * density.log_density(values).sum() + parameters * np.log(len(values)))


# ---- from shares to moments ----


def _from_shares(values: Floats, shares: Floats, covariance: Covariance, least: float) -> Density:
    """The mixture whose components hold these shares (n, m) of the samples."""
    sizes = shares.sum(axis=0)
    moments = [_moments(values, column) for column in shares.T]
    means = np.stack([mean for mean, _ in moments])
    scatters = [scatter for _, scatter in moments]
    weights = sizes / sizes.sum()
    uses = None
    if covariance == "diag":
        variances = [np.diagonal(scatter) for scatter in scatters]
        sound = [
            _Sound(np.maximum(each, least), 0.0, int((each < least).sum())) for each in variances
        ]
    else:
        tied = _full(np.einsum("j,jab->ab", weights, np.stack(scatters)), float(sizes.sum()), least)
        if covariance == "tied" or len(weights) == 1:
            sound = [tied]
            uses = np.zeros(len(weights), dtype=np.intp)
        else:
            sound = [
                _of_component(*each, tied, least) for each in zip(scatters, sizes, strict=True)
            ]
    shrinkage = max(each.shrinkage for each in sound)
    raised = max(each.raised for each in sound)
    return Density(
        weights, means, np.stack([each.covariance for each in sound]), uses, shrinkage, raised
    )


def _moments(values: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Mean (d,) and covariance (d, d) of the samples, weighted by their shares (n,)."""
    total = shares.sum()
    mean = shares @ values / total
    scatter = np.zeros((values.shape[1], values.shape[1]))
    for rows in blocks(*values.shape):
        gap = values[rows] - mean
        scatter += (gap * shares[rows, None]).T @ gap
    return mean, scatter / total


def _full(covariance: Floats, n: float, least: float) -> _Sound:
    """Shrunk to a sphere where n is small for d, then widened where it is too narrow."""
    share = 0.0
    if n < FEW_PER_DIRECTION * len(covariance):
        covariance, share = oas(covariance, n)
    return _widened(covariance, share, least)


def _of_component(covariance: Floats, n: float, tied: _Sound, least: float) -> _Sound:
    """The covariance of one component of several, shrunk to the mean covariance of all where n is small for d.

    The mean counts as d + 2 samples. Source: Friedman 1989; the number is that of Fraley, Raftery
    2007, section 3.
    """
    d = len(covariance)
    share = 0.0
    if n < FEW_PER_DIRECTION * d:
        share = (d + 2) / (n + d + 2)
        covariance = (1 - share) * covariance + share * tied.covariance
    return _widened(covariance, max(share, tied.shrinkage), least)


def _widened(covariance: Floats, share: float, least: float) -> _Sound:
    """The covariance with at least this variance in every direction."""
    covariance = (covariance + covariance.T) / 2
    values, vectors = np.linalg.eigh(covariance)
    narrow = values < least
    if narrow.any():
        covariance = (vectors * np.maximum(values, least)) @ vectors.T
    return _Sound((covariance + covariance.T) / 2, share, int(narrow.sum()))
