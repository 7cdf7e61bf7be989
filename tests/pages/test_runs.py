"""The page Runs: find, choose, compare, tag, stop, repeat, delete."""

from typing import Any

from streamlit.testing.v1 import AppTest
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import keep, spec
from tests.pages.reading import Open, drawn, exported, keys
from tests.workbench.test_every_seed_counts import another, seeds, statements

from privgraph.privacy.rounding import upper
from privgraph.runs.records import RunQuery
from privgraph.runs.store import RunStore
from privgraph_workbench import summary
from privgraph_workbench.facts import composition
from privgraph_workbench.figures.runs import compare
from privgraph_workbench.parts import run_rows
from privgraph_workbench.words.numbers import stated


def rows_of(app: AppTest) -> list[dict[str, Any]]:
    """The rows of the list."""
    rows: list[dict[str, Any]] = next(one["rows"] for one in drawn(app) if "rows" in one)
    return rows


def table_of(app: AppTest) -> list[str]:
    """The ids in the list, in order."""
    return [run["id"] for row in rows_of(app) for run in row["runs"]]


def columns(app: AppTest, place: int = 0) -> dict[str, dict[str, str]]:
    """A table that is drawn side by side, by its columns."""
    found: dict[str, dict[str, str]] = app.table[place].value.to_dict()
    return found


def test_filters_live_in_the_address(opened: Open, store: RunStore) -> None:
    gap = keep(store, spec("gap", epsilon=2.0), tags=["mine"])
    mlp = keep(store, spec("mlp", unit="none"), accuracy=0.9)
    waiting = keep(store, spec("progap"), state="queued")
    assert table_of(opened("runs")) == [waiting, mlp, gap]
    assert table_of(opened("runs", of_method=["gap", "mlp"])) == [mlp, gap]
    assert table_of(opened("runs", of_state="queued")) == [waiting]
    assert table_of(opened("runs", of_unit="none")) == [mlp]
    assert table_of(opened("runs", tagged="mine")) == [gap]
    assert table_of(opened("runs", find="mine")) == [gap]
    assert table_of(opened("runs", order="test accuracy"))[0] == mlp
    assert table_of(opened("runs", find="epsilon=2 method=gap")) == [gap]
    nothing = opened("runs", find="no such run")
    assert not nothing.get("bidi_component")
    nothing.button(key="clear_filters").click().run()
    assert len(table_of(nothing)) == 3
    assert "clear_filters" not in keys(nothing)


def test_seeds_of_a_setting_share_a_row(opened: Open, store: RunStore) -> None:
    runs = [keep(store, spec(epsilon=2.0, seed=seed), accuracy=0.6 + 0.1 * seed) for seed in range(3)]
    other = keep(store, spec(epsilon=4.0), accuracy=0.65)
    two, one = rows_of(opened("runs", order="oldest"))
    assert [run["id"] for run in two["runs"]] == runs
    assert [run["text"] for run in two["runs"]] == ["60.0%", "70.0%", "80.0%"]
    assert (two["accuracy"], two["spread"]) == ("70.0%", "45.2 – 94.8"), "Student's interval of three"
    assert (one["accuracy"], one["spread"], one["runs"][0]["id"]) == ("65.0%", "", other), "one seed has no interval"
    best = rows_of(opened("runs", order="test accuracy"))
    assert [row["accuracy"] for row in best] == ["70.0%", "65.0%"], "ordered by the mean, though a run has 60%"


def test_audits_are_listed_and_what_they_refute_is_found(opened: Open, store: RunStore) -> None:
    run, other = (keep(store, spec("dp-mlp", unit="node", epsilon=one, batch_size=8)) for one in (8.0, 0.1))
    assert not [one for one in opened("runs").toggle if one.key == "refuted"]
    said = store.get(other).statement
    store.add_audit(other, made_audit(other, delta=said.delta))
    bound = store.get(other).epsilon_audited
    assert bound > said.epsilon
    app = opened("runs")
    by_run = {row["runs"][0]["id"]: {one["kind"]: one for one in row["epsilons"]} for row in rows_of(app)}
    assert stated("audited", bound) in by_run[other]["audited"]["text"]
    assert by_run[other]["sound"]["refuted"]
    assert not by_run[run]["sound"]["refuted"]
    app.toggle(key="refuted").set_value(True).run()
    assert table_of(app) == [other]


