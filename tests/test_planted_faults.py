"""Faults that were planted by hand and that no test found: each by what a user would see of it."""

from __future__ import annotations

import base64
import io
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image

import prviz
from prviz.cli.main import main
from prviz.diagnostics.preflight import FEW_EVALUATED, preflight
from prviz.embed.base import EmbeddingEncoder, Features
from prviz.embed.pictures import decoded
from prviz.embed.registered import load_encoder
from prviz.embed.run import embed
from prviz.embed.sources import open_source
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.measure.kernel_scores import kid
from prviz.neighbors import Distances
from prviz.readers.media.looks import thumbnail
from prviz.samples import SamplePair, as_samples
from prviz.toys import toy
from prviz.triage.curve_findings import doubts
from prviz.triage.findings import findings
from prviz.triage.inputs import ArrivalWatch, Checkpoint, file_state
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import ResultCache, TriageSettings
from prviz.triage.yardstick import shares_of_ceiling, yardstick
from prviz.uncertainty.bootstrap import bootstrap
from tests.triage_files import measure_all


def drawn(seed: int, n: int = 120, spread: float = 1.0, shift: float = 0.0) -> np.ndarray:
    return spread * np.random.default_rng(seed).normal(size=(n, 3)) + shift


# ---- triage


@pytest.mark.exhaustive
@pytest.mark.parametrize("shift", [0.7, 1.5])
def test_the_missing_part_of_the_ceiling_is_said_in_percent(tmp_path: Path, shift: float) -> None:
    real = as_samples(drawn(0, 400), name="real")
    holdout = as_samples(drawn(1, 400), name="holdout")
    np.save(tmp_path / "one.npy", drawn(2, 400, shift=shift))
    settings = TriageSettings(("knn",))
    (outcome,) = measure_all(real, [Checkpoint(tmp_path / "one.npy", "one")], settings)
    (one,) = outcome.measured
    known = yardstick(real, settings, holdout)
    ceiling = known.ceiling["knn"]
    sentence = shares_of_ceiling([one], known)["one"].sentence
    percent = re.search(r"([\d.]+) % of the area is missing", sentence)
    assert percent is not None, sentence
    assert float(percent[1]) == pytest.approx(
        100 * (1 - one.curve.auc / ceiling.curve.auc), abs=0.51
    )


def test_the_halves_of_the_ceiling_have_no_sample_in_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = list[SamplePair]()
    whole = CheckpointEvaluator.measured

    def spied(self: CheckpointEvaluator, checkpoint: Checkpoint, pair: SamplePair) -> Any:
        pairs.append(pair)
        return whole(self, checkpoint, pair)

    monkeypatch.setattr(CheckpointEvaluator, "measured", spied)
    real = as_samples(np.arange(240.0).reshape(80, 3) ** 1.1, name="real")
    yardstick(real, TriageSettings(("knn",)))
    ceiling = pairs[0]
    halves = [{tuple(row) for row in each.values.tolist()} for each in ceiling]
    assert [len(each) for each in halves] == [40, 40]
    assert not halves[0] & halves[1]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "few"), [(0.099, False), (0.101, True), (0.15, True)])
def test_an_interval_wider_than_a_tenth_is_too_few_samples(width: float, few: bool) -> None:
    pair = SamplePair(drawn(0, 200), drawn(1, 200, shift=0.5))
    spread = bootstrap(estimate(pair, "knn")["knn"], 100, seed=0)
    levels = np.linspace(0.01, 0.999, 4000)
    widths = [
        np.ptp(np.quantile([each.auc for each in spread.curves], [0.5 - x / 2, 0.5 + x / 2]))
        for x in levels
    ]
    level = float(levels[np.searchsorted(widths, width)])
    found = doubts(replace(spread, level=level), preflight(pair).facts, FEW_EVALUATED)
    assert ("few" in [each.key for each in found]) == few


@pytest.mark.parametrize(("method", "judged"), [("knn", 40), ("tightest", 80)])
def test_too_few_samples_are_those_that_the_family_judges(method: str, judged: int) -> None:
    pair = SamplePair(drawn(0, 80), drawn(1, 80, shift=0.5))
    found = findings(pair, estimate(pair, method)[method], replicates=20)
    (few,) = (each for each in found if each.key == "few")
    assert few.sentence.startswith(f"With {judged} samples to evaluate")


