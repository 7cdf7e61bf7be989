"""How the page Report looks: rows that are low, and a bar with its button that stays in sight."""

from __future__ import annotations

from html import escape

import streamlit as st

LIST, ROW, SAID, WAYS = "kept-list", "kept-row", "kept-said", "kept-ways"
"""What the keys of containers begin with: rows, a row, its words and its buttons."""
NEWER = "kept-newer"
"""What the key of a line begins with that says which runs a figure lacks."""
RUNS, RUN = "kept-each", "kept-single"
"""What the keys of containers begin with: the runs in the card of their setting, and one of them."""
BAR_ROW, BAR_SAID, BAR_BUTTONS = "report-bar", "report-said", "report-buttons"
"""The keys of the bar's row, of the words and the buttons in it."""
PREVIEW, TAB = "report-page", "report-tab"
"""The keys of the page below the bar, and of the link to it in a tab of its own."""
LATEST, FORMER = "report-latest", "report-former"
"""The keys of the links to what was made: as a button, and where something was changed since, as a link among
the words."""
WITHHELD = "kept-row-withheld"
"""What the key of a row begins with whose figure others are not given."""
STAMP = "privgraph-stamp"
"""What stands at the left of a row: a picture, or a score."""
LINKS = "report-links"
"""What the keys of links begin with of which each says all that it is."""
WAITING = "privgraph-waiting"
"""What stands where a list is not read yet."""
TO_COME = f'<div class="{WAITING}" aria-hidden="true">{"<i></i>" * 4}</div>'
"""In the place of its rows."""

