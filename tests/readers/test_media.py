"""Pictures of samples: found by name, never outside their archive or folder, never larger than
allowed.
"""

from __future__ import annotations

import io
import os
import unicodedata
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from prviz.readers import safe_folder as below_module
from prviz.readers.media import (
    FolderPictures,
    MediaError,
    MissingPictureError,
    PictureLimits,
    ZipPictures,
)
from prviz.readers.media.looks import end_alike, plain_path
from tests.counting import lines_run
from tests.picture_builders import encrypted, packed, picture, zipped

# ---- zip archives ----


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a/1.png", "top/a/1.png"),
        ("top/a/1.png", "top/a/1.png"),
        ("./a//1.png", "top/a/1.png"),
        ("a\\1.png", "top/a/1.png"),
        ("../a/1.png", "top/a/1.png"),
        ("/data/me/top/b/1.png", "top/b/1.png"),
        ("C:\\me\\top\\b\\1.png", "top/b/1.png"),
        ("2.png", "top/a/2.png"),
        (unicodedata.normalize("NFD", "ü.png"), "top/a/ü.png"),
        ("upper.PNG", "top/upper.PNG"),
    ],
)
def test_a_name_finds_its_path_in_the_archive(name: str, path: str) -> None:
    pictures = zipped("top/a/1.png", "top/b/1.png", "top/a/2.png", "top/a/ü.png", "top/upper.PNG")
    assert pictures.locate(name) == path
    assert pictures.get(name) == path.encode()


def test_names_that_find_none_or_several() -> None:
    pictures = zipped("a/1.png", "b/1.png", "b/2.png")
    for name in ("3.png", "2.PNG", "b", "..", "", "/", "c/1.png", "a/2.png"):
        with pytest.raises(MissingPictureError, match=r"not in 'pictures\.zip'"):
            pictures.get(name)
    with pytest.raises(MediaError, match=r"has 2 files of this name, as 'a/1.png' and 'b/1.png'"):
        pictures.get("1.png")


def test_in_an_archive_of_one_folder_the_name_of_the_file_suffices() -> None:
    for folder in ("", "top/", "top/below/"):
        assert (
            zipped(f"{folder}1.png", f"{folder}2.png").locate("/elsewhere/img/2.png")
            == f"{folder}2.png"
        )


def test_many_files_of_one_name_are_looked_up_not_searched() -> None:
    def look_up(pictures: ZipPictures, count: int) -> None:
        assert pictures.locate("/elsewhere/49/a/1.png") == "49/a/1.png"
        with pytest.raises(
            MediaError, match=rf"has {count} files of this name, as '0/a/1.png' and '1/a/1.png'"
        ):
            pictures.locate("a/1.png")

    few, many = (
        lines_run(partial(look_up, zipped(*(f"{i}/a/1.png" for i in range(count))), count))
        for count in (50, 500)
    )
    assert many < 1.5 * few


def test_names_that_no_file_system_takes_are_not_put_together() -> None:
    """Normalising combining letters takes quadratic time: minutes for a megabyte."""
    for part in ("e\u0301", "e\u0301" * 100):
        assert plain_path(f"a/{part}") == unicodedata.normalize("NFC", f"a/{part}") != f"a/{part}"
    long = "e" + "\u0301\u0315" * 200_000
    assert plain_path(f"a//{long}/b") == f"a/{long}/b"


def test_an_archive_with_a_file_without_a_name() -> None:
    data = packed([("1.png", b"one"), ("2.png", b"two")])
    nameless = data.replace(b"2.png", b"\0.png")  # a name ends where its first zero byte is
    assert ZipPictures("pictures.zip", nameless).locate("1.png") == "1.png"


def test_what_is_beside_the_pictures_or_leads_out_is_not_listed() -> None:
    pictures = zipped(
        "top/1.png", "__MACOSX/top/._1.png", "top/._1.png", "../../etc/passwd", "top/sub/"
    )
    assert pictures.locate("1.png") == "top/1.png"
    for name in ("._1.png", "passwd", "../../etc/passwd", "sub"):
        with pytest.raises(MissingPictureError):
            pictures.get(name)


