"""Limits of each visitor's work and memory, on a server that others than its user can reach."""

from __future__ import annotations

import ipaddress
import math
import os
from contextlib import suppress

# With the value "1" the app is for everybody; see `ServerLimits.public`.
PUBLIC_VARIABLE = "PRVIZ_PUBLIC"
# Most seconds of one measurement; "0" for no limit.
TIME_VARIABLE = "PRVIZ_TIME_LIMIT"
# Default of PRVIZ_TIME_LIMIT where others can reach the server.
SHARED_SECONDS = 300.0
# Memory of one visitor's results and files on a shared server, as a share of that on the user's own
# machine.
SHARED_PART = 1 / 8
TOO_LONG = (
    "This work was ended at the time limit of this server; prviz on your own machine has none"
)
NO_FOLDER = "an app for everybody serves no folder of this machine; leave out --data"


class ServerLimits:
    """The limits of this server.

    public : True if the app is for everybody: small uploads, no folder of this machine, any host.
    shared : True if others than this machine's user can reach it. seconds : most seconds of one
    measurement.
    """

    def __init__(self) -> None:
        self.public = False
        self.shared = False
        self.seconds = math.inf

    def begin(self, address: str | None) -> None:
        """Set the limits from the environment, for a server at this address (None: at every
        address).

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
        """The bytes that one visitor may use where a single user may use `size` bytes."""
        if self.shared:
            return int(size * SHARED_PART)
        return size

    def check(self, seconds: float) -> None:
        """Raise TimeoutError if a measurement has taken more seconds than the limit."""
        if seconds > self.seconds:
            raise TimeoutError(TOO_LONG)


def time_limit(text: str) -> float:
    """The seconds that a setting names, infinity for 0. Raises ValueError for anything else."""
    with suppress(ValueError):
        seconds = float(text)
        if 0 <= seconds < math.inf:
            return seconds or math.inf
    raise ValueError(f"{text!r} is no number of seconds; 300, or 0 for no limit, is needed")


def is_loopback(address: str | None) -> bool:
    """True if a server at this address can be reached from this machine only."""
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return address == "localhost"


limits = ServerLimits()
