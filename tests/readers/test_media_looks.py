"""Small pictures of samples, and what tables say of how a sample looks."""

from __future__ import annotations

import base64
import io
import os
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from prviz import read
from prviz.readers.media import (
    SIDE,
    FolderPictures,
    MediaError,
    MissingPictureError,
    count_found,
    find_picture,
    look,
    picture_column,
    thumbnail,
)
from prviz.samples import Samples
from tests.file_builders import feather, numbers, parquet
from tests.picture_builders import RED, claiming_png, picture, zipped


def decoded(uri: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))


# ---- small pictures ----


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WebP", "BMP"])
@pytest.mark.parametrize("size", [(7, 5), (640, 320), (100, 900)])
def test_every_format_becomes_a_small_picture_of_the_same_shape_and_colour(
    kind: str, size: tuple[int, int]
) -> None:
    small = decoded(thumbnail(picture(kind, size)))
    scale = min(1, SIDE / max(size))
    assert small.size == tuple(round(scale * each) for each in size)
    assert np.allclose(np.asarray(small.convert("RGB")), RED, atol=8)
    assert small.format == ("PNG" if scale == 1 else "JPEG")


def test_modes() -> None:
    half = decoded(thumbnail(picture(size=(300, 300), mode="RGBA", color=(*RED, 128))))
    assert np.allclose(half.getpixel((5, 5)), (*RED, 128), atol=1)
    deep = Image.fromarray(np.full((4, 4), 40_000, np.uint16))
    stream = io.BytesIO()
    deep.save(stream, "PNG")
    assert decoded(thumbnail(stream.getvalue())).convert("L").getpixel((0, 0)) == 40_000 // 256
    turned = Image.Exif()
    turned[0x0112] = 6
    assert decoded(thumbnail(picture("JPEG", (300, 100), exif=turned))).size == (43, 128)


def test_nothing_but_pixels_stays() -> None:
    uri = thumbnail(picture("PNG", (10, 10), icc_profile=os.urandom(200_000)))
    assert len(uri) < 1000
    exif = Image.Exif()
    exif[0x010E] = "where I live"
    assert b"where I live" not in base64.b64decode(
        thumbnail(picture("JPEG", (300, 200), exif=exif)).partition(",")[2]
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no picture that can be shown (PNG, JPEG, GIF, WebP, BMP)"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture that can be shown"),
        (b"%PDF-1.7", "no picture that can be shown"),
        (b"II*\0" + bytes(100), "no picture that can be shown"),
        (picture()[:60], "a broken PNG picture"),
        (picture("JPEG", (300, 300))[:400], "a broken JPEG picture"),
        (b"GIF89a", "a broken GIF picture"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a broken WebP picture"),
        (b"BM" + bytes(60), "a broken BMP picture"),
        (claiming_png(10_000, 6_000) + bytes(10**6), "more than 50,000,000 pixels"),
        (claiming_png(30_000, 30_000) + bytes(10**6), "more than 50,000,000 pixels"),
        (claiming_png(2**31 - 1, 2**31 - 1), "more than 16,777,216 pixels"),
        (claiming_png(5_000, 5_000), "more than 16,777,216 pixels from 74 bytes"),
        (claiming_png(5_000, 5_000) + bytes(250_000), "a broken PNG picture"),
        (claiming_png(4_000, 4_000), "a broken PNG picture"),
    ],
)
def test_what_is_no_picture_says_so(data: bytes, message: str) -> None:
    with pytest.raises(MediaError) as refused:
        thumbnail(data)
    assert message in str(refused.value)


def test_a_progressive_picture_has_few_scans() -> None:
    """Decoding 300 scans of 16 million pixels, from a file of 10 kB, takes 11 seconds."""
    data = picture("JPEG", (64, 64), progressive=True)
    start = data.rindex(b"\xff\xda")
    assert decoded(thumbnail(data)).size == (64, 64)
    assert decoded(thumbnail(data[:-2] + 20 * data[start:-2] + data[-2:])).size == (64, 64)
    with pytest.raises(MediaError, match="more than 50 scans"):
        thumbnail(data[:-2] + 50 * data[start:-2] + data[-2:])


def test_a_bomb_is_refused_without_a_word_on_stderr() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(MediaError, match="more than"):
            thumbnail(claiming_png(10_000, 10_000))
    assert not told


