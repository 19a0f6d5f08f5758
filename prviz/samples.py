"""Samples of one distribution, a pair of real and generated samples, and a seeded split; everything
is validated when it is created.
"""

from __future__ import annotations

import hashlib
import re
import reprlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prviz.arguments import checked_list, checked_share, checked_whole
from prviz.array_input import as_table, feature_names, numbers_order
from prviz.arrays import Array, Flags, Ints
from prviz.cells import table_html
from prviz.quoting import drop_text, listed, quoted
from prviz.warning import from_outside, warn

# Share of each set that defines the classifiers; None or "none": no split.
SplitRatio: TypeAlias = float | Literal["none"] | None

# Bytes of values that are checked or hashed at a time, so that a memory-mapped file never has to
# fit into memory.
_CHUNK_BYTES = 1 << 22
# Beginning of a note that samples were left out to cut a set to a certain size.
CUT = "cut to"
# Words before or behind all feature names of one set that only say which set it is.
_OF_A_SET = re.compile(
    r"syn|synth|synthetic|gen|generated|fake|sim|simulated|samples?|sampled|real|orig|original|ref"
    r"|reference|true"
)
# Note on a pair whose features were matched although their names are spelled differently.
RENAMED = (
    "the names of the features differ in capitals, spaces, signs or the name of their set alone;"
    " they were taken for the same"
)
# Note on a pair whose generated features were put in the order of the real ones.
REORDERED = (
    "the generated features stood in another order than the real ones; they were matched by name"
)


