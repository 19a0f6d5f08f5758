"""``prviz curve REAL A B``: several models in one table and one figure."""

from __future__ import annotations

from pathlib import Path

import pytest

import prviz
from prviz.cli.several import names_of
from tests.cli.commands import KNN, Refused, Run, numpy_files


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return list(numpy_files(tmp_path, real=(60, 1.0), near=(60, 1.3), far=(60, 2.0)).values())


def test_a_row_for_each_model_at_one_k_and_one_figure(
    run: Run, files: list[Path], tmp_path: Path
) -> None:
    figure = tmp_path / "fig.svg"
    out = run("curve", *files, *KNN, "--svg", figure).out
    rows = [line.split() for line in out.splitlines()]
    real, *models = map(prviz.read, files)
    areas = [f"{prviz.pr_curve(real, each, k=7).auc:.4f}" for each in models]
    assert [(row[0], row[-1]) for row in rows[1:3]] == [("near", areas[0]), ("far", areas[1])]
    assert figure.read_text("utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([*KNN, "--json"], "--json is of one model"),
        (["--method", "knn,kde"], "several models are drawn by one family"),
        ([*KNN, "--svg", "fig.gif"], "ends in .pdf, .svg, .png"),
    ],
)
def test_what_is_of_one_model_is_refused(
    refused: Refused, files: list[Path], options: list[str], words: str
) -> None:
    assert words in refused("curve", *files, *options)


def test_models_have_the_shortest_names_that_differ() -> None:
    assert names_of([Path("a/x.npy"), Path("b/x.npy")]) == ["a/x", "b/x"]
    assert names_of([Path("a/x.npy"), Path("b/y.npy")]) == ["x", "y"]
