"""The report of a triage: every number in every format, foreign text as text, and the same numbers
again.
"""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import json
import os
import pickle
import re
import resource
import shutil
import tracemalloc
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from prviz.cli.main import main
from prviz.readers import read
from prviz.reports import report_json as report_text, rerun
from prviz.reports.document import NOT_ALL, Document, ceiling_of, curve_of, curves_of, document
from prviz.reports.files import FORMATS, write_reports
from prviz.reports.page import to_html, verdict as verdict_of_page
from prviz.reports.report_json import from_json, read_report, to_json
from prviz.reports.tables import table, to_csv, to_parquet
from prviz.samples import Samples
from prviz.triage.decision import basis_of, judge
from prviz.triage.inputs import Checkpoint, checkpoints_of
from prviz.triage.measured import CheckpointOutcome, TriageSettings
from prviz.triage.triage import TriageResults
from prviz.triage.yardstick import yardstick
from prviz.uncertainty.bootstrap import bootstrap
from tests.triage_files import measure_all
from tests.triage_found import bundled_found

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
HOSTILE = (
    '</script><script>alert(1)</script><img src="https://example.org/x.png" onerror=alert(1)>',
    '=HYPERLINK("http://example.org")',
    "+a\rb\nc\u2028d",
    "'\"><!--${7*7}{{8}}",
    "not utf-8 \udcff",
)


@cache
def measured() -> tuple[Samples, tuple[CheckpointOutcome, ...], TriageSettings]:
    """Three sets of a few dozen points in two families, called by names of a bad kind, and two that
    failed.
    """
    settings = TriageSettings(("knn", "kde"), k=4)
    found = bundled_found(("mixture-em-1", "mixture-em-5", "mixture-em-20"), settings, n=60)
    outcomes = []
    for name, each in zip(HOSTILE, found.outcomes, strict=False):
        extra = {"=psi": 0.5, "cfg": float(len(name))}
        checkpoint = Checkpoint(Path(f"{name}.npz"), name, each.checkpoint.step, extra)
        of = tuple(replace(one, checkpoint=checkpoint) for one in each.measured)
        outcomes.append(CheckpointOutcome(checkpoint, of))
    for name in HOSTILE[3:]:
        checkpoint = Checkpoint(Path(name), name)
        outcomes.append(CheckpointOutcome(checkpoint, (), reason=f"{name}: corrupt"))
    return found.reference, tuple(outcomes), settings


def document_of(
    outcomes: Sequence[CheckpointOutcome],
    replicates: int = 2,
    total: int | None = None,
    **more: Any,
) -> Document:
    """The document of some outcomes on the measured reference."""
    reference, _, settings = measured()
    found = TriageResults(reference=reference, outcomes=outcomes, settings=settings, **more)
    return document(found, "real.npz", replicates=replicates, total=total)


@cache
def report() -> Document:
    return document_of(measured()[1], 20, goal=0.25)


def copy_of_report() -> Document:
    return from_json(to_json(report()))


def entry_of(lines: Sequence[Any], name: str, key: str = "name") -> Any:
    (found,) = (each for each in lines if each[key] == name)
    return found


def test_it_holds_what_was_measured_to_the_last_bit() -> None:
    reference, outcomes, settings = measured()
    found = copy_of_report()
    assert found == report()
    everything = [each for outcome in outcomes for each in outcome.measured]
    for one in everything:
        entry = entry_of(found["checkpoints"], one.checkpoint.name)
        curve = curves_of(found, one.method)[one.checkpoint.name]
        assert np.array_equal(curve.vertices, one.curve.vertices)
        told = bootstrap(one.estimate, 20, seed=0).intervals
        summaries = entry["families"][one.method]["summaries"]
        for key, value in one.summaries.items():
            assert summaries[key] == {"value": value, **told[key]._asdict()}
        assert entry["n"] == one.n_generated
        assert entry["digest"] == one.digests.generated
        assert entry["step"] == one.checkpoint.step
    nothing = dict.fromkeys(("second", "second_low", "second_high"))
    for family in settings.methods:
        judged = judge(everything, 0.25, replicates=20, basis=basis_of(everything, family))
        lines = judged.table.drop(columns=["step", *nothing]).to_dict("records")
        for line in lines:
            line |= {"at_most": judged.at_most[line["checkpoint"]], **nothing}
        assert found["rankings"][family] == {"reason": None, "lines": lines}
    assert found["reference"]["digest"] == reference.digest
    reasons = [each["reason"] for each in found["checkpoints"]]
    assert [reason is None for reason in reasons] == [True] * 3 + [False] * 2
    assert found["settings"]["k"] == 4
    assert found["complete"]
    assert not document_of(outcomes, total=9)["complete"]


