"""The form of Triage: the source of reference and checkpoints, and the settings with which all are
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages._shared.families import titles
from pages._shared.widgets import begin, choose_one, plain, say_refusal
from pages._triage import folder, uploaded
from pages._triage.session import (
    EQUAL,
    METHOD,
    METHODS,
    SEED,
    SET,
    SOURCE,
    SPLIT,
    CheckpointSource,
    K,
    refuse,
    session,
)
from prviz import estimators
from prviz.estimators import ESTIMATORS
from prviz.readers.bundled import BUNDLED, REAL_SETS, bundled_pair, bundled_path, zoo_checkpoints
from prviz.samples import Samples
from prviz.server.limits import limits
from prviz.triage.inputs import Checkpoint, step_of
from prviz.triage.measured import ResultCache, TriageSettings

FAMILIES = tuple(name for name in BUNDLED if name != "digits")
# Bundled sets whose checkpoints are different generators, not steps of one training.
UNORDERED = ("zoo", "text")
# Training step of the checkpoint "EM converged": the number of its EM iteration.
CONVERGED = 23.0


def choose_source() -> CheckpointSource | None:
    """Draw the choice of the source, and return it; None, with a message, while the source lacks a
    reference or checkpoints.
    """
    linked = session().link.get("data", "bundled")
    titles = {name: title for name, (title, _) in SOURCES.items()}
    if limits.public:
        del titles["folder"]
    if linked not in titles:
        refuse("data", f"The link names no source of data: {plain(linked)}.")
    begin(SOURCE, linked if linked in titles else "bundled")
    return SOURCES[choose_one("Data", titles, key=SOURCE, persist_state="session")][1]()


def _bundled() -> CheckpointSource:
    linked = session().link.get("set", FAMILIES[0])
    if linked not in FAMILIES:
        refuse("set", f"The link names no bundled set: {plain(linked)}.")
    begin(SET, linked if linked in FAMILIES else FAMILIES[0])
    titles = {name: BUNDLED[name].title for name in FAMILIES}
    name = choose_one("Checkpoints of", titles, key=SET, persist_state="session")
    family = BUNDLED[name]
    if name == "zoo":
        more = " The last ones are also guided, truncated, warmed and asked for fewer classes."
    else:
        more = ""
    st.caption(f"{plain(family.summary)}{more} The reference is {REAL_SETS[family.real].summary}.")
    checkpoints = []
    for each in zoo_checkpoints() if name == "zoo" else family.checkpoints:
        step = None
        if name not in UNORDERED:
            step = step_of(each.title)
        if each.title == "EM converged":
            step = CONVERGED
        checkpoints.append(Checkpoint(bundled_path(each.name), each.title, step))
    key = ("bundled", name)
    return CheckpointSource(
        which=key,
        base=key,
        reference=bundled_pair(family.checkpoints[0].name).real,
        checkpoints=tuple(checkpoints),
        load=_load,
        store=ResultCache.cache,
        link={"set": name},
        title=family.title,
    )


def _load(checkpoint: Checkpoint) -> Samples:
    return bundled_pair(checkpoint.path.stem).generated


SOURCES: Mapping[str, tuple[str, Callable[[], CheckpointSource | None]]] = {
    "bundled": ("Bundled", _bundled),
    "folder": ("Folder", folder.choose),
    "upload": ("Uploads", uploaded.choose),
}


def first() -> TriageSettings:
    """The default settings."""
    return TriageSettings(estimators.VERDICT_METHODS)


SPLITS = (None, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_K = 10_000
MOST_SEED = 2**31


def choose_settings(chosen: TriageSettings) -> TriageSettings | None:
    """Draw the form of the settings, and return them; None, with a message, if they can't be
    used.

    chosen : settings that have the chosen array and columns of the files; the form completes them.
    """
    linked = first()
    for name, text in session().link.items():
        if name in ("methods", "k", "split", "seed", "equal"):
            try:
                linked = replace(linked, **_read(name, text))
            except (ValueError, TypeError, KeyError):
                refuse(
                    name,
                    f"The link says {plain(name)} = {plain(text)}, which is no setting; it is"
                    " ignored.",
                )
    methods = st.multiselect(
        "Families of classifiers",
        list(ESTIMATORS),
        format_func=lambda name: ESTIMATORS[name].title,
        key=begin(METHODS, list(linked.methods)),
        help="\n".join(
            f"- **{plain(each.title)}**: {plain(each.idea)}" for each in ESTIMATORS.values()
        ),
        persist_state="session",
    )
    places = st.columns(4, vertical_alignment="bottom")
    k = places[0].number_input(
        "Neighbours k",
        1,
        MOST_K,
        key=begin(K, None if linked.k == "sqrt" else linked.k),
        placeholder="√n",
        help=(
            "Number of neighbours that a family counts. Empty: √n, rounded down, of the smaller"
            " set."
        ),
        persist_state="session",
    )
    split = places[1].select_slider(
        "Split",
        SPLITS,
        key=begin(SPLIT, linked.split),
        format_func=lambda share: "none" if share is None else f"{100 * share:.0f} %",
        help=(
            "Share of each set that defines the classifiers; the rest measures their errors. none:"
            " the same samples do both. On all bundled sets the curves then lie lower."
        ),
        persist_state="session",
    )
    seed = places[2].number_input(
        "Seed",
        0,
        MOST_SEED,
        key=begin(SEED, linked.seed),
        help="Decides the split and the cut to equal sizes, the same for all checkpoints.",
        persist_state="session",
    )
    kept = session()
    if kept.equal_by_default and not kept.equal_chosen:
        st.session_state[EQUAL] = True
    equal = places[3].toggle(
        "Equal sizes",
        key=begin(EQUAL, linked.equal_sizes),
        on_change=lambda: setattr(kept, "equal_chosen", True),
        help="Cut all sets, by the seed, to the size of the smallest.",
        persist_state="session",
    )
    if len(methods) > 1:
        rests = {"": "automatic", **titles(methods)}
        choose_one("The verdict rests on", rests, key=begin(METHOD, ""), persist_state="session")
    if not _usable(methods, split):
        return None
    return replace(
        chosen,
        methods=tuple(methods),
        k=int(k) if k else "sqrt",
        split=split,
        seed=int(seed or 0),
        equal_sizes=equal,
    )


def _usable(methods: Sequence[str], split: float | None) -> bool:
    """True if these families can be measured with this split; else draws a message that says why
    not.
    """
    if not methods:
        st.info("Choose at least one family.")
        return False
    if refused := [
        plain(ESTIMATORS[name].title)
        for name in methods
        if split is None and ESTIMATORS[name].needs_split
    ]:
        words = (
            "must be measured on samples that it was not fitted on. Choose a split, or leave it"
            " out."
        )
        say_refusal(f"{' and '.join(refused)}: {words}")
        return False
    return True


def _read(name: str, text: str) -> dict[str, Any]:
    """One field of the settings, as a dictionary, from its text in the link.

    Raises ValueError or KeyError if the text is not one of the field's values.
    """
    if name == "methods":
        return {"methods": tuple(text.split(","))}
    if name == "equal":
        return {"equal_sizes": {"1": True}[text]}
    if name == "split":
        split = None if text == "none" else float(text)
        if split not in SPLITS:
            raise ValueError(text)
        return {"split": split}
    value = int(text)
    least, most = {"k": (1, MOST_K), "seed": (0, MOST_SEED)}[name]
    if not least <= value <= most:
        raise ValueError(text)
    return {name: value}


def settings_link(settings: TriageSettings) -> dict[str, str | None]:
    """The parts of the link that give the settings; a part is None if it has its default value."""
    split = "none"
    if settings.split is not None:
        split = f"{settings.split:g}"
    return {
        "methods": ",".join(settings.methods) if settings.methods != first().methods else None,
        "k": None if settings.k == "sqrt" else str(settings.k),
        "split": None if settings.split == first().split else split,
        "seed": str(settings.seed) if settings.seed else None,
        "equal": "1" if settings.equal_sizes else None,
    }


def settings_title(settings: TriageSettings) -> str:
    """Text that names the settings in a few words."""
    one, *others = (ESTIMATORS[name].title for name in settings.methods)
    k = "√n" if settings.k == "sqrt" else settings.k
    split = "no split"
    if settings.split is not None:
        split = f"split {100 * settings.split:.0f} %"
    return (
        f"{one}{f' + {len(others)}' if others else ''} · k {k} · "
        f"{split}{' · equal sizes' * settings.equal_sizes}"
    )
