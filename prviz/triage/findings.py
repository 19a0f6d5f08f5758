"""Findings: what is wrong with a checkpoint, in plain words, each with its number and its evidence.

Each fault is named by a statistic that shows this fault and no other
(`prviz.triage.pair_statistics`), compared with what held-out real samples get. A sentence says what
is observed; the evidence shows the samples that it concerns. Findings depend on the samples alone,
not on the seed of the split or of the bootstrap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Unpack

import numpy as np

from prviz.arrays import Floats
from prviz.checks.facts import set_facts
from prviz.checks.features import deciding
from prviz.checks.flags import discrete
from prviz.checks.twins import without_twins
from prviz.diagnostics.column_tests import known_tests
from prviz.diagnostics.influence import carries, influence
from prviz.diagnostics.preflight import PairFacts, preflight
from prviz.diagnostics.witness import leaving_out
from prviz.measure.estimates import Estimate, EstimateOptions, Measurement, Progress
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.balls import ROLES
from prviz.neighbors.point_sets import slices
from prviz.neighbors.threads import part_of
from prviz.samples import SamplePair, Samples
from prviz.triage import column_faults, curve_findings, placement_faults, shape_faults
from prviz.triage.column_faults import Differing, column_fault, column_hint, differing
from prviz.triage.curve_findings import (
    KINK,
    apart,
    dependent,
    doubts,
    mode_reweighting,
    outlier_faults,
)
from prviz.triage.finding import SEVERE, UNCLEAR, FaultRule, Found, TriageFinding
from prviz.triage.memorisation import (
    Memorisation,
    held_out_distances,
    memorisation,
)
from prviz.triage.pair_statistics import (
    PairStatistics,
    halvings,
    mean_statistics,
    rows_at_once,
)
from prviz.triage.placement_faults import (
    NEARLY,
    WHOLES,
    misplaced,
    near_copies,
    nearly_repeated,
    of_whole_rows,
    one_row,
    other_density,
    row_faults,
    standardised_otherwise,
)
from prviz.triage.repairs import repair_fault
from prviz.triage.shape_faults import SHAPES, SURE, moved_each, of_shares
from prviz.uncertainty.bootstrap import bootstrap

# Version of the rules: raise it when the same samples get other findings.
RULES = 21
# A fault is left out if another fault explains this many times its share of the samples.
MINOR = 3.0
# Shares of exact repeats count this many times when compared with shares of inferred faults, as
# these may follow from the repeats.
SEEN = 2.0
# A finding is left out if held-out real samples have the same finding, unless it is more than this
# many times as large.
ALIKE = 1.5
# Keys of findings on rows that repeat others, which no feature explains.
OF_ROWS = frozenset({"repeated", "collapse", "copies", "near_copies"})
# Keys of findings on missing samples.
OF_LOST = frozenset({"dropping", "reweighting"})
# Keys of findings on shapes that other numbers of zeros look like.
OF_SPREAD = frozenset({"narrow", "wide", "noise", "coarse", "blurred", "off"})
# Keys of findings on a generated set that is scaled, shifted or has its features in another order.
PLACED = frozenset({"scale", "shifted", "permuted"})
# Largest distance between a feature's two distribution functions that missing samples explain, as a
# multiple of their share.
BY_SHARES = 2.0
# Largest share of repeated rows for which features are still compared.
FEW_REPEATS = 0.05
# Least share of the values, and of the values other than 0, that must occur in the other set for
# both to lie on one grid. A factor or a shift would leave fewer.
ON_GRID = (0.95, 0.9)
# Number of values that are looked up at a time.
_GRID_BLOCK = 1 << 18
# Probability below which a difference that trees find is reported although no fault is named.
CERTAIN = 1e-3
# Fewest samples per set, one of each group, that are cut into halves for statistics.
LEAST = 60

# The rules of all findings, in the order in which faults are listed.
NAMED = (
    *shape_faults.NAMED,
    *placement_faults.NAMED,
    *column_faults.NAMED,
    *curve_findings.NAMED,
    FaultRule(key="unclear", number="of random halvings agree on a fault"),
)
NUMBERS = {each.key: each.number for each in NAMED}
LOOKED_FOR = {each.listed: each.seen for each in NAMED if each.listed}
EXCLUDES = {each.key: each.excludes for each in NAMED}
# Share of generated samples that repeat others exactly above which missing modes and lost spread
# are put down to the repeats.
MOSTLY = 0.5
FOLLOWS = frozenset(each.key for each in NAMED if each.follows)
# Part of the cache key of findings: it changes with the rules.
RULES_KEY = f"{RULES}: {', '.join(NUMBERS)}"


def findings(
    pair: SamplePair,
    estimate: Estimate,
    *,
    replicates: int = 200,
    usual: Sequence[TriageFinding] = (),
    of_samples: Callable[[PairFacts], Sequence[TriageFinding]] | None = None,
    witness: Callable[[], Mapping[str, Any] | None] | None = None,
    **options: Unpack[EstimateOptions],
) -> Found:
    """All findings, the fault that explains most first; none for a faultless pair of enough
    samples.

    pair, options : those that ``estimate`` was measured with by `prviz.estimate`; of the progress,
        that of this search.
    usual : findings on held-out real samples, see `usual_faults`. A finding that is as large there
        is left out.
    of_samples : returns the `sample_faults` of the pair; None: they are searched.
    witness : returns the pair's `prviz.Witness.entry`. It is called if no fault is found, to report
        that trees tell the sets apart.
    replicates : of the bootstrap that gives the intervals of the curve; no fault is named by it.

    Outliers are searched for families that count samples in balls of their own.
    """
    how = Measurement(**options)
    spread = bootstrap(estimate, replicates, seed=how.seed)
    part_of(how.progress, 0, 4)(1.0)
    facts = preflight(pair, k=estimate.k, split=how.split).facts
    part_of(how.progress, 1, 4)(1.0)
    if of_samples is None:
        of_samples = partial(sample_faults, pair, memory_limit=how.memory_limit)
    shown = of_samples(facts)
    kinked = mode_reweighting(spread.curve).ratio >= KINK
    faults = tuple(
        replace(fault, evidence="recall end") if fault.evidence == "kink" and not kinked else fault
        for fault in shown
        if not any(_alike(fault, each) for each in usual)
    )
    if not shown and witness is not None:
        faults = _unnamed(pair, witness())
    unfit = any(fault.key in PLACED | {"single"} for fault in faults)
    unfit |= bool(faults) and faults[0].key == "columns"
    # Dependence of the rows comes first, as all later tests take rows as independent.
    faults = (
        *dependent(pair),
        *faults,
        *(() if unfit else apart(spread)),
        *doubts(spread, facts, min(estimate.supports.n_independent)),
    )
    if not unfit and carries(estimate.method):
        for place, role in enumerate(ROLES):
            influenced = influence(
                pair,
                estimate.method,
                role=role,
                k=estimate.k or "sqrt",
                bandwidth=how.bandwidth,
                split=how.split,
                seed=how.seed,
                memory_limit=how.memory_limit,
                progress=part_of(how.progress, 2 + place, 4),
            )
            faults += outlier_faults(influenced)
    return faults


def sample_faults(
    pair: SamplePair,
    facts: PairFacts,
    copies: Memorisation | None = None,
    *,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Found:
    """Faults by the samples alone, without a curve; the one that explains most first.

    copies : copies of real samples among the generated ones; None: they are searched here, without
        held-out real samples to compare with.
    memory_limit : bytes beyond the samples; see `prviz.triage.pair_statistics.halvings`.
    """
    tick = part_of(progress, 0, 2)
    if copies is None:
        held_out = held_out_distances(pair.real, memory_limit=memory_limit)
        copies = memorisation(pair.real, pair.generated, held_out, memory_limit=memory_limit)
    # Nothing can be compared with a set that is one row repeated.
    if single := one_row(facts):
        return (single,)
    spreads = facts.real.sd, facts.generated.sd
    pair = without_twins(pair, memory_limit)
    # Halves of few samples, or of a set of equal rows, can't be compared.
    if _tested(pair) < LEAST or not all(each.any() for each in spreads):
        return row_faults(facts, copies)
    drawn = halvings(pair, memory_limit=memory_limit, progress=tick)
    shown = agreed_faults(drawn, facts, copies)
    lost = {fault.key for fault in shown[:1]} & OF_LOST
    if deciding(set_facts(pair.real)) and (lost or not _is_named(shown)):
        # Without dividing by spreads: the missing samples may be those with some value of the
        # deciding feature.
        plain = halvings(pair, of_each=False, memory_limit=memory_limit, progress=tick)
        found = agreed_faults(plain, facts, copies)
        if _is_named(found) and (not lost or found[0].key in lost):
            drawn = plain
            shown = found
    mean = mean_statistics(drawn)
    shown = _placed(pair, shown, mean, copies, memory_limit)
    repeats = _of(shown, {"repeated", "collapse"}, nearly=False)
    # Features say no more if many rows repeat, or if a norm or factor explains all of them.
    if any(fault.number > FEW_REPEATS for fault in repeats) or WholeFaults(facts).seen is not None:
        return shown
    rest = _without(shown, repeats)
    if moved_each(mean) and len(differing(pair).columns):
        rest = _without(rest, _of(rest, {"coarse"}))
    tick = part_of(progress, 1, 2)
    found = (*_with_columns(pair, rest, copies, memory_limit, tick), *repeats)
    return _with_whole_rows(pair, found)


def _of(shown: Found, keys: Collection[str], *, nearly: bool = True) -> Found:
    """The faults of some keys; nearly : also those of rows that nearly repeat others."""
    return tuple(
        fault for fault in shown if fault.key in keys and (nearly or fault.title != NEARLY)
    )


def _without(shown: Found, others: Found) -> Found:
    return tuple(fault for fault in shown if fault not in others)


def _with_whole_rows(pair: SamplePair, found: Found) -> Found:
    """The faults with what whole rows show where nothing else is named, or where zeros that were
    lost or added look like another spread.
    """
    if found and found[0].key in OF_SPREAD and (sparse := other_density(pair)) is not None:
        return (sparse, *found)
    if _is_named(found) or (of_rows := of_whole_rows(pair)) is None:
        return found
    return (of_rows, *_without(found, _of(found, {"unclear"})))


def _is_named(shown: Found) -> bool:
    """True if a fault is named that is inferred from statistics, not just seen in repeated rows."""
    return any(fault.key not in OF_ROWS | {"unclear"} for fault in shown)


def _placed(
    pair: SamplePair, shown: Found, of: PairStatistics, copies: Memorisation, memory_limit: int
) -> Found:
    """The faults. If one factor, spread or shift of the set explains those that were inferred, it
    replaces them.

    A borderline factor, shift or reordering is left out if neither features nor spread differ.

    of : the mean statistics.
    """
    if not shown or shown[0].key in OF_ROWS | {"permuted"}:
        return shown
    first = shown[0].key
    rows = rows_at_once(pair.d, memory_limit)
    if rows < LEAST:
        return shown
    compared = SamplePair(*(_some(each.one_of_each_group(), rows) for each in pair))

    def leaves(mended: SamplePair) -> bool:
        drawn = halvings(mended, memory_limit=memory_limit)
        left = agreed_faults(drawn, preflight(mended).facts, copies)
        return any(
            fault.key not in OF_ROWS and (fault.key == first or not fault.borderline)
            for fault in left
        )

    of_rows = tuple(fault for fault in shown if fault.key in OF_ROWS)
    far = first in OF_LOST | {"tails"} and of_shares(of)
    if repaired := repair_fault(compared, leaves, far=far, shown=first):
        return (shown[0] if repaired.key == first else repaired, *of_rows)
    # Clusters of correlated features may move together by chance, but keep their spread.
    alike = max(abs(of.total_z), abs(of.all_total_z)) < SURE
    if first in PLACED and shown[0].borderline and alike and not len(known_tests(compared).differ):
        return of_rows
    return shown


def _some(samples: Samples, rows: int) -> Samples:
    if samples.n <= rows:
        return samples
    return samples.take(np.random.default_rng(0).choice(samples.n, rows, replace=False))


def _with_columns(
    pair: SamplePair, shown: Found, copies: Memorisation, memory_limit: int, progress: Progress
) -> Found:
    """The faults, and the finding on features that differ: many, or a few, whose faults are then
    those that remain without them.
    """
    of = differing(pair)
    if not of.columns:
        return shown
    if not of.few:
        of = of.dominant()
    rows = _of(shown, OF_ROWS)
    rest = _without(shown, _of(shown, OF_ROWS | {"unclear"}))
    # Features that may differ by chance are named only where nothing else is.
    if not of.certain:
        return (*rows, *(rest or (column_hint(of),)))
    if of.repair == "sign":
        return (*rows, column_fault(of))
    if not of.few:
        return (*rows, *_with_many(of, rest))
    if rest and not rest[0].borderline:
        if rest[0].key == "permuted":
            return shown
        # Missing samples move features, too. They leave the spread within the other modes, and no
        # factor or shift repairs such a feature.
        if _lost(rest, of.apart) and not of.mended:
            of = of.facts()
            if not of.columns:
                return shown
    left = leaving_out(pair, of.columns)
    drawn = halvings(left, memory_limit=memory_limit, progress=progress)
    return _with_few(of, rows, agreed_faults(drawn, preflight(left).facts, copies))


def _with_few(of: Differing, rows: Found, without: Found) -> Found:
    """The faults of rows, the finding on a few features that differ, and the faults without these.

    without : all faults of the pair without these features.
    """
    named = column_fault(of)
    if not _of(without, {"collapse"}):
        rows = _of(rows, OF_ROWS, nearly=False)
    without = tuple(fault for fault in without if fault.key not in OF_ROWS and not fault.borderline)
    # A fact of the file comes first, whatever else is wrong.
    coarse = bool(without) and without[0].key == "coarse"
    if coarse or of.facts().columns == of.columns:
        return (*rows, named, *without)
    return (*rows, *without, named)


def _with_many(of: Differing, rest: Found) -> Found:
    """The faults other than those of rows, and the finding on features that differ, where these
    are many.
    """
    if rest and rest[0].key in PLACED:
        return rest
    # If the sets hardly overlap in most features, faults of shape say nothing.
    if of.beside:
        return (column_fault(of), *rest)
    fixed = of.facts()
    cut = fixed.repair == "cut"
    # shapes say nothing where most features are cut off
    if cut and len(fixed.columns) > of.pair.d / 2:
        return (column_fault(fixed),)
    if fixed.columns and (cut or not _lost(rest, fixed.apart)):
        return (column_fault(fixed), *rest)
    return rest or (column_fault(of),)


def _lost(shown: Found, apart: float) -> bool:
    """True if the first fault is missing samples, and if these may explain a distance of ``apart``
    between a feature's two distribution functions.
    """
    if not shown or shown[0].key not in OF_LOST:
        return False
    return apart < BY_SHARES * shown[0].number and shown[0].number < MOSTLY


def usual_faults(
    reference: Samples, holdout: Samples, *, memory_limit: int = MEMORY_LIMIT
) -> Found:
    """The faults that any halving shows in held-out real samples. Such a difference in a checkpoint
    shows no fault of its generator.

    All of them are listed, while among the faults of a checkpoint a shift of the whole set hides
    other faults.
    """
    pair = SamplePair(reference, holdout)
    if min(part.one_of_each_group().n for part in pair) < LEAST:
        return ()
    found: list[TriageFinding] = []
    for each in halvings(pair, memory_limit=memory_limit):
        place = misplaced(each)
        shown = (explains(each) for explains in SHAPES)
        if place is not None:
            found.append(place)
        found += [part[1] for part in shown if part is not None]
        if each.tight_z > SURE:
            found += [nearly_repeated(each)]
    of = differing(pair)
    if of.columns:
        return (*found, column_fault(of))
    return tuple(found)


def _alike(fault: TriageFinding, usual: TriageFinding) -> bool:
    """True if held-out real samples show the same fault, and this one is hardly larger."""
    if fault.key != usual.key:
        return False
    if fault.unit == "share":
        return fault.number <= ALIKE * usual.number + 0.02
    sizes = [math.log(max(each.number, 1e-12)) for each in (fault, usual)]
    return sizes[0] * sizes[1] > 0 and abs(sizes[0]) <= ALIKE * abs(sizes[1])


def agreed_faults(drawn: Sequence[PairStatistics], facts: PairFacts, copies: Memorisation) -> Found:
    """Faults of the mean statistics of several halvings that most halvings also show by themselves;
    borderline unless all do.

    If most halvings show none of them, a difference is reported that too few samples leave without
    a name.
    """
    whole = WholeFaults(facts)
    single = [named_faults(each, facts, copies, whole) for each in drawn]
    listed = named_faults(mean_statistics(drawn), facts, copies, whole)
    votes = Counter[str]()
    for each in single:
        votes.update({fault.key for fault in each})
    shown = tuple(
        (
            fault
            if votes[fault.key] == len(drawn)
            else _borderline(fault, votes[fault.key], len(drawn))
        )
        for fault in listed
        if 2 * votes[fault.key] > len(drawn)
    )
    if shown or not listed:
        return shown
    titles = dict.fromkeys(each[0].title for each in (listed, *single) if each)
    return (
        _unclear(
            " or ".join(f"“{title}”" for title in titles), votes[listed[0].key] / len(drawn), facts
        ),
    )


def _borderline(fault: TriageFinding, votes: int, of: int) -> TriageFinding:
    shown = f" Borderline: {votes} of {of} random halvings of the samples, each by itself, show it."
    return replace(fault, sentence=fault.sentence + shown, level="note", borderline=True)


def _unclear(called: str, agreed: float, facts: PairFacts) -> TriageFinding:
    """The finding that the sets differ, but that halvings don't agree on a fault. called : titles
    of the faults.
    """
    sentence = (
        f"Something differs, but random halvings of the samples don't agree on what, {called}: "
        f"{min(part.n for part in facts.pair):,} samples of a set are too few to say."
    )
    return TriageFinding("unclear", UNCLEAR, sentence, agreed, "note", "interval", borderline=True)


def _tested(pair: SamplePair) -> int:
    """Number of samples of the smaller set, counting one of each group."""
    return min(part.n if part.groups is None else len(np.unique(part.groups)) for part in pair)


def _unnamed(pair: SamplePair, seen: Mapping[str, Any] | None) -> Found:
    """The finding that trees or correlations tell the sets apart although no fault is named; () if
    they don't.

    It says that no fault explains the difference only if faults were searched for. seen : what
    gives the samples away, as `prviz.Witness.entry` has it.
    """
    if seen is None:
        return ()
    few = f"{min(part.n for part in pair):,} samples of a set are too few to say what"
    apart = "Trees that were fitted on half of the samples tell the others apart"
    if seen["p_apart"] is None or seen["p_apart"] >= CERTAIN:
        joint = [each for each in seen["named"] if not each["alone"]]
        if not joint:
            return ()
        apart = "; ".join(f"{each['name']}: {each['sentence']}" for each in joint)
    sentence = f"{apart}, though no single feature differs and no fault explains it: {few}."
    if seen["differing"] or _tested(pair) < LEAST:
        names = ", ".join(each["name"] for each in seen["named"])
        sentence = f"{apart}: {few}{f' else than {names}' if names else ''}."
    return (TriageFinding("unclear", UNCLEAR, sentence, 0.0, "note", "interval", borderline=True),)


def named_faults(
    statistics: PairStatistics,
    facts: PairFacts,
    copies: Memorisation,
    whole: WholeFaults | None = None,
) -> Found:
    """The faults by the statistics of one halving, or their means, and by the copies; the one that
    explains most first.

    whole : `WholeFaults` of the facts; None: computed here.
    """
    of_rows = row_faults(facts, copies)
    plain = tuple(
        fault
        for fault in of_rows
        if fault.key in ("repeated", "collapse") and fault.number > SEVERE
    )
    others = tuple(fault for fault in of_rows if fault not in plain)
    rest = _other_faults(statistics, whole or WholeFaults(facts), copies, others)
    following = {fault.key for fault in plain}
    if any(fault.key == "collapse" and fault.number > MOSTLY for fault in plain):
        following |= FOLLOWS | EXCLUDES["collapse"]
    rest = tuple(fault for fault in rest if fault.key not in following)
    # Exact repeats come first: they are observed, not inferred, and move all other statistics.
    return (*plain, *rest)


@dataclass(frozen=True, eq=False)
class WholeFaults:
    """Faults of the sets as wholes, which follow from the facts of a pair and are computed once for
    all halvings.
    """

    facts: PairFacts

    @cached_property
    def seen(self) -> TriageFinding | None:
        """The fault of the whole set that is observed, not inferred, such as rows of norm 1 in one
        set only; or None.
        """
        for rule in WHOLES:
            if (fault := rule(self.facts)) is not None:
                return fault
        return None

    @cached_property
    def standardised(self) -> TriageFinding | None:
        """The fault that `standardised_otherwise` finds, or None."""
        return standardised_otherwise(self.facts)

    @cached_property
    def on_one_grid(self) -> bool:
        """True if both sets take few values, and nearly all values of each occur in the other
        set.
        """
        if not discrete(self.facts.drawn[0].rows):
            return False
        real, generated = (each.values for each in self.facts.pair)
        return _on_grid(real, generated) and _on_grid(generated, real)


def _on_grid(values: Floats, others: Floats) -> bool:
    """True if nearly all values, and nearly all other than 0, occur among the others. Values are
    looked up by blocks of rows.
    """
    rows = max(1, _GRID_BLOCK // values.shape[1])
    grid = np.empty(0, others.dtype)
    for part in slices(len(others), rows):
        grid = np.union1d(grid, others[part])
    shared = filled = both = 0
    for part in slices(len(values), rows):
        block = values[part]
        places = np.minimum(np.searchsorted(grid, block), len(grid) - 1)
        is_shared = grid[places] == block
        is_filled = block != 0
        shared += int(np.count_nonzero(is_shared))
        filled += int(np.count_nonzero(is_filled))
        both += int(np.count_nonzero(is_shared & is_filled))
    if shared / values.size < ON_GRID[0]:
        return False
    return filled == 0 or both / filled >= ON_GRID[1]


def _other_faults(
    statistics: PairStatistics,
    whole: WholeFaults,
    copies: Memorisation,
    of_rows: Found,
) -> Found:
    """The faults other than many exact repeats, the one that explains most first."""
    placed = whole.seen or misplaced(statistics) or whole.standardised
    if placed is not None and placed.key != "permuted" and whole.on_one_grid:
        placed = whole.seen
    if placed is not None:
        return (placed, *of_rows)
    parts = [(SEEN * fault.number, fault) for fault in of_rows]
    copied = {fault.key for fault in of_rows}
    if copies.near.low > 0 and "copies" not in copied:
        parts.append((copies.near.value, near_copies(copies)))
    shown = (explains(statistics) for explains in SHAPES)
    parts += [part for part in shown if part is not None]
    invented = any(fault.key == "invention" for _, fault in parts)
    if (
        statistics.tight_z > SURE
        and (not invented or statistics.tight > statistics.off)
        and "collapse" not in copied
    ):
        parts.append((statistics.tight, nearly_repeated(statistics)))
    return _listed(parts)


def _listed(parts: list[tuple[float, TriageFinding]]) -> Found:
    """The faults by their sizes, the largest first. Faults that follow from the first one, or are
    minor beside it, are left out.
    """
    # Repeated samples move all other statistics.
    if any(fault.key == "collapse" for _, fault in parts):
        parts = [part for part in parts if part[1].key not in EXCLUDES["collapse"]]
    parts.sort(key=lambda part: -part[0])
    # These faults are observed directly, and are never minor.
    sure = {"collapse", "copies", "near_copies"}
    against = EXCLUDES.get(parts[0][1].key, frozenset()) if parts else frozenset()
    listed = (fault for size, fault in parts if fault.key in sure or MINOR * size > parts[0][0])
    return tuple(fault for fault in listed if fault.key not in against)
