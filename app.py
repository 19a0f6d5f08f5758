"""The prviz app: the server's guards, page settings and the list of pages.

The server imports this file once, for `app`; each run of a page executes it.
"""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages._live.route import VisitorLine, close_all, visitor
from pages._shared.imports import import_folder
from pages._shared.widgets import CSS, draw_bar
from prviz.server import sessions
from prviz.server.limits import limits
from prviz.server.static_files import publish_style
from prviz.server.work_queue import foreground

# In the bar's order: each page's file in pages/, its title, and the folder of its parts, if it has
# one.
PAGES = (
    ("explore", "Explore", "_explore"),
    ("triage", "Triage", "_triage"),
    ("learn", "Learn", "_learn"),
    ("bias_lab", "Bias lab", "_lab"),
)
FOLDERS = {name: f"pages.{folder}" for name, _, folder in PAGES if folder}
# Any entry of its own makes the menu appear, and with it the choice between light and dark.
ABOUT = "**prviz** draws exact precision-recall curves of generative models beside the truth."


def run() -> None:
    visitor().explorer.begin_page()
    # The browser draws an emoji by itself; a named icon would be fetched from another server.
    st.set_page_config(
        page_title="prviz", page_icon="📈", layout="wide", menu_items={"About": ABOUT}
    )
    pages = [
        st.Page(f"pages/{name}.py", title=title, default=name == "explore")
        for name, title, _ in PAGES
    ]
    # Streamlit's own navigation is behind a drawer on a phone.
    current = st.navigation(pages, position="hidden")
    draw_bar(pages, current)
    name = current.url_path or "explore"
    if name in FOLDERS:
        import_folder(FOLDERS[name])
    with foreground.drawing():
        current.run()
    # 1.61 knows no component that was made before the server runs
    from pages._live.follow import (
        PAGE,
        listen,
    )

    # the whole page: a server that was started anew knows none of its parts
    listen(PAGE, waits=False)


def warm_up() -> None:
    """Import what Explore needs and measure its first view: both take longest the first time.

    A server for others holds the first view, with every stop of its sliders, for all who come, and
    imports all pages: one visitor's import would hold the others.
    """
    import_folder(FOLDERS["explore"])
    from pages._explore import guide
    from prviz.live import needs, results
    from prviz.live.problems import problem_of
    from prviz.live.store import PUBLIC
    from prviz.reports.settings import FIRST_VIEW

    first = problem_of(FIRST_VIEW, stores=PUBLIC)
    results.results(first)
    guide.content()
    if not limits.shared:
        return
    for folder in FOLDERS.values():
        import_folder(folder)
    for need in needs.needs(first):
        if need.store is not None and not need.known:
            need.store.put(need.key, need.compute(lambda _: None))
    PUBLIC.keep()


if __name__ == "__main__":
    run()
else:
    publish_style(CSS)
    # Explore's and Triage's own rules: the server names the page in its first byte, the bar each
    # one that follows.
    _rules = Path(__file__).with_name("pages").joinpath("_explore", "screen.css").read_text("utf-8")
    _others = ", ".join(f".page-{name}" for name, *_ in PAGES if name != "explore")
    publish_style(f":where(:root:not({_others})) {{\n{_rules}}}")
    _rules = Path(__file__).with_name("pages").joinpath("_triage", "screen.css").read_text("utf-8")
    publish_style(f":where(:root.page-triage) {{\n{_rules}}}")
    options = sessions.options(warm_up, close_all)
    options["middleware"].append(
        Middleware(VisitorLine, base_path=st.get_option("server.baseUrlPath"))
    )
    app = st.App(__file__, **options)
