"""prviz: exact precision-recall curves of generative models.

The public names load on first use, so that ``import prviz`` stays cheap. Functions take the
real samples first and the generated samples second.

>>> import prviz
>>> real, generated = prviz.toy("mixtures").sample(1000, seed=0)
>>> curve = prviz.pr_curve(real, generated, method="knn")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prviz.missing import needed_for

if TYPE_CHECKING:
    from prviz.approximation.approximate import (
        Approximation as Approximation,
        approximate as approximate,
    )
    from prviz.curves import Comparison as Comparison, ErrorRates as ErrorRates, PRCurve as PRCurve
    from prviz.curves.ground_truth import discrete_curve as discrete_curve
    from prviz.diagnostics.preflight import preflight as preflight
    from prviz.diagnostics.witness import Witness as Witness, witness as witness
    from prviz.embed.lens import lens as lens
    from prviz.estimators import ESTIMATORS as ESTIMATORS, register as register
    from prviz.estimators.classifier import classifier_curve as classifier_curve
    from prviz.figures.paper import plot_matplotlib as plot_matplotlib, save as save
    from prviz.figures.shown_curves import plot as plot
    from prviz.measure.class_entropy import class_entropy as class_entropy
    from prviz.measure.clipped import clipped as clipped
    from prviz.measure.curve_conventions import paper_curve as paper_curve
    from prviz.measure.estimates import estimate as estimate, pr_curve as pr_curve
    from prviz.measure.frechet import (
        compare_frechet as compare_frechet,
        frechet_distance as frechet_distance,
    )
    from prviz.measure.kernel_scores import kid as kid, rke as rke, vendi as vendi
    from prviz.measure.profiles import Profile as Profile, profile as profile
    from prviz.measure.scalars import (
        compute_prdc as compute_prdc,
        rarity as rarity,
        realism as realism,
        scalars as scalars,
    )
    from prviz.neighbors.devices import on_device as on_device
    from prviz.notebook.widget import widget as widget
    from prviz.readers import ReadError as ReadError, read as read, read_pair as read_pair
    from prviz.readers.bundled import bundled_pair as bundled_pair
    from prviz.reports.monitor import Monitor as Monitor
    from prviz.reports.torch_metric import PRCurveMetric as PRCurveMetric
    from prviz.samples import SamplePair as SamplePair, Samples as Samples, Split as Split
    from prviz.studies.sweeps import sweep as sweep
    from prviz.toys import TOYS as TOYS, toy as toy
    from prviz.uncertainty.bootstrap import (
        Spread as Spread,
        bootstrap as bootstrap,
        spread as spread,
    )
    from prviz.uncertainty.paired import (
        GeneratorComparison as GeneratorComparison,
        SeveralGenerators as SeveralGenerators,
        compare as compare,
    )
    from prviz.uncertainty.upper_bound import upper_bound as upper_bound
    from prviz.warning import PrvizWarning as PrvizWarning

__version__ = "0.1.0"

# Module of prviz -> the public names that it defines.
_MODULES = {
    "approximation.approximate": ("approximate", "Approximation"),
    "curves": ("Comparison", "ErrorRates", "PRCurve"),
    "curves.ground_truth": ("discrete_curve",),
    "diagnostics.preflight": ("preflight",),
    "diagnostics.witness": ("witness", "Witness"),
    "embed.lens": ("lens",),
    "estimators": ("ESTIMATORS", "register"),
    "estimators.classifier": ("classifier_curve",),
    "figures.paper": ("plot_matplotlib", "save"),
    "figures.shown_curves": ("plot",),
    "measure.class_entropy": ("class_entropy",),
    "measure.clipped": ("clipped",),
    "measure.curve_conventions": ("paper_curve",),
    "measure.estimates": ("estimate", "pr_curve"),
    "measure.frechet": ("compare_frechet", "frechet_distance"),
    "measure.kernel_scores": ("kid", "rke", "vendi"),
    "measure.profiles": ("Profile", "profile"),
    "measure.scalars": ("compute_prdc", "rarity", "realism", "scalars"),
    "neighbors.devices": ("on_device",),
    "notebook.widget": ("widget",),
    "readers": ("read", "read_pair", "ReadError"),
    "readers.bundled": ("bundled_pair",),
    "reports.monitor": ("Monitor",),
    "reports.torch_metric": ("PRCurveMetric",),
    "samples": ("SamplePair", "Samples", "Split"),
    "studies.sweeps": ("sweep",),
    "toys": ("toy", "TOYS"),
    "uncertainty.bootstrap": ("bootstrap", "Spread", "spread"),
    "uncertainty.paired": ("compare", "GeneratorComparison", "SeveralGenerators"),
    "uncertainty.upper_bound": ("upper_bound",),
    "warning": ("PrvizWarning",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'prviz' has no attribute {name!r}")
    with needed_for(f"prviz.{name}"):
        value = getattr(import_module(f"prviz.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
