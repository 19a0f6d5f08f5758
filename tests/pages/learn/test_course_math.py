"""What the course computes in the browser, in a browser without an app, against prviz's own
arithmetic.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from scipy.stats import norm

from pages._learn import course, measured, steps
from prviz.curves import PRCurve
from prviz.curves.ground_truth import finite_masses, scaled_gaussians, shifted_gaussians
from prviz.curves.summaries import SUMMARIES
from prviz.measure.estimates import measure
from prviz.samples import SamplePair, Split
from prviz.toys import toy
from tests.marks import exhaustive

LAMS = [1e-3, 0.02, 0.3, 0.9, 1.0, 1.1, 2.5, 40.0, 1e3]
RNG = np.random.default_rng(0)
MASSES = {
    "equal": ([1, 2, 3], [1, 2, 3]),
    "nothing in common": ([1, 0, 0.5], [0, 0.3, 0]),
    "one cell": ([0.7], [0.1]),
    "empty cells": ([0, 0.5, 0, 0.5, 0], [0, 0.25, 0, 0.75, 0.5]),
    "ratios that repeat": ([0.1, 0.2, 0.3, 0.4, 1], [0.2, 0.4, 0.6, 0.8, 0.05]),
    "a line": tuple(RNG.choice(np.arange(21) / 20, (2, 25)).tolist()),
    "any numbers": tuple(RNG.random((2, 64)).tolist()),
}
# A number's name on screen, and in Python.
NAMED = {
    "area": "auc",
    "F8 for precision": "f8_precision",
    "F8 for recall": "f8_recall",
}


@pytest.fixture(scope="module")
def bare(chromium: Browser) -> Page:
    """A page whose ``course`` is the course's module."""
    page = chromium.new_page()
    page.goto("about:blank")
    text = base64.b64encode(course.javascript().encode()).decode()
    page.evaluate(
        "async (url) => { window.course = await import(url); }",
        f"data:text/javascript;base64,{text}",
    )
    return page


def assert_same(page: Page, vertices: list[list[float]], curve: PRCurve, tolerance: float) -> None:
    found = page.evaluate(
        "([v, l]) => l.map(lam => course.curve.pointAt(v, lam).alpha)", [vertices, LAMS]
    )
    np.testing.assert_allclose(found, curve.alpha(LAMS), atol=tolerance)


def start_of(judge: str) -> dict[str, Any]:
    """Where the first step begins whose guess is judged so."""
    return dict(next(step.start for step in steps.STEPS if step.guess.judge == judge))


def called(page: Page, module: str, name: str, *values: Any) -> Any:
    return page.evaluate(f"(values) => course.{module}.{name}(...values)", list(values))


@pytest.mark.parametrize("name", MASSES)
def test_the_curve_of_masses_is_that_of_python(bare: Page, name: str) -> None:
    p, q = MASSES[name]
    vertices = called(bare, "masses", "massCurve", p, q)
    truth = finite_masses(p, q)
    assert_same(bare, vertices, truth, 1e-12)
    ends = [vertices[0][1], vertices[-1][0]]
    np.testing.assert_allclose(ends, [truth.extreme_precision, truth.extreme_recall], atol=1e-12)


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1.0, 0.8), (-2.5, 0.5), (4.0, 2.5)])
def test_two_bells_have_the_curve_of_python(bare: Page, shift: float, scale: float) -> None:
    truth = scaled_gaussians(scale, 1, distance=abs(shift))
    assert_same(bare, called(bare, "arithmetic", "bellsCurve", shift, scale), truth, 5e-4)


@pytest.mark.parametrize("lam", [0.25, 1.0, 4.0])
def test_the_grey_area_is_the_precision_and_what_total_variation_leaves(
    bare: Page, lam: float
) -> None:
    """hal-05344404, equation 2, as it stands behind the "?" of the bells."""
    x = np.linspace(-14, 14, 100_001)
    p, q = (
        np.exp(-(((x - mean) / sd) ** 2) / 2) / sd / np.sqrt(2 * np.pi)
        for mean, sd in ((0, 1), (1.2, 0.8))
    )
    apart = np.trapezoid(np.abs(lam * p - q), x) / 2
    found = called(
        bare, "curve", "pointAt", called(bare, "arithmetic", "bellsCurve", 1.2, 0.8), lam
    )["alpha"]
    assert found == pytest.approx(np.trapezoid(np.minimum(lam * p, q), x), abs=1e-4)
    assert found == pytest.approx((lam + 1) / 2 - apart, abs=1e-4)


