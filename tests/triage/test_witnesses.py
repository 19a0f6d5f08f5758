"""What gives checkpoints away: named once, kept, and said in the text, the JSON and the page of a
report.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import prviz
from prviz.cli.main import main
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.reports.document import schema
from prviz.samples import as_samples
from prviz.triage import decision, triage as triage_module
from prviz.triage.decision import WitnessEntry, believed_areas
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, ResultCache, TriageSettings
from prviz.triage.triage import Triage
from tests.triage_files import measure_all


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A real set, a checkpoint like it, and one of which a feature has no negative values."""
    rng = np.random.default_rng(0)
    for name in ("real", "alike", "clipped"):
        values = rng.normal(size=(200, 3))
        if name == "clipped":
            values[:, 1] = np.maximum(values[:, 1], 0)
        np.save(tmp_path / f"{name}.npy", values)
    return tmp_path


@pytest.mark.exhaustive
def test_the_command_says_and_writes_what_gives_a_checkpoint_away(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [run / "report.json", run / "report.html"]
    files = [str(run / f"{name}.npy") for name in ("real", "alike", "clipped")]
    options = [part for path in outputs for part in ("--report", str(path))]
    assert main(["triage", *files, "--method", "knn", "--out", str(run / "kept"), *options]) == 0
    said = capsys.readouterr().out
    expected = prviz.witness(*map(np.load, (files[0], files[2])), without=False)
    assert expected.columns == (1,)
    assert f"  clipped: {GIVES_AWAY}: {expected.text}." in said
    assert f"alike: {GIVES_AWAY}" not in said
    report = json.loads(outputs[0].read_text("utf-8"))
    Draft202012Validator(schema()).validate(report)
    found = {each["name"]: each["witness"] for each in report["checkpoints"]}
    assert found["clipped"] == expected.entry()
    assert not found["alike"]["told_apart"]
    page = outputs[1].read_text("utf-8")
    assert page.count(f"<b>{GIVES_AWAY}</b>: feature 2 below 0: 0 % generated") == 1


def witnesses_of(
    triage: Triage,
    measured: Sequence[MeasuredCheckpoint],
    areas: Mapping[str, float] | None = None,
) -> dict[str, WitnessEntry]:
    known = areas or {}
    return triage.of_each(
        lambda each, step: triage.witness(each, step, known.get(each.checkpoint.name)), measured
    )


@pytest.mark.exhaustive
def test_what_remains_is_measured_of_the_best_checkpoints(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = as_samples(np.load(run / "real.npy"), name="real")
    settings = TriageSettings(methods=("knn", "tightest"))
    checkpoints = [Checkpoint(run / f"{name}.npy", name) for name in ("alike", "clipped")]
    measured = [
        each for outcome in measure_all(real, checkpoints, settings) for each in outcome.measured
    ]
    areas = believed_areas(measured)
    assert list(areas) == ["alike", "clipped"]  # the best first
    by_neighbours = [each for each in measured if each.method == "knn"]
    triage = Triage(reference=real, settings=settings, store=ResultCache(run / "kept"))
    without = witnesses_of(triage, by_neighbours)
    assert without["clipped"]["area"] is None
    with_them = witnesses_of(triage, by_neighbours, areas)
    assert with_them["clipped"]["area"] == areas["clipped"]
    assert with_them["clipped"]["area_without"] > areas["clipped"]
    assert with_them["clipped"]["statements"][-1].startswith(
        f"area {areas['clipped']:.2f}; without this one: "
    )
    assert with_them["alike"]["area"] is None  # nothing is named
    fresh = replace(triage, store=ResultCache(run / "fresh"))
    witnesses_of(fresh, by_neighbours, {"clipped": areas["clipped"]})
    assert fresh.witness(by_neighbours[1], None) == with_them["clipped"]
    with monkeypatch.context() as patched:  # what is kept with areas is kept without them too
        patched.setattr(triage_module, "witness", None)
        for store in (fresh.store, ResultCache(run / "fresh")):
            again = witnesses_of(replace(triage, store=store), by_neighbours[1:])
            assert again == {"clipped": without["clipped"]}
    monkeypatch.setattr(decision, "_BEST", 1)
    assert list(believed_areas(measured)) == ["alike"]


def test_a_witness_is_kept_and_one_of_a_changed_file_is_none(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = as_samples(np.load(run / "real.npy"), name="real")
    settings = TriageSettings()
    triage = Triage(reference=real, settings=settings, store=ResultCache(run / "kept"))
    checkpoint = Checkpoint(run / "clipped.npy", "clipped")
    (outcome,) = measure_all(real, [checkpoint], settings)
    assert triage.witness(outcome.measured[0], None) is None
    first = witnesses_of(triage, outcome.measured)
    with monkeypatch.context() as patched:
        patched.setattr(triage_module, "witness", None)
        again = witnesses_of(replace(triage, store=ResultCache(run / "kept")), outcome.measured)
    assert json.dumps(again) == json.dumps(first)
    np.save(checkpoint.path, np.ones((200, 3)))
    assert witnesses_of(Triage(reference=real, settings=settings), outcome.measured) == {}
