"""Triage among hostile names, tables and archives: nothing is lost or leaked, and the message is
clear.
"""

from __future__ import annotations

import json
import os
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.cli.main import main
from prviz.measure.estimates import estimate
from prviz.readers.safe_folder import Below
from prviz.readers.source import as_source
from prviz.samples import SamplePair, Samples
from prviz.studies.tasks import COMPUTATION
from prviz.triage.inputs import Checkpoint, checkpoints_of
from prviz.triage.measured import CACHE_VARIABLE, ResultCache
from tests import file_builders
from tests.triage_files import REFERENCE, drawn, folder_of, listed_below, measure_all

# ---- names ----


@pytest.mark.parametrize(
    "name",
    [
        "../secret.npy",
        "/etc/passwd",
        "a/../../secret.npy",
        "..",
        "",
        "C:\\secret.npy",
        "\\\\host\\x.npy",
        "a\0b",
    ],
)
def test_a_name_in_the_table_only_picks_a_checkpoint_and_is_never_opened(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "run", 1)
    np.save(tmp_path / "secret.npy", drawn(9))
    table = folder / "about.csv"
    with table.open("w", newline="") as stream:
        stream.write(f'file,step\n"{name}",1\n')
    opened: list[str] = []
    monkeypatch.setattr(
        "prviz.triage.inputs.as_source",
        lambda path, below: opened.append(Path(path).name) or as_source(path, below),
    )
    for listed in (
        lambda: checkpoints_of(folder, table),
        lambda: listed_below(Below(tmp_path), "run", "run/about.csv"),
    ):
        with pytest.raises(
            ValueError,
            match=r"'about\.csv', row 2, column 'file': .* names none of the checkpoints",
        ):
            listed()
    assert set(opened) == {"about.csv"}


@pytest.mark.parametrize("name", ["../run", "/etc", "..", "a/../..", "C:\\", "a\0b"])
def test_nothing_above_the_served_folder_is_listed(tmp_path: Path, name: str) -> None:
    folder_of(tmp_path / "run", 1)
    (tmp_path / "served").mkdir()
    with pytest.raises(OSError, match=r"only paths below|not there"):
        listed_below(Below(tmp_path / "served"), name)


def test_links_out_of_the_served_folder_lead_nowhere_now_or_later(tmp_path: Path) -> None:
    served = folder_of(tmp_path / "served", 2)
    outside = folder_of(tmp_path / "outside", 1)
    (served / "out.npy").symlink_to(outside / "step-1.npy")
    (served / "folder").symlink_to(outside)
    (served / "within.npy").symlink_to("step-1.npy")
    found = listed_below(Below(served))
    assert [each.name for each in found] == ["step-1", "step-2", "within"]
    with pytest.raises(OSError, match="leads out"):
        listed_below(Below(served), "folder")
    (served / "step-2.npy").unlink()
    # between the listing and the reading
    (served / "step-2.npy").symlink_to(outside / "step-1.npy")
    outcomes = list(measure_all(REFERENCE, found))
    assert [each.reason is None for each in outcomes] == [True, False, True]
    assert "leads out of the folder" in str(outcomes[1].reason)
    assert str(outside) not in str(outcomes[1].reason)


def test_the_table_of_a_served_folder_can_not_be_a_link_out_of_it(tmp_path: Path) -> None:
    served = folder_of(tmp_path / "served", 1)
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    (served / "about.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(ValueError, match="leads out") as caught:
        listed_below(Below(served), "", "about.csv")
    assert "password" not in str(caught.value)


def test_names_of_results_are_digests_whatever_the_key_says(tmp_path: Path) -> None:
    store = ResultCache(tmp_path / "kept")
    (outcome,) = measure_all(REFERENCE, checkpoints_of(folder_of(tmp_path / "run", 1)))
    kept = outcome.measured[0].estimate
    for name in ("../../x", "/etc/passwd", "a\0b", "\ud800", "x" * 5000):
        store.put({"method": name}, kept, 1.0)
        assert store.get({"method": name}) is not None
    assert {len(path.name) for path in store.folder.iterdir()} == {68}
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "run"}


