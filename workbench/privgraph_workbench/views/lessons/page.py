"""The page Lessons: a list of six, and one of them step by step. What somebody has done stands in the
address."""

from __future__ import annotations

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

LESSON, STEP, DONE, CONTROLS = "lesson", "step", "done", "controls"
"""In the address: which lesson, which step from 1 on, how many steps of each lesson were answered rightly
(numbers with dots between), and `no` where a teacher hides the controls."""
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


def done() -> list[int]:
    """How many steps of each lesson were answered rightly, as the address says."""
    told = st.query_params.get(DONE, "").split(".")
    if len(told) != len(LESSONS) or not all(one.isdecimal() and len(one) < 3 for one in told):
        return [0] * len(LESSONS)
    return [min(int(one), len(lesson.steps)) for one, lesson in zip(told, LESSONS.values(), strict=True)]


def _list() -> None:
    st.title("Lessons")
    st.markdown(
        "Six short lessons on learning from graphs without betraying anybody. Each is a few steps: a sentence or two, "
        "something to move, something to see, and a question. Your progress stands in the address: keep the link."
    )
    finished = done()
    for start in (0, 3):
        columns = layout.columns(f"lessons-{start}", 3)
        for place, (column, lesson) in enumerate(
            zip(columns, list(LESSONS.values())[start : start + 3], strict=True), start=start
        ):
            with column, st.container(border=True, height="stretch"):
                with st.container(height="stretch"):  # buttons of one row stand at one height
                    st.markdown(f"#### {place + 1}. {lesson.title}")
                    st.markdown(lesson.about)
                st.progress(
                    finished[place] / len(lesson.steps),
                    text=f"{finished[place]} of {len(lesson.steps)} steps · about {lesson.minutes} minutes",
                )
                st.button(
                    "Go on" if 0 < finished[place] < len(lesson.steps) else "Begin",
                    key=f"begin.{lesson.name}",
                    type="primary",
                    icon=":material/arrow_forward:",
                    on_click=_go,
                    args=(lesson.name, finished[place] % len(lesson.steps) + 1),
                )


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
    st.progress(place / len(lesson.steps), text=f"Step {place} of {len(lesson.steps)}: {step.title}")
    st.markdown(f"### {step.title}")
    st.markdown(step.text)
    _show(lesson, step, place)
    right = _question(lesson, step, place)
    if right:
        _count(number, place)
    _ways(lesson, place, right)
    if place == len(lesson.steps):
        _end(lesson, number)


def _show(lesson: Lesson, step: Step, place: int) -> None:
    """The control, unless a teacher hides it, and the figure."""
    value: Any = None
    if step.control is not None:
        value = step.control.default
        for complaint in widgets.complaints([step.control], prefix=PREFIX):
            st.warning(complaint)
        if st.query_params.get(CONTROLS) != "no":
            try:
                value = widgets.widget(step.control, prefix=PREFIX)
            except OptionError as error:
                st.error(markup.sentence(error))
        elif (told := st.query_params.get(PREFIX + step.control.name)) is not None:
            value = _held(step, told)
    if step.figure is not None:
        rows = step.figure.rows(value)
        live_plot.show(module_of(step.figure.name).plot(rows, layout.theme()), key=f"lesson.{lesson.name}.{place}")


def _held(step: Step, told: str) -> Any:
    """The value that the address gives a hidden control; its default where it is none."""
    assert step.control is not None
    try:
        return parse(step.control, told)
    except OptionError:
        return step.control.default


def _question(lesson: Lesson, step: Step, place: int) -> bool:
    """The question; whether the right choice is made."""
    with st.container(border=True):
        chosen = st.radio(
            f"**{step.question.text}**",
            range(len(step.question.choices)),
            index=None,
            format_func=lambda one: step.question.choices[one],
            key=f"answer.{lesson.name}.{place}",
        )
        if chosen is None:
            return False
        if chosen == step.question.right:
            st.success(f"Right. {step.question.why}", icon=":material/check_circle:")
            return True
        st.info(f"Not quite. {step.question.hints[chosen]}", icon=":material/lightbulb:")
        return False


def _count(number: int, place: int) -> None:
    """Keep in the address that this step was answered, where it is the next one of its lesson."""
    finished = done()
    if place == finished[number] + 1:
        finished[number] = place
        st.query_params[DONE] = ".".join(map(str, finished))


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


def _open_steps(lesson: Lesson) -> None:
    """Ways to the steps whose questions are open, for whoever came to the end without an answer."""
    answers = st.session_state
    left = [
        place
        for place, step in enumerate(lesson.steps, start=1)
        if place > done()[list(LESSONS).index(lesson.name)]
        and answers.get(f"answer.{lesson.name}.{place}") != step.question.right
    ]
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


def _end(lesson: Lesson, number: int) -> None:
    """What papers say and what holds, and where to go from here."""
    paper, holds = layout.columns("lesson-end", 2)
    with paper, st.container(border=True, height="stretch"):
        st.markdown(f"##### What papers say\n{lesson.paper}")
    with holds, st.container(border=True, height="stretch"):
        st.markdown(f"##### What holds\n{lesson.holds}")
    _open_steps(lesson)
    st.caption(
        f"The same figures with exercises are in the notebook `notebooks/{lesson.notebook}.ipynb`; open it with "
        f"`.venv/bin/jupyter lab notebooks/{lesson.notebook}.ipynb`."
    )
    names: Sequence[str] = list(LESSONS)
    with st.container(horizontal=True):
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
