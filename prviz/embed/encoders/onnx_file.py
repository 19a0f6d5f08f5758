"""Encoder for a network in an ONNX file, whose preprocessing comes from flags or a TOML file beside
it.
"""

from __future__ import annotations

import reprlib
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features, libraries
from prviz.embed.encoders.onnx_weights import external_files, weights_sha256, with_output
from prviz.embed.pictures import SquareTransform
from prviz.readers.errors import error_text

# Largest side in pixels to which pictures are resized; networks take 224 to 1024.
_LARGEST = 4096


def _session(path: Path, output: str | None, provider: str) -> Any:
    """An ONNX session; if ``output`` names a tensor inside the network, the session returns this
    tensor too.
    """
    import onnxruntime

    found = onnxruntime.InferenceSession(path, providers=[provider])
    outputs = [each.name for each in found.get_outputs()]
    if output is not None and output not in outputs and not external_files(path):
        # For an unknown name the original session is returned, and `_ends` raises an error that
        # lists the outputs.
        with suppress(*_refusals()):
            data = with_output(path.read_bytes(), output)
            return onnxruntime.InferenceSession(data, providers=[provider])
    return found


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _is_one_or_three(value: object) -> bool:
    if isinstance(value, list):
        return len(value) in (1, 3) and all(map(_is_number, value))
    return _is_number(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_axes(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_whole, value))


# Settings allowed in a TOML file -> a check of the value, and the accepted values in words, for
# errors.
_SETTINGS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "size": (_is_whole, "a whole number, such as 224"),
    "resize": (_is_whole, "a whole number, such as 256"),
    "interpolation": (_is_text, 'a text, such as "bicubic"'),
    "mean": (_is_one_or_three, "one number or a list of three numbers"),
    "std": (_is_one_or_three, "one number or a list of three numbers"),
    "scale": (_is_number, "a number, such as 255"),
    "layout": (_is_text, '"nchw" or "nhwc"'),
    "output": (_is_text, "the name of an output in quotes"),
    "average": (_are_axes, "a list of whole numbers, such as [2, 3]"),
}


class OnnxEncoder(EmbeddingEncoder):
    """Encoder for an ONNX network that takes a batch of pictures and returns one row per picture.

    Its input is (pixel / scale - mean) / std, with scale 255 unless stated. The output is averaged
    over the axes ``average``. If the network is a single file, any inner tensor can be the output,
    such as the input of its classifier. Flags override the TOML file of the same name beside the
    network, such as ``inception.toml``.
    """

    prefix = ""
    argument = "FILE.onnx"
    takes = "pictures"
    needs = "onnxruntime"
    extra = "onnx"
    used = (
        "any exported network: InceptionV3 (Sajjadi et al. 2018, Simon et al. 2019), VGG16 and"
        " DINOv2 too (Sykes et al. 2026, 5.2)"
    )

    def __init__(self, path: Path, options: EncoderOptions) -> None:
        import onnxruntime

        choice = _settings(path, options)
        provider = f"{options.device.upper()}ExecutionProvider"
        if provider not in onnxruntime.get_available_providers():
            raise ValueError(
                f"--device {options.device}: this onnxruntime has no {provider}; leave --device out"
            )
        output = choice.get("output")
        try:
            self._session = _session(path, output, provider)
            # Hashed only now: the session refuses external files outside the network's folder, so
            # none are read.
            self.weights_sha256 = weights_sha256(path)
        except _refusals() as error:
            raise ValueError(
                f"{path}: no ONNX network that can be run ({error_text(error)})"
            ) from None
        if "size" not in choice:
            raise ValueError(
                f"{path}: state the pictures' side, --size 224 or a line size = 224 in its TOML"
                " file"
            )
        size = int(choice["size"])
        self._layout = str(choice.get("layout", "nchw"))
        if self._layout not in ("nchw", "nhwc"):
            raise ValueError(f"layout = {self._layout!r}; nchw or nhwc is needed")
        self._scale = np.float32(choice.get("scale", 255))
        self._mean = np.asarray(choice.get("mean", 0.0), np.float32)
        self._std = np.asarray(choice.get("std", 1.0), np.float32)
        if (
            not {self._mean.size, self._std.size} <= {1, 3}
            or not (self._std > 0).all()
            or not self._scale > 0
        ):
            raise ValueError("mean and std need one or three numbers, std and scale above 0")
        self._input, self._output = _ends(self._session, path, size, self._layout, output)
        self._average = tuple(choice.get("average", ()))
        self.prepare = transform = SquareTransform(
            size, int(choice.get("resize", size)), str(choice.get("interpolation", "bilinear"))
        )
        if not 1 <= size <= transform.resize <= _LARGEST:
            raise ValueError(
                f"size = {size}, resize = {transform.resize}; whole numbers from 1 to {_LARGEST},"
                " resize at least as large as size, are needed"
            )
        if transform.interpolation not in ("bilinear", "bicubic", "lanczos"):
            raise ValueError(
                f"interpolation = {transform.interpolation!r}; bilinear, bicubic or lanczos is"
                " needed"
            )
        self.name = path.name
        self.transform = (
            f"{transform.described()}, (value / {self._scale:g} - {self._mean.tolist()}) /"
            f" {self._std.tolist()}, {self._layout}, output {self._output}"
        )
        if self._average:
            self.transform += f", averaged over {', '.join(map(str, self._average))}"
        self.versions = {**libraries(), "onnxruntime": onnxruntime.__version__}

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> OnnxEncoder:
        """The network at the path ``argument``."""
        return cls(Path(argument), options)

    def encode(self, batch: Any) -> Features:
        """Output of the network, averaged as stated and flattened to one row per picture."""
        values = (batch.astype(np.float32) / self._scale - self._mean) / self._std
        if self._layout == "nchw":
            values = values.transpose(0, 3, 1, 2)
        try:
            (rows,) = self._session.run([self._output], {self._input: np.ascontiguousarray(values)})
        except _refusals() as error:
            raise ValueError(
                f"{self.name}: the network refuses its input ({error_text(error)})"
            ) from None
        rows = np.asarray(rows)
        if all(0 < axis < rows.ndim for axis in self._average):
            rows = rows.mean(axis=self._average)
        if rows.ndim < 2 or len(rows) != len(batch) or rows.size != len(batch) * rows.shape[1]:
            raise ValueError(
                f"{self.name}: output {self._output} has the shape {rows.shape}; ({len(batch)},"
                " features) is needed: see --average"
            )
        return np.asarray(rows.reshape(len(batch), -1), np.float32)


