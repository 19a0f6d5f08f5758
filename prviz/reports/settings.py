"""All settings of the Explore page, and their form in a share link.

A link holds only the settings that differ from the defaults, and no data: it restores toys and
bundled embeddings exactly, but not uploaded files. A link without settings opens the first view,
`FIRST_VIEW`, which differs from the defaults; the defaults themselves never change, so that a link
keeps its meaning in later versions. A link is untrusted text: `ExploreSettings.from_query` replaces
a value that is unknown, malformed or outside the limits by its default, and returns a message for
each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, Literal, get_args

from prviz.curves.summaries import EPS, B
from prviz.estimators import ESTIMATORS
from prviz.readers.bundled import bundled_names
from prviz.toys import TOYS, toy

Source = Literal["toy", "bundled", "upload"]
ParameterValue = float | int | str | tuple[float, ...]

SOURCES: tuple[Source, ...] = get_args(Source)
PARAMETER_PREFIX = "p."

# What the user can have drawn beside the curves of a pair with known truth.
SHOW_BOUND = "bound"
SHOW_LIMITS = "limits"
SHOWN = (SHOW_BOUND, SHOW_LIMITS)

# Limits of the settings in a link, here of n: a link must not keep the machine busy for hours.
N_LIMITS = (10, 20_000)
K_LIMITS = (1, 20_000)
BANDWIDTH_LIMITS = (1e-3, 1e3)
SPLIT_LIMITS = (0.05, 0.95)
REPEATS_LIMITS = (1, 20)
B_LIMITS = (0.01, 100.0)
EPS_LIMITS = (0.0, 1.0)
SEED_LIMITS = (0, 2**32 - 1)
LONGEST_VALUE = 2000


class _IllegalError(ValueError):
    """Raised for a value in a link that can't be used; the message says which values can."""


@dataclass(frozen=True, kw_only=True)
class ExploreSettings:
    """The settings that reproduce a screen.

    source:      where the pair comes from: "toy", "bundled" or "upload"
    problem:     name of the toy or of the bundled pair ("" for an upload)
    parameters:  parameters of the toy; the others have their defaults
    n:           samples per distribution; for other sources the most, drawn by `subsample` with
                 the seed
    methods:     families, in drawing order; "prc:c=4" sets a parameter of the family prc
    k:           neighbours, or "sqrt" for floor(sqrt(n)) of one distribution
    bandwidth:   of the kde family, in units of the mean k-NN radius at k = sqrt(n), whatever k is
                 (see `prviz.measure.profiles.bandwidth_unit`); None: automatic, one per class
    split:       share of the samples that defines the classifiers; None: no split
    repeats:     number of seeds (seed, seed + 1, ...) for the band
    seed:        of sampling and of the split
    lam:         the trade-off marked in the linked figures, in [0, inf]
    b:           weight of the side that an F-score favours
    eps:         recall at which alpha@eps is read
    swapped:     True if the generated samples of the pair count as real, and the reverse
    approximate: True if curves come from approximate neighbour lists, see `prviz.approximate`;
                 repeats then have no effect
    show:        names in SHOWN: what is drawn beside the curves if the truth is known; if it is
                 not known, the bound is always drawn
    """

    source: Source = "toy"
    problem: str = "mixtures"
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict, hash=False)
    n: int = 2000
    methods: tuple[str, ...] = ("knn", "kde", "ipr", "coverage")
    k: int | Literal["sqrt"] = "sqrt"
    bandwidth: float | None = None
    split: float | None = 0.5
    repeats: int = 1
    seed: int = 0
    lam: float = 1.0
    b: float = B
    eps: float = EPS
    swapped: bool = False
    approximate: bool = False
    show: tuple[str, ...] = ()

    def of_problem(self, other: ExploreSettings) -> ExploreSettings:
        """These settings, but with the source, problem, parameters and n of ``other``."""
        return replace(
            self,
            source=other.source,
            problem=other.problem,
            parameters=other.parameters,
            n=other.n,
        )

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(f"source must be one of {', '.join(SOURCES)}, got {self.source!r}")
        # copies, so that the caller can't change this frozen object through the dict
        object.__setattr__(self, "parameters", dict(self.parameters))
        object.__setattr__(self, "methods", tuple(self.methods))

    def to_query(self) -> dict[str, str]:
        """The settings that differ from the defaults as URL query parameters; floats have all their
        digits.

        The result is empty only for `FIRST_VIEW`. For an upload it has no problem, parameters or
        size, since a link holds no data.
        """
        query = self._differences()
        if query == FIRST_VIEW._differences():
            return {}
        return query or {"problem": self.problem}

    def _differences(self) -> dict[str, str]:
        default = ExploreSettings()
        known = TOYS.get(self.problem, {}) if self.source == "toy" else {}
        query = {
            name: encode(self)
            for name, (encode, _) in _CODECS.items()
            if encode(self) != encode(default)
        }
        for name, value in self.parameters.items():
            text = _encode_value(value)
            if name not in known or text != _encode_value(known[name]):
                query[PARAMETER_PREFIX + name] = text
        if self.source != "upload":
            return query
        return {
            name: query[name] for name in _CODECS if name in query and name not in ("problem", "n")
        }

    def line(self, k: int) -> str:
        """The settings that determine the curves, as one line of text.

        k : the number that is used for "sqrt".
        """
        if self.source == "toy":
            toy_parameters = {**TOYS.get(self.problem, {}), **self.parameters}
        else:
            toy_parameters = {}
        parts = [f"{self.source} {self.problem}" if self.problem else "own files"]
        parts += [
            f"{name.replace('_', ' ')} = {_short_value(value)}"
            for name, value in toy_parameters.items()
        ]
        parts += [
            f"n = {self.n}" if self.source == "toy" else f"at most {self.n} samples of each set"
        ]
        parts += [f"k = √n = {k}" if self.k == "sqrt" else f"k = {self.k}"]
        if any(ESTIMATORS[name].tunes == "bandwidth" for name in self.methods):
            parts.append(
                "bandwidth automatic"
                if self.bandwidth is None
                else f"bandwidth {self.bandwidth:g} mean radii"
            )
        parts += [
            "no split" if self.split is None else f"split {100 * self.split:g} %",
            f"seed {self.seed}",
        ]
        if self.repeats > 1:
            parts += [f"mean of {self.repeats} repeats"]
        if self.swapped:
            parts += ["roles swapped"]
        return ", ".join(parts)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[ExploreSettings, list[str]]:
        """The settings of a link, and a message for each entry that could not be used.

        query : parameters of the address, as `to_query` returns them. Unknown names get a message
            only if they begin with "p.", since pages may have further parameters in the address. A
            query without settings gives `FIRST_VIEW`.

        Never raises, whatever the text: an unusable entry is left at its default.
        """
        if not any(map(is_setting, query)):
            return FIRST_VIEW, []
        found: dict[str, Any] = {}
        messages: list[str] = []
        for name, (_, decode) in _CODECS.items():
            if name in query:
                try:
                    found[name] = decode(_short(query[name]))
                except ValueError as error:
                    messages.append(ignored_text(name, query[name], error))
        settings = _with_source(cls(**found), "problem" in found, messages)
        # The problem was replaced by the default, to which the parameters in the link don't belong.
        if settings.source != "toy" or settings.problem != found.get("problem", settings.problem):
            return settings, messages
        return (
            replace(settings, parameters=_parameters(settings.problem, query, messages)),
            messages,
        )


