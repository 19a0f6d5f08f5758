"""Which columns of a table are features and which are labels; the values of .parquet and .feather
tables.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import sys
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Array
from prviz.readers.errors import AmbiguousKeyError, ReadError, listed, quoted

# Least bytes that one label of one sample counts towards the memory limit.
LABEL_BYTES = 64
# Most columns of a table in long form, with one value a row (sample, feature, value).
MOST_COLUMNS = 6
# Names that pandas gives to an index without a name.
_INDEX = ("", "Unnamed: 0", "__index_level_0__")
_LABEL = re.compile(
    "[fi]?ids?|id_?codes?|idx|index|uid|uuid|labels?|class|classes|targets?|category"
    "|split|fold|subset|(cv_?)?partition|paths?|files?"
    "|(k|cv|inner|outer|train|test|val)_?folds?"
    "|roles?|sources?|origins?|data_?sets?"
    "|file_?name|file_?path|images?|img|text|caption|prompt|url|names?"
    r"|(real|fake|synthetic|generated)_?(or|vs|versus)_?\w+"
    "|(.*_)?smiles|in_?ch_?i(_?key)?|sequences?|is_?(train(ing)?|test|val(id(ation)?)?)"
    r"|unnamed_+\d+(_\d+)?|level_\d+|.*_(id|idx|index|label|class|name|path|file|split)",
    re.DOTALL,
)
_CLASS = re.compile(r"(.*_)?(labels?|class(es)?|targets?)|ids?")
# Names of labels that measured quantities also have, such as body_mass_index and fold, a ratio.
_MEASURED = re.compile(r".+_(index|idx|class|path|split)|(.*_)?folds?", re.DOTALL)
# Where a new word begins in a name such as magError or RNGSeed. In a name without such marks, like
# objid, it begins before the last word.
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
# English word -> words in other languages for columns that tables keep beside features, without
# accents.
_ELSEWHERE = {
    "seed": "graine semilla semente startwert 种子 種子 シード",
    "epoch": "epoque epoche epoca epocas 轮次 エポック эпоха",
    "step": "schritt etape etapa paso passo stap 步骤 步数 ステップ шаг",
    "iteration": "iteracion iteracao iterazione iteratie 迭代 итерация",
    "run": "lauf durchlauf durchgang",
    "trial": "versuch essai ensayo tentativa prova",
    "row": "zeile ligne fila linha riga rij 行 строка",
    "number": "nummer numero 番号 номер",
    "index": "indice 序号 索引",
    "id": "kennung identifiant identificador identificativo 编号 編號",
    "label": "etikett etiquette etiqueta etichetta rotulo 标签 標籤 ラベル метка",
    "class": "klasse classe clase 类别 類別 クラス класс",
    "target": "ziel zielgrosse zielgroesse cible objetivo",
    "prediction": "vorhersage prediccion predicao previsione 预测 予測",
    "timestamp": "zeitstempel horodatage",
    "time": "uhrzeit temps tiempo tijd 时间 時間 時刻 время",
    "date": "fecha datum 日期 日付 дата",
    "year": "jahr annee ano anno 年",
    "month": "monat mois mes mese",
    "week": "woche semaine semana settimana",
    "day": "jour dia giorno",
    "hour": "stunde heure hora ora",
    "loss": "verlust perte perdida perdita",
    "duration": "dauer duree duracion durata",
    "weight": "gewicht gewichtung poids peso 权重 重み",
}
_ENGLISH = {word: said for said, words in _ELSEWHERE.items() for word in words.split()}
_GLUED = re.compile(
    r"(.*_)?(obj(?:ect)?|source|run|event|evt|samples?|image|img|user|item|row|record|cell|gene"
    r"|customer|client"
    r"|session|study|project|visit|subj(?:ect)?|patient"
    r"|participant|video|clip|frame|scene|doc(?:ument)?|task|episode"
    r"|batch|plot|site"
    r"|station|plate|fib(?:er|re)|field|track|particle|compound|random|noise|global|train(?:ing)?"
    r"|test|group|cluster"
    r"|trial|exp(?:eriment)?|replicate|line|entry|serial|order|node|sensor|device|file|epoch"
    r"|checkpoint|unix)"
    r"(ids?|idx|index|seed|steps?|epoch|no|nr|num|number|count|key|stamp|time)"
)
# Names of lists that belong to the tokens of a text, beside its embedding.
_OF_TOKENS = re.compile(
    r"(token_|cumulative_|top_)?log_?probs?|tokens?|(input|output|token|word|token_type)_ids"
    r"|(attention|special_tokens)_mask|offset(s|_mapping)"
)
# Pattern of names of truth-value columns that give a role; {} stands for the words for the role.
_FLAG = r"((is|was)_?)?({})(_?(image|sample|data|row|item|label|flag))?"
# Role -> names of truth-value columns that are true for samples of that role.
_FLAGS = {
    "real": re.compile(_FLAG.format("real|genuine|authentic|original")),
    "generated": re.compile(
        _FLAG.format("(ai_?)?generated|fake|synthetic|synth|artificial|simulated")
    ),
}
# Names that are no flags but features if the table also has a column of imaginary parts or of
# altered values.
_NO_FLAGS = ("real", "original")


def flag_of(name: str) -> str | None:
    """The role ("real" or "generated") of samples for which a truth-value column of this name is
    true; None for other names.
    """
    return next((role for role, flag in _FLAGS.items() if flag.fullmatch(plain_name(name))), None)


def is_label(name: str) -> bool:
    """True if a column of this name is an id, a label, a flag or a split rather than a feature."""
    plain = plain_name(name)
    if name.strip() in _INDEX or (flag_of(name) is not None and plain not in _NO_FLAGS):
        return True
    return _LABEL.fullmatch(plain) is not None


def is_class(name: str) -> bool:
    """True for a name of class labels, or ID. A column of that name may also hold measured numbers,
    such as a prediction, or an inner diameter.
    """
    return _CLASS.fullmatch(plain_name(name)) is not None


def is_measured(name: str) -> bool:
    """True for a name that labels and features share, such as body_mass_index: the column is a
    feature if it has decimals.
    """
    return _MEASURED.fullmatch(plain_name(name)) is not None


def is_path(name: str) -> bool:
    """True for the name of a path, which numbers can't be: WPath is a count of paths."""
    return plain_name(name).endswith("_path")


