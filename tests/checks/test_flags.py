"""Flags: each fault that changes what a number means is a warning that names it, and faultless
pairs have none.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

import prviz
from prviz.arrays import Rng
from prviz.checks.finding import Finding
from prviz.checks.flags import flags_of, flags_of_set
from prviz.cli.main import main
from prviz.diagnostics.preflight import preflight
from prviz.measure.workload import subsample
from prviz.readers.bundled import bundled_pair
from prviz.reports.document import schema
from prviz.samples import REORDERED, SamplePair, Samples
from prviz.studies.sweeps import sweep
from prviz.toys import TOYS, toy

TABLE = ("age", "income", "rate")


def normal(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def pair(real: np.ndarray, generated: np.ndarray, features: Sequence[str] = ()) -> SamplePair:
    names = list(features)
    return SamplePair(Samples(real, "a", features=names), Samples(generated, "b", features=names))


def warned(found: SamplePair) -> dict[str, Finding]:
    return {each.title: each for each in flags_of(found) if each.level == "warning"}


def titles(real: np.ndarray, generated: np.ndarray) -> set[str]:
    """Of the warnings on these two sets."""
    return set(warned(pair(real, generated)))


def beside(column: np.ndarray, other: np.ndarray, name: str) -> SamplePair:
    """16 features of one distribution, and a column of its own in each set."""
    names = [*(f"f{place}" for place in range(16)), name]
    return pair(
        np.c_[normal(len(column), 16, 1), column], np.c_[normal(len(other), 16, 2), other], names
    )


@pytest.mark.parametrize("ending", ["parquet", ""])
@pytest.mark.parametrize(("place", "left"), [("last", ":-1"), ("first", "1:")])
def test_a_total_in_a_table_is_remarked(place: str, left: str, ending: str, tmp_path: Path) -> None:
    table = pd.DataFrame(normal(200, 3, 0) + 2, columns=list(TABLE))
    total = table.sum().to_frame().T
    both = pd.concat([table, total] if place == "last" else [total, table], ignore_index=True)
    real = Samples(both)
    if ending:
        both.to_parquet(tmp_path / "t.parquet")
        real = prviz.read(tmp_path / "t.parquet")
    found = warned(SamplePair(real, Samples(table + 0.5)))["Summaries"]
    assert f"the {place} row sums up the others in the real set" in str(found)
    assert f"values[{left}]" in found.effect
    assert "Summaries" not in warned(SamplePair(Samples(table), Samples(table + 0.5)))


@pytest.mark.parametrize(("most", "d"), [(300, 64), (10_000, 16), (2.0**31, 512)])
def test_a_feature_that_decides_the_distances_is_named(most: float, d: int) -> None:
    seeds = np.random.default_rng(0).integers(0, int(most), (2, 400)).astype(float)
    seeds[:, 0] = seeds[:, 1]  # no key
    names = [*(f"f{place}" for place in range(d)), "seed"]
    found = warned(
        pair(np.c_[normal(400, d, 1), seeds[0]], np.c_[normal(400, d, 2), seeds[1]], names)
    )
    assert found.keys() == {"Feature scales"}
    assert found["Feature scales"].features == ("seed",)
    assert "seed holds" in found["Feature scales"].line


def test_two_features_that_decide_are_named_by_their_numbers_where_they_have_no_names() -> None:
    scale = np.array([1, 1, 40, 1, 1, 1, 30, 1])
    found = warned(pair(normal(500, 8, 1) * scale, normal(500, 8, 2) * scale))
    assert found["Feature scales"].features == ("feature 3", "feature 7")


@pytest.mark.parametrize("role", ["real", "generated", "either"])
def test_values_whose_squares_underflow_are_said(role: str) -> None:
    """Without a word such a pair has an area of 1, as no distance is above 0."""
    sets = {"real": normal(200, 4, 1), "generated": normal(200, 4, 2) + 1}
    assert "Tiny values" not in titles(*(1e-140 * each for each in sets.values()))
    for each in sets.keys() if role == "either" else {role}:
        sets[each] *= 1e-200
    found = warned(pair(*sets.values()))["Tiny values"]
    assert f"{role} set is beyond " in found.line
    assert "multiply both sets by one number" in found.line


def test_one_photo_copied_is_all_that_is_said() -> None:
    photo = np.repeat(normal(1, 64, 0), 200, axis=0)
    found = flags_of(pair(photo, photo + 0.3 * normal(200, 64, 1)))
    assert [each.line.partition(".")[0] for each in found] == [
        "One row repeated: the real set is one row 200 times"
    ]
    assert [each.title for each in flags_of_set(Samples(photo))] == ["One row repeated"]


def test_few_different_rows_are_repeats_in_either_set_and_in_both() -> None:
    few = np.repeat(normal(50, 16, 0), 20, axis=0)
    other = np.repeat(normal(50, 16, 2), 20, axis=0)
    real, generated = (f"Duplicates inside the {role} set" for role in ("real", "generated"))
    assert titles(normal(1000, 16, 1), few) == {generated}
    assert titles(few, normal(1000, 16, 1)) == {real}
    assert titles(few, other) == {real, generated}


def test_rows_that_few_values_repeat_by_nature_are_no_warning() -> None:
    rng = np.random.default_rng(0)

    def categories(*sizes: int) -> np.ndarray:
        return np.hstack([np.eye(size)[rng.integers(0, size, 600)] for size in sizes])

    real = categories(3, 4, 5)
    assert titles(real, categories(3, 4, 5)) == set()
    assert titles(real, real[::-1]) == {"Rows in both sets"}
    one = [categories(40), categories(40)]
    assert titles(*one) == set()
    beside = [
        np.hstack([each[:20], normal(20, 40, seed)])[rng.integers(0, 20, 600)]
        for seed, each in enumerate(one)
    ]
    assert len(titles(*beside)) == 2


def test_copies_of_rows_of_few_values_are_seen_where_no_row_repeats_within_a_set() -> None:
    rng = np.random.default_rng(0)
    real, generated = rng.integers(0, 5, (2, 600, 12)).astype(float)
    assert titles(real, generated) == set()
    generated[:60] = real[:60]
    assert titles(real, generated) == {"Rows in both sets"}


def test_few_rows_of_few_values_repeat_in_one_set_by_chance() -> None:
    real, generated = np.random.default_rng(0).integers(0, 2, (2, 90, 16)).astype(float)
    real[:3] = real[3:6]
    assert titles(real, generated) == set()
    real[10:40] = real[40:70]
    assert titles(real, generated) == {"Duplicates inside the real set"}


def test_tails_so_heavy_that_deviations_differ_by_chance_are_no_warning() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        real, generated = 1 / rng.normal(size=(2, 400, 8)) ** 2
        assert "Spread" not in titles(real, generated)
    assert "Spread" in titles(real, 5 * generated)


def test_the_same_rows_twice_and_copies() -> None:
    rows = normal(400, 16, 0)
    same = warned(pair(rows, rows[::-1]))
    assert same.keys() == {"Rows in both sets"}
    assert "one file twice" in same["Rows in both sets"].effect
    assert titles(rows, np.r_[rows[:80], normal(320, 16, 1)]) == {"Rows in both sets"}


def test_few_samples_of_many_features_may_be_transposed() -> None:
    found = warned(pair(normal(16, 400, 0), normal(16, 400, 1)))
    assert "400 samples of 16" in found["Few samples"].effect


def test_few_embeddings_are_not_to_be_transposed() -> None:
    sets = [Samples(normal(16, 400, seed), encoder={"encoder": "pixels:8"}) for seed in (0, 1)]
    effect = "So few say little about 400 features."
    assert warned(SamplePair(*sets))["Few samples"].effect == effect
    assert [each.effect for each in flags_of_set(sets[0])] == [effect]


def test_transposed_features_are_seen_by_their_means() -> None:
    means = np.random.default_rng(0).normal(size=200)
    sets = [(normal(3000, 200, seed) + means).T.copy() for seed in (1, 2)]
    assert titles(*sets) == {"Transposed"}
    brightness = np.sort(means)[:, None]  # samples sorted alike in both sets
    sorted_alike = (normal(200, 3000, seed) + brightness for seed in (1, 2))
    assert "Transposed" not in titles(*sorted_alike)
    noisy = sets[0] + 0.1 * normal(200, 3000, 3)  # reconstructions of the real samples
    assert titles(sets[0], noisy) == set()


def test_one_normalised_set_is_said_once() -> None:
    rows = normal(500, 16, 0)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert titles(unit, normal(500, 16, 1)) == {"Norms"}


@pytest.mark.parametrize("draw", ["standard_normal", "standard_cauchy"])
@pytest.mark.parametrize("factor", [21.5, 1e-3])
def test_the_feature_whose_spread_differs_most_counts(draw: str, factor: float) -> None:
    rng = np.random.default_rng(0)
    real, generated = (getattr(rng, draw)((500, 16)) for _ in range(2))
    generated[:, 4] *= factor
    assert warned(pair(real, generated))["Spread"].features == ("feature 5",)


def test_a_spread_that_differs_less_than_surely_is_named_and_no_warning() -> None:
    real, generated = normal(300, 6, 0), normal(300, 6, 1)
    generated[:, 1] *= 1.5
    found = preflight(pair(real, generated))
    [spread] = [each for each in found.findings if each.title == "Spread"]
    assert spread.level == "ok"
    said = (
        "feature 2 spreads 1.52 times as far in the generated set, which these samples can't tell"
    )
    assert spread.effect.startswith(said + " from 1.25 times")


def test_a_constant_that_differs_between_the_sets_is_named() -> None:
    found = warned(beside(np.zeros(500), np.ones(500), "is_generated"))
    assert found["Constant features"].features == ("is_generated",)
    assert warned(beside(np.ones(500), np.ones(500), "version")) == {}


@pytest.mark.exhaustive
def test_keys_are_seen_whatever_their_name() -> None:
    rng = np.random.default_rng(0)
    keys = [rng.permutation(10**6)[:1000] for _ in range(2)]
    key = "Key among the features"
    found = warned(beside(*keys, "record_no"))
    assert found.keys() == {key}
    assert found[key].features == ("record_no",)
    assert warned(beside(np.arange(100), np.arange(100), "number")).keys() == {key}
    salaries = np.rint(np.random.default_rng(7).lognormal(10, 0.6, (2, 150)))
    assert key not in warned(beside(*salaries, "salary"))


def test_weights_are_no_features() -> None:
    rng = np.random.default_rng(0)
    signed = rng.lognormal(0, 0.5, 1000) * np.where(rng.random(1000) < 0.2, -1, 1)
    weights = {"Weights among the features"}
    assert warned(beside(signed, np.ones(1000), "weight")).keys() == weights
    assert warned(beside(signed, signed[::-1], "event_weight")).keys() == weights
    assert warned(beside(*rng.normal(7.5, 1, (2, 1000)), "weight")) == {}


def test_very_unequal_sizes() -> None:
    assert titles(normal(160, 16, 0), normal(5000, 16, 1)) == {"Sizes"}


def test_lengths_of_texts_are_compared_where_texts_are_known() -> None:
    def with_texts(words: int, seed: int) -> Samples:
        return Samples(normal(200, 8, seed), labels={"text": np.array(["word " * words] * 200)})

    found = warned(SamplePair(with_texts(20, 1), with_texts(8, 2)))
    assert found["Lengths of texts"].value_text == "median 100 characters real, 40 generated"
    for other in (with_texts(20, 2), Samples(normal(200, 8, 2))):
        assert warned(SamplePair(with_texts(20, 1), other)) == {}


@pytest.mark.parametrize("name", [*TOYS])
def test_toys_have_no_warning(name: str) -> None:
    for n in (100, 1000):
        sample = toy(name).sample(2 * n, 0).real.values
        assert titles(sample[:n], sample[n:]) == set()


def test_real_against_real_has_no_warning() -> None:
    rng = np.random.default_rng(0)
    counts = np.random.default_rng(1).lognormal(-2, 1.5, 500)
    sets = {
        "sparse counts": lambda: rng.poisson(counts, (300, 500)).astype(float),
        "heavy tails": lambda: rng.standard_cauchy((300, 32)),
        "rectified": lambda: np.maximum(rng.normal(-1, 1, (300, 64)), 0),
        "steps": lambda: np.cumsum(rng.normal(size=(300, 100)), axis=1),
        "two modes": lambda: rng.choice([0.1, 5.0], (300, 1)) + 0.01 * rng.normal(size=(300, 3)),
    }
    assert {name: warned(pair(draw(), draw())) for name, draw in sets.items()} == {
        name: {} for name in sets
    }
    digits = bundled_pair("digits-held-out")
    assert warned(digits) == {}


# ---- what is said in Python ----

MEASURES = {
    "pr_curve": prviz.pr_curve,
    "estimate": prviz.estimate,
    "scalars": prviz.scalars,
    "upper_bound": prviz.upper_bound,
    "profile": lambda *sets: prviz.profile(*sets, methods="knn", ks=(3, 5), bandwidths=()),
    "kid": prviz.kid,
    "frechet_distance": prviz.frechet_distance,
    "clipped": prviz.clipped,
    "realism": prviz.realism,
    "rarity": prviz.rarity,
    "compare": lambda real, generated: prviz.compare(
        real, generated, generated[::-1], replicates=20
    ),
}


def with_seed(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(np.c_[rng.normal(size=(100, 4)), rng.random(100) * 1e6] for _ in range(2))  # type: ignore[return-value]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", MEASURES)
def test_every_function_that_measures_a_pair_warns_once(name: str) -> None:
    sets = with_seed([*MEASURES].index(name))
    with pytest.warns(prviz.PrvizWarning, match="feature 5 holds") as caught:
        MEASURES[name](*sets)
    assert {each.filename for each in caught} == {__file__}
    assert len(caught) == (2 if name == "compare" else 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MEASURES[name](*sets)
        prviz.pr_curve(SamplePair.of(*sets).real, sets[1])


def test_a_warning_is_silenced_by_a_filter() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", prviz.PrvizWarning)
        prviz.pr_curve(*with_seed(99))


def test_a_torch_metric_warns() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchmetrics")
    metric = prviz.PRCurveMetric()
    for values, real in zip(with_seed(50), (True, False), strict=True):
        metric.update(torch.tensor(values), real)
    with pytest.warns(prviz.PrvizWarning, match="feature 5 holds"):
        metric.curve()


@pytest.mark.exhaustive
def test_what_prviz_measures_for_itself_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sweep("shifted-gaussians", "knn", ns=(30,), dims=(40,))


def test_reordered_features_are_said_once() -> None:
    real = Samples(normal(100, 3, 0), features=("a", "b", "c"))
    other = Samples(normal(100, 3, 1), features=("c", "b", "a"))
    with pytest.warns(prviz.PrvizWarning) as caught:
        found = SamplePair(real, other)
    assert [str(each.message) for each in caught] == [REORDERED]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prviz.estimate(found, "knn")
    assert warned(found).keys() == {"Order of features"}


def test_an_entry_is_plain_json() -> None:
    found = flags_of(pair(*with_seed(3)))[0].entry()
    assert json.loads(json.dumps(found)) == found
    assert found.keys() == {"level", "title", "text", "features"}


def test_huge_values_and_single_samples_break_nothing() -> None:
    for scale, said in ((1e300, set()), (1e-300, {"Tiny values"})):
        assert titles(normal(200, 8, 0) * scale, normal(200, 8, 1) * scale) == said
    found = warned(pair(normal(1, 2, 0), normal(1, 2, 1)))
    assert found["Few samples"].value_text.startswith("1 sample of")
    assert found.keys() <= {"Few samples", "Spread"}


# ---- in the shell and in files ----


@pytest.fixture
def photo(tmp_path: Path) -> tuple[str, str]:
    """Files of one photo copied, and of pictures made from it."""
    real = np.repeat(normal(1, 64, 0), 200, axis=0)
    np.save(tmp_path / "real.npy", real)
    np.save(tmp_path / "generated.npy", real + 0.3 * normal(200, 64, 1))
    return str(tmp_path / "real.npy"), str(tmp_path / "generated.npy")


ONE_ROW = "prviz: warning: One row repeated: the real set is one row 200 times."


def test_the_curve_command_says_flags_before_its_numbers(
    photo: tuple[str, str], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "a.html"
    numbers = tmp_path / "a.json"
    options = ["--method", "knn,kde", "--html", str(page), "--json", str(numbers)]
    assert main(["curve", *photo, *options]) == 0
    out, err = capfd.readouterr()
    assert err.startswith(ONE_ROW)
    assert err.count("\n") == 1
    lines = [line for line in out.splitlines() if "  refuted, " in line]
    assert [line.split()[0] for line in lines] == ["knn"]
    assert "One row repeated" in page.read_text()
    document = json.loads(numbers.read_text())
    assert [each["title"] for each in document["flags"]] == ["One row repeated"]
    assert document["methods"]["knn"]["above_upper_bound"]
    assert not document["methods"]["kde"]["above_upper_bound"]


def test_the_parity_command_says_flags(
    photo: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["parity", *photo, "--json", "-"]) == 0
    out, err = capfd.readouterr()
    assert err.startswith(ONE_ROW)
    assert json.loads(out)["generated"][0]["flags"][0]["title"] == "One row repeated"


@pytest.mark.exhaustive
def test_triage_calls_one_photo_by_its_name_and_gives_no_ratio(
    photo: tuple[str, str], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "a.html"
    kept = ["--out", str(tmp_path / "kept")]
    reports = ["--report", str(page), "--json", "-"]
    assert main(["triage", *photo, "--method", "knn", *kept, *reports]) == 0
    out, err = capfd.readouterr()
    assert ONE_ROW in err
    report = json.loads(out)
    jsonschema.validate(report, schema())
    (entry,) = report["checkpoints"]
    for flags in (report["flags"], entry["flags"]):
        assert [each["title"] for each in flags] == ["One row repeated"]
    assert entry["findings"][0]["key"] == "single"
    assert "times theirs" not in err
    assert "<b>One row repeated</b>" in page.read_text()


def with_one_far_larger(seed: int) -> np.ndarray:
    return normal(60, 6, seed) * np.array([3e4, 1, 1, 1, 1, 1])


@pytest.mark.exhaustive
def test_a_kind_of_flag_is_said_once_for_all_checkpoints(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "all").mkdir()
    real, *made = (tmp_path / name for name in ("real.npy", "all/epoch-1.npy", "all/epoch-2.npy"))
    for seed, path in enumerate((real, *made)):
        np.save(path, with_one_far_larger(seed))
    options = ["--method", "knn", "--out", str(tmp_path / "k")]
    assert main(["triage", str(real), str(tmp_path / "all"), *options]) == 0
    assert capfd.readouterr().err.count("feature 1 holds") == 1


@pytest.mark.exhaustive
def test_a_monitor_warns_once_of_its_reference_and_keeps_the_flags(tmp_path: Path) -> None:
    monitor = prviz.Monitor(with_one_far_larger(7), directory=tmp_path, methods=["knn"])
    with pytest.warns(prviz.PrvizWarning, match="feature 1 holds") as caught:
        verdicts = [monitor.log(step, with_one_far_larger(step)) for step in (1, 2)]
    assert len(caught) == 1
    for each in verdicts:
        assert [flag.title for flag in each.flags if flag.level == "warning"] == ["Feature scales"]


def test_embedding_ends_with_what_the_features_show(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for place in range(6):
        Image.new("L", (4, 4), 9).save(tmp_path / f"{place}.png")
    out = tmp_path / "features.safetensors"
    assert main(["embed", str(tmp_path), "-o", str(out), "--encoder", "pixels:4"]) == 0
    assert "prviz: warning: One row repeated: the set is one row 6 times." in capfd.readouterr().err


def test_sets_of_which_only_some_samples_are_measured_say_so() -> None:
    whole = pair(normal(200, 3, 0), normal(80, 3, 1))
    titles = {each.title: each for each in flags_of(subsample(whole, 80))}
    assert titles["Sets cut"].level == "note"
    assert titles["Sets cut"].value_text == "the real set is cut to 80 of 200 samples"
    assert "Sets cut" not in {each.title for each in flags_of(whole)}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("fault", ["scale", "two scales", "constants"])
def test_the_printed_way_to_leave_a_feature_out_gives_the_number_without_it(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it is printed, in the shell and in Python."""
    rng = np.random.default_rng(0)
    tables = [pd.DataFrame(rng.normal(size=(150, 6)), columns=list("abcdef")) for _ in range(2)]
    expected = pytest.approx(prviz.pr_curve(*map(np.array, tables), "knn").auc, abs=1e-12)
    for number, table in enumerate(tables):
        scale = 1e6 * rng.normal(size=150)
        columns = {
            "scale": {"net, income": scale},
            "two scales": {"net, income": scale, "it's": scale[::-1]},
            "constants": {"dose": number + 1.0},
        }[fault]
        table.assign(**columns).to_csv(tmp_path / f"{number}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    line = ["curve", "0.csv", "1.csv", "--method", "knn"]
    assert main(line) == 0
    (said,) = (text for text in capsys.readouterr().err.splitlines() if "--drop" in text)
    python, shell = re.findall(r"(drop=\S.*?) \((--drop .*?)\)[,.]", said)[0]
    assert main([*line, "--json", "-", *shlex.split(shell)]) == 0
    printed = capsys.readouterr()
    assert "warning" not in printed.err
    assert json.loads(printed.out)["methods"]["knn"]["summaries"]["auc"] == expected
    drop = ast.literal_eval(python.removeprefix("drop="))
    sets = [prviz.read(f"{number}.csv", drop=drop) for number in range(2)]
    assert prviz.pr_curve(*sets, "knn").auc == expected


def test_a_key_and_weights_are_left_out_by_name_where_they_have_one() -> None:
    rng = np.random.default_rng(0)
    keyed = [
        np.c_[each, rng.permutation(10**6)[:300], 1 + 0.1 * rng.normal(size=300)]
        for each in rng.normal(size=(2, 300, 3))
    ]
    found = warned(pair(*keyed, "abcnw"))
    for title, name in (("Key among the features", "n"), ("Weights among the features", "w")):
        assert found[title].effect.endswith(f"leave it out, drop='{name}' (--drop {name}).")
    unnamed = warned(pair(*keyed))
    assert unnamed["Key among the features"].effect.endswith("leave it out.")
    assert "Weights among the features" not in unnamed


def missing(real: np.ndarray, generated: np.ndarray, names: Sequence[str] = ()) -> Finding | None:
    """The warning of numbers that stand for missing ones."""
    flags = flags_of(pair(real, generated, names))
    found = [flag for flag in flags if flag.title == "Missing values as numbers"]
    assert len(found) <= 1
    assert all(flag.level == "warning" for flag in found)
    return next(iter(found), None)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        *(
            (-999, "f8"),
            (999.9, "f8"),
            (99.99, "f4"),
            (999, "f4"),
            (1e20, "f4"),
            (9.96921e36, "f4"),
        ),
        *((-99.999, "f8"), (99.9999, "f8"), (-9999.99, "f8")),  # nines with decimals
    ],
)
def test_numbers_that_stand_for_missing_ones_are_flagged(value: float, kind: str) -> None:
    real, generated = np.random.default_rng(0).normal(size=(2, 200, 4))
    real = real.astype(kind)
    real[3, 1] = real[7, 1] = real[7, 2] = value
    assert "in 2 of 200 real rows" in missing(real, generated).text