def test_a_family_that_has_not_measured_all_ranks_none_and_no_other_stands_for_it() -> None:
    first, *others = measured()[1]
    found = document_of([first.of(["knn"]), *others])["rankings"]
    assert found["kde"] == {"reason": NOT_ALL, "lines": []}
    assert len(found["knn"]["lines"]) == 3


@pytest.mark.exhaustive
def test_a_page_names_families_that_this_version_does_not_know() -> None:
    found = copy_of_report()
    assert found["verdict"]["family"] == "knn"
    found["verdict"] |= {"family": "newer", "second_family": "newer"}
    for each in found["checkpoints"][:3]:
        each["families"]["newest"] = each["families"]["kde"]
    found["rankings"]["newest"] = found["rankings"].pop("kde")
    found["settings"]["methods"] = ["knn", "newest"]
    assert Page(to_html(found)).scripts
    first = found["rankings"]["knn"]["lines"][0]
    first |= dict.fromkeys(("score", "behind"), 0.05)
    first |= dict.fromkeys(("second", "second_low", "second_high"), 0.5)
    assert "newer 0.500" in verdict_of_page(found, "knn")


def test_a_report_of_uncut_areas_is_told_from_another_measurement() -> None:
    before = copy_of_report()
    now = copy_of_report()
    name = now["checkpoints"][0]["name"]
    kept, cut = (
        each["checkpoints"][0]["families"]["knn"]["summaries"]["auc"] for each in (before, now)
    )
    cut["value"] /= 2
    lines = before["rankings"]["knn"]["lines"]
    lines.append(lines.pop(0))
    found = rerun._compared(before, now)
    where = f"checkpoints, {name}, families, knn, summaries, auc, value"
    places = [f"rankings, knn, lines, {line['checkpoint']}, place" for line in lines]
    assert sorted(each.partition(": ")[0] for each in found.differences) == sorted([where, *places])
    assert found.notes == (rerun.UNCUT,)
    cut["value"] = kept["value"] / 3
    kept["value"] /= 2
    assert rerun._compared(before, now).notes == ()  # not the area under that curve


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="outcomes is empty"):
        document_of(())


def test_the_tables_have_every_number_and_no_formula() -> None:
    frame = table(report())
    rows = list(csv.DictReader(io.StringIO(to_csv(report()))))
    stored = pq.read_table(io.BytesIO(to_parquet(report())))
    rest = json.loads(stored.schema.metadata[b"prviz"])
    assert rest["conventions"] == report()["conventions"]
    assert stored.to_pandas()["value"].tolist()[:5] == frame["value"].tolist()[:5]
    assert len(rows) == len(frame) == stored.num_rows
    for row in rows:
        assert not [cell for cell in (*row, *row.values()) if cell.startswith(FORMULA)]
    for place, each in enumerate(report()["checkpoints"][:3]):
        for family, found in each["families"].items():
            shown = frame[(frame["checkpoint"] == HOSTILE[place]) & (frame["family"] == family)]
            numbers = shown[shown["vertex"].isna()].set_index("quantity")
            for key, one in found["summaries"].items():
                assert numbers.loc[key, ["value", "low", "high"]].tolist() == list(one.values())
            for side, values in found["vertices"].items():
                assert shown[shown["quantity"] == side]["value"].tolist() == values
            own = {"digest": each["digest"], "family": family}
            of = [float(row["value"]) for row in rows if row.items() >= own.items()]
            assert of == shown["value"].tolist()
            line = entry_of(report()["rankings"][family]["lines"], each["name"], "checkpoint")
            ranked = [line[key] for key in ("score", "low", "high")]
            assert numbers.loc["score", ["value", "low", "high"]].tolist() == ranked
    assert frame["reason"].notna().sum() == 2
    assert frame["extra_cfg"].notna().sum() == len(frame) - 2


