"""Families added by users and packages: legal ones, where they appear, and the messages about
broken ones.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import prviz
from prviz import figures
from prviz.cli.main import main
from prviz.curves import ErrorRates
from prviz.curves.summaries import summaries
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Estimator
from prviz.figures import theme
from prviz.measure.estimates import estimate, pr_curve
from prviz.measure.profiles import profile
from prviz.reports import export
from prviz.reports.settings import ExploreSettings
from tests.estimators.pairs import gaussians, pooled, supports
from tests.explore_app import healthy, last_word, opened, payload, vertices

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _as_before():
    """Restore the registry after each test."""
    known = dict(ESTIMATORS)
    yield
    ESTIMATORS.clear()
    ESTIMATORS.update(known)


PAIR = gaussians(60, 50, 3, 0.5, seed=0)


def centres(fit, evaluate):
    """Closeness to the mean of either set.

    More words.
    """
    z = np.concatenate(evaluate)
    return tuple(np.exp(-np.linalg.norm(z - side.mean(axis=0), axis=1)) for side in fit)


# ---- what it gives ----


@pytest.mark.parametrize("split", [0.5, None])
def test_a_function_is_a_family(split):
    prviz.register("centres", centres)
    drawn = PAIR.split(split, 3)
    z = pooled(drawn.evaluate)
    means = [side.values.mean(axis=0) for side in drawn.fit]
    expected = [[float(np.exp(-np.linalg.norm(point - mean))) for point in z] for mean in means]
    curve = ErrorRates.from_supports(*expected, drawn.evaluate.real.n).curve()
    options = {"split": split, "seed": 3}
    found, knn = estimate(PAIR, ("centres", "knn"), k=3, **options).values()
    np.testing.assert_allclose(found.curve.vertices, curve.vertices, atol=1e-12)
    assert found.curve.auc > 0.3
    again = pr_curve(*PAIR, "centres", k=9, **options)
    assert np.array_equal(again.vertices, found.curve.vertices)
    alone = pr_curve(*PAIR, "knn", k=3, **options)
    assert np.array_equal(alone.vertices, knn.curve.vertices)
    assert DEFAULT_METHODS == ("knn", "kde", "ipr", "coverage")
    assert profile(*PAIR, ("centres",), (2, 3)).curve("centres", 3).auc > 0
    assert prviz.bootstrap(found, 5).values == summaries(found.curve)


def test_the_roles_come_in_order():
    def seen(fit, evaluate):
        assert [len(side) for side in (*fit, *evaluate)] == [15, 5, 45, 15]
        assert (len(fit.real), len(evaluate.generated)) == (15, 15)
        ones = np.ones(60, dtype=bool)
        return ones, np.arange(60) >= 45  # all real samples look real and no generated one does

    prviz.register("seen", seen)
    curve = pr_curve(*gaussians(60, 20, 3), "seen", k=1, split=0.25)
    assert curve.auc == 0
    assert curve.vertices.tolist() == [[0, 0]]


def test_without_split_both_arguments_are_one_and_nobody_can_write_to_them():
    def check(fit, evaluate):
        assert evaluate is fit
        assert not fit.real.flags.writeable
        return [1] * 110, [2] * 110

    prviz.register("check", check)
    assert pr_curve(*PAIR, "check", split=None).auc == 1  # what can't be told apart
    with pytest.raises(ValueError, match="check: its function failed with AssertionError"):
        pr_curve(*PAIR, "check", split=0.5)


def test_what_it_is_called():
    prviz.register("centres", centres)
    made = ESTIMATORS["centres"]
    assert isinstance(made, Estimator)
    assert (made.name, made.title, made.tunes) == ("centres", "centres", None)
    assert made.idea == "Closeness to the mean of either set."
    assert made.source == f"{__name__}.centres"
    words = {"title": "Centres", "idea": "How close?", "source": "Doe 2030"}
    prviz.register("again", functools.partial(centres), **words)
    assert {name: getattr(ESTIMATORS["again"], name) for name in words} == words
    assert list(ESTIMATORS)[-2:] == ["centres", "again"]


# ---- what is refused ----


@pytest.mark.parametrize(
    "name", ["", "a b", "2nd", "a-b", "a,b", "knn\n", "naïve", "class", "truth", 3, None]
)
def test_names_that_nothing_can_carry(name):
    with pytest.raises(ValueError, match=r"name = .*; an identifier is needed"):
        prviz.register(name, centres)


def test_names_that_are_taken():
    with pytest.raises(ValueError, match="name = 'knn' is taken"):
        prviz.register("knn", centres)
    prviz.register("mine", centres)
    with pytest.raises(ValueError, match="name = 'mine' is taken"):
        prviz.register("mine", functools.partial(centres))
    with pytest.raises(TypeError, match="supports is str; a function"):
        prviz.register("other", "centres")


def test_a_function_may_be_registered_again_also_when_its_cell_ran_again():
    def made(value):
        def mine(fit, evaluate):
            n = sum(map(len, evaluate))
            return np.full(n, value), np.ones(n)

        return mine

    prviz.register("mine", made(1.0))
    prviz.register("mine", made(2.0))
    assert supports(PAIR, "mine").c_real[0] == 2
    once = functools.partial(centres)
    prviz.register("part", once)
    prviz.register("part", once)


def _gives(value):
    return lambda fit, evaluate: value


ONES = np.ones(55)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (ONES, "ndarray of length 55; the pair"),
        (None, "NoneType; the pair"),
        ((ONES, ONES, ONES), "tuple of length 3; the pair"),
        ((ONES, np.ones(54)), r"c_generated has shape \(54,\); \(55,\) is needed"),
        ((np.ones((55, 1)), ONES), r"c_real has shape \(55, 1\)"),
        ((ONES, -ONES), r"c_generated\[0\] is -1.0; every support must be non-negative and finite"),
        ((np.append(ONES[1:], np.nan), ONES), r"c_real\[54\] is nan"),
        ((np.append(ONES[1:], np.inf), ONES), r"c_real\[54\] is inf"),
        ((["a"] * 55, ONES), "c_real has dtype"),
        ((ONES * 1j, ONES), "c_real has dtype complex128"),
        (([[1], [1, 2]], ONES), "c_real is no array"),
    ],
)
def test_supports_that_are_none(found, message):
    prviz.register("mine", _gives(found))
    with pytest.raises(ValueError, match=f"^mine: .*{message}"):
        estimate(PAIR, "mine")


def test_any_numbers_will_do():
    for kind in (bool, np.uint8, np.int32, np.float16, list):
        values = [1] * 55 if kind is list else np.ones(55, dtype=kind)
        ESTIMATORS.pop("mine", None)
        prviz.register("mine", _gives([values, values]))
        assert pr_curve(*PAIR, "mine").auc == 1


def test_an_error_in_the_function_names_the_family():
    def broken(fit, evaluate):
        raise KeyError("no such column")

    prviz.register("broken", broken)
    with pytest.raises(
        ValueError, match="broken: its function failed with KeyError: 'no such column'"
    ) as caught:
        estimate(PAIR, "broken")
    assert isinstance(caught.value.__cause__, KeyError)

    def greedy(fit, evaluate):
        raise MemoryError

    prviz.register("greedy", greedy)
    with pytest.raises(MemoryError):
        estimate(PAIR, "greedy")


# ---- where it appears ----


def test_the_command_knows_it(tmp_path, capsys):
    prviz.register("centres", centres)
    paths = [str(tmp_path / f"{name}.npy") for name in ("real", "generated")]
    for path, samples in zip(paths, PAIR, strict=True):
        np.save(path, samples.values)
    line = ["curve", *paths, "--method", "centres"]
    assert main([*line, "--html", str(tmp_path / "out.html")]) == 0
    (row,) = re.findall("^centres .*", capsys.readouterr().out, re.MULTILINE)
    assert row.split()[2] == f"{pr_curve(*PAIR, 'centres').auc:.4f}"
    assert main([*line, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["methods"]) == ["centres"]
    prviz.register("broken", _gives(None))
    assert main([*line[:-1], "broken"]) == 2
    assert capsys.readouterr().err.startswith("prviz: error: broken: its function gave NoneType")


def test_links_and_code_carry_it():
    prviz.register("centres", centres)
    settings = ExploreSettings(methods=("knn", "centres"), n=50)
    assert ExploreSettings.from_query(settings.to_query()) == (settings, [])
    namespace: dict = {}
    exec(export.python_snippet(settings), namespace)
    assert list(namespace["curves"]) == ["knn", "centres"]
    del ESTIMATORS["centres"]
    _, messages = ExploreSettings.from_query(settings.to_query())
    assert len(messages) == 1


def test_every_figure_gives_it_a_colour_of_its_own():
    names = [f"mine_{i}" for i in range(12)]
    for name in names:
        prviz.register(name, centres, title=name.upper())
    given = figures.colors([*DEFAULT_METHODS, *names])
    assert [given[name] for name in DEFAULT_METHODS] == [
        figures.FAMILY_COLORS[name] for name in DEFAULT_METHODS
    ]
    assert len(set(given.values())) == len(given)
    for color in given.values():
        bright = theme.luminance([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        dark_page = theme.luminance([14 / 255, 17 / 255, 23 / 255])
        assert 1.05 / (bright + 0.05) >= 3
        assert (bright + 0.05) / (dark_page + 0.05) >= 3
    curves = {name: pr_curve(*PAIR, name) for name in names[:3]}
    drawn = {trace.name: trace for trace in figures.pr_figure(curves).data}
    assert list(drawn) == ["MINE_0", "MINE_1", "MINE_2"]
    assert {trace.line.dash for trace in drawn.values()} == {None}


@pytest.mark.exhaustive
def test_explore_offers_it_and_draws_it():
    prviz.register("centres", centres, title="Centres")
    app = opened(n="60", methods="knn,centres", **{"p.d": "3"})
    assert app.button_group(key="methods.Your own").options == ["Centres"]
    assert list(vertices(app)) == ["truth", "knn", "centres"]
    assert list(last_word(app)["table"]["rows"]) == ["truth", "knn", "centres"]
    assert app.query_params["methods"] == "knn,centres"
    named = {curve["id"]: curve for curve in payload(app)["curves"]}
    assert named["centres"]["name"] == "Centres"
    assert named["centres"]["color"] not in figures.FAMILY_COLORS.values()
    for tab in ("Over k", "Over bandwidth", "Stability", "Extremes", "Samples"):
        app.session_state["diagnostics-with-truth"] = tab
        app.run()
        healthy(app)


def test_explore_says_which_family_failed():
    prviz.register("broken", _gives(None))
    app = opened(n="60")
    app.button_group(key="methods.Your own").set_value(["broken"]).run()
    healthy(app)
    last_word(app)
    said = [each.value.replace("\\", "") for each in app.info]
    assert any("broken: its function gave NoneType" in each for each in said)


# ---- entry points ----

PLUGIN = '''
import numpy as np
from prviz.estimators.base import About, Estimator, Supports

def side(fit, evaluate):
    """Which side of zero?"""
    z = np.concatenate(evaluate)[:, 0] > 0
    return tuple(np.where(z, np.mean(c[:, 0] > 0), np.mean(c[:, 0] <= 0)) for c in fit)

class _Constant(Estimator):
    name, title, idea, source, tunes = "constant", "Constant", "What if all look alike?", "nobody", "k"
    about = About("Fancy", "c_X = c_Y = 1", "None.", "It sees no difference.", "not at all.")

    def runs(self, split, *, k, seed, progress):
        n = sum(map(len, split.evaluate_rows))
        return (Supports(np.ones(n), np.ones(n), len(split.evaluate_rows[0])),)

CONSTANT = _Constant()
NUMBER = 3
'''
POINTS = """
[prviz.families]
side = fancy_family:side
constant = fancy_family:CONSTANT
renamed = fancy_family:CONSTANT
knn = fancy_family:side
missing = fancy_family:nothing
absent = no_such_package:thing
failing = failing_family:thing
number = fancy_family:NUMBER
bad-name = fancy_family:side

