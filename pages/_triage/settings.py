"""The settings with which every checkpoint is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from pages._shared.text import plain
from pages._triage.session import EQUAL, METHODS, SEED, SPLIT, K, begin, refuse, session
from prviz.estimators import ESTIMATORS
from prviz.triage.measured import TriageSettings

FIRST = TriageSettings()
SPLITS = (None, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_K, MOST_SEED = 10_000, 2**31


def choose(array: str | None) -> TriageSettings | None:
    """Draw the settings; returns None, with a message, if they can't be used."""
    linked = _linked()
    titles = {name: each.title for name, each in ESTIMATORS.items()}
    methods = st.multiselect(
        "Families of classifiers",
        list(titles),
        format_func=titles.__getitem__,
        key=begin(METHODS, list(linked.methods)),
        help="\n".join(f"- **{plain(each.title)}**: {plain(each.idea)}" for each in ESTIMATORS.values()),
        persist_state="session",
    )
    places = st.columns(4, vertical_alignment="bottom")
    k = places[0].number_input(
        "Neighbours k",
        1,
        MOST_K,
        key=begin(K, None if linked.k == "sqrt" else linked.k),
        placeholder="√n",
        help="Number of neighbours that a family counts. Empty: √n, rounded down, of the smaller set.",
        persist_state="session",
    )
    split = places[1].select_slider(
        "Split",
        SPLITS,
        key=begin(SPLIT, linked.split),
        format_func=lambda share: "none" if share is None else f"{share:.0%}",
        help="Share of each set that defines the classifiers; the rest measures their errors. none: the same samples "
        "do both. On all bundled sets the curves then lie lower.",
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
    equal = places[3].toggle(
        "Equal sizes",
        key=begin(EQUAL, linked.equal_sizes),
        help="Cut all sets, by the seed, to the size of the smallest.",
        persist_state="session",
    )
    if not methods:
        st.info("Choose at least one family.")
        return None
    if refused := [plain(titles[name]) for name in methods if split is None and ESTIMATORS[name].needs_split]:
        words = "must be measured on samples that it was not fitted on. Choose a split, or leave it out."
        st.error(f"{' and '.join(refused)}: {words}", icon=":material/block:")
        return None
    return TriageSettings(
        methods=tuple(methods),
        k=int(k) if k else "sqrt",
        split=split,
        seed=int(seed or 0),
        equal_sizes=equal,
        key=array,
    )


def _linked() -> TriageSettings:
    """Settings of the link, as far as they can be used."""
    found = FIRST
    for name, text in session().link.items():
        if name in ("methods", "k", "split", "seed", "equal"):
            try:
                found = replace(found, **_read(name, text))
            except (ValueError, TypeError, KeyError):
                refuse(name, f"The link says {plain(name)} = {plain(text)}, which is no setting; it is ignored.")
    return found


def _read(name: str, text: str) -> dict[str, Any]:
    """One field of the settings; raises ValueError or KeyError if the text is none of its values."""
    if name == "methods":
        return {"methods": tuple(text.split(","))}
    if name == "equal":
        return {"equal_sizes": {"1": True}[text]}
    if name == "split":
        split = None if text == "none" else float(text)
        if split not in SPLITS:
            raise ValueError(text)
        return {"split": split}
    value, (least, most) = int(text), {"k": (1, MOST_K), "seed": (0, MOST_SEED)}[name]
    if not least <= value <= most:
        raise ValueError(text)
    return {name: value}


def link(settings: TriageSettings) -> dict[str, str | None]:
    """Parts of the link; None for settings that have their default."""
    split = "none" if settings.split is None else f"{settings.split:g}"
    return {
        "methods": ",".join(settings.methods) if settings.methods != FIRST.methods else None,
        "k": None if settings.k == "sqrt" else str(settings.k),
        "split": None if settings.split == FIRST.split else split,
        "seed": str(settings.seed) if settings.seed else None,
        "equal": "1" if settings.equal_sizes else None,
    }
