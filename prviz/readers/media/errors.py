"""Errors of pictures and their sources."""

from __future__ import annotations

__all__ = ["MediaError", "MissingPictureError"]


class MediaError(ValueError):
    """Raised for a picture or source that can't be used; the message says what is wrong, where, and what to do."""


class MissingPictureError(MediaError):
    """Raised if a source has no picture of this name; another source may have it."""
