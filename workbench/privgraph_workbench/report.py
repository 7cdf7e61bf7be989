"""One run as a report for people: Markdown, or one HTML file that asks nobody for anything. Runs that differ
in their seeds alone are told as one.

Says what was run, what came out, what the privacy guarantee says and does not say (three numbers, side by
side), where the budget went, how the run learnt, how to repeat it, and with which libraries.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version

from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import Gap, PrivacyStatement
from privgraph.privacy.statements import FAULT, Said, attacked, lines
from privgraph.runs.records import RunRecord, StoredEvent, plain
from privgraph_workbench import repeating
from privgraph_workbench.blocks import Block, Code, Picture, Remark, Section, Table, Warned, as_markdown, page
from privgraph_workbench.facts import shown_bounds
from privgraph_workbench.facts.expecting import METRIC, Reached
from privgraph_workbench.facts.plans import command_line
from privgraph_workbench.facts.references import chance
from privgraph_workbench.figures import for_others, notes
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.report_outsiders import OUTSIDERS as OUTSIDERS
from privgraph_workbench.report_outsiders import Other as Other
from privgraph_workbench.report_outsiders import outsiders
from privgraph_workbench.table_lines import most_audited
from privgraph_workbench.withheld import Withheld
from privgraph_workbench.words import settings
from privgraph_workbench.words.markup import literal
from privgraph_workbench.words.meaning import BUT_FOR_FAULTS, NO_EDGE, wager
from privgraph_workbench.words.measures import measure, result_title, titled
from privgraph_workbench.words.naming import (
    UNIT_WORDS,
    graph_of,
    hides_edges_alone,
    made_by,
    method_title,
    options_read,
    setting,
)
from privgraph_workbench.words.numbers import between, duration, metric, number, over_seeds, percent, rounded_delta
from privgraph_workbench.words.statements import (
    CLAIMS,
    EVERY_EDGE,
    LEFT_OUT,
    refutations,
    three_numbers,
    without_edges,
)
from privgraph_workbench.words.statements_apart import audited_as

LIBRARIES = ("privgraph", "torch", "torch-geometric", "opacus", "dp-accounting", "numpy", "scipy", "scikit-learn")
NUMBERS = (
    "Sound is what the noise of this run guarantees. As published is what the paper's own formula says "
    "of the same noise; it is there to compare with the paper's tables, and is no guarantee. Audited is "
    "the lower bound that attacks have shown, by what stands beside it."
)
PRECISION = (
    "Test precision is a mean over classes: of the test nodes that were given a class, the share that is of it (0 for "
    "a class that none was given). Test accuracy is the share of all test nodes whose class was found."
)
UNREAD = "Attacks on this run were kept by another version of the workbench, and cannot be read by this one."
VERSIONS = "Versions, where this report was made"
SETTINGS = "All its settings, with what the method chose where it was left to"
BESIDE = 5
"""Runs that stand side by side in a table at most."""
MEASURED = (
    "Accuracies were measured on labels that an evaluator knows. They are for study, and no guarantee covers them."
)
LAST_STEPS = (
    "Below learning curves stand the values at the last step of each stage. The results above them are those of the "
    "model that the run kept, which may be that of an earlier step."
)


@dataclass(frozen=True, kw_only=True)
class Reported:
    """A run with its events, the attacks on it (None: they cannot be read), and the rows of where its
    accuracy stands. `name`: what it is called beside others that are told; `same`: the finished runs of its
    setting, where their means stand beside it; `seed`: what is told of its seed beside the `others` of these,
    which are not told by themselves (they stand with the first of several); `over`: the means, told alone."""

    record: RunRecord
    events: Sequence[StoredEvent] = ()
    attacks: Sequence[AttackRecord] | None = ()
    stands: Sequence[Row] = ()
    name: str = ""
    same: Sequence[RunRecord] = ()
    seed: str = ""
    others: Sequence[Other] = ()
    over: Reached | None = None


def markdown(
    record: RunRecord,
    events: Sequence[StoredEvent],
    attacks: Sequence[AttackRecord] | None = (),
    stands: Sequence[Row] = (),
    *,
    share: bool = False,
) -> str:
    """The report as Markdown; figures are given as tables. With `share`, nothing in it tells the seed.

    `attacks` on the run, or None where they cannot be read; `stands`: the rows of where its accuracy stands.
    """
    parts = [f"# {literal(title_of(record))}"]
    one = Reported(record=record, events=events, attacks=attacks, stands=stands)
    for section in [*sections([one], share), libraries()]:
        parts += [f"## {section.title}", *(as_markdown(block) for block in section.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def html(
    record: RunRecord,
    events: Sequence[StoredEvent],
    attacks: Sequence[AttackRecord] | None = (),
    stands: Sequence[Row] = (),
    *,
    share: bool = False,
) -> str:
    """The report as one HTML page, light or dark as the reader's system is. With `share`, nothing in it tells
    the seed.

    A content security policy in the page forbids every request; pictures are inside the file.
    """
    statements = {"": record.statement} if record.statement else {}
    one = Reported(record=record, events=events, attacks=attacks, stands=stands)
    told = [*sections([one], share), libraries()]
    return page(title_of(record), [(one, statements) for one in told])


def title_of(record: RunRecord) -> str:
    """What was run, as a heading."""
    return f"{method_title(record.spec.method)} on {graph_of(record)}"


@dataclass(frozen=True, kw_only=True)
class Before:
    """An earlier chapter of a report, by its title, and what it says of its guarantee."""

    title: str
    statement: PrivacyStatement


def sections(runs: Sequence[Reported], share: bool, before: Before | None = None) -> list[Section]:
    """What is said of runs that have one setting and one statement, in order: of one, or of several that
    differ in their seeds and audits. With `share`, nothing in it tells a seed, and nothing what happened in
    training; of a guarantee whose terms stand in a chapter `before`, it says what differs."""
    runs = [replace(one, record=shown_bounds.counted(one.record, one.attacks or ())) for one in runs]
    if share:
        hidden = Withheld()
        runs = [
            replace(
                one,
                record=hidden.record(one.record),
                events=(),
                stands=hidden.rows(for_others.rows("standing", one.stands), setting(one.record)),
            )
            for one in runs
        ]
    others = [replace(one, record=shown_bounds.counted(one.record, one.attacks)) for one in runs[0].others]
    first = most_audited([one.record for one in runs])
    audited = most_audited([first, *(one.record for one in others)])
    called = {one.record.id: one.name or one.seed * bool(others) for one in runs}
    called |= {one.record.id: f"{one.name}, which has no chapter" for one in others}
    found = [_summary(runs, share)]
    if statement := first.statement:
        no_edge = hides_edges_alone(first)
        shown = audited_as(statement, audited.statement or statement)
        found += [_guarantee(shown, called[audited.id], before, no_edge=no_edge), _spent(statement)]
    else:
        found.append(Section("Privacy", ["This run has no privacy statement: it did not finish."]))
    if points := [row for one in runs for row in curves.data(one.events, run=one.name, record=one.record)]:
        last: list[Block] = [_stages(points, runs[0].record), LAST_STEPS] if len(runs) == 1 else []
        found.append(Section("How it learnt", [Picture("curves", points), *last]))
    told = [*((one.record, one.attacks) for one in runs), *((one.record, one.attacks) for one in others)]
    attacked = [(called[record.id], attacks) for record, attacks in told if attacks]
    if any(one.attacks is None for one in runs):
        found.append(Section("What outsiders can tell", [Warned(UNREAD)]))
    elif attacked:
        found.append(outsiders(attacked))
    return [*found, _repeat([one.record for one in runs], share)]


def _summary(runs: Sequence[Reported], share: bool) -> Section:
    """What was run in one table, and in another what came out of each run, where there are several."""
    facts = [_facts(one.record, share, brief=len(runs) > 1, over=one.over) for one in runs]
    made = {one["Made by"] for one in facts}
    if len(made) > 1 and len(programs := {one.partition("+")[0] for one in made}) == 1:
        facts = [{**one, "Made by": f"{programs.copy().pop()}, {len(made)} builds"} for one in facts]
    names = list(dict.fromkeys(name for one in facts for name in one))
    headed = all(one.name == f"seed {fact.get('Seed')}" for one, fact in zip(runs, facts, strict=True))
    apart = [name for name in names if len({one.get(name) for one in facts}) > 1 and not (headed and name == "Seed")]
    blocks: list[Block] = [] if share else [Warned(repeating.secret([one.record for one in runs]))]
    common = tuple((name, facts[0][name]) for name in names if len({one.get(name) for one in facts}) == 1)
    several = len(runs) == 1 and len(runs[0].same) > 1 and runs[0].over is None
    blocks.append(_one_of(common, runs[0].same) if several else Table(("", ""), common))
    for start in range(0, len(runs) if apart else 0, BESIDE):
        chosen = slice(start, start + BESIDE)
        rows = tuple((name, *(one.get(name, "") for one in facts[chosen])) for name in apart)
        blocks.append(Table(("", *(one.name for one in runs[chosen])), rows))
    if stands := [{**row, "mine": False} if len(runs) > 1 and "mine" in row else row for row in runs[0].stands]:
        blocks.append(Picture("standing", stands))
    records = [one.record for one in runs]
    if any(one.metrics for one in records):
        accurate = {titled(measure(one.spec.method)) for one in records} == {"Test accuracy"}
        blocks += [MEASURED if accurate else MEASURED.replace("Accuracies were", "Results were")]
    if any("test_precision" in one.metrics for one in records):
        blocks.append(PRECISION)
    blocks += [f"Note: {one.note}" for one in records if one.note and not share]
    return Section("What was run, and what came out", blocks)


def _one_of(facts: Sequence[tuple[str, str]], same: Sequence[RunRecord]) -> Table:
    """What came out of one run, beside the means over all runs of its setting, each on its own split."""
    held: dict[str, list[float]] = {}
    for one in same:
        for name, value in one.metrics.items():
            held.setdefault(result_title(name, one.spec.method), []).append(value)
    names = {result_title(name, one.spec.method): name for one in same for name in one.metrics}
    rows = []
    for title, said in facts:
        values = held.get(title, [])
        mean, low, high = confidence(values) if values else (0.0, None, None)
        told = metric(names[title], mean) if values else ""
        if low is not None and high is not None and names[title] == METRIC:
            alike = high - low < 1e-9
            told += f" (all {len(values)} alike)" if alike else f" (95% interval {between(low, min(1.0, high))})"
        rows.append((title, said, told))
    return Table((f"One of {len(same)} runs", "This run, on its own split", f"Mean of {len(same)} runs"), tuple(rows))


def _facts(record: RunRecord, share: bool, *, brief: bool = False, over: Reached | None = None) -> dict[str, str]:
    """What was run and what came out, a line each; `brief`: of one of several runs, side by side."""
    spec = record.spec
    facts = {"Method": method_title(spec.method), "Graph": graph_of(record)}
    facts["State"] = record.state + (f": {record.error}" if record.error else "")
    for name in sorted(record.metrics):
        title, told = _measured(record, name, brief=brief)
        if over is not None:
            told = over_seeds(over.mean, over.low, over.high, over.seeds) if name == METRIC else f"{told} (mean)"
        facts[title] = told
    facts["Split"] = spec.split  # from here on for the record
    if not share:
        facts |= {"Seed": str(spec.seed), "Run": record.id}
    # of a trial, times tell how many others ran beside it; what a run took hangs on its graph and on what it
    # drew
    timed = record.tuning is None and not share
    if timed:
        facts["Time"] = duration(record.seconds)
    facts |= {"Device": record.device or "unknown", "Made by": made_by(record)}
    if timed and record.peak_memory_mb is not None:
        facts["Most memory"] = f"{record.peak_memory_mb:.0f} MB"
    return facts


def _measured(record: RunRecord, name: str, *, brief: bool) -> tuple[str, str]:
    """A result of the run by its title; the accuracy with the interval that so many test nodes leave."""
    title, value = result_title(name, record.spec.method), metric(name, record.metrics[name])
    nodes = chance(record.metrics) if name == METRIC else None
    if nodes is None:
        return title, value
    if brief:
        return f"{title} (95% interval by test nodes)", f"{value} ({percent(nodes.low)} to {percent(nodes.high)})"
    interval = f"{percent(nodes.low)} to {percent(nodes.high)}"
    return title, f"{value} (95% interval {interval}, by {nodes.nodes:,} test nodes)"


def _guarantee(statement: PrivacyStatement, whose: str, before: Before | None, *, no_edge: bool = False) -> Section:
    """`whose`: the run that was audited, among several; `no_edge`: nothing is guaranteed, but no edge is
    read."""
    accountants = (statement.accountant, statement.accountant_as_published or "no formula", _attacked(statement, whose))
    numbers = [(*pair, by) for pair, by in zip(three_numbers(statement, no_edge=no_edge), accountants, strict=True)]
    unit = ("Protects", EVERY_EDGE[0], "no edge is read") if no_edge else ("Unit", UNIT_WORDS[statement.unit], "")
    numbers += [("δ", rounded_delta(statement.delta), statement.delta_rule), unit]
    blocks: list[Block] = [Table(("", "Value", "By"), tuple(numbers)), NUMBERS]
    if statement.known_faults:
        blocks.append(BUT_FOR_FAULTS.strip("*"))
    blocks.append(NO_EDGE if no_edge else wager(statement))
    blocks += [Warned(sentence) for sentence in refutations(statement)]
    blocks += [Warned(f"{FAULT}: {sentence}") for sentence in statement.known_faults]
    if statement.data_dependent:
        blocks.append(Warned(notes.DATA_DEPENDENT))
    # The table has the numbers, rounded so that none promises too much; the ledger has a section of its own.
    terms = _terms(statement, no_edge=no_edge)
    if before is None or not set(known_terms := _terms(before.statement, no_edge=no_edge)) <= set(terms):
        return Section("What the guarantee says", [*blocks, terms, *_gaps(statement.gaps)])
    own = [one for one in terms if one not in known_terms]
    known = {replace(one, size=""): one.size for one in before.statement.gaps}
    sized = [one for one in statement.gaps if known.get(replace(one, size=""), one.size) != one.size]
    further = _gaps([one for one in statement.gaps if replace(one, size="") not in known])
    own += [f"Size of the gap “{one.title}”: {one.size}." for one in sized]
    blocks.append(
        f"All else is as for {before.title}, {'but for what follows' if own or further else 'word for word'}."
    )
    return Section("What the guarantee says", [*blocks, *([own] if own else []), *further])


def _terms(statement: PrivacyStatement, *, no_edge: bool) -> list[str]:
    return [without_edges(line) if no_edge else line for said, line in lines(statement) if said is Said.TERMS]


def _gaps(gaps: Sequence[Gap]) -> list[Block]:
    """What a paper promises and does not hold, each by its title first."""
    points = (
        f"- **{one.title}** ({one.evidence}). The paper says: {one.claim}. Where it fails: {one.fails}. What holds: "
        f"{one.holds}. Size: {one.size}. Source: {one.source}."
        for one in gaps
    )
    return [CLAIMS, Remark("\n".join(points))] if gaps else []


def _attacked(statement: PrivacyStatement, whose: str) -> str:
    if statement.epsilon_audited is None:
        return LEFT_OUT if statement.audit_withheld else "no attack"
    return attacked(statement.adversary) + (f" ({whose})" if whose else "")


def _spent(statement: PrivacyStatement) -> Section:
    if statement.unit == "none":
        return Section("Where the budget went", ["No noise is added, so there is no budget."])
    if not statement.ledger:
        return Section("Where the budget went", ["Nothing that is protected was read, so nothing was spent."])
    rows = ledger.data(statement.ledger, statement.delta)
    head = ("Mechanism", "Stage", "Times", "Noise (standard deviation)", "Sensitivity", "Sampling rate", "Share")
    table = tuple(
        (
            row["mechanism"],
            row["stage"],
            f"{row['count']:,}",
            number(row["noise_std"], 4),
            "none" if row["sensitivity"] is None else f"{number(row['sensitivity'], 4)} ({row['norm']})",
            number(row["sampling_rate"], 4),
            percent(row["share"]),
        )
        for row in rows
    )
    drawn: list[Block] = [Picture("ledger", rows)] if len(rows) > 1 else []  # one bar says nothing
    return Section("Where the budget went", [*drawn, Table(head, table)])


def _stages(points: Sequence[Row], record: RunRecord) -> Table:
    """The last value of each metric in each stage."""
    last: dict[str, dict[str, Row]] = {}
    for row in points:
        last.setdefault(row["stage"], {})[row["metric"]] = row
    metrics = list(dict.fromkeys(row["metric"] for row in points))
    rows = tuple(
        (
            stage or "all",
            str(max(row["step"] for row in values.values())),
            *(metric(name, values[name]["value"]) if name in values else "" for name in metrics),
        )
        for stage, values in last.items()
    )
    return Table(("Stage", "Last step", *(curves.title(name, measure(record.spec.method)) for name in metrics)), rows)


def _repeat(records: Sequence[RunRecord], share: bool) -> Section:
    spec, read = settings.spec(records[0]), options_read(records[0])
    spec["options"] = {name: value for name, value in spec["options"].items() if name in read}
    commands = [command_line(one.spec) for one in records]
    if len(records) > 1:
        spec["seed"] = ", ".join(str(one.spec.seed) for one in records)
    if share:
        spec["seed"] = "withheld"
        commands = [Withheld().text(re.sub(r"--seed \d+", "--seed SEED", commands[0]))]
        spec["dataset"] = Withheld().text(str(spec["dataset"]))
    listed = Code(json.dumps(plain(spec), indent=1, allow_nan=False), title=SETTINGS)
    return Section("How to repeat it", [f"{repeating.makes(records, share)}:", Code("\n".join(commands)), listed])


def versions() -> list[tuple[str, str]]:
    """Of each library its version here."""
    found = [("python", platform.python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            found.append((name, "not installed"))
    return found


def libraries() -> Section:
    """With which versions the report was made."""
    return Section(VERSIONS, [Table(("Library", "Version"), tuple(versions()))])


def libraries_in_short() -> Section:
    """The same as a line, for a report of several chapters."""
    return Section(VERSIONS, [f"{', '.join(f'{name} {number}' for name, number in versions())}."])
