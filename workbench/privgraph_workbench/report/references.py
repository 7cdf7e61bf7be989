"""The papers behind methods, attacks, audits and data sets, read from `text/papers.bib`. No Streamlit."""

from collections.abc import Collection
from functools import cache
from typing import Any

from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.plugin import find_plugin

from privgraph import __version__
from privgraph_workbench.text import FOLDER

PROGRAM = "privgraph"


@cache
def _papers() -> dict[str, Entry]:
    return dict(parse_file(str(FOLDER / "papers.bib")).entries)


def entries(names: Collection[str]) -> dict[str, Entry]:
    """The program, and the papers whose keywords name one of these methods, attacks, audits or data sets."""
    found = {}
    for key, paper in _papers().items():
        fields = {name: text for name, text in paper.fields.items() if name != "keywords"}
        if key == PROGRAM:
            fields["version"] = __version__
        elif (names and not set(paper.fields.get("keywords", "").split(", ")) & set(names)) or not names:
            continue
        found[key] = Entry(paper.type, fields, paper.persons)
    return found


def bibtex(names: Collection[str]) -> str:
    """Their entries."""
    text: str = BibliographyData(entries=entries(names)).to_string("bibtex")
    return text


def references(names: Collection[str]) -> list[str]:
    """A line for each, by its first author and year."""
    found = entries(names)
    plain: Any = find_plugin("pybtex.backends", "plaintext")()
    style: Any = find_plugin("pybtex.style.formatting", "unsrt")()
    ordered = sorted(found.items(), key=lambda one: (str(one[1].persons["author"][0]), one[1].fields.get("year", "")))
    return [one.text.render(plain) for one in style.format_entries([_keyed(*one) for one in ordered])]


def _keyed(key: str, entry: Entry) -> Entry:
    entry.key = key
    return entry
