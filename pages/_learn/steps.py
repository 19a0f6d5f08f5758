"""The course as data. Each step is one screen: something to move, a question to guess the answer
of, and what the reader should have seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from prviz.estimators import DEFAULT_METHODS, ESTIMATORS


@dataclass(frozen=True)
class Option:
    """One possible answer to a guess: its id (which is an outcome of the judge), its label, and a
    clause that says why it is the right answer, if it is.

    An option without a label is shown only if it turns out to be the right answer.
    """

    id: str
    label: str
    because: str


@dataclass(frozen=True)
class Guess:
    """A question to the reader. Once it is answered, the figure moves to new values, which show the
    right answer.

    to : by name of a value, its change: a constant, the name of a rule in `guesses.js`, or a factor
    with limits, {"times", "low", "high"}. judge : a name in `JUDGES` of `guesses.js`.
    """

    ask: str
    to: Mapping[str, Any]
    judge: str
    options: Sequence[Option]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One screen of the course.

    lead : what the reader should do. clause : what that means. figure : a name in `FIGURES` of
    `figures.js`.
    hands : names of what the reader can move and of what the figure shows. start : the initial
    values.
    takeaway : the answer to "what did you just see?", which replaces the clause after the guess.
    help : formula and sources, one paragraph per line.
    """

    lesson: str
    lead: str
    clause: str
    figure: str
    hands: Sequence[str]
    start: Mapping[str, Any]
    guess: Guess
    takeaway: str
    help: str
    explore: Mapping[str, str] = field(default_factory=dict)


LESSONS = MappingProxyType(
    {
        "modes": "Modes",
        "overlap": "Overlap",
        "classifier": "Classifier",
        "samples": "Samples",
        "extremes": "Extremes",
        "number": "One number",
        "dimension": "Dimension",
        "claim": "What may I claim?",
    }
)

_HALF = {"scale": {"times": 0.5, "low": 0.5, "high": 2.5}}
_FAR = "2026: Sykes, Simon, Rabin, Fadili (hal-05344404)."
_BELLS = {
    "problem": "scaled-gaussian",
    "p.d": "1",
    "p.shift": "{shift}",
    "p.scale": "{scale}",
    "lam": "{lam}",
}
_MODES = {
    "problem": "mixtures",
    "p.d": "1",
    "p.means": "-18,-6,6,18",
    "p.real_weights": "{p}",
    "p.generated_weights": "{q}",
}
_PLANE = {
    "problem": "shifted-gaussians",
    "p.d": "2",
    "p.mu": "{mu}",
    "n": "{n}",
    "k": "{k}",
    "split": "{split}",
    "methods": "knn",
}
_PAINTED = {
    "problem": "painted",
    "p.d": "1",
    "p.real_weights": "{p}",
    "p.generated_weights": "{q}",
    "n": "200",
    "split": "{split}",
    "methods": "knn",
}
_SWEEP = {"problem": "high-dimension", "p.d": "{d}", "p.shift": "2", "n": "{n}"}
_SAMPLES = {
    "n": 80,
    "k": 8,
    "split": True,
    "mu": 1.0,
    "seed": 3,
    "moved": {},
    "picked": -1,
    "limit": False,
}
_EVEN = (0.25, 0.25, 0.25, 0.25)
_LOSES = {
    "precision": "Precision: the part of the generated data that could be real. Some can't.",
    "recall": "Recall: the part of the real data that could be generated. Some can't.",
    "neither": "The generator has lost nothing.",
}
_MODES_HELP = (
    "Each mode is one cell, with the shares p of the real and q of the generated data. "
    "Precision is α(λ) = Σ min(λp, q), recall β(λ) = α(λ)/λ; λ weighs the real data, see lesson 2. "
    "The ends are those of λ → ∞ (precision) and λ → 0 (recall).\n" + _FAR
)
_BELLS_HELP = (
    "α(λ) = ∫ min(λp, q) = (λ + 1)/2 − ‖λP − Q‖, β(λ) = α(λ)/λ for the densities p and q; ‖λP − "
    "Q‖, the total "
    "variation, is half of what is not shared.\n" + _FAR
)
_SPLIT_HELP = (
    "Around a sample z the ball to its k-th nearest neighbour of both sets holds c_X real and c_Y "
    "generated ones; the "
    "estimate (kNN) says real where c_Y ≤ γ c_X. At each λ the best γ counts.\n" + _FAR
)
_STRIP_HELP = (
    "Wrong is 1 − IoU: the shaded area as a share of the area under either curve. "
    "The band holds 8 of 10 draws."
)
_SIDE = (
    Option(
        "high",
        "too high",
        "It errs more often than the ideal classifier: errors count as precision and recall.",
    ),
    Option(
        "near",
        "near the truth",
        "On these samples its errors are about those of the ideal classifier.",
    ),
    Option(
        "low", "too low", "Here it errs less often than the ideal classifier could on new samples."
    ),
)


