"""Which columns of a table are features and which are labels; the values of .parquet and .feather tables."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.readers.arrays import Array, check_counts, check_exact, check_values
from prviz.readers.errors import AmbiguousKeyError, EmptyCellError, ReadError, listed, quoted
from prviz.readers.source import Limits, check_claim, check_columns

# Least bytes that one label of one sample counts towards the memory limit.
LABEL_BYTES = 64
# Most columns of a table with one value a row.
MOST_COLUMNS = 6
# Names that pandas gives to an index without a name.
_INDEX = ("", "Unnamed: 0", "__index_level_0__")
_LABEL = re.compile(
    "ids?|idx|index|uid|uuid|labels?|class|classes|targets?|category|split|fold|subset|partition|paths?|files?"
    "|roles?|sources?|origins?|data_?sets?"
    "|file_?name|file_?path|images?|img|text|caption|prompt|url|names?"
    r"|(real|fake|synthetic|generated)_?(or|vs|versus)_?\w+"
    "|(.*_)?smiles|in_?ch_?i(_?key)?|sequences?|is_?(train(ing)?|test|val(id(ation)?)?)"
    r"|unnamed:_\d+(\.\d+)?|level_\d+|.*_(id|idx|index|label|class|name|path|file|split)",
    re.DOTALL,
)
# Last words of such names that are measured as well, as in body_mass_index.
_MEASURED = re.compile(r".+_(index|idx|class|path|split)", re.DOTALL)
# Where a new word begins in a name such as magError or RNGSeed, and before the last word of one
# without any mark, such as objid.
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_GLUED = re.compile(
    r"(.*_)?(obj(?:ect)?|source|run|event|evt|samples?|image|img|user|item|row|record|cell|gene|customer|client"
    r"|session|subj(?:ect)?|patient|participant|video|clip|frame|scene|doc(?:ument)?|task|episode|batch|plot|site"
    r"|station|plate|fib(?:er|re)|field|track|particle|compound|random|noise|global|train(?:ing)?|test|group|cluster"
    r"|trial|exp(?:eriment)?|replicate|line|entry|serial|order|node|sensor|device|file|epoch|checkpoint|unix)"
    r"(ids?|idx|index|seed|steps?|epoch|no|nr|num|number|count|key|stamp|time)"
)
# Columns of truth values, by what a true one means.
_FLAG = r"((is|was)_?)?({})(_?(image|sample|data|row|item|label|flag))?"
_FLAGS = {
    "real": re.compile(_FLAG.format("real|genuine|authentic|original")),
    "generated": re.compile(
        _FLAG.format("(ai_?)?generated|fake|synthetic|synth|artificial|simulated")
    ),
}
# Beside imaginary parts, or beside changed ones, such columns are features.
_NO_FLAGS = ("real", "original")


def flag_of(name: str) -> str | None:
    """The role that a true value means in a column of this name: "real", "generated" or None."""
    return next((role for role, flag in _FLAGS.items() if flag.fullmatch(plain_name(name))), None)


def is_label(name: str) -> bool:
    """True if a column of this name is an id, a label, a flag or a split rather than a feature."""
    plain = plain_name(name)
    if name.strip() in _INDEX or (flag_of(name) is not None and plain not in _NO_FLAGS):
        return True
    return _LABEL.fullmatch(plain) is not None


def is_measured(name: str) -> bool:
    """True for the name of a label that a feature may have as well, if its numbers have decimals."""
    return _MEASURED.fullmatch(plain_name(name)) is not None


def plain_name(name: str) -> str:
    """A name in small letters, its words joined by underscores, also those of magError and objid."""
    words = _NEW_WORD.sub("_", name.strip().replace(" ", "_").replace("-", "_"))
    plain = words.lower()
    glued = _GLUED.fullmatch(plain)
    return plain if glued is None else f"{glued[1] or ''}{glued[2]}_{glued[3]}"


@dataclass(frozen=True)
class ColumnChoice:
    """Columns of a table that the user has chosen, by names or glob patterns; a name is never read as a pattern.

    features : the only features; empty: every column that is not named like a label.
    drop : columns that are labels, whatever they are named.
    group : the column that says which samples belong together.
    shared : True if the same choice is made for several files, of which one may lack a column, or
    all columns.
    rows : columns that a key of rows may name, such as condition of condition=stim; they are
    labels, too.
    """

    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    group: str | None = None
    shared: bool = False
    rows: tuple[str, ...] = ()
    # Names of the columns of all files that were read with this choice, also of those that hold
    # neither.
    met: set[str] = field(default_factory=set, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        columns: str | Sequence[str] | None,
        drop: str | Sequence[str],
        group: str | None,
        *,
        shared: bool = False,
    ) -> ColumnChoice:
        """The choice of the arguments of `prviz.read`. Raises ReadError for anything but texts."""
        features, dropped = (
            _patterns(name, given) for name, given in (("columns", columns), ("drop", drop))
        )
        if group is not None and not isinstance(group, str):
            raise ReadError(f"group = {quoted(repr(group))}; the name of one column is needed")
        return cls(features, dropped, group, shared)

    def __bool__(self) -> bool:
        return bool(self.features or self.drop or self.group is not None)

    def takes(self, name: str) -> bool:
        """True if this column is one of ``features``; a pattern takes no column that is named like a label."""
        return name in self.features or (not is_label(name) and _matches(name, self.features))

    def drops(self, name: str) -> bool:
        """True if this column is one of ``drop``, or says which rows are read."""
        return name in self.rows or _matches(name, self.drop)

    def by(self, *rows: str | None) -> ColumnChoice:
        """The choice where these sets of rows are read, each written COLUMN=VALUE."""
        named = (
            key[: mark.start()] for key in rows if key is not None for mark in re.finditer("=", key)
        )
        return replace(self, rows=tuple(named))

    def unknown(self, names: Collection[str]) -> list[str]:
        """Names and patterns of the choice that none of these columns has."""
        group = () if self.group is None else (self.group,)
        chosen = (*self.features, *self.drop)
        return [
            *(
                pattern
                for pattern in chosen
                if not any(_matches(name, (pattern,)) for name in names)
            ),
            *(name for name in group if name not in names),
        ]

    def known(self, names: Collection[str]) -> ColumnChoice:
        """The part of the choice that some of these columns have, as one file takes it."""
        missing = self.unknown(names)
        features, drop = (
            tuple(one for one in chosen if one not in missing)
            for chosen in (self.features, self.drop)
        )
        return ColumnChoice(features, drop, None if self.group in missing else self.group)

    def check(self, names: Collection[str], where: str) -> None:
        """Raise ReadError for a name or pattern that no column has, unless the choice is for several files."""
        if self.shared and self:
            self.met.update(names)
        if not self.shared and (unknown := self.unknown(names)):
            raise ReadError(
                f"{where}: has no column {quoted(unknown[0])}. Its columns: {listed(names)}."
            )

    def refuse_arrays(self, where: str) -> None:
        """Raise ReadError for features chosen of a file without columns, unless the choice is for several files."""
        if not self.shared and (self.features or self.drop):
            raise ReadError(
                f"{where}: an array, without names of columns. Leave columns and drop out."
            )


# Most characters of the names in a remedy.
_LONGEST_REMEDY = 200
# No choice, for one file and for several.
EVERY = ColumnChoice()
SHARED = ColumnChoice(shared=True)


def _patterns(name: str, given: str | Sequence[str] | None) -> tuple[str, ...]:
    patterns = (given,) if isinstance(given, str) else tuple(given or ())
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise ReadError(
            f"{name} = {quoted(repr(given))}; names or patterns of columns are needed, such as 'f*'"
        )
    return patterns


def _matches(name: str, patterns: Collection[str]) -> bool:
    return name in patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def sort_columns(
    names: Sequence[str],
    numeric: Sequence[bool],
    choice: ColumnChoice,
    where: str,
    index: Collection[str] = (),
) -> tuple[list[int], list[int]]:
    """Places of the features and of the labels among the columns of a table; other columns are not read.

    numeric : False for a column that holds no numbers.
    index : columns that the file itself says are no features; a pattern takes none of them.

    Raises
    ------
    ReadError : a column of the choice is missing.
    """
    choice.check(names, where)
    features = []
    labels = []
    for place, name in enumerate(names):
        if (
            name == choice.group
            or choice.drops(name)
            or (name in index and name not in choice.features)
        ):
            labels.append(place)
        elif choice.takes(name) if choice.features else not is_label(name):
            features.append(place)
        elif is_label(name) or not numeric[place]:
            labels.append(place)
    # pandas' numbers, in whatever order they were written
    if all(names[place].isdecimal() for place in features):
        features.sort(key=lambda place: int(names[place]))
    return features, labels


def own_names(features: Sequence[str]) -> tuple[str, ...]:
    """Names of features; empty where they are only numbered, unlike years."""
    numbered = all(map(str.isdecimal, features)) and max(map(int, features), default=0) <= 2 * len(
        features
    )
    return () if numbered else tuple(features)


def columns_text(names: Sequence[str]) -> str:
    """Names of columns as an option of the shell takes them: between commas, in quotes where they hold one."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def drop_text(names: Sequence[str]) -> str:
    """What leaves columns out, in Python and in the shell; of long or unprintable names in general words."""
    line = columns_text(names)
    if not line.isprintable() or len(line) > _LONGEST_REMEDY:
        return "drop=... (--drop COLUMNS)"
    given = repr(names[0]) if len(names) == 1 else f"[{', '.join(map(repr, names))}]"
    return f"drop={given} (--drop {shlex.quote(line)})"


