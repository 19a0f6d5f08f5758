"""Converts anything that holds rows of numbers to a NumPy array; every error message says what to
do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from prviz.arrays import Array

# The command for pictures, quoted in every error about them.
EMBED_PICTURES = (
    "prviz embed FOLDER -o FILE.safetensors --encoder ENCODER (prviz embed --list shows them)"
)
# Part of the name of an unsupported dtype -> advice that follows the error message.
_REMEDIES = {
    "bfloat16": "; .float() (PyTorch) or .astype('float32') converts them",
    "complex": "; numpy.hstack([values.real, values.imag]) makes them columns",
    "<U": "; numpy.array(values, float) converts texts that are numbers",
}
# Part of PyTorch's message about a type that NumPy has not -> the call that converts such values.
_CONVERTED_BY = {"bfloat16": ".float()", "float8": ".float()", "qint": ".dequantize()"}
# Device number of the CPU in DLPack.
_CPU = 1
# Largest integer up to which float64 holds every one.
_EXACT = 2**53


def as_array(values: Any, name: str) -> Array:
    """``values`` as a two-dimensional array of floats, integers or booleans.

    Parameters
    ----------
    values : array_like
        Anything with ``__array__`` or ``__dlpack__`` in the CPU's memory (NumPy, PyTorch, JAX,
        `prviz.Samples`), a data frame whose columns are numbers, a column of lists (pandas, polars,
        pyarrow), a sequence of rows.
    name : str
        Name of the samples in messages.

    Raises
    ------
    TypeError
        A path, text, a mapping, a sparse matrix, a tensor that can't be converted, or values that
        are no numbers.
    ValueError
        Rows of different lengths, a missing value, or an integer that float64 does not hold.
    """
    _refuse(values, name)
    if np.ma.is_masked(values):
        raise _masked(values, name)
    array = _converted(values, name)
    if array.dtype == object:
        array = _from_objects(array, name, values)
    if array.dtype.kind not in "fiub":
        remedy = next(
            (remedy for kind, remedy in _REMEDIES.items() if kind in str(array.dtype)), ""
        )
        if array.dtype.names:
            remedy = (
                "; pandas.DataFrame(values) makes a table of its fields, values[name] takes one"
            )
        raise TypeError(
            f"{name}: values have dtype {array.dtype}; real numbers are needed (float, int or"
            f" bool){remedy}"
        )
    if found := inexact_integer(array):
        place, text = found
        raise ValueError(f"{name}: {_place(place)}: {text}")
    return array


def squeezed(shape: tuple[int, ...], *, picture: bool = False) -> tuple[int, ...]:
    """``shape`` without the axes of length 1 that layers and batches leave, if two other axes
    remain.

    picture : True if (1, h, w) is one picture, so that its first axis is kept.
    """
    if len(shape) < 3:
        return shape
    if all(length == 1 for length in shape[2:]):
        return shape[:2]
    if all(length == 1 for length in shape[1:-1]):
        return shape[0], shape[-1]
    if len(shape) == 3 and shape[0] == 1 and not picture:
        return shape[1:]
    return shape


def as_table(values: Any, name: str) -> Array:
    """Values as a 2-D float32 or float64 array: float16 becomes float32, every other type
    float64.
    """
    array = as_array(values, name)
    array = array.reshape(squeezed(array.shape, picture=array.dtype == np.uint8))
    if array.ndim != 2:
        pictures = array.ndim == 4 or (array.ndim == 3 and array.dtype == np.uint8)
        remedy = ""
        if pictures:
            remedy = f"; save pictures as files and embed them: {EMBED_PICTURES}"
        elif array.ndim == 1 and len(array):
            remedy = "; numpy.reshape(values, (-1, 1)) makes each number a sample"
        elif array.ndim > 2 and len(array):
            remedy = "; numpy.reshape(values, (len(values), -1)) makes each entry one row"
            if isinstance(values, list | tuple) and hasattr(values[0], "shape"):
                remedy = f"; numpy.concatenate(list(values)) joins batches{remedy}"
        raise ValueError(
            f"{name}: values have shape {array.shape}; a 2-D array (samples, features) is"
            f" needed{remedy}"
        )
    if 0 in array.shape:
        raise ValueError(
            f"{name}: values have shape {array.shape}; at least one row and one column are needed"
        )
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype in (np.float32, np.float64):
        return array
    return array.astype(float)


def feature_names(values: Any) -> tuple[str, ...]:
    """Names of a data frame's columns; empty for other values, and for columns named 0, 1, ...."""
    names = _columns(values)
    if all(name.isdecimal() for name in names):
        return ()
    return names


def numbers_order(values: Any) -> list[int]:
    """Indices that put the columns of a data frame in the order of their names, if these are
    numbers out of order; else [].
    """
    names = _columns(values)
    if not all(name.isdecimal() for name in names):
        return []
    order = sorted(range(len(names)), key=lambda place: int(names[place]))
    if order != list(range(len(names))):
        return order
    return []


