"""The page Data: catalogue, facts from another process, drawings, and the upload of one's own graph."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from tests.pages import offered_files

from privgraph.data.errors import NoConnection
from privgraph.data.load import load
from privgraph.data.spec import DatasetSpec
from privgraph.data.upload import check_upload
from privgraph.data.uploads import uploads
from privgraph_workbench.facts import describing
from privgraph_workbench.jobs import downloads
from privgraph_workbench.parts import upload, upload_columns
from privgraph_workbench.text import texts

Open = Callable[..., AppTest]
File = tuple[str, bytes, str]
GROUPS = ("HR", "IT", "Sales")


def counted(app: AppTest) -> AppTest:
    """Waits until the facts are there, as the page does once a second."""
    deadline = time.monotonic() + 600
    while any(info.value == texts("data")["counting"] for info in app.info):
        assert time.monotonic() < deadline, "the graph was never counted"
        time.sleep(0.3)
        app.run()
    assert not app.exception, app.exception
    return app


def numbers(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def shown(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.success)
    return "\n".join(element.value for kind in kinds for element in kind)


def test_facts_of_a_graph_are_those_that_were_counted(opened: Open) -> None:
    app = counted(opened("data", data="karate"))
    found = describing.describe("karate", {})
    assert found is not None
    assert found.vote is not None
    assert numbers(app) == {
        "Nodes": "34",
        "Edges": "78",
        "Features": "34",
        "Classes": "2",
        "Largest class": f"{found.largest_class:.1%}",
        "Homophily": "86%",
        "Neighbours' vote": f"{found.vote:.1%}",
    }
    assert app.number_input(key="node").value == found.piece.centre
    assert {"SVG", "CSV"} <= set(offered_files.labels(app))
    assert len(app.get("bidi_component")) == 3


def test_the_catalogue_has_titles_and_marks_what_is_chosen(opened: Open) -> None:
    app = opened("data")
    assert app.expander[0].proto.expanded
    table = app.dataframe[0].value
    assert not {"cora", "social"} & {str(cell) for cell in table.to_numpy().ravel()}, "titles, and no names"
    assert table["graph"][table["chosen"] == "●"].tolist() == ["Made-up social network"]
    there = opened("data", data="karate")
    assert not there.expander[0].proto.expanded, "whoever comes for a graph sees it at once"
    there.session_state["fold.catalogue"] = True
    there.run()
    assert there.dataframe[0].value["graph"].iloc[0] == "Karate club"


def test_options_of_the_invented_network_are_a_form(opened: Open) -> None:
    app = counted(opened("data", data="social", data__nodes="100", data__degree="4", data__homophily="0.3"))
    assert (numbers(app)["Nodes"], numbers(app)["Edges"]) == ("100", "200")
    app.text_input(key="data.degree").set_value("999").run()
    assert len(app.error) == 1
    app.text_input(key="data.degree").set_value("80").run()
    assert len(app.error) == 1
    assert app.text_input(key="data.degree").value == "80"


def test_wrong_addresses_are_told(opened: Open) -> None:
    assert "did you mean cora" in opened("data", data="corra").warning[0].value
    assert len(opened("data", data="upload:000000000000").warning) == 1
    app = counted(opened("data", data="karate", node="77"))
    assert (len(app.error), len(app.warning)) == (1, 0)
    assert "![x](http:" not in opened("data", data="![x](http://evil.example)").warning[0].value


def test_another_graph_has_another_node_in_the_middle(opened: Open) -> None:
    app = counted(opened("data", data="patients", node="500"))
    assert not app.error
    app = counted(app.selectbox(key="data").set_value("karate").run())
    assert not app.error
    assert app.number_input(key="node").value <= 33


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
    deadline = time.monotonic() + 10
    while not app.error:
        assert time.monotonic() < deadline
        app.run()
    assert "Fetching Cora failed: no network." in [one.value for one in app.caption]
    assert not opened("data", data="cora").error, "it is told to those who have watched it"
    app.button(key="dismiss.cora").click().run()
    assert not app.error
    train = opened("train", data="cora")
    assert "ind.cora.x" in train.warning[0].value
    assert not any(one.startswith("Cora") for one in train.selectbox(key="data").options)


# The upload of one's own graph


def _npz(**arrays: np.ndarray) -> bytes:
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def _graph(nodes: int = 30) -> dict[str, np.ndarray]:
    ring = np.arange(nodes)
    edges = np.stack([ring, (ring + 1) % nodes])
    return {"x": np.eye(nodes, 4, dtype=np.float32), "y": ring % 3, "edge_index": edges}


def _nodes(header: str = "id,age,salary,office,department", count: int = 30) -> File:
    rows = [f"emp{at},{20 + at},{1000 + at},{('Bonn', 'Ulm')[at % 2]},{GROUPS[at % 3]}" for at in range(count)]
    return ("staff.csv", "\n".join([header, *rows]).encode(), "text/csv")


def _edges(header: str = "source,target", count: int = 30, last: str = "") -> File:
    rows = [f"emp{at},emp{(at + 1) % count}" + ",1" * (header.count(",") == 2) for at in range(count)]
    return ("knows.csv", "\n".join([header, *rows, *filter(None, [last])]).encode(), "text/csv")


STAFF = _nodes("id,age,salary,office,label")


def _put(app: AppTest, *files: File) -> AppTest:
    app.file_uploader[0].set_value([*files]).run()
    assert not app.exception, app.exception
    return app


def _go(app: AppTest) -> AppTest:
    app.button(key="upload_go").click().run()
    assert not app.exception, app.exception
    return app


def _box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def test_an_upload_is_checked_kept_shown_trained_on_and_deleted(opened: Open) -> None:
    app = opened("data")
    app.file_uploader(key="upload").upload("../../evil.npz", _npz(**_graph())).run()
    app.text_input(key="upload_title").set_value("![x](http://evil.example)").run()
    _go(app)
    (spec,) = uploads()
    assert (spec.title, spec.nodes, spec.edges) == ("![x](http://evil.example)", 30, 30)
    assert "![x](http:" not in shown(app)
    assert app.selectbox(key="data").value == spec.name
    assert not app.file_uploader[0].value, "the form is empty again"
    assert app.text_input(key="upload_title").value == ""
    assert app.query_params["data"] == spec.name, "titles are words of people, and stay out of addresses"
    assert numbers(counted(app))["Nodes"] == "30"
    app.button(key="upload_read").click().run()
    assert not app.success
    train = opened("train", data=spec.name, method="mlp", unit="none")
    train.button(key="go").click().run()
    assert not train.exception, train.exception
    app.button(key="delete_upload").click().run()
    app.button(key="delete_upload_no").click().run()
    assert len(uploads()) == 1
    app.button(key="delete_upload").click().run()
    app.button(key="delete_upload_yes").click().run()
    assert not app.exception, app.exception
    assert uploads() == ()
    assert app.selectbox(key="data").value == "social"


def test_what_became_of_edges_features_and_split_is_told(opened: Open) -> None:
    graph = _graph()
    graph["edge_index"] = np.concatenate([graph["edge_index"], graph["edge_index"][::-1, :3]], axis=1)
    app = opened("data")
    app.file_uploader(key="upload").upload("ring.npz", _npz(**graph)).run()
    app = counted(_go(app))
    assert "33 edges were listed, and 3 duplicates were merged" in shown(app), "also when the page is drawn anew"
    app = _go(_put(opened("data"), _edges(), STAFF))
    spec = next(one for one in uploads() if one.features == 2)
    graph = load(spec.name)
    assert graph.x[:2].tolist() == [[20, 1000], [21, 1001]], "nothing is rescaled"
    sizes = [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)]
    assert "{} nodes train, {} validate, {} test".format(*sizes) in shown(app)


def test_a_bad_upload_is_refused_and_the_form_stays(opened: Open) -> None:
    app = opened("data")
    app.text_input(key="upload_title").set_value("My ring").run()
    bad = _graph() | {"edge_index": np.array([[0, 1], [1, 99]])}
    app.file_uploader(key="upload").upload("ring.npz", _npz(**bad)).run()
    assert len(_go(app).error) == 1
    assert app.text_input(key="upload_title").value == "My ring"
    name, content, kind = STAFF
    lines = content.decode().splitlines()
    lines[7], lines[9] = "emp6", "emp8,old,1,Bonn,IT"
    app = _go(_put(opened("data"), _edges(last="emp1,nobody"), (name, "\n".join(lines).encode(), kind)))
    assert all(one in app.error[0].value for one in ("line 8", "line 10", "line 32")), "faults by file and line"
    assert uploads() == ()


def test_who_comes_to_bring_ones_own_finds_the_form_open(opened: Open) -> None:
    def is_open(app: AppTest) -> bool:
        return next(fold for fold in app.expander if fold.label.startswith("Bring your own")).proto.expanded

    app = opened("data")
    assert not is_open(app)
    assert is_open(app.button(key="bring").click().run())
    assert is_open(opened("data", bring="graph"))
    assert is_open(opened("data", data="products", bring="texts"))
    assert [one for one in opened("start").get("page_link") if "bring=graph" in one.proto.query_string]


def _texts(domains: bool = True) -> list[File]:
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


def test_texts_are_shown_by_domains_as_plain_text(opened: Open) -> None:
    app = counted(_go(_put(opened("data"), *_texts())))
    (spec,) = uploads()
    wanted = {"Texts": "20", "Relations": "18", "Domains": "2", "Words a text": "3.0", "Classes": "2"}
    assert numbers(app) == wanted
    found = describing.describe(spec.name, {})
    assert found is not None
    assert found.homophily_by_chance == 0.5, "who has no label is not counted"
    sizes, pairs = (table.value for table in app.dataframe[1:3])
    assert sizes["domain"].tolist() == ["shop", "<b>bar</b>"]
    assert sizes["relations"].tolist() == [9, 9]
    assert pairs.iloc[0].tolist() == ["shop", "**loud** text 0", "**loud** text 1"]
    (link,) = [one.proto for one in app.get("page_link") if "method=" in one.proto.query_string]
    assert link.query_string == f"data={spec.name.replace(':', '%3A')}&method=relational"


def test_texts_without_domains_are_halved_only_where_that_is_asked(opened: Open) -> None:
    app = _go(_put(opened("data"), *_texts(domains=False)))
    assert len(app.error) == 1
    assert uploads() == ()
    app.checkbox(key="upload_halves").check().run()
    _go(app)
    assert [spec.domains for spec in uploads()] == [("first random half", "second random half")]
    _put(app, *_texts(domains=False))
    assert not app.checkbox(key="upload_halves").value, "the next upload is asked anew"
    app.checkbox(key="upload_halves").check().run()
    app.file_uploader[0].upload("ring.npz", _npz(**_graph())).run()
    assert not _go(app).error, "what was asked of two files is not asked of one"
    assert len(uploads()) == 2


@pytest.mark.parametrize(
    ("names", "fits"),
    [("n", False), ("ep", False), ("enp", False), ("en", True), ("p", True), ("x", False), ("m", False), ("mn", False)],
)
def test_files_that_are_no_graph_are_told_before_anybody_asks(opened: Open, names: str, fits: bool) -> None:
    held = {
        "e": ("e.csv", b"source,target\n0,1\n", "text/csv"),
        "n": ("n.csv", b"id,label,age\n" + b"0,a,1\n1,b,2\n" * 10, "text/csv"),
        "p": ("ring.npz", _npz(**_graph()), "application/zip"),
        "x": ("empty.csv", b"\n", "text/plain"),
        "m": ("knows.txt", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n", "text/plain"),
    }
    app = _put(opened("data"), *(held[name] for name in names))
    assert len(app.warning) == (not fits)
    assert app.button(key="upload_go").disabled == (not fits)


def test_a_class_is_required_seen_and_doubted_before_anything_is_kept(opened: Open) -> None:
    app = _put(opened("data"), _edges("source,target,weight"), _nodes())
    assert _box(app, "Class of a node").value is None
    assert app.button(key="upload_go").disabled
    _box(app, "Class of a node").set_value("salary").run()
    assert len(app.warning) == 1, "as many classes as nodes"
    _box(app, "Class of a node").set_value("department").run()
    assert "HR (10), IT (10), Sales (10)" in shown(app)
    assert not app.warning
    assert len(app.dataframe[-1].value) == 3
    _box(app, "office (values: 2)").set_value(upload_columns.CODE).run()
    _go(app)
    (spec,) = uploads()
    assert (spec.classes, spec.features) == (3, 4)


def test_columns_of_other_names_are_asked_for(opened: Open) -> None:
    nodes = "name,squad,town,age\n" + "".join(f"p{at},{'red' if at % 2 else 'blue'},Ulm,{at}\n" for at in range(30))
    edges = "citing,cited\n" + "".join(f"p{at},p{(at + 2) % 30}\n" for at in range(30))
    app = _put(opened("data"), ("n.csv", nodes.encode(), "text/csv"), ("e.csv", edges.encode(), "text/csv"))
    assert (_box(app, "One end of an edge").value, _box(app, "Name of a node").value) == ("citing", "name")
    _box(app, "Class of a node").set_value("squad").run()
    assert _box(app, "town (values: 1)").value == upload_columns.OUT
    _go(app)
    (spec,) = uploads()
    assert (spec.nodes, spec.edges, spec.classes) == (30, 30, 2)


def test_ends_and_classes_that_lack_are_counted_before_anything_is_kept(opened: Open) -> None:
    other = ("other.csv", b"id,label,age\n" + b"".join(b"n%d,a,%d\n" % (at, at) for at in range(30)), "text/csv")
    app = _put(opened("data"), STAFF, other)
    assert "0 of 60" in shown(app)
    assert app.button(key="upload_go").disabled
    _put(app, _edges(last="emp1,nobody"), STAFF)
    assert "61 of 62" in shown(app)
    assert not app.button(key="upload_go").disabled, "the lines at fault are told once it is checked"
    name, content, kind = STAFF
    _put(app, _edges(), (name, content.replace(b"emp4,24,1004,Bonn,IT", b"emp4,24,1004,Bonn,"), kind))
    assert app.button(key="upload_go").disabled, "a node has no class"
    _put(app, _edges(), STAFF)
    assert not app.button(key="upload_go").disabled


def _graphml(department: str = "department") -> bytes:
    nodes = "".join(
        f'<node id="p{at}"><data key="a">{at}</data><data key="d">{GROUPS[at % 3]}</data></node>' for at in range(30)
    )
    edges = "".join(f'<edge source="p{at}" target="p{(at + 1) % 30}"/>' for at in range(30))
    return (
        '<graphml><key id="a" for="node" attr.name="age" attr.type="int"/>'
        f'<key id="d" for="node" attr.name="{department}" attr.type="string"/>'
        f'<graph edgedefault="directed">{nodes}{edges}</graph></graphml>'
    ).encode()


def test_graphml_is_asked_like_csv_and_a_damaged_file_is_refused(opened: Open) -> None:
    app = _put(opened("data"), ("g.graphml", _graphml()[:-200], "application/xml"))
    assert len(app.error) == 1
    assert app.button(key="upload_go").disabled
    _put(app, ("g.graphml", _graphml(), "application/xml"))
    assert app.button(key="upload_go").disabled
    _box(app, "Class of a node").set_value("department").run()
    _go(app)
    assert [spec.classes for spec in uploads()] == [3]


def test_a_graph_that_is_there_is_renamed_only_where_that_is_asked(opened: Open) -> None:
    app = opened("data")
    for title in ("lab", "directed"):
        _put(app, ("g.graphml", _graphml("label"), "application/xml"))
        app.text_input(key="upload_title").set_value(title).run()
        _go(app)
    assert [spec.title for spec in uploads()] == ["lab"], "nothing is renamed unasked"
    app.button(key="upload_rename").click().run()
    (spec,) = uploads()
    assert (spec.title, spec.about.endswith("Formerly called lab.")) == ("directed", True)
    _go(_put(app, ("g.graphml", _graphml("label"), "application/xml")))
    assert "upload_rename" not in {str(one.key) for one in app.button}


def test_edges_alone_are_looked_at_and_not_kept(opened: Open) -> None:
    text = "# made by hand\n" + "".join(f"{at} {(at + 1) % 12} 5\n" for at in (*range(12), 0)) + "3 3 5\n"
    app = _put(opened("data"), ("knows.txt", text.encode(), "text/plain"))
    assert "12 between 12 nodes" in shown(app)
    assert "14 edges were listed, and 1 duplicate was merged" in shown(app)
    assert "Nodes to fill in (CSV)" in offered_files.labels(app)
    assert app.button(key="upload_go").disabled
    assert not app.warning


def test_beside_files_that_are_not_kept_the_way_on_names_the_other_graph(opened: Open) -> None:
    def ways(app: AppTest) -> list[str]:
        return [one.proto.label for one in app.get("page_link") if one.proto.label.startswith("Train on")]

    app = _put(opened("data"), _edges(), STAFF)
    assert ways(app) == ["Train on Made-up social network"]
    app.text_input(key="upload_title").set_value("Staff").run()
    assert ways(_go(app)) == ["Train on Staff"]


def test_a_node_is_found_by_its_name_in_the_file(opened: Open) -> None:
    app = counted(_go(_put(opened("data"), _edges(), STAFF)))
    assert app.text_input(key="node_id").placeholder == "emp0"
    app.text_input(key="node_id").set_value("emp7").run()
    assert app.number_input(key="node").value == 7
    assert app.text_input(key="node_id").value == ""
    counted(app)
    app.text_input(key="node_id").set_value("nobody").run()
    assert len(app.warning) == 1
    assert app.number_input(key="node").value == 7


def test_the_sample_files_are_taken() -> None:
    with zipfile.ZipFile(io.BytesIO(upload.samples())) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    graph = check_upload({name: content[f"graph-{name}.csv"] for name in ("edges", "nodes")})
    of_texts = check_upload({name: content[f"{name}.csv"] for name in ("relations", "texts")})
    xml = check_upload({"graph": content["graph.graphml"]})
    assert graph.edges.shape == xml.edges.shape
    assert of_texts.domain_names == ("kitchen", "garden")
