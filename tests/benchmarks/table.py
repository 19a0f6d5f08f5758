# ruff: noqa: T201 - it prints its tables
"""The tables of docs/measured.md and docs/large.md, from the newest line of each case in results/.

python -m tests.benchmarks.table             print those of docs/measured.md
python -m tests.benchmarks.table --write     put them into the documents, between two marker comments
"""

from __future__ import annotations

import argparse
import math
from typing import Any

from tests.benchmarks.results import ROOT, newest

DOCUMENT = ROOT / "docs" / "measured.md"
LARGE = ROOT / "docs" / "large.md"
BEGIN = "<!-- tables: python -m tests.benchmarks.table --write -->"
END = "<!-- end of the tables -->"

# What stands above the table of each benchmark, in the order of the document.
ABOUT = {
    "engine": (
        "The engine, against what the case names: both sides on the same arrays in the same run, "
        "peak memory above the samples. log-log slopes are the growth of time and memory with n."
    ),
    "plans": (
        "What each part of the engine buys: processor time with one thing off, over that with "
        "everything on; four families, n = 4,000."
    ),
    "tightest": (
        "The family `tightest`, which knows no truth, and `prviz.upper_bound`, at 95 %, on every "
        "toy (d = 16 where it can be chosen) and on the pairs of `prviz benchmark`, at other sizes "
        "too: IoU with the truth, beside that of kNN at k = √n; draws in which the bound lies "
        "above the truth at every λ; how far above the true area it lies, beside the bound by four "
        "families. On the narrow Gaussian next to nothing is shared: any estimate of 0 has IoU 0."
    ),
    "witness": (
        "`prviz.witness`: planted columns that it names, false columns on real against real, and "
        "its processor time; kinds of sets called *held* were fixed before the rules and run once."
    ),
    "frozen": (
        "`prviz benchmark`: 12 pairs of 1,000 samples with an exactly known truth, drawn as often "
        "as the command says; means of the overlap with the true curve (IoU), of the area too much "
        "and too little, as shares of the joint one; how often a 95 % bootstrap interval of the "
        "area holds the true area; time in float32 matrix products of the two sets, peak memory of "
        "Python and NumPy. A single point of another package claims a rectangle."
    ),
    "families": (
        "One curve of each family alone at 10,000 x 64, against prdc's four scalars in the same "
        "run. Shared passes make several of the first six cheaper together."
    ),
    "flags": (
        "What is said of two sets beside a curve, against that curve by kNN (k = √n, split 0.5): "
        "processor time of all threads in one run, and peak memory above the samples."
    ),
    "embed": "`prviz embed` with an encoder that takes no time, against Pillow alone in as many "
    "processes.",
    "delimited": "Tables of text, against the reader of single lines that read them all before.",
    "triage": "Many checkpoints against one reference, against single runs of the same "
    "checkpoints.",
    "ranking": (
        "`prviz triage` on folders of six checkpoints, of fifteen kinds of data that tuned nothing, "
        "a folder of each kind: one as good as real and five with more and more of one fault (a "
        "part of the data never made, samples off the manifold, noise), or six as good as real. "
        "*Those that may be*: best, by the verdict. *Of these with a fault*: checkpoints as good as "
        "real of which a fault is said."
    ),
    "findings": (
        "Findings of Triage as a classifier: the first finding of a checkpoint, held against the "
        "fault put into it. The cost of a case is the area that the fault takes from the curve of "
        "kNN (of repeats, copies and collapse, which take none: their share of the samples). *Cost "
        "a to b*: share named right, of how many cases; *else*: what costly cases were called "
        "instead (*nothing*: no finding). *Borderline*: costly cases whose first finding not each "
        "of three random halvings of the samples shows. *Opposite*: any finding that says the "
        "reverse of the fault. *Flips by the halves' seed*: another first finding with other "
        "halves; *contradictions*: those of which neither is borderline. Two names are right where "
        "they mean the same samples, defined before the run: modes made less than a fifth as often "
        "are dropped, averaging that shrinks alike in all directions is too narrow, noise in minor "
        "directions on most samples is noise, a factor on centred samples is a spread. Thresholds "
        "were chosen on nine other sets, at other seeds; the rule for factors was changed before "
        "this run, for models of the zoo, which are none of these. A part of all cases, drawn by "
        "chance, a fifth of that at n = 10,000; 18 or 19 seeds of each set and size; texts and "
        "digits at n = 500 alone."
    ),
    "classes": (
        "How often a class is called worse where real and generated samples are of one "
        "distribution: halves of the bundled digits by digit, and 20 clusters in 16 dimensions; by "
        "the number of samples that count as one (3 in `prviz.triage.classes`)."
    ),
    "memorisation": (
        "Draws in which samples are called memorised: never right of independent and narrow ones, "
        "right of copies of a share of the reference (near ones are moved by 1 % of the median "
        "nearest distance); with 1,000 held-out real samples, and without."
    ),
    "approximate": (
        "Approximate neighbour lists: the part of the true neighbours that they hold (recall), and "
        "the IoU of their curves with the exact ones, on 1,000 samples per set; in rows of the "
        "exact engine on all samples."
    ),
    "hub": (
        "Improved precision and recall from hub samples alone: relative errors (in brackets: "
        "absolute ones, where the exact scalar is below 0.05), IoU with the exact curve, share of "
        "hubs; and what hubs cost."
    ),
    "live_drag": (
        "The main figure in headless Chromium, n = 2,000, d = 8, four curves: from the input event "
        "to the end of the frame with the new curve. Isolated keys follow one another after 0.1 to "
        "1.5 s, so that Python's answers are in the way of some."
    ),
    "browser_latency": "What Python measures anew for every step, every value new: from the step "
    "to the curves.",
    "first_paint": (
        "From navigation to the first curve, in headless Chromium: a server that has just started "
        "(cold), a browser with nothing in its cache (new visitor), and the same browser once "
        "more. MB are those of the wire until then."
    ),
    "lessons": (
        "Learn: from a lesson's link in a fresh browser to its first paint, and from a step of a "
        "drag to the painted picture, of the slowest handle of each step."
    ),
    "scale": (
        "What one more checkpoint costs in `prviz triage`, reading and findings included, what "
        "a second Dask worker saves (memory: of a worker), and what large sets cost in `prviz curve`; each set is another "
        "one. Processor time is that of all threads, of both workers in the row of two."
    ),
    "triage_page": (
        "Triage's page with many kept checkpoints, in headless Chromium: from a visit to the "
        "verdict, from a click on a row to its evidence, from a step of the goal to another "
        "verdict, and from a new file to its row."
    ),
    "widget": (
        "A step of k in the notebook's widget: from the move of the mouse to the frame with the "
        "new curves, in JupyterLab; asked of p95: 50 ms."
    ),
    "flood": "Many visitors at once who change settings, upload, triage and leave, and one who "
    "does many things.",
    "coverage_of_intervals": (
        "How often a 95 % bootstrap interval holds the truth / the mean of the estimates it is an "
        "interval for (shifted Gaussians; the defaults are n = 2,000, d = 64, μ = 1/8, split 0.5). "
        "Intervals tell how far another sample would move the estimate. They do not tell the "
        "estimator's bias, and so miss the truth."
    ),
    "experiments": (
        "The papers' experiments at paper size; the rows are in `data/experiments/`, and the Bias "
        "lab shows every figure beside the published one."
    ),
    "table1": (
        "Conventions that the paper leaves open, against its Table 1: mean distance from the "
        "published IoU and, in brackets, the cells within chance of it (two standard errors and "
        "half a printed digit). *self-counting*: one of four per family (count, none, radius, "
        "both); *rays*: curves as polylines on 9, 13, 31 or 1,001 rays, the thresholds γ on them "
        "or not, the same for all cells. Each choice is the one closest to the table, so that it "
        "fits what it is judged by; the last column chooses for four cells alone."
    ),
    "surrogate_laws": (
        "*Data like yours* on twelve pairs of laws of known truth, 1,000 samples per set: draws in "
        "which the surrogate passes its predictive check, and then the rank correlation (Spearman) "
        "of its order of 16 settings with the true one, by mean IoU with the truth over ten draws, "
        "and by how much the IoU of the setting that it puts first is less than the largest. "
        "*Sharpness*: the factor on the classifier's log odds with which areas agree; 1.12, or one "
        "over that, is the most allowed, chosen on seeds 1 to 3, and lowered from 1.15 by the "
        "sharpness of bent Gaussians at seed 21."
    ),
    "battery": (
        "The sanity battery at the paper's size on the five published pairs of scores that are "
        "measured here; the rows are in `data/battery/`."
    ),
}
# What stands above a table of its own within a benchmark, by the part of its lines.
PARTS = {
    "limit": (
        "Beside what any exact engine needs, all in turns in one process: three float32 products "
        "in blocks of 5,000, as above; in reused tiles of 1,250, which stay in the caches; and "
        "each pair of samples once in such tiles (one product, and half of two), by one thread of "
        "BLAS on every core. prdc computes k = 5 alone. FAISS searches exactly "
        "(IndexFlatL2) for the k nearest that the families are made of: within each set, and from "
        "each into the other. Cells: the ratio of the best runs, in brackets the smallest, median "
        "and largest ratio of one run, and the other side's best time."
    ),
}
# Column titles of what every line may hold; "prviz" and "against" join seconds and memory.
SIDES = {"prviz": ("seconds", "peak_mb"), "against": ("other_seconds", "other_peak_mb")}


