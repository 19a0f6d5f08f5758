"""The second half of lesson 7: errors over the number of samples, beside the rate of theory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages._learn import measurements
from pages._live.figure import Pane, live_figure
from pages._shared import answers
from pages._shared.cache import session
from pages._work.jobs import JobRequest, Progress
from prviz import figures
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.studies.convergence import Convergence, convergence, factor_to_gain, rate_exponent
from prviz.toys import ToyProblem

KEY = "lesson-dimension-rates"
FAMILY = "dimension.family"
DIMENSIONS, SIZES, REPEATS = (1, 2, 8, 64), (50, 100, 200, 400, 800, 1600), 12
THEOREM = (
    "**What theory promises.** Theorem 6 of Sykes, Simon, Rabin and Fadili (2026): for smooth densities with light "
    "tails and **N** samples of each side, let KDE's balls shrink like $N^{-1/(2+d)}$. Then the overlap of the two "
    "estimated densities misses the true precision α(λ) on average by at most $C\\,(\\lambda+1)\\,N^{-1/(2+d)}$. The "
    "factor C depends on d, not on N: only the slope is promised, as an upper bound for the worst case, and a real "
    "error may well fall faster. What is measured here are the classifiers that these families are used as (of which "
    "the paper bounds the bias alone in this way), at λ = 1: the mean distance of the estimated α(1) from the true "
    "one. KDE has the theorem's radius, the others k = √N neighbours; half of each N defines the classifiers, half "
    "measures them."
)


def work(problem: Callable[[int], ToyProblem], key: tuple[Any, ...]) -> JobRequest[dict[int, Convergence]]:
    """The job. problem : the problem in d dimensions, key : its cache key."""
    return JobRequest(
        (KEY, key, SIZES, REPEATS),
        lambda progress: rates(problem, progress),
        6.0,
        "Measuring how the error falls with more samples",
        measurements.shared(),
    )


def rates(problem: Callable[[int], ToyProblem], progress: Progress) -> dict[int, Convergence]:
    found = {}
    for place, d in enumerate(DIMENSIONS):

        def overall(share: float, begun: int = place) -> None:
            progress((begun + share) / len(DIMENSIONS))

        found[d] = convergence(problem(d), SIZES, repeats=REPEATS, progress=overall)
    return found


def show(request: JobRequest[dict[int, Convergence]]) -> None:
    """Draw the theorem, the errors over N, and the factors of N that halve them."""
    st.subheader("Would more samples help?", anchor=False)
    st.markdown(THEOREM)
    family = st.segmented_control(
        "Family",
        DEFAULT_METHODS,
        format_func=lambda name: ESTIMATORS[name].title,
        default=DEFAULT_METHODS[0],
        required=True,
        key=FAMILY,
    )
    family = family if family in DEFAULT_METHODS else DEFAULT_METHODS[0]
    found: dict[int, Convergence] | None = measurements.shared().get(request.key)
    answers.say_stopped(request.key, "the errors over N are not measured.")
    if found is None:
        if request.key not in session().jobs.stopped:
            st.caption("The errors over N are being measured; the figure comes as soon as they are known.")
        return
    pane = Pane(
        "rates",
        figures.rates_figure(
            SIZES,
            {f"d = {d}": each.errors[family] for d, each in found.items()},
            {f"d = {d}": rate_exponent(d) for d in found},
            notes={
                f"d = {d}": f"slope {_slope(each, family)}, theorem {_signed(rate_exponent(d), 3)}"
                for d, each in found.items()
            },
        ),
        f"Measured errors of {ESTIMATORS[family].title} over N",
        caption=f"Both axes are logarithmic, so that a rate is a slope. Solid: means of {REPEATS} draws. Dotted: "
        "the theorem's slope, from the first point on.",
        wide=True,
    )
    live_figure(KEY, [pane])
    st.markdown(_halving(found, family))


def _slope(found: Convergence, family: str) -> str:
    slope = found.slope(family)
    return f"{_signed(slope.value, 2)} ± {slope.error:.2f}"


def _signed(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _halving(found: Mapping[int, Convergence], family: str) -> str:
    """A table of the factors of N that halve error and bound."""
    lines = [
        f"How many times more samples halve the error, if {ESTIMATORS[family].title}'s slope goes on as measured; and "
        "how many halve the theorem's bound:",
        "",
        "| d | measured | to halve | theorem | to halve |",
        "|---|---|---|---|---|",
    ]
    for d, each in found.items():
        halves, promised = factor_to_gain(each.slope(family).value), factor_to_gain(rate_exponent(d))
        lines.append(f"| {d} | {_slope(each, family)} | {_times(halves)} | −1/{2 + d} | {_times(promised)} |")
    return "\n".join(lines)


def _times(factor: float) -> str:
    if math.isinf(factor):
        return "it does not fall"
    if factor < 1e6:
        return f"{factor:.2g} ×" if factor < 99 else f"{factor:,.0f} ×"
    mantissa, power = f"{factor:.0e}".split("e+")
    return f"{mantissa}·10^{int(power)} ×"