def sets_text(name: str) -> str:
    """What reads the rows of two values of a column as the two sets, in the shell; of unprintable names in words."""
    given = shlex.quote(name) if name.isprintable() else "COLUMN"
    return (
        f"where it says which rows are real: --real-key {given}=VALUE --generated-key {given}=VALUE"
    )


def group_text(name: str) -> str:
    """What makes a column say which rows belong together, in Python and in the shell."""
    return f"group={name!r} (--group {shlex.quote(name)})"


def index_columns(metadata: Any) -> tuple[str, ...]:
    """Columns that the metadata of an Arrow schema, as pandas writes them, name as the index of the table."""
    text = metadata.get(b"pandas") if isinstance(metadata, Mapping) else None
    try:
        found = json.loads(text)["index_columns"] if text else ()
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def label_names(names: Sequence[str]) -> list[str]:
    """Names of the labels: ``index`` for pandas' unnamed index, repeated ones numbered (``label (2)``)."""
    result: dict[str, None] = {}
    numbers: Counter[str] = Counter()
    for name in names:
        base = candidate = "index" if name.strip() in _INDEX else name.strip()
        while candidate in result:
            numbers[base] += 1
            candidate = f"{base} ({numbers[base] + 1})"
        result[candidate] = None
    return list(result)


def parsed(texts: Sequence[str]) -> Sequence[str | int]:
    """Texts as integers if all are plainly written integers (``"007"`` is a text), else unchanged."""
    if not all(text.removeprefix("-").isdecimal() and len(text) < 18 for text in texts):
        return texts
    numbers = [int(text) for text in texts]
    return (
        numbers
        if all(str(number) == text for number, text in zip(numbers, texts, strict=True))
        else texts
    )