# The first view of Explore: the toy of bounded modes, whose true alpha_inf and beta_0 are shares of
# modes, with a k at which families differ.
FIRST_VIEW = ExploreSettings(problem="modes", k=5)


def is_setting(name: str) -> bool:
    """True if an entry of a link with this name is for `ExploreSettings.from_query`."""
    return name in _CODECS or name.startswith(PARAMETER_PREFIX)


def _with_source(settings: ExploreSettings, named: bool, messages: list[str]) -> ExploreSettings:
    """The settings with a source and a problem that this version has; unknown ones are replaced by
    the default.
    """
    default = ExploreSettings()
    toy_again = replace(settings, source=default.source, problem=default.problem)
    if settings.source == "upload":
        messages.append(
            "The link was made from uploaded files, which a link can't carry: a toy is shown"
            " instead."
        )
        return toy_again
    known: Collection[str] = TOYS if settings.source == "toy" else bundled_names()
    if settings.problem in known:
        return settings
    if named:
        what = "bundled pair"
        if settings.source == "toy":
            what = "toy problem"
        messages.append(
            f"problem: there is no {what} {_quoted(settings.problem)}; the default is shown."
        )
    if settings.source == "toy":
        return toy_again
    return replace(settings, problem=bundled_names()[0])


def _parameters(
    problem: str, query: Mapping[str, str], messages: list[str]
) -> dict[str, ParameterValue]:
    """The parameters of a toy in a link that are within the toy's limits."""
    specs = {spec.name: spec for spec in toy(problem).specs}
    found: dict[str, ParameterValue] = {}
    for key, text in query.items():
        name = key.removeprefix(PARAMETER_PREFIX)
        if name == key:
            continue
        try:
            if name not in specs:
                raise _IllegalError(f"{problem} has no such parameter")
            found[name] = _decode_value(_short(text), specs[name])
        except ValueError as error:
            messages.append(ignored_text(key, text, error))
    return _accepted(problem, found, messages)


def _accepted(
    problem: str, found: dict[str, ParameterValue], messages: list[str]
) -> dict[str, ParameterValue]:
    """All parameters if the toy accepts them together; otherwise each parameter that the toy
    accepts together with those accepted before it.
    """
    try:
        toy(problem, **found)
        return found
    except (ValueError, TypeError):
        pass
    kept: dict[str, ParameterValue] = {}
    for name, value in found.items():
        try:
            toy(problem, **kept, **{name: value})
            kept[name] = value
        except (ValueError, TypeError) as error:
            messages.append(ignored_text(PARAMETER_PREFIX + name, _encode_value(value), error))
    return kept


