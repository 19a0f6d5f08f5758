"""Limits of uploads, their removal, and the files that a killed server leaves behind."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest

from prviz.cli.main import main
from prviz.server import private_folders, sessions
from prviz.server.uploads import Uploads, uploads
from tests.browser import AppServer, address, app_pages, running_app
from tests.raw_client import Visitor, asked, held_bytes
from tests.waiting import until

# The app with a small budget, which checks for closed sessions all the time.
SMALL = """
import sys
from prviz.cli.main import main
from prviz.server import sessions, uploads
uploads.SESSION_BYTES, sessions.LOOK_SECONDS = 3_000_000, 0.05
sys.exit(main())
"""
KILLED = """
import os, signal
from prviz.server.private_folders import PrivateFolder
folder = PrivateFolder()
(folder.path / "file").write_text("x")
(folder.path / "link").symlink_to({outside!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
SIZE = 1_200_128  # bytes of a file, of which a session may have two and all sessions three


def npy(seed: int) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.random.default_rng(seed).normal(size=(300, 1000)).astype(np.float32))
    assert stream.tell() == SIZE
    return stream.getvalue()


def killed(outside: Path) -> None:
    """A process that has a private folder and is killed."""
    subprocess.run(
        [sys.executable, "-c", KILLED.format(outside=str(outside))], check=False, timeout=60
    )


def serve(folder: Path) -> None:
    """Two runs of checkpoints below a folder, and files named alike."""
    for name in ("real", "early/0", "early/1", "run/real", "run/1", "run/2", "run/3"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        values = np.random.default_rng(len(name)).normal(
            name.startswith("run") / 2, 1.0, size=(60, 3)
        )
        np.save(folder / f"{name}.npy", values)


def folders() -> list[str]:
    """The private folders of this test's processes."""
    return sorted(path.name for path in Path(os.environ["TMPDIR"]).glob("prviz-private-*"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app with room for 4 MB of uploads, 3 MB of a session's, started after another one was
    killed.
    """
    folder = tmp_path_factory.mktemp("server")
    (folder / "temporary").mkdir()
    (folder / "outside").mkdir()
    (folder / "outside" / "kept").write_text("x")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRVIZ_CACHE", str(folder / "cache"))
        patch.setenv("TMPDIR", str(folder / "temporary"))
        patch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "1")
        killed(folder / "outside")
        assert len(folders()) == 1
        serve(folder / "served")
        command = [sys.executable, "-c", SMALL]
        options = ["--upload-budget", "4MB", "--data", str(folder / "served")]
        with running_app(folder / "log", command=command, options=options) as running:
            assert folders() == []
            yield running
        assert folders() == []
        assert "Traceback" not in (folder / "log").read_text(encoding="utf-8")
    assert (folder / "outside" / "kept").exists()


def refusal(visitor: Visitor) -> str:
    """Text of the page on refused uploads."""
    visitor.run()
    return "".join(text for text in visitor.texts("Alert") if "Not taken" in text)


def put(visitor: Visitor, name: str) -> int:
    """Upload a file that no field has asked for, so that the server keeps it; the HTTP status."""
    return visitor.send(
        "PUT", f"/_stcore/upload_file/{visitor.session}/{name}", f"<b>{name}</b>.npy", npy(0)
    )


def test_nobody_removes_or_adds_files_of_another_visitor(server: AppServer) -> None:
    with (
        Visitor(server.url, "triage", "data=upload") as owner,
        Visitor(server.url, "learn") as stranger,
    ):
        for each in (owner, stranger):
            each.run()
        until(lambda: put(owner, "mine") == 204)
        # the first of these tests: Streamlit keeps the files of visitors who have left for a while
        until(lambda: held_bytes(server.url).get("UploadedFileManager") == SIZE)
        path = f"/_stcore/upload_file/{owner.session}/"
        for method, name, status in (
            ("DELETE", "mine", 403),
            ("PUT", "other", 403),
            ("DELETE", "other", 403),
        ):
            assert stranger.send(method, path + name, "a.npy", b"x" * 5000) == status
        for method in ("DELETE", "PUT"):
            assert stranger.send(method, "/_stcore/upload_file/nobody/mine", "a.npy", b"x") == 404
        assert held_bytes(server.url)["UploadedFileManager"] == SIZE
        assert owner.send("DELETE", f"{path}mine") == 204
        until(lambda: "UploadedFileManager" not in held_bytes(server.url))


def test_a_session_has_a_budget_and_the_page_says_what_was_refused(server: AppServer) -> None:
    with Visitor(server.url, "triage", "data=upload") as visitor:
        visitor.run()
        assert visitor.upload("triage-real-0", {"real.npy": npy(0)}) == [204]
        assert [put(visitor, str(place)) for place in range(11)] == [204, 204, *[507] * 9]
        until(lambda: "and 4 more" in refusal(visitor))
        told = refusal(visitor)
        assert told.startswith(r"**Not taken: \<b\>2\</b\>\.npy \(1\.1 MiB\), ")
        assert "may hold 2\\.9 MiB in memory at a time, and 2\\.3 MiB were in use" in told
        # the figure follows with a delay
        until(lambda: held_bytes(server.url).get("UploadedFileManager") == 2 * SIZE)
        assert any("reference **real\\.npy**" in text for text in visitor.texts("Markdown"))

        def dismissed() -> bool:
            visitor.press("refused-dismiss")  # again where the page was being drawn for a refusal
            return not refusal(visitor)

        until(dismissed)


def test_all_sessions_have_a_budget_which_a_closed_one_gives_back(server: AppServer) -> None:
    with Visitor(server.url, "triage", "data=upload") as other:
        with Visitor(server.url, "triage", "data=upload") as visitor:
            for each in (visitor, other):
                each.run()
            # as soon as the sessions of the tests before are closed
            until(lambda: put(visitor, "1") == 204 and put(visitor, "2") == 204)
            until(lambda: put(other, "1") == 204)
            assert put(other, "2") == 507
            until(lambda: "all visitors may hold 3\\.8 MiB" in refusal(other))
            assert "3\\.4 MiB were in use, 1\\.1 MiB of that by this session" in refusal(other)
        until(lambda: put(other, "2") == 204)
        assert refusal(other)
        other.upload("triage-many-0", {"<b>2</b>.npy": b"what was refused, after all"})
        until(lambda: not refusal(other))


@pytest.mark.exhaustive
def test_the_page_is_drawn_again_for_a_refusal(server: AppServer) -> None:
    with Visitor(server.url, "triage", "data=upload") as visitor:
        visitor.run()
        assert (
            visitor.send(
                "PUT", f"/_stcore/upload_file/{visitor.session}/1", "a.npy", bytes(3_100_000)
            )
            == 507
        )
        visitor.read()  # what the server sends by itself
        assert any("Not taken" in text for text in visitor.texts("Alert"))
        assert visitor.texts("Heading")[0] == "Triage"


@pytest.mark.exhaustive
def test_files_that_triage_puts_away_take_no_memory_and_go_with_the_session(
    server: AppServer,
) -> None:
    with Visitor(server.url, "triage", "data=upload") as visitor:
        visitor.run()
        assert visitor.upload("triage-real-0", {"real.npy": npy(0)}) == [204]
        for place in range(4):
            assert visitor.upload(f"triage-many-{place}", {f"step-{place}.npy": npy(place)}) == [
                204
            ]
        assert any("4 checkpoints" in text for text in visitor.texts("Markdown"))
        files = list(Path(os.environ["TMPDIR"]).glob("prviz-private-*/*/files/*/step-*.npy"))
        assert len(files) == 4
    until(lambda: not any(path.exists() for path in files))


def test_an_upload_of_no_known_length_is_refused(server: AppServer) -> None:
    with Visitor(server.url) as visitor:
        visitor.run()
        address = f"/_stcore/upload_file/{visitor.session}/1"
        assert visitor.send("PUT", address, "a.npy", b"x", chunked=True) == 411
        assert (
            visitor.send("PUT", "/_stcore/upload_file/nobody/1", "a.npy", bytes(3_100_000)) == 404
        )
        assert uploads.refused() is None


def test_a_server_that_ends_closes_what_streamlit_has_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "0")
    slow = SMALL.replace("0.05", "600")
    with running_app(tmp_path / "log", command=[sys.executable, "-c", slow]) as server:
        for _ in range(3):
            with Visitor(server.url, "learn") as visitor:
                visitor.run()
        metrics = "/_stcore/metrics?families=active_sessions"
        until(lambda: "active_sessions 0" in asked(server.url, metrics, ("Host", "localhost"))[2])
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "Exception ignored" not in log
    assert "Traceback" not in log


# ---- what a visitor has chosen, where the files or numbers that it is labelled by change ----


def pick(visitor: Visitor, key: str, which: str) -> None:
    """Choose the first option of the field with this beginning of its label."""
    label = next(each for each in visitor.widget(key).options if each.startswith(which))
    visitor.put(key, string_value=label)


def measured(visitor: Visitor, count: int) -> None:
    """Short work starts by itself."""
    done = f"Done: {count} of {count} checkpoints"
    until(lambda: visitor.run() or any(text.startswith(done) for text in visitor.texts("Markdown")))


@pytest.mark.exhaustive
def test_looking_again_at_a_folder_with_a_new_file_and_going_on_keeps_folder_reference_and_results(
    server: AppServer,
) -> None:
    with Visitor(server.url, "triage", "data=folder&folder=early&reference=real.npy") as visitor:
        visitor.run()
        pick(visitor, "triage.folder", "run")
        pick(visitor, "triage.reference", "real")
        measured(visitor, 4)
        new = server.log.parent / "served" / "run" / "4.npy"
        np.save(new, np.zeros((60, 3)) + np.arange(60)[:, None])
        visitor.press("triage-look")
        assert "folder=run" in visitor.query
        measured(visitor, 5)
        assert "folder=run&reference=real.npy" in visitor.query
        new.unlink()


def test_another_folder_with_a_file_named_like_the_reference_does_not_change_the_reference(
    server: AppServer,
) -> None:
    with Visitor(server.url, "triage", "data=folder&folder=early") as visitor:
        visitor.run()
        pick(visitor, "triage.folder", "the folder")
        pick(visitor, "triage.reference", "real")
        pick(visitor, "triage.folder", "run")
        visitor.press("triage-look")
        assert "folder=run&reference=real.npy" in visitor.query


# ---- hostile words ----

NASTY = (
    *("x" * 100_000, "9" * 100_000, "\x00\x1b[2J\r\n", "<img src=x onerror=alert(1)>", "1e999"),
    *(
        "[x](javascript:alert(1))",
        "$$ :red[x] {0}%n",
        "\u202e\u2066½٣💥",
        "",
        "1," * 50_000,
        "../../etc",
    ),
)
ADDRESSES = {
    "": (
        "source",
        "problem",
        "methods",
        "n",
        "k",
        "bandwidth",
        "split",
        "lam",
        "seed",
        "repeats",
        "p.d",
        "p.means",
    ),
    "triage": ("data", "set", "folder", "reference", "methods", "k", "split", "seed", "equal"),
    "learn": ("step", "q", "moved"),
    "bias_lab": ("section", "experiment"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", [address(name).strip("/") for name, *_ in app_pages()])
def test_a_hostile_address_opens_a_page_that_works(server: AppServer, page: str) -> None:
    garbled = "%ED%A0%80=%00&=&%&k=%FF" + "&k=1" * 5000
    for query in (
        *(urlencode(dict.fromkeys(ADDRESSES.get(page, ()), nasty)) for nasty in NASTY[:5]),
        garbled,
    ):
        with Visitor(server.url, page, query) as visitor:
            visitor.run()
            assert visitor.texts("Exception") == []
            assert visitor.texts("Heading")


@pytest.mark.exhaustive
def test_hostile_words_in_a_field_are_refused_in_words(server: AppServer) -> None:
    fields = [
        ("bias_lab", "section=Sweep", "sweep.dims", "string_array_value"),
        (
            "bias_lab",
            "section=Sweep",
            "sweep.problems",
            "string_array_value",
        ),  # no option of the field
        ("bias_lab", "section=Data+like+yours", "stand-in.ks", "string_array_value"),
        (
            "triage",
            "data=folder&folder=run&reference=real.npy",
            "triage.methods",
            "string_array_value",
        ),
    ]
    for page, query, key, kind in fields:
        with Visitor(server.url, page, query) as visitor:
            visitor.run()
            for nasty in NASTY:
                visitor.put(key, **{kind: [nasty] if "array" in kind else nasty})
                assert visitor.texts("Exception") == []
                assert all(len(text) < 1000 for text in visitor.texts("Alert"))


@pytest.mark.exhaustive
def test_numbers_that_no_slider_sends_change_nothing(server: AppServer) -> None:
    with Visitor(server.url, query="n=50") as visitor:
        visitor.run()
        assert visitor.ask({"k": NASTY[0]})[0] == 413
        for nasty in (*NASTY[2:4], [], {}, True, -1, 1e308, 10**400, float("nan")):
            for names in (("k",), ("bandwidth",), ("angle",), ("hidden", "n", "seed")):
                status, answer = visitor.ask(dict.fromkeys(names, nasty))
                assert (status, answer[-1]["kind"]) == (200, "done")
        visitor.run()
        assert visitor.texts("Exception") == []


def test_a_question_that_is_none_is_refused(server: AppServer) -> None:
    with Visitor(server.url, query="n=50") as visitor:
        visitor.run()
        for nasty in ("x", None, [], {}, -1, 0, 1e308, float("inf"), float("nan")):
            assert visitor.ask({}, q=nasty)[0] == 400
            assert visitor.ask({}, of=nasty)[0] == 200


@pytest.mark.exhaustive
def test_the_server_ends_at_once_while_it_answers(tmp_path: Path) -> None:
    with (
        running_app(tmp_path / "log") as server,
        Visitor(server.url, query="n=20000&repeats=20") as visitor,
    ):
        visitor.run()
        with contextlib.closing(visitor.begin({"seed": 5})) as answer:
            server.process.terminate()
            assert server.process.wait(timeout=15) == 0
            assert json.loads(answer.read().splitlines()[-1])["kind"] == "gone"


def test_a_visitor_who_has_left_is_not_answered(server: AppServer) -> None:
    with Visitor(server.url, query="n=50") as visitor:
        visitor.run()
        assert visitor.ask({"k": 3})[0] == 200
    until(lambda: visitor.ask({"k": 4})[0] == 410)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(private_folders, "_own", None)
    return tmp_path


def test_only_folders_of_processes_that_are_gone_are_removed(temporary: Path) -> None:
    killed(temporary)
    (gone,) = temporary.iterdir()
    held = private_folders.PrivateFolder()
    (held.path / "file").write_text("1234")
    assert private_folders.private_bytes() == 4
    others = {
        name: temporary / f"prviz-private-{name}"
        for name in ("unlocked", "open", "link", "file", "locklink")
    }
    for name in ("unlocked", "open", "locklink"):
        others[name].mkdir(mode=0o700)
    (others["open"] / "lock").touch()
    others["open"].chmod(0o755)
    (others["locklink"] / "lock").symlink_to(gone / "lock")
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "lock").touch()
    others["link"].symlink_to(elsewhere)
    others["file"].touch()
    private_folders.remove_abandoned()
    assert not gone.exists()
    assert set(temporary.iterdir()) == {held.path.parent, elsewhere, *others.values()}
    assert (elsewhere / "lock").exists()
    assert (held.path / "file").exists()
    private_folders.remove_own()
    assert not held.path.parent.exists()
    assert private_folders.PrivateFolder().path.parent.is_dir()
    private_folders.remove_own()


def test_a_folder_goes_with_what_held_it(temporary: Path) -> None:
    folder = private_folders.PrivateFolder()
    path = folder.path
    assert path.is_dir()
    del folder
    assert not path.exists()
    private_folders.remove_own()


@pytest.mark.exhaustive
def test_connections_send_each_part_of_an_answer_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sessions.send_at_once()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


@pytest.mark.parametrize(
    ("installed", "works"),
    [("1.60.9", False), ("1.61.0", True), ("1.99.0rc1", True), ("2.0.0", False), ("0.9", False)],
)
def test_another_streamlit_is_named_with_the_command_that_mends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], installed: str, works: bool
) -> None:
    monkeypatch.setattr(sessions, "version", lambda _: installed)
    needed = next(
        line.strip(' ",')
        for line in Path("pyproject.toml").read_text().splitlines()
        if "streamlit>=" in line
    )
    if works:
        assert sessions.wrong_streamlit() is None
        return
    assert main(["app", "--no-browser"]) == 1
    line = capsys.readouterr().err
    assert line.startswith(
        f"prviz: error: the app needs {needed}, and {installed} is installed; run: "
    )
    assert shlex.split(line.partition("run: ")[2]) == [
        sys.executable,
        "-m",
        "pip",
        "install",
        needed,
    ]


def test_an_upload_counts_until_it_is_removed_or_its_session_ends() -> None:
    held = Uploads()
    held.most = 100
    assert held.begin("a", "1", 60) is None
    assert "60 bytes were in use" in str(held.begin("b", "1", 60))
    held.end("a", "1")
    assert held.begin("b", "1", 60) is None
    held.forget("b")
    assert held.begin("a", "2", 100) is None


def test_a_session_is_emptied_once_its_visitor_has_stayed_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = sessions.Sessions()
    emptied = list[str]()
    connected = {"back"}
    monkeypatch.setattr(sessions.internals, "is_connected", connected.__contains__)
    ended: list[str] = []
    monkeypatch.setattr(sessions.internals, "end_session", ended.append)
    monkeypatch.setattr(sessions.time, "monotonic", lambda: 100.0)
    for name in ("here", "left", "back"):
        held.opened(name, "cookie", lambda name=name: emptied.append(name))
    held.left("left")
    held.left("back")  # and connected anew, but has asked for nothing yet
    held.close_left(109.0, 10.0)
    assert not emptied
    held.close_left(110.0, 10.0)
    assert emptied == ended == ["left"]
    assert uploads.owners.keys() >= {"here", "back"}
    assert "left" not in uploads.owners
    connected.clear()
    held.close_left(119.5, 10.0)  # counted from when it was last seen
    assert emptied == ["left"]
    held.close_all()
    assert sorted(emptied) == ["back", "here", "left"]


def test_what_a_visitor_holds_while_the_server_warms_up_is_collected_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = sessions.Sessions()
    monkeypatch.setattr(sessions, "sessions", held)
    frozen: list[bool] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    held.opened("here", None, lambda: None)
    sessions._warm(lambda: None)
    assert not frozen
    monkeypatch.setattr(sessions, "sessions", sessions.Sessions())
    sessions._warm(lambda: None)
    assert frozen


# A server for everybody, warm: what a first visit needs is known after as much as others like.
WARM = """
import asyncio
import gc
import app
from prviz.live import needs
from prviz.live.problems import problem_of
from prviz.live.store import PUBLIC, Stores
from prviz.reports.settings import FIRST_VIEW

async def serve():
    async with app.options["lifespan"](None):
        while not gc.get_freeze_count():
            await asyncio.sleep(0.05)

asyncio.run(serve())
for store in (PUBLIC.results, PUBLIC.samples, PUBLIC.profiles):
    for other in range(100):
        store.put(other, other)
visitor = Stores(beyond=PUBLIC)
first = problem_of(FIRST_VIEW, stores=visitor)
print([(need.kind, need.known) for need in needs.needs(first)])
print(first.draw(0)[0] is problem_of(FIRST_VIEW, stores=PUBLIC).draw(0)[0])
print(gc.get_freeze_count() > 10 * len(gc.get_objects()))
"""


def test_a_server_for_everybody_holds_the_first_view_whatever_others_look_at() -> None:
    environment = {**os.environ, "PRVIZ_PUBLIC": "1", "STREAMLIT_SERVER_HEADLESS": "true"}
    done = subprocess.run(
        [sys.executable, "-c", WARM], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == [
        "[('curves', True), ('frames', True)]",
        "True",
        "True",
    ], done.stderr
