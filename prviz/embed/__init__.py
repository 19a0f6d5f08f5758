"""Embeds pictures and texts: reads them from sources, encodes them, and writes files of features; a
stopped run can be resumed.

Each file in `prviz.embed.encoders` has one encoder; `prviz.embed.registered` lists them.
`prviz.embed.run.embed` connects source, encoder and output.
"""

from __future__ import annotations
