"""One file per encoder; `prviz.embed.registered` lists them."""

from __future__ import annotations
