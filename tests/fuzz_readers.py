"""Mutated files against everything that takes files from strangers: `python -m tests.fuzz_readers
FIRST COUNT`.

A file's number decides all of it, on any machine: which file of the zoo it was, and what was done
to it. One line for every file that did worse than being read or refused with a sentence, and a last
one with the figures of the run.
"""

from __future__ import annotations

import faulthandler
import io
import json
import re
import resource
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from prviz.readers import AmbiguousKeyError, ReadError, npy, read, read_pair, roles
from prviz.readers.media import MediaError, ZipPictures, count_found, look, thumbnail
from prviz.samples import Samples
from prviz.triage.inputs import details_of
from tests.file_zoo_accepted import every_accepted, pairs
from tests.picture_builders import packed, picture, table

SEED = 14
# Bytes: large files are mutated as small ones are, and take longer.
LARGEST = 12_000
# Seconds that one file may take on a busy machine before it counts as hanging.
HANGS = 60
# Bytes of a number in a header, and what to put there.
WIDTHS = (1, 2, 4, 8)
NUMBERS = (
    0,
    1,
    2,
    3,
    255,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
WRITTEN = (
    b"0",
    b"-1",
    b"1e999",
    b"nan",
    b"4294967296",
    b"9223372036854775808",
    b"9" * 400,
    b"1_0",
    b"--5",
    "٣".encode(),
)

Check = Callable[[str, bytes], str]


# ---- what must hold ----


def refused(error: Exception) -> str:
    """A refusal is one printable sentence, and below it at most the lines of Python that convert
    the file.
    """
    sentence, *recipe = str(error).splitlines()
    assert sentence, "an empty message"
    assert len(str(error)) < 1000, f"{len(str(error))} characters"
    assert all(line.isprintable() for line in str(error).splitlines()), "control characters"
    assert not recipe or (sentence.endswith(":") and len(recipe) <= 5), "several lines"
    return "refused"


def sound(samples: Samples) -> None:
    assert np.isfinite(samples.values).all(), "not finite"
    assert samples.n >= 3, "too few rows"
    assert samples.d >= 1, "no features"
    assert all(len(column) == samples.n for column in samples.labels.values()), (
        "labels of another length"
    )
    look(samples, samples.n - 1)


def check_samples(name: str, data: bytes) -> str:
    try:
        keys = roles((name, data))
        if keys is not None:
            pair = read_pair((name, data))
            sound(pair.real)
            sound(pair.generated)
    except ReadError as error:
        refused(error)
    try:
        sound(read((name, data)))
    except AmbiguousKeyError as error:
        refused(error)
        try:
            sound(read((name, data), key=error.choices[0]))
        except ReadError as second:
            return refused(second)
    except ReadError as error:
        return refused(error)
    return "read"


def check_mapped(name: str, data: bytes) -> str:
    """A file on a disk, mapped as a large one would be."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            sound(read(path))
        except ReadError as error:
            return refused(error)
    return "read"


_NAMING = Samples(
    np.zeros((4, 1)), labels={"image": np.array(["1.png", "a/2.jpeg", "3.png", "\\x\\..\\1.png"])}
)


def check_archive(name: str, data: bytes) -> str:
    try:
        pictures = ZipPictures(name, data)
        count_found(_NAMING, [pictures])
        thumbnail(pictures.get(pictures.example))
    except MediaError as error:
        return refused(error)
    return "read"


def check_picture(_: str, data: bytes) -> str:
    try:
        assert thumbnail(data).startswith("data:image/")
    except MediaError as error:
        return refused(error)
    return "read"


def check_metadata(_: str, data: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "about.csv")
        path.write_bytes(data)
        try:
            found = details_of(path, {Path(f"step-{i}.npy"): f"step-{i}" for i in range(4)})
        except ValueError as error:
            return refused(error)
    numbers = [
        number for each in found.values() for number in (each.step or 0, *each.extra.values())
    ]
    assert np.isfinite(numbers).all(), "not finite"
    return "read"


# ---- files and what is done to them ----


def zoo() -> list[tuple[str, bytes, Check]]:
    """Names and contents of whole files, and what takes them."""
    samples = [*((file.name, file.data) for file in every_accepted()), *pairs()]
    samples += [
        ("named.csv", table(["1.png", "a/2.jpeg", "", "ü.png"], texts=["a", 'b""c', "d,e", "f\ng"]))
    ]
    found: list[tuple[str, bytes, Check]] = [
        (*file, check_samples) for file in samples if len(file[1]) <= LARGEST
    ]
    found += [(name, data, check_mapped) for name, data, _ in found if name.endswith(".npy")]
    noise = {"color": (10, 200, 30), "size": (17, 9)}
    drawn = {kind: picture(kind, **noise) for kind in ("PNG", "JPEG", "GIF", "WebP", "BMP")}
    found += [(f"1.{kind.lower()}", data, check_picture) for kind, data in drawn.items()]
    members = [("1.png", drawn["PNG"]), ("a/2.jpeg", drawn["JPEG"]), ("b/ü.gif", drawn["GIF"])]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        found.append(("pictures.zip", packed(members, method), check_archive))
    about = b"file,step,scale\nstep-1,10,1.5\nstep-0,2e3,\nstep-3.npy,,7\n\nstep-2,0,-1\n"
    found += [
        ("about.csv", about, check_metadata),
        ("about.csv", b"\xef\xbb\xbf" + about, check_metadata),
    ]
    return found


def flip(data: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    found = bytearray(data)
    for place in rng.integers(0, len(data), rng.integers(1, 7)):
        found[place] ^= 1 << rng.integers(8)
    return bytes(found)


def part(data: bytes, rng: np.random.Generator) -> tuple[int, int]:
    """Where a part begins and ends, short or of any length."""
    begin, end = (int(place) for place in np.sort(rng.integers(0, len(data) + 1, 2)))
    return begin, min(end, begin + int(rng.integers(1, 65))) if rng.random() < 0.7 else end


def truncate(data: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    return data[: rng.integers(len(data))]


def splice(data: bytes, rng: np.random.Generator, other: bytes) -> bytes:
    """Part of another file, or of this one, in the place of a part of this one, often of the same
    length.
    """
    a, b = part(data, rng)
    c, d = part(other, rng)
    filling = (other if rng.random() < 0.5 else data)[c:d]
    return data[:a] + filling + data[a + len(filling) if rng.random() < 0.5 else b :]


def rewrite(data: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    """Another number in the place of one that is written in digits, or of any bytes, mostly near
    either end.
    """
    written = [found.span() for found in re.finditer(rb"\d+", data)]
    if written and rng.random() < 0.5:
        begin, end = written[rng.integers(len(written))]
        return data[:begin] + WRITTEN[rng.integers(len(WRITTEN))] + data[end:]
    width = WIDTHS[rng.integers(len(WIDTHS))]
    place = int(rng.beta(0.4, 0.4) * max(1, len(data) - width))
    number = NUMBERS[rng.integers(len(NUMBERS))] % 256**width
    if rng.random() < 0.3:
        number = (
            int.from_bytes(data[place : place + width], "little") + int(rng.integers(-2, 3))
        ) % 256**width
    return data[:place] + number.to_bytes(width, "little") + data[place + width :]


def repeat(data: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    """A part once more, there or elsewhere, up to 50 times."""
    begin, end = part(data, rng)
    place = end if rng.random() < 0.5 else rng.integers(0, len(data) + 1)
    times = 1 if rng.random() < 0.7 else rng.integers(2, 51)
    return data[:place] + (data[begin:end] * int(times))[:LARGEST] + data[place:]


def remove(data: bytes, rng: np.random.Generator, _: bytes) -> bytes:
    begin, end = part(data, rng)
    return data[:begin] + data[end:]


MUTATIONS = (flip, flip, splice, splice, rewrite, rewrite, rewrite, repeat, remove, truncate)


def mutated(data: bytes, rng: np.random.Generator, other: bytes) -> bytes:
    """One mutation or a few; of a zip archive, half of the time those of a member, whose checksum
    is then right.
    """
    if data[:4] == b"PK\x03\x04" and rng.random() < 0.5:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
        changed = int(rng.integers(len(members)))
        name, content = members[changed]
        members[changed] = name, mutated(content, rng, other)
        return packed(members)
    for _ in range(rng.geometric(0.6)):
        if data:
            data = MUTATIONS[rng.integers(len(MUTATIONS))](data, rng, other)
    return data


FILES = zoo()


def file(number: int) -> tuple[str, bytes, Check]:
    """The mutated file of this number."""
    rng = np.random.default_rng([SEED, number])
    name, data, check = FILES[number % len(FILES)]
    return name, mutated(data, rng, FILES[rng.integers(len(FILES))][1]), check


def one(number: int) -> tuple[str, str]:
    """What became of a file, and what was wrong with it: "" for nothing."""
    name, data, check = file(number)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            outcome = check(name, data)
        except Exception:  # noqa: BLE001 - the point of it
            return "wrong", f"{name}: {traceback.format_exc()}"
    return outcome, f"{name}: warned {warned[0].message!r}" if warned else ""


def main(arguments: Sequence[str]) -> int:
    first, count = map(int, arguments)
    npy.MAPPED_FROM = 1
    for (
        name,
        data,
        check,
    ) in FILES:  # whole ones, so that what they load counts for none of the mutated ones
        check(name, data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes: Counter[str] = Counter()
    for number in range(first, first + count):
        faulthandler.dump_traceback_later(HANGS, exit=True)
        outcome, wrong = one(number)
        outcomes[outcome] += 1
        if wrong:
            sys.stdout.write(json.dumps({"file": number, "wrong": wrong}) + "\n")
            sys.stdout.flush()
    faulthandler.cancel_dump_traceback_later()
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    sys.stdout.write(json.dumps({"memory": more, **outcomes}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
