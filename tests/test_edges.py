"""Values on the very edge of what the code decides, each found by a change of the sources that no
test saw.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import math
import os
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import prviz
from prviz.curves import PRCurve
from prviz.curves.hull import _lam_for_area
from prviz.diagnostics.preflight import preflight
from prviz.measure import workload
from prviz.measure.kernel_scores import _is_far, half_spread, rke
from prviz.readers import ReadError, read
from prviz.readers.arrow import _claims_of_file, _Compact
from prviz.readers.bundled import BUNDLED
from prviz.readers.errors import listed
from prviz.readers.source import Limits
from prviz.samples import SamplePair, as_samples
from prviz.triage import power, triage as triage_module
from prviz.triage.evidence import LISTED_KINDS, kinds
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import sample_faults
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from prviz.triage.memorisation import Excess, held_out_distances, memorisation
from prviz.triage.placement_faults import row_faults
from prviz.triage.stability import usual_ks
from prviz.triage.triage import Triage
from tests.triage_files import measure_all

EXPECTED_SECONDS = (0.0992665, 0.2900625, 3.232814, 20.132, 24.439821048680194)
# What a reader fills row by row, a cache that drops its tiles, sessions of the server, the stores
# of a visitor's, and what the visitor asks.
CHANGE = {
    "Pairs",
    "Tile",
    "TableRows",
    "_Table",
    "Layout",
    "Refused",
    "_Session",
    "TorchTile",
    "Stores",
    "_Watched",
    "Conversation",
    "PanelChoices",
    "ResultCache",
    "_Noted",
}


def drawn(seed: int, n: int = 60, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def test_results_can_not_be_changed() -> None:
    names = [each.name for each in pkgutil.walk_packages(prviz.__path__, "prviz.")]
    modules = [
        importlib.import_module(name)
        for name in names
        if "__main__" not in name and "._c" not in name
    ]
    classes = {
        each
        for module in modules
        for each in vars(module).values()
        if dataclasses.is_dataclass(each)
        and isinstance(each, type)
        and each.__module__.startswith("prviz")
    }
    assert {each.__name__ for each in classes if not each.__dataclass_params__.frozen} == CHANGE  # type: ignore[attr-defined]
    arrays = ("NDArray", "Floats", "Flags", "Ints")
    compared = {
        each.__name__
        for each in classes
        if each.__dataclass_params__.eq  # type: ignore[attr-defined]
        and any(name in str(field.type) for field in dataclasses.fields(each) for name in arrays)
    }
    # two with arrays would raise where they are compared
    assert compared <= {
        "Contestant",
        "PreparedGroup",
    }


# ---- curves


def test_the_drawn_points_of_a_curve_hold_every_ray() -> None:
    curve = PRCurve.from_error_rates([0.2], [0.3])
    lam = curve.sample(9)[0]
    rays = np.tan(np.arange(9) * math.pi / 16)[:-1]
    assert all(np.isclose(lam[np.isfinite(lam)], ray, rtol=1e-12, atol=0).any() for ray in rays)
    assert lam[-1] == np.inf


@pytest.mark.parametrize(
    ("f", "n", "lo", "hi"), [(0.0, 0.7, 0.5, 9.0), (0.6, 0.0, 0.5, 9.0), (0.3, 0.4, 0.5, 9.0)]
)
@pytest.mark.parametrize("lam", [0.5, 0.8, 3.0, 9.0])
def test_a_ray_that_cuts_off_an_area_is_that_of_the_integral(
    f: float, n: float, lo: float, hi: float, lam: float
) -> None:
    """The area between two rays is half of the integral of beta^2 over lam, beta being f + n /
    lam.
    """
    steps = np.exp(np.linspace(math.log(lo), math.log(lam), 20_001))
    target = float(np.trapezoid((f + n / steps) ** 2, steps)) / 2
    assert _lam_for_area(f, n, lo, hi, target) == pytest.approx(lam, rel=1e-6)


def test_a_ray_that_cuts_off_all_up_to_an_axis_is_the_last() -> None:
    assert _lam_for_area(0.0, 1.0, 0.5, 9.0, 1.0) == 9.0


# ---- readers


@pytest.mark.parametrize("count", [1, 13, 14, 15, 16, 200])
def test_lists_of_parquet_s_metadata_have_their_length_in_one_byte_below_fifteen_entries(
    count: int,
) -> None:
    length = (
        bytes([count << 4 | 5]) if count < 15 else bytes([0xF5, count & 0x7F | (count > 127) << 7])
    )
    if count > 127:
        length += bytes([count >> 7])
    entries = bytes(2 * (place % 60) for place in range(count))  # zigzag
    data = b"\x19" + length + entries + b"\x15\x0e\x00"
    assert _Compact(data).struct({1: None, 2: None}) == {
        1: [place % 60 for place in range(count)],
        2: 7,
    }
    assert _Compact(data).struct({2: None}) == {2: 7}


def test_an_npy_file_of_an_unknown_version_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", drawn(0))
    data = bytearray((tmp_path / "x.npy").read_bytes())
    assert data[6] == 1
    for version in (0, 3, 4, 200):  # from the second on the length has four bytes
        data[6] = version
        (tmp_path / "x.npy").write_bytes(data[:10] + b"\0\0" + data[10:])
        if version == 3:
            np.testing.assert_array_equal(read(tmp_path / "x.npy").values, drawn(0))
            continue
        with pytest.raises(ReadError, match="corrupt"):
            read(tmp_path / "x.npy")


def test_a_bundled_pair_is_called_by_the_title_of_its_checkpoint() -> None:
    for family in BUNDLED.values():
        one = family.checkpoints[-1]
        if one.name != "digits-held-out":
            assert prviz.bundled_pair(one.name).generated.name == f"{family.title}, {one.title}"


def test_of_as_many_names_as_are_shown_none_is_counted() -> None:
    assert listed(["a", "b"], most=2) == "'a', 'b'"
    assert listed(["a", "b", "c"], most=2) == "'a', 'b' and 1 more"


def test_the_ends_of_a_truncation_are_told_from_what_lies_between() -> None:
    families = BUNDLED.values()
    found = {each.title: each.summary for family in families for each in family.checkpoints}
    assert "full collapse" in found["psi = 0.0"]
    assert found["psi = 1.0"].startswith("The converged mixture as it is")
    assert "0.5 of each one's distance is left" in found["psi = 0.5"]


# ---- estimators and measures


def test_one_sample_has_no_spread() -> None:
    assert half_spread(as_samples(drawn(0, 1), name="one")) == 0.0


@pytest.mark.parametrize(("mean", "far"), [(100.0, False), (101.0, True), (199.0, True)])
def test_samples_are_far_from_zero_at_more_than_a_hundred_deviations(
    mean: float, far: bool
) -> None:
    pair = SamplePair([[mean - 1], [mean + 1]], [[mean + 1], [mean - 1]])
    assert _is_far(pair, np.array([mean])) == far


def test_the_table_of_scalars_has_the_diversity_at_half_the_spread() -> None:
    real = as_samples(drawn(0), name="real")
    generated = as_samples(2 * drawn(1), name="generated")
    found = prviz.scalars(real, generated)
    for role, samples in (("real", real), ("generated", generated)):
        assert found[f"rke_{role}"] == rke(samples, bandwidth=half_spread(real)) > 1


def test_expected_times_on_the_machine_of_reference_are_those_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their constants were fitted to measured times; whoever fits them anew writes these numbers
    anew.
    """
    monkeypatch.setattr(workload, "available_threads", lambda: 2)
    monkeypatch.setattr(
        workload, "_speed", lambda: (workload.REFERENCE.product, workload.REFERENCE.compare)
    )
    monkeypatch.setattr(workload.native, "library", lambda: None)
    found = [
        workload.estimate_seconds(3000, 2000, 64),
        workload.estimate_seconds(3000, 2000, 64, split=None),
        workload.estimate_seconds(3000, 2000, 64, ks=20, bandwidths=9, drawn=True, direct=1),
        workload.approximate_seconds(10_000, 20_000, 64),
        workload.approximate_seconds(10_000, 20_000, 64, split=None),
    ]
    assert found == pytest.approx(EXPECTED_SECONDS, rel=1e-9)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "about 1 s"),
        (89.0, "about 89 s"),
        (90.0, "about 2 min"),
        (5399.0, "about 90 min"),
        (5400.0, "about 1.5 h"),
    ],
)
def test_a_duration_in_words(seconds: float, text: str) -> None:
    assert workload.duration(seconds) == text


