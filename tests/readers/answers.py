"""What the readers answer to a file: samples, a refusal, or what the printed lines make of it."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from prviz.cli.main import main
from prviz.readers import ReadError, read
from prviz.samples import Samples

# A path, or a name and the contents of a file that is written in a folder of its own.
Source = Path | tuple[str, bytes]


def csv(frame: pd.DataFrame, *, index: bool = False, **options: Any) -> tuple[str, bytes]:
    """A table as the contents of a file."""
    return "t.csv", frame.to_csv(index=index, **options).encode()


def write(path: Path, table: pd.DataFrame) -> Path:
    """A table as a file of the kind that its extension says."""
    if path.suffix in (".csv", ".tsv"):
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True, double_precision=15)
    else:
        getattr(table, f"to_{path.suffix[1:]}")(path)
    return path


def json_lines(rows: Iterable[Any]) -> tuple[str, bytes]:
    """Objects as the contents of a file."""
    return "t.jsonl", "\n".join(map(json.dumps, rows)).encode()


def refusal(source: Any, match: str = ".", /, by: Callable[..., Any] = read, **options: Any) -> Any:
    """The error with which a source is refused; its message matches."""
    with pytest.raises(ReadError, match=match) as caught:
        by(source, **options)
    return caught.value


def shell(*words: object, code: int = 0) -> str:
    """What a command says, which ends with this code."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        assert main([*map(str, words)]) == code
    return said.getvalue()


def run_lines(message: object, after: str = "\n", **names: Any) -> set[Path]:
    """The new files that the lines of a message make, run in the working folder.

    after : what stands before them. names : what they take as imported.
    """
    before = {*Path().iterdir()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # np.load keeps an .npz file open
        exec(str(message).partition(after)[2], names)
        names.clear()
    return {*Path().iterdir()} - before


def followed(
    source: Source, *said: str, first: Mapping[str, Any] | None = None, **options: Any
) -> Samples:
    """The samples after every printed recipe was followed: one for each text of ``said``, which its
    message matches.

    first : options of the readings that are refused. options : those of the last one.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = source
        if not isinstance(path, Path):
            path = Path(folder, source[0])
            path.write_bytes(source[1])
        with contextlib.chdir(path.parent):
            path = Path(path.name)
            for each in said or (".",):
                made = run_lines(refusal(path, each, **(first or {})))
                (path,) = (new for new in made if new.stem.startswith(path.stem.split(".")[0]))
            return read(path, **options)
