"""A figure of a report for LaTeX: the picture with its caption, and in a line what must be known of its
numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import latex
from privgraph_workbench.blocks import unmarked
from privgraph_workbench.figures import chart_of, notes
from privgraph_workbench.figures.attacks import limits
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting import findings
from privgraph_workbench.reporting.verdicts import ATTACKED
from privgraph_workbench.words.markup import capital
from privgraph_workbench.words.statements import refuted_in_short

LONG = 300
"""Letters that what must be known of attacked models may have in a caption."""
CAVEATS = "Attacked models were trained again, and differ from the runs as the TXT file says."
INTERVALS = "Intervals are at 95% confidence."
EVALUATOR = "Evaluator only: accuracies are of private labels. Each ε is that of one run alone."
REFUTED = "an attack refutes"
"""How a badge of a refuted claim begins."""


def snippet(
    name: str,
    title: str,
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    own: str = "",
    found: str = "",
    papers: Sequence[str] = (),
) -> str:
    """The environment of a figure whose files in figures/ have that name; `own`: its author's words, with
    which the caption goes on below its title; `found`: what it finds, in Markdown; `papers`: the methods,
    attacks and data sets whose papers it cites."""
    author = [f"{findings.AUTHOR} {own}"] if own else []
    finding = [unmarked(one) for one in found.splitlines() if one.strip()]
    caption = " ".join(
        [
            f"{title.rstrip('.')}." if title[-1:] not in "?!" else title,
            *author,
            *finding,
            *marks(figure, rows),
            *_warned(figure, rows),
            *promised(statements),
        ]
    )
    cited = latex.cited(papers)
    said = latex.text(" ".join(caption.split())) + f" Papers: {cited}." * bool(cited)
    return "\n".join(
        [
            r"% needs \usepackage{graphicx}; cites references.bib; promised in full: the TXT file of this figure",
            r"\begin{figure}",
            r"  \centering",
            rf"  \includegraphics[width=\linewidth]{{figures/{name}.pdf}}",
            rf"  \caption{{{said}}}",
            rf"  \label{{fig:{name}}}",
            r"\end{figure}",
            "",
        ]
    )


def marks(figure: str, rows: Sequence[Row]) -> list[str]:
    """What marks, bars and lines are, and what must be known of attacked models, where that is short."""
    chart = chart_of(figure, rows)
    told = [chart.reading or INTERVALS * (figure in ATTACKED)]
    caveats = limits.caveats_of(rows) if figure in ATTACKED else []
    told += caveats if sum(map(len, caveats)) <= LONG else [CAVEATS]
    return list(filter(None, told))


def _warned(figure: str, rows: Sequence[Row]) -> list[str]:
    """What the figure itself warns of, a sentence each: of labels and of several runs in few words, for the
    statements say the rest."""
    told = []
    for one in chart_of(figure, rows).badges:
        if one.startswith(REFUTED) or one.endswith(notes.COMPOSED_BADGE.partition("}")[2]):
            continue  # what is promised says the one, and each ε the other
        told.append(EVALUATOR if one == notes.EVALUATOR_BADGE else f"{capital(one)}.")
    return told


def promised(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """What is promised in one sentence for each protected unit, for a caption: the sound epsilons, those as
    published, and delta; that noise is public, how many claims attacks have refuted, and what guarantees
    nothing."""
    said = [one.partition("; audited:") for one in notes.short(statements) if one.startswith(notes.UNIT)]
    told = [f"{first}{f'; δ{rest}' if (rest := tail.rpartition('; δ')[2]) and tail else ''}" for first, _, tail in said]
    told += [f"{one}." for one in notes.warned(statements)]
    if refuted := sum(one.unit != "none" and bool(refuted_in_short(one)) for one in statements.values()):
        told.append(f"Attacks refute the ε as published of {refuted} of the {len(statements)} settings.")
    return [*told, *notes.unprotected(statements)] if statements else [notes.NO_STATEMENT]


def warning(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> str:
    """All that a figure warns of in one line; "" where it warns of nothing."""
    badges = [*notes.warned(statements), *chart_of(figure, rows).badges]
    told = [*badges, *(one.rstrip(".") for one in notes.further(badges, rows, statements))]
    said = "; ".join(told)
    return f"{said[:1].upper()}{said[1:]}"