def _row_chunks(values: Array) -> Iterator[Array]:
    """Rows in order, in chunks of about _CHUNK_BYTES."""
    step = max(1, _CHUNK_BYTES // max(1, values[:1].nbytes))
    return (values[start : start + step] for start in range(0, len(values), step))


def _read_only(array: Array) -> Array:
    """A read-only, C-contiguous, aligned array; a copy if somebody could still write to the
    original.
    """
    result: Array = np.require(array, requirements=("C", "A"))
    if result.flags.writeable:
        if result is array or result.base is not None:
            result = result.copy()
        result.flags.writeable = False
    return result


def _finite_extremes(values: Array, name: str, plain: bool = False) -> tuple[float, float]:
    """The smallest and the largest value. Raises ValueError for NaN or infinity.

    plain : True if the values were given as Python lists.
    """
    with np.errstate(invalid="ignore"):
        ends = np.array([(part.min(), part.max()) for part in _row_chunks(values)], float)
    if not np.isfinite(ends).all():
        raise _not_finite(values, name, "numpy.array(values)" if plain else "values")
    return float(ends[:, 0].min()), float(ends[:, 1].max())


def _not_finite(values: Array, name: str, array: str) -> ValueError:
    """The error for NaN or infinity: where the first one is, and how many there are.

    array : Python expression for the values as an array, for the advice.
    """
    first = (0, 0)
    start = 0
    count = 0
    for part in _row_chunks(values):
        bad = ~np.isfinite(part)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            if not count:
                first = (start + int(row), int(column))
            count += int(bad.sum())
        start += len(part)
    row, column = first
    return ValueError(
        f"{name}: row {row + 1}, column {column + 1} is {values[row, column]}; every value must be"
        f" finite ({count} of {values.size} are not); {array}[numpy.isfinite(values).all(axis=1)]"
        " leaves such rows out"
    )


def missing(groups: Array) -> Flags:
    """True for None and NaN, which would otherwise all form one group."""
    if groups.dtype == object:
        return np.array([each is None or each != each for each in groups.tolist()])
    if groups.dtype.kind == "f":
        return np.isnan(groups)
    return np.zeros(len(groups), bool)


def _texts(features: object, title: str) -> tuple[str, ...]:
    """The names of features as texts; TypeError for what holds no names."""
    return tuple(
        map(str, checked_list(f"{title}: features", features, "names, one for each column,"))
    )


@dataclass(frozen=True, eq=False)
class Samples:
    """n samples of one distribution in R^d, such as the embeddings of n pictures; `numpy.asarray`
    gives the values.

    Parameters
    ----------
    values : array_like of shape (n, d)
        Real numbers: an array, a tensor in the CPU's memory, a data frame, a column of lists, or a
        sequence of rows. float16 is widened to float32, integers and booleans to float64, and (n,
        d, 1, 1) is squeezed.
        Stored read-only and C-contiguous. A read-only, C-contiguous float32 or float64 array, such
        as ``np.load(path, mmap_mode="r")``, is not copied: its file must not change.
    name : str
        Name of the samples in messages and legends.
    labels : mapping of str to array, optional
        Columns beside the features (class, id, file ...), each of length n.
    images : ndarray of uint8, shape (n, height, width), optional
        One picture per sample.
    encoder : mapping of str to str, optional
        How the values were computed, as `prviz embed` writes it into a file: ``encoder``,
        ``weights_sha256``, ``transform``, ``versions``, ``source``, and for pictures ``sides``
        (their shorter sides in pixels). Empty: not known.
    features : sequence of str, optional
        Names of the d features. By default the columns of a data frame or the fields of a
        structured array given as values. Empty: features have no names.
    groups : array_like of shape (n,), optional
        The group of each sample, such as its video, patient or donor. Splits and resampling keep
        the samples of a group together. None: every sample is independent of the others.
    notes : sequence of str
        Decisions made when the samples were read, such as columns that were left out.

    Raises
    ------
    TypeError
        Values that are not real numbers, or that can't be converted to an array; the message says
        what to do.
    ValueError
        Wrong shape, no values, NaN or infinity (with row and column, counted from 1), or labels,
        images, features or groups of another length.

    Examples
    --------
    >>> from prviz import Samples
    >>> Samples([[0.0, 1.0], [2.0, 3.0]], "two points")
    Samples('two points', 2 x 2, float64)
    """

    values: Array
    name: str = ""
    labels: Mapping[str, Array] = field(default_factory=dict)
    images: Array | None = None
    encoder: Mapping[str, str] = field(default_factory=dict)
    features: Sequence[str] = ()
    groups: Array | None = None
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        title = self.name or "samples"
        columns = feature_names(self.values)
        values = as_table(self.values, title)
        order = numbers_order(self.values)
        if order and len(order) == values.shape[1]:
            values = values[:, order]
            said = "its columns are in the order of their numbers"
            object.__setattr__(self, "notes", (*self.notes, said))
        extremes = _finite_extremes(values, title, plain=isinstance(self.values, list | tuple))
        _check_labels(self.labels, len(values), title)
        images = None
        if self.images is not None:
            images = np.asarray(self.images)
        if images is not None and (
            images.ndim != 3 or len(images) != len(values) or images.dtype != np.uint8
        ):
            raise ValueError(
                f"{title}: images have shape {images.shape} and dtype {images.dtype}; "
                f"({len(values)}, height, width) of uint8 is needed"
            )
        features = _texts(self.features, title)
        # The columns of a data frame name its features, unless one column holds lists.
        if not features and len(columns) == values.shape[1]:
            features = columns
        if features and len(features) != values.shape[1]:
            raise ValueError(
                f"{title}: {len(features)} names for {values.shape[1]} features; one each is needed"
            )
        groups = None
        if self.groups is not None:
            groups = np.asarray(self.groups)
        if groups is not None and groups.shape != (len(values),):
            raise ValueError(
                f"{title}: groups have shape {groups.shape}; one group for each of {len(values)}"
                " samples"
            )
        if groups is not None and (absent := missing(groups)).any():
            raise ValueError(
                f"{title}: {absent.sum()} of {len(values)} groups are missing, the first of sample"
                f" {np.argmax(absent) + 1}; say of each sample which group it belongs to"
            )
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "groups", None if groups is None else _read_only(groups))
        object.__setattr__(self, "values", _read_only(values))
        object.__setattr__(self, "extremes", extremes)
        object.__setattr__(
            self,
            "labels",
            {key: _read_only(np.asarray(column)) for key, column in self.labels.items()},
        )
        if images is not None:
            object.__setattr__(self, "images", _read_only(images))

    def __reduce__(self) -> tuple[Any, ...]:
        return Samples, tuple(getattr(self, each.name) for each in fields(self))

    def __repr__(self) -> str:
        return f"Samples({self.name!r}, {self.size_text}, {self.values.dtype})"

    def _repr_html_(self) -> str:
        return table_html(_HEAD, [_row("", self)], " ".join(self.notes))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return self.n

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of features."""
        return self.n, self.d

    @property
    def size_text(self) -> str:
        """Number of samples and of features, and the columns that are labels instead."""
        labels = f", labels {', '.join(self.labels)}" if self.labels else ""
        return f"{self.n} x {self.d}{labels}"

    @cached_property
    def n(self) -> int:
        """Number of samples."""
        return int(self.values.shape[0])

    @cached_property
    def d(self) -> int:
        """Number of features."""
        return int(self.values.shape[1])

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest value, cached when all values were checked to be finite."""
        return _finite_extremes(self.values, self.name)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of shape, dtype, every byte of the values, and the groups: equal digests mean
        equal results.
        """
        head = f"{self.values.shape}{self.values.dtype.newbyteorder('<').str}".encode()
        hasher = hashlib.sha256(head)
        for part in _row_chunks(self.values):
            hasher.update(part.astype(self.values.dtype.newbyteorder("<"), copy=False).data)
        if self.groups is not None:
            hasher.update(repr(self.groups.tolist()).encode())
        return hasher.hexdigest()

    @cached_property
    def group_numbers(self) -> Ints | None:
        """The number of each sample's group, from 0 in the order of the groups; None without
        groups.
        """
        if self.groups is None:
            return None
        return np.unique(self.groups, return_inverse=True)[1].reshape(-1).astype(np.intp)

    @property
    def n_independent(self) -> int:
        """Number of independent samples that are worth as much as these, see `independent_number`;
        n without groups.
        """
        if self.group_numbers is None:
            return self.n
        return independent_number(self.group_numbers)

    def one_of_each_group(self, seed: int = 0) -> Samples:
        """One sample of each group, drawn by the seed; all samples without groups.

        Parameters
        ----------
        seed : int
            Seed of the draw.

        Returns
        -------
        Samples
            Independent samples, in the order of their rows.
        """
        checked_whole("seed", seed, 0)
        if self.groups is None:
            return self
        order = np.random.default_rng(seed).permutation(self.n)
        rows = order[np.unique(self.groups[order], return_index=True)[1]]
        return replace(self.take(np.sort(rows)), groups=None)

    def take(self, indices: Ints) -> Samples:
        """Samples of the given rows, with their labels and images.

        Parameters
        ----------
        indices : ndarray of int
            Row numbers.

        Returns
        -------
        Samples
            A copy of these rows.
        """
        values = self._chosen("rows", self.n, indices, lambda rows: self.values[rows])
        labels = {key: column[indices] for key, column in self.labels.items()}
        images = None
        if self.images is not None:
            images = self.images[indices]
        groups = None
        if self.groups is not None:
            groups = self.groups[indices]
        # Nothing else refers to this copy. Unless it is read-only, `Samples` would copy it again.
        values.flags.writeable = False
        return replace(self, values=values, labels=labels, images=images, groups=groups)

    def take_features(self, columns: Sequence[int] | Ints) -> Samples:
        """The same samples with these features alone, in this order, and their names.

        Parameters
        ----------
        columns : sequence of int
            Numbers of features, from 0.

        Returns
        -------
        Samples
            A copy of these columns.
        """
        values = self._chosen("features", self.d, columns, lambda chosen: self.values[:, chosen])
        features = tuple(self.features[column] for column in columns) if self.features else ()
        return replace(self, values=values, features=features)

    def _chosen(self, what: str, size: int, given: Any, choose: Callable[[Any], Array]) -> Array:
        """The chosen rows or features; IndexError for what chooses none."""
        try:
            return choose(given)
        except IndexError:
            raise IndexError(
                f"{self.name or 'samples'}: {reprlib.repr(given)} are no numbers of {what}; whole"
                f" numbers from 0 to {size - 1} are needed"
            ) from None

    def _in_order(self, features: Sequence[str]) -> Samples:
        """The samples with their features in the order of these names, which must be a
        permutation.
        """
        places = {name: place for place, name in enumerate(self.features)}
        return self.take_features([places[name] for name in features])


# Encodings of older tables, which readers take for the encoding of Windows.
_ENCODINGS = ("cp1251", "cp1250", "cp1253", "cp932", "gb18030", "big5", "euc_kr")
_HEAD = ("samples", "features", "independent", "least", "greatest")


def _row(role: str, samples: Samples) -> tuple[str, ...]:
    """Name and numbers of a set for the table in a notebook."""
    name = ": ".join(dict.fromkeys(word for word in (role, samples.name) if word))
    counts = (samples.n, samples.d, samples.n_independent)
    return (name, *(f"{count:,}" for count in counts), *(f"{end:.3g}" for end in samples.extremes))


def notes_of(sets: Iterable[Samples]) -> dict[str, list[str]]:
    """The notes on the sets, each with the names of the sets it belongs to."""
    found: dict[str, list[str]] = {}
    for samples in sets:
        for note in samples.notes:
            found.setdefault(note, []).append(samples.name)
    return found


def independent_number(groups: Ints) -> int:
    """Number of independent samples that are worth as much as samples in groups, if the samples of
    a group are all equal.
    """
    sizes = np.bincount(groups).astype(float)
    return max(int(sizes.sum() ** 2 / np.square(sizes).sum() + 1e-9), 1)


SamplesLike: TypeAlias = Samples | ArrayLike


def as_samples(values: Any, *, name: str = "") -> Samples:
    """``values`` as `Samples`: returned unchanged if they are, else validated and wrapped."""
    if isinstance(values, Samples):
        return values
    return Samples(values, name)


@dataclass(frozen=True, eq=False)
class SamplePair:
    """Real and generated samples of one space; ``real, generated = pair`` unpacks it.

    If both sets name their features, they are matched by name: generated features are put in the
    order of the real ones, with a `PrvizWarning`.

    Parameters
    ----------
    real, generated : Samples or array_like of shape (n, d)
        The two sets; their sizes may differ.

    Attributes
    ----------
    reordered : bool
        True if the generated features had another order.
    renamed : bool
        True if names of the generated features differed from the real ones only in capitals, spaces
        or signs, and were matched all the same.

    Raises
    ------
    ValueError
        Sets of different dimensions, or a feature that only one set has.
    """

    real: Samples
    generated: Samples
    reordered: bool = field(default=False, init=False)
    renamed: bool = field(default=False, init=False)

    @property
    def features(self) -> Sequence[str]:
        """Names of the features: of the real set or, if it has none, of the generated one."""
        return self.real.features or self.generated.features

    @property
    def smaller(self) -> int:
        """Number of samples of the smaller set."""
        return min(self.real.n, self.generated.n)

    @classmethod
    def of(cls, real: Any, generated: Any) -> SamplePair:
        """The pair of two sets, called "real" and "generated" where they have no name.

        Parameters
        ----------
        real, generated : Samples or array_like of shape (n, d)
            The two sets; their sizes may differ.

        Returns
        -------
        SamplePair

        Raises
        ------
        ValueError
            Sets of different dimensions, or an array that is no table of finite numbers.
        """
        return cls(as_samples(real, name="real"), as_samples(generated, name="generated"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "real", as_samples(self.real, name="real"))
        object.__setattr__(self, "generated", as_samples(self.generated, name="generated"))
        real = self.real.features
        generated = self.generated.features
        if real and generated and (alike := _same_names(real, generated)):
            generated = alike
            object.__setattr__(self, "generated", replace(self.generated, features=alike))
            object.__setattr__(self, "renamed", True)
            if from_outside():
                warn(self.digest, RENAMED)
        if real and generated and real != generated:
            _check_names(real, generated)
            object.__setattr__(self, "generated", self.generated._in_order(real))
            object.__setattr__(self, "reordered", True)
            # If prviz itself made the pair, its caller reports the new order as a flag.
            if from_outside():
                warn(self.digest, REORDERED)
        if self.real.d != self.generated.d:
            raise ValueError(
                f"real samples have {self.real.d} features, generated ones have {self.generated.d};"
                " both must come from the same encoder and have the same dimension"
            )

    def having(self, real: Samples, generated: Samples) -> SamplePair:
        """A pair of parts of these sets, or of the sets with swapped roles, which keeps
        ``reordered`` and ``renamed``.

        Parameters
        ----------
        real, generated : Samples
            The new sets.

        Returns
        -------
        SamplePair
            The new pair.
        """
        pair = SamplePair(real, generated)
        object.__setattr__(pair, "reordered", self.reordered or pair.reordered)
        object.__setattr__(pair, "renamed", self.renamed or pair.renamed)
        return pair

    def __repr__(self) -> str:
        return f"SamplePair({self.real!r}, {self.generated!r})"

    def _repr_html_(self) -> str:
        notes = " ".join(f"{note}." for note in notes_of(self))
        return table_html(_HEAD, [_row(*each) for each in by_role(self)], notes)

    def __iter__(self) -> Iterator[Samples]:
        return iter((self.real, self.generated))

    @cached_property
    def d(self) -> int:
        """Number of features of both sets."""
        return self.real.d

    @cached_property
    def digest(self) -> str:
        """SHA-256 of both sets' digests, real first."""
        return hashlib.sha256((self.real.digest + self.generated.digest).encode()).hexdigest()

    def split(self, ratio: SplitRatio, seed: int = 0) -> Split:
        """Draw the fit and the evaluation samples.

        Parameters
        ----------
        ratio : float or "none", optional
            Share of each set, in (0, 1), that defines the classifiers; the rest measures their
            error rates. None or "none": no split; all samples serve for both, as in most published
            metrics.
        seed : int
            Seed of the draw. Both sets use the same random stream, so that swapping their roles
            mirrors every estimate exactly.

        Returns
        -------
        Split
            Rows of both parts.

        Raises
        ------
        ValueError
            A ratio outside (0, 1), or a set too small to leave a sample for both parts.
        """
        sizes = (self.real.n, self.generated.n)
        share = split_share(ratio)
        checked_whole("seed", seed, 0)
        if share is None:
            everything = np.arange(sizes[0]), np.arange(sizes[1])
            return Split(self, everything, everything, held_out=False)
        (fit_real, evaluate_real), (fit_generated, evaluate_generated) = (
            _draw(samples, share, seed, role)
            for samples, role in zip(self, ("real", "generated"), strict=True)
        )
        return Split(
            self, (fit_real, fit_generated), (evaluate_real, evaluate_generated), held_out=True
        )


