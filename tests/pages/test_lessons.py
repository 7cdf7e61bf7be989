"""The page Lessons: every step of every lesson, questions that are checked, progress in the address."""

import pytest
from tests.pages.reading import Open, texts

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.parts import lessons
from privgraph_workbench.parts.lessons import LESSONS
from privgraph_workbench.text import texts as glossary


@pytest.mark.long
@pytest.mark.parametrize("name", ["neighbours", "statements"])
def test_a_lesson_from_its_first_step_to_its_last(opened: Open, store: RunStore, name: str) -> None:
    lesson = LESSONS[name]
    app = opened("lessons", lesson=name)
    for place, step in enumerate(lesson["steps"], start=1):
        assert f"### {step['title']}" in texts(app)
        assert len(app.get("bidi_component")) == ("figure" in step)
        answer = app.radio(key=f"answer.{name}.{place}")
        wrong = next(one for one in range(len(step["choices"])) if one != step["right"])
        answer.set_value(wrong).run()
        assert f"Not quite. {step['hints'][wrong]}" in texts(app)
        assert step["why"] not in texts(app), "the reason is not told before the answer"
        app.radio(key=f"answer.{name}.{place}").set_value(step["right"]).run()
        assert step["why"] in texts(app)
        if place < len(lesson["steps"]):
            app.button(key="lesson_next").click().run()
    assert lesson["holds"] in texts(app)
    told = app.query_params["done"]
    counted = (told if isinstance(told, str) else told[0]).split(".")
    assert counted[list(LESSONS).index(name)] == "abcde"[: len(lesson["steps"])]


@pytest.mark.parametrize("name", LESSONS)
def test_every_figure_follows_its_control(name: str) -> None:
    for step in LESSONS[name]["steps"]:
        if "figure" not in step:
            assert "control" not in step
            continue
        if (control := lessons.control(step)) is None:
            assert lessons.rows(step)
            continue
        option = control.option
        values = option.choices or (option.low, option.high)
        first, last = (lessons.rows(step, type(control.default)(one)) for one in (values[0], values[-1]))
        assert first != last, f"{step['title']}: the control moves nothing"
        assert figure_of(step["figure"]).chart(first).series


@pytest.mark.parametrize("name", LESSONS)
def test_every_wrong_choice_has_a_hint_and_every_word_a_meaning(name: str) -> None:
    for step in LESSONS[name]["steps"]:
        assert [bool(hint) for hint in step["hints"]] == [
            place != step["right"] for place in range(len(step["choices"]))
        ]
        assert set(step.get("words", ())) <= set(glossary("glossary"))