def test_archives_that_are_refused_as_a_whole() -> None:
    whole = packed([("1.png", picture())])
    cases = [
        (b"", "no zip archive"),
        (picture(), "no zip archive"),
        (whole[:-30], "no zip archive"),
        (packed([]), "holds no files"),
        (packed([("folder/", b"")]), "holds no files"),
        (encrypted(whole), "'1.png': encrypted. Zip the pictures without a password"),
    ]
    for data, message in cases:
        with pytest.raises(MediaError, match=message):
            ZipPictures("pictures.zip", data)
    with pytest.raises(MediaError, match=r"has 3 files, more than the limit of 2"):
        ZipPictures(
            "pictures.zip",
            packed([(f"{i}.png", b"x") for i in range(3)]),
            limits=PictureLimits(entries=2),
        )


def test_entries_that_unpack_to_too_much() -> None:
    bomb = packed(
        [
            ("flat.png", bytes(40 * 1024**2)),
            ("squeezed.png", bytes(20 * 1024**2)),
            ("small.png", bytes(5000)),
        ]
    )
    assert len(bomb) < 100_000
    pictures = ZipPictures("bomb.zip", bomb)
    with pytest.raises(MediaError, match=r"'flat.png': 40.0 MiB, more than 32.0 MiB"):
        pictures.get("flat.png")
    with pytest.raises(
        MediaError, match=r"'squeezed.png': unpacks to 20.0 MiB .* more than 100 times"
    ):
        pictures.get("squeezed.png")
    assert pictures.get("small.png") == bytes(5000)


