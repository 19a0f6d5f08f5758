"""The embedding lens: encoders and numbers of features, each reading as it would be measured alone."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.decomposition import PCA

import prviz
from prviz.embed.encoders.pixels import PixelEncoder
from prviz.embed.encoders.random_network import RandomNetworkEncoder
from prviz.embed.lens import Lens, _components, lens
from prviz.embed.pictures import decoded
from prviz.embed.registered import load_encoder
from prviz.measure.workload import cut
from prviz.readers.bundled import bundled_pair
from prviz.readers.media import FolderPictures
from prviz.samples import Samples
from prviz.triage.encoders import EncoderRanking, encoder_verdict, rank_estimates

N = 240
REAL = cut(bundled_pair("mixture-em-1").real, N, 0)
SETS = {
    name: cut(bundled_pair(name).generated, N, 0) for name in ("mixture-em-1", "mixture-converged")
}


@pytest.fixture(scope="module")
def seen() -> Lens:
    return lens(REAL, SETS, dimensions=(4, 16), method="coverage")


def area(real: np.ndarray, generated: np.ndarray) -> float:
    return prviz.pr_curve(real, generated, "coverage").auc


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
