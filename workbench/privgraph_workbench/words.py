"""What the numbers mean, in words for somebody who has not read a paper. Pure functions; no browser."""

from __future__ import annotations

import math
import re

from privgraph.options import Scalar
from privgraph.privacy.statement import FREE, FROZEN_DEGREES, FROZEN_SAMPLE, REPLACED_RECORD, PrivacyStatement
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import number, upper

UNITS = {
    "edge": "one connection (edge)",
    "node": "one person (node) with everything about them",
    "none": "nothing",
}
OPTS_OUT = "one person (node) with everything about them, who takes part or opts out while what was drawn stays"


def protected(unit: str, neighbours: str = FREE) -> str:
    """What one guarantee protects, by unit and kind of neighbouring relation.

    >>> protected("node"), protected("edge", FROZEN_SAMPLE)
    ('one person (node) with everything about them', 'one connection (edge)')
    """
    return OPTS_OUT if unit == "node" and neighbours in (FROZEN_SAMPLE, FROZEN_DEGREES) else UNITS[unit]


WHICH_END = "← left: more private, more noise  ·  right: less private, more accurate →"
THREE_NUMBERS = (
    "Three numbers, never mixed up: what this noise does guarantee (sound), what the paper's own formula says of it "
    "(as published), and the least that an attack has shown it to leak (audited)."
)
BUT_FOR_FAULTS = "**What follows would hold without the known faults above. With them it may not.**"


WAGERS = {
    FREE: "whether a certain person's data was used",
    FROZEN_SAMPLE: "whether a certain person, with whom the sample of edges was drawn, took part or opted out",
    FROZEN_DEGREES: "whether a certain person, whom everybody's degree counts, took part or opted out",
    REPLACED_RECORD: "which of two records a certain person gave, with the same sample of other people's edges,",
}
"""What is guessed, by kind of neighbouring relation."""
EXCEPTIONS = {
    FROZEN_SAMPLE: "; this does not hold for a person who was never there, without whom another sample would have been drawn",
    FROZEN_DEGREES: "; this does not hold for a person who was never there, without whom degrees are others and so are the samples",
    REPLACED_RECORD: "; this does not hold for a person who was never there, without whom another sample would have been drawn",
}
"""For whom the wager is not one, in the same sentence."""


def guess(epsilon: float, delta: float) -> float:
    """The best chance, in [0.5, 1], of guessing between two equally likely neighbouring graphs.

    For every (epsilon, delta)-private release: (e^epsilon + delta) / (1 + e^epsilon) (Kairouz, Oh and
    Viswanath, The Composition Theorem for Differential Privacy, 2015).

    >>> round(guess(1.0, 0.0), 3), guess(float("inf"), 0.0)
    (0.731, 1.0)
    """
    if epsilon > 700:
        return 1.0
    odds = math.exp(epsilon)
    return min(1.0, (odds + delta) / (1 + odds))


def chance(value: float) -> str:
    """A chance in [0, 1] in percent, never rounded up to a certainty.

    >>> chance(0.731), chance(0.99966), chance(1.0), chance(0.9999999)
    ('73.1%', '99.97%', '100%', 'over 99.99%')
    """
    if value >= 1:
        return "100%"
    if value > 0.9999:
        return "over 99.99%"
    return f"{100 * value:.1f}%" if value < 0.99 else f"{100 * value:.2f}%"


def at_most(value: float) -> str:
    """A bound on a chance in words: in percent, rounded up, so that it still is one.

    >>> at_most(0.5), at_most(0.7311), at_most(0.99961), at_most(0.99999), at_most(1.0)
    ('at most 50.0%', 'at most 73.2%', 'at most 99.97%', 'at most 100%', 'at most 100%')
    """
    digits = 1 if value <= 0.99 else 2
    steps = math.ceil(round(100 * value * 10**digits, 9))
    return "at most 100%" if steps >= 100 * 10**digits else f"at most {steps / 10**digits:.{digits}f}%"


def risk(unit: str, epsilon: float, delta: float, neighbours: str = FREE) -> str:
    """The guarantee as a wager, one or two sentences; `neighbours` is the kind of the relation (`NEIGHBOURS`)."""
    if unit == "none" or math.isinf(epsilon):
        return "Nothing is guaranteed: somebody who sees the result may learn everything about any one connection or person."
    what = "whether a certain connection is in the graph" if unit == "edge" else WAGERS[neighbours]
    best = guess(epsilon, delta)
    text = (
        f"Somebody who knows everything else and guesses {what}, from a fair coin's 50%, "
        f"is right {at_most(best)} of the time{EXCEPTIONS.get(neighbours, '')}."
    )
    return f"{text} That is {strength(epsilon, delta)} protection."


STRENGTHS = ((0.75, "strong"), (0.9, "moderate"), (0.99, "weak"), (1.0, "next to no"))
"""What protection is called up to a chance of a right guess, of which a coin has 0.5; conventions, not theorems."""


