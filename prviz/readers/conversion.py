"""Files of other programs: the lines that convert each kind, and `save_arrays`, which these lines
call.

Nothing here opens such a file: the lines are run by the user, who has the libraries and trusts the
file's origin.
"""

from __future__ import annotations

import codecs
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from prviz.arrays import Array
from prviz.readers.errors import ReadError, error_text, literal, quoted
from prviz.readers.text_dialect import encoding_of, names_in_comment, names_of_columns

# Oldest accepted version of PyTorch: in older ones a file could run code in spite of
# weights_only=True.
_LEAST_TORCH = (2, 10)
# Parameters of np.savez, which can't be names of arrays.
_RESERVED = ("file", "allow_pickle")


def save_arrays(held: Any, path: str | PathLike[str]) -> Path:
    """Save what another library has loaded in a file that `prviz.read` takes.

    Parameters
    ----------
    held : object
        An array or tensor, a list of rows or of batches, a dict (also nested) of these or of one
        row for each name, a list of records, an open HDF5 file or Zarr group; or a data frame.
    path : path-like
        The .npz file to write. A data frame becomes a .parquet file of the same name, so that its
        columns keep theirs.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    ValueError
        Nothing in it is an array of numbers, or some values of one of several arrays are masked.
    """
    path = Path(fspath(path))
    if hasattr(held, "to_parquet"):
        path = path.with_suffix(".parquet")
        held.rename(columns=str).to_parquet(path)
        return path
    if np.ma.is_masked(held) and isinstance(held, np.ma.MaskedArray) and held.ndim == 2:
        whole = ~np.ma.getmaskarray(held).any(axis=1)
        said = f"{(~whole).sum():,} of {len(held):,} rows have masked values, and are left out"
        warnings.warn(said, UserWarning, stacklevel=2)
        held = np.asarray(held)[whole]
    found = arrays_in(held)
    # Leave out single numbers, such as a count of the rows, unless there is nothing else.
    arrays = {name: array for name, array in found.items() if array.ndim} or found
    columns = {array.shape for array in arrays.values() if array.dtype.kind in "fiu"}
    of_table = len(columns) == 1 < len(arrays) and len(next(iter(columns))) == 1
    if not of_table and not any(array.ndim == 2 for array in arrays.values()):
        raise ValueError(f"no 2-D array of numbers in it: {_shapes(arrays)}")
    # Columns are named by the last part of their key, since np.savez takes a name with dots for a
    # file name.
    if of_table:
        last = [name.rpartition(".")[2] for name in arrays]
        if len({*last}) < len(last) or any(map(str.isdecimal, last)):
            last = [name.replace(".", "_") for name in arrays]
        arrays = dict(zip(last, arrays.values(), strict=True))
    named: dict[str, Any] = {
        f"{name}_" if name in _RESERVED else name: array for name, array in arrays.items()
    }
    np.savez(path, **named)
    return path


def _shapes(arrays: Mapping[str, Any]) -> str:
    """Text on the shapes of some arrays, and what to do with them."""
    shapes = [f"{quoted(name)} {array.shape}" for name, array in list(arrays.items())[:10]]
    if not shapes:
        return "no arrays at all"
    return f"{', '.join(shapes)}; pool each sample to one row of numbers first"


def load_torch(path: str | PathLike[str]) -> Any:
    """What PyTorch has saved, if it is tensors, NumPy arrays and plain Python; no code of the file
    is run.

    Parameters
    ----------
    path : path-like
        A file of ``torch.save``.

    Returns
    -------
    object
        A tensor, or a dict or list of them, for `save_arrays`.

    Raises
    ------
    ValueError
        No PyTorch or an old one; a file of more than tensors and arrays.
    """
    name = quoted(Path(fspath(path)).name)
    try:
        import torch
    except ImportError:
        raise ValueError(
            f"{name} needs torch, which is not installed: pip install 'prviz[images]'"
        ) from None
    version = tuple(map(int, torch.__version__.split(".")[:2]))
    if version < _LEAST_TORCH:
        raise ValueError(
            f"torch {torch.__version__} can't open {name} safely; 2.10 or newer is needed"
        )
    # Functions that rebuild NumPy arrays and numbers in a PyTorch file. None of them can run code
    # from the file.
    made = [value.__reduce__()[0] for value in (np.zeros(1), np.float64(0))]
    dtypes = {type(np.dtype(code)) for code in "?bhilqBHILQefd"}
    known = [*made, codecs.encode, np.ndarray, np.dtype, *dtypes]
    try:
        with torch.serialization.safe_globals(known), warnings.catch_warnings():
            # PyTorch warns that checking a sparse tensor takes time.
            warnings.filterwarnings("ignore", "Validating sparse tensor", UserWarning)
            return torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        reason = quoted(error_text(error))
        raise ValueError(f"{name}: holds more than tensors, or is corrupt ({reason})") from None


def arrays_in(held: Any, name: str = "") -> dict[str, Array]:
    """All arrays of numbers or texts in nested mappings and sequences. Each is named by the keys
    that lead to it, joined by dots.
    """
    entries = _entries(held)
    if entries is not None:
        rows = _rows(entries)
        if rows is not None:
            return {name or "values": np.stack(rows), _joined(name, "id"): np.array(list(entries))}
        found: dict[str, Array] = {}
        for key, value in entries.items():
            found |= arrays_in(value, _joined(name, key))
        return found
    array = _array(held)
    if array is not None:
        return {name or "values": array}
    items = _items(held)
    if items is None:
        return {}
    if isinstance(held, tuple):  # a tuple has parts of different kinds, such as (features, labels)
        found = {}
        for place, value in enumerate(items):
            found |= arrays_in(value, _joined(name, str(place)))
        return found
    return _stacked(items, name, batched=False)


def _joined(name: str, key: str) -> str:
    if name:
        return f"{name}.{key}"
    return key


def _entries(held: Any) -> dict[str, Any] | None:
    """The entries of a mapping; None for anything else."""
    if isinstance(held, np.ndarray) and held.dtype == object and held.ndim == 0:
        return _entries(held.item())
    if isinstance(held, Mapping):
        return {str(key): held[key] for key in held if not str(key).startswith("__")}
    if hasattr(held, "members"):  # a group of Zarr
        return {str(key): value for key, value in held.members()}
    return None


def _items(held: Any) -> list[Any] | None:
    """The items of a sequence; None for anything else."""
    if isinstance(held, np.ndarray) and held.dtype == object:
        if held.ndim == 0:
            return _items(held.item())
        return list(held)
    if isinstance(held, Sequence) and not isinstance(held, str | bytes):
        return list(held)
    return None


def _plainer(value: Any) -> Any:
    """A tensor or sparse matrix in a form that NumPy takes. Raises ValueError for masked values."""
    if hasattr(value, "detach"):  # a PyTorch tensor
        value = value.detach().cpu().to_dense()
        if "float" in str(value.dtype) and value.element_size() < 4:
            return value.float()
        return value
    if np.ma.is_masked(value):
        masked = int(np.ma.getmaskarray(value).sum())
        raise ValueError(f"{masked} values are masked; fill them in, or leave out their samples")
    if hasattr(value, "toarray"):
        return value.toarray()
    return value


