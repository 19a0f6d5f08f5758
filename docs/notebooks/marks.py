"""Marks the answers to exercises.ipynb beside it. The solutions stand here: try first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from numbers import Real
from typing import Any

import prviz

CLOSE = 0.005  # how far an answer of two digits may be off


def fault(
    name: str, answer: Any, right: float, hint: Callable[[float], str], within: float = CLOSE
) -> str:
    """What is said of a number that is open, malformed or wrong; "" of a right one."""
    if answer is ...:
        return f"{name}: not answered yet"
    if not isinstance(answer, Real) or not 0 <= answer <= 1:
        return f"{name}: a number from 0 to 1 is wanted (percent divided by 100)"
    if abs(answer - right) > within:
        return f"{name}: not right; {hint(answer)}"
    return ""


def mark_letter(answer: Any, right: str, hints: Mapping[str, str], why: str) -> None:
    """Mark one of the letters that have a hint."""
    letter = str(answer).strip(" .()\"'").lower()
    if letter in ("", "ellipsis"):
        print("answer: not answered yet")
    elif letter not in hints:
        print(f"answer: one of the letters {', '.join(hints)} is wanted")
    elif letter != right:
        print(f"answer: not right; {hints[letter]}")
    else:
        print(f"right: {why}")


def lost_mode(real: Sequence[float], precision_end: Any, recall_end: Any) -> None:
    """Exercise 1: the generator makes every mode but the first, in their old proportions."""
    generated = [0.0, *(share / sum(real[1:]) for share in real[1:])]
    curve = prviz.discrete_curve(real, generated)

    def of_recall(share: float) -> str:
        if abs(share - (1 - curve.extreme_recall)) <= CLOSE:
            return "that is the share it lost; recall is the share it can still make."
        return "recall is the share of the real data that it can make."

    print(
        fault(
            "precision_end",
            precision_end,
            curve.extreme_precision,
            lambda _: (
                "precision is the share of what it makes that could be real: which could not?"
            ),
        )
        or fault("recall_end", recall_end, curve.extreme_recall, of_recall)
        or f"right: all that it makes could be real, and {real[0]:g} of the real data it can't "
        f"make."
    )


def one_classifier(lam: float, fpr: float, fnr: float, precision: Any, recall: Any) -> None:
    """Exercise 2: the point of the curve that one classifier stands for."""
    curve = prviz.PRCurve.from_error_rates([fpr], [fnr])

    def of_precision(share: float) -> str:
        if abs(share - (fpr + lam * fnr)) <= CLOSE:
            return "λ weighs the real samples, so it multiplies the errors on them."
        if abs(share - (fpr + fnr)) <= CLOSE:
            return "that is the precision at λ = 1."
        return "it is the sum of both rates, one of them times λ."

    print(
        fault("precision", precision, curve.alpha(lam), of_precision)
        or fault("recall", recall, curve.beta(lam), lambda _: "precision is λ times recall.")
        or "right: precision is λ fpr + fnr, and recall that over λ."
    )


def same_data_twice(pair: prviz.SamplePair, answer: Any) -> None:
    """Exercise 3: of two estimates of an area of 1, the nearer one."""
    areas = {
        "a": prviz.pr_curve(*pair, k=1, split=None).auc,
        "b": prviz.pr_curve(*pair, k=1, split=0.5).auc,
    }
    hint = "who votes on a sample where none are held out?"
    mark_letter(
        answer,
        min(areas, key=lambda letter: abs(1 - areas[letter])),
        dict.fromkeys(areas, hint),
        f"without a split each sample votes on itself: {areas['a']:.2f}, with one "
        f"{areas['b']:.2f}.",
    )


def claim(bound: prviz.PRCurve, truth: prviz.PRCurve, at_most: Any) -> None:
    """Exercise 4: the bound's area, rounded up to two digits."""

    def hint(area: float) -> str:
        if area < truth.auc:
            return (
                "the true area is higher. An estimate may lie below it; the bound does so rarely."
            )
        if area < bound.auc:
            return "that is below the bound, so it isn't shown: round up, not to the nearest."
        return "it holds, but two digits can say less: round the bound up."

    print(
        fault("at_most", at_most, ceil(100 * bound.auc) / 100, hint, within=1e-9)
        or f"right: the bound is {bound.auc:.4f}, and a claim below it isn't shown; "
        f"the truth is {truth.auc:.3f}."
    )


def provable(answer: Any) -> None:
    """Exercise 5: the kind of claim that samples can prove."""
    at_least = "it would have to hold for the striped pair too, whose samples look the same."
    mark_letter(
        answer,
        "b",
        {"a": at_least, "b": "", "c": at_least, "d": "what did exercise 4 show?"},
        'a finer pair that shares nothing can always look the same, so never "at least"; '
        'a classifier that tells the sets apart shows "at most", as in exercise 4.',
    )
