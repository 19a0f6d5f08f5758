"""Lists all encoders, and loads the encoder for a text such as ``pixels:32``."""

from __future__ import annotations

from prviz.embed.base import EmbeddingEncoder, EncoderOptions
from prviz.embed.encoders.model2vec_folder import Model2VecEncoder
from prviz.embed.encoders.onnx_file import OnnxEncoder
from prviz.embed.encoders.pixels import PixelEncoder
from prviz.embed.encoders.principal import PrincipalEncoder
from prviz.embed.encoders.random_network import RandomNetworkEncoder
from prviz.embed.encoders.recogniser import RecogniserEncoder
from prviz.embed.encoders.sentence_network import SentenceEncoder
from prviz.embed.encoders.timm_network import TimmEncoder
from prviz.embed.encoders.word_vectors import WordVectorEncoder

ENCODERS: tuple[type[EmbeddingEncoder], ...] = (
    PixelEncoder,
    RandomNetworkEncoder,
    PrincipalEncoder,
    OnnxEncoder,
    RecogniserEncoder,
    TimmEncoder,
    SentenceEncoder,
    Model2VecEncoder,
    WordVectorEncoder,
)


def written(encoder: type[EmbeddingEncoder]) -> str:
    """The text by which users select an encoder, such as ``pixels:SIZE``."""
    if encoder.prefix:
        return f"{encoder.prefix}:{encoder.argument}"
    return encoder.argument


def load_encoder(text: str, options: EncoderOptions | None = None) -> EmbeddingEncoder:
    """The encoder for a text such as ``pixels:32``.

    Raises
    ------
    ValueError : no such encoder, an argument that is not valid, or an extra that is not installed.
    """
    prefix, colon, argument = text.partition(":")
    for encoder in ENCODERS:
        if (
            text.lower().endswith(".onnx")
            if not encoder.prefix
            else colon and prefix == encoder.prefix
        ):
            remedy = f"pip install 'prviz[{encoder.extra}]'"
            if not encoder.installed():
                raise ValueError(
                    f"--encoder {text} needs {encoder.needs}, which is not installed: {remedy}"
                )
            try:
                return encoder.load(
                    argument if encoder.prefix else text, options or EncoderOptions()
                )
            except ImportError as error:
                raise ValueError(
                    f"--encoder {text}: {encoder.needs} can't be loaded ({error}): {remedy}"
                ) from None
    raise ValueError(
        f"--encoder {text!r} is unknown; choose from {', '.join(map(written, ENCODERS))} (see"
        " --list)"
    )