@pytest.mark.parametrize(
    ("shift", "scale"), [(0.0, 1.0), (0.2, 0.5), (-1.2, 1.0), (1.2, 2.0), (0.0, 0.5)]
)
@pytest.mark.parametrize("lam", [0.3, 1.0, 4.0])
def test_the_border_lies_where_both_are_equally_likely(
    bare: Page, shift: float, scale: float, lam: float
) -> None:
    parts = bare.evaluate(
        "(values) => course.arithmetic.saysReal(...values).map((part) => part.map((x) =>"
        " Math.max(-99, Math.min(99, x))))",
        [shift, scale, lam],
    )
    x = np.linspace(-6, 6, 1201)
    real = lam * norm.pdf(x) - norm.pdf(x, shift, scale)
    said = (
        np.any([(low <= x) & (x <= high) for low, high in parts], axis=0)
        if parts
        else np.zeros(len(x), bool)
    )
    clear = np.abs(real) > 1e-9
    assert np.array_equal(said[clear], real[clear] > 0)


@pytest.mark.parametrize(("scale", "distance"), [(1.0, 1.0), (0.5, 0.2), (2.0, 0.0)])
def test_the_halves_are_points_of_the_curve(bare: Page, scale: float, distance: float) -> None:
    truth = scaled_gaussians(scale, 1, distance=distance)
    lams = np.tan(np.linspace(1e-4, np.pi / 2 - 1e-4, 20_001))
    precision = truth.alpha(lams)
    recall = truth.beta(lams)
    found = called(
        bare, "arithmetic", "atHalf", called(bare, "arithmetic", "bellsCurve", distance, scale)
    )
    assert found["precision"] == pytest.approx(precision[recall >= 0.5].max(), abs=1e-3)
    assert found["recall"] == pytest.approx(recall[precision >= 0.5].max(), abs=1e-3)


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (0.7, 0.5), (-1.5, 2.0), (4.0, 0.5)])
def test_boxes_share_what_lies_in_both(bare: Page, shift: float, scale: float) -> None:
    made = bare.evaluate(
        "(values) => course.figures.FIGURES.boxes.model(values)", {"shift": shift, "scale": scale}
    )
    both = max(0.0, min(1.0, shift + scale) - max(-1.0, shift - scale))
    truth = PRCurve(np.array(made["truth"]))
    assert truth.extreme_precision == pytest.approx(both / (2 * scale))
    assert truth.extreme_recall == pytest.approx(both / 2)


@pytest.mark.parametrize(
    "truth",
    [
        finite_masses((0.7, 0.3), (1.0, 0.0)),
        shifted_gaussians(1.3),
        scaled_gaussians(2.3, 1),
        finite_masses((0.5, 0.5), (0.66, 0.34)),
    ],
    ids=["drop", "shift", "widen", "reweight"],
)
def test_numbers_of_a_curve_are_those_of_python(bare: Page, truth: PRCurve) -> None:
    by_key = {summary.key: summary for summary in SUMMARIES}
    for name, key in NAMED.items():
        found = bare.evaluate(
            "([v, n]) => course.arithmetic.NUMBERS[n](v)", [truth.vertices.tolist(), name]
        )
        assert found == pytest.approx(by_key[key].of(truth), abs=2e-3), name
    found = bare.evaluate(
        "(v) => course.arithmetic.NUMBERS['where both are equal'](v)", truth.vertices.tolist()
    )
    assert found == pytest.approx(truth.alpha(1.0))


def test_areas_compared_are_those_of_python(bare: Page) -> None:
    one = shifted_gaussians(1.5)
    other = scaled_gaussians(1.5, 1)
    found = called(bare, "arithmetic", "compared", one.vertices.tolist(), other.vertices.tolist())
    assert list(found.values()) == pytest.approx(list(one.compare(other)), abs=1e-3)


