"""Explore's list of families, and what it says of each."""

from __future__ import annotations

import prviz
from pages._shared.families import by_paper
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from tests.explore_app import healthy, last_word, opened


def test_every_family_is_offered_once_under_its_paper_and_four_are_on():
    app = opened(n="60", **{"p.d": "3"})
    assert app.title[0].value == "Explore"
    groups = by_paper()
    offered = {paper: app.button_group(key=f"methods.{paper}") for paper in groups}
    titles = [title for paper in groups for title in offered[paper].options]
    assert titles == [each.title for each in ESTIMATORS.values()]
    assert [name for paper in groups for name in offered[paper].value] == list(DEFAULT_METHODS)


def test_families_of_several_papers_are_drawn_together_in_the_order_of_the_registry():
    app = opened(n="60", **{"p.d": "3"})
    for paper, families in by_paper().items():
        app.button_group(key=f"methods.{paper}").set_value([families[0].name])
    app.run()
    healthy(app)
    chosen = [families[0].name for families in by_paper().values()]
    assert list(last_word(app)["table"]["rows"]) == ["truth", *[name for name in ESTIMATORS if name in chosen]]


def test_switching_all_off_says_what_is_shown_then():
    app = opened(n="60", **{"p.d": "3"})
    for paper in by_paper():
        app.button_group(key=f"methods.{paper}").set_value([])
    app.run()
    assert any("the usual four" in each.value for each in app.warning)
    assert list(last_word(app)["table"]["rows"]) == ["truth", *DEFAULT_METHODS]


def test_a_card_for_each_family_tells_formula_cost_biases_and_published_settings():
    prviz.register("centres", lambda fit, evaluate: None)
    try:
        app = opened(n="60", **{"p.d": "3"})
        assert not any(each.value.startswith("$") for each in app.markdown)  # nothing before it is opened
        app.session_state["about"] = True
        app.run()
        told = {**ESTIMATORS}
    finally:
        del ESTIMATORS["centres"]
    healthy(app)
    captions = [each.value.replace("\\", "") for each in app.caption]
    formulas = [each.value for each in app.markdown if each.value.startswith("$")]
    for each in told.values():
        (card,) = [text for text in captions if each.about.biases in text and each.about.published in text]
        assert each.about.cost in card
        assert each.source in card
        first = each.about.formula.split(r"\quad")[0].strip()
        assert any(f"${first}$" in formula for formula in formulas)
    assert len(formulas) == len(told)
    assert sum("drawn" in each.value for each in app.markdown if "gray-badge" in each.value) == len(DEFAULT_METHODS)
