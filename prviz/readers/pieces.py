"""Data stored in pieces: quantised values (whole numbers beside their scale), and sparse values
beside their positions.

One piece read alone would silently give wrong numbers, so both are refused, with the lines that put
the pieces together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from prviz.readers.errors import ReadError, beside, listed, literal, quoted

# Kind of piece -> pattern of the names that files give it.
_PIECES = {
    "scale": r"scales?|scale_?factors?|quant_?scales?|delta",
    "zero": r"zero_?points?|zp|zeros?",
    "min": r"offsets?|add_?offsets?|v?mins?|minimum|minima|lo|low|lower|bias(es)?|beta|shift"
    r"|intercept|center|mean",
    "max": r"v?max|maximum|maxima|hi|high|upper",
    "places": r"indices|indexes|idxs?|index|inds?|cols?|columns|positions|places|dims|keys",
    "rows": r"rows?|i|row_?(ind|idx|index|indices)",
    "columns": r"cols?|columns?|j|col_?(ind|idx|index|indices)",
    "size": r"size|shape|dense_?(size|shape)",
    "values": r"v|values?|vals?|data|weights?|scores?|counts?",
}
_NAMED = {
    piece: re.compile(rf"(.*[_.])?({names})", re.IGNORECASE) for piece, names in _PIECES.items()
}


class Stored(NamedTuple):
    """A file: its name in messages, the Python lines that load it as ``arrays`` (a dict by name),
    and its path as the user wrote it.
    """

    where: str
    loading: str
    typed: str


def piece(which: str, names: Sequence[str], of: str = "") -> str | None:
    """The name among ``names`` that fits this kind of piece, preferably one that begins like the
    array ``of``; None if none fits.
    """
    found = [name for name in names if _NAMED[which].fullmatch(name)]
    return min(found, key=lambda name: not (of and name.startswith(of)), default=None)


def is_piece(name: str) -> bool:
    """True for the name of a scale or of an offset of quantised values."""
    return any(_NAMED[which].fullmatch(name) for which in ("scale", "zero", "min", "max"))


def quantised(file: Stored, key: str, others: Sequence[str]) -> ReadError | None:
    """The error for quantised values beside their scale, with the lines that decode them; None if
    there is no scale.

    others : names of the other arrays of numbers.
    """
    found = {which: piece(which, others, key) for which in ("scale", "zero", "min", "max")}
    held = {which: name for which, name in found.items() if name is not None}
    formula = sum_ = "q * scale + min" if "min" in held else "q * scale"
    if "scale" in held:
        held.pop("max", None)
    # The array min has the values of level 0, max those of level 255.
    elif {"min", "max"} <= held.keys():
        held = {which: held[which] for which in ("min", "max")}
    else:
        return None

    letters = ", ".join(held)
    rest = ", ".join(map(literal, held.values()))
    lines = [
        file.loading,
        f"q, {letters} = (np.array(list(np.atleast_1d(arrays[name])), float) for name in "
        f"[{literal(key)}, {rest}])",
        "wide = lambda each: each[:, None] if each.shape == q.shape[:1] != q.shape[1:] else each",
    ]
    if "scale" not in held:
        formula = "q / 255 * (max - min) + min, of numbers below 0 after 128 is added"
        sum_ = "(q + 128 * (q < 0).any()) / 255 * (max - min) + min"
    elif "zero" in held:
        more = " + min" if "min" in held else ""
        formula = f"(q - zero) * scale{more}, or where zero is not whole q * scale + zero{more}"
        sum_ = f"((q - zero) * scale if (zero % 1 == 0).all() else q * scale + zero){more}"
    for which in held:
        sum_ = sum_.replace(which, f"wide({which})")
    written = ", ".join(f"{which} {quoted(name)}" for which, name in held.items() if which != name)
    formula += f" ({written})" if written else ""
    lines.append(f"np.save({beside(file.typed, '_numbers.npy')}, {sum_})")
    return ReadError(
        f"{file.where}: {quoted(key)} holds quantised values, which {listed(list(held.values()))} "
        f"decode. Save the decoded values, if this is your formula: {formula}; with "
        f"key={quoted(key)} the stored ones are read as they are.\n" + "\n".join(lines)
    )


def sparse(file: Stored, names: Sequence[str], integers: Sequence[str]) -> ReadError | None:
    """The error for sparse rows (a list of positions and a list of values), with the lines that
    make them dense; else None.

    names : names of all lists or 2-D arrays. integers : names of those that hold whole numbers.
    """
    places = piece("places", integers)
    if places is None:
        return None
    values = piece("values", [name for name in names if name != places], places.rpartition(".")[0])
    if values is None:
        return None
    return refuse_sparse(file, places, values)


def coordinates(file: Stored, names: Sequence[str]) -> ReadError | None:
    """The error for a sparse matrix given as three arrays: rows, columns and values of its entries;
    else None.
    """
    rows, columns, values = (piece(which, names) for which in ("rows", "columns", "values"))
    if rows is None or columns is None or values is None or len(names) > 3:
        return None
    return ReadError(
        f"{file.where}: a sparse matrix, of {quoted(values)} at the rows {quoted(rows)} and the "
        f"columns {quoted(columns)}. Save all its values:\n{file.loading}\n"
        f"places = tuple(np.asarray(arrays[name]).astype(int) for name in [{literal(rows)}, "
        f"{literal(columns)}])\n"
        "whole = np.zeros([1 + each.max() for each in places])  # of as many columns as the other "
        "file's\n"
        "np.add.at(whole, places, "
        f"arrays[{literal(values)}])\nnp.save({beside(file.typed, '_whole.npy')}, whole)"
    )


def pairs_of_places(
    file: Stored, places: str, lists: Sequence[str], names: Sequence[str]
) -> ReadError | None:
    """The error for a sparse matrix as PyTorch stores it: an array of values, and one of their rows
    and columns; else None.

    places : name of the array of rows and columns, which has two rows or two columns. lists : names
        of the arrays with as many values. names : names of all arrays.
    """
    values = piece("values", lists)
    if piece("places", [places]) is None or values is None:
        return None
    size = piece("size", names)
    shape = "1 + pairs.max(axis=1))  # of as many columns as the other file's"
    if size is not None:
        shape = f"[int(each) for each in arrays[{literal(size)}]])"
    return ReadError(
        f"{file.where}: a sparse matrix, of {quoted(values)} at the places {quoted(places)}. "
        f"Save all its values:\n{file.loading}\n"
        f"pairs = np.asarray(arrays[{literal(places)}]).astype(int)\n"
        "pairs = pairs if len(pairs) == 2 else pairs.T\n"
        f"whole = np.zeros({shape}\nnp.add.at(whole, tuple(pairs), arrays[{literal(values)}])\n"
        f"np.save({beside(file.typed, '_whole.npy')}, whole)"
    )


def refuse_sparse(file: Stored, places: str, values: str, size: str = "") -> ReadError:
    """The error for sparse rows. size : name of the array of their lengths; "" if there is none."""
    pairs = f"zip(arrays[{literal(places)}], arrays[{literal(values)}])"
    width = "1 + max(max(each, default=0) for each, _ in rows)))  # for both files the larger one"
    if size:
        width = f"int(np.nanmax(np.asarray(arrays[{literal(size)}], float)))))"
    return ReadError(
        f"{file.where}: sparse rows, {quoted(values)} at the places in {quoted(places)} and "
        f"0 elsewhere. Save whole rows:\n{file.loading}\n"
        f"rows = [(range(len(values)) if places is None else places, values) for places, values "
        f"in {pairs}]\n"
        f"dense = np.zeros((len(rows), {width}\n"
        "for row, (places, values) in zip(dense, rows): np.add.at(row, np.array(places, int), "
        "values)\n"
        f"np.save({beside(file.typed, '_whole.npy')}, dense)"
    )
