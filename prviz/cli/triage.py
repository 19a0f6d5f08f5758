"""``prviz triage``: ranks many checkpoints against one reference, and lists the files that failed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING

from prviz.cli.rerun import again
from prviz.cli.terminal import ProgressLine, memory_size, neighbours, number, seed_number, split_share, told, watched
from prviz.cli.triage_outputs import Outputs, add_outputs
from prviz.readers.errors import one_line
from prviz.triage.ranking import GOALS, marks

if TYPE_CHECKING:
    import pandas as pd

    from prviz.triage.inputs import Checkpoint
    from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings
    from prviz.triage.result_cache import ResultCache

__all__ = ["add_triage"]

_TEXT = """Rank checkpoints against one set of real samples, best first, each with a 95 % interval. What was measured
once is kept and never measured again: a stopped run continues when the same command is given again."""

_EPILOG = """score: the area under the curve (AuC) where the goal is balanced; towards precision or recall, its half on
that side counts more. best: in how many of 200 resamplings of the evaluation samples, the same real ones for all, the
checkpoint is the best one. Exit status: 0 all are ranked, 1 some files failed, 2 none could be measured. Of --rerun:
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
    add_outputs(parser, instead_of=(reference, checkpoints))
    parser.set_defaults(run=_triage)


def _triage(arguments: argparse.Namespace) -> int:
    if arguments.rerun is not None:
        return again(arguments)
    from prviz.triage.inputs import checkpoints_of
    from prviz.triage.measured import TriageSettings
    from prviz.triage.result_cache import ResultCache

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
    others = [each for each in (arguments.reference, arguments.metrics) if each is not None]
    checkpoints = checkpoints_of(arguments.checkpoints, arguments.metadata, leave_out=others)
    outputs = Outputs(arguments, checkpoints, settings)
    store = ResultCache.cache() if arguments.out is None else ResultCache(arguments.out)
    with _measuring(arguments, checkpoints, settings, store) as (outcomes, line):
        found = _collected(outcomes, len(checkpoints), line)
    place = {each: at for at, each in enumerate(checkpoints)}
    found.sort(key=lambda each: place[each.checkpoint])
    sys.stdout.write(_ranking(arguments.reference.name, found, settings, arguments.goal))
    if store.trouble is not None:
        sys.stderr.write(f"prviz: {one_line(store.trouble)}; the next run measures again\n")
    outputs.write(found)
    failed = sum(each.reason is not None for each in found)
    return 2 if failed == len(found) else 1 if failed else 0


@contextmanager
def _measuring(
    arguments: argparse.Namespace, checkpoints: Sequence[Checkpoint], settings: TriageSettings, store: ResultCache
) -> Iterator[tuple[Iterator[CheckpointOutcome], ProgressLine | None]]:
    """Outcomes as they arrive, from this machine or from Dask workers, and the progress line."""
    from prviz.studies.dask import dask_executor
    from prviz.triage.measure import measure_all, measure_elsewhere, samples_at

    address = arguments.scheduler
    with nullcontext() if address is None else dask_executor(address) as executor, watched(None) as line:
        limit = arguments.memory_limit
        if executor is None:
            reference = samples_at(arguments.reference, settings)
            outcomes = measure_all(reference, checkpoints, settings, store=store, memory_limit=limit, progress=line)
        else:
            outcomes = measure_elsewhere(
                arguments.reference, checkpoints, executor, settings, store=store, memory_limit=limit, progress=line
            )
        yield outcomes, line


def _collected(outcomes: Iterator[CheckpointOutcome], total: int, line: ProgressLine | None) -> list[CheckpointOutcome]:
    """All outcomes, reported on stderr as they arrive."""
    found: list[CheckpointOutcome] = []
    try:
        for each in outcomes:
            found.append(each)
            told(line, f"{len(found)} of {total}: {_outcome_line(each)}")
    except KeyboardInterrupt:
        sys.stderr.write("\nprviz: stopped; results so far are kept, and the same command continues from there\n")
        raise
    return found


def _outcome_line(outcome: CheckpointOutcome) -> str:
    """Line on a checkpoint that is done."""
    name = one_line(outcome.checkpoint.name)
    if outcome.reason is not None:
        return f"{name} failed"
    areas = ", ".join(f"{each.method} {each.summaries['auc']:.4f}" for each in outcome.measured)
    return f"{name}: AuC {areas}{'' if outcome.fresh else ' (kept)'}"


def _ranking(reference: str, outcomes: Sequence[CheckpointOutcome], settings: TriageSettings, goal: float) -> str:
    """Text of the ranking by every family, a note on sizes, and the files that failed."""
    from prviz.triage.measure import unequal
    from prviz.triage.ranking import rank

    parts = []
    measured = [each for outcome in outcomes for each in outcome.measured]
    for name in settings.methods if measured else ():
        of_method = [each for each in measured if each.method == name]
        table = rank(of_method, goal, seed=settings.seed)
        extra = {each.checkpoint.name: each.checkpoint.extra for each in of_method}
        parts.append(f"{_head(name, of_method, reference, goal)}\n{_table(table, extra)}")
    if note := unequal(measured):
        parts.append(f"Note: {note} (--equal-sizes).")
    failed = [
        f"  {one_line(each.checkpoint.path)}: {one_line(each.reason)}" for each in outcomes if each.reason is not None
    ]
    if failed:
        parts.append("\n".join([f"Failed, {len(failed)} of {len(outcomes)}:", *failed]))
    return "\n\n".join(parts) + "\n"


def _head(method: str, measured: Sequence[MeasuredCheckpoint], reference: str, goal: float) -> str:
    """Title of a ranking: family, k, reference and goal."""
    from prviz.estimators import ESTIMATORS

    ks = sorted({each.k for each in measured if each.k is not None})
    ks_text = "" if not ks else f", k = {ks[0]}" if len(ks) == 1 else f", k = {ks[0]} to {ks[-1]}"
    against = f"{measured[0].n_real} samples of {one_line(reference)}"
    word = next((f" ({word})" for word, value in GOALS.items() if value == goal), "")
    return f"{ESTIMATORS[method].title}{ks_text}, against {against}; best first for the goal {goal:g}{word}"


def _table(ranking: pd.DataFrame, extra: Mapping[str, Mapping[str, float]]) -> str:
    """Table of one line per checkpoint; columns of the metadata follow the step."""
    lines = ranking.to_dict("records")
    columns = [["checkpoint", *(one_line(line["checkpoint"]) for line in lines)]]
    columns.append(["step", *(_short(line["step"]) for line in lines)])
    for name in dict.fromkeys(name for known in extra.values() for name in known):
        columns.append([one_line(name), *(_short(extra[line["checkpoint"]].get(name)) for line in lines)])
    names, *others = [_aligned(column, left=at == 0) for at, column in enumerate(columns)]
    rows = ["  ".join([f"{'':>4}", names[0], *(column[0] for column in others), "score  95 % interval     best"])]
    for place, line in enumerate(lines, start=1):
        between = f"[{line['low']:.4f}, {line['high']:.4f}]"
        numbers = f"{line['score']:.4f}  {between}  {line['best']:5.0%}"
        cells = [f"{place:>4}", names[place], *(column[place] for column in others), numbers, marks(place, line)]
        rows.append("  ".join(cells).rstrip())
    return "\n".join(rows)


def _aligned(cells: Sequence[str], *, left: bool) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in cells]


def _short(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.10g}"


def _goal(text: str) -> float:
    value = GOALS.get(text, number(text))
    if 0 <= value <= 1:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is neither {', '.join(GOALS)} nor a number from 0 to 1")
