"""The page Playground: its controls, who is taken out, and the game, without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.reading import texts

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import world as worlds
from privgraph_workbench.facts.world import make_world
from privgraph_workbench.words.numbers import percent

Open = Callable[..., AppTest]


def _drawn(app: AppTest) -> list[dict[str, object]]:
    return [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]


def test_it_opens_with_a_world_and_nobody_taken_out(opened: Open, store: RunStore) -> None:
    app = opened("playground")
    (world,) = _drawn(app)
    assert len(world["groups"]) == 120  # type: ignore[arg-type]
    assert world["gone"] is None
    assert world["b"] == 2.0, "one hop, a sensitivity of 2, and an epsilon of 1"
    assert "at most 73.2%" in texts(app)
    assert not any(one.label == "Start again" for one in app.button)


def test_the_address_takes_one_friendship_out(opened: Open, store: RunStore) -> None:
    friend = make_world(60, 0.85).friends_of(3)[0]
    app = opened("playground", people="60", who="3", friend=str(friend), eps="2", hops="2")
    world = _drawn(app)[0]
    assert world["gone"] == {"who": 3, "friend": friend}
    assert world["b"] == 2.0
    text = texts(app)
    assert "with the friendship" in text
    assert "the promise allows e^2 for any two that differ in one friendship" in text
    assert "Nobody is right more often than 88.1%" in text, "e²/(1 + e²), rounded up"


def test_a_person_is_more_than_a_friendship(opened: Open, store: RunStore) -> None:
    told = "The promise is about one friendship"
    assert told in texts(opened("playground", who="3"))
    assert told not in texts(opened("playground", who="3", hides="people"))


def test_without_noise_no_epsilon_holds(opened: Open, store: RunStore) -> None:
    app = opened("playground", who="3", hides="nobody")
    assert "is right every time: no ε holds" in app.error[0].value
    assert len(_drawn(app)) == 1, "no histogram, and no game"


def test_somebody_is_chosen_by_name(opened: Open, store: RunStore) -> None:
    app = opened("playground")
    app.selectbox(key="out_who").set_value(7).run()
    assert app.query_params["who"] in ("7", ["7"])
    assert _drawn(app)[0]["gone"] == {"who": 7}
    friend = make_world(120, 0.85).friends_of(7)[0]
    app.selectbox(key="out_friend").set_value(friend).run()
    assert _drawn(app)[0]["gone"] == {"who": 7, "friend": friend}


@pytest.mark.long
def test_ten_rounds_of_guessing(opened: Open, store: RunStore) -> None:
    app = opened("playground", who="3", hides="people", eps="32")
    name = worlds.name(3)
    assert f"### Guess: was {name} in the data?" in texts(app)
    said = [app.button(key=f"guess_{one}").label for one in (True, False)]
    assert said == [f"{name} was in the data", f"{name} was not"]
    for played in range(1, 11):
        app.button(key="guess_True").click().run()
        right = len(re.findall(rf"\d\. :material/check: right: {name} was in the data", texts(app)))
        wrong = len(re.findall(rf"\d\. :material/close: \*\*wrong\*\*: {name} was not", texts(app)))
        assert right + wrong == played
        yours = app.metric[0]
        assert (yours.label, yours.value) == (f"You: {right} of {played} right", percent(right / played))
        assert not any(one.key == "guess_True" for one in app.button), "the round stays to be looked at"
        if played < 10:
            app.button(key="guess_next").click().run()
    assert not any(one.key in ("guess_True", "guess_next") for one in app.button), "ten rounds are all"
    app.button(key="guess_auto").click().run()
    assert "of 2,000 rounds" in texts(app)
    app.button(key="guess_again").click().run()
    assert ":material/c" not in texts(app)
    assert app.metric[0].value == "–"


def test_the_truth_is_said_of_the_draw_that_was_guessed(opened: Open, store: RunStore) -> None:
    app = opened("playground", who="3", hides="people", eps="32")
    before = _drawn(app)[-1]
    app.button(key="guess_True").click().run()
    assert _drawn(app)[-1] == before, "the picture is that of the guess"
    name = worlds.name(3)
    right = f"**Right.** {name} was in the data: this draw is of the world with {name}."
    wrong = f"**Wrong.** {name} was not: this draw is of the world without {name}."
    said = [one.value for one in (*app.success, *app.error)]
    assert said in ([right], [wrong])
    app.button(key="guess_next").click().run()
    assert _drawn(app)[-1] != before
    assert not app.success
    assert not app.error
    assert app.metric[0].label.startswith("You: ")


def test_the_best_possible_score_stands_beside_ones_own(opened: Open, store: RunStore) -> None:
    friend = make_world(120, 0.85).friends_of(3)[0]
    one = opened("playground", who="3", friend=str(friend), eps="1").metric[2]
    assert (one.label, one.value) == ("Limit that ε sets", "73.2%")
    app = opened("playground", who="3", eps="0.25")
    many = len(make_world(120, 0.85).friends_of(3))
    assert app.metric[2].label == f"Limit that {many}ε sets", "each friendship has an ε of its own"
    assert float(app.metric[2].value[:-1]) / 100 == pytest.approx(worlds.best_share(many * 0.25), abs=1e-3)
    both = f"{worlds.name(3)} and {worlds.name(friend)}"
    game = opened("playground", who="3", friend=str(friend))
    assert [game.button(key=f"guess_{said}").label for said in (True, False)] == [
        f"{both} were friends",
        f"{both} were not friends",
    ]


def test_a_wrong_address_gets_a_sentence_and_the_page_goes_on(opened: Open, store: RunStore) -> None:
    app = opened("playground", eps="3", who="999", hides="cats", noise="0")
    said = "\n".join(one.value for one in app.warning)
    assert "eps has no value 3; it can be 0.25" in said
    assert "who must be a number below 120" in said
    assert "oise must be at least 1" in said + texts(app)
    assert _drawn(app)[0]["gone"] is None
