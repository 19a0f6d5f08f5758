"""``prviz triage``: ranks many checkpoints against one reference; lists files that failed."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from prviz.cli.embed import add_pictures, embed_arguments
from prviz.cli.terminal import (
    ProgressLine,
    add_columns,
    add_device,
    memory_size,
    neighbours,
    number,
    print_above,
    say_flags,
    say_notes,
    seed_number,
    split_share,
    watched,
)
from prviz.cli.triage_outputs import (
    TriageOutputs,
    cut_name,
    folders_text,
    left_out_text,
    parts_text,
    say,
    triage_text,
)
from prviz.curves.summaries import SUMMARIES
from prviz.estimators import DEFAULT_METHODS, verdict_methods
from prviz.measure.estimates import Progress
from prviz.missing import require
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import part_of, return_large_arrays
from prviz.quoting import every_name
from prviz.readers import TABLES, ReadError, kind_of, read
from prviz.readers.errors import one_line
from prviz.reports.report_json import read_report
from prviz.reports.rerun import rerun
from prviz.studies.tasks import dask_executor
from prviz.triage.classes import class_shares, labels_of
from prviz.triage.decision import summaries_of_one
from prviz.triage.elsewhere import measure_elsewhere
from prviz.triage.flagged import warnings_of
from prviz.triage.inputs import (
    PAUSE,
    ArrivalWatch,
    Checkpoint,
    FileState,
    PicturesError,
    checkpoints_of,
    folder_of_parts,
    holds_samples,
    is_still,
    skipped_files,
    skipped_folders,
)
from prviz.triage.measure import (
    UNEVEN,
    CheckpointEvaluator,
    other_encoders,
    same_samples,
    samples_at,
    set_size,
    set_sizes,
    unequal,
)
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from prviz.triage.ranking import GOALS
from prviz.triage.triage import Triage, TriageResults, fewer_rows

if TYPE_CHECKING:
    # A file of a watched folder, with the state (size, times) that it had once it was complete.
    File: TypeAlias = tuple[Path, FileState]

# Libraries that triage needs beyond the three that prviz always needs.
NEEDED = ("pandas", "sklearn")
# With --watch, number of newly measured files after which the reports are rewritten: at least
# _FIRST, and a quarter of the files measured before. So all rewritings together take at most about
# five times as long as the last one.
_FIRST = 4
_AT_A_TIME = 4
# Reports are also rewritten, with fewer new files, once _PERIOD seconds have passed since the last
# rewriting, and _WRITINGS times as long as that took.
_PERIOD = 10.0
_WRITINGS = 4.0
# Most files still being written that get a line each; more files share one line.
_MOST_WAITING = 5
# Most differences that --rerun lists; it counts the others.
_MOST_LISTED = 20


def again(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Measure the checkpoints of a report again; return 0 if all numbers are equal, else 1."""
    usual = parser.parse_args(["--rerun", str(arguments.rerun)])
    for name, value in vars(usual).items():  # refuse options that --rerun would ignore
        given = getattr(arguments, name)
        if given == value or name in ("memory_limit", "distances_on"):
            continue
        option = f"--{name.replace('_', '-')}"
        if name in ("reference", "checkpoints"):
            option = "REFERENCE and CHECKPOINTS"
        elif name == "equal_sizes" and not given:
            option = "--all-rows"
        raise ValueError(
            f"--rerun and {option} can't be given together; the report holds all other settings"
        )
    report = read_report(arguments.rerun)
    with watched(None) as line:
        found = rerun(
            report, arguments.rerun.parent, memory_limit=arguments.memory_limit, progress=line
        )
    for note in found.notes:
        sys.stdout.write(f"Note: {one_line(note)}\n")
    if not found.differences:
        sys.stdout.write(f"all {found.numbers} numbers equal\n")
        return 0
    sys.stdout.write(
        f"of {found.numbers} numbers and the words between them, {found.different} differ:\n"
    )
    for each in found.differences[:_MOST_LISTED]:
        sys.stdout.write(f"  {one_line(each)}\n")
    if (more := found.different - _MOST_LISTED) > 0:
        sys.stdout.write(f"  and {more} more\n")
    return 1


