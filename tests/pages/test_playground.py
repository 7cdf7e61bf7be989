"""The page Playground: its controls, who is taken out, and the game, without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from privgraph.runs.store import RunStore
from privgraph_workbench.facts import world as worlds
from privgraph_workbench.facts.world import make_world
from privgraph_workbench.play.two_worlds import Pair
from privgraph_workbench.words.numbers import bound

Open = Callable[..., AppTest]


def _drawn(app: AppTest) -> list[dict[str, object]]:
    return [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]


def numbers(app: AppTest) -> dict[str, str]:
    return {one.label: one.value for one in app.metric}


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def test_it_opens_with_a_world_and_nobody_taken_out(opened: Open, store: RunStore) -> None:
    app = opened("playground")
    (world,) = _drawn(app)
    assert len(world["groups"]) == 120  # type: ignore[arg-type]
    assert world["gone"] is None
    assert world["b"] == 2.0, "one hop, a sensitivity of 2, and an epsilon of 1"
    assert numbers(app) == {"Adversary": "≤ 73.2%"}
    assert not {"guess_True", "guess_again"} & keys(app)


def test_the_address_takes_one_friendship_out(opened: Open, store: RunStore) -> None:
    friend = make_world(60, 0.85).friends_of(3)[0]
    app = opened("playground", people="60", who="3", friend=str(friend), eps="2", hops="2")
    world = _drawn(app)[0]
    assert world["gone"] == {"who": 3, "friend": friend}
    assert world["b"] == 2.0
    assert numbers(app)["Adversary"] == "≤ 88.1%", "e²/(1 + e²), rounded up"
    pair = Pair(60, 0.85, "edges", 2.0, 2, 1, 3, friend)
    assert numbers(app)["Most for these worlds"] == f"e^{pair.most:.2f}"
    assert pair.most <= 2.0 + 1e-9


def test_a_person_is_more_than_a_friendship(opened: Open, store: RunStore) -> None:
    def several(app: AppTest) -> bool:
        return any(":orange-badge[several friendships" in one.value for one in app.markdown)

    assert several(opened("playground", who="3"))
    assert not several(opened("playground", who="3", hides="people"))


def test_without_noise_no_epsilon_holds(opened: Open, store: RunStore) -> None:
    app = opened("playground", who="3", hides="nobody")
    assert len(app.error) == 1
    assert len(_drawn(app)) == 1, "no histogram, and no game"
    assert "Adversary" not in numbers(app)


def test_somebody_is_chosen_by_name(opened: Open, store: RunStore) -> None:
    app = opened("playground")
    app.selectbox(key="out_who").set_value(7).run()
    assert app.query_params["who"] in ("7", ["7"])
    assert _drawn(app)[0]["gone"] == {"who": 7}
    friend = make_world(120, 0.85).friends_of(7)[0]
    app.selectbox(key="out_friend").set_value(friend).run()
    assert _drawn(app)[0]["gone"] == {"who": 7, "friend": friend}


def test_ten_rounds_of_guessing(opened: Open, store: RunStore) -> None:
    app = opened("playground", who="3", hides="people", eps="32")
    for played in range(1, 11):
        before = _drawn(app)[-1]
        app.button(key="guess_True").click().run()
        assert _drawn(app)[-1] == before, "the picture is that of the guess"
        (table,) = [one.value for one in app.dataframe]
        right = int((table["result"] == "right").sum())
        assert len(table) == played
        assert numbers(app)["Your score"] == f"{right} of {played}"
        assert (len(app.success), len(app.error)) in ((1, 0), (0, 1))
        assert len(app.success) == (table["result"].iloc[-1] == "right")
        assert "guess_True" not in keys(app), "the round stays to be looked at"
        if played < 10:
            app.button(key="guess_next").click().run()
            assert _drawn(app)[-1] != before
    assert not {"guess_True", "guess_next"} & keys(app), "ten rounds are all"
    app.button(key="guess_auto").click().run()
    share = float(numbers(app)["Best guesser, 2,000 rounds"].rstrip("%")) / 100
    assert 0.9 < share <= 1
    app.button(key="guess_again").click().run()
    assert not app.dataframe
    assert "Your score" not in numbers(app)


def test_the_limit_stands_beside_the_score(opened: Open, store: RunStore) -> None:
    friend = make_world(120, 0.85).friends_of(3)[0]
    many = len(make_world(120, 0.85).friends_of(3))
    for query, limit in (
        ({"friend": str(friend), "eps": "1"}, worlds.best_share(1.0)),
        ({"eps": "0.25"}, worlds.best_share(many * 0.25)),
    ):
        app = opened("playground", who="3", **query)
        app.button(key="guess_False").click().run()
        score = next(one for one in app.metric if one.label == "Your score")
        assert score.delta == f"limit {bound(limit)}", "each friendship has an ε of its own"


def test_a_wrong_address_is_told_and_the_page_goes_on(opened: Open, store: RunStore) -> None:
    app = opened("playground", eps="3", who="999", hides="cats", noise="0")
    assert len([*app.warning, *app.error]) == 4
    assert _drawn(app)[0]["gone"] is None
    assert "![x](http:" not in opened("playground", who="![x](http://evil.example)").warning[0].value


@pytest.mark.parametrize("query", [{}, {"who": "3"}])
def test_one_figure_is_the_world_and_two_more_the_game(opened: Open, store: RunStore, query: dict[str, str]) -> None:
    assert len(_drawn(opened("playground", **query))) == (3 if query else 1)
