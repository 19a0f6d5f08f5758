"""The pictures of the documentation, and its page of estimators: computed, none drawn by hand."""

from __future__ import annotations

from pathlib import Path

from latex2mathml.converter import convert

import prviz
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import Estimator

N = 2000
SEED = 0
PROBLEM = "mixtures"


def write(folder: Path) -> None:
    """Write every picture and `estimators.md` into this folder, those that are not there yet."""
    folder.mkdir(exist_ok=True)
    problem = prviz.toy(PROBLEM)
    truth = problem.truth()
    pair = problem.sample(N, seed=SEED)
    text = [
        "# Estimators\n",
        f"Each on the toy *{problem.title}* with n = {N:,}: solid, what it makes of samples at its"
        " published split and k = √n; dashed, the truth.\n",
    ]
    for name, estimator in ESTIMATORS.items():
        picture = folder / f"{name}.svg"
        if not picture.exists():
            curve = prviz.pr_curve(*pair, name, k="sqrt", split=0.5)
            prviz.save({estimator.title: curve}, picture, truth=truth)
        text.append(_section(name, estimator, picture.name))
    (folder / "estimators.md").write_text("\n".join(text), "utf-8")
    _point(folder / "point.svg")
    _faults(folder / "faults.svg")


def _section(name: str, estimator: Estimator, picture: str) -> str:
    about = estimator.about
    formula = convert(about.formula, display="block")
    return (
        f"## {estimator.title}\n\n`{name}`: {estimator.idea}\n\n{formula}\n\n"
        f"![{estimator.title} beside the truth]({picture})\n\n"
        f"- **What it gets wrong**: {about.biases}\n"
        f"- **Cost**: {about.cost}\n"
        f"- **Published settings**: {about.published}\n"
        f"- **Source**: {estimator.source}\n"
    )


def _point(path: Path) -> None:
    """Two Gaussians on a line: the truth is the curve that all thresholds draw."""
    truth = prviz.toy("shifted-gaussians", d=1, mu=1.5).truth()
    prviz.save({"all thresholds": truth}, path)


def _faults(path: Path) -> None:
    """Truths of four faults of a generator."""
    half = [0.25] * 4
    curves = {
        "mode invented": prviz.discrete_curve([*half, 0.0], [0.2] * 5),
        "mode dropped": prviz.discrete_curve(half, [1 / 3, 1 / 3, 1 / 3, 0.0]),
        "other weights": prviz.discrete_curve(half, [0.55, 0.15, 0.15, 0.15]),
        "noise": prviz.toy("shifted-gaussians", d=1, mu=0.5).truth(),
    }
    prviz.save(curves, path, width="two columns")