def label_bytes(text: str) -> int:
    """Bytes that one text counts towards the memory limit."""
    return max(LABEL_BYTES, sys.getsizeof(text))


def label_array(values: Sequence[Any]) -> NDArray[Any]:
    """One label per sample: integers, floats, or texts, whole however long (missing: "")."""
    kinds = {type(value) for value in values}
    if kinds <= {int, bool} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {float}:
        return np.array(values, dtype=np.float64)
    texts = ["" if value is None else str(value) for value in values]
    # Fixed-width text (four bytes a character) only where that takes about as much memory: one long
    # label would widen all others.
    padded = 4 * len(texts) * max(map(len, texts), default=0)
    return np.array(texts, dtype=str if padded <= 2 * sum(map(label_bytes, texts)) else object)


def decimals_in(column: NDArray[Any], where: str) -> Array | None:
    """The numbers of a label if some of them have decimals, else None. Raises ReadError for one with empty cells."""
    texts = column if column.dtype.kind in "iuf" else np.char.replace(column.astype(str), ",", ".")
    empty = np.isnan(texts) if texts.dtype.kind == "f" else texts == ""
    try:
        values = texts[~empty].astype(np.float64)
    except ValueError:
        return None
    if not (values != np.rint(values)).any():
        return None
    if empty.any():
        raise ReadError(
            f"{where}: {empty.sum():,} of {len(column):,} cells are empty. Fill them in, or leave"
            " the column out, in both tables, with drop."
        )
    return values


