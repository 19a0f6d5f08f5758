"""The sanity battery: 15 checks of fidelity and diversity on pairs whose truth is known.

`CHECKS` and `READINGS` list the checks and the metrics; `battery_tasks` returns the tasks that
measure them; `judge` compares the verdicts on estimates with those on the true curve; `oracle_rows`
returns the true values as rows.

Source: Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), "All current generative fidelity
and diversity metrics are flawed".
"""

from __future__ import annotations

from prviz.studies.battery.base import SIDES, TAGS, BatteryProblem, Check, Criterion
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.judge import (
    JUDGED,
    PASSED,
    PASSES,
    SAYS,
    VERDICTS,
    judge,
    oracle_rows,
    passed,
    published_verdict,
)
from prviz.studies.battery.readings import (
    DEFAULT_READINGS,
    LAMS,
    READINGS,
    REPORTED,
    SCALARS,
    SCORES,
    Reading,
    family_readings,
)
from prviz.studies.battery.tasks import (
    COLUMNS,
    MODES,
    BatteryTask,
    battery_seconds,
    battery_tasks,
    setting,
)

__all__ = [
    "CHECKS",
    "COLUMNS",
    "DEFAULT_READINGS",
    "JUDGED",
    "LAMS",
    "MODES",
    "PASSED",
    "PASSES",
    "READINGS",
    "REPORTED",
    "SAYS",
    "SCALARS",
    "SCORES",
    "SIDES",
    "TAGS",
    "VERDICTS",
    "BatteryProblem",
    "BatteryTask",
    "Check",
    "Criterion",
    "Reading",
    "battery_seconds",
    "battery_tasks",
    "family_readings",
    "judge",
    "oracle_rows",
    "passed",
    "published_verdict",
    "setting",
]
