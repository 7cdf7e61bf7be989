"""All that stands in a report, as plain values. No Streamlit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import pandas as pd

from privgraph import __version__
from privgraph.attacks.record import AttackRecord
from privgraph.privacy.statement import PrivacyStatement, audited_of
from privgraph.privacy.statements import Said, lines, statement_text
from privgraph.registry import METHODS
from privgraph.runs.examples import open_store
from privgraph.runs.final_statement import NOISE_IS_PUBLIC, has_public_noise
from privgraph.runs.records import EXAMPLE, RunQuery, RunRecord, Unreadable
from privgraph.runs.store import RunStore
from privgraph_workbench import summary
from privgraph_workbench.facts import plans
from privgraph_workbench.figures import figure_of
from privgraph_workbench.leaks import with_bounds
from privgraph_workbench.report.asked import Asked, clean, visible
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words.naming import titled
from privgraph_workbench.words.numbers import rounded_delta, stated

FIRST = 10
"""Settings on the first page."""
FORMS: Mapping[str, Callable[[Any], str]] = {
    "asked": "{:g}".format,
    "mean": "{:.1%}".format,
    "epsilon": partial(stated, "sound"),
    "epsilon_as_published": partial(stated, "published"),
    "epsilon_audited": partial(stated, "audited"),
    "delta": rounded_delta,
    "attack": "{:.3f}".format,
}
"""How numbers are told to people: bounds are rounded so that none says more than holds."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What templates and files are made of."""

    words: Mapping[str, Any]
    """What both templates read as it is: the author's words, headings, methods and the legend."""
    table: pd.DataFrame
    """The columns of `[settings]` in text/columns.toml, and `noise`."""
    cells: Sequence[Sequence[str]]
    """The same for people, under `columns`."""
    columns: Sequence[str]
    statements: Mapping[str, PrivacyStatement]
    """By setting."""
    figures: Sequence[Mapping[str, Any]]
    papers: Sequence[str]
    """Names of methods, attacks, audits and data sets."""
    commands: str
    """A line of the shell for each setting, which draws seeds of its own."""
    settings: Sequence[Mapping[str, Any]]
    """For the notebook."""


def context(asked: Asked, store: RunStore) -> Context:
    """Read the settings of the runs behind the entries, and put everything into words and cells."""
    shown = asked.shown
    ids = tuple(dict.fromkeys(run for one in shown for run in one.runs))
    stores = [store, open_store()] if any(run.startswith(EXAMPLE) for run in ids) else [store]
    query = RunQuery(ids=ids, states=("done",))
    held = [(each, one) for each in stores for one in (each.find(query) if ids else ()) if not one.unreadable]
    examined = any(one.examines for one in shown)
    attacks = [attack for each, one in held for attack in _attacks(each, one.id)]
    records = {one.id: _with_bounds(one, attacks) for _, one in held}
    table = summary.settings(summary.of_records(records.values()), attacks)
    members = [[records[run] for run in runs] for runs in table.pop("runs")]
    table = table if examined else table.drop(columns=["attack", "attack_low", "attack_high"])
    said = [_statement(one) for one in members]
    private = [one is not None and one.unit != "none" for one in said]
    public = [one is not None and has_public_noise(one) for one in said]
    table["noise"] = [("public" if open_ else "secret") * known for known, open_ in zip(private, public, strict=True)]
    rows = [{**row, "graph": titled(row["graph"].partition(" (")[0], row["graph"])} for row in table.to_dict("records")]
    made = [_cells(row) for row in rows]
    columns = {name: one for name, one in texts("report")["columns"].items() if any(row.get(name) for row in made)}
    cells = [[visible(row[name]) for name in columns] for row in made]
    labels = pd.Series([_label(row) for row in rows], dtype="str")
    again = labels.groupby(labels).cumcount() + 1
    labels = labels.where(again == 1, labels + " (" + again.astype("str") + ")")
    statements = {label: one for label, one in zip(labels, said, strict=True) if one is not None}
    for entry in shown:
        known = list(statements.values())
        statements |= {visible(label): one for label, one in entry.held.items() if one not in known}
    titles = table.title.where(table.noise != "public", table.title + ", example")
    methods = [name for name in METHODS if any(one[0].spec.method == name for one in members)]
    legend = {**texts("columns")["settings"], **texts("columns")["report"]}
    return Context(
        words={
            **{name: visible(getattr(asked, name)).strip() for name in ("title", "author", "date")},
            "remarks": [one.strip() for one in visible(asked.remark).split("\n\n") if one.strip()],
            "headings": _headings(len(cells) - FIRST),
            "first": FIRST,
            "appendix": asked.appendix,
            "protected": _protected(statements, dict(zip(labels, titles, strict=True))),
            "methods": [(METHODS[one].title, METHODS[one].about, METHODS[one].paper) for one in methods],
            "legend": [(name, legend[name]) for name in table.columns],
        },
        table=table,
        cells=cells,
        columns=[*columns.values()],
        statements=statements,
        figures=[
            {
                "figure": one.figure,
                "file": f"figures/{place:02d}-{one.figure}",
                "title": visible(one.title).strip() or figure_of(one.figure).title,
                "caption": visible(one.caption).strip(),
                "alt": figure_of(one.figure).chart(one.rows).caption,
                "evaluator": one.examines,
                "rows": clean(list(one.rows)),
                "statements": one.held,
            }
            for place, one in enumerate((one for one in shown if one.figure), start=1)
        ],
        papers=sorted(
            {
                *_named(records.values()),
                *(str(row["attack"]) for one in shown for row in one.rows if one.examines and row.get("attack")),
            }
        ),
        commands="\n".join(
            [
                "#!/bin/sh",
                "first=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')",
                *(plans.command_line(one[0].spec, f'"$first-$((first + {_seeds(one) - 1}))"') for one in members),
                "",
            ]
        ),
        settings=[_spec(one) for one in members],
    )


