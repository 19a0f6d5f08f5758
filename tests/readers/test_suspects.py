"""Columns of numbers that are no features: left out where that is proven, else for the user to
decide.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy

import prviz
from prviz.cli.main import main
from prviz.measure.estimates import estimate
from prviz.readers import ReadError, SuspectColumnsError, read, read_pair
from prviz.readers.suspects import float_bits, is_key, look_packed
from prviz.samples import SamplePair
from tests.readers.test_column_choice import write

N = 120
D = 6
RNG = np.random.default_rng(0)
REAL = RNG.normal(size=(N, D))
MADE = RNG.normal(size=(N, D)) * 0.8 + 0.3
NUMBERED = [f"f{place}" for place in range(D)]
WORDS = ["age", "income", "hours", "rate", "tenure", "size"]
SHELL = ["--method", "knn", "--k", "5", "--split", "none"]
RIGHT = estimate(SamplePair(REAL, MADE), ["knn"], k=5, split=None)["knn"].curve.auc


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prviz.warning, "_said", {})


def table(values: np.ndarray, names: list[str], **more: object) -> pd.DataFrame:
    return pd.DataFrame(values, columns=names).assign(**more)


def refused(frame: pd.DataFrame) -> tuple[str, ...]:
    with pytest.raises(SuspectColumnsError) as caught:
        read(("t.csv", frame.to_csv(index=False).encode()))
    return caught.value.columns


def taken(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(read(("t.csv", frame.to_csv(index=False).encode())).features)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "name",
    [
        *(
            "seed",
            "noise_seed",
            "step",
            "global step",
            "epoch",
            "iteration",
            "run",
            "cfg_scale",
            "guidance",
            "Guidance Scale",
        ),
        *(
            "umap_x",
            "UMAP1",
            "umap-1",
            "tsne_1",
            "t-SNE_x",
            "tsne_2d_x",
            "pca_1",
            "pc1",
            "projection_x",
            "cluster",
        ),
        *(
            "leiden",
            "FlowSOM",
            "PERNUM",
            "SEQN",
            "anweight",
            "VARSTR",
            "proba_1",
            "logloss",
            "residual",
            "random",
            "created_by",
            "kmeans_5",
            "timestamp",
            "record_no",
            "serial",
            "row",
            "sample_number",
            "event_weight",
            "customer_key",
        ),
    ],
)
@pytest.mark.parametrize("names", [NUMBERED, WORDS], ids=["numbered", "words"])
def test_names_that_no_feature_has_are_asked_about(name: str, names: list[str]) -> None:
    assert refused(table(REAL, names, **{name: RNG.normal(size=N)})) == (name,)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "name",
    [
        *("randomSeed", "trainStep", "noiseSeed", "umapX", "cfgScale", "kMeansCluster", "RNGSeed"),
        *("randomseed", "trainstep", "eventNumber", "eventnumber", "epochNo", "lumiBlock", "MJD"),
        *("createdAt", "updated_at", "weight_mc", "weightMC", "mcWeight", "yPred", "workerRank"),
    ],
)
def test_names_without_marks_between_their_words_are_asked_about(name: str) -> None:
    assert refused(table(REAL, WORDS, **{name: RNG.normal(size=N)})) == (name,)


@pytest.mark.parametrize("name", ["<DATE>", "Duration (in seconds)", "Epoch [no]"])
def test_signs_and_units_around_names_do_not_hide_them(name: str) -> None:
    assert refused(table(REAL, NUMBERED, **{name: RNG.normal(size=N)})) == (name,)
    assert taken(table(REAL, WORDS, **{"@id": RNG.random(N), ":LABEL": 1})) == tuple(WORDS)


def test_covariates_of_geneticists_beside_variants_are_asked_about() -> None:
    variants = [f"rs{place}_{'ACGT'[place % 4]}" for place in range(D)]
    beside = table(REAL, variants, FID=range(N), SEX=RNG.integers(1, 3, N), PHENOTYPE=-9)
    assert refused(beside) == ("SEX", "PHENOTYPE")


def test_the_quality_of_a_column_is_asked_about() -> None:
    beside = {"TI-1.PV": REAL[:, 0], "TI-1.PV Quality": RNG.choice([0, 192], N)}
    assert refused(table(REAL, WORDS, **beside)) == ("TI-1.PV Quality",)


SPECTRA = {
    "wavenumbers": ("Wavenumber (cm-1)", "S{}", ""),
    "chemical shifts": ("ppm", "real_S{:03d}", ""),
    "wavelengths in steps of 1": ("wavelength", "spectrum {}", ""),
    "chips": ("TargetID", "2000000{:05d}_R01C01.AVG_Beta", "[Header]\nVersion,1.9\n[Data]\n"),
    "genomes": ("ID", "HG{:05d}", ""),
    "peaks": ("row ID", "QC_{}.mzML Peak area", ""),
}


@pytest.mark.parametrize("kind", SPECTRA)
def test_spectra_and_samples_in_columns_are_turned(kind: str, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    first, column, above = SPECTRA[kind]
    frame = pd.DataFrame(REAL[:50].T, columns=[column.format(place) for place in range(50)])
    steps = 1 if "1" in kind else 4
    frame.insert(0, first, [f"cg{place}" if above else 400 + steps * place for place in range(D)])
    (tmp_path / "t.csv").write_text(above + frame.to_csv(index=False))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError, match="transposed") as caught:
        read("t.csv")
    exec(str(caught.value).partition("\n")[2], {})
    np.testing.assert_allclose(read("t_turned.csv").values, REAL[:50])


def test_a_file_for_each_spectrum_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    names = ["wavelength", *(f"s{place}" for place in range(1, D))]
    for place, row in enumerate(REAL[:40]):
        pd.DataFrame([row], columns=names).to_csv(tmp_path / f"a_{place}.csv", index=False)
    np.testing.assert_array_equal(read(tmp_path).values, REAL[:40])


@pytest.mark.parametrize("name", ["magError", "magErr", "magerr", "errMag", "mag_error", "err_mag"])
def test_errors_of_a_column_are_asked_about_however_they_are_written(name: str) -> None:
    error = {name: RNG.random(N)}
    assert refused(table(REAL, WORDS, mag=RNG.normal(size=N), **error)) == (name,)
    assert taken(table(REAL, WORDS, **error))[-1] == name  # of no column that is there


@pytest.mark.parametrize(
    "name",
    [
        "runId",
        "RunID",
        "runid",
        "objID",
        "objid",
        "sampleIdx",
        "InChIKey",
        "isTrain",
        "cvPartition",
    ],
)
def test_ids_without_marks_between_their_words_are_labels(name: str) -> None:
    assert taken(table(REAL, WORDS, **{name: RNG.integers(0, 9, N)})) == tuple(WORDS)


@pytest.mark.parametrize(
    "name", ["acid", "solid", "lipid", "grid", "radius error", "TPSA", "MolLogP", "NumHDonors"]
)
def test_names_of_features_hold_no_words_of_others(name: str) -> None:
    assert taken(table(REAL, WORDS, **{name: RNG.normal(size=N)}))[-1] == name
    assert not read(("t.csv", table(REAL, WORDS, MolWt=REAL[:, 0] + 300).to_csv().encode())).notes[
        1:
    ]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["body_mass_index", "MaxEStateIndex", "mean_free_path"])
def test_decimals_named_like_an_index_are_features(name: str, kind: str, tmp_path: Path) -> None:
    frame = table(REAL, WORDS, **{name: MADE[:, 0]})
    path = write(tmp_path / f"t.{kind}", frame)
    np.testing.assert_array_equal(read(path).values, frame)
    assert read(path).features == (*WORDS, name)
    assert read(path, drop=name).features == tuple(WORDS)
    frame[name] = frame[name].round()
    whole = (*WORDS, name)[: D + (name == "mean_free_path")]  # no number is a path
    assert read(write(path, frame)).features == whole
    frame[name] = MADE[:, 0]
    frame.loc[3, name] = np.nan
    if kind == "csv":
        with pytest.raises(ReadError, match=f"'{name}': 1 of 120 cells are empty"):
            read(write(path, frame))


@pytest.mark.parametrize(
    "name", ["x", "y", "score", "aesthetic_score", "time", "time_s", "weight", "loss", "topic"]
)
def test_names_that_a_feature_may_have_are_asked_about_beside_numbered_ones(name: str) -> None:
    column = {name: RNG.normal(size=N) + 9}
    assert refused(table(REAL, NUMBERED, **column)) == (name,)
    with pytest.warns(
        prviz.PrvizWarning,
        match=(
            f"read as a feature, though its name may say something else: '{name}'; to leave out:"
            " drop"
        ),
    ):
        assert taken(table(REAL, WORDS, **column)) == (*WORDS, name)


@pytest.mark.parametrize(
    "names",
    [
        ("x", "y"),
        ("x", "y", "z"),
        ("umap_1", "umap_2"),
        ("seed", "step"),
        ("time", "score"),
        ("time", "x"),
    ],
)
def test_columns_that_all_have_such_names_are_features(names: tuple[str, ...]) -> None:
    assert taken(table(REAL[:, : len(names)], list(names))) == names


def test_projections_are_plots_of_at_most_three_coordinates() -> None:
    frame = pd.DataFrame(RNG.normal(size=(N, 10)), columns=[f"pca_{place}" for place in range(10)])
    assert taken(frame.assign(age=RNG.normal(size=N))) == (*frame, "age")
    assert refused(frame.assign(umap_1=1.5, umap_2=2.5)) == ("umap_1", "umap_2")


@pytest.mark.parametrize(("low", "asked"), [(-1.0, True), (40.0, False)])
def test_weights_of_events_are_told_from_weights_of_bodies(low: float, asked: bool) -> None:
    frame = table(REAL, WORDS, weight=RNG.permutation(np.linspace(low, 50, N)))
    if asked:
        assert refused(frame) == ("weight",)
        assert refused(frame.assign(weight=1.0)) == ("weight",)
    else:
        with pytest.warns(prviz.PrvizWarning, match="'weight'"):
            assert taken(frame)[-1] == "weight"


@pytest.mark.parametrize("name", ["patient", "Subject no", "source video", "SessionNo", "donor"])
def test_numbers_of_what_rows_belong_to_are_asked_about(name: str) -> None:
    unit = np.arange(N) // 5
    assert refused(table(REAL, WORDS, **{name: unit})) == (name,)
    for feature in (RNG.normal(size=N), np.full(N, 3)):  # no numbers of units
        assert taken(table(REAL, WORDS, **{name: feature}))[-1] == name


def test_the_remedy_of_a_table_of_patients_keeps_them_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    paths = [str(tmp_path / f"{name}.csv") for name in ("real", "made")]
    for path in paths:
        unit = np.repeat(rng.permutation(80), 6)
        values = np.repeat(rng.normal(size=(80, 3)), 6, axis=0) + 0.1 * rng.normal(size=(480, 3))
        order = rng.permutation(480)
        table(values[order], ["age", "bmi", "dose"], **{"patient no": unit[order]}).to_csv(
            path, index=False
        )
    assert main(["curve", *paths, "--method", "knn"]) == 2
    said = re.search(
        r"says which rows belong together, give .* \((--group .*?)\); if", capsys.readouterr().err
    )
    assert said is not None
    assert main(["curve", *paths, "--method", "knn", *shlex.split(said[1])]) == 0
    found = prviz.read(paths[0], group="patient no")
    assert found.features == ("age", "bmi", "dose")
    assert found.groups is not None
    assert found.n_independent == 80


@pytest.mark.parametrize("extension", ["csv", "parquet"])
@pytest.mark.parametrize(
    "unit", [np.repeat(np.arange(20.0), 6), np.repeat([f"p{at}" for at in range(20)], 6)]
)
def test_a_row_of_no_group_is_refused_by_its_place(
    unit: np.ndarray, extension: str, tmp_path: Path
) -> None:
    whole = write(tmp_path / f"whole.{extension}", table(REAL, WORDS, patient=unit))
    assert read(whole, group="patient").n_independent == 20
    gaps = table(REAL, WORDS, patient=unit)
    gaps.loc[[3, 7], "patient"] = np.nan
    path = write(tmp_path / f"t.{extension}", gaps)
    with pytest.raises(
        ReadError,
        match=r"2 of 120 cells of 'patient' are empty, the first in sample 4; say of each",
    ):
        read(path, group="patient")


def test_a_set_without_the_column_of_groups_says_that_its_rows_count_as_independent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = write(tmp_path / "real.csv", table(REAL, WORDS, patient=np.arange(N) // 3))
    made = write(tmp_path / "made.csv", table(MADE, WORDS))
    assert main(["curve", str(real), str(made), "--method", "knn", "--group", "patient"]) == 0
    assert (
        "made.csv: no column 'patient': each row counts as independent of the others"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("n", [80, 600])
def test_whole_numbers_all_different_are_a_key_whatever_their_name(n: int) -> None:
    values = RNG.normal(size=(n, D))
    key = RNG.permutation(10**6)[:n]
    assert refused(table(values, WORDS, gadget=key)) == ("gadget",)
    for harmless in (key // 20_000, np.where(key == key[3], key[4], key), key + 0.5):
        assert taken(table(values, WORDS, gadget=harmless))[-1] == "gadget"
    counts = RNG.permuted(np.tile(np.arange(n) * 3, (D, 1)), axis=1).T
    assert taken(table(counts, WORDS)) == tuple(WORDS)  # whole numbers by nature


@pytest.mark.parametrize("n", [80, 600])
@pytest.mark.parametrize(
    "name",
    [
        "price",
        "memory.used",
        "sessions",
        "AreaShape_Area",
        "n_reads",
        "Flow Duration",
        "mz (Da)",
        "pcinc",
    ],
)
def test_amounts_that_all_differ_are_no_key(name: str, n: int) -> None:
    values = RNG.normal(size=(n, D))
    amount = RNG.permutation(10**6)[:n]
    assert taken(table(values, WORDS, **{name: amount}))[-1] == name
    assert refused(table(values, WORDS, **{f"{name.split()[0]} key": amount}))


def test_keys_beside_amounts_that_all_differ_are_asked_about() -> None:
    amounts = {name: RNG.permutation(10**6)[:N] for name in ("price", "area", "visits")}
    keys = {name: RNG.permutation(10**6)[:N] for name in ("zpid", "parcel")}
    frame = table(REAL[:, :3], WORDS[:3], **amounts, **keys)
    assert refused(frame) == ("zpid", "parcel")
    assert taken(frame.drop(columns=WORDS[:2])) == tuple(frame)[2:]  # whole numbers by nature


def test_many_different_amounts_are_skewed_keys_are_not() -> None:
    values = RNG.normal(size=(600, D))
    amounts = RNG.permutation(np.unique(np.exp(RNG.normal(14, 1, 900)).round()))[:600]
    assert taken(table(values, WORDS, gadget=amounts))[-1] == "gadget"
    assert refused(table(values, WORDS, gadget=amounts.max() - amounts)) == ("gadget",)


@pytest.mark.parametrize(
    "name",
    ["_merge", "_TYPE_", ".fitted", "_airbyte_emitted_at", "filter_$", "Duration (in seconds)"],
)
def test_columns_that_a_program_adds_for_itself_are_asked_about(name: str) -> None:
    assert refused(table(REAL, WORDS, **{name: RNG.normal(size=N)})) == (name,)
    dummy = table(REAL, WORDS, _Irace_2=RNG.integers(0, 2, N), _3P=RNG.normal(size=N))
    assert taken(dummy) == (*WORDS, "_Irace_2", "_3P")
    own = list(map("_".__add__, WORDS))  # the names of all columns begin so
    assert taken(table(REAL, own)) == tuple(own)


@pytest.mark.parametrize("unit", [1, 1e3, 1e9])
def test_moments_since_1970_are_asked_about(unit: float) -> None:
    moments = (1.7e9 + np.cumsum(RNG.random(N) + 0.1)) * unit
    assert refused(table(REAL, WORDS, gadget=moments)) == ("gadget",)
    RNG.shuffle(moments)
    if unit > 1:
        assert refused(table(REAL, WORDS, gadget=moments)) == ("gadget",)
    else:  # numbers of this size may be others, unless the name is that of a time
        assert taken(table(REAL, WORDS, gadget=moments))[-1] == "gadget"
        assert refused(table(REAL, WORDS, t=moments)) == ("t",)


@pytest.mark.parametrize(
    "name",
    [
        *("naics", "sich", "destination_port", "Protocol", "country_iso_num", "camcol", "Slice"),
        *("churn", "Survived", "county_fips", "payment_type", "stop_sequence", "koi_fpflag_nt"),
        *("CNTSCHID", "BRANCH", "deceased"),
    ],
)
def test_whole_numbers_named_like_codes_or_outcomes_are_noted(name: str) -> None:
    for column, noted in ((RNG.integers(0, 9, N), True), (RNG.normal(size=N), False)):
        found = read(("t.csv", table(REAL, WORDS, **{name: column}).to_csv(index=False).encode()))
        assert bool(found.notes) == noted


@pytest.mark.parametrize(
    "name",
    [
        *(
            "step_time",
            "time_to_expiry",
            "shot_distance",
            "credit_score",
            "weight_loss",
            "duration",
        ),
        *("rating", "temperature", "MolWt", "birth_weight", "time_signature", "ISO", "LIPID"),
    ],
)
def test_what_is_measured_in_a_table_of_words_gets_no_note(name: str) -> None:
    frame = table(REAL, WORDS, **{name: RNG.normal(size=N) + 9})
    assert read(("t.csv", frame.to_csv(index=False).encode())).notes == ()
    setting = table(REAL, WORDS, temperature=RNG.choice([0, 0.7, 1], N))
    assert read(("t.csv", setting.to_csv(index=False).encode())).notes
    assert refused(table(REAL, NUMBERED, temperature=RNG.normal(size=N))) == ("temperature",)


def test_a_score_of_shares_may_be_a_models() -> None:
    for scale, noted in ((1, True), (9, False)):
        frame = table(REAL, WORDS, koi_score=RNG.random(N) * scale)
        assert bool(read(("t.csv", frame.to_csv(index=False).encode())).notes) == noted


def test_several_body_weights_get_no_note_several_survey_weights_do() -> None:
    for names, noted in ((("Whole weight", "Shell weight"), False), (("FSTUWT", "SENWT"), True)):
        more = dict(zip(names, RNG.random((2, N)) + 2, strict=True))
        notes = read(("t.csv", table(REAL, WORDS, **more).to_csv(index=False).encode())).notes
        assert bool(notes) == noted


def test_weights_of_surveys_are_asked_about_where_one_has_their_mean() -> None:
    weights = {"anweight": RNG.random(N) * 5 + 2, "pspwght": RNG.random(N) + 0.5}
    assert refused(table(REAL, WORDS, **weights)) == ("anweight", "pspwght")
    bodies = {"Whole weight": RNG.random(N) + 0.5, "Shell weight": RNG.random(N)}
    found = read(("t.csv", table(REAL, WORDS, **bodies).to_csv(index=False).encode()))
    assert found.features == (*WORDS, *bodies)
    assert found.notes == ()


def test_keys_that_rise_from_row_to_row_are_keys() -> None:
    key = np.sort(RNG.permutation(10**6)[:N])
    assert refused(table(REAL, WORDS, gadget=key)) == ("gadget",)


def test_numbers_of_blocks_of_rows_say_what_rows_belong_together() -> None:
    blocks = np.sort(RNG.integers(0, 20, N))
    blocks = np.unique(blocks, return_inverse=True)[1] + 7
    frame = table(REAL, WORDS, gadget=blocks)
    assert refused(frame) == ("gadget",)
    with pytest.raises(SuspectColumnsError, match=r"belong together, give .*--group gadget\)"):
        read(("t.csv", frame.to_csv(index=False).encode()))
    found = read(("t.csv", frame.to_csv(index=False).encode()), group="gadget")
    assert len(np.unique(found.groups)) == len(np.unique(blocks))
    for harmless in (RNG.permutation(blocks), np.minimum(blocks, 13), blocks + 0.5 * (blocks > 9)):
        assert "gadget" in taken(table(REAL, WORDS, gadget=harmless))
    assert taken(table(REAL, ["height", *WORDS[1:]], age=blocks))[-1] == "age"


def test_numbers_that_never_fall_from_row_to_row_are_noted() -> None:
    for name, noted in (("gadget", True), ("articles", False), ("age", False)):
        frame = table(REAL, ["height", *WORDS[1:]], **{name: np.sort(RNG.integers(0, 900, N) // 9)})
        notes = read(("t.csv", frame.to_csv(index=False).encode())).notes
        assert [f"it grows or falls from row to row: '{name}'" in note for note in notes] == (
            [True] * noted
        )


def test_qualities_of_cells_are_features_of_a_table_of_such() -> None:
    qualities = ["n_genes_by_counts", "total_counts", "pct_counts_mt", "pct_counts_ribo"]
    assert taken(table(REAL[:, :5], [*qualities, "area"])) == (*qualities, "area")
    beside = dict.fromkeys(qualities[:2], RNG.normal(size=N))
    assert refused(table(REAL, WORDS, **beside)) == tuple(qualities[:2])


def test_a_musical_key_is_a_feature() -> None:
    assert taken(table(REAL, WORDS, key=RNG.integers(0, 12, N)))[-1] == "key"
    assert refused(table(REAL, WORDS, key=RNG.integers(0, 90, N))) == ("key",)


@pytest.mark.parametrize(
    "name", ["mag_err1", "mag_err_upper", "mag_error_minus", "e_mag", "mag RSD"]
)
def test_errors_to_both_sides_are_asked_about(name: str) -> None:
    error = {name: RNG.random(N)}
    assert refused(table(REAL, WORDS, mag=RNG.normal(size=N), **error)) == (name,)


def test_a_total_of_some_columns_beside_it_is_noted() -> None:
    frame = table(REAL, WORDS)
    frame.insert(3, "total_hours", frame["income"] + frame["hours"])
    said = "it is the sum of other columns: 'total_hours'"
    for held in (frame, frame[frame.columns[::-1]]):
        [note] = read(("t.csv", held.to_csv(index=False).encode())).notes
        assert said in note
    frame["total_hours"] += 0.01
    assert read(("t.csv", frame.to_csv(index=False).encode())).notes == ()
    frame = table(REAL, WORDS)
    frame.insert(3, "total_hours", frame["hours"])  # of one column alone
    assert read(("t.csv", frame.to_csv(index=False).encode())).notes == ()


def test_lists_of_tokens_are_no_samples() -> None:
    rows = [{"logprobs": [-0.1, -0.2], "embedding": row.tolist(), "n": 1} for row in REAL]
    found = read(("t.jsonl", "\n".join(map(json.dumps, rows)).encode()))
    np.testing.assert_array_equal(found.values, REAL)


def test_bands_of_one_letter_and_formants_get_no_note() -> None:
    bands = table(REAL[:, :5], [*"ugriz"])
    assert read(("t.csv", bands.to_csv(index=False).encode())).notes == ()
    formants = [*("F0", "F1", "F2", "F3"), "HNR", "jitter"]
    assert taken(table(REAL, formants, duration=RNG.random(N))) == (*formants, "duration")
    assert refused(table(REAL, NUMBERED, duration=RNG.random(N))) == ("duration",)


def test_incomes_in_a_small_table_are_no_key() -> None:
    income = np.unique(np.exp(RNG.normal(10, 0.6, 100)).round())
    RNG.shuffle(income)
    assert taken(table(REAL[: len(income)], WORDS, pay=income))[-1] == "pay"


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("start", [0, 1, 400])
def test_a_count_of_the_rows_is_left_out_and_said(kind: str, start: int, tmp_path: Path) -> None:
    frame = table(REAL, WORDS)
    frame.insert(3, "gadget", range(start, start + N))
    path = write(tmp_path / f"t.{kind}", frame)
    with pytest.warns(prviz.PrvizWarning, match=r"left out: 'gadget' \(a count of the rows\)"):
        found = read(path)
    np.testing.assert_array_equal(found.values, REAL)
    np.testing.assert_array_equal(found.labels["gadget"], frame["gadget"])
    assert read(path, columns="gadget").features == ("gadget",)
    assert read(path, drop="gadget").notes == ()
    assert read(path, columns=[*WORDS, "gadget"]).d == D + 1
    with pytest.warns(prviz.PrvizWarning, match="left out: 'gadget'"):
        assert read(path, columns="*[ae]*").features == ("age", "income", "rate", "tenure", "size")


def test_a_count_without_header_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, values in (("real", REAL), ("made", MADE)):
        table(values, NUMBERED).to_csv(tmp_path / f"{name}.csv", header=False)
    assert main(["curve", str(tmp_path / "real.csv"), str(tmp_path / "made.csv"), *SHELL]) == 0
    out, err = capsys.readouterr()
    assert f"{RIGHT:.4f}" in out
    assert "prviz: note: real.csv and made.csv: left out: '1' (a count of the rows)" in err


def test_a_table_of_one_column_keeps_it() -> None:
    assert read(("t.csv", "\n".join(map(str, range(20))).encode())).d == 1
    assert read(("t.csv", b"a,b\n1,2\n2,3\n3,4\n4,6\n")).d == 2  # too few rows to tell


def test_shards_leave_out_what_the_first_one_proves(tmp_path: Path) -> None:
    frame = table(REAL, WORDS, gadget=range(N))
    for number, rows in enumerate((slice(0, 117), slice(117, N))):
        write(tmp_path / f"part_{number}.parquet", frame[rows])
    found = read(tmp_path)
    np.testing.assert_array_equal(found.values, REAL)
    np.testing.assert_array_equal(found.labels["gadget"], np.arange(N))


def test_the_index_that_pandas_names_is_left_out_and_said(tmp_path: Path) -> None:
    index = pd.MultiIndex.from_product([range(6), range(20)], names=["sweep", "power"])
    path = tmp_path / "t.parquet"
    table(REAL, WORDS).set_index(index).to_parquet(path)
    with pytest.warns(
        prviz.PrvizWarning, match=r"left out: 'sweep', 'power' \(the table's index\)"
    ):
        found = read(path)
    np.testing.assert_array_equal(found.values, REAL)
    assert set(found.labels) == {"sweep", "power"}
    assert read(path, columns=["sweep", *WORDS]).features == (*WORDS, "sweep")
    assert read(path, columns="*").features == tuple(WORDS)
    table(REAL, WORDS).to_parquet(path)  # a RangeIndex is no column
    assert read(path).notes == ()


@pytest.mark.exhaustive
def test_both_remedies_of_the_error_give_the_right_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = {
        "seed": RNG.integers(0, 2**31, N),
        "cfg,scale": 7.5,
        "umap x": RNG.normal(size=N),
        "umap y": 0.5,
    }
    noise["cfg_scale"] = noise.pop("cfg,scale")
    for name, values in (("real", REAL), ("made", MADE)):
        table(values, NUMBERED, **noise).to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / "real.csv"), str(tmp_path / "made.csv")]
    for command in (
        ["curve", *files, *SHELL],
        ["parity", *files],
        ["triage", *files, "--out", str(tmp_path / "kept")],
    ):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert (
            "'real.csv': columns 'seed', 'umap x', 'umap y', 'cfg_scale' look like no features"
            in error
        )
        left_out, whole = re.findall(r"\((--(?:drop|features) .*?)\)", error)
        assert main([*command, *shlex.split(left_out)]) == 0
        if command[0] == "curve":
            assert f"{RIGHT:.4f}" in capsys.readouterr().out
        assert main([*command, *shlex.split(whole)]) == 0
        capsys.readouterr()
    drop = re.findall(r"drop=(\[.*?\])", error)
    found = [read(path, drop=eval(drop[0])) for path in files]  # noqa: S307
    np.testing.assert_array_equal(found[0].values, REAL)
    assert read(files[0], columns="*").d == D + 4


def test_names_with_commas_and_brackets_can_be_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = RNG.permutation(10**6)[:N]
    path = tmp_path / "t.csv"
    table(REAL, NUMBERED, **{'a "key", really [1]': key, "it's": key[::-1]}).to_csv(
        path, index=False
    )
    assert main(["curve", str(path), str(path), *SHELL]) == 2
    left_out = re.findall(r"\((--drop .*)\); if", capsys.readouterr().err)[0]
    assert main(["curve", str(path), str(path), *SHELL, *shlex.split(left_out)]) == 0
    assert f"{N} x {D}" in capsys.readouterr().out


def test_both_roles_in_one_table_are_asked_about_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.concat([table(REAL, NUMBERED, role="real"), table(MADE, NUMBERED, role="fake")])
    path = tmp_path / "t.csv"
    frame.assign(seed=RNG.integers(0, 2**31, 2 * N)).to_csv(path, index=False)
    with pytest.raises(SuspectColumnsError, match="'seed'"):
        read_pair(path)
    assert prviz.readers.roles(path) == ("role=real", "role=fake")
    np.testing.assert_array_equal(read_pair(path, drop="seed").real.values, REAL)
    assert main(["curve", str(path), *SHELL, "--drop", "seed"]) == 0
    assert f"{RIGHT:.4f}" in capsys.readouterr().out
    with pytest.raises(ReadError, match="has no column 'sed'"):
        read_pair(path, drop="sed")


@pytest.mark.exhaustive
def test_triage_measures_a_set_whose_columns_stand_in_another_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table(REAL, WORDS).to_csv(tmp_path / "real.csv", index=False)
    table(MADE, WORDS)[sorted(WORDS)].to_csv(tmp_path / "made.csv", index=False)
    report = tmp_path / "report.json"
    line = [
        "triage",
        str(tmp_path / "real.csv"),
        str(tmp_path / "made.csv"),
        *("--method", "knn", "--out"),
        str(tmp_path / "kept"),
    ]
    assert main([*line, "--report", str(report)]) == 0
    said = capsys.readouterr()
    assert "has changed since it was measured" not in said.out
    assert (said.out + said.err).count("stood in another order") == 1
    assert main(["triage", "--rerun", str(report)]) == 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_a_transposed_table_is_refused_with_lines_that_turn_it(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{kind}"
    turned = table(REAL, NUMBERED).T
    if kind == "parquet":
        turned.rename(columns=str).to_parquet(path)
    else:
        turned.to_csv(path, sep="\t" if kind == "tsv" else ",")
    with pytest.raises(ReadError, match=f"'t.{kind}': transposed, each row is a feature") as caught:
        read(path)
    recipe = str(caught.value).partition("\n")[2]
    subprocess.run([sys.executable, "-c", recipe], cwd=tmp_path, check=True)
    found = read(tmp_path / "t_turned.csv")
    np.testing.assert_array_equal(found.values, REAL)
    assert found.features == tuple(NUMBERED)


UNITS = ["mm", "kg", "s"] * 2
TURNED: dict[str, tuple[list[str], dict[str, list[object]]]] = {
    "a unit": ([f"sample_{place}" for place in range(N)], {"unit": UNITS}),
    "numbers alone": ([str(place) for place in range(N)], {}),
    "numbers, a unit": ([str(place) for place in range(N)], {"units": UNITS}),
    "keys": ([f"S{place:03d}" for place in range(N)], {"unit": UNITS}),
    "lengths": ([f"GSM{place}" for place in range(N)], {"length": [5, 9, 7, 8, 6, 1]}),
    "counts": (
        [f"run{place}.bam" for place in range(N)],
        {"Chr": ["1"] * 6, "Start": [5, 9, 7, 8, 6, 1], "Strand": ["+"] * 6},
    ),
    "intensities": ([f"LFQ intensity {place}" for place in range(N)], {"Score": [1.5] * 6}),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "first"),
    [*((name, "feature") for name in TURNED), ("lengths", "gene_id"), ("intensities", "Protein")],
)
def test_a_transposed_table_with_more_columns_is_turned_without_them(
    name: str, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    columns, more = TURNED[name]
    frame = table(REAL.T, columns, **more)
    frame = frame[[*more, *columns]]
    frame.insert(0, first, WORDS)
    frame.to_csv("t.csv", index=False, sep=";")
    with pytest.raises(ReadError, match=r"'t.csv': transposed, each (column|row) is a") as caught:
        read("t.csv")
    exec(str(caught.value).partition("\n")[2], {})
    np.testing.assert_allclose(read("t_turned.csv").values, REAL)
    if first == "feature" and columns[0] == "sample_0":
        frame.to_parquet("t.parquet")
        with pytest.raises(ReadError, match=r"transposed, each column is a sample") as caught:
            read("t.parquet")
        exec(str(caught.value).partition("\n")[2], {})
        np.testing.assert_allclose(read("t_turned.csv").values, REAL)


def test_texts_beside_features_are_not_taken_for_their_names() -> None:
    for name, texts in (("unit", ["mm"] * N), ("gene", ["a", "b"] * (N // 2))):
        with pytest.raises(ReadError, match="Leave the column out with drop="):
            read(("t.csv", table(REAL, WORDS, **{name: texts}).to_csv(index=False).encode()))
    few = table(REAL.T, [str(place) for place in range(N)], protein=[f"P{at}" for at in range(D)])
    with pytest.raises(ReadError, match="Leave the column out with drop='protein'"):
        read(("t.csv", few.to_csv(index=False).encode()))


def test_samples_named_by_numbers_are_not_taken_for_features() -> None:
    frame = pd.DataFrame(REAL[:, :4].T, index=[f"cell_{place}" for place in range(4)])
    assert read(("t.csv", frame.to_csv().encode())).n == 4


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_packed_bits_get_a_note_whose_line_unpacks_them(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    bits = rng.random((200, 512)) < rng.beta(0.3, 3, 512)
    packed = np.packbits(bits, axis=1)
    path = tmp_path / f"prints.{kind}"
    if kind == "npy":
        np.save(path, packed)
    elif kind == "npz":
        np.savez(path, features=packed)
    else:
        safetensors.numpy.save_file({"features": packed}, path)
    with pytest.warns(prviz.PrvizWarning, match="look like packed bits") as said:
        read(path)
    recipe = str(said[0].message).partition("measure what this saves: ")[2]
    code = f"import numpy as np, safetensors.numpy; {recipe}"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(read(tmp_path / "prints_bits.npy").values, bits)


def test_numbers_do_not_look_like_packed_bits() -> None:
    rng = np.random.default_rng(0)
    smooth = np.sin(np.linspace(0, 6, 300) * rng.uniform(0.5, 3, (200, 1)) + rng.random((200, 1)))
    kinds = {
        "quantised": np.clip(np.round(rng.normal(size=(200, 64)) * 30 + 128), 0, 255),
        "counts": rng.poisson(3, (200, 64)),
        "skewed": np.minimum(rng.exponential(40, (200, 64)), 255).astype(int),
        "truth": rng.integers(0, 2, (200, 64)),
        "black and white": 255 * rng.integers(0, 2, (200, 64)),
        "pixels": np.round(127 * (1 + smooth)),
        "ages": rng.integers(18, 95, (200, 16)),
        "floats": rng.random((200, 64)) * 255,
        "constant": np.full((200, 64), 17.0),
        "few": rng.integers(0, 256, (30, 8)),
    }
    assert [name for name, values in kinds.items() if look_packed(np.asarray(values, float))] == []
    ordered = rng.random((200, 167)) < np.linspace(0.02, 0.95, 167)
    assert look_packed(np.packbits(ordered, axis=1).astype(float))


@pytest.mark.parametrize(
    ("columns", "hidden", "rate"), [(8, 6, 0.5), (8, 6, 0.3), (32, 10, 0.1), (128, 20, 0.03)]
)
def test_bits_that_hang_on_each_other_or_are_rare_look_packed(
    columns: int, hidden: int, rate: float
) -> None:
    rng = np.random.default_rng(0)
    projected = rng.normal(size=(500, hidden)) @ rng.normal(size=(hidden, 8 * columns))
    assert look_packed(
        np.packbits(projected > np.quantile(projected, 1 - rate), axis=1).astype(float)
    )


@pytest.mark.parametrize("view", ["u2", "i2"])
@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_the_bits_of_numbers_get_a_note_whose_line_reads_them(
    name: str, view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = (
        np.random.default_rng(0)
        .normal(size=(60, 4))
        .astype(np.float16 if name == "float16" else np.float32)
    )
    bits = numbers.view("u2") if name == "float16" else (numbers.view("u4") >> 16).astype("u2")
    np.savez("x.npz", a=bits.view(view))
    with pytest.warns(
        prviz.PrvizWarning, match=f"look like the bits of {name}; if they are"
    ) as said:
        read("x.npz")
    with np.load("x.npz") as held:
        code = (
            str(said[0].message)
            .partition("measure what this saves: ")[2]
            .replace("np.load('x.npz')", "held")
        )
        exec(code, {"np": np, "held": held})
    np.testing.assert_allclose(read("x_numbers.npy").values, numbers, rtol=1e-2)


ONE, MINUS_ONE = 0x3F80, 0xBF80  # as bfloat16


@pytest.mark.parametrize(
    ("bits", "kind"),
    [
        ([ONE] * 90 + [MINUS_ONE] * 10, "bfloat16"),
        ([ONE] * 91 + [MINUS_ONE] * 9, None),
        ([ONE] * 10 + [MINUS_ONE] * 90, "bfloat16"),
        ([ONE] * 9 + [MINUS_ONE] * 91, None),
        ([ONE] * 54 + [MINUS_ONE] * 10, "bfloat16"),
        ([ONE] * 53 + [MINUS_ONE] * 10, None),
        # zeros of either sign say nothing
        ([ONE] * 90 + [MINUS_ONE] * 10 + [0, 0x8000] * 99, "bfloat16"),
        ([0, 0x8000] * 50, None),
        # as signed numbers, and beyond 16 bits
        ([ONE] * 60 + [MINUS_ONE - 2**16] * 40, "bfloat16"),
        ([ONE] * 60 + [MINUS_ONE] * 39 + [2**16 - 1], "bfloat16"),
        ([ONE] * 60 + [MINUS_ONE] * 40 + [-(2**15)], "bfloat16"),
        ([ONE] * 60 + [MINUS_ONE] * 40 + [2**16], None),
        ([ONE] * 60 + [MINUS_ONE] * 40 + [-(2**15) - 1], None),
        ([ONE] * 60 + [MINUS_ONE] * 40 + [0.5], None),
        ([200] * 60 + [255] * 40, None),
        ([0x5C00, 0xDC00] * 50, "float16"),
        ([ONE, MINUS_ONE] * 99 + [0x7F80] * 2, "bfloat16"),
        ([ONE, MINUS_ONE] * 99 + [0x7F80] * 3, None),
    ],
)
def test_bits_of_numbers_have_both_signs_and_usual_sizes(
    bits: list[float], kind: str | None
) -> None:
    assert float_bits(np.array(bits)[:, None]) == kind


def test_whole_numbers_do_not_look_like_the_bits_of_numbers() -> None:
    rng = np.random.default_rng(0)
    spread = rng.uniform(2048, 4095, (200, 16)) * rng.choice([-1, 1], (200, 16))
    kinds = {
        "pixels of 16 bits": rng.normal(32768, 8000, (200, 16)).clip(0, 65535),
        "pixels of 12 bits": rng.normal(1000, 400, (200, 16)).clip(0, 4095),
        "counts": rng.poisson(1000, (200, 16)),
        "even": rng.integers(0, 65536, (200, 16)),
        "sound": rng.laplace(0, 3000, (200, 16)).clip(-32768, 32767),
        "larger": rng.integers(0, 1 << 20, (200, 16)),
        "one sign": rng.normal(16000, 300, (200, 16)),
        "negative numbers alone": (-np.abs(spread)).astype(np.float32).view(np.uint32) >> 16,
        "numbers around 3000": spread.astype(np.float16).view(np.uint16),
        "nothing": np.zeros((200, 16)),
    }
    assert [name for name, values in kinds.items() if float_bits(np.rint(values))] == []
    assert float_bits(rng.normal(size=(200, 16)) * 1000) is None


@pytest.mark.parametrize(("largest", "spread_evenly"), [(78, True), (80, False)])
def test_keys_are_spread_as_evenly_as_chance_spreads_them(
    largest: int, spread_evenly: bool
) -> None:
    """Kolmogorov's statistic of 64 numbers: sqrt(64) |62 / largest - 62 / 63| is 1.52 and 1.67."""
    column = np.array([*range(63), largest], dtype=np.float64)
    assert is_key(column) == spread_evenly
    assert is_key(column[::-1] + 100) == spread_evenly


