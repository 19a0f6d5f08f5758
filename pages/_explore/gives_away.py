"""The panel "What gives it away": features and samples that tell the two sets apart.

It also shows the area that remains without these features.
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Sequence
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import streamlit as st

from pages._explore import space
from pages._explore.session import PANEL_TAB, explore_session
from pages._shared import answers, cache, media
from pages._shared.widgets import pressed, unbroken
from prviz.diagnostics.named_columns import Histogram, NamedColumns, column_text, number_text
from prviz.diagnostics.witness import AREA_SAMPLES, Witness, leaving_out, with_areas, witness
from prviz.estimators.tightest import TIGHTEST
from prviz.figures import GENERATED_COLOR, REAL_COLOR
from prviz.live import results
from prviz.live.bounds import BOUND_SECONDS
from prviz.live.problems import Problem, Uploaded
from prviz.live.space import samples_id
from prviz.live.state import PANELS
from prviz.measure.estimates import Progress
from prviz.samples import SamplePair, Samples

# Width and height of a histogram, in units of its SVG.
WIDTH = 150.0
HEIGHT = 44.0
# SHOWN: most samples shown of each kind. SECONDS: on a slow machine, seconds for each million
# values to find what tells the sets apart.
SHOWN = 4
SECONDS = 8.0
KINDS = (("most surely generated", "generated"), ("most surely missing", "real"))


def draw(problem: Problem, _: results.Results) -> None:
    """Draw the features that tell the sets apart, with both distributions; the areas with and
    without these features; samples; and a button that leaves these features out.
    """
    _take_back(problem)
    pair = problem.pair
    key = _key(problem)
    seconds = 0.5 + SECONDS * (pair.real.n + pair.generated.n) * pair.d / 1e6
    seed = problem.settings.seed
    first = answers.tab_result(key, seconds, lambda _: witness(pair, without=False, seed=seed))
    if first is None:
        return
    found = _measured(problem, first, key) or first
    features = unbroken(_features(pair, found))
    st.html(f'<div class="away" data-prviz="away">{features}</div>')
    possible = bool(first.named) and problem.toy is None and len(first.columns) < pair.d
    with st.container(horizontal=True, gap="small"):
        if possible and pressed("Leave these out", "leave-out"):
            leave_out(problem, first.columns)
            st.rerun(scope="app")
        if places := _places(problem, first):
            st.button(
                "Find them among the samples",
                key="find-samples",
                on_click=_find,
                args=(problem, places),
            )
    st.html(f'<div class="away">{_rest(problem, first)}</div>')


def _key(problem: Problem) -> tuple[Hashable, ...]:
    return ("witness", *problem.key)


def known_witness(problem: Problem) -> Witness | None:
    """What this panel has found so far to tell real from generated samples; None if the panel was
    not opened for this problem.
    """
    held = cache.session().results
    key = _key(problem)
    found: Witness | None = held.get((*key, "areas")) or held.get(key)
    return found


def _measured(problem: Problem, first: Witness, key: tuple[Hashable, ...]) -> Witness | None:
    """What tells the sets apart, with the areas with and without these features; None until
    measured, or if measuring would take too long.
    """
    pair, seed = problem.draw(0)
    n = min(problem.settings.n, AREA_SAMPLES)
    one = results.seconds(problem.having(methods=(TIGHTEST.name,), split=0.5, repeats=1, n=n))
    if not (first.named or first.rows) or problem.settings.approximate or one > BOUND_SECONDS:
        return None
    alone = results.believed(problem)

    def measure(tick: Progress) -> Witness:
        # use the area of the page's curve to believe, where that is of the same samples: it is
        # measured once for both
        area = None
        if alone is not None and max(problem.sizes[:2]) <= AREA_SAMPLES:
            area = results.fitted_once(alone, TIGHTEST.name, tick)[0].curve.auc
        return with_areas(first, pair, area=area, seed=seed, progress=tick)

    return answers.tab_result((*key, "areas"), 3 * one, measure)


def _places(problem: Problem, found: Witness) -> list[int]:
    """Indices, in the panel Space, of the samples that tell the sets apart best."""
    if problem.settings.approximate:
        return []
    real, generated = problem.split().evaluate_rows
    shown = np.isin(real, found.most_missing), np.isin(generated, found.most_generated)
    return np.flatnonzero(np.concatenate(shown)).tolist()


def _find(problem: Problem, places: Sequence[int]) -> None:
    """Callback: open the panel Space with the samples at these indices selected."""
    explore_session().picked = {"of": samples_id(problem), "picked": list(places)}
    st.session_state.pop(space.KEY, None)  # drop the panel's earlier selection
    st.session_state[PANEL_TAB] = PANELS[0]


def _features(pair: SamplePair, found: Witness) -> str:
    """HTML of the features that tell the sets apart, and of the areas; files' texts are escaped."""
    parts = [f"<p>{html.escape(each)}.</p>" for each in found.of_all]
    if found.named:
        real = f'<i style="background:{REAL_COLOR}"></i>real'
        generated = f'<i style="background:{GENERATED_COLOR}"></i>generated'
        parts.append(f"<p>{real} {generated}</p>")
    parts += map(_feature, found.named)
    if found.area is not None:
        title = f"area with all {pair.d:,} features"
        if found.area_samples is not None:
            title += f", of at most {found.area_samples:,} samples of each set"
        parts.append(_bar(title, found.area))
        for each in found.remedies:
            parts.append(_bar(each.words, each.area, "" if each.helps else "does not help"))
    return "".join(parts)


