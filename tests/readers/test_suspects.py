"""Columns of numbers that are no features: left out where that is proven, else for the user to
decide.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from numpy.testing import assert_allclose, assert_array_equal

import prviz
from prviz.measure.estimates import estimate
from prviz.readers import ReadError, read, read_pair
from prviz.readers.suspects import (
    _counting,
    _in_order,
    _repeats,
    are_samples,
    are_weights,
    beside_lists,
    called_weights,
    check_upright,
    float_bits,
    is_key,
    look_packed,
    may_be_keys,
)
from prviz.samples import SamplePair
from tests import file_builders as build
from tests.readers.answers import csv, followed, json_lines, refusal, run_lines, shell, write

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
    return refusal(csv(frame)).columns


def taken(frame: pd.DataFrame) -> tuple[str, ...]:
    return tuple(read(csv(frame)).features)


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
def test_spectra_and_samples_in_columns_are_turned(kind: str) -> None:
    first, column, above = SPECTRA[kind]
    frame = pd.DataFrame(REAL[:50].T, columns=[column.format(place) for place in range(50)])
    steps = 1 if "1" in kind else 4
    frame.insert(0, first, [f"cg{place}" if above else 400 + steps * place for place in range(D)])
    file = ("t.csv", above.encode() + csv(frame)[1])
    assert_allclose(followed(file, "transposed").values, REAL[:50])


def test_a_file_for_each_spectrum_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    names = ["wavelength", *(f"s{place}" for place in range(1, D))]
    for place, row in enumerate(REAL[:40]):
        pd.DataFrame([row], columns=names).to_csv(tmp_path / f"a_{place}.csv", index=False)
    assert_array_equal(read(tmp_path).values, REAL[:40])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["body_mass_index", "MaxEStateIndex", "mean_free_path"])
def test_decimals_named_like_an_index_are_features(name: str, kind: str, tmp_path: Path) -> None:
    frame = table(REAL, WORDS, **{name: MADE[:, 0]})
    path = write(tmp_path / f"t.{kind}", frame)
    assert_array_equal(read(path).values, frame)
    assert read(path).features == (*WORDS, name)
    assert read(path, drop=name).features == tuple(WORDS)
    frame[name] = frame[name].round()
    whole = (*WORDS, name)[: D + (name == "mean_free_path")]  # no number is a path
    assert read(write(path, frame)).features == whole
    frame[name] = MADE[:, 0]
    frame.loc[3, name] = np.nan
    if kind == "csv":
        refusal(write(path, frame), f"'{name}': 1 of 120 cells are empty")


def test_the_remedy_of_a_table_of_patients_keeps_them_together(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = [tmp_path / f"{name}.csv" for name in ("real", "made")]
    for path in paths:
        unit = np.repeat(rng.permutation(80), 6)
        values = np.repeat(rng.normal(size=(80, 3)), 6, axis=0) + 0.1 * rng.normal(size=(480, 3))
        frame = table(values, ["age", "bmi", "dose"], **{"patient no": unit})
        write(path, frame.sample(frac=1, random_state=1))
    said = shell("curve", *paths, "--method", "knn", code=2)
    (group,) = re.findall(r"says which rows belong together, give .* \((--group .*?)\); if", said)
    shell("curve", *paths, "--method", "knn", *shlex.split(group))
    found = read(paths[0], group="patient no")
    assert found.features == ("age", "bmi", "dose")
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
    refusal(
        path,
        r"2 of 120 cells of 'patient' are empty, the first in sample 4; say of each",
        group="patient",
    )


def test_a_set_without_the_column_of_groups_says_that_its_rows_count_as_independent(
    tmp_path: Path,
) -> None:
    real = write(tmp_path / "real.csv", table(REAL, WORDS, patient=np.arange(N) // 3))
    made = write(tmp_path / "made.csv", table(MADE, WORDS))
    said = shell("curve", real, made, "--method", "knn", "--group", "patient")
    assert "made.csv: no column 'patient': each row counts as independent of the others" in said


def test_keys_beside_amounts_that_all_differ_are_asked_about() -> None:
    amounts = {name: RNG.permutation(10**6)[:N] for name in ("price", "area", "visits")}
    keys = {name: RNG.permutation(10**6)[:N] for name in ("zpid", "parcel")}
    frame = table(REAL[:, :3], WORDS[:3], **amounts, **keys)
    assert refused(frame) == ("zpid", "parcel")
    assert taken(frame.drop(columns=WORDS[:2])) == tuple(frame)[2:]  # whole numbers by nature


def test_numbers_of_blocks_of_rows_say_what_rows_belong_together() -> None:
    blocks = np.unique(np.sort(RNG.integers(0, 20, N)), return_inverse=True)[1] + 7
    file = csv(table(REAL, WORDS, gadget=blocks))
    refusal(file, r"belong together, give .*--group gadget\)")
    assert_array_equal(read(file, group="gadget").groups, blocks)
    for harmless in (np.minimum(blocks, 13), blocks + 0.5 * (blocks > 9)):
        assert "gadget" in taken(table(REAL, WORDS, gadget=harmless))


def test_a_total_of_some_columns_beside_it_is_noted() -> None:
    frame = table(REAL, WORDS)
    frame.insert(3, "total_hours", frame["income"] + frame["hours"])
    for held in (frame, frame[frame.columns[::-1]]):
        [note] = read(csv(held)).notes
        assert "it is the sum of other columns: 'total_hours'; to leave out: drop=" in note
    for none in (frame["total_hours"] + 0.01, frame["hours"]):  # of one column alone
        assert read(csv(frame.assign(total_hours=none))).notes == ()


def test_lists_of_tokens_are_no_samples() -> None:
    rows = [{"logprobs": [-0.1, -0.2], "embedding": row.tolist(), "n": 1} for row in REAL]
    assert_array_equal(read(json_lines(rows)).values, REAL)


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("start", [0, 1, 400])
def test_a_count_of_the_rows_is_left_out_and_said(kind: str, start: int, tmp_path: Path) -> None:
    frame = table(REAL, WORDS)
    frame.insert(3, "gadget", range(start, start + N))
    path = write(tmp_path / f"t.{kind}", frame)
    with pytest.warns(prviz.PrvizWarning, match=r"left out: 'gadget' \(a count of the rows\)"):
        found = read(path)
    assert_array_equal(found.values, REAL)
    assert_array_equal(found.labels["gadget"], frame["gadget"])
    assert read(path, columns="gadget").features == ("gadget",)
    assert read(path, drop="gadget").notes == ()
    assert read(path, columns=[*WORDS, "gadget"]).d == D + 1
    with pytest.warns(prviz.PrvizWarning, match="left out: 'gadget'"):
        assert read(path, columns="*[ae]*").features == ("age", "income", "rate", "tenure", "size")


def test_a_count_without_header_is_left_out(tmp_path: Path) -> None:
    files = [tmp_path / "real.csv", tmp_path / "made.csv"]
    for file, values in zip(files, (REAL, MADE), strict=True):
        table(values, NUMBERED).to_csv(file, header=False)
    said = shell("curve", *files, *SHELL)
    assert f"{RIGHT:.4f}" in said
    assert "prviz: note: real.csv and made.csv: left out: '1' (a count of the rows)" in said


def test_a_table_of_one_column_keeps_it() -> None:
    assert read(("t.csv", "\n".join(map(str, range(20))).encode())).d == 1
    assert read(("t.csv", b"a,b\n1,2\n2,3\n3,4\n4,6\n")).d == 2  # too few rows to tell


def test_shards_leave_out_what_the_first_one_proves(tmp_path: Path) -> None:
    frame = table(REAL, WORDS, gadget=range(N))
    for number, rows in enumerate((slice(0, 117), slice(117, N))):
        write(tmp_path / f"part_{number}.parquet", frame[rows])
    found = read(tmp_path)
    assert_array_equal(found.values, REAL)
    assert_array_equal(found.labels["gadget"], np.arange(N))


def test_the_index_that_pandas_names_is_left_out_and_said(tmp_path: Path) -> None:
    index = pd.MultiIndex.from_product([range(6), range(20)], names=["sweep", "power"])
    path = tmp_path / "t.parquet"
    table(REAL, WORDS).set_index(index).to_parquet(path)
    with pytest.warns(
        prviz.PrvizWarning, match=r"left out: 'sweep', 'power' \(the table's index\)"
    ):
        found = read(path)
    assert_array_equal(found.values, REAL)
    assert set(found.labels) == {"sweep", "power"}
    assert read(path, columns=["sweep", *WORDS]).features == (*WORDS, "sweep")
    assert read(path, columns="*").features == tuple(WORDS)
    table(REAL, WORDS).to_parquet(path)  # a RangeIndex is no column
    assert read(path).notes == ()


@pytest.mark.exhaustive
def test_both_remedies_of_the_error_give_the_right_number(tmp_path: Path) -> None:
    noise = {
        "seed": RNG.integers(0, 2**31, N),
        "umap x": RNG.normal(size=N),
        "umap y": 0.5,
        "cfg_scale": 7.5,
    }
    files = [
        write(tmp_path / f"{name}.csv", table(values, NUMBERED, **noise))
        for name, values in (("real", REAL), ("made", MADE))
    ]
    for command in (
        ["curve", *files, *SHELL],
        ["parity", *files],
        ["triage", *files, "--out", tmp_path / "kept"],
    ):
        error = shell(*command, code=2)
        assert (
            "'real.csv': columns 'seed', 'umap x', 'umap y', 'cfg_scale' look like no features"
            in error
        )
        left_out, whole = re.findall(r"\((--(?:drop|features) .*?)\)", error)
        said = shell(*command, *shlex.split(left_out))
        assert command[0] != "curve" or f"{RIGHT:.4f}" in said
        shell(*command, *shlex.split(whole))
    (drop, *_) = re.findall(r"drop=(\[.*?\])", error)
    assert_array_equal(read(files[0], drop=eval(drop)).values, REAL)  # noqa: S307
    assert read(files[0], columns="*").d == D + 4


def test_names_with_commas_and_brackets_can_be_dropped(tmp_path: Path) -> None:
    key = RNG.permutation(10**6)[:N]
    names = {'a "key", really [1]': key, "it's": key[::-1]}
    path = write(tmp_path / "t.csv", table(REAL, NUMBERED, **names))
    error = shell("curve", path, path, *SHELL, code=2)
    (left_out, *_) = re.findall(r"\((--drop .*)\); if", error)
    assert f"{N} x {D}" in shell("curve", path, path, *SHELL, *shlex.split(left_out))


def test_both_roles_in_one_table_are_asked_about_too(tmp_path: Path) -> None:
    frame = pd.concat([table(REAL, NUMBERED, role="real"), table(MADE, NUMBERED, role="fake")])
    path = write(tmp_path / "t.csv", frame.assign(seed=RNG.integers(0, 2**31, 2 * N)))
    assert refusal(path, "'seed'", by=read_pair).columns == ("seed",)
    assert prviz.readers.roles(path) == ("role=real", "role=fake")
    assert_array_equal(read_pair(path, drop="seed").real.values, REAL)
    assert f"{RIGHT:.4f}" in shell("curve", path, *SHELL, "--drop", "seed")
    refusal(path, "has no column 'sed'", by=read_pair, drop="sed")


@pytest.mark.exhaustive
def test_triage_measures_a_set_whose_columns_stand_in_another_order(tmp_path: Path) -> None:
    real = write(tmp_path / "real.csv", table(REAL, WORDS))
    made = write(tmp_path / "made.csv", table(MADE, WORDS)[sorted(WORDS)])
    report = tmp_path / "report.json"
    kept = ["--out", tmp_path / "kept", "--report", report]
    said = shell("triage", real, made, "--method", "knn", *kept)
    assert "has changed since it was measured" not in said
    assert said.count("stood in another order") == 1
    shell("triage", "--rerun", report)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_a_transposed_table_is_refused_with_lines_that_turn_it(kind: str, tmp_path: Path) -> None:
    turned = table(REAL, NUMBERED).T.rename(columns=str)
    path = tmp_path / f"t.{kind}"
    write(path, turned if kind == "parquet" else turned.reset_index(names=""))
    found = followed(path, f"'t.{kind}': transposed, each row is a feature")
    assert_array_equal(found.values, REAL)
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
    name: str, first: str, tmp_path: Path
) -> None:
    columns, more = TURNED[name]
    frame = table(REAL.T, columns, **more)
    frame = frame[[*more, *columns]]
    frame.insert(0, first, WORDS)
    found = followed(csv(frame, sep=";"), r"'t.csv': transposed, each (column|row) is a")
    assert_allclose(found.values, REAL)
    if name == "a unit":
        path = write(tmp_path / "t.parquet", frame)
        assert_allclose(followed(path, "transposed, each column is a sample").values, REAL)


def test_texts_beside_features_are_not_taken_for_their_names() -> None:
    for name, texts in (("unit", ["mm"] * N), ("gene", ["a", "b"] * (N // 2))):
        refusal(csv(table(REAL, WORDS, **{name: texts})), "Leave the column out with drop=")
    few = table(REAL.T, [str(place) for place in range(N)], protein=[f"P{at}" for at in range(D)])
    refusal(csv(few), "Leave the column out with drop='protein'")


def test_samples_named_by_numbers_are_not_taken_for_features() -> None:
    frame = pd.DataFrame(REAL[:, :4].T, index=[f"cell_{place}" for place in range(4)])
    assert read(csv(frame, index=True)).n == 4


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_packed_bits_get_a_note_whose_line_unpacks_them(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    bits = rng.random((200, 512)) < rng.beta(0.3, 3, 512)
    packed = np.packbits(bits, axis=1)
    held = {"features": packed}
    files = {
        "npy": build.npy(packed),
        "npz": build.npz(**held),
        "safetensors": safetensors.numpy.save(held),
    }
    Path(f"prints.{kind}").write_bytes(files[kind])
    with pytest.warns(prviz.PrvizWarning, match="look like packed bits") as said:
        read(f"prints.{kind}")
    run_lines(said[0].message, SAVES, np=np, safetensors=safetensors)
    assert_array_equal(read("prints_bits.npy").values, bits)


SAVES = "measure what this saves: "


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
    numbers = np.random.default_rng(0).normal(size=(60, 4))
    if name == "float16":
        bits = numbers.astype("f2").view("u2")
    else:
        bits = (numbers.astype("f4").view("u4") >> 16).astype("u2")
    np.savez("x.npz", a=bits.view(view))
    with pytest.warns(
        prviz.PrvizWarning, match=f"look like the bits of {name}; if they are"
    ) as said:
        read("x.npz")
    run_lines(said[0].message, SAVES, np=np)
    assert_allclose(read("x_numbers.npy").values, numbers, rtol=1e-2)


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
    drawn = RNG.normal(size=N)
    frame = table(REAL, NUMBERED, seed=drawn, umap_x=drawn, umap_y=drawn)
    refusal(csv(frame), r"no features \('seed': a seed; 'umap_x', 'umap_y': a place in a plot")
    said = r"'epoch' looks like no feature \(a step or a run of training\)\."
    refusal(csv(table(REAL, NUMBERED, epoch=drawn)), said)
    hours = pd.date_range("2023-11-03 05:00", periods=N, freq="17h").strftime("%Y%m%d%H")
    refusal(csv(table(REAL, WORDS, MESS=hours)), r"'MESS' looks like no feature \(a time\)")
    sampler = dict.fromkeys(["lp__", "energy__"], drawn)
    refusal(csv(table(REAL, WORDS, **sampler)), "a state of the sampler")
    errors = r"column 'age_err' looks like no feature \(the error, or a mark"
    refusal(csv(table(REAL, WORDS, age_err=drawn)), errors)


def test_coordinates_behind_the_strokes_of_a_comment_are_said() -> None:
    frame = table(REAL, ["//X", "Y", "Z", *WORDS[3:]])
    with pytest.warns(prviz.PrvizWarning, match="something else: '//X', 'Y', 'Z';"):
        read(csv(frame))


@pytest.mark.parametrize("place", [0, 2, 4, 6])
def test_a_sum_of_other_columns_is_said(place: int) -> None:
    """Of all others, or of all before it; not of two, and not where one row differs."""
    frame = table(REAL.round(2), WORDS)
    parts = frame[WORDS[:place]] if place in (2, 4) else frame
    frame.insert(place, "all", parts.sum(axis=1).round(2))
    notes = read(csv(frame)).notes
    if place == 2:  # two alone
        assert notes == ()
        return
    said = "as a feature, though it is the sum of other columns: 'all'; to leave out: drop='all'"
    assert said in notes[0]
    frame.loc[9, "all"] += 0.01
    assert read(csv(frame)).notes == ()


@pytest.mark.parametrize("place", [0, 3, D])
def test_classes_at_the_end_of_a_table_without_names_are_noted(place: int) -> None:
    values = np.insert(REAL, place, np.arange(N) * 7 % 10, axis=1)
    file = csv(pd.DataFrame(values), header=False)
    notes = read(file).notes
    if place == 3:
        assert notes == ()
        return
    [note] = notes
    assert (
        f"it alone holds whole numbers, as classes do: '{place + 1}'; to leave out: drop=" in note
    )
    assert_array_equal(read(file, drop=str(place + 1)).values, REAL)
    values[:, place] += values[:, place] > 4  # a number is left out
    assert read(csv(pd.DataFrame(values), header=False)).notes == ()
    assert read(csv(pd.DataFrame(values, columns=["size", *WORDS]))).notes == ()


def test_weights_keys_counts_and_units_are_known_by_their_values() -> None:
    assert [
        name
        for name in ("weight", "sample_weight", "W", "wgt", "My-WT")
        if not called_weights(name)
    ] == []
    assert [name for name in ("height", "weighted", "w2", "weight_1") if called_weights(name)] == []
    bodies = np.array([60.0, 82.0, 71.0])
    assert not are_weights([bodies])
    for column in (
        bodies - 70,
        bodies / 71,
        bodies / 71 + 0.19,
        np.full(3, 5.0),
        bodies / 71 - 0.19,
    ):
        assert are_weights([column])
    assert not are_weights([bodies / 71 + 0.21])
    assert not are_weights([np.full(3, 5.0), bodies])
    assert are_weights([np.full(3, 5.0), np.full(4, 6.0)])
    assert are_weights([bodies, bodies / 71])
    even = np.arange(64.0) * 7
    assert is_key(even)
    assert is_key(even[::-1])
    assert not is_key(even + 0.5)
    assert not is_key(np.r_[even, even[:1]])
    assert not is_key(np.arange(64.0) ** 6)
    unevenly = np.r_[np.arange(250.0) * 9, np.arange(250.0) * 20 + 9000]
    assert is_key(unevenly)
    assert not is_key(unevenly[1:])
    assert not is_key(np.arange(500.0) ** 3)  # skewed, as amounts are
    assert not is_key(np.r_[np.arange(63.0), 10_000])
    values = np.c_[even, even + 0.5, np.r_[0.0, even[:-1]]]
    assert may_be_keys(values).tolist() == [True, False, False]
    assert may_be_keys(np.r_[even, 0.0, 0.5][:, None]).tolist() == [True]  # by the first rows
    count = np.arange(9.0)
    assert _counting(np.c_[count + 5, count * 2, count + 0.5, np.r_[count[:-1], 7.0], -count]) == [
        0
    ]
    assert _counting(count[:8, None]) == [0]
    assert _counting(count[:7, None]) == []
    grown = np.arange(80.0) / 1000
    uneven = grown + 1e-4 * np.sin(np.arange(80.0))
    assert _in_order(np.c_[grown, uneven, -grown, np.sin(grown * 900)]) == ({0, 2}, {1})
    assert _in_order(np.c_[grown, uneven][:63]) == ({0}, set())
    assert _repeats(np.array([1.0, 1, 2, 2, 3, 3]))
    assert _repeats(np.array([1.0, 1, 2]))
    assert not _repeats(np.array([1.0, 2, 3, 3]))
    assert not _repeats(np.ones(4))
    assert not _repeats(np.array([0.5, 0.5, 1, 1]))


def test_columns_of_one_byte_each_are_no_packed_bits() -> None:
    bytes_of = np.random.default_rng(0).integers(0, 256, (64, 64)).astype(float)
    assert look_packed(bytes_of)
    assert not look_packed(np.tile(bytes_of[:1], (64, 1)))
    assert not look_packed(bytes_of[:63])
    assert not look_packed(bytes_of[:, :31])  # fewer than 2,000 bytes
    assert look_packed(bytes_of[:, :32])
    for wrong in (bytes_of + 0.5, bytes_of - 1, bytes_of + 1, bytes_of % 2):
        assert not look_packed(wrong)


def test_tables_whose_rows_are_features() -> None:
    values = {"gene": np.array(["f3", "f4", "f5"])}
    for labels, n in (
        (values, 3),
        ({"g": np.array(["f3", "f5"])}, 2),
        ({"g": np.array(["a", "b"])}, 2),
        ({}, 2),
    ):
        check_upright(labels, n, ["a", "b", "c"], "t.csv")
    with pytest.raises(ReadError, match=r"each row is a feature \('f3', 'f4' ...\)"):
        check_upright(values, 3, list("abcd"), "t.csv")
    with pytest.raises(ReadError, match=r"each column is a sample \('cell1', 'cell2' ...\)"):
        check_upright(values, 9, ["cell1", "cell2", "cell3"], "t.csv")
    check_upright({}, 9, ["cell1", "cell2", "cell3"], "t.csv")
    assert not are_samples(["cell1", "cell2"])
    assert not are_samples(["cell1", "cell2", "x"])


def test_decimals_beside_lists_are_said_not_to_be_read() -> None:
    labels: dict[str, Any] = {
        "size": np.array([1.5, 2.0]),
        "width": np.array(["1.5", "2.0"]),
        "note": np.array(["a.b", "c"]),
        "count": np.array(["1", "2"]),
        "seed": np.array([1.5, 2.5]),
        "score": np.array([1.5, 2.5]),
        "umap_x": np.array([1.5, 2.5]),
        "id": np.array([1.5, 2.5]),
        "minus": np.array(["-1.0", "2.0"]),
    }
    assert beside_lists(labels) == ("not read beside the lists of numbers: 'size', 'width'",)
    assert beside_lists({"a": np.array([1, 2])}) == ()


def notes(frame: pd.DataFrame) -> str:
    return "\n".join(read(("t.csv", frame.to_csv(index=False).encode())).notes)


def test_few_whole_numbers_far_apart_are_noted_as_codes() -> None:
    codes = RNG.permutation(np.resize([75011, 69003, 13006, 31000, 44000], N))
    said = "its few whole numbers, far apart, look like codes: 'zone_of_town'; to leave out: drop="
    assert said in notes(table(REAL, WORDS, zone_of_town=codes))
    rare = codes.copy()
    rare[: N // 2 + 1] = 0  # one number stands for nothing
    others = {
        "round": codes // 1000 * 1000,
        "of two digits": codes % 100,
        "close together": codes % 3 + 10_001,
        "counts of 99": 99 * RNG.integers(2, 9, N),
        "many": RNG.permutation(np.arange(N) % 17 * 1111),
        "with decimals": codes + 0.5,
        "rare": rare,
        "two": RNG.permutation(np.resize([101, 9999], N)),
    }
    for name, held in others.items():
        assert "look like codes" not in notes(table(REAL, WORDS, zone_of_town=held)), name


def test_names_of_lots_and_of_those_who_measured_are_noted() -> None:
    whole = np.arange(N) * 7 % 3
    for name in ("Inj", "player_slot", "Lot", "Reviewer", "success", "ionic_step"):
        said = f"its name may say something else: {name!r}; to leave out: drop={name!r}"
        assert said in notes(table(REAL, WORDS, **{name: whole})), name
    assert notes(table(REAL, WORDS, lot_area=whole, parking_slots=whole)) == ""
    weights = np.exp(RNG.normal(-0.02, 0.2, N))
    assert refused(table(REAL, WORDS, Gewicht=weights)) == ("Gewicht",)
    assert "'Gewicht'" in notes(table(REAL, WORDS, Gewicht=80 * weights))


def test_settings_that_are_most_of_a_table_are_its_features() -> None:
    settings = [f"params_{name}" for name in WORDS]
    assert taken(table(REAL, settings, value=REAL[:, 0])) == (*settings, "value")
    assert refused(table(REAL, WORDS, params_lr=REAL[:, 0])) == ("params_lr",)


def test_a_fold_with_decimals_is_a_feature_and_an_inner_diameter_is_said() -> None:
    measured = RNG.normal(2, 0.3, N).round(3)
    assert taken(table(REAL, WORDS, fold=measured)) == (*WORDS, "fold")
    assert "may say something else: 'fold'" in notes(table(REAL, WORDS, fold=measured))
    assert taken(table(REAL, WORDS, fold=np.arange(N) % 5)) == tuple(WORDS)
    frame = table(REAL, WORDS, ID=measured)
    assert "left out: 'ID' (it is named like a label); columns= (--features)" in notes(frame)
    held = ("t.csv", frame.to_csv(index=False).encode())
    assert read(held, columns=["*", "ID"]).features == (*WORDS, "ID")
    assert notes(table(REAL, WORDS, ID=np.arange(N))) == ""


@pytest.mark.parametrize("suffix", ["parquet", "feather", "npy"])
def test_too_large_and_empty_columns_are_left_out_as_the_message_says(
    tmp_path: Path, suffix: str
) -> None:
    frame = table(REAL, WORDS, cookie=RNG.integers(2**60, 2**62, N))
    path = tmp_path / f"t.{suffix}"
    if suffix == "npy":
        np.save(path, frame.to_records(index=False))
    else:
        frame["nothing"] = pd.Series([None] * N, dtype=float)
        getattr(frame, f"to_{suffix}")(path)
    left: list[str] = []
    for name in frame.columns[D:]:
        with pytest.raises(ReadError) as caught:
            read(path, drop=left)
        assert f"drop={name!r} (--drop {name})" in str(caught.value)
        left.append(name)
    assert read(path, drop=left).features == tuple(WORDS)
