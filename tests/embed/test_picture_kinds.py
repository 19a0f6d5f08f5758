"""Pictures of 16 bits, of other numbers of bands, and of very different sizes."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.embed.pictures import decoded, largest_value
from prviz.readers.media.looks import MediaError
from tests.embed.test_embed import folder_of

RNG = np.random.default_rng(0)


def png16(values: np.ndarray) -> bytes:
    """A PNG of 16 bits: Pillow writes only grey ones."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    height, width, bands = values.shape
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[bands]
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    header = struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def tiff(
    values: np.ndarray, photometric: int, extra: int = 0, order: str = "<", *, big: bool = False
) -> bytes:
    """A TIFF in one strip, of any number of bands; those beyond the colours are of the kind
    ``extra``.

    big : True for a BigTIFF, whose places and numbers have eight bytes.
    """
    height, width, bands = values.shape
    data = values.astype(values.dtype.newbyteorder(order)).tobytes()
    more = bands - (3 if photometric == 2 else 1)
    begun, wide, number, several = (16, 8, "Q", "Q") if big else (8, 4, "I", "H")
    tags = [
        (256, 3, [width]),
        (257, 3, [height]),
        (258, 3, [8 * values.itemsize] * bands),
        (259, 3, [1]),
    ]
    tags += [
        (262, 3, [photometric]),
        (273, 4, [begun]),
        (277, 3, [bands]),
        (278, 3, [height]),
        (279, 4, [len(data)]),
    ]
    tags += [(284, 3, [1])] + ([(338, 3, [extra] * more)] if more else [])
    at = begun + len(data)
    body = b""
    behind = b""
    entries_end = at + struct.calcsize(several) + (4 + 2 * wide) * len(tags) + wide
    for tag, kind, entries in tags:
        blob = struct.pack(order + {3: "H", 4: "I"}[kind] * len(entries), *entries)
        body += struct.pack(order + "HH" + number, tag, kind, len(entries))
        if len(blob) > wide:
            body += struct.pack(order + number, entries_end + len(behind))
            behind += blob
        else:
            body += blob.ljust(wide, b"\0")
    sign = struct.pack(order + "HHH", 43, 8, 0) if big else struct.pack(order + "H", 42)
    head = (b"II" if order == "<" else b"MM") + sign + struct.pack(order + number, at)
    return head + data + struct.pack(order + several, len(tags)) + body + bytes(wide) + behind


def values_of(folder: Path, *options: str) -> np.ndarray:
    out = folder.with_name("x.safetensors")
    assert main(["embed", str(folder), "-o", str(out), "--encoder", "pixels:8", *options]) == 0
    return prviz.read(out).values


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "kind", ["grey png", "rgb png", "rgba png", "grey tiff", "rgb tiff", "rgb tiff, big end"]
)
def test_twelve_bits_in_sixteen_keep_all_their_levels(tmp_path: Path, kind: str) -> None:
    bands = {"grey": 1, "rgb": 3, "rgba": 4}[kind.split()[0]]
    values = RNG.integers(0, 4096, (12, 8, 8, bands)).astype(np.uint16)
    values[0, 0, 0] = 4095
    (tmp_path / "ct").mkdir()
    for at, each in enumerate(values):
        if bands == 4:
            each[..., 3] = 65535
        if "png" in kind:
            (tmp_path / "ct" / f"{at:02}.png").write_bytes(png16(each))
        else:
            data = tiff(each, 2 if bands == 3 else 1, order=">" if "big" in kind else "<")
            (tmp_path / "ct" / f"{at:02}.tif").write_bytes(data)
    found = values_of(tmp_path / "ct")
    colours = np.repeat(values, 3, axis=-1) if bands == 1 else values[..., :3]
    np.testing.assert_allclose(found, colours.reshape(12, -1) / 4095, rtol=1e-6)


@pytest.mark.exhaustive
def test_the_bits_of_two_sets_are_a_part_of_their_transform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, most in (("real", 4095), ("generated", 2000)):
        (tmp_path / name).mkdir()
        for at, values in enumerate(RNG.integers(0, most + 1, (40, 8, 8)).astype(np.uint16)):
            values[0, 0] = most
            Image.fromarray(values).save(tmp_path / name / f"{at:02}.png")
        out = tmp_path / f"{name}.safetensors"
        assert main(["embed", str(tmp_path / name), "-o", str(out), "--encoder", "pixels:8"]) == 0
    said = capsys.readouterr().out
    assert "Note: 16-bit values are taken as 12 bits, from 0 to 4,095" in said
    assert "taken as 11 bits" in said
    files = [str(tmp_path / f"{name}.safetensors") for name in ("real", "generated")]
    assert main(["curve", *files, "--method", "knn"]) == 0
    said = capsys.readouterr().err
    assert "prviz: warning: Encoder: transform: " in said
    assert "Two encoders" in said
    # The remedy: the same bits for both.
    line = ["embed", str(tmp_path / "generated"), "-o", files[1], "--encoder", "pixels:8", "--bits"]
    assert main([*line, "12"]) == 0
    assert main(["curve", *files, "--method", "knn"]) == 0
    assert "Two encoders" not in capsys.readouterr().err
    assert prviz.read(files[1]).values.max() == np.float32(2000 * 255 / 4095) / np.float32(255)
    assert main([*line, "10"]) == 2
    assert "a value of 2000, more than 10 bits hold; state --bits 11" in capsys.readouterr().err


