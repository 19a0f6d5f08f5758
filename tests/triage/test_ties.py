"""Who is tied with whom, against the definition pair by pair, and how a line of a ranking is marked."""

from __future__ import annotations

import itertools

import numpy as np

from prviz.triage.ranking import SharedReference, marks, ranking


def test_two_are_tied_unless_they_are_farther_apart_than_any_two_in_most_replicates() -> None:
    rng, told = np.random.default_rng(4), []
    for _ in range(40):
        values = np.tile(rng.normal(0.7, 0.03, (4, 1)), 2)
        replicates = values + rng.normal(0, [[0.04], [0.01], [0.01], [0.01]], (100, 4, 1))
        table = ranking(SharedReference(values, replicates), list("ABCD"), 0.5, 0.9).set_index("checkpoint")
        drawn = dict(zip("ABCD", replicates[:, :, 0].T, strict=True))
        apart = {pair: drawn[pair[0]] - drawn[pair[1]] for pair in itertools.combinations("ABCD", 2)}
        moved = [np.abs(each - each.mean()) / each.std(ddof=1) for each in apart.values()]
        limit = np.quantile(np.max(moved, axis=0), 0.9)
        for (one, other), each in apart.items():
            told.append(abs(table["score"][one] - table["score"][other]) <= limit * each.std(ddof=1))
            assert (other in table["ties"][one]) == told[-1]
    assert 0 < sum(told) < len(told)


def test_marks_tell_of_ties_behind_the_best_alone() -> None:
    line = {"tied_with_best": True, "front": True}
    assert marks(1, line) == "beaten in both directions by none"
    assert marks(2, line) == "can't be told apart from the best, beaten in both directions by none"
    assert marks(3, {"tied_with_best": False, "front": False}) == ""
