"""The page Lessons: a list of six, and one of them step by step. What somebody has done stands in the
address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from privgraph.options import OptionError, parse
from privgraph_workbench import live_plot
from privgraph_workbench.figures import module_of
from privgraph_workbench.forms import widgets
from privgraph_workbench.lessons import LESSONS, Lesson, Step
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import layout
from privgraph_workbench.words import markup
from privgraph_workbench.words.glossary import GLOSSARY

LESSON, STEP, DONE, CONTROLS = "lesson", "step", "done", "controls"
"""In the address: which lesson, which step from 1 on, which steps of each lesson were answered rightly (a
letter each, from a on, with dots between lessons; 0 for none), and `no` where a teacher hides the
controls."""
PREFIX = "set."
"""Before the name of a control."""


def page() -> None:
    """The list, or the lesson that the address names."""
    asked = st.query_params.get(LESSON)
    if asked is not None and asked not in LESSONS:
        st.warning(
            f"In this page's address, there is no lesson {markup.literal(asked[:40])}; lessons are "
            f"{', '.join(LESSONS)}."
        )
        del st.query_params[LESSON]
        asked = None
    if asked is None:
        _list()
    else:
        _lesson(LESSONS[asked])


def done() -> list[set[int]]:
    """Which steps of each lesson were answered rightly, as the address says. In addresses of earlier versions
    a number says how many, from the first on."""
    told = st.query_params.get(DONE, "").split(".")
    if len(told) != len(LESSONS):
        return [set() for _ in LESSONS]
    return [
        _steps(one) & set(range(1, len(lesson.steps) + 1)) for one, lesson in zip(told, LESSONS.values(), strict=True)
    ]


def _steps(told: str) -> set[int]:
    """
    >>> sorted(_steps("ac")), sorted(_steps("2")), _steps("0"), _steps("many!")
    ([1, 3], [1, 2], set(), set())
    """
    if told.isdecimal() and len(told) < 3:
        return set(range(1, int(told) + 1))
    return {ord(one) - ord("a") + 1 for one in told} if re.fullmatch("[a-z]*", told) else set()


def _list() -> None:
    st.title("Lessons")
    st.markdown(
        "Six short lessons on learning from graphs without betraying anybody. Each is a few steps: a sentence or two, "
        "something to move, something to see, and a question. Your progress stands in the address: keep the link."
    )
    finished = done()
    lessons = list(LESSONS.values())
    following = next((place for place, one in enumerate(lessons) if _open(one, finished[place])), -1)
    for start in (0, 3):
        columns = layout.columns(f"lessons-{start}", 3)
        for place, (column, lesson) in enumerate(zip(columns, lessons[start : start + 3], strict=True), start=start):
            with column, st.container(border=True, height="stretch"):
                with st.container(height="stretch"):  # buttons of one row stand at one height
                    st.markdown(f"#### {place + 1}. {lesson.title}")
                    st.markdown(lesson.about)
                    if not _open(lesson, finished[place]):
                        st.caption(f"**Remember:** {lesson.takeaway}")
                st.progress(
                    len(finished[place]) / len(lesson.steps),
                    text=f"{_answered(lesson, finished[place])} · about {lesson.minutes} minutes",
                )
                st.button(
                    _verb(lesson, finished[place]),
                    key=f"begin.{lesson.name}",
                    type="primary" if place == following else "secondary",
                    icon=":material/arrow_forward:",
                    on_click=_go,
                    args=(lesson.name, min(_open(lesson, finished[place]), default=1)),
                )


def _verb(lesson: Lesson, finished: set[int]) -> str:
    return "Begin" if not finished else "Go on" if _open(lesson, finished) else "Again"


def _answered(lesson: Lesson, finished: set[int]) -> str:
    return f"{len(finished)} of {len(lesson.steps)} questions answered"


def _open(lesson: Lesson, finished: set[int]) -> list[int]:
    """The steps whose questions are still open."""
    return [place for place in range(1, len(lesson.steps) + 1) if place not in finished]


def _go(lesson: str | None, step: int = 1) -> None:
    """Open a step, with its control at its default; None: the list."""
    for key in [key for key in st.query_params if key.startswith(PREFIX)]:
        if key not in st.session_state:  # a control's own value leaves the address with the control
            del st.query_params[key]
    if lesson is None:
        st.query_params.pop(LESSON, None)
        st.query_params.pop(STEP, None)
        return
    st.query_params[LESSON], st.query_params[STEP] = lesson, str(step)
    control = LESSONS[lesson].steps[step - 1].control
    if control is not None and PREFIX + control.name in st.session_state:
        widgets.put([control], {control.name: control.default}, PREFIX)


def _lesson(lesson: Lesson) -> None:
    asked = st.query_params.get(STEP, "1")
    place = int(asked) if asked.isdecimal() and len(asked) < 3 else 0
    if not 1 <= place <= len(lesson.steps):
        st.warning(f"In this page's address, step must be from 1 to {len(lesson.steps)}.")
        place = 1
    step = lesson.steps[place - 1]
    number = list(LESSONS).index(lesson.name)
    st.title(f"{number + 1}. {lesson.title}")
    bar = st.empty()  # drawn last, so that it counts the answer that is given now
    said, beside = layout.columns("lesson-step", (2, 3))
    with said:
        st.markdown(f"### {step.title}")
        st.markdown(step.text)
        _words(step, f"{lesson.name}.{place}")
        value = _control(step)
    if step.figure is not None:
        rows = step.figure.rows(value)
        with beside:
            figure = module_of(step.figure.name).plot(rows, layout.theme())
            live_plot.show(figure, key=f"lesson.{lesson.name}.{place}")
        told = _question(lesson, step, number, place)
    else:
        with beside:
            told = _question(lesson, step, number, place)
    finished = done()[number]
    bar.progress(
        len(finished) / len(lesson.steps),
        text=f"Step {place} of {len(lesson.steps)} · {_answered(lesson, finished)}",
    )
    _ways(lesson, place, place in finished)
    if place == len(lesson.steps):
        _end(lesson, number, told)


def _words(step: Step, key: str) -> None:
    """The words of the field that the step needs: each opens to its definition."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"words.{key}"):
        st.caption("Words of this step:", width="content")
        for word in step.words:
            with st.popover(word, type="tertiary"):
                st.markdown(f"**{word}**: {GLOSSARY[word]}")


