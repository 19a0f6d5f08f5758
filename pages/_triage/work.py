"""Runs a measurement of all checkpoints, and draws its progress, the first screen, the open part
and the list of checkpoints.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages._live.follow import follow
from pages._live.route import visitor
from pages._shared import answers, cache, work_box as background
from pages._shared.widgets import described, plain, say_refusal
from pages._triage import (
    classes,
    comparison,
    computed,
    diagnosis,
    encoders,
    overview,
    report,
    reported,
    robustness,
    screen,
)
from pages._triage.checkpoints import CheckpointResults, count_of, name_faults
from pages._triage.run import Run, quick_of
from pages._triage.session import EQUAL, METHOD, PART, CheckpointSource, session, write_link
from pages._triage.source import is_young, offer, offer_without
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import passes
from prviz.measure.workload import cut, duration, estimate_seconds
from prviz.readers.columns import with_buttons
from prviz.samples import Samples
from prviz.triage.decision import Basis, basis_of, summaries_of_one
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import UNEVEN, other_encoders, unequal, uneven
from prviz.triage.measured import (
    CheckpointOutcome,
    MeasuredCheckpoint,
    ResultCache,
    TriageSettings,
    all_measured,
)

PARTS: Mapping[str, Callable[[CheckpointResults], None]] = {
    "What is wrong with it?": diagnosis.draw,
    "Class by class": classes.draw,
    "How firm is it?": robustness.draw,
    "Compare two": comparison.draw,
    "Equal distance": reported.draw,
    "Does the encoder matter?": encoders.draw,
    "All numbers": overview.draw,
    "How it is computed": computed.draw,
    "Report": report.draw,
}
# Source of short keys. A number stands for everything on which a result depends, because keys are
# compared often and long ones would be slow.
_NUMBERS = itertools.count()
# The page shows code that converts unreadable files, for at most this many files.
_RECIPES = 5
# Seconds between drawings of the progress while a measurement runs.
PAUSE = 1.0
# Seconds between drawings of first screen and open part while a measurement runs, as drawing slows
# the measurement down.
PARTS_PAUSE = 3.0
# Seconds between checks whether a folder has new or changed files.
LIVE_PAUSE = 1.5
# The page waits up to this many seconds for cached results before it draws them: drawing hundreds
# of checkpoints as they come would take longer.
KEPT_SECONDS = 2.0
# A measurement starts without a click if its first ranking is estimated to take fewer seconds than
# this.
AUTO_SECONDS = 10.0
# Most measurements, of all sources and settings, that one session keeps.
MOST_RUNS = 8


def box(source: CheckpointSource, settings: TriageSettings) -> bool:
    """Draw progress, first screen, open part and list. While the measurement runs, each of these is
    drawn again by itself.

    Returns True if there are results to see or the measurement runs: the form may then fold into
    the bar.
    """
    try:
        run = _run(source, settings)
    except ValueError as error:
        st.error(f"Results can't be kept: {plain(error)}.", icon=":material/save:")
        return False
    layout = _layout(source, run)
    kept = session()

    def state() -> Hashable:
        run.touch()
        return (
            run.working,
            run.stopping,
            run.place,
            run.seen,
            round(run.share, 2),
            str(run.error),
            run.store.trouble,
        )

    def folder() -> (
        Hashable
        # while a file is being written, the time is a part of the state: after some time without a
        # change the file counts as complete
    ):
        clock = time.monotonic() // LIVE_PAUSE if kept.arriving else 0
        return state(), clock, source.look() if source.look is not None else None

    def pause() -> float | None:
        if run.working:
            return PAUSE
        if source.look is not None:
            return LIVE_PAUSE
        return None

    follow("triage-progress", partial(_progress, source, settings, run, layout), folder, pause)
    if not layout[2]:
        write_link(session().base_link)
    else:
        parts = partial(_draw_parts, source, settings, run)
        follow(
            "triage-parts",
            parts,
            lambda: (run.working, run.seen),
            lambda: PARTS_PAUSE if run.working else None,
        )
    notes = partial(_draw_notes, source, settings, run, layout)
    follow("triage-notes", notes, folder, pause)
    return run.working or layout[2]


def _layout(source: CheckpointSource, run: Run) -> tuple[bool, Hashable, bool]:
    """What the page's layout depends on: whether the measurement runs, the names and steps of
    checkpoints, and whether any of them is measured.

    If this changes, the whole page is drawn again.
    """
    measured = any(each.measured for each in run.outcomes(labelled(source)))
    return run.working, (run.shown_settings().methods, *labels(source).items()), measured


def _basis(settings: TriageSettings, outcomes: Sequence[CheckpointOutcome]) -> Basis:
    """The family on whose scores the verdict rests: the one that the user has chosen, else the
    library's choice for these results.
    """
    measured = all_measured(outcomes)
    if measured:
        return basis_of(measured, st.session_state.get(METHOD))
    return Basis(settings.methods[0], "")


def _run(source: CheckpointSource, settings: TriageSettings) -> Run:
    """The session's measurement of this source with these settings; created if there is none. All
    other measurements are stopped.
    """
    key = (source.key, settings)
    runs = session().runs
    if key not in runs:
        seconds = _seconds(source, settings, settings.methods)
        first = _seconds(source, settings, quick_of(settings))
        new = Run(
            source.reference, source.checkpoints, settings, store=source.store(), seconds=seconds
        )
        # Reuse the outcomes of unchanged files from former runs with the same settings and at least
        # the same families.
        grown = False
        for before, former in session().runs.values():
            same_else = replace(former.settings, methods=settings.methods) == settings
            covers = same_else and set(settings.methods) <= set(former.settings.methods)
            if before.base == source.base and covers and not settings.equal_sizes:
                same = []
                for path in (one.path for one in source.checkpoints):
                    if before.signatures.get(path) == source.signatures.get(path):
                        same.append(path)
                new.know(former, same)
            grown |= (
                before.which == source.which
                and former.settings == settings
                and (former.working or former.complete)
            )
        runs[key] = source, new
        # start at once if the folder has grown while it was measured, or if the first ranking is
        # quick
        if not new.complete:
            if grown or first * len(source.checkpoints) < AUTO_SECONDS:
                new.start()
            else:
                new.look()
                new.wait(KEPT_SECONDS)
    runs.move_to_end(key)
    for each in list(runs)[:-1]:
        runs[each][1].stop()
    while len(runs) > MOST_RUNS:
        runs.popitem(last=False)
    return runs[key][1]


def _seconds(source: CheckpointSource, settings: TriageSettings, methods: Sequence[str]) -> float:
    """Estimated seconds to measure one checkpoint by these families."""
    n = source.reference.n
    d = source.reference.d
    return estimate_seconds(n, n, d, **passes(methods, split=settings.split))


def _progress(
    source: CheckpointSource, settings: TriageSettings, run: Run, layout: Hashable
) -> None:
    """Draw the progress. If something changes that other parts of the page show, the whole page is
    drawn again.
    """
    run.touch()
    if source.watch is not None and source.watch():
        st.rerun(scope="app")
    outcomes = run.outcomes(labelled(source))
    failed, unfinished = _failures(source, outcomes)
    unit = count_of(run.total, "checkpoint").partition(" ")[2]
    size = "" if run.total == 1 else ", if all are as large as the reference"
    waiting = f", {unfinished} not written to the end yet" if unfinished else ""
    watched = ", folder watched" if source.watch is not None else ""
    background.buttons(
        run,
        background.WorkTexts(
            unit,
            first=f"{run.total} {unit}, {duration(run.seconds_left)} on this machine{size}.",
            stopping="stopping",
            done=(f", {len(failed)} of them failed" if failed else "") + waiting + watched,
        ),
        lambda: _order(Run.start),
        lambda: _order(Run.stop),
        keys=("triage-work", "triage-start", "triage-stop"),
        waits=run.working,
    )
    if run.error is not None:
        say_refusal(f"{plain(background.error_text(run.error))} What was measured before stays.")
    if run.store.trouble is not None:
        trouble = (
            f"{run.store.trouble}; everything is shown all the same, but measured again the next"
            " time"
        )
        st.warning(f"{plain(trouble)}.", icon=":material/save:")
    arrays = tuple(dict.fromkeys(choice for each in outcomes for choice in each.choices))
    if arrays and offer(source.which, arrays):
        st.rerun(scope="app")
    if layout != _layout(source, run):
        st.rerun()


def _sizes(settings: TriageSettings, measured: Sequence[MeasuredCheckpoint]) -> None:
    """Draw a message if the sets' sizes differ. If they differ by a large factor, switch equal
    sizes on, unless the user has set this toggle.
    """
    kept = session()
    if settings.equal_sizes:
        if kept.equal_by_default and measured:
            n = measured[0].n_real
            st.caption(
                f"Sizes differ by more than a factor of {UNEVEN:g}: all sets are cut to {n:,}"
                " samples."
            )
        return
    if uneven(measured) and not kept.equal_chosen:
        kept.equal_by_default = True
        st.rerun(scope="app")
    note = unequal(measured)
    if note is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(f"{note[0].upper()}{note[1:]}.", icon=":material/balance:")
            st.button("Use equal sizes", on_click=_use_equal, key="triage-use-equal")
    if kept.equal_wished:
        kept.equal_wished = False
        # run the whole page again: the toggle for equal sizes is outside this part of the page
        st.rerun(scope="app")


def _use_equal() -> None:
    st.session_state[EQUAL] = session().equal_wished = True


def _order(what: Callable[[Run], None]) -> None:
    """Callback: start, stop or retry the measurement on screen.

    It gets the run from the session, not as an argument: Streamlit keeps a button's arguments in
    memory.
    """
    runs = session().runs
    if runs:
        what(runs[next(reversed(runs))][1])


# ---- the first screen and the open part ----


def _draw_parts(source: CheckpointSource, settings: TriageSettings, run: Run) -> None:
    """Draw the first screen of the measured checkpoints, and the open part. Parts that are not open
    compute nothing.
    """
    run.touch()
    # While a job works, keep the outcomes with which it was started, or it could not finish; else
    # take the newest outcomes.
    about = (source.key, run.shown_settings(), tuple(labels(source).items()))
    kept = session()
    if not visitor().explorer.busy or kept.steady is None or kept.steady[0] != about:
        kept.steady = about, run.outcomes(labelled(source))
    results = _results(source, about[1], kept.steady[1], run.total, run.store)
    # use a container even if nothing waits in it, so that the figures keep their place
    with answers.waiting(st.container(key="triage-aside")):
        part = _draw_open(results)
    write_link(
        {**kept.base_link, **screen.link(results, part, named=source.link.get("data") != "upload")}
    )


def _draw_open(results: CheckpointResults) -> str | None:
    """Draw the first screen and the open part; return the open part's name."""
    if results.measured:
        screen.draw(results)
    if st.session_state.get(PART) not in PARTS:  # a link may name a part that does not exist
        st.session_state.pop(PART, None)
    part: str | None = st.segmented_control(
        "More", list(PARTS), key=PART, label_visibility="collapsed", persist_state="session"
    )
    if part is not None and part in PARTS:
        PARTS[part](results)
    if results.measured:
        with st.container(key="triage-faults-wait"):
            name_faults(results)  # name faults last, after all results that the user looks at
    return part


