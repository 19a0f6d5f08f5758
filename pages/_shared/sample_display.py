"""The evaluation samples as the page shows them: coordinates, rows, labels, pictures and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pages._shared import cache, media
from prviz.diagnostics.projection import shown_coordinates
from prviz.live import results
from prviz.live.problems import Problem, Uploaded
from prviz.samples import Samples, Split


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The evaluation samples, real ones first; a sample's place among them is its number on this
    page.

    points, axes : coordinates and what they are. numbers : rows in their own file or draw, counted
    from 1, by role.
    uploaded : the upload that the samples come from, which may have pictures of them in files.
    """

    split: Split
    points: Any
    axes: tuple[str, ...]
    numbers: tuple[Any, Any]
    uploaded: Uploaded | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        real, generated = self.split.evaluate_rows
        return len(real), len(generated)

    def side(self, place: int) -> tuple[int, int]:
        """(0 for a real sample or 1 for a generated one, its place among those of its role)."""
        n_real = self.sizes[0]
        return (0, place) if place < n_real else (1, place - n_real)

    def pair_row(self, place: int) -> tuple[int, int]:
        """(role, its row in the pair that was split)."""
        role, index = self.side(place)
        return role, int(self.split.evaluate_rows[role][index])

    def number(self, role: int, row: int) -> int:
        """The row in its own file or draw, counted from 1, of a row of the pair."""
        return int(self.numbers[role][row])

    def sample(self, place: int) -> tuple[Samples, int]:
        """The set that holds the sample at this place, and its row there."""
        role, row = self.pair_row(place)
        return (self.split.pair.real, self.split.pair.generated)[role], row

    @cached_property
    def notes(self) -> list[str]:
        """Row and labels of every sample, as text."""
        sets = zip(self.split.pair, self.split.evaluate_rows, self.numbers, strict=True)
        return [
            f"row {numbers[row]}, {said}" if said else f"row {numbers[row]}"
            for side, rows, numbers in sets
            for row, said in zip(rows.tolist(), media.notes(side, rows.tolist()), strict=True)
        ]

    @cached_property
    def pictures(self) -> tuple[str, ...]:
        """The picture that hovering shows of every sample, "" for samples without one; () where no
        sample has one.
        """
        return media.hover_pictures(self.split.evaluate, self.uploaded)


def evaluated(problem: Problem, found: results.Results) -> Evaluated:
    """The evaluation samples of the first repeat, the same at every k; of approximate curves those
    measured.
    """
    settings = problem.settings

    def make() -> Evaluated:
        split = problem.split()
        if found.approximation is not None:
            supports = found.estimates[settings.methods[0]].supports
            n_real = supports.n_real
            places: Any = supports.rows
            real, generated = split.evaluate_rows
            chosen = (real[places[:n_real]], generated[places[n_real:] - len(real)])
            split = replace(split, evaluate_rows=chosen, held_out=True)
        real_rows, generated_rows = problem.rows()
        points, axes = shown_coordinates(split.evaluate)
        return Evaluated(split, points, axes, (real_rows + 1, generated_rows + 1), problem.uploaded)

    key = (
        "evaluated",
        problem.key,
        settings.split,
        settings.approximate,
        media.view_key(problem.uploaded),
    )
    return cache.remembered(key, make)


def details(shown: Evaluated, place: int) -> Mapping[str, Any]:
    """A table's entries for one sample that do not depend on a classifier."""
    samples, row = shown.sample(place)
    (look,) = media.shown(samples, [row], shown.uploaded)
    found = {"picture": look.picture, "text": look.text, "problem": look.problem}
    number = shown.number(*shown.pair_row(place))
    return {
        "id": int(place),
        "row": number,
        "labels": media.note(samples, row, text=False),
        **found,
    }
