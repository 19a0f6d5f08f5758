"""Thousands of mutated files: each is read or refused with a sentence, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.browser import ROOT


@pytest.mark.parametrize("count", [80, pytest.param(8_000, marks=pytest.mark.exhaustive)])
def test_mutated_files_are_read_or_refused_with_a_sentence(count: int) -> None:
    """No exception of another kind, no warning, no crash, no hang, and no more memory than a few
    pictures take.
    """
    line = [sys.executable, "-m", "tests.fuzz_readers", "0", str(count)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    *wrong, figures = map(json.loads, done.stdout.splitlines())
    assert not wrong, "\n".join(
        f"python -m tests.fuzz_readers {each['file']} 1\n{each['wrong']}" for each in wrong
    )
    assert figures["read"] + figures["refused"] == count
    assert figures["read"] > count / 10
    assert figures["memory"] < 200 * 1024**2
