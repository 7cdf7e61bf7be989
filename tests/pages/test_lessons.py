"""The page Lessons: questions that are checked, and figures that follow their controls."""

import pytest
from tests.pages.reading import Open, texts

from privgraph.runs.store import RunStore
from privgraph_workbench.figures import figure_of
from privgraph_workbench.parts import lessons
from privgraph_workbench.parts.lessons import LESSONS
from privgraph_workbench.text import texts as glossary


def test_a_wrong_answer_has_its_hint_and_the_right_one_its_reason(opened: Open, store: RunStore) -> None:
    app, step = opened("lessons", lesson="neighbours", step="1"), LESSONS["neighbours"]["steps"][0]
    wrong = next(one for one in range(len(step["choices"])) if one != step["right"])
    for chosen, said, unsaid in (
        (wrong, step["hints"][wrong], step["why"]),
        (step["right"], step["why"], step["hints"][wrong]),
    ):
        app.radio(key="answer.neighbours.1").set_value(chosen).run()
        assert said in texts(app)
        assert unsaid not in texts(app)


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
