"""Limits of each visitor's work and memory, for a server that other people than its owner can
reach.
"""

from __future__ import annotations

import ipaddress
import math
import os
from contextlib import suppress

# Environment variable; with the value "1" the app is for everybody, see `ServerLimits.public`.
PUBLIC_VARIABLE = "PRVIZ_PUBLIC"
# Environment variable: most seconds of one measurement; "0" for no limit.
TIME_VARIABLE = "PRVIZ_TIME_LIMIT"
# Seconds: default of PRVIZ_TIME_LIMIT if others can reach the server.
SHARED_SECONDS = 300.0
# On a server that others can reach, memory for one visitor's results and files, as a share of the
# memory for a single user on their own machine.
SHARED_PART = 1 / 8
TOO_LONG = (
    "This work was ended at the time limit of this server; prviz on your own machine has none"
)
NO_FOLDER = "an app for everybody serves no folder of this machine; leave out --data"


class ServerLimits:
    """The limits of this server.

    public : True if the app is for everybody: small uploads, no folder of this machine, any host.
    shared : True if others than this machine's user can reach the server. seconds : most seconds of
    one measurement.
    """

    def __init__(self) -> None:
        self.public = False
        self.shared = False
        self.seconds = math.inf

    def begin(self, address: str | None) -> None:
        """Set the limits from the environment variables, for a server bound to this address (None:
        to every address).

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
        """The bytes that one visitor may use, if a single user on their own machine may use `size`
        bytes.
        """
        if self.shared:
            return int(size * SHARED_PART)
        return size

    def check(self, seconds: float) -> None:
        """Raise TimeoutError if a measurement has taken more seconds than the limit."""
        if seconds > self.seconds:
            raise TimeoutError(TOO_LONG)


def time_limit(text: str) -> float:
    """Read a number of seconds from a setting; 0 means infinity. Raises ValueError for anything
    else.
    """
    with suppress(ValueError):
        seconds = float(text)
        if 0 <= seconds < math.inf:
            return seconds or math.inf
    raise ValueError(f"{text!r} is no number of seconds; 300, or 0 for no limit, is needed")


def is_loopback(address: str | None) -> bool:
    """True if a server bound to this address can be reached from this machine only."""
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return address == "localhost"


limits = ServerLimits()
