"""What to take on a graph at which ε, as finished runs tell it, and what is behind that."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.options import OptionError, listed
from privgraph.registry import METHODS
from privgraph.runs.launch import capacity
from privgraph.runs.records import PENDING, RunQuery
from privgraph_workbench.facts import advised, advising, comparing, datasets, next_sweep, one_sentence
from privgraph_workbench.facts.row_words import at_sound, counted, sound_at, title_of, with_interval
from privgraph_workbench.facts.seedwise import MOST_SEEDS
from privgraph_workbench.facts.stretches import FEW_SEEDS, Stretch
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import carded, layout
from privgraph_workbench.views.runs import tabs
from privgraph_workbench.views.tradeoffs import files, like_own, preset, sending
from privgraph_workbench.views.tradeoffs.known import (
    Known,
    absent_words,
    known,
    pending,
    protection,
    rows_of,
    states,
)
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.numbers import duration, percent
from privgraph_workbench.words.statements import SAME_NOISE

SETTLING = "tradeoffs.settling"
"""The seeds that were asked for last: of which graph and unit, at which budgets, and their runs."""


def tells(graph: OneGraph, unit: str) -> bool:
    """Whether there is anything to say of this graph, and be it of one method."""
    found = known(graph, unit)
    return found is not None and found.said.methods > 0


def shared(graph: OneGraph, units: Sequence[str]) -> None:
    """Above what is said of several units: once, that the runs behind it protect nobody."""
    told = {unit: one for unit in units if (one := known(graph, unit)) is not None}
    for public in dict.fromkeys(one.said.public for one in told.values() if one.said.public):
        offered = preset.may(graph) and not pending(graph, "none", *units)
        _warned(public, own=not offered)
        if offered:
            _train_own(graph, next(unit for unit, one in told.items() if one.said.public == public))


def headline(graph: OneGraph, unit: str, units: Sequence[str] = ()) -> None:
    """What to take on this graph at which ε, as far as finished runs tell; the reasons when asked for. What
    holds of several `units` is said once, above them (`shared`) and below the table of the first."""
    found = known(graph, unit)
    if found is None:
        return
    if like_own.elsewhere(graph, found, (unit,), files.choices()):
        st.markdown(
            f"What is said of {markup.literal(graph.title)} does not carry over to your graph; what does, stands above."
        )
        return
    alone, first = len(units) < 2, not units or unit == units[0]
    lead(found.said, *_of_another(graph, found), alone=alone, public=_public_line(found, unit), on=graph)
    with layout.on_phone(2, f"table-{unit}"):
        every = [one.said for other in units or (unit,) if (one := known(graph, other)) is not None]
        table(found.said, every if first else ())
        if first:
            st.markdown(advising.CHOOSING)
        _beside(graph, unit, found)


def _beside(graph: OneGraph, unit: str, found: Known) -> None:
    """What may change, from which runs it is said, what they leave open, and the reasons when asked for."""
    if count := len(pending(graph, "none", unit)):
        those = "one run is" if count == 1 else f"{count:,} runs are"
        st.caption(f"**May change: {those} under way.** A run of the gallery that is trained anew counts when it ends.")
    if pooled := _pooled(graph, found):
        st.caption(pooled)
    _settled(graph, unit, found.said)
    if notes := _notes(found.said):
        st.caption(markup.literal(" ".join(notes)))
    if not found.said.settled:
        _elsewhere(graph, unit)
    with layout.fold("Why, and what each promises", f"why.{unit}", icon=":material/help_outline:") as part:
        if part.open:
            st.markdown(advised.reasons(found.said))
            st.caption(f"{advised.definitions(found.said)} {advising.BASIS}")
            if covered := advised.protection_words(found.said):
                st.caption(covered)
            _promises(found)


def _pooled(graph: OneGraph, found: Known) -> str:
    """That one's own runs and those of the gallery are counted together, why the figure counts more of one's
    own, and how to leave the gallery out; "" where it is one kind alone."""
    own = sum(not one.gallery for one in found.records)
    if own in (0, len(found.records)):
        return ""
    query = RunQuery(units=("none", found.said.unit), states=("done",))
    more = sum(not row["gallery"] for row in rows_of(query, graph)) - own
    others = f" ({more:,} more of yours, drawn beside, {'has' if more == 1 else 'have'} options that are not compared)"
    return (
        f"Said from {own:,} of your own runs{others * (more > 0)} and {len(found.records) - own:,} that came with the "
        "program together: the switch Gallery, at the top, leaves the latter out."
    )


def _of_another(graph: OneGraph, found: Known) -> tuple[str, str]:
    """Beside measures of one's own graph: which one this is said of, and why that does not carry over to
    one's own, or is not known to."""
    if like_own.too_far(graph, found) is None:
        return "", ""
    refused = like_own.refused(graph, found)
    return graph.title, f" {refused}" if refused else ""