@dataclass(frozen=True, eq=False)
class Split:
    """Samples that define the classifiers (``fit``) and samples that measure their error rates
    (``evaluate``).

    Parameters
    ----------
    pair : SamplePair
        The samples that were split; rows are copied when ``fit`` or ``evaluate`` is first used.
    fit_rows, evaluate_rows : tuple of two ndarray of int
        Rows of the fit and of the evaluation samples, real and generated.
    held_out : bool
        False if the same samples serve for both; then ``fit is evaluate is pair``.
    """

    pair: SamplePair
    fit_rows: tuple[Ints, Ints]
    evaluate_rows: tuple[Ints, Ints]
    held_out: bool

    @cached_property
    def fit(self) -> SamplePair:
        """Samples that define the classifiers; copied if held out."""
        return self._taken(self.fit_rows)

    @cached_property
    def evaluate(self) -> SamplePair:
        """Samples that measure the error rates; copied if held out."""
        return self._taken(self.evaluate_rows)

    def _taken(self, rows: tuple[Ints, Ints]) -> SamplePair:
        if not self.held_out:
            return self.pair
        return SamplePair(self.pair.real.take(rows[0]), self.pair.generated.take(rows[1]))


def pair_of(real: Any, generated: Any = None) -> SamplePair:
    """The pair of two sets; ``real`` itself if it is a pair and ``generated`` is not given."""
    if isinstance(real, SamplePair) and generated is None:
        return real
    if generated is None:
        raise TypeError("generated is missing; two sets of samples are needed, or one SamplePair")
    return SamplePair.of(real, generated)


