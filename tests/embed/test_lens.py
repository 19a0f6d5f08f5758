"""The embedding lens: encoders and numbers of features, each reading as it would be measured
alone.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.decomposition import PCA

import prviz
from prviz.embed.encoders.pixels import PixelEncoder
from prviz.embed.encoders.random_network import RandomNetworkEncoder
from prviz.embed.encoders.stored import StoredEncoder
from prviz.embed.lens import Lens, _components, _encoded, lens
from prviz.embed.pictures import decoded
from prviz.embed.registered import ENCODERS, load_encoder
from prviz.measure.workload import cut
from prviz.readers.bundled import TRAINED, bundled_pair
from prviz.readers.media import FolderPictures
from prviz.readers.paths import data_folder
from prviz.samples import Samples
from prviz.studies.papers.features import with_pattern
from prviz.triage.encoders import EncoderRanking, encoder_verdict, rank_estimates

N = 240
TRAINED_FOLDER = data_folder() / "trained"
REAL = cut(bundled_pair("mixture-em-1").real, N, 0)
SETS = {
    name: cut(bundled_pair(name).generated, N, 0) for name in ("mixture-em-1", "mixture-converged")
}


@pytest.fixture(scope="module")
def seen() -> Lens:
    return lens(REAL, SETS, dimensions=(4, 16), method="coverage")


def area(real: np.ndarray, generated: np.ndarray) -> float:
    return prviz.pr_curve(real, generated, "coverage").auc


@pytest.mark.exhaustive
def test_readings_are_what_each_encoder_gives_alone(seen: Lens) -> None:
    assert [(each.encoder, each.d) for each in seen.readings] == [
        *(("pixels", d) for d in (4, 16, 64)),
        *(("random network", d) for d in (4, 16, 256)),
    ]
    generated = SETS["mixture-converged"]
    by_place = {(each.encoder, each.d): each.areas[1] for each in seen.readings}
    assert by_place["pixels", 64] == area(REAL.values, generated.values)
    components = PCA(4, svd_solver="full").fit(REAL.values.astype(float))
    assert by_place["pixels", 4] == pytest.approx(
        area(components.transform(REAL.values), components.transform(generated.values)), abs=0.02
    )
    network = RandomNetworkEncoder(0, 16)

    def features(samples: Samples) -> np.ndarray:
        pictures = []
        for image in samples.images if samples.images is not None else ():
            stream = io.BytesIO()
            Image.fromarray(image).save(stream, "PNG")
            pictures.append(network.prepare(decoded(stream.getvalue())))
        return network.encode(np.stack(pictures))

    parts = features(REAL), features(generated)
    assert by_place["random network", 256] == pytest.approx(area(*parts), abs=1e-3)
    assert by_place["random network", 16] == pytest.approx(
        area(*(each[:, :16] for each in parts)), abs=1e-3
    )


@pytest.mark.parametrize("d", [20, 90])
def test_components_are_those_of_scikit_learn(d: int) -> None:
    values = np.random.default_rng(4).normal(size=(50, d)) * np.arange(1, d + 1) ** 0.5
    mean, axes = _components(values, 7)
    expected = PCA(7, svd_solver="full").fit(values)
    np.testing.assert_allclose(
        np.abs((values - mean) @ axes), np.abs(expected.transform(values)), atol=1e-9
    )
    # one direction alone has any variance
    flat = np.repeat(np.eye(2), [30, 20], axis=0)[:, [0] * d]
    assert np.isfinite(_components(flat, 3)[1]).all()


@pytest.mark.exhaustive
def test_pictures_in_files_and_further_encoders(tmp_path: Path) -> None:
    sides = {}
    for name, side in (("real", REAL), ("generated", SETS["mixture-converged"])):
        (tmp_path / name).mkdir()
        for place, image in enumerate(side.images[:60]):
            Image.fromarray(image).save(tmp_path / name / f"{place}.png")
        paths = np.array([f"{name}/{place}.png" for place in range(60)])
        sides[name] = Samples(side.values[:60] + 1, name, {"path": paths})
    sources = [FolderPictures(tmp_path)]
    encoders = [load_encoder("pixels:8")]
    found = lens(
        sides["real"], sides["generated"], sources=sources, encoders=encoders, dimensions=()
    )
    assert [(each.encoder, each.d) for each in found.readings] == [
        *(("as given", 64), ("pixels", 32 * 32 * 3), ("random network", 256), ("pixels:8", 192))
    ]
    assert found.left_out == ""
    (tmp_path / "real" / "0.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    broken = lens(sides["real"], sides["generated"], sources=sources, dimensions=())
    assert broken.encoders == ("as given",)
    assert "Encoders of pictures are left out: a broken PNG picture" in broken.left_out
    (tmp_path / "real" / "0.png").unlink()
    missing = lens(sides["real"], sides["generated"], sources=sources, dimensions=())
    assert "left out: real: " in missing.left_out
    assert "0.png" in missing.left_out
    assert lens(np.eye(9), np.eye(9), dimensions=(2,)).encoders == ("as given",)
    with pytest.raises(ValueError, match="several encoders are called 'pixels:8'"):
        lens(REAL, REAL, encoders=[PixelEncoder(8), PixelEncoder(8)])


@pytest.mark.exhaustive
def test_the_verdict_says_whether_the_winner_depends_on_the_encoder(seen: Lens) -> None:
    names = ["mixture-em-1", "mixture-converged"]

    def ranked(*scores: tuple[int, ...]) -> list[EncoderRanking]:
        """Rankings in which the sets stand in these orders."""
        return [
            EncoderRanking(
                "x",
                place,
                rank_estimates([names[own] for own in order], best.estimates, bootstrap=60),
            )
            for place, order in enumerate(scores)
        ]

    best = next(each for each in seen.readings if each.d == 64)
    assert best.areas[1] > best.areas[0] + 0.1
    own = ranked((0, 1))[0]
    assert own.possible == ("mixture-converged",)
    assert (own.rank("mixture-em-1"), own.score("mixture-em-1")) == (
        2,
        pytest.approx(best.areas[0]),
    )
    alone = "does not depend on the encoder: mixture-converged is best in all 2 readings"
    assert alone in encoder_verdict(ranked((0, 1), (0, 1)))
    depends = encoder_verdict(ranked((0, 1), (1, 0), (0, 1)))
    assert depends.endswith(
        "of 3 readings, mixture-converged in 2 and mixture-em-1 in 1 may be best."
    )
    tied = [each for each in seen.readings[:1] for _ in range(2)]
    same = [
        EncoderRanking(
            each.encoder, each.d, rank_estimates(names, [each.estimates[0]] * 2, bootstrap=20)
        )
        for each in tied
    ]
    assert encoder_verdict(same).startswith(
        "No encoder rules out mixture-em-1 and mixture-converged"
    )


def test_a_trained_network_comes_with_what_is_bundled() -> None:
    """Its features are found by picture or text, whatever samples were drawn and in which order."""
    for name in ("truncation-0.7", "topics-2"):
        stored = StoredEncoder([name])
        sides = []
        for samples, own in zip(bundled_pair(name), bundled_pair(name, trained=True), strict=True):
            rows = np.random.default_rng(1).permutation(samples.n)[:N]
            sides.append((samples.take(rows), own.values[rows]))
        (real, real_values), (generated, generated_values) = sides
        seen = lens(real, generated, encoders=[stored], dimensions=(4,), method="coverage")
        reading = seen.of(stored.name)[-1]
        assert reading.d == real_values.shape[1]
        assert reading.areas[0] == area(real_values, generated_values)
    other = lens(real, generated, encoders=[StoredEncoder(["words-1"])])
    assert other.encoders == ("as given",)
    assert other.left_out == "Encoders of texts are left out: not all texts are bundled"


@pytest.mark.parametrize(
    ("real", "name"), [("digits", "gan-e350"), ("sentences", "words-1"), ("digits", "pattern")]
)
def test_what_comes_along_is_what_the_network_computes(real: str, name: str) -> None:
    network = TRAINED[real].encoder
    (kind,) = (each for each in ENCODERS if each.prefix == network.partition(":")[0])
    if not kind.installed():
        pytest.skip(f"{kind.needs} is not installed")
    encoder = load_encoder(network)
    facts = json.loads((TRAINED_FOLDER / "manifest.json").read_text())["encoders"][network]
    assert facts["weights_sha256"] == encoder.weights_sha256
    assert facts["transform"] == encoder.transform
    if name == "pattern":
        samples = with_pattern(bundled_pair("digits-held-out").real)
    else:
        samples = bundled_pair(name).generated
    some = samples.take(np.arange(0, samples.n, 60))
    inputs = some.labels["text"].tolist() if some.images is None else list(some.images)
    (features,) = _encoded(encoder, [inputs], lambda _: None)
    with np.load(TRAINED_FOLDER / f"{real}.npz") as archive:
        steps = (features - archive["mean"]) @ archive["axes"].T / archive["step"]
    with np.load(TRAINED_FOLDER / f"{name}.npz") as archive:
        np.testing.assert_allclose(steps, archive["features"][::60], rtol=0, atol=0.51)


@pytest.mark.parametrize(
    ("dimensions", "error", "message"),
    [
        (3, TypeError, "dimensions = 3; a list of numbers of features is needed"),
        ("a", TypeError, "dimensions = 'a'; a list of numbers of features"),
        ([2, 0], ValueError, "dimension = 0; an integer from 1 is needed"),
        ([2.5], TypeError, "dimension = 2.5; an integer from 1"),
    ],
)
def test_dimensions_are_whole_numbers(
    dimensions: object, error: type[Exception], message: str
) -> None:
    real, generated = np.random.default_rng(0).normal(size=(2, 20, 4))
    with pytest.raises(error, match=message):
        lens(real, generated, dimensions=dimensions)