def tables() -> str:
    """All tables in Markdown."""
    parts = [_section(name, lines) for name in ABOUT if (lines := newest(name))]
    return "\n\n".join(parts)


def _section(benchmark: str, lines: list[dict[str, Any]]) -> str:
    """The words on a benchmark and its tables: one, and one of each part that has its own."""
    parts = dict.fromkeys(line.get("part", "") for line in lines)
    texts = [f"### {benchmark}\n\n{ABOUT[benchmark]}"]
    for part in parts:
        if part:
            texts.append(PARTS[part])
        texts.append(_table([line for line in lines if line.get("part", "") == part]))
    return "\n\n".join(texts)


def _table(lines: list[dict[str, Any]]) -> str:
    """What measured these lines, and their rows."""
    runs = dict.fromkeys(
        f"`{line['command']}`, {line['date']}, {_machine_text(line['machine'])}" for line in lines
    )
    made = "; ".join(runs) + "\n\n"
    cells = [_cells(line) for line in lines]
    columns = list(dict.fromkeys(name for row in cells for name in row))
    return made + _markdown([columns, *([row.get(name, "") for name in columns] for row in cells)])


def _machine_text(machine: dict[str, Any]) -> str:
    text = f"{machine['cores']} cores, {machine['cpu']}"
    return f"{text}, BLAS {machine['blas']}" if "blas" in machine else text