def strength(epsilon: float, delta: float = 0.0) -> str:
    """A word for a guarantee, chosen by the number of its wager, beside which it stands.

    >>> strength(1.0), strength(2.0), strength(3.0), strength(8.0), strength(float("inf"))
    ('strong', 'moderate', 'weak', 'next to no', 'no')
    """
    best = guess(epsilon, delta)
    return next(word for bound, word in STRENGTHS if best <= bound) if math.isfinite(epsilon) else "no"


def delta(value: float, epsilon: float = 0.0) -> str:
    """What delta is, with its value; beside an infinite epsilon it says nothing."""
    if math.isinf(epsilon):
        return f"δ = {value:.2g} says nothing here: with an infinite ε there is no guarantee that could hold or fail."
    if value == 0:
        return "δ = 0: the guarantee never fails."
    text = f"δ = {value:.2g}: the chance, at most, that the guarantee does not hold at all."
    return (
        text
        if value < 1e-3
        else f"{text} That is not small: a graph of so few units cannot do much better by this rule."
    )


def headline(statement: PrivacyStatement) -> str:
    """One line that may stand under a figure."""
    if statement.unit == "none":
        return "Not private: no guarantee."
    return (
        f"Protects {UNITS[statement.unit]}; sound ε = {upper(statement.epsilon)} at δ = {statement.delta:.2g}"
        f" ({statement.relation})."
    )


_JOINER = "\u2060"
"""A letter without width. Streamlit looks for addresses, icons and arrows once more when escapes have been read."""
_MARKUP = re.compile(r"[\\`*\[\]<>&~$|]|(?<![^\W_])_|_(?![^\W_])|^[#+=-](?=[#+=-]*(?:\s|$))")
_SOUGHT = re.compile(r":(?=\S)|www(?=\.)|(?=@)|(?<!\S)\\?[<>~-](?=[=-]|\\>)|^\d+(?=[.)](?:\s|$))", re.IGNORECASE)


def literal(text: object) -> str:
    r"""Text that is not ours (of addresses, uploads, stored runs) as Markdown that shows it as it is, on one line.

    Whatever somebody else may have written goes through here on its way to Streamlit, whose Markdown would make
    pictures, links, formulas and colours of it.

    >>> print(literal("a_b_c and _x_ for $y$"))
    a_b_c and \_x\_ for \$y\$
    >>> print(literal("![i](http://evil.example)").replace("\u2060", "^"))
    !\[i\](http:^//evil.example)
    """
    line = " ".join(str(text).split())
    return _SOUGHT.sub(lambda found: found[0] + _JOINER, _MARKUP.sub(lambda found: "\\" + found[0], line))


LONGEST = 1e10
"""Seconds: three centuries. Whoever has stored more has not measured it."""


def sentence(error: Exception | str) -> str:
    """An error's message, or another plain text, as a sentence in Markdown."""
    text = str(error)
    return literal(text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else "."))


def duration(seconds: float | None) -> str:
    """A length of time for people.

    >>> duration(0.4), duration(75), duration(7300), duration(None), duration(float("inf"))
    ('under 1 s', '1 min 15 s', '2 h 1 min', 'unknown', 'unknown')
    """
    if seconds is None or not seconds < LONGEST:
        return "unknown"
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def percent(value: float | None) -> str:
    """An accuracy of [0, 1] in percent.

    >>> percent(0.8034), percent(None)
    ('80.3%', '—')
    """
    return "—" if value is None else f"{100 * value:.1f}%"


def metric(name: str, value: float) -> str:
    """A result of a run: what methods measure are shares of nodes, in percent wherever they stand, but for losses and epsilons.

    >>> metric("labels_flipped_by_noise", 0.375), metric("val_loss", 0.65873), metric("epsilon_sanitised", 2.00011)
    ('37.5%', '0.659', '2.001')
    """
    if name.startswith("epsilon"):
        return upper(value)
    return percent(value) if 0 <= value <= 1 and not name.endswith("loss") else number(value)


def metric_title(name: str) -> str:
    """The name of a result for people.

    >>> metric_title("val_accuracy"), metric_title("label_accuracy_before_noise")
    ('Validation accuracy', 'Label accuracy before noise')
    """
    words = [{"val": "validation", "train": "training"}.get(word, word) for word in name.split("_")]
    return " ".join(words).capitalize()


def option(value: Scalar) -> str:
    """An option's value as addresses and command lines write it, with every digit: another number is another run.

    >>> option(True), option(1.0), option(0.001), option(0.1 + 0.2), option("edge")
    ('true', '1', '0.001', '0.30000000000000004', 'edge')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def made_by(record: RunRecord) -> str:
    """The program that made a run."""
    return f"privgraph {record.version}" if record.version else "a version before 0.5.0"
