"""What the head of a report answers: what was trained, what is promised, how well it works, what attacks
showed, what is still a risk."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack
from tests.workbench.made_reports import two_runs

from privgraph.runs.final_statement import with_public_noise
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.reporting import Asked, Drawn, Told, chapters, first_page, glance, glance_attacks, withholding
from privgraph_workbench.reporting.other_questions import NOT_THIS
from privgraph_workbench.reporting.twins import Twins
from privgraph_workbench.words import meaning, telling


@pytest.fixture
def store() -> RunStore:
    return RunStore.open()


def told_of(store: RunStore, seeds: tuple[int, ...], *, public: bool = False, score: float = 0.7) -> list[Told]:
    said = made_runs.statement(made_runs.edge_entries(9))
    said = with_public_noise(said) if public else said
    ids = [made_runs.finish(store, made_runs.spec(seed=seed), score, said).id for seed in seeds]
    return [reporting.told_of(store, store.get(run)) for run in ids]


ROW = {"asks": "who was trained on", "area_low": 0.45, "area_high": 0.6, "curve": "attack"}


def attacks() -> Drawn:
    """A figure of an attack on a run that is in the report by its figure alone."""
    rows = [
        {**ROW, "attack": "GAP, edge ε 1", "area": 0.51, "epsilon": 1.0},
        {**ROW, "attack": "GNN", "area": 0.52, "epsilon": math.inf},
    ]
    return Drawn(figure="attack_areas", rows=rows, title="Who was trained on")


def points(asked: Asked, price: str = "") -> dict[str, str]:
    lines = first_page.all_settings(asked, chapters.chapters_of(asked))
    said = glance.answers(asked, lines, price).text.replace("\\", "")
    pairs = (point.removeprefix("- **").partition(".** ") for point in said.split("\n"))
    return {question: answer for question, _, answer in pairs}


def test_each_question_has_its_answer(store: RunStore) -> None:
    answers = points(Asked(title="T", runs=told_of(store, (0, 1, 2))))
    assert list(answers) == [
        "What is promised, and to whom",
        "How well it works",
        "What attacks showed",
        "What is still a risk",
    ]
    assert "hides one connection (edge) (ε " in answers["What is promised, and to whom"]
    assert glance.COIN in answers["What is promised, and to whom"]
    assert "Test accuracy 70.0% (all 3 seeds alike)" in answers["How well it works"]
    assert answers["What attacks showed"] == glance_attacks.UNATTACKED
    assert "Not covered: several connections at once" in answers["What is still a risk"]
    assert "public" not in answers["What is still a risk"]
    assert "All together" not in answers["What is still a risk"]


def test_public_noise_promises_nothing(store: RunStore) -> None:
    answers = points(Asked(title="T", runs=told_of(store, (0,), public=True)), "**All together.** ε = 9.")
    assert answers["What is promised, and to whom"].startswith(glance.AS_RUN)
    assert answers["What is still a risk"].startswith("The noise of every one is public")
    assert glance.TOLD_TWICE in answers["What is still a risk"]


def test_what_did_not_finish_promises_nothing_and_reached_nothing(store: RunStore) -> None:
    (one,) = told_of(store, (0,))
    failed = replace(one, record=replace(one.record, metrics={}, statement_json=None), same=())
    answers = points(Asked(title="T", runs=[failed]))
    assert list(answers) == ["What attacks showed"]


def test_a_report_for_others_answers_without_what_stays(store: RunStore) -> None:
    """A guess is a function of split and labels."""
    runs = told_of(store, (70141, 70142, 70143))
    stands = [{"kind": kind, "value": 0.333, "seed": None, "of": "", "seeds": 3} for kind in ("majority", "bare")]
    asked = Asked(title="T", runs=[replace(one, stands=stands) for one in runs])
    assert "the largest class 33.3%" in points(asked)["How well it works"]
    lower = [{**row, "value": 0.31} for row in stands]
    two = replace(asked, runs=[*asked.runs[:2], replace(asked.runs[2], stands=lower)])
    assert "the largest class 31.0% to 33.3%" in points(two)["How well it works"], "each of its own test nodes"
    hidden = withholding.without_seeds(replace(asked, share=True))
    answers = points(hidden)
    assert "without privacy 33.3%" in answers["How well it works"]
    assert "largest class" not in answers["How well it works"]
    assert not any(str(seed) in answer for answer in answers.values() for seed in (70141, 70142, 70143))


SENTENCE = re.compile(r"[.!?](?= |$)")


@pytest.mark.parametrize("share", [True, False])
def test_in_short_has_at_most_five_sentences_each_an_answer(store: RunStore, share: bool) -> None:
    """Also where several were attacked, on two graphs, and figures show attacks on others."""
    runs = [*two_runs(), *told_of(store, (5, 6, 7), public=True)]
    bare = made_runs.statement((), unit="none")
    runs.append(
        reporting.told_of(store, made_runs.finish(store, made_runs.spec("gnn", "cora", unit="none"), 0.8, bare))
    )
    asked = Asked(title="T", runs=runs, figures=[*reporting.usual(runs), attacks()], share=share)
    asked = withholding.without_seeds(asked) if share else asked
    for price in ("", "**All together.** ε = 9."):
        answers = points(asked, price)
        assert len(answers) == 5
        assert max(map(len, answers.values())) <= 400, answers
        counts = {question: len(SENTENCE.findall(answer)) for question, answer in answers.items()}
        assert set(counts.values()) == {1}, answers


def test_what_was_attacked_stands_beside_what_was_found(store: RunStore) -> None:
    (one, *_) = two_runs()
    apart = [replace(at, accuracy=0.4, said=0.7) for at in one.attacks]
    said = points(Asked(title="T", runs=[replace(one, attacks=apart)]))["What attacks showed"]
    assert "(of a model trained again, 40.0% right where the run is 70.0%; " in said


@pytest.mark.parametrize(("classes", "said"), [(0.1, "more"), (0.99, "no more"), (0.75, "perhaps no more")])
def test_an_attack_on_edges_is_beside_what_true_classes_alone_tell(store: RunStore, classes: float, said: str) -> None:
    (one,) = told_of(store, (0,))
    found = replace(made_attack(one.record.id), by_classes=classes)
    _, low, high = found.found
    assert low < 0.75 < high
    asked = Asked(title="T", runs=[replace(one, attacks=[found])])
    assert f" ({said} than true classes alone tell: {classes:g})" in points(asked)["What attacks showed"]
    plain = replace(asked, runs=[replace(one, attacks=[replace(found, by_classes=None)])])
    assert "true classes" not in points(plain)["What attacks showed"]


def test_similarity_alone_is_no_strongest_attack(store: RunStore) -> None:
    """Of edges, where a model that reads them was attacked: else it is all that is known."""
    (one,) = told_of(store, (0,))
    bare = made_runs.finish(store, made_runs.spec("mlp", unit="none"), 0.6, made_runs.statement((), unit="none"))
    blind = reporting.told_of(store, bare)
    weak, strong = (
        replace(made_attack(run.record.id, memory=more), by_classes=0.8) for run, more in ((one, 0.2), (blind, 2.0))
    )
    assert strong.found[0] > weak.found[0]
    for runs in ([one, blind], [blind, one]):
        told = [replace(run, attacks=[strong if run is blind else weak]) for run in runs]
        said = points(Asked(title="T", runs=told))["What attacks showed"]
        assert "on ProGAP" in said
        assert "MLP" not in said
    assert "MLP" in points(Asked(title="T", runs=[replace(blind, attacks=[strong]), one]))["What attacks showed"]


def test_whom_nobody_hides_stands_behind_what_is_promised_and_a_level_is_told_once(store: RunStore) -> None:
    bare = made_runs.finish(store, made_runs.spec("gnn", unit="none"), 0.8, made_runs.statement((), unit="none"))
    (one,) = told_of(store, (0,), public=True)
    level = {"value": 0.5, "seed": None, "of": "MLP (ignores edges)", "low": None, "high": None, "seeds": 1}
    one = replace(one, stands=[{**level, "kind": kind} for kind in ("blind", "bare")])
    answers = points(Asked(title="T", runs=[reporting.told_of(store, bare), one]))
    assert answers["What is promised, and to whom"].startswith(f"{glance.AS_RUN} ProGAP hides")
    assert "nobody" not in answers["What is promised, and to whom"], "that is told as a risk"
    assert "one setting without any protection" in answers["What is still a risk"]
    assert answers["How well it works"].count("MLP") == 1


def test_what_was_found_of_the_same_with_other_noise_stands_where_ones_own_was_not_attacked(store: RunStore) -> None:
    (own,) = told_of(store, (0,))
    (came,) = told_of(store, (1,), public=True)
    found = made_attack(came.record.id)
    alike = Twins(runs=[came.record], attacks=[found])

    def showed(run: Told) -> str:
        return points(Asked(title="T", runs=[run]))["What attacks showed"]

    said = showed(replace(own, twins=alike))
    assert f"AUC {found.found[0]:.3f}, by BaVarIA on ProGAP, edge" in said
    assert f" with public noise, not tried with its own (of a model trained again; {NOT_THIS})" in said
    assert said.endswith("; none of the settings named above was attacked itself; guessing has 0.5.")
    assert " with public noise" not in showed(replace(own, twins=alike, attacks=[made_attack(own.record.id)]))
    nothing = replace(alike, attacks=[made_attack(came.record.id, memory=0.0)])
    assert showed(replace(own, twins=nothing)).endswith(f"{glance_attacks.NO_PROOF}.")


def test_a_private_setting_is_told_before_one_without_privacy_and_this_where_more_is_found(store: RunStore) -> None:
    (one,) = told_of(store, (0,))
    bare = made_runs.finish(store, made_runs.spec("gnn", unit="none"), 0.8, made_runs.statement((), unit="none"))
    for least, most in ((1.0, 2.0), (2.0, 1.0)):
        runs = [replace(reporting.told_of(store, bare), attacks=[made_attack(bare.id, memory=most)]),
                replace(one, attacks=[made_attack(one.record.id, memory=least)])]  # fmt: skip
        said = points(Asked(title="T", runs=runs))["What attacks showed"]
        assert said.index("on ProGAP") < (said.index("on Graph network") if least < most else len(said))
        assert ("on Graph network" in said) is (least < most)


def test_how_well_more_seeds_of_a_setting_do_stands_beside_ones_own(store: RunStore) -> None:
    (own,) = told_of(store, (0,))
    came = [one.record for one in told_of(store, (1, 2, 3), public=True, score=0.6)]
    alike = Twins(runs=came, blind=telling.Difference(by=-0.11, low=-0.13, high=-0.09))
    said = points(Asked(title="T", runs=[replace(own, twins=alike)]))["How well it works"]
    assert " with public noise has 60.0% (all 3 seeds alike), 11 points (95% interval 9 to 13) below MLP" in said


def test_several_questions_have_a_line_each_that_of_edges_first(store: RunStore) -> None:
    (one,) = told_of(store, (0,))
    trained, edges = made_attack(one.record.id), replace(made_attack(one.record.id), attack="link", by_classes=0.4)
    answers = points(Asked(title="T", runs=[replace(one, attacks=[trained, edges])]))
    first, last = (question for question in answers if question.startswith(glance_attacks.SHOWED))
    assert first == f"{glance_attacks.SHOWED}: who is connected to whom"
    assert last == f"{glance_attacks.SHOWED}: who was trained on"
    assert " (more than true classes alone tell: 0.4)" in answers[first]
    assert answers[last].endswith(f"{glance_attacks.GUESSING}.")
    assert glance_attacks.GUESSING not in answers[first], "edges are not held against a guess"


def test_between_which_shares_guesses_are_right_is_of_all_settings_that_promise_the_same(store: RunStore) -> None:
    """Not of those at the ends of ε: δ differs, and of noise that is not Gaussian nothing is known."""
    noise = {9.0: 1e-5, 2.5: 1e-2, 3.0: 1e-5}
    said = [made_runs.statement(made_runs.edge_entries(std), delta=delta) for std, delta in noise.items()]
    by_epsilon = sorted(said, key=lambda one: one.epsilon)
    ends = [meaning.guess_of(one) for one in by_epsilon]
    assert [round(one or 0, 3) for one in ends] == [0.544, 0.655, 0.631], "the most in the middle"
    runs = [
        reporting.told_of(store, made_runs.finish(store, made_runs.spec(epsilon=one.epsilon), 0.7, one))
        for one in by_epsilon
    ]
    assert "itself 54.5% to 65.6%)" in points(Asked(title="T", runs=runs))["What is promised, and to whom"]
    other = replace(by_epsilon[1], epsilon=by_epsilon[1].epsilon * 1.01)
    assert meaning.guess_of(other) is None
    mixed = made_runs.finish(store, made_runs.spec(epsilon=other.epsilon), 0.7, other)
    asked = Asked(title="T", runs=[*runs, reporting.told_of(store, mixed)])
    assert "itself" not in points(asked)["What is promised, and to whom"]
