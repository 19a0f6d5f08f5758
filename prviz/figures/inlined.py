"""What a page that stands alone needs to draw figures."""

from __future__ import annotations

__all__ = ["plotly_javascript"]


def plotly_javascript() -> str:
    """plotly.js, whole; it holds nothing that would end the script element it is put into."""
    from plotly.offline import get_plotlyjs

    text: str = get_plotlyjs()
    return text
