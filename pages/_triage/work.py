"""The session's measurement: start, stop, continue, progress, the table, and the parts below it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from pages._shared import answers, cache
from pages._shared import work_box as background
from pages._shared.text import plain
from pages._triage import parts, table
from pages._triage import settings as _settings
from pages._triage.checkpoints import CheckpointResults
from pages._triage.run import Run
from pages._triage.source import CheckpointSource, offer
from pages._work.jobs import Job
from prviz.measure.workload import duration
from prviz.samples import Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import cut, unequal
from prviz.triage.measured import CheckpointOutcome, TriageSettings

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
    known = _known(source, run)
    st.fragment(_progress, run_every=PAUSE if run.working else None)(source, settings, run, known)
    if known.measured:
        parts.choose_method(settings)
        pause = _pause(run)
        st.fragment(_draw_parts, run_every=pause)(source, settings, run, pause)


class _Known(NamedTuple):
    """State that decides the page's layout: a change draws the whole page again."""

    working: bool
    labels: Hashable
    measured: bool


def stop() -> None:
    """Stop all measurements of this session."""
    for _, run in _runs().values():
        run.stop()


def forget() -> None:
    """Stop and drop every measurement of this session."""
    stop()
    _runs().clear()


def _runs() -> OrderedDict[Hashable, tuple[CheckpointSource, Run]]:
    found: OrderedDict[Hashable, tuple[CheckpointSource, Run]] = st.session_state.setdefault(
        "_triage_runs", OrderedDict()
    )
    return found


def _run(source: CheckpointSource, settings: TriageSettings) -> Run:
    """The measurement of this source with these settings; any other of the session is stopped."""
    key, held = (source.key, settings), _runs()
    if key not in held:
        seconds = _settings.seconds(source, settings)
        new = Run(source.reference, source.checkpoints, settings, source.store(), seconds, source.holds)
        _carry(source, settings, new)
        held[key] = source, new
    held.move_to_end(key)
    for each in list(held)[:-1]:
        held[each][1].stop()
    while len(held) > MOST_RUNS:
        held.popitem(last=False)
    return held[key][1]


def _carry(source: CheckpointSource, settings: TriageSettings, new: Run) -> None:
    """Take over outcomes of unchanged files from runs with the same settings and at least these families."""
    for before, run in _runs().values():
        same_else = replace(run.settings, methods=settings.methods) == settings
        covers = same_else and set(settings.methods) <= set(run.settings.methods)
        if before.base == source.base and covers and not settings.equal_sizes:
            paths = [each.path for each in source.checkpoints]
            new.know(run, [each for each in paths if before.signatures.get(each) == source.signatures.get(each)])


def _known(source: CheckpointSource, run: Run) -> _Known:
    measured = any(each.measured for each in run.outcomes(table.labelled(source)))
    return _Known(run.working, table.labels(source), measured)


def _pause(run: Run) -> float | None:
    """Seconds between drawings of the parts; None: drawn once."""
    return PAUSE if answers.awaited() else PARTS_PAUSE if run.working else None


def _progress(source: CheckpointSource, settings: TriageSettings, run: Run, known: _Known) -> None:
    """Draw progress and table; a change that matters elsewhere draws the whole page again."""
    run.touch()
    outcomes = run.outcomes(table.labelled(source))
    _buttons(run, sum(each.reason is not None for each in outcomes))
    _show_errors(source, run, outcomes)
    table.show(source, run, outcomes, parts.method(settings))
    _failed(run, outcomes)
    _sizes(outcomes, settings)
    if known != _known(source, run):
        st.rerun()


def _draw_parts(source: CheckpointSource, settings: TriageSettings, run: Run, pause: float | None) -> None:
    """Draw the parts for the measured checkpoints."""
    run.touch()
    job = answers.aside()
    with st.container():  # always present, so that the figures below keep their place and state
        if job is not None:
            _job_progress(job)
    outcomes = _steady(source, settings, run.outcomes(table.labelled(source)), job)
    parts.show(_checkpoint_results(source, settings, outcomes, run.total))
    if pause != _pause(run):
        st.rerun()


