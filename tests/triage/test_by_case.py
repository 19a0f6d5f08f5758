"""Rules of Triage on inputs that are written out: names, words and verdicts at both sides of each
threshold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace as Of
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import prviz
from prviz.curves import PRCurve
from prviz.diagnostics.column_tests import column_tests
from prviz.diagnostics.preflight import preflight
from prviz.estimators.tightest import TIGHTEST
from prviz.measure.estimates import estimate
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.queries import NearestRows
from prviz.readers import ReadError, read
from prviz.readers.safe_folder import Below
from prviz.samples import SamplePair, Samples
from prviz.triage import (
    column_faults,
    inputs,
    measured,
    triage as triage_module,
    yardstick as yardstick_module,
)
from prviz.triage.classes import (
    ClassShare,
    _as_texts,
    _expected,
    _holm,
    _interval,
    _ratios,
    by_class,
    class_sentence,
    class_shares,
    missed_samples,
)
from prviz.triage.column_faults import Differing, _fits
from prviz.triage.curve_findings import _few, _flat, apart, doubts, outlier_faults
from prviz.triage.decision import (
    Basis,
    Disagreement,
    _disagreement,
    _headline,
    basis_of,
    believed_areas,
    looked_into,
    told_apart,
)
from prviz.triage.encoders import EncoderRanking, encoder_verdict, rank_estimates
from prviz.triage.evidence import Spectrum
from prviz.triage.finding import TriageFinding, grade, percent
from prviz.triage.findings import _alike, _unnamed, agreed_faults, usual_faults
from prviz.triage.inputs import (
    Checkpoint,
    _finder,
    _names,
    checkpoints_below,
    checkpoints_of,
    common_prefix,
    details_of,
    natural,
    skipped_files,
    skipped_folders,
)
from prviz.triage.measure import (
    CheckpointEvaluator,
    SetSizes,
    other_encoders,
    set_sizes,
    unequal,
    uneven,
)
from prviz.triage.measured import CheckpointOutcome, PairDigests, ResultCache, TriageSettings
from prviz.triage.memorisation import (
    Excess,
    Memorisation,
    NearPair,
    _excess,
    _of_other_groups,
    binomial_interval,
    check_holdout,
    copies_text,
    held_out_distances,
    memorisation,
    memorisation_of_facts,
    memorised_text,
)
from prviz.triage.pair_statistics import (
    _log_ratio,
    _masses,
    _mean,
    _moves,
    _one_of_each,
    _order_of,
    _radii,
    _shifted,
    _tail,
    _void,
    clusters,
    rows_in_time,
    rows_within,
)
from prviz.triage.placement_faults import (
    _repeats_more,
    near_copies,
    normalised,
    one_row,
    row_faults,
)
from prviz.triage.power import PLANTED, _changed, _mode
from prviz.triage.ranking import (
    AreaSides,
    Headline,
    SharedReference,
    capped,
    headline,
    listed,
    ranking,
    share_text,
    sides,
)
from prviz.triage.row_sets import RowSet, unit_of
from prviz.triage.stability import (
    _drawn,
    _some_groups,
    full_rows,
    groups,
    ks_of,
    part,
    rows_in_use,
    rows_of,
    scored,
    usual_shares,
)
from prviz.triage.triage import Triage
from prviz.triage.yardstick import (
    CeilingShare,
    Yardstick,
    _dominant,
    _halves,
    _part,
    _shuffled,
    blind,
    shares_of_ceiling,
)
from prviz.uncertainty.bootstrap import replicated

# ---- files ----


def test_a_file_of_the_table_is_the_one_that_ends_so() -> None:
    paths = {
        Path("r/a/x.npy"): "m1",
        Path("r/b/x.npy"): "m2",
        Path("r/c/y.npy"): "y",
        Path("z.npy"): "x.npy",
    }
    find = _finder(paths)
    for text, path in {
        "m1": "r/a/x.npy",
        "a/x.npy": "r/a/x.npy",
        "r/b/x.npy": "r/b/x.npy",
        "./y.npy": "r/c/y.npy",
    }.items():
        assert find(text, "row 2") == Path(path)
    assert find("x.npy", "row 2") == Path("z.npy")  # a name before the ends of paths
    for text, number in {
        "/r/a/x.npy": "none",
        "q/r/a/x.npy": "none",
        "": "none",
        "x": "none",
        "npy": "none",
    }.items():
        with pytest.raises(
            ValueError, match=f"row 2, column 'file': '{text}' names {number} of the checkpoints"
        ):
            find(text, "row 2")
    with pytest.raises(ValueError, match=r"'x\.npy' names 2 of the checkpoints"):
        _finder({Path("a/x.npy"): "a", Path("b/x.npy"): "b"})("x.npy", "")


@pytest.mark.parametrize(
    ("limit", "most", "refused"),
    [
        ("_MOST_ROWS", 4, "more than 3 rows"),
        ("_MOST_COLUMNS", 4, "4 columns; at most 3"),
        ("_MOST_BYTES", 45, "more than 0 MiB"),
    ],
)
def test_the_table_of_checkpoints_is_of_some_size_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, refused: str
) -> None:
    table = tmp_path / "m.csv"
    table.write_text("file,run,step,psi\na, one  two ,1.5M,\n\nb,,,.5\n")
    names = {Path("a.npy"): "a", Path("b.npy"): "b"}
    monkeypatch.setattr(inputs, limit, most)
    assert details_of(table, names) == {
        Path("a.npy"): (1_500_000.0, {}, "one two"),
        Path("b.npy"): (None, {"psi": 0.5}, ""),
    }
    monkeypatch.setattr(inputs, limit, most - 1)
    with pytest.raises(ValueError, match=refused):
        details_of(table, names)


def test_files_that_no_reader_takes_are_counted_and_others_are_not(tmp_path: Path) -> None:
    for name in (
        "a.npy",
        "B.CSV",
        ".h.npy",
        "n.txt",
        "b.TXT",
        "t.samples.parquet",
        "t.safetensors",
        "sub/x.txt",
        ".x",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [each.name for each in skipped_files(tmp_path)] == ["b.TXT", "n.txt"]
    listed_twice = skipped_files(
        [tmp_path, tmp_path / "sub", tmp_path / "a.npy"], leave_out=[tmp_path / "n.txt"]
    )
    assert [each.name for each in listed_twice] == ["b.TXT", "x.txt"]
    assert skipped_files(tmp_path / "n.txt") == []
    assert [each.name for each in checkpoints_of(tmp_path)] == ["a", "B", "t"]
    assert skipped_folders([tmp_path]) == []  # sub holds no samples
    for name in ("sub/deep/x.npy", "real/x.npy", ".h/x.npy"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    found = skipped_folders([tmp_path], leave_out=[tmp_path / "real" / "x.npy"])
    assert [each.name for each in found] == ["sub"]
    assert skipped_folders([tmp_path, tmp_path / "sub", tmp_path / "real"]) == [
        tmp_path / "sub" / "deep"
    ]


@pytest.mark.parametrize(("names", "pattern"), [(["s.npy"], "*/s.npy"), (["1.npy", "2.npy"], "*/")])
def test_files_in_folders_of_a_folder_are_told_how_to_be_named(
    tmp_path: Path, names: list[str], pattern: str
) -> None:
    for place in (1, 2):
        (tmp_path / f"m{place}").mkdir()
        for name in names:
            (tmp_path / f"m{place}" / name).touch()
    with pytest.raises(ValueError, match="in folders of it: name them, as in ") as refused:
        checkpoints_of(tmp_path)
    assert str(refused.value).endswith(f"{tmp_path}/{pattern}")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/x.npy", "b/x.npy"], ["a/x", "b/x"]),
        (["a/x.npy", "a/x.csv"], ["x.npy", "x.csv"]),
        (["a/x.npy", "b/x.csv", "b/x.npy"], ["a/x.npy", "b/x.csv", "b/x.npy"]),
        (["c/a/x.npy", "d/a/x.npy"], ["c/a/x", "d/a/x"]),
        (["x.samples.parquet", "y.npy"], ["x", "y"]),
    ],
)
def test_names_are_the_shortest_that_differ(paths: list[str], names: list[str]) -> None:
    assert _names([Path(each) for each in paths]) == names


def test_prefixes_and_orders_of_names() -> None:
    prefixes = {
        "a-1 a-12": "a-",
        "a-b-1 a-b-2 a-c": "a-",
        "x x": "",
        "a.b1 a.b2": "a.",
        "-1 -2": "-",
        "a a-1": "",
        "a-1": "",
    }
    assert {text: common_prefix(text.split()) for text in prefixes} == prefixes
    assert common_prefix(["run 1", "run 2"]) == "run "
    ordered = ["", "9", "a", "a9", "a09", "a9b", "a10", "B1"]
    assert sorted(["a10", "a9b", "a9", "B1", "a09", "9", "", "a"], key=natural) == ordered


# ---- the ranking in words ----


HALF = "Score 0.500 (0.400 to 0.600 in 95 % of the draws)"


def line(
    name: str, score: float, *, tied: bool = False, best: float = 0.5, **more: float
) -> dict[str, Any]:
    known = {
        "low": score - 0.1,
        "high": score + 0.1,
        "behind": 0.0,
        "second": math.nan,
        "second_low": 0.0,
        "second_high": 0.0,
    }
    return {
        "checkpoint": name,
        "score": score,
        "tied_with_best": tied,
        "best": best,
        **known,
        **more,
    }


@pytest.mark.parametrize(
    ("lines", "left_out", "head", "rest"),
    [
        (
            [line("a", 0.5)],
            0,
            "Only a is measured",
            f"{HALF}. A ranking needs two.",
        ),
        ([line("a", 0.5)], 1, "Best: a", f"{HALF}. No other one is left."),
        (
            [line("a", 0.5, best=0.991), line("b", 0.4, behind=0.1)],
            1,
            "Best: a",
            f"{HALF}, best in > 99 % of the paired draws. Next is b, 0.100 lower.",
        ),
        (
            [line("a", 0.5, tied=True), line("b", 0.4, tied=True, best=0.001), line("c", 0.1)],
            0,
            "May be best: 2 of 3",
            f"Best of the paired draws: a in 50 % and b in < 1 %. {HALF} for a.",
        ),
        (
            [line("a", 0.5, best=1.0), line("b", 0.05, second=0.3, behind=0.4)],
            0,
            "Best: a",
            f"{HALF}, best in > 99 % of the paired draws. Next is b.",
        ),
        (
            [line("a", 0.05, second=0.0, second_high=0.2), line("b", 0.05, second=0.0, behind=0.2)],
            0,
            "Best: a",
            (
                "kNN 0.000 (0.000 to 0.200 in 95 % of the draws), best in 50 % of the paired draws."
                " Next is b, 0.200 lower."
            ),
        ),
        (
            [line("a", 0.1, second=0.3)],
            0,
            "Only a is measured",
            "Score 0.100 (0.000 to 0.200 in 95 % of the draws). A ranking needs two.",
        ),
    ],
)
def test_the_headline_names_the_best_or_all_that_may_be_it(
    lines: Sequence[Any], left_out: int, head: str, rest: str
) -> None:
    said = headline(pd.DataFrame(lines), "kNN", left_out=left_out)
    assert (said.head, said.rest) == (head, rest)
    assert said.text == f"{head}. {rest}"


@pytest.mark.parametrize(
    ("text_of", "texts"),
    [
        (listed, {"a": "a", "ab": "a and b", "abcde": "a, b, c, d and e"}),
        (listed, {"abcdef": "a, b, c, d and 2 more"}),
        (share_text, {math.nan: "-", 0: "< 1 %", 0.009: "< 1 %", 0.01: "1 %"}),
        (share_text, {0.99: "99 %", 0.991: "> 99 %"}),
        (percent, {0: "0 %", 0.0123: "1.2 %", 0.094: "9.4 %", 0.095: "10 %", 0.5: "50 %"}),
        (grade, {0.2: "note", 0.21: "warning"}),
        (_part, {0.0: "less than 1 %", 0.009: "less than 1 %", 0.01: "1 %", 0.5: "50 %"}),
    ],
)
def test_lists_and_shares_in_words(text_of: Any, texts: dict[Any, str]) -> None:
    assert {each: text_of(each) for each in texts} == texts


def shared(*values: float, spread: float = 0.0, draws: int = 50) -> SharedReference:
    rng = np.random.default_rng(0)
    both = np.tile(np.array(values)[:, None], 2)
    return SharedReference(both, both + spread * rng.normal(size=(draws, len(values), 2)))


def test_sides_are_capped_each_by_the_bound_of_its_own_checkpoint() -> None:
    found = capped(shared(0.5, 0.7), [AreaSides(0.4, 0.6), None])
    assert found.values.tolist() == [[0.4, 0.5], [0.7, 0.7]]
    assert found.replicates[3].tolist() == found.values.tolist()


def test_scores_below_the_least_are_ordered_by_the_second_family_behind_all_others() -> None:
    first = shared(0.05, 0.3, 0.09, 0.1)
    second = shared(0.2, 0.1, 0.6, 0.4)
    table = ranking(first, list("abcd"), steps=[1, None, 2, 3], second=second)
    expected = {
        "checkpoint": list("bdca"),
        "behind": pytest.approx([0.0, 0.2, 0.2, 0.2]),
        "best": [1.0, 0.0, 0.0, 0.0],
        "loses": [0.0, 1.0, 1.0, 1.0],
        "second": pytest.approx([0.1, 0.4, 0.6, 0.2]),
    }
    assert {name: table[name].tolist() for name in expected} == expected
    assert table["step"].tolist()[1:] == [3, 2, 1]
    low = ranking(first.of([0, 2]), list("ac"), second=second.of([0, 2]))
    assert low["checkpoint"].tolist() == ["c", "a"]
    assert low["behind"].tolist() == pytest.approx([0.0, 0.4])
    equal = ranking(shared(0.5, 0.5), list("ab"))
    assert equal[["best", "loses"]].to_numpy().tolist() == [[0.5, 0.0], [0.5, 0.0]]


# ---- the decision ----


def by(method: str, *names: str) -> list[Any]:
    return [Of(method=method, checkpoint=Of(name=name)) for name in names]


BEST = TIGHTEST.name


TOO_MILD = "by the best classifier, to which every other is too mild"


@pytest.mark.parametrize(
    ("families", "chosen", "basis"),
    [
        ({"knn": "a"}, None, ("knn", "")),
        ({"ipr": "a", "knn": "a"}, None, ("knn", "by kNN")),
        ({"ipr": "a", "eas": "a"}, None, ("ipr", "by iPR")),
        ({"ipr": "a", "knn": "a"}, "ipr", ("ipr", "by iPR, as chosen")),
        ({"ipr": "a"}, "ipr", ("ipr", "")),
        ({"ipr": "a", "knn": "a"}, "eas", ("knn", "by kNN")),
        ({BEST: "a"}, None, (BEST, "")),
        ({BEST: "a", "knn": "a"}, None, (BEST, TOO_MILD, "knn")),
        ({BEST: "a", "ipr": "a"}, BEST, (BEST, TOO_MILD, "ipr")),
        ({BEST: "a", "ipr": "a"}, "ipr", ("ipr", "by iPR, as chosen")),
        # of those by which all are measured, where there are any
        ({BEST: "a", "ipr": "ab"}, None, ("ipr", "")),
        ({"knn": "a", "ipr": "ab"}, None, ("ipr", "")),
        ({"knn": "a", "ipr": "b"}, None, ("knn", "by kNN")),
        ({BEST: "a", "knn": "b"}, None, (BEST, TOO_MILD)),
    ],
)
def test_what_decides_is_the_best_classifier_then_neighbours_where_all_are_measured(
    families: dict[str, str], chosen: str | None, basis: tuple[str, ...]
) -> None:
    measured = [each for method, names in families.items() for each in by(method, *names)]
    assert basis_of(measured, chosen) == Basis(*basis)


def test_faults_are_looked_for_in_curves_of_neighbours_where_there_are_any() -> None:
    both = by(BEST, "a", "b") + by("ipr", "a", "b") + by("knn", "a", "b")
    assert {each.method for each in looked_into(both)} == {"knn"}
    assert len(looked_into(both)) == 2
    assert looked_into(both[:2]) == both[:2]


def test_families_disagree_in_level_or_in_the_best() -> None:
    near = {"knn": {"a": 0.5, "b": 0.4}, "ipr": {"a": 0.6, "b": 0.61}}
    found = _disagreement("a", (), near, "knn", ["a", "b"])
    assert (found.levels, dict(found.others)) == ((), {"b": ("ipr",)})
    assert found.sentence == "b would be the best by iPR."
    far = {**near, "eas": {"a": 0.61, "b": 0.62}}
    found = _disagreement("a", (), far, "knn", ["a", "b"])
    assert (found.levels, dict(found.others)) == (
        (("knn", 0.5), ("eas", 0.61)),
        {"b": ("ipr", "eas")},
    )
    assert found.sentence.startswith(
        "The families disagree in level: a scores 0.610 by EAS, 0.500 by kNN. b would be"
    )
    assert _disagreement("a", (), {**far, BEST: far["knn"]}, BEST, ["a", "b"]) == Disagreement(
        "a", (), {}
    )
    assert _disagreement("a", (), far, "knn", ["a"]).others == {}


def table_of(*scores: float, **columns: Any) -> pd.DataFrame:
    return pd.DataFrame(
        [line(name, score, **columns) for name, score in zip("abcd", scores, strict=False)]
    )


def test_that_none_comes_near_real_data_is_said_by_the_best_classifier_alone() -> None:
    halves, apart = (PRCurve.from_error_rates([rate], [rate]) for rate in (0.5, 0.0))
    both, alone, knn = (
        basis_of([each for name in names for each in by(name, "a")])
        for names in ((BEST, "knn"), (BEST,), ("knn",))
    )

    def said(*scores: float, basis: Basis = both, curve: PRCurve = halves) -> Headline:
        ceiling: Any = Of(ceiling={BEST: Of(curve=curve)})
        return _headline(table_of(*scores), basis, ceiling, 0.5, left_out=0)

    low = said(0.05, 0.02)
    assert low.head == f"None comes near real data: area 0.05 at best, {halves.auc:.2f} is possible"
    assert low.rest.startswith("By kNN alone, at the scale of a sample's neighbours: Best: a. ")
    without = _headline(table_of(0.05), both, None, 0.4, left_out=0)
    assert without.head == "None comes near real data: score 0.05 at best"
    unsaid = "No score says how near they come: area 0.00 for real against real too"
    assert said(0.05, curve=apart).head == unsaid
    some = said(0.5, 0.02)
    assert some.head == "Best: a"
    below = " Below 0.1 all are told from real data; kNN orders these, behind the others."
    assert some.rest.endswith(below)
    assert said(0.5, 0.1).rest.endswith("Next is b, 0.000 lower.")
    assert said(0.5, 0.02, basis=alone).rest.endswith("lower.")
    assert said(0.05, 0.02, basis=alone).rest.startswith("Best: a. ")
    assert said(0.05, basis=knn).head == "Only a is measured"


# ---- the yardstick ----


def made(name: str, area: float = 1.0) -> Any:
    """A measured checkpoint whose curve has this area: every ray as long as the other."""
    side = 1 - math.sqrt(area)
    return Of(
        checkpoint=Of(name=name, step=None),
        method="knn",
        curve=PRCurve.from_error_rates([1 - area], [1 - area]) if side else Of(auc=1.0),
    )


CEILING: Any = Of(curve=Of(auc=0.8), checkpoint=Of(name="real", step=None))


def share_of(
    own: SharedReference,
    top: SharedReference,
    known: Yardstick | None = None,
    goal: float = 0.5,
    apart: Mapping[str, bool] = MappingProxyType({}),
) -> CeilingShare:
    """Of one checkpoint with these replicates, and those of the ceiling."""
    with pytest.MonkeyPatch.context() as patch:
        if known is None:
            known = Yardstick({"knn": CEILING}, {"knn": CEILING}, "halves")
            patch.setattr(yardstick_module, "blind", lambda *_: False)
        patch.setattr(yardstick_module, "together", lambda *_: top)
        (found,) = shares_of_ceiling([made("a")], known, goal, own=own, apart=apart).values()
    return found


MISSING = "25 % of the area is missing, on both sides alike"


@pytest.mark.parametrize(
    ("score", "spread", "told", "sentence"),
    [
        (
            0.8,
            0.01,
            False,
            "is as good as real data: it can't be told apart from real data at this n",
        ),
        (0.79, 0.02, False, "can't be told apart from real data at this n"),
        (
            0.79,
            0.02,
            True,
            "scores about as real data do, and is told apart from them all the same",
        ),
        (0.79, 0.02, None, "scores about as real data do"),
        (0.6, 0.01, None, f"differs from the real data: {MISSING}"),
        (0.6, 0.01, True, f"differs from the real data: {MISSING}"),
        (
            0.6,
            0.01,
            False,
            f"has too few samples to tell it from the real data for sure: {MISSING}",
        ),
    ],
)
def test_a_share_of_the_ceiling_is_equal_only_where_it_reaches_and_no_test_tells_it_apart(
    score: float, spread: float, told: bool | None, sentence: str
) -> None:
    known = {} if told is None else {"a": told}
    top = shared(0.8, draws=60)  # more draws than the checkpoint has
    found = share_of(shared(score, spread=spread), top, apart=known)
    assert found.reaches_ceiling == ("can't be told apart" in sentence)
    assert found.sentence == sentence
    assert found.share == pytest.approx(score / 0.8)
    assert found.low <= found.share <= found.high


def test_the_side_that_lacks_more_is_said() -> None:
    for place, side in enumerate(("precision", "recall")):
        own = shared(0.7, spread=1e-4)
        own.values[0, place] = 0.4
        own.replicates[:, 0, place] -= 0.3
        found = share_of(own, shared(0.8))
        assert (
            found.sentence
            == f"differs from the real data: 31 % of the area is missing, more on the {side} side"
        )
    goals = [share_of(own, shared(0.8), goal=goal).share for goal in (0.0, 1.0)]
    assert goals == pytest.approx([0.7 / 0.8, 0.4 / 0.8])


def test_shuffled_features_that_score_alike_forbid_that_sets_are_equal() -> None:
    curve, lower = (PRCurve.from_error_rates([rate], [rate]) for rate in (0.40, 0.30))
    ceiling, floor = (Of(curve=each, checkpoint=Of(name="x", step=None)) for each in (curve, lower))
    assert blind(ceiling, ceiling)
    assert not blind(ceiling, floor)
    assert blind(floor, ceiling)
    own = shared(float(curve.auc))
    known = Yardstick({"knn": ceiling}, {"knn": ceiling}, "halves", "feature x")
    found = share_of(own, own, known, apart={"a": False})
    assert not found.reaches_ceiling
    assert found.sentence.endswith("so that equality can't be said: feature x")


@pytest.mark.parametrize(
    ("scales", "said"),
    [
        ([1.0, 3.1], "feature 2 alone holds 91 %"),
        ([1.0, 2.9], ""),
        ([0.0, 5.0], "feature 2 alone holds nearly all"),
        ([20.0, 1.0], "feature 1 alone holds nearly all"),
        ([0.0, 0.0], ""),
        ([1.0], ""),
    ],
)
def test_one_feature_may_hold_nearly_all_the_variance(scales: list[float], said: str) -> None:
    values = np.tile([[1.0], [-1.0]], (4, len(scales))) * scales
    values[:, 1:] *= np.array([1.0, 1, -1, -1, 1, 1, -1, -1])[:, None]
    whole = f"{said} of the variance: scale the features, or leave it out" if said else ""
    assert _dominant(Samples(values)) == whole
    named = Samples(values, features=["feature 1", "feature 2"][: len(scales)])
    assert _dominant(named) == whole.replace("feature ", "feature feature ")


# ---- classes ----


def test_labels_as_texts() -> None:
    for labels, texts in (
        ([1.0, 2.0], ["1", "2"]),
        ([1.5, 2.0], ["1.5", "2.0"]),
        ([1.0, np.nan], ["1.0", "nan"]),
        ([True, False], ["True", "False"]),
        (["1.0", "-2", "3.00"], ["1", "-2", "3"]),
        (["1.0", "x"], ["1.0", "x"]),
        (["1.5", "2"], ["1.5", "2"]),
    ):
        assert _as_texts(labels).tolist() == texts
    assert _as_texts(np.array(["7.0", 8], dtype=object)).tolist() == ["7", "8"]


def test_a_missed_sample_is_one_whose_ball_holds_no_other() -> None:
    def ratios(own: list[float], others: list[float], k: int) -> list[float]:
        one, other = (Samples(np.array(each)[:, None]) for each in (own, others))
        return _ratios(one, other, k, 10**8).tolist()

    assert ratios([0.0, 1.0, 2.0, 50.0], [3.0, -5.0], 1) == [3.0, 2.0, 1.0, 47 / 48]
    assert ratios([0.0, 1.0, 2.0, 50.0], [3.0, -5.0], 4) == [0.0] * 4
    assert ratios([0.0] * 3, [0.0, 1.0], 1) == [1.0] * 3
    assert ratios([0.0] * 3, [1.0, 1.0], 1) == [np.inf] * 3
    assert [_expected(3, 2, k) for k in (1, 2, 9)] == pytest.approx([2 / 4, 2 / 12, 2 / 12])


def class_share(
    label: str,
    role: Any = "real",
    n: int = 60,
    others: int = 9,
    missed: float = 0.1,
    few: bool = False,
) -> ClassShare:
    return ClassShare(label, role, n, others, missed, 0.02, 0.0, 1.0, False, few)


def test_classes_in_words() -> None:
    assert (
        class_sentence(class_share(""))
        == "without a label: 10 % (0 % to 100 %) of the real samples no generated one is near, 2 %"
        " expected"
    )
    assert class_sentence(class_share("x", "generated", 9, few=True)).endswith(
        "made, no real one is near, 2 % expected; only 9 samples"
    )
    assert class_sentence(class_share("x", "generated", 9, others=0)) == "x: 9 generated, none real"


def test_shares_of_a_class_have_exact_intervals() -> None:
    ends = [_interval(class_share("x", missed=missed), 0.05)[6:8] for missed in (0.0, 0.5, 1.0)]
    assert np.ravel(ends) == pytest.approx([0.0, 0.1684, 0.2720, 0.7280, 0.8316, 1.0], abs=1e-4)


FEW = class_share("p", missed=0.1, few=True)
B = class_share("b", missed=0.9)
LOST = class_share("z", others=0, missed=1.0)


@pytest.mark.parametrize(
    ("shares", "chances", "order"),
    [
        (
            [
                FEW,
                FEW._replace(label="q", missed=0.9),
                class_share("a", missed=0.02),
                B,
                class_share("c", missed=1.0, n=300),
            ],
            {},
            {"c": True, "b": True, "a": False, "q": False, "p": False},
        ),
        ([B, LOST], {LOST: 0.02}, {"z": True, "b": True}),
        ([B, LOST], {LOST: 0.03}, {"z": False, "b": True}),
        (
            [FEW._replace(missed=0.3), FEW._replace(label="q", missed=0.4, expected=0.35)],
            {},
            {"p": False, "q": False},
        ),
        # those of one other sample stand in their place
        (
            [class_share("a", missed=0.9, others=1), class_share("b", missed=1.0, n=900)],
            {},
            {"b": True, "a": True},
        ),
    ],
)
def test_classes_in_order_the_worst_first(
    shares: list[ClassShare], chances: dict[ClassShare, float], order: dict[str, bool]
) -> None:
    assert [(each.label, each.worse) for each in _holm(shares, chances)] == [*order.items()]


# ---- copies ----


def test_shares_beyond_those_of_real_samples_have_joined_intervals() -> None:
    for count, n in ((0, 20), (3, 20), (20, 20)):
        low, high = binomial_interval(count, n, 0.01)
        assert (low == 0.0, high == 1.0) == (count == 0, count == n)
        assert low <= count / n <= high
    found = _excess(np.arange(40) < 10, np.arange(20) < 1, 10.0, 40)
    one = binomial_interval(10, 40, 0.01)
    other = binomial_interval(0.05 * 10.0, 10.0, 0.01)
    assert (found.number, found.share, found.expected, found.value) == (10, 0.25, 0.05, 0.2)
    assert found.low == pytest.approx(0.2 - math.hypot(0.25 - one[0], other[1] - 0.05))
    assert found.high == pytest.approx(0.2 + math.hypot(one[1] - 0.25, 0.05 - other[0]))
    fewer = _excess(np.arange(40) < 10, np.arange(20) < 1, 10.0, 20)
    assert fewer.high - 0.2 == pytest.approx(
        math.hypot(binomial_interval(5.0, 20, 0.01)[1] - 0.25, 0.05 - other[0])
    )


def test_copies_in_words_and_from_what_was_kept() -> None:
    none = Excess(0, 0.0, 0.01, -0.02, 0.01)
    some = Excess(3, 0.1, 0.01, 0.05, 0.12)
    pairs = (NearPair(4, 2, 0.125), NearPair(5, 1, 0.5))
    kinds = {
        name: Memorisation(exact, near, 0.04, pairs, "x")
        for name, exact, near in (("none", none, none), ("near", none, some), ("exact", some, none))
    }
    assert [each.memorised for each in kinds.values()] == [False, True, True]
    heads = [each.partition(":")[0] for each in (memorised_text(kinds) or "").splitlines()]
    assert heads == ["Memorised", "  near", "  exact"]
    assert memorised_text({"none": kinds["none"]}) is None
    assert (
        copies_text(kinds["near"])
        == "0 exact copies; 10.0 % of its samples are at most 0.04 times as far from one real"
        " sample as from the next, 1.0 % expected from x (difference +5.0 % to +12.0 %, 99 % "
        "interval); nearest: generated row 5, real row 3, distance 0.125"
    )
    kept = [list(some), list(none), 0.04, [list(each) for each in pairs], "x"]
    assert memorisation_of_facts(kept) == kinds["exact"]
    for wrong in (None, [], kept[:4], [1, 2, 3, 4, 5]):
        assert memorisation_of_facts(wrong) is None


@pytest.mark.parametrize("memory", [10**9, 1])
def test_the_nearest_of_other_groups_are_those_of_all_distances(memory: int) -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(6), [5, 1, 3, 2, 4, 1])
    samples = Samples(rng.normal(size=(16, 3)), groups=groups)
    found = _of_other_groups(samples, groups, memory)
    every = np.linalg.norm(samples.values[:, None] - samples.values[None], axis=2)
    every[groups[:, None] == groups[None]] = np.inf
    np.testing.assert_allclose(found, np.sort(every, axis=1)[:, :2])
    with pytest.raises(ValueError, match="nearly all real samples are of one group"):
        _of_other_groups(Samples(rng.normal(size=(4, 2))), np.array([0, 0, 0, 1]), memory)
    assert _of_other_groups(
        Samples(rng.normal(size=(4, 2))), np.array([0, 0, 1, 1]), memory
    ).shape == (4, 2)


# ---- findings ----


def spread_of(
    tv: float = 0.5,
    *,
    overlap: tuple[float, float] = (0.4, 0.6),
    auc: tuple[float, float] = (0.5, 0.6),
) -> Any:
    ends = {"one_minus_tv": Of(low=overlap[0], high=overlap[1]), "auc": auc}
    return Of(interval_of=ends.__getitem__, curve=Of(total_variation=tv))


def test_hardly_any_overlap_is_said_where_the_interval_lies_below() -> None:
    assert apart(spread_of(overlap=(0.0, 0.1))) == ()
    (found,) = apart(spread_of(0.97, overlap=(0.01, 0.09)))
    assert (found.key, found.low, found.high) == ("apart", 0.01, 0.09)
    assert found.number == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("auc", "n", "level"),
    [
        ((0.5, 0.55), 200, None),
        ((0.5, 0.7), 200, "note"),
        ((0.5, 0.55), 49, "warning"),
        ((0.5, 0.7), 50, "note"),
        ((0.5, 0.55), 50, None),
        ((0.0, 0.1), 50, None),
        ((0.0, 0.101), 50, "note"),
    ],
)
def test_too_few_samples_are_said_by_the_interval_or_their_number(
    auc: Any, n: int, level: str | None
) -> None:
    found = _few(spread_of(auc=auc), n)
    assert (found and found.level) == level
    assert found is None or found.number == pytest.approx(auc[1] - auc[0])


def facts_of(
    real: float, generated: float, gained: float = 1.0, evaluate: tuple[int, int] = (500, 400)
) -> Any:
    sides = [Of(sd=np.ones(4)), Of(sd=gained * np.ones(4))]
    values = np.random.default_rng(0).normal(size=(50, 4))
    return Of(
        pair=SamplePair(values, values * [1, 0, 0, 0]),
        effective=[Of(value=real), Of(value=generated)],
        real=sides[0],
        generated=sides[1],
        evaluate=evaluate,
    )


def test_fewer_directions_are_a_collapse_unless_the_variance_grew() -> None:
    assert _flat(facts_of(8.0, 4.0)) is None
    assert _flat(facts_of(8.0, 3.96)) is not None
    assert _flat(facts_of(8.0, 3.0, 1.01)) is None
    found = _flat(facts_of(8.0, 2.0))
    assert found is not None
    assert (found.key, found.number) == ("flat", 0.25)
    wide = spread_of(auc=(0.5, 0.7))
    assert [each.key for each in doubts(wide, facts_of(8.0, 2.0), 400)] == ["flat", "few"]
    assert "With 50 samples" in doubts(wide, facts_of(1.0, 1.0), 50)[0].sentence


def test_a_few_far_samples_are_no_lost_directions() -> None:
    """Student's t with one degree of freedom: they decide the number of directions."""
    values = (
        np.random.default_rng((14, 10)).standard_t(1.0, size=(60_000, 20)).reshape(500, 120, 20)
    )
    pairs = [SamplePair(values[each], values[each + 1]) for each in range(0, 500, 2)]
    facts = [preflight(pair).facts for pair in pairs]
    far = [each for each in facts if each.effective[0].value > 2 * each.effective[1].value]
    assert len(far) > 3
    assert not any(map(_flat, far))
    line = values[0] * np.eye(20)[0]
    assert _flat(preflight(SamplePair(values[0], line)).facts) is not None


