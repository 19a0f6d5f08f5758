"""Writes a Python program that computes the results for `ExploreSettings` again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from keyword import iskeyword
from numbers import Integral
from typing import Any

from prviz.measure.profiles import UNIT_SAMPLE
from prviz.readers.columns import ColumnChoice
from prviz.reports.settings import ExploreSettings

Keys = tuple[str | None, str | None]


def python_snippet(
    settings: ExploreSettings,
    *,
    files: Sequence[str] = ("real.npy", "generated.npy"),
    keys: Keys = (None, None),
    choices: Sequence[ColumnChoice] = (),
) -> str:
    """A Python program that computes the curves on screen, bit for bit, and prints their areas.

    Parameters
    ----------
    settings : the settings on screen. The program defines ``curves`` by method, and for a toy
        ``truth``. If ``repeats`` is above 1, curves are means over the seeds, all with the
        bandwidth of the first seed. Approximate curves are from a single run, of which the program
        defines ``found`` and prints the label.
    files : for an upload, the paths of the real and of the generated samples, or of one file with
    both.
    keys : for an upload, the chosen arrays of these files, None where no choice was needed.
    choices : for an upload, the columns chosen in each file, if the user chose any.

    All text from outside becomes quoted literals. Raises ValueError for another number of files.
    """
    if len(files) not in (1, 2):
        raise ValueError(
            f"files has {len(files)} entries; one file with both roles or two files are needed"
        )
    columns = [_columns(choice) for choice in choices] or [""] * len(files)
    imports, sampling = _data(settings, [str(name) for name in files], keys, columns)
    if settings.repeats > 1 and not settings.approximate:
        imports += [
            "from prviz.curves.pr_curve import PRCurve",
            "from prviz.measure.estimates import estimate_repeated",
        ]
    if settings.bandwidth is not None:
        imports.append("from prviz.measure.profiles import bandwidth_unit")
    iou = ""
    if settings.source == "toy":
        iou = ', f"IoU with the truth {curve.iou(truth):.4f}"'
    label = []
    if settings.approximate:
        label = ["print(found.label)"]
    printed = [
        "for name, curve in curves.items():",
        f'    print(name, f"AuC {{curve.auc:.4f}}"{iou})',
    ]
    head = ["import prviz", *sorted(imports), "", *sampling, ""]
    return "\n".join([*head, *_measure(settings), "", *label, *printed]) + "\n"


def _data(
    settings: ExploreSettings, files: list[str], keys: Keys, columns: list[str]
) -> tuple[list[str], list[str]]:
    """Import lines, and the lines of the program that define draw(seed)."""
    draw = "def draw(seed):"
    n = int(settings.n)
    if settings.source == "toy":
        problem = f"problem = prviz.toy({_call(settings.problem, settings.parameters)})"
        sample = f"problem.sample({n}, seed=seed)"
        mirrored = ""
        if settings.swapped:
            mirrored = ".mirrored()"
        return [], [
            problem,
            f"truth = problem.truth(){mirrored}",
            "",
            draw,
            *_drawn(settings, sample),
        ]
    imports = ["from prviz.measure.workload import subsample"]
    bundled = settings.source == "bundled"
    if bundled:
        data = [f"data = prviz.bundled_pair({settings.problem!r})"]
    else:
        data = _files(files, keys, columns)
    return imports, [*data, "", draw, *_drawn(settings, f"subsample(data, {n}, seed)")]


def _drawn(settings: ExploreSettings, pair: str) -> list[str]:
    """The lines of the body of draw(seed).

    pair : the expression for the pair.
    """
    # the files of an upload are passed in swapped order already
    if not settings.swapped or settings.source == "upload":
        return [f"    return {pair}"]
    return [f"    pair = {pair}", "    return prviz.SamplePair(pair.generated, pair.real)"]


def _files(files: list[str], keys: Keys, columns: list[str]) -> list[str]:
    note = "# uploaded files: put in their paths here"
    if len(files) == 1:
        chosen = ""
        if None not in keys:
            chosen = f", keys={keys!r}"
        return [note, f"data = prviz.read_pair({files[0]!r}{chosen}{columns[0]})"]
    reads = []
    for name, key, chosen in zip(files, keys, columns, strict=True):
        array = "" if key is None else f", key={key!r}"
        reads.append(f"prviz.read({name!r}{array}{chosen})")
    return [note, f"data = prviz.SamplePair({', '.join(reads)})"]


def _columns(choice: ColumnChoice) -> str:
    """The choice of columns as text of further arguments of `prviz.read`."""
    given = {"columns": choice.features, "drop": choice.drop, "group": choice.group}
    return "".join(f", {name}={value!r}" for name, value in given.items() if value)


def _call(name: str, parameters: Mapping[str, Any]) -> str:
    """The arguments of `prviz.toy` as text; parameters whose names are no identifiers are in a
    dict.
    """
    values = {str(key): _literal(value) for key, value in parameters.items()}
    if all(key.isidentifier() and not iskeyword(key) for key in values):
        return ", ".join([repr(name), *(f"{key}={value!r}" for key, value in values.items())])
    return f"{name!r}, **{values!r}"


def _literal(value: Any) -> Any:
    """The value as a built-in type, whose repr can stand in the program."""
    if isinstance(value, tuple | list):
        return tuple(map(float, value))
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value)


def _measure(settings: ExploreSettings) -> list[str]:
    seed = int(settings.seed)
    repeats = int(settings.repeats)
    k = "'sqrt'" if settings.k == "sqrt" else int(settings.k)
    chosen = f"k={k}, split={_optional(settings.split)}, seed={seed}"
    lines = [f"pair = draw({seed})"]
    bandwidth = "bandwidth=None"
    if settings.bandwidth is not None:
        halves = f"split={_optional(settings.split)}, seed={seed}"
        if settings.approximate:
            halves += f", sample={UNIT_SAMPLE}"
        lines.append(
            f"unit = bandwidth_unit(pair, {halves}) or 1.0  # 1 where both sets have collapsed"
        )
        bandwidth = f"bandwidth={float(settings.bandwidth)!r} * unit"
    methods = repr(tuple(map(str, settings.methods)))
    if settings.approximate:
        lines.append(f"found = prviz.approximate(*pair, {methods}, {bandwidth}, {chosen})")
        return [
            *lines,
            "curves = {name: estimate.curve for name, estimate in found.estimates.items()}",
        ]
    if repeats == 1:
        lines.append(f"estimates = prviz.estimate(pair, {methods}, {bandwidth}, {chosen})")
        return [*lines, "curves = {name: estimate.curve for name, estimate in estimates.items()}"]
    if settings.bandwidth is None:
        lines = []
    return [
        *lines,
        f"runs = estimate_repeated(draw, {methods}, repeats={repeats}, {bandwidth}, {chosen})",
        (
            "curves = {name: PRCurve.mean([each.curve for each in repeated]) for name, repeated in"
            " runs.items()}"
        ),
    ]


def _optional(value: float | None) -> str:
    return repr(None if value is None else float(value))
