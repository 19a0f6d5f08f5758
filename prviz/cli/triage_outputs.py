"""What ``prviz triage`` writes: its text, reports, the best checkpoint's path, tracker files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from os.path import realpath
from pathlib import Path
from typing import Any

from prviz.curves.summaries import rounded_up
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.estimators import ESTIMATORS
from prviz.readers import ACCEPTED, ACCEPTED_TEXT
from prviz.readers.atomic_files import write_whole
from prviz.readers.errors import listed, one_line, printable
from prviz.reports.document import document
from prviz.reports.files import check_targets, write_reports
from prviz.reports.page import to_html
from prviz.reports.tables import is_table
from prviz.reports.trackers import (
    check_csv,
    log_csv,
    log_tensorboard,
    require_tensorboard,
    rows_of,
    steps_of,
)
from prviz.triage.classes import LEAST_OF_CLASS, ClassShare, class_sentence
from prviz.triage.decision import Judgement, told_apart
from prviz.triage.finding import nothing_text
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, ResultCache, TriageSettings
from prviz.triage.memorisation import memorised_text
from prviz.triage.ranking import GOALS, draws_text, marks, score, share_text
from prviz.triage.triage import TriageResults

STDOUT = Path("-")


def say(text: str) -> None:
    """Print one line on stderr."""
    sys.stderr.write(f"prviz: {one_line(text)}\n")
    sys.stderr.flush()


class TriageOutputs:
    """Writes the outputs of ``prviz triage`` that its options ask for.

    Raises ValueError at construction for outputs that can't be written, before any measurement.
    """

    def __init__(self, arguments: argparse.Namespace, settings: TriageSettings) -> None:
        self._arguments = arguments
        given: list[Path] = [
            *(arguments.report or []),
            *([] if arguments.json is None else [arguments.json]),
        ]
        self._reports = [path for path in given if path != STDOUT]
        self._said: str | None = None
        self.takes_stdout = STDOUT in given
        if given.count(STDOUT) > 1:
            raise ValueError(
                "--json - and --report - both write to standard output; give one of them a file"
            )
        if arguments.json not in (None, STDOUT) and arguments.json.suffix.lower() != ".json":
            raise ValueError(
                f"json = {str(arguments.json)!r}: its name must end in .json; - is standard output"
            )
        if arguments.metrics is not None:
            check_csv(arguments.metrics, settings.methods)
        if arguments.tensorboard is not None:
            require_tensorboard()
        if arguments.best_file is not None and not arguments.best_file.absolute().parent.is_dir():
            raise ValueError(f"best-file = {str(arguments.best_file)!r}: there is no folder for it")

    @property
    def has_reports(self) -> bool:
        """True if a report is asked for; reports need intervals of every number."""
        return bool(self._reports) or self.takes_stdout

    def check(self, checkpoints: Sequence[Checkpoint]) -> None:
        """Raise ValueError for outputs that would overwrite an input, and for steps no tracker
        accepts.
        """
        arguments = self._arguments
        others = [
            each
            for each in (arguments.metadata, arguments.metrics, arguments.holdout)
            if each is not None
        ]
        sources = [arguments.reference, *(each.path for each in checkpoints), *others]
        sources += self._samples()
        if self._reports:
            check_targets(self._reports, sources)
        if arguments.best_file is not None and realpath(arguments.best_file) in map(
            realpath, sources
        ):
            raise ValueError(
                f"best-file = {str(arguments.best_file)!r} would take the place of samples or of a"
                " table"
            )
        self._steps(checkpoints)

    def _samples(self) -> list[Path]:
        """Outputs that would take the place of a checkpoint: a given file, or a file of samples in
        a given folder.

        The table of an earlier report is no checkpoint, and may be replaced.
        """
        arguments = self._arguments
        sources = set(map(realpath, arguments.checkpoints))
        found = []
        for path in [*self._reports, arguments.best_file]:
            if path is None:
                continue
            where = Path(realpath(path))
            inside = str(where.parent) in sources and where.name.lower().endswith(ACCEPTED)
            if path != arguments.best_file and inside:
                inside = where.exists() and not is_table(where)
            if inside or str(where) in sources:
                found.append(path)
        return found

    def _steps(self, checkpoints: Sequence[Checkpoint]) -> Mapping[str, int]:
        if self._arguments.tensorboard is None and self._arguments.metrics is None:
            return {}

        found = steps_of(checkpoints)
        if found.left_out is not None and found.left_out != self._said:
            say(found.left_out)
            self._said = found.left_out
        return found.steps

    def write(
        self,
        found: TriageResults,
        text: str,
        *,
        store: ResultCache,
        total: int,
    ) -> None:
        """Write all outputs; the text goes to stderr if a report takes standard output.

        store : cache of results that reports may reuse. total : number of checkpoints, including
        those not measured yet. Raises OSError where a file can't be written.
        """
        (sys.stderr if self.takes_stdout else sys.stdout).write(text)
        arguments = self._arguments
        if steps := self._steps([each.checkpoint for each in found.outcomes]):
            rows = rows_of(found.outcomes, steps)
            for where, log in (
                (arguments.tensorboard, log_tensorboard),
                (arguments.metrics, log_csv),
            ):
                if where is not None:
                    new = len(log(where, rows))
                    there = "" if new == len(rows) else f", {len(rows) - new} were there already"
                    say(f"{where}: {new} new steps{there}")
        if self.has_reports:
            self._write_reports(found, store, total)
        if arguments.best_file is not None and found.judgement is not None:
            best = next(
                each
                for each in found.outcomes
                if each.checkpoint.name == found.judgement.decision.best
            )
            write_whole(
                Path(realpath(arguments.best_file)),
                f"{best.checkpoint.path}\n".encode(errors="surrogateescape"),
            )
        sys.stdout.flush()

    def _write_reports(self, found: TriageResults, store: ResultCache, total: int) -> None:
        arguments = self._arguments
        report = document(found, arguments.reference, store=store, total=total)
        if self._reports:
            write_reports(report, self._reports)
            say(f"wrote {', '.join(map(str, self._reports))}")
        if arguments.json == STDOUT:
            # One line per report, so that a reader of --watch's output can tell reports apart.
            sys.stdout.write(json.dumps(report, allow_nan=False) + "\n")
        elif self.takes_stdout:
            sys.stdout.write(to_html(report))


# Fewest classes listed for the checkpoint to take.
_CLASSES = 3
# Most characters of a checkpoint's name that are printed.
_LONGEST_NAME = 60


def triage_text(found: TriageResults, reference: str, notes: Iterable[str]) -> str:
    """All that ``prviz triage`` prints.

    reference : file name of the real samples. notes : sentences without a full stop.
    """
    copies = {one_line(name): each for name, each in found.memorisation.items()}
    parts = [memorised_text(copies)]
    judgement = found.judgement
    short = _short_names(found.outcomes)
    if judgement is not None:
        parts += [_verdict(judgement), _ranking(found, judgement, reference, short)]
        parts.append(_findings(found, judgement))
        for name in judgement.table["checkpoint"]:
            if name in found.classes:
                listed = _CLASSES if name == judgement.decision.best else 0
                parts.append(_classes(one_line(name), found.classes[name], listed))
    text = "\n\n".join(filter(None, parts))
    # Longer names are replaced first, so that no name is cut as a part of another.
    for name in sorted(short, key=len, reverse=True):
        text = text.replace(name, short[name])
    # Notes may have code with whole paths.
    below = [f"Note: {one_line(note)}." for note in notes]
    return "\n\n".join(filter(None, [text, *below, _failed(found.outcomes)])) + "\n"


def cut_name(name: str) -> str:
    """A name of at most 60 characters: a longer one is cut in the middle."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:27]}...{name[-30:]}"


