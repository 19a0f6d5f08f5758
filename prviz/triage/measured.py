"""Settings of a triage, and the results of one checkpoint."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import lzma
import math
import os
import re
import stat
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arrays import Array
from prviz.checks.finding import Findings
from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.estimators import ESTIMATORS, Supports
from prviz.estimators.base import check_bandwidth
from prviz.measure.estimates import Estimate, K, method_names
from prviz.readers.atomic_files import write_whole
from prviz.readers.errors import beside_other_parsers
from prviz.recent import LeastRecentlyUsed
from prviz.samples import split_share
from prviz.studies.tasks import COMPUTATION
from prviz.triage.inputs import Checkpoint
from prviz.uncertainty.upper_bound import known_bound

# Replicates of every bootstrap of Triage, so that page and report have the same intervals.
REPLICATES = 200


class PairDigests(NamedTuple):
    """SHA-256 of the real and of the generated samples that were measured."""

    real: str
    generated: str


@dataclass(frozen=True)
class TriageSettings:
    """Settings that every checkpoint is measured with, as in `prviz.pr_curve`.

    methods : names in ESTIMATORS, measured in one pass where possible.
    equal_sizes : True if all sets are cut, by the seed, to the smallest set that can be measured;
        curves depend on sizes.
    key : the array of the reference and of every checkpoint in formats that can hold several; None:
        chosen by `prviz.read`.
    features, drop, group : the columns of tables, see ``columns``, ``drop`` and ``group`` of
        `prviz.read`; a file may lack a column of them.
    """

    methods: tuple[str, ...] = ("knn",)
    k: K = "sqrt"
    bandwidth: float | None = None
    split: float | None = 0.5
    seed: int = 0
    equal_sizes: bool = False
    key: str | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    group: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "drop", tuple(self.drop))
        object.__setattr__(self, "methods", tuple(method_names(self.methods)))
        object.__setattr__(self, "split", split_share(self.split))
        object.__setattr__(self, "bandwidth", check_bandwidth(self.bandwidth))
        for name in self.methods if self.split is None else ():
            if ESTIMATORS[name].needs_split:
                raise ValueError(
                    f"split = None, but {name} needs samples that it was not fitted on; give a"
                    " share"
                )


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredCheckpoint:
    """One checkpoint measured by one family.

    estimate : curve and supports; the real evaluation samples are the same for all checkpoints.
    n_real, n_generated : numbers of samples measured, before the split.
    seconds : duration of the measurement, together with all families measured in the same pass.
    encoder : that of the generated samples, see `prviz.Samples`.
    encoder_difference : its difference from the encoder of the real samples, as plain text; "" if
        there is none or one is not known.
    flags : what changes the meaning of numbers on these samples, see `prviz.checks.flags`; () if
        the samples are not read.
    own_bound : the upper bound of the true curve, see `prviz.upper_bound`, if it is measured with
        the family.
    """

    checkpoint: Checkpoint
    estimate: Estimate
    n_real: int
    n_generated: int
    seconds: float
    digests: PairDigests
    encoder: Mapping[str, str] = field(default_factory=dict)
    encoder_difference: str = ""
    flags: Findings = ()
    own_bound: PRCurve | None = None

    def named(self, checkpoint: Checkpoint) -> MeasuredCheckpoint:
        """The measurement under another name of its checkpoint; the numbers of its curve are
        kept.
        """
        renamed = replace(self, checkpoint=checkpoint)
        renamed.__dict__.update({**self.__dict__, "checkpoint": checkpoint})
        return renamed

    @property
    def method(self) -> str:
        """The family, a name in ESTIMATORS."""
        return self.estimate.method

    @property
    def held_out(self) -> bool:
        """True if no sample is judged by a classifier that it helped to define."""
        return ESTIMATORS[self.method].judges_all or self.estimate.supports.n_real < self.n_real

    @property
    def k(self) -> int | None:
        """The number of neighbours, "sqrt" resolved; None: the family has no such number."""
        return self.estimate.k

    @property
    def curve(self) -> PRCurve:
        """The precision-recall curve: the mean over the runs at every lam."""
        return self.estimate.curve

    @cached_property
    def bound(self) -> PRCurve | None:
        """The upper bound of the true curve by this family alone; None without split (see
        `prviz.upper_bound`).
        """
        return bound_by([self], self.method)

    @cached_property
    def summaries(self) -> Mapping[str, float]:
        """Every summary of the curve, by the keys of `prviz.curves.summaries`."""
        return summaries(self.curve)

    @cached_property
    def supports_digest(self) -> str:
        """SHA-256 of the supports of all runs, with the rows and groups of their samples."""
        digest = hashlib.sha256()
        for run in self.estimate.runs:
            digest.update(f"{run.n_real} {len(run.c_real)} {run.rows is None};".encode())
            for part in (run.c_real, run.c_generated, run.rows, run.groups):
                if part is not None:
                    digest.update(np.asarray(part, dtype=float).tobytes())
        return digest.hexdigest()


def bound_by(measured: Sequence[MeasuredCheckpoint], method: str) -> PRCurve | None:
    """The upper bound of one checkpoint's true curve that belongs to its score by a family; None
    without split.

    It is the bound measured with the family, else the joint bound of all families that have none of
    their own.

    measured : the checkpoint by all its families, this one among them.
    """
    own = next(each.own_bound for each in measured if each.method == method)
    if own is not None:
        return own
    sharing = [each for each in measured if each.own_bound is None]
    first, *others = (each.estimate for each in sharing)
    found = _SHARED.get(first)
    if found is None or found[0] != others:
        found = others, known_bound([first, *others], held_out=sharing[0].held_out)
        _SHARED[first] = found
    return found[1]


# First estimate -> the other estimates that share its joint bound, and that bound. Every report
# needs it again.
_SHARED: WeakKeyDictionary[Estimate, tuple[list[Estimate], PRCurve | None]] = WeakKeyDictionary()


class CheckpointOutcome(NamedTuple):
    """Results of one checkpoint, or the reason why it failed.

    measured : results by each family, in their order; empty after a failure. fresh : families
    measured now rather than found in the cache. reason : the failure in one line; None: no failure.
    choices : the arrays of the file, if it failed because several of them could be the samples.
    recipe : the lines of Python that convert the file.
    """

    checkpoint: Checkpoint
    measured: tuple[MeasuredCheckpoint, ...]
    fresh: tuple[str, ...] = ()
    reason: str | None = None
    choices: tuple[str, ...] = ()
    recipe: tuple[str, ...] = ()

    def named(self, checkpoint: Checkpoint) -> CheckpointOutcome:
        """The outcome with another name or step of its checkpoint."""
        measured = tuple(each.named(checkpoint) for each in self.measured)
        return self._replace(checkpoint=checkpoint, measured=measured)

    def of(self, methods: Sequence[str]) -> CheckpointOutcome:
        """The outcome with the results of some families only."""
        by_method = {each.method: each for each in self.measured}
        return self._replace(
            measured=tuple(by_method[name] for name in methods),
            fresh=tuple(name for name in methods if name in self.fresh),
        )


def by_name(measured: Iterable[MeasuredCheckpoint]) -> Mapping[str, list[MeasuredCheckpoint]]:
    """Measurements of each checkpoint by its name."""
    found: dict[str, list[MeasuredCheckpoint]] = {}
    for each in measured:
        found.setdefault(each.checkpoint.name, []).append(each)
    return found


def all_measured(outcomes: Iterable[CheckpointOutcome]) -> list[MeasuredCheckpoint]:
    """The measurements of all checkpoints by all families."""
    return [each for outcome in outcomes for each in outcome.measured]


# ---- where results are cached ----

T = TypeVar("T")
R = TypeVar("R")
Arrays: TypeAlias = Mapping[str, Array]

# Environment variable that names the cache folder.
CACHE_VARIABLE = "PRVIZ_CACHE"
# Largest size of the user's cache in bytes.
CACHE_BYTES = 1_000_000_000

# Largest time in nanoseconds (a day) that a file's last use may lie in the future, as another
# machine's clock may be ahead. A later time counts as wrong.
_AHEAD = 86_400 * 10**9
# Pattern of the file name of a result.
_RESULT = re.compile(r"[0-9a-f]{64}\.npz")
# Pattern of the name of the temporary file that an interrupted write leaves.
_TEMPORARY = re.compile(r"\.[0-9a-f]{64}\.[0-9a-f]+\.tmp")
# Age in nanoseconds (an hour) from which a temporary file is deleted; another process may still be
# writing a younger one.
_CUT_OFF = 3_600 * 10**9
_BROKEN = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    IndexError,
    SyntaxError,
    RuntimeError,
    MemoryError,
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
# Flags for opening a file without following links or waiting for pipes. Windows has neither flag,
# and needs O_BINARY.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# Most bytes of a result in memory; a file that unpacks to more counts as broken.
_MOST_BYTES = 1 << 30
# Most bytes of the description in a result.
_MOST_ABOUT = 1 << 20
# The folder is listed again after this part (1 / _LOOKS) of its largest size was written. Listing
# after each result would take time in the square of their number.
_LOOKS = 16
# Most results in memory, of up to 13 kB each: those of a thousand checkpoints by four families.
_MOST_REMEMBERED = 12_000


@dataclass(eq=False)
class ResultCache:
    """A cache of results in a folder and in memory. Each result is an .npz file named by the digest
    of its key, which names the "method".

    A result is an estimate and the seconds that it took, together with all families of its pass.
    `facts` are other small results, such as findings: whatever JSON can hold.

    A result is written whole or not at all. A file that can't be read counts as absent, and so does
    a link. The checksums inside the archive detect damaged files.

    folder : created with the first result if it is missing; None: memory alone.
    most_bytes : largest size, kept by deleting the least recently used results, down to 15 / 16 of
        it; None: no limit. No other file is touched.
    needed : True if a result that can't be written is an error; otherwise ``trouble`` holds the
        last such message.
    private : True if the folder and its files must belong to this user, and nobody else may write
        to the folder; otherwise nothing is read or written there, and ``trouble`` says so. (Not
        checked on Windows.)
    given_as : the name of `folder` in messages.
    memory : values that `kept` has lately returned, by key; several caches may share one.
    holds : kept alive as long as the cache: a `PrivateFolder` around `folder`, which a result
        written late would otherwise leave behind.
    """

    folder: Any
    most_bytes: int | None = None
    _: KW_ONLY
    needed: bool = True
    private: bool = False
    holds: object = None
    given_as: str = "out"
    trouble: str | None = field(default=None, init=False)
    memory: LeastRecentlyUsed = field(init=False)

    def __post_init__(self) -> None:
        self.memory = LeastRecentlyUsed(_MOST_REMEMBERED)
        # Number of bytes that may be written before the folder is listed again.
        self._room = 0
        self._owner = os.geteuid() if sys.platform != "win32" and self.private else None
        if self.folder is None:
            return
        self.folder = Path(self.folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(
                f"{self.given_as} = {str(self.folder)!r} is a file; a folder is needed"
            )

    @classmethod
    def cache(cls) -> ResultCache:
        """The cache in the user's own cache folder, of limited size; if that folder can't be used,
        every run measures again.
        """
        given_as = "the cache of results"
        if os.environ.get(CACHE_VARIABLE):
            given_as = CACHE_VARIABLE
        return cls(cache_folder(), CACHE_BYTES, needed=False, private=True, given_as=given_as)

    def get(self, key: Mapping[str, Any]) -> tuple[Estimate, float] | None:
        """The result of a key; None if the cache has none."""
        return self._get(key, _read)

    def put(self, key: Mapping[str, Any], estimate: Estimate, seconds: float) -> None:
        """Write a result."""
        self._put(key, _bytes(_text(key), estimate, seconds))

    def known(self, key: Mapping[str, Any]) -> Any:
        """The value of a key in memory; None if there is none."""
        return self.memory.get(frozenset(key.items()))

    def remember(self, key: Mapping[str, Any], found: T) -> T:
        """Keep the value of a key in memory, and return it."""
        return self.memory.put(frozenset(key.items()), found)

    def facts(self, key: Mapping[str, Any]) -> Any:
        """The facts of a key; None if the cache has none."""
        return self._get(key, _read_facts)

    def put_facts(self, key: Mapping[str, Any], facts: Any) -> None:
        """Write facts."""
        self._put(key, _archive({"key": _text(key), "facts": facts}))

    def _get(
        self, key: Mapping[str, Any], taken: Callable[[Arrays, Mapping[str, Any]], T]
    ) -> T | None:
        """The value that ``taken`` reads from the file of a key; None if the file is missing or
        broken.
        """
        if not self._trusted():
            return None
        path = self._path(key)

        def read() -> T:
            with self._opened(path) as stream, np.load(stream, allow_pickle=False) as arrays:
                _check_sizes(arrays.zip)
                return taken(arrays, key)

        try:
            kept = beside_other_parsers(read)
        except _BROKEN:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return kept

    def _put(self, key: Mapping[str, Any], contents: bytes) -> None:
        if not self._trusted():
            return
        path = self._path(key)
        try:
            self.folder.mkdir(0o777 if self._owner is None else 0o700, parents=True, exist_ok=True)
            write_whole(path, contents)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.trouble = f"{self.folder}: a result can't be kept there ({reason})"
            if self.needed:
                raise OSError(f"{self.trouble}; earlier results are kept") from error
            return
        with contextlib.suppress(OSError):  # another process may delete the same files
            self._trim(path)

    def _trusted(self) -> bool:
        """True if there is a folder for results and, if it must be private, nobody else can write
        to it; otherwise ``trouble`` says why not.
        """
        if self._owner is None or self.folder is None:
            return self.folder is not None
        try:
            status = self.folder.stat()
        except OSError:  # no folder yet; other errors show when a result is written
            return True
        if status.st_uid == self._owner and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return True
        self.trouble = (
            f"{self.folder}: it belongs to another user, or others can write to it, so results are"
            f" neither taken from it nor kept there (`chmod go-w` ends the latter; {CACHE_VARIABLE}"
            " names another folder)"
        )
        return False

    def _opened(self, path: Path) -> BinaryIO:
        """Open the file of a result; OSError for anything else, such as a link, a pipe, or another
        user's file.
        """
        descriptor = os.open(path, os.O_RDONLY | _NO_LINK)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and self._owner in (None, status.st_uid):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
        raise OSError("no regular file of this user")

    def _path(self, key: Mapping[str, Any]) -> Path:
        found: Path = self.folder / f"{hashlib.sha256(_text(key).encode()).hexdigest()}.npz"
        return found

    def _trim(self, newest: Path) -> None:
        """Delete the least recently used results if the folder may exceed its largest size, until
        the rest fits. The newest result stays.
        """
        if self.most_bytes is None:
            return
        written = newest.stat().st_size
        self._room -= written
        if self._room >= 0:
            return
        results = []
        now = time.time_ns()
        latest = now + _AHEAD
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):
                status = path.lstat()
                used = status.st_mtime_ns
                left = _TEMPORARY.fullmatch(path.name) and used < now - _CUT_OFF
                if left or (_RESULT.fullmatch(path.name) and path != newest):
                    results.append((used if used <= latest else 0, status.st_size, path))
        slack = self.most_bytes // _LOOKS
        most = self.most_bytes - slack
        held = sum(size for _, size, _ in results) + written
        for _, size, path in sorted(results):
            if held <= most:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            held -= size
        self._room = min(slack, self.most_bytes - held)


def kept(
    store: ResultCache | None,
    key: Mapping[str, Any],
    taken: Callable[[Any], T | None],
    compute: Callable[[], R],
    facts: Callable[[Any], Any] = lambda found: found,
) -> T | R:
    """The value of a key: from memory, else from the store, else computed. A computed value is
    stored unless it is None.

    taken : converts stored facts to the value; None if they are something else. facts : converts
        the value to facts to store.
    """
    if store is None:
        return compute()
    known: T | None = store.known(key)
    if known is not None:
        return known
    known = taken(store.facts(key))
    if known is not None:
        return store.remember(key, known)
    found = compute()
    if found is not None:
        store.put_facts(key, facts(found))
        store.remember(key, found)
    return found


def cache_folder() -> Path:
    """The default folder of results: PRVIZ_CACHE, else a folder inside the user's cache folder."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    usual = "~/.cache"
    if sys.platform == "darwin":
        usual = "~/Library/Caches"
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return Path(base or usual).expanduser() / "prviz" / "triage"


