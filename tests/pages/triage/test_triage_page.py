"""The page Triage: where its checkpoints come from, what is never opened, and a measurement that
stops and goes on.
"""

from __future__ import annotations

import gc
import io
import math
import pickle
import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._shared import cache
from pages._triage import settings, source, work
from pages._triage.session import KEY
from prviz.readers import ReadError, read
from prviz.readers.bundled import BUNDLED, bundled_path
from prviz.readers.paths import PICTURES_VARIABLE
from prviz.readers.safe_folder import Below, OutsideError
from prviz.triage.inputs import ArrivalWatch, checkpoints_below, checkpoints_of
from prviz.triage.measured import CACHE_VARIABLE
from tests.explore_app import button, choose, data_of, healthy, normal, panes, press, put, said
from tests.file_builders import npz
from tests.lab_app import until_done
from tests.line import measure
from tests.marks import exhaustive, thorough
from tests.triage_app import SLOW, begin, edit, slow_family, table, triage
from tests.waiting import until


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(PICTURES_VARIABLE, raising=False)
    monkeypatch.setattr(work, "AUTO_SECONDS", 0.0)  # the user starts


def npy(seed: int, shift: float = 0.0, n: int = 60) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.random.default_rng(seed).normal(shift, 1.0, size=(n, 3)).astype(np.float32))
    return stream.getvalue()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the app was started with: a reference above a run of two checkpoints; beside
    it a secret.
    """
    (tmp_path / "secret.npy").write_bytes(npy(9))
    folder = tmp_path / "served"
    (folder / "run").mkdir(parents=True)
    (folder / "real.npy").write_bytes(npy(0))
    for step in (9, 10):
        (folder / "run" / f"step-{step}.npy").write_bytes(npy(step, 1.0))
    monkeypatch.setenv(PICTURES_VARIABLE, str(folder))
    return folder


def folder(**query: str):
    return triage(data="folder", folder="run", reference="real.npy", **query)


def add(app: AppTest, field: str, *files: tuple[str, bytes | pd.DataFrame]) -> AppTest:
    """Upload files into a field: "real", "many" or "table-of", which begins its key."""
    box = next(each for each in app.file_uploader if each.key.startswith(f"triage-{field}"))
    given = [(name, data_of(content), "") for name, content in files]
    return healthy(box.set_value(given if field == "many" else given[0]).run())


def uploads(*files: tuple[str, bytes | pd.DataFrame], real: pd.DataFrame | None = None) -> AppTest:
    reference = ("real.npy", npy(0)) if real is None else ("real.csv", real)
    return add(add(triage(data="upload"), "real", reference), "many", *files)


def save(served: Path, name: str, data: bytes) -> None:
    """A file of the run."""
    (served / "run" / name).write_bytes(data)


def measured(app: AppTest) -> AppTest:
    return until_done(begin(app))


def by_name(app: AppTest) -> pd.DataFrame:
    return table(app).set_index("Name")


# ---- bundled checkpoints, and the table ----


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", settings.FAMILIES)
def test_the_bundled_samples_that_are_shown_are_those_that_are_measured(name: str) -> None:
    for each in BUNDLED[name].checkpoints:
        path = bundled_path(each.name)
        shown = settings._load(checkpoints_of(path)[0])
        assert shown.digest == read(path).digest
        assert (shown.images is None) == ("text" in shown.labels)


@exhaustive
def test_bundled_checkpoints_are_measured_named_anew_and_known_to_the_next_session() -> None:
    app = triage(methods="knn,ipr")
    measured(app)
    first = table(app)
    assert list(first["Step"]) == [1, 2, 5, 10, 20, 23]
    areas = [
        prviz.pr_curve(*prviz.readers.bundled.bundled_pair(f"mixture-em-{step}"), "knn").auc
        for step in (1, 20)
    ]
    np.testing.assert_array_equal(first["AuC, kNN"].iloc[[0, 4]], areas)
    assert set(first["State"]) == {"measured"}
    app.session_state[KEY].choice.selected = "EM iteration 1"
    edit(app, 0, Name="first  try", Step=0.5)
    assert table(app).loc[0, ["Name", "Step", "State"]].tolist() == ["first try", 0.5, "measured"]
    assert app.session_state[KEY].choice.selected == "first try"
    needed = "needs a name"
    for name, reason in (("first try", "can't both be called"), ("  ", needed), (None, needed)):
        edit(app, 1, Name=name)
        assert table(app).loc[1, "Name"] == "EM iteration 2"
        assert reason in said(app)
    edit(app, 1, Step=None)
    assert np.isnan(table(app).loc[1, "Step"])
    assert needed not in said(app)
    choose(app, "triage.method", "ipr")
    assert "AuC, iPR" in table(app)
    assert dict(app.query_params) == {
        "set": "mixture",
        "methods": "knn,ipr",
        "part": "Report",
        "chosen": "first try",
    }
    before = table(app)["AuC, iPR"]
    # a family less: what is measured stays
    choose(app, "triage.methods", ["ipr"])
    assert "Done: 6 of 6" in said(app)
    assert (table(app)["AuC, iPR"] >= before).all()  # the bound over both families had cut some
    assert set(table(app)["State"]) == {"measured"}
    choose(app, "triage.methods", ["ipr", "kde"])
    assert "Done: 6 of 6" not in said(app)
    again = measured(triage(methods="knn,ipr"))
    assert set(table(again)["State"]) == {"kept from before"}
    np.testing.assert_array_equal(table(again)["AuC, kNN"], first["AuC, kNN"])


def test_a_bare_address_stays_bare_while_it_shows_the_first_view() -> None:
    """Else Back leads to it twice."""
    app = triage()
    assert dict(app.query_params) == {}
    choose(app, "triage.k", 7)
    assert app.query_params["k"] == "7"


def test_a_link_says_the_settings_and_what_it_can_t_say_is_ignored() -> None:
    link = {"set": "truncation", "methods": "kde,knn", "k": "7", "split": "none", "seed": "5"}
    link["equal"] = "1"
    app = triage(**link)
    assert app.segmented_control(key="triage.set").value == "truncation"
    assert app.number_input(key="triage.k").value == 7
    assert app.toggle(key="triage.equal").value
    assert dict(app.query_params) == link
    app = triage(
        data="elsewhere", set="<b>", methods="no,knn", k="0", split="2", seed="-1", equal="x"
    )
    assert len(app.warning) == 7
    assert dict(app.query_params) == {"set": "mixture"}
    app = triage(methods="random_forest", split="none")
    assert "which is no setting" in app.warning[0].value


def test_a_family_that_needs_a_split_is_refused_without_one() -> None:
    name = next(name for name, each in prviz.ESTIMATORS.items() if each.needs_split)
    app = triage(methods=name)
    put(app, **{"triage.split": None})
    assert "must be measured on samples that it was not fitted on" in app.error[0].value
    assert button(app, "Start") is None


# ---- a run ----


def test_stop_keeps_what_is_there_and_continue_measures_the_rest_alone(served: Path) -> None:
    for step in range(11, 15):
        save(served, f"step-{step}.npy", npy(step))
    with slow_family(after=2) as go:
        app = begin(folder(methods=SLOW))
        while len(table(app).query("State == 'measured'")) < 2:
            app.run()
        assert table(app)["State"].tolist() == ["measured"] * 2 + ["at work"] + ["waits"] * 3
        before = table(app)["AuC, slow"]
        press(app, "Stop")
        assert "2 of 6 checkpoints; stopping" in app.get("progress")[0].proto.text
        go.set()
        until_done(app)
        assert 2 <= sum(table(app)["State"] == "measured") <= 3
        measured(app)
        assert set(table(app)["State"]) == {"measured"}
        assert list(table(app)["AuC, slow"][:2]) == list(before[:2])


@exhaustive
def test_equal_sizes_are_offered_and_cut_to_the_smallest(served: Path) -> None:
    save(served, "step-9.npy", npy(9, n=50))
    app = measured(folder())
    assert "The sets have 50 to 60 samples" in said(app)
    press(app, "Use equal sizes")
    measured(app)
    assert set(table(app)["n"]) == {50}
    assert not app.warning


@exhaustive
def test_results_that_can_t_be_kept_are_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "inside"))
    app = measured(triage())
    assert set(table(app)["State"]) == {"measured"}
    assert "can't be kept there" in app.warning[0].value
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    assert "a folder is needed" in triage().error[0].value.replace("\\", "")


def test_a_page_opens_while_another_thread_makes_a_syntax_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python 3.11 can't make two at once: the page must need none, since measuring reads headers of
    arrays so.
    """

    def refused(*_: object) -> None:
        raise SystemError("AST constructor recursion depth mismatch")

    monkeypatch.setattr("streamlit.runtime.scriptrunner.magic.add_magic", refused)
    assert button(until_done(triage()), "Start") is not None


