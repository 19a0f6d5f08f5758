"""Bundled embeddings: the files match the manifest, and each family shows what its summary says."""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import json
import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from prviz import pr_curve
from prviz.neighbors import nearest_rows
from prviz.readers import paths
from prviz.readers.bundled import (
    BUNDLED,
    REAL_SETS,
    SAME_FILE,
    TRAINED,
    bundled_names,
    bundled_pair,
    bundled_path,
    family_of,
    zoo_checkpoints,
)
from prviz.readers.media import look
from prviz.samples import SamplePair, Samples
from prviz.triage.memorisation import held_out_distances, memorisation

DATA = paths.data_folder()
MANIFEST: dict[str, Any] = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
ZOO: dict[str, Any] = json.loads((DATA / "zoo" / "manifest.json").read_text(encoding="utf-8"))
TEXT: dict[str, Any] = json.loads((DATA / "text" / "manifest.json").read_text(encoding="utf-8"))
SEEN: dict[str, Any] = json.loads((DATA / "trained" / "manifest.json").read_text("utf-8"))
FILES = MANIFEST["files"] | {
    f"{folder}/{name}": facts
    for folder, manifest in (("zoo", ZOO), ("text", TEXT), ("trained", SEEN))
    for name, facts in manifest["files"].items()
}
SENTENCES = [
    each.name
    for family in BUNDLED.values()
    if family.real == "sentences"
    for each in family.checkpoints
]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_data", DATA / "make_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def distance(pair: SamplePair) -> tuple[float, float]:
    """Mean nearest-neighbour distance from generated to real and from real to generated, in
    float64.
    """
    real = pair.real.values
    generated = pair.generated.values
    squares = (real**2).sum(1)[:, None] + (generated**2).sum(1) - 2 * real @ generated.T
    distances = np.sqrt(np.maximum(squares, 0))
    return float(distances.min(axis=0).mean()), float(distances.min(axis=1).mean())


def test_the_manifest_lists_exactly_the_files_that_are_shipped() -> None:
    assert set(FILES) == {
        path.relative_to(DATA).as_posix() for path in (*DATA.glob("*.npz"), *DATA.glob("*/*.npz"))
    }
    paths_of_sets = {bundled_path(name) for name in bundled_names() if name != "digits-held-out"}
    paths_of_sets |= {DATA / each.file for each in REAL_SETS.values()}
    trained = {DATA / "trained" / name for name in SEEN["files"]}
    assert {DATA / name for name in FILES} == paths_of_sets | trained
    assert {path.stem for path in trained} == {path.stem for path in paths_of_sets} | {"pattern"}


def test_no_two_files_are_equal_and_two_names_of_one_file_both_find_it() -> None:
    digests = [facts["sha256"] for facts in FILES.values()]
    assert len(set(digests)) == len(digests)
    assert ZOO["same"] == {f"{name}.npz": f"{other}.npz" for name, other in SAME_FILE.items()}
    for name, other in SAME_FILE.items():
        assert bundled_path(name) == bundled_path(other)
        assert bundled_pair(name).digest == bundled_pair(other).digest
        assert bundled_pair(name).generated.name != bundled_pair(other).generated.name
        assert [
            each.name for each in zoo_checkpoints() if bundled_path(each.name) == bundled_path(name)
        ] == [other]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", FILES)