def by_role(pair: SamplePair) -> tuple[tuple[str, Samples], ...]:
    """Both sets, each with the name of its role."""
    return ("real", pair.real), ("generated", pair.generated)


def split_share(ratio: object) -> float | None:
    """The share in (0, 1) that a public function was given as ``split``; None for None and
    "none".
    """
    if ratio is None or (isinstance(ratio, str) and ratio.strip().lower() == "none"):
        return None
    return checked_share("split", ratio, ", or None for no split,")


def _check_labels(labels: object, n: int, title: str) -> None:
    """Raise TypeError if labels are no mapping, ValueError for a column of another length."""
    if not isinstance(labels, Mapping):
        raise TypeError(
            f"{title}: labels is {type(labels).__name__}; a mapping of names to columns is needed,"
            " such as {'class': [...]}"
        )
    for label, column in labels.items():
        size: object = "no"
        if isinstance(column, Sized) and not isinstance(column, str):
            size = len(column)
        if size != n:
            raise ValueError(f"{title}: label {label!r} has {size} entries for {n} samples")


def _draw(samples: Samples, ratio: float, seed: int, role: str) -> tuple[Ints, Ints]:
    """Rows of the fit and of the evaluation samples, each in increasing order. Samples of one group
    stay together.
    """
    if samples.groups is not None:
        return _draw_groups(samples.groups, ratio, seed, role)
    n = samples.n
    if n < 2:
        raise ValueError(f"{role}: {n} sample can't be split; at least 2 are needed")
    n_fit = min(max(round(ratio * n), 1), n - 1)
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[:n_fit]), np.sort(order[n_fit:])


