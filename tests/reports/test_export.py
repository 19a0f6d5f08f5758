from __future__ import annotations

import csv
import html
import io
import json
import math
import platform
import re
import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import prviz
from prviz.cli.curve import _Measured, _table
from prviz.curves import PRCurve
from prviz.curves.summaries import SUMMARIES, numbers, summaries
from prviz.figures.svg import pr_svg
from prviz.measure.estimates import Estimate, estimate
from prviz.measure.profiles import UNIT_SAMPLE, bandwidth_unit
from prviz.measure.workload import subsample
from prviz.readers.columns import ColumnChoice
from prviz.reports.export import (
    KnownOfPair,
    curves_csv,
    curves_html,
    from_json,
    python_snippet,
    summaries_csv,
    table_csv,
    to_json,
    too_few,
)
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair, Samples
from prviz.uncertainty.bootstrap import bootstrap

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")']
HOSTILE = '"""\\\n</script><script>alert(1)</script>\'; import os; os.abort() #'
SMALL = ExploreSettings(problem="shifted-gaussians", parameters={"d": 3, "mu": 0.5}, n=60, k=4)
TRUTH = PRCurve.from_error_rates([0.1, 0.4], [0.4, 0.1])


@pytest.fixture(scope="module")
def pair() -> SamplePair:
    return prviz.toy("shifted-gaussians", d=3, mu=0.5).sample(60, seed=0)


@pytest.fixture(scope="module")
def estimates(pair: SamplePair) -> dict[str, Estimate]:
    return estimate(pair, ("knn", "kde"), k=4, split=0.5, seed=0)


def page_of(curves: dict[str, PRCurve], **known: Any) -> str:
    """The page of some curves, without a title, a figure or settings."""
    return curves_html("<svg></svg>", curves, title="", settings="", known=KnownOfPair(**known))


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_json_holds_what_it_takes_to_repeat_it(
    pair: SamplePair, estimates: dict[str, Estimate]
) -> None:
    document = strict(to_json(estimates, pair=pair, settings=SMALL, known=KnownOfPair(TRUTH)))
    assert document["schema_version"] == 1
    assert document["versions"] == {
        "prviz": prviz.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    assert document["settings"]["seed"] == 0
    assert document["settings"]["split"] == 0.5
    assert document["settings"]["bandwidth_unit"] == "mean k-NN radius at k = sqrt(n)"
    assert document["inputs"]["real"] == {
        "name": "real",
        "n": 60,
        "d": 3,
        "dtype": "float64",
        "digest": pair.real.digest,
        "encoder": None,
    }
    assert document["inputs"]["pair_digest"] == pair.digest
    assert "generated" in document["conventions"]["fnr"]
    kde = document["methods"]["kde"]
    assert kde["k"] == 4
    assert list(kde["bandwidth_distance"].values()) == list(estimates["kde"].bandwidth or ())
    assert document["methods"]["knn"]["bandwidth_distance"] is None
    assert set(kde["summaries"]) == {summary.key for summary in SUMMARIES}
    assert kde["summaries"]["auc"] == estimates["kde"].curve.auc
    assert kde["comparison"] == estimates["kde"].curve.compare(TRUTH)._asdict()


def test_json_gives_back_the_same_bits(pair: SamplePair, estimates: dict[str, Estimate]) -> None:
    saved = from_json(to_json(estimates, pair=pair, settings=SMALL, known=KnownOfPair(TRUTH)))
    assert list(saved.curves) == ["knn", "kde"]
    for name, curve in saved.curves.items():
        np.testing.assert_array_equal(curve.vertices, estimates[name].curve.vertices)
    assert saved.truth is not None
    np.testing.assert_array_equal(saved.truth.vertices, TRUTH.vertices)
    assert from_json(to_json(estimates, pair=pair, settings=SMALL)).truth is None


def test_json_stays_strict_with_infinite_and_foreign_settings(
    pair: SamplePair, estimates: dict[str, Estimate]
) -> None:
    asked = {"k": np.int64(3), "bandwidth": np.float64("nan"), "lam": math.inf, "path": Path("x")}
    document = strict(to_json(estimates, pair=pair, settings=asked))
    written = {"k": 3, "bandwidth": None, "lam": "inf", "path": "x"}
    assert document["settings"] == {**written, "bandwidth_unit": "distance"}
    assert document["truth"] is None
    assert document["methods"]["knn"]["comparison"] is None


def test_json_of_hostile_names_is_text(estimates: dict[str, Estimate]) -> None:
    odd = Samples(np.eye(3), HOSTILE + "\udcff")
    document = to_json({HOSTILE: estimates["knn"]}, pair=SamplePair(odd, odd), settings=SMALL)
    assert document.isascii()
    assert strict(document)["inputs"]["real"]["name"] == HOSTILE + "\udcff"
    assert list(from_json(document).curves) == [HOSTILE]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "NaN",
        '{"schema": "prviz-curves", "schema_version": 2}',
        '{"schema": "prviz-curves", "schema_version": 1, "methods": [], "truth": null}',
        (
            '{"schema": "prviz-curves", "schema_version": 1, "truth": null, "methods":'
            ' {"a": {"vertices": {"fpr": [0, 2], "fnr": [1, 0]}}}}'
        ),
        "[" * 100_000,
    ],
)
def test_other_documents_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text)