def _refusals() -> tuple[type[Exception], ...]:
    """Exceptions raised for networks that can't be run; those of onnxruntime have no common base
    class.
    """
    from onnxruntime.capi import onnxruntime_pybind11_state

    held = vars(onnxruntime_pybind11_state).values()
    own = [each for each in held if isinstance(each, type) and issubclass(each, Exception)]
    return (RuntimeError, ValueError, OSError, *own)


def _settings(path: Path, options: EncoderOptions) -> dict[str, Any]:
    """Preprocessing settings by name: a flag replaces a setting of the TOML file beside the
    network.
    """
    beside = path.with_suffix(".toml")
    choice = dict[str, Any]()
    if beside.is_file():
        try:
            choice = tomllib.loads(beside.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"{beside}: no TOML ({error_text(error)})") from None
        if unknown := choice.keys() - _SETTINGS.keys():
            raise ValueError(
                f"{beside}: {', '.join(sorted(unknown))} unknown; it may say {', '.join(_SETTINGS)}"
            )
        for name, value in choice.items():
            fits, needed = _SETTINGS[name]
            if not fits(value):
                raise ValueError(f"{beside}: {name} = {reprlib.repr(value)}; {needed}, is needed")
    return choice | {
        name: value for name in _SETTINGS if (value := getattr(options, name)) is not None
    }


def _ends(session: Any, path: Path, size: int, layout: str, output: str | None) -> tuple[str, str]:
    """Names of the network's input and output.

    Raises ValueError unless the input takes pictures and the output gives rows.
    """
    inputs = session.get_inputs()
    outputs = [each.name for each in session.get_outputs()]
    needed = [None, 3, size, size] if layout == "nchw" else [None, size, size, 3]
    shape = inputs[0].shape
    fits = len(inputs) == 1 and inputs[0].type == "tensor(float)" and len(shape) == 4
    if not fits or any(
        isinstance(own, int) and own != want
        for own, want in zip(shape[1:], needed[1:], strict=True)
    ):
        is_there = "; ".join(f"{each.name} {each.type} {each.shape}" for each in inputs)
        raise ValueError(
            f"{path}: its input is {is_there}; one tensor(float) of [n,"
            f" {', '.join(map(str, needed[1:]))}] is needed: see --size and --layout"
        )
    if (output is None and len(outputs) > 1) or (output is not None and output not in outputs):
        raise ValueError(f"{path}: its outputs are {', '.join(outputs)}; choose one with --output")
    return inputs[0].name, output or outputs[0]