def _text(key: Mapping[str, Any]) -> str:
    return json.dumps({"version": COMPUTATION, **key}, sort_keys=True, allow_nan=False)


def _bytes(key: str, estimate: Estimate, seconds: float) -> bytes:
    """The contents of the .npz file for a result."""
    about = {
        "key": key,
        "k": estimate.k,
        "seconds": seconds,
        "runs": [
            {
                "n_real": run.n_real,
                "bandwidth": run.bandwidth,
                "rows": run.rows is not None,
                "groups": run.groups is not None,
            }
            for run in estimate.runs
        ],
    }
    arrays = {}
    for place, run in enumerate(estimate.runs):
        for name in ("c_real", "c_generated", "rows", "groups"):
            if (values := getattr(run, name)) is not None:
                arrays[f"{name}_{place}"] = values
    return _archive(about, arrays)


def _archive(about: Mapping[str, Any], arrays: Mapping[str, Any] = MappingProxyType({})) -> bytes:
    """The contents of an .npz file with a description and arrays."""
    text = np.frombuffer(json.dumps(about, default=float).encode(), dtype=np.uint8)
    stream = io.BytesIO()
    np.savez_compressed(stream, about=text, **arrays)
    return stream.getvalue()


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Raise ValueError for an archive that unpacks to more than any result does, or that has fewer
    bytes than its arrays claim.
    """
    members = archive.infolist()
    about = sum(member.file_size for member in members if member.filename == "about.npy")
    if about > _MOST_ABOUT or sum(member.file_size for member in members) > _MOST_BYTES:
        raise ValueError("it unpacks to more than any result")
    for member in members:
        with archive.open(member) as stream:
            if np.lib.format.read_magic(stream) != (1, 0):
                raise ValueError("no array as results have them")
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            if stream.tell() + math.prod(shape) * dtype.itemsize != member.file_size:
                raise ValueError("an array that claims more than there is")


def _about(arrays: Arrays, key: Mapping[str, Any]) -> dict[str, Any]:
    """The description in a file. Raises ValueError if it is that of another key."""
    about: dict[str, Any] = json.loads(arrays["about"].tobytes())
    if about["key"] != _text(key):
        raise ValueError("the file holds another result")
    return about


def _read_facts(arrays: Arrays, key: Mapping[str, Any]) -> Any:
    return _about(arrays, key)["facts"]


def _read(arrays: Arrays, key: Mapping[str, Any]) -> tuple[Estimate, float]:
    """The result in the arrays of a file."""
    about = _about(arrays, key)
    runs = []
    for place, run in enumerate(about["runs"]):
        supports = arrays[f"c_real_{place}"], arrays[f"c_generated_{place}"]
        bandwidth = None
        if run["bandwidth"] is not None:
            bandwidth = (run["bandwidth"][0], run["bandwidth"][1])
        rows = None
        if run["rows"]:
            rows = arrays[f"rows_{place}"]
        groups = None
        if run.get("groups"):
            groups = arrays[f"groups_{place}"]
        shapes = {each.shape for each in (*supports, rows, groups) if each is not None}
        if len(shapes) > 1 or supports[0].ndim != 1 or not 0 <= run["n_real"] <= len(supports[0]):
            raise ValueError("other numbers of samples")
        if not all(np.all(each >= 0) for each in supports):
            raise ValueError("no supports")
        if groups is not None and (groups.dtype.kind != "i" or not np.all(groups >= 0)):
            raise ValueError("no groups")
        runs.append(Supports(*supports, run["n_real"], bandwidth, rows, groups))
    if not runs:
        raise ValueError("no run")
    return Estimate(key["method"], about["k"], runs[0].bandwidth, tuple(runs)), float(
        about["seconds"]
    )
