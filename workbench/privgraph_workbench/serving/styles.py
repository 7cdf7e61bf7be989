"""How pages look beyond the theme: one sheet for all, and the keys by which parts ask for it."""

from __future__ import annotations

from privgraph_workbench.theme import theme

# Streamlit's own button "Stop" ends the drawing of a page, not a run, and would be taken for ours.
_ROOM = (
    ".stMainBlockContainer { padding-top: 4.5rem; padding-bottom: 3rem; }"
    "[data-testid=stStatusWidget] button { display: none; }"
    "[data-testid=stElementContainer]:has(script) { display: none; }"
    "label[data-testid=stWidgetLabel] { color: inherit; }"  # that of a disabled field has to be read, too
)
# Streamlit writes white on the theme's colour; on one that is light enough for the dark theme that cannot be
# read.
_DARK_TEXT = (
    "[data-testid^=stBaseButton-primary]:not(:disabled) *, [data-testid=stMultiSelect] [data-tag] * "
    "{ color: #0b1117 !important; }"
)

# A part with this key stays in sight beside a form that is longer than the window.
BESIDE = "beside"
_BESIDE = (
    f"@media (min-width: 900px) {{ [data-testid=stColumn]:has(.st-key-{BESIDE}) > [data-testid=stVerticalBlock] "
    f"{{ height: 100%; }} [data-testid=stLayoutWrapper]:has(> .st-key-{BESIDE}) {{ position: sticky; top: 4.5rem; }} "
    f".st-key-{BESIDE} {{ max-height: calc(100vh - 6rem); overflow-y: auto; }} }}"
)

# Buttons of one choice go on in a second row where they do not fit, and begin it with a border of their own:
# in a column, Streamlit would cut them off.
_BUTTONS = (
    "[data-testid=stButtonGroup] :is([role=radiogroup], [role=toolbar]) "
    "{ flex-wrap: wrap; overflow: visible; row-gap: 0.25rem; }"
    "@media (max-width: 1200px) { [data-testid=stButtonGroup] [role=radio]:not([aria-checked=true]) "
    "{ border-left-color: color-mix(in srgb, currentColor 15%, transparent) !important; } "
    "[data-testid=stButtonGroup] [role=radio][aria-checked=true] { position: relative; z-index: 1; } }"
)

# The switch of examples and own runs stands in the row of the page's title, where there is room.
SHOWN = "shown-switch"
_SHOWN = (
    f"@media (min-width: 700px) {{ [data-testid=stLayoutWrapper]:has(> .st-key-{SHOWN}) "
    "{ margin-bottom: -3.5rem; z-index: 2; } }"
)

# Columns of figures stand one below the other on a page that is too narrow for both; cards go on in the next
# row, and say all of their titles.
STACK, CARDS = "stack", "cards"
SECOND_FIRST = "second-first"
"""Of such columns: on a narrow page the second stands above the first."""
_NARROW = (
    f"@media (max-width: 1000px) {{ [class*=st-key-{STACK}] > [data-testid=stLayoutWrapper] > "
    "[data-testid=stHorizontalBlock] { flex-direction: column; gap: 1rem; } "
    f"[class*=st-key-{STACK}] > [data-testid=stLayoutWrapper] > [data-testid=stHorizontalBlock] > "
    "[data-testid=stColumn] { width: 100%; flex: 1 1 auto; } }"
    f"@media (max-width: 1000px) {{ [class*=st-key-{STACK}-{SECOND_FIRST}] > [data-testid=stLayoutWrapper] > "
    "[data-testid=stHorizontalBlock] { flex-direction: column-reverse; } }"
    f"[class*=st-key-{CARDS}] [data-testid=stHorizontalBlock] {{ flex-wrap: wrap; }}"
    f"[class*=st-key-{CARDS}] [data-testid=stColumn] {{ min-width: 11rem; }}"
    f"@media (max-width: 640px) {{ [class*=st-key-{CARDS}] [data-testid=stColumn] "
    "{ min-width: 9rem; flex: 1 1 9rem; } "
    f"[class*=st-key-{CARDS}] [data-testid=stMetricValue] {{ font-size: 1.6rem; }} }}"
    "[data-testid=stMetricLabel] p, [data-testid=stMetricLabel] div { white-space: normal; overflow: visible; }"
)

# The filters of a list stand in one row, and on a page that is too narrow for it in rows of equal fields: no
# sixth one is left alone in a last one. On a telephone they are one row that is pushed aside.
FILTERS = "list-filters"
_FILTERS = (
    f".st-key-{FILTERS} [data-testid=stHorizontalBlock] {{ display: grid; gap: 0 0.75rem; "
    "grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); }"
    f".st-key-{FILTERS} [data-testid=stColumn] {{ min-width: 0; width: auto; }}"
    f"@media (max-width: 900px) {{ .st-key-{FILTERS} [data-testid=stHorizontalBlock] {{ grid-auto-flow: row; "
    "grid-template-columns: repeat(3, minmax(0, 1fr)); } }"
    f"@media (max-width: 640px) {{ .st-key-{FILTERS} [data-testid=stHorizontalBlock] {{ grid-auto-flow: column; "
    "grid-template-columns: none; grid-auto-columns: 8.5rem; overflow-x: auto; } }"
)

# What is said of a list stands in one line of texts and small buttons.
LINE = "list-line"
_LINE = (
    f".st-key-{LINE} {{ gap: 0 1rem; min-height: 2.5rem; }}"
    f".st-key-{LINE} :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer], p) "
    "{ margin: 0 !important; }"
)

# A protected unit is as high as the list beside it, so that both labels stand in one line.
_UNIT = ".st-key-protects [data-testid=stButtonGroup] > div button { min-height: 2.5rem; }"

