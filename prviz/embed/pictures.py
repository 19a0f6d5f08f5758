"""Picture files to square uint8 arrays of red, green and blue, under the same limits as for uploads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prviz.readers.media.looks import MediaError, opened_picture

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "WebP", "BMP", "TIFF")
EXTENSIONS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
_WHITE = (255, 255, 255, 255)


def decoded(data: bytes) -> Image.Image:
    """The picture in red, green and blue, upright by its EXIF orientation, transparent parts over white.

    Raises
    ------
    MediaError : none of `FORMATS`, too large, broken, animated, or of values that are no 8 or 16 bits.
    """
    from PIL import Image, ImageOps

    with opened_picture(data, FORMATS) as image:
        if getattr(image, "is_animated", False) and image.format != "MPO":
            raise MediaError(f"animated ({getattr(image, 'n_frames', 2)} frames); save one frame.")
        if image.mode == "F" or (image.mode == "I" and max(map(abs, image.getextrema())) > 65535):  # type: ignore[arg-type]
            raise MediaError("32 bits a value; save it with 8 or 16 bits.")
        if image.mode.startswith("I"):  # 16 bits of grey
            image = Image.fromarray((np.asarray(image).clip(0, 65535) // 256).astype(np.uint8))
        ImageOps.exif_transpose(image, in_place=True)
        if image.has_transparency_data:
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, _WHITE), image)
        image.load()
        return image if image.mode == "RGB" else image.convert("RGB")


@dataclass(frozen=True)
class SquareTransform:
    """Shorter side to ``resize`` pixels, then the central square of ``size`` pixels.

    interpolation : bilinear, bicubic or lanczos; of Pillow, with antialiasing.
    """

    size: int
    resize: int
    interpolation: str = "bicubic"

    def __call__(self, data: bytes) -> NDArray[Any]:
        """Array of shape (size, size, 3), uint8. Raises MediaError as `decoded`."""
        return self.square(decoded(data))

    def square(self, image: Image.Image) -> NDArray[Any]:
        """The same of a picture in red, green and blue."""
        from PIL import Image

        scale = self.resize / min(image.size)
        width, height = (max(self.resize, round(side * scale)) for side in image.size)
        if image.size != (width, height):
            image = image.resize((width, height), Image.Resampling[self.interpolation.upper()])
        left, top = (width - self.size) // 2, (height - self.size) // 2
        return np.asarray(image)[top : top + self.size, left : left + self.size]

    def described(self) -> str:
        """What the transform does, for the metadata."""
        return (
            f"upright, transparency over white, RGB, shorter side to {self.resize} ({self.interpolation}), "
            f"central {self.size} x {self.size}"
        )