def _encode_value(value: ParameterValue) -> str:
    if isinstance(value, tuple | list):
        return ",".join(repr(float(entry)) for entry in value)
    if isinstance(value, str | Integral):
        return str(value)
    return repr(float(value))


def _short_value(value: ParameterValue) -> str:
    """A parameter as short text, with few digits."""
    if isinstance(value, str):
        return value
    return " ".join(
        f"{entry:g}" for entry in (value if isinstance(value, tuple | list) else (value,))
    )


def _decode_value(text: str, spec: Any) -> ParameterValue:
    """Convert a parameter of a toy from text.

    spec : the toy's definition of the parameter.
    """
    if spec.kind == "int":
        return _integer((spec.low, spec.high))(text)
    number = _number((spec.low, spec.high))
    if spec.kind == "weights":
        return tuple(number(part) for part in text.split(","))
    return number(text)


def _short(text: str) -> str:
    if not isinstance(text, str) or len(text) > LONGEST_VALUE:
        raise _IllegalError(f"a value must be text of at most {LONGEST_VALUE} characters")
    return text


def _quoted(text: object) -> str:
    """Text from a link for a message: shortened, on one line, in quotes."""
    shown = repr(text)
    if len(shown) <= 60:
        return shown
    return shown[:57] + "..."


def ignored_text(name: str, text: object, why: object) -> str:
    """The message on an entry of a link that is not used."""
    return f"{_quoted(name)[1:-1]}: {_quoted(text)} is ignored ({str(why)[:200]})."


def _integer(limits: tuple[float, float]) -> Callable[[str], int]:
    low, high = limits

    def decode(text: str) -> int:
        if not (text.isascii() and text.lstrip("-").isdigit() and len(text) <= 12):
            raise _IllegalError("expected an integer")
        if not low <= int(text) <= high:
            raise _IllegalError(f"expected an integer from {low:g} to {high:g}")
        return int(text)

    return decode


def _number(limits: tuple[float, float]) -> Callable[[str], float]:
    low, high = limits

    def decode(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise _IllegalError("expected a number") from None
        if math.isnan(value) or not low <= value <= high:
            raise _IllegalError(f"expected a number from {low:g} to {high:g}")
        return value

    return decode


def _one_of(words: Mapping[str, Any], legal: str) -> Callable[[str], Any]:
    def decode(text: str) -> Any:
        if text not in words:
            raise _IllegalError(f"expected {legal}")
        return words[text]

    return decode


def _or_word(word: str, meaning: Any, decode: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: meaning if text == word else decode(text)


def _optional(value: float | None, word: str) -> str:
    if value is None:
        return word
    return repr(float(value))


def _known_methods(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    if not {name.partition(":")[0] for name in names} <= set(ESTIMATORS):
        raise _IllegalError(f"expected names out of {', '.join(ESTIMATORS)}, separated by commas")
    return tuple(dict.fromkeys(ESTIMATORS[name].name for name in names))


def _shown(text: str) -> tuple[str, ...]:
    names = text.split(",") if text else []
    if not set(names) <= set(SHOWN):
        raise _IllegalError(f"expected names out of {', '.join(SHOWN)}, separated by commas")
    return tuple(name for name in SHOWN if name in names)


_YES_OR_NO = _one_of({"yes": True, "no": False}, "yes or no")
_Codec = tuple[Callable[[ExploreSettings], str], Callable[[str], Any]]
_CODECS: dict[str, _Codec] = {
    "source": (
        lambda s: s.source,
        _one_of({name: name for name in SOURCES}, f"one of {', '.join(SOURCES)}"),
    ),
    "problem": (lambda s: s.problem, lambda text: text),
    "n": (lambda s: str(s.n), _integer(N_LIMITS)),
    "methods": (lambda s: ",".join(s.methods), _known_methods),
    "k": (lambda s: str(s.k), _or_word("sqrt", "sqrt", _integer(K_LIMITS))),
    "bandwidth": (
        lambda s: _optional(s.bandwidth, "auto"),
        _or_word("auto", None, _number(BANDWIDTH_LIMITS)),
    ),
    "split": (lambda s: _optional(s.split, "none"), _or_word("none", None, _number(SPLIT_LIMITS))),
    "repeats": (lambda s: str(s.repeats), _integer(REPEATS_LIMITS)),
    "seed": (lambda s: str(s.seed), _integer(SEED_LIMITS)),
    "lam": (lambda s: repr(float(s.lam)), _number((0.0, math.inf))),
    "b": (lambda s: repr(float(s.b)), _number(B_LIMITS)),
    "eps": (lambda s: repr(float(s.eps)), _number(EPS_LIMITS)),
    "swapped": (lambda s: "yes" if s.swapped else "no", _YES_OR_NO),
    "approximate": (lambda s: "yes" if s.approximate else "no", _YES_OR_NO),
    "show": (lambda s: ",".join(s.show), _shown),
}
