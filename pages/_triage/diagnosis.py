"""Part "What is wrong with it?": findings about one checkpoint, with evidence and with samples that
show them.
"""

from __future__ import annotations

import html
from dataclasses import replace
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import controls
from pages._shared import answers, cache
from pages._shared.widgets import plain, pressed, say_refusal
from pages._triage import evidence, gallery
from pages._triage.checkpoints import (
    NONE_YET,
    CheckpointResults,
    Diagnosis,
    by_score,
    select,
    selected,
)
from pages._triage.session import DIAGNOSED, session
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.estimators.tightest import TIGHTEST
from prviz.live.problems import Uploaded
from prviz.measure.profiles import bandwidth_unit
from prviz.measure.workload import subsample
from prviz.quoting import every_name
from prviz.readers.bundled import bundled_names, bundled_pair
from prviz.reports.settings import K_LIMITS, N_LIMITS, SPLIT_LIMITS, ExploreSettings
from prviz.triage.finding import EVIDENCE, SEVERE, Found, TriageFinding, nothing_text
from prviz.triage.findings import LOOKED_FOR, NUMBERS
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.power import power

EXPLORE = "pages/explore.py"
NUMBER = (
    '<div style="font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums">{value}</div>'
    '<div style="font-size:.8rem;opacity:.85">{said}</div>'
)
MARKS = {
    "warning": ":orange[:material/warning:] :orange-badge[warning]",
    "note": ":blue[:material/info:] :blue-badge[note]",
}
NOTHING = "None of the problems listed below shows. What would have been named:"
# Most seconds to measure how often faults of known size are found (see `_say_nothing`).
POWER_SECONDS = 10.0


def draw(found: CheckpointResults) -> None:
    cache.leave_page()
    if not found.measured:
        st.info(NONE_YET)
        return
    st.caption(
        "Findings about one checkpoint, from its curve, its rows and their neighbours: each with a"
        " number and the samples that show it."
    )
    measured, row = _choose(found)
    try:
        case = Diagnosis(found=found, measured=measured, pair=found.pair(measured))
    except (ValueError, OSError, MemoryError) as error:
        reason = plain(str(error).partition("\n")[0] or "Not enough memory")
        say_refusal(
            f"The samples of **{plain(measured.checkpoint.name)}** can't be read any more, so there"
            f" are no findings. Its curve stays as measured. {reason}"
        )
        return
    with row:
        _to_explore(case)
    _say_measured(case)
    differs = _say_witness(case)
    problems = _problems(case)
    nothing = st.container()
    if problems is not None:
        for finding in problems:
            _card(case, finding)
        _list_findings(case)
    gallery.show_groups(case)
    if problems == ():
        with nothing:  # draw this last, since it takes longest to compute
            _say_nothing(found, differs)


def _say_measured(case: Diagnosis) -> None:
    """Draw a caption: how many samples of the checkpoint were measured, and with which settings."""
    settings = case.found.settings
    measured = case.measured
    k = ""
    if measured.k is not None:
        k = f", k = {measured.k}"
    split = "no split"
    if settings.split is not None:
        split = f"split {100 * settings.split:.0f} %"
    names = plain(every_name(case.pair.features))
    st.caption(
        f"{plain(measured.checkpoint.name)}: {measured.n_generated:,} generated against"
        f" {measured.n_real:,} real samples in {case.pair.d:,}"
        f" dimensions{names and f' ({names})'}. Findings read the curve"
        f" of {plain(case.title)}{k}, {split}, seed {settings.seed}."
    )