def _rest(problem: Problem, found: Witness) -> str:
    """HTML of the samples that tell the sets apart best, and of notes on what was not tested."""
    sides = ""
    for (title, role), rows in zip(KINDS, (found.most_generated, found.most_missing), strict=True):
        if rows:
            sides += _samples(problem, found, title, role, rows[:SHOWN])
    rest = ""
    if sides:
        rest = f'<div class="sides">{sides}</div>'
    return rest + "".join(f"<p><small>{html.escape(each)}.</small></p>" for each in found.notes)


def _feature(named: NamedColumns) -> str:
    """HTML of a feature: its name, a sentence on how it differs, and its distribution in both
    sets.
    """
    name = html.escape(named.name)
    words = f"<div><b>{name}</b><span>{html.escape(named.sentence)}</span></div>"
    return f'<div class="feature">{words}{_histogram(named.histogram, named, name)}</div>'


def _histogram(bins: Histogram, named: NamedColumns, name: str) -> str:
    """HTML of a picture with both distributions of a feature as step curves; heights are the square
    roots of shares.

    Dashed lines mark the ends of the range that the statement names.
    """
    shares = [np.sqrt(np.array(side) / max(sum(side), 1)) for side in (bins.real, bins.generated)]
    top = max(float(side.max()) for side in shares)
    step = WIDTH / len(bins.real)
    drawn = ""
    for side, color in zip(shares, (REAL_COLOR, GENERATED_COLOR), strict=True):
        heights = HEIGHT - (HEIGHT - 2) * side / top
        steps = "".join(
            f"H{step * place:.1f}V{height:.1f}h{step:.1f}" for place, height in enumerate(heights)
        )
        drawn += f'<path d="M0 {HEIGHT}{steps}V{HEIGHT}Z" fill="{color}44" stroke="{color}"/>'
    for end in dict.fromkeys((named.low, named.high)):
        if end is not None and bins.edges[0] <= end <= bins.edges[-1]:
            at = step * float(np.interp(end, bins.edges, range(len(bins.edges))))
            drawn += f'<path d="M{at:.1f} 0V{HEIGHT}" stroke="#888" stroke-dasharray="2 2"/>'
    size = (
        f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' preserveAspectRatio="none"'
    )
    picture = quote(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawn}</svg>')
    return f'<img src="data:image/svg+xml,{picture}" alt="{name}: both distributions">'


def _bar(title: str, area: float, remark: str = "") -> str:
    bar = f'<span class="bar"><i style="width:{100 * area:.1f}%"></i></span>'
    said = f"{title}: {remark}" if remark else title
    return f'<div class="area"><span>{html.escape(said)}</span>{bar}<b>{area:.2f}</b></div>'


def _samples(problem: Problem, found: Witness, title: str, role: str, rows: Sequence[int]) -> str:
    """HTML of samples of one set. A sample is shown by its picture, its text, or its value of the
    first feature that tells the sets apart.
    """
    place = int(role == "generated")
    side: Samples = tuple(problem.pair)[place]
    numbers = problem.rows()[place]
    looks = media.shown(side, rows, problem.uploaded)
    lines = ""
    for row, look in zip(rows, looks, strict=True):
        own = f"row {int(numbers[row]) + 1:,}"
        if look.picture:
            lines += (
                f'<img src="{html.escape(look.picture)}" alt="{role} sample, {own}" title="{own}">'
            )
            continue
        said = look.text
        if not said and found.named:
            column = found.named[0].columns[0]
            value = number_text(float(f"{side.values[row, column]:.3g}"))
            said = f"{column_text(problem.pair, column)}: {value}"
        lines += f"<p><span>{own}</span> {html.escape(said)}</p>"
    return f'<div class="{role}"><b>{title}</b><div>{lines}</div></div>'


# ---- leaving features out ----


def leave_out(problem: Problem, columns: Sequence[int]) -> None:
    """Make Explore show the pair without these features."""
    now = explore_session().update().settings
    before = problem.uploaded
    whole = problem.pair if before is None else before.pair
    left = leaving_out(whole, columns)
    dropped = (
        tuple(whole.real.features[column] for column in columns) if whole.real.features else ()
    )
    # if columns of files have names, the result equals what reading these files with the columns as
    # labels would give
    if before is not None and dropped:
        sides = [
            _with_labels(each, of, columns, dropped) for each, of in zip(left, whole, strict=True)
        ]
        choice = before.choice.without(dropped)
        uploaded = replace(before, pair=SamplePair(*sides), choice=choice, before=(now, before))
    else:
        note = "1 feature left out"
        if len(columns) != 1:
            note = f"{len(columns)} features left out"
        kept = np.setdiff1d(np.arange(whole.d), columns).tolist()
        # name the remaining features, since features without names would be numbered anew
        names = tuple(column_text(whole, column) for column in kept)
        sides = [replace(each, name=f"{each.name}, {note}", features=names) for each in left]
        files = tuple(each.name for each in sides)
        uploaded = Uploaded(SamplePair(*sides), files, (None, None), before=(now, before))
    explore_session().next = replace(now, source="upload", problem="", parameters={}), uploaded


def _with_labels(
    left: Samples, whole: Samples, columns: Sequence[int], names: Sequence[str]
) -> Samples:
    """The samples with new labels: the columns that were left out."""
    labels = {name: whole.values[:, column] for name, column in zip(names, columns, strict=True)}
    return replace(left, labels={**left.labels, **labels})


def _take_back(problem: Problem) -> None:
    """If features were left out, draw a button that shows the pair with all features again."""
    if problem.uploaded is None or problem.uploaded.before is None:
        return
    settings, uploaded = problem.uploaded.before
    if pressed("Take the features back", "take-back", icon=":material/undo:"):
        now = explore_session().update().settings
        explore_session().next = now.of_problem(settings), uploaded
        st.rerun(scope="app")