def test_files_match_their_digests(name: str) -> None:
    facts = FILES[name]
    content = (DATA / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == facts["sha256"]
    assert len(content) == facts["bytes"]
    with np.load(DATA / name, allow_pickle=False) as archive:
        assert set(archive.files) == set(facts["arrays"])
        for key, expected in facts["arrays"].items():
            assert hashlib.sha256(archive[key].tobytes()).hexdigest() == expected["sha256"]
            assert (list(archive[key].shape), archive[key].dtype.str) == (
                expected["shape"],
                expected["dtype"],
            )


def test_the_readme_states_every_digest_and_the_folder_is_small() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for name, facts in MANIFEST["files"].items():
        assert f"| `{name}` | {facts['bytes']:,} | `{facts['sha256']}` |" in readme
    assert "CC BY 4.0" in readme
    assert sum(path.stat().st_size for path in DATA.iterdir() if path.is_file()) < 5_000_000
    assert sum(path.stat().st_size for path in (DATA / "zoo").iterdir()) < 12_000_000
    assert sum(path.stat().st_size for path in (DATA / "text").iterdir()) < 2_500_000
    assert sum(path.stat().st_size for path in (DATA / "trained").iterdir()) < 6_000_000


def test_the_trained_networks_are_what_the_readme_says() -> None:
    readme = " ".join((DATA / "README.md").read_text("utf-8").split())
    for real, name, variance in (("digits", "gan-e350", "94 %"), ("sentences", "words-0", "67 %")):
        facts = SEEN["encoders"][TRAINED[real].encoder]
        assert f"{facts['variance']:.0%}".replace("%", " %") == variance
        assert f"components with {variance} of the variance" in readme
        pair = bundled_pair(name, trained=True)
        plain = bundled_pair(name)
        assert pair.real.encoder == {"encoder": TRAINED[real].encoder}
        for own, other in zip(pair, plain, strict=True):
            assert own.n == other.n
            assert own.values.dtype == np.float32
            assert own.labels.keys() == other.labels.keys()
    shares = []
    for trained in (True, False):
        held = bundled_pair("digits-held-out", trained=trained)
        rows, _ = nearest_rows(
            held.generated.values, np.arange(held.generated.n), 5, held.real.values
        )
        votes = held.real.labels["digit"][rows]
        named = np.array([np.bincount(each, minlength=10).argmax() for each in votes])
        shares.append(f"{np.mean(named == held.generated.labels['digit']):.0%}".replace("%", " %"))
    assert f"name {shares[0]} ({shares[1]} in pixels)" in readme
    areas = {
        (name, trained): pr_curve(*bundled_pair(name, trained=trained)).auc
        for name in ("shuffled", "topics-6")
        for trained in (True, False)
    }
    lost = {
        trained: areas["topics-6", trained] - areas["shuffled", trained]
        for trained in (True, False)
    }
    assert lost[True] < 0.1 < lost[False]  # the order of words


def test_the_zoo_has_forty_checkpoints_and_the_loss_of_every_step() -> None:
    assert len(BUNDLED["zoo"].checkpoints) >= 40
    for family in ("vae", "gan", "flow", "autoregressive", "diffusion"):
        with gzip.open(DATA / "zoo" / f"training-{family}.csv.gz", "rt") as lines:
            rows = list(csv.DictReader(lines))
        for run in {row["run"] for row in rows}:
            steps = [(int(row["epoch"]), int(row["step"])) for row in rows if row["run"] == run]
            assert [step for _, step in steps] == list(range(1, len(steps) + 1))
            epochs = [
                int(each.name.rpartition("-e")[2])
                for each in BUNDLED["zoo"].checkpoints
                if each.name.rpartition("-e")[0] == run
            ]
            assert steps[-1][0] == max(epochs)
    assert sum(ZOO["seconds"].values()) < 40 * 60


def test_the_sweeps_of_the_zoo_do_what_they_say() -> None:
    def spread(name: str) -> float:
        values = bundled_pair(name).generated.values
        digits = bundled_pair(name).generated.labels.get("digit")
        groups = [values] if digits is None else [values[digits == digit] for digit in range(10)]
        return float(np.mean([group.var(axis=0).sum() for group in groups]))

    for family in ("latent", "temperature"):
        along = [spread(each.name) for each in BUNDLED[family].checkpoints]
        assert along == sorted(along)
    plain = bundled_pair("guidance-1").generated
    guided = bundled_pair("guidance-10").generated
    assert np.array_equal(
        plain.values, bundled_pair(BUNDLED["zoo"].checkpoints[-1].name).generated.values
    )
    assert np.array_equal(plain.labels["digit"], guided.labels["digit"])
    collapsed, healthy = (
        len(np.unique(bundled_pair(name).generated.values, axis=0))
        for name in ("gan-collapsed-e350", "gan-e350")
    )
    assert collapsed < 0.6 * healthy
    for each in BUNDLED["classes"].checkpoints:
        below = int(each.name.removeprefix("classes-"))
        assert set(bundled_pair(each.name).generated.labels["digit"]) == set(range(below))


def test_making_the_real_set_again_gives_the_same_bytes(maker: ModuleType) -> None:
    made = maker.make_digits()
    expected = MANIFEST["files"]["digits.npz"]["arrays"]
    assert {key: maker.array_digest(array) for key, array in made.items()} == {
        key: facts["sha256"] for key, facts in expected.items()
    }


def test_the_real_set_is_scikit_learns_digits() -> None:
    from sklearn.datasets import load_digits

    digits = load_digits()
    real = bundled_pair("mixture-converged").real
    assert np.array_equal(real.values, digits.data)
    assert np.array_equal(real.labels["digit"], digits.target)


@pytest.mark.parametrize("name", [name for name in bundled_names() if name not in SENTENCES])
def test_every_checkpoint_loads_with_its_pictures(name: str) -> None:
    pair = bundled_pair(name)
    for samples in pair:
        assert samples.d == 64
        assert samples.name
        assert samples.images is not None
        assert samples.images.shape == (samples.n, 8, 8)
        assert np.array_equal(
            np.rint(samples.images * (16 / 255)), samples.values.reshape(-1, 8, 8)
        )
        assert samples.values.min() >= 0
        assert samples.values.max() <= 16
    assert set(pair.real.labels) == {"digit", "part"}


@pytest.mark.parametrize("name", SENTENCES)
def test_every_checkpoint_of_sentences_loads_with_its_texts(name: str) -> None:
    real, generated = bundled_pair(name)
    assert (real.shape, generated.shape) == ((1560, 64), (780, 64))
    assert set(real.labels) == {"text", "topic", "part"}
    for samples in (real, generated):
        assert look(samples, 0).text == samples.labels["text"][0]
        assert {len(text) > 0 for text in samples.labels["text"].tolist()} == {True}
    assert len(np.unique(real.labels["text"])) == 1560
    counts = dict(zip(*np.unique(real.labels["topic"], return_counts=True), strict=True))
    assert set(counts.values()) == {260}
    if name.startswith("topics"):
        number = int(name.removeprefix("topics-"))
        assert len(np.unique(generated.labels["topic"])) == number
        assert not set(generated.labels["text"]) & set(real.labels["text"])


def _part(part: str) -> Samples:
    real = bundled_pair("words-1").real
    return real.take(np.flatnonzero(real.labels["part"] == part))


def _tokens(name: str, text: str) -> list[str]:
    return re.findall(r"\w+(?:['-]\w+)*|[^\w\s]", text) if name.startswith("words") else list(text)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "name", [name for name in SENTENCES if name.startswith(("words", "characters"))]
)
def test_a_chain_says_only_what_its_training_sentences_say_after_so_many_tokens(name: str) -> None:
    """Every run of order + 1 tokens, with the sentence's ends, is in a training sentence; some
    longer runs are not.
    """
    order = int(name.partition("-")[2])

    def runs(texts: Any, length: int) -> set[tuple[str, ...]]:
        padded = ([""] * (length - 1) + [*_tokens(name, text), ""] for text in texts.tolist())
        return {
            tuple(row[at : at + length]) for row in padded for at in range(len(row) - length + 1)
        }

    train = _part("train").labels["text"]
    drawn = bundled_pair(name).generated.labels["text"]
    assert runs(drawn, order + 1) <= runs(train, order + 1)
    assert not runs(drawn, order + 2) <= runs(train, order + 2)


