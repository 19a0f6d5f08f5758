"""Learn in a real Chromium: every step on one screen, moved by pointer and keys, its guess answered
by the figure.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from pages._learn.steps import LESSONS, payload
from prviz.reports.settings import ExploreSettings
from tests.browser import (
    LAPTOP,
    PHONE,
    Opener,
    box_of,
    click,
    drag,
    middle,
    resize,
    saved,
    visit,
    wait_idle,
    wait_until,
)
from tests.marks import exhaustive, exhaustive_but, thorough

STEPS = payload()
IDS = [step["id"] for step in STEPS]
WORDS = 60

# What leaves the window, or its card.
_CUT = """() => ['figure', 'curve', 'step'].filter((name) => {
    const box = document.querySelector(`[data-prviz=${name}]`), around = box.getBoundingClientRect();
    const inside = [...box.querySelectorAll('svg, button, p, h2, text')].filter((each) => each.getClientRects().length && each.textContent);
    const cut = (each) => { const b = each.getBoundingClientRect(); return b.left < around.left - 1 || b.right > around.right + 1 || b.top < around.top - 1 || b.bottom > around.bottom + 1; };
    return around.left < 0 || around.top < 0 || around.right > innerWidth || around.bottom > innerHeight || inside.some(cut);
})"""

# Names in the curve card that another name covers, that are nearer to another line than to their
# own, or that are missing.
_NAME_FAULTS = """() => {
    const svg = document.querySelector('.course .curve svg');
    const corner = svg.getBoundingClientRect();
    const names = [...svg.querySelectorAll('text.halo')].map((node) => {
        const { left, right, top, bottom, height } = node.getBoundingClientRect();
        const box = [left - corner.left, top - corner.top + height / 6, right - corner.left, bottom - corner.top - height / 6];
        return { text: node.textContent, box };
    });
    const points = (line) => {
        const found = [];
        for (let far = 0; far <= line.getTotalLength(); far++) found.push(line.getPointAtLength(far));
        return found;
    };
    const gap = ([left, top, right, bottom], lines) => Math.min(...lines.flatMap((line) => line.points).map(
        ({ x, y }) => Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0))));
    const linesOf = (selector) => [...svg.querySelectorAll(selector)].map((line) => ({ name: line.dataset.curve ?? 'before', points: points(line) }));
    const lines = linesOf('path.curve, path.ghost');
    const curves = lines.filter(({ name }) => name !== 'before');
    const main = (curves.find(({ name }) => name === 'estimate') ?? curves[0]).name;
    const led = new Set([...svg.querySelectorAll('path.leader')].map((lead) => lead.dataset.name));
    const faults = [];
    names.forEach(({ text, box }, i) => {
        for (const { text: other, box: [left, top, right, bottom] } of names.slice(0, i))
            if (box[0] < right && box[2] > left && box[1] < bottom && box[3] > top) faults.push(`${text} on ${other}`);
        const of = lines.some(({ name }) => name === text) ? text : main;
        const own = gap(box, lines.filter(({ name }) => name === of));
        const other = gap(box, lines.filter(({ name }) => name !== of));
        if (led.has(text) ? other < 1 : other < own - 2) faults.push(`${text}: ${own}, another ${other}`);
    });
    if (curves.length > 1)
        faults.push(...curves.filter(({ name }) => !names.some(({ text }) => text === name)).map(({ name }) => `no ${name}`));
    return faults;
}"""
# Steps whose curves run together, move or end where there is little room, with the answer given.
_CROWDED: tuple[tuple[str, dict[str, object]], ...] = (
    ("extremes-3", {}),
    ("dimension-2", {}),
    ("claim-2", {}),
    ("dimension-1", {}),
    ("samples-5", {}),
    ("modes-1", {}),
    ("modes-2", {"q": [0, 0, 0, 1]}),
)


@pytest.fixture
def page(new_page: Opener) -> Page:
    return new_page(size=LAPTOP)


def open_step(page: Page, step: str, **values: object) -> None:
    """The course at a step, drawn, opened by its link."""
    visit(
        page,
        f"/learn?step={step}"
        + "".join(f"&{name}={json.dumps(value)}" for name, value in values.items()),
    )
    at_step(page, step)


def at_step(page: Page, step: str) -> None:
    expect(page.locator(".course")).to_have_attribute("data-drawn", step.split("?")[0])


def hand(page: Page, name: str) -> Locator:
    return page.locator(f".hand[data-hand={name}]")


def curve(page: Page) -> str:
    return str(page.locator(".course .curve svg").evaluate("(svg) => svg.innerHTML"))


def pulled(page: Page, handle: Locator, dx: float, dy: float) -> None:
    """Drag it so far."""
    x, y = middle(handle)
    drag(page, (x, y), (x + dx, y + dy))


@exhaustive
def test_every_step_is_one_screen_with_a_guess_that_moves_it(page: Page) -> None:
    open_step(page, IDS[0])
    for place, step in enumerate(STEPS):
        at_step(page, step["id"])
        assert page.evaluate(_CUT) == [], step["id"]
        before = curve(page)
        assert not step["explore"] or _opens_in_explore(page)
        options = page.locator(".chip").count()
        page.keyboard.press("1")
        expect(page.locator(".course")).to_have_attribute("data-moving", "false")
        wait_until(page, lambda before=before: curve(page) != before)
        assert page.locator(".because").inner_text()
        assert page.locator(".chip.right").count() == 1
        assert page.locator(".chip").count() >= options
        # there a curve comes in addition
        assert page.locator(".ghost").count() or step["id"] == "samples-5"
        # "→" is none
        words = re.findall(r"\S*\w\S*", page.locator("[data-prviz=step]").inner_text())
        assert len(words) <= WORDS, (step["id"], len(words))
        assert page.evaluate(_CUT) == [], step["id"]
        if place + 1 < len(STEPS):
            page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="The end")).to_be_disabled()
    page.keyboard.press("?")
    expect(page.locator("#prviz-keys dt")).to_have_text(["Tab", "← →", "1 to 5", "P", "?"])
    page.keyboard.press("?")
    page.keyboard.press("ArrowLeft")
    at_step(page, IDS[-2])


def _opens_in_explore(page: Page) -> bool:
    link = page.get_by_role("link", name="Open in Explore")
    expect(link).to_have_attribute("href", re.compile("problem="))
    _, messages = ExploreSettings.from_query(
        dict(parse_qsl(urlsplit(link.get_attribute("href") or "").query))
    )
    return messages == []


DRAGS = (
    ("modes-1", "q0", 0, 60),
    ("overlap-1", "shift", 80, 0),
    ("overlap-2", "angle", -60, -30),
    ("samples-1", "sample", 90, 60),
    ("samples-2", "ring", 50, 0),
    ("extremes-3", "mu", 60, -60),
    ("number-1", "shift", 70, 0),
)


@thorough
@pytest.mark.parametrize("drag", exhaustive_but(DRAGS, DRAGS[0], DRAGS[3]))
def test_what_one_drags_draws_the_curve_and_leaves_a_ghost(
    page: Page, drag: tuple[str, str, float, float]
) -> None:
    step, name, dx, dy = drag
    open_step(page, step)
    before = curve(page)
    drawn = page.locator(".course .card svg").evaluate_all(
        "all => all.map((each) => each.innerHTML).join()"
    )
    pulled(page, hand(page, name), dx, dy)
    wait_until(
        page,
        lambda: (
            drawn
            != page.locator(".course .card svg").evaluate_all(
                "all => all.map(e => e.innerHTML).join()"
            )
        ),
    )
    if name == "angle":
        return  # along the curve, which stays
    wait_until(page, lambda: curve(page) != before)
    at_hand = hand(page, name).get_attribute("aria-valuetext")
    page.wait_for_url(re.compile(f"step={step}&"))
    address = ""
    while address != page.url:  # it follows the hand
        address = page.url
        page.wait_for_timeout(500)
    page.reload()
    at_step(page, step)
    assert hand(page, name).get_attribute("aria-valuetext") == at_hand  # the link holds the setting


@exhaustive
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_names_stand_nearer_to_their_own_curve_than_to_any_other(
    page: Page, size: tuple[int, int]
) -> None:
    resize(page, *size)
    page.emulate_media(reduced_motion="reduce")
    for step, values in _CROWDED:
        open_step(page, step, **values)
        page.keyboard.press("1")
        page.locator(".chip.right").wait_for()
        assert page.evaluate(_NAME_FAULTS) == [], step


@exhaustive
def test_names_and_handles_of_the_extremes_stay_in_the_picture(page: Page) -> None:
    resize(page, 420, 620)
    for shares in ([0, 0, 0, 1], [0.25, 0.15, 0.1, 0.5]):
        open_step(page, "modes-2", q=shares)
        assert "figure" not in page.evaluate(_CUT), shares
    open_step(page, "extremes-1", shift=4, scale=2.5)
    assert "figure" not in page.evaluate(_CUT)
    expect(page.locator(".figure text").filter(has_text="width")).to_be_visible()
    box = box_of(hand(page, "scale").locator(".grip"))
    around = box_of(page.locator(".course .figure svg"))
    assert box["x"] + box["width"] <= around["x"] + around["width"]


@exhaustive
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_what_a_classifier_says_stays_clear_of_the_bell_s_name_and_handle(
    page: Page, size: tuple[int, int]
) -> None:
    resize(page, *size)
    for scale in (0.5, 0.6, 1.0):
        open_step(page, "classifier-1", shift=0.6, scale=scale)
        boxes = []
        for found in (
            page.locator(".figure text").filter(has_text=re.compile("^(says )?generated$")),
            hand(page, "shift").locator(".grip"),
        ):
            found.first.wait_for()
            boxes += [each.bounding_box() for each in found.all()]
        for one, other in itertools.combinations(boxes, 2):
            assert one is not None
            assert other is not None
            apart = [
                abs(one[low] + one[size] / 2 - other[low] - other[size] / 2)
                - (one[size] + other[size]) / 2
                for low, size in (("x", "width"), ("y", "height"))
            ]
            assert max(apart) > -4, (scale, boxes)  # letters are lower than their line


@exhaustive
def test_a_quick_stroke_paints_every_cell_that_it_crosses_and_none_before_it(page: Page) -> None:
    open_step(page, "samples-6")
    heights = "all => all.slice(0, 16).map((bar) => Number(bar.getAttribute('height')))"
    bars = page.locator(".course .figure rect")
    before = bars.evaluate_all(heights)
    y = middle(bars.nth(4))[1]  # the highest
    drag(page, (middle(bars.nth(8))[0], y), (middle(bars.nth(15))[0], y), steps=1)
    wait_until(page, lambda: bars.evaluate_all(heights)[15] > 0)
    after = bars.evaluate_all(heights)
    assert after[:8] == before[:8]
    assert min(after[8:]) == max(after[8:]) > 0


@exhaustive
def test_only_the_sample_that_is_held_moves_and_a_press_on_another_only_chooses_it(
    page: Page,
) -> None:
    open_step(page, "samples-1")
    pulled(page, hand(page, "sample"), 120, 60)
    page.wait_for_url(re.compile("moved="))
    moved = json.loads(dict(parse_qsl(urlsplit(page.url).query))["moved"])
    assert len(moved) == 1
    box = box_of(hand(page, "sample"))
    before = hand(page, "sample").get_attribute("aria-label")
    page.mouse.click(box["x"] - 112, box["y"] - 50)  # where many lie
    wait_until(page, lambda: hand(page, "sample").get_attribute("aria-label") != before)
    page.wait_for_url(re.compile("picked="))
    assert json.loads(dict(parse_qsl(urlsplit(page.url).query))["moved"]) == moved


@exhaustive
def test_a_guess_is_about_the_step_s_setting_whatever_was_moved_before(page: Page) -> None:
    open_step(page, "overlap-1", shift=-0.4)  # a link's setting is the step's
    pulled(page, hand(page, "shift"), 150, 0)
    click(page, "button", "recall", exact=True)
    expect(page.locator(".course")).to_have_attribute("data-moving", "false")
    expect(hand(page, "shift")).to_have_attribute("aria-valuenow", "-0.4")
    expect(hand(page, "scale")).to_have_attribute("aria-valuenow", "0.5")
    page.wait_for_url(lambda url: "shift=-0.4" in url and "scale" not in url)  # a link asks anew
    said = page.locator(".because").inner_text()
    pulled(page, hand(page, "scale"), 30, 0)
    page.wait_for_url(re.compile("scale="))  # what is moved by hand, a link holds
    # the answer is about the beginning, and stays
    assert page.locator(".because").inner_text() == said
    page.locator(".chip.right").click()
    page.wait_for_url(lambda url: "scale" not in url)
    page.keyboard.press("ArrowRight")
    at_step(page, "overlap-2")
    page.keyboard.press("ArrowLeft")
    at_step(page, "overlap-1")
    expect(hand(page, "scale")).to_have_attribute("aria-valuenow", "1")
    assert page.locator(".chip.right").count() == 0


def test_the_keyboard_alone_moves_a_handle_and_answers(page: Page) -> None:
    open_step(page, "overlap-1")
    hand(page, "scale").focus()
    page.keyboard.press("ArrowLeft")
    expect(hand(page, "scale")).to_have_attribute("aria-valuenow", "0.95")
    at_step(page, "overlap-1")  # the arrow has moved the handle, not the course
    box = box_of(hand(page, "scale").locator(".target"))
    assert min(box["width"], box["height"]) >= 24
    page.get_by_role("button", name="recall", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".chip.right")).to_have_text("✓ recall")
    expect(hand(page, "scale")).to_have_attribute("aria-valuenow", "0.5")
    page.get_by_role("button", name="Next →").focus()
    page.keyboard.press("Enter")
    at_step(page, "overlap-2")


@exhaustive
def test_with_reduced_motion_the_answer_is_there_at_once_with_its_ghost(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    open_step(page, "overlap-1")
    moved = page.evaluate(
        """() => { document.querySelector('.chip').click();
        return [document.querySelector('.course').dataset.moving, document.querySelectorAll('path.ghost').length]; }"""
    )
    assert moved == ["false", 1]
    page.emulate_media(reduced_motion="no-preference")


@exhaustive
def test_a_hostile_link_opens_the_step_as_it_begins(page: Page) -> None:
    open_step(page, "modes-1", q=[9, -1, 0, 0], angle="x", p={"a": 1})
    assert hand(page, "q0").get_attribute("aria-valuetext") == "40\u00a0%"
    visit(page, "/learn?step=<img src=x>")
    at_step(page, IDS[0])
    visit(page, "/learn?step=samples-1&moved={%220.1%22:[1e999,0]}&k=7&n=100000")
    at_step(page, "samples-1")


@exhaustive
def test_lecturers_present_take_the_plan_along_and_embed_the_course(
    page: Page, new_page: Opener, tmp_path: Path
) -> None:
    open_step(page, "samples-2", k=4)
    page.keyboard.press("p")
    expect(page.locator(".st-key-prviz-bar")).to_be_hidden()
    assert page.evaluate(_CUT) == []
    page.keyboard.press("p")
    expect(page.locator(".st-key-prviz-bar")).to_be_visible()
    wait_idle(page)
    text = saved(page, "Lesson plan", tmp_path).read_text("utf-8")
    # the server's address is this machine's alone: links open the saved course beside the plan
    assert all(f"(prviz-course.html#{step})" in text for step in IDS)
    assert "127.0.0.1" not in text
    whole = saved(page, "Save as a page", tmp_path)
    alone = new_page()
    alone.goto("about:blank")
    alone.evaluate(
        "html => document.body.append(Object.assign(document.createElement('iframe'), { srcdoc:"
        " html, sandbox: 'allow-scripts', width: 1200, height: 700 }))",
        whole.read_text("utf-8"),
    )
    frame = alone.frame_locator("iframe")
    # at the first step, wherever it was saved
    expect(frame.locator(".course")).to_have_attribute("data-drawn", IDS[0])
    expect(frame.locator(".bars .done")).to_have_count(1)
    before = frame.locator("path.curve").first.get_attribute("d")
    frame.locator(".chip").nth(1).click()
    expect(frame.locator("path.ghost").first).to_be_attached()
    expect(frame.locator("path.curve").first).to_be_attached()
    assert before


@thorough
def test_a_saved_course_opens_at_the_step_of_its_link_and_fits_a_narrow_frame(
    page: Page, new_page: Opener, tmp_path: Path
) -> None:
    open_step(page, IDS[0])
    place = saved(page, "Save as a page", tmp_path)
    alone = new_page(size=(420, 620))
    for step in IDS:
        # only the first time a visit, then a link of the page
        alone.goto(f"{place.as_uri()}#{step}")
        at_step(alone, step)
        side = alone.locator(".course .curve svg").first.evaluate(
            "(svg) => svg.querySelector('line').getBoundingClientRect().height"
        )
        assert side > 120, step
        words = alone.locator(".course .words")
        assert words.evaluate("(card) => card.scrollHeight - card.clientHeight") <= 1, step
    alone.locator(".lesson").click()
    expect(alone.locator(".menu").first.get_by_role("button")).to_have_count(len(LESSONS))
    expect(alone.locator(".course-tools")).to_have_count(0)  # else a rule with nothing below it
    alone.goto(f"{place.as_uri()}?step=samples-2&k=4")  # as a copied link of the course
    at_step(alone, "samples-2")
    expect(hand(alone, "ring")).to_have_attribute("aria-valuetext", "k = 4")


@exhaustive
@pytest.mark.parametrize("size", [PHONE, (1440, 900), (1920, 1080)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_step_fits_other_windows(
    new_page: Opener, size: tuple[int, int], scheme: str
) -> None:
    page = new_page(size=size, color_scheme=scheme)
    open_step(page, IDS[0])
    for step in IDS:
        while page.locator(".course").get_attribute("data-step") != step:
            page.keyboard.press("ArrowRight")
        at_step(page, step)
        assert page.evaluate(_CUT) == [], step


@exhaustive
def test_explore_is_as_it_was_after_a_lesson(page: Page) -> None:
    open_step(page, "classifier-1")
    pages = page.locator(".st-key-prviz-bar")
    # on to the next step and away at once, before the address follows
    pages.get_by_role("link", name="Explore").evaluate("""(link) => {
            window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
            link.click();
        }""")
    k = page.get_by_role("spinbutton", name="Neighbours k")
    expect(k).to_have_value("5")
    wait_idle(page)
    page.get_by_role("slider", name="Neighbours k").press("ArrowRight")
    page.wait_for_url(re.compile(r"[?&]k=6"))
    wait_idle(page)
    click(pages, "link", "Learn")
    at_step(page, "classifier-2")  # where the reader left
    click(pages, "link", "Explore")
    expect(k).to_have_value("6")
    expect(page.get_by_role("button", name="Lesson plan")).to_have_count(0)