class Page(HTMLParser):
    """What a browser would make of a page, as far as it matters here."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags = set[str]()
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self.in_script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts.append(data)
            self.in_script = False

    def unpacked(self, place: int) -> str:
        return gzip.decompress(base64.b64decode(self.scripts[place])).decode()


def test_the_page_asks_nobody_for_anything_and_runs_only_its_own() -> None:
    text = to_html(report())
    page = Page(text)
    assert "img" not in page.tags
    names = {name for name, _ in page.attributes}
    assert not names & {"src", "href", "action", "srcset"}
    assert not [name for name in names if name.startswith("on")]
    assert json.loads(page.unpacked(0)) == report()
    assert len(text) < 1_000_000  # with plotly.js
    contents = [str(value) for name, value in page.attributes if name == "content"]
    (policy,) = (each for each in contents if "default-src" in each)
    running = [page.scripts[3], page.unpacked(2)]  # what unpacks the page, and what it then runs
    allowed = []
    for script in running:
        digest = hashlib.sha256(script.encode()).digest()
        allowed.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    assert policy.startswith(f"default-src 'none'; script-src {' '.join(allowed)};")
    assert not re.search(r"url\(|@import", text[: text.index("</style>")])
    assert "corrupt" in text
    assert "The goal here is 0.25, from 0 (precision first) to 1 (recall first)" in text
    assert all("est: " in verdict_of_page(report(), name) for name in ("knn", "kde"))
    assert report()["reference"]["digest"] in text


def test_every_figure_of_the_page_has_the_ceiling_and_every_score_its_share() -> None:
    reference, outcomes, settings = measured()
    top = yardstick(reference, settings)
    found = document_of(outcomes, 20, yardstick=top)
    text = to_html(found)
    figures = json.loads(Page(text).unpacked(1))
    for family, ceiling in top.ceiling.items():
        entry = ceiling_of(found, family)
        assert entry is not None
        assert np.array_equal(curve_of(entry).vertices, ceiling.curve.vertices)
        for name, figure in figures[family].items():
            drawn = figure["data"] + figure["layout"].get("shapes", [])
            dashes = [each.get("line", {}).get("dash") for each in drawn]
            assert dashes.count("dash") == 1, name
        rows = table(found).query("family == @family and quantity == 'share_of_ceiling'")
        shares = [each["share_of_ceiling"] for each in found["checkpoints"] if each["families"]]
        assert rows["value"].tolist() == [share[family]["share"] for share in shares]
    assert "Dashed: what real samples get" in text
    assert "Dashed: what real samples get" not in to_html(report())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 2}, "has schema version '2'; this prviz reads version 1"),
        ({"schema": "else"}, "without the schema"),
        ({"settings": []}, "settings of the report is '\\[\\]'"),
        ({"goal": True}, "goal of the report"),
        ({"goal": 2}, "goal of the report is '2'; a number from 0 to 1"),
        (
            {"settings": {**asdict(TriageSettings()), "methods": ["knn"], "seed": "x"}},
            "seed of settings",
        ),
        (
            {"reference": {"name": "r", "path": "r", "n": 0, "digest": ""}},
            "n of reference is '0'; a number from 1",
        ),
        ({"checkpoints": []}, "needs checkpoints"),
        ({"checkpoints": [1]}, "is no object"),
        ({"checkpoints": "same"}, "a name of its own"),
        ({"bootstrap": {"replicates": 10**9, "seed": 0}}, "2 to 100000"),
        ({"reference": {"name": "r", "path": 5, "n": 3, "digest": ""}}, "path of reference"),
    ],
)
def test_what_is_no_report_of_this_version_is_refused(change: dict[str, Any], message: str) -> None:
    if change.get("checkpoints") == "same":
        change = {"checkpoints": [report()["checkpoints"][0]] * 2}
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps({**report(), **change}))


def test_hostile_files_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    step = to_json(report()).replace('"step": 5', '"step": 1' + "0" * 400)
    for data in (
        pickle.dumps({"schema": "prviz-triage"}),
        b"[" * 100_000,
        b'{"schema": NaN}',
        b"9" * 10_000,
        b"",
        step.encode(),
        b"\xff\xfe",
    ):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"'report\.json': this is no report"):
            read_report(path)
    monkeypatch.setattr(report_text, "_MOST_BYTES", 1000)
    path.write_text(to_json(report()))
    with pytest.raises(ValueError, match="that is no report"):
        read_report(path)


@pytest.mark.exhaustive
def test_a_full_disk_leaves_the_old_reports_as_they_were(tmp_path: Path) -> None:
    paths = [tmp_path / f"report{suffix}" for suffix in FORMATS]
    for path in paths[1:]:
        path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        # too little for the page, enough for the others
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, limits[1]))
        with pytest.raises(OSError, match="what was there before still is"):
            write_reports(report(), paths)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(tmp_path.iterdir()) == sorted(paths[1:])
    assert {path.read_text() for path in paths[1:]} == {"old"}
    write_reports(report(), paths)
    assert from_json((tmp_path / "report.json").read_text()) == report()
    assert len(list(tmp_path.iterdir())) == 4


# ---- the shell ----


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of three checkpoints, one of them broken, in a current folder."""
    monkeypatch.setenv("PRVIZ_CACHE", str(tmp_path / "cache"))
    run = tmp_path / "run"
    run.mkdir()
    draw = np.random.default_rng(1).standard_normal
    np.savez(run / "real.npz", latent=draw((80, 3)), pixels=draw((80, 5)))
    np.savez(run / "step-10.npz", latent=draw((80, 3)) + 1.0, pixels=draw((80, 5)))
    np.savez(run / "step-20.npz", latent=draw((70, 3)), pixels=draw((80, 5)))
    (run / "step-30.npz").write_bytes(b"PK broken")
    (tmp_path / "about.csv").write_text("file,psi\nstep-10.npz,0.5\n")
    monkeypatch.chdir(tmp_path)
    return run