def _short_names(outcomes: Sequence[CheckpointOutcome]) -> dict[str, str]:
    """Name -> its cut form, of names that are cut for printing; empty if two names would then be
    the same.
    """
    short: dict[str, str] = {}
    for each in outcomes:
        name = one_line(each.checkpoint.name)
        short[name] = cut_name(name)
    if len(set(short.values())) < len(short):
        return {}
    return {name: cut for name, cut in short.items() if cut != name}


def _failed(outcomes: Sequence[CheckpointOutcome]) -> str:
    """The files that could not be measured, and why; "" if there are none."""
    failed = [each for each in outcomes if each.reason is not None]
    if not failed:
        return ""
    lines = [f"Failed, {len(failed)} of {len(outcomes)}:"]
    for each in failed:
        lines.append(f"  {one_line(each.checkpoint.path)}: {one_line(each.reason)}")
        # code to convert the file: unindented, so that it can be pasted and run
        lines += map(printable, each.recipe)
    return "\n".join(lines)


def parts_text(folder: Path | None) -> str:
    """Sentence on a folder whose files may be parts of one set; "" if there is no such folder."""
    if folder is None:
        return ""
    return (
        f"each file of {one_line(folder)} is ranked as a checkpoint; if they are the parts of one"
        f" set, join them: numpy.save({f'{folder}.npy'!r}, prviz.read({str(folder)!r}).values)"
    )


def folders_text(skipped: Sequence[Path]) -> str:
    """Sentence on folders inside the given ones that were skipped; "" if there are none."""
    if not skipped:
        return ""
    names = listed((one_line(path.name) for path in skipped), most=5)
    return f"files in folders of a folder are left out, unless these are named too: {names}"


def left_out_text(skipped: Sequence[Path]) -> str:
    """Sentence on files of the given folders that are not samples; "" if there are none."""
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


def _ranking(
    found: TriageResults, judgement: Judgement, reference: str, short: Mapping[str, str]
) -> str:
    method = judgement.decision.basis.method
    of_method = [each for each in found.measured if each.method == method]
    parts = [
        _head(method, of_method, reference, found.goal),
        _table(found.outcomes, judgement, short),
    ]
    if judgement.table["best"].notna().any():
        parts.append(
            "draws: 95 % of the scores when the same samples are drawn again. best: share of the"
            " paired draws."
        )
    known = found.yardstick
    if known is not None:
        top = score(known.ceiling[method].curve, found.goal)
        floor = score(known.floor[method].curve, found.goal)
        parts.append(
            f"Real against real {top:.4f}: {known.source}. Floor {floor:.4f}: their features"
            " shuffled."
        )
    return "\n".join(parts)