def test_curves_csv_has_every_corner_with_all_digits() -> None:
    head, *body = rows(curves_csv({"knn": TRUTH.mirrored()}, truth=TRUTH, points=10))
    assert head == ["curve", "lam", "precision", "recall", "fpr", "fnr"]
    assert list(dict.fromkeys(row[0] for row in body)) == ["truth", "knn"]
    truth = [[float(cell) for cell in row[1:]] for row in body if row[0] == "truth"]
    lam, alpha, beta = TRUTH.sample(10)
    np.testing.assert_array_equal(np.array(truth)[:, :3], np.column_stack([lam, alpha, beta]))
    assert {(row[3], row[4]) for row in truth} == {(a, b) for a, b in TRUTH.vertices.tolist()}
    assert truth[-1][0] == float("inf")


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_or_header_begins_a_formula(text: str) -> None:
    table = pd.DataFrame(
        {text: ["safe", text], "x": [-1.5, float("nan")]}, index=pd.Index([text, "b"], name=text)
    )
    assert rows(table_csv(table)) == [
        ["'" + text, "'" + text, "x"],
        ["'" + text, "safe", "-1.5"],
        ["b", "'" + text, ""],
    ]
    assert rows(curves_csv({text: TRUTH}))[1][0] == "'" + text


def test_text_in_numpy_types_is_text_too() -> None:
    table = pd.DataFrame(
        {"x": np.array([np.str_("=1"), np.int64(-3), np.bool_(True), None], dtype=object)}
    )
    assert [row[1] for row in rows(table_csv(table))] == ["x", "'=1", "-3", "True", ""]


def test_a_table_in_csv_reads_back() -> None:
    table = pd.DataFrame(
        [numbers(TRUTH.mirrored(), TRUTH)], index=pd.Index(["knn"], name="curve", dtype=object)
    )
    again = pd.read_csv(io.StringIO(table_csv(table)), index_col=0)
    pd.testing.assert_frame_equal(again, table, check_index_type=False, check_exact=True)


def test_the_table_has_plain_headers_and_the_numbers_of_the_summaries() -> None:
    curves = {"knn": TRUTH.mirrored(), "kde": TRUTH}
    head, *body = rows(summaries_csv(curves, truth=TRUTH, b=2.0))
    assert head[:6] == ["curve", "iou", "excess", "deficit", "auc", "alpha_inf"]
    assert head == ["curve", "iou", "excess", "deficit", *summaries(TRUTH, 2.0)]
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in head)
    assert [row[0] for row in body] == ["truth", "knn", "kde"]
    expected = numbers(curves["knn"], TRUTH, 2.0)
    assert [float(cell) for cell in body[1][1:]] == list(expected.values())
    head, *body = rows(summaries_csv(curves, approximate=True))
    assert (head[1], body[0][0]) == ("auc", "knn (approximate)")