@pytest.mark.parametrize(
    ("lost", "n", "found"),
    [(0.3, 100, True), (0.3, 80, False), (0.049, 10_000, False), (0.06, 10_000, True)],
)
@pytest.mark.parametrize("role", ["real", "generated"])
def test_outliers_carry_more_than_their_share(lost: float, n: int, found: bool, role: str) -> None:
    influence: Any = Of(
        top=lambda count: np.arange(count),
        share=0.75,
        share_without=lambda _: 0.75 - lost,
        rows=np.arange(n),
        role=role,
    )
    said = outlier_faults(influence)
    assert bool(said) == found
    if found:
        side, other = ("precision", "generated") if role == "real" else ("recall", "real")
        assert (said[0].number, said[0].title) == (
            pytest.approx(lost),
            f"Outliers carry extreme {side}",
        )
        assert f"without 5 of {n:,} {role} samples" in said[0].sentence
        assert f"of the {other} samples would lose" in said[0].sentence


def fault(key: str, number: float, unit: Any = "share") -> TriageFinding:
    return TriageFinding(key, key.title(), f"{key}.", number, "warning", "preflight", unit)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (fault("off", 0.17), fault("off", 0.1), True),
        (fault("off", 0.171), fault("off", 0.1), False),
        (fault("off", 0.1), fault("tails", 0.1), False),
        *(
            (fault("wide", one, "ratio"), fault("wide", other, "ratio"), alike)
            for one, other, alike in (
                (2.0, 1.6, True),
                (2.0, 1.58, False),
                (0.5, 0.62, True),
                (0.5, 0.64, False),
                (2.0, 0.5, False),
            )
        ),
    ],
)
def test_what_real_samples_show_alike_is_of_the_same_kind_size_and_direction(
    one: TriageFinding, other: TriageFinding, alike: bool
) -> None:
    assert _alike(one, other) is alike