def test_a_match_is_that_of_python(bare: Page) -> None:
    found = bare.evaluate(
        "() => course.guesses.target({ shift: 'match' }, { drop: 0.3, shift: 0 }).shift"
    )
    # alpha(1) = 2 Phi(-shift / 2) = 0.7
    assert found == pytest.approx(-2 * norm.ppf(0.35), abs=5e-3)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("held_out", [True, False])
@pytest.mark.parametrize("k", [1, 5, 29])
def test_knn_on_samples_is_that_of_python(bare: Page, k: int, held_out: bool) -> None:
    found = bare.evaluate(
        """([k, apart]) => {
            const values = { k, n: 60, split: apart, mu: 1, seed: 4, moved: { "0.3": [0.5, 0.25] }, picked: 0, limit: false };
            const { made, samples } = { made: course.figures.FIGURES.plane.model(values, { hands: [], measured: {} }), samples: course.plane.drawn(values) };
            return [samples, made.curves[0].vertices];
        }""",
        [k, held_out],
    )
    (real, generated), vertices = found
    pair = SamplePair(np.array(real), np.array(generated))
    assert pair.real.values[3].tolist() == [0.5, 0.25]
    rows = np.arange(60)
    halves = (rows[:30], rows[30:]) if held_out else (rows, rows)
    split = Split(pair, (halves[0], halves[0]), (halves[1], halves[1]), held_out)
    (estimate,) = measure(split, [("knn", k, None)], 0)
    assert_same(bare, vertices, estimate.curve, 1e-9)
    ends = bare.evaluate(
        "(v) => [course.curve.pointAt(v, Infinity).alpha, course.curve.pointAt(v, 0).beta]",
        vertices,
    )
    assert ends == pytest.approx([estimate.curve.extreme_precision, estimate.curve.extreme_recall])


@pytest.mark.parametrize("own", [True, False])
def test_one_k_at_a_time_is_all_of_them_at_once(bare: Page, own: bool) -> None:
    assert bare.evaluate(
        """(own) => {
            const { KS, drawn } = course.plane, { balls } = course.arithmetic;
            const [real, generated] = drawn({ seed: 2, n: 40, mu: 0.5, moved: { "1.1": [0, 0], "1.2": [0, 0], "0.3": [0, 0] } });
            const at = own ? real : [...generated, [0, 0]], all = balls(at, [real, generated], KS, own);
            return KS.every((k, i) => JSON.stringify(balls(at, [real, generated], [k], own)) === JSON.stringify(all.map((each) => [each[i]])));
        }""",
        own,
    )


@exhaustive
def test_samples_of_a_seed_have_the_problem_s_moments(bare: Page) -> None:
    values = {"n": 200, "mu": 2.0, "seed": 1, "moved": {}}
    drawn = np.array(
        [called(bare, "plane", "drawn", {**values, "seed": seed}) for seed in range(20)]
    )
    np.testing.assert_allclose(drawn.mean(axis=(0, 2)), [[0, 0], [2, 2]], atol=0.05)
    np.testing.assert_allclose(drawn.std(axis=(0, 2)), 1, atol=0.05)


def test_the_limits_are_measured_at_the_figure_s_k_and_for_its_problem(bare: Page) -> None:
    assert bare.evaluate("() => course.plane.KS") == list(measured.KS)
    limit = next(step for step in steps.STEPS if step.guess.judge == "limit")
    assert limit.start["mu"] == measured.LIMIT_PROBLEM["mu"]
    truth = toy("shifted-gaussians", **measured.LIMIT_PROBLEM).truth()
    assert_same(bare, called(bare, "arithmetic", "bellsCurve", float(np.sqrt(2)), 1.0), truth, 2e-3)


@exhaustive
def test_the_dimension_s_truth_is_the_toy_s(bare: Page) -> None:
    truth = toy("high-dimension", d=16, shift=measured.DISTANCE).truth()
    made = bare.evaluate(
        "(measured) => course.figures.FIGURES.sweep.model({ d: 2 }, { hands: ['d'], measured })",
        course.measurements(),
    )
    assert_same(bare, made["truth"], truth, 2e-3)