def _say_witness(case: Diagnosis) -> bool:
    """Draw which features tell generated samples from real ones, and which samples differ most
    clearly.

    Returns False if nothing tells them apart.
    """
    found = case.found
    measured = case.measured
    find = found.triage.witness
    known = find(measured, None)
    if known is None:
        known = case.known("witness", case.seconds(1), partial(find, measured))
    if known is None or not known["told_apart"]:
        return False
    best = found.by(TIGHTEST.name)
    area = next(
        (found.summaries(each)["auc"] for each in best if each.checkpoint == measured.checkpoint),
        None,
    )
    if area is not None and known["area"] is None:
        seconds = case.seconds(2) + 2 * max(each.seconds for each in best)
        areas = partial(find, measured, area=area)
        known = case.known("witness-areas", seconds, areas) or known
    with st.container(border=True, key="triage-witness"):
        lines = [f"- {plain(each)}" for each in known["statements"]]
        rows = {
            "most surely generated": known["most_generated"],
            "most surely missing": known["most_missing"],
        }
        lines += [
            f"- {said}: rows {', '.join(str(row + 1) for row in some)}"
            for said, some in rows.items()
            if some
        ]
        st.markdown("\n".join([f"**{GIVES_AWAY}**", "", *lines]))
    return True


def _problems(case: Diagnosis) -> Found | None:
    """The faults found in the checkpoint; None until a job has looked for them."""
    found = case.found
    measured = case.measured
    find = found.triage.faults
    known = find(measured, None)
    if known is None:
        known = case.known(
            "findings",
            case.seconds(2) + case.bootstrap_seconds,
            partial(find, measured),
            found.holdout and found.holdout.digest,
        )
    return known


def _list_findings(case: Diagnosis) -> None:
    """Draw a collapsed list of all findings that are looked for, with their thresholds."""
    with st.expander("All findings and their thresholds", icon=":material/rule:"):
        st.markdown("\n".join(f"- **{title}**: {where}." for title, where in LOOKED_FOR.items()))
        st.caption(
            f"A fault of more than {100 * SEVERE:.0f} % of the samples is a warning, less is a "
            "note. Each fault is named by what sets generated samples apart from held-out real "
            "ones, beyond chance. Outliers are looked for in families that count samples in "
            "balls. For other scales, a shift or another order of the features only that is "
            "reported: the rest follows from it."
        )
        if case.measured.method != "knn":
            st.caption(
                f"This is {plain(case.title)}: check the same checkpoint with kNN before you act on"
                " a note."
            )


def _say_nothing(found: CheckpointResults, differs: bool) -> None:
    """Draw that no fault was found, and how often a fault of known size would have been found."""
    with st.container(border=True):
        mark = ":material/check_circle:"
        if differs:
            mark = ":material/help:"
        st.markdown(f"{mark} **{nothing_text(differs).capitalize()}.** {NOTHING}")
        key = ("triage-power", found.reference.digest)
        shares = answers.tab_result(
            key,
            POWER_SECONDS,
            lambda tick: power(found.reference, seconds=POWER_SECONDS, progress=tick),
        )
        if shares == ():
            st.markdown("the reference has too few samples to tell.")
        elif shares:
            nothing, *faults = shares
            st.markdown(
                "\n".join(
                    f"- {each.fault}: in {each.named} of {each.tries} tries" for each in faults
                )
            )
            st.caption(
                f"Each fault was planted in {nothing.size:,} real samples and these compared with"
                f" {nothing.size:,} others; without any fault something was named in"
                f" {nothing.named} of {nothing.tries} tries."
            )


# ---- the choice of the checkpoint ----


def _choose(found: CheckpointResults) -> tuple[MeasuredCheckpoint, DeltaGenerator]:
    """Draw the choice of the checkpoint to diagnose; return its measurement, and a container for
    buttons beside the choice.

    The default is the selected checkpoint; without a selection, the best one at the page's goal.
    """
    names = found.names
    titles = {each.checkpoint.name: _title(found, each) for each in found.measured}
    kept = session()
    name = selected(found)
    # without a selection, show the best checkpoint; while others are still being measured, keep the
    # one that was shown first
    if name is None:
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
    return found.looked_into[name], row


def _title(found: CheckpointResults, measured: MeasuredCheckpoint) -> str:
    checkpoint = measured.checkpoint
    step = ""
    if checkpoint.step is not None:
        step = f"{checkpoint.step:g}"
    said = ""
    if step and step not in checkpoint.name:
        said = f", step {step}"
    return f"{checkpoint.name}{said} (AuC {found.summaries(measured)['auc']:.3f})"