def test_chains_of_longer_memory_come_closer_to_sentences_they_never_saw() -> None:
    held_out = _part("held-out")
    areas = {name: pr_curve(held_out, bundled_pair(name).generated).auc for name in SENTENCES}
    for stem, orders in (("words", (0, 1, 2, 3)), ("characters", (2, 4, 8))):
        along = [areas[f"{stem}-{order}"] for order in orders]
        assert np.diff(along).min() > 0.05
    assert areas["words-3"] <= areas["topics-6"] + 0.02
    assert areas["shuffled"] < areas["topics-6"] - 0.1  # the encoder sees the order of words


def test_the_longest_memory_copies_and_new_sentences_do_not() -> None:
    real = bundled_pair("words-3").real
    usual = held_out_distances(real)
    train = set(_part("train").labels["text"])
    found = {name: memorisation(real, bundled_pair(name).generated, usual) for name in SENTENCES}
    for name, each in found.items():
        texts = bundled_pair(name).generated.labels["text"]
        assert each.exact.number == sum(text in train for text in texts), name
    assert found["words-3"].exact.low > 0.1
    assert [name for name, each in found.items() if each.memorised] == ["words-2", "words-3"]


def test_each_dropped_topic_costs_recall_and_hardly_any_precision() -> None:
    curves = [pr_curve(*bundled_pair(f"topics-{number}")) for number in (1, 2, 3, 5, 6)]
    precision, recall = (
        [curve.f_score(8, leaning=side) for curve in curves] for side in ("precision", "recall")
    )
    assert recall == sorted(recall)
    assert recall[-1] - recall[0] > 0.1
    assert all(p > r for p, r in zip(precision, recall, strict=True))


