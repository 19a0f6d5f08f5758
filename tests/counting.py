"""How much work a call is, counted rather than timed: the same on any machine, however busy."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import pairwise
from types import CodeType, FrameType
from typing import NamedTuple


def lines_run(call: Callable[[], object]) -> int:
    """The lines of Python that a call runs through, a loop's as often as it goes round."""
    lines = 0

    def count(frame: object, event: str, _: object) -> Callable[..., object]:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


class Route(NamedTuple):
    """What a call of prviz passes through: the modules, functions and calls, and how often one call
    follows another of a different module.
    """

    modules: int
    functions: int
    hops: int
    calls: int


def route(call: Callable[[], object]) -> Route:
    """Count the calls of prviz's functions, in this thread alone."""
    made: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and f"{os.sep}prviz{os.sep}" in frame.f_code.co_filename:
            made.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    modules = [each.co_filename for each in made]
    hops = sum(one != other for one, other in pairwise(modules))
    return Route(len(set(modules)), len(set(made)), hops, len(made))
