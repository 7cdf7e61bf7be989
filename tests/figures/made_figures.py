"""Rows of every figure there is, for tests that walk over all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.figures import made_runs
from tests.figures.made_accounts import rows as made_accounts
from tests.figures.made_answers import answers as made_answers
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.figures.made_ensembles import ensemble as made_ensemble
from tests.figures.made_relations import NAMES, made_answer, made_pair

from privgraph.methods.gradients.heter_poisson.influence import Influence
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench.facts import world
from privgraph_workbench.facts.expecting import Outlook, reached
from privgraph_workbench.figures.attacks import attack_areas, attack_exposure, attack_map, attack_roc, attack_scores
from privgraph_workbench.figures.audits import audit_bounds, audit_roc, audit_scores
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import ledger, price
from privgraph_workbench.figures.graphs import classes, degrees, neighbourhood, predicted
from privgraph_workbench.figures.noise import influence, precision
from privgraph_workbench.figures.play import (
    claims_played,
    edges_or_people,
    evidence,
    friends_tell,
    many_releases,
    many_teachers,
    one_number,
    one_release,
    told_numbers,
    told_without_noise,
)
from privgraph_workbench.figures.relations import moved, relation_ranking
from privgraph_workbench.figures.runs import (
    compare,
    convergence,
    curves,
    depth,
    expected,
    neighbours_heatmap,
    standing,
    teachers_compared,
    tradeoff,
)
from privgraph_workbench.figures.teachers import (
    answers,
    budget,
    chosen,
    consensus,
    one_answer,
    stopped,
    teacher_accuracy,
    teacher_epsilons,
)
from privgraph_workbench.play.two_worlds import Pair, drawn

TAKEN_OUT = Pair(60, 0.85, "people", 8.0, 1, 1, 3, None)


def rows(store: RunStore, swept: list[RunRecord]) -> dict[str, list[Row]]:
    """By the figure's name; `swept` are finished runs of several methods, and `store` an empty store for
    others."""
    said = made_runs.statement(made_runs.edge_entries(9))
    learnt = [
        made_runs.finish(store, made_runs.spec(seed=seed), 0.8, said, made_runs.learning(seed)) for seed in (0, 1)
    ]
    pairs = [(record, store.events(record.id)) for record in learnt]
    spread = [
        made_runs.finish(store, made_runs.spec("heter-poisson", neighbours=m, test_neighbours=n), 0.5 + m / 40, said)
        for m in (1, 4)
        for n in (1, 13)
    ]
    taught = made_runs.teachers(store)
    said_by_teachers = made_answers(refuse=2)
    weighted = made_ensemble(limit=0.8)
    audited, attacked = made_audit(trials=400), made_attack()
    return {
        "curves": curves.data(pairs[0][1]),
        "ledger": ledger.data(said.ledger, said.delta),
        "degrees": degrees.data([1, 1, 2, 5, 9]),
        "classes": classes.data({"left": 3, "right $x$ <b>&": 2}),
        "neighbourhood": neighbourhood.data([(0, 1), (1, 2)], [0, 1, 0], centre=1),
        "predicted": predicted.data([(0, 1), (1, 2)], {0: 0, 1: 1, 2: 0}, {0: 0, 1: 0}, centre=1),
        "tradeoff": tradeoff.data(swept),
        "expected": expected.data(_outlook(learnt), (0.5, 2.0)),
        "standing": standing.data(learnt[0], learnt, _outlook(learnt)),
        "compare": compare.data([replace(one, epsilon_audited=0.05) for one in swept[:4]]),
        "convergence": convergence.data(pairs),
        "depth": depth.data(swept),
        "teachers_compared": teachers_compared.data(taught, taught[0].id),
        "price": price.data([(0.1, 0.5, 1.2), (0.4, 2.5, 5.0), (1.0, 9.0, 20.0)], 0.4),
        "answers": answers.data(said_by_teachers),
        "one_answer": one_answer.data(said_by_teachers, 3),
        "chosen": chosen.data(said_by_teachers, 3),
        "teacher_epsilons": teacher_epsilons.data(weighted),
        "budget": budget.data(weighted),
        "consensus": consensus.data(weighted),
        "stopped": stopped.data(weighted),
        "teacher_accuracy": teacher_accuracy.data(weighted),
        **made_accounts(),
        "precision": precision.data(10, 1e-5, {"sound": 2.0, "published": 1.0, "this setting": 3.0}),
        "audit_roc": audit_roc.data(audited, "log"),
        "audit_scores": audit_scores.data(audited),
        "audit_bounds": audit_bounds.data(audited),
        "attack_roc": attack_roc.data([attacked, made_attack(memory=0.3, seed=1)], "log"),
        "attack_areas": attack_areas.data([attacked, made_attack(memory=0.3, seed=1)]),
        "attack_scores": attack_scores.data(attacked),
        "attack_exposure": attack_exposure.data(attacked),
        "attack_map": attack_map.data(attacked),
        "evidence": evidence.data(*drawn(TAKEN_OUT), TAKEN_OUT.epsilon, TAKEN_OUT.names),
        "told_numbers": told_numbers.data(
            world.published(TAKEN_OUT.world, TAKEN_OUT.b, 1, 1, np.random.default_rng(0)),
            TAKEN_OUT.world,
            TAKEN_OUT.other,
            TAKEN_OUT.names,
        ),
        "told_without_noise": told_without_noise.data(),
        "friends_tell": friends_tell.data(people=60),
        "one_number": one_number.data(),
        "one_release": one_release.data(),
        "many_releases": many_releases.data(releases=4),
        "edges_or_people": edges_or_people.data(people=60),
        "many_teachers": many_teachers.data(teachers=60),
        "claims_played": claims_played.data(),
        "moved": moved.data(made_answer(), NAMES, 2),
        "relation_ranking": relation_ranking.data(made_pair(store)),
        "neighbours_heatmap": neighbours_heatmap.data(spread),
        "influence": influence.data(
            [Influence("gcn", share, round(10 * share), 0, share) for share in (0.1, 0.5, 0.9)]
        ),
    }


def _outlook(records: list[RunRecord]) -> Outlook:
    """What runs would say of an epsilon of 1 and of 4."""
    points = (reached(records, 1.0), reached(records, 4.0))
    return Outlook(points=points, majority=0.4, blind=reached(records[:1]), bare=reached(records))
