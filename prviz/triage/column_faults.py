"""Faults of single features: constant in one set, in other units, shifted or cut off, while the
other features are alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prviz.arrays import Floats, Rng
from prviz.diagnostics.column_tests import LEVEL, ColumnCounts, ColumnTests, known_tests
from prviz.diagnostics.named_columns import named_columns, number_text
from prviz.samples import SamplePair
from prviz.triage.finding import UNCLEAR, FaultRule, TriageFinding, grade

# Largest share of the features that counts as few; if more differ, the sets differ as a whole.
FEW = 0.25
# Median p-value of the features outside the differing ones above which these others count as alike;
# it is about 0.9 where they are.
ALIKE = 0.45
# Least ratio of a feature's step to the median step of the others, for it to stand out even if
# these differ. A step is the largest distance between the two sets' distribution functions, from 0
# to 1.
DOMINATES = 4.0
# Where many features differ, one stands out if the largest distance between the two sets'
# distribution functions (its step, from 0 to 1) is more than this many times the median step of all
# features, and more than DOMINANT.
STANDS_OUT = 3.0
# Largest distance between the two sets' distribution functions of a feature, from 0 to 1, up to
# which the feature does not stand out where many differ.
DOMINANT = 0.3
# Median step of the features, from 0 to 1, above which no change of spread explains the difference.
BESIDE = 0.5
# Factor of the tests' level for a p-value that shows that one feature differs, rather than all
# features a little.
CERTAIN = 1e-3
# Most differing features for which a repair is searched.
LOOKED_AT = 30
# p-value above which the difference that a repair leaves counts as chance.
MENDED = 0.05
# Least ratio, or its inverse, of the sets' values for a factor to be named as the repair.
FACTOR = 1.2
# A feature counts as cut off if the step between its generated values and the real ones in their
# range is less than CUT times the step that the best factor or shift leaves. CUT is above 1, so
# that missing values are not taken for a factor or a shift.
CUT = 1.6
# Least part of the features that differ for their limits to be the cause.
MOSTLY = 2 / 3
# Least share of the values of one set beyond the range of the other for that range to be a limit.
BEYOND = 0.05
# Least part of that share that must pile up at the limit.
PILED = 0.5


REPAIRS: Mapping[str, str] = {
    "factor": " As if multiplied by a number: check units.",
    "sign": " As if their signs were changed.",
    "shift": " As if a number were added: check where 0 is.",
    "cut": " In the generated set values beyond a limit are cut off, to that limit.",
    "no limit": " The real values keep to a limit, the generated ones go beyond it.",
    "no spread": " In the generated set that is one value throughout.",
    "new spread": " In the real set that is one value throughout.",
    "": "",
}
"""Sentence on what would make such features fit, by the kind of repair."""
# Repairs that are facts of the file, whatever else is wrong.
LIMITS = frozenset({"cut", "no limit"})
FACTS = LIMITS | {"no spread", "new spread"}


@dataclass(frozen=True, eq=False)
class Differing:
    """The features whose distributions differ between the two sets.

    pair : independent rows, one of each group.
    columns : indices of the features that differ, the surest first.
    tests : the test of every feature by itself.
    part : True if further features differ.
    """

    pair: SamplePair
    columns: tuple[int, ...]
    tests: ColumnTests
    part: bool = False

    @cached_property
    def apart(self) -> float:
        """Largest distance between the two sets' distribution functions, over the differing
        features.
        """
        return float(self.tests.steps[list(self.columns)].max(initial=0.0))

    @cached_property
    def others(self) -> Floats:
        """Indices of the features that do not differ."""
        return np.setdiff1d(np.arange(self.pair.d), self.columns)

    @cached_property
    def few(self) -> bool:
        """True if the differing features are few, and the others are alike or differ far less."""
        if not 0 < len(self.columns) <= max(1, FEW * self.pair.d) or not len(self.others):
            return False
        if np.median(self.tests.p[self.others]) > ALIKE:
            return True
        return self.apart > DOMINATES * float(np.median(self.tests.steps[self.others]))

    @property
    def beside(self) -> bool:
        """True if the sets hardly overlap in most features, which no change of spread explains."""
        return bool(np.median(self.tests.steps) > BESIDE)

    def dominant(self) -> Differing:
        """The features that differ far more than most, if they are few; else all that differ."""
        steps = self.tests.steps
        least = max(STANDS_OUT * float(np.median(steps)), DOMINANT)
        columns = tuple(each for each in self.columns if steps[each] > least)
        found = Differing(self.pair, columns, self.tests, part=True)
        if found.few:
            return found
        return self

    def facts(self) -> Differing:
        """Only the features whose repair is a fact of the file, such as a constant in one set.

        A limit counts only where most of the features that differ have one: another spread passes
        the limits of a few features too.
        """
        known = {each: _fact(self.pair, each) for each in self.columns}
        limited = [each for each, how in known.items() if how in LIMITS]
        few = len(limited) < MOSTLY * len(self.columns)
        columns = tuple(each for each, how in known.items() if how and not (few and how in LIMITS))
        return Differing(self.pair, columns, self.tests, part=len(columns) < len(self.columns))

    @property
    def certain(self) -> bool:
        """True if a feature differs by more than a small change of all features explains."""
        return bool(self.tests.p.min() < CERTAIN * LEVEL / self.pair.d)

    @cached_property
    def repair(self) -> str:
        """The repair that makes every differing feature fit, a key of `REPAIRS`; "" if no single
        repair does.
        """
        asked = self.columns[:LOOKED_AT]
        repairs = {_repair(self.pair, place, MENDED / len(asked)) for place in asked}
        if len(repairs) == 1:
            return repairs.pop()
        return ""

    @property
    def mended(self) -> bool:
        """True if a factor or a shift explains each feature better than a cut range does."""
        if self.repair not in ("factor", "shift"):
            return False
        return not any(_is_cut(self.pair, place) for place in self.columns)


def differing(pair: SamplePair) -> Differing:
    """The features of a pair that differ, by `prviz.diagnostics.column_tests`, on one row of each
    group.
    """
    alone = SamplePair(*(each.one_of_each_group() for each in pair))
    tests = known_tests(alone)
    return Differing(alone, tuple(int(each) for each in tests.differ), tests)


def column_hint(of: Differing) -> TriageFinding:
    """The note that some features differ, for a pair with too few samples to show whether something
    else is wrong too.
    """
    n = min(part.n for part in of.pair)
    sentence = f"{_said(of)} {n:,} samples of a set are too few to say whether more is wrong."
    return TriageFinding("unclear", UNCLEAR, sentence, 0.0, "note", "interval", borderline=True)


def _said(of: Differing) -> str:
    number = len(of.columns)
    verb = "differ"
    if len(of.columns) == 1:
        verb = "differs"
    said = "; ".join(each.text for each in named_columns(of.pair, of.columns))
    others = ""
    if of.part:
        others = ", as do others"
    elif of.few and of.certain:
        others = ", no difference is seen in the others"
    return f"{number} of {of.pair.d} features {verb}{others}: {said}."


def column_fault(of: Differing) -> TriageFinding:
    """The finding that names the features that differ, and says what to check in the file."""
    number = len(of.columns)
    how = ""
    if of.certain and (of.few or of.repair in FACTS | {"sign"}):
        how = of.repair
    sentence = f"{_said(of)}{REPAIRS[how]}"
    if number == 1 and how in ("factor", "shift"):
        factor, move = change(*_values(of.pair, of.columns[0]))
        by = factor if how == "factor" else move
        sentence += f" Here: {'×' if how == 'factor' else '+'} {number_text(float(f'{by:.3g}'))}."
    share = number / of.pair.d
    return TriageFinding(
        "columns", "Features that differ", sentence, share, grade(of.apart), "preflight"
    )


def _repair(pair: SamplePair, place: int, level: float = MENDED) -> str:
    """The repair that makes one feature fit, a key of `REPAIRS`; "" if none does."""
    real, generated = _values(pair, place)
    if np.ptp(generated) == 0:
        return "no spread"
    if np.ptp(real) == 0:
        return "new spread"
    for role, one, other in (("cut", real, generated), ("no limit", generated, real)):
        if _is_limited(one, other) and _fits(np.clip(one, other.min(), other.max()), other, level):
            return role
    if _fits(real, -generated, level):
        return "sign"
    factor, move = change(real, generated)
    if (
        factor > 0
        and abs(math.log(factor)) > math.log(FACTOR)
        and _fits(real, generated / factor, level)
    ):
        return "factor"
    if _fits(real, generated - move, level):
        return "shift"
    return ""


def _fact(pair: SamplePair, place: int) -> str:
    """The repair of a feature if it is a fact of the file: one of FACTS, or another sign where all
    real values have one sign and the generated ones the other. "" if it is none.
    """
    how = _repair(pair, place)
    if how == "sign":
        real, generated = _values(pair, place)
        one_sign = generated.max() <= 0 <= real.min() or real.max() <= 0 <= generated.min()
        return how if one_sign else ""
    return how if how in FACTS else ""


def _is_cut(pair: SamplePair, place: int) -> bool:
    """True if the generated values of a feature are closer to the real values in their own range
    than any factor or shift brings them to all real ones.
    """
    real, generated = _values(pair, place)
    factor, move = change(real, generated)
    changed = [generated - move, generated / factor if factor else generated]
    within = real[(generated.min() <= real) & (real <= generated.max())]
    return bool(len(within)) and _apart(within, generated) < CUT * min(
        _apart(real, each) for each in changed
    )


def _is_limited(values: Floats, limited: Floats) -> bool:
    """True if values lie beyond the range of the others, which pile up at that end instead."""
    for end, beyond in (
        (limited.min(), values < limited.min()),
        (limited.max(), values > limited.max()),
    ):
        share = float(beyond.mean())
        piled = float((limited == end).mean() - (values == end).mean())
        if share >= BEYOND and piled >= PILED * share:
            return True
    return False


def _values(pair: SamplePair, place: int) -> tuple[Floats, Floats]:
    real, generated = (each.values[:, place].astype(float) for each in pair)
    return real, generated


def change(real: Floats, generated: Floats) -> tuple[float, float]:
    """The factor and the shift that bring the generated values closest to the real ones; a factor
    of 0 if no factor can.
    """
    sides = [np.quantile(each, [0.25, 0.5, 0.75]) for each in (real, generated)]
    sizes = [
        (ends[2] - ends[0], ends[1], values.std(), values.mean())
        for ends, values in zip(sides, (real, generated), strict=True)
    ]
    ratios = [
        float(other / one) for one, other in zip(*sizes, strict=True) if one and other / one > 0
    ]
    factor = min(ratios, key=lambda each: _apart(real, generated / each), default=0.0)
    moves = [*(sides[1] - sides[0]), generated.mean() - real.mean(), generated.min() - real.min()]
    move = min(moves, key=lambda each: _apart(real, generated - each))
    return factor, float(move)


def _apart(real: Floats, repaired: Floats) -> float:
    # In float32, counts that a factor has repaired are whole numbers again.
    with np.errstate(over="ignore"):
        return ColumnCounts.of(real.astype(np.float32), repaired.astype(np.float32)).largest_step()


def _fits(real: Floats, repaired: Floats, level: float = MENDED) -> bool:
    from scipy.special import kolmogorov

    size = math.sqrt(len(real) * len(repaired) / (len(real) + len(repaired)))
    return bool(kolmogorov(size * _apart(real, repaired)) > level)


def _one_value(values: Floats, _: Floats, __: Rng) -> Floats:
    """Set the first feature to its median throughout."""
    found = values.copy()
    found[:, 0] = np.median(values[:, 0])
    return found


# The rule of the finding in this module.
NAMED = (
    FaultRule(
        key="columns",
        number="of the features differ",
        listed="Features that differ",
        seen=(
            "features of another distribution by themselves: a few while the others are alike, or"
            " far more than these, or most of them beside the real ones"
        ),
        plant=_one_value,
    ),
)
