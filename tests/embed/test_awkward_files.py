"""Files that are no ordinary ones: pipes, links, names, archives, long pictures, a full disk, two
runs at once.
"""

from __future__ import annotations

import io
import os
import stat
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.embed import output
from prviz.embed.registered import load_encoder
from prviz.embed.run import embed
from prviz.embed.sources import open_source
from prviz.readers.atomic_files import locked
from prviz.readers.media import MediaError
from tests.embed.test_embed import folder_of
from tests.picture_builders import packed, picture

RNG = np.random.default_rng(0)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "real", RNG.integers(0, 256, (12, 8, 8, 3), dtype=np.uint8))


@pytest.fixture
def line(pictures: Path, tmp_path: Path) -> list[str]:
    return ["embed", str(pictures), "-o", str(tmp_path / "x.safetensors"), "--encoder", "pixels:4"]


@pytest.mark.parametrize(
    "sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r"]
)
def test_only_line_feeds_end_a_text(tmp_path: Path, sign: str) -> None:
    texts = [f"one{sign}two", "three", "", "four"]
    for end in ("\n", "\r\n"):
        for last in ("", end):
            (tmp_path / "t.txt").write_bytes((end.join(texts) + last).encode())
            assert [item.text for item in open_source(tmp_path / "t.txt").items] == texts


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_named_and_never_waited_for(
    line: list[str], pictures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(pictures / "x.png")
    assert main(line) == 2
    assert "x.png: no regular file" in capsys.readouterr().err
    assert main([*line, "--skip-bad"]) == 0
    assert "12 x 48 by pixels:4, 1 bad left out" in capsys.readouterr().out


def test_a_name_that_is_no_utf8_is_said_before_anything_is_read(
    line: list[str],
    pictures: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try:
        Path(os.fsdecode(os.fsencode(pictures) + b"/bad\xff.png")).write_bytes(picture())
    except OSError:
        pytest.skip("this file system takes no such names")
    with monkeypatch.context() as patch:
        patch.setattr("prviz.embed.run._embed", lambda *_: pytest.fail("it was begun"))
        assert main(line) == 2
    error = capsys.readouterr().err
    assert "1 of 13 can't be embedded" in error
    assert "its name is not in UTF-8; rename it" in error
    assert main([*line, "--skip-bad"]) == 0
    assert "12 x 48 by pixels:4, 1 bad left out" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_long_pictures_are_one_bad_picture_or_take_little_memory(
    line: list[str],
    pictures: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Image.new("L", (16_000_000, 1)).save(pictures / "longest.png")
    Image.new("L", (60_000, 1), 200).save(pictures / "long.png")
    largest = [0]
    resize = Image.Image.resize

    def watched(image: Image.Image, size: tuple[int, int], *options: object) -> Image.Image:
        largest[0] = max(largest[0], size[0] * size[1])
        return resize(image, size, *options)

    monkeypatch.setattr(Image.Image, "resize", watched)
    line[-1] = "pixels:64"
    assert main(line) == 2
    assert "longest.png: 16,000,000 x 1 pixels; a side of at most 65,535" in capsys.readouterr().err
    assert main([*line, "--skip-bad"]) == 0
    assert "13 x 12288 by pixels:64, 1 bad left out" in capsys.readouterr().out
    assert largest[0] <= 4096**2
    table = prviz.read(Path(line[3]).with_name("x.samples.parquet"))
    (row,) = [at for at, path in enumerate(table.labels["path"]) if path.endswith("long.png")]
    np.testing.assert_array_equal(table.values[row], np.float32(200) / np.float32(255))


def test_no_memory_for_a_picture_is_one_bad_picture(pictures: Path, tmp_path: Path) -> None:
    encoder = load_encoder("pixels:4")
    prepare = encoder.prepare
    assert prepare is not None
    taken = [0]

    def failing(picture: object) -> np.ndarray:
        taken[0] += 1
        if taken[0] == 3:
            raise MemoryError
        return np.asarray(prepare(picture))  # type: ignore[arg-type]

    encoder.prepare = failing
    found = embed(open_source(pictures), encoder, tmp_path / "x.safetensors", skip_bad=True)
    assert (found.n, list(found.bad.values())) == (
        11,
        ["not enough memory for it; save it smaller."],
    )


def test_links_to_pictures_are_read_again_when_their_targets_change(
    line: list[str], pictures: Path, tmp_path: Path
) -> None:
    for file in sorted(pictures.rglob("*.png")):
        target = tmp_path / file.name
        file.rename(target)
        file.symlink_to(target)
    (pictures / "broken.png").write_bytes(b"nothing")
    assert main(line) == 2  # keeps its parts
    for at, target in enumerate(sorted(tmp_path.glob("*.png"))):
        target.write_bytes(picture(color=(at, 0, 0), size=(8, 8)))
    assert main([*line, "--skip-bad"]) == 0
    values = prviz.read(line[3]).values
    assert sorted(values[:, 0] * 255) == pytest.approx(range(12))


def test_two_runs_never_write_one_file(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with locked(Path(line[3]), 0):
        assert main(line) == 2
    assert "x.safetensors: another run is writing this file" in capsys.readouterr().err
    assert main(line) == 0


def test_a_link_as_the_folder_of_parts_is_refused(
    line: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".x.safetensors.parts").symlink_to(tmp_path / "elsewhere")
    assert main(line) == 2
    assert "x.safetensors.parts: a link" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("fails", ["put_features", "put_table"])
def test_a_full_disk_leaves_both_files_as_they_were(
    line: list[str],
    pictures: Path,
    fails: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(line) == 0
    files = [Path(line[3]), Path(line[3]).with_name("x.samples.parquet")]
    before = [file.read_bytes() for file in files]
    (pictures / "more.png").write_bytes(picture(size=(8, 8)))
    write = getattr(output, fails)

    def full(path: Path, *arguments: object) -> None:
        write(path, *arguments)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"prviz.embed.run.{fails}", full)
        assert main(line) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert [file.read_bytes() for file in files] == before
    assert not list(files[0].parent.glob(".*.tmp"))
    assert main(line) == 0
    assert [prviz.read(file).n for file in files] == [13, 13]


def test_new_features_that_take_no_name_leave_the_old_table(tmp_path: Path) -> None:
    features = tmp_path / "x.safetensors"
    table = tmp_path / "x.samples.parquet"
    features.mkdir()  # can't be replaced by a file
    table.write_text("old")
    with (  # noqa: PT012
        pytest.raises(OSError, match=r"x\.safetensors"),
        output.whole_pair(features, table) as new,
    ):
        for file in new:
            file.write_text("new")
    assert table.read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "x.safetensors",
        "x.samples.parquet",
    ]


def test_members_that_are_left_out_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = zipfile.ZipInfo("link.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        for at in range(5):
            archive.writestr(f"{at}.png", picture(color=(at, 0, 0)))
        archive.writestr("../out.png", picture())
        archive.writestr("./0.png", picture())
        archive.writestr(link, "/etc/passwd")
        archive.writestr("__MACOSX/._0.png", b"")
        archive.writestr("notes.txt", b"")
    out = tmp_path / "x.safetensors"
    assert main(["embed", str(tmp_path / "z.zip"), "-o", str(out), "--encoder", "pixels:4"]) == 0
    said = capsys.readouterr().out
    assert "wrote" in said
    assert "Note: 3 of 8 pictures of the archive are left out" in said
    assert prviz.read(out).n == 5


@pytest.mark.exhaustive
def test_hostile_archives_lose_what_is_broken_in_little_memory(tmp_path: Path) -> None:
    """Members that unpack to far too much, lie about their size, or have another checksum: a bad
    picture each.
    """
    good = [(f"{at}.png", picture(color=(at, 0, 0))) for at in range(4)]
    size = 80_000_000
    bomb = packed([*good, ("x.png", bytes(size))])
    lying = bomb.replace(size.to_bytes(4, "little"), (900).to_bytes(4, "little"))
    corrupt = bytearray(packed([("x.png", picture()), *good], zipfile.ZIP_STORED))
    corrupt[70] ^= 0xFF
    for data in (bomb, lying, bytes(corrupt)):
        (tmp_path / "z.zip").write_bytes(data)
        source = open_source(tmp_path / "z.zip")
        failed = []
        tracemalloc.start()
        for item in source.items:
            try:
                source.get(item)
            except MediaError:
                failed.append(item.path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (len(source.items), failed) == (5, ["x.png"])
        assert peak < 1e6


def test_an_archive_that_was_cut_is_refused(tmp_path: Path) -> None:
    data = packed([(f"{at}.png", picture()) for at in range(4)])
    for cut in (data[:-30], data[: len(data) // 2], b""):
        (tmp_path / "z.zip").write_bytes(cut)
        with pytest.raises(ValueError, match="no zip archive, or a corrupt one"):
            open_source(tmp_path / "z.zip")


def test_an_archive_that_was_replaced_is_opened_anew(tmp_path: Path) -> None:
    """In one process, as in a notebook: the features are those of the new pictures."""
    for red in (10, 200):
        (tmp_path / "new").write_bytes(packed([("0.png", picture(color=(red, 0, 0)))]))
        (tmp_path / "new").rename(tmp_path / "z.zip")
        source = open_source(tmp_path / "z.zip")
        with Image.open(io.BytesIO(source.get(source.items[0]))) as found:
            assert found.getpixel((0, 0)) == (red, 0, 0)
