"""All finished runs of teachers side by side, those whose answers were not kept too."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import guarantees
from privgraph_workbench.facts.teacher_settings import COLUMNS
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import teachers_compared
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.teachers.answered import TABLE
from privgraph_workbench.views.teachers.tabs import OPENS, VOTES
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import kept, number, with_interval

CHOOSE = (
    "**Choose a row to open it:** on this page where its *answers are kept* (what the teachers said, query by "
    "query, is stored with the run), and on the page Runs otherwise, where only results were stored."
)

NO_VOTES = (
    "A table release has no votes to open: no teacher votes in it. One noisy table of the private nodes goes out, and "
    "each answer is worked out from it. Here results alone were kept."
)


def show(found: Sequence[RunRecord], answered: Collection[str], opened: RunRecord | None) -> None:
    """Which setting is the most accurate at which epsilon, as a sentence, a figure and a row a method; folded
    below it how sure that is, and all settings: a row opens a run of it here where its answers were kept
    (`answered`), and all of its runs on the page Runs otherwise. That of the run `opened` is marked."""
    rows = teachers_compared.data(found, "" if opened is None else opened.id)
    if not rows:
        st.caption("No finished run with teachers guarantees anything yet.")
        return
    said = teachers_compared.highest_words(rows)
    for one in said:
        st.markdown(markup.literal(one))
    if not said:
        st.markdown("No setting has a sound ε of at most 8.")
    if differing := guarantees.differ(rows):
        st.markdown(f"**Unlike promises.** {markup.literal(differing)}")
    _to_highest(rows, answered)
    held = {run for row in rows for run in str(row["runs"]).split()}
    shown = [one for one in found if one.id in held]
    if opened is not None:
        drawn_figure("teachers_compared", rows, statements_of(shown), opened, "-compared", runs=shown)
        notes = [one for one in teachers_compared.chart(rows).notes if one != differing]  # said above
        st.caption(markup.literal(" ".join(notes)))
    if said:
        st.table(_of_each(rows), hide_index=True, alt="The most accurate setting of each method up to each epsilon")
        with layout.fold("How far is each below the highest?", "compared_apart", icon=":material/difference:") as part:
            if part.open:
                st.table(
                    _best_of_each(rows),
                    hide_index=True,
                    alt="How far the best of each method is below the highest, up to each epsilon",
                )
    with layout.fold(f"All {len(rows):,} settings", "compared_all", icon=":material/table_rows:") as part:
        if part.open:
            _all(rows, answered, _left_out(found, held))


def _all(rows: Sequence[Row], answered: Collection[str], left_out: str) -> None:
    """Every setting as a row that opens it."""
    st.markdown(CHOOSE)
    picked = st.dataframe(
        [_line(row, answered) for row in rows],
        hide_index=True,
        alt="Accuracy of each setting of each method with teachers, the most accurate first",
        on_select="rerun",
        selection_mode="single-row",
        key="compared",
        column_config={
            "weights": st.column_config.TextColumn(help="How much votes count, where teachers vote by weight"),
            "release": st.column_config.TextColumn(help="What goes out for a query, or once for all"),
            "queries": st.column_config.TextColumn(help="As many as were wanted; one of each public node at most"),
            "teachers": st.column_config.TextColumn(help="How many vote on a query; —: private nodes, or a table"),
            "answers kept": st.column_config.TextColumn(help="Whether a row opens here, query by query"),
        },
    )
    if left_out:
        st.caption(left_out)
    places = picked["selection"]["rows"]
    if places and places[0] < len(rows):
        _open(str(rows[places[0]]["runs"]).split(), answered)


def _to_highest(rows: Sequence[Row], answered: Collection[str]) -> None:
    """The way to the first run of each setting that measured highest: here where its answers were kept, and
    to its results otherwise."""
    several = len({row["graph"] for row in rows}) > 1
    first = {str(found[0]["runs"]): found[0] for _, _, found in teachers_compared.by_budget(rows)}
    untold = False
    for runs, row in first.items():
        here = next((run for run in runs.split() if run in answered), None)
        graph = f", {markup.literal(str(row['graph']))}" if several else ""
        told = "Highest" if here else "Results only, opens Train"
        st.page_link(
            shell.page("teachers" if here else "train"),
            label=f"{told}: {markup.literal(str(row['title']))}, "
            f"{EPSILONS['sound'].title} {kept(row['asked'], row['epsilon'])}{graph}",
            icon=":material/how_to_vote:" if here else ":material/open_in_new:",
            query_params={"run": here, "tab": VOTES} if here else {"run": runs.split()[0]},
        )
        untold |= not here and row["release"] == TABLE
    if untold:
        st.caption(NO_VOTES)


def _of_each(rows: Sequence[Row]) -> list[dict[str, str]]:
    """A row a method: its best up to each epsilon, and under which delta and relation these hold."""
    several, told = len({row["graph"] for row in rows}) > 1, []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        held = [row for row in rows if row["graph"] == graph]
        for first in teachers_compared.leaders(held, teachers_compared.BUDGETS[-1]):
            own = [row for row in held if row["title"] == first["title"]]
            best = {budget: teachers_compared.best(own, budget) for budget in teachers_compared.BUDGETS}
            told.append(
                {
                    **({"graph": str(graph)} if several else {}),
                    "method: its best (95% over seeds)": str(first["title"]),
                    **{
                        f"{EPSILONS['sound'].title} ≤ {number(budget)}": "—" if row is None else with_interval(row)
                        for budget, row in best.items()
                    },
                    **guarantees.columns(best),
                }
            )
    return told


def _best_of_each(rows: Sequence[Row]) -> list[dict[str, str]]:
    """The best of each method up to each epsilon, and whether the highest is told apart from it."""
    several, told = len({row["graph"] for row in rows}) > 1, []
    for graph, budgets, found in teachers_compared.by_budget(rows):
        for row in found:
            one = teachers_compared.apart(found[0], row)
            below = "highest measured" if row is found[0] else teachers_compared.apart_words(one)
            told.append(
                {
                    **({"graph": str(graph)} if several else {}),
                    f"{EPSILONS['sound'].title} at most": teachers_compared.span(budgets),
                    "method": str(row["title"]),
                    "its best (95% over seeds)": with_interval(row),
                    "below the highest": below,
                    "told apart": "" if row is found[0] else "yes" if one.told else "no",
                }
            )
    return told


def _left_out(found: Sequence[RunRecord], held: Collection[str]) -> str:
    """How many runs are not compared, for nothing is guaranteed in them."""
    count = sum(one.id not in held and "test_accuracy" in one.metrics for one in found)
    return f"Left out: {count:,} run{'s' * (count > 1)} without a finite ε." if count else ""


def _line(row: Row, answered: Collection[str]) -> dict[str, object]:
    runs = str(row["runs"]).split()
    return {
        "": "open" if row["open"] else "",
        "graph": row["graph"],
        "method": row["title"],
        EPSILONS["sound"].title: kept(row["asked"], row["epsilon"]),
        "δ": guarantees.delta(row),
        "neighbouring datasets": guarantees.relation(row),
        "accuracy (95% over seeds)": with_interval(row),
        "seeds": row["seeds"],
        **{column: row[column] for column in COLUMNS},
        "also": row["also"],
        "answers kept": "yes" if any(run in answered for run in runs) else "no",
        "may be released": row["released"],
    }


def _open(runs: Sequence[str], answered: Collection[str]) -> None:
    here = next((run for run in runs if run in answered), None)
    if here is None:
        st.switch_page(shell.page("runs"), query_params={"chosen": ",".join(runs)})
    del st.session_state["compared"]  # or the row would open again whenever the page is drawn
    st.query_params["run"], st.session_state[OPENS] = here, VOTES
    st.rerun()