def _columns(values: Any) -> tuple[str, ...]:
    names: Any = getattr(getattr(values, "schema", None), "names", None)
    if not isinstance(names, list):  # only tables of pyarrow have a list of names
        names = getattr(values, "columns", ())
    return tuple(map(str, names))


def _refuse(values: Any, name: str) -> None:
    """Raise TypeError for values that hold no rows, with what to pass instead."""
    if isinstance(values, str | bytes | PathLike):
        raise TypeError(
            f"{name}: {values!r} is a path or a text; prviz.read(path) gives its samples"
        )
    if isinstance(values, Mapping):
        columns = values and all(getattr(each, "ndim", 0) == 1 for each in values.values())
        remedy = f"choose one of its arrays, such as values[{next(iter(values), 'NAME')!r}]"
        if columns:
            remedy = "numpy.column_stack(list(values.values())) makes its arrays columns"
        raise TypeError(f"{name}: a mapping of {len(values)} entries was given; {remedy}")
    if hasattr(values, "real") and hasattr(values, "generated"):
        raise TypeError(f"{name}: a pair was given; values.real and values.generated are its sets")
    if hasattr(values, "obsm"):
        raise TypeError(f"{name}: cells were given; values.X or values.obsm[NAME] has their rows")
    if values is None:
        raise TypeError(f"{name}: None was given; an array of shape (samples, features) is needed")
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(f"{name}: a sparse matrix was given; values.toarray() makes it an array")


def _masked(values: Any, name: str) -> TypeError:
    """The error for masked values: where the first one is, and how many there are."""
    mask = np.ma.getmaskarray(values)
    first = _place(tuple(map(int, np.argwhere(mask)[0])))
    remedy = ""
    if mask.ndim == 2:
        remedy = "; numpy.ma.compress_rows(values) leaves such rows out"
    return TypeError(
        f"{name}: {first} is masked; every value is needed ({mask.sum()} of {mask.size} are"
        f" masked){remedy}"
    )


def _check_device(values: Any, name: str) -> None:
    """Raise TypeError for a tensor that requires a gradient, or is not in the CPU's memory."""
    if getattr(values, "requires_grad", False):
        raise TypeError(
            f"{name}: the tensor requires a gradient; values.detach() gives its values alone"
        )
    if getattr(values, "is_meta", False):
        raise TypeError(
            f"{name}: the tensor is on the device meta, which holds no values; one with values is"
            " needed"
        )
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack_device__"):
        return
    try:
        kind, number = values.__dlpack_device__()
    except TypeError:  # A type that DLPack does not know, such as lists of pyarrow
        return
    except ValueError as error:  # A device that has no number in DLPack
        raise TypeError(f"{name}: no array can be made of these values: {error}") from None
    if int(kind) != _CPU:
        where = getattr(values, "device", f"device {int(kind)}:{number}")
        raise TypeError(
            f"{name}: the values are on {where}; bring them to the CPU first: values.cpu()"
            " (PyTorch), values.get() (CuPy), jax.device_get(values)"
        )


def _converted(values: Any, name: str) -> Array:
    """The values as a NumPy view or copy; errors of libraries become one sentence with a remedy."""
    _check_device(values, name)
    try:
        if not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
            return np.from_dlpack(values)
        return np.asarray(values)
    except ValueError as error:  # NumPy's message on ragged rows names no row
        if isinstance(values, Sequence):
            return _stacked(list(values), name)
        raise TypeError(f"{name}: no array can be made of these values: {error}") from None
    except (TypeError, RuntimeError) as error:
        text = str(error).lower()
        remedy = ""
        for kind, call in _CONVERTED_BY.items():
            if kind in text:
                remedy = f"; {call} converts them to a type that NumPy knows"
        raise TypeError(f"{name}: no array can be made of these values: {error}{remedy}") from None