_WORDS = ":is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer], p)"
_STYLE = f"""
.{STAMP} {{ width: 6rem; height: 4rem; border-radius: 0.3rem; overflow: hidden; display: flex;
  flex-direction: column; align-items: center; justify-content: center; line-height: 1.15; text-align: center;
  border: 1px solid color-mix(in srgb, currentColor 18%, transparent); }}
.{STAMP} img {{ width: 100%; height: 100%; object-fit: cover; }}
.{STAMP} b {{ font-size: 1.15rem; font-variant-numeric: tabular-nums; }}
.{STAMP} span {{ font-size: 0.72rem; }}
[class*=st-key-{LINKS}] {{ gap: 0.1rem; }}
[class*=st-key-{LINKS}] a {{ min-height: 1.75rem; height: auto; }}
[class*=st-key-{LINKS}] [data-testid=stPageLink] a * {{ white-space: normal; }}
.{WAITING} {{ line-height: 1.3; }}
.{WAITING} i {{ display: block; height: 5.4rem; margin-bottom: 0.5rem; border-radius: 0.5rem;
  background: color-mix(in srgb, currentColor 8%, transparent); }}
[class*=st-key-{ROW}] {{ border: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  border-radius: 0.5rem; padding: 0.4rem 0.5rem; gap: 0.4rem; }}
[class*=st-key-{SAID}] {{ gap: 0.1rem; }}
[data-testid=stLayoutWrapper]:has(> [class*=st-key-{SAID}]) {{ min-width: 9rem; flex: 1 1 12rem; }}
[class*=st-key-{SAID}] {_WORDS} {{ margin: 0 !important; }}
[class*=st-key-{SAID}] [data-testid=stCaptionContainer] p {{ display: -webkit-box; -webkit-line-clamp: 2;
  -webkit-box-orient: vertical; overflow: hidden; }}
[class*=st-key-{WAYS}] {{ gap: 0.1rem; flex-wrap: nowrap; }}
[class*=st-key-{WAYS}] button {{ padding: 0.25rem; min-height: 2.2rem; min-width: 2.2rem; }}
[class*=st-key-{WAYS}] button [data-testid=stMarkdownContainer] {{ position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; }}
[class*=st-key-{LIST}] {{ gap: 0.5rem; }}
[class*=st-key-{RUNS}] {{ gap: 0.1rem; }}
[class*=st-key-{NEWER}] {{ gap: 0 0.5rem; }}
[class*=st-key-{NEWER}] {_WORDS} {{ margin: 0 !important; }}
[class*=st-key-{RUN}] {{ flex-wrap: nowrap; }}
[class*=st-key-{RUN}] {_WORDS} {{ margin: 0 !important; overflow-wrap: anywhere; }}
[class*=st-key-{ROW}] > [data-testid=stLayoutWrapper] > [data-testid=stHorizontalBlock] {{ row-gap: 0; }}
.st-key-{BAR_SAID} {{ gap: 0; }}
[data-testid=stLayoutWrapper]:has(> .st-key-{BAR_SAID}) {{ min-width: 8rem; flex: 1 1 9rem; }}
.st-key-{BAR_SAID} {_WORDS} {{ margin: 0 !important; line-height: 1.3; }}
.st-key-{BAR_ROW} a {{ margin: 0 !important; white-space: nowrap; }}
.st-key-{BAR_ROW} {{ row-gap: 0.3rem; }}
.st-key-{BAR_BUTTONS} {{ gap: 0.5rem; flex-wrap: nowrap; }}
.st-key-{LATEST} a {{ font-size: 0.875rem !important; font-weight: 400 !important; line-height: 1.6; }}
.st-key-{FORMER} a {{ border: 0; padding: 0; background: none; font-size: 0.875rem; line-height: 1.3;
  text-decoration: underline !important; }}
[class*=st-key-{WITHHELD}] {{ border-style: dashed; }}
[class*=st-key-{WITHHELD}] .{STAMP} {{ opacity: 0.4; }}
[class*=st-key-{WITHHELD}] [class*=st-key-{SAID}] [data-testid=stMarkdownContainer] strong {{ font-weight: 400; }}
/* as high as the window leaves, with the buttons in sight above it also where the page is not scrolled */
.st-key-{PREVIEW} {{ gap: 0.2rem; }}
.st-key-{PREVIEW} :is(iframe, div:has(> iframe), div:has(> div > iframe)) {{
  height: max(16rem, calc(100vh - 16.5rem)) !important; min-height: 0; flex: none !important; }}
.st-key-{PREVIEW} iframe {{ border-radius: 0.3rem; }}
[data-testid=stLayoutWrapper]:has(> .st-key-{TAB}) {{ align-self: flex-end; }}
.st-key-{TAB} a {{ border: 0; padding: 0; margin: 0; font-size: 0.875rem; line-height: 1.3;
  text-decoration: underline !important; }}
@media (max-width: 640px) {{
  /* its words as wide as the card, below its picture and its buttons: nothing of them is cut */
  [data-testid=stLayoutWrapper]:has(> [class*=st-key-{SAID}]) {{ min-width: 100%; flex: 1 1 100%; order: 2;
    margin-top: 0.4rem; }}
  [class*=st-key-{SAID}] [data-testid=stCaptionContainer] p {{ display: block; overflow: visible; }}
  [data-testid=stLayoutWrapper]:has(> [class*=st-key-{WAYS}]) {{ margin-left: auto; }}
  [class*=st-key-{SAID}] p {{ font-size: 0.9rem; line-height: 1.35; overflow-wrap: anywhere; }}
  [data-testid=stLayoutWrapper]:has(> .st-key-{BAR_BUTTONS}) {{ width: 100%; flex: 1 1 100%; }}
  .st-key-{BAR_BUTTONS} > * {{ flex: 1 1 auto; }}
  .st-key-{BAR_BUTTONS} :is([data-testid=stButton], button, .st-key-{LATEST}, .st-key-{LATEST} *) {{ width: 100%; }}
  .st-key-{BAR_BUTTONS} :is(button, a) {{ padding-inline: 0.5rem; text-align: center; white-space: nowrap; }}
  .st-key-{BAR_SAID} p {{ font-size: 0.8rem; }}
  .st-key-{FORMER} a {{ font-size: 0.8rem; }}
  .st-key-{PREVIEW} :is(iframe, div:has(> iframe), div:has(> div > iframe)) {{
    height: max(14rem, calc(100vh - 14rem)) !important; }}
  /* the link to the former report says what it is */
  .st-key-{BAR_SAID}:has(.st-key-{FORMER}) > :nth-child(3) {{ display: none; }}
}}
"""


def reading(held: str) -> str:
    """What stands in the bar while the list is read: what it holds, where that is known."""
    told = f"<b>{escape(held)}</b><br>" if held else ""
    return f'<div class="{WAITING}" role="status">{told}<small>Reading what is kept …</small></div>'


def unfolded(mark: str) -> str:
    """Where it is said whether the figure with this mark is looked at."""
    return f"fold.figure.{mark}"


def stay_unfolded(mark: str, fresh: str) -> None:
    """A figure that was made anew is looked at where it was."""
    st.session_state[unfolded(fresh)] = bool(st.session_state.get(unfolded(mark)))


def style() -> None:
    """Once on the page."""
    st.html(f"<style>{_STYLE}</style>")
