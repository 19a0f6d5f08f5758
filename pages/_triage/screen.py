"""The first screen of Triage: the verdict, the goal, curves, ranking, scores over the steps, and evidence."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import pandas as pd
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared import cache
from pages._triage import side_by_side, table
from pages._triage.checkpoints import CheckpointResults, selected
from pages._triage.possible import Ceiling, ceiling_of, copies_of, faults_of, no_ceiling
from pages._triage.ranking import (
    BALANCED,
    BOOTSTRAP,
    Replicates,
    by_score,
    goal,
    ranked,
    replicates_of,
    shares_of,
    sides_of,
)
from pages._triage.session import GOAL, session
from pages._triage.side_by_side import chip
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import FAMILY_COLORS, TRUTH_COLOR
from prviz.figures.triage import CheckpointView, StepAxis, checkpoints_figure, in_order, steps_figure
from prviz.triage.findings import TriageFinding
from prviz.triage.memorisation import Memorisation, memorised_text
from prviz.triage.ranking import largest_scores, listed, score, share_text, verdict
from prviz.triage.stability import least
from prviz.triage.yardstick import CeilingShare

# Largest difference of the scores that families give to one checkpoint without disagreeing in level.
SAME_LEVEL = 0.1
# Ratio of the largest to the smallest step from which on the axis is logarithmic: a linear one crowds the small steps.
WIDE_STEPS = 20.0
# Height of the scores over the steps, in pixels.
STEPS_HEIGHT = 196


@dataclass(frozen=True, eq=False, kw_only=True)
class TriageAnswer:
    """What is known of the checkpoints so far.

    names : best first. ranking : None until the first bootstrap. no_ceiling : why there can be none. shares, copies,
    faults : by name.
    """

    names: list[str]
    scores: Mapping[str, float]
    replicates: Replicates | None
    ranking: pd.DataFrame | None
    ceiling: Ceiling | None
    no_ceiling: str
    shares: Mapping[str, CeilingShare]
    copies: Mapping[str, Memorisation]
    faults: Mapping[str, tuple[TriageFinding, ...]]


def draw(found: CheckpointResults) -> None:
    """Draw it; what takes longer comes later, and its place says so."""
    with st.container(key="triage-screen"):
        top = st.container(key="triage-verdict", horizontal=True)
        with top:
            head = st.container(key="triage-answer")
            with st.container(key="triage-goal-box"):
                _goal()
        waits = st.container(key="triage-waits")
        with waits:
            answer = _answer(found)
        colors = _compared(found, answer)
        with head:
            st.html(_verdict_html(found, answer))
        first, second = st.container(key="triage-upper"), st.container(key="triage-lower")
        with first:
            _figures(found, answer, colors)
            with st.container(key="triage-table-box"):
                _table(found, answer, colors)
        with second:
            _steps(found, answer, colors)
            with st.container(key="triage-evidence-box"):
                known = answer.ceiling
                curve = None if known is None else known.yardstick.ceiling[found.method].curve
                side_by_side.draw(found, colors, {name: _fault_chip(answer, name) for name in colors}, curve)


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
    """Parts of the link; None for what has its default. named : False for uploads, whose names a link never holds."""
    names = [name for name in session().choice.ticked or () if name in found.names]
    return {
        "part": part,
        "goal": None if goal() == BALANCED else f"{goal():g}",
        "chosen": selected(found) if named else None,
        "ticked": ",".join(quote(name, safe=" ()") for name in names) if named and names else None,
    }


def _answer(found: CheckpointResults) -> TriageAnswer:
    replicates = replicates_of(found)
    ranking = None if replicates is None else ranked(found, replicates)
    shares = {} if replicates is None else shares_of(found, replicates)
    copies = copies_of(found) or {}
    sides, wanted = sides_of(found)[found.method], goal()
    order = by_score(found)
    if ranking is not None and len(ranking) == len(order):
        order = list(ranking["checkpoint"])
    return TriageAnswer(
        names=order,
        scores={name: sides[name].score(wanted) for name in order},
        replicates=replicates,
        ranking=ranking,
        ceiling=ceiling_of(found),
        no_ceiling=no_ceiling(found),
        shares=shares,
        copies=copies,
        faults=faults_of(found),
    )


def _compared(found: CheckpointResults, answer: TriageAnswer) -> dict[str, str]:
    """Colours of the checkpoints that are compared: the selected one, else the best, and the ticked ones."""
    lead = selected(found) or answer.names[0]
    ticked = session().choice.ticked
    others = answer.names[:2] if ticked is None else [name for name in ticked if name in answer.scores]
    return dict(zip(dict.fromkeys([lead, *others]), table.COLORS, strict=False))


# ---- the verdict ----


def _verdict_html(found: CheckpointResults, answer: TriageAnswer) -> str:
    best = answer.names[0]
    if answer.ranking is None or answer.ranking["checkpoint"].iloc[0] != best:
        text = f"<h2>{html.escape(best)} leads</h2><p>Score {answer.scores[best]:.3f}; intervals are on their way.</p>"
        return f'<div class="verdict-box" data-prviz="verdict">{text}</div>'
    said = verdict(answer.ranking, html.escape, least(found.measured))
    head, _, rest = said.partition(": ") if said.startswith("Take ") else (html.escape(best), "", said)
    memorised = memorised_text({html.escape(name): each for name, each in answer.copies.items()})
    share, apart = answer.shares.get(best), _disagreement(found, best)
    unsure = bool(apart) or bool(answer.ranking["tied_with_best"].iloc[0])
    kind = "good" if share is not None and share.reaches_ceiling and not unsure else "warning"
    if len(found.outcomes) < found.total:
        head = head.replace("Take ", "So far: take ", 1)
    lines = [f"<h2>{head} {_ceiling_html(found, answer)}{apart}</h2>"]
    if memorised:
        kind = "bad"
        lines.insert(0, "<p><b>" + memorised.replace("\n", "<br>") + "</b></p>")
    lines.append(f"<p>{rest[:1].upper()}{rest[1:]} {_rests_on(found)}</p>")
    wrong = "" if share is None else f"It {share.sentence}. "
    lines.append(
        f"<p>{html.escape(wrong)}{_fault_chip(answer, best)} {_copies_chip(answer, best)}{_so_far(found, answer)}</p>"
    )
    return f'<div class="verdict-box {kind}" data-prviz="verdict">{"".join(lines)}</div>'


def _ceiling_html(found: CheckpointResults, answer: TriageAnswer) -> str:
    if answer.ceiling is None:
        reason = answer.no_ceiling
        text = "no ceiling" if reason else "ceiling: measuring"
        return f'<small data-prviz="ceiling" title="{html.escape(reason)}">{text}</small>'
    known = answer.ceiling.yardstick
    top = score(known.ceiling[found.method].curve, goal())
    return f'<small data-prviz="ceiling" title="{html.escape(known.source)}">ceiling <b>{top:.3f}</b></small> '


def _disagreement(found: CheckpointResults, best: str) -> str:
    """Chips where families give the best checkpoint another level, or take another one."""
    wanted, known = goal(), sides_of(found)
    methods = [name for name in found.settings.methods if best in known[name]]
    levels = {name: known[name][best].score(wanted) for name in methods}
    parts = []
    if levels and max(levels.values()) - min(levels.values()) > SAME_LEVEL:
        low, high = min(levels, key=levels.__getitem__), max(levels, key=levels.__getitem__)
        text = f"families disagree: {_title(low)} {levels[low]:.2f}, {_title(high)} {levels[high]:.2f}"
        parts.append(chip(text, "warning", "The level depends on the family; the order may not."))
    others: dict[str, list[str]] = {}
    for method in methods:
        own = {name: each.score(wanted) for name, each in known[method].items()}
        first = max(sorted(own), key=own.__getitem__)
        if first != best:
            others.setdefault(first, []).append(_title(method))
    taken = "; ".join(f"{listed(titles)} take{'s' * (len(titles) == 1)} {name}" for name, titles in others.items())
    return "".join([*parts, chip(taken, "warning") if taken else ""])


def _rests_on(found: CheckpointResults) -> str:
    if len(found.settings.methods) == 1:
        return f"By {html.escape(_title(found.method))}."
    count = len(found.settings.methods)
    if found.by_risk:
        return f"Rests on {html.escape(_title(found.method))}: lowest held-out risk of {count} families."
    return f"Rests on {html.escape(_title(found.method))}, as chosen."


def _fault_chip(answer: TriageAnswer, name: str) -> str:
    found = answer.faults.get(name)
    if found is None:
        return ""
    if not found:
        return chip("nothing found")
    return "".join(chip(fault_text(fault), fault.level, fault.sentence) for fault in found[:2])


def fault_text(fault: TriageFinding) -> str:
    """A finding in a few words: its title and its number."""
    value = f"×{fault.number:.2g}" if fault.unit == "ratio" else f"{fault.number:.0%}"
    return f"{fault.title} {value}"


def _copies_chip(answer: TriageAnswer, name: str) -> str:
    found = answer.copies.get(name)
    if found is None:
        return ""
    return chip(f"{found.exact.number} exact copies", "bad" if found.memorised else "good")


def _so_far(found: CheckpointResults, answer: TriageAnswer) -> str:
    ranked_so_far = 0 if answer.ranking is None else len(answer.ranking)
    left, new = found.total - len(found.outcomes), len(found.measured) - ranked_so_far
    parts = [f"{left} more to come"] if left else []
    parts += [f"{new} being worked in"] if new else []
    if answer.replicates is not None and answer.replicates.bootstrap < BOOTSTRAP:
        parts.append(f"{answer.replicates.bootstrap} of {BOOTSTRAP} resamplings")
    return f" <b>So far:</b> {', '.join(parts)}." if parts else ""


def _title(method: str) -> str:
    return ESTIMATORS[method].title if method in ESTIMATORS else method


# ---- the views ----


def _views(found: CheckpointResults, answer: TriageAnswer) -> list[CheckpointView]:
    """The checkpoints in the order of their steps, with the score and its interval."""
    intervals = {}
    if answer.ranking is not None:
        columns = answer.ranking[["checkpoint", "low", "high"]].itertuples(index=False, name=None)
        intervals = {name: (low, high) for name, low, high in columns}
    views, _ = in_order(
        [
            CheckpointView(
                name=each.checkpoint.name,
                step=each.checkpoint.step,
                curve=each.curve,
                summaries={"score": answer.scores[each.checkpoint.name]},
                intervals={"score": intervals[each.checkpoint.name]} if each.checkpoint.name in intervals else {},
            )
            for each in found.measured
        ]
    )
    return views


def _figures(found: CheckpointResults, answer: TriageAnswer, colors: Mapping[str, str]) -> None:
    known = answer.ceiling
    curve = None if known is None else known.yardstick.ceiling[found.method].curve
    best = answer.names[0]
    said = f"the best, {best}, scores {answer.scores[best]:.3f}"
    alt = f"Precision against recall of {len(answer.names)} checkpoints; {said}"
    figure = cache.remembered(  # the goal moves none of it
        ("triage-curves", found.key, tuple(colors.items()), curve is None),
        lambda: checkpoints_figure(_views(found, answer), focus=colors, ceiling=curve),
    )
    with st.container(key="triage-curves-box"):
        live_figure(
            "triage-curves", [Pane("triage-curves", figure, square=True, fit=True, alt=alt)], standout=table.GROUP
        )


def _steps(found: CheckpointResults, answer: TriageAnswer, colors: Mapping[str, str]) -> None:
    views, known = _views(found, answer), answer.ceiling
    top = None if known is None else score(known.yardstick.ceiling[found.method].curve, goal())
    figure = steps_figure(views, "score", axis=_axis(views), focus=colors, ceiling=top, height=STEPS_HEIGHT)
    with st.container(key="triage-steps-box"):
        pane = Pane(
            "triage-steps",
            figure,
            "Score over steps",
            compact=True,
            brush=True,
            alt="Scores and 95 % intervals; drag to filter the ranking",
        )
        live_figure("triage-steps", [pane], standout=table.GROUP)


def _axis(views: list[CheckpointView]) -> StepAxis:
    steps = [view.step for view in views if view.step is not None]
    positive = [step for step in steps if step > 0]
    wide = len(steps) == len(views) and max(positive, default=0.0) > WIDE_STEPS * min(positive, default=1.0)
    return "linear" if not wide else "log" if len(positive) == len(steps) else "even"


def _table(found: CheckpointResults, answer: TriageAnswer, colors: Mapping[str, str]) -> None:
    wanted, known = goal(), sides_of(found)
    most = largest_scores(found.measured, wanted)
    lines = {} if answer.ranking is None else {line["checkpoint"]: line for _, line in answer.ranking.iterrows()}
    several = found.settings.methods if len(found.settings.methods) > 1 else ()
    families = [
        table.FamilyColumn(_title(name), FAMILY_COLORS.get(name, TRUTH_COLOR), name == found.method) for name in several
    ]
    rows = []
    for name in answer.names:
        line, faults = lines.get(name), answer.faults.get(name)
        own = known[found.method][name]
        rows.append(
            table.TableRow(
                id=name,
                run=found.one(name).checkpoint.run or run_of(name),
                color=colors.get(name, ""),
                score=answer.scores[name],
                low=None if line is None else float(line["low"]),
                high=None if line is None else float(line["high"]),
                most=most[name],
                told=_told(name, line, answer),
                families=[known[each][name].score(wanted) if name in known[each] else None for each in several],
                fault="" if faults is None else fault_text(faults[0]) if faults else "nothing found",
                level=faults[0].level if faults else "",
                sentence=faults[0].sentence if faults else "",
                sides=(own.precision, own.recall),
            )
        )
    ceiling = None if answer.ceiling is None else score(answer.ceiling.yardstick.ceiling[found.method].curve, wanted)
    table.draw(rows, families, goal=wanted, ceiling=ceiling, choice=session().choice, compared=list(colors))


def _told(name: str, line: pd.Series | None, answer: TriageAnswer) -> str:
    if line is None:
        return name
    share = answer.shares.get(name)
    parts = [f"{name}: score {line['score']:.3f} ({line['low']:.3f} to {line['high']:.3f})"]
    parts += [] if share is None else [f"{share.share:.0%} of the ceiling"]
    parts.append(f"best in {share_text(line['best'])} of the draws")
    parts += [f"loses to the best in {share_text(line['loses'])}"] if name != answer.names[0] else []
    return ", ".join(parts)


def run_of(name: str) -> str:
    """The run that a checkpoint is of where no metadata say it: its name up to its last number."""
    return name.rstrip("0123456789.").rstrip(" -_=,:(") if any(letter.isdigit() for letter in name) else ""
