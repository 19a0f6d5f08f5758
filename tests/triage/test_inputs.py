"""Which files are checkpoints: names, steps, order, and the table that says more about them."""

from __future__ import annotations

import pickle
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from prviz.triage.inputs import (
    Checkpoint,
    PicturesError,
    checkpoints_of,
    details_of,
    named,
    step_of,
)
from tests.counting import lines_run


def touched(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    return [folder / name for name in names]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("rbm-epoch-300", 300),
        ("epoch=07-val_loss=1.25", 7),
        ("Epoch_3_STEP_12k", 12_000),
        ("iter_1.5M", 1_500_000),
        ("gen-200kimg", 200_000),
        ("network-snapshot-000200", 200),
        ("truncation-0.7", 0.7),
        ("step0", 0),
        ("ckpt20", 20),
        ("0010", 10),
        ("1e5", 100_000),
        ("step=2.5e+05_ema", 250_000),
        ("adam-lr1e-4", None),
        ("adam_1E-05", None),
        ("model-12e45", None),
        ("resnet50", None),
        ("model_v2", None),
        ("footstep5", None),
        ("step-5th", None),
        ("it5m", 5e6),
        ("x3k", None),
        ("epoch 2, ep-3", 2),
        ("ckpt-7-iter-9", 9),
        ("a=.5", 5),
        ("converged", None),
        ("model-000120000-ema", 120_000),
        ("gan_20k_ema_samples", 20_000),
        ("model-7-b", None),
        ("7-emabc", None),
    ],
)
def test_steps_are_read_from_names(name: str, step: float | None) -> None:
    assert step_of(name) == step


def test_a_folder_gives_its_sample_files_in_natural_order(tmp_path: Path) -> None:
    touched(
        tmp_path,
        "b-step-2k.npy",
        "b-step-10k.csv",
        "b-step-900.npz",
        "a-10.npy",
        "a-9.npy",
        "plain.parquet",
    )
    touched(tmp_path, "notes.txt", ".hidden.npy", "deeper/c.npy", "real.npy", "table.csv")
    (tmp_path / "table.csv").write_text("file\n")
    found = checkpoints_of(
        tmp_path, tmp_path / "table.csv", leave_out=[tmp_path / "." / "real.npy"]
    )
    assert [(each.name, each.step) for each in found] == [
        ("a-9", 9),
        ("a-10", 10),
        ("b-step-900", 900),
        ("b-step-2k", 2000),
        ("b-step-10k", 10_000),
        ("plain", None),
    ]
    named = [
        path for path in tmp_path.iterdir() if "-" in path.name or path.stem in ("plain", "real")
    ]
    assert found == checkpoints_of(named, leave_out=[tmp_path / "real.npy"])


def test_nothing_to_open_is_an_error(tmp_path: Path) -> None:
    touched(tmp_path, "weights.pt")
    with pytest.raises(ValueError, match=r"no files there that end in \.npy"):
        checkpoints_of(tmp_path)
    with pytest.raises(ValueError, match="nothing"):
        checkpoints_of([])


def test_averaged_weights_are_a_series_of_their_own(tmp_path: Path) -> None:
    touched(tmp_path, *(f"m-{step}{end}.npy" for step in (9, 10) for end in ("", "-ema")))
    names = [each.name for each in checkpoints_of(tmp_path)]
    assert names == ["m-9", "m-10", "m-9-ema", "m-10-ema"]


def test_metadata_give_steps_and_other_numbers(tmp_path: Path) -> None:
    paths = touched(tmp_path, "a.npy", "b.npy", "c-5.npy", "c-7.npy")
    table = tmp_path / "about.csv"
    table.write_text(
        '\ufefffile,step,psi,"guid,ance"\r\nb.npy,10,0.5,\r\n\r\na,30,,7\r\nc-5.npy,20,1e-1,2\r\n',
        encoding="utf-8",
    )
    found = checkpoints_of(tmp_path, table)
    assert [(each.name, each.step, dict(each.extra)) for each in found] == [
        ("b", 10, {"psi": 0.5}),
        ("c-5", 20, {"psi": 0.1, "guid,ance": 2}),
        ("a", 30, {"guid,ance": 7}),
        ("c-7", 7, {}),
    ]
    assert pickle.loads(pickle.dumps(found)) == found == checkpoints_of(paths[::-1], table)
    assert isinstance(hash(Checkpoint(paths[0], "a", None, {"psi": np.inf})), int)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "'m.csv': empty"),
        (b"name,step\na,1\n", "'m.csv': its columns are 'name', 'step'; a column 'file' is needed"),
        (b"file,step,step\na,1,2\n", "the column 'step' is there twice"),
        (b"file,step,\na,1,2\n", "the column '' is there twice or has no name"),
        (b"file,step\na,1\nb\n", "'m.csv', row 3: 1 cells; 2 are needed"),
        (
            b"file,step\nnobody.npy,1\n",
            "'m.csv', row 2, column 'file': 'nobody.npy' names none of the checkpoints",
        ),
        (b"file,step\na.npy,1\na,2\n", "row 3, column 'file': 'a.npy' has a row already"),
        (b"file,step\n,1\n", "row 2, column 'file': '' names none"),
        (
            b"file,step,psi\na,1,=1+1\nb,2,3\n",
            "'m.csv', row 2, column 'psi': '=1\\+1' is not a finite number",
        ),
        (b"file,step\na,inf\n", "row 2, column 'step': 'inf' is not a finite number"),
        (b'file,step\n"a,1\n', "not a CSV file in UTF-8"),
        (b"file,step\n" + b"a" * 200_000 + b",1\n", "'m.csv'"),
    ],
)
def test_malformed_metadata_are_refused_by_row_and_column(
    tmp_path: Path, text: bytes, message: str
) -> None:
    paths = touched(tmp_path, "a.npy", "b.npy")
    (tmp_path / "m.csv").write_bytes(text)
    with pytest.raises(ValueError, match=message):
        checkpoints_of(paths, tmp_path / "m.csv")