# ---- below a folder ----


def test_without_a_folder_the_page_says_how_to_start_the_app_on_one() -> None:
    assert "prviz app --data DIR" in triage(data="folder").info[0].value


@thorough
def test_a_folder_with_links_out_of_it_and_addresses_that_lead_out(served: Path) -> None:
    (served / "run" / "stolen.npy").symlink_to(served.parent / "secret.npy")
    (served / "run" / "linked.npy").symlink_to(served / "run" / "step-9.npy")
    (served / "up").symlink_to(served.parent)
    app = folder()
    assert app.selectbox(key="triage.folder").options == ["the folder itself", "run/"]
    assert app.selectbox(key="triage.reference").options[-1] == "real.npy"
    assert "1 of its links lead out of the app's folder" in said(app)
    measured(app)
    assert list(table(app)["Name"]) == ["step-9", "step-10", "linked"]
    # the link has the contents of another
    assert set(table(app)["State"]) == {"measured", "kept from before"}
    for name in ("..", "../", "/", str(served.parent), "up", "run/../.."):
        app = triage(data="folder", folder=name, reference=f"{name}/secret.npy")
        assert app.selectbox(key="triage.folder").value == "run"
        assert app.selectbox(key="triage.reference").value == "real.npy"
        assert len(app.warning) == 2
        assert "secret" not in str(app.selectbox)
    # A link that comes after the folder was looked at leads nowhere either.
    app = folder(k="5")
    (served / "run" / "step-9.npy").unlink()
    (served / "run" / "step-9.npy").symlink_to(served.parent / "secret.npy")
    measured(app)
    row = by_name(app).loc["step-9"]
    assert row["State"].startswith(
        "failed: 'step-9.npy': can't be opened: a link that leads out of the folder"
    )


