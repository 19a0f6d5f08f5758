"""Decodes picture files to upright RGB arrays, within the limits for uploads, and cuts out central
squares.
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prviz.arrays import Array
from prviz.readers.media.looks import MediaError, opened_picture

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "WebP", "BMP", "TIFF")
EXTENSIONS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
_WHITE = (255, 255, 255, 255)
# Largest side in pixels, the limit of JPEG; pictures with a longer side are refused.
_LONGEST = 65_535
# Largest number of pixels of a resized picture. Above it, both ends of the longer side are cut off
# before resizing; they lie far from the central square.
_RESIZED = 4096**2
# TIFF tag of the number of stored bands.
_BANDS = 277
# EXIF tag of the orientation.
_ORIENTATION = 0x0112
# Number of bytes of a PNG header up to and including the bit depth.
_HEAD = 25
# First bytes of a TIFF file in both byte orders.
_TIFF = (b"II", b"MM")


@dataclass(frozen=True)
class Picture:
    """A decoded picture: upright, on white where it was transparent.

    bands : one RGB image with 8 bits; or images of floats from 0 to 255: one grey one, or one for
        each of red, green and blue.
    side : shorter side in pixels, before any resizing.
    transparent : True if any part was transparent.
    left_out : number of bands not used.
    """

    bands: tuple[Image.Image, ...]
    side: int
    transparent: bool = False
    left_out: int = 0


def decoded(data: bytes, bits: int | None = None) -> Picture:
    """Decode the picture in the bytes of a file.

    bits : number of bits that the values of 16-bit pictures use; they are then scaled to floats
        from 0 to 255. None: only the upper 8 bits of 16-bit values are kept.

    Raises
    ------
    MediaError : a format not in `FORMATS`, a picture that is too large, broken or animated, or
        values of other than 8 or 16 bits.
    """
    from PIL import Image, ImageOps

    with opened_picture(data, FORMATS) as image:
        _check(image)
        left_out = _left_out(image)
        side = min(image.size)
        if bits is not None and _is_deep(image):
            # Called before Pillow reads the orientation: for a PNG that would load the whole
            # picture.
            values = _deep_values(data, image)
            picture = from_values(values, bits, image.getexif().get(_ORIENTATION, 1))
            return Picture(picture.bands, side, picture.transparent, left_out)
        if image.mode.startswith("I"):  # 16-bit grey
            image = Image.fromarray((np.asarray(image).clip(0, 65535) // 256).astype(np.uint8))
        ImageOps.exif_transpose(image, in_place=True)
        transparent = False
        if image.has_transparency_data:
            if image.mode == "La":
                image = image.convert("LA")
            image, transparent = _over_white(image.convert("RGBA"))
        image.load()
        return Picture(
            (image if image.mode == "RGB" else image.convert("RGB"),), side, transparent, left_out
        )


def from_values(values: Array, bits: int | None, orientation: int = 1) -> Picture:
    """The picture of an array (height, width) or (height, width, 1, 3 or 4) with 8 or 16 bits; a
    fourth channel is alpha.

    Raises MediaError for a value that needs more than ``bits`` bits.
    """
    from PIL import Image, ImageOps

    side = min(values.shape[:2])
    if values.shape[2:] == (1,):
        values = values[..., 0]
    if values.dtype == np.uint8:
        image = Image.fromarray(np.ascontiguousarray(values))
        if image.mode != "RGBA":
            return Picture((image.convert("RGB"),), side)
        image, transparent = _over_white(image)
        return Picture((image.convert("RGB"),), side, transparent)
    greatest = 2 ** (bits or 16) - 1
    colours = values[..., :3] if values.ndim == 3 else values
    if (most := int(colours.max())) > greatest:
        raise MediaError(
            f"a value of {most}, more than {bits} bits hold; state --bits {most.bit_length()}."
        )
    scaled = colours.astype(np.float32) * np.float32(255) / np.float32(greatest)
    transparent = False
    if values.shape[2:] == (4,):
        alpha = values[..., 3:].astype(np.float32) / np.float32(65535)
        transparent = bool((alpha < 1).any())
        scaled = scaled * alpha + 255 * (1 - alpha)
    bands = [scaled] if scaled.ndim == 2 else [scaled[..., band] for band in range(3)]
    images = [Image.fromarray(np.ascontiguousarray(band)) for band in bands]
    for image in images:
        if orientation != 1:
            image.getexif()[_ORIENTATION] = orientation
            ImageOps.exif_transpose(image, in_place=True)
    return Picture(tuple(images), side, transparent)


def largest_value(data: bytes) -> int | None:
    """Largest value of a 16-bit picture in the bytes of a file; None for any other contents,
    including broken files.
    """
    if not may_be_deep(data[:_HEAD]):
        return None
    try:
        with opened_picture(data, FORMATS) as image:
            if not _is_deep(image):
                return None
            values = _deep_values(data, image)
            return int(values[..., :3].max() if values.ndim == 3 else values.max())
    except MediaError:
        return None  # decoding the picture reports the error


def may_be_deep(head: bytes) -> bool:
    """False if the first 25 bytes of a file rule out 16 bits per value."""
    return head[:2] in _TIFF or (head[1:4] == b"PNG" and head[24:25] == b"\x10")


def _check(image: Any) -> None:
    """Raise MediaError for an opened picture with several frames, too long a side, 32 bits per
    value, or negative values.
    """
    if getattr(image, "is_animated", False) and image.format != "MPO":
        frames = getattr(image, "n_frames", 2)
        if image.format == "TIFF":
            raise MediaError(f"{frames} pages; save one picture a file.")
        raise MediaError(f"animated ({frames} frames); save one frame.")
    if max(image.size) > _LONGEST:
        width, height = image.size
        raise MediaError(
            f"{width:,} x {height:,} pixels; a side of at most {_LONGEST:,} is accepted."
        )
    if image.mode == "F":
        raise MediaError("32 bits a value; save it with 8 or 16 bits.")
    if image.mode == "I":
        least, most = image.getextrema()
        if int(most) > 65535:
            raise MediaError("32 bits a value; save it with 8 or 16 bits.")
        if int(least) < 0:
            raise MediaError(f"values from {least}; save them shifted, so that they begin at 0.")


def _over_white(image: Image.Image) -> tuple[Image.Image, bool]:
    """The image on a white background, and a flag: True if any part was transparent."""
    from PIL import Image

    least, _ = image.getchannel("A").getextrema()
    white = Image.new("RGBA", image.size, _WHITE)
    return Image.alpha_composite(white, image), int(least) < 255  # type: ignore[arg-type]


def _left_out(image: Image.Image) -> int:
    """Number of bands of a TIFF picture that Pillow does not read."""
    if image.format != "TIFF":
        return 0
    stored = int(getattr(image, "tag_v2", {}).get(_BANDS, 1))
    return max(0, stored - len(image.getbands()))


def _rawmode(tile: Any) -> str:
    """Pillow's name for the storage of a tile of a picture, such as "RGB;16B"."""
    return str(tile.args[0] if isinstance(tile.args, tuple) else tile.args)


