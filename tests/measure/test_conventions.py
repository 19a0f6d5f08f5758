"""The table of conventions: each row against the rule it describes, computed literally."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager

import numpy as np
import pytest
from prdc import compute_prdc

from prviz.cli.main import main
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.blind_spots import BLIND_SPOTS
from prviz.measure.frechet import compare_frechet
from prviz.measure.kernel_scores import kid
from prviz.measure.scalars import conventions, half_radii, realism, scalars
from tests.estimators.pairs import gaussians, swapped, ties
from tests.marks import exhaustive_but
from tests.measure.test_scalars import distances

NUMBERS = ("precision", "recall", "density", "coverage")
PAIRS = pytest.mark.parametrize(
    "pair",
    [gaussians(), ties(), gaussians(30, 50, 2, shift=1.0)],
    ids=["gaussians", "ties", "plane"],
)


def kth(matrix, order, *, own_counted=False):
    """The order-th smallest entry of each row of a square matrix, the diagonal left out by index or
    not.
    """
    rows = [row if own_counted else np.delete(row, i) for i, row in enumerate(matrix)]
    return np.array([np.sort(row)[order - 1] for row in rows])


def literal(
    real, generated, k, *, order=None, change=lambda d: d, inside=np.less_equal, own_counted=False
):
    """Four numbers from whole matrices of (changed) distances."""
    radii = [
        kth(change(distances(each, each)), order or k, own_counted=own_counted)
        for each in (real, generated)
    ]
    between = change(distances(real, generated))
    in_real = inside(between, radii[0][:, None])
    in_generated = inside(between, radii[1][None, :])
    shares = in_real.any(axis=0).mean(), in_generated.any(axis=1).mean(), in_real.any(axis=1).mean()
    return (
        [shares[0], shares[1], in_real.sum() / (k * len(generated)), shares[2]],
        in_real,
        in_generated,
    )


def half(values):
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(np.float16)


def table(pair, k):
    return {row.name: row for row in conventions(*pair, k)}


def numbers(row) -> list[float]:
    return [getattr(row, name) for name in NUMBERS]


@pytest.mark.one_in(3)
@PAIRS
@pytest.mark.parametrize("k", exhaustive_but((1, 4), 4))
def test_every_row_is_what_it_says(pair, k):
    real, generated = (each.values.astype(np.float64) for each in pair)
    found = table(pair, k)
    assert numbers(found["closed"]) == literal(real, generated, k)[0]
    assert numbers(found["open"]) == literal(real, generated, k, inside=np.less)[0]
    assert numbers(found["self counted"]) == literal(real, generated, k, own_counted=True)[0]
    assert numbers(found["k + 1"]) == literal(real, generated, k, order=k + 1)[0]
    assert numbers(found["squared"]) == numbers(found["all balls"]) == numbers(found["closed"])
    assert numbers(found["float16"]) == literal(real, generated, k, change=half)[0]
    halves = half(real).astype(np.float64), half(generated).astype(np.float64)
    assert numbers(found["float16 samples"]) == literal(*halves, k, change=half)[0]
    scaled = [(each - real.mean(axis=0)) / real.std(axis=0) for each in (real, generated)]
    assert numbers(found["scaled"]) == literal(*scaled, k)[0]
    assert numbers(found["swapped"]) == literal(generated, real, k)[0]


@PAIRS
def test_the_other_side_exchanges_what_is_averaged_over(pair):
    row = table(pair, 3)["other side"]
    _, in_real, in_generated = literal(pair.real.values, pair.generated.values, 3)
    shares = in_real.any(axis=1).mean(), in_generated.any(axis=0).mean(), in_real.any(axis=0).mean()
    assert numbers(row) == [shares[0], shares[1], in_real.sum() / (3 * pair.real.n), shares[2]]


@PAIRS
def test_realism_by_row(pair):
    found = table(pair, 3)
    scores = realism(*pair, k=3)
    assert found["closed"].realism == found["open"].realism == np.median(scores)
    assert found["k + 1"].realism == np.median(realism(*pair, k=4))
    assert found["swapped"].realism == np.median(realism(*swapped(pair), k=3))
    assert found["squared"].realism == np.median(scores**2)
    between = distances(pair.real.values, pair.generated.values)
    radii = kth(distances(pair.real.values, pair.real.values), 3)[:, None]
    with np.errstate(divide="ignore"):
        ratios = radii / between
    ratios[between == 0] = np.inf
    assert found["all balls"].realism == np.median(ratios.max(axis=0))
    assert math.isnan(found["float16"].realism)


def test_the_rows_are_those_of_scalars_and_of_prdc():
    for pair in (gaussians(), ties()):
        found = table(pair, 3)
        for row, ball in (("closed", "closed"), ("open", "open")):
            expected = scalars(*pair, k=3, ball=ball)
            assert numbers(found[row]) == [expected[name] for name in NUMBERS]
        theirs = compute_prdc(pair.real.values, pair.generated.values, 3)
        assert numbers(found["open"]) == pytest.approx(
            [theirs[name] for name in NUMBERS], rel=1e-12
        )


def test_rounding_to_half_precision_keeps_and_breaks_ties_as_the_hardware_does():
    rng = np.random.default_rng(0)
    radii = np.concatenate(
        [rng.random(3000) * 10.0 ** rng.integers(-9, 5, 3000), [0.0, 65503.0, 65504.0, 65519.9]]
    )
    limits = half_radii(radii)
    assert np.all(half(limits) <= half(radii))
    assert np.all(half(np.nextafter(limits, np.inf)) > half(radii))
    beyond = half_radii(np.array([65520.0, 1e6]))
    assert np.all(beyond == np.finfo(np.float64).max)


def test_distances_beyond_half_precision_all_tie():
    rng = np.random.default_rng(0)
    real, generated = (rng.normal(size=(n, 3)) * 1e6 for n in (30, 20))
    found = table((real, generated), 2)
    assert numbers(found["float16"]) == literal(real, generated, 2, change=half)[0]
    assert found["float16"].precision == 1
    assert all(math.isnan(value) for value in numbers(found["float16 samples"]))


def test_the_largest_k_has_no_next_one():
    pair = [np.arange(n)[:, None] for n in (5.0, 4.0)]
    found = table(pair, 3)
    assert all(math.isnan(value) for value in numbers(found["k + 1"]))
    assert found["closed"].precision == 1
    with pytest.raises(
        ValueError, match="k = 4; an integer from 1 to 3, one less than the smaller set"
    ):
        conventions(*pair, 4)


def test_a_constant_feature_is_left_alone_by_the_scaling():
    pair = gaussians(d=3)
    wide = [np.column_stack([each.values, np.full(each.n, 7.0)]) for each in pair]
    assert numbers(table(wide, 3)["scaled"]) == numbers(table(pair, 3)["scaled"])


# ---- from a shell ----


@pytest.fixture
def files(tmp_path) -> tuple[str, str]:
    for name, side in zip(("real", "generated"), ties(), strict=True):
        np.save(tmp_path / f"{name}.npy", side.values)
    return str(tmp_path / "real.npy"), str(tmp_path / "generated.npy")


def test_the_table(files, capsys):
    assert main(["parity", *files, "--k", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["real       real.npy  40 x 3", "generated  generated.npy  30 x 3", "k = 3"]
    assert lines[4].split() == [*NUMBERS, "realism"]
    rows = table(ties(), 3)
    first = numbers(rows["closed"])
    for line, row in zip(lines[5:], rows.values(), strict=False):
        assert line.startswith(row.name)
        cells = line[len("float16 samples") :].split()[:4]
        for cell, value, plain in zip(cells, numbers(row), first, strict=True):
            assert cell == f"{value:.4f}" + "*" * (value != plain)
    assert lines[5 + len(rows) + 1] == "* differs from the first row; - does not exist"
    start = 5 + len(rows) + 3
    notes = {line.split(":")[0]: line for line in lines[start : start + len(rows)]}
    assert list(notes) == list(rows)
    assert "prdc" in notes["open"]
    assert "prdc" not in notes["closed"]
    others = lines[start + len(rows) + 1 :]
    found = scalars(*ties(), k=3)
    told = [line.split(maxsplit=2) for line in others[::2]]
    assert [name for name, *_ in told] == [name for name in BLIND_SPOTS if name in found][4:]
    for (name, value, *more), unseen in zip(told, others[1::2], strict=True):
        assert value == f"{found[name]:.6g}"
        if name == "kid":
            assert unseen.strip() == f"can't see: {BLIND_SPOTS['kid']}"
            assert "by torch-fidelity" in more[0]


def test_the_json_has_every_number_of_the_table(files, tmp_path, capsys):
    assert main(["parity", *files, "--k", "3", "--json", "--rays", "101"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["real"] == {"name": "real.npy", "n": 40, "d": 3, "digest": ties().real.digest}
    (one,) = document["generated"]
    assert (one["name"], one["n"]) == ("generated.npy", 30)
    assert [flag["title"] for flag in one["flags"]][:1] == ["Sizes"]
    rows = table(ties(), 3)
    assert [[row[name] for name in NUMBERS] for row in one["conventions"]] == [
        numbers(row) for row in rows.values()
    ]
    assert one["conventions"][6]["realism"] is None
    assert one["conventions"][6]["caveat"] == "no published code has a realism of rounded distances"
    found = scalars(*ties(), k=3)
    assert {name: each["value"] for name, each in one["numbers"].items()} == {
        name: found[name] for name in one["numbers"]
    }
    assert one["numbers"]["kid"]["std"] == found["kid_std"]
    assert one["numbers"]["kid"]["subsets"]["value"] == kid(*ties(), subsets=100).value
    distance = one["numbers"]["frechet_distance"]
    assert distance["low"] <= distance["value"] - distance["bias"] <= distance["high"]
    assert set(one["curves"]) == set(DEFAULT_METHODS)
    assert document["differences"] == []
    assert main(["parity", *files, "--json", str(tmp_path / "all.json")]) == 0
    assert "frechet_distance" in capsys.readouterr().out
    assert json.loads((tmp_path / "all.json").read_text())["k"] == 5
    assert main(["parity", *files, "--json", str(tmp_path / "nowhere" / "all.json")]) == 2
    assert "nowhere/all.json: there is no folder" in capsys.readouterr().err


def test_two_generated_sets_are_compared_on_the_same_real_samples(files, tmp_path, capsys):
    other = np.asarray(ties().generated) + 1.0
    np.save(tmp_path / "other.npy", other)
    assert main(["parity", *files, str(tmp_path / "other.npy"), "--k", "3"]) == 0
    text = capsys.readouterr().out
    assert text.count("* differs from the first row") == 2
    apart = compare_frechet(ties().real, ties().generated, other)
    assert (
        text.splitlines()[-1]
        == f"frechet_distance of generated.npy less that of other.npy: {apart.difference:.6g}, 95 %"
        f" interval {apart.low:.6g} to {apart.high:.6g}, of ever more samples"
    )
    assert main(["parity", *files, str(tmp_path / "other.npy"), "--json"]) == 0
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    assert (difference["a"], difference["b"]) == ("generated.npy", "other.npy")
    assert difference["frechet_distance"]["low"] == apart.low


def test_a_number_that_does_not_exist_says_why(tmp_path, capsys):
    def told(k: int, *sets: np.ndarray) -> tuple[str, dict[str, str]]:
        files = [str(tmp_path / name) for name in ("few.npy", "more.npy")]
        for path, values in zip(files, sets, strict=True):
            np.save(path, values)
        assert main(["parity", *files, "--k", str(k)]) == 0
        text = capsys.readouterr().out
        return text, {line.split()[0]: line for line in text.splitlines() if line}

    one, other = np.random.default_rng(0).normal(size=(2, 7, 6)) * 1e60
    text, lines = told(6, one, other)
    assert (
        "k + 1: the radius reaches to the (k+1)-th other sample (code that corrects for the sample"
        " itself twice)" in text
    )
    assert "twice); -: the smaller set has no 7 other samples" in text
    assert "(stylegan3); -: float16 ends at 65,504, and a value here is beyond" in text
    assert "e+60 are too large: the kernel takes their sixth powers" in lines["kid"]
    assert lines["frechet_distance"].endswith(
        "how much of it is the bias of so few samples is not known, it may be all: halves of 3 span"
        " at most 2 of 6 dimensions; 14 samples of each set tell it"
    )
    _, lines = told(3, np.ones((7, 6)), other)
    assert lines["rke_real"].endswith(
        "-  its bandwidth is half the spread of the real samples, which are all equal"
    )


def test_conventions_report_their_progress():
    shares: list[float] = []
    conventions(*ties(), 3, progress=shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] < 1


def test_parity_shows_its_progress_over_all_sets(files, monkeypatch, capsys):
    shares: list[float] = []

    @contextmanager
    def watched(_):
        yield shares.append

    monkeypatch.setattr("prviz.cli.parity.watched", watched)
    assert main(["parity", *files, files[1], "--k", "3"]) == 0
    capsys.readouterr()
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.1
    assert sum(share < 0.5 for share in shares) > 10
    assert shares[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k", "0"], "k = 0; an integer from 1 to 29, one less than the smaller set, is needed"),
        (["--k", "30"], "k = 30; an integer from 1 to 29"),
        (["--k", "many"], "argument --k: invalid int value: 'many'"),
    ],
)
def test_errors_take_one_line_and_status_2(files, capsys, options, message):
    try:
        status = main(["parity", *files, *options])
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    assert message in capsys.readouterr().err


def test_sets_of_different_dimensions_are_refused(tmp_path, files, capsys):
    np.save(tmp_path / "flat.npy", np.zeros((9, 2)))
    assert main(["parity", files[0], str(tmp_path / "flat.npy")]) == 2
    assert "real samples have 3 features, generated ones have 2" in capsys.readouterr().err


def test_one_neighbour_more_is_counted_where_there_is_one():
    pair = gaussians(6, 9, 2)
    for k in (3, 4, 5):
        row = table(pair, k)["k + 1"]
        expected = [math.nan] * 4
        if k < 5:
            expected = literal(pair.real.values, pair.generated.values, k, order=k + 1)[0]
        assert numbers(row) == pytest.approx(expected, nan_ok=True)
        assert row.caveat == ("" if k < 5 else "the smaller set has no 6 other samples")
