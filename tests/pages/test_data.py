"""The Data page: facts from another process, wrong addresses, absent files, uploads."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files

from privgraph.data.errors import NoConnection
from privgraph.data.spec import DatasetSpec
from privgraph.data.upload import check_upload
from privgraph.data.uploads import uploads
from privgraph_workbench.facts import describing
from privgraph_workbench.jobs import downloads
from privgraph_workbench.views.data import upload


def counted(app: AppTest) -> AppTest:
    """Waits until the facts are there, as the page does once a second."""
    deadline = time.monotonic() + 600
    while any("being read and counted" in info.value for info in app.info):
        assert time.monotonic() < deadline, "the graph was never counted"
        time.sleep(0.3)
        app.run()
    assert not app.exception, app.exception
    return app


def _words(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.info) for element in kind)


def test_facts_homophily_and_neighbourhood(opened: Callable[..., AppTest]) -> None:
    app = counted(opened("data", data="karate"))
    assert {metric.label: metric.value for metric in app.metric} == {
        "Nodes": "34",
        "Edges": "78",
        "Features": "34",
        "Classes": "2",
        "Homophily": "86%",
    }
    assert "Neighbours are alike" in _words(app)
    node = app.number_input(key="node")
    assert node.label == "Node (0 to 33)"
    described = describing.describe("karate", {})
    assert described is not None
    assert node.value == described.piece.centre
    assert sum(described.classes.values()) == described.facts.nodes
    assert sum(row["nodes"] for row in described.degrees) == 34


@pytest.mark.long
def test_the_catalogue_comes_first_with_titles_and_marks_what_is_chosen(opened: Callable[..., AppTest]) -> None:
    app = opened("data")
    order = [fold.proto.label for fold in app.expander]
    assert order[0].startswith("The whole catalogue: ")
    assert order[1] == "Bring your own graph"
    assert app.expander[0].proto.expanded
    table = app.dataframe[0].value
    assert list(table["graph"][:2]) == ["Made-up social network", "Handwritten digits"]
    assert not {"cora", "social"} & {str(cell) for cell in table.to_numpy().ravel()}, "titles, and no names"
    assert table["graph"][table["chosen"] == "●"].tolist() == ["Made-up social network"]
    assert not any("search" in one.label.casefold() for one in app.text_input), "the one search chooses, too"
    there = opened("data", data="karate")
    assert not there.expander[0].proto.expanded, "whoever comes for a graph sees it at once"
    there.session_state["fold.catalogue"] = True
    there.run()
    table = there.dataframe[0].value
    assert table["graph"][table["chosen"] == "●"].tolist() == ["Karate club"]
    assert table["graph"].iloc[0] == "Karate club", "in sight, however long the table"


def test_graphs_are_counted_alike_where_they_are_chosen(opened: Callable[..., AppTest]) -> None:
    data = opened("data", data="karate")
    count = data.selectbox(key="data").label.removeprefix("Data set: type to search ")
    assert count.split()[1].rstrip(",") == "graphs"
    assert data.expander[0].proto.label == f"The whole catalogue: {count}"
    assert opened("train").selectbox(key="find.data").label == f"Search {count}"


@pytest.mark.long
def test_options_of_the_invented_network_are_a_form(opened: Callable[..., AppTest]) -> None:
    app = opened("data", data="social", data__nodes="100", data__degree="4", data__homophily="0.3")
    app = counted(app)
    values = {metric.label: metric.value for metric in app.metric}
    assert values["Nodes"] == "100"
    assert values["Edges"] == "200"
    app.text_input(key="data.degree").set_value("999").run()
    assert app.error[0].value == "Degree must be at most 500 (got 999)."
    app.text_input(key="data.degree").set_value("80").run()
    assert any("Degree must be at most nodes over twice the classes" in error.value for error in app.error)
    assert app.text_input(key="data.degree").value == "80"


@pytest.mark.long
def test_wrong_addresses_are_one_sentence(opened: Callable[..., AppTest]) -> None:
    app = opened("data", data="corra")
    assert "did you mean cora" in app.warning[0].value
    app = opened("data", data="upload:000000000000")
    assert "upload the graph again" in app.warning[0].value
    app = counted(opened("data", data="karate", node="77"))
    assert [error.value for error in app.error] == ["Node must be at most 33 (got 77)."]
    assert not app.warning


@pytest.mark.long
def test_another_graph_has_another_node_in_the_middle(opened: Callable[..., AppTest]) -> None:
    app = counted(opened("data", data="patients", node="500"))
    assert not app.error
    app = counted(app.selectbox(key="data").set_value("karate").run())
    assert not app.error
    assert app.number_input(key="node").value <= 33


@pytest.mark.long
def test_a_set_that_is_not_here_says_which_files_are_missing(
    opened: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    app = opened("data", data="cora")
    assert "ind.cora.x" in app.info[0].value
    assert str(tmp_path) in app.info[0].value
    assert app.button(key="download.cora").label == "Download it now"

    def refuse(spec: DatasetSpec, progress: object) -> None:
        raise NoConnection(f"fetching {spec.title} failed: no network")

    monkeypatch.setattr(downloads, "fetch_files", refuse)
    app.button(key="download.cora").click().run()
    deadline = time.monotonic() + 10
    while not app.error:
        assert time.monotonic() < deadline
        app.run()
    assert app.error[0].value == "**No connection.** The server that has Cora could not be reached."
    assert "Fetching Cora failed: no network." in [one.value for one in app.caption], "its own words, folded away"
    assert not opened("data", data="cora").error, "it is said to those who have watched it"
    app.button(key="dismiss.cora").click().run()
    assert not app.error
    train = opened("train", data="cora")
    assert "ind.cora.x" in train.warning[0].value
    assert not any(one.startswith("Cora") for one in train.selectbox(key="find.data").options)


def _npz(**arrays: np.ndarray) -> bytes:
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def _graph(nodes: int = 30) -> dict[str, np.ndarray]:
    ring = np.arange(nodes)
    return {
        "x": np.eye(nodes, 4, dtype=np.float32),
        "y": ring % 3,
        "edge_index": np.stack([ring, (ring + 1) % nodes]),
    }


@pytest.mark.long
def test_an_upload_is_checked_kept_and_shown(opened: Callable[..., AppTest]) -> None:
    app = opened("data")
    app.file_uploader(key="upload").upload("../../evil.npz", _npz(**_graph())).run()
    app.text_input(key="upload_title").set_value("My ring").run()
    app.button(key="upload_go").click().run()
    assert not app.exception, app.exception
    (spec,) = uploads()
    assert (spec.title, spec.nodes, spec.edges) == ("My ring", 30, 30)
    assert app.selectbox(key="data").value == spec.name
    assert "My ring" in app.selectbox(key="data").options
    assert not app.file_uploader[0].value, "the form is empty again"
    assert app.text_input(key="upload_title").value == ""
    assert not [button for button in app.button if button.key == "upload_go"]
    assert app.query_params["data"] == spec.name, "titles are words of people, and stay out of addresses"
    assert counted(app).metric[0].value == "30"
    app.button(key="delete_upload").click().run()
    app.button(key="delete_upload_no").click().run()
    assert len(uploads()) == 1
    train = opened("train", data=spec.name, method="mlp", unit="none")
    train.button(key="go").click().run()
    assert not train.exception, train.exception
    app.button(key="delete_upload").click().run()
    app.button(key="delete_upload_yes").click().run()
    assert not app.exception, app.exception
    assert uploads() == ()
    assert app.selectbox(key="data").value == "social"


@pytest.mark.long
def test_merged_duplicates_are_counted(opened: Callable[..., AppTest]) -> None:
    graph = _graph()
    graph["edge_index"] = np.concatenate([graph["edge_index"], graph["edge_index"][::-1, :3]], axis=1)
    app = opened("data")
    app.file_uploader(key="upload").upload("ring.npz", _npz(**graph)).run()
    app.button(key="upload_go").click().run()
    said = "33 edges were listed, and 3 duplicates were merged: the same two nodes again, in either direction."
    assert said in _words(app)
    app = counted(app)
    (kept,) = (text.value for text in app.success)
    assert "is kept:** 30 nodes (people), 30 edges" in kept, "also when the page is drawn anew"
    assert said in _words(app)
    (spec,) = uploads()
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label == "**Train on it**")
    assert link.query_string == f"data={spec.name.replace(':', '%3A')}"
    app.button(key="upload_read").click().run()
    assert not app.success


@pytest.mark.long
def test_a_missing_name_is_said_at_its_field(opened: Callable[..., AppTest]) -> None:
    said = "It has no name yet"
    app = opened("data")
    assert said not in _words(app)
    app.file_uploader(key="upload").upload("ring.npz", _npz(**_graph())).run()
    assert said in _words(app)
    app.text_input(key="upload_title").set_value("My ring").run()
    assert said not in _words(app)


def test_who_comes_to_bring_texts_finds_the_upload_open_and_in_words_of_texts(
    opened: Callable[..., AppTest],
) -> None:
    plain, app = opened("data"), opened("data", data="products", bring="texts")
    for page, label, open_ in ((plain, "Bring your own graph", False), (app, "Bring your own texts", True)):
        (fold,) = (one for one in page.expander if one.label.startswith("Bring your own"))
        assert (fold.label, fold.proto.expanded) == (label, open_)
    assert app.file_uploader(key="upload").label == "Two CSV files: texts and relations"
    assert app.text_input(key="upload_title").placeholder == "My texts"
    assert any("the **texts**, `id,text,domain`, and the **relations**" in one.value for one in app.markdown)


def test_odd_values_of_an_upload_are_told_at_once_and_later(opened: Callable[..., AppTest]) -> None:
    graph = _graph()
    graph["x"][[3, 7, 7], [0, 1, 2]] = (4e6, -1e30, 2e6)
    app = opened("data")
    app.file_uploader(key="upload").upload("ring.npz", _npz(**graph)).run()
    app.button(key="upload_go").click().run()
    said = "2 nodes have features beyond 1,000,000 in size, which are read as if they were that large."
    assert said in _words(app)
    (spec,) = uploads()
    assert said in _words(opened("data", data=spec.name))


def test_a_bad_upload_is_refused_in_one_sentence_and_the_form_stays(opened: Callable[..., AppTest]) -> None:
    bad = _graph() | {"edge_index": np.array([[0, 1], [1, 99]])}
    app = opened("data")
    app.text_input(key="upload_title").set_value("My ring").run()
    app.file_uploader(key="upload").upload("ring.npz", _npz(**bad)).run()
    app.button(key="upload_go").click().run()
    assert not app.exception, app.exception
    assert len(app.error) == 1
    assert app.text_input(key="upload_title").value == "My ring"
    assert uploads() == ()


def _texts(domains: bool = True) -> list[tuple[str, bytes, str]]:
    """Twenty texts, the first two without a label, and a ring of relations, as two files."""
    labels = ["", "", *("even", "odd") * 9]
    rows = [
        f"{n},**loud** text {n},{label}" + f",{('shop', '<b>bar</b>')[n >= 10]}" * domains
        for n, label in enumerate(labels)
    ]
    pairs = [f"{n},{(n + 1) % 20}" for n in range(20)]
    return [
        ("a.csv", "\n".join([f"id,text,label{',domain' * domains}", *rows]).encode(), "text/csv"),
        ("b.csv", "\n".join(["source,target", *pairs]).encode(), "text/csv"),
    ]


@pytest.mark.long
def test_texts_by_csv_are_shown_by_domains_as_plain_text(opened: Callable[..., AppTest]) -> None:
    app = opened("data")
    app.file_uploader(key="upload").set_value(_texts()).run()
    app.button(key="upload_go").click().run()
    assert not app.exception, app.exception
    (spec,) = uploads()
    (kept,) = (text.value for text in app.success)
    assert "**Your own texts is kept:** 20 texts, 20 relations, 2 domains." in kept
    assert "Relations between two domains: 2." in _words(app)
    app = counted(app)
    assert {metric.label: metric.value for metric in app.metric} == {
        "Texts": "20",
        "Relations": "18",
        "Domains": "2",
        "Words a text": "3.0",
        "Classes": "2",
    }
    assert "2 more join texts of two domains" in _words(app)
    assert "2 texts have none." in _words(app)
    described = describing.describe(spec.name, {})
    assert described is not None
    assert described.homophily_by_chance == 0.5, "who has no label is not counted"
    assert "What do neighbours give away" not in _words(app), "that question is about classes of people"
    sizes, pairs = (table.value for table in app.dataframe[1:3])
    assert sizes.to_dict("list") == {
        "domain": ["shop", "<b>bar</b>"],
        "texts": [10, 10],
        "relations": [9, 9],
        "words a text": [3.0, 3.0],
        "most words": [3, 3],
    }
    assert pairs.iloc[0].tolist() == ["shop", "**loud** text 0", "**loud** text 1"]
    for label in ("Train on this graph", "**Train on it**"):
        (link,) = (one.proto for one in app.get("page_link") if one.proto.label == label)
        assert link.query_string == f"data={spec.name.replace(':', '%3A')}&method=relational"


def test_texts_without_domains_are_halved_only_where_that_is_asked(opened: Callable[..., AppTest]) -> None:
    app = opened("data")
    app.file_uploader(key="upload").set_value(_texts(domains=False)).run()
    app.button(key="upload_go").click().run()
    (error,) = (text.value for text in app.error)
    assert error.startswith("The texts have no column domain")
    assert uploads() == ()
    app.checkbox(key="upload_halves").check().run()
    app.button(key="upload_go").click().run()
    assert not app.exception, app.exception
    assert [spec.domains for spec in uploads()] == [("first random half", "second random half")]
    app.file_uploader[0].set_value(_texts(domains=False)).run()
    assert not app.checkbox(key="upload_halves").value, "the next upload is asked anew"
    app.checkbox(key="upload_halves").check().run()
    app.file_uploader[0].upload("ring.npz", _npz(**_graph())).run()
    app.button(key="upload_go").click().run()
    assert not app.error, "what was asked of two files is not asked of one"
    assert len(uploads()) == 2


def test_what_is_not_taken_is_said_before_anybody_asks(opened: Callable[..., AppTest]) -> None:
    edges = ("e.csv", b"source,target\n0,1\n", "text/csv")
    nodes = ("n.csv", b"id,label,age\n" + b"0,a,1\n1,b,2\n" * 10, "text/csv")
    packed = ("ring.npz", _npz(**_graph()), "application/zip")
    app = opened("data")
    for files, said in (
        ([nodes], "One CSV file is here, and a second is needed"),
        ([edges, packed], "2 files are here. A graph is **one** npz or GraphML file, or **two** CSV files"),
        ([edges, nodes, packed], "3 files are here."),
        ([edges, nodes], ""),
        ([packed], ""),
    ):
        app.file_uploader(key="upload").set_value(files).run()
        assert not app.exception, app.exception
        warned = [text.value for text in app.warning]
        assert (len(warned), "".join(warned)[: len(said)]) == (bool(said), said)
        assert app.button(key="upload_go").disabled == bool(said)
        assert not [box for box in app.checkbox if box.key == "upload_halves"], "no question about texts"
    app.file_uploader(key="upload").set_value([("junk.npz", b"junk", "application/zip")]).run()
    app.button(key="upload_go").click().run()
    assert app.error[0].value.startswith("This is not an npz file")


@pytest.mark.long
def test_texts_are_counted_alike_on_every_page(opened: Callable[..., AppTest]) -> None:
    app = counted(opened("data", data="products"))
    assert "**12 classes of about 167 each**" in _words(app), "a sentence in place of twelve equal bars"
    assert {"SVG", "CSV"} <= set(offered_files.labels(app))
    assert "2,000" in {metric.value for metric in app.metric if metric.label == "Texts"}
    rows = app.dataframe[0].value.set_index("graph")
    assert rows.loc["Made-up products", "nodes"] == 2000
    assert any("2,000 texts" in one for one in opened("train", data="products").selectbox(key="data").options)
    assert "2,000 texts, " in opened("accounting", data="products").markdown[0].value


def test_columns_of_other_names_are_asked_for(opened: Callable[..., AppTest]) -> None:
    nodes = "name,squad,town,age\n" + "".join(f"p{at},{'red' if at % 2 else 'blue'},Ulm,{at}\n" for at in range(30))
    edges = "citing,cited\n" + "".join(f"p{at},p{(at + 2) % 30}\n" for at in range(30))
    app = opened("data")
    app.file_uploader(key="upload").set_value(
        [("n.csv", nodes.encode(), "text/csv"), ("e.csv", edges.encode(), "text/csv")]
    ).run()
    assert not app.exception
    assert "**Which column is which?**" in "\n".join(one.value for one in app.markdown)
    picked = {box.label: box.value for box in app.selectbox if box.key and box.key.startswith("columns.")}
    assert picked["One end of an edge"] == "citing"
    assert picked["Name of a node"] == "name"
    assert picked["Class of a node"] is None, "a class is said, and not guessed"
    assert app.button(key="upload_go").disabled
    next(box for box in app.selectbox if box.label == "Class of a node").set_value("squad").run()
    assert next(box for box in app.selectbox if box.label == "town (1 value)").value == "leave out"
    app.button(key="upload_go").click().run()
    assert not app.error, app.error
    (spec,) = uploads()
    assert (spec.nodes, spec.edges, spec.classes) == (30, 30, 2)


def test_the_sample_files_are_taken() -> None:
    with zipfile.ZipFile(io.BytesIO(upload.samples())) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    graph = check_upload({name: content[f"graph-{name}.csv"] for name in ("edges", "nodes")})
    texts = check_upload({name: content[f"{name}.csv"] for name in ("relations", "texts")})
    xml = check_upload({"graph": content["graph.graphml"]})
    assert graph.edges.shape == xml.edges.shape
    assert texts.domain_names == ("kitchen", "garden")
