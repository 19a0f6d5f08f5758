"""Trackers and callbacks for `prviz.Monitor`: TensorBoard, Weights & Biases, MLflow, Lightning,
Hugging Face.

    monitor = prviz.Monitor(real, directory="runs/prviz", trackers=[to_wandb(wandb.run)])
    monitor.log(step, samples)                                         a loop of your own
    lightning.Trainer(callbacks=[lightning_callback(monitor, sample)])
    transformers.Trainer(callbacks=[trainer_callback(monitor, sample)])

``sample(model)`` must return generated samples, as features of the encoder used for the real ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from prviz.readers.paths import PathLike
from prviz.reports.monitor import Monitor, Tracker
from prviz.reports.trackers import log_tensorboard

Sample = Callable[[Any], ArrayLike]


def to_tensorboard(folder: PathLike) -> Tracker:
    """A tracker that writes TensorBoard event files to ``folder``, such as runs/today-prviz; no one
    else should write there.

    See `log_tensorboard`.
    """
    return lambda step, row: log_tensorboard(folder, {step: row})


def to_wandb(run: Any) -> Tracker:
    """A tracker that logs to a run of Weights & Biases, as ``wandb.init()`` returns it."""
    return lambda step, row: run.log(dict(row), step=step)


def to_mlflow(run_id: str | None = None) -> Tracker:
    """A tracker that logs to the MLflow run with this id; None: to the active run.

    Characters that MLflow does not allow in names are replaced by dots.
    """
    import mlflow

    def track(step: int, row: Mapping[str, float]) -> None:
        named = {re.sub(r"[^\w\-. :/]", ".", name): value for name, value in row.items()}
        mlflow.log_metrics(named, step=step, run_id=run_id)

    return track


def lightning_callback(monitor: Monitor, sample: Sample) -> Any:
    """A callback for Lightning's Trainer: measures after every validation, and logs the metrics to
    the Trainer's loggers.
    """
    from lightning.pytorch import Callback

    class Measuring(Callback):  # type: ignore[misc]
        """Measures after every validation."""

        verdict: Any = None

        def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
            if trainer.sanity_checking or not trainer.is_global_zero:
                return
            self.verdict = monitor.log(trainer.global_step, sample(pl_module))
            for logger in trainer.loggers:
                logger.log_metrics(dict(self.verdict.metrics), step=trainer.global_step)

    return Measuring()


def trainer_callback(monitor: Monitor, sample: Sample) -> Any:
    """A callback for the Trainer of transformers: measures after every evaluation.

    It adds ``eval_prviz_auc`` (the area by the first family) and ``eval_prviz_is_best`` to the
    metrics of the evaluation; with ``metric_for_best_model="prviz_auc"`` the Trainer then keeps the
    best checkpoint.
    """
    from transformers import TrainerCallback

    class Evaluating(TrainerCallback):  # type: ignore[misc]
        """Measures after every evaluation."""

        verdict: Any = None

        def on_evaluate(
            self,
            args: Any,  # noqa: ARG002
            state: Any,
            control: Any,  # noqa: ARG002
            **found: Any,
        ) -> None:
            if not state.is_world_process_zero:
                return
            self.verdict = monitor.log(state.global_step, sample(found["model"]))
            first = next(
                value for name, value in self.verdict.metrics.items() if name.endswith("/auc")
            )
            found["metrics"] |= {
                "eval_prviz_auc": first,
                "eval_prviz_is_best": float(self.verdict.is_best is True),
            }

    return Evaluating()
