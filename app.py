"""The prviz app: the server's guards, page settings and the list of pages.

The server imports this file once, to get `app`; each run of a page executes the file again.
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

# The pages, in the order of the links in the bar: file in pages/, title, and name of the folder
# with the page's parts, if it has one.
PAGES = (
    ("explore", "Explore", "_explore"),
    ("triage", "Triage", "_triage"),
    ("learn", "Learn", "_learn"),
    ("bias_lab", "Bias lab", "_lab"),
)
FOLDERS = {name: f"pages.{folder}" for name, _, folder in PAGES if folder}
# Without an entry of the app's own, Streamlit would not show its menu, in which visitors choose
# light or dark.
ABOUT = "**prviz** draws exact precision-recall curves of generative models beside the truth."


def run() -> None:
    visitor().explorer.begin_page()
    # The icon is an emoji, because the browser would fetch a named icon from another server.
    st.set_page_config(
        page_title="prviz", page_icon="📈", layout="wide", menu_items={"About": ABOUT}
    )
    pages = [
        st.Page(f"pages/{name}.py", title=title, default=name == "explore")
        for name, title, _ in PAGES
    ]
    # `draw_bar` replaces Streamlit's own navigation, which is in a drawer on phones.
    current = st.navigation(pages, position="hidden")
    draw_bar(pages, current)
    name = current.url_path or "explore"
    if name in FOLDERS:
        import_folder(FOLDERS[name])
    with foreground.drawing():
        current.run()
    # imported here, since Streamlit 1.61 does not know components that are created before the
    # server runs
    from pages._live.follow import (
        PAGE,
        listen,
    )

    # lets the browser have the whole page run again: after a restart the server knows none of its
    # parts
    listen(PAGE, waits=False)


def warm_up() -> None:
    """Import Explore's modules and measure its first view, for which the first visitor would wait.

    A server that others can reach also caches the first view at every stop of its sliders, for all
    visitors, and imports all pages: an import by one visitor would delay the others.
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
    # Style rules of single pages. On a page other than Explore the document's root has the class
    # page-NAME: the server's first response sets it, then the bar at each change of page.
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