def _head(method: str, measured: Sequence[MeasuredCheckpoint], reference: str, goal: float) -> str:
    """Title of a ranking: family, k, reference and goal."""
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


def _table(
    outcomes: Sequence[CheckpointOutcome], judgement: Judgement, short: Mapping[str, str]
) -> str:
    """The ranking as a table, with a row for each checkpoint.

    The metadata's columns follow the step. If the best classifier (tightest) ranks, only one other
    family has a column: the one that orders low scores, as the best classifier refutes the others.
    """
    extra = {each.checkpoint.name: each.checkpoint.extra for each in outcomes}
    more = list(dict.fromkeys(column for each in extra.values() for column in each))
    rows: list[tuple[str, ...]] = []
    remarks = [""]
    lines: list[dict[Any, Any]] = judgement.table.to_dict("records")
    for place, line in enumerate(lines, start=1):
        heads, cells = zip(
            *_row(place, line, extra[line["checkpoint"]], more, judgement), strict=True
        )
        cells = (cells[0], short.get(cells[1], cells[1]), *cells[2:])
        rows += [cells] if rows else [heads, cells]
        copied = (
            "copies the reference" if line["checkpoint"] in judgement.decision.memorised else ""
        )
        remarks.append(", ".join(filter(None, (copied, marks(judgement.decision.best, line)))))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = []
    for cells, remark in zip(rows, remarks, strict=True):
        shown = list(map(str.rjust, cells, widths))
        shown[1] = cells[1].ljust(widths[1])
        text.append("  ".join([*shown, remark]).rstrip())
    return "\n".join(text)


def _row(
    place: int,
    line: dict[Any, Any],
    extra: Mapping[str, float],
    more: Sequence[str],
    judgement: Judgement,
) -> list[tuple[str, str]]:
    """Column titles and cells of one checkpoint. more : names of the metadata's columns."""
    basis = judgement.decision.basis
    others = [basis.second] if basis.second else [n for n in judgement.scores if n != basis.method]
    name = line["checkpoint"]
    most = judgement.at_most.get(name)
    row = [("    ", str(place)), ("checkpoint", one_line(name)), ("step", _short(line["step"]))]
    row += [(one_line(column), _short(extra.get(column))) for column in more]
    row += [("score", f"{line['score']:.4f}"), ("draws", draws_text(line))]
    row += [
        ("at most", "" if most is None else rounded_up(most, 4)),
        ("best", share_text(line["best"])),
    ]
    for method in others:
        score = judgement.scores[method].get(name)
        title = one_line(ESTIMATORS[method].title)
        row.append((title, "-" if score is None else f"{score:.4f}"))
    if judgement.shares:
        row.append(("of real data", f"{100 * min(judgement.shares[name].share, 1.0):.0f} %"))
    return row


def _findings(found: TriageResults, judgement: Judgement) -> str:
    """What is wrong with each checkpoint, in the order of the ranking."""
    apart = told_apart(found.witnesses, found.findings)
    lines = ["What is wrong:"]
    nothing = []
    for name in judgement.table["checkpoint"]:
        shown = one_line(name)
        faults = found.findings.get(name)
        if faults is None:
            lines.append(f"  {shown}: its file has changed since it was measured, or can't be read")
        elif not faults and any(each.worse for each in found.classes.get(name, ())):
            lines.append(f"  {shown}: {nothing_text(differs=True)}, by class see below")
        elif not (faults or apart.get(name)):
            nothing.append(shown)
        lines += [f"  {shown}: {each.title}. {one_line(each.sentence)}" for each in faults or ()]
        given_away = found.witnesses.get(name)
        if given_away is not None and given_away["told_apart"]:
            said = one_line("; ".join(given_away["statements"]))
            lines.append(f"  {shown}: {GIVES_AWAY}: {said}.")
    if nothing:
        lines.append(f"  {nothing_text(differs=False)}: {', '.join(nothing)}")
    return "\n".join(lines)


def _classes(name: str, shares: Sequence[ClassShare], most: int) -> str:
    """Lines on the classes of one checkpoint: all that are worse than chance, and further ones up
    to ``most`` classes in all.
    """
    compared = []
    absent = []
    few = []
    for each in shares:
        if each.few:
            few.append(one_line(each.label))
        else:
            compared.append(each)
        if not each.others and not each.worse:
            absent.append(each)
    worse = sum(each.worse for each in shares)
    lines = [f"{name} by class, the worst first: {worse} of {len(compared)} are worse than chance"]
    listed = compared[: max(worse, most)]
    listed += [each for each in absent if each not in listed]
    lines += [f"  {one_line(class_sentence(each))}" for each in listed]
    if few and most:
        lines.append(f"  fewer than {LEAST_OF_CLASS} samples: {', '.join(dict.fromkeys(few))}")
    return "\n".join(lines)


def _short(value: float | None) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.10g}"
