"""The runs of a report in one table: by settings in words for people and for LaTeX, each in numbers as CSV.

An accuracy never stands alone: it is the mean over the finished runs of its setting with its interval, or of
one with the interval that so many test nodes leave. What must be known of an epsilon is a footnote to it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence

from privgraph.data.catalogue import DATASETS
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import NOISE_IS_PUBLIC
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench import attack_table
from privgraph_workbench.blocks import Block, Remark, Table
from privgraph_workbench.facts import kept_epoch
from privgraph_workbench.facts.expecting import METRIC, reached
from privgraph_workbench.facts.references import chance
from privgraph_workbench.figures.export import cell
from privgraph_workbench.table_lines import Line as Line
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.words import meaning, strongest
from privgraph_workbench.words import statements as words
from privgraph_workbench.words.glossary import ADDED
from privgraph_workbench.words.markup import capital, literal
from privgraph_workbench.words.measures import ACCURACY, MEANS, measure, measures, titled
from privgraph_workbench.words.naming import graph_of, hides_edges_alone, nodes_of, unit_of
from privgraph_workbench.words.numbers import over_seeds, percent, rounded_delta, stated

KINDS: tuple[Epsilon, ...] = ("sound", "published", "audited")
HEAD = (
    "Setting",
    "Protects",
    *(EPSILONS[kind].title for kind in KINDS),
    "δ",
)
"""The columns of the table but for the last, which is called by its metric (`head`)."""
ABOUT = "{}: the mean over seeds with its 95% interval, from three seeds on (Student's t)"
OF_NODES = "; of one seed with that of its test nodes (Clopper and Pearson)"
GUARANTEES = ("Model", "Protects", EPSILONS["sound"].title, "δ", "Right guesses at most", "Protection", "Not covered")
CALLED = (
    "Right guesses: somebody who knows everything else guesses {}. A coin is right in 50% of cases.{} Protection is "
    "called strong up to 75%, moderate up to 90%, weak up to 99%, and next to none above: conventions, not theorems. "
    f"δ: {ADDED}. Each number is that of one run released alone."
)
"""What the table of guarantees means."""
EXACT = (
    f" ε and δ alone allow so many; in brackets ({meaning.THIS_NOISE}) what the noise itself allows, where all of it "
    "is plain Gaussian: exactly Φ(μ/2), for one unit that moves it by μ standard deviations."
)
"""What stands in brackets behind right guesses."""
FAR_BELOW = 0.1
"""Of 1/n, how large δ may be for it to lie far below."""
NOT_FAR = (
    "This δ is not far below 1/n, for n = {} {}: a release that shows some of these in full, each with a chance of δ, "
    "would keep it."
)
SINGLE = "one seed, left out for others"
"""In the place of a result without noise, which would tell its seed."""
ALONE = "An ε is that of one run released alone: more runs, or their mean, spend more."


def score(lines: Sequence[Line]) -> str:
    """What the results of these lines are called, at the head of their column."""
    return titled(measures(one.record.spec.method for one in lines))


def head(lines: Sequence[Line]) -> tuple[str, ...]:
    """The columns of the table of these lines."""
    return (*HEAD, score(lines))


def about(lines: Sequence[Line]) -> str:
    """What the last column holds: of relations alone no interval is known of one seed."""
    said = ABOUT.format(score(lines)) + OF_NODES * any(chance(one.record.metrics) is not None for one in lines)
    names = [name for name in MEANS if any(measure(one.record.spec.method) == name for one in lines)]
    means = "" if names == [ACCURACY] else " ".join(f"{titled(name)}: {MEANS[name]}" for name in names)
    return " ".join(filter(None, (f"{said}.", means)))


Notes = dict[str, int]
"""Footnotes with their numbers."""


def by_graph(lines: Sequence[Line]) -> list[tuple[str, list[Line]]]:
    """The lines below each heading, in the order in which graphs are met first."""
    held: dict[str, list[Line]] = {}
    for one in lines:
        held.setdefault(one.heading, []).append(one)
    return list(held.items())


def headed(heading: str, *, short: bool = False) -> list[Block]:
    """The graph of a table above it, with its sizes where it is named first; nothing where there is one."""
    title, _, sizes = heading.partition(" (")
    if not heading:
        return []
    return [Remark(f"**{literal(title)}**" + (f" ({literal(sizes)}" if sizes and not short else ""))]


def _marked(notes: Notes, value: str, *told: str) -> str:
    """A value with the numbers of its footnotes, which are told once."""
    found = [notes.setdefault(one, len(notes) + 1) for one in told if one]
    return " ".join([value, *(f"[{place}]" for place in found)])


def below(notes: Notes, first: int = 0) -> list[str]:
    """The footnotes behind the `first` ones, in order."""
    return [f"[{place}] {text}" for text, place in notes.items() if place > first]


def guarantees(lines: Sequence[Line], notes: Notes) -> list[Block]:
    """What each setting guarantees, for people who have not read a paper: whom it hides, how often a guess is
    right, and what is left out, with what that means and its footnotes below it."""
    told: list[Block] = []
    for heading, held in by_graph(lines):
        told += [*headed(heading), Table(GUARANTEES, tuple(_guarantee(one, notes) for one in held))]
    said = [one.record.statement for one in lines if one.record.statement and unit_of(one.record) != "none"]
    guessed = dict.fromkeys(meaning.WAGERS.get(one.neighbours, meaning.ANY_WAGER) for one in said)
    exact = EXACT * any(meaning.guess_of(one) is not None for one in said)
    return [*told, *[CALLED.format(", or ".join(guessed), exact)] * bool(guessed), *below(notes)]


def _guarantee(one: Line, notes: Notes) -> tuple[str, ...]:
    """What one setting guarantees, in the columns of `GUARANTEES`."""
    said = one.record.statement
    if said is None:
        return (one.label, "nothing: it did not finish", "", "", "", "", "")
    if hides_edges_alone(one.record):
        return (one.label, *_EVERY_EDGE)
    private = said.unit != "none"
    beside = f"Taken to be public: {'; '.join(said.public)}. Released: {said.released}."
    return (
        one.label,
        meaning.protected(said.unit, said.neighbours),
        _marked(notes, stated("sound", said.epsilon), *_of_sound(one, warned=True)),
        _marked(notes, rounded_delta(said.delta), _near(one.record, said)) if private else "",
        *meaning.in_short(said),
        _marked(notes, meaning.left_out(said.unit, said.neighbours), beside * private),
    )


def _edges(record: RunRecord) -> int | None:
    """How many edges it has, where the catalogue tells, or the options of a made-up graph: about."""
    graph = GraphId.of(record.spec)
    known = DATASETS.get(graph.dataset)
    if known is not None and known.edges:
        return known.edges
    degree = dict(graph.options).get("degree")
    return None if degree is None or graph.nodes is None else round(graph.nodes * float(degree) / 2)


def _near(record: RunRecord, said: PrivacyStatement) -> str:
    """That a δ is not far below one over the number of protected units, as far as that is known."""
    count, what = (nodes_of(record), "nodes") if said.unit == "node" else (_edges(record), "edges")
    return NOT_FAR.format(f"{count:,}", what) if count and said.delta * count > FAR_BELOW else ""


_EVERY_EDGE = (
    *words.EVERY_EDGE,
    "",
    f"of edges 50%, of people {meaning.ALWAYS}",
    "every edge, no noise; of people none",
    "people; features and labels",
)
"""What a model guarantees that reads no edge and adds no noise, in the columns of `GUARANTEES`."""


def measured(lines: Sequence[Line], notes: Notes) -> list[Block]:
    """What each setting reached, beside its three epsilons and the strongest attack on it, with what is new
    of footnotes below it."""
    first = len(notes)
    tested = [("", one.record.spec) for one in lines if METRIC in one.record.metrics]
    epochs = {kept_epoch.kept(spec) for _, spec in tested} - {None}
    told: list[Block] = []
    for heading, held in by_graph(lines):
        whole = in_words(held, notes, warned=True)
        rows = tuple(
            (
                row[0],
                *row[2:5],
                _marked(notes, row[-1], *([_epoch(one)] if len(epochs) > 1 else [])),
                attack_table.words(one),
            )
            for one, row in zip(held, whole.rows, strict=True)
        )
        columns = (whole.head[0], *whole.head[2:5], whole.head[-1], attack_table.STRONGEST)
        told += [*headed(heading, short=True), Table(columns, rows)]
    note = kept_epoch.note(tested) if len(epochs) == 1 else ""
    explained = [" ".join(filter(None, (about(lines), note)))] if tested else []
    explained += [attack_table.ATTACKED] if any(map(attack_table.made, lines)) else []
    return [*told, *explained, *below(notes, first)]


def _epoch(one: Line) -> str:
    """Which model an accuracy is of, as a footnote where that differs in a table; "" where none is known."""
    return kept_epoch.note([("", one.record.spec)]) if METRIC in one.record.metrics else ""


def in_words(lines: Sequence[Line], notes: Notes, *, warned: bool = False) -> Table:
    """The table for people; its footnotes go into `notes`. `warned`: public noise is told elsewhere."""
    rows = []
    for one in lines:
        said, bound = one.record.statement, one.bound
        cells: tuple[str, ...] = ("", "", "", "")
        blind = hides_edges_alone(one.record)
        if said is not None and bound is not None:
            alike = said.epsilon_as_published == said.epsilon
            audited = words.audited_of(bound, one.bound_seed)
            how, _, given = words.audited_how(bound).partition("; ")
            cells = (
                _marked(notes, stated("sound", said.epsilon), *_of_sound(one, warned=warned)),
                _marked(
                    notes, stated("sound" if alike else "published", said.epsilon_as_published), *_of_published(said)
                ),
                _marked(
                    notes,
                    words.of_people(audited) if blind else audited,
                    how and f"Audited: {how}.",
                    given and f"{capital(given)}.",
                ),
                rounded_delta(said.delta),
            )
        unit = unit_of(one.record)
        protects = "nothing" if unit == "none" else unit
        if blind:
            protects, sound = words.EVERY_EDGE
            cells = (sound, *cells[1:])
        rows.append((one.label, protects, *cells, accuracy(one)))
    return Table(head(lines), tuple(rows))


def _of_sound(one: Line, *, warned: bool) -> list[str]:
    """What must be known of the sound epsilon of a run or setting, a sentence each."""
    record, said, bound = one.record, one.record.statement, one.bound
    if said is None or bound is None or said.unit == "none":
        return []
    public = noise_is_public(record) and not warned
    found = [f"{NOISE_IS_PUBLIC[:1].upper()}{NOISE_IS_PUBLIC[1:]}."] if public else []
    found += ["This ε was computed from the private data, and is itself not private."] if said.data_dependent else []
    found += words.refutations(bound)
    return found + [f"Known fault: {fault}." for fault in said.known_faults]


def _of_published(said: PrivacyStatement) -> list[str]:
    """Why the epsilon as published is another number."""
    why = words.why_published(said) if said.unit != "none" else ""
    return [f"The ε as published is {why}."] if why else []


def noise_is_public(record: RunRecord) -> bool:
    """Whether anybody can subtract the run's noise: its key stands in the program."""
    said = record.statement
    return said is not None and said.unit != "none" and (record.gallery or NOISE_IS_PUBLIC in said.assumptions)


