"""Class by class: the missing one is first, the null is that of random orders, and small classes
wait at the end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from prviz.cli.triage_outputs import _classes
from prviz.readers import ReadError, read, read_label
from prviz.samples import Samples
from prviz.triage.classes import _holm, _share, by_class, class_sentence

CENTRES = 6.0 * np.eye(4)


def drawn(a: int, b: int, c: int, d: int, *, seed: int = 0) -> tuple[Samples, list[str]]:
    """Clusters of these sizes, called a to d."""
    labels = np.repeat(np.arange(4), [a, b, c, d])
    noise = np.random.default_rng(seed).normal(size=(len(labels), 4))
    return Samples(CENTRES[labels] + noise), ["abcd"[each] for each in labels]


def test_the_class_that_is_never_made_is_first_and_the_seldom_one_next() -> None:
    real, labels = drawn(150, 150, 150, 30)
    generated, _ = drawn(150, 30, 0, 30, seed=1)
    found = by_class(real, generated, labels)
    assert [each.label for each in found] == ["c", "b", "a", "d"]
    assert [each.worse for each in found] == [True, True, False, False]
    assert [each.few for each in found] == [False, False, False, True]
    assert found[0].missed == 1.0
    assert all(each.low <= each.missed <= each.high for each in found)


def test_the_expected_share_is_that_of_two_sets_of_one_distribution() -> None:
    shares = []
    for seed in range(12):
        real, labels = drawn(60, 60, 60, 60, seed=seed)
        generated, _ = drawn(40, 40, 40, 40, seed=100 + seed)
        found = by_class(real, generated, labels, k=3)
        shares += [each.missed - each.expected for each in found]
        assert not any(each.worse for each in found)
    assert found[0].expected == pytest.approx(np.prod([(239 - i) / (399 - i) for i in range(3)]))
    assert abs(np.mean(shares)) < 0.03


def test_labels_on_both_sides_show_a_class_of_another_kind_from_both() -> None:
    real, labels = drawn(80, 80, 80, 80)
    generated, others = drawn(80, 80, 80, 80, seed=1)
    swapped = ["b" if each == "a" else "a" if each == "b" else each for each in others]
    found = by_class(real, generated, labels, swapped)
    assert {(each.label, each.role) for each in found if each.worse} == {
        (label, role) for label in "ab" for role in ("real", "generated")
    }
    assert not any(each.worse for each in by_class(real, generated, labels, others))
    alone = by_class(real, generated, labels, ["e" if each == "a" else each for each in others])
    assert {(each.label, each.others, each.missed) for each in alone if each.worse} == {
        ("a", 0, 1.0),
        ("e", 0, 1.0),
    }


@pytest.mark.parametrize("n", [60, 12])
def test_a_class_that_is_never_generated_is_first_at_any_size(n: int) -> None:
    real, labels = drawn(200, 200, n, 0)
    generated, others = drawn(200, 200, 0, 0, seed=1)
    first = by_class(real, generated, labels, others)[0]
    assert (first.label, first.n, first.others, first.worse, first.few) == ("c", n, 0, True, False)
    assert class_sentence(first) == f"c: {n} real, none generated"


def test_a_class_of_so_few_that_none_may_be_chance_is_said_and_no_more() -> None:
    real, labels = drawn(200, 200, 2, 0)
    generated, others = drawn(200, 200, 0, 1, seed=1)
    absent = [each for each in by_class(real, generated, labels, others) if not each.others]
    assert {class_sentence(each) for each in absent} == {
        "c: 2 real, none generated",
        "d: 1 generated, none real",
    }
    assert not any(each.worse for each in absent)
    assert {class_sentence(each) for each in absent} <= {
        line.strip()
        for line in _classes("m", by_class(real, generated, labels, others), 0).splitlines()
    }


def test_labels_of_two_kinds_are_refused_by_name_and_whole_numbers_meet_whatever_their_type() -> (
    None
):
    real, labels = drawn(60, 60, 60, 60)
    generated, others = drawn(60, 60, 60, 60, seed=1)
    numbers = np.searchsorted(list("abcd"), others)
    with pytest.raises(
        ValueError,
        match=r"no label of generated is in real: '0', '1', '2' \.\.\. against 'a', 'b', 'c' \.\.",
    ):
        by_class(real, generated, labels, numbers)
    whole = by_class(real, generated, np.searchsorted(list("abcd"), labels), numbers.astype(float))
    assert whole == tuple(
        each._replace(label=str("abcd".index(each.label)))
        for each in by_class(real, generated, labels, others)
    )


def test_of_groups_one_sample_each_is_compared() -> None:
    real, labels = drawn(60, 60, 60, 60)
    groups = np.arange(240)
    twice = Samples(np.repeat(real.values, 5, 0), groups=np.repeat(groups, 5))
    generated, _ = drawn(60, 60, 60, 60, seed=1)
    assert by_class(twice, generated, np.repeat(labels, 5)) == by_class(real, generated, labels)


def test_arrays_named_like_labels_are_the_labels_of_the_samples_beside_them(tmp_path: Path) -> None:
    values = np.ones((4, 3), dtype=np.float32)
    kinds = np.array(["a", "b", "a", "c"])
    numbers = np.array([7, 8, 8, 7])
    others = {"labels": numbers[:3], "other": numbers, "ids": np.ones(4)}
    np.savez(tmp_path / "a.npz", x=values, label=kinds, y=numbers, **others)
    (tmp_path / "a.safetensors").write_bytes(save({"x": values, "label": numbers, "mean": numbers}))
    for name, expected in (
        ("a.npz", {"label": kinds, "y": numbers}),
        ("a.safetensors", {"label": numbers}),
    ):
        found = read(tmp_path / name).labels
        assert found.keys() == expected.keys()
        for label, column in found.items():
            np.testing.assert_array_equal(column, expected[label])


def test_labels_are_read_from_tables_and_archives(tmp_path: Path) -> None:
    values = np.arange(8.0).reshape(4, 2)
    np.savez(
        tmp_path / "a.npz",
        x=values,
        kind=["a", "b", "a", "c"],
        wrong=values,
        spoken=np.array([None] * 4),
    )
    samples = read(tmp_path / "a.npz", key="x")
    assert read_label(tmp_path / "a.npz", "kind", samples).tolist() == ["a", "b", "a", "c"]
    assert read_label(tmp_path / "a.npz", "none", samples) is None
    for name in ("wrong", "spoken"):
        with pytest.raises(ReadError, match="a label for each of the 4 samples is needed"):
            read_label(tmp_path / "a.npz", name, samples)
    (tmp_path / "a.csv").write_text("u,v,label\n1,2,7\n3,4,8\n5,6,8\n")
    table = read(tmp_path / "a.csv")
    assert read_label(tmp_path / "a.csv", "label", table).tolist() == [7, 8, 8]
    with pytest.raises(ValueError, match="different values"):
        by_class(Samples(np.zeros((300, 2))), table, range(300))


def test_a_class_is_worse_exactly_where_its_interval_lies_above_what_is_expected() -> None:
    worse = []
    for missed in range(0, 101, 2):
        (found,) = _holm([_share("a", "real", np.arange(100) < missed, 100, 0.2)])
        assert found.worse == (found.low >= 0.2)
        worse.append(found.worse)
    assert worse == sorted(worse)
    assert 0 < sum(worse) < len(worse)
