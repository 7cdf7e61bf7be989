"""Papers as they are cited: what tables and the catalogue say of them, as BibTeX and as a line."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from privgraph.data.catalogue import dataset
from privgraph.registry import ATTACKS, AUDITS, DATASETS, METHODS
from privgraph_workbench.words.bibliography import ALL_PAPERS, BEHIND
from privgraph_workbench.words.data_papers import DATA_PAPERS, paper_of
from privgraph_workbench.words.papers import PAPERS, PROGRAM, YEAR, Paper

ABBREVIATED = {"Transactions on Machine Learning Research": "TMLR", "USENIX Security Symposium": "USENIX Security"}
NO_YEAR = {("relations", "yin2024privately"), ("relations-bavaria", "yin2024privately")}
"""What these tables name without its year."""
LATER = {"rozemberczki2021multi"}
"""What the catalogue names by its preprint."""


def test_the_program_is_cited_with_the_year_and_licence_of_its_repository() -> None:
    licence = (Path(__file__).parents[2] / "LICENSE").read_text()
    assert licence.startswith("MIT License")
    assert f"(c) {YEAR} privgraph contributors" in licence
    assert f"year = {{{YEAR}}}" in PROGRAM
    assert "MIT license" in PROGRAM
    assert "url" not in PROGRAM


def plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return "".join(one for one in apart if not unicodedata.combining(one)).replace("Guennemann", "Gunnemann")


def where(paper: Paper) -> str:
    """How a table calls its venue; "" of a preprint."""
    short = re.search(r"\(([A-Z][A-Za-z&-]+)\)$", paper.venue)
    return short[1] if short else ABBREVIATED.get(paper.venue, "")


@pytest.mark.parametrize("name", BEHIND)
def test_a_paper_has_the_year_and_the_venue_that_its_table_names(name: str) -> None:
    (table,) = [one for one in (METHODS, ATTACKS, AUDITS) if name in one]
    said = str(table[name].paper)
    for key in BEHIND[name]:
        paper = PAPERS[key]
        if paper.year and (name, key) not in NO_YEAR:
            assert str(paper.year) in said, key
            # of some tables neither a title nor a venue is told
            assert name == "gnn" or where(paper) in said, key
        assert str(paper.year or "") == "".join(re.findall(r"\d{4}", key)), key


@pytest.mark.parametrize("name", DATASETS)
def test_a_data_set_is_cited_by_the_paper_that_its_source_names(name: str) -> None:
    source = dataset(name).source
    named = re.match(r"[A-Z]\w+( et al\.| and [A-Z]\w+)?, [A-Z]|contextual stochastic block model \(", source)
    assert bool(paper_of(name)) == bool(named), source
    if not named:
        return
    paper = ALL_PAPERS[paper_of(name)]
    assert plain(paper.authors[0].split(",")[0]) in source
    title = source.split(", ")[1]
    assert plain(paper.plain_title).startswith(title) or name == "social", (paper.plain_title, title)
    years = re.findall(r"\d{4}", source)
    assert str(paper.year) in years or paper.key in LATER


def test_a_paper_of_a_data_set_has_the_year_of_its_key() -> None:
    assert all(str(paper.year) in key for key, paper in DATA_PAPERS.items())


def test_an_entry_is_one_that_bibtex_reads() -> None:
    assert PAPERS["velickovic2018graph"].entry == (
        "@inproceedings{velickovic2018graph,\n"
        "  title = {Graph Attention Networks},\n"
        "  author = {Veli{\\v c}kovi{\\'c}, Petar and Cucurull, Guillem and Casanova, Arantxa and Romero, Adriana and "
        "Li{\\`o}, Pietro and Bengio, Yoshua},\n"
        "  booktitle = {International Conference on Learning Representations (ICLR)},\n"
        "  year = {2018},\n"
        "}"
    )
    assert "  author = {{Anonymous authors}},\n" in PAPERS["dpgpl"].entry, "no first and last name"
    assert "  howpublished = {Under double-blind review},\n}" in PAPERS["dpgpl"].entry
    assert PAPERS["olatunji2023releasing"].entry.startswith("@article{")
    assert "  journal = {Transactions on Machine Learning Research},\n" in PAPERS["olatunji2023releasing"].entry


def test_a_line_names_all_authors_in_their_order_and_ends_once() -> None:
    assert PAPERS["xu2019powerful"].reference == (
        "Keyulu Xu, Weihua Hu, Jure Leskovec and Stefanie Jegelka. How Powerful are Graph Neural Networks? "
        "International Conference on Learning Representations (ICLR), 2019."
    )
    assert PAPERS["yin2024privately"].reference.endswith("Finetuning Large Language Models. 2024.")
    assert PAPERS["brannvall2026exponential"].reference == (
        "Rickard Brännvall. Exponential-Family Membership Inference: From LiRA and RMIA to BaVarIA. "
        "arXiv 2603.11799, 2026."
    )