def test_names_are_unique_and_every_text_is_one_sentence() -> None:
    assert len(set(bundled_names())) == len(bundled_names()) == 114
    for key, family in BUNDLED.items():
        assert key == family.name
        for text in (family.summary, *(checkpoint.summary for checkpoint in family.checkpoints)):
            assert text.endswith(".")
            assert "\n" not in text


def test_an_unknown_checkpoint_is_refused_with_the_names() -> None:
    with pytest.raises(ValueError, match=r"'../digits'; one of mixture-em-1, .* is needed"):
        bundled_pair("../digits")


def test_the_held_out_pair_is_the_two_halves_of_the_digits() -> None:
    real, generated = bundled_pair("digits-held-out")
    assert (real.n, generated.n) == (898, 899)
    assert set(real.labels["part"]) == {"train"}
    assert set(generated.labels["part"]) == {"held-out"}
    difference = np.bincount(real.labels["digit"]) - np.bincount(generated.labels["digit"])
    assert np.abs(difference).max() <= 1


def test_truncation_collapses_at_zero_and_widens_with_psi() -> None:
    assert len(np.unique(bundled_pair("truncation-0.0").generated.values, axis=0)) == 1
    traces = [
        bundled_pair(f"truncation-{step / 10:.1f}").generated.values.var(axis=0).sum()
        for step in range(11)
    ]
    assert traces[0] == 0
    assert np.all(np.diff(traces) > 0)


def test_every_psi_shares_its_latent_vectors() -> None:
    narrow, wide = (bundled_pair(f"truncation-{psi}").generated for psi in ("0.8", "1.0"))
    own = np.linalg.norm(narrow.values - wide.values, axis=1)
    other = np.linalg.norm(narrow.values - np.roll(wide.values, 1, axis=0), axis=1)
    assert np.mean(own < other) > 0.99
    assert np.array_equal(narrow.labels["component"], wide.labels["component"])


def test_the_mixture_becomes_more_faithful_along_em() -> None:
    names = [checkpoint.name for checkpoint in BUNDLED["mixture"].checkpoints]
    faithful = [distance(bundled_pair(name))[0] for name in names]
    assert faithful == sorted(faithful, reverse=True)


def test_the_machine_becomes_more_diverse_along_its_epochs() -> None:
    names = [checkpoint.name for checkpoint in BUNDLED["rbm"].checkpoints]
    diverse = [distance(bundled_pair(name))[1] for name in names]
    assert diverse == sorted(diverse, reverse=True)


@pytest.mark.exhaustive
def test_the_forests_climb_by_the_best_classifier_and_copy_no_digit() -> None:
    pairs = [bundled_pair(checkpoint.name) for checkpoint in BUNDLED["forest"].checkpoints]
    areas = [pr_curve(*pair, "tightest").auc for pair in pairs]
    # as data/README.md says
    assert areas == pytest.approx([0.02, 0.08, 0.17, 0.34, 0.50], abs=0.02)
    digits = set(map(bytes, pairs[0].real.values))
    assert not any(bytes(row) in digits for pair in pairs for row in pair.generated.values)


def test_the_app_folder_is_the_carried_one_when_there_is_one(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "prviz"
    package.mkdir()
    monkeypatch.setattr(paths, "__file__", str(package / "readers" / "paths.py"))
    assert paths.app_root() == tmp_path
    (package / "_app").mkdir()
    assert paths.app_root() == package / "_app"
    assert paths.data_folder() == package / "_app" / "data"


def test_names_of_bundled_checkpoints() -> None:
    assert bundled_pair("truncation-0.7").generated.name == "Truncation sweep, psi = 0.7"
    said = "Truncation of an autoencoder, VAE truncated 1"
    assert bundled_pair("latent-1").generated.name == said
    summaries = {
        each.name: each.summary for family in BUNDLED.values() for each in family.checkpoints
    }
    for name, summary in {
        "truncation-0.0": "Every sample is the one mean picture: full collapse.",
        "truncation-0.1": "Latent vectors pulled to their mean: 0.1 of each one's distance is left.",
        "words-0": "Words without order.",
        "words-1": "Each word drawn after the one before it.",
        "topics-1": "New sentences of one topic.",
        "topics-2": "New sentences of the first 2 topics.",
    }.items():
        assert summaries[name] == summary
    assert summaries["truncation-1.0"].startswith("The converged mixture as it is")
    families = {"words-0": "text", "diffusion-e300": "zoo", "topics-1": "topics"}
    assert {name: family_of(name) for name in families} == families
    names = {each.name for each in zoo_checkpoints()}
    assert names >= {"guidance-0", "gan-e50"}
    assert not names & set(SAME_FILE)