class _Instead(argparse.Action):
    """Option that makes some required arguments optional: with --rerun, REFERENCE and CHECKPOINTS
    can be left out.
    """

    def __init__(self, *args: Any, instead_of: Sequence[argparse.Action], **options: Any) -> None:
        super().__init__(*args, **options)
        self._instead_of = instead_of

    def __call__(
        self, _: Any, namespace: argparse.Namespace, values: Any, __: str | None = None
    ) -> None:
        """Store the path, and make the arguments that this option replaces optional."""
        setattr(namespace, self.dest, values)
        for each in self._instead_of:
            each.required = False


_TEXT = """Rank checkpoints against one set of real samples, best first, and say which may be best.
What was measured once is kept and never measured again: a stopped run continues when the same
command is given again."""

_EPILOG = """score: the area under the curve (AuC) where the goal is balanced; towards precision or
recall, its half on that side counts more. Scores are by the best classifier, unless families are
named; below 0.1 a checkpoint is told from real samples, and kNN orders these, behind all others.
draws: 95 % of the scores when the same samples are drawn again, 200 times; the true score need not
lie there. best: in how many of these, the same real ones drawn for all, the checkpoint is the best
one. at most: the true score is not above it, with 95 % confidence. of real data: share of what real
samples get against real ones.
Exit status: 0 all are ranked, 1 some files failed, 2 none could be measured or the arguments are
wrong, 3 --fail-under was not reached, 130 interrupted. Of --rerun: 0 all numbers are equal, 1 some
differ, 2 a file is missing or has other contents."""