def _is_deep(image: Any) -> bool:
    """True if an opened picture, not yet loaded, has 16 bits per value."""
    if image.mode.startswith("I"):
        return True
    return bool(image.tile) and ";16" in _rawmode(image.tile[0]) and image.mode in ("RGB", "RGBA")


def _deep_values(data: bytes, image: Any) -> Array:
    """Values of a 16-bit picture, (height, width) or (height, width, 3 or 4).

    Of colours Pillow keeps only the upper byte of each value. The lower bytes come from a second
    read in which Pillow is told the opposite byte order.
    """
    from PIL import Image

    if image.mode.startswith("I"):
        return np.asarray(image).astype(np.uint16)
    stored = _rawmode(image.tile[0])
    name, _, order = stored.partition(";16")
    if order == "N":
        order = "L" if sys.byteorder == "little" else "B"
    again = Image.open(io.BytesIO(data), formats=[image.format])
    # 16-bit grey with alpha. Pillow is told that its four bytes per pixel are 8-bit RGBA: R and G
    # are then the upper and lower byte of grey, B and A those of alpha.
    if name == "LA":
        parts = np.asarray(_as_stored(again, "RGBA")).astype(np.uint16)
        grey, alpha = (parts[..., at] * 256 + parts[..., at + 1] for at in (0, 2))
        return np.stack([grey, grey, grey, alpha], axis=-1)
    if name not in ("RGB", "RGBX", "RGBA") or order not in ("B", "L"):
        raise MediaError(
            f"16 bits a value, stored as {stored}; save it as grey or RGB, with or without alpha."
        )
    lower = np.asarray(_as_stored(again, f"{name};16{'L' if order == 'B' else 'B'}")).astype(
        np.uint16
    )
    return np.asarray(image).astype(np.uint16) * 256 + lower


def _as_stored(image: Any, rawmode: str) -> Any:
    """The image, not yet loaded, set to decode its tiles with another raw mode."""
    image.tile = [
        tile._replace(args=(rawmode, *tile.args[1:]) if isinstance(tile.args, tuple) else rawmode)
        for tile in image.tile
    ]
    return image


def narrowed(image: Image.Image, resize: int) -> Image.Image:
    """Cut off both ends of an image's longer side if resizing its shorter side to ``resize`` pixels
    would take too much memory.
    """
    short = min(image.size)
    most = max(4, _RESIZED // resize**2) * short
    left, top = (max(0, side - most) // 2 for side in image.size)
    if left or top:
        return image.crop((left, top, image.width - left, image.height - top))
    return image


@dataclass(frozen=True)
class SquareTransform:
    """Resizes the shorter side to ``resize`` pixels, then cuts out the central square of ``size``
    pixels.

    interpolation : bilinear, bicubic or lanczos, as in Pillow, with antialiasing.
    """

    size: int
    resize: int
    interpolation: str = "bicubic"

    def __call__(self, picture: Picture) -> Array:
        """Array (size, size, 3) of uint8, or of floats from 0 to 255 if the picture has floats."""
        squares = [self.square(band) for band in picture.bands]
        if squares[0].ndim == 3:
            return squares[0]
        return np.stack(squares * 3 if len(squares) == 1 else squares, axis=-1).clip(0, 255)

    def square(self, image: Image.Image) -> Array:
        """The resized central square of one image."""
        from PIL import Image

        image = narrowed(image, self.resize)
        scale = self.resize / min(image.size)
        width, height = (max(self.resize, round(side * scale)) for side in image.size)
        if image.size != (width, height):
            image = image.resize((width, height), Image.Resampling[self.interpolation.upper()])
        left = (width - self.size) // 2
        top = (height - self.size) // 2
        return np.asarray(image)[top : top + self.size, left : left + self.size]

    def described(self) -> str:
        """The transform in words, for the metadata of the file of features."""
        return (
            f"upright, transparency over white, RGB, shorter side to {self.resize}"
            f" ({self.interpolation}), central {self.size} x {self.size}"
        )
