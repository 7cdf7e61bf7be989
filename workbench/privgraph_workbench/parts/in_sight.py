"""Bringing into sight what a press of a button put elsewhere on the page, once."""

from collections.abc import Callable
from typing import Any

import streamlit as st

_SCRIPT = """
// What is above and below is still being drawn, and a fold closes slowly: the place is found again, unless somebody
// has begun to scroll. Each mark once in a tab, so that who comes back to the page is not moved.
export default ({ parentElement, data }) => {
  const done = (window.privgraphInSight ??= new Set());
  if (done.has(data.mark)) return;
  done.add(data.mark);
  const own = new AbortController();
  for (const one of ["wheel", "touchstart", "keydown", "pointerdown"])
    window.addEventListener(one, () => own.abort(), { signal: own.signal, passive: true });
  const show = () => {
    const box = document.querySelector(`.st-key-${data.key}`);
    if (own.signal.aborted || !box) return;
    box.style.scrollMarginTop = "5rem"; // below the bar at the top
    box.scrollIntoView({ block: "start" });
  };
  for (const wait of [0, 150, 500, 1200]) setTimeout(show, wait);
  setTimeout(() => own.abort(), 1300);
};
"""
_mount: Callable[..., Any] | None = None


def bring(key: str, mark: str) -> None:
    """Scroll to the container `key` (letters and hyphens); not again with the same `mark`, for as long as the
    tab is open."""
    global _mount
    if _mount is None:
        _mount = st.components.v2.component("privgraph_in_sight", js=_SCRIPT)
    _mount(key=f"{key}.in_sight", data={"key": key, "mark": mark}, height="content")