def test_the_page_holds_figure_numbers_settings_and_link_without_a_script() -> None:
    curves = {"kNN": TRUTH.mirrored(), HOSTILE: TRUTH}
    svg = pr_svg({"knn": TRUTH.mirrored()}, title=HOSTILE, truth=TRUTH)
    link = "https://prviz.example/?k=5&p.d=3"
    page = curves_html(
        svg, curves, title=HOSTILE, settings="k = 5, seed 0", link=link, known=KnownOfPair(TRUTH)
    )
    assert len(page.encode()) < 200_000
    assert "<script" not in page
    assert "default-src 'none'; script-src 'none'; " in page
    assert svg in page
    assert f'<a href="{html.escape(link)}">{html.escape(link)}</a>' in page
    assert "k = 5, seed 0" in page
    (row,) = re.findall("kNN</th>(.*?)</tr>", page, re.DOTALL)
    assert f"<td>{TRUTH.mirrored().iou(TRUTH):.3f}</td>" in row
    assert "href" not in curves_html(svg, curves, title="", settings="", link="javascript:alert(1)")


def run(snippet: str, folder: Path) -> dict[str, Any]:
    path = folder / "repeat.py"
    path.write_text(snippet, encoding="utf-8")
    return runpy.run_path(str(path))


def assert_same(ours: dict[str, PRCurve], theirs: dict[str, PRCurve]) -> None:
    assert list(ours) == list(theirs)
    for name, curve in ours.items():
        np.testing.assert_array_equal(curve.vertices, theirs[name].vertices)


OF_MIXTURE = {"source": "bundled", "problem": "mixture-em-1", "parameters": {}, "k": 3}


def expected_of(settings: ExploreSettings) -> dict[str, PRCurve]:
    """The curves of some settings, computed here."""

    def draw(seed: int) -> SamplePair:
        if settings.source == "bundled":
            return subsample(prviz.bundled_pair(settings.problem), settings.n, seed)
        toy: dict[str, Any] = dict(settings.parameters)
        pair = prviz.toy(settings.problem, **toy).sample(settings.n, seed=seed)
        return SamplePair(pair.generated, pair.real) if settings.swapped else pair

    how: dict[str, Any] = {"k": settings.k, "split": settings.split}
    if settings.bandwidth is not None:
        unit = bandwidth_unit(draw(settings.seed), split=settings.split, seed=settings.seed)
        how["bandwidth"] = settings.bandwidth * unit
    seeds = range(settings.seed, settings.seed + settings.repeats)
    runs = [estimate(draw(seed), settings.methods, seed=seed, **how) for seed in seeds]
    curves = {name: [run[name].curve for run in runs] for name in settings.methods}
    return {name: PRCurve.mean(some) if some[1:] else some[0] for name, some in curves.items()}


@pytest.mark.parametrize(
    "chosen",
    [
        {"methods": ("knn", "kde")},
        {"methods": ("knn", "kde"), "swapped": True},
        {"methods": ("kde",), "bandwidth": 0.75, "split": None, "seed": 3},
        {"methods": ("ipr",), "repeats": 3, "seed": 5},
        {**OF_MIXTURE, "n": 50, "methods": ("coverage",), "split": None},
        {**OF_MIXTURE, "n": 40, "methods": ("kde",), "bandwidth": 0.9, "repeats": 2},
    ],
)
def test_a_snippet_repeats_the_curves(tmp_path: Path, chosen: dict[str, Any]) -> None:
    settings = ExploreSettings(**{**vars(SMALL), **chosen})
    result = run(python_snippet(settings), tmp_path)
    assert_same(result["curves"], expected_of(settings))
    if settings.source == "toy":
        truth = prviz.toy("shifted-gaussians", d=3, mu=0.5).truth()
        truth = truth.mirrored() if settings.swapped else truth
        np.testing.assert_array_equal(result["truth"].vertices, truth.vertices)


