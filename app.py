"""The prviz app: the server's guards, page settings and the list of pages.

The server imports this file once, for `app`; each run of a page executes it.
"""

import streamlit as st

from pages._shared.widgets import draw_bar
from prviz.server import sessions

# Any entry of its own makes the menu appear, and with it the choice between light and dark.
ABOUT = "**prviz** draws exact precision-recall curves of generative models beside the truth."


def run() -> None:
    if "_open" not in st.session_state:
        st.session_state["_open"] = True
        sessions.sessions.opened()
    # The browser draws an emoji by itself; a named icon would be fetched from another server.
    st.set_page_config(page_title="prviz", page_icon="📈", layout="wide", menu_items={"About": ABOUT})
    pages = [
        st.Page("pages/explore.py", title="Explore", default=True),
        st.Page("pages/triage.py", title="Triage"),
        st.Page("pages/learn.py", title="Learn"),
        st.Page("pages/bias_lab.py", title="Bias lab"),
    ]
    # Streamlit's own navigation is behind a drawer on a phone.
    current = st.navigation(pages, position="hidden")
    draw_bar(pages, current)
    current.run()


if __name__ == "__main__":
    run()
else:
    app = st.App(__file__, **sessions.options())
