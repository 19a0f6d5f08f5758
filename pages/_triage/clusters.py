"""Inside Triage's *Class by class*: what each cluster of one checkpoint and the reference holds, in
pictures.
"""

from __future__ import annotations

import html

import streamlit as st

from pages._shared import answers, media
from pages._triage.checkpoints import CheckpointResults, measurement
from pages._triage.gallery import pictures
from prviz.arrays import Ints
from prviz.diagnostics.clusters import ClusterMembers, cluster_members
from prviz.estimators.cluster import CLUSTERS
from prviz.measure.estimates import Progress
from prviz.neighbors.balls import Role
from prviz.readers.errors import error_text
from prviz.samples import Samples
from prviz.triage.measure import FAILURES
from prviz.triage.measured import MeasuredCheckpoint

# The choice's name among those of the labels.
CHOICE = "clusters, in pictures"
# Pictures of each set in one cluster, and seconds of k-means per value.
_PICTURES = 8
_SECONDS = 2e-6


def has_pictures(found: CheckpointResults) -> bool:
    return any(look.picture for look in media.shown(found.reference, [0], found.uploaded))


def draw(found: CheckpointResults, measured: MeasuredCheckpoint) -> None:
    """A line for each cluster: its pictures on either side of the shares that it holds of both
    sets.
    """
    try:
        pair = found.pair(measured)
    except FAILURES as error:
        st.error(error_text(error), icon=":material/block:")
        return

    def compute(_: Progress) -> tuple[ClusterMembers, ...]:
        return cluster_members(pair)

    seconds = (pair.real.n + pair.generated.n) * pair.d * _SECONDS
    known: tuple[ClusterMembers, ...] | None = answers.tab_result(
        ("triage-clusters", *measurement(found.settings, measured)), seconds, compute
    )
    if known is None:
        return
    most = max(max(each.real_share, each.generated_share) for each in known)
    lines = "".join(_line(found, pair.real, pair.generated, each, most) for each in known)
    name = html.escape(measured.checkpoint.name)
    st.html(f'<div class="clusters" data-prviz="clusters"><h4>{name}</h4>{lines}</div>')
    st.caption(
        f"{CLUSTERS} clusters of k-means on both sets together, the most lopsided first. Pictures:"
        " nearest to the middle of each, real on the left, generated on the right; between them"
        " its share of each set."
    )


def _line(
    found: CheckpointResults,
    real: Samples,
    generated: Samples,
    cluster: ClusterMembers,
    most: float,
) -> str:
    shares = (cluster.real_share, cluster.generated_share)
    bars = "".join(
        f'<span class="{role}" title="{100 * share:.1f} % of the {role}"><i'
        f' style="width:{100 * share / most:.1f}%"></i></span>'
        for role, share in zip(("real", "generated"), shares, strict=True)
    )
    before, after = (f"<b>{100 * share:.1f} %</b>" for share in shares)
    return (
        f'<div class="cluster">{_wall(found, real, cluster.real, "real")}{before}{bars}'
        f"{after}{_wall(found, generated, cluster.generated, 'generated')}</div>"
    )


def _wall(found: CheckpointResults, samples: Samples, rows: Ints, role: Role) -> str:
    shown = rows[:_PICTURES].tolist()
    images = "".join(pictures(role, shown, media.shown(samples, shown, found.uploaded)))
    return f'<div class="wall {role}">{images}</div>'
