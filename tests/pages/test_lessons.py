"""The page Lessons: every step of every lesson, questions that are checked, progress in the address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import module_of
from privgraph_workbench.lessons import LESSONS

Open = Callable[..., AppTest]


def _texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info, app.success)
    return "\n".join(element.value for kind in kinds for element in kind)


def test_six_lessons_are_listed_with_their_progress(opened: Open, store: RunStore) -> None:
    app = opened("lessons", done="1.0.0.0.0.5")
    assert len(LESSONS) == 6
    text = _texts(app)
    for place, lesson in enumerate(LESSONS.values(), start=1):
        assert f"#### {place}. {lesson.title}" in text
    labels = [button.label for button in app.button]
    assert (labels.count("Go on"), labels.count("Begin")) == (1, 5)
    app.button(key="begin.neighbours").click().run()
    assert app.title[0].value == "1. What a neighbour gives away"
    assert app.query_params["step"] in ("2", ["2"]), "it goes on where somebody was"


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_from_its_first_step_to_its_last(opened: Open, store: RunStore, name: str) -> None:
    lesson = LESSONS[name]
    app = opened("lessons", lesson=name)
    for place, step in enumerate(lesson.steps, start=1):
        assert f"### {step.title}" in _texts(app)
        drawn = len(app.get("bidi_component"))
        assert drawn == (step.figure is not None)
        answer = app.radio(key=f"answer.{name}.{place}")
        wrong = next(one for one in range(len(step.question.choices)) if one != step.question.right)
        answer.set_value(wrong).run()
        assert f"Not quite. {step.question.hints[wrong]}" in _texts(app)
        assert step.question.why not in _texts(app), "the reason is not told before the answer"
        app.radio(key=f"answer.{name}.{place}").set_value(step.question.right).run()
        assert step.question.why in _texts(app)
        if place < len(lesson.steps):
            app.button(key="lesson_next").click().run()
    text = _texts(app)
    assert lesson.paper in text
    assert lesson.holds in text
    told = app.query_params["done"]
    counted = (told if isinstance(told, str) else told[0]).split(".")
    assert counted[list(LESSONS).index(name)] == str(len(lesson.steps))


def test_a_teacher_hides_the_control_and_sets_it(opened: Open, store: RunStore) -> None:
    shown = opened("lessons", lesson="votes", step="1")
    assert len(shown.get("button_group")) + len(shown.selectbox) >= 1
    hidden = opened("lessons", lesson="votes", step="1", controls="no", set__teachers="200")
    assert not hidden.selectbox
    assert not hidden.get("button_group")


def test_a_wrong_address_gets_a_sentence(opened: Open, store: RunStore) -> None:
    assert "there is no lesson cooking" in opened("lessons", lesson="cooking").warning[0].value
    app = opened("lessons", lesson="noise", step="99", done="many")
    assert "step must be from 1 to 3" in app.warning[0].value
    assert app.title[0].value == "2. Noise and epsilon"


@pytest.mark.parametrize("name", LESSONS)
def test_every_figure_follows_its_control(name: str) -> None:
    for step in LESSONS[name].steps:
        if step.figure is None:
            assert step.control is None
            continue
        if step.control is None:
            assert step.figure.rows()
            continue
        option = step.control.option
        values = option.choices or (option.low, option.high)
        first, last = (step.figure.rows(type(step.control.default)(one)) for one in (values[0], values[-1]))
        assert first != last, f"{step.title}: the control moves nothing"
        assert module_of(step.figure.name).chart(first).series


def test_the_end_leads_back_to_what_is_open(opened: Open, store: RunStore) -> None:
    steps = LESSONS["noise"].steps
    app = opened("lessons", lesson="noise", step=str(len(steps)), done="0.1.0.0.0.0")
    still = [button.label for button in app.button if button.key and button.key.startswith("open.")]
    assert still == [f"Step {place}: {steps[place - 1].title}" for place in (2, 3)]
    app.button(key="open.2").click().run()
    assert f"### {steps[1].title}" in _texts(app)


def test_every_wrong_choice_has_a_hint() -> None:
    question = LESSONS["noise"].steps[0].question
    with pytest.raises(ValueError, match="hints"):
        replace(question, hints=("", *question.hints[1:]))
    with pytest.raises(ValueError, match="hints"):
        replace(question, hints=question.hints[:-1])