def test_faults_that_most_halvings_show_are_named_and_borderline_unless_all_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: dict[Any, Sequence[TriageFinding]] = {}
    facts: Any = Of(pair=SamplePair(np.zeros((70, 2)), np.zeros((60, 2))))
    monkeypatch.setattr("prviz.triage.findings.named_faults", lambda of, *_: tuple(said[of]))
    monkeypatch.setattr("prviz.triage.findings.mean_statistics", lambda _: "mean")

    def agreed(*halvings: Sequence[TriageFinding], mean: Sequence[TriageFinding]) -> Any:
        said.update(enumerate(halvings), mean=mean)
        return agreed_faults(range(len(halvings)), facts, None)  # type: ignore[arg-type]

    off, tails, wide = fault("off", 0.3), fault("tails", 0.2), fault("wide", 2.0)
    both = [off, tails]
    found = agreed(both, [off], [tails, wide], mean=both)
    assert [(each.key, each.borderline, each.level) for each in found] == [
        ("off", True, "note"),
        ("tails", True, "note"),
    ]
    assert (
        found[0].sentence
        == "off. Borderline: 2 of 3 random halvings of the samples, each by itself, show it."
    )
    assert agreed(both, both, both, mean=both) == tuple(both)
    (unclear,) = agreed([off], [wide], [], mean=both)
    assert (unclear.key, unclear.level, unclear.borderline) == ("unclear", "note", True)
    assert unclear.number == pytest.approx(1 / 3)
    assert "agree on what, “Off” or “Wide”: 60 samples" in unclear.sentence
    assert agreed([off], [wide], [], mean=[]) == ()


