"""The verdicts that were published with the sanity battery, as they stand in its stored output.

They came from unseeded data, a different draw for each group of metrics, and can't be reproduced to the digit.
Source: Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), public code, print_pass_fail_tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["PAIRS", "PASSED", "VERDICTS", "published_verdict"]

# The columns, fidelity and diversity: as readings of this package are named, and one that it does not measure.
PAIRS = (
    "i-prec/i-rec",
    "density/coverage",
    "iap/ibr",
    "c-prec/c-rec",
    "symprec/symrec",
    "p-prec/p-rec",
)

_TABLE = """
gaussian-mean-difference                    bounds          FTFTFF FTFTFF
gaussian-mean-difference                    purpose         TTTTTT TTTTTT
gaussian-mean-difference-with-outlier       bounds          FFFTFF FTFTFF
gaussian-mean-difference-with-outlier       purpose         FTTTFT FTTTTT
gaussian-std-difference                     bounds          FFFFFF FFFFFF
gaussian-std-difference                     purpose         TTFFFT HFLFFH
gaussian-mixture-simultaneous-mode-dropping bounds          FTFFFF FTFTFF
gaussian-mixture-simultaneous-mode-dropping purpose         TFFFFT FTFTFT
gaussian-mixture-sequential-mode-dropping   bounds          FTFFFF FTFTFF
gaussian-mixture-sequential-mode-dropping   purpose         TTFFFT TTFFTT
gaussian-mixture-mode-dropping-invention    bounds          TTFFFF TFFFFF
gaussian-mixture-mode-dropping-invention    purpose         TTFFFT TFFFFT
uniform-hypersphere-surface                 bounds          FFFFTF FFFFTF
uniform-hypersphere-surface                 purpose         FFTFTF FFFFTF
uniform-hypercube-varying-size              data            FFFFFF FFFFFF
uniform-hypercube-varying-size              purpose         FFFFFF FFFFFF
uniform-hypercube-varying-syn-size          hyperparameters TTTFFT FFFFFF
uniform-hypercube-varying-syn-size          purpose         FFFFFF FFFFFF
sphere-torus                                bounds          TTFFTT TFTTFT
sphere-torus                                purpose         TTTFTT FFTFFF
one-vs-two-modes                            bounds          FTFTFF FTFTFF
one-vs-two-modes                            purpose         TTTTTT FFFFFF
gaussian-scaling-one-dimension              bounds          FTTTTT TTTTTT
gaussian-scaling-one-dimension              invariance      FTTTTT FTTTTT
gaussian-mean-difference-with-pareto        bounds          FTTTTF TTFTTF
gaussian-mean-difference-with-pareto        purpose         TTTTTT TTTTTT
gaussian-high-dim-one-disjoint-dim          bounds          FFTFFF FFTFFF
gaussian-high-dim-one-disjoint-dim          purpose         FFFFFF FFFFFF
discrete-numerical-vs-continuous-numerical  bounds          FFFFFF FFFFFF
discrete-numerical-vs-continuous-numerical  purpose         FFFFFF FFFFFF
"""

# (check, tag, side) -> the verdict of each of PAIRS.
VERDICTS: Mapping[tuple[str, str, str], str] = MappingProxyType(
    {
        (check, tag, side): verdicts
        for check, tag, fidelity, diversity in (line.split() for line in _TABLE.strip().splitlines())
        for side, verdicts in (("fidelity", fidelity), ("diversity", diversity))
    }
)

# How many of the 30 cells each of PAIRS passed, as the paper counts them.
PASSED: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"fidelity": (11, 18, 11, 10, 10, 13), "diversity": (9, 13, 9, 13, 9, 10)}
)


def published_verdict(check: str, tag: str, side: str, reading: str) -> str | None:
    """The published "T", "F", "L" or "H"; None where none is."""
    verdicts = VERDICTS.get((check, tag, side))
    return verdicts[PAIRS.index(reading)] if verdicts and reading in PAIRS else None
