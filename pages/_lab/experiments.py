"""Experiments of the papers."""

from __future__ import annotations

IDEA = (
    "An estimate can only be judged where the truth is known: the papers on precision-recall curves do so on "
    "distributions whose exact curve can be computed."
)


def show() -> None:
    """The idea is all there is to say."""
