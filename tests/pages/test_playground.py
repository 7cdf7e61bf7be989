"""The page Playground: its controls, who is taken out, and the game, without a browser."""

from tests.pages.reading import Open, drawn, numbers

from privgraph.runs.store import RunStore
from privgraph_workbench.play import world as worlds
from privgraph_workbench.play.two_worlds import Pair
from privgraph_workbench.play.world import make_world
from privgraph_workbench.words.meaning import guess
from privgraph_workbench.words.numbers import bound


def test_the_address_takes_one_friendship_out(opened: Open, store: RunStore) -> None:
    friend = make_world(60, 0.85).friends_of(3)[0]
    app = opened("playground", people="60", who="3", friend=str(friend), eps="2", hops="2")
    world = drawn(app)[0]
    assert world["gone"] == {"who": 3, "friend": friend}
    assert world["b"] == 2.0
    assert numbers(app)["Adversary"] == "≤ 88.1%", "e²/(1 + e²), rounded up"
    pair = Pair(60, 0.85, "edges", 2.0, 2, 1, 3, friend)
    most = worlds.largest_evidence(pair.world, pair.other, pair.b, pair.hops)
    assert numbers(app)["Most for these worlds"] == f"e^{most:.2f}"
    assert most <= 2.0 + 1e-9


def test_the_limit_stands_beside_the_score(opened: Open, store: RunStore) -> None:
    friend = make_world(120, 0.85).friends_of(3)[0]
    many = len(make_world(120, 0.85).friends_of(3))
    for query, limit in (
        ({"friend": str(friend), "eps": "1"}, guess(1.0, 0.0)),
        ({"eps": "0.25"}, guess(many * 0.25, 0.0)),
    ):
        app = opened("playground", who="3", **query)
        app.button(key="guess_False").click().run()
        score = next(one for one in app.metric if one.label == "Your score")
        assert score.delta == f"limit {bound(limit)}", "each friendship has an ε of its own"