def _results(
    source: CheckpointSource,
    settings: TriageSettings,
    outcomes: tuple[CheckpointOutcome, ...],
    total: int,
    store: ResultCache,
) -> CheckpointResults:
    basis = _basis(settings, outcomes)
    sizes = {each.n_real for each in all_measured(outcomes)}
    reference = source.reference
    load = source.load
    if settings.equal_sizes and sizes:
        whole = reference
        cut_key = ("triage-cut", source.key, settings, min(sizes))
        reference = cache.held_samples(cut_key, lambda: cut(whole, min(sizes), settings.seed))

        def load(checkpoint: Checkpoint) -> Samples:
            return cut(source.load(checkpoint), reference.n, settings.seed)

    contents = tuple(
        (each.checkpoint, each.reason, tuple((one.digests, one.method) for one in each.measured))
        for each in outcomes
    )
    about = (
        "triage-results",
        source.key,
        settings,
        basis,
        contents,
        source.holdout and source.holdout.digest,
    )
    return CheckpointResults(
        key=(
            "triage",
            cache.remembered(about, lambda: next(_NUMBERS)),
        ),  # a short number as key, because keys are compared often
        reference=reference,
        load=load,
        settings=settings,
        basis=basis,
        outcomes=outcomes,
        total=total,
        holdout=source.holdout,
        uploaded=source.uploaded,
        store=store,
    )


