"""Turns pictures and texts into files of features: sources, encoders, and a run that can be
resumed.

Each file in `prviz.embed.encoders` has one encoder; `prviz.embed.registered` lists them.
`prviz.embed.run.embed` connects source, encoder and output.
"""

from __future__ import annotations