LINE = ["triage", "run/real.npz", "run", "--key", "latent", "--metadata", "about.csv", "--k", "3"]
LINE += ["--method", "knn,coverage", "--equal-sizes", "--goal", "recall", "--seed", "4"]


@pytest.mark.exhaustive
def test_a_report_is_measured_again_number_by_number(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "report.json"
    names = [f"report{suffix}" for suffix in FORMATS]
    assert main([*LINE, *(f"--report={name}" for name in names)]) == 1
    out = capsys.readouterr().out
    assert re.search(r"checkpoint +step +psi +score", out)
    assert re.search(r"step-10 +10 +0.5 +0\.", out)
    assert re.search(r"step-20 +20 +- +0\.", out)
    assert {path.name for path in tmp_path.glob("report.*")} == set(names)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()}

    monkeypatch.chdir("/")  # relative to the report's own folder
    assert main(["triage", "--rerun", str(target)]) == 0
    found = re.fullmatch(r"all (\d+) numbers equal\n", capsys.readouterr().out)
    assert found is not None
    assert int(found[1]) > 100
    # nothing of it was read
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()} == kept

    saved = json.loads(target.read_text())
    auc = saved["checkpoints"][0]["families"]["knn"]["summaries"]["auc"]
    auc["value"] = float(np.nextafter(auc["value"], 1.0))
    saved["versions"]["prviz"] = "0.0.1\x1b[31m"
    target.write_text(json.dumps(saved))
    assert main(["triage", "--rerun", str(target)]) == 1
    out = capsys.readouterr().out
    assert f"of {found[1]} numbers and the words between them, 1 differ:" in out
    assert "checkpoints, step-10, families, knn, summaries, auc, value: " in out
    assert "Note: the report was made by prviz '0.0.1" in out
    assert "\x1b" not in out

    auc["value"] = float(np.nextafter(auc["value"], 0.0))
    for each in saved["checkpoints"]:  # a report of before there were bounds
        for family in each["families"].values():
            assert family.pop("upper_bound")["auc"] > family["summaries"]["auc"]["value"]
    for ranked in saved["rankings"].values():
        for line in ranked["lines"]:
            del line["at_most"]
    target.write_text(json.dumps(saved))
    assert main(["triage", "--rerun", str(target)]) == 0
    assert "<details>" in to_html(read_report(target))

    monkeypatch.chdir(tmp_path)
    np.savez(folder / "step-20.npz", latent=read(folder / "step-10.npz", key="latent").values)
    assert main(["triage", "--rerun", str(target)]) == 2
    assert (
        "'run/step-20.npz' has other contents than when the report was made"
        in capsys.readouterr().err
    )
    (folder / "real.npz").unlink()
    assert main(["triage", "--rerun", str(target)]) == 2
    assert "'run/real.npz' is neither beside the report nor here" in capsys.readouterr().err


