"""Numbers that results rest on: thresholds, defaults of functions, what a class compares and takes
by name alone.

A slip in one moves a few results and breaks nothing, while kept results stay as they were. So they
are kept here with `COMPUTATION` and `RULES`: where another number gives other results, raise the
one that fits, then
`python -m tests.test_constants` writes them anew.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from prviz.estimators import ESTIMATORS
from prviz.studies.tasks import COMPUTATION
from prviz.triage.findings import RULES

KEPT = Path(__file__).with_name("constants.txt")
FOLDERS = ("checks", "curves", "estimators", "measure", "readers", "triage", "uncertainty")


def modules() -> Iterator[ModuleType]:
    for folder in FOLDERS:
        package = importlib.import_module(f"prviz.{folder}")
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"prviz.{folder}."):
            yield importlib.import_module(found.name)


def is_number(value: Any) -> bool:
    """True for numbers, bytes, and what holds nothing but these and single words."""
    if isinstance(value, Mapping):
        return is_number([*value, *value.values()])
    if isinstance(value, tuple | list | set | frozenset):
        return any(map(is_number, value)) and all(
            is_number(each) or is_word(each) for each in value
        )
    return isinstance(value, bool | int | float | bytes)


def is_word(value: Any) -> bool:
    return isinstance(value, str) and " " not in value


def text_of(value: Any) -> str:
    """The value, in an order that does not depend on hashes."""
    return repr(sorted(value)) if isinstance(value, set | frozenset) else repr(value)


def constants(module: ModuleType) -> Iterator[str]:
    """The constants that a module sets itself, but flags of the operating system, which differ
    between machines.
    """
    for statement in ast.parse(inspect.getsource(module)).body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or re.search(
            r"\bos\b", ast.unparse(statement)
        ):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [
            each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
        ]
        yield from (
            f"{name} = {text_of(vars(module)[name])}" for name in names if kept(module, name)
        )


def kept(module: ModuleType, name: str) -> bool:
    return name.isupper() and name in vars(module) and is_number(vars(module)[name])


def functions(holder: Any, module: str) -> Iterator[tuple[str, Any]]:
    """The functions and methods that a module or class defines, with their names."""
    for found in vars(holder).values():
        function = inspect.unwrap(getattr(found, "__func__", getattr(found, "fget", found)))
        if getattr(function, "__module__", None) != module:
            continue
        if inspect.isfunction(function):
            yield function.__qualname__, function
        elif inspect.isclass(function) and function is not holder:
            yield function.__qualname__, function
            yield from functions(function, module)


def defaults(function: Any) -> str:
    """The parameters that have a number for a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ""
    return ", ".join(
        f"{each.name}={text_of(each.default)}" for each in parameters if is_number(each.default)
    )


def kind_of_class(found: Any) -> str:
    """What a dataclass is: frozen, compared by its fields, ordered, built by names alone."""
    params = getattr(found, "__dataclass_params__", None) if inspect.isclass(found) else None
    if params is None:
        return ""
    named = any(each.kw_only for each in dataclasses.fields(found))
    kinds = {"frozen": params.frozen, "eq": params.eq, "order": params.order, "kw_only": named}
    return " ".join(name for name, is_so in kinds.items() if is_so)


def lines() -> Iterator[str]:
    yield f"COMPUTATION = {COMPUTATION}, RULES = {RULES}"
    for module in modules():
        found = [*constants(module)]
        for name, function in dict(functions(module, module.__name__)).items():
            if text := ", ".join(filter(None, (kind_of_class(function), defaults(function)))):
                found.append(f"{name}: {text}")
        yield from (f"{module.__name__.removeprefix('prviz.')}: {each}" for each in found)
    for name, family in ESTIMATORS.items():
        for each in family.parameters:
            yield f"{name}: {each.name} = {each.default}, {each.low} to {each.high} by {each.step}"


def test_numbers_that_results_rest_on_are_those_kept() -> None:
    assert list(lines()) == KEPT.read_text("utf-8").splitlines(), (
        "where this is meant: raise COMPUTATION or RULES if results change, then python -m"
        " tests.test_constants"
    )


if __name__ == "__main__":
    KEPT.write_text("\n".join(lines()) + "\n", "utf-8")
