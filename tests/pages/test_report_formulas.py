"""The page Report: formulas of LaTeX are shown as typed, which is said, and letters are offered for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tests.pages.kept_runs import keep, spec

from privgraph.runs.store import RunStore
from privgraph_workbench import print_lines
from privgraph_workbench.views.parts import collected
from privgraph_workbench.views.parts.collected import Kept
from privgraph_workbench.words import typed_maths

Open = Callable[..., AppTest]
KEY = f"letters.{collected.REMARK}"


def _with(opened: Open, store: RunStore, remark: str) -> AppTest:
    app = opened("report")
    app.session_state["collected"] = [Kept(run=keep(store, spec(epsilon=2.0)))]
    app.run()
    app.text_area(key=collected.REMARK).set_value(remark).run()
    assert not app.exception, app.exception
    return app


def _told(app: AppTest) -> list[str]:
    return [one.value for one in app.caption if one.value.startswith("Formulas are not typeset")]


def test_a_formula_is_said_to_be_shown_as_typed_and_is_written_in_letters(opened: Open, store: RunStore) -> None:
    app = _with(opened, store, r"At $\varepsilon = 2$ it costs $\int_0^1 x$.")
    (told,) = _told(app)
    assert r"`$\varepsilon = 2$` as it was typed" in told
    assert told.endswith("In letters: ε = 2.")
    app.button(key=KEY).click().run()
    assert app.text_area(key=collected.REMARK).value == r"At ε = 2 it costs $\int_0^1 x$."
    assert opened("report").text_area(key=collected.REMARK).value == r"At ε = 2 it costs $\int_0^1 x$.", "it is kept"
    (told,) = _told(app)
    assert r"`$\int_0^1 x$`" in told
    assert KEY not in {one.key for one in app.button}, "there are no letters for it"


def test_prices_are_no_formulas(opened: Open, store: RunStore) -> None:
    app = _with(opened, store, "It costs $5 and $6, in all $11.")
    assert not _told(app)
    assert KEY not in {one.key for one in app.button}


@pytest.mark.parametrize(
    ("typed", "letters"),
    [
        (r"$\sigma^2$", "σ²"), (r"$x_{10} \geq 2$", "x₁₀ ≥ 2"), (r"$\frac{1}{n+1}$", "1/(n+1)"),
        (r"$\mathcal{O}(\sqrt{n})$", "O(√n)"), (r"$\left(1 \pm \delta\right) \times 5\%$", "(1 ± δ) × 5%"),
        (r"$x_i$", r"$x_i$"), (r"$\frac{\sqrt{2}}{3}$", r"$\frac{\sqrt{2}}{3}$"), ("$10^{a}$", "$10^{a}$"),
    ],
)  # fmt: skip
def test_letters_stand_for_all_of_a_formula_or_for_none_of_it(typed: str, letters: str) -> None:
    assert typed_maths.in_letters(typed) == letters


def test_the_print_has_every_letter_that_is_written_for_a_formula() -> None:
    signs = "".join(typed_maths._COMMANDS.values())
    assert not print_lines.lacking(f"{signs}√⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃₄₅₆₇₈₉")


def test_what_looks_like_a_formula_is_told_from_one() -> None:
    assert typed_maths.formulas(r"$\mu$ and $\mu$, \$x$, $x$5") == [r"$\mu$"]
    said = r"$\mu \ge \nu$, $\sqrt{n1}$, $x^{ab}$, $x^a$"
    assert typed_maths.in_letters(said) == "μ ≥ ν, √n1, $x^{ab}$, $x^a$"