def lead(
    said: advising.Verdict,
    graph: str = "",
    refused: str = "",
    *,
    alone: bool = True,
    public: str = "",
    on: OneGraph | None = None,
) -> None:
    """What is said above the table, and that the runs behind it protect nobody. graph: of which one, where
    that could be mistaken; refused: why it holds there alone; not `alone`: without what is said once of
    several units; public: in Markdown, what is reached where some nodes are public; `on`: the graph, where
    what has not run, or is not one's own, may be trained by a press of these words, unless runs of it are
    under way."""
    to_hide = f"{f'On {markup.literal(graph)}, to' if graph else 'To'} hide {advising.HIDES[said.unit]}"
    going = 0 if on is None else len(pending(on, "none", said.unit))
    to_hide = f"So far, with {counted(going, 'run')} under way: {to_hide}" if going else to_hide
    trains = on is not None and preset.may(on) and not going
    told = "" if not said.absent or trains else advising.not_run(said.absent) if on is None else absent_words(on, said)
    absent = f" {markup.literal(told)}" if told else ""
    if not said.methods or (said.thin and all(one.kind == "unsure" for one in said.stretches)):
        st.markdown(f"**{markup.literal(said.heading)}**")
    elif said.thin:
        found = markup.literal(advised.so_far(said))
        mark = "." if refused or not found else ":"
        st.markdown(f"**{to_hide}, of what has run here{mark}**{refused} {found}{absent}")
    else:
        answer = one_sentence.told(said)
        mark = "." if refused or (absent and not answer) else ":" if answer else ""
        answer = answer if mark == ":" else markup.sentence(answer)
        lead = f" {markup.literal(answer)}" if answer else ""
        st.markdown(f"**{to_hide}{mark}**{refused}{lead}{absent}")
        if public:
            st.markdown(public)
        if general := one_sentence.general(said):
            st.markdown(markup.literal(general))
    if said.closing:
        st.markdown(f"**{markup.literal(said.closing)}**")
    if said.public and alone:
        _warned(said.public, own=not trains)
    if on is not None and trains:
        with st.container(horizontal=True, gap="small"):
            _train_absent(on, said)
            if said.public and alone:
                _train_own(on, said.unit)


def table(said: advising.Verdict, meant: Sequence[advising.Verdict]) -> None:
    """A row for each stretch of budgets, and below it what the words of all these verdicts mean."""
    first = one_sentence.marked(said)
    carded.show(
        advised.head(said),
        [
            [(*group[0][:-1], protection(one)), *group[1:]]
            for group, one in zip(advised.table(said, yours=True), said.stretches, strict=True)
        ],
        label=f"What to take to hide {advising.HIDES[said.unit]}",
        first="ε ",
        marked=first.places,
    )
    why = [f"{carded.MARK} marks what is told above: {first.why}."] if first.places else []
    words = [advised.STRENGTHS] if meant and said.promised else []
    if small := [*why, *advised.beneath(said, verdicts=meant), *words]:
        st.caption("  \n".join(map(markup.literal, small)))


def _train_absent(graph: OneGraph, said: advising.Verdict) -> None:
    """Which methods have not run, as the way to their sweep."""
    if said.absent:
        fitting = comparing.fitting(graph.spec, said.unit)
        them = "them" if len(said.absent) > 1 else "it"
        label = f"{advising.not_run(said.absent).rstrip('.')}: train {them}"
        asked = preset.wanted(graph, said.unit, fitting, every=False)
        preset.button(label, f"absent.{said.unit}", graph, said.unit, asked)


def _train_own(graph: OneGraph, unit: str) -> None:
    """The way to one's own runs of what is taken."""
    found = known(graph, unit)
    if found is not None and (asked := next_sweep.rivals(found.table, found.said)):
        preset.button("Train your own before you release anything", f"own.{unit}", graph, unit, asked)


