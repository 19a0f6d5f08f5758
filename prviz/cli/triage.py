"""``prviz triage``: ranks many checkpoints against one reference, and lists the files that failed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz.cli.terminal import (
    ProgressLine,
    memory_size,
    neighbours,
    number,
    print_above,
    seed_number,
    split_share,
    watched,
)
from prviz.readers.errors import one_line

if TYPE_CHECKING:
    import pandas as pd

    from prviz.triage.inputs import Checkpoint
    from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings
    from prviz.triage.memorisation import Memorisation
    from prviz.triage.yardstick import Yardstick

# Options that the report sets, with their defaults.
_REPORTED: dict[str, Any] = {
    **dict.fromkeys(
        ("reference", "method", "key", "metadata", "out", "report", "tensorboard", "metrics", "scheduler", "holdout")
    ),
    **{"k": "sqrt", "split": 0.5, "seed": 0, "goal": 0.5, "equal_sizes": False},
}
# Most differences that are listed; the others are only counted.
_MOST_LISTED = 20


def again(arguments: argparse.Namespace) -> int:
    """Measure the report's checkpoints again. Returns 0 if all numbers are equal, else 1."""
    from prviz.reports.report_json import read_report
    from prviz.reports.rerun import rerun

    for name, usual in _REPORTED.items():  # options that would be ignored
        if getattr(arguments, name) != usual:
            option = "REFERENCE and CHECKPOINTS" if name == "reference" else f"--{name.replace('_', '-')}"
            raise ValueError(f"--rerun and {option} can't be given together; the report says all but where it is")
    report = read_report(arguments.rerun)
    with watched(None) as line:
        found = rerun(report, arguments.rerun.parent, memory_limit=arguments.memory_limit, progress=line)
    for note in found.notes:
        sys.stdout.write(f"Note: {one_line(note)}\n")
    if not found.differences:
        sys.stdout.write(f"all {found.numbers} numbers equal\n")
        return 0
    sys.stdout.write(f"of {found.numbers} numbers and the words between them, {found.different} differ:\n")
    for each in found.differences[:_MOST_LISTED]:
        sys.stdout.write(f"  {one_line(each)}\n")
    if (more := found.different - _MOST_LISTED) > 0:
        sys.stdout.write(f"  and {more} more\n")
    return 1


class _Instead(argparse.Action):
    """Option that makes other arguments optional."""

    def __init__(self, *args: Any, instead_of: Sequence[argparse.Action], **options: Any) -> None:
        super().__init__(*args, **options)
        self._instead_of = instead_of

    def __call__(self, _: Any, namespace: argparse.Namespace, values: Any, __: str | None = None) -> None:
        """Store the path and make the other arguments optional."""
        setattr(namespace, self.dest, values)
        for each in self._instead_of:
            each.required = False


class Outputs:
    """Files to write after the measurements. Raises ValueError at once for files that can't be written."""

    def __init__(
        self, arguments: argparse.Namespace, checkpoints: Sequence[Checkpoint], settings: TriageSettings
    ) -> None:
        self._arguments, self._settings = arguments, settings
        self._reports: list[Path] = arguments.report or []
        self._steps: dict[str, int] = {}
        if self._reports:
            from prviz.reports.files import check_targets

            others = [each for each in (arguments.metadata, arguments.metrics, arguments.holdout) if each is not None]
            check_targets(self._reports, [arguments.reference, *(each.path for each in checkpoints), *others])
        if arguments.tensorboard is None and arguments.metrics is None:
            return
        from prviz.reports.trackers import check_csv, require_tensorboard, steps_of

        if arguments.tensorboard is not None:
            require_tensorboard()
        if arguments.metrics is not None:
            check_csv(arguments.metrics, settings.methods)
        found = steps_of(checkpoints)
        self._steps = dict(found.steps)
        if found.left_out is not None:
            _say(found.left_out)

    def write(
        self,
        outcomes: Sequence[CheckpointOutcome],
        copies: Mapping[str, Memorisation],
        possible: Yardstick | None,
    ) -> None:
        """Write reports and summaries. Raises OSError where that fails."""
        arguments = self._arguments
        if self._steps:
            from prviz.reports.trackers import log_csv, log_tensorboard, rows_of

            rows = rows_of(outcomes, self._steps)
            for where, log in ((arguments.tensorboard, log_tensorboard), (arguments.metrics, log_csv)):
                if where is not None:
                    new = len(log(where, rows))
                    there = "" if new == len(rows) else f", {len(rows) - new} were there already"
                    _say(f"{where}: {new} new steps{there}")
        if self._reports:
            from prviz.reports.document import document
            from prviz.reports.files import write_reports
            from prviz.triage.measure import samples_at

            reference = samples_at(arguments.reference, self._settings)
            report = document(
                reference,
                arguments.reference,
                outcomes,
                self._settings,
                arguments.goal,
                memorisation=copies,
                yardstick=possible,
            )
            write_reports(report, self._reports)
            _say(f"wrote {', '.join(str(path) for path in self._reports)}")


