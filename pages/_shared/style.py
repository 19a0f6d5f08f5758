"""Style rules that the theme does not cover."""

import streamlit as st

CSS = """
.block-container { padding-top: 2.6rem; padding-bottom: 3rem; }
[data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
/* The page has a Stop of its own, which leaves the figures as they were. */
[data-testid="stStatusWidget"] button { display: none; }
/* The main figure's progress stays above the rest and is not dimmed with it. */
.st-key-explore { position: relative; z-index: 2; opacity: 1 !important; }
.st-key-prviz-loader, .st-key-prviz-frames {
  position: absolute; width: 20px; height: 0; overflow: hidden; visibility: hidden;
}
"""


def apply() -> None:
    """Add the style sheet to the page."""
    st.html(f"<style>{CSS}</style>")