def _warned(public: str, *, own: bool) -> None:
    """That runs protect nobody; `own`: and what to do, where no button below says so."""
    st.markdown(f"**:red[{markup.literal(public)}]** {advising.SECRET if own else f'{SAME_NOISE}.'}")


def _public_line(found: Known, unit: str) -> str:
    """What is reached where some nodes are public, up to the ε that is told first, as a way to the part below
    that says so (`with_public`); "" where nothing is."""
    rows = found.public.rows
    if not rows:
        return ""
    budgets = [found.said.stretches[place].epsilons[-1] for place in one_sentence.marked(found.said).places]
    near = [row for row in rows if budgets and sound_at(row) <= max(budgets)]
    best = near[-1] if near else rows[0] if budgets else rows[-1]
    reached = markup.literal(f"{title_of(best)}, {percent(best['mean'])}{at_sound(best)}")
    return (
        f"Where some nodes are public: [{reached}](#{_anchor(unit)}) (another setting and other test nodes, not "
        "comparable)."
    )


def _anchor(unit: str) -> str:
    """Of the heading (`_heading`) of the part that says what is reached where some nodes are public."""
    return _heading(unit).lower().replace(" ", "-")


def _heading(unit: str) -> str:
    return f"To hide {advising.HIDES[unit]} where some nodes are public"


def with_public(graph: OneGraph, unit: str) -> None:
    """What has the highest means where some nodes are public, and the way to the runs of the last of them;
    that they protect nobody, where that is not said above."""
    all_known = known(graph, unit)
    if all_known is None or not (found := all_known.public).rows:
        return
    if like_own.elsewhere(graph, all_known, (unit,), files.choices()):
        return
    if found.public and not all_known.said.public:
        st.markdown(f"**:red[{markup.literal(found.public)}]**")
    told = [_highest(list(same), found) for _, same in groupby(found.rows, key=lambda row: _setting(row, found))]
    st.markdown("\n".join([f"##### {_heading(unit)}", "", "The highest means:", "", *told]))
    left = f"Left out: {found.left} more, whose sound ε is larger than the one asked for. " if found.left else ""
    st.caption(
        f"The highest of {found.tried} means that were seen, which flatters them: no test says that they are best. "
        f"{left}What is promised at an ε is promised at a larger one. Only private nodes that teach are hidden; test "
        "nodes are the method's own."
    )
    best = found.rows[-1]
    runs = str(best["runs"]).split()
    of = f"{markup.literal(title_of(best))}{at_sound(best)}"
    with st.container(horizontal=True):
        st.page_link(
            shell.page("runs"),
            label=f"The runs of {of}",
            icon=":material/arrow_forward:",
            query_params={"chosen": ",".join(runs)},
        )
        if best["method"] in comparing.LEADS:
            st.page_link(
                shell.page("teachers"),
                label=f"{of} on the page Teachers",
                icon=":material/school:",
                query_params={"run": runs[0]},
            )


def _notes(said: advising.Verdict) -> list[str]:
    """What stands in small print: which methods have not run is said above."""
    return [one for one in said.notes if not said.absent or one != advising.not_run(said.absent)]


def _setting(row: Row, found: comparing.WithPublic) -> str:
    words = found.words[row["runs"]]
    return title_of(row) + (f" ({words})" if words else "")


def _highest(same: Sequence[Row], found: comparing.WithPublic) -> str:
    """What one setting reaches at the first and the last of its budgets."""
    ends = same if len(same) == 1 else (same[0], same[-1])
    reached = ", ".join(f"{with_interval(row)}{at_sound(row)}" for row in ends)
    worth = meaning.strengths(sound_at(ends[0]), sound_at(ends[-1]), max(row["delta"] for row in ends))
    seeds, most = (bound(row["seeds"] for row in ends) for bound in (min, max))
    count = f"{seeds} seeds" if seeds == most else f"{seeds} to {most} seeds"
    return f"- {markup.literal(_setting(same[0], found))}: {reached}. {worth.capitalize()}; {count}."