def _buttons(run: Run, failed: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="triage-work"):
        if run.working:
            st.button(
                "Stop",
                on_click=_order,
                args=(Run.stop,),
                key="triage-stop",
                icon=":material/stop:",
                disabled=run.stopping,
            )
            st.progress(run.share, _how_far(run))
        elif not run.complete:
            label = "Continue" if run.done else "Start"
            st.button(
                label,
                on_click=_order,
                args=(Run.start,),
                key="triage-start",
                icon=":material/play_arrow:",
                type="primary",
            )
            st.caption(_promise(run))
        else:
            st.caption(f"Done: {_count(run)}" + (f", {failed} of them failed." if failed else "."))


def _order(what: Callable[[Run], None]) -> None:
    """Callback: start, stop or retry the measurement on screen; a button holds no run (see `table.show`)."""
    runs = _runs()
    if runs:
        what(runs[next(reversed(runs))][1])


def _how_far(run: Run) -> str:
    if run.stopping:
        return f"{_count(run)}; stopping"
    return f"{_count(run)}, {duration(run.seconds_left)} left"


def _promise(run: Run) -> str:
    if run.done:
        return f"{_count(run)}; the rest should take {duration(run.seconds_left)}."
    size = "" if run.total == 1 else ", if all are as large as the reference"
    return f"{run.total} checkpoint{'s' * (run.total != 1)}, {duration(run.seconds_left)} on this machine{size}."


def _count(run: Run) -> str:
    return f"{run.done} of {run.total} checkpoint{'s' * (run.total != 1)}"


def _show_errors(source: CheckpointSource, run: Run, outcomes: tuple[CheckpointOutcome, ...]) -> None:
    """Draw errors of the measurement as a whole."""
    if run.error is not None:
        st.error(f"{plain(background.told(run.error))} What was measured before stays.", icon=":material/block:")
    if run.store.trouble is not None:
        trouble = f"{run.store.trouble}; everything is shown all the same, but measured again the next time"
        st.warning(f"{plain(trouble)}.", icon=":material/save:")
    choices = tuple(dict.fromkeys(choice for each in outcomes for choice in each.choices))
    if choices and offer(source.which, choices):
        st.rerun(scope="app")


def _failed(run: Run, outcomes: tuple[CheckpointOutcome, ...]) -> None:
    """Draw the reasons of failed checkpoints."""
    failed = [each for each in outcomes if each.reason is not None]
    if not failed:
        return
    lines = [f"- **{plain(each.checkpoint.name)}**: {plain(each.reason).rstrip('.')}." for each in failed]
    others = "" if len(failed) == run.total else "; the others are not affected"
    text = "\n".join([f"{len(failed)} of {run.total} could not be measured{others}.", *lines])
    st.warning(text, icon=":material/block:")
    if run.complete:
        st.button("Try them again", on_click=_order, args=(Run.retry,), key="triage-retry", icon=":material/refresh:")


def _sizes(outcomes: tuple[CheckpointOutcome, ...], settings: TriageSettings) -> None:
    note = None if settings.equal_sizes else unequal(one for each in outcomes for one in each.measured)
    if note is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(f"{note[0].upper()}{note[1:]}.", icon=":material/balance:")
        if st.button("Use equal sizes", on_click=_settings.use_equal_sizes, key="triage-use-equal"):
            st.rerun()  # the setting is above this fragment


def _job_progress(job: Job[Any]) -> None:
    """Draw the progress of the open part's job."""
    with st.container(horizontal=True, vertical_alignment="center", key="triage-aside"):
        st.button("Stop this", on_click=answers.stop, args=(job.key,), key="triage-stop-aside", icon=":material/stop:")
        st.progress(job.share, f"Measuring for the open part, {duration(job.seconds_left)} left")


def _steady(
    source: CheckpointSource, settings: TriageSettings, outcomes: tuple[CheckpointOutcome, ...], job: Job[Any] | None
) -> tuple[CheckpointOutcome, ...]:
    """Outcomes for the parts: those that a running job was started with, so that it can finish, else the newest."""
    about = (source.key, settings, table.labels(source))
    held = st.session_state.get("_triage_steady")
    if job is not None and held is not None and held[0] == about:
        steady: tuple[CheckpointOutcome, ...] = held[1]
        return steady
    st.session_state["_triage_steady"] = about, outcomes
    return outcomes


def _checkpoint_results(
    source: CheckpointSource, settings: TriageSettings, outcomes: tuple[CheckpointOutcome, ...], total: int
) -> CheckpointResults:
    method = parts.method(settings)
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
    key = ("triage", source.key, settings, method, contents)
    return CheckpointResults(key, reference, load, settings, method, outcomes, total, source.uploaded)