[other.group]
unrelated = no_such_package:thing
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder like one with installed packages."""
    (tmp_path / "fancy_family.py").write_text(PLUGIN)
    (tmp_path / "failing_family.py").write_text("raise RuntimeError('no accelerator')")
    info = tmp_path / "fancy_family-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fancy-family\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    return tmp_path


def fresh(site: Path, code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A new interpreter that finds the packages of `site` and prviz."""
    head = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(site)!r}]\n"
    command = [sys.executable, *options, "-c", head + textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.exhaustive
def test_packages_bring_families_along(site):
    code = """
        import json, warnings
        import prviz
        early = "fancy_family" in sys.modules or "prviz.estimators" in sys.modules
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            names = list(prviz.ESTIMATORS)
        curve = prviz.pr_curve([[1.0], [2.0], [3.0], [4.0]], [[-1.0], [-2.0], [-3.0], [-4.0]], "side", k=1)
        same = prviz.pr_curve([[1.0]] * 4, [[2.0]] * 4, "constant", k=1).auc
        heavy = [name for name in ("streamlit", "plotly") if name in sys.modules]
        told = [str(each.message) for each in caught]
        idea = prviz.ESTIMATORS["side"].idea
        print(json.dumps([early, names, curve.auc, same, heavy, told, idea]))
    """
    done = fresh(site, code)
    assert done.returncode == 0, done.stderr
    early, names, apart, same, heavy, told, idea = json.loads(done.stdout)
    assert not early
    assert not heavy
    assert names == [*ESTIMATORS, "constant", "side"]
    assert (apart, idea) == (0, "Which side of zero?")
    assert 0 < same <= 1
    left_out = {
        "absent": "ModuleNotFoundError: No module named 'no_such_package'",
        "bad-name": "ValueError: name = 'bad-name'; an identifier",
        "failing": "RuntimeError: no accelerator",
        "knn": "ValueError: name = 'knn' is taken",
        "missing": "AttributeError: module 'fancy_family' has no attribute 'nothing'",
        "number": "TypeError: supports is int; a function",
        "renamed": "ValueError: its object is named 'constant'; both names must be the same",
    }
    assert len(told) == len(left_out)
    for name, why in left_out.items():
        (said,) = (each for each in told if f"the entry point {name} = " in each)
        assert why in said


@pytest.mark.exhaustive
def test_a_package_may_register_when_it_is_loaded(site):
    (site / "fancy_family.py").write_text(
        PLUGIN
        + "\nimport prviz\nfrom prviz.measure.estimates import estimate\nprviz.register('second', "
        "side)\n"
    )
    done = fresh(site, "import prviz; print(*prviz.ESTIMATORS)", "-W", "ignore")
    assert done.stdout.split() == [*ESTIMATORS, "second", "constant", "side"], done.stderr


@pytest.mark.exhaustive
def test_the_command_knows_what_packages_bring(site, tmp_path):
    for name, samples in zip(("real", "generated"), gaussians(), strict=True):
        np.save(tmp_path / f"{name}.npy", samples.values)
    code = f"""
        from prviz.cli.main import main
        folder = {str(tmp_path)!r}
        sys.exit(main(["curve", folder + "/real.npy", folder + "/generated.npy", "--method", "side"]))
    """
    done = fresh(site, code, "-W", "ignore")
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("side") for line in done.stdout.splitlines())