# ---- triage


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [
        (100, "sqrt", (1, 2, 3, 4, 7, 10, 20)),
        (100, 1, (1, 2, 3, 4, 7, 12, 20)),
        (100, 20, (1, 2, 3, 4, 7, 12, 20)),
    ],
)
def test_the_k_in_use_takes_the_place_of_the_nearest(
    n: int, k: int | str, expected: tuple[int, ...]
) -> None:
    assert usual_ks(n, TriageSettings(("knn",), k=k)) == expected  # type: ignore[arg-type]


def test_a_checkpoint_that_failed_hides_no_copies_of_the_next(tmp_path: Path) -> None:
    real = as_samples(drawn(0), name="real")
    np.save(tmp_path / "copies.npy", real.values)
    settings = TriageSettings(("knn",))
    (good,) = measure_all(real, [Checkpoint(tmp_path / "copies.npy", "copies")], settings)
    failed = CheckpointOutcome(Checkpoint(tmp_path / "gone.npy", "gone"), (), reason="gone")
    found = Triage(reference=real, settings=settings).results([failed, good])
    assert found.memorisation["copies"].memorised


def test_an_invented_mode_of_the_power_is_moved_by_twice_the_spread_of_the_set() -> None:
    fresh = drawn(0, 200, 5) * np.arange(1.0, 6.0)
    plant = next(plant for fault, (key, plant) in power.PLANTED.items() if key == "invention")
    moves = plant(fresh, fresh, np.random.default_rng(0)) - fresh
    moved = np.linalg.norm(moves, axis=1)
    expected = 2 * math.sqrt(float(((fresh - fresh.mean(axis=0)) ** 2).sum() / 200))
    np.testing.assert_allclose(moved[moved > 0], expected)
    assert 0 < np.count_nonzero(moved) < 100


