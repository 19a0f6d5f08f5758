"""The evaluation samples with all that pages show of them: coordinates, row numbers, labels,
pictures and texts.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pages._shared import media
from prviz.diagnostics.projection import shown_coordinates
from prviz.live import results
from prviz.live.evaluated import Evaluated
from prviz.live.problems import Problem
from prviz.samples import Samples


@dataclass(frozen=True, eq=False)
class DisplayedSamples(Evaluated):
    """The evaluation samples, with their pictures and texts."""

    @property
    def looks(self) -> Hashable:
        return media.view_key(self.uploaded)

    def labels(self, side: Samples, rows: Sequence[int]) -> list[str]:
        return media.notes(side, rows)

    @cached_property
    def pictures(self) -> tuple[str, ...]:
        return media.hover_pictures(self.split.evaluate, self.uploaded)

    def details(self, place: int) -> Mapping[str, Any]:
        samples, row = self.sample(place)
        (look,) = media.shown(samples, [row], self.uploaded)
        found = {"picture": look.picture, "text": look.text, "problem": look.problem}
        labels = media.note(samples, row, text=False)
        return {**super().details(place), "labels": labels, **found}


def evaluated(problem: Problem, found: results.Results) -> DisplayedSamples:
    """The evaluation samples of the first repeat, which are the same at every k. For approximate
    curves: those evaluation samples that were measured.
    """
    settings = problem.settings

    def make() -> DisplayedSamples:
        split = problem.split()
        if found.approximation is None:
            points, axes = shown_coordinates(split.evaluate)
        else:
            supports = found.estimates[settings.methods[0]].supports
            n_real = supports.n_real
            places: Any = supports.rows
            real, generated = split.evaluate_rows
            chosen = (real[places[:n_real]], generated[places[n_real:] - len(real)])
            split = replace(split, evaluate_rows=chosen, held_out=True)
            points, axes = shown_coordinates(split.evaluate)
        real_rows, generated_rows = problem.rows()
        return DisplayedSamples(
            split, points, axes, (real_rows + 1, generated_rows + 1), problem.uploaded
        )

    key = (
        "evaluated",
        problem.key,
        settings.split,
        settings.approximate,
        media.view_key(problem.uploaded),
    )
    return problem.stores.results.remembered(key, make)
