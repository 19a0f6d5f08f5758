"""The part of Triage that asks whether the winner depends on the encoder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from prviz.embed.base import EmbeddingEncoder
from prviz.embed.encoders.recogniser import RecogniserEncoder
from prviz.embed.encoders.word_vectors import WordVectorEncoder
from prviz.readers.paths import PICTURES_VARIABLE
from prviz.triage.measured import TriageSettings
from tests.explore_app import panes
from tests.triage_app import part, settled
from tests.triage_found import bundled_found


def test_the_winner_and_its_places_by_encoder() -> None:
    names = ("mixture-em-1", "mixture-em-20", "truncation-0.0")
    found = bundled_found(names, TriageSettings(seed=3), n=300)
    app = part("encoders", found)
    assert (
        app.markdown[0].value.replace("\\", "")
        == "**The winner does not depend on the encoder: mixture-em-20 is best in all 10 "
        "readings.**"
    )
    (pane,) = panes(app).values()
    grey = [each for each in pane["figure"]["data"] if "127" in each["line"]["color"]]
    assert {each["name"] for each in grey} == {"mixture-em-1", "truncation-0.0"}
    table = app.dataframe[0].value
    assert table["features"].tolist() == [4, 16, 64, 4, 16, 64, 256, 4, 16, 32]
    assert table["encoder"].tolist()[-3:] == ["character recogniser"] * 3
    assert (table["place of mixture-em-20"] == 1).all()
    assert np.unique(table.filter(like="place of").to_numpy(), axis=1).shape == (10, 3)
    assert (
        part("encoders", replace(found, outcomes=())).info[0].value
        == "No checkpoint is measured by this family yet."
    )


@pytest.mark.parametrize(
    ("network", "names"),
    [
        (RecogniserEncoder, ("mixture-em-1", "mixture-em-20")),
        (WordVectorEncoder, ("topics-1", "topics-6")),
    ],
)
def test_a_network_of_a_package_joins(
    network: type[EmbeddingEncoder],
    names: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not network.installed():
        pytest.skip(f"{network.needs} is not installed")
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    app = part("encoders", bundled_found(names, TriageSettings(seed=3), n=200))
    (choice,) = app.multiselect
    (title,) = choice.options
    assert title.startswith(f"{network.prefix}:")
    settled(choice.set_value([title]).run())
    table = app.dataframe[0].value
    own = table[table["encoder"] == title]
    assert own["features"].tolist() == [4, 16, 64, 120 if network is RecogniserEncoder else 256]
    assert (own[f"place of {names[1]}"] == 1).all()