def _draw_groups(groups: Array, ratio: float, seed: int, role: str) -> tuple[Ints, Ints]:
    """`_draw` for samples in groups: whole groups in random order, as many as come closest to the
    share.
    """
    _, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise ValueError(
            f"{role}: all {len(groups)} samples are of one group, which can't be split; at least 2"
            " groups are needed"
        )
    order = np.random.default_rng(seed).permutation(len(sizes))
    drawn = np.cumsum(sizes[order])[:-1]
    n_groups = 1 + int(np.argmin(np.abs(drawn - ratio * len(groups))))
    fit = np.isin(codes.reshape(-1), order[:n_groups])
    return np.flatnonzero(fit), np.flatnonzero(~fit)


def _same_names(real: Sequence[str], generated: Sequence[str]) -> tuple[str, ...]:
    """The generated feature names as the real set writes them; empty if they really differ.

    Names may differ in capitals, spaces and signs, or all names of one set may have the same word
    before or behind that says which set it is.
    """
    if set(real) == set(generated):
        return ()
    names = dict(zip(map(_letters, real), real, strict=True))
    spoken = list(map(_letters, generated))
    longer, shorter = max(spoken, names, key=_length), min(spoken, names, key=_length)
    begin, end = _ends(list(longer), list(shorter))
    if any(not _OF_A_SET.fullmatch(each) for each in (begin, end) if each):
        return ()
    if longer is spoken:
        spoken = [name[len(begin) : len(name) - len(end)] for name in spoken]
    else:
        spoken = [f"{begin}{name}{end}" for name in spoken]
    alike = len(names) == len(real) == len(spoken) and set(spoken) == set(names)
    if alike:
        return tuple(names[name] for name in spoken)
    return ()


