# ruff: noqa: T201 - a script that prints its figures
"""Findings measured like a classifier: faults of known kind and cost, and what `prviz.triage.findings` calls them.

    python -m tests.benchmarks.findings --quick                      minutes: two sets, n = 500, one seed
    python -m tests.benchmarks.findings [--sizes 500 1000 2000 10000] [--seeds 20] [--real 100] [--sets ...]   hours

Every fault of `tests.benchmarks.faults` is put into every set at up to five strengths, chosen so that they cost 0.02,
0.05, 0.1, 0.2 and 0.5 of the area under the curve of kNN at n = 800 (faults that cost no area: of these shares of the
samples). The cost of a case is that of its own samples: the area of real against real less that with the fault. A case
is named right if the first finding names its fault; the opposite of the truth counts wherever it is listed. Real
against real runs ``--real`` times per set and size. Flips: cases whose first finding is not the same for all seeds of
the bootstrap (every ``--flips``-th case by 3 seeds), and for another seed of the statistics' own halves and clusters.
Thresholds were chosen on the sets marked so, at other seeds than these; the other sets were not looked at.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from prviz.diagnostics.preflight import preflight
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from prviz.triage.findings import findings, named_faults
from prviz.triage.memorisation import held_out_distances, memorisation
from prviz.triage.pair_statistics import pair_statistics
from tests.benchmarks.faults import BASES, FAULTS, graded, planted
from tests.benchmarks.results import record

FIRST_SEED = 100
COSTLY = 0.1
BINS = ((0.0, 0.035), (0.035, 0.075), (0.075, 0.15), (0.15, 0.35), (0.35, 1.01))


@dataclass(frozen=True)
class Result:
    """One case: its set, its fault (None: real against real), its cost, and the keys of its findings in order."""

    base: str
    fault: str | None
    n: int
    cost: float
    keys: tuple[str, ...]

    @property
    def first(self) -> str:
        return self.keys[0] if self.keys else "nothing"

    @property
    def right(self) -> bool:
        return self.fault is not None and self.first in FAULTS[self.fault].named

    @property
    def opposite(self) -> bool:
        return self.fault is not None and bool(set(self.keys) & set(FAULTS[self.fault].opposite))


def keys_of(pair: SamplePair, seed: int = 0) -> tuple[str, ...]:
    copies = memorisation(pair.real, pair.generated, held_out_distances(pair.real))
    return tuple(fault.key for fault in named_faults(pair_statistics(pair, seed=seed), preflight(pair).facts, copies))


def flips(pair: SamplePair, seeds: int = 3) -> tuple[bool, bool]:
    """True where the first fault depends on the seed of the bootstrap, and on that of the halves and clusters."""
    measured = estimate(pair, "knn")["knn"]
    doubts = {"few", "outliers", "flat", "apart"}
    named = [
        next((each.key for each in findings(pair, measured, seed=seed, replicates=100) if each.key not in doubts), None)
        for seed in range(seeds)
    ]
    return len(set(named)) > 1, keys_of(pair)[:1] != keys_of(pair, 1)[:1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 10000])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--real", type=int, default=100)
    parser.add_argument("--flips", type=int, default=25)
    parser.add_argument("--sets", nargs="+", default=list(BASES), choices=list(BASES))
    parser.add_argument("--record", action="store_true", help="append the tables to results/")
    choice = parser.parse_args()
    if choice.quick:
        choice.sets, choice.sizes, choice.seeds, choice.real = list(BASES)[:2], [500], 1, 20
    warnings.simplefilter("ignore")  # mixtures that stop before they converge are what is wanted
    results, turned = run(choice)
    report(results, turned, choice.record)


def run(choice: argparse.Namespace) -> tuple[list[Result], list[tuple[bool, bool]]]:
    """All cases, and the flips of some of them."""
    results: list[Result] = []
    turned: list[tuple[bool, bool]] = []
    for base in choice.sets:
        faults = [name for name, fault in FAULTS.items() if BASES[base].modes or not fault.needs_modes]
        strengths = {name: graded(base, name, draws=2) for name in faults}
        for n in (n for n in choice.sizes if BASES[base].most >= 2 * n + 300):
            for seed in range(FIRST_SEED, FIRST_SEED + choice.real):
                results.append(Result(base, None, n, 0.0, keys_of(planted(base, None, 0.0, n, seed))))
            for seed in range(FIRST_SEED, FIRST_SEED + choice.seeds):
                for fault, cost, pair in cases(base, strengths, n, seed):
                    results.append(Result(base, fault, n, cost, keys_of(pair)))
                    if len(results) % choice.flips == 0:
                        turned.append(flips(pair))
        print(f"{base}: {len(results)} cases", flush=True)
    return results, turned


def cases(
    base: str, strengths: dict[str, dict[float, float]], n: int, seed: int
) -> Iterator[tuple[str, float, SamplePair]]:
    """Every fault at every strength that gives other samples: its name, its cost and the pair."""
    plain = estimate(planted(base, None, 0.0, n, seed), "knn")["knn"].curve.auc
    seen = set()
    for fault, of in strengths.items():
        for cost, strength in of.items():
            pair = planted(base, fault, strength, n, seed)
            if pair.generated.digest not in seen:
                seen.add(pair.generated.digest)
                yield fault, cost if FAULTS[fault].free else plain - estimate(pair, "knn")["knn"].curve.auc, pair


def report(results: list[Result], turned: list[tuple[bool, bool]], keep: bool) -> None:
    """Print the tables; keep : record them."""
    for title, tuned in (("sets that thresholds were chosen on", True), ("other sets", False)):
        part = [each for each in results if BASES[each.base].tuned == tuned]
        real, with_fault = ([each for each in part if (each.fault is None) == none] for none in (True, False))
        if not part:
            continue
        figures: dict[str, float | str] = {
            "cases": len(with_fault),
            "named right, cost ≥ 0.1": share([each for each in with_fault if each.cost >= COSTLY]),
            "false alarms": f"{sum(bool(each.keys) for each in real)} of {len(real)}",
            "opposite": f"{sum(each.opposite for each in with_fault)} of {len(with_fault)}",
        }
        if turned and not tuned:
            figures["flips by the bootstrap's seed, all sets"] = f"{sum(each[0] for each in turned)} of {len(turned)}"
            figures["by the halves' seed, all sets"] = f"{sum(each[1] for each in turned)} of {len(turned)}"
        lines = {f"all faults, {title}": figures}
        for name in FAULTS:
            lines |= by_cost(f"{name}, {title}", [each for each in with_fault if each.fault == name])
        for case, of in lines.items():
            print(f"{case:60} {of}")
            if keep:
                record("findings", case, figures=of)
        for place in dict.fromkeys((each.base, each.n) for each in with_fault):
            print(place, share([e for e in with_fault if (e.base, e.n) == place and e.cost >= COSTLY]))
        print(*(f"opposite: {each}" for each in with_fault if each.opposite), sep="\n")


def by_cost(case: str, of: list[Result]) -> dict[str, dict[str, float | str]]:
    """The power of one fault by its cost, and what else costly cases were called."""
    if not of:
        return {}
    power: dict[str, float | str] = {
        f"cost {low:g} to {min(high, 1):g}": share([each for each in of if low <= each.cost < high])
        for low, high in BINS
    }
    wrong = Counter(each.first for each in of if each.cost >= COSTLY and not each.right)
    return {case: power | {"else, cost ≥ 0.1": ", ".join(f"{key} {times}" for key, times in wrong.most_common(4))}}


def share(results: list[Result]) -> str:
    """Share named right, and of how many."""
    return f"{sum(each.right for each in results) / len(results):.2f} of {len(results)}" if results else ""


if __name__ == "__main__":
    main()
