"""Data stored in pieces: quantised values (whole numbers beside their scale), and sparse values
beside their positions.

One piece read alone would silently give wrong numbers, so both are refused, with the lines that put
the pieces together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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


def piece(which: str, names: Sequence[str], of: str = "") -> str | None:
    """The name among ``names`` that fits this kind of piece, preferably one that begins like the
    array ``of``; None if none fits.
    """
    found = [name for name in names if _NAMED[which].fullmatch(name)]
    return min(found, key=lambda name: not (of and name.startswith(of)), default=None)


def is_piece(name: str) -> bool:
    """True for the name of a scale or of an offset of quantised values."""
    return any(_NAMED[which].fullmatch(name) for which in ("scale", "zero", "min", "max"))


def quantised(
    where: str, key: str, others: Sequence[str], loading: str, typed: str
) -> ReadError | None:
    """The error for quantised values beside their scale, with the lines that decode them; None if
    there is no scale.

    others : names of the other arrays of numbers. loading : lines that load the file as ``arrays``,
        a dict by name.
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
        loading,
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
    lines.append(f"np.save({beside(typed, '_numbers.npy')}, {sum_})")
    return ReadError(
        f"{where}: {quoted(key)} holds quantised values, which {listed(list(held.values()))} "
        f"decode. Save the decoded values, if this is your formula: {formula}; with "
        f"key={quoted(key)} the stored ones are read as they are.\n" + "\n".join(lines)
    )


def sparse(
    where: str, names: Sequence[str], integers: Sequence[str], loading: str, typed: str
) -> ReadError | None:
    """The error for sparse rows (a list of positions and a list of values), with the lines that
    make them dense; else None.

    names : names of all lists or 2-D arrays. integers : names of those that hold whole numbers.
    """
    places = piece("places", integers)
    values = piece(
        "values", [name for name in names if name != places], (places or "").rpartition(".")[0]
    )
    if places is None or values is None:
        return None
    return refuse_sparse(where, {"places": places, "values": values}, loading, typed)


def coordinates(where: str, names: Sequence[str], loading: str, typed: str) -> ReadError | None:
    """The error for a sparse matrix given as three arrays: rows, columns and values of its entries;
    else None.
    """
    rows, columns, values = (piece(which, names) for which in ("rows", "columns", "values"))
    if rows is None or columns is None or values is None or len(names) > 3:
        return None
    return ReadError(
        f"{where}: a sparse matrix, of {quoted(values)} at the rows {quoted(rows)} and the columns "
        f"{quoted(columns)}. Save all its values:\n{loading}\n"
        f"places = tuple(np.asarray(arrays[name]).astype(int) for name in [{literal(rows)}, "
        f"{literal(columns)}])\n"
        "whole = np.zeros([1 + each.max() for each in places])  # of as many columns as the other "
        "file's\n"
        "np.add.at(whole, places, "
        f"arrays[{literal(values)}])\nnp.save({beside(typed, '_whole.npy')}, whole)"
    )


def pairs_of_places(
    where: str, places: str, lists: Sequence[str], names: Sequence[str], loading: str, typed: str
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
        f"{where}: a sparse matrix, of {quoted(values)} at the places {quoted(places)}. Save all "
        f"its values:\n"
        f"{loading}\npairs = np.asarray(arrays[{literal(places)}]).astype(int)\n"
        "pairs = pairs if len(pairs) == 2 else pairs.T\n"
        f"whole = np.zeros({shape}\nnp.add.at(whole, tuple(pairs), arrays[{literal(values)}])\n"
        f"np.save({beside(typed, '_whole.npy')}, whole)"
    )


def refuse_sparse(where: str, held: Mapping[str, str], loading: str, typed: str) -> ReadError:
    """The error for sparse rows. held : names of the pieces "places", "values" and, if known,
    "size".
    """
    places, values, size = (held.get(which) for which in ("places", "values", "size"))
    pairs = f"zip(arrays[{literal(places or '')}], arrays[{literal(values or '')}])"
    if size is None:
        width = (
            "1 + max(max(each, default=0) for each, _ in rows)))  # for both files the larger one"
        )
    else:
        width = f"int(np.nanmax(np.asarray(arrays[{literal(size)}], float)))))"
    return ReadError(
        f"{where}: sparse rows, {quoted(values or '')} at the places in {quoted(places or '')} and "
        f"0 elsewhere. Save whole rows:\n{loading}\n"
        f"rows = [(range(len(values)) if places is None else places, values) for places, values "
        f"in {pairs}]\n"
        f"dense = np.zeros((len(rows), {width}\n"
        "for row, (places, values) in zip(dense, rows): np.add.at(row, np.array(places, int), "
        "values)\n"
        f"np.save({beside(typed, '_whole.npy')}, dense)"
    )
