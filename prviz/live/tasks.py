"""Tasks for students, opened by a link: a question to answer before the truth is shown, or a goal
to reach by painting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class ClassTask:
    """One task for students: a question or a goal.

    text : shown to the user. column : for a question, the table's column whose largest value is the
    right answer; the truth stays hidden until the user answers. "" for a goal. family : for a goal,
    the family whose area must be at least `least` while the true area is at most `most`.
    """

    text: str
    column: str = ""
    family: str = ""
    least: float = 0.0
    most: float = 0.0


# Rounded to two digits, an area of at least _ONE is 1, and one of at most _ZERO is 0.
_ONE = 0.995
_ZERO = 0.005

TASKS: Mapping[str, ClassTask] = MappingProxyType(
    {
        "closest": ClassTask(text="Which curve comes closest to the truth?", column="iou"),
        "highest": ClassTask(text="Which curve is farthest too high?", column="excess"),
        "ipr-one": ClassTask(
            text="Make iPR say 1 where the truth is 0.", family="ipr", least=_ONE, most=_ZERO
        ),
    }
)
"""Every task by its name in links."""
