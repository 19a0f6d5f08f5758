"""The settings with which every checkpoint is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages._shared.text import plain
from pages._triage import link as _link
from pages._triage.source import CheckpointSource
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import passes
from prviz.measure.workload import estimate_seconds
from prviz.triage.measured import TriageSettings

FIRST = ("knn",)
SPLITS = (None, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_K, MOST_SEED = 10_000, 2**31
METHODS, K, SPLIT, SEED, EQUAL = "triage.methods", "triage.k", "triage.split", "triage.seed", "triage.equal"


def choose(array: str | None) -> TriageSettings | None:
    """Draw the settings; returns None, with a message, if they can't be used."""
    linked = _linked(_link.start())
    titles = {name: each.title for name, each in ESTIMATORS.items()}
    methods = st.multiselect(
        "Families of classifiers",
        list(titles),
        format_func=titles.__getitem__,
        key=_link.begin(METHODS, list(linked.methods)),
        help="\n".join(f"- **{plain(each.title)}**: {plain(each.idea)}" for each in ESTIMATORS.values()),
        **_link.KEEP,
    )
    options = {**_numbers(linked), "key": array}
    if not methods:
        st.info("Choose at least one family.")
        return None
    try:
        return TriageSettings(tuple(methods), **options)
    except (ValueError, TypeError) as error:
        st.error(f"{_plain_refusal(methods, options['split']) or plain(error)}", icon=":material/block:")
        return None


def _numbers(linked: TriageSettings) -> dict[str, Any]:
    """Draw k, split, seed and equal sizes; returns them by their names in `TriageSettings`."""
    places = st.columns(4, vertical_alignment="bottom")
    k = places[0].number_input(
        "Neighbours k",
        1,
        MOST_K,
        key=_link.begin(K, None if linked.k == "sqrt" else linked.k),
        placeholder="√n",
        help="Number of neighbours that a family counts. Empty: √n, rounded down, of the smaller set.",
        **_link.KEEP,
    )
    split = places[1].select_slider(
        "Split",
        SPLITS,
        key=_link.begin(SPLIT, linked.split),
        format_func=lambda share: "none" if share is None else f"{share:.0%}",
        help="Share of each set that defines the classifiers; the rest measures their errors. none: one and the same "
        "samples do both, which flatters every checkpoint.",
        **_link.KEEP,
    )
    seed = places[2].number_input(
        "Seed",
        0,
        MOST_SEED,
        key=_link.begin(SEED, linked.seed),
        help="Decides the split and the cut to equal sizes, the same for all checkpoints.",
        **_link.KEEP,
    )
    equal = places[3].toggle(
        "Equal sizes",
        key=_link.begin(EQUAL, linked.equal_sizes),
        help="Cut all sets, by the seed, to the smallest: the size of a set biases every family.",
        **_link.KEEP,
    )
    return {"k": int(k) if k else "sqrt", "split": split, "seed": int(seed or 0), "equal_sizes": equal}


def _plain_refusal(methods: list[str], split: float | None) -> str:
    """Text that names the families that need a split; empty if none is chosen without one."""
    refused = [ESTIMATORS[name].title for name in methods if split is None and ESTIMATORS[name].needs_split]
    if not refused:
        return ""
    names = " and ".join(map(plain, refused))
    return f"{names}: must be measured on samples that it was not fitted on. Choose a split, or leave it out."


def _linked(asked: Mapping[str, str]) -> TriageSettings:
    """Settings of the link, as far as they can be used."""
    said = {"methods": FIRST, "k": "sqrt", "split": 0.5, "seed": 0, "equal_sizes": False}
    for name, text in asked.items():
        if name in _READ:
            try:
                field, value = _READ[name](text)
                TriageSettings(**{**said, field: value})  # type: ignore[arg-type]
                said[field] = value
            except (ValueError, TypeError, KeyError):
                _link.refuse(name, f"The link says {plain(name)} = {plain(text)}, which is no setting; it is ignored.")
    return TriageSettings(**said)  # type: ignore[arg-type]


def _methods(text: str) -> tuple[str, object]:
    names = tuple(text.split(","))
    if not set(names) <= set(ESTIMATORS):
        raise ValueError(text)
    return "methods", names


def _k(text: str) -> tuple[str, object]:
    return "k", _whole(text, 1, MOST_K)


def _split(text: str) -> tuple[str, object]:
    split = None if text == "none" else float(text)
    if split not in SPLITS:
        raise ValueError(text)
    return "split", split


def _seed(text: str) -> tuple[str, object]:
    return "seed", _whole(text, 0, MOST_SEED)


def _equal(text: str) -> tuple[str, object]:
    return "equal_sizes", {"1": True}[text]


def _whole(text: str, least: int, most: int) -> int:
    value = int(text)
    if not least <= value <= most:
        raise ValueError(text)
    return value


_READ = {"split": _split, "methods": _methods, "k": _k, "seed": _seed, "equal": _equal}


def link(settings: TriageSettings) -> dict[str, str | None]:
    """Parts of the link; None for settings that have their default."""
    return {
        "methods": ",".join(settings.methods) if settings.methods != FIRST else None,
        "k": None if settings.k == "sqrt" else str(settings.k),
        "split": "none" if settings.split is None else None if settings.split == 0.5 else f"{settings.split:g}",
        "seed": str(settings.seed) if settings.seed else None,
        "equal": "1" if settings.equal_sizes else None,
    }


def use_equal_sizes() -> None:
    """Callback: turn equal sizes on."""
    st.session_state[EQUAL] = True


def seconds(source: CheckpointSource, settings: TriageSettings) -> float:
    """Estimated seconds of one checkpoint as large as the reference."""
    reference = source.reference
    families = passes(settings.methods)
    return estimate_seconds(reference.n, reference.n, reference.d, **families, split=settings.split)  # type: ignore[misc]