def plain_name(name: str) -> str:
    """A name in lower case, in English, with its words joined by underscores; handles magError,
    objid, @id and <DATE>.
    """
    words = _NEW_WORD.sub("_", re.sub("[ .:-]", "_", name.strip().strip("@<>:#$/")))
    plain = "_".join(map(_in_english, words.lower().split("_")))
    glued = _GLUED.fullmatch(plain)
    if glued is None:
        return plain
    return f"{glued[1] or ''}{glued[2]}_{glued[3]}"


def _in_english(word: str) -> str:
    """The English word for a word of `_ELSEWHERE`; any other word unchanged."""
    if word.isascii():
        return _ENGLISH.get(word, word)
    parts = unicodedata.normalize("NFKD", word.replace("ß", "ss"))
    bare = "".join(each for each in parts if not unicodedata.combining(each))
    return _ENGLISH.get(word) or _ENGLISH.get(bare, word)


@dataclass(frozen=True)
class ColumnChoice:
    """Columns of a table that the user has chosen by names or glob patterns.

    A name with characters of patterns, such as x[0], is also found as it is.

    features : the only features; empty: every column that is not named like a label.
    drop : columns that are labels, whatever they are named.
    group : the column that says which samples belong together.
    shared : True if the same choice is made for several files, of which one may lack a column, or
    all columns.
    rows : columns by which rows are chosen, such as condition in the key condition=stim; they are
    labels, too.
    """

    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    group: str | None = None
    shared: bool = False
    rows: tuple[str, ...] = ()
    # Names of all columns in the files read with this choice so far.
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
        """The `ColumnChoice` made of the arguments of `prviz.read`. Raises ReadError for arguments
        that are no text.
        """
        features = _patterns("columns", columns)
        dropped = _patterns("drop", drop)
        if group is not None and not isinstance(group, str):
            raise ReadError(f"group = {quoted(repr(group))}; the name of one column is needed")
        return cls(features, dropped, group, shared)

    def may_be_list(self, name: str, key: str | None) -> bool:
        """True if a list column of this name may hold the samples. key : name that the user gave,
        or None.
        """
        if self.drops(name):
            return False
        chosen = not self.features or name in self.features
        return name == key or (chosen and not is_label(name))

    def __bool__(self) -> bool:
        return bool(self.features or self.drop or self.group is not None)

    def takes(self, name: str) -> bool:
        """True if this column is one of ``features``; a pattern takes no column that is named like
        a label.
        """
        return name in self.features or (not is_label(name) and _matches(name, self.features))

    def drops(self, name: str) -> bool:
        """True if this column is one of ``drop``, or if a key of rows names it."""
        return name in self.rows or _matches(name, self.drop)

    def by(self, *rows: str | None) -> ColumnChoice:
        """The choice for reading sets of rows, each given as COLUMN=VALUE: these columns become
        labels.
        """
        named = (
            key[: mark.start()] for key in rows if key is not None for mark in re.finditer("=", key)
        )
        return replace(self, rows=tuple(named))

    def without(self, names: Iterable[str]) -> ColumnChoice:
        """The choice with further columns left out."""
        return replace(self, drop=(*self.drop, *names))

    def unknown(self, names: Collection[str]) -> list[str]:
        """The chosen names and patterns that match none of these columns."""
        chosen = (*self.features, *self.drop)
        unknown = [
            pattern for pattern in chosen if not any(_matches(name, (pattern,)) for name in names)
        ]
        if self.group is not None and self.group not in names:
            unknown.append(self.group)
        return unknown

    def known(self, names: Collection[str]) -> ColumnChoice:
        """The choice without names and patterns that match none of these columns, as one of several
        files may lack a column.
        """
        missing = self.unknown(names)
        features = tuple(one for one in self.features if one not in missing)
        drop = tuple(one for one in self.drop if one not in missing)
        return ColumnChoice(features, drop, None if self.group in missing else self.group)

    def check(self, names: Collection[str], where: str) -> None:
        """Raise ReadError for a name or pattern that matches no column, unless the choice is for
        several files.
        """
        if self.shared and self:
            self.met.update(names)
        if not self.shared and (unknown := self.unknown(names)):
            raise ReadError(
                f"{where}: has no column {quoted(unknown[0])}. Its columns: {listed(names)}."
            )

    def refuse_arrays(self, where: str) -> None:
        """Raise ReadError if features are chosen in a file without columns, unless the choice is
        for several files.
        """
        if not self.shared and (self.features or self.drop):
            raise ReadError(
                f"{where}: an array, without names of columns. Give neither columns nor drop."
            )


