# ruff: noqa: T201 - a script that prints its figures
"""Findings measured like a classifier: faults of known kind and cost, and what
`prviz.triage.findings` calls them.

    python -m tests.benchmarks.findings --quick                      minutes: two sets, n = 500, one
    seed python -m tests.benchmarks.findings [--sizes 500 1000 2000 10000] [--seeds 20] [--real 100]
    [--sets ...]   hours python -m tests.benchmarks.findings --part 0.1 --minutes 20 --jobs 2 ...
    a tenth of the cases, drawn by chance,
                                                  fewer above n = 2,000, of as many seeds as begin
                                                  in that time

Every fault of `tests.benchmarks.faults` is put into every set at up to five strengths, chosen so
that they cost about 0.02, 0.05, 0.1, 0.2 and 0.5 of the area under the curve of kNN at n = 500
(faults that cost no area: of these shares of the samples). The cost of a case is that of its own
samples: the area of real against real less that with the fault. A case is named right if the first
finding names its fault (`planted_and_named`: or what gives the same samples), borderline or not;
the opposite of the truth counts wherever it is listed. Real against real runs ``--real`` times per
set and size, and any finding is a false alarm. Flips, every ``--flips``-th case: the first finding
is not the same for another seed of the halves and clusters; contradictions: neither of these two
says that it is borderline (no finding hangs on the bootstrap, which has its test). Thresholds were
chosen on the sets marked so, at other seeds than these.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from prviz.diagnostics.preflight import preflight
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import agreed_faults
from prviz.triage.memorisation import held_out_distances, memorisation
from prviz.triage.pair_statistics import halvings
from tests.benchmarks.faults import BASES, FAULTS, graded, planted, planted_and_named
from tests.benchmarks.results import record

FIRST_SEED = 100
COSTLY = 0.1
PLAIN = 2000
BINS = ((0.0, 0.035), (0.035, 0.075), (0.075, 0.15), (0.15, 0.35), (0.35, 1.01))


@dataclass(frozen=True)
class Flip:
    """Whether the first finding depends on the seed of the halves, and whether both are sure of
    theirs then.
    """

    halves: bool
    contradicts: bool


@dataclass(frozen=True)
class Result:
    """One case: its set, its fault (None: real against real), its cost, the keys of its findings,
    those that are right.

    firm : True if the first finding is not borderline, or there is none. flip : None if it was not
    looked for.
    """

    base: str
    fault: str | None
    n: int
    cost: float
    keys: tuple[str, ...]
    names: frozenset[str]
    firm: bool
    flip: Flip | None

    @property
    def first(self) -> str:
        return self.keys[0] if self.keys else "nothing"

    @property
    def right(self) -> bool:
        return self.first in self.names

    @property
    def opposite(self) -> bool:
        return self.fault is not None and bool(set(self.keys) & set(FAULTS[self.fault].opposite))

    @property
    def kind(self) -> str:
        return next((kind for kind in ("digits", "texts") if kind in self.base), "toys")


def faults_of(pair: SamplePair, seed: int = 0) -> tuple[TriageFinding, ...]:
    copies = memorisation(pair.real, pair.generated, held_out_distances(pair.real))
    return agreed_faults(halvings(pair, seed=seed), preflight(pair).facts, copies)


def flip(one: tuple[TriageFinding, ...], other: tuple[TriageFinding, ...]) -> Flip:
    """Whether the first of two lists' findings differ."""
    firsts = one[:1] + other[:1]
    differs = [each.key for each in one[:1]] != [each.key for each in other[:1]]
    return Flip(differs, differs and not any(each.borderline for each in firsts))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 10000])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--real", type=int, default=100)
    parser.add_argument("--flips", type=int, default=4)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--sets", nargs="+", default=list(BASES), choices=list(BASES))
    parser.add_argument("--record", action="store_true", help="append the tables to results/")
    choice = parser.parse_args()
    if choice.quick:
        choice.sets = list(BASES)[:2]
        choice.sizes = [500]
        choice.seeds = 1
        choice.real = 20
    report(run(choice), choice.record)