@pytest.mark.parametrize(
    ("values", "each", "names"),
    [(4, 3, True), (4, 2, False), (LISTED_KINDS, 3, True), (LISTED_KINDS + 1, 3, False)],
)
def test_a_label_names_kinds_where_each_has_three_samples_and_there_are_few(
    values: int, each: int, names: bool
) -> None:
    column = np.repeat(np.arange(values), each)
    rows = np.arange(len(column))
    assert len(kinds(column, rows, rows[:2])) == values * names


def test_what_is_beyond_chance_is_the_share_less_what_real_samples_have() -> None:
    assert Excess(number=6, share=0.375, expected=0.125, low=0.1, high=0.4).value == 0.25


# ---- more of readers and measures


def test_a_table_of_text_may_begin_like_a_file_of_another_kind(tmp_path: Path) -> None:
    rows = [["PAR1_first", "second"], *([str(value) for value in row] for row in drawn(0, 30, 2))]
    (tmp_path / "x.csv").write_text("\n".join(",".join(row) for row in rows))
    np.testing.assert_array_equal(read(tmp_path / "x.csv").values, drawn(0, 30, 2))


@pytest.mark.exhaustive
def test_kept_findings_of_one_checkpoint_end_no_search_for_the_next(tmp_path: Path) -> None:
    real = as_samples(drawn(0), name="real")
    for name, spread in (("a", 1.0), ("b", 0.2)):
        np.save(tmp_path / f"{name}.npy", spread * drawn(1))
    settings = TriageSettings(("knn",))
    there = [Checkpoint(tmp_path / f"{name}.npy", name) for name in ("a", "b")]
    measured = [each.measured[0] for each in measure_all(real, there, settings)]
    store = ResultCache(tmp_path / "kept")
    keeping = Triage(reference=real, settings=settings, store=store)
    alone = keeping.of_each(keeping.faults, measured[:1])
    both = keeping.of_each(keeping.faults, measured)
    np.save(tmp_path / "a.npy", drawn(2))
    other = Triage(reference=real, settings=settings)
    assert list(other.of_each(other.faults, measured)) == ["b"]
    again = Triage(reference=real, settings=settings, store=ResultCache(store.folder))
    assert again.of_each(again.faults, measured) == both
    assert both["a"] == alone["a"]
    assert both["b"]