@exhaustive
def test_every_solution_is_an_option_and_those_without_samples_are_the_mathematics(
    bare: Page,
) -> None:
    found = bare.evaluate(
        "(content) => Object.fromEntries(content.steps.map((step) => [step.id,"
        " course.handouts.solution(step, content)?.id]))",
        {"steps": steps.payload(), "measured": course.measurements()},
    )
    for step in steps.payload():
        ids = {option["id"] for option in step["guess"]["options"]}
        assert found[step["id"]] in ids, step["id"]
    drop = finite_masses([0.4, 0.3, 0.2, 0.1], [0, 0.5, 1 / 3, 1 / 6])
    assert (found["modes-1"] == "recall") == (drop.extreme_recall < 1 == drop.extreme_precision)
    skewed = finite_masses([0.25] * 4, [0.7, 0.1, 0.1, 0.1])
    assert (found["modes-3"] == "middle") == (
        skewed.extreme_precision == skewed.extreme_recall == 1 > skewed.alpha(1.0)
    )
    narrow = scaled_gaussians(0.5, 1, distance=1.0)
    fpr, fnr = narrow.vertices[narrow.vertex_at(1.0)]
    assert (found["classifier-1"] == "real") == (fpr > fnr)
    before, after = (
        called(
            bare, "arithmetic", "atHalf", scaled_gaussians(scale, 1, distance=0.2).vertices.tolist()
        )
        for scale in (1.0, 0.5)
    )
    assert (
        before["precision"] - after["precision"] < 0.02 < 0.2 < before["recall"] - after["recall"]
    )
    assert found["overlap-1"] == "recall"
    drop = finite_masses([0.5, 0.5], [1.0, 0.0])
    f8 = next(each for each in SUMMARIES if each.key == "f8_recall")
    shift = bare.evaluate(
        "() => course.guesses.target({ shift: 'area' }, { drop: 0.5, shift: 0.4 }).shift"
    )
    even = shifted_gaussians(shift)
    assert even.auc == pytest.approx(drop.auc, abs=2e-3)
    assert (found["number-2"] == "B") == (f8.of(even) > f8.of(drop))
    assert found["extremes-1"] == "stays"
    assert found["samples-6"] == "high"  # stripes: the truth shares nothing
    assert found["extremes-3"] == "ends"
    assert found["dimension-1"] == "high"
    assert found["claim-1"] == "Best classifier"
    assert found["claim-2"] == "nearer"
    assert found["claim-3"] == "no"  # the two paintings differ in everything, the samples in little


@exhaustive
def test_the_lesson_plan_numbers_times_and_explains_questions_and_keeps_solutions_apart(
    bare: Page,
) -> None:
    content = {
        "steps": steps.payload(),
        "lessons": dict(steps.LESSONS),
        "measured": course.measurements(),
    }
    address = {"origin": "https://prviz.example", "hostname": "prviz.example", "pathname": "/learn"}
    plan = called(bare, "handouts", "lessonPlan", content, address)
    questions, solutions = re.split(r"^## Solutions.*$", plan, flags=re.MULTILINE)
    count = len(steps.STEPS)
    assert f"{count} steps in {len(steps.LESSONS)} lessons, {count} to {2 * count} minutes" in plan
    assert questions.endswith('<div style="break-before: page"></div>\n\n')
    sizes = Counter(step.lesson for step in steps.STEPS)
    found = re.findall(r"^## (\d+)\. (.+) \((\d+) to (\d+) minutes\)$", questions, re.MULTILINE)
    assert found == [
        (str(i + 1), title, str(sizes[lesson]), str(2 * sizes[lesson]))
        for i, (lesson, title) in enumerate(steps.LESSONS.items())
    ]
    sections = re.split(r"^## \d.*$", questions, flags=re.MULTILINE)[1:]
    numbers = []
    for step in steps.payload():
        lesson, place = step["id"].split("-")
        i = list(steps.LESSONS).index(lesson)
        numbers.append(f"{i + 1}.{place}")
        asked = f"**{numbers[-1]} [{step['lead']}](https://prviz.example/learn?step={step['id']})**"
        assert asked in sections[i]
        told = solutions[solutions.index(f"**{i + 1}.1**") :].split(f"**{i + 2}.1**")[0]
        for line in filter(None, step["help"].split("\n")):
            assert told.count(line) == 1, step["id"]  # once a lesson, where it first counts
            assert line not in questions
        assert step["takeaway"] in told
        assert step["takeaway"] not in questions
        assert not [each for each in step["guess"]["options"] if each["because"] in questions]
    assert re.findall(r"\*\*(\d\.\d)", questions) == numbers
    assert re.findall(r"^\*\*(\d\.\d)\*\*", solutions, re.MULTILINE) == numbers
    assert "**1.1** recall. " in solutions


