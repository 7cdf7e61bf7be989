"""Texts and their relations on the Data page: sizes, domains, and a few pairs."""

from __future__ import annotations

import streamlit as st

from privgraph.data.spec import DatasetSpec
from privgraph.registry import METHODS
from privgraph_workbench.facts.describing import Description
from privgraph_workbench.serving import styles


def method(spec: DatasetSpec) -> dict[str, str]:
    """The query parameter that chooses a method which can be trained on texts; none for other graphs, where
    the page has a choice of its own."""
    return {"method": next(name for name, row in METHODS.items() if spec.task in row.tasks)} if spec.domains else {}


def metrics(described: Description) -> None:
    """Sizes of texts and relations, in the place of those of a graph of people."""
    domains = described.domains
    texts = sum(domain.texts for domain in domains)
    words = sum(domain.texts * domain.words for domain in domains) / texts
    inside = sum(domain.relations for domain in domains)
    columns = st.container(key=f"{styles.CARDS}-sizes").columns(5)
    columns[0].metric("Texts", f"{texts:,}", border=True, help="Titles, descriptions, keywords: one each")
    columns[1].metric(
        "Relations", f"{inside:,}", border=True, help="Pairs of texts of one domain, without direction, each once"
    )
    columns[2].metric("Domains", f"{len(domains)}", border=True, help="One to learn in, another to predict in")
    columns[3].metric("Words a text", f"{words:.1f}", border=True, help="On average, between spaces")
    columns[4].metric("Classes", f"{described.facts.classes}", border=True)
    apart = described.facts.edges - inside
    said = f" {apart:,} more join texts of two domains; no method reads them." if apart else ""
    st.caption(
        "A language model is fine-tuned on the relations of one domain, and predicts those of another, which it has "
        f"never seen. The relations are private; the texts count as public.{said}"
    )


def show(described: Description) -> None:
    """A row a domain, and a few related texts of each; as plain text, whatever is written in them."""
    st.markdown("##### Domains")
    st.dataframe(
        [
            {
                "domain": domain.name,
                "texts": domain.texts,
                "relations": domain.relations,
                "words a text": round(domain.words, 1),
                "most words": domain.most_words,
            }
            for domain in described.domains
        ],
        hide_index=True,
        alt="Domains of the texts",
        column_config={
            name: st.column_config.NumberColumn(format="localized") for name in ("texts", "relations", "most words")
        },
    )
    pairs = [
        {"domain": domain.name, "a text": one, "is related to": other}
        for domain in described.domains
        for one, other in domain.samples
    ]
    with st.expander("A few related texts", key="fold.related_texts"):
        st.dataframe(pairs, hide_index=True, alt="A few related texts of each domain")
        st.caption("Read from the data, for whoever holds them: no ε covers what is shown here.")
