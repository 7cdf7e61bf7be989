"""The page Accounting: any private method priced from public sizes, from epsilon to noise and back."""

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.reading import Open, figures, numbers
from tests.workbench.test_method_costs import FACTS

from privgraph_workbench.facts import method_costs
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.numbers import stated

SIZES = {
    "data": "typed sizes",
    "size__nodes": str(FACTS.nodes),
    "size__edges": str(FACTS.edges),
    "size__train_nodes": str(FACTS.train_nodes),
    "size__classes": str(FACTS.classes),
}


@pytest.fixture(autouse=True)
def short_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_costs, "SPREAD", 2.0)


def epsilons(app: AppTest) -> tuple[str, str]:
    """The sound and the published epsilon."""
    found = numbers(app)
    return found[EPSILONS["sound"].label], found[EPSILONS["published"].label]


def of(said: object) -> tuple[str, str]:
    return stated("sound", said.epsilon), stated("published", said.epsilon_as_published)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "unit"),
    [("progap", "edge"), ("gap", "node"), ("edge-rand", "edge"), ("heter-poisson", "node"), ("dp-gpl", "node")],
)
def test_a_method_is_priced_as_it_plans(opened: Open, name: str, unit: str) -> None:
    options = {"batch_size": 200} if name == "heter-poisson" else {}  # its own default is all of so small a graph
    app = opened("accounting", method=name, unit=unit, **{key: str(value) for key, value in options.items()}, **SIZES)
    assert not app.error, app.error
    assert not app.warning, app.warning
    account = method_costs.setting(name, {"unit": unit, **options}, FACTS)
    assert epsilons(app) == of(account.config.plan(FACTS).statement)
    assert len(figures(app)) == account.reads
    assert len(app.info) == (not account.reads)


def test_a_wanted_epsilon_gives_noise_and_the_noise_gives_it_back(opened: Open) -> None:
    app = opened("accounting", method="gap", unit="edge", epsilon="2", **SIZES)
    setting = method_costs.setting("gap", {"unit": "edge", "epsilon": 2.0}, FACTS)
    assert app.number_input(key="scale").value == pytest.approx(setting.noise(), rel=1e-5)
    app.number_input(key="scale").set_value(2 * setting.noise()).run()
    said = setting.at(float(app.number_input(key="scale").value or 0))
    assert epsilons(app) == of(said)
    assert app.number_input(key="epsilon").value == pytest.approx(float(stated("sound", said.epsilon)))
    assert app.query_params["scale"], "the address holds what was given"
    app.number_input(key="epsilon").set_value(2.0).run()
    assert "scale" not in app.query_params
    assert app.number_input(key="scale").value == pytest.approx(setting.noise(), rel=1e-5)


def test_so_little_noise_promises_nothing(opened: Open) -> None:
    assert epsilons(opened("accounting", method="dp-mlp", scale="0.02", **SIZES)) == (">100,000", ">100,000")
    app = opened("accounting", method="gap", unit="edge", scale="0.001", **SIZES)
    assert epsilons(app)[0] == "∞"
    assert any(":red-badge[no proof" in one.value for one in app.markdown)
    published = opened("accounting", method="privgnn", release="log-posterior", accounting="published", **SIZES)
    assert epsilons(published)[0] == "∞"
    assert any(":red-badge[no proof" in one.value for one in published.markdown)
    assert len(opened("accounting", method="privgnn", release="log-posterior", **SIZES).error) == 1