def _cells(line: dict[str, Any]) -> dict[str, str]:
    """The cells of a line by the title of their column."""
    row = {"case": line["case"]}
    for title, (seconds, peak) in SIDES.items():
        parts = [] if line[seconds] is None else [f"{_number(line[seconds])} s"]
        parts += [] if line[peak] is None else [f"{line[peak]:,.0f} MB"]
        row |= {title: ", ".join(parts)} if parts else {}
    row |= {} if line["ratio"] is None else {"ratio": f"{line['ratio']:.3f}"}
    return row | {name: _number(value) for name, value in line["figures"].items() if value != ""}


def _number(value: float | str) -> str:
    """Three significant digits; all of those before the point."""
    if isinstance(value, str):
        return value.replace("|", "\\|")
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


# Hours of a night in docs/large.md.
NIGHT = 10
_CHECKPOINTS = 1_000
_SECONDS = "processor time (s)"
_SHARE = "share of the ideal"
_SETS = "two sets of "
_CURVES = ", four curves, split 0.5"
_MILLION = 1_000_000


def large_tables() -> str:
    """The tables of docs/large.md: a thousand checkpoints, and large sets."""
    lines = newest("scale")
    share = min(line["figures"][_SHARE] for line in lines if _SHARE in line["figures"])
    head = ["one checkpoint", "processor time", f"cores for {_CHECKPOINTS:,} in an hour"]
    rows = [[*head, f"in {NIGHT} hours", "memory"]]
    for line in lines:
        figures = line["figures"]
        if "the first (s)" not in figures and _SHARE not in figures:
            continue
        # the row of two workers is of several checkpoints
        number = int(line["case"].split(" ")[0]) if _SHARE in figures else 1
        seconds = figures[_SECONDS] / number
        cores = [math.ceil(_CHECKPOINTS * seconds / (3600 * hours * share)) for hours in (1, NIGHT)]
        memory = f"{line['peak_mb']:,.0f} MB"
        rows.append([line["case"], f"{_number(seconds)} s", *map(str, cores), memory])
    of_sets = [line for line in lines if line["case"].startswith(_SETS)]
    sets = [
        ["`prviz curve` of two sets by four families", "processor time", "on two cores", "memory"]
    ]
    for line in of_sets:
        took = [line["figures"][_SECONDS], line["seconds"]]
        texts = [f"{_number(seconds)} s" for seconds in took]
        case = line["case"].removeprefix(_SETS).replace(_CURVES, "")
        sets.append([case, *texts, f"{line['peak_mb']:,.0f} MB"])
    sets.append(_predicted([line for line in of_sets if line["case"].endswith("exact")]))
    return f"{_markdown(rows)}\n\n{_markdown(sets)}"


def _predicted(lines: list[dict[str, Any]]) -> list[str]:
    """The row of a million samples: by the growth between the two largest exact sets, and by that of
    the number of pairs.
    """
    sizes = [
        int(line["case"].removeprefix(_SETS).split(" ")[0].replace(",", "")) for line in lines[-2:]
    ]
    seconds = [line["figures"][_SECONDS] for line in lines[-2:]]
    growth = math.log(seconds[1] / seconds[0]) / math.log(sizes[1] / sizes[0])
    low, high = (
        seconds[1] * (_MILLION / sizes[1]) ** exponent / 3600 for exponent in sorted((growth, 2.0))
    )
    case = f"{_MILLION:,} x 64, exact, predicted by n^{growth:.2f}, the growth above, and by n²"
    return [case, f"{_number(low)} to {_number(high)} h", "", ""]


def _markdown(rows: list[list[str]]) -> str:
    """Rows, the first of which are the titles of the columns, as a table."""
    head, *rest = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rest])


def written(document: str, made: str) -> str:
    """The document with what is made of the results between its markers."""
    before, _, rest = document.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="into the documents")
    if not parser.parse_args().write:
        print(tables())
        return
    for path, made in ((DOCUMENT, tables()), (LARGE, large_tables())):
        path.write_text(written(path.read_text("utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
