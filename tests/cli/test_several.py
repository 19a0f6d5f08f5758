"""``prviz curve REAL A B``: several models in one table and one figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import prviz
from prviz.cli.main import main
from prviz.cli.several import names_of


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(0)
    paths = [tmp_path / f"{name}.npy" for name in ("real", "near", "far")]
    for place, path in enumerate(paths):
        np.save(path, rng.normal(0.5 * place, size=(60, 3)))
    return [str(path) for path in paths]


def test_a_row_for_each_model_at_one_k_and_one_figure(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "fig.svg"
    assert main(["curve", *files, "--method", "knn", "--svg", str(figure)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    real, near, far = (prviz.read(path) for path in files)
    areas = [prviz.pr_curve(real, each, k=7).auc for each in (near, far)]
    assert [(row[0], row[-1]) for row in rows[1:3]] == [
        ("near", f"{areas[0]:.4f}"),
        ("far", f"{areas[1]:.4f}"),
    ]
    assert figure.read_text("utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "knn", "--json"], "--json is of one model"),
        (["--method", "knn,kde"], "several models are drawn by one family"),
        (["--method", "knn", "--svg", "fig.gif"], "ends in .pdf, .svg, .png"),
    ],
)
def test_what_is_of_one_model_is_refused(
    files: list[str], options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["curve", *files, *options]) == 2
    assert words in capsys.readouterr().err


def test_models_have_the_shortest_names_that_differ() -> None:
    assert names_of([Path("a/x.npy"), Path("b/x.npy")]) == ["a/x", "b/x"]
    assert names_of([Path("a/x.npy"), Path("b/y.npy")]) == ["x", "y"]