@pytest.mark.parametrize(
    ("value", "scale"),
    [
        (-(2**31), 1000),
        (-32768, 100),
        (-32767, 100),
        (65535, 1000),
        (2**31 - 1, 1000),
        (-128, 9),
        (255, 9),
    ],
)
def test_ends_of_whole_numbers_that_repeat_far_from_the_others_are_flagged(
    value: int, scale: int
) -> None:
    rng = np.random.default_rng(0)
    real, generated = rng.normal(size=(2, 200, 4)) * scale // 1
    real[3, 1] = value
    assert missing(real, generated) is None
    real[7, 1] = real[9, 2] = value
    assert "in 3 of 200 real rows" in missing(real, generated).text
    near = np.where(real == value, value, np.sign(value) * 0.6 * abs(value) + real)
    mask = np.where(rng.random(real.shape) > 0.5, value, 0.0)
    for other in (near, mask):
        assert missing(other, generated) is None


@pytest.mark.parametrize("codes", [(98, 99), (77, 88, 99), (-97, -99), (998,)])
def test_codes_of_questionnaires_are_flagged_in_their_column(codes: Sequence[int]) -> None:
    rng = np.random.default_rng(0)
    real, generated = (
        np.c_[rng.integers(1, 6, (200, 3)), rng.normal(3e4, 9e3, 200)] for _ in range(2)
    )
    for place, code in enumerate(codes):
        real[[place, 50 + place], 1] = code
    listed = ", ".join(map(str, sorted(codes)))
    said = f"{listed} in {2 * len(codes)} of 200 real rows: b"
    assert missing(real, generated, "abcd").value_text == said
    first = abs(codes[0])
    real[:, 1] = np.where(np.isin(real[:, 1], codes), first, real[:, 1] * 0.3 * first)
    assert missing(real, generated) is None