def _headings(more: int) -> dict[str, str]:
    told = dict(texts("report")["headings"])
    told["made"] = fill(told["made"], version=__version__)
    told["more"] = fill(told["more"], count=more) if more > 0 else ""
    return told


def _with_bounds(record: RunRecord, attacks: Sequence[AttackRecord]) -> RunRecord:
    """The run, with the largest bound that attacks on it have shown."""
    if record.statement is None:
        return record
    return replace(
        record, **audited_of(with_bounds(record.statement, [one for one in attacks if one.run == record.id]))
    )


def _attacks(store: RunStore, run: str) -> Sequence[AttackRecord]:
    try:
        return store.attacks(run)
    except Unreadable:
        return ()


def _statement(runs: Sequence[RunRecord]) -> PrivacyStatement | None:
    """Of the runs of a setting, the one that promises least and has been shown to hold least."""
    held = [one.statement for one in runs if one.statement is not None]
    return max(held, key=lambda one: (one.epsilon, one.epsilon_audited or 0.0), default=None)


def _protected(statements: Mapping[str, PrivacyStatement], titles: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Unit, relation, release, known faults and a public key in the statement's own words, each once."""
    held: dict[tuple[str, ...], list[str]] = {}
    for label, one in statements.items():
        told = list(lines(one))
        said = [*islice((text for kind, text in told if kind is Said.TERMS), 3)]
        said += [text for kind, text in told if kind is Said.FAULT]
        said += [text for _, text in told if NOISE_IS_PUBLIC in text]
        held.setdefault(tuple(clean(said)), []).append(titles.get(label, label))
    return [(", ".join(dict.fromkeys(labels)), list(said)) for said, labels in held.items()]


def _label(row: Mapping[Any, Any]) -> str:
    asked = "" if pd.isna(row["asked"]) else f"ε {row['asked']:g}"
    unit = "" if row["unit"] == "none" else row["unit"]
    example = "example" if row["source"] == "example" else ""
    return visible(", ".join(filter(None, (row["title"], row["graph"], unit, asked, row["variant"], example))))


def _cells(row: Mapping[Any, Any]) -> dict[str, str]:
    told = {**row, "interval": None if pd.isna(row["low"]) else f"{row['low']:.1%} to {row['high']:.1%}"}
    told |= {"delta": None} if row["unit"] == "none" else {}
    return {name: "" if pd.isna(value) else FORMS.get(name, str)(value) for name, value in told.items()}


def _named(records: Iterable[RunRecord]) -> Iterable[str]:
    for one in records:
        conv = one.spec.options.get("conv")
        yield from (one.spec.dataset, f"gnn {conv}" if one.spec.method == "gnn" else one.spec.method)
        if one.statement is not None and one.statement.audited_by:
            yield one.statement.audited_by


def _seeds(runs: Sequence[RunRecord]) -> int:
    return len({one.spec.seed for one in runs})


def _spec(runs: Sequence[RunRecord]) -> dict[str, Any]:
    spec = runs[0].spec
    told = {"method": spec.method, "on": spec.dataset, "split": spec.split, "data_options": dict(spec.data_options)}
    return {"spec": told, "options": dict(spec.options), "seeds": _seeds(runs)}


def full(statements: Mapping[str, PrivacyStatement]) -> dict[str, list[str]]:
    """Each statement in words, a line each, by setting."""
    return {label: clean(statement_text(one).split("\n")) for label, one in statements.items()}
