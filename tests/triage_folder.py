"""Checkpoints on disk with one fault each, measured for real, for tests of the Triage page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pages._triage.checkpoints import CheckpointResults
from prviz.readers import read
from prviz.samples import SamplePair
from prviz.toys import toy
from prviz.triage.decision import Basis
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import TriageSettings
from tests.triage_files import measure_all


def mixture(p: Sequence[float], q: Sequence[float], n: int) -> SamplePair:
    means = (0.0, -5.0, 3.0, 6.0)[: len(p)]
    return toy(
        "mixtures", d=16, means=means, real_weights=tuple(p), generated_weights=tuple(q)
    ).sample(n, 0)


def outlying(n: int = 400) -> SamplePair:
    """A fifth of the generated samples lie where only balls around real outliers reach."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(n, 6))
    generated = rng.normal(size=(n, 6))
    generated[: n // 5] += 20.0 * np.eye(6)[0]
    real[:4] = 40.0 * np.eye(6)[0] + rng.normal(size=(4, 6))
    return SamplePair(real, generated)


def pair_of(fault: str) -> SamplePair:
    """A pair that shows this fault and hardly another."""
    if fault == "reweighting":
        return mixture((0.5, 0.5), (0.85, 0.15), 800)
    if fault == "dropping":
        return mixture((0.3, 0.3, 0.4), (0.5, 0.5, 0.0), 400)
    if fault == "invention":
        return mixture((0.5, 0.5, 0.0), (0.4, 0.4, 0.2), 400)
    if fault == "outliers":
        return outlying()
    same = toy("shifted-gaussians", d=16, mu=0).sample(60 if fault == "few" else 400, 0)
    generated = np.array(same.generated.values)
    if fault == "collapse":
        generated = np.repeat(generated[:133], 4, axis=0)[:400]
    if fault == "flat":
        generated[:, 6:] *= 0.01
    if fault == "apart":
        generated *= 10.0
    return SamplePair(same.real, generated)


def folder_found(
    folder: Path, fault: str, method: str = "knn", *, table: bool = False
) -> CheckpointResults:
    """One checkpoint against its reference, both files in this folder; as tables they have labels
    and texts.
    """
    pair = pair_of(fault)
    suffix = "csv" if table else "npy"
    for side, name in zip(pair, ("reference", fault), strict=True):
        path = folder / f"{name}.{suffix}"
        if table:
            header = [f"f{i}" for i in range(side.d)]
            kinds = np.where(side.values[:, 0] > 2, "right", "left")
            lines = [
                ",".join([*map(repr, row.tolist()), kind, f"a <b>text</b> of row {place}"])
                for place, (row, kind) in enumerate(zip(side.values, kinds, strict=True), start=1)
            ]
            path.write_text("\n".join([",".join([*header, "label", "text"]), *lines]))
        else:
            np.save(path, side.values)
    reference = read(folder / f"reference.{suffix}")
    settings = TriageSettings((method,))
    checkpoint = Checkpoint(folder / f"{fault}.{suffix}", fault)
    outcomes = tuple(measure_all(reference, [checkpoint], settings))
    key = ("folder", str(folder), fault, method)
    return CheckpointResults(
        key=key,
        reference=reference,
        load=lambda each: read(each.path),
        settings=settings,
        basis=Basis(method, ""),
        outcomes=outcomes,
        total=1,
    )
