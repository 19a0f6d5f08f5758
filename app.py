"""The prviz app: page settings, the list of pages, run."""

import gc

import streamlit as st

# What closed sessions leave behind goes when the next one opens, uploaded files with it: `.streamlit/config.toml` keeps
# Streamlit from collecting after every run.
if "_open" not in st.session_state:
    st.session_state["_open"] = True
    gc.collect()

# With an entry of its own the menu is shown, and with it the choice between light and dark.
MENU = {"About": "**prviz** draws exact precision-recall curves of generative models beside the truth."}

# An emoji is drawn by the browser itself; a named icon would be fetched from another server.
st.set_page_config(page_title="prviz", page_icon="📈", layout="wide", menu_items=MENU)

st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", default=True),
        st.Page("pages/triage.py", title="Triage"),
        st.Page("pages/learn.py", title="Learn"),
        st.Page("pages/bias_lab.py", title="Bias lab"),
    ],
    position="top",
).run()
