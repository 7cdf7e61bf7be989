"""The page Lessons: every step of every lesson, questions that are checked, progress in the address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.reading import texts

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.parts.lessons import LESSONS
from privgraph_workbench.text import texts as entries

Open = Callable[..., AppTest]


@pytest.mark.long
def test_six_lessons_are_listed_with_their_progress(opened: Open, store: RunStore) -> None:
    app = opened("lessons", done="a.0.0.0.0.abcde")
    assert len(LESSONS) == 6
    text = texts(app)
    for place, lesson in enumerate(LESSONS.values(), start=1):
        assert f"#### {place}. {lesson.title}" in text
    labels = [button.label for button in app.button]
    assert (labels.count("Go on"), labels.count("Begin"), labels.count("Again")) == (1, 4, 1)
    remembered = [lesson.name for lesson in LESSONS.values() if lesson.takeaway in text]
    assert remembered == ["statements"], "what is to be learnt stands where it was learnt"
    assert [button.key for button in app.button if button.proto.type == "primary"] == ["begin.neighbours"]
    app.button(key="begin.neighbours").click().run()
    assert app.title[0].value == "1. What a neighbour gives away"
    assert app.query_params["step"] in ("2", ["2"]), "it goes on where somebody was"


@pytest.mark.parametrize(
    ("told", "steps"),
    [("b.0.0.0.0.0", {2}), ("2.0.0.0.0.0", {1, 2}), ("az.0.0.0.0.0", {1}), ("a", set()), ("A!.0.0.0.0.0", set())],
)
def test_the_address_says_which_questions_were_answered(
    opened: Open, store: RunStore, told: str, steps: set[int]
) -> None:
    """Those of earlier versions said how many, and what is no answer counts as none."""
    app = opened("lessons", lesson="neighbours", done=told)
    assert _bar(app) == (100 * len(steps) // 3, f"Step 1 of 3 · {len(steps)} of 3 questions answered")


def _bar(app: AppTest) -> tuple[int, str]:
    (bar,) = app.get("progress")
    return round(bar.proto.value), bar.proto.text


@pytest.mark.long
def test_answers_are_counted_and_not_opened_steps(opened: Open, store: RunStore) -> None:
    app = opened("lessons", lesson="neighbours", step="3")
    assert _bar(app) == (0, "Step 3 of 3 · 0 of 3 questions answered")
    right = LESSONS["neighbours"].steps[2].right
    app.radio(key="answer.neighbours.3").set_value(right).run()
    assert _bar(app) == (33, "Step 3 of 3 · 1 of 3 questions answered")
    assert app.query_params["done"] in ("c.0.0.0.0.0", ["c.0.0.0.0.0"])
    app.button(key="lesson_back").click().run()
    assert _bar(app) == (33, "Step 2 of 3 · 1 of 3 questions answered")
    app.button(key="lesson_next").click().run()
    assert app.radio(key="answer.neighbours.3").value == right, "the answer is still given"


def test_what_is_to_be_learnt_is_told_after_the_answer(opened: Open, store: RunStore) -> None:
    lesson = LESSONS["noise"]
    app = opened("lessons", lesson="noise", step="3")
    question = lesson.steps[2]
    for said in (question.why, lesson.takeaway, lesson.paper, lesson.holds):
        assert said not in texts(app)
    app.button(key="show_answer").click().run()
    for said in (f"**{question.choices[question.right]}** {question.why}", lesson.paper, lesson.holds):
        assert said in texts(app)
    assert _bar(app)[0] == 0, "what was shown was not answered"
    assert not any(button.key == "show_answer" for button in app.button)
    again = opened("lessons", lesson="noise", step="3", done="0.c.0.0.0.0")
    assert lesson.holds in texts(again), "it was answered before"
    assert question.why in texts(again)


@pytest.mark.long
@pytest.mark.parametrize("name", LESSONS)
def test_every_step_opens_its_words_from_one_glossary(opened: Open, store: RunStore, name: str) -> None:
    for place, step in enumerate(LESSONS[name].steps, start=1):
        app = opened("lessons", lesson=name, step=str(place))
        labels = [one.proto.popover.label for one in app.get("popover")]
        assert labels == [*step.words, "Copy link"]
        assert step.words
        for word in step.words:
            assert f"**{word}**: {entries('glossary')[word]}" in texts(app)


def test_every_word_of_the_glossary_is_used_and_no_other(opened: Open) -> None:
    steps = [step for lesson in LESSONS.values() for step in lesson.steps]
    assert {word for step in steps for word in step.words} == set(entries("glossary"))
    with pytest.raises(ValueError, match="glossary"):
        replace(steps[0], words=("epsilom",))


@pytest.mark.long
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_from_its_first_step_to_its_last(opened: Open, store: RunStore, name: str) -> None:
    lesson = LESSONS[name]
    app = opened("lessons", lesson=name)
    for place, step in enumerate(lesson.steps, start=1):
        assert f"### {step.title}" in texts(app)
        drawn = len(app.get("bidi_component"))
        assert drawn == bool(step.figure)
        answer = app.radio(key=f"answer.{name}.{place}")
        wrong = next(one for one in range(len(step.choices)) if one != step.right)
        answer.set_value(wrong).run()
        assert f"Not quite. {step.hints[wrong]}" in texts(app)
        assert step.why not in texts(app), "the reason is not told before the answer"
        app.radio(key=f"answer.{name}.{place}").set_value(step.right).run()
        assert step.why in texts(app)
        if place < len(lesson.steps):
            app.button(key="lesson_next").click().run()
    text = texts(app)
    assert lesson.paper in text
    assert lesson.holds in text
    told = app.query_params["done"]
    counted = (told if isinstance(told, str) else told[0]).split(".")
    assert counted[list(LESSONS).index(name)] == "abcde"[: len(lesson.steps)]


def test_a_teacher_hides_the_control_and_sets_it(opened: Open, store: RunStore) -> None:
    shown = opened("lessons", lesson="votes", step="1")
    assert len(shown.get("button_group")) + len(shown.selectbox) >= 1
    hidden = opened("lessons", lesson="votes", step="1", controls="no", set__teachers="200")
    assert not hidden.selectbox
    assert not hidden.get("button_group")


def test_a_step_fills_the_width(opened: Open, store: RunStore) -> None:
    """The text stands beside the figure, or beside the question where there is none."""
    said, beside = opened("lessons", lesson="noise", step="1").columns[:2]
    assert said.markdown[0].value.startswith("### A count with noise\n")
    assert len(beside.get("bidi_component")) == 1
    without = opened("lessons", lesson="promises", step="3").columns[1]
    assert without.radio[0].key == "answer.promises.3"


def test_shares_are_moved_in_percent(opened: Open, store: RunStore) -> None:
    assert opened("lessons", lesson="neighbours").slider[0].proto.format == "percent"
    assert opened("playground").slider(key="alike").proto.format == "percent"


def test_nothing_in_the_list_needs_a_paper(opened: Open, store: RunStore) -> None:
    text = texts(opened("lessons"))
    assert not [name for name in ("PATE", "PrivGNN", "DP-GPL") if name in text]
    end = texts(opened("lessons", lesson="noise", step="3"))
    assert "jupyter" not in end
    assert "notebooks/11_noise.ipynb" in end


def test_a_wrong_address_gets_a_sentence(opened: Open, store: RunStore) -> None:
    assert len(opened("lessons", lesson="cooking").warning) == 1
    app = opened("lessons", lesson="noise", step="99", done="many")
    assert len(app.warning) == 1
    assert app.title[0].value == "2. Noise and epsilon"


@pytest.mark.parametrize("name", LESSONS)
def test_every_figure_follows_its_control(name: str) -> None:
    for step in LESSONS[name].steps:
        if not step.figure:
            assert step.control is None
            continue
        if step.control is None:
            assert step.rows()
            continue
        option = step.control.option
        values = option.choices or (option.low, option.high)
        first, last = (step.rows(type(step.control.default)(one)) for one in (values[0], values[-1]))
        assert first != last, f"{step.title}: the control moves nothing"
        assert figure_of(step.figure).chart(first).series


def test_the_end_leads_back_to_what_is_open(opened: Open, store: RunStore) -> None:
    steps = LESSONS["noise"].steps
    app = opened("lessons", lesson="noise", step=str(len(steps)), done="0.a.0.0.0.0")
    still = [button.label for button in app.button if button.key and button.key.startswith("open.")]
    assert still == [f"Step {place}: {steps[place - 1].title}" for place in (2, 3)]
    app.button(key="open.2").click().run()
    assert f"### {steps[1].title}" in texts(app)


def test_every_wrong_choice_has_a_hint() -> None:
    question = LESSONS["noise"].steps[0]
    with pytest.raises(ValueError, match="hints"):
        replace(question, hints=("", *question.hints[1:]))
    with pytest.raises(ValueError, match="hints"):
        replace(question, hints=question.hints[:-1])
