"""A caption of one's own: it begins the caption of its figure in every file, as text in each of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from tests.workbench.made_reports import asked, opened, two_runs

from privgraph.options import OptionError
from privgraph_workbench import blocks, printing, reporting
from privgraph_workbench.blocks import Block, Remark
from privgraph_workbench.reporting import Asked, Told, findings

pytestmark = pytest.mark.usefixtures("undrawn")

OWN = "What 50% cost <b>us</b>_\n  & *them*: 1. {x}"
SENTENCE = "What 50% cost <b>us</b>_ & *them*: 1. {x}."


@pytest.fixture
def runs() -> list[Told]:
    return two_runs()


def _captioned(runs: list[Told], caption: str, **changed: object) -> Asked:
    first, *others = reporting.usual(runs)
    return asked(runs, **{"figures": [replace(first, caption=caption), *others], "appendix": False, **changed})


def test_it_stands_first_in_every_file_and_the_automatic_caption_behind_it(
    runs: list[Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[Block] = []
    pdf = printing.pdf

    def spied(title: str, told: blocks.Told, *given: Any, **named: Any) -> bytes:
        printed.extend(block for section, _ in told for block in section.blocks)
        return pdf(title, told, *given, **named)

    monkeypatch.setattr(printing, "pdf", spied)
    given = _captioned(runs, OWN)
    own = given.figures[0]
    files = opened(reporting.build(given))
    page = files["report.html"].decode()
    section = page[page.index("<h2>Figure 1: ") : page.index("<h2>Figure 2: ")]
    (lead,) = re.findall(r"</h2>\s*<p>(.*?)</p>", section)
    shown = "What 50% cost &lt;b&gt;us&lt;/b&gt;_ &amp; *them*: 1. {x}. "
    assert lead == f"<strong>Author:</strong> {shown.strip()}", "text, and no markup of any kind, in its own paragraph"
    assert "Hiding edges" in section[section.index("<p>", section.index(lead)) :], "then a finding"
    assert findings.OWN in page.replace("&#x27;", "'")
    (said,) = [one.text for one in printed if isinstance(one, Remark) and "What 50%" in one.text]
    assert blocks.unmarked(said).startswith(f"Author: {SENTENCE}\n\n"), "the print has the same"

    name = f"figures/01-{own.figure}"
    title, first, about, *_ = files[f"{name}.txt"].decode().split("\n")
    assert (title, first) == (own.name, f"Author: {SENTENCE}")
    assert about == f"{findings.settings(own)} {findings.OWN}"
    tex = files[f"{name}.tex"].decode()
    escaped = r"What 50\% cost $<$b$>$us$<$/b$>$\_ \& *them*: 1. \{x\}."
    assert rf"\caption[{{{own.name.partition(' ')[0]}" in tex, "its title, then whose words are the author's"
    assert f". Author: {escaped}" in tex
    assert json.loads(files[f"{name}.json"])["caption"] == SENTENCE
    plain = opened(reporting.build(_captioned(runs, " \n")))
    assert "caption" not in json.loads(plain[f"{name}.json"])
    assert findings.OWN not in plain["report.html"].decode().replace("&#x27;", "'")
    assert rf"\caption[{{{own.name.partition(' ')[0]}" in plain[f"{name}.tex"].decode()


def test_a_report_for_others_tells_no_seed_in_it(runs: list[Told]) -> None:
    told = reporting.page(_captioned(runs, f"As {runs[0].record.id}, seed 3", share=True))
    assert "<strong>Author:</strong> As run-02, seed #2.</p>" in told, "the attacked one of two alike"


@pytest.mark.parametrize(
    ("said", "ends"),
    [("It costs", "It costs."), ("Does it?", "Does it?"), ("“So.”", "“So.”"), ("In (a)", "In (a)."), ("\n ", "")],
)
def test_it_ends_as_a_sentence_does(runs: list[Told], said: str, ends: str) -> None:
    assert _captioned(runs, said).figures[0].sentence == ends


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\ud800", "\u202e", "\ue02a"])
def test_letters_that_nobody_sees_are_refused(runs: list[Told], letter: str) -> None:
    with pytest.raises(OptionError, match=rf"letters that can be seen \(got U\+{ord(letter):04X}\)"):
        _captioned(runs, f"It{letter}costs")


def test_it_has_a_length(runs: list[Told]) -> None:
    assert _captioned(runs, "a" * reporting.CAPTION)
    with pytest.raises(OptionError, match=f"at most {reporting.CAPTION} letters"):
        _captioned(runs, "a" * (reporting.CAPTION + 1))
