"""The report of one run says everything that matters, asks nobody for anything, and can keep the seed to
itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.figures import made_runs
from tests.figures.made_attacks import attack as made_attack

from privgraph.runs.records import RunRecord, StoredEvent
from privgraph.runs.store import RunStore
from privgraph_workbench import repeating, report
from privgraph_workbench.words import statements
from privgraph_workbench.words.meaning import guess
from privgraph_workbench.words.numbers import at_most

SEED = 815_471


@pytest.fixture
def run(store: RunStore) -> Iterator[tuple[RunRecord, list[StoredEvent]]]:
    record = made_runs.finish(
        store,
        made_runs.spec(epsilon=3.0, seed=SEED),
        0.8,
        made_runs.statement(made_runs.edge_entries(5, 3)),
        made_runs.learning(0, 2, 10),
    )
    store.note(record.id, "a <script>note</script>")
    return store.get(record.id), store.events(record.id)


class Links(HTMLParser):
    """Everything that a page would ask for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.asked += [value or "" for name, value in attrs if name in ("src", "srcset", "href", "data", "action")]


@pytest.mark.long
def test_both_forms_say_what_matters(run: tuple[RunRecord, list[StoredEvent]]) -> None:
    record, events = run
    statement = record.statement
    assert statement is not None
    for text in (report.markdown(record, events), report.html(record, events)):
        for name, value in statements.three_numbers(statement):
            assert name in text
            assert value in text
        assert "80.0%" in text
        assert "exact Gaussian composition" in text
        assert statement.relation in text
        assert statement.gaps[0].title in text
        assert statement.assumptions[0] in text
        assert "noisy aggregation" in text
        assert "privgraph run progap --data social" in text
        assert "dp-accounting" in text
        assert record.id in text


@pytest.mark.long
def test_the_guarantee_is_said_as_a_wager(run: tuple[RunRecord, list[StoredEvent]]) -> None:
    record, events = run
    statement = record.statement
    assert statement is not None
    bound = at_most(guess(statement.epsilon, statement.delta))
    for text in (report.markdown(record, events), report.html(record, events)):
        assert re.search(rf"guesses whether a certain connection is in the graph.*are right in {bound}", text)


def test_results_have_one_form(store: RunStore) -> None:
    """Shares in percent, whatever they are called; and the last step's stand apart from those of the model
    that was kept."""
    said = made_runs.statement(made_runs.edge_entries(5, 3))
    record = made_runs.finish(store, made_runs.spec(), 0.8, said, made_runs.learning(0, 2, 10))
    metrics = {"test_precision": 0.80441, "labels_flipped_by_noise": 0.375, "val_accuracy": 0.79}
    text = report.markdown(replace(record, metrics=metrics), store.events(record.id))
    assert "Test precision is a mean over classes" in text
    sized = replace(record, metrics={"test_accuracy": 0.75, "test_nodes": 100.0, "majority_class_accuracy": 0.4})
    assert "75.0% (95% interval 65.3% to 83.1%, by 100 test nodes)" in report.markdown(sized, ())
    for line in ("Test precision | 80.4%", "Labels flipped by noise | 37.5%", "Validation accuracy | 79.0%"):
        assert line in text
    losses = set(re.findall(r"\b(1\.\d+|0\.\d+)\b", text.split("## How it learnt")[1].split("##")[0]))
    assert losses
    assert all(len(number.replace(".", "").lstrip("0")) <= 3 for number in losses), losses
    assert report.LAST_STEPS in text


@pytest.mark.long
def test_the_page_asks_for_nothing(run: tuple[RunRecord, list[StoredEvent]]) -> None:
    page = report.html(*run)
    links = Links()
    links.feed(page)
    assert links.asked
    assert all(link.startswith("data:image/svg+xml;base64,") for link in links.asked)
    assert "script" not in links.tags
    assert "default-src 'none'" in page
    assert "&lt;script&gt;note" in page


@pytest.mark.long
def test_what_outsiders_found_stands_in_it(run: tuple[RunRecord, list[StoredEvent]]) -> None:
    """Numbers of all together; nobody is named."""
    record, events = run
    found = made_attack(record.id, memory=2.0)
    for render in (report.markdown, report.html):
        assert "What outsiders can tell" not in render(record, events)
        text = render(record, events, [found], share=True)
        assert "What outsiders can tell" in text
        assert f"{found.found[0]:.3f} ({found.found[1]:.3f} to {found.found[2]:.3f})" in text
        assert found.title in text
        assert "who was trained on" in text
        assert record.id not in text
        assert "cannot be read by this one" in render(record, events, None)


@pytest.mark.long
def test_what_is_shared_does_not_tell_the_seed(run: tuple[RunRecord, list[StoredEvent]]) -> None:
    """Nor the run's id: it is made from the seed, and can be tried out."""
    record, events = run
    for render in (report.markdown, report.html):
        assert str(SEED) in render(record, events)
        assert repeating.SECRET.split("?")[0][:40] in render(record, events)
        shared = render(record, events, share=True)
        assert str(SEED) not in shared
        assert record.id not in shared
        assert record.id[-12:] not in shared
        assert "--seed SEED" in shared


def test_a_run_without_a_statement_has_a_report(store: RunStore) -> None:
    store.submit(made_runs.spec())
    record = store.find()[0]
    text = report.markdown(record, store.events(record.id))
    assert "no privacy statement" in text
    assert "How it learnt" not in text


def test_markdown_tables_are_whole(run: tuple[RunRecord, list[StoredEvent]]) -> None:
    blocks = re.findall(r"(?:^\|.*\|\n)+", report.markdown(*run), flags=re.MULTILINE)
    assert len(blocks) >= 5
    for block in blocks:
        widths = {line.count("|") for line in block.splitlines()}
        assert len(widths) == 1, block
