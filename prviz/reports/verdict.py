"""The verdict of a screen: which family is farthest from the truth, and which comes closest."""

from __future__ import annotations

from collections.abc import Mapping

from prviz.curves import PRCurve
from prviz.curves.verdict import FamilyNumbers, verdict_sentence
from prviz.estimators import ESTIMATORS


def verdict(
    curves: Mapping[str, PRCurve], truth: PRCurve | None, *, approximate: bool = False, stale: bool = False
) -> str:
    """`prviz.curves.verdict.verdict_sentence` of these curves.

    Parameters
    ----------
    curves : mapping from str to PRCurve
        Estimates by the name of their family, as in `ESTIMATORS`.
    truth : PRCurve or None
        The true curve, if it is known.
    approximate, stale : bool
        As in `verdict_sentence`.

    Returns
    -------
    str
        Plain text of one or two sentences.

    Examples
    --------
    >>> from prviz.toys import toy
    >>> truth = toy("boxes").truth()
    >>> verdict({"kde": truth}, truth)
    'KDE is close to the truth: IoU 1.00.'
    """
    rows = [
        FamilyNumbers(ESTIMATORS[name].title, curve.auc, *(() if truth is None else curve.compare(truth)))
        for name, curve in curves.items()
    ]
    return verdict_sentence(rows, None if truth is None else truth.auc, approximate=approximate, stale=stale)
