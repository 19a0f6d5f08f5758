"""Networks that are files on the app's machine, as encoders for texts and for pictures on that
machine. There are none unless the app was started with a folder.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import streamlit as st

from prviz.embed.base import EmbeddingEncoder
from prviz.embed.lens import has_pictures, has_texts
from prviz.embed.local_encoders import LocalEncoder, encoders_below, installed_encoders
from prviz.readers.media import Pictures, ZipPictures
from prviz.readers.paths import served_folder
from prviz.readers.safe_folder import Below
from prviz.samples import Samples

# Seconds for which the list of networks is cached.
_HOLDS = 30


@dataclass(frozen=True)
class ChosenNetworks:
    """The networks that the user has chosen. key : names and states of the networks' files, as a
    part of cache keys. load : loads the networks; callable from any thread.
    """

    key: Hashable = ()
    count: int = 0
    load: Callable[[], list[EmbeddingEncoder]] = list


def choose_networks(samples: Samples, sources: Sequence[Pictures], key: str) -> ChosenNetworks:
    """Draw the choice of networks for the samples' texts and pictures. Only pictures that are
    bundled or in the app's folder can be embedded, never uploaded ones.
    """
    served = served_folder()
    uploaded = any(isinstance(each, ZipPictures) for each in sources)
    kinds = {
        "pictures": has_pictures(samples, sources) and not uploaded,
        "texts": has_texts(samples),
    }
    if served is None or not any(kinds.values()):
        return ChosenNetworks()
    try:
        below = Below(served)
        known = {each.title: each for each in local_encoders(str(served)) if kinds[each.takes]}
    except (OSError, RuntimeError, ValueError):  # raised if the app's folder is gone
        return ChosenNetworks()
    if not known and kinds["pictures"]:
        st.caption(
            "To add a network, put NAME.onnx and NAME.toml, or weights named after their timm"
            " network, into the app's folder; `prviz embed --list` says what each needs."
        )
    if not known:
        return ChosenNetworks()
    titles = st.multiselect(
        "Add networks of this computer",
        list(known),
        key=key,
        placeholder="None",
        persist_state="session",
    )
    chosen = [known[title] for title in titles if title in known]
    signed = tuple((each.title, each.signature(below)) for each in chosen)
    return ChosenNetworks(signed, len(chosen), lambda: [each.load(below) for each in chosen])


@st.cache_data(ttl=_HOLDS, show_spinner="Looking for networks")
def local_encoders(served: str) -> list[LocalEncoder]:
    """The networks that can run here: those in the app's folder and those of installed packages."""
    return [*encoders_below(Below(served)), *installed_encoders()]