@pytest.mark.parametrize("code", [-1, -9, -99, -999.25, -9999])
def test_a_code_alone_below_0_is_flagged_however_large_the_others_are(code: float) -> None:
    rng = np.random.default_rng(0)
    real, generated = np.round(np.exp(rng.normal(7, 1, (2, 400, 3)))) + 1
    real[:12, 1] = code
    assert missing(real, generated, "abc").value_text == f"{code:g} in 12 of 400 real rows: b"
    real[12, 1] = -3  # others are below 0 too
    assert missing(real, generated) is None


def frames(**columns: np.ndarray) -> list[pd.DataFrame]:
    """A real and a generated table of eight features, and these columns in both."""
    rng = np.random.default_rng(1)
    names = [f"f{place}" for place in range(8)]
    tables = [pd.DataFrame(rng.normal(size=(120, 8)), columns=names) for _ in range(2)]
    return [each.assign(**columns) for each in tables]


def test_columns_of_frames_that_look_like_no_features_are_said() -> None:
    said = (
        r"'label', 'epoch' look like no features \('label': by name a label or a key; 'epoch': a "
        "step or a run of training"
    )
    epochs = np.random.default_rng(0).integers(0, 9, 120)
    with pytest.warns(prviz.PrvizWarning, match=said):
        prviz.pr_curve(*frames(label=np.arange(120) % 7, epoch=epochs), "knn", k=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prviz.pr_curve(*frames(), "knn", k=5)


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
@pytest.mark.parametrize("name", ["label", "index", "seed"])
def test_what_leaves_a_column_out_is_the_frame_s_own(name: str, library: str) -> None:
    tables: list[Any] = frames(**{name: np.arange(120) % 7})
    if library == "pyarrow":
        tables = [pa.Table.from_pandas(each) for each in tables]
    if library == "polars":
        polars = pytest.importorskip("polars")
        tables = [polars.from_pandas(each) for each in tables]
    options = {"k": 5, "split": None}
    with pytest.warns(prviz.PrvizWarning, match=f"'{name}' looks like no feature") as caught:
        prviz.pr_curve(*tables, "knn", **options)
    (line,) = (text for each in caught if "looks like no feature" in (text := str(each.message)))
    remedy = line.partition("; ")[2].removesuffix(" leaves out what is none")
    left = []
    for table in tables:
        held = {"frame": table}
        exec(f"left = {remedy}", held)
        left.append(held["left"])
    right = prviz.pr_curve(*frames(), "knn", **options)
    assert prviz.pr_curve(*left, "knn", **options).auc == right.auc


@pytest.mark.parametrize(
    ("held", "code", "columns"),
    [
        (range(18, 70), 99, 1),  # ages
        (range(1, 401), 999, 1),
        (np.arange(5, 400, 0.5), 999.9, 1),
        (range(1, 31), 88, 1),
        (range(1, 6), 9, 2),  # answers of a questionnaire
        (range(1, 5), 8, 3),
    ],
)
def test_codes_behind_a_wide_gap_are_flagged_with_what_leaves_them_out(
    held: Sequence[float], code: float, columns: int
) -> None:
    rng = np.random.default_rng(0)
    real, generated = rng.choice(np.array(held, float), (2, 300, 4))
    whole = real.copy()
    for column in range(columns):
        real[column : 9 * 20 : 20, column] = code
    flag = missing(real, generated, "abcd")
    assert f"in {9 * columns} of 300 real rows: a" in flag.text
    line = flag.effect.partition("leave these rows out, ")[2].removesuffix(".")
    left = eval(line, {"table": pd.DataFrame(real, columns=list("abcd"))})  # noqa: S307
    np.testing.assert_array_equal(left, whole[~(real == code)[:, :columns].any(axis=1)])
    near = np.where(real == code, max(held) + 1, real)
    assert missing(near, generated) is None


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: np.minimum(rng.integers(18, 130, (300, 3)), 99),  # they end at 99
        lambda rng: np.minimum(rng.geometric(0.03, (300, 3)), 99),
        lambda rng: rng.integers(0, 10, (300, 3)),  # or at 9
        lambda rng: rng.integers(1, 101, (300, 3)),
        lambda rng: rng.choice([10, 20, 49, 99], (300, 3)),
        lambda rng: np.c_[rng.integers(1, 6, (300, 2)), rng.choice([1, 2, 3, 4, 9], 300)],  # alone
        lambda rng: rng.integers(-1, 3, (300, 3)),  # steps down and up
        lambda rng: np.arange(1000.0).reshape(500, 2),
        lambda rng: rng.normal(size=(200, 4)) * 400 // 1,
        lambda rng: np.full((200, 2), 99.0) + rng.normal(size=(200, 2)),
    ],
)
def test_ordinary_numbers_are_no_codes(draw: Callable[[Rng], np.ndarray]) -> None:
    rng = np.random.default_rng(0)
    assert missing(draw(rng).astype(float), draw(rng).astype(float)) is None


