"""Encoders that need an extra: each equals what its library computes, and is refused in a sentence
without it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load_file

import prviz
from prviz.cli.main import main
from prviz.embed.base import installed_file
from prviz.embed.encoders.recogniser import RecogniserEncoder
from prviz.embed.registered import ENCODERS, load_encoder
from prviz.embed.sources import open_source
from tests.embed.test_embed import folder_of

TEXTS = ("the cat sat", "the dog ran on the mat", "mat", "cat dog")
WORDS = ["[UNK]", "[PAD]", *sorted({word for text in TEXTS for word in text.split()})]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return folder_of(
        tmp_path / "real", np.random.default_rng(0).integers(0, 256, (6, 40, 36, 3), dtype=np.uint8)
    )


def embedded(source: Path, *encoder: str) -> np.ndarray:
    out = source.with_name("out.safetensors")
    assert main(["embed", str(source), "-o", str(out), "--encoder", *encoder]) == 0
    values = prviz.read(out).values
    out.unlink()
    return values


def refused(capsys: pytest.CaptureFixture[str], source: Path, *encoder: str) -> str:
    out = source.with_name("out.safetensors")
    assert main(["embed", str(source), "-o", str(out), "--encoder", *encoder]) == 2
    assert not out.exists()
    return capsys.readouterr().err


def arrays(pictures: Path) -> np.ndarray:
    return np.stack(
        [np.asarray(Image.open(pictures / item.path)) for item in open_source(pictures).items]
    )


@pytest.mark.parametrize("encoder", [each for each in ENCODERS if each.extra])
def test_without_the_extra_a_sentence_names_it(
    pictures: Path,
    encoder: type,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, encoder.needs, None)
    text = f"{encoder.prefix}:x" if encoder.prefix else "x.onnx"
    assert f"pip install 'prviz[{encoder.extra}]'" in refused(capsys, pictures, text)
    with pytest.raises(SystemExit, match="0"):
        main(["embed", "--list"])
    assert f"pip install 'prviz[{encoder.extra}]'" in capsys.readouterr().out


def test_onnx_equals_numpy(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    weights = np.random.default_rng(1).normal(0, 0.05, size=(192, 5)).astype(np.float32)
    helper = onnx.helper
    network = tmp_path / "small.onnx"
    graph = helper.make_graph(
        [
            helper.make_node("Flatten", ["x"], ["flat"]),
            helper.make_node("MatMul", ["flat", "w"], ["y"]),
        ],
        "small",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3, 8, 8])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 5])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), network
    )
    assert "state the pictures' side" in refused(capsys, pictures, str(network))
    assert "[n, 3, 9, 9] is needed" in refused(capsys, pictures, str(network), "--size", "9")
    assert "its outputs are y" in refused(
        capsys, pictures, str(network), "--size", "8", "--output", "z"
    )
    inner = embedded(pictures, str(network), "--size", "8", "--output", "flat")
    assert inner.shape == (6, 192)
    np.testing.assert_allclose(
        inner @ weights, embedded(pictures, str(network), "--size", "8"), atol=1e-5
    )
    (tmp_path / "small.toml").write_text(
        "size = 8\nresize = 36\nmean = [0.5, 0.4, 0.3]\nstd = 0.5\n"
    )
    values = (arrays(pictures)[:, 16:24, 14:22] / 255 - [0.5, 0.4, 0.3]) / 0.5
    expected = values.transpose(0, 3, 1, 2).reshape(len(values), -1) @ weights
    np.testing.assert_allclose(embedded(pictures, str(network)), expected, rtol=0, atol=1e-6)
    network.write_bytes(b"nothing")
    assert "no ONNX network that can be run" in refused(capsys, pictures, str(network))


def test_timm_equals_timm(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = pytest.importorskip("torch")
    timm = pytest.importorskip("timm")
    torch.manual_seed(5)
    network = timm.create_model("resnet10t", pretrained=False)
    weights = tmp_path / "weights.pt"
    torch.save(network.state_dict(), weights)
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(network))
    bare = timm.create_model("resnet10t", pretrained=False, num_classes=0).eval()
    bare.load_state_dict(network.state_dict(), strict=False)
    with torch.inference_mode():
        expected = bare(
            torch.stack([transform(Image.fromarray(each)) for each in arrays(pictures)])
        ).numpy()
    values = embedded(pictures, "timm:resnet10t", "--weights", str(weights))
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5)
    torch.save({"other": torch.zeros(3)}, weights)
    error = refused(capsys, pictures, "timm:resnet10t", "--weights", str(weights))
    assert "some weights of resnet10t are not in it" in error
    assert "--weights FILE" in refused(capsys, pictures, "timm:resnet10t")
    assert "no network of this name" in refused(capsys, pictures, "timm:local-dir:/tmp")


def test_texts_by_static_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32)
    expected = [
        vectors[[WORDS.index(word) for word in text.split()]].mean(axis=0) for text in TEXTS
    ]
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(TEXTS))
    model2vec.StaticModel(vectors, tokenizer).save_pretrained(tmp_path / "static")
    np.testing.assert_allclose(
        embedded(texts, f"model2vec:{tmp_path / 'static'}"), expected, atol=1e-6
    )
    assert "name a local folder" in refused(capsys, texts, "model2vec:minishlab/potion-base-8M")

    transformers = pytest.importorskip("sentence_transformers")
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    model = transformers.SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_weights=vectors)]
    )
    model.save(str(tmp_path / "st"))
    np.testing.assert_allclose(embedded(texts, f"st:{tmp_path / 'st'}"), expected, atol=1e-6)
    table = prviz.read(tmp_path / "out.samples.parquet")
    assert table.labels["text"].tolist() == list(TEXTS)

    # The words of another vocabulary, with the same vectors: another encoder.
    before = load_encoder(f"st:{tmp_path / 'st'}").weights_sha256
    (vocabulary,) = (tmp_path / "st").rglob("tokenizer.json")
    vocabulary.write_text(vocabulary.read_text().replace('"cat"', '"cow"'))
    assert load_encoder(f"st:{tmp_path / 'st'}").weights_sha256 != before
    assert "name a local folder" in refused(capsys, texts, f"st:{tmp_path}/none")


def test_a_saved_tensor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    file = tmp_path / "x.pt"
    out = tmp_path / "x.safetensors"

    def converted(held: object, *options: str) -> str:
        torch.save(held, file)
        code = main(["embed", str(file), "-o", str(out), *options])
        return capsys.readouterr().err if code else ""

    assert converted(torch.from_numpy(values).to(torch.float64).requires_grad_()) == ""
    np.testing.assert_array_equal(prviz.read(out).values, values)
    both = {"a": torch.zeros(9, 4), "b": torch.from_numpy(values)}
    assert converted(both, "--key", "b") == ""
    np.testing.assert_array_equal(prviz.read(out).values, values)
    out.unlink()
    assert "holds 'a', 'b'; choose one with --key" in converted(both)
    assert "has no tensor 'c'" in converted(both, "--key", "c")
    assert "holds no tensor of shape (n, d)" in converted(5)
    assert "holds more than tensors" in converted(Path("x"))
    assert "row 1, column 2 is nan" in converted(torch.tensor([[1.0, torch.nan]] * 3))
    assert not out.exists()
    monkeypatch.setattr(torch, "__version__", "2.9.1")
    assert "2.10 or newer is needed" in converted(both)


def test_a_saved_tensor_without_torch_names_the_extra(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.pt").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["embed", str(tmp_path / "x.pt"), "-o", str(tmp_path / "x.safetensors")]) == 2
    assert "pip install 'prviz[images]'" in capsys.readouterr().err


def test_the_character_recogniser_equals_its_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    if not RecogniserEncoder.installed():  # importing it would need OpenCV
        pytest.skip("rapidocr-onnxruntime is not installed")
    values = np.random.default_rng(3).integers(0, 256, (3, 48, 48, 3), dtype=np.uint8)
    pictures = folder_of(tmp_path / "real", values)
    file = installed_file("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx")
    network = onnx.load(file)
    classifier = network.graph.node[-3]
    assert classifier.op_type == "MatMul"  # then come an offset and the shares of characters
    inner = classifier.input[0]
    network.graph.output.add(name=inner)
    session = onnxruntime.InferenceSession(network.SerializeToString())
    given = (arrays(pictures).transpose(0, 3, 1, 2) / 127.5 - 1).astype(np.float32)
    places = session.run([inner], {session.get_inputs()[0].name: given})[0]
    assert places.shape == (3, 6, 120)
    np.testing.assert_allclose(
        embedded(pictures, "rapidocr:48"), places.mean(axis=1), rtol=0, atol=1e-4
    )
    stated = (str(file), "--size", "48", "--mean", "0.5", "--std", "0.5", "--output", inner)
    np.testing.assert_allclose(
        embedded(pictures, *stated, "--average", "1"), places.mean(axis=1), rtol=0, atol=1e-4
    )
    assert "see --average" in refused(capsys, pictures, *stated)
    assert "see --average" in refused(capsys, pictures, *stated, "--average", "3")
    with pytest.raises(SystemExit, match="2"):
        main(["embed", str(pictures), "-o", "x", "--encoder", *stated, "--average", "all"])


def test_token_vectors_equal_their_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("toml")  # which the package needs to compute by itself
    tokenizers = pytest.importorskip("tokenizers")
    inference = pytest.importorskip("wordllama.inference")
    weights = installed_file("wordllama", "weights/l2_supercat_256.safetensors")
    vectors = load_file(weights)["embedding.weight"]
    tokens = installed_file("wordllama", "tokenizers/l2_supercat_tokenizer_config.json")
    own = inference.WordLlamaInference(vectors, tokenizers.Tokenizer.from_file(str(tokens)))
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(TEXTS))
    np.testing.assert_allclose(
        embedded(texts, "wordllama:64"), own.embed(list(TEXTS))[:, :64], rtol=0, atol=1e-6
    )
    assert "from 1 to 256" in refused(capsys, texts, "wordllama:300")
    assert not load_encoder("wordllama:8").encode([""]).any()