def _control(step: Step) -> Any:
    """What the control holds, which is drawn unless a teacher hides it; None where there is none."""
    if step.control is None:
        return None
    value: Any = step.control.default
    for complaint in widgets.complaints([step.control], prefix=PREFIX):
        st.warning(complaint)
    if st.query_params.get(CONTROLS) != "no":
        try:
            value = widgets.widget(step.control, prefix=PREFIX, percent=True)
        except OptionError as error:
            st.error(markup.sentence(error))
    elif (told := st.query_params.get(PREFIX + step.control.name)) is not None:
        value = _held(step, told)
    return value


def _held(step: Step, told: str) -> Any:
    """The value that the address gives a hidden control; its default where it is none."""
    assert step.control is not None
    try:
        return parse(step.control, told)
    except OptionError:
        return step.control.default


def _question(lesson: Lesson, step: Step, number: int, place: int) -> bool:
    """The question, and what is to be learnt from it; whether that was told: because the right choice is
    made, now or before, or because somebody asked to be shown it."""
    key = f"answer.{lesson.name}.{place}"
    asked = step.question
    if place in done()[number] and key not in st.session_state:
        st.session_state[key] = asked.right
    with st.container(border=True):
        chosen = st.radio(
            f"**{asked.text}**",
            range(len(asked.choices)),
            index=None,
            format_func=lambda one: asked.choices[one],
            key=key,
        )
        if chosen == asked.right:
            st.success(f"Right. {asked.why}", icon=":material/check_circle:")
            _count(number, place)
            return True
        if chosen is not None:
            st.info(f"Not quite. {asked.hints[chosen]}", icon=":material/lightbulb:")
        shown = f"shown.{lesson.name}.{place}"
        if st.session_state.get(shown):
            st.info(f"The answer is: {asked.choices[asked.right]}. {asked.why}", icon=":material/visibility:")
        else:
            st.button(
                "Show the answer",
                key="show_answer",
                type="tertiary",
                icon=":material/visibility:",
                on_click=_remember,
                args=(shown,),
            )
        return place in done()[number] or bool(st.session_state.get(shown))


def _remember(name: str) -> None:
    st.session_state[name] = True


def _count(number: int, place: int) -> None:
    """Keep in the address that this step was answered."""
    finished = done()
    if place not in finished[number]:
        finished[number].add(place)
        letters = ("".join(chr(ord("a") + one - 1) for one in sorted(steps)) for steps in finished)
        st.query_params[DONE] = ".".join(one or "0" for one in letters)


def _ways(lesson: Lesson, place: int, right: bool) -> None:
    """Back, on, and the link for a class."""
    last = place == len(lesson.steps)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Back" if place > 1 else "All lessons",
            key="lesson_back",
            icon=":material/arrow_back:",
            on_click=_go,
            args=(lesson.name, place - 1) if place > 1 else (None,),
        )
        if not last:
            st.button(
                "Next",
                key="lesson_next",
                icon=":material/arrow_forward:",
                type="primary" if right else "secondary",
                on_click=_go,
                args=(lesson.name, place + 1),
            )
        with st.popover("Copy link", icon=":material/link:"):
            hide = st.toggle("Hide the controls", key="hide_controls", help="For a class that is shown one picture")
            kept = {key: st.query_params[key] for key in st.query_params if key != CONTROLS}
            st.code(
                layout.link("lessons", **kept, **({CONTROLS: "no"} if hide else {})), language=None, wrap_lines=True
            )


def _open_steps(lesson: Lesson, finished: set[int]) -> None:
    """Ways to the steps whose questions are open, for whoever came to the end without an answer."""
    left = _open(lesson, finished)
    if not left:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Still open:**", width="content")
        for place in left:
            st.button(
                f"Step {place}: {lesson.steps[place - 1].title}",
                key=f"open.{place}",
                on_click=_go,
                args=(lesson.name, place),
            )


def _end(lesson: Lesson, number: int, told: bool) -> None:
    """What papers say and what holds, once the last question was answered, and where to go from here."""
    if told:
        st.success(f"**Remember:** {lesson.takeaway}", icon=":material/school:")
        paper, holds = layout.columns("lesson-end", 2)
        with paper, st.container(border=True, height="stretch"):
            st.markdown(f"##### What papers say\n{lesson.paper}")
        with holds, st.container(border=True, height="stretch"):
            st.markdown(f"##### What holds\n{lesson.holds}")
    _open_steps(lesson, done()[number])
    st.caption(f"For a class that programs: the same figures with exercises, `notebooks/{lesson.notebook}.ipynb`.")
    names: Sequence[str] = list(LESSONS)
    with st.container(horizontal=True, vertical_alignment="center"):
        if number + 1 < len(names):
            st.button(
                f"Lesson {number + 2}: {LESSONS[names[number + 1]].title}",
                key="lesson_on",
                type="primary",
                icon=":material/arrow_forward:",
                on_click=_go,
                args=(names[number + 1], 1),
            )
        st.button("All lessons", key="lesson_all", icon=":material/apps:", on_click=_go, args=(None,))
        st.page_link(shell.page("playground"), label="Play with it", icon=":material/toys:")
