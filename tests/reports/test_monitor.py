"""A training run that is measured as it goes: verdicts, rows, what a restart knows, and the real
trackers and loops.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.estimators import DEFAULT_METHODS, VERDICT_METHODS
from prviz.measure.estimates import estimate
from prviz.reports.monitor import usual_methods
from prviz.reports.torch_metric import PRCurveMetric
from prviz.reports.trackers import metrics
from prviz.reports.training import (
    lightning_callback,
    to_mlflow,
    to_tensorboard,
    to_wandb,
    trainer_callback,
)
from prviz.samples import SamplePair

rng = np.random.default_rng(0)
REAL, HELD_OUT, GOOD = (rng.normal(size=(120, 3)) for _ in range(3))
NARROW = 0.3 * rng.normal(size=(120, 3))
KNN = {"methods": ["knn"], "k": 4}


def monitor_of(folder: Path, **options: Any) -> prviz.Monitor:
    """One of kNN alone, so that it is quick."""
    return prviz.Monitor(REAL, directory=folder, **{**KNN, **options})


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "metrics.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_step_is_measured_written_and_judged(tmp_path: Path) -> None:
    logged = list[tuple[int, dict[str, float]]]()
    monitor = prviz.Monitor(
        REAL,
        directory=tmp_path,
        holdout=HELD_OUT,
        keep_samples=True,
        trackers=[lambda *row: logged.append(row)],
    )
    first, second, third = (
        monitor.log(step, each) for step, each in ((1, NARROW), (2, GOOD), (3, NARROW + 0.1))
    )
    judged = [(each.is_best, each.best_step) for each in (first, second, third)]
    assert judged == [(True, 1), (True, 2), (False, 2)]
    assert "narrow" in {fault.key for fault in first.faults}
    assert "narrow" not in {fault.key for fault in second.faults}
    assert second.told_apart
    assert second.sentence.startswith("Best: step-2. Score ")
    expected = dict[str, float]()
    for method, one in estimate(SamplePair(REAL, GOOD), DEFAULT_METHODS).items():
        expected |= metrics(one.curve, method)
    assert second.metrics == expected
    assert logged == [(each.step, each.metrics) for each in (first, second, third)]
    written = rows(tmp_path)
    assert [each.pop("step") for each in written] == ["1", "2", "3"]
    assert {name: float(value) for name, value in written[1].items()} == expected
    assert np.array_equal(np.load(tmp_path / "step-2.npy"), GOOD)
    copied = monitor.log(4, REAL)
    assert (copied.memorised, copied.is_best, copied.best_step) == (True, False, 2)


@pytest.mark.exhaustive
@pytest.mark.verdict
def test_steps_are_judged_by_the_curve_to_believe(tmp_path: Path) -> None:
    """By neighbours alone paper that is not blank is the better one; it is told apart without
    error.
    """
    rng = np.random.default_rng(2)
    blank = np.hstack([rng.normal(size=(120, 6)), np.zeros((120, 3))])
    stained = np.hstack([rng.normal(size=(120, 6)), 0.01 * rng.random((120, 3))])
    wider = np.hstack([1.3 * rng.normal(size=(120, 6)), np.zeros((120, 3))])
    monitor = prviz.Monitor(blank, directory=tmp_path / "run")
    stained_is, wider_is = (monitor.log(step, each) for step, each in enumerate((stained, wider)))
    believed, by_knn = (
        [each.metrics[f"prviz/{name}/auc"] for each in (stained_is, wider_is)]
        for name in ("tightest", "knn")
    )
    assert believed[0] < 0.1 < 0.3 < believed[1]
    assert by_knn[0] > by_knn[1]
    assert (wider_is.is_best, wider_is.best_step) == (True, 1)
    assert "by the best classifier" in wider_is.sentence
    again = prviz.Monitor(blank, directory=tmp_path / "run").log(2, stained)
    assert (again.is_best, again.best_step) == (False, 1)


@pytest.mark.verdict
def test_without_families_the_curve_to_believe_is_measured_where_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert usual_methods(tmp_path, 0.5) == VERDICT_METHODS
    assert usual_methods(tmp_path, None) == DEFAULT_METHODS
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "sklearn", None)
        assert usual_methods(tmp_path, 0.5) == DEFAULT_METHODS
    for text in ("{}", "[", "[1]", '{"methods": ["knn"]}'):
        (tmp_path / "settings.json").write_text(text)
        assert usual_methods(tmp_path, 0.5) == VERDICT_METHODS
    (tmp_path / "settings.json").write_text(json.dumps({"methods": DEFAULT_METHODS}))
    assert usual_methods(tmp_path, 0.5) == DEFAULT_METHODS


@pytest.mark.exhaustive
@pytest.mark.verdict
def test_a_run_that_began_without_the_curve_to_believe_goes_on_without_it(tmp_path: Path) -> None:
    prviz.Monitor(REAL, directory=tmp_path, methods=DEFAULT_METHODS).log(1, NARROW)
    found = prviz.Monitor(REAL, directory=tmp_path).log(2, GOOD)
    assert (found.is_best, found.best_step) == (True, 2)
    assert "prviz/tightest/auc" not in found.metrics


@pytest.mark.exhaustive
def test_a_restarted_run_knows_the_steps_before(tmp_path: Path) -> None:
    monitor_of(tmp_path).log(10, GOOD)
    again = monitor_of(tmp_path).log(20, NARROW)
    assert (again.is_best, again.best_step) == (False, 10)
    assert not list(tmp_path.glob("*.npy"))


@pytest.mark.exhaustive
def test_what_can_not_be_measured_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    monitor = monitor_of(tmp_path)
    monitor.log(1, NARROW)
    before = files()
    for step, generated, message in (
        (2, GOOD[:, :2], "dimension"),
        (2, np.full((40, 3), np.nan), "finite"),
        (-1, GOOD, "step"),
    ):
        with pytest.raises(ValueError, match=message):
            monitor.log(step, generated)
    assert files() == before


def test_without_torchmetrics_the_metric_says_what_to_install() -> None:
    try:
        import torchmetrics  # noqa: F401
    except ImportError:
        with pytest.raises(ModuleNotFoundError, match="pip install torchmetrics"):
            PRCurveMetric()


# ---- with the real packages, where they are installed; their own warnings are not ours ----

foreign = pytest.mark.filterwarnings("ignore")


@foreign
@pytest.mark.thorough
def test_tensorboard_reads_what_was_logged(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = monitor_of(tmp_path / "m", trackers=[to_tensorboard(tmp_path / "runs")])
    said = [run.log(step, each) for step, each in ((1, NARROW), (2, GOOD))]
    found = accumulator.EventAccumulator(str(tmp_path / "runs"))
    found.Reload()
    for name, value in said[1].metrics.items():
        assert [(each.step, each.value) for each in found.Scalars(name)] == [
            (1, np.float32(said[0].metrics[name])),
            (2, np.float32(value)),
        ]


@foreign
@pytest.mark.thorough
def test_mlflow_has_what_was_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        said = monitor_of(tmp_path / "m", trackers=[to_mlflow()]).log(3, GOOD)
    found = mlflow.tracking.MlflowClient().get_metric_history(run.info.run_id, "prviz/knn/auc")
    assert [(each.step, each.value) for each in found] == [(3, said.metrics["prviz/knn/auc"])]


@foreign
@pytest.mark.thorough
def test_wandb_has_what_was_logged(tmp_path: Path) -> None:
    wandb = pytest.importorskip("wandb")
    with wandb.init(mode="offline", dir=tmp_path) as run:
        said = monitor_of(tmp_path / "m", trackers=[to_wandb(run)]).log(3, GOOD)
        run.log({}, step=4, commit=True)  # a step is written when the next one begins
        assert run.summary["prviz/knn/auc"] == said.metrics["prviz/knn/auc"]


@foreign
@pytest.mark.thorough
def test_lightning_measures_after_every_validation(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    lightning = pytest.importorskip("lightning.pytorch")
    from lightning.pytorch.loggers import CSVLogger

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.spread = torch.nn.Parameter(torch.ones(()))

        def training_step(self, batch, _):
            return (self.spread - 1).square() + 0 * batch[0].sum()

        validation_step = training_step

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    data = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.zeros(4, 1)), batch_size=2
    )
    callback = lightning_callback(monitor_of(tmp_path / "m"), lambda model: GOOD)
    logger = CSVLogger(tmp_path)
    trainer = lightning.Trainer(
        max_epochs=2,
        callbacks=[callback],
        logger=logger,
        accelerator="cpu",
        enable_progress_bar=False,
    )
    trainer.fit(Model(), data, data)
    assert [each["step"] for each in rows(tmp_path / "m")] == ["2", "4"]
    assert callback.verdict.step == 4
    assert "prviz/knn/auc" in (Path(logger.log_dir) / "metrics.csv").read_text().splitlines()[0]


@foreign
@pytest.mark.thorough
def test_the_trainer_of_transformers_measures_after_every_evaluation(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))

        def forward(self, x, labels=None):
            return {"loss": (self.weight * x - labels).square().mean(), "logits": self.weight * x}

    data = [{"x": torch.ones(1), "labels": torch.zeros(1)}] * 4
    callback = trainer_callback(monitor_of(tmp_path / "m"), lambda model: GOOD)
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path / "out"),
        max_steps=2,
        per_device_train_batch_size=2,
        eval_strategy="steps",
        eval_steps=1,
        save_strategy="best",
        metric_for_best_model="prviz_auc",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = transformers.Trainer(
        Model(), arguments, train_dataset=data, eval_dataset=data, callbacks=[callback]
    )
    trainer.train()
    assert [each["step"] for each in rows(tmp_path / "m")] == ["1", "2"]
    assert trainer.state.best_metric == callback.verdict.metrics["prviz/knn/auc"]


GATHERED = """
import sys, numpy as np, torch, torch.distributed as dist
from prviz.reports.torch_metric import PRCurveMetric
rank, world, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if world > 1:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
metric = PRCurveMetric(k=4)
for name in ("real", "generated"):
    values = torch.from_numpy(np.load(f"{folder}/{name}.npy"))
    for batch in values.split(10)[rank::world]:
        metric.update(batch, real=name == "real")
