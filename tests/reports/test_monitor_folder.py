"""The directory of a monitor: one setting and one reference, several monitors, damaged files, other
versions.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.reports import monitor_folder
from tests.marks import exhaustive_but

rng = np.random.default_rng(0)
REAL, OTHER, BETTER, GOOD = (rng.normal(size=(120, 3)) for _ in range(4))
NARROW, FAR = (0.3 * rng.normal(size=(120, 3)) + shift for shift in (0, 2))
KNN: dict[str, Any] = {"methods": ["knn"], "k": 4}


def monitor(folder: Path, real: Any = REAL, **options: Any) -> prviz.Monitor:
    return prviz.Monitor(real, directory=folder, **{**KNN, **options})


def area(generated: np.ndarray) -> float:
    return prviz.pr_curve(REAL, generated, method="knn", k=4).auc


def refused(folder: Path, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        monitor(folder)


def rows(folder: Path) -> dict[str, float]:
    with (folder / "metrics.csv").open(newline="") as stream:
        return {row["step"]: float(row["prviz/knn/auc"]) for row in csv.DictReader(stream)}


def damage(folder: Path) -> None:
    """Flip the byte in the middle of each kept result."""
    for path in (folder / "results").iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)


@pytest.fixture(scope="module")
def logged_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a good step and one that is better."""
    folder = tmp_path_factory.mktemp("logged")
    run = monitor(folder)
    run.log(1000, GOOD)
    run.log(2000, BETTER)
    return folder


@pytest.fixture
def logged(logged_once: Path, tmp_path: Path) -> Path:
    """A copy of that directory."""
    return shutil.copytree(logged_once, tmp_path, dirs_exist_ok=True)


# ---- nothing is best while a known step can't be compared ----


def empty(folder: Path) -> None:
    for path in (folder / "results").iterdir():
        path.unlink()


def other_digest(folder: Path) -> None:
    known = json.loads((folder / "steps.json").read_text())
    for each in known.values():
        each["digest"] = each["digest"][::-1]
    (folder / "steps.json").write_text(json.dumps(known))


def without_steps(folder: Path) -> None:
    (folder / "steps.json").unlink()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "harm", exhaustive_but([damage, empty, other_digest, without_steps], without_steps)
)
def test_no_step_is_best_while_a_known_one_can_not_be_compared(
    logged: Path, harm: Callable[[Path], None]
) -> None:
    harm(logged)
    run = monitor(logged)
    said = run.log(3000, FAR)
    assert (said.is_best, said.best_step, said.told_apart) == (None, None, False)
    assert said.unmeasured == (1000, 2000)
    assert "steps 1000, 2000" in said.sentence
    assert "Log these steps again with their samples" in said.sentence
    assert "Take" not in said.sentence
    assert run.log(1000, GOOD).is_best is None
    again = run.log(2000, BETTER)  # the remedy, to the letter
    assert (again.is_best, again.best_step, again.unmeasured) == (True, 2000, ())
    assert monitor(logged).log(4000, FAR).best_step == 2000
    assert list(rows(logged)) == ["1000", "2000", "3000", "4000"]


@pytest.mark.exhaustive
def test_what_is_damaged_is_measured_again_where_the_samples_are_kept(tmp_path: Path) -> None:
    run = monitor(tmp_path, keep_samples=True)
    run.log(1000, GOOD)
    run.log(2000, BETTER)
    damage(tmp_path)
    said = monitor(tmp_path).log(3000, FAR)
    assert (said.is_best, said.best_step, said.unmeasured) == (False, 2000, ())
    damage(tmp_path)
    # samples of another step
    (tmp_path / "step-1000.npy").write_bytes((tmp_path / "step-2000.npy").read_bytes())
    assert monitor(tmp_path).log(4000, FAR).unmeasured == (1000,)


def test_the_trainer_is_told_no_best_step_where_none_is_known(logged: Path) -> None:
    pytest.importorskip("transformers")
    from types import SimpleNamespace

    from prviz.reports.training import trainer_callback

    damage(logged)
    callback = trainer_callback(monitor(logged), lambda model: FAR)
    found = dict[str, float]()
    state = SimpleNamespace(is_world_process_zero=True, global_step=3000)
    callback.on_evaluate(None, state, None, model=None, metrics=found)
    assert found["eval_prviz_is_best"] == 0.0


