"""The first screen of Triage: verdict, goal, curves, ranking, scores over the training steps,
evidence.
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import streamlit as st

from pages._live.figure import live_figure
from pages._shared import cache
from pages._shared.widgets import unbroken
from pages._triage import side_by_side, table
from pages._triage.checkpoints import (
    BALANCED,
    CheckpointResults,
    by_score,
    ceiling_or_reason,
    copies_of,
    drawn_family,
    faults_of,
    goal,
    judgement_of,
    replicates_of,
    selected,
    witnesses_known,
)
from pages._triage.session import GOAL, session
from pages._triage.side_by_side import chip, warnings_html
from prviz.checks.finding import Findings
from prviz.curves import PRCurve
from prviz.estimators.tightest import TIGHTEST
from prviz.figures.theme import FAMILY_COLORS, TRUTH_COLOR
from prviz.figures.triage import (
    CheckpointView,
    checkpoints_figure,
    in_order,
    step_axes,
    steps_figure,
)
from prviz.live.figure import Pane
from prviz.triage.decision import Disagreement, Judgement, family_title, told_apart
from prviz.triage.finding import Found, TriageFinding, nothing_text
from prviz.triage.flagged import by_checkpoint
from prviz.triage.memorisation import Memorisation, copies_text
from prviz.triage.ranking import listed, score, share_text
from prviz.triage.yardstick import Yardstick

# Height in pixels of the figure of scores over the steps.
STEPS_HEIGHT = 196


@dataclass(frozen=True, eq=False, kw_only=True)
class TriageAnswer:
    """What is known of the checkpoints so far, at the page's goal.

    names : the checkpoints' names, the best first. best : the checkpoint to take. scores : by name.
    judgement : the decision; None until the first bootstrap.
    ceiling : the scores of real samples against real ones. no_ceiling : why these can't be
    measured.
    drawn : the family whose curves are drawn. top : the ceiling's score by this family.
    copies, faults : by the checkpoint's name. apart : by name of the checkpoints that were tested,
    True if one can be told from real samples.
    warnings : on the reference, or on all checkpoints alike. own_warnings : on one checkpoint, by
    name.
    """

    names: list[str]
    best: str
    scores: Mapping[str, float]
    judgement: Judgement | None
    ceiling: Yardstick | None
    drawn: str
    top: float | None
    no_ceiling: str
    copies: Mapping[str, Memorisation]
    faults: Mapping[str, Found]
    apart: Mapping[str, bool]
    warnings: Findings
    own_warnings: Mapping[str, Findings]


def draw(found: CheckpointResults) -> None:
    """Draw the first screen.

    Results that take longer are drawn later; until then, a text in their place says that they are
    being computed.
    """
    with st.container(key="triage-screen"):
        warnings = st.container(key="triage-warnings")
        top = st.container(key="triage-verdict", horizontal=True)
        with top:
            head = st.container(key="triage-answer")
            with st.container(key="triage-goal-box"):
                _goal()
        waits = st.container(key="triage-waits")
        with waits:
            answer = _answer(found)
        colors = _compared(found, answer)
        if answer.warnings:
            warnings.html(unbroken(warnings_html(answer.warnings)))
        with head:
            st.html(unbroken(_verdict_html(found, answer)))
        first = st.container(key="triage-upper")
        second = st.container(key="triage-lower")
        with first:
            curves = st.container(key="triage-curves-box")
            table_box = st.container(key="triage-table-box")
        with second:
            steps = st.container(key="triage-steps-box")
            evidence = st.container(key="triage-evidence-box")
        # draw the evidence before table and figures, since a click by the user may just have asked
        # for it
        with evidence:
            chips = {name: _fault_chip(answer, name) for name in colors}
            # Leave out the best checkpoint: the verdict shows its warnings.
            beside = {
                name: warnings_html(answer.own_warnings[name])
                for name in colors
                if name != answer.best
            }
            side_by_side.draw(found, colors, chips, answer.copies, beside)
        with table_box:
            _table(found, answer, colors)
        with curves:
            _figures(found, answer, colors)
        with steps:
            _steps(found, answer, colors)


def _goal() -> None:
    st.session_state.setdefault(GOAL, BALANCED)
    st.slider(
        "Goal: precision ↔ recall",
        0.0,
        1.0,
        step=0.05,
        key=GOAL,
        persist_state="session",
        help="0: precision first, 0.5: the area under the curve (AuC), 1: recall first.",
    )


def link(found: CheckpointResults, part: str | None, *, named: bool) -> dict[str, str | None]:
    """The parts of the link that the first screen sets; a part is None if it has its default
    value.

    named : False for uploads, whose names never enter a link.
    """
    names = [name for name in session().choice.ticked or () if name in found.names]
    return {
        "part": part,
        "goal": None if goal() == BALANCED else f"{goal():g}",
        "chosen": selected(found) if named else None,
        "ticked": ",".join(quote(name, safe=" ()") for name in names) if named and names else None,
    }


def _answer(found: CheckpointResults) -> TriageAnswer:
    names = replicates_of(found)
    known = ceiling_or_reason(found)
    copies = copies_of(found)
    ceiling = None if isinstance(known, str) else known
    faults = faults_of(found)
    apart = told_apart(witnesses_known(found), faults)
    judgement = None
    if names:
        judgement = judgement_of(found, names, ceiling, copies, apart)
    sides = found.sides[found.method]
    wanted = goal()
    order = by_score(found)
    if judgement is not None and len(judgement.table) == len(order):
        order = list(judgement.table["checkpoint"])
    # there is no decision yet if the leading checkpoint has no bootstrap replicates
    decided = judgement is not None and order[0] in set(judgement.table["checkpoint"])
    warnings, own = by_checkpoint(found.outcomes, faults)
    drawn = drawn_family(found)
    return TriageAnswer(
        names=order,
        best=judgement.decision.best if judgement is not None and decided else order[0],
        scores={name: sides[name][0].score(wanted) for name in order},
        judgement=judgement,
        ceiling=ceiling,
        drawn=drawn,
        top=None if ceiling is None else score(ceiling.ceiling[drawn].curve, wanted),
        no_ceiling=known if isinstance(known, str) else "",
        copies=copies,
        faults=faults,
        apart=apart,
        warnings=warnings,
        own_warnings=own,
    )


def _ceiling_curve(answer: TriageAnswer) -> PRCurve | None:
    if answer.ceiling is None:
        return None
    return answer.ceiling.ceiling[answer.drawn].curve


def _compared(found: CheckpointResults, answer: TriageAnswer) -> dict[str, str]:
    """By name, the colours of the compared checkpoints. The first is the selected checkpoint, or
    the best one without a selection; then come the ticked ones.
    """
    lead = selected(found) or answer.best
    ticked = session().choice.ticked
    best_first = dict.fromkeys([answer.best, *answer.names])
    if ticked is None:
        others = list(best_first)[:2]
    else:
        others = [name for name in ticked if name in answer.scores]
    return dict(zip(dict.fromkeys([lead, *others]), table.COLORS, strict=False))


# ---- first screen: the verdict ----


def _verdict_html(found: CheckpointResults, answer: TriageAnswer) -> str:
    """HTML of the decision in three lines: which checkpoints may be best, why, and what is wrong
    with the best one.
    """
    best = answer.best
    judgement = answer.judgement
    if judgement is None or judgement.decision.best != best:
        measured = len(answer.scores)
        among = ""
        if measured != found.total:
            among = f"{measured} among "
        first = f"Score {answer.scores[best]:.3f}, the highest of {among}{found.total} checkpoints"
        text = (
            f"<h2>So far: {html.escape(best)}</h2><p>{first}; which of them may be best comes"
            " next.</p>"
        )
        own = warnings_html(answer.own_warnings[best])
        return f'<div class="verdict-box" data-prviz="verdict">{text}{own}</div>'
    decision = judgement.decision
    share = judgement.shares.get(best)
    head, rest = (html.escape(each) for each in decision.headline)
    if len(found.outcomes) < found.total:
        head = f"So far: {_lower(head)}" if head.startswith("May be best") else f"So far: {head}"
    unsure = not decision.told_apart or bool(decision.disagreement)
    kind = "warning"
    if share is not None and share.reaches_ceiling and not unsure:
        kind = "good"
    basis = ""
    if decision.basis.clause:
        basis = f" Scored {html.escape(decision.basis.clause)}."
    wrong = ""
    if share is not None:
        wrong = f"{html.escape(best)} {html.escape(share.sentence)}. "
    chips = f"{_fault_chip(answer, best)} {_copies_chip(answer, best)}"
    lines = [
        f"<h2>{head}&emsp;{_ceiling_html(answer)}{_apart_chips(judgement.apart)}</h2>",
        f"<p>{rest}{basis}{_judged_so_far(found)}</p>",
        f"<p>{wrong}{chips}{_so_far(found, answer)}</p>",
        warnings_html(answer.own_warnings[best]),
    ]
    if decision.memorised:
        kind = "bad"
        lines.insert(0, _memorised_html(answer, decision.memorised))
    return f'<div class="verdict-box {kind}" data-prviz="verdict">{"".join(lines)}</div>'


def _judged_so_far(found: CheckpointResults) -> str:
    """While another family than the best classifier ranks: text with the largest area by the best
    classifier so far; else "".

    The text may be a little behind the progress bar, which counts the checkpoints that the best
    classifier has judged.
    """
    areas = [found.summaries(each)["auc"] for each in found.by(TIGHTEST.name)]
    if found.method == TIGHTEST.name or not areas:
        return ""
    return (
        f" The best classifier decides once it has judged all; its largest area so far is"
        f" {max(areas):.2f}."
    )


def _memorised_html(answer: TriageAnswer, names: tuple[str, ...]) -> str:
    """HTML of the warning that checkpoints copy the reference. It is more important than the
    ranking, so it comes first.

    Its tooltip has the counts of all these checkpoints.
    """
    told = "\n".join(f"{name}: {copies_text(answer.copies[name])}" for name in names)
    counted = [
        f"{name} ({each.exact.number} exact copies, {100 * each.near.share:.0f} % near)"
        for name, each in ((name, answer.copies[name]) for name in names)
    ]
    left_out = " Left out of the decision."
    if answer.best in names:
        left_out = ""
    text = f"Memorised: {listed(counted)}.{left_out}"
    return f'<p title="{html.escape(told)}"><b>{html.escape(text)}</b></p>'


def _ceiling_html(answer: TriageAnswer) -> str:
    if answer.ceiling is None:
        if answer.no_ceiling:
            text = "real against real can't be measured"
        else:
            text = "real against real: measuring"
        return (
            f'<small data-prviz="ceiling" title="{html.escape(answer.no_ceiling)}">{text}</small>'
        )
    source = html.escape(answer.ceiling.source)
    if answer.drawn == TIGHTEST.name:
        family = ""
    else:
        family = f" by {html.escape(family_title(answer.drawn))}"
    told = f"real against real{family} <b>{answer.top:.3f}</b>"
    return f'<small data-prviz="ceiling" title="{source}">{told}</small> '


def _apart_chips(apart: Disagreement) -> str:
    """Chips that say that the families disagree: about the score of the best checkpoint, or about
    which one is best.
    """
    parts = []
    if apart.levels:
        text = ", ".join(f"{family_title(name)} {value:.2f}" for name, value in apart.levels)
        parts.append(chip(f"families disagree: {text}", "warning", apart.sentence))
    if apart.others:
        taken = [
            f"{listed([family_title(each) for each in families])} take{'s' * (len(families) == 1)}"
            f" {name}"
            for name, families in apart.others.items()
        ]
        parts.append(chip("; ".join(taken), "warning", apart.sentence))
    return "".join(parts)


def _fault_chip(answer: TriageAnswer, name: str) -> str:
    found = answer.faults.get(name)
    if found is None:
        return ""
    if not found:
        return chip(nothing_text(bool(answer.apart.get(name))))
    return "".join(chip(fault_text(fault), fault.level, fault.sentence) for fault in found[:2])


def fault_text(fault: TriageFinding) -> str:
    """A finding in a few words: its title, and its number if that is a share.

    Numbers of other kinds are in the finding's sentence only.
    """
    if fault.key == "unclear" or fault.unit == "ratio":
        return fault.title
    return f"{fault.title} {100 * fault.number:.0f} %"


def _copies_chip(answer: TriageAnswer, name: str) -> str:
    """Chip with the number of exact copies of rows of the reference; "" for none."""
    found = answer.copies.get(name)
    if found is None or not found.exact.number:
        return ""
    text = f"{found.exact.number} exact copies"
    if found.memorised:
        return chip(text, "bad", copies_text(found))
    return chip(f"{text}, no more than among real rows", "", copies_text(found))


def _so_far(found: CheckpointResults, answer: TriageAnswer) -> str:
    ranked_so_far = 0
    if answer.judgement is not None:
        ranked_so_far = len(answer.judgement.table)
    left = found.total - len(found.outcomes)
    new = len(found.measured) - ranked_so_far
    counts = {"more to come": left, "being worked in": new}
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    if parts:
        return f" <b>So far:</b> {', '.join(parts)}."
    return ""


# ---- first screen: figures and table ----


def _views(found: CheckpointResults, answer: TriageAnswer) -> list[CheckpointView]:
    """What the figures draw of each checkpoint, in the order of the training steps.

    These are its curve by the drawn family, its score, and the interval of the score.
    """
    intervals = {}
    if answer.judgement is not None:
        ends = ["low", "high"] if answer.drawn == found.method else ["second_low", "second_high"]
        ranked = answer.judgement.table[["checkpoint", *ends]].dropna()
        columns = ranked.itertuples(index=False, name=None)
        intervals = {name: (low, high) for name, low, high in columns}
    sides = found.sides[answer.drawn]
    wanted = goal()
    views, _ = in_order(
        [
            CheckpointView(
                name=each.checkpoint.name,
                step=each.checkpoint.step,
                curve=each.curve,
                summaries={"score": sides[each.checkpoint.name][0].score(wanted)},
                intervals=(
                    {"score": intervals[each.checkpoint.name]}
                    if each.checkpoint.name in intervals
                    else {}
                ),
            )
            for each in found.by(answer.drawn)
        ]
    )
    return views


def _figures(found: CheckpointResults, answer: TriageAnswer, colors: Mapping[str, str]) -> None:
    curve = _ceiling_curve(answer)
    said = f"the best, {answer.best}, scores {answer.scores[answer.best]:.3f}"
    alt = (
        f"Precision against recall of {len(answer.names)} checkpoints by"
        f" {family_title(answer.drawn)}; {said}"
    )
    # The goal is not in the cache key, as the curves don't depend on it.
    figure = cache.remembered(
        ("triage-curves", found.key, answer.drawn, tuple(colors.items()), curve is None),
        lambda: checkpoints_figure(_views(found, answer), focus=colors, ceiling=curve),
    )
    live_figure(
        "triage-curves",
        [
            Pane(
                "triage-curves",
                figure,
                _by(found, answer, "Curves"),
                square=True,
                fit=True,
                alt=alt,
            )
        ],
        standout=table.GROUP,
    )


def _by(found: CheckpointResults, answer: TriageAnswer, what: str) -> str:
    """Title of a figure; it names the figure's family if that is not the family of the scores."""
    if answer.drawn == found.method:
        return what
    return f"{what} by {family_title(answer.drawn)}"


