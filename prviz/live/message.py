"""What browsers are sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any


def as_text(content: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> bytes:
    """Strict JSON, as the browser receives it. default : what stands for objects that JSON has no
    form for.
    """
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=default).encode()
