"""The page Data: catalogue, facts from another process, drawings, and the upload of one's own graph."""

import io
from pathlib import Path

import numpy as np
import pytest
from tests.data.test_own_readings import READINGS
from tests.pages.reading import Open, labels, numbers
from tests.pages.reading import texts as shown
from tests.waiting import until

from privgraph.data.describe import described
from privgraph.data.errors import NoConnection
from privgraph.data.facts import Query
from privgraph.data.load import load
from privgraph.data.spec import DatasetSpec
from privgraph.data.uploads import uploads
from privgraph_workbench.facts import datasets
from privgraph_workbench.jobs import downloads
from privgraph_workbench.text import texts


def test_facts_of_a_graph_are_those_that_were_counted(opened: Open) -> None:
    described(Query(name="karate"))
    app = opened("data", data="karate")
    found = datasets.describe("karate", {})
    assert numbers(app) == {
        "Nodes": "34",
        "Edges": "78",
        "Features": "34",
        "Classes": "2",
        "Largest class": f"{found.largest_class:.1%}",
        "Homophily": "86%",
        "Neighbours' vote": f"{found.vote:.1%}",
    }
    assert app.number_input(key="node").value == found.centre
    assert {"SVG", "CSV"} <= set(labels(app))
    assert len(app.get("bidi_component")) == 3


def test_a_set_that_is_not_here_names_its_files_and_can_be_fetched(
    opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    app = opened("data", data="cora")
    assert "ind.cora.x" in app.info[0].value

    def refuse(spec: DatasetSpec, progress: object) -> None:
        raise NoConnection(f"fetching {spec.title} failed: no network")

    monkeypatch.setattr(downloads, "fetch_files", refuse)
    app.button(key="download.cora").click().run()
    until(lambda: app.run().error)
    assert "Fetching Cora failed: no network." in [one.value for one in app.caption]
    train = opened("train", data="cora")
    assert "ind.cora.x" in train.warning[0].value
    assert not any(one.startswith("Cora") for one in train.selectbox(key="data").options)


# The upload of one's own graph


def _ring(nodes: int = 30, **changed: np.ndarray) -> bytes:
    """A ring of nodes as NumPy writes it, with some arrays changed."""
    at, packed = np.arange(nodes), io.BytesIO()
    arrays = {"x": np.eye(nodes, 4, dtype=np.float32), "y": at % 3, "edge_index": np.stack([at, (at + 1) % nodes])}
    np.savez(packed, allow_pickle=False, **(arrays | changed))
    return packed.getvalue()


def test_an_upload_is_checked_kept_shown_trained_on_and_deleted(opened: Open) -> None:
    app = opened("data")
    app.file_uploader(key="upload").upload("../../evil.npz", _ring()).run()
    app.text_input(key="upload_title").set_value("![x](http://evil.example)").run()
    app.button(key="upload_go").click().run()
    (spec,) = uploads()
    assert (spec.title, spec.nodes, spec.edges) == ("![x](http://evil.example)", 30, 30)
    assert "![x](http:" not in shown(app)
    assert app.selectbox(key="data").value == spec.name
    assert not app.file_uploader[0].value, "the form is empty again"
    assert app.text_input(key="upload_title").value == ""
    assert app.query_params["data"] == spec.name, "titles are words of people, and stay out of addresses"
    until(lambda: not any(one.value == texts("labels")["reading"] for one in app.run().info), 600)
    assert numbers(app)["Nodes"] == "30"
    app.button(key="upload_read").click().run()
    assert not app.success
    train = opened("train", data=spec.name, method="mlp", unit="none")
    train.button(key="go").click().run()
    app.button(key="delete_upload").click().run()
    assert uploads() == ()
    assert app.selectbox(key="data").value == "social"


def test_a_bad_upload_is_refused_and_the_form_stays(opened: Open) -> None:
    app = opened("data")
    app.text_input(key="upload_title").set_value("My ring").run()
    app.file_uploader(key="upload").upload("ring.npz", _ring(edge_index=np.array([[0, 1], [1, 99]]))).run()
    assert len(app.error) == 1
    assert app.button(key="upload_go").disabled
    assert app.text_input(key="upload_title").value == "My ring"
    assert uploads() == ()


def test_what_can_be_read_in_two_ways_is_asked(opened: Open) -> None:
    nodes = "id;side;income\n" + "".join(f"n{at};{'ab'[at % 2]};{'1.018' if at % 3 else '500'}\n" for at in range(30))
    edges = "source;target\n" + "".join(f"n{at};n{(at + 1) % 30}\n" for at in range(30))
    app = opened("data")
    files = [(f"{name}.csv", of.encode(), "text/csv") for name, of in (("n", nodes), ("e", edges))]
    app.file_uploader[0].set_value(files).run()
    for answer in ("side", "1018"):
        assert app.button(key="upload_go").disabled
        asked = next(one for one in app.radio if one.key and one.key.startswith("answer.") and one.value is None)
        asked.set_value(next(one for one in asked.options if one.startswith(answer))).run()
    app.button(key="upload_go").click().run()
    (spec,) = uploads()
    assert load(spec.name).x.max() == 1018


def test_edges_whose_columns_have_unknown_names_are_found_and_another_choice_is_no_crash(opened: Open) -> None:
    nodes = "name,age,team\n" + "".join(f"p{at},{20 + at},{'abc'[at % 3]}\n" for at in range(30))
    edges = "wer,mit\n" + "".join(f"p{at},p{(at + 1) % 30}\n" for at in range(30))
    app = opened("data")
    files = [(f"{name}.csv", of.encode(), "text/csv") for name, of in (("people", nodes), ("ties", edges))]
    app.file_uploader[0].set_value(files).run()
    place = next(one for one in app.radio if one.label == "The edges are in")
    assert place.value == "ties.csv"
    place.set_value("people.csv").run()
    assert not app.exception
    assert app.button(key="upload_go").disabled


@pytest.mark.long
def test_a_class_that_no_file_names_is_chosen(opened: Open) -> None:
    app = opened("data")
    (path,) = (READINGS / "09_graphml_untyped").iterdir()
    app.file_uploader[0].set_value([(path.name, path.read_bytes(), "")]).run()
    next(one for one in app.selectbox if one.label == "Class of a node").set_value("dept").run()
    app.button(key="upload_go").click().run()
    (spec,) = uploads()
    assert (spec.nodes, spec.edges, spec.classes) == (40, 80, 3)
