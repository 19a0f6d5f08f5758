"""Pictures and texts of uploads on Explore: from a zip, from the server's folder, or a word why
not.
"""

from __future__ import annotations

import io
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
from tests.explore_app import (
    about,
    ask,
    choose,
    healthy,
    last_word,
    opened,
    panes,
    press,
    put,
    said,
    traces,
    upload,
    uploads,
)
from tests.marks import exhaustive
from tests.picture_builders import BLUE, encrypted, packed, picture, table
from tests.waiting import until

REAL = [f"img/r{i:03}.png" for i in range(60)]
GENERATED = [f"img/g{i:03}.png" for i in range(60)]


@pytest.fixture(autouse=True)
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PICTURES_VARIABLE, raising=False)


def with_files(**files: bytes) -> AppTest:
    """Explore with two tables, and whatever else is uploaded after them."""
    app = uploads()
    app.session_state[PANEL_TAB] = PANELS[0]  # Space, where samples have their pictures
    for role, data in files.items():
        upload(app, role, f"{role}.{'zip' if role == 'pictures' else 'csv'}", data)
    return app


def archive(names: list[str]) -> bytes:
    return packed([(f"all/{name}", picture(color=BLUE)) for name in names])


def drawn_samples(app: AppTest) -> dict:
    """The pane of the samples by role."""
    last_word(app)
    return next(pane for name, pane in panes(app).items() if name.startswith("samples"))


def notes(pane: dict) -> list[str]:
    return [text for trace in pane["figure"]["data"] for text in trace.get("hovertext") or []]


@exhaustive
def test_a_zip_shows_pictures_and_says_what_was_found() -> None:
    app = with_files(real=table(REAL, 0), generated=table(GENERATED, 1))
    assert "The `image` or `path` column names pictures" in said(app)
    assert drawn_samples(app)["pictures"] == []
    upload(app, "pictures", "pictures.zip", archive([*REAL[:6], *REAL[7:], *GENERATED]))
    assert (
        "real.csv**: 59 of 60 names found in pictures.zip; first missing: row 7, img/r006.png."
        in said(app)
    )
    assert "generated.csv**: 60 of 60 names found in pictures.zip." in said(app)
    pane = drawn_samples(app)
    shown = [bool(source) for source in pane["pictures"]]
    assert len(shown) == len(notes(pane)) == 60
    assert sum(shown) == 60 - sum("r006" in note for note in notes(pane))
    assert all(re.fullmatch(r"row \d+, image img/[rg]\d{3}\.png", note) for note in notes(pane))


@exhaustive
def test_a_bad_zip_says_why_and_loses_nothing() -> None:
    app = with_files(
        real=table(REAL, 0), generated=table(GENERATED, 1), pictures=archive(REAL + GENERATED)
    )
    before = drawn_samples(app)["pictures"]
    assert any(before)
    for data, word in (
        (b"no zip", "no zip archive"),
        (encrypted(archive(REAL)), "without a password"),
    ):
        upload(app, "pictures", "bad.zip", data)
        assert word in app.error[0].value.replace("\\", "")
        assert "Still used: pictures.zip" in said(app)
        assert "60 real" in about(app)
        assert drawn_samples(app)["pictures"] == before
    press(app, "Forget the pictures")
    assert drawn_samples(app)["pictures"] == []
    assert "60 real" in about(app)


@exhaustive
def test_names_that_are_mended_under_the_same_file_name_are_seen() -> None:
    app = with_files(
        real=table(["lost.png"] * 60, 0), generated=table(GENERATED, 1), pictures=archive(REAL)
    )
    assert "0 of 60 names found" in app.warning[0].value
    upload(app, "real", "real.csv", table(REAL, 0))
    assert "60 of 60 names found" in said(app)
    assert "lost" not in "".join(notes(drawn_samples(app)))


@exhaustive
def test_without_a_column_of_names_there_is_no_field_for_a_zip() -> None:
    app = with_files(real=table(REAL, 0, "label"), generated=table(GENERATED, 1, "label"))
    assert "60 real" in about(app)
    assert [box.key for box in app.file_uploader] == ["upload-real", "upload-generated"]


@exhaustive
def test_the_servers_folder_has_what_the_zip_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "img").mkdir()
    for name in GENERATED:
        (tmp_path / name).write_bytes(picture())
    names = ["../secret.png", *REAL[1:]]
    tables = {"real": table(names, 0, "path"), "generated": table(GENERATED, 1, "path")}
    assert "names found" not in said(with_files(**tables))
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    app = with_files(**tables)
    assert "60 of 60 names found in the app's folder" in said(app)
    assert "row 1, '../secret.png': only paths below the app's folder are opened" in app.warning[
        0
    ].value.replace("\\", "")
    upload(app, "pictures", "pictures.zip", archive(REAL))
    assert "59 of 60 names found in pictures.zip or the app's folder" in said(app)
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path / "gone"))
    healthy(app.run())
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


@exhaustive
def test_networks_join_the_encoders_below_the_apps_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "own.onnx").write_bytes(b"nothing")

    def offered() -> list[str]:
        app = opened(source="bundled", problem="mixture-em-1", n="200", panel="Numbers")
        put(app, encoders=True)
        networks = (each for each in app.multiselect if each.key == "encoders-networks")
        return [option for each in networks for option in each.options]

    assert offered() == []
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    held = ["rapidocr:48"] if RecogniserEncoder.installed() else []
    assert offered() == ["own.onnx", *held]


@exhaustive
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
    put(app, encoders=True)
    choose(app, "encoders-networks", [network])

    def areas() -> dict:
        ask(app)
        healthy(app.run())
        pane = panes(app).get("encoders-areas")
        return {} if pane is None else traces(pane)

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


@exhaustive
def test_a_table_of_several_lists_and_both_roles_asks_which_once() -> None:
    values = np.random.default_rng(0).normal(size=(60, 3))
    file = io.BytesIO()
    role = ["real", "generated"] * 30
    pd.DataFrame({"clip": list(values), "dino": list(values[:, :2]), "role": role}).to_parquet(file)
    app = uploads()
    upload(app, "real", "two.parquet", file.getvalue())

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