def test_pictures_of_eight_bits_beside_those_of_sixteen_stay_as_they_are(tmp_path: Path) -> None:
    eight = RNG.integers(0, 256, (8, 8, 3), dtype=np.uint8)
    (tmp_path / "p").mkdir()
    Image.fromarray(eight).save(tmp_path / "p" / "0.png")
    for name in ("1.png", "2.png"):
        (tmp_path / "p" / name).write_bytes(
            png16(RNG.integers(0, 4096, (8, 8, 1)).astype(np.uint16))
        )
    found = values_of(tmp_path / "p")
    np.testing.assert_array_equal(found[0], eight.ravel() / np.float32(255))


def test_sixteen_bits_upright_and_over_white() -> None:
    values = RNG.integers(0, 65536, (4, 6, 2)).astype(np.uint16)
    band, *others = decoded(png16(values), 16).bands
    alpha = values[..., 1] / 65535
    expected = values[..., 0] / 257 * alpha + 255 * (1 - alpha)
    np.testing.assert_allclose(np.asarray(band), expected, rtol=1e-5)
    assert len(others) == 2
    assert largest_value(png16(values)) == values[..., 0].max()
    assert largest_value(png16(values)[:60]) is None


def test_negative_values_are_no_picture() -> None:
    data = tiff(np.full((4, 4, 1), -1000, np.int16), 1)
    signed = data.replace(
        struct.pack("<HHIHH", 284, 3, 1, 1, 0), struct.pack("<HHIHH", 339, 3, 1, 2, 0)
    )
    with pytest.raises(MediaError, match="values from -1000; save them shifted"):
        decoded(signed)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(("bands", "photometric"), [(2, 1), (4, 1), (13, 1), (5, 2)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_bands_that_are_no_colours_are_counted_never_called_broken(
    bands: int, photometric: int, dtype: type, order: str
) -> None:
    data = tiff(RNG.integers(0, 200, (8, 8, bands)).astype(dtype), photometric, order=order)
    bits = 8 * np.dtype(dtype).itemsize
    if bits == 8 and bands in (2, 5):  # Pillow leaves these bands out
        assert decoded(data).left_out == bands - (3 if photometric == 2 else 1)
        return
    with pytest.raises(
        MediaError, match=rf"{bands} bands of {bits} bits; one band \(grey\) or three"
    ):
        decoded(data)
    with pytest.raises(MediaError, match="a broken TIFF picture"):
        decoded(data[:-40])


def test_alpha_and_bands_left_out_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p").mkdir()
    for at in range(9):
        values = RNG.integers(0, 256, (8, 8, 4), dtype=np.uint8)
        values[..., 3] = 255 if at >= 7 else 40  # two of the three with alpha are opaque
        data = tiff(values, 2, extra=0 if at < 6 else 2)
        (tmp_path / "p" / f"{at}.tif").write_bytes(data)
    values_of(tmp_path / "p")
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Note")]
    assert notes == [
        "Note: of 9 pictures 1 with transparency (an alpha band), put over white; 6 with a band"
        " beyond grey, or red, green and blue, left out"
    ]


def test_pages_are_not_called_an_animation(tmp_path: Path) -> None:
    pages = [Image.fromarray(each) for each in RNG.integers(0, 256, (3, 8, 8), dtype=np.uint8)]
    pages[0].save(tmp_path / "x.tif", save_all=True, append_images=pages[1:])
    with pytest.raises(MediaError, match="3 pages; save one picture a file"):
        decoded((tmp_path / "x.tif").read_bytes())


def test_very_different_sizes_are_remarked_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "p", RNG.integers(0, 256, (4, 8, 8, 3), dtype=np.uint8))
    values_of(folder)
    assert "Note" not in capsys.readouterr().out
    Image.new("RGB", (32, 16)).save(folder / "large.png")
    values_of(folder)
    assert (
        "Note: pictures of very different sizes: shorter sides from 8 to 16 pixels"
        in capsys.readouterr().out
    )
    assert prviz.read(tmp_path / "x.safetensors").encoder["sides"] == "8 to 16, median 8"


def test_two_sets_of_very_different_sizes_are_remarked_wherever_they_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for name, side in (("real", 32), ("generated", 8)):
        source = folder_of(
            tmp_path / name, RNG.integers(0, 256, (40, side, side, 3), dtype=np.uint8)
        )
        files.append(str(tmp_path / f"{name}.safetensors"))
        assert main(["embed", str(source), "-o", files[-1], "--encoder", "pixels:4"]) == 0
    pair = prviz.SamplePair(*map(prviz.read, files))
    (found,) = [each for each in prviz.preflight(pair).findings if each.title == "Picture sizes"]
    assert (found.level, found.value_text) == ("warning", "sides of 32 pixels real, 8 generated")
    same = prviz.SamplePair(pair.real, pair.real.take(np.arange(20)))
    assert "Picture sizes" not in {each.title for each in prviz.preflight(same).findings}


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("<", r"^6 bands of 16 bits; one band"),
        (">", r"^a BigTIFF of another byte order, which Pillow can't read"),
    ],
)
def test_bands_of_a_big_tiff_are_counted_or_it_is_called_what_it_is(
    order: str, message: str
) -> None:
    data = tiff(RNG.integers(0, 200, (8, 8, 6)).astype(np.uint16), 1, order=order, big=True)
    with pytest.raises(MediaError, match=message):
        decoded(data)
