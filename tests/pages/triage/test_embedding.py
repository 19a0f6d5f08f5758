"""Folders of pictures to a ranking: digits as PNG files, embedded in the shell and on the page
Triage.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import prviz
from pages._work.embedding_run import EmbeddingRequest, EmbeddingRun
from prviz.embed.local_encoders import LocalEncoder
from prviz.readers.bundled import bundled_pair
from prviz.readers.paths import PICTURES_VARIABLE
from prviz.readers.safe_folder import Below
from prviz.triage.measured import CACHE_VARIABLE
from tests.explore_app import button, choose, press, said
from tests.lab_app import until_done
from tests.marks import exhaustive
from tests.triage_app import begin, healthy, table, triage

# By how much a generator is worse: held-out digits, five of the ten, pixels in a random order.
_ENDS = {"x": ["n", 3, 8, 8], "y": ["n", 5]}
ORDER = ["good", "five", "shuffled"]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The app's folder: digits as PNG files, the real ones in folders by their class; outside it a
    secret.
    """
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    served = tmp_path / "served"
    monkeypatch.setenv(PICTURES_VARIABLE, str(served))
    real, held_out = bundled_pair("digits-held-out")
    digits = held_out.labels["digit"]
    rng = np.random.default_rng(0)
    sets = {
        "real": (real.images[:240], real.labels["digit"][:240]),
        "good": (held_out.images[:200], None),
        "five": (held_out.images[digits < 5][:200], None),
        "shuffled": (
            rng.permuted(held_out.images[:200].reshape(200, -1), axis=1).reshape(200, 8, 8),
            None,
        ),
    }
    for name, (images, classes) in sets.items():
        for place, image in enumerate(images):
            folder = served / name / ("" if classes is None else str(classes[place]))
            folder.mkdir(parents=True, exist_ok=True)
            Image.fromarray(image).save(folder / f"{place:03}.png")
    Image.new("RGB", (8, 8)).save(tmp_path / "secret.png")
    return served


@exhaustive
def test_on_the_page(served: Path, tmp_path: Path) -> None:
    (served / "good" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (served / "good" / "linked.png").symlink_to(tmp_path / "secret.png")
    app = triage(data="folder")
    assert [each for each in app.selectbox(key="embed-real").options if "/" not in each] == sorted(
        [*ORDER, "real"]
    )
    assert app.selectbox(key="embed-encoder").options[:2] == ["Pixels", "Random network"]
    choose(app, "embed-real", "real")
    choose(app, "embed-generated", ORDER)
    choose(app, "embed-pixels", 8)
    until_done(press(app, "Embed"))
    assert "good: 2 left out" in said(app)
    assert app.selectbox(key="triage.folder").value == "pixels-8"
    assert sorted(path.name for path in (served / "pixels-8").glob("*.safetensors")) == sorted(
        f"{name}.safetensors" for name in ("real", *ORDER)
    )
    assert prviz.read(served / "pixels-8" / "good.safetensors").n == 200
    # One file a set, the table, whose paths lead to the pictures.
    options = app.selectbox(key="triage.reference").options
    assert options == [f"pixels-8/{name}.samples.parquet" for name in sorted([*ORDER, "real"])]
    assert "240 of 240 names found in the app's folder" in said(app)
    app = until_done(begin(app))
    found = table(app).sort_values("AuC, kNN", ascending=False)
    assert found["Name"].tolist() == ORDER
    healthy(app)


@exhaustive
def test_a_network_on_the_page(served: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    weights = np.random.default_rng(1).normal(size=(192, 5)).astype(np.float32)
    ends = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in _ENDS.items()
    ]
    nodes = [
        helper.make_node("Flatten", ["x"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "small", ends[:1], ends[1:], [onnx.numpy_helper.from_array(weights, "w")]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, served / "small.onnx")
    app = triage(data="folder")
    choose(app, "embed-real", "five")
    choose(app, "embed-encoder", "small.onnx")
    until_done(press(app, "Embed"))
    assert "small.onnx: state the pictures' side" in said(app)
    (served / "small.toml").write_text("size = 8\n")
    until_done(press(app, "Embed"))
    healthy(app)
    samples = prviz.read(served / "small-onnx" / "five.safetensors")
    assert (samples.shape, samples.encoder["encoder"]) == ((200, 5), "small.onnx")


@exhaustive
def test_a_stopped_run_goes_on_and_two_wait_for_each_other(served: Path) -> None:
    request = EmbeddingRequest(("real", "good"), LocalEncoder("pca:4"))
    run, other = (EmbeddingRun(Below(served), request) for _ in range(2))
    shares = []

    def stopping(share: float) -> None:  # in the middle of the second folder
        shares.append(run.share)
        if run.done > 240:
            run.stop()
        EmbeddingRun._report(run, share)

    run._report = stopping
    run.start()
    assert run.wait(60)
    assert (run.done > 240, run.complete, run.error) == (True, False, None)
    first = (served / "pca-4" / "real.safetensors").stat().st_mtime_ns
    del run._report
    run.start()
    other.start()
    assert run.wait(60)
    assert other.wait(60)
    assert (run.complete, other.complete, run.done) == (True, True, 440)
    assert sorted(shares) == shares
    # by the other one alone
    assert (served / "pca-4" / "real.safetensors").stat().st_mtime_ns > first
    assert (
        sorted(path.name for path in (served / "pca-4").iterdir() if path.name.startswith("."))
        == []
    )


def test_a_folder_that_leads_out_is_not_written_to(served: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (served / "pixels-32").symlink_to(tmp_path / "elsewhere")
    app = triage(data="folder")
    choose(app, "embed-real", "five")
    until_done(press(app, "Embed"))
    assert "leads out of the app's folder" in said(app)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_folder_without_pictures_offers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path / "empty"))
    app = triage(data="folder")
    assert "prviz embed FOLDER" in app.info[0].value
    for page in (app, triage(data="upload")):
        assert button(page, "embed") is None