def triage_line(folder: Path, *checkpoints: Path) -> list[str]:
    """The command on these checkpoints, beside a reference in the folder."""
    np.save(folder / "real.npy", REFERENCE.values)
    paths = (folder / "real.npy", *checkpoints)
    return ["triage", *map(str, paths), "--method", "knn", "--out", str(folder / "out")]


def test_circles_of_links_are_no_checkpoints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "run", 1)
    for name, target in (("self", "self"), ("one", "two"), ("two", "one")):
        (folder / f"{name}.npy").symlink_to(f"{target}.npy")
    (folder / "up").symlink_to(folder)
    for found in (
        checkpoints_of(folder),
        checkpoints_of(folder / "up" / "up"),
        listed_below(Below(tmp_path), "run/up/up"),
    ):
        assert [each.name for each in found] == ["step-1"]
    assert Below(tmp_path).folders() == ["run"]
    circle = folder / "self.npy"
    (named,) = measure_all(REFERENCE, checkpoints_of([circle], leave_out=[folder / "one.npy"]))
    assert "can't be opened" in str(named.reason)
    with pytest.raises(ValueError, match="can't be opened"):
        checkpoints_of(folder, circle)
    assert main(triage_line(tmp_path, circle)) == 2
    assert capsys.readouterr().out.startswith("Failed, 1 of 1:")


def test_names_that_are_no_text_and_names_that_drive_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "run", 1)
    for name in (
        b"\xff\xfe.npy",
        b"\x1b[2J\x07.npy",
        b"new\nline.npy",
        b"=cmd()|'x'.npy",
        "\u202eppt.npy".encode(),
    ):
        (folder / os.fsdecode(name)).write_bytes((folder / "step-1.npy").read_bytes())
    assert main(triage_line(tmp_path, folder)) == 0
    told = capsys.readouterr()
    for text in (told.out, told.err):
        text.encode()
        assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert sum("step-1" in row or "0." in row for row in told.out.splitlines()) >= 6


# ---- tables ----


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"file" + b",c" * 1_000_000 + b"\n", "1000001 columns; at most 200"),
        (b"file," + b"x," * 1_000_000 + b"x\n", "1000002 columns; at most 200"),
        (b"\n" * 1_000_000 + b"file\n", "empty; a header line"),
        (b"file\n" + b"\n" * 16_000_000, "more than 100000 rows"),
        (b"file,step\n" + b"a,1," * 1_000_000 + b"\n", "row 2: 2000001 cells; 2 are needed"),
        (
            b"file,step\na," + b"9" * 130_000 + b"\n",
            "row 2, column 'step': .* is not a finite number",
        ),
        (b"file\n" + b"a" * 16 * 1024**2, "more than 16 MiB"),
        (b'file,step\na,"' + b"1\n" * 100_000 + b"\n", "not a CSV file"),
        (b"file,step\na,\x00\n", r"'m\.csv'"),
        (b"\x00" * 100, r"'m\.csv'"),
        ("file,step\na,1\n".encode("utf-16"), "not a CSV file in UTF-8"),
        ("file,step\na,1\n".encode("utf-32"), "not a CSV file in UTF-8"),
        ("file,stép\na,1\n".encode("latin-1"), "not a CSV file in UTF-8"),
        (b'file,step\n"a"b,1\n', "not a CSV file"),
        (b"file,step\na,=HYPERLINK(1)\n", "'=HYPERLINK\\(1\\)' is not a finite number"),
        (b"file,step\na,1e999\n", "not a finite number"),
        (b"file:step\na:1\n", "a column 'file' is needed"),
        (b"file,step\na,k\n", "'k' is not a finite number"),
        (b"file,step,lr\na,1,1e-3\nb,2,1e-x\n", "row 3, column 'lr': '1e-x' is not a finite"),
        (b"PK\x03\x04" + bytes(range(256)) * 10, "not a CSV file in UTF-8"),
    ],
)
def test_a_hostile_table_is_one_clear_line_in_bounded_memory(
    tmp_path: Path, data: bytes, message: str
) -> None:
    (tmp_path / "m.csv").write_bytes(data)
    with pytest.raises(ValueError, match=message) as caught:
        checkpoints_of([tmp_path / "a.npy", tmp_path / "b.npy"], tmp_path / "m.csv")
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_a_table_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.csv")
    with pytest.raises(ValueError, match="a folder or device"):
        checkpoints_of([tmp_path / "a.npy"], tmp_path / "m.csv")