def _closer(because: str) -> tuple[Option, ...]:
    return (
        Option("closer", "closer", because),
        Option("same", "no difference", "On these samples it comes to the same."),
        Option("farther", "farther", "On these samples luck was on the other side; draw again."),
    )


def _options(texts: Mapping[str, str], **labels: str) -> tuple[Option, ...]:
    return tuple(Option(name, labels.get(name, name), text) for name, text in texts.items())


STEPS: tuple[Step, ...] = (
    # ---- steps of the lesson "modes" ----
    Step(
        lesson="modes",
        lead="Pull a green bar down to nothing.",
        clause="Modes are kinds of samples, say digits. Purple: how often real. Green: how often "
        "generated.",
        figure="modes",
        hands=("q", "ends"),
        start={"p": (0.4, 0.3, 0.2, 0.1), "q": (0.4, 0.3, 0.2, 0.1)},
        guess=Guess(
            "The generator drops the heaviest mode. What falls?",
            {"q": "drop"},
            "loses",
            _options(_LOSES),
        ),
        takeaway="At the curve's ends a dropped mode costs recall; precision stays, since all it "
        "still makes is real.",
        help=_MODES_HELP,
        explore=_MODES,
    ),
    Step(
        lesson="modes",
        lead="Pull up a bar where nothing is real.",
        clause="The curve: up is precision, across is recall; squares mark its ends.",
        figure="modes",
        hands=("q", "ends"),
        start={"p": (0.5, 0.3, 0.2, 0.0), "q": (0.5, 0.3, 0.2, 0.0)},
        guess=Guess(
            "Half of what it makes is invented. What falls?",
            {"q": "invent"},
            "loses",
            _options(_LOSES),
        ),
        takeaway="At the ends an invented mode costs precision; recall stays, since it still "
        "makes all that is real.",
        help=_MODES_HELP,
        explore=_MODES,
    ),
    Step(
        lesson="modes",
        lead="Change the shares, lose none.",
        clause="It makes every mode, only too often or too rarely.",
        figure="modes",
        hands=("q", "ends"),
        start={"p": _EVEN, "q": _EVEN},
        guess=Guess(
            "Seven in ten are of one mode. What falls?",
            {"q": "skew"},
            "middle",
            _options(
                {
                    "ends": "A mode was lost or invented on the way.",
                    "middle": "Nothing is lost or invented: the ends stay, the middle sags.",
                    "nothing": "The generator had these shares before.",
                },
                ends="an end",
                middle="the middle",
            ),
        ),
        takeaway="Two models can both have perfect ends and differ in the middle: that's why it "
        "takes a curve.",
        help=_MODES_HELP,
        explore=_MODES,
    ),
    # ---- steps of the lesson "overlap" ----
    Step(
        lesson="overlap",
        lead="Drag the green bell: its place, its width.",
        clause="Grey: what both share. Dots: precision at recall 0.5, recall at precision 0.5.",
        figure="bells",
        hands=("shift", "halves"),
        start={"shift": 0.2, "scale": 1.0},
        guess=Guess(
            "It plays safe: half as wide. Which dot's number falls?",
            _HALF,
            "halves",
            _options(
                {
                    "precision": "Here more of what it makes is where real data are rare.",
                    "recall": "What it makes is typical; the rarer real samples are missing.",
                    "both": "Here they share less on both sides.",
                    "neither": "Here they share as much as before.",
                }
            ),
        ),
        takeaway="Precision and recall are what two distributions share; playing safe amid the "
        "real data costs recall.",
        help=_BELLS_HELP,
        explore=_BELLS,
    ),
    Step(
        lesson="overlap",
        lead="Drag the dot along the curve.",
        clause="How much precision at which recall? λ, the weight of the real bell, decides. Grey "
        "is precision.",
        figure="bells",
        hands=("shift", "angle"),
        start={"shift": 1.2, "scale": 0.8},
        guess=Guess(
            "λ = 4. What gains?",
            {"angle": 76},
            "gains",
            _options(
                {
                    "precision": "Four times as high the real bell covers more of the green one; "
                    "recall pays.",
                    "recall": "λ was larger: λ = 4 weighs the real data less.",
                    "neither": "λ was there already.",
                }
            ),
        ),
        takeaway="λ picks the point of one fixed curve: precision is λ times recall. "
        "What one gains the other may lose.",
        help="λ = α/β is the slope of the ray through the dot.\n" + _BELLS_HELP,
        explore=_BELLS,
    ),
    # ---- steps of the lesson "classifier" ----
    Step(
        lesson="classifier",
        lead="Move the green bell: where does a classifier err?",
        clause="λ = 1: the ideal one says real where real is likelier. "
        "Its errors, coloured, add up to the precision.",
        figure="bells",
        hands=("shift", "errors"),
        start={"shift": 1.0, "scale": 1.0},
        guess=Guess(
            "Half as wide: which error is larger?",
            _HALF,
            "errors",
            (
                Option(
                    "real",
                    "real called generated",
                    "The wide one reaches into the narrow one's place.",
                ),
                Option(
                    "generated",
                    "generated called real",
                    "The generated data lie where real is likelier.",
                ),
                Option("equal", "equal", "They mirror each other."),
            ),
        ),
        takeaway="At λ = 1 the ideal classifier's errors add up to the precision: "
        "the harder to tell apart, the better.",
        help="fpr: share of real called generated. fnr: share of generated called real. Of the "
        "ideal classifier "
        "α = λ fpr + fnr, β = fpr + fnr/λ.\n" + _FAR,
        explore=_BELLS,
    ),
    Step(
        lesson="classifier",
        lead="Drag the dot: the border moves.",
        clause="The same λ: a real sample counts λ times, so calling it generated costs λ times.",
        figure="bells",
        hands=("shift", "errors", "angle"),
        start={"shift": 1.2, "scale": 1.0},
        guess=Guess(
            "λ = 4. Which error becomes rarer?",
            {"angle": 76},
            "rarer",
            (
                Option(
                    "real",
                    "real called generated",
                    "It costs four times as much, so more is called real.",
                ),
                Option(
                    "generated",
                    "generated called real",
                    "λ was larger: λ = 4 makes the other error cheaper.",
                ),
                Option("equal", "", "λ was there already."),
            ),
        ),
        takeaway="The curve lists the least costs of errors, one for each λ: those of ideal "
        "classifiers.",
        help="Precision α = λ fpr + fnr is the smallest cost any classifier can reach at λ: by "
        "Neyman and Pearson "
        "that of a likelihood ratio, a point of the ROC curve.\n" + _FAR,
        explore=_BELLS,
    ),
    # ---- steps of the lesson "samples" ----
    Step(
        lesson="samples",
        lead="Drag a sample.",
        clause="Circles are real, triangles generated. The 8 nearest filled ones vote on a hollow "
        "one; "
        "a cross: misjudged.",
        figure="plane",
        hands=("sample",),
        start=_SAMPLES,
        guess=Guess("Let one neighbour decide. The estimate lies …", {"k": 1}, "side", _SIDE),
        takeaway="An estimate is a curve of some classifier's errors: a poor one raises it, "
        "a cut chosen afterwards lowers it.",
        help="The cut: how many votes it takes to be called real; here, at each λ, that of the "
        "least cost on the "
        "hollow samples.\n" + _SPLIT_HELP,
        explore=_PLANE,
    ),
    Step(
        lesson="samples",
        lead="Pull the ring: more neighbours vote.",
        clause="k is how many. The chart: how wrong here (dot) and on 40 other sets (line; 8 of "
        "10 in the band).",
        figure="plane",
        hands=("sample", "k"),
        start={**_SAMPLES, "k": 1},
        guess=Guess(
            "Eight instead. The estimate is …",
            {"k": 8},
            "closer",
            _closer("Eight votes leave less to chance than one."),
        ),
        takeaway="k changes the estimate on the same samples: compare generators at the same k.",
        help=_STRIP_HELP + "\n" + _SPLIT_HELP,
        explore=_PLANE,
    ),
    Step(
        lesson="samples",
        lead="Slide to more samples; draw again.",
        clause="n is how many of each. The dot jumps from set to set, mostly within the band.",
        figure="plane",
        hands=("sample", "n"),
        start={**_SAMPLES, "n": 20, "k": 5},
        guess=Guess(
            "200 of each. The estimate is …",
            {"n": 200},
            "closer",
            _closer("With more samples voters are nearer, and more are judged."),
        ),
        takeaway="n changes the estimate too: few samples are mostly more wrong and jump more. "
        "Compare at the same n.",
        help=_STRIP_HELP + "\n" + _SPLIT_HELP,
        explore=_PLANE,
    ),
    Step(
        lesson="samples",
        lead="Drag a hollow sample.",
        clause="Filled ones vote, hollow ones are judged: the split keeps them apart.",
        figure="plane",
        hands=("sample",),
        start={**_SAMPLES, "k": 3},
        guess=Guess(
            "No split: each votes on itself too. The estimate goes …",
            {"split": False},
            "lower",
            (
                Option(
                    "lower",
                    "down",
                    "With its own vote a sample is called wrong less often: too few errors.",
                ),
                Option("same", "nowhere", "On these samples it comes to the same."),
                Option("higher", "up", "On these samples the voters happen to err more."),
            ),
        ),
        takeaway="Without a split a sample votes on itself: with small k the estimate mostly lies "
        "below the truth.",
        help="Another family, such as iPR, may lie above the truth all the same.\n" + _SPLIT_HELP,
        explore=_PLANE,
    ),
    Step(
        lesson="samples",
        lead="Slide k: more neighbours vote.",
        clause="More samples bring the k neighbours nearer; they stay k votes.",
        figure="plane",
        hands=("sample", "k"),
        start={**_SAMPLES, "n": 120, "k": 5},
        guess=Guess(
            "Endless samples, the same k. Is the curve right?",
            {"limit": True},
            "limit",
            (
                Option("yes", "yes", "This many voters are hardly ever wrong by chance."),
                Option(
                    "no",
                    "no",
                    "However near, k votes err by chance. Slide k: with endless samples more "
                    "votes repair it.",
                ),
            ),
        ),
        takeaway="With k fixed even endless samples give a wrong curve: k must grow with n, but "
        "more slowly.",
        help="Right all the same where both are equal or share nothing.\n"
        "ToyProblem.limit: around z each of the k voters is real with probability p/(p + q).\n"
        "hal-05344404, proof of Theorem 5.",
        explore=_PLANE,
    ),
    Step(
        lesson="samples",
        lead="Paint a pair that fools it.",
        clause="Dashed is exact; the estimate asks the 14 nearest of 100 + 100 voters.",
        figure="paint",
        hands=("paint",),
        start={
            "p": (0.0, 0.1, 0.3, 0.7, 0.9, 0.7, 0.3, 0.1, 0.0, 0.0, 0.1, 0.3, 0.5, 0.3, 0.1, 0.0),
            "q": (0.0, 0.0, 0.1, 0.3, 0.6, 0.9, 0.8, 0.5, 0.3, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            "seed": 1,
            "split": True,
            "pAt": 4,
            "qAt": 5,
        },
        guess=Guess(
            "Fine stripes that share nothing. The estimate is …",
            {"p": "stripes"},
            "side",
            (
                Option(
                    "high", "too high", "At a stripe's edge the fourteen nearest are of both kinds."
                ),
                *_SIDE[1:],
            ),
        ),
        takeaway="Fine stripes with nothing in common still get a curve: neighbours see no finer "
        "than they are apart.",
        help="Even cells: α(λ) = Σ min(λp, q) over them. kNN with k = 14, about √(100 + 100).\n"
        + _FAR,
        explore=_PAINTED,
    ),
    # ---- steps of the lesson "extremes" ----
    Step(
        lesson="extremes",
        lead="Drag the generator far away.",
        clause="Bells never end: both have a little data everywhere. Watch the squares, the "
        "curve's ends.",
        figure="bells",
        hands=("shift", "ends"),
        start={"shift": 1.0, "scale": 1.0},
        guess=Guess(
            "Four widths away. The precision end …",
            {"shift": 4.0},
            "end",
            _options(
                {
                    "falls": "Some of what it makes is where no real data are.",
                    "stays": "The end asks only if there is any real data there, not how much.",
                    "rises": "It overlaps more than before.",
                },
                rises="",
            ),
        ),
        takeaway="Ends can be perfect while hardly anything is shared: they ignore how much.",
        help="α∞, the precision at λ → ∞, is the share of generated data in the co-support, where "
        "both have mass; β0, "
        "the recall at λ → 0, that of real data.\n" + _FAR,
        explore=_BELLS,
    ),
    Step(
        lesson="extremes",
        lead="Drag the box out.",
        clause="Boxes, unlike bells, end: what sticks out is lost at every λ.",
        figure="boxes",
        hands=("shift", "ends"),
        start={"shift": 0.4, "scale": 1.0},
        guess=Guess(
            "Its centre reaches the edge. The precision end …",
            {"shift": 1.0},
            "end",
            _options(
                {
                    "falls": "What sticks out can't be real, whatever λ.",
                    "stays": "As much of it is inside as before.",
                    "rises": "More of it is inside than before.",
                }
            ),
        ),
        takeaway="If data end, the curve's ends are shares: how much of each set lies where the "
        "other has data.",
        help="α∞ = Q(cosupp), β0 = P(cosupp). The literature reads α∞ as Q(supp P): the same "
        "here, but a repeated "
        "point inside supp P has Q(supp P) = 1 and an empty co-support.\n" + _FAR,
        explore={"problem": "boxes", "p.d": "1", "p.volume": "{scale}", "p.overlap": "{inBoth}"},
    ),
    Step(
        lesson="extremes",
        lead="Pull the green cloud away.",
        clause="Bells again, as samples: the truth, dashed, keeps its ends; watch those of the "
        "estimate.",
        figure="plane",
        hands=("sample", "mu", "ends"),
        start={**_SAMPLES, "mu": 1.5},
        guess=Guess(
            "Other samples of the same two. What jumps most?",
            {"seed": "redraw"},
            "jumps",
            _options(
                {
                    "ends": "A few samples far out decide an end, all of them the middle.",
                    "middle": "On these samples the ends held; draw again.",
                    "nothing": "Luck: these samples draw the same curve.",
                },
                ends="an end",
                middle="the middle",
                nothing="",
            ),
        ),
        takeaway="Ends hang on a few samples far out: they jump more than the middle.",
        help="Both Gaussians have the whole plane as support, so the true ends are 1.\n"
        + _SPLIT_HELP,
        explore=_PLANE,
    ),
    # ---- steps of the lesson "one number" ----
    Step(
        lesson="number",
        lead="Pull A, shift B.",
        clause="Each row shows one number for A and for B. F8: a mean that leans to precision, "
        "or to recall.",
        figure="rivals",
        hands=("drop", "shift"),
        start={"drop": 0.4, "shift": 0.4},
        guess=Guess(
            "Where precision equals recall B comes to A. What differs most?",
            {"shift": "match"},
            "apart",
            (
                Option("area", "the area", "Their areas differ although one point is the same."),
                Option(
                    "F8 for precision", "F8 for precision", "All that A makes is real; not so B."
                ),
                Option(
                    "F8 for recall",
                    "F8 for recall",
                    "A can't make what it lost; B makes a bit of all.",
                ),
                Option("none", "none", "Here the curves are the same."),
            ),
        ),
        takeaway="Equal precision and recall at one point; A misses modes, B is a bit wrong "
        "everywhere.",
        help="F8 for recall: the largest 65 PR / (64 P + R) along the curve, a harmonic mean that "
        "weighs recall 8² times; F8 for precision the other way round. Area: that under the curve "
        "(AuC).\nhal-05344404, section 4.4.",
    ),
    Step(
        lesson="number",
        lead="Make the areas equal by hand.",
        clause="Equal areas, other faults: which number do you trust?",
        figure="rivals",
        hands=("drop", "shift"),
        start={"drop": 0.5, "shift": 0.4},
        guess=Guess(
            "B gets A's area, and you need every mode. Take …",
            {"shift": "area"},
            "forRecall",
            (
                Option("A", "A", "Its F8 for recall is higher here."),
                Option("B", "B", "Its F8 for recall is higher: A can't make what it lost."),
                Option("either", "either", "Their F8 for recall are equal here."),
            ),
        ),
        takeaway="Trust the number that asks your question: F8 for precision or for recall, not "
        "the area alone.",
        help="The area under the curve is 1 for equal distributions and 0 for ones that share "
        "nothing.\n"
        "hal-05344404, section 4.4.",
    ),
    # ---- steps of the lesson "dimension" ----
    Step(
        lesson="dimension",
        lead="Drag the line to more dimensions.",
        clause="d numbers describe a sample. Same shift, same truth; four estimators by "
        "neighbours, 500 samples.",
        figure="sweep",
        hands=("d",),
        start={"d": 8},
        guess=Guess(
            "2,048 dimensions, as features of images have. The estimates lie …",
            {"d": 2048},
            "families",
            (
                Option(
                    "high",
                    "too high",
                    "All samples, real or generated, are about equally far away.",
                ),
                Option("near", "near the truth", "Their errors cancel here."),
                Option("low", "too low", "Here they err to the other side."),
            ),
        ),
        takeaway="With a split, many dimensions made this generator look better than it is: "
        "neighbours say little.",
        help="Without a split it may look worse: iPR with k = 3 gives equal distributions in 64 "
        "dimensions an area below 0.9.\nTwo round Gaussians whose centres are 2 apart; k = √n, "
        "split, mean curves of 10 draws.\n"
        + "".join(
            f"{ESTIMATORS[name].title}: {ESTIMATORS[name].idea}\n" for name in DEFAULT_METHODS
        )
        + _FAR,
        explore={**_SWEEP, "n": "500"},
    ),
    Step(
        lesson="dimension",
        lead="Drag the line to more samples.",
        clause="One estimator, the neighbours' vote (kNN), in d = 2, 8 and 64 dimensions.",
        figure="sweep",
        hands=("n",),
        start={"n": 100},
        guess=Guess(
            "400 instead of 100. Whose error falls by the smallest share?",
            {"n": 400},
            "helps",
            (
                Option("d = 2", "d = 2", "Here it is the error in two dimensions."),
                Option("d = 8", "d = 8", "Here it is the error in eight dimensions."),
                Option("d = 64", "d = 64", "In so many dimensions neighbours stay far away."),
            ),
        ),
        takeaway="From 100 to 400 samples the error falls by the smallest share in 64 dimensions. "
        "Report the estimator, k, n and d.",
        help="Theorem 6 of 2026 bounds KDE's mean error by C(λ + 1) N^(−1/(2+d)): the exponent "
        "goes to 0 as d grows. It promises a bound; a real error may do better.\nMeasured: k = √n, "
        "split, mean curves "
        "of 40 draws.",
        explore={**_SWEEP, "p.d": "64", "methods": "knn"},
    ),
    # ---- steps of the lesson "what may I claim?" ----
    Step(
        lesson="claim",
        lead="Drag the line to more dimensions.",
        clause="The estimator Best classifier: trees, lines and neighbours learn as one; "
        "samples it never saw judge it.",
        figure="sweep",
        hands=("d", "believed"),
        start={"d": 8},
        guess=Guess(
            "512 dimensions. Which is nearer the truth?",
            {"d": 512},
            "nearest",
            (
                Option("kNN", "kNN", "Here the neighbours alone do better."),
                Option(
                    "Best classifier",
                    "Best classifier",
                    "It errs less often, so its curve is lower.",
                ),
                Option("equal", "equal", "Here both come to the same."),
            ),
        ),
        takeaway="With a split and cuts fixed before, a classifier's curve lies above the truth, "
        "up to chance: of a few believe the lowest.",
        help="Lowest: of the least area. The lowest of many is low by chance too: claim a bound "
        "on samples that chose nothing. A curve is the least over its cuts, which chance lowers a "
        "little.\n"
        "One score from trees, boosting, logistic regression and neighbours, learned on other "
        "samples than those it judges; 500 samples, mean curves of 10 draws.\n2019: Simon, "
        "Webster, Rabin, "
        "Theorem 5.\n" + _FAR,
        explore={**_SWEEP, "n": "500", "methods": "knn,tightest"},
    ),
    Step(
        lesson="claim",
        lead="Drag the line to more samples.",
        clause="The bound adds to Best classifier what chance can hide; in 8 dimensions.",
        figure="sweep",
        hands=("n", "bound"),
        start={"n": 100},
        guess=Guess(
            "1,600 samples instead of 100. The bound …",
            {"n": 1600},
            "bound",
            (
                Option("nearer", "comes nearer", "With more samples chance hides less."),
                Option("stays", "stays", "Here more samples change little."),
                Option(
                    "below",
                    "falls below the truth",
                    "In these few draws the truth is above the bound.",
                ),
            ),
        ),
        takeaway='Claim "at most", with 95 %: of independent draws at most 5 % put the truth '
        "above the bound.",
        help="prviz.upper_bound: half of the samples teach the best classifier, the other half "
        "judges it at cuts fixed beforehand; 8 dimensions, centres 2 apart, means of 10 "
        "draws.\n2019: Simon, Webster, "
        "Rabin, Theorem 5.",
        explore={**_SWEEP, "p.d": "8", "methods": "tightest"},
    ),
    Step(
        lesson="claim",
        lead="Paint above the line, then below it.",
        clause="Both are even: the truth is 1 everywhere. The estimate has 100 + 100 voters.",
        figure="paint",
        hands=("paint",),
        start={
            "p": (0.5,) * 40,
            "q": (0.5,) * 40,
            "seed": 1,
            "split": True,
            "pAt": 19,
            "qAt": 19,
        },
        guess=Guess(
            "Fine stripes instead: the truth is 0. Does the estimate tell?",
            {"p": "stripes"},
            "tells",
            (
                Option("yes", "yes", "This many samples can tell stripes of this width."),
                Option("no", "no", "With finer stripes even more samples would look alike."),
            ),
        ),
        takeaway='Without assumptions never claim "at least": samples that look alike could come '
        "from two that share nothing, in finer stripes.",
        help="Even cells: α(λ) = Σ min(λp, q) over them. No lower bound without assumptions: two "
        "even distributions on far more points than samples, with none in common, hardly ever "
        "repeat a sample, as continuous ones never do."
        "\n" + _FAR,
        explore=_PAINTED,
    ),
)


def payload() -> list[dict[str, Any]]:
    """The steps as JSON data for the browser. A step's id is its lesson's name and its number in
    that lesson.
    """
    found: list[dict[str, Any]] = []
    for step in STEPS:
        place = 1 + sum(each["lesson"] == step.lesson for each in found)
        guess = {**vars(step.guess), "options": [vars(option) for option in step.guess.options]}
        found.append({**vars(step), "id": f"{step.lesson}-{place}", "guess": guess})
    return found
