"""What a figure of plotly holds, by the names and the places of its traces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import plotly.graph_objects as go


def by_name(figure: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data if trace.name is not None}


def names(figure: go.Figure) -> list[str | None]:
    return [trace.name for trace in figure.data]


def written(traces: Iterable[Any]) -> dict[tuple[Any, Any], str]:
    """Texts by the places, (x, y), where they stand."""
    found = {}
    for trace in traces:
        found |= dict(zip(zip(trace.x, trace.y, strict=True), trace.text, strict=True))
    return found
