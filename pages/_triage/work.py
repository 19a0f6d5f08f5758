"""The session's measurement: start, stop, continue, progress, the table of checkpoints, and the parts in tabs."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages._shared import answers, cache
from pages._shared import work_box as background
from pages._shared.families import titles
from pages._shared.text import plain
from pages._shared.widgets import choose_one
from pages._triage import comparison, diagnosis, equal_fd, overview, ranking, report, robustness
from pages._triage.checkpoints import CheckpointResults, count_of
from pages._triage.run import Run
from pages._triage.session import EQUAL, METHOD, PART, session
from pages._triage.source import CheckpointSource, offer
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import passes
from prviz.measure.workload import cut, duration, estimate_seconds
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import other_encoders, unequal
from prviz.triage.measured import CheckpointOutcome, TriageSettings

PARTS: Mapping[str, Callable[[CheckpointResults], None]] = {
    "Overview": overview.draw,
    "Ranking": ranking.draw,
    "How firm is it?": robustness.draw,
    "What is wrong with it?": diagnosis.draw,
    "Compare two": comparison.draw,
    "Equal distance": equal_fd.draw,
    "Report": report.draw,
}
# Seconds between polls of the browser while a measurement or job runs.
PAUSE = 1.0
# Seconds between drawings of the parts during a measurement, which they slow down.
PARTS_PAUSE = 3.0
# Most measurements that one session keeps, for all settings.
MOST_RUNS = 8


def box(source: CheckpointSource, settings: TriageSettings) -> None:
    """Draw the table and the parts; each polls by itself while work is in progress."""
    try:
        run = _run(source, settings)
    except ValueError as error:
        st.error(f"Results can't be kept: {plain(error)}.", icon=":material/save:")
        return
    layout = _layout(source, run)
    st.fragment(_progress, run_every=PAUSE if run.working else None)(source, settings, run, layout)
    if layout[2]:
        if len(settings.methods) > 1:
            st.session_state[METHOD] = _method(settings)
            choose_one("Family looked at", titles(settings.methods), key=METHOD, persist_state="session")
        pause = _pause(run)
        st.fragment(_draw_parts, run_every=pause)(source, settings, run, pause)


def _layout(source: CheckpointSource, run: Run) -> tuple[bool, Hashable, bool]:
    """(at work, labels, something is measured): a change draws the whole page again."""
    measured = any(each.measured for each in run.outcomes(labelled(source)))
    return run.working, tuple(labels(source).items()), measured


def _method(settings: TriageSettings) -> str:
    chosen = st.session_state.get(METHOD)
    return chosen if chosen in settings.methods else settings.methods[0]


def _run(source: CheckpointSource, settings: TriageSettings) -> Run:
    """The measurement of this source with these settings; any other of the session is stopped."""
    key, runs = (source.key, settings), session().runs
    if key not in runs:
        n, families = source.reference.n, passes(settings.methods)
        seconds = estimate_seconds(n, n, source.reference.d, **families, split=settings.split)  # type: ignore[misc]
        new = Run(
            source.reference, source.checkpoints, settings, store=source.store(), seconds=seconds, holds=source.holds
        )
        # Outcomes of unchanged files from runs with the same settings and at least these families.
        for before, former in session().runs.values():
            same_else = replace(former.settings, methods=settings.methods) == settings
            covers = same_else and set(settings.methods) <= set(former.settings.methods)
            if before.base == source.base and covers and not settings.equal_sizes:
                paths = [each.path for each in source.checkpoints]
                new.know(former, [each for each in paths if before.signatures.get(each) == source.signatures.get(each)])
        runs[key] = source, new
    runs.move_to_end(key)
    for each in list(runs)[:-1]:
        runs[each][1].stop()
    while len(runs) > MOST_RUNS:
        runs.popitem(last=False)
    return runs[key][1]


def _pause(run: Run) -> float | None:
    """Seconds between drawings of the parts; None: drawn once."""
    return PAUSE if answers.awaited() else PARTS_PAUSE if run.working else None


def _progress(source: CheckpointSource, settings: TriageSettings, run: Run, layout: Hashable) -> None:
    """Draw progress and table; a change that matters elsewhere draws the whole page again."""
    run.touch()
    outcomes = run.outcomes(labelled(source))
    failed = [each for each in outcomes if each.reason is not None]
    unit = count_of(run.total, "checkpoint").partition(" ")[2]
    size = "" if run.total == 1 else ", if all are as large as the reference"
    background.buttons(
        run,
        unit,
        lambda: _order(Run.start),
        lambda: _order(Run.stop),
        keys=("triage-work", "triage-start", "triage-stop"),
        waits=run.working,
        first=f"{run.total} {unit}, {duration(run.seconds_left)} on this machine{size}.",
        stopping="stopping",
        done=f", {len(failed)} of them failed" if failed else "",
    )
    if run.error is not None:
        st.error(f"{plain(background.error_text(run.error))} What was measured before stays.", icon=":material/block:")
    if run.store.trouble is not None:
        trouble = f"{run.store.trouble}; everything is shown all the same, but measured again the next time"
        st.warning(f"{plain(trouble)}.", icon=":material/save:")
    arrays = tuple(dict.fromkeys(choice for each in outcomes for choice in each.choices))
    if arrays and offer(source.which, arrays):
        st.rerun(scope="app")
    _draw_table(source, run, outcomes, _method(settings))
    if failed:
        lines = [f"- **{plain(each.checkpoint.name)}**: {plain(each.reason).rstrip('.')}." for each in failed]
        others = "" if len(failed) == run.total else "; the others are not affected"
        text = "\n".join([f"{len(failed)} of {run.total} could not be measured{others}.", *lines])
        st.warning(text, icon=":material/block:")
        if run.complete:
            st.button(
                "Try them again", on_click=_order, args=(Run.retry,), key="triage-retry", icon=":material/refresh:"
            )
    note = None if settings.equal_sizes else unequal(one for each in outcomes for one in each.measured)
    if note is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(f"{note[0].upper()}{note[1:]}.", icon=":material/balance:")
            if st.button(
                "Use equal sizes", on_click=lambda: st.session_state.update({EQUAL: True}), key="triage-use-equal"
            ):
                st.rerun()  # the setting is above this fragment
    if note := other_encoders(one for each in outcomes for one in each.measured):
        st.warning(f"{plain(note)}.", icon=":material/warning:")
    if layout != _layout(source, run):
        st.rerun()


def _order(what: Callable[[Run], None]) -> None:
    """Callback: start, stop or retry the measurement on screen; a button holds no run (see `_draw_table`)."""
    runs = session().runs
    if runs:
        what(runs[next(reversed(runs))][1])


# ---- the parts ----


def come_back() -> None:
    """Reopen the part that was open when the page was left."""
    if session().left_part is not None:
        st.session_state[PART] = session().left_part


def _draw_parts(source: CheckpointSource, settings: TriageSettings, run: Run, pause: float | None) -> None:
    """Draw the parts for the measured checkpoints in tabs; only the open one is computed."""
    run.touch()
    job = answers.aside()
    with st.container():  # always present, so that the figures below keep their place and state
        if job is not None:
            with st.container(horizontal=True, vertical_alignment="center", key="triage-aside"):
                st.button(
                    "Stop this",
                    on_click=cache.session().jobs.stop,
                    args=(job.key,),
                    key="triage-stop-aside",
                    icon=":material/stop:",
                )
                st.progress(job.share, f"Measuring for the open part, {duration(job.seconds_left)} left")
    # The parts show the outcomes that a running job was started with, so that it can finish, else the newest.
    about, kept = (source.key, settings, tuple(labels(source).items())), session()
    if job is None or kept.steady is None or kept.steady[0] != about:
        kept.steady = about, run.outcomes(labelled(source))
    outcomes, method = kept.steady[1], _method(settings)
    sizes = {one.n_real for each in outcomes for one in each.measured}
    reference, load = source.reference, source.load
    if settings.equal_sizes and sizes:
        whole, cut_key = reference, ("triage-cut", source.key, settings, min(sizes))
        reference = cache.held_samples(cut_key, lambda: cut(whole, min(sizes), settings.seed))

        def load(checkpoint: Checkpoint) -> Samples:
            return cut(source.load(checkpoint), reference.n, settings.seed)

    contents = tuple(
        (each.checkpoint, each.reason, tuple(one.digests for one in each.measured[:1])) for each in outcomes
    )
    results = CheckpointResults(
        key=("triage", source.key, settings, method, contents, source.holdout and source.holdout.digest),
        reference=reference,
        load=load,
        settings=settings,
        method=method,
        outcomes=outcomes,
        total=run.total,
        holdout=source.holdout,
        uploaded=source.uploaded,
    )
    tabs = st.tabs(list(PARTS), on_change="rerun", key=PART)
    session().left_part = st.session_state.get(PART)
    for tab, draw in zip(tabs, PARTS.values(), strict=True):
        if tab.open:
            with tab:
                draw(results)
    if pause != _pause(run):
        st.rerun()


NAME, STEP, STATE = "Name", "Step", "State"
LONGEST_NAME = 200
# Visible rows; heights of a row and of the head in pixels.
MOST_ROWS, ROW, HEAD = 12, 35, 38
_AREA = (
    "Area under the precision-recall curve (AuC) by the selected family: 1 where the generated samples can't "
    "be told from the real ones, 0 where they have nothing in common."
)

Label = tuple[str, float | None]


def labels(source: CheckpointSource) -> dict[Path, Label]:
    return session().labels.setdefault(source.which, {})


def labelled(source: CheckpointSource) -> list[Checkpoint]:
    """The checkpoints with the user's names and steps, in the order of the list."""
    typed = labels(source)
    return [
        replace(each, name=typed[each.path][0], step=typed[each.path][1]) if each.path in typed else each
        for each in source.checkpoints
    ]