def test_snippet_of_the_default_screen_names_everything() -> None:
    snippet = python_snippet(ExploreSettings())
    assert "prviz.toy('mixtures')" in snippet
    assert (
        "('knn', 'kde', 'ipr', 'coverage'), bandwidth=None, k='sqrt', split=0.5, seed=0" in snippet
    )
    compile(snippet, "snippet", "exec")


@pytest.mark.parametrize("bandwidth", [None, 0.75])
def test_snippet_of_approximate_curves(
    tmp_path: Path, bandwidth: float | None, capsys: Any
) -> None:
    chosen = {
        "methods": ("knn", "kde"),
        "repeats": 4,
        "seed": 3,
        "approximate": True,
        "bandwidth": bandwidth,
    }
    drawn = prviz.toy("shifted-gaussians", d=3, mu=0.5).sample(60, seed=3)
    sigma = bandwidth
    if bandwidth is not None:
        sigma = bandwidth * bandwidth_unit(drawn, seed=3, sample=UNIT_SAMPLE)
    expected = prviz.approximate(*drawn, ("knn", "kde"), k=4, bandwidth=sigma, split=0.5, seed=3)
    found = run(python_snippet(ExploreSettings(**{**vars(SMALL), **chosen})), tmp_path)["curves"]
    assert_same(found, {name: each.curve for name, each in expected.estimates.items()})
    assert capsys.readouterr().out.startswith(expected.label)


UPLOAD = ExploreSettings(source="upload", problem="", n=10_000, methods=("knn",), k=4)


