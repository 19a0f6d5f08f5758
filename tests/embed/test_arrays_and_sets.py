"""Arrays of pictures, as diffusion projects exchange them, and folders of models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.embed import run
from prviz.embed.registered import load_encoder
from prviz.embed.sources import open_source
from tests.embed.test_embed import folder_of

RNG = np.random.default_rng(0)
PICTURES = RNG.integers(0, 256, (40, 8, 8, 3), dtype=np.uint8)


def embedded(source: Path, *options: str) -> prviz.Samples:
    out = source.with_name("x.safetensors")
    assert main(["embed", str(source), "-o", str(out), "--encoder", "pixels:8", *options]) == 0
    return prviz.read(out)


def saved(folder: Path) -> dict[str, Path]:
    """The same pictures in every form."""
    names = ("stored.npz", "deflated.npz", "rows.npy", "first.npy", "named.npz")
    files = {name: folder / name for name in names}
    np.savez(files["stored.npz"], PICTURES, np.arange(40) % 7)
    np.savez_compressed(files["deflated.npz"], PICTURES, np.arange(40) % 7)
    np.save(files["rows.npy"], PICTURES)
    np.save(files["first.npy"], np.ascontiguousarray(PICTURES.transpose(0, 3, 1, 2)))
    np.savez(
        files["named.npz"], images=PICTURES, y=np.array(["a", "b"] * 20), masks=PICTURES[..., 0]
    )
    return files


def test_arrays_give_what_their_pictures_give(tmp_path: Path) -> None:
    expected = PICTURES.reshape(40, -1) / np.float32(255)
    for name, file in saved(tmp_path).items():
        found = embedded(file, *(["--key", "images"] if name == "named.npz" else []))
        np.testing.assert_array_equal(found.values, expected)
        labels = prviz.read(tmp_path / "x.samples.parquet").labels
        assert labels["row"].tolist() == [str(at) for at in range(40)]
        if name.endswith(".npz"):
            kept = ["a", "b"] * 20 if name == "named.npz" else [str(at % 7) for at in range(40)]
            assert labels["label"].tolist() == kept
    np.save(tmp_path / "grey.npy", PICTURES[..., 0])
    np.testing.assert_array_equal(
        embedded(tmp_path / "grey.npy").values[:, ::3],
        PICTURES[..., 0].reshape(40, -1) / np.float32(255),
    )
    deep = RNG.integers(0, 4096, (9, 8, 8)).astype(">u2")
    deep[0, 0, 0] = 4095
    np.save(tmp_path / "deep.npy", deep)
    np.testing.assert_allclose(
        embedded(tmp_path / "deep.npy").values[:, ::3], deep.reshape(9, -1) / 4095, rtol=1e-6
    )


def test_arrays_are_read_picture_by_picture_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "PART", 32)
    for name, file in saved(tmp_path).items():
        source = open_source(file, key="images" if name == "named.npz" else None)
        out = tmp_path / "x.safetensors"

        class Stop(Exception):
            pass

        def stop(share: float) -> None:
            if share > 0.7:
                raise Stop

        with pytest.raises(Stop):
            run.embed(source, load_encoder("pixels:8"), out, progress=stop)
        damaged = next((tmp_path / ".x.safetensors.parts").glob("*.npz"))
        damaged.unlink()  # so that it begins anew and goes on
        run.embed(source, load_encoder("pixels:8"), out)
        np.testing.assert_array_equal(
            prviz.read(out).values, PICTURES.reshape(40, -1) / np.float32(255)
        )
        sizes = [len(source.get(item).tobytes()) for item in source.items[:3]]
        assert sizes == [8 * 8 * 3] * 3


def test_what_is_no_array_of_pictures_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*options: str, **arrays: np.ndarray) -> str:
        np.savez(tmp_path / "a.npz", **arrays)
        line = [
            "embed",
            str(tmp_path / "a.npz"),
            "-o",
            str(tmp_path / "x.safetensors"),
            "--encoder",
            "pixels:8",
        ]
        assert main([*line, *options]) == 2
        return capsys.readouterr().err

    assert "prviz curve and triage take the file as it is" in refused(
        a=np.zeros((40, 8), np.float32)
    )
    assert "several arrays may be pictures, 'a', 'b'; choose one with --key" in refused(
        a=PICTURES, b=PICTURES
    )
    assert "has no array 'c'; it has 'a', 'b'" in refused("--key", "c", a=PICTURES, b=PICTURES)
    assert "(values * 255).round().astype('uint8')" in refused(a=PICTURES / np.float32(255))
    assert "saved column by column; save np.ascontiguousarray(values)" in refused(
        a=np.asfortranarray(PICTURES)
    )
    assert "of shape (40, 8, 8, 5)" in refused(a=np.zeros((40, 8, 8, 5), np.uint8))


@pytest.mark.exhaustive
def test_damaged_arrays_are_named_row_by_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deflated.npz"
    np.savez_compressed(
        file, np.tile(PICTURES, (50, 1, 1, 1)) + RNG.integers(0, 9, (2000, 8, 8, 3), dtype=np.uint8)
    )
    data = bytearray(file.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 400] = bytes(400)
    file.write_bytes(data)
    line = ["embed", str(file), "-o", str(tmp_path / "x.safetensors"), "--encoder", "pixels:8"]
    assert main(line) == 2
    assert "of 2000 can't be embedded" in capsys.readouterr().err
    np.save(tmp_path / "cut.npy", PICTURES)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-50])
    line[1] = str(tmp_path / "cut.npy")
    assert main(line) == 2
    assert "truncated or corrupt" in capsys.readouterr().err


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for at in range(3):
        folder_of(
            tmp_path / "models" / f"m{at}", RNG.integers(0, 256, (40, 8, 8, 3), dtype=np.uint8)
        )
    np.savez(tmp_path / "models" / "z.npz", PICTURES)
    Image.fromarray(PICTURES[0]).save(tmp_path / "models" / "grid.png")
    folder_of(tmp_path / "real", RNG.integers(0, 256, (40, 8, 8, 3), dtype=np.uint8))
    return tmp_path / "models"


@pytest.mark.exhaustive
def test_each_makes_a_file_of_every_sub_folder(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = models.with_name("out")
    line = ["embed", str(models), "-o", str(out), "--encoder", "pixels:4", "--each"]
    assert main(line) == 0
    said = capsys.readouterr().out
    assert said.count("wrote ") == 4
    assert "Note: 1 picture directly in models, left out" in said
    names = ["m0", "m1", "m2", "z"]
    assert sorted(file.stem for file in out.glob("*.safetensors")) == names
    for name in names:
        source = models / (f"{name}.npz" if name == "z" else name)
        alone = models.with_name("alone.safetensors")
        assert main(["embed", str(source), "-o", str(alone), "--encoder", "pixels:4"]) == 0
        assert alone.read_bytes() == (out / f"{name}.safetensors").read_bytes()
    capsys.readouterr()
    # Again: only what has changed.
    Image.fromarray(PICTURES[0]).save(models / "m1" / "new.png")
    (out / "m2.safetensors").write_bytes(b"damaged")
    assert main(line) == 0
    said = capsys.readouterr().out
    assert [row.split()[0] for row in said.splitlines()[:4]] == ["kept", "wrote", "wrote", "kept"]
    assert prviz.read(out / "m1.safetensors").n == 41


@pytest.mark.exhaustive
def test_without_each_many_sub_folders_are_remarked(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = models.with_name("all.safetensors")
    assert main(["embed", str(models), "-o", str(out), "--encoder", "pixels:4"]) == 0
    said = capsys.readouterr().out
    assert "Note: its 3 sub-folders (m0, m1, ...) are one set, with their names as labels" in said
    assert "--each makes one file of each" in said
    assert main(["embed", str(models / "m0"), "-o", str(out), "--encoder", "pixels:4"]) == 0


def test_what_each_can_not_do_is_said(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["embed", str(models), "--each", "-o"]
    assert main([*line, str(models.with_name("x.safetensors")), "--encoder", "pixels:4"]) == 2
    assert "a folder is needed" in capsys.readouterr().err
    assert main([*line, str(models.with_name("out")), "--encoder", "pca:3"]) == 2
    assert "--weights REFERENCE.safetensors" in capsys.readouterr().err
    (models / "z").mkdir()
    Image.fromarray(PICTURES[0]).save(models / "z" / "0.png")
    assert main([*line, str(models.with_name("out")), "--encoder", "pixels:4"]) == 2
    assert "several sets are called 'z'" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_triage_embeds_on_the_way_and_keeps_the_files(
    models: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    np.savez(models / "z.npz", np.repeat(np.repeat(PICTURES, 4, axis=1), 4, axis=2))
    report = tmp_path / "report.json"
    line = [
        "triage",
        "real",
        "models",
        "--encoder",
        "pixels:4",
        "--method",
        "knn",
        "--report",
        str(report),
    ]
    assert main(line) == 0
    said = capsys.readouterr().err
    assert said.count("wrote models-pixels-4/") == 5
    assert "shorter sides of 8 pixels in the reference, of 32 in 'z'" in said
    first = json.loads(report.read_text())
    assert [each["name"] for each in first["checkpoints"]] == ["m0", "m1", "m2", "z"]
    assert main(["triage", "--rerun", str(report)]) == 0
    assert main(line) == 0
    assert capsys.readouterr().err.count("kept ") >= 5
    # The same as in two steps.
    assert main(["embed", "real", "-o", "real.safetensors", "--encoder", "pixels:4"]) == 0
    assert main(["embed", "models", "-o", "features", "--encoder", "pixels:4", "--each"]) == 0
    assert (
        main(["triage", "real.safetensors", "features", "--method", "knn", "--report", str(report)])
        == 0
    )
    second = json.loads(report.read_text())
    scores = [[each["families"] for each in found["checkpoints"]] for found in (first, second)]
    assert scores[0] == scores[1]


def test_triage_of_pictures_without_an_encoder_and_of_features_with_one(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["triage", str(models.with_name("real")), str(models)]) == 2
    assert "--encoder pixels:32" in capsys.readouterr().err
    features = models.with_name("features.npy")
    np.save(features, RNG.normal(size=(40, 3)))
    assert main(["triage", str(features), str(features), "--encoder", "pixels:4"]) == 2
    assert "neither REFERENCE nor CHECKPOINTS are pictures" in capsys.readouterr().err
    assert main(["triage", str(features), str(models), "--encoder", "pixels:4", "--watch"]) == 2
    assert "--watch and --encoder" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_sub_folders_called_as_those_of_the_reference_are_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    for name in ("real", "generated"):
        folder_of(tmp_path / name, RNG.integers(0, 256, (40, 8, 8, 3), dtype=np.uint8))
    line = [
        "triage",
        str(tmp_path / "real"),
        str(tmp_path / "generated"),
        "--encoder",
        "pca:3",
        "--method",
        "knn",
    ]
    assert main([*line, "--keep", str(tmp_path / "kept")]) == 0
    assert "generated is one set" in capsys.readouterr().err
    files = [
        tmp_path / "kept" / "reference" / "real.safetensors",
        tmp_path / "kept" / "generated.safetensors",
    ]
    real, generated = map(prviz.read, files)
    assert real.encoder["weights_sha256"] == generated.encoder["weights_sha256"]
