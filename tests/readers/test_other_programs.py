"""What programs of many fields write beside features, or in place of them: asked about, or put
right by the printed lines.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from prviz.readers import ReadError, SuspectColumnsError, read

N = 120
RNG = np.random.default_rng(11)
WORDS = ["mass", "length", "pressure", "ozone"]
FRAME = pd.DataFrame(RNG.normal(size=(N, 4)).round(4), columns=WORDS)
DAYS = pd.date_range("2022-03-01", periods=N, freq="5D")


def written(frame: pd.DataFrame) -> tuple[str, bytes]:
    return "t.csv", frame.to_csv(index=False).encode()


def asked(more: Mapping[str, object]) -> tuple[str, ...]:
    with pytest.raises(SuspectColumnsError) as caught:
        read(written(FRAME.assign(**more)))
    return caught.value.columns


# ---- columns that are no features ----

SOME = RNG.integers(0, 4, N)
BESIDE: list[dict[str, object]] = [
    {"YEAR": DAYS.year, "MO": DAYS.month, "DY": DAYS.day},
    {"YEAR": DAYS.year, "DOY": DAYS.day_of_year},
    {"Month": RNG.permutation(DAYS.month), "HR": RNG.integers(0, 24, N)},
    {"fyear": RNG.integers(2000, 2020, N), "fqtr": RNG.integers(1, 5, N)},
    {"QN_3": SOME, "qc": SOME, "QF": SOME, "flag": SOME, "ozone_QC": SOME},
    {"Centroid X µm": RNG.random(N), "Centroid Y µm": RNG.random(N)},
    {"AreaShape_Center_X": RNG.random(N), "centroid-0": RNG.random(N)},
    {"seurat_clusters": SOME, "RNA_snn_res.0.8": SOME, "percent.mt": RNG.random(N)},
    {"strata": SOME, "psu": SOME, "redcap_repeat_instance": SOME},
    {"run.no": SOME, "VISITNUM": SOME},
    {"predict": SOME, "p0": np.linspace(0, 1, N), "p1": np.linspace(1, 0, N)},
    {"Datum": RNG.random(N)},
    {"EEG.Counter": np.arange(N) % 40},
    {"clock": np.tile(np.arange(N // 3) * 0.02, 3)},
]


@pytest.mark.parametrize("more", BESIDE, ids=lambda more: ",".join(more))
def test_what_programs_write_beside_features_is_asked_about(more: dict[str, object]) -> None:
    assert set(asked(more)) == {*more}


FEATURES: list[dict[str, object]] = [
    {"year_built": RNG.integers(1900, 2020, N), "days_open": RNG.integers(1, 300, N)},
    {"HR": RNG.integers(50, 120, N), "mo": RNG.random(N)},
    {"own_car_flag": SOME > 1, "FLAG_MOBIL": SOME > 1, "quality": SOME},
    {"spectral_centroid_mean": RNG.random(N), "acc_x": RNG.random(N), "acc_y": RNG.random(N)},
    {"p_sand": np.linspace(0, 1, N)[::-1] ** 2, "p_clay": RNG.random(N), "n_clusters": SOME},
    {"Whole weight": RNG.normal(0.9, 0.1, N), "Shell weight": RNG.normal(0.3, 0.1, N)},
]


@pytest.mark.parametrize("more", FEATURES, ids=lambda more: ",".join(more))
def test_features_of_such_names_are_features(more: dict[str, object]) -> None:
    found = read(written(FRAME.assign(**more)))
    assert found.features == (*WORDS, *more)


@pytest.mark.parametrize(
    "more",
    [
        {"month": DAYS.month[RNG.permutation(N)]},
        {"lat": RNG.random(N), "lon": RNG.random(N)},
        {"POINT_X": RNG.random(N), "POINT_Y": RNG.random(N)},
        {"probe_nr": SOME, "demographics_complete": SOME},
        {"pweight": RNG.lognormal(5, 1, N)},
    ],
    ids=lambda more: ",".join(more),
)
def test_what_may_be_a_feature_is_remarked(more: dict[str, object]) -> None:
    (note,) = read(written(FRAME.assign(**more))).notes
    assert "may say something else" in note
    assert all(name in note for name in more)


def test_dots_divide_the_words_of_names_as_in_r() -> None:
    found = read(written(FRAME.assign(**{"patient.id": SOME, "Sepal.Length": RNG.random(N)})))
    assert found.features == (*WORDS, "Sepal.Length")


def test_the_greatest_score_in_every_column_is_a_sample_where_many_have_it() -> None:
    scores = np.minimum(np.random.default_rng(0).integers(40, 120, (60, 2)), 100)
    scores[-2] = 100
    table = pd.DataFrame(scores, columns=["algebra", "reading"])
    assert read(written(table)).n == 60
    table.iloc[-2] = 150
    with pytest.raises(ReadError, match="sums up the rows above"):
        read(written(table.assign(more=RNG.normal(size=60)).pipe(_topped)))


def _topped(table: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([table, table.max().to_frame().T])