def _to_explore(case: Diagnosis) -> None:
    explore_settings = _explore_settings(case)
    if explore_settings is None:
        return
    others = " It replaces files uploaded there."
    if explore_settings.source == "bundled":
        others = ""
    if pressed(
        "Open this checkpoint in Explore",
        "triage-fault-explore",
        icon=":material/open_in_new:",
        help=(
            "With the same families, k, split and seed: every λ, k and bandwidth, and all"
            " diagnostics."
        )
        + others,
        # Not a callback: Streamlit keeps the arguments of callbacks in memory, so the samples would
        # stay there even after "Forget them".
    ):
        _open_explore(case, explore_settings)
        st.rerun()


def _explore_settings(case: Diagnosis) -> ExploreSettings | None:
    """Settings with which Explore measures the same, without the bandwidth.

    None if the measurement is outside Explore's limits.
    """
    settings = case.found.settings
    name = case.measured.checkpoint.path.stem
    n = max(case.pair.real.n, case.pair.generated.n)
    # true if the bundled pair, at this size and seed, has exactly these samples
    bundled = (
        name in bundled_names()
        and subsample(bundled_pair(name), n, settings.seed).digest == case.pair.digest
    )
    k_fits = settings.k == "sqrt" or K_LIMITS[0] <= settings.k <= K_LIMITS[1]
    split_fits = settings.split is None or SPLIT_LIMITS[0] <= settings.split <= SPLIT_LIMITS[1]
    # If the sets were cut to equal sizes, Explore can't measure the same: it would read the whole
    # files.
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
    """Make Explore show this checkpoint against the reference, and open Explore."""
    found = case.found
    settings = case.found.settings
    path = case.measured.checkpoint.path
    # convert: Explore's bandwidth is in units of the mean radius
    if settings.bandwidth is not None:
        unit = bandwidth_unit(case.pair, split=settings.split, seed=settings.seed) or 1.0
        explore_settings = replace(explore_settings, bandwidth=settings.bandwidth / unit)
    uploaded = None
    if explore_settings.source == "upload":
        labelled = bool(case.pair.real.labels or case.pair.generated.labels)
        origin = ("triage", *case.measured.digests, str(path)) if labelled else ()
        pictures = None
        if found.uploaded is not None:
            pictures = found.uploaded.pictures
        uploaded = Uploaded(
            case.pair, (found.reference.name, path.name), (None, None), origin, pictures
        )
    controls.put(explore_settings, uploaded)
    cache.wish_page(EXPLORE)


def _card(case: Diagnosis, finding: TriageFinding) -> None:
    name = f"{finding.key}/{finding.title}"
    opened = name == session().open_finding
    with st.container(
        border=True, key=f"triage-card-{finding.key}-{finding.title.split()[-1].lower()}"
    ):
        text, figure = st.columns([3, 1], vertical_alignment="center")
        with text:
            st.markdown(
                f"{MARKS[finding.level]} **{plain(finding.title)}**  \n{plain(finding.sentence)}"
            )
        with figure:
            value, said = _number(finding)
            st.html(NUMBER.format(value=html.escape(value), said=html.escape(said)))
        label = "Show the evidence"
        if opened:
            label = "Hide the evidence"
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
    """A finding's number as text; and a text on what the number means, with its interval if it has
    one.
    """
    said = NUMBERS[finding.key]
    if finding.key == "few":
        return f"{finding.number:.2f}", f"{said}, {finding.low:.2f} to {finding.high:.2f}"
    if finding.unit == "ratio":
        value = f"{finding.number:.3g} ×"
        ends = "{:.3g} to {:.3g}"
        scale = 1.0
    else:
        value = f"{100 * finding.number:.3g} %"
        ends = "{:.3g} to {:.3g} %"
        scale = 100.0
    if finding.low is None or finding.high is None:
        return value, said
    return value, f"{said}; 95 % interval {ends.format(scale * finding.low, scale * finding.high)}"
