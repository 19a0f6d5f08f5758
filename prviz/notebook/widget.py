"""A widget with the live figure of a pair of sets of samples, measured in the notebook's kernel."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import anywidget
import traitlets
from IPython.display import HTML, display

from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve, shown
from prviz.curves.summaries import TRUTH
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_k, checked_k
from prviz.figures.theme import TRUTH_COLOR, colors
from prviz.live import results, view
from prviz.live.evaluated import evaluated
from prviz.live.explorer import Conversation, Explorer
from prviz.live.extremes import tails
from prviz.live.figure import Following, figure_content, joined
from prviz.live.needs import INLINE_SECONDS
from prviz.live.problems import Problem, Uploaded, allowed, problem_of
from prviz.live.results import Answer
from prviz.live.space import COLOURS, near_need, space
from prviz.live.state import ExploreState
from prviz.live.store import Stores
from prviz.measure.estimates import K, Methods, method_names
from prviz.notebook.parts import digests, part
from prviz.reports.settings import BANDWIDTH_LIMITS, REPEATS_LIMITS, SEED_LIMITS, ExploreSettings
from prviz.samples import SamplePair, SamplesLike, SplitRatio, split_share

PANELS = ("space", "extremes", "numbers")


@dataclass
class PanelChoices:
    """The user's choices in the Space panel: what the colours mean, the family, and the selected
    samples.
    """

    colour: str = COLOURS[0]
    family: str = ""
    picked: Mapping[str, Any] = field(default_factory=dict)

    def take(self, values: Mapping[str, Any], families: tuple[str, ...]) -> None:
        """Take over the choices that the browser sends; a value that is not among the options is
        ignored.
        """
        if values.get("colour") in COLOURS:
            self.colour = values["colour"]
        if values.get("family") in families:
            self.family = values["family"]
        if isinstance(values.get("picked"), list):
            self.picked = values

    def offered(self, families: tuple[str, ...]) -> dict[str, Any]:
        """The choices as they are sent to the browser: by name, the options with their titles, and
        the current option.
        """
        colours = zip(COLOURS, ("Sets", "Score", "Decision"), strict=True)
        named = [(name, ESTIMATORS[name].title) for name in families]
        found: dict[str, Any] = {"colour": [list(colours), self.colour]}
        if self.colour != COLOURS[0]:
            found["family"] = [named, self._family(families)]
        return found

    def _family(self, families: tuple[str, ...]) -> str:
        if self.family in families:
            return self.family
        return families[0]

    def content(self, panel: str, answer: Answer) -> bytes:
        """Everything that the browser draws in a panel, as JSON."""
        problem = answer.problem
        found = answer.found
        panes = []
        table = None
        explorer = None
        follow: Following | None = view.following(problem, found)
        if panel == "numbers":
            table = replace(view.numbers(problem, found), turned=True)
        elif panel == "extremes":
            panes = tails(problem, found, beside=True)
        else:
            shown = evaluated(problem)
            is_role = self.colour == COLOURS[0]
            name = ""
            if not is_role:
                name = self._family(problem.settings.methods)
            made = space(problem, found, shown, name, self.colour)
            panes = [made.pane]
            follow = made.follow
            picked = made.picked(self.picked)
            near = near_need(problem, shown, made.wanted(picked))
            known: Mapping[int, list[str]] = {}
            if near.seconds <= INLINE_SECONDS and made.wanted(picked):
                known = problem.stores.results.remembered(
                    near.key, lambda: near.compute(lambda _: None)
                )
            explorer = made.filled(shown, picked, known)
        return figure_content(
            panes,
            table=table,
            legend=False,
            explorer=explorer,
            standout="",
            **(follow or Following({}))._asdict(),
        )


# Most views (displays in a page) of one widget: older ones are dropped, because the kernel does not
# learn that a page was closed.
MOST_VIEWS = 8
SETTINGS = ("k", "bandwidth", "split", "seed", "repeats", "lam")


class CurveWidget(anywidget.AnyWidget):
    """The live figure of one pair; see `prviz.widget`.

    Attributes
    ----------
    k : int or "sqrt"
        Neighbours.
    bandwidth : float, optional
        Of the kde family, in units of the mean k-NN radius at k = sqrt(n); None: automatic, one per
        class.
    split : float, optional
        Share of each set that defines the classifiers; None: no split.
    seed, repeats : int
        Seed of the split, and number of splits over which curves are averaged.
    lam : float
        The trade-off at which the figure marks its curves, from 0 to inf.
    families : tuple of str
        Names in ESTIMATORS, in the order of drawing.
    curves : dict of str to PRCurve
        The curve of each family at these settings; read only. Observers are called after every
        update.
    truth : PRCurve, optional
        The true curve; read only.
    panels : tuple of str
        The panels that are open below the figure; any of "space", "extremes" and "numbers".
    """

    _esm = Path(__file__).with_name("widget.js")
    _parts = traitlets.Dict().tag(sync=True)
    _still = traitlets.Unicode().tag(sync=True)
    _still_id = traitlets.Unicode().tag(sync=True)

    k = traitlets.Union([traitlets.Int(min=1), traitlets.Enum(["sqrt"])], default_value="sqrt")
    bandwidth = traitlets.Float(None, allow_none=True, min=BANDWIDTH_LIMITS[0])
    split = traitlets.Float(0.5, allow_none=True)
    seed = traitlets.Int(0, min=SEED_LIMITS[0], max=SEED_LIMITS[1])
    repeats = traitlets.Int(1, min=REPEATS_LIMITS[0], max=REPEATS_LIMITS[1])
    lam = traitlets.Float(1.0, min=0.0)
    families = traitlets.Tuple()
    curves = traitlets.Dict(read_only=True)
    truth = traitlets.Instance(PRCurve, allow_none=True, read_only=True)
    panels = traitlets.Tuple().tag(sync=True)

    def __init__(self, pair: SamplePair, truth: PRCurve | None, settings: ExploreSettings) -> None:
        self._stores = Stores()
        self._stopped = dict[Hashable, str]()
        self._explorers = dict[str, Explorer]()
        self._conversation = Conversation(ExploreState().with_settings(settings))
        self._data = Uploaded(pair, (), (None, None), truth=truth)
        self._choices = PanelChoices()
        self._quiet = False
        self._document: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        super().__init__(_parts=digests(), _still_id=secrets.token_hex(6))
        self.set_trait("truth", truth)
        self._show_settings()
        self._measure()
        self.on_msg(self._hear)

    # ---- set from Python ----

    def _problem(self) -> Problem:
        """The `Problem` of the pair with the current settings, limited to values that the samples
        allow.
        """
        return allowed(problem_of(self._conversation.update().settings, self._data, self._stores))

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Context in which traits are set from the settings, without a change of the settings in
        turn.
        """
        before = self._quiet
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = before

    def _show_settings(self) -> None:
        """Set the traits (k, bandwidth, ...) to the settings that the user has chosen in the
        browser.
        """
        settings = self._conversation.update().settings
        with self._quietly():
            for name in SETTINGS:
                setattr(self, name, getattr(settings, name))
            self.families = settings.methods

    def _measure(self) -> None:
        """Measure the curves of the current settings, and draw them in every view."""
        problem = self._problem()
        answer = Answer(problem, results.results(problem))
        self._keep(answer)
        self._draw(answer)

    def _keep(self, answer: Answer) -> None:
        """Store a drawn result in the traits, unless the settings have changed since it was
        requested.
        """
        if results.key(answer.problem) != results.key(self._problem()):
            return
        self.set_trait("curves", dict(answer.found.curves))
        self._still = self._picture()
        self._final = answer
        self._draw_panels()

    def _picture(self) -> str:
        """The curves as an SVG beside their numbers, in HTML without a script."""
        ordered = sorted(self.curves, key=lambda name: float(self.curves[name].auc))
        color = colors(self.curves)
        drawn = {ESTIMATORS[name].title: self.curves[name] for name in ordered}
        named = {ESTIMATORS[name].title: color[name] for name in ordered}
        if self.truth is not None:
            drawn = {TRUTH: self.truth, **drawn}
            named = {TRUTH: TRUTH_COLOR, **named}
        return shown.as_html(drawn, named)

    @traitlets.validate("split")
    def _legal_split(self, proposal: Mapping[str, Any]) -> float | None:
        try:
            return split_share(proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from error

    @traitlets.validate("families")
    def _legal_families(self, proposal: Mapping[str, Any]) -> tuple[str, ...]:
        try:
            return tuple(method_names(list(proposal["value"])))
        except (ValueError, TypeError) as error:
            raise traitlets.TraitError(str(error)) from error

    @traitlets.validate("panels")
    def _legal_panels(self, proposal: Mapping[str, Any]) -> tuple[str, ...]:
        unknown = [name for name in proposal["value"] if name not in PANELS]
        if unknown:
            raise traitlets.TraitError(f"no panel {unknown[0]!r}; there are {', '.join(PANELS)}")
        return tuple(name for name in PANELS if name in proposal["value"])

    @traitlets.validate("k")
    def _legal_k(self, proposal: Mapping[str, Any]) -> K:
        k: K = proposal["value"]
        most = self._problem().largest_k
        if k != "sqrt" and k > most and not self._quiet:
            raise traitlets.TraitError(
                f"k = {k}; the smaller set of fit samples allows 1 to {most}"
            )
        return k

    @traitlets.observe(*SETTINGS, "families")
    def _set(self, change: Mapping[str, Any]) -> None:
        """Apply a trait that was set from Python to the settings, measure and draw."""
        if self._quiet:
            return
        name = {"families": "methods"}.get(change["name"], change["name"])
        self._conversation.update(
            lambda now: now.with_settings(replace(now.settings, **{name: change["new"]}))
        )
        wanted = self._problem().settings
        self._conversation.update(lambda now: now.with_settings(wanted))
        self._show_settings()
        self._measure()
        self._update_document()

    def __repr__(self) -> str:
        areas = ", ".join(f"{name} {curve.auc:.2f}" for name, curve in self.curves.items())
        return f"CurveWidget(k = {self._problem().k}, area: {areas})"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget as MIME data, and a picture for documents without a kernel."""
        data, meta = super()._repr_mimebundle_(**options) or ({}, {})
        return {**data, "text/html": self._still}, meta

    def _ipython_display_(self, **options: Any) -> None:
        """Show the widget, and below it the picture for documents without a kernel.

        The picture is hidden while a kernel answers. It is needed because a notebook that is opened
        again has lost the state of its widgets.
        """
        data, meta = super()._repr_mimebundle_(**options) or ({}, {})
        display(data, metadata=meta, raw=True)
        self._document = display(self._stays(), display_id=True)

    def _update_document(self) -> None:
        if self._document is not None:
            self._document.update(self._stays())

    def _stays(self) -> HTML:
        return HTML(f'<div class="prviz-{self._still_id}">{self._still}</div>')

    def close(self) -> None:
        """Stop all work, and remove the widget from the page."""
        for explorer in self._explorers.values():
            explorer.close()
        self._explorers.clear()
        super().close()

    # ---- messages from the browser ----

    def _hear(self, _widget: Any, message: Mapping[str, Any], _buffers: Sequence[Any]) -> None:
        """Handle a message that a view sends from the browser."""
        self._loop = _running_loop()
        name = str(message.get("view", ""))
        match message.get("kind"):
            case "part":
                wanted = str(message["name"])
                self.send({"kind": "part", "name": wanted}, [part(wanted)])
            case "ask":
                self._answer(name, message["question"])
            case "pin":
                self._conversation.pin(self._problem(), message["value"])
                self._draw(self._known())
            case "open" | "follow":
                self._explorer(name)
                self._draw(self._known())
                self._draw_panels()
                self._update_document()
            case "panel":
                self._choices.take(message["values"], self.families)
                self._draw_panels()
            case "ping":
                self.send({"kind": "pong"})
            case "leave" if name in self._explorers:
                self._explorers.pop(name).close()

    def _explorer(self, name: str) -> Explorer:
        """The `Explorer` that answers one view; if there are too many views, the oldest explorer is
        closed.
        """
        found = self._explorers.pop(name, None) or Explorer(self._stopped)
        self._explorers[name] = found
        for old in list(self._explorers)[:-MOST_VIEWS]:
            self._explorers.pop(old).close()
        return found

    def _answer(self, name: str, question: Mapping[str, Any]) -> None:
        """Answer a request of one view; each line of the answer is sent as soon as it is known."""
        number = int(question["q"])
        explorer = self._explorer(name)

        def send(line: bytes | None) -> None:
            head = {"kind": "line", "view": name, "q": number}
            self.send(head, [] if line is None else [line])

        if question.get("stop"):
            explorer.stop()
        asked = self._conversation.understand(question, send, self._problem, self._content)
        self._show_settings()
        explorer.ask(asked)

    def _content(self, asked: Problem, number: int, answer: Answer, have: set[str]) -> bytes:
        if answer.final:
            self._later(partial(self._keep, answer))
        state = self._conversation.update()
        return view.content(
            state, view.Asked(asked, number), answer, stopped=self._stopped, have=have, panels=False
        )

    def _later(self, call: Callable[[], None]) -> None:
        """Call a function in the kernel's main thread, where observers of traits run."""
        if self._loop is None:
            call()
        else:
            self._loop.call_soon_threadsafe(call)

    def _known(self) -> Answer:
        """The cached result for the current settings; if there is none, the last result, marked as
        stale.
        """
        problem = self._problem()
        found = results.known(problem)
        if found is not None:
            self._shown = Answer(problem, found)
            return self._shown
        return replace(self._shown, stale=True)

    def _draw(self, answer: Answer) -> None:
        """Draw a result in every view, with controls that show the current settings."""
        if not answer.stale:
            self._shown = answer
        if not self._explorers:
            return
        state = self._conversation.update()
        content = view.content(
            state,
            view.Asked(self._problem(), self._conversation.asked),
            answer,
            stopped=self._stopped,
            panels=False,
        )
        # The figure sends requests only if it has a token, whatever its value.
        self.send({"kind": "draw"}, [joined(content, {"above": "", "token": "kernel"})])

    @traitlets.observe("panels")
    def _draw_panels(self, _change: object = None) -> None:
        """Draw the open panels in every view."""
        if not self._explorers:
            return
        for name in self.panels:
            head = {"kind": "panel", "name": name}
            if name == "space":
                head["choices"] = self._choices.offered(self._final.problem.settings.methods)
            self.send(head, [self._choices.content(name, self._final)])


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def widget(
    real: SamplePair | SamplesLike,
    generated: SamplesLike | None = None,
    truth: PRCurve | None = None,
    *,
    families: Methods = None,
    k: K = "sqrt",
    split: SplitRatio = 0.5,
    seed: int = 0,
) -> CurveWidget:
    """The live figure of the Explore page for a pair, in a notebook whose kernel computes it.

    Needs ``pip install "prviz[notebook]"``.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. A single `SamplePair` can replace both.
    truth : PRCurve, optional
        The true curve, if it is known.
    families : sequence of str or str, optional
        Names in ESTIMATORS; None: the default ones.
    k, split, seed : optional
        Initial values of the sliders, as in `pr_curve`.

    Returns
    -------
    CurveWidget
        Its attributes ``k``, ``bandwidth``, ``split``, ``seed``, ``repeats``, ``lam`` and
        ``families`` follow the sliders, and move them when they are set; ``curves`` holds the curve
        of each family.

    Raises
    ------
    ValueError, TypeError
        As `pr_curve`.
    ModuleNotFoundError
        Without anywidget.

    Examples
    --------
    >>> real, generated = prviz.toy("mixtures").sample(500, seed=0)  # doctest: +SKIP
    >>> w = prviz.widget(real, generated)  # doctest: +SKIP
    >>> w.k = 9  # doctest: +SKIP
    >>> w.curves["knn"].auc  # doctest: +SKIP
    """
    pair = checked_pair(real, generated)
    drawn = pair.split(split, seed)
    if (number := checked_k(k)) != "sqrt":
        check_k(number, drawn)
    settings = ExploreSettings(
        source="upload",
        problem="",
        n=max(pair.real.n, pair.generated.n),
        methods=tuple(method_names(families)),
        k=k,
        split=split_share(split),
        seed=seed,
    )
    return CurveWidget(pair, truth, settings)