# ---- archives that unpack to more than there is ----


def encrypted(data: bytes) -> bytes:
    """The archive with every member marked as encrypted."""
    found = bytearray(data)
    for mark, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = found.find(mark)
        while at >= 0:
            found[at + flags] |= 1
            at = found.find(mark, at + 1)
    return bytes(found)


KEY = {"method": "knn", "n": 1}


def bombs() -> dict[str, bytes]:
    """Files in the place of a result; test_measure.py has those with a single wrong value."""
    ten = np.ones(10)
    run = {"n_real": 5, "bandwidth": None, "rows": False}
    key = json.dumps({"version": COMPUTATION, **KEY}, sort_keys=True)

    def about(*runs: dict[str, Any]) -> np.ndarray:
        text = json.dumps({"key": key, "k": 3, "seconds": 1.0, "runs": runs})
        return np.frombuffer(text.encode(), dtype=np.uint8)

    def of(said: np.ndarray, c_real: Any = ten) -> bytes:
        return file_builders.npz(compressed=True, about=said, c_real_0=c_real, c_generated_0=ten)

    def claims(descr: str, shape: tuple[int, ...]) -> bytes:
        header = file_builders.raw_npy(file_builders.npy_header(descr, shape), bytes(80))
        others = {"about": about(run), "c_generated_0": ten}
        arrays = {f"{name}.npy": file_builders.npy(each) for name, each in others.items()}
        return file_builders.archive({**arrays, "c_real_0.npy": header})

    return {
        "right": of(about(run)),
        "zeros": file_builders.zeros_archive("about", 64),
        "deep": of(np.frombuffer(b"[" * 200_000, dtype=np.uint8)),
        "not json": of(np.zeros(9, np.uint8)),
        "a list": of(np.frombuffer(b"[]", dtype=np.uint8)),
        "many runs": of(about(*[run] * 5000)),
        "claims": claims("<f8", (10**15,)),
        "claims a little": claims("<f8", (10**6,)),
        "overflow": claims("<f8", (2**62, 2**62)),
        "pickle": of(about(run), np.array([{}] * 10, dtype=object)),
        "texts": of(about(run), np.array(["x"] * 10)),
        "n_real no number": of(about({**run, "n_real": "5"})),
        "npy": file_builders.npy(ten),
        "empty": b"",
        "zip": file_builders.archive({"about.npy": b"x"}),
        "encrypted": encrypted(of(about(run))),
    }


@pytest.fixture
def store(tmp_path: Path) -> ResultCache:
    """With one result."""
    store = ResultCache(tmp_path / "kept")
    pair = SamplePair(REFERENCE, Samples(drawn(1)))
    store.put(KEY, estimate(pair, "knn")["knn"], 1.25)
    return store


@pytest.mark.exhaustive
def test_a_hostile_file_in_the_place_of_a_result_counts_as_absent_in_bounded_memory(
    store: ResultCache,
) -> None:
    (path,) = store.folder.iterdir()
    found, _ = store.get(KEY)
    for name, data in bombs().items():
        path.write_bytes(data)
        tracemalloc.start()
        try:
            assert (store.get(KEY) is None) == (name != "right"), name
            assert tracemalloc.get_traced_memory()[1] < 30_000_000, name
        finally:
            tracemalloc.stop()
    path.unlink()
    path.mkdir()
    assert store.get(KEY) is None
    with pytest.raises(OSError, match="a result can't be kept there"):
        store.put(KEY, found, 1.0)
    assert [each.name for each in store.folder.iterdir()] == [path.name]


def test_a_flipped_bit_of_a_result_makes_it_absent_or_changes_no_number(
    store: ResultCache,
) -> None:
    (path,) = store.folder.iterdir()
    data = path.read_bytes()
    (rates,) = store.get(KEY)[0].runs
    absent = 0
    for place in random.Random(0).sample(range(8 * len(data)), 150):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        found = store.get(KEY)
        absent += found is None
        if found is not None:
            (run,) = found[0].runs
            assert (found[0].k, found[1], run.n_real) == (7, 1.25, rates.n_real)
            np.testing.assert_array_equal(run.c_real, rates.c_real)
            np.testing.assert_array_equal(run.c_generated, rates.c_generated)
    assert 50 < absent < 150


