"""A figure of a report for LaTeX: the picture with its caption, and in a line what must be known of its
numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import latex
from privgraph_workbench.figures import chart_of, notes
from privgraph_workbench.figures.attacks import limits
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting import findings
from privgraph_workbench.reporting.verdicts import ATTACKED


def snippet(
    name: str,
    title: str,
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    own: str = "",
    papers: Sequence[str] = (),
) -> str:
    """The environment of a figure whose files in figures/ have that name; `own`: its author's words, with
    which the caption goes on below its title; `papers`: the methods, attacks and data sets whose papers it
    cites."""
    warned = warning(figure, rows, statements)
    stated = [one for one in notes.short(statements) if one != notes.IN_FULL]
    caveats = limits.caveats_of(rows) if figure in ATTACKED else []
    author = [f"{findings.AUTHOR} {own}"] if own else []
    warnings = [f"{warned}."] if warned else []
    caption = " ".join([f"{title.rstrip('.')}.", *author, *warnings, *caveats, *stated])
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


def warning(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> str:
    """All that a figure warns of in one line; "" where it warns of nothing."""
    badges = [*notes.warned(statements), *chart_of(figure, rows).badges]
    told = [*badges, *(one.rstrip(".") for one in notes.further(badges, rows, statements))]
    said = "; ".join(told)
    return f"{said[:1].upper()}{said[1:]}"
