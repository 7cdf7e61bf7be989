"""Whose noise the runs of a setting have. What was trained here and what came with the program have one
setting, and equal ids where their seeds are equal: a mean over both is of no use to anybody, and whoever
knows the gallery finds the seed of a run of one's own as the one that the gallery's runs beside it lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.expecting import reached
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting import advice_again, anew, not_drawn, of_gallery
from privgraph_workbench.reporting.asked import NOTHING_LEFT, Asked, Drawn, Told
from privgraph_workbench.reporting.own_setting import (
    CAME,
    GALLERY,
    MADE,
    OWN,
    PUBLIC,
    SECRET,
    goes,
    noise_of,
    origin_of,
    own_alone,
    setting,
    unmixed,
)
from privgraph_workbench.reporting.seedless import by_results
from privgraph_workbench.words import naming
from privgraph_workbench.words.naming import describe, statements_of, variants

LEFT_OUT = (
    "Runs with public noise, and the gallery's without noise, are left out for others where their setting has runs of "
    "one's own: which seeds are among them would tell those of the others."
)
"""What stands below a figure of one's own runs of a setting that the gallery has, whether or not any is left
out: else it would tell whether seeds are equal."""
STANDS_APART = (
    "Runs with noise of one's own key and the gallery's of the same setting stand apart here: the page Trade-offs has "
    "one mean of both."
)
"""What stands below a trade-off for oneself: its numbers are not those that its author has seen."""
ASIDE = (
    "For others the gallery's runs of a setting that has runs of one's own, too, stand apart from these, and all of "
    "them, whichever seeds were trained here."
)
"""What stands there where these were put beside one's own."""
BARE_OUT = (
    "The gallery's runs without noise are left out for others where their setting has runs of one's own: which seeds "
    "are among them would tell those of the others."
)
"""What of the first holds beside the second."""
_CURVE = ("method", "graph", "unit", "variant", "budget")
"""By which rows are of one curve."""


def apart(asked: Asked) -> Asked:
    """What is reported, each row of a figure over runs of one kind of noise, and its advice by the runs that
    it shows. For others, of a setting with both kinds those with secret noise alone, and in a trade-off all
    that came with the program beside them. Raises `OptionError` where nothing is left."""
    mixed = asked.mixed if asked.share else frozenset()
    figures = [not_drawn.told(figure(one, mixed, share=asked.share), asked) for one in asked.figures]
    figures = [one for one in figures if one.rows]
    runs = [one for one in asked.runs if not goes(one.record, mixed)]
    if not runs and not figures:
        raise OptionError(NOTHING_LEFT)
    return replace(asked, runs=[alone(one) for one in runs] if asked.share else runs, figures=figures)


def figure(one: Drawn, mixed: Container[str], *, share: bool = False) -> Drawn:
    """A figure as a report has it that leaves out what came with the program of these settings; without rows
    where nothing is left. For others its advice is that of the page still: `fixed` makes it anew, by what is
    left then."""
    if not share:
        one = _with_displaced(_standing(one))
        whole = split(one, mixed)
        if whole is not one and one.figure == "tradeoff" and STANDS_APART not in one.left_out:
            whole = replace(whole, left_out=" ".join(filter(None, (one.left_out, STANDS_APART))))
        return _with_advice(_without(whole, mixed))
    if one.figure == "expected" and _shares(one, mixed):  # whether the gallery's are behind it, too, hangs on seeds
        return replace(one, rows=[])
    whole = split(_standing(one, share=True), mixed)
    left = _without(whole, mixed)
    both = _with_gallery(left, whole, mixed)
    return _shared(both, mixed, aside=both is not left)


def _standing(one: Drawn, *, share: bool = False) -> Drawn:
    """Where the accuracy of a run stands, beside runs with noise of its kind alone: a page has all of them,
    and the statement is that of the run. For others also beside levels of one kind, and one's own where the
    gallery has the setting: it would tell whether these have all of its seeds."""
    if one.figure != "standing":
        return one
    mine = next((row for row in one.rows if row.get("mine")), None)
    record = next((run for run in one.runs if mine is not None and run.spec.seed == mine["seed"]), None)
    told = next((told for told in one.beside if record and setting(told.record) == setting(record)), None)
    if mine is None or record is None or told is None or not told.stands or not (share or noise_of(record)):
        return one
    stands = alone(told).stands if share else told.stands
    like = [run for run in one.runs if setting(run) == setting(record)]
    return replace(
        one,
        rows=[{**row, "mine": row["seed"] == mine["seed"]} if row["kind"] == "seed" else row for row in stands],
        runs=own_alone(like) if share else like,
        beside=[told],
    )


