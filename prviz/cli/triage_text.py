"""A triage as text: warning, verdict, one table with a column for each family, findings, notes, and what failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from prviz.readers.errors import one_line

if TYPE_CHECKING:
    from prviz.triage.classes import ClassShare
    from prviz.triage.decision import Judgement
    from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint
    from prviz.triage.run import TriageResults

# Classes of the checkpoint to take that are listed even where none is worse than chance.
_CLASSES = 3


def triage_text(
    found: TriageResults,
    reference: str,
    goal: float,
    notes: Iterable[str],
    classes: Mapping[str, Sequence[ClassShare]] = MappingProxyType({}),
) -> str:
    """The whole text.

    reference : name of its file. notes : sentences without a full stop. classes : by the
    checkpoint's name.
    """
    from prviz.triage.memorisation import memorised_text

    parts = []
    if warning := memorised_text(
        {one_line(name): each for name, each in found.memorisation.items()}
    ):
        parts.append(warning)
    if found.judgement is not None:
        parts += [
            _verdict(found.judgement),
            _ranking(found, found.judgement, reference, goal),
            _findings(found),
        ]
        for name in (each for each in found.judgement.table["checkpoint"] if each in classes):
            listed = _CLASSES if name == found.judgement.decision.best else 0
            parts.append(_classes(one_line(name), classes[name], listed))
    parts += [f"Note: {one_line(note)}." for note in notes]
    failed = [each for each in found.outcomes if each.reason is not None]
    if failed:
        lines = [f"  {one_line(each.checkpoint.path)}: {one_line(each.reason)}" for each in failed]
        parts.append("\n".join([f"Failed, {len(failed)} of {len(found.outcomes)}:", *lines]))
    return "\n\n".join(part for part in parts if part) + "\n"


def left_out_text(skipped: Sequence[Path]) -> str:
    """A sentence on the files of the folders that are no samples; "" without any."""
    from prviz.readers import ACCEPTED_TEXT
    from prviz.readers.errors import listed

    if not skipped:
        return ""
    number = "1 file is" if len(skipped) == 1 else f"{len(skipped)} files are"
    names = listed((one_line(path.name) for path in skipped), most=5)
    return f"{number} left out, as names of samples end in {ACCEPTED_TEXT}: {names}"


def _verdict(judgement: Judgement) -> str:
    decision = judgement.decision
    share = judgement.shares.get(decision.best)
    against = "" if share is None else f" {decision.best} {share.sentence}."
    return one_line(f"{decision.sentence}{against}")


def _ranking(found: TriageResults, judgement: Judgement, reference: str, goal: float) -> str:
    from prviz.triage.ranking import score

    method = judgement.decision.basis.method
    of_method = [
        each for outcome in found.outcomes for each in outcome.measured if each.method == method
    ]
    known = found.yardstick
    parts = [_head(method, of_method, reference, goal), _table(found.outcomes, judgement)]
    parts.append(
        "draws: 95 % of the scores when the same samples are drawn again. best: share of the paired"
        " draws."
    )
    if known is not None:
        top, floor = (score(each[method].curve, goal) for each in (known.ceiling, known.floor))
        parts.append(
            f"Real against real {top:.4f}: {known.source}. Floor {floor:.4f}: their features"
            " shuffled."
        )
    return "\n".join(parts)


def _head(method: str, measured: Sequence[MeasuredCheckpoint], reference: str, goal: float) -> str:
    """Title of a ranking: family, k, reference and goal."""
    from prviz.estimators import ESTIMATORS
    from prviz.triage.ranking import GOALS

    ks = sorted({each.k for each in measured if each.k is not None})
    if not ks:
        ks_text = ""
    elif len(ks) == 1:
        ks_text = f", k = {ks[0]}"
    else:
        ks_text = f", k = {ks[0]} to {ks[-1]}"
    against = f"{measured[0].n_real} samples of {one_line(reference)}"
    word = next((f" ({word})" for word, value in GOALS.items() if value == goal), "")
    return (
        f"{ESTIMATORS[method].title}{ks_text}, against {against}; best first for the goal"
        f" {goal:g}{word}"
    )


def _table(outcomes: Sequence[CheckpointOutcome], judgement: Judgement) -> str:
    """A line per checkpoint; columns of the metadata follow the step, those of other families the shares of draws.

    Beside the best classifier only the family that orders low scores has a column: it refutes the
    others.
    """
    from prviz.estimators import ESTIMATORS
    from prviz.triage.ranking import marks

    lines: list[dict[Any, Any]] = judgement.table.to_dict("records")
    names = [line["checkpoint"] for line in lines]
    extra = {each.checkpoint.name: each.checkpoint for each in outcomes}
    columns = [["", *(str(place) for place in range(1, len(lines) + 1))]]
    columns.append(["checkpoint", *map(one_line, names)])
    columns.append(["step", *(_short(line["step"]) for line in lines)])
    for column in dict.fromkeys(column for each in extra.values() for column in each.extra):
        columns.append(
            [one_line(column), *(_short(extra[name].extra.get(column)) for name in names)]
        )
    columns.append(["score", *(f"{line['score']:.4f}" for line in lines)])
    columns.append(["draws", *(f"{line['low']:.4f} to {line['high']:.4f}" for line in lines)])
    most = [judgement.at_most.get(name) for name in names]
    columns.append(["at most", *("" if each is None else f"{each:.4f}" for each in most)])
    columns.append(["best", *(_draws(line["best"]) for line in lines)])
    basis = judgement.decision.basis
    if basis.second is None:
        others = [name for name in judgement.scores if name != basis.method]
    else:
        others = [basis.second]
    for method in others:
        scores = (judgement.scores[method].get(name) for name in names)
        cells = ("-" if each is None else f"{each:.4f}" for each in scores)
        columns.append([one_line(ESTIMATORS[method].title), *cells])
    if judgement.shares:
        shares = (min(judgement.shares[name].share, 1.0) for name in names)
        columns.append(["of real data", *(f"{each:.0%}" for each in shares)])
    widths = [max(map(len, column)) for column in columns]
    widths[0] = max(widths[0], 4)
    remarks = [
        "",
        *(
            _remarks(marks(place, line), line, judgement)
            for place, line in enumerate(lines, start=1)
        ),
    ]
    rows = [
        "  ".join(
            [
                cell.ljust(width) if at == 1 else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
        )
        for row in zip(*columns, strict=True)
    ]
    return "\n".join(f"{row}  {remark}".rstrip() for row, remark in zip(rows, remarks, strict=True))


def _draws(share: float) -> str:
    """A share of draws, never 0 % or 100 %: draws are few."""
    if share < 0.01:
        return "<1%"
    if share > 0.99:
        return ">99%"
    return f"{share:.0%}"


def _remarks(text: str, line: dict[Any, Any], judgement: Judgement) -> str:
    copied = "copies the reference" if line["checkpoint"] in judgement.decision.memorised else ""
    return ", ".join(filter(None, (copied, text)))


def _findings(found: TriageResults) -> str:
    """What is wrong with each checkpoint, in the order of the ranking."""
    from prviz.diagnostics.witness import GIVES_AWAY

    if found.judgement is None:
        return ""
    lines = ["What is wrong:"]
    nothing = []
    for name in found.judgement.table["checkpoint"]:
        if (faults := found.findings.get(name)) is None:
            lines.append(
                f"  {one_line(name)}: its file has changed since it was measured, or can't be read"
            )
        elif not faults:
            nothing.append(one_line(name))
        lines += [
            f"  {one_line(name)}: {each.title}. {one_line(each.sentence)}" for each in faults or ()
        ]
        if (given_away := found.witnesses.get(name)) is not None and given_away["told_apart"]:
            said = one_line("; ".join(given_away["statements"]))
            lines.append(f"  {one_line(name)}: {GIVES_AWAY}: {said}.")
    if nothing:
        lines.append(f"  nothing found: {', '.join(nothing)}")
    return "\n".join(lines)


def _classes(name: str, shares: Sequence[ClassShare], most: int) -> str:
    """The classes of one checkpoint that are worse than chance, and so many at least."""
    from prviz.triage.classes import LEAST_OF_CLASS, class_sentence

    worse = [each for each in shares if each.worse]
    absent = [each for each in shares if not each.others and not each.worse]
    few = [one_line(each.label) for each in shares if each.few]
    lines = [
        f"{name} by class, the worst first: {len(worse)} of {len(shares) - len(few)} are worse than"
        " chance"
    ]
    compared = [each for each in shares if not each.few]
    listed = compared[: max(len(worse), most)]
    listed += [each for each in absent if each not in listed]
    lines += [f"  {one_line(class_sentence(each))}" for each in listed]
    if few and most:
        lines.append(f"  fewer than {LEAST_OF_CLASS} samples: {', '.join(dict.fromkeys(few))}")
    return "\n".join(lines)


def _short(value: float | None) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.10g}"
