"""Who may be best, against the definition written out; the decision; how a line of a ranking is
marked.
"""

from __future__ import annotations

import numpy as np
import pytest

from prviz.triage.ranking import SharedReference, headline, marks, ranking


def slow_contenders(
    scores: dict[str, float], drawn: dict[str, np.ndarray], confidence: float
) -> set[str]:
    """Round after round, name by name and rival by rival."""
    inside = set(scores)
    while True:
        beaten = set()
        for one in inside:
            apart = {other: drawn[other] - drawn[one] for other in inside - {one}}
            errors = {other: each.std(ddof=1) for other, each in apart.items()}
            chance = [
                max(
                    [
                        0.0,
                        *(
                            (apart[other][r] - apart[other].mean()) / errors[other]
                            for other in apart
                        ),
                    ]
                )
                for r in range(len(drawn[one]))
            ]
            limit = np.quantile(chance, confidence)
            if any(scores[other] - scores[one] > limit * errors[other] for other in apart):
                beaten.add(one)
        if not beaten:
            return inside
        inside -= beaten


def drawn_scores(
    rng: np.random.Generator, means: list[float], errors: list[float]
) -> SharedReference:
    values = np.tile(np.array(means)[:, None], 2)
    return SharedReference(
        values, values + rng.normal(0, np.array(errors)[:, None], (100, len(means), 1))
    )


@pytest.mark.exhaustive
def test_who_may_be_best_is_what_the_definition_says_and_files_far_behind_change_nothing() -> None:
    rng = np.random.default_rng(4)
    sizes = set()
    for _ in range(40):
        found = drawn_scores(rng, rng.normal(0.7, 0.03, 4).tolist(), [0.04, 0.01, 0.01, 0.01])
        table = ranking(found, list("ABCD"), 0.5, 0.9)
        scores = dict(zip("ABCD", found.values[:, 0].tolist(), strict=True))
        drawn = dict(zip("ABCD", found.replicates[:, :, 0].T, strict=True))
        expected = slow_contenders(scores, drawn, 0.9)
        contenders = {row.checkpoint for row in table[1:].itertuples() if row.tied_with_best} | {
            table["checkpoint"][0]
        }
        assert contenders == expected
        assert table["tied_with_best"][0] == (len(expected) > 1)
        sizes.add(len(expected))
        assert table["loses"].tolist() == [
            np.mean(drawn[n] < drawn[table["checkpoint"][0]]) for n in table["checkpoint"]
        ]
        worse = drawn_scores(rng, [0.2] * 10, [0.01] * 10)
        more = SharedReference(
            np.concatenate([found.values, worse.values]),
            np.concatenate([found.replicates, worse.replicates], axis=1),
        )
        again = ranking(more, list("ABCDefghijklmn"), 0.5, 0.9)
        assert again.iloc[:4][table.columns.drop("front")].equals(
            table[table.columns.drop("front")]
        )
        assert not again["tied_with_best"][4:].any()
    assert len(sizes) > 2


@pytest.mark.exhaustive
def test_the_truly_best_is_among_those_that_may_be_best() -> None:
    rng = np.random.default_rng(0)
    kept = []
    few = []
    for _ in range(200):
        means = [0.70, 0.70, 0.69, 0.65, 0.5]
        errors = [0.01] * 5
        # what one draw of samples makes of the true means
        noisy = rng.normal(means, errors).tolist()
        table = ranking(drawn_scores(rng, noisy, errors), list("ABCDE"), 0.5, 0.95).set_index(
            "checkpoint"
        )
        kept.append(bool(table["tied_with_best"]["A"]) or table.index[0] == "A")
        few.append(table["tied_with_best"]["E"])
    assert np.mean(kept) >= 0.9
    assert not any(few)


def test_low_scores_are_compared_by_the_second_family_and_ties_are_by_chance() -> None:
    rng = np.random.default_rng(2)
    first = drawn_scores(rng, [0.08, 0.02, 0.01], [0.001] * 3)
    second = drawn_scores(rng, [0.5, 0.7, 0.69], [0.01] * 3)
    table = ranking(first, list("BCD"), second=second)
    assert table["checkpoint"].tolist() == list("CDB")
    assert table["tied_with_best"].tolist() == [True, True, False]
    assert table["behind"].tolist() == pytest.approx([0, 0.01, 0.2])
    said = headline(table, "kNN").rest
    assert "kNN 0.700 (" in said
    assert said.endswith("in 95 % of the draws) for C.")
    # one that is told apart or not by chance may be best, whichever order decides
    near = drawn_scores(rng, [0.105, 0.095], [0.02, 0.02])
    level = drawn_scores(rng, [0.3, 0.6], [0.01, 0.01])
    assert ranking(near, list("AB"), second=level)["tied_with_best"].tolist() == [True, True]


def test_margins_are_wider_by_the_factor_given() -> None:
    found = drawn_scores(np.random.default_rng(1), [0.7, 0.695, 0.5], [0.01] * 3)
    plain, wide = (ranking(found, list("ABC"), widen=factor)["margin"] for factor in (1.0, 1.3))
    assert wide.tolist() == pytest.approx((1.3 * plain).tolist())


def test_marks_tell_of_ties_behind_the_best_alone() -> None:
    line = {"checkpoint": "A", "tied_with_best": True, "best": 0.4}
    assert [marks("A", line), marks("B", line)] == ["", "may be best too"]
    assert marks("B", {**line, "best": np.nan}) == ""  # of too few samples
    assert marks("B", {**line, "tied_with_best": False}) == ""
