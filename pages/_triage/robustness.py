"""Part of the Triage page: how robust the verdict is to other families, other k and fewer samples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import cast

import pandas as pd
import streamlit as st

from pages._shared import cache, work_box
from pages._shared.text import plain
from pages._triage import robustness_figures, robustness_form
from pages._triage.checkpoints import CheckpointResults
from pages._triage.robustness_form import RobustnessGrid
from prviz.studies.tasks import Row
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.stability import COLUMNS, StabilityTask, known_rows, stability_seconds, stability_tasks

IDEA = (
    "A ranking rests on choices: the **family** of classifiers that the curves come from, the number of neighbours "
    "**k** that most of them have, and which samples were drawn. Here every checkpoint is measured again with other "
    "families, other k and fewer samples, each time the best one is noted, and you see where the verdict "
    "would differ. Moving the goal in the part Ranking updates all of it without measuring again."
)
# Session key of the checkpoints that the user began with while others were still being measured.
TAKEN = "firmness.taken"
# Session key of the latest request, whose rows are reused when the form changes, and the most rows that are reused.
_LATEST, _MOST_ROWS = "firmness.latest", 50_000


def show(found: CheckpointResults) -> None:
    st.markdown(IDEA)
    measured = _measured(found)
    if len(measured) < 2:
        if found.complete:
            st.info("Two measured checkpoints are needed: with one there is nothing to win.", icon=":material/info:")
        return
    try:
        grid = robustness_form.chosen(found, measured)
        key = ("triage-firmness", found.reference.digest, found.settings, _identity(measured), grid)
        tasks = cache.remembered((key, found.key), lambda: _tasks(found, measured, grid))
    except (ValueError, TypeError) as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    known = _known(key, found, tasks)
    names = [each.checkpoint.name for each in measured]
    work = work_box.WorkRequest(key, "Firmness", tasks, COLUMNS, _seconds(tasks, known), private=True, known=known)

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        robustness_figures.draw(rows, complete, names, grid, found)

    work_box.box(work, draw)


def _measured(found: CheckpointResults) -> Sequence[MeasuredCheckpoint]:
    """All checkpoints; while others are still being measured, those that the user began with."""
    if found.complete:
        return found.measured
    taken = set(st.session_state.get(TAKEN, ()))
    begun = [each for each in found.measured if each.checkpoint.path in taken]
    count = len(found.measured)
    if len(begun) >= 2:
        st.caption(f"Of the {len(begun)} checkpoints that were measured when you took them; {found.total} are to come.")
        return begun
    st.info(
        f"{len(found.outcomes)} of {found.total} checkpoints are measured. This part begins when all are.",
        icon=":material/hourglass:",
    )
    if count >= 2:
        paths = tuple(each.checkpoint.path for each in found.measured)
        st.button(f"Begin with these {count}", on_click=lambda: st.session_state.update({TAKEN: paths}))
    return []


def _identity(measured: Sequence[MeasuredCheckpoint]) -> Hashable:
    return tuple((each.checkpoint.name, each.digests.generated, each.n_real) for each in measured)


def _tasks(
    found: CheckpointResults, measured: Sequence[MeasuredCheckpoint], grid: RobustnessGrid
) -> list[StabilityTask]:
    return stability_tasks(
        found.reference,
        measured,
        found.load,
        found.settings,
        methods=grid.methods,
        ks=grid.ks,
        shares=grid.shares,
        repeats=grid.repeats,
    )


def _seconds(tasks: Sequence[StabilityTask], known: Mapping[str, Row]) -> float:
    """Estimated seconds of all tasks, each at the mean cost of those left."""
    left = [each for task in tasks if (each := task.left(known)) is not None]
    return stability_seconds(left) * len(tasks) / max(len(left), 1)


def _known(key: Hashable, found: CheckpointResults, tasks: Sequence[StabilityTask]) -> dict[str, Row]:
    """Rows known already, from the measurements and from the form's former request, whose run is stopped."""
    earlier: dict[str, Row] = cache.session().results.get("triage-firmness-rows") or {}
    latest = st.session_state.get(_LATEST)
    if latest is not None and latest != key and (run := cache.session().runs.get(latest)) is not None:
        run.stop()
        earlier = {**earlier, **{row["key"]: row for row in cast(list[Row], run.rows().to_dict("records"))}}
        cache.session().results.put("triage-firmness-rows", dict(list(earlier.items())[-_MOST_ROWS:]))
    st.session_state[_LATEST] = key
    own = cache.remembered(
        ("triage-firmness-known", found.key, key),
        lambda: known_rows(tasks, [each for method in found.settings.methods for each in found.by(method)]),
    )
    names = {key: task.checkpoint.name for task in tasks for key in task.keys}  # the user may have renamed a checkpoint
    return {**{key: {**earlier[key], "checkpoint": name} for key, name in names.items() if key in earlier}, **own}
