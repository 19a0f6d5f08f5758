"""The evaluation samples as figures show them: coordinates, row numbers, labels and pictures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from prviz.diagnostics.projection import shown_coordinates
from prviz.figures import picture_data_uri
from prviz.live.problems import Problem, Uploaded
from prviz.samples import Samples, Split

# Most labels that are shown of one sample.
MOST_LABELS = 3


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The evaluation samples, real ones first. The index of a sample in this order, its place,
    identifies it in figures.

    points, axes : coordinates and the names of the axes. numbers : for each role and each row of
    the pair, the row's number in the file or draw that it comes from, counted from 1. uploaded :
    the upload that the samples come from, which may have pictures of them in files.
    """

    split: Split
    points: Any
    axes: tuple[str, ...]
    numbers: tuple[Any, Any]
    uploaded: Uploaded | None = None

    @property
    def looks(self) -> Hashable:
        """Key that changes when the samples' pictures change, for the cache of figures; a subclass
        with pictures overrides it.
        """
        return ()

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of real and of generated evaluation samples."""
        real, generated = self.split.evaluate_rows
        return len(real), len(generated)

    def side(self, place: int) -> tuple[int, int]:
        """The role of the sample at this place (0 real, 1 generated), and its index among the
        evaluation samples of that role.
        """
        n_real = self.sizes[0]
        if place < n_real:
            return (0, place)
        return (1, place - n_real)

    def pair_row(self, place: int) -> tuple[int, int]:
        """The role of the sample at this place (0 real, 1 generated), and its row in the pair
        before the split.
        """
        role, index = self.side(place)
        return role, int(self.split.evaluate_rows[role][index])

    def number(self, role: int, row: int) -> int:
        """Convert a row of the pair to the number of that row in its file or draw, counted
        from 1.
        """
        return int(self.numbers[role][row])

    def sample(self, place: int) -> tuple[Samples, int]:
        """The set (real or generated) that contains the sample at this place, and the sample's row
        in that set.
        """
        role, row = self.pair_row(place)
        return (self.split.pair.real, self.split.pair.generated)[role], row

    @cached_property
    def notes(self) -> list[str]:
        """Text that hovering a sample shows: its row and its labels."""
        sets = zip(self.split.pair, self.split.evaluate_rows, self.numbers, strict=True)
        return [
            f"row {numbers[row]}, {said}" if said else f"row {numbers[row]}"
            for side, rows, numbers in sets
            for row, said in zip(rows.tolist(), self.labels(side, rows.tolist()), strict=True)
        ]

    def labels(self, side: Samples, rows: Sequence[int]) -> list[str]:
        """The labels of these rows of one set, as text."""
        names = list(side.labels)[:MOST_LABELS]
        return [", ".join(f"{name} {side.labels[name][row]}" for name in names) for row in rows]

    @cached_property
    def pictures(self) -> tuple[str, ...]:
        """For each sample, the picture that hovering shows, "" if it has none; () if no sample has
        a picture.
        """
        images = [side.images for side in self.split.evaluate if side.images is not None]
        if len(images) < len(self.sizes):
            return ()
        return tuple(picture_data_uri(image) for role in images for image in role)

    def details(self, place: int) -> Mapping[str, Any]:
        """The entries of one sample in a table, except its classification."""
        samples, row = self.sample(place)
        return {
            "id": int(place),
            "row": self.number(*self.pair_row(place)),
            "labels": self.labels(samples, [row])[0],
        }


def evaluated(problem: Problem) -> Evaluated:
    """The evaluation samples of the first repeat; they are the same at every k."""

    def make() -> Evaluated:
        split = problem.split()
        real_rows, generated_rows = problem.rows()
        points, axes = shown_coordinates(split.evaluate)
        return Evaluated(split, points, axes, (real_rows + 1, generated_rows + 1), problem.uploaded)

    key = ("evaluated", problem.key, problem.settings.split)
    return problem.stores.results.remembered(key, make)


def hover_words(pictures: Sequence[str]) -> str:
    """Sentence that says what hovering a point shows."""
    there = sum(map(bool, pictures))
    if there in (0, len(pictures)):
        if there:
            return "Hover a point to see its picture."
        return ""
    return (
        f"Hover a point to see its labels; {there:,} of the {len(pictures):,} show their picture"
        " too."
    )
