"""What the head of a report answers before anything else, for whoever decides: what is promised to whom, how
well it works, what the figures and an attack showed, and what is a risk still. One finding a line: all else
stands at the figures and in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph_workbench import tables
from privgraph_workbench.blocks import Remark
from privgraph_workbench.facts.expecting import METRIC, reached
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.reporting import glance_attacks, same_titles, shown
from privgraph_workbench.reporting.asked import Asked
from privgraph_workbench.reporting.own_setting import PUBLIC, setting
from privgraph_workbench.reporting.twins import Twins
from privgraph_workbench.words import meaning
from privgraph_workbench.words import statements as words
from privgraph_workbench.words.markup import literal
from privgraph_workbench.words.measures import measures, titled
from privgraph_workbench.words.naming import graph_of, hides_edges_alone, method_title, unit_of
from privgraph_workbench.words.numbers import at_most, percent, rounded_delta, stated

AS_RUN = "As run nothing; with secret noise"
COIN = "a coin: 50%"
IS_PUBLIC = "the noise of {which} is public"
TOLD_TWICE = "all runs together reveal more than one ε says"
MOST_LEVELS = 2
"""Graphs, and levels of one kind, that are told of one by one at most."""


def answers(asked: Asked, lines: Sequence[tables.Line], price: str) -> Remark:
    """The answers for these settings, which were chosen, a sentence each; `price`: what all of the report
    costs together, "" where nothing is known."""
    named = {id(one): label for one, label in zip(lines, _labels(asked, lines), strict=True)}
    figures = shown.of_others(asked.figures)
    alike = {setting(one.record): one.twins for one in asked.runs if one.twins is not None}
    told = {
        "What is promised, and to whom": _promised(lines),
        "How well it works": _works(asked, lines, named, alike),
        "What the figures show": shown.as_one(figures[0]) if figures else "",
        **glance_attacks.answers(lines, named, asked.figures, alike),
        "What is still a risk": _risks(lines, price),
    }
    return Remark("\n".join(f"- **{question}.** {answer}" for question, answer in told.items() if answer))


def _labels(asked: Asked, lines: Sequence[tables.Line]) -> list[str]:
    return same_titles.labels(asked, [one.record for one in lines], seeds=False)


def _promised(lines: Sequence[tables.Line]) -> str:
    """Of each unit the budgets, and how often somebody who knows everything else guesses right."""
    groups: dict[str, list[tables.Line]] = {}
    private = [one.record for one in lines if one.record.statement and unit_of(one.record) != "none"]
    for one in lines:
        if (said := one.record.statement) is None:
            continue
        if hides_edges_alone(one.record):
            what = f"{words.EVERY_EDGE[0]}, for none is read"
        else:
            what = "" if said.unit == "none" else meaning.protected(said.unit, said.neighbours)
        groups.setdefault(what, []).append(one)
    # nobody is hidden: that is a risk below, and told here where nothing else is
    order = [(what, held) for what, held in groups.items() if what or len(groups) == 1]
    whole = "; ".join(_promise(what, held) for what, held in order)
    as_run = f"{AS_RUN} " * bool(private and all(map(tables.noise_is_public, private)))
    return literal(f"{as_run}{whole}.") if whole else ""


def _promise(what: str, held: Sequence[tables.Line]) -> str:
    """What settings that hide the same promise, as a clause."""
    methods = both(list(dict.fromkeys(method_title(one.record.spec.method) for one in held)))
    if not what or hides_edges_alone(held[0].record):
        return f"{methods} {_hide(held)} {what or 'nobody'}"
    told = [one.record.statement for one in held if one.record.statement]
    least, most = (pick(told, key=lambda said: said.epsilon) for pick in (min, max))
    epsilons = " to ".join(dict.fromkeys(stated("sound", one.epsilon) for one in (least, most)))
    deltas = both([rounded_delta(one) for one in sorted({one.delta for one in told})])
    right = _ends([meaning.guess(one.epsilon, one.delta) for one in told])
    exact = [share for one in told if (share := meaning.guess_of(one)) is not None]
    noise = _ends(exact) if len(exact) == len(told) else ""  # of other noise nothing is known
    faults = ", but for known faults" if any(one.known_faults for one in told) else ""
    return (
        f"{methods} {_hide(held)} {what} (ε {epsilons} at δ {deltas}{faults}): a guess is right in at most "
        f"{right} ({COIN}{f'; against this Gaussian noise itself {noise}' * bool(noise)})"
    )


def _ends(shares: Sequence[float]) -> str:
    """Between which two shares guesses are right, each rounded up."""
    told = [at_most(share).removeprefix("at most ") for share in (min(shares), max(shares))]
    return " to ".join(dict.fromkeys(told))


def _hide(held: Sequence[tables.Line]) -> str:
    return "hides" if len({one.record.spec.method for one in held}) == 1 else "hide"


def _works(asked: Asked, lines: Sequence[tables.Line], named: Mapping[int, str], alike: Mapping[str, Twins]) -> str:
    """The least and the most accurate private setting of each graph, beside what has no privacy; and of a
    setting of which the gallery has more seeds, what these say."""
    graphs: dict[str, list[tables.Line]] = {}
    for one in lines:
        if METRIC in one.record.metrics:
            graphs.setdefault(graph_of(one.record), []).append(one)
    told, called = [], same_titles.names(asked, [one.record for one in lines])
    for graph, held in list(graphs.items())[:MOST_LEVELS]:
        score = titled(measures(one.record.spec.method for one in held))
        where = f"on {called[graph]} {score[:1].lower()}{score[1:]}" if len(graphs) > 1 else score
        private = [one for one in held if unit_of(one.record) != "none"] or held
        ends = sorted(private, key=_mean)
        ends = list({id(one): one for one in (ends[0], ends[-1])}.values())
        reached = [f"{tables.accuracy(one)} by {named[id(one)]}" for one in ends]
        told.append(f"{where} {'from ' * (len(reached) > 1)}{' to '.join(reached)}{_beside(asked, graph)}")
        more = [(one, found) for one in held if (found := alike.get(setting(one.record)))][:MOST_LEVELS]
        told += [f"{named[id(one)]} with {PUBLIC} has {found.accuracy}" for one, found in more]
    told += [f"{len(graphs) - MOST_LEVELS} more graphs stand in the table below"] * (len(graphs) > MOST_LEVELS)
    return literal(_sentence(told))


def _sentence(clauses: Sequence[str]) -> str:
    """Clauses as one sentence; "" of none."""
    whole = "; ".join(clauses)
    return f"{whole[:1].upper()}{whole[1:]}." if whole else ""


def _mean(one: tables.Line) -> float:
    return (one.over or reached(one.same or [one.record])).mean


def _beside(asked: Asked, graph: str) -> str:
    """What the same without privacy and a guess reach there, as far as a run of the report knows: each by the
    name of its model."""
    rows = [row for one in asked.runs if graph_of(one.record) == graph for row in one.stands]
    found, told = list[str](), set[tuple[str, float]]()
    for kind, what in (("bare", "without privacy"), ("blind", ""), ("majority", "the largest class")):
        if kind == "majority":  # of each setting over its own splits: a mean of all would be one more number
            values = sorted(float(row["value"]) for row in rows if row["kind"] == kind)
            ends = dict.fromkeys(map(percent, (values[0], values[-1]))) if values else {}
            found += [f"{what} {' to '.join(ends)}"] if ends else []
            continue
        models = sorted(
            {(str(row.get("of") or ""), round(float(row["value"]), 3)) for row in rows if row["kind"] == kind}
        )
        new = [one for one in models if not one[0] or one not in told]  # what reads no edge may be without privacy, too
        told |= set(new)
        found += [f"{' '.join(filter(None, (model, what)))} {percent(value)}" for model, value in new[:MOST_LEVELS]]
    return f", beside {both(found)}" if found else ""


def _risks(lines: Sequence[tables.Line], price: str) -> str:
    """What no promise covers, and what would break one."""
    private = [one.record for one in lines if one.record.statement and unit_of(one.record) != "none"]
    found = []
    if public := sum(map(tables.noise_is_public, private)):
        found.append(IS_PUBLIC.format(which="every one" if public == len(private) else f"{public} of {len(private)}"))
    bare = sum(unit_of(one.record) == "none" and not hides_edges_alone(one.record) for one in lines)
    if bare:
        found.append(f"{_counted(bare)} without any protection")
    said = [one.statement for one in private if one.statement]
    left = dict.fromkeys(part for one in said for part in meaning.left_out(one.unit, one.neighbours).split("; "))
    if left:
        found.append(f"not covered: {both(list(left))}")
    if any(one.data_dependent for one in said):
        found.append("an ε was computed from the private data")
    if faults := len({fault for one in said for fault in one.known_faults}):
        found.append(f"known faults: {faults}, named below")
    if price:
        found.append(TOLD_TWICE)
    return literal(_sentence(found))


def _counted(count: int) -> str:
    return "one setting" if count == 1 else f"{count} settings"
