"""Weights of an ONNX network in files beside it: part of what makes two encoders one, and refused
in a sentence.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import prviz
from prviz.cli.main import main
from prviz.embed.base import file_sha256
from prviz.embed.encoders.onnx_weights import external_files, weights_sha256
from prviz.embed.local_encoders import LocalEncoder
from prviz.readers.safe_folder import Below
from tests.embed.test_embed import folder_of

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
SIDE = 8


def network(path: Path, seed: int, location: str = "") -> Path:
    """A network of one product; its weights in the file at ``location``, unless that is empty."""
    helper = onnx.helper
    weights = np.random.default_rng(seed).normal(0, 0.05, size=(3 * SIDE**2, 5)).astype(np.float32)
    tensor = onnx.numpy_helper.from_array(weights, "w")
    if location:
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
        if not location.startswith(("/", "..")):
            (path.parent / location).parent.mkdir(exist_ok=True)
            (path.parent / location).write_bytes(weights.tobytes())
    graph = helper.make_graph(
        [
            helper.make_node("Flatten", ["x"], ["flat"]),
            helper.make_node("MatMul", ["flat", "w"], ["y"]),
        ],
        "small",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 5])],
        [tensor],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )
    return path


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return folder_of(
        tmp_path / "real", np.random.default_rng(0).integers(0, 256, (20, 8, 8, 3), dtype=np.uint8)
    )


def test_a_network_in_one_file_keeps_its_hash(tmp_path: Path) -> None:
    file = network(tmp_path / "one.onnx", 0)
    assert external_files(file) == []
    assert weights_sha256(file) == file_sha256(file)


def test_tensors_are_found_wherever_a_network_may_hold_them(tmp_path: Path) -> None:
    helper = onnx.helper

    def outside(location: str) -> onnx.TensorProto:
        tensor = onnx.TensorProto(
            name=location, data_type=1, dims=[1], data_location=onnx.TensorProto.EXTERNAL
        )
        tensor.external_data.add(key="length", value="4")
        tensor.external_data.add(key="location", value=location)
        return tensor

    inner = helper.make_graph([], "inner", [], [], [outside("branch")])
    node = helper.make_node(
        "If", ["c"], ["y"], then_branch=inner, else_branch=helper.make_graph([], "e", [], [])
    )
    constant = helper.make_node("Constant", [], ["z"], value=outside("constant"))
    graph = helper.make_graph(
        [node, constant], "outer", [], [], [outside("initial"), outside("a/b")]
    )
    graph.sparse_initializer.add(values=outside("values"), indices=outside("indices"))
    stale = graph.initializer.add(name="here", data_type=1, dims=[1], float_data=[1.0])
    stale.external_data.add(key="location", value="not used")
    model = helper.make_model(graph)
    model.functions.add(name="f").node.append(
        helper.make_node("Constant", [], ["q"], value=outside("function"))
    )
    (tmp_path / "n.onnx").write_bytes(model.SerializeToString())
    expected = ["a/b", "branch", "constant", "function", "indices", "initial", "values"]
    assert external_files(tmp_path / "n.onnx") == expected
    data = (tmp_path / "n.onnx").read_bytes()
    for cut in range(0, len(data) - 1, 7):  # never anything but a sentence
        (tmp_path / "cut.onnx").write_bytes(data[:cut])
        with contextlib.suppress(ValueError):
            external_files(tmp_path / "cut.onnx")


def test_other_weights_beside_the_network_are_another_encoder(
    pictures: Path, tmp_path: Path
) -> None:
    file = network(tmp_path / "net.onnx", 0, "net.onnx.data")
    line = ["embed", str(pictures), "--encoder", str(file), "--size", str(SIDE), "-o"]
    (pictures / "broken.png").write_bytes(b"nothing")
    assert main([*line, str(tmp_path / "resumed.safetensors")]) == 2  # stops, and keeps its parts
    assert main([*line, str(tmp_path / "before.safetensors"), "--skip-bad"]) == 0
    below = Below(tmp_path)
    signature = LocalEncoder("net.onnx").signature(below)
    other = network(tmp_path / "other.onnx", 1, "other.data")
    (tmp_path / "other.data").replace(tmp_path / "net.onnx.data")
    assert other.exists()
    assert LocalEncoder("net.onnx").signature(below) != signature
    for name in ("resumed", "fresh"):
        assert main([*line, str(tmp_path / f"{name}.safetensors"), "--skip-bad"]) == 0
    before, resumed, fresh = (
        prviz.read(tmp_path / f"{name}.safetensors") for name in ("before", "resumed", "fresh")
    )
    np.testing.assert_array_equal(resumed.values, fresh.values)
    assert (
        resumed.encoder["weights_sha256"]
        == fresh.encoder["weights_sha256"]
        != before.encoder["weights_sha256"]
    )


@pytest.mark.parametrize("location", ["../outside.data", "/etc/hostname", "missing.data"])
def test_weights_that_may_not_be_read_are_one_sentence(
    pictures: Path, tmp_path: Path, location: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "below").mkdir()
    file = network(tmp_path / "below" / "net.onnx", 0, location)
    (tmp_path / "below" / "missing.data").unlink(missing_ok=True)
    line = [
        "embed",
        str(pictures),
        "--encoder",
        str(file),
        "--size",
        "8",
        "-o",
        str(tmp_path / "x.safetensors"),
    ]
    assert main(line) == 2
    error = capsys.readouterr().err
    assert "net.onnx: no ONNX network that can be run" in error
    assert error.count("\n") == 1


def test_settings_that_nest_or_are_too_large_are_one_sentence(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = network(tmp_path / "net.onnx", 0)
    line = ["embed", str(pictures), "--encoder", str(file), "-o", str(tmp_path / "x.safetensors")]
    (tmp_path / "net.toml").write_text("size = " + "[" * 100_000)
    assert main(line) == 2
    assert "net.toml: no TOML" in capsys.readouterr().err
    (tmp_path / "net.toml").write_text("size = 8\nresize = 100000")
    assert main(line) == 2
    assert "whole numbers from 1 to 4096" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "needed"),
    [
        ("average = 2", "average = 2; a list of whole numbers, such as [2, 3], is needed"),
        ("average = [2.5]", "such as [2, 3]"),
        ('size = "8"', "size = '8'; a whole number"),
        ("size = true", "size = True; a whole number"),
        ("mean = [1, 2]", "one number or a list of three numbers"),
        ("scale = []", "scale = []; a number"),
        ("layout = 3", '"nchw" or "nhwc"'),
        ("output = [1]", "the name of an output"),
    ],
)
def test_a_setting_of_another_kind_is_one_sentence(
    pictures: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    written: str,
    needed: str,
) -> None:
    file = network(tmp_path / "net.onnx", 0)
    line = ["embed", str(pictures), "--encoder", str(file), "-o", str(tmp_path / "x.safetensors")]
    (tmp_path / "net.toml").write_text(written)
    assert main(line) == 2
    error = capsys.readouterr().err
    assert f"net.toml: {written.partition(' =')[0]} = " in error
    assert needed in error
    assert error.count("\n") == 1
