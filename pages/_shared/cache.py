"""State of one browser session that its pages share, except the values of widgets: the uploaded
pair, and stores of results with limits on their size.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._live.route import BAGS
from pages._work.task_runs import held_runs
from prviz.live import store
from prviz.live.need import Need
from prviz.live.problems import Uploaded
from prviz.live.results import Answer
from prviz.readers.columns import SHARED, ColumnChoice
from prviz.readers.media import ZipPictures
from prviz.recent import LeastRecentlyUsed

T = TypeVar("T")

# Limits of a session's stores: thumbnails in entries and bytes, background runs in entries and
# rows. `prviz.live.store` has the limits of other stores.
THUMBNAILS_CAPACITY = 2000
THUMBNAILS_BYTES = 32_000_000
RUNS_CAPACITY = 16
RUNS_ROWS = 50_000


@dataclass(eq=False)
class Session(store.Stores):
    """State of one browser session that its pages share, with the session's stores of results.

    leave_for : the page to change to in the next run of the whole page. addresses : by the path of
    a page, the query of its address, for links to the page. followed : by name, the choice in the
    address that the page follows. columns : the user's choice of columns for uploaded files.
    public : stores of toys and bundled sets. uploaded : the uploaded pair that was last read.
    emptied : how often the upload fields were emptied. replaced_files : the files in the fields
    when the user asked to replace them. pictures : id and content of the zip of pictures last read.
    shown : the last final results that Explore has shown. waited_for : the result for which the
    open part waits, as of the page's last run. drawing : True while the whole open part is drawn,
    not only a fragment of it.
    stopped : by key of a result, why it is not measured: the user has stopped it, or it has failed.
    progress : container for the progress bar. viewer : the session's id as a viewer of background
    runs.
    left_runs : keys of runs that this session has stopped.
    """

    public: store.Stores = field(default_factory=lambda: store.Stores(beyond=store.PUBLIC))
    leave_for: str | None = None
    addresses: dict[str, dict[str, str]] = field(default_factory=dict)
    followed: dict[str, str | None] = field(default_factory=dict)
    uploaded: Uploaded | None = None
    emptied: int = 0
    replaced_files: tuple[str | None, ...] | None = None
    columns: ColumnChoice = SHARED
    pictures: tuple[str, ZipPictures | None] = ("", None)
    shown: Answer | None = None
    waited_for: Need[Any] | None = None
    drawing: bool = False
    progress: DeltaGenerator | None = None
    viewer: str = field(default_factory=secrets.token_hex)
    left_runs: set[Hashable] = field(default_factory=set)
    stopped: dict[Hashable, str] = field(default_factory=dict)
    thumbnails: LeastRecentlyUsed = field(
        default_factory=lambda: LeastRecentlyUsed(THUMBNAILS_CAPACITY, THUMBNAILS_BYTES)
    )
    # Background runs that measure this session's own data.
    runs: LeastRecentlyUsed = field(default_factory=lambda: held_runs(RUNS_CAPACITY, RUNS_ROWS))

    def clear(self) -> None:
        """Remove everything read or computed in this session."""
        self.waited_for = None
        super().clear()
        self.public.clear()
        self.thumbnails.clear()
        self.runs.clear()


def of_session(kind: type[T]) -> T:
    """The session's one object of this class. The first call in a session creates it, without
    arguments.
    """
    key = f"_{kind.__name__}"
    if key not in st.session_state:
        st.session_state[key] = kind()
        if hasattr(kind, "clear"):
            st.session_state.setdefault(BAGS, []).append(st.session_state[key])
    held: T = st.session_state[key]
    return held


def session() -> Session:
    return of_session(Session)


def remembered(key: Hashable, compute: Callable[[], T]) -> T:
    """The session's stored result for this key. If there is none, `compute` makes it, and it is
    stored.
    """
    return session().results.remembered(key, compute)


def held_samples(key: Hashable, make: Callable[[], T]) -> T:
    """The session's stored samples for this key. If there are none, `make` makes them, and they are
    stored. The newest two are always kept, however large they are.
    """
    return session().samples.remembered(key, make)


def note_address(path: str) -> None:
    """Note the query of this page's address, so that a link to the page opens the same address.

    A page that writes a query after it was opened without one adds an entry to the browser's
    history, from which Back leads to the page again.
    """
    session().addresses[path] = st.query_params.to_dict()


def follow_address(name: str, options: Sequence[str]) -> str:
    """Choose the option that the address names, the first if it names none: when the page opens,
    and when Back has changed the address.

    Streamlit's own binding of widgets to the address adds entries to the history when the visitor
    leaves the page. name : the parameter in the address. It is also the widget's key, and returned.
    """
    asked = st.query_params.get(name)
    if name not in st.session_state or asked != session().followed.get(name):
        st.session_state[name] = asked if asked in options else options[0]
    return name


def write_choice(
    path: str, name: str, chosen: str, first: str, *, query: dict[str, str] | None = None
) -> None:
    """Write a choice into the address of this page, which does not name the first option.

    query : the rest of the address; by default what it has already.
    """
    if query is None:
        query = st.query_params.to_dict()
    query.pop(name, None)
    if chosen != st.query_params.get(name, first):
        if chosen != first:
            query[name] = chosen
        st.query_params.from_dict(query)
    session().followed[name] = st.query_params.get(name)
    note_address(path)


def wish_page(page: str) -> None:
    """Request a change to this page, which the next run of the whole page carries out. For
    callbacks.
    """
    session().leave_for = page


def page_wished() -> bool:
    """True if a change of the page was requested."""
    return session().leave_for is not None


def leave_page() -> None:
    """Change to the page that `wish_page` has requested, if it has."""
    held = session()
    page = held.leave_for
    held.leave_for = None
    if page is not None:
        st.switch_page(page)