def test_that_trees_tell_sets_apart_is_said_where_it_is_no_chance() -> None:
    named = [{"name": "f1", "alone": True}, {"name": "f2", "alone": True}]
    joint = [{"name": "f1", "alone": False, "sentence": "correlation with f2: 0.1"}]

    def said(seen: dict[str, Any] | None, n: int = 70) -> list[str]:
        found = _unnamed(SamplePair(np.zeros((n, 2)), np.zeros((60, 2))), seen)
        assert all(each.borderline for each in found)
        return [each.sentence for each in found]

    seen = {"p_apart": 1e-4, "differing": 0, "named": named}
    (sentence,) = said({**seen, "p_apart": None, "named": joint})
    assert sentence.startswith("f1: correlation with f2: 0.1, though no single feature differs")
    for other in (None, {**seen, "p_apart": None}, {**seen, "p_apart": 1e-3}):
        assert said(other) == []
    (sentence,) = said(seen)
    assert "though no single feature differs and no fault explains it: 60 samples" in sentence
    start = "Trees that were fitted on half of the samples tell the others apart: "
    few = "samples of a set are too few to say what"
    assert said({**seen, "differing": 1}) == [f"{start}60 {few} else than f1, f2."]
    assert said({**seen, "differing": 1, "named": []}) == [f"{start}60 {few}."]
    assert said(seen, n=59) == [f"{start}59 {few} else than f1, f2."]