found = {name: float(value) for name, value in metric.compute().items()}
metric.reset()
assert not metric.real
if rank == 0:
    print(found)
if world > 1:
    dist.destroy_process_group()
"""


@foreign
@pytest.mark.thorough
def test_two_processes_of_torchmetrics_equal_one(tmp_path: Path) -> None:
    pytest.importorskip("torchmetrics")
    np.save(tmp_path / "real.npy", REAL)
    np.save(tmp_path / "generated.npy", GOOD)

    def started(rank: int, world: int) -> subprocess.Popen[str]:
        line = [sys.executable, "-c", GATHERED, str(rank), str(world), str(tmp_path)]
        return subprocess.Popen(line, stdout=subprocess.PIPE, text=True)

    alone = started(0, 1).communicate()[0]
    first = started(0, 2)
    second = started(1, 2)
    assert first.communicate()[0] == alone != ""
    assert second.wait() == 0
    ordered = [each[np.lexsort(each.T)] for each in (REAL, GOOD)]
    assert f"'auc': {prviz.pr_curve(*ordered, method='knn', k=4).auc!r}" in alone


@pytest.mark.parametrize(
    ("option", "error", "message"),
    [
        ({"goal": 2}, ValueError, r"goal = 2; a number from 0 \(precision first\)"),
        ({"goal": "recall"}, TypeError, r"goal = 'recall'; a number from 0 \(precision first\)"),
        ({"seed": "a"}, TypeError, "seed = 'a'; an integer from 0 is needed"),
        ({"keep_samples": "no"}, TypeError, "keep_samples = 'no'; True or False is needed"),
        ({"memory_limit": "1GB"}, TypeError, "memory_limit = '1GB'; a number of bytes"),
        ({"trackers": print}, TypeError, "a list of functions of a step and its metrics"),
        ({"trackers": [3]}, TypeError, r"trackers = \[3\]; a list of functions"),
    ],
)
def test_options_are_refused_before_anything_is_measured(
    tmp_path: Path, option: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        monitor_of(tmp_path, **option)
    assert not list(tmp_path.iterdir())


def test_a_reference_of_one_sample_is_too_small(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="reference: 1 sample; at least 20 are needed"):
        prviz.Monitor(REAL[:1], directory=tmp_path, **KNN)
