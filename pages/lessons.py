"""Six lessons: a list, and each step by step. What somebody has answered stands in the address."""

from functools import partial
from string import ascii_lowercase
from typing import Any

import streamlit as st

from privgraph.options import OptionError, parse
from privgraph_workbench.components import live_plot
from privgraph_workbench.figures import figure_of
from privgraph_workbench.forms import fields, widgets
from privgraph_workbench.parts import layout, lessons
from privgraph_workbench.parts.lessons import LESSONS
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup

# In the address: the lesson, the step from 1 on, the answered steps of each lesson (letters from a on, with
# dots between lessons; 0 for none), and `no` where a teacher hides the controls.
LESSON, STEP, DONE, CONTROLS = "lesson", "step", "done", "controls"
PREFIX = "set."  # before the name of a control
words = texts("lessons")["labels"]


def answered() -> dict[str, set[int]]:
    told = st.query_params.get(DONE, "").split(".")
    told = told if len(told) == len(LESSONS) else [""] * len(LESSONS)
    return {
        name: {at for at, letter in enumerate(ascii_lowercase[: len(lesson["steps"])], start=1) if letter in one}
        for (name, lesson), one in zip(LESSONS.items(), told, strict=True)
    }


def open_steps(name: str) -> list[int]:
    return [step for step in range(1, len(LESSONS[name]["steps"]) + 1) if step not in answered()[name]]


def go(lesson: str | None = None, step: int = 1) -> None:
    """Open a step, with its control at its default; None: the list."""
    for key in [key for key in st.query_params if key.startswith(PREFIX)]:
        if key not in st.session_state:  # a control's own value leaves the address with the control
            del st.query_params[key]
    if lesson is None:
        st.query_params.pop(LESSON, None)
        st.query_params.pop(STEP, None)
        return
    st.query_params[LESSON], st.query_params[STEP] = lesson, str(step)
    control = lessons.control(LESSONS[lesson]["steps"][step - 1])
    if control is not None and PREFIX + control.name in st.session_state:
        st.session_state[PREFIX + control.name] = fields.first(control)


def button(label: str, key: str, *where: Any, icon: str = "arrow_forward", primary: bool = False) -> None:
    kind = "primary" if primary else "secondary"
    st.button(label, key=key, icon=f":material/{icon}:", type=kind, on_click=go, args=where)


def progress(name: str, more: str) -> None:
    finished, steps = len(answered()[name]), len(LESSONS[name]["steps"])
    st.progress(finished / steps, text=f"{more} · {fill(words['progress'], answered=finished, all=steps)}")


def show_list() -> None:
    layout.head("lessons")
    following = next((name for name in LESSONS if open_steps(name)), None)
    columns = [*layout.columns("lessons-0", 3), *layout.columns("lessons-3", 3)]
    for place, (column, (name, lesson)) in enumerate(zip(columns, LESSONS.items(), strict=True), start=1):
        left = open_steps(name)
        with column, st.container(border=True, height="stretch"):
            with st.container(height="stretch"):  # buttons of one row stand at one height
                st.markdown(f"#### {place}. {lesson['title']}\n{lesson['about']}")
                if not left:
                    st.caption(f"**Remember:** {lesson['takeaway']}")
            progress(name, fill(words["minutes"], minutes=lesson["minutes"]))
            verb = "Again" if not left else "Go on" if answered()[name] else "Begin"
            button(verb, f"begin.{name}", name, min(left, default=1), primary=name == following)


def control_value(step: dict[str, Any]) -> Any:
    """What the control holds, which is drawn unless a teacher hides it."""
    control, shown = lessons.control(step), st.query_params.get(CONTROLS) != "no"
    if control is None:
        return None
    widgets.warn([control], prefix=PREFIX)
    try:
        if shown:
            return widgets.widget(control, prefix=PREFIX, percent=True)
        return parse(control, st.query_params.get(PREFIX + control.name, control.default))
    except OptionError as error:
        if shown:
            st.error(markup.sentence(error))
        return control.default


