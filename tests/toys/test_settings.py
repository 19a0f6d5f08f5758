"""Toy problems' defaults and presets, seeds, bounds and messages."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numpy.testing import assert_allclose

from prviz.samples import SamplePair
from prviz.toys import TOYS, Parameter, ToyProblem, toy


def preset(name: str, label: str) -> ToyProblem:
    return toy(name, **toy(name).presets[label])


# --- settings of the papers ---


def test_the_papers_own_settings_are_the_defaults():
    assert TOYS["shifted-gaussians"] == {"d": 64, "mu": 1 / 8}
    shifts = [values["mu"] for values in toy("shifted-gaussians").presets.values()]
    assert_allclose(shifts, np.array([1, 5 / 3, 7 / 3, 3]) / 8)
    mixtures = toy("mixtures")
    assert mixtures.parameters == {
        "d": 64,
        "means": (0, -5, 3, 5),
        "real_weights": (0.2, 0.2, 0.6, 0),
        "generated_weights": (0, 0.5, 0.1, 0.4),
    }
    first, second = list(mixtures.presets)[:2]
    assert (preset("mixtures", first).default_n, preset("mixtures", second).default_n) == (
        10_000,
        1_000,
    )
    assert preset("mixtures", second).parameters["real_weights"] == (0.3, 0.2, 0.5, 0)
    assert preset("mixtures", second).parameters["generated_weights"] == (0, 0.5, 0.2, 0.3)
    assert toy("high-dimension").d == 2048
    assert TOYS["outlier"]["value"] == 4
    assert TOYS["classes"]["classes"] == 80


@pytest.mark.parametrize("name", TOYS)
def test_every_problem_describes_itself(name):
    problem = toy(name)
    assert problem.name == name
    assert problem.parameters == dict(TOYS[name])
    assert "section" in problem.source or "Figure" in problem.source or "arXiv" in problem.source
    assert problem.title
    assert problem.summary.endswith(".")
    assert problem.default_n >= 1_000
    assert next(iter(problem.presets.values()), problem.parameters) == problem.parameters
    for values in problem.presets.values():
        assert set(values) == set(problem.parameters)
    json.dumps(problem.parameters)


# --- sampling ---


@pytest.mark.parametrize("name", TOYS)
def test_samples_depend_on_the_seed_alone(name):
    problem = toy(name, d=3)
    pair = problem.sample(40, seed=7)
    again = pickle.loads(pickle.dumps(problem))
    assert isinstance(pair, SamplePair)
    real, generated = pair
    assert (real.name, generated.name) == ("real", "generated")
    assert real.values.shape == generated.values.shape == (40, 3)
    assert pair.digest == problem.sample(40, 7).digest
    assert pair.digest == again.sample(40, seed=7).digest
    other = problem.sample(40, seed=8)
    assert real.digest != other.real.digest
    assert (generated.digest == other.generated.digest) is (name == "dirac")


def test_real_and_generated_streams_are_independent():
    problem = toy("identical", d=4)
    real, generated = problem.sample(20_000, seed=0)
    together = np.corrcoef(np.hstack([real.values, generated.values]), rowvar=False)
    assert np.abs(together[:4, 4:]).max() < 5 / np.sqrt(20_000)
    following = problem.sample(20_000, seed=1).real.values
    assert not np.isin(generated.values[:, 0], following[:, 0]).any()


def test_the_outlier_is_one_real_sample_and_the_truth_stays_clean():
    problem = toy("outlier", d=8, value=-6.5)
    real, generated = problem.sample(100, seed=0)
    clean = toy("shifted-gaussians", d=8, mu=3 / 8)
    assert np.array_equal(real.values[:-1], clean.sample(100, seed=0).real.values[:-1])
    assert np.array_equal(generated.values, clean.sample(100, seed=0).generated.values)
    assert (real.values[-1] == -6.5).all()
    assert np.array_equal(problem.truth().vertices, clean.truth().vertices)


def test_high_dimension_draws_float32():
    real, generated = toy("high-dimension").sample(3, 0)
    assert real.values.dtype == generated.values.dtype == np.float32


# --- validation ---


def legal_and_not(spec: Parameter):
    wrap = (lambda x: (x,) * len(spec.default)) if spec.kind == "weights" else (lambda x: x)
    return [wrap(spec.low), wrap(spec.high)], [wrap(spec.low - 1), wrap(spec.high + 1)]


@pytest.mark.parametrize(
    ("name", "index"), [(name, i) for name in TOYS for i in range(len(TOYS[name]))]
)
def test_every_parameter_is_held_to_its_bounds(name, index):
    spec = toy(name).specs[index]
    legal, illegal = legal_and_not(spec)
    for value in legal:
        if "weights" in spec.name and not any(value):
            continue  # all weights 0: legal one by one only
        assert toy(name, **{spec.name: value}).parameters[spec.name] == value
    for value in illegal:
        with pytest.raises(
            ValueError, match=rf"^{spec.name} = .* from {spec.low:g} to {spec.high:,g}"
        ):
            toy(name, **{spec.name: value})
    for value in ("3", None, True, float("nan"), 1 + 2j):
        with pytest.raises((TypeError, ValueError), match=f"^{spec.name} = .* needed"):
            toy(name, **{spec.name: value})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: toy("mixture"),
            "name = 'mixture'; one of modes, mixtures, shifted-gaussians",
        ),
        (lambda: toy("identical", mu=1), "identical has no parameter 'mu'; its parameters are d"),
        (lambda: toy("shifted-gaussians", d=0), "d = 0; an integer from 1 to 4,096 is needed"),
        (lambda: toy("scaled-gaussian", scale=0), "scale = 0; a number from 0.05 to 5 is needed"),
        (
            lambda: toy("mixtures", means=(1, 2)),
            "means, real_weights and generated_weights have 2, 4 and 4",
        ),
        (
            lambda: toy("mixtures", real_weights=(0, 0, 0, 0)),
            "real_weights = .* at least one weight must be",
        ),
        (
            lambda: toy("finite", real_weights=(1,)),
            "real_weights has 1 entries, generated_weights has 4",
        ),
        (
            lambda: toy("finite", generated_weights=(0, 0, 0, 0)),
            "generated_weights = .* at least one share",
        ),
        (lambda: toy("identical").sample(0, 0), "n = 0; an integer from 1"),
        (lambda: toy("identical").sample(10, -1), "seed = -1; an integer from 0"),
        (
            lambda: toy("identical").sample(10**9, 0),
            "n = 1000000000; at most 3125000 samples of dimension 64",
        ),
        (
            lambda: toy("identical").log_ratio(np.zeros((2, 3))),
            "z has 3 features; identical has d = 64",
        ),
    ],
)
def test_messages_name_the_argument_its_value_and_what_is_legal(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_numpy_numbers_and_lists_are_taken():
    problem = toy(
        "mixtures",
        d=np.int64(2),
        means=np.array([0.0, 1.0]),
        real_weights=[1, 0],
        generated_weights=[0, 0.5],
    )
    assert problem.parameters["means"] == (0.0, 1.0)
    assert problem == toy(
        "mixtures", d=2, means=(0, 1), real_weights=(1, 0), generated_weights=(0, 0.5)
    )
    assert problem.truth().auc == pytest.approx(
        toy("shifted-gaussians", d=2, mu=1).truth().auc, abs=2e-6
    )


def test_problems_do_not_change():
    problem = toy("shifted-gaussians")
    problem.parameters["mu"] = 2.0
    assert problem.parameters["mu"] == 1 / 8
    with pytest.raises(FrozenInstanceError):
        problem.settings = ()
    with pytest.raises(TypeError):
        TOYS["identical"]["d"] = 3
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert hash(problem) == hash(toy("shifted-gaussians", mu=1 / 8))
    assert problem != toy("shifted-gaussians", mu=0.2)
