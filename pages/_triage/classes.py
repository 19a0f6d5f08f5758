"""Part of the Triage page: one checkpoint class by class, where the real samples have labels or
pictures.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages._shared import answers
from pages._shared.widgets import choose_one
from pages._triage import clusters
from pages._triage.checkpoints import NONE_YET, CheckpointResults, measurement, selected
from pages._triage.ranking import by_score
from prviz.measure.estimates import Progress
from prviz.measure.workload import estimate_seconds
from prviz.readers.errors import error_text
from prviz.triage.classes import CONFIDENCE, LEAST_OF_CLASS, ClassShare, apart_text, by_class
from prviz.triage.evidence import kinds
from prviz.triage.measure import FAILURES
from prviz.triage.measured import MeasuredCheckpoint

WHAT = {
    "real": "real samples that no generated one is near",
    "generated": "generated samples that no real one is near",
}


def draw(found: CheckpointResults) -> None:
    labels = found.reference.labels
    rows = np.arange(found.reference.n)
    offered = [name for name, column in labels.items() if kinds(column, rows, rows)]
    if not found.measured:
        st.info(NONE_YET)
        return
    if clusters.has_pictures(found):
        offered.append(clusters.CHOICE)
    if not offered:
        st.info(
            "The real samples have no label that names classes. A table has one in a column beside"
            " the numbers, such as `label`; an .npz or .safetensors file in an array of that name."
        )
        return
    if len(offered) == 1:
        label = offered[0]
    else:
        label = choose_one("Label", offered, key="triage-class-label")
    name = selected(found) or by_score(found)[0]
    if label == clusters.CHOICE:
        clusters.draw(found, found.one(name))
        return
    shares = _shares(found, found.one(name), label)
    if isinstance(shares, str):
        st.error(shares, icon=":material/block:")
    elif shares:
        st.html(
            '<div class="classes" '
            f'data-prviz="classes"><h4>{html.escape(name)}</h4>{_table(shares)}</div>'
        )
        st.caption(
            "Share of each class's samples with its interval, worst first; dashed: what two equal"
            f" sets give. All intervals together hold with {100 * CONFIDENCE:.0f} % (Holm). Grey:"
            f" fewer than {LEAST_OF_CLASS} samples."
        )


def _shares(
    found: CheckpointResults, measured: MeasuredCheckpoint, label: str
) -> tuple[ClassShare, ...] | str | None:
    """The classes, the worst first, or why there are none; None until a job has them."""
    try:
        real, generated = found.pair(measured)
    except FAILURES as error:
        return error_text(error)

    theirs = generated.labels.get(label)
    if theirs is not None and (
        reason := apart_text(real.labels[label], theirs, "the reference", measured.checkpoint.name)
    ):
        return reason

    def compute(_: Progress) -> tuple[ClassShare, ...]:
        return by_class(real, generated, real.labels[label], theirs)

    seconds = estimate_seconds(real.n, generated.n, real.d, methods=1, split=None)
    return answers.tab_result(
        ("triage-classes", label, *measurement(found.settings, measured)), seconds, compute
    )


def _table(shares: Sequence[ClassShare]) -> str:
    """A block for each set, a line for each class: its share, and the interval beside the expected
    share.
    """
    blocks = []
    for role, what in WHAT.items():
        lines = "".join(_line(each) for each in shares if each.role == role)
        if lines:
            blocks.append(f"<section><p>Of each class, {what}</p>{lines}</section>")
    return "".join(blocks)


def _line(share: ClassShare) -> str:
    if share.few:
        kind = "few"
    elif share.worse:
        kind = "worse"
    else:
        kind = ""
    low, high, missed, expected = (
        f"{value:.1%}" for value in (share.low, share.high, share.missed, share.expected)
    )
    told = html.escape(f"{missed} ({low} to {high}), {expected} expected, {share.n:,} samples")
    return (
        f'<div class="line {kind}" title="{told}"><b>{html.escape(share.label)}</b><span>'
        f'<i style="left:{low};right:calc(100% - {high})"></i><em style="left:{missed}"></em>'
        f'<u style="left:{expected}"></u></span>{100 * share.missed:.0f} %</div>'
    )