class Contents(NamedTuple):
    """What one set consists of in a file: values, labels, feature names, metadata of any type, and
    notes.

    features : () if the values are one array, or the lists of one column.
    """

    values: Array
    labels: dict[str, Array]
    features: tuple[str, ...] = ()
    metadata: Any = None
    notes: tuple[str, ...] = ()


# No choice by the user, for reading one file.
EVERY = ColumnChoice()
# No choice by the user, for reading several files.
SHARED = ColumnChoice(shared=True)


def _patterns(name: str, given: str | Sequence[str] | None) -> tuple[str, ...]:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    patterns: tuple[Any, ...] = (given,)
    if given is None or several:
        patterns = tuple(given or ())
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
    """Indices of the feature columns and of the label columns of a table; other columns are not
    read.

    numeric : False for a column that holds no numbers.
    index : columns that are no features by the file's metadata; a pattern does not take them.

    Raises
    ------
    ReadError : a column of the choice is missing.
    """
    choice.check(names, where)
    features = []
    labels = []
    for place, name in enumerate(names):
        no_feature = name in index and name not in choice.features
        if name == choice.group or choice.drops(name) or no_feature:
            labels.append(place)
        elif choice.takes(name) if choice.features else not is_label(name):
            features.append(place)
        elif is_label(name) or not numeric[place]:
            labels.append(place)
    # Names that are all numbers: pandas names unnamed columns so, and they may be out of order.
    if all(names[place].isdecimal() for place in features):
        features.sort(key=lambda place: int(names[place]))
    return features, labels


def one_list(
    lists: Sequence[str], key: str | None, names: Collection[str], where: str
) -> str | None:
    """Name of the list column that holds the samples; None if there is no list column.

    Raises
    ------
    AmbiguousKeyError : several list columns, and no ``key``.
    ReadError : the ``key`` is none of them.
    """
    lists = [name for name in lists if key in (None, name)]
    others = [name for name in lists if not _OF_TOKENS.fullmatch(plain_name(name))]
    if key is None and len(others) == 1:
        lists = others
    if key is not None and not lists:
        raise ReadError(f"{where}: has no list column {quoted(key)}. Its columns: {listed(names)}.")
    if len(lists) > 1:
        raise AmbiguousKeyError(
            f"{where}: several list columns could be the samples: {listed(lists)}. Choose one with"
            " key=...",
            lists,
        )
    return next(iter(lists), None)


def own_names(features: Sequence[str]) -> tuple[str, ...]:
    """The names of the features; empty if they merely number the columns (years count as names)."""
    numbered = all(map(str.isdecimal, features))
    if numbered and max(map(int, features), default=0) <= 2 * len(features):
        return ()
    return tuple(features)