def test_snippet_of_an_upload_reads_its_files(
    tmp_path: Path,
    pair: SamplePair,
    estimates: dict[str, Estimate],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ('it\'s "real".npy', "gen\\n #.npy")
    for name, samples in zip(names, pair, strict=True):
        np.save(tmp_path / name, samples.values)
    monkeypatch.chdir(tmp_path)
    result = run(python_snippet(UPLOAD, files=names), tmp_path)
    assert_same(result["curves"], {"knn": estimates["knn"].curve})
    assert "truth" not in result


def test_snippet_of_one_file_with_both_roles(
    tmp_path: Path,
    pair: SamplePair,
    estimates: dict[str, Estimate],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    np.savez(tmp_path / "both.npz", a=pair.real.values, b=pair.generated.values)
    monkeypatch.chdir(tmp_path)
    for files in (["both.npz"], ["both.npz", "both.npz"]):
        snippet = python_snippet(UPLOAD, files=files, keys=("a", "b"))
        assert_same(run(snippet, tmp_path)["curves"], {"knn": estimates["knn"].curve})
    assert "read_pair('real.npz')" in python_snippet(UPLOAD, files=["real.npz"])


def test_snippet_of_an_upload_takes_the_columns_that_were_chosen_of_each_file() -> None:
    choices = (ColumnChoice(("f*", "x"), ("seed", HOSTILE), "video"), ColumnChoice(drop=("seed",)))
    apart = python_snippet(
        UPLOAD, files=("a.csv", "b.csv"), keys=("role=real", None), choices=choices
    )
    first = f"key='role=real', columns=('f*', 'x'), drop=('seed', {HOSTILE!r}), group='video'"
    assert (
        f"data = prviz.SamplePair(prviz.read('a.csv', {first}), prviz.read('b.csv',"
        " drop=('seed',)))\n"
    ) in apart
    together = python_snippet(UPLOAD, files=("a.csv",), choices=choices[1:])
    assert "data = prviz.read_pair('a.csv', drop=('seed',))\n" in together


def test_hostile_text_in_a_snippet_stays_a_literal() -> None:
    upload = python_snippet(UPLOAD, files=(HOSTILE, HOSTILE), keys=(HOSTILE, None))
    parameters = {HOSTILE: HOSTILE, "class": 1}
    toy = ExploreSettings(problem=HOSTILE, parameters=parameters, methods=(HOSTILE,))
    for snippet in (upload, python_snippet(toy)):
        compile(snippet, "snippet", "exec")
        assert "\n</script>" not in snippet
        assert snippet.count("import os") == snippet.count(repr(HOSTILE))
    with pytest.raises(ValueError, match="files"):
        python_snippet(UPLOAD, files=())


def test_the_page_speaks_of_the_curve_to_believe_first_and_of_what_is_refuted() -> None:
    bound = PRCurve.from_error_rates([0.0, 0.9], [0.3, 0.0])
    across = PRCurve.from_error_rates([0.0, 0.25], [0.5, 0.0])
    believed = PRCurve.from_error_rates([0.0, 0.2], [0.2, 0.0])
    curves = {"Best classifier": believed, "KDE": across}
    most = np.ceil(100 * bound.auc) / 100
    said = (
        f"Believe {believed.auc:.2f}, of the best classifier: held-out curves lie above the truth,"
        f" up to chance. The true area is at most {most:.2f} (95 %). Refuted where thin, beyond the"
        " bound: KDE."
    )
    assert f"<svg></svg>\n<p>{said}</p>" in page_of(curves, bound=bound)
    assert "Believe" not in page_of(curves, truth=believed, bound=bound)


def test_what_is_to_be_believed_is_no_more_than_the_bound_and_not_refuted() -> None:
    bound = PRCurve.from_error_rates([0.0, 0.1], [0.1, 0.0])
    above = PRCurve.from_error_rates([0.0, 0.6], [0.6, 0.0])
    page = page_of({"Best classifier": above}, bound=bound)
    assert f"Believe {bound.auc:.2f}, of the best classifier" in page
    assert "Refuted" not in page
    assert f"<td>{bound.auc:.3f}</td>" in page
    assert f"<td>{above.auc:.3f}</td>" not in page
    (row,) = csv.DictReader(io.StringIO(summaries_csv({"tightest": above}, bound=bound)))
    assert float(row["auc"]) == bound.auc


def test_numbers_of_the_curve_to_believe_are_cut_to_its_bound_and_others_refuted(
    pair: SamplePair, estimates: dict[str, Estimate]
) -> None:
    bound = PRCurve.from_error_rates([0.0, 0.1], [0.1, 0.0])
    both = {"tightest": replace(estimates["knn"], method="tightest"), "knn": estimates["knn"]}
    spreads = {name: bootstrap(each, 10) for name, each in both.items()}
    known = KnownOfPair(bound=bound)
    text = to_json(both, pair=pair, settings={}, known=known, spreads=spreads)
    found = strict(text)["methods"]
    area = estimates["knn"].curve.auc
    assert [found[name]["summaries"]["auc"] for name in both] == [bound.auc, area]
    high = [found[name]["intervals"]["summaries"]["auc"]["high"] for name in both]
    assert high == [bound.auc, spreads["knn"].intervals["auc"].high]
    measured = _Measured(
        arguments=SimpleNamespace(b=8.0, eps=0.05),
        pair=pair,
        options={},
        estimates=both,
        approximation=None,
        spreads=spreads,
        found=None,
        bound=bound,
    )
    lines = _table(measured)
    believed, other = (
        next(line for line in lines if line.startswith(name)) for name in ("tightest", "knn")
    )
    assert f" {bound.auc:.4f} " in believed
    assert f" {bound.auc:.4f} " in lines[lines.index(believed) + 2]
    assert "refuted" not in believed
    assert "refuted" in other
    assert area > bound.auc


def test_no_curve_is_to_be_believed_where_samples_are_too_few_to_say_more() -> None:
    curves = {"Best classifier": PRCurve.from_error_rates([0.0, 0.2], [0.2, 0.0])}
    said = too_few(told_apart=True)
    page = page_of(curves, conclusion=said)
    shown = "The sets differ; with under 200 samples of a set that is all: too few to say more."
    assert f"<p>{shown}</p>" in page
    assert "Believe" not in page
    assert too_few(told_apart=False).startswith("the sets are not told apart; ")
    pair = SamplePair(Samples(np.zeros((2, 1))), Samples(np.ones((2, 1))))
    for conclusion, kept in ((said, said), ("", None)):
        text = to_json({}, pair=pair, settings={}, known=KnownOfPair(conclusion=conclusion))
        assert strict(text)["conclusion"] == kept
