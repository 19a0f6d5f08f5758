"""Encoder by the character recogniser of the package rapidocr-onnxruntime, for pictures of
digits.
"""

from __future__ import annotations

from dataclasses import replace

from prviz.embed.base import EncoderOptions, installed_file, whole
from prviz.embed.encoders.onnx_file import OnnxEncoder

# Height in pixels of the text lines on which the recogniser was trained.
RECOGNISER_SIDE = 48
_SETTINGS = EncoderOptions(mean=(0.5,), std=(0.5,), output="transpose_51.tmp_0", average=(1,))


class RecogniserEncoder(OnnxEncoder):
    """The 120 inputs of PP-OCRv4's classifier, averaged along the text line."""

    prefix = "rapidocr"
    argument = "SIDE"
    needs = "rapidocr_onnxruntime"
    extra = "networks"
    used = "a trained network that pip installs: of characters, SIDE 48 as it was trained"

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> RecogniserEncoder:
        """The encoder written ``rapidocr:SIDE``."""
        size = whole(argument, cls.prefix, 512)
        file = installed_file(cls.needs, "models/ch_PP-OCRv4_rec_infer.onnx")
        encoder = cls(file, replace(_SETTINGS, size=size, device=options.device))
        encoder.name = f"{cls.prefix}:{size}"
        return encoder
