"""What columns beside features are taken for, by their names and values: asked about, left out as
labels, read as features, or read with a note.

One more name or column is one more entry of ALONE or TOGETHER.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from prviz.readers import SuspectColumnsError, read
from tests.readers.answers import csv

N = 120
RNG = np.random.default_rng(0)
WORDS = ("age", "income", "hours", "rate", "ozone", "mag")
NUMBERED = tuple(f"f{place}" for place in range(8))
VALUES = RNG.normal(size=(600, 8))
NORMAL = RNG.normal(size=N)
LARGE = NORMAL + 9
SHARES = RNG.random(N)
COUNTS = RNG.integers(0, 9, N)
FEW = RNG.integers(0, 4, N)
CODES = 20 + COUNTS
UNITS = np.arange(N) // 5
ONE = np.full(N, 3)
DAYS = pd.date_range("2022-03-01", periods=N, freq="5D")
HOURS = pd.date_range("2023-11-03 05:00", periods=N, freq="17h").repeat(2)[:N]
# whole numbers that all differ
KEY = RNG.permutation(10**6)[:600]
AMOUNTS = RNG.permutation(np.unique(np.exp(RNG.normal(14, 1, 900)).round()))[:600]
INCOMES = RNG.permutation(np.unique(np.exp(RNG.normal(10, 0.6, 100)).round()))
# Names of what rows belong to, of codes, of what features may be and of what measures samples.
UNIT_NAMES = ["patient", "Subject no", "source video", "SessionNo", "donor"]
CODE_NAMES = [
    *("naics", "sich", "destination_port", "Protocol", "country_iso_num", "camcol"),
    *("Slice", "churn", "Survived", "county_fips", "payment_type", "stop_sequence"),
    *("koi_fpflag_nt", "CNTSCHID", "BRANCH", "deceased"),
]
DOUBTFUL_NAMES = [
    *("x", "y", "score", "aesthetic_score", "time", "time_s", "weight", "loss", "topic"),
    *("log_prob", "reward", "cos_sim", "silhouette", "pseudotime", "pred"),
]
MEASURED_NAMES = ["lat", "gpu", "elapsed_ms", "week", "file_bytes", "temperature", "duration"]
RISING = np.sort(RNG.integers(0, 900, N) // 9)
BLOCKS = np.unique(np.sort(RNG.integers(0, 20, N)), return_inverse=True)[1] + 7
STEPS = np.round(5 + 0.1 * np.arange(64), 1)
GROWS = "it grows or falls from row to row"
YEARS = "its values look like years"
MOMENTS = 1.7e9 + np.cumsum(RNG.random(N) + 0.1)


def taken_for(columns: Mapping[str, Any], beside: tuple[str, ...]) -> str:
    """What all of these columns are taken for; of those with a note, what it says of them."""
    rows = max(map(len, columns.values()), default=N)
    values = VALUES[:rows, : len(beside)]
    frame = pd.DataFrame(values, columns=list(beside)).assign(**columns)
    try:
        found = read(csv(frame))
    except SuspectColumnsError as error:
        return "asked" if {*error.columns} == {*columns} else str(error)
    if found.features != (*beside, *columns):
        return "label" if found.features == beside else str(found.features)
    if not found.notes:
        return "feature"
    (note,) = found.notes
    named = ", ".join(map(repr, columns))
    said = re.fullmatch(f"read as (?:a feature|features), though (.*): {named}; to leave .*", note)
    return "noted" if said and "may say something else" in said[1] else said[1] if said else note


# Names, each with the same values and alone beside features.
ALONE: list[tuple[str, tuple[str, ...], np.ndarray, list[str]]] = [
    *(
        (
            "asked",
            beside,
            NORMAL,
            [
                *("seed", "noise_seed", "step", "global step", "epoch", "iteration", "run"),
                *("cfg_scale", "guidance", "Guidance Scale", "umap_x", "UMAP1", "umap-1", "tsne_1"),
                *("t-SNE_x", "tsne_2d_x", "pca_1", "pc1", "projection_x", "cluster", "leiden"),
                *("FlowSOM", "PERNUM", "SEQN", "anweight", "VARSTR", "proba_1", "logloss"),
                *("residual", "random", "created_by", "kmeans_5", "timestamp", "record_no"),
                *("serial", "row", "sample_number", "event_weight", "customer_key", "<DATE>"),
                *("Duration (in seconds)", "Epoch [no]", "tsne-2d-one"),
            ],
        )
        for beside in (WORDS, NUMBERED)
    ),
    (
        "asked",
        WORDS,
        NORMAL,
        [  # without marks between their words
            *("randomSeed", "trainStep", "noiseSeed", "umapX", "cfgScale", "kMeansCluster"),
            *("RNGSeed", "randomseed", "trainstep", "eventNumber", "eventnumber", "epochNo"),
            *("lumiBlock", "MJD", "createdAt", "updated_at", "weight_mc", "weightMC", "mcWeight"),
            *("yPred", "workerRank"),
        ],
    ),
    (
        "asked",
        WORDS,
        NORMAL,
        [  # added by programs
            *("_merge", "_TYPE_", ".fitted", "_airbyte_emitted_at", "filter_$", "_timestamp"),
            *("params.lr", "config/width", "n_genes_by_counts", "pct_counts_mt", "Datum"),
            *("Cells_ObjectNumber", "num_inference_steps", "n_steps", "UMAP.1", "tSNE.2"),
        ],
    ),
    (
        "asked",
        WORDS,
        COUNTS,
        [
            *("époque", "graine", "semilla", "Schritt", "iteración", "轮次"),
            *("SDMVPSU", "SDMVSTRA", "design_stratum", "Metadata_Object_Count"),
        ],
    ),
    (
        "asked",
        WORDS,
        SHARES,
        [  # of the column `mag`
            *("magError", "magErr", "magerr", "errMag", "mag_error", "err_mag", "mag_err1"),
            *("mag_err_upper", "mag_error_minus", "e_mag", "mag RSD", "mag_err", "mag_flag"),
            "mag_unc",
        ],
    ),
    ("asked", WORDS, UNITS, UNIT_NAMES),
    (
        "asked",
        NUMBERED,
        LARGE,
        [*DOUBTFUL_NAMES, *MEASURED_NAMES],
    ),
    (
        "label",
        WORDS,
        COUNTS,
        [
            *("runId", "RunID", "runid", "objID", "objid", "sampleIdx", "InChIKey", "isTrain"),
            *("cvPartition", "@id", ":LABEL", "Klasse", "kfold", "patient.id"),
        ],
    ),
    (
        "noted",
        WORDS,
        LARGE,
        DOUBTFUL_NAMES,
    ),
    (
        "noted",
        WORDS,
        COUNTS,
        [*CODE_NAMES, "State Code", "Block"],
    ),
    (
        "noted",
        WORDS,
        CODES,
        [
            *("HHWT", "PWGTP", "W_FSTUWT", "PERWT22F", "propensity", "adj.P.Val", "posterior"),
            *("conf", "zipcode", "code_insee", "land_cover", "Classification", "Born"),
        ],
    ),
    ("noted", WORDS, ONE, ["Subject no", "SessionNo"]),
    ("noted", WORDS, RNG.normal(1, 0.1, N), ["weight_pileup"]),
    ("noted", WORDS, RNG.lognormal(5, 1, N), ["pweight"]),
    ("noted", WORDS, SHARES, ["koi_score"]),
    ("noted", WORDS, RNG.choice([0, 0.7, 1], N), ["temperature"]),
    ("noted", WORDS, DAYS.month[RNG.permutation(N)], ["month"]),
    ("noted", NUMBERED, COUNTS, ["sensor", "machine", "aesthetic"]),
    (
        "feature",
        WORDS,
        NORMAL,
        [  # not the words that others of these names hold, and no numbers of units
            *("acid", "solid", "lipid", "grid", "radius error", "TPSA", "MolLogP", "NumHDonors"),
            *("lumError", "lumErr", "lumerr", "errLum", "lum_error", "err_lum", "Sepal.Length"),
            *UNIT_NAMES,
            *CODE_NAMES,
        ],
    ),
    (
        "feature",
        WORDS,
        LARGE,
        [
            *("step_time", "time_to_expiry", "shot_distance", "credit_score", "weight_loss"),
            *("rating", "MolWt", "birth_weight", "time_signature", "ISO", "LIPID", "Länge"),
            *MEASURED_NAMES,
        ],
    ),
    ("feature", WORDS, ONE, ["patient", "source video", "donor"]),
    ("feature", WORDS, COUNTS, ["sensor", "machine", "aesthetic", "days_in_hospital", "num_user"]),
    ("feature", WORDS, 9 * SHARES, ["koi_score"]),
    ("feature", WORDS, RNG.normal(70, 9, N), ["birthwt", "molwt", "weight_kg", "zip"]),
    ("feature", WORDS, RNG.integers(0, 12, N), ["key"]),
    ("asked", WORDS, RNG.integers(0, 90, N), ["key"]),
    ("asked", NUMBERED, FEW > 1, ["real"]),
    # by their values, whatever the name
    ("asked", WORDS, KEY[:80], ["gadget", "price key", "mz key"]),
    ("asked", WORDS, KEY, ["gadget", "sessions key"]),
    ("asked", WORDS, np.sort(KEY), ["gadget"]),
    ("feature", WORDS, KEY // 20_000, ["gadget"]),
    ("feature", WORDS, np.where(KEY[3] == KEY, KEY[4], KEY), ["gadget"]),
    ("feature", WORDS, KEY + 0.5, ["gadget"]),
    *(
        (
            "feature",
            WORDS,
            values,
            [
                *("price", "memory.used", "sessions", "AreaShape_Area", "n_reads"),
                *("Flow Duration", "mz (Da)", "pcinc"),
            ],
        )
        for values in (KEY, KEY[:80])
    ),
    ("feature", WORDS, AMOUNTS, ["gadget"]),  # skewed, as keys are not
    ("asked", WORDS, AMOUNTS.max() - AMOUNTS, ["gadget"]),
    ("feature", WORDS, INCOMES, ["pay"]),
    *(("asked", WORDS, MOMENTS * unit, ["gadget"]) for unit in (1, 1e3, 1e9)),
    ("asked", WORDS, MOMENTS[::-1] * 1e3, ["gadget"]),
    ("asked", WORDS, RNG.permutation(MOMENTS) * 1e9, ["gadget"]),
    ("asked", WORDS, RNG.permutation(MOMENTS), ["t"]),
    ("feature", WORDS, RNG.permutation(MOMENTS), ["gadget"]),  # may be other numbers
    *(
        ("asked", WORDS, HOURS.strftime(written), ["MESS"])
        for written in ("%Y%m", "%Y%m%d", "%Y%m%d%H", "%Y%m%d%H%M%S")
    ),
    ("feature", WORDS, 20240100 + RNG.integers(0, 99, N), ["MESS"]),
    ("feature", WORDS, np.full(N, 20240101), ["MESS"]),
    # as they grow from row to row, in even steps or not
    ("feature", WORDS, RISING, ["articles"]),
    ("feature", ("height", *WORDS[1:]), RISING, ["age"]),
    ("feature", ("height", *WORDS[1:]), BLOCKS, ["age"]),
    (GROWS, WORDS, RISING, ["gadget"]),
    (GROWS, WORDS, np.sort(NORMAL), ["b"]),
    (GROWS, WORDS, np.sort(NORMAL)[::-1], ["c"]),
    ("asked", WORDS, STEPS, ["t_s", "t", "elapsed_s", "time_ms", "seconds", "charge"]),
    ("feature", WORDS, STEPS[:15], ["t"]),
    (GROWS, WORDS, STEPS + 0.001 * (STEPS[40] == STEPS), ["t"]),
    ("feature", WORDS, np.full(N, 1.5), ["t"]),
    # numbers of blocks of rows
    ("asked", WORDS, BLOCKS, ["gadget"]),
    ("feature", WORDS, RNG.permutation(BLOCKS), ["gadget"]),
    # years
    (YEARS, WORDS, RNG.integers(1998, 2024, N), ["season", "year_built"]),
    ("feature", WORDS, RNG.integers(1998, 2024, N) + 0.5, ["season"]),
    ("feature", WORDS, RNG.integers(1848, 1874, N), ["season"]),
    ("feature", WORDS, np.full(N, 2020), ["season"]),
    # weights of events, and of bodies
    ("asked", WORDS, RNG.permutation(np.linspace(-1, 50, N)), ["weight"]),
    ("asked", WORDS, np.ones(N), ["weight"]),
    ("noted", WORDS, RNG.permutation(np.linspace(40, 50, N)), ["weight"]),
]


@pytest.mark.parametrize(("outcome", "beside", "values", "names"), ALONE)
def test_a_column_beside_features(
    outcome: str, beside: tuple[str, ...], values: np.ndarray, names: list[str]
) -> None:
    found = {name: taken_for({name: values}, beside) for name in names}
    assert found == dict.fromkeys(names, outcome)


WEIGHTS = {"anweight": SHARES * 5 + 2, "pspwght": SHARES + 0.5}
QUALITIES = ["n_genes_by_counts", "total_counts"]
# Columns, all of them beside a table of words.
TOGETHER: list[tuple[str, dict[str, Any]]] = [
    ("asked", {"YEAR": DAYS.year, "MO": DAYS.month, "DY": DAYS.day}),
    ("asked", {"YEAR": DAYS.year, "DOY": DAYS.day_of_year}),
    ("asked", {"Month": RNG.permutation(DAYS.month), "HR": RNG.integers(0, 24, N)}),
    ("asked", {"fyear": RNG.integers(2000, 2020, N), "fqtr": RNG.integers(1, 5, N)}),
    ("asked", dict.fromkeys(["QN_3", "qc", "QF", "flag", "ozone_QC"], FEW)),
    ("asked", {"QUALITY": FEW // 3 * 128, "STARFLAG": FEW // 3 * 4 * (1 + FEW % 2)}),
    ("asked", dict.fromkeys(["Centroid X µm", "Centroid Y µm"], SHARES)),
    ("asked", dict.fromkeys(["AreaShape_Center_X", "centroid-0"], SHARES)),
    ("asked", {"seurat_clusters": FEW, "RNA_snn_res.0.8": FEW, "percent.mt": SHARES}),
    ("asked", dict.fromkeys(["strata", "psu", "redcap_repeat_instance"], FEW)),
    ("asked", dict.fromkeys(["run.no", "VISITNUM"], FEW)),
    ("asked", {"predict": FEW, "p0": np.linspace(0, 1, N), "p1": np.linspace(1, 0, N)}),
    ("asked", {"EEG.Counter": np.arange(N) % 40}),
    ("asked", {"clock": np.tile(np.arange(N // 3) * 0.02, 3)}),
    ("asked", dict.fromkeys(["lp__", "energy__", "n_leapfrog__"], NORMAL)),
    ("asked", dict.fromkeys(["lp", "diverging"], NORMAL)),
    ("asked", {"umap_1": NORMAL, "umap_2": LARGE}),
    ("asked", WEIGHTS),
    ("asked", {"prob_0": 1 - SHARES.round(4), "prob_1": SHARES.round(4)}),
    ("asked", {"y_pred": FEW, "prob_0": 1 - SHARES.round(4), "prob_1": SHARES.round(4)}),
    ("asked", dict.fromkeys(QUALITIES, NORMAL)),
    ("feature", {"year_built": CODES, "days_open": 99 * COUNTS}),
    ("feature", {"quality": RNG.integers(0, 11, N) * 10, "smokerflag": FEW // 3}),
    ("feature", {"HR": RNG.integers(50, 120, N), "mo": SHARES}),
    ("feature", {"own_car_flag": FEW > 1, "FLAG_MOBIL": FEW > 1, "quality": FEW}),
    ("feature", dict.fromkeys(["spectral_centroid_mean", "acc_x", "acc_y"], SHARES)),
    ("feature", {"p_sand": SHARES**2, "p_clay": RNG.random(N), "n_clusters": FEW}),
    ("feature", {"Whole weight": SHARES + 0.5, "Shell weight": RNG.random(N)}),
    ("feature", {"_Irace_2": FEW > 1, "_3P": NORMAL}),
    ("feature", {"prob_0": RNG.random(N), "prob_1": SHARES}),
    ("noted", dict.fromkeys(["lat", "lon"], SHARES)),
    ("noted", dict.fromkeys(["POINT_X", "POINT_Y"], SHARES)),
    ("noted", dict.fromkeys(["probe_nr", "demographics_complete"], FEW)),
    ("noted", {"FSTUWT": RNG.random(N) + 2, "SENWT": SHARES + 2}),
]


@pytest.mark.parametrize(("outcome", "columns"), TOGETHER)
def test_columns_beside_features(outcome: str, columns: dict[str, Any]) -> None:
    assert taken_for(columns, WORDS) == outcome


@pytest.mark.parametrize(
    "names",
    [
        *(("x", "y"), ("x", "y", "z"), ("umap_1", "umap_2"), ("seed", "step"), ("time", "score")),
        *(("time", "x"), (*QUALITIES, "pct_counts_mt", "pct_counts_ribo", "area")),
        *(("u", "g", "r", "i", "z"), tuple(map("_".__add__, WORDS))),
        *(("F0", "F1", "F2", "F3", "HNR", "jitter"), ("mfcc1", "mfcc2", "mfcc3", "tempo")),
        *(("f0", "f1", "f2", "f3", "job_a", "job_b"), tuple(f"pca_{at}" for at in range(6))),
    ],
)
def test_columns_that_all_have_such_names_are_features(names: tuple[str, ...]) -> None:
    assert taken_for({}, names) == "feature"


# Names beside others, and what they are taken for.
BEHIND = [
    ("f0 f1 f2", "score", "asked"),
    ("f0 f1", "score", "noted"),
    ("f0 a b", "score", "noted"),
    ("f0 f1 f2 a b c d", "score", "noted"),
    ("a b", "score", "noted"),
    ("f0 f1 f2", "latency_ms", "asked"),
    ("a b", "latency_ms", "feature"),
    ("f0 f1 f2 f3 f4 f5 f6 f7", "age", "noted"),
    ("f0 f1 f2 f3 f4 f5 f6", "my_age my_size", "feature"),
    ("f0 f1 f2 f3 f4 f5 f6 f7", "my_age my_size", "feature"),
    ("f0 f1 f2 f3 f4 f5 f6 f7", "my_age", "noted"),
    ("a", "umap_1 umap_2", "asked"),
    ("a", "umap_1 umap_2 umap_3", "asked"),
    ("a", "umap_1 umap_2 umap_3 umap_4", "feature"),
    ("x y", "seed", "asked"),
]


@pytest.mark.parametrize(("beside", "names", "outcome"), BEHIND)
def test_names_behind_each_other(beside: str, names: str, outcome: str) -> None:
    columns = dict(zip(names.split(), RNG.normal(size=(4, N)), strict=False))
    assert taken_for(columns, tuple(beside.split())) == outcome


def test_a_key_is_one_of_few_columns_of_enough_rows() -> None:
    key = RNG.permutation(64.0 * np.arange(64))
    assert taken_for({"d": key}, ("a", "b", "c")) == "asked"
    assert taken_for({"d": key[:63]}, ("a", "b", "c")) == "feature"
    assert taken_for({"b": key}, ("a",)) == "asked"
    assert taken_for({"b": key, "c": key[::-1]}, ("a",)) == "feature"
