from __future__ import annotations

import math
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from prviz import estimate
from prviz.estimators import ESTIMATORS
from prviz.readers.bundled import bundled_names
from prviz.reports.settings import FIRST_VIEW, ExploreSettings
from prviz.toys import TOYS, toy

UNUSUAL = ExploreSettings(
    problem="mixtures",
    parameters={
        "d": 3,
        "means": (0.0, 0.1 + 0.2),
        "real_weights": (1 / 3, 2 / 3),
        "generated_weights": (0.5, 0.5),
    },
    n=123,
    methods=("kde", "knn", "cluster:clusters=40", "prc:k_prime=2:c=4", "ppr:a=0.7"),
    k=7,
    bandwidth=1 / 3,
    split=None,
    repeats=5,
    seed=2**32 - 1,
    lam=1 / 7,
    b=1 / 3,
    eps=1 / 9,
    approximate=True,
)


def restored(chosen: ExploreSettings) -> ExploreSettings:
    """What a browser makes of the link: percent-encoded and back."""
    link = urlencode(chosen.to_query())
    again, messages = ExploreSettings.from_query(dict(parse_qsl(link, keep_blank_values=True)))
    assert messages == []
    return again


@pytest.mark.parametrize(
    "chosen",
    [
        ExploreSettings(),
        UNUSUAL,
        replace(UNUSUAL, lam=math.inf),
        ExploreSettings(k="sqrt", split=0.25),
    ],
)
def test_toy_settings_come_back_exactly(chosen: ExploreSettings) -> None:
    assert restored(chosen) == chosen


@pytest.mark.parametrize("problem", TOYS)
def test_every_toy_with_its_parameters_comes_back(problem: str) -> None:
    chosen = ExploreSettings(problem=problem, parameters=toy(problem).parameters)
    assert chosen.to_query() == {"problem": problem}
    assert restored(chosen) == ExploreSettings(problem=problem)
    assert toy(problem, **restored(chosen).parameters) == toy(problem)


@pytest.mark.parametrize("problem", bundled_names())
def test_every_bundled_pair_comes_back(problem: str) -> None:
    chosen = ExploreSettings(source="bundled", problem=problem, k=4)
    assert restored(chosen) == chosen


def test_the_default_problem_exists() -> None:
    assert ExploreSettings().problem in TOYS
    assert set(ExploreSettings().methods) <= set(ESTIMATORS)


def test_an_upload_stays_out_of_the_link_and_it_is_said() -> None:
    query = ExploreSettings(source="upload", problem="secret.npy", k=9).to_query()
    assert "secret.npy" not in str(query)
    again, messages = ExploreSettings.from_query(query)
    assert (again.source, again.problem, again.k) == ("toy", ExploreSettings().problem, 9)
    (message,) = messages
    assert "uploaded" in message


def test_an_empty_link_gives_the_first_view_without_a_word() -> None:
    assert ExploreSettings.from_query({}) == (FIRST_VIEW, [])
    assert ExploreSettings.from_query({"page": "explore"}) == (FIRST_VIEW, [])
    assert FIRST_VIEW.to_query() == {}
    assert replace(FIRST_VIEW, parameters=TOYS[FIRST_VIEW.problem]).to_query() == {}
    assert replace(FIRST_VIEW, seed=1).to_query() == {"problem": "modes", "k": "5", "seed": "1"}


def test_a_link_from_before_the_first_view_keeps_its_meaning() -> None:
    meant = ExploreSettings(problem="mixtures", k="sqrt", n=500)
    assert ExploreSettings.from_query({"n": "500"}) == (meant, [])
    assert ExploreSettings.from_query({"problem": "outlier"})[0].k == "sqrt"


def test_four_curves_of_the_first_view_differ_and_the_true_ends_are_shares_of_modes() -> None:
    first = FIRST_VIEW
    problem = toy(first.problem, **first.parameters)
    truth = problem.truth()
    assert (truth.extreme_precision, truth.extreme_recall) == pytest.approx((0.6, 0.8))
    pair = problem.sample(first.n, seed=first.seed)
    found = estimate(pair, first.methods, k=first.k, split=first.split, seed=first.seed)
    ious = sorted(each.curve.iou(truth) for each in found.values())
    assert len(ious) == 4
    assert min(np.diff(ious)) > 0.03


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("source", "file:///etc/passwd"),
        ("problem", "../../x"),
        ("problem", "<script>alert(1)</script>"),
        ("n", "1000000000"),
        ("n", "9" * 5000),
        ("n", "-5"),
        ("n", "1e3"),
        ("n", "٣٣٣"),
        ("k", "0"),
        ("k", "SQRT"),
        ("k", "--5"),
        ("k", "-"),
        ("bandwidth", "nan"),
        ("bandwidth", "inf"),
        ("bandwidth", "-1"),
        ("bandwidth", ""),
        ("split", "1"),
        ("split", "0"),
        ("split", "None"),
        ("repeats", "100000"),
        ("seed", "-1"),
        ("lam", "-1"),
        ("lam", "nan"),
        ("approximate", ""),
        ("approximate", "True"),
        ("methods", ""),
        ("methods", "knn,__class__"),
        ("methods", "cluster:clusters=501"),
        ("methods", "prc:x=1"),
        ("methods", "hub:t"),
        ("b", "0"),
        ("b", "nan"),
        ("eps", "1.5"),
        ("p.d", "100000000"),
        ("p.d", "2.5"),
        ("p.d", ""),
        ("p.means", "1,2,nan"),
        ("p.means", "1," * 1000),
        ("p.settings", "()"),
        ("p.", "1"),
        ("p.__class__", "x"),
    ],
)
def test_unusable_values_are_ignored_and_said(name: str, text: str) -> None:
    found, messages = ExploreSettings.from_query({name: text})
    assert found == ExploreSettings()
    (message,) = messages
    assert message.startswith(name)
    assert len(message) < 400
    assert "\n" not in message