def test_kept_results_of_another_bandwidth_do_not_serve(tmp_path: Path) -> None:
    real = as_samples(drawn(0), name="real")
    np.save(tmp_path / "one.npy", drawn(1, shift=0.5))
    store = ResultCache(tmp_path / "kept")
    for bandwidth in (0.3, 1.5, 0.3):
        settings = TriageSettings(("kde",), bandwidth=bandwidth)
        (outcome,) = measure_all(
            real, [Checkpoint(tmp_path / "one.npy", "one")], settings, store=store
        )
        (alone,) = estimate(
            SamplePair(real, drawn(1, shift=0.5)), ["kde"], bandwidth=bandwidth
        ).values()
        np.testing.assert_array_equal(outcome.measured[0].curve.vertices, alone.curve.vertices)


def test_the_memory_limit_of_the_shell_reaches_every_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = list[int | None]()
    made = Distances.__init__

    def spied(self: Distances, *parts: Any, **options: Any) -> None:
        limits.append(options.get("memory_limit"))
        made(self, *parts, **options)

    monkeypatch.setattr(Distances, "__init__", spied)
    for name, seed in (("real", 0), ("one", 1)):
        np.save(tmp_path / f"{name}.npy", drawn(seed, 40))
    line = [
        "triage",
        "--method",
        "knn",
        str(tmp_path / "real.npy"),
        str(tmp_path / "one.npy"),
        "--out",
        str(tmp_path / "kept"),
    ]
    assert main([*line, "--memory-limit", "77MB"]) == 0
    assert "one" in capsys.readouterr().out
    assert limits
    assert set(limits) == {77_000_000}


