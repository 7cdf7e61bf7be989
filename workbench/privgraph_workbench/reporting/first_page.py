"""The first page of a report: its summary. All else is a figure, or stands in the appendix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from privgraph.attacks.record import AttackRecord
from privgraph.runs.records import RunRecord
from privgraph_workbench import blocks, compact_table, repeating, tables
from privgraph_workbench.blocks import Picture, Remark, Section, Small, Warned
from privgraph_workbench.facts import advised, composition, ranking
from privgraph_workbench.facts.expecting import Reached
from privgraph_workbench.facts.row_words import both, counted
from privgraph_workbench.facts.unpaired import apart, is_fixed, public
from privgraph_workbench.figures.notes import badges_of
from privgraph_workbench.reporting import findings, glance, joined, leaving, of_gallery, references, same_titles
from privgraph_workbench.reporting.asked import Asked, Drawn, Told, named_runs, once
from privgraph_workbench.reporting.behind import FIGURES, MEAN, TOLD, behind
from privgraph_workbench.reporting.chapters import Chapter
from privgraph_workbench.reporting.counts import Counts
from privgraph_workbench.reporting.file_names import beside_names
from privgraph_workbench.reporting.own_setting import SECRET, noise_of, setting
from privgraph_workbench.reporting.seedless import by_results
from privgraph_workbench.reporting.withholding import numbered
from privgraph_workbench.table_lines import most_audited
from privgraph_workbench.words.naming import describe, graph_of, run_labels, unit_of

EVALUATOR = Warned(
    "No guarantee covers them, also where a statement takes labels to be public, and whoever publishes this report "
    "publishes them as well.",
    title="Accuracies of this report are measured on private labels",
)
STATEMENTS = "The privacy statement of each setting stands in full in the archive, as statements/."
SUBTRACTED = (
    "The key of such noise comes with the program, so that anybody can subtract it. Train again, with a key of your "
    "own, before anything is released."
)
MOST_SECRET = 3
"""Settings with secret noise that are named beside it."""
IN_SHORT = "In short"
OWN_WORDS = "Remark: the author's own words, not checked against the runs"
OWN_NETWORK = "Costs below a figure are counted from the network that this figure shows."
"""Why points of the table and costs may differ."""
BEHIND = "Behind this report:"
LEVELS = "References, which figures draw as levels and tables/references.csv lists:"
ALONE = "Settings that stand in figures alone"
MANY = "{count} more settings stand in figures alone: what they guarantee and reached is told below, under “{section}”."
MOST_BESIDE = 6
"""Of such settings are told on the first page."""
MOST_IN_WORDS = 2
"""Settings that have a sentence each on the first page: of more their table is read."""
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, kw_only=True)
class Together:
    """What is said of all runs of a report, by their ids and seeds, which a report for others withholds: what
    they cost, and which setting is ahead."""

    price: str = ""
    ahead: str = ""

    @staticmethod
    def of(asked: Asked) -> Together:
        return Together(price=composed(asked), ahead=ahead(asked))


def opening(asked: Asked, chapters: Sequence[Chapter], together: Together) -> Section | None:
    """Who wrote it and the remark, whose noise is public and whose labels are read, and the answers in short;
    None where a report has none of these."""
    by = ", ".join(filter(None, (asked.author.strip(), asked.date.strip())))
    told: list[blocks.Block] = [by] if by else []
    if asked.remark.strip():
        told.append(Remark(remark(asked.remark)))
    if warned := _public(asked):
        told.append(warned)
    told += [EVALUATOR] if _evaluator(asked) else []
    if lines := _own(asked, chapters) or all_settings(asked, chapters):
        told.append(glance.answers(asked, lines, together.price))
    told += [Small(leaving.UNDER[asked.share])] if told else []
    return Section(IN_SHORT, told) if told else None


def remark(said: str) -> str:
    """A remark as reports have it, in Markdown: below whose words they are; "" where there is none."""
    return f"**{OWN_WORDS}**\n\n{said}" if said.strip() else ""


def figure(place: int, one: Drawn, before: Sequence[Drawn]) -> Section:
    """A chosen figure: its caption, what it finds, the picture, directly below it what to take, which is
    said of the first figure alone that says it, and its settings in small letters."""
    told: list[blocks.Block] = [
        Remark(findings.lead(one)),
        Picture(one.figure, findings.drawn_rows(one), marked=True, chosen=True),
    ]
    told += [Remark(said)] if (said := what_to_take(one, before)) else []
    told += [Small(said)] if (said := findings.about(one)) else []
    return Section(f"Figure {place}: {one.name}", told)


def what_to_take(one: Drawn, before: Sequence[Drawn]) -> str:
    """What stands directly below a figure, in Markdown: what to take, or which figure before it says that."""
    first = next((at for at, other in enumerate(before, start=1) if other.advice == one.advice), None)
    if one.advice and first is not None:
        return f"What to take stands below Figure {first}."
    advice = findings.advice(one)
    return f"**What to take**\n\n{advice}" if advice else ""


def first_page(asked: Asked, chapters: Sequence[Chapter], together: Together) -> Section:
    """What each setting guarantees and reached, and what is said of all `together`."""
    notes: tables.Notes = {}
    lines = all_settings(asked, chapters) if few_beside(asked) else _own(asked, chapters)
    told: list[blocks.Block] = [f"{BEHIND} {Counts.of(asked).words}."] if asked.runs or asked.beside else []
    told += joined.settings(lines, notes, same_titles.names(asked, [one.record for one in lines]))
    if levels := references.levels(chapters):
        told.append(f"{LEVELS} {'; '.join(one.words for one in levels)}.")
    if few(chapters) and (said := [one.runs[0].said for one in chapters if one.runs[0].said]):
        told.append(_points("What was run", said))
    if few_beside(asked) and (said := [one.said for one in asked.beside if one.said]):
        told.append(_points(ALONE, said))
    told += [Remark(together.ahead)] if together.ahead else []
    told += [] if few_beside(asked) else [MANY.format(count=len(asked.beside), section=ALONE)]
    told += [Remark(together.price)] if together.price else []
    told += [] if asked.share else [Warned(repeating.secret([one.record for one in (*asked.runs, *asked.beside)]))]
    told += [STATEMENTS] if (asked.runs or asked.beside) and not asked.appendix else []
    return Section("What is reported", told)


def beside(asked: Asked, chapters: Sequence[Chapter]) -> Section | None:
    """The settings that stand in figures alone, where the first page has no room for them: what each
    guarantees and reached, in one table."""
    if few_beside(asked):
        return None
    names = beside_names(asked)
    lines = [one for one in all_settings(asked, chapters) if one.name in names]
    graphs = same_titles.names(asked, [one.record for one in lines])
    title = f"{_number(len(lines)).capitalize()} settings"
    return Section(ALONE, [blocks.Folded(title, compact_table.told(lines, graphs))])


def _points(title: str, said: Sequence[str]) -> Remark:
    return Remark("\n".join([f"**{title}**\n", *(f"- {one}" for one in said)]))


def few_beside(asked: Asked) -> bool:
    """Whether the settings that stand in figures alone are told on the first page, and not in a section."""
    return len(asked.beside) <= MOST_BESIDE


def few(chapters: Sequence[Chapter]) -> bool:
    """Whether each setting is told in words on the first page, and not at the head of its chapter."""
    return len(chapters) <= MOST_IN_WORDS


def composed(asked: Asked) -> str:
    """What all private runs whose numbers stand anywhere in the report cost together: its own, those of its
    means, and those of its figures. Asked before ids are withheld: it tells runs apart by them."""
    means = [other for one in (*asked.runs, *asked.beside) for other in one.same]
    figures = [other for one in asked.shown for other in one.runs]
    said = composition.together([one.record for one in asked.runs], [*means, *figures])
    if gone := sum(one.gone for one in asked.shown):
        runs = "1 run of a figure is" if gone == 1 else f"{gone} runs of figures are"
        said += f" {runs} in the store no longer, and not counted."
    return said.strip()


def ahead(asked: Asked) -> str:
    """Which setting is ahead, over all of its seeds. Asked before seeds are withheld: settings are compared
    seed by seed; for others by their means."""
    own: dict[str, Told] = {}
    for one in asked.runs:
        own.setdefault(setting(one.record), one)
    groups = [of_gallery.with_own_seeds(one.same or [one.record]) for one in (*own.values(), *asked.beside)]
    ranked = {setting(group[0]) for group in groups}
    told = (record for one in (*asked.runs, *asked.beside) for record in one.references.get("blind", ()))
    blind = list({one.id: one for one in told if setting(one) not in ranked}.values())
    paired = not asked.share or public([*(record for group in groups for record in group), *blind])
    if not paired:
        held: dict[str, list[RunRecord]] = {setting(group[0]): [] for group in (*groups, *([one] for one in blind))}
        for record in apart([*(record for group in groups for record in group), *blind]):
            held[setting(record)].append(record)
        blind = [record for key in held if key not in ranked for record in held[key]]
        held = {key: records for key, records in held.items() if key in ranked}
        own = {key: one for key, one in own.items() if held[key]}
        groups = list(filter(None, held.values()))
    places = _advised(asked)
    said = (
        ranking.ranked(
            groups,
            len(own),
            all_of=few_beside(asked),
            guess=not asked.share,
            advised=places,
            beside=blind,
            paired=paired,
        )
        if groups
        else ""
    )
    said += f"\n\n{OWN_NETWORK}" * bool(places and ranking.BARE in said)
    if not asked.share:
        return said
    return numbered(asked).text(said)


def _advised(asked: Asked) -> dict[str, str]:
    """Graphs of which a figure says what to take, of all units that the report hides there, and where."""
    hidden: dict[str, set[str]] = {}
    for one in (*asked.runs, *asked.beside):
        hidden.setdefault(graph_of(one.record), set()).add(unit_of(one.record))
    found: dict[str, str] = {}
    for place, drawn in enumerate(asked.shown, start=1):
        units = {str(row["unit"]) for row in drawn.rows if row.get("unit")} | {"none"}
        graphs = {graph_of(run) for run in drawn.runs}
        if advised.shortened(drawn.advice) and len(graphs) == 1 and hidden.get(graph := graphs.pop(), set()) <= units:
            found.setdefault(graph, f"What to take at each ε stands below Figure {place}.")
    return found


def lines_of(asked: Asked) -> list[tables.Line]:
    """Each run behind the report as a line of the table, the report's own first; for others without seeds,
    and in an order that does not hang on them."""
    named = named_runs(asked)
    groups = _means_for_others(asked) if asked.share else _behind(asked)
    own_records = [one.record for one in named.values()]
    others_of = [record for _, _, record, _ in groups]
    if asked.share:  # by their settings: the numbers that stand for ids follow the order of seeds
        firsts = {setting(one): one for one in reversed([*own_records, *others_of])}
        of = dict(zip(firsts, run_labels(list(firsts.values()), privacy_too=True, seeds=False), strict=True))
        labels = [of[setting(one)] for one in (*own_records, *others_of)]
    else:
        labels = run_labels([*own_records, *others_of], privacy_too=True)
    own = [
        tables.Line(
            name=name,
            label=label,
            record=one.record,
            same=one.same,
            over=one.over,
            seed=not asked.share,
            attacks=one.attacks,
            stands=TOLD,
            untold=one.untold,
            single=one.single,
        )
        for label, (name, one) in zip(labels, named.items(), strict=False)
    ]
    same: dict[str, list[RunRecord]] = {}
    for _, _, record, _ in groups:
        same.setdefault(setting(record), []).append(record)
    for one in asked.runs:
        same[setting(one.record)] = list(one.same)
    over = {setting(one.record): one.over for one in (*asked.runs, *asked.beside)}
    every = (*asked.runs, *asked.beside)
    untold, single = ({setting(one.record) for one in every if getattr(one, name)} for name in ("untold", "single"))
    others = [
        tables.Line(
            name=name,
            label=label,
            record=_untold(record, over) if asked.share else record,
            same=same[setting(record)],
            over=over.get(setting(record)),
            seed=not asked.share,
            attacks=attacks,
            stands=stands,
            untold=setting(record) in untold,
            single=setting(record) in single,
        )
        for label, (name, stands, record, attacks) in zip(labels[len(own) :], groups, strict=True)
    ]
    return [*own, *others]


def _untold(record: RunRecord, over: Mapping[str, Reached | None]) -> RunRecord:
    """A run without results, where its setting has no noise and nothing else of the report tells its mean."""
    hidden = is_fixed(record.statement) and not record.gallery  # of a setting with both, the gallery's are not there
    return replace(record, metrics={}) if hidden and not over.get(setting(record)) else record


_Other = tuple[str, str, RunRecord, Sequence[AttackRecord]]
"""A run that the report does not tell by itself: its name, where it stands, and the attacks on it."""


def _behind(asked: Asked) -> list[_Other]:
    return [(one.record.id, one.stands, one.record, one.attacks) for one in behind(asked) if one.stands != TOLD]


def _means_for_others(asked: Asked) -> list[_Other]:
    """The same for others, setting by setting in the order of accuracies, which tells no seed."""
    told = {one.record.id for one in asked.runs}
    found: dict[str, tuple[str, RunRecord]] = {}
    for stands, held in ((MEAN, asked.runs), (FIGURES, asked.beside)):
        for one in held:
            for record in sorted(one.same or [one.record], key=by_results):
                if record.id not in told:
                    found.setdefault(record.id, (stands, record))
    drawn = (run for one in asked.figures for run in one.runs)
    for record in sorted(drawn, key=lambda one: (setting(one), by_results(one))):
        if record.id not in told:
            found.setdefault(record.id, (FIGURES, record))
    attacks = {one.record.id: one.attacks for one in behind(asked)}
    return [(record.id, stands, record, attacks[record.id]) for stands, record in found.values()]  # as numbered


def settings_of(chapters: Sequence[Chapter]) -> list[tables.Line]:
    """Each setting as a line of the table, by its run of which attacks have shown most, with the attacks on
    and audits of all of its runs, those that the report does not tell by themselves among them."""
    return [
        tables.Line(
            name=one.name,
            label=one.label,
            record=most_audited([run.record for run in one.runs]),
            same=one.runs[0].same or [run.record for run in one.runs],
            over=one.runs[0].over,
            attacks=once(attack for run in one.runs for attack in run.every_attack),
            audited=most_audited(one.records),
            seeds=one.seeds,
            averaged=one.runs[0].averaged,
            untold=one.runs[0].untold,
            single=one.runs[0].single,
        )
        for one in chapters
    ]


def all_settings(asked: Asked, chapters: Sequence[Chapter]) -> list[tables.Line]:
    """These, and those that stand in figures alone, each by a name that is no other's."""
    lines = settings_of(chapters)
    lines += [
        tables.Line(
            name=name,
            label="",
            record=one.record,
            same=one.same or [one.record],
            over=one.over,
            attacks=one.every_attack,
            audited=most_audited(one.runs),
            seeds=one.seeds,
            averaged=one.averaged,
            untold=one.untold,
            single=one.single,
        )
        for name, one in beside_names(asked).items()
    ]
    return below_graphs(lines) if asked.beside or len({graph_of(one.record) for one in lines}) > 1 else lines