def run(choice: argparse.Namespace) -> list[Result]:
    """All cases, seed by seed, so that those that fit in the time are of all sets."""
    end = time.monotonic() + 60 * choice.minutes
    per = -(-choice.real // choice.seeds)
    jobs = [
        (
            base,
            n,
            seed,
            max(min(per, choice.real - turn * per), 0) * (turn % rarer(n, choice.part) == 0),
            choice.flips,
            choice.part / rarer(n, choice.part),
            end,
        )
        for turn, seed in enumerate(range(FIRST_SEED, FIRST_SEED + choice.seeds))
        for n in choice.sizes
        for base in choice.sets
        if BASES[base].most >= 2 * n + 300
    ]
    with ProcessPoolExecutor(choice.jobs) as pool:
        known = dict(zip(choice.sets, pool.map(strengths, choice.sets), strict=True))
        done = [part for part in pool.map(of_seed, jobs, [known[job[0]] for job in jobs]) if part]
    print(f"{len(done)} of {len(jobs)} seeds of a set and size", flush=True)
    return [result for part in done for result in part]


def rarer(n: int, part: float) -> int:
    """How many times fewer cases there are of this size where only a part is run: large ones take
    all the time.
    """
    return max(1, n // PLAIN) if part < 1 else 1


def strengths(base: str) -> dict[str, dict[float, float]]:
    """The strengths of all faults that a set can have."""
    return {
        name: graded(base, name, n=500, draws=1)
        for name, fault in FAULTS.items()
        if BASES[base].modes or not fault.needs_modes
    }


def of_seed(
    job: tuple[str, int, int, int, int, float, float], of: dict[str, dict[float, float]]
) -> list[Result]:
    """The cases of a set, a size and a seed, and as many of real against real; none after the
    end.
    """
    base, n, seed, real, every, part, end = job
    if time.monotonic() > end:
        return []
    warnings.simplefilter("ignore")
    results = []
    for turn in range(real):
        found = faults_of(planted(base, None, 0.0, n, seed + 1000 * turn))
        results.append(result(base, None, n, 0.0, found, frozenset(), None))
    for number, (fault, cost, pair, names) in enumerate(cases(base, of, n, seed, part)):
        found = faults_of(pair)
        turned = flip(found, faults_of(pair, 1)) if number % every == 0 else None
        results.append(result(base, fault, n, cost, found, names, turned))
    return results


def result(
    base: str,
    fault: str | None,
    n: int,
    cost: float,
    found: tuple[TriageFinding, ...],
    names: frozenset[str],
    turned: Flip | None,
) -> Result:
    firm = not found or not found[0].borderline
    return Result(base, fault, n, cost, tuple(each.key for each in found), names, firm, turned)


def cases(
    base: str, of_fault: dict[str, dict[float, float]], n: int, seed: int, part: float
) -> Iterator[tuple[str, float, SamplePair, frozenset[str]]]:
    """Faults at strengths that give other samples, this part of all: the name, the cost, the pair,
    the right names.
    """
    rng = np.random.default_rng((seed, n))
    plain = estimate(planted(base, None, 0.0, n, seed), "knn")["knn"].curve.auc
    seen = set()
    for fault, of in of_fault.items():
        for cost, strength in of.items():
            if rng.random() >= part:
                continue
            pair, names = planted_and_named(base, fault, strength, n, seed)
            if pair.generated.digest not in seen:
                seen.add(pair.generated.digest)
                own = cost if FAULTS[fault].free else plain - estimate(pair, "knn")["knn"].curve.auc
                yield fault, own, pair, names


def report(results: list[Result], keep: bool) -> None:
    """Print the tables; keep : record them."""
    lines: dict[str, dict[str, float | str]] = {}
    for title, tuned in (("other sets", False), ("sets that thresholds were chosen on", True)):
        part = [each for each in results if BASES[each.base].tuned == tuned]
        if not part:
            continue
        lines[f"all faults, {title}"] = summary(part)
        for kind in dict.fromkeys(each.kind for each in part):
            lines[f"{kind}, {title}"] = summary([each for each in part if each.kind == kind])
        for n in sorted({each.n for each in part}):
            lines[f"n = {n:,}, {title}"] = summary([each for each in part if each.n == n])
        for name in FAULTS:
            lines |= by_cost(f"{name}, {title}", [each for each in part if each.fault == name])
        print(*(f"opposite: {each}" for each in part if each.opposite), sep="\n")
        print(
            *(f"wrong: {each}" for each in part if each.cost >= COSTLY and not each.right), sep="\n"
        )
        for base in dict.fromkeys(each.base for each in part):
            print(base, summary([each for each in part if each.base == base]))
    for case, of in lines.items():
        print(f"{case:60} {of}")
        if keep:
            record("findings", case, figures=of)


def summary(part: list[Result]) -> dict[str, float | str]:
    """What is measured of all faults together."""
    real, faulty = (
        [each for each in part if (each.fault is None) == none] for none in (True, False)
    )
    costly = [each for each in faulty if each.cost >= COSTLY]
    turned = [each.flip for each in part if each.flip]
    return {
        "cases": len(faulty),
        "named right, cost ≥ 0.1": share(costly),
        "borderline": f"{sum(not each.firm for each in costly)} of {len(costly)}",
        "false alarms": f"{sum(bool(each.keys) for each in real)} of {len(real)}",
        "opposite": f"{sum(each.opposite for each in faulty)} of {len(faulty)}",
        "flips by the halves' seed": f"{sum(each.halves for each in turned)} of {len(turned)}",
        "contradictions": f"{sum(each.contradicts for each in turned)} of {len(turned)}",
    }


def by_cost(case: str, of: list[Result]) -> dict[str, dict[str, float | str]]:
    """The power of one fault by its cost, and what else costly cases were called."""
    if not of:
        return {}
    power: dict[str, float | str] = {
        f"cost {low:g} to {min(high, 1):g}": share([each for each in of if low <= each.cost < high])
        for low, high in BINS
    }
    wrong = Counter(each.first for each in of if each.cost >= COSTLY and not each.right)
    return {
        case: (
            power
            | {
                "else, cost ≥ 0.1": ", ".join(
                    f"{key} {times}" for key, times in wrong.most_common(4)
                )
            }
        )
    }


def share(results: list[Result]) -> str:
    """Share named right, and of how many."""
    return (
        f"{sum(each.right for each in results) / len(results):.2f} of {len(results)}"
        if results
        else ""
    )


if __name__ == "__main__":
    main()