@dataclass(frozen=True)
class Plan:
    """Columns to read: one column of lists or several columns of numbers, and the label columns.

    refusal : what is said of a column of texts, which is read as a label, unless the table holds
    one value a row.
    """

    where: str
    features: tuple[str, ...]
    labels: tuple[str, ...]
    as_list: bool
    dtype: np.dtype[Any]
    refusal: ReadError | None = None

    @property
    def columns(self) -> list[str]:
        """Every column to read."""
        return [*self.features, *self.labels]

    def check_claim(self, rows: int, values: int, limits: Limits) -> None:
        """Refuse more values and labels than the limit."""
        check_claim(
            self.where, values * self.dtype.itemsize + rows * len(self.labels) * LABEL_BYTES, limits
        )

    def position(self, row: int, column: int) -> str:
        """Text for the place of a value, counted from 1."""
        if self.as_list:
            return (
                f"{self.where}, row {row + 1}, column {quoted(self.features[0])}, entry"
                f" {column + 1}"
            )
        return f"{self.where}, row {row + 1}, column {quoted(self.features[column])}"


def is_number(kind: Any) -> bool:
    """True for an Arrow type of numbers or truth values."""
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _is_label_type(kind: Any) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return not types.is_dictionary(kind.value_type) and _is_label_type(kind.value_type)
    return (
        is_number(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
    )


def _dtype(kinds: Iterable[Any]) -> np.dtype[Any]:
    """float32 if nothing wider is among the columns."""
    import pyarrow.types as types

    narrow = all(types.is_float16(kind) or types.is_float32(kind) for kind in kinds)
    return np.dtype(np.float32 if narrow else np.float64)


def plan_columns(
    schema: Any, where: str, key: str | None, limits: Limits, choice: ColumnChoice = EVERY
) -> Plan:
    """Sort the columns of an Arrow schema into features, labels and others, which are not read.

    choice : the columns that the user has chosen; a list column by its name alone.

    Raises
    ------
    AmbiguousKeyError : several list columns.
    ReadError : no features, a feature that is no number, repeated names, too many columns, a
    ``key`` that is no list
        column, or a choice that is missing.
    """
    import pyarrow.types as types

    check_columns(where, len(schema), limits)
    kinds = dict(zip(schema.names, schema.types, strict=True))
    if len(kinds) < len(schema.names):
        raise ReadError(f"{where}: two columns have the same name. Rename one of them.")
    lists = [
        name
        for name, kind in kinds.items()
        if (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))
        and (name == key or not is_label(name))
        and not choice.drops(name)
        and (name == key or not choice.features or name in choice.features)
    ]
    if key is not None and key not in lists:
        raise ReadError(f"{where}: has no list column {quoted(key)}. Its columns: {listed(kinds)}.")
    if key is None and len(lists) > 1:
        decimal = [name for name in lists if types.is_floating(kinds[name].value_type)]
        # beside lists of whole numbers, such as tokens
        lists = decimal if len(decimal) == 1 else lists
    if key is None and len(lists) > 1:
        raise AmbiguousKeyError(
            f"{where}: several list columns could be the samples: {listed(lists)}. Choose one with"
            " key=...",
            lists,
        )
    if not lists:
        return _plan_numbers(kinds, where, choice, index_columns(schema.metadata))
    choice.check(kinds, where)
    name = lists[0] if key is None else key
    inner = kinds[name].value_type
    if not is_number(inner):
        raise ReadError(
            f"{where}, column {quoted(name)}: lists of {quoted(str(inner))}, not of numbers. Save"
            " flat lists of floats."
        )
    labels = tuple(label for label, kind in kinds.items() if _is_label_type(kind))
    return Plan(where, (name,), labels, True, _dtype([inner]))