def _with_gallery(one: Drawn, before: Drawn, mixed: Container[str]) -> Drawn:
    """The trade-off with all that came with the program of the settings that one's own runs have, too, as
    curves of their own: the same whichever seeds these have. Only where the gallery stands in it anyway
    (`before`, with all its runs) by settings of which no run is one's own: else nobody asked for it."""
    theirs = any(origin_of(run) in CAME and naming.setting(run) not in mixed for run in before.runs)
    if one.figure != "tradeoff" or not theirs:
        return one
    noisy = [run for run in before.runs if noise_of(run)]
    runs, attacks = of_gallery.shipped(run for run in noisy if noise_of(run) == SECRET or naming.setting(run) in mixed)
    if not runs:
        return one
    fresh = {_setting_of(runs, held): row for held, row in anew.by_runs(one.figure, before.rows, runs).items()}
    like = {_setting_of(noisy, _ids(row)): row for row in before.rows}
    told = {
        key: {name: row.get(name, like[key][name]) for name in like[key]} for key, row in fresh.items() if key in like
    }
    rows: list[Row] = []
    for row in one.rows:
        new = told.pop(_setting_of(noisy, _ids(row)), None)
        rows += [row] if new is None else [row, new]
    rows += told.values()
    runs = [run for run in runs if naming.setting(run) in like]
    every = [*one.runs, *runs]
    whole = one.statements.keys() == statements_of(one.runs).keys()
    return replace(
        one,
        rows=rows,
        runs=every,
        statements=statements_of(every) if whole else {**one.statements, **statements_of(runs)},
        beside=[*one.beside, *_of_settings(runs, attacks)],
    )


def _with_displaced(one: Drawn) -> Drawn:
    """The trade-off with the gallery's runs in whose place one's own stand: a page has one of each seed."""
    there = {run.id for run in one.runs}
    if one.figure != "tradeoff" or not any(origin_of(run) in CAME for run in one.runs):
        return one
    runs, attacks = of_gallery.displaced(run.id for run in one.runs if noise_of(run) == SECRET)
    runs = [run for run in runs if run.id not in there]
    if not runs:
        return one
    of = {run.id.removeprefix(of_gallery.MARK): run.id for run in runs}

    def named(row: Row) -> str:
        ids = _ids(row)
        return " ".join([*ids, *(of[run] for run in ids if run in of)])

    keys = {setting(run) for run in runs}
    known = {setting(told.record) for told in one.beside}
    every = [*one.runs, *runs]
    whole = one.statements.keys() == statements_of(one.runs).keys()
    return replace(
        one,
        rows=[{**row, "runs": named(row)} if "runs" in row else row for row in one.rows],
        runs=every,
        statements=statements_of(every) if whole else one.statements,
        beside=[
            *(_joined(told, runs, attacks) if setting(told.record) in keys else told for told in one.beside),
            *(told for told in _of_settings(runs, attacks) if setting(told.record) not in known),
        ],
    )


def _joined(told: Told, runs: Sequence[RunRecord], attacks: Sequence[AttackRecord]) -> Told:
    """What is known of a setting, with these of its runs."""
    more = [run for run in runs if setting(run) == setting(told.record)]
    ids = {run.id for run in more}
    return replace(
        told,
        same=sorted([*told.same, *more], key=lambda run: run.spec.seed),
        seeds={**told.seeds, **{run.id: str(run.spec.seed) for run in more}},
        elsewhere=[*told.elsewhere, *(attack for attack in attacks if attack.run in ids)],
    )


def _ids(row: Row) -> list[str]:
    """The ids of the runs that a row is over."""
    return str(row.get("runs") or "").split()


def _setting_of(runs: Iterable[RunRecord], ids: Iterable[str]) -> str:
    """The setting of the runs of these ids, of the first that is found; "" where none is."""
    known = frozenset(ids)
    return next((naming.setting(run) for run in runs if run.id in known), "")


