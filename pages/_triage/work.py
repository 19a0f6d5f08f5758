"""The session's measurement: start, stop, continue, progress and the table; below it the parts in tabs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from pages._shared import answers, cache
from pages._shared import work_box as background
from pages._shared.text import plain
from pages._triage import comparison, diagnosis, overview, ranking, report, robustness, table
from pages._triage.checkpoints import CheckpointResults, count_of
from pages._triage.run import Run
from pages._triage.session import EQUAL, METHOD, PART, session
from pages._triage.source import CheckpointSource, offer
from pages._work.jobs import Job
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import passes
from prviz.measure.workload import cut, duration, estimate_seconds
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import unequal
from prviz.triage.measured import CheckpointOutcome, TriageSettings

PARTS: Mapping[str, Callable[[CheckpointResults], None]] = {
    "Overview": overview.show,
    "Ranking": ranking.show,
    "How firm is it?": robustness.show,
    "What is wrong with it?": diagnosis.show,
    "Compare two": comparison.show,
    "Report": report.show,
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
    if layout.measured:
        if len(settings.methods) > 1:
            st.session_state[METHOD] = _method(settings)
            st.segmented_control(
                "Family looked at",
                settings.methods,
                format_func=lambda name: ESTIMATORS[name].title,
                required=True,
                key=METHOD,
                persist_state="session",
            )
        pause = _pause(run)
        st.fragment(_draw_parts, run_every=pause)(source, settings, run, pause)


class _Layout(NamedTuple):
    """State that decides the page's layout: a change draws the whole page again."""

    working: bool
    labels: Hashable
    measured: bool


def _layout(source: CheckpointSource, run: Run) -> _Layout:
    measured = any(each.measured for each in run.outcomes(table.labelled(source)))
    return _Layout(run.working, tuple(table.labels(source).items()), measured)


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
            source.reference,
            source.checkpoints,
            settings,
            store=source.store(),
            seconds=seconds,
            holds=source.holds,
        )
        _take_over(source, settings, new)
        runs[key] = source, new
    runs.move_to_end(key)
    for each in list(runs)[:-1]:
        runs[each][1].stop()
    while len(runs) > MOST_RUNS:
        runs.popitem(last=False)
    return runs[key][1]


def _take_over(source: CheckpointSource, settings: TriageSettings, new: Run) -> None:
    """Take over outcomes of unchanged files from runs with the same settings and at least these families."""
    for before, run in session().runs.values():
        same_else = replace(run.settings, methods=settings.methods) == settings
        covers = same_else and set(settings.methods) <= set(run.settings.methods)
        if before.base == source.base and covers and not settings.equal_sizes:
            paths = [each.path for each in source.checkpoints]
            new.know(run, [each for each in paths if before.signatures.get(each) == source.signatures.get(each)])


def _pause(run: Run) -> float | None:
    """Seconds between drawings of the parts; None: drawn once."""
    return PAUSE if answers.awaited() else PARTS_PAUSE if run.working else None


# ---- progress and table ----


def _progress(source: CheckpointSource, settings: TriageSettings, run: Run, layout: _Layout) -> None:
    """Draw progress and table; a change that matters elsewhere draws the whole page again."""
    run.touch()
    outcomes = run.outcomes(table.labelled(source))
    failed = [each for each in outcomes if each.reason is not None]
    _buttons(run, len(failed))
    if run.error is not None:
        st.error(f"{plain(background.error_text(run.error))} What was measured before stays.", icon=":material/block:")
    if run.store.trouble is not None:
        trouble = f"{run.store.trouble}; everything is shown all the same, but measured again the next time"
        st.warning(f"{plain(trouble)}.", icon=":material/save:")
    arrays = tuple(dict.fromkeys(choice for each in outcomes for choice in each.choices))
    if arrays and offer(source.which, arrays):
        st.rerun(scope="app")
    table.show(source, run, outcomes, _method(settings))
    if failed:
        _failures(run, failed)
    note = None if settings.equal_sizes else unequal(one for each in outcomes for one in each.measured)
    if note is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(f"{note[0].upper()}{note[1:]}.", icon=":material/balance:")
            if st.button(
                "Use equal sizes", on_click=lambda: st.session_state.update({EQUAL: True}), key="triage-use-equal"
            ):
                st.rerun()  # the setting is above this fragment
    if layout != _layout(source, run):
        st.rerun()


def _buttons(run: Run, failed: int) -> None:
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
        done=f", {failed} of them failed" if failed else "",
    )


def _order(what: Callable[[Run], None]) -> None:
    """Callback: start, stop or retry the measurement on screen; a button holds no run (see `table.show`)."""
    runs = session().runs
    if runs:
        what(runs[next(reversed(runs))][1])


def _failures(run: Run, failed: list[CheckpointOutcome]) -> None:
    lines = [f"- **{plain(each.checkpoint.name)}**: {plain(each.reason).rstrip('.')}." for each in failed]
    others = "" if len(failed) == run.total else "; the others are not affected"
    text = "\n".join([f"{len(failed)} of {run.total} could not be measured{others}.", *lines])
    st.warning(text, icon=":material/block:")
    if run.complete:
        st.button("Try them again", on_click=_order, args=(Run.retry,), key="triage-retry", icon=":material/refresh:")


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
    outcomes = _steady(source, settings, run.outcomes(table.labelled(source)), job)
    results = _checkpoint_results(source, settings, outcomes, run.total)
    tabs = st.tabs(list(PARTS), on_change="rerun", key=PART)
    session().left_part = st.session_state.get(PART)
    for tab, draw in zip(tabs, PARTS.values(), strict=True):
        if tab.open:
            with tab:
                draw(results)
    if pause != _pause(run):
        st.rerun()


def _steady(
    source: CheckpointSource, settings: TriageSettings, outcomes: tuple[CheckpointOutcome, ...], job: Job[Any] | None
) -> tuple[CheckpointOutcome, ...]:
    """Outcomes for the parts: those that a running job was started with, so that it can finish, else the newest."""
    about, kept = (source.key, settings, tuple(table.labels(source).items())), session()
    if job is None or kept.steady is None or kept.steady[0] != about:
        kept.steady = about, outcomes
    return kept.steady[1]


def _checkpoint_results(
    source: CheckpointSource, settings: TriageSettings, outcomes: tuple[CheckpointOutcome, ...], total: int
) -> CheckpointResults:
    method = _method(settings)
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
    return CheckpointResults(
        key=("triage", source.key, settings, method, contents),
        reference=reference,
        load=load,
        settings=settings,
        method=method,
        outcomes=outcomes,
        total=total,
        uploaded=source.uploaded,
    )