def _plan_numbers(
    kinds: dict[str, Any], where: str, choice: ColumnChoice, index: Collection[str]
) -> Plan:
    names = list(kinds)
    numeric = [is_number(kind) for kind in kinds.values()]
    places, others = sort_columns(names, numeric, choice, where, index)
    features = [names[place] for place in places]
    labels = [names[place] for place in others if _is_label_type(kinds[names[place]])]
    texts = [name for name in features if not is_number(kinds[name])]
    refusal = None if not texts else _refuse_text(texts[0], kinds[texts[0]], where)
    may_be_long = (
        len(kinds) <= MOST_COLUMNS
        and not choice.features
        and all(_is_label_type(kinds[text]) for text in texts)
    )
    if refusal is not None and (not may_be_long or len(texts) == len(features)):
        raise refusal
    if not features:
        raise ReadError(
            f"{where}: has no feature columns. Its columns: {listed(kinds)}. Add the embeddings."
        )
    features = [name for name in features if name not in texts]
    dtype = _dtype(kinds[name] for name in features)
    return Plan(where, tuple(features), (*labels, *texts), False, dtype, refusal)


def _refuse_text(name: str, kind: Any, where: str) -> ReadError:
    if str(kind).partition("[")[0].removeprefix("large_") in ("binary", "fixed_size_binary"):
        return ReadError(
            f"{where}, column {quoted(name)}: holds bytes, not numbers. If they are numbers of"
            " float32, make lists of them and save the table again:"
            f"\ntable[{name!r}] = [np.frombuffer(each, 'float32') for each in table[{name!r}]]"
        )
    return ReadError(
        f"{where}, column {quoted(name)}: holds {quoted(str(kind))}, not numbers. Leave it out, in"
        f" both tables, with {drop_text([name])}, make numbers of its categories, for both tables"
        " at once (pandas.get_dummies), or name it id, label, split, path or text to keep it; or,"
        f" {sets_text(name)}."
    )


@dataclass
class TableRows:
    """The values and labels of the batches read so far.

    text_bytes : bytes of the decoded texts; a dictionary counts once for consecutive batches that
    share it.
    """

    plan: Plan
    rows: int
    limits: Limits
    done: int = 0
    values: Array | None = None
    texts: dict[str, list[Any]] = field(default_factory=dict)
    long: dict[str, str] = field(default_factory=dict)
    text_bytes: int = 0
    dictionaries: dict[str, tuple[Any, Sequence[Any]]] = field(default_factory=dict)

    def append(self, batch: Any) -> None:
        """Add one Arrow record batch."""
        part = self._lists(batch) if self.plan.as_list else self._numbers(batch)
        if self.values is None:
            check_counts(self.plan.where, self.rows, part.shape[1], self.limits)
            # The number of rows is only a claim so far, and decides how much is allocated.
            self.plan.check_claim(self.rows, self.rows * part.shape[1], self.limits)
            self.values = np.empty((self.rows, part.shape[1]), dtype=self.plan.dtype)
        if self.done + len(part) > self.rows:
            raise ReadError(
                f"{self.plan.where}: corrupt (more rows than it claims). Write it again."
            )
        self.values[self.done : self.done + len(part)] = part
        for name in self.plan.labels:
            self.texts.setdefault(name, []).extend(self._labels(name, batch.column(name)))
        self.done += len(part)

    def _labels(self, name: str, column: Any) -> Sequence[Any]:
        """Python values of a label column."""
        import pyarrow.types as types

        if not types.is_dictionary(column.type):
            column.validate(full=True)
            return self._decoded(column)
        # Every batch repeats the dictionary, which may be large.
        dictionary = column.dictionary
        held, entries = self.dictionaries.get(name, (None, ()))
        if held is None or _place(dictionary) != _place(held):
            dictionary.validate(full=True)
            if held is None or not dictionary.equals(held):
                entries = self._decoded(dictionary)
            self.dictionaries[name] = dictionary, entries
        return [
            None if index is None else entries[index]
            for index in _valid(column.indices, len(entries)).to_pylist()
        ]

    def _decoded(self, column: Any) -> Sequence[Any]:
        self.text_bytes += _text_bytes(column)
        held = 0 if self.values is None else self.values.nbytes
        check_claim(self.plan.where, held + self.text_bytes, self.limits)
        values: list[Any] = column.to_pylist()
        # A long text is kept once, however often a file repeats it.
        return [
            (
                self.long.setdefault(value, value)
                if isinstance(value, str) and len(value) >= LABEL_BYTES
                else value
            )
            for value in values
        ]

    def _numbers(self, batch: Any) -> Array:
        part = np.empty((batch.num_rows, len(self.plan.features)), dtype=self.plan.dtype)
        for index, name in enumerate(self.plan.features):
            column = batch.column(name)
            column.validate(full=True)
            self._refuse_null(column, name)
            stored = column.to_numpy(zero_copy_only=False)
            self._check_exact(stored[:, None], index)
            # a signalling NaN is refused later, as every NaN is
            with np.errstate(invalid="ignore"):
                part[:, index] = stored
        return part

    def _lists(self, batch: Any) -> Array:
        import pyarrow.compute as pc

        column = batch.column(self.plan.features[0])
        column.validate(full=True)
        title = f"column {quoted(self.plan.features[0])}"
        self._refuse_null(column, self.plan.features[0])
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
        width = self.values.shape[1] if self.values is not None else int(lengths[0])
        ragged = np.flatnonzero(lengths != width)
        if len(ragged):
            row = int(ragged[0])
            raise ReadError(
                f"{self.plan.where}, row {self.done + row + 1}, {title}: {lengths[row]} values, but"
                f" {width} before it. Every sample needs the same number of values."
            )
        flat = column.flatten()
        if flat.null_count:
            row, entry = divmod(
                int(np.flatnonzero(flat.is_null().to_numpy(zero_copy_only=False))[0]), width
            )
            raise ReadError(
                f"{self.plan.position(self.done + row, entry)}: empty. Fill it in, or leave that"
                " row out."
            )
        part: Array = flat.to_numpy(zero_copy_only=False).reshape(len(lengths), width)
        self._check_exact(part, 0)
        return part

    def _check_exact(self, values: Array, first: int) -> None:
        check_exact(values, lambda row, column: self.plan.position(self.done + row, first + column))

    def _refuse_null(self, column: Any, name: str) -> None:
        if not column.null_count:
            return
        title = f"column {quoted(name)}"
        if column.null_count == self.rows:
            raise ReadError(
                f"{self.plan.where}, {title}: empty in every row. Leave it out, in both tables."
            )
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise EmptyCellError(
            f"{self.plan.where}, row {self.done + row + 1}, {title}: empty. Fill it in, or leave"
            " that row out.",
            self.plan.features.index(name),
        )


