"""Faint lines and bands are named in the figure itself."""

from __future__ import annotations

from dataclasses import replace

from tests.figures.made_attacks import attack
from tests.figures.made_audits import audit

from privgraph.privacy.kinds import Route
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.attacks import attack_roc
from privgraph_workbench.figures.audits import audit_roc
from privgraph_workbench.figures.export import export


def test_the_legend_of_several_attacks_says_once_what_is_faint_and_what_a_band_is() -> None:
    rows = attack_roc.data([attack(), attack(memory=0.5, seed=1)], names=["strong", "weak"])
    shown = [trace.name for trace in figure_of("attack_roc").plot(rows).data if trace.showlegend]
    assert shown[-2:] == [attack_roc.FAINT, attack_roc.BAND]
    keys = [trace for trace in figure_of("attack_roc").plot(rows).data if trace.name in shown[-2:]]
    assert [list(trace.x) for trace in keys] == [[None], [None]], "without any place, plotly would leave them out"
    assert {trace.legendgroup for trace in keys}.isdisjoint({"strong", "weak"}), "each curve hides with its own"
    assert export("attack_roc", rows, {}, "svg"), "the other renderer draws them, too"


def test_one_attack_alone_names_its_band() -> None:
    names = [trace.name for trace in figure_of("attack_roc").plot(attack_roc.data([attack()])).data if trace.showlegend]
    assert attack_roc.BAND in names
    assert attack_roc.FAINT not in names, "its faint line is named itself"


def test_trials_of_an_audit_are_called_an_estimate_where_another_line_is_held_against_the_claims() -> None:
    made = audit(noise=0.8)
    shown = replace(made, epsilon=next(one.epsilon for one in made.bounds if one.route is Route.GAUSSIAN))
    drawn = audit_roc.chart(audit_roc.data(shown)).series
    assert [one.name for one in drawn if one.faint] == [audit_roc.ESTIMATE]
    names = [one.name for one in audit_roc.chart(audit_roc.data(made)).series]
    assert audit_roc.ESTIMATE not in names, "there the band says how far chance moves it"