def test_the_words_under_the_curve_say_what_a_step_is_about(bare: Page) -> None:
    found = bare.evaluate("""() => {
            const { FIGURES } = course.figures, foot = (figure, values, angle, hands) =>
                course.curve_card.footOf(FIGURES[figure].model(values, { hands, measured: {} }), angle, hands);
            const lost = { p: [0.4, 0.3, 0.2, 0.1], q: [0, 0.5, 0.3, 0.2] }, bells = { shift: 1.2, scale: 1 };
            const plain = (texts) => texts.map((each) => each.replaceAll("\u00a0", " "));
            return plain([foot("modes", lost, 45, ["q", "ends"]), foot("bells", bells, 45, ["errors"]),
                foot("bells", bells, 76, ["errors", "angle"])]);
        }""")
    truth = shifted_gaussians(1.2)
    assert found[0] == "Precision reaches 100 %, recall 60 %; where they are equal, 60 %."
    texts = [re.findall(r"([\d.]+) %", text) for text in found[1:]]
    for (real, generated, precision), angle in zip(texts, (45, 76), strict=True):
        lam = np.tan(np.radians(angle))
        fpr, fnr = truth.vertices[truth.vertex_at(lam)]
        wanted = [100 * fpr, 100 * fnr, 100 * truth.alpha(lam)]
        assert [float(real), float(generated), float(precision)] == pytest.approx(wanted, abs=0.11)
    assert texts[0][0] == texts[0][1]  # bells that mirror each other
    assert "λ × " in found[2]
    assert "λ" not in found[1]


def test_other_samples_move_an_end_more_than_the_middle(bare: Page) -> None:
    """On average over draws, at the distance at which the last step of the extremes begins."""
    start = start_of("jumps")
    ends, middles = bare.evaluate(
        """(start) => {
            const found = Array.from({ length: 30 }, (_, seed) => course.figures.FIGURES.plane
                .model({ ...start, seed: seed + 1 }, { hands: [], measured: {} }).curves[0].vertices);
            const at = (v, lam) => course.curve.pointAt(v, lam);
            return [found.map((v) => at(v, Infinity).alpha), found.map((v) => at(v, 1).alpha)];
        }""",
        start,
    )
    assert np.std(ends) > 2 * np.std(middles)


def test_few_votes_and_few_samples_are_more_wrong_and_few_samples_jump_more(bare: Page) -> None:
    """What the lines and bands over k and n show."""
    by_k, by_n = bare.evaluate(
        """([k, n]) => {
            const { KS, SIZES, usual } = course.plane;
            return [usual(k, KS), SIZES.map((size) => usual({ ...n, n: size }, [n.k]))];
        }""",
        [dict(step.start) for step in steps.STEPS if step.guess.judge == "closer"],
    )
    errors = dict(zip(measured.KS, by_k["errors"], strict=True))
    assert errors[1] > errors[3] + 0.05
    assert errors[3] > errors[8]
    widths = [high - low for each in by_n for low, high in each["band"]]
    assert [by_n[0]["errors"][0] > 1.5 * by_n[-1]["errors"][0], widths[0] > 1.3 * widths[-1]] == [
        True,
        True,
    ]


