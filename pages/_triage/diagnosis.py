"""Part of the Triage page: findings about one checkpoint as cards with their evidence, and the samples behind them."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import controls
from pages._shared import cache
from pages._shared.text import plain
from pages._shared.uploads import Uploaded
from pages._triage import evidence, gallery
from pages._triage.checkpoints import NONE_YET, CheckpointResults, Diagnosis, select, selected
from pages._triage.ranking import by_score
from pages._triage.session import DIAGNOSED, session
from prviz.diagnostics.preflight import DIMENSION_RATIO, FEW_EVALUATED, MANY_ROWS
from prviz.figures.theme import number
from prviz.measure.profiles import bandwidth_unit
from prviz.measure.workload import subsample
from prviz.readers.bundled import bundled_names, bundled_pair
from prviz.reports.settings import K_LIMITS, N_LIMITS, SPLIT_LIMITS, ExploreSettings
from prviz.triage.evidence import END
from prviz.triage.findings import APART, EVIDENCE, KINK, LOST, OUTLIERS, SEVERE, WIDE, TriageFinding, findings
from prviz.triage.measured import MeasuredCheckpoint

EXPLORE = "pages/explore.py"
NUMBER = (
    '<div style="font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums">{value}</div>'
    '<div style="font-size:.8rem;opacity:.85">{said}</div>'
)
MARKS = {
    "warning": ":orange[:material/warning:] :orange-badge[warning]",
    "note": ":blue[:material/info:] :blue-badge[note]",
}
# Description of a finding's number, by the finding's key.
NUMBERS = {
    "dropping": f"recall lost where precision is {END:g}",
    "invention": f"precision lost where recall is {END:g}",
    "reweighting": "between the factors of both parts",
    "collapse": "of the generated rows repeat another",
    "flat": "as many directions as the real samples",
    "outliers": "of the other set would lose all support",
    "few": "width of AuC's 95 % interval",
    "apart": "of the mass in common",
}
LOOKED_FOR = {
    "Dropped modes": f"recall where precision is {END:g} lies below {1 - LOST:.0%}, its interval too",
    "Invented samples": f"precision where recall is {END:g} lies below {1 - LOST:.0%}, its interval too",
    "Re-weighted modes": f"the curve has a kink: one point is the best over a range of λ {KINK:g} times wide",
    "Repeated samples": f"{MANY_ROWS:.0%} more of the generated rows than of the real ones repeat another",
    "Fewer directions": f"the generated effective dimension is below 1 / {DIMENSION_RATIO:g} of the real one",
    "Outliers": f"5 samples alone carry more than {OUTLIERS:.0%} of the other set, and far more than their share",
    "Too few samples": f"AuC's interval is wider than {WIDE:g}, or fewer than {FEW_EVALUATED} of a set measure it",
    "Sets far apart": f"less than {APART:.0%} of the mass is shared, or only one set is scaled or normalised",
}
NOTHING = (
    "None of the problems listed below shows at this number of samples. That is no proof that there is none: problems "
    "smaller than the thresholds below, or not visible in the features, can't be found this way."
)


def draw(found: CheckpointResults) -> None:
    cache.leave_page()
    if not found.measured:
        st.info(NONE_YET)
        return
    st.caption(
        "Findings about one checkpoint, from its curve, its rows and their neighbours: each with a number and the "
        "samples that show it."
    )
    measured, row = _choose(found)
    try:
        case = Diagnosis(found=found, measured=measured, pair=found.pair(measured))
    except (ValueError, OSError, MemoryError) as error:
        reason = plain(str(error).partition("\n")[0] or "Not enough memory")
        st.error(
            f"The samples of **{plain(measured.checkpoint.name)}** can't be read any more, so there are "
            f"no findings. Its curve stays as measured. {reason}",
            icon=":material/block:",
        )
        return
    with row:
        _to_explore(case)
    settings = found.settings
    k = "" if measured.k is None else f", k = {measured.k}"
    split = "no split" if settings.split is None else f"split {settings.split:.0%}"
    st.caption(
        f"{plain(measured.checkpoint.name)}: {measured.n_generated:,} generated against {measured.n_real:,} real "
        f"samples in {case.pair.d:,} dimensions; {plain(case.title)}{k}, {split}, seed {settings.seed}. "
        f"AuC, the area under the curve, is {number(measured.summaries['auc'])} (1: equal, 0: nothing in common)."
    )
    problems: tuple[TriageFinding, ...] | None = case.known(
        "findings",
        case.seconds(2) + case.bootstrap_seconds,
        lambda tick: findings(
            case.pair,
            measured.estimate,
            bandwidth=settings.bandwidth,
            split=settings.split,
            seed=settings.seed,
            progress=tick,
        ),
    )
    if problems is not None:
        if not problems:
            st.success("**Nothing found.** " + NOTHING, icon=":material/check_circle:")
        for finding in problems:
            _card(case, finding)
        with st.expander("All findings and their thresholds", icon=":material/rule:"):
            st.markdown("\n".join(f"- **{title}**: {where}." for title, where in LOOKED_FOR.items()))
            st.caption(
                f"A loss of more than {SEVERE:.0%} is a warning, less is a note. The thresholds suit families whose "
                "curve of two equal sets comes near (1, 1) at this n and dimension, as kNN's does; another may lose "
                "its ends by its own bias. Outliers are looked for in families that count samples in balls, which "
                "others do not. Intervals come from drawing the evaluation samples again. Nothing here proves a cause: "
                "a curve loses its recall end where real samples are not made, whether a mode was dropped or every "
                "mode made too narrow. For sets far apart only that is reported, with findings from the rows "
                "themselves: the others follow from it."
            )
            if case.measured.method != "knn":
                st.caption(f"This is {plain(case.title)}: check the same checkpoint with kNN before you act on a note.")
    gallery.show_groups(case)


# ---- the choice of the checkpoint ----


def _choose(found: CheckpointResults) -> tuple[MeasuredCheckpoint, DeltaGenerator]:
    """The selected checkpoint, else the best at the page's goal, and the container beside it for buttons."""
    names, titles, kept = found.names, {each.checkpoint.name: _title(each) for each in found.measured}, session()
    name = selected(found)
    if name is None:  # the best; while others are still measured, the one that was shown first
        if found.complete or kept.pinned not in names:
            kept.pinned = by_score(found)[0]
        name = str(kept.pinned)
    place = names.index(name)
    st.session_state[DIAGNOSED] = name
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        st.selectbox(
            "Checkpoint",
            names,
            format_func=lambda each: titles.get(each, each),
            key=DIAGNOSED,
            on_change=lambda: select(st.session_state[DIAGNOSED]),
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
    checkpoint = measured.checkpoint
    step = "" if checkpoint.step is None else f"{checkpoint.step:g}"
    said = f", step {step}" if step and step not in checkpoint.name else ""
    return f"{checkpoint.name}{said} (AuC {measured.summaries['auc']:.3f})"


def _to_explore(case: Diagnosis) -> None:
    explore_settings = _explore_settings(case)
    if explore_settings is None:
        return
    others = "" if explore_settings.source == "bundled" else " It replaces files uploaded there."
    st.button(
        "Open this checkpoint in Explore",
        key="triage-fault-explore",
        icon=":material/open_in_new:",
        on_click=_open_explore,
        args=(case, explore_settings),
        help="With the same families, k, split and seed: every λ, k and bandwidth, and all diagnostics." + others,
    )


def _explore_settings(case: Diagnosis) -> ExploreSettings | None:
    """Explore's settings for this measurement, without the bandwidth; None if Explore's limits exclude them."""
    settings, name = case.found.settings, case.measured.checkpoint.path.stem
    n = max(case.pair.real.n, case.pair.generated.n)
    bundled = (
        name in bundled_names() and subsample(bundled_pair(name), n, settings.seed).digest == case.pair.digest
    )  # a bundled pair has these samples at this size and seed
    k_fits = settings.k == "sqrt" or K_LIMITS[0] <= settings.k <= K_LIMITS[1]
    split_fits = settings.split is None or SPLIT_LIMITS[0] <= settings.split <= SPLIT_LIMITS[1]
    # Files cut to equal sizes are other samples than the files as Explore would read them.
    cut = settings.equal_sizes and not bundled
    if cut or not (k_fits and split_fits and N_LIMITS[0] <= n):
        return None
    source: Literal["bundled", "upload"] = "bundled" if bundled else "upload"
    return ExploreSettings(
        source=source,
        problem=name if bundled else "",
        n=min(n, N_LIMITS[1]),
        methods=settings.methods,
        k=settings.k,
        split=settings.split,
        seed=settings.seed,
    )


def _open_explore(case: Diagnosis, explore_settings: ExploreSettings) -> None:
    """Callback: make Explore show this pair next."""
    found, settings, path = case.found, case.found.settings, case.measured.checkpoint.path
    if settings.bandwidth is not None:  # Explore counts it in radii
        unit = bandwidth_unit(case.pair, split=settings.split, seed=settings.seed) or 1.0
        explore_settings = replace(explore_settings, bandwidth=settings.bandwidth / unit)
    uploaded = None
    if explore_settings.source == "upload":
        labelled = bool(case.pair.real.labels or case.pair.generated.labels)
        origin = ("triage", *case.measured.digests, str(path)) if labelled else ()
        pictures = None if found.uploaded is None else found.uploaded.pictures
        uploaded = Uploaded(case.pair, (found.reference.name, path.name), (None, None), origin, pictures)
    controls.put(explore_settings, uploaded)
    cache.wish_page(EXPLORE)


def _card(case: Diagnosis, finding: TriageFinding) -> None:
    name = f"{finding.key}/{finding.title}"
    opened = name == session().open_finding
    with st.container(border=True, key=f"triage-card-{finding.key}-{finding.title.split()[-1].lower()}"):
        text, figure = st.columns([3, 1], vertical_alignment="center")
        with text:
            st.markdown(f"{MARKS[finding.level]} **{plain(finding.title)}**  \n{plain(finding.sentence)}")
        with figure:
            value, said = _number(finding)
            st.html(NUMBER.format(value=html.escape(value), said=html.escape(said)))
        label = "Hide the evidence" if opened else "Show the evidence"
        st.button(
            label,
            key=f"triage-evidence-{name}",
            icon=":material/expand_less:" if opened else ":material/expand_more:",
            help=f"{EVIDENCE[finding.evidence].capitalize()}.",
            on_click=_open,
            args=(None if opened else name,),
        )
        if opened:
            st.divider()
            evidence.VIEWS[finding.evidence](case, finding)


def _open(name: str | None) -> None:
    session().open_finding = name


def _number(finding: TriageFinding) -> tuple[str, str]:
    """A finding's number, and its description with the interval, if it has one."""
    said = NUMBERS[finding.key]
    if finding.key == "few":
        return f"{finding.number:.2f}", f"{said}, {finding.low:.2f} to {finding.high:.2f}"
    if finding.unit == "ratio":
        said = "the real norms, at the median" if finding.key == "apart" else said
        value, ends = f"{finding.number:.3g} ×", "{:.3g} to {:.3g}"
        scale = 1.0
    else:
        value, ends, scale = f"{100 * finding.number:.3g} %", "{:.3g} to {:.3g} %", 100.0
    if finding.low is None or finding.high is None:
        return value, said
    return value, f"{said}; 95 % interval {ends.format(scale * finding.low, scale * finding.high)}"
