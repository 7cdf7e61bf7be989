"""What the chosen runs protect: what their ε promises, what attacks have found of their relations, and the
way to another attack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.registry import ATTACKS, sides
from privgraph.registry import attack as attack_spec
from privgraph.runs import attacking
from privgraph.runs.attacking import Attacking
from privgraph.runs.records import RunRecord, StoreError
from privgraph_workbench.figures.attacks import attack_areas
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import states, under_way
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations import elsewhere, price, times
from privgraph_workbench.views.relations.names import role
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming, rates
from privgraph_workbench.words import statements as statement_words
from privgraph_workbench.words.meaning import guess, strength
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import at_most, number, percent, roughly, rounded_delta

ASKS = "which relations were learnt from"
ATTACK = "relations"
POLL_SECONDS = 1.0
GUESSING = 0.5
"""The area of a coin."""
OTHERS = (0.5, 1.0, 2.0, 4.0, 10.0)
"""Values of ε whose promise stands beside that of the chosen run."""
QUESTION = (
    "Of two relations that the base encoder finds about as alike, a coin chose the one that was learnt from, and the "
    "other was left out. The attack has the encoder and all texts: which was it? An area of 0.5 is guessing."
)
TITLES = {name: one.title for name, one in ATTACKS.items()}


def show(pair: Pair) -> None:
    """What is promised; the newest attack of each kind on each run, in words and as a figure; and the way to
    make one, or another."""
    st.divider()
    st.markdown("### What it protects")
    st.markdown(
        "Somebody has the encoder and all texts, and wants to know which of them are joined. What can they learn?"
    )
    first, *rest = _promises(pair)
    st.markdown(f"- {first}")
    if rest:
        st.markdown("\n".join(f"- {one}" for one in rest))
    found = [(record, attack) for record in pair.records for attack in newest(queue.store().attacks(record.id))]
    found.sort(key=lambda one: one[1].sound)  # as in the figure
    if found:
        st.markdown(_reading(pair, found))
        if not any(attack.found[1] > GUESSING for _, attack in found):
            elsewhere.show(pair.records)
        _numbers_of(pair, found)
    busy = any(_going(record) for record in pair.records)
    shell.fragment(_under_way, run_every=POLL_SECONDS if busy else None)(pair, busy)
    if not found and not busy:
        st.caption("No attack on either run has tried that yet.")
    _offer([one for one in pair.records if not _going(one) and one.id not in {record.id for record, _ in found}])
    attacked = {record.id for record, _ in found}
    for record in pair.records:
        st.page_link(
            shell.page("attacks"),
            label=f"{'See the attack' if record.id in attacked else 'Choose an attack'} on {role(record)}",
            icon=":material/gavel:",
            query_params={"run": record.id, "attack": ATTACK},
        )
    tried = {attack.attack for _, attack in found}
    for name in [name for name, one in ATTACKS.items() if one.sides.asks == ASKS and name not in tried] * bool(found):
        st.page_link(
            shell.page("attacks"),
            label=f"Not tried yet: {TITLES[name]}",
            icon=":material/gavel:",
            query_params={"run": found[-1][0].id, "attack": name},
        )


def _promises(pair: Pair) -> list[str]:
    """What holds against every attack, with and without privacy, and what a smaller ε would promise."""
    told = []
    said = None if pair.private is None else pair.private.statement
    if pair.private is not None and said is not None and math.isfinite(said.epsilon):
        most = at_most(guess(said.epsilon, said.delta))
        word = f"{strength(said.epsilon, said.delta)} protection"
        at = markup.literal(naming.budget(pair.private))
        if most == at_most(1.0):
            told.append(f"**At {at}** ({word}): so large an ε excludes next to nothing.")
        else:
            told.append(
                f"**At {at}** ({word}), whatever they try: asked whether one relation was learnt from, they are right "
                f"{most} of the time, even if they know all others. A coin is right 50% of the time. How many "
                "relations there are is taken to be public: the promise is for whom that number does not tell."
            )
        beside = " · ".join(f"ε {one:g}: {bound(guess(one, said.delta))}" for one in OTHERS)
        told.append(
            f"The same for other ε, at most: {beside}. It holds for one relation, not for all of a text together "
            f"(δ = {rounded_delta(said.delta)})."
        )
    if pair.bare is not None:
        told.append("**Without privacy**, nothing is promised: they may learn every relation.")
    return told


def bound(chance: float) -> str:
    """A bound on a chance in percent, rounded up; not to a certainty, which it is not."""
    told = at_most(chance).removeprefix("at most ")
    return "over 99.99%" if told == "100%" and chance < 1 else told


def _numbers_of(pair: Pair, found: Sequence[tuple[RunRecord, AttackRecord]]) -> None:
    """The attacks as a figure and a table, in a fold."""
    with st.expander("Figure and numbers of these attacks", key="fold.attacked", icon=":material/query_stats:"):
        st.markdown(QUESTION)
        titles = {attack.title for _, attack in found}
        names = [pair.title(record) + f": {attack.title}" * (len(titles) > 1) for record, attack in found]
        slots = [
            relation_ranking.SLOTS[relation_ranking.side(record.spec.method, record.spec.unit)] for record, _ in found
        ]
        rows = attack_areas.data([attack for _, attack in found], names, slots)
        drawn_figure("attack_areas", rows, statements_of(list({one.id: one for one, _ in found}.values())), pair.first)
        st.dataframe(
            [_numbers(pair.title(record), attack) for record, attack in found],
            hide_index=True,
            alt="What attacks on the chosen runs found of their relations",
        )
        states.badges(evaluator=True)
        st.caption(_explained(rows))
        if any(attack.bound and math.isinf(attack.sound) for _, attack in found):
            st.caption(
                "The run without privacy claims no ε that could be audited, and its card has none: what stands here is "
                "the least that could be claimed for it."
            )


def _explained(rows: Sequence[Row]) -> str:
    """What columns of the table are: Markdown."""
    told = [
        "Which relations were learnt from, only an evaluator knows, who keeps the coin. **models**: how many were "
        "trained again and attacked."
    ]
    told += map(markup.literal, attack_areas.chart(rows).notes)
    told.append(
        "In the paper (Table 4, MAG-USA), the attack finds 6.9% of relations without privacy and 6.0% at ε 4 with 5% "
        "false alarms, where a coin finds 5%."
    )
    if any(row["signed_rank"] is not None for row in rows):
        told.append(
            "**signed-rank p**: Wilcoxon's test, two-sided, of whether the two relations of a pair score differently; "
            "how often coins alone would show at least as much."
        )
    return " ".join(told)


def _reading(pair: Pair, found: Sequence[tuple[RunRecord, AttackRecord]]) -> str:
    """What these attacks found, and what follows for safety: Markdown."""
    telling = list(dict.fromkeys(role(record) for record, attack in found if attack.found[1] > GUESSING))
    bare = any(record.spec.unit == "none" for record, _ in found)
    if telling:
        lead = f"The attack tried here can tell what {' and '.join(telling)} learnt from"
    else:
        lead = f"The attack tried here finds nothing{', not even without privacy' * bare}"
    each = "; ".join(_right(record, attack, found) for record, attack in found)
    seldom = "" if telling else _seldom([record for record, _ in found])
    attacked = {record.id for record, _ in found}
    left = "".join(f"{role(one).capitalize()} was not attacked. " for one in pair.records if one.id not in attacked)
    shows = "So it cannot show here what ε protects. " * (bare and not telling)
    return (
        f"**{lead}.** Of two relations, one that was learnt from and one that was not, it picks the right one this "
        f"often: {each}. A coin: 50%. {seldom}{shows}{left}Another attack may find more; only ε is a promise."
    )


def _right(record: RunRecord, attack: AttackRecord, found: Sequence[tuple[RunRecord, AttackRecord]]) -> str:
    """How often an attack is right about two relations: the area under its curve, with its interval."""
    area, low, high = attack.found
    several = sum(one.id == record.id for one, _ in found) > 1
    title = f", {markup.literal(attack.title)}" if several else ""
    return f"{role(record)}{title}: **{percent(area)}** ({percent(low)} to {percent(high)})"


def _seldom(attacked: Sequence[RunRecord]) -> str:
    """How often training of the attacked runs read each relation, which says how much there was to remember;
    "" if that is not known."""
    often_read = {role(one): read for one in attacked if (read := price.reads(one)) is not None}
    if not often_read:
        return ""
    rates = list(dict.fromkeys(often_read.values()))
    often = (
        f"{rates[0]:.2g} times"
        if len(rates) == 1
        else " and ".join(f"{own:.2g} times ({name})" for name, own in often_read.items())
    )
    why = ": what is read so seldom is hardly remembered" if max(rates) < 1 else ""
    whose = f" of {next(iter(often_read))}" if len(often_read) == 1 else ""
    return f"Training{whose} read each relation {often} on average{why}. "


def _going(record: RunRecord) -> list[Attacking]:
    return [one for one in attacking.states(queue.store(), record.id) if not one.done]


def _under_way(pair: Pair, busy: bool) -> None:
    """How far attacks on these runs are; the page is drawn anew when the last of them ends."""
    going = [(record, one) for record in pair.records for one in _going(record)]
    if busy and not going:
        st.rerun()
    for record, one in going:
        stop = partial(attacking.stop, queue.store(), record.id, one.token)
        under_way.show(one, TITLES, "attack", stop, of=f"{role(record).capitalize()}: ")


def _offer(records: Sequence[RunRecord]) -> None:
    """One click to the paper's attack on each of the runs that none has asked yet, and what it takes."""
    spec, options = attack_spec(ATTACK), AttackOptions()
    able = [
        (record, subject)
        for record in records
        if (subject := attacking.subject(record)) and not (spec.refuses(subject) or spec.unanswered(subject, options))
    ]
    if not able:
        return
    st.caption(_cost([record for record, _ in able], options))
    label = "Attack both runs" if len(able) > 1 else f"Attack {role(able[0][0])}"
    if st.button(label, key="attack_relations", icon=":material/play_arrow:"):
        try:
            for record, _ in able:
                attacking.start(queue.store(), record.id, ATTACK, options)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
        else:
            st.rerun()


