"""Part "Report": the results as files, and shell commands that measure everything again."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from pages._shared import cache
from pages._triage.checkpoints import (
    CheckpointResults,
    ceiling_of,
    copies_of,
    faults_of,
    goal as goal_of_page,
    witnesses_known,
)
from pages._triage.session import HOLDOUT, REFERENCE
from prviz.quoting import columns_text
from prviz.readers.bundled import REAL_SETS
from prviz.readers.paths import data_folder
from prviz.recent import LeastRecentlyUsed
from prviz.reports.document import Document, document
from prviz.reports.files import FORMATS
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import uneven
from prviz.triage.measured import REPLICATES, CheckpointOutcome, ResultCache
from prviz.triage.triage import TriageResults

NAME = "prviz-triage"
LABELS = {".html": "Page (HTML)", ".json": "JSON", ".csv": "CSV", ".parquet": "Parquet"}
WORDS = (
    "- **Page (HTML)**: one file that stands alone, with the ranking, live figures and all "
    "numbers; it opens anywhere, without a network.\n"
    "- **JSON**: everything, curves included, with settings, conventions, versions and the digests "
    "of the samples; numbers are exact to the last digit, and the line below measures them again.\n"
    "- **CSV** and **Parquet**: all numbers as one table, one number a row, with its interval "
    "where it has one."
)
# Shell command that changes to the folder of the bundled files.
_BUNDLED = (
    "cd \"$(python -c 'from prviz.readers.paths import data_folder; print(data_folder())')\"\n"
)


def draw(found: CheckpointResults) -> None:
    goal = goal_of_page()
    outcomes = _public_outcomes(found)
    # The reference as the shell command names it: its path in the app's folder or among the bundled
    # files, else its name.
    reference = _bundled_reference(found) if found.bundled else found.reference.name
    if any(each.checkpoint.below is not None for each in found.outcomes):
        reference = str(st.session_state.get(REFERENCE) or found.reference.name)
    results = TriageResults(
        reference=found.reference,
        outcomes=found.outcomes,
        settings=found.settings,
        goal=goal,
        memorisation=copies_of(found),
        yardstick=ceiling_of(found),
        findings=faults_of(found),
        witnesses=witnesses_known(found),
    )
    makers = files(found, results, reference, cache.session().results, found.triage.store)
    st.markdown(
        f"All that was measured, ranked for the goal {goal:g} between precision (0) and recall "
        f"(1), with the spread of {REPLICATES} draws. A file is made when it is asked for, which "
        "may take a few seconds."
    )
    if not found.complete:
        st.info(
            f"{len(outcomes)} of {found.total} checkpoints are measured so far; a report holds "
            f"these and says so."
        )
    elif len(results.witnesses) < len(found.measured):
        st.info(
            f"Faults of {len(results.witnesses)} of {len(found.measured)} checkpoints are named so "
            "far; a report holds these."
        )
    with st.container(horizontal=True):
        for suffix, each in FORMATS.items():
            st.download_button(
                LABELS[suffix],
                makers[suffix],
                f"{NAME}{suffix}",
                each.mime,
                on_click="ignore",
                key=f"triage-report{suffix}",
                icon=":material/download:",
            )
    st.markdown(WORDS)
    folder, back = (_BUNDLED, '"$OLDPWD"/') if found.bundled else ("", "")
    st.markdown("**The same in a shell**, where the files are")
    reports = f" --report {back}{NAME}.html --report {back}{NAME}.json"
    line = _command(found, outcomes, reference, goal)
    st.code(folder + line + reports, language="bash", wrap_lines=True)
    st.markdown(
        "**Check it later**: where the files are, this compares their contents with the digests in "
        "the JSON, measures them again, and compares every number"
    )
    st.code(f"{folder}prviz triage --rerun {back}{NAME}.json", language="bash", wrap_lines=True)
    st.caption(
        "Names and steps that were changed in the table below are in the files, not in the line."
    )


def _command(
    found: CheckpointResults, outcomes: Sequence[CheckpointOutcome], reference: str, goal: float
) -> str:
    """The ``prviz triage`` command that repeats these measurements."""
    settings = found.settings
    paths = [reference, *(each.checkpoint.path.as_posix() for each in outcomes)]
    words = [f"./{each}" if each.startswith("-") else each for each in paths]
    words += ["--method", ",".join(settings.methods), "--k", str(settings.k)]
    words += [
        "--split",
        "none" if settings.split is None else repr(settings.split),
        "--seed",
        str(settings.seed),
    ]
    if settings.equal_sizes:
        words.append("--equal-sizes")
    elif uneven(found.measured):  # without this option, the command cuts uneven sets to equal sizes
        words.append("--all-rows")
    words += [] if settings.key is None else ["--key", settings.key]
    for option, names in (("--features", settings.features), ("--drop", settings.drop)):
        words += [option, columns_text(names)] if names else []
    if found.holdout is not None:
        words += ["--holdout", str(st.session_state.get(HOLDOUT) or found.holdout.name)]
    return f"prviz triage {shlex.join([*words, '--goal', f'{goal:g}'])}"


def files(
    found: CheckpointResults,
    results: TriageResults,
    reference: str,
    held: LeastRecentlyUsed,
    store: ResultCache | None = None,
) -> dict[str, Callable[[], bytes]]:
    """By file suffix, a function that makes the file. All files are made from one document, which
    is computed once.

    These functions run in a thread without session state.
    """
    known = (results.yardstick, results.memorisation, results.findings, results.witnesses)
    counts = tuple(0 if each is None else len(each) for each in known)
    key = ("triage-report", found.key, len(results.outcomes), results.goal, counts)
    public = replace(results, outcomes=_public_outcomes(found))

    def compute() -> Document:
        return document(public, reference, total=found.total, store=store)

    def maker(make: Callable[[Document], bytes]) -> Callable[[], bytes]:
        return lambda: make(held.remembered(key, compute))

    return {suffix: maker(each.make) for suffix, each in FORMATS.items()}


def _public_outcomes(found: CheckpointResults) -> tuple[CheckpointOutcome, ...]:
    """The outcomes, with paths that reveal nothing about this computer.

    A path is relative to the app's folder or to that of the bundled files; of all other files only
    the name is left.
    """

    folder = data_folder() if found.bundled else None

    def public(checkpoint: Checkpoint) -> Checkpoint:
        path = checkpoint.path
        below = folder or checkpoint.below
        inside = below is not None and path.is_relative_to(below)
        return replace(
            checkpoint,
            path=path.relative_to(below) if inside and below else Path(path.name),
            below=None,
        )

    return tuple(each._replace(checkpoint=public(each.checkpoint)) for each in found.outcomes)


def _bundled_reference(found: CheckpointResults) -> str:
    return next(each.file for each in REAL_SETS.values() if each.title == found.reference.name)
