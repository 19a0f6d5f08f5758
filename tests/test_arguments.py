"""What callers in Python pass: every wrong argument is one sentence of prviz, raised before the
work.
"""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import prviz
from prviz.measure.kernel_scores import vendi

REAL, OTHER = np.random.default_rng(0).normal(size=(2, 40, 3))
GENERATED = OTHER + 0.3
CURVE = prviz.pr_curve(REAL, GENERATED)
PROFILE = prviz.profile(REAL, GENERATED, ["ipr", "kde"], ks=[3], bandwidths=[1.0])
SPREAD = prviz.spread([CURVE, CURVE])
HUGE = 10**400

WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "lam as a word": (lambda: CURVE.weighted_variation("a"), TypeError, "lam = 'a'; numbers in"),
    "lam beyond floats": (lambda: CURVE.alpha(HUGE), TypeError, "numbers in [0, inf] are needed"),
    "lam as a written number": (lambda: CURVE.alpha("1"), TypeError, "lam = '1'; numbers in"),
    "no lam": (lambda: CURVE.alpha(None), TypeError, "lam = None; numbers in"),
    "two divergences": (
        lambda: CURVE.divergence(["kl"]),
        ValueError,
        "name = ['kl']; one of kl, js, hellinger, chi2, tv is needed",
    ),
    "two toys": (lambda: prviz.toy(["finite"]), ValueError, "name = ['finite']; one of modes,"),
    "the limit of two families": (
        lambda: prviz.toy("finite").limit(["knn"], 4),
        ValueError,
        "method = ['knn']; one of knn, coverage, ipr is needed",
    ),
    "a seed that nothing uses": (
        lambda: prviz.pr_curve(REAL, GENERATED, split=None, seed=-1),
        ValueError,
        "seed = -1; an integer from 0 is needed",
    ),
    "a seed of clusters": (
        lambda: prviz.pr_curve(REAL, GENERATED, "cluster", split=None, seed="a"),
        TypeError,
        "seed = 'a'; an integer from 0 is needed",
    ),
    "numbers that floats do not hold": (
        lambda: prviz.pr_curve(np.arange(6).reshape(3, 2) + 2**53, GENERATED),
        ValueError,
        "real: row 1, column 2: the integer 9007199254740993 is too large to be held exactly. Are",
    ),
    "the number of real supports as a text": (
        lambda: prviz.ErrorRates.from_supports([1, 2], [1, 2], "a"),
        TypeError,
        "n_real = 'a'; an integer from 1 to 1 of 2 samples is needed",
    ),
    "supports as texts": (
        lambda: prviz.ErrorRates.from_supports(["a", "b"], [1, 2], 1),
        TypeError,
        "c_real = ['a', 'b']; non-negative numbers are needed",
    ),
    "a label of all samples": (
        lambda: prviz.Samples(REAL, labels={"class": 5}),
        ValueError,
        "samples: label 'class' has no entries for 40 samples",
    ),
    "letters as labels": (
        lambda: prviz.Samples(REAL, labels={"class": "a" * 40}),
        ValueError,
        "samples: label 'class' has no entries for 40 samples",
    ),
    "axes as a number": (
        lambda: prviz.plot_matplotlib(CURVE, ax=5),
        TypeError,
        "ax = 5; plain axes of Matplotlib are needed",
    ),
    "several axes": (
        lambda: prviz.plot_matplotlib(CURVE, ax=np.array([None, None])),
        TypeError,
        "plain axes of Matplotlib are needed",
    ),
    "round axes": (
        lambda: prviz.plot_matplotlib(CURVE, ax=Figure().add_subplot(projection="polar")),
        TypeError,
        "plain axes of Matplotlib are needed",
    ),
    "bands as a number": (
        lambda: prviz.plot_matplotlib(CURVE, bands=5),
        TypeError,
        "bands is int; a mapping of names to bands is needed",
    ),
    "a band of no curve": (
        lambda: prviz.save({"a": CURVE}, "f.svg", bands={"b": SPREAD.band()}),
        ValueError,
        "bands['b'] belongs to no curve; the curves are 'a'",
    ),
    "a curve as a band": (
        lambda: prviz.save({"a": CURVE}, "f.svg", bands={"a": CURVE}),
        TypeError,
        "bands['a'] is PRCurve; a band is needed, such as prviz.spread(curves).band()",
    ),
    "b as a text": (lambda: CURVE.f_score("8", leaning="recall"), TypeError, "b = '8'; a positive"),
    "b as an array": (lambda: CURVE.f_score(np.ones(2), leaning="recall"), TypeError, "b = array("),
    "recall as a text": (lambda: CURVE.precision_at("a"), TypeError, "recall = 'a'; a value in"),
    "recall as a list": (lambda: CURVE.precision_at([0.1]), TypeError, "recall = [0.1]; a value"),
    "no precision": (lambda: CURVE.recall_at(None), TypeError, "precision = None; a value in"),
    "half a ray": (lambda: CURVE.sample(2.5), TypeError, "n = 2.5; an integer from 2 is needed"),
    "rates as texts": (
        lambda: prviz.PRCurve.from_error_rates("a", [1]),
        TypeError,
        "fpr = array(",
    ),
    "vertices as a text": (lambda: prviz.PRCurve("x"), TypeError, "vertices = 'x'; pairs"),
    "the mean of a curve": (lambda: prviz.PRCurve.mean(CURVE), TypeError, "curves = PRCurve(area"),
    "masses as a text": (lambda: prviz.discrete_curve("a", [1]), TypeError, "p = 'a'; masses of"),
    "endless memory": (
        lambda: prviz.pr_curve(REAL, GENERATED, memory_limit=float("inf")),
        ValueError,
        "memory_limit = inf; a number of bytes is needed",
    ),
    "a bandwidth beyond floats": (
        lambda: prviz.pr_curve(REAL, GENERATED, "kde", bandwidth=HUGE),
        ValueError,
        "a positive finite number, or None for the mean k-NN radius, is needed",
    ),
    "numbers beyond floats": (
        lambda: prviz.pr_curve([[HUGE]], GENERATED),
        TypeError,
        "real: a whole number is beyond 1.8e308",
    ),
    "a parameter twice": (
        lambda: prviz.pr_curve(REAL, GENERATED, "cluster:clusters=4:clusters=5"),
        ValueError,
        "cluster: clusters is given twice",
    ),
    "the usual k of few": (
        lambda: prviz.pr_curve(REAL[:4], GENERATED[:4]),
        ValueError,
        'k = 2 ("sqrt" of 4 samples) with 2 real and 2 generated samples to fit',
    ),
    "lists of families": (
        lambda: prviz.estimate(REAL, GENERATED, [["knn"]]),
        ValueError,
        "methods = [['knn']]; one or more of",
    ),
    "families with values": (
        lambda: prviz.estimate(REAL, GENERATED, {"knn": 5}),
        ValueError,
        "methods = {'knn': 5}; one or more of",
    ),
    "no k and no bandwidth": (
        lambda: prviz.profile(REAL, GENERATED, ["knn"], ks=[]),
        ValueError,
        "ks = [] and no bandwidths leave no curve of knn; one value is needed",
    ),
    "names as a text": (
        lambda: prviz.Samples(REAL, features="abcde"),
        TypeError,
        "samples: features = 'abcde'; a list of names",
    ),
    "values of k with weights": (
        lambda: prviz.profile(REAL, GENERATED, ks={3: 1}),
        TypeError,
        "ks = {3: 1}; a list of integers",
    ),
    "features as a number": (
        lambda: prviz.Samples(REAL, features=5),
        TypeError,
        "samples: features = 5; a list of names, one for each column, is needed",
    ),
    "a row that is not there": (
        lambda: prviz.Samples(REAL).take([40]),
        IndexError,
        "samples: [40] are no numbers of rows; whole numbers from 0 to 39 are needed",
    ),
    "rows as a text": (lambda: prviz.Samples(REAL).take("a"), IndexError, "'a' are no numbers of"),
    "features by name": (
        lambda: prviz.Samples(REAL, features=list("xyz")).take_features(["x"]),
        IndexError,
        "['x'] are no numbers of features; whole numbers from 0 to 2 are needed",
    ),
    "a seed of groups": (
        lambda: prviz.Samples(REAL).one_of_each_group("a"),
        TypeError,
        "seed = 'a'; an integer from 0",
    ),
    "a profile's family as a list": (
        lambda: PROFILE.curve(["ipr"], 3),
        KeyError,
        "the profile holds 1 values from 3 to 3",
    ),
    "a profile's bandwidth as a text": (
        lambda: prviz.profile(REAL, GENERATED, bandwidths=["a"]),
        TypeError,
        "bandwidth = 'a'; a positive finite number",
    ),
    "a profile's k beyond the set": (
        lambda: prviz.profile(REAL, GENERATED, ks=[100]),
        ValueError,
        "k = 100 with 20 real and 20 generated samples to fit",
    ),
    "an unknown summary": (lambda: SPREAD.interval_of("area"), KeyError, "'area' is no summary"),
    "an unknown interval": (lambda: SPREAD.intervals["area"], KeyError, "'area' is no summary"),
    "an unknown value": (lambda: SPREAD.values["area"], KeyError, "'area' is no summary"),
    "points as a text": (lambda: SPREAD.band("a"), TypeError, "points = 'a'; an integer from 2"),
    "the spread of one curve": (lambda: prviz.spread(CURVE), TypeError, "a list of curves"),
    "a truth that is no curve": (
        lambda: prviz.spread([CURVE, CURVE], truth=REAL),
        TypeError,
        "truth is ndarray; a PRCurve is needed",
    ),
    "subsets as a text": (lambda: prviz.kid(REAL, GENERATED, subsets="a"), TypeError, "subsets ="),
    "a seed of nothing": (lambda: prviz.kid(REAL, GENERATED, seed="a"), TypeError, "seed = 'a'"),
    "an order as a text": (lambda: prviz.vendi(REAL, order="a"), TypeError, "order = 'a'; a posit"),
    "no bandwidth": (lambda: prviz.rke(REAL, bandwidth=None), TypeError, "bandwidth = None; a p"),
    "missing labels": (
        lambda: prviz.class_entropy(REAL, GENERATED, [float("nan"), *range(39)]),
        ValueError,
        "1 of 40 labels are missing, the first of real sample 1",
    ),
    "labels without an order": (
        lambda: prviz.class_entropy(REAL, GENERATED, np.array(["a", 1] * 20, dtype=object)),
        TypeError,
        "labels are of several types",
    ),
    "too many neighbours": (
        lambda: prviz.class_entropy(REAL, GENERATED, range(40), k=50),
        ValueError,
        "an integer from 1 to 40, the size of the real set, is needed",
    ),
    "a check's k as a text": (
        lambda: prviz.preflight(REAL, GENERATED, k="a"),
        TypeError,
        "k = 'a'",
    ),
    "a share as a text": (
        lambda: prviz.approximate(REAL, GENERATED, recall="a"),
        TypeError,
        "recall = 'a'; a share above 0",
    ),
    "samples as a text": (
        lambda: prviz.approximate(REAL, GENERATED, evaluate="a"),
        TypeError,
        "evaluate = 'a'; an integer from 2",
    ),
    "encoders by name": (
        lambda: prviz.lens(REAL, GENERATED, encoders=["pixels:32"]),
        TypeError,
        "encoders = ['pixels:32']; a list of encoders as prviz.embed.registered.load_encoder gives",
    ),
    "sources by name": (lambda: prviz.lens(REAL, GENERATED, sources="a"), TypeError, "sources = "),
    "two families": (
        lambda: prviz.lens(REAL, GENERATED, method=["knn", "kde"]),
        ValueError,
        "method = ['knn', 'kde']; one of",
    ),
    "a figure's path": (lambda: prviz.save(CURVE, 5), TypeError, "path = 5; a path is needed"),
    "no width": (lambda: prviz.save(CURVE, "f.svg", width=None), ValueError, "width = None; "),
    "a monitor's path": (
        lambda: prviz.Monitor(REAL, directory=5),
        TypeError,
        "directory = 5; a path is needed",
    ),
    "a monitor's impossible path": (
        lambda: prviz.Monitor(REAL, directory="/proc/no/such"),
        ValueError,
        "directory = '/proc/no/such' can't be made (No such file or directory)",
    ),
    "a monitor of no family": (
        lambda: prviz.Monitor(REAL, directory="m", methods=[]),
        ValueError,
        "methods = []; one or more of",
    ),
    "a sweep's path": (lambda: prviz.sweep("mixtures", out=5), TypeError, "out = 5; a path is"),
    "a sweep of nothing": (lambda: prviz.sweep(None), TypeError, "problems has None; a toy's name"),
    "rows to nobody": (
        lambda: prviz.sweep("mixtures", on_rows=3),
        TypeError,
        "on_rows = 3; a function",
    ),
    "an empty path": (lambda: prviz.read(""), prviz.ReadError, "an empty path"),
    "a path that is too long": (
        lambda: prviz.read("x" * 5000),
        prviz.ReadError,
        "File name too long",
    ),
    "an address": (lambda: prviz.read("https://a.org/a.npy"), prviz.ReadError, "download the file"),
    "a home folder": (lambda: prviz.read("~/a.npy"), prviz.ReadError, "'~' is no folder here"),
    "a pattern": (lambda: prviz.read("a/*.npy"), prviz.ReadError, "A pattern is not expanded"),
    "a folder of nothing": (
        lambda: prviz.read("a.npy", below=5),
        TypeError,
        "below = 5; a path is needed",
    ),
    "one key": (lambda: prviz.read_pair("a.csv", keys="r=a"), TypeError, "keys = 'r=a'; two texts"),
    "keys as numbers": (lambda: prviz.read_pair("a.csv", keys=(1, 2)), TypeError, "keys = (1, 2)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, kind, sentence = WRONG[name]
    with pytest.raises(kind) as raised:
        call()
    assert sentence in str(raised.value)
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert Path(prviz.__file__).parent in Path(last.filename).parents
    assert not list(tmp_path.iterdir())


class _Link:
    """A path of another library."""

    def __init__(self, path: str | bytes) -> None:
        self._path = path

    def __fspath__(self) -> Any:
        return self._path


@pytest.mark.parametrize("kind", [str, os.fsencode, _Link, lambda path: _Link(os.fsencode(path))])
def test_a_path_may_be_of_any_kind(kind: Callable[[Path], Any], tmp_path: Path) -> None:
    prviz.save(CURVE, kind(str(tmp_path / "a.svg")))
    assert (tmp_path / "a.svg").stat().st_size
    np.save(tmp_path / "a.npy", REAL)
    if kind is not os.fsencode:  # bytes might be the file's contents
        assert prviz.read(kind(str(tmp_path / "a.npy"))).n == 40
    prviz.Monitor(REAL, directory=kind(str(tmp_path / "m")))
    assert (tmp_path / "m").is_dir()


@pytest.mark.parametrize("width", ["one column", "two columns", 5.5])
def test_a_curve_without_a_name_is_drawn_at_every_width(width: str | float, tmp_path: Path) -> None:
    """It has no legend."""
    prviz.save(CURVE, tmp_path / "a.svg", width=width)
    assert (tmp_path / "a.svg").read_bytes()


def test_a_band_of_repeats_is_drawn() -> None:
    axes = prviz.plot_matplotlib({"a": CURVE}, bands={"a": prviz.spread([CURVE, CURVE]).band()})
    assert len(axes.patches) == 1


def test_two_paths_as_texts_are_a_pair(tmp_path: Path) -> None:
    for name, values in (("a.npy", REAL), ("b.npy", GENERATED)):
        np.save(tmp_path / name, values)
    pair = (str(tmp_path / "a.npy"), str(tmp_path / "b.npy"))
    assert len(prviz.sweep(pair, "knn")) == 1


def test_curves_may_come_one_by_one() -> None:
    assert prviz.PRCurve.mean(each for each in (CURVE, CURVE)).auc == pytest.approx(CURVE.auc)
    assert prviz.spread(each for each in (CURVE, CURVE)).curve.auc == pytest.approx(CURVE.auc)


def test_trackers_may_come_one_by_one(tmp_path: Path) -> None:
    told: list[int] = []
    trackers = (track for track in [lambda step, _: told.append(step)])
    monitor = prviz.Monitor(REAL, directory=tmp_path, methods=["knn"], trackers=trackers)
    monitor.log(7, GENERATED)
    assert told == [7]


def test_the_order_of_a_diversity_may_be_infinite() -> None:
    """It is then that of the commonest direction, which high orders come near."""
    known = [vendi(REAL, order=order) for order in (50.0, 1e3, 1e6, float("inf"))]
    assert known == sorted(known, reverse=True)
    assert known[-1] == pytest.approx(known[-2], rel=1e-5)


def test_names_of_features_are_texts() -> None:
    assert prviz.Samples(REAL, features=[0, 1, 2]).features == ("0", "1", "2")


# Numbers that no call accepts, whatever else it is given.
IMPOSSIBLE: dict[str, tuple[object, ...]] = {
    "k": (0, -1, 2.0, float("nan"), True, "5"),
    "seed": (-1, 1.5, None, True, "0"),
    "split": (0, 1, -0.1, float("nan"), True, "0.5"),
    "bandwidth": (0, -1.0, float("nan"), True, "1"),
    "memory_limit": (0, -1, float("nan"), "1e9"),
    "level": (0, 1, float("nan"), "0.95"),
    "confidence": (0, 1, float("nan"), "0.95"),
    "replicates": (0, -1, 1.5, "9"),
    "progress": (5, "yes"),
}
MEASURES: dict[str, Callable[..., object]] = {
    name: partial(getattr(prviz, name), REAL, GENERATED)
    for name in [
        "pr_curve",
        "estimate",
        "profile",
        "approximate",
        "upper_bound",
        "witness",
        "preflight",
        "rarity",
        "realism",
        "kid",
        "frechet_distance",
        "scalars",
        "compute_prdc",
        "classifier_curve",
        "lens",
    ]
} | {
    "compare": partial(prviz.compare, REAL, GENERATED, OTHER),
    "bootstrap": partial(prviz.bootstrap, prviz.estimate(REAL, GENERATED, "knn")["knn"]),
    "widget": partial(prviz.widget, REAL, GENERATED),
    "Monitor": partial(prviz.Monitor, REAL, directory="not-made"),
}


@pytest.mark.parametrize("name", MEASURES)
def test_every_call_refuses_numbers_that_can_not_be(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for parameter in inspect.signature(MEASURES[name]).parameters.keys() & IMPOSSIBLE.keys():
        for value in IMPOSSIBLE[parameter]:
            with pytest.raises((ValueError, TypeError)) as error:
                MEASURES[name](**{parameter: value})
            assert str(error.value).startswith(f"{parameter} = {value!r}"), (name, parameter, value)


CALLS: dict[str, Callable[[], object]] = {
    "families": lambda: prviz.estimate(REAL, GENERATED, ["knn", "tightest", "classifier"]),
    "truths": lambda: [prviz.toy(name).truth().auc for name in prviz.TOYS],
    "scores": lambda: prviz.scalars(REAL, GENERATED),
    "bounds": lambda: prviz.upper_bound(REAL, GENERATED),
    "draws": lambda: prviz.compare(REAL, GENERATED, OTHER, replicates=20).differences,
    "divergences": lambda: [CURVE.divergence(name) for name in ("kl", "js", "chi2", "tv")],
}


@pytest.mark.parametrize("name", CALLS)
def test_numpy_may_be_told_to_raise(name: str) -> None:
    """`numpy.seterr` is the caller's: what underflows by design is no error."""
    with np.errstate(all="raise"):
        CALLS[name]()