def test_other_real_samples_are_no_checkpoint_and_refused_where_the_reference_holds_them(
    served: Path,
) -> None:
    save(served, "held.npy", npy(1))
    save(served, "again.npy", npy(0))
    app = folder(holdout="run/held.npy")
    assert "held" not in table(app)["Name"].tolist()
    assert not app.error
    app = folder(holdout="run/again.npy")
    assert "samples are in the reference too; at most 5\u00a0% may be" in app.error[0].value
    spoilt = np.load(served / "run" / "held.npy")
    spoilt[0, 0] = np.nan
    np.save(served / "run" / "held.npy", spoilt)
    app = folder(holdout="run/held.npy")
    assert "NaN" in app.error[0].value
    assert "np.load" in app.code[0].value


def test_what_has_no_step_is_not_drawn_over_steps_and_a_folder_is_said_to_be_watched(
    served: Path,
) -> None:
    app = measured(folder())
    assert "Done: 2 of 2 checkpoints, folder watched." in said(app)
    assert panes(app)["triage-steps"]["title"] == "Score over steps"
    (served / "run" / "step-9.npy").rename(served / "run" / "b.npy")
    app = measured(folder())
    assert panes(app)["triage-steps"]["title"] == "Score of each checkpoint"


@exhaustive
def test_new_files_are_found_by_looking_again_and_what_is_measured_or_chosen_stays(
    served: Path,
) -> None:
    app = measured(folder())
    edit(app, 0, Name="mine")
    app.session_state[KEY].choice.selected = "mine"
    save(served, "step-8.npy", npy(8))
    save(served, "step-10.npy", npy(11))
    app.run()
    assert list(table(app)["State"]) == ["measured"] * 2
    press(app, "Look again")
    assert list(table(app)["Name"]) == ["step-8", "mine", "step-10"]
    until_done(app)  # what was begun goes on
    assert list(table(app)["State"]) == ["measured"] * 3
    assert app.session_state[KEY].choice.selected == "mine"
    assert app.selectbox(key="triage.folder").value == "run"
    assert app.selectbox(key="triage.reference").value == "real.npy"


