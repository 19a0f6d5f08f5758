"""Names of Streamlit without a promise: in one file alone, and each page works where they are
gone.
"""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from prviz.server import internals
from tests.browser import ROOT, app_pages

# Submodules of Streamlit that its documentation names.
PUBLIC = {"streamlit.delta_generator", "streamlit.testing.v1"}
SOURCES = [
    ROOT / "app.py",
    *(path for name in ("pages", "prviz") for path in sorted((ROOT / name).rglob("*.py"))),
]


def test_names_without_a_promise_are_in_one_file() -> None:
    for path in SOURCES:
        if "_app" in path.parts or path.name == "internals.py":
            continue
        text = path.read_text(encoding="utf-8")
        imported = set(re.findall(r"(?:from|import) (streamlit\.[\w.]+)", text))
        assert imported <= PUBLIC, path
        # nor is one reached through the package, or a method or function replaced
        assert not re.findall(
            r"\b(?:st|streamlit)\.(?:runtime|web|proto|_[a-z]\w+)|get_script_run_ctx", text
        ), path
        assert not re.findall(r"^\s*(?:st|streamlit)\.[\w.]+ = ", text, re.MULTILINE), path


CONVENIENCES = {
    "session_id": "",
    "run_again": None,
    "is_connected": True,
    "end_session": None,
    "drop_upload": None,
    "use_own_pages": None,
}


@pytest.fixture
def other_streamlit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Streamlit that has none of these names."""

    def gone(*_: object) -> None:
        raise AttributeError("it has another name now")

    monkeypatch.setattr(internals, "_runtime", gone)
    imported = builtins.__import__

    def only_public(name: str, scope: Any = None, *rest: Any, **more: Any) -> Any:
        if name.startswith("streamlit.") and scope is vars(internals):
            raise ImportError(f"there is no {name}")
        return imported(name, scope, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", only_public)


@pytest.mark.usefixtures("other_streamlit")
def test_a_convenience_is_off_where_its_name_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    for name, without in CONVENIENCES.items():
        arguments = {"drop_upload": ("a", "b"), "session_id": (), "use_own_pages": ()}.get(
            name, ("a",)
        )
        assert getattr(internals, name)(*arguments) is without
        getattr(internals, name)(*arguments)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == len(set(said)) <= len(CONVENIENCES)  # once each


@pytest.mark.usefixtures("other_streamlit")
@pytest.mark.parametrize("page", [name for name, *_ in app_pages()])
def test_the_pages_work_without_any_of_them(page: str) -> None:
    app = AppTest.from_file(str(Path(ROOT, "app.py")), default_timeout=60).run()
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert app.title