def _from_objects(array: Array, name: str, given: Any = None) -> Array:
    """An array of numbers from an array of Python objects, which are numbers or whole rows.

    given : the values that the array was made from, such as a data frame.
    """
    if array.ndim == 0:
        found = array.item()
        rows = (
            "; numpy.stack(list(values)) makes one of rows, numpy.concatenate(list(values)) one of"
            " batches"
        )
        remedy = rows if hasattr(found, "__iter__") else ""
        remedy = "; values.collect() makes it one" if hasattr(found, "collect") else remedy
        raise TypeError(
            f"{name}: {type(found).__name__} is no array; one of shape (samples, features) is"
            f" needed{remedy}"
        )
    if array.ndim == 1:
        return _stacked(array.tolist(), name)
    # A data frame with one column, whose cells are lists.
    if array.ndim == 2 and array.shape[1] == 1 and np.ndim(array[0, 0]) == 1:
        return _stacked(array[:, 0].tolist(), name)
    bad = next((index for index, value in np.ndenumerate(array) if not _is_number(value)), None)
    if bad is None:
        return _as_floats(array, name)
    remedy = ""
    if isinstance(array[bad], Mapping):
        remedy = "; pandas.DataFrame(values) makes a table of such rows"
    rows = _column_of_rows(array[bad[0]], bad[1], _columns(given))
    if rows:
        remedy = f"; {rows} takes the column whose cells are rows"
    elif columns := _columns(given):
        frame = "values" if hasattr(given, "select_dtypes") else "values.to_pandas()"
        remedy = f" in every column, and column {columns[bad[1]]!r} has others: "
        remedy += f"{frame}.select_dtypes('number') leaves it out"
        if type(array[bad]).__name__ == "str" and _WRITTEN.match(str(array[bad])):
            remedy = f"; {frame}.to_csv('values.csv', index=False), and prviz.read('values.csv')"
            remedy += " reads numbers in texts, or says how to convert them"
        if array[bad] is None or type(array[bad]).__name__ in ("NAType", "NaTType"):
            remedy = f"; {frame}.dropna() leaves such rows out"
    raise TypeError(f"{name}: {_place(bad)} is {array[bad]!r}; a number is needed{remedy}")


def _as_floats(array: Array, name: str) -> Array:
    try:
        return array.astype(float)
    except OverflowError:
        raise TypeError(f"{name}: a whole number is beyond 1.8e308, the largest float") from None


def inexact_integer(values: Array) -> tuple[tuple[int, ...], str] | None:
    """The place of the first integer beyond 2^53, which would collapse into its float64 neighbours,
    and a text about it; None if there is none.
    """
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return None
    bad = values > _EXACT
    if values.dtype.kind == "i":
        bad |= values < -_EXACT
    if not bad.any():
        return None
    place = tuple(map(int, np.argwhere(bad)[0]))
    ends = np.iinfo(values.dtype)
    asked = "Are these identifiers rather than features?"
    if values[place] in (ends.min, ends.max):
        asked = (
            "This end of its type stands for a missing value: fill it in, or leave that sample out."
        )
    return place, f"the integer {values[place]} is too large to be held exactly. {asked}"


# Beginning of a text that may hold numbers.
_WRITTEN = re.compile(r"[^\w.]*(\w+[\[(])?[^\w.]*\.?\d")


def _column_of_rows(row: Array, place: int, columns: Sequence[str]) -> str:
    """The column of this row that holds lists, as a Python expression; "" if there is none."""
    held = row[place]
    if isinstance(held, Mapping):
        names = [str(key) for key, value in held.items() if np.ndim(value) == 1]
    else:
        names = [each for each, value in zip(columns, row, strict=False) if np.ndim(value) == 1]
    if names:
        return f"values[{names[0]!r}]"
    return ""


def _stacked(rows: Sequence[Any], name: str) -> Array:
    """Rows stacked to one array."""
    arrays = []
    for place, row in enumerate(rows):
        if row is None:
            raise ValueError(f"{name}: row {place + 1} is None; drop the rows without values first")
        try:
            arrays.append(np.asarray(row))
        except (TypeError, ValueError, RuntimeError) as error:
            raise TypeError(f"{name}: row {place + 1} is no row of numbers: {error}") from None
        if arrays[-1].dtype == object:
            arrays[-1] = _from_objects(arrays[-1].reshape(1, -1), f"{name}, in row {place + 1}")[0]
        if arrays[-1].shape != arrays[0].shape:
            first, own = (
                " x ".join(map(str, each.shape)) or "one" for each in (arrays[0], arrays[-1])
            )
            batches = arrays[0].ndim == arrays[-1].ndim == 2 and len(arrays[0].T) == len(
                arrays[-1].T
            )
            remedy = ""
            if batches:
                remedy = "; numpy.concatenate(list(values)) joins batches"
            values = "values"
            if own in ("1", "one"):
                values = "value"
            raise ValueError(
                f"{name}: row {place + 1} has {own} {values}, row 1 has {first}; all rows need"
                f" the same number{remedy}"
            )
    if arrays:
        return np.stack(arrays)
    return np.empty((0, 0))


def _is_number(value: Any) -> bool:
    """True if float() accepts the value; text never counts as a number."""
    if isinstance(value, str | bytes):
        return False
    try:
        float(value)
    except OverflowError:
        # `_as_floats` refuses whole numbers beyond the range of floats.
        return True
    except (TypeError, ValueError):
        return False
    return True


def _place(index: tuple[int, ...]) -> str:
    names = ("row", "column")
    return ", ".join(
        f"{names[axis] if axis < 2 else 'axis ' + str(axis + 1)} {at + 1}"
        for axis, at in enumerate(index)
    )