# ---- one setting and one reference ----


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 50}, "k = 50 here, 4 there"),
        ({"split": None}, "split = None here, 0.5 there"),
        ({"seed": 1}, "seed = 1 here, 0 there"),
        ({"methods": ["ipr"]}, r"methods = \['ipr'\] here, \['knn'\] there"),
        ({"holdout": OTHER}, "the held-out samples are others"),
        ({"real": REAL[::-1]}, "the real samples are others"),
        ({"real": prviz.Samples(REAL, groups=np.arange(120) // 2)}, "the real samples are others"),
    ],
)
def test_a_directory_of_other_settings_is_refused_by_name(
    logged: Path, options: dict[str, Any], words: str
) -> None:
    before = (logged / "metrics.csv").read_bytes()
    with pytest.raises(ValueError, match=words) as caught:
        monitor(logged, **options)
    assert "another directory, or the same settings" in str(caught.value)
    assert (logged / "metrics.csv").read_bytes() == before


@pytest.mark.exhaustive
def test_what_only_ranks_may_differ_in_a_directory(logged: Path) -> None:
    assert monitor(logged, goal=0.9).log(3000, FAR).is_best is False


@pytest.mark.exhaustive
def test_a_directory_that_another_monitor_has_taken_is_refused_at_the_next_step(
    tmp_path: Path,
) -> None:
    run = monitor(tmp_path)
    (tmp_path / "settings.json").unlink()
    monitor(tmp_path, k=7).log(1, GOOD)
    with pytest.raises(ValueError, match="k = 4 here, 7 there"):
        run.log(2, BETTER)
    assert list(rows(tmp_path)) == ["1"]


# ---- several monitors ----


@pytest.mark.exhaustive
def test_two_monitors_of_a_directory_agree(tmp_path: Path) -> None:
    first = monitor(tmp_path)
    second = monitor(tmp_path)
    assert first.log(1, BETTER).is_best
    said = second.log(2, FAR)
    assert (said.is_best, said.best_step) == (False, 1)
    second.log(1, FAR)  # again, with other samples
    assert first.log(3, GOOD).is_best
    assert list(rows(tmp_path)) == ["2", "1", "3"]
    assert json.loads((tmp_path / "steps.json").read_text()).keys() == {"1", "2", "3"}


RUN = """
import sys, numpy as np, prviz
rng = np.random.default_rng(0)
run = prviz.Monitor(rng.normal(size=(60, 2)), directory=sys.argv[1], methods=["knn"], k=4)
for step in range(int(sys.argv[2]), 1000, 2):
    said = run.log(step, np.random.default_rng(step).normal(size=(60, 2)))
    print(step, said.is_best, said.unmeasured, flush=True)
    if step >= int(sys.argv[3]):
        break
"""


def started(folder: Path, first: int, last: int) -> subprocess.Popen[str]:
    line = [sys.executable, "-c", RUN, str(folder), str(first), str(last)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, text=True)


@pytest.mark.exhaustive
def test_two_processes_lose_no_step_and_one_that_is_killed_leaves_a_whole_directory(
    tmp_path: Path,
) -> None:
    even = started(tmp_path, 0, 4)
    odd = started(tmp_path, 1, 999)
    even.communicate()
    assert even.returncode == 0
    odd.send_signal(signal.SIGKILL)
    said = odd.communicate()[0]
    real = np.random.default_rng(0).normal(size=(60, 2))
    last = monitor(tmp_path, real).log(1000, real + 5)
    assert (last.is_best, last.unmeasured) == (False, ())
    known = set(map(int, rows(tmp_path)))
    assert known == set(map(int, json.loads((tmp_path / "steps.json").read_text())))
    assert known >= {0, 2, 4, 1000} | {int(line.split()[0]) for line in said.splitlines()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("cut", ["write_steps", "add_rows", "remove_others"])
def test_a_step_that_is_cut_off_while_it_is_written_leaves_no_wrong_row(
    logged: Path, monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    run = monitor(logged)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(monitor_folder.MonitorFolder, cut, killed)
        with pytest.raises(KeyboardInterrupt):
            run.log(2000, FAR)
    said = monitor(logged).log(3000, NARROW)
    assert said.unmeasured == ()
    assert rows(logged)["1000"] == area(GOOD)
    digest = json.loads((logged / "steps.json").read_text())["2000"]["digest"]
    there = BETTER if digest == prviz.Samples(BETTER).digest else FAR
    assert rows(logged)["2000"] == area(there)


@pytest.mark.exhaustive
def test_a_step_that_is_logged_again_has_its_new_row(logged: Path) -> None:
    said = monitor(logged).log(1000, FAR)
    assert rows(logged)["1000"] == said.metrics["prviz/knn/auc"] != area(GOOD)


# ---- files that were changed ----


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"n": -5}, "step 1000 has n = -5; a whole number of samples from 1 is needed"),
        ({"n": 1e400}, "step 1000 has n = inf"),
        ({"n": True}, "step 1000 has n = True"),
        ({"n": 10**400}, "step 1000 has n = "),
        ({"digest": "7"}, "step 1000 has digest = "),
        ({"digest": None}, "step 1000 has digest = None"),
        ({"memorised": "no"}, "step 1000 has memorised = .*; true or false is needed"),
    ],
)
def test_a_list_of_steps_that_was_edited_is_refused_in_a_sentence(
    logged: Path, changed: dict[str, Any], words: str
) -> None:
    known = json.loads((logged / "steps.json").read_text())
    known["1000"] |= changed
    (logged / "steps.json").write_text(json.dumps(known))
    refused(logged, f"steps.json'?: no list of steps: {words}")