def test_a_band_holds_eight_of_ten_draws_around_their_mean(bare: Page) -> None:
    values = start_of("closer") | {
        "n": 40,
        "split": True,
    }
    found, draws = bare.evaluate(
        """(values) => {
            const { FIGURES } = course.figures, { DRAWS, usual } = course.plane, { compared } = course.arithmetic;
            const wrong = (seed) => { const { curves, truth } = FIGURES.plane.model({ ...values, seed, k: 5 }, { hands: [], measured: {} }); return 1 - compared(curves[0].vertices, truth).iou; };
            return [usual(values, [5]), Array.from({ length: DRAWS }, (_, i) => wrong(1000 + i))];
        }""",
        values,
    )
    assert found["errors"][0] == pytest.approx(np.mean(draws))
    ((low, high),) = found["band"]
    assert np.mean((low <= np.array(draws)) & (np.array(draws) <= high)) == pytest.approx(
        0.8, abs=0.051
    )


@pytest.mark.parametrize("held_out", [True, False])
@pytest.mark.parametrize(("k", "angle"), [(1, 45), (3, 45), (8, 45), (8, 70), (15, 20)])
def test_the_votes_that_are_needed_are_those_of_the_classifier_whose_errors_are_counted(
    bare: Page, k: int, angle: int, held_out: bool
) -> None:
    heading, said, errors = bare.evaluate(
        """([k, angle, split]) => {
            const { FIGURES } = course.figures, { balls } = course.arithmetic, values = { n: 80, k, mu: 1, seed: 3, moved: {}, split, angle, limit: false, picked: -1 };
            const setting = { hands: [], measured: {}, width: 500, height: 500, em: 16 }, made = FIGURES.plane.model(values, setting), { judged, fit } = made.more.parts;
            const said = FIGURES.plane.draw(values, made, setting).handles[0].text, needed = +/(\\d+) needed/.exec(said)[1];
            const says = (side) => balls(judged[side], fit, [k], !split).map(([{ votes }]) => votes[0] >= needed);
            return [FIGURES.plane.heading(values, made), said, says(0).filter((real) => !real).length + says(1).filter((real) => real).length];
        }""",
        [k, angle, held_out],
    )
    of = 40 if held_out else 80
    who = "half" if held_out else "all"
    assert heading == f"n = 80 of each, {who} vote, k = {k}: {errors} of {of} + {of} misjudged"
    votes, all_votes, needed = map(int, re.findall(r"\d+", said))
    assert all_votes == k + (not held_out)
    assert said.endswith(": real" if votes >= needed else ": generated")


def test_a_poor_classifier_raises_the_estimate_and_luck_moves_it_either_way(bare: Page) -> None:
    found = bare.evaluate(
        """(start) => [1, start.k].map((k) => Array.from({ length: 40 }, (_, seed) => {
            const { curves, truth } = course.figures.FIGURES.plane.model({ ...start, k, seed }, { hands: [], measured: {} });
            const { excess, deficit } = course.arithmetic.compared(curves[0].vertices, truth);
            return excess - deficit;
        }))""",
        start_of("side"),
    )
    poor, usual = np.array(found)
    assert poor.mean() > usual.mean() + 0.1
    assert min(usual) < -0.05 < 0.05 < max(usual)


def test_fine_stripes_with_nothing_in_common_still_get_a_curve(bare: Page) -> None:
    areas = bare.evaluate(
        """([p, q]) => Array.from({ length: 8 }, (_, seed) => {
            const { curves, truth } = course.figures.FIGURES.paint.model({ p, q, seed, split: true }, {});
            return [course.arithmetic.auc(curves[0].vertices), course.arithmetic.auc(truth)];
        })""",
        [[1.0, 0.0] * 8, [0.0, 1.0] * 8],
    )
    assert all(estimate > 0.03 and truth == 0 for estimate, truth in areas)


def test_at_the_edge_of_a_stripe_neighbours_are_of_both_kinds(bare: Page) -> None:
    votes = bare.evaluate(
        """([p, q]) => Array.from({ length: 8 }, (_, seed) => {
            const { parts } = course.figures.FIGURES.paint.model({ p, q, seed, split: true }, {}).more;
            return Array.from({ length: 15 }, (_, i) => course.arithmetic.balls([[(i + 1) / 16, 0]], parts.fit, [14], false)[0][0].votes);
        }).flat()""",
        [[1.0, 0.0] * 8, [0.0, 1.0] * 8],
    )
    assert min(min(each) for each in votes) >= 1