@pytest.mark.parametrize("mark", list(",;\t| "))
def test_metadata_may_name_files_by_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    touched(tmp_path, "run/a-1.npy", "run/a-2.npy")
    monkeypatch.chdir(tmp_path)
    text = f'"file",step\n{tmp_path}/run/a-1.npy,7\n./run/a-2.npy,9\n'
    (tmp_path / "m.csv").write_text(text.replace(",", mark))
    assert [each.step for each in checkpoints_of("run", "m.csv")] == [7, 9]


def test_a_folder_of_other_files_says_how_to_learn_of_their_conversion(tmp_path: Path) -> None:
    touched(tmp_path, "my run/1.pt", "my run/2.pt")
    with pytest.raises(ValueError, match="to see whether it can be converted") as refused:
        checkpoints_of(tmp_path / "my run")
    assert f"name one, as in '{tmp_path}/my run/1.pt'" in str(refused.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"\.safetensors$"):
        checkpoints_of(tmp_path / "empty")


def test_checkpoints_are_looked_up_by_their_names_not_searched(tmp_path: Path) -> None:
    table = tmp_path / "m.csv"

    def work(count: int) -> int:
        paths = {Path(f"run/step-{i}/x.npy"): f"model {i}" for i in range(count)}
        names = [f"step-{i}/x.npy" if i % 2 else f"model {i}" for i in range(count)]
        table.write_text("file,step\n" + "".join(f"{name},{i}\n" for i, name in enumerate(names)))
        return lines_run(lambda: [details_of(table, paths)[path].step for path in list(paths)[-1:]])

    assert work(400) < 5 * work(100)


def test_numbers_of_any_length_in_names() -> None:
    digits = "9" * 5000
    steps = {"a-0": 0, "a-007": 7, "a-10": 10, f"a-{digits}": None, f"a-{digits}0": None}
    found = named({Path(name): name for name in sorted(steps)})
    assert [(each.name, each.step) for each in found] == [*steps.items()]


def test_a_missing_table_is_an_error_and_a_missing_file_is_not_one_yet(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't be opened"):
        checkpoints_of([tmp_path / "gone.npy"], tmp_path / "gone.csv")
    assert [each.name for each in checkpoints_of([tmp_path / "gone.npy"])] == ["gone"]


def test_the_tables_of_prviz_embed_are_no_checkpoints(tmp_path: Path) -> None:
    for name in ("real", "a", "step-20"):
        for ending in (".safetensors", ".samples.parquet"):
            (tmp_path / f"{name}{ending}").touch()
    (tmp_path / "alone.samples.parquet").touch()
    for reference in ("real.safetensors", "real.samples.parquet"):
        found = checkpoints_of(tmp_path, leave_out=[tmp_path / reference])
        assert [each.path.name for each in found] == [
            "step-20.safetensors",
            "a.safetensors",
            "alone.samples.parquet",
        ]
        assert [each.name for each in found] == ["step-20", "a", "alone"]
    assert [each.step for each in checkpoints_of([tmp_path / "step-20.samples.parquet"])] == [20.0]


def test_a_folder_of_pictures_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "cats").mkdir()
    (tmp_path / "cats" / "1.PNG").touch()
    folder = re.escape(shlex.quote(str(tmp_path)))
    with pytest.raises(
        PicturesError,
        match=f"embed the pictures first: prviz embed {folder} -o DIR --each --encoder",
    ):
        checkpoints_of(tmp_path)
    with pytest.raises(
        PicturesError, match=r"embed the pictures first: prviz embed FOLDER -o FILE\.safetensors"
    ):
        checkpoints_of(tmp_path / "cats")


def test_a_file_that_is_the_reference_too_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "real.npy").touch()
    with pytest.raises(
        ValueError, match=r"real\.npy is the reference, the holdout or another file of this command"
    ):
        checkpoints_of(tmp_path / "real.npy", leave_out=[tmp_path / "." / "real.npy"])
    with pytest.raises(ValueError, match="no files there"):
        checkpoints_of(tmp_path, leave_out=[tmp_path / "real.npy"])
