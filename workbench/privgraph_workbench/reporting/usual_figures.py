"""The figures of a report for which nobody chose any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import sides
from privgraph_workbench.facts import advised
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting.asked import Drawn, Told
from privgraph_workbench.reporting.own_setting import (
    setting,
)
from privgraph_workbench.words import caveats
from privgraph_workbench.words.attacks import with_bounds
from privgraph_workbench.words.naming import (
    run_labels,
    statements_of,
)

MOST_COMPARED = 6
"""Settings that are drawn side by side, at most."""


def usual(runs: Sequence[Told]) -> list[Drawn]:
    """The figures of runs that nobody chose figures for: of several the trade-off and a comparison of their
    settings, each over all its seeds; and the attacks on the runs of each. What shows a run alone stands in
    its chapter."""
    records = [one.record for one in runs]
    found: list[Drawn] = []
    if len(records) > 1:
        every = list({held.id: held for told in runs for held in (*told.same, told.record)}.values())
        first = list(dict.fromkeys(map(setting, every)))[:MOST_COMPARED]
        compared = [record for record in every if setting(record) in first]
        for figure, rows, held in (
            ("tradeoff", tradeoff.data(every), every),
            ("compare", [{**row, "seconds": None} for row in compare.data(compared)[:MOST_COMPARED]], compared),
        ):
            advice = advised.of_runs(held) if figure == "tradeoff" else ""
            found.append(Drawn(figure=figure, rows=rows, statements=statements_of(held), runs=held, advice=advice))
    return [one for one in (*found, *_attack_figures(runs)) if one.rows]


def _attack_figures(runs: Sequence[Told]) -> Iterator[Drawn]:
    """The attacks on the runs of each setting in one figure."""
    records = [one.record for one in runs]
    labels = dict(zip((one.id for one in records), run_labels(records), strict=True))
    groups: dict[str, list[Told]] = {}
    for one in runs:
        if one.attacks:
            groups.setdefault(setting(one.record), []).append(one)
    firsts = [held[0].record for held in groups.values()]
    called = run_labels(firsts, seeds=False) if len(set(map(setting, records))) > 1 else [""] * len(firsts)
    for held, together in zip(groups.values(), called, strict=True):
        pairs = [(one.record, attack) for one in held for attack in one.attacks]
        asked = {sides(attack.attack).asks for _, attack in pairs}
        question = f"{attack_roc.TITLE}:" if len(asked) > 1 else f"{asked.pop()}?".capitalize()
        name = labels[held[0].record.id] if len(held) == 1 else ", ".join(filter(None, (together, f"{len(held)} runs")))
        yield Drawn(
            figure="attack_roc",
            rows=attack_roc.data(
                [attack for _, attack in pairs],
                "log",
                [f"{labels[record.id]}: {attack.title}" for record, attack in pairs],
                ["none" if record.statement is None else record.statement.unit for record, _ in pairs],
                caveats=caveats.pairs(pairs),
            ),
            statements=_attacked(held),
            runs=[one.record for one in held],
            title=f"{question} {name}" if len(runs) > 1 else "",
        )


def _attacked(runs: Sequence[Told]) -> dict[str, PrivacyStatement]:
    """The statements of runs with what the attacks on each have shown."""
    attacks = {one.record.id: one.attacks for one in runs}
    return statements_of([one.record for one in runs], lambda record, own: with_bounds(own, attacks[record.id]))
