"""Pictures and texts of uploads on Explore: from a zip, from the server's folder, or a word why
not.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages._explore.session import PANEL_TAB
from pages._shared import cache, media, networks
from prviz.embed.encoders.recogniser import RecogniserEncoder
from prviz.embed.local_encoders import installed_encoders
from prviz.live.evaluated import hover_words
from prviz.live.problems import HeldPictures, Uploaded
from prviz.live.state import PANELS
from prviz.readers.media import ZipPictures
from prviz.readers.paths import PICTURES_VARIABLE
from prviz.samples import SamplePair, Samples
from tests.explore_app import about, ask, healthy, last_word, opened
from tests.picture_builders import BLUE, encrypted, packed, picture, table
from tests.waiting import until

REAL = [f"img/r{i:03}.png" for i in range(60)]
GENERATED = [f"img/g{i:03}.png" for i in range(60)]


@pytest.fixture(autouse=True)
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PICTURES_VARIABLE, raising=False)


def uploads(**files: bytes) -> AppTest:
    """Explore with two tables, and whatever else is uploaded after them."""
    app = opened(n="100")
    app.segmented_control(key="source").set_value("upload").run()
    app.session_state[PANEL_TAB] = PANELS[0]  # Space, where samples have their pictures
    for role, data in files.items():
        add(app, role, f"{role}.{'zip' if role == 'pictures' else 'csv'}", data)
    return app


def add(app: AppTest, role: str, name: str, data: bytes) -> None:
    app.file_uploader(key=f"upload-{role}").upload(name, data).run()
    healthy(app)


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in [*app.caption, *app.warning, *app.error]).replace(
        "\\", ""
    )


def archive(names: list[str]) -> bytes:
    return packed([(f"all/{name}", picture(color=BLUE)) for name in names])


def drawn_samples(app: AppTest) -> dict:
    """The pane of the samples by role, which is the first one."""
    last_word(app)
    return next(
        each["panes"][0] for each in map(_content, app.get("bidi_component")) if _is_samples(each)
    )


def _content(element: object) -> dict:
    raw = element.proto.bytes  # type: ignore[attr-defined]
    return json.loads(raw) if raw[:1] == b"{" else {}


def _is_samples(content: dict) -> bool:
    return any(pane["id"].startswith("samples") for pane in content.get("panes", []))


@pytest.mark.exhaustive
def test_a_zip_shows_pictures_and_says_what_was_found() -> None:
    app = uploads(real=table(REAL, 0), generated=table(GENERATED, 1))
    assert "The `image` or `path` column names pictures" in said(app)
    assert drawn_samples(app)["pictures"] == []
    add(app, "pictures", "pictures.zip", archive([*REAL[:6], *REAL[7:], *GENERATED]))
    assert (
        "real.csv**: 59 of 60 names found in pictures.zip; first missing: row 7, img/r006.png."
        in said(app)
    )
    assert "generated.csv**: 60 of 60 names found in pictures.zip." in said(app)
    pane = drawn_samples(app)
    notes = [text for trace in pane["figure"]["data"] for text in trace.get("hovertext") or []]
    shown = [bool(source) for source in pane["pictures"]]
    assert len(shown) == len(notes) == 60
    assert sum(shown) == 60 - sum("r006" in note for note in notes)
    assert all(re.fullmatch(r"row \d+, image img/[rg]\d{3}\.png", note) for note in notes)


@pytest.mark.exhaustive
def test_a_bad_zip_says_why_and_loses_nothing() -> None:
    app = uploads(
        real=table(REAL, 0), generated=table(GENERATED, 1), pictures=archive(REAL + GENERATED)
    )
    before = drawn_samples(app)["pictures"]
    assert any(before)
    for data, word in (
        (b"no zip", "no zip archive"),
        (encrypted(archive(REAL)), "without a password"),
    ):
        add(app, "pictures", "bad.zip", data)
        assert word in app.error[0].value.replace("\\", "")
        assert "Still used: pictures.zip" in said(app)
        assert "60 real" in about(app)
        assert drawn_samples(app)["pictures"] == before
    next(button for button in app.button if button.label == "Forget the pictures").click().run()
    healthy(app)
    assert drawn_samples(app)["pictures"] == []
    assert "60 real" in about(app)


@pytest.mark.exhaustive
def test_names_that_are_mended_under_the_same_file_name_are_seen() -> None:
    app = uploads(
        real=table(["lost.png"] * 60, 0), generated=table(GENERATED, 1), pictures=archive(REAL)
    )
    assert "0 of 60 names found" in app.warning[0].value
    add(app, "real", "real.csv", table(REAL, 0))
    assert "60 of 60 names found" in said(app)
    notes = [
        text
        for trace in drawn_samples(app)["figure"]["data"]
        for text in trace.get("hovertext") or []
    ]
    assert not [note for note in notes if "lost" in note]


@pytest.mark.exhaustive
def test_without_a_column_of_names_there_is_no_field_for_a_zip() -> None:
    app = uploads(real=table(REAL, 0, "label"), generated=table(GENERATED, 1, "label"))
    assert "60 real" in about(app)
    assert [box.key for box in app.file_uploader] == ["upload-real", "upload-generated"]


@pytest.mark.exhaustive
def test_the_servers_folder_has_what_the_zip_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "img").mkdir()
    for name in GENERATED:
        (tmp_path / name).write_bytes(picture())
    names = ["../secret.png", *REAL[1:]]
    tables = {"real": table(names, 0, "path"), "generated": table(GENERATED, 1, "path")}
    assert "names found" not in said(uploads(**tables))
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    app = uploads(**tables)
    assert "60 of 60 names found in the app's folder" in said(app)
    assert "row 1, '../secret.png': only paths below the app's folder are opened" in app.warning[
        0
    ].value.replace("\\", "")
    add(app, "pictures", "pictures.zip", archive(REAL))
    assert "59 of 60 names found in pictures.zip or the app's folder" in said(app)
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path / "gone"))
    app.run()
    healthy(app)
    assert "is gone" in app.warning[0].value


def uploaded(members: list[tuple[str, bytes]], real: Samples) -> Uploaded:
    held = HeldPictures("zip", (ZipPictures("p.zip", packed(members)),))
    return Uploaded(
        SamplePair(real, real.take(np.arange(real.n))), ("a.csv", "b.csv"), (None, None), (), held
    )


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict:
    state: dict = {}
    monkeypatch.setattr(cache.st, "session_state", state)
    return state


def test_each_row_has_its_picture_its_text_or_its_problem(session: dict) -> None:
    labels = {
        "image": np.array(["a.png", "b.png", "c.png", ""]),
        "text": np.array(["w" * 900, "", "three", "four"]),
    }
    real = Samples(np.zeros((4, 2)), "a.csv", labels)
    given = uploaded([("a.png", picture()), ("b.png", picture()[:60])], real)
    rows = media.shown(real, [3, 0, 1, 2], given)
    assert [row.picture[:14] for row in rows] == ["", "data:image/png", "", ""]
    assert [row.text for row in rows] == ["four", "w" * 299 + "…", "", "three"]
    assert [row.problem for row in rows[:2]] == ["", ""]
    assert rows[2].problem.startswith("b.png: a broken PNG picture")
    assert rows[3].problem == "'c.png': not in 'p.zip'"
    assert [(row.picture, row.problem) for row in media.shown(real, [0, 1], None)] == [("", "")] * 2


def test_small_pictures_are_made_once_and_forgotten_at_last(
    session: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "THUMBNAILS_CAPACITY", 3)
    made = []
    monkeypatch.setattr(media, "thumbnail", lambda data: made.append(data) or "data:")
    names = [f"{i}.png" for i in range(4)]
    real = Samples(np.zeros((4, 2)), "a.csv", {"image": np.array(names)})
    given = uploaded([(name, name.encode()) for name in names], real)
    media.shown(real, [0, 1, 2, 1, 0], given)
    assert len(made) == 3
    media.shown(real, [3, 0], given)
    assert made[3:] == [b"3.png"]
    media.shown(real, [2, 1], given)
    assert made[4:] == [b"2.png", b"1.png"][: len(made) - 4]
    assert len(cache.session().thumbnails) == 3


@pytest.mark.parametrize(
    ("limit", "value", "expected"), [("HOVER_MOST", 7, 7), ("HOVER_BYTES", 1, 1)]
)
def test_hover_has_few_pictures_of_many(
    session: dict, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, expected: int
) -> None:
    monkeypatch.setattr(media, limit, value)
    real = Samples(np.zeros((40, 2)), "a.csv", {"image": np.array([f"{i}.png" for i in range(40)])})
    given = uploaded([(f"{i}.png", picture()) for i in range(40)], real)
    pictures = media.hover_pictures(given.pair, given)
    assert len(pictures) == 80
    assert sum(map(bool, pictures)) == expected
    assert (
        hover_words(pictures)
        == f"Hover a point to see its labels; {expected} of the 80 show their picture too."
    )


@pytest.mark.exhaustive
def test_networks_join_the_encoders_below_the_apps_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "own.onnx").write_bytes(b"nothing")

    def offered() -> list[str]:
        app = opened(source="bundled", problem="mixture-em-1", n="200", panel="Numbers")
        app.session_state["encoders"] = True
        app.run()
        healthy(app)
        return [
            option
            for each in app.multiselect
            if each.key == "encoders-networks"
            for option in each.options
        ]

    assert offered() == []
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    held = ["rapidocr:48"] if RecogniserEncoder.installed() else []
    assert offered() == ["own.onnx", *held]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("problem", "network", "features"),
    [("mixture-em-1", "rapidocr:48", 120), ("shuffled", "wordllama:256", 256)],
)
def test_a_network_of_an_installed_package_is_measured_beside_the_others(
    problem: str, network: str, features: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not any(each.title == network for each in installed_encoders()):
        pytest.skip(f"{network} is not installed")
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    app = opened(source="bundled", problem=problem, n="200", panel="Numbers")
    app.session_state["encoders"] = True
    app.run()
    app.multiselect(key="encoders-networks").set_value([network]).run()

    def areas() -> dict:
        ask(app)
        app.run()
        healthy(app)
        drawn = [
            pane
            for each in map(_content, app.get("bidi_component"))
            for pane in each.get("panes", ())
        ]
        return {
            line["name"]: line
            for pane in drawn
            if pane["id"] == "encoders-areas"
            for line in pane["figure"]["data"]
        }

    until(areas, 120)
    assert areas()[network]["x"][-1] == features


def test_networks_are_not_for_pictures_of_an_upload(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    (tmp_path / "own.onnx").write_bytes(b"nothing")
    samples = Samples(np.eye(3), labels={"image": np.array(["a.png", "b.png", "c.png"])})
    sources = [ZipPictures("z.zip", packed([("a.png", picture(color=BLUE))]))]
    assert networks.choose_networks(samples, sources, "x") == networks.ChosenNetworks()


@pytest.mark.exhaustive
def test_a_table_of_several_lists_and_both_roles_asks_which_once() -> None:
    values = np.random.default_rng(0).normal(size=(60, 3))
    file = io.BytesIO()
    role = ["real", "generated"] * 30
    pd.DataFrame({"clip": list(values), "dino": list(values[:, :2]), "role": role}).to_parquet(file)
    app = uploads()
    add(app, "real", "two.parquet", file.getvalue())

    def asked() -> list[str]:
        return [each.label for each in app.selectbox if each.label.endswith(" rows")]

    assert asked() == ["Real rows", "Generated rows"]
    for side in ("real", "generated"):
        field = next(each for each in app.selectbox if each.label == f"{side.capitalize()} rows")
        assert field.options == [
            f"{name}[role={each}]" for name in ("clip", "dino") for each in ("real", "generated")
        ]
        field.set_value(f"dino[role={side}]").run()
        healthy(app)
    assert asked() == []
    app.run()
    pair = app.session_state["_Session"].uploaded.pair
    np.testing.assert_array_equal(pair.generated.values, values[1::2, :2])
    assert asked() == []