def _draw_table(source: CheckpointSource, run: Run, outcomes: Sequence[CheckpointOutcome], method: str) -> None:
    """Draw the table, in which names and steps can be edited without measuring again."""
    checkpoints, by_path = labelled(source), {each.checkpoint.path: each for each in outcomes}
    columns = list(dict.fromkeys(name for each in checkpoints for name in each.extra))
    heads = _heads(columns)
    rows = [_table_row(each, by_path.get(each.path), run, method, columns) for each in checkpoints]
    area = f"AuC, {ESTIMATORS[method].title}"
    kept = session()
    # Not handed to `_take`: Streamlit keeps what the callbacks of all widgets hold that a session ever had.
    kept.listed = source
    # What was typed is held by its place in the list.
    listed = hash((source.which, *(each.path for each in checkpoints)))
    key = f"triage-table-{listed}-{kept.refused_labels}"
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.data_editor(
        pd.DataFrame(rows, columns=[NAME, STEP, area, STATE, "n", *heads]),
        key=key,
        hide_index=True,
        height=HEAD + ROW * min(len(rows), MOST_ROWS),
        row_height=ROW,
        disabled=[area, STATE, "n", *heads],
        column_config={
            NAME: text(width="medium", required=True, max_chars=LONGEST_NAME),
            STEP: number(width="small", help="Training step, epoch, or whatever orders the list."),
            area: number(format="%.4f", width="small", help=_AREA),
            STATE: text(width="medium"),
            "n": number(width="small", help="Generated samples that were measured."),
        },
        placeholder="–",
        on_change=_take,
        args=(key,),
        alt=f"Checkpoints: name, step, AuC, state and number of samples of {len(rows)}.",
    )
    if kept.refused_label is not None and kept.refused_label[0] == source.key:
        st.error(plain(kept.refused_label[1]), icon=":material/block:")