def test_chosen_settings_stand_side_by_side_by_their_means(opened: Open, store: RunStore) -> None:
    chosen = [
        keep(store, spec(epsilon=epsilon, seed=seed, depth=depth), accuracy=start + 0.01 * seed)
        for epsilon, depth, start in ((2.0, 1, 0.6), (4.0, 2, 0.7))
        for seed in range(3)
    ]
    app = opened("runs", chosen=",".join(chosen))
    first, second = columns(app).values()
    assert first["test accuracy"] == "61.0% (58.5% to 63.5%)"
    assert (first["options"], second["options"]) == ("depth 1", "depth 2")
    records = [store.get(run) for run in chosen[:3]]
    assert first["sound ε"] == stated("sound", max(one.statement.epsilon for one in records if one.statement))
    names = {one.get("name") for one in drawn(app)}
    assert {"compare.compared", "curves.compared"} <= names


def test_what_chosen_runs_cost_together_counts_all_of_them(opened: Open, store: RunStore) -> None:
    """Six of them are drawn; whoever sees the results of ten has been shown ten."""
    chosen = [keep(store, spec(epsilon=2.0, depth=depth % 5 + 1, seed=depth)) for depth in range(10)]
    app = opened("runs", chosen=",".join(chosen))
    (told,) = composition.together([store.get(run) for run in chosen])
    assert told["private runs"] == "10"
    shown = app.table[1].value.to_dict("records")[0]
    assert shown["sound ε of all"] == told["sound ε of all"]
    assert not opened("runs", chosen=keep(store, spec("mlp", unit="none"))).table


def test_a_live_run_is_not_deleted_but_stopped(opened: Open, store: RunStore) -> None:
    run = keep(store, spec(), state="running")
    app = opened("runs", chosen=run)
    app.button(key="delete_chosen").click().run()
    app.button(key="delete_yes").click().run()
    assert len(app.error) == 1
    assert store.count() == 1
    app = opened("runs", chosen=run)
    app.button(key="stop_chosen").click().run()
    assert store.get(run).state == "stopping"


def stated_in(record: dict[str, Any]) -> set[float]:
    """The sound epsilons of the statements in the JSON file of a figure."""
    return {float(one["epsilon"]) for one in record["statements"].values()}


def test_files_of_several_runs_carry_the_statement_of_each(opened: Open, store: RunStore) -> None:
    runs = seeds(store)
    app = opened("train", run=runs[0].id)
    app.session_state[f"tabs.{runs[0].id}"] = "Curves"
    app.run()
    assert stated_in(exported(app)["curves"]) == {statements()[0].epsilon}
    beside = exported(opened("runs", chosen=",".join(one.id for one in (*runs, another(store)))))
    whole = {one.epsilon for one in statements()}
    for figure in ("compare", "curves"):
        assert whole < stated_in(beside[figure]), "and that of the other"
        assert len(stated_in(beside[figure])) == len(whole) + 1


def told_and_true(store: RunStore) -> tuple[set[str], str, str]:
    """The sound epsilon by all tables, the true one, and the one asked for, by a published formula."""
    run = keep(store, spec("gap", unit="edge", epsilon=2.0, accounting="published"))
    (found,), (record,) = store.find_rows(RunQuery(ids=(run,)), graphs=True), store.find(RunQuery(ids=(run,)))
    told = {run_rows.rows([[found]], {})[0]["epsilons"][0]["text"], upper(found["sound_epsilon"])}
    told |= {upper(row["epsilon"]) for row in compare.data([record])}
    told |= set(map(upper, summary.of_records([record]).epsilon))
    return told, upper(record.statement.epsilon), upper(found["epsilon"])


def test_every_table_of_runs_tells_the_sound_epsilon_and_not_what_was_asked_for(store: RunStore) -> None:
    told, true, asked = told_and_true(store)
    assert told == {true} != {asked}