def _failures(
    source: CheckpointSource, outcomes: Sequence[CheckpointOutcome]
) -> tuple[list[CheckpointOutcome], int]:
    """The outcomes of checkpoints that could not be measured; and the number of files that are left
    out because they may still be written.
    """
    failed = [each for each in outcomes if each.reason is not None]
    if source.watch is None:
        return failed, 0
    young = {each.checkpoint.path for each in failed if is_young(each.checkpoint.path)}
    return [each for each in failed if each.checkpoint.path not in young], len(
        young | session().arriving
    )


def _draw_notes(
    source: CheckpointSource, settings: TriageSettings, run: Run, layout: Hashable
) -> None:
    """Draw messages on what went wrong, and the table of all checkpoints."""
    outcomes = run.outcomes(labelled(source))
    measured = all_measured(outcomes)
    failed, _ = _failures(source, outcomes)
    # use a container even if it stays empty, so that the list below it stays open
    with st.container():
        if failed:
            others = "" if len(failed) == run.total else "; the others are not affected"
            lines = [f"{len(failed)} of {run.total} could not be measured{others}."]
            reasons = []
            for each in failed:
                reason = each.reason or ""
                reasons.append(reason)
                told = with_buttons(reason).rstrip(".")
                if told.endswith(":"):
                    told += " the lines below do it"
                lines.append(f"- **{plain(each.checkpoint.name)}**: {plain(told)}.")
            st.warning("\n".join(lines), icon=":material/block:")
            recipes = []
            for each in failed:
                # leave the server's folder out of the code: a visitor has the file under its name
                # only
                if each.recipe:
                    folder = f"{each.checkpoint.path.parent}{os.sep}"
                    recipes.append("\n".join(each.recipe).replace(folder, ""))
            if recipes:
                text = "\n\n".join(recipes[:_RECIPES])
                st.code(text, language="python", wrap_lines=True)
            offer_without(source.which, reasons)
            if run.complete:
                st.button(
                    "Try them again",
                    on_click=_order,
                    args=(Run.retry,),
                    key="triage-retry",
                    icon=":material/refresh:",
                )
        _sizes(settings, measured)
        if note := other_encoders(measured):
            st.warning(f"{plain(note)}.", icon=":material/warning:")
    with st.expander(
        "Names, steps and state",
        icon=":material/edit:",
        expanded=not (run.working or measured),
        key="triage-list",
    ):
        _draw_table(source, run, outcomes, _basis(settings, outcomes).method)
    if layout != _layout(source, run):
        st.rerun()


