"""Argument names of the package prdc, which its users may try here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

# Arguments of `prdc.compute_prdc`, and their names in prviz.
_PRDC = {"real_features": "real", "fake_features": "generated", "nearest_k": "k"}


def prdc_names(function: Callable[P, Result]) -> Callable[P, Result]:
    """Wrap a function so that an argument name of the package prdc raises a TypeError that gives
    the name in prviz.
    """

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> Result:
        if found := [name for name in _PRDC if name in kwargs]:
            told = ", ".join(f"{name} is called {_PRDC[name]} here" for name in found)
            raise TypeError(f"{function.__name__}(): {told}")
        return function(*args, **kwargs)

    return checked