# ---- features ----


@pytest.mark.parametrize(
    ("p", "few", "certain"),
    [
        ([0.5] * 7 + [1e-12], True, True),
        ([0.5] * 7 + [1e-5], True, False),
        ([0.5] * 6 + [1e-12] * 2, True, True),
        ([1e-12] * 3 + [0.5] * 5, False, True),
        ([1e-12] + [0.3] * 7, False, True),
        ([0.5] * 8, False, False),
        ([0.5, 0.5, 1e-12], True, True),
        ([0.5, 1e-12, 1e-12], False, True),
        ([1e-12], False, True),
    ],
)
def test_few_features_differ_where_all_others_are_alike(
    p: list[float], few: bool, certain: bool
) -> None:
    real, generated = np.random.default_rng(0).normal(5.0, 1.0, size=(2, 400, len(p)))
    places = tuple(place for place, each in enumerate(p) if each < 0.01)
    tests = column_tests(real, generated)._replace(p=np.array(p))
    found = Differing(SamplePair(real, generated), places, tests)
    assert found.others.tolist() == [place for place in range(len(p)) if place not in places]
    assert found.few == few
    if places:
        assert found.certain == certain


def test_the_change_of_a_feature() -> None:
    real = np.random.default_rng(0).normal(5.0, 1.0, 400)
    assert column_faults.change(real, real + 0 * real) == (1.0, 0.0)
    assert column_faults.change(real, -real)[0] > 0  # spreads alone have a ratio
    assert column_faults.change(np.zeros(9), np.arange(9.0))[0] == 0.0
    assert _fits(real, real)
    assert not _fits(real, real + 1)


@pytest.mark.parametrize("low", [0.0, 4.0])
def test_the_factor_of_a_feature_is_that_of_the_statistic_that_leaves_least(low: float) -> None:
    """Of the interquartile range, the median, the deviation and the mean."""
    rng = np.random.default_rng(5)

    def distance(one: np.ndarray, other: np.ndarray) -> float:
        return float(stats.ks_2samp(one, other).statistic)

    best = set()
    for _ in range(12):
        real = rng.gamma(2.0, 1.0, 300) - low * rng.random()
        generated = rng.gamma(2.0, 1.0, 200) * 2 - low * rng.random()
        generated[rng.random(200) < 0.1 * rng.integers(3)] += 40
        sides = real, generated
        quarters = [np.quantile(side, [0.25, 0.5, 0.75]) for side in sides]
        sizes = [
            [high - low, middle, side.std(), side.mean()]
            for side, (low, middle, high) in zip(sides, quarters, strict=True)
        ]
        ratios = np.divide(*sizes[::-1])
        factor, move = column_faults.change(real, generated)
        assert factor == min(ratios[ratios > 0], key=lambda each: distance(real, generated / each))
        places = [np.append(each, side.mean()) for each, side in zip(quarters, sides, strict=True)]
        left = [distance(real, generated - each) for each in places[1] - places[0]]
        best.add(int(np.argmin(left)))
        assert move == (places[1] - places[0])[np.argmin(left)]
    assert len(best) > 1


# ---- stability ----


def test_families_of_one_kind_are_measured_together() -> None:
    assert part((100, 51), 0.5) == (50, 26)
    assert groups(["knn", "cluster", "ipr"]) == [["knn", "ipr"], ["cluster"]]
    assert groups(["cluster"]) == [["cluster"]]


@pytest.mark.parametrize(
    ("methods", "k", "cells", "rows"),
    [
        (["knn"], "sqrt", [2, 5], [("knn", 2, 1.0, 0), ("knn", 5, 1.0, 0)]),
        (["cluster"], "sqrt", [2, 5], [("cluster", None, 1.0, 0)]),
        (["knn", "cluster"], "sqrt", [(0.5, 3)], [("knn", 6, 0.5, 3), ("cluster", None, 0.5, 3)]),
        (["knn"], 4, [(0.5, 3)], [("knn", 4, 0.5, 3)]),
    ],
)
def test_rows_are_of_a_k_or_of_a_draw(methods: Any, k: Any, cells: Any, rows: Any) -> None:
    assert list(rows_of(methods, TriageSettings(k=k), (100, 80), cells)) == rows


def test_ks_are_those_asked_for_and_those_in_use() -> None:
    measured: Any = [Of(n_real=100, n_generated=80), Of(n_real=100, n_generated=64)]
    assert ks_of(measured, TriageSettings(), [3, "sqrt"]) == [3, 8]
    assert ks_of(measured, TriageSettings(k=9), [2]) == [2, 9]
    assert ks_of(measured[:1], TriageSettings(), []) == [8]
    assert ks_of(measured, TriageSettings(), [31]) == [8, 31]
    for wrong in (0, 32):
        with pytest.raises(ValueError, match=r"k = .*; an integer from"):
            ks_of(measured, TriageSettings(), [wrong])


@pytest.mark.parametrize(
    ("n", "settings", "shares"),
    [
        (160, TriageSettings(), (1 / 8, 1 / 4, 1 / 2)),
        (159, TriageSettings(k=9), (1 / 8, 1 / 4, 1 / 2)),
        (152, TriageSettings(), (1 / 4, 1 / 2)),
        (160, TriageSettings(k=10), (1 / 4, 1 / 2)),
        (160, TriageSettings(("cluster",), k=10), (1 / 8, 1 / 4, 1 / 2)),
    ],
)
def test_shares_are_those_that_leave_enough_samples(
    n: int, settings: TriageSettings, shares: tuple[float, ...]
) -> None:
    assert usual_shares(n, settings) == shares


def test_selections_of_rows() -> None:
    columns = {
        "method": list("aab"),
        "k": [1, 2, 3],
        "share": [1.0, 0.5, 1.0],
        "in_use": [True, True, False],
    }
    rows = pd.DataFrame({**columns, "precision": [0.2, 0.4, 1.0], "recall": [0.6, 0.0, 1.0]})
    assert scored(rows)["score"].tolist() == pytest.approx([0.4, 0.2, 1.0])
    assert scored(rows, 0.25)["score"].tolist() == pytest.approx([0.3, 0.3, 1.0])
    assert full_rows(rows)["k"].tolist() == [1, 3]
    assert rows_in_use(rows)["k"].tolist() == [1, 2]
    assert rows_in_use(rows, "b").empty
    assert "k" not in rows_in_use(rows, "a")


def test_groups_are_drawn_one_after_the_other() -> None:
    numbers = np.repeat(np.arange(5), 4)
    samples = Samples(np.arange(20.0)[:, None], groups=numbers)
    for size in (4, 6, 13):
        drawn = _some_groups(samples, size, 3)
        counts = np.bincount(np.asarray(drawn.groups), minlength=5)
        assert sorted(counts.tolist(), reverse=True) == [
            min(4, max(0, size - 4 * place)) for place in range(5)
        ]
        assert drawn.values[:, 0].tolist() == sorted(drawn.values[:, 0].tolist())
    firsts = {int(np.asarray(_some_groups(samples, 4, seed).groups)[0]) for seed in range(20)}
    assert len(firsts) > 2


# ---- what would be found ----


def test_planted_faults_take_the_share_that_is_said() -> None:
    rng = np.random.default_rng(0)
    modes = np.repeat([[0.0, 0.0], [40.0, 0.0], [80.0, 0.0]], [60, 30, 10], axis=0)
    fresh = modes + rng.normal(size=modes.shape)
    reference = rng.normal(size=modes.shape)
    plants = {fault.partition(",")[0]: plant for fault, (_, plant) in PLANTED.items()}
    assert _changed(fresh, fresh[:60]) == pytest.approx(0.4)
    assert _changed(fresh, fresh + (np.arange(100)[:, None] < 30) * [0, 1]) == pytest.approx(0.3)
    assert _mode(fresh, 0.33, np.random.default_rng(1)).sum() == 30
    for named, count in (("a dropped mode", 20), ("a larger dropped mode", 10)):
        many = np.repeat(40.0 * np.eye(count), 20, axis=0)
        many += np.random.default_rng(0).normal(size=many.shape)
        dropped = plants[named](many, many, np.random.default_rng(1))
        assert _changed(many, dropped) == pytest.approx(1 / count), named
    invented = plants["an invented mode"](fresh, reference, np.random.default_rng(1))
    moved = (invented != fresh).any(axis=1)
    assert 0 < moved.sum() < 20
    far = np.linalg.norm((invented - fresh)[moved][0])
    assert far == pytest.approx(2 * np.sqrt(fresh.var(axis=0).sum()))
    narrow = plants["a spread of 0.9 times the real one"](fresh, reference, rng)
    assert narrow.std(axis=0) == pytest.approx(0.9 * fresh.std(axis=0))
    assert narrow.mean(axis=0) == pytest.approx(fresh.mean(axis=0))
    copied = plants["near copies"](fresh, reference, np.random.default_rng(1))
    near = np.abs(copied[:, None] - reference[None]).max(axis=2).min(axis=1) < 0.01
    assert near.sum() == (copied != fresh).any(axis=1).sum()
    assert 2 < near.sum() < 25
    assert plants["nothing"](fresh, reference, rng) is fresh


# ---- the rest ----


def encoder(possible: str) -> EncoderRanking:
    names = [*possible, *(each for each in "abcdef" if each not in possible)]
    tied = [each in possible for each in names]
    table = pd.DataFrame({"checkpoint": names, "tied_with_best": tied, "score": np.arange(6.0)})
    return EncoderRanking(possible, 3, table)


