"""Flags of all checkpoints together: each kind once, with the checkpoints that it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from prviz.checks.finding import Finding, Findings
from prviz.checks.row_order import TOGETHER
from prviz.quoting import first_names
from prviz.triage.finding import TriageFinding
from prviz.triage.measured import CheckpointOutcome

# Titles of flags that are left out where a checkpoint has findings, since findings compare it with
# held-out real samples.
_SAID_BY_FINDINGS = frozenset(
    {"Duplicates inside the generated set", "Rows in both sets", "Norms", "Spread", TOGETHER}
)
# Keys of findings after which the flags in _SAID_BY_FINDINGS are not left out.
_OF_FEW = frozenset({"few", "outliers"})
# Titles of flags that notes on all checkpoints together replace.
_SAID_ELSEWHERE = frozenset({"Encoder", "Sizes", "These look swapped"})


# Titles of flags that concern the reference, whatever is compared with it.
_OF_REFERENCE = frozenset({"Duplicates inside the real set", "Feature scales"})


def own_warnings(
    outcome: CheckpointOutcome, findings: Mapping[str, Sequence[TriageFinding]]
) -> list[Finding]:
    """The flags of level "warning" on a checkpoint, without those that a finding on it, or a note
    on all checkpoints, replaces.
    """
    if not outcome.measured:
        return []
    said = findings.get(outcome.checkpoint.name, ())
    known = any(each.key not in _OF_FEW for each in said)
    return [
        flag
        for flag in outcome.measured[0].flags
        if flag.level == "warning"
        and flag.title not in _SAID_ELSEWHERE
        and not (known and flag.title in _SAID_BY_FINDINGS and not flag.features)
    ]


def by_checkpoint(
    outcomes: Iterable[CheckpointOutcome], findings: Mapping[str, Sequence[TriageFinding]]
) -> tuple[Findings, dict[str, Findings]]:
    """Warnings on the reference or on all checkpoints alike; and by its name, further warnings on
    each checkpoint.
    """
    own = {each.checkpoint.name: own_warnings(each, findings) for each in outcomes if each.measured}
    everywhere = set[str]()
    if len(own) > 1:
        everywhere = set.intersection(*({flag.line for flag in flags} for flags in own.values()))
    shared = dict[str, Finding]()
    alone = dict[str, Findings]()
    for name, flags in own.items():
        rest = []
        for flag in flags:
            if (
                flag.title in _OF_REFERENCE
                or flag.value_text.startswith("the real set")
                or flag.line in everywhere
            ):
                shared.setdefault(flag.line, flag)
            else:
                rest.append(flag)
        alone[name] = tuple(rest)
    return tuple(shared.values()), alone


def warnings_of(
    outcomes: Iterable[CheckpointOutcome], findings: Mapping[str, Sequence[TriageFinding]]
) -> Findings:
    """The `own_warnings` of all checkpoints, one of each kind.

    Unless a kind concerns all checkpoints alike, it names the first checkpoint and the number of
    further ones.
    """
    by_title: dict[str, list[tuple[str, Finding]]] = {}
    count = 0
    for outcome in outcomes:
        count += bool(outcome.measured)
        for flag in own_warnings(outcome, findings):
            by_title.setdefault(flag.title, []).append((outcome.checkpoint.name, flag))
    found = []
    for listed in by_title.values():
        flag = listed[0][1]
        if len(listed) < count or len({each.text for _, each in listed}) > 1:
            names = first_names([name for name, _ in listed], 1)
            flag = replace(flag, value_text=f"{names}: {flag.value_text}")
        found.append(flag)
    return tuple(found)