def test_damaged_pictures_are_shown_or_refused_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    noise = Image.fromarray(rng.integers(0, 256, (60, 50, 3), dtype=np.uint8))
    outcomes = set()
    for kind in ("PNG", "JPEG", "GIF", "WebP", "BMP"):
        stream = io.BytesIO()
        noise.save(stream, kind)
        whole = np.frombuffer(stream.getvalue(), np.uint8)
        for _ in range(60):
            damaged = whole.copy()
            damaged[rng.integers(8, min(len(whole), 400), 4)] = rng.integers(0, 256, 4)
            try:
                outcomes.add(decoded(thumbnail(damaged.tobytes())).format)
            except MediaError:
                outcomes.add(None)
    assert outcomes >= {None, "PNG"}


# ---- samples ----


def test_looks_come_from_image_else_path_and_text() -> None:
    values = np.zeros((2, 1))
    labels = {
        "Text": np.array(["a", " b "]),
        "path": np.array(["p0", "p1"]),
        "id": np.array([1, 2]),
    }
    assert picture_column(Samples(values, labels=labels)) == "path"
    seen = look(Samples(values, labels=labels | {"Image": np.array([7, 8])}), 1)
    assert (seen.name, seen.text, seen.image) == ("8", "b", None)
    images = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
    seen = look(Samples(values, images=images), 1)
    assert (seen.name, seen.text, seen.image.tolist()) == ("", "", [[4, 5], [6, 7]])
    assert picture_column(Samples(values)) is None


def test_sources_are_asked_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    for name in ("img/1.png", "img/2.png", "3.png"):
        (tmp_path / name).write_bytes(b"from the folder")
    first = zipped("img/1.png", "a/3.png", "b/3.png")
    second = FolderPictures(tmp_path, title="data")
    assert find_picture("img/1.png", [first, second]) == b"img/1.png"
    assert find_picture("img/2.png", [first, second]) == b"from the folder"
    with pytest.raises(
        MissingPictureError, match=r"'img/4\.png': not in 'pictures\.zip' or 'data'"
    ):
        find_picture("img/4.png", [first, second])
    with pytest.raises(MediaError, match="2 files of this name"):
        find_picture("3.png", [first, second])


def test_found_names_are_counted_and_the_first_missing_one_is_named() -> None:
    names = ["img/0.png", "", "elsewhere/1.png", "img/2.png", "img/3.png"]
    samples = Samples(np.zeros((5, 1)), labels={"image": np.array(names)})
    found = count_found(samples, [zipped("img/0.png", "img/1.png", "img/other.txt")])
    assert (found.rows, found.named, found.found, found.loosely) == (5, 4, 2, 1)
    assert found.first == (3, "img/2.png", "")
    twice = count_found(samples, [zipped("a/img/2.png", "b/img/2.png", "0.png", "1.png", "3.png")])
    assert (twice.found, twice.loosely) == (3, 0)
    assert twice.first[:2] == (3, "img/2.png")
    assert "2 files of this name" in twice.first[2]
    assert count_found(samples, [zipped("x")], most=2).rows == 2
    assert count_found(Samples(np.zeros((5, 1))), []) is None


LONG = "ein Wort, " * 20_000


def _tables() -> dict[str, bytes]:
    names = [f"{'deep/' * 40}{i}.png" for i in range(24)]
    texts = [LONG, *["short"] * 23]
    rows = [
        f'{name},"{text}",{i}.5' for i, (name, text) in enumerate(zip(names, texts, strict=True))
    ]
    delimited = "image,text,f\n" + "\n".join(rows)
    columns = {"image": pa.array(names), "text": pa.array(texts), **numbers(pa.float32())}
    views = columns | {"text": pa.array(texts, pa.string_view())}
    encoded = columns | {"text": pa.array(texts).dictionary_encode()}
    return {
        "a.csv": delimited.encode(),
        "a.tsv": delimited.replace(",", "\t").replace("Wort\t", "Wort,").encode(),
        "a.parquet": parquet(columns),
        "a.feather": feather(columns),
        "views.feather": feather(views),
        "dictionary.feather": feather(encoded, compression="uncompressed"),
        "dictionary.parquet": parquet(encoded),
    }


@pytest.mark.parametrize(("name", "data"), _tables().items(), ids=_tables())
def test_long_names_and_texts_arrive_whole_from_every_kind_of_table(name: str, data: bytes) -> None:
    samples = read((name, data))
    assert look(samples, 23).name == "deep/" * 40 + "23.png"
    assert look(samples, 0).text == LONG.strip()
    assert look(samples, 1).text == "short"


def test_a_text_that_every_row_repeats_is_held_once() -> None:
    rows = 50_000
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([LONG]))
    samples = read(("many.parquet", parquet({"text": texts, "f": pa.array(np.arange(rows) / 2)})))
    column = samples.labels["text"]
    assert len({id(text) for text in column}) == 1
    assert column[-1] == LONG