def _letters(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def _length(names: Iterable[str]) -> int:
    return len("".join(names))


def _ends(longer: Sequence[str], shorter: Sequence[str]) -> tuple[str, str]:
    """The texts in front of and behind each longer name that make it of a shorter one; two empty
    texts if there are none.
    """
    extra = len(longer[0]) - min(len(name) for name in shorter)
    for size in range(max(extra, 0) + 1):
        begin = longer[0][:size]
        for rest in range(extra - size + 1):
            end = longer[0][len(longer[0]) - rest :]
            if {f"{begin}{name}{end}" for name in shorter} == set(longer):
                return begin, end
    return "", ""


def _ends_text(alone: Mapping[str, Sequence[str]]) -> str:
    """Advice to remove a text from all names of one set, if the names are equal then; else ""."""
    longer = max(alone, key=lambda role: _length(alone[role]))
    shorter = min(alone, key=lambda role: _length(alone[role]))
    if longer == shorter or len(alone[longer]) != len(alone[shorter]) or not alone[shorter]:
        return ""
    begin, end = _ends(alone[longer], alone[shorter])
    more = [
        f"{quoted(each)} {where}" for each, where in ((begin, "in front"), (end, "behind")) if each
    ]
    if not more:
        return ""
    return (
        f"Those of the {longer} set have {' and '.join(more)}: if they are the same, leave "
        f"that out. "
    )


def _encoding_text(alone: Mapping[str, Sequence[str]]) -> str:
    """Advice to save the file of one set as UTF-8, if its names, read in another encoding, are
    those of the other set; else "".
    """
    sets = (("real", "generated"), ("generated", "real"))
    for (role, other), encoding, read_as in product(sets, _ENCODINGS, ("cp1252", "latin-1")):
        try:
            names = [name.encode(read_as).decode(encoding) for name in alone[role]]
        except UnicodeError:
            continue
        if names and {*names} == {*alone[other]}:
            return (
                f"They are the same if the file of the {role} set is in {encoding}: save it as "
                "UTF-8. "
            )
    return ""


def _check_names(real: Sequence[str], generated: Sequence[str]) -> None:
    """Raise ValueError unless both sets have the same features, each once."""
    for role, names in (("real", real), ("generated", generated)):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ValueError(
                f"{role} samples: two features are called {quoted(twice[0])}; rename one of them"
            )
    alone = {"real": [name for name in real if name not in set(generated)]}
    alone["generated"] = [name for name in generated if name not in set(real)]
    found = [f"only {role} has {listed(names, most=6)}" for role, names in alone.items() if names]
    if found:
        one = ""
        if len(found) == 1:
            one = f"Leave out of it what is no feature, {drop_text(max(alone.values(), key=len))}. "
        raise ValueError(
            f"the two sets have different features: {'; '.join(found)}. {one}"
            f"{_ends_text(alone) or _encoding_text(alone)}Give both sets the same features: rename "
            "or remove columns, and encode categories of both tables together"
        )