NAME = "Name"
STEP = "Step"
STATE = "State"
LONGEST_NAME = 200
# Most rows that are visible at a time (MOST_ROWS); height in pixels of a row (ROW) and of the head
# (HEAD).
MOST_ROWS = 12
ROW = 35
HEAD = 38
_AREA = (
    "Area under the precision-recall curve (AuC) by the selected family: 1 where the generated"
    " samples can't be told from the real ones, 0 where they have nothing in common."
)

Label = tuple[str, float | None]


def labels(source: CheckpointSource) -> dict[Path, Label]:
    return session().labels.setdefault(source.which, {})


def labelled(source: CheckpointSource) -> list[Checkpoint]:
    """The source's checkpoints in their order, with the names and steps that the user has typed for
    them.
    """
    typed = labels(source)
    found = []
    for each in source.checkpoints:
        name, step = typed.get(each.path, (each.name, each.step))
        found.append(replace(each, name=name, step=step))
    return found


def _draw_table(
    source: CheckpointSource, run: Run, outcomes: Sequence[CheckpointOutcome], method: str
) -> None:
    """Draw the table of checkpoints, in which the user can edit names and steps. An edit does not
    measure anything again.
    """
    checkpoints = labelled(source)
    by_path = {each.checkpoint.path: each for each in outcomes}
    columns = list(dict.fromkeys(name for each in checkpoints for name in each.extra))
    heads = _heads(columns)
    rows = [_table_row(each, by_path.get(each.path), run, method, columns) for each in checkpoints]
    area = f"AuC, {ESTIMATORS[method].title}"
    kept = session()
    # Passed to `_take` by the session, not as an argument: Streamlit keeps the arguments of
    # callbacks in memory.
    kept.listed = source
    # The widget stores edits by row number, so its key must identify the list of checkpoints.
    listed = hash((source.which, *(each.path for each in checkpoints)))
    key = f"triage-table-{listed}-{kept.refused_labels}"
    number = st.column_config.NumberColumn
    text = st.column_config.TextColumn
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
        **described(f"Checkpoints: name, step, AuC, state and number of samples of {len(rows)}."),
    )
    if kept.refused_label is not None and kept.refused_label[0] == source.key:
        say_refusal(plain(kept.refused_label[1]))


