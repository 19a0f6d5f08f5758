"""Folders of pictures below the app's folder, embedded into a folder there that is named after the encoder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages._shared.text import plain
from pages._triage.session import FOLDER, REFERENCE, session
from prviz.embed.base import EmbeddingEncoder, EncoderOptions
from prviz.embed.registered import ENCODERS, load_encoder, written
from prviz.embed.run import embed
from prviz.embed.sources import open_source
from prviz.neighbors.threads import available_threads
from prviz.readers.safe_folder import Below

if TYPE_CHECKING:
    from pages._triage.folder import FolderListing

# First value of an encoder's number, behind the colon.
_FIRST = {"pixels": 32, "random": 0, "pca": 50}


def draw(listing: FolderListing) -> None:
    """Draw the form, where there are folders of pictures; it ends with the new files' folder chosen."""
    if not listing.pictures:
        return
    with st.expander(
        "Embed folders of pictures", icon=":material/imagesmode:", expanded=not any(listing.files.values())
    ):
        real = st.selectbox("Real", listing.pictures, index=None, key="embed-real", placeholder="Choose a folder")
        others = [each for each in listing.pictures if each != real]
        generated = st.multiselect("Generated", others, key="embed-generated", placeholder="Choose folders")
        name, weights = _encoder(listing)
        if st.button("Embed", key="embed", icon=":material/play_arrow:", disabled=real is None or name is None):
            try:
                session().embedded = _embed(listing.below, [str(real), *generated], str(name), weights)
            except (ValueError, OSError) as error:
                st.error(plain(str(error).replace(f"{listing.below.root}/", "")), icon=":material/block:")
            else:
                session().listing = None
                st.session_state[FOLDER] = folder_of(str(name))
                st.session_state[REFERENCE] = f"{folder_of(str(name))}/{Path(str(real)).name}.samples.parquet"
                st.rerun()
        if session().embedded:
            st.warning("\n".join(f"- {plain(each)}" for each in session().embedded), icon=":material/broken_image:")


def _encoder(listing: FolderListing) -> tuple[str | None, str]:
    """Draw the choice among the installed encoders; returns one as `prviz embed` takes it, and its file of weights."""
    known = {written(each): each for each in ENCODERS if each.takes == "pictures" and each.installed()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = known[
            st.selectbox("Encoder", list(known), key="embed-encoder", help="`prviz embed --list` says more of each.")
        ]
        if not chosen.prefix:
            file: str | None = st.selectbox("Network", listing.networks, index=None, key="embed-network")
            return file, ""
        if chosen.prefix in _FIRST:
            number = st.number_input(chosen.argument, 0, value=_FIRST[chosen.prefix], key=f"embed-{chosen.prefix}")
            return f"{chosen.prefix}:{number}", ""
        text = st.text_input(chosen.argument, key=f"embed-{chosen.prefix}")
        weights = st.text_input("Weights", key="embed-weights", placeholder="file below the app's folder")
        return (f"{chosen.prefix}:{text}" if text else None), weights


def folder_of(encoder: str) -> str:
    """Folder of an encoder's files: its name, with - for what a name can't hold, never that of a network's file."""
    encoder = encoder.replace(".onnx", "-onnx")
    return "".join(each if each.isalnum() or each in "._-" else "-" for each in encoder).lstrip(".")


def _embed(below: Below, folders: list[str], encoder: str, weights: str) -> list[str]:
    """Embed every folder, the first of them to fit what is fitted; returns lines on what was left out."""
    network, left_out = _loaded(below, encoder, weights), list[str]()
    out = below.root / folder_of(encoder)
    out.mkdir(exist_ok=True)
    if out.resolve() != out:
        raise ValueError(f"{out.name} leads out of the app's folder; remove that link")
    bar = st.progress(0.0)
    with ThreadPoolExecutor(available_threads()) as executor:
        for place, folder in enumerate(folders):

            def show(share: float, place: int = place, folder: str = folder) -> None:
                bar.progress((place + share) / len(folders), f"Embedding {plain(folder)}")

            show(0.0)
            found = embed(
                open_source(below.root / folder, below=below.root),
                network,
                out / f"{folder.replace('/', '-')}.safetensors",
                skip_bad=True,
                executor=executor,
                progress=show,
            )
            for name, why in list(found.bad.items())[:1]:
                left_out.append(f"{folder}: {len(found.bad)} left out, the first {name}: {why}")
    return left_out


def _loaded(below: Below, encoder: str, weights: str) -> EmbeddingEncoder:
    """The encoder; a network's file, its TOML file and weights are only opened below the app's folder."""
    if not encoder.endswith(".onnx"):
        return load_encoder(encoder, EncoderOptions(weights=below.find(weights) if weights else None))
    file = below.find(encoder)
    beside = Path(encoder).with_suffix(".toml").as_posix()
    if (below.root / beside).exists() and below.find(beside) != file.with_suffix(".toml"):
        raise ValueError(f"{beside} is a link; put the file itself beside the network")
    return load_encoder(str(file), EncoderOptions())
