"""One's own graph on the Data page: what is asked before it is kept, what is told of it and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest
from tests.pages.test_data import counted

from privgraph.data.load import load
from privgraph.data.uploads import uploads
from privgraph.privacy.delta import delta_rule, edge_delta_rule
from privgraph.privacy.kinds import Neighbours
from privgraph_workbench.words import meaning

File = tuple[str, bytes, str]
GROUPS = ("HR", "IT", "Sales")


def _nodes(header: str = "id,age,salary,office,department", count: int = 30) -> File:
    rows = [f"emp{at},{20 + at},{1000 + at},{('Bonn', 'Ulm')[at % 2]},{GROUPS[at % 3]}" for at in range(count)]
    return ("staff.csv", "\n".join([header, *rows]).encode(), "text/csv")


def _edges(header: str = "source,target,weight", count: int = 30, last: str = "") -> File:
    rows = [f"emp{at},emp{(at + 1) % count}" + ",1" * (header.count(",") == 2) for at in range(count)]
    return ("knows.csv", "\n".join([header, *rows, *filter(None, [last])]).encode(), "text/csv")


STAFF = _nodes("id,age,salary,office,label")


def _put(app: AppTest, *files: File) -> AppTest:
    app.file_uploader[0].set_value([*files]).run()
    assert not app.exception, app.exception
    return app


def _box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def _go(app: AppTest) -> AppTest:
    app.button(key="upload_go").click().run()
    assert not app.exception, app.exception
    return app


def _words(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning)
    return "\n".join(element.value for kind in kinds for element in kind)


def test_a_class_is_required_seen_and_doubted_before_anything_is_kept(opened: Callable[..., AppTest]) -> None:
    app = _put(opened("data"), _edges(), _nodes())
    assert _box(app, "Class of a node").value is None
    assert app.button(key="upload_go").disabled
    assert "No header says `label` of the nodes." in _words(app)
    _box(app, "Class of a node").set_value("salary").run()
    assert "**30 classes** by salary" in _words(app)
    assert "id" not in _box(app, "Class of a node").options, "a name is no class"
    assert (
        "about 1.0 nodes each, from which little is learnt: is salary a number or a name rather than a class?"
        in _words(app)
    )
    _box(app, "Class of a node").set_value("department").run()
    assert "**3 classes** by department: HR (10), IT (10), Sales (10)." in _words(app)
    assert not app.warning
    assert len(app.dataframe[-1].value) == 3
    _box(app, "office (2 values)").set_value("one-hot: 0 or 1 for each").run()
    _go(app)
    (spec,) = uploads()
    assert (spec.classes, spec.features) == (3, 4)
    assert "Ignored of the edges: weight." in _words(app)
    assert "counts as public" in _words(app)


def test_right_headers_with_a_column_of_words_are_no_dead_end(opened: Callable[..., AppTest]) -> None:
    app = _put(opened("data"), _edges("source,target"), _nodes("id,age,salary,office,label"))
    assert _box(app, "Class of a node").value == "label"
    assert _box(app, "office (2 values)").value == "leave out"
    _go(app)
    (spec,) = uploads()
    assert spec.features == 2


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


def test_graphml_is_asked_like_csv_and_told_to_be_cut_off(opened: Callable[..., AppTest]) -> None:
    app = _put(opened("data"), ("g.graphml", _graphml()[:-200], "application/xml"))
    assert "damaged: it is cut off" in app.error[0].value
    assert app.button(key="upload_go").disabled
    _put(app, ("g.graphml", _graphml(), "application/xml"))
    assert "No attribute of the nodes is named `label`: which is the class?" in _words(app)
    assert app.button(key="upload_go").disabled
    _box(app, "Class of a node").set_value("department").run()
    _go(app)
    assert [spec.classes for spec in uploads()] == [3]
    assert "The file says directed: directions were dropped." in _words(app)


def test_a_graph_that_is_there_is_renamed_only_where_that_is_asked(opened: Callable[..., AppTest]) -> None:
    app = opened("data")
    for title in ("lab", "directed"):
        _put(app, ("g.graphml", _graphml("label"), "application/xml"))
        app.text_input(key="upload_title").set_value(title).run()
        _go(app)
    assert "You already have this graph as **lab**: rename it, or keep its name?" in _words(app)
    assert [spec.title for spec in uploads()] == ["lab"], "nothing is renamed unasked"
    app.button(key="upload_rename").click().run()
    (spec,) = uploads()
    assert (spec.title, spec.about.endswith("Formerly called lab.")) == ("directed", True)
    assert "You already have" not in _words(app)
    _go(_put(app, ("g.graphml", _graphml("label"), "application/xml")))
    assert "You already have this graph as **directed**. It is chosen here." in _words(app)
    assert "Not kept twice: you have it as **directed**." in _words(app)


def test_a_graph_that_differs_in_names_alone_is_called_so_and_the_open_question_is_pointed_at(
    opened: Callable[..., AppTest],
) -> None:
    app = opened("data")
    for title, name in (("Company", b"emp"), ("Firm", b"worker")):
        files = [(one, content.replace(b"emp", name), kind) for one, content, kind in (_edges("source,target"), STAFF)]
        _put(app, *files)
        app.text_input(key="upload_title").set_value(title).run()
        _go(app)
    said = "You already have this graph as **Company**, the same but for the names of nodes, of which the first stay: "
    assert said + "rename it, or keep its name?" in _words(app)
    assert "Not kept twice: answer above." in _words(app)
    app.button(key="upload_read").click().run()
    assert "Not kept twice" not in _words(app)


def test_the_notice_says_what_becomes_of_features_and_how_nodes_are_split(opened: Callable[..., AppTest]) -> None:
    app = _go(_put(opened("data"), _edges("source,target"), STAFF))
    (spec,) = uploads()
    raw = load(spec.name).x
    assert raw[:3].tolist() == [[20, 1000], [21, 1001], [22, 1002]], "nothing is rescaled"
    assert "**Features** are learnt from as they are: none is rescaled or centred" in _words(app)
    graph = load(spec.name)
    sizes = [int(mask.sum()) for mask in (graph.train_mask, graph.val_mask, graph.test_mask)]
    assert "**Split**: {} nodes train, {} validate and {} test".format(*sizes) in _words(app)


def test_beside_files_that_are_not_kept_the_way_on_names_the_other_graph(opened: Callable[..., AppTest]) -> None:
    def ways(app: AppTest) -> list[str]:
        return [one.proto.label for one in app.get("page_link") if one.proto.label.startswith("Train on")]

    app = opened("data")
    assert ways(app) == ["Train on this graph"]
    assert ways(_put(app, _edges("source,target"), STAFF)) == ["Train on Made-up social network"]
    assert ways(_go(app)) == ["Train on this graph"]


def test_ends_of_edges_are_looked_for_among_the_nodes_before_anything_is_kept(opened: Callable[..., AppTest]) -> None:
    other = ("other.csv", b"id,label,age\n" + b"".join(b"n%d,a,%d\n" % (at, at) for at in range(30)), "text/csv")
    app = _put(opened("data"), STAFF, other)
    assert "0 of 60 ends of edges are names of nodes" in _words(app)
    assert "No edge joins nodes of yours: choose other columns, or another file." in _words(app)
    assert app.button(key="upload_go").disabled
    _put(app, _edges("source,target", last="emp1,nobody"), STAFF)
    assert "61 of 62 ends of edges are names of nodes" in _words(app)
    assert not app.button(key="upload_go").disabled, "the lines at fault are told once it is checked"
    _put(app, _edges("source,target"), STAFF)
    assert "ends of edges" not in _words(app)


def test_nodes_without_a_class_are_counted_before_anything_is_kept(opened: Callable[..., AppTest]) -> None:
    name, content, kind = STAFF
    app = _put(
        opened("data"),
        _edges("source,target"),
        (name, content.replace(b"emp4,24,1004,Bonn,IT", b"emp4,24,1004,Bonn,"), kind),
    )
    assert "1 node has no label: fill it in, or drop it." in _words(app)
    assert "**3 classes** by label" in _words(app), "none is no class"
    assert app.button(key="upload_go").disabled


def test_a_file_alone_is_called_what_it_is(opened: Callable[..., AppTest]) -> None:
    app = opened("data")
    for name, content, said in (
        ("empty.csv", b"\n", "empty.csv is empty."),
        ("notes.txt", b"call the bank about the loan of the new house before noon\n", "line 1 has 12 words, not 2."),
        ("notes.txt", b"a b\nb c\nc d e\n", "notes.txt is no list of edges: line 3 has 3 words, and those above 2."),
        ("n.csv", b"\xff\xfe1,2", "n.csv is no text in UTF-8."),
    ):
        _put(app, (name, content, "text/plain"))
        (warned,) = (one.value for one in app.warning)
        assert said in warned.replace("\\", ""), warned
        assert app.button(key="upload_go").disabled


def test_faults_are_told_by_file_line_and_text(opened: Callable[..., AppTest]) -> None:
    name, content, kind = _nodes("id,age,salary,office,label")
    lines = content.decode().splitlines()
    lines[7], lines[9] = "emp6", "emp8,old,1,Bonn,IT"
    app = _put(opened("data"), _edges("source,target", last="emp1,nobody"), (name, "\n".join(lines).encode(), kind))
    _go(app)
    said = app.error[0].value
    assert said.startswith('staff.csv, line 8, "emp6", has 1 field, and the header has 5; staff.csv, line 10, ')
    assert 'knows.csv, line 32, "emp1,nobody", names the node nobody' in said
    assert uploads() == ()


def test_a_matrix_market_file_is_refused_beside_nodes(opened: Callable[..., AppTest]) -> None:
    matrix = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n"
    app = _put(opened("data"), ("knows.txt", matrix, "text/plain"), STAFF)
    assert "knows.txt is a MatrixMarket file, and its line of sizes is no edge" in _words(app).replace("\\", "")
    assert app.button(key="upload_go").disabled


def test_edges_alone_are_looked_at_and_say_what_is_missing(opened: Callable[..., AppTest]) -> None:
    text = "# made by hand\n" + "".join(f"{at} {(at + 1) % 12} 5\n" for at in (*range(12), 0)) + "3 3 5\n"
    app = _put(opened("data"), ("knows.txt", text.encode(), "text/plain"))
    assert "**These are edges alone: 12 between 12 nodes**, 2.0 neighbours a node on average, at most 2." in _words(app)
    assert any("skipped as a comment: # made by hand." in one.value.replace("\\", "") for one in app.caption)
    assert "Self-loops dropped: 1. 14 edges were listed, and 1 duplicate was merged" in _words(app)
    assert "Ignored of the edges: column 3." in _words(app)
    assert app.button(key="upload_go").disabled
    assert not app.warning


def test_the_way_to_ones_own_graph_is_beside_the_choice_and_on_start(opened: Callable[..., AppTest]) -> None:
    def is_open(app: AppTest) -> bool:
        return next(fold for fold in app.expander if fold.label.startswith("Bring your own")).proto.expanded

    app = opened("data")
    assert not is_open(app)
    assert is_open(app.button(key="bring").click().run())
    assert is_open(opened("data", bring="graph"))
    links = [one.proto for one in opened("start").get("page_link")]
    (link,) = (one for one in links if one.label == "**Bring your own graph**")
    assert link.query_string == "bring=graph"


def test_a_node_is_found_by_what_the_file_calls_it(opened: Callable[..., AppTest]) -> None:
    app = _go(_put(opened("data"), _edges("source,target"), _nodes("id,age,salary,office,label")))
    app = counted(app)
    assert app.text_input(key="node_id").placeholder == "emp0"
    app.text_input(key="node_id").set_value("emp7").run()
    assert app.number_input(key="node").value == 7
    assert app.text_input(key="node_id").value == ""
    counted(app)
    app.text_input(key="node_id").set_value("nobody").run()
    assert "No node is called nobody: the file calls the first one emp0." in _words(app)
    assert app.number_input(key="node").value == 7


def test_the_promise_is_about_a_connection_or_a_person(opened: Callable[..., AppTest]) -> None:
    app = counted(opened("data", data="karate"))
    for unit, neighbours in (("edge", Neighbours.UNDIRECTED_EDGE), ("node", Neighbours.FROZEN_SAMPLE)):
        app.segmented_control(key="ask.unit").set_value(unit).run()
        delta, _ = (edge_delta_rule if unit == "edge" else delta_rule)(34)
        assert meaning.risk(unit, 2.0, delta, neighbours) in _words(app)
        link = next(one.proto for one in app.get("page_link") if "accuracy is left" in one.proto.label)
        assert f"unit={unit}" in link.query_string
