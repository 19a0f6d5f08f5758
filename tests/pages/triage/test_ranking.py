"""The first screen and Compare two, parts of the Triage page: what they say is what the core
finds.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages._shared import cache as page_cache
from pages._shared.cache import Session
from pages._triage import checkpoints, classes, comparison, diagnosis, screen, work
from pages._triage.checkpoints import CheckpointResults, missed_text
from pages._triage.session import GOAL, KEY, PAIR, CheckpointChoice, TriageSession
from pages._triage.table import COLORS
from prviz.checks.finding import Finding
from prviz.diagnostics.clusters import cluster_members
from prviz.samples import Samples
from prviz.triage.classes import by_class, missed_samples
from prviz.triage.comparison import compare_curves
from prviz.triage.decision import Basis, basis_of, judge
from prviz.triage.measured import CheckpointOutcome, TriageSettings
from prviz.triage.ranking import headline
from prviz.uncertainty.bootstrap import Interval
from prviz.uncertainty.paired import GeneratorComparison
from tests.explore_app import html, panes, said
from tests.marks import exhaustive
from tests.ranked import rank
from tests.triage_app import part, settled
from tests.triage_found import bundled_found, changed, compare_two, files_found
from tests.verdict_twin import straight

LOW = ("truncation-0.3", "truncation-0.4", "truncation-0.6")
BOTH = ("knn", "kde")


MANY = 40


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resamplings enough for the same code."""
    for module in (checkpoints, comparison):
        monkeypatch.setattr(module, "BOOTSTRAP", MANY)
    monkeypatch.setattr(checkpoints, "REPLICATES", MANY)


@cache
def truncation() -> CheckpointResults:
    return bundled_found(LOW, TriageSettings(methods=BOTH))


@cache
def mixture() -> CheckpointResults:
    return bundled_found(("mixture-em-5", "mixture-em-10", "mixture-em-20"), failed=("broken",))


def ranking_sent(app: AppTest) -> dict:
    """What the table of the first screen was sent."""
    sent = [each.proto.bytes for each in app.get("bidi_component")]
    return next(json.loads(each) for each in sent if each.startswith(b'{"heard"'))


def answered(app: AppTest, which: int = 0) -> str:
    """The verdict, as text; `which` 1: the evidence."""
    return " ".join(re.sub(r"<[^>]+>", " ", html(app)[which]).split())


def drawn_difference(app: AppTest) -> list[float]:
    values = panes(app)["triage-pair-precision"]["figure"]["data"][2]["y"]
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()


def order(app: AppTest) -> list[str]:
    return [row["id"] for row in ranking_sent(app)["rows"]]


@exhaustive
def test_the_goal_decides_the_order_and_every_view_follows() -> None:
    found = truncation()
    orders = {}
    app = part("screen", found)
    for goal in (0.5, 0.0, 1.0, 0.25):
        app.slider(key=GOAL).set_value(goal)
        settled(app)
        expected = rank(found.measured, goal, MANY)
        orders[goal] = order(app)
        assert orders[goal] == expected["checkpoint"].tolist()
        rows = pd.DataFrame(ranking_sent(app)["rows"])
        assert np.allclose(rows[["score", "low", "high"]], expected[["score", "low", "high"]])
        everything = [each for outcome in found.outcomes for each in outcome.measured]
        most = judge(everything, goal, replicates=MANY).at_most
        assert dict(zip(rows["id"], rows["most"], strict=True)) == pytest.approx(most)
        head = judge(everything, goal, replicates=MANY).decision.headline.head
        assert answered(app).startswith(head)
        points = panes(app)["triage-steps"]["figure"]["data"][-1]
        assert dict(zip(points["customdata"], points["y"], strict=True)) == pytest.approx(
            dict(zip(rows["id"], rows["score"], strict=True))
        )
    # A smaller psi gives up recall for precision.
    assert [name for name in orders[0.0] if name != LOW[2]] == [LOW[0], LOW[1]]
    assert [name for name in orders[1.0] if name != LOW[2]] == [LOW[1], LOW[0]]


def test_the_verdict_is_the_library_s_with_the_ceiling_and_what_it_rests_on() -> None:
    app = part("screen", mixture())
    table = rank(mixture().measured, 0.5, MANY)
    told = answered(app)
    assert headline(table).head in told
    assert headline(table).rest in told
    assert f"{table['checkpoint'][0]} differs from the real data: " in told
    assert 'class="verdict-box warning"' in html(app)[0]
    ceiling = ranking_sent(app)["ceiling"]
    assert f"real against real by kNN {ceiling:.3f}" in " ".join(told.split())
    drawn = panes(app)
    (line,) = [
        each
        for each in drawn["triage-curves"]["figure"]["data"]
        if each.get("legendgroup") == "truth"
    ]
    assert line["name"] == "real against real"
    (shape,) = drawn["triage-steps"]["figure"]["layout"]["shapes"]
    assert shape["y0"] == shape["y1"] == ceiling


