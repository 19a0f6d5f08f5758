"""What the theme can't say: room for the page's own parts."""

import streamlit as st

CSS = """
.block-container { padding-top: 2.6rem; padding-bottom: 3rem; }
.st-key-prviz-job {
  position: fixed; bottom: 1rem; left: 50%; transform: translateX(-50%); z-index: 1000; width: min(480px, 92vw);
  padding: .6rem 1rem; border-radius: .6rem; background: var(--st-secondary-background-color, #f0f2f6);
  box-shadow: 0 4px 18px #0005;
}
[data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
/* The page has a Stop of its own, which leaves the figures as they were. */
[data-testid="stStatusWidget"] button { display: none; }
.st-key-prviz-loader {
  position: absolute; width: 20px; height: 0; overflow: hidden; visibility: hidden;
}
"""


def apply() -> None:
    """Add the style sheet to the page."""
    st.html(f"<style>{CSS}</style>")
