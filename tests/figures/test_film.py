"""A film is a valid animation with a frame for each stop."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest
from PIL import Image

from prviz.curves import PRCurve
from prviz.figures import film

CURVES = [PRCurve.from_error_rates([0.0, share, 0.5], [0.6, 0.2, 0.0]) for share in (0.1, 0.2, 0.3)]
FRAMES = [film.Frame({"knn": curve}, f"n = {index}") for index, curve in enumerate(CURVES)]


def _pictures(data: bytes) -> list[np.ndarray]:
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.format == "GIF"
        found = []
        for index in range(getattr(picture, "n_frames", 1)):
            picture.seek(index)
            found.append(np.asarray(picture.convert("RGB"), dtype=int))
    return found


def test_a_film_has_a_frame_for_each_stop_and_no_two_alike() -> None:
    pictures = _pictures(film.gif(FRAMES, title="A pair", subtitle="k = 5", truth=CURVES[0]))
    assert len(pictures) == 3
    assert all((one != other).any() for one, other in itertools.pairwise(pictures))


@pytest.mark.exhaustive
def test_curves_of_the_draws_before_stay_pale() -> None:
    alone, all_of_them = (
        _pictures(film.gif(FRAMES, title="A pair", accumulate=accumulate))[-1]
        for accumulate in (False, True)
    )
    inked = [(picture.sum(axis=2) < 700).sum() for picture in (alone, all_of_them)]
    assert inked[1] > inked[0]


def test_a_film_without_a_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one frame"):
        film.gif([], title="A pair")