def _elsewhere(graph: OneGraph, unit: str) -> None:
    """The way to a graph of which more is known, where there is one: of such the one with most methods."""
    others = {}
    for key, one in files.choices().items():
        if one.runs and one.people != graph.people and (found := known(one, unit)) is not None and found.said.settled:
            others[key] = one, found.said
    if not others:
        return
    key, (best, said) = max(others.items(), key=lambda one: (one[1][1].methods, len(one[1][1].stretches)))
    st.page_link(
        shell.page("tradeoffs"),
        label=f"More is known on {markup.literal(best.title)} ({said.methods} methods)",
        icon=":material/arrow_forward:",
        query_params={"data": key, "protects": unit},
    )


def _promises(found: Known) -> None:
    """What is promised by the methods that are taken, each in a line, with the way to all of it."""
    for one in found.promises:
        title = markup.literal(METHODS[one.method].title)
        st.caption(f"**{title}** {markup.literal(one.text)}")
        if one.run:
            st.page_link(
                shell.page("train"),
                label=f"The promise of {title} in full, of a run at ε {one.epsilon:g}",
                icon=":material/verified_user:",
                query_params={"run": one.run, tabs.OPENED: tabs.PROMISE},
            )


def more_seeds(graph: OneGraph, found: Known, unit: str) -> None:
    """The button that trains the seeds by which methods might be told apart; nothing where there are none, or
    no files to train on."""
    spec = graph.spec
    if left := _left_alike(found.said):
        st.markdown(left)
    if not found.more or files.absent(spec) or pending(graph, "none", unit):
        return
    held = states(tuple(found.more))
    missing = [one for run, one in found.more.items() if held.get(run) not in ("done", *PENDING)]
    if not missing:
        return
    try:
        facts = datasets.public_facts(spec, missing[0].data_options, "random")
    except (OptionError, DataError) as error:
        st.error(markup.sentence(error))
        return
    about = duration(comparing.seconds(missing, facts, found.records, capacity()))
    budgets = sorted({one.epsilon for stretch in found.said.stretches for one in stretch.needed})
    st.markdown(
        f"**ε {listed([f'{one:g}' for one in budgets])}: {FEW_SEEDS}.** More of the methods that may be best may "
        "settle it, or not, and read the same people again; each further look is one more chance of a wrong answer."
    )
    if st.button(
        f"Train {counted(len(missing), 'more run')} (about {about})", key=f"settle.{unit}", icon=":material/play_arrow:"
    ) and sending.send(missing, unit, "compare"):
        st.session_state[SETTLING] = (graph.people, unit, budgets, tuple(one.id for one in missing))
        st.rerun()


def _left_alike(said: advising.Verdict) -> str:
    """At which budgets no more seeds are offered, and by how much methods differ: in a tie, and where no
    affordable number of seeds is likely to tell; "" where there are none."""
    told = [
        f"**ε {one.budgets}: {one.word}.** {_ahead(one)}, at most {one_sentence.margin(said)} either way: take "
        f"{'either' if one.tied < 3 else 'any of them'}. No more seeds are offered for it."
        if one.word == "tie"
        else f"**ε {one.budgets}: {one.word}.** {_ahead(one)}; if seeds go on as they began, not even {MOST_SEEDS} of "
        "each method tell all of them apart."
        for one in said.stretches
        if one.alike
    ]
    return "  \n".join(told)


def _ahead(one: Stretch) -> str:
    """By how much the higher of the first two of a budget is above the other."""
    pair = sorted(one.candidates[:2], key=lambda held: -held.mean)
    first, second = (markup.literal(held.short) for held in pair)
    return f"{first} is {one.alike} above {second}"


def _settled(graph: OneGraph, unit: str, said: advising.Verdict) -> None:
    """What came of the seeds that were asked for last, once all are there."""
    people, of_unit, budgets, ids = st.session_state.get(SETTLING, (None, "", (), ()))
    if (people, of_unit) != (graph.people, unit) or queue.store().count(RunQuery(ids=ids, states=PENDING)):
        return
    done = queue.store().count(RunQuery(ids=ids, states=("done",)))
    if not done:
        st.markdown(f"**None of the {len(ids)} runs that you added got to its end:** nothing has changed.")
        return
    clear = {epsilon for one in said.stretches if one.clear for epsilon in one.epsilons}
    won = [f"{one:g}" for one in budgets if one in clear]
    told = f"the verdict is clear now at ε {listed(won)}" if won else "the verdict is still not clear"
    left = f" ({len(ids) - done} more did not get to their end)" if done < len(ids) else ""
    st.markdown(f"**With the {counted(done, 'run')} that you added{left} {told}.**")
