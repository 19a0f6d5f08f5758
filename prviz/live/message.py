"""What browsers are sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def as_text(content: Mapping[str, Any]) -> bytes:
    """Strict JSON, as the browser receives it."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
