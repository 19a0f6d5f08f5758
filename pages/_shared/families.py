"""The families of classifiers: the choice of those to draw, and a card about each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import streamlit as st

from pages._shared.text import plain
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Estimator

_COLUMNS = 2
# Key of the choice among the families of one paper.
METHODS = "methods.{}"


def titles(names: Iterable[str] = ESTIMATORS) -> dict[str, str]:
    """Titles of these families, by name."""
    return {name: ESTIMATORS[name].title for name in names}


def by_paper() -> dict[str, list[Estimator]]:
    """All families under the heading of the paper that they are from, in the order of the registry."""
    groups: dict[str, list[Estimator]] = {}
    for each in ESTIMATORS.values():
        groups.setdefault(each.about.paper, []).append(each)
    return groups


def among(families: list[Estimator], methods: tuple[str, ...]) -> list[str]:
    """The names of those families that are among the methods, with whatever parameters."""
    chosen = {method.partition(":")[0] for method in methods}
    return [family.name for family in families if family.name in chosen]


def choose(
    chosen: tuple[str, ...], begin: Callable[[str, Any], str], persist_state: Literal["session"] | None = None
) -> tuple[str, ...]:
    """Let the visitor switch families on and off; `begin` gives a key, holding a value. None left: the usual four."""
    found: set[str] = set()
    usual, *rest = by_paper().items()

    def pills(paper: str, families: list[Estimator], visible: Literal["visible", "collapsed"]) -> None:
        found.update(
            st.pills(
                paper,
                [each.name for each in families],
                format_func=lambda name: ESTIMATORS[name].title,
                selection_mode="multi",
                key=begin(METHODS.format(paper), among(families, chosen)),
                help="\n".join(f"- **{plain(each.title)}**: {plain(each.idea)}" for each in families),
                label_visibility=visible,
                persist_state=persist_state,
            )
        )

    pills(*usual, "collapsed")
    with st.popover(f"{len(ESTIMATORS) - len(usual[1])} more families", width="stretch"):
        for paper, families in rest:
            pills(paper, families, "visible")
    if not found:
        st.warning("Choose at least one estimator; the usual four are shown until then.")
    return tuple(name for name in ESTIMATORS if name in found) or DEFAULT_METHODS


@st.fragment
def cards(drawn: tuple[str, ...]) -> None:
    """A card per family, those drawn marked; made when the expander is opened, since formulas are slow to render."""
    title = "About the estimators: formulas, costs, known biases, published settings"
    about = st.expander(title, key="about", on_change="rerun")
    if not about.open:
        return
    with about:
        st.caption(
            "X and Y are the real and the generated samples that define a family; a sample z is called real where "
            "γ c_X(z) ≥ c_Y(z). c_Y is the mirror of c_X unless it is given."
        )
        for paper, families in by_paper().items():
            st.markdown(f"##### {plain(paper)}")
            for start in range(0, len(families), _COLUMNS):
                for place, each in zip(st.columns(_COLUMNS), families[start : start + _COLUMNS], strict=False):
                    with place.container(border=True):
                        _card(each, drawn=each.name in among(families, drawn))


def _card(family: Estimator, *, drawn: bool) -> None:
    about = family.about
    st.markdown(f"**{plain(family.title)}**" + (" :gray-badge[drawn]" if drawn else ""))
    st.markdown(plain(family.idea))
    # In parts, so that the formula wraps on a narrow screen.
    st.markdown(" ".join(f"${part.strip()}$" for part in about.formula.split(r"\quad")))
    facts = {"Cost": about.cost, "Known biases": about.biases, "As published": about.published, "Source": family.source}
    st.caption("\n\n".join(f"**{name}.** {plain(text)}" for name, text in facts.items()))