def ask(name: str, step: dict[str, Any], place: int) -> bool:
    """Ask the question, and return whether its answer was given or shown."""
    key, shown = f"answer.{name}.{place}", f"shown.{name}.{place}"
    if place in answered()[name] and key not in st.session_state:
        st.session_state[key] = step["right"]
    with st.container(border=True):
        places = range(len(step["choices"]))
        chosen = st.radio(
            f"**{step['question']}**", places, index=None, format_func=step["choices"].__getitem__, key=key
        )
        if chosen == step["right"]:
            st.success(f"Right. {step['why']}", icon=":material/check_circle:")
            finished = answered()
            finished[name].add(place)
            letters = ("".join(ascii_lowercase[one - 1] for one in sorted(steps)) for steps in finished.values())
            st.query_params[DONE] = ".".join(one or "0" for one in letters)
            return True
        if chosen is not None:
            st.info(f"Not quite. {step['hints'][chosen]}", icon=":material/lightbulb:")
        icon = ":material/visibility:"
        if st.session_state.get(shown):
            st.info(f"**{step['choices'][step['right']]}** {step['why']}", icon=icon)
        else:
            keep = partial(st.session_state.update, {shown: True})
            st.button("Show the answer", key="show_answer", type="tertiary", icon=icon, on_click=keep)
        return place in answered()[name] or bool(st.session_state.get(shown))


def show_step(name: str, place: int) -> None:
    lesson = LESSONS[name]
    step, last = lesson["steps"][place - 1], place == len(lesson["steps"])
    st.title(f"{list(LESSONS).index(name) + 1}. {lesson['title']}")
    bar = st.empty()  # drawn last, so that it counts the answer that is given now
    said, beside = layout.columns("lesson-step", (2, 3))
    with said:
        st.markdown(f"### {step['title']}\n{step['text']}")
        with st.container(horizontal=True, gap="xsmall", key=f"words.{name}.{place}"):
            for word in step["words"]:
                with st.popover(word, type="tertiary"):
                    st.markdown(f"**{word}**: {texts('glossary')[word]}")
        value = control_value(step)
    with beside:
        if "figure" in step:
            drawn = figure_of(step["figure"]).plot(lessons.rows(step, value), layout.theme())
            live_plot.show(drawn, key=f"lesson.{name}.{place}")
        told = ask(name, step, place)
    with bar:
        progress(name, fill(words["step"], place=place, all=len(lesson["steps"])))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if place > 1:
            button("Back", "lesson_back", name, place - 1, icon="arrow_back")
        else:
            button("All lessons", "lesson_back", icon="arrow_back")
        if not last:
            button("Next", "lesson_next", name, place + 1, primary=place in answered()[name])
        with st.popover("Copy link", icon=":material/link:"):
            controls = "no" if st.toggle("Hide the controls", key="hide_controls") else "yes"
            layout.address("lessons", **{**st.query_params.to_dict(), CONTROLS: controls})
    if last:
        show_end(name, lesson, told)


def show_end(name: str, lesson: dict[str, Any], told: bool) -> None:
    """What holds, once the last question was answered, and where to go from here."""
    if told:
        st.success(f"**Remember:** {lesson['takeaway']}", icon=":material/school:")
        with st.container(border=True):
            st.markdown(f"##### What holds\n{lesson['holds']}")
    with st.container(horizontal=True, vertical_alignment="center"):
        for step in open_steps(name):
            button(f"Step {step}: {lesson['steps'][step - 1]['title']}", f"open.{step}", name, step, icon="undo")
    st.caption(fill(words["programs"], notebook=lesson["notebook"]))
    names = list(LESSONS)
    number = names.index(name) + 1
    with st.container(horizontal=True, vertical_alignment="center"):
        for following in names[number : number + 1]:
            button(f"Lesson {number + 1}: {LESSONS[following]['title']}", "lesson_on", following, 1, primary=True)
        button("All lessons", "lesson_all", icon="apps")
        layout.link("playground", "Play with it", "toys")


asked, place = st.query_params.get(LESSON), st.query_params.get(STEP, "1")
if asked is not None and asked not in LESSONS:
    widgets.leave_out(LESSON, asked)
    asked = None
if asked is None:
    show_list()
else:
    at = int(place) if place.isdecimal() and len(place) < 3 else 0
    if not 1 <= at <= len(LESSONS[asked]["steps"]):
        st.warning(words["no_step"])
        at = 1
    show_step(asked, at)
