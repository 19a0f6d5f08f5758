"""Families that users or other packages add: any function from samples to supports can be one."""

from __future__ import annotations

import keyword
import warnings
from collections.abc import Callable, MutableMapping
from importlib.metadata import entry_points
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Array
from prviz.estimators.base import About, Estimator, Runs, Supports
from prviz.neighbors.threads import Progress
from prviz.readers.errors import described
from prviz.samples import SamplePair, Split

# Group of the entry points by which packages add families.
GROUP = "prviz.families"
# Names that no family may have, because tables and legends use them for other rows.
RESERVED = ("truth",)


class Arrays(NamedTuple):
    """Real and generated samples as plain read-only arrays, (n, d) and (m, d); unpacks as ``real,
    generated = arrays``.
    """

    real: Array
    generated: Array


SupportsFunction: TypeAlias = Callable[[Arrays, Arrays], tuple[ArrayLike, ArrayLike]]


class Registered(Estimator):
    """A family whose supports come from a function that uses neither k, bandwidth nor seed.

    function : (fit, evaluate) -> (c_real, c_generated), as in `prviz.register`.
    """

    # Assumed True: whether the function lets evaluation samples decide can't be checked.
    chosen_by_evaluation = True

    def __init__(
        self, name: str, function: SupportsFunction, title: str, idea: str, source: str
    ) -> None:
        self.name = name
        self.function = function
        self.title = title
        self.idea = idea
        self.source = source
        self.about = About(
            paper="Your own",
            formula=r"(c_X, c_Y) = f(\text{fit}, \text{evaluate})",
            cost="The time of its function, which is called once for all k and bandwidths.",
            biases="Not known; a toy with a known truth shows them.",
            published=f"not published with prviz: {source}.",
        )

    def runs(
        self,
        split: Split,
        *,
        k: int,
        seed: int,
        progress: Progress,
    ) -> Runs:
        """The supports that the function returns for the samples of ``split``, after checks."""
        fit = _arrays(split.fit)
        evaluate = _arrays(split.evaluate) if split.held_out else fit
        try:
            result = self.function(fit, evaluate)
        except MemoryError:
            raise
        except Exception as error:
            raise ValueError(f"{self.name}: its function failed with {described(error)}") from error
        n_real = len(evaluate.real)
        n = len(evaluate.real) + len(evaluate.generated)
        length = None
        if isinstance(result, tuple | list | np.ndarray):
            length = len(result)
        if length != 2:
            kind = type(result).__name__ + ("" if length is None else f" of length {length}")
            raise ValueError(
                f"{self.name}: its function gave {kind}; the pair (c_real, c_generated) is needed"
            )
        c_real = _support(self.name, "c_real", result[0], n)
        return (Supports(c_real, _support(self.name, "c_generated", result[1], n), n_real),)


def _arrays(pair: SamplePair) -> Arrays:
    return Arrays(pair.real.values, pair.generated.values)


def _support(name: str, role: str, values: ArrayLike, n: int) -> Array:
    """Check one of the function's two results: one non-negative finite number per evaluation
    sample.
    """
    try:
        support = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {role} is no array: {error}") from error
    if support.dtype.kind not in "fiub":
        raise ValueError(f"{name}: {role} has dtype {support.dtype}; real numbers are needed")
    if support.shape != (n,):
        raise ValueError(
            f"{name}: {role} has shape {support.shape}; ({n},) is needed, a support for every"
            " evaluation sample, real ones first"
        )
    wrong = ~(np.isfinite(support) & (support >= 0))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}: {role}[{first}] is {support[first]}; every support must be non-negative and"
            " finite"
        )
    if support.dtype.kind in "fi":
        return support
    return support.astype(np.int64)


def add_family(
    families: MutableMapping[str, Estimator],
    name: str,
    supports: SupportsFunction,
    *,
    title: str | None = None,
    idea: str | None = None,
    source: str | None = None,
) -> None:
    """Add a family to the registry; see `prviz.register`."""
    check_name(name)
    if not callable(supports):
        raise TypeError(
            f"supports is {type(supports).__name__}; a function (fit, evaluate) -> (c_X, c_Y) is"
            " needed"
        )
    if name in families and not _same(families[name], supports):
        raise ValueError(
            f"name = {name!r} is taken; other names than {', '.join(families)} are free"
        )
    home = ".".join(filter(None, _place(supports))) or type(supports).__name__
    first_line = (getattr(supports, "__doc__", None) or "").strip().split("\n")[0].strip()
    family = Registered(
        name,
        supports,
        title or name,
        idea or first_line or f"What does {home} say?",
        source or home,
    )
    families[name] = family


def check_name(name: str) -> None:
    """Raise ValueError unless ``name`` can be used in links, legends and the shell: it must be a
    plain identifier and not be reserved.
    """
    legal = (
        isinstance(name, str)
        and name.isascii()
        and name.isidentifier()
        and not keyword.iskeyword(name)
    )
    if not legal or name in RESERVED:
        raise ValueError(
            f"name = {name!r}; an identifier is needed: letters, digits and underscores, no digit"
            f" first, no word of Python and not {' or '.join(map(repr, RESERVED))}"
        )


def _place(function: object) -> tuple[str, str]:
    """The module and the qualified name of a function; empty texts if it has none."""
    return (
        getattr(function, "__module__", None) or "",
        getattr(function, "__qualname__", None) or "",
    )


# A notebook cell that runs again defines its function again: another object, but with the same
# module and name.
def _same(known: object, function: SupportsFunction) -> bool:
    if not isinstance(known, Registered):
        return False
    place = _place(function)
    return known.function is function or (all(place) and _place(known.function) == place)


def load_families(families: MutableMapping[str, Estimator]) -> None:
    """Add the families of installed packages. Each is an entry point of GROUP with the name of the
    family.

    An entry point refers to a function, as in `prviz.register`, or to an estimator object with the
    same name (see `prviz.estimators`). An entry point that can't be loaded or used is left out,
    with a warning that names it.
    """
    for point in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        # Any error of another package is caught, so that the other families stay usable.
        try:
            value = point.load()
            if not isinstance(value, Estimator):
                add_family(families, point.name, value)
                continue
            check_name(point.name)
            if value.name != point.name:
                raise ValueError(f"its object is named {value.name!r}; both names must be the same")
            if families.get(point.name, value) is not value:
                raise ValueError(
                    f"name = {point.name!r} is taken; other names than {', '.join(families)} are"
                    " free"
                )
            families[point.name] = value
        except Exception as error:  # noqa: BLE001
            brings = f"the entry point {point.name} = {point.value} of the group {GROUP}"
            warnings.warn(f"{brings} is left out: {described(error)}", RuntimeWarning, stacklevel=2)
