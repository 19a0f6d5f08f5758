"""Data like yours."""

from __future__ import annotations

IDEA = "How far an estimator is from the truth depends on the data: on their number, their dimension and their shape."


def show() -> None:
    """The idea is all there is to say."""