@exhaustive
def test_a_growing_folder_is_measured_on_and_a_file_that_is_being_written_is_waited_for(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = measured(folder())
    app.session_state[KEY].choice.selected = "step-10"
    whole = npy(11, 1.0)
    save(served, "step-11.npy", whole[:200])
    app.session_state[KEY].arrivals = ArrivalWatch(0.0, below=served)
    for _ in range(3):
        until_done(app.run())
    assert list(table(app)["Name"]) == ["step-9", "step-10"]
    assert "1 not written to the end yet" in said(app)
    save(served, "step-11.npy", whole)
    for _ in range(3):
        until_done(app.run())
    assert list(table(app)["State"]) == ["measured"] * 3
    assert "not written" not in said(app)
    assert app.session_state[KEY].choice.selected == "step-10"
    monkeypatch.setattr(source, "YOUNG", -math.inf)  # one that stays broken is refused in the end
    save(served, "step-12.npy", whole[:200])
    for _ in range(3):
        until_done(app.run())
    assert table(app)["State"].iloc[3].startswith("failed")


def test_a_reference_is_not_guessed_among_the_checkpoints_nor_from_several(served: Path) -> None:
    save(served, "copy_of_ref.npy", npy(1))
    (served / "run" / "notes.txt").write_text("no samples")
    app = triage(data="folder", folder="run")
    assert app.selectbox(key="triage.reference").value == "real.npy"
    assert "1 skipped" in said(app)
    (served / "reference.npy").write_bytes(npy(2))
    assert triage(data="folder", folder="run").selectbox(key="triage.reference").value is None


@exhaustive
def test_sets_of_very_different_sizes_are_cut_by_default(served: Path) -> None:
    save(served, "step-9.npy", npy(9, n=25))
    app = measured(measured(folder()))
    assert set(table(app)["n"]) == {25}
    assert "cut to 25 samples" in said(app)
    choose(app, "triage.equal", False)
    assert set(table(measured(app))["n"]) == {25, 60}


def test_a_table_of_the_folder_says_more_and_a_malformed_one_loses_nothing(served: Path) -> None:
    (served / "run" / "about.csv").write_text("file,step,psi,run\nstep-9.npy,900,0.5,a run\n")
    (served / "run" / "bad.csv").write_text("file,step\nelsewhere.npy,1\n")
    app = folder()
    choose(app, "triage.metadata", "run/about.csv")
    names = ["step-9", "step-10"]
    assert by_name(app).loc[names, "psi"].fillna(-1).tolist() == [0.5, -1]
    assert {each.run for each in app.session_state[KEY].listed.checkpoints} == {"a run", ""}
    choose(app, "triage.metadata", "run/bad.csv")
    assert "names none of the checkpoints" in app.error[0].value
    assert by_name(app).loc["step-9", "Step"] == 900
    assert "bad" not in set(table(app)["Name"])


def test_only_what_is_below_is_listed_opened_or_handed_to_a_worker(served: Path) -> None:
    below = Below(served)
    checkpoints = checkpoints_below(below, [f"run/{name}" for name in below.files("run")[0]])
    assert pickle.loads(pickle.dumps(checkpoints)) == checkpoints
    assert {each.below for each in checkpoints} == {served}
    (served / "away").symlink_to(served.parent)
    assert below.folders() == ["run"]
    for name in ("..", "/", "away", "run/../..", "run\\..\\.."):
        with pytest.raises(OutsideError):
            below.files(name)
    for path in (
        served.parent / "secret.npy",
        served / "away" / "secret.npy",
        Path("../secret.npy"),
    ):
        with pytest.raises(ReadError, match="can't be opened"):
            read(path, below=served)
    assert read(served / "run" / "step-9.npy", below=served).n == 60
    found = below.find("run/step-9.npy")
    (served / "run").rename(served / "moved")
    (served / "run").symlink_to(served / "moved")
    with pytest.raises(OSError, match=r"Not a directory|changed"):
        below.open(found)


# ---- uploads ----


def private(app) -> Path:
    return app.session_state[KEY].uploads.folder.path


def test_hostile_names_stay_in_the_session_s_own_folder(tmp_path: Path) -> None:
    names = [
        "../../evil.npy",
        "a.npy",
        "a.npy",
        "C:\\x\\a.npy",
        "<img src=x>\n.npy",
        "/etc/passwd.npy",
        "é" * 300 + ".npy",
    ]
    app = uploads(*((name, npy(place + 1)) for place, name in enumerate(names)))
    held = private(app)
    assert held.stat().st_mode & 0o077 == 0
    shown = list(table(app)["Name"])
    assert len(set(shown)) == 7
    assert {"evil", "a", "a (2)", "a (3)", "passwd", "_img src=x__"} < set(shown)
    files = [path for path in held.rglob("*") if path.is_file()]
    assert len(files) == 8
    assert not list(tmp_path.rglob("evil*"))
    measured(app)
    assert set(table(app)["State"]) == {"measured"}
    assert dict(app.query_params) == {"data": "upload", "part": "Report"}
    assert not (tmp_path / "cache").exists()
    other = triage(data="upload")
    assert other.session_state[KEY].uploads is None
    press(app, "Forget them")
    # a job that was about to write comes to its end
    until(lambda: gc.collect() is not None and not held.exists())
    assert not app.dataframe


def test_uploads_that_are_forgotten_or_left_for_others_are_nowhere() -> None:
    app = uploads(("a.npy", npy(1)), ("b.npy", npy(2)))  # of two, some can be removed
    held: list[weakref.ref[object]] = []
    for place in range(1, 4):  # a table for each
        held.append(weakref.ref(next(reversed(app.session_state[KEY].runs.values()))[0].reference))
        held.append(weakref.ref(app.session_state[KEY].uploads.folder))
        edit(app, 0, Name=f"b {place}")
        press(app, "Forget them")
        until(lambda: gc.collect() is not None and all(each() is None for each in held))
        add(app, "real", ("real.npy", npy(place)))
        add(app, "many", *[("a.npy", npy(place))] * 2)


@exhaustive
def test_a_failed_upload_has_the_lines_that_convert_it_by_its_own_name() -> None:
    app = uploads(("step-1.npy", npy(1)), ("step-2.npy", data_of(np.zeros((40, 3, 4)))))
    measured(app)
    assert "1 of 2 could not be measured" in app.warning[0].value
    shown = "\n".join(each.value for each in app.code)
    assert "values = np.load('step-2.npy')" in shown, shown
    assert app.warning[0].value.replace("\\", "").endswith(": the lines below do it.")
    assert not any(state.endswith(":") for state in table(app)["State"])


@exhaustive
def test_a_broken_upload_says_why_and_a_table_that_does_not_fit_loses_nothing() -> None:
    app = uploads(("step-1.npy", npy(1)), ("step-2.npy", b"no numbers"), ("step-3.npy", npy(3)))
    measured(app)
    states = list(table(app)["State"])
    assert [state.split(":")[0] for state in states] == ["measured", "failed", "measured"]
    assert "1 of 3 could not be measured" in app.warning[0].value
    assert "Done: 3 of 3 checkpoints, 1 of them failed." in said(app)
    for text in (b"file,step\nstep-1.npy,x\n", b"\xff\xfe\x00", b"file,step\nstep-1.npy,40\n"):
        add(app, "table-of", ("about.csv", text))
        assert list(table(app)["AuC, kNN"].notna()).count(True) == 2
        assert bool(app.error) == (text[-3:] != b"40\n")
    assert by_name(app).loc["step-1", "Step"] == 40
    press(app, "Try them again")
    assert "1 of 3 could not be measured" in until_done(app).warning[0].value
    before = by_name(app)["AuC, kNN"]
    (broken,) = [
        path for path in app.session_state[KEY].uploads.checkpoints if path.name == "step-2.npy"
    ]
    add(app, "table-of", ("about.csv", b"file,step\nstep-1.npy,40\nstep-2.npy,7\n"))
    choose(app, "triage-removed", [broken])
    press(app, "Remove")
    assert not app.warning
    assert not app.error  # the table may speak of what is gone
    assert list(table(app)["Name"]) == ["step-3", "step-1"]
    assert by_name(app)["AuC, kNN"].equals(before[["step-3", "step-1"]])
    assert "Done: 2 of 2" in said(app)
    assert not broken.exists()
    assert not app.button_group(key="triage-removed").value
    add(app, "table-of", ("about.csv", b"file,step\nstep-1,40\nstep-2,7\n"))
    add(app, "many", ("step-2.csv", b"a,b\n1,2\n"))  # another file of this name
    assert not app.error
    assert by_name(app).loc["step-2", "Step"] == 7


@exhaustive
def test_the_array_is_chosen_once_for_all_files() -> None:
    def several(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        return npz(first=rng.normal(size=(60, 3)), second=rng.normal(size=(60, 4)))

    app = uploads(("a.npz", several(1)), ("b.npz", several(2)), ("c.npy", npy(3)))
    measured(app)
    states = [state.split(":")[0] for state in table(app)["State"]]
    assert states == ["failed", "failed", "measured"]
    assert app.selectbox(key="triage.key").options == ["first", "second"]
    choose(app, "triage.key", "first")
    measured(app)
    assert set(table(app)["State"]) == {"measured", "kept from before"}


def test_no_room_for_uploads_is_said(monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("pages._triage.session.MOST_BYTES", len(npy(0)) + 10)
    app = uploads(("a.npy", npy(1)))
    told = app.error[0].value
    assert (
        "can't be kept on this machine: the files of this session may take 858 bytes and 848 bytes"
        " are in use" in told
    )
    assert "Now add the checkpoints." in said(app)
    monkeypatch.setattr("pages._triage.session.MOST_BYTES", 10**9)
    monkeypatch.setattr("pages._triage.session.ALL_BYTES", len(npy(0)) + 10)
    add(app, "many", ("b.npy", npy(2)))
    assert "the files of all visitors may take 858 bytes and " in app.error[0].value
    assert " are in use, 848 bytes of that by this session" in app.error[0].value
    monkeypatch.setattr("pages._triage.session.ALL_BYTES", 10**9)
    monkeypatch.setattr("pages._triage.session.LEAST_FREE", 2**60)
    add(app, "many", ("b.npy", npy(2)))
    assert "stay free" in app.error[0].value
    monkeypatch.undo()
    add(app, "many", ("b.npy", npy(2)))
    assert not app.error


# ---- what takes a part longer ----


def part() -> None:
    """A page with a part that takes a while."""
    import streamlit as st

    from pages._shared import answers

    with answers.waiting():
        found = answers.tab_result(("a part",), 9.0, lambda progress: "made")
    st.write(str(found))


def test_what_takes_a_part_longer_is_measured_by_the_line_and_can_be_stopped() -> None:
    app = AppTest.from_function(part, default_timeout=60).run()
    assert [each.value for each in app.markdown] == ["None"]
    assert measure(app)
    app.run()  # as the line has told
    assert [each.value for each in app.markdown] == ["made"]
    app = AppTest.from_function(part, default_timeout=60)
    app.session_state["_Session"] = held = cache.Session()
    held.stopped["a part",] = "Stopped"
    app.run()
    assert "this was not measured" in app.info[0].value
    assert not measure(app)
    app.button[0].click().run()
    assert measure(app)
    assert healthy(app.run()).markdown[0].value == "made"


def test_half_of_the_bundled_reference_trained_the_generators_as_the_page_says() -> None:
    part = prviz.readers.bundled.bundled_pair("mixture-converged").real.labels["part"]
    assert (np.sum(part == "train"), len(part)) == (898, 1797)
    assert "1,797 digits of 8 x 8 pixels; half of them trained" in said(triage())


@pytest.mark.parametrize(("name", "label"), [("word", "Leave it out"), ("time", "Leave out")])
def test_what_may_be_no_feature_is_left_out_by_a_button(name: str, label: str) -> None:
    column = ["a", "b"] * 30 if name == "word" else normal(1, d=1).ravel()
    frame = pd.DataFrame(normal(0, d=4), columns=list("abcd")).assign(**{name: column})
    app = uploads(("step-1.csv", frame[::-1]), real=frame)
    assert "--drop" not in said(app)
    press(app, label)
    assert not app.error
    assert [each.drop for each in app.session_state[KEY].columns.values()] == [(name,)]


def test_texts_of_a_checkpoint_alone_are_left_out_by_a_button() -> None:
    frame = pd.DataFrame(normal(0, d=4), columns=list("abcd"))
    app = uploads(("step-1.csv", frame[::-1].assign(word=["x", "y"] * 30)), real=frame)
    measure(app)
    app.run()
    assert "'x' is not a number. Leave the column out with the button below" in said(app)
    press(app, "Leave out")
    measure(app)
    assert "could not be measured" not in said(healthy(app.run()))


@pytest.mark.parametrize(
    ("answer", "dropped"), [("Leave them out", True), ("Use them as features", False)]
)
def test_columns_that_look_like_no_features_are_asked_about(answer: str, *, dropped: bool) -> None:
    real, generated = (
        pd.DataFrame(normal(seed, d=4), columns=list("abcd")).assign(
            seed=np.random.default_rng(seed).integers(0, 2**31, 60)
        )
        for seed in (0, 1)
    )
    app = uploads(("step-1.csv", generated), real=real)
    assert "**seed**" in said(app)
    press(app, answer)
    assert "look like no features" not in said(app)
    settings = app.session_state[KEY].columns
    assert [bool(each.drop) for each in settings.values()] == [dropped]
