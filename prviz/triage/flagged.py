"""Flags of all checkpoints together: each kind once, with the checkpoints that it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from prviz.checks.flags import Finding
from prviz.checks.row_order import TOGETHER
from prviz.triage.finding import TriageFinding
from prviz.triage.measured import CheckpointOutcome

# Flags that findings of the same checkpoint say better, compared with what held-out real samples get.
_SAID_BY_FINDINGS = frozenset({"Duplicates inside the generated set", "Rows in both sets", "Norms", "Spread", TOGETHER})
# Said of all checkpoints by a note on its own.
_SAID_ELSEWHERE = frozenset({"Encoder", "Sizes", "These look swapped"})


def warnings_of(
    outcomes: Iterable[CheckpointOutcome], findings: Mapping[str, Sequence[TriageFinding]]
) -> tuple[Finding, ...]:
    """The warnings on these checkpoints, one of each kind, that no finding says of the same checkpoint.

    Where a kind does not concern all checkpoints alike its text names the first of them and the number of the others.
    """
    by_title: dict[str, list[tuple[str, Finding]]] = {}
    count = 0
    for outcome in outcomes:
        if not outcome.measured:
            continue
        count += 1
        name = outcome.checkpoint.name
        for flag in outcome.measured[0].flags:
            known = flag.title in _SAID_BY_FINDINGS and not flag.features and bool(findings.get(name))
            if flag.level == "warning" and flag.title not in _SAID_ELSEWHERE and not known:
                by_title.setdefault(flag.title, []).append((name, flag))
    found = []
    for listed in by_title.values():
        name, flag = listed[0]
        if len(listed) < count or len({each.text for _, each in listed}) > 1:
            more = f" and {len(listed) - 1:,} more" if len(listed) > 1 else ""
            flag = replace(flag, value_text=f"{name}{more}: {flag.value_text}")
        found.append(flag)
    return tuple(found)
