"""Part "Does the encoder matter?": ranks the checkpoints in the features of several encoders, and
compares the ranks.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared import answers, media
from pages._shared.networks import choose_networks
from pages._shared.widgets import plain
from pages._triage.checkpoints import NONE_YET, CheckpointResults
from prviz.embed.encoders.stored import StoredEncoder
from prviz.embed.lens import Lens, lens
from prviz.figures.lens import EncoderPoint, encoders_figure
from prviz.live.figure import Pane
from prviz.measure.estimates import Progress
from prviz.measure.workload import cut, estimate_seconds, fit_size
from prviz.neighbors.threads import part_of
from prviz.readers.errors import error_text
from prviz.readers.media import Pictures
from prviz.samples import Samples
from prviz.triage.encoders import EncoderRanking, encoder_verdict, rank_estimates
from prviz.triage.measured import MeasuredCheckpoint
from prviz.uncertainty.bootstrap import LEVEL

# Most checkpoints to rank (MOST_CHECKPOINTS), most samples of each set (MOST_SAMPLES), and the
# numbers of features at which they are ranked besides all (DIMENSIONS).
MOST_CHECKPOINTS = 8
MOST_SAMPLES = 1_000
DIMENSIONS = (4, 16, 64)
# _REPLICATES: bootstrap replicates for each ranking. Estimated seconds: for one sample in one
# replicate; to read a picture and encode it; to encode it with one of the user's networks.
_REPLICATES = 100
_REPLICATE_SECONDS = 5e-7
_PICTURE_SECONDS = 3e-3
_NETWORK_SECONDS = 2e-2
# Most encoders besides the user's networks; the samples need pictures for all of them.
_ENCODERS = 4


def draw(found: CheckpointResults) -> None:
    """Draw a sentence on whether the encoder matters, a figure of areas by encoder and number of
    features, and a table of ranks.
    """
    if not found.measured:
        st.info(NONE_YET)
        return
    rankings = _rankings(found)
    if rankings is None:
        return
    readings, left_out = rankings
    st.markdown(f"**{plain(encoder_verdict(readings))}**")
    names = [str(name) for name in readings[0].table["checkpoint"]]
    points = {name: [_point(each, name) for each in readings] for name in names}
    few = len(found.measured) > len(names)
    caption = (
        f"Filled: may be best there ({100 * LEVEL:.0f} %). "
        + f"The {len(names)} best of {len(found.measured)}. " * few
    )
    caption += f"At most {MOST_SAMPLES:,} samples of each set. {left_out}"
    live_figure(
        "triage-encoders",
        [
            Pane(
                "triage-encoders",
                encoders_figure(points),
                "AuC by encoder and features kept",
                caption,
                wide=True,
            )
        ],
    )
    rows = []
    for each in readings:
        row = {"encoder": each.encoder, "features": each.d, "may be best": ", ".join(each.possible)}
        rows.append(row | {f"place of {name}": each.rank(name) for name in names})
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="triage-encoders-ranks")


def _point(reading: EncoderRanking, name: str) -> EncoderPoint:
    """Score and rank of one checkpoint in one encoder's features, at one number of features."""
    score = reading.score(name)
    rank = reading.rank(name)
    return EncoderPoint(reading.encoder, reading.d, score, rank, name in reading.possible)


def _rankings(found: CheckpointResults) -> tuple[list[EncoderRanking], str] | None:
    """The ranking for each encoder and number of features, and a text on why encoders are
    missing.

    None until a job has measured all rankings.
    """
    settings = found.settings
    best = sorted(found.measured, key=lambda each: -each.curve.auc)[:MOST_CHECKPOINTS]
    n = min(MOST_SAMPLES, *(min(each.n_real, each.n_generated) for each in best))
    held = None
    if found.uploaded is not None:
        held = found.uploaded.pictures
    sources: tuple[Pictures, ...] = () if held is None else held.sources
    networks = choose_networks(found.reference, sources, "triage-networks")
    k = settings.k if settings.k == "sqrt" or settings.k < fit_size(n, settings.split) else "sqrt"

    def compute(progress: Progress) -> tuple[list[EncoderRanking], str]:
        real = cut(found.reference, n, settings.seed)
        generated = {each.checkpoint.name: _samples(found, each, n) for each in best}
        encoders = networks.load()
        if found.bundled:
            stored = StoredEncoder([each.checkpoint.path.stem for each in best])
            encoders = [stored, *encoders]
        seen = lens(
            real,
            generated,
            method=found.method,
            k=k,
            split=settings.split,
            seed=settings.seed,
            sources=sources,
            encoders=encoders,
            dimensions=DIMENSIONS,
            progress=part_of(progress, 0, 2),
        )
        return _ranked(seen, settings.seed, part_of(progress, 1, 2)), seen.left_out

    seconds = _seconds(len(best), n, networks.count, settings.split)
    digests = tuple((each.checkpoint.name, *each.digests) for each in best)
    key = (
        "triage-encoders",
        digests,
        found.method,
        k,
        settings.split,
        settings.seed,
        n,
        media.view_key(found.uploaded),
        networks.key,
    )
    return answers.tab_result(key, seconds, compute)


def _ranked(seen: Lens, seed: int, progress: Progress) -> list[EncoderRanking]:
    rankings = []
    for place, each in enumerate(seen.readings, start=1):
        table = rank_estimates(seen.names, each.estimates, bootstrap=_REPLICATES, seed=seed)
        rankings.append(EncoderRanking(each.encoder, each.d, table))
        progress(place / len(seen.readings))
    return rankings


def _samples(found: CheckpointResults, measured: MeasuredCheckpoint, n: int) -> Samples:
    try:
        return cut(found.load(measured.checkpoint), n, found.settings.seed)
    except OSError as error:
        raise ValueError(error_text(error)) from None


def _seconds(checkpoints: int, n: int, networks: int, split: float | None) -> float:
    """Estimated seconds for all rankings, with n samples of each set."""
    one = estimate_seconds(n, n, 256, methods=1, split=split)
    one += 2 * n * _REPLICATES * _REPLICATE_SECONDS
    picture = _PICTURE_SECONDS * (_ENCODERS - 1) + _NETWORK_SECONDS * networks
    readings = (len(DIMENSIONS) + 1) * (_ENCODERS + networks)
    return checkpoints * readings * one + (checkpoints + 1) * n * picture