def _cost(records: Sequence[RunRecord], options: AttackOptions) -> str:
    """What the attack on all of these takes together, with one time."""
    trainings = options.targets * len(records)
    total = times.total([one.spec for one in records])
    time = "" if total is None else f", about {roughly(options.targets * total)} in all on a quiet machine"
    each = "each run" if len(records) > 1 else "the run"
    return (
        f"It trains {each} {options.targets} times again, each time without {options.candidates:,} relations (or half "
        f"of them, where there are fewer than twice as many): {trainings} trainings{time}."
    )


def newest(attacks: Sequence[AttackRecord]) -> list[AttackRecord]:
    """The last attack of each kind that asks about relations."""
    return list({one.attack: one for one in attacks if sides(one.attack).asks == ASKS}.values())


def _numbers(title: str, attack: AttackRecord) -> dict[str, str]:
    found = attack.outcome
    # as on its card: where nothing is promised, a bound of 0 audits nothing
    bound = attack.bound if attack.bound or math.isfinite(attack.sound) else None
    return {
        "run": title,
        "attack": attack.title,
        "models": f"{len(attack.areas)}",
        "area": number(attack.found[0]),
        "interval": f"{attack.found[1]:.3f} to {attack.found[2]:.3f}",
        f"found at {percent(found.rates[-1].false)} false alarms": f"{rates.found(attack, len(found.rates) - 1)} "
        f"({rates.interval(attack, len(found.rates) - 1)})",
        "signed-rank p": "–" if attack.signed_rank is None else number(attack.signed_rank),
        EPSILONS["audited"].title: statement_words.audited_bound(bound),
    }
