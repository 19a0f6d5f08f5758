"""Explore's list of families, and what it says of each."""

from __future__ import annotations

from pages._shared.families import by_paper
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from tests.explore_app import healthy, last_word, opened, said, tell
from tests.marks import exhaustive


def test_every_family_is_offered_once_under_its_paper_and_four_are_on():
    app = opened(n="60", **{"p.d": "3"})
    assert app.title[0].value == "Explore"
    groups = by_paper()
    offered = {paper: app.button_group(key=f"methods.{paper}") for paper in groups}
    titles = [title for paper in groups for title in offered[paper].options]
    assert titles == [each.title for each in ESTIMATORS.values()]
    assert [name for paper in groups for name in offered[paper].value] == list(DEFAULT_METHODS)


@exhaustive
def test_families_of_several_papers_are_drawn_together_in_the_order_of_the_registry():
    app = opened(n="60", **{"p.d": "3"})
    for paper, families in by_paper().items():
        app.button_group(key=f"methods.{paper}").set_value([families[0].name])
    healthy(app.run())
    chosen = [families[0].name for families in by_paper().values()]
    assert list(last_word(app)["table"]["rows"]) == [
        "truth",
        *[name for name in ESTIMATORS if name in chosen],
    ]


@exhaustive
def test_switching_all_off_says_what_is_shown_then():
    app = opened(n="60", **{"p.d": "3"})
    for paper in by_paper():
        app.button_group(key=f"methods.{paper}").set_value([])
    app.run()
    assert "the usual four" in said(app)
    assert list(last_word(app)["table"]["rows"]) == ["truth", *DEFAULT_METHODS]


@exhaustive
def test_a_rows_button_opens_the_card_of_its_family_once():
    app = opened(n="60", **{"p.d": "3"})
    assert not any(each.value.startswith("$") for each in app.markdown)
    for name in ("ipr", "coverage"):
        family = ESTIMATORS[name]
        tell(app, "about", name)
        captions = [each.value.replace("\\", "") for each in app.caption]
        (card,) = [
            text
            for text in captions
            if family.about.biases in text and family.about.published in text
        ]
        assert family.about.cost in card
        assert family.source in card
        assert any(each.value.startswith("$") for each in app.markdown)
        assert sum("is called real where" in text for text in captions) == 1
    app.run()
    assert not any(each.value.startswith("$") for each in app.markdown)
    tell(app, "about", "<b>")
    tell(app, "about", ["ipr"])