# Pattern of a Python string literal.
_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
# Pattern of a word as `shlex.quote` writes it.
_WORD = r"""(?:'[^']*'|"'"|[\w@%+=:,./-]+)+"""
# Pattern of the suggestion that `drop_text` writes.
_DROPPED = re.compile(rf"drop=(?:{_TEXT}|\[{_TEXT}(?:, {_TEXT})*\]) \(--drop ({_WORD})\)")
# Pattern of the suggestion that `sets_text` writes.
_SETS = re.compile(rf"--real-key {_WORD}=VALUE --generated-key {_WORD}=VALUE")

# Patterns of the suggestions about groups: by `group_text`, by the check of the row order, and for
# frames of clips.
_GROUPED = re.compile(
    rf"group={_TEXT} \((--group {_WORD})\)|(--group COLUMN), Samples\([.]{{3}}, groups=[.]{{3}}\)"
    rf"|(--group {_WORD}) \(group={_TEXT}\)"
)


def columns_offered(text: str) -> tuple[str, ...]:
    """The columns that a message suggests to leave out, in the words of `drop_text`; empty if there
    are none.
    """
    found = _DROPPED.search(text)
    if found is None:
        return ()
    return tuple(next(csv.reader(shlex.split(found[1]))))


def with_buttons(text: str) -> str:
    """The message as a page shows it: a button leaves columns out there, and groups can't be
    set.
    """
    text = _GROUPED.sub(
        lambda found: f"{found[found.lastindex or 0]} in the shell, not on a page", text
    )
    if not columns_offered(text):
        return text
    text = re.sub(f", {_DROPPED.pattern}", "", text)
    text = _DROPPED.sub("the button below", text)
    return _SETS.sub("read this file alone and choose its rows", text)


def sets_text(name: str) -> str:
    """Options of the shell that read two sets of rows of a table, by the values of column
    ``name``.
    """
    given = "COLUMN"
    if name.isprintable():
        given = shlex.quote(name)
    return (
        f"where it says which rows are real: --real-key {given}=VALUE --generated-key {given}=VALUE"
    )


def group_text(name: str) -> str:
    """The arguments of Python and of the shell that name the column of groups."""
    return f"group={name!r} (--group {shlex.quote(name)})"


def index_columns(metadata: Any) -> tuple[str, ...]:
    """Names of the index columns of a table, from the metadata that pandas writes into an Arrow
    schema.
    """
    text = None
    if isinstance(metadata, Mapping):
        text = metadata.get(b"pandas")
    try:
        found = json.loads(text)["index_columns"] if text else ()
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
    if isinstance(found, list):
        return tuple(name for name in found if isinstance(name, str))
    return ()


def label_names(names: Sequence[str]) -> list[str]:
    """Names of the labels: ``index`` for pandas' unnamed index, repeated ones numbered (``label
    (2)``).
    """
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
    """Texts as integers if all are plainly written integers (``"007"`` is a text), else
    unchanged.
    """
    if not all(text.removeprefix("-").isdecimal() and len(text) < 18 for text in texts):
        return texts
    numbers = list(map(int, texts))
    if list(map(str, numbers)) == list(texts):
        return numbers
    return texts


def label_bytes(text: str) -> int:
    """Bytes that a label text counts towards the memory limit."""
    return max(LABEL_BYTES, sys.getsizeof(text))


def label_array(values: Sequence[Any]) -> Array:
    """One label per sample: integers, floats, or texts of any length in full (missing: "")."""
    kinds = {type(value) for value in values}
    if kinds <= {int, bool} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {float}:
        return np.array(values, dtype=float)
    texts = ["" if value is None else str(value) for value in values]
    # NumPy pads texts to the longest one, four bytes a character. So a fixed width is used only if
    # it takes about as much memory as Python texts.
    padded = 4 * len(texts) * max(map(len, texts), default=0)
    return np.array(texts, dtype=str if padded <= 2 * sum(map(label_bytes, texts)) else object)


def decimals_in(column: Array, where: str, whole: bool = False) -> Array | None:
    """The values of a label column as numbers if some have decimals, or if whole numbers are meant
    too, else None. Raises ReadError if any cell is empty.
    """
    texts = column if column.dtype.kind in "iuf" else np.char.replace(column.astype(str), ",", ".")
    empty = np.isnan(texts) if texts.dtype.kind == "f" else texts == ""
    try:
        values = texts[~empty].astype(float)
    except ValueError:
        return None
    if empty.all() or not (whole or (values != np.rint(values)).any()):
        return None
    if empty.any():
        raise ReadError(
            f"{where}: {empty.sum():,} of {len(column):,} cells are empty. Fill them in, or leave"
            " the column out, in both tables, with drop."
        )
    return values
