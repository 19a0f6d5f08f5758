"""Faults of single rows: exact repeats, exact and near copies of the reference, samples that are
nearly repeated.
"""

from __future__ import annotations

import numpy as np

from prviz.arrays import Ints
from prviz.checks.facts import row_classes
from prviz.checks.flags import MANY_ROWS, discrete
from prviz.diagnostics.preflight import PairFacts
from prviz.triage.finding import SEVERE, TriageFinding, percent
from prviz.triage.memorisation import CONFIDENCE, Memorisation
from prviz.triage.pair_statistics import PairStatistics
from prviz.triage.shape_faults import SURE

# Repeats of generated rows, from which on they are no chance where no other row of either set
# repeats one; and random draws of both sets from all rows, that more of them are compared with.
ALONE = 5
PERMUTATIONS = 100


def row_faults(facts: PairFacts, memorised: Memorisation) -> tuple[TriageFinding, ...]:
    """Exact repeats, of either set, and exact copies."""
    found = []
    copies = facts.copies
    n = facts.pair.real.n
    m = facts.pair.generated.n
    share = copies.generated / m
    usual = copies.real / n
    # of few values rows repeat by chance, and stop to where noise is added
    natural = discrete(facts.drawn[0].rows)
    if (usual - share > SEVERE and not natural) or copies.most_real == n:
        different = n - copies.real
        left = "a single real sample" if different == 1 else f"{different:,} different real samples"
        sentence = (
            f"{percent(usual)} of the real samples repeat an earlier one exactly, the commonest"
            f" occurs {copies.most_real:,} times; of the generated ones {percent(share)} do. Curve"
            f" and scores compare with {left} only: is the reference a few samples, copied?"
        )
        found.append(
            TriageFinding(
                "repeated", "Repeated real samples", sentence, usual, "warning", "duplicates"
            )
        )
    if share - usual > MANY_ROWS and _more_than_real(facts):
        sentence = (
            f"{percent(share)} of the generated samples repeat an earlier one exactly, the"
            f" commonest occurs {copies.most_generated:,} times; of the real ones"
            f" {percent(usual)} do."
        )
        found.append(
            TriageFinding("collapse", "Repeated samples", sentence, share, "warning", "duplicates")
        )
    if memorised.exact.low > 0:
        share = memorised.exact.share
        sentence = (
            f"{percent(share)} of the generated samples are rows of the reference, exactly,"
            f" {percent(memorised.exact.expected)} of other real ones: the generator repeats its"
            " training data, or the two files overlap. The curve counts them as perfect."
        )
        found.append(
            TriageFinding(
                "copies", "Copies of real samples", sentence, share, "warning", "duplicates"
            )
        )
    return tuple(found)


def _more_than_real(facts: PairFacts) -> bool:
    """True if generated rows repeat others more than by chance, were both sets draws of one: real
    rows may too.
    """
    copies = facts.copies
    if copies.generated >= ALONE and copies.real == copies.shared_generated == 0:
        return True
    classes = row_classes(facts.pair)
    rng = np.random.default_rng(0)
    others = [
        _repeats_more(rng.permutation(classes), facts.pair.real.n) for _ in range(PERMUTATIONS)
    ]
    error = max(float(np.std(others)), float(np.finfo(float).tiny))
    return (_repeats_more(classes, facts.pair.real.n) - float(np.mean(others))) / error > SURE


def _repeats_more(classes: Ints, n: int) -> float:
    """Share of the rows from n on that repeat an earlier one, less that of the first n."""
    shares = [
        1 - np.count_nonzero(np.bincount(each)) / len(each) for each in (classes[n:], classes[:n])
    ]
    return float(shares[0] - shares[1])


def one_row(facts: PairFacts) -> TriageFinding | None:
    """A real set that is one row many times."""
    n = facts.pair.real.n
    if n < 2 or facts.copies.real < n - 1:
        return None
    sentence = (
        f"The real set is one row {n:,} times: it has no spread, and nothing can be compared"
        " with it."
    )
    return TriageFinding(
        "single", "One row repeated", sentence, float(n), "warning", "duplicates", "ratio"
    )


def nearly_repeated(of: PairStatistics) -> TriageFinding:
    """A few samples made again and again, with small changes."""
    sentence = (
        f"{percent(of.tight)} of the generated samples lie far closer to another generated one than"
        " real samples do to each other: a few samples again and again, with small changes."
    )
    return TriageFinding(
        "collapse", "Nearly repeated samples", sentence, of.tight, "warning", "dimension"
    )


def near_copies(of: Memorisation) -> TriageFinding:
    """Samples much closer to one sample of the reference than to the next."""
    near = of.near
    share = of.near.value
    sentence = (
        f"About {percent(share)} of the generated samples ({100 * CONFIDENCE:.0f} % interval"
        f" {percent(near.low)} to {percent(near.high)}) lie much closer to one real sample than to"
        " the next, which other real samples hardly ever do: near copies of the reference."
    )
    return TriageFinding("near_copies", "Near copies", sentence, share, "warning", "precision end")