def _array(value: Any) -> Array | None:
    """An array of numbers or texts; None for anything else, including a sequence that must be taken
    apart.
    """
    value = _plainer(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        if not value or not isinstance(value[0], str | int | float | np.number):
            return None
        if not all(isinstance(each, str) == isinstance(value[0], str) for each in value):
            return None
    try:
        array: Array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype == object and array.ndim == 2:
        try:
            array = array.astype(float)
        except (TypeError, ValueError):
            return None
    if array.dtype.kind in "fiubUc":
        return array
    return None


def _rows(entries: Mapping[str, Any]) -> list[Array] | None:
    """The rows of a mapping that has one row under each name; None for other mappings, such as one
    of columns.
    """
    if len(entries) < 3:
        return None
    rows: list[Array] = []
    for value in entries.values():
        array = _array(value)
        alike = (
            array is not None and array.ndim == 1 and len(array) > 1 and array.dtype.kind in "fiu"
        )
        if array is None or not alike or (rows and len(array) != len(rows[0])):
            return None
        rows.append(array)
    if len(rows) >= len(rows[0]):
        return rows
    return None


def _stacked(items: list[Any], name: str, *, batched: bool) -> dict[str, Array]:
    """Arrays from a list of rows, batches or records.

    batched : True if one-dimensional entries are pieces of one column instead of rows.
    """
    if name:
        items = _unwrapped(items)
    known = [array for item in items if (array := _array(item)) is not None]
    if items and len(known) == len(items):
        kinds = {(array.ndim, array.shape[1:], array.dtype.kind == "U") for array in known}
        if len(kinds) == 1:
            return _joined_arrays(known, name, batched=batched)
        return {}
    records = [record for item in items if (record := _record(item)) is not None]
    keys = records[0].keys() if records else ()
    if not records or len(records) < len(items) or any(each.keys() != keys for each in records):
        nested = map(arrays_in, items)
        parts = [next(iter(found.values())) for found in nested if len(found) == 1]
        if not items or len(parts) < len(items):
            return {}
        return _joined_arrays(parts, name, batched=batched)
    firsts = map(_array, records[0].values())
    several = any(array is not None and array.ndim > 1 for array in firsts)
    found: dict[str, Array] = {}
    for key in keys:
        column = [record[key] for record in records]
        found |= _stacked(column, _joined(name, key), batched=several)
    return found


def _unwrapped(items: list[Any]) -> list[Any]:
    """The only value of each mapping, as a number if all are numbers or texts of numbers; ``items``
    unchanged if any has more entries than one.

    Databases write single values so: ``{"$numberDouble": "0.5"}``, ``{"v": "0.5"}``, ``{"N":
    "0.5"}``.
    """
    values = []
    for item in items:
        if not isinstance(item, Mapping) or len(item) != 1:
            return items
        (value,) = item.values()
        if not isinstance(value, str | int | float | None):
            return items
        values.append(value)
    try:
        return [math.nan if value is None else float(value) for value in values]
    except ValueError:
        return values


def _joined_arrays(arrays: Sequence[Array], name: str, *, batched: bool) -> dict[str, Array]:
    """One array under this name: rows of one length are stacked, batches and pieces of a column
    concatenated.
    """
    ndim = arrays[0].ndim
    rows = ndim == 1 and not batched and len(set(map(len, arrays))) == 1
    joined = np.stack(arrays) if rows or ndim == 0 else np.concatenate(arrays)
    return {name or "values": joined}


def _record(item: Any) -> dict[str, Any] | None:
    entries = _entries(item)
    if entries is None and isinstance(item, list | tuple) and item:
        entries = {str(place): value for place, value in enumerate(item)}
    return entries


# ---- recipes: the Python lines that convert each kind of file ----

# A kind of file: what a message calls it, and its recipe.
_Kind = tuple[str, str]
_SAVE = "prviz.readers.save_arrays"
_FRAME = (
    "import pandas as pd\nsheets = pd.read_excel({file}, header=None, sheet_name=None)\n"
    "max(sheets.values(), key=lambda each: each.size).to_csv({csv}, header=False, index=False)"
)
_HDF5 = f"import h5py, prviz.readers\n{_SAVE}(h5py.File({{file}}), {{npz}})"
_CELLS = (
    "import anndata, h5py, prviz.readers\n"
    f"{_SAVE}(dict(h5py.File({{file}}).get('obsm', {{{{}}}})) or {{{{'X': "
    f"anndata.read_h5ad({{file}}).X}}}}, {{npz}})"
)
_CELLS_ZARR = (
    "import anndata, prviz.readers\n"
    f"cells = anndata.read_zarr({{file}}); {_SAVE}(dict(cells.obsm) or {{{{'X': cells.X}}}}, "
    f"{{npz}})"
)
_FVECS = (
    "import numpy as np\nraw = np.fromfile({file}, 'int32')\n"
    "np.save({npy}, raw.reshape(-1, 1 + raw[0])[:, 1:].view('float32'))"
)
_BVECS = (
    "import numpy as np\nraw = np.fromfile({file}, 'uint8')\n"
    "np.save({npy}, raw.reshape(-1, 4 + raw[:4].view('int32')[0])[:, 4:])"
)
_SIZES = (
    "import numpy as np\nvalues = np.fromfile({{file}}, '{}', offset=8)\n"
    "np.save({{npy}}, values.reshape(np.fromfile({{file}}, 'int32', 2)))"
)
_SQLITE = (
    "import pandas as pd, sqlite3\nbase = sqlite3.connect({file})\n"
    """names = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")\n"""
    """tables = [pd.read_sql(f'SELECT * FROM "{{name}}"', base) for name, in names]\n"""
    "max(tables, key=lambda each: each.size).to_parquet({parquet})"
)
_DUCKDB = (
    "import duckdb, math\nbase = duckdb.connect({file}, read_only=True)\n"
    "tables = [base.table(name) for name, in base.execute('SHOW TABLES').fetchall()]\n"
    "max(tables, key=lambda each: math.prod(each.shape)).write_parquet({parquet})"
)
_STORE = (
    "import pandas as pd\nstore = pd.HDFStore({file}, 'r')\n"
    "largest = max(map(store.get, store.keys()), key=lambda each: each.size)\n"
    "largest.rename(columns=str).to_parquet({parquet})"
)
_LOOM = "import h5py, numpy as np\nnp.save({npy}, h5py.File({file})['matrix'][:].T)"
_NETCDF = (
    "import prviz.readers, scipy.io\nheld = scipy.io.netcdf_file({file}, mmap=False).variables\n"
    f"{_SAVE}({{{{name: each[:] for name, each in held.items()}}}}, {{npz}})"
)
_FLOW = (
    "import flowio, pandas as pd\nheld = flowio.FlowData({file})\n"
    "pd.DataFrame(held.as_array(), columns=held.pnn_labels).to_parquet({parquet})"
)
_TFRECORD = (
    "import tensorflow as tf, prviz.readers\n"
    "rows = [tf.train.Example.FromString(each.numpy()).features.feature for each in "
    "tf.data.TFRecordDataset({file})]\n"
    f"{_SAVE}([max((each.float_list.value for each in row.values()), key=len)[:] for row in "
    f"rows], {{npz}})"
)
_LANCE = (
    "import lance, pyarrow.parquet\npyarrow.parquet.write_table(lance.dataset({file}).to_table(), "
    "{parquet})"
)
_ORC = (
    "import pyarrow.orc, "
    "pyarrow.parquet\npyarrow.parquet.write_table(pyarrow.orc.read_table({file}), {parquet})"
)
_FAISS = (
    "import faiss, numpy as np\n"
    "index = faiss.read_index({file}); np.save({npy}, index.reconstruct_n(0, index.ntotal))"
)
_WORDS = (
    "import numpy as np\nlines = list(open({file}, encoding='utf-8', newline='\\n')); d = "
    "int(lines[0].split()[1])\n"
    "np.save({npy}, np.array([line.split()[-d:] for line in lines[1:]], 'float32'))"
)
_ARFF = (
    "import io, pandas as pd, re\n"
    "head, values = re.split(r'(?im)^@data.*$', open({file}, encoding='utf-8').read(), "
    "maxsplit=1)\n"
    "names = re.findall(r\"(?im)^@attribute\\s+('[^']*'|\\S+)\", head)\n"
    "table = pd.read_csv(io.StringIO(values), names=names, quotechar=\"'\", comment='%', "
    "skipinitialspace=True)\n"
    "table.to_csv({csv}, index=False)"
)
_KALDI = (
    "import kaldiio, numpy as np\n"
    "np.save({{npy}}, np.vstack([rows for _, rows in kaldiio.{}({{file}}){}]))"
)
_ARK = ("rows of Kaldi, each of which becomes a sample", _KALDI.format("load_ark", ""))
_WORD2VEC = (
    "import numpy as np\nraw = open({file}, 'rb').read(); rows = []\n"
    "end = raw.index(b'\\n'); n, d = map(int, raw[:end].split())\n"
    "for _ in range(n):\n    start = raw.index(b' ', end + 1) + 1; end = start + 4 * d\n"
    "    rows.append(raw[start:end])\n"
    "np.save({npy}, np.frombuffer(b''.join(rows), 'float32').reshape(n, d))"
)
_SPARSE_ARFF = (
    "import pandas as pd, re\ntext = open({file}, encoding='utf-8').read()\n"
    "names = re.findall(r\"(?im)^@attribute\\s+('[^']*'|\\S+)\", text)\n"
    "rows = [dict(re.findall(r'(\\d+)\\s+([^,}}]+)', row)) for row in re.findall(r'(?m)^{{(.*)}}', "
    "text)]\n"
    "rows = [[row.get(str(place), 0) for place in range(len(names))] for row in rows]\n"
    "pd.DataFrame(rows, columns=names).to_csv({csv}, index=False)"
)
_ORANGE = (
    "import csv\nlines = open({{file}}, encoding='utf-8', newline='')\n"
    "names, kinds, flags, *rows = csv.reader(lines, delimiter={!r})\n"
    "kept = [place for place, kind in enumerate(kinds) if kind[:1] in ('c', 'C') and not "
    "any(flags[place:place + 1])]\n"
    "rows = [[row[place] for place in kept] for row in [names, *rows]]\n"
    "csv.writer(open({{csv}}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
# Recipe for a table of Orange whose names start with the kind of the column, as in C#width,
# cD#kind, mS#remark.
_ORANGE_NAMES = (
    "import csv, re\nlines = open({{file}}, encoding='utf-8', newline='')\n"
    "names, *rows = csv.reader(lines, delimiter={!r})\n"
    "kind = re.compile('([cmiw][CDST]?|[DST])#')\n"
    "kept = [place for place, name in enumerate(names) if not kind.match(name)]\n"
    "rows = [[row[place].removeprefix('C#') for place in kept] for row in [names, *rows]]\n"
    "csv.writer(open({{csv}}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_LAMMPS = (
    "import csv\nframes = open({file}, encoding='utf-8').read().split('ITEM: ATOMS ')[1:]\n"
    "rows = [line.split() for each in frames for line in each.split('ITEM:')[0].splitlines()[1:]]\n"
    "rows.insert(0, frames[0].splitlines()[0].split())\n"
    "kept = [place for place, name in enumerate(rows[0]) if name not in ('id', 'type', 'mol', "
    "'element')]\n"
    "rows = [[row[place] for place in kept] for row in rows]\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
# Recipe that reads a table out of a text with other lines around it.
_ROWS_ALONE = (
    "import csv\nrows = [line.split() for line in open({{file}}, encoding='utf-8')]\n"
    "rows = [row for row in rows if len(row) == {}]\n"
    "csv.writer(open({{csv}}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
# Recipe that reads rows of numbers out of a text with other lines around them.
_NUMBERS_ALONE = (
    "import csv, re\nlines = list(open({{file}}, encoding='utf-8'))[{}:]\n"
    "rows = [re.split(r'{}', line.strip(' ,;*|\\t\\n')) for line in lines]\n"
    "rows = [row for row in rows if len(row) == {}]\n"
    "csv.writer(open({{csv}}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_GCT = (
    "import pandas as pd\ntable = pd.read_csv({file}, sep='\\t', skiprows=2, index_col=0)\n"
    "table.drop(columns='Description').T.to_csv({csv}, index=False)"
)
_SVM = (
    "import numpy as np, sklearn.datasets\n"
    "values, labels = sklearn.datasets.load_svmlight_file({file})  # if the other set has more "
    "features, here and with their number: n_features=...\n"
    "np.savez({npz}, features=values.toarray(), labels=labels)"
)
_GEOJSON = (
    "import json, pandas as pd\nfeatures = json.load(open({file}, encoding='utf-8'))['features']\n"
    "pd.DataFrame([each['properties'] for each in features]).to_parquet({parquet})"
)
_STATA = (
    "import pandas as pd\npd.read_stata({file}, convert_categoricals=False).to_parquet({parquet})"
)
_SAS = "import pandas as pd\npd.read_sas({file}).to_parquet({parquet})"
_XPORT = "import pyreadstat\npyreadstat.read_xport({file})[0].to_parquet({parquet})"
_SPSS = "import pyreadstat\npyreadstat.read_sav({file})[0].to_parquet({parquet})"
_AVRO = "import polars as pl\npl.read_avro({file}).write_parquet({parquet})"
_R = "import pyreadr\nnext(iter(pyreadr.read_r({file}).values())).to_parquet({parquet})"
_HTML = (
    "import csv, html, re\ntable = open({file}, encoding='utf-8').read().partition('</table>')[0]\n"
    "rows = [re.findall(r'(?is)<t[hd]\\b[^>]*>(.*?)</t[hd]>', row) for row in "
    "re.split('(?i)<tr\\\\b', table)]\n"
    "rows = [[html.unescape(re.sub('<[^>]*>', '', cell)).strip() for cell in row] for row in rows "
    "if row]\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_MARKET = (
    "import numpy as np, scipy.io, scipy.sparse\nheld = scipy.io.mmread({file})\n"
    "np.save({npy}, held.toarray() if scipy.sparse.issparse(held) else held)"
)
_BARS = (
    "import csv, re\nlines = list(open({file}, encoding='utf-8'))\n"
    "lines = [line.strip(' |\\n') for line in lines if re.search(r'\\w', line)]\n"
    "rows = [re.split(r'\\s*\\|\\s*', line) for line in lines if '|' in line]\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_TOUCHING = (
    "import numpy as np, re\nlines = list(open({file})); digits = "
    "len(lines[0].strip().split('.')[-1])\n"
    "rows = [re.findall(r'[-+]?\\d*[.]' + digits * r'\\d', line) for line in lines]\n"
    "np.save({npy}, np.array([row for row in rows if row], float))"
)
_SQL = (
    "import csv, re; text = open({file}, encoding='utf-8').read()\n"
    "said = re.search(r'(?i)INSERT INTO\\s[^();]*\\(([^()]*)\\)\\s*VALUES', text)\n"
    "names = said[1].split(',') if said else re.findall(r'(?m)^\\s+[`\"](\\w+)[`\"] ', text)\n"
    "values = re.findall(r'(?is)\\bVALUES\\b(.*?)(?=;\\s*$|INSERT INTO)', text + ';')\n"
    "rows = re.findall(r\"\\(((?:[^()']|'(?:[^']|'')*')*)\\)\", ' '.join(values))\n"
    "rows = [[each.strip('` \"\\n') for each in names], *csv.reader(rows, quotechar=\"'\", "
    "skipinitialspace=True)]\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_COPY = (
    "import csv, re\ntext = open({file}, encoding='utf-8').read()\n"
    "tables = re.findall(r'(?ms)^COPY [^(]*\\(([^)]*)\\) FROM stdin;\\n(.*?)^\\\\\\.$', text)\n"
    "names, rows = max(tables, key=lambda each: len(each[1]))\n"
    "rows = [names.split(', '), *(line.split('\\t') for line in rows.splitlines())]\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_FORTRAN = (
    "import numpy as np\nnp.save({npy}, np.loadtxt([line.replace('D', 'e') for line in "
    "open({file})]))"
)
BRACKETS = (
    "import numpy as np, re\nrows = re.findall(r'[\\[({{]([^\\[\\](){{}}]*)[\\])}}]', "
    "open({file}).read())\n"
    "values = [[float(one) for one in re.split(r'[\\s,;]+', row.strip(' ,;\\n'))] for row in "
    "rows]\n"
    "np.save({npy}, np.array(values))"
)
PRINTED_CUT = "printed by NumPy, which has left numbers out (...). Save the array with np.save"
# Recipe for matrices printed by R: wide ones are in blocks of columns, one below the other.
_R_PRINT = (
    "import numpy as np, re\nblocks = re.split(r'(?m)^ +\\[,\\d.*$', open({file}).read())[1:]\n"
    "blocks = [[line.split(']')[1] for line in each.splitlines() if ']' in line] for each in "
    "blocks]\n"
    "np.save({npy}, np.hstack([np.loadtxt(each, ndmin=2) for each in blocks]))"
)
_MATLAB_PRINT = (
    "import numpy as np, re\ntext = open({file}).read()\n"
    "scale = float(*(re.findall(r'(?m)^ *(\\S+) +\\*$', text) or [1]))\n"
    "blocks = re.split('Columns? .*', text)\n"
    "blocks = [re.findall(r'(?m)^(?=.*\\d)[-+.\\deEINanf ]+$', each) for each in blocks]\n"
    "np.save({npy}, scale * np.hstack([np.loadtxt(each, ndmin=2) for each in blocks if each]))"
)
_MATLAB_PRINTED = re.compile(
    rb"^ *(Columns \d+ (through|and) \d+:?|\d+\.\d+e[-+]\d+ +\*) *$", re.MULTILINE
)
# Recipe for R's dput: the columns of a data frame, or of a matrix one after the other.
_DPUT = (
    "import csv, re\ntext = open({file}, encoding='utf-8').read()\n"
    "columns = re.findall(r'(`[^`]*`|[\\w.]+) = c\\(([^()]*)\\)', text)\n"
    "columns = [f'{{name}},{{values}}' for name, values in columns]\n"
    "columns = [re.sub(r'(?<=\\d)L\\b|\\s*[`\"\\n]\\s*', '', each).split(',') for each in "
    "columns]\n"
    "rows = zip(*[each for each in columns if len(each) == max(map(len, columns))])\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_DPUT_MATRIX = (
    "import numpy as np, re\ntext = open({file}, encoding='utf-8').read()\n"
    "n, d = map(int, re.search(r'dim = c\\((\\d+)L, (\\d+)L', text, re.I).groups())\n"
    "values = re.search(r'c\\(([^()]*)\\)', text)[1].replace('L', '').replace('NA', "
    "'nan').split(',')\n"
    "np.save({npy}, np.array(values, float).reshape(d, n).T)"
)
_LATEX = (
    "import csv, re\nlines = [line.split('\\\\\\\\')[0] for line in open({file}, "
    "encoding='utf-8')]\n"
    "lines = [re.sub(r'\\\\[A-Za-z]+\\*?|[{{}}$]', '', line) for line in lines if "
    "re.search(r'(?<!\\\\)&', line)]\n"
    "rows = [[cell.replace('\\\\', '').strip() for cell in re.split(r'(?<!\\\\)&', line)] for "
    "line in lines]\n"
    "csv.writer(open({csv}, 'w', newline='', encoding='utf-8')).writerows(rows)"
)
_ASKED = (
    "plain bytes, which do not say how many values a sample has (the lines below ask for "
    "the number); they look like "
)
_PLAIN_BYTES = (
    "import numpy as np\nd = int(input('number of values of one sample: '))\n"
    "np.save({{npy}}, np.fromfile({{file}}, '{}').reshape(-1, d))"
)
_IDX = (
    "import numpy as np\nraw = open({file}, 'rb').read()\n"
    "kind = {{8: 'u1', 9: 'i1', 11: '>i2', 12: '>i4', 13: '>f4', 14: '>f8'}}[raw[2]]\n"
    "shape = np.frombuffer(raw, '>i4', raw[3], 4)\n"
    "np.save({npy}, np.frombuffer(raw, kind, offset=4 + 4 * raw[3]).reshape(shape))"
)
_ASTRO = (
    "import prviz.readers\nfrom astropy.table import Table\ntable = Table.read({file})\n"
    "wide = {{name: table[name] for name in table.colnames if table[name].ndim > 1}}\n"
    f"{_SAVE}(wide or table.to_pandas(), {{npz}})"
)
_UNPACK = "import {0}, shutil\nshutil.copyfileobj({0}.open({{file}}), open({{stem}}, 'wb'))"
_NAMED = r"[A-Za-z_]\w*=[-+.\d]\S*"
_NAMED_VALUES = (
    "import pandas as pd, re\nlines = [line for line in open({file}, encoding='utf-8') if '=' in "
    "line]\n"
    "rows = [dict(re.findall(r'([A-Za-z_]\\w*)=([-+.\\d][-+.\\deE]*)', line)) for line in lines]\n"
    "pd.DataFrame(rows).to_csv({csv}, index=False)"
)
_RENAMED = "import shutil\nshutil.copy({file}, {csv})"
_LOADED = "import numpy as np\nnp.save({npy}, np.loadtxt({file}))"
_JSON = f"import json, prviz.readers\n{_SAVE}({{held}}, {{npz}})"
_MATLAB = (
    f"import scipy.io, prviz.readers\n{_SAVE}(scipy.io.loadmat({{file}}, "
    f"simplify_cells=True), {{npz}})"
)
_MATLAB_7 = (
    "import h5py, numpy as np, prviz.readers\nheld = {{}}\n"
    "h5py.File({file}).visititems(lambda name, each: held.update({{name: each}}))\n"
    "held = {{name: each for name, each in held.items() if hasattr(each, 'shape') and name[0] != "
    "'#'}}\n"
    f"{_SAVE}({{{{name: np.squeeze(each[()]).T for name, each in held.items()}}}}, {{npz}})"
)

_HDF5_ENDINGS = (".h5", ".hdf5", ".hdf", ".he5")
_HDF5_MAGIC = b"\x89HDF"
# Extension -> kind of file, and its recipe.
_KINDS: dict[str, _Kind] = {
    ".h5ad": ("an AnnData file (cells)", _CELLS),
    **dict.fromkeys(_HDF5_ENDINGS, ("an HDF5 file", _HDF5)),
    ".mat": ("a file of MATLAB", _MATLAB),
    **dict.fromkeys(
        (".xlsx", ".xlsm", ".xls", ".ods"),
        ("a spreadsheet, whose largest sheet the lines below take", _FRAME),
    ),
    ".zarr": (
        "a Zarr store",
        f"import zarr, prviz.readers\n{_SAVE}(zarr.open({{file}}, mode='r'), {{npz}})",
    ),
    ".h5ad.zarr": ("an AnnData store (cells)", _CELLS_ZARR),
    ".lance": ("a Lance data set", _LANCE),
    **dict.fromkeys((".fits", ".fit", ".fts"), ("a FITS file", _ASTRO)),
    ".ecsv": ("a table of astropy (ECSV)", _ASTRO),
    **dict.fromkeys((".vot", ".votable"), ("a VOTable", _ASTRO)),
    ".orc": ("an ORC file", _ORC),
    **dict.fromkeys((".tfrecord", ".tfrecords"), ("records of TensorFlow", _TFRECORD)),
    **dict.fromkeys((".faiss", ".index"), ("an index of Faiss", _FAISS)),
    ".fvecs": ("vectors of float32", _FVECS),
    ".bvecs": ("vectors of bytes", _BVECS),
    ".fbin": ("rows of float32 behind their number and width", _SIZES.format("float32")),
    ".u8bin": ("rows of bytes behind their number and width", _SIZES.format("uint8")),
    ".i8bin": ("rows of int8 behind their number and width", _SIZES.format("int8")),
    **dict.fromkeys(
        (".sqlite", ".sqlite3"),
        ("a database of SQLite, whose largest table the lines below take", _SQLITE),
    ),
    ".duckdb": ("a database of DuckDB, whose largest table the lines below take", _DUCKDB),
    ".loom": ("a Loom file (genes and cells), each cell of which becomes a sample", _LOOM),
    **dict.fromkeys((".nc", ".nc4", ".cdf"), ("a NetCDF file", _NETCDF)),
    ".fcs": ("a file of a flow cytometer", _FLOW),
    ".geojson": ("a GeoJSON file, whose properties the lines below take", _GEOJSON),
    ".arff": ("a table of Weka", _ARFF),
    ".sql": ("rows in SQL", _SQL),
    ".tex": ("a table of LaTeX", _LATEX),
    **dict.fromkeys((".svm", ".libsvm", ".svmlight"), ("rows of LIBSVM", _SVM)),
    ".vec": ("vectors of words", _WORDS),
    ".ark": _ARK,
    ".scp": (_ARK[0], _KALDI.format("load_scp", ".items()")),
    ".gct": ("a table of genes (GCT)", _GCT),
    ".dta": ("a file of Stata", _STATA),
    ".sas7bdat": ("a file of SAS", _SAS),
    ".xpt": ("a file of SAS", _XPORT),
    **dict.fromkeys((".sav", ".zsav"), ("a file of SPSS", _SPSS)),
    ".avro": ("an Avro file", _AVRO),
    **dict.fromkeys((".rds", ".rdata", ".rda"), ("a file of R", _R)),
    **dict.fromkeys((".html", ".htm"), ("a page, whose first table the lines below take", _HTML)),
    ".mtx": ("a matrix in the Matrix Market format", _MARKET),
    **dict.fromkeys((".raw", ".f32"), (f"{_ASKED}float32", _PLAIN_BYTES.format("float32"))),
    ".gz": ("a packed file", _UNPACK.format("gzip")),
    ".bz2": ("a packed file", _UNPACK.format("bz2")),
    ".xz": ("a packed file", _UNPACK.format("lzma")),
}
# A word in a recipe -> the package that the recipe needs beside those of prviz.
_PACKAGES = {
    "anndata": "anndata",
    "astropy": "astropy",
    "duckdb": "duckdb",
    "flowio": "flowio",
    "h5py": "h5py",
    "HDFStore": "tables",
    "import lance": "pylance",
    "kaldiio": "kaldiio",
    "polars": "polars",
    "pyreadr": "pyreadr",
    "pyreadstat": "pyreadstat",
    "read_excel": "openpyxl",
    "read_html": "lxml",
    "tensorflow": "tensorflow",
    "zarr": "zarr",
}
# First bytes of other binary formats -> the extension whose recipe fits.
_BEGUN_BYTES = {
    b"CDF": ".nc",
    b"FCS": ".fcs",
    b"MATLAB 5": ".mat",
    b"Obj\x01": ".avro",
    b"ORC": ".orc",
    b"SQLite format 3": ".sqlite",
}
# Extensions of text tables whose kind only the contents tell.
_TABLES = ("", ".txt", ".dat", ".tab", ".psv", ".asc", ".prn", ".data", ".md", ".cat")
_LOOKED_AT = (".bin", ".json", ".db", *_TABLES)
CONVERTED = (*_KINDS, *_LOOKED_AT)
# Range of absolute values that plain numbers usually have.
_USUAL = (1e-8, 1e8)
# Least share of values in that range for which bytes count as plain numbers.
_MOSTLY = 0.95
_BETWEEN = (b"\t", b";", b",")
_MARKS = re.compile(rb"[ \t,;|]+")
_NUMBERS = re.compile(rb"\s*[-+]?[\d.][-+\deE.]*([ \t,;]+[-+]?[\d.][-+\deE.]*)*\s*")


_ANY = re.compile(rb".*")
# Beginning of a binary archive of Kaldi: the name of a row, and the mark of binary values.
_ARK_ROW = re.compile(rb"[^\s\0]+ \0B")
_WORD2VEC_HEAD = re.compile(rb"\d+ \d+\n[^\s\0]+ ")
_BRACKET = re.compile(rb"\s*(- )?(array|tensor)?\(?[\[({]+\s*-?\.?\d")
_ONE = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# A line of dashes between the column names of a table and its rows.
_RULER = re.compile(rb"[-+=| :]*-[-+=| :]*")
_BAR = re.compile(rb".*\|.*")
_INSERTED = re.compile(rb"(?im)^INSERT INTO\s.*\(")
_NUMERIC = re.compile(rb"[-+.\d ]+\r?")
_TOUCHED = re.compile(rb"(?m)^[-+.\d ]*\.\d+-\d*\.[-+.\d ]+\r?$")
# A kind of printed text: its description, patterns of its first and third lines, and its recipe.
_Printed = tuple[str, re.Pattern[bytes], re.Pattern[bytes], str]
_TOUCH = (
    "numbers without a space between",
    re.compile(rb"[-+.\d\s]*[.]\d*[-.]"),
    re.compile(rb"[-+.\d\s]+"),
    _TOUCHING,
)
_BOXED = (
    "a table drawn with bars",
    re.compile(rb"\+[-=+]+\+\s*$"),
    re.compile(rb"\+[-=+]+\+"),
    _BARS,
)
_PRINTED: tuple[_Printed, ...] = (
    ("rows of numbers in brackets", _BRACKET, _ANY, BRACKETS),
    (
        "rows of numbers in brackets",
        re.compile(rb"\w+:\s*$"),
        re.compile(_BRACKET.pattern + rb".*"),
        BRACKETS,
    ),
    (
        "vectors of words",
        re.compile(rb"\d+ \d+\s*$"),
        re.compile(rb"\S+( +[-+.\deE]+)+"),
        _WORDS,
    ),
    (
        "rows of LIBSVM",
        re.compile(rb"\S+( qid:\d+)? \d+:[^\s:,]+(\s|$)"),
        re.compile(rb"\S+( (qid|\d+):\S+)*\s*(#.*)?"),
        _SVM,
    ),
    (_ARK[0], re.compile(rb"\S+ +\[\s*([-+\d.eE]+\s+)*\]?\s*$"), _ANY, _ARK[1]),
    _BOXED,
    ("a table drawn with bars", _BAR, re.compile(rb"\|?( *[-+.\deE]+ *\|)+.*"), _BARS),
    (
        "a table of LaTeX",
        re.compile(rb"\s*\\\w.*|.*\\\\\s*$"),
        re.compile(rb".*&.*|\\\w+.*"),
        _LATEX,
    ),
    ("a table as R's dput writes it", re.compile(rb"structure\(list\("), _ANY, _DPUT),
    ("a matrix as R's dput writes it", re.compile(rb"structure\(c\([-\d]"), _ANY, _DPUT_MATRIX),
    ("a matrix as R prints it", re.compile(rb" +\[,1\]"), re.compile(rb"\[2,\].*"), _R_PRINT),
    (
        "frames of LAMMPS, each atom of which becomes a sample",
        re.compile(rb"ITEM: (TIMESTEP|UNITS|TIME)"),
        re.compile(rb"ITEM: .*"),
        _LAMMPS,
    ),
    (
        "lines of names and values",
        re.compile(rf"(.*\s)?{_NAMED}(\s+{_NAMED})+\s*$".encode()),
        re.compile(rf"(.*\s)?{_NAMED}".encode()),
        _NAMED_VALUES,
    ),
    ("numbers with Fortran's D", re.compile(rb"[-+.\d\sD]*\dD"), _ANY, _FORTRAN),
    _TOUCH,
)


# Kinds of columns in the second line of an Orange table.
_ORANGE_KIND = re.compile(rb"continuous|discrete|string|time|[cdstCDST]|[\w-]+( [\w-]+)+")
# Kind that an Orange table writes in front of a column name: C, D, S, T for continuous, discrete,
# text, time; c, m, i, w for class, meta, ignored, weight.
_ORANGE_NAME = re.compile(r"([cmiw][CDST]?|[CDST])#")
_ORANGE_ROLE = re.compile(r"[cmiw][CDST]#")
# First bytes of a text in another format, in lower case -> the extension whose recipe fits.
_BEGUN = {
    b"%%matrixmarket": ".mtx",
    b"@relation": ".arff",
    b"<!doctype": ".html",
    b"<html": ".html",
    b"<table": ".html",
}
_MISNAMED: tuple[_Printed, ...] = (
    *(
        each
        for each in _PRINTED
        if each[3] in (_WORDS, _SVM, _R_PRINT, _NAMED_VALUES, _LATEX, _DPUT, _DPUT_MATRIX)
    ),
    _BOXED,
)


def refuse_container(
    where: str, path: str, extension: str, head: Callable[[int], bytes], size: int
) -> ReadError | None:
    """The error for a file or folder of another program, with its recipe; None for an unknown kind.

    path : as the user wrote it. head : the first bytes of a file. size : in bytes, 0 for a folder.
    """
    kind = _kind(extension, head, size)
    if kind is None:
        return None
    return _converted(where, path, *kind)


def refuse_misnamed(where: str, path: str, head: bytes, whole: bool) -> ReadError | None:
    """The error for a text that has the extension of a table but another format; None for a table.

    head : the first bytes. whole : True if ``head`` is the whole text.
    """
    begun = head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    page = b"<table" in head.lower()
    for mark, extension in _BEGUN.items():
        inside = mark == b"@relation" and any(line.startswith(mark) for line in begun.splitlines())
        if inside or (begun.startswith(mark) and (page or mark[:1] != b"<")):
            kind = _of_own_form(begun, extension, 0) or _KINDS[extension]
            return _converted(where, path, *kind)
    lines = _lines(head, whole)
    if _drawn(lines):
        return _converted(where, path, "a table drawn with bars", _BARS)
    found = _printed(head, whole, _MISNAMED) or (_orange(lines) if len(lines) > 2 else None)
    if found is None:
        return None
    return _converted(where, path, *found)


def _drawn(lines: Sequence[bytes]) -> bool:
    """True for a table with bars between its cells and a ruled line below its names, such as a list
    exported from SAP.
    """
    ruled = any(_RULER.fullmatch(line.strip()) for line in lines[:6])
    return ruled and 2 * sum(b"|" in line for line in lines) > len(lines) > 2


def _converted(where: str, path: str, what: str, lines: str) -> ReadError:
    """The error for a file that has to be converted, with the recipe."""
    if not lines:
        return ReadError(f"{where}: {what}.")
    stem = path.rstrip("/")
    stem = stem.removesuffix(Path(stem).suffix)
    stem += "_read" if path.lower().endswith(".csv") and "{csv}" in lines else ""
    endings = {
        ending: literal(f"{stem}.{ending}") for ending in ("npz", "npy", "csv", "parquet", "jsonl")
    }
    recipe = lines.format(file=literal(path), stem=literal(stem), **endings)
    needed = [package for word, package in _PACKAGES.items() if word in recipe]
    first = ""
    if needed:
        first = f" The lines need one more library: pip install {needed[0]}."
    return ReadError(f"{where}: {what}.{first} Convert it, and use the new file:\n{recipe}")


def _kind(extension: str, head: Callable[[int], bytes], size: int) -> _Kind | None:
    if extension == ".mat":
        return _matlab(head(1 << 16), size)
    if head(4) == _HDF5_MAGIC and extension in (".nc", ".nc4", *_HDF5_ENDINGS):
        return _hdf5(head(1 << 16))
    if _is_idx(head(20), size):
        return "an IDX file", _IDX
    if extension == ".bin":
        return _binary(head(4096), size)
    if extension == ".raw" and not _decoded(head(4096), "utf-8"):
        return _plain_bytes(head(4096))
    if extension == ".xml":
        if b"<VOTABLE" in head(4096):
            return _KINDS[".votable"]
        return None
    if extension == ".json":
        return _json(head(4096))
    if extension in (".raw", *_TABLES):
        return _text_or_bytes(extension, head(1 << 16), size)
    return (
        _of_own_form(head(1 << 16), extension, size)
        or _KINDS.get(extension)
        or _by_contents(head(1 << 16), size)
    )


def _matlab(head: bytes, size: int) -> _Kind | None:
    """The recipe for a file of MATLAB, or of Octave, which may be text."""
    if b"MATLAB 7.3" in head[:128]:
        return "a file of MATLAB 7.3 (HDF5)", _MATLAB_7
    if head.startswith(b"#"):
        return _text_table(head, size)
    return _KINDS[".mat"]


def _hdf5(head: bytes) -> _Kind:
    """The recipe for an HDF5 file, or for one that pandas wrote, whose layout is its own."""
    return _KINDS[".h5"][0], _STORE if b"pandas_type" in head else _HDF5


def _of_own_form(head: bytes, extension: str, size: int) -> _Kind | None:
    """The recipe for a sparse table of Weka (rows in braces that omit zeros), a dump of PostgreSQL,
    or word vectors without the line of sizes above; None for others.
    """
    if extension == ".arff" and re.search(rb"(?im)^@data\s*\{", head):
        return _KINDS[".arff"][0], _SPARSE_ARFF
    if extension == ".sql" and re.search(rb"(?m)^COPY .* FROM stdin;", head):
        return "rows of PostgreSQL, whose largest table the lines below take", _COPY
    if extension == ".vec" and not re.match(rb"\d+ +\d+\s*\n", head):
        return _text_table(head, size)
    return None


def _by_contents(head: bytes, size: int) -> _Kind | None:
    """The recipe for a file of unknown extension by its first bytes; None if these are unknown
    too.
    """
    if head.startswith(_HDF5_MAGIC):
        return _hdf5(head)
    if head[8:12] == b"DUCK":
        return _KINDS[".duckdb"]
    for begun, known in _BEGUN_BYTES.items():
        if head.startswith(begun):
            return _KINDS[known]
    if b"\0" in head:
        return None
    return _text_table(head, size)


def _text_or_bytes(extension: str, head: bytes, size: int) -> _Kind | None:
    """The recipe for a file whose extension says little: text in any encoding, or plain bytes."""
    encoding = encoding_of(head)
    if encoding != "utf-8" and (text := _decoded(head, encoding)):
        found = _text_table(text, len(text) if len(head) == size else 0)
        return found and (f"a table of numbers in {encoding.upper()}", _RENAMED)
    if _ARK_ROW.match(head):
        return _ARK
    if b"\0" in head:
        if extension:
            return _plain_bytes(head)
        return None
    return _text_table(head, size)


def _decoded(head: bytes, encoding: str) -> bytes:
    """The first bytes of a text, converted to UTF-8; empty if they are no text."""
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(head)
    if "".join(text.split()).isprintable():
        return text.encode()
    return b""


def _text_table(head: bytes, size: int) -> _Kind | None:
    """The recipe for a text table with any extension; None if its second line holds no numbers."""
    if found := _printed(head, len(head) == size, _PRINTED):
        return found
    lines = _lines(head, len(head) == size)
    if _drawn(lines):
        return "a table drawn with bars", _BARS
    even = len({len(line.split()) for line in lines}) == 1
    if even and _NUMBERS.fullmatch(lines[0]) and len(set(b",;|") & set(lines[0])) == 0:
        named = _names_above(head, len(lines[0].split()))
        return "a table of numbers", _RENAMED if named else _LOADED
    if len(lines) < 2:
        return None
    if orange := _orange(lines):
        return orange
    words = [word for word in _MARKS.split(lines[1].strip()) if word]
    numbers = [word for word in words if _NUMBERS.fullmatch(word)]
    if len(numbers) > max(1, len(words) / 2):
        return "a table of numbers", _RENAMED
    return _numbers_within(head, lines) or _table_within(lines)


def _orange(lines: Sequence[bytes]) -> _Kind | None:
    """The recipe for a table of Orange, where the second line or the names give the kind of each
    column.
    """
    what = "a table of Orange, whose continuous features the lines below take"
    for mark in ("\t", ","):
        kinds = [each.strip() for each in lines[1].split(mark.encode())]
        known = len(kinds) > 1 and all(map(_ORANGE_KIND.fullmatch, kinds))
        # Texts of several words alone name no kinds of columns.
        if known and any(b" " not in kind for kind in kinds):
            return what, _ORANGE.format(mark)
        names = lines[0].decode(errors="replace").split(mark)
        kinds_said = [each for each in names if _ORANGE_NAME.match(each)]
        if 2 * len(kinds_said) > len(names) > 1 or any(map(_ORANGE_ROLE.match, kinds_said)):
            return what, _ORANGE_NAMES.format(mark)
    return None


def _numbers_within(head: bytes, lines: Sequence[bytes]) -> _Kind | None:
    """The recipe for a text most of whose lines are equally many numbers and nothing else, without
    column names.
    """
    bare = [line.strip(b" ,;*|\t\r") for line in lines]
    mark = r"[\s;*|]+"
    if 2 * sum(b"," in line for line in bare) > len(bare):
        mark = r"\s*,\s*"
    rows = [re.split(mark.encode(), line) for line in bare]
    widths = [len(row) if all(map(_ONE.fullmatch, row)) else 0 for row in rows]
    width, count = Counter(widths).most_common(1)[0]
    if width < 3 or count < 4 or 2 * count <= len(rows):
        return None
    first = widths.index(width)
    above = lines[max(0, first - 1)]
    if any(above.count(each) == lines[first].count(each) >= width - 1 for each in _BETWEEN):
        # The line above the rows has names of several words.
        return None
    if first and len(rows[first - 1]) == width and not bare[first - 1].startswith(b"@"):
        return None
    recipe = _NUMBERS_ALONE.format(head.splitlines().index(lines[first]), mark, width)
    return "a text with a table of numbers in it", recipe


# Most lines of names, units and kinds above the values of a table.
_MOST_NAMES = 4
# Least share of lines with equally many delimiters in a table of words and numbers.
_NEARLY = 0.9


def _table_within(lines: Sequence[bytes]) -> _Kind | None:
    """The recipe for a text most of whose lines are rows of one table; None for any other text."""
    for mark in (b"\t", b";", b",", None):
        rows = [line.split(mark) for line in lines]
        width, count = Counter(map(len, rows)).most_common(1)[0]
        table = [row for row in rows if len(row) == width]
        # Number of cells with numbers in each row, without the rows of names, units and kinds at
        # the top.
        cells = [sum(_NUMBERS.fullmatch(cell) is not None for cell in row) for row in table[1:]]
        while len(cells) > count - _MOST_NAMES and len(cells) > 1 and not cells[0]:
            del cells[0]
        most = count > 3 and 2 * count > len(lines)
        divided = mark is not None and count >= _NEARLY * len(lines)
        if width < 3 or not most:
            continue
        if 2 * min(cells) > width or (divided and min(cells[count // 2 :]) > 1):
            recipe = _ROWS_ALONE.format(width) if mark is None else _RENAMED
            return "a text with a table of numbers in it", recipe
    return None


def _names_above(head: bytes, width: int) -> bool:
    """True if the comments above a table of numbers have a name for each of its columns."""
    above = []
    for line in head.splitlines():
        if not line.startswith(b"#"):
            break
        above.append(line.decode(errors="replace").split())
    if not above:
        return False
    words = names_in_comment(above[-1])
    named = len(words) == width and not any(_NUMBERS.fullmatch(word.encode()) for word in words)
    return named or len(names_of_columns(above)) == width


def _lines(head: bytes, whole: bool) -> list[bytes]:
    """The lines of a text that are neither blank nor comments."""
    lines = head.splitlines() if whole else head.splitlines()[:-1]
    return [line for line in lines if line.strip() and not line.startswith(b"#")]


def _printed(head: bytes, whole: bool, kinds: Sequence[_Printed]) -> _Kind | None:
    """Description and recipe of a printed text, by its first and third lines; None for other
    texts.
    """
    lines = _lines(head, whole)
    if _MATLAB_PRINTED.search(head):
        return "a matrix as MATLAB prints it", _MATLAB_PRINT
    if _INSERTED.search(head):
        return _KINDS[".sql"]
    if lines and _NUMERIC.fullmatch(lines[0]) and _TOUCHED.search(head):
        return _TOUCH[0], _TOUCHING
    for what, first, third, recipe in kinds:
        if (
            lines
            and first.match(lines[0])
            and third.fullmatch(lines[min(2, len(lines) - 1)].strip())
        ):
            cut = recipe == BRACKETS and b"..." in head
            if cut:
                return (PRINTED_CUT, "")
            return (what, recipe)
    return None


def _binary(head: bytes, size: int) -> _Kind | None:
    """Description and recipe of a .bin file; some formats are recognised by the sizes at their
    start.
    """
    rows, columns = (int.from_bytes(head[start : start + 4], "little") for start in (0, 4))
    for extension, width in {".fbin": 4, ".u8bin": 1}.items():
        if rows and columns and size == 8 + rows * columns * width:
            return _KINDS[extension]
    if _ARK_ROW.match(head):
        return _ARK
    if _WORD2VEC_HEAD.match(head):
        return _KINDS[".vec"][0], _WORD2VEC
    if head[:3] in (b"IxF", b"IxH", b"IxM", b"IwF", b"IHN"):
        return _KINDS[".faiss"]
    if size and size % 4 == 0:
        return _plain_bytes(head)
    return None


def _plain_bytes(head: bytes) -> _Kind:
    """Description and recipe of plain bytes: float64 if only that gives mostly plain numbers, else
    float32.
    """
    held = head[: len(head) // 8 * 8]
    with np.errstate(all="ignore"):
        sizes = [np.abs(np.frombuffer(held, kind).astype(float)) for kind in ("<f4", "<f8")]
        usual = [
            ((each == 0) | ((each > _USUAL[0]) & (each < _USUAL[1]))).sum() / max(1, len(each))
            for each in sizes
        ]
    kind = "float32"
    if usual[0] < _MOSTLY < usual[1]:
        kind = "float64"
    return _ASKED + kind, _PLAIN_BYTES.format(kind)


def _is_idx(head: bytes, size: int) -> bool:
    """True for a file in MNIST's format (IDX): two zero bytes, the type, the number of dimensions,
    and that many sizes.
    """
    width = {8: 1, 9: 1, 11: 2, 12: 4, 13: 4, 14: 8}.get(
        head[2] if len(head) > 3 and head[:2] == b"\0\0" else 0
    )
    if width is None or not 1 <= head[3] <= 4:
        return False
    sizes = [int.from_bytes(head[4 + 4 * axis : 8 + 4 * axis], "big") for axis in range(head[3])]
    return size == 4 + 4 * head[3] + width * math.prod(sizes)


def _json(head: bytes) -> _Kind:
    """The recipe for a JSON file, by how it begins."""
    text = b"".join(head.split())
    loaded = "json.load(open({file}))"
    first = head.partition(b"\n")
    if text[:1] == b"{" and first[0].rstrip().endswith(b"}") and first[2].lstrip()[:1] == b"{":
        return "JSON lines", "import shutil\nshutil.copy({file}, {jsonl})"
    if text[:11] == b'{"schema":{':
        return (
            "a table in JSON",
            "import pandas as pd\npd.read_json({file}, orient='table').to_parquet({parquet})",
        )
    if text[:1] == b"{" and b'"columns":[' in text and b'"data":[' in text:
        frame = "pd.DataFrame(held['data'], columns=held['columns'])"
        return (
            "a table in JSON",
            f"import json, pandas as pd\nheld = {loaded}; {frame}.to_parquet({{parquet}})",
        )
    by_columns = re.match(rb'\{"[^"]*":\{"[^"]*":([-\d"]|\[(?!\{))', text)
    if by_columns and b'":[{' not in text:
        return (
            "a table in JSON",
            "import pandas as pd\npd.read_json({file}).rename(columns=str).to_parquet({parquet})",
        )
    if text[:2] == b"[{":
        return (
            "rows in JSON",
            f"import json, pandas as "
            f"pd\npd.DataFrame({loaded}).rename(columns=str).to_parquet({{parquet}})",
        )
    return "a JSON file", _JSON.replace("{held}", loaded)