def test_sizes_are_checked_of_an_arrow_file_whose_footer_leaves_dictionaries_out() -> None:
    """As that of a writer that has none; pyarrow lists none, which is a list as well."""
    stream = io.BytesIO()
    batch = pa.record_batch({"a": np.arange(30.0)})
    with pa.ipc.new_file(stream, batch.schema) as writer:
        writer.write_batch(batch)
    data = bytearray(stream.getvalue())
    plain = list(_claims_of_file(io.BytesIO(data), len(data), Limits()))
    length = int.from_bytes(data[-10:-6], "little")
    start = len(data) - 10 - length
    root = start + int.from_bytes(data[start : start + 4], "little")
    offsets = root - int.from_bytes(data[root : root + 4], "little", signed=True) + 4
    data[offsets + 4 : offsets + 6] = b"\0\0"  # the place of the third field
    found = list(_claims_of_file(io.BytesIO(data), len(data), Limits()))
    assert found == plain
    assert [each.rows for each in found] == [30]


@pytest.mark.parametrize(
    ("different", "words"), [(1, "a single real sample only"), (2, "2 different real samples only")]
)
def test_a_reference_of_copies_says_how_many_samples_it_has(different: int, words: str) -> None:
    real = np.repeat(drawn(0, different), 60 // different, axis=0)
    facts = preflight(prviz.SamplePair(real, drawn(1))).facts
    found, *_ = row_faults(
        facts,
        memorisation(facts.pair.real, facts.pair.generated, held_out_distances(facts.pair.real)),
    )
    assert found.key == "repeated"
    assert words in found.sentence


@pytest.mark.parametrize(("private", "mode"), [(False, 0o755), (True, 0o700)])
def test_a_folder_of_results_is_for_whom_it_should_be(
    tmp_path: Path, private: bool, mode: int
) -> None:
    usual = os.umask(0o022)
    try:
        ResultCache(tmp_path / "kept", private=private).put_facts({"a": 1}, [1])
    finally:
        os.umask(usual)
    assert (tmp_path / "kept").stat().st_mode & 0o7777 == mode


def test_faults_of_the_samples_are_searched_once_whichever_family_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = as_samples(drawn(0), name="real")
    searched = list[SamplePair]()
    np.save(tmp_path / "a.npy", 0.2 * drawn(1))
    settings = TriageSettings(("knn", "kde"))
    (outcome,) = measure_all(real, [Checkpoint(tmp_path / "a.npy", "a")], settings)

    def search(pair: SamplePair, *given: Any, **options: Any) -> tuple[TriageFinding, ...]:
        searched.append(pair)
        return sample_faults(pair, *given, **options)

    monkeypatch.setattr(triage_module, "sample_faults", search)
    store = ResultCache(tmp_path / "kept")
    triage = Triage(reference=real, settings=settings, store=store)
    one, other = (triage.faults(each, lambda _: None) or () for each in outcome.measured)
    assert len(searched) == 1
    keys = [
        [each.key for each in found if each.key not in ("few", "outliers", "apart")]
        for found in (one, other)
    ]
    assert keys[0] == keys[1] != []