def _heads(columns: Sequence[str]) -> list[str]:
    """Titles for the columns of metadata; they differ from each other and from the table's own
    titles.
    """
    heads: list[str] = []
    for name in columns:
        own = name in (NAME, STEP, STATE, "n") or name.startswith("AuC,")
        head = f"{name} (metadata)" if own else name
        while head in heads:
            head += "'"
        heads.append(head)
    return heads


def _table_row(
    each: Checkpoint,
    outcome: CheckpointOutcome | None,
    run: Run,
    method: str,
    columns: Sequence[str],
) -> list[Any]:
    area = math.nan
    n = None
    if outcome is None:
        if run.now == each.path:
            state = "at work"
        else:
            state = "waits" if run.working else "not measured"
    elif outcome.reason is not None:
        state = f"failed: {outcome.reason}".removesuffix(":")
    else:
        state = "measured" if outcome.fresh else "kept from before"
        for one in outcome.measured:
            if one.method == method:
                area = summaries_of_one(outcome.measured)[method]["auc"]
                n = one.n_generated
    step = math.nan if each.step is None else each.step
    extra = [each.extra.get(name, math.nan) for name in columns]
    return [each.name, step, area, state, n, *extra]


def _take(key: str) -> None:
    """Callback: take over the names and steps that the user has edited, or record why they are
    refused.
    """
    kept = session()
    source = kept.listed
    if source is None:
        return
    typed: Mapping[int, Mapping[str, Any]] = st.session_state[key]["edited_rows"]
    before = labelled(source)
    after: list[Label] = [(each.name, each.step) for each in before]
    for place, cells in typed.items():
        name, step = after[place]
        step = cells.get(STEP, step)
        if NAME in cells:
            name = " ".join(str(cells[NAME] or "").split())
        if step is not None:
            step = float(step) if math.isfinite(step) else None
        after[place] = name, step
    reason = _refusal([name for name, _ in after])
    kept.refused_label = None if reason is None else (source.key, reason)
    if reason is not None:
        # a new key makes Streamlit draw a new table, which shows the valid names again
        kept.refused_labels += 1
        return
    for each, label in zip(before, after, strict=True):
        if label != (each.name, each.step):
            labels(source)[each.path] = label
            kept.choice.rename(each.name, label[0])


def _refusal(names: Sequence[str]) -> str | None:
    if not all(names):
        return "Every checkpoint needs a name; the former one stays."
    for place, name in enumerate(names):
        if name in names[:place]:
            return f"Two checkpoints can't both be called {name}; the former name stays."
    return None
