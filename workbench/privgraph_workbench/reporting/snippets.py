"""A figure of a report for LaTeX: the picture, a caption that fits a paper, below it in small letters what is
promised, and as comments what it finds and at which settings, for its author to take over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privgraph.privacy.statement import PrivacyStatement
from privgraph.runs.final_statement import has_public_noise
from privgraph_workbench import latex
from privgraph_workbench.blocks import unmarked
from privgraph_workbench.figures import chart_of, notes
from privgraph_workbench.figures.attacks import limits
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.reporting import findings
from privgraph_workbench.reporting.asked import Drawn
from privgraph_workbench.reporting.verdicts import ATTACKED
from privgraph_workbench.words.markup import capital
from privgraph_workbench.words.naming import data_title
from privgraph_workbench.words.statements import refuted_in_short

LONG = 300
"""Letters that what must be known of attacked models may have below a caption."""
CAVEATS = "Attacked models were trained again, and differ from the runs as the TXT file says."
INTERVALS = "Intervals are at 95% confidence."
EVALUATOR = "Accuracies are an evaluator's, of private labels."
ONLY = "evaluator only"
"""How a badge of what an evaluator alone sees begins."""
KIND = "ε: sound, of one run alone, unless called published."
"""Which of its ε a caption means."""
PUBLIC = "Noise is public in {public} of {private} private settings: as run these protect nobody."
ALL_PUBLIC = "All noise is public: as run it protects nobody."
REFUTED = "an attack refutes"
"""How a badge of a refuted claim begins."""
TAKE_OVER = "% To take over into the text, or into the caption:"


def of(name: str, one: Drawn, papers: Sequence[str]) -> str:
    """The environment of a figure of a report, with its own title, words and settings."""
    graphs = {data_title(run.spec.dataset) for run in one.runs}
    where = "" if len(graphs) != 1 or any(graph in one.name for graph in graphs) else f"Graph: {graphs.pop()}."
    words = {"own": one.sentence, "found": findings.of(one), "about": findings.about(one), "where": where}
    return snippet(name, one.name, one.figure, one.rows, one.statements, papers=papers, **words)


def snippet(
    name: str,
    title: str,
    figure: str,
    rows: Sequence[Row],
    statements: Mapping[str, PrivacyStatement],
    own: str = "",
    found: str = "",
    papers: Sequence[str] = (),
    about: str = "",
    where: str = "",
) -> str:
    """The environment of a figure whose files in figures/ have that name. The caption goes on below its title
    with `where` it was found, if that does not say it, and its author's words (`own`). What it finds
    (`found`, in Markdown) and its settings (`about`) are comments; `papers`: the methods, attacks and data
    sets whose papers it cites below the caption."""
    author = [f"{findings.AUTHOR} {own}"] if own else []
    headed = f"{title.rstrip('.')}." if title[-1:] not in "?!" else title
    said = _joined([headed, where, *author, *caption(figure, rows, statements)])
    cited = latex.cited(papers)
    below = _joined([*_known(figure, rows), *promised(statements)]) + f" Papers: {cited}." * bool(cited)
    taken = [unmarked(one) for one in (*found.splitlines(), about) if one.strip()]
    return "\n".join(
        [
            r"% needs \usepackage{graphicx}; cites references.bib; promised in full: the TXT file of this figure",
            r"\begin{figure}",
            r"  \centering",
            rf"  \includegraphics[width=\linewidth]{{figures/{name}.pdf}}",
            rf"  \caption[{{{latex.text(title)}}}]{{{said}}}",
            rf"  \label{{fig:{name}}}",
            r"  \par\smallskip",
            rf"  {{\footnotesize\raggedright {below}\par}}",
            r"\end{figure}",
            *([TAKE_OVER, *(f"% {_joined([one])}" for one in taken)] if taken else []),
            "",
        ]
    )


def _joined(said: Sequence[str]) -> str:
    """Sentences on one line as LaTeX prints them."""
    return latex.text(" ".join(" ".join(said).split()))


def caption(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """What a caption says behind title and author: what marks, bars and lines are, whose numbers these are,
    which ε are meant, and whose noise is public."""
    private = [one for one in statements.values() if one.unit != "none"]
    public = sum(map(has_public_noise, private))
    told = PUBLIC.format(public=public, private=len(private)) if public < len(private) else ALL_PUBLIC
    return [*marks(figure, rows), *_evaluator(figure, rows), *[KIND] * bool(private), *[told] * bool(public)]


def marks(figure: str, rows: Sequence[Row]) -> list[str]:
    """What marks, bars and lines are."""
    return list(filter(None, [chart_of(figure, rows).reading or INTERVALS * (figure in ATTACKED)]))


def _evaluator(figure: str, rows: Sequence[Row]) -> list[str]:
    """That an evaluator alone sees these numbers, in few words, where the figure warns of it."""
    badges = [one for one in chart_of(figure, rows).badges if one.startswith(ONLY)]
    return [EVALUATOR if one == notes.EVALUATOR_BADGE else f"{capital(one)}." for one in badges]


def _known(figure: str, rows: Sequence[Row]) -> list[str]:
    """What must be known of attacked models, as far as that is short, and what else the figure warns of, a
    sentence each: of several runs the caption speaks, and of refuted claims what is promised."""
    told = limits.caveats_of(rows) if figure in ATTACKED else []
    told = told if sum(map(len, told)) <= LONG else [CAVEATS]
    for one in chart_of(figure, rows).badges:
        if not one.startswith((ONLY, REFUTED)) and not one.endswith(notes.COMPOSED_BADGE.partition("}")[2]):
            told.append(f"{capital(one)}.")
    return told


def promised(statements: Mapping[str, PrivacyStatement]) -> list[str]:
    """What is promised in one sentence for each protected unit, below a caption: the sound epsilons, those as
    published, and delta; how many claims attacks have refuted, and what guarantees nothing."""
    said = [one.partition("; audited:") for one in notes.short(statements) if one.startswith(notes.UNIT)]
    told = [f"{first}{f'; δ{rest}' if (rest := tail.rpartition('; δ')[2]) and tail else ''}" for first, _, tail in said]
    if refuted := sum(one.unit != "none" and bool(refuted_in_short(one)) for one in statements.values()):
        which = f"{refuted} of the {len(statements)} settings" if len(statements) > 1 else "this setting"
        told.append(f"Attacks refute the ε as published of {which}.")
    return [*told, *notes.unprotected(statements)] if statements else [notes.NO_STATEMENT]


def warning(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement]) -> str:
    """All that a figure warns of in one line; "" where it warns of nothing."""
    badges = [*notes.warned(statements), *chart_of(figure, rows).badges]
    told = [*badges, *(one.rstrip(".") for one in notes.further(badges, rows, statements))]
    said = "; ".join(told)
    return f"{said[:1].upper()}{said[1:]}"
