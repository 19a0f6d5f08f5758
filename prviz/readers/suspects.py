"""Columns of numbers that are hardly features, such as seeds, steps, coordinates of plots and keys.

A column is left out, with a note, if the file's metadata or a count of the rows prove that it is no
feature. If a column only looks like no feature, the user has to decide, unless every column does.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array, Flags
from prviz.quoting import drop_text
from prviz.readers.columns import ColumnChoice, group_text, is_label, plain_name
from prviz.readers.errors import ReadError, SuspectColumnsError, beside, listed, literal, quoted
from prviz.readers.pieces import piece

# Names of settings, by their first word.
_PREFIXED = r"(h|hyper_?)?params?[._/].+|(config|args)[._/].+"
# Names of numbers on one cell: its genes, its molecules, the share of mitochondrial ones.
_OF_A_CELL = (
    r"(log1p_)?(n_?(counts?|genes?|features?|umis?)|total_counts)(_.*)?"
    r"|(pct|percent)_?(counts|mt|mito|ribo)(_.*)?"
)
# Names of the coordinates of the middle of an object in a picture.
_MIDDLE = (
    r"(.*_)?(centroid|cent(er|re))(_.*)?_[xyz](_.*)?|[xyz]_(centroid|cent(er|re))"
    r"|(weighted_)?centroid(_weighted)?_\d"
)
# Names of weights of samples, also in surveys (HHWT, PERWT22F, PWGTP1), but not of body weights.
_WEIGHTS = (
    r"(.*_)?([a-z]|an|pop|samp(le)?|svy|survey|base|final|rake|design|post|inv)?(weights?|wgh?t|wt)"
    r"|w"
    r"|(?!.*(mol|birth|body|dry|wet|fresh|net|gross|rel|over|under))\w*(wgh?t|wt)p?\d*f?"
)
# Of these, names of surveys' weights, which none of a body has.
_OF_SURVEYS = re.compile(
    r"(?!.*(mol|birth|body|dry|wet|fresh|net|gross|rel))\w*wgh?ts?"
    r"|(d|p|an|psp|pop|samp(le)?|svy|survey|base|final|rake|design|post|inv)_?weights?"
)
# Names of weights of bodies or their parts, such as shell_weight; a table may have several.
_OF_BODIES = re.compile(r"(?!.*(base|final|samp|surv|design|rake|post|pop)).+_weights?")
_OF_WEIGHTS = re.compile("weight_.+")
_DRAWN = r"\w*(strat(a|um)|stra|psu)|v(ar)?_?(str(at?)?|unit)|se(stra|unit|cu)"
# Names of bookkeeping, which no feature has.
_BOOKKEEPING = re.compile(
    r"(.*_)?seed|random_?state|rng|checkpoint|ckpt|y_?(pred|true|hat)|predict(ed|ions?)?"
    r"|random(_?(no|number|value))?|((cre|upd)ated|modified)_by|row_?version"
    r"|fitted(_values?)?|residuals?|log_?loss|proba(_.*)?|((global"
    r"|train(ing)?|checkpoint|ckpt|optimizer)_?)?step|train|test|val(id(ation)?)?|(.*_)?epoch"
    r"|iter(ation)?|run|trial|replicate|batch|shard|real"
    r"|worker|cfg|cfg_?(scale|value|strength)|guidance(_?(scale|strength|weight))?"
    r"|cluster|(?!n(um)?_).+_clusters?|(k_?means|leiden|louvain|h?dbscan|flow_?som"
    r"|pheno_?graph|.*snn_res)(_.*)?"
    rf"|time_?stamps?|unix_?time|{_DRAWN}|(redcap|metadata)_.*"
    r"|wall_?(clock|time)|datetime|date"
    r"|serial|key|.*_key|pk|hash|rownames|(row|record|serial|sample|item|image|img|line|entry|run"
    r"|order|batch|frame|event"
    r"|evt|trial|epoch|episode|iteration|replicate|experiment|exp|plate|fib(er|re)|scan|shot)"
    r"_?(no|nr|num|number|count)|record|row|col(umn)?|(sub)?entry|lumi(nosity)?_?(block|section)"
    r"|(per|case|obs|seq|rec|subj|resp(ondent)?)_?(no|nr|num|number|serial)|seqn"
    r"|event_?length|[mbh]?jd"
    r"|(created|updated|modified|deleted)(_?(at|on))?|(.*_)?(started|ended|finished|recorded"
    r"|measured|logged|inserted)_?at"
    r"|(event|evt|sample|gen|mc|importance)_?weights?|weights?_(event|evt|sample|gen|mc|importance)"
    r"|(worker|gpu|local|global)_?rank|(n|num|sampling|inference|denoising)_?(inference_?)?steps"
    # Two joined header lines repeat a word, as in Image_ImageNumber.
    r"|.+_(row|record|serial|sample|item|image|img|line|entry|run|frame|event|object|roi"
    r"|spot)_?(no|nr|num|number)"
    r"|(object|nucle(us|i)|parent|roi|spot|particle|well|visit|site|station|cycle|platform)"
    r"_?(no|nr|num|number)"
    r"|lp|accept(ance)?_(stat|rate|prob)|step_?size|tree_?depth|n_leapfrog|diverg(ent|ing)"
    rf"|{_PREFIXED}|{_OF_A_CELL}|{_MIDDLE}",
)
# Names that programs give to columns of their own beside those of the user: _merge, _TYPE_,
# _airbyte_emitted_at, .fitted, filter_$ and the times of Qualtrics, but not the dummies of Stata,
# _Irace_2.
_OF_A_PROGRAM = re.compile(
    r"[_.](?!I[a-z]\w*_\d)[^\W\d_].*|filter_\$|\$casenum"
    r"|Duration \(in seconds\)|.+_DO_\d+|.+_(Page Submit|(First|Last) Click|Click Count)",
    re.I,
)
# Names that the sampler of Stan gives to its own columns, such as energy__.
_OF_A_SAMPLER = re.compile(r"\w*[^\W_]__")
# Names that are features in a table of words (age, weight, score), but doubtful beside numbered
# features (f0, f1, f2).
_EITHER = re.compile(
    r"[xyz]|(x|y|z)_?coord(inate)?|coord_?[xyz]|pos_?[xyz]|(.*_)?(score|time|loss|distance"
    r"|similarity|confidence|likelihood)s?|time_.*"
    r"|steps|seeds|epochs|runs|iterations|frame|rank|temperature|top_?[kp]|prob(ability)?"
    r"|(.*_)?[pq]_?val(ue)?s?|p_?adj|pep|fdr|propensity(_.*)?|p_?score|conf|posterior|prior"
    r"|perplexity|rating|votes?"
    rf"|duration|latency|clusters|topic|number|no|nr|{_WEIGHTS}"
    r"|reward|log_?likelihood|log_?prob|nll|cos(ine)?_?sim|pred|gt|ground_?truth|uncertainty"
    r"|(.*_)?folds?|silhouette|lof|pseudotime|(dilution|correction|conversion)_?factor"
)
# Names of bookkeeping that are as often measurements in a table of words, such as the time between
# two events; not the scores, times and losses of a model, a machine or a log.
_MEASURED_TOO = re.compile(
    r"(.*_)?(mol(ar|ecular)?|body|birth|dry|wet|fresh|net|gross|curb)_(weight|wt)"
    r"|distance|duration|rating|votes?"
    r"|(?!(.*_)?(start|stop|end|begin|open|close|creat(e|ion)|updated?"
    r"|event|arrival|departure|rec(ord(ing)?)?|acq(uisition)?|obs(ervation)?|log|wall|unix|epoch"
    r"|utc|local|inference|elapsed|processing|generation|sampling|run|train(ing)?|val(idation)?"
    r"|test|eval|cpu|gpu|aesthetic|clip|quality|nsfw|safety|fid|lpips|match|model|pred(iction)?"
    r"|anomaly|outlier|novelty|confidence|cos(ine)?|l2|nearest|nn|knn|mahalanobis|recon(struction)?"
    r"|kl|ce|mse|adv(ersarial)?|gan|total|perceptual|style|content|clustering|doublet|mapping"
    r"|alignment)_).+_(score|time|loss|distance)s?"
    r"|time_(to|from|since|until|between|in|on|of|per|control|spent|signature)(_.*)?"
)
# Names of scores. They belong to the output of a model if all their values are shares.
_SHARES = re.compile(r".+_scores?")
# Names of ids in capitals, such as CNTSCHID, but not words that end in the same letters, such as
# LIPID.
_GLUED_ID = re.compile(r"(?!.*(AC|LIP|SOL|GR|FLU|VAL|HYBR|PA|OPIO|STERO|THYRO)ID)\w{3,}ID")
# Names of totals. A column of such a name that equals the sum of even two others does so by no
# chance.
_TOTAL = re.compile(r"(.*_)?(total|sum|overall|gesamt)(_.*)?")
# Name of a column of keys: of samples, or of pieces of music.
_KEY = re.compile("key")
# Greatest number of a musical key; keys of samples have greater ones.
_MOST_KEYS = 24
# Names of settings that are measured where they have many different values.
_SETTING = re.compile("temperature")
# Names of coordinates of one letter.
_LETTERS = re.compile("[xyz]")
# Names of one letter that are no coordinates, such as those of photometric bands.
_OTHER_LETTERS = re.compile(r"[^\W\d_xyz]")
# Names that are doubtful beside numbered features, but plain features in a table of words.
_BESIDE = re.compile(
    r"elapsed(_.*)?|.*_(ms|millis|seconds|bytes)|gpu|device|lat(itude)?|lon(gitude)?|lng|zeit"
    r"|datum|year|month|week"
    r"|(week)?day|hour|bbox(_.*)?|[xy]_?(min|max)|sex|phenotype|pat|mat"
)
# Names that are doubtful beside numbered features if their column holds whole numbers: numbers,
# codes, the state of a form, outcomes.
_NUMBERS = re.compile(
    r".+_(no|nr|number)|.*code|code_(insee|postale?|commune|region)|plz|state|county|cls"
    r"|land_?cover|lulc|classification|.+_complete|block|rep|lap|turn|born"
    r"|(.*_)?(fips|zip|naics|nace|gics|m49)|sic[hc]?|isi?c|isco|icd_?\d*"
    r"|.+_iso|(.*_)?iso_?num(eric)?"
    r"|(.*_)?port|[sd]port|protocol|proto|camcol|rerun|field|slice|tile|lane|channel|ccd|chip"
    r"|churn(ed)?|survived|exited|default(ed)?|attrition|readmitted|(is_?)?fraud|outcome|diagnosis"
    r"|(.*_)?(type|status|district|region|zone|sector|vendor|version|orientation)|sleep_stage"
    r"|plate|center|centre|clinic|course|well|branch|store|cam_col|success|.+_step"
    # What a sample came from, or was measured with, and by whom.
    r"|(.*_)?(lot|slot|tray|rack|vial|inj(ection)?|device"
    r"|operator|technician|analyst|observer|reviewer|rater|annotator|inspector|interviewer)"
    r"|(is_?)?(deceased|dead|died)|death|mortality|relapsed?"
    r"|.+_(seq|sequence)|\w*(fp|qc|quality|bad|warn(ing)?)_?flags?(_.*)?|decoy|qa\d*|scl"
)
# Names of coordinates on a map, on the sky or in a picture, and of the ends of an interval in a
# recording, which come in pairs.
_PLACE = re.compile(
    r"(.*_)?(lat(itude)?|lon(g(itude)?)?|lng|easting|northing)|ra|decl?"
    r"|(.*_)?(pos(ition)?|point|location|pixel)_[xy]|[xy]_(image|pixel|pos(ition)?)"
    r"|(t_?)?(start|begin|end|stop|onset|offset)(_(time|m?s|sec(onds)?|frame|pos(ition)?))?"
)
# Pattern of the name of a part of a date -> its greatest possible number.
_PARTS_OF_DATES = {
    re.compile(rf"((fiscal|utc|local|obs)_?|f)?({names})"): greatest
    for names, greatest in {
        "year|yr|y{4}|yy": 2200,
        "month|mnth|mon|mo|mm": 12,
        "week|wk": 53,
        "day|dy|dd|mday|day_?of_?month": 31,
        "doy|[jy]day|(julian_?day|day_?of_?year)": 366,
        "(week|w)day|dow|day_?of_?week": 7,
        "hour|hr|hh": 24,
        "minute": 60,
        "quarter|qtr": 4,
    }.items()
}
# Names of codes of quality.
_QUALITY = re.compile(
    r"((.*_)?q[acfn]|dq)(_.*)?|((data|quality|extraction|q)_?)?flags?|(data_?)?quality_?code"
)
# Most different codes in a column of codes of quality.
_MOST_CODES = 32
# Names of quality scores, or of warnings as bits.
_BITS = re.compile(r"\w*quality|\w+flags?")
# Least number other than 0 in a column of warnings as bits.
_LEAST_BIT = 4
# Most different numbers, fewest rows of each on average, and least range of a column per number,
# for its whole numbers to look like codes; the least code, and the number whose multiples are
# round.
_MOST_SCATTERED = 16
_PER_CODE = 10
_APART = 3
_LEAST_CODE = 100
_ROUND = 5
# Names of a prediction, or of its probabilities.
_OF_PREDICTION = re.compile(r"(y_?)?pred.*|prob.*")
# Names of probabilities. They belong to a prediction if they sum to 1 in each row.
_PROBABILITY = re.compile(r"p_?\d+|(p|prob(ability)?|confidence|score)(_.+|\(.+)")
# Names of times.
_CLOCK = re.compile(
    r"t|(.*_)?(time|elapsed|clock)(_.*)?|t_?(s|ms|us|sec|min|h)|(.*_)?(sec(ond)?s?|millis(econds)?"
    r"|ms|minutes?|hours?|days?)"
)
# Names of the error or quality of another column; the groups are the name of that column.
_ERROR = re.compile(
    r"(.+?)_?(?:err|error|unc|uncertainty|std_?err|rsd|flag|qc|quality|status)"
    r"_?(?:\d|low(?:er)?|upp?(?:er)?|plus|minus|pos|neg)?"
    r"|(?:e_|err(?:or)?_?|unc_?)(.+)"
)
# A unit at the end of a name, such as (s) in Time (s).
_UNIT_BEHIND = re.compile(r"[ _]*[(\[][^()\[\]]*[^\W\d_][^()\[\]]*[)\]]$")
# Names of amounts and counts, whose whole numbers may all differ without being a key: plurals
# (sessions), amounts (price), and what a word in front or a unit behind says.
_AMOUNT = re.compile(
    r"(n|num|total|sum|avg|mean|max|min|median|cum)_.+|tot[a-z]+|expend.*|\w+inc"
    r"|(?!.*((key|code|number|serial|id)s|series|pos))(.*_)?[a-z]{2,}[^\W\dsui_]s"
    r"(_(fwd|bwd|in|out|sent|received|total|mean|max|min|sum|avg))?"
    r"|(.*_)?(price|cost|income|revenue|salary|wage|amount|balance|value|volume|area|length|width"
    r"|height|depth|size|duration|population|distance|mass|weight|intensity|count|used|free"
    r"|interest|elevation|altitude|energy|power|speed|pressure|frequency|sum|total|turnover|profit"
    r"|debt|mileage|rainfall|dose|kb|mb|gb|kg|km|usd|eur|ms|ns|hz|pa)(_.*)?"
)
# Names of the axis of spectra: wavelength, mass, time.
_AXIS = re.compile(
    r"ppm|chemical_?shifts?|(binding|photon|kinetic)_?energy"
    r"|wave_?(length|number)s?|raman_?shift|(row_)?(m/?z|rt)_?(min|max|med)?|(2|two)_?theta"
    r"|(row_)?retention_?time"
)
_COUNT = re.compile(
    r"counts?|freq(uency|uencies)?|n|num(ber)?|multiplicity|occurrences?|times|repeats?|copies|size"
)
COUNT = "how often its row occurred"
# Largest difference between 1 and the mean of a column of weights.
_ABOUT_ONE = 0.2
# Fewest columns whose sum another column can't equal by chance.
_ADDENDS = 3
# Relative error of a sum of columns that is put down to rounding.
_ROUNDING = 1e-6
_WEIGHT = re.compile(rf"(?!(.*_)?mol(ar|ecular)?_)({_WEIGHTS})")
# Names of the coordinates of a plot, such as umap_1.
_PLOT = re.compile(
    r"(u_?map|t_?sne|pca?|phate|pa_?cmap|tri_?map|mds|isomap|projection|proj)([_.]?[23]d)?([_.]?(x"
    r"|y|z|dim|axis|coord|component|one|two|three|\d))*"
)
# Most coordinates of one plot.
_MOST_COORDINATES = 3
_NUMBERED = re.compile(r"(.*?)[ _.\-\[]*\d+\]?(?:_[acgtACGT])?")
# Names of numbered features, such as f0 and dim_1. Samples have no such names.
_FEATURE = re.compile(
    r"(?:f|feat|features?|dim|d|e|emb|embedding|x|v|z|var|pc|component|latent|gene)[ _]?(\d{1,9})",
    re.I,
)
# Names of samples, such as cell1 and GSM123. Features have no such names.
_SAMPLE = re.compile(
    r"(samples?|cells?|patient|subject|donor|specimen|mouse|animal|participant|individual"
    r"|barcode)[ _.-]?\d[\w.-]*"
    r"|(gsm|srr|err|tcga)[-_\d][\w.-]*|(hg|na)\d{5}|\d{9,}_r\d\dc\d\d(\W.*)?|[ACGT]{8,}(-\d+)?"
    r"|.*\.(bam|sam|cram|mzx?ml|cel|idat|fastq)(\W.*)?|.*\.\w+ peak (area|height)"
    r"|(lfq|reporter) intensity .*",
    re.IGNORECASE,
)
# Names of genes, variants and probes. Samples have no such names.
_GENE = re.compile(
    r"(ENS[A-Z]{0,4}[GTP]|FBgn|WBGene|AT[1-5CM]G|cg|rs|N[MRPX]_)\d{4,}\b.*"
    r"|\w{3}-(mir|let)-.*|\d+(_[asx])*_at",
    re.IGNORECASE,
)
# Names of text columns with the names of genes, proteins or species.
_NAMES_GENES = re.compile(
    r"(feature|gene|otu|asv|protein|peptide|transcript|taxon|clade|probe)_?\w*"
)
# Columns that featureCounts writes beside the samples in a table of counts.
_OF_COUNTS = {"chr", "start", "end", "strand", "length"}
# Names of text columns with the name of a feature, or its unit, in each row.
_NAMES_A_FEATURE = re.compile(
    r"(feature|variable|attribute|parameter|metric|measure|descriptor|probe|marker|metabolite"
    r"|analyte)s?"
    r"(_?(id|ids|name|names|symbol))?"
)
_UNITS = re.compile(r"units?|einheit(en)?")
# Names of units with several rows each, such as a patient. A column of such a name whose whole
# numbers repeat is no feature.
_UNIT = re.compile(
    r"(?!(n|num|number|time|days|hours)_)(.*_)?(patient|subject|participant|donor|volunteer"
    r"|individual|specimen|animal|mouse|speaker"
    r"|customer|client|user"
    r"|household|hospital|video|clip|scene|session|episode|trajectory|recording|slide|scan)(_?(id"
    r"|no|nr|num|number))?"
)
# Reason of numbers that say which rows belong together.
_BELONGING = "what its rows belong to"
# What a column looks like, as messages say it -> names of such columns.
_REASONS = {
    "a seed": re.compile(r"(.*_)?seeds?|random_?state|rng"),
    "a setting": re.compile(
        rf"cfg.*|guidance.*|temperature|top_?[kp]|worker|shard|batch|{_PREFIXED}"
    ),
    "a quality of the cell": re.compile(_OF_A_CELL),
    "a setting of a sampler": re.compile(r"(n|num|sampling|inference|denoising)_.*steps"),
    "a random number": re.compile(r"random_?(no|number|value)?"),
    "a note of the database": re.compile(r".+ed_by|row_?version"),
    "a state of the sampler": re.compile(r"lp|accept.*|step_?size|tree_?depth|n_leapfrog|diverg.*"),
    "a step or a run of training": re.compile(
        r"(.*_)?(step|epoch)s?|iter(ation)?s?|runs?|run_?n\w+|checkpoint|ckpt|trial|replicate"
    ),
    "where it was seen": re.compile(_MIDDLE),
    "a place in a plot": re.compile(rf"{_PLOT.pattern}|[xyz]|.*coord.*|pos_?[xyz]"),
    "a cluster": re.compile(
        r"(.*_)?clusters?|(k_?means|leiden|louvain|h?dbscan|flow_?som|pheno_?graph|.*snn_res)(_.*)?"
    ),
    _BELONGING: _UNIT,
    "weights of the samples": re.compile(rf"{_WEIGHTS}|weights?_.*"),
    "how the samples were drawn": re.compile(_DRAWN),
    "a time": re.compile(
        r"(.*_)?time.*|.*ed_?(at|on)|(cre|upd)ated|modified|deleted|[mbh]?jd|date(time)?|year"
        r"|month|week|(week)?day|hour|datum|zeit|frame"
    ),
    "a prediction or its quality": re.compile(
        r"y_?(pred|true|hat)|predict.*|fitted.*|residuals?|log_?loss|prob.*"
        r"|(.*_)?(score|loss|distance|similarity|confidence)s?"
        r"|rating|perplexity|rank"
        r"|reward|.*likelihood|log_?prob|nll|cos.*|pred|gt|ground_?truth|uncertainty|silhouette|lof"
    ),
    "a key": re.compile(
        r"(.*_)?(serial|key)|pk|hash|rownames|(.*_)?(no|nr|count)|\w*(num|number)|seqn|record|row"
        r"|col(umn)?"
    ),
}
# Fewest rows per unit (such as a patient), on average, for numbers to say which rows belong
# together.
_TOGETHER = 1.5
# Fewest numbered features of one name (f0, f1, f2) beside which other names are doubtful.
_FAMILY = 3
# Least share of numbered features of one name among all features, for other names to be doubtful.
# Formants F0 to F3, for example, stand beside other measurements.
_MOST_OF = 0.7
# Fewest rows with names of genes for the rows to count as features instead of samples.
_FEW_GENES = 8
# Fewest numbered features of one name for a note on any other name.
_LONG_FAMILY = 8
# Least share of numbered features of one name among all features, for a note on any other name.
_OUTSIDERS = 0.75
# Number of digits of a date -> its format.
_DATES = {6: "%Y%m", 8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
# Numbers that may be years.
_YEARS = (1900, 2100)
# Relative difference up to which two steps count as equal, as they may be rounded.
_UNEVEN = 1e-6
# Least share of equal steps in numbers that count the rows and restart, for example with each
# recording.
_BEGUN_ANEW = 7 / 8
# Fewest rows in which numbers that count them can't be chance.
_COUNTED = 8
# Seconds since 1970, from October 1999 to November 2042.
_SECONDS = (9.4e8, 2.3e9)
# Milliseconds, microseconds and nanoseconds in a second.
_FRACTIONS = (1e3, 1e6, 1e9)
# Least ratio of the distances from the median to the 90th and to the 10th percentile in amounts,
# which are skewed; keys hardly are.
_SKEWED = 2
# Fewest blocks of rows whose numbers, or fewest values whose order, can't be chance.
_FEW_BLOCKS = 8
# Names of ages.
_AGE = re.compile("(.*_)?m?ages?")
# Number of first rows by which whole numbers may be recognised as a key.
FIRST_ROWS = 64
# Fewest rows in which equal steps can't be chance.
_EVEN_ROWS = 16
# Number of rows from which whole numbers that are all different count as a key, even if they are
# not spread evenly, unless they are skewed.
_KEY_ROWS = 500
# Most rows that are searched for packed bits.
_PACKED_ROWS = 500
# Most columns that are searched for packed bits.
_PACKED_COLUMNS = 128
# Fewest bytes that are searched for packed bits.
_PACKED_BYTES = 2_000
# Least ratio of the frequencies of the rarest and the commonest bit in packed bits.
_ALIKE = 0.6
# Largest correlation of two bits of a byte in packed bits.
_RELATED = 0.2
# Least share of each byte with a single bit set, among bytes other than 0, in packed bits that are
# mostly 0.
_SINGLE = 0.02
# Fewest different bytes in a column for it to have many values.
_MANY = 48
# Least share of columns with many values for the test of their lowest bits.
_MOSTLY = 0.5
# Root mean square correlation of the lowest bit with the other bits above which it depends on them,
# as in packed bits.
_HANGS = 0.15
# Share of the bytes 0 and 255 above which bytes may be numbers cut off at both ends.
_ENDS = 0.25
# Type of 16 bits -> shift and mask of its exponent, exponents of 1e-4 and of about 1e3, and the
# expression that converts ``bits`` to numbers.
_FLOATS = {
    "bfloat16": (7, 0xFF, 113, 137, "({bits}.astype(np.uint32) << 16).view(np.float32)"),
    "float16": (10, 0x1F, 1, 25, "{bits}.view(np.float16).astype(np.float32)"),
}
# Least share of numbers with exponents in the range of a type in _FLOATS, for bits of that type.
_IN_RANGE = 0.99
# Least share of positive numbers, and of negative ones, for bits of a type in _FLOATS.
_OF_SIGN = 0.1
# Largest difference from 1 of the sum of rounded probabilities.
_ROUNDED = 1e-2
# Kolmogorov's statistic times sqrt(n) at the level of 1 %.
_UNIFORM = 1.63
# Largest share of columns that are asked about as keys; if more look like keys, they are whole
# numbers by nature.
_KEYS_AT_MOST = 0.5
# Largest share of such columns and of amounts of whole numbers that all differ.
_COUNTS_AT_MOST = 2 / 3


class Checked(NamedTuple):
    """Result of `checked_columns`: the features that remain, the columns left out as labels, and a
    note for each reason.
    """

    values: Array
    features: tuple[str, ...]
    labels: dict[str, Array]
    notes: tuple[str, ...]


def checked_columns(
    values: Array, features: Sequence[str], choice: ColumnChoice, where: str, typed: str = ""
) -> Checked:
    """The columns that are features.

    typed : the file, as the user wrote it.

    Raises
    ------
    SuspectColumnsError : some columns do not look like features, and the user has not named the
        features.
    """
    if not choice.features:
        error = _quantised(values, features, where, typed) or _spectra(values, features, typed)
        if error:
            raise error
    counts = [place for place in _counting(values) if features[place] not in choice.features]
    if counts and len(counts) < len(features):
        labels = {features[place]: values[:, place].astype(np.int64) for place in counts}
        kept = [place for place in range(len(features)) if place not in set(counts)]
        others = [features[place] for place in kept]
        rest = checked_columns(values[:, kept], others, choice, where, typed)
        note = f"left out: {listed(labels)} (a count of the rows)"
        return rest._replace(labels=labels | rest.labels, notes=(note, *rest.notes))
    notes = []
    if not choice.features:
        found = _suspects(values, features)
        if found.sure:
            raise SuspectColumnsError(_refusal(where, found, typed), tuple(found.sure))
        for names, one, several in (
            (
                found.doubtful,
                "its name may say something else",
                "their names may say something else",
            ),
            (
                found.ordered,
                "it grows or falls from row to row",
                "they grow or fall from row to row",
            ),
            (found.sums, "it is the sum of other columns", "they are sums of other columns"),
            (found.years, "its values look like years", "their values look like years"),
            (
                found.codes,
                "its few whole numbers, far apart, look like codes",
                "their few whole numbers, far apart, look like codes",
            ),
            (found.classes, "it alone holds whole numbers, as classes do", ""),
        ):
            if names:
                said = (
                    f"read as features, though {several}"
                    if len(names) > 1
                    else f"read as a feature, though {one}"
                )
                notes.append(f"{said}: {listed(names)}; to leave out: {drop_text(names)}")
    return Checked(values, tuple(features), {}, tuple(notes))


def is_bookkeeping(name: str) -> bool:
    """True for the name of a column that is bookkeeping and no feature."""
    return _BOOKKEEPING.fullmatch(plain_name(name)) is not None


def suspects(values: Array, features: Sequence[str]) -> dict[str, str]:
    """Name of a column that looks like no feature, about which `checked_columns` would ask -> what
    it looks like.
    """
    return _suspects(values, features).sure


def check_upright(
    labels: Mapping[str, Array],
    n: int,
    features: Sequence[str],
    typed: str,
    loaded: str = "",
) -> None:
    """Raise ReadError for a table whose rows are features: rows are called f0, f1, f2, or
    columns are called cell1, cell2.

    typed : the file, as the user wrote it. loaded : pandas call that reads the table with the names
        of features as index.
    """
    numbered = [name for name, column in labels.items() if column.dtype.kind in "iuf"]
    what = ""
    known = samples_among(features)
    if labels and known:
        what = f"each column is a sample ({quoted(known[0])}, {quoted(known[1])} ...)"
    # Names of samples: each is a word with a number, and the same words recur with other numbers.
    families = len(one_family([*features, ""])) == len(features)
    families &= not any(each.isdecimal() or _FEATURE.fullmatch(each) for each in features)
    if not what:
        known = one_family(features)
        for name, column in labels.items():
            texts = list(map(str, column[:FIRST_ROWS]))
            numbered_rows = n < len(features) and _are_numbered_features(texts)
            named = _NAMES_GENES.fullmatch(plain_name(name)) and len({*texts}) == len(texts)
            genes = families and n > _FEW_GENES and (named or all(map(_GENE.fullmatch, texts)))
            if not what and (numbered_rows or genes):
                what = f"each row is a feature ({quoted(texts[0])}, {quoted(texts[1])} ...)"
    if what:
        raise refuse_turned(what, typed, others_than(known, [*numbered, *features]), loaded)


def are_samples(names: Sequence[str]) -> bool:
    """True for names of samples, such as cells or patients, rather than features."""
    return len(names) > 2 and all(_SAMPLE.fullmatch(name) for name in names)


def _are_numbered_features(texts: Sequence[str]) -> bool:
    """True for names of numbered features, such as f0, f1, f2."""
    numbers = [int(match[1]) for text in texts if (match := _FEATURE.fullmatch(text))]
    return len(numbers) == len(texts) > 0 and np.array_equal(np.diff(numbers), [1] * len(texts[1:]))


def _spectra(values: Array, features: Sequence[str], typed: str) -> ReadError | None:
    """The error for a table whose first column is the axis of spectra; None for other tables."""
    if len(features) <= _FAMILY or len(values) < 2:
        return None
    if not _AXIS.fullmatch(plain_name(_UNIT_BEHIND.sub("", features[0]))):
        return None
    steps = np.sign(np.diff(values[:, 0].astype(float)))
    if steps[0] == 0 or (steps != steps[0]).any():
        return None
    first = ", ".join(f"{each:g}" for each in values[:2, 0].tolist())
    # A table of peaks also has columns of the ends of each peak; the recipe keeps the samples
    # alone.
    beside_axis = _named(list(map(plain_name, features)), _AXIS) - {0}
    others = []
    if beside_axis:
        others = others_than(one_family(features), features)
    what = f"each row is a feature ({quoted(features[0])}: {first} ...)"
    return refuse_turned(what, typed, others)


def names_features(name: str, texts: Sequence[str]) -> bool:
    """True for a column of texts that gives a feature's name, or its unit, in each row."""
    plain = plain_name(name)
    if _UNITS.fullmatch(plain):
        return len(set(texts)) > 1
    if _NAMES_A_FEATURE.fullmatch(plain):
        return len(set(texts)) == len(texts)
    return _are_numbered_features(texts)


