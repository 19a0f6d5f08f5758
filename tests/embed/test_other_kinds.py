"""Sources that are not quite as they should be: read as they were meant, or refused with what
converts them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from prviz.embed.sources import open_source

TEXTS = [f"sentence {place}; of cats, and dogs" for place in range(6)]
PICTURES = np.random.default_rng(0).integers(0, 256, (6, 9, 8, 3), dtype=np.uint8)


def texts_of(path: Path) -> list[str]:
    return [item.text for item in open_source(path).items]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_lines_of_every_system_are_the_same_texts(end: str, encoding: str, tmp_path: Path) -> None:
    for behind in ("", end, end * 3):
        (tmp_path / "t.txt").write_bytes((end.join(TEXTS) + behind).encode(encoding))
        assert texts_of(tmp_path / "t.txt") == TEXTS


@pytest.mark.parametrize(
    ("ending", "options"),
    [
        ("csv", {}),
        ("csv", {"sep": ";"}),
        ("tsv", {"sep": "\t"}),
        ("csv", {"sep": "\t", "encoding": "utf-16"}),
    ],
)
@pytest.mark.parametrize("columns", [["text"], ["id", "text"]])
def test_tables_of_texts_are_read_however_they_are_written(
    ending: str, options: dict[str, str], columns: list[str], tmp_path: Path
) -> None:
    table = pd.DataFrame({"id": range(6), "text": TEXTS})[columns]
    table.to_csv(tmp_path / f"t.{ending}", index=False, **options)  # type: ignore[call-overload]
    assert texts_of(tmp_path / f"t.{ending}") == TEXTS


def test_lines_of_json_hold_texts(tmp_path: Path) -> None:
    pd.DataFrame({"text": TEXTS, "label": 1}).to_json(
        tmp_path / "t.jsonl", orient="records", lines=True
    )
    assert texts_of(tmp_path / "t.jsonl") == TEXTS


def run_recipe(path: Path) -> None:
    with pytest.raises(ValueError, match="which are not read as they are") as caught:
        open_source(path)
    sentence, recipe = str(caught.value).split("\n", 1)
    assert sentence.endswith(":")
    subprocess.run([sys.executable, "-W", "ignore", "-c", recipe], check=True)


@pytest.mark.parametrize("ending", ["ppm", "tga", "gif"])
def test_pictures_of_other_kinds_are_refused_with_the_lines_that_convert_them(
    ending: str, tmp_path: Path
) -> None:
    pictures = PICTURES // 128 * 255
    for place, picture in enumerate(pictures):
        (tmp_path / "p" / str(place % 2)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(tmp_path / "p" / str(place % 2) / f"{place}.{ending}")
    run_recipe(tmp_path / "p")
    source = open_source(tmp_path / "p")
    assert len(source.items) == 6
    assert source.notes == (f"left out, as kinds that are not read: 6 .{ending}",)
    with Image.open(tmp_path / "p" / "0" / f"0.{ending}.png") as image:
        assert ending == "gif" or (np.asarray(image) == pictures[0]).all()


@pytest.mark.exhaustive
def test_a_text_a_file_is_refused_with_the_lines_that_make_a_table(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    for place, text in enumerate(TEXTS):
        (tmp_path / "t" / f"{place}.txt").write_text(f"{text}\nand a second line")
    run_recipe(tmp_path / "t")
    assert texts_of(tmp_path / "t.parquet") == [f"{text}\nand a second line" for text in TEXTS]


def test_pictures_that_no_library_here_opens_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.heic").write_bytes(b"x")
    with pytest.raises(
        ValueError, match=r"1 .heic files, which are not read as they are; save the pictures as PNG"
    ):
        open_source(tmp_path)


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        (PICTURES[0], "np.expand_dims(values, 0)"),
        (PICTURES[None], "values.reshape(-1, *values.shape[2:])"),
        (PICTURES.astype(np.int64), "values.astype('uint8')"),
        (PICTURES > 100, "values.astype('uint8') * 255"),
        (PICTURES.astype("f4"), "values.round().astype('uint8')"),
    ],
)
def test_arrays_of_another_shape_or_kind_say_how_to_save_them(
    values: np.ndarray, advice: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "a.npy", values)
    with pytest.raises(ValueError, match="pictures as an array") as caught:
        open_source(tmp_path / "a.npy")
    assert advice in str(caught.value)
    np.save(tmp_path / "a.npy", eval(advice, {"values": values, "np": np}))  # noqa: S307 - what the user is told to save
    assert len(open_source(tmp_path / "a.npy").items) == (1 if values.ndim == 3 else 6)
