"""Texts and relations by CSV: what is taken, what is refused in one sentence, and what is kept."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from tests.data import uploads_made_here as made

from privgraph.data.build import build, parts
from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.load import load
from privgraph.data.upload import UploadError, check_upload, save_upload
from privgraph.data.upload_texts import HALVES

RELATIONS, TEXTS = made.text_files()
PLAIN = b"source,target\nt0,t3\nt3,t6\nt1,t4\nt4,t1\nt1,t4\nt2,t2\nt0,t1\n"


def without(column: int, texts: bytes = TEXTS) -> bytes:
    """The texts without one column, counted from the end."""
    return b"\n".join(line.rsplit(b",", column)[0] for line in texts.split(b"\n"))


def test_texts_their_domains_and_relations_are_kept() -> None:
    upload = check_upload({"a": TEXTS, "b": PLAIN})
    assert upload.texts[:2] == ("thing number 0, of kitchen", "thing number 1, of garden")
    assert upload.domain_names == ("kitchen", "garden", "office")
    assert upload.domains.tolist() == [0, 1, 2] * 8
    assert upload.edges.T.tolist() == [[0, 1], [0, 3], [1, 4], [3, 6]]
    assert upload.notes == (
        "A relation is a pair of texts, and has no direction.",
        "Relations of a text to itself dropped: 1.",
        "7 relations were listed, and 2 duplicates were merged: the same two texts again, in either direction.",
        "Relations between two domains: 1. They are kept, and no method reads them.",
        "Texts without a label: 3. They belong to no class.",
    )
    assert upload.class_names == ("decoration", "tool")
    assert upload.y[:9].tolist() == [-1, 1, 1, 0, 0, 0, 1, 1, -1]
    assert upload.x[:, 0].tolist() == [5.0] * 24
    name = save_upload(upload, title="Our <shop>")
    spec = dataset(name)
    assert (spec.task, spec.domains, spec.nodes, spec.edges) == ("relation prediction", upload.domain_names, 24, 4)
    graph = load(name)
    assert graph.texts == upload.texts
    assert graph.domains.tolist() == upload.domains.tolist()
    assert graph.y.tolist() == upload.y.tolist()
    assert graph.facts.relations == (2, 1, 0)
    assert graph.relations(0).tolist() == [[0, 3], [3, 6]]


def test_texts_of_any_letters_and_with_line_breaks_come_back_as_they_were() -> None:
    odd = 'said: "two\r\nlines", \u4e2d\u6587 \U0001f600\u0000!'
    field = b'"' + odd.replace('"', '""').encode() + b'"'
    windows = b"\xef\xbb\xbf" + TEXTS.replace(b"\n", b"\r\n") + b"\r\n\r\n"
    upload = check_upload({"a": windows.replace(b'"thing number 5, of office"', field), "b": RELATIONS})
    assert upload.texts[5] == odd
    assert load(save_upload(upload)).texts == upload.texts
    assert len(upload.texts) == 24


def test_another_text_or_another_domain_has_another_name() -> None:
    upload = check_upload({"a": TEXTS, "b": RELATIONS})
    one = save_upload(upload)
    assert save_upload(check_upload({"b": RELATIONS, "a": TEXTS})) == one
    assert save_upload(check_upload({"a": TEXTS.replace(b"number 3,", b"number 4,"), "b": RELATIONS})) != one
    moved = TEXTS.replace(b'of garden",garden', b'of garden",office', 1)
    assert moved != TEXTS
    assert save_upload(check_upload({"a": moved, "b": RELATIONS})) != one


@pytest.mark.parametrize(
    ("texts", "relations", "sentence"),
    [
        (None, b"source,target\nt0,nobody", "Relation row 1 names the text nobody, which has no row among the texts"),
        (None, b"source,target\nt0,t1,t2", "Relation row 1 has 3 fields"),
        (None, b"from,to\nt0,t1", "id,text,domain for texts"),
        (None, b"source,target\n", "At least two domains need relations between their own texts, to learn from and to"),
        (TEXTS + b"\nt5,again,office,", None, "Text row 25 has an id that is empty or not its own (t5)"),
        (TEXTS + b"\nt99, ,office,tool", None, "The text t99 is empty"),
        (TEXTS + b"\nt99,a lamp,,tool", None, "The text t99 has no domain"),
        (TEXTS + b"\nt99,a lamp, red,office,tool", None, "a text with a comma or a line break needs quotes"),
        (TEXTS + b"\nt99," + b"x" * 20_001 + b",office,", None, "has 20,001 letters, and at most 20,000 are taken"),
        (TEXTS + b'\nt99,"a lamp,office,', None, "Text row 25 cannot be read (unexpected end of data)"),
        (TEXTS.replace(b"domain,label", b"domain,price"), None, "The texts have a column price, and only id,text"),
        (TEXTS.replace(b"kitchen", b"\xff\xfe"), None, "not text in UTF-8"),
        (
            re.sub(rb",(kitchen|garden|office),", b",shop,", TEXTS),
            None,
            "All texts are of the domain shop, and at least",
        ),
        (TEXTS.replace(b",kitchen,", b"," + b"k" * 61 + b","), None, "has more than 60 letters"),
        (TEXTS.replace(b",kitchen,", b",a\x01,").replace(b",garden,", b",a\x02,"), None, "differ in letters alone"),
        (without(2), None, "The texts have no column domain: relations are learnt in one domain"),
        (b"\n".join(TEXTS.split(b"\n")[:8]), PLAIN, "The graph has 7 texts, and at least 10 are needed"),
    ],
)
def test_texts_that_are_refused(texts: bytes | None, relations: bytes | None, sentence: str) -> None:
    with pytest.raises(UploadError, match=re.escape(sentence)) as caught:
        check_upload({"a": texts or TEXTS, "b": relations or RELATIONS})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_quote_that_is_never_closed_does_not_swallow_the_file() -> None:
    body = TEXTS + b'\nt99,"' + b"a line of a text\n" * 70_000
    with pytest.raises(UploadError, match="Text row 25 cannot be read"):
        check_upload({"a": body, "b": RELATIONS})
    many = TEXTS + b"\n" + b'"\n",,' * 400_000  # each line ends inside quotes, and no field is long
    with pytest.raises(UploadError, match=r"more than 1,000,000 letters"):
        check_upload({"a": many, "b": RELATIONS})


def test_only_texts_may_lack_a_label() -> None:
    bare = parts(np.ones((3, 1)), [0, 1, -1], np.empty((2, 0)))
    with pytest.raises(DataError, match="nodes without a label"):
        build("bare", bare)
    told = dataclasses.replace(bare, texts=("a", "b", "c"))
    assert build("told", told).y.tolist() == [0, 1, -1]
    with pytest.raises(DataError, match="nodes without a label"):
        build("told", dataclasses.replace(told, y=bare.y - 1))


def test_random_halves_only_for_who_asks() -> None:
    upload = check_upload({"a": without(2), "b": RELATIONS}, halves=True)
    assert upload.domain_names == HALVES
    assert np.bincount(upload.domains).tolist() == [12, 12]
    assert upload.notes[-1] == "There are no labels: a text's domain stands for its class."
    assert np.array_equal(upload.y, upload.domains)
    fewer = RELATIONS.rsplit(b"\n", 30)[0]
    again = check_upload({"a": without(2), "b": fewer}, halves=True)
    assert again.edges.shape[1] < upload.edges.shape[1]
    assert np.array_equal(again.domains, upload.domains), "relations have no say in who is in which half"
    edges, nodes = made.csv_files()
    for files in ({"a": edges, "b": nodes}, {"a": made.graphml()}, {"a": made.npz(made.arrays())}):
        with pytest.raises(UploadError, match="Two random halves are made of texts alone"):
            check_upload(files, halves=True)
    with pytest.raises(UploadError, match="have a column domain already"):
        check_upload({"a": TEXTS, "b": RELATIONS}, halves=True)
