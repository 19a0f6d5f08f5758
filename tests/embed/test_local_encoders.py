"""Networks in files that a page may offer, found below one folder and opened nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from prviz.embed.local_encoders import LocalEncoder, encoders_below
from prviz.readers.safe_folder import Below


def test_networks_are_found_and_loaded_below_the_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr("prviz.embed.encoders.timm_network.TimmEncoder.installed", lambda: False)
    served = tmp_path / "served"
    (served / "nets").mkdir(parents=True)
    np.save(tmp_path / "secret.npy", np.eye(9))
    (served / "nets" / "own.onnx").write_bytes(b"nothing")
    (tmp_path / "outside.onnx").write_bytes(b"nothing")
    (served / "out.onnx").symlink_to(tmp_path / "outside.onnx")
    below = Below(served)
    assert encoders_below(below) == [LocalEncoder("nets/own.onnx")]
    with pytest.raises(ValueError, match=r"^nets/own\.onnx: no ONNX network") as caught:
        LocalEncoder("nets/own.onnx").load(below)
    assert str(tmp_path) not in str(caught.value)
    for outside in ("out.onnx", "../outside.onnx", str(tmp_path / "outside.onnx")):
        with pytest.raises(ValueError, match=r"leads out|only paths below|without"):
            LocalEncoder(outside).load(below)
    with pytest.raises(ValueError, match="only paths below"):
        LocalEncoder("pca:3", "../secret.npy").load(below)
    before = LocalEncoder("nets/own.onnx").signature(below)
    (served / "nets" / "own.toml").symlink_to(tmp_path / "own.toml")
    (tmp_path / "own.toml").write_text("size = 8")
    assert LocalEncoder("nets/own.onnx").signature(below) != before
    with pytest.raises(ValueError, match="put the file itself beside the network"):
        LocalEncoder("nets/own.onnx").load(below)


def test_weights_named_after_a_network_of_timm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    timm = pytest.importorskip("timm")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    served = tmp_path / "served"
    (served / "resnet10t.c3_in1k").mkdir(parents=True)
    state = timm.create_model("resnet10t", pretrained=False).state_dict()
    torch.save(state, served / "resnet10t.pt")
    torch.save(state, served / "resnet10t.c3_in1k" / "pytorch_model.bin")
    torch.save(state, served / "other.pt")
    found = encoders_below(Below(served))
    assert [each.title for each in found] == [
        "timm:resnet10t, resnet10t.pt",
        "timm:resnet10t.c3_in1k, resnet10t.c3_in1k/pytorch_model.bin",
    ]
    loaded = [each.load(Below(served)) for each in found]
    assert len({each.weights_sha256 for each in loaded}) == 1
