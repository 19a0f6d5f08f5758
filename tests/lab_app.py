"""The bias lab by Streamlit's own test driver: open a section, start its measurements, wait for
their end.
"""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.explore_app import APP, healthy, run_ended


def section(name: str) -> AppTest:
    """The page at this section, opened by its link and checked to be it."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["section"] = name
    app.switch_page("pages/bias_lab.py").run()
    assert app.title[0].value == "Bias lab"
    healthy(app)
    return app


def button(app: AppTest, label: str) -> object:
    """The button of this label, or None."""
    return next((each for each in app.button if each.label == label), None)


def press(app: AppTest, label: str) -> AppTest:
    found = button(app, label)
    assert found is not None, [each.label for each in app.button]
    found.click().run()
    healthy(app)
    return app


def until_done(app: AppTest) -> AppTest:
    """Ask again and again, as the browser does, until nothing is at work."""
    for _ in range(2000):
        if button(app, "Stop") is None:
            return app
        run_ended(0.2)
        app.run()
        healthy(app)
    raise AssertionError("the measurements never ended")


def said(app: AppTest) -> str:
    """All captions, notes and errors of the page."""
    return "\n".join(each.value for each in (*app.markdown, *app.caption, *app.info, *app.error))
