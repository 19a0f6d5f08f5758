"""Findings on where the samples come from: encoders, names, pictures, texts, draws."""

from __future__ import annotations

import re

import numpy as np

from prviz.checks.finding import Finding, Findings, grade, grade_of, ratio
from prviz.quoting import listed, short_name
from prviz.samples import CUT, RENAMED, REORDERED, SamplePair, by_role

# Ratios of the sets' median lengths of texts above which the finding is a note, and a warning.
_LENGTH_RATIOS = (1.25, 1.5)
_TEXT_LABELS = ("text", "sentence", "caption", "prompt")


def sets_cut(pair: SamplePair) -> list[Finding]:
    """A finding if only a random draw from a set is measured."""
    said = []
    for role, samples in by_role(pair):
        said += [f"the {role} set is {note}" for note in samples.notes if note.startswith(CUT)]
    effect = "Numbers are those of the samples that were drawn, and move with the seed."
    if said:
        return [Finding("Sets cut", ", ".join(said), "note", effect)]
    return []


def reordered(pair: SamplePair) -> list[Finding]:
    """Findings if the two sets order or spell features differently, or only one names them."""
    found = []
    if pair.renamed:
        found.append(Finding("Names of features", RENAMED, "warning", ""))
    if pair.reordered:
        found.append(Finding("Order of features", REORDERED, "warning", ""))
    named = [role for role, samples in by_role(pair) if samples.features]
    if len(named) == 1:
        features = pair.features
        if 2 * sum(name[-1:].isdigit() for name in features) < len(features):
            text = f"only the {named[0]} set names its features ({listed(features, most=3)})"
            effect = "They are matched by place: see that both sets have the same order."
            found.append(Finding("Names of features", text, "warning", effect))
    return found


def texts(pair: SamplePair) -> list[Finding]:
    """A finding if the embedded texts of the two sets differ in length; only for sets that both
    hold their texts as labels.
    """
    shared = pair.real.labels.keys() & pair.generated.labels.keys()
    label = next((name for name in _TEXT_LABELS if name in shared), None)
    if label is None or any(each.labels[label].dtype.kind not in "UO" for each in pair):
        return []
    lengths = [list(map(len, map(str, each.labels[label]))) for each in pair]
    real, generated = (float(np.median(each)) for each in lengths)
    far = ratio(real, generated)
    if far <= _LENGTH_RATIOS[0]:
        return []
    value = f"median {real:,.0f} characters real, {generated:,.0f} generated"
    effect = "Encoders see the length of a text: cut both sets alike."
    return [Finding("Lengths of texts", value, grade_of(far, _LENGTH_RATIOS), effect)]


# Number at the end of the entry "sides" of `Samples.encoder`, which `prviz embed` writes: the
# median shorter side of the set's pictures.
_SIDE = re.compile(r"(\d{1,9})$")
# Ratio of the two sets' median sides from which the finding is a warning.
_UNLIKE_SIDES = 2.0
# Entries of `Samples.encoder` that decide the features. Sets may differ in the others, such as the
# source of the weights.
_SAME_ENCODER = ("encoder", "weights_sha256", "transform")
# Words in a file name that say which set the file holds.
_WORDS = {
    "generated": re.compile(
        r"fakes?|gen|generated|generator|samples?|sampled|synth|synthetic|epochs?|steps?|iter"
        r"|checkpoint|ckpt|gan|vae|diffusion"
    ),
    "real": re.compile(
        r"reals?|ref|reference|train|training|val|valid|validation|test|ground|groundtruth|gt"
        r"|truth|original"
    ),
}


def encoder_difference(pair: SamplePair) -> str:
    """What differs between the encoders of the two sets, as plain text; "" unless both are known
    and differ.
    """
    real = pair.real.encoder
    generated = pair.generated.encoder
    differing = [key for key in _SAME_ENCODER if real.get(key, "") != generated.get(key, "")]
    if not differing or not real or not generated:
        return ""
    key = differing[0]
    ends = [short_name(each.get(key, "")) or "none" for each in (real, generated)]
    return f"{key.replace('_', ' ')}: {ends[0]} real, {ends[1]} generated"


def encoders(pair: SamplePair) -> Findings:
    """Finding on the encoders of both sets, where a file names one."""
    known = [side for side in pair if side.encoder]
    if not known:
        return ()
    name = short_name(known[0].encoder["encoder"])
    if difference := encoder_difference(pair):
        effect = (
            "Two encoders put the same sample at two places: no estimator compares anything then."
            " Embed both by one."
        )
        return (Finding("Encoder", difference, "warning", effect),)
    if len(known) == 1:
        side = "generated"
        if known[0] is pair.real:
            side = "real"
        effect = (
            "The other file does not say what made it; only one encoder for both makes samples"
            " comparable."
        )
        return (Finding("Encoder", f"{name}, {side} samples only", "note", effect),)
    return (
        Finding("Encoder", name, "ok", "Both sets are of the same encoder, weights and transform."),
    )


def picture_sizes(pair: SamplePair) -> Findings:
    """A warning of pictures of very different sizes in the two sets, where both files state the
    sizes.
    """
    ends = [_SIDE.search(side.encoder.get("sides", "")) for side in pair]
    real, generated = (0 if end is None else int(end[1]) for end in ends)
    if not min(real, generated) or max(real, generated) < _UNLIKE_SIDES * min(real, generated):
        return ()
    value = f"sides of {real:,} pixels real, {generated:,} generated"
    effect = "Save both at one size, by one method, so that resizing is no part of the difference."
    return (Finding("Picture sizes", value, "warning", effect),)


def names(pair: SamplePair) -> Findings:
    """A finding if the names of the two sets look swapped."""
    roles = (_role(pair.real.name), _role(pair.generated.name))
    if roles not in {("generated", "real"), ("generated", ""), ("", "real")}:
        return ()
    value = f"real: {short_name(pair.real.name)}; generated: {short_name(pair.generated.name)}"
    effect = (
        "If the names mean what they say, precision and recall of every estimator are exchanged:"
        " swap the files."
    )
    return (Finding("These look swapped", value, grade(True, all(roles)), effect),)


def _role(name: str) -> str:
    """Role named by the words of a file name; "" where they name none or both."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[a-z]+", spaced.lower())
    roles = [role for role, known in _WORDS.items() if any(known.fullmatch(word) for word in words)]
    if len(roles) == 1:
        return roles[0]
    return ""
