"""`prviz embed`: pictures and texts to features, the same bytes each time, resumed where it was
stopped.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.embed.encoders import principal
from prviz.embed.registered import load_encoder
from prviz.embed.run import embed
from prviz.embed.sources import open_source


def folder_of(where: Path, arrays: np.ndarray) -> Path:
    for number, array in enumerate(arrays):
        (where / f"{number % 2}").mkdir(parents=True, exist_ok=True)
        Image.fromarray(array).save(where / f"{number % 2}" / f"{number:05}.png")
    return where


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return folder_of(
        tmp_path / "real", np.random.default_rng(0).integers(0, 256, (12, 8, 8, 3), dtype=np.uint8)
    )


def test_pixels_are_the_pixels(pictures: Path, tmp_path: Path) -> None:
    out = tmp_path / "real.safetensors"
    assert main(["embed", str(pictures), "-o", str(out), "--encoder", "pixels:8"]) == 0
    samples = prviz.read(out)
    paths = sorted(path.relative_to(pictures).as_posix() for path in pictures.rglob("*.png"))
    expected = [np.asarray(Image.open(pictures / path)).ravel() / np.float32(255) for path in paths]
    np.testing.assert_array_equal(samples.values, np.array(expected, np.float32))
    table = prviz.read(tmp_path / "real.samples.parquet")
    np.testing.assert_array_equal(table.values, samples.values)
    assert table.labels["path"].tolist() == [f"real/{path}" for path in paths]
    assert table.labels["label"].astype(str).tolist() == [path[0] for path in paths]


@pytest.mark.parametrize("name", ["pixels:8", "random:0", "pca:3"])
def test_same_input_same_bytes(
    pictures: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(principal, "_SIZE", 8)  # a smaller matrix of eigenvectors
    outs = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for out in outs:
        embed(open_source(pictures), load_encoder(name), out)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_bad_pictures_are_named_and_skipped(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pictures / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno picture")
    command = [
        "embed",
        str(pictures),
        "-o",
        str(tmp_path / "x.safetensors"),
        "--encoder",
        "pixels:4",
    ]
    assert main(command) == 2
    assert "broken.png: a broken PNG picture" in capsys.readouterr().err
    assert main([*command, "--skip-bad"]) == 0
    assert "12 x 48 by pixels:4, 1 bad left out" in capsys.readouterr().out


@pytest.mark.thorough
def test_encoder_is_read_back_and_stated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    many = folder_of(
        tmp_path / "many", np.random.default_rng(1).integers(0, 256, (40, 8, 8, 3), dtype=np.uint8)
    )
    outs = {}
    for name, encoder in {
        "real": "pixels:4",
        "a": "pixels:4",
        "b": "random:0",
        "c": "pixels:4",
    }.items():
        outs[name] = tmp_path / f"{name}.safetensors"
        embed(open_source(many), load_encoder(encoder), outs[name])
    real = prviz.read(outs["real"])
    same = prviz.read(tmp_path / "a.samples.parquet")
    assert real.encoder == same.encoder
    assert (real.encoder["encoder"], real.encoder["source"]) == ("pixels:4", "many")
    assert real.take(np.arange(5)).encoder == real.encoder

    def finding(generated: prviz.Samples) -> tuple[str, str]:
        findings = {
            each.title: each for each in prviz.preflight(prviz.SamplePair(real, generated)).findings
        }
        return findings["Encoder"].level, findings["Encoder"].value_text

    other = prviz.Samples(same.values, encoder={"encoder": "random:0"})
    assert finding(same) == ("ok", "pixels:4")
    assert finding(other) == ("warning", "encoder: pixels:4 real, random:0 generated")
    assert finding(prviz.Samples(same.values)) == ("note", "pixels:4, real samples only")
    bare = prviz.SamplePair(real.values, same.values)
    assert "Encoder" not in {each.title for each in prviz.preflight(bare).findings}

    assert main(["curve", str(outs["real"]), str(outs["a"]), "--method", "knn", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]["real"]["encoder"] == real.encoder

    # Another encoder of as many features: the same file with other metadata.
    outs["b"].write_bytes(
        outs["a"].read_bytes().replace(b'"encoder":"pixels:4"', b'"encoder":"pixels:9"')
    )
    assert main(["curve", str(outs["real"]), str(outs["b"]), "--method", "knn"]) == 0
    assert (
        "prviz: warning: Encoder: encoder: pixels:4 real, pixels:9 generated. Two encoders"
        in capsys.readouterr().err
    )
    report = tmp_path / "report.json"
    files = [str(outs[name]) for name in ("real", "a", "b")]
    assert (
        main(
            [
                "triage",
                *files,
                "--method",
                "knn",
                "--report",
                str(report),
                "--report",
                str(tmp_path / "r.html"),
            ]
        )
        == 0
    )
    note = "1 by another encoder than the reference"
    assert note in capsys.readouterr().out
    written = json.loads(report.read_text())
    assert note in written["note"]
    assert [each["encoder"]["encoder"] for each in written["checkpoints"]] == [
        "pixels:4",
        "pixels:9",
    ]
    assert written["reference"]["encoder"] == real.encoder
    assert real.encoder["transform"] in (tmp_path / "r.html").read_text()
    assert main(["triage", "--rerun", str(report)]) == 0


def test_components_of_the_reference_serve_the_generated(
    pictures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(principal, "_SIZE", 8)
    real = tmp_path / "real.safetensors"
    line = ["embed", str(pictures), "--encoder", "pca:3"]
    assert main([*line, "-o", str(real)]) == 0
    assert main([*line, "-o", str(tmp_path / "same.safetensors"), "--weights", str(real)]) == 0
    one = prviz.read(real)
    other = prviz.read(tmp_path / "same.safetensors")
    np.testing.assert_array_equal(one.values, other.values)
    assert one.encoder["weights_sha256"] == other.encoder["weights_sha256"]
    pixels = prviz.read(embed_pixels(pictures, tmp_path)).values.astype(float)
    centred = pixels - pixels.mean(axis=0)
    variances = np.linalg.svd(centred, compute_uv=False)[:3] ** 2
    np.testing.assert_allclose((one.values.astype(float) ** 2).sum(axis=0), variances, rtol=1e-4)
    assert main([*line[:-1], "pca:4", "-o", str(real), "--weights", str(real)]) == 2
    assert "3 components; 4 are needed" in capsys.readouterr().err


def embed_pixels(pictures: Path, folder: Path) -> Path:
    embed(open_source(pictures), load_encoder("pixels:8"), folder / "pixels.safetensors")
    return folder / "pixels.safetensors"


def test_texts_and_their_labels(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("caption,label\none two,a\nthree,b\nfour,a\n")
    source = open_source(tmp_path / "t.csv", "caption")
    assert [(item.path, item.label, item.text) for item in source.items][1] == (
        "row 2",
        "b",
        "three",
    )
    with pytest.raises(
        ValueError, match="has no column 'text'; choose one with --column: 'caption', 'label'"
    ):
        open_source(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"pixels:8 takes pictures, and t\.csv holds texts"):
        embed(source, load_encoder("pixels:8"), tmp_path / "x.safetensors")


def test_a_zip_gives_what_its_folder_gives(pictures: Path, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "z"), "zip", pictures)
    outs = [tmp_path / "folder.safetensors", tmp_path / "zip.safetensors"]
    for source, out in zip((pictures, tmp_path / "z.zip"), outs, strict=True):
        embed(open_source(source), load_encoder("pixels:8"), out)
    np.testing.assert_array_equal(*(prviz.read(out).values for out in outs))
