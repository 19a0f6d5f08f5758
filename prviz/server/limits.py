"""Bounds of one visitor's work and memory, where others than this machine's user reach the app."""

from __future__ import annotations

import ipaddress
import math
import os
from contextlib import suppress

# "1": the app is for everybody; see `ServerLimits.public`.
PUBLIC_VARIABLE = "PRVIZ_PUBLIC"
# Seconds of one piece of work, "0" for no limit.
TIME_VARIABLE = "PRVIZ_TIME_LIMIT"
# Default of these seconds.
SHARED_SECONDS = 300.0
# Share of what a visitor's results and files may take on the user's own machine.
SHARED_PART = 1 / 8
TOO_LONG = (
    "This work was ended at the time limit of this server; prviz on your own machine has none"
)
NO_FOLDER = "an app for everybody serves no folder of this machine; leave out --data"


class ServerLimits:
    """Limits of this server.

    public : True if it is for everybody: small uploads, no folder of this machine, any host.
    shared : True if others than this machine's user can reach it.
    seconds : most of one piece of work.
    """

    def __init__(self) -> None:
        self.public = False
        self.shared = False
        self.seconds = math.inf

    def begin(self, address: str | None) -> None:
        """Take the limits of a server at this address, None: every one, from the environment.

        Raises ValueError for a wrong setting.
        """
        self.public = os.environ.get(PUBLIC_VARIABLE, "0") not in ("", "0")
        self.shared = self.public or not is_loopback(address)
        text = os.environ.get(TIME_VARIABLE, "")
        self.seconds = math.inf
        if text:
            self.seconds = time_limit(text)
        elif self.shared:
            self.seconds = SHARED_SECONDS

    def part(self, size: int) -> int:
        """The bytes that one visitor may take in place of `size`."""
        if self.shared:
            return int(size * SHARED_PART)
        return size

    def check(self, seconds: float) -> None:
        """Raise TimeoutError if a piece of work has taken too many seconds."""
        if seconds > self.seconds:
            raise TimeoutError(TOO_LONG)


def time_limit(text: str) -> float:
    """Seconds that a setting names, infinitely many for 0. Raises ValueError for anything else."""
    with suppress(ValueError):
        seconds = float(text)
        if 0 <= seconds < math.inf:
            return seconds or math.inf
    raise ValueError(f"{text!r} is no number of seconds; 300, or 0 for no limit, is needed")


def is_loopback(address: str | None) -> bool:
    """True if only this machine reaches a server at this address."""
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return address == "localhost"


limits = ServerLimits()
