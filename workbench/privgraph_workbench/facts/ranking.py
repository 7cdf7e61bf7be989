"""The settings of a report by their accuracies, graph by graph, by the rule of the advice: what is not told
from what needs no noise is ahead of nothing. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privgraph.options import listed
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import advising, composition
from privgraph_workbench.facts.advising import HIDES
from privgraph_workbench.facts.ahead import of_one
from privgraph_workbench.facts.judging import keeps, level_of
from privgraph_workbench.facts.row_words import counted, plus, spread, unsure, with_interval
from privgraph_workbench.facts.seedwise import Seedwise, together
from privgraph_workbench.facts.stretches import BLIND, CLEAR, Stretch
from privgraph_workbench.facts.unpaired import is_fixed, public
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.for_others import NOT_TOLD
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.words.markup import literal
from privgraph_workbench.words.measures import mean_of, measures, titled
from privgraph_workbench.words.naming import graph_names, graph_of, run_labels, setting, unit_of
from privgraph_workbench.words.numbers import percent

GUESS, BARE = "a guess", "Points against"
BY_SEEDS = (
    "Differences are points of {} over the seeds that both settings share, with their 95% intervals; "
    "where these hold 0 the two are not told apart."
)
BY_MEANS = (
    "Differences are points of {} with their 95% intervals; where these hold 0 the two are not told apart. Settings of "
    "the gallery alone are held against each other over the seeds that both share, all else by the means over all "
    "seeds of each (Welch): for others seeds are not paired where runs are one's own, so that less is told apart "
    "than for oneself."
)
"""For others: seeds of one's own held against others would tell which run has which."""
TOGETHER = (
    "Clearly better: of all methods at one ε, any is called so wrongly with a chance of at most 5% (Bonferroni), which "
    "asks for more than a 95% interval of its own above the other."
)
RELATIONS = "Not all promise it under the same relation: what each protects stands in the table of guarantees."
ROWS = (
    "Of {settings} settings {rows} have a row: those that the report is of, also with other noise; of each other "
    "method that hides anything the most accurate of those that keep their ε and are clearly better than what needs no "
    "noise, or of all where no one is; what comes first or has the highest mean at an ε, or is not told apart from "
    "what comes first; and all without privacy. The others stand in the table of settings that figures alone show."
)
"""Which settings have no row."""
FEW = "With fewer than three seeds of each, other seeds may turn this round."


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A setting of the ranking. key: equal for one with noise of another key; unit: whom it hides ("":
    nobody); own: the report is of it; above: whether it is clearly better than what needs no noise (None: its
    seeds are too few); below: whether it is clearly worse; floor: what that is."""

    label: str
    row: Row
    key: str = ""
    unit: str = ""
    own: bool = True
    above: bool | None = None
    below: bool = False
    floor: str = GUESS

    @property
    def mean(self) -> float:
        return float(self.row["mean"])


def ranked(
    groups: Sequence[Sequence[RunRecord]],
    own: int,
    *,
    all_of: bool = True,
    guess: bool = True,
    advised: Mapping[str, str] | None = None,
    beside: Sequence[RunRecord] = (),
    paired: bool = True,
) -> str:
    """The settings in Markdown, of each graph what is ahead and a table; of a single setting its mean.
    `groups`: the runs of each, of which the first `own` are the report's; without `all_of`, of the others
    only the first of each method has a row. Without `guess`, how often one is right, a function
    of split and labels, is not told. `advised`: where it is said what to take, by graph. `beside`: runs
    that have no row, and hide every edge without noise. Unless all are `paired`, settings of the gallery
    alone share seeds (`unpaired.apart`), and the others are compared by their means."""
    graphs: dict[str, list[tuple[Sequence[RunRecord], bool]]] = {}
    for place, group in enumerate(groups):
        graphs.setdefault(graph_of(group[0]), []).append((group, place < own))
    names = graph_names([group[0] for group in groups])
    told, several, tabled, left = [], False, False, [0, 0]
    for graph, held in graphs.items():
        where = f"**On {literal(names[graph])}.** " if len(graphs) > 1 else ""
        if len(held) == 1:
            said = of_one(held[0][0], single=guess or public(held[0][0]) or not is_fixed(held[0][0][0].statement))
        else:
            blind = [one for one in beside if graph_of(one) == graph]
            said, units, table, rows = _on_graph(held, blind, all_of=all_of, guess=guess, paired=paired)
            left = [left[0] + len(held), left[1] + rows] if table and rows < len(held) else left
            several, tabled = several or units > 1, tabled or bool(table and BARE in table)
            said = "\n\n".join(filter(None, ((advised or {}).get(graph, said), table)))
            where = where.strip() + "\n\n" if where and said.startswith(("|", "- ")) else where
        if said:
            told.append(f"{where}{said}")
    methods = [group[0].spec.method for group in groups]
    by = (BY_SEEDS if paired else BY_MEANS).format(measures(methods))
    below = [by] * tabled + [TOGETHER] * any("| not told from" in one for one in told)
    below += [ROWS.format(settings=left[0], rows=left[1])] * bool(left[0])
    below += [RELATIONS] * any(_relations([group[0] for group, _ in held]) for held in graphs.values())
    below += ["Different guarantees are not ranked."] * several
    below += ["Accuracies on different graphs say nothing of each other."] * (len(told) > 1)
    return "\n\n".join([*told, *[" ".join(below)] * bool(below and told)])


def _on_graph(
    held: Sequence[tuple[Sequence[RunRecord], bool]],
    beside: Sequence[RunRecord],
    *,
    all_of: bool,
    guess: bool,
    paired: bool,
) -> tuple[str, int, str, int]:
    """What is ahead on one graph, how many units are protected, the table, and how many rows it has.
    `beside`: what reads no edge, where it has no row."""
    records = [*(one for group, _ in held for one in group), *beside]
    seeds = Seedwise.of(records)
    labels = run_labels([group[0] for group, _ in held], privacy_too=True, seeds=False)
    rows = [next(iter(tradeoff.data(group)), None) for group, _ in held]
    every = [*rows, *tradeoff.data(beside)]
    blind = next((row for row in every if row and row["method"] == BLIND and row["unit"] == "none"), None)
    levels: dict[tuple[str, float | None], int] = {}
    for row in filter(None, rows):
        levels[row["unit"], row["asked"]] = levels.get((row["unit"], row["asked"]), 0) + 1
    placed = [
        Placed(
            label=label,
            row=row,
            key=setting(group[0]),
            unit=HIDES.get(row["unit"], ""),
            own=own,
            above=_above(row, blind, seeds, together(levels[row["unit"], row["asked"]])),
            below=row["unit"] == "edge" and blind is not None and seeds.clear(blind, row),
            floor=_floor(row, blind, guess=guess),
        )
        for label, row, (group, own) in zip(labels, rows, held, strict=True)
        if row is not None
    ]
    private = sorted((one for one in placed if one.unit), key=_order)
    bare = sorted((one for one in placed if not one.unit), key=lambda one: -one.mean)
    unit_name = {title: name for name, title in HIDES.items()}
    units = [unit for unit in unit_name if any(one.unit == unit for one in private)]
    mean = mean_of(row["method"] for row in rows if row is not None)
    found, shown = list[str](), list[Placed]()
    for unit in units:
        mine = [one for one in private if one.unit == unit]
        firsts = {str(one.row["method"]): one for one in reversed(mine)}.values()
        asked: dict[float | None, list[Placed]] = {}
        for one in mine:
            asked.setdefault(one.row["asked"], []).append(one)
        named = [near for held in asked.values() for near in (held[0], *_close(held, seeds))]
        named += [max(held, key=lambda one: one.mean) for held in asked.values()]
        alike = {one.key for one in mine if one.own}
        tabled = [one for one in mine if all_of or one.own or one.key in alike or one in firsts or one in named]
        verdicts = _verdicts([one for one in records if one.spec.unit in (unit_name[unit], "none")], unit_name[unit])
        for budget in sorted(asked, key=lambda one: (one is None, one)):
            where = [f"hiding {unit}"] * (len(units) > 1) + ([] if budget is None else [f"at ε {budget:g}"])
            found.append(
                _first(
                    asked[budget],
                    seeds,
                    ", ".join(where),
                    f"{mean} of the private settings" if bare else mean,
                    verdicts.get(budget),
                )
            )
        shown += tabled
    if not private and len(bare) > 1:
        found.append(f"**{literal(bare[0].label)}** has the highest {mean}, {percent(bare[0].mean)}.")
    told = list(filter(None, found))
    few = any(one.above is None for one in private) and bool(told) and bool(private)
    said = "\n".join(f"- {one}" for one in told) if len(told) > 1 else "".join(told)
    said += (("\n\n" if len(told) > 1 else " ") + FEW) * few
    return said, len(units), _table([*shown, *bare], bare[:1], seeds, mean, paired=paired), len(shown) + len(bare)


def _relations(records: Sequence[RunRecord]) -> bool:
    """Whether runs that protect one unit do so under relations that no one ε speaks of."""
    private = [one for one in records if one.statement is not None and one.statement.unit != "none"]
    return len(composition.promises(private)) > len({unit_of(one) for one in private})


def _above(row: Row, blind: Row | None, seeds: Seedwise, level: float) -> bool | None:
    """Whether it is clearly better than what needs no noise, as the advice asks it."""
    if row["low"] is None:
        return None
    if row["unit"] == "edge" and blind is not None:
        return seeds.clear(row, blind, level)
    return seeds.above_guess(row, level)


def _floor(row: Row, blind: Row | None, *, guess: bool) -> str:
    """What needs no noise to hide the same, with its accuracy."""
    if row["unit"] == "edge" and blind is not None:
        return f"{blind['title']} ({percent(blind['mean'])})"
    if row["guess"] is None:
        return GUESS
    return f"{GUESS} ({percent(row['guess']) if guess else NOT_TOLD})"


def _order(one: Placed) -> tuple[bool, bool, float]:
    """What may be taken first: it keeps its ε, and is clearly better than what needs no noise."""
    return _exceeds(one.row), one.above is False, -one.mean


def _exceeds(row: Row) -> bool:
    """Whether its sound epsilon is larger than the one that was asked for."""
    return row["asked"] is not None and not keeps(row)


def _verdicts(records: Sequence[RunRecord], unit: str) -> dict[float | None, Stretch]:
    """What the advice says of each budget at which it compares methods: a report has one verdict."""
    return {asked: one for one in advising.verdict(records, unit).stretches for asked in one.epsilons}


def _close(held: Sequence[Placed], seeds: Seedwise) -> list[Placed]:
    """What may be taken as well as the first of those at one budget, at the level of the advice."""
    best, *others = held
    if not best.above:
        return []
    level = level_of([one.row for one in held if not _exceeds(one.row)])
    return [one for one in others if one.mean <= best.mean and one.above and not seeds.clear(best.row, one.row, level)]


def _first(held: Sequence[Placed], seeds: Seedwise, where: str, what: str, said: Stretch | None) -> str:
    """What is ahead of those that hide one unit at one budget, the first of which may be taken first; "" of a
    single one, which is ahead of nothing. `what`: of what it is the highest; `said`: the advice there."""
    if len(held) < 2:
        return ""
    best, *others = held
    where = f"{where[:1].upper()}{where[1:]}: " if where else ""
    name, mean = literal(best.label), percent(best.mean)
    higher = [one for one in others if one.mean > best.mean]
    behind = not _exceeds(best.row) and any(_exceeds(one.row) for one in others if one.above or one in higher)
    if behind:  # by its budget, and not by its accuracy
        what = f"{what}{'' if ' of ' in what else ' of those'} that keep their ε"
    if best.above is None:
        return f"{where}**{name}** has the highest {what}, {mean}{_sure(said)}."
    if not best.above:
        reached = with_interval(best.row)
        none = f"none{' that keeps its ε' * behind} is clearly better than {best.floor}"
        return f"{where}{none}; **{name}** has the highest {what}, {reached}{_sure(said)}."
    those = "those that keep their ε and are" if behind else "those"
    which = f"the highest mean of {those} clearly better than {best.floor}" if higher else f"the highest {what}"
    told = [f"{where}**{name}** has {which}, {mean}{_sure(said)}."]
    told += [unsure(f"The mean of {literal(one.label)}", one.row, one.floor) for one in higher if not one.above][:1]
    close = [one.label for one in _close(held, seeds)]
    told += [f"Not told apart from it: {literal(listed(close))}."] * bool(close)
    if said is not None and said.before is not None:
        told.append(f"Nothing here is clearly better than {said.stays} at ε {said.before:g}, which promises more.")
    elif said is not None and said.aside and not higher:
        told.append(literal(said.aside))
    return " ".join(told)


def _sure(said: Stretch | None) -> str:
    """How sure that is, in the words of the advice; nothing where it is clear, or nothing is advised."""
    return "" if said is None or said.verdict == CLEAR else f" ({said.verdict})"


def _table(shown: Sequence[Placed], bare: Sequence[Placed], seeds: Seedwise, mean: str, *, paired: bool = True) -> str:
    """A row a setting: its mean, whether it is above what needs no noise, and how far it is from what has no
    privacy, where that has run."""
    if len(shown) < 2:
        return ""
    against = f"{BARE} {bare[0].label}" if bare else ""
    head = ["Setting", titled(mean), "Clearly better than what needs no noise", *[against] * bool(bare)]
    lines = [
        [
            one.label,
            _reached(one.row),
            "" if not one.unit else _standing(one),
            *(["–" if one is bare[0] else apart(one.row, bare[0].row, seeds, paired=paired)] if bare else []),
        ]
        for one in shown
    ]
    told = [f"| {' | '.join(map(literal, line))} |" for line in (head, *lines)]
    return "\n".join([told[0], f"|{' --- |' * len(head)}", *told[1:]])


def _reached(row: Row) -> str:
    seeds = counted(row["seeds"], "seed")
    told = spread(row)  # which counts them itself where they are few or agree
    return f"{percent(row['mean'])} ({told}{'' if 'seed' in told else f'; {seeds}'})"


def _standing(one: Placed) -> str:
    words: Mapping[bool | None, str] = {
        True: f"yes, better than {one.floor}",
        False: f"no, clearly worse than {one.floor}" if one.below else f"not told from {one.floor}",
        None: "too few seeds to tell",
    }
    return words[one.above]


def apart(one: Row, other: Row, seeds: Seedwise, *, paired: bool = True) -> str:
    """By how much a setting is better, over the seeds that both have; of fewer than three, how few. Where not
    all are `paired`, what is not of the gallery alone by the means over all seeds of each."""
    if not paired and any(row["gallery"] < row["seeds"] for row in (one, other)):
        found = seeds.difference(one, other)
        if found is None:
            return "too few seeds to tell"
        points = f"{plus(found[0])}; {plus(found[1])} to {plus(found[2])}"
        return f"not told apart ({points})" if found[1] <= 0 <= found[2] else points
    count, found = seeds.shared(one, other)
    if found is None:
        return f"{counted(count, 'shared seed')}: too few to tell" if count else "no shared seed"
    points = f"{plus(found[0])}; {plus(found[1])} to {plus(found[2])}; {counted(count, 'shared seed')}"
    return f"not told apart ({points})" if found[1] <= 0 <= found[2] else points
