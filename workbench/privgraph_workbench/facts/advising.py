"""What finished runs of a comparison say: what to take at which epsilon, and how sure it is. No Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from privgraph.options import listed
from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import covering, settling
from privgraph_workbench.facts.judging import Judged, Seen, judged, keeps, kept
from privgraph_workbench.facts.row_words import at, counted, counted_seeds, title_of, with_interval
from privgraph_workbench.facts.seedwise import APART, Seedwise, together
from privgraph_workbench.facts.stretches import BLIND, Stretch, guess_words, stretch
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff, tradeoff_marks
from privgraph_workbench.words.naming import reads_no_edge
from privgraph_workbench.words.numbers import percent, stated
from privgraph_workbench.words.statements import SAME_NOISE, protect_nobody

HIDES = {"edge": "edges", "node": "people"}
UNITS = {"edge": "one edge", "node": "one person with everything about them"}
NETWORK = "gnn"
"""A network without privacy."""
BARE = "a graph network without privacy"
CHOOSING = "Choosing by test labels reads private data, and no ε here pays for it: choose on a public graph like yours."
"""What the choice itself reads."""
BASIS = (
    "In brackets: 95% intervals over seeds. Clearly better: the interval of the difference lies above 0, seed by seed "
    "where most seeds are shared (Student's t), else of the two means (Welch), and never narrower than the test nodes "
    "leave it, however well seeds agree: bars that do not overlap are not enough. At each ε there are two questions: "
    "what beats the level without edges (of people: a guess), and which method is best. Each has a chance of at most "
    "5% of a wrong answer, however many are compared (Bonferroni). These are chances of one look: seeds that are added "
    "until something is clear raise them, simulated with looks at 3, 6, 10, 15 and 20 seeds to about three times as "
    "much."
)
"""What is called clear."""
ACCURACY, PREC = "test accuracy", "PREC@1 of relations"
"""What is compared: methods that predict relations have no accuracy."""
SECRET = f"{SAME_NOISE}: train your own before you release anything."
"""What holds where the noise of runs is public."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said of each stretch of budgets, and beside it. methods: how many that protect the unit have
    run; thin: why nothing can be chosen yet, "" where something can; absent: titles of those that have not
    run; score: what the percentages are; networks: the settings of a network without privacy that were
    measured on as many nodes, the most accurate first; blind: of edges, a model that reads none and beats a
    guess (None: it has not run, or does not); lead: what is true at every budget; closing: what to leave
    alone; margin: how far apart methods in a tie may be; public: how many runs behind it protect nobody ("":
    none, or nothing that adds noise is taken); unjudged: what ran alone at its budget, of which nothing is
    said, and has a higher mean than the model that reads no edge."""

    unit: str
    stretches: tuple[Stretch, ...] = ()
    methods: int = 0
    thin: str = ""
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    score: str = ACCURACY
    lead: str = ""
    closing: str = ""
    public: str = ""
    networks: tuple[Row, ...] = ()
    blind: Row | None = None
    margin: float = APART
    unjudged: tuple[str, ...] = ()

    @property
    def network(self) -> Row | None:
        """The network without privacy that costs are counted from; None where none is known."""
        return next(iter(self.networks), None)

    @property
    def counted_from(self) -> str:
        """What that network is called: a method without its noise where no plain network has run."""
        network = self.network
        return BARE if network is None or network["method"] == NETWORK else f"{network['title']} without privacy"

    @property
    def settled(self) -> bool:
        """Whether it says of some budget what to take."""
        return not self.thin and any(one.kind == "blind" or one.clear for one in self.stretches)

    @property
    def heading(self) -> str:
        """What the stretches are about, or that nothing can be said."""
        if not self.methods:
            return "No finished run keeps its ε." if self.notes else "No method has a finished run yet."
        if self.thin:
            return f"Too little has run to say what hides {HIDES[self.unit]} best: {self.thin}."
        return f"To hide {HIDES[self.unit]} ({self.measured}):{self.lead}"

    @property
    def measured(self) -> str:
        """What the percentages and costs are."""
        network = self.network
        return self.score + (
            "" if network is None else f"; costs are points below {self.counted_from}, {percent(network['mean'])}"
        )

    @property
    def bare(self) -> str:
        """What the network without privacy has, with its interval; "" where none has run."""
        return "" if self.network is None else with_interval(self.network)

    @property
    def promised(self) -> tuple[covering.Promised, ...]:
        """What is taken, and under which relations it promises."""
        return tuple(dict.fromkeys(one for part in self.stretches for one in part.promised))

    @property
    def idle(self) -> str:
        """That a model that reads no edge does not beat a guess, in a sentence: one cause of what is said of
        all budgets; "" where it does, or none is asked for."""
        return next((f"{one.idle}." for one in self.stretches if one.idle), "")

    @property
    def text(self) -> str:
        """All of it, a line each."""
        public = [self.public, SECRET] if self.public else []
        called = covering.words(self.promised, "Protection is called strong, moderate or weak by how often")
        told = [self.heading, *(one.text for one in self.stretches), self.idle, called, self.closing]
        return "\n".join([*public, *filter(None, told), *self.notes, BASIS, CHOOSING])


def verdict(
    records: Sequence[RunRecord], unit: str, expected: Sequence[str] = (), networks: Sequence[RunRecord] = ()
) -> Verdict:
    """What the finished runs of a comparison say, also before all of them are finished; those `expected` that
    have not run are named. `networks`: runs of networks without privacy on the same graph at any options, of
    which the most accurate is the one that is compared with, as in the figure.

    Each budget is judged by the methods that ran at it, seed by seed (`Seedwise`). To hide edges, a model
    that reads none is taken where nothing is clearly better than it; else no method helps where none is
    clearly better than a guess. What is promised at a budget is promised at every larger one: where nothing
    reaches more than a smaller budget did, that is said. Budgets side by side of which the same is said are
    told in one. Trials of a tuning are left out: an epsilon of theirs is none of a run alone.
    """
    notes = trials_out(records)
    records = [one for one in records if stands_alone(one)]
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    private = [row for row in rows if row["unit"] == unit and row["asked"] is not None and row["method"] != BLIND]
    beyond = [row for row in private if not keeps(row)]
    private = [row for row in private if keeps(row)]
    private.sort(key=lambda row: (row["asked"], -row["mean"]))
    methods = list(dict.fromkeys(row["method"] for row in private))
    absent = tuple(METHODS[name].title for name in expected if name not in methods)
    if not methods:
        return Verdict(unit=unit, absent=absent, notes=(*notes, *left_out(beyond)))
    blind = next((row for row in rows if row["method"] == BLIND and row["unit"] == "none"), None)
    open_ = _networks(tradeoff.data(networks or records), private[-1]["test_nodes"])
    bare = next(iter(open_), None)
    guess = tradeoff_marks.guessed(private)
    score = PREC if "relation prediction" in METHODS[methods[0]].tasks else ACCURACY
    seen = Seen(
        seeds=Seedwise.of([*records, *networks]),
        unit=unit,
        blind=blind,
        bare=bare,
        guess=guess,
        scale=1.0 if score == ACCURACY else _reached(private, bare),
    )
    budgets = {asked: list(held) for asked, held in groupby(private, key=lambda row: row["asked"])}
    single = [asked for asked, held in budgets.items() if len(held) < 2 <= len(methods)]
    told: list[Judged] = []
    for asked, held in budgets.items():
        if asked not in single:
            told.append(kept(judged(held, seen), told, seen))
    stretches = tuple(stretch(list(same), seen) for _, same in groupby(told, key=lambda one: _alike(one, seen)))
    notes += [f"A single method has run at ε {listed([f'{one:g}' for one in single])}."] if single else []
    notes += [not_run(absent)] if absent else []
    notes += left_out(beyond)
    return Verdict(
        unit=unit,
        stretches=stretches,
        methods=len(methods),
        thin=_thin(stretches, absent, len(expected)),
        absent=absent,
        notes=tuple(notes),
        score=score,
        margin=seen.margin,
        unjudged=tuple(
            f"{title_of(row)} ({percent(row['mean'])}{at(row)})"
            for asked in single
            for row in budgets[asked]
            if blind is not None and row["mean"] > blind["mean"]
        ),
        networks=open_,
        blind=None if seen.idle else seen.free,
        lead=(lead := _lead(told, seen)),
        closing=_closing(told, seen, lead) if unit == "node" else "",
        public=_public(stretches, [one for one in records if one.spec.unit == unit]),
    )


def not_run(absent: Sequence[str]) -> str:
    """Which methods might be better for all that is known.

    >>> not_run(["GAP", "EdgeRand"])
    'GAP, EdgeRand have not run here.'
    """
    return f"{', '.join(absent)} {'have' if len(absent) > 1 else 'has'} not run here."


def stands_alone(record: RunRecord) -> bool:
    """Whether no tuning tried a run: what one tried promises nothing, and what one chose the price of all."""
    return record.tuning is None


def trials_out(records: Sequence[RunRecord]) -> list[str]:
    """How many trials of tunings are left out; nothing where there are none."""
    count = sum(not stands_alone(one) for one in records)
    return [f"Left out: {counted(count, 'trial')} of a tuning, which no ε of one run covers."] if count else []


def left_out(beyond: Sequence[Row]) -> list[str]:
    """Of which settings nothing is said, for they promise less than was asked of them; nothing where there
    are none.

    >>> left_out([{"method": "gap", "asked": 1.0, "epsilon": float("inf")}])
    ['Left out, for the sound ε is larger than the one asked for: GAP at ε 1 (∞).']
    """
    told = ", ".join(f"{title_of(row)}{at(row)} ({stated('sound', row['epsilon'])})" for row in beyond)
    return [f"Left out, for the sound ε is larger than the one asked for: {told}."] if told else []


def _reached(private: Sequence[Row], bare: Row | None) -> float:
    """Where a score ends whose 100% nothing comes near: what is reached without privacy, or by the best
    method where that is more or the other not known. 1 where nothing reaches anything."""
    return max(float(row["mean"]) for row in [*private, *([] if bare is None else [bare])]) or 1.0


def _alike(one: Judged, seen: Seen) -> tuple[str, str, bool]:
    """By what budgets side by side are told in one: not where a method is taken, for its accuracy is another
    one at each, nor where more seeds may tell at the one and not at the other."""
    told = str(one.best["asked"]) if one.kind in ("one", "several") else str(one.wide)
    settles = one.kind in ("nothing", "blind", "before") and bool(settling.needed(one, seen))
    return one.kind, told if one.before is None else f"{one.before['runs']} {one.wide}", settles


def _thin(stretches: Sequence[Stretch], absent: Sequence[str], expected: int) -> str:
    """Why nothing can be chosen yet: half of the methods have not run, or no budget has enough seeds."""
    if 2 * len(absent) >= max(1, expected):
        return f"{', '.join(absent)} {'have' if len(absent) > 1 else 'has'} not run"
    if all(one.kind == "unsure" for one in stretches):
        return stretches[-1].why.rstrip(".") if stretches else "no two methods share an ε"
    return ""


def _lead(told: Sequence[Judged], seen: Seen) -> str:
    """What holds at every budget of people: that no method is shown to help, or none more than a model that
    reads no edge and protects nobody, which is no alternative, but a measure."""
    if seen.unit != "node" or not told:
        return ""
    if all(one.kind == "nothing" for one in told):
        few = counted_seeds([one.best for one in told])
        if any(one.wide and settling.needed(one, seen) for one in told):
            return f" don't yet: too few seeds to say ({few}) whether any method beats {guess_words(seen)}."
        return f" don't: over {few}, no method is shown to beat {guess_words(seen)} at any ε compared."
    if seen.blind is None or any(
        seen.seeds.clear(row, seen.blind, together(len(one.rows))) for one in told for row in one.rows
    ):
        return ""
    guess = "" if seen.guess is None else f" A guess: {percent(seen.guess)}."
    return (
        " at no ε compared is a method clearly better than a model that reads no edge and protects nobody "
        f"({percent(seen.blind['mean'])}).{guess}"
    )


def _closing(told: Sequence[Judged], seen: Seen, lead: str) -> str:
    """Of people: that edges are not worth reading, where no method that reads them is clearly better than
    those that read none; "" elsewhere, for the rest is said by the lead and the table."""
    pairs = [
        (row, other, together(len(one.rows)))
        for one in told
        for other in one.rows
        if reads_no_edge(other["method"])
        for row in one.rows
        if not reads_no_edge(row["method"])
    ]
    if not lead or not pairs or any(seen.seeds.clear(*pair) for pair in pairs):
        return ""
    if all(one.kind == "nothing" for one in told):
        return ""
    titles = listed(sorted({METHODS[other["method"]].title for _, other, _ in pairs}))
    return f"Reading edges is not shown to help: at no ε compared is a method that does clearly better than {titles}."


def _public(stretches: Sequence[Stretch], records: Sequence[RunRecord]) -> str:
    """How many of the private runs protect nobody; "" where nothing that adds noise is to be taken."""
    if all(one.kind in ("blind", "nothing") for one in stretches):
        return ""
    return protect_nobody([one.statement for one in records if one.statement])


def _networks(rows: Sequence[Row], test_nodes: int | None) -> tuple[Row, ...]:
    """Networks without privacy that were measured on as many nodes, the most accurate first; without a plain
    one, methods that read edges and have run without their noise."""
    same = [row for row in rows if row["unit"] == "none" and row["test_nodes"] == test_nodes]
    plain = [row for row in same if row["method"] == NETWORK]
    found = plain or [row for row in same if not reads_no_edge(row["method"])]
    return tuple(sorted(found, key=lambda row: -float(row["mean"])))