def measured_again(status: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What the shell prints of a report that is measured again; an error is one line."""
    assert main(["triage", "--rerun", "report.json"]) == status
    out, error = capsys.readouterr()
    if status < 2:
        return out
    assert error.count("\n") == 1
    return error


def quick_report() -> Document:
    """The report of the folder with the fewest replicates, as a file too."""
    settings = TriageSettings(("knn",), k=3, key="latent")
    reference = read("run/real.npz", key="latent")
    checkpoints = checkpoints_of("run", leave_out=["run/real.npz"])
    outcomes = list(measure_all(reference, checkpoints, settings))
    found = document(
        TriageResults(reference=reference, outcomes=outcomes, settings=settings),
        "run/real.npz",
        replicates=2,
    )
    Path("report.json").write_text(to_json(found))
    return found


def test_a_file_that_failed_has_to_fail_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick_report()
    shutil.copy(folder / "step-10.npz", folder / "step-30.npz")
    told = measured_again(1, capsys)
    assert "checkpoints, step-30, digest: None in the report, " in told


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["system"]}, "methods = "),
        ({"methods": 5}, "methods of settings is '5'"),
        ({"methods": [[1]]}, "methods = ([1],); one or more of"),
        ({"k": [1]}, "k"),
        ({"run": "rm"}, "has the setting 'run'"),
        ({"key": "missing"}, "missing"),
        ({"key": 5}, "key of settings is '5'"),
        ({"split": "half"}, "split of settings"),
        ({"seed": -1}, "seed of settings is '-1'; a number from 0 is needed"),
    ],
)
def test_hostile_settings_of_a_report_are_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    saved = quick_report()
    saved["settings"] |= change
    Path("report.json").write_text(json.dumps(saved))
    assert message in measured_again(2, capsys)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"bootstrap": {"replicates": 100_000, "seed": 0}},
            "asks for 300000 replicates, 100000 of each of 3 checkpoints",
        ),
        (
            {"settings": {"seed": 2**63}},
            "the report's seed is too large; at most 2^63 - 1 is possible",
        ),
        (
            {"twice": True},
            "the report names './run/step-10.npz' twice; every file is measured once",
        ),
        ({"copies": 10_001}, "the report has 10004 checkpoints; at most 10000 are measured again"),
    ],
)
def test_a_report_that_asks_for_more_work_than_any_is_refused_before_it(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, Any],
    message: str,
) -> None:
    saved = quick_report()
    first = saved["checkpoints"][0]
    copies = change.pop("copies", 0)
    if change.pop("twice", False):
        saved["checkpoints"].append({**first, "name": "again", "path": f"./{first['path']}"})
    saved["checkpoints"] += [{**first, "name": f"{n}", "path": f"{n}.npz"} for n in range(copies)]
    for key, values in change.items():
        saved[key] |= values
    Path("report.json").write_text(json.dumps(saved))
    monkeypatch.setattr(rerun, "MOST_REPLICATES", 100_000)
    monkeypatch.setattr(rerun, "samples_at", None)  # no file is read
    assert message in measured_again(2, capsys)


def test_what_a_report_may_hold_in_memory_is_bounded(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = quick_report()
    text = json.dumps(saved)
    Path("report.json").write_text(f'{text[:-1]}, "more": [{"[]," * 5_000_000}[]]}}')
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than 10000000 values; that is no report"):
            read_report(Path("report.json"))
        # the text, of at most 256 MiB, and no list
        assert tracemalloc.get_traced_memory()[1] < 300_000_000
    finally:
        tracemalloc.stop()
    saved["checkpoints"][0]["families"]["knn"]["made up"] = [0.5] * 5_000
    Path("report.json").write_text(json.dumps(saved))
    found = rerun.rerun(read_report(Path("report.json")), Path())
    assert (found.different, len(found.differences)) == (5_000, 1_000)
    told = measured_again(1, capsys)
    assert "the words between them, 5000 differ:" in told
    assert "and 4980 more" in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "report.txt"], "must end in .html, .json, .csv, .parquet"),
        (["--report", "gone/report.json"], "there is no folder"),
        (["--report", "m.csv", "--metrics", "m.csv"], "another report or table"),
        (["--report", "about.csv"], "would take the place of samples"),
        (["--report", "a.json", "--report", "./a.json"], "or of another report"),
        (["--rerun", "a.json"], "--rerun and REFERENCE and CHECKPOINTS can't be given together"),
        (["--key", "other"], "other"),
    ],
)
def test_what_could_not_be_written_is_told_before_the_work(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    assert main([*LINE, *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()


def test_a_name_in_another_encoding_comes_through(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        (folder / "step-10.npz").rename(folder / os.fsdecode(b"step-\xff-10.npz"))
    except OSError:
        pytest.skip("this file system keeps no such names")
    found = quick_report()
    for each in FORMATS.values():
        assert each.make(found)
    assert "numbers equal" in measured_again(0, capsys)


@pytest.mark.parametrize(
    "option", [["--k", "5"], ["--goal", "recall"], ["--key", "x"], ["--equal-sizes"]]
)
def test_what_measuring_again_would_ignore_is_refused(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["triage", "--rerun", "report.json", *option]) == 2
    assert f"--rerun and {option[0]} can't be given together" in capsys.readouterr().err


def test_a_wrong_line_names_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["triage"])
    assert stop.value.code == 2
    assert "REFERENCE, CHECKPOINTS" in capsys.readouterr().err
