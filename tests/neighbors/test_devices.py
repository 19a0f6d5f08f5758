"""On PyTorch every number is the one that NumPy and C give, and whatever PyTorch does less exactly is
refused.

On its CPU build here; on a graphics processor with PRVIZ_TEST_DEVICE=cuda.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.cli.main import main
from prviz.neighbors import (
    BallCounts,
    Balls,
    Distances,
    Nearest,
    count_held,
    count_in_balls,
    engine,
    largest_ratios,
    multiply_within,
    nearest_radii,
    nearest_rows,
    smallest_holding,
)
from prviz.neighbors.point_sets import PointSet, RowView
from prviz.neighbors.prepared import prepare
from prviz.neighbors.products import PART
from prviz.samples import SamplePair, Split
from tests.hard_pairs import KINDS, all_balls, make_pair, typical_radius

DEVICE = os.environ.get("PRVIZ_TEST_DEVICE", "cpu")
TAILS = "heavy tails"
FEW = (7,)
MANY = (1, 3, 7, 20, 30)


@pytest.fixture
def torch() -> ModuleType:
    found: ModuleType = pytest.importorskip("torch")
    return found


@pytest.fixture
def tiles(torch: ModuleType) -> ModuleType:
    from prviz.neighbors import torch_tiles

    return torch_tiles


def drawn(kind: str, d: int, split: float | None) -> Split:
    if kind == TAILS:
        sides = np.random.default_rng(d).standard_cauchy((2, 90, d))
        return SamplePair(*sides).split(split, 1)
    return make_pair(kind, d, 90, 70).split(split, 1)


def balls(ks: Sequence[int], bandwidth: float | None = None) -> list[Balls]:
    return [each for k in ks for each in all_balls(k, bandwidth)]


def alike(one: Sequence[BallCounts], other: Sequence[BallCounts]) -> bool:
    return all(
        np.array_equal(mine.real, theirs.real)
        and np.array_equal(mine.generated, theirs.generated)
        and mine.radii == theirs.radii
        for mine, theirs in zip(one, other, strict=True)
    )


def on_it(split: Split, asked: Sequence[Balls], **options: Any) -> list[BallCounts]:
    with prviz.on_device(DEVICE):
        distances = Distances(split, **options)
    assert distances._prepared.placed is not None
    return distances.count(asked)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("split", [None, 0.5])
@pytest.mark.parametrize("d", [9, PART, PART + 1, 2 * PART + 8])
@pytest.mark.parametrize("kind", [*KINDS, TAILS])
def test_counts_are_the_same(tiles: ModuleType, kind: str, d: int, split: float | None) -> None:
    pair = drawn(kind, d, split)
    radius = typical_radius(SamplePair(*(side.values[:15] for side in pair.pair)))
    for asked in (balls(FEW), balls(MANY), balls(MANY, radius)):
        expected = Distances(pair).count(asked)
        assert alike(on_it(pair, asked), expected)
        assert alike(on_it(pair, asked, threads=1, block_bytes=3_000), expected)


@pytest.mark.parametrize("split", [None, 0.5])
@pytest.mark.parametrize("kind", ["float32", "near ties", "duplicates", "large integers"])
def test_sets_that_the_device_does_not_hold_change_nothing(
    tiles: ModuleType, kind: str, split: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = drawn(kind, PART + 1, split)
    expected = [Distances(pair).count(balls(ks)) for ks in (FEW, MANY)]
    monkeypatch.setattr(tiles.PlacedSet, "store", lambda self: None)
    for limit in (0, 10**8):  # rows of the sets are made anew here, or are kept here
        monkeypatch.setattr(engine, "prepare", lambda split, _, limit=limit: prepare(split, limit))
        for ks, known in zip((FEW, MANY), expected, strict=True):
            assert alike(on_it(pair, balls(ks)), known)


def test_float64_products_are_the_same(tiles: ModuleType) -> None:
    pair = drawn("far clusters", 20, 0.5)
    with prviz.on_device(DEVICE):
        distances = Distances(pair)
    assert distances._prepared.arithmetic.dtype == np.float64
    assert alike(distances.count(balls(MANY)), Distances(pair).count(balls(MANY)))


@pytest.mark.parametrize("kind", ["float32", "near ties", "duplicates", TAILS])
def test_members_radii_and_queries_are_the_same(tiles: ModuleType, kind: str) -> None:
    pair = drawn(kind, 9, 0.5)
    centres, points = (np.asarray(side.values, np.float64) for side in pair.pair)
    rows = np.arange(len(centres))
    radii = nearest_radii(centres, rows, 4)

    def all_of_it() -> list[Any]:
        distances = Distances(pair)
        found: list[Any] = list(distances.mean_radii(5, up_to=9))
        for rule in (Nearest(5, "real"), Nearest(5, "generated")):
            members = distances.ball_members(Balls(rule, rule), "real")
            found += [members.counts, members.carried, members.points, members.samples]
        return [
            *found,
            nearest_radii(centres, rows, 4),
            *nearest_rows(centres, rows, 5, points),
            count_in_balls(points, centres, radii),
            count_held(centres, radii, points),
            largest_ratios(points, centres, radii),
            smallest_holding(points, centres, radii),
            multiply_within(
                RowView(points),
                RowView(centres),
                float(radii[1]),
                lambda squared: squared / (1 + squared),
            ),
        ]

    expected = all_of_it()
    with prviz.on_device(DEVICE):
        found = all_of_it()
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_few_features_stay_on_the_processor(tiles: ModuleType) -> None:
    with prviz.on_device(DEVICE):
        assert Distances(drawn("float32", 7, None))._prepared.placed is None


@pytest.mark.parametrize("limit", [10**5, 10**7])
def test_the_memory_of_the_device_is_bounded(tiles: ModuleType, limit: int) -> None:
    sets = prepare(drawn("float32", 200, 0.5), 10**8).fit.values()
    tiles.TorchDevice("cpu").place(list(sets), limit)
    stored = sum(each.placed._stored.nbytes for each in sets if each.placed._stored is not None)
    assert stored <= limit / 2
    assert bool(stored) == (limit == 10**7)
    (one, _) = (each.placed for each in sets)
    threads = tiles.available_threads()
    assert threads * tiles._TILE_BYTES * one.block_bytes <= limit / 2
    assert stored or one.at_once == tiles._LEAST_ROWS


def test_each_set_is_moved_once(tiles: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = drawn("float32", 20, 0.5)
    expected = Distances(pair).count(balls(MANY))
    with prviz.on_device(DEVICE):
        distances = Distances(pair, block_bytes=3_000)
    monkeypatch.delattr(PointSet, "rounded")  # of which no tile takes any more
    assert alike(distances.count(balls(MANY)), expected)


# Each would change counts: products that err by more than their bound, a bound that leaves neighbours
# out, ties that are lost, counts and ranks that miss one, and comparisons that nobody checks again.
FAULTS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "products": ("PlacedSet", "_distances", lambda found: found * 1.001),
    "bounds": ("TorchTile", "_smallest_bound", lambda found: found * 0.9),
    "entries": ("TorchTile", "_entries_within", lambda found: type(found)(*cut(found))),
    "masks": ("TorchTile", "_masked", lambda found: (found[0] - (found[0] > 2), *found[1:])),
    "ranks": (
        "TorchTile",
        "ranked",
        lambda found: found._replace(counts=np.roll(found.counts, 1, axis=1)),
    ),
    "unsure": ("TorchTile", "_masked", lambda found: (*found[:2], found[2][:0], found[3][:0])),
    "unclear": (
        "TorchTile",
        "ranked",
        lambda found: found._replace(rows=found.rows[:0], columns=found.columns[:0]),
    ),
}


def cut(found: Any) -> tuple[Any, ...]:
    """Entries without the last one of each row, whose starts follow."""
    keep = np.ones(len(found.rows), np.bool_)
    some = np.flatnonzero(np.diff(found.starts) > 2)
    keep[found.starts[1:][some] - 1] = False
    starts = np.searchsorted(found.rows[keep], np.arange(len(found.starts)))
    return found.rows[keep], found.columns[keep], found.values[keep], starts


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_device_is_seen(
    tiles: ModuleType, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, spoil = FAULTS[fault]
    pair = drawn("tenths", 20, 0.5)  # ties, which only reference distances tell
    asked = [[each for each in balls(ks) if not each.real.one_radius] for ks in (FEW, MANY)]
    expected = [Distances(pair).count(some) for some in asked]
    whole = getattr(getattr(tiles, owner), name)
    monkeypatch.setattr(
        getattr(tiles, owner), name, lambda self, *given: spoil(whole(self, *given))
    )
    try:
        found = [on_it(pair, some) for some in asked]
    except IndexError:
        return  # a neighbour is not there
    assert not all(map(alike, found, expected))


def shorter(values: Any, bits: int) -> Any:
    """Values with so many bits of their significands left."""
    numbers = values.cpu().numpy()
    significands, exponents = np.frexp(numbers)
    short = np.ldexp(np.rint(np.ldexp(significands, bits)), exponents - bits)
    return values.new_tensor(short.astype(numbers.dtype))


@pytest.mark.parametrize(
    ("kind", "bits"),
    [("float32", 11), ("float32", 8), ("ternary", 11), ("far clusters", 24)],
    ids=["TF32", "bfloat16", "TF32 of what it holds exactly", "float32 for float64"],
)
@pytest.mark.parametrize("d", [9, PART + 1])
def test_products_in_a_shorter_format_are_refused(
    torch: ModuleType, kind: str, bits: int, d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matmul = torch.matmul
    monkeypatch.setattr(torch, "matmul", lambda a, b: matmul(shorter(a, bits), shorter(b, bits)))
    with pytest.raises(
        ValueError, match=r"shorter format.*float32_matmul_precision\(\"highest\"\)"
    ):
        on_it(drawn(kind, d, 0.5), balls(FEW))


def test_what_pytorch_itself_shortens_is_refused(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())
        with pytest.raises(ValueError, match="shorter format"):
            on_it(drawn("float32", 20, 0.5), balls(FEW), threads=1)


def test_a_device_whose_memory_others_use_is_named(
    torch: ModuleType,
    files: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(torch, "matmul", full)
    assert main(["curve", *files, "--method", "knn", "--device", DEVICE]) == 2
    assert f"device '{DEVICE}' has too little free memory: end what else" in capsys.readouterr().err


def test_settings_of_the_caller_change_nothing(torch: ModuleType) -> None:
    pair = drawn("duplicates", PART + 1, 0.5)
    expected = Distances(pair).count(balls(FEW))
    with torch.autocast(DEVICE, dtype=torch.bfloat16), torch.inference_mode():
        torch.use_deterministic_algorithms(DEVICE == "cpu")  # cuBLAS needs more than that
        try:
            for threads in (1, 2):
                assert alike(on_it(pair, balls(FEW), threads=threads), expected)
        finally:
            torch.use_deterministic_algorithms(False)


def test_only_its_own_measurements_are_on_it(tiles: ModuleType) -> None:
    pair = drawn("float32", 9, 0.5)
    with prviz.on_device(DEVICE):
        with prviz.on_device(None):
            assert Distances(pair)._prepared.placed is None
        assert Distances(pair)._prepared.placed is not None
    assert Distances(pair)._prepared.placed is None


def test_a_device_that_is_not_there_is_refused(torch: ModuleType) -> None:
    said = pytest.raises(ValueError, match=r"device 'tpu' is none that .* here; accepted: cpu")
    with said, prviz.on_device("tpu"):
        pass


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(3)
    for name in ("real", "one"):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(60, 9)).astype(np.float32))
    return [str(tmp_path / "real.npy"), str(tmp_path / "one.npy")]


def test_without_pytorch_it_says_what_to_install(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["curve", *files, "--device", "cuda"]) == 2
    assert "device 'cuda' needs PyTorch, which is not installed: pip install 'prviz[torch]'" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("command", ["curve", "triage"])
def test_the_shell_takes_a_device(
    tiles: ModuleType,
    files: list[str],
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    placed = []
    place = tiles.TorchDevice.place
    monkeypatch.setattr(
        tiles.TorchDevice, "place", lambda self, *given: placed.append(self) or place(self, *given)
    )
    line = [command, *files, "--method", "knn"]
    kept = [["--out", str(tmp_path / name)] if command == "triage" else [] for name in "ab"]
    assert main([*line, *kept[0]]) == 0
    usual = capsys.readouterr().out
    assert not placed
    assert main([*line, *kept[1], "--device", DEVICE]) == 0
    assert capsys.readouterr().out == usual
    assert placed


def test_a_scheduler_takes_no_device(
    files: list[str], torch: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["triage", *files, "--device", DEVICE, "--scheduler", "tcp://localhost:1"]
    assert main(line) == 2
    assert "--device and --scheduler can't be given together" in capsys.readouterr().err