@pytest.mark.parametrize("name", ["steps.json", "settings.json"])
@pytest.mark.parametrize(
    "text", ["", "[1]", "null", "{", '{"-1": {}}', '{"1": 3}', "[" * 100_000, "\xff"]
)
def test_a_file_that_is_none_of_a_monitor_is_refused_by_name(
    logged: Path, name: str, text: str
) -> None:
    if (name, text[:1]) == ("settings.json", "{") and len(text) > 1:
        pytest.skip("an object without the settings is refused as other settings")
    (logged / name).write_bytes(text.encode("latin-1"))
    refused(logged, f"{name}'?: no .*; give the monitor a directory of its own")


@pytest.mark.parametrize("name", ["steps.json", "settings.json", "metrics.csv"])
def test_a_pipe_in_the_place_of_a_file_is_refused(logged: Path, name: str) -> None:
    (logged / name).unlink()
    os.mkfifo(logged / name)
    refused(logged, f"{name}'? is no file; give the monitor a directory of its own")


@pytest.mark.exhaustive
def test_a_table_that_was_cut_is_refused_and_what_is_advised_mends_it(logged: Path) -> None:
    whole = (logged / "metrics.csv").read_text()
    (logged / "metrics.csv").write_text(whole[:-4])
    refused(logged, "metrics.csv'?: step 2000 has .*remove the line of this step")
    lines = whole.splitlines(keepends=True)
    (logged / "metrics.csv").write_text("".join(lines[:-1]))
    monitor(logged).log(3000, FAR)
    assert (logged / "metrics.csv").read_text().startswith(whole)
    for text in (whole.replace(",", ",x", 2), whole[:-200], whole + "7,1\n"):
        (logged / "metrics.csv").write_text(text)
        refused(logged, "no file of these metrics: .*; give the monitor a directory")


@pytest.mark.parametrize("step", ["3", None, [1], np.nan, 1.5, -1, 2**53, True, np.zeros(2), 1e400])
def test_a_step_that_is_none_is_refused_in_a_sentence(tmp_path: Path, step: Any) -> None:
    with pytest.raises(
        ValueError, match=r"step = .*; a whole number from 0, below 2\^53, is needed"
    ):
        monitor(tmp_path).log(step, GOOD)
    assert not (tmp_path / "metrics.csv").exists()


def test_a_file_in_the_place_of_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/below"):
        refused(tmp_path / folder, "directory = .* is a file; a folder is needed")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "results").write_text("")
    refused(tmp_path / "m", "results = .* is a file; a folder is needed")


@pytest.mark.exhaustive
def test_the_table_may_be_a_link_and_stays_one(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "metrics.csv").symlink_to(tmp_path / "elsewhere.csv")
    run = monitor(tmp_path / "m")
    run.log(1, GOOD)
    run.log(1, BETTER)
    assert (tmp_path / "m" / "metrics.csv").is_symlink()
    assert len(rows(tmp_path / "m")) == 1


# ---- other versions ----


@pytest.mark.exhaustive
def test_steps_of_another_version_are_measured_again_or_refused(
    logged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    monitor(kept, keep_samples=True).log(1, BETTER)
    old = kept / "settings.json"
    monkeypatch.setattr(prviz, "__version__", "9.9")
    refused(logged, "steps of prviz 0.* steps 1000, 2000 can't be measured again")
    text = (kept / "metrics.csv").read_text()
    (kept / "metrics.csv").write_text(text.replace("0.", "0.00", 1))
    with pytest.warns(prviz.PrvizWarning, match=r"its steps are of prviz 0"):
        run = monitor(kept)
    assert rows(kept) == {"1": area(BETTER)}
    assert json.loads(old.read_text())["prviz"] == "9.9"
    assert run.log(2, FAR).best_step == 1
    monitor(kept)  # nothing more is said


@pytest.mark.exhaustive
def test_steps_whose_settings_are_not_known_are_taken_only_with_results_of_the_present_ones(
    logged: Path,
) -> None:
    (logged / "settings.json").unlink()  # as of a version that kept none
    with pytest.raises(ValueError, match="a version that did not keep its settings"):
        monitor(logged, k=5)
    (logged / "settings.json").unlink(missing_ok=True)
    with pytest.warns(prviz.PrvizWarning, match="a version that did not keep its settings"):
        run = monitor(logged)
    assert run.log(3000, FAR).best_step == 2000


# ---- rivals ----


@pytest.mark.exhaustive
def test_only_steps_that_copy_nothing_and_the_best_of_them_are_rivals(tmp_path: Path) -> None:
    run = monitor(tmp_path)
    assert run.log(0, REAL).memorised
    for step, shift in enumerate((1.8, 1.5, 1.2, 0.9, 0.6, 0.3, 0.0), start=1):
        assert run.log(step, GOOD + shift).is_best
    last = run.log(20, GOOD + 4)
    assert (last.best_step, last.is_best) == (7, False)
    rivals = [each.checkpoint.step for each in run._rivals(20)]
    assert rivals == [3, 4, 5, 6, 7]
