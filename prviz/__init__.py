"""prviz: exact precision-recall curves of generative models.

The public names load on first use, so that ``import prviz`` stays cheap. Roles keep one order
everywhere: ``real`` first, ``generated`` second.

>>> import prviz
>>> real, generated = prviz.toy("mixtures").sample(1000, seed=0)
>>> curve = prviz.pr_curve(real, generated, method="knn")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from prviz.missing import needed_for

if TYPE_CHECKING:
    from prviz.approximation.approximate import Approximation as Approximation
    from prviz.approximation.approximate import approximate as approximate
    from prviz.curves import Comparison as Comparison
    from prviz.curves import ErrorRates as ErrorRates
    from prviz.curves import PRCurve as PRCurve
    from prviz.curves.ground_truth import discrete_curve as discrete_curve
    from prviz.diagnostics.preflight import preflight as preflight
    from prviz.diagnostics.witness import Witness as Witness
    from prviz.diagnostics.witness import witness as witness
    from prviz.embed.lens import lens as lens
    from prviz.estimators import ESTIMATORS as ESTIMATORS
    from prviz.estimators import register as register
    from prviz.estimators.classifier import classifier_curve as classifier_curve
    from prviz.figures.paper import plot_matplotlib as plot_matplotlib
    from prviz.figures.paper import save as save
    from prviz.figures.shown_curves import plot as plot
    from prviz.measure.class_entropy import class_entropy as class_entropy
    from prviz.measure.clipped import clipped as clipped
    from prviz.measure.estimates import estimate as estimate
    from prviz.measure.estimates import pr_curve as pr_curve
    from prviz.measure.frechet import compare_frechet as compare_frechet
    from prviz.measure.frechet import frechet_distance as frechet_distance
    from prviz.measure.kernel_scores import kid as kid
    from prviz.measure.kernel_scores import rke as rke
    from prviz.measure.kernel_scores import vendi as vendi
    from prviz.measure.paper_conventions import paper_curve as paper_curve
    from prviz.measure.profiles import Profile as Profile
    from prviz.measure.profiles import profile as profile
    from prviz.measure.scalars import compute_prdc as compute_prdc
    from prviz.measure.scalars import rarity as rarity
    from prviz.measure.scalars import realism as realism
    from prviz.measure.scalars import scalars as scalars
    from prviz.neighbors.devices import on_device as on_device
    from prviz.notebook.widget import widget as widget
    from prviz.readers import ReadError as ReadError
    from prviz.readers import read as read
    from prviz.readers import read_pair as read_pair
    from prviz.readers.bundled import bundled_pair as bundled_pair
    from prviz.reports.monitor import Monitor as Monitor
    from prviz.reports.torch_metric import PRCurveMetric as PRCurveMetric
    from prviz.samples import SamplePair as SamplePair
    from prviz.samples import Samples as Samples
    from prviz.samples import Split as Split
    from prviz.studies.sweeps import sweep as sweep
    from prviz.toys import TOYS as TOYS
    from prviz.toys import toy as toy
    from prviz.uncertainty.bootstrap import Spread as Spread
    from prviz.uncertainty.bootstrap import bootstrap as bootstrap
    from prviz.uncertainty.bootstrap import spread as spread
    from prviz.uncertainty.paired import GeneratorComparison as GeneratorComparison
    from prviz.uncertainty.paired import SeveralGenerators as SeveralGenerators
    from prviz.uncertainty.paired import compare as compare
    from prviz.uncertainty.upper_bound import upper_bound as upper_bound
    from prviz.warning import PrvizWarning as PrvizWarning

__version__ = "0.1.0"

# Module -> the public names in it.
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
    "measure.estimates": ("estimate", "pr_curve"),
    "measure.frechet": ("compare_frechet", "frechet_distance"),
    "measure.kernel_scores": ("kid", "rke", "vendi"),
    "measure.paper_conventions": ("paper_curve",),
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