def _say(text: str) -> None:
    sys.stderr.write(f"prviz: {one_line(text)}\n")


_TEXT = """Rank checkpoints against one set of real samples, best first, each with a 95 % interval. What was measured
once is kept and never measured again: a stopped run continues when the same command is given again."""

_EPILOG = """score: the area under the curve (AuC) where the goal is balanced; towards precision or recall, its half on
that side counts more. best: in how many of 200 resamplings of the evaluation samples, the same real ones for all, the
checkpoint is the best one. at most: the true score is not above it, with 95 % confidence.
Exit status: 0 all are ranked, 1 some files failed, 2 none could be measured. Of --rerun:
0 all numbers are equal, 1 some differ, 2 a file is missing or has other contents."""


def add_triage(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz triage``, and the function that runs it."""
    parser.description, parser.epilog = _TEXT, _EPILOG
    add = parser.add_argument
    reference = add("reference", type=Path, metavar="REFERENCE", help="file with the real samples")
    checkpoints = add(
        "checkpoints", type=Path, nargs="+", metavar="CHECKPOINTS", help="files with generated samples, or folders"
    )
    add("--out", type=Path, metavar="DIR", help="folder that keeps the results (default: a cache of limited size)")
    add("--method", action="append", metavar="NAME", help="family; repeat it or separate by commas (default: knn)")
    add("--k", type=neighbours, default="sqrt", help="neighbours: an integer, or sqrt for floor(sqrt(n)) (default)")
    add("--split", type=split_share, default=0.5, help="share that defines the classifiers, or none (default: 0.5)")
    add("--seed", type=seed_number, default=0, help="of split, equal sizes and resampling (default: 0)")
    add(
        "--goal",
        type=_goal,
        default="balanced",
        metavar="GOAL",
        help="precision, balanced, recall, or a number from 0 (precision) to 1 (recall) (default: balanced)",
    )
    add(
        "--holdout",
        type=Path,
        metavar="FILE",
        help="other real samples: the ceiling of every score, and what copies of the reference are compared with "
        "(default: two halves of the reference, and the reference itself)",
    )
    add("--key", metavar="NAME", help="array of the files that hold several")
    add("--equal-sizes", action="store_true", help="cut all sets, by the seed, to the size of the smallest")
    add(
        "--metadata",
        type=Path,
        metavar="CSV",
        help="table with a column file, and a column step or any other columns of numbers",
    )
    add(
        "--memory-limit",
        type=memory_size,
        default="1GB",
        metavar="SIZE",
        help="most memory above the samples: bytes, or a number of kB, MB, GB, KiB, MiB, GiB (default: 1GB)",
    )
    add("--scheduler", metavar="ADDRESS", help="measure on the workers of this Dask scheduler, tcp://host:8786")
    add(
        "--report",
        type=Path,
        action="append",
        metavar="FILE",
        help="write a report; its name ends in .html (a page that stands alone), .json (everything), .csv or .parquet "
        "(the numbers); repeat it for several",
    )
    add(
        "--rerun",
        type=Path,
        action=_Instead,
        instead_of=(reference, checkpoints),
        metavar="REPORT",
        help="instead of REFERENCE and CHECKPOINTS: measure the files of this report.json again, without kept "
        "results, and compare every number; opens the files that it names and never unpickles",
    )
    add(
        "--tensorboard",
        type=Path,
        metavar="DIR",
        help="append the summaries to TensorBoard event files, by step; a folder of their own, such as "
        "runs/today-prviz (extra prviz[tensorboard])",
    )
    add(
        "--metrics",
        type=Path,
        metavar="FILE.csv",
        help="append the summaries of new steps to a CSV for other trackers: a column step, one of each metric",
    )
    parser.set_defaults(run=_triage)


def _triage(arguments: argparse.Namespace) -> int:
    if arguments.rerun is not None:
        return again(arguments)
    from prviz.measure.workload import cut
    from prviz.studies.tasks import dask_executor
    from prviz.triage.inputs import checkpoints_of
    from prviz.triage.measure import measure_all, measure_elsewhere, samples_at
    from prviz.triage.measured import TriageSettings
    from prviz.triage.memorisation import held_out_distances, memorisation_of, memorised_text
    from prviz.triage.result_cache import ResultCache
    from prviz.triage.yardstick import yardstick

    methods = tuple(name for entry in arguments.method or ["knn"] for name in entry.split(","))
    settings = TriageSettings(
        methods,
        k=arguments.k,
        split=arguments.split,
        seed=arguments.seed,
        equal_sizes=arguments.equal_sizes,
        key=arguments.key,
    )
    if (
        arguments.out is not None
        and arguments.out.is_dir()
        and realpath(arguments.out) in map(realpath, arguments.checkpoints)
    ):
        raise ValueError(f"--out {arguments.out} is a folder of checkpoints, and results are .npz files; name another")
    others = [each for each in (arguments.reference, arguments.metrics, arguments.holdout) if each is not None]
    checkpoints = checkpoints_of(arguments.checkpoints, arguments.metadata, leave_out=others)
    outputs = Outputs(arguments, checkpoints, settings)
    store = ResultCache.cache() if arguments.out is None else ResultCache(arguments.out)
    scheduler, limit = arguments.scheduler, arguments.memory_limit
    reference = samples_at(arguments.reference, settings)
    holdout = None if arguments.holdout is None else samples_at(arguments.holdout, settings)
    held_out = held_out_distances(reference, holdout)
    with nullcontext() if scheduler is None else dask_executor(scheduler) as executor, watched(None) as line:
        if executor is None:
            outcomes = measure_all(reference, checkpoints, settings, store=store, memory_limit=limit, progress=line)
        else:
            outcomes = measure_elsewhere(
                arguments.reference, checkpoints, executor, settings, store=store, memory_limit=limit, progress=line
            )
        found = _collected(outcomes, len(checkpoints), line)
    place = {each: at for at, each in enumerate(checkpoints)}
    found.sort(key=lambda each: place[each.checkpoint])
    copies = memorisation_of(reference, found, settings, held_out)
    if warning := memorised_text({one_line(name): each for name, each in copies.items()}):
        sys.stdout.write(f"{warning}\n\n")
    measured = [each.measured[0] for each in found if each.measured]
    possible: Yardstick | None = None
    if measured:
        real, size = cut(reference, measured[0].n_real, settings.seed), max(each.n_generated for each in measured)
        try:
            possible = yardstick(real, settings, holdout, size=size, store=store, memory_limit=limit)
        except ValueError as error:
            _say(f"no ceiling: {error}")
    sys.stdout.write(_ranking(arguments.reference.name, found, settings, arguments.goal, possible))
    if store.trouble is not None:
        sys.stderr.write(f"prviz: {one_line(store.trouble)}; the next run measures again\n")
    outputs.write(found, copies, possible)
    failed = sum(each.reason is not None for each in found)
    return 2 if failed == len(found) else 1 if failed else 0


def _collected(outcomes: Iterator[CheckpointOutcome], total: int, line: ProgressLine | None) -> list[CheckpointOutcome]:
    """All outcomes, reported on stderr as they arrive."""
    found: list[CheckpointOutcome] = []
    try:
        for each in outcomes:
            found.append(each)
            areas = ", ".join(f"{one.method} {one.summaries['auc']:.4f}" for one in each.measured)
            outcome = f": AuC {areas}{'' if each.fresh else ' (kept)'}" if each.reason is None else " failed"
            print_above(line, f"{len(found)} of {total}: {one_line(each.checkpoint.name)}{outcome}")
    except KeyboardInterrupt:
        sys.stderr.write("\nprviz: stopped; results so far are kept, and the same command continues from there\n")
        raise
    return found


def _ranking(
    reference: str,
    outcomes: Sequence[CheckpointOutcome],
    settings: TriageSettings,
    goal: float,
    possible: Yardstick | None,
) -> str:
    """Text of the ranking by every family, a note on sizes, and the files that failed."""
    from prviz.triage.measure import other_encoders, unequal
    from prviz.triage.ranking import rank, verdict
    from prviz.triage.stability import least

    parts = []
    measured = [each for outcome in outcomes for each in outcome.measured]
    for name in settings.methods if measured else ():
        of_method = [each for each in measured if each.method == name]
        table = rank(of_method, goal, seed=settings.seed)
        extra = {each.checkpoint.name: each.checkpoint.extra for each in of_method}
        decision = verdict(table.assign(checkpoint=table["checkpoint"].map(one_line)), n=least(of_method))
        parts.append(f"{_head(name, of_method, reference, goal)}\n{decision}\n{_table(table, extra)}")
        if possible is not None:
            parts.append(_of_ceiling(possible, name, of_method, list(table["checkpoint"]), goal, settings.seed))
    if note := unequal(measured):
        parts.append(f"Note: {note} (--equal-sizes).")
    if note := other_encoders(measured):
        parts.append(f"Note: {one_line(note)}.")
    failed = [
        f"  {one_line(each.checkpoint.path)}: {one_line(each.reason)}" for each in outcomes if each.reason is not None
    ]
    if failed:
        parts.append("\n".join([f"Failed, {len(failed)} of {len(outcomes)}:", *failed]))
    return "\n\n".join(parts) + "\n"


def _of_ceiling(
    possible: Yardstick,
    method: str,
    measured: Sequence[MeasuredCheckpoint],
    names: Sequence[str],
    goal: float,
    seed: int,
) -> str:
    """Ceiling and floor in a line, and every checkpoint's share of the ceiling, best first."""
    from prviz.triage.ranking import score
    from prviz.triage.yardstick import shares_of_ceiling

    shares = shares_of_ceiling(measured, possible.ceiling[method], goal, seed)
    width = max(len(one_line(name)) for name in names)
    top, floor = score(possible.ceiling[method].curve, goal), score(possible.floor[method].curve, goal)
    lines = [f"Ceiling {top:.4f}: {possible.source}. Floor {floor:.4f}: their features shuffled. Share of the ceiling:"]
    for name in names:
        share = shares[name]
        between = f"[{share.low:.0%}, {share.high:.0%}]"
        lines.append(f"      {one_line(name).ljust(width)}  {share.share:4.0%}  {between:14}  {share.sentence}")
    return "\n".join(lines)


def _head(method: str, measured: Sequence[MeasuredCheckpoint], reference: str, goal: float) -> str:
    """Title of a ranking: family, k, reference and goal."""
    from prviz.estimators import ESTIMATORS
    from prviz.triage.ranking import GOALS

    ks = sorted({each.k for each in measured if each.k is not None})
    ks_text = "" if not ks else f", k = {ks[0]}" if len(ks) == 1 else f", k = {ks[0]} to {ks[-1]}"
    against = f"{measured[0].n_real} samples of {one_line(reference)}"
    word = next((f" ({word})" for word, value in GOALS.items() if value == goal), "")
    return f"{ESTIMATORS[method].title}{ks_text}, against {against}; best first for the goal {goal:g}{word}"


def _table(ranking: pd.DataFrame, extra: Mapping[str, Mapping[str, float]]) -> str:
    """Table of one line per checkpoint; columns of the metadata follow the step."""
    from prviz.triage.ranking import marks

    lines = ranking.to_dict("records")
    columns = [["checkpoint", *(one_line(line["checkpoint"]) for line in lines)]]
    columns.append(["step", *(_short(line["step"]) for line in lines)])
    for name in dict.fromkeys(name for known in extra.values() for name in known):
        columns.append([one_line(name), *(_short(extra[line["checkpoint"]].get(name)) for line in lines)])
    widths = [max(map(len, column)) for column in columns]
    names = [cell.ljust(widths[0]) for cell in columns[0]]
    others = [[cell.rjust(width) for cell in column] for column, width in zip(columns[1:], widths[1:], strict=True)]
    rows = [
        "  ".join([f"{'':>4}", names[0], *(column[0] for column in others), "score  95 % interval     at most   best"])
    ]
    for place, line in enumerate(lines, start=1):
        between = f"[{line['low']:.4f}, {line['high']:.4f}]"
        most = "" if line["at_most"] is None else f"{line['at_most']:.4f}"
        numbers = f"{line['score']:.4f}  {between}  {most:>7}  {line['best']:5.0%}"
        cells = [f"{place:>4}", names[place], *(column[place] for column in others), numbers, marks(place, line)]
        rows.append("  ".join(cells).rstrip())
    return "\n".join(rows)


def _short(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.10g}"


def _goal(text: str) -> float:
    from prviz.triage.ranking import GOALS

    value = GOALS.get(text, number(text))
    if 0 <= value <= 1:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is neither {', '.join(GOALS)} nor a number from 0 to 1")
