"""prviz: exact precision-recall curves of generative models.

The public names load on first use, so that ``import prviz`` stays cheap. Roles keep one order everywhere:
``real`` first, ``generated`` second.

>>> import prviz
>>> real, generated = prviz.toy("mixtures").sample(1000, seed=0)
>>> curve = prviz.pr_curve(real, generated, method="knn")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not on first use: importing the submodules of these names would put the modules in the functions' place.
from prviz.preflight import preflight as preflight
from prviz.scalars import scalars as scalars

if TYPE_CHECKING:
    from prviz.approximation import Approximation as Approximation
    from prviz.approximation import approximate as approximate
    from prviz.bundled import bundled_pair as bundled_pair
    from prviz.curves import Comparison as Comparison
    from prviz.curves import ErrorRates as ErrorRates
    from prviz.curves import PRCurve as PRCurve
    from prviz.discrete import discrete_curve as discrete_curve
    from prviz.estimators import ESTIMATORS as ESTIMATORS
    from prviz.estimators import register as register
    from prviz.estimators.classifier import classifier_curve as classifier_curve
    from prviz.evaluate import estimate as estimate
    from prviz.evaluate import pr_curve as pr_curve
    from prviz.paired import GeneratorComparison as GeneratorComparison
    from prviz.paired import compare as compare
    from prviz.profiles import Profile as Profile
    from prviz.profiles import profile as profile
    from prviz.readers import ReadError as ReadError
    from prviz.readers import read as read
    from prviz.readers import read_pair as read_pair
    from prviz.samples import SamplePair as SamplePair
    from prviz.samples import Samples as Samples
    from prviz.samples import Split as Split
    from prviz.scalars import rarity as rarity
    from prviz.scalars import realism as realism
    from prviz.sweeps import sweep as sweep
    from prviz.toys import TOYS as TOYS
    from prviz.toys import toy as toy
    from prviz.uncertainty import Spread as Spread
    from prviz.uncertainty import bootstrap as bootstrap
    from prviz.uncertainty import spread as spread

__version__ = "0.1.0"

_HOME = {
    "Approximation": "approximation",
    "Comparison": "curves",
    "ErrorRates": "curves",
    "PRCurve": "curves",
    "ESTIMATORS": "estimators",
    "GeneratorComparison": "paired",
    "ReadError": "readers",
    "SamplePair": "samples",
    "Samples": "samples",
    "Split": "samples",
    "Spread": "uncertainty",
    "TOYS": "toys",
    "approximate": "approximation",
    "bootstrap": "uncertainty",
    "bundled_pair": "bundled",
    "classifier_curve": "estimators.classifier",
    "compare": "paired",
    "discrete_curve": "discrete",
    "estimate": "evaluate",
    "Profile": "profiles",
    "profile": "profiles",
    "pr_curve": "evaluate",
    "rarity": "scalars",
    "read": "readers",
    "read_pair": "readers",
    "realism": "scalars",
    "register": "estimators",
    "spread": "uncertainty",
    "sweep": "sweeps",
    "toy": "toys",
}

__all__ = sorted([*_HOME, "__version__", "preflight", "scalars"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'prviz' has no attribute {name!r}")
    value = getattr(import_module(f"prviz.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