def test_an_entry_that_lies_about_its_size_gives_no_more_than_it_claims() -> None:
    data = packed([("1.png", bytes(30_000))])
    lying = data.replace((30_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != data
    with pytest.raises(MediaError, match="corrupt"):
        ZipPictures("lying.zip", lying).get("1.png")


def test_corrupt_and_oddly_packed_entries_name_themselves() -> None:
    data = bytearray(packed([("1.png", picture()), ("2.png", b"other")], zipfile.ZIP_STORED))
    data[60] ^= 0xFF
    pictures = ZipPictures("pictures.zip", bytes(data))
    with pytest.raises(MediaError, match=r"'pictures.zip', '1.png': corrupt"):
        pictures.get("1.png")
    assert pictures.get("2.png") == b"other"
    with pytest.raises(MediaError, match="unusual method"):
        ZipPictures("odd.zip", packed([("1.png", picture())], zipfile.ZIP_LZMA)).get("1.png")


# ---- folders ----


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A folder with a picture, beside a secret file."""
    (tmp_path / "secret.png").write_bytes(b"secret")
    folder = tmp_path / "data"
    (folder / "img").mkdir(parents=True)
    (folder / "img" / "1.png").write_bytes(b"one")
    return folder


def test_pictures_below_the_folder(served: Path) -> None:
    (served / "linked").symlink_to("img")
    (served / "again.png").symlink_to(served / "img" / "1.png")
    pictures = FolderPictures(served)
    for name in ("img/1.png", "./img//1.png", "img\\1.png", "linked/1.png", "again.png"):
        assert pictures.get(name) == b"one"
    with pytest.raises(MissingPictureError, match="not in data"):
        pictures.get("img/2.png")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.png",
        "img/../../secret.png",
        "img/../img/1.png",
        "..\\secret.png",
        "/etc/passwd",
        "\\\\host\\x",
        "",
        ".",
        "/",
    ],
)
def test_names_that_could_lead_out_are_refused(served: Path, name: str) -> None:
    pictures = FolderPictures(served)
    for ask in (pictures.locate, pictures.get):
        with pytest.raises(MediaError, match="only paths below data are opened"):
            ask(name)
    with pytest.raises(MediaError, match="only paths below"):
        pictures.get(str(served / "img" / "1.png"))
    with pytest.raises(MediaError, match="only paths below"):
        pictures.get("C:\\img\\1.png")


def test_links_out_of_the_folder_are_refused(served: Path) -> None:
    (served / "file.png").symlink_to(served.parent / "secret.png")
    (served / "relative.png").symlink_to("../secret.png")
    (served / "up").symlink_to(served.parent)
    (served / "chain").symlink_to("up")
    (served / "sibling").symlink_to(f"{served}-other")
    Path(f"{served}-other").mkdir()
    Path(f"{served}-other", "x.png").write_bytes(b"x")
    pictures = FolderPictures(served)
    for name in (
        "file.png",
        "relative.png",
        "up/secret.png",
        "chain/secret.png",
        "sibling/x.png",
        "up",
    ):
        for ask in (pictures.locate, pictures.get):
            with pytest.raises(MediaError, match="leads out of data"):
                ask(name)
    (served / "circle").symlink_to("circle")
    for name in ("circle", "circle/x", "img/1.png/x", "zero\0byte", "x" * 5000):
        with pytest.raises(MissingPictureError):
            pictures.get(name)


def test_only_regular_files_of_bounded_size_are_read(served: Path) -> None:
    os.mkfifo(served / "pipe.png")
    pictures = FolderPictures(served, limits=PictureLimits(file_bytes=3))
    for name in ("pipe.png", "img"):
        with pytest.raises(MediaError, match="no regular file"):
            pictures.get(name)
    assert pictures.get("img/1.png") == b"one"
    (served / "img" / "1.png").write_bytes(b"four")
    with pytest.raises(MediaError, match="more than 3 bytes"):
        pictures.get("img/1.png")
    with pytest.raises(MediaError, match="no such folder"):
        FolderPictures(served / "nothing")
    with pytest.raises(MediaError, match="not a folder"):
        FolderPictures(served / "img" / "1.png")


def _to_link(served: Path) -> None:
    (served / "img").rename(served / "was")
    (served / "img").symlink_to(served.parent)


def _file_to_link(served: Path) -> None:
    (served / "img" / "1.png").unlink()
    (served / "img" / "1.png").symlink_to(served.parent / "secret.png")


def _to_pipe(served: Path) -> None:
    (served / "img" / "1.png").unlink()
    os.mkfifo(served / "img" / "1.png")


# A system that opens by path only has no pipes in folders.
@pytest.mark.parametrize(
    ("change", "step_by_step"),
    [
        (_to_link, True),
        (_to_link, False),
        (_file_to_link, True),
        (_file_to_link, False),
        (_to_pipe, True),
    ],
)
def test_what_changes_after_it_was_looked_up_is_not_read(
    served: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    step_by_step: bool,
) -> None:
    (served.parent / "1.png").write_bytes(b"secret")
    opened = below_module._open_below

    def changed(root: Path, path: Path) -> int:
        change(served)
        return opened(root, path)

    if not step_by_step:
        monkeypatch.setattr(os, "supports_dir_fd", set())
    assert FolderPictures(served).get("img/1.png") == b"one"
    monkeypatch.setattr(below_module, "_open_below", changed)
    with pytest.raises(MediaError, match=r"can't be opened|no regular file"):
        FolderPictures(served).get("img/1.png")


def test_no_descriptor_stays_open(served: Path) -> None:
    pictures = FolderPictures(served)
    for _ in range(5):
        pictures.get("img/1.png")
        with pytest.raises(MediaError):
            pictures.get("img")
    # Those on the folder alone: other threads of this process open files of their own meanwhile.
    opened = map(os.path.realpath, Path("/proc/self/fd").iterdir())
    assert [path for path in opened if path.startswith(str(served.resolve()))] == []


def test_paths_of_pictures() -> None:
    paths = {
        "a\\b": "a/b",
        "/a//./b": "a/b",
        "../x/../a": "a",
        "A": "A",
        "e\u0301": "\u00e9",
        "a/..": "",
        "e\u0301" * 128: "e\u0301" * 128,
    }
    assert {path: plain_path(path) for path in paths} == paths
    assert end_alike("a/b", "b")
    assert end_alike("b", "a/b")
    assert not end_alike("ab", "b")
    for name in ("entries", "file_bytes", "ratio", "small_bytes"):
        PictureLimits(**{name: 1})
        with pytest.raises(ValueError, match=f"{name} = 0"):
            PictureLimits(**{name: 0})


def test_pictures_of_an_archive_in_any_buffer() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a/1.png", b"x")
    for held in (data.getvalue(), bytearray(data.getvalue()), memoryview(data.getvalue())):
        assert ZipPictures("a.zip", held).get("1.png") == b"x"