def test_what_a_column_looks_like_is_said_of_each() -> None:
    frame = table(
        REAL,
        NUMBERED,
        seed=RNG.normal(size=N),
        umap_x=RNG.normal(size=N),
        umap_y=RNG.normal(size=N),
    )
    with pytest.raises(
        SuspectColumnsError,
        match=r"no features \('seed': a seed; 'umap_x', 'umap_y': a place in a plot",
    ):
        read(("t.csv", frame.to_csv(index=False).encode()))
    with pytest.raises(
        SuspectColumnsError,
        match=r"'epoch' looks like no feature \(a step or a run of training\)\.",
    ):
        read(
            ("t.csv", table(REAL, NUMBERED, epoch=RNG.normal(size=N)).to_csv(index=False).encode())
        )


@pytest.mark.parametrize("written", ["%Y%m", "%Y%m%d", "%Y%m%d%H", "%Y%m%d%H%M%S"])
def test_dates_written_as_whole_numbers_are_asked_about_whatever_their_name(written: str) -> None:
    hours = pd.date_range("2023-11-03 05:00", periods=N, freq="17h").repeat(2)[:N]
    table = pd.DataFrame(REAL, columns=WORDS).assign(MESS=hours.strftime(written))
    with pytest.raises(SuspectColumnsError, match=r"'MESS' looks like no feature \(a time\)"):
        read(("t.csv", table.to_csv(index=False).encode()))
    for value in (hours[0].strftime(written), 20240100 + RNG.integers(0, 99, N)):  # one; any
        table = table.assign(MESS=value)
        assert read(("t.csv", table.to_csv(index=False).encode())).d == D + 1