def _of_settings(runs: Sequence[RunRecord], attacks: Sequence[AttackRecord]) -> list[Told]:
    """What came with the program of each setting."""
    groups: dict[str, list[RunRecord]] = {}
    for one in runs:
        groups.setdefault(naming.setting(one), []).append(one)
    return [
        Told(
            record=same[0],
            same=same,
            seeds={one.id: str(one.spec.seed) for one in same},
            attacks=[attack for attack in attacks if attack.run in {one.id for one in same}],
        )
        for same in groups.values()
    ]


def alone(one: Told) -> Told:
    """A run as others are told of it: beside the gallery's one's own alone stand behind each mean, as behind
    the levels beside it."""
    same = own_alone(one.same)
    references = {kind: own_alone(held) for kind, held in one.references.items()}
    gone = {run.id for run in one.same} - {run.id for run in same}
    behind = {**references, **({"own": same} if gone else {})}
    return replace(
        one,
        same=same,
        references=references,
        attacks=[attack for attack in one.attacks if attack.run not in gone],
        elsewhere=[attack for attack in one.elsewhere if attack.run not in gone],
        audits=[audit for audit in one.audits if audit.run not in gone],
        seeds={run: seed for run, seed in one.seeds.items() if run not in gone},
        stands=[
            _over(row, behind[row["kind"]]) if row["kind"] in behind else row
            for row in one.stands
            if not (gone and row["kind"] == "seed")
        ],
    )


def _over(row: Row, runs: Sequence[RunRecord]) -> Row:
    """The row of a level, over these of the runs behind it."""
    if row["seeds"] == len(runs):
        return row
    over = reached(runs)
    return {**row, "value": over.mean, "low": over.low, "high": over.high, "seeds": over.seeds}


def _shared(one: Drawn, mixed: Container[str], aside: bool) -> Drawn:
    """The figure for others, in which nothing hangs on what of the gallery one's own runs stand in the place
    of: whose noise it is, is told where it still tells curves apart. aside: the gallery's stand beside."""
    noises = {run.id: noise_of(run) for run in one.runs}
    rows = one.rows
    if one.figure in anew.DATA:
        rows = _named([{**row, **_unnamed(row)} for row in rows], noises)
    if one.figure == "compare":
        rows = _called(rows, one.runs)
    for column in _LABELS:
        names = {str(row[column]) for row in rows if column in row}
        plain = {name: name.replace(_SECRET, "") for name in names}
        if any(plain[name] != name for name in names) and len(set(plain.values())) == len(names):
            rows = [{**row, column: plain[str(row[column])]} if column in row else row for row in rows]
    shared = _shares(one, mixed)
    said = [LEFT_OUT] * bool(shared)
    if aside:
        said = [ASIDE, *[BARE_OUT] * any(origin_of(run) == OWN for run in shared)]
    return replace(
        one,
        rows=rows,
        statements=_in_order(one),
        beside=[alone(told) for told in one.beside],
        left_out=" ".join(filter(None, (one.left_out, *said))),
    )


def _shares(one: Drawn, mixed: Container[str]) -> list[RunRecord]:
    """One's own runs of the figure of which the gallery has the setting."""
    own = (run for run in one.runs if origin_of(run) in MADE)
    return [run for run in own if naming.setting(run) in mixed or of_gallery.has(run)]


def _in_order(one: Drawn) -> Mapping[str, PrivacyStatement]:
    """Its statements, which say whose noise it is where the other is there, too; those of its runs numbered
    in the order of results, for a store has them by seed."""
    if set(one.statements.values()) == set(statements_of(one.runs).values()):
        return statements_of(sorted(one.runs, key=lambda run: (setting(run), by_results(run))))
    held = one.statements.keys()
    plain = {label: label.removesuffix(f", {SECRET}") for label in held}
    return {
        label if name in held or f"{name}, {PUBLIC}" in held else name: one.statements[label]
        for label, name in plain.items()
    }


_LABELS = ("label", "attack", "method")
_SECRET = f" ({SECRET})"


def _called(rows: Sequence[Row], runs: Sequence[RunRecord]) -> list[Row]:
    """The rows by what tells them apart among themselves: on a page they stood beside others."""
    ids = {run for row in rows for run in _ids(row)}
    fresh = anew.by_runs("compare", rows, [run for run in runs if run.id in ids])
    found = (fresh.get(frozenset(_ids(row))) for row in rows)
    return [{**row, "label": new["label"]} if new else row for row, new in zip(rows, found, strict=True)]


