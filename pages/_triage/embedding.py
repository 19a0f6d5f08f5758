"""Form that embeds folders of pictures below the app's folder.

The features are written to a folder there that is named after the encoder.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import streamlit as st

from pages._live.follow import follow
from pages._shared import work_box
from pages._shared.networks import local_encoders
from pages._shared.widgets import plain, say_refusal
from pages._triage.session import FOLDER, REFERENCE, FolderListing, session
from pages._work.embedding_run import EmbeddingRequest, EmbeddingRun
from prviz.embed.local_encoders import LocalEncoder

# Encoders that need no file: title; name and default of the number in the encoder's name, such as
# the seed in "random:0".
_NUMBERED = {
    "pixels": ("Pixels", "Side", 32),
    "random": ("Random network", "Seed", 0),
    "pca": ("Principal components of pixels", "Components", 50),
}


def draw(listing: FolderListing) -> None:
    """Draw the form and its progress, if there are folders of pictures.

    Once a run is complete, the folder of its new files becomes the chosen one.
    """
    run = session().embedding
    if run is not None and run.complete:
        _take(run)
    if not listing.pictures:
        return
    working = _is_working()
    with st.expander(
        "Embed folders of pictures",
        icon=":material/imagesmode:",
        expanded=working or not any(listing.files.values()),
    ):
        request = _form(listing, disabled=working)
        run = session().embedding

        def state() -> Hashable:
            if run is not None:
                run.touch()
            return run and (run.working, run.stopping, run.text)

        follow(
            "embedding",
            partial(_progress, listing, request, working),
            state,
            lambda: work_box.PAUSE if _is_working() else None,
        )
    if session().embedded:
        st.warning(
            "\n".join(f"- {plain(each)}" for each in session().embedded),
            icon=":material/broken_image:",
        )


def _form(listing: FolderListing, *, disabled: bool) -> EmbeddingRequest | None:
    """Draw the choice of folders and encoder; returns None while no folder of real pictures is
    chosen.
    """
    real_column, generated_column = st.columns([1, 2])
    real = real_column.selectbox(
        "Real",
        listing.pictures,
        index=None,
        key="embed-real",
        placeholder="Choose a folder",
        disabled=disabled,
        persist_state="session",
    )
    generated = generated_column.multiselect(
        "Generated",
        [each for each in listing.pictures if each != real],
        key="embed-generated",
        placeholder="Choose folders",
        disabled=disabled,
        persist_state="session",
    )
    known: dict[str, LocalEncoder | str] = {
        title: prefix for prefix, (title, *_) in _NUMBERED.items()
    }
    networks = local_encoders(str(listing.served))
    known |= {each.title: each for each in networks if each.takes == "pictures"}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = known[
            st.selectbox(
                "Encoder",
                list(known),
                key="embed-encoder",
                help=(
                    "Also networks below the app's folder: NAME.onnx with NAME.toml, or weights"
                    " named after their timm network. `prviz embed --list` says what each needs."
                ),
                disabled=disabled,
                persist_state="session",
            )
        ]
        if isinstance(chosen, str):
            _, title, first = _NUMBERED[chosen]
            number = st.number_input(
                title,
                0,
                value=first,
                key=f"embed-{chosen}",
                disabled=disabled,
                persist_state="session",
            )
            chosen = LocalEncoder(f"{chosen}:{number}")
    if real is None:
        return None
    return EmbeddingRequest((real, *generated), chosen)


def _progress(listing: FolderListing, request: EmbeddingRequest | None, working: bool) -> None:
    """Draw the button that starts the run; while it runs, its progress and a Stop button; and why
    the last run has failed, if it has.

    Draws the whole page again when a run starts or ends.
    """
    run = session().embedding
    if run is not None and run.working:
        run.touch()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Stop",
                key="embed-stop",
                icon=":material/stop:",
                on_click=run.stop,
                disabled=run.stopping,
            )
            st.progress(run.share, plain(run.text))
    else:
        own = None
        if run is not None and run.request == request:
            own = run
        st.button(
            "Continue" if own is not None and own.done else "Embed",
            key="embed",
            icon=":material/play_arrow:",
            disabled=request is None,
            on_click=_start,
            args=(listing, request),
        )
        if own is not None and own.error is not None:
            reason = work_box.error_text(own.error).replace(f"{listing.below.root}/", "")
            say_refusal(plain(reason))
    if working != _is_working():
        st.rerun()


def _is_working() -> bool:
    run = session().embedding
    return run is not None and run.working


def _start(listing: FolderListing, request: EmbeddingRequest) -> None:
    """Callback: start embedding, or continue a stopped run of the same request."""
    held = session()
    if held.embedding is None or held.embedding.request != request:
        held.embedding = EmbeddingRun(listing.below, request)
    held.embedded = []
    held.embedding.start()


def _take(run: EmbeddingRun) -> None:
    """Choose the folder of a run's new files, after listing the app's folder again."""
    held = session()
    request = run.request
    held.embedding = None
    held.embedded = run.left_out
    held.listing = None
    if held.embedded:
        st.toast(
            "  \n".join(map(plain, held.embedded)), icon=":material/broken_image:", duration="long"
        )
    st.session_state[FOLDER] = request.out
    st.session_state[REFERENCE] = (
        f"{request.out}/{request.folders[0].replace('/', '-')}.samples.parquet"
    )
    st.rerun()