@exhaustive
def test_families_have_a_column_each_and_disagreement_is_amber() -> None:
    found = truncation()
    everything = [each for outcome in found.outcomes for each in outcome.measured]
    found = replace(found, basis=basis_of(everything, found.method))
    app = part("screen", found)
    known = judge(everything, replicates=2).scores
    content = ranking_sent(app)
    assert [family["title"] for family in content["families"]] == ["kNN", "KDE"]
    for row in content["rows"]:
        assert row["families"] == pytest.approx([known[name][row["id"]] for name in BOTH])
    assert "Scored by kNN, as chosen." in answered(app)
    apart = judge(everything, replicates=MANY, basis=basis_of(everything, "knn")).apart
    assert ("families disagree" in answered(app)) == bool(apart.levels)


REFERENCE = Finding(
    "Duplicates inside the real set", "9 of 90 rows", "warning", "They <b>repeat</b>."
)
OWN = (
    Finding(
        "One row repeated", "the generated set is one row", "warning", "No curve means anything."
    ),
    Finding("Key among the features", "seed", "warning", "Leave it out."),
)


def flagged(found: CheckpointResults, own: dict[str, tuple[Finding, ...]]) -> CheckpointResults:
    """The same checkpoints, all with a warning on the reference, a note, and some with warnings of
    their own.
    """
    note = Finding("Sizes", "2 real, 3 generated", "note", "")
    outcomes = [
        each._replace(
            measured=tuple(
                replace(one, flags=(*own.get(each.checkpoint.name, ()), REFERENCE, note))
                for one in each.measured
            )
        )
        for each in found.outcomes
    ]
    return replace(found, key=(found.key, tuple(own)), outcomes=tuple(outcomes))


def bodies(app: AppTest, name: str) -> list[str]:
    """The HTML of these parts of the page."""
    return [body for body in html(app) if f'data-prviz="{name}"' in body]


def test_warnings_stand_once_on_top_of_the_reference_and_by_the_verdict_of_each_checkpoint() -> (
    None
):
    best, second, *_ = order(part("screen", mixture()))
    app = part("screen", flagged(mixture(), {best: OWN[1:], second: OWN}))
    everything = html(app)
    top = everything[0]
    (verdict,) = bodies(app, "verdict")
    (evidence,) = bodies(app, "evidence")
    assert (
        "<b>Duplicates inside the real set</b>: 9 of 90 rows. They &lt;b&gt;repeat&lt;/b&gt;.</p>"
        in top
    )
    assert "".join(everything).count("Duplicates inside the real set") == 1
    assert "verdict-box" not in top
    assert "<b>Key among the features</b>: seed. Leave it out.</p>" in verdict
    assert "One row repeated" not in verdict
    # Beside the best one the second is compared: its first warning whole, and how many more.
    first, rest = evidence.split("<summary>1 more</summary>")
    assert (
        "<b>One row repeated</b>: the generated set is one row. No curve means anything.</p>"
        in first
    )
    assert "Key among the features" not in first
    assert rest.count("<b>Key among the features</b>: seed. Leave it out.</p>") == 1
    rows = {row["id"]: row["warnings"] for row in ranking_sent(app)["rows"]}
    assert rows.pop(best) == [OWN[1].line]
    assert rows.pop(second) == [each.line for each in OWN]
    assert not any(rows.values())


def test_without_warnings_the_screen_says_nothing_of_them() -> None:
    app = part("screen", mixture())
    assert not bodies(app, "flags")
    assert not any(row["warnings"] for row in ranking_sent(app)["rows"])