@pytest.mark.parametrize(
    ("possible", "said"),
    [
        (["a", "a"], "The winner does not depend on the encoder: a is best in all 2 readings."),
        (["a", "ab"], "No encoder rules out a: first, or tied with the first, in all 2 readings."),
        (
            ["ab", "ab"],
            "No encoder rules out a and b: first, or tied with the first, in all 2 readings.",
        ),
        (
            ["ab", "c"],
            "The winner depends on the encoder: of 2 readings, a in 1, b in 1 and c in 1 may be"
            " best.",
        ),
        (
            ["abcde", "f"],
            "The winner depends on the encoder: of 2 readings, a in 1, b in 1, c in 1 and d in 1"
            " may be best.",
        ),
    ],
)
def test_whether_the_winner_depends_on_the_encoder(possible: list[str], said: str) -> None:
    assert encoder_verdict([encoder(each) for each in possible]) == said
    assert (encoder("ab").rank("b"), encoder("ab").score("b")) == (2, 1.0)


def test_the_best_areas_are_believed_and_witnesses_tell_who_is_told_apart() -> None:
    def judged(name: str, area: float, method: str = BEST, bound: float | None = None) -> Any:
        own_bound = None if bound is None else Of(auc=bound)
        return Of(
            checkpoint=Of(name=name), method=method, summaries={"auc": area}, own_bound=own_bound
        )

    measured = [judged(f"m{place}", place / 10) for place in range(7)]
    assert believed_areas([*measured, judged("other", 1.0, "knn")]) == {
        f"m{place}": place / 10 for place in (6, 5, 4, 3, 2)
    }
    assert believed_areas([judged("a", 0.5, bound=0.4), judged("b", 0.3, bound=0.4)]) == {
        "a": 0.4,
        "b": 0.3,
    }
    named: Any = {
        "b": [Of(key="copies", borderline=True), Of(key="few", borderline=False)],
        "c": [Of(key="copies", borderline=False)],
    }
    witnesses = {"a": {"told_apart": 1}, "b": {"told_apart": False}, "c": {"told_apart": False}}
    assert told_apart(witnesses, named) == {"a": True, "b": False, "c": True}


def test_findings_of_fewer_rows_are_said_where_memory_makes_them_fewer() -> None:
    rows = rows_within(4_000, 5 * 10**7)

    def said(*sizes: tuple[int, int], d: int = 4_000, memory: int = 5 * 10**7) -> str:
        measured: Any = [Of(n_real=real, n_generated=generated) for real, generated in sizes]
        return triage_module.fewer_rows(measured, d, memory)

    assert said((400, 900), (400, 300), d=8, memory=10**9) == ""
    start = f"findings compare {rows} samples of each set"
    assert said((400, 900), (400, 300)).startswith(start)
    assert said((400, 300)) == ""
    assert said(d=8, memory=1) == ""
    assert said((rows, 1), (1, rows)) == ""


# ---- statistics of two samples ----


def test_rows_that_are_compared_follow_from_time_and_memory() -> None:
    in_time = {1: 6_000, 44: 6_000, 45: 5_962, 64: 5_000, 1_111: 1_200, 1_112: 1_200}
    assert {d: rows_in_time(d) for d in in_time} == in_time
    within = {
        (8, 10**9): 6_000,
        (64, 5 * 10**7): 5_000,
        (4_000, 5 * 10**7): 510,
        (64, 3 * 10**7): 4_882,
        (10**5, 28 * 10**7): 1_200,
        (600, 5 * 10**7): 868,
    }
    assert {(d, memory): rows_within(d, memory) for d, memory in within} == within


def test_statistics_of_nothing_are_0() -> None:
    """Other numbers are held in kept_decisions.json."""
    assert _log_ratio(np.empty(0), np.array([4.0])) == 0.0
    assert _mean([1.0, math.nan, 3.0]) == 2.0
    assert math.isnan(_mean([math.nan]))
    assert _tail(np.ones(20), np.ones(20)) == (0.0, 0.0)
    clusters_of = (np.repeat([0, 1], [4, 5]), np.repeat([0, 1], [5, 4]))
    assert _shifted(np.arange(9.0), np.arange(9.0), *clusters_of, 2) == (0.0, 0.0)
    one = np.zeros(5, int)
    assert _shifted(np.ones(5), np.ones(5) * 3, one, one, 1) == (2.0, 0.0)


def test_neighbours_and_clusters_of_few_points() -> None:
    line = np.array([0.0, 1, 3, 6, 10])[:, None]
    for points, expected in (
        (line, [6, 5, 3, 5, 9]),
        (np.zeros((5, 1)), [1.0] * 5),
        (np.r_[np.zeros((5, 1)), [[4.0]]], [4.0] * 6),
    ):
        near = NearestRows(RowView(points), RowView(points))
        assert _radii(near, (0, slice(None))).tolist() == expected
    assert _void(line[:4].T, np.array([[6.0]])).tolist() == [True]  # of equally near ones its own
    assert _void(line[:4].T, np.array([[5.0]])).tolist() == [False]
    rows = np.array([3, 0, 4, 1])
    assert _one_of_each(rows, None) is rows
    assert _one_of_each(rows, np.array([7, 8, 9, 7, 8])).tolist() == [3, 4]
    assert _order_of(np.array([[2.0, 1], [1, 9], [2, 0]])).tolist() == [2, 0, 1]
    repeated = np.repeat([[0.0], [5.0]], 4, axis=0)
    assert sorted(clusters(repeated, 3, 0)[:, 0].tolist()) == [0.0, 5.0]
    alike = _masses(np.zeros((9, 1)), np.zeros((9, 1)), np.array([[0.0]]))
    names = ("seldom", "often", "moved", "by_mass")
    assert [alike[name] for name in names] == [1.0, 1.0, 0.0, 0.0]


CENTRES = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [50.0, 50.0]])


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda x: x + np.array([3, -2]), "after_shift"),
        (lambda x: 1.5 * x, "after_scale"),
        (lambda x: CENTRES.mean(axis=0) + 1.5 * (x - CENTRES.mean(axis=0)), "after_stretch"),
        (lambda x: x * [2, 0.5], "after_features"),
    ],
)
def test_moves_of_centres_and_what_models_leave_of_them(change: Any, name: str) -> None:
    mean = CENTRES.mean(axis=0)
    members = np.repeat([0, 1, 2, 3], [40, 40, 40, 9])
    held = CENTRES[members] + np.random.default_rng(0).normal(size=(129, 2))
    found = _moves([(held, change(held), CENTRES, mean)], members, members)
    left = {key: value for key, value in found.items() if key.startswith("after_")}
    assert found["centre_z"] > 50
    assert min(left, key=left.__getitem__) == name
    assert left[name] < 2
    of_few = [(held[120:], held[120:], CENTRES, mean)]
    assert _moves(of_few, members[120:], members[120:]) == dict.fromkeys(found, 0.0)
    one = _moves([(held, change(held), CENTRES[:1], mean)], 0 * members, 0 * members)
    assert (one["stretch"], one["stretch_z"]) == (0.0, 0.0)
    assert math.isnan(one["after_shift"])
    assert math.isnan(one["after_features"])
    assert not math.isnan(one["after_scale"])


def test_units_and_blocks_of_rows() -> None:
    values = np.random.default_rng(0).normal(size=(6, 40)) * 3
    rows = RowSet(values, np.array([4, 1, 3]), block=9)
    assert (len(rows), rows.d) == (3, 40)
    assert [block.stop - block.start for block in rows.columns(whole=False)] == [3] * 13 + [1]
    assert rows.columns(whole=True) == [slice(None)]
    unit = math.sqrt(values[[4, 1, 3]].var(axis=0).mean())
    assert unit_of(rows, whole=False) == pytest.approx(unit)
    for value, own in ((0.0, 1.0), (7.0, 7.0)):
        assert unit_of(RowSet(np.full((3, 2), value), np.arange(3)), whole=True) == own
    assert np.abs(RowSet(np.full((1, 1), 1e200), np.arange(1), 1e-9).features()).max() == 1e60
    for units in (2.0, np.arange(1.0, 41)):
        some = RowSet(values, np.arange(2), units)
        expected = (values / units)[:2]
        np.testing.assert_allclose(some.features(slice(3, 5)), expected[:, 3:5])
    np.testing.assert_allclose(some.in_one_unit() * 40, values[:2])


# ---- rows that repeat ----


def copies_of(n: int, m: int, **numbers: Any) -> Any:
    known = {
        "real": 0,
        "generated": 0,
        "most_real": 1,
        "most_generated": 1,
        "shared_generated": 0,
        **numbers,
    }
    rows = np.random.default_rng(0).normal(size=(9, 2))
    return Of(
        rows=Of(counts=Of(**known)),
        pair=SamplePair(np.zeros((n, 1)), np.ones((m, 1))),
        drawn=[Of(rows=rows)],
    )


NO_COPIES: Any = Of(exact=Excess(0, 0.0, 0.0, 0.0, 0.1), near=Excess(0, 0.0, 0.0, 0.0, 0.1))


@pytest.mark.parametrize(
    ("numbers", "keys"),
    [
        ({"real": 20, "most_real": 21}, []),
        ({"real": 21, "most_real": 22}, ["repeated"]),
        ({"real": 30, "generated": 10, "most_real": 9}, []),
        ({"real": 99, "most_real": 100, "generated": 99}, ["repeated"]),
        ({"generated": 5}, ["collapse"]),
        ({"generated": 1}, []),
    ],
)
def test_rows_that_repeat_more_than_those_of_the_other_set(
    numbers: dict[str, int], keys: list[str]
) -> None:
    assert [each.key for each in row_faults(copies_of(100, 100, **numbers), NO_COPIES)] == keys


def test_hardly_more_repeats_than_of_real_rows_are_no_fault_however_sure() -> None:
    for repeated, keys in ((112, []), (128, ["collapse"])):
        facts = copies_of(8000, 8000, real=40, generated=repeated, most_real=2, most_generated=2)
        sides = [np.arange(8000.0) % (8000 - each) for each in (40, repeated)]
        facts.pair = SamplePair(sides[0][:, None], -sides[1][:, None] - 1)
        assert [each.key for each in row_faults(facts, NO_COPIES)] == keys