def test_zeros_far_below_all_other_numbers_are_said() -> None:
    real = normal(120, 3, 0) * [1, 12, 30] + [0, 72, 30]
    real[::13, 1] = 0
    real[::5, 2] = 0  # too often, and among other numbers

    def zeros(values: np.ndarray) -> list[Finding]:
        flags = flags_of(pair(values, normal(len(values), 3, 1), TABLE))
        return [each for each in flags if each.title == "Zeros"]

    [flag] = zeros(real)
    assert flag.level == "note"
    assert flag.value_text == "0 in 10 of 120 real rows: income"
    [code] = re.findall(r"table\[.*\]", flag.effect)
    assert len(eval(code, {"table": pd.DataFrame(real, columns=TABLE)})) == 110  # noqa: S307
    for ordinary in (
        np.maximum(normal(120, 3, 0), -0.3) + 0.3,
        np.where(real == 0, 0, real[:, [1]]),  # in most columns
        np.where(real == 0, 0, np.round(real / 30) + 9),  # a few codes
        real[:14],
    ):
        assert zeros(ordinary) == []


def test_numbers_of_stations_that_hardly_differ_tell_the_sets_apart() -> None:
    real = np.c_[normal(120, 2, 0), np.full((120, 5), 72502014734)]
    other = np.c_[normal(120, 2, 1), np.full((120, 5), 72505394728)]
    effect = warned(pair(real, other, "abcdefg"))["Constant features"].effect
    assert "a value of its own in c, d, e, f and 1 more, which" in effect
    real[:, 2:] += 0.5
    assert "Constant features" not in warned(pair(real, other, "abcdefg"))  # it may be rounding