def _place(array: Any) -> tuple[object, ...]:
    """Memory addresses of an Arrow array's values, to compare arrays by."""
    buffers = [
        None if buffer is None else (buffer.address, buffer.size) for buffer in array.buffers()
    ]
    return (array.offset, len(array), *buffers)


def _valid(indices: Any, entries: int) -> Any:
    """Indices of a dictionary column. Raises ValueError for an index outside the dictionary."""
    import pyarrow.compute as pc

    indices.validate(full=True)
    ends = pc.min_max(indices).as_py()
    if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < entries:
        raise ValueError("an index outside its dictionary")
    return indices


def _text_bytes(column: Any) -> int:
    """Bytes of all texts of a valid column; many rows of a view may share one long text."""
    import pyarrow.types as types

    if types.is_string_view(column.type):
        lengths = np.frombuffer(column.buffers()[1], dtype=np.int32)[::4]
        return int(lengths[column.offset : column.offset + len(column)].sum(dtype=np.int64))
    return (
        int(column.nbytes)
        if types.is_string(column.type) or types.is_large_string(column.type)
        else 0
    )


def read_batches(
    plan: Plan, rows: int, batches: Iterable[Any], limits: Limits
) -> tuple[Array, dict[str, Array], tuple[str, ...]]:
    """Values (n, d), labels and names of features from Arrow record batches that together have ``rows`` rows.

    The names are as in the file, numbers included; a list has none.
    """
    table = TableRows(plan, rows, limits)
    for batch in batches:
        if batch.num_rows:
            # Arrow's kernels trust offsets and UTF-8 and crash on a corrupt file, so every column
            # is validated in full before its values are read, a dictionary once.
            batch.validate()
            table.append(batch)
    check_counts(plan.where, table.done, len(plan.features), limits)
    if table.values is None or table.done < rows:
        raise ReadError(
            f"{plan.where}: truncated (it claims {rows} rows, {table.done} are there). Write it"
            " again."
        )
    check_values(table.values, plan.position)
    names = label_names(plan.labels)
    labels = {
        name: label_array(table.texts[old]) for name, old in zip(names, plan.labels, strict=True)
    }
    return table.values, labels, () if plan.as_list else plan.features