# What decides whether to run stays in sight: below the bar of pages, on a phone at the foot of the window.
BAR = "runbar"
_BAR = (
    f"[data-testid=stLayoutWrapper]:has(> .st-key-{BAR}) {{ position: sticky; top: 3.75rem; z-index: 5; "
    "background: GROUND; }"
    f".st-key-{BAR} {{ border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 0.5rem; "
    "padding: 0.2rem 0.9rem; background: GROUND; max-height: 64px; flex-wrap: nowrap; "
    "justify-content: space-between; }"
    f".st-key-{BAR} > * {{ flex: 0 0 auto; }}"
    f".st-key-{BAR} [data-testid=stMetric] {{ gap: 0; }}"
    f".st-key-{BAR} [data-testid=stMetricLabel] p {{ font-size: 0.8rem; }}"
    f".st-key-{BAR} :is([data-testid=stMetricValue], [data-testid=stMetricValue] *) {{ line-height: 1.3; }}"
    f".st-key-{BAR} [data-testid=stMetricValue] {{ font-size: 1.25rem; }}"
    f"@media (max-width: 640px) {{ [data-testid=stLayoutWrapper]:has(> .st-key-{BAR}) {{ position: fixed; left: 0; "
    "right: 0; bottom: 0; top: auto; width: 100%; }"
    f".st-key-{BAR} {{ border-radius: 0; overflow-x: auto; padding: 0.2rem 0.4rem; gap: 0.5rem; }}"
    f".st-key-{BAR} [data-testid=stMetricLabel] button {{ display: none; }}"
    f".st-key-{BAR} [data-testid=stMetricLabel] p {{ font-size: 0.65rem; }}"
    f".st-key-{BAR} [data-testid=stMetricValue] {{ font-size: 0.9rem; }}"
    f".stMainBlockContainer:has(.st-key-{BAR}) {{ padding-bottom: 7rem; }} }}"
)

# What can be done with what is chosen in a list stays in sight, at the foot of the window.
FOOT = "footbar"
_FOOT = (
    f"[data-testid=stLayoutWrapper]:has(> .st-key-{FOOT}) {{ position: sticky; bottom: 0; z-index: 5; "
    "background: GROUND; }"
    f".st-key-{FOOT} {{ border: 1px solid PRIMARY; border-radius: 0.5rem; padding: 0.4rem 0.9rem; gap: 0.4rem; "
    "background: GROUND; }"
    f".st-key-{FOOT} :is([data-testid=stMarkdownContainer], p) {{ margin: 0 !important; }}"
    f"@media (max-width: 900px) {{ .st-key-{FOOT} .st-key-{FOOT}-row {{ flex-wrap: nowrap; overflow-x: auto; }} "
    f".st-key-{FOOT}-row > * {{ flex: 0 0 auto; }} .st-key-{FOOT}-row button {{ white-space: nowrap; }} }}"
)

# The curve of the Start page has its room before it is drawn: what stands below stays where it is.
CURVE = "start-curve-figure"
_CURVE = (
    f".st-key-{CURVE} {{ min-height: 456px; }} @media (max-width: 640px) {{ .st-key-{CURVE} {{ min-height: 577px; }} }}"
)

# A run's name is read to its end on a telephone, too.
RECENT = "recent-runs"
_RECENT = f".st-key-{RECENT} [data-testid=stPageLink] a * {{ white-space: normal; }}"

# A link to a file looks like the buttons around it.
FILE_LINK, PRIMARY_LINK = "privgraph-file", "privgraph-primary"
BOXED = "boxed-link"
"""What the key of a container begins with whose link to a page looks like the buttons around it."""
GO_ON = "go-on"
"""The key of a container with a link to a page: it looks like the button that a page is for."""
_FILES = (
    f"a.{FILE_LINK} {{ display: block; margin: 0 0 0.5rem; padding: 0.4rem 0.75rem; border-radius: "
    "0.5rem; text-align: center; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); "
    f"color: inherit !important; text-decoration: none !important; }}a.{FILE_LINK}:hover, "
    f"a.{FILE_LINK}:focus-visible {{ border-color: currentColor; }}"
    # a menu of all formats is read whole on a screen of 800 pixels
    f"[data-testid=stPopoverBody] [data-testid=stHtml]:has(> a.{FILE_LINK}:nth-of-type(4)) {{ display: grid; "
    "grid-template-columns: repeat(3, 1fr); gap: 0 0.5rem; }"
    f"a.{PRIMARY_LINK} {{ display: inline-block; margin-right: 0.5rem; background: PRIMARY; border-color: PRIMARY; "
    "color: GROUND !important; font-weight: 600; }"
    f"[class*=st-key-{BOXED}] [data-testid=stPageLink] a {{ padding: 0.4rem 0.75rem; border-radius: 0.5rem; "
    "border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }"
    f".st-key-{GO_ON} [data-testid=stPageLink] a {{ background: PRIMARY; padding: 0.4rem 0.75rem; border-radius: "
    f"0.5rem; }}.st-key-{GO_ON} [data-testid=stPageLink] a * {{ color: GROUND !important; }}"
)


def sheet(*, dark: bool) -> str:
    """All of it, in the colours of a theme."""
    looks = theme("dark" if dark else "light")
    rooms = "".join(
        (
            *(_ROOM, _BESIDE, _SHOWN, _NARROW, _BUTTONS),
            *(_CURVE, _RECENT, _FILTERS, _LINE, _UNIT),
        )
    )
    cards = f"{_BAR}{_FOOT}{_FILES}".replace("PRIMARY", looks.sound).replace("GROUND", looks.background)
    return f"{rooms}{cards}{_DARK_TEXT * dark}"