def _steps(found: CheckpointResults, answer: TriageAnswer, colors: Mapping[str, str]) -> None:
    views = _views(found, answer)
    _, stepped = in_order(views)
    axes = step_axes(views)
    # if the steps differ by large factors, the axis is logarithmic, or, if one step is 0, evenly
    # spaced
    axis = axes[1] if len(axes) > 1 else axes[0]
    figure = steps_figure(
        views, "score", axis=axis, focus=colors, ceiling=answer.top, height=STEPS_HEIGHT
    )
    pane = Pane(
        "triage-steps",
        figure,
        _by(found, answer, "Score") + (" over steps" if stepped else " of each checkpoint"),
        compact=True,
        brush=True,
        alt="Scores and 95 % of the draws; drag to filter the ranking",
    )
    live_figure("triage-steps", [pane], standout=table.GROUP)


def _table(found: CheckpointResults, answer: TriageAnswer, colors: Mapping[str, str]) -> None:
    # If the best classifier scores, show beside it only the family that ranks low scores: the best
    # classifier refutes the other families.
    several = []
    if len(found.settings.methods) > 1:
        several = list(found.settings.methods)
    if found.basis.second is not None:
        several = [found.basis.second]
    elif TIGHTEST.name not in several and found.by(TIGHTEST.name):
        several = [TIGHTEST.name, *several]
    families = [
        {
            "title": family_title(name),
            "color": FAMILY_COLORS.get(name, TRUTH_COLOR),
            "leads": name == found.method,
        }
        for name in several
    ]
    ranked = []
    if answer.judgement is not None:
        ranked = answer.judgement.table.to_dict("records")
    lines = {line["checkpoint"]: line for line in ranked if line["low"] == line["low"]}
    rows = [
        _row(found, answer, name, lines.get(name), several, colors.get(name, ""))
        for name in answer.names
    ]
    if answer.drawn == found.method:
        spread = "95 % of draws"
    else:
        spread = f"{family_title(answer.drawn)}, 95 % of draws"
    table.draw(
        rows,
        families,
        spread=spread,
        ceiling=answer.top,
        choice=session().choice,
        compared=list(colors),
    )


