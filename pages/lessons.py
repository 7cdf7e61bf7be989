"""Six lessons: a list, and each step by step. What somebody has answered stands in the address."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from privgraph.options import OptionError, parse
from privgraph_workbench import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.forms import widgets
from privgraph_workbench.parts import layout
from privgraph_workbench.parts.lessons import LESSONS, Lesson, Step
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, page, texts
from privgraph_workbench.words import markup

LESSON, STEP, DONE, CONTROLS = "lesson", "step", "done", "controls"
"""In the address: the lesson, the step from 1 on, the answered steps of each lesson (letters from a on, with
dots between lessons; 0 for none), and `no` where a teacher hides the controls."""
PREFIX = "set."
"""Before the name of a control."""
words = texts("lessons")["labels"]


def answered() -> list[set[int]]:
    """The steps of each lesson that were answered rightly; a number is that of the first steps."""
    told = st.query_params.get(DONE, "").split(".")
    if len(told) != len(LESSONS):
        return [set() for _ in LESSONS]
    return [steps_of(one) & set(all_steps(lesson)) for one, lesson in zip(told, LESSONS.values(), strict=True)]


def steps_of(told: str) -> set[int]:
    """The steps that a part of the address names."""
    if told.isdecimal() and len(told) < 3:
        return set(range(1, int(told) + 1))
    return {ord(one) - ord("a") + 1 for one in told} if re.fullmatch("[a-z]*", told) else set()


def all_steps(lesson: Lesson) -> range:
    """The numbers of its steps."""
    return range(1, len(lesson.steps) + 1)


def go(lesson: str | None, step: int = 1) -> None:
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


def button(label: str, key: str, *where: Any, icon: str = "arrow_forward", primary: bool = False) -> None:
    """A button that opens a lesson, one of its steps, or the list."""
    kind = "primary" if primary else "secondary"
    st.button(label, key=key, icon=f":material/{icon}:", type=kind, on_click=go, args=where or (None,))


def progress(lesson: Lesson, finished: set[int], *more: str) -> None:
    """A bar of the questions that were answered."""
    told = fill(words["progress"], answered=len(finished), all=len(lesson.steps))
    st.progress(len(finished) / len(lesson.steps), text=" · ".join([*more, told]))


def show_list() -> None:
    """All lessons."""
    st.title("Lessons")
    st.markdown(page("lessons")[0])
    finished = answered()
    left = [[step for step in all_steps(one) if step not in finished[place]] for place, one in enumerate(lessons)]
    following = next((place for place, steps in enumerate(left) if steps), -1)
    for start in (0, 3):
        for place, column in enumerate(layout.columns(f"lessons-{start}", 3), start=start):
            lesson = lessons[place]
            with column, st.container(border=True, height="stretch"):
                with st.container(height="stretch"):  # buttons of one row stand at one height
                    st.markdown(f"#### {place + 1}. {lesson.title}\n{lesson.about}")
                    if not left[place]:
                        st.caption(f"**Remember:** {lesson.takeaway}")
                progress(lesson, finished[place], fill(words["minutes"], minutes=lesson.minutes))
                verb = "Begin" if not finished[place] else "Go on" if left[place] else "Again"
                step = min(left[place], default=1)
                button(verb, f"begin.{lesson.name}", lesson.name, step, primary=place == following)


def control_value(step: Step) -> Any:
    """What the control holds, which is drawn unless a teacher hides it."""
    control = step.control
    if control is None:
        return None
    for complaint in widgets.complaints([control], prefix=PREFIX):
        st.warning(complaint)
    try:
        if st.query_params.get(CONTROLS) != "no":
            return widgets.widget(control, prefix=PREFIX, percent=True)
        return parse(control, st.query_params.get(PREFIX + control.name, control.default))
    except OptionError as error:
        if st.query_params.get(CONTROLS) != "no":
            st.error(markup.sentence(error))
        return control.default


def ask(lesson: Lesson, step: Step, number: int, place: int) -> bool:
    """Ask the question, and return whether its answer was given or shown."""
    key, shown = f"answer.{lesson.name}.{place}", f"shown.{lesson.name}.{place}"
    if place in answered()[number] and key not in st.session_state:
        st.session_state[key] = step.right
    with st.container(border=True):
        places = range(len(step.choices))
        chosen = st.radio(f"**{step.question}**", places, index=None, format_func=step.choices.__getitem__, key=key)
        if chosen == step.right:
            st.success(f"Right. {step.why}", icon=":material/check_circle:")
            finished = answered()
            finished[number].add(place)
            letters = ("".join(chr(ord("a") + one - 1) for one in sorted(steps)) for steps in finished)
            st.query_params[DONE] = ".".join(one or "0" for one in letters)
            return True
        if chosen is not None:
            st.info(f"Not quite. {step.hints[chosen]}", icon=":material/lightbulb:")
        if st.session_state.get(shown):
            st.info(f"**{step.choices[step.right]}** {step.why}", icon=":material/visibility:")
        else:
            icon = ":material/visibility:"
            st.button(
                "Show the answer", key="show_answer", type="tertiary", icon=icon, on_click=remember, args=(shown,)
            )
        return place in answered()[number] or bool(st.session_state.get(shown))


def remember(name: str) -> None:
    """Keep that an answer was shown."""
    st.session_state[name] = True


def show_step(lesson: Lesson, place: int) -> None:
    """A step of a lesson."""
    step, number = lesson.steps[place - 1], lessons.index(lesson)
    last = place == len(lesson.steps)
    st.title(f"{number + 1}. {lesson.title}")
    bar = st.empty()  # drawn last, so that it counts the answer that is given now
    said, beside = layout.columns("lesson-step", (2, 3))
    with said:
        st.markdown(f"### {step.title}\n{step.text}")
        with st.container(horizontal=True, gap="xsmall", key=f"words.{lesson.name}.{place}"):
            for word in step.words:
                with st.popover(word, type="tertiary"):
                    st.markdown(f"**{word}**: {texts('glossary')[word]}")
        value = control_value(step)
    if step.figure:
        with beside:
            drawn = figure_of(step.figure).plot(step.rows(value), layout.theme())
            live_plot.show(drawn, key=f"lesson.{lesson.name}.{place}")
        told = ask(lesson, step, number, place)
    else:
        with beside:
            told = ask(lesson, step, number, place)
    finished = answered()[number]
    with bar:
        progress(lesson, finished, fill(words["step"], place=place, all=len(lesson.steps)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if place > 1:
            button("Back", "lesson_back", lesson.name, place - 1, icon="arrow_back")
        else:
            button("All lessons", "lesson_back", icon="arrow_back")
        if not last:
            button("Next", "lesson_next", lesson.name, place + 1, primary=place in finished)
        with st.popover("Copy link", icon=":material/link:"):
            hide = {CONTROLS: "no"} if st.toggle("Hide the controls", key="hide_controls") else {}
            kept = {key: st.query_params[key] for key in st.query_params if key != CONTROLS}
            st.code(layout.link("lessons", **kept, **hide), language=None, wrap_lines=True)
    if last:
        show_end(lesson, number, told)


def show_end(lesson: Lesson, number: int, told: bool) -> None:
    """What papers say and what holds, once the last question was answered, and where to go from here."""
    if told:
        st.success(f"**Remember:** {lesson.takeaway}", icon=":material/school:")
        for title, text in {"What papers say": lesson.paper, "What holds": lesson.holds}.items():
            with st.container(border=True):
                st.markdown(f"##### {title}\n{text}")
    left = [step for step in all_steps(lesson) if step not in answered()[number]]
    with st.container(horizontal=True, vertical_alignment="center"):
        for step in left:
            button(f"Step {step}: {lesson.steps[step - 1].title}", f"open.{step}", lesson.name, step, icon="undo")
    st.caption(fill(words["programs"], notebook=lesson.notebook))
    with st.container(horizontal=True, vertical_alignment="center"):
        if number + 1 < len(lessons):
            following = lessons[number + 1]
            button(f"Lesson {number + 2}: {following.title}", "lesson_on", following.name, 1, primary=True)
        button("All lessons", "lesson_all", icon="apps")
        st.page_link(shell.page("playground"), label="Play with it", icon=":material/toys:")


lessons = list(LESSONS.values())
asked, step_asked = st.query_params.get(LESSON), st.query_params.get(STEP, "1")
if asked is not None and asked not in LESSONS:
    st.warning(words["unknown"])
    del st.query_params[LESSON]
    asked = None
if asked is None:
    show_list()
else:
    at = int(step_asked) if step_asked.isdecimal() and len(step_asked) < 3 else 0
    if at not in all_steps(LESSONS[asked]):
        st.warning(words["no_step"])
        at = 1
    show_step(LESSONS[asked], at)