def _unnamed(row: Row) -> Row:
    """The variant of a row without whose noise it is."""
    words = str(row.get("variant") or "").split(", ")
    return {"variant": ", ".join(one for one in words if one not in (PUBLIC, SECRET))} if "variant" in row else {}


def split(one: Drawn, mixed: Container[str] = ()) -> Drawn:
    """The figure with a row for each kind of noise, where one was over both; of `mixed` settings without
    noise one of one's own runs, and one of the gallery's."""

    def apart(run: RunRecord) -> str:
        return f"{setting(run)} {GALLERY * goes(run, mixed)}"

    kinds = {run.id: (naming.setting(run), apart(run)) for run in one.runs}
    if one.figure not in anew.DATA or len(set(kinds.values())) == len({key for key, _ in kinds.values()}):
        return one
    again = anew.by_runs(one.figure, one.rows, one.runs, apart=apart)
    rows: list[Row] = []
    for row in one.rows:
        ids = frozenset(_ids(row))
        parts = [new for held, new in again.items() if held <= ids]
        whole = bool(ids) and set(chain(*(held for held in again if held <= ids))) == ids
        # what a page has emptied, such as times, stays empty
        rows += [{**row, **_kept(row, new)} for new in parts] if whole and parts else [row]
    return replace(one, rows=_named(rows, {run.id: noise_of(run) for run in one.runs}))


def _named(rows: Sequence[Row], noises: Mapping[str, str]) -> list[Row]:
    """Rows whose variant says whose noise it is, where those of its curve have different ones, and fewer rows
    of the figure have noise of that kind than of the other."""
    curves: dict[tuple[object, ...], set[str]] = {}
    told = []
    for row in rows:
        kinds = {noises[run] for run in _ids(row) if run in noises}
        told.append((row, tuple(row.get(name) for name in _CURVE), kinds.pop() if len(kinds) == 1 else ""))
        curves.setdefault(told[-1][1], set()).add(told[-1][2])
    count = Counter(kind for _, _, kind in told)
    rare = SECRET if count[PUBLIC] >= count[SECRET] else PUBLIC
    return [
        {**row, "variant": ", ".join(filter(None, (row["variant"], kind)))}
        if "variant" in row and kind == rare and len(curves[curve] - {""}) > 1
        else row
        for row, curve, kind in told
    ]


def _kept(row: Row, new: Row) -> Row:
    """A new row, without what a page has emptied, such as times; its seed is that of its own runs: of a row
    over several there was none."""
    return {name: value for name, value in new.items() if name in row and (row[name] is not None or name == "seed")}


def _with_advice(one: Drawn) -> Drawn:
    """The figure with the advice that the runs give which it shows: that of a page is by others as well, and
    holds seeds of one against those of another."""
    return advice_again.by(one, unmixed(one.runs))


def _without(one: Drawn, mixed: Container[str]) -> Drawn:
    """The figure without runs that others are not given; what does not name its runs goes with them."""
    ids = {run.id for run in one.runs if goes(run, mixed)}
    if not ids:
        return one
    named = [set(str(row.get("runs") or row.get("run") or "").split()) for row in one.rows]
    return replace(
        one,
        rows=[row for row, held in zip(one.rows, named, strict=True) if held and not held & ids],
        runs=[run for run in one.runs if run.id not in ids],
        beside=[told for told in one.beside if not goes(told.record, mixed)],
        statements=_statements(one.statements, one.runs, ids),
    )


def _statements(
    held: Mapping[str, PrivacyStatement], runs: Sequence[RunRecord], gone: set[str]
) -> dict[str, PrivacyStatement]:
    """Statements by labels that begin with what their runs are called, without those of public noise of runs
    that are gone; where they are those of all runs, those of the others."""
    if held.keys() == statements_of(runs).keys():
        return statements_of([run for run in runs if run.id not in gone])
    differs = variants(runs)
    names = [", ".join(filter(None, (describe(run), differs[naming.setting(run)]))) for run in runs if run.id in gone]
    return {
        label: said
        for label, said in held.items()
        if not (has_public_noise(said) and any(label == name or label.startswith(f"{name}, ") for name in names))
    }