def _row(
    found: CheckpointResults,
    answer: TriageAnswer,
    name: str,
    line: Mapping[Hashable, Any] | None,
    families: Sequence[str],
    color: str,
) -> dict[str, Any]:
    """A row of the table. line : the checkpoint's row in the ranking; None before it has bootstrap
    replicates.
    """
    wanted = goal()
    known = found.sides
    faults = answer.faults.get(name)
    ends = ("low", "high") if answer.drawn == found.method else ("second_low", "second_high")
    low, high = (None, None) if line is None else (float(line[end]) for end in ends)
    fault = ""
    if faults is not None:
        fault = nothing_text(bool(answer.apart.get(name)))
    level = sentence = ""
    if faults:
        fault = fault_text(faults[0])
        level = faults[0].level
        sentence = faults[0].sentence
    return {
        "id": name,
        "run": found.one(name).checkpoint.run or run_of(name),
        "color": color,
        "score": answer.scores[name],
        "place": known[answer.drawn][name][0].score(wanted),
        "low": low,
        "high": high,
        "most": None if answer.judgement is None else answer.judgement.at_most.get(name),
        "told": _told(name, line, answer),
        "ties": line is not None and bool(line["tied_with_best"]),
        "families": [
            known[each][name][0].score(wanted) if name in known[each] else None for each in families
        ],
        "fault": fault,
        "level": level,
        "sentence": sentence,
        "warnings": [each.line for each in answer.own_warnings[name]],
    }


def _told(name: str, line: Mapping[Hashable, Any] | None, answer: TriageAnswer) -> str:
    if line is None:
        return name
    share = None
    if answer.judgement is not None:
        share = answer.judgement.shares.get(name)
    parts = [
        f"{name}: score {line['score']:.3f} ({line['low']:.3f} to {line['high']:.3f} in 95 % of the"
        " draws)"
    ]
    if share is not None:
        parts.append(f"{100 * min(share.share, 1):.0f} % of what real samples get")
    if line["best"] == line["best"]:
        parts.append(f"best in {share_text(line['best'])} of the paired draws")
    return ", ".join(parts)


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def run_of(name: str) -> str:
    """Default name of the training run that a checkpoint belongs to: the checkpoint's name without
    the number at its end.
    """
    if any(letter.isdigit() for letter in name):
        return name.rstrip("0123456789.").rstrip(" -_=,:(")
    return ""
