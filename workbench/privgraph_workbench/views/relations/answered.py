"""The texts that are nearest to one that was asked about: a verdict, lists side by side, and what moved."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.options import UnknownName
from privgraph.runs.questions import Answer, Entity, Near
from privgraph_workbench.figures.flags import composed
from privgraph_workbench.figures.relations import moved
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations.names import title as short_title
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent

NEAREST = 10
"""Texts by which what is shared is told, at most."""
UNLIKE = 0.95
"""The share of texts with a nearer one from which on a text is unlike them."""
WORD = re.compile(r"\w{3,}")
PASSING = frozenset(("and", "for", "from", "the", "with", "set", "style"))
"""Words that say nothing about a text."""
SHARED = 0.6
"""The share of the nearest texts that must have a word for it to be told."""
MOST_WORDS = 3
LETTER, WIDEST = 7, 800
"""Pixels of a letter in the table of texts, and of its column of texts at most."""


def show(
    pair: Pair, names: Mapping[str, str], text: str, domain: str, neighbours: int, answer: Answer, key: str
) -> None:
    """All of it; `key` is that of the field with the text, into which a nearer one can be put."""
    lists = {
        encoder: [one for one in sorted(answer.entities, key=_placed(encoder)) if one.places[encoder] <= neighbours]
        for encoder in names
    }
    words = _words(answer.text or text)
    far = [name for name in names if name in answer.near and _far(answer.near[name])]
    common = _common(lists)
    kept = {name: words & set(common[name]) for name in names if name != "base"}
    if _foreign(answer):
        _unlike(pair, names, domain, answer, {name: own for name, own in kept.items() if own})
    elif not answer.known:  # of the data's own, which are near by nature, the answer comes first
        _caution(names, domain, answer, far)
    marked = {name: words | set(common[name]) for name in names}
    absent = [pair.title(one) for one in pair.records if one not in pair.here]
    shell.fragment(_side_by_side)(names, _tabs(pair, names), lists, answer.near, marked, absent)
    if answer.known and far and not _foreign(answer):
        _caution(names, domain, answer, far)
    if far:
        _behind(pair, names, domain, answer, far)
    if far and not answer.known and not _foreign(answer):
        _instead(answer, key)
    _learnt(pair, names, lists, common)
    _partners(names, answer)
    _shared(names, neighbours, answer)
    _stars(pair, domain, answer)
    few = f" Of its {answer.texts:,} texts, {answer.searched:,} were searched." if _thinned(answer) else ""
    st.caption(
        f"Compared with {answer.searched:,} texts of {markup.literal(domain)}.{few} A place is that among all of them; "
        "▲ and ▼ say how far a text moved from its place under the base encoder. Scores are cosines or inner products, "
        f"and those of different encoders cannot be compared; “usual” is the score that a text of "
        f"{markup.literal(domain)} has with its own nearest one."
    )
    rows = moved.data(
        answer, dict(names), max(composed(pair.here).values(), default=0), learnt=domain == pair.learnt, asked=text
    )
    st.markdown("#### What moved")
    drawn_figure("moved", rows, statements_of(pair.here), pair.first, runs=pair.here)
    with st.expander("All of these texts as a table", key="fold.texts", icon=":material/table:"):
        partner = "true partner (private)" if domain == pair.learnt else "true partner (evaluator only)"
        _table(answer, names, partner)


def _unlike(
    pair: Pair, names: Mapping[str, str], domain: str, answer: Answer, kept: Mapping[str, Collection[str]]
) -> None:
    """That the base encoder finds nothing like the text, which of its words trained ones have `kept` all the
    same, and the way to the other domain."""
    base = answer.near["base"]
    lead = f"**To the base encoder, nothing in {markup.literal(domain)} resembles this text**"
    score = f"its nearest scores {base.score:.2f}, where {base.usual:.2f} is usual and {base.chance:.2f} is chance"
    if kept:
        told = "; ".join(
            f"{', '.join(f'**{markup.literal(word)}**' for word in sorted(own))} ({markup.literal(names[name])})"
            for name, own in kept.items()
        )
        st.info(f"{lead}: {score}. What most of the nearest still share with it: {told}.")
    else:
        st.warning(f"{lead}: {score}. The order below says next to nothing.", icon=":material/wrong_location:")
    for other in dict.fromkeys((pair.predicted, pair.learnt)):
        if other != domain:
            st.button(
                f"Search {markup.literal(other)} instead",
                key=f"search.{other}",
                icon=":material/search:",
                on_click=choosing.put,
                args=("domain", other),
            )


def _caution(names: Mapping[str, str], domain: str, answer: Answer, far: Sequence[str]) -> None:
    """That the nearest texts mean little, where even they are `far` under some encoder: every text has a
    nearest one, nonsense too."""
    where = markup.literal(domain)
    if far:
        told = " and ".join(f"“{markup.literal(names[name])}”" for name in far)
        under = "" if len(far) == len(names) else f" under {told}"
        st.info(
            f"**These are the nearest texts that {where} has, and they are not very near{under}**: take their order "
            "with caution.",
            icon=":material/wrong_location:",
        )
    elif "base" in answer.near:
        st.caption("This text is as near to its nearest ones as is usual here.")


def _behind(pair: Pair, names: Mapping[str, str], domain: str, answer: Answer, far: Sequence[str]) -> None:
    """The numbers of that, in a fold."""
    with st.expander("How near they are, in numbers", key="fold.near", icon=":material/straighten:"):
        _numbers(names, answer.near, markup.literal(domain))
        if "base" not in far:
            st.caption(
                f"Training was on texts of {markup.literal(pair.learnt)} alone: one that is worded otherwise, or "
                "leaves out what those name, is far from all."
            )


def _far(near: Near) -> bool:
    return near.nearer >= UNLIKE or near.score <= near.chance


def _foreign(answer: Answer) -> bool:
    """Whether even the nearest text is, to the base encoder, more like one at random than like usual ones."""
    base = answer.near.get("base")
    return base is not None and base.score < (base.chance + base.usual) / 2


def _numbers(names: Mapping[str, str], near: Mapping[str, Near], where: str) -> None:
    """The nearest score of the text under each encoder, beside those of texts of the data."""
    st.table(
        [
            {
                "": markup.literal(title),
                "score of the nearest": f"{near[name].score:.3f}",
                f"usual in {where}": f"{near[name].usual:.3f}",
                "two at random": f"{near[name].chance:.3f}",
                f"texts of {where} with a nearer one": percent(near[name].nearer),
            }
            for name, title in names.items()
            if name in near
        ],
        hide_index=True,
    )
    st.caption("Each encoder has a scale of its own: compare within a row.")


def _instead(answer: Answer, key: str) -> None:
    """A text of the data that the base encoder has nearest, to be asked about by one click."""
    nearest = min(answer.entities, key=_placed("base"))
    st.button(
        f"Ask about the nearest text of the data instead: {markup.literal(nearest.text)}",
        key="ask_instead",
        icon=":material/search:",
        on_click=st.session_state.update,
        args=({key: nearest.text},),
    )


def _words(text: str) -> frozenset[str]:
    """The words of a text that may say what it is about, in lower case."""
    return frozenset(WORD.findall(text.lower())) - PASSING


def _common(lists: Mapping[str, Sequence[Entity]]) -> dict[str, Counter[str]]:
    """By encoder: the words that most of its nearest texts share, and how many of these have each."""
    count = _count(lists)
    found = {name: Counter(word for one in held[:count] for word in _words(one.text)) for name, held in lists.items()}
    least = max(2, math.ceil(SHARED * count))
    return {name: Counter({word: own[word] for word in own if own[word] >= least}) for name, own in found.items()}


def _count(lists: Mapping[str, Sequence[Entity]]) -> int:
    """How many of the nearest texts tell what they share."""
    return min(NEAREST, *(len(held) for held in lists.values()))


def _learnt(
    pair: Pair, names: Mapping[str, str], lists: Mapping[str, Sequence[Entity]], common: Mapping[str, Counter[str]]
) -> None:
    """What the nearest texts have in common under each encoder, whatever was asked, and what data join."""
    if any(common.values()):
        lines = [f"**What the {_count(lists)} nearest share**", ""]
        for name, title in names.items():
            order = sorted(common[name], key=lambda word: (-common[name][word], word))[:MOST_WORDS]
            told = ", ".join(f"**{markup.literal(word)}** in {common[name][word]}" for word in order)
            lines.append(f"- {markup.literal(title)}: {told or 'no word in most of them'}")
        st.markdown("\n".join(lines))
    if told := related(pair):
        st.markdown(f"Training teaches what is joined, not what is alike. {told}")


def related(pair: Pair) -> str:
    """What the data are, and so what their relations are: Markdown."""
    try:
        return naming.about(dataset(pair.first.spec.dataset))
    except UnknownName:
        return ""


def _placed(encoder: str) -> Callable[[Entity], int]:
    return lambda one: one.places[encoder]


def _tabs(pair: Pair, names: Mapping[str, str]) -> dict[str, str]:
    """The encoders in a word or two, for a narrow page."""
    short = {"base": "Base"} | {
        key: short_title(one) for key, one in (("bare", pair.bare), ("private", pair.private)) if one is not None
    }
    return {key: short[key] for key in names}


def _side_by_side(
    names: Mapping[str, str],
    tabs: Mapping[str, str],
    lists: Mapping[str, list[Entity]],
    near: Mapping[str, Near],
    marked: Mapping[str, Collection[str]],
    absent: Sequence[str],
) -> None:
    """The nearest texts under each encoder, with the words that they share with the one that was asked about,
    or among themselves, and a place for those that are `absent`; on a phone one of the lists, and tabs to the
    others."""
    with st.container(key=styles.TABS):
        chosen = st.segmented_control(
            "Encoder",
            list(tabs),
            default=list(tabs)[-1],
            format_func=lambda key: tabs[key],
            required=True,
            key="encoder_shown",
            label_visibility="collapsed",
            width="stretch",
        )
    columns = st.columns(len(names) + len(absent), gap="medium")
    for column, missing in zip(columns[len(names) :], absent, strict=True):
        with column, st.container(key=f"{styles.ASIDE}.{missing}", gap="small"):
            st.markdown(f"##### {markup.literal(missing)}")
            st.caption("Its encoder is not here. It is trained by the button above.")
    for column, (encoder, title) in zip(columns, names.items(), strict=False):
        with column, st.container(key=f"{'shown' if encoder == chosen else styles.ASIDE}.{encoder}", gap="small"):
            st.markdown(f"##### {markup.literal(title)}")
            st.markdown("\n".join(_line(one, encoder, marked[encoder]) for one in lists[encoder]))
            if encoder in near:
                st.caption(f"nearest {near[encoder].score:.3f} · usual {near[encoder].usual:.3f}")


def _thinned(answer: Answer) -> bool:
    """Whether the domain has more texts than were searched, but for the one that was asked about."""
    return answer.searched + 1 < answer.texts


def _line(one: Entity, encoder: str, words: Collection[str]) -> str:
    """A text in a numbered list: its score, and where it was under the base encoder."""
    place, before = one.places[encoder], one.places["base"]
    said = f"score {one.scores[encoder]:.3f}"
    if encoder != "base":
        moved_by = f"▲ {before - place:,}" if place < before else f"▼ {place - before:,}"
        said += " · same place" if place == before else f" · {moved_by}, from {before:,}"
    star = ":orange-badge[★ partner] " if one.partner else ""
    return f"{place}. {_marked(one.text, words) or '(a blank text)'}  \n   {star}:gray[{said}]"


def _marked(text: str, words: Collection[str]) -> str:
    """A text as Markdown, with these words in bold."""
    shared = {word for word in WORD.findall(text) if word.lower() in words}
    return re.sub(r"\w+", lambda found: f"**{found[0]}**" if found[0] in shared else found[0], markup.literal(text))


def _partners(names: Mapping[str, str], answer: Answer) -> None:
    """Where the nearest true partner stands, where the text has one."""
    if not answer.partners:
        return
    best = {name: min(one.places[key] for one in answer.entities if one.partner) for key, name in names.items()}
    first = "; ".join(f"{markup.literal(name)}: place **{place:,}**" for name, place in best.items())
    chance = round((answer.searched + 1) / (answer.partners + 1))
    st.markdown(f"The nearest true partner: {first}. By chance it would stand at about place {chance:,}.")


def _shared(names: Mapping[str, str], neighbours: int, answer: Answer) -> None:
    """How many of the ten nearest texts (or of so many as are shown) the two runs share, where both were
    asked."""
    if not {"bare", "private"} <= set(names):
        return
    most = min(NEAREST, neighbours, answer.searched)
    near = {key: {one.number for one in answer.entities if one.places[key] <= most} for key in ("bare", "private")}
    shared = len(near["bare"] & near["private"])
    st.markdown(
        f"Of the {most} nearest texts, **{shared}** {'is' if shared == 1 else 'are'} the same with privacy and without."
    )


def _stars(pair: Pair, domain: str, answer: Answer) -> None:
    """What the stars are, and who may know."""
    if not answer.known:
        return
    if not answer.partners:
        st.caption("This text is one of the data's. It has no partner among the texts that were searched.")
        return
    learnt = domain == pair.learnt
    whose = (
        "These are relations that the runs trained on: private, and here for the person who holds the data."
        if learnt
        else "No run has read these relations: only an evaluator knows them, somebody who was given relations that "
        "were kept back, to measure by."
    )
    states.badges(private=learnt, evaluator=not learnt)
    st.caption(
        f"This text is one of the data's, and has {answer.partners:,} "
        f"{'partner' if answer.partners == 1 else 'partners'} among those that were searched: ★ marks them. {whose}"
    )


def _table(answer: Answer, names: Mapping[str, str], partner: str) -> None:
    """All of it, for reading and sorting; `partner` heads the column of true partners."""
    last = list(names)[-1]
    longest = max(len(one.text) for one in answer.entities)
    scores = {f"score, {title}": st.column_config.NumberColumn(format="%.3f") for title in names.values()}
    st.dataframe(
        [
            {
                "text": one.text,
                **{f"place, {title}": one.places[key] for key, title in names.items()},
                **{f"score, {title}": one.scores[key] for key, title in names.items()},
                **({partner: "yes" if one.partner else "no"} if answer.partners else {}),
            }
            for one in sorted(answer.entities, key=lambda one: one.places[last])
        ],
        hide_index=True,
        alt="Texts that are near under some encoder, with their places and scores under each",
        column_config={**scores, "text": st.column_config.TextColumn(width=min(WIDEST, 40 + LETTER * longest))},
    )