def _own(asked: Asked, chapters: Sequence[Chapter]) -> list[tables.Line]:
    """The settings of the report's own runs, by the names that they have among all."""
    names = beside_names(asked)
    return [one for one in all_settings(asked, chapters) if one.name not in names]


def below_graphs(lines: Sequence[tables.Line]) -> list[tables.Line]:
    """Lines of several graphs, each below the heading of its graph and by a name that is no other's there; of
    one graph by their names alone."""
    graphs: dict[str, list[tables.Line]] = {}
    for one in lines:
        graphs.setdefault(graph_of(one.record), []).append(one)
    found = []
    for graph, held in graphs.items():
        labels = run_labels([one.record for one in held], privacy_too=True, seeds=False)
        heading = graph if len(graphs) > 1 else ""
        found += [replace(one, label=label, heading=heading) for one, label in zip(held, labels, strict=True)]
    return found


def _public(asked: Asked) -> Warned | None:
    """That the noise of private runs is public, whose ε then protects nobody; None where none is."""
    counts = Counts.of(asked)
    if not counts.public:
        return None
    if counts.private == 1:
        return Warned(SUBTRACTED, title="As run, this model protects nobody: its noise is public")
    of = f"{counted(counts.private_settings, 'setting')}"
    if counts.public == counts.private:
        said = f"none of the {_number(counts.private)} private runs here (of {of}) protects anybody"
    else:
        which = f"{_number(counts.public)} of the {_number(counts.private)} private runs here (of {of})"
        said = f"{which} protect{'s' * (counts.public == 1)} nobody"
    return Warned(f"{SUBTRACTED}{_secret(asked)}", title=f"As run, {said}: their noise is public")


def _secret(asked: Asked) -> str:
    """Whose noise is none of it, where some of the report's own runs are such; "" where none is."""
    own = [one.record for one in asked.runs if noise_of(one.record) == SECRET]
    names = list(dict.fromkeys(map(describe, own)))[:MOST_SECRET]
    return f" Not so {both(names)} as reported here: that noise is secret, and its ε holds." if names else ""


def _number(count: int) -> str:
    return SMALL[count] if count < len(SMALL) else f"{count:,}"


def _evaluator(asked: Asked) -> bool:
    return any(one.record.metrics for one in asked.runs) or any(badges_of(one.rows) for one in asked.figures)