def test_a_file_that_is_written_again_while_it_is_read_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the look that found it whole and the reading, a training run opens it anew; later it
    is whole again.
    """
    run = tmp_path / "run"
    one = tmp_path / "run" / "one.npy"
    run.mkdir()
    for path, seed in ((tmp_path / "real.npy", 0), (one, 1)):
        np.save(path, drawn(seed))
    whole = CheckpointEvaluator.outcome
    looks = itertools.count()
    states = list[Any]()

    def half_written(self: CheckpointEvaluator, checkpoint: Checkpoint, progress: Any) -> Any:
        if not states:
            states.append(file_state(one))
            one.write_bytes(one.read_bytes()[:200])
        return whole(self, checkpoint, progress)

    def pause(seconds: float) -> None:
        if states and one.stat().st_size == 200:
            np.save(one, drawn(2))
        if next(looks) > 12:
            raise KeyboardInterrupt

    monkeypatch.setattr(CheckpointEvaluator, "outcome", half_written)
    monkeypatch.setattr(ArrivalWatch.__init__, "__defaults__", (0.0,))
    monkeypatch.setattr("time.sleep", pause)
    assert (
        main(
            [
                "triage",
                str(tmp_path / "real.npy"),
                str(run),
                "--watch",
                "--out",
                str(tmp_path / "kept"),
            ]
        )
        == 0
    )
    said = "".join(capsys.readouterr())
    assert states
    assert "one: AuC" in said
    assert "failed" not in said


# ---- Monitor


@pytest.mark.exhaustive
def test_steps_that_copy_the_real_samples_push_no_other_out(tmp_path: Path) -> None:
    """They have the highest scores, and only the best few steps are compared with a new one."""
    real = drawn(0, 60)
    monitor = prviz.Monitor(real, directory=tmp_path, holdout=drawn(1, 60), methods=["knn"], k=4)
    assert monitor.log(1, drawn(2, 60)).is_best
    for step in range(2, 8):
        assert monitor.log(step, real).memorised
    last = monitor.log(9, drawn(3, 60, shift=2.0))
    assert (last.is_best, last.best_step) == (False, 1)


@pytest.mark.exhaustive
def test_the_best_of_many_steps_stays_the_best(tmp_path: Path) -> None:
    """Of more steps than are compared with a new one, the best are."""
    monitor = prviz.Monitor(drawn(0, 60), directory=tmp_path, methods=["knn"], k=4)
    monitor.log(1, drawn(2, 60))
    for step in range(2, 8):
        said = monitor.log(step, drawn(step + 1, 60, shift=2.0 - 0.2 * step))
    assert (said.is_best, said.best_step) == (False, 1)


# ---- embed


class Constant(EmbeddingEncoder):
    """One number for every picture, which stands for its weights."""

    prefix = "constant"
    argument = ""
    takes = "pictures"
    name = "constant"
    transform = "none"
    versions: ClassVar = {"numpy": "0"}

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.weights_sha256 = f"{weight:064}"
        self.prepare = load_encoder("pixels:2").prepare

    @classmethod
    def load(cls, argument: str, options: Any) -> EmbeddingEncoder:
        return cls(float(argument))

    def encode(self, batch: Any) -> Features:
        return np.full((len(batch), 2), self.weight, np.float32)


def stopped(folder: Path, encoder: EmbeddingEncoder) -> Path:
    """A folder of 30 pictures and a broken one, at which the run has stopped."""
    folder.mkdir()
    for place in range(30):
        Image.new("RGB", (8, 8), (place, 0, 0)).save(folder / f"{place:02}.png")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    out = folder.parent / "x.safetensors"
    with pytest.raises(ValueError, match="1 of 31 can't be embedded"):
        embed(open_source(folder), encoder, out)
    return out


def test_a_run_that_goes_on_with_other_weights_embeds_anew(tmp_path: Path) -> None:
    out = stopped(tmp_path / "pictures", Constant(1.0))
    embed(open_source(tmp_path / "pictures"), Constant(2.0), out, skip_bad=True)
    assert np.unique(prviz.read(out).values).tolist() == [2.0]


def test_a_run_that_goes_on_after_a_picture_has_changed_embeds_it_anew(tmp_path: Path) -> None:
    encoder = load_encoder("pixels:2")
    out = stopped(tmp_path / "pictures", encoder)
    Image.new("RGB", (8, 8), (0, 255, 255)).save(tmp_path / "pictures" / "00.png")
    embed(open_source(tmp_path / "pictures"), encoder, out, skip_bad=True)
    np.testing.assert_array_equal(prviz.read(out).values[0], np.tile([0.0, 1.0, 1.0], 4))


def test_16_bits_of_grey_grow_from_black_to_white(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in "abc":
        Image.fromarray(np.linspace(0, 65535, 64).astype(np.uint16).reshape(8, 8)).save(
            folder / f"{name}.png"
        )
    embed(open_source(folder), load_encoder("pixels:8"), tmp_path / "x.safetensors")
    grey = prviz.read(tmp_path / "x.safetensors").values[0][::3]
    assert (grey[0], grey[-1]) == (0.0, 1.0)
    assert np.all(np.diff(grey) > 0)
    cut = np.asarray(decoded((folder / "a.png").read_bytes()).bands[0])[..., 0].ravel().astype(int)
    assert (cut[0], cut[-1]) == (0, 255)
    assert np.all(np.diff(cut) > 0)


def test_16_bits_of_grey_grow_from_black_to_white_in_a_thumbnail() -> None:
    stream = io.BytesIO()
    Image.fromarray(np.linspace(0, 65535, 64).astype(np.uint16)[None]).save(stream, "PNG")
    data = base64.b64decode(thumbnail(stream.getvalue()).partition(",")[2])
    with Image.open(io.BytesIO(data)) as image:
        grey = np.asarray(image.convert("L"), dtype=int)[0]
    assert (grey[0], grey[-1]) == (0, 255)
    assert np.all(np.diff(grey) > 0)


# ---- measures


@pytest.mark.exhaustive
def test_the_seed_of_tightest_draws_its_folds() -> None:
    split = toy("outlier").sample(60, 0).split(0.5, 0)
    tightest = ESTIMATORS["tightest"]

    def supports(seed: int) -> list[float]:
        (found,) = tightest.runs(split, k=12, seed=seed, progress=lambda _: None)
        return np.asarray(found.c_generated).tolist()

    assert supports(0) == supports(0)
    assert supports(0) != supports(1)


def kernel(one: Sequence[float], other: Sequence[float]) -> float:
    return (sum(a * b for a, b in zip(one, other, strict=True)) / len(one) + 1) ** 3


def test_the_deviation_of_kid_is_that_of_its_definition() -> None:
    real = drawn(0, 7).tolist()
    generated = drawn(1, 5, shift=0.5).tolist()

    def leans(own: list[list[float]], others: list[list[float]]) -> list[float]:
        """Mean k to the other samples of its own set, without itself, minus that to the other
        set.
        """
        found = []
        for place, row in enumerate(own):
            rest = [each for at, each in enumerate(own) if at != place]
            found.append(
                sum(kernel(row, each) for each in rest) / len(rest)
                - sum(kernel(row, each) for each in others) / len(others)
            )
        return found

    g = leans(real, generated)
    h = leans(generated, real)
    expected = math.sqrt(4 * float(np.var(g)) / 7 + 4 * float(np.var(h)) / 5)
    assert kid(np.array(real), np.array(generated)).std == pytest.approx(expected, rel=1e-12)
