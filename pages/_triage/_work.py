"""The measurement of the session: start, stop, continue, how far it is, its table, and the parts below it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from pages import _answers, _cache
from pages import _runs as background
from pages._jobs import Job
from pages._text import plain
from pages._triage import _parts, _settings, _table
from pages._triage._found import Found
from pages._triage._run import Run
from pages._triage._source import Source, offer
from prviz._terminal import duration
from prviz.samples import Samples
from prviz.triage.desk import cut
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import unequal
from prviz.triage.measured import Outcome, Settings

# How often the browser asks while there is something at work.
PAUSE = 1.0
# And how often the parts are drawn anew meanwhile, which takes time from the measurement.
PARTS_PAUSE = 3.0
# Measurements that one session keeps, those of other settings among them.
MOST_RUNS = 8


def box(source: Source, settings: Settings) -> None:
    """All that follows from files and settings: the table and the parts, each asks again by itself while it must."""
    try:
        run = _run(source, settings)
    except ValueError as error:
        st.error(f"Results can't be kept: {plain(error)}.", icon=":material/save:")
        return
    known = _known(source, run)
    st.fragment(_progress, run_every=PAUSE if run.working else None)(source, settings, run, known)
    if known.measured:
        _parts.choose_method(settings)
        pause = _pause(run)
        st.fragment(_looked_at, run_every=pause)(source, settings, run, pause)


class _Known(NamedTuple):
    """What decides which places the page has."""

    working: bool
    labels: Hashable
    measured: bool


def stop() -> None:
    """Stop whatever is at work."""
    for _, run in _runs().values():
        run.stop()


def forget() -> None:
    """Stop and drop every measurement of this session."""
    stop()
    _runs().clear()


def _runs() -> OrderedDict[Hashable, tuple[Source, Run]]:
    found: OrderedDict[Hashable, tuple[Source, Run]] = st.session_state.setdefault("_triage_runs", OrderedDict())
    return found


def _run(source: Source, settings: Settings) -> Run:
    """The measurement of these; any other of the session is stopped."""
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


def _carry(source: Source, settings: Settings, new: Run) -> None:
    """What is known of files that are as they were stays known where others came or went, or families went."""
    for before, run in _runs().values():
        same_else = replace(run.settings, methods=settings.methods) == settings
        covers = same_else and set(settings.methods) <= set(run.settings.methods)
        if before.base == source.base and covers and not settings.equal_sizes:
            paths = [each.path for each in source.checkpoints]
            new.know(run, [each for each in paths if before.signatures.get(each) == source.signatures.get(each)])


def _known(source: Source, run: Run) -> _Known:
    measured = any(each.measured for each in run.outcomes(_table.labelled(source)))
    return _Known(run.working, _table.labels(source), measured)


def _pause(run: Run) -> float | None:
    """How often the parts are made anew."""
    return PAUSE if _answers.awaited() else PARTS_PAUSE if run.working else None


def _progress(source: Source, settings: Settings, run: Run, known: _Known) -> None:
    """How far it is, and the table; what matters to the rest draws the whole page again."""
    run.touch()
    _buttons(run)
    outcomes = run.outcomes(_table.labelled(source))
    _words(source, run, outcomes)
    _table.show(source, run, outcomes, _parts.method(settings))
    _failed(run, outcomes)
    _sizes(outcomes, settings)
    if known != _known(source, run):
        st.rerun()


def _looked_at(source: Source, settings: Settings, run: Run, pause: float | None) -> None:
    """What is made of those that are measured."""
    run.touch()
    job = _answers.aside()
    with st.container():  # always there: what comes and goes must not make the figures below begin anew
        if job is not None:
            _at_work(job)
    outcomes = _steady(source, settings, run.outcomes(_table.labelled(source)), job)
    _parts.show(_found(source, settings, outcomes, run.total))
    if pause != _pause(run):
        st.rerun()


def _buttons(run: Run) -> None:
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
            st.caption(f"Done: {_count(run)}.")


def _order(what: Callable[[Run], None]) -> None:
    """A click on a button of the measurement on screen, which the button does not hold: see `_table.show`."""
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


def _words(source: Source, run: Run, outcomes: tuple[Outcome, ...]) -> None:
    """What went wrong with the measurement as a whole."""
    if run.error is not None:
        st.error(f"{plain(background.told(run.error))} What was measured before stays.", icon=":material/block:")
    if run.store.trouble is not None:
        trouble = f"{run.store.trouble}; everything is shown all the same, but measured again the next time"
        st.warning(f"{plain(trouble)}.", icon=":material/save:")
    choices = tuple(dict.fromkeys(choice for each in outcomes for choice in each.choices))
    if choices and offer(source.which, choices):
        st.rerun(scope="app")


def _failed(run: Run, outcomes: tuple[Outcome, ...]) -> None:
    """The reasons once more, where there is room for them."""
    failed = [each for each in outcomes if each.reason is not None]
    if not failed:
        return
    lines = [f"- **{plain(each.checkpoint.name)}**: {plain(each.reason).rstrip('.')}." for each in failed]
    others = "" if len(failed) == run.total else "; the others are not touched by that"
    text = "\n".join([f"{len(failed)} of {run.total} could not be measured{others}.", *lines])
    st.warning(text, icon=":material/block:")
    if run.complete:
        st.button("Try them again", on_click=_order, args=(Run.retry,), key="triage-retry", icon=":material/refresh:")


def _sizes(outcomes: tuple[Outcome, ...], settings: Settings) -> None:
    note = None if settings.equal_sizes else unequal(one for each in outcomes for one in each.measured)
    if note is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(f"{note[0].upper()}{note[1:]}.", icon=":material/balance:")
        if st.button("Use equal sizes", on_click=_settings.use_equal_sizes, key="triage-use-equal"):
            st.rerun()  # the setting stands above, and only this place has been drawn again


def _at_work(job: Job[Any]) -> None:
    """How far the open part is with what takes longer."""
    with st.container(horizontal=True, vertical_alignment="center", key="triage-aside"):
        st.button("Stop this", on_click=_answers.stop, args=(job.key,), key="triage-stop-aside", icon=":material/stop:")
        st.progress(job.share, f"Measuring for the open part, {duration(job.seconds_left)} left")


def _steady(source: Source, settings: Settings, outcomes: tuple[Outcome, ...], job: Job | None) -> tuple[Outcome, ...]:
    """What the parts are shown: as it was while a job is at work on it, so that it can come to its end."""
    about = (source.key, settings, _table.labels(source))
    held = st.session_state.get("_triage_steady")
    if job is not None and held is not None and held[0] == about:
        steady: tuple[Outcome, ...] = held[1]
        return steady
    st.session_state["_triage_steady"] = about, outcomes
    return outcomes


def _found(source: Source, settings: Settings, outcomes: tuple[Outcome, ...], total: int) -> Found:
    method = _parts.method(settings)
    sizes = {one.n_real for each in outcomes for one in each.measured}
    reference, load = source.reference, source.load
    if settings.equal_sizes and sizes:
        whole, key = reference, ("triage-cut", source.key, settings, min(sizes))
        reference = _cache.held_samples(key, lambda: cut(whole, min(sizes), settings.seed))

        def load(checkpoint: Checkpoint) -> Samples:
            return cut(source.load(checkpoint), reference.n, settings.seed)

    contents = tuple(
        (each.checkpoint, each.reason, tuple(one.digests for one in each.measured[:1])) for each in outcomes
    )
    key = ("triage", source.key, settings, method, contents)
    return Found(key, reference, load, settings, method, outcomes, total, source.uploaded)
