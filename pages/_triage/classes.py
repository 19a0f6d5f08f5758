"""Part "Class by class": what one checkpoint misses and invents, by the classes that labels name or
by clusters.
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Sequence

import numpy as np
import streamlit as st

from pages._shared import answers, media
from pages._shared.widgets import choose_one, say_refusal
from pages._triage.checkpoints import NONE_YET, CheckpointResults, by_score, measurement, selected
from pages._triage.gallery import pictures
from prviz.diagnostics.clusters import ClusterMembers, cluster_members
from prviz.estimators.cluster import CLUSTERS
from prviz.measure.workload import estimate_seconds
from prviz.neighbors.balls import ROLES
from prviz.readers.errors import error_text
from prviz.samples import SamplePair
from prviz.triage.classes import CONFIDENCE, LEAST_OF_CLASS, ClassShare, apart_text, by_class
from prviz.triage.evidence import kinds
from prviz.triage.measure import FAILURES

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
    if has_pictures(found):
        offered.append(CHOICE)
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
    measured = found.one(name)
    try:
        pair = found.pair(measured)
    except FAILURES as error:
        say_refusal(error_text(error))
        return
    key = measurement(found.settings, measured)
    if label == CHOICE:
        _draw_clusters(found, pair, name, key)
        return
    of_real = pair.real.labels[label]
    of_generated = pair.generated.labels.get(label)
    if of_generated is not None:
        reason = apart_text(of_real, of_generated, "the reference", name)
        if reason:
            say_refusal(reason)
            return
    seconds = estimate_seconds(pair.real.n, pair.generated.n, pair.d, methods=1, split=None)
    shares = answers.tab_result(
        ("triage-classes", label, *key),
        seconds,
        lambda _: by_class(pair.real, pair.generated, of_real, of_generated),
    )
    if shares:
        st.html(
            '<div class="classes" '
            f'data-prviz="classes"><h4>{html.escape(name)}</h4>{_table(shares)}</div>'
        )
        st.caption(
            "Share of each class's samples with its interval, worst first; dashed: what two equal"
            f" sets give. All intervals together hold with {100 * CONFIDENCE:.0f} % (Holm). Grey:"
            f" fewer than {LEAST_OF_CLASS} samples."
        )


def _table(shares: Sequence[ClassShare]) -> str:
    """HTML with a block for each set and a line for each class.

    A line shows which share of the class is missed or invented, the interval of this share, and the
    expected share.
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


# ---- clusters of k-means, shown in pictures ----

# Option in the choice of a label: k-means clusters instead of the classes of a label.
CHOICE = "clusters, in pictures"
# _PICTURES: most pictures of each set that are shown for a cluster. _SECONDS: seconds that k-means
# takes for one value.
_PICTURES = 8
_SECONDS = 2e-6


def has_pictures(found: CheckpointResults) -> bool:
    return any(look.picture for look in media.shown(found.reference, [0], found.uploaded))


def _draw_clusters(
    found: CheckpointResults, pair: SamplePair, name: str, key: tuple[Hashable, ...]
) -> None:
    """Draw a line for each cluster: its share of each set as bars, between pictures of its
    samples.
    """
    seconds = (pair.real.n + pair.generated.n) * pair.d * _SECONDS
    known = answers.tab_result(("triage-clusters", *key), seconds, lambda _: cluster_members(pair))
    if known is None:
        return
    most = max(max(each.real_share, each.generated_share) for each in known)
    lines = "".join(_cluster(found, pair, each, most) for each in known)
    head = f"<h4>{html.escape(name)}</h4>"
    st.html(f'<div class="clusters" data-prviz="clusters">{head}{lines}</div>')
    st.caption(
        f"{CLUSTERS} clusters of k-means on both sets together, the most lopsided first. Pictures:"
        " nearest to the middle of each, real on the left, generated on the right; between them"
        " its share of each set."
    )


def _cluster(
    found: CheckpointResults, pair: SamplePair, cluster: ClusterMembers, most: float
) -> str:
    bars = ""
    sides = []
    for role, side, rows, share in zip(
        ROLES,
        pair,
        (cluster.real, cluster.generated),
        (cluster.real_share, cluster.generated_share),
        strict=True,
    ):
        percent = f"{100 * share:.1f} %"
        width = f"{100 * share / most:.1f}%"
        bar = f'<i style="width:{width}"></i>'
        bars += f'<span class="{role}" title="{percent} of the {role}">{bar}</span>'
        shown = rows[:_PICTURES].tolist()
        images = "".join(pictures(role, shown, media.shown(side, shown, found.uploaded)))
        sides.append((f'<div class="wall {role}">{images}</div>', f"<b>{percent}</b>"))
    (wall, before), (other, after) = sides
    return f'<div class="cluster">{wall}{before}{bars}{after}{other}</div>'