def samples_among(names: Sequence[str], beside: str = "") -> list[str]:
    """The names of samples, such as cells or patients, if most names are such; else [].

    In a table of featureCounts, these are all names but those of its own columns. beside : name of
    a further column.
    """
    if {*map(plain_name, (*names, beside))} >= _OF_COUNTS:
        return [name for name in names if plain_name(name) not in _OF_COUNTS]
    found = [name for name in names if _SAMPLE.fullmatch(name)]
    if len(found) > 2 and 2 * len(found) > len(names):
        return found
    return []


def one_family(names: Sequence[str]) -> list[str]:
    """The names that occur with several numbers, such as a1 and a2, if most names do; else all
    names.
    """
    stems = [re.sub(r"\d+", "0", name) for name in names]
    counts = Counter(stems)
    found = [name for name, stem in zip(names, stems, strict=True) if counts[stem] > 1]
    if 2 * len(found) > len(names):
        return found
    return list(names)


def others_than(samples: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names that are not in ``samples``."""
    known = set(samples)
    return [name for name in names if name not in known]


def refuse_turned(what: str, typed: str, others: Sequence[str] = (), loaded: str = "") -> ReadError:
    """Error for a table whose rows are features, with the lines that transpose it.

    others : columns that are no samples. loaded : pandas call that reads the table with the names
        of features as index.
    """
    sentence = f"{quoted(Path(typed).name)}: transposed, {what}. Save one row per sample"
    frame = loaded or _frame(typed, ", index_col=0")
    if not frame:
        return ReadError(f"{sentence}.")
    out = ""
    if others:
        out = f".drop(columns={list(others)!r}, errors='ignore')"
    return ReadError(
        f"{sentence}:\nimport pandas as pd\ntable = {frame}\n"
        f"table{out}.select_dtypes('number').T.to_csv({beside(typed, '_turned.csv')}, index=False)"
    )


def _counting(values: Array) -> list[int]:
    """Indices of columns that count the rows, starting from any number."""
    if len(values) < _COUNTED:
        return []
    first = values[:_COUNTED]
    likely = np.flatnonzero(
        (np.diff(first, axis=0) == 1).all(axis=0) & (first[0] == np.rint(first[0]))
    )
    return [place for place in likely.tolist() if (np.diff(values[:, place]) == 1).all()]


@np.errstate(all="ignore")  # inf - inf is nan
def _in_order(values: Array) -> tuple[set[int], set[int]]:
    """Indices of columns with equal steps from row to row (up to rounding), and of columns that
    rise or fall by unequal steps. Rows drawn at random have neither.
    """
    if len(values) < _EVEN_ROWS:
        return set(), set()
    first = np.diff(values[:FIRST_ROWS].astype(float), axis=0)
    usual = np.median(first, axis=0)
    up = (np.abs(first - usual) <= _UNEVEN * np.abs(usual)).mean(axis=0) >= _BEGUN_ANEW
    first = np.sign(first)
    likely = np.flatnonzero((up | (first == first[0]).all(axis=0)) & (usual != 0))
    even = set()
    ordered = set()
    for place in likely.tolist():
        steps = np.diff(values[:, place].astype(float))
        mean = np.median(steps)
        same = np.abs(steps - mean) <= _UNEVEN * abs(mean)
        if same.all() or (same.mean() >= _BEGUN_ANEW and (same | (steps * mean < 0)).all()):
            even.add(place)
        elif len(values) >= FIRST_ROWS and (np.sign(steps) == np.sign(mean)).all():
            ordered.add(place)
    return even, ordered


@np.errstate(all="ignore")  # inf - inf is nan
def _blocks(values: Array, features: Sequence[str]) -> tuple[set[int], set[int]]:
    """Indices of columns that number blocks of rows, such as 1, 1, 1, 2, 2, 3, and of other columns
    that never fall, or never rise, from row to row. Tables are often sorted by an age or an amount.
    """
    numbering = set[int]()
    rising = set[int]()
    if len(values) < FIRST_ROWS:
        return numbering, rising
    first = np.diff(values[:FIRST_ROWS].astype(float), axis=0)
    likely = (first >= 0).all(axis=0) | (first <= 0).all(axis=0)
    for place in np.flatnonzero(likely).tolist():
        steps = np.diff(values[:, place].astype(float))
        different = np.count_nonzero(steps) + 1
        name = features[place]
        if different < _FEW_BLOCKS or is_amount(name) or _AGE.fullmatch(plain_name(name)):
            continue
        if different <= len(values) / _TOGETHER and np.isin(steps, (0, 1)).all():
            numbering.add(place)
        elif (steps >= 0).all() or (steps <= 0).all():
            rising.add(place)
    return numbering, rising


def _quantised(values: Array, features: Sequence[str], where: str, typed: str) -> ReadError | None:
    """The error for quantised values in columns beside their scale or offset, with the lines that
    decode them; None for other tables.
    """
    pieces = {which: name for which in ("scale", "zero", "min") if (name := piece(which, features))}
    rest = [place for place, name in enumerate(features) if name not in pieces.values()]
    if "scale" not in pieces or len(rest) < _FAMILY or not (frame := _frame(typed)):
        return None
    scale = values[:, features.index(pieces["scale"])]
    whole = values[:, rest]
    if (
        (whole != np.rint(whole)).any()
        or np.ptp(whole) > 255
        or (scale <= 0).any()
        or (scale == np.rint(scale)).all()
    ):
        return None
    columns = {which: f"table[{name!r}]" for which, name in pieces.items()}
    sum_ = "table[names]" + (f".sub({columns['zero']}, axis=0)" if "zero" in columns else "")
    sum_ += f".mul({columns['scale']}, axis=0)"
    formula = "q * scale"
    if "zero" in columns:
        formula = "(q - zero) * scale"
    if "min" in columns:
        sum_ += f".add({columns['min']}, axis=0)"
        formula += " + min"
    held = list(pieces.values())
    return ReadError(
        f"{where}: quantised values, which {listed(held)} decode. Save the decoded values, if this "
        f"is your formula: {formula} "
        f"({', '.join(f'{which} {quoted(name)}' for which, name in pieces.items())}); if they are "
        "features, columns='*' (--features '*') takes every column.\nimport pandas as pd\ntable = "
        f"{frame}\n"
        f"names = [name for name in table.select_dtypes('number') if name not in {held!r}]\n"
        "table[names] = "
        f"{sum_}\ntable.drop(columns={held!r}).to_csv({beside(typed, '_numbers.csv')}, index=False)"
    )


class _Suspects(NamedTuple):
    """Columns that look like no features, each with what it looks like.

    doubtful, ordered, sums, years, codes, classes : columns that may be no features, by their
        names, because they rise or fall from row to row, as sums of others, as years, as codes, or
        as the only numbers of classes.
    """

    sure: dict[str, str]
    doubtful: tuple[str, ...]
    ordered: tuple[str, ...]
    sums: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


def _suspects(values: Array, features: Sequence[str]) -> _Suspects:
    plain = [plain_name(_UNIT_BEHIND.sub("", name)).strip("_") for name in features]
    stems = [match[1] if match else None for match in map(_NUMBERED.fullmatch, plain)]
    sure = _named(plain, _BOOKKEEPING) | _coordinates(plain)
    samplers = _named(features, _OF_A_SAMPLER)
    programs = _named(features, _OF_A_PROGRAM)
    if 2 * len(programs) > len(features):
        programs = set()
    sure |= samplers | programs
    # In a table of cells' qualities, or of settings, these are the features.
    sure -= _mostly(plain, _OF_A_CELL) | _mostly(plain, _PREFIXED)
    sure -= _where(_of_music, values, _named(plain, _KEY))
    either = _named(plain, _EITHER) - sure
    numbered = Counter(
        stem
        for place, stem in enumerate(stems)
        if stem is not None and place not in sure and place not in either
    )
    family, most = max(numbered.items(), key=itemgetter(1), default=("", 0))
    others = len(plain) - len(sure) - len(either)
    if most >= max(_FAMILY, _MOST_OF * others):
        sure |= either | _named(plain, _BESIDE)
    else:
        either -= _measured(values, plain)
    if most >= max(_LONG_FAMILY, _OUTSIDERS * others):
        either |= _outsiders(plain, stems, family) - sure
    sure |= _weights(values, plain, either)
    dates = _parts_of_dates(values, plain)
    if len({*dates.values()}) > 1:
        sure |= dates.keys()
    if len(places := _named(plain, _PLACE) - sure) > 1:
        either |= places
    numbers = _named(plain, _NUMBERS) | _named(features, _GLUED_ID)
    either |= dates.keys() | _where(_whole, values, numbers)
    of_weights = _named(plain, _OF_WEIGHTS)
    either |= {place for place in of_weights if abs(values[:, place].mean() - 1) < _ABOUT_ONE}
    even, ordered = _in_order(values)
    blocks, rising = _blocks(values, features)
    ordered |= rising
    seen = _seen(values, features, plain, even, ordered)
    seen |= dict.fromkeys(blocks - seen.keys() - dates.keys(), _BELONGING)
    seen |= dict.fromkeys(programs, "named like a program's own column")
    seen |= dict.fromkeys(samplers, "a state of the sampler")
    seen |= dict.fromkeys(dates.keys() & sure, "a part of a date")
    units = _where(_repeats, values, _named(plain, _UNIT))
    sure |= units | seen.keys()
    either -= sure
    if len(sure) == len(plain):
        return _Suspects({}, (), ())
    reasons = {}
    for place in sorted(sure):
        fitting = (reason for reason, each in _REASONS.items() if each.fullmatch(plain[place]))
        reasons[features[place]] = seen.get(place) or next(fitting, "named unlike the others")
    in_order = _at(ordered - sure - either, features)
    sums = _sums(values, plain) - sure
    # Without these columns no feature would be left.
    if len(sure) + len(either) == len(plain):
        either = set()
    known = sure | either | ordered | sums
    years = _where(_are_years, values, range(len(plain))) - known
    codes = _where(_look_like_codes, values, range(len(plain))) - known - years
    return _Suspects(
        reasons,
        _at(either - sums, features),
        in_order,
        _at(sums, features),
        _at(years, features),
        _at(codes, features),
        _at(_classes(values, features) - known, features),
    )


def _at(places: set[int], features: Sequence[str]) -> tuple[str, ...]:
    return tuple(features[place] for place in sorted(places))


def _named(plain: Sequence[str], names: re.Pattern[str]) -> set[int]:
    """Indices of the names that match in full."""
    return {place for place, name in enumerate(plain) if names.fullmatch(name)}


def _mostly(plain: Sequence[str], names: str) -> set[int]:
    """Indices of the names that match in full, if at least half do."""
    found = _named(plain, re.compile(names))
    if 2 * len(found) >= len(plain):
        return found
    return set()


@np.errstate(all="ignore")  # inf - inf is nan
def _sums(values: Array, plain: Sequence[str]) -> set[int]:
    """Indices of columns that are in each row the sum of all columns before them, or of all
    others; of totals by name also those of some columns beside them.
    """
    numbers = values[:FIRST_ROWS].astype(float)
    varied = np.ptp(numbers, axis=0) > 0
    found = set[int]()
    if len(values) < _EVEN_ROWS:
        return found
    for place in _named(plain, _TOTAL):
        total = numbers[:, [place]]
        for some in (numbers[:, :place][:, ::-1], numbers[:, place + 1 :]):
            near = np.abs(np.cumsum(some, axis=1) - total) <= _ROUNDING * np.abs(total)
            if varied[place] and near.all(axis=0)[1:].any():
                found.add(place)
    if np.count_nonzero(varied) <= _ADDENDS:
        return found
    before = np.cumsum(varied) - varied
    for sums, addends in (
        (np.cumsum(numbers, axis=1) - numbers, before),
        (numbers.sum(axis=1, keepdims=True) - numbers, np.count_nonzero(varied) - varied),
    ):
        near = np.abs(sums - numbers) <= _ROUNDING * np.abs(numbers)
        found |= {*np.flatnonzero(near.all(axis=0) & varied & (addends >= _ADDENDS)).tolist()}
    return found


def _where(check: Callable[[Array], bool], values: Array, places: Iterable[int]) -> set[int]:
    """Indices of those columns among ``places`` whose values pass the check."""
    return {place for place in places if check(values[:, place])}


def _are_shares(column: Array) -> bool:
    return bool(column.min() >= 0 and column.max() <= 1)


def _may_weigh(column: Array) -> bool:
    return are_weights([column])


def _whole(column: Array) -> bool:
    return bool((column == np.rint(column)).all())


def _parts_of_dates(values: Array, plain: Sequence[str]) -> dict[int, int]:
    """Index of a column that holds a part of a date, such as the month -> the greatest number of
    that part.
    """
    found = {}
    for names, greatest in _PARTS_OF_DATES.items():
        for place in _named(plain, names):
            column = values[:, place]
            least = 0 if column.max() < 100 else 1800 * (greatest > 1800)
            if _whole(column) and least <= column.min() and column.max() <= greatest:
                found[place] = greatest
    return found


@np.errstate(all="ignore")  # inf - inf is nan
def _probabilities(values: Array, plain: Sequence[str]) -> set[int]:
    """Indices of the columns that are probabilities of a prediction: they sum to 1 in each row."""
    if not _named(plain, _OF_PREDICTION):
        return set()
    places = _named(plain, _PROBABILITY)
    sums = values[:, sorted(places)].sum(axis=1)
    if len(places) > 1 and (np.abs(sums - 1) < _ROUNDED).all():
        return places
    return set()


def _measured(values: Array, plain: Sequence[str]) -> set[int]:
    """Indices of the features in a table of words whose names mean bookkeeping in other tables."""
    found = _named(plain, _MEASURED_TOO)
    settings = _named(plain, _SETTING)
    found |= settings - _where(_few, values, settings)
    found -= _where(_are_shares, values, _named(plain, _SHARES))
    weights = _named(plain, _OF_BODIES)
    if len(weights) > 1 and _where(_may_weigh, values, weights) != weights:
        found |= weights
    # z beside other letters, as of photometric bands, is no coordinate
    if len(_named(plain, _OTHER_LETTERS)) > 1:
        found |= _named(plain, _LETTERS)
    return found


def _weights(values: Array, plain: Sequence[str], either: set[int]) -> set[int]:
    """Indices of weights of samples; body weights are features."""
    called = {place for place in either if called_weights(plain[place])}
    surveys = called & _named(plain, _OF_SURVEYS)
    if _where(_may_weigh, values, called) == called:
        return called
    if _where(_may_weigh, values, surveys):
        return surveys
    return set()


def _outsiders(plain: Sequence[str], stems: Sequence[str | None], family: str) -> set[int]:
    """Indices of names that are neither of the numbered family (f0, f1, f2 ...) nor share their
    beginning with another name.
    """
    begun = Counter(name.rpartition("_")[0] for name in plain)
    alone = set()
    for place, name in enumerate(plain):
        if stems[place] != family and ("_" not in name or begun[name.rpartition("_")[0]] < 2):
            alone.add(place)
    return alone


def _seen(
    values: Array, features: Sequence[str], plain: Sequence[str], even: set[int], ordered: set[int]
) -> dict[int, str]:
    """Index of a column -> what it is, by its values or by the names of other columns."""
    names = set(plain)
    timed = ordered | _named(plain, _CLOCK)
    seen = dict.fromkeys(_where(_are_moments, values, range(len(plain))), "a time")
    seen |= dict.fromkeys(_keys(values, features), "a key, whose numbers all differ")
    seen |= dict.fromkeys(_probabilities(values, plain), "a prediction or its quality")
    for place, name in enumerate(plain):
        error = _ERROR.fullmatch(name)
        if error and not names.isdisjoint(error.groups()):
            seen[place] = "the error, or a mark, of another column"
        elif (_QUALITY.fullmatch(name) and _are_codes(values[:, place])) or (
            _BITS.fullmatch(name) and _are_bits(values[:, place])
        ):
            seen[place] = "a code of quality"
        elif place in even:
            steps = "in even steps from row to row"
            if _CLOCK.fullmatch(name):
                steps = "a time, in even steps"
            seen[place] = steps
        elif _are_dates(values[:, place]) or (
            place in timed and _are_moments(values[:, place], seconds=True)
        ):
            seen[place] = "a time"
        # t may be Student's t statistic.
        elif name != "t" and _CLOCK.fullmatch(name) and _runs(values[:, place]):
            seen[place] = "a time, which runs on from row to row"
        elif _COUNT.fullmatch(name) and _counts_rows(values, place):
            seen[place] = COUNT
    return seen


def _are_codes(column: Array) -> bool:
    return _whole(column) and 1 < len(np.unique(column)) <= _MOST_CODES


def _are_bits(column: Array) -> bool:
    others = column[column != 0]
    return _are_codes(column) and 2 * len(others) < len(column) and others.min() >= _LEAST_BIT


def _are_dates(column: Array) -> bool:
    """True for whole numbers that are dates, such as 20240131, and not all equal."""
    some = column[:: -(-len(column) // FIRST_ROWS)].tolist()
    return len(some) >= _EVEN_ROWS and all(map(_is_date, some)) and len({*some}) > 1


def _is_date(value: float) -> bool:
    text = f"{value:.0f}"
    try:
        year = datetime.strptime(text, _DATES.get(len(text), "-")).year
    except ValueError:
        return False
    return float(text) == value and _YEARS[0] <= year <= _YEARS[1]


def _are_years(column: Array) -> bool:
    if not _YEARS[0] <= column[0] <= _YEARS[1]:
        return False
    return bool(_YEARS[0] <= column.min() < column.max() <= _YEARS[1]) and _whole(column)


def _look_like_codes(column: Array) -> bool:
    """True for few whole numbers far apart, of which at least half have three digits or more and
    are no multiples of 5, as codes of places are; no multiples of one number, as counts of a size
    are. A number in most rows may stand for nothing.
    """
    first = np.unique(column[:FIRST_ROWS])
    if len(first) > _MOST_SCATTERED or first[-1] < _LEAST_CODE or not _whole(column):
        return False
    held, counts = np.unique(column, return_counts=True)
    different = len(held)
    if not _FAMILY <= different <= min(_MOST_SCATTERED, len(column) / _PER_CODE):
        return False
    odd = (held >= _LEAST_CODE) & (held % _ROUND > 0)
    return bool(
        2 * odd.sum() >= different
        and np.ptp(held) >= _APART * different
        and np.gcd.reduce(np.diff(held.astype(np.int64))) == 1
        and 2 * counts.max() <= len(column)
    )


def _classes(values: Array, features: Sequence[str]) -> set[int]:
    """Index of the first or last column, if it has a number as name and alone holds whole numbers,
    from 0 or 1 without a gap.
    """
    first = values[:FIRST_ROWS]
    whole = np.flatnonzero((first == np.rint(first)).all(axis=0)).tolist()
    d = values.shape[1]
    if len(first) < FIRST_ROWS or d <= _FAMILY or len(whole) != 1 or whole[0] not in (0, d - 1):
        return set()
    if not features[whole[0]].isdecimal():
        return set()
    held = np.unique(values[:, whole[0]])
    if len(held) > _MOST_CODES or not np.array_equal(held - min(held[0], 1), np.arange(len(held))):
        return set()
    return {*whole}


def _are_moments(column: Array, seconds: bool = False) -> bool:
    """True for different moments in milliseconds, microseconds or nanoseconds since 1970; where
    ``seconds``, also in seconds, which other numbers may be by chance.
    """
    for scale in (1.0, *_FRACTIONS)[not seconds :]:
        low = _SECONDS[0] * scale
        high = _SECONDS[1] * scale
        if len(column) >= _EVEN_ROWS and low <= column[0] <= high:
            return bool(low <= column.min() < column.max() <= high)
    return False


def _of_music(column: Array) -> bool:
    """True for the numbers of musical keys, which repeat from 0 or 1 to 11, 12 or 24."""
    return _repeats(column) and column.min() >= -1 and bool(column.max() <= _MOST_KEYS)


def _runs(column: Array) -> bool:
    """True for numbers that never fall from row to row, and mostly rise."""
    steps = np.diff(column.astype(float))
    if len(column) < FIRST_ROWS or 2 * int(np.count_nonzero(steps)) <= len(steps):
        return False
    return bool((steps >= 0).all())


def _coordinates(plain: Sequence[str]) -> set[int]:
    """Indices of the coordinates of a plot, such as umap_1 and umap_2. Many coordinates of one kind
    are features.
    """
    stems = {
        place: match[1] for place, name in enumerate(plain) if (match := _PLOT.fullmatch(name))
    }
    counted = Counter(stems.values())
    return {place for place, stem in stems.items() if counted[stem] <= _MOST_COORDINATES}


def reasons_text(names: Mapping[str, str]) -> str:
    """Text that says what the columns look like, after their names."""
    if len(set(names.values())) == 1:
        return next(iter(names.values()))
    groups: dict[str, list[str]] = {}
    for name, reason in names.items():
        groups.setdefault(reason, []).append(name)
    return "; ".join(f"{listed(each, most=3)}: {reason}" for reason, each in groups.items())


def _counts_rows(values: Array, place: int) -> bool:
    """True for whole numbers that say how often each row occurred: all rows differ without them,
    and other columns have few values.
    """
    n, d = values.shape
    counts = values[:, place]
    rest = np.delete(values, place, axis=1)
    if d < 2 or counts.min() < 1 or (counts != np.rint(counts)).any() or counts.max() == 1:
        return False
    different = np.array([len(np.unique(column)) for column in rest.T], dtype=float)
    if different.max() > n / 2 or len(np.unique(rest, axis=0)) < n:
        return False
    in_order = (np.diff(counts) <= 0).all() or (np.lexsort(rest.T[::-1]) == np.arange(n)).all()
    return bool(in_order or n * n >= np.prod(different))


def beside_lists(labels: Mapping[str, Array]) -> tuple[str, ...]:
    """A note on columns of decimal numbers that are not read as features because there are list
    columns; () if there are none.
    """
    found = []
    for name, column in labels.items():
        plain = plain_name(name)
        if is_label(name) or any(each.fullmatch(plain) for each in (_BOOKKEEPING, _EITHER, _PLOT)):
            continue
        if column.dtype.kind == "f" or all(map(_is_decimal, column[:FIRST_ROWS].tolist())):
            found.append(name)
    if found:
        return (f"not read beside the lists of numbers: {listed(found)}",)
    return ()


def _is_decimal(value: object) -> bool:
    try:
        return isinstance(value, str) and "." in value and bool(float(value) + 1)
    except ValueError:
        return False


def _few(column: Array) -> bool:
    """True for numbers that each occur in several rows on average."""
    return bool(len(np.unique(column)) <= len(column) / _TOGETHER)


def _repeats(column: Array) -> bool:
    """True for whole numbers, not all equal, that occur in several rows each, on average."""
    return _whole(column) and _few(column) and bool(np.ptp(column) > 0)


def called_weights(name: str) -> bool:
    """True for the name of a column of weights, of samples or of bodies."""
    return _WEIGHT.fullmatch(plain_name(name)) is not None


def are_weights(columns: Sequence[Array]) -> bool:
    """True for weights of samples, False for body weights. columns : one column of weights from
    each file.

    Weights of samples are negative in part, or have a mean of about 1, or are equal within each
    file.
    """
    if any((column < 0).any() or abs(float(column.mean()) - 1) < _ABOUT_ONE for column in columns):
        return True
    return all((column == column[0]).all() for column in columns)


def is_amount(name: str) -> bool:
    """True for a column name of an amount or a count, such as price, sessions and weight (kg)."""
    return bool(_UNIT_BEHIND.search(name) or _AMOUNT.fullmatch(plain_name(name)))


def _keys(values: Array, features: Sequence[str]) -> set[int]:
    """Indices of columns of whole numbers that are all different and not named like amounts; none
    if many columns are such.
    """
    if len(values) < FIRST_ROWS:
        return set()
    every = np.flatnonzero(may_be_keys(values)).tolist()
    likely = {place for place in every if not is_amount(features[place])}
    many = len(every) > _COUNTS_AT_MOST * len(features)
    if many or len(likely) > _KEYS_AT_MOST * len(features):
        return set()
    return _where(is_key, values, likely)


def may_be_keys(values: Array) -> Flags:
    """True for columns whose first rows are whole numbers that are all different."""
    first = values[:FIRST_ROWS]
    found: Flags = (first == np.rint(first)).all(axis=0)
    whole = np.flatnonzero(found)
    found[whole] = (np.diff(np.sort(first[:, whole], axis=0), axis=0) > 0).all(axis=0)
    return found


def is_key(column: Array) -> bool:
    """True for whole numbers that are all different, and are either spread as evenly as numbers of
    samples, or many and not skewed as amounts are.
    """
    ordered = np.sort(column.astype(float))
    if (ordered != np.rint(ordered)).any() or (np.diff(ordered) <= 0).any():
        return False
    if len(ordered) >= _KEY_ROWS:
        low, middle, high = np.quantile(ordered, (0.1, 0.5, 0.9)).tolist()
        return bool(high - middle < _SKEWED * (middle - low))
    places = (ordered - ordered[0]) / (ordered[-1] - ordered[0])
    gap = float(np.abs(places - np.linspace(0, 1, len(ordered))).max())
    return gap * math.sqrt(len(ordered)) < _UNIFORM


def _refusal(where: str, found: _Suspects, typed: str) -> str:
    names = tuple(found.sure)
    one = len(names) == 1
    what = (
        f"column {listed(names)} looks like no feature"
        if one
        else f"columns {listed(names, most=6)} look like no features"
    )
    sentence = (
        f"{where}: {what} ({reasons_text(found.sure)}). Leave {'it' if one else 'them'} out "
        f"with {drop_text(names)}"
    )
    units = [
        name
        for name, reason in found.sure.items()
        if (reason == _BELONGING or _UNIT.fullmatch(plain_name(name))) and name.isprintable()
    ]
    if units:
        sentence += (
            f", or if {quoted(units[0])} says which rows belong together, give "
            f"{group_text(units[0])}"
        )
    them = "they are features"
    if one:
        them = "it is a feature"
    sentence += f"; if {them}, columns='*' (--features '*') takes every column."
    counts = [name for name, reason in found.sure.items() if reason == COUNT]
    if not counts or not (frame := _frame(typed)):
        return sentence
    name = counts[0]
    return (
        f"{sentence} To have each row as often as it occurred:\nimport pandas as pd\ntable = "
        f"{frame}\n"
        f"table = table.loc[table.index.repeat(table[{name!r}])].drop(columns={name!r})\n"
        f"table.sample(frac=1, random_state=0).to_csv({beside(typed, '_rows.csv')}, index=False)"
    )


def _frame(typed: str, options: str = "") -> str:
    """The pandas call that reads the table; "" for a file of arrays. options : for a table of
    text.
    """
    name = literal(typed)
    calls = {
        ".csv": f"pd.read_csv({name}{options}, sep=None, engine='python')",
        ".tsv": f"pd.read_csv({name}{options}, sep='\\t')",
        ".parquet": f"pd.read_parquet({name})",
        ".feather": f"pd.read_feather({name})",
    }
    return calls.get(Path(typed).suffix.lower(), "")


def bits_note(values: Array, file: str, loads: str) -> str:
    """The note on an array that looks like packed bits, or like the raw bits of numbers; "" for
    other arrays.

    loads : Python expression that loads the array.
    """
    kind = float_bits(values)
    if kind is not None:
        numbers = _FLOATS[kind][-1].format(bits=f"{loads}.astype(np.uint16)")
        return (
            f"its whole numbers look like the bits of {kind}; if they are, measure what this "
            f"saves: np.save({beside(file, '_numbers.npy')}, {numbers})"
        )
    if not look_packed(values):
        return ""
    return (
        "its bytes look like packed bits, which are no numbers; if they are, measure what this "
        f"saves: np.save({beside(file, '_bits.npy')}, np.unpackbits({loads}.astype(np.uint8), "
        "axis=1))"
    )


def look_packed(values: Array) -> bool:
    """True for bytes whose eight bits are as frequent and as independent as packed bits.

    In bytes that are numbers, the upper bits are rarer than the lower ones, or depend on each other
    within a column. Numbers spread evenly over all bytes look like packed bits, too.
    """
    n, d = values.shape
    few = values[:_PACKED_ROWS]
    if n < FIRST_ROWS or few.max() <= 1 or few.min() < 0 or few.max() > 255:
        return False
    few = few[:, :: max(1, d // _PACKED_COLUMNS)]
    if n * d < _PACKED_BYTES or (few != np.rint(few)).any():
        return False
    found = few.astype(np.uint8)
    single = np.bincount(found.ravel(), minlength=256)[1 << np.arange(8)]
    if single.min() > _SINGLE * np.count_nonzero(found):  # few bits are set at all
        return True
    bits = np.unpackbits(found[:, :, None], axis=2).astype(float)
    rates = bits.mean(axis=(0, 1))
    if rates.min() < _ALIKE * rates.max():
        return False
    bits -= bits.mean(axis=0)
    joint = np.einsum("nda,ndb->dab", bits, bits)
    spread = np.sqrt(np.einsum("daa->da", joint))
    all_spread = np.sqrt(np.square(spread).sum(axis=0))
    if not all_spread.all():
        return False
    related = np.abs(joint.sum(axis=0) / all_spread / all_spread[:, None])
    if related[~np.eye(8, dtype=bool)].max() < _RELATED:
        return True
    # In numbers with many values, the lowest bit is independent of the other bits.
    many = np.array([len(np.unique(column)) >= _MANY for column in found.T]) & spread.all(axis=1)
    if many.mean() < _MOSTLY or np.isin(found, (0, 255)).mean() > _ENDS:
        return False
    lowest = joint[many, 7, :7] / spread[many, 7:] / spread[many, :7]
    return bool(np.sqrt(np.square(lowest).mean()) > _HANGS)


def float_bits(values: Array) -> str | None:
    """Type whose raw bits the whole numbers seem to be, "bfloat16" or "float16"; else None.

    Read as whole numbers, the bits of positive and of negative numbers lie in two narrow ranges far
    apart, in every column.
    """
    few = values[:_PACKED_ROWS, :: max(1, values.shape[1] // _PACKED_COLUMNS)]
    if few.size < FIRST_ROWS or few.max() <= 255 or few.min() < -(2**15) or few.max() >= 2**16:
        return None
    if (few != np.rint(few)).any():
        return None
    bits = few.astype(np.int64) & 0xFFFF
    bits = bits[bits & 0x7FFF != 0]
    signs = (bits >> 15).mean() if bits.size else 0
    if not _OF_SIGN <= signs <= 1 - _OF_SIGN:
        return None
    for name, (place, mask, least, greatest, _) in _FLOATS.items():
        exponents = bits >> place & mask
        if ((least <= exponents) & (exponents <= greatest)).mean() >= _IN_RANGE:
            return name
    return None