def test_links_and_pipes_in_the_place_of_a_result_count_as_absent(
    store: ResultCache, tmp_path: Path
) -> None:
    (path,) = store.folder.iterdir()
    found, _ = store.get(KEY)
    elsewhere = path.rename(tmp_path / "elsewhere.npz")
    path.symlink_to(elsewhere)
    before = elsewhere.stat().st_mtime_ns
    assert store.get(KEY) is None
    path.unlink()
    os.mkfifo(path)
    assert store.get(KEY) is None
    store.put(KEY, found, 2.0)
    assert store.get(KEY) is not None
    assert elsewhere.stat().st_mtime_ns == before


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
def test_nothing_is_taken_from_a_cache_that_others_can_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_of(tmp_path / "run", 1)
    cache = tmp_path / "cache"
    np.save(tmp_path / "real.npy", REFERENCE.values)
    line = ["triage", str(tmp_path / "real.npy"), str(folder), "--method", "knn"]
    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    umask = os.umask(0)
    try:
        assert main(line) == 0
    finally:
        os.umask(umask)
    assert cache.stat().st_mode & 0o777 == 0o700
    paths = sorted(cache.iterdir())  # of the checkpoint, and of the ceiling and the floor
    assert paths

    def found() -> tuple[bool, str]:
        """Whether the result is taken, and what is said of the folder."""
        capsys.readouterr()
        assert main(line) == 0
        told = capsys.readouterr().err
        return "(kept)" in told, "".join(row for row in told.splitlines() if str(cache) in row)

    assert found() == (True, "")
    for mode in (0o770, 0o707):
        cache.chmod(mode)
        taken, told = found()
        assert not taken
        assert (
            "belongs to another user, or others can write to it, so results are neither taken"
            " from it" in told
        )
        assert sorted(cache.iterdir()) == paths
    cache.chmod(0o700)
    assert found() == (True, "")
    # As another user sees what this one has put there.
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    taken, told = found()
    assert not taken
    assert "belongs to another user" in told
    # a folder of this user, a file of another one
    monkeypatch.setattr(ResultCache, "_trusted", lambda _: True)
    assert found() == (False, "")


@pytest.mark.thorough
def test_hostile_archives_among_the_checkpoints_are_refused_in_bounded_memory(
    tmp_path: Path,
) -> None:
    header = file_builders.npy_header("<f8", (10**12, 3))
    files = {
        "claims.npz": file_builders.archive(
            {"feats.npy": file_builders.raw_npy(header, bytes(1000))}
        ),
        "claims.npy": file_builders.raw_npy(header, bytes(1000)),
        "nested.npz": file_builders.archive(
            {"feats.npz": file_builders.zeros_archive("feats", 16)}
        ),
        "many.npz": file_builders.archive({f"../{place}.npy": b"" for place in range(300)}),
        "wide.npz": file_builders.zeros_archive("feats", 4),
        "tensors.safetensors": file_builders.tensors(
            {"feats": {"dtype": "F64", "shape": [10**12, 3], "data_offsets": [0, 24 * 10**12]}},
            bytes(1000),
        ),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = [Checkpoint(tmp_path / name, name) for name in files]
    running = measure_all(REFERENCE, found)
    for each in found:
        tracemalloc.start()
        try:
            outcome = next(running)
            assert tracemalloc.get_traced_memory()[1] < 60_000_000, each.name
        finally:
            tracemalloc.stop()
        assert outcome.measured == ()
        assert outcome.reason, each.name
        assert "\n" not in outcome.reason
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize(
    ("most", "names"),
    [(1, ["a"]), (2, ["a", "a/b"]), (3, ["a", "a/b", "c"]), (9, ["a", "a/b", "c"])],
)
def test_no_more_folders_are_listed_than_are_asked_for(
    tmp_path: Path, most: int, names: list[str]
) -> None:
    for name in ("a/b", "c", ".hidden/d"):
        (tmp_path / name).mkdir(parents=True)
    assert Below(tmp_path).folders(most) == names
