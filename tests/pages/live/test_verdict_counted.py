"""The verdict's claims, read out of its words and compared with areas counted on a grid."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.verdict_twin import FamilyNumbers, straight, verdict, verdict_sentence

Words = tuple[str, ...]
Mask = NDArray[np.bool_]
Masks = dict[str, Mask]
SIDE = 400
# Of an area counted on the grid, and of a share that is printed as a whole percentage.
COUNTED = 4 / SIDE
PRINTED = 0.006


def below(curve: PRCurve) -> Mask:
    """The cells of a grid on the unit square under the curve: (recall b, precision a) with a <=
    alpha(a / b).
    """
    middles = (np.arange(SIDE) + 0.5) / SIDE
    recall, precision = (each.ravel() for each in np.meshgrid(middles, middles))
    cells: Mask = precision <= curve.alpha(precision / recall)
    return cells


def ious(masks: Masks, truth: Mask) -> dict[str, float]:
    return {
        title: float((mask & truth).sum() / max((mask | truth).sum(), 1))
        for title, mask in masks.items()
    }


def named(words: str, ranked: Iterable[str]) -> list[str]:
    """The families that "iPR and KDE" names; the first of these, where it is "5 families"."""
    titles = list(ranked)
    if count := re.fullmatch(r"(?:All )?(\d+) families", words):
        return titles[: int(count[1])]
    found = re.split(r", | and ", words)
    assert set(found) <= set(titles)
    return found


def rising(values: dict[str, float]) -> list[str]:
    return sorted(values, key=values.__getitem__)


def side(title: str, masks: Masks, truth: Mask) -> str:
    above = (masks[title] & ~truth).sum()
    below_it = (truth & ~masks[title]).sum()
    if ious(masks, truth)[title] > 0.95:
        return "close to the truth"
    if min(above, below_it) > max(above, below_it) / 2:
        return "too high here, too low there"
    return "too high" if above > below_it else "too low"


def lies(words: Words, masks: Masks, truth: Mask) -> None:
    who, where = words
    titles = list(masks) if re.match("Both|All ", who) else named(who, masks)
    assert len(titles) == len(masks) or not re.match("Both|All ", who)
    sides = {title: side(title, masks, truth) for title in masks}
    assert [title for title in masks if sides[title] == where] == [
        title for title in masks if title in titles
    ]


def several_sides(words: Words, masks: Masks, truth: Mask) -> None:
    for part in re.findall(
        r"(.+?) (?:is|are) (too high here, too low there|too high|too low|close to the"
        r" truth)(?:, |$)",
        words[0],
    ):
        lies(part, masks, truth)


def sides_and_overlaps(words: Words, masks: Masks, truth: Mask) -> None:
    several_sides(words[:1], masks, truth)
    near = [each for each in ious(masks, truth).values() if each > 0.95]
    said = [float(words[1]), float(words[2] or words[1])]
    assert [min(near), max(near)] == pytest.approx(said, abs=PRINTED + COUNTED)


def closest(words: Words, masks: Masks, truth: Mask) -> None:
    found = ious(masks, truth)
    if truth.mean() < 0.001:
        found = {title: -mask.mean() for title, mask in masks.items()}
    for title in named(words[0], rising(found)[::-1]):
        assert found[title] >= max(found.values()) - COUNTED
        assert abs(found[title]) == pytest.approx(float(words[2]), abs=PRINTED + COUNTED)
    assert (words[1] == "closer") == (len(masks) == 2)


def alike(words: Words, masks: Masks, truth: Mask) -> None:
    for overlap in ious(masks, truth).values():
        assert overlap == pytest.approx(float(words[0]), abs=PRINTED + COUNTED)


def close(words: Words, masks: Masks, truth: Mask) -> None:
    assert len(masks) > 1
    assert min(ious(masks, truth).values()) > float(words[0]) - COUNTED


def alone(words: Words, masks: Masks, truth: Mask) -> None:
    [title] = masks
    assert words[0] == title
    assert ious(masks, truth)[title] == pytest.approx(float(words[2]), abs=PRINTED + COUNTED)
    assert side(title, masks, truth) == words[1]


def none(words: Words, masks: Masks, truth: Mask) -> None:
    assert truth.mean() <= 0.001 * (words[0] != "0")
    areas = {title: float(mask.mean()) for title, mask in masks.items()}
    for title in masks if words[1] == "every family" else named(words[1], rising(areas)[::-1]):
        assert areas[title] >= max(areas.values()) - PRINTED
        assert (
            areas[title] < 0.01
            if words[2]
            else areas[title] == pytest.approx(float(words[3]), abs=PRINTED + COUNTED)
        )


def spread(words: Words, masks: Masks, _: Mask) -> None:
    areas = {title: float(mask.mean()) for title, mask in masks.items()}
    for area, who, ranked in (
        (words[0], words[1], rising(areas)),
        (words[2], words[3], rising(areas)[::-1]),
    ):
        assert areas[ranked[0]] == pytest.approx(float(area), abs=PRINTED + COUNTED)
        for title in named(who, ranked):
            assert areas[title] == pytest.approx(areas[ranked[0]], abs=PRINTED + COUNTED)


def agree(words: Words, masks: Masks, _: Mask) -> None:
    areas = [mask.mean() for mask in masks.values()]
    assert [min(areas), max(areas)] == pytest.approx(
        [float(word) for word in words], abs=PRINTED + COUNTED
    )
    assert max(areas) - min(areas) < 0.05 + COUNTED


def differ(words: Words, masks: Masks, _: Mask) -> None:
    low, high, overlap = words
    agree((low, high or low), masks, _)
    pairs = itertools.combinations(masks.values(), 2)
    least = min(float((one & other).sum() / (one | other).sum()) for one, other in pairs)
    assert least == pytest.approx(float(overlap), abs=PRINTED + COUNTED)


def same(words: Words, masks: Masks, _: Mask) -> None:
    for mask in masks.values():
        assert mask.mean() == pytest.approx(float(words[-1]), abs=PRINTED + COUNTED)
    assert len(words) == 1 or [words[0]] == list(masks)


NUMBER = r"(\d+(?:\.\d+)?)"
# Every sentence there is -> what it claims.
CLAIMS: dict[str, Callable[[Words, Masks, Mask], None]] = {
    rf"(.+) (?:is|are) (too high|too low|too high here, too low there|close to the truth): "
    rf"overlap {NUMBER}\.": (alone),
    r"(Both|All \w+) are (too high|too low|too high here, too low there)\.": lies,
    r"((?!Both|All ).+ (?:is|are) (?:too high|too low|close to the truth)[^:]*)\.": several_sides,
    rf"(.+, .+ (?:is|are) close to the truth): {NUMBER}(?: to {NUMBER})?\.": sides_and_overlaps,
    rf"(.+) (?:is|are) (closest|closer): {NUMBER}\.": closest,
    rf"Their overlaps are alike: {NUMBER}\.": alike,
    rf"None is far from the truth: every overlap is above {NUMBER}\.": close,
    rf"The true area is (0|almost 0): (.+) (?:has|have) (less than )?{NUMBER}\.": none,
    rf"Areas from {NUMBER} \((.+)\) to {NUMBER} \((.+)\)\.": spread,
    rf"The areas agree: {NUMBER} to {NUMBER}\.": agree,
    rf"The areas are alike \({NUMBER}(?: to {NUMBER})?\), the curves are not: "
    rf"two of them have an overlap of {NUMBER}\.": differ,
    rf"Every area is {NUMBER}\.": same,
    rf"The area of (.+) is {NUMBER}\.": same,
}


def proven(curves: dict[str, PRCurve], truth: PRCurve | None) -> list[str]:
    """The patterns of the verdict's sentences, every claim of them compared with the counted
    areas.
    """
    masks = {ESTIMATORS[name].title: below(curve) for name, curve in curves.items()}
    mask = np.zeros(SIDE * SIDE, dtype=np.bool_) if truth is None else below(truth)
    text = verdict(curves, truth)
    used = []
    for sentence in re.split(r"(?<=\D\.) |(?<=\d\.) (?=\D)", text):
        [(pattern, found)] = [
            (each, match) for each in CLAIMS if (match := re.fullmatch(each, sentence))
        ]
        CLAIMS[pattern](found.groups(), masks, mask)
        used.append(pattern)
    assert len(text.split()) <= 24, text
    return used


def measured(
    name: str, k: int, methods: tuple[str, ...] = DEFAULT_METHODS
) -> tuple[dict[str, PRCurve], PRCurve]:
    problem = toy(name)
    found = estimate(problem.sample(600, 0), methods, k=k)
    return {method: found[method].curve for method in methods}, problem.truth()


FULL = PRCurve.from_error_rates([], [])
EMPTY = PRCurve.from_error_rates([0.0], [0.0])
STEEP = straight(0.3, 0.9)
FLAT = straight(0.9, 0.3)


def cases() -> list[tuple[dict[str, PRCurve], PRCurve | None]]:
    """Measured curves, and those that measurements rarely give."""
    found: list[tuple[dict[str, PRCurve], PRCurve | None]] = []
    names = (
        "mixtures",
        "shifted-gaussians",
        "identical",
        "narrow-gaussian",
        "dirac",
        "finite",
        "boxes",
        "painted",
    )
    for name in names:
        for k in (3, 25):
            curves, truth = measured(name, k)
            one = {"ipr": curves["ipr"]}
            found += [(curves, truth), (one, truth), (curves, None), (one, None)]
    curves, truth = measured("identical", 3, ("coverage", "classifier-boosting"))
    speck, small = (straight(end, end) for end in (0.02, 0.1))
    found += [
        ({"classifier-boosting": curves["classifier-boosting"]}, FULL),
        (curves, truth),
        ({"kde": STEEP}, FLAT),
        ({"classifier": STEEP, "kde": FULL}, FLAT),
        ({"kde": EMPTY, "knn": STEEP}, FLAT),
        ({"kde": STEEP, "knn": STEEP}, FLAT),
        ({"kde": STEEP, "knn": STEEP, "ipr": STEEP}, FLAT),
        ({"kde": STEEP, "knn": STEEP, "ipr": FLAT}, FLAT),
        ({"kde": STEEP, "knn": STEEP, "coverage": STEEP, "ipr": FLAT}, FLAT),
        ({"kde": FULL, "knn": FULL, "ipr": small}, small),
        (
            {"kde": FULL, "knn": STEEP, "ipr": FLAT},
            straight(0.1, 0.2),
        ),
        ({"kde": speck}, FULL),
        ({"kde": FULL, "knn": FULL}, EMPTY),
        ({"kde": FULL, "knn": STEEP}, speck),
        ({"kde": FULL}, EMPTY),
        ({"kde": EMPTY, "knn": speck}, EMPTY),
        ({"kde": EMPTY}, straight(0.02, 0.03)),
        ({"kde": STEEP, "knn": FLAT}, None),
        ({"kde": FULL, "knn": FULL}, FULL),
    ]
    return found


@pytest.mark.exhaustive
def test_every_claim_of_every_sentence_is_that_of_counted_areas() -> None:
    used = {pattern for curves, truth in cases() for pattern in proven(curves, truth)}
    assert set(CLAIMS) == used


def test_nothing_drawn_approximate_and_earlier_curves_are_named_so() -> None:
    plain = verdict({"kde": STEEP}, FLAT)
    assert verdict({}, FLAT) == verdict({}, None, stale=True) == "No curve to compare yet."
    assert verdict({"kde": STEEP}, FLAT, approximate=True) == f"Approximate: {plain}"
    assert verdict({"kde": STEEP}, FLAT, stale=True) == f"Earlier settings: {plain}"
    assert (
        verdict({"kde": STEEP}, FLAT, approximate=True, stale=True)
        == f"Earlier settings, approximate: {plain}"
    )


def test_titles_in_the_plural_have_verbs_in_the_plural() -> None:
    plural = set()
    for family in [*ESTIMATORS.values(), ESTIMATORS["prc:c=4"]]:
        said = verdict_sentence([FamilyNumbers(family.title, 0.5, 0.5, 0.5, 0.0)], 0.25)
        assert re.match(rf"{re.escape(family.title)} (is|are) too high", said)
        plural |= {family.title} if " are " in said else set()
    assert plural == {"Linear classifiers", "Boosted trees", "Clusters"}
