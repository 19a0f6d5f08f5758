"""Connects the main figure to the session: what the figure shows, what a click in it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pages._explore import far_off
from pages._explore.session import ExploreSession, explore_session, state
from pages._live.route import Ask
from pages._shared.cache import Session, session
from prviz.curves.summaries import TRUTH
from prviz.estimators import ESTIMATORS
from prviz.live import results, view
from prviz.live.explorer import Question, Sink
from prviz.live.problems import Problem, allowed, problem_of
from prviz.live.results import Answer
from prviz.reports.settings import FIRST_VIEW


def last(shared: Session) -> Answer:
    """The last complete results that were on screen; before there are any, those of Explore's first
    view.
    """
    if shared.shown is None:
        problem = problem_of(FIRST_VIEW, stores=shared.public)
        shared.shown = Answer(problem, results.results(problem))
    return shared.shown


def wanted(held: ExploreSession, shared: Session) -> Problem:
    """The problem of the session's settings. Values that its samples do not allow, such as a too
    large k, are replaced.

    If the source is an upload and nothing is uploaded yet, it is the problem of the last answer.
    """
    settings = held.update().settings
    if settings.source == "upload" and held.uploaded is None:
        settings = settings.of_problem(last(shared).problem.settings)
    stores = shared if settings.source == "upload" else shared.public
    return allowed(problem_of(settings, held.uploaded, stores))


def content(
    held: ExploreSession,
    shared: Session,
    asked: Problem,
    number: int,
    answer: Answer,
    have: set[str] | None = None,
) -> bytes:
    """All data that the main figure draws, as JSON; callable from any thread.

    See `prviz.live.view.content`.
    """
    errors = far_off.known(answer.problem)
    return view.content(
        held.update(),
        view.Asked(asked, number),
        answer,
        stopped=shared.stopped,
        have=have,
        errors=None if errors is None else errors.known,
    )


def understand(held: ExploreSession, shared: Session) -> Ask:
    """A function that answers questions from the browser.

    The values in a question first change the session's state; the answer is for the changed state.
    """

    def understood(sent: Mapping[str, Any], sink: Sink) -> Question:
        return held.understand(
            sent, sink, partial(wanted, held, shared), partial(content, held, shared)
        )

    return understood


def _choose(name: object) -> None:
    """Called after a click on a curve: the panel Space then shows this curve's family, and what its
    colours mean does not change.
    """
    if name in (*state().settings.methods, TRUTH):
        explore_session().method = str(name)


def _ask_for_card(name: object) -> None:
    """Called after a click on (i) in a row of the figure: opens the card about that family."""
    if isinstance(name, str) and name in ESTIMATORS:
        explore_session().about = name


def _pin(snapshot: object) -> None:
    """Called after a click on Pin, which pins the state on screen, or on × at a pinned state, which
    removes it. snapshot : id of the state.
    """
    held = explore_session()
    held.pin(wanted(held, session()), snapshot)


# By name of a message from the figure, the callback for it; then the page is drawn again.
TOLD: Mapping[str, Callable[[object], object]] = {
    "follow": lambda _: None,
    "chosen": _choose,
    "about": _ask_for_card,
    "pin": _pin,
}


def visible(names: Sequence[str]) -> list[str]:
    """Those of the families that the user has not hidden; all of them if all are hidden."""
    hidden = state().hidden
    return [name for name in names if name not in hidden] or list(names)


def shown_alone(found: results.Results) -> results.Results:
    """The results without those of hidden families."""
    names = visible(list(found.curves))
    return replace(
        found,
        curves={name: found.curves[name] for name in names},
        bands={name: band for name, band in found.bands.items() if name in names},
    )


def over(problem: Problem) -> dict[str, list[str]]:
    """By slider (k, bandwidth), the families whose curves it changes. A slider that changes none is
    left out.
    """
    tuned = [name for name in problem.tuned if ESTIMATORS[name].tunes == "bandwidth"]
    by_k = [
        name for name in problem.tuned if name not in tuned or problem.settings.bandwidth is None
    ]
    return {control: names for control, names in (("k", by_k), ("bandwidth", tuned)) if names}
