"""Runs that end in the middle, and many pictures of which some are broken."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.embed.registered import load_encoder
from prviz.embed.run import PART, embed
from prviz.embed.sources import open_source
from tests.browser import ROOT
from tests.embed.test_embed import folder_of
from tests.waiting import until


def drawn(n: int, side: int = 32) -> np.ndarray:
    return np.random.default_rng(2).integers(0, 256, (n, side, side, 3), dtype=np.uint8)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    pictures = folder_of(tmp_path / "many", drawn(3 * PART))
    out = tmp_path / "x.safetensors"
    line = [
        sys.executable,
        "-m",
        "prviz",
        "embed",
        str(pictures),
        "-o",
        str(out),
        "--encoder",
        "random:1",
    ]
    process = psutil.Popen(
        line, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL
    )
    kept = tmp_path / ".x.safetensors.parts"
    until(lambda: any(kept.glob("*.npz")), 60)
    process.suspend()  # so that it starts no other process meanwhile
    workers = process.children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    _, alive = psutil.wait_procs(workers, 60)
    assert alive == []
    assert not out.exists()
    begun = sorted(kept.glob("*.npz"))
    assert 0 < len(begun) < 3
    damaged = begun[0]
    damaged.write_bytes(damaged.read_bytes()[:-99] + bytes(99))
    shares: list[float] = []
    embed(open_source(pictures), load_encoder("random:1"), out, progress=shares.append)
    assert min(shares) > (len(begun) - 1) / 3  # one was damaged
    assert not kept.exists()
    whole = tmp_path / "whole.safetensors"
    embed(open_source(pictures), load_encoder("random:1"), whole)
    assert out.read_bytes() == whole.read_bytes()
    tables = [path.with_name(f"{path.stem}.samples.parquet").read_bytes() for path in (out, whole)]
    assert tables[0] == tables[1]


def broken(n: int) -> Iterator[bytes]:
    """Pictures cut, with bytes changed, of another kind, and too large."""
    rng = np.random.default_rng(3)
    for place in range(n):
        stream = io.BytesIO()
        kind = ("PNG", "JPEG", "WEBP", "BMP", "TIFF")[place % 5]
        Image.fromarray(rng.integers(0, 256, (9, 11, 3), dtype=np.uint8)).save(stream, kind)
        data = bytearray(stream.getvalue())
        match place // 5 % 4:
            case 0:
                data = data[: int(rng.integers(0, len(data) // 2))]
            case 1:
                data[:8] = rng.bytes(8)
            case 2:
                data = bytearray(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
            case 3:
                at = rng.integers(4, len(data), 40)
                data[:] = [
                    rng.integers(256) if place in at else value for place, value in enumerate(data)
                ]
        yield bytes(data)


@pytest.mark.parametrize("n", [60, pytest.param(2000, marks=pytest.mark.exhaustive)])
def test_broken_pictures_are_read_or_named(
    tmp_path: Path, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = folder_of(tmp_path / "some", drawn(5, 9))
    out = tmp_path / "x.safetensors"
    for place, data in enumerate(broken(n)):
        (
            pictures / f"broken-{place:04}.{('png', 'jpg', 'webp', 'bmp', 'tif')[place % 5]}"
        ).write_bytes(data)
    line = ["embed", str(pictures), "-o", str(out), "--encoder", "pixels:4"]
    assert main(line) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 12
    assert "--skip-bad leaves them out" in error
    assert main([*line, "--skip-bad"]) == 0
    left_out = int(capsys.readouterr().out.partition(" by pixels:4, ")[2].partition(" ")[0])
    assert 3 * n // 4 <= left_out <= n  # changed bytes may still be a picture
    assert prviz.read(out).n == n + 5 - left_out


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "kind", ["rotated", "alpha", "16 bit", "cmyk", "palette", "animated", "float", "bomb"]
)
def test_unusual_pictures(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    pixels = drawn(1, 8)[0]
    file = tmp_path / "p" / "x.png"
    file.parent.mkdir()
    image = Image.fromarray(pixels)
    options = {}
    if kind == "rotated":
        options["exif"] = Image.Exif()
        options["exif"][0x0112] = 6  # the camera was turned: upright after a quarter to the right
        pixels = np.rot90(pixels, -1)
    elif kind == "alpha":
        image.putalpha(0)
        pixels = np.full_like(pixels, 255)
    elif kind == "16 bit":
        grey = pixels[..., 0]
        image = Image.fromarray(grey.astype(np.uint16) * 257)
        pixels = np.repeat(grey[..., None], 3, axis=2)
    elif kind == "cmyk":
        file = file.with_suffix(".tif")
        image = image.convert("CMYK")
        pixels = np.asarray(image.convert("RGB"))
    elif kind == "palette":
        image = image.quantize(256)
        pixels = np.asarray(image.convert("RGB"))
    elif kind == "animated":
        options |= {"save_all": True, "append_images": [Image.fromarray(255 - pixels)]}
    elif kind == "float":
        file = file.with_suffix(".tif")
        image = Image.fromarray(pixels[..., 0].astype(np.float32))
    elif kind == "bomb":
        image = Image.new("1", (20_000, 20_000))
    image.save(file, **options)
    out = tmp_path / "x.safetensors"
    code = main(["embed", str(file.parent), "-o", str(out), "--encoder", "pixels:8"])
    refusals = {
        "animated": "animated (2 frames)",
        "float": "32 bits a value",
        "bomb": "pixels from",
    }
    if kind in refusals:
        assert (code, refusals[kind] in capsys.readouterr().err) == (2, True)
    else:
        assert code == 0
        values = np.fromfile(out, "<f4")[-pixels.size :]  # too few samples for `prviz.read`
        np.testing.assert_array_equal(values, pixels.ravel() / np.float32(255))