@pytest.mark.parametrize(
    "name",
    [
        *("HHWT", "PWGTP", "W_FSTUWT", "PERWT22F", "propensity", "adj.P.Val", "posterior", "conf"),
        *("zipcode", "code_insee", "land_cover", "Classification", "Born", "weight_pileup"),
    ],
)
def test_a_column_that_may_be_a_weight_a_code_or_a_probability_is_said(name: str) -> None:
    values = 20 + RNG.integers(0, 9, N)
    if name == "weight_pileup":
        values = RNG.normal(1, 0.1, N)
    frame = table(REAL, WORDS, **{name: values})
    with pytest.warns(prviz.PrvizWarning, match=f"something else: '{name}'"):
        assert taken(frame) == (*WORDS, name)


def test_weights_of_bodies_codes_with_decimals_and_counts_of_patients_are_features() -> None:
    names = ["birthwt", "molwt", "weight_kg", "zip", "days_in_hospital", "num_user"]
    frame = table(REAL, WORDS, **dict.fromkeys(names[:-2], RNG.normal(70, 9, N)))
    frame = frame.assign(**dict.fromkeys(names[-2:], RNG.integers(1, 9, N)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert taken(frame) == (*WORDS, *names)


@pytest.mark.parametrize("name", ["SDMVPSU", "SDMVSTRA", "design_stratum"])
def test_how_a_survey_drew_its_rows_is_no_feature(name: str) -> None:
    assert refused(table(REAL, WORDS, **{name: RNG.integers(1, 9, N)})) == (name,)


def test_coordinates_behind_the_strokes_of_a_comment_are_said() -> None:
    frame = table(REAL, ["//X", "Y", "Z", *WORDS[3:]])
    with pytest.warns(prviz.PrvizWarning, match="something else: '//X', 'Y', 'Z';"):
        read(("t.csv", frame.to_csv(index=False).encode()))


@pytest.mark.parametrize("place", [0, 2, 4, 6])
def test_a_sum_of_other_columns_is_said(place: int) -> None:
    """Of all others, or of all before it; not of two, and not where one row differs."""
    frame = table(REAL.round(2), WORDS)
    parts = frame[WORDS[:place]] if place == 4 else frame
    frame.insert(place, "all", parts.sum(axis=1).round(2))
    if place == 2:  # two alone
        frame["all"] = frame[WORDS[:2]].sum(axis=1)
        assert len(taken(frame)) == D + 1
        return
    said = r"as a feature, though it is the sum of other columns: 'all'; to leave out: drop='all'"
    with pytest.warns(prviz.PrvizWarning, match=said):
        assert len(taken(frame)) == D + 1
    frame.loc[9, "all"] += 0.01
    assert len(taken(frame)) == D + 1


def test_whole_numbers_that_look_like_years_are_noted_under_any_name() -> None:
    frame = table(REAL, WORDS, season=RNG.integers(1998, 2024, N))
    [note] = read(("t.csv", frame.to_csv(index=False).encode())).notes
    assert "its values look like years: 'season'; to leave out: drop='season'" in note
    assert read(("t.csv", frame.to_csv(index=False).encode()), drop="season").notes == ()
    for others in (frame["season"] + 0.5, frame["season"] - 150, np.full(N, 2020)):
        held = frame.assign(season=others).to_csv(index=False).encode()
        assert read(("t.csv", held)).notes == ()


@pytest.mark.parametrize("place", [0, 3, D])
def test_classes_at_the_end_of_a_table_without_names_are_noted(place: int) -> None:
    values = np.insert(REAL, place, np.arange(N) * 7 % 10, axis=1)
    file = ("t.csv", pd.DataFrame(values).to_csv(index=False, header=False).encode())
    notes = read(file).notes
    if place == 3:
        assert notes == ()
        return
    said = f"it alone holds whole numbers, as classes do: '{place + 1}'; to leave out: drop="
    assert len(notes) == 1
    assert said in notes[0]
    np.testing.assert_array_equal(read(file, drop=str(place + 1)).values, REAL)
    values[:, place] += values[:, place] > 4  # a number is left out
    named = pd.DataFrame(values, columns=["size", *WORDS])
    for frame, header in ((pd.DataFrame(values), False), (named, True)):
        assert read(("t.csv", frame.to_csv(index=False, header=header).encode())).notes == ()


@pytest.mark.parametrize("named", [["y_pred"], []])
def test_probabilities_of_two_classes_are_asked_about(named: list[str]) -> None:
    share = RNG.random(N).round(4)
    frame = table(REAL, WORDS).assign(**dict.fromkeys(named, share > 0.5))
    frame = frame.assign(prob_0=1 - share, prob_1=share)
    assert refused(frame) == (*named, "prob_0", "prob_1")
    assert taken(table(REAL, WORDS, prob_0=RNG.random(N), prob_1=share))[-1] == "prob_1"
