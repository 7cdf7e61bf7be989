"""A wrong address is told once for each fault, as text, and the page goes on."""

import pytest
from tests.pages.reading import Open
from tests.pages.test_accounting import SIZES

EVIL = "![x](http://evil.example)"
GAP = {"method": "gap", "unit": "edge", **SIZES}
PROGAP = {"method": "progap", "data": "karate"}


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("page", "query", "faults"),
    [
        ("accounting", {**GAP, "epsilon": "-1", "scale": "no", "size__nodes": "many"}, 3),
        ("accounting", {**GAP, "size__train_nodes": "5000"}, 1),
        ("accounting", {"method": "edge-rand", "scale": "0.9999999", **SIZES}, 1),
        ("accounting", {"method": EVIL}, 1),
        ("data", {"data": EVIL}, 1),
        ("data", {"data": "upload:000000000000"}, 1),
        ("lessons", {"lesson": "cooking"}, 1),
        ("lessons", {"lesson": "noise", "step": "99", "done": "many"}, 1),
        ("playground", {"eps": "3", "who": "999", "hides": "cats", "noise": "0"}, 4),
        ("playground", {"who": EVIL}, 1),
        ("runs", {"of_method": "progab", "of_state": "asleep", "order": "beauty", "chosen": "gone-0"}, 4),
        ("runs", {"run": EVIL}, 1),
        ("teachers", {"run": EVIL}, 1),
        ("tradeoffs", {"data": EVIL}, 1),
        ("train", {**PROGAP, "epsilon": "-3", "epochs": "many"}, 2),
        ("train", {"method": EVIL}, 1),
        ("train", {"data": "social", "data__homophily": "7"}, 1),
        ("train", {"run": "../../etc/passwd"}, 1),
    ],
)
def test_a_fault_of_an_address_is_told_as_text(opened: Open, page: str, query: dict[str, str], faults: int) -> None:
    app = opened(page, **query)
    told = [one.value for one in (*app.warning, *app.error)]
    assert len(told) == faults, told
    assert not any("![x](http:" in one for one in told)
    assert app.title