def add_triage(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz triage``, and the function that runs it."""
    parser.description = _TEXT
    parser.epilog = _EPILOG
    add = parser.add_argument
    reference = add(
        "reference",
        type=Path,
        metavar="REFERENCE",
        help="file with the real samples, or their pictures",
    )
    checkpoints = add(
        "checkpoints",
        type=Path,
        nargs="+",
        metavar="CHECKPOINTS",
        help="files with generated samples, or folders",
    )
    add_pictures(parser)
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder that keeps the results (default: a cache of limited size)",
    )
    add(
        "--method",
        action="append",
        metavar="NAME",
        help="family; repeat it or separate by commas (default: tightest,knn,kde,ipr,coverage)",
    )
    add(
        "--k",
        type=neighbours,
        default="sqrt",
        help="neighbours: an integer, or sqrt for floor(sqrt(n)) (default)",
    )
    add(
        "--split",
        type=split_share,
        default=0.5,
        help="share of each set that defines the classifiers, or none (default: 0.5)",
    )
    add(
        "--seed",
        type=seed_number,
        default=0,
        help="seed of the split, of equal sizes and of resampling (default: 0)",
    )
    add(
        "--goal",
        type=_goal,
        default="balanced",
        metavar="GOAL",
        help=(
            "goal of the ranking: precision, balanced, recall, or a number from 0 (precision) to 1"
            " (recall) (default: balanced)"
        ),
    )
    add(
        "--holdout",
        type=Path,
        metavar="FILE",
        help=(
            "other real samples: what a score can reach, and what copies of the reference are"
            " compared with (default: two halves of the reference, and the reference itself)"
        ),
    )
    add("--key", metavar="NAME", help="name of the array, if files hold several")
    add_columns(parser)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument(
        "--equal-sizes",
        action="store_true",
        default=None,
        help=(
            "cut all sets, by the seed, to the size of the smallest (default: where sizes differ"
            " more than twofold)"
        ),
    )
    sizes.add_argument(
        "--all-rows",
        dest="equal_sizes",
        action="store_false",
        default=None,
        help="measure all samples of every set",
    )
    add(
        "--by",
        metavar="LABEL",
        help=(
            "also compare class by class, the worst first: by a column of the reference's table,"
            " such as label, or an array of its .npz"
        ),
    )
    add(
        "--watch",
        action="store_true",
        help=(
            "go on until Ctrl-C: measure every new file of the folders once it is complete, and"
            " write the reports again"
        ),
    )
    add(
        "--metadata",
        type=Path,
        metavar="CSV",
        help="table about the checkpoints: a column file, and step or any other columns of numbers",
    )
    add(
        "--memory-limit",
        type=memory_size,
        default="1GB",
        metavar="SIZE",
        help=(
            "most memory to use besides the samples: bytes, or a number of kB, MB, GB, KiB, MiB,"
            " GiB (default: 1GB)"
        ),
    )
    add_device(parser)
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="measure on the workers of this Dask scheduler, tcp://host:8786",
    )
    _add_reports(add)
    add(
        "--rerun",
        type=Path,
        action=_Instead,
        instead_of=(reference, checkpoints),
        metavar="REPORT",
        help=(
            "instead of REFERENCE and CHECKPOINTS: measure the files of this report.json again,"
            " without kept results, and compare every number; opens the files that it names and"
            " never unpickles"
        ),
    )
    _add_trackers(add)
    parser.set_defaults(run=partial(_triage, parser))


def _add_reports(add: Callable[..., Any]) -> None:
    add(
        "--report",
        type=Path,
        action="append",
        metavar="FILE",
        help=(
            "write a report; its name ends in .html (a page that stands alone), .json (everything),"
            " .csv or .parquet (the numbers); - is the page on standard output; repeat it for"
            " several"
        ),
    )
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help=(
            "write everything as JSON; - is one line on standard output, the text then goes to"
            " standard error"
        ),
    )
    add(
        "--best-file",
        type=Path,
        metavar="FILE",
        help="write the path of the checkpoint to take into this file",
    )
    add(
        "--fail-under",
        type=_least,
        action="append",
        metavar="NAME=VALUE",
        help=(
            "exit with status 3 if the checkpoint to take has less, or copies the reference: AUC,"
            " score, ceiling (share of what real samples get), or another summary, such as"
            " f8_recall; repeat it for several"
        ),
    )


def _add_trackers(add: Callable[..., Any]) -> None:
    add(
        "--tensorboard",
        type=Path,
        metavar="DIR",
        help=(
            "append the summaries to TensorBoard event files, by step; a folder of their own, such"
            " as runs/today-prviz (extra prviz[tensorboard])"
        ),
    )
    add(
        "--metrics",
        type=Path,
        metavar="FILE.csv",
        help=(
            "append the summaries of new steps to a CSV for other trackers: a column step, one of"
            " each metric"
        ),
    )


# Number of files of a folder that are searched for samples: a set in parts has samples among its
# first files, a folder of pictures has none.
_MOST_FILES = 1_000


def _triage(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:

    require(NEEDED, "prviz triage")
    if arguments.rerun is not None:
        return again(arguments, parser)
    if arguments.watch and arguments.scheduler is not None:
        raise ValueError(
            "--watch and --scheduler can't be given together; watching measures on this machine"
        )
    if arguments.distances_on is not None and arguments.scheduler is not None:
        raise ValueError(
            "--device and --scheduler can't be given together; workers measure on their processors"
        )
    if arguments.encoder is not None:
        if arguments.watch:
            raise ValueError(
                "--watch and --encoder can't be given together; watch a folder of files of prviz"
                " embed"
            )
        embed_arguments(arguments)
    elif arguments.reference.is_dir() and not holds_samples(arguments.reference, _MOST_FILES):
        raise ValueError(
            f"{arguments.reference}: a folder; name a file of features, or embed folders of"
            f" pictures on the way: {_on_the_way(arguments, 'pixels:32')} (prviz embed --list shows"
            " other encoders)"
        )
    # The user who lowers the limit wants little memory rather than speed, so freed arrays are
    # returned to the system.
    if arguments.memory_limit < MEMORY_LIMIT:
        return_large_arrays()
    triage = TriageCommand(arguments)
    if arguments.watch:
        return triage.watch()
    return triage.once()


class _GoneError(Exception):
    """A file of a watched folder that the last report includes is gone."""


def _on_the_way(arguments: argparse.Namespace, encoder: str) -> str:
    """A ``prviz triage`` command that embeds the pictures of these arguments and compares the
    features.
    """
    paths = map(str, (arguments.reference, *arguments.checkpoints))
    return f"{shlex.join(['prviz', 'triage', *paths])} --encoder {encoder}"


def _with_encoder(arguments: argparse.Namespace) -> str:
    """The command of `_on_the_way`, with the encoder that made the reference.

    The encoder is named if the reference's file names it and it needs no weights; else the user has
    to fill it in.
    """
    try:
        encoder = read(arguments.reference, key=arguments.key).encoder
    except (ReadError, OSError):
        encoder = {}
    if encoder and not encoder.get("weights_sha256"):
        return _on_the_way(arguments, shlex.quote(encoder["encoder"]))
    return f"{_on_the_way(arguments, 'ENCODER')}, the one that made {arguments.reference}"


class TriageCommand:
    """The files and settings of one ``prviz triage`` command line.

    Raises ValueError, before any measurement, for options that are impossible together.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        out = arguments.out
        methods = arguments.method or (
            DEFAULT_METHODS if arguments.split is None else verdict_methods()
        )
        self.settings = TriageSettings(
            tuple(name for entry in methods for name in entry.split(",")),
            k=arguments.k,
            split=arguments.split,
            seed=arguments.seed,
            equal_sizes=bool(arguments.equal_sizes),
            key=arguments.key,
            features=tuple(arguments.features),
            drop=self._no_features(),
            group=arguments.group,
        )
        if (
            out is not None
            and out.is_dir()
            and realpath(out) in map(realpath, arguments.checkpoints)
        ):
            raise ValueError(
                f"--out {out} is a folder of checkpoints, and results are .npz files; name another"
            )
        self.outputs = TriageOutputs(arguments, self.settings)
        self.store = ResultCache.cache() if out is None else ResultCache(out)
        self._known: dict[File, CheckpointOutcome] = {}
        self._evaluator: CheckpointEvaluator | None = None
        # Number of complete files that are not measured yet.
        self._left = 0
        # Files that the last report includes.
        self._written: set[File] = set()
        # Time at which `_check` last looked for files that are gone.
        self._checked = 0.0
        # Time after which reports are written again.
        self._due = time.monotonic() + _PERIOD
        self._sizes: dict[File, int | None] = {}

    def _no_features(self) -> tuple[str, ...]:
        """Columns that are not features: those that the user drops, and the column of --by."""
        arguments = self.arguments
        by = arguments.by
        if by is None or by in arguments.drop or kind_of(arguments.reference.name) not in TABLES:
            return tuple(arguments.drop)
        return (*arguments.drop, by)

    def once(self) -> int:
        """Measure all checkpoints, and return the exit status."""
        checkpoints = self._checkpoints()
        self.outputs.check(checkpoints)
        self.triage = self._read()
        if self.arguments.by is not None:
            labels_of(self.triage.reference, self.arguments.reference, self.arguments.by)
        say_notes([self.triage.reference])
        notes, n = self._sized(checkpoints)
        with closing(self.triage):
            found = self._measured(checkpoints, n)

            def keep(progress: Progress) -> None:
                for outcome in found:
                    progress(0.0)
                    self.triage.keep_draws(outcome, progress)

            meanwhile = None
            if self.outputs.has_reports:
                meanwhile = keep
            return self._present(found, notes, meanwhile=meanwhile)

    def _measured(self, checkpoints: Sequence[Checkpoint], n: int) -> list[CheckpointOutcome]:
        """Outcomes of all checkpoints against n real samples, measured here or on Dask workers."""
        arguments = self.arguments
        scheduler = arguments.scheduler
        total = len(checkpoints)
        outcomes: Iterator[CheckpointOutcome]
        with (
            nullcontext() if scheduler is None else dask_executor(scheduler) as executor,
            watched(None) as line,
        ):
            if executor is None:
                evaluator = self.triage.evaluator(n, beside=True)
                outcomes = (
                    evaluator.outcome(each, part_of(line, place, total))
                    for place, each in enumerate(checkpoints)
                )
            else:
                outcomes = measure_elsewhere(
                    self.triage,
                    checkpoints,
                    executor,
                    reference=arguments.reference,
                    holdout=arguments.holdout,
                    progress=line,
                )
            found = _collected(outcomes, total, line)
        place = {each: at for at, each in enumerate(checkpoints)}
        return sorted(found, key=lambda each: place[each.checkpoint])

    def watch(self) -> int:
        """Measure the files that exist and those that arrive, until Ctrl-C.

        Returns the exit status of the last report.
        """
        arrivals = ArrivalWatch()
        self.triage = self._read()
        status = 2
        before: dict[File, Checkpoint] = {}
        waited: dict[Path, str] = {}
        say("watching; Ctrl-C ends it")
        try:
            while True:
                try:
                    there = self._checkpoints()
                    nothing = ""
                # There is no file yet, or a metadata table is still being written.
                except ValueError as error:
                    there = []
                    nothing = str(error)
                look = arrivals.look(each.path for each in there)
                if nothing:
                    waiting = {self.arguments.checkpoints[0]: nothing}
                else:
                    waiting = dict(look.waiting)
                _say_waiting(
                    {path: reason for path, reason in waiting.items() if waited.get(path) != reason}
                )
                now = {
                    (each.path, look.complete[each.path]): each
                    for each in there
                    if each.path in look.complete
                }
                if now and (now != before or self._left):
                    self.outputs.check(list(now.values()))
                    try:
                        status = self._update(now)
                    except _GoneError:  # the next round finds out which file is gone
                        now = {}
                elif before and not now:
                    say("no checkpoint is left; the reports are of files that are gone")
                    self._known = {}
                    self._left = 0
                    status = 2
                    self._written = set()
                before = now
                waited = waiting
                if not self._left:
                    time.sleep(PAUSE)
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            return status
        finally:
            self.triage.close()

    def _update(self, files: Mapping[File, Checkpoint]) -> int:
        """Measure some of the new files among the complete ones, then report on all measured files.

        The number of new files per round grows with the number of known ones: the first reports
        come soon, and rewriting them takes a bounded share of the time. Raises _GoneError as soon
        as a file that the last report includes is gone.
        """
        notes, n = self._sized_as_known(files)
        evaluator = self._evaluator
        if evaluator is None or (evaluator.reference.n, evaluator.settings) != (
            n,
            self.triage.settings,
        ):
            evaluator = self._evaluator = self.triage.evaluator(n, beside=True)
            self._known = {}
        self._known = {file: outcome for file, outcome in self._known.items() if file in files}
        new = [file for file in files if file not in self._known]
        self._left = len(new)
        remaining = self._written & self._known.keys()
        if new and remaining and remaining < self._written:
            # Only measured files are left of the last report. Write it again at once: a file that
            # is gone must not stay in it until the next files are measured.
            self._report(files, remaining, notes)
        portion = max(_FIRST, len(self._known) // _AT_A_TIME) - len(
            self._known.keys() - self._written
        )
        for file in new[: max(portion, 0)]:
            if time.monotonic() >= self._due and not self._known.keys() <= self._written:
                break
            self._left -= 1
            outcome = evaluator.outcome(files[file], self._check)
            if outcome.reason is not None and not is_still(*file):
                # the file is being written again: the next round waits until it is complete
                continue
            if self.outputs.has_reports:
                self.triage.keep_draws(outcome, self._check)
            self._known[file] = outcome
            print_above(None, f"new: {_outcome_text(outcome)}")
        if not self._known:
            return 2
        if self._left:
            say(f"{len(self._known)} of {len(self._known) + self._left} measured so far")
        return self._report(files, set(self._known), notes)

    def _report(
        self, files: Mapping[File, Checkpoint], counted: set[File], notes: Sequence[str]
    ) -> int:
        """Write reports on those files in ``files`` that are also in ``counted``; return the exit
        status.
        """
        self._written &= counted
        began = time.monotonic()
        outcomes = [self._known[file].named(files[file]) for file in files if file in counted]
        total = len(self._known) + self._left
        status = self._present(outcomes, notes, total=total, check=self._check)
        self._written = counted
        now = time.monotonic()
        self._due = now + max(_PERIOD, _WRITINGS * (now - began))
        return status

    def _check(self, _: float) -> None:
        """Raise _GoneError if a file that the last report includes is gone or was replaced."""
        now = time.monotonic()
        if now - self._checked < PAUSE:
            return
        self._checked = now
        if not all(is_still(*file) for file in self._written):
            raise _GoneError

    def _checkpoints(self) -> list[Checkpoint]:

        arguments = self.arguments
        try:
            return checkpoints_of(
                arguments.checkpoints, arguments.metadata, leave_out=self._other_files()
            )
        except PicturesError as error:
            if arguments.watch or arguments.encoder is not None:
                raise
            raise ValueError(
                f"{error}; or embed and compare in one step: {_with_encoder(arguments)}"
            ) from None

    def _other_files(self) -> list[Path]:
        """Files named by other options: they are never checkpoints, even in a folder of
        checkpoints.
        """
        arguments = self.arguments
        one = (
            arguments.reference,
            arguments.metrics,
            arguments.holdout,
            arguments.best_file,
            arguments.json,
        )
        return [each for each in (*one, *(arguments.report or ())) if each is not None]

    def _read(self) -> Triage:
        """Read the reference and the holdout, and check that they fit together."""
        arguments = self.arguments
        other = arguments.holdout
        triage = Triage(
            reference=samples_at(arguments.reference, self.settings),
            settings=self.settings,
            holdout=None if other is None else samples_at(other, self.settings),
            store=self.store,
            memory_limit=arguments.memory_limit,
        )
        triage.held_out(triage.reference)
        return triage

    def _sized_as_known(self, files: Mapping[File, Checkpoint]) -> tuple[list[str], int]:
        """As `_sized`, but an unchanged file is read only once."""
        self._sizes = {file: n for file, n in self._sizes.items() if file in files}
        by_path = {file[0]: file for file in files}

        def size(checkpoint: Checkpoint) -> int | None:
            file = by_path[checkpoint.path]
            if file not in self._sizes:
                self._sizes[file] = set_size(self.triage.reference, checkpoint, self.settings)
            return self._sizes[file]

        return self._sized(list(files.values()), size)

    def _sized(
        self,
        checkpoints: Sequence[Checkpoint],
        size: Callable[[Checkpoint], int | None] | None = None,
    ) -> tuple[list[str], int]:
        """Notes for the user, and the number of real samples to measure.

        All sets are cut to equal sizes with --equal-sizes, or where sizes differ too much and no
        option on sizes is given; the settings of ``self.triage`` are updated accordingly.
        """
        real = self.triage.reference
        equal = self.arguments.equal_sizes
        if equal is False:
            return [], real.n
        sizes = set_sizes(real, checkpoints, self.settings, size)
        settings = replace(self.settings, equal_sizes=equal or sizes.uneven)
        if settings != self.triage.settings:
            self.triage.close()
            self.triage = replace(self.triage, settings=settings)
        if equal or not sizes.uneven:
            return [], sizes.least if equal else real.n
        smallest = sizes.smallest or "the reference"
        note = (
            f"all sets are cut to {sizes.least} samples, the size of {smallest}, as the largest has"
            f" {sizes.most}, more than {UNEVEN:g} times as many (--all-rows measures all)"
        )
        return [note], sizes.least

    def _present(
        self,
        outcomes: Sequence[CheckpointOutcome],
        notes: Sequence[str],
        *,
        total: int | None = None,
        check: Progress | None = None,
        meanwhile: Callable[[Progress], None] | None = None,
    ) -> int:
        """Write the reports on these outcomes, print the text, and return the exit status.

        The text is left out while some of the ``total`` checkpoints are not measured. check :
        called repeatedly while results are computed; it may raise an error to stop. meanwhile : as
        in `Triage.results`.
        """
        arguments = self.arguments
        if total is None:
            total = len(outcomes)
        with watched(None) as line:
            found = self.triage.results(
                outcomes, arguments.goal, progress=_both(check, line), meanwhile=meanwhile
            )
        notes = [*notes, *self._notes(found)]
        if found.no_ceiling:
            say(f"real against real can't be measured: {found.no_ceiling}")
        unmet: Mapping[str, str] = {}
        if arguments.by is not None:
            found, unmet = self._by_class(found)
            notes += [
                f"{name} is not compared class by class: {reason}" for name, reason in unmet.items()
            ]
        text = ""
        if total == len(outcomes):
            say_flags(warnings_of(outcomes, found.findings))
            text = triage_text(found, arguments.reference.name, notes)
        self.outputs.write(found, text, store=self.store, total=total)
        if self.store.trouble is not None:
            say(f"{self.store.trouble}; the next run measures again")
        return self._status(found, incomplete=bool(unmet))

    def _notes(self, found: TriageResults) -> list[str]:
        """Notes on the sets for the user, without a full stop."""
        arguments = self.arguments
        measured = found.measured
        sizes = unequal(measured)
        tables = []
        if arguments.metadata is not None:
            tables = [arguments.metadata]
        others = [*tables, *self._other_files()]
        skipped = skipped_files(arguments.checkpoints, leave_out=others)
        folders = skipped_folders(arguments.checkpoints, leave_out=others)
        names = every_name(found.reference.features)
        said = (
            names and f"the features of {one_line(arguments.reference.name)} are {names}",
            sizes and f"{sizes} (--equal-sizes)",
            other_encoders(measured),
            same_samples(measured),
            left_out_text(skipped),
            folders_text(folders),
            parts_text(folder_of_parts(arguments.checkpoints)),
            fewer_rows(measured, found.reference.d, arguments.memory_limit),
        )
        return [each for each in said if each]

    def _by_class(self, found: TriageResults) -> tuple[TriageResults, Mapping[str, str]]:
        """The results with the missed samples of each class; and the reason for each checkpoint
        that has no such classes, by its name.
        """
        arguments = self.arguments
        classes, unmet = class_shares(
            self.triage.reference,
            arguments.reference,
            [each.checkpoint for each in found.outcomes if each.measured],
            arguments.by,
            found.settings,
            memory_limit=arguments.memory_limit,
        )
        return replace(found, classes=classes), unmet

    def _status(self, found: TriageResults, *, incomplete: bool) -> int:
        """Return the exit status, after printing which limits of --fail-under were not reached."""
        failed = sum(each.reason is not None for each in found.outcomes)
        if failed == len(found.outcomes):
            return 2
        missed = [_missed(found, *each) for each in self.arguments.fail_under or ()]
        for text in filter(None, missed):
            say(text)
        if any(missed):
            return 3
        return int(failed > 0 or incomplete)


def _both(*calls: Progress | None) -> Progress:
    """One progress function that calls all those given; None is skipped."""

    def progress(fraction: float) -> None:
        for each in calls:
            if each is not None:
                each(fraction)

    return progress


def _say_waiting(waiting: Mapping[Path, str]) -> None:
    """Print which files are not complete yet, and why."""
    for reason in dict.fromkeys(waiting.values()):
        paths = [path for path, why in waiting.items() if why == reason]
        if len(paths) > _MOST_WAITING:
            say(f"waiting for {paths[0]} and {len(paths) - 1} more files: {reason}")
            continue
        for path in paths:
            say(f"waiting for {path}: {reason}")


def _missed(found: TriageResults, name: str, least: float) -> str:
    """Message on why the checkpoint to take fails --fail-under NAME=VALUE; "" if it passes."""
    if found.judgement is None:
        return ""
    decision = found.judgement.decision
    if decision.best in decision.memorised:
        return f"--fail-under: {decision.best} copies the reference"
    of_best = next(
        each.measured for each in found.outcomes if each.checkpoint.name == decision.best
    )
    method = decision.basis.method
    values = summaries_of_one(of_best)[method]
    values["score"] = found.judgement.scores[method][decision.best]
    if decision.best in found.judgement.shares:
        values["ceiling"] = found.judgement.shares[decision.best].share
    if name not in values:
        return f"--fail-under: {name} is not known here, {', '.join(values)} are"
    if found.judgement.table["best"].isna().all():
        return f"--fail-under: {decision.headline.head.lower()}, so that {name} is unsure"
    if values[name] >= least:
        return ""
    return f"--fail-under: {decision.best} has {name} {values[name]:.4f} < {least:g}"


def _collected(
    outcomes: Iterator[CheckpointOutcome], total: int, line: ProgressLine | None
) -> list[CheckpointOutcome]:
    """List of all outcomes; each is printed on stderr as it arrives."""
    found: list[CheckpointOutcome] = []
    try:
        for each in outcomes:
            found.append(each)
            print_above(line, f"{len(found)} of {total}: {_outcome_text(each)}")
    except KeyboardInterrupt:
        sys.stderr.write(
            "\nprviz: stopped; results so far are kept, and the same command continues from there\n"
        )
        raise
    return found


def _outcome_text(outcome: CheckpointOutcome) -> str:
    areas = ", ".join(
        f"{name} {each['auc']:.4f}" for name, each in summaries_of_one(outcome.measured).items()
    )
    if outcome.reason is None:
        found = f": AuC {areas}{'' if outcome.fresh else ' (kept)'}"
    else:
        found = " failed"
    return f"{cut_name(one_line(outcome.checkpoint.name))}{found}"


def _least(text: str) -> tuple[str, float]:

    name, _, value = text.partition("=")
    names = ["score", "ceiling", *(each.key for each in SUMMARIES)]
    if name.lower() in names and number(value) == number(value):
        return name.lower(), number(value)
    raise argparse.ArgumentTypeError(
        f"{text!r} is no NAME=NUMBER with one of the names {', '.join(names)}"
    )


def _goal(text: str) -> float:
    value = GOALS.get(text, number(text))
    if 0 <= value <= 1:
        return value
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither {', '.join(GOALS)} nor a number from 0 to 1"
    )
