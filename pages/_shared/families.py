"""Widgets to choose families of classifiers, and a card about one family."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import streamlit as st

from pages._shared.widgets import begin, plain
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Estimator

# Key of the widget for the families of one paper, whose name completes it.
METHODS = "methods.{}"


def titles(names: Iterable[str] = ESTIMATORS) -> dict[str, str]:
    """By family name, the family's title."""
    return {name: ESTIMATORS[name].title for name in names}


def by_paper() -> dict[str, list[Estimator]]:
    """By paper, its families, in the order of the registry."""
    groups: dict[str, list[Estimator]] = {}
    for each in ESTIMATORS.values():
        groups.setdefault(each.about.paper, []).append(each)
    return groups


def among(families: list[Estimator], methods: tuple[str, ...]) -> list[str]:
    """Names of those families that are among the methods. A method is a family's name, which
    parameters may follow.
    """
    chosen = {method.partition(":")[0] for method in methods}
    return [family.name for family in families if family.name in chosen]


def choose(chosen: tuple[str, ...]) -> tuple[str, ...]:
    """Draw the choice of families; return the chosen ones, or the usual four if none is chosen."""
    found: set[str] = set()
    usual, *rest = by_paper().items()

    def pills(
        paper: str, families: list[Estimator], visible: Literal["visible", "collapsed"]
    ) -> None:
        found.update(
            st.pills(
                paper,
                [each.name for each in families],
                format_func=lambda name: ESTIMATORS[name].title,
                selection_mode="multi",
                key=begin(METHODS.format(paper), among(families, chosen)),
                help="\n".join(
                    f"- **{plain(each.title)}**: {plain(each.idea)}" for each in families
                ),
                label_visibility=visible,
                persist_state="session",
            )
        )

    pills(*usual, "collapsed")
    label = f"{len(ESTIMATORS) - len(usual[1])} more"
    with st.popover(label, type="tertiary", help="Families of other papers."):
        for paper, families in rest:
            pills(paper, families, "visible")
    if not found:
        st.warning("Choose at least one estimator; the usual four are shown until then.")
    return tuple(name for name in ESTIMATORS if name in found) or DEFAULT_METHODS


def open_card(family: Estimator) -> None:
    """Open a card with all facts about a family over the page."""
    st.dialog(plain(family.title), width="medium")(_card)(family)


def _card(family: Estimator) -> None:
    about = family.about
    st.markdown(plain(family.idea))
    st.caption(
        "Each sample z has a support c_X(z) from the real samples X and c_Y(z) from the generated"
        " samples Y (the mirror of c_X unless it is given); z is called real where γ c_X(z) ≥"
        " c_Y(z), every γ ≥ 0 gives one classifier."
    )
    # Draw the formula in parts, so that it can wrap on a narrow screen.
    st.markdown(" ".join(f"${part.strip()}$" for part in about.formula.split(r"\quad")))
    facts = {
        "Cost": about.cost,
        "Known biases": about.biases,
        "As published": about.published,
        "Source": family.source,
    }
    st.caption("\n\n".join(f"**{name}.** {plain(text)}" for name, text in facts.items()))
