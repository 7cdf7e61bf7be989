"""The row of a setting on the page Report: its score, how many of its runs are kept, what all of them
reached, and whether any of them was attacked or audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import METRIC, reached
from privgraph_workbench.reporting import Told
from privgraph_workbench.table_lines import most_audited
from privgraph_workbench.tables import noise_is_public
from privgraph_workbench.theme import EPSILONS, Epsilon
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.report import plain_names, sharing
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.measures import STORED, measure
from privgraph_workbench.words.numbers import between, percent, stated
from privgraph_workbench.words.statements import EVERY_EDGE, audited_bound

UNEXAMINED = "Not attacked, not audited"


def caption(held: Sequence[RunRecord], told: Mapping[str, Told], *, share: bool) -> list[str]:
    """What a row says below its title, in Markdown, line by line: how many of the runs are kept with the mean
    of all, where some are not, and what was examined; and the epsilons. With `share` no seed is named."""
    first = told.get(held[0].id)
    every = first.runs if first is not None else list(held)
    whole = ". ".join(filter(None, (part_of(held, every), examined(first, every, share=share))))
    return [one for one in (whole, epsilons(held, every, share=share)) if one]


def part_of(held: Sequence[RunRecord], every: Sequence[RunRecord]) -> str:
    """`1 of 3 runs; mean 2.0% (0.7% to 3.2%)`; "" where all runs of the setting are kept."""
    ids = {one.id for one in held}
    if all(one.id in ids for one in every):
        return ""
    said = f"{len(held)} of {len(ids | {one.id for one in every})} runs"
    measured = [one for one in every if METRIC in one.metrics]
    if not measured:
        return said
    over = reached(measured)
    sure = f" ({between(over.low, over.high)})" if over.low is not None and over.high is not None else ""
    return f"{said}; mean {percent(over.mean)}{sure}"


def examined(first: Told | None, every: Sequence[RunRecord], *, share: bool) -> str:
    """Whether any run of the setting was attacked or audited, and of which seeds where it is one of several;
    "" where that is not known."""
    if first is None:
        return ""
    attacked = {attack.run for attack in first.every_attack}
    audited = {one.id for one in every if one.epsilon_audited is not None}
    parts = [
        f"{what}{_seeds([one for one in every if one.id in ids], every, share=share)}"
        for what, ids in (("attacked", attacked), ("audited", audited))
        if ids
    ]
    said = ", ".join(parts)
    return f"{said[:1].upper()}{said[1:]}" if said else UNEXAMINED


def _seeds(which: Sequence[RunRecord], every: Sequence[RunRecord], *, share: bool) -> str:
    if len(every) < 2 or len(which) == len(every):
        return ""
    if share:
        return f" in {len(which)} of {len(every)} runs"
    return f" ({plain_names.seeds([one.spec.seed for one in which])})"


def lacking(held: Sequence[RunRecord], told: Mapping[str, Told]) -> list[str]:
    """The ids of the setting's runs that are not kept."""
    first = told.get(held[0].id)
    ids = {one.id for one in held}
    return [one.id for one in first.runs if one.id not in ids] if first is not None else []


def take_all(held: Sequence[RunRecord], told: Mapping[str, Told], place: int) -> None:
    """The button that takes the other runs of the setting as well; nothing where all are kept."""
    if not (more := lacking(held, told)):
        return
    fits = len(collected.everything()) + len(more) <= collected.MOST
    st.button(
        "Take all its runs",
        key=f"take_all.{place}",
        icon=":material/library_add:",
        type="tertiary",
        help="The report's mean is of all of them, and those in the list are told one by one"
        if fits
        else f"A report holds {collected.MOST} runs and figures at most",
        on_click=collected.take,
        args=(collected.runs(more),),
        disabled=not fits,
    )


def title(held: Sequence[RunRecord], graphs: Mapping[str, str], *, share: bool) -> str:
    """The setting with its graph, and its seeds where the report tells them, in Markdown. `graphs`: as
    `plain_names.graphs_of` has them."""
    name = plain_names.setting(held[0], graphs)
    many = f": {len(held)} runs" if len(held) > 1 else ""
    which = "" if share else f", {plain_names.seeds([one.spec.seed for one in held])}"
    return f"**{markup.literal(f'{name}{many}{which}')}**"


def public(said: str, held: Sequence[RunRecord]) -> str:
    """A caption, which begins with how many of these runs have public noise, where any has."""
    count = sum(map(noise_is_public, held))
    if not count:
        return said
    words = sharing.IS_PUBLIC if count == len(held) else f"noise of {count} of {len(held)} runs is public"
    return f"**{words.capitalize()}.** {said}"


def score(held: Sequence[RunRecord], several: int = 1) -> str:
    """The test score of these runs of one setting, their mean where they are several, and how many they are
    of its `several` runs."""
    scores = [one.metrics[STORED] for one in held if STORED in one.metrics]
    name = f"mean of {len(scores)}" if len(scores) > 1 else measure(held[0].spec.method)
    some = f"<span>{len(held)} of {several} runs</span>" if several > len(held) else ""
    return f"<b>{percent(sum(scores) / len(scores) if scores else None)}</b><span>{escape(name)}</span>{some}"


def epsilons(held: Sequence[RunRecord], every: Sequence[RunRecord] = (), *, share: bool = False) -> str:
    """Each epsilon of runs of one setting by its title, the largest over them, in Markdown; of an audit the
    largest over `every` run of the setting, with its seed."""
    said = [one.statement for one in held if one.statement is not None]
    if not said:
        return ""
    if naming.hides_edges_alone(held[0]):
        return f"{EPSILONS['sound'].label}: {EVERY_EDGE[1]}"
    sound = max(one.epsilon for one in said)
    found: list[tuple[Epsilon, str]] = [("sound", stated("sound", sound))]
    if naming.unit_of(held[0]) != "none":
        published = [one.epsilon_as_published for one in said if one.epsilon_as_published is not None]
        if published and max(published) != sound:
            found.append(("published", stated("published", max(published))))
        runs = list(every) or list(held)
        audited = most_audited(runs)
        if audited.epsilon_audited is not None:
            seed = f"seed {audited.spec.seed}" if len(runs) > 1 and not share else ""
            found.append(("audited", audited_bound(audited.epsilon_audited, seed)))
    private = " It was computed from private data." if any(one.data_dependent for one in said) else ""
    return " · ".join(f"{EPSILONS[kind].label}: {value}" for kind, value in found) + private