def test_copies_outrank_the_ranking_and_only_what_no_test_tells_apart_is_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the reference, then samples as good as real ones, with others held out."""
    joined = np.eye(4) + 2.0  # shuffling the features of independent ones would change nothing
    real, fresh, held = (
        Samples(np.random.default_rng(seed).normal(size=(300, 4)) @ joined) for seed in range(3)
    )
    for values, memorised in ((real.values, True), (fresh.values, False)):
        sets = {"best": values, "worst": fresh.values + np.array([3, -3, 3, -3])}
        found = files_found(tmp_path, real, sets, key=("copies", memorised), holdout=held)
        monkeypatch.setattr(screen, "witnesses_known", lambda _: {"best": {"told_apart": False}})
        app = part("screen", found)
        body = html(app)[0]
        assert ("Memorised: best (300 exact copies, 100 % near)" in body) == memorised
        evidence = html(app)[1]
        assert ("row 1 = real row 1" in evidence) == memorised
        assert f'class="verdict-box {"bad" if memorised else "good"}"' in body
        assert f"Best: {'worst' if memorised else 'best'}" in answered(app)
        first = ranking_sent(app)["rows"][0]
        assert ("best in" in first["told"]) != memorised
        assert first["low"] is not None
        assert ("can&#x27;t be told apart from real data at this n." in body) != memorised


def test_copies_of_pictures_are_shown_beside_the_real_ones(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 255, (300, 8, 8), dtype=np.uint8)
    real = Samples(rng.normal(size=(300, 4)), "real", {}, pictures)
    turned = rng.permutation(300)
    copies = real.values[turned]
    made = Samples(copies, "copies", {}, pictures[turned])
    found = files_found(tmp_path, real, {"copies": copies}, load=lambda _: made)
    body = html(part("screen", found))[1]
    strip = body.partition('<div class="strip pairs">')[2].partition("</div>")[0]
    image = r'<img src="([^"]+)" alt="{} sample, row (\d+)"[^>]*>'
    shown = re.findall(f"<span>{image.format('generated')}{image.format('real')}", strip)
    assert len(shown) > 1
    for picture, row, copied, of in shown:
        assert picture == copied
        assert turned[int(row) - 1] == int(of) - 1


def chosen(name: str) -> dict[str, TriageSession]:
    """The session in which this checkpoint is selected."""
    return {KEY: TriageSession(choice=CheckpointChoice(selected=name))}


def test_class_by_class_the_worst_come_first() -> None:
    found = truncation()
    real, generated = found.pair(found.one(LOW[0]))
    shares = by_class(real, generated, real.labels["digit"])
    app = part("classes", found, **chosen(LOW[0]))
    body = html(app)[0]
    assert LOW[0] in body
    assert re.findall(r"<b>(.)</b>", body) == [each.label for each in shares]
    assert body.count("line worse") == sum(each.worse for each in shares) > 0
    app = part("classes", found, **chosen(LOW[0]), **{"triage-class-label": classes.CHOICE})
    body = html(app)[0]
    held = cluster_members(found.pair(found.one(LOW[0])))
    assert body.count('class="cluster"') == len(held) == 20
    shares = [
        f"{100 * share:.1f} %" for each in held for share in (each.real_share, each.generated_share)
    ]
    assert re.findall(r"<b>(.*?)</b>", body) == shares
    assert f"real sample, row {held[-1].real[0] + 1}" in body
    alone = replace(found, key="bare", reference=Samples(real.values))
    assert "no label that names classes" in said(part("classes", alone))


@exhaustive
def test_one_missing_class_is_the_same_number_in_every_part(tmp_path: Path) -> None:
    """Verdict, evidence, *What is wrong with it?* and *Class by class* of a generator that never
    makes one class.
    """
    rng = np.random.default_rng(0)
    centres = 9 * np.eye(6)
    sets = [np.repeat(np.arange(6), 60), np.repeat(np.arange(5), 72)]
    values = [centres[labels] + rng.normal(size=(360, 6)) for labels in sets]
    names = np.array(["oak", "elm", "ash", "fir", "yew", "rose"])
    real = Samples(values[0], "real", {"plant": names[sets[0]]})
    found = files_found(tmp_path, real, {"no-rose": values[1]})
    missed = missed_samples(*found.pair(found.measured[0]))
    assert set(range(300, 360)) <= set(missed.rows.tolist())
    shares = {each.label: each for each in by_class(real, Samples(values[1]), real.labels["plant"])}
    assert shares["rose"].missed == 1
    assert sum(each.missed * each.n for each in shares.values()) == pytest.approx(len(missed.rows))
    evidence = bodies(part("screen", found), "evidence")[0]
    assert f"<b>{100 * missed.share:.0f} %</b>, {100 * missed.expected:.0f} % expected" in evidence
    assert missed_text("real", missed) in evidence
    diagnosed = part("diagnosis", found)
    assert missed_text("real", missed) in said(diagnosed)
    table = next(
        each.value for each in diagnosed.dataframe if "share none generated near" in each.value
    )
    assert table.iloc[0].tolist() == ["rose", 1.0, 60, 60]
    assert re.findall(
        r"<b>rose</b>.*?</span>(\d+ %)", bodies(part("classes", found), "classes")[0]
    ) == ["100 %"]


def test_no_fault_is_no_clearance_where_the_sets_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    found = mixture()
    first = mixture().names[0]
    monkeypatch.setattr(screen, "faults_of", lambda _: dict.fromkeys(found.names, ()))
    monkeypatch.setattr(screen, "witnesses_known", lambda _: {first: {"told_apart": True}})
    rows = {row["id"]: row["fault"] for row in ranking_sent(part("screen", found))["rows"]}
    assert rows.pop(first) == "differs, no cause named"
    assert set(rows.values()) == {"nothing found"}


@exhaustive
def test_where_all_are_told_apart_that_is_said_first_and_the_neighbours_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    real = Samples(rng.normal(size=(200, 2)))
    sets = {name: rng.normal(shift, 1, (200, 2)) for name, shift in (("far", 5.0), ("near", 3.5))}
    whole = files_found(tmp_path, real, sets, TriageSettings(("tightest", "knn")))
    settings = whole.settings
    outcomes = whole.outcomes
    monkeypatch.setattr(screen, "ceiling_or_reason", lambda _: "too few samples")

    def screen_of(outcomes: tuple[CheckpointOutcome, ...], methods: tuple[str, ...]) -> AppTest:
        measured = [one for each in outcomes for one in each.measured]
        found = replace(
            whole,
            key=("told", methods),
            settings=replace(settings, methods=methods),
            basis=basis_of(measured),
            outcomes=outcomes,
        )
        return part("screen", found)

    app = screen_of(outcomes, settings.methods)
    assert answered(app).startswith("None comes near real data: area 0.0")
    content = ranking_sent(app)
    assert content["spread"] == "kNN, 95 % of draws"
    assert [family["title"] for family in content["families"]] == ["kNN"]
    assert order(app) == ["near", "far"]
    for row in content["rows"]:
        assert row["place"] == row["families"][0] >= row["low"]
        assert row["score"] <= row["most"]
    early = screen_of((outcomes[0], outcomes[1].of(["knn"])), ("knn",))
    told = "The best classifier decides once it has judged all; its largest area so far is 0.0"
    assert told in answered(early)
    assert [family["title"] for family in ranking_sent(early)["families"]] == ["Best classifier"]


def test_what_is_chosen_stands_out_in_every_view_and_in_the_evidence() -> None:
    chosen = CheckpointChoice(selected=LOW[0], ticked=[LOW[1]], notes={LOW[1]: "<b>"})
    app = part("screen", truncation(), **{KEY: TriageSession(choice=chosen)})
    content = ranking_sent(app)
    assert (content["heard"], content["choice"]["selected"]) == (None, LOW[0])
    colors = {row["id"]: row["color"] for row in content["rows"]}
    assert (colors[LOW[0]], colors[LOW[1]], colors[LOW[2]]) == (*COLORS[:2], "")
    lines = {
        each.get("meta"): each
        for each in panes(app)["triage-curves"]["figure"]["data"]
        if "line" in each
    }
    assert [lines[name]["line"]["color"] for name in LOW[:2]] == list(COLORS[:2])
    evidence = answered(app, 1)
    assert evidence.index(LOW[0]) < evidence.index(LOW[1])
    assert LOW[2] not in evidence
    assert "Real, none generated near" in evidence


@exhaustive
def test_while_results_come_in_those_so_far_are_ranked() -> None:
    found = mixture()
    early = replace(found, outcomes=found.outcomes[:2], key="early")
    app = part("screen", early)
    assert "So far: 2 more to come" in answered(app)
    assert set(order(app)) == set(early.names)
    app.session_state["found"] = found
    assert set(order(settled(app))) == set(found.names)
    assert "so far" not in answered(app).lower()
    alone = part("screen", replace(found, outcomes=found.outcomes[:1], key="one"))
    assert "A ranking needs two" in answered(alone)


def test_another_name_stands_in_the_same_ranking() -> None:
    found = mixture()
    app = part("screen", found)
    before = order(app)
    held = len(app.session_state["_Session"].results)
    app.session_state["found"] = changed(
        found, "named", lambda each: replace(each, name=f"{each.name}'")
    )
    assert order(settled(app)) == [f"{name}'" for name in before]
    # the decision and the figure, by their new names
    assert len(app.session_state["_Session"].results) == held + 2


def chosen_pair(app: AppTest) -> tuple[str, str]:
    return app.session_state[PAIR[0]], app.session_state[PAIR[1]]


def test_two_checkpoints_are_compared_as_the_core_does_and_swapping_mirrors_all() -> None:
    found = truncation()
    app = part("comparison", found)
    a, b = chosen_pair(app)
    assert [a, b] == rank(found.measured, 0.5, 20)["checkpoint"][:2].tolist()
    one = found.one(a)
    other = found.one(b)
    expected = compare_two(one, other, MANY)
    assert f"Only A covers {len(expected.only_a):,}" in said(app)
    assert f"Only B covers {len(expected.only_b):,}" in said(app)
    assert len(expected.only_a) > 0
    assert drawn_difference(app) == pytest.approx(expected.alpha.tolist())
    paired: GeneratorComparison = compare_curves(one, other, MANY)
    shown = app.dataframe[0].value
    assert shown["low"].tolist() == pytest.approx(
        [each.low for each in paired.differences.values()]
    )
    says = shown["says"].tolist()
    app.button(key="triage-pair-swap").click()
    settled(app)
    assert chosen_pair(app) == (b, a)
    assert drawn_difference(app) == pytest.approx((-expected.alpha).tolist())
    assert f"Only A covers {len(expected.only_b):,}" in said(app)
    assert app.dataframe[0].value["difference"].tolist() == pytest.approx(
        (-shown["difference"]).tolist()
    )
    assert "▲ A" in says
    assert "▼ B" in app.dataframe[0].value["says"].tolist()


def test_the_pair_follows_the_selection_and_choosing_the_other_one_swaps() -> None:
    app = part("comparison", truncation(), **chosen(LOW[0]))
    best = rank(truncation().measured, 0.5, 20)["checkpoint"][0]
    assert chosen_pair(app) == (LOW[0], best)
    app.selectbox(key=PAIR[1]).set_value(LOW[0])
    settled(app)
    assert chosen_pair(app) == (best, LOW[0])
    app.session_state[KEY].choice.selected = LOW[1]
    settled(app)
    assert chosen_pair(app) == (LOW[1], best)
    alone = part("comparison", replace(mixture(), outcomes=mixture().outcomes[:1], key="one"))
    assert [each.value for each in alone.info] == [
        "Two measured checkpoints are needed to compare them; one is there."
    ]


def test_the_file_names_the_rows_of_the_reference() -> None:
    found = mixture()
    one = found.measured[0]
    other = found.measured[2]
    along = compare_two(one, other, 2)
    assert len(along.only_a)
    split = found.pair(one).split(found.settings.split, found.settings.seed)
    rows = split.evaluate_rows[0][along.rows[along.only_a]]
    text = comparison.only_csv(
        found, comparison._evaluated(found, one.method)[along.rows][along.only_a], "=evil"
    )
    table = list(csv.DictReader(io.StringIO(text)))
    assert [int(line["row"]) for line in table] == (rows + 1).tolist()
    assert [int(float(line["digit"])) for line in table] == found.reference.labels["digit"][
        rows
    ].tolist()
    assert {line["only covered by"] for line in table} == {"'=evil"}


def test_no_part_of_the_page_shows_an_area_above_the_bound_that_caps_the_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Session()
    monkeypatch.setattr(page_cache, "session", lambda: held)
    found = mixture()
    bound = straight(0.1, 0.1)
    one, *others = found.outcomes
    tight = replace(one.measured[0], own_bound=bound)
    found = replace(found, outcomes=(one._replace(measured=(tight,)), *others))
    summaries = found.summaries(tight)
    assert summaries == {**tight.summaries, "auc": pytest.approx(bound.auc)}
    assert bound.auc < tight.summaries["auc"]
    assert found.intervals(tight, {"auc": Interval(0.0, 1.0)})["auc"] == (
        0.0,
        pytest.approx(bound.auc),
    )
    run = SimpleNamespace(settings=found.settings)
    row = work._table_row(tight.checkpoint, found.outcomes[0], run, "knn", [])
    assert row[2] == summaries["auc"]
    assert f"AuC {bound.auc:.3f}" in diagnosis._title(found, tight)
    pending = replace(found, basis=Basis("kde", ""))
    monkeypatch.setattr(screen, "TIGHTEST", SimpleNamespace(name="knn"))
    alone = replace(pending, outcomes=found.outcomes[:1])
    assert f"largest area so far is {bound.auc:.2f}." in screen._judged_so_far(alone)


def test_a_first_score_says_of_how_many_it_is_the_highest() -> None:
    answer = SimpleNamespace(
        best="a", judgement=None, scores={"a": 0.9, "b": 0.1}, own_warnings={"a": ()}
    )
    for total, among in ((2, "of 2 checkpoints"), (5, "of 2 among 5 checkpoints")):
        first = screen._verdict_html(SimpleNamespace(total=total), answer)
        assert f"Score 0.900, the highest {among};" in first