def test_repeats_and_copies_in_words() -> None:
    single = row_faults(copies_of(100, 100, real=99, most_real=100), NO_COPIES)[0].sentence
    assert "compare with a single real sample only" in single
    several = row_faults(copies_of(100, 100, real=30, most_real=9), NO_COPIES)[0].sentence
    assert several.startswith(
        "30 % of the real samples repeat an earlier one exactly, the commonest occurs 9 times"
    )
    assert "compare with 70 different real samples only" in several
    exact: Any = Of(exact=Excess(9, 0.3, 0.02, 0.1, 0.4), near=NO_COPIES.near)
    (copied,) = row_faults(copies_of(100, 100), exact)
    assert (copied.key, copied.number) == ("copies", 0.3)
    assert copied.sentence.startswith(
        "30 % of the generated samples are rows of the reference, exactly, 2.0 % of other"
    )
    near: Any = Of(near=Excess(9, 0.3, 0.02, 0.1, 0.4))
    assert near_copies(near).sentence.startswith(
        "About 28 % of the generated samples (99 % interval 10 % to 40 %)"
    )
    assert one_row(copies_of(5, 9, real=3)) is None
    assert one_row(copies_of(1, 9)) is None
    found = one_row(copies_of(2, 9, real=1))
    assert found is not None
    assert found.number == 2.0
    classes = np.array([0, 0, 1, 2, 3, 3, 3])
    assert _repeats_more(classes, 3) == pytest.approx(2 / 4 - 1 / 3)


@pytest.mark.parametrize(
    ("norms", "which", "ratio"),
    [
        ((1.0, 3.0), "real", 3.0),
        ((2.0, 1.0), "generated", 0.5),
        ((1.0, 1.01), None, 0),
        ((1.0, 0.0), "real", 0.0),
        ((2.0, 3.0), None, 0),
        ((0.0, 1.0), "generated", math.inf),
    ],
)
def test_one_set_of_norm_one(norms: tuple[float, float], which: str | None, ratio: float) -> None:
    real, generated = (
        Of(norm=norm, normalised=norm == 1.0, least_norm=norm, greatest_norm=norm) for norm in norms
    )
    facts: Any = Of(real=real, generated=generated)
    found = normalised(facts)
    assert (found is None) == (which is None)
    if found is not None:
        assert found.number == ratio
        assert found.sentence.startswith(f"Only the {which} set is l2-normalised")
    vars(generated).update(norm=1.0, normalised=False, least_norm=0.5, greatest_norm=1.1)
    found = normalised(facts)
    assert (found is None) == (not real.normalised)
    if found is not None:
        assert "norms of the other lie between 0.5 and 1.1. " in found.sentence


# ---- results that are kept ----


def test_a_private_folder_is_made_for_its_owner_and_deep(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    store = ResultCache(folder, private=True)
    store.put_facts({"a": 1}, [1])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert ResultCache(folder, private=True).facts({"a": 1}) == [1]
    for mode in (0o720, 0o702):
        folder.chmod(mode)
        other = ResultCache(folder, private=True)
        assert other.facts({"a": 1}) is None
        assert "others can write to it" in (other.trouble or "")
    assert ResultCache(folder).facts({"a": 1}) == [1]
    folder.chmod(0o755)
    strange = ResultCache(folder, private=True)
    strange._owner = 12_345_678
    assert strange.facts({"a": 1}) is None
    strange.put_facts({"b": 1}, [2])
    assert len(list(folder.iterdir())) == 1


def test_what_is_remembered_is_so_many_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prviz.triage.measured._MOST_REMEMBERED", 2)
    store = ResultCache(tmp_path)
    for number in range(3):
        measured.kept(store, {"n": number}, lambda facts: facts, lambda n=number: n + 1)
    assert [store.known({"n": number}) for number in range(3)] == [None, 2, 3]
    fresh = ResultCache(tmp_path)
    assert fresh.known({"n": 2}) is None
    assert [fresh.facts({"n": number}) for number in range(3)] == [1, 2, 3]


def test_a_store_without_a_folder_has_a_memory_alone() -> None:
    store = ResultCache(None)
    calls = list[int]()

    def search() -> int | None:
        calls.append(1)
        return 5 if len(calls) > 1 else None

    found = [measured.kept(store, {"a": 1}, lambda facts: facts, search) for _ in range(3)]
    assert (found, len(calls), store.facts({"a": 1})) == ([None, 5, 5], 2, None)
    assert store.trouble is None


def test_copies_are_counted_of_every_measured_checkpoint(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    reference = Samples(rng.normal(size=(40, 3)))
    made = Samples(rng.normal(size=(30, 3)))
    one, gone, twin = (
        Of(checkpoint=Of(name=name), n_real=40, n_generated=30, digests=Of(generated=digest))
        for name, digest in (("a", made.digest), ("b", "other"), ("twin", made.digest))
    )
    held_out = held_out_distances(reference)
    told = list[float]()
    triage = Triage(
        reference=reference,
        settings=TriageSettings(),
        load=lambda _: made,
        store=ResultCache(tmp_path),
    )
    assert triage.copies(one, None) is None
    found = triage.of_each(triage.copies, [gone, one], told.append)
    assert found == {"a": memorisation(reference, made, held_out)}
    assert told == pytest.approx([0, 1 / 2])
    other = Samples(rng.normal(size=(30, 3)))
    digests = Of(generated=other.digest)
    new: Any = Of(checkpoint=Of(name="new"), n_real=40, n_generated=30, digests=digests)
    for store in (triage.store, ResultCache(tmp_path)):
        triage = replace(triage, load=lambda _: other, store=store)
        found = triage.of_each(triage.copies, [one, twin, new])
        assert found["a"] == memorisation(reference, made, held_out)
        assert list(found) == ["a", "twin", "new"]
        assert found["new"] == memorisation(reference, other, held_out) == triage.copies(new, None)


def test_what_real_samples_show_among_each_other_needs_enough_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "prviz.triage.findings.halvings",
        lambda *_, **__: [Of(name="x", tight_z=4.1), Of(name="y", tight_z=4.0)],
    )
    monkeypatch.setattr(
        "prviz.triage.findings.misplaced",
        lambda of: fault("scale", 2.0) if of.name == "x" else None,
    )
    monkeypatch.setattr(
        "prviz.triage.findings.SHAPES",
        (lambda of: (0.1, fault("off", 0.1)) if of.name == "y" else None, lambda _: None),
    )
    monkeypatch.setattr(
        "prviz.triage.findings.nearly_repeated", lambda of: fault(f"tight {of.name}", 0.1)
    )
    rng = np.random.default_rng(0)
    real, held, few = (Samples(rng.normal(size=(n, 2))) for n in (60, 60, 59))
    assert usual_faults(real, few) == usual_faults(few, real) == ()
    assert [each.key for each in usual_faults(real, held)] == ["scale", "tight x", "off"]
    moved = Samples(held.values + np.array([0, 9]))
    assert [each.key for each in usual_faults(real, moved)] == [
        "scale",
        "tight x",
        "off",
        "columns",
    ]


def sized(real: int, generated: int, name: str = "a", encoder: str = "") -> Any:
    return Of(
        n_real=real, n_generated=generated, checkpoint=Of(name=name), encoder_difference=encoder
    )


def test_sizes_and_encoders_that_differ_are_said() -> None:
    assert unequal([]) is unequal([sized(9, 9), sized(9, 9)]) is None
    assert (unequal([sized(9, 9), sized(9, 7)]) or "").startswith("the sets have 7 to 9 samples")
    assert other_encoders([sized(9, 9)]) is None
    said = other_encoders([sized(9, 9), sized(9, 9, "b", "x for y"), sized(9, 9, "c", "z")]) or ""
    assert said.startswith("2 by another encoder")
    assert said.endswith("(b: x for y)")


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((9, 9), False), ((100, 200), False), ((99, 200), True), ((201, 100), True)],
)
def test_sizes_are_uneven_beyond_twice_the_smallest(sizes: tuple[int, int], expected: bool) -> None:
    assert uneven([sized(*sizes)]) == expected
    assert SetSizes(min(sizes), max(sizes), "").uneven == expected
    assert not uneven([])


def test_sizes_of_sets_are_those_that_are_known() -> None:
    reference = Samples(np.zeros((50, 2)))
    points: Any = [Of(name="a"), Of(name="b"), Of(name="c")]
    known = {"a": 40, "b": None, "c": 70}
    for some, expected in ((points, SetSizes(40, 70, "a")), (points[1:], SetSizes(50, 70, ""))):
        found = set_sizes(reference, some, TriageSettings(), lambda each: known[each.name])
        assert found == expected


def test_samples_that_are_drawn_follow_from_seed_share_and_repeat() -> None:
    pair = SamplePair(np.arange(40.0)[:, None], np.arange(30.0)[:, None])
    assert _drawn(pair, 1.0, 3, 0) is pair
    drawn = _drawn(pair, 0.25, 1, 3)
    assert drawn.generated.n == 8
    rows = [10, 11, 16, 19, 21, 25, 27, 29, 30, 37]
    assert drawn.real.values[:, 0].tolist() == rows
    assert _drawn(pair, 0.25, 2, 3).real.values[:, 0].tolist() != rows


# ---- checkpoints that are read, and real samples that are measured ----