def _heads(columns: Sequence[str]) -> list[str]:
    """Titles for columns of the metadata, different from each other and from the table's own."""
    heads: list[str] = []
    for name in columns:
        own = name in (NAME, STEP, STATE, "n") or name.startswith("AuC,")
        head = f"{name} (metadata)" if own else name
        while head in heads:
            head += "'"
        heads.append(head)
    return heads


def _table_row(
    each: Checkpoint, outcome: CheckpointOutcome | None, run: Run, method: str, columns: Sequence[str]
) -> list[Any]:
    measured = next((one for one in outcome.measured if one.method == method), None) if outcome else None
    if outcome is None:
        state = "at work" if run.now == each.path else "waits" if run.working else "not measured"
    elif outcome.reason is not None:
        state = f"failed: {outcome.reason}"
    else:
        state = "measured" if outcome.fresh else "kept from before"
    return [
        each.name,
        math.nan if each.step is None else each.step,
        measured.summaries["auc"] if measured else math.nan,
        state,
        measured.n_generated if measured else None,
        *(each.extra.get(name, math.nan) for name in columns),
    ]


def _take(key: str) -> None:
    """Callback: take edited names and steps, or keep a reason to refuse them."""
    kept = session()
    source = kept.listed
    if source is None:
        return
    typed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    before = labelled(source)
    after: list[Label] = [(each.name, each.step) for each in before]
    for place, cells in typed.items():
        name, step = after[place]
        if NAME in cells:
            name = " ".join(str(cells[NAME] or "").split())
        if STEP in cells:
            step = cells[STEP] if cells[STEP] is None or math.isfinite(cells[STEP]) else None
        after[place] = name, None if step is None else float(step)
    reason = _refusal([name for name, _ in after])
    kept.refused_label = None if reason is None else (source.key, reason)
    if reason is not None:
        kept.refused_labels += 1  # a new key makes a new table, which shows the names that are still valid
        return
    selected = kept.selected
    for each, label in zip(before, after, strict=True):
        if label != (each.name, each.step):
            labels(source)[each.path] = label
        if selected == each.name:
            kept.selected = label[0]


def _refusal(names: Sequence[str]) -> str | None:
    if not all(names):
        return "Every checkpoint needs a name; the former one stays."
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    return None if twice is None else f"Two checkpoints can't both be called {twice}; the former name stays."
