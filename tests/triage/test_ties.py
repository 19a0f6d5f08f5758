"""Who may be best, against the definition written out; the decision; how a line of a ranking is marked."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.triage.ranking import SharedReference, marks, ranking, verdict


def slow_contenders(scores: dict[str, float], drawn: dict[str, np.ndarray], confidence: float) -> set[str]:
    """Round after round, name by name and rival by rival."""
    inside = set(scores)
    while True:
        beaten = set()
        for one in inside:
            apart = {other: drawn[other] - drawn[one] for other in inside - {one}}
            errors = {other: each.std(ddof=1) for other, each in apart.items()}
            chance = [
                max([0.0, *((apart[other][r] - apart[other].mean()) / errors[other] for other in apart)])
                for r in range(len(drawn[one]))
            ]
            limit = np.quantile(chance, confidence)
            if any(scores[other] - scores[one] > limit * errors[other] for other in apart):
                beaten.add(one)
        if not beaten:
            return inside
        inside -= beaten


def drawn_scores(rng: np.random.Generator, means: list[float], errors: list[float]) -> SharedReference:
    values = np.tile(np.array(means)[:, None], 2)
    return SharedReference(values, values + rng.normal(0, np.array(errors)[:, None], (100, len(means), 1)))


def test_who_may_be_best_is_what_the_definition_says_and_files_far_behind_change_nothing() -> None:
    rng, sizes = np.random.default_rng(4), set()
    for _ in range(40):
        found = drawn_scores(rng, rng.normal(0.7, 0.03, 4).tolist(), [0.04, 0.01, 0.01, 0.01])
        table = ranking(found, list("ABCD"), 0.5, 0.9)
        scores = dict(zip("ABCD", found.values[:, 0].tolist(), strict=True))
        drawn = dict(zip("ABCD", found.replicates[:, :, 0].T, strict=True))
        expected = slow_contenders(scores, drawn, 0.9)
        contenders = {row.checkpoint for row in table[1:].itertuples() if row.tied_with_best} | {table["checkpoint"][0]}
        assert contenders == expected
        assert table["tied_with_best"][0] == (len(expected) > 1)
        sizes.add(len(expected))
        assert table["loses"].tolist() == [
            np.mean(drawn[n] < drawn[table["checkpoint"][0]]) for n in table["checkpoint"]
        ]
        worse = drawn_scores(rng, [0.2] * 10, [0.01] * 10)
        more = SharedReference(
            np.concatenate([found.values, worse.values]), np.concatenate([found.replicates, worse.replicates], axis=1)
        )
        again = ranking(more, list("ABCDefghijklmn"), 0.5, 0.9)
        assert again.iloc[:4][table.columns.drop("front")].equals(table[table.columns.drop("front")])
        assert not again["tied_with_best"][4:].any()
    assert len(sizes) > 2


def test_the_truly_best_is_among_those_that_may_be_best() -> None:
    rng, kept, few = np.random.default_rng(0), [], []
    for _ in range(200):
        means, errors = [0.70, 0.70, 0.69, 0.65, 0.5], [0.01] * 5
        noisy = rng.normal(means, errors).tolist()  # what one draw of samples makes of the true means
        table = ranking(drawn_scores(rng, noisy, errors), list("ABCDE"), 0.5, 0.95).set_index("checkpoint")
        kept.append(bool(table["tied_with_best"]["A"]) or table.index[0] == "A")
        few.append(table["tied_with_best"]["E"])
    assert np.mean(kept) >= 0.9
    assert not any(few)


def test_the_decision_names_what_else_is_possible_and_how_many_samples_settle_it() -> None:
    rng = np.random.default_rng(1)
    table = ranking(drawn_scores(rng, [0.7, 0.695, 0.5], [0.01] * 3), list("ABC"))
    second = table.iloc[1]
    times = (second["margin"] / second["behind"]) ** 2
    assert 1 < times < 100
    text = verdict(table, lambda name: f"<{name}>", 2000)
    assert text.startswith("Take <A>: score 0.700 (0.6")
    assert "Also possible: <B> (within 0.005). About " in text
    said = float(text.split("About ")[1].split(" samples")[0].replace(",", ""))
    assert said == pytest.approx(2000 * times, rel=0.06)
    # That many samples: errors are smaller by the root, and the two are told apart.
    settled = drawn_scores(rng, [0.7, 0.695, 0.5], [0.01 / np.sqrt(1.3 * times)] * 3)
    clear = ranking(settled, list("ABC"))
    assert not clear["tied_with_best"].any()
    assert verdict(clear).endswith("99 % of the draws. Next is B, 0.005 lower.")
    close = ranking(drawn_scores(rng, [0.7, 0.6999], [0.01] * 2), list("AB"))
    assert verdict(close, n=2000).endswith("More than 10,000,000 samples a set would be needed to settle it.")
    assert verdict(close).endswith(" times as many samples would settle it.")
    equal = ranking(drawn_scores(rng, [0.7, 0.7], [0.01] * 2), list("AB"))
    assert verdict(equal).endswith("B (within 0.000). No number of samples tells equal scores apart.")


def test_marks_tell_of_ties_behind_the_best_alone() -> None:
    line = {"tied_with_best": True, "front": True, "loses": 0.834}
    assert marks(1, line) == "beaten in both directions by none"
    assert marks(2, line) == "may be best too, loses 83 % of the draws, beaten in both directions by none"
    assert marks(2, {**line, "loses": 0.999, "front": False}) == "may be best too, loses > 99 % of the draws"
    assert marks(3, {"tied_with_best": False, "front": False, "loses": 1.0}) == ""
