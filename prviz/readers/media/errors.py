"""What is raised where a picture can't be had."""

from __future__ import annotations

__all__ = ["MediaError", "MissingPictureError"]


class MediaError(ValueError):
    """A picture, or a source of them, can't be used; the message says what is wrong, where, and what is accepted."""


class MissingPictureError(MediaError):
    """A source has no picture of this name; another one may have it."""