def test_classes_of_every_checkpoint_that_can_be_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(["u", "v"], 30)

    def saved(name: str, **more: Any) -> Any:
        np.savez(tmp_path / f"{name}.npz", x=rng.normal(size=(60, 2)), **more)
        return Of(path=tmp_path / f"{name}.npz", name=name, below=None)

    reference = saved("real", kind=labels)
    (tmp_path / "broken.npz").write_bytes(b"PK")
    broken = Of(path=tmp_path / "broken.npz", name="broken", below=None)
    points: Any = [
        broken,
        saved("other", kind=np.repeat(["x", "y"], 30)),
        saved("same", kind=labels),
        saved("plain"),
    ]
    real = read(reference.path)
    found, apart_from = class_shares(real, reference.path, points, "kind", TriageSettings())
    assert list(found) == ["same", "plain"]
    assert {(each.label, each.role) for each in found["same"]} == {
        (a, b) for a in "uv" for b in ("real", "generated")
    }
    assert {(each.label, each.role, each.others) for each in found["plain"]} == {
        ("u", "real", 60),
        ("v", "real", 60),
    }
    assert list(apart_from) == ["other"]
    assert apart_from["other"].startswith(
        "no label of other.npz is in real.npz: 'x', 'y' against 'u', 'v'; give both"
    )
    for samples, ending in (
        (real, "for each sample"),
        (replace(real, labels={"id": np.arange(60)}), "it has 'id'"),
    ):
        with pytest.raises(ValueError, match=f"there is no label 'none' with a value .*{ending}$"):
            class_shares(samples, reference.path, [], "none", TriageSettings())


def test_missed_samples_are_the_clearest_first_by_row_and_one_of_each_group() -> None:
    own = np.r_[np.arange(12.0), 40.0, 90.0][:, None]
    others = np.r_[np.arange(12.0) + 0.1, 60.0][:, None]
    found = missed_samples(Samples(own), Samples(others), k=1)
    assert found.rows.tolist() == []
    found = missed_samples(
        Samples(np.r_[own, own[-1:] + 0.5, own[-2:-1] + 1]), Samples(others), k=1
    )
    assert found.rows.tolist() == [14, 13, 12, 15]
    assert found.ratios.tolist() == pytest.approx([61.0, 60.0, 20.0, 19.0])
    assert (found.n, found.share, found.expected) == (16, 0.25, 15 / 28)
    twice = Samples(np.repeat(own, 2, axis=0), groups=np.repeat(np.arange(14), 2))
    assert missed_samples(twice, Samples(others), k=1).n == 14


@pytest.mark.parametrize("n", [40, 41])
def test_halves_of_the_reference_share_nothing(n: int) -> None:
    samples = Samples(np.arange(float(n))[:, None])
    halves, others = (
        [half.values[:, 0].tolist() for half in _halves(samples, seed)] for seed in (3, 4)
    )
    assert [len(half) for half in halves] == [20, 20]
    assert not set(halves[0]) & set(halves[1])
    assert halves == [sorted(half) for half in halves]
    assert halves != others
    grouped = Samples(samples.values, groups=np.arange(n) // 4)
    one, other = (set(np.asarray(half.groups).tolist()) for half in _halves(grouped, 3))
    assert not one & other


def test_features_are_shuffled_one_by_one() -> None:
    values = np.repeat(np.arange(40.0)[:, None], 2, axis=1)
    shuffled = _shuffled(Samples(values), 3).values
    assert not np.array_equal(shuffled, values)
    np.testing.assert_array_equal(np.sort(shuffled, axis=0), values)
    assert shuffled[:, 0].tolist() != shuffled[:, 1].tolist()


def test_a_holdout_may_share_so_many_samples_with_the_reference() -> None:
    reference = Samples(np.arange(50.0)[:, None])
    held = Samples(np.r_[0.0, np.arange(19) + 0.5][:, None])
    assert check_holdout(reference, held) == 1
    assert (
        held_out_distances(reference, held).source
        == "20 held-out real samples, 1 of them in the reference too"
    )
    with pytest.raises(
        ValueError, match="holdout: 2 of 20 samples are in the reference too; at most 5 %"
    ):
        check_holdout(reference, Samples(np.r_[0.0, 1.0, np.arange(18) + 0.5][:, None]))
    own = held_out_distances(reference)
    assert own.values[0].tolist() == [1.0, 2.0]
    assert (own.independent, own.source, own.holdout) == (
        25.0,
        "the reference itself, each sample left out",
        "",
    )
    twice = held_out_distances(Samples(np.repeat(reference.values, 2, axis=0)))
    assert twice.independent < 26
    grouped = held_out_distances(Samples(reference.values, groups=np.arange(50) // 2))
    assert (grouped.independent, grouped.values[0].tolist()) == (12.5, [2.0, 3.0])


def test_directions_of_a_spectrum_hold_a_share() -> None:
    found = Spectrum(np.array([0.5, 0.3, 0.2]), 9, 1.0)
    assert [found.directions(share) for share in (0.4, 0.5, 0.51, 0.8, 1.0)] == [1, 1, 2, 2, 3]
    assert found.dimension == pytest.approx(1 / 0.38)


def test_estimates_are_ranked_by_their_paired_draws() -> None:
    rng = np.random.default_rng(0)
    real = rng.normal(size=(60, 3))
    pairs = [SamplePair(real, scale * rng.normal(size=(60, 3))) for scale in (1.0, 3.0)]
    estimates = [estimate(pair, "knn")["knn"] for pair in pairs]
    table = rank_estimates(["good", "wide"], estimates, bootstrap=12, seed=5)
    curves = replicated([each.runs for each in estimates], 12, 5)
    values = np.array([sides(each.curve) for each in estimates])
    drawn = SharedReference(values, np.array([[sides(curve) for curve in each] for each in curves]))
    pd.testing.assert_frame_equal(table, ranking(drawn, ["good", "wide"]))


def test_checkpoints_below_a_folder_leave_out_what_is_named(tmp_path: Path) -> None:
    for name in ("a-2.npy", "a-1.npy", "real.npy", "m.csv"):
        (tmp_path / name).write_bytes(b"file,step\na-2.npy,7\n" if name == "m.csv" else b"")
    below = Below(tmp_path)
    files = ["a-2.npy", "a-1.npy", "real.npy", "m.csv", "gone.npy"]
    found = checkpoints_below(below, files, "m.csv", leave_out=["real.npy", "none.npy"])
    assert [(each.name, each.step, each.below) for each in found] == [
        ("a-2", 7.0, tmp_path),
        ("a-1", 1.0, tmp_path),
        ("gone", None, tmp_path),
    ]
    with pytest.raises(ValueError, match="checkpoints = 2 files: all are left out"):
        checkpoints_below(below, ["real.npy", "m.csv"], "m.csv", leave_out=["real.npy"])


def test_a_triage_of_nothing_that_was_measured_has_no_judgement() -> None:
    reference = Samples(np.random.default_rng(0).normal(size=(30, 2)))
    failed = CheckpointOutcome(Checkpoint(Path("a"), "a"), (), reason="gone")
    found = Triage(reference=reference, settings=TriageSettings()).results([failed])
    assert (found.outcomes, found.judgement, found.no_ceiling, dict(found.findings)) == (
        (failed,),
        None,
        "",
        {},
    )
    measured: Any = tuple(by("knn", "a") + by("ipr", "a") + by("kde", "a"))
    outcome = CheckpointOutcome(Checkpoint(Path("a"), "a"), measured, ("kde", "knn"))
    some = outcome.of(["ipr", "knn"])
    assert [each.method for each in some.measured] == ["ipr", "knn"]
    assert some.fresh == ("knn",)


def test_settings_of_a_triage_are_spelled_in_one_way() -> None:
    given: Any = {"methods": ["KNN"], "features": ["a"], "drop": ["b"], "split": "none"}
    found = TriageSettings(**given)
    assert (found.methods, found.features, found.drop, found.split) == (
        ("knn",),
        ("a",),
        ("b",),
        None,
    )
    with pytest.raises(ValueError, match="split = None, but tightest needs samples"):
        TriageSettings((BEST,), split=None)
    for bandwidth in (0.0, -1.0):
        with pytest.raises(ValueError, match="bandwidth"):
            TriageSettings(bandwidth=bandwidth)


def test_the_key_of_a_result_is_everything_that_it_hangs_on() -> None:
    reference = Samples(np.random.default_rng(0).normal(size=(40, 2)))
    settings = TriageSettings(bandwidth=2.0, split=0.4, seed=7)
    evaluator = CheckpointEvaluator(reference, settings, None, 10**9)
    key = {"prviz": prviz.__version__, "real": "r", "generated": "g", "split": 0.4, "seed": 7}
    for own in (
        {"method": "kde", "k": 3, "bandwidth": 2.0},
        {"method": "cluster", "k": None, "bandwidth": None},
    ):
        found = evaluator._key(PairDigests("r", "g"), own["method"], own["k"])
        assert found == key | own


def test_a_class_that_the_other_set_lacks_has_the_chance_of_a_draw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[Any] = []
    monkeypatch.setattr(
        "prviz.triage.classes._holm", lambda shares, absent: held.append(absent) or tuple(shares)
    )
    rng = np.random.default_rng(0)
    real = Samples(rng.normal(size=(9, 2)))
    generated = Samples(rng.normal(size=(7, 2)))
    by_class(real, generated, ["u"] * 6 + ["v"] * 3, ["u"] * 5 + ["w"] * 2, k=1)
    found = {(each.label, each.role, each.n): chance for each, chance in held[0].items()}
    assert found == {
        ("v", "real", 3): pytest.approx(9 / 16 * 8 / 15 * 7 / 14),
        ("w", "generated", 2): pytest.approx(7 / 16 * 6 / 15),
    }


def test_samples_that_can_not_be_read_or_have_changed_are_none() -> None:
    made = Samples(np.random.default_rng(0).normal(size=(30, 2)))
    digests = Of(generated=made.digest)
    one: Any = Of(checkpoint=Of(name="a"), n_real=30, n_generated=30, digests=digests)

    def gone(_: Any) -> Samples:
        raise ReadError("gone")

    def there(values: Any) -> Any:
        load = gone if values is None else lambda _: Samples(values)
        return Triage(reference=made, settings=TriageSettings(), load=load).pair(one)

    assert there(made.values).generated.digest == made.digest
    for values in (None, made.values + 1, np.zeros((30, 3))):
        assert there(values) is None
