"""The sidebar: every setting but those that live in the figure itself."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages import _uploads
from pages._live import FIGURE, moved
from pages._text import plain
from prviz import bundled
from prviz.estimators import ESTIMATORS
from prviz.settings import REPEATS_LIMITS, Settings
from prviz.toys import TOYS, Parameter, toy

SOURCES = {"toy": "Toy", "bundled": "Bundled", "upload": "Your files"}
SIZES = [100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000]
SPLITS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
# Widgets keep their value while another source hides them.
KEEP: dict[str, Any] = {"persist_state": "session"}


def start() -> Settings:
    """The settings that this session began with: those of its link, or the first view's."""
    if "_start" not in st.session_state:
        settings, messages = Settings.from_query(st.query_params.to_dict())
        st.session_state["_start"] = settings
        st.session_state["_link_messages"] = messages
    settings: Settings = st.session_state["_start"]
    return settings


def _begin(key: str, value: Any) -> str:
    """The key of a widget, holding `value` if the session has not set it yet."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def sidebar(begun: Settings) -> Settings:
    """Draw the sidebar and read the settings off it; k, bandwidth and lam are as the session began."""
    with st.sidebar:
        source = st.segmented_control(
            "Data",
            list(SOURCES),
            format_func=SOURCES.get,
            required=True,
            key=_begin("source", begun.source),
            **KEEP,
        )
        name, parameters, n = _SECTIONS[source](begun)
        st.divider()
        chosen = st.pills(
            "Estimators",
            list(ESTIMATORS),
            format_func=lambda m: ESTIMATORS[m].title,
            selection_mode="multi",
            key=_begin("methods", list(begun.methods)),
            help=_ideas(),
            **KEEP,
        )
        if not chosen:
            st.warning("Choose at least one estimator; all are shown until then.")
        split, repeats, seed = _sampling(begun, source)
    methods = tuple(m for m in ESTIMATORS if m in chosen) or tuple(ESTIMATORS)
    return Settings(source, name, parameters, n, methods, begun.k, begun.bandwidth, split, repeats, seed, begun.lam)


def _ideas() -> str:
    return "\n".join(f"- **{e.title}**: {e.idea} ({e.source})" for e in ESTIMATORS.values())


def _sampling(begun: Settings, source: str) -> tuple[float | None, int, int]:
    split = st.select_slider(
        "Split",
        [None, *sorted({*SPLITS, begun.split} - {None})],
        key=_begin("split", begun.split),
        format_func=lambda r: "none" if r is None else f"{r:.0%}",
        help="Share of each set that defines the classifiers; the rest measures their errors. none: one and "
        "the same samples do both, as in most published metrics, which flatters every estimator.",
        **KEEP,
    )
    repeats = st.slider(
        "Repeats",
        *REPEATS_LIMITS,
        key=_begin("repeats", begun.repeats),
        help="Draws the samples (toys) or the split (your data) so many times: the curve is the mean, the band is one "
        "standard deviation along each ray of equal λ.",
        **KEEP,
    )
    if source != "toy" and split is None and repeats > 1:
        st.caption("Rows that are all used exist once: without a split or a subsample nothing is drawn again.")
    seed = st.number_input(
        "Seed", 0, 2**32 - 1, key=_begin("seed", begun.seed), help="Of the samples and the split.", **KEEP
    )
    return split, int(repeats), int(seed)


def _toy(begun: Settings) -> tuple[str, dict[str, Any], int]:
    titles = {name: toy(name).title for name in TOYS}
    name = st.selectbox(
        "Problem",
        list(TOYS),
        format_func=titles.get,
        key=_begin("problem", _of(begun, "toy", "mixtures")),
        **KEEP,
    )
    described = toy(name)
    st.caption(f"{described.summary} *{described.source}*")
    _presets(name, described)
    given = begun.parameters if begun.source == "toy" and begun.problem == name else {}
    parameters = {spec.name: _parameter(name, spec, given.get(spec.name, spec.default)) for spec in described.specs}
    try:
        toy(name, **parameters)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/block:")
        parameters = st.session_state.get(f"_good.{name}", {})
    st.session_state[f"_good.{name}"] = parameters
    return name, parameters, _size("Samples per set", begun)


def _presets(name: str, described: Any) -> None:
    if not described.presets:
        return

    def apply() -> None:
        chosen = described.presets.get(st.session_state[f"preset.{name}"], {})
        for spec in described.specs:
            value = chosen.get(spec.name, spec.default)
            st.session_state[f"p.{name}.{spec.name}"] = _as_text(value) if spec.kind == "weights" else value
        st.session_state["n"] = toy(name, **chosen).default_n

    st.selectbox(
        "Published settings",
        list(described.presets),
        index=None,
        placeholder="Apply one ...",
        key=f"preset.{name}",
        on_change=apply,
    )


def _as_text(values: Any) -> str:
    return ", ".join(repr(float(v)).removesuffix(".0") for v in values)


def _parameter(problem: str, spec: Parameter, value: Any) -> Any:
    key = f"p.{problem}.{spec.name}"
    if spec.kind == "weights":
        text = st.text_input(spec.label, key=_begin(key, _as_text(value)), help=spec.help, **KEEP)
        return _numbers(text, spec.label, value)
    whole = spec.kind == "int"
    cast = int if whole else float
    # A value between two stops of the slider, as 1/8 in steps of 0.1, comes from a preset or a link: a field takes any.
    return st.number_input(
        spec.label,
        cast(spec.low),
        cast(spec.high),
        step=cast(spec.step),
        key=_begin(key, cast(value)),
        help=f"{spec.help} From {spec.low:g} to {spec.high:g}.",
        format="%d" if whole else "%.4g",
        **KEEP,
    )


def _numbers(text: str, label: str, fallback: Any) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError:
        st.error(
            f"{label}: numbers separated by commas are needed, for example {_as_text(fallback)}.",
            icon=":material/block:",
        )
        return tuple(fallback)


def _of(begun: Settings, source: str, default: str) -> str:
    return begun.problem if begun.source == source else default


def _size(label: str, begun: Settings) -> int:
    sizes = sorted({*SIZES, begun.n, st.session_state.get("n", begun.n)})
    return int(st.select_slider(label, sizes, key=_begin("n", begun.n), format_func=lambda n: f"{n:,}", **KEEP))


def _bundled(begun: Settings) -> tuple[str, dict[str, Any], int]:
    of = {point.name: name for name, family in bundled.BUNDLED.items() for point in family.checkpoints}
    first = _of(begun, "bundled", "mixture-converged")
    families = bundled.BUNDLED
    family = st.selectbox(
        "Generator",
        list(families),
        format_func=lambda f: families[f].title,
        key=_begin("family", of[first]),
        **KEEP,
    )
    points = {point.name: point for point in families[family].checkpoints}
    default = first if first in points else list(points)[-1]
    name = default
    if len(points) > 1:
        name = st.select_slider(
            "Checkpoint",
            list(points),
            format_func=lambda c: points[c].title,
            key=_begin(f"checkpoint.{family}", default),
            **KEEP,
        )
    st.caption(f"{families[family].summary} {points[name].summary}")
    return name, {}, _size("Samples per set, at most", begun)


def _upload(begun: Settings) -> tuple[str, dict[str, Any], int]:
    k = moved(FIGURE).get("k", begun.k)
    _uploads.box(k)
    uploaded = _uploads.held()
    return "", {}, begun.n if uploaded is None else _uploads.rows_to_use(uploaded.pair)


_SECTIONS = {"toy": _toy, "bundled": _bundled, "upload": _upload}
