"""A short film of changing curves as an animated GIF for slides, drawn without a browser."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from prviz.arrays import Points
from prviz.curves import NamedCurves, PRCurve
from prviz.figures import theme
from prviz.figures.labels import Line, place_labels
from prviz.figures.svg import INK, RULE, SOFT
from prviz.neighbors.threads import Progress

# Pixels: width and height of the picture, side of its square plot, and distance of the plot from
# the left and the top edge. Everything is drawn SMOOTH times as large and then shrunk, which
# smooths the lines.
WIDTH = 640
HEIGHT = 700
SIDE = 550
LEFT = 66
TOP = 84
SMOOTH = 2
END = 1.02  # upper end of both axes
CORNER = np.array([LEFT, TOP], dtype=float)
SIZE = 17  # height of a curve name's letters in pixels
# Milliseconds that all frames but the last share equally, within LEAST_MS and MOST_MS per frame.
FILM_MS = 8000
# Least milliseconds per frame.
LEAST_MS = 120
# Most milliseconds per frame.
MOST_MS = 700
# Milliseconds of the last frame.
LAST_MS = 2500
COLOURS = 96  # colours of the palette: few, for small files, but enough for smooth lines
# With ``accumulate``, curves of earlier frames are mixed with this share of white.
PALE = 0.7


class Frame(NamedTuple):
    """One frame: its curves by name, and its label.

    limit : True if the curves are limits for infinitely many samples, which are dotted.
    """

    curves: NamedCurves
    label: str
    limit: bool = False


def gif(
    frames: Sequence[Frame],
    *,
    title: str,
    subtitle: str = "",
    truth: PRCurve | None = None,
    accumulate: bool = False,
    progress: Progress = lambda _: None,
) -> bytes:
    """An animated GIF of the frames; it repeats for ever and shows the last frame longer.

    Parameters
    ----------
    frames : at least one frame, in order.
    title, subtitle : plain text above the plot; text too long for one line is cut.
    truth : the true curve, drawn dashed in every frame, or None.
    accumulate : True to keep the curves of earlier frames visible, in paler colours.
    progress : called with the share done; may raise to stop.

    Raises
    ------
    ValueError
        No frame.
    """
    if not frames:
        raise ValueError("a film needs at least one frame: nothing is measured yet")
    color = theme.colors(dict.fromkeys(name for frame in frames for name in frame.curves))
    pictures = []
    before = list[NamedCurves]()
    for index, frame in enumerate(frames):
        progress(index / len(frames))
        pictures.append(
            _picture(frame, before if accumulate else [], title, subtitle, truth, color)
        )
        before.append(frame.curves)
    # All frames share one palette: with a palette per frame the colour of a curve would change.
    palette = pictures[-1].quantize(COLOURS)
    drawn = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    each = min(max(FILM_MS // len(frames), LEAST_MS), MOST_MS)
    held = io.BytesIO()
    times = [each] * (len(frames) - 1) + [LAST_MS]
    drawn[0].save(
        held, "GIF", save_all=True, append_images=drawn[1:], duration=times, loop=0, disposal=1
    )
    return held.getvalue()


def _picture(
    frame: Frame,
    before: Sequence[NamedCurves],
    title: str,
    subtitle: str,
    truth: PRCurve | None,
    color: Mapping[str, str],
) -> Image.Image:
    picture = Image.new("RGB", (WIDTH * SMOOTH, HEIGHT * SMOOTH), "white")
    draw = ImageDraw.Draw(picture)
    _axes(draw)
    _text(draw, _short(title, 22, WIDTH - 150), (20, 16), 22, INK)
    _text(draw, _short(subtitle, 13, WIDTH - 40), (20, 48), 13, SOFT)
    _text(draw, frame.label, (WIDTH - 20, 16), 22, INK, anchor="ra")
    lines = {}
    for curves in before:
        for name, curve in curves.items():
            draw.line(_flat(_points(curve)), fill=_pale(color[name]), width=SMOOTH)
    for name, curve in frame.curves.items():
        lines[name] = Line(_points(curve), theme.title(name))
        _stroke(draw, lines[name].points, color[name], 2.2, (2, 4) if frame.limit else None)
    if truth is not None:
        lines[theme.TRUTH_LABEL] = Line(_points(truth), theme.TRUTH_LABEL)
        _stroke(draw, lines[theme.TRUTH_LABEL].points, INK, 2.6, (8, 6))
    for name, (box, _) in place_labels(lines, (SIDE, SIDE), SIZE).items():
        corner = tuple(box[:2] + CORNER)
        _text(draw, lines[name].text, corner, SIZE, color.get(name, INK), stroke=2)
    return picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _points(curve: PRCurve) -> Points:
    """Points of a curve in pixels from the top left corner of the plot."""
    _, precision, recall = curve.sample(200)
    return SIDE * np.column_stack([recall / END, 1 - precision / END])


def _flat(points: Points) -> list[float]:
    flat: list[float] = (SMOOTH * (points + CORNER)).ravel().tolist()
    return flat


def _stroke(
    draw: ImageDraw.ImageDraw,
    points: Points,
    color: str,
    width: float,
    dash: tuple[int, int] | None,
) -> None:
    """Draw a line.

    dash : lengths in pixels of dashes and of gaps; None for a solid line.
    """
    thick = round(width * SMOOTH)
    if dash is None:
        draw.line(_flat(points), fill=color, width=thick, joint="curve")
        return
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    for start in np.arange(0.0, length[-1], sum(dash)).tolist():
        end = min(start + dash[0], float(length[-1]))
        inner = length[(length > start) & (length < end)]
        at = np.concatenate([[start], inner, [end]])
        part = np.column_stack([np.interp(at, length, side) for side in points.T])
        draw.line(_flat(part), fill=color, width=thick)


def _pale(color: str) -> str:
    levels = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(level + PALE * (255 - level)):02X}" for level in levels)


def _axes(draw: ImageDraw.ImageDraw) -> None:
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x = SIDE * tick / END
        y = SIDE * (1 - tick / END)
        for ends in ([[x, 0], [x, SIDE]], [[0, y], [SIDE, y]]):
            draw.line(_flat(np.array(ends)), fill=RULE, width=SMOOTH)
        _text(draw, f"{tick:g}", (LEFT + x, TOP + SIDE + 8), 14, SOFT, anchor="ma")
        _text(draw, f"{tick:g}", (LEFT - 8, TOP + y), 14, SOFT, anchor="rm")
    _text(draw, "recall", (LEFT + SIDE / 2, TOP + SIDE + 30), 16, INK, anchor="ma")
    _text(draw, "precision", (LEFT - 46, TOP - 20), 16, INK)


def _text(
    draw: ImageDraw.ImageDraw,
    text: str,
    at: tuple[float, float],
    size: int,
    color: str,
    *,
    anchor: str = "la",
    stroke: int = 0,
) -> None:
    draw.text(
        (at[0] * SMOOTH, at[1] * SMOOTH),
        text,
        color,
        _font(size * SMOOTH),
        anchor=anchor,
        stroke_width=stroke * SMOOTH,
        stroke_fill="white",
    )


def _short(text: str, size: int, room: float) -> str:
    """The text in one line; a text longer than `room` pixels ends in "…"."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    font = _font(size * SMOOTH)
    while line and font.getlength(line) > room * SMOOTH:
        line = line[:-2].rstrip(" …") + "…"
    return line


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that all exported figures have; Pillow's default font if its FreeType can't read
    compressed fonts.
    """
    try:
        data = io.BytesIO(files("prviz.figures").joinpath("font/prviz-sans.woff2").read_bytes())
        font = ImageFont.truetype(data, size)
        font.set_variation_by_axes([600])
    except OSError:
        return ImageFont.load_default(size)
    return font
