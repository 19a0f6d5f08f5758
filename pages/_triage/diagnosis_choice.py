"""The choice of a checkpoint, and the button that opens it in Explore."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import controls
from pages._shared import leave
from pages._shared.text import plain
from pages._shared.uploads import Uploaded
from pages._triage import ranked
from pages._triage.checkpoints import CheckpointResults, select, selected
from pages._triage.diagnosis_data import Diagnosis
from prviz.figures.theme import number
from prviz.measure.profiles import bandwidth_unit
from prviz.measure.workload import subsample
from prviz.readers.bundled import bundled_names, bundled_pair
from prviz.reports.settings import K_LIMITS, N_LIMITS, SPLIT_LIMITS, ExploreSettings
from prviz.triage.measured import MeasuredCheckpoint

BOX, PINNED = "triage-fault-checkpoint", "_triage-fault-pinned"
EXPLORE = "pages/explore.py"


def choose(found: CheckpointResults) -> tuple[MeasuredCheckpoint, DeltaGenerator]:
    """The selected checkpoint, else the best at the page's goal, and the container beside it for buttons."""
    names, titles = found.names, {each.checkpoint.name: _title(each) for each in found.measured}
    name = selected(found) or _best(found)
    place = names.index(name)
    st.session_state[BOX] = name
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        st.selectbox(
            "Checkpoint",
            names,
            format_func=lambda each: titles.get(each, each),
            key=BOX,
            on_change=lambda: select(st.session_state[BOX]),
            width=420,
        )
        for label, step, icon in (("Previous", -1, "arrow_back"), ("Next", 1, "arrow_forward")):
            beyond = not 0 <= place + step < len(names)
            other = name if beyond else names[place + step]
            st.button(
                label,
                key=f"triage-fault-{label.lower()}",
                icon=f":material/{icon}:",
                disabled=beyond,
                on_click=select,
                args=(other,),
            )
    if selected(found) is None and len(names) > 1:
        so_far = "" if found.complete else " so far"
        st.caption(f"The one with the highest score in Ranking{so_far}, until you choose another.")
    return found.one(name), row


def _title(measured: MeasuredCheckpoint) -> str:
    """Name, step (if the name does not contain it) and AuC of a checkpoint."""
    checkpoint = measured.checkpoint
    step = "" if checkpoint.step is None else f"{checkpoint.step:g}"
    said = f", step {step}" if step and step not in checkpoint.name else ""
    return f"{checkpoint.name}{said} (AuC {measured.summaries['auc']:.3f})"


def _best(found: CheckpointResults) -> str:
    """The best checkpoint; while others are still measured, the one that was shown first."""
    pinned = st.session_state.get(PINNED)
    if found.complete or pinned not in found.names:
        pinned = ranked.by_score(found)[0]
        st.session_state[PINNED] = pinned
    return str(pinned)


def to_explore(case: Diagnosis) -> None:
    """Draw a button that opens this checkpoint in Explore, if Explore allows the same settings."""
    explore_settings = _settings(case)
    if explore_settings is None:
        return
    others = "" if explore_settings.source == "bundled" else " It replaces files uploaded there."
    st.button(
        "Open this checkpoint in Explore",
        key="triage-fault-explore",
        icon=":material/open_in_new:",
        on_click=_open,
        args=(case, explore_settings),
        help="With the same families, k, split and seed: every λ, k and bandwidth, and all diagnostics." + others,
    )


def _settings(case: Diagnosis) -> ExploreSettings | None:
    """Explore's settings for this measurement, without the bandwidth; None if Explore's limits exclude them."""
    settings, bundled = case.found.settings, _bundled(case)
    n = max(case.pair.real.n, case.pair.generated.n)
    k_fits = settings.k == "sqrt" or K_LIMITS[0] <= settings.k <= K_LIMITS[1]
    split_fits = settings.split is None or SPLIT_LIMITS[0] <= settings.split <= SPLIT_LIMITS[1]
    # Files cut to equal sizes are other samples than the files as Explore would read them.
    cut = settings.equal_sizes and bundled is None
    if cut or not (k_fits and split_fits and N_LIMITS[0] <= n):
        return None
    source: Any = {"source": "upload", "problem": ""} if bundled is None else {"source": "bundled", "problem": bundled}
    return ExploreSettings(
        **source,
        n=min(n, N_LIMITS[1]),
        methods=settings.methods,
        k=settings.k,
        split=settings.split,
        seed=settings.seed,
    )


def _bundled(case: Diagnosis) -> str | None:
    """Name of the bundled pair with these samples at this size and seed; None if there is none."""
    name = case.measured.checkpoint.path.stem
    if name not in bundled_names():
        return None
    n = max(case.pair.real.n, case.pair.generated.n)
    pair = subsample(bundled_pair(name), n, case.found.settings.seed)
    return name if pair.digest == case.pair.digest else None


def _open(case: Diagnosis, explore_settings: ExploreSettings) -> None:
    """Callback: make Explore show this pair next."""
    settings = case.found.settings
    if settings.bandwidth is not None:  # Explore counts it in radii
        unit = bandwidth_unit(case.pair, split=settings.split, seed=settings.seed) or 1.0
        explore_settings = replace(explore_settings, bandwidth=settings.bandwidth / unit)
    controls.put(explore_settings, _uploaded(case) if explore_settings.source == "upload" else None)
    leave.wish(EXPLORE)


def _uploaded(case: Diagnosis) -> Uploaded:
    """The pair as an upload of Explore."""
    found, path = case.found, case.measured.checkpoint.path
    labelled = bool(case.pair.real.labels or case.pair.generated.labels)
    origin = ("triage", *case.measured.digests, str(path)) if labelled else ()
    pictures = None if found.uploaded is None else found.uploaded.pictures
    return Uploaded(case.pair, (found.reference.name, path.name), (None, None), origin, pictures)


def headline(case: Diagnosis) -> None:
    """Draw one line on what was measured."""
    measured, settings = case.measured, case.found.settings
    k = "" if measured.k is None else f", k = {measured.k}"
    split = "no split" if settings.split is None else f"split {settings.split:.0%}"
    st.caption(
        f"{plain(measured.checkpoint.name)}: {measured.n_generated:,} generated against {measured.n_real:,} real "
        f"samples in {case.pair.d:,} dimensions; {plain(case.title)}{k}, {split}, seed {settings.seed}. "
        f"AuC, the area under the curve, is {number(measured.summaries['auc'])} (1: equal, 0: nothing in common)."
    )
