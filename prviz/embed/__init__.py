"""Pictures and texts to files of features: sources, encoders, and a run that can be resumed.

One file per encoder in `prviz.embed.encoders`, listed by `prviz.embed.registered`;
`prviz.embed.run.embed` puts source, encoder and output together.
"""

from __future__ import annotations