def accuracy(one: Line, words: Callable[[float, float | None, float | None, int], str] = over_seeds) -> str:
    """What a setting reached, with its interval and the seeds behind it, as those `words` tell it."""
    value = one.record.metrics.get(METRIC)
    if one.single:
        return SINGLE
    if value is None:
        return percent(None)
    if one.over is not None or len(one.same) > 1:
        over = one.over or reached(one.same)
        return words(over.mean, over.low, over.high, over.seeds)
    nodes = chance(one.record.metrics)
    low, high = (nodes.low, nodes.high) if nodes else (None, None)
    return words(value, low, high, 1)


def as_csv(lines: Sequence[Line]) -> bytes:
    """A row of numbers a run, with their units in the names of the columns; empty where there is none."""
    return written([_numbers(one) for one in lines])


def settings_csv(lines: Sequence[Line]) -> bytes:
    """The table of `latex.table` in numbers: a row a setting, whose accuracy is the mean over its seeds."""
    return written([_of_setting(one) for one in lines])


def written(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Rows of one form as CSV. A column that is empty in all of them is left out."""
    told = io.StringIO(newline="")
    kept = [key for key in rows[0] if any(cell(row[key]) != "" for row in rows)] if rows else []
    if kept:
        writer = csv.DictWriter(told, kept, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: cell(row[key]) for key in kept} for row in rows)
    return told.getvalue().encode()


_OF_A_RUN = ("seed", "stands", "score_percent", "score_low_percent", "score_high_percent")
"""Columns of a run alone."""


def _of_setting(one: Line) -> dict[str, object]:
    """A setting in numbers: of a single run its own accuracy, with the interval of its test nodes."""
    told = _numbers(one)
    if len(one.same) < 2:
        told |= {
            "mean_score_percent": told["score_percent"],
            "mean_low_percent": told["score_low_percent"],
            "mean_high_percent": told["score_high_percent"],
        }
    best = strongest.furthest(one.attacks)
    told["withheld"] = " ".join(_withheld(one, score=one.single)) or None
    told |= attack_table.averaged(one)
    told |= {"audited_seed": _seed(one.bound_seed), "attacked_seed": _seed(one.seed_of(best.run)) if best else None}
    return {"setting" if key == "run" else key: value for key, value in told.items() if key not in _OF_A_RUN}


def _seed(said: str) -> str | None:
    return said.removeprefix("seed ") or None


def _numbers(one: Line) -> dict[str, object]:
    record, said, bound = one.record, one.record.statement, one.bound
    measured = METRIC in record.metrics
    nodes = chance(record.metrics) if measured else None
    over = one.over or (reached(one.same) if measured and len(one.same) > 1 else None)
    return {
        "run": one.name,
        "label": one.label,
        "method": record.spec.method,
        "graph": graph_of(record),
        "stands": one.stands,
        "protects": words.EVERY_EDGE[0] if hides_edges_alone(record) else unit_of(record),
        "seed": record.spec.seed if one.seed else None,
        "epsilon_sound": said and said.epsilon,
        "epsilon_edge": _epsilon(record, "edge"),
        "epsilon_node": _epsilon(record, "node"),
        "epsilon_as_published": said and said.epsilon_as_published,
        "epsilon_audited_at_least": bound and bound.epsilon_audited,
        "audit_confidence": bound and bound.audit_confidence,
        "delta": said and said.delta,
        "noise_key_is_public": None if unit_of(record) == "none" else int(noise_is_public(record)),
        "metric": measure(record.spec.method),
        "score_percent": in_percent(None if one.over else record.metrics.get(METRIC)),
        "score_low_percent": nodes and in_percent(nodes.low),
        "score_high_percent": nodes and in_percent(nodes.high),
        "test_nodes": nodes and nodes.nodes,
        "seeds_of_setting": over.seeds if over else int(measured or one.single),
        "mean_score_percent": over and in_percent(over.mean),
        "mean_low_percent": over and in_percent(over.low),
        "mean_high_percent": over and in_percent(over.high),
        **attack_table.numbers(one.attacks),
        "withheld": " ".join(_withheld(one, score=one.single or one.over is not None)) or None,
    }


def _withheld(one: Line, *, score: bool) -> list[str]:
    """What of a line others are not told, though it was measured; `score`: its result is among that."""
    said, found = one.bound, ["score"] * score
    found += ["epsilon_audited"] * (said is not None and said.audit_withheld)
    found += ["attacks"] * (one.untold and not one.attacks)
    return found


def _epsilon(record: RunRecord, unit: str) -> float | None:
    """What a run promises of a unit: 0 of edges that it does not read, nothing (infinite) of what it does not
    protect; None where its statement speaks of nodes, which says nothing of edges by themselves."""
    said = record.statement
    if said is None:
        return None
    if unit == "edge" and hides_edges_alone(record):
        return 0.0
    if said.unit == unit:
        return said.epsilon
    return None if said.unit == "node" else math.inf


def in_percent(value: float | None) -> float | None:
    """A share as tables have it; None where there is none."""
    return None if value is None else round(100 * value, 4)
