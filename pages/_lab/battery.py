"""The sanity battery."""

from __future__ import annotations

IDEA = "A check of sanity is a pair of distributions for which everybody knows beforehand what a good number has to do."


def show() -> None:
    """The idea is all there is to say."""