def test_one_bad_value_spoils_no_other() -> None:
    query = {"k": "x", "seed": "5", "p.d": "7", "p.means": "x"}
    found, messages = ExploreSettings.from_query(query)
    assert found == ExploreSettings(seed=5, parameters={"d": 7})
    assert len(messages) == 2


def test_parameters_that_contradict_each_other_leave_a_problem_that_works() -> None:
    found, messages = ExploreSettings.from_query({"p.d": "7", "p.means": "1,2"})
    assert toy(found.problem, **found.parameters).d == 7
    assert messages


def test_parameters_of_a_missing_problem_are_not_given_to_another_one() -> None:
    found, messages = ExploreSettings.from_query({"problem": "gone", "p.d": "7"})
    assert found == ExploreSettings()
    assert len(messages) == 1


def test_repeated_methods_count_once() -> None:
    assert ExploreSettings.from_query({"methods": "kde,knn,kde"})[0].methods == ("kde", "knn")


CHOICES: dict[str, st.SearchStrategy[object]] = {
    "n": st.integers(10, 20_000),
    "methods": (
        st.lists(st.sampled_from(list(ESTIMATORS)), min_size=1, max_size=4, unique=True).map(tuple)
    ),
    "k": st.just("sqrt") | st.integers(1, 20_000),
    "bandwidth": st.none() | st.floats(1e-3, 1e3),
    "split": st.none() | st.floats(0.05, 0.95),
    "repeats": st.integers(1, 20),
    "seed": st.integers(0, 2**32 - 1),
    "lam": st.floats(0, allow_nan=False),
    "b": st.floats(0.01, 100),
    "eps": st.floats(0, 1),
    "swapped": st.booleans(),
    "approximate": st.booleans(),
}


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(list(TOYS)),
    st.fixed_dictionaries({}, optional=CHOICES),
    st.fixed_dictionaries({}, optional={"d": st.integers(2, 60), "mu": st.floats(0, 2)}),
)
def test_a_link_names_what_differs_and_gives_all_of_it_back(
    problem: str, choice: dict[str, Any], parameters: dict[str, Any]
) -> None:
    own = {name: value for name, value in parameters.items() if name in TOYS[problem]}
    try:
        same = toy(problem, **own)
    except ValueError:  # a toy of one dimension
        own = {}
        same = toy(problem)
    chosen = ExploreSettings(problem=problem, parameters=own, **choice)
    default = ExploreSettings()
    again = restored(chosen)
    assert replace(again, parameters={}) == replace(chosen, parameters={})
    assert toy(problem, **again.parameters) == same
    differing = {name for name in choice if getattr(chosen, name) != getattr(default, name)}
    differing |= {"problem"} - ({"problem"} if problem == default.problem else set())
    differing |= {f"p.{name}" for name, value in own.items() if value != TOYS[problem][name]}
    if differing == {"problem", "k"} and (problem, chosen.k) == (FIRST_VIEW.problem, FIRST_VIEW.k):
        assert chosen.to_query() == {}
    else:
        assert chosen.to_query().keys() == (differing or {"problem"})


# A link of version 0.1, which named every setting.
FULL = (
    "source=toy&problem=mixtures&n=123&methods=kde%2Cknn&k=sqrt&bandwidth=auto&split=0.5&repeats=1&seed=4&lam=1.0"
    "&b=8.0&eps=0.05&approximate=no&p.d=64"
)


def test_a_link_that_names_everything_still_reads() -> None:
    found, messages = ExploreSettings.from_query(dict(parse_qsl(FULL)))
    assert found == ExploreSettings(n=123, methods=("kde", "knn"), seed=4, parameters={"d": 64})
    assert messages == []
    assert found.to_query() == {"n": "123", "methods": "kde,knn", "seed": "4"}


def test_the_line_names_the_settings_that_decide_the_curves() -> None:
    assert (
        ExploreSettings(
            problem="shifted-gaussians", parameters={"d": 3}, k=5, split=None, repeats=2
        ).line(44)
        == "toy shifted-gaussians, d = 3, mu = 0.125, n = 2000, k = 5, bandwidth automatic, no"
        " split, seed 0, mean of 2 repeats"
    )
    own = ExploreSettings(source="upload", problem="", methods=("knn",), split=0.25)
    assert (
        own.line(44)
        == "own files, at most 2000 samples of each set, k = √n = 44, split 25 %, seed 0"
    )


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "source",
                "problem",
                "n",
                "methods",
                "k",
                "bandwidth",
                "split",
                "lam",
                "p.d",
                "p.means",
            ]
        ),
        st.text(max_size=20)
        | st.sampled_from(["toy", "bundled", "upload", "1", "0.5", "knn", "none", "1,1"]),
    )
)
def test_no_text_breaks_it_and_what_it_gives_is_legal(query: dict[str, str]) -> None:
    found, _ = ExploreSettings.from_query(query)
    assert restored(found) == found


def test_settings_are_values() -> None:
    given_parameters = {"d": 3}
    chosen = ExploreSettings(parameters=given_parameters)
    given_parameters["d"] = 4
    assert chosen.parameters == {"d": 3}
    assert hash(chosen) == hash(ExploreSettings(parameters={"d": 3}))
    assert chosen != ExploreSettings()
    with pytest.raises(ValueError, match="source"):
        ExploreSettings(source="elsewhere")  # type: ignore[arg-type]


def test_numpy_numbers_are_written_like_python_ones() -> None:
    chosen = ExploreSettings(parameters={"d": np.int64(3)})  # type: ignore[dict-item]
    assert chosen.to_query()["p.d"] == "3"
