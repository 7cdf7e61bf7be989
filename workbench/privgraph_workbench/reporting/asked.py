"""What goes into a report: runs with what is known of them, figures, and the words of its author."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from unicodedata import category

from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import AUDITS
from privgraph.runs.records import RunQuery, RunRecord, StoredEvent, Unreadable
from privgraph.runs.store import RunStore
from privgraph_workbench.attack_means import AttackMean
from privgraph_workbench.facts import placing
from privgraph_workbench.facts.advising import HIDES
from privgraph_workbench.facts.expecting import Outlook, Reached, reached
from privgraph_workbench.figures import chart_of, for_others
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.named_runs import named
from privgraph_workbench.figures.runs import standing
from privgraph_workbench.forms.beginnings import called
from privgraph_workbench.reporting import anew, of_gallery, twins
from privgraph_workbench.reporting.own_setting import (
    CAME,
    SECRET,
    aside,
    goes,
    mixed,
    noise_of,
    origin_of,
    own_alone,
    setting,
)
from privgraph_workbench.reporting.twins import Twins
from privgraph_workbench.words import naming
from privgraph_workbench.words.naming import (
    data_title,
    describe,
    graph_of,
    nodes_of,
)

TITLE, AUTHOR, DATE, REMARK, CAPTION = 200, 200, 40, 20_000, 600
"""Letters of a title, of who wrote it and when, of a remark, and of a caption of a figure, at most."""
NOTHING_LEFT = (
    "a report for others leaves out runs with public noise, and the gallery's without noise, where their setting has "
    "runs of your own, and nothing else is reported: report your own"
)
_UNSEEN, _TURNS = ("Cc", "Cs", "Co"), "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""What no caption has: controls, halves of letters, letters of no alphabet; what turns the direction of
writing."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """A run with what it told, the attacks on it, and the finished runs of its setting, itself among
    them. `elsewhere`: the attacks on those others; `audits`: those of all of them, which are no attacks;
    `averaged`: what attacks found on average, where no single one is told (`untold`: there are such;
    `single`: nor is its result, which is that of one seed); `stands`: the rows of where its accuracy
    stands; `said`: its setting in a sentence or two, in Markdown, `shared` the same for others, and
    `unmeasured` without results; `over`: what its setting reached, where results of its runs are not told
    (`fixed`); `seeds`: those of all runs of its setting by their ids, and `withheld` its own, each or what
    is told in its place; `references`: the runs behind the levels of `stands`, by their kind; `twins`: the
    gallery's runs of its setting, with noise of another key; `mixed`: beside a run that came with the program
    others of its setting were made here."""

    record: RunRecord
    events: Sequence[StoredEvent] = ()
    attacks: Sequence[AttackRecord] = ()
    elsewhere: Sequence[AttackRecord] = ()
    audits: Sequence[AuditRecord] = ()
    same: Sequence[RunRecord] = ()
    seeds: Mapping[str, str] = field(default_factory=dict)
    stands: Sequence[Row] = ()
    said: str = ""
    shared: str = ""
    unmeasured: str = ""
    over: Reached | None = None
    withheld: str = ""
    references: Mapping[str, Sequence[RunRecord]] = field(default_factory=dict)
    averaged: Sequence[AttackMean] = ()
    untold: bool = False
    single: bool = False
    twins: Twins | None = None
    mixed: bool = False

    @property
    def seed(self) -> str:
        """Its seed, or what is told in its place."""
        return self.withheld or str(self.record.spec.seed)

    @cached_property
    def runs(self) -> list[RunRecord]:
        """The runs of its setting, each once; itself as it is told."""
        return list({one.id: one for one in (*self.same, self.record)}.values())

    @cached_property
    def every_attack(self) -> list[AttackRecord]:
        """The attacks on all runs of its setting."""
        return once([*self.attacks, *self.elsewhere])


def once(attacks: Iterable[AttackRecord]) -> list[AttackRecord]:
    """Each attack once, in order."""
    return list(dict.fromkeys(attacks))


def told_of(store: RunStore, record: RunRecord) -> Told:
    """All that the store holds of a run; attacks that another version kept are left out."""
    told = _known(store, record)
    return replace(
        told,
        events=store.events(record.id),
        attacks=_attacks(store, record),
        elsewhere=[attack for one in told.same if one.id != record.id for attack in _attacks(store, one)],
        audits=_audits(store, told.runs),
    )


def _attacks(store: RunStore, record: RunRecord) -> list[AttackRecord]:
    if record.id.startswith(of_gallery.MARK):
        return of_gallery.displaced([record.id.removeprefix(of_gallery.MARK)])[1]
    try:
        return store.attacks(record.id)
    except Unreadable:
        return []


def _audits(store: RunStore, runs: Iterable[RunRecord]) -> list[AuditRecord]:
    """The audits of those of the runs that one has shown something of; attacks are kept as audits as well."""
    audited = [one.id for one in runs if one.statement is not None and one.statement.audited_by]
    return [audit for run in audited for audit in store.audits(run) if audit.audit in AUDITS]


def _known(store: RunStore, record: RunRecord) -> Told:
    """What finished runs say beside it."""
    known, remembered = placing.outlook(store, record)
    ids = tuple(one.id for one in remembered if one.id != record.id)
    # what was remembered of finished runs may be older than the audits of them
    now = store.find(RunQuery(ids=ids, limit=len(ids))) if ids else []
    fresh = {one.id: one for one in now if not one.unreadable}
    every = [fresh.get(one.id, one) for one in remembered]
    same = [one for one in every if one.id == record.id or noise_of(one) == noise_of(record)]
    back = of_gallery.displaced(one.id for one in same if not one.gallery)[0] if noise_of(record) == SECRET else []
    like = "" if (alike := twins.of(record, known.blind)) is None else f" {alike.words}"
    said = partial(placing.sentence, record, called(record.spec), nodes_of(record), setting=True)
    return Told(
        record=record,
        same=same,
        seeds={one.id: str(one.spec.seed) for one in (record, *same)},
        stands=standing.data(record, same, known),
        said=f"{said(known, same)}{like}{aside([*every, *back], same, told=bool(like))}",
        shared=f"{said(_for_others(known), own_alone(same), guess=False)}{like}",
        unmeasured=said(known, same, measured=False),
        references={
            kind: list(level.records) for kind, level in (("blind", known.blind), ("bare", known.bare)) if level
        },
        twins=alike,
        mixed=origin_of(record) in CAME and mixed({origin_of(one) for one in (record, *every)}),
    )


def _for_others(known: Outlook) -> Outlook:
    """The same with levels over one's own runs, where the gallery's are among those behind them."""
    blind, bare = (level and reached(own_alone(level.records)) for level in (known.blind, known.bare))
    return replace(known, blind=blind, bare=bare)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure of the report: its kind, rows, and the statements behind it, by label. `runs`: those whose
    numbers it shows; `gone`: how many more of them are in the store no longer; `beside`: a run of each of
    their settings, with what is known of it. `title`: what its author calls it ("": its own); `caption`: what
    its author says of it first; `advice`: what the runs behind it say to take, in Markdown; `left_out`: what
    others do not see of it, in a sentence; `unpaired`: why its verdict is weaker for them; `same_title`:
    titles that its graphs share with others of the report, and their whole names."""

    figure: str
    rows: Sequence[Row]
    statements: Mapping[str, PrivacyStatement] = field(default_factory=dict)
    runs: Sequence[RunRecord] = ()
    gone: int = 0
    beside: Sequence[Told] = ()
    title: str = ""
    caption: str = ""
    advice: str = ""
    left_out: str = ""
    unpaired: str = ""
    same_title: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called: by its author, else by its own title."""
        return self.title or title_of(self.figure, self.rows, self.runs)

    @property
    def sentence(self) -> str:
        """Its author's caption on one line, which ends as a sentence does; "" where there is none.

        >>> Drawn(figure="curves", rows=[], caption="What  it costs").sentence
        'What it costs.'
        """
        said = " ".join(self.caption.split())
        return said if not said or said.rstrip("\"')]”’»").endswith((".", "!", "?", ":", "…")) else f"{said}."


def title_of(figure: str, rows: Sequence[Row], runs: Sequence[RunRecord] = ()) -> str:
    """The title of a figure; of runs with what they hide, and on which graph: several figures may have one
    title. Where rows name no graph, the `runs` behind them do, and the setting where they are all of one."""
    hides = [HIDES[unit] for unit in HIDES if any(row.get("unit") == unit for row in rows)]
    graphs = {str(row["graph"]): str(row.get("dataset", "")) for row in rows if row.get("graph")}
    where = f"{len(graphs)} graphs" if len(graphs) > 1 else "".join(map(data_title, graphs.values()))
    hiding = f"hiding {' and '.join(hides)}" if hides else ""
    title = ", ".join(filter(None, (chart_of(figure, rows).title, hiding, where)))
    behind = "" if graphs else _behind(runs)
    if not behind or behind in title:
        return title
    return f"{title}, {behind}" if ":" in title or len(set(map(setting, runs))) > 1 else f"{title}: {behind}"


def _behind(runs: Sequence[RunRecord]) -> str:
    """What was run, without seeds; of several settings their graph, where they have one."""
    if len({setting(one) for one in runs}) == 1:
        return describe(runs[0])
    graphs = {graph_of(one) for one in runs}
    return graphs.pop() if len(graphs) == 1 else ""


def drawn(
    store: RunStore,
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    runs: Sequence[str] = (),
    title: str = "",
    advice: str = "",
    came: Sequence[str] = (),
) -> Drawn:
    """A figure with the runs that its rows name, and those that are named beside it (`runs`, ids): its rows
    and statements as these say it now. Where a run `came` with the program when the figure was kept, and
    one's own stands in its place now, it is the gallery's still."""
    ids = named(rows, runs)
    held = [one for one in store.find(RunQuery(ids=ids, limit=len(ids))) if not one.unreadable] if ids else []
    taken = [one.id for one in held if one.id in came and not one.gallery]
    taken += [one.removeprefix(of_gallery.MARK) for one in ids if one.startswith(of_gallery.MARK)]
    if taken:
        back = of_gallery.displaced(taken)[0]
        rows = [_by(row, taken) for row in rows]
        held = [*(one for one in held if one.id not in taken), *back]
        ids = named(rows, [f"{of_gallery.MARK}{one}" if one in taken else one for one in runs])
    rows, statements = anew.made(figure, rows, statements, held)
    return Drawn(
        figure=figure,
        rows=rows,
        statements=statements,
        runs=held,
        gone=len(ids) - len(held),
        beside=_beside(store, held),
        title=title,
        advice=advice,
    )


def _by(row: Row, taken: Sequence[str]) -> Row:
    """The row by the gallery's runs in whose places one's own stand."""
    ids = {name: str(row.get(name) or "").split() for name in ("run", "runs")}
    return {
        **row,
        **{
            name: " ".join(f"{of_gallery.MARK}{one}" if one in taken else one for one in words)
            for name, words in ids.items()
            if set(words) & set(taken)
        },
    }


def _beside(store: RunStore, runs: Sequence[RunRecord]) -> list[Told]:
    """A run of each setting, with the attacks on all of its runs: one's own, where it has any. Others are not
    given the gallery's beside these, and would see by what goes with it which seed one's own have."""
    groups: dict[str, list[RunRecord]] = {}
    for one in sorted(runs, key=lambda one: (origin_of(one) in CAME, one.spec.seed)):
        groups.setdefault(setting(one), []).append(one)
    found = []
    for held in groups.values():
        told = _known(store, held[0])
        every = {one.id: one for one in (*held, *told.same)}
        found.append(
            replace(
                told,
                seeds={run: str(one.spec.seed) for run, one in every.items()},
                attacks=[attack for one in every.values() for attack in _attacks(store, one)],
                audits=_audits(store, every.values()),
            )
        )
    return found


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What goes into a report, in order. `date` is what its author says: nothing is dated by itself, so that
    equal reports are equal bytes. `share` leaves out what tells seeds; without `appendix` the page and the
    print end after the figures. Raises `OptionError` for words that are too long, and where there is nothing
    to report."""

    title: str
    author: str = ""
    date: str = ""
    remark: str = ""
    runs: Sequence[Told]
    figures: Sequence[Drawn] = ()
    share: bool = False
    notebook: bool = True
    appendix: bool = True

    def __post_init__(self) -> None:
        if not self.runs and not self.figures:
            raise OptionError("a report needs at least one run or figure")
        if self.share and not self.runs and not self.shown:
            raise OptionError(
                "a report for others leaves out figures that tell a seed or private values, and none is left"
            )
        if self.share and self._all_go():
            raise OptionError(NOTHING_LEFT)
        if self.share and any(said.data_dependent for said in self._statements()):
            raise OptionError("an ε of these runs was computed from private data: no report for others may tell it")
        if not 0 < len(self.title.strip()) <= TITLE:
            raise OptionError(f"the title of a report has 1 to {TITLE} letters (got {len(self.title.strip())})")
        for name, most in (("author", AUTHOR), ("date", DATE), ("remark", REMARK)):
            if len(told := getattr(self, name)) > most:
                raise OptionError(f"the {name} of a report has at most {most:,} letters (got {len(told):,})")
        for one in self.figures:
            if len(one.caption) > CAPTION:
                raise OptionError(f"a caption has at most {CAPTION} letters (got {len(one.caption)})")
            if odd := next((sign for sign in one.sentence if category(sign) in _UNSEEN or sign in _TURNS), ""):
                raise OptionError(f"a caption has letters that can be seen (got U+{ord(odd):04X})")

    @cached_property
    def beside(self) -> list[Told]:
        """A run of each setting that stands in figures alone."""
        own = {setting(one.record) for one in self.runs}
        found: dict[str, Told] = {}
        for one in (told for figure in self.shown for told in figure.beside):
            if (key := setting(one.record)) not in own:
                before = found.get(key)
                attacks = [*(before.attacks if before else ()), *one.attacks]
                seeds = {**(before.seeds if before else {}), **one.seeds}
                found[key] = replace(one, attacks=once(attacks), seeds=seeds)
        return list(found.values())

    @property
    def shown(self) -> list[Drawn]:
        """The figures that the report shows: for others those alone that may leave."""
        return [one for one in self.figures if not self.share or for_others.leaves(one.figure, one.rows)]

    @property
    def mixed(self) -> set[str]:
        """The settings (`naming.setting`) of whose runs some came with the program, and some do not."""
        beside = [told for one in self.figures for told in one.beside]
        kinds: dict[str, set[str]] = {}
        drawn = (run for one in self.figures for run in one.runs)
        for run in (*(run for one in (*self.runs, *beside) for run in one.runs), *drawn):
            kinds.setdefault(naming.setting(run), set()).add(origin_of(run))
        known = {naming.setting(one.record) for one in (*self.runs, *beside) if one.mixed}
        return known | {key for key, held in kinds.items() if mixed(held)}

    def _all_go(self) -> bool:
        """Whether others get none of its runs and figures (`goes`)."""
        mixed = self.mixed
        every = [*(one.record for one in self.runs), *(run for one in self.figures for run in one.runs)]
        return bool(every) and all(goes(one, mixed) for one in every) and all(one.runs for one in self.figures)

    def _statements(self) -> list[PrivacyStatement]:
        """All statements of the report."""
        own = [one.record.statement for one in self.runs if one.record.statement is not None]
        return [*own, *(said for one in self.shown for said in one.statements.values())]


def named_runs(asked: Asked) -> dict[str, Told]:
    """Runs by the names of their files."""
    return {f"run-{place:02d}" if asked.share else one.record.id: one for place, one in enumerate(asked.runs, start=1)}
